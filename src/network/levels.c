/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Levels of a network, each coarser than the one before, for solve.c: every node is joined to the neighbour
 * that it exchanges most with, or to what that one is joined to already. Throats differ by orders of
 * magnitude: joining along the wide ones leaves nothing to the narrow ones that the smoother could not do.
 * @see Kim, Xu & Zikatanov (2003), doi:10.1002/nla.317; Napov & Notay (2012), doi:10.1137/100818509, for
 * pairs; that a node without a partner joins its neighbour's pair is our own, for dead ends
 */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

/* A partner that is still alone may exchange less than the best neighbour by this factor. Sandstone and packs
 * take 5 and 4 iterations; with 0.25 it is 6 and 5, with 1 it is 5 and 5. */
#define PARTNER 0.7

static rill_status create(uint64_t count, size_t size, void *out)
{
    return rill_array_create_zero(count, size, "the levels of a pore network", (void **)out);
}

/* Where in the row of a node a neighbour stands. */
static uint64_t *place_of(rill_network_row *row, uint32_t node, uint32_t neighbour)
{
    if (neighbour / RILL_NETWORK_CHUNK != node / RILL_NETWORK_CHUNK) return &row[node].outside;
    return neighbour < node ? &row[node].before : &row[node].behind;
}

/* Make rows of throats; the outlets are there. */
static rill_status rows_make(rill_network_level *level, const rill_throat *throat, uint64_t throats)
{
    rill_status status = RILL_OK;
    const uint32_t n = level->count;
    rill_network_row *at = NULL;
    double **const arrays[] = {&level->diagonal, &level->given, &level->value, &level->old};
    for (int k = 0; k < 4; k++) RILL_TRY(create(n, sizeof(double), arrays[k]));
    RILL_TRY(create((uint64_t)n + 1, sizeof *at, &at));
    RILL_TRY(create((uint64_t)n + 1, sizeof *level->row, &level->row));
    RILL_TRY(create(2 * throats, sizeof *level->neighbour, &level->neighbour));
    RILL_TRY(create(2 * throats, sizeof *level->conductance, &level->conductance));
    for (uint64_t k = 0; k < throats; k++)
        for (int e = 0; e < 2; e++) ++*place_of(at, throat[k].chamber[e], throat[k].chamber[1 - e]);
    uint64_t sum = 0;
    for (uint32_t c = 0; c <= n; c++) { /* from counts to firsts */
        const rill_network_row counts = at[c];
        at[c] = level->row[c] =
            (rill_network_row){sum, sum + counts.before, sum + counts.before + counts.outside};
        sum = at[c].behind + counts.behind;
    }
    for (uint32_t c = 0; c < n; c++) level->diagonal[c] = level->outlet[c];
    for (uint64_t k = 0; k < throats; k++)
        for (int e = 0; e < 2; e++) {
            const uint32_t from = throat[k].chamber[e], to = throat[k].chamber[1 - e];
            const uint64_t place = (*place_of(at, from, to))++;
            level->neighbour[place] = to;
            level->conductance[place] = throat[k].conductance;
            level->diagonal[from] += throat[k].conductance;
        }
    /* What nothing leaves: nothing is gained there, either, and any pressure will do. */
    for (uint32_t c = 0; c < n; c++) level->diagonal[c] += !(level->diagonal[c] > 0);
done:
    rill_array_destroy(at);
    return status;
}

/* Assign every node of a level what it is joined to. @return into how many */
static uint32_t join(rill_network_level *level)
{
    uint32_t joined = 0;
    for (uint32_t c = 0; c < level->count; c++) level->parent[c] = UINT32_MAX;
    for (uint32_t c = 0; c < level->count; c++) {
        if (level->parent[c] != UINT32_MAX) continue;
        const uint64_t none = level->row[c + 1].before;
        uint64_t best = none, alone = none;
        for (uint64_t k = level->row[c].before; k < none; k++) {
            if (best == none || level->conductance[k] > level->conductance[best]) best = k;
            if (level->parent[level->neighbour[k]] == UINT32_MAX &&
                (alone == none || level->conductance[k] > level->conductance[alone]))
                alone = k;
        }
        if (alone != none && level->conductance[alone] >= PARTNER * level->conductance[best]) {
            level->parent[level->neighbour[alone]] = level->parent[c] = joined++;
        } else {
            level->parent[c] = best != none ? level->parent[level->neighbour[best]] : joined++;
        }
    }
    return joined;
}

