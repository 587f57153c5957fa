/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which further runs the error bar of a permeability takes: plain permeability runs on geometries made from
 * the given one. The boxes whose voxels are split are error_bar_grids.c's.
 */
#include "core/status.h"
#include "core/units.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/derive.h"
#include "geometry/voxels/greys.h"
#include "geometry/voxels/planes.h"
#include "geometry/voxels/shape.h"
#include "permeability/error_bar_plan.h"
#include "permeability/nested.h"
#include "network/network.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Tolerance of the run with the other domain boundaries, where that of the plain run is tighter: what it
 * contributes is an estimate, in quadrature with that of the shape, of 0.06 to 1 mostly. */
#define SIDES_TOLERANCE 0.005
/* Where that run would take more plain runs than this, it is one on voxels twice as large, compared with the
 * own boundaries there: in boxes of at least so many voxels along each axis, whose pores conduct on these
 * voxels as they do on the plain run's to this factor, and with either boundaries, by the pore network. */
#define SIDES_RUNS 0.9
#define COARSER_EDGE 32
#define COARSER_ALIKE 1.5
/* What refinement may cost: so many node updates, about a minute, or so many plain runs. */
#define UPDATES_CPU 2e9
#define UPDATES_CUDA 2e11
#define PLAIN_RUNS 10
/* Runs on a surface: their tolerance, what both may cost in plain runs where that is more than the above, and
 * the time of a step with interpolated bounce-back over that of one without: 5.8 in a sandstone on one core;
 * on a GPU, where the step interpolates itself, 2 is an assumption. */
#define SHAPE_TOLERANCE 0.003
#define SHAPE_RUNS 60
#define STEP_INTERPOLATED 6
#define STEP_INTERPOLATED_CUDA 2
rill_variant rill_error_bar_fp64(rill_variant v)
{
    v.storage = RILL_FP64;
    v.arithmetic = RILL_DOUBLE;
    return v;
}

/* Return whether an axis takes part in the flow: in planes z does not. */
bool rill_bar_counts(rill_lattice lattice, int axis) { return lattice != RILL_D2Q9 || axis < 2; }

void rill_error_bar_factor(const rill_error_bar_part *part, uint32_t factor[3])
{
    for (int a = 0; a < 3; a++) factor[a] = rill_bar_counts(part->variant.lattice, a) ? part->split : 1;
}

rill_permeability_options rill_error_bar_part_options(const rill_permeability_options *plain,
                                                      const rill_permeability_plan *plan,
                                                      const rill_error_bar_part *part)
{
    rill_permeability_options o = *plain;
    o.variant = part->variant;
    o.tolerance = part->tolerance;
    o.magic = part->magic;
    o.tau = plain->variant.collision == RILL_TRT ? plain->tau : plan->tau;
    o.force = 0;
    o.every = 0;
    o.progress = (rill_progress){0};
    o.finished = NULL;
    o.finished_pieces = NULL;
    o.sensitivity = o.settle_fields = part->sensitivity;
    o.wall_room = false;
    o.context = NULL;
    return o;
}

rill_status rill_error_bar_part_geometry(const rill_geom *geom, const rill_error_bar_part *part,
                                         const rill_permeability_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *coarse = NULL;
    RILL_TRY(rill_geom_crop(geom, part->first, part->n, out));
    memcpy((*out)->sides, part->sides, sizeof part->sides);
    for (int a = 0; a < 3; a++) (*out)->porosity.percolating[a] = -1; /* to be found anew */
    RILL_TRY(rill_permeability_prepare(*out, options));
    if (part->coarser) {
        RILL_TRY(rill_nested_coarsen(*out, &coarse));
        rill_geom_destroy(*out);
        *out = coarse;
        RILL_TRY(rill_permeability_prepare(*out, options));
    }
    if (part->purpose != RILL_ERROR_BAR_SHAPE) return RILL_OK;
    RILL_TRY(rill_greys_part(geom, part->first, *out));
    if ((*out)->greys && (*out)->voxels)
        RILL_TRY(rill_greys_cuts(*out));
    else
        RILL_TRY(rill_shape_cuts(*out, rill_variant_normal(part->variant).lattice));
done:
    return status;
}

