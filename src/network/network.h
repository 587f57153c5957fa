/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file network.h
 * A coarse picture of a pore space for its pressures: chambers, the connected parts of its blocks of edge^3
 * voxels, joined by throats. It says which change of the pressures stops the fluid from piling up: where a
 * chamber gains mass, its pressure must rise until as much more flows out of it.
 *
 * Nothing that is reported depends on it, only how soon a run ends (permeability/follow.h): conductances may
 * be off by a factor of two or three, as in other pore networks made of voxels.
 * @see Blunt (2001), doi:10.1016/S1359-0294(01)00084-X, for pore networks
 */
#ifndef RILL_NETWORK_H
#define RILL_NETWORK_H

#include "device/flows.h"
#include "domain/layers.h"
#include "network/permit.h"

#include <stdatomic.h>

/** A link between two chambers. */
typedef struct rill_throat {
    uint32_t chamber[2];
    double conductance; /**< flow per difference of pressure, times viscosity */
} rill_throat;

/** What is connected, and has no outlet: its pressures are known but for a constant. */
typedef struct rill_network_closed {
    uint32_t first, end; /**< rows of the first level */
    double volume;       /**< the sum over its chambers */
} rill_network_closed;

/** Levels at most: without outlets each has at most half of what is connected on the one before. Chambers are
 * worked on by so many, whatever the number of threads. */
enum { RILL_NETWORK_LEVELS = 34, RILL_NETWORK_CHUNK = RILL_FLOW_CHUNK };

/** What a device solves with, in its memory. */
typedef struct rill_network_copy {
    rill_device *device;
    void *memory; /**< of all arrays; NULL: there is no copy */
    rill_flow_level level[RILL_NETWORK_LEVELS];
    double *found, *direction, *flow, *partial;
} rill_network_copy;

/** Plain data. Chambers are numbered in the order of their blocks. */
typedef struct rill_network {
    uint32_t edge;         /**< of a block, in voxels */
    double magic;          /**< parameter of the collision, which moves the walls; 0: 3/16 */
    bool wide;             /**< single rows of nodes are chinks of wide pores, see throats.c */
    atomic_bool abandoned; /**< set by another thread while it is found: it is not needed any more */
    rill_permit *permit;   /**< finding it waits for that; NULL: for nothing */
    rill_permit *next;     /**< given when it is found or cannot be: another waits for that; NULL: none */
    uint32_t blocks[3];
    uint32_t chambers;
    uint32_t *base;      /**< [blocks], chambers of the blocks before */
    uint32_t *block_of;  /**< [chambers] */
    double *volume;      /**< [chambers], nodes in it */
    double (*centre)[3]; /**< [chambers], in voxels */
    uint64_t throats;
    rill_throat *throat; /**< [throats] */
    double *outlet;      /**< [chambers], conductance to a mirrored boundary normal to the flow, where the
                            deviation      of the pressure is 0 */
    rill_flow_level level[RILL_NETWORK_LEVELS]; /**< the first is that of the chambers */
    int levels;
    uint32_t *chamber; /**< [chambers], that of each row of the first level */
    uint32_t closed_count;
    rill_network_closed *closed;      /**< [closed_count] */
    double *found, *direction, *flow; /**< [chambers], of the solver */
    double *partial;                  /**< [chunks of the chambers], of sums */
    rill_network_copy copy;
} rill_network;

/** Return what a single row of nodes conducts with the magic parameter 1, times viscosity. */
double rill_network_row(rill_lattice lattice);

/**
 * Return an edge of blocks that makes a few hundred thousand chambers, or more where pores are too narrow for
 * larger ones.
 * @param opening  width of the widest pores in voxels, see rill_pore_measure
 */
uint32_t rill_network_edge(const rill_geom *geom, double opening, double porosity);

/** Return whether so many chambers hold enough nodes each. */
bool rill_network_serves(uint64_t nodes, uint32_t chambers);

/** Choose the edge, larger where chambers would be too small, and count the chambers.
 * @param[in,out] network  zero; see rill_network_count() */
rill_status rill_network_choose(const rill_geom *geom, rill_lattice lattice, double opening, uint64_t nodes,
                                rill_network *network);

