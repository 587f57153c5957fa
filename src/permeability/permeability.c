/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The permeability of a geometry: one Stokes run per axis, driven by a body force or, along one axis, by
 * pressures at reservoirs, followed until the
 * estimated final value is known well enough. Prints nothing and writes no file.
 */
#include "core/clock.h"
#include "core/log.h"
#include "core/memory.h"
#include "kernel/storage.h"
#include "core/status.h"
#include "geometry/voxels/components.h"
#include "network/network.h"
#include "permeability/mixing.h"
#include "permeability/plan.h"
#include "permeability/pressures.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Largest numbers that count as Stokes flow; k is then off by Re^2 and Ma^2 times a number of order one. */
#define REYNOLDS_MAX 0.1
#define MACH_MAX 0.05
rill_permeability_options rill_permeability_options_default(void)
{
    return (rill_permeability_options){.variant = rill_variant_default(),
                                       .backend = RILL_BACKEND_AUTO,
                                       .axis = 2,
                                       .reservoir = 16,
                                       .magic = 3.0 / 16.0,
                                       .tolerance = 1e-3,
                                       .max_steps = 1000000,
                                       .progress_seconds = 0.2};
}

/* Porosities that the geometry came with stay: they were counted before anything was dropped. */
static void porosity_fill(rill_porosity *known, const rill_porosity *found)
{
    if (known->total < 0) known->total = found->total;
    if (known->connected < 0) known->connected = found->connected;
    for (int a = 0; a < 3; a++)
        if (known->percolating[a] < 0) known->percolating[a] = found->percolating[a];
}

/* Label and drop, unless all is to stay and what percolates is known already. */
static rill_status clean(rill_geom *geom, const rill_permeability_options *o, rill_components *found)
{
    const rill_porosity *known = &geom->porosity;
    *found = (rill_components){.porosity = *known};
    if (o->keep_all && known->total >= 0 && known->percolating[0] >= 0 && known->percolating[1] >= 0 &&
        known->percolating[2] >= 0)
        return RILL_OK;
    const rill_status status = rill_components_clean(
        geom, o->keep_all ? RILL_KEEP_ALL : RILL_KEEP_PERCOLATING, o->axis, o->progress, found);
    if (status == RILL_OK) porosity_fill(&geom->porosity, &found->porosity);
    return status;
}

/* Refuse an axis along which nothing conducts, as the geometry stands now. */
static rill_status conducting_check(const rill_geom *geom, int axis, const rill_components *found)
{
    for (int a = 0; a < 3; a++) {
        if ((axis >= 0 && a != axis) || found->porosity.percolating[a] > 0) continue;
        if (found->porosity.total == 0)
            return rill_fail(RILL_USAGE, "the geometry has no pore voxel: check which grey values are pore");
        return rill_fail(RILL_NUMERICS,
                         "nothing percolates along %c (%s sides): of a porosity of %.5g, 0 conducts, so the "
                         "permeability is 0; choose another axis%s",
                         rill_axis(a), geom->sides[a] == RILL_PERIODIC ? "periodic" : "mirrored or walled",
                         found->porosity.total,
                         geom->sides[a] == RILL_PERIODIC && found->spanning[a] > 0
                             ? ", or mirror the sides (--sides mirror): pores do span the box"
                             : "");
    }
    return RILL_OK;
}

/* How many of the devices are the one that is listed most often. */
static int most_alike(const rill_permeability_options *o)
{
    int most = 1;
    for (int k = 0; k < o->device_count; k++) {
        int alike = 0;
        for (int j = 0; j < o->device_count; j++) alike += o->devices[j] == o->devices[k];
        if (alike > most) most = alike;
    }
    return most;
}

/* What changes with several devices: each holds its part and up to three planes more, and the host a copy of
 * voxels and numbers. */
