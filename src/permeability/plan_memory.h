/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan_memory.h
 * The memory of a permeability run, counted from sizes that are known before it starts. The sizes of a grid
 * whose voxels are split follow from those of the grid itself.
 */
#ifndef RILL_PERMEABILITY_PLAN_MEMORY_H
#define RILL_PERMEABILITY_PLAN_MEMORY_H

#include "domain/domain.h"
#include "permeability/plan.h"
#include "sim/attached.h"

/** What the memory is counted from. Bytes unless stated. */
typedef struct rill_plan_sizes {
    const rill_backend *backend;
    rill_variant variant;
    rill_links_size links;    /**< with the numbers of nodes and ghosts */
    rill_attached_load walls; /**< of the surface */
    rill_attached_load face;  /**< of each of two reservoirs, where pressure is held */
    bool stays;               /**< see rill_nested_stays() */
    uint64_t nodes;           /**< fluid nodes */
    uint64_t numbers;         /**< numbers of nodes on the host */
    uint64_t linked;          /**< segments that a CPU makes of a list, or lanes a GPU of nodes */
    uint64_t swaps;           /**< mirrored links, number */
    uint64_t own_swaps;       /**< of them, on the host beside those of the domain */
    uint64_t coarser;         /**< a coarser sample and its flow, see rill_nested_bytes() */
    uint64_t coarser_there;   /**< the flow on a device, see rill_nested_there_bytes() */
    uint64_t labels;          /**< chambers of nodes on the host, while the pore network is found */
    uint64_t distances;       /**< distances from walls, until the throats are found */
    uint64_t copy;            /**< copy of the voxels, until the pore network is found */
    uint64_t sensitivity;     /**< see rill_sensitivity_bytes() */
    uint64_t thresholds;      /**< see rill_threshold_networks_bytes() */
    uint64_t room;            /**< see rill_wall_room_bytes() */
    uint64_t held; /**< nodes whose chambers a simulation on the host has in memory of its own, number */
} rill_plan_sizes;

/** What the plan states, and the largest parts of it. */
typedef struct rill_plan_memory {
    uint64_t host, device; /**< the most at a time; 0: the device is the host */
    uint64_t sim;          /**< arrays of the simulation, wherever they are */
    uint64_t standing;     /**< host: what lasts: numbers, sums, walls, and a simulation on the host */
    uint64_t building;     /**< host: while links are built */
    uint64_t starting;     /**< host, beside what lasts: the pore network and coarser grids */
    uint64_t cycling;      /**< host, beside what lasts: the pore network while steps are made */
    uint64_t ending;       /**< host, beside what lasts: fields */
} rill_plan_memory;

/** Find out the sizes of a run. @param[in] plan  of which nodes and the way are known */
rill_status rill_plan_sizes_take(const rill_domain *domain, const rill_permeability_options *o,
                                 const rill_permeability_plan *plan, rill_device *device,
                                 rill_plan_sizes *out);

/**
 * Convert sizes to those of a grid of another box: of voxels that are split, or of a crop.
 * @param[in] geom  of which size, boundaries and keeper are used
 * @param[in] more  nodes for each node
 * @param[in] surface  wall area per volume of pore
 */
void rill_plan_sizes_scale(rill_plan_sizes *sizes, const rill_geom *geom, double more, double surface);

/** What a plan is made from that needs no device. Zero: nothing. */
typedef struct rill_plan_basis {
    rill_pore_measure measure;
    rill_network counted;    /**< until the nodes are numbered */
    rill_numbered *numbered; /**< owned until a plan takes it */
    uint64_t host_free;      /**< bytes, before the nodes were numbered */
} rill_plan_basis;

/** Measure a prepared sample and number its nodes; of the variant, the lattice counts alone. */
rill_status rill_plan_basis_take(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_plan_basis *basis);

/** Begin to find the chambers of the pore network, which most runs need first, while the caller waits for the
 * device. */
void rill_plan_basis_hurry(const rill_permeability_options *o, rill_plan_basis *basis);

/** Free what it owns. */
void rill_plan_basis_free(rill_plan_basis *basis);

/** As rill_plan_make_sized(), on a basis of the same sample and options, which the plan takes the numbers of.
 */
rill_status rill_plan_make_on(const rill_geom *geom, const rill_permeability_options *o,
                              rill_plan_basis *basis, rill_permeability_plan *plan, rill_plan_sizes *sizes);

/** Plan a run as rill_permeability_plan_make() does. @param[out] sizes  that its memory was counted from */
rill_status rill_plan_make_sized(const rill_geom *geom, const rill_permeability_options *o,
                                 rill_permeability_plan *plan, rill_plan_sizes *sizes);

/** Count the memory. @param[in] plan  the way, its chambers, and whether mean speeds are taken */
rill_plan_memory rill_plan_memory_count(const rill_plan_sizes *sizes, const rill_permeability_options *o,
                                        const rill_permeability_plan *plan);

#endif
