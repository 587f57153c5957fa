/* SPDX-License-Identifier: Apache-2.0 */
/* A random field cut at a level, as a rock for plans of memory. */
#ifndef RILL_TESTS_RANDOM_ROCK_H
#define RILL_TESTS_RANDOM_ROCK_H

#include "geometry/generate/generate.h"

#include <criterion/criterion.h>

/* Return a box of n^3 voxels with a porosity of 0.4. */
static inline rill_geom *random_rock(uint32_t n)
{
    rill_geom *geom = NULL;
    rill_grf_options options = rill_grf_options_default();
    options.porosity = 0.4;
    options.correlation = 6;
    for (int a = 0; a < 3; a++) options.n[a] = n;
    cr_assert_eq(rill_generate_grf(&options, &geom), RILL_OK, "%s", rill_error_message());
    return geom;
}

#endif
