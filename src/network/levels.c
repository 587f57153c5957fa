/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a network, each coarser than the one before, for solve.c: every node is joined to the neighbour
 * that it exchanges most with, or to what that one is joined to already. Throats differ by orders of
 * magnitude: joining along the wide ones leaves nothing to the narrow ones that the smoother could not do.
 * What has no neighbour is left behind, and what exchanges most with an outlet: joined to others, it would
 * hold them all. In the end rows are numbered so that what is joined stands side by
 * side, from the last level to the first: the solver then reads memory in its order.
 * @see Kim, Xu & Zikatanov (2003), doi:10.1002/nla.317; Napov & Notay (2012), doi:10.1137/100818509, for
 * pairs; that a node without a partner joins its neighbour's pair is our own, for dead ends
 */
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "network/network.h"

#include <math.h>

/* A partner that is still alone may exchange less than the best neighbour by this factor. Sandstone and packs
 * take 5 and 4 iterations; with 0.25 it is 6 and 5, with 1 it is 5 and 5. */
#define PARTNER 0.7

/* The parents of what has no links, and of what an outlet holds: it stays as it is on the next level. */
#define NONE UINT32_MAX
#define HELD (UINT32_MAX - 1)

/* A level while its nodes are joined, in the order in which they were found. */
typedef struct making {
    uint32_t count;
    uint32_t *begin;      /* [count + 1], first link of a node */
    rill_flow_link *link; /* [begin[count]], to nodes */
    double *outlet;       /* [count] */
    uint32_t *parent;     /* [count], what it is joined to on the next level, NONE or HELD */
    uint32_t *first;      /* [count + 1], first member on the level before */
    uint32_t *member;     /* [first[count]] */
} making;

static void making_free(making *m)
{
    void *arrays[] = {m->begin, m->link, m->outlet, m->parent, m->first, m->member};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    *m = (making){.begin = NULL};
}

static rill_status create(uint64_t count, size_t size, void *out)
{
    return rill_array_create_zero(count, size, "the levels of a pore network", (void **)out);
}

/* From counts, and a zero behind them, to firsts. */
static void sum_up(uint32_t *counts, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t k = 0; k <= size; k++) {
        const uint32_t count = counts[k];
        counts[k] = sum;
        sum += count;
    }
}

/* From ends, each of which is the next one's first, to firsts. */
static void shift(uint32_t *ends, uint32_t size)
{
    for (uint32_t k = size; k > 0; k--) ends[k] = ends[k - 1];
    ends[0] = 0;
}

/* List the throats of every node. */
static rill_status links_make(making *level, const rill_throat *throat, uint64_t throats)
{
    rill_status status = RILL_OK;
    uint32_t *begin = NULL;
    if (throats > UINT32_MAX / 2)
        return rill_fail(RILL_SYSTEM, "a pore network of %llu throats is larger than the most, %u",
                         (unsigned long long)throats, UINT32_MAX / 2);
    RILL_TRY(create((uint64_t)level->count + 1, sizeof *begin, &level->begin));
    RILL_TRY(create(2 * throats, sizeof *level->link, &level->link));
    begin = level->begin;
    for (uint64_t k = 0; k < throats; k++)
        for (int e = 0; e < 2; e++) begin[throat[k].chamber[e]]++;
    sum_up(begin, level->count);
    for (uint64_t k = 0; k < throats; k++)
        for (int e = 0; e < 2; e++)
            level->link[begin[throat[k].chamber[e]]++] =
                (rill_flow_link){throat[k].chamber[1 - e], (float)throat[k].conductance};
    shift(begin, level->count);
done:
    return status;
}

/* Assign every node of a level what it is joined to. @return into how many */
static uint32_t join(making *level)
{
    uint32_t joined = 0;
    for (uint32_t c = 0; c < level->count; c++) level->parent[c] = NONE;
    for (uint32_t c = 0; c < level->count; c++) {
        if (level->parent[c] != NONE) continue;
        const rill_flow_link *best = NULL, *alone = NULL;
        const double outlet = level->outlet[c];
        for (uint32_t k = level->begin[c]; k < level->begin[c + 1]; k++) {
            const rill_flow_link *link = &level->link[k];
            if (!best || link->conductance > best->conductance) best = link;
            if (level->parent[link->row] == NONE && (!alone || link->conductance > alone->conductance))
                alone = link;
        }
        if (!best) continue;
        if (alone && alone->conductance >= PARTNER * fmax(best->conductance, outlet))
            level->parent[alone->row] = level->parent[c] = joined++;
        else if (outlet >= best->conductance)
            level->parent[c] = HELD;
        else
            level->parent[c] = level->parent[best->row] == HELD ? joined++ : level->parent[best->row];
    }
    return joined;
}

