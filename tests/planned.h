/* SPDX-License-Identifier: Apache-2.0 */
/* A geometry as `rill permeability` treats it: prepared, then planned. */
#ifndef RILL_TESTS_PLANNED_H
#define RILL_TESTS_PLANNED_H

#include "rill.h"

#include <string.h>

/* Options of a flow along an axis, on processors. */
static inline rill_permeability_options along(int axis)
{
    rill_permeability_options o = rill_permeability_options_default();
    o.axis = axis;
    o.on.backend = RILL_BACKEND_CPU;
    return o;
}

/* Prepare and plan; free the plan. */
static inline rill_status planned(rill_geom *geom, const rill_permeability_options *o,
                                  rill_permeability_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    const rill_status status = rill_permeability_prepare(geom, o);
    return status == RILL_OK ? rill_permeability_plan_make(geom, o, plan) : status;
}

/* Prepare, plan and compute; free what comes out. */
static inline rill_status computed(rill_geom *geom, const rill_permeability_options *o,
                                   rill_permeability *out)
{
    rill_permeability_plan plan;
    memset(out, 0, sizeof *out);
    rill_status status = planned(geom, o, &plan);
    if (status == RILL_OK) status = rill_permeability_compute(geom, o, &plan, out);
    rill_permeability_plan_free(&plan);
    return status;
}

#endif
