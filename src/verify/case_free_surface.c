/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Liquids with a free surface: waves, drops, caps on walls, a dam that breaks, bubbles that rise, and the
 * mass. docs/suites.md has the limits, and which are missed.
 */
#include "core/status.h"
#include "core/table.h"
#include "device/device.h"
#include "verify/groups.h"
#include "verify/surface_dam.h"
#include "verify/surface_drop.h"
#include "verify/surface_rise.h"
#include "verify/surface_wave.h"

#include <math.h>

static const char PROSPERETTI[] = "Prosperetti 1981, doi:10.1063/1.863522",
                  RAYLEIGH[] = "Rayleigh 1879, doi:10.1098/rspl.1879.0015",
                  MARTIN[] = "Martin & Moyce 1952, doi:10.1098/rsta.1952.0006",
                  BUGG[] = "Bugg & Saad 2002, doi:10.1016/S0301-9322(02)00002-2",
                  BHAGA[] = "Bhaga & Weber 1981, doi:10.1017/S002211208100311X", EXACT[] = "exact";

/* ---- waves ----------------------------------------------------------------------------------- */

/* Gravity, or tension; at 50 cells. */
typedef struct restoring {
    double tension, force;
} restoring;

/* Levels of the liquid within a cell, over which errors are taken: they depend on where the surface is in the
 * cells. */
enum { LEVELS = 4 };

/* What all levels of a grid have. */
typedef struct grid {
    double period, amplitude; /* farthest from 1 */
    double distance;          /* root mean square */
} grid;

static double farther(double a, double b) { return fabs(b - 1) > fabs(a - 1) ? b : a; }

/* Compute a wave of half a cell at all levels. Viscosity, and hence tau, is the same on all grids, as are the
 * numbers without a dimension: the period is as the square of the cells. */
static rill_status grid_run(const rill_verify_setup *setup, const restoring *by, uint32_t cells, grid *out)
{
    rill_status status = RILL_OK;
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    const double finer = cells / 50.0;
    *out = (grid){1, 1, 0};
    for (int k = 0; k < LEVELS; k++) {
        const rill_verify_wave wave = {.cells = cells,
                                       .height = round(cells / 2.0) + (double)k / LEVELS,
                                       .amplitude = 0.5,
                                       .tension = by->tension / finer,
                                       .force = by->force / pow(finer, 3),
                                       .tau = 0.503};
        rill_verify_wave_outcome o;
        RILL_TRY(rill_verify_wave_run(&box, &wave, &o));
        out->period = farther(out->period, o.period);
        out->amplitude = farther(out->amplitude, o.amplitude);
        out->distance += o.distance * o.distance / LEVELS;
    }
    out->distance = sqrt(out->distance);
done:
    return status;
}

static rill_status wave_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const uint32_t coarse = 25, middle = 50, fine = 100;
    grid grids[2], finest;
    RILL_TRY(grid_run(setup, of->data, coarse, &grids[0]));
    RILL_TRY(grid_run(setup, of->data, middle, &grids[1]));
    finest = grids[1];
    if (setup->full) RILL_TRY(grid_run(setup, of->data, fine, &finest));
    values->found[0] = grids[1].period;
    values->found[1] = grids[1].amplitude;
    values->found[2] =
        log(grids[0].distance / finest.distance) / log((double)(setup->full ? fine : middle) / coarse);
done:
    return status;
}

#define WAVE(name_, what_, ...)                                                                              \
    {                                                                                                        \
        .name = "free-surface/" name_,                                                                       \
        .what = what_ " wave of 50 cells, amplitude 0.5, kh 3.1, worst of four levels; order from 25 to 50 " \
                      "(full set: 100) cells",                                                               \
        RILL_VERIFY_LIST(                                                                                    \
            {"half a period",                                                                                \
             "over the exact one",                                                                           \
             RILL_VERIFY_RELATIVE,                                                                           \
             1,                                                                                              \
             {0.02, 0.02, 0.02},                                                                             \
             PROSPERETTI},                                                                                   \
            {"amplitude", "over the exact one", RILL_VERIFY_RELATIVE, 1, {0.05, 0.05, 0.05}, PROSPERETTI},   \
            {"order of the distance", "", RILL_VERIFY_AT_LEAST, 0, {1, 1, INFINITY}, PROSPERETTI}),          \
        .data = &(const restoring){__VA_ARGS__}, .unfit = rill_verify_liquid_unfit, .run = wave_run          \
    }

