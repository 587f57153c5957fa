/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file team.h
 * Processes that a launcher started together: how many there are, and messages between them. MPI is in a
 * library of its own, librill-mpi.so, which is loaded when the environment of a launcher is there: so that
 * rill runs where no MPI is.
 */
#ifndef RILL_CORE_TEAM_H
#define RILL_CORE_TEAM_H

#include "core/status.h"

/** Kinds of messages; those of one kind between two processes arrive in their order. */
typedef enum rill_team_kind { RILL_TEAM_CALL, RILL_TEAM_REPLY, RILL_TEAM_DATA } rill_team_kind;

/** What moves messages: functions return 0, or the number of an error. All are called by one thread. */
typedef struct rill_team_transport {
    const char *name; /**< "Open MPI v4.1.4" */
    int (*start)(int *rank, int *size);
    void (*stop)(void);
    void (*abort)(int code); /**< end all processes */
    int (*send)(int to, int kind, const void *data, uint64_t bytes);
    int (*receive)(int from, int kind, void *data, uint64_t bytes);
    int (*begin)(int to, int kind, const void *data, uint64_t bytes, void **request);
    int (*end)(void **request);
    bool (*takes_cuda)(void); /**< whether data may be in the memory of a CUDA device; NULL: not */
} rill_team_transport;

/** The name of the transport's one symbol in librill-mpi.so. */
#define RILL_TEAM_SYMBOL "rill_team_mpi"

/** Processes. */
typedef struct rill_team {
    int rank, size; /**< this process, from 0 on; how many */
    int local;      /**< rank among those of this machine */
    const rill_team_transport *transport;
    void *library;
} rill_team;

/**
 * Join the processes that a launcher (mpirun, srun) started.
 * @param[out] out  NULL where there is one process
 * @return RILL_SYSTEM where there are several and MPI is not there
 */
rill_status rill_team_join(rill_team **out);

/** Return whether this process is the first of those that a launcher started, also when they cannot join. */
bool rill_team_first(void);

/** Return whether this process is the first of its machine, which says why processes of it cannot join. */
bool rill_team_speaks(void);

/** Leave, once all others do the same; NULL is allowed. */
void rill_team_leave(rill_team *team);

/** Send, and return when the data may be changed. */
rill_status rill_team_send(rill_team *team, int to, rill_team_kind kind, const void *data, uint64_t bytes);

/** Wait for a message of a known size. */
rill_status rill_team_receive(rill_team *team, int from, rill_team_kind kind, void *data, uint64_t bytes);

/** Begin to send data, which must stay as they are until rill_team_end(). */
rill_status rill_team_begin(rill_team *team, int to, rill_team_kind kind, const void *data, uint64_t bytes,
                            void **request);

/** Wait until what was begun is sent. */
rill_status rill_team_end(rill_team *team, void **request);

#endif
