/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/diffusivity.h
 * The effective diffusivity of a geometry, its formation factor and its tortuosity factor.
 */
#ifndef RILL_PUBLIC_DIFFUSIVITY_H
#define RILL_PUBLIC_DIFFUSIVITY_H

#include "rill/device.h"
#include "rill/geometry.h"
#include "rill/image.h"
#include "rill/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What drives the diffusion through a sample. */
typedef enum rill_diffusion_drive {
    RILL_DIFFUSION_GRADIENT, /**< a mean gradient, with periodic or mirrored boundaries along it */
    RILL_DIFFUSION_OUTSIDE,  /**< values at the two faces of the box, half a voxel outside the first and last
                                  centres, as in TauFactor; the same as a gradient between mirrors */
    RILL_DIFFUSION_INSIDE    /**< values at the centres of the first and the last slice, as in PoreSpy: they
                                  are n - 1 voxels apart */
} rill_diffusion_drive;

enum {
    RILL_PHASES = 32 /**< conducting phases, at most */
};

#define RILL_PHASE_RATIO_LEAST 1e-6 /**< diffusivity of a phase, relative to D0, at least */
#define RILL_PHASE_RATIO_MOST 1e6   /**< and at most */

/** A conducting phase of an image. */
typedef struct rill_phase {
    double grey[2]; /**< grey values low ... high, inclusive */
    double ratio;   /**< its diffusivity / D0, RILL_PHASE_RATIO_LEAST ... RILL_PHASE_RATIO_MOST */
} rill_phase;

/** The field of a run, for rill_diffusivity_options.finished; in node order, see rill_geom_image(). */
typedef struct rill_diffusion_field {
    int axis;                    /**< 0, 1, 2: of the gradient */
    rill_node nodes;             /**< number of nodes: of the fluid voxels of the geometry */
    const double *concentration; /**< [nodes]; it falls by 1 from one face of the box, 0 voxels, to the other;
                                      between periodic boundaries its deviation from that has the mean 0 */
    /**
     * Find the flux at the centres of nodes: the mean of both faces, D0 / voxel edge.
     * @param[out] flux [3][count], x, y, z
     */
    void (*flux)(const struct rill_diffusion_field *field, rill_node first, rill_node count, double *flux);
    const void *from; /**< for `flux` */
} rill_diffusion_field;

/** What to compute. */
typedef struct rill_diffusivity_options {
    int axis;                   /**< 0, 1, 2, or several, RILL_AXIS_AUTO ... of rill/types.h */
    rill_diffusion_drive drive; /**< what drives */
    double ratio[RILL_PHASES];  /**< [phase_count], diffusivity / D0 of voxels of the value RILL_FLUID + i */
    int phase_count;            /**< 0: all voxels that are not solid have the ratio 1 */
    double tolerance;           /**< relative half-width of the bounds of D_eff to stop at */
    uint64_t max_iterations;    /**< along each axis */
    bool keep_all;              /**< leave pores in that cannot conduct */
    bool error_bar;             /**< find how D changes with the voxels: rill_diffusivity.bar */
    rill_devices on;            /**< where it runs: one device */
    rill_progress progress;     /**< all 0: none */
    const char *checkpoint;     /**< file that a run which is cancelled leaves, and that is written every
                                     `checkpoint_every`; removed at the end. NULL: none */
    double checkpoint_every;    /**< s of wall clock; 0: only where the run is cancelled */
    bool checkpoint_stays;      /**< leave it at the end: the caller removes it when the result is written */
    bool resume;                /**< go on from the checkpoint, to the same bits */
    /** Called at the end of each run, e.g. to write fields. May be NULL. */
    rill_status (*finished)(void *context, const rill_diffusion_field *field);
    void *context; /**< passed to `finished` */
} rill_diffusivity_options;

/** What came of the gradient along one axis. */
typedef struct rill_diffusivity_run {
    int axis;            /**< 0, 1, 2: of the gradient */
    bool converged;      /**< the bounds are within the tolerance */
    uint64_t iterations; /**< of conjugate gradients */
    double d[3];         /**< D_xa, D_ya, D_za over D0; NaN where it is not known, see rill_diffusivity */
    double bound[2];     /**< D_aa over D0 is between these, whatever the iterations left: see docs/method.md
                          */
    double uncertainty[3]; /**< of d, absolute: bounds */
    double seconds;        /**< wall clock */
} rill_diffusivity_run;

enum {
    RILL_DIFFUSIVITY_GRIDS = 3 /**< of an error bar, at most */
};

