/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_sensitivity.h
 * The shape derivative of a permeability: how k changes where a wall moves.
 *
 * For a body force F along an axis, k V F^2 / nu = F times the integral of u_a, where V is the volume of the
 * sample. In Stokes flow that integral is its own adjoint problem, so that a wall that moves into the solid
 * by d along its normal changes k by
 *
 *     dk = nu^2 / (F^2 V) * integral over the wall of |du/dn|^2 d
 *
 * (Pironneau 1973, doi:10.1017/S002211207300145X: the change of dissipation by a hump). On a smooth wall u =
 * 0, so that du/de = n_e du/dn along each axis e, the links along e cross an area A at A |n_e| positions, and
 * a shift d along the normal moves their crossings by d / |n_e|: the integral is the sum over the links along
 * x, y and z that cross the wall,
 *
 *     dk = sum of S_f d_f,   S_f = nu^2 / (F^2 V) * |du/de|^2,
 *
 * where d_f is how far the crossing of link f moves along its axis, in voxels. S_f is what this file makes.
 *
 * The derivative at the wall comes from the first nodes. Where walls are half-way, one of
 * second order of two nodes, g = 3 u1 - u2/3, is too large behind staircases, as links through edges end
 * behind those through faces and the first node is too fast; one of differences, s = -2 u1 + 3 u2 - u3,
 * is too small for the same reason. (|g|^2 + |s|^2) / 2 was within 13 % in 20 trials, ducts of any angle,
 * sphere arrays, packs and Gaussian fields of 5 to 22 voxels a pore, where g alone was off by up to 47 % and
 * s alone by up to 47 %; in a square duct of 6 voxels it is 18 % too large, of 12 6 %, of 24 2 %.
 * tests/permeability/test_wall_sensitivity.c pins it.
 *
 * Where the geometry has a surface, the flow has interpolated bounce-back, and the derivative is that of the
 * parabola that is 0 at the wall and passes through the first two nodes, through the second and third where
 * the wall is within half a voxel of the first, or 0 at both walls of a narrow pore. Links through openings
 * meet no wall.
 *
 * Walls at domain boundaries and at the outside of a sample are no walls of the segmentation: they have no
 * faces here. Off-diagonal components of a tensor need the flow along the other axis as adjoint, and are not
 * covered.
 */
#ifndef RILL_PERMEABILITY_WALL_SENSITIVITY_H
#define RILL_PERMEABILITY_WALL_SENSITIVITY_H

#include "rill.h"

/** A flow that has converged. Numbers are the same however many parts, threads and processes made it. */
typedef struct rill_wall_flow {
    const rill_geom *geom;            /**< of the run */
    const rill_node_moments *moments; /**< of its nodes, driven by a body force along an axis */
} rill_wall_flow;

/** A fluid voxel at a wall. */
typedef struct rill_wall_voxel {
    rill_node node;    /**< number of its node */
    uint32_t at[3];    /**< where it is, in voxels */
    double face[6];    /**< S_f of its links along +x, -x, +y, -y, +z, -z, lu of k for each voxel of shift; 0
                            where the link meets no wall */
    unsigned faces;    /**< bit i: link i meets a wall */
    unsigned narrow;   /**< bit i: it does in a pore of one or two voxels along the link */
    double per_normal; /**< dk of these links for each voxel that the wall moves along its normal, which comes
                            from the 5^3 voxels around */
} rill_wall_voxel;

/** Called for each fluid voxel at a wall, in node order. */
typedef rill_status rill_wall_visit(void *context, const rill_wall_voxel *voxel);

/** Return the host memory that rill_wall_sensitivity() takes: some planes. */
uint64_t rill_wall_sensitivity_bytes(const rill_geom *geom);

/**
 * Go through the walls of a flow.
 * @return RILL_USAGE for a flow of another geometry, RILL_SYSTEM without memory, what visit() returns
 */
rill_status rill_wall_sensitivity(const rill_wall_flow *flow, rill_wall_visit *visit, void *context);

#endif
