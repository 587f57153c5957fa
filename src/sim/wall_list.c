/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and packs the links with interpolated bounce-back. */
#include "sim/wall_list.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/follow.h"
#include "kernel/boundary/walls.h"
#include "sim/wall_flux.h"

#include <math.h>
#include <string.h>

/* When the links of a node can be interpolated. */
typedef enum when {
    TOGETHER, /* in the next step, or before it */
    LONE,     /* before it */
    LATE      /* some only after links across mirrored boundaries have exchanged what was sent */
} when;

/* Work on a list. */
typedef struct maker {
    const rill_boundary *b;
    const rill_node *numbers, *next;
    uint64_t *first;  /* [count], number of a node's first link */
    uint8_t *whens;   /* [count], a `when` of each node */
    uint32_t *owners; /* of listed links: nodes of the boundary */
    rill_wall_list list;
    bool pairs; /* are being listed, links that see each other, or the others */
    bool late;  /* of these, links that come after mirrored ones, or the others */
} maker;

/* A link as it will be. */
typedef struct packed {
    bool listed, across; /* is in the list; the next node along c_i is solid */
    bool strange;        /* and not of this boundary: an opening may rewrite there what was sent along i */
    bool mirrored;       /* it lies across a mirrored boundary, which kernels know as a wall */
    bool late;           /* and what comes from there is needed */
    uint32_t q;
    rill_node next;
    double value;
} packed;

static packed pack(const maker *m, uint64_t k, int i)
{
    const rill_boundary *b = m->b;
    const rill_boundary_node *node = &b->nodes[k];
    const uint64_t l = m->first[k] + (uint64_t)__builtin_popcount(node->links & ((1u << i) - 1));
    packed p = {.across = rill_boundary_at_wall(node, b->domain->lattice, rill_opposite(i)),
                .q = rill_wall_used(node, b->domain->lattice, i, b->q[l]),
                .next = m->next ? m->next[l] : RILL_UPSTREAM_WALL,
                .value = b->values ? b->values[l] : 0};
    p.mirrored = !p.across &&
                 rill_follow_link(b->domain->geom, b->domain->lattice, node->x, rill_opposite(i)).mirrored;
    p.strange = p.across && !(node->links >> rill_opposite(i) & 1);
    p.listed = p.q != RILL_WALL_HALF || b->values || b->measured;
    p.late = p.listed && p.mirrored && p.q < RILL_WALL_HALF;
    return p;
}

/* One link decides for all of its node, as their gains are summed in one order. */
static when find_when(const maker *m, uint64_t k)
{
    when found = TOGETHER;
    for (int i = 1; i < rill_q((int)m->b->domain->lattice); i++) {
        if (!(m->b->nodes[k].links >> i & 1)) continue;
        const packed p = pack(m, k, i);
        if (p.late) return LATE;
        if (p.listed && p.strange) found = LONE;
    }
    return found;
}

static void put(maker *m, uint64_t k, int i, const packed *p)
{
    rill_wall_list *list = &m->list;
    list->cuts[list->count] =
        (rill_wall_cut){m->numbers[k], (uint32_t)i | (uint32_t)(p->across || p->mirrored) << 5 | p->q << 6};
    if (list->values) list->values[list->count] = p->value;
    if (list->next) list->next[list->count] = p->next;
    m->owners[list->count++] = (uint32_t)k;
}

/* List link i of a node if it is one of those that are being listed. */
static void list_link(maker *m, uint64_t k, int i)
{
    const int back = rill_opposite(i);
    if (!(m->b->nodes[k].links >> i & 1)) return;
    const packed p = pack(m, k, i);
    if (!p.listed || p.late != m->late) return;
    if (p.across && m->b->nodes[k].links >> back & 1) {
        const packed other = pack(m, k, back);
        if (other.listed) {
            if (m->pairs && i < back) put(m, k, i, &p), put(m, k, back, &other);
            return;
        }
    }
    if (!m->pairs) put(m, k, i, &p);
}

