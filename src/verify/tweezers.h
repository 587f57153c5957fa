/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tweezers.h
 * A red blood cell that optical tweezers stretch: opposite forces on two parts of its rim, in a fluid at
 * rest.
 */
#ifndef RILL_VERIFY_TWEEZERS_H
#define RILL_VERIFY_TWEEZERS_H

#include "membrane/elastic.h"
#include "verify/verify.h"

enum { RILL_TWEEZERS_FORCES = 8 };

/** The cell and the forces, SI. */
typedef struct rill_verify_tweezers_case {
    double radius;     /**< m, of the disc */
    double voxels;     /**< of the radius */
    double contact;    /**< m, diameter of the part of the rim on which a force acts */
    double shear;      /**< N/m */
    double dilatation; /**< C of Skalak's law */
    double bending;    /**< J */
    double volume;     /**< N/m2, what holds the volume */
    int count;
    double force[RILL_TWEEZERS_FORCES]; /**< N, ascending */
} rill_verify_tweezers_case;

/** What came of it. */
typedef struct rill_verify_tweezers_outcome {
    double axial[RILL_TWEEZERS_FORCES];      /**< m, along the forces */
    double transverse[RILL_TWEEZERS_FORCES]; /**< m, across them in the plane of the disc */
    double drift;        /**< largest relative change of either in the last quarter of a load's steps */
    double area, volume; /**< largest relative changes */
} rill_verify_tweezers_outcome;

/** Compute the diameters at each force. */
rill_status rill_verify_tweezers(const rill_verify_tweezers_case *given, const rill_verify_setup *setup,
                                 rill_verify_tweezers_outcome *out);

#endif
