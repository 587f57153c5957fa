/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/permeability.h
 * The permeability of a geometry.
 */
#ifndef RILL_PUBLIC_PERMEABILITY_H
#define RILL_PUBLIC_PERMEABILITY_H

#include "rill/device.h"
#include "rill/geometry.h"
#include "rill/progress.h"
#include "rill/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What drives the flow through a sample. */
typedef enum rill_drive {
    RILL_DRIVE_FORCE,   /**< a body force, with periodic or mirrored boundaries along it */
    RILL_DRIVE_PRESSURE /**< pressures at the far ends of two reservoirs in front of and behind the sample */
} rill_drive;

/** How a permeability run is brought to its end. */
typedef enum rill_acceleration {
    RILL_ACCELERATION_AUTO,   /**< with a pore network if it is applicable and faster */
    RILL_ACCELERATION_NONE,   /**< by time steps alone, and the series of k */
    RILL_ACCELERATION_NETWORK /**< the pressures are corrected, see docs/method.md */
} rill_acceleration;

/** What a run starts from. */
typedef enum rill_permeability_start {
    RILL_START_AUTO, /**< where pores are wide, the flow on grids of voxels 2, 4, 8 ... times as large */
    RILL_START_REST  /**< fluid at rest */
} rill_permeability_start;

/** The fluid nodes of a sample as runs number them. */
typedef struct rill_numbered rill_numbered;

/** The flow through a pore network along one axis, driven by a body force F; in lu, 0: not estimated. */
typedef struct rill_pore_flow {
    double k;       /**< permeability, else that of voxels and walls */
    double squares; /**< of its pressures: sum of p^2 / (F^2 voxels of the sample) */
    double speed;   /**< mean of the velocity, weighted with itself, times nu / F */
    double still;   /**< part of the nodes where hardly anything flows */
    double network; /**< permeability of the pore network; 0: unknown */
} rill_pore_flow;

/** Measure of a pore space, in voxels; all but `voxels`, `porosity` and `surface` are estimates. */
typedef struct rill_pore_measure {
    uint64_t voxels; /**< fluid voxels */
    double porosity; /**< fluid fraction of the box */
    double surface;  /**< wall area per volume of the box: counted faces × 2/3, the share of a smooth wall */
    double opening;  /**< width of the widest pores: of the smallest straight runs of pore along x, y, z
                          through a voxel that end at walls, the 99th percentile over a sample of voxels.
                          Where no run does: the run along a diagonal of a z plane, or the box */
    bool open;       /**< no run ends at walls in more than a hundredth of the voxels */
    bool confined;   /**< else runs across the flow do in most voxels */
    bool crossed;    /**< runs along the flow alone do in most voxels, as between pierced plates */
    double narrow;   /**< the median of these runs */
    double conducts; /**< permeability of the pore network, lu; 0: not estimated */
    double squares;  /**< of its pressures: sum over the nodes of p^2 / (F^2 voxels of the sample), lu */
    double slowest;  /**< steps in which they settle at last, over 3 nu, lu; 0: not estimated */
    double slowest_part; /**< of k that is missing before these steps, relative */
    double slow;         /**< steps in which most of them settle, over 3 nu, lu; 0: not estimated */
    double slow_part;    /**< of k that is missing before these, relative */
    double excess;       /**< of k before pressures oppose the force, relative, where `conducts` is known */
    double speed; /**< mean of the velocity, weighted with itself, times nu / F, lu; 0: not estimated */
    double still; /**< part of the nodes in chambers that hardly anything flows through */
    rill_pore_flow along[3]; /**< along every axis that conducts, where 16 bits store the flow */
    uint32_t edge;           /**< of the blocks of a pore network, in voxels */
    uint32_t chambers;       /**< of that network */
} rill_pore_measure;

