/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file limit.h
 * Where does a relaxing series end? An estimate of the final value of a sampled series, with an
 * uncertainty, long before the series itself stands still.
 *
 * A Stokes flow started from rest relaxes as a sum of decaying exponentials (viscous modes, pressure
 * diffusion, damped sound), of which the slowest soon stands alone. The tail is fitted with
 * k_inf + A exp(-t/T1) and k_inf + A exp(-t/T1) + B exp(-t/T2), windows growing with the series. How
 * much successive predictions move, how far they extrapolate, and what the fit leaves over make the
 * uncertainty (docs/method.md). It holds no physics: the caller brings lower bounds on the time
 * that any process of its system needs.
 */
#ifndef RILL_PERMEABILITY_LIMIT_H
#define RILL_PERMEABILITY_LIMIT_H

#include "rill.h"

enum {
    RILL_LIMIT_SAMPLES = 512,     /**< samples kept; at this number every second one goes */
    RILL_LIMIT_PREDICTIONS = 256, /**< predictions kept */
    RILL_LIMIT_TERMS = 2          /**< exponentials at most */
};

/** What is known of the final value. */
typedef struct rill_limit_estimate {
    double value;       /**< predicted final value; the last sample while nothing better is known */
    double uncertainty; /**< absolute, half width; infinity while unknown */
    double efold;       /**< slowest e-folding time found before the series stood still, in steps */
    struct {
        double amplitude;      /**< at the sample that the fit ends with; 0: there is no such term */
        double efold;          /**< steps */
    } terms[RILL_LIMIT_TERMS]; /**< exponentials that the fit adds to the value */
} rill_limit_estimate;

/** A series and what was predicted from it so far; plain data, no destructor. */
typedef struct rill_limit {
    uint64_t every; /**< steps between samples: the caller takes the next one after so many */
    double values[RILL_LIMIT_SAMPLES];
    int count;     /**< samples kept; sample i was taken at step (i + 1) every */
    int evaluated; /**< count at the last prediction */
    bool finite;   /**< false once a value was not */
    struct {
        double step, value;
    } predictions[RILL_LIMIT_PREDICTIONS];
    int predicted; /**< predictions kept */
    rill_limit_estimate estimate;
} rill_limit;

/** Start a series whose first sample will be taken at step `every`, at least 1. */
void rill_limit_init(rill_limit *limit, uint64_t every);

/**
 * Take the sample of step `every` × (samples so far + 1), and predict again when the series has grown
 * by a few per cent. Doubles `every` when the samples fill up.
 */
void rill_limit_push(rill_limit *limit, double value);

/** Return what the fit gives so many steps after the sample that it ends with. */
double rill_limit_after(const rill_limit_estimate *estimate, double steps);

/** Return the step of the last sample; 0 without one. */
uint64_t rill_limit_step(const rill_limit *limit);

#endif
