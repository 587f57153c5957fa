/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The error bar of a permeability: runs the parts that error_bar_plan.c laid down, which are plain
 * permeability runs on geometries made from the given one, and makes rows of what they say, which
 * error_bar_rows.c adds up; extrapolation is refinement.c's.
 */
#include "core/status.h"
#include "core/clock.h"
#include "geometry/voxels/derive.h"
#include "permeability/error_bar_priv.h"
#include "permeability/plan.h"
#include "core/refinement.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LEVELS = RILL_ERROR_BAR_LEVELS };

/* What a choice of boundaries does on voxels twice as large is off by so much of k, root mean square: 0.4 to
 * 4.4 per cent in eight packs, fields and a gyroid (docs/method.md). */
#define COARSER_SEEN 0.025
/* Part of the correction that is uncertain if a single crop stands for the box. */
#define ONE_CROP 0.5

/* What came of a part; NaN where the flow was not driven along an axis. */
typedef struct outcome {
    bool valid;
    double k[3], uncertainty[3]; /* k_aa, absolute, lu of the voxels before they are split */
    double threshold[2][3];      /* k_aa for the threshold with fewer and with more pores */
    char why[200];               /* when not valid */
} outcome;

typedef struct runner {
    const rill_geom *geom;
    const rill_permeability_options *options;
    const rill_permeability *plain;
    const rill_error_bar_plan *plan;
    const rill_error_bar_options *bar;
    int part;
    outcome outcomes[RILL_ERROR_BAR_PARTS];
} runner;

/* Moments of a run are handed on with the number of its part. */
static bool relay(void *context, const rill_progress_moment *moment)
{
    const runner *r = context;
    rill_progress_moment own = *moment;
    own.part = r->part;
    return r->bar->progress.fn(r->bar->progress.context, &own);
}

/* Take k_aa of the runs: the predicted one, also where rounding kept it from converging. */
static void outcome_take(const rill_permeability *p, double scale, outcome *out)
{
    for (int i = 0; i < p->run_count; i++) {
        const rill_permeability_flow *run = &p->runs[i];
        const int a = run->axis;
        out->k[a] = run->k[a] * scale;
        out->uncertainty[a] = run->uncertainty[a] * scale;
        if (run->walls.known) out->threshold[0][a] = run->walls.k_narrow;
        if (run->walls.known) out->threshold[1][a] = run->walls.k_wide;
        out->valid = isfinite(out->k[a]) && isfinite(out->uncertainty[a]);
        if (!out->valid) return;
    }
}

/* A part in which nothing conducts along an axis of the plain runs has no answer. */
static void outcome_check(const rill_permeability *plain, outcome *out)
{
    for (int i = 0; i < plain->run_count && out->valid; i++) {
        const int a = plain->runs[i].axis;
        if (isfinite(out->k[a])) continue;
        out->valid = false;
        snprintf(out->why, sizeof out->why, "nothing percolates along %c in a part of it", rill_axis(a));
    }
}

/* Run a part. What has no answer is no failure; memory, the device and cancellation are. */
static rill_status part_run(runner *r)
{
    rill_status status = RILL_OK;
    const rill_error_bar_part *part = &r->plan->parts[r->part];
    outcome *out = &r->outcomes[r->part];
    rill_geom *geom = NULL, *split = NULL;
    rill_permeability_plan plan = {.nodes = 0};
    rill_permeability result = {.run_count = 0};
    rill_permeability_options o = rill_error_bar_part_options(r->options, &r->plain->plan, part);
    *out = (outcome){.k = {NAN, NAN, NAN},
                     .uncertainty = {NAN, NAN, NAN},
                     .threshold = {{NAN, NAN, NAN}, {NAN, NAN, NAN}}};
    if (r->bar->progress.fn) o.progress = (rill_progress){relay, r};
    o.checkpoint = NULL; /* many runs have no place in one file */
    RILL_TRY(rill_error_bar_part_geometry(r->geom, part, &o, &geom));
    if (part->split > 1) {
        uint32_t factor[3];
        rill_error_bar_factor(part, factor);
        RILL_TRY(rill_geom_split(geom, factor, &split));
        rill_geom_destroy(geom);
        geom = split;
        o.keep_all = true; /* what does not conduct is gone, and need not be looked for again */
        RILL_TRY(rill_permeability_prepare(geom, &o));
    }
    RILL_TRY(rill_permeability_plan_make(geom, &o, &plan));
    status = rill_permeability_compute(geom, &o, &plan, &result);
    if (status == RILL_OK || (status == RILL_NUMERICS && part->purpose == RILL_ERROR_BAR_FORMAT))
        outcome_take(&result, part->coarser ? 4 : 1.0 / part->split / part->split, out);
    outcome_check(r->plain, out);
done:
    if (status == RILL_CANCELLED)
        rill_fail(status, "stopped in part %d of the %d of the error bar", r->part + 1, r->plan->part_count);
    if (status != RILL_OK) snprintf(out->why, sizeof out->why, "%s", rill_error_message());
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
    return status == RILL_SYSTEM || status == RILL_CANCELLED ? status : RILL_OK;
}

