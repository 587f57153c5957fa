/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file boundary.h
 * Lists of wall links, as they are made (boundary.c) and as a simulation holds them (attached.c).
 */
#ifndef RILL_SIM_BOUNDARY_H
#define RILL_SIM_BOUNDARY_H

#include "domain/layers.h"
#include "kernel/launch.h"
#include "sim/sim.h"

/** Largest Mach number of a wall: the equilibrium is a series in the velocity. */
#define RILL_BOUNDARY_MACH_MAX 0.3

/** A node of a boundary. */
typedef struct rill_boundary_node {
    rill_node node;
    uint32_t x[3];
    uint32_t links; /**< bit i: the link along incoming velocity i belongs to the boundary */
    uint32_t solid; /**< bit of rill_boundary_bit(d): x + d is no fluid, or behind a solid boundary */
} rill_boundary_node;

/** Return the bit for a step to a neighbour. */
static inline uint32_t rill_boundary_bit(const int d[3])
{
    return 1u << (d[0] + 1 + 3 * (d[1] + 1) + 9 * (d[2] + 1));
}

/** See rill.h. Host memory; links go by node, then by i. */
struct rill_boundary {
    const rill_domain *domain; /**< borrowed */
    rill_boundary_kind kind;
    rill_boundary_node *nodes;         /**< [count], in node order */
    uint64_t count, links;             /**< nodes, links */
    float *q;                          /**< [links], of cuts, NULL: all half-way */
    bool interpolated;                 /**< q counts */
    rill_node *next;                   /**< [links], x + c_i where links are interpolated quadratically, else
                                            RILL_UPSTREAM_WALL; NULL: none is */
    rill_node *after;                  /**< [links], x + 2 c_i, likewise */
    float (*fluxes)[RILL_WALL_FLUXES]; /**< [count], of cuts, see rill_walls */
    bool measured;                     /**< see rill_boundary_set_measured() */
    int modes;
    double *values;   /**< [modes][links], velocity: see rill_patch */
    double *slopes;   /**< as values; NULL: none */
    double speed_max; /**< of a velocity's links with all modes at weight 1, for rill_sim_patch_scale() */
    double density;   /**< pressure: rho_w - 1 */
};

/** Return the number in a velocity set of velocity i of D3Q27, 0 where it is not in it. */
int rill_boundary_direction(rill_lattice lattice, int i);

/** Describe link i of a voxel. */
rill_wall_link rill_boundary_describe(const rill_domain *domain, rill_node node, const uint32_t x[3],
                                      uint8_t label, int i);

/**
 * Interpolate links quadratically, with a population of the link between the next two nodes into the fluid,
 * wherever they follow the link's own. The others stay linear. @param[in,out] boundary  of cuts
 * @return RILL_USAGE for another boundary, RILL_SYSTEM without memory
 */
rill_status rill_boundary_set_quadratic(rill_boundary *boundary);

/** Find what is solid around a node. @param[in] layers  have the planes of its neighbours */
void rill_boundary_look(const rill_domain *domain, const rill_layers *layers, rill_boundary_node *node);

/**
 * Correct the links of a velocity with modes for the momentum flux that changes along the opening: what
 * rill_patch_velocity_term() needs. The flow of every sum of modes stays as it is.
 * @param[in] profile  that the modes were set with
 * @param[in] along    unit vector, into the fluid: along which the flow is parallel
 * @param[in] normal   unit vector: velocities are the same along it, from the plane
 * @param[in] odd      1/rate - 1/2 of the odd moments, magic / (tau - 1/2)
 */
rill_status rill_boundary_set_slopes(rill_boundary *boundary,
                                     void (*profile)(void *context, const double x[3], int mode, double u[3]),
                                     void *context, const double along[3], const double normal[3],
                                     double odd);

/** Return whether link i of a node ends at a wall; across mirrored boundaries it comes from the mirror image.
 */
bool rill_boundary_at_wall(const rill_boundary_node *node, rill_lattice lattice, int i);

#endif