/** Count the chambers that the network of a geometry will have: blocks, base and chambers.
 * @param[in,out] network  zero but for the edge of its blocks, 1 … 64 voxels */
rill_status rill_network_count(const rill_geom *geom, rill_lattice lattice, rill_network *network);

/** Copy the edge of the blocks and the counted chambers of another network.
 * @param[in,out] network  zero but for permits */
rill_status rill_network_counted(const rill_network *from, rill_network *network);

/** Return the bytes that a network takes when it is prepared, without the chambers of nodes. */
uint64_t rill_network_bytes(uint64_t chambers);

/** Return the bytes that a network takes while its throats are found, without the chambers of nodes. */
uint64_t rill_network_found_bytes(uint64_t chambers);

/** Return the bytes of the chambers of nodes: of all, or of the planes that are taken at a time. */
uint64_t rill_network_label_bytes(const rill_geom *geom, uint64_t nodes);

/** Return the bytes of chambers that were found, with those of so many nodes. */
uint64_t rill_network_chamber_bytes(const rill_network *network, uint64_t nodes);

/** Return the bytes of the distances from walls, which are there while throats are found. */
uint64_t rill_network_distance_bytes(const rill_geom *geom);

/**
 * Return whether the network of a geometry whose voxels several processes keep is found in a copy of them: so
 * a thread can find it, which must not call other processes. Larger ones than some windows are not copied.
 */
bool rill_network_copies(const rill_geom *geom);

/** Return the bytes of that copy; 0: none is made. */
uint64_t rill_network_copy_bytes(const rill_geom *geom);

/** Called with the chambers of some nodes: of all, in their order. */
typedef rill_status rill_network_see(void *context, const rill_network *network, rill_global_node first,
                                     uint64_t count, const uint32_t *chamber_of);

/** Some planes of a domain, with the chambers of their nodes. Start with zeros. */
typedef struct rill_network_part {
    rill_layers layers;
    uint32_t *chamber_of; /**< [nodes of the planes], in their order */
    uint64_t *before;     /**< [planes + 1], nodes in the planes before */
    bool whole;           /**< it has all planes */
} rill_network_part;

/** Return how many layers of blocks are taken at a time: all where the domain has all numbers. */
uint32_t rill_network_layers(const rill_domain *domain, const rill_network *network);

/** Take the planes of layers of blocks first … first + count - 1 in the periodic box, and find the chambers
 * of their nodes. Nothing is done where the part is whole already. */
rill_status rill_network_take(const rill_domain *domain, const rill_network *network, int64_t first,
                              uint32_t count, rill_network_part *part);

/** Free what it owns. */
void rill_network_part_free(rill_network_part *part);

/** Return the chamber of a node, given where it is; RILL_UPSTREAM_WALL where there is none. */
static inline uint32_t rill_network_at(const rill_network_part *part, uint32_t x, uint32_t y, uint32_t z)
{
    const rill_numbering *numbering = &part->layers.numbering;
    const uint32_t k = rill_layers_plane(&part->layers, z);
    if (!rill_numbering_has(numbering, x, y, k)) return RILL_UPSTREAM_WALL;
    return part->chamber_of[rill_numbering_within(numbering, x, y, k) + part->before[k]];
}

/**
 * Find the chambers of a domain: blocks, base, block_of, volume, centre, layer by layer of blocks where
 * several processes hold its voxels.
 * @param[in,out] network  zero but for the edge of its blocks, 1 … 64 voxels, permits, and what was counted;
 *                         chambers that were found stay, where the part has them
 * @return RILL_CANCELLED where it is abandoned meanwhile, as the next
 * @param see  called with the chambers of all nodes; NULL: nothing is
 * @param[out] part  the planes taken last: all where the domain has all numbers
 */
rill_status rill_network_find_chambers(const rill_domain *domain, rill_network_see *see, void *context,
                                       rill_network *network, rill_network_part *part);

/** Call `see` with the chambers of all nodes of a network whose chambers were found; another thread may find
 * its throats meanwhile. */
rill_status rill_network_see_nodes(const rill_domain *domain, const rill_network *network,
                                   rill_network_see *see, void *context);

