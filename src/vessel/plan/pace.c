/* SPDX-License-Identifier: Apache-2.0 */
/* How fast a vessel is stepped here. What is done between steps is left out: it is a few per cent. */
#include "vessel/plan/plan.h"
#include "vessel/run/transport.h"

#include "core/clock.h"
#include "sim/several.h"
#include "sim/sim.h"

#include <math.h>

/*
 * Vessels of up to so many nodes are set up and stepped themselves, which takes about half a second per
 * million: in small ones walls and openings take longer than nodes, how long depends on the vessel.
 */
#define OWN_NODES 4e6

/*
 * Larger ones are estimated from a box without walls. On CPU cores a node of a vessel takes 0.93 times as
 * long as one of the box, a wall link 1.9 times, a link through an opening 11 times: that fits vessels of 3e4
 * to 7e6 nodes, stepped on two cores with TRT and cumulants, within a quarter. On a GPU vessels make 79 to 88
 * % of the step without walls and openings (docs/performance.md), with quadratic walls 59 to 64 % of an aorta
 * of 4.1e6 nodes without its openings and, by a former rule that reads as many populations, 70 to 81 % of one
 * of 13.7e6 (docs/wall-shear.md).
 */
static double part_of_box(const rill_case *given, const rill_case_plan *plan, bool host)
{
    const double gpu = given->walls == RILL_WALLS_QUADRATIC ? 0.7 : 0.85;
    const double nodes = (double)plan->nodes;
    return host ? nodes / (0.93 * nodes + 1.9 * (double)plan->wall_links + 11 * (double)plan->opening_links)
                : gpu;
}

/* Return the nodes that the slowest part is worth. */
static uint64_t largest_of(const rill_case_plan *plan)
{
    double most = 1;
    for (int k = 0; k < plan->resources.parts; k++) most = fmax(most, plan->resources.part[k].cost);
    return (uint64_t)(most * (double)plan->nodes / plan->resources.parts);
}

static rill_status step_box(const rill_case *given, bool host, rill_case_plan *plan)
{
    rill_sim_options o = plan->options;
    if (!(o.tau > 0.5)) o.tau = 0.6; /* the verdict reports it; speed does not depend on it */
    const int devices = plan->resources.parts > 1
                            ? plan->resources.parts / rill_devices_alike(o.on.list, plan->resources.parts)
                            : 1;
    o.on.count = 0;
    rill_speed speed;
    const rill_status status = rill_sim_speed(&o, host ? 128 : 160, RILL_SPEED_SECONDS, &speed);
    if (status != RILL_OK) return status;
    plan->speed.mlups_one = speed.mlups * part_of_box(given, plan, host) * rill_transport_pace(plan);
    plan->speed.mlups = plan->speed.mlups_one * devices;
    if (devices > 1)
        plan->speed.mlups *= rill_several_efficiency(&(rill_several_work){.nodes = plan->nodes,
                                                                          .largest = largest_of(plan),
                                                                          .count = devices,
                                                                          .mlups = plan->speed.mlups_one,
                                                                          .openings = true,
                                                                          .split = plan->resources.split});
    return RILL_OK;
}

/* Step for a fifth of a second; openings are recorded as in a run. */
static rill_status step_vessel(const rill_case *given, const rill_geom *geom, rill_case_plan *plan)
{
    enum { RECORD = 1024, AT_ONCE = 8 };
    rill_status status = RILL_OK;
    rill_vessel *vessel = NULL;
    uint64_t steps = 0;
    RILL_TRY(rill_vessel_create(given, geom, plan, &vessel));
    for (int k = 0; k < plan->opening_count; k++)
        RILL_TRY(rill_sim_patch_record(vessel->sim, vessel->patches[k], RECORD));
    RILL_TRY(rill_sim_step(vessel->sim, 2)); /* memory is touched, threads are there */
    const double start = rill_now();
    for (; steps < 2000 && rill_now() - start < 0.2; steps += AT_ONCE)
        RILL_TRY(rill_sim_step(vessel->sim, AT_ONCE));
    plan->speed.mlups = (double)plan->nodes * (double)steps / (rill_now() - start) * 1e-6;
done:
    rill_vessel_destroy(vessel);
    return status;
}

rill_status rill_case_pace(const rill_case *given, const rill_geom *geom, bool host, rill_case_plan *plan)
{
    bool runs = (double)plan->nodes <= OWN_NODES;
    for (int k = 0; k < plan->verdict_count; k++) runs = runs && !plan->verdicts[k].refuses;
    const rill_status status = runs ? step_vessel(given, geom, plan) : step_box(given, host, plan);
    if (status != RILL_OK) return status;
    plan->speed.measured = true;
    plan->speed.seconds_cycle = (double)plan->nodes * (double)plan->cycle_steps / plan->speed.mlups * 1e-6;
    plan->speed.seconds = (double)plan->nodes * (double)plan->steps / plan->speed.mlups * 1e-6;
    return RILL_OK;
}
