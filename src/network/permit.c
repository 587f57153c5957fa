/* SPDX-License-Identifier: Apache-2.0 */
#include "network/permit.h"

#include <stddef.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Added to the nice value of a thread: beside another one it gets about a quarter of a processor. */
enum { NICER = 5 };

void rill_permit_begin(rill_permit *permit)
{
    permit->giver = pthread_self();
    sem_init(&permit->given, 0, 0);
}

void rill_permit_give(rill_permit *permit)
{
    if (permit) sem_post(&permit->given);
}

void rill_permit_wait(rill_permit *permit)
{
    if (!permit || pthread_equal(permit->giver, pthread_self())) return;
    const id_t thread = (id_t)syscall(SYS_gettid); /* Linux has nice values of threads */
    (void)setpriority(PRIO_PROCESS, thread, getpriority(PRIO_PROCESS, thread) + NICER);
    while (sem_wait(&permit->given) != 0) continue; /* a signal came in between */
}

void rill_permit_end(rill_permit *permit) { sem_destroy(&permit->given); }
