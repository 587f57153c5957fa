/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/error_bar.h
 * How far a permeability may be off.
 */
#ifndef RILL_PUBLIC_ERROR_BAR_H
#define RILL_PUBLIC_ERROR_BAR_H

#include "rill/permeability.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What makes k uncertain: the rows of an error bar, in this order. */
typedef enum rill_error_row {
    RILL_ERROR_CONVERGENCE,  /**< of the series on these voxels: bound */
    RILL_ERROR_FORMAT,       /**< rounding of the populations: bound */
    RILL_ERROR_SHAPE,        /**< the shape that the voxels sample: estimate */
    RILL_ERROR_BOUNDARIES,   /**< the choice of the domain boundaries: estimate */
    RILL_ERROR_SEGMENTATION, /**< the threshold between pore and solid: estimate */
    RILL_ERROR_SAMPLE,       /**< the part of the material that the image shows: estimate */
    RILL_ERROR_ROWS          /**< number of rows */
} rill_error_row;

/** What is known of a row. */
typedef enum rill_error_state {
    RILL_ERROR_NOT_ASKED, /**< it was not requested */
    RILL_ERROR_UNKNOWN,   /**< it was requested, and could not be found: the note says why */
    RILL_ERROR_KNOWN      /**< it is part of the total */
} rill_error_state;

/** What a further run of an error bar is for. */
typedef enum rill_error_bar_purpose {
    RILL_ERROR_BAR_SIDES, /**< the whole box with the other domain boundaries; on coarser voxels with its own,
                             too */
    RILL_ERROR_BAR_GRID,  /**< the box or a crop of it in fp64, its voxels split */
    RILL_ERROR_BAR_FORMAT, /**< the whole box in fp64, or a crop in the format of the plain run */
    RILL_ERROR_BAR_SHAPE   /**< the whole box with interpolated bounce-back on a surface through its voxels,
                                or through its grey values */
} rill_error_bar_purpose;

enum {
    RILL_ERROR_BAR_GRIDS = 2,  /**< boxes that are refined, at most */
    RILL_ERROR_BAR_LEVELS = 3, /**< voxels split into 1, 2^3 and 3^3 */
    RILL_ERROR_BAR_PARTS = 10  /**< further runs, at most */
};

/** One further run (three of them for a tensor). */
typedef struct rill_error_bar_part {
    rill_error_bar_purpose purpose; /**< what the run is for */
    int grid;                       /**< number of the box that is refined; -1: the whole box */
    uint32_t first[3];              /**< first voxel taken, along x, y, z */
    uint32_t n[3];                  /**< voxels taken along x, y, z, before they are split */
    uint32_t split;                 /**< parts of a voxel along each axis */
    bool sensitivity;               /**< what the walls of its flow decide is found, too */
    bool coarser;                   /**< of 2^3 voxels in one instead */
    rill_side sides[3];             /**< domain boundaries */
    rill_variant variant;           /**< variant of the run */
    double tolerance;               /**< relative uncertainty at which the run ends */
    double magic;                   /**< magic parameter of the run */
    uint64_t nodes;                 /**< estimated from those of the box before its voxels are split */
    double steps_expected;          /**< time steps per axis, estimated to a factor of a few */
    double cost;                    /**< time, estimated, in units of the plain run's estimate */
    uint64_t host_bytes;            /**< host memory needed, estimated */
    uint64_t device_bytes;          /**< device memory needed, estimated; 0 on the CPU */
} rill_error_bar_part;

/** What an error bar will take, known before it starts. */
typedef struct rill_error_bar_plan {
    rill_error_bar_part parts[RILL_ERROR_BAR_PARTS]; /**< [part_count] */
    int part_count;                                  /**< number of further runs */
    int grids;             /**< boxes that are refined; 0: none fits, grid_note says why */
    bool whole;            /**< the box that is refined is the whole one */
    double cost;           /**< of all parts, in units of the plain run's estimate */
    uint64_t host_bytes;   /**< the most host memory that a part needs */
    uint64_t device_bytes; /**< the most device memory that a part needs */
    char sides_note[256];  /**< what is compared for the domain boundaries, or why nothing is */
    char grid_note[256];   /**< the same for the discretisation */
    char format_note[256]; /**< the same for the number format */
    char shape_note[256];  /**< the same for the shape; "" without `fine` */
} rill_error_bar_plan;

/** What to compute. */
typedef struct rill_error_bar_options {
    bool fine;      /**< split voxels, too: the limit of the staircase, and fp64 for the number format */
    double updates; /**< node updates that refinement may take; 0: chosen, see the plan's note */

    rill_progress progress; /**< of all parts: moments name the part; all 0: none */
} rill_error_bar_options;

/** One row; arrays are of the axes x, y, z, NaN where the flow was not driven along one. */
typedef struct rill_error_bar_contribution {
    const char *name;       /**< see rill_error_row_name() */
    bool bound;             /**< the error is at most the half-width; false: it is estimated */
    rill_error_state state; /**< whether it is part of the total */
    double relative[3];     /**< (k otherwise - k) / k, signed; NaN where there is no sign */
    double half_width[3];   /**< of the interval that is due to it, relative to the best estimate */
    char note[256];         /**< one sentence */
} rill_error_bar_contribution;

/** The refinement of one box; k in lu of the voxels before they are split, levels as in the plan. */
typedef struct rill_error_bar_grid {
    uint32_t first[3];                              /**< first voxel of the box, along x, y, z */
    uint32_t n[3];                                  /**< voxels of the box along x, y, z */
    double k[RILL_ERROR_BAR_LEVELS][3];             /**< k_aa of each level */
    double uncertainty_k[RILL_ERROR_BAR_LEVELS][3]; /**< of the series they come from, absolute */
    double order[3];       /**< observed; NaN where differences do not shrink with one sign */
    bool sane[3];          /**< the order was used; false: see rill_permeability_error_bar() */
    double limit[3];       /**< of ever finer voxels, lu */
    double uncertainty[3]; /**< of it, absolute */
} rill_error_bar_grid;

