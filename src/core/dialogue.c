/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program by posix_spawn(), as inspect.c does, and talks to it over a pair of sockets: unlike a pipe
 * that nobody reads, they raise no signal. */
#include "core/dialogue.h"

#include "core/clock.h"
#include "core/status.h"

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const double FAREWELL = 1; /* s, that it has to end in */

/* Start it. @return 0, or an error number */
static int spawn(char *const arguments[], int stream, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    int error = posix_spawn_file_actions_adddup2(&files, stream, STDIN_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, stream, STDOUT_FILENO);
    if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
    if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
    if (!error)
        error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                          POSIX_SPAWN_SETPGROUP);
    if (!error) error = posix_spawn(child, arguments[0], &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

rill_status rill_dialogue_start(char *const arguments[], double seconds, rill_dialogue *out)
{
    rill_status status = RILL_OK;
    int ends[2] = {-1, -1};
    *out = (rill_dialogue){.path = arguments[0], .seconds = seconds, .socket = -1};
    out->text = malloc(RILL_DIALOGUE_LINE);
    if (!out->text) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the lines of %s", out->path));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "%s cannot be started: %s", out->path, strerror(errno)));
    out->socket = ends[0];
    const int error = spawn(arguments, ends[1], &out->child);
    if (error) {
        out->child = 0;
        RILL_TRY(rill_fail(RILL_SYSTEM, "%s cannot be started: %s%s", out->path, strerror(error),
                           error == EACCES || error == ENOEXEC
                               ? ": make it executable, a script with #! and an interpreter in its first line"
                               : ""));
    }
done:
    if (ends[1] >= 0) close(ends[1]);
    return status;
}

/* Say how it ended. It is waited for: its stream is closed. */
static rill_status fail_ended(rill_dialogue *d)
{
    int state = 0;
    const double end = rill_now() + FAREWELL;
    pid_t came = 0;
    while (came == 0 && rill_now() < end) {
        came = waitpid(d->child, &state, WNOHANG);
        if (came == 0) poll(NULL, 0, 10);
    }
    if (came != d->child) return rill_fail(RILL_SYSTEM, "%s closed its standard output", d->path);
    d->child = 0;
    if (WIFSIGNALED(state))
        return rill_fail(RILL_SYSTEM, "%s was ended by signal %d", d->path, WTERMSIG(state));
    return rill_fail(RILL_SYSTEM, "%s ended with exit code %d%s", d->path, WEXITSTATUS(state),
                     WEXITSTATUS(state) == 127 ? ": its interpreter may be missing" : "");
}

/* Wait until the stream is ready. */
static rill_status await(rill_dialogue *d, short events, double end)
{
    for (;;) {
        struct pollfd p = {.fd = d->socket, .events = events};
        const double left = end - rill_now();
        if (left <= 0)
            return rill_fail(RILL_SYSTEM,
                             "%s did not answer within %g s: see what it waits for, or allow it more time",
                             d->path, d->seconds);
        const int ready = poll(&p, 1, left < 1e6 ? (int)(1e3 * left) + 1 : INT_MAX);
        if (ready > 0) return RILL_OK;
        if (ready < 0 && errno != EINTR)
            return rill_fail(RILL_SYSTEM, "%s cannot be waited for: %s", d->path, strerror(errno));
    }
}

static rill_status say(rill_dialogue *d, const char *text, size_t length, double end)
{
    rill_status status = RILL_OK;
    while (length > 0) {
        const ssize_t sent = send(d->socket, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) RILL_TRY(await(d, POLLOUT, end));
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) continue;
        if (sent < 0) return fail_ended(d);
        text += sent;
        length -= (size_t)sent;
    }
done:
    return status;
}

static rill_status hear(rill_dialogue *d, double end)
{
    rill_status status = RILL_OK;
    d->length = 0;
    for (;;) {
        RILL_TRY(await(d, POLLIN, end));
        const ssize_t got = recv(d->socket, d->text + d->length, RILL_DIALOGUE_LINE - d->length, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return fail_ended(d);
        d->length += (size_t)got;
        const char *stop = memchr(d->text, '\n', d->length);
        if (memchr(d->text, '\0', d->length))
            return rill_fail(RILL_USAGE, "%s answered with a NUL: answers are lines of text", d->path);
        if (stop && stop + 1 != d->text + d->length)
            return rill_fail(RILL_USAGE, "%s answered one line with several", d->path);
        if (stop) break;
        if (d->length == RILL_DIALOGUE_LINE)
            return rill_fail(RILL_USAGE, "%s answered with a line of more than %d bytes", d->path,
                             RILL_DIALOGUE_LINE - 1);
    }
    d->text[d->length - 1] = '\0';
    if (d->length > 1 && d->text[d->length - 2] == '\r') d->text[d->length - 2] = '\0';
done:
    return status;
}

rill_status rill_dialogue_ask(rill_dialogue *d, const char *line, const char **answer)
{
    rill_status status = RILL_OK;
    const double end = rill_now() + d->seconds;
    RILL_TRY(say(d, line, strlen(line), end));
    RILL_TRY(say(d, "\n", 1, end));
    RILL_TRY(hear(d, end));
    *answer = d->text;
done:
    return status;
}

void rill_dialogue_end(rill_dialogue *d)
{
    const double end = rill_now() + FAREWELL;
    bool ended = false;
    if (d->child > 0) {
        shutdown(d->socket, SHUT_WR);
        while (!ended && rill_now() < end) {
            ended = waitpid(d->child, NULL, WNOHANG) != 0;
            if (!ended) poll(NULL, 0, 5);
        }
        kill(-d->child, SIGKILL); /* what it started, too */
        while (!ended && waitpid(d->child, NULL, 0) < 0 && errno == EINTR) {}
    }
    if (d->text && d->socket >= 0) close(d->socket);
    free(d->text);
    *d = (rill_dialogue){.socket = -1};
}
