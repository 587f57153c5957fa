/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Regions are followed by the nodes that come and go: one that comes belongs to the region beside it, and one
 * that goes leaves a region whole whose nodes around it are connected without it. Where that does not hold,
 * all regions are found anew, and gas goes where the volume has gone. One thread does all this in the order
 * of nodes.
 */
#include "free_surface/bubbles.h"

#include "core/memory.h"
#include "free_surface/faces.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const name = "bubbles";

/* A pressure of the atmosphere above which gas is stiffer than the liquid. */
#define STIFF (1.0 / 3)

/* What a new region has of a former one. */
typedef struct share {
    uint64_t to, from;
    double volume;
} share;

/* Regions that are being found. */
typedef struct search {
    rill_bubble *found; /* [count] */
    share *shares;      /* [share_count], those of a region together */
    uint64_t count, room, share_count, share_room;
    double *volume;        /* [former], of the region that is being found */
    uint8_t *seen;         /* [former], whether it is among its shares */
    rill_node_list *stack; /* of the bubbles */
} search;

static rill_status grow(void **array, uint64_t count, uint64_t *room, size_t size)
{
    if (count < *room) return RILL_OK;
    const uint64_t more = 2 * *room + 64;
    void *larger = realloc(*array, more * size);
    if (!larger) return rill_fail(RILL_SYSTEM, "out of memory for %lu bubbles", (unsigned long)more);
    *array = larger;
    *room = more;
    return RILL_OK;
}

static bool is_open(const rill_free_surface *s, rill_node node)
{
    return rill_faces_at(s, &s->bubbles->face, node) || rill_faces_at(s, &s->outflow, node);
}

/* Add a node to the region that is being found, as one whose neighbours are looked at. */
static rill_status add(const rill_free_surface *s, search *f, uint64_t mark, rill_node node)
{
    rill_bubbles *b = s->bubbles;
    rill_bubble *region = &f->found[f->count - 1];
    const double volume = 1 - (double)s->fill[node];
    const rill_node former = b->of[node];
    b->of[node] = (rill_node)mark;
    region->volume += volume;
    region->gas += s->state[node] == RILL_GAS;
    region->open += is_open(s, node);
    if (former) {
        if (!f->seen[former - 1]) {
            const rill_status status =
                grow((void **)&f->shares, f->share_count, &f->share_room, sizeof *f->shares);
            if (status != RILL_OK) return status;
            f->shares[f->share_count++] = (share){f->count - 1, former - 1, 0};
            f->seen[former - 1] = 1;
            f->volume[former - 1] = 0;
        }
        f->volume[former - 1] += volume;
    }
    return rill_node_list_add(f->stack, node);
}

/* Find the region that a node belongs to. */
static rill_status region_find(const rill_free_surface *s, search *f, rill_node first)
{
    rill_status status = RILL_OK;
    rill_bubbles *b = s->bubbles;
    const uint64_t shares = f->share_count;
    RILL_TRY(grow((void **)&f->found, f->count, &f->room, sizeof *f->found));
    f->found[f->count++] = (rill_bubble){.pressure = b->atmosphere};
    const uint64_t mark = b->count + f->count;
    f->stack->count = 0;
    RILL_TRY(add(s, f, mark, first));
    while (f->stack->count) {
        rill_node around[RILL_AROUND];
        rill_free_surface_around(s, f->stack->node[--f->stack->count], around);
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
            if (other == RILL_UPSTREAM_WALL || s->state[other] == RILL_LIQUID || b->of[other] > b->count)
                continue;
            RILL_TRY(add(s, f, mark, other));
        }
    }
    for (uint64_t k = shares; k < f->share_count; k++) {
        f->shares[k].volume = f->volume[f->shares[k].from];
        f->seen[f->shares[k].from] = 0;
    }
done:
    return status;
}

