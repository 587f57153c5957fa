/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case_spheres.h
 * Flow through arrays of spheres, for the cases and the tests.
 */
#ifndef RILL_VERIFY_CASE_SPHERES_H
#define RILL_VERIFY_CASE_SPHERES_H

#include "geometry/generate/generate.h"
#include "verify/verify.h"

/** An array of spheres on a lattice. */
typedef struct rill_verify_array {
    rill_array array;
    double solid_fraction; /**< negative: touching */
    uint32_t cells;
    rill_lattice lattice; /**< that its lattice value belongs to */
} rill_verify_array;

/**
 * Compute the permeability along x of an array of spheres, in lu, with the setup's lattice.
 * @param[in] tau  at which it is done; SRT has its own, see rill_verify_magic_tau()
 * @param[out] rounding  as rill_verify_mobility() has it; may be NULL
 */
rill_status rill_verify_array_permeability(const rill_verify_array *array, const rill_verify_setup *setup,
                                           double tau, double *k, double *rounding);

#endif
