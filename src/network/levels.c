/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a network, each coarser than the one before, for solve.c: every node is joined to the neighbour
 * that it exchanges most with, or to what that one is joined to already. Throats differ by orders of
 * magnitude: joining along the wide ones leaves nothing to the narrow ones that the smoother could not do.
 * What has no neighbour is left behind, and what exchanges most with an outlet: joined to others, it would
 * hold them all. Threads join parts of the nodes, always the same parts. In the end rows are numbered so that
 * what is joined stands side by side, from the last level to the first: the solver then reads memory in its
 * order.
 * @see Kim, Xu & Zikatanov (2003), doi:10.1002/nla.317; Napov & Notay (2012), doi:10.1137/100818509, for
 * pairs; that a node without a partner joins its neighbour's pair is our own, for dead ends
 */
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A partner that is still alone may exchange less than the best neighbour by this factor. Sandstone and packs
 * take 5 and 4 iterations; with 0.25 it is 6 and 5, with 1 it is 5 and 5. */
#define PARTNER 0.7

/* The parents of what has no links, and of what an outlet holds: it stays as it is on the next level. */
#define NONE UINT32_MAX
#define HELD (UINT32_MAX - 1)

/* Links that are sorted by comparing each with all. */
enum { SHORT = 32 };

/* Nodes that a thread joins without the others. What depends on those is left: with 8192 one thread has three
 * times as much to do in the end. */
enum { JOINED = 16384 };

/* Throats that are passed over together by threads that list those of other nodes. */
enum { THROATS = 1024 };

/* A level while its nodes are joined, in the order in which they were found. Links have gaps between them. */
typedef struct making {
    uint32_t count;
    void *memory;          /* of begin, end, and outlet unless that is the network's */
    uint32_t *begin, *end; /* [count], links of a node */
    rill_flow_link *link;  /* to nodes */
    double *outlet;        /* [count] */
    uint32_t *parent;      /* [count], what it is joined to on the next level, NONE or HELD; while nodes are
                              joined, the first of those joined to the same */
    uint32_t *next;        /* [count], another node that is joined to the same, or NONE */
    uint32_t *head;        /* [nodes of the next level], the first that is joined to it */
    uint32_t *members;     /* [nodes of the next level], how many are */
} making;

static const char *const name = "the levels of a pore network";

static rill_status create(uint64_t count, size_t size, void *out)
{
    return rill_array_create(count, size, name, (void **)out);
}

static rill_status create_zero(uint64_t count, size_t size, void *out)
{
    return rill_array_create_zero(count, size, name, (void **)out);
}

/* Make the arrays of the nodes of a level: several in one, as every array has the memory of the system looked
 * up. */
static rill_status nodes_make(making *m)
{
    rill_status status = RILL_OK;
    const uint64_t n = m->count, outlets = m->outlet ? 0 : n;
    RILL_TRY(create(2 * (n + outlets), sizeof *m->begin, &m->memory));
    if (!m->outlet) m->outlet = m->memory;
    m->begin = (uint32_t *)((double *)m->memory + outlets);
    m->end = m->begin + n;
    RILL_TRY(create(2 * n, sizeof *m->parent, &m->parent));
    m->next = m->parent + n;
done:
    return status;
}

/* Free what says how nodes are joined. */
static void joined_free(making *m)
{
    rill_array_destroy(m->parent);
    rill_array_destroy(m->head);
    m->parent = m->head = NULL;
}

static void making_free(making *m)
{
    joined_free(m);
    rill_array_destroy(m->memory);
    rill_array_destroy(m->link);
    *m = (making){.memory = NULL};
}

/* From counts to firsts. @return the sum */
static uint32_t sum_up(uint32_t *counts, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k < size; k++) {
        const uint32_t count = counts[k];
        counts[k] = sum;
        sum += count;
    }
    return sum;
}

/* The least and the last chamber of some throats. */
typedef struct span {
    uint32_t least, last;
} span;

/* What a loop over throats works with. */
typedef struct listing {
    const rill_network *network;
    span *spans; /* of THROATS each */
    uint64_t spans_count;
    making *level;
} listing;

