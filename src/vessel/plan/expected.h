/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file expected.h
 * Errors of wall shear and pressure drop to expect, from a table of what was measured in straight pipes:
 * data/wall-shear-errors.csv, which scripts/wall-shear-errors makes of records of `rill verify`. Walls that
 * are interpolated quadratically have tables of their own, data/wall-shear-errors-quadratic.csv and likewise.
 */
#ifndef RILL_VESSEL_EXPECTED_H
#define RILL_VESSEL_EXPECTED_H

#include "vessel/case/case.h"

/**
 * How far the flows of the tables go, which src/verify makes and rill_expected_at() states: Reynolds numbers
 * of steady flow by mean speed and width, which are those by the speed on the axis and the radius; cell
 * Reynolds numbers by the speed on the axis; Dean numbers in bends whose radius is so many of the pipe.
 */
#define RILL_EXPECTED_REYNOLDS 200
#define RILL_EXPECTED_REYNOLDS_STENOSIS 8 /**< of data/stenosis.csv */
#define RILL_EXPECTED_DEAN 100.0
#define RILL_EXPECTED_BEND 5.0
#define RILL_EXPECTED_CELL_TRT 5
#define RILL_EXPECTED_SPEED 0.0556     /**< lu, on the axis, at most, of steady flow: a Mach number of 0.1 */
#define RILL_EXPECTED_CELL_SHAPE 16.7  /**< of shapes: at that speed and tau 0.51 */
#define RILL_EXPECTED_SPEED_PULSE 0.05 /**< of oscillating flow */
#define RILL_EXPECTED_CELL_PULSE 30.0  /**< at that speed and the least tau, 0.505 */

/** A point of the table. */
typedef struct rill_expected_point {
    rill_lattice lattice;
    rill_collision collision;
    double tau;
    double alpha;    /**< Womersley number; 0: steady */
    double cells;    /**< across */
    double error[3]; /**< relative: pressure drop, mean wall shear, local wall shear */
} rill_expected_point;

/** The table in memory. */
typedef struct rill_expected {
    rill_expected_point *points; /**< [count], owned */
    int count;
} rill_expected;

/** Read it. @param[in] quadratic  the walls @return RILL_USAGE with the remedy when it is missing or damaged
 */
rill_status rill_expected_read(bool quadratic, rill_expected *out);

/** Free it; a cleared one is allowed. */
void rill_expected_free(rill_expected *expected);

/**
 * Find the errors at a number of cells across, a relaxation time and a Womersley number.
 *
 * Between points they are interpolated as powers of the cells and of tau - 1/2. Beyond the first or last
 * number of cells the power is that of the nearest two, from -2 to -1/2; beyond the least and largest tau
 * they are those of it. An error is at least that of more cells. In oscillating flow the error is at least
 * that of the same number of cells in the boundary layer R / alpha at this relaxation time; of the mean, with
 * any collision.
 * `measured` becomes the cell Reynolds number up to which flows with as many cells across were measured, of
 * those whose local error it is.
 * @param[in]  alpha  0: steady
 * @return NaN for a lattice and collision that are not in the table
 */
rill_case_plan_errors rill_expected_at(const rill_expected *expected, rill_lattice lattice,
                                       rill_collision collision, double cells, double tau, double alpha);

/**
 * Find the local error of the wall shear in a bend of five radii, from data/bend-errors.csv: a power of the
 * cells in the boundary layer at the outer wall, which is as thick as radius / sqrt(Dean number).
 * @return RILL_USAGE with the remedy when the table is missing or damaged
 */
rill_status rill_expected_bend(bool quadratic, double dean, double cells, double *local);

/** Return the name of a shape in data/shape-errors.csv and in JSON. */
const char *rill_case_plan_shape_name(rill_case_plan_shape shape);

/**
 * Find the errors of a shape at a number of cells across, from data/shape-errors.csv, as powers of the cells.
 * @param[out] errors  as rill_expected_point.error
 * @return RILL_USAGE with the remedy when the table is missing, damaged or lacks the shape
 */
rill_status rill_expected_shape(bool quadratic, rill_case_plan_shape shape, double cells, double errors[3]);

/** Return the width of an opening where it is narrowest, m: between two parallel lines, at most its hydraulic
 * diameter. Flows through flat openings err as in a pipe of this width. */
double rill_expected_width(const rill_opening *opening);

/**
 * Find the errors of a case where its vessel has the fewest cells across an opening, from the table of the
 * data for its walls, with the cells where that is narrowest.
 * @param[in] cells  NaN: those of the plan; else across the hydraulic diameter, at the same Mach number
 * @return NaN where they are not known: without the table, with half-way bounce-back, with a lattice and
 * collision that are not in it
 */
rill_case_plan_errors rill_case_expected(const rill_case *given, const rill_case_plan *plan, double cells);

#endif
