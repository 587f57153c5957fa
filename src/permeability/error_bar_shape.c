/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The permeability of the shape that voxels sample: estimated from what the walls of the plain run are worth,
 * and, where they were made, from runs with interpolated bounce-back on a surface through the voxels.
 *
 * Voxels state where a wall is but for its room: how far it can move without that a voxel changes. The middle
 * of that room is better known than the staircase, and half of it is how uncertain the wall is.
 */
#include "permeability/error_bar_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Constants that were fitted to shapes whose permeability is known: docs/method.md, scripts/coverage-fit.
 * With a = d ln k for each voxel that all walls move, b that or 1.5, whichever is less, c the shift to the
 * middle of their room times d ln k, P half of the room times that, x = ln(k on the surface / k), t the
 * truncation ln(k on it at 3/16 / k on it at 0.12):
 *
 *     ln(best/k) = middle c + open P + inside b - narrow b^2 + surface x - truncation t
 *     half-width: exp(root((w + second w^2)^2 + least^2)) - 1, w = room P + everywhere a
 */
typedef struct constants {
    double middle, open; /* of the room */
    double inside;       /* voxels that walls of voxels lie inside of the shape */
    double narrow;       /* truncation in narrow pores, of which runs measure a part */
    double surface, truncation;
    double room, everywhere; /* everywhere: voxels */
    double second;           /* narrow pores: k is a higher power of their width */
} constants;

static const constants without_runs = {.open = 0.0128,
                                       .inside = 0.0196,
                                       .narrow = 0.0186,
                                       .room = 0.9,
                                       .everywhere = 0.05,
                                       .second = 1},
                       with_runs = {.middle = 0.14,
                                    .inside = 0.065,
                                    .narrow = 0.05,
                                    .surface = 0.555,
                                    .truncation = 1,
                                    .room = 0.9,
                                    .everywhere = 0.04};

#define LEAST 0.006 /* of k */

/* The largest shift that counts: that of a slit of 4 voxels. Narrower pores were not among the shapes. */
#define NARROWEST 1.5

rill_shape_estimate rill_shape_estimate_of(const rill_shape_found *f)
{
    const bool runs = isfinite(f->surface[0]) && isfinite(f->surface[1]);
    const constants *c = runs ? &with_runs : &without_runs;
    const double shift = f->shift / f->k, counts = fmin(shift, NARROWEST),
                 middle = (f->room[1] - f->room[0]) / 2 / f->k, room = (f->room[1] + f->room[0]) / 2 / f->k;
    const double x = runs ? log(f->surface[0] / f->k) : 0, t = runs ? log(f->surface[1] / f->surface[0]) : 0;
    const double change = c->middle * middle + c->open * room + c->inside * counts -
                          c->narrow * counts * counts + c->surface * x - c->truncation * t;
    const double first = c->room * room + c->everywhere * shift,
                 width = hypot(first + c->second * first * first, LEAST);
    return (rill_shape_estimate){.k = f->k * exp(change), .half_width = exp(width) - 1};
}

/* Return why a run has no estimate; NULL: it has. */
static const char *lacks(const rill_permeability_options *o, const rill_permeability_flow *run)
{
    if (isfinite(run->wall_shift)) return NULL;
    if (o->variant.lattice == RILL_D2Q9) return "it is measured in three dimensions only: choose d3q19";
    return "the run did not measure its walls: set wall_room in its options";
}

const char *rill_error_bar_shape_take(const rill_permeability_options *options,
                                      const rill_permeability *plain, rill_error_bar *out)
{
    double relative[3] = {NAN, NAN, NAN}, width[3] = {NAN, NAN, NAN};
    bool runs = true;
    for (int i = 0; i < plain->run_count; i++) {
        const rill_permeability_flow *run = &plain->runs[i];
        const char *why = lacks(options, run);
        const int a = run->axis;
        if (why) return why;
        out->wall_shift[a] = run->wall_shift;
        for (int kind = 0; kind < 2; kind++) out->wall_room[kind][a] = run->wall_room[kind];
        const rill_shape_found found = {.k = run->k[a],
                                        .shift = run->wall_shift,
                                        .room = {run->wall_room[0], run->wall_room[1]},
                                        .surface = {out->surface_k[0][a], out->surface_k[1][a]}};
        const rill_shape_estimate estimate = rill_shape_estimate_of(&found);
        runs = runs && isfinite(found.surface[0]) && isfinite(found.surface[1]);
        if (!isfinite(estimate.k) || !isfinite(estimate.half_width)) return "the walls carry no flow";
        out->best[a] = estimate.k;
        relative[a] = estimate.k / run->k[a] - 1;
        width[a] = estimate.half_width;
    }
    rill_error_bar_put(
        out, RILL_ERROR_SHAPE, RILL_ERROR_KNOWN, relative, width,
        runs
            ? "how far walls can move without a voxel that changes, and the flow on a surface through the voxels"
            : "how far walls can move without a voxel that changes, from the flow at them");
    return NULL;
}