static void spans_find(const void *shared, uint64_t first, uint64_t end)
{
    const listing *l = shared;
    for (uint64_t s = first; s < end; s++) {
        span found = {UINT32_MAX, 0};
        for (uint64_t k = s * THROATS; k < (s + 1) * THROATS && k < l->network->throats; k++)
            for (int e = 0; e < 2; e++) {
                const uint32_t c = l->network->throat[k].chamber[e];
                if (c < found.least) found.least = c;
                if (c > found.last) found.last = c;
            }
        l->spans[s] = found;
    }
}

/* Count the throats of chambers first … end - 1, or list them where links are. */
static void throats_list(const void *shared, uint64_t first, uint64_t end)
{
    const listing *l = shared;
    const making *level = l->level;
    for (uint64_t s = 0; s < l->spans_count; s++) {
        if (l->spans[s].last < first || l->spans[s].least >= end) continue;
        for (uint64_t k = s * THROATS; k < (s + 1) * THROATS && k < l->network->throats; k++)
            for (int e = 0; e < 2; e++) {
                const rill_throat *t = &l->network->throat[k];
                const uint32_t c = t->chamber[e];
                if (c < first || c >= end) continue;
                const uint32_t at = level->end[c]++;
                if (level->link) level->link[at] = (rill_flow_link){t->chamber[1 - e], (float)t->conductance};
            }
    }
}

/* List the throats of every chamber: each thread those of some chambers. */
static rill_status links_make(const rill_network *network, making *level)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const uint64_t each = n / (uint64_t)rill_threads_fit(n, RILL_NETWORK_CHUNK) + 1;
    listing l = {network, NULL, (network->throats + THROATS - 1) / THROATS, level};
    if (network->throats > UINT32_MAX / 2)
        return rill_fail(RILL_SYSTEM, "a pore network of %llu throats is larger than the most, %u",
                         (unsigned long long)network->throats, UINT32_MAX / 2);
    RILL_TRY(nodes_make(level));
    memset(level->end, 0, n * sizeof *level->end);
    RILL_TRY(create(l.spans_count, sizeof *l.spans, &l.spans));
    rill_threads_for(l.spans_count, 8, spans_find, &l);
    rill_threads_for(n, each, throats_list, &l);
    memcpy(level->begin, level->end, n * sizeof *level->begin);
    RILL_TRY(create(sum_up(level->begin, n), sizeof *level->link, &level->link));
    memcpy(level->end, level->begin, n * sizeof *level->begin);
    rill_threads_for(n, each, throats_list, &l);
done:
    rill_array_destroy(l.spans);
    return status;
}

/* Join node c to what node `to` is joined to, or both to something new if that is nothing yet. */
static void put_together(const making *level, uint32_t c, uint32_t to)
{
    const uint32_t first = level->parent[to] == NONE ? to : level->parent[to];
    if (level->parent[to] == NONE) level->parent[to] = to, level->next[to] = NONE;
    level->parent[c] = first;
    level->next[c] = level->next[first];
    level->next[first] = c;
}

/*
 * Join nodes first … end - 1, as long as that does not depend on nodes before or behind them, which other
 * threads join meanwhile: a node that might have a partner among those is left alone, and one whose best
 * neighbour is joined to one of those.
 */
static void join_among(const making *level, uint32_t first, uint32_t end)
{
    uint32_t *parent = level->parent;
    for (uint32_t c = first; c < end; c++) {
        if (parent[c] != NONE) continue;
        const rill_flow_link *best = NULL, *alone = NULL;
        float other = -1; /* the best among nodes of others */
        for (const rill_flow_link *l = level->link + level->begin[c]; l < level->link + level->end[c]; l++) {
            if (!best || l->conductance > best->conductance) best = l;
            if (l->row < first || l->row >= end)
                other = l->conductance > other ? l->conductance : other;
            else if ((!alone || l->conductance > alone->conductance) && parent[l->row] == NONE)
                alone = l;
        }
        if (!best) continue;
        const double outlet = level->outlet[c], enough = PARTNER * fmax(best->conductance, outlet);
        if (alone && alone->conductance >= enough)
            put_together(level, alone->row, c);
        else if (other >= enough)
            continue;
        else if (outlet >= best->conductance)
            parent[c] = HELD;
        else if (parent[best->row] == HELD)
            parent[c] = c, level->next[c] = NONE;
        else if (parent[best->row] >= first && parent[best->row] < end)
            put_together(level, c, best->row);
    }
}

