/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run.h
 * A liquid with a free surface, from its shape to files.
 */
#ifndef RILL_FREE_SURFACE_RUN_H
#define RILL_FREE_SURFACE_RUN_H

#include "free_surface/free_surface.h"
#include "io/step_run.h"

/** Shapes of a liquid; docs/free-surface.md says what is where. */
typedef enum rill_liquid_shape {
    RILL_LIQUID_POOL,
    RILL_LIQUID_DROP,
    RILL_LIQUID_BUBBLE,
    RILL_LIQUID_COLUMN,
    RILL_LIQUID_WAVE,
    RILL_LIQUID_IMAGE
} rill_liquid_shape;

/** What to compute, in lattice units. */
typedef struct rill_free_surface_case {
    rill_liquid_shape shape;
    rill_geom *geom; /**< solid and pores, borrowed; its boundaries are set. NULL: a box without solid */
    const rill_geom *liquid; /**< of the size of the box: its pores are liquid at the start. NULL: a shape */
    uint32_t n[3];           /**< cells; those of a geometry where there is one */
    bool walls[2]; /**< along x and y where there is more than one cell, or an open face; floor and ceiling
                      are walls always */
    double depth;  /**< of the pool, from the floor; height of a column */
    double radius, height, speed; /**< of a ball, centre above the floor, downwards */
    double width;                 /**< of a column */
    double amplitude;             /**< of a wave */
    double tau, tension, gravity;
    double contact_angle;                   /**< of the walls, degrees */
    rill_free_surface_face inflow, outflow; /**< faces of the box that are open */
    double gas_pressure;                    /**< 0: that of all gas is constant */
    rill_free_surface_face atmosphere;      /**< the face that is open to it for gas */
    bool atmosphere_needed;                 /**< refuse one where no pores are open */
    rill_stream stream;
    rill_storage storage;
    rill_backend_kind backend; /**< auto: processors */
    uint64_t steps, every;     /**< fields every so many steps; 0: none */
    const char *output;        /**< "drop.h5"; NULL: no files */
    const char *command;       /**< provenance; may be NULL */
    rill_step_keep keep;       /**< its checkpoint */
    rill_progress progress;
} rill_free_surface_case;

/** What came of it. */
typedef struct rill_free_surface_outcome {
    rill_free_surface_totals first, last; /**< at the start and at the end */
    uint64_t steps;
    double seconds;       /**< that steps took, of this process */
    double mlups;         /**< million updates of liquid and interface nodes a second */
    bool checkpoint_left; /**< the checkpoint is of this run, and was left */
} rill_free_surface_outcome;

/** Return the change of the mass but for what crossed faces, over the largest of what there was. */
double rill_free_surface_change(const rill_free_surface_outcome *outcome);

/** Refuse to go on with sums that no liquid has: of a flow that diverged, is too fast, has lost more than
 * there was, or is pressed into a full box. @return RILL_NUMERICS */
rill_status rill_free_surface_sound(const rill_free_surface_case *given,
                                    const rill_free_surface_outcome *outcome);

/** Steps between rows of the series. */
enum { RILL_FREE_SURFACE_ROW = 100 };

/**
 * Compute a case, and write its files.
 * @return RILL_USAGE for values out of range, RILL_NUMERICS when it diverged, RILL_SYSTEM, RILL_CANCELLED
 */
rill_status rill_free_surface_run(const rill_free_surface_case *given, rill_free_surface_outcome *out);

#endif