static void parts_plan(const rill_geom *geom, const rill_permeability_options *o,
                       const rill_numbering *numbering, rill_permeability_plan *plan)
{
    plan->parts = o->device_count > 1 ? o->device_count : 1;
    plan->part_nodes = numbering->nodes;
    plan->part_bytes = 0;
    if (plan->parts == 1) return;
    uint64_t largest = 0;
    for (uint32_t z = 0; z < geom->n[2]; z++) {
        const uint64_t nodes =
            rill_numbering_before_plane(numbering, z + 1) - rill_numbering_before_plane(numbering, z);
        if (nodes > largest) largest = nodes;
    }
    const uint64_t crossing = o->variant.lattice == RILL_D3Q27 ? 9 : 5; /* links of a node through a plane */
    const uint64_t size = rill_storage_size((int)rill_variant_normal(o->variant).storage);
    plan->part_nodes = (numbering->nodes / (uint64_t)plan->parts + RILL_CHUNK) / RILL_CHUNK * RILL_CHUNK;
    plan->part_bytes = 2 * crossing * largest * size;
    const double share = (double)(plan->part_nodes + 3 * largest) / (double)numbering->nodes;
    const double links = (double)(2 * crossing * largest) * (2 * sizeof(rill_cut_link) + 3.0 * (double)size);
    const bool host = plan->device_bytes == 0;
    if (!host) plan->device_bytes = (uint64_t)(most_alike(o) * (share * (double)plan->device_bytes + links));
    plan->host_bytes += rill_geom_voxels(geom) + rill_numbering_bytes(geom) +
                        (uint64_t)(plan->parts * links) +
                        (host ? (uint64_t)((share * plan->parts - 1) * (double)plan->host_bytes) : 0);
}

/* Host memory: the domain while it is built, then what a simulation adds, and the moments read at the end. */
static rill_status memory_plan(const rill_geom *geom, const rill_permeability_options *o,
                               rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    rill_numbering numbering = {.occupied = NULL};
    rill_links_size size;
    const rill_variant variant = rill_variant_normal(o->variant);
    RILL_TRY(rill_device_take(o->device, o->backend, &device));
    RILL_TRY(rill_memory_available(&plan->host_free));
    RILL_TRY(rill_memory_require(rill_numbering_bytes(geom), "the numbers of the fluid nodes"));
    RILL_TRY(rill_numbering_create(geom, &numbering));
    RILL_TRY(rill_links_measure(&numbering, variant, &size));
    const uint64_t numbers = rill_numbering_bytes(geom), sim = rill_sim_bytes(variant, &size);
    plan->ghosts = size.ghosts;
    const bool host = device->backend->host;
    /* Links, and their nodes with what is known of them, on the host; links for kernels. */
    const uint64_t links = geom->surface ? geom->surface->wall_count : 0;
    const uint64_t walls = links * (sizeof(rill_wall_cut) + sizeof(float) + 8);
    const uint64_t building = numbers * (size.ghosts ? 2 : 1) + (host ? size.bytes : 0);
    /* A drive by pressure starts from moments in double, and turns fields at the end. */
    const uint64_t moments = plan->reservoirs ? 4 * sizeof(double) * (plan->nodes + plan->reservoirs)
                                              : 4 * sizeof(float) * plan->nodes;
    const uint64_t mixing =
        plan->network || rill_plan_has_other(plan, o) ? rill_mixing_bytes(plan->chambers) : 0;
    const uint64_t network =
        plan->chambers ? rill_network_bytes(geom, plan->nodes, plan->chambers) + mixing : 0;
    const uint64_t labels = plan->chambers ? rill_sim_label_bytes(plan->nodes, plan->chambers) : 0;
    const bool fields =
        o->finished || o->drive == RILL_DRIVE_PRESSURE || o->variant.equilibrium != RILL_STOKES;
    const uint64_t running =
        numbers + (fields && moments > network ? moments : network) + walls + (host ? sim + labels : 0);
    plan->host_bytes = building > running ? building : running;
    plan->device_bytes = host ? 0 : sim + labels + links * (sizeof(rill_wall_cut) + sizeof(rill_node));
    plan->device_free = 0;
    parts_plan(geom, o, &numbering, plan);
    if (!host) RILL_TRY(rill_device_available(device, &plan->device_free));
done:
    rill_numbering_destroy(&numbering);
    rill_device_leave(o->device, device);
    return status;
}

