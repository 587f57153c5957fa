/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_surface.h
 * Triangle surfaces of vessels, open at their ends, normals outward, lengths in metres.
 */
#ifndef RILL_GEOMETRY_GENERATE_GENERATE_SURFACE_H
#define RILL_GEOMETRY_GENERATE_GENERATE_SURFACE_H

#include "geometry/surface/mesh.h"

/** A pipe: straight, then an arc in the plane of x and z, then straight. It begins at the origin along +z. */
typedef struct rill_bend_options {
    double radius;        /**< of the pipe */
    double inlet, outlet; /**< lengths of the straight parts */
    double bend;          /**< radius of the arc, more than that of the pipe */
    double angle;         /**< of the arc, radians, 0 to 3/2 pi; 0: straight */
    double edge;          /**< length of the triangles' edges */
} rill_bend_options;

/** Return an arc of 90 degrees: radius 2 mm, bend 8 mm, straight parts of 8 mm, edges of 0.2 mm. */
rill_bend_options rill_bend_options_default(void);

/** Make a bent pipe. @return RILL_USAGE for what is no pipe, RILL_SYSTEM without memory */
rill_status rill_generate_bend(const rill_bend_options *options, rill_mesh **out);

/**
 * The nozzle of the FDA's benchmark, flow along +z: 12 mm wide up to z = -62.685 mm, a cone to the throat of
 * 4 mm from -40 mm to 0, then 12 mm at once (Hariharan et al. 2011, doi:10.1115/1.4003440).
 */
typedef struct rill_nozzle_options {
    double inlet, outlet; /**< lengths of the wide parts in front of the cone and behind the throat */
    double edge;
} rill_nozzle_options;

/** Return 30 mm in front, 80 mm behind, edges of 0.3 mm. */
rill_nozzle_options rill_nozzle_options_default(void);

/** Make the nozzle. @return RILL_USAGE for lengths out of range, RILL_SYSTEM without memory */
rill_status rill_generate_nozzle(const rill_nozzle_options *options, rill_mesh **out);

/**
 * A bifurcation in the plane of x and z: a parent along +z from the origin parts into two branches, whose
 * radii follow Murray's law, r^3 = r_1^3 + r_2^3. Each bends along an arc by its angle and goes on straight.
 * The branches are joined smoothly: no crease on which the wall's shear would stand out.
 */
typedef struct rill_bifurcation_options {
    double radius;         /**< of the parent */
    double ratio;          /**< radius of the second branch over that of the first, up to 1 */
    double angles[2];      /**< of the branches with the parent's axis, radians, to +x and -x */
    double parent, branch; /**< lengths of the parent and of each branch, arcs included */
    double edge;
} rill_bifurcation_options;

/** Return a carotid's size: radius 3 mm, ratio 0.8, 25 and 30 degrees, 15 and 22 mm, edges of 0.25 mm. */
rill_bifurcation_options rill_bifurcation_options_default(void);

/** Make a bifurcation. @return RILL_USAGE for lengths out of range, RILL_SYSTEM without memory */
rill_status rill_generate_bifurcation(const rill_bifurcation_options *options, rill_mesh **out);

#endif