/** What is going to be done, known before it starts; in lu unless a unit is given. */
typedef struct rill_permeability_plan {
    uint64_t nodes;          /**< fluid nodes that take part */
    rill_pore_measure pores; /**< what the plan was made from */
    uint64_t ghosts;         /**< numbers given to solid voxels, or to copies in a ring buffer */
    rill_porosity porosity;  /**< of the geometry, before anything was dropped */
    uint64_t dropped;        /**< pore voxels that cannot conduct and became solid */
    double length;           /**< of the period that the flow runs through */
    double momentum;         /**< steps in which momentum settles, times nu, estimated */
    double k_expected;       /**< permeability, estimated to a factor of a few */
    bool pressed; /**< the flow passes long or few ducts: voxels and walls alone suggest far more */
    double tau;   /**< relaxation time */
    double nu;    /**< kinematic viscosity, lu */
    double force; /**< body force per volume, or the pressure drop between the reservoirs / sample length */
    uint64_t reservoirs;   /**< nodes of both reservoirs, beside `nodes`; 0 with a body force */
    double mach;           /**< expected Mach number */
    double reynolds;       /**< expected Reynolds number */
    bool network;          /**< pressures are corrected by a pore network */
    bool mean_speeds;      /**< |u| is that of the mean velocity of two steps, which takes 12 bytes per node;
                                false where they do not fit: the tortuosity is then not known */
    bool nested;           /**< runs start from coarser grids, if pores conduct there; else they follow the
                              plan without that */
    uint32_t chambers;     /**< of a network that sees whether they have settled; 0 without one */
    uint64_t cycle;        /**< steps between two corrections, or in which momentum settles */
    double memory;         /**< part of its last change that a step adds where density and momentum are
                              stored; 0: time steps alone */
    uint64_t every;        /**< steps between the first samples, without a network */
    double steps_expected; /**< time steps per axis, estimated to a factor of a few */
    rill_storage storage;  /**< of the populations: that of the options, or fp64, see keep_storage */
    rill_resources resources; /**< memory, and the parts that devices step */
    char tau_reason[160];     /**< why this tau */
    char force_reason[160];   /**< why this force */
    char *notes; /**< what qualifies the results, such as faces that do not match, see rill_notes_add(); owned
                  */
    rill_numbered *numbered; /**< numbers of the fluid nodes for the runs, owned */
} rill_permeability_plan;

/** A moment of a permeability run, for progress callbacks. */
typedef struct rill_permeability_moment {
    int axis;           /**< 0, 1, 2: the axis of the flow */
    uint64_t steps;     /**< time steps made along the axis */
    double k;           /**< now, along the axis, lu */
    double predicted;   /**< final value; NaN while unknown */
    double uncertainty; /**< of it, relative; infinity while unknown, and with formats of 16 bits */
    double mlups;       /**< million node updates per second */
} rill_permeability_moment;

/** One row of the series of a run. */
typedef struct rill_permeability_sample {
    uint64_t step;      /**< time steps made */
    double k[3];        /**< k_xa, k_ya, k_za at this step, lu */
    double predicted;   /**< final k_aa */
    double uncertainty; /**< of it, absolute */
    double tortuosity;  /**< at this step, of the reservoirs, too */
} rill_permeability_sample;

enum { RILL_DECISIVE_BOXES = 10 /**< boxes of voxels that decide most of a permeability, at most */ };

/** A box of voxels whose walls decide much of a permeability: where a scan at a higher resolution pays. */
typedef struct rill_decisive_box {
    uint32_t first[3]; /**< first voxel, along x, y, z */
    uint32_t n[3];     /**< voxels along x, y, z: 8 where there is room */
    uint32_t voxel[3]; /**< the voxel in it that decides most */
    double share;      /**< of what all walls decide */
} rill_decisive_box;

/** How k_aa depends on its walls: the first derivative, from the flow itself, which is its own adjoint in
 * Stokes flow. Other components of a tensor are not covered. See docs/uncertainty.md. */
typedef struct rill_permeability_walls {
    bool known;       /**< false: it was not requested, or the run did not converge in this process */
    double per_voxel; /**< relative change of k_aa for each voxel that all walls move along their normals,
                         away from the pores */
    uint64_t voxels;  /**< fluid voxels at walls */
    double
        threshold; /**< grey value of rill_voxelize_options.threshold; NaN, as the next: none with a width */
    double threshold_width;  /**< how far it moves, in grey values */
    double threshold_narrow; /**< part of the interval that walls of pores of one or two voxels decide, where
                                the derivative is good for a factor of about two */
    double k_narrow;         /**< k_aa for the threshold that leaves fewer pores, by its width, lu */
    double k_wide;           /**< k_aa for the threshold that leaves more pores, lu */
    double threshold_network[2]; /**< what the pore network conducts at the threshold that leaves fewer, and
                                    more pores, over what it does at that of the run: throats that close or
                                    open are in it; NaN: not known */
    rill_decisive_box boxes[RILL_DECISIVE_BOXES]; /**< [box_count], the most decisive one first; they do not
                                                       overlap */
    int box_count;                                /**< number of boxes */
} rill_permeability_walls;