/* Refuse before anything is allocated. */
static rill_status memory_check(const rill_permeability_options *o, const rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_device *device = NULL;
    RILL_TRY(rill_memory_require(plan->host_bytes, "the permeability run"));
    if (plan->device_bytes == 0) return RILL_OK;
    RILL_TRY(rill_device_take(o->device, o->backend, &device));
    RILL_TRY(rill_device_require(device, plan->device_bytes, "the permeability run"));
done:
    rill_device_leave(o->device, device);
    return status;
}

/* Refuse what no sides and no axis could make a sample: a layer of solid voxels is all around a vessel. Walls
 * that are known exactly are interpolated, where that can be done. */
static rill_status sample_check(const rill_geom *geom, const rill_permeability_options *o)
{
    if (!geom->surface) return RILL_OK;
    if (geom->surface->opening_count)
        return rill_fail(
            RILL_USAGE,
            "the geometry comes from a surface with %d opening%s and is no porous sample: its flow "
            "goes through openings, and has no permeability",
            geom->surface->opening_count, geom->surface->opening_count == 1 ? "" : "s");
    const char *lacks = o->drive == RILL_DRIVE_PRESSURE      ? "a body force (--drive force)"
                        : o->variant.bounce == RILL_FULL_WAY ? "half-way bounce-back"
                        : geom->sides[0] != RILL_PERIODIC || geom->sides[1] != RILL_PERIODIC ||
                                geom->sides[2] != RILL_PERIODIC
                            ? "periodic sides"
                            : NULL;
    if (!lacks) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the geometry says where its walls are on every link, and such walls need %s: choose that, or a "
        "geometry of voxels alone",
        lacks);
}

/* Refuse sides that a body force cannot drive through. */
static rill_status sides_check(const rill_geom *geom, const rill_permeability_options *o)
{
    if (o->variant.equilibrium != RILL_STOKES)
        for (int a = 0; a < 3; a++)
            if (geom->sides[a] == RILL_MIRROR && (o->axis == a || o->axis < 0))
                return rill_fail(RILL_USAGE,
                                 "mirrored sides along the flow (%c) need the stokes equilibrium, because "
                                 "behind the mirror the flow runs backwards: choose it, or mirror the image",
                                 rill_axis(a));
    for (int a = 0; a < 3; a++)
        if (geom->sides[a] == RILL_WALL && (o->axis == a || o->axis < 0))
            return rill_fail(
                RILL_USAGE,
                "walled sides normal to %c let no flow along it through: use --sides periodic or "
                "mirror there, or drive along another axis",
                rill_axis(a));
    return RILL_OK;
}

/* The faces of the sample are open to reservoirs: which pores conduct follows from them alone. */
static rill_status pressure_prepare(rill_geom *geom, const rill_permeability_options *o)
{
    if (o->axis > 2 || geom->sides[o->axis] == RILL_WALL) return RILL_OK;
    geom->sides[o->axis] = RILL_WALL;
    for (int a = 0; a < 3; a++) geom->porosity.percolating[a] = -1; /* to be found anew */
    return RILL_OK;
}

/* Memory for what will be simulated: the geometry, or what reservoirs make of it. */
static rill_status simulated_plan(const rill_geom *geom, const rill_permeability_options *o,
                                  rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_reservoirs between = {.geom = NULL};
    if (o->drive != RILL_DRIVE_PRESSURE) return memory_plan(geom, o, plan);
    RILL_TRY(rill_reservoirs_create(geom, o->axis, o->reservoir, &between));
    plan->reservoirs = 2 * between.front;
    RILL_TRY(memory_plan(between.geom, o, plan));
    plan->host_bytes += rill_geom_voxels(between.geom);
done:
    rill_reservoirs_destroy(&between);
    return status;
}

