/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/grids.h
 * A case on three grids: what has to be the same on all of them, and the limit of ever finer ones that their
 * results extrapolate to.
 *
 * The caller makes the geometries of the two coarser grids, whose voxels are rill_grids_spacing() times as
 * large, from the same surface, so that all have the same triangles. It reads the case once for each grid,
 * calls rill_grids_begin() on that of the finest one and makes its plan, then rill_grids_fix() on the others,
 * and runs all three.
 */
#ifndef RILL_PUBLIC_GRIDS_H
#define RILL_PUBLIC_GRIDS_H

#include "rill/vessel.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RILL_GRIDS = 3,             /**< the coarsest first */
    RILL_GRIDS_QUANTITIES = 509 /**< of a result, at most: 3 of the wall shear, 2 of each opening */
};

/**
 * Return the spacing of a grid over that of the finest one.
 * @param[in] k number of the grid, 0 the coarsest
 * @return at least 1
 */
double rill_grids_spacing(int k);

/**
 * Say that a case runs on coarser grids, too: its inlets keep as much of their profiles as the coarsest one
 * allows.
 * @param[in,out] given the case, before its plan is made
 * @param[in] finest geometry of the finest grid
 */
void rill_grids_begin(rill_case *given, const rill_geom *finest);

/**
 * Fix what a case leaves to rill and what depends on the grid, for a coarser grid: the time step is that of
 * the same Mach number, and variant, soft start and duration are those of the plan on the finest grid.
 * @param[in,out] given the case of the coarser grid
 * @param[in] fine plan on the finest grid, after rill_grids_begin()
 * @param[in] k number of the coarser grid
 */
void rill_grids_fix(rill_case *given, const rill_case_plan *fine, int k);

/** One number of a result on all grids. */
typedef struct rill_grids_quantity {
    char name[RILL_OPENING_NAME]; /**< of the opening; empty: of the whole vessel */
    const char *key;              /**< "tawss_mean_pa", "pressure_pa"; static */
    double value[RILL_GRIDS];     /**< SI, the coarsest first */
    double noise[RILL_GRIDS];     /**< how far the last cycle may be from the periodic or steady state */
    double order;                 /**< observed; NaN where there is none */
    bool order_used;              /**< false: the limit is the value of the finest grid */
    double limit;                 /**< extrapolated, SI */
    double uncertainty;           /**< of it, absolute */
} rill_grids_quantity;

/**
 * Extrapolate the results: wall shear, and the pressures and flows that the case does not give. The noise of
 * a grid is its change (rill_run_result) times the value, 0 where it is not known.
 * @param[in] fine vessel on the finest grid
 * @param[in] spacing [RILL_GRIDS], m, the coarsest first
 * @param[in] results [RILL_GRIDS], of runs that ended
 * @param[out] out [RILL_GRIDS_QUANTITIES]
 * @return the number of quantities
 */
int rill_grids_extrapolate(const rill_vessel *fine, const double *spacing, const rill_run_result *results,
                           rill_grids_quantity *out);

/**
 * Extrapolate TAWSS triangle by triangle.
 * @param[in] spacing [RILL_GRIDS], m, the coarsest first
 * @param[in] tawss [RILL_GRIDS], each [count], Pa; NaN where there is none
 * @param[in] count triangles
 * @param[out] limit [count], Pa
 * @param[out] uncertainty [count], Pa
 */
void rill_grids_wall(const double *spacing, const float *const *tawss, uint64_t count, float *limit,
                     float *uncertainty);

/**
 * Extrapolate TAWSS triangle by triangle, and write it with its uncertainty beside that of the finest grid.
 * @param[in] geom geometry of the finest grid
 * @param[in] spacing [RILL_GRIDS], m, the coarsest first
 * @param[in] tawss [RILL_GRIDS], each [triangles of the surface], Pa
 * @param[in] step last step of the finest grid
 * @param[in] time s, of that step
 * @param[in] command provenance; may be NULL
 * @param[in] path of the file, error-bar.vtkhdf
 * @return RILL_SYSTEM when it cannot be written
 */
rill_status rill_grids_wall_write(const rill_geom *geom, const double *spacing, const float *const *tawss,
                                  uint64_t step, double time, const char *command, const char *path);

#ifdef __cplusplus
}
#endif

#endif
