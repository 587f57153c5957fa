/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ends.h
 * What is expected to flow through the openings of a case, harmonic by harmonic, before anything is
 * simulated: inlets bring what the case says, splits take their shares, and the rest divides between
 * resistances, Windkessels and pressures as between branches of a circuit whose vessels have no resistance of
 * their own. That circuit is linear, so its periodic state is exact.
 */
#ifndef RILL_VESSEL_ENDS_H
#define RILL_VESSEL_ENDS_H

#include "vessel/case/case.h"
#include "vessel/inlet/profile.h"

/** What is expected at an opening. */
typedef struct rill_end_state {
    rill_harmonics flow;     /**< m3/s, into the vessel */
    rill_harmonics pressure; /**< Pa, in the vessel */
    rill_harmonics stored;   /**< Pa: p_c of a Windkessel, of a coronary outlet that in the arteries */
    rill_harmonics behind;   /**< Pa: coronary outlets: p in the heart muscle's vessels */
    rill_harmonics muscle;   /**< Pa: coronary outlets: intramyocardial pressure, given */
    double fraction;         /**< splits: of what the inlets bring; 0 for others */
    bool rest;               /**< a split that takes what is left, at a held pressure of 0 */
} rill_end_state;

/**
 * Take an inlet's waveform apart into flow.
 * @param[in] profile  with the harmonics' profiles; only looked at when the inlet's number is a peak velocity
 */
void rill_end_inflow(const rill_end *end, const rill_opening *opening, const rill_profile *profile,
                     const rill_harmonics *wave, rill_harmonics *flow);

/** Return the value that an end's number, with its waveform, has at a time; steady ends have it at any. */
double rill_end_given(const rill_end *end, double time);

/**
 * Find the states of all openings.
 * @param[in]     ends   [count], of the openings in their order
 * @param[in,out] states [count], inlets' flows filled in; the others are found
 * @return RILL_USAGE for splits that do not add up
 */
rill_status rill_ends_solve(const rill_case *given, const rill_opening *openings, const int *ends, int count,
                            rill_end_state *states);

/**
 * Find the pressure of the vessel when it stores, too: a compliance beside all outlets, none of which holds a
 * pressure.
 * @param[in] pressure    of the circuit alone
 * @param[in] compliance  m3/Pa
 */
void rill_ends_stored(const rill_case *given, const int *ends, int count, const rill_harmonics *pressure,
                      double compliance, rill_harmonics *out);

#endif