/* ---- rows ---- */

/* A row that was requested has no value. */
static void unknown(rill_error_bar *out, rill_error_row row, const char *why)
{
    rill_error_bar_put(out, row, RILL_ERROR_UNKNOWN, NULL, NULL, why);
}

static void boundaries_take(const runner *r, rill_error_bar *out)
{
    const rill_error_bar_plan *plan = r->plan;
    double largest[3] = {NAN, NAN, NAN}, width[3] = {0, 0, 0};
    const outcome *own = NULL; /* of the plain run's boundaries on coarser voxels */
    int taken = 0;
    for (int i = 0; i < plan->part_count; i++) {
        const outcome *o = &r->outcomes[i];
        if (plan->parts[i].purpose != RILL_ERROR_BAR_SIDES) continue;
        if (!o->valid) return unknown(out, RILL_ERROR_BOUNDARIES, o->why);
        if (!memcmp(plan->parts[i].sides, r->geom->sides, sizeof plan->parts[i].sides)) {
            own = o;
            continue;
        }
        taken++;
        for (int a = 0; a < 3; a++) {
            const double k = own ? own->k[a] : out->k[a], relative = (o->k[a] - k) / k,
                         unseen = (o->uncertainty[a] + (own ? own->uncertainty[a] : 0)) / k +
                                  (own ? COARSER_SEEN : 0);
            if (!(fabs(relative) <= fabs(largest[a]))) largest[a] = relative;
            width[a] = fmax(width[a], unseen); /* less is not seen */
        }
    }
    if (taken == 0) return unknown(out, RILL_ERROR_BOUNDARIES, plan->sides_note);
    for (int a = 0; a < 3; a++) /* on coarser voxels the effect itself is off by so much */
        width[a] = own ? width[a] + fabs(largest[a]) : fmax(width[a], fabs(largest[a]));
    rill_error_bar_put(out, RILL_ERROR_BOUNDARIES, RILL_ERROR_KNOWN, largest, width, plan->sides_note);
}

/* Take k on the surface, where it was run. */
static void surface_take(const runner *r, rill_error_bar *out)
{
    for (int i = 0; i < r->plan->part_count; i++) {
        const rill_error_bar_part *part = &r->plan->parts[i];
        const outcome *o = &r->outcomes[i];
        if (part->purpose != RILL_ERROR_BAR_SHAPE || !o->valid) continue;
        memcpy(out->surface_k[part->magic > RILL_SHAPE_MAGIC], o->k, sizeof o->k);
        if (part->sensitivity) memcpy(out->surface_threshold, o->threshold, sizeof o->threshold);
    }
    rill_error_bar_segmentation_put(r->plain, out);
}

/* Extrapolate each box. @return NULL, or why a level has no value */
static const char *grids_take(const runner *r, rill_error_bar *out)
{
    const rill_error_bar_plan *plan = r->plan;
    for (int i = 0; i < plan->part_count; i++) {
        const rill_error_bar_part *part = &plan->parts[i];
        if (part->purpose != RILL_ERROR_BAR_GRID) continue;
        const outcome *o = &r->outcomes[i];
        if (!o->valid) return o->why;
        rill_error_bar_grid *grid = &out->grids[part->grid];
        memcpy(grid->first, part->first, sizeof grid->first);
        memcpy(grid->n, part->n, sizeof grid->n);
        memcpy(grid->k[part->split - 1], o->k, sizeof o->k);
        memcpy(grid->uncertainty_k[part->split - 1], o->uncertainty, sizeof o->uncertainty);
    }
    static const double h[LEVELS] = {1, 1. / 2, 1. / 3};
    out->grid_count = plan->grids;
    for (int g = 0; g < plan->grids; g++)
        for (int a = 0; a < 3; a++) {
            rill_error_bar_grid *grid = &out->grids[g];
            double k[LEVELS], u[LEVELS];
            for (int level = 0; level < LEVELS; level++) {
                k[level] = grid->k[level][a];
                u[level] = grid->uncertainty_k[level][a];
            }
            const rill_refinement found = rill_refinement_take(h, k, u);
            grid->order[a] = found.order;
            grid->sane[a] = found.sane;
            grid->limit[a] = found.limit;
            grid->uncertainty[a] = found.uncertainty;
        }
    return NULL;
}

