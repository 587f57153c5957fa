/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file network.h
 * A coarse picture of a pore space for its pressures: chambers, the connected parts of its blocks of edge^3
 * voxels, joined by throats. It says which change of the pressures stops the fluid from piling up: where a
 * chamber gains mass, its pressure must rise until as much more flows out of it.
 *
 * Nothing that is reported depends on it, only how soon a run ends (run/relax.h): conductances may be off by
 * a factor of two or three, as in other pore networks made of voxels.
 * @see Blunt (2001), doi:10.1016/S1359-0294(01)00084-X, for pore networks
 */
#ifndef RILL_NETWORK_H
#define RILL_NETWORK_H

#include "domain/domain.h"

/** A link between two chambers. */
typedef struct rill_throat {
    uint32_t chamber[2];
    double conductance; /**< flow per difference of pressure, times viscosity */
} rill_throat;

/** How chambers are put together for the solver, from fine to coarse. */
typedef struct rill_network_level {
    uint32_t count;
    uint32_t *parent;         /**< [count of the level before] */
    double *diagonal;         /**< [count] */
    double *residual, *value; /**< [count], of the solver */
} rill_network_level;

/** What is connected. */
typedef struct rill_network_component {
    double volume, outlet; /**< sums over its chambers */
    double sum;            /**< of the solver */
} rill_network_component;

enum { RILL_NETWORK_LEVELS = 16 };

/** Plain data. Chambers are numbered in the order of their blocks. */
typedef struct rill_network {
    uint32_t edge; /**< of a block, in voxels */
    uint32_t blocks[3];
    uint32_t chambers;
    uint32_t *chamber_of; /**< [nodes] */
    uint32_t *block_of;   /**< [chambers] */
    double *volume;       /**< [chambers], nodes in it */
    double (*centre)[3];  /**< [chambers], in voxels */
    double *outlet;       /**< [chambers], conductance to a mirrored side normal to the flow, where the
                               deviation of the pressure is 0 */
    uint64_t throats;
    rill_throat *throat; /**< [throats] */
    uint64_t *row;       /**< [chambers + 1], first of its neighbours */
    uint32_t *neighbour; /**< [2 throats] */
    double *conductance; /**< [2 throats] */
    double *diagonal;    /**< [chambers] */
    rill_network_level level[RILL_NETWORK_LEVELS];
    int levels;
    uint32_t components;
    uint32_t *component_of;            /**< [chambers] */
    rill_network_component *component; /**< [components] */
    double *work[5];                   /**< [chambers] each, of the solver */
} rill_network;

/** Return an edge of blocks that makes a few hundred thousand chambers at most. */
uint32_t rill_network_edge(const rill_geom *geom);

/** Count the chambers that the network of a geometry will have. @param edge of a block, 1 … 64 voxels */
rill_status rill_network_count(const rill_geom *geom, rill_lattice lattice, uint32_t edge,
                               uint32_t *chambers);

/** Return the bytes that the network of a geometry takes. */
uint64_t rill_network_bytes(const rill_geom *geom, uint64_t nodes, uint32_t chambers);

/** Find chambers and throats of a domain. @param edge of a block, 1 … 64 voxels */
rill_status rill_network_create(const rill_domain *domain, uint32_t edge, rill_network *out);

/** Free the arrays. */
void rill_network_destroy(rill_network *network);

/**
 * Find the pressures whose flow carries away what every chamber gains.
 * @param[in]  gain       [chambers], mass per step
 * @param[in]  viscosity  kinematic, lu
 * @param[out] pressure   [chambers]; its mean is 0 where nothing fixes it
 */
void rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure);

/** Return Σ weight a b, [chambers]; the same bits for any number of threads. */
double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b);

/* Parts of rill_network_create(). */

/** Find chambers: blocks, chamber_of, block_of, volume, centre. */
rill_status rill_network_find_chambers(const rill_domain *domain, rill_network *network);

/**
 * Measure how many steps through faces every voxel is away from a wall: 0 in solid, 1 beside it, 255 at most.
 * @param[out] distance  [nz][ny][nx], see rill_array_destroy()
 */
rill_status rill_network_walls(const rill_geom *geom, uint8_t **distance);

/** Find throats and outlets. */
rill_status rill_network_find_throats(const rill_domain *domain, rill_network *network);

/** Prepare rill_network_solve(). */
rill_status rill_network_prepare(rill_network *network);

#endif
