/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/boundary.h
 * Boundaries: lists of wall links, and what comes back along them.
 */
#ifndef RILL_PUBLIC_BOUNDARY_H
#define RILL_PUBLIC_BOUNDARY_H

#include "rill/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What comes back along the wall links of a boundary. Equations: kernel/boundary.h, docs/method.md. */
typedef enum rill_boundary_kind {
    RILL_BOUNDARY_WALL,     /**< what was sent, as at any wall: such links are listed to be measured */
    RILL_BOUNDARY_VELOCITY, /**< bounce-back at a wall that moves, or at an inlet */
    RILL_BOUNDARY_PRESSURE /**< anti-bounce-back: a density, that is a pressure rho/3, half-way to the wall */
} rill_boundary_kind;

/** A wall link: the way into a fluid node from a solid voxel, or from beyond a side that is RILL_WALL. */
typedef struct rill_wall_link {
    rill_node node;
    uint32_t x[3];     /**< voxel of the node */
    uint8_t label;     /**< its value: RILL_FLUID or a patch label */
    uint8_t direction; /**< number of the velocity i in the velocity set */
    int8_t c[3];       /**< c_i, from the wall to the node */
    int8_t
        beyond[3]; /**< -1, 1: crosses the solid boundary at the low, the high end of the axis; 0: does not */
    double wall[3]; /**< where the wall is: half-way, in voxels from the corner of the box */
} rill_wall_link;

/** A list of wall links, and what comes back along them. */
typedef struct rill_boundary rill_boundary;

/**
 * List wall links; what comes back along them is at first what a wall at rest sends.
 * @param[in] domain  borrowed: it must outlive the boundary
 * @param[in] wanted  says which; NULL for all. It sees nodes in node order, links in the order of i.
 * @return RILL_USAGE when there is none, RILL_SYSTEM without memory
 */
rill_status rill_boundary_create(const rill_domain *domain,
                                 bool (*wanted)(void *context, const rill_wall_link *link), void *context,
                                 rill_boundary **out);

/** List the links that cross a solid boundary. @param end -1 for the low, 1 for the high end of the axis */
rill_status rill_boundary_create_face(const rill_domain *domain, int axis, int end, rill_boundary **out);

/** List the wall links of the nodes that carry a label and whose c_i · normal is positive. @param normal
 * into the fluid, of any length */
rill_status rill_boundary_create_label(const rill_domain *domain, int label, const double normal[3],
                                       rill_boundary **out);

/**
 * List the links of cuts, which say how far away the wall is. At first the wall is at rest and what comes
 * back is interpolated (Bouzidi, Firdaouss, Lallemand 2001, doi:10.1063/1.1399290, linear): see
 * kernel/walls.h. A velocity is taken where the surface is. With modes or a pressure the links are half-way
 * links, as others are.
 * @param[in] cuts  [count], in ascending order of node, then direction; each on a wall link of the domain.
 * Those along directions that the lattice does not have are passed over.
 * @return RILL_USAGE for cuts that are not, or when none is left
 */
rill_status rill_boundary_create_cuts(const rill_domain *domain, const rill_cut *cuts, uint64_t count,
                                      rill_boundary **out);

/** Forget how far away walls are: half-way. Before velocities are set. */
void rill_boundary_set_halfway(rill_boundary *boundary);

/** Keep what interpolated links send, 8 bytes each, so that rill_sim_patch_force() and rill_sim_patch_flow()
 * serve there, too; other links need no such thing. */
void rill_boundary_set_measured(rill_boundary *boundary);

/** Destroy a boundary; NULL is allowed. Simulations keep what they need of it. */
void rill_boundary_destroy(rill_boundary *boundary);

/** Return the number of links. */
uint64_t rill_boundary_links(const rill_boundary *boundary);

/** Let the wall move, or the fluid come in, with velocity u in lu. @return RILL_USAGE above Mach 0.3 */
rill_status rill_boundary_set_velocity(rill_boundary *boundary, const double u[3]);

/** The same with a velocity for each link. @param profile gives u at a place x in voxels from the box's
 * corner
 */
rill_status rill_boundary_set_velocity_profile(rill_boundary *boundary,
                                               void (*profile)(void *context, const double x[3], double u[3]),
                                               void *context);

enum {
    RILL_BOUNDARY_MODES = 128 /**< of one boundary, at most; all openings of a simulation share 256 weights */
};

/**
 * Let the fluid come in with a sum of velocities whose weights change from step to step (Womersley: cosine
 * and sine of each harmonic); at first 1 for the first mode and 0 for others, see rill_sim_patch_schedule().
 * @param profile  gives u of mode 0 ... modes - 1 at a place x half-way along a link, in voxels from the
 * box's corner
 */
rill_status rill_boundary_set_velocity_modes(rill_boundary *boundary, int modes,
                                             void (*profile)(void *context, const double x[3], int mode,
                                                             double u[3]),
                                             void *context);

/** Return the mass that half-way links bring in per step with weight 1 of a mode: sum of 6 w_i c_i · u. 0
 * without a velocity. */
double rill_boundary_mode_flow(const rill_boundary *boundary, int mode);

/** Hold the pressure (1 + density)/3. @param density rho - 1 @return RILL_USAGE when rho is not above 0 */
rill_status rill_boundary_set_density(rill_boundary *boundary, double density);

#ifdef __cplusplus
}
#endif

#endif
