/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file observe.h
 * What is followed while a vessel runs: flow and pressure at its openings, at points, planes and along centre
 * lines, and the shear on its wall. All of it in SI.
 */
#ifndef RILL_VESSEL_OBSERVE_H
#define RILL_VESSEL_OBSERVE_H

#include "device/room.h"
#include "vessel/case/case.h"
#include "vessel/observe/centreline.h"
#include "vessel/observe/sampler.h"
#include "io/record.h"
#include "vessel/wall/shear_cycle.h"
#include "vessel/observe/slab.h"
#include "vessel/run/transport.h"
#include "vessel/wall/wall_shear.h"

/** All that is followed; see rill_observers_make(). */
typedef struct rill_observers {
    rill_vessel *vessel;  /**< borrowed */
    rill_record openings; /**< mean flow and pressure of each since the row before */
    rill_record probes, planes;
    rill_record wall;    /**< mean and largest shear */
    rill_record monitor; /**< Mach number, mass balance */
    rill_record line;    /**< pressure and velocity at every place of the centre line; no named columns */

    rill_sampler places; /**< probes, then the positions of the planes */
    rill_slab *slabs;    /**< [plane_count] */
    rill_centreline centreline;
    rill_sampler along;

    rill_transport transport;

    rill_wall_shear map;
    rill_sample *sample; /**< of the nodes at the wall; NULL when no shear is needed */
    double *stress;      /**< [10][node_count], with densities and velocities */
    float (*shear)[3];   /**< [triangle_count], now, Pa */
    rill_shear_cycle cycle;
    struct {
        bool wall; /**< stresses are taken, and their row is to be added */
        uint64_t step;
        double time;
    } begun;                 /**< see rill_observers_wall_begin() */
    double *flow, *pressure; /**< [interval], of one opening */
    uint32_t interval;
} rill_observers;

/**
 * Set up what a case records. From then on its openings are recorded.
 * @param[in] interval  most steps between two calls of rill_observers_series()
 * @return RILL_USAGE for positions outside of the fluid, RILL_SYSTEM without memory
 */
rill_status rill_observers_make(rill_vessel *vessel, uint32_t interval, rill_observers *out);

/** What following takes. */
typedef struct rill_observers_size {
    uint64_t host; /**< bytes, throughout the run, series of all its cycles included; others are in the room,
                      too */
    uint64_t making; /**< more on the host than all of that, at some time while it is set up */
    uint64_t series; /**< of the host's: series of all cycles */
} rill_observers_size;

/** Estimate the memory of what a case records, before it is set up; the plan has its steps.
 * @param[in] places  of probes, planes and sections, see rill_case_judge_places() and rill_losses_count()
 * @param[in,out] room  that it is counted in */
rill_observers_size rill_observers_measure(const rill_case *given, const rill_geom *geom,
                                           const rill_case_plan *plan, rill_points_size places,
                                           rill_room *room);

/** Free everything; a cleared one is allowed. */
void rill_observers_free(rill_observers *observers);

/**
 * Add rows of openings, probes and planes, `steps` steps after the ones before.
 * @param[out] excess   m3/s: what comes in too much, mean over these steps
 * @param[out] through  m3/s: half of what flows through all openings, either way
 */
rill_status rill_observers_series(rill_observers *observers, uint32_t steps, double *excess, double *through);

/** Take the shear on the wall as it is now, into `shear` alone; if it is needed. */
rill_status rill_observers_shear(rill_observers *observers);

/** Take the stresses at the wall and what is along the centre line, for rows of this step. */
rill_status rill_observers_wall_begin(rill_observers *observers);

/** Find the shear of the triangles from the stresses that were taken, and add the row; if there are any. The
 * simulation is not read: a device may make the next steps meanwhile. */
rill_status rill_observers_wall_end(rill_observers *observers);

/** Return the time of the vessel, s. */
double rill_observers_time(const rill_observers *observers);

#endif
