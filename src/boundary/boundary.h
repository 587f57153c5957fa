/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file boundary.h
 * Lists of wall links, as they are made (boundary.c) and as a simulation holds them (attached.c).
 */
#ifndef RILL_BOUNDARY_H
#define RILL_BOUNDARY_H

#include "domain/domain.h"
#include "run/sim.h"

/** Largest Mach number of a wall: the equilibrium is a series in the velocity. */
#define RILL_BOUNDARY_MACH_MAX 0.3

/** A node of a boundary. */
typedef struct rill_boundary_node {
    rill_node node;
    uint32_t x[3];
    uint32_t links; /**< bit i: the link along incoming velocity i belongs to the boundary */
} rill_boundary_node;

/** See rill.h. Host memory; links go by node, then by i. */
struct rill_boundary {
    const rill_domain *domain; /**< borrowed */
    rill_boundary_kind kind;
    rill_boundary_node *nodes; /**< [count], in node order */
    uint64_t count, links;     /**< nodes, links */
    uint64_t capacity;         /**< nodes that the array has room for */
    float *q;                  /**< [links], of cuts, NULL: all half-way */
    bool interpolated;         /**< q counts */
    bool measured;             /**< see rill_boundary_set_measured() */
    int modes;
    double *values;   /**< [modes][links], velocity: see rill_patch */
    double speed_max; /**< of a velocity's links with all modes at weight 1, for rill_sim_patch_scale() */
    double density;   /**< pressure: rho_w - 1 */
};

/** Describe link i of a voxel. */
rill_wall_link rill_boundary_describe(const rill_domain *domain, rill_node node, const uint32_t x[3],
                                      uint8_t label, int i);

/** Return whether link i of a voxel ends at a wall; across mirrored sides it comes from the mirror image. */
bool rill_boundary_at_wall(const rill_domain *domain, const uint32_t x[3], int i);

/** A boundary on a simulation. */
typedef struct rill_attached rill_attached;

/** Copy a boundary to the backend of a simulation, with the numbers that its kernels use. */
rill_status rill_attached_create(const rill_boundary *boundary, const rill_sim *sim, rill_attached **out);

/** Destroy it; NULL is allowed. */
void rill_attached_destroy(rill_attached *attached);

/** Return whether two of them hold the same link. */
bool rill_attached_share(const rill_attached *a, const rill_attached *b);

/** Return whether its links are rewritten. */
bool rill_attached_rewrites(const rill_attached *attached);

/** Rewrite the links before the step that `launch` describes. */
void rill_attached_apply(const rill_attached *attached, const rill_launch *launch);

/** Multiply what it was made with. @return RILL_USAGE when that is out of range */
rill_status rill_attached_scale(rill_attached *attached, double factor);

/** Take force and mass flow of the step made before the one that `launch` describes; either may be NULL. */
rill_status rill_attached_measure(rill_attached *attached, const rill_launch *launch, double force[3],
                                  double *flow);

#endif
