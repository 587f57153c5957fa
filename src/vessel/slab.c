/* SPDX-License-Identifier: Apache-2.0 */
/* Sections by planes: a flood over a square grid. */
#include "vessel/slab.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <stdlib.h>

static const double STEP = 0.5; /* voxels between positions */

/* A plane with two directions in it, voxels. */
typedef struct plane {
    const rill_domain *domain;
    double centre[3], along[2][3];
    int reach;          /* positions from the centre to the farthest corner of the box */
    uint8_t *seen;      /* [2 reach + 1]^2 */
    int32_t (*list)[2]; /* the positions found, and those to be looked at next */
    uint64_t count, room;
} plane;

static bool is_fluid(const plane *p, int i, int j)
{
    uint32_t at[3];
    for (int a = 0; a < 3; a++) {
        const double x = p->centre[a] + STEP * (i * p->along[0][a] + j * p->along[1][a]);
        if (!(x >= 0 && x < p->domain->geom->n[a])) return false;
        at[a] = (uint32_t)x;
    }
    return rill_numbering_has(&p->domain->numbering, at[0], at[1], at[2]);
}

static rill_status visit(plane *p, int i, int j)
{
    if (abs(i) > p->reach || abs(j) > p->reach) return RILL_OK;
    uint8_t *seen = &p->seen[(size_t)(j + p->reach) * (2 * (size_t)p->reach + 1) + (size_t)(i + p->reach)];
    if (*seen || !is_fluid(p, i, j)) return RILL_OK;
    *seen = 1;
    if (p->count == p->room) {
        const uint64_t room = 2 * p->room + 1024;
        void *grown = realloc(p->list, room * sizeof *p->list);
        if (!grown) return rill_fail(RILL_SYSTEM, "out of memory for a plane");
        p->list = grown;
        p->room = room;
    }
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

uint64_t rill_slab_measure(const rill_geom *geom, double area)
{
    return (uint64_t)fmin(area / pow(STEP * geom->spacing, 2), 1e15);
}

rill_status rill_slab_make(const rill_domain *domain, const double centre[3], const double normal[3],
                           const char *name, rill_slab *out)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = domain->geom;
    plane p = {.domain = domain};
    double diagonal = 0;
    *out = (rill_slab){.area = pow(STEP * geom->spacing, 2)};
    for (int a = 0; a < 3; a++) {
        p.centre[a] = (centre[a] - geom->origin[a]) / geom->spacing;
        diagonal += (double)geom->n[a] * geom->n[a];
    }
    directions(&p, normal);
    p.reach = (int)(sqrt(diagonal) / STEP) + 1;
    const uint64_t width = 2 * (uint64_t)p.reach + 1;
    RILL_TRY(rill_array_create_zero(width * width, 1, "a plane", (void **)&p.seen));
    RILL_TRY(visit(&p, 0, 0));
    if (p.count == 0)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "plane %s: its centre (%g mm, %g mm, %g mm) is not within the fluid: give a place "
                           "inside of the vessel",
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
    rill_array_destroy(p.seen);
    free(p.list);
    return status;
}

void rill_slab_free(rill_slab *slab)
{
    rill_array_destroy(slab->places);
    *slab = (rill_slab){0};
}
