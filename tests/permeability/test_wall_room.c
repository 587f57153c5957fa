/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a permeability gains where walls move as far as voxels leave open, and the estimate for the shape that
 * is made from it, against shapes whose permeability is known.
 */
#include "permeability/error_bar_priv.h"
#include "planned.h"

#include <criterion/criterion.h>

#include <math.h>

/* Run along the axis, with the walls measured, and destroy the geometry. */
static rill_permeability_flow measured(rill_geom *geom, rill_permeability_options o)
{
    rill_permeability p;
    o.wall_room = true;
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    rill_permeability_flow run = p.runs[0];
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
    run.samples = NULL;
    return run;
}

static rill_shape_estimate estimate_of(const rill_permeability_flow *run)
{
    const rill_shape_found found = {.k = run->k[run->axis],
                                    .shift = run->wall_shift,
                                    .room = {run->wall_room[0], run->wall_room[1]},
                                    .surface = {NAN, NAN}};
    return rill_shape_estimate_of(&found);
}

/* A box whose voxels are pores where `inside` says so. */
static rill_geom *filled(const uint32_t n[3], bool (*inside)(const double x[3]))
{
    rill_geom *geom = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        geom->voxels[v] = inside((const double[3]){(double)(v % n[0]) + 0.5, (double)(v / n[0] % n[1]) + 0.5,
                                                   (double)(v / n[0] / n[1]) + 0.5});
    return geom;
}

static bool plates(const double x[3]) { return x[1] < 8; }

/* Walls along the lattice may be anywhere within half a voxel, both ways: dk = h^2 / 4 / 9 for both walls, of
 * k = h^3 / 12 / 9. */
Test(wall_room, of_plates_is_half_a_voxel_both_ways)
{
    const uint32_t n[3] = {4, 14, 4};
    const rill_permeability_flow run = measured(filled(n, plates), along(0));
    cr_assert_float_eq(run.wall_shift, 64.0 / 2 / 14, 0.1);
    for (int kind = 0; kind < 2; kind++)
        cr_assert_float_eq(run.wall_room[kind] / run.wall_shift, 0.5, 0.02, "%g",
                           run.wall_room[kind] / run.wall_shift);
}

/* A pipe of diameter 13.4 in a box of 19 voxels, its axis off the centres of voxels. */
static bool round_pipe(const double x[3]) { return hypot(x[0] - 9.37, x[1] - 9.61) < 6.7; }

static bool slanted(const double x[3])
{
    const double along = (x[0] + 2 * x[1]) / 40; /* the period is 40 / root 5 */
    return fabs(along - floor(along) - 0.5) < 0.3;
}

/* The room shrinks where curvature and slopes fix the wall: the half-width is what is left. */
Test(wall_room, is_small_where_walls_lean)
{
    const rill_permeability_flow flat = measured(filled((const uint32_t[3]){4, 14, 4}, plates), along(0)),
                                 round =
                                     measured(filled((const uint32_t[3]){19, 19, 1}, round_pipe), along(2)),
                                 lean = measured(filled((const uint32_t[3]){40, 40, 1}, slanted), along(2));
    const double room[3] = {(flat.wall_room[0] + flat.wall_room[1]) / flat.wall_shift,
                            (round.wall_room[0] + round.wall_room[1]) / round.wall_shift,
                            (lean.wall_room[0] + lean.wall_room[1]) / lean.wall_shift};
    cr_assert_lt(room[1], 0.6 * room[0], "%g, %g", room[1], room[0]);
    cr_assert_lt(room[2], 0.5 * room[0], "%g, %g", room[2], room[0]);
}

Test(wall_room, tells_the_permeability_of_shapes)
{
    const double radius = 6.7, width = 0.6 * 40 / sqrt(5),
                 exact[2] = {M_PI * pow(radius, 4) / 8 / 361, pow(width, 3) / 12 / (40 / sqrt(5))};
    for (int k = 0; k < 2; k++) {
        const rill_permeability_flow run =
            measured(filled(k ? (const uint32_t[3]){40, 40, 1} : (const uint32_t[3]){19, 19, 1},
                            k ? slanted : round_pipe),
                     along(2));
        const rill_shape_estimate e = estimate_of(&run);
        const double off = e.k / exact[k] - 1;
        cr_assert_lt(fabs(off), e.half_width, "%d: %g off by %g of %g", k, e.k, off, e.half_width);
        cr_assert_lt(e.half_width, 0.25, "%d: %g", k, e.half_width);
    }
}

