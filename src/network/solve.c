/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow through a network: conjugate gradients, preconditioned by a cycle down and up its levels (levels.c)
 * with a sweep of Gauss and Seidel each way, and the way back in reverse, so that it is symmetric. Rows see
 * new values of their own chunk alone, so that chunks are worked on side by side with the same bits for any
 * number of threads; for the matrix of a network, an M-matrix, this converges like the whole sweep.
 * @see Braess (1995), doi:10.1007/BF02238488, for the cycle; Baker et al. (2011), doi:10.1137/100798806, for
 * the sweeps
 */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* The solution serves a correction that is repeated: a hundredth of the first error in the norm of the energy
 * is enough, less takes more cycles of the run (docs/performance.md). */
#define REDUCTION 1e-4
/* Levels of fewer nodes are left to one thread: waiting for others takes longer. */
enum { ITERATIONS = 200, WIDE = 4 * RILL_NETWORK_CHUNK };

static uint32_t chunks_of(uint32_t count)
{
    return (uint32_t)(((uint64_t)count + RILL_NETWORK_CHUNK - 1) / RILL_NETWORK_CHUNK);
}

static uint32_t begin_of(uint32_t chunk) { return chunk * RILL_NETWORK_CHUNK; }

static uint32_t end_of(uint32_t chunk, uint32_t count)
{
    return count - begin_of(chunk) < RILL_NETWORK_CHUNK ? count : begin_of(chunk) + RILL_NETWORK_CHUNK;
}

/* The same bits for any number of threads: that of chunks, one after the other. */
static double sum_of(const double *partial, uint32_t chunks)
{
    double sum = 0;
    for (uint32_t k = 0; k < chunks; k++) sum += partial[k];
    return sum;
}

double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b)
{
    const uint32_t n = network->chambers, chunks = chunks_of(n);
#pragma omp parallel for schedule(static) if (n > WIDE)
    for (uint32_t k = 0; k < chunks; k++) {
        double part = 0;
        for (uint32_t c = begin_of(k); c < end_of(k, n); c++) part += (weight ? weight[c] : 1) * a[c] * b[c];
        network->partial[0][k] = part;
    }
    return sum_of(network->partial[0], chunks);
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

/* What comes in through neighbours `from` … `to` - 1 of the rows. */
static double inflow(const rill_network_level *level, uint64_t from, uint64_t to, const double *x)
{
    double sum = 0;
    for (uint64_t k = from; k < to; k++) sum += level->conductance[k] * x[level->neighbour[k]];
    return sum;
}

/* Sweep through a chunk from values of zero. */
static void forward(const rill_network_level *level, uint32_t chunk)
{
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++) {
        const rill_network_row *row = &level->row[c];
        level->value[c] =
            (level->given[c] + inflow(level, row->before, row->outside, level->value)) / level->diagonal[c];
    }
}

/* Give a chunk of a level what the sweep forward left over on the level before, and sweep. */
static void descend(const rill_network_level *level, uint32_t chunk)
{
    const rill_network_level *finer = level - 1;
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++) {
        double left = 0;
        for (uint32_t m = level->first[c]; m < level->first[c + 1]; m++) {
            const uint32_t member = level->member[m]; /* all but what it has seen */
            left += inflow(finer, finer->row[member].outside, finer->row[member + 1].before, finer->value);
        }
        level->given[c] = left;
    }
    forward(level, chunk);
}

/* Add what the next level has found to the values of a chunk. */
static void ascend(const rill_network_level *level, uint32_t chunk)
{
    const rill_network_level *coarser = level + 1;
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++)
        level->old[c] = level->value[c] + coarser->value[level->parent[c]];
}

/* Sweep back through a chunk. */
static void back(const rill_network_level *level, uint32_t chunk)
{
    for (uint32_t c = end_of(chunk, level->count); c-- > begin_of(chunk);) {
        const rill_network_row *row = &level->row[c];
        level->value[c] = (level->given[c] + inflow(level, row->before, row->behind, level->old) +
                           inflow(level, row->behind, row[1].before, level->value)) /
                          level->diagonal[c];
    }
}

/* What follows is called by all threads together; loops end when all are done. */

static void for_chunks(const rill_network_level *level,
                       void (*work)(const rill_network_level *level, uint32_t chunk))
{
#pragma omp for schedule(static)
    for (uint32_t k = 0; k < chunks_of(level->count); k++) work(level, k);
}

