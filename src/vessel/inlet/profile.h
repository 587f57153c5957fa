/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file profile.h
 * How the velocity of developed flow is spread over the cross-section of an opening.
 *
 * In a long straight tube of any section i omega u - nu laplace(u) = G, u = 0 on the outline, for each
 * harmonic of the pressure gradient; omega = 0 is Poiseuille's flow, a circle gives Womersley's (1955,
 * doi:10.1113/jphysiol.1955.sp005276). Solved on a Cartesian grid over the outline to second order, by a
 * discretisation that stays symmetric (Gibou, Fedkiw, Cheng, Kang 2002, doi:10.1006/jcph.2001.6977) and
 * conjugate orthogonal conjugate gradients (van der Vorst & Melissen 1990, doi:10.1109/20.106415).
 */
#ifndef RILL_VESSEL_PROFILE_H
#define RILL_VESSEL_PROFILE_H

#include "vessel/case/case.h"
#include "vessel/case/waveform.h"

#include <complex.h>

/** Profiles over one opening, each the complex amplitude of one harmonic for a mean velocity of 1. */
typedef struct rill_profile {
    double centre[3], axes[2][3]; /**< plane coordinates: (x - centre) · axes; m */
    double low[2], spacing;       /**< of grid point 0, 0; m */
    int n[2];                     /**< grid points */
    double complex *fields;       /**< [count][n[1]][n[0]], owned; NULL: flat */
    double complex *peak;         /**< [count], of each where the first is largest, owned */
    int count;
    double conductance;   /**< m2, c of developed steady flow: a length L of the section, of area A, resists
                             with   mu L / (A c); r^2/8 of a circle; 0: flat */
    double (*outline)[2]; /**< [outline_count], m, owned */
    uint64_t outline_count;

    /* Of a profile that was measured, see profile_points.h; otherwise 0 and NULL. The first field is made for
       a mean velocity of 1, the others are what was measured, m/s. */
    double complex *vectors; /**< [count][3][n[1]][n[0]]; `fields` are their parts along the normal. Owned */
    double complex
        *own; /**< [count], m3/s: flow that each field brings, the first one's as measured. Owned */
    rill_waveform *wave;    /**< m3/s, flow over the cycle as measured; NULL: steady. Owned */
    int made;               /**< fields that there is memory for: harmonics that change little are left out */
    double scale;           /**< of all but the first field, see rill_profile_fit() */
    double fastest;         /**< m/s, largest speed measured */
    uint32_t points, times; /**< in the section, at the time with the fewest; times */
    double apart;           /**< m, between points */
    double coverage;        /**< part of the section that has a point within 1.5 such lengths */
} rill_profile;

/**
 * Make the profiles of an opening.
 * @param[in] nu     kinematic viscosity, m2/s
 * @param[in] omega  [count], angular frequencies, the first one 0
 * @return RILL_USAGE for a fitted profile of a geometry without outlines, RILL_SYSTEM without memory
 */
rill_status rill_profile_create(rill_profile_kind kind, const rill_opening *opening, double nu,
                                const double *omega, int count, rill_profile **out);

/** Return the bytes that its fields take. */
uint64_t rill_profile_bytes(const rill_profile *profile);

/** Destroy it; NULL is allowed. */
void rill_profile_destroy(rill_profile *profile);

/** Return profile k at a place, m, laid onto the plane along its normal; 0 outside the outline. */
double complex rill_profile_at(const rill_profile *profile, int k, const double x[3]);

/** Return the velocity of measured profile k, as rill_profile_at() the part along the normal. */
void rill_profile_vector_at(const rill_profile *profile, int k, const double x[3], double complex out[3]);

/** Lay plane, outline and grid. @param across  grid spacings along the longer side of the outline */
rill_status rill_profile_lay(rill_profile *profile, rill_profile_kind kind, const rill_opening *opening,
                             int across);

/** Return the coordinates of a place in the plane, m, along its normal. */
void rill_profile_to_plane(const rill_profile *profile, const double x[3], double out[2]);

/** Return whether a place of the plane lies inside the outline. */
bool rill_profile_inside(const rill_profile *profile, const double x[2]);

#endif
