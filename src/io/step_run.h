/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file step_run.h
 * A simulation that is followed in time, with rows of a series, files of single steps, and a checkpoint from
 * which it goes on to the same bits.
 */
#ifndef RILL_IO_STEP_RUN_H
#define RILL_IO_STEP_RUN_H

#include "io/checkpoint_file.h"
#include "io/record.h"

/**
 * Return the name of a file of one step; to be freed, NULL: no memory.
 * @param kind  stands before the suffix: ".membrane" makes "c.500.membrane.vtkhdf"
 */
char *rill_step_file_name(const char *output, uint64_t step, const char *kind);

/** When a run stops between its steps. */
typedef struct rill_step_plan {
    uint64_t steps; /**< of the run */
    uint64_t row;   /**< between rows of the series, above 0 */
    uint64_t every; /**< between files; 0: none */
} rill_step_plan;

/** Return how many steps there are to the next row, file or end of a run that has made some, 0 at its end. */
uint64_t rill_step_plan_next(const rill_step_plan *plan, uint64_t made);

/** Return whether files of a step are to be written. */
bool rill_step_plan_writes(const rill_step_plan *plan, uint64_t step);

/** Steps between two looks at whether the run is to go on. */
enum { RILL_STEP_LOOK = 100 };

/** What a run of steps does with its checkpoint. */
typedef struct rill_step_keep {
    const char *checkpoint; /**< NULL: none */
    double every;           /**< s of wall clock between files; 0: only where the run is cancelled */
    bool resume;            /**< go on from it, to the same bits */
    bool stays;             /**< leave it at the end: the caller removes it when the result is written */
    volatile sig_atomic_t *asked; /**< see rill_checkpoint_file; NULL: never */
} rill_step_keep;

/** Whose run it is. */
typedef struct rill_step_owner {
    /** List what the run consists of beside populations and series: at most RILL_STEP_PARTS. @return how many
     */
    int (*parts)(void *context, rill_checkpoint_part *parts);
    /** Called when they were read. */
    rill_status (*resumed)(void *context);
    /** Refuse to go on; every RILL_STEP_LOOK steps, and before each row. NULL: never */
    rill_status (*look)(void *context);
    /** Append a row of the series and write files, where the plan says so. */
    rill_status (*row)(void *context);
    void *context;
} rill_step_owner;

enum { RILL_STEP_PARTS = 10 };

/** A run. */
typedef struct rill_step_run {
    rill_sim *sim; /**< not owned */
    const rill_geom *geom;
    rill_step_plan plan;
    rill_progress progress;
    const char *text; /**< all that decides on the bits, but the geometry and the variant */
    rill_step_keep keep;
    rill_step_owner owner;
    rill_record record;        /**< begun by the owner, to be freed by rill_record_free() */
    rill_checkpoint_file file; /**< begun by rill_step_run_make() */
    double seconds;            /**< that steps took, out: of this process */
    uint64_t resumed;          /**< steps that were there, out */
} rill_step_run;

/** Make all steps, those that a checkpoint lacks. @return RILL_CANCELLED once it is written, too */
rill_status rill_step_run_make(rill_step_run *run);

/** End with results that are there. @return whether a checkpoint was left, as rill_checkpoint_file_end() */
bool rill_step_run_end(const rill_step_run *run);

#endif
