/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file gate.h
 * Shares host and device memory among the items of a batch that are computed at the same time. An item states
 * what it needs before it allocates, and waits while the others leave no room. An item never waits for itself
 * alone: where nobody else holds memory it goes on, and the allocation decides.
 */
#ifndef RILL_BATCH_GATE_H
#define RILL_BATCH_GATE_H

#include "rill.h"

#include <pthread.h>

enum { RILL_GATE_DEVICES = 64 };

/** The memory that is shared. */
typedef struct rill_gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t host_limit, host_used;
    uint64_t device_limit[RILL_GATE_DEVICES], device_used[RILL_GATE_DEVICES];
    int inside;    /**< items that hold memory */
    int computing; /**< items of these that have entered the second stage */
    int waiting;   /**< items that wait to be alone */
    bool alone;    /**< the one that entered last is to be alone */
    bool cancelled;
} rill_gate;

/** What an item holds. */
typedef struct rill_gate_pass {
    int device; /**< number among the devices of the batch */
    uint64_t host_bytes, device_bytes;
    bool inside, computing, alone;
} rill_gate_pass;

/** Make a gate. @param device_limit [devices] */
void rill_gate_init(rill_gate *gate, uint64_t host_limit, const uint64_t *device_limit, int devices);

/** Free it. */
void rill_gate_close(rill_gate *gate);

/**
 * Wait for room for what an item holds while it is read and prepared.
 * @param alone  wait until no other item is inside, and keep others out
 * @return false when the batch is cancelled
 */
bool rill_gate_enter(rill_gate *gate, rill_gate_pass *pass, int device, uint64_t host_bytes, bool alone);

/** Wait for room for what it holds from now on, while it is computed. @return false when the batch is
 * cancelled */
bool rill_gate_compute(rill_gate *gate, rill_gate_pass *pass, uint64_t host_bytes, uint64_t device_bytes);

/** Give everything back; a cleared pass is allowed. */
void rill_gate_leave(rill_gate *gate, rill_gate_pass *pass);

/** Let nobody wait any longer. */
void rill_gate_cancel(rill_gate *gate);

#endif