/* Hand gas on to the regions that have the volume now. */
static rill_status share_gas(rill_bubbles *b, search *f)
{
    double *volume = calloc(2 * b->count + 1, sizeof *volume), *given = volume + b->count;
    if (!volume) return rill_fail(RILL_SYSTEM, "out of memory for bubbles");
    for (uint64_t k = 0; k < f->share_count; k++) volume[f->shares[k].from] += f->shares[k].volume;
    for (uint64_t k = 0; k < f->share_count;) {
        const uint64_t to = f->shares[k].to;
        rill_bubble *region = &f->found[to];
        double weights = 0, pressures = 0, before = 0;
        for (; k < f->share_count && f->shares[k].to == to; k++) {
            const share *h = &f->shares[k];
            const rill_bubble *former = &b->all[h->from];
            const double part = h->volume > 0 ? h->volume / volume[h->from] : 0,
                         taken = former->open ? b->atmosphere * h->volume : part * former->content;
            weights += h->volume;
            pressures += h->volume * former->pressure;
            given[h->from] += part;
            if (!region->open) region->content += taken;
            before += former->open ? h->volume : part * former->volume;
            if (former->open && !region->open) b->gas.entered += taken;
            if (!former->open && region->open) b->gas.left += taken;
        }
        if (weights > 0) region->pressure = pressures / weights;
        region->volume = before; /* for its rate */
    }
    for (uint64_t k = 0; k < b->count; k++)
        if (!(given[k] > 0)) b->gas.lost += b->all[k].content;
    free(volume);
    return RILL_OK;
}

/* Take mass that was left over off the volume of the regions whose interface nodes have got it, as their fill
 * levels have it after the next step alone: a node without gas beside it fills up from any level. @param all
 * regions, whose numbers begin behind `before` */
static void take_excess(const rill_free_surface *s, rill_bubble *all, uint64_t before)
{
    for (uint64_t k = 0; k < s->excess_count; k++) {
        rill_node around[RILL_AROUND];
        int takers = 0;
        rill_free_surface_around(s, s->excess[k].node, around);
        for (int pass = 0; pass < 2; pass++)
            for (int i = 1; i < rill_q((int)s->lattice); i++) {
                const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
                if (other == RILL_UPSTREAM_WALL || s->state[other] != RILL_INTERFACE) continue;
                if (pass == 0)
                    takers++;
                else
                    all[s->bubbles->of[other] - before - 1].volume -= s->excess[k].mass / takers;
            }
    }
}

/* Let shares be of the volumes with that mass. */
static void shares_correct(const rill_free_surface *s, search *f)
{
    for (uint64_t k = 0; k < f->count; k++) f->found[k].rate = f->found[k].volume;
    take_excess(s, f->found, s->bubbles->count);
    for (uint64_t k = 0; k < f->share_count; k++) {
        const rill_bubble *region = &f->found[f->shares[k].to];
        if (region->rate > 0) f->shares[k].volume *= fmax(region->volume / region->rate, 0.01);
    }
}

/* Find all regions. */
static rill_status find(const rill_free_surface *s)
{
    rill_status status = RILL_OK;
    rill_bubbles *b = s->bubbles;
    search f = {.stack = &b->stack};
    RILL_TRY(rill_array_create(b->count + 1, sizeof *f.volume, name, (void **)&f.volume));
    RILL_TRY(rill_array_create_zero(b->count + 1, sizeof *f.seen, name, (void **)&f.seen));
    for (rill_node n = 0; n < s->nodes; n++) {
        if (s->state[n] == RILL_LIQUID)
            b->of[n] = 0;
        else if (b->of[n] <= b->count)
            RILL_TRY(region_find(s, &f, n));
    }
    shares_correct(s, &f);
    RILL_TRY(share_gas(b, &f));
    for (rill_node n = 0; n < s->nodes; n++)
        if (b->of[n]) b->of[n] -= (rill_node)b->count;
    rill_bubble *former = b->all;
    b->all = f.found;
    b->count = f.count;
    b->room = f.room;
    f.found = former;
    b->gas.searches++;
done:
    rill_array_destroy(f.volume);
    rill_array_destroy(f.seen);
    free(f.found);
    free(f.shares);
    return status;
}

