/* SPDX-License-Identifier: Apache-2.0 */
/* Errors to expect, interpolated in a table. */
#include "vessel/plan/expected.h"

#include "core/status.h"
#include "core/table.h"
#include "geometry/surface/mesh.h"
#include "vessel/plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 5, ERRORS = 3 }; /* columns */

#define LEAST 1e-4 /* errors are known to */

/* Cells across of the steady flows and of the shapes. */
#define CELLS_LEAST 8.0
#define CELLS_MOST 40.0
#define CELLS_SHAPE 20.0

/* ---- the table ---- */

/* A name in the table and what it stands for. */
typedef struct choice {
    const char *name;
    int value;
} choice;

static rill_status choice_read(const rill_table *table, int row, int column, const choice *of, int *out)
{
    const char *name = table->cells[row * table->columns + column];
    while (of->name && strcmp(of->name, name) != 0) of++;
    if (!of->name)
        return rill_fail(RILL_USAGE, "%s:%d: \"%.20s\" is not a %s of the table", table->path,
                         table->lines[row], name, column == 0 ? "collision" : "lattice");
    *out = of->value;
    return RILL_OK;
}

static rill_status point_read(const rill_table *table, int row, rill_expected_point *out)
{
    static const choice collisions[] = {{"trt", RILL_TRT},
                                        {"central-moment", RILL_CENTRAL_MOMENT},
                                        {"cumulant", RILL_CUMULANT},
                                        {NULL, 0}},
                        lattices[] = {{"d3q19", RILL_D3Q19}, {"d3q27", RILL_D3Q27}, {NULL, 0}};
    rill_status status = RILL_OK;
    int collision = 0, lattice = 0;
    if (table->columns != FIXED + ERRORS)
        return rill_fail(RILL_USAGE, "%s has %d columns, but %d are needed: run scripts/wall-shear-errors",
                         table->path, table->columns, FIXED + ERRORS);
    RILL_TRY(choice_read(table, row, 0, collisions, &collision));
    RILL_TRY(choice_read(table, row, 1, lattices, &lattice));
    out->collision = (rill_collision)collision;
    out->lattice = (rill_lattice)lattice;
    RILL_TRY(rill_table_number(table, row, 2, &out->tau));
    RILL_TRY(rill_table_number(table, row, 3, &out->alpha));
    RILL_TRY(rill_table_number(table, row, 4, &out->cells));
    for (int k = 0; k < ERRORS; k++) {
        RILL_TRY(rill_table_number(table, row, FIXED + k, &out->error[k]));
        out->error[k] = fmax(fabs(out->error[k]), LEAST);
    }
    if (!(out->tau > 0.5) || !(out->cells > 0) || !(out->alpha >= 0))
        status = rill_fail(RILL_USAGE, "%s:%d: tau %g, %g cells or Womersley number %g is out of range",
                           table->path, table->lines[row], out->tau, out->cells, out->alpha);
done:
    return status;
}

/* Read a table of linear or quadratic walls. */
static rill_status table_read(const char *name, bool quadratic, rill_table *out)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s%s", name, quadratic ? "-quadratic" : "");
    return rill_table_read(whole, out);
}

rill_status rill_expected_read(bool quadratic, rill_expected *out)
{
    rill_status status = RILL_OK;
    rill_table table;
    *out = (rill_expected){.points = NULL};
    RILL_TRY(table_read("wall-shear-errors", quadratic, &table));
    out->points = calloc((size_t)table.rows + 1, sizeof *out->points);
    if (!out->points) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a table"));
    for (int row = 0; row < table.rows; row++) RILL_TRY(point_read(&table, row, &out->points[row]));
    out->count = table.rows;
done:
    rill_table_free(&table);
    if (status != RILL_OK) rill_expected_free(out);
    return status;
}

void rill_expected_free(rill_expected *e)
{
    free(e->points);
    *e = (rill_expected){.points = NULL};
}

/* ---- interpolation ---- */

/* A point of one curve: error as a power of x. */
typedef struct knot {
    double x, error[ERRORS];
} knot;

static int by_x(const void *a, const void *b)
{
    const double d = ((const knot *)a)->x - ((const knot *)b)->x;
    return d < 0 ? -1 : d > 0;
}

/* Return the curve at x; of knots with the same x the largest. An error that changes its sign is 0 somewhere:
 * it counts as at least that of any larger x. */
