/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow through a network: conjugate gradients, preconditioned by a cycle down and up its levels (levels.c)
 * with a damped sweep of Jacobi each way. Rows do not wait for each other, so any number of threads gives the
 * same bits.
 * @see Braess (1995), doi:10.1007/BF02238488, for the cycle; Saad (2003), doi:10.1137/1.9780898718003, for
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

/* Of a sweep. Below 1 what alternates from row to row dies out, too. The sandstone and packs take 5 and 4
 * iterations, smooth gains of a large network 9 with 0.9, 10 with 0.7 and 11 with 0.6. */
#define DAMPING 0.9

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
    void (*sweep)(const rill_network_level *level, uint32_t first, uint32_t end);
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

/* What comes in through the links of a row. */
static double inflow(const rill_network_level *level, uint32_t row, const double *x)
{
    double sum = 0;
    for (uint32_t k = level->begin[row]; k < level->begin[row + 1]; k++)
        sum += level->link[k].conductance * x[level->link[k].row];
    return sum;
}

/* Whether no row of a level has links: it is the last. */
static bool is_last(const rill_network_level *level) { return level->begin[level->count] == 0; }

/* Sweep through rows from values of zero; what has no links is solved by that. */
static void forward(const rill_network_level *level, uint32_t first, uint32_t end)
{
    const double damping = is_last(level) ? 1 : DAMPING;
    for (uint32_t c = first; c < end; c++) {
        level->value[c] = damping * level->given[c] * level->inverse[c];
        if (c >= level->joined) level->old[c] = level->value[c]; /* the next level adds nothing */
    }
}

/* Give rows of a level what the sweep left over on the level before, and sweep. */
static void descend(const rill_network_level *level, uint32_t first, uint32_t end)
{
    const rill_network_level *finer = level - 1;
    for (uint32_t c = first; c < end; c++) {
        double left = 0;
        for (uint32_t m = level->first[c]; m < level->first[c + 1]; m++)
            left += (1 - DAMPING) * finer->given[m] + inflow(finer, m, finer->value);
        level->given[c] = left;
    }
    forward(level, first, end);
}

/* Sweep through rows from what the next level has added to. */
static void back(const rill_network_level *level, uint32_t first, uint32_t end)
{
    for (uint32_t c = first; c < end; c++) {
        const double far = (level->given[c] + inflow(level, c, level->old)) * level->inverse[c];
        level->value[c] = level->old[c] + DAMPING * (far - level->old[c]);
    }
}

/* Sweep through rows, unless they are of the last level, and add what was found to the level before. */
static void ascend(const rill_network_level *level, uint32_t first, uint32_t end)
{
    const rill_network_level *finer = level - 1;
    if (!is_last(level)) back(level, first, end);
    for (uint32_t c = first; c < end; c++)
        for (uint32_t m = level->first[c]; m < level->first[c + 1]; m++)
            finer->old[m] = finer->value[m] + level->value[c];
}

static void sweep_rows(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    s->sweep(s->level, (uint32_t)first, (uint32_t)end);
}

static void sweep(const rill_network_level *level,
                  void (*how)(const rill_network_level *level, uint32_t first, uint32_t end))
{
    rill_threads_for(level->count, RILL_NETWORK_CHUNK, sweep_rows, &(chunks){.level = level, .sweep = how});
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
        const uint32_t begin = begin_of((uint32_t)k), behind = end_of((uint32_t)k, level->count);
        double part = 0;
        if (network->levels > 1) back(level, begin, behind);
        for (uint32_t c = begin; c < behind; c++) part += level->given[c] * level->value[c];
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
            network->flow[c] = p[c] / level->inverse[c] - inflow(level, c, p);
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

static void go_rows(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    const rill_network_level *level = s->network->level;
    for (uint64_t c = first; c < end; c++) {
        s->network->found[c] += s->factor * s->network->direction[c];
        level->given[c] -= s->factor * s->network->flow[c];
    }
    forward(level, (uint32_t)first, (uint32_t)end);
}

/* Go along the direction, and begin the next cycle with what is left. */
static void go(const rill_network *network, double far)
{
    rill_threads_for(network->level->count, RILL_NETWORK_CHUNK, go_rows,
                     &(chunks){.network = network, .factor = far});
}

static void turn_rows(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    for (uint64_t c = first; c < end; c++)
        s->network->direction[c] = s->network->level->value[c] + s->factor * s->network->direction[c];
}

static void turn(const rill_network *network, double keep)
{
    rill_threads_for(network->level->count, RILL_NETWORK_CHUNK, turn_rows,
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
