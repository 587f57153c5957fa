/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the runs of a prepared sample: numbers its nodes, and counts the memory. */
#include "core/log.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "domain/domain.h"
#include "geometry/voxels/axes.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "permeability/numbered.h"
#include "permeability/plan_memory.h"
#include "permeability/tensor.h"
#include "sim/several_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_status memory_plan(const rill_domain *domain, const rill_permeability_options *o,
                               bool mean_speeds, rill_permeability_plan *plan, rill_plan_sizes *sizes)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    RILL_TRY(rill_device_take(o->on.device, o->on.backend, &device));
    RILL_TRY(rill_plan_sizes_take(domain, o, plan, device, sizes));
    plan->ghosts = sizes->links.ghosts;
    plan->mean_speeds = mean_speeds;
    const rill_plan_memory memory = rill_plan_memory_count(sizes, o, plan);
    rill_log(
        RILL_LOG_DEBUG,
        "plan: host: standing %llu, building %llu, starting %llu, cycling %llu, ending %llu; "
        "of these numbers %llu, chambers of nodes %llu, distances %llu, copy %llu, coarser grid %llu; %u chambers",
        (unsigned long long)memory.standing, (unsigned long long)memory.building,
        (unsigned long long)memory.starting, (unsigned long long)memory.cycling,
        (unsigned long long)memory.ending, (unsigned long long)sizes->numbers,
        (unsigned long long)sizes->labels, (unsigned long long)sizes->distances,
        (unsigned long long)sizes->copy, (unsigned long long)sizes->coarser, plan->chambers);
    plan->resources.host_bytes = memory.host;
    plan->resources.device_bytes = memory.device;
    plan->resources.device_free = 0;
    if (!device->backend->host) RILL_TRY(rill_device_available(device, &plan->resources.device_free));
    RILL_TRY(rill_resources_divide(
        domain,
        (rill_several_given){.variant = rill_variant_normal(o->variant),
                             .on = o->on,
                             .load = RILL_LOAD_WALLS,
                             .held = device->backend->host ? memory.sim : memory.device},
        &plan->resources));
done:
    rill_device_leave(o->on.device, device);
    return status;
}

static int first_driven(const rill_geom *geom, const rill_permeability_options *o)
{
    return rill_axes_first(rill_tensor_driven(&geom->porosity, o->axis));
}

/* Number what the first run steps: the sample, or what reservoirs make of it. */
static rill_status number(const rill_geom *geom, const rill_permeability_options *o, rill_plan_basis *basis)
{
    rill_status status = RILL_OK;
    basis->numbered = calloc(1, sizeof *basis->numbered);
    if (!basis->numbered) return rill_fail(RILL_SYSTEM, "out of memory for a plan");
    RILL_TRY(rill_memory_available(&basis->host_free));
    RILL_TRY(rill_numbered_create(geom, o, first_driven(geom, o), o->progress, NULL, basis->numbered));
    if (!basis->numbered->between.geom) {
        basis->numbered->counted = basis->counted;
        basis->counted = (rill_network){.edge = 0};
    }
done:
    return status;
}

/* Count the memory of all runs. */
static rill_status numbered_plan(const rill_permeability_options *o, rill_permeability_plan *plan,
                                 rill_plan_sizes *sizes)
{
    rill_status status = RILL_OK;
    const rill_numbered *n = plan->numbered;
    plan->reservoirs = 2 * n->between.front;
    RILL_TRY(memory_plan(n->domain, o, true, plan, sizes));
    if (plan->resources.host_bytes > plan->resources.host_free ||
        plan->resources.device_bytes > plan->resources.device_free)
        RILL_TRY(memory_plan(n->domain, o, false, plan, sizes));
    plan->resources.host_bytes += rill_reservoirs_bytes(&n->between);
done:
    return status;
}

rill_status rill_plan_memory_again(const rill_permeability_options *o, rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_plan_sizes sizes;
    RILL_TRY(rill_memory_available(&plan->resources.host_free));
    RILL_TRY(numbered_plan(o, plan, &sizes));
done:
    free(plan->resources.part);
    plan->resources.part = NULL;
    return status;
}

/* Pore voxels that are no nodes. */
static uint64_t dropped(const rill_geom *geom, uint64_t nodes)
{
    const double pores = geom->porosity.total * (double)rill_geom_sample(geom);
    return pores > (double)nodes ? (uint64_t)llround(pores) - nodes : 0;
}

rill_permeability_plan rill_plan_copy(const rill_permeability_plan *plan)
{
    rill_permeability_plan copy = *plan;
    copy.resources.part = NULL;
    copy.notes = NULL;
    return copy;
}

rill_status rill_permeability_plan_make(const rill_geom *geom, const rill_permeability_options *o,
                                        rill_permeability_plan *plan)
{
    rill_plan_sizes sizes;
    rill_progress_watch watch;
    const rill_permeability_options resolved = rill_plan_resolve(geom, o);
    rill_progress_watch_begin(&watch, geom->planes ? (rill_progress){NULL, NULL} : o->progress,
                              o->progress_seconds, "planning the flow");
    rill_status status = rill_plan_make_sized(geom, &resolved, plan, &sizes);
    if (status == RILL_OK && watch.cancelled) { /* a measurement that a plan may lack */
        status = rill_progress_poll();
        rill_permeability_plan_free(plan);
    }
    rill_progress_watch_end(&watch);
    return status;
}

