/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_torus.h
 * Half of a torus with interpolated bounce-back. Its developed flow enters as it was solved, and leaves
 * through a straight pipe: the even pressure of an outlet would upset it in the bend.
 */
#ifndef RILL_VERIFY_VESSEL_TORUS_H
#define RILL_VERIFY_VESSEL_TORUS_H

#include "vessel/plan/expected.h"
#include "verify/vessel_flow.h"

enum { RILL_VERIFY_TORUS_TERMS = 80, RILL_VERIFY_TORUS_WAVES = 12 };

/** A sum of terms value x^i z^j. */
typedef struct rill_verify_torus_field {
    int count, i[RILL_VERIFY_TORUS_TERMS], j[RILL_VERIFY_TORUS_TERMS];
    double value[RILL_VERIFY_TORUS_TERMS];
} rill_verify_torus_field;

/** The flow of data/torus.csv at a Dean number. */
typedef struct rill_verify_torus_flow {
    double resistance;                           /**< over Poiseuille's */
    rill_verify_torus_field along, away, up;     /**< velocity over the mean one and 1 - r^2 */
    double shear_along[RILL_VERIFY_TORUS_WAVES]; /**< cosines, over Poiseuille's wall shear */
    double shear_around[RILL_VERIFY_TORUS_WAVES];
} rill_verify_torus_flow;

/** Read it. @return RILL_USAGE when the table is missing, damaged or has no such number */
rill_status rill_verify_torus_read(double dean, rill_verify_torus_flow *out);

/** The geometry. */
typedef struct rill_verify_torus {
    rill_geom *geom;
    double r;         /**< lu */
    double middle[3]; /**< of the torus, in the plane of its two ends, which is normal to y */
    rill_node nodes;
    double (*places)[3]; /**< [nodes] angle around the torus, beyond pi in the straight pipe, distance from
                            the axis of the pipe away from the torus' axis and along it, over r */
} rill_verify_torus;

/** Make it. @param[out] out  zero before */
rill_status rill_verify_torus_make(double r, rill_verify_torus *out);

/** Free it; a cleared one is allowed. */
void rill_verify_torus_free(rill_verify_torus *torus);

/** Return the place of a position in voxels, as in `places`. */
void rill_verify_torus_place(const rill_verify_torus *torus, const double position[3], double place[3]);

/** Find the velocity at a place, over the mean one. */
void rill_verify_torus_velocity(const rill_verify_torus_flow *flow, const double place[3], double u[3]);

/** Find the wall shear at a place, over Poiseuille's. */
void rill_verify_torus_shear(const rill_verify_torus_flow *flow, const double place[3], double shear[3]);

/** Put rings of triangles on the middle third of the pipe. */
rill_status rill_verify_torus_rings(rill_verify_torus *torus);

#endif
