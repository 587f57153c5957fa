/* SPDX-License-Identifier: Apache-2.0 */
/* A free surface: planes and curvature, mass, pressures and waves whose values are known, and bits. */
#include "core/sanitized.h"
#include "liquid.h"
#include "verify/surface_dam.h"
#include "verify/surface_drop.h"
#include "verify/surface_wave.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Expect that no liquid node is beside gas, and that fill levels are those of the states. */
static void expect_closed(const liquid *l)
{
    const rill_free_surface *s = l->surface;
    for (rill_node n = 0; n < s->nodes; n++) {
        rill_node around[RILL_AROUND];
        if (s->state[n] == RILL_INTERFACE) continue;
        cr_assert_eq(s->fill[n], s->state[n] == RILL_LIQUID);
        rill_free_surface_around(s, n, around);
        for (int i = 1; i < 19 && s->state[n] == RILL_LIQUID; i++) {
            const rill_node other = around[rill_free_surface_upstream(RILL_D3Q19, i)];
            cr_assert(other == RILL_UPSTREAM_WALL || s->state[other] != RILL_GAS);
        }
    }
}

static double ball(const double x[3])
{
    return 8 - sqrt(pow(x[0] - 11.1, 2) + pow(x[1] - 10.8, 2) + pow(x[2] - 11.3, 2));
}

static double bubble(const double x[3]) { return -ball(x); }

static double curvature_of(double fill[RILL_AROUND])
{
    const rill_plic_cells cells = {fill, 1, 0};
    double normal[3];
    cr_assert(rill_plic_normal(&cells, normal));
    return rill_plic_curvature(&cells, normal, rill_plic_offset(normal, fill[13]), false, NULL);
}

static double mean_curvature(double (*inside)(const double x[3]))
{
    const liquid l = {.inside = inside};
    static double all[22 * 22 * 22];
    double sum = 0;
    int count = 0;
    for (uint32_t k = 0; k < 22 * 22 * 22; k++) all[k] = fill_of(&l, k % 22, k / 22 % 22, k / 484);
    for (uint32_t c = 0; c < 20 * 20 * 20; c++) {
        double fill[RILL_AROUND];
        const uint32_t x = 1 + c % 20, y = 1 + c / 20 % 20, z = 1 + c / 400;
        for (uint32_t k = 0; k < RILL_AROUND; k++)
            fill[k] = all[x + k % 3 - 1 + 22 * (y + k / 3 % 3 - 1) + 484 * (z + k / 9 - 1)];
        if (!(fill[13] > 0.05 && fill[13] < 0.95)) continue;
        sum += curvature_of(fill);
        count++;
    }
    return sum / count;
}

Test(free_surface, curvature_of_a_ball)
{
    cr_expect_float_eq(8 * mean_curvature(ball), 1, 0.01, "%g", 8 * mean_curvature(ball));
    cr_expect_float_eq(8 * mean_curvature(bubble), -1, 0.01, "%g", 8 * mean_curvature(bubble));
}

/* A wave of 50 cells, 3 cells high, and three neighbourhoods of one column. */
static double ripple(const double x[3]) { return 2.7 + 0.5 * cos(2 * M_PI * x[0] / 50) - x[2]; }

/* Curvature of a wave of half a cell, against kappa = h'' / 2 (1 + h'^2)^(-3/2): cells that the surface only
 * touches must not spoil it. */
Test(free_surface, curvature_of_a_wave)
{
    const liquid l = {.inside = ripple};
    const double k = 2 * M_PI / 50;
    double error = 0, square = 0;
    for (uint32_t x = 1; x < 51; x++)
        for (uint32_t z = 1; z < 5; z++) {
            double fill[RILL_AROUND];
            const double slope = 0.5 * k * sin(k * (x + 0.5)),
                         exact = 0.25 * k * k * cos(k * (x + 0.5)) / pow(1 + slope * slope, 1.5);
            for (uint32_t c = 0; c < RILL_AROUND; c++)
                fill[c] = fill_of(&l, x + c % 3 - 1, 1 + c / 3 % 3 - 1, z + c / 9 - 1);
            if (!(fill[13] > 0 && fill[13] < 1)) continue;
            error += pow(curvature_of(fill) - exact, 2);
            square += exact * exact;
        }
    cr_expect_lt(sqrt(error / square), 0.04, "%g", sqrt(error / square));
}