/* The sample not walled at its ends, and with twice its length as the longest wave. */
static rill_geom opened(const rill_geom *geom, const rill_permeability_options *o)
{
    rill_geom open = *geom;
    if (o->drive == RILL_DRIVE_PRESSURE) open.sides[o->axis] = RILL_MIRROR;
    return open;
}

/* One device numbers its nodes in 32 bits; several have more together. */
static bool fits(uint64_t nodes, const rill_permeability_options *o)
{
    return nodes > 0 && (nodes < UINT32_MAX || o->on.count > 1);
}

/* Refuse what numbers all nodes in 32 bits where there are more. */
static rill_status large_check(uint64_t nodes, const rill_permeability_options *o)
{
    const char *what = o->drive == RILL_DRIVE_PRESSURE         ? "a drop of pressure"
                       : o->finished || o->finished_pieces     ? "fields of the flow"
                       : o->sensitivity                        ? "the sensitivity to walls"
                       : o->wall_room                          ? "the room at walls"
                       : o->variant.equilibrium != RILL_STOKES ? "a flow with inertia"
                                                               : NULL;
    if (!fits(nodes, o))
        return rill_fail(
            RILL_USAGE,
            "%llu fluid nodes are more than the 4294967294 that one device numbers: give several, or crop the image",
            (unsigned long long)nodes);
    return nodes >= UINT32_MAX && what
               ? rill_fail(RILL_USAGE,
                           "%llu fluid nodes are more than the 4294967294 for %s: leave it out, or crop",
                           (unsigned long long)nodes, what)
               : RILL_OK;
}

static bool steps_alone(const rill_permeability_options *o)
{
    return o->acceleration == RILL_ACCELERATION_NONE || !rill_plan_network_serves(o);
}

/* Measure the flow along every axis that conducts: what 16 bits resolve must hold along all that are asked
 * for, and what they round off a flow moves it across these axes, too, the more, the better they conduct. */
static rill_status flows_measure(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_plan_basis *basis)
{
    rill_status status = RILL_OK;
    rill_numbered own = {.domain = NULL};
    const rill_numbered *numbered = basis->numbered;
    rill_pore_measure *m = &basis->measure;
    for (int a = 0; a < 3; a++) {
        rill_pore_measure along = *m;
        if (!(geom->porosity.percolating[a] > 0)) continue;
        if (a != first_driven(geom, o)) {
            if (!rill_numbered_serves(numbered, a))
                RILL_TRY(rill_numbered_create(geom, o, a, o->progress, numbered, &own));
            RILL_TRY(rill_plan_flow_measure(own.domain ? own.domain : numbered->domain, a,
                                            rill_plan_magic_before(o), false, &numbered->counted, &along));
            rill_numbered_destroy(&own);
        }
        m->along[a] = (rill_pore_flow){rill_plan_k_guess(&along), along.squares, along.speed, along.still,
                                       along.conducts};
    }
done:
    rill_numbered_destroy(&own);
    return status;
}

rill_status rill_plan_basis_take(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_plan_basis *basis)
{
    rill_status status = RILL_OK;
    const rill_components known = {.porosity = geom->porosity};
    const rill_geom open = opened(geom, o);
    *basis = (rill_plan_basis){.numbered = NULL};
    RILL_TRY(rill_plan_check_sample(geom, o));
    RILL_TRY(rill_plan_check_conducting(geom, o, &known));
    RILL_TRY(rill_pore_measure_take(&open, o->variant.lattice, o->axis, &basis->counted, &basis->measure));
    if (!fits(basis->measure.voxels, o)) goto done;
    RILL_TRY(number(geom, o, basis));
    if (basis->numbered->between.geom) goto done;
    RILL_TRY(rill_plan_flow_measure(basis->numbered->domain, first_driven(geom, o), rill_plan_magic_before(o),
                                    steps_alone(o), &basis->numbered->counted, &basis->measure));
    if (rill_storage_size((int)o->variant.storage) == 2) RILL_TRY(flows_measure(geom, o, basis));
done:
    rill_network_destroy(&basis->counted);
    if (status != RILL_OK) rill_plan_basis_free(basis);
    return status;
}

static void numbered_free(rill_numbered *numbered)
{
    if (numbered) rill_numbered_destroy(numbered);
    free(numbered);
}

void rill_plan_basis_hurry(const rill_permeability_options *o, rill_plan_basis *basis)
{
    if (o->acceleration != RILL_ACCELERATION_NONE && basis->numbered)
        rill_numbered_chambers_begin(basis->numbered);
}

void rill_plan_basis_free(rill_plan_basis *basis)
{
    numbered_free(basis->numbered);
    basis->numbered = NULL;
}

