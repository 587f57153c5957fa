/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan.h
 * Parts of planning a case that planning (plan.c), judging (judge.c) and setting up (vessel.c) share.
 */
#ifndef RILL_VESSEL_PLAN_H
#define RILL_VESSEL_PLAN_H

#include "vessel/case/case.h"
#include "vessel/case/ends.h"
#include "vessel/observe/kept.h"
#include "vessel/observe/passage.h"
#include "vessel/observe/points.h"
#include "sim/several_plan.h"
#include "device/device.h"

/** Harmonics of an inlet's profile, at most. */
#define RILL_CASE_PLAN_HARMONICS 48

/** Return how many of them each inlet may have, so that all openings find room; 1 at least, which
 * rill_case_judge() refuses when even that is too much. */
int rill_case_plan_harmonics(int inlets, int outlets);

/** Find the end of each opening. @param[out] ends  [opening_count], in the order of the geometry */
rill_status rill_case_match(const rill_case *given, const rill_geom *geom, int *ends);

/** Everything that is expected at the openings, before there is a lattice. */
typedef struct rill_outlook {
    int ends[RILL_OPENINGS];
    rill_profile *profiles[RILL_OPENINGS]; /**< of inlets; owned */
    rill_end_state *states;                /**< [opening_count], owned */
    rill_kept *kept;                       /**< [opening_count], of inlets; owned */
    int count;
    double nu; /**< m2/s, of the viscosity at the shear rate that is typical of the inlets */
} rill_outlook;

/** Match openings, make profiles, solve the circuit. */
rill_status rill_outlook_make(const rill_case *given, const rill_geom *geom, rill_outlook *out);

/** Return the modes that the velocity of an opening is a sum of: mean, two for each harmonic, and a flat one;
 * 0 where a pressure stands. */
int rill_outlook_modes(const rill_outlook *outlook, int opening);

/** Return the outlook that a vessel was set up with. */
const rill_outlook *rill_vessel_outlook(const rill_vessel *vessel);

/** Free what it holds. */
void rill_outlook_destroy(rill_outlook *outlook);

/** Return the time of the vessel, s, after a number of steps: 0 is where the first cycle begins. */
double rill_case_plan_time(const rill_case_plan *plan, double steps);

/** Return what of its surface the simulation of a case has: see rill_vessel_create(). */
rill_load rill_case_load(const rill_case *given);

/** Return the least kinematic viscosity of a law, m2/s. */
double rill_law_least(const rill_law *law, double density);

/** Casson's law has no largest viscosity: the lattice takes it up to this many times the plastic one. */
#define RILL_CASSON_RANGE 100.0

/** Cell Reynolds numbers: up to which TRT is stable between openings; above which a flow is called coarse. */
#define RILL_CELL_TRT 6.0
#define RILL_CELL_FINE 35.0

/** The same of velocity that is imposed on fluid that leaves; chosen, see docs/vessels.md. */
#define RILL_CELL_OUTWARD 4.0

/** What limits the time step of a plan. */
typedef enum rill_step_limit {
    RILL_STEP_MACH,      /**< the Mach number: that of the case, else 0.1 */
    RILL_STEP_TAU,       /**< the relaxation time, 0.8 */
    RILL_STEP_AT_REST,   /**< the relaxation time where a shear-thinning fluid is at rest, 5 */
    RILL_STEP_PRESSURES, /**< the change of density by pressures that oscillate, 5 % */
    RILL_STEP_STORED,    /**< what the lattice stores, rill_compliance_step() */
    RILL_STEP_REQUESTED, /**< the case gives the time step */
    RILL_STEP_RESUMED,   /**< the run keeps that of its checkpoint */
    RILL_STEP_LIMITS
} rill_step_limit;

/** What each limit allows. The time step is the shortest of these, or shorter for whole steps in a cycle. */
typedef struct rill_step_limits {
    rill_step_limit binding;
    double allowed[RILL_STEP_LIMITS]; /**< s; INFINITY: any */
} rill_step_limits;

/** Find the limits of a plan that has spacing, velocity, viscosity, and what compliance depends on.
 * @see tests/cli/test_cli_check.c */