/* Go through bundles of nodes, in each of them direction by direction: slots of a direction lie together
 * there. */
static void list_pass(maker *m, when first_when, when last_when, bool pairs)
{
    const rill_boundary *b = m->b;
    m->pairs = pairs;
    for (uint64_t first = 0, end; first < b->count; first = end) {
        for (end = first; end < b->count && m->numbers[end] / RILL_BUNDLE == m->numbers[first] / RILL_BUNDLE;)
            end++;
        for (int i = 1; i < rill_q((int)b->domain->lattice); i++)
            for (uint64_t k = first; k < end; k++)
                if (m->whens[k] >= first_when && m->whens[k] <= last_when) list_link(m, k, i);
    }
}

/* List links of nodes, pairs in front. */
static void list_part(maker *m, when first_when, when last_when)
{
    list_pass(m, first_when, last_when, true);
    list_pass(m, first_when, last_when, false);
}

/* Sort listed links by node and direction. */
static rill_status list_nodes(maker *m)
{
    rill_status status = RILL_OK;
    uint64_t *starts = NULL;
    const rill_boundary *b = m->b;
    rill_wall_list *list = &m->list;
    uint64_t links = 0;
    RILL_TRY(rill_array_create(b->count, sizeof *starts, "wall links", (void **)&starts));
    memset(starts, 0, b->count * sizeof *starts);
    for (uint64_t l = 0; l < list->count; l++) starts[m->owners[l]]++;
    for (int now = TOGETHER; now <= LATE; now++) {
        for (uint64_t k = 0; k < b->count; k++) {
            const uint64_t own = starts[k];
            if (own == 0 || m->whens[k] != now) continue;
            memcpy(list->fluxes[list->node_count], b->fluxes[k], sizeof *list->fluxes);
            list->nodes[list->node_count++] = (rill_wall_node){m->numbers[k], (uint32_t)links};
            starts[k] = links;
            links += own;
        }
        if (now == TOGETHER) list->together_nodes = list->node_count;
        if (now == LONE) list->early_nodes = list->node_count;
    }
    list->nodes[list->node_count].first = (uint32_t)links;
    for (int i = 1; i < rill_q((int)b->domain->lattice); i++)
        for (uint64_t l = 0; l < list->count; l++)
            if (rill_wall_direction(list->cuts[l].cut) == i)
                list->links[starts[m->owners[l]]++] = (uint32_t)l;
done:
    rill_array_destroy(starts);
    return status;
}

/* The weight of a link, in the arithmetic of kernels; see rill_wall_weight(). */
static float weight_of(const packed *p)
{
    const float twice = (float)p->q * (float)(1.0 / RILL_WALL_HALF);
    if (!p->listed) return 0; /* half-way */
    return p->q < RILL_WALL_HALF ? 1 - twice : -((twice - 1) / twice);
}

static bool has_weight(const rill_boundary *b, uint64_t k, int i)
{
    return i <= rill_wall_fluxes((int)b->domain->lattice) ||
           rill_boundary_at_wall(&b->nodes[k], b->domain->lattice, i);
}

/* Count the weights of a list; 0: they are more than can be numbered in 32 bits, and links are rewritten. */
static uint64_t weights_count(const rill_boundary *b)
{
    uint64_t most = 0;
#pragma omp parallel for schedule(static) reduction(+ : most)
    for (uint64_t k = 0; k < b->count; k++)
        for (int i = 1; i < rill_q((int)b->domain->lattice); i++) most += has_weight(b, k, i);
    return most > UINT32_MAX ? 0 : most;
}

/* Weights of the links of listed nodes along axes, and whatever they end at if it is solid: kernels count
 * them so. */