/* Constants and signs. Room raises k, whichever way it opens, and so does the surface; with that, room into
 * the solids does more. Truncation lowers k. */
Test(wall_room, estimates_go_the_right_way)
{
    const rill_shape_found middle = {.k = 2, .shift = 0.4, .room = {0.06, 0.06}, .surface = {NAN, NAN}};
    rill_shape_found out = middle, in = middle, with = middle, truncated;
    out.room[1] = 0.1;
    in.room[0] = 0.1;
    with.surface[0] = with.surface[1] = 2.1;
    truncated = with;
    truncated.surface[1] = 2.15;
    const rill_shape_estimate e = rill_shape_estimate_of(&middle);
    const double first = 0.9 * 0.03 + 0.05 * 0.2;
    cr_assert_float_eq(e.k, 2 * exp(0.0196 * 0.2 - 0.0186 * 0.04 + 0.0128 * 0.03), 1e-12);
    cr_assert_float_eq(e.half_width, exp(hypot(first + first * first, 0.006)) - 1, 1e-12);
    cr_assert_gt(rill_shape_estimate_of(&out).k, e.k);
    cr_assert_float_eq(rill_shape_estimate_of(&in).k, rill_shape_estimate_of(&out).k, 1e-12);
    cr_assert_gt(rill_shape_estimate_of(&out).half_width, e.half_width);
    const rill_shape_estimate flow = rill_shape_estimate_of(&with);
    cr_assert_float_eq(flow.k, 2 * exp(0.065 * 0.2 - 0.05 * 0.04 + 0.555 * log(1.05)), 1e-12);
    cr_assert_float_eq(flow.half_width, exp(hypot(0.9 * 0.03 + 0.04 * 0.2, 0.006)) - 1, 1e-12);
    cr_assert_lt(rill_shape_estimate_of(&truncated).k, rill_shape_estimate_of(&with).k);
    out.surface[0] = out.surface[1] = in.surface[0] = in.surface[1] = 2.1;
    cr_assert_gt(rill_shape_estimate_of(&out).k, flow.k);
    cr_assert_lt(rill_shape_estimate_of(&in).k, flow.k);
    /* In pores of a voxel the shift says no more than in those of four; the interval goes on to widen. */
    const rill_shape_found four = {.k = 1, .shift = 1.5, .room = {0.3, 0.3}, .surface = {NAN, NAN}};
    rill_shape_found one = four;
    one.shift = 6;
    cr_assert_float_eq(rill_shape_estimate_of(&one).k, rill_shape_estimate_of(&four).k, 1e-12);
    cr_assert_gt(rill_shape_estimate_of(&one).half_width, rill_shape_estimate_of(&four).half_width);
}

/* Not known: planes, and walls that are where they are. */
Test(wall_room, of_planes_is_not_known)
{
    rill_permeability_options o = along(0);
    o.variant.lattice = RILL_D2Q9;
    rill_permeability_flow run = measured(filled((const uint32_t[3]){4, 9, 1}, plates), o);
    cr_assert(isnan(run.wall_shift) && isnan(run.wall_room[0]) && isnan(run.wall_room[1]));
    o = along(0);
    o.drive = RILL_DRIVE_PRESSURE;
    run = measured(filled((const uint32_t[3]){8, 9, 4}, plates), o);
    cr_assert(isnan(run.wall_shift));
}

/* Mirrored and solid boundaries: a quarter of the pipe, and one between walls that touch it. */
static bool quarter(const double x[3]) { return hypot(x[0], x[1]) < 6.7; }
static bool whole(const double x[3]) { return hypot(x[0] - 9, x[1] - 9) < 6.7; }

Test(wall_room, of_a_mirrored_part_is_that_of_the_whole)
{
    rill_geom *part = filled((const uint32_t[3]){9, 9, 1}, quarter);
    part->sides[0] = part->sides[1] = RILL_MIRROR;
    const rill_permeability_flow one = measured(part, along(2)),
                                 all = measured(filled((const uint32_t[3]){18, 18, 1}, whole), along(2));
    cr_assert_float_eq(one.wall_shift / all.wall_shift, 1, 5e-3);
    for (int kind = 0; kind < 2; kind++)
        cr_assert_float_eq(one.wall_room[kind] / all.wall_room[kind], 1, 1e-2);
}
