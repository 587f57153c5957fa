/* SPDX-License-Identifier: Apache-2.0 */
/* Boundary loops. The boundary of triangles is a cycle whatever their state, so it falls into closed ways. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/repair.h"

#include <stdlib.h>
#include <string.h>

/* An edge to be walked, from one vertex to another. */
typedef struct way {
    uint64_t key;      /* group << 32 | from */
    uint32_t to, gone; /* gone: at the first way of a key, how many of them are used */
    bool plain, used;
} way;

static int by_key(const void *a, const void *b)
{
    const way *l = a, *r = b;
    if (l->key != r->key) return l->key < r->key ? -1 : 1;
    return l->to < r->to ? -1 : l->to > r->to;
}

/* Note the ways of one edge. */
static void collect_edge(const uint32_t *group, const rill_half_edge *edge, uint64_t count, way *ways,
                         uint64_t *found)
{
    int64_t net = 0;
    if (group && count == 2 && edge[0].forward != edge[1].forward &&
        group[edge[0].slot / 3] == group[edge[1].slot / 3])
        return;
    for (uint64_t e = 0; e < count; e++) net += edge[e].forward ? 1 : -1;
    for (uint64_t e = 0; e < count; e++) {
        const uint32_t a = (uint32_t)(edge[e].key >> 32), b = (uint32_t)edge[e].key;
        if (!group && (edge[e].forward ? net <= 0 : net >= 0)) continue; /* cancelled, or walked already */
        if (!group) net += edge[e].forward ? -1 : 1;
        const uint64_t tag = group ? group[edge[e].slot / 3] : 0;
        ways[(*found)++] = (way){
            .key = tag << 32 | (edge[e].forward ? a : b), .to = edge[e].forward ? b : a, .plain = count == 1};
    }
}

static rill_status collect(const rill_mesh *mesh, const uint32_t *group, way **out, uint64_t *found)
{
    rill_status status = RILL_OK;
    rill_half_edge *edges = NULL;
    way *ways = NULL;
    const uint64_t count = 3 * (uint64_t)mesh->triangle_count;
    uint64_t single = 0;
    RILL_TRY(rill_mesh_edges(mesh, &edges));
    for (int pass = 0; pass < 2; pass++) { /* how many at most, then which */
        for (uint64_t e = 0, end; e < count; e = end) {
            for (end = e + 1; end < count && edges[end].key == edges[e].key;) end++;
            if (pass == 0)
                single += end - e == 2 && edges[e].forward != edges[e + 1].forward && !group ? 0 : end - e;
            else
                collect_edge(group, edges + e, end - e, ways, found);
        }
        if (pass == 0)
            RILL_TRY(
                rill_array_create(single + 1, sizeof *ways, "the boundary of the surface", (void **)&ways));
    }
    qsort(ways, *found, sizeof *ways, by_key);
    *out = ways;
    ways = NULL;
done:
    rill_array_destroy(edges);
    rill_array_destroy(ways);
    return status;
}

/* Return the first unused way with this key, or `count`. */
static uint64_t leave(way *ways, uint64_t count, uint64_t key)
{
    uint64_t low = 0, high = count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (ways[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count || ways[low].key != key) return count;
    const uint64_t first = low;
    low += ways[first].gone;
    while (low < count && ways[low].key == key && ways[low].used) low++;
    ways[first].gone = (uint32_t)(low - first);
    return low < count && ways[low].key == key ? low : count;
}

/* The walk so far: a path that meets no vertex twice. */
typedef struct walk {
    uint64_t *path; /* ways */
    uint32_t *seen; /* [vertex_count], position in the path + 1 of the way that leaves it */
    uint64_t length;
} walk;

static void close_loop(const way *ways, walk *w, uint64_t begin, rill_loops *out)
{
    uint32_t plain = 0, at = out->first[out->count];
    for (uint64_t k = begin; k < w->length; k++) {
        const uint32_t vertex = (uint32_t)ways[w->path[k]].key;
        out->vertices[at++] = vertex;
        plain += ways[w->path[k]].plain;
        w->seen[vertex] = 0;
    }
    out->group[out->count] = (uint32_t)(ways[w->path[begin]].key >> 32);
    out->plain[out->count++] = (float)plain / (float)(w->length - begin);
    out->first[out->count] = at;
    w->length = begin;
}

static void walk_all(way *ways, uint64_t count, walk *w, rill_loops *out)
{
    for (uint64_t start = 0; start < count; start++) {
        if (ways[start].used) continue;
        uint64_t here = start;
        while (here < count) {
            const uint32_t from = (uint32_t)ways[here].key, to = ways[here].to;
            ways[here].used = true;
            w->path[w->length++] = here;
            w->seen[from] = (uint32_t)w->length;
            if (w->seen[to]) close_loop(ways, w, w->seen[to] - 1, out);
            here = w->length == 0 && (uint32_t)ways[start].key == to
                       ? count
                       : leave(ways, count, (ways[here].key >> 32) << 32 | to);
        }
        for (uint64_t k = 0; k < w->length; k++) w->seen[(uint32_t)ways[w->path[k]].key] = 0;
        w->length = 0; /* nothing is left here: as many ways lead to a vertex as from it */
    }
}

rill_status rill_loops_find(const rill_mesh *mesh, const uint32_t *group, rill_loops *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "the boundary of the surface";
    way *ways = NULL;
    uint64_t count = 0;
    walk w = {0};
    *out = (rill_loops){0};
    RILL_TRY(collect(mesh, group, &ways, &count));
    RILL_TRY(rill_array_create(count + 1, sizeof *w.path, what, (void **)&w.path));
    RILL_TRY(rill_array_create_zero(mesh->vertex_count + 1, sizeof *w.seen, what, (void **)&w.seen));
    RILL_TRY(rill_array_create_zero(count + 2, sizeof *out->first, what, (void **)&out->first));
    RILL_TRY(rill_array_create(count + 1, sizeof *out->vertices, what, (void **)&out->vertices));
    RILL_TRY(rill_array_create(count + 1, sizeof *out->group, what, (void **)&out->group));
    RILL_TRY(rill_array_create(count + 1, sizeof *out->plain, what, (void **)&out->plain));
    walk_all(ways, count, &w, out);
done:
    rill_array_destroy(ways);
    rill_array_destroy(w.path);
    rill_array_destroy(w.seen);
    if (status != RILL_OK) rill_loops_destroy(out);
    return status;
}

void rill_loops_destroy(rill_loops *loops)
{
    rill_array_destroy(loops->first);
    rill_array_destroy(loops->vertices);
    rill_array_destroy(loops->group);
    rill_array_destroy(loops->plain);
    *loops = (rill_loops){0};
}
