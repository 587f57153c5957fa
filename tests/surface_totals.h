/* SPDX-License-Identifier: Apache-2.0 */
/* Whether sums of a free surface have the same bits: of its members, not of what lies between them. */
#ifndef RILL_TESTS_SURFACE_TOTALS_H
#define RILL_TESTS_SURFACE_TOTALS_H

#include "free_surface/free_surface.h"

#include <string.h>

static inline bool totals_same(const rill_free_surface_totals *a, const rill_free_surface_totals *b)
{
    const double values[2][13] = {
        {a->mass, a->through.came, a->through.went, a->volume, a->momentum[0], a->momentum[1], a->momentum[2],
         a->speed_max, a->gas.volume, a->gas.content, a->gas.entered, a->gas.left, a->gas.lost},
        {b->mass, b->through.came, b->through.went, b->volume, b->momentum[0], b->momentum[1], b->momentum[2],
         b->speed_max, b->gas.volume, b->gas.content, b->gas.entered, b->gas.left, b->gas.lost}};
    return memcmp(values[0], values[1], sizeof values[0]) == 0 &&
           memcmp(a->nodes, b->nodes, sizeof a->nodes) == 0 && a->finite == b->finite &&
           a->gas.bubbles == b->gas.bubbles;
}

#endif