static void for_chunks_alone(const rill_network_level *level,
                             void (*work)(const rill_network_level *level, uint32_t chunk))
{
    for (uint32_t k = 0; k < chunks_of(level->count); k++) work(level, k);
}

/*
 * The cycle below the first level, whose sweep forward is done, and up to it. Its sweep back is left to do
 * where there are other levels.
 */
static void cycle(const rill_network *network)
{
    const rill_network_level *level = network->level;
    const int last = network->levels - 1;
    int wide = 1;
    while (wide <= last && level[wide].count > WIDE) wide++;
    for (int k = 1; k < wide; k++) for_chunks(&level[k], descend);
#pragma omp single
    {
        for (int k = wide; k <= last; k++) for_chunks_alone(&level[k], descend);
        for (int k = last - 1; k >= wide; k--) {
            for_chunks_alone(&level[k], ascend);
            for_chunks_alone(&level[k], back);
        }
    }
    for (int k = wide - 1 < last ? wide - 1 : last - 1; k >= 0; k--) {
        for_chunks(&level[k], ascend);
        if (k > 0) for_chunks(&level[k], back);
    }
}

/* Finish the cycle. @return the product of residual and outcome */
static double finish(const rill_network *network)
{
    const rill_network_level *level = network->level;
    const uint32_t chunks = chunks_of(level->count);
#pragma omp for schedule(static)
    for (uint32_t k = 0; k < chunks; k++) {
        double part = 0;
        if (network->levels > 1) back(level, k);
        for (uint32_t c = begin_of(k); c < end_of(k, level->count); c++)
            part += level->given[c] * level->value[c];
        network->partial[0][k] = part;
    }
    return sum_of(network->partial[0], chunks);
}

/* Find what flows along the direction. @return their product */
static double multiply(const rill_network *network)
{
    const rill_network_level *level = network->level;
    const uint32_t chunks = chunks_of(level->count);
    const double *p = network->direction;
#pragma omp for schedule(static)
    for (uint32_t k = 0; k < chunks; k++) {
        double part = 0;
        for (uint32_t c = begin_of(k); c < end_of(k, level->count); c++) {
            network->flow[c] =
                level->diagonal[c] * p[c] - inflow(level, level->row[c].before, level->row[c + 1].before, p);
            part += network->flow[c] * p[c];
        }
        network->partial[1][k] = part;
    }
    return sum_of(network->partial[1], chunks);
}

/* Go along the direction, and begin the next cycle with what is left. */
static void go(const rill_network *network, double far, double *pressure)
{
    const rill_network_level *level = network->level;
#pragma omp for schedule(static)
    for (uint32_t k = 0; k < chunks_of(level->count); k++) {
        for (uint32_t c = begin_of(k); c < end_of(k, level->count); c++) {
            pressure[c] += far * network->direction[c];
            level->given[c] -= far * network->flow[c];
        }
        forward(level, k);
    }
}

static void turn(const rill_network *network, double keep)
{
    const rill_network_level *level = network->level;
#pragma omp for schedule(static)
    for (uint32_t c = 0; c < level->count; c++)
        network->direction[c] = level->value[c] + keep * network->direction[c];
}

int rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure)
{
    const uint32_t n = network->chambers;
    const rill_network_level *level = network->level;
    int iterations = 0;
    for (uint32_t c = 0; c < n; c++) {
        level->given[c] = gain[c] * viscosity; /* the residual, from here on */
        pressure[c] = network->direction[c] = network->flow[c] = 0;
    }
    balance(network, false, level->given);
    /* All threads find the same sums, and so agree on when to stop. */
#pragma omp parallel if (n > WIDE)
    {
        go(network, 0, pressure);
        cycle(network);
        const double first = finish(network);
        double now = first;
        int k = 0;
        turn(network, 0);
        for (; k < ITERATIONS && now > REDUCTION * first; k++) {
            go(network, now / multiply(network), pressure);
            cycle(network);
            const double before = now;
            now = finish(network);
            turn(network, now / before);
        }
#pragma omp single nowait
        iterations = k;
    }
    balance(network, true, pressure);
    return iterations;
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
    void *arrays[] = {network->chamber_of, network->block_of,     network->volume,    network->centre,
                      network->throat,     network->component_of, network->component, network->direction,
                      network->flow,       network->partial[0],   network->partial[1]};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    rill_network_levels_destroy(network);
    memset(network, 0, sizeof *network);
}
