/* SPDX-License-Identifier: Apache-2.0 */
/* Sections by planes: a flood over a square grid. */
#include "vessel/observe/slab.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/layers.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <stdlib.h>

static const double STEP = 0.5; /* voxels between positions */

/* A plane with two directions in it, voxels. */
typedef struct plane {
    const rill_domain *domain;
    double centre[3], along[2][3];
    int reach;          /* positions from the centre to the farthest corner of the box */
    uint8_t *fluid;     /* [2 reach + 1]^2; 0 also where it was found */
    int32_t (*list)[2]; /* the positions found, and those to be looked at next */
    uint64_t count, room;
} plane;

/* Return where a position is marked. */
static uint8_t *mark_of(const plane *p, int i, int j)
{
    return &p->fluid[(size_t)(j + p->reach) * (2 * (size_t)p->reach + 1) + (size_t)(i + p->reach)];
}

static bool is_fluid(const plane *p, const rill_layers *layers, int i, int j)
{
    uint32_t at[3];
    for (int a = 0; a < 3; a++) {
        const double x = p->centre[a] + STEP * (i * p->along[0][a] + j * p->along[1][a]);
        if (!(x >= 0 && x < p->domain->geom->n[a])) return false;
        at[a] = (uint32_t)x;
    }
    return rill_layers_has(layers, at[0], at[1], at[2]);
}

/* Find which positions i of a row have low <= z < high, or a few more. @return false without any */
static bool row_range(const plane *p, int j, double low, double high, int range[2])
{
    const double from = p->centre[2] + STEP * j * p->along[1][2], step = STEP * p->along[0][2];
    range[0] = -p->reach, range[1] = p->reach;
    if (fabs(step) * p->reach < 0.5) return from > low - 1 && from < high + 1;
    const double a = (low - from) / step, b = (high - from) / step;
    range[0] = (int)fmin(fmax(fmin(a, b) - 1, -p->reach), p->reach + 1.0);
    range[1] = (int)fmax(fmin(fmax(a, b) + 1, p->reach), -p->reach - 1.0);
    return range[0] <= range[1];
}

/* Mark the positions that are fluid, of some planes of voxels at a time. */
static rill_status mark_fluid(plane *p)
{
    rill_status status = RILL_OK;
    rill_layers layers = {.first = 0};
    const uint32_t nz = p->domain->geom->n[2], planes = rill_layers_planes(p->domain);
    for (uint32_t z = 0, count; z < nz; z += count) {
        count = nz - z < planes ? nz - z : planes;
        RILL_TRY(rill_layers_see(p->domain, z, 0, &layers));
#pragma omp parallel for schedule(dynamic, 64)
        for (int j = -p->reach; j <= p->reach; j++) {
            int range[2];
            if (!row_range(p, j, z, (double)z + count, range)) continue;
            for (int i = range[0]; i <= range[1]; i++) {
                const double at = p->centre[2] + STEP * (i * p->along[0][2] + j * p->along[1][2]);
                if (at >= z && at < (double)z + count && is_fluid(p, &layers, i, j)) *mark_of(p, i, j) = 1;
            }
        }
    }
done:
    rill_layers_free(&layers);
    return status;
}

static rill_status visit(plane *p, int i, int j)
{
    if (abs(i) > p->reach || abs(j) > p->reach) return RILL_OK;
    if (!*mark_of(p, i, j)) return RILL_OK;
    *mark_of(p, i, j) = 0;
    const rill_status status = RILL_LIST_GROW(p->list, p->count, p->room, "the positions of a plane");
    if (status != RILL_OK) return status;
    p->list[p->count][0] = i;
    p->list[p->count++][1] = j;
    return RILL_OK;
}

static void directions(plane *p, const double normal[3])
{
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(normal[a]) < fabs(normal[least])) least = a;
    double axis[3] = {0};
    axis[least] = 1;
    rill_cross(normal, axis, p->along[0]);
    const double length = sqrt(rill_dot(p->along[0], p->along[0]));
    for (int a = 0; a < 3; a++) p->along[0][a] /= length;
    rill_cross(normal, p->along[0], p->along[1]);
}

rill_status rill_slab_make(const rill_domain *domain, const double centre[3], const double normal[3],
                           const char *name, rill_slab *out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    plane p = {.domain = domain};
    double diagonal = 0;
    *out = (rill_slab){.area = pow(STEP * geom->spacing, 2), .normal = {normal[0], normal[1], normal[2]}};
    for (int a = 0; a < 3; a++) {
        p.centre[a] = (centre[a] - geom->origin[a]) / geom->spacing;
        diagonal += (double)geom->n[a] * geom->n[a];
    }
    directions(&p, normal);
    p.reach = (int)(sqrt(diagonal) / STEP) + 1;
    const uint64_t width = 2 * (uint64_t)p.reach + 1;
    RILL_TRY(rill_array_create_zero(width * width, 1, "a plane", (void **)&p.fluid));
    RILL_TRY(mark_fluid(&p));
    RILL_TRY(visit(&p, 0, 0));
    if (p.count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "plane %s: its centre (%g mm, %g mm, %g mm) is not within the fluid: give a place inside of the vessel",
            name, 1e3 * centre[0], 1e3 * centre[1], 1e3 * centre[2]));
    for (uint64_t k = 0; k < p.count; k++) {
        const int i = p.list[k][0], j = p.list[k][1];
        RILL_TRY(visit(&p, i - 1, j));
        RILL_TRY(visit(&p, i + 1, j));
        RILL_TRY(visit(&p, i, j - 1));
        RILL_TRY(visit(&p, i, j + 1));
    }
    RILL_TRY(rill_array_create(p.count, sizeof *out->places, "a plane", (void **)&out->places));
    out->count = p.count;
    for (uint64_t k = 0; k < p.count; k++)
        for (int a = 0; a < 3; a++)
            out->places[k][a] = centre[a] + STEP * geom->spacing *
                                                (p.list[k][0] * p.along[0][a] + p.list[k][1] * p.along[1][a]);
done:
    rill_array_destroy(p.fluid);
    free(p.list);
    return status;
}

void rill_slab_free(rill_slab *slab)
{
    rill_array_destroy(slab->places);
    *slab = (rill_slab){0};
}