/* ---- drops ----------------------------------------------------------------------------------- */

static rill_status pressure_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                rill_verify_values *values)
{
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    (void)of;
    return rill_verify_drop_pressure(&box, 8, 200, &values->found[0]);
}

static rill_status period_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    (void)of;
    return rill_verify_drop_period(&box, 10, 0.51, &values->found[0]);
}

static rill_status cap_run(const rill_verify_case *of, const rill_verify_setup *setup,
                           rill_verify_values *values)
{
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    return rill_verify_cap_angle(&box, of->data, &values->found[0]);
}

/* A cylinder in the middle of the box has both contact lines in the same position within a cell, where they
 * may stick; hence three positions. */
static rill_status cylinder_run(const rill_verify_case *of, const rill_verify_setup *setup,
                                rill_verify_values *values)
{
    static const double positions[] = {0, 0.25, 0.5};
    enum { count = sizeof positions / sizeof *positions };
    rill_status status = RILL_OK;
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    rill_verify_cap cap = *(const rill_verify_cap *)of->data;
    double worst = cap.angle, mean = 0;
    for (int k = 0; k < count; k++) {
        double angle;
        cap.aside = positions[k];
        RILL_TRY(rill_verify_cap_angle(&box, &cap, &angle));
        if (fabs(angle - cap.angle) > fabs(worst - cap.angle)) worst = angle;
        mean += angle / count;
    }
    values->found[0] = mean;
    values->found[1] = worst;
done:
    return status;
}

#define CAP(angle_, full_, across_, high_, steps_)                                                           \
    {                                                                                                        \
        .name = "free-surface/cap-" #angle_,                                                                 \
        .what = "drop, half a ball of R = 7 before, on a wall, contact angle " #angle_, .full = full_,       \
        RILL_VERIFY_LIST({"contact angle", "degrees", RILL_VERIFY_ABSOLUTE, angle_, {3, 3, 3}, EXACT}),      \
        .data = &(const rill_verify_cap){angle_, 90, 7, 0, {across_, across_, high_}, steps_},               \
        .unfit = rill_verify_liquid_unfit, .run = cap_run                                                    \
    }
#define CYLINDER(name_, angle_, before_, full_, steps_)                                                      \
    {                                                                                                        \
        .name = "free-surface/" name_,                                                                       \
        .what = "liquid cylinder on a wall that meets it at " #before_ " before, contact angle " #angle_,    \
        .full = full_,                                                                                       \
        RILL_VERIFY_LIST(                                                                                    \
            {"mean of three positions", "degrees", RILL_VERIFY_ABSOLUTE, angle_, {3, 3, 3}, EXACT},          \
            {"worst of them", "degrees", RILL_VERIFY_ABSOLUTE, angle_, {3, 3, 3}, EXACT}),                   \
        .data = &(const rill_verify_cap){angle_, before_, 10, 0, {60, 1, 22}, steps_},                       \
        .unfit = rill_verify_liquid_unfit, .run = cylinder_run                                               \
    }

/* ---- a dam ----------------------------------------------------------------------------------- */

/* Rows of data/dam-break.csv, and columns of its two dams. */
enum { ROWS = 12, DAMS = 2, EACH = ROWS / DAMS };

/* Return the front of a dam at a time, between its measured ones. */
static double measured(const double time[EACH], const double front[EACH], double at)
{
    int k = 0;
    while (k + 2 < EACH && time[k + 1] < at) k++;
    return front[k] + (front[k + 1] - front[k]) * (at - time[k]) / (time[k + 1] - time[k]);
}