static void curve_at(knot *knots, int count, double x, double error[ERRORS])
{
    int n = 0;
    qsort(knots, (size_t)count, sizeof *knots, by_x);
    for (int k = 0; k < count;) {
        knot largest = knots[k];
        for (; k < count && knots[k].x < largest.x * (1 + 1e-9); k++)
            for (int e = 0; e < ERRORS; e++) largest.error[e] = fmax(largest.error[e], knots[k].error[e]);
        knots[n++] = largest;
    }
    for (int k = n - 2; k >= 0; k--)
        for (int e = 0; e < ERRORS; e++) knots[k].error[e] = fmax(knots[k].error[e], knots[k + 1].error[e]);
    int left = 0;
    while (left + 2 < n && knots[left + 1].x < x) left++;
    const knot *a = &knots[left], *b = n > 1 ? a + 1 : a;
    const bool beyond = x < a->x || x > b->x;
    const knot *from = x > b->x ? b : a;
    for (int e = 0; e < ERRORS; e++) {
        double power = n > 1 ? log(b->error[e] / a->error[e]) / log(b->x / a->x) : -1;
        if (beyond) power = fmin(fmax(power, -2), -0.5);
        error[e] = from->error[e] * pow(x / from->x, power);
    }
}

rill_status rill_expected_bend(bool quadratic, double dean, double cells, double *local)
{
    enum { LOCAL = 2 };
    rill_status status = RILL_OK;
    rill_table table;
    double error[ERRORS];
    knot *knots = NULL;
    RILL_TRY(table_read("bend-errors", quadratic, &table));
    knots = calloc((size_t)table.rows + 1, sizeof *knots);
    if (!knots) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a table"));
    for (int row = 0; row < table.rows; row++) {
        double of[3];
        for (int k = 0; k < 3; k++) RILL_TRY(rill_table_number(&table, row, k, &of[k]));
        if (!(of[0] > 0) || !(of[1] > 0))
            RILL_TRY(rill_fail(RILL_USAGE, "%s:%d: Dean number %g or %g cells is out of range", table.path,
                               table.lines[row], of[0], of[1]));
        knots[row].x = of[1] / sqrt(of[0]);
        for (int e = 0; e < ERRORS; e++) knots[row].error[e] = fmax(fabs(of[LOCAL]), LEAST);
    }
    if (table.rows == 0) RILL_TRY(rill_fail(RILL_USAGE, "%s has no rows", table.path));
    curve_at(knots, table.rows, cells / sqrt(dean), error);
    *local = error[LOCAL];
done:
    free(knots);
    rill_table_free(&table);
    return status;
}

const char *rill_case_plan_shape_name(rill_case_plan_shape shape)
{
    static const char *const names[] = {"straight", "triangle", "stenosis"};
    return names[shape];
}

rill_status rill_expected_shape(bool quadratic, rill_case_plan_shape shape, double cells,
                                double errors[ERRORS])
{
    enum { COLUMNS = 2 }; /* in front of the errors */
    rill_status status = RILL_OK;
    rill_table table;
    knot *knots = NULL;
    int count = 0;
    RILL_TRY(table_read("shape-errors", quadratic, &table));
    knots = calloc((size_t)table.rows + 1, sizeof *knots);
    if (!knots) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a table"));
    for (int row = 0; row < table.rows; row++) {
        knot *k = &knots[count];
        if (strcmp(table.cells[row * table.columns], rill_case_plan_shape_name(shape)) != 0) continue;
        RILL_TRY(rill_table_number(&table, row, 1, &k->x));
        for (int e = 0; e < ERRORS; e++) {
            RILL_TRY(rill_table_number(&table, row, COLUMNS + e, &k->error[e]));
            k->error[e] = fmax(fabs(k->error[e]), LEAST);
        }
        if (!(k->x > 0))
            RILL_TRY(rill_fail(RILL_USAGE, "%s:%d: %g cells are out of range", table.path, table.lines[row],
                               k->x));
        count++;
    }
    if (count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "%s has no rows of \"%s\": run scripts/wall-shear-errors", table.path,
                           rill_case_plan_shape_name(shape)));
    curve_at(knots, count, cells, errors);
done:
    free(knots);
    rill_table_free(&table);
    return status;
}

/* What of a table belongs to a flow: steady flow by lattice and collision, oscillating flow by its boundary
 * layer and collision. */
typedef struct part {
    const rill_expected *table;
    rill_lattice lattice;
    rill_collision collision;
    bool oscillates;
} part;

static bool has(const part *p, const rill_expected_point *point)
{
    return point->collision == p->collision && p->oscillates == (point->alpha > 0) &&
           (p->oscillates || point->lattice == p->lattice);
}

