/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/dispersion.h
 * How a solute spreads in the steady flow through a pore space.
 */
#ifndef RILL_PUBLIC_DISPERSION_H
#define RILL_PUBLIC_DISPERSION_H

#include "rill/device.h"
#include "rill/geometry.h"
#include "rill/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RILL_PECLETS = 64,               /**< Peclet numbers, at most */
    RILL_BREAKTHROUGH_SAMPLES = 200, /**< of a run in time, in the time in which the flow fills the pores */
    RILL_BREAKTHROUGH_TIMES = 32,    /**< at which fields are handed out, at most */
    RILL_BREAKTHROUGH_LONGEST = 100  /**< pore volumes after which a run ends at the latest */
};

#define RILL_CELL_PECLET_RUN 10.0 /**< largest |u| dx / D0 of a run in time, whose fronts are steep */

#define RILL_CELL_PECLET_MOST 100.0 /**< largest |u| dx / D0 that is computed */
#define RILL_CELL_PECLET_FINE 2.0   /**< above this a note says to compare with smaller voxels */

/** The closure field of one Peclet number, for rill_dispersion_options.finished; in node order. */
typedef struct rill_dispersion_field {
    int point;              /**< index of the Peclet number */
    double peclet;          /**< its value */
    rill_node nodes;        /**< number of nodes: of the fluid voxels of the geometry */
    const double *b[3];     /**< [nodes] each, b_x, b_y, b_z, voxels, with the mean 0; NULL: not computed */
    const double *velocity; /**< [nodes], velocity along the axis of the flow at the centre of the voxel, the
                                 mean of both faces, over its mean in the pores */
} rill_dispersion_field;

/** How a solute comes into the box in a run in time. */
typedef enum rill_release {
    RILL_RELEASE_NONE,  /**< there is no such run */
    RILL_RELEASE_PULSE, /**< all of it at once, with the flow through the inlet: in each voxel behind that in
                             proportion to what flows in there; the mean concentration of the box is 1 */
    RILL_RELEASE_STEP   /**< what flows in has the concentration 1 from time 0 on */
} rill_release;

/** What a sample of a run in time has. */
enum {
    RILL_BREAKTHROUGH_TIME,     /**< pore volumes that have flowed in */
    RILL_BREAKTHROUGH_OUTLET,   /**< concentration of what flows out */
    RILL_BREAKTHROUGH_MASS,     /**< mean concentration in the pores */
    RILL_BREAKTHROUGH_POSITION, /**< mean distance of the solute from the inlet, voxels; NaN without solute */
    RILL_BREAKTHROUGH_VARIANCE, /**< of that, voxels^2; NaN without solute */
    RILL_BREAKTHROUGH_COLUMNS
};

/** A run in time between two faces, at one Peclet number. */
typedef struct rill_breakthrough {
    double peclet;     /**< of the options */
    uint64_t steps;    /**< time steps */
    uint64_t count;    /**< of the samples */
    double *samples;   /**< [count][RILL_BREAKTHROUGH_COLUMNS], owned */
    double mean;       /**< time at which the solute comes out, pore volumes */
    double variance;   /**< of that, pore volumes^2 */
    double recovered;  /**< part of the solute that has come out; of a step: concentration at the outlet */
    double dispersion; /**< D_L / D0 of a uniform column of this length with the same variance; NaN while less
                            than 99.9 % have come out */
    double least;      /**< least concentration in all samples */
    double most;       /**< largest of them */
    double seconds;    /**< wall clock */
} rill_breakthrough;

/** Concentrations of a run in time, for rill_dispersion_options.moment; in node order. */
typedef struct rill_concentration_field {
    int point;                   /**< index of the Peclet number */
    int number;                  /**< index of the time */
    double peclet;               /**< of the point */
    double time;                 /**< pore volumes */
    rill_node nodes;             /**< number of nodes */
    const double *concentration; /**< [nodes] */
    const double *flux[3]; /**< [nodes] each, x, y, z, at the centres of voxels: the mean of both faces, over
                                the mean velocity in the pores */
} rill_concentration_field;

/** What to compute. */
typedef struct rill_dispersion_options {
    int axis;                    /**< 0, 1, 2: of the mean flow; the box is periodic along it */
    double peclet[RILL_PECLETS]; /**< [peclet_count], U length / D0, at least 0; U: mean velocity in the
                                      conducting pores along the axis */
    int peclet_count;            /**< number of Peclet numbers */
    double length;               /**< voxels; 0: 4 pore volume / wall area, which is 2/3 of the voxel faces,
                                      the share of a smooth wall */
    double tolerance;            /**< relative half-width of the bounds of D_ii to stop at */
    uint64_t max_iterations;     /**< for each Peclet number and axis */
    rill_progress progress;      /**< all 0: none */
    const char *checkpoint;      /**< file that is written whenever an axis of a Peclet number, or a run in
                                      time, is solved; removed at the end. NULL: none */
    bool checkpoint_stays;       /**< leave it at the end: the caller removes it when the result is written */
    bool resume;                 /**< go on from the checkpoint, to the same bits */
    /** Called for each Peclet number, e.g. to write fields. May be NULL. */
    rill_status (*finished)(void *context, const rill_dispersion_field *field);
    void *context;        /**< passed to `finished` and `moment` */
    rill_release release; /**< of a run in time between the two faces normal to the axis */
    double duration;      /**< of such a run, pore volumes; 0: until 99.99 % have come out, at
                               most RILL_BREAKTHROUGH_LONGEST */
    double times[RILL_BREAKTHROUGH_TIMES]; /**< [time_count], when `moment` is called, pore volumes, rising */
    int time_count;                        /**< number of them */
    /** Called at each of the times of each run. May be NULL. */
    rill_status (*moment)(void *context, const rill_concentration_field *field);
} rill_dispersion_options;