/* Round to two digits. */
static double two_digits(double value)
{
    const double unit = value > 0 ? pow(10, floor(log10(value)) - 1) : 1;
    return round(value / unit) * unit;
}

/* Note what pressures cost against a body force in the same pores. */
static rill_status drive_note(const rill_geom *open, const rill_pore_measure *m,
                              const rill_permeability_options *o, rill_permeability_plan *plan)
{
    rill_permeability_options force = *o;
    rill_permeability_plan other = rill_plan_copy(plan);
    force.drive = RILL_DRIVE_FORCE;
    if (o->drive != RILL_DRIVE_PRESSURE || rill_plan_choose(open, m, &force, &other) != RILL_OK)
        return RILL_OK;
    const double steps = rill_plan_steps_likely(o, plan), fewer = rill_plan_steps_likely(&force, &other);
    const double nodes = (double)plan->nodes, all = nodes + (double)plan->reservoirs;
    if (fewer * nodes >= steps * all) return RILL_OK;
    return rill_note(
        &plan->notes,
        "no pore network corrects pressures between reservoirs: expect about %.0f steps of %.0f nodes; "
        "if a body force is applicable, --drive force takes about %.0f of %.0f, %.0f times less work",
        two_digits(steps), all, two_digits(fewer), nodes, two_digits(steps * all / (fewer * nodes)));
}

/* Note what a collision or equilibrium costs whose pressures no network corrects, against the default. */
#define NOTED_TIMES 10
static rill_status collision_note(const rill_geom *geom, const rill_pore_measure *m,
                                  const rill_permeability_options *o, rill_permeability_plan *plan)
{
    rill_permeability_options linear = *o;
    rill_permeability_plan other = rill_plan_copy(plan);
    linear.variant.collision = RILL_TRT;
    linear.variant.equilibrium = RILL_STOKES;
    if (o->drive != RILL_DRIVE_FORCE || rill_plan_network_serves(o) || !rill_plan_network_serves(&linear) ||
        rill_plan_choose(geom, m, &linear, &other) != RILL_OK)
        return RILL_OK;
    const double steps = rill_plan_steps_likely(o, plan), fewer = rill_plan_steps_likely(&linear, &other);
    if (steps < NOTED_TIMES * fewer) return RILL_OK;
    return rill_note(
        &plan->notes,
        "no pore network corrects pressures with this collision or equilibrium: expect about %.0f steps; "
        "trt with the stokes equilibrium, the default, takes about %.0f",
        two_digits(steps), two_digits(fewer));
}

rill_status rill_plan_make_on(const rill_geom *geom, const rill_permeability_options *o,
                              rill_plan_basis *basis, rill_permeability_plan *plan, rill_plan_sizes *sizes)
{
    rill_status status = RILL_OK;
    const rill_geom open = opened(geom, o);
    memset(plan, 0, sizeof *plan);
    plan->porosity = geom->porosity;
    RILL_TRY(rill_plan_choose(&open, &basis->measure, o, plan));
    rill_log(RILL_LOG_DEBUG,
             "plan: k about %.3g, of the pore network %.3g with pressures of %.3g; widths %g and %g; "
             "pressures settle in %.3g steps, a part of %.3g, momentum in %.3g; k begins %.3g too large",
             plan->k_expected, plan->pores.conducts, sqrt(plan->pores.squares), plan->pores.opening,
             plan->pores.narrow, 3 * plan->nu * plan->pores.slowest, plan->pores.slowest_part,
             plan->momentum / plan->nu, plan->pores.excess);
    RILL_TRY(rill_plan_notes(geom, o, &plan->notes));
    plan->dropped = dropped(geom, plan->nodes);
    RILL_TRY(large_check(plan->nodes, o));
    plan->numbered = basis->numbered;
    plan->resources.host_free = basis->host_free;
    basis->numbered = NULL;
    if (!rill_plan_makes_network(plan, o)) rill_numbered_chambers_end(plan->numbered, false);
    const rill_permeability_options own = rill_plan_stored(o, plan->storage);
    RILL_TRY(numbered_plan(&own, plan, sizes));
    RILL_TRY(drive_note(&open, &basis->measure, o, plan));
    RILL_TRY(collision_note(&open, &basis->measure, o, plan));
done:
    if (status != RILL_OK) rill_permeability_plan_free(plan);
    return status;
}

rill_status rill_plan_make_sized(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_permeability_plan *plan, rill_plan_sizes *sizes)
{
    rill_status status = RILL_OK;
    rill_plan_basis basis = {.numbered = NULL};
    memset(plan, 0, sizeof *plan);
    RILL_TRY(rill_plan_basis_take(geom, o, &basis));
    RILL_TRY(rill_plan_make_on(geom, o, &basis, plan, sizes));
done:
    rill_plan_basis_free(&basis);
    return status;
}

void rill_permeability_plan_free(rill_permeability_plan *plan)
{
    numbered_free(plan->numbered);
    free(plan->resources.part);
    free(plan->notes);
    plan->notes = NULL;
    plan->numbered = NULL;
    plan->resources.part = NULL;
}
