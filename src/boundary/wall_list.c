/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts and packs the links of interpolated walls. */
#include "boundary/wall_list.h"

#include "core/memory.h"
#include "core/status.h"
#include "kernel/walls.h"

#include <math.h>

/* Work on a list. */
typedef struct maker {
    const rill_boundary *b;
    const rill_node *numbers;
    uint64_t *first; /* [count], number of a node's first link */
    rill_wall_list list;
    bool pairs; /* that are being listed, or the others */
} maker;

/* A link as it will be. */
typedef struct packed {
    bool listed, across; /* is in the list; the next node along c_i is solid */
    uint32_t q;
    double value;
} packed;

static packed pack(const maker *m, uint64_t k, int i)
{
    const rill_boundary *b = m->b;
    const rill_boundary_node *node = &b->nodes[k];
    const uint64_t l = m->first[k] + (uint64_t)__builtin_popcount(node->links & ((1u << i) - 1));
    packed p = {.across = rill_boundary_at_wall(b->domain, node->x, rill_opposite(i)),
                .q = (uint32_t)lrint(2.0 * RILL_WALL_HALF * (double)b->q[l]),
                .value = b->values ? b->values[l] : 0};
    if (p.across && p.q < RILL_WALL_HALF) p.q = RILL_WALL_HALF;
    p.listed = p.q != RILL_WALL_HALF || b->values || b->measured;
    return p;
}

static void put(maker *m, uint64_t k, int i, const packed *p)
{
    rill_wall_list *list = &m->list;
    list->cuts[list->count] =
        (rill_wall_cut){m->numbers[k], (uint32_t)i | (uint32_t)p->across << 5 | p->q << 6};
    if (list->values) list->values[list->count] = p->value;
    list->count++;
}

/* List link i of a node if it is one of those that are being listed. */
static void list_link(maker *m, uint64_t k, int i)
{
    const int back = rill_opposite(i);
    if (!(m->b->nodes[k].links >> i & 1)) return;
    const packed p = pack(m, k, i);
    if (!p.listed) return;
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
static void list_all(maker *m, bool pairs)
{
    const rill_boundary *b = m->b;
    m->pairs = pairs;
    for (uint64_t first = 0, end; first < b->count; first = end) {
        for (end = first; end < b->count && m->numbers[end] / RILL_BUNDLE == m->numbers[first] / RILL_BUNDLE;)
            end++;
        for (int i = 1; i < rill_q((int)b->domain->lattice); i++)
            for (uint64_t k = first; k < end; k++) list_link(m, k, i);
    }
}

rill_status rill_wall_list_make(const rill_boundary *b, const rill_node *numbers, rill_wall_list *out)
{
    rill_status status = RILL_OK;
    maker m = {.b = b, .numbers = numbers};
    uint64_t links = 0;
    RILL_TRY(rill_array_create(b->count, sizeof *m.first, "wall links", (void **)&m.first));
    RILL_TRY(rill_array_create(b->links, sizeof *m.list.cuts, "wall links", (void **)&m.list.cuts));
    if (b->values)
        RILL_TRY(rill_array_create(b->links, sizeof *m.list.values, "wall links", (void **)&m.list.values));
    for (uint64_t k = 0; k < b->count; k++) {
        m.first[k] = links;
        links += (uint64_t)__builtin_popcount(b->nodes[k].links);
    }
    list_all(&m, true);
    list_all(&m, false);
    *out = m.list;
    m.list = (rill_wall_list){0};
done:
    rill_array_destroy(m.first);
    rill_wall_list_free(&m.list);
    return status;
}

void rill_wall_list_free(rill_wall_list *list)
{
    rill_array_destroy(list->cuts);
    rill_array_destroy(list->values);
}