/* Plan the run of a part whose voxels are not split. */
rill_status rill_bar_part_plan(const rill_bar_planner *p, const rill_error_bar_part *part,
                               rill_bar_planned *out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    const rill_permeability_options o = rill_error_bar_part_options(p->options, p->plain, part);
    RILL_TRY(rill_error_bar_part_geometry(p->geom, part, &o, &geom));
    RILL_TRY(rill_plan_make_sized(geom, &o, &out->plan, &out->sizes));
    const rill_plan_memory memory = rill_plan_memory_count(&out->sizes, &o, &out->plan);
    out->cuts = geom->surface ? geom->surface->wall_count * sizeof(rill_cut) : 0;
    if (geom->greys) out->cuts += rill_geom_voxels(geom);
    out->host = (double)out->plan.resources.host_bytes / (double)memory.host;
    out->device = memory.device ? (double)out->plan.resources.device_bytes / (double)memory.device : 0;
    rill_permeability_plan_free(&out->plan); /* only estimates are needed, nothing is run */
done:
    rill_geom_destroy(geom);
    return status;
}

/* Return the bytes of voxels that this process holds of a box made of a geometry. */
static double voxels_bytes(const rill_geom *geom, const uint32_t n[3])
{
    return (double)rill_planes_held(n, rill_planes_keeper(geom->planes));
}

/* Estimate the chambers of a box whose voxels are split: as many for each block, whose edge is chosen anew.
 */
static double split_chambers(const rill_geom *split, uint32_t factor, const rill_permeability_plan *plan)
{
    const double before = factor * (double)plan->pores.edge,
                 edge = rill_network_edge(split, factor * plan->pores.opening, plan->pores.porosity);
    return plan->chambers * pow(before / edge, 3);
}

/* Estimate a part with split voxels from the plan of the same box with whole ones. */
rill_status rill_bar_part_estimate(const rill_bar_planner *p, const rill_bar_planned *box,
                                   rill_error_bar_part *part)
{
    const rill_permeability_plan *plan = &box->plan;
    rill_geom split = {.planes = p->geom->planes};
    rill_plan_sizes sizes = box->sizes;
    uint32_t factor[3];
    double more = 1;
    rill_error_bar_factor(part, factor);
    for (int a = 0; a < 3; a++) {
        split.n[a] = part->n[a] * factor[a];
        split.sides[a] = part->sides[a];
        more *= factor[a];
    }
    rill_pore_measure measure = {.voxels = (uint64_t)((double)plan->nodes * more),
                                 .porosity = plan->pores.porosity,
                                 .surface = plan->pores.surface / part->split,
                                 .opening = plan->pores.opening * part->split,
                                 .open = plan->pores.open,
                                 .confined = plan->pores.confined,
                                 .crossed = plan->pores.crossed,
                                 .edge = plan->pores.edge,
                                 .chambers = (uint32_t)fmin(plan->chambers * more, UINT32_MAX)};
    const rill_permeability_options o = rill_error_bar_part_options(p->options, p->plain, part);
    rill_permeability_plan fine = {.nodes = 0};
    rill_status status = rill_plan_choose(&split, &measure, &o, &fine);
    if (status != RILL_OK) return status;
    const double weight = rill_variant_bytes(part->variant, plan->pores.porosity).moved /
                          rill_variant_bytes(p->options->variant, p->plain->pores.porosity).moved;
    part->nodes = measure.voxels;
    part->steps_expected = fine.steps_expected;
    part->cost = weight * (double)part->nodes * part->steps_expected /
                 ((double)p->plain->nodes * p->plain->steps_expected);
    /* Blocks of a finer grid are no finer than is worth it: that counts for the memory. The cost, by which
     * crops are chosen, is that of as many chambers for each node as in the box. */
    measure.chambers = (uint32_t)fmin(split_chambers(&split, part->split, plan), UINT32_MAX);
    status = rill_plan_choose(&split, &measure, &o, &fine);
    if (status != RILL_OK) return status;
    fine.mean_speeds = plan->mean_speeds;
    fine.reservoirs = plan->reservoirs;
    rill_plan_sizes_scale(&sizes, &split, more, fine.pores.surface / fine.pores.porosity);
    const rill_plan_memory memory = rill_plan_memory_count(&sizes, &o, &fine);
    part->host_bytes = (uint64_t)(box->host * (double)memory.host + voxels_bytes(p->geom, part->n) +
                                  voxels_bytes(p->geom, split.n));
    part->device_bytes = (uint64_t)(box->device * (double)memory.device);
    return RILL_OK;
}