/* Return the collision of the oscillating flows that belong to one: cumulants where it has none. With TRT,
 * whose flow errs less, nothing makes up for what the extrapolation adds to the wall shear. */
static rill_collision oscillating_with(const rill_expected *t, rill_collision collision)
{
    for (int k = 0; k < t->count; k++)
        if (t->points[k].alpha > 0 && t->points[k].collision == collision) return collision;
    return RILL_CUMULANT;
}

/* The curve at one tau over the cells across or, where the flow oscillates, in the boundary layer. */
static void at_tau(const part *p, double tau, double cells, knot *knots, double error[ERRORS])
{
    int count = 0;
    for (int k = 0; k < p->table->count; k++) {
        const rill_expected_point *point = &p->table->points[k];
        if (!has(p, point) || point->tau != tau) continue;
        knots[count].x = p->oscillates ? point->cells / 2 / point->alpha : point->cells;
        memcpy(knots[count++].error, point->error, sizeof point->error);
    }
    if (count) curve_at(knots, count, cells, error);
}

/* The two taus of the table around one, or the one beside it. */
static bool taus_around(const part *p, double tau, double around[2])
{
    around[0] = -INFINITY;
    around[1] = INFINITY;
    for (int k = 0; k < p->table->count; k++) {
        const rill_expected_point *point = &p->table->points[k];
        if (!has(p, point)) continue;
        if (point->tau <= tau) around[0] = fmax(around[0], point->tau);
        if (point->tau >= tau) around[1] = fmin(around[1], point->tau);
    }
    if (isinf(around[0])) around[0] = around[1];
    if (isinf(around[1])) around[1] = around[0];
    return isfinite(around[0]);
}

/* Errors at a tau, as a power of tau - 1/2 between those of the table. @return whether there are any */
static bool errors_at(const part *p, double tau, double cells, knot *knots, double error[ERRORS])
{
    double around[2], at[2][ERRORS];
    if (!taus_around(p, tau, around)) return false;
    for (int k = 0; k < 2; k++) at_tau(p, around[k], cells, knots, at[k]);
    const double share = around[1] > around[0] ? log((tau - 0.5) / (around[0] - 0.5)) /
                                                     log((around[1] - 0.5) / (around[0] - 0.5))
                                               : 0;
    for (int e = 0; e < ERRORS; e++) error[e] = at[0][e] * pow(at[1][e] / at[0][e], share);
    return true;
}

/* Return errors that are not known. */
static rill_case_plan_errors none(double cells, double tau)
{
    rill_case_plan_errors out = {.cells = cells,
                                 .tau = tau,
                                 .pressure = NAN,
                                 .mean = NAN,
                                 .local = NAN,
                                 .dean = NAN,
                                 .bend = NAN,
                                 .cell_reynolds = NAN,
                                 .measured = NAN};
    for (int k = 0; k < RILL_CASE_PLAN_SHAPES; k++) out.shape[k].pressure = NAN;
    return out;
}

/* Return the cell Reynolds number up to which flows of a Reynolds number were measured with so many cells. */
static double cell_of(double reynolds, double cells, double most)
{
    return 2 * reynolds / fmin(fmax(cells, CELLS_LEAST), most);
}

rill_case_plan_errors rill_expected_at(const rill_expected *t, rill_lattice lattice, rill_collision collision,
                                       double cells, double tau, double alpha)
{
    rill_case_plan_errors out = none(cells, tau);
    const part steady = {t, lattice, collision, false},
               oscillating = {t, lattice, oscillating_with(t, collision), true},
               each[] = {{t, lattice, RILL_TRT, true}, {t, lattice, RILL_CUMULANT, true}};
    double error[ERRORS], pulse[ERRORS];
    knot *knots = t->count ? calloc((size_t)t->count, sizeof *knots) : NULL;
    out.layer = alpha > 0 ? cells / 2 / alpha : 0;
    if (!knots || !errors_at(&steady, tau, cells, knots, error)) goto done;
    out.measured = cell_of(RILL_EXPECTED_REYNOLDS, cells, CELLS_MOST);
    if (alpha > 0 && errors_at(&oscillating, tau, out.layer, knots, pulse)) {
        if (pulse[2] > error[2]) out.measured = RILL_EXPECTED_CELL_PULSE;
        for (int e = 0; e < ERRORS; e++) error[e] = fmax(error[e], pulse[e]);
    }
    if (collision == RILL_TRT) out.measured = fmin(out.measured, RILL_EXPECTED_CELL_TRT);
    /* That of the mean is of the extrapolation and goes up and down as the layer lies between nodes, whatever
     * the collision: the larger one of all that were measured with as many cells in it. */
    for (int k = 0; k < 2; k++)
        if (alpha > 0 && errors_at(&each[k], tau, out.layer, knots, pulse))
            error[1] = fmax(error[1], pulse[1]);
    out.pressure = error[0];
    out.mean = error[1];
    out.local = error[2];
done:
    free(knots);
    return out;
}