/** Dispersion at one Peclet number. */
typedef struct rill_dispersion_point {
    double peclet;       /**< of the options */
    double cell_peclet;  /**< largest |velocity through a face| dx / D0 */
    double d[3][3];      /**< symmetric part of the dispersion tensor over D0, per pore volume; NaN of axes
                              along which the box is not periodic */
    double bound[3][3];  /**< of d, absolute: what the iterations left of the linear system is at most this */
    uint64_t iterations; /**< of all axes */
    bool converged;      /**< the bounds are within the tolerance */
    double seconds;      /**< wall clock */
} rill_dispersion_point;

/** Dispersion tensors of a flow. */
typedef struct rill_dispersion {
    rill_dispersion_point points[RILL_PECLETS]; /**< [point_count], in the order of the options */
    int point_count;                            /**< number of points */
    bool converged;                             /**< every point did */
    double length;                              /**< of the Peclet numbers, voxels */
    double velocity;                            /**< U, unit of the velocities */
    double divergence;    /**< of the velocities at faces as they were given: root mean square of the net flow
                               out of a voxel, over that of the velocities at faces */
    double correction;    /**< root mean square of what made them free of divergence, over that of the
                               velocities */
    double left;          /**< largest net flow out of a voxel after that, over the largest velocity */
    double porosity;      /**< conducting pores: part of the sample through which the solute goes */
    uint64_t nodes;       /**< voxels through which the solute goes */
    uint64_t dropped;     /**< pore voxels that no face connects to them and that became solid */
    uint64_t bytes;       /**< host memory of the solver at most */
    double seconds_setup; /**< s, faces, their correction, coarser grids */
    bool checkpoint_left; /**< the checkpoint of this run is there, as checkpoint_stays says */
    rill_breakthrough *runs; /**< [point_count] of a release, in the order of the points; owned, else NULL */
    char *notes;             /**< what qualifies the result, see rill_notes_add(); owned, may be NULL */
} rill_dispersion;

/** Return the default options. @return axis z, no Peclet number, tolerance 0.1 %, at most 2000 iterations */
rill_dispersion_options rill_dispersion_options_default(void);

/**
 * Compute the steady flow that a body force drives through a geometry along an axis, as
 * rill_permeability_compute() does, until the velocities are within the tolerance.
 * @param[in,out] geom  pores through which nothing flows along the axis become solid
 * @param[in] axis      0, 1, 2, with periodic boundaries
 * @param[in] tolerance of the permeability, relative
 * @param[in] backend   where it is computed
 * @param[in] progress  all 0: none
 * @param[out] u        [3][nodes], velocities at the centres of the fluid voxels in node order, lu; see
 *                      rill_pore_velocities_free()
 * @return as rill_permeability_compute()
 */
rill_status rill_pore_velocities_compute(rill_geom *geom, int axis, double tolerance,
                                         rill_backend_kind backend, rill_progress progress, float **u);

/**
 * Read a geometry and the velocities in it from a field file of `rill permeability --fields image`.
 * @param[in] path  the file
 * @param[out] geom the geometry; the caller destroys it
 * @param[out] u    [3][nodes], in node order; see rill_pore_velocities_free()
 * @return RILL_USAGE when it is no such file
 */
rill_status rill_pore_velocities_read(const char *path, rill_geom **geom, float **u);

/** Free velocities. @param[in] u NULL is allowed */
void rill_pore_velocities_free(float *u);

/**
 * Compute dispersion tensors by the closure problem of a periodic cell: u . grad(x_i + b_i) - D0 lap(b_i) =
 * U_i, with no flux into the solid, and D_ij = D0 <grad(x_i + b_i) . grad(x_j + b_j)>, the mean over the
 * pores. The equations are finite volumes of the voxels, with the mean of two voxels at a face.
 * @param[in,out] geom  pores that no path through faces of voxels along the axis meets become solid
 * @param[in] u     [3][nodes], velocities at the centres of the fluid voxels, in node order, any unit
 * @param[in] options the options
 * @param[out] out  filled in also when RILL_NUMERICS is returned for iterations; see rill_dispersion_free()
 *
 * With a release the spreading between two faces is computed in time besides: the periodic faces normal to
 * the axis become an inlet, through which the flow alone carries the solute, and an outlet, where it leaves
 * as it is (Danckwerts 1953, doi:10.1016/0009-2509(53)80001-1). The finite volumes are the same; time steps
 * are explicit and of third order.
 * @return RILL_NUMERICS when nothing conducts, in several parts that no face connects, without flow, or when
 * a bound is above the tolerance; RILL_USAGE for velocities that are not finite, options out of range, among
 * them a cell Peclet number above RILL_CELL_PECLET_MOST, with a release RILL_CELL_PECLET_RUN; RILL_SYSTEM
 * without memory; RILL_CANCELLED
 * @see Brenner (1980), doi:10.1098/rsta.1980.0205; Carbonell & Whitaker, Chem. Eng. Sci. 38,
 * 1795 (1983)
 */
rill_status rill_dispersion_compute(rill_geom *geom, const float *u, const rill_dispersion_options *options,
                                    rill_dispersion *out);

/** Free what a result owns. @param[in,out] result all zero afterwards */
void rill_dispersion_free(rill_dispersion *result);

#ifdef __cplusplus
}
#endif

#endif