/* Take a part, with its estimates, into the plan. */
static rill_status part_put(rill_bar_planner *p, const rill_error_bar_part *part)
{
    rill_error_bar_plan *out = p->out;
    if (out->part_count == RILL_ERROR_BAR_PARTS)
        return rill_fail(RILL_SYSTEM, "an error bar has no more than %d parts", RILL_ERROR_BAR_PARTS);
    out->parts[out->part_count++] = *part;
    out->cost += part->cost;
    out->host_bytes = part->host_bytes > out->host_bytes ? part->host_bytes : out->host_bytes;
    out->device_bytes = part->device_bytes > out->device_bytes ? part->device_bytes : out->device_bytes;
    return RILL_OK;
}

rill_status rill_bar_part_add(rill_bar_planner *p, const rill_bar_planned *box,
                              const rill_error_bar_part *part)
{
    rill_error_bar_part own = *part;
    const rill_status status = rill_bar_part_estimate(p, box, &own);
    return status == RILL_OK ? part_put(p, &own) : status;
}

/* The whole box as the plain run took it, at its tolerance. */
rill_error_bar_part rill_bar_whole(const rill_bar_planner *p)
{
    rill_error_bar_part part = {.grid = -1,
                                .split = 1,
                                .variant = p->options->variant,
                                .tolerance = p->options->tolerance,
                                .magic = p->options->magic};
    memcpy(part.n, p->geom->n, sizeof part.n);
    memcpy(part.sides, p->geom->sides, sizeof part.sides);
    return part;
}

/* Estimate a run from its own plan. @param step  time of a step over that of a plain one of as many nodes */
static void own_estimate(const rill_bar_planner *p, const rill_bar_planned *own, double step,
                         rill_error_bar_part *part)
{
    const rill_permeability_plan *plan = &own->plan;
    part->nodes = plan->nodes;
    part->steps_expected = plan->steps_expected;
    part->cost = step * (double)plan->nodes * plan->steps_expected /
                 ((double)p->plain->nodes * p->plain->steps_expected);
    part->host_bytes = plan->resources.host_bytes + (uint64_t)voxels_bytes(p->geom, part->n) + own->cuts;
    part->device_bytes = plan->resources.device_bytes;
}

/* ---- domain boundaries ---- */

/* Put runs on voxels twice as large in the place of a part, one with its domain boundaries and one with those
 * of the plain run, where they are cheaper and the flow is alike. */
