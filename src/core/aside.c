/* SPDX-License-Identifier: Apache-2.0 */
#include "core/aside.h"

#include "core/progress.h"

#include <omp.h>
#include <stdio.h>

static void work_on(rill_aside *aside)
{
    aside->status = aside->work(aside->context);
    if (aside->status != RILL_OK) snprintf(aside->message, sizeof aside->message, "%s", rill_error_message());
}

static void *work_threaded(void *of)
{
    rill_aside *aside = of;
    omp_set_num_threads(aside->threads);
    work_on(aside);
    return NULL;
}

/* Begin to work. @return false where the system grants no thread: then nothing was begun */
static bool try_begin(rill_aside *aside, rill_status (*work)(void *context), void *context)
{
    *aside = (rill_aside){.work = work, .context = context, .threads = omp_get_max_threads()};
    aside->threaded = pthread_create(&aside->thread, NULL, work_threaded, aside) == 0;
    return aside->threaded;
}

void rill_aside_begin(rill_aside *aside, rill_status (*work)(void *context), void *context)
{
    if (!try_begin(aside, work, context)) work_on(aside);
}

void rill_aside_drop(rill_aside *aside)
{
    if (aside->threaded) pthread_join(aside->thread, NULL);
    aside->threaded = false;
    aside->status = RILL_OK;
}

/* Wait for the thread to end. @return RILL_CANCELLED where the work that waits is cancelled; it is there
 * still */
static rill_status wait_for(rill_aside *aside)
{
    enum { MILLISECONDS = 100 };
    rill_status status = RILL_OK;
    for (bool ended = !aside->threaded; !ended;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += MILLISECONDS * 1000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        ended = pthread_timedjoin_np(aside->thread, NULL, &until) == 0;
        if (!ended && (status = rill_progress_poll()) != RILL_OK) return status;
    }
    return status;
}

rill_status rill_aside_end(rill_aside *aside)
{
    const rill_status waited = wait_for(aside);
    if (waited != RILL_OK) return waited;
    const rill_status status = aside->status;
    aside->threaded = false;
    rill_aside_drop(aside);
    return status == RILL_OK ? RILL_OK : rill_fail(status, "%s", aside->message);
}
