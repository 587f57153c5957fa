/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/boundary.h
 * Lists of wall links with a boundary condition. A simulation that has one calls it a patch.
 */
#ifndef RILL_PUBLIC_BOUNDARY_H
#define RILL_PUBLIC_BOUNDARY_H

#include "rill/domain.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Boundary conditions of wall links: what comes back along them. Equations: kernel/boundary/boundary.h,
 * docs/method.md. */
typedef enum rill_boundary_kind {
    RILL_BOUNDARY_WALL,      /**< what was sent, as at any wall: such links are listed to be measured */
    RILL_BOUNDARY_VELOCITY,  /**< bounce-back at a wall that moves, or at an inlet */
    RILL_BOUNDARY_PRESSURE,  /**< anti-bounce-back: a density, that is a pressure rho/3, half-way to the wall
                              */
    RILL_BOUNDARY_WINDKESSEL /**< the same, with a density that follows from the flow through the patch; see
                                  rill_sim_patch_windkessel() */
} rill_boundary_kind;

/** A wall link: the way into a fluid node from a solid voxel, or from beyond a domain boundary that is
 * RILL_WALL. */
typedef struct rill_wall_link {
    rill_node node;    /**< the fluid node */
    uint32_t x[3];     /**< voxel of the node */
    uint8_t label;     /**< its value: RILL_FLUID or a label */
    uint8_t direction; /**< number of the velocity i in the velocity set */
    int8_t c[3];       /**< c_i, from the wall to the node */
    int8_t
        beyond[3]; /**< -1, 1: crosses the solid boundary at the low, the high end of the axis; 0: does not */
    double wall[3]; /**< where the wall is: half-way, in voxels from the corner of the box */
} rill_wall_link;

/** A list of wall links, and what comes back along them. */
typedef struct rill_boundary rill_boundary;

/**
 * List wall links. At first the boundary is a wall at rest.
 * @param[in] domain borrowed: it must outlive the boundary
 * @param[in] wanted returns whether a link belongs to the list; NULL for all. It is called for nodes in node
 * order, for links in the order of i.
 * @param[in] context passed to `wanted`; may be NULL
 * @param[out] out the boundary; the caller destroys it
 * @return RILL_USAGE when there is no such link, RILL_SYSTEM without memory
 */
rill_status rill_boundary_create(const rill_domain *domain,
                                 bool (*wanted)(void *context, const rill_wall_link *link), void *context,
                                 rill_boundary **out);

/**
 * List the links that cross a solid domain boundary.
 * @param[in] domain borrowed: it must outlive the boundary
 * @param[in] axis 0, 1, 2 for x, y, z
 * @param[in] end -1 for the low, 1 for the high end of the axis
 * @param[out] out the boundary; the caller destroys it
 * @return RILL_USAGE when no link crosses it, RILL_SYSTEM without memory
 */
rill_status rill_boundary_create_face(const rill_domain *domain, int axis, int end, rill_boundary **out);

/**
 * List the wall links of the nodes that carry a label and whose c_i · normal is positive.
 * @param[in] domain borrowed: it must outlive the boundary
 * @param[in] label value of the voxels, RILL_LABEL or above
 * @param[in] normal into the fluid, of any length
 * @param[out] out the boundary; the caller destroys it
 * @return RILL_USAGE when there is no such link, RILL_SYSTEM without memory
 */
rill_status rill_boundary_create_label(const rill_domain *domain, int label, const double normal[3],
                                       rill_boundary **out);

/**
 * List the links of cuts, which give the distance of the wall. At first the wall is at rest and the links are
 * interpolated (Bouzidi, Firdaouss, Lallemand 2001, doi:10.1063/1.1399290, linear; kernel/boundary/walls.h).
 * A velocity is that of the fluid at the surface. With modes or a pressure the links become half-way links.
 * @param[in] domain borrowed: it must outlive the boundary
 * @param[in] cuts [count], in ascending order of node, then direction; each on a wall link of the domain.
 * Cuts along directions that the lattice does not have are skipped.
 * @param[in] count number of cuts
 * @param[out] out the boundary; the caller destroys it
 * @return RILL_USAGE for cuts that are not on wall links or not in order, or when none is left; RILL_SYSTEM
 * without memory
 */
rill_status rill_boundary_create_cuts(const rill_domain *domain, const rill_cut *cuts, uint64_t count,
                                      rill_boundary **out);

/**
 * Make all links half-way links. Call it before velocities are set.
 * @param[in,out] boundary the boundary
 */
void rill_boundary_set_halfway(rill_boundary *boundary);

/**
 * Store what interpolated links send, 8 bytes for each link, which rill_sim_patch_force() and
 * rill_sim_patch_flow() need there. Half-way links need no storage.
 * @param[in,out] boundary the boundary
 */
void rill_boundary_set_measured(rill_boundary *boundary);

/**
 * Destroy a boundary. Simulations have copies of what they need of it.
 * @param[in] boundary NULL is allowed
 */
void rill_boundary_destroy(rill_boundary *boundary);

/**
 * Return the number of links.
 * @param[in] boundary the boundary
 * @return the number of links
 */
uint64_t rill_boundary_links(const rill_boundary *boundary);

/**
 * Set the velocity of a moving wall or of the fluid at an inlet.
 * @param[in,out] boundary the boundary
 * @param[in] u velocity, lu
 * @return RILL_USAGE above Mach 0.3
 */
rill_status rill_boundary_set_velocity(rill_boundary *boundary, const double u[3]);

/**
 * Set a velocity for each link.
 * @param[in,out] boundary the boundary
 * @param[in] profile writes the velocity u, lu, at a place x in voxels from the corner of the box
 * @param[in] context passed to `profile`; may be NULL
 * @return RILL_USAGE above Mach 0.3
 */
rill_status rill_boundary_set_velocity_profile(rill_boundary *boundary,
                                               void (*profile)(void *context, const double x[3], double u[3]),
                                               void *context);

enum {
    RILL_BOUNDARY_MODES = 128 /**< of one boundary, at most; all openings of a simulation share 256 weights */
};

/**
 * Set the velocity to a sum of modes whose weights may change in every step (Womersley: cosine and sine of
 * each harmonic). At first the weight of mode 0 is 1, the others are 0; see rill_sim_patch_schedule().
 * @param[in,out] boundary the boundary
 * @param[in] modes number of modes, 1 to RILL_BOUNDARY_MODES
 * @param[in] profile writes u of mode 0 … modes - 1, lu, at a place x half-way along a link, in voxels from
 * the corner of the box
 * @param[in] context passed to `profile`; may be NULL
 * @return RILL_USAGE for a number of modes out of range or above Mach 0.3, RILL_SYSTEM without memory
 */
rill_status rill_boundary_set_velocity_modes(rill_boundary *boundary, int modes,
                                             void (*profile)(void *context, const double x[3], int mode,
                                                             double u[3]),
                                             void *context);

/**
 * Return the mass that half-way links bring in per step with weight 1 of a mode: the sum of 6 w_i c_i · u.
 * @param[in] boundary the boundary
 * @param[in] mode number of the mode, from 0
 * @return mass per step, lu; 0 without a velocity
 */
double rill_boundary_mode_flow(const rill_boundary *boundary, int mode);

/**
 * Impose the pressure (1 + density)/3.
 * @param[in,out] boundary the boundary
 * @param[in] density rho - 1, lu
 * @return RILL_USAGE when rho is not above 0
 */
rill_status rill_boundary_set_density(rill_boundary *boundary, double density);

#ifdef __cplusplus
}
#endif

#endif