rill_step_limits rill_case_plan_step_limits(const rill_case *given, const rill_case_plan *plan);

/** Return the name of a limit in JSON, "mach". */
const char *rill_step_limit_name(rill_step_limit limit);

/** Return the Reynolds number of a cell at the peak, with the least viscosity of the law. */
double rill_case_plan_cell_reynolds(const rill_case *given, const rill_case_plan *plan);

/**
 * Measure how fast the vessel is stepped here, and how long a run takes; the plan is judged.
 * @param[in] host  the backend is this machine's cores
 */
rill_status rill_case_pace(const rill_case *given, const rill_geom *geom, bool host, rill_case_plan *plan);

/**
 * Find what compliance depends on before there is a time step.
 * @param[in] swing  Pa, of the pressures
 * @param[in] fastest  what drops the pressure along the vessel
 */
void rill_compliance_begin(const rill_case *given, const rill_geom *geom, const rill_outlook *outlook,
                           double swing, const rill_passage *fastest, rill_case_plan_compliance *out);

/** Return the time step, s, with which the lattice stores 5 % of what the circuit and of what a stroke
 * brings, and changes the flow along the vessel by 2 %; no shorter than that of Mach 0.002.
 * @param[in] fastest  m/s */
double rill_compliance_step(const rill_case *given, const rill_case_plan_compliance *compliance,
                            double spacing, double fastest);

#define RILL_COMPLIANCE_CHANGE 0.2 /**< of the range of pressures, by what the lattice stores: the most */
#define RILL_COMPLIANCE_SOUND 0.02 /**< of the largest flow, by what the lattice stores along the vessel */
#define RILL_COMPLIANCE_MACH                                                                                 \
    0.002 /**< a smaller Mach number is not chosen for it: time grows with its inverse */

/** Fill in what follows from the time step. @see tests/vessel/test_compliance.c */
void rill_compliance_end(const rill_case *given, const rill_outlook *outlook, const rill_scales *scales,
                         rill_case_plan_compliance *compliance);

/** Times the planned Mach number, and times the pressures that are allowed for, at which a run stops. */
#define RILL_GUARD_MACH 2.0
#define RILL_GUARD_PRESSURE 5.0

/**
 * Set the limits of Mach number and pressure beyond which a run is not the planned flow any more; the plan
 * has its steps.
 * @see docs/vessels.md, tests/vessel/test_guard.c
 */
void rill_case_plan_guard(const rill_case *given, const rill_outlook *outlook, const rill_passage *fastest,
                          rill_case_plan *plan);

/** Return the limit of the pressure after some steps, Pa, as a difference from that of density 1. */
double rill_case_plan_guard_pressure(const rill_case_plan *plan, uint64_t steps);

/** Widen the range of pressures by one, Pa, and set the limit anew. */
void rill_case_plan_guard_widen(rill_case_plan *plan, double pressure);

/** Add the verdicts. @param[in] swing  Pa, of the expected pressures over a cycle */
void rill_case_judge(const rill_case *given, const rill_geom *geom, double swing, const rill_passage *fastest,
                     rill_case_plan *plan);

/** Add a verdict, if there is room for one. @param[in] refuses  see rill_case_plan_verdict */
void rill_case_say(rill_case_plan *plan, bool refuses, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Refuse probes and planes that are not within the fluid, as the run would; the plan has its domain.
 * @param[out] size  what they are seen at, zero before
 * @see tests/cli/test_cli_check.c */
rill_status rill_case_judge_places(const rill_case *given, rill_case_plan *plan, rill_points_size *size);

/**
 * Number the nodes, judge probes and planes, and count memory, disk and parts into a plan, which has
 * everything else but its further judgement.
 * @return RILL_SYSTEM without memory, refusals of rill_domain_create() and of several devices
 */
rill_status rill_case_plan_memory(const rill_case *given, const rill_geom *geom, const rill_outlook *outlook,
                                  const rill_case_plan_options *options, rill_device *device,
                                  rill_case_plan *plan);

#endif
