/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolation between nodes. */
#include "vessel/observe/points.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"

#include <math.h>
#include <stdlib.h>

/* Return the voxel below a place along an axis, and how far the place is from there. */
static double low_of(const rill_geom *geom, const double place[3], int a, double *part)
{
    const double edge = geom->spacing > 0 ? geom->spacing : 1, x = (place[a] - geom->origin[a]) / edge - 0.5,
                 low = floor(x);
    *part = x - low;
    return low;
}

/* The eight voxels around a place and their weights; 0 where they are solid or outside of the box. */
static void corners_of(const rill_domain *domain, const rill_layers *layers, const double place[3],
                       rill_node nodes[8], float weights[8])
{
    const rill_geom *geom = domain->geom;
    double low[3], part[3];
    for (int a = 0; a < 3; a++) low[a] = low_of(geom, place, a, &part[a]);
    for (int k = 0; k < 8; k++) {
        double weight = 1;
        uint32_t at[3];
        bool inside = true;
        for (int a = 0; a < 3; a++) {
            const int high = k >> a & 1;
            const double x = low[a] + high;
            weight *= high ? part[a] : 1 - part[a];
            inside = inside && x >= 0 && x < geom->n[a];
            at[a] = inside ? (uint32_t)x : 0;
        }
        const bool fluid = inside && rill_layers_has(layers, at[0], at[1], at[2]);
        nodes[k] = fluid ? rill_layers_rank(layers, at[0], at[1], at[2]) : 0;
        weights[k] = fluid ? (float)weight : 0;
    }
}

/* Find the corners of all positions, of those in some planes at a time. */
static rill_status corners_find(const rill_domain *domain, const double (*places)[3], rill_points *out)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    const uint32_t nz = domain->geom->n[2], planes = rill_layers_planes(domain);
    for (uint32_t z = 0; z < nz; z += nz - z < planes ? nz - z : planes)
        for (uint64_t p = 0; p < out->count; p++) {
            double part;
            const double low = fmin(fmax(low_of(domain->geom, places[p], 2, &part), 0), nz - 1.0);
            if (!(low >= z && low < (double)z + planes)) continue;
            RILL_TRY(rill_layers_see(domain, z, 1, &layers));
            corners_of(domain, &layers, places[p], out->slots[p], out->weights[p]);
        }
done:
    rill_layers_free(&layers);
    return status;
}

static int ascending(const void *a, const void *b)
{
    const rill_node m = *(const rill_node *)a, n = *(const rill_node *)b;
    return (m > n) - (m < n);
}

rill_status rill_points_make(const rill_domain *domain, const double (*places)[3], uint64_t count,
                             rill_points *out)
{
    rill_status status = RILL_OK;
    *out = (rill_points){.count = count};
    RILL_TRY(rill_array_create(count + 1, sizeof *out->slots, "places", (void **)&out->slots));
    RILL_TRY(rill_array_create(count + 1, sizeof *out->weights, "places", (void **)&out->weights));
    RILL_TRY(rill_array_create(8 * count + 1, sizeof *out->nodes, "places", (void **)&out->nodes));
    uint64_t all = 0;
    RILL_TRY(corners_find(domain, places, out));
    for (uint64_t p = 0; p < count; p++)
        for (int k = 0; k < 8; k++)
            if (out->weights[p][k] > 0) out->nodes[all++] = out->slots[p][k];
    qsort(out->nodes, all, sizeof *out->nodes, ascending);
    for (uint64_t k = 0; k < all; k++)
        if (k == 0 || out->nodes[k] != out->nodes[k - 1]) out->nodes[out->node_count++] = out->nodes[k];
    for (uint64_t p = 0; p < count; p++)
        for (int k = 0; k < 8; k++) {
            if (!(out->weights[p][k] > 0)) continue;
            const rill_node *found =
                bsearch(&out->slots[p][k], out->nodes, out->node_count, sizeof *out->nodes, ascending);
            out->slots[p][k] = (uint32_t)(found - out->nodes);
        }
done:
    if (status != RILL_OK) rill_points_free(out);
    return status;
}

rill_status rill_points_count(const rill_domain *domain, const double (*places)[3], uint64_t count,
                              rill_points_size *size)
{
    rill_points points = {.count = 0};
    if (count == 0) return RILL_OK;
    const rill_status status = rill_points_make(domain, places, count, &points);
    size->points += count;
    size->nodes += points.node_count;
    rill_points_free(&points);
    return status;
}

void rill_points_free(rill_points *points)
{
    rill_array_destroy(points->slots);
    rill_array_destroy(points->weights);
    rill_array_destroy(points->nodes);
    *points = (rill_points){0};
}

bool rill_points_has(const rill_points *points, uint64_t point)
{
    for (int k = 0; k < 8; k++)
        if (points->weights[point][k] > 0) return true;
    return false;
}

void rill_points_take(const rill_points *points, uint64_t point, const double *rho, const double *u,
                      double out[4])
{
    double sums[4] = {0}, fluid = 0;
    for (int k = 0; k < 8; k++) {
        const double weight = (double)points->weights[point][k];
        const uint64_t slot = points->slots[point][k];
        if (!(weight > 0)) continue;
        sums[0] += weight * rho[slot];
        for (uint64_t a = 0; a < 3; a++) sums[1 + a] += weight * u[a * points->node_count + slot];
        fluid += weight;
    }
    out[0] = sums[0] / fluid; /* 0/0 is NaN where there is no fluid */
    for (int a = 1; a < 4; a++) out[a] = fluid > 0 ? sums[a] : NAN;
}
