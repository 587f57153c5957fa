/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pause.h
 * What a permeability that is stopped leaves in a checkpoint: the runs that are done, the journal of the one
 * that was stopped, and its simulation.
 */
#ifndef RILL_PERMEABILITY_PAUSE_H
#define RILL_PERMEABILITY_PAUSE_H

#include "io/checkpoint.h"
#include "permeability/journal.h"
#include "sim/sim.h"

/** What is tried, one after the other; numbers are those of checkpoints. */
typedef enum rill_attempt {
    RILL_ATTEMPT_NONE = -1,                       /**< nothing is left to try */
    RILL_ATTEMPT_FIRST = 0,                       /**< as planned */
    RILL_ATTEMPT_SERIES = RILL_ACCELERATION_NONE, /**< without a network: with it, the run did not converge */
    RILL_ATTEMPT_NETWORK =
        RILL_ACCELERATION_NETWORK, /**< with a network: without it, the run did not converge */
    RILL_ATTEMPT_REST,             /**< from rest, at the smallest viscosity: rounding would show */
    RILL_ATTEMPT_PRECISE           /**< added to one of these: in fp64, because fp32 rounds too much */
} rill_attempt;

/** Where a run was stopped. */
typedef struct rill_pause_place {
    uint64_t steps;
    double seconds;     /**< spent stepping before */
    int32_t axis, runs; /**< along this one, after so many others */
    int32_t attempt;    /**< which rill_attempt it was */
    int32_t changed;    /**< the rill_attempt whose plan is that of the result */
} rill_pause_place;

/** The checkpoint of a permeability. */
typedef struct rill_pause {
    const char *path;                         /**< borrowed, as the next; NULL: none is written */
    const rill_geom *geom;                    /**< what is stepped */
    char run[17], geometry[17], variant[128]; /**< what it belongs to; "": not known yet */
    rill_journal journal;
    rill_pause_place place; /**< of a resumed run until it is there; then that of now */
    bool resuming;          /**< the run that was stopped is still to be found */
} rill_pause;

/**
 * Prepare, and read what was left when the options say so. @param[out] out  gets the runs that are done
 * @return RILL_USAGE when the file is damaged or of another run
 */
rill_status rill_pause_open(const rill_geom *geom, const rill_permeability_options *options,
                            rill_permeability *out, rill_pause *pause);

/** Free memory. */
void rill_pause_close(rill_pause *pause);

/** Follow the journal in a simulation that is set up as it was. */
void rill_pause_replay(rill_pause *pause);

/** Put the state in, where the journal ends. */
rill_status rill_pause_arrive(rill_pause *pause, rill_sim *sim);

/** Write a checkpoint of a simulation that was just stopped; pause->place says where. */
rill_status rill_pause_write(rill_pause *pause, rill_sim *sim, const rill_permeability *out);

#endif