static uint32_t bound(uint64_t node, const making *level)
{
    return node < level->count ? (uint32_t)node : level->count;
}

/* What a loop over nodes that are joined, or those of the next level, works with. */
typedef struct joining {
    const making *finer;
    making *level;
    uint32_t *heads; /* in the chunks of finer nodes before */
} joining;

/* Parts of the nodes, side by side. */
static void join_some(const void *shared, uint64_t first, uint64_t end)
{
    const making *level = ((const joining *)shared)->finer;
    for (uint64_t k = first; k < end; k++)
        join_among(level, bound(k * JOINED, level), bound((k + 1) * JOINED, level));
}

/* Nodes at the ends of those parts, which are within these. */
static void join_shifted(const void *shared, uint64_t first, uint64_t end)
{
    const making *level = ((const joining *)shared)->finer;
    for (uint64_t k = first; k < end; k++)
        join_among(level, bound(k * JOINED + JOINED / 2, level), bound((k + 1) * JOINED + JOINED / 2, level));
}

static uint32_t end_of(uint64_t chunk, uint32_t count)
{
    const uint64_t end = (chunk + 1) * RILL_NETWORK_CHUNK;
    return end < count ? (uint32_t)end : count;
}

/* Count what nodes are joined to, or list it. */
static void heads_list(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    const making *finer = j->finer;
    for (uint64_t k = first; k < end; k++) {
        uint32_t heads = finer->head ? j->heads[k] : 0;
        for (uint32_t c = (uint32_t)k * RILL_NETWORK_CHUNK; c < end_of(k, finer->count); c++) {
            if (finer->parent[c] != c) continue;
            if (finer->head) finer->head[heads] = c;
            heads++;
        }
        if (!finer->head) j->heads[k] = heads;
    }
}

/* Assign every node of a level what it is joined to on the next, and count that. */
static rill_status join(making *finer, making *level)
{
    rill_status status = RILL_OK;
    const uint32_t n = finer->count, chunks = rill_flow_chunks(n);
    joining j = {finer, level, NULL};
    RILL_TRY(create(chunks, sizeof *j.heads, &j.heads));
    memset(finer->parent, 0xff, n * sizeof *finer->parent); /* NONE */
    rill_threads_for((n + JOINED - 1) / JOINED, 1, join_some, &j);
    if (n > JOINED) {
        rill_threads_for((n - 1) / JOINED, 1, join_shifted, &j);
        join_among(finer, 0, n); /* what is left */
    }
    rill_threads_for(chunks, 8, heads_list, &j);
    level->count = sum_up(j.heads, chunks);
    RILL_TRY(create(2 * (uint64_t)level->count, sizeof *finer->head, &finer->head));
    finer->members = finer->head + level->count;
    rill_threads_for(chunks, 8, heads_list, &j);
done:
    rill_array_destroy(j.heads);
    return status;
}

/* Write down what nodes are joined to, and how many links there may be. */
static void parents_note(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    for (uint64_t c = first; c < end; c++) {
        uint32_t links = 0, members = 0;
        for (uint32_t m = j->finer->head[c]; m != NONE; m = j->finer->next[m]) {
            j->finer->parent[m] = (uint32_t)c;
            links += j->finer->end[m] - j->finer->begin[m];
            members++;
        }
        j->finer->members[c] = members;
        j->level->begin[c] = links;
    }
}

static int compare(const void *first, const void *second)
{
    const rill_flow_link *a = first, *b = second;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return (a->conductance > b->conductance) - (a->conductance < b->conductance);
}

/* Sort up to SHORT links: each is put behind as many as are less, without branches that depend on them.
 * Conductances are positive: their bits are in their order. */
