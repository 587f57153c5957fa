/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file remote.h
 * Devices of other processes. The first process has the program; the others serve it: each has one device,
 * on which it makes the calls of the first one, in their order, and populations go from process to process
 * without a detour. So a simulation of parts is written once, for devices wherever they are. Calls that
 * return something wait for it. The others are only sent, and those of steps many at a time: a message of
 * them waits until there are enough, until a call waits for a result, or until rill_device_submit().
 *
 * GPUs have the queues and events of one process, made by the process that has the GPU. Where a process opens
 * memory of another one (CUDA IPC), its kernels store there, and an event that the other one waits for is
 * a flag in that one's memory, too: the first process, through which all calls go, knows the number that
 * the flag will have. So no process waits. Between all others populations are messages: they are their own
 * order.
 */
#ifndef RILL_DEVICE_REMOTE_H
#define RILL_DEVICE_REMOTE_H

#include "core/team.h"
#include "device/device.h"
#include "geometry/voxels/planes.h"

/** The devices of all processes, that of the first one, too. */
typedef struct rill_remotes rill_remotes;

/** Get ready to call all processes, from the first one. */
rill_status rill_remotes_create(rill_team *team, rill_remotes **out);

/** Return what keeps planes of voxels in the memory of all processes; `remotes` must outlive it. */
rill_keeper rill_remotes_keeper(rill_remotes *remotes);

/**
 * Let every process open a device of the kind of `own`: its GPU by its rank among those of its machine.
 * @param[in] own  the device of this process, the first; borrowed
 */
rill_status rill_remotes_open(rill_remotes *remotes, rill_device *own);

/** Return the device of a process. */
rill_device *rill_remotes_device(rill_remotes *remotes, int rank);

/** Close all; NULL is allowed. */
void rill_remotes_destroy(rill_remotes *remotes);

/** Serve the first process until it lets this one go. @param device  borrowed; NULL: opens one
 * @return the exit code that it sends */
int rill_remote_serve(rill_team *team, rill_device *device);

/** Let the others go, from the first process. */
void rill_remote_release(rill_team *team, int code);

#endif