rill_status rill_permeability_plan_make(rill_geom *geom, const rill_permeability_options *o,
                                        rill_permeability_plan *plan)
{
    rill_status status = RILL_OK;
    rill_components found;
    rill_pore_measure measure;
    memset(plan, 0, sizeof *plan);
    RILL_TRY(rill_plan_check(o));
    RILL_TRY(sample_check(geom, o));
    if (o->variant.lattice == RILL_D2Q9 && (geom->n[2] != 1 || o->axis < 0 || o->axis > 1))
        return rill_fail(
            RILL_USAGE,
            "lattice d2q9 flows in planes: the geometry is %u voxels along z (1 is wanted) and the "
            "axis is %s (x or y is wanted): choose a lattice of three dimensions, or crop to a plane",
            geom->n[2], o->axis < 0 ? "xyz" : (const char *const[]){"x", "y", "z"}[o->axis]);
    RILL_TRY(o->drive == RILL_DRIVE_PRESSURE ? pressure_prepare(geom, o) : sides_check(geom, o));
    RILL_TRY(clean(geom, o, &found));
    plan->porosity = geom->porosity;
    plan->dropped = found.dropped;
    RILL_TRY(conducting_check(geom, o->axis, &found));
    rill_geom open = *geom; /* not walled at its ends, and with twice its length as the longest wave */
    if (o->drive == RILL_DRIVE_PRESSURE) open.sides[o->axis] = RILL_MIRROR;
    RILL_TRY(rill_pore_measure_take(&open, o->variant.lattice, &measure));
    RILL_TRY(rill_plan_choose(&open, &measure, o, plan));
    if (plan->nodes > UINT32_MAX - 1)
        return rill_fail(RILL_USAGE, "%llu fluid nodes are more than the 4294967294 that fit: crop the image",
                         (unsigned long long)plan->nodes);
    RILL_TRY(simulated_plan(geom, o, plan));
done:
    return status;
}

/* Numbers of the flow at the end, from sums of |u| and of u along the flow. */
static void flow_measure(rill_follower *f, double speed, double along)
{
    rill_permeability_run *run = f->run;
    const rill_permeability_plan *plan = f->plan;
    run->tortuosity = speed / fabs(along);
    run->reynolds = fabs(along) / (double)plan->nodes * (4 * plan->fluid / plan->surface) / plan->nu;
    run->mach = f->totals.speed_max * sqrt(3.0);
}

/* The same from the velocities of the sample's nodes, u [3][nodes]. */
static void fields_measure(rill_follower *f, const float *u)
{
    const size_t n = (size_t)f->plan->nodes;
    double along = 0, speed = 0;
    for (size_t i = 0; i < n; i++) {
        const double x = u[i], y = u[n + i], z = u[2 * n + i];
        speed += sqrt(x * x + y * y + z * z);
        along += u[(size_t)f->run->axis * n + i];
    }
    flow_measure(f, speed, along);
}

/* The same from the sums of two successive steps, without a field on the host: momentum is velocity here. */
static rill_status totals_measure(rill_follower *f)
{
    rill_status status = RILL_OK;
    rill_totals before, after;
    RILL_TRY(rill_sim_totals(f->sim, &before));
    RILL_TRY(rill_sim_step(f->sim, 1));
    RILL_TRY(rill_sim_totals(f->sim, &after));
    flow_measure(f, 0.5 * (before.speed + after.speed),
                 0.5 * (before.momentum[f->run->axis] + after.momentum[f->run->axis]));
done:
    return status;
}

/* Add the moments of all nodes, weighted by a half, to mean [4][nodes]: rho - 1, u. */
static rill_status moments_add(rill_follower *f, float *mean)
{
    rill_status status = RILL_OK;
    enum { slice = 1 << 16 };
    const size_t n = (size_t)f->plan->nodes;
    double *part = NULL;
    RILL_TRY(rill_array_create(4 * slice, sizeof *part, "moments", (void **)&part));
    for (size_t first = 0; first < n; first += slice) {
        const size_t count = n - first < slice ? n - first : slice;
        RILL_TRY(rill_sim_moments(f->sim, (rill_node)(f->between.front + first), (rill_node)count, part,
                                  part + count));
        for (size_t m = 0; m < 4; m++)
            for (size_t i = 0; i < count; i++) mean[m * n + first + i] += (float)(0.5 * part[m * count + i]);
    }
done:
    rill_array_destroy(part);
    return status;
}

