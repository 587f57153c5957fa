/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a domain into parts and lists the links between them. */
#include "domain/parts.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "domain/layers.h"
#include "geometry/voxels/planes.h"
#include "kernel/lattice.h"

#include <stdlib.h>
#include <string.h>

int rill_parts_of(const rill_parts *parts, rill_global_node node)
{
    int low = 0, high = parts->count - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (node < parts->part[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

rill_node rill_part_number(const rill_part *part, rill_global_node node)
{
    return (rill_node)(node - part->first) + part->domain->first;
}

/* The planes that a part numbers. */
typedef struct planes {
    uint32_t first, count; /* those with nodes of the part, in the whole */
    uint32_t padding;      /* planes in front, with isolated cells */
    uint32_t cells;        /* so many: the part's own nodes begin with a whole block */
    rill_node before;      /* local number of its first node */
} planes;

/* Return the nodes of the plane below, of above: 0 behind a side that is not periodic. */
static uint64_t plane_nodes(const rill_domain *whole, int64_t plane)
{
    const uint32_t nz = whole->geom->n[2];
    if ((plane < 0 || plane >= nz) && whole->geom->sides[2] != RILL_PERIODIC) return 0;
    const uint32_t z = (uint32_t)((plane + nz) % nz);
    return rill_numbering_before_plane(&whole->numbering, z + 1) -
           rill_numbering_before_plane(&whole->numbering, z);
}

static planes planes_of(const rill_domain *whole, rill_global_node first, rill_global_node end)
{
    planes p = {.first = rill_ranges_plane(whole, first)};
    p.count = rill_ranges_plane(whole, end - 1) - p.first + 1;
    const uint64_t before = plane_nodes(whole, (int64_t)p.first - 1) + first -
                            rill_numbering_before_plane(&whole->numbering, p.first);
    const uint64_t plane = (uint64_t)whole->geom->n[0] * whole->geom->n[1];
    p.cells = (uint32_t)((RILL_SEGMENT_BLOCK - before % RILL_SEGMENT_BLOCK) % RILL_SEGMENT_BLOCK);
    p.padding = (uint32_t)((p.cells + plane - 1) / plane);
    p.before = (rill_node)(before + p.cells);
    return p;
}

/* Make a geometry of the planes of a part, and one before and behind: its size alone. */
static rill_status geom_create(const rill_geom *whole, const planes *p, rill_geom **out)
{
    const uint32_t n[3] = {whole->n[0], whole->n[1], p->padding + p->count + 2};
    const rill_status status = rill_geom_create_empty(n, out);
    for (int a = 0; a < 2 && status == RILL_OK; a++) (*out)->sides[a] = whole->sides[a];
    return status;
}

/* Number the nodes of these planes, behind the isolated cells. */
static rill_status number(const rill_domain *whole, const planes *p, rill_numbering *out)
{
    rill_status status = RILL_OK;
    const uint32_t *n = whole->numbering.n, nx = whole->geom->n[0], ny = whole->geom->n[1];
    rill_numbering numbering = {.occupied = NULL};
    RILL_TRY(rill_numbering_begin((const uint32_t[3]){n[0], n[1], p->padding + p->count + 2}, &numbering));
    const size_t plane = numbering.row_words * n[1];
    for (uint32_t row = 0, left = p->cells; left > 0; row++) {
        const uint32_t cells = left < nx ? left : nx;
        uint64_t *words = numbering.occupied + row / ny * plane + row % ny * numbering.row_words;
        for (uint32_t x = 0; x < cells; x++) words[x / 64] |= (uint64_t)1 << x % 64;
        left -= cells;
    }
    RILL_TRY(rill_layers_copy(whole, (int64_t)p->first - 1, p->count + 2,
                              numbering.occupied + p->padding * plane));
    rill_numbering_finish(&numbering);
    RILL_TRY(rill_numbering_check(&numbering));
    RILL_TRY(rill_numbering_check_32(numbering.nodes, "one device"));
    *out = numbering;
    numbering = (rill_numbering){.occupied = NULL};
done:
    rill_numbering_destroy(&numbering);
    return status;
}

/* What lists of links are made of: a crossing with its key. */
typedef struct entry {
    uint32_t peer, direction;
    uint32_t key; /* the direction; PAIR for a pair across mirrored boundaries */
    rill_node local;
    rill_global_node number; /* of the receiving node in the whole, or of a pair */
} entry; /* of a node whose rows cross: its numbers, key 0, and for `direction` the node beside it that
            receives */

enum { PAIR = RILL_Q_MAX, KINDS /* keys */ };

typedef struct entries {
    entry *all;
    uint64_t count, capacity;
} entries;

static rill_status add(entries *list, entry e)
{
    const rill_status status = RILL_LIST_GROW(list->all, list->count, list->capacity, "links between parts");
    if (status == RILL_OK) list->all[list->count++] = e;
    return status;
}

static int ascending(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    if (x->peer != y->peer) return x->peer < y->peer ? -1 : 1;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Put entries of one kind after the other, by part and key; they keep their order otherwise.
 * @param[out] ends  [parts * KINDS], of each kind in `to` */
static void kinds_gather(const entries *list, int parts, entry *to, uint64_t *ends)
{
    uint64_t before = 0;
    memset(ends, 0, (size_t)parts * KINDS * sizeof *ends);
    for (uint64_t k = 0; k < list->count; k++) ends[list->all[k].peer * KINDS + list->all[k].key]++;
    for (size_t kind = 0; kind < (size_t)parts * KINDS; kind++) {
        const uint64_t count = ends[kind];
        ends[kind] = before; /* where the kind begins */
        before += count;
    }
    for (uint64_t k = 0; k < list->count; k++)
        to[ends[list->all[k].peer * KINDS + list->all[k].key]++] = list->all[k];
}

/* Sort entries by part, key and number. They were found in the order of their numbers but where a box is
 * periodic or a cut goes through a plane, so that few kinds are left to sort. */
static rill_status entries_sort(entries *list, int parts)
{
    rill_status status = RILL_OK;
    const size_t kinds = (size_t)parts * KINDS;
    uint64_t *ends = NULL, first = 0;
    entry *to = NULL;
    RILL_TRY(rill_array_create(kinds, sizeof *ends, "links between parts", (void **)&ends));
    to = malloc((list->count + 1) * sizeof *to);
    if (!to) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the links between parts"));
    kinds_gather(list, parts, to, ends);
    for (size_t kind = 0; kind < kinds; first = ends[kind++])
        for (uint64_t k = first + 1; k < ends[kind]; k++)
            if (to[k].number < to[k - 1].number) {
                qsort(to + first, ends[kind] - first, sizeof *to, ascending);
                break;
            }
    free(list->all);
    list->all = to;
    list->capacity = list->count + 1;
    to = NULL;
done:
    free(to);
    rill_array_destroy(ends);
    return status;
}

/* Keep one entry of those of a node, which has several links. */
static void nodes_unite(entries *list)
{
    uint64_t kept = 0;
    for (uint64_t k = 0; k < list->count; k++)
        if (k == 0 || list->all[k].peer != list->all[k - 1].peer ||
            list->all[k].number != list->all[k - 1].number)
            list->all[kept++] = list->all[k];
    list->count = kept;
}

static rill_status crossings_of(entries *list, const rill_parts *parts, rill_cut_links *out)
{
    rill_status status = RILL_OK;
    const uint32_t rows = parts->stored ? RILL_PART_ROWS : 1;
    RILL_TRY(rill_array_create_zero((uint64_t)parts->count + 1, sizeof *out->first, "links between parts",
                                    (void **)&out->first));
    RILL_TRY(entries_sort(list, parts->count));
    if (parts->stored) nodes_unite(list);
    RILL_TRY(rill_array_create(rows * list->count + 1, sizeof *out->links, "links between parts",
                               (void **)&out->links));
    for (uint64_t k = 0; k < list->count; k++) {
        const entry e = list->all[k];
        for (uint32_t r = 0; r < rows; r++)
            out->links[rows * k + r] = (rill_cut_link){e.local, parts->stored ? r : e.direction};
        out->first[e.peer + 1] += rows;
    }
    for (int q = 0; q < parts->count; q++) out->first[q + 1] += out->first[q];
    out->count = rows * list->count;
done:
    return status;
}

/* Rows that are worth a thread. */
enum { ROWS = 64 };

/* A part that is being made. */
typedef struct making {
    const rill_domain *whole;
    rill_parts *parts;
    int number;
    planes planes;
    entries sends, receives;
} making;

static bool own(const rill_part *part, rill_node local)
{
    return local >= part->domain->first && local < rill_domain_end(part->domain);
}

/* Return the number in the whole of the node at a cell of a part that is not in front. */
static rill_global_node number_of(const making *m, const uint32_t x[3])
{
    const uint32_t nz = m->whole->geom->n[2];
    const rill_numbering *numbering = &m->parts->part[m->number].domain->numbering;
    return rill_numbering_rank(numbering, x[0], x[1], x[2]) - rill_numbering_before_plane(numbering, x[2]) +
           rill_numbering_before_plane(&m->whole->numbering,
                                       (x[2] - m->planes.padding + m->planes.first + nz - 1) % nz);
}

/* Links that cross a cut. */
typedef struct crossings {
    entries sends, receives;
} crossings;

/* Whose nodes a row has. */
enum { ROW_EMPTY = 0, ROW_OWN = 1, ROW_OTHERS = 2, ROW_BOTH = 3 };

static int row_of(const making *m, uint32_t y, uint32_t z)
{
    const rill_domain *domain = m->parts->part[m->number].domain;
    const rill_numbering *numbering = &domain->numbering;
    const uint32_t last = numbering->n[0] - 1;
    const uint64_t end = rill_domain_end(domain), low = rill_numbering_rank(numbering, 0, y, z),
                   high =
                       rill_numbering_rank(numbering, last, y, z) + rill_numbering_has(numbering, last, y, z);
    const bool has_own = low < end && high > domain->first && low < high,
               has_others = low < high && (low < domain->first || high > end);
    return (has_own ? ROW_OWN : ROW_EMPTY) | (has_others ? ROW_OTHERS : ROW_EMPTY);
}

static uint32_t upstream(const making *m, const uint32_t x[3], int i, int axis)
{
    const rill_numbering *numbering = &m->parts->part[m->number].domain->numbering;
    return (uint32_t)((int64_t)x[axis] + numbering->n[axis] - rill_c(m->whole->lattice, i, axis)) %
           numbering->n[axis];
}

/* List the links of a node along some directions that come from another part, or go to one. */
static rill_status node_list(const making *m, const uint32_t x[3], const int *directions, int count,
                             crossings *out)
{
    rill_status status = RILL_OK;
    const rill_part *part = &m->parts->part[m->number];
    const rill_numbering *numbering = &part->domain->numbering;
    const rill_node node = (rill_node)rill_numbering_node(numbering, x[0], x[1], x[2]);
    if (node == RILL_UPSTREAM_WALL) return RILL_OK;
    for (int k = 0; k < count; k++) {
        const int i = directions[k];
        uint32_t from[3];
        for (int a = 0; a < 3; a++) from[a] = upstream(m, x, i, a);
        const rill_node other = (rill_node)rill_numbering_node(numbering, from[0], from[1], from[2]);
        if (other == RILL_UPSTREAM_WALL || own(part, node) == own(part, other)) continue;
        const bool receives = own(part, node);
        const rill_global_node number = number_of(m, x), before = number_of(m, from);
        const uint32_t peer = (uint32_t)rill_parts_of(m->parts, receives ? before : number);
        RILL_TRY(add(receives ? &out->receives : &out->sends,
                     m->parts->stored ? (entry){peer, node, 0, other, before}
                                      : (entry){peer, (uint32_t)i, (uint32_t)i, node, number}));
    }
done:
    return status;
}

/* List the links of a row: along the directions in which rows have nodes of both sides of a cut. */
static rill_status row_list(const making *m, uint32_t y, uint32_t z, crossings *out)
{
    rill_status status = RILL_OK;
    int directions[RILL_Q_MAX], count = 0;
    const int here = row_of(m, y, z);
    for (int i = 1; i < rill_q(m->whole->lattice) && here != ROW_EMPTY; i++) {
        const uint32_t x[3] = {0, y, z};
        if ((here | row_of(m, upstream(m, x, i, 1), upstream(m, x, i, 2))) == ROW_BOTH)
            directions[count++] = i;
    }
    for (uint32_t x = 0; x < m->parts->part[m->number].domain->numbering.n[0] && count > 0; x++)
        RILL_TRY(node_list(m, (const uint32_t[3]){x, y, z}, directions, count, out));
done:
    return status;
}

static rill_status append(const entries *some, entries *to)
{
    if (some->count == 0) return RILL_OK;
    entry *all = realloc(to->all, (to->count + some->count) * sizeof *all);
    if (!all) return rill_fail(RILL_SYSTEM, "out of memory for the links between parts");
    memcpy(all + to->count, some->all, some->count * sizeof *all);
    to->all = all;
    to->count += some->count;
    to->capacity = to->count;
    return RILL_OK;
}

/* List all links: of nodes in planes that lie beside another part's nodes. Each thread lists a range of rows,
 * so that the order is that of one thread. */
static rill_status links_list(making *m)
{
    rill_status status = RILL_OK;
    const uint32_t first = m->planes.padding, count = m->planes.count + 2, looked = count > 6 ? 6 : count,
                   ny = m->parts->part[m->number].domain->numbering.n[1];
    const int threads = rill_threads_fit((uint64_t)looked * ny, ROWS);
    bool lacks = false;
    crossings *found = calloc((size_t)threads, sizeof *found);
    if (!found) return rill_fail(RILL_SYSTEM, "out of memory for the links between parts");
#pragma omp parallel for schedule(static) num_threads(threads) reduction(|| : lacks)
    for (int t = 0; t < threads; t++) {
        const uint64_t rows = (uint64_t)looked * ny, end = rows * (uint64_t)(t + 1) / (uint64_t)threads;
        for (uint64_t row = rows * (uint64_t)t / (uint64_t)threads; row < end && !lacks; row++) {
            const uint32_t k = (uint32_t)(row / ny), z = first + (k < 3 ? k : count - looked + k);
            lacks = row_list(m, (uint32_t)(row % ny), z, &found[t]) != RILL_OK;
        }
    }
    if (lacks) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the links between parts"));
    for (int t = 0; t < threads; t++) {
        RILL_TRY(append(&found[t].sends, &m->sends));
        RILL_TRY(append(&found[t].receives, &m->receives));
    }
done:
    for (int t = 0; t < threads; t++) {
        free(found[t].sends.all);
        free(found[t].receives.all);
    }
    free(found);
    return status;
}

rill_node rill_part_number_beside(const rill_domain *whole, const rill_part *part, rill_global_node node)
{
    const planes p = planes_of(whole, part->first, part->end);
    const uint32_t nz = whole->geom->n[2], z = rill_ranges_plane(whole, node),
                   at = p.padding + (z + nz + 1 - p.first) % nz;
    return (rill_node)(node - rill_numbering_before_plane(&whole->numbering, z) +
                       rill_numbering_before_plane(&part->domain->numbering, at));
}

/* Let a link across a mirrored boundary read node 1, of another part, where rows of nodes cross. */
static rill_status swap_stored(making *m, uint32_t peer, rill_swap s)
{
    rill_status status = RILL_OK;
    rill_part *part = &m->parts->part[m->number];
    const rill_node own = rill_part_number(part, s.node[0]),
                    other = rill_part_number_beside(m->whole, part, s.node[1]);
    RILL_TRY(add(&m->sends, (entry){peer, other, 0, own, s.node[0]}));
    RILL_TRY(add(&m->receives, (entry){peer, own, 0, other, s.node[1]}));
    part->domain->swaps[part->domain->swap_count++] =
        (rill_swap){{own, other}, {s.direction[0], s.direction[1]}, s.sign};
done:
    return status;
}

/* Hand out the links across mirrored boundaries: to the part that has both, or as crossings to two. */
static rill_status swaps_list(making *m)
{
    rill_status status = RILL_OK;
    const rill_domain *whole = m->whole;
    rill_part *part = &m->parts->part[m->number];
    RILL_TRY(rill_array_create(whole->swap_count + 1, sizeof(rill_swap), "links across mirrored boundaries",
                               (void **)&part->domain->swaps));
    RILL_TRY(rill_array_create(whole->swap_count + 1, sizeof(rill_swap), "links across mirrored boundaries",
                               (void **)&part->turns));
    for (size_t k = 0; k < whole->swap_count; k++) {
        rill_swap s = whole->swaps[k];
        const int at[2] = {rill_parts_of(m->parts, s.node[0]), rill_parts_of(m->parts, s.node[1])};
        if (at[0] != m->number && at[1] != m->number) continue;
        if (at[0] == at[1]) {
            for (int e = 0; e < 2; e++) s.node[e] = rill_part_number(part, s.node[e]);
            part->domain->swaps[part->domain->swap_count++] = s;
            continue;
        }
        const int e = at[0] == m->number ? 0 : 1;
        if (m->parts->stored) {
            RILL_TRY(swap_stored(
                m, (uint32_t)at[1 - e],
                (rill_swap){{s.node[e], s.node[1 - e]}, {s.direction[e], s.direction[1 - e]}, s.sign}));
            continue;
        }
        const rill_node local = rill_part_number(part, s.node[e]);
        const entry one = {(uint32_t)at[1 - e], s.direction[e], PAIR, local, k};
        RILL_TRY(add(&m->sends, one));
        RILL_TRY(add(&m->receives, one));
        if (s.sign < 0)
            part->turns[part->turn_count++] =
                (rill_swap){{local, local}, {s.direction[e], s.direction[e]}, s.sign};
    }
done:
    return status;
}

/* Set the edges of a part to blocks. */
static void edges_round(rill_part *part, uint64_t low, uint64_t high)
{
    const uint64_t end = rill_domain_end(part->domain);
    low = (low + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_BLOCK;
    high = high == end ? end : high / RILL_SEGMENT_BLOCK * RILL_SEGMENT_BLOCK;
    if (low >= high) low = high = end;
    part->low = (rill_node)low, part->high = (rill_node)high;
}

void rill_part_edge_add(rill_part *part, rill_node node)
{
    const rill_node middle = part->domain->first + (rill_node)(part->domain->nodes / 2);
    if (node < part->low || node >= part->high) return;
    edges_round(part, node < middle ? (uint64_t)node + 1 : part->low, node < middle ? part->high : node);
}

/* Find the nodes between that have no links with other parts. A few more do no harm. */
static void edges_set(rill_part *part, const entries *receives, bool stored)
{
    const rill_node first = part->domain->first;
    edges_round(part, first, rill_domain_end(part->domain));
    for (uint64_t k = 0; k < receives->count; k++)
        rill_part_edge_add(part, stored ? receives->all[k].direction : receives->all[k].local);
}

static rill_status part_create(making *m)
{
    rill_status status = RILL_OK;
    rill_part *part = &m->parts->part[m->number];
    rill_numbering numbering = {.occupied = NULL};
    m->planes = planes_of(m->whole, part->first, part->end);
    RILL_TRY(geom_create(m->whole->geom, &m->planes, &part->geom));
    const rill_domain_options options = {.lattice = m->whole->lattice, .flow_axis = m->whole->flow_axis};
    RILL_TRY(number(m->whole, &m->planes, &numbering));
    RILL_TRY(rill_domain_create_unpaired(part->geom, &options, &numbering, &part->domain));
    part->domain->borrowed = false;
    numbering = (rill_numbering){.occupied = NULL}; /* the domain's */
    part->domain->first = m->planes.before;
    part->domain->nodes = part->end - part->first;
    RILL_TRY(links_list(m));
    RILL_TRY(swaps_list(m));
    edges_set(part, &m->receives, m->parts->stored);
    RILL_TRY(crossings_of(&m->sends, m->parts, &part->sends));
    RILL_TRY(crossings_of(&m->receives, m->parts, &part->receives));
done:
    rill_numbering_destroy(&numbering);
    free(m->sends.all);
    free(m->receives.all);
    return status;
}

uint64_t rill_parts_cut(const rill_domain *whole, const rill_ranges *ranges, int number)
{
    const rill_range *r = &ranges->range[number];
    const uint64_t own = r->end - r->first, first = plane_nodes(whole, rill_ranges_plane(whole, r->first)),
                   last = plane_nodes(whole, rill_ranges_plane(whole, r->end - 1));
    return (first < own ? first : own) + (last < own ? last : own);
}

rill_part_size rill_part_measure(const rill_domain *whole, const rill_ranges *ranges, int number)
{
    const rill_range *r = &ranges->range[number];
    const uint64_t links = whole->lattice == RILL_D3Q27 ? 9 : 5; /* of a node, through a plane */
    if (ranges->count == 1) return (rill_part_size){0, 1, 1};
    const planes at = planes_of(whole, r->first, r->end);
    uint64_t numbered = at.cells;
    for (uint32_t k = 0; k < at.count + 2; k++) numbered += plane_nodes(whole, (int64_t)at.first + k - 1);
    return (rill_part_size){links * rill_parts_cut(whole, ranges, number),
                            (double)numbered / (double)whole->nodes,
                            (double)(at.padding + at.count + 2) / whole->geom->n[2]};
}

rill_status rill_parts_create(const rill_ranges *ranges, rill_parts *out)
{
    rill_parts parts = {.count = ranges->count};
    parts.part = calloc((size_t)parts.count, sizeof *parts.part);
    if (!parts.part) return rill_fail(RILL_SYSTEM, "out of memory for the parts of a domain");
    for (int p = 0; p < parts.count; p++)
        parts.part[p].first = ranges->range[p].first, parts.part[p].end = ranges->range[p].end;
    *out = parts;
    return RILL_OK;
}

rill_status rill_parts_make(const rill_domain *whole, int number, rill_parts *parts)
{
    return part_create(&(making){.whole = whole, .parts = parts, .number = number});
}

void rill_part_release(rill_part *part) { rill_numbering_release(&part->domain->numbering); }

static void crossings_free(rill_cut_links *c)
{
    rill_array_destroy(c->links);
    rill_array_destroy(c->first);
}

void rill_parts_destroy(rill_parts *parts)
{
    for (int p = 0; p < parts->count; p++) {
        rill_part *part = &parts->part[p];
        rill_domain_destroy(part->domain);
        rill_geom_destroy(part->geom);
        crossings_free(&part->sends);
        crossings_free(&part->receives);
        rill_array_destroy(part->turns);
    }
    free(parts->part);
    *parts = (rill_parts){.count = 0};
}
