/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file attached.h
 * A boundary as a simulation holds it: its arrays on the backend, and what they take before it is made.
 */
#ifndef RILL_SIM_ATTACHED_H
#define RILL_SIM_ATTACHED_H

#include "sim/patches.h"
#include "sim/wall_list.h"

struct rill_attached {
    rill_device *device;
    rill_lattice lattice;
    rill_patch patch; /**< pointers are the backend's; without pairs for interpolated bounce-back */
    bool interpolated;
    rill_walls walls;          /**< of interpolated bounce-back, likewise */
    rill_wall_weights in_step; /**< the same for steps, NULL where they cannot */
    uint64_t node_count;
    rill_node *nodes; /**< [node_count], on the host, as the domain numbers them: in ascending order */
    uint32_t *links;  /**< [node_count], see rill_boundary_node */
    rill_patch_pair
        *pairs; /**< on the host, as kernels number nodes: a backend may share it, and the next ones */
    rill_node *kernel_nodes;
    double *values, *slopes;
    rill_wall_list list;
    double *exchange; /**< on the backend, see rill_patch_note(), made when first used */
    double *host_exchange;
    double speed_max, density, scale, beyond;
    rill_patch_schedule *schedule; /**< NULL: none */
    void *context;
    uint64_t recorded_from; /**< step */
};

/** A boundary that is not made yet. */
typedef struct rill_attached_load {
    uint64_t cuts;     /**< in the geometry */
    uint64_t links;    /**< of them along velocities of the lattice */
    uint64_t axes;     /**< of these, along axes */
    uint64_t nodes;    /**< where they are */
    uint64_t pairs;    /**< links that are not interpolated: at most */
    uint64_t bundles;  /**< of nodes of the whole simulation, where its steps interpolate; else 0 */
    int modes;         /**< of a velocity; 0: none */
    bool interpolated; /**< bounce-back */
    bool quadratic;    /**< and so */
} rill_attached_load;

/** Count the links and nodes of cuts. */
rill_attached_load rill_attached_load_of(const rill_cut *cuts, uint64_t count, rill_lattice lattice);

/** Count those of the walls of a surface, NULL: none, with interpolated bounce-back. @param stride  of the
 * populations */
rill_attached_load rill_attached_walls(const rill_surface *surface, rill_variant variant, size_t stride,
                                       const rill_backend *backend, bool quadratic);

/** Count the memory of a boundary, at most. @return bytes on the host besides, until it is made */
uint64_t rill_attached_count(const rill_attached_load *load, rill_room *room);

/** Copy a boundary to the backend of a simulation. @param[in] numbers  see rill_patches_add() */
rill_status rill_attached_create(const rill_boundary *boundary, const rill_node *numbers, const rill_sim *sim,
                                 const rill_launch *launch, rill_attached **out);

/** Destroy it; NULL is allowed. */
void rill_attached_destroy(rill_attached *attached);

/** Return whether two of them hold the same link. */
bool rill_attached_share(const rill_attached *a, const rill_attached *b);

/** Return whether two of them hold opposite links of a node. */
bool rill_attached_face(const rill_attached *a, const rill_attached *b);

/** Return whether its links are rewritten. */
bool rill_attached_rewrites(const rill_attached *attached);

/** Make room for the moments of nodes, unless there is. */
rill_status rill_attached_look(rill_attached *attached);

/** Make room for sums over pairs, unless there is. */
rill_status rill_attached_sum(rill_attached *attached);

#endif
