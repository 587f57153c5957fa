/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a diffusivity changes with the voxels: images whose voxels are 2 and 4 times as large say how far it
 * may be from that of the shape that was segmented. Staircases take off in proportion to the voxel: the
 * observed order of 15 shapes is 1.0 to 1.1. An estimate (docs/diffusivity.md has its coverage), not a bound.
 */
#include "core/log.h"
#include "core/status.h"
#include "diffusion/diffusion.h"
#include "geometry/voxels/axes.h"

#include <math.h>
#include <string.h>

/* Of the coarser images. */
#define TOLERANCE 1e-4

/* Voxels along an axis of the least image. */
enum { LEAST = 4 };

/* Return the value that most voxels of a block have; of two as frequent ones that of the larger number where
 * x + y + z is even: neither is favoured. */
static uint8_t value_of(const rill_geom *geom, const uint32_t at[3])
{
    int count[RILL_PHASES + 1] = {0}, best = -1;
    for (uint32_t q = 0; q < 8; q++) {
        const uint32_t p[3] = {2 * at[0] + (q & 1), 2 * at[1] + (q >> 1 & 1), 2 * at[2] + q / 4};
        if (p[0] >= geom->n[0] || p[1] >= geom->n[1] || p[2] >= geom->n[2]) continue;
        const uint8_t value = geom->voxels[((size_t)p[2] * geom->n[1] + p[1]) * geom->n[0] + p[0]];
        count[value <= RILL_PHASES ? value : RILL_FLUID]++;
    }
    const bool larger = (at[0] + at[1] + at[2]) % 2 == 0;
    for (int v = 0; v <= RILL_PHASES; v++)
        if (best < 0 || count[v] > count[best] || (larger && count[v] == count[best])) best = v;
    return (uint8_t)best;
}

/* Make the image with voxels twice as large. Blocks at the end may have fewer of the voxels. */
static rill_status coarsen(const rill_geom *geom, rill_geom **out)
{
    uint32_t n[3];
    for (int a = 0; a < 3; a++) n[a] = geom->n[a] == 1 ? 1 : (geom->n[a] + 1) / 2;
    const rill_status status = rill_geom_create(n, out);
    if (status != RILL_OK) return status;
    memcpy((*out)->sides, geom->sides, sizeof geom->sides);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++)
                (*out)->voxels[((size_t)z * n[1] + y) * n[0] + x] = value_of(geom, (uint32_t[]){x, y, z});
    return RILL_OK;
}

/* Extrapolate to voxels of 0 in proportion to the voxel. The half-width is what that adds, or what it would
 * add by the coarser two. */
static void extrapolate(rill_diffusivity_bar *bar)
{
    const double *y = bar->values, near = y[0] - y[1];
    bar->extrapolated = bar->grids > 1 ? y[0] + near : NAN;
    bar->half_width = bar->grids > 1 ? fabs(near) : NAN;
    if (bar->grids > 2) bar->half_width = fmax(bar->half_width, fabs(y[1] - y[2]) / 2);
}

rill_status rill_diffusivity_error_bar(const rill_geom *geom, const rill_diffusivity_options *options,
                                       rill_diffusivity *out)
{
    rill_status status = RILL_OK;
    rill_geom *made = NULL, *next = NULL;
    rill_diffusivity d = {.run_count = 0};
    rill_diffusivity_options o = *options;
    o.error_bar = false;
    o.finished = NULL;
    o.checkpoint = NULL;
    o.tolerance = fmin(o.tolerance, TOLERANCE);
    for (int r = 0; r < out->run_count; r++) {
        const rill_diffusivity_run *run = &out->runs[r];
        out->bar[run->axis] = (rill_diffusivity_bar){.grids = 1, .values = {run->d[run->axis], NAN, NAN}};
    }
    for (int level = 1; level < RILL_DIFFUSIVITY_GRIDS; level++) {
        const rill_geom *from = made ? made : geom;
        for (int a = 0; a < 3; a++)
            if (from->n[a] > 1 && from->n[a] < 2 * LEAST) goto enough;
        RILL_TRY(coarsen(from, &next));
        rill_geom_destroy(made);
        made = next;
        next = NULL;
        if (rill_geom_fluid(made) == 0) break;
        rill_geom *copy;
        RILL_TRY(rill_geom_copy(made, &copy)); /* what does not conduct stays in for the next */
        status = rill_diffusivity_compute(copy, &o, &d);
        rill_geom_destroy(copy);
        if (status == RILL_NUMERICS) status = RILL_OK; /* the bar has fewer grids then */
        for (int r = 0; r < d.run_count; r++) {
            const int a = d.runs[r].axis;
            rill_diffusivity_bar *bar = &out->bar[a];
            if (bar->grids == level && d.runs[r].converged) bar->values[bar->grids++] = d.d[a][a];
        }
        rill_diffusivity_free(&d);
        RILL_TRY(status);
    }
enough:
    for (int a = 0; a < 3; a++) extrapolate(&out->bar[a]);
done:
    rill_geom_destroy(next);
    rill_geom_destroy(made);
    return status;
}
