/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file transport.h
 * What the flow of a vessel carries: a concentration that comes in through inlets, and the time since the
 * fluid came in, which grows by a second in a second everywhere and is 0 where fluid comes in.
 */
#ifndef RILL_VESSEL_TRANSPORT_H
#define RILL_VESSEL_TRANSPORT_H

#include "device/room.h"
#include "vessel/case/case.h"
#include "io/record.h"

enum { RILL_SCALARS = 2 /**< of a case, at most */ };

/** Largest Peclet number of a cell, |u| spacing / diffusivity, that is run, and above which a note says that
 * concentrations overshoot at fronts. */
#define RILL_CELL_PECLET_LIMIT 10.0
#define RILL_CELL_PECLET_SMOOTH 2.0

/** What is followed of it. */
typedef struct rill_transport {
    rill_record record;              /**< of each outlet and scalar, then of the volume */
    struct rill_transport_end *ends; /**< [end_count], owned */
    int end_count;                   /**< openings */
    rill_sample *sample;             /**< of the nodes at outlets; NULL: nothing is carried */
    double *values, *phi;            /**< [10][node_count], [node_count], owned */
    uint64_t node_count;
} rill_transport;

/** Return whether the case requests scalar k. */
bool rill_transport_has(const rill_case *given, int k);

/** Choose the diffusivity, and refuse one that the voxels do not resolve; the plan has its time step. */
void rill_transport_plan(const rill_case *given, rill_case_plan *plan);

/** Return the number of sets of the simulation of a plan, and fill in their options. */
int rill_transport_sets(const rill_case *given, const rill_case_plan *plan,
                        rill_sim_options sets[1 + RILL_SCALARS]);

/** Return the speed of a step with scalars as a part of that without: by the bytes that both move. */
double rill_transport_pace(const rill_case_plan *plan);

/** Count the memory of the scalars. */
rill_status rill_transport_count(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan,
                                 rill_room *room);

/** Let the scalars in and out of a vessel that is being set up. */
rill_status rill_transport_open(rill_vessel *vessel);

/** Begin to follow what the vessel carries. */
rill_status rill_transport_make(const rill_vessel *vessel, rill_transport *out);

/** Free it. */
void rill_transport_free(rill_transport *transport);

/** Add a row. */
rill_status rill_transport_take(rill_transport *transport, const rill_vessel *vessel, double time);

/** Fill in the means over the last rows, weighted by what `openings` says has left. */
void rill_transport_means(const rill_transport *transport, const rill_vessel *vessel,
                          const rill_record *openings, uint64_t rows, rill_run_result *out);

/** Fill in scalar k of nodes, SI. */
rill_status rill_transport_field(const rill_vessel *vessel, int k, rill_node first, rill_node count,
                                 double *values);

/** Names, units and meanings of the scalars. */
extern const char *const rill_transport_names[RILL_SCALARS], *const rill_transport_units[RILL_SCALARS],
                                                                 *const rill_transport_meanings[RILL_SCALARS];

#endif