static void sort(rill_flow_link *link, uint32_t count)
{
    uint64_t key[SHORT];
    uint32_t place[SHORT];
    rill_flow_link sorted[SHORT];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bits;
        memcpy(&bits, &link[k].conductance, sizeof bits);
        key[k] = (uint64_t)link[k].row << 32 | bits;
        place[k] = 0;
        for (uint32_t i = 0; i < k; i++) {
            const uint32_t behind = key[i] > key[k];
            place[i] += behind;
            place[k] += 1 - behind;
        }
    }
    for (uint32_t k = 0; k < count; k++) sorted[place[k]] = link[k];
    memcpy(link, sorted, count * sizeof *link);
}

/* Make one link of those to the same node: in both nodes they are added up in the same order. @return links
 * then */
static uint32_t merge(rill_flow_link *link, uint32_t count)
{
    uint32_t merged = 0;
    double sum = 0;
    if (count <= SHORT)
        sort(link, count);
    else
        qsort(link, count, sizeof *link, compare);
    for (uint32_t k = 0; k < count; k++) {
        const bool same = k > 0 && link[k].row == link[merged - 1].row;
        sum = (same ? sum : 0) + link[k].conductance;
        merged += !same;
        link[merged - 1] = (rill_flow_link){link[k].row, (float)sum};
    }
    return merged;
}

/* Add up what leaves those that are joined. */
static void links_add(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    const making *finer = j->finer, *level = j->level;
    uint32_t at = level->begin[first];
    for (uint64_t c = first; c < end; c++) {
        uint32_t count = 0;
        double outlet = 0;
        for (uint32_t m = finer->head[c]; m != NONE; m = finer->next[m]) {
            outlet += finer->outlet[m];
            for (uint32_t k = finer->begin[m]; k < finer->end[m]; k++) {
                const uint32_t to = finer->parent[finer->link[k].row];
                if (to == HELD) outlet += finer->link[k].conductance;
                level->link[at + count] = (rill_flow_link){to, finer->link[k].conductance};
                count += (to < HELD) & (to != c);
            }
        }
        level->outlet[c] = outlet;
        level->begin[c] = at;
        at += merge(level->link + at, count);
        level->end[c] = at;
    }
}

/* Make the level that the nodes of another are joined to. */
static rill_status coarsen(making *finer, making *level)
{
    rill_status status = RILL_OK;
    const joining j = {.finer = finer, .level = level};
    RILL_TRY(join(finer, level));
    const uint32_t n = level->count;
    RILL_TRY(nodes_make(level));
    rill_threads_for(n, RILL_NETWORK_CHUNK, parents_note, &j);
    RILL_TRY(create_zero(sum_up(level->begin, n), sizeof *level->link, &level->link));
    rill_threads_for(n, RILL_NETWORK_CHUNK, links_add, &j);
done:
    return status;
}

/* Whether nothing leaves a node. Of a coarser level that is all that is connected. */
static bool is_closed(const making *m, uint32_t node)
{
    return m->begin[node] == m->end[node] && m->outlet[node] == 0;
}

/* What a loop over nodes counts. */
typedef struct counting {
    const making *level;
    _Atomic uint64_t *links, *closed;
} counting;

static void count_some(const void *shared, uint64_t first, uint64_t end)
{
    const counting *s = shared;
    uint64_t links = 0, closed = 0;
    for (uint64_t c = first; c < end; c++) {
        links += s->level->end[c] - s->level->begin[c];
        closed += is_closed(s->level, (uint32_t)c);
    }
    atomic_fetch_add(s->links, links);
    atomic_fetch_add(s->closed, closed);
}

/* Make the arrays of all levels, those of the first before the others, and the list of what is closed, which
 * is still empty. */