static rill_status coarser_try(rill_bar_planner *p, const rill_error_bar_part *part, bool *added)
{
    rill_error_bar_part both[2] = {*part, *part};
    double k = p->plain->k_expected;
    *added = false;
    if (rill_axes_count(p->options->axis) > 1) return RILL_OK; /* k_expected is that of one axis */
    for (int a = 0; a < 3; a++)
        if (part->n[a] > 1 && part->n[a] < COARSER_EDGE) return RILL_OK;
    memcpy(both[0].sides, p->geom->sides, sizeof both[0].sides);
    for (int i = 0; i < 2; i++) {
        rill_bar_planned plan;
        both[i].coarser = true;
        const rill_status status = rill_bar_part_plan(p, &both[i], &plan);
        if (status != RILL_OK) return RILL_OK; /* the run of the whole box is left */
        own_estimate(p, &plan, 1, &both[i]);
        if (!(fabs(log(4 * plan.plan.k_expected / k)) < log(COARSER_ALIKE))) return RILL_OK;
        k = 4 * plan.plan.k_expected;
    }
    if (both[0].cost + both[1].cost >= part->cost) return RILL_OK;
    const rill_status status = part_put(p, &both[0]);
    *added = status == RILL_OK;
    return status == RILL_OK ? part_put(p, &both[1]) : status;
}

/* Plan a run with domain boundaries of one kind wherever they are not walls, except along `kept`. Failing is
 * not fatal when nothing percolates. */
static rill_status sides_try(rill_bar_planner *p, rill_side kind, int kept, bool *added)
{
    rill_bar_planned plan;
    rill_error_bar_part part = rill_bar_whole(p);
    part.purpose = RILL_ERROR_BAR_SIDES;
    if (!p->fine) part.tolerance = fmax(part.tolerance, SIDES_TOLERANCE);
    for (int a = 0; a < 3; a++)
        if (part.sides[a] != RILL_WALL && a != kept && rill_bar_counts(part.variant.lattice, a))
            part.sides[a] = kind;
    *added = false;
    if (!memcmp(part.sides, p->geom->sides, sizeof part.sides)) return RILL_OK;
    const rill_status status = rill_bar_part_plan(p, &part, &plan);
    if (status == RILL_SYSTEM) return status;
    if (status != RILL_OK) return RILL_OK;
    const rill_status estimated = rill_bar_part_estimate(p, &plan, &part);
    if (estimated != RILL_OK) return estimated;
    if (!p->fine && part.cost > SIDES_RUNS) {
        const rill_status tried = coarser_try(p, &part, added);
        if (tried != RILL_OK || *added) return tried;
    }
    *added = true;
    return part_put(p, &part);
}

/* Return what the note adds of the run that was planned last. */
static const char *coarser(const rill_bar_planner *p)
{
    const rill_error_bar_plan *out = p->out;
    return out->part_count > 0 && out->parts[out->part_count - 1].coarser ? ", on voxels twice as large" : "";
}

static rill_status sides_plan(rill_bar_planner *p)
{
    rill_status status = RILL_OK;
    static const char *const names[] = {"wrapped", "mirrored"};
    char *note = p->out->sides_note;
    const size_t size = sizeof p->out->sides_note;
    const int axis = p->options->axis;
    bool differs[2] = {false, false};
    for (int a = 0; a < 3; a++)
        for (int kind = RILL_PERIODIC; kind <= RILL_MIRROR; kind++)
            if (rill_bar_counts(p->options->variant.lattice, a) && p->geom->sides[a] != RILL_WALL &&
                p->geom->sides[a] != (rill_side)kind)
                differs[kind] = true;
    for (int kind = RILL_PERIODIC; kind <= RILL_MIRROR; kind++) {
        bool added = false;
        const size_t length = strlen(note);
        /* Of boundaries of several kinds one other choice is enough for an estimate of few runs. */
        if (!differs[kind] || (p->out->part_count > 0 && !p->fine)) continue;
        RILL_TRY(sides_try(p, (rill_side)kind, -1, &added));
        if (added) {
            snprintf(note + length, size - length, "%s%s%s", length ? ", " : "", names[kind], coarser(p));
            continue;
        }
        if (axis >= 0) RILL_TRY(sides_try(p, (rill_side)kind, axis, &added));
        snprintf(note + length, size - length,
                 added ? "%s%s across the flow (along it nothing percolates then)%s"
                       : "%snothing percolates with %s boundaries",
                 length ? ", " : "", names[kind], coarser(p));
    }
done:
    return status;
}

