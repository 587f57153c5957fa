/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cells.h
 * A case file with `cells`: capsules or red blood cells in a flow that a body force, two plates or inlets
 * drive, through any geometry whose domain boundaries are periodic or solid. docs/capsules.md describes the
 * file.
 */
#ifndef RILL_MEMBRANE_CELLS_H
#define RILL_MEMBRANE_CELLS_H

#include "io/step_run.h"
#include "membrane/membrane.h"
#include "membrane/ports.h"
#include "membrane/seed.h"

#include <jansson.h>

/** Name of the section by which such a case is known. */
#define RILL_CELLS_SECTION "cells"

/** Shapes at rest. */
typedef enum rill_cells_shape { RILL_CELLS_SPHERE, RILL_CELLS_RED_CELL } rill_cells_shape;

/** What stands at an opening. */
typedef enum rill_cells_end_kind {
    RILL_CELLS_INLET,
    RILL_CELLS_PRESSURE,
    RILL_CELLS_WALL
} rill_cells_end_kind;

/** What the case says of an opening, SI. */
typedef struct rill_cells_end {
    char name[RILL_OPENING_NAME];
    int kind;           /**< a rill_cells_end_kind */
    int line;           /**< of the case file */
    double flow;        /**< inlets: m3/s */
    double haematocrit; /**< inlets: of what comes in; negative: that of the cells */
    double pressure;    /**< pressures: Pa */
} rill_cells_end;

/** A case as read, SI. */
typedef struct rill_cells_case {
    char *path, *text, *geometry; /**< as in rill_case, owned */
    double density, viscosity;    /**< kg/m3, Pa s */
    double force[3];              /**< body force, N/m3 */
    double rate;                  /**< shear rate between plates along z, 1/s; 0: none */
    rill_cells_end *ends;         /**< [end_count], owned */
    int end_count;
    int shape;          /**< a rill_cells_shape */
    double radius;      /**< m, of the sphere or of the disc */
    int law;            /**< a rill_membrane_law */
    double shear;       /**< N/m */
    double dilatation;  /**< C of Skalak's law */
    double bending;     /**< J */
    double area;        /**< N/m */
    double volume;      /**< N/m2 */
    double contact;     /**< N, of vertices that touch others or a wall; negative: shear times a voxel */
    double haematocrit; /**< share of the fluid's volume; 0: not given */
    int seed;
    double (*positions)[3]; /**< [position_count], m, owned */
    int position_count;
    double axis[3]; /**< of length 1, or 0: at random */
    double duration;
    double time_step; /**< s; 0: chosen */
    int stream, storage;
    double rows_every, files_every; /**< s; 0: a hundredth of the duration; none */
    bool fields;                    /**< of the flow, with the files */
    double checkpoint_every;        /**< s of wall clock */
} rill_cells_case;

/** Read a case. @return RILL_USAGE, RILL_SYSTEM */
rill_status rill_cells_read(const char *path, rill_cells_case *out);

/** Free what a case owns; a cleared one is allowed. */
void rill_cells_case_free(rill_cells_case *c);

/** Return the schema of such a case file, which the caller owns. NULL: out of memory. */
json_t *rill_cells_schema(void);

/** Quantities that follow from a case. */
typedef struct rill_cells_plan {
    rill_geom *geom; /**< owned */
    rill_membrane_mesh mesh;
    rill_elastic_options elastic; /**< lu */
    double contact;               /**< force, lu */
    double force[3];              /**< lu */
    double plate;                 /**< speed of the upper plate, lu */
    double dx, dt, tau;
    double nodes, volume; /**< fluid nodes; m3, of a cell at rest */
    double stiffness;     /**< over what the time step allows */
    uint32_t count;       /**< cells at the start */
    uint32_t room;        /**< for so many at a time */
    double haematocrit;   /**< that they have at the start */
    rill_ports ports;     /**< without openings: none */
    int *ends;            /**< [openings of the geometry], number of each in the case, owned */
    double flow;          /**< m3/s, of all inlets */
    rill_seed_place *places;
    rill_step_plan steps;
    rill_stream stream;
    rill_storage storage;
    rill_backend_kind backend; /**< cpu or cuda */
    uint64_t memory;           /**< bytes, of the host, at the peak */
    uint64_t device_memory;    /**< bytes, of a GPU, at the peak; 0: it runs on processors */
    uint64_t output;           /**< bytes of files, at most */
    uint64_t kept;             /**< bytes of files that are not compressed, and of two checkpoints */
    uint64_t checkpoint;       /**< bytes of one */
} rill_cells_plan;

/**
 * Read the geometry, choose the time step, count the memory, and place the cells.
 * @param backend  cpu or cuda, which is to be there
 * @return RILL_USAGE for what cannot be computed, RILL_SYSTEM for memory, RILL_CANCELLED
 */
rill_status rill_cells_plan_make(const rill_cells_case *given, rill_backend_kind backend,
                                 rill_progress progress, rill_cells_plan *out);

/** Return what the membranes of a plan are made of, but for their positions. */
rill_membranes_options rill_cells_membranes(const rill_cells_plan *plan);

/** Free it; a cleared one is allowed. */
void rill_cells_plan_free(rill_cells_plan *plan);

/** How a case is run. */
typedef struct rill_cells_options {
    const char *directory;
    rill_fields_kind fields;
    bool resume;
    double checkpoint_every;     /**< s of wall clock */
    volatile sig_atomic_t *save; /**< a signal sets it to request a checkpoint; NULL: none does */
    const char *command;
    rill_progress progress;
} rill_cells_options;

/** What came of it, SI. */
typedef struct rill_cells_outcome {
    uint64_t steps;
    double time;
    double mlups;             /**< million node updates a second, cells included */
    double velocity[3];       /**< mean of the fluid at the end, m/s */
    double speed;             /**< mean of cells along the flow, m/s */
    double mach;              /**< largest of the run's looks */
    double deformation;       /**< mean of cells */
    double stress;            /**< mean xz of cells, Pa, over their own volume */
    double volume;            /**< largest relative change of a cell's */
    uint32_t count;           /**< cells at the end */
    double haematocrit;       /**< that they have */
    rill_ports_state through; /**< cells through openings */
    bool checkpoint_left;     /**< it is of this run, and was left */
} rill_cells_outcome;

/** Return the haematocrit of what has come in through an inlet, 0 where nothing has. */
double rill_cells_inflow(const rill_cells_plan *plan, const rill_cells_outcome *outcome, int opening);

/** Run it, and write its files. @return RILL_NUMERICS where it diverged, RILL_CANCELLED, others */
rill_status rill_cells_run(const rill_cells_case *given, const rill_cells_plan *plan,
                           const rill_cells_options *options, rill_cells_outcome *out);

#endif
