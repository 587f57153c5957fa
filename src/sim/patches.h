/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file patches.h
 * The boundaries of a simulation together: what happens at walls between two steps, in which order, and what
 * is recorded of it.
 *
 * Wall links are rewritten by at most one patch, and in this order nothing depends on the order of patches:
 * nodes of openings are looked at and sums are taken while every slot still holds what was sent; interpolated
 * walls come next, which may read what was sent to an opening (kernel/boundary/walls.h); openings come last
 * and read their own links alone.
 */
#ifndef RILL_SIM_PATCHES_H
#define RILL_SIM_PATCHES_H

#include "sim/boundary.h"

typedef void rill_patch_schedule(void *context, uint64_t step, double *weights);

/** A boundary on a simulation; see attached.h. */
typedef struct rill_attached rill_attached;

/** All of them. Zeroed is none. */
typedef struct rill_patches {
    rill_attached **all; /**< [count] */
    int count;
    uint32_t weights;              /**< used of RILL_PATCH_WEIGHTS */
    rill_patch *table;             /**< [count], pointers being the backend's */
    rill_patch *own;               /**< the same on the backend */
    bool answers, walls, openings; /**< whether any: see rill_patch_answers(), is interpolated, rewrites */
    const rill_attached *in_step;  /**< the wall at which a step can interpolate itself, or NULL */
    bool apart;                    /**< but not to all of its links */
} rill_patches;

/** Free all. */
void rill_patches_free(rill_patches *patches, rill_device *device);

/** Copy what kernels need to know of patches to the backend: after every change. */
rill_status rill_patches_refresh(rill_patches *patches, const rill_launch *launch, rill_device *device);

/**
 * Put a boundary on.
 * @param[in] numbers  [nodes of the boundary], by which kernels know them; NULL: see rill_sim_number()
 * @return RILL_USAGE when it does not go with those that are there
 */
rill_status rill_patches_add(rill_patches *patches, const rill_boundary *boundary, const rill_node *numbers,
                             const rill_sim *sim, const rill_launch *launch);

/** Return whether two patches of different simulations of the parts of a domain exclude each other, as
 * rill_patches_add() does. */
rill_status rill_patches_fit(const rill_patches *a, const rill_patches *b);

/**
 * Rewrite links after a step, before links across mirrored boundaries exchange what was sent: but those of
 * rill_patches_late(). @param launch  describes the next step
 * @param step  that was made
 * @param leave  the links of `in_step` to the next step, which gets rill_patches_left()
 * @return RILL_USAGE for weights that a schedule must not give
 */
rill_status rill_patches_apply(const rill_patches *patches, const rill_launch *launch, uint64_t step,
                               bool leave);

/** Return whether some links must be rewritten after links across mirrored boundaries. */
bool rill_patches_late(const rill_patches *patches);

/** Rewrite those links, after rill_patches_apply() and the exchange across mirrored boundaries. */
void rill_patches_apply_late(const rill_patches *patches, const rill_launch *launch);

/** Return what a step needs when the one before left links to it. */
rill_wall_weights rill_patches_left(const rill_patches *patches);

/** Measure the links of a patch in the step made before the one that `launch` describes. */
rill_status rill_patches_measure(const rill_patches *patches, int patch, const rill_launch *launch);

/**
 * Add force and mass flow of what was measured, in the order of nodes. Nodes that a step must leave alone
 * come after all others, those of all parts of a domain: so sums do not depend on the parts.
 * @param lone  add those nodes; the others before
 */
void rill_patches_sum(const rill_patches *patches, int patch, bool lone, double force[3], double *flow);

/* The functions of rill.h; `steps` were made. */
rill_status rill_patches_scale(rill_patches *patches, int patch, double factor);
rill_status rill_patches_schedule(rill_patches *patches, int patch, rill_patch_schedule *weights,
                                  void *context);
rill_status rill_patches_windkessel(rill_patches *patches, int patch, const rill_launch *launch,
                                    const rill_windkessel *windkessel);
rill_status rill_patches_record(rill_patches *patches, int patch, const rill_launch *launch, uint64_t steps,
                                uint32_t capacity);
rill_status rill_patches_series(const rill_patches *patches, int patch, uint64_t steps, uint64_t first,
                                uint32_t count, double *flow, double *pressure);

/** Read p_c of the compartments of an outlet, 0 for other patches. */
rill_status rill_patches_stored(const rill_patches *patches, int patch, uint64_t steps, double stored[2]);

/** Write those of the first `count` compartments. @return RILL_USAGE for a patch without Windkessel */
rill_status rill_patches_store(rill_patches *patches, int patch, uint64_t steps, const double *stored,
                               int count);

/** Write those of a patch, and forget its record: for checkpoints. */
rill_status rill_patches_restore(rill_patches *patches, int patch, uint64_t steps, const double stored[2]);

#endif