/* ---- shape ---- */

/* Note why the runs on a surface are not made. @param part  that of more memory  @param cost  of both */
static void shape_refuse(const rill_bar_planner *p, const rill_error_bar_part *part, double cost)
{
    char *note = p->out->shape_note, needed[32], free[32];
    const size_t size = sizeof p->out->shape_note;
    for (int host = 0; host < 2; host++) {
        const uint64_t need = host ? part->host_bytes : part->device_bytes,
                       there = host ? p->plain->resources.host_free : p->plain->resources.device_free;
        if (need <= there) continue;
        rill_units_format_bytes((double)need, needed, sizeof needed);
        rill_units_format_bytes((double)there, free, sizeof free);
        snprintf(note, size,
                 "no runs on a smooth surface: they need %s of %s memory, and %s are free; crop the image",
                 needed, host ? "host" : "device", free);
        return;
    }
    snprintf(
        note, size,
        "no runs on a smooth surface: they would take about %.2g times the time of the plain run; crop the image",
        cost);
}

/* Plan the runs with interpolated bounce-back on a surface through the voxels, one for each magic parameter.
 */
static rill_status shape_plan(rill_bar_planner *p)
{
    rill_status status = RILL_OK;
    rill_bar_planned plan;
    char *note = p->out->shape_note;
    const size_t size = sizeof p->out->shape_note;
    rill_error_bar_part part = rill_bar_whole(p);
    const double plain = (double)p->plain->nodes * p->plain->steps_expected;
    part.purpose = RILL_ERROR_BAR_SHAPE;
    part.tolerance = fmax(part.tolerance, SHAPE_TOLERANCE);
    part.magic = RILL_SHAPE_MAGIC;
    if (!p->options->wall_room || rill_dimensions(part.variant.lattice) < 3) {
        snprintf(note, size, "no runs on a smooth surface: %s",
                 p->options->wall_room ? "they need three dimensions; choose d3q19"
                                       : "the plain run does not measure its walls; set wall_room");
        return RILL_OK;
    }
    if (part.variant.collision != RILL_TRT) {
        snprintf(note, size, "no runs on a smooth surface: they need the trt collision");
        return RILL_OK;
    }
    rill_error_bar_part parts[2] = {part, part};
    parts[1].magic = 3. / 16;
    parts[1].sensitivity = p->options->sensitivity && p->geom->greys;
    for (int i = 0; i < 2; i++) {
        /* The plan of both but for sensitivities, which take memory. */
        if ((i == 0 || parts[1].sensitivity) && rill_bar_part_plan(p, &parts[i], &plan) != RILL_OK) {
            snprintf(note, size, "no runs on a smooth surface: %.200s", rill_error_message());
            return RILL_OK;
        }
        own_estimate(p, &plan, p->plain->resources.device_bytes ? STEP_INTERPOLATED_CUDA : STEP_INTERPOLATED,
                     &parts[i]);
    }
    if (parts[1].host_bytes > p->plain->resources.host_free ||
        parts[1].device_bytes > p->plain->resources.device_free ||
        (parts[0].cost + parts[1].cost) * plain > fmax(p->updates, SHAPE_RUNS * plain)) {
        shape_refuse(p, &parts[1], parts[0].cost + parts[1].cost);
        return RILL_OK;
    }
    snprintf(note, size, "interpolated bounce-back on %s, with magic parameters of %g and 3/16",
             p->geom->greys ? "the surface of the threshold" : "a smooth surface through the voxels",
             RILL_SHAPE_MAGIC);
    for (int i = 0; i < 2; i++) RILL_TRY(part_put(p, &parts[i]));
done:
    return status;
}

/* ---- number format ---- */

