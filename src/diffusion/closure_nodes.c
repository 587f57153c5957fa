/* SPDX-License-Identifier: Apache-2.0 */
/* The nodes of a closure problem: links through faces of voxels, and the velocities through those. */
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "diffusion/closure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

static const char *const name = "the closure problem of dispersion";

/* Numbers of voxels, of the solute and of the flow. */
typedef struct numbers {
    uint32_t *node; /* [voxels]; NONE */
    uint32_t *flow; /* [nodes] */
    uint64_t flow_nodes;
} numbers;

static rill_status create(rill_closure *c, uint64_t count, size_t size, void *out)
{
    c->bytes += count * size;
    return rill_array_create_zero(count, size, name, (void **)out);
}

static rill_status numbers_make(const rill_geom *geom, const uint8_t *before, uint64_t nodes, numbers *n)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_geom_voxels(geom);
    uint32_t next = 0;
    RILL_TRY(rill_array_create(voxels, sizeof *n->node, name, (void **)&n->node));
    RILL_TRY(rill_array_create(nodes, sizeof *n->flow, name, (void **)&n->flow));
    for (uint64_t v = 0; v < voxels; v++) {
        n->node[v] = NONE;
        if (geom->voxels[v] != RILL_SOLID) n->flow[next] = (uint32_t)n->flow_nodes, n->node[v] = next++;
        n->flow_nodes += before[v] != RILL_SOLID;
    }
done:
    return status;
}

/* Return the voxel beside another through a face; the number of voxels where there is none. */
static uint64_t neighbour_through(const rill_geom *geom, uint64_t voxel, int face)
{
    const int a = face / 2;
    const uint64_t stride = a == 0 ? 1 : a == 1 ? geom->n[0] : (uint64_t)geom->n[0] * geom->n[1];
    const uint64_t at = voxel / stride % geom->n[a], far = (geom->n[a] - 1) * stride;
    if (at != (face % 2 ? geom->n[a] - 1 : 0)) return face % 2 ? voxel + stride : voxel - stride;
    if (geom->sides[a] != RILL_PERIODIC) return rill_geom_voxels(geom);
    return face % 2 ? voxel - far : voxel + far;
}

/* List the links of all nodes. The velocity through a face is the mean of both voxels; both sides compute the
 * same. */
static void links_list(const rill_geom *geom, const numbers *n, const float *u, rill_closure *c)
{
    rill_closure_level *l = c->level;
    const uint64_t voxels = rill_geom_voxels(geom);
    uint32_t count = 0, node = 0;
    for (uint64_t v = 0; v < voxels; v++) {
        if (n->node[v] == NONE) continue;
        l->begin[node] = count;
        for (int face = 0; face < 6; face++) {
            const uint64_t next = neighbour_through(geom, v, face);
            const uint32_t other = next < voxels ? n->node[next] : NONE;
            const float *along = u + (uint64_t)(face / 2) * n->flow_nodes;
            if (other == NONE) {
                c->walls++;
                continue;
            }
            const double w = ((double)along[n->flow[node]] + along[n->flow[other]]) / 2;
            c->face[count] = (uint8_t)face;
            l->link[count++] = (rill_closure_link){other, 1, face % 2 ? w : -w};
        }
        node++;
    }
    l->begin[node] = count;
}

/* Refuse nodes that no path through faces connects. */
static rill_status connected_check(const rill_closure *c)
{
    rill_status status = RILL_OK;
    const rill_closure_level *l = c->level;
    uint32_t *list = NULL, count = 1;
    uint8_t *seen = NULL;
    RILL_TRY(rill_array_create_zero(c->nodes, sizeof *list, name, (void **)&list));
    RILL_TRY(rill_array_create_zero(c->nodes, sizeof *seen, name, (void **)&seen));
    seen[0] = 1;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = l->begin[list[k]]; i < l->begin[list[k] + 1]; i++) {
            const uint32_t to = l->link[i].to;
            if (!seen[to]) seen[to] = 1, list[count++] = to;
        }
    if (count < c->nodes)
        status = rill_fail(
            RILL_NUMERICS,
            "the pores conduct in separate parts, one of %u voxels and others of %u: no face of voxels connects them, so a solute spreads without limit; "
            "keep one of them as pore",
            count, c->nodes - count);
done:
    rill_array_destroy(list);
    rill_array_destroy(seen);
    return status;
}

rill_status rill_closure_create(const rill_geom *geom, int axis, const bool through[3], const uint8_t *before,
                                const float *u, rill_progress progress, rill_closure *out)
{
    rill_status status = RILL_OK;
    numbers n = {.node = NULL};
    const uint64_t nodes = rill_geom_fluid(geom);
    rill_closure_level *l = out->level;
    *out = (rill_closure){.levels = 0};
    if (nodes >= UINT32_MAX / 6)
        RILL_TRY(
            rill_fail(RILL_USAGE,
                      "%llu voxels conduct, above %u: crop the image, or make its voxels larger (--resample)",
                      (unsigned long long)nodes, UINT32_MAX / 6));
    out->nodes = l->count = (uint32_t)nodes;
    RILL_TRY(rill_progress_report(progress, "links of voxels", -1));
    RILL_TRY(rill_diffusor_create(geom, NULL, 0, NULL, true, &out->diffusor));
    RILL_TRY(numbers_make(geom, before, nodes, &n));
    RILL_TRY(create(out, nodes + 1, sizeof *l->begin, &l->begin));
    RILL_TRY(create(out, 6 * nodes, sizeof *l->link, &l->link));
    RILL_TRY(create(out, 6 * nodes, sizeof *out->face, &out->face));
    RILL_TRY(create(out, nodes, sizeof *l->old, &l->old));
    RILL_TRY(create(out, 2 * (nodes / RILL_CLOSURE_CHUNK + 1), sizeof *out->partial, &out->partial));
    for (int k = 0; k < RILL_CLOSURE_VECTORS; k++) RILL_TRY(create(out, nodes, sizeof(double), &out->own[k]));
    for (int a = 0; a < 3; a++) {
        out->closed[a] = geom->sides[a] == RILL_PERIODIC && !through[a];
        if (geom->sides[a] == RILL_PERIODIC && through[a])
            RILL_TRY(create(out, nodes, sizeof(double), &out->b[a]));
    }
    links_list(geom, &n, u, out);
    RILL_TRY(connected_check(out));
    RILL_TRY(rill_diffusor_begin(&out->diffusor, axis, RILL_ENDS_NONE));
    out->bytes += rill_diffusor_bytes(&out->diffusor);
done:
    rill_array_destroy(n.node);
    rill_array_destroy(n.flow);
    return status;
}

