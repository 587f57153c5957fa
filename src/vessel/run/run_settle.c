/* SPDX-License-Identifier: Apache-2.0 */
/* Windkessels of a run, from cycle to cycle. */
#include "vessel/run/run_priv.h"

#include "core/status.h"
#include "sim/sim.h"
#include "vessel/plan/plan.h"

#include <math.h>
#include <string.h>

/* Of the range of pressures: cycles that begin closer to each other teach nothing, as what the soft start
 * left behind changes p_c by about a tenth of it. */
#define NOISE 1e-3

/* What Windkessels store now, Pa: [settle.count]. */
static rill_status stored_take(rill_run_loop *loop, double *stored)
{
    rill_status status = RILL_OK;
    rill_vessel *v = loop->vessel;
    for (int k = 0; k < loop->settle.count; k++) {
        RILL_TRY(rill_sim_patch_stored(v->sim, v->patches[loop->settle.opening[k]], &stored[k]));
        stored[k] = v->plan.scales.base + v->plan.scales.pressure * stored[k];
    }
done:
    return status;
}

/* A rill_settle_cycle of a loop. */
static void cycle_row(const void *context, uint64_t k, const double **begin, const double **end)
{
    const rill_run_loop *loop = context;
    const double *row = rill_record_row(&loop->settled, k);
    *begin = row + 2;
    *end = row + 2 + loop->settle.count;
}

/* What is missing from the state that the last cycle began with to the periodic one, Pa: [settle.count]. */
static rill_status missing_find(rill_run_loop *loop, double *missing)
{
    return rill_settle_missing(&loop->settle, loop->settled.count, cycle_row, loop, NOISE * loop->state.range,
                               missing);
}

static double largest(const double *values, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
    return most;
}

rill_status rill_run_missing(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const int count = loop->settle.count;
    rill_run_state *s = &loop->state;
    double missing[RILL_OPENINGS];
    s->missing = 0;
    if (count == 0 || s->steps - loop->rhythm.cycle < loop->vessel->plan.start.soft) return RILL_OK;
    double *row = rill_record_append(&loop->settled, s->steps, rill_observers_time(&loop->observers));
    if (!row) return rill_fail(RILL_SYSTEM, "out of memory for a series");
    memcpy(row + 2, s->stored, (size_t)count * sizeof *row);
    RILL_TRY(stored_take(loop, row + 2 + count));
    RILL_TRY(missing_find(loop, missing));
    s->missing = largest(missing, count);
done:
    return status;
}

/* Put Windkessels into the state that the last cycle should have begun with. */
static rill_status correct(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    rill_vessel *v = loop->vessel;
    const rill_scales *s = &v->plan.scales;
    double missing[RILL_OPENINGS];
    RILL_TRY(missing_find(loop, missing));
    for (int k = 0; k < loop->settle.count; k++) {
        const double stored = loop->state.stored[k] + missing[k];
        RILL_TRY(rill_sim_patch_store(v->sim, v->patches[loop->settle.opening[k]],
                                      (stored - s->base) / s->pressure));
    }
    loop->state.corrections++;
    loop->state.undisturbed = 0;
done:
    return status;
}

void rill_run_widen(rill_run_loop *loop)
{
    if (loop->state.stored_low > loop->state.stored_high) return; /* before the first cycle */
    rill_case_plan_guard_widen(&loop->vessel->plan, loop->state.stored_low);
    rill_case_plan_guard_widen(&loop->vessel->plan, loop->state.stored_high);
}

rill_status rill_run_settle(rill_run_loop *loop)
{
    rill_status status = RILL_OK;
    const rill_case *c = loop->vessel->given;
    rill_run_state *s = &loop->state;
    if (loop->settle.count == 0 || s->settled_at == s->steps) return RILL_OK;
    if (c->run.start == RILL_CASE_PERIODIC && loop->settled.count > 0 &&
        s->missing > c->run.tolerance * s->range)
        RILL_TRY(correct(loop));
    RILL_TRY(stored_take(loop, s->stored));
    s->settled_at = s->steps;
    for (int k = 0; k < loop->settle.count; k++) {
        s->stored_low = fmin(s->stored_low, s->stored[k]);
        s->stored_high = fmax(s->stored_high, s->stored[k]);
    }
    rill_run_widen(loop);
done:
    return status;
}
