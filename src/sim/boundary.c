/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lists of wall links from a domain, and says what comes back along them. What a link does in a step
 * is kernel/boundary.h's, where a simulation keeps it patch.c's.
 */
#include "sim/boundary.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Voxels whose links are requested: the others are only counted. */
typedef struct slab {
    uint32_t first[3], end[3];
} slab;

static slab everything(const rill_geom *geom)
{
    return (slab){{0, 0, 0}, {geom->n[0], geom->n[1], geom->n[2]}};
}

/* Make room for one more node. */
static rill_status grow(rill_boundary *b)
{
    if (b->count < b->capacity) return RILL_OK;
    const uint64_t capacity = b->capacity ? 2 * b->capacity : 1024;
    rill_boundary_node *nodes = realloc(b->nodes, capacity * sizeof *nodes);
    if (!nodes)
        return rill_fail(RILL_SYSTEM, "out of memory for the wall links of %llu nodes",
                         (unsigned long long)capacity);
    b->nodes = nodes;
    b->capacity = capacity;
    return RILL_OK;
}

/* Describe link i of a voxel. */
rill_wall_link rill_boundary_describe(const rill_domain *domain, rill_node node, const uint32_t x[3],
                                      uint8_t label, int i)
{
    rill_wall_link link = {.node = node, .label = label, .direction = (uint8_t)i};
    for (int a = 0; a < 3; a++) {
        const int c = rill_c((int)domain->lattice, i, a);
        const int64_t n = domain->geom->n[a], to = (int64_t)x[a] - c;
        link.x[a] = x[a];
        link.c[a] = (int8_t)c;
        link.wall[a] = x[a] + 0.5 - 0.5 * c;
        if (domain->geom->sides[a] == RILL_WALL) link.beyond[a] = (int8_t)(to < 0 ? -1 : to >= n ? 1 : 0);
    }
    return link;
}

bool rill_boundary_at_wall(const rill_domain *domain, const uint32_t x[3], int i)
{
    const rill_link_end end = rill_follow_link(domain->geom, domain->lattice, x, i);
    return rill_follow_solid(domain->geom, &end);
}

static rill_status list_node(rill_boundary *b, rill_node node, const uint32_t x[3], uint8_t label,
                             bool (*wanted)(void *, const rill_wall_link *), void *context)
{
    uint32_t links = 0;
    for (int i = 1; i < rill_q((int)b->domain->lattice); i++) {
        if (!rill_boundary_at_wall(b->domain, x, i)) continue;
        const rill_wall_link link = rill_boundary_describe(b->domain, node, x, label, i);
        if (!wanted || wanted(context, &link)) links |= 1u << i;
    }
    if (!links) return RILL_OK;
    const rill_status status = grow(b);
    if (status != RILL_OK) return status;
    b->nodes[b->count++] = (rill_boundary_node){node, {x[0], x[1], x[2]}, links};
    b->links += (uint64_t)__builtin_popcount(links);
    return RILL_OK;
}

/* Most nodes have fluid all around: their voxels lie at fixed distances, unless a side is near. */
static bool all_fluid_around(const rill_domain *domain, const uint32_t x[3])
{
    const rill_geom *geom = domain->geom;
    const int64_t nx = geom->n[0], ny = geom->n[1];
    const uint8_t *here = geom->voxels + x[0] + nx * (x[1] + ny * (int64_t)x[2]);
    for (int a = 0; a < 3; a++) {
        if (a == 2 && domain->lattice == RILL_D2Q9) continue;
        if (x[a] == 0 || x[a] == geom->n[a] - 1) return false;
    }
    for (int i = 1; i < rill_q((int)domain->lattice); i++)
        if (here[-(rill_c((int)domain->lattice, i, 0) +
                   nx * (rill_c((int)domain->lattice, i, 1) + ny * rill_c((int)domain->lattice, i, 2)))] <
            RILL_FLUID)
            return false;
    return true;
}