static void level_free(rill_closure_level *l)
{
    rill_array_destroy(l->begin);
    rill_array_destroy(l->link);
    rill_array_destroy(l->parent);
    rill_array_destroy(l->given);
    rill_array_destroy(l->value);
    rill_array_destroy(l->old);
    *l = (rill_closure_level){.count = 0};
}

void rill_closure_destroy(rill_closure *c)
{
    for (int k = 0; k < RILL_NETWORK_LEVELS + 2; k++) level_free(&c->level[k]);
    rill_diffusor_destroy(&c->diffusor);
    rill_array_destroy(c->face);
    rill_array_destroy(c->partial);
    for (int k = 0; k < RILL_CLOSURE_VECTORS; k++) rill_array_destroy(c->own[k]);
    for (int a = 0; a < 3; a++) rill_array_destroy(c->b[a]);
    *c = (rill_closure){.levels = 0};
}

/* List the links of the rows of a coarser level: those between the same two rows are added up. @param order
 * rows of `fine` by parent, begin  first of each parent */
static void links_add(const rill_closure_level *fine, const uint32_t *order, const uint32_t *first,
                      uint32_t *at, rill_closure_level *coarse)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < coarse->count; r++) at[r] = NONE;
    for (uint32_t r = 0; r < coarse->count; r++) {
        coarse->begin[r] = count;
        for (uint32_t m = first[r]; m < first[r + 1]; m++)
            for (uint32_t k = fine->begin[order[m]]; k < fine->begin[order[m] + 1]; k++) {
                const uint32_t to = fine->parent[fine->link[k].to];
                if (to == r) continue;
                if (at[to] == NONE || at[to] < coarse->begin[r]) {
                    coarse->link[count] = (rill_closure_link){to, 0, 0};
                    at[to] = count++;
                }
                coarse->link[at[to]].g += fine->link[k].g;
                coarse->link[at[to]].w += fine->link[k].w;
            }
    }
    coarse->begin[coarse->count] = count;
}

/* Rows of a level are those of the network of chambers, whose flows are of pure diffusion. */
static rill_status level_make(rill_closure *c, const rill_flow_level *rows, rill_closure_level *fine,
                              rill_closure_level *coarse)
{
    rill_status status = RILL_OK;
    uint32_t *first = NULL, *order = NULL, *at = NULL;
    const float scale = rows->first ? 1 : (float)RILL_DIFFUSION_BETWEEN;
    coarse->count = rows->count;
    RILL_TRY(create(c, fine->count, sizeof *fine->parent, &fine->parent));
    if (rows->first)
        for (uint32_t r = 0; r < rows->count; r++)
            for (uint32_t m = rows->first[r]; m < rows->end[r]; m++) fine->parent[m] = r;
    else
        memcpy(fine->parent, c->diffusor.work.coarse, fine->count * sizeof *fine->parent);
    RILL_TRY(rill_array_create_zero(rows->count + 2, sizeof *first, name, (void **)&first));
    RILL_TRY(rill_array_create(fine->count, sizeof *order, name, (void **)&order));
    RILL_TRY(rill_array_create(rows->count, sizeof *at, name, (void **)&at));
    for (uint32_t m = 0; m < fine->count; m++) first[fine->parent[m] + 2]++;
    for (uint32_t r = 0; r < rows->count; r++) first[r + 2] += first[r + 1];
    for (uint32_t m = 0; m < fine->count; m++) order[first[fine->parent[m] + 1]++] = m;
    RILL_TRY(create(c, rows->count + 1, sizeof *coarse->begin, &coarse->begin));
    RILL_TRY(create(c, fine->begin[fine->count] + 1, sizeof *coarse->link, &coarse->link));
    RILL_TRY(create(c, rows->count, sizeof(double), &coarse->given));
    RILL_TRY(create(c, rows->count, sizeof(double), &coarse->value));
    RILL_TRY(create(c, rows->count, sizeof(double), &coarse->old));
    links_add(fine, order, first, at, coarse);
    for (uint32_t k = 0; k < coarse->begin[rows->count]; k++) coarse->link[k].g *= scale;
done:
    rill_array_destroy(first);
    rill_array_destroy(order);
    rill_array_destroy(at);
    return status;
}

rill_status rill_closure_coarsen(rill_closure *c)
{
    rill_status status = RILL_OK;
    for (int k = 1; k < c->levels; k++) level_free(&c->level[k]);
    rill_array_destroy(c->level->parent);
    c->level->parent = NULL;
    c->levels = 1;
    for (int k = 0; k <= c->diffusor.chambers.levels; k++) {
        RILL_TRY(level_make(c, rill_diffusor_level(&c->diffusor, k), &c->level[k], &c->level[k + 1]));
        c->levels = k + 2;
    }
done:
    return status;
}