static rill_status rows_create(const making *made, rill_network *network)
{
    rill_status status = RILL_OK;
    rill_flow_level *level = network->level;
    _Atomic uint64_t links[RILL_NETWORK_LEVELS + 1] = {0}, closed = 0;
    uint64_t rows = 0, all = 0;
    for (int k = 0; k < network->levels; k++) {
        rill_threads_for(made[k].count, 16 * RILL_NETWORK_CHUNK, count_some,
                         &(counting){&made[k], &links[k], &closed});
        level[k].count = made[k].count;
        rows += made[k].count;
        all += links[k];
    }
    RILL_TRY(create_zero(4 * rows, sizeof *level->inverse, &level->inverse));
    RILL_TRY(create(2 * (rows + (uint64_t)network->levels), sizeof *level->begin, &level->begin));
    RILL_TRY(create(all, sizeof *level->link, &level->link));
    RILL_TRY(create(level->count, sizeof *network->chamber, &network->chamber));
    RILL_TRY(create_zero(closed, sizeof *network->closed, &network->closed));
    for (int k = 0; k < network->levels; k++) {
        rill_flow_level *l = &level[k];
        const uint32_t n = l->count;
        if (k > 0) {
            l->inverse = l[-1].inverse + 4 * (uint64_t)l[-1].count;
            l->begin = l[-1].begin + 2 * ((uint64_t)l[-1].count + 1);
            l->first = l->begin + n + 1;
            l->end = l->first + 1;
            l->link = l[-1].link + links[k - 1];
        }
        l->given = l->inverse + n;
        l->value = l->given + n;
        l->old = l->value + n;
    }
done:
    return status;
}

/* What a loop over nodes of a level, or of the next, works with. */
typedef struct rows {
    const making *from;
    const uint32_t *coarser; /* rows of the nodes of the next level */
    uint32_t *row_of;        /* [nodes] */
    uint32_t *node_of;       /* [rows]; NULL: not needed */
    rill_flow_level *level;
} rows;

static void members_count(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t c = first; c < end; c++) r->level[1].first[r->coarser[c]] = r->from->members[c];
}

/* Number a row, and count its links. */
static void number_one(const rows *r, uint32_t node, uint32_t row)
{
    r->row_of[node] = row;
    if (r->node_of) r->node_of[row] = node;
    r->level->begin[row] = r->from->end[node] - r->from->begin[node];
}

static void members_number(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t c = first; c < end; c++) {
        uint32_t row = r->level[1].first[r->coarser[c]];
        for (uint32_t m = r->from->head[c]; m != NONE; m = r->from->next[m]) number_one(r, m, row++);
    }
}

/* Find the rows of what is closed on the next level, which stand side by side on this one. */
static void closed_move(const rill_flow_level *next, rill_network *network)
{
    for (uint32_t k = 0; k < network->closed_count; k++) {
        rill_network_closed *part = &network->closed[k];
        part->first = next->first[part->first];
        part->end = next->first[part->end];
    }
}

/* Number the rows of a level: the members of the first row of the next one, those of the second …, then what
 * has no parent; what is closed is put into the list. */
static void number(const rows *r, rill_network *network)
{
    rill_flow_level *next = r->level + 1;
    r->level->joined = 0;
    if (r->coarser) {
        rill_threads_for(next->count, RILL_NETWORK_CHUNK, members_count, r);
        next->first[next->count] = r->level->joined = sum_up(next->first, next->count);
        rill_threads_for(next->count, RILL_NETWORK_CHUNK, members_number, r);
        closed_move(next, network);
    }
    uint32_t left = r->level->joined;
    for (uint32_t c = 0; c < r->from->count; c++) {
        if (r->coarser && r->from->parent[c] < HELD) continue;
        number_one(r, c, left);
        if (is_closed(r->from, c))
            network->closed[network->closed_count++] = (rill_network_closed){.first = left, .end = left + 1};
        left++;
    }
}

/* Make the rows of nodes, given where each begins. */
static void fill(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t node = first; node < end; node++) {
        const uint32_t row = r->row_of[node];
        rill_flow_link *made = r->level->link + r->level->begin[row];
        double sum = r->from->outlet[node];
        for (uint32_t k = r->from->begin[node]; k < r->from->end[node]; k++) {
            const rill_flow_link link = r->from->link[k];
            *made++ = (rill_flow_link){r->row_of[link.row], link.conductance};
            sum += link.conductance;
        }
        /* What nothing leaves: nothing is gained there, either, and any pressure will do. */
        r->level->inverse[row] = sum > 0 ? 1 / sum : 1;
    }
}

/* What a loop over the rows of what is closed works with. */
typedef struct measuring {
    const rill_network *network;
    const rill_network_closed *part;
} measuring;