static void weigh(maker *m)
{
    const rill_boundary *b = m->b;
    const int q = rill_q((int)b->domain->lattice);
    rill_wall_list *list = &m->list;
    memset(list->bundles, 0, list->bundle_count * sizeof *list->bundles);
    for (uint64_t k = 0; k < b->count; k++) {
        if (m->whens[k] != TOGETHER) continue;
        rill_wall_bundle *bundle = &list->bundles[m->numbers[k] / RILL_BUNDLE];
        if (!bundle->lanes) bundle->first = (uint32_t)list->weight_count;
        bundle->lanes |= 1u << m->numbers[k] % RILL_BUNDLE;
        for (int i = 1; i < q; i++) {
            if (!has_weight(b, k, i)) continue;
            const packed p = b->nodes[k].links >> i & 1 ? pack(m, k, i) : (packed){0};
            const bool open = !rill_boundary_at_wall(&b->nodes[k], b->domain->lattice, i);
            list->weights[list->weight_count++] = open ? b->fluxes[k][i - 1] : weight_of(&p);
        }
    }
}

void rill_wall_list_take(rill_wall_list *list, const rill_wall_list_size *size, rill_room *room)
{
    RILL_ROOM_ARRAY(room, size->links, list->cuts);
    if (size->values) RILL_ROOM_ARRAY(room, size->links, list->values);
    if (size->next) RILL_ROOM_ARRAY(room, size->links, list->next);
    RILL_ROOM_ARRAY(room, size->nodes + 1, list->nodes);
    RILL_ROOM_ARRAY(room, size->links, list->links);
    RILL_ROOM_ARRAY(room, size->nodes, list->fluxes);
    if (size->weights == 0) return;
    list->bundle_count = size->bundles;
    RILL_ROOM_ARRAY(room, size->bundles, list->bundles);
    RILL_ROOM_ARRAY(room, size->weights, list->weights);
}

rill_status rill_wall_list_make(const rill_boundary *b, const rill_node *numbers, const rill_node *next,
                                uint64_t bundles, rill_room *room, rill_wall_list *out)
{
    rill_status status = RILL_OK;
    const rill_wall_list_size size = {.links = b->links,
                                      .nodes = b->count,
                                      .bundles = bundles,
                                      .weights = bundles ? weights_count(b) : 0,
                                      .values = b->values != NULL,
                                      .next = next != NULL};
    maker m = {.b = b, .numbers = numbers, .next = next};
    uint64_t links = 0;
    RILL_TRY(rill_array_create(b->count, sizeof *m.first, "wall links", (void **)&m.first));
    if (b->links > UINT32_MAX)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%llu links with interpolated bounce-back are more than the %u that can be numbered: choose half-way bounce-back, or larger voxels",
            (unsigned long long)b->links, UINT32_MAX));
    RILL_TRY(rill_array_create(b->count, sizeof *m.whens, "wall links", (void **)&m.whens));
    RILL_TRY(rill_array_create(b->links, sizeof *m.owners, "wall links", (void **)&m.owners));
    rill_wall_list_take(&m.list, &size, room);
    RILL_TRY(room->status);
    for (uint64_t k = 0; k < b->count; k++) {
        m.first[k] = links;
        links += (uint64_t)__builtin_popcount(b->nodes[k].links);
    }
#pragma omp parallel for schedule(static)
    for (uint64_t k = 0; k < b->count; k++) m.whens[k] = (uint8_t)find_when(&m, k);
    list_part(&m, TOGETHER, TOGETHER);
    m.list.together = m.list.count;
    list_part(&m, LONE, LATE);
    m.list.early = m.list.count;
    m.late = true;
    list_part(&m, LATE, LATE);
    RILL_TRY(list_nodes(&m));
    if (size.weights) weigh(&m);
    *out = m.list;
    m.list = (rill_wall_list){0};
done:
    rill_array_destroy(m.first);
    rill_array_destroy(m.whens);
    rill_array_destroy(m.owners);
    rill_wall_list_free(&m.list);
    return status;
}

void rill_wall_list_free(rill_wall_list *list)
{
    rill_array_destroy(list->cuts);
    rill_array_destroy(list->values);
    rill_array_destroy(list->next);
    rill_array_destroy(list->nodes);
    rill_array_destroy(list->links);
    rill_array_destroy(list->fluxes);
    rill_array_destroy(list->bundles);
    rill_array_destroy(list->weights);
}
