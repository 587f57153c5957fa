/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/answer.h"

#include "core/clock.h"
#include "core/status.h"
#include "geometry/generate/generate.h"

#include <math.h>
#include <string.h>

/* The reference's. */
#define TOLERANCE 1e-6

const rill_answer_shape *rill_answer_shapes(bool device, int *count)
{
    static const rill_answer_shape host[] = {{"pack, wide", 128, 17.6, 0.39, false},
                                             {"pack, narrow", 128, 8, 0.39, false},
                                             {"overlapping, wide", 128, 20, 0.39, true},
                                             {"overlapping, tight", 128, 20, 0.135, true}},
                                   gpu[] = {{"pack, wide", 512, 32, 0.39, false},
                                            {"pack, narrow", 512, 12, 0.39, false},
                                            {"overlapping, wide", 768, 40, 0.39, true},
                                            {"overlapping, tight", 512, 20, 0.135, true}};
    *count = (int)(sizeof host / sizeof *host);
    return device ? gpu : host;
}

rill_answer_shape rill_answer_scale(const rill_answer_shape *shape, uint32_t cells)
{
    rill_answer_shape scaled = *shape;
    scaled.radius *= (double)cells / shape->cells;
    scaled.cells = cells;
    return scaled;
}

rill_status rill_answer_generate(const rill_answer_shape *shape, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_pack_options o = rill_pack_options_default();
    rill_pack pack = {.count = 0};
    for (int a = 0; a < 3; a++) o.n[a] = shape->cells;
    o.radius = shape->radius;
    o.porosity = shape->porosity;
    o.overlap = shape->overlap;
    o.seed = 3;
    RILL_TRY(rill_pack_create(&o, &pack));
    RILL_TRY(rill_generate_pack(&o, &pack, NULL, out));
done:
    rill_pack_destroy(&pack);
    return status;
}

/* The geometry stays. */
static rill_status compute(const rill_geom *geom, const rill_permeability_options *o, rill_permeability *out,
                           double *seconds)
{
    rill_status status = RILL_OK;
    rill_geom *own = NULL;
    rill_permeability_plan plan;
    memset(&plan, 0, sizeof plan);
    memset(out, 0, sizeof *out);
    RILL_TRY(rill_geom_copy(geom, &own));
    const double start = rill_now();
    RILL_TRY(rill_permeability_prepare(own, o));
    RILL_TRY(rill_permeability_plan_make(own, o, &plan));
    RILL_TRY(rill_permeability_compute(own, o, &plan, out));
    *seconds = rill_now() - start;
done:
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(own);
    return status;
}

rill_status rill_answer_reference(const rill_geom *geom, const rill_permeability_options *options, double *k)
{
    rill_permeability found;
    rill_permeability_options o = *options;
    double seconds;
    o.variant.storage = RILL_FP64;
    o.tolerance = TOLERANCE;
    o.start = RILL_START_REST;
    *k = NAN;
    const rill_status status = compute(geom, &o, &found, &seconds);
    if (status == RILL_OK) *k = found.k[2][2];
    rill_permeability_free(&found);
    return status == RILL_SYSTEM ? RILL_OK : status;
}

rill_status rill_answer_run(const rill_geom *geom, const rill_permeability_options *options, double exact,
                            rill_answer *out)
{
    rill_permeability found;
    double seconds = 0;
    const rill_status status = compute(geom, options, &found, &seconds);
    const rill_permeability_flow *run = &found.runs[0];
    if (status == RILL_OK)
        *out = (rill_answer){.nodes = found.plan.nodes,
                             .steps = run->steps,
                             .coarse_steps = run->coarse_steps,
                             .seconds = seconds,
                             .stepping = run->seconds,
                             .k = found.k[2][2],
                             .uncertainty = found.uncertainty,
                             .tau = found.plan.tau,
                             .error = fabs(found.k[2][2] / exact - 1)};
    rill_permeability_free(&found);
    return status;
}
