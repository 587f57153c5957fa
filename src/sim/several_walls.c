/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What quadratic interpolation at walls needs of other parts. A link from node x reads a population of the
 * link between x + c_i and x + 2 c_i. Where x + c_i lies in another part, the word is brought to where the
 * part of x, which numbers that node, too, would look for it: the slot of a link between nodes that the part
 * does not step.
 */
#include "sim/several.h"

#include "core/memory.h"
#include "kernel/boundary/walls.h"
#include "sim/boundary.h"
#include "sim/wall_flux.h"

#include <stdlib.h>

/* Links whose next node lies in another part, by the one that sends, as they are sent and received. */
typedef struct crossings {
    rill_cut_link *lists[2];
    uint64_t count;
} crossings;

static bool holds(const rill_part *part, rill_node node) { return node >= part->first && node < part->end; }

/* List the links of part p whose next node is in another part and which need a word of part q, which may be
 * p: where the wall is near what x + c_i has sent along i, else what x + 2 c_i has sent along opp(i). Who
 * sends is in the edges of its part, which are stepped before the others.
 * @param out  counted, or filled in */
static void list(const rill_several *s, const rill_boundary *own, const rill_node *numbers, int q, int p,
                 crossings *out)
{
    rill_part *from = &s->parts.part[q];
    uint64_t l = 0;
    out->count = 0;
    for (uint64_t k = 0; k < own->count; k++)
        for (int i = 1; i < rill_q((int)own->domain->lattice); i++) {
            if (!(own->nodes[k].links >> i & 1)) continue;
            const rill_node next = own->next[l];
            const uint32_t used = rill_wall_used(&own->nodes[k], own->domain->lattice, i, own->q[l]);
            const bool near = used < RILL_WALL_HALF;
            const rill_node sender = near ? next : own->after[l], to = numbers[l++];
            if (next == RILL_UPSTREAM_WALL || holds(&s->parts.part[p], next) || !holds(from, sender))
                continue;
            const uint32_t in = (uint32_t)rill_opposite(i), sent = (near ? in : (uint32_t)i) | RILL_CUT_SENT;
            rill_part_edge_add(from, rill_part_number(from, sender));
            if (out->lists[0]) {
                out->lists[0][out->count] = (rill_cut_link){rill_part_number(from, sender), sent};
                out->lists[1][out->count] = (rill_cut_link){to, near ? sent : in};
            }
            out->count++;
        }
}

/* Make room for one more route and its lists. */
static rill_status grow(rill_several *s)
{
    rill_route *routes = realloc(s->routes, ((size_t)s->route_count + 1) * sizeof *routes);
    if (routes) s->routes = routes;
    void **lists = realloc(s->wall_lists, ((size_t)s->wall_list_count + 1) * sizeof *lists);
    if (lists) s->wall_lists = lists;
    return routes && lists ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for links between parts");
}

static rill_status route_add(rill_several *s, int q, int p, const rill_boundary *own,
                             const rill_node *numbers)
{
    rill_status status = RILL_OK;
    crossings c = {.count = 0};
    list(s, own, numbers, q, p, &c);
    if (c.count == 0) return RILL_OK;
    RILL_TRY(grow(s));
    RILL_TRY(rill_array_create(2 * c.count, sizeof **c.lists, "links between parts", (void **)&c.lists[0]));
    s->wall_lists[s->wall_list_count++] = c.lists[0];
    c.lists[1] = c.lists[0] + c.count;
    list(s, own, numbers, q, p, &c);
    RILL_TRY(rill_route_create(s->sims[q], s->sims[p], 0, c.lists[0], c.lists[1], c.count,
                               &s->routes[s->route_count]));
    s->routes[s->route_count].from_part = q, s->routes[s->route_count].to_part = p;
    s->route_count++;
done:
    return status;
}

rill_status rill_several_walls_reach(rill_several *s, int p, const rill_boundary *own, rill_node *numbers)
{
    rill_status status = RILL_OK;
    const rill_part *part = &s->parts.part[p];
    if (s->sponges)
        return rill_fail(
            RILL_USAGE,
            "sponge layers know the edges of parts, which quadratic walls make larger: add boundaries before sponge layers");
    for (uint64_t l = 0; l < own->links; l++) {
        const rill_node next = own->next[l];
        numbers[l] = next == RILL_UPSTREAM_WALL ? next
                     : holds(part, next)        ? rill_part_number(part, next)
                                                : rill_part_number_beside(own->domain, part, next);
    }
    for (int q = 0; q < s->parts.count; q++) RILL_TRY(route_add(s, q, p, own, numbers));
done:
    return status;
}

void rill_several_walls_free(rill_several *s)
{
    for (int k = 0; k < s->wall_list_count; k++) rill_array_destroy(s->wall_lists[k]);
    free(s->wall_lists);
}