/* List the members of all nodes of a level. */
static rill_status members_make(const making *finer, making *level)
{
    rill_status status = RILL_OK;
    RILL_TRY(create((uint64_t)level->count + 1, sizeof *level->first, &level->first));
    RILL_TRY(create(finer->count, sizeof *level->member, &level->member));
    uint32_t *first = level->first;
    for (uint32_t c = 0; c < finer->count; c++)
        if (finer->parent[c] < level->count) first[finer->parent[c]]++;
    sum_up(first, level->count);
    for (uint32_t c = 0; c < finer->count; c++)
        if (finer->parent[c] < level->count) level->member[first[finer->parent[c]]++] = c;
    shift(first, level->count);
done:
    return status;
}

/* Add up what the members of a node exchange with those of nodes behind it. @return the throats then */
static uint64_t throats_of(const making *finer, const making *level, uint32_t node, uint64_t *last,
                           rill_throat *throat, uint64_t throats)
{
    const uint64_t first = throats;
    for (uint32_t m = level->first[node]; m < level->first[node + 1]; m++) {
        const uint32_t member = level->member[m];
        level->outlet[node] += finer->outlet[member];
        for (uint32_t k = finer->begin[member]; k < finer->begin[member + 1]; k++) {
            const uint32_t other = finer->parent[finer->link[k].row];
            if (other == HELD) level->outlet[node] += finer->link[k].conductance;
            if (other <= node || other == HELD) continue;
            if (last[other] < first || last[other] >= throats || throat[last[other]].chamber[1] != other) {
                last[other] = throats;
                throat[throats++] = (rill_throat){{node, other}, 0};
            }
            throat[last[other]].conductance += finer->link[k].conductance;
        }
    }
    return throats;
}

/* Make the level that the nodes of another are joined to. */
static rill_status coarsen(making *finer, making *level)
{
    rill_status status = RILL_OK;
    uint64_t *last = NULL, throats = 0; /* where the throat to each node stands, if it is of this row */
    rill_throat *throat = NULL;
    RILL_TRY(create(finer->count, sizeof *finer->parent, &finer->parent));
    level->count = join(finer);
    RILL_TRY(create(level->count, sizeof *level->outlet, &level->outlet));
    RILL_TRY(members_make(finer, level));
    RILL_TRY(create(level->count, sizeof *last, &last));
    RILL_TRY(create(finer->begin[finer->count] / 2, sizeof *throat, &throat));
    for (uint32_t c = 0; c < level->count; c++) throats = throats_of(finer, level, c, last, throat, throats);
    RILL_TRY(links_make(level, throat, throats));
done:
    rill_array_destroy(last);
    rill_array_destroy(throat);
    return status;
}

/*
 * Number the rows of a level: the members of the first row of the next one, those of the second …, then what
 * has no parent.
 * @param coarser  rows of the nodes of the next level; NULL: there is none
 * @param[out] row_of, node_of  [count], of nodes and rows
 * @return the members of the next level
 */
static uint32_t number(const making *m, const uint32_t *coarser, rill_flow_level *next, uint32_t *row_of,
                       uint32_t *node_of)
{
    uint32_t joined = 0;
    if (coarser) {
        for (uint32_t c = 0; c < m->count; c++)
            if (m->parent[c] < next->count) next->first[coarser[m->parent[c]]]++;
        sum_up(next->first, next->count);
        joined = next->first[next->count];
    }
    uint32_t left = joined;
    for (uint32_t c = 0; c < m->count; c++) {
        row_of[c] = coarser && m->parent[c] < next->count ? next->first[coarser[m->parent[c]]]++ : left++;
        node_of[row_of[c]] = c;
    }
    if (coarser) shift(next->first, next->count);
    return joined;
}

/* What a loop over rows works with. */
typedef struct rows {
    const making *from;
    const uint32_t *row_of, *node_of;
    rill_flow_level *level;
} rows;

/* Make rows, given where each begins. */
static void fill(const void *shared, uint64_t first, uint64_t end)
{
    const rows *r = shared;
    for (uint64_t row = first; row < end; row++) {
        const uint32_t node = r->node_of[row];
        const rill_flow_link *link = r->from->link + r->from->begin[node];
        const uint32_t links = r->from->begin[node + 1] - r->from->begin[node];
        rill_flow_link *made = r->level->link + r->level->begin[row];
        double sum = r->from->outlet[node];
        for (uint32_t k = 0; k < links; k++) {
            made[k] = (rill_flow_link){r->row_of[link[k].row], link[k].conductance};
            sum += link[k].conductance;
        }
        /* What nothing leaves: nothing is gained there, either, and any pressure will do. */
        r->level->inverse[row] = sum > 0 ? 1 / sum : 1;
    }
}