static const double column_height = 9.5, column_force = 1e-5;
static double column(const double x[3]) { return column_height - x[2]; }
static double at_rest(const double x[3]) { return 3 * column_force * fmax(column(x), 0); }

/* p = F (h - z), from the surface on: within 0.1 % of that of half a cell of height. */
Test(free_surface, pressure_of_a_column_at_rest)
{
    liquid l = {.n = {4, 4, 16},
                .tau = 0.8,
                .force = column_force,
                .storage = RILL_FP64,
                .floor = true,
                .inside = column,
                .density = at_rest};
    begin(&l);
    ASSERT_OK(rill_sim_step(l.sim, 3000));
    for (uint32_t z = 0; z < 9; z++) {
        double rho;
        ASSERT_OK(rill_sim_moments(l.sim, 16 * z, 1, &rho, NULL));
        cr_expect_float_eq(rho / 3 / column_force, column_height - (z + 0.5), 5e-3, "z %u: %g", z,
                           rho / 3 / column_force);
    }
    cr_expect_lt(totals_of(&l).speed_max, 1e-7, "%g", totals_of(&l).speed_max);
    end(&l);
}

static const double ball_tension = 1e-3;
static double in_drop(const double x[3]) { return (void)x, 6 * ball_tension / 8; }

Test(free_surface, pressure_in_a_drop_and_around_a_bubble)
{
    const rill_verify_liquid box = box_of(RILL_PULL, RILL_FP32);
    double drop, around;
    ASSERT_OK(rill_verify_drop_pressure(&box, 8, 200, &drop));
    ASSERT_OK(rill_verify_drop_pressure(&box, -8, 200, &around));
    cr_expect_float_eq(drop, 1, 0.02, "%g", drop);
    cr_expect_float_eq(around, -1, 0.04, "%g", around); /* 1.7 % in 26^3 once it is at rest */
}

/* A wave of 50 cells, over Prosperetti's. */
static rill_verify_wave_outcome course_of(double tension, double force, double amplitude,
                                          rill_storage storage)
{
    const rill_verify_liquid box = box_of(RILL_PULL, storage);
    const rill_verify_wave wave = {50, 25.3, amplitude, tension, force, 0.503};
    rill_verify_wave_outcome out;
    ASSERT_OK(rill_verify_wave_run(&box, &wave, &out));
    return out;
}

/* Without viscosity, a cosine; of a liquid that is viscous, a decay by exp(-w^2 t / (2 nu k^2)). */
Test(free_surface, limits_of_prosperetti)
{
    for (double phase = 0.5; phase < 7; phase += 0.5)
        cr_expect_float_eq(rill_verify_prosperetti(1e-6, 1e-9, phase / 1e-3), cos(phase), 1e-3, "%g", phase);
    for (double part = 0.5; part < 3; part += 0.5)
        cr_expect_float_eq(rill_verify_prosperetti(1, 5, part * 10), exp(-part), 6e-3, "%g", part);
}

/* kh = 3.2, where the floor takes no part: gravity, then tension. */
Test(free_surface, waves, .disabled = SANITIZED)
{
    static const struct {
        double tension, force, amplitude, tolerance; /* of the period */
    } all[] = {{0, 1e-5, 0.5, 5e-3}, {0, 1e-5, 2, 0.01}, {1e-3, 0, 0.5, 0.01}, {1e-3, 0, 2, 0.01}};
    for (int w = 0; w < 4; w++) {
        const rill_verify_wave_outcome c =
            course_of(all[w].tension, all[w].force, all[w].amplitude, RILL_FP32);
        cr_expect_float_eq(c.period, 1, all[w].tolerance, "%d: %g", w, c.period);
        cr_expect_float_eq(c.amplitude, 1, 0.03, "%d: %g", w, c.amplitude);
    }
}

