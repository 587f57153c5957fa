/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/pore_network.h
 * The pore network of a geometry, for programs that compute with pore networks, and its pore sizes. Lengths
 * are in voxels.
 */
#ifndef RILL_PUBLIC_PORE_NETWORK_H
#define RILL_PUBLIC_PORE_NETWORK_H

#include "rill/geometry.h"
#include "rill/progress.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How a pore network is made. */
typedef struct rill_pore_network_options {
    uint32_t edge; /**< of the blocks whose connected parts are chambers, voxels, 1 ... 64; 0: chosen */
    rill_progress progress; /**< all 0: none */
} rill_pore_network_options;

/** Faces of the box. */
enum { RILL_FACES = 6 };

/**
 * Chambers, which are connected parts of the pores within cubic blocks, and throats between them. A
 * conductance g is a volume: the flow rate from pressure p to pressure q is g (p - q) / mu. Conductances are
 * estimates from the distances to the walls, off by a factor of two or three in single throats.
 */
typedef struct rill_pore_network {
    uint32_t edge;    /**< of the blocks */
    uint32_t pores;   /**< number of chambers */
    double *centre;   /**< [pores][3] centre of mass, x, y, z from the corner of the box, owned */
    double *volume;   /**< [pores] owned */
    double *diameter; /**< [pores] of the largest sphere in the pores with its centre in the chamber, owned */
    uint64_t throats; /**< number of throats */
    uint32_t *ends;   /**< [throats][2] numbers of the chambers, owned */
    double *conductance; /**< [throats] owned */
    double *face;        /**< [RILL_FACES][pores] conductance to the faces x = 0, x = n, y = 0, y = n, z = 0,
                              z = n; 0: the chamber does not touch it, or the face is a wall; owned */
    double k[3]; /**< permeability of the network along x, y, z between pressures at two faces; NaN where
                      nothing conducts, or where the box has fewer than two blocks */
} rill_pore_network;

/**
 * Find the pore network of a geometry.
 * @param[in] geom    with mirrored boundaries or walls: a network ends at the faces of the box
 * @param[in] options how
 * @param[out] out    the network; see rill_pore_network_free()
 * @return RILL_USAGE for periodic boundaries, an edge out of range or no pores; RILL_SYSTEM without memory;
 * RILL_CANCELLED
 */
rill_status rill_pore_network_make(const rill_geom *geom, const rill_pore_network_options *options,
                                   rill_pore_network *out);

/** Free what a network owns. @param[in,out] network one of zeros is allowed; all zero afterwards */
void rill_pore_network_free(rill_pore_network *network);

/**
 * Measure pore sizes: the part of the pore volume that spheres within the pores cover. Walls are half-way
 * between voxels, and faces of the box are no walls.
 * @param[in] geom     the geometry
 * @param[in] count    number of diameters
 * @param[in] diameter [count] of the spheres, voxels, at least 1
 * @param[out] covered [count] part of the pore volume that spheres of this diameter cover
 * @return RILL_USAGE without pores or for a diameter below 1; RILL_SYSTEM without memory
 * @see Hildebrand & Ruegsegger (1997), doi:10.1046/j.1365-2818.1997.1340694.x
 */
rill_status rill_pore_sizes_measure(const rill_geom *geom, uint32_t count, const double *diameter,
                                    double *covered);

#ifdef __cplusplus
}
#endif

#endif
