/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file aside.h
 * Work in a thread of its own, beside what the caller does in the meantime.
 */
#ifndef RILL_CORE_ASIDE_H
#define RILL_CORE_ASIDE_H

#include "core/status.h"

#include <pthread.h>

/** Work that was begun. It must stay where it is until its end; zero: none was begun. */
typedef struct rill_aside {
    rill_status (*work)(void *context);
    void *context;
    int threads; /**< that loops of the caller use, and those of the work, too */
    bool threaded;
    pthread_t thread;
    rill_status status;
    char message[1024]; /**< of a failure: messages belong to threads */
} rill_aside;

/** The same; where the system grants no thread, all is done when this returns. */
void rill_aside_begin(rill_aside *aside, rill_status (*work)(void *context), void *context);

/** Wait for the work. @return what it returned, its message that of this thread; RILL_OK where none was begun
 * since the last end */
rill_status rill_aside_end(rill_aside *aside);

/** Wait for work whose outcome does not matter: the message of this thread stays. */
void rill_aside_drop(rill_aside *aside);

#endif