/** What came of the run that was driven along one axis. */
typedef struct rill_permeability_flow {
    int axis;              /**< 0, 1, 2: the axis of the flow */
    bool converged;        /**< the final value is known within the tolerance */
    char reason[256];      /**< why not, one sentence; "" when converged */
    uint64_t steps;        /**< time steps made */
    rill_storage storage;  /**< of the populations */
    int cycles;            /**< corrections by a pore network, and looks at whether another is needed */
    uint32_t chambers;     /**< of that network; 0 without one */
    double coarse;         /**< k_aa on the grid twice as coarse that it started from, in voxels of this one;
                                NaN: from rest */
    uint64_t coarse_steps; /**< steps made there, and an eighth of those on the next grid, and so on */
    double k[3];           /**< final k_xa, k_ya, k_za, predicted, lu */
    double uncertainty[3]; /**< of them, absolute; held to the tolerance for k_aa and in a tensor */
    double wall_shift; /**< what k_aa gains where every wall moves one voxel into the solid, lu, to the first
                            order; NaN: not requested, or not known (D2Q9, interpolated bounce-back) */
    double wall_room[2]; /**< what it loses, and gains, where walls move into the pores, and into the solids,
                              as far as they can without that a voxel changes, lu; NaN likewise */
    double rounding;     /**< of the uncertainty of k_aa: what the number format of the populations adds */
    double last[3];      /**< at the last step */
    double tortuosity;   /**< mean |u| over mean u_a: Duda, Koza, Matyka (2011),
                              doi:10.1103/PhysRevE.84.036319; NaN while it is not known to a half */
    double tortuosity_uncertainty; /**< of it, absolute; infinity while unknown */
    double reynolds;   /**< mean pore velocity × hydraulic diameter (4 pore volume / wall area) / nu */
    double mach;       /**< largest speed / speed of sound, at the last step */
    double edge_share; /**< largest share of the flow that links through edges or corners alone carry across
                            a plane, see docs/images.md; 0 without such links; NaN: not converged, or in
                            several processes */
    rill_permeability_walls walls;     /**< see rill_permeability_options.sensitivity */
    double seconds;                    /**< time spent stepping, samples included */
    double mlups;                      /**< million node updates per second */
    rill_permeability_sample *samples; /**< [sample_count], owned */
    size_t sample_count;               /**< number of samples */
} rill_permeability_flow;

/** Moments of all nodes at the end of a run. */
typedef struct rill_node_moments {
    rill_node nodes; /**< number of nodes */
    void *from;      /**< passed to `read` */
    /**
     * Read those of nodes first … first + count - 1.
     * @param[out] rho  [count], rho - 1, and u [3][count], lu: means of the last two steps
     */
    rill_status (*read)(void *from, rill_node first, rill_node count, float *rho, float *u);
    double nu;    /**< viscosity of the run, lu */
    double force; /**< body force per volume of the run, or pressure drop per length, lu */
    /**
     * Read how much of k_aa the walls of nodes decide; NULL without rill_permeability_options.sensitivity.
     * @param[out] decides  [count], the relative change of k_aa for each voxel that the walls of the node
     * move along their normals; 0 where a node has none
     */
    rill_status (*read_walls)(void *walls, rill_node first, rill_node count, float *decides);
    void *walls; /**< passed to `read_walls` */
} rill_node_moments;

#define RILL_TAU_MOST 100.0   /**< largest relaxation time of a permeability */
#define RILL_MAGIC_MOST 100.0 /**< largest magic parameter of a permeability */