/* The same in 16 bits. */
Test(free_surface, waves_in_16_bits, .disabled = SANITIZED)
{
    static const rill_storage all[] = {RILL_FP16S, RILL_FP16C};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const rill_verify_wave_outcome c = course_of(0, 1e-5, 0.5, all[k]);
        cr_expect_float_eq(c.period, 1, 5e-3, "%d: %g", (int)all[k], c.period);
        cr_expect_float_eq(c.amplitude, 1, 0.03, "%d: %g", (int)all[k], c.amplitude);
    }
}

Test(free_surface, a_drop_that_oscillates, .disabled = SANITIZED)
{
    const rill_verify_liquid box = box_of(RILL_PULL, RILL_FP32);
    double period;
    ASSERT_OK(rill_verify_drop_period(&box, 10, 0.51, &period));
    cr_expect_float_eq(period, 1, 0.02, "%g", period);
}

static double angle_of(const rill_verify_cap *cap)
{
    const rill_verify_liquid box = box_of(RILL_PULL, RILL_FP32);
    double found;
    ASSERT_OK(rill_verify_cap_angle(&box, cap, &found));
    return found;
}

/* Contact lines that advance, one of which lies on a face between cells when a cylinder has 66 degrees. */
Test(free_surface, contact_angles)
{
    static const rill_verify_cap all[] = {
        {.angle = 60, .aside = 0}, {.angle = 60, .aside = 0.5}, {.angle = 90, .aside = 0}};
    for (int k = 0; k < 3; k++) {
        rill_verify_cap cap = all[k];
        cap.before = 90;
        cap.radius = 10;
        memcpy(cap.n, (uint32_t[3]){60, 1, 20}, sizeof cap.n);
        cap.steps = 4000;
        const double found = angle_of(&cap);
        cr_expect_float_eq(found, cap.angle, 2, "%g, aside %g: %g", cap.angle, cap.aside, found);
    }
}

Test(free_surface, contact_angles_of_caps, .disabled = SANITIZED)
{
    static const rill_verify_cap all[] = {
        {.angle = 60, .before = 90, .radius = 7, .n = {19, 19, 11}, .steps = 1500},
        {.angle = 150, .before = 90, .radius = 7, .n = {19, 19, 14}, .steps = 2000}};
    for (int k = 0; k < 2; k++) {
        const double found = angle_of(&all[k]);
        cr_expect_float_eq(found, all[k].angle, 3, "%g: %g", all[k].angle, found);
    }
}

static double cap_angle;
static double in_cap(const double x[3])
{
    return 10 - sqrt(pow(x[0] - 13.3, 2) + pow(x[1] - 12.8, 2) + pow(x[2] + 10 * cos(cap_angle), 2));
}

/* Curvature beside the contact line of a cap of R = 10 that has the angle: the root mean square of its error.
 */
static double error_beside_line(double degrees)
{
    static double all[26 * 26 * 3];
    const liquid l = {.inside = in_cap};
    double error = 0;
    int count = 0;
    cap_angle = degrees * M_PI / 180;
    for (uint32_t k = 0; k < 26 * 26 * 3; k++) all[k] = fill_of(&l, k % 26, k / 26 % 26, k / 676);
    for (uint32_t c = 0; c < 24 * 24; c++) {
        double fill[RILL_AROUND];
        rill_plic_cells cells = {fill, 1, 0x1ff};
        rill_contact_line line;
        for (uint32_t k = 0; k < RILL_AROUND; k++)
            fill[k] = all[c % 24 + k % 3 + 26 * (c / 24 + k / 3 % 3) + (k < 9 ? 0 : 676 * (k / 9 - 1))];
        if (!(fill[13] > 0 && fill[13] < 1) ||
            !rill_plic_contact(&cells, sin(cap_angle), cos(cap_angle), &line))
            continue;
        rill_plic_without(&cells);
        error += pow(10 * rill_plic_curvature(&cells, line.normal, rill_plic_offset(line.normal, fill[13]),
                                              true, &line) -
                         1,
                     2);
        count++;
    }
    cr_assert_gt(count, 40);
    return sqrt(error / count);
}

