/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file elastic.h
 * Elasticity of a membrane of triangles: energy of its shape, and the forces on its vertices, which are the
 * energy's negative derivatives.
 *
 * Strain in the plane: linear finite elements. With C the right Cauchy-Green tensor of a triangle and
 * stretches s_1, s_2, I1 = tr C - 2 = s_1^2 + s_2^2 - 2 and I2 = det C - 1 = s_1^2 s_2^2 - 1; energies of
 * unit area at rest, with the surface shear modulus G:
 * - neo-Hookean (a thin sheet of incompressible rubber): w = G/2 (I1 - 1 + 1/(I2 + 1));
 * - Skalak et al. (1973), doi:10.1016/S0006-3495(73)85983-1: w = G/4 (I1^2 + 2 I1 - 2 I2 + C I2^2), in the
 *   form of Barthes-Biesel, Diaz & Dhenin (2002), doi:10.1017/S0022112002008352.
 *
 * Bending: Helfrich's energy, the integral of 2 kappa (H - H_0)^2 with the mean curvature H, as the sum over
 * vertices of 2 kappa (M_i / A_i - H_i)^2 A_i: M_i is a quarter of the sum over the edges of vertex i of
 * length times the angle between the normals of the two triangles, A_i a third of the triangles around it,
 * H_i the curvature at rest (Juelicher 1996, doi:10.1051/jp2:1996178; compared with others by Guckenberger et
 * al. 2016, doi:10.1016/j.cpc.2016.04.018).
 *
 * Area and volume: (k_A / 2) (A - A_0)^2 / A_0 + (k_V / 2) (V - V_0)^2 / V_0.
 */
#ifndef RILL_MEMBRANE_ELASTIC_H
#define RILL_MEMBRANE_ELASTIC_H

#include "membrane/mesh.h"

/** What stretches in the plane. */
typedef enum rill_membrane_law { RILL_NEO_HOOKEAN, RILL_SKALAK } rill_membrane_law;

/** Properties of a membrane, lu; 0: none. */
typedef struct rill_elastic_options {
    rill_membrane_law law;
    double shear;      /**< G, force per length */
    double dilatation; /**< C of Skalak's law */
    double bending;    /**< kappa, energy */
    double area;       /**< k_A, force per length */
    double volume;     /**< k_V, force per area */
    bool flat;         /**< no curvature at rest: H_i = 0, not that of the mesh */
} rill_elastic_options;

/** A mesh at rest. */
typedef struct rill_elastic {
    const rill_membrane_mesh *mesh; /**< not owned */
    rill_elastic_options options;
    double (*inverse)[3]; /**< [triangles], inverse metric: 11, 12, 22 */
    double *rest;         /**< [triangles], area at rest */
    double *curvature;    /**< [vertices], H_i */
    double area, volume;  /**< at rest */
} rill_elastic;

/** Let a mesh be the shape at rest. @return RILL_USAGE for values below 0, RILL_SYSTEM without memory */
rill_status rill_elastic_create(const rill_membrane_mesh *mesh, const rill_elastic_options *options,
                                rill_elastic *out);

/** Free it; zeroed ones are allowed. */
void rill_elastic_destroy(rill_elastic *elastic);

/**
 * Set the forces on the vertices of a shape.
 * @param[in]  x      [vertices], positions
 * @param[out] force  [vertices]
 * @param      scratch  [vertices]
 * @return the energy
 */
double rill_elastic_force(const rill_elastic *elastic, const double (*x)[3], double (*force)[3],
                          double (*scratch)[2]);

/** Set the part of the surface of each vertex as a vector: a third of the triangles around it, outwards. */
void rill_membrane_areas(const rill_membrane_mesh *mesh, const double (*x)[3], double (*area)[3]);

/** Shape of a closed surface. */
typedef struct rill_membrane_shape {
    double area, volume;
    double centre[3];
    double axes[3];         /**< semi-axes of the ellipsoid with the same moments of inertia, largest first */
    double direction[3][3]; /**< of each, of length 1, its largest component positive */
} rill_membrane_shape;

/** Measure the shape of a mesh whose vertices are at x. */
rill_membrane_shape rill_membrane_shape_of(const rill_membrane_mesh *mesh, const double (*x)[3]);

#endif
