/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file free_surface.h
 * A free surface between a liquid, which a simulation computes, and a gas, which is not computed and has a
 * constant pressure, or p V in closed bubbles: the volume of fluid method. Every node of the domain is gas,
 * interface or liquid; between liquid and gas there is always interface. docs/free-surface.md says what
 * happens in a step, and its sources.
 */
#ifndef RILL_FREE_SURFACE_H
#define RILL_FREE_SURFACE_H

#include "device/front.h"
#include "device/plic.h"
#include "domain/numbering.h"
#include "io/checkpoint.h"
#include "sim/passes.h"

/** What a node is between two steps. */
typedef enum rill_phase_state {
    RILL_GAS = RILL_FRONT_GAS,
    RILL_INTERFACE = RILL_FRONT_INTERFACE,
    RILL_LIQUID = RILL_FRONT_LIQUID
} rill_phase_state;

/** Mass of a node that has become gas or liquid, which its neighbours take. */
typedef struct rill_excess {
    rill_node node;
    double mass;
} rill_excess;

/** Numbers of nodes, as many as there are. */
typedef struct rill_node_list {
    rill_node *node; /**< [room], owned */
    uint64_t count, room;
} rill_node_list;

/** The contact angle of a wall that prefers neither the liquid nor the gas, degrees. */
#define RILL_RIGHT_ANGLE 90.0

/** A face of the box that liquid crosses; see faces.h. */
typedef struct rill_free_surface_face {
    int axis, end; /**< -1: the low, 1: the high end of the axis; 0: there is none */
    double speed;  /**< of an inflow, into the box, lu */
    double level;  /**< liquid comes in below it; it goes out to the pressure of a liquid at rest below it */
} rill_free_surface_face;

/** Properties of a free surface. */
typedef struct rill_free_surface_options {
    double tension;       /**< sigma, lu */
    double contact_angle; /**< in the liquid, degrees, 0 to 180 without the ends */
    rill_free_surface_face inflow, outflow;
    double gas_pressure; /**< of the atmosphere, lu: p V of closed bubbles is constant, see bubbles.h; 0:
                            their pressure is that of the atmosphere, too */
    rill_free_surface_face atmosphere; /**< the face that is open to it, for gas alone */
    bool atmosphere_needed;            /**< refuse a face of it where no pores are open */
} rill_free_surface_options;

/** Mass that has crossed faces of the box. */
typedef struct rill_free_surface_through {
    double came, went;
} rill_free_surface_through;

/** Closed gas. */
typedef struct rill_free_surface_gas {
    uint64_t bubbles;           /**< closed regions with gas nodes */
    double volume, content;     /**< sums over these of V and of p V */
    double entered, left, lost; /**< p V that closed regions got from the atmosphere, lost to it, and that
                                   went with regions that filled up, since the start */
    uint64_t searches;          /**< of all regions, since the start */
} rill_free_surface_gas;

/** A free surface. On a GPU states, fill levels, masses and what is held are copies, as they were when totals
 * were taken last. */
typedef struct rill_free_surface {
    rill_sim *sim;                   /**< not owned */
    const rill_numbering *numbering; /**< of its domain */
    rill_lattice lattice;
    double tension; /**< sigma, lu */
    double angle;   /**< of contact, degrees */
    rill_node nodes;
    rill_device *device; /**< a GPU, not owned; NULL: processors */
    rill_front front;    /**< what passes work with, there */
    uint8_t *state;      /**< [tiles * RILL_FRONT_TILE], a rill_phase_state */
    float *fill;         /**< [nodes], part of a cell that is liquid */
    double *mass;        /**< [nodes], of interface nodes */
    rill_node *cell;     /**< [nodes], x + nx (y + ny z) in the box of the numbering */
    rill_excess *excess; /**< [excess_room], for bubbles, as the next ones */
    uint64_t excess_count, excess_room;
    bool closed;                /**< p V of closed gas is constant */
    rill_front_list listed;     /**< interface nodes, for the host */
    rill_front_list fresh;      /**< those of them that were gas */
    rill_front_found *reported; /**< of interface nodes, for the host */
    uint64_t reported_room;
    double held; /**< mass that no interface node was there to take */
    uint32_t holds;
    uint32_t *number;  /**< [tiles], see rill_front */
    uint64_t *stepped; /**< [tiles] */
    rill_free_surface_face inflow, outflow;
    rill_node_list faces;              /**< nodes with links that cross open faces, ascending */
    rill_front_through *crossed;       /**< of these, for the host */
    struct rill_bubbles *bubbles;      /**< bubbles.h; NULL: all gas has the pressure of the atmosphere */
    rill_free_surface_through through; /**< since the start */
    rill_node_run *runs;               /**< [run_count], that are stepped; room for as many as blocks */
    uint64_t run_count;
} rill_free_surface;

/** Refuse a box whose cells have numbers of more than 32 bits. @return RILL_USAGE */
rill_status rill_free_surface_cells_check(const uint32_t n[3]);

/**
 * Put a free surface on a simulation, whose liquid flows as it was set: rill_sim_set_moments() comes first.
 * @param[in] fill     [nodes], part of each cell that is liquid, 0 to 1
 * @param[out] out  to be destroyed after the last step of the simulation
 * @return RILL_USAGE for values out of range, the Stokes equilibrium, another lattice than D3Q19 and D3Q27,
 * boxes that rill_free_surface_cells_check() refuses, and what rill_sim_passes_set() refuses; RILL_SYSTEM
 * without memory
 */
rill_status rill_free_surface_create(rill_sim *sim, const rill_free_surface_options *options,
                                     const double *fill, rill_free_surface **out);

/** Destroy it; NULL is allowed. */
void rill_free_surface_destroy(rill_free_surface *surface);

/** Sums over the liquid between two steps. */
typedef struct rill_free_surface_totals {
    double mass; /**< of liquid and interface: kept to rounding, but for what crosses faces */
    rill_free_surface_through through;
    double volume; /**< cells that are liquid: the sum of the fill levels */
    double momentum[3];
    double speed_max;  /**< of liquid and interface nodes */
    uint64_t nodes[3]; /**< in each rill_phase_state */
    rill_free_surface_gas gas;
    bool finite;
} rill_free_surface_totals;

/** Take them, in the order of nodes: the same bits on any number of threads. */
rill_status rill_free_surface_totals_take(rill_free_surface *surface, rill_free_surface_totals *out);

enum { RILL_FREE_SURFACE_PARTS = 8 };

/** List what a surface consists of beside populations. @return how many parts there are */
int rill_free_surface_parts(rill_free_surface *surface, rill_checkpoint_part parts[RILL_FREE_SURFACE_PARTS]);

/** Go on when they were put in. @return RILL_USAGE for states that are none, RILL_SYSTEM */
rill_status rill_free_surface_resume(rill_free_surface *surface);

/** Return the bytes of a node beside the populations. @param closed  p V of closed bubbles is constant */
uint64_t rill_free_surface_node_bytes(bool closed);

/* Shared by the files of this folder. */

/** The neighbourhood of a node: numbers as in device/plic.h, RILL_UPSTREAM_WALL where there is no node. */
void rill_free_surface_around(const rill_free_surface *surface, rill_node node, rill_node *around);

/** Return the place in a neighbourhood that population i comes from. */
static inline int rill_free_surface_upstream(rill_lattice lattice, int i)
{
    return 13 - rill_c((int)lattice, i, 0) - 3 * rill_c((int)lattice, i, 1) - 9 * rill_c((int)lattice, i, 2);
}

/** Add a node to a list. */
rill_status rill_node_list_add(rill_node_list *list, rill_node node);

#endif