static rill_status list_links(rill_boundary *b, const slab *part,
                              bool (*wanted)(void *, const rill_wall_link *), void *context)
{
    const rill_geom *geom = b->domain->geom;
    const uint8_t *voxels = geom->voxels;
    rill_node node = 0;
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++) {
            const bool outside =
                z < part->first[2] || z >= part->end[2] || y < part->first[1] || y >= part->end[1];
            for (uint32_t x = 0; x < geom->n[0]; x++) {
                const uint8_t label = *voxels++;
                if (label < RILL_FLUID) continue;
                const rill_node here = node++;
                const uint32_t at[3] = {x, y, z};
                if (outside || x < part->first[0] || x >= part->end[0] || all_fluid_around(b->domain, at))
                    continue;
                const rill_status status = list_node(b, here, at, label, wanted, context);
                if (status != RILL_OK) return status;
            }
        }
    return RILL_OK;
}

static rill_status create(const rill_domain *domain, const slab *part,
                          bool (*wanted)(void *, const rill_wall_link *), void *context, const char *what,
                          rill_boundary **out)
{
    rill_status status = RILL_OK;
    rill_boundary *b = calloc(1, sizeof *b);
    if (!b) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    b->domain = domain;
    RILL_TRY(list_links(b, part, wanted, context));
    if (b->links == 0) {
        status = rill_fail(RILL_USAGE,
                           "no wall link %s: a boundary needs fluid beside a solid voxel or a "
                           "solid domain boundary",
                           what);
        goto done;
    }
    *out = b;
    b = NULL;
done:
    rill_boundary_destroy(b);
    return status;
}

rill_status rill_boundary_create(const rill_domain *domain,
                                 bool (*wanted)(void *context, const rill_wall_link *link), void *context,
                                 rill_boundary **out)
{
    const slab all = everything(domain->geom);
    return create(domain, &all, wanted, context, wanted ? "is selected" : "exists", out);
}

typedef struct face {
    int axis, end;
} face;

static bool crosses_face(void *context, const rill_wall_link *link)
{
    const face *f = context;
    return link->beyond[f->axis] == f->end;
}

rill_status rill_boundary_create_face(const rill_domain *domain, int axis, int end, rill_boundary **out)
{
    const rill_geom *geom = domain->geom;
    if (axis < 0 || axis > 2 || (end != -1 && end != 1))
        return rill_fail(RILL_USAGE, "axis %d, end %d is no face: axes are 0, 1, 2, ends -1 and 1", axis,
                         end);
    if (geom->sides[axis] != RILL_WALL)
        return rill_fail(RILL_USAGE, "the domain boundaries normal to %c are no walls: make them RILL_WALL",
                         rill_axis(axis));
    slab plane = everything(geom);
    if (end < 0)
        plane.end[axis] = 1;
    else
        plane.first[axis] = geom->n[axis] - 1;
    char what[32];
    snprintf(what, sizeof what, "crosses the %s side of %c", end < 0 ? "low" : "high", rill_axis(axis));
    face wanted = {axis, end};
    return create(domain, &plane, crosses_face, &wanted, what, out);
}

typedef struct labelled {
    int label;
    const double *normal;
} labelled;

static bool carries_label(void *context, const rill_wall_link *link)
{
    const labelled *l = context;
    return link->label == l->label &&
           link->c[0] * l->normal[0] + link->c[1] * l->normal[1] + link->c[2] * l->normal[2] > 0;
}

rill_status rill_boundary_create_label(const rill_domain *domain, int label, const double normal[3],
                                       rill_boundary **out)
{
    if (label < RILL_LABEL || label > UINT8_MAX)
        return rill_fail(RILL_USAGE, "label %d is not that of an opening: labels are %d to %d", label,
                         RILL_LABEL, UINT8_MAX);
    const double length = hypot(hypot(normal[0], normal[1]), normal[2]);
    if (!(length > 0) || !isfinite(length))
        return rill_fail(RILL_USAGE,
                         "normal (%g, %g, %g) of label %d has no direction: give one that points "
                         "into the fluid",
                         normal[0], normal[1], normal[2], label);
    char what[48];
    snprintf(what, sizeof what, "of label %d lies along its normal", label);
    labelled wanted = {label, normal};
    const slab all = everything(domain->geom);
    return create(domain, &all, carries_label, &wanted, what, out);
}

void rill_boundary_destroy(rill_boundary *boundary)
{
    if (!boundary) return;
    free(boundary->nodes);
    rill_array_destroy(boundary->values);
    rill_array_destroy(boundary->q);
    free(boundary);
}

uint64_t rill_boundary_links(const rill_boundary *boundary) { return boundary->links; }