/* List the members of all nodes of a level. */
static rill_status members_make(const rill_network_level *finer, rill_network_level *level)
{
    rill_status status = RILL_OK;
    RILL_TRY(create((uint64_t)level->count + 1, sizeof *level->first, &level->first));
    RILL_TRY(create(finer->count, sizeof *level->member, &level->member));
    uint32_t *first = level->first, sum = 0;
    for (uint32_t c = 0; c < finer->count; c++) first[finer->parent[c]]++;
    for (uint32_t c = 0; c <= level->count; c++) {
        const uint32_t count = first[c];
        first[c] = sum;
        sum += count;
    }
    for (uint32_t c = 0; c < finer->count; c++) level->member[first[finer->parent[c]]++] = c;
    for (uint32_t c = level->count; c > 0; c--) first[c] = first[c - 1]; /* each stands at the next one's */
    first[0] = 0;
done:
    return status;
}

/* Add up what the members of a node exchange with those of nodes behind it. @return the throats then */
static uint64_t throats_of(const rill_network_level *finer, const rill_network_level *level, uint32_t node,
                           uint64_t *last, rill_throat *throat, uint64_t throats)
{
    const uint64_t first = throats;
    for (uint32_t m = level->first[node]; m < level->first[node + 1]; m++) {
        const uint32_t member = level->member[m];
        level->outlet[node] += finer->outlet[member];
        for (uint64_t k = finer->row[member].before; k < finer->row[member + 1].before; k++) {
            const uint32_t other = finer->parent[finer->neighbour[k]];
            if (other <= node) continue;
            if (last[other] < first || last[other] >= throats || throat[last[other]].chamber[1] != other) {
                last[other] = throats;
                throat[throats++] = (rill_throat){{node, other}, 0};
            }
            throat[last[other]].conductance += finer->conductance[k];
        }
    }
    return throats;
}

/* Make the level that the nodes of another are joined to. */
static rill_status coarsen(rill_network_level *finer, rill_network_level *level)
{
    rill_status status = RILL_OK;
    uint64_t *last = NULL, throats = 0; /* where the throat to each node stands, if it is of this row */
    rill_throat *throat = NULL;
    RILL_TRY(create(finer->count, sizeof *finer->parent, &finer->parent));
    level->count = join(finer);
    RILL_TRY(create(level->count, sizeof *level->outlet, &level->outlet));
    RILL_TRY(members_make(finer, level));
    RILL_TRY(create(level->count, sizeof *last, &last));
    RILL_TRY(create(finer->row[finer->count].before / 2, sizeof *throat, &throat));
    for (uint32_t c = 0; c < level->count; c++) throats = throats_of(finer, level, c, last, throat, throats);
    RILL_TRY(rows_make(level, throat, throats));
done:
    rill_array_destroy(last);
    rill_array_destroy(throat);
    return status;
}

/* What is joined on the last level, where nothing is left to join, is what is connected. */
static rill_status components_make(rill_network *network)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    network->components = network->level[network->levels - 1].count;
    RILL_TRY(create(n, sizeof *network->component_of, &network->component_of));
    RILL_TRY(create(network->components, sizeof *network->component, &network->component));
    for (uint32_t c = 0; c < n; c++) {
        uint32_t at = c;
        for (int k = 0; k + 1 < network->levels; k++) at = network->level[k].parent[at];
        network->component_of[c] = at;
        network->component[at].volume += network->volume[c];
        network->component[at].outlet += network->level[0].outlet[c];
    }
done:
    return status;
}

rill_status rill_network_prepare(rill_network *network)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const uint64_t chunks = ((uint64_t)n + RILL_NETWORK_CHUNK - 1) / RILL_NETWORK_CHUNK;
    for (int k = 0; k < 2; k++) RILL_TRY(create(chunks, sizeof(double), &network->partial[k]));
    RILL_TRY(create(n, sizeof *network->direction, &network->direction));
    RILL_TRY(create(n, sizeof *network->flow, &network->flow));
    network->level[0].count = n;
    RILL_TRY(rows_make(&network->level[0], network->throat, network->throats));
    network->levels = 1;
    for (rill_network_level *l = network->level; l->row[l->count].before > 0; l++) {
        network->levels++; /* also for what is to be freed */
        RILL_TRY(coarsen(l, l + 1));
    }
    RILL_TRY(components_make(network));
done:
    return status;
}

void rill_network_levels_destroy(rill_network *network)
{
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) {
        rill_network_level *l = &network->level[k];
        void *arrays[] = {l->row,   l->neighbour, l->conductance, l->outlet, l->diagonal, l->parent,
                          l->first, l->member,    l->given,       l->value,  l->old};
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++) rill_array_destroy(arrays[a]);
    }
}
