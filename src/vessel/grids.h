/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file grids.h
 * A case on three grids: what has to be the same on all of them, and the limit of ever finer ones that their
 * results extrapolate to.
 */
#ifndef RILL_VESSEL_GRIDS_H
#define RILL_VESSEL_GRIDS_H

#include "core/refinement.h"
#include "vessel/case.h"

enum {
    RILL_GRIDS = RILL_REFINEMENT_LEVELS,
    RILL_GRIDS_QUANTITIES = 3 + 2 * RILL_OPENINGS /**< at most */
};

/** The spacing of a grid over that of the next finer one. */
#define RILL_GRIDS_RATIO (4.0 / 3)

/** Return the spacing of grid k, 0 the coarsest, over that of the finest. */
double rill_grids_spacing(int k);

/**
 * Fix what a case leaves to rill and what depends on the grid, for a coarser grid: the time step is that of
 * the same Mach number, and variant, soft start and duration are those of the plan on the finest grid.
 * @param[in,out] given  of the coarser grid
 * @param[in]     fine   plan on the finest grid, for which rill_case.coarsest was set
 * @param[in]     k      number of the coarser grid
 */
void rill_grids_fix(rill_case *given, const rill_case_plan *fine, int k);

/** One number of a result on all grids. */
typedef struct rill_grids_quantity {
    char name[RILL_OPENING_NAME + 16]; /**< "TAWSS, mean", "pressure of NAME" */
    const char *key;                   /**< "tawss_mean_pa", "pressure_pa" */
    const char *opening;               /**< name, borrowed; NULL: of the whole vessel */
    double value[RILL_GRIDS];          /**< SI, the coarsest first */
    double noise[RILL_GRIDS];          /**< how far the last cycle may be from the periodic or steady state */
    rill_refinement found;
} rill_grids_quantity;

/**
 * Extrapolate the results: wall shear, and the pressures and flows that the case does not give. The noise of
 * a grid is its change (rill_run_result) times the value, 0 where it is not known.
 * @param[in]  spacing  [RILL_GRIDS], m, the coarsest first
 * @param[in]  results  [RILL_GRIDS], of runs that ended
 * @param[out] out      [RILL_GRIDS_QUANTITIES]
 * @return the number of quantities
 */
int rill_grids_extrapolate(const rill_vessel *fine, const double *spacing, const rill_run_result *results,
                           rill_grids_quantity *out);

/**
 * Extrapolate TAWSS triangle by triangle, and write it with its uncertainty beside that of the finest grid.
 * @param[in] tawss    [RILL_GRIDS], each [triangles of the surface], Pa
 * @param[in] step, time, command  as of rill_wall_fields
 */
rill_status rill_grids_wall_write(const rill_geom *geom, const double *spacing, const float *const *tawss,
                                  uint64_t step, double time, const char *command, const char *path);

#endif
