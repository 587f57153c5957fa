/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of the speed on three planes, of the snapshot where it is largest on them. */
#include "vessel/run/run_priv.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
#include "io/pictures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A plane, and the nodes that its pixels show. */
typedef struct plane {
    rill_slice slice; /* values owned */
    rill_node *nodes; /* [count] */
    uint32_t *pixels; /* [count] */
    uint64_t count;
} plane;

/* The plane normal to an axis with the most fluid. */
static rill_status fullest(const rill_geom *geom, int axis, uint32_t *out)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    uint64_t most = 0, *counts = NULL;
    *out = 0;
    RILL_TRY(rill_array_create_zero(geom->n[axis], sizeof *counts, "a slice", (void **)&counts));
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);)
        for (uint32_t z = window.first; z < end; z++)
            for (uint32_t y = 0; y < geom->n[1]; y++) {
                const uint8_t *voxels = rill_window_row(&window, y, z);
                for (uint32_t x = 0; x < geom->n[0]; x++)
                    counts[axis == 0 ? x : axis == 1 ? y : z] += voxels[x] >= RILL_FLUID;
            }
    for (uint32_t k = 0; k < geom->n[axis]; k++)
        if (counts[k] > most) most = counts[k], *out = k;
done:
    rill_window_close(&window);
    rill_array_destroy(counts);
    return status;
}

static void plane_free(plane *p)
{
    rill_array_destroy(p->slice.values);
    rill_array_destroy(p->nodes);
    rill_array_destroy(p->pixels);
}

static rill_status plane_make(const rill_domain *domain, int axis, plane *out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
    uint32_t at[3];
    rill_layers layers = {.first = 0};
    out->slice = (rill_slice){.width = geom->n[u], .height = geom->n[v], .unit = "m/s"};
    RILL_TRY(fullest(geom, axis, &out->slice.position));
    const uint64_t pixels = (uint64_t)geom->n[u] * geom->n[v];
    RILL_TRY(rill_array_create(pixels, sizeof(float), "a slice", (void **)&out->slice.values));
    RILL_TRY(rill_array_create(pixels, sizeof *out->nodes, "a slice", (void **)&out->nodes));
    RILL_TRY(rill_array_create(pixels, sizeof *out->pixels, "a slice", (void **)&out->pixels));
    at[axis] = out->slice.position;
    for (uint64_t p = 0; p < pixels; p++) {
        at[u] = (uint32_t)(p % geom->n[u]);
        at[v] = (uint32_t)(p / geom->n[u]);
        out->slice.values[p] = NAN;
        RILL_TRY(rill_layers_see(domain, at[2], 0, &layers));
        if (!rill_layers_has(&layers, at[0], at[1], at[2])) continue;
        out->nodes[out->count] = rill_layers_rank(&layers, at[0], at[1], at[2]);
        out->pixels[out->count++] = (uint32_t)p;
    }
done:
    rill_layers_free(&layers);
    return status;
}

/* Fill in the speeds, m/s. @param[in,out] largest  of all planes */
static rill_status plane_take(const rill_vessel *v, plane *p, float *largest)
{
    rill_status status = RILL_OK;
    rill_sample *sample = NULL;
    double *values = NULL;
    if (p->count == 0) return RILL_OK;
    RILL_TRY(rill_array_create(10 * p->count, sizeof *values, "a slice", (void **)&values));
    RILL_TRY(rill_sim_sample_create(v->sim, p->nodes, p->count, &sample));
    RILL_TRY(rill_sim_sample_take(v->sim, sample, values));
    for (uint64_t k = 0; k < p->count; k++) {
        double square = 0;
        for (uint64_t a = 1; a < 4; a++) {
            const float along =
                (float)(v->plan.scales.velocity * values[a * p->count + k]); /* as in fields */
            square += (double)along * (double)along;
        }
        p->slice.values[p->pixels[k]] = (float)sqrt(square);
        *largest = fmaxf(*largest, (float)sqrt(square));
    }
done:
    rill_sample_destroy(sample);
    rill_array_destroy(values);
    return status;
}

rill_status rill_run_slices(rill_run_loop *loop, uint64_t phase)
{
    rill_status status = RILL_OK;
    plane planes[3] = {0};
    float largest = 0;
    char path[RILL_RUN_PATH], name[] = "speed-x.png";
    for (int a = 0; a < 3; a++) {
        RILL_TRY(plane_make(loop->vessel->domain, a, &planes[a]));
        RILL_TRY(plane_take(loop->vessel, &planes[a], &largest));
    }
    if (phase > 1 && (double)largest <= loop->state.slice_speed) goto done;
    loop->state.slice_speed = (double)largest;
    for (int a = 0; a < 3; a++) {
        name[6] = rill_axis(a);
        RILL_TRY(rill_run_path(loop, name, path));
        RILL_TRY(rill_picture_write(&planes[a].slice, RILL_PICTURE_LINEAR, path));
    }
done:
    for (int a = 0; a < 3; a++) plane_free(&planes[a]);
    return status;
}