double rill_expected_width(const rill_opening *o)
{
    enum { DIRECTIONS = 64 };
    double width = o->hydraulic_diameter, x[3], y[3];
    int axis = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(o->normal[a]) < fabs(o->normal[axis])) axis = a;
    for (int a = 0; a < 3; a++) x[a] = (a == axis) - o->normal[axis] * o->normal[a];
    const double length = sqrt(rill_dot(x, x));
    for (int a = 0; a < 3; a++) x[a] /= length;
    rill_cross(o->normal, x, y);
    for (int k = 0; k < DIRECTIONS && o->outline_count >= 3; k++) {
        const double angle = M_PI * k / DIRECTIONS;
        double low = INFINITY, high = -INFINITY;
        for (uint64_t j = 0; j < o->outline_count; j++) {
            const double at =
                cos(angle) * rill_dot(x, o->outline[j]) + sin(angle) * rill_dot(y, o->outline[j]);
            low = fmin(low, at);
            high = fmax(high, at);
        }
        width = fmin(width, high - low);
    }
    return width;
}

/* The wall shear of viscosity laws is fitted to stresses alone. The local error is as in the table with
 * cumulants and central moments, and with TRT larger by this: 2.04 at 12 and 2.10 at 20 cells, Casson, tau
 * 0.51. */
#define STRESSES_ALONE 2.1

rill_case_plan_errors rill_case_expected(const rill_case *given, const rill_case_plan *plan, double cells)
{
    const bool quadratic = given->walls == RILL_WALLS_QUADRATIC;
    rill_expected table;
    const rill_case_plan_opening *least = &plan->openings[0];
    for (int k = 1; k < plan->opening_count; k++)
        if (plan->openings[k].narrow < least->narrow) least = &plan->openings[k];
    double fewest = least->cells;
    for (int k = 0; k < plan->opening_count; k++) fewest = fmin(fewest, plan->openings[k].cells);
    const double finer = isnan(cells) ? 1 : cells / fewest, flat = least->narrow / least->cells,
                 tau = 0.5 + (plan->options.tau - 0.5) * finer;
    cells = least->narrow * finer;
    rill_case_plan_errors out = none(cells, tau);
    if (given->walls == RILL_WALLS_HALF_WAY || !(least->cells > 0)) return out;
    if (rill_expected_read(quadratic, &table) != RILL_OK) return out;
    const rill_variant v = plan->options.variant;
    out = rill_expected_at(&table, v.lattice, v.collision, cells, tau, least->womersley * flat);
    rill_expected_free(&table);
    if (given->law.kind != RILL_LAW_NEWTONIAN && v.collision == RILL_TRT) out.local *= STRESSES_ALONE;
    out.cell_reynolds = rill_case_plan_cell_reynolds(given, plan) / finer;
    out.at_least = out.cell_reynolds > out.measured;
    out.sound = plan->compliance.mean_sound;
    out.pressure += out.sound;
    out.mean += out.sound;
    out.local += out.sound;
    out.dean = least->reynolds * sqrt(1 / RILL_EXPECTED_BEND);
    if (out.dean > 0 && rill_expected_bend(quadratic, out.dean, cells, &out.bend) == RILL_OK)
        out.bend = fmax(out.bend + out.sound, out.local);
    out.bend_at_least = out.at_least || out.dean > RILL_EXPECTED_DEAN;
    for (int k = 0; k < RILL_CASE_PLAN_SHAPES && !isnan(out.local); k++) {
        double e[ERRORS];
        const double measured = k == RILL_CASE_PLAN_STENOSIS
                                    ? cell_of(RILL_EXPECTED_REYNOLDS_STENOSIS, cells, CELLS_SHAPE)
                                    : RILL_EXPECTED_CELL_SHAPE;
        if (rill_expected_shape(quadratic, (rill_case_plan_shape)k, cells, e) != RILL_OK) continue;
        out.shape[k] = (rill_shape_errors){.pressure = fmax(e[0] + out.sound, out.pressure),
                                           .mean = fmax(e[1] + out.sound, out.mean),
                                           .local = fmax(e[2] + out.sound, out.local),
                                           .at_least = out.at_least || out.cell_reynolds > measured};
    }
    return out;
}
