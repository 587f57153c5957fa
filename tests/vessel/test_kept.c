/* SPDX-License-Identifier: Apache-2.0 */
/* Inlets whose flow decreases: what leaves near the wall stays slow, what comes in stays exact. */
#include "vessel_case.h"

#include "backends.h"
#include "vessel/observe/kept.h"
#include "vessel/plan/plan.h"
#include "kernel/launch.h"

TestSuite(kept, .init = files_start, .fini = files_end);

#define RADIUS 2e-3
#define NU 1e-6
#define PERIOD (2 * M_PI * RADIUS * RADIUS / (11.8 * 11.8 * NU)) /* alpha 11.8 */
#define AREA (M_PI * RADIUS * RADIUS)

/* A peak, then nearly nothing: of the largest flow, over the cycle. */
static void write_systole(double mean_velocity)
{
    static const double part[][2] = {{0, 0.07},    {0.05, 0.28}, {0.1, 0.75},  {0.15, 1},   {0.2, 0.9},
                                     {0.25, 0.61}, {0.3, 0.28},  {0.35, 0.09}, {0.4, 0.04}, {0.5, 0.05},
                                     {0.6, 0.07},  {0.7, 0.07},  {0.8, 0.07}};
    FILE *file = fopen("wave.csv", "w");
    cr_assert(file);
    fprintf(file, "time [s], flow [mL/s]\n");
    for (size_t k = 0; k < sizeof part / sizeof *part; k++)
        fprintf(file, "%.9g, %.9g\n", part[k][0] / 0.8 * PERIOD, part[k][1] * 1e6 * mean_velocity * AREA);
    cr_assert_eq(fclose(file), 0);
}

/* Case of a cell Reynolds number at the peak, of the mean velocity. */
static void write_case(double spacing, double cell, const char *profile)
{
    write_systole(cell * NU / spacing);
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\n"
                 "walls: half-way\nopenings:\n  in: {kind: inlet, waveform: wave.csv, profile: %s}\n"
                 "  out: {kind: pressure, pressure: 0 Pa}\nrun: {mach: 0.2, collision: cumulant}\n",
                 profile);
}

/* Everywhere in the opening and at all times, also between those of the table. */
Test(kept, nothing_leaves_faster_than_the_limit)
{
    static const char *const profiles[] = {"womersley", "fitted"};
    vessel_pipe(0.25e-3, 0);
    for (int k = 0; k < 2; k++) {
        vessel_run r = {0};
        rill_outlook look;
        write_case(0.25e-3, 50, profiles[k]);
        ASSERT_OK(rill_case_read("v.yaml", &r.given));
        ASSERT_OK(rill_geom_read(r.given->geometry, &r.geom));
        ASSERT_OK(rill_outlook_make(r.given, r.geom, &look));
        const int in = vessel_opening(&r, "in");
        const double area = r.geom->surface->openings[in].area, limit = RILL_CELL_OUTWARD * NU / 0.25e-3;
        const rill_profile *p = look.profiles[in];
        const rill_harmonics *flow = &look.states[in].flow;
        double out = 0, whole_out = 0, kept_most = 0;
        for (int j = 0; j < 700; j++) {
            const double time = PERIOD * j / 700, part = rill_kept_at(&look.kept[in], time);
            kept_most = fmax(kept_most, part);
            for (size_t at = 0; at < (size_t)p->n[0] * (size_t)p->n[1]; at += 3) {
                if (!(creal(p->fields[at]) > 0)) continue;
                double complex u = flow->mean * p->fields[at];
                for (int h = 1; h <= flow->count; h++)
                    u += (flow->cosine[h] - I * flow->sine[h]) * cexp(I * h * flow->omega * time) *
                         p->fields[at + (size_t)h * (size_t)p->n[0] * (size_t)p->n[1]];
                whole_out = fmax(whole_out, -creal(u) / area);
                out = fmax(out, -(part * creal(u) + (1 - part) * rill_harmonics_at(flow, time)) / area);
            }
        }
        cr_expect_gt(whole_out, 2 * limit, "%g m/s", whole_out);
        cr_expect_float_eq(look.kept[in].outward, whole_out, 0.03 * whole_out);
        cr_expect_leq(out, 1.01 * limit, "%s: %g m/s, not %g", profiles[k], out, limit);
        cr_expect_gt(out, 0.8 * limit, "%s: less is kept than could be, %g m/s of %g", profiles[k], out,
                     limit);
        cr_expect_eq(kept_most, 1);
        cr_expect_lt(look.kept[in].least, 0.6);
        rill_outlook_destroy(&look);
        vessel_free(&r);
    }
}

