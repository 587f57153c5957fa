/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats in Poiseuille flow through a pipe, after Lehmann, Krause, Amati, Sega, Harting & Gekle
 * (2022), doi:10.1103/PhysRevE.106.015308: the error against the exact profile, and rounding alone, that is
 * the distance to what fp64 makes of the same flow, both relative and L2. Re = 2 R u/nu with u on the axis;
 * every format makes the same number of steps from rest, 17 decay times R^2/(5.78 nu) of the slowest mode.
 */
#include "core/memory.h"
#include "core/status.h"
#include "core/progress.h"
#include "verify/formats.h"
#include "verify/groups.h"
#include "verify/pipe.h"

#include <math.h>
#include <stdlib.h>

static const char LEHMANN[] = "Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308";

static const char *pipes_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    return setup->variant.lattice == RILL_D2Q9 ? "its flow is along z, which d2q9 has not" : NULL;
}

/* A flow: tau and the steps it takes. */
typedef struct flow {
    rill_verify_pipe pipe;
    double tau;
    uint64_t steps;
} flow;

static flow flow_of(double radius, double speed, double reynolds)
{
    const double nu = 2 * radius * speed / reynolds;
    return (flow){{.radius = radius, .speed = speed},
                  0.5 + 3 * nu,
                  2 * (uint64_t)ceil(17 * radius * radius / 5.78 / nu / 2)};
}

/* Fill point `point` of both curves: every format in one flow. */
static rill_status sweep(const flow *f, const rill_verify_setup *setup, int point, rill_verify_curves *errors,
                         rill_verify_curves *roundings)
{
    rill_status status = RILL_OK;
    double *exact = NULL, *u = NULL;
    rill_node nodes = 0;
    const rill_verify_until until = {f->steps, 0, f->steps};
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        rill_sim_options options = rill_verify_options(&s, f->tau);
        rill_verify_pipe_errors e;
        options.variant.equilibrium = RILL_SECOND_ORDER;
        RILL_TRY(rill_progress_detail(setup->progress, errors->name, -1, "pipe after pipe"));
        status = rill_verify_pipe_run(&f->pipe, &options, &until, &e, k ? &u : &exact, &nodes);
        if (status == RILL_NUMERICS && k) {
            status = RILL_OK;
            continue;
        }
        if (status != RILL_OK) goto done;
        double difference = 0, all = 0;
        for (rill_node i = 0; i < nodes && k; i++) {
            difference += (u[i] - exact[i]) * (u[i] - exact[i]);
            all += exact[i] * exact[i];
        }
        errors->y[k][point] = e.l2;
        if (k) roundings->y[k][point] = sqrt(difference / all);
        rill_array_destroy(u);
        u = NULL;
    }
done:
    rill_array_destroy(u);
    rill_array_destroy(exact);
    return status;
}

/* The least error of plain formats of 16 bits. */
static double least_plain(const rill_verify_curves *errors, int point)
{
    double least = INFINITY;
    for (int k = 1; k < RILL_VERIFY_FORMAT_COUNT; k += 2) {
        rill_storage storage;
        rill_shift shift;
        rill_verify_format_at(k, &storage, &shift);
        if (storage != RILL_FP64 && storage != RILL_FP32) least = fmin(least, errors->y[k][point]);
    }
    return least;
}

/* ---- against the radius ---------------------------------------------------------------------- */

static rill_status radius_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    const int s = rill_verify_format_of(RILL_FP16S, RILL_SHIFTED),
              c = rill_verify_format_of(RILL_FP16C, RILL_SHIFTED),
              single = rill_verify_format_of(RILL_FP32, RILL_SHIFTED);
    const int points = setup->full ? 6 : 4;
    rill_verify_curves *errors = NULL, *roundings = NULL;
    RILL_TRY(rill_verify_curves_create("pipe-radius/error", "Pipe, Re 10, u 0.1: L2 error against the radius",
                                       "radius", "L2 error of u", &errors));
    RILL_TRY(rill_verify_curves_create("pipe-radius/rounding",
                                       "Pipe, Re 10, u 0.1: L2 distance to fp64 against the radius", "radius",
                                       "L2 distance to fp64", &roundings));
    errors->points = roundings->points = points;
    values->found[0] = values->found[1] = 0;
    for (int i = 0; i < points; i++) {
        const double radius = 4 << i;
        const flow f = flow_of(radius, 0.1, 10);
        errors->x[i] = roundings->x[i] = radius;
        RILL_TRY(sweep(&f, setup, i, errors, roundings));
        values->found[0] =
            rill_verify_largest(values->found[0], fabs(errors->y[single][i] / errors->y[0][i] - 1));
    }
    values->found[1] = roundings->y[c][points - 1] / roundings->y[s][points - 1];
    values->found[2] = roundings->y[s][points - 1];
    values->found[3] = roundings->y[s + 1][points - 1] / roundings->y[s][points - 1];
    RILL_TRY(rill_verify_curves_report(errors, values->series));
    RILL_TRY(rill_verify_curves_report(roundings, values->series));