static rill_status dam_read(double time[DAMS][EACH], double front[DAMS][EACH])
{
    rill_status status = RILL_OK;
    rill_table table = {.rows = 0};
    int columns[2];
    RILL_TRY(rill_table_read("dam-break", &table));
    RILL_TRY(rill_table_column(&table, "time", &columns[0]));
    RILL_TRY(rill_table_column(&table, "front", &columns[1]));
    if (table.rows != ROWS)
        RILL_TRY(rill_fail(RILL_USAGE, "%s has %d rows, not %d: install it again", table.path, table.rows,
                           (int)ROWS));
    for (int k = 0; k < ROWS; k++) {
        RILL_TRY(rill_table_number(&table, k, columns[0], &time[k / EACH][k % EACH]));
        RILL_TRY(rill_table_number(&table, k, columns[1], &front[k / EACH][k % EACH]));
    }
done:
    rill_table_free(&table);
    return status;
}

/* Times that both dams cover: just after they were let go, which takes a moment in the experiment, and later.
 */
static const double DAM_TIMES[] = {1, 1.5, 2, 2.5, 3, 3.5};
enum { TIMES = sizeof DAM_TIMES / sizeof *DAM_TIMES, EARLY = 3 };

static rill_status dam_run(const rill_verify_case *of, const rill_verify_setup *setup,
                           rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    double time[DAMS][EACH], front[DAMS][EACH], computed[TIMES];
    (void)of;
    RILL_TRY(dam_read(time, front));
    RILL_TRY(rill_verify_dam_run(&box, &(rill_verify_dam){60, 2e-5, 0.51, TIMES, DAM_TIMES}, computed));
    values->found[0] = values->found[1] = 0;
    for (int k = 0; k < TIMES; k++) {
        const double a = measured(time[0], front[0], DAM_TIMES[k]),
                     b = measured(time[1], front[1], DAM_TIMES[k]);
        double *found = &values->found[k < EARLY];
        *found = fmax(*found, fmax(fmin(a, b) - computed[k], computed[k] - fmax(a, b)));
    }
done:
    return status;
}

/* ---- bubbles, mass --------------------------------------------------------------------------- */

static rill_status rise_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const rill_verify_liquid box = rill_verify_liquid_of(setup);
    rill_verify_rise_outcome o;
    RILL_TRY(rill_verify_rise_run(&box, of->data, &o));
    values->found[0] = o.reynolds;
    values->found[1] = o.steady;
done:
    return status;
}

/* A drop of 4 cells above a pool. */
static double splash(const void *context, const double x[3])
{
    (void)context;
    return fmax(6.3 - x[2], 4 - sqrt(pow(x[0] - 8, 2) + pow(x[1] - 8, 2) + pow(x[2] - 12, 2)));
}

static rill_status mass_run(const rill_verify_case *of, const rill_verify_setup *setup,
                            rill_verify_values *values)
{
    rill_status status = RILL_OK;
    rill_free_surface_totals first, last;
    rill_verify_liquid l = rill_verify_liquid_of(setup);
    (void)of;
    l.n[0] = l.n[1] = 16;
    l.n[2] = 20;
    l.sides[0] = l.sides[1] = RILL_PERIODIC;
    l.sides[2] = RILL_WALL;
    l.tau = 0.7;
    l.tension = 1e-3;
    l.force = 5e-5;
    l.inside = splash;
    l.velocity[0] = 0.01;
    RILL_TRY(rill_verify_liquid_begin(&l));
    RILL_TRY(rill_verify_liquid_totals(&l, &first));
    RILL_TRY(rill_verify_liquid_step(&l, 200));
    RILL_TRY(rill_verify_liquid_totals(&l, &last));
    values->found[0] = fabs(last.mass / first.mass - 1);
done:
    rill_verify_liquid_end(&l);
    return status;
}

#define DAM_CHECK(what_)                                                                                     \
    {                                                                                                        \
        what_, "widths", RILL_VERIFY_AT_MOST, 0, {0.05, 0.05, 0.05}, MARTIN,                                 \
        {                                                                                                    \
            "dam-break", NULL, NULL, NULL, 0                                                                 \
        }                                                                                                    \
    }

