/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow through a network: conjugate gradients, preconditioned by the diagonals of the network and of ever
 * coarser ones that join its chambers block by block.
 * @see Bramble, Pasciak & Xu (1990), doi:10.1090/S0025-5718-1990-1023042-6
 */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* The solution serves a correction that is repeated: a hundredth of the first residual's norm is enough. */
#define REDUCTION 1e-4
enum { ITERATIONS = 2000, CHUNK = 4096 };
/* Keeps parts that nothing leaves solvable: of each diagonal, so much is added to itself. */
#define REGULAR 1e-9

double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b)
{
    const int64_t n = network->chambers, chunks = (n + CHUNK - 1) / CHUNK;
    double *partial = network->work[4], sum = 0;
#pragma omp parallel for schedule(static) if (chunks > 8)
    for (int64_t k = 0; k < chunks; k++) {
        const int64_t end = (k + 1) * CHUNK < n ? (k + 1) * CHUNK : n;
        double part = 0;
        for (int64_t c = k * CHUNK; c < end; c++) part += (weight ? weight[c] : 1) * a[c] * b[c];
        partial[k] = part;
    }
    for (int64_t k = 0; k < chunks; k++) sum += partial[k];
    return sum;
}

/* Rows of the matrix, from the throats. */
static rill_status rows_make(rill_network *network)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    RILL_TRY(rill_array_create_zero((uint64_t)n + 1, sizeof *network->row, "a pore network",
                                    (void **)&network->row));
    RILL_TRY(rill_array_create(2 * network->throats, sizeof *network->neighbour, "a pore network",
                               (void **)&network->neighbour));
    RILL_TRY(rill_array_create(2 * network->throats, sizeof *network->conductance, "a pore network",
                               (void **)&network->conductance));
    RILL_TRY(rill_array_create(n, sizeof *network->diagonal, "a pore network", (void **)&network->diagonal));
    uint64_t *row = network->row;
    for (uint64_t k = 0; k < network->throats; k++)
        for (int e = 0; e < 2; e++) row[network->throat[k].chamber[e] + 1]++;
    for (uint32_t c = 0; c < n; c++) row[c + 1] += row[c];
    for (uint32_t c = 0; c < n; c++) network->diagonal[c] = network->outlet[c];
    for (uint64_t k = 0; k < network->throats; k++)
        for (int e = 0; e < 2; e++) {
            const rill_throat *t = &network->throat[k];
            const uint64_t at = row[t->chamber[e]]++;
            network->neighbour[at] = t->chamber[1 - e];
            network->conductance[at] = t->conductance;
            network->diagonal[t->chamber[e]] += t->conductance;
        }
    memmove(row + 1, row, n * sizeof *row);
    row[0] = 0;
    /* A chamber that nothing leaves keeps its pressure. */
    for (uint32_t c = 0; c < n; c++)
        network->diagonal[c] = network->diagonal[c] > 0 ? network->diagonal[c] * (1 + REGULAR) : 1;
done:
    return status;
}

static uint32_t root_of(uint32_t *parent, uint32_t c)
{
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
}

/* Join what lies in the same blocks of 2^level times the edge and is connected there. */
static rill_status level_make(rill_network *network, uint32_t *member_of, uint32_t before)
{
    rill_status status = RILL_OK;
    const int depth = network->levels + 1;
    rill_network_level *level = &network->level[network->levels];
    const uint32_t n = network->chambers;
    uint32_t *joined = NULL, *place = NULL;
    RILL_TRY(rill_array_create(before, sizeof *joined, "a pore network", (void **)&joined));
    RILL_TRY(rill_array_create(before, sizeof *place, "a pore network", (void **)&place));
    RILL_TRY(rill_array_create(before, sizeof *level->parent, "a pore network", (void **)&level->parent));
    for (uint32_t c = 0; c < before; c++) joined[c] = c;
    for (uint32_t c = 0; c < n; c++) {
        uint32_t number = network->block_of[c], coarse = 0, stride = 1;
        for (int a = 0; a < 3; a++) {
            coarse += (number % network->blocks[a] >> depth) * stride;
            stride *= (network->blocks[a] >> depth) + 1;
            number /= network->blocks[a];
        }
        place[member_of[c]] = coarse;
    }
    for (uint64_t k = 0; k < network->throats; k++) {
        const uint32_t from = member_of[network->throat[k].chamber[0]],
                       to = member_of[network->throat[k].chamber[1]];
        if (place[from] != place[to]) continue;
        const uint32_t low = root_of(joined, from), high = root_of(joined, to);
        joined[low < high ? high : low] = low < high ? low : high;
    }
    level->count = 0;
    for (uint32_t c = 0; c < before; c++) /* roots come before what they join */
        level->parent[c] = joined[c] == c ? level->count++ : level->parent[root_of(joined, c)];
    double **const arrays[] = {&level->diagonal, &level->residual, &level->value};
    for (int k = 0; k < 3; k++)
        RILL_TRY(rill_array_create_zero(level->count, sizeof(double), "a pore network", (void **)arrays[k]));
    for (uint32_t c = 0; c < n; c++) {
        member_of[c] = level->parent[member_of[c]];
        level->diagonal[member_of[c]] += network->outlet[c] + REGULAR * network->diagonal[c];
    }
    for (uint64_t k = 0; k < network->throats; k++) {
        const rill_throat *t = &network->throat[k];
        const uint32_t from = member_of[t->chamber[0]], to = member_of[t->chamber[1]];
        if (from == to) continue;
        level->diagonal[from] += t->conductance;
        level->diagonal[to] += t->conductance;
    }
    network->levels++;
done:
    rill_array_destroy(joined);
    rill_array_destroy(place);
    return status;
}

