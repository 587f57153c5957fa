/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permit.h
 * A permit to find a pore network, which waits while others are needed earlier: those of coarser grids, whose
 * flow a run starts from.
 */
#ifndef RILL_NETWORK_PERMIT_H
#define RILL_NETWORK_PERMIT_H

#include <pthread.h>
#include <semaphore.h>

/** A permit that one thread waits for. It must not move until it is ended. */
typedef struct rill_permit {
    sem_t given;
    pthread_t giver; /**< never waits for it */
} rill_permit;

/** Begin a permit that the calling thread will give. */
void rill_permit_begin(rill_permit *permit);

/** Give it, once or again. NULL: nothing waits. */
void rill_permit_give(rill_permit *permit);

/**
 * Wait for it, and take less of the processors from then on where other threads need them, too; so do threads
 * that the calling one creates. NULL, or called by its giver: returns at once.
 */
void rill_permit_wait(rill_permit *permit);

/** End it when nothing waits any more. */
void rill_permit_end(rill_permit *permit);

#endif