/* In a box or a tube; the rest are the members of rill_verify_rise. */
#define RISE(name_, what_, reynolds_, source_, ...)                                                          \
    {                                                                                                        \
        .name = "free-surface/" name_, .what = what_, .full = true,                                          \
        RILL_VERIFY_LIST(                                                                                    \
            {"Reynolds number", "", RILL_VERIFY_RELATIVE, reynolds_, {0.05, 0.05, 0.05}, source_},           \
            {"velocity in the last quarter over that before, less 1",                                        \
             "",                                                                                             \
             RILL_VERIFY_ABSOLUTE,                                                                           \
             0,                                                                                              \
             {0.02, 0.02, 0.02},                                                                             \
             source_}),                                                                                      \
        .data = &(const rill_verify_rise){__VA_ARGS__}, .unfit = rill_verify_liquid_unfit, .run = rise_run   \
    }

static const rill_verify_case cases[] = {
    {.name = "free-surface/mass",
     .what = "drop of R = 4 that falls into a pool, 200 steps",
     RILL_VERIFY_LIST({"mass lost or gained", "of it", RILL_VERIFY_AT_MOST, 0, {1e-13, 1e-6, 2e-5}, EXACT}),
     .unfit = rill_verify_liquid_unfit,
     .run = mass_run},
    WAVE("gravity-wave", "gravity", 0, 1e-5),
    WAVE("capillary-wave", "capillary", 1e-3, 0),
    {.name = "free-surface/drop-pressure",
     .what = "drop of R = 8",
     RILL_VERIFY_LIST({"pressure", "2 sigma/R", RILL_VERIFY_RELATIVE, 1, {0.02, 0.02, 0.02}, EXACT}),
     .unfit = rill_verify_liquid_unfit,
     .run = pressure_run},
    {.name = "free-surface/drop-oscillation",
     .what = "drop of R = 10, 5 % longer along z before, tau 0.51",
     RILL_VERIFY_LIST(
         {"half a period", "over the exact one", RILL_VERIFY_RELATIVE, 1, {0.02, 0.02, 0.02}, RAYLEIGH}),
     .unfit = rill_verify_liquid_unfit,
     .run = period_run},
    CAP(30, true, 32, 10, 3000),
    CAP(45, true, 28, 10, 3000),
    CAP(60, false, 19, 11, 1500),
    CAP(90, true, 20, 12, 3000),
    CAP(120, true, 20, 13, 3000),
    CAP(135, true, 19, 14, 3000),
    CAP(150, false, 19, 14, 2000),
    CYLINDER("cylinder-30", 30, 90, true, 12000),
    CYLINDER("cylinder-60", 60, 90, false, 4000),
    CYLINDER("cylinder-90", 90, 90, false, 4000),
    CYLINDER("cylinder-120", 120, 90, true, 6000),
    CYLINDER("cylinder-150", 150, 90, true, 6000),
    CYLINDER("cylinder-30-from-50", 30, 50, true, 12000),
    CYLINDER("cylinder-60-from-35", 60, 35, true, 6000),
    CYLINDER("cylinder-120-from-150", 120, 150, true, 4000),
    CYLINDER("cylinder-150-from-165", 150, 165, true, 8000),
    {.name = "free-surface/dam",
     .what = "column of 60 x 120 cells that is let go, tau 0.51",
     RILL_VERIFY_LIST(DAM_CHECK("front beyond the range of two columns, times 2.5 to 3.5"),
                      DAM_CHECK("front beyond the range of two columns, times 1 to 2")),
     .unfit = rill_verify_liquid_unfit,
     .run = dam_run},
    RISE("taylor-bubble", "Taylor bubble, Eo 100, Mo 0.015, tube of 16 cells across", 27, BUGG, 16, true, 100,
         0.015, 0, 6.5, 1.5, 3.2),
    RISE("rising-bubble", "bubble of 16 cells across, Bo 115, Mo 4.63e-3, box of 5 x 5 x 8 diameters", 94,
         BHAGA, 16, false, 115, 4.63e-3, 5, 8, 1.2, 5),
};

const rill_verify_group rill_verify_free_surface = {cases, sizeof cases / sizeof *cases};