rill_status rill_network_prepare(rill_network *network)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    uint32_t *member_of, before = n, widest = 0;
    for (int k = 0; k < 5; k++)
        RILL_TRY(rill_array_create_zero(n, sizeof(double), "a pore network", (void **)&network->work[k]));
    RILL_TRY(rows_make(network));
    RILL_TRY(rill_array_create(n, sizeof *member_of, "a pore network", (void **)&network->component_of));
    member_of = network->component_of;
    for (uint32_t c = 0; c < n; c++) member_of[c] = c;
    for (int a = 0; a < 3; a++) widest = network->blocks[a] > widest ? network->blocks[a] : widest;
    while (network->levels < RILL_NETWORK_LEVELS && widest >> network->levels > 0) {
        RILL_TRY(level_make(network, member_of, before));
        before = network->level[network->levels - 1].count;
    }
    network->components = before; /* the last level is one block */
    RILL_TRY(rill_array_create_zero(before, sizeof *network->component, "a pore network",
                                    (void **)&network->component));
    for (uint32_t c = 0; c < n; c++) {
        network->component[member_of[c]].volume += network->volume[c];
        network->component[member_of[c]].outlet += network->outlet[c];
    }
done:
    return status;
}

/* Take off the mean over the nodes of every component that has no outlet: of what chambers gain (per
 * chamber), or of their pressures (per node). */
static void balance(const rill_network *network, bool per_node, double *x)
{
    for (uint32_t k = 0; k < network->components; k++) network->component[k].sum = 0;
    for (uint32_t c = 0; c < network->chambers; c++)
        network->component[network->component_of[c]].sum += x[c] * (per_node ? network->volume[c] : 1);
    for (uint32_t c = 0; c < network->chambers; c++) {
        const rill_network_component *part = &network->component[network->component_of[c]];
        if (part->outlet == 0) x[c] -= part->sum / part->volume * (per_node ? 1 : network->volume[c]);
    }
}

static void multiply(const rill_network *network, const double *x, double *y)
{
#pragma omp parallel for schedule(static) if (network->chambers > 8 * CHUNK)
    for (uint32_t c = 0; c < network->chambers; c++) {
        double flow = network->diagonal[c] * x[c];
        for (uint64_t k = network->row[c]; k < network->row[c + 1]; k++)
            flow -= network->conductance[k] * x[network->neighbour[k]];
        y[c] = flow;
    }
}

static void precondition(rill_network *network, const double *r, double *z)
{
    const double *fine = r;
    uint32_t count = network->chambers;
    for (int k = 0; k < network->levels; k++) {
        rill_network_level *level = &network->level[k];
        memset(level->residual, 0, level->count * sizeof *level->residual);
        for (uint32_t c = 0; c < count; c++) level->residual[level->parent[c]] += fine[c];
        fine = level->residual;
        count = level->count;
    }
    for (int k = network->levels - 1; k >= 0; k--) {
        rill_network_level *level = &network->level[k];
        const rill_network_level *coarser = k + 1 < network->levels ? level + 1 : NULL;
        for (uint32_t c = 0; c < level->count; c++)
            level->value[c] =
                level->residual[c] / level->diagonal[c] + (coarser ? coarser->value[coarser->parent[c]] : 0);
    }
    for (uint32_t c = 0; c < network->chambers; c++)
        z[c] = r[c] / network->diagonal[c] +
               (network->levels ? network->level[0].value[network->level[0].parent[c]] : 0);
}

void rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure)
{
    const uint32_t n = network->chambers;
    double *r = network->work[0], *z = network->work[1], *p = network->work[2], *q = network->work[3];
    for (uint32_t c = 0; c < n; c++) {
        r[c] = gain[c] * viscosity;
        pressure[c] = 0;
    }
    balance(network, false, r);
    precondition(network, r, z);
    memcpy(p, z, n * sizeof *p);
    double rz = rill_network_dot(network, NULL, r, z);
    const double first = rz;
    for (int k = 0; k < ITERATIONS && rz > REDUCTION * first; k++) {
        multiply(network, p, q);
        const double along = rz / rill_network_dot(network, NULL, p, q), before = rz;
        for (uint32_t c = 0; c < n; c++) {
            pressure[c] += along * p[c];
            r[c] -= along * q[c];
        }
        precondition(network, r, z);
        rz = rill_network_dot(network, NULL, r, z);
        for (uint32_t c = 0; c < n; c++) p[c] = z[c] + rz / before * p[c];
    }
    balance(network, true, pressure);
}

rill_status rill_network_create(const rill_domain *domain, uint32_t edge, rill_network *out)
{
    rill_status status = RILL_OK;
    rill_network network = {.edge = edge};
    RILL_TRY(rill_network_find_chambers(domain, &network));
    RILL_TRY(rill_network_find_throats(domain, &network));
    RILL_TRY(rill_network_prepare(&network));
    *out = network;
    network = (rill_network){.edge = 0};
done:
    rill_network_destroy(&network);
    return status;
}

void rill_network_destroy(rill_network *network)
{
    void *arrays[] = {network->chamber_of,  network->block_of, network->volume,       network->centre,
                      network->outlet,      network->throat,   network->row,          network->neighbour,
                      network->conductance, network->diagonal, network->component_of, network->component};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    for (int k = 0; k < 5; k++) rill_array_destroy(network->work[k]);
    for (int k = 0; k < RILL_NETWORK_LEVELS; k++) {
        rill_array_destroy(network->level[k].parent);
        rill_array_destroy(network->level[k].diagonal);
        rill_array_destroy(network->level[k].residual);
        rill_array_destroy(network->level[k].value);
    }
    memset(network, 0, sizeof *network);
}