/* Average the moments of two steps, and hand them out. */
static rill_status fields_finish(rill_follower *f)
{
    rill_status status = RILL_OK;
    float *mean = NULL, *turned = NULL;
    const size_t n = (size_t)f->plan->nodes;
    RILL_TRY(rill_array_create_zero(4 * (uint64_t)n, sizeof *mean, "moments", (void **)&mean));
    RILL_TRY(moments_add(f, mean));
    RILL_TRY(rill_sim_step(f->sim, 1));
    RILL_TRY(moments_add(f, mean));
    if (f->between.geom) {
        RILL_TRY(rill_array_create(4 * (uint64_t)n, sizeof *turned, "moments", (void **)&turned));
        memcpy(turned, mean, 4 * n * sizeof *turned);
        RILL_TRY(rill_reservoirs_turn_back(&f->between, turned, mean));
    }
    fields_measure(f, mean + n);
    if (f->options->finished)
        RILL_TRY(f->options->finished(f->options->context, f->run, (rill_node)n, mean, mean + n));
done:
    rill_array_destroy(mean);
    rill_array_destroy(turned);
    return status;
}

static rill_status finish(rill_follower *f)
{
    rill_status status = RILL_OK;
    const bool fields =
        f->options->finished || f->between.geom || f->options->variant.equilibrium != RILL_STOKES;
    RILL_TRY(fields ? fields_finish(f) : totals_measure(f));
    if (f->run->converged && f->options->variant.equilibrium != RILL_STOKES &&
        (f->run->reynolds > REYNOLDS_MAX || f->run->mach > MACH_MAX)) {
        f->run->converged = false;
        snprintf(f->run->reason, sizeof f->run->reason,
                 "the flow along %c has a Reynolds number of %.3g (limit %g) and a Mach number of %.3g "
                 "(limit %g), out of the Stokes range: lower --force (now %.3g)",
                 rill_axis(f->run->axis), f->run->reynolds, REYNOLDS_MAX, f->run->mach, MACH_MAX,
                 f->plan->force);
    }
done:
    return status;
}

/* Begin to follow the journal where this is the run that was stopped. @return seconds that it took before */
static double resume(rill_follower *f)
{
    if (!f->pause || !f->pause->resuming) return 0;
    rill_pause_replay(f->pause);
    return f->pause->place.seconds;
}

/* Write a checkpoint where the callback cancelled the run. */
static rill_status keep(rill_follower *f, rill_permeability *out)
{
    rill_status status = RILL_OK;
    rill_pause *pause = f->pause;
    if (pause && rill_journal_replays(&pause->journal))
        return rill_fail(RILL_USAGE,
                         "cannot go on from %s: with --max-steps %llu the run ends before it: raise it",
                         pause->path, (unsigned long long)f->options->max_steps);
    if (!pause || !f->stopped) return RILL_OK;
    f->run->converged = false; /* what was being looked at was cut short */
    pause->place.steps = f->run->steps;
    pause->place.seconds = f->run->seconds;
    pause->place.axis = f->run->axis;
    pause->place.runs = out->run_count - 1;
    RILL_TRY(rill_pause_write(pause, f->sim, out));
    out->kept = true;
    snprintf(f->run->reason, sizeof f->run->reason,
             "stopped along %c after %llu steps, before the end was known: go on with --resume",
             rill_axis(f->run->axis), (unsigned long long)f->run->steps);
done:
    return status;
}

