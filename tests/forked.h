/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file forked.h
 * Processes for tests, without MPI: children that serve, and messages through sockets. What is begun is sent
 * at once, so that what two processes send each other at the same time must fit the buffers of sockets.
 */
#ifndef RILL_TESTS_FORKED_H
#define RILL_TESTS_FORKED_H

#include "device/remote.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKED_MOST = 4, FORKED_KINDS = 3, FORKED_BUFFER = 1 << 22 };
static int forked_sockets[FORKED_MOST][FORKED_MOST][FORKED_KINDS]; /**< end of the first for the second */
static int forked_rank, forked_size;
static uint64_t forked_sent[FORKED_KINDS]; /**< messages that this process has sent */

static rill_device *(*forked_device)(int rank); /**< opens the device of a process; NULL: it opens one */
static bool (*forked_idle)(void); /**< works while a message is waited for; false: there is nothing to do */

static int forked_start(int *rank, int *size)
{
    *rank = forked_rank, *size = forked_size;
    return 0;
}

static void forked_stop(void) {}

static void forked_abort(int code) { _exit(code); }

static int forked_send(int to, int kind, const void *data, uint64_t bytes)
{
    const char *at = data;
    forked_sent[kind]++;
    while (bytes) {
        const ssize_t sent = send(forked_sockets[forked_rank][to][kind], at, bytes, MSG_NOSIGNAL);
        if (sent <= 0) return errno ? errno : 1;
        at += sent, bytes -= (uint64_t)sent;
    }
    return 0;
}

static int forked_receive(int from, int kind, void *data, uint64_t bytes)
{
    char *at = data;
    struct pollfd ready = {forked_sockets[forked_rank][from][kind], POLLIN, 0};
    while (forked_idle && poll(&ready, 1, 0) == 0)
        if (!forked_idle()) poll(&ready, 1, 1);
    while (bytes) {
        const ssize_t got = recv(forked_sockets[forked_rank][from][kind], at, bytes, 0);
        if (got <= 0) return errno ? errno : 1;
        at += got, bytes -= (uint64_t)got;
    }
    return 0;
}

static int forked_begin(int to, int kind, const void *data, uint64_t bytes, void **request)
{
    *request = NULL;
    return forked_send(to, kind, data, bytes);
}

static int forked_end(void **request)
{
    (void)request;
    return 0;
}

static const rill_team_transport forked_transport = {.name = "sockets",
                                                     .start = forked_start,
                                                     .stop = forked_stop,
                                                     .abort = forked_abort,
                                                     .send = forked_send,
                                                     .receive = forked_receive,
                                                     .begin = forked_begin,
                                                     .end = forked_end};

/* Close the ends of the others: a read from a process that has ended then fails at once. */
static inline void forked_keep_own(void)
{
    for (int a = 0; a < forked_size; a++)
        for (int b = 0; b < forked_size; b++)
            for (int k = 0; k < FORKED_KINDS; k++)
                if (a != b && a != forked_rank) close(forked_sockets[a][b][k]);
}

/** Start processes, before this one has threads. All but the first serve until rill_remote_release(). */
static inline void forked_begin_team(int size, rill_team *team, pid_t children[])
{
    forked_size = size;
    for (int a = 0; a < size; a++)
        for (int b = a + 1; b < size; b++)
            for (int k = 0; k < FORKED_KINDS; k++) {
                const int room = FORKED_BUFFER;
                int both[2];
                cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, both), 0);
                for (int e = 0; e < 2; e++) setsockopt(both[e], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
                forked_sockets[a][b][k] = both[0], forked_sockets[b][a][k] = both[1];
            }
    *team = (rill_team){.size = size, .transport = &forked_transport};
    for (int k = 1; k < size; k++) {
        children[k] = fork();
        cr_assert_geq(children[k], 0);
        if (children[k] > 0) continue;
        forked_rank = team->rank = team->local = k;
        forked_keep_own();
        _exit(rill_remote_serve(team, forked_device ? forked_device(k) : NULL));
    }
    forked_keep_own();
}

/** Let them go. @param code  that they have to end with */
static inline void forked_end_team(rill_team *team, pid_t children[], int code)
{
    rill_remote_release(team, code);
    for (int k = 1; k < team->size; k++) {
        int status = 0;
        cr_assert_eq(waitpid(children[k], &status, 0), children[k]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == code, "process %d ended with %d", k, status);
    }
}

#endif