/* Return whether the nodes of regions around one are connected without it, along links between them. */
static bool whole_without(const rill_free_surface *s, const rill_node *around)
{
    const rill_bubbles *b = s->bubbles;
    int open[RILL_AROUND], count = 0, left = 0, first = -1;
    bool waits[RILL_AROUND] = {false};
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const int k = rill_free_surface_upstream(s->lattice, i);
        waits[k] = around[k] != RILL_UPSTREAM_WALL && b->of[around[k]];
        left += waits[k];
        if (waits[k]) first = k;
    }
    if (first < 0) return false;
    open[count++] = first;
    waits[first] = false;
    while (count) {
        const int k = open[--count], x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        left--;
        for (int i = 1; i < rill_q((int)s->lattice); i++) {
            const int y[3] = {x[0] + rill_c((int)s->lattice, i, 0), x[1] + rill_c((int)s->lattice, i, 1),
                              x[2] + rill_c((int)s->lattice, i, 2)};
            if (abs(y[0]) > 1 || abs(y[1]) > 1 || abs(y[2]) > 1) continue;
            const int other = RILL_AROUND / 2 + y[0] + 3 * y[1] + 9 * y[2];
            if (!waits[other]) continue;
            waits[other] = false;
            open[count++] = other;
        }
    }
    return left == 0;
}

/* Let a node that has become interface belong to the region beside it. @return false where there is not one
 * region, or where it opens it */
static bool comes(const rill_free_surface *s, rill_node node)
{
    rill_bubbles *b = s->bubbles;
    rill_node around[RILL_AROUND], beside = 0;
    rill_free_surface_around(s, node, around);
    for (int i = 1; i < rill_q((int)s->lattice); i++) {
        const rill_node other = around[rill_free_surface_upstream(s->lattice, i)];
        if (other == RILL_UPSTREAM_WALL || !b->of[other] || b->of[other] == beside) continue;
        if (beside) return false;
        beside = b->of[other];
    }
    if (!beside) return false;
    b->of[node] = beside;
    if (!is_open(s, node)) return true;
    if (!b->all[beside - 1].open) return false;
    b->all[beside - 1].open++;
    return true;
}

/* Let a node that has become liquid leave its region. @return false where this may part it, or close it */
static bool goes(const rill_free_surface *s, rill_node node)
{
    rill_bubbles *b = s->bubbles;
    rill_node around[RILL_AROUND];
    rill_bubble *region = &b->all[b->of[node] - 1];
    rill_free_surface_around(s, node, around);
    b->of[node] = 0;
    if (is_open(s, node) && region->open == 1) return false; /* it stays open until regions are found */
    if (is_open(s, node)) region->open--;
    return whole_without(s, around);
}

rill_status rill_bubbles_follow(rill_free_surface *s)
{
    rill_bubbles *b = s->bubbles;
    bool hold = true;
    if (!b) return RILL_OK;
    for (uint64_t k = 0; k < s->fresh.count; k++) b->all[b->of[s->fresh.node[k]] - 1].gas--;
    for (uint64_t k = 0; k < s->excess_count; k++) {
        const rill_node node = s->excess[k].node;
        if (s->state[node] == RILL_GAS) b->all[b->of[node] - 1].gas++;
    }
    for (uint64_t k = 0; k < s->listed.count && hold; k++)
        if (!b->of[s->listed.node[k]]) hold = comes(s, s->listed.node[k]);
    for (uint64_t k = 0; k < s->excess_count && hold; k++)
        if (s->state[s->excess[k].node] == RILL_LIQUID) hold = goes(s, s->excess[k].node);
    return hold ? RILL_OK : find(s);
}