done:
    free(errors);
    free(roundings);
    return status;
}

/* ---- against the velocity -------------------------------------------------------------------- */

static rill_status speed_sweep(const rill_verify_setup *setup, double radius, double reynolds,
                               const char *const names[3], rill_verify_values *values)
{
    rill_status status = RILL_OK;
    static const double speeds[] = {1e-4, 3.2e-4, 1e-3, 3.2e-3, 0.01, 0.032, 0.1};
    const uint64_t most = setup->full ? 200000 : 20000;
    const int single = rill_verify_format_of(RILL_FP32, RILL_SHIFTED);
    rill_verify_curves *errors = NULL, *roundings = NULL;
    RILL_TRY(rill_verify_curves_create(names[0], names[2], "u on the axis", "L2 error of u", &errors));
    RILL_TRY(
        rill_verify_curves_create(names[1], names[2], "u on the axis", "L2 distance to fp64", &roundings));
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        const flow f = flow_of(radius, speeds[i], reynolds);
        if (f.steps > most || f.tau < 0.502 || f.tau > 20) continue;
        const int point = errors->points++;
        roundings->points++;
        errors->x[point] = roundings->x[point] = speeds[i];
        RILL_TRY(sweep(&f, setup, point, errors, roundings));
        values->found[0] =
            rill_verify_largest(values->found[0], fabs(errors->y[single][point] / errors->y[0][point] - 1));
    }
    values->found[1] = fmin(values->found[1], least_plain(errors, 0));
    RILL_TRY(rill_verify_curves_report(errors, values->series));
    RILL_TRY(rill_verify_curves_report(roundings, values->series));
done:
    free(errors);
    free(roundings);
    return status;
}

static rill_status speed_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    static const struct {
        double reynolds;
        const char *names[3];
    } numbers[] = {
        {10, {"pipe-speed-10/error", "pipe-speed-10/rounding", "Pipe, Re 10, against the speed"}},
        {1, {"pipe-speed-1/error", "pipe-speed-1/rounding", "Pipe, Re 1, against the speed"}},
        {100, {"pipe-speed-100/error", "pipe-speed-100/rounding", "Pipe, Re 100, against the speed"}},
    };
    values->found[0] = 0;
    values->found[1] = INFINITY;
    for (int k = 0; k < (setup->full ? 3 : 1); k++)
        RILL_TRY(speed_sweep(setup, setup->full ? 16 : 8, numbers[k].reynolds, numbers[k].names, values));
done:
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "formats/pipe-radius",
     .what = "pipes at Re 10 and u 0.1, radius 4 to 32 (128 in the full set)",
     RILL_VERIFY_LIST(
         {"fp32: error over that of fp64, less 1", "", RILL_VERIFY_AT_MOST, 0, {0.01, 0.01, 0.01}, LEHMANN},
         {"rounding of fp16c over that of fp16s", "", RILL_VERIFY_AT_MOST, 0, {1, 1, 1}, LEHMANN},
         {"rounding of fp16s, largest radius",
          "",
          RILL_VERIFY_AT_MOST,
          0,
          {INFINITY, INFINITY, INFINITY},
          LEHMANN},
         {"rounding of plain fp16s over shifted", "", RILL_VERIFY_AT_LEAST, 0, {2, 2, 2}, LEHMANN}),
     .unfit = pipes_unfit,
     .run = radius_run},
    {.name = "formats/pipe-speed",
     .what = "pipes of radius 8 at Re 10 (16 at Re 1, 10, 100 in the full set), u from 0.0001 to 0.1",
     RILL_VERIFY_LIST(
         {"fp32: error over that of fp64, less 1", "", RILL_VERIFY_AT_MOST, 0, {0.01, 0.01, 0.01}, LEHMANN},
         {"plain 16 bits, least speed: least error", "", RILL_VERIFY_AT_LEAST, 0, {0.5, 0.5, 0.5}, LEHMANN}),
     .unfit = pipes_unfit,
     .run = speed_run},
};

const rill_verify_group rill_verify_format_pipes = {cases, sizeof cases / sizeof *cases};
