/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the speed that the plan of a permeability states its time by. */
#include "permeability/plan.h"

#include "core/status.h"
#include "core/threads.h"
#include "device/device.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "permeability/numbered.h"

#include <math.h>
#include <unistd.h>

/* The edge of a box of fluid, at most, that is stepped on a GPU to measure the speed; on processors, nodes of
 * the sample for each thread: a quarter of them within these limits, but what the caches do not hold, and at
 * most in all. */
enum { SPEED_EDGE = 96, SPEED_EDGE_LEAST = 8 };
/* Seconds of steps, which the run waits for. */
#define SPEED_SECONDS_GPU 0.004
#define SPEED_SECONDS 0.03
enum { SPEED_NODES_THREAD = 150000, SPEED_NODES_THREAD_MOST = 600000, SPEED_NODES = 4000000 };
/* Populations of so many times the last cache: each thread may have one of its own that is not seen here. */
#define SPEED_CACHES 2.0

uint64_t rill_plan_speed_nodes(uint64_t nodes, uint64_t node_bytes, uint64_t cache, int threads)
{
    const double beyond = SPEED_CACHES * (double)cache / (double)node_bytes / threads;
    const double each = fmax(fmax(0.25 * (double)nodes / threads, SPEED_NODES_THREAD), beyond);
    return (uint64_t)fmin(threads * fmin(each, SPEED_NODES_THREAD_MOST), SPEED_NODES);
}

/* Return the nodes of a sample that are stepped to measure the speed. */
static uint64_t nodes_timed(const rill_permeability_options *o, const rill_permeability_plan *plan)
{
    const uint64_t node = (uint64_t)rill_q((int)o->variant.lattice) * rill_storage_size((int)plan->storage);
    long cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
    cache = sysconf(_SC_LEVEL3_CACHE_SIZE); /* 0 or -1 where the system does not say */
#endif
    return rill_plan_speed_nodes(plan->nodes, node, cache > 0 ? (uint64_t)cache : 0, rill_threads());
}

/* What is timed has no more nodes than the run, so that it takes no more memory; where even that has no room,
 * the speed is unknown. */
rill_status rill_plan_speed_measure(const rill_permeability_options *o, const rill_permeability_plan *plan,
                                    rill_speed *speed)
{
    rill_status status = RILL_OK;
    rill_sim_options options = rill_sim_options_default();
    const double edge = floor(cbrt((double)(plan->nodes + plan->reservoirs)));
    options.variant = o->variant;
    options.variant.storage = plan->storage;
    if (plan->tau > 0) options.tau = plan->tau; /* one scheme runs at its own tau alone */
    options.magic = o->magic;
    options.on.backend = o->on.backend;
    options.on.device = o->on.device;
    const double seconds = o->on.device->backend->traits.processor ? SPEED_SECONDS : SPEED_SECONDS_GPU;
    *speed = (rill_speed){.mlups = 0};
    if (o->on.device->backend->host && plan->numbered && plan->numbered->domain)
        status =
            rill_sim_speed_within(plan->numbered->domain, &options, nodes_timed(o, plan), seconds, speed);
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