/** What to compute. */
typedef struct rill_permeability_options {
    rill_variant variant;           /**< what the kernel is compiled for */
    rill_devices on;                /**< where it runs */
    int axis;                       /**< 0, 1, 2, or several, RILL_AXIS_AUTO ... of rill/types.h */
    double tau;                     /**< above 0.5, at most RILL_TAU_MOST; 0: chosen */
    double magic;                   /**< TRT; above 0, at most RILL_MAGIC_MOST */
    rill_drive drive;               /**< what drives the flow */
    uint32_t reservoir;             /**< voxels along the flow of each reservoir, with RILL_DRIVE_PRESSURE */
    double force;                   /**< 0: chosen; see the plan */
    uint64_t every;                 /**< steps between the first samples, at least 2; 0: chosen */
    double tolerance;               /**< relative uncertainty to stop at */
    uint64_t max_steps;             /**< along each axis */
    bool keep_all;                  /**< leave pores in that cannot conduct */
    bool keep_storage;              /**< refuse where fp32 rounds too much; else such runs are made in fp64 */
    rill_acceleration acceleration; /**< how the run is brought to its end */
    rill_permeability_start start;  /**< what it starts from */
    bool wall_room; /**< measure what k gains where walls move, `wall_shift` and `wall_room` of each run, for
                       an error bar */
    bool settle_fields;     /**< continue until the mean momentum, too, is within the tolerance: k converges
                                   earlier */
    bool sensitivity;       /**< find how k depends on its walls, see rill_permeability_walls; a body force,
                                 the Stokes equilibrium, half-way bounce-back and fp32 or fp64 storage are required.
                                 It is as exact as the velocities: set settle_fields, too */
    const char *checkpoint; /**< file that a cancelled run writes, after one step or more; NULL: none */
    bool resume;            /**< go on from that file to the same bits, made with the same options */

    rill_progress progress;  /**< of planning and of computing; all 0: none */
    double progress_seconds; /**< s between two calls of it at least, while steps are made */
    /**
     * Called at the end of each run, e.g. to write fields. May be NULL.
     * @param[in] rho  [nodes], rho - 1, and u [3][nodes], lu, in node order: means of the last two steps
     */
    rill_status (*finished)(void *context, const rill_permeability_flow *run, rill_node nodes,
                            const float *rho, const float *u);
    /**
     * The same with moments that are read piece by piece: several processes keep them, and no one holds all.
     * May be NULL.
     */
    rill_status (*finished_pieces)(void *context, const rill_permeability_flow *run,
                                   const rill_node_moments *moments);
    void *context;           /**< passed to `finished` and `finished_pieces` */
    uint64_t finished_bytes; /**< host memory that they take, for the plan */
} rill_permeability_options;

/** Permeability of a geometry. */
typedef struct rill_permeability {
    rill_permeability_plan plan;    /**< the plan that the last run had */
    rill_permeability_flow runs[3]; /**< [run_count], in the order of the axes */
    int run_count;                  /**< number of runs */
    bool converged;                 /**< every run did */
    bool kept;                      /**< a run was stopped, and a checkpoint was written */
    double k[3][3];                 /**< k_ab, lu; NaN where it was not computed or did not converge, and
                                         where its uncertainty is not known; 0 where nothing conducts along a
                                         or b of a tensor, and, of a != b, exactly between mirrored
                                         boundaries, across walls and where no pore percolates along a */
    double uncertainty;  /**< of k_aa, or the largest of a tensor, relative to the largest k_aa; infinity
                              while unknown */
    double reciprocity;  /**< largest |k_ab - k_ba| / largest k_aa; NaN of one axis */
    double principal[3]; /**< eigenvalues of the symmetric part of a tensor, lu, largest first; NaN of one
                              axis, and the last of a tensor of two */
    double principal_axes[3][3]; /**< their directions: [i] is a vector of length 1, x, y, z */
    char backend[16];            /**< "cpu" or "cuda" */
    char device[256];            /**< name of the device */
    double seconds_domain; /**< s, numbering nodes again for another axis, cutting the domain into parts, and
                                listing neighbours */
    double seconds_setup;  /**< s, setting simulations up beside that: memory, populations at rest */
    double seconds_attempts; /**< s, stepping in attempts that led to no result, before the last of a run */
    double seconds_ending; /**< s, after the last steps: flow through edges, checkpoint, moments of all nodes
                                and what the options do with them, freeing memory */
    double seconds_before; /**< s of the runs' `seconds` that were before the checkpoint went on */
    char *notes;           /**< what changes or qualifies the result, beside the notes of the geometry, see
                                rill_notes_add(); owned, may be NULL */
} rill_permeability;