static rill_status run_axis(rill_follower *f, const rill_domain *domain, rill_permeability *out)
{
    rill_status status = RILL_OK;
    const rill_permeability_options *o = f->options;
    rill_pressures pressures = {.gain = NULL};
    rill_sim_options options = rill_sim_options_default();
    options.variant = o->variant;
    options.backend = o->backend;
    options.device = o->device;
    options.devices = o->devices;
    options.device_count = o->device_count;
    options.tau = f->plan->tau;
    options.magic = o->magic;
    if (!f->between.geom) options.force[f->run->axis] = f->plan->force;
    f->components = f->between.geom ? 1u << f->run->axis : 7;
    for (int b = 0; b < 3; b++) rill_limit_init(&f->limits[b], f->plan->every);
    for (int b = 0; b < 3; b++)
        f->k[b] = f->run->k[b] = f->run->last[b] = NAN,
        f->run->uncertainty[b] = f->components >> b & 1 ? INFINITY : NAN;
    f->run->tortuosity = f->run->reynolds = f->run->mach = NAN;
    f->slice = 1;
    const double before = resume(f);
    RILL_TRY(rill_sim_create(domain, &options, &f->sim));
    out->seconds_domain += rill_sim_seconds_linking(f->sim);
    if (!f->between.geom) RILL_TRY(rill_sim_walls_add(f->sim));
    if (f->between.geom)
        RILL_TRY(rill_reservoirs_drive(&f->between, domain, f->sim,
                                       3 * f->plan->force * f->geom->n[f->run->axis]));
    snprintf(out->backend, sizeof out->backend, "%s", rill_sim_backend(f->sim));
    snprintf(out->device, sizeof out->device, "%s", rill_sim_device(f->sim));
    f->started = rill_now() - before;
    RILL_TRY(f->plan->network ? rill_follow_network(f, domain) : rill_follow_series(f, domain, &pressures));
    f->run->seconds = rill_now() - f->started;
    f->run->steps = rill_sim_steps(f->sim);
    f->run->mlups =
        (double)(f->plan->nodes + f->plan->reservoirs) * (double)f->run->steps / f->run->seconds * 1e-6;
    RILL_TRY(keep(f, out));
    if (f->limits[f->run->axis].finite && (f->run->converged || f->spent || !f->other)) RILL_TRY(finish(f));
done:
    rill_pressures_destroy(&pressures);
    rill_sim_destroy(f->sim);
    f->sim = NULL;
    return status;
}

/* The same, and in the other way when the first leads nowhere and is not stopped. */
static rill_status run_axis_either_way(rill_follower *f, const rill_domain *domain,
                                       rill_permeability_plan *other, rill_permeability *out)
{
    rill_status status = RILL_OK;
    const rill_follower fresh = *f;
    rill_permeability_run *run = f->run;
    rill_pause *pause = f->pause;
    const bool again = pause && pause->resuming && pause->place.again;
    f->other = rill_plan_has_other(f->plan, f->options);
    if (pause && !pause->resuming) pause->place.again = 0;
    if (!again) RILL_TRY(run_axis(f, domain, out));
    if (!again && (run->converged || f->spent || !f->other)) return RILL_OK;
    RILL_TRY(rill_plan_other(f->geom, f->plan, f->options, other));
    if (pause) pause->place.again = pause->place.changed = 1;
    if (pause && !again) rill_journal_clear(&pause->journal);
    if (!again)
        rill_log(RILL_LOG_NOTE, "%s: trying again %s", run->reason,
                 other->network ? "with a pore network that corrects the pressures"
                                : "without a pore network");
    free(run->samples);
    *run = (rill_permeability_run){.axis = run->axis};
    *f = fresh;
    f->plan = other;
    out->plan = *other;
    RILL_TRY(run_axis(f, domain, out));
done:
    return status;
}

