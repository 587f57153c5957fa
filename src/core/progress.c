/* SPDX-License-Identifier: Apache-2.0 */
#include "core/progress.h"
#include "core/clock.h"
#include "core/status.h"

#include <omp.h>

rill_progress_moment rill_progress_moment_of(const char *what, double fraction, const char *detail)
{
    return (rill_progress_moment){
        .what = what, .detail = detail, .fraction = fraction, .seconds_left = -1, .part = -1};
}

static bool goes_on(rill_progress progress, const char *what, double fraction, const char *detail)
{
    const rill_progress_moment moment = rill_progress_moment_of(what, fraction, detail);
    return !progress.fn || progress.fn(progress.context, &moment);
}

static rill_status cancelled(const char *what) { return rill_fail(RILL_CANCELLED, "cancelled: %s", what); }

rill_status rill_progress_report(rill_progress progress, const char *what, double fraction)
{
    return rill_progress_detail(progress, what, fraction, "");
}

rill_status rill_progress_detail(rill_progress progress, const char *what, double fraction,
                                 const char *detail)
{
    return goes_on(progress, what, fraction, detail) ? RILL_OK : cancelled(what);
}

bool rill_progress_loop_on(rill_progress_loop *loop, uint64_t done, uint64_t count, uint64_t stride)
{
    bool stop;
#pragma omp atomic read
    stop = loop->cancelled;
    if (stop) return false;
    if (!loop->progress.fn || omp_get_thread_num() != 0 || done % stride != 0) return true;
    if (goes_on(loop->progress, loop->what, (double)done / (double)count, "")) return true;
#pragma omp atomic write
    loop->cancelled = true;
    return false;
}

rill_status rill_progress_loop_end(const rill_progress_loop *loop)
{
    return loop->cancelled ? cancelled(loop->what) : RILL_OK;
}

static _Thread_local rill_progress_watch *here;

void rill_progress_watch_begin(rill_progress_watch *watch, rill_progress progress, double seconds,
                               const char *what)
{
    *watch = (rill_progress_watch){
        .progress = progress, .what = what, .seconds = seconds, .called = rill_now(), .outer = here};
    if (!progress.fn) return;
    watch->begun = true;
    here = watch;
}

void rill_progress_watch_end(rill_progress_watch *watch)
{
    if (watch->begun) here = watch->outer;
    watch->begun = false;
}

rill_progress_watch *rill_progress_here(void) { return here; }

/* Call the callback where it is due. */
static bool call(rill_progress_watch *watch)
{
    const double now = rill_now();
    if (now - watch->called < watch->seconds) return true;
    watch->called = now;
    if (goes_on(watch->progress, watch->what, -1, "")) return true;
#pragma omp atomic write
    watch->cancelled = true;
    return false;
}

rill_status rill_progress_poll(void)
{
    if (!here || (!here->cancelled && call(here))) return RILL_OK;
    return cancelled(here->what);
}

bool rill_progress_goes_on(rill_progress_watch *watch)
{
    bool stop;
    if (!watch) return true;
#pragma omp atomic read
    stop = watch->cancelled;
    return !stop && (watch != here || call(watch));
}
