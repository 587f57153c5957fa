/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes lists of wall links from a domain, and says what comes back along them. What a link does in a step
 * is kernel/boundary/boundary.h's, where a simulation keeps it patch.c's.
 */
#include "sim/boundary.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "geometry/voxels/planes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Voxels whose links are requested: the others are only counted. */
typedef struct slab {
    uint32_t first[3], end[3];
} slab;

static slab everything(const rill_geom *geom)
{
    return (slab){{0, 0, 0}, {geom->n[0], geom->n[1], geom->n[2]}};
}

/* Nodes of a boundary that are being listed, in the order of their numbers. */
typedef struct listed {
    const rill_domain *domain;
    bool (*wanted)(void *, const rill_wall_link *);
    void *context;
    int label; /* of voxels that are looked at; 0: all */
    const rill_layers *layers;
    const rill_window *window;
    rill_boundary_node *nodes;
    uint64_t count, capacity, links;
} listed;

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

bool rill_boundary_at_wall(const rill_boundary_node *node, rill_lattice lattice, int i)
{
    const int c[3] = {-rill_c((int)lattice, i, 0), -rill_c((int)lattice, i, 1), -rill_c((int)lattice, i, 2)};
    return node->solid & rill_boundary_bit(c);
}

void rill_boundary_look(const rill_domain *domain, const rill_layers *layers, rill_boundary_node *node)
{
    node->solid = 0;
    for (int k = 0; k < 27; k++) {
        const int d[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const rill_link_end end = rill_follow(domain->geom, node->x, d);
        if (end.wall || !rill_layers_has(layers, end.x[0], end.x[1], end.x[2]))
            node->solid |= rill_boundary_bit(d);
    }
}

static rill_status list_node(listed *l, rill_node number, const uint32_t x[3], uint8_t label)
{
    rill_boundary_node node = {.node = number, .x = {x[0], x[1], x[2]}};
    rill_boundary_look(l->domain, l->layers, &node);
    for (int i = 1; i < rill_q((int)l->domain->lattice); i++) {
        if (!rill_boundary_at_wall(&node, l->domain->lattice, i)) continue;
        const rill_wall_link link = rill_boundary_describe(l->domain, number, x, label, i);
        if (!l->wanted || l->wanted(l->context, &link)) node.links |= 1u << i;
    }
    if (!node.links) return RILL_OK;
    const rill_status status = RILL_LIST_GROW(l->nodes, l->count, l->capacity, "nodes with wall links");
    if (status != RILL_OK) return status;
    l->nodes[l->count++] = node;
    l->links += (uint64_t)__builtin_popcount(node.links);
    return RILL_OK;
}

/* Return which cells of a word have fluid all around: most of them. At the ends of rows none has. */
static uint64_t fluid_around(const rill_layers *layers, size_t w, uint32_t y, uint32_t z)
{
    const rill_numbering *numbering = &layers->numbering;
    const size_t words = numbering->row_words;
    uint64_t all = ~(uint64_t)0;
    if (y == 0 || y + 1 >= numbering->n[1]) return 0;
    for (uint32_t k = 0; k < 9 && all; k++) {
        const uint32_t plane = rill_layers_plane(layers, (z + layers->box + k / 3 - 1) % layers->box);
        const uint64_t *row = numbering->occupied + ((size_t)plane * numbering->n[1] + y + k % 3 - 1) * words;
        all &= row[w] & (row[w] << 1 | (w ? row[w - 1] >> 63 : 0)) &
               (row[w] >> 1 | (w + 1 < words ? row[w + 1] << 63 : 0));
    }
    return all;
}

/* List the nodes of a row of voxels, word by word of the bitmap. */
static rill_status list_row(listed *l, const slab *part, uint32_t y, uint32_t z)
{
    const rill_numbering *numbering = &l->layers->numbering;
    const uint8_t *voxels = rill_window_row(l->window, y, z);
    const size_t row = ((size_t)rill_layers_plane(l->layers, z) * numbering->n[1] + y) * numbering->row_words;
    for (size_t w = part->first[0] / 64; w * 64 < part->end[0]; w++) {
        const uint64_t boring = fluid_around(l->layers, w, y, z);
        rill_node node = numbering->base[row + w];
        for (uint64_t left = numbering->occupied[row + w]; left; left &= left - 1, node++) {
            const uint32_t bit = (uint32_t)__builtin_ctzll(left), x = (uint32_t)(w * 64) + bit;
            if (x < part->first[0] || x >= part->end[0] || (l->label && voxels[x] != l->label)) continue;
            if (boring >> bit & 1) continue;
            const rill_status status = list_node(l, node, (const uint32_t[3]){x, y, z}, voxels[x]);
            if (status != RILL_OK) return status;
        }
    }
    return RILL_OK;
}

static rill_status list_plane(listed *l, const slab *part, uint32_t z)
{
    rill_status status = RILL_OK;
    for (uint32_t y = part->first[1]; y < part->end[1] && status == RILL_OK; y++)
        status = list_row(l, part, y, z);
    return status;
}

/* Put the lists of planes behind each other. */
static rill_status join(rill_boundary *b, const listed *planes, uint32_t count)
{
    for (uint32_t k = 0; k < count; k++) b->count += planes[k].count, b->links += planes[k].links;
    b->nodes = malloc((b->count ? b->count : 1) * sizeof *b->nodes);
    if (!b->nodes)
        return rill_fail(RILL_SYSTEM, "out of memory for the wall links of %llu nodes",
                         (unsigned long long)b->count);
    rill_boundary_node *to = b->nodes;
    for (uint32_t k = 0; k < count; to += planes[k++].count)
        if (planes[k].count) memcpy(to, planes[k].nodes, planes[k].count * sizeof *to);
    return RILL_OK;
}

/* List planes side by side, unless what is asked about each link is the caller's function. */
static rill_status list_links(rill_boundary *b, const slab *part, const listed *like, bool threads)
{
    rill_status status = RILL_OK;
    const rill_domain *domain = like->domain;
    const uint32_t count = part->end[2] - part->first[2], most = rill_layers_planes(domain);
    rill_layers layers = {.first = 0};
    rill_window window = {.geom = domain->geom};
    listed *planes = calloc(count, sizeof *planes);
    if (!planes) return rill_fail(RILL_SYSTEM, "out of memory for the wall links of %u planes", count);
    for (uint32_t first = 0, some; first < count; first += some) {
        const uint32_t z = part->first[2] + first;
        bool failed = false;
        some = count - first < most ? count - first : most;
        RILL_TRY(rill_layers_take(domain, (int64_t)z - 1, some + 2, &layers));
        RILL_TRY(rill_window_see(&window, z, some));
#pragma omp parallel for schedule(dynamic) reduction(|| : failed) if (threads)
        for (uint32_t k = first; k < first + some; k++) {
            planes[k] = *like;
            planes[k].layers = &layers, planes[k].window = &window;
            failed = failed || list_plane(&planes[k], part, part->first[2] + k) != RILL_OK;
        }
        if (failed) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the wall links of %u planes", count));
    }
    RILL_TRY(join(b, planes, count));
done:
    rill_layers_free(&layers);
    rill_window_close(&window);
    for (uint32_t k = 0; k < count; k++) free(planes[k].nodes);
    free(planes);
    return status;
}

static rill_status create(const listed *like, const slab *part, bool threads, const char *what,
                          rill_boundary **out)
{
    rill_status status = RILL_OK;
    rill_boundary *b = NULL;
    RILL_TRY(rill_numbering_check_32(like->domain->nodes, "boundary conditions"));
    b = calloc(1, sizeof *b);
    if (!b) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
    b->domain = like->domain;
    RILL_TRY(list_links(b, part, like, threads));
    if (b->links == 0) {
        status = rill_fail(
            RILL_USAGE,
            "no wall link %s: a boundary needs fluid beside a solid voxel or a solid domain boundary", what);
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
    return create(&(listed){domain, wanted, context}, &all, !wanted, wanted ? "is selected" : "exists", out);
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
        return rill_fail(RILL_USAGE, "axis %d, end %d is not a face: axes are 0, 1, 2, ends -1 and 1", axis,
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
    return create(&(listed){domain, crosses_face, &wanted}, &plane, true, what, out);
}

static bool lies_along(void *context, const rill_wall_link *link)
{
    const double *normal = context;
    return link->c[0] * normal[0] + link->c[1] * normal[1] + link->c[2] * normal[2] > 0;
}

rill_status rill_boundary_create_label(const rill_domain *domain, int label, const double normal[3],
                                       rill_boundary **out)
{
    if (label < RILL_LABEL || label > UINT8_MAX)
        return rill_fail(RILL_USAGE, "label %d is not that of an opening: labels are %d to %d", label,
                         RILL_LABEL, UINT8_MAX);
    const double length = hypot(hypot(normal[0], normal[1]), normal[2]);
    if (!(length > 0) || !isfinite(length))
        return rill_fail(
            RILL_USAGE,
            "normal (%g, %g, %g) of label %d has no direction: give one that points into the fluid",
            normal[0], normal[1], normal[2], label);
    char what[48];
    snprintf(what, sizeof what, "of label %d lies along its normal", label);
    double inwards[3] = {normal[0], normal[1], normal[2]};
    const slab all = everything(domain->geom);
    return create(&(listed){domain, lies_along, inwards, label}, &all, true, what, out);
}

void rill_boundary_destroy(rill_boundary *boundary)
{
    if (!boundary) return;
    free(boundary->nodes);
    rill_array_destroy(boundary->values);
    rill_array_destroy(boundary->slopes);
    rill_array_destroy(boundary->q);
    rill_array_destroy(boundary->next);
    rill_array_destroy(boundary->after);
    rill_array_destroy(boundary->fluxes);
    free(boundary);
}

uint64_t rill_boundary_links(const rill_boundary *boundary) { return boundary->links; }