/** How D_aa over D0 changes with the voxels: an estimate, see docs/diffusivity.md. */
typedef struct rill_diffusivity_bar {
    int grids;                             /**< images that conduct, this one included; 0: not asked */
    double values[RILL_DIFFUSIVITY_GRIDS]; /**< [grids], with voxels 1, 2 and 4 times as large */
    double extrapolated;                   /**< to voxels of 0; NaN with one grid */
    double half_width;                     /**< of that, absolute; NaN with one grid */
} rill_diffusivity_bar;

/** Effective diffusivity of a geometry. */
typedef struct rill_diffusivity {
    rill_diffusivity_run runs[3]; /**< [run_count], in the order of the axes */
    int run_count;                /**< number of runs */
    bool converged;               /**< every run did */
    double d[3][3];               /**< D_ba over D0: flux along b for a gradient along a, per volume of the
                                       sample; NaN where it was not computed; 0 where nothing conducts along a
                                       of a tensor, and, of a != b, exactly between mirrored boundaries and
                                       across walls */
    double formation[3][3]; /**< F, the inverse of the tensor of the axes computed; NaN where there is none.
                                 Without off-diagonal components F_aa = D0 / D_aa */
    double tortuosity[3];   /**< tau_aa = phi D0 / D_aa, phi: porosity.total; a factor, not a ratio of
                                 lengths. NaN where there is none */
    double uncertainty;     /**< of D_aa, relative; the largest of a tensor: a bound */
    double principal[3];    /**< eigenvalues of the symmetric part of a tensor, largest first; NaN of one
                                 axis, and the last of a tensor of two */
    double principal_axes[3][3]; /**< their directions: [i] is a vector of length 1, x, y, z */
    rill_diffusivity_bar bar[3]; /**< along x, y, z */
    rill_porosity porosity;      /**< along faces, by which diffusion conducts */
    double flow_percolating[3];  /**< pore fractions that conduct along x, y, z through the links of D3Q19,
                                      as flow does; NaN: unknown */
    uint64_t nodes;              /**< that took part */
    uint64_t dropped;            /**< pore voxels that cannot conduct and became solid */
    uint64_t bytes;              /**< host memory of the solver at most */
    char backend[16];            /**< "cpu" or "cuda" */
    char device[256];            /**< name of the device */
    double seconds_setup;        /**< s, numbering nodes and making coarser grids */
    bool checkpoint_left;        /**< the checkpoint of this run is there, as checkpoint_stays says */
    char *notes;                 /**< what qualifies the result, see rill_notes_add(); owned, may be NULL */
} rill_diffusivity;

/**
 * Return the default options.
 * @return axis z (of one slice x), a gradient, one phase, tolerance 0.1 %, at most 10^4 iterations, no
 * checkpoint
 */
rill_diffusivity_options rill_diffusivity_options_default(void);

/**
 * Make a geometry of an image file with several conducting phases: voxels of phase i have the value
 * RILL_FLUID + i.
 * @param[in] path, options, progress, out, report as for rill_image_voxelize(); `pore` and `threshold` of the
 * options are not used
 * @param[in] phases [count] the phases, whose grey values must not overlap
 * @param[in] count  number of phases
 * @return as rill_image_voxelize(), and RILL_USAGE for phases out of range
 */
rill_status rill_image_voxelize_phases(const char *path, const rill_voxelize_options *options,
                                       const rill_phase *phases, int count, rill_progress progress,
                                       rill_geom **out, rill_voxelize_report *report);

/**
 * The same of an image in memory.
 * @param[in] grey  as for rill_array_voxelize()
 * @param[in] options, phases, count, progress, out, report as for rill_image_voxelize_phases()
 * @return as rill_array_voxelize(), and RILL_USAGE for phases out of range
 */
rill_status rill_array_voxelize_phases(const void *grey, const rill_voxelize_options *options,
                                       const rill_phase *phases, int count, rill_progress progress,
                                       rill_geom **out, rill_voxelize_report *report);

/**
 * Compute the effective diffusivity: steady diffusion on the voxels that are not solid, through the faces
 * that they share, with the harmonic mean of two phases there and no flux into the solid.
 * @param[in,out] geom  pores that conduct along none of the axes become solid, unless keep_all; unknown
 * porosities are filled in
 * @param[in] options the options
 * @param[out] out filled in also when RILL_NUMERICS is returned for iterations; see rill_diffusivity_free()
 * @return RILL_NUMERICS when nothing conducts along any requested axis, or a run did not converge;
 * RILL_USAGE for options out of range; RILL_SYSTEM without memory; RILL_CANCELLED
 */
rill_status rill_diffusivity_compute(rill_geom *geom, const rill_diffusivity_options *options,
                                     rill_diffusivity *out);

/** Free what a result owns. @param[in,out] result all zero afterwards */
void rill_diffusivity_free(rill_diffusivity *result);

#ifdef __cplusplus
}
#endif

#endif