/* The correction is the mean of those of the boxes; uncertain are the uncertainty of a box, and what the
 * boxes differ. The shape is estimated to be within the correction and its uncertainty of the voxels. */
static void staircase_take(const runner *r, rill_error_bar *out)
{
    const char *why = r->plan->grids ? grids_take(r, out) : r->plan->grid_note;
    double width[3] = {NAN, NAN, NAN};
    char note[256];
    bool sane = true;
    if (why) {
        if (out->contributions[RILL_ERROR_SHAPE].state != RILL_ERROR_KNOWN)
            unknown(out, RILL_ERROR_SHAPE, why);
        return;
    }
    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY, left = 0;
        if (!isfinite(out->k[a])) continue;
        for (int g = 0; g < out->grid_count; g++) {
            const rill_error_bar_grid *grid = &out->grids[g];
            const double correction = grid->limit[a] / grid->k[0][a] - 1;
            low = fmin(low, correction);
            high = fmax(high, correction);
            left = fmax(left, grid->uncertainty[a] / grid->k[0][a]);
            sane = sane && grid->sane[a];
        }
        const double correction = 0.5 * (low + high);
        if (!r->plan->whole) left += out->grid_count > 1 ? high - low : ONE_CROP * fabs(correction);
        width[a] = fabs(correction) + left;
        out->staircase_limit[a] = out->k[a] * (1 + correction);
        out->staircase_relative[a] = left / (1 + correction);
    }
    snprintf(note, sizeof note, "distance to the limit of the staircase, %.120s%s", r->plan->grid_note,
             sane ? "" : "; no order between 0.5 and 2.5: finest grid, three times their range");
    if (out->contributions[RILL_ERROR_SHAPE].state == RILL_ERROR_KNOWN) return; /* a better estimate */
    rill_error_bar_put(out, RILL_ERROR_SHAPE, RILL_ERROR_KNOWN, NULL, width, note);
}

/* Compare with fp64, where that was run: else what the plain run says of itself stays. */
static void format_take(const runner *r, rill_error_bar *out)
{
    const rill_error_bar_plan *plan = r->plan;
    const rill_variant variant = rill_variant_normal(r->options->variant);
    const outcome *fp64 = NULL, *usual = NULL;
    double relative[3], width[3];
    if (rill_variant_equal(variant, rill_error_bar_fp64(variant))) return;
    for (int i = 0; i < plan->part_count; i++) {
        const rill_error_bar_part *part = &plan->parts[i];
        const outcome *o = &r->outcomes[i];
        if (part->purpose == RILL_ERROR_BAR_GRID && part->grid == 0 && part->split == 1 && !fp64) fp64 = o;
        if (part->purpose == RILL_ERROR_BAR_FORMAT) *(part->grid < 0 ? &fp64 : &usual) = o;
    }
    if (!fp64 || !fp64->valid || (usual && !usual->valid)) return;
    for (int a = 0; a < 3; a++) {
        relative[a] = fp64->k[a] / (usual ? usual->k[a] : out->k[a]) - 1;
        width[a] = fabs(relative[a]);
    }
    rill_error_bar_put(out, RILL_ERROR_FORMAT, RILL_ERROR_KNOWN, relative, width, plan->format_note);
}

rill_status rill_error_bar_compute(const rill_geom *geom, const rill_permeability_options *options,
                                   const rill_permeability *plain, const rill_error_bar_plan *plan,
                                   const rill_error_bar_options *bar, rill_error_bar *out)
{
    rill_status status = RILL_OK;
    rill_permeability_options resolved;
    runner r = {.geom = geom, .options = &resolved, .plain = plain, .plan = plan, .bar = bar};
    const double start = rill_now();
    rill_error_bar_of_run(plain, out);
    if (!plain->converged)
        return rill_fail(RILL_NUMERICS, "the plain run did not converge: there is no number to bound");
    resolved = rill_plan_resolve(geom, options);
    for (r.part = 0; r.part < plan->part_count && status == RILL_OK; r.part++) status = part_run(&r);
    for (int i = r.part; i < plan->part_count; i++) { /* a stop keeps what is known */
        r.outcomes[i].valid = false;
        snprintf(r.outcomes[i].why, sizeof r.outcomes[i].why, "%s", rill_error_message());
    }
    boundaries_take(&r, out);
    surface_take(&r, out);
    const char *why_not = rill_error_bar_shape_take(&resolved, plain, out);
    if (why_not) unknown(out, RILL_ERROR_SHAPE, why_not);
    if (plan->grid_note[0]) staircase_take(&r, out);
    if (plan->format_note[0]) format_take(&r, out);
    out->seconds = rill_now() - start;
    return status;
}