/**
 * Return the default options.
 * @return axis z (of one slice x, see RILL_AXIS_AUTO), body force, tolerance 0.1 %, at most 10^6 steps, magic
 * 3/16, progress five times a second, the default variant, backend auto
 */
rill_permeability_options rill_permeability_options_default(void);

/**
 * Remove pores that cannot conduct.
 * @param[in,out] geom pores that conduct along none of the requested axes become solid; unknown porosities
 * are filled in. With RILL_DRIVE_PRESSURE the domain boundaries normal to the flow become RILL_WALL: pores
 * conduct that reach both of them.
 * @param[in] options the options
 * @return RILL_NUMERICS when nothing conducts along any requested axis; RILL_USAGE for options out of range;
 * RILL_SYSTEM without memory
 */
rill_status rill_permeability_prepare(rill_geom *geom, const rill_permeability_options *options);

/**
 * Plan the runs.
 * @param[in] geom as rill_permeability_prepare() left it
 * @param[in] options the same options
 * @param[out] plan the plan; see rill_permeability_plan_free()
 * @return RILL_NUMERICS when nothing conducts along any requested axis; RILL_USAGE for options out of range
 * or a geometry that is not prepared; RILL_SYSTEM without memory
 */
rill_status rill_permeability_plan_make(const rill_geom *geom, const rill_permeability_options *options,
                                        rill_permeability_plan *plan);

/** Free what a plan owns. @param[in,out] plan one that was never made is allowed if it is all 0 */
void rill_permeability_plan_free(rill_permeability_plan *plan);

/** How long planned runs are expected to take. */
typedef struct rill_permeability_forecast {
    double steps;         /**< time steps along each axis */
    double seconds;       /**< s of wall clock of all runs, of several devices with the exchange between them
                             where it is known; NaN: the speed is unknown */
    double mlups;         /**< million node updates per second of one device, measured; NaN: unknown */
    double seconds_host;  /**< s of the processors among these, for pore networks and coarser grids */
    uint64_t nodes_timed; /**< nodes that were stepped to measure the speed */
    uint32_t edge_timed;  /**< of a box of fluid that was stepped; 0: the nodes are those in the middle of the
                             sample */
} rill_permeability_forecast;

/**
 * Estimate how long planned runs take. The speed is measured on a part of the nodes, in some hundredths of a
 * second, with no more memory than the plan states.
 * @param[in] geom that the plan was made of
 * @param[in] options the options
 * @param[in] plan of this geometry and these options
 * @param[out] out the forecast; the time of most runs is within a factor of two of it
 * @return RILL_SYSTEM without device
 */
rill_status rill_permeability_forecast_make(const rill_geom *geom, const rill_permeability_options *options,
                                            const rill_permeability_plan *plan,
                                            rill_permeability_forecast *out);

/**
 * Compute the permeability: k_ba = nu j_b / F for a force F along a, where j is the mean of the momentum over
 * all voxels of the sample, solid ones too, so that k u = -k/mu grad p holds for the superficial velocity.
 * With RILL_DRIVE_PRESSURE k_aa = nu j_a / G for the fall G of the pressure per length from the first plane
 * of the sample to the last, each a mean over its pores; other components are NaN.
 * @param[in] geom that the plan was made of
 * @param[in] options the options
 * @param[in] plan of this geometry and these options
 * @param[out] out filled in also when RILL_NUMERICS is returned; see rill_permeability_free()
 * @return RILL_NUMERICS when a run did not converge, left the Stokes range, or is not finite; RILL_USAGE for
 * a checkpoint that is not its own; RILL_SYSTEM for memory, disk or device, or where rill-inspect, which is
 * started to read a checkpoint first, is missing (see rill/file.h)
 */
rill_status rill_permeability_compute(const rill_geom *geom, const rill_permeability_options *options,
                                      const rill_permeability_plan *plan, rill_permeability *out);

/**
 * Free what a result owns. The structure itself is the caller's.
 * @param[in,out] result the result; all zero afterwards
 */
void rill_permeability_free(rill_permeability *result);

#ifdef __cplusplus
}
#endif

#endif