Test(free_surface, curvature_beside_a_contact_line)
{
    static const double all[] = {60, 75, 105, 120, 135};
    for (int k = 0; k < 5; k++)
        cr_expect_lt(error_beside_line(all[k]), 0.06, "%g: %g", all[k], error_beside_line(all[k]));
}

static double splash(const double x[3])
{
    return x[2] < 6.3 ? 1 : 4 - sqrt(pow(x[0] - 8, 2) + pow(x[1] - 8, 2) + pow(x[2] - 12, 2));
}

/* A drop that falls into a pool: nodes of all kinds change. */
static liquid splashing(rill_stream stream, rill_storage storage)
{
    liquid l = {.n = {16, 16, 20},
                .tau = 0.7,
                .tension = 1e-3,
                .force = 5e-5,
                .floor = true,
                .inside = splash,
                .stream = stream,
                .storage = storage,
                .velocity = {0.01, 0, 0}};
    begin(&l);
    return l;
}

Test(free_surface, mass_stays)
{
    static const struct {
        rill_storage storage;
        double tolerance; /* relative: 200 steps round 3,000 densities */
    } all[] = {{RILL_FP64, 1e-13}, {RILL_FP32, 1e-6}, {RILL_FP16S, 2e-5}, {RILL_FP16C, 2e-5}};
    for (int k = 0; k < 4; k++) {
        liquid l = splashing(RILL_PULL, all[k].storage);
        const rill_free_surface_totals before = totals_of(&l);
        ASSERT_OK(rill_sim_step(l.sim, 200));
        const rill_free_surface_totals after = totals_of(&l);
        expect_closed(&l);
        cr_expect_neq(after.nodes[RILL_LIQUID], before.nodes[RILL_LIQUID]);
        cr_expect_float_eq(after.mass / before.mass, 1, all[k].tolerance, "%.3g",
                           after.mass / before.mass - 1);
        end(&l);
    }
}

static double still(const double x[3]) { return 4.5 - x[2]; }

/* Of two neighbours one overflows and the other has less than nothing: that one must stay, or the first,
 * which is liquid then, would be beside gas. */
Test(free_surface, a_node_that_fills_beside_one_that_empties)
{
    liquid l = {.n = {6, 6, 10}, .tau = 0.8, .storage = RILL_FP64, .floor = true, .inside = still};
    const rill_node filled = 4 * 36 + 14, emptied = filled + 1;
    begin(&l);
    cr_assert_eq(l.surface->state[filled], RILL_INTERFACE);
    l.surface->mass[filled] = 1.2;
    l.surface->mass[emptied] = -0.2;
    const double mass = totals_of(&l).mass;
    ASSERT_OK(rill_sim_step(l.sim, 1));
    cr_expect_eq(l.surface->state[filled], RILL_LIQUID);
    cr_expect_eq(l.surface->state[emptied], RILL_INTERFACE);
    expect_closed(&l);
    cr_expect_float_eq(totals_of(&l).mass, mass, 1e-12);
    end(&l);
}

/* All that a run leaves behind. */
static double *outcome(rill_stream stream, int threads, size_t *count)
{
    omp_set_num_threads(threads);
    liquid l = splashing(stream, RILL_FP32);
    ASSERT_OK(rill_sim_step(l.sim, 80));
    *count = 6 * l.nodes;
    double *values = calloc(*count, sizeof *values);
    ASSERT_OK(rill_sim_moments(l.sim, 0, (rill_node)l.nodes, values, values + l.nodes));
    for (size_t n = 0; n < l.nodes; n++) {
        values[4 * l.nodes + n] = l.surface->mass[n];
        values[5 * l.nodes + n] = (double)l.surface->fill[n];
        for (size_t a = 0; a < 4 && l.surface->state[n] != RILL_LIQUID; a++) values[a * l.nodes + n] = 0;
    }
    end(&l);
    return values;
}