/** Find throats and outlets of chambers that were found. */
rill_status rill_network_find_throats(const rill_domain *domain, rill_network *network,
                                      rill_network_part *part);

/**
 * Find what chambers conduct to a face of the box, as rill_network_find_throats() does to both mirrored
 * boundaries normal to the flow.
 * @param[in] axis, upper  the face
 * @param[in,out] part     of rill_network_find_throats()
 * @param[in,out] outlet   [chambers], to which the conductances are added
 */
rill_status rill_network_find_outlets(const rill_domain *domain, const rill_network *network, int axis,
                                      bool upper, rill_network_part *part, double *outlet);

/** Return RILL_CANCELLED where a network is abandoned. */
rill_status rill_network_check(const rill_network *network);

/** Prepare rill_network_solve(): levels and components of throats that were found. */
rill_status rill_network_prepare(rill_network *network);

/** Prepare a network whose links are listed instead of its throats.
 * @param begin  [chambers + 1], first link of a chamber; the two of a pair conduct the same
 * @param[in,out] link  [begin[chambers]]; NULL afterwards: the network has them */
rill_status rill_network_prepare_links(rill_network *network, const uint32_t *begin, rill_flow_link **link);

/** Prepare a network anew whose conductances have changed. @param[in,out] network  without a copy on a device
 */
rill_status rill_network_prepare_again(rill_network *network);

/** Let a device solve from now on, if it can work on rows, in memory of its own: with the same bits as
 * processors. @return RILL_SYSTEM where it has no memory: processors solve on */
rill_status rill_network_put(rill_network *network, rill_device *device);

/** Let processors solve again. */
void rill_network_take_off(rill_network *network);

/** Return the bytes of a device's memory that this takes. */
uint64_t rill_network_copy_size(uint64_t chambers);

/** Free the arrays, of a network that is found in part, too. */
void rill_network_destroy(rill_network *network);

/**
 * Find the pressures whose flow carries away what every chamber gains.
 * @param[in]  gain       [chambers], mass per step
 * @param[in]  viscosity  kinematic, lu
 * @param[out] pressure   [chambers]; its mean is 0 where nothing fixes it
 * @return iterations made
 */
int rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure);

/**
 * Let no throat conduct more than the momentum that a drop of the pressure makes in some steps, and prepare
 * the network anew.
 * @param[in,out] network  prepared, its copy on a device not yet made
 * @param n        voxels of the box
 * @param axis     that outlets are normal to
 * @param inertia  the steps times the kinematic viscosity
 */
rill_status rill_network_limit(rill_network *network, const uint32_t n[3], int axis, double inertia);

/**
 * Find the pressures that hold fluid which is only accelerated, in a network with such limits: they oppose
 * the drops of the pressure as far as throats are limited, and leave those that walls balance.
 * @param[in]  pressure  [chambers]
 * @param      gain      [chambers], working memory
 * @param[out] held      [chambers], to be added to the pressure
 */
void rill_network_hold(rill_network *network, const uint32_t n[3], int axis, double inertia,
                       const double *pressure, double *gain, double *held);

/**
 * Change a step of the pressures such that pressures of what has no outlet have no mean behind it: the mean
 * has no effect on the flow, but populations round in units of it.
 * @param[in] pressure  [chambers]
 * @param[in,out] step  [chambers]
 */
void rill_network_balance(rill_network *network, const double *pressure, double *step);

/** Return Σ weight a b, [chambers]; the same bits for any number of threads. */
double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b);

/**
 * Measure how many steps through faces the voxels of some planes are away from a wall: 0 in solid, 1 beside
 * it, 255 at most. Planes beside them are seen as far as such walls may lie in them.
 * @param[in]  first, count  planes; those before or behind the box are its other ones where it is periodic,
 *                           else solid
 * @param[out] distance  [count][ny][nx], see rill_array_destroy()
 */
rill_status rill_network_walls(const rill_geom *geom, int64_t first, uint32_t count, uint8_t **distance);

/** Free the arrays of all levels. */
void rill_network_levels_destroy(rill_network *network);

#endif