static rill_status format_plan(rill_bar_planner *p, const rill_bar_planned *whole)
{
    const rill_variant variant = rill_variant_normal(p->options->variant);
    char *note = p->out->format_note;
    const size_t size = sizeof p->out->format_note;
    rill_error_bar_part part = rill_bar_crop(p, 1);
    part.purpose = RILL_ERROR_BAR_FORMAT;
    if (rill_variant_equal(variant, rill_error_bar_fp64(variant))) {
        snprintf(note, size, "the plain run is in fp64");
        return RILL_OK;
    }
    snprintf(note, size, "fp64 instead of %s, on the whole box", rill_storage_names[variant.storage]);
    if (p->out->whole) return RILL_OK; /* the first level is that run */
    rill_error_bar_part estimate = part;
    if (rill_bar_part_estimate(p, whole, &estimate) == RILL_OK &&
        estimate.host_bytes <= p->plain->resources.host_free &&
        estimate.device_bytes <= p->plain->resources.device_free)
        return rill_bar_part_add(p, whole, &part);
    if (p->out->grids == 0) {
        snprintf(note, size, "fp64 does not fit the memory, and there is no crop");
        return RILL_OK;
    }
    snprintf(note, size, "fp64 instead of %s, on a crop", rill_storage_names[variant.storage]);
    for (int i = 0; i < p->out->part_count; i++)
        if (p->out->parts[i].purpose == RILL_ERROR_BAR_GRID) {
            part = p->out->parts[i];
            break;
        }
    part.purpose = RILL_ERROR_BAR_FORMAT;
    part.variant = p->options->variant;
    rill_bar_planned plan;
    const rill_status status = rill_bar_part_plan(p, &part, &plan);
    return status == RILL_OK ? rill_bar_part_add(p, &plan, &part) : status;
}

/* Refuse before the plain run begins what would not fit after it. */
static rill_status memory_check(const rill_bar_planner *p)
{
    const rill_error_bar_plan *o = p->out;
    for (int host = 0; host < 2; host++) {
        const uint64_t need = host ? o->host_bytes : o->device_bytes,
                       there = host ? p->plain->resources.host_free : p->plain->resources.device_free;
        char needed[32], free[32];
        if (need <= there) continue;
        rill_units_format_bytes((double)need, needed, sizeof needed);
        rill_units_format_bytes((double)there, free, sizeof free);
        return rill_fail(RILL_SYSTEM, "the error bar needs %s of %s memory, and %s are free: crop the image",
                         needed, host ? "host" : "device", free);
    }
    return RILL_OK;
}

rill_status rill_error_bar_plan_make(const rill_geom *geom, const rill_permeability_options *options,
                                     const rill_permeability_plan *plain, const rill_error_bar_options *bar,
                                     rill_error_bar_plan *out)
{
    rill_status status = RILL_OK;
    const rill_permeability_options resolved = rill_plan_resolve(geom, options);
    rill_bar_planned whole;
    const bool device = plain->resources.device_bytes > 0;
    memset(out, 0, sizeof *out);
    if (geom->surface)
        return rill_fail(
            RILL_USAGE,
            "an error bar splits voxels, whose walls are half-way: this geometry says where its walls are on every link, leave out --error-bar");
    RILL_TRY(rill_plan_error_bar_check(&resolved));
    rill_bar_planner p = {.geom = geom, .options = &resolved, .plain = plain, .fine = bar->fine, .out = out};
    p.updates =
        fmax(device ? UPDATES_CUDA : UPDATES_CPU, PLAIN_RUNS * (double)plain->nodes * plain->steps_expected);
    if (bar->updates > 0) p.updates = bar->updates;
    RILL_TRY(sides_plan(&p));
    if (bar->fine) {
        const rill_error_bar_part box = rill_bar_crop(&p, 1);
        RILL_TRY(rill_bar_part_plan(&p, &box, &whole));
        RILL_TRY(shape_plan(&p));
        RILL_TRY(rill_bar_grids_plan(&p, &whole));
        RILL_TRY(format_plan(&p, &whole));
    }
    RILL_TRY(memory_check(&p));
done:
    return status;
}