static void expect_same(const double *reference, rill_stream stream, int threads, const char *what)
{
    size_t count;
    double *values = outcome(stream, threads, &count);
    cr_expect_eq(memcmp(values, reference, count * sizeof *values), 0, "%s", what);
    free(values);
}

Test(free_surface, same_bits_for_threads_and_schemes)
{
    size_t count;
    double *reference = outcome(RILL_PULL, 1, &count);
    expect_same(reference, RILL_PULL, 2, "2 threads");
    expect_same(reference, RILL_PULL, 4, "4 threads");
    expect_same(reference, RILL_ESOPULL, 1, "Esoteric Pull");
    expect_same(reference, RILL_ESOTWIST, 2, "Esoteric Twist");
    expect_same(reference, RILL_AA, 1, "AA");
    free(reference);
}

/* Let a ball move. @param before  once what was set has settled @param after  some steps later */
static void ball_moves(double tension, uint64_t steps, rill_free_surface_totals *before,
                       rill_free_surface_totals *after)
{
    liquid l = {.n = {22, 22, 22},
                .tau = 0.8,
                .tension = tension,
                .storage = RILL_FP32,
                .inside = ball,
                .density = tension > 0 ? in_drop : NULL,
                .velocity = {0.03, 0.02, -0.01}};
    begin(&l);
    ASSERT_OK(rill_sim_step(l.sim, 200));
    *before = totals_of(&l);
    ASSERT_OK(rill_sim_step(l.sim, steps));
    *after = totals_of(&l);
    end(&l);
}

/* Without tension nothing acts on a drop that moves: it keeps its speed. */
Test(free_surface, a_drop_that_moves_keeps_its_speed, .disabled = SANITIZED)
{
    rill_free_surface_totals before, after;
    ball_moves(0, 200, &before, &after);
    for (int a = 0; a < 3; a++)
        cr_expect_float_eq(after.momentum[a] / before.momentum[a], 1, 2e-3, "%d %g", a,
                           after.momentum[a] / before.momentum[a]);
}

/* With tension, too, its curvature being that of a ball in front and behind. */
Test(free_surface, a_drop_that_moves_with_tension)
{
    rill_free_surface_totals before, after;
    ball_moves(1e-3, 400, &before, &after);
    for (int a = 0; a < 3; a++)
        cr_expect_float_eq(after.momentum[a] / before.momentum[0], before.momentum[a] / before.momentum[0],
                           0.015, "%d %g", a, after.momentum[a] / before.momentum[a]);
}

Test(free_surface, refusals)
{
    liquid l = {.n = {4, 4, 4}, .tau = 0.8, .storage = RILL_FP32, .inside = column};
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    double fill[64] = {0};
    rill_free_surface *surface = NULL;
    begin(&l);
    cr_expect_eq(rill_free_surface_create(l.sim, &(rill_free_surface_options){-1, 90}, fill, &surface),
                 RILL_USAGE);
    expect_message("surface tension -1");
    cr_expect_eq(rill_free_surface_create(l.sim, &(rill_free_surface_options){0, 180}, fill, &surface),
                 RILL_USAGE);
    expect_message("contact angle 180");
    fill[5] = 1.5;
    cr_expect_eq(rill_free_surface_create(l.sim, &(rill_free_surface_options){0, 90}, fill, &surface),
                 RILL_USAGE);
    expect_message("fill level 1.5 of node 5");
    end(&l);
    rill_sim_options o = rill_sim_options_default();
    ASSERT_OK(rill_geom_create(l.n, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    o.on.backend = RILL_BACKEND_CPU;
    fill[5] = 1;
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    cr_expect_eq(rill_free_surface_create(sim, &(rill_free_surface_options){0, 90}, fill, &surface),
                 RILL_USAGE);
    expect_message("second-order");
    rill_sim_destroy(sim);
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.bounce = RILL_FULL_WAY;
    o.variant.stream = RILL_ESOPULL;
    ASSERT_OK(rill_sim_create(domain, &o, &sim));
    cr_expect_eq(rill_free_surface_create(sim, &(rill_free_surface_options){0, 90}, fill, &surface),
                 RILL_USAGE);
    expect_message("full-way");
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
