/* SPDX-License-Identifier: Apache-2.0 */
/* A case on three grids. Making and running them is the caller's. */
#include "rill/grids.h"
#include "vessel/case/case.h"

#include "core/memory.h"
#include "core/refinement.h"
#include "core/status.h"
#include "io/wall_file.h"

#include <math.h>
#include <stdio.h>

/* The spacing of a grid over that of the next finer one. */
#define RATIO (4.0 / 3)

_Static_assert((int)RILL_GRIDS == (int)RILL_REFINEMENT_LEVELS, "three grids");
_Static_assert(RILL_GRIDS_QUANTITIES == 3 + 2 * RILL_OPENINGS, "of wall shear and openings");

double rill_grids_spacing(int k) { return pow(RATIO, RILL_GRIDS - 1 - k); }

void rill_grids_begin(rill_case *given, const rill_geom *finest)
{
    given->coarsest = rill_grids_spacing(0) * finest->spacing;
}

void rill_grids_fix(rill_case *given, const rill_case_plan *fine, int k)
{
    static const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q27, RILL_D3Q15}; /* as the keys of a case */
    const rill_variant *v = &fine->options.variant;
    const double coarser = rill_grids_spacing(k), dt = fine->scales.time;
    given->coarsest = rill_grids_spacing(0) * fine->scales.length;
    given->run.time_step = coarser * dt;
    given->run.mach = 0;
    for (int l = 0; l < 3; l++)
        if (lattices[l] == v->lattice) given->run.lattice = l;
    given->run.collision = (int)v->collision;
    given->run.storage = (int)v->storage;
    given->run.soft_start = (double)fine->start.soft * dt;
    if (!given->run.pulsatile) given->run.duration = (double)fine->steps * dt;
}

static void quantity_add(rill_grids_quantity *q, const double *spacing, const rill_run_result *results,
                         const char *key, const char *opening, const double *values)
{
    q->key = key;
    snprintf(q->name, sizeof q->name, "%s", opening);
    for (int k = 0; k < RILL_GRIDS; k++) {
        const bool known = results[k].compared && isfinite(results[k].changes.most);
        q->value[k] = values[k];
        q->noise[k] = known ? results[k].changes.most * fabs(values[k]) : 0;
    }
    const rill_refinement found = rill_refinement_take(spacing, q->value, q->noise);
    q->order = found.order;
    q->order_used = found.sane;
    q->limit = found.limit;
    q->uncertainty = found.uncertainty;
}

int rill_grids_extrapolate(const rill_vessel *fine, const double *spacing, const rill_run_result *r,
                           rill_grids_quantity *out)
{
    const rill_surface *s = fine->geom->surface;
    int count = 0;
    if (isfinite(r[0].shear.mean) && isfinite(r[1].shear.mean) && isfinite(r[2].shear.mean)) {
        const struct {
            const char *key;
            double value[RILL_GRIDS];
        } shear[] = {{"tawss_mean_pa", {r[0].shear.mean, r[1].shear.mean, r[2].shear.mean}},
                     {"tawss_max_pa", {r[0].shear.max, r[1].shear.max, r[2].shear.max}},
                     {"osi_mean", {r[0].shear.osi_mean, r[1].shear.osi_mean, r[2].shear.osi_mean}}};
        for (size_t k = 0; k < (fine->plan.cycle_steps ? 3 : 2); k++) /* OSI of what oscillates */
            quantity_add(&out[count++], spacing, r, shear[k].key, "", shear[k].value);
    }
    for (int o = 0; o < s->opening_count; o++) {
        const char *name = s->openings[o].name;
        const rill_end_kind kind = fine->given->ends[fine->plan.openings[o].end].kind;
        if (kind != RILL_END_PRESSURE)
            quantity_add(&out[count++], spacing, r, "pressure_pa", name,
                         (double[RILL_GRIDS]){r[0].pressure[o], r[1].pressure[o], r[2].pressure[o]});
        if (kind != RILL_END_INLET && kind != RILL_END_SPLIT)
            quantity_add(&out[count++], spacing, r, "flow_m3_per_s", name,
                         (double[RILL_GRIDS]){r[0].flow[o], r[1].flow[o], r[2].flow[o]});
    }
    return count;
}

void rill_grids_wall(const double *spacing, const float *const *tawss, uint64_t count, float *limit,
                     float *uncertainty)
{
    static const double none[RILL_GRIDS] = {0};
    for (uint64_t t = 0; t < count; t++) {
        double value[RILL_GRIDS], sum = 0;
        for (int k = 0; k < RILL_GRIDS; k++) sum += value[k] = (double)tawss[k][t];
        const rill_refinement r = rill_refinement_take(spacing, value, none);
        limit[t] = isfinite(sum) ? (float)r.limit : NAN;
        uncertainty[t] = isfinite(sum) ? (float)r.uncertainty : NAN;
    }
}

rill_status rill_grids_wall_write(const rill_geom *geom, const double *spacing, const float *const *tawss,
                                  uint64_t step, double time, const char *command, const char *path)
{
    rill_status status = RILL_OK;
    const uint64_t n = geom->surface->triangle_count;
    float *block = NULL; /* limit, uncertainty, both [n] */
    RILL_TRY(rill_array_create(2 * n + 1, sizeof *block, "wall shear", (void **)&block));
    rill_grids_wall(spacing, tawss, n, block, block + n);
    const rill_wall_array arrays[] = {
        {"TAWSS", "Pa", "mean magnitude of the wall shear stress, finest grid", 1, tawss[RILL_GRIDS - 1]},
        {"TAWSS_LIMIT", "Pa", "the same, extrapolated from three grids", 1, block},
        {"TAWSS_ERROR", "Pa", "uncertainty of the extrapolated value", 1, block + n}};
    const rill_wall_fields fields = {geom, arrays, 3, step, time, command};
    RILL_TRY(rill_wall_file_write(&fields, path));
done:
    rill_array_destroy(block);
    return status;
}