/* Through the lattice's own links, step by step. */
Test(kept, flow_stays_exact_and_what_leaves_slow)
{
    const double dx = 0.25e-3, limit = RILL_CELL_OUTWARD * NU / dx;
    double flow, pressure, worst = 0, out = 0;
    vessel_extension = 0.5;
    vessel_pipe(dx, 80);
    write_case(dx, 50, "womersley");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const int in = vessel_opening(&r, "in");
    const rill_case_plan_opening *o = &r.plan.openings[in];
    cr_expect_lt(o->kept, 0.6);
    cr_expect(o->kept_when > 0.3 * PERIOD && o->kept_when < 0.6 * PERIOD, "%g s", o->kept_when);
    bool told = false;
    for (int k = 0; k < r.plan.verdict_count; k++)
        told |= strstr(r.plan.verdicts[k].text, "in keeps") != NULL;
    cr_expect(told);
    vessel_record(&r);
    /* The first nodes of the pipe, which runs along z: the numbers go by voxels. */
    enum { LAYER = 128 };
    double u[3 * LAYER];
    while (rill_sim_steps(r.vessel->sim) < r.plan.start.lead + r.plan.cycle_steps * 6 / 10) {
        ASSERT_OK(rill_sim_step(r.vessel->sim, 11));
        const uint64_t step = rill_sim_steps(r.vessel->sim) - 1;
        if (step < r.plan.start.soft) continue;
        const double wanted = rill_end_given(&r.given->ends[o->end], vessel_time(&r));
        vessel_look(&r, "in", &flow, &pressure);
        worst = fmax(worst, fabs(flow - wanted) / o->flow_peak);
        ASSERT_OK(rill_sim_moments(r.vessel->sim, 0, LAYER, NULL, u));
        for (int k = 0; k < LAYER; k++) out = fmax(out, -u[2 * LAYER + k] * r.plan.scales.velocity);
    }
    cr_expect_lt(worst, 1e-6, "off by %g of the peak", worst);
    cr_expect(isfinite(u[0]), "it diverged");
    cr_expect_lt(out, 1.2 * limit, "%g m/s leave, not %g", out, limit);
    vessel_free(&r);
}

/* Below the limit there is nothing beside the profile itself, and no mode more. */
Test(kept, slow_and_steady_inlets_keep_everything)
{
    static const char *const profiles[] = {"womersley", "fitted", "parabolic", "flat"};
    vessel_pipe(0.4e-3, 0);
    for (int k = 0; k < 5; k++) {
        vessel_run r = {0};
        rill_outlook look;
        write_case(0.4e-3, 10, profiles[k % 4]);
        if (k == 4)
            vessel_write("v.yaml",
                         "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 1 mPa.s}\nopenings:\n"
                         "  in: {kind: inlet, flow: -5 mL/s}\n  out: {kind: pressure, pressure: 0 Pa}\n");
        ASSERT_OK(rill_case_read("v.yaml", &r.given));
        ASSERT_OK(rill_geom_read(r.given->geometry, &r.geom));
        ASSERT_OK(rill_outlook_make(r.given, r.geom, &look));
        const rill_kept *kept = &look.kept[vessel_opening(&r, "in")];
        cr_expect_eq(kept->omega, 0);
        cr_expect_eq(kept->least, 1);
        for (int j = 0; j < 100; j++) cr_expect_eq(rill_kept_at(kept, PERIOD * j / 100), 1);
        cr_expect_float_eq(kept->reversed, k == 4 ? 5e-6 / AREA : 0, 1e-2);
        rill_outlook_destroy(&look);
        vessel_free(&r);
    }
}

static int harmonics_of(const vessel_run *r)
{
    rill_outlook look;
    ASSERT_OK(rill_outlook_make(r->given, r->geom, &look));
    const int count = look.profiles[vessel_opening(r, "in")]->count - 1;
    rill_outlook_destroy(&look);
    return count;
}

/* Flattened or not, all openings find room; where they cannot, the plan says so before memory is taken. */
Test(kept, weights_of_all_openings_find_room)
{
    for (int inlets = 1; inlets < RILL_OPENINGS; inlets++)
        for (int outlets = 1; inlets + outlets <= RILL_OPENINGS; outlets++) {
            const int most = rill_case_plan_harmonics(inlets, outlets),
                      all = inlets * (2 * most + 2) + outlets;
            cr_assert(most >= 1 && most <= RILL_CASE_PLAN_HARMONICS, "%d of %d", most, inlets);
            if (4 * inlets + outlets <= RILL_PATCH_WEIGHTS)
                cr_assert_leq(all, RILL_PATCH_WEIGHTS, "%d inlets", inlets);
        }
    cr_expect_eq(rill_case_plan_harmonics(1, 1), RILL_CASE_PLAN_HARMONICS);
    cr_expect_gt(rill_case_plan_harmonics(3, 20), 30);
    vessel_extension = 0.5;
    vessel_pipe(0.25e-3, 0);
    write_case(0.25e-3, 50, "womersley");
    vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
    const rill_outlook look = {.profiles = {NULL}};
    cr_expect_eq(rill_outlook_modes(&look, 0), 0);
    cr_expect_eq(r.plan.weights, 2 + 2 * harmonics_of(&r) + 1); /* mean and flat, harmonics, a pressure */
    r.plan.verdict_count = 0;
    r.plan.weights = RILL_PATCH_WEIGHTS + 1;
    rill_case_judge(r.given, r.geom, 0, &(rill_passage){0}, &r.plan);
    cr_expect_eq(rill_case_plan_accept(&r.plan), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "257 weights") && strstr(rill_error_message(), "parabolic"), "%s",
              rill_error_message());
    vessel_free(&r);
}
