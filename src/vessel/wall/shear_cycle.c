/* SPDX-License-Identifier: Apache-2.0 */
/* Means of wall shear over a cycle. */
#include "vessel/wall/shear_cycle.h"

#include "core/memory.h"

#include <math.h>
#include <string.h>

rill_status rill_shear_cycle_create(uint64_t triangles, rill_shear_cycle *out)
{
    *out = (rill_shear_cycle){.triangles = triangles};
    return rill_array_create_zero(4 * triangles, sizeof *out->sums, "sums of wall shear",
                                  (void **)&out->sums);
}

void rill_shear_cycle_free(rill_shear_cycle *cycle)
{
    rill_array_destroy(cycle->sums);
    *cycle = (rill_shear_cycle){0};
}

void rill_shear_cycle_restart(rill_shear_cycle *cycle)
{
    memset(cycle->sums, 0, 4 * cycle->triangles * sizeof *cycle->sums);
    cycle->samples = 0;
}

static double length(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

void rill_shear_cycle_add(rill_shear_cycle *cycle, const float (*shear)[3], double weight)
{
#pragma omp parallel for schedule(static)
    for (uint64_t t = 0; t < cycle->triangles; t++) {
        const double v[3] = {(double)shear[t][0], (double)shear[t][1], (double)shear[t][2]};
        for (int a = 0; a < 3; a++) cycle->sums[4 * t + (unsigned)a] += weight * v[a];
        cycle->sums[4 * t + 3] += weight * length(v);
    }
    cycle->samples += weight;
}

rill_shear_indices rill_shear_cycle_indices(const rill_shear_cycle *cycle, uint64_t triangle)
{
    const double *sums = cycle->sums + 4 * triangle;
    rill_shear_indices i = {.tawss = sums[3] / cycle->samples};
    for (int a = 0; a < 3; a++) i.mean[a] = sums[a] / cycle->samples;
    i.vector = length(i.mean);
    /* |<tau>| can exceed <|tau|> by rounding only. */
    i.osi = isnan(i.tawss) ? NAN : i.tawss == 0 ? 0 : fmax(0, (1 - i.vector / i.tawss) / 2);
    return i;
}

void rill_shear_cycle_finish(const rill_shear_cycle *cycle, const rill_shear_result *result)
{
    for (uint64_t t = 0; t < cycle->triangles; t++) {
        const rill_shear_indices i = rill_shear_cycle_indices(cycle, t);
        for (int a = 0; a < 3 && result->mean; a++) result->mean[t][a] = (float)i.mean[a];
        if (result->tawss) result->tawss[t] = (float)i.tawss;
        if (result->osi) result->osi[t] = (float)i.osi;
        if (result->rrt) result->rrt[t] = (float)(1 / i.vector);
        if (result->ecap) result->ecap[t] = i.tawss == 0 ? 0 : (float)(i.osi / i.tawss);
    }
}