static void volumes_add(const void *shared, uint64_t first, uint64_t end)
{
    const measuring *s = shared;
    const uint32_t count = s->part->end - s->part->first;
    for (uint64_t k = first; k < end; k++) {
        double sum = 0;
        for (uint32_t c = (uint32_t)k * RILL_NETWORK_CHUNK; c < end_of(k, count); c++)
            sum += s->network->volume[s->network->chamber[s->part->first + c]];
        s->network->partial[k] = sum;
    }
}

static void closed_measure(rill_network *network)
{
    if (!network->volume) return;
    for (uint32_t p = 0; p < network->closed_count; p++) {
        rill_network_closed *part = &network->closed[p];
        const uint32_t chunks = rill_flow_chunks(part->end - part->first);
        rill_threads_for(chunks, 8, volumes_add, &(measuring){network, part});
        for (uint32_t k = 0; k < chunks; k++) part->volume += network->partial[k];
    }
}

/* Number and make the rows of all levels, from the last to the first, and free what they are made of. */
static rill_status levels_make(rill_network *network, making *made)
{
    rill_status status = RILL_OK;
    uint32_t *row_of = NULL, *coarser = NULL;
    RILL_TRY(rows_create(made, network));
    RILL_TRY(create(network->level->count + (uint64_t)network->level[1].count, sizeof *row_of, &row_of));
    for (int k = network->levels - 1; k >= 0; k--) {
        rill_flow_level *level = &network->level[k];
        const uint32_t n = level->count;
        /* Those of the first level and of every other one are in front. */
        uint32_t *here = k % 2 == 0 ? row_of : row_of + network->level->count;
        const rows r = {&made[k], coarser, here, k == 0 ? network->chamber : NULL, level};
        number(&r, network);
        level->begin[n] = sum_up(level->begin, n);
        level->last = level->begin[n] == 0;
        joined_free(&made[k]);
        rill_threads_for(n, RILL_NETWORK_CHUNK, fill, &r);
        coarser = here;
        making_free(&made[k]);
    }
done:
    rill_array_destroy(row_of);
    return status;
}

/* Whether any node has links. */
static bool linked(const making *m)
{
    uint32_t c = 0;
    while (c < m->count && m->begin[c] == m->end[c]) c++;
    return c < m->count;
}

/* Prepare a network. @param begin  NULL: its throats are to be listed; else see
 * rill_network_prepare_links() */
static rill_status prepare(rill_network *network, const uint32_t *begin, rill_flow_link **link)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const uint64_t chunks = ((uint64_t)n + RILL_NETWORK_CHUNK - 1) / RILL_NETWORK_CHUNK;
    making made[RILL_NETWORK_LEVELS] = {{.count = n, .outlet = network->outlet}};
    double **const arrays[] = {&network->found, &network->direction, &network->flow};
    RILL_TRY(create_zero(chunks, sizeof(double), &network->partial));
    for (int k = 0; k < 3; k++) RILL_TRY(create_zero(n, sizeof(double), arrays[k]));
    if (begin) {
        RILL_TRY(nodes_make(&made[0]));
        memcpy(made->begin, begin, n * sizeof *begin);
        memcpy(made->end, begin + 1, n * sizeof *begin);
        made->link = *link;
        *link = NULL;
    } else
        RILL_TRY(links_make(network, &made[0]));
    network->levels = 1;
    for (making *m = made; linked(m) && network->levels < RILL_NETWORK_LEVELS; m++) {
        network->levels++;
        RILL_TRY(coarsen(m, m + 1));
    }
    RILL_TRY(levels_make(network, made));
    closed_measure(network);
done:
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) making_free(&made[k]);
    return status;
}

rill_status rill_network_prepare(rill_network *network) { return prepare(network, NULL, NULL); }

rill_status rill_network_prepare_links(rill_network *network, const uint32_t *begin, rill_flow_link **link)
{
    return prepare(network, begin, link);
}

void rill_network_levels_destroy(rill_network *network)
{
    void *arrays[] = {network->level->inverse, network->level->begin, network->level->link};
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) rill_array_destroy(arrays[a]);
}