/* The tensor, its uncertainty and its symmetry, out of the runs. */
static void collect(rill_permeability *p)
{
    double largest = 0, uncertainty = 0;
    p->converged = p->run_count > 0;
    for (int r = 0; r < p->run_count; r++) {
        const rill_permeability_run *run = &p->runs[r];
        p->converged = p->converged && run->converged;
        largest = fmax(largest, fabs(run->k[run->axis]));
        for (int b = 0; b < 3; b++) {
            if (b == run->axis || p->run_count > 1) uncertainty = fmax(uncertainty, run->uncertainty[b]);
            if (run->converged) p->k[b][run->axis] = run->k[b];
        }
    }
    p->uncertainty = largest > 0 ? uncertainty / largest : INFINITY;
    if (p->run_count < 3) return;
    p->reciprocity = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < a; b++)
            p->reciprocity = fmax(p->reciprocity, fabs(p->runs[a].k[b] - p->runs[b].k[a]) / largest);
}

rill_status rill_permeability_compute(const rill_geom *geom, const rill_permeability_options *o,
                                      const rill_permeability_plan *plan, rill_permeability *out)
{
    rill_status status = RILL_OK;
    rill_domain *domain = NULL;
    rill_reservoirs between = {.geom = NULL};
    rill_permeability_plan other;
    rill_pause pause = {.path = NULL};
    rill_follower *f = calloc(1, sizeof *f);
    memset(out, 0, sizeof *out);
    out->plan = *plan;
    out->uncertainty = INFINITY;
    out->reciprocity = NAN;
    for (int b = 0; b < 9; b++) out->k[b / 3][b % 3] = NAN;
    if (!f) return rill_fail(RILL_SYSTEM, "out of memory for a run");
    RILL_TRY(memory_check(o, plan));
    RILL_TRY(rill_pause_open(geom, o, out, &pause));
    if (pause.resuming && pause.place.changed) RILL_TRY(rill_plan_other(geom, plan, o, &out->plan));
    bool mirrored = false; /* then the neighbours depend on the axis of the flow */
    for (int a = 0; a < 3; a++) mirrored = mirrored || geom->sides[a] == RILL_MIRROR;
    for (int a = 0; a < 3 && !f->stopped; a++) {
        if ((o->axis >= 0 && o->axis != a) || (pause.resuming && a < pause.place.axis)) continue;
        if (!pause.resuming) rill_journal_clear(&pause.journal);
        const double before = rill_now();
        if (mirrored) {
            rill_domain_destroy(domain);
            domain = NULL;
        }
        rill_reservoirs_destroy(&between);
        if (o->drive == RILL_DRIVE_PRESSURE)
            RILL_TRY(rill_reservoirs_create(geom, a, o->reservoir, &between));
        /* Where a checkpoint is to be left, there must be a simulation first. */
        const rill_progress numbering = o->checkpoint ? (rill_progress){0} : o->progress;
        const rill_domain_options options = {.lattice = o->variant.lattice,
                                             .flow_axis = mirrored && !between.geom ? a : -1,
                                             .progress = numbering};
        if (!domain) RILL_TRY(rill_domain_create(between.geom ? between.geom : geom, &options, &domain));
        out->seconds_domain += rill_now() - before;
        *f = (rill_follower){.options = o,
                             .plan = plan,
                             .geom = geom,
                             .between = between,
                             .pause = pause.path ? &pause : NULL,
                             .run = &out->runs[out->run_count++]};
        f->run->axis = a;
        RILL_TRY(run_axis_either_way(f, domain, &other, out));
    }
    collect(out);
    if (f->stopped) RILL_TRY(rill_fail(RILL_CANCELLED, "%s", out->runs[out->run_count - 1].reason));
    for (int r = 0; r < out->run_count; r++)
        if (!out->runs[r].converged) {
            status = rill_fail(RILL_NUMERICS, "%s", out->runs[r].reason);
            goto done;
        }
done:
    rill_domain_destroy(domain);
    rill_reservoirs_destroy(&between);
    rill_pause_close(&pause);
    free(f);
    return status;
}

void rill_permeability_free(rill_permeability *result)
{
    for (int r = 0; r < result->run_count; r++) free(result->runs[r].samples);
    memset(result, 0, sizeof *result);
}