void rill_bubbles_measure(rill_free_surface *s)
{
    rill_bubbles *b = s->bubbles;
    if (!b) return;
    for (uint64_t k = 0; k < b->count; k++) {
        b->all[k].rate = -b->all[k].volume;
        b->all[k].volume = (double)b->all[k].gas;
    }
    for (uint64_t k = 0; k < s->listed.count; k++) {
        const rill_node node = s->listed.node[k];
        b->all[b->of[node] - 1].volume += 1 - (double)s->fill[node];
    }
    take_excess(s, b->all, 0);
    for (uint64_t k = 0; k < b->count; k++) {
        rill_bubble *region = &b->all[k];
        region->volume = fmax(region->volume, (double)region->gas / 2);
        region->rate += region->volume;
        if (region->open) {
            region->pressure = b->atmosphere;
        } else if (region->gas) {
            if (!(region->content > 0)) { /* a node without gas beside it has emptied */
                region->content = region->pressure * region->volume;
                b->gas.entered += region->content;
            }
            /* without the rate, the pressure would lag, and oscillations of bubbles would grow */
            region->pressure = region->content / fmax(region->volume + region->rate / 2, region->volume / 2);
        }
    }
}

double rill_bubbles_pressure(const rill_free_surface *s, rill_node node)
{
    const rill_bubbles *b = s->bubbles;
    return b ? b->all[b->of[node] - 1].pressure - b->atmosphere : 0;
}

rill_free_surface_gas rill_bubbles_sum(const rill_free_surface *s)
{
    const rill_bubbles *b = s->bubbles;
    if (!b) return (rill_free_surface_gas){0};
    rill_free_surface_gas sum = b->gas;
    for (uint64_t k = 0; k < b->count; k++) {
        const rill_bubble *region = &b->all[k];
        if (region->open) continue;
        sum.content += region->content;
        if (!region->gas) continue;
        sum.bubbles++;
        sum.volume += region->volume;
    }
    return sum;
}

rill_status rill_bubbles_centres(const rill_free_surface *s, double (*centre)[3])
{
    const rill_bubbles *b = s->bubbles;
    const uint32_t *n = s->numbering->n;
    struct {
        uint32_t first[3];
        bool found;
        double volume;
    } *seen = calloc(b->count + 1, sizeof *seen);
    if (!seen) return rill_fail(RILL_SYSTEM, "out of memory for bubbles");
    memset(centre, 0, b->count * sizeof *centre);
    for (rill_node node = 0; node < s->nodes; node++) {
        if (!b->of[node]) continue;
        const uint64_t k = b->of[node] - 1;
        const uint32_t x[3] = {s->cell[node] % n[0], s->cell[node] / n[0] % n[1],
                               s->cell[node] / n[0] / n[1]};
        if (!seen[k].found) memcpy(seen[k].first, x, sizeof x);
        seen[k].found = true;
        seen[k].volume += 1 - (double)s->fill[node];
        for (int a = 0; a < 3; a++) { /* the nearest image of the node to the first one */
            double from = (double)x[a] - (double)seen[k].first[a];
            if (s->sim->domain->geom->sides[a] == RILL_PERIODIC) from -= n[a] * round(from / n[a]);
            centre[k][a] += (1 - (double)s->fill[node]) * from;
        }
    }
    for (uint64_t k = 0; k < b->count; k++)
        for (int a = 0; a < 3; a++) {
            const double at = seen[k].volume > 0 ? centre[k][a] / seen[k].volume : 0;
            centre[k][a] = seen[k].first[a] + 0.5 + at;
        }
    free(seen);
    return RILL_OK;
}

