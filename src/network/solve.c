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
    double factor;
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

/* What comes in through links `from` … `to` - 1 of the rows. */
static double inflow(const rill_network_level *level, uint32_t from, uint32_t to, const double *x)
{
    double sum = 0;
    for (uint32_t k = from; k < to; k++) sum += level->link[k].conductance * x[level->link[k].row];
    return sum;
}

/* Sweep through a chunk from values of zero. */
static void forward(const rill_network_level *level, uint32_t chunk)
{
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++) {
        const rill_network_row *row = &level->row[c];
        level->value[c] =
            (level->given[c] + inflow(level, row->before, row->outside, level->value)) * level->inverse[c];
        if (c >= level->joined) level->old[c] = level->value[c]; /* the next level adds nothing */
    }
}

/* Give a chunk of a level what the sweep forward left over on the level before, and sweep. */
static void descend(const rill_network_level *level, uint32_t chunk)
{
    const rill_network_level *finer = level - 1;
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++) {
        double left = 0;
        for (uint32_t m = level->first[c]; m < level->first[c + 1]; m++) /* all but what it has seen */
            left += inflow(finer, finer->row[m].outside, finer->row[m + 1].before, finer->value);
        level->given[c] = left;
    }
    forward(level, chunk);
}

/* Sweep back through a chunk. */
static void back(const rill_network_level *level, uint32_t chunk)
{
    for (uint32_t c = end_of(chunk, level->count); c-- > begin_of(chunk);) {
        const rill_network_row *row = &level->row[c];
        level->value[c] = (level->given[c] + inflow(level, row->before, row->behind, level->old) +
                           inflow(level, row->behind, row[1].before, level->value)) *
                          level->inverse[c];
    }
}

/* Sweep back through a chunk, unless it is of the last level, and add what it finds to the level before. */
static void ascend(const rill_network_level *level, uint32_t chunk)
{
    const rill_network_level *finer = level - 1;
    if (level->row[level->count].before > 0) back(level, chunk);
    for (uint32_t c = begin_of(chunk); c < end_of(chunk, level->count); c++)
        for (uint32_t m = level->first[c]; m < level->first[c + 1]; m++)
            finer->old[m] = finer->value[m] + level->value[c];
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
    for (int k = last; k > 0; k--) sweep(&level[k], ascend);
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
                p[c] / level->inverse[c] - inflow(level, level->row[c].before, level->row[c + 1].before, p);
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
            s->network->found[c] += s->factor * s->network->direction[c];
            level->given[c] -= s->factor * s->network->flow[c];
        }
        forward(level, (uint32_t)k);
    }
}

/* Go along the direction, and begin the next cycle with what is left. */
static void go(const rill_network *network, double far)
{
    rill_threads_for(chunks_of(network->level->count), 1, go_chunks,
                     &(chunks){.network = network, .factor = far});
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
static int iterate(const rill_network *network)
{
    go(network, 0);
    cycle(network);
    const double first = finish(network);
    double now = first;
    int k = 0;
    turn(network, 0);
    for (; k < ITERATIONS && now > REDUCTION * first; k++) {
        const double product = multiply(network);
        if (!(product > 0)) break; /* rounding alone: the same pressure everywhere */
        go(network, now / product);
        cycle(network);
        const double before = now;
        now = finish(network);
        turn(network, now / before);
    }
    return k;
}

/* What a loop over rows works with. */
typedef struct rows {
    const rill_network *network;
    const double *gain;
    double factor, *pressure;
    /* Of balance(). */
    const rill_network_closed *part;
    double *x;
    bool per_node;
} rows;

static double nodes_of(const rill_network *network, uint64_t row)
{
    return network->volume[network->chamber[row]];
}

static void sum_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    const uint32_t count = s->part->end - s->part->first;
    for (uint64_t k = first; k < end; k++) {
        double sum = 0;
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, count); c++) {
            const uint32_t row = s->part->first + c;
            sum += s->x[row] * (s->per_node ? nodes_of(s->network, row) : 1);
        }
        s->network->partial[0][k] = sum;
    }
}

static void shift(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    for (uint64_t row = s->part->first + first; row < s->part->first + end; row++)
        s->x[row] -= s->factor * (s->per_node ? 1 : nodes_of(s->network, row));
}

/* Take off the mean over the nodes of what has no outlet: of what rows gain (per row), or of
 * their pressures (per node). */
static void balance(const rill_network *network, bool per_node, double *x)
{
    for (uint32_t k = 0; k < network->closed_count; k++) {
        const rill_network_closed *part = &network->closed[k];
        rows s = {.network = network, .part = part, .x = x, .per_node = per_node};
        const uint32_t count = part->end - part->first, pieces = chunks_of(count);
        rill_threads_for(pieces, 1, sum_chunks, &s);
        s.factor = sum_of(network->partial[0], pieces) / part->volume;
        rill_threads_for(count, RILL_NETWORK_CHUNK, shift, &s);
    }
}

static void give(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    const rill_network *network = s->network;
    for (uint64_t row = first; row < end; row++) {
        network->level->given[row] = s->gain[network->chamber[row]] * s->factor; /* the residual later on */
        network->found[row] = network->direction[row] = network->flow[row] = 0;
    }
}

static void take(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    for (uint64_t row = first; row < end; row++)
        s->pressure[s->network->chamber[row]] = s->network->found[row];
}

int rill_network_solve(rill_network *network, const double *gain, double viscosity, double *pressure)
{
    const rows s = {.network = network, .gain = gain, .factor = viscosity, .pressure = pressure};
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, give, &s);
    /* Where all gain alike, as by rounding, what is left is rounding: it has a mean, which nothing can carry
     * away, and only the second time takes it off. */
    for (int k = 0; k < 2; k++) balance(network, false, network->level->given);
    const int iterations = iterate(network);
    balance(network, true, network->found);
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, take, &s);
    return iterations;
}

void rill_network_destroy(rill_network *network)
{
    void *arrays[] = {network->base,      network->block_of,  network->volume,  network->centre,
                      network->throat,    network->outlet,    network->chamber, network->closed,
                      network->found,     network->direction, network->flow,    network->partial[0],
                      network->partial[1]};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    rill_network_levels_destroy(network);
    memset(network, 0, sizeof *network);
}
