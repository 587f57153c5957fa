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

/** What a further run of an error bar is for. */
typedef enum rill_error_bar_purpose {
    RILL_ERROR_BAR_SIDES,  /**< the whole box with the other domain boundaries */
    RILL_ERROR_BAR_GRID,   /**< the box or a crop of it in fp64, its voxels split */
    RILL_ERROR_BAR_FORMAT, /**< the whole box in fp64, or a crop in the format of the plain run */
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
    rill_side sides[3];             /**< domain boundaries */
    rill_variant variant;           /**< variant of the run */
    double tolerance;               /**< relative uncertainty at which the run ends */
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
} rill_error_bar_plan;

/** What to compute. */
typedef struct rill_error_bar_options {
    double updates; /**< node updates that refinement may take; 0: chosen, see the plan's note */

    rill_progress progress; /**< of all parts: moments name the part; all 0: none */
} rill_error_bar_options;

/** One named contribution; arrays are of the axes x, y, z, NaN where the flow was not driven along one. */
typedef struct rill_error_bar_contribution {
    const char *name;   /**< "sides", "discretisation", "number format", "series", "relaxation time" */
    bool assessed;      /**< false: not known, and not in the sum; the note says why */
    double relative[3]; /**< (k otherwise - k) / k, signed; NaN where there is no sign */
    double bound[3];    /**< what is added up, relative to k, at least |relative| */
    char note[256];     /**< one sentence */
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
    rill_error_bar_contribution contributions[5];    /**< [contribution_count] */
    int contribution_count;                          /**< number of contributions */
    rill_error_bar_grid grids[RILL_ERROR_BAR_GRIDS]; /**< [grid_count], refined boxes */
    int grid_count;                                  /**< number of refined boxes */
    double k[3];                                     /**< central value: k_aa of the plain run, lu */
    double relative[3];              /**< half width of the interval around it: the sum of all bounds */
    double numerical[3];             /**< the same without the domain boundaries, a choice, no error */
    double extrapolated[3];          /**< k_aa with the discretisation taken off, lu */
    double extrapolated_relative[3]; /**< half width around that: the sum of what is left */
    bool complete;                   /**< every contribution was assessed */
    double seconds;                  /**< wall-clock time of all parts, s */
} rill_error_bar;

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
 * The bounds are added, not their squares: they are systematic, few, and not independent. The limit of ever
 * finer voxels is Richardson's with the observed order p (Roache 1994, doi:10.1115/1.2910291; Celik et al.
 * 2008, doi:10.1115/1.2960953), its uncertainty the largest of the distances to the limits with p = 1 and p =
 * 2 and of a quarter of the distance to the finest grid. Where p is not between 0.5 and 2.5 the limit is the
 * finest grid's value, with three times the range of the three as its uncertainty (Eça & Hoekstra 2014,
 * doi:10.1016/j.jcp.2014.01.006). It is the limit for the staircase that the voxels are: segmentation and
 * resolution of the image are not in it (docs/method.md).
 * @param[in] geom as for rill_error_bar_plan_make()
 * @param[in] options those of the plain run
 * @param[in] plain result of the plain run, converged
 * @param[in] plan of this geometry and these options
 * @param[in] bar what to compute
 * @param[out] out the error bar
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
