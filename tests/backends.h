/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file backends.h
 * Every physics test runs on every backend that can run here.
 */
#ifndef RILL_TESTS_BACKENDS_H
#define RILL_TESTS_BACKENDS_H

#include "rill.h"

#include <criterion/criterion.h>
#include <stdio.h>

/** Loop over the backends present. */
#define FOR_EACH_BACKEND(backend)                                                                            \
    for (rill_backend_kind backend = RILL_BACKEND_CPU; backend <= RILL_BACKEND_CUDA; backend++)              \
        if (rill_backend_available(backend))

/** Return a variant with the collision and the equilibrium that a lattice of scalars has alone. */
static inline rill_variant with_own_collision(rill_variant v)
{
    if (v.lattice == RILL_D3Q7) {
        v.collision = RILL_ADVECTION_DIFFUSION;
        v.equilibrium = RILL_STOKES;
    }
    return v;
}

/** Fail the test with the library's message. */
#define ASSERT_OK(call) cr_assert_eq((call), RILL_OK, "%s: %s", #call, rill_error_message())

#endif