/* Make the rows of a level. */
static rill_status rows_make(const making *m, const uint32_t *row_of, const uint32_t *node_of,
                             rill_flow_level *level)
{
    rill_status status = RILL_OK;
    const uint32_t n = m->count;
    double **const arrays[] = {&level->inverse, &level->given, &level->value, &level->old};
    for (int k = 0; k < 4; k++) RILL_TRY(create(n, sizeof(double), arrays[k]));
    RILL_TRY(create((uint64_t)n + 1, sizeof *level->begin, &level->begin));
    RILL_TRY(create(m->begin[n], sizeof *level->link, &level->link));
    uint32_t sum = 0;
    for (uint32_t row = 0; row < n; row++) {
        level->begin[row] = sum;
        sum += m->begin[node_of[row] + 1] - m->begin[node_of[row]];
    }
    level->begin[n] = sum;
    level->last = sum == 0;
    rill_threads_for(n, RILL_NETWORK_CHUNK, fill, &(rows){m, row_of, node_of, level});
done:
    return status;
}

/* Whether nothing leaves a node. Of a coarser level that is all that is connected. */
static bool closed(const making *m, uint32_t node)
{
    return m->begin[node] == m->begin[node + 1] && m->outlet[node] == 0;
}

/* Make the list of what is connected and has no outlet, still empty. */
static rill_status closed_make(const making *made, rill_network *network)
{
    uint64_t count = 0;
    for (const making *m = made; m < made + network->levels; m++)
        for (uint32_t c = 0; c < m->count; c++) count += closed(m, c);
    return create(count, sizeof *network->closed, &network->closed);
}

/* Put what is closed into the list: of the next level, whose rows stand side by side on this one, and of this
 * level. */
static void closed_list(const making *m, const uint32_t *node_of, const rill_flow_level *level,
                        rill_network *network)
{
    for (uint32_t k = 0; k < network->closed_count; k++) {
        rill_network_closed *part = &network->closed[k];
        part->first = level[1].first[part->first];
        part->end = level[1].first[part->end];
    }
    for (uint32_t row = level->joined; row < level->count; row++)
        if (closed(m, node_of[row]))
            network->closed[network->closed_count++] = (rill_network_closed){.first = row, .end = row + 1};
}

static void closed_measure(rill_network *network)
{
    for (uint32_t k = 0; k < network->closed_count; k++) {
        rill_network_closed *part = &network->closed[k];
        for (uint32_t row = part->first; row < part->end; row++)
            part->volume += network->volume[network->chamber[row]];
    }
}

/* Number and make the rows of all levels, from the last to the first, and free what they are made of. */
static rill_status levels_make(rill_network *network, making *made)
{
    rill_status status = RILL_OK;
    uint32_t *coarser = NULL, *row_of = NULL, *node_of = NULL;
    for (int k = network->levels - 1; k >= 0; k--) {
        rill_flow_level *level = &network->level[k];
        level->count = made[k].count;
        if (k > 0) RILL_TRY(create((uint64_t)level->count + 1, sizeof *level->first, &level->first));
        RILL_TRY(create(level->count, sizeof *row_of, &row_of));
        RILL_TRY(create(level->count, sizeof *node_of, &node_of));
        level->joined = number(&made[k], coarser, level + 1, row_of, node_of);
        RILL_TRY(rows_make(&made[k], row_of, node_of, level));
        closed_list(&made[k], node_of, level, network);
        rill_array_destroy(coarser);
        coarser = row_of;
        row_of = NULL;
        if (k == 0) network->chamber = node_of;
        if (k > 0) rill_array_destroy(node_of);
        node_of = NULL;
        if (k == 0) made[k].outlet = NULL; /* the network's */
        making_free(&made[k]);
    }
done:
    rill_array_destroy(coarser);
    rill_array_destroy(row_of);
    rill_array_destroy(node_of);
    return status;
}

rill_status rill_network_prepare(rill_network *network)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const uint64_t chunks = ((uint64_t)n + RILL_NETWORK_CHUNK - 1) / RILL_NETWORK_CHUNK;
    making made[RILL_NETWORK_LEVELS] = {{.count = n, .outlet = network->outlet}};
    double **const arrays[] = {&network->found, &network->direction, &network->flow};
    RILL_TRY(create(chunks, sizeof(double), &network->partial));
    for (int k = 0; k < 3; k++) RILL_TRY(create(n, sizeof(double), arrays[k]));
    RILL_TRY(links_make(&made[0], network->throat, network->throats));
    network->levels = 1;
    for (making *m = made; m->begin[m->count] > 0 && network->levels < RILL_NETWORK_LEVELS; m++) {
        network->levels++;
        RILL_TRY(coarsen(m, m + 1));
    }
    RILL_TRY(closed_make(made, network));
    RILL_TRY(levels_make(network, made));
    closed_measure(network);
done:
    if (made[0].outlet == network->outlet) made[0].outlet = NULL;
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) making_free(&made[k]);
    return status;
}

void rill_network_levels_destroy(rill_network *network)
{
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) {
        rill_flow_level *l = &network->level[k];
        void *arrays[] = {l->begin, l->link, l->inverse, l->first, l->given, l->value, l->old};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) rill_array_destroy(arrays[a]);
    }
}