/** A permeability with its uncertainty; arrays are of the axes x, y, z, NaN where there is none. */
typedef struct rill_error_bar {
    rill_error_bar_contribution contributions[RILL_ERROR_ROWS]; /**< by rill_error_row */
    double k[3];     /**< k_aa of the plain run, lu: of the voxels, with half-way bounce-back */
    double best[3];  /**< best estimate of k_aa of the shape that the voxels sample, lu: the centre of the
                          interval; k without one */
    double total[3]; /**< half-width of the interval, relative to the best estimate: the sum of the bounds
                        that are known, plus the root of the sum of the squares of the estimates */
    double without_boundaries[3]; /**< the same without the domain boundaries, a choice, no error */
    bool complete;                /**< what was requested is known */
    rill_error_bar_grid grids[RILL_ERROR_BAR_GRIDS]; /**< [grid_count], refined boxes */
    int grid_count;                                  /**< number of refined boxes; 0 unless `fine` */
    double staircase_limit[3]; /**< k_aa for ever finer voxels with the surface of the image's voxels, lu: no
                                    estimate of k of the shape */
    double staircase_relative[3]; /**< half-width of it, relative */
    double wall_shift[3];         /**< see rill_permeability_flow, lu: what `best` was estimated from */
    double wall_room[2][3];       /**< see rill_permeability_flow, lu */
    double surface_k[2][3]; /**< k_aa with interpolated bounce-back on a smooth surface through the voxels, of
                               a threshold with a width on the surface where grey values are at it, lu, with
                               magic parameters of 0.12 and 3/16; NaN: it was not run */
    double surface_threshold[2][3]; /**< the same with 3/16, of the thresholds of rill_permeability_walls with
                               fewer and with more pores, from its first derivative; NaN: none has a width */
    double off_axis[3][3]; /**< bounds on convergence and number format of the entries beside the diagonal of
                              a  tensor, row: flow, column: force, lu; NaN: no such entry. Of these no other
                              row  is known */
    double seconds;        /**< wall-clock time of all parts, s */
} rill_error_bar;

/**
 * Return the name of a row.
 * @param[in] row the row
 * @return "convergence", "number format", "shape and voxels", "domain boundaries", "segmentation", "sample"
 */
const char *rill_error_row_name(rill_error_row row);

/**
 * Return what one run says of its own error: bounds on convergence and number format, all else not asked.
 * @param[in] plain the result; NaN of runs that did not converge
 * @param[out] out the error bar, without further runs
 */
void rill_error_bar_of_run(const rill_permeability *plain, rill_error_bar *out);

/**
 * Put a row into an error bar, and add all rows up again.
 * @param[in,out] bar the error bar
 * @param[in] row     which
 * @param[in] state   RILL_ERROR_KNOWN with its arrays, RILL_ERROR_UNKNOWN with NULL for both
 * @param[in] relative [3] signed effect on k_aa, relative; NULL: no sign
 * @param[in] half_width [3] relative to the best estimate
 * @param[in] note    one sentence, cut at 255 bytes
 */
void rill_error_bar_put(rill_error_bar *bar, rill_error_row row, rill_error_state state,
                        const double *relative, const double *half_width, const char *note);

/**
 * Plan the further runs that bound the error of the permeability of a plain run.
 * @param[in] geom the geometry before rill_permeability_plan_make() made pores solid: other domain boundaries
 * may connect them. Pores that were dropped earlier stay dropped.
 * @param[in] options those of the plain run; a body force and the Stokes equilibrium are required
 * @param[in] plain plan of the plain run
 * @param[in] bar what to compute
 * @param[out] out the plan; costs and memory are estimates; each run checks the memory again before it
 * allocates
 * @return RILL_USAGE for a drive or an equilibrium that has none, RILL_SYSTEM without memory
 */
rill_status rill_error_bar_plan_make(const rill_geom *geom, const rill_permeability_options *options,
                                     const rill_permeability_plan *plain, const rill_error_bar_options *bar,
                                     rill_error_bar_plan *out);

/**
 * Run the parts of an error bar, and add up their contributions.
 *
 * Bounds are added. Estimates, which are of independent causes, are added in quadrature (JCGM 100:2008). The
 * limit of the staircase is Richardson's with the observed order p (Roache 1994, doi:10.1115/1.2910291; Celik
 * et al. 2008, doi:10.1115/1.2960953), its uncertainty the largest of the distances to the limits with p = 1
 * and p = 2 and of a quarter of the distance to the finest grid. Where p is not between 0.5 and 2.5 the limit
 * is the finest grid's value, with three times the range of the three as its uncertainty (Eça & Hoekstra
 * 2014, doi:10.1016/j.jcp.2014.01.006).
 * @param[in] geom as for rill_error_bar_plan_make()
 * @param[in] options those of the plain run
 * @param[in] plain result of the plain run, converged
 * @param[in] plan of this geometry and these options
 * @param[in] bar what to compute
 * @param[out] out the error bar; where a run failed, rows that need it or later ones are unknown
 * @return RILL_NUMERICS when it was stopped, or the plain run did not converge; RILL_SYSTEM for memory or
 * device
 */
rill_status rill_error_bar_compute(const rill_geom *geom, const rill_permeability_options *options,
                                   const rill_permeability *plain, const rill_error_bar_plan *plan,
                                   const rill_error_bar_options *bar, rill_error_bar *out);

#ifdef __cplusplus
}
#endif

#endif
