/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the speed that the plan of a permeability states its time by. */
#include "permeability/plan.h"

#include "core/status.h"
#include "core/threads.h"
#include "device/device.h"
#include "kernel/variant.h"
#include "permeability/numbered.h"

#include <math.h>

/* The edge of a box of fluid, at most, that is stepped on a GPU to measure the speed; on processors, nodes of
 * the sample for each thread: a quarter of them within these limits, as large samples lie farther from the
 * processors, and at most in all. */
enum { SPEED_EDGE = 96, SPEED_EDGE_LEAST = 8 };
/* Seconds of steps, which the run waits for. */
#define SPEED_SECONDS_GPU 0.004
#define SPEED_SECONDS 0.03
enum { SPEED_NODES_THREAD = 150000, SPEED_NODES_THREAD_MOST = 600000, SPEED_NODES = 4000000 };

/* What is timed has no more nodes than the run, so that it takes no more memory; where even that has no room,
 * the speed is unknown. */
rill_status rill_plan_speed_measure(const rill_permeability_options *o, const rill_permeability_plan *plan,
                                    rill_speed *speed)
{
    rill_status status = RILL_OK;
    rill_sim_options options = rill_sim_options_default();
    const double edge = floor(cbrt((double)(plan->nodes + plan->reservoirs)));
    const double quarter = 0.25 * (double)plan->nodes / rill_threads();
    const double each = fmin(fmax(quarter, SPEED_NODES_THREAD), SPEED_NODES_THREAD_MOST);
    const uint64_t most = (uint64_t)(rill_threads() * each);
    options.variant = o->variant;
    options.variant.storage = plan->storage;
    if (plan->tau > 0) options.tau = plan->tau; /* one scheme runs at its own tau alone */
    options.magic = o->magic;
    options.backend = o->backend;
    options.device = o->device;
    const double seconds = o->device->backend->processor ? SPEED_SECONDS : SPEED_SECONDS_GPU;
    *speed = (rill_speed){.mlups = 0};
    if (o->device->backend->host && plan->numbered && plan->numbered->domain)
        status = rill_sim_speed_within(plan->numbered->domain, &options,
                                       most < SPEED_NODES ? most : SPEED_NODES, seconds, speed);
    if (status == RILL_OK && speed->mlups == 0)
        status = rill_sim_speed(&options, (uint32_t)fmin(fmax(edge, SPEED_EDGE_LEAST), SPEED_EDGE), seconds,
                                speed);
    if (status != RILL_SYSTEM) return status;
    *speed = (rill_speed){.mlups = 0};
    return RILL_OK;
}

/* Step a few nodes in the other number format of an error bar: the memory that the process has then, from
 * which its peak is foreseen, includes the kernels. */
rill_status rill_plan_speed_load_others(const rill_permeability_options *o, const rill_error_bar_plan *bar)
{
    rill_permeability_plan few = {.nodes = 1};
    rill_permeability_options other = *o;
    rill_speed ignored;
    for (int k = 0; k < bar->part_count; k++)
        if (!rill_variant_equal(bar->parts[k].variant, o->variant)) {
            other.variant = bar->parts[k].variant;
            few.storage = other.variant.storage;
            return rill_plan_speed_measure(&other, &few, &ignored);
        }
    return RILL_OK;
}
