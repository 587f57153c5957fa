/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ports.h
 * Openings through which cells come and go. A cell leaves where one of its vertices comes near an opening; at
 * an inlet cells are added at rest, at random positions behind it, so that their volume is a given share of
 * the fluid's that has come in.
 */
#ifndef RILL_MEMBRANE_PORTS_H
#define RILL_MEMBRANE_PORTS_H

#include "membrane/membrane.h"
#include "membrane/seed.h"

/** Voxels in front of an opening in which there are no cells: kernels stay clear of its links, though
 * vertices move between two looks, RILL_PORTS_EVERY steps apart. */
#define RILL_PORTS_STRIP 5.0
enum { RILL_PORTS_EVERY = 10 };

/** Steps over which a flow rises from rest, for each voxel of the longest edge of the box: ten times as many
 * as sound takes. */
enum { RILL_PORTS_SOFT = 17 };

/** An opening. */
typedef struct rill_port {
    bool inlet;
    double share;         /**< inlets: of the fluid that comes in, volume of cells */
    double flow;          /**< inlets: voxels a step, once it has risen */
    uint64_t *voxels;     /**< [voxel_count], inlets: where centres of new cells are drawn from, owned */
    uint64_t voxel_count; /**< not 0 where the share is above 0 */
} rill_port;

/** The openings of a geometry, in its order. */
typedef struct rill_ports {
    const rill_geom *geom;          /**< not owned, as the next */
    const rill_membrane_mesh *mesh; /**< of a cell at rest */
    rill_port *each;                /**< [count], owned */
    int count;
    uint8_t *strip;  /**< [voxels], owned: 1 + number of the opening that is near, 0 elsewhere */
    uint64_t closed; /**< fluid voxels of all strips */
    double volume;   /**< of a cell at rest, voxels */
    uint64_t seed, soft;
    const double *axis; /**< of the discs of new cells; NULL: at random. Not owned */
} rill_ports;

/** What has gone through them: part of the state of a run. */
typedef struct rill_ports_state {
    uint64_t count; /**< of cells now */
    uint64_t next;  /**< number of the next cell, from 1 */
    uint64_t entered[RILL_OPENINGS], left[RILL_OPENINGS];
} rill_ports_state;

/** Cells that come and go. */
typedef struct rill_ports_cells {
    const rill_ports *ports;
    rill_ports_state state;
    uint64_t *numbers; /**< [room], of the cells that are there; not owned */
} rill_ports_cells;

/** Find the strips of openings. @param out  with the rest of each opening still to be set */
rill_status rill_ports_create(const rill_geom *geom, const rill_membrane_mesh *mesh, rill_ports *out);

/** List the positions of an inlet. @return RILL_USAGE where no cell finds room there, RILL_SYSTEM */
rill_status rill_ports_inlet(rill_ports *ports, int opening);

/** Free them; zeroed ones are allowed. */
void rill_ports_destroy(rill_ports *ports);

/** Return the part of its flow that an inlet has in a step, 0 to 1. */
double rill_ports_soft(const rill_ports *ports, double step);

/** Return the volume that has come in through an inlet, voxels. */
double rill_ports_through(const rill_ports *ports, int opening, uint64_t steps);

/** Return how many cells an inlet should have brought by then. */
double rill_ports_due(const rill_ports *ports, int opening, uint64_t steps);

/** Let cells leave and enter before a step: a rill_membranes_turnover of rill_ports_cells. */
rill_status rill_ports_turnover(void *owner, rill_membranes *membranes);

#endif
