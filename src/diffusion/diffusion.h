/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file diffusion.h
 * Steady diffusion in a pore space: nodes, the chambers that they are joined to on coarser levels, conjugate
 * gradients, and a bound of what those leave.
 */
#ifndef RILL_DIFFUSION_DIFFUSION_H
#define RILL_DIFFUSION_DIFFUSION_H

#include "device/diffusion.h"
#include "domain/numbering.h"
#include "network/network.h"

/** The nodes of a geometry, for a gradient along one axis. */
typedef struct rill_diffusor {
    const rill_geom *geom;    /**< borrowed */
    rill_numbering numbering; /**< owned, as the next */
    uint8_t *kind;
    double between[RILL_DIFFUSION_KINDS * RILL_DIFFUSION_KINDS];
    rill_diffusion all;  /**< arrays of the host */
    rill_device *device; /**< borrowed; NULL: processors */
    rill_diffusion work; /**< what loops work with: on a device arrays of its memory */
    void *lent[10];      /**< [lent_count], owned: memory of the device */
    int lent_count;
    rill_flow_level fine; /**< of the chambers of blocks of 2^3 voxels; owned, where `work` is, as the next */
    uint32_t fine_links;  /**< of it */
    double *partial_fine; /**< [chunks of its rows], of sums */
    rill_network chambers; /**< those of 4^3 voxels, and coarser levels */
    uint32_t *first;       /**< [2][chambers], owned: first row on the level `fine` of each, and the end */
    rill_block_sums
        *early;     /**< [rows of blocks + 1], owned: see rill_diffusor_join_early(); NULL: not made */
    double *arrays; /**< [array_count][nodes], owned: of `all` */
    int array_count;
    double *partial; /**< [rows of voxels + RILL_DIFFUSION_SUMS], owned: of `all` */
} rill_diffusor;

/** Number the nodes of a geometry.
 * @param ratio  [count], conductances of voxels RILL_FLUID + i
 * @param device whose memory and kernels conjugate gradients use; NULL: processors. The same bits
 * @param fields what is found is needed on the host, too */
rill_status rill_diffusor_create(const rill_geom *geom, const double *ratio, int count, rill_device *device,
                                 bool fields, rill_diffusor *out);

/** The same in two steps. First, what needs no device: @param device  may still be opened */
rill_status rill_diffusor_number(const rill_geom *geom, const double *ratio, int count, rill_diffusor *out);

/** Then the arrays. */
rill_status rill_diffusor_allocate(rill_diffusor *d, rill_device *device, bool fields);

/** Free what it owns; zeros are allowed. */
void rill_diffusor_destroy(rill_diffusor *d);

/** Let processors make the chambers of 4^3 voxels and the coarser levels for a gradient along an axis,
 * between the two steps, while a device is being opened. rill_diffusor_begin() then takes them over for that
 * axis and these ends. */
rill_status rill_diffusor_join_early(rill_diffusor *d, int axis, rill_diffusion_ends ends);

/** Prepare a gradient along an axis: values are held at its ends. */
rill_status rill_diffusor_begin(rill_diffusor *d, int axis, rill_diffusion_ends ends);

/** Compute as rill_diffusivity_compute() does on a device that is being opened: what conducts is found in the
 * meantime. The device is closed at the end. */
rill_status rill_diffusivity_compute_opening(rill_geom *geom, const rill_diffusivity_options *options,
                                             rill_device_opening *opening, rill_diffusivity *out);

/** Find the error bars of a result. @param geom  whose pores that do not conduct were dropped */
rill_status rill_diffusivity_error_bar(const rill_geom *geom, const rill_diffusivity_options *options,
                                       rill_diffusivity *out);

/** Return the bytes that a computation of so many nodes takes, of the host or a device, at most, about.
 * @param phases  conducting phases: 0 and 1 are one */
uint64_t rill_diffusivity_bytes(uint64_t nodes, int phases);

/** Return the bytes that it takes of the host at least, on processors. */
uint64_t rill_diffusivity_least_bytes(uint64_t nodes);

/** Return the bytes that it takes, without those that bounds are found in. */
uint64_t rill_diffusor_bytes(const rill_diffusor *d);

/** Join nodes to chambers, which are the connected parts of one kind in blocks of 2^3 and of 4^3 voxels, with
 * what these conduct to each other, and make the coarser levels. Part of rill_diffusor_begin(). */
rill_status rill_diffusor_join(rill_diffusor *d);

/** Free them. */
void rill_diffusor_unjoin(rill_diffusor *d);

/** Return level k of 0 ... chambers.levels, as loops work with it. */
const rill_flow_level *rill_diffusor_level(const rill_diffusor *d, int k);

/** Make memory where `work` is; nothing of no bytes. */
rill_status rill_diffusor_lend(const rill_diffusor *d, uint64_t count, size_t size, const char *what,
                               void *out);

/** Free it; NULL is allowed. */
void rill_diffusor_give_back(const rill_diffusor *d, void *array);

/** Where conjugate gradients are between two iterations, beside `found`, `residual` and `direction`. */
typedef struct rill_diffusor_place {
    uint64_t iterations;
    double now, left, ratio, least; /**< residual times outcome, energy; see rill_diffusor_solve() */
    double upper, gap;              /**< of the last bound */
    int32_t stalled, converged;
} rill_diffusor_place;

/** What a run is to reach. */
typedef struct rill_diffusor_goal {
    double volume;    /**< that D is a mean over */
    double tolerance; /**< of D, relative */
    uint64_t most;    /**< iterations */
    bool field;       /**< what was found is needed in `all.found` */
    rill_progress progress;
    const char *what;                /**< for the progress */
    const rill_diffusor_place *from; /**< go on from there: the arrays hold what they held; NULL: begin */
    /** Called between iterations. @param came  of the progress callback. @return as `came`, or a failure */
    rill_status (*keep)(void *context, const rill_diffusor_place *place, rill_status came);
    void *context; /**< of `keep`, which may be NULL */
} rill_diffusor_goal;

/** What came of it. */
typedef struct rill_diffusor_outcome {
    uint64_t iterations;
    double upper, gap; /**< D is at most `upper`, and less than that by at most `gap` */
    bool converged;
} rill_diffusor_outcome;

/** Find the energy of the flows in what was found and in another field of the same nodes, for a gradient
 * along `other_axis`. @param other  [nodes], of the host; NULL: the same field */
rill_status rill_diffusor_energy(rill_diffusor *d, const double *other, int other_axis, double *energy);

/** Solve for `all.found` by conjugate gradients, until the bounds are close. */
rill_status rill_diffusor_solve(rill_diffusor *d, const rill_diffusor_goal *goal, rill_diffusor_outcome *out);

/** Do some work to all nodes. @param[out] sum  of the rows or pairs, see rill_diffusion_sum(); NULL: of a
 * work without sums */
rill_status rill_diffusor_do(const rill_diffusor *d, rill_diffusion_work what, double *sum);

/**
 * Bound how much less the energy of the solution is than that of `found`: by the energy of flows that carry
 * away what its residual says piles up at each node.
 * @param[out] gap  INFINITY where no such flows were found
 */
rill_status rill_diffusor_gap(rill_diffusor *d, double *gap);

#endif
