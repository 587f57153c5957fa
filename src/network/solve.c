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
#include "core/threads.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* The solution is used in a correction that is repeated: a hundredth of the first error in the norm of the
 * energy is enough, less takes more cycles of the run (docs/development/performance-journal.md). */
#define REDUCTION 1e-4
enum { ITERATIONS = 200 };

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

/* What a loop over chunks works with. */
typedef struct chunks {
    const rill_network *network;
    const rill_network_level *level;
    void (*sweep)(const rill_network_level *level, uint32_t chunk);
    const double *weight, *a, *b;
    double factor, *pressure;
} chunks;

static void dot_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    for (uint64_t k = first; k < end; k++) {
        double part = 0;
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, s->network->chambers); c++)
            part += (s->weight ? s->weight[c] : 1) * s->a[c] * s->b[c];
        s->network->partial[0][k] = part;
    }
}

double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b)
{
    const uint32_t count = chunks_of(network->chambers);
    rill_threads_for(count, 1, dot_chunks, &(chunks){.network = network, .weight = weight, .a = a, .b = b});
    return sum_of(network->partial[0], count);
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

static void sweep_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    for (uint64_t k = first; k < end; k++) s->sweep(s->level, (uint32_t)k);
}

static void sweep(const rill_network_level *level,
                  void (*how)(const rill_network_level *level, uint32_t chunk))
{
    rill_threads_for(chunks_of(level->count), 1, sweep_chunks, &(chunks){.level = level, .sweep = how});
}

/*
 * The cycle below the first level, whose sweep forward is done, and up to it. Its sweep back is left to do
 * where there are other levels.
 */
static void cycle(const rill_network *network)
{
    const rill_network_level *level = network->level;
    const int last = network->levels - 1;
    for (int k = 1; k <= last; k++) sweep(&level[k], descend);
    for (int k = last - 1; k >= 0; k--) {
        sweep(&level[k], ascend);
        if (k > 0) sweep(&level[k], back);
    }
}

static void finish_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const rill_network *network = ((const chunks *)shared)->network;
    const rill_network_level *level = network->level;
    for (uint64_t k = first; k < end; k++) {
        double part = 0;
        if (network->levels > 1) back(level, (uint32_t)k);
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, level->count); c++)
            part += level->given[c] * level->value[c];
        network->partial[0][k] = part;
    }
}

/* Finish the cycle. @return the product of residual and outcome */
static double finish(const rill_network *network)
{
    const uint32_t count = chunks_of(network->level->count);
    rill_threads_for(count, 1, finish_chunks, &(chunks){.network = network});
    return sum_of(network->partial[0], count);
}

static void multiply_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const rill_network *network = ((const chunks *)shared)->network;
    const rill_network_level *level = network->level;
    const double *p = network->direction;
    for (uint64_t k = first; k < end; k++) {
        double part = 0;
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, level->count); c++) {
            network->flow[c] =
                level->diagonal[c] * p[c] - inflow(level, level->row[c].before, level->row[c + 1].before, p);
            part += network->flow[c] * p[c];
        }
        network->partial[1][k] = part;
    }
}

/* Find what flows along the direction. @return their product */
static double multiply(const rill_network *network)
{
    const uint32_t count = chunks_of(network->level->count);
    rill_threads_for(count, 1, multiply_chunks, &(chunks){.network = network});
    return sum_of(network->partial[1], count);
}

static void go_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    const rill_network_level *level = s->network->level;
    for (uint64_t k = first; k < end; k++) {
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, level->count); c++) {
            s->pressure[c] += s->factor * s->network->direction[c];
            level->given[c] -= s->factor * s->network->flow[c];
        }
        forward(level, (uint32_t)k);
    }
}

/* Go along the direction, and begin the next cycle with what is left. */
static void go(const rill_network *network, double far, double *pressure)
{
    rill_threads_for(chunks_of(network->level->count), 1, go_chunks,
                     &(chunks){.network = network, .factor = far, .pressure = pressure});
}

static void turn_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    const rill_network_level *level = s->network->level;
    for (uint32_t c = begin_of((uint32_t)first); c < end_of((uint32_t)end - 1, level->count); c++)
        s->network->direction[c] = level->value[c] + s->factor * s->network->direction[c];
}

static void turn(const rill_network *network, double keep)
{
    rill_threads_for(chunks_of(network->level->count), 1, turn_chunks,
                     &(chunks){.network = network, .factor = keep});
}

/* Conjugate gradients. @return iterations */
static int iterate(const rill_network *network, double *pressure)
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
    return k;
}

int rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure)
{
    const uint32_t n = network->chambers;
    const rill_network_level *level = network->level;
    for (uint32_t c = 0; c < n; c++) {
        level->given[c] = gain[c] * viscosity; /* the residual, from here on */
        pressure[c] = network->direction[c] = network->flow[c] = 0;
    }
    balance(network, false, level->given);
    const int iterations = iterate(network, pressure);
    balance(network, true, pressure);
    return iterations;
}

void rill_network_destroy(rill_network *network)
{
    void *arrays[] = {network->base,   network->block_of,     network->volume,    network->centre,
                      network->throat, network->component_of, network->component, network->direction,
                      network->flow,   network->partial[0],   network->partial[1]};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    rill_network_levels_destroy(network);
    memset(network, 0, sizeof *network);
}
