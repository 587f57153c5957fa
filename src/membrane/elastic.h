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

#include "device/membranes.h"
#include "membrane/mesh.h"

/**
 * Let a mesh be the shape at rest.
 * @param mesh  must outlive it
 * @return RILL_USAGE for values below 0, RILL_SYSTEM without memory
 */
rill_status rill_elastic_create(const rill_membrane_mesh *mesh, const rill_elastic_options *options,
                                rill_elastic *out);

/** Free it; zeroed ones are allowed. */
void rill_elastic_destroy(rill_elastic *elastic);

/** Copy it to a device. Undone by rill_elastic_leave(). */
rill_status rill_elastic_send(const rill_elastic *elastic, rill_device *device, rill_elastic *out);

/** Free the copy; zeroed ones are allowed. */
void rill_elastic_leave(rill_elastic *elastic, rill_device *device);

/** Return the numbers that the next two work with. */
uint64_t rill_elastic_scratch(const rill_elastic *elastic);

/**
 * Set the forces on the vertices of one membrane, on processors.
 * @param[in]  x      [vertices], positions
 * @param[out] force  [vertices]
 * @param      scratch  [rill_elastic_scratch()]
 */
void rill_elastic_force(const rill_elastic *elastic, const double (*x)[3], double (*force)[3],
                        double *scratch);

/** Return the energy of its shape. */
double rill_elastic_energy(const rill_elastic *elastic, const double (*x)[3], double *scratch);

/** Set the forces on all membranes of a set, and their areas. @param device  that it is of; NULL: the host */
rill_status rill_elastic_pull(const rill_device *device, const rill_membrane_set *s);

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