static rill_status check(const rill_free_surface *s, const rill_free_surface_options *o)
{
    const rill_free_surface_face *f = &o->atmosphere;
    if (!(o->gas_pressure >= 0 && o->gas_pressure <= STIFF))
        return rill_fail(RILL_USAGE,
                         "gas pressure %g is not between 0 and 1/3, where the gas is as stiff as the liquid",
                         o->gas_pressure);
    if (!(o->gas_pressure > 0) || !f->end) return RILL_OK;
    return rill_faces_check(s, f);
}

rill_status rill_bubbles_create(rill_free_surface *s, const rill_free_surface_options *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(check(s, o));
    if (!(o->gas_pressure > 0)) return RILL_OK;
    RILL_TRY(rill_array_create_zero(1, sizeof *s->bubbles, name, (void **)&s->bubbles));
    rill_bubbles *b = s->bubbles;
    b->atmosphere = o->gas_pressure;
    b->face = o->atmosphere;
    if (o->atmosphere_needed && b->face.end) {
        rill_node node = 0;
        while (node < s->nodes && !rill_faces_at(s, &b->face, node)) node++;
        if (node == s->nodes)
            RILL_TRY(rill_fail(
                RILL_USAGE, "no pores are open at the face of the atmosphere: choose another face, or none"));
    }
    RILL_TRY(rill_array_create_zero(s->nodes, sizeof *b->of, name, (void **)&b->of));
    RILL_TRY(find(s));
    for (uint64_t k = 0; k < b->count; k++)
        if (!b->all[k].open) b->all[k].content = b->atmosphere * b->all[k].volume;
    rill_bubbles_measure(s);
done:
    return status;
}

void rill_bubbles_destroy(rill_free_surface *s)
{
    if (!s->bubbles) return;
    rill_array_destroy(s->bubbles->of);
    free(s->bubbles->all);
    free(s->bubbles->stack.node);
    rill_array_destroy(s->bubbles);
}

static rill_status all_save(void *context, uint64_t offset, uint64_t bytes, void *to)
{
    const rill_bubbles *b = context;
    memcpy(to, (const char *)b->all + offset, bytes);
    return RILL_OK;
}

static rill_status all_load(void *context, uint64_t offset, uint64_t bytes, const void *from)
{
    rill_bubbles *b = context;
    memcpy((char *)b->all + offset, from, bytes);
    return RILL_OK;
}

static rill_status all_resize(void *context, uint64_t bytes)
{
    rill_bubbles *b = context;
    if (bytes % sizeof *b->all)
        return rill_fail(RILL_USAGE,
                         "its bubbles have %llu bytes, which is no multiple of %zu: it is damaged",
                         (unsigned long long)bytes, sizeof *b->all);
    rill_bubble *all = malloc(bytes + 1);
    if (!all) return rill_fail(RILL_SYSTEM, "out of memory for bubbles");
    free(b->all);
    b->all = all;
    b->count = b->room = bytes / sizeof *b->all;
    return RILL_OK;
}

int rill_bubbles_parts(rill_free_surface *s, rill_checkpoint_part parts[RILL_BUBBLES_PARTS])
{
    rill_bubbles *b = s->bubbles;
    if (!b) return 0;
    parts[0] = rill_checkpoint_memory("region of nodes", b->of, s->nodes * sizeof *b->of);
    parts[1] = (rill_checkpoint_part){"regions of gas", b->count * sizeof *b->all, all_save, all_load, b,
                                      all_resize};
    parts[2] = rill_checkpoint_memory("gas", &b->gas, sizeof b->gas);
    return RILL_BUBBLES_PARTS;
}

rill_status rill_bubbles_resume(const rill_free_surface *s)
{
    const rill_bubbles *b = s->bubbles;
    for (rill_node n = 0; n < s->nodes && b; n++)
        if (b->of[n] > b->count || (b->of[n] == 0) != (s->state[n] == RILL_LIQUID))
            return rill_fail(RILL_USAGE, "node %u is in bubble %u, and %llu are there: it is damaged", n,
                             b->of[n], (unsigned long long)b->count);
    return RILL_OK;
}
