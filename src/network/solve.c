/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Flow through a network: conjugate gradients, preconditioned by a cycle down and up its levels (levels.c)
 * with a damped sweep of Jacobi each way. Rows do not wait for each other, so any number of threads gives the
 * same bits.
 * @see Braess (1995), doi:10.1007/BF02238488, for the cycle; Saad (2003), doi:10.1137/1.9780898718003, for
 * the sweeps
 */
#include "core/log.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "network/network.h"

#include <string.h>

/* The solution is used in a correction that is repeated: a hundredth of the first error in the norm of the
 * energy is enough, less takes more cycles of the run (docs/development/performance-journal.md). */
#define REDUCTION 1e-4
enum { ITERATIONS = 200 };

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
    const double *weight, *a, *b;
} chunks;

static void dot_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    for (uint64_t k = first; k < end; k++) {
        double part = 0;
        for (uint32_t c = begin_of((uint32_t)k); c < end_of((uint32_t)k, s->network->chambers); c++)
            part += (s->weight ? s->weight[c] : 1) * s->a[c] * s->b[c];
        s->network->partial[k] = part;
    }
}

double rill_network_dot(const rill_network *network, const double *weight, const double *a, const double *b)
{
    const uint32_t count = rill_flow_chunks(network->chambers);
    rill_threads_for(count, 1, dot_chunks, &(chunks){.network = network, .weight = weight, .a = a, .b = b});
    return sum_of(network->partial, count);
}

/* What solves: processors, with the arrays of the network, or a device, with its copy. */
typedef struct solver {
    rill_device *device; /* NULL: processors */
    const rill_network *network;
    const rill_flow_level *level;
    rill_flow all; /* of a loop over rows, but for the levels */
} solver;

static rill_status work(const solver *s, rill_flow_work what, int level, double factor)
{
    rill_flow flow = s->all;
    flow.level = s->level[level];
    if (level > 0) flow.finer = s->level[level - 1];
    flow.factor = factor;
    return rill_flow_rows(s->device, what, &flow);
}

/* Do some work to the rows of the first level. @param[out] sum  of products */
static rill_status sum_up(const solver *s, rill_flow_work what, double *sum)
{
    rill_status status = RILL_OK;
    const uint32_t count = rill_flow_chunks(s->network->chambers);
    RILL_TRY(work(s, what, 0, 0));
    if (s->device)
        RILL_TRY(rill_device_download(s->device, s->network->partial, s->all.partial,
                                      count * sizeof *s->all.partial));
    *sum = sum_of(s->network->partial, count);
done:
    return status;
}

/* Begin, or go along the direction, and make the cycle down the levels and up. @param[out] product  of
 * residual and outcome */
static rill_status cycle(const solver *s, rill_flow_work with, double far, double *product)
{
    rill_status status = RILL_OK;
    const int last = s->network->levels - 1;
    RILL_TRY(work(s, with, 0, far));
    for (int k = 1; k <= last; k++) RILL_TRY(work(s, RILL_FLOW_DESCEND, k, 0));
    for (int k = last; k > 0; k--) RILL_TRY(work(s, RILL_FLOW_ASCEND, k, 0));
    RILL_TRY(sum_up(s, RILL_FLOW_FINISH, product));
done:
    return status;
}

/* Conjugate gradients. */
static rill_status iterate(const solver *s, int *iterations)
{
    rill_status status = RILL_OK;
    double first = 0, now = 0, product = 0;
    *iterations = 0;
    RILL_TRY(cycle(s, RILL_FLOW_BEGIN, 0, &first));
    now = first;
    RILL_TRY(work(s, RILL_FLOW_TURN, 0, 0));
    for (; *iterations < ITERATIONS && now > REDUCTION * first; ++*iterations) {
        const double before = now;
        RILL_TRY(sum_up(s, RILL_FLOW_MULTIPLY, &product));
        if (!(product > 0)) break; /* rounding alone: the same pressure everywhere */
        RILL_TRY(cycle(s, RILL_FLOW_GO, now / product, &now));
        RILL_TRY(work(s, RILL_FLOW_TURN, 0, now / before));
    }
done:
    return status;
}

static solver on_processors(const rill_network *network)
{
    return (solver){.network = network,
                    .level = network->level,
                    .all = {.found = network->found,
                            .direction = network->direction,
                            .flow = network->flow,
                            .partial = network->partial}};
}

/* The same on a device: what is given goes there, what is found comes back. */
static rill_status iterate_on_device(rill_network *network, int *iterations)
{
    rill_status status = RILL_OK;
    const rill_network_copy *copy = &network->copy;
    rill_device *device = copy->device;
    const uint64_t bytes = network->chambers * sizeof(double);
    const solver s = {.device = device,
                      .network = network,
                      .level = copy->level,
                      .all = {.found = copy->found,
                              .direction = copy->direction,
                              .flow = copy->flow,
                              .partial = copy->partial}};
    RILL_TRY(rill_device_upload(device, copy->level->given, network->level->given, bytes));
    RILL_TRY(iterate(&s, iterations));
    RILL_TRY(rill_device_download(device, network->found, copy->found, bytes));
done:
    return status;
}

/* Find the pressures of what is given. A device that fails is not used again. @return iterations */
static int pressures_find(rill_network *network)
{
    int iterations = 0;
    const solver processors = on_processors(network);
    if (network->copy.memory) {
        if (iterate_on_device(network, &iterations) == RILL_OK) return iterations;
        rill_log(RILL_LOG_DEBUG, "pore network: %s: its pressures are found on processors",
                 rill_error_message());
        rill_network_take_off(network);
    }
    iterate(&processors, &iterations); /* cannot fail */
    return iterations;
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
        s->network->partial[k] = sum;
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
        const uint32_t count = part->end - part->first, pieces = rill_flow_chunks(count);
        rill_threads_for(pieces, 1, sum_chunks, &s);
        s.factor = sum_of(network->partial, pieces) / part->volume;
        rill_threads_for(count, RILL_NETWORK_CHUNK, shift, &s);
    }
}

static void end_at(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    for (uint64_t row = first; row < end; row++) {
        const uint32_t c = s->network->chamber[row];
        s->x[row] = s->gain[c] + s->pressure[c];
    }
}

static void leave_from(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    for (uint64_t row = first; row < end; row++) {
        const uint32_t c = s->network->chamber[row];
        s->pressure[c] = s->x[row] - s->gain[c];
    }
}

void rill_network_balance(rill_network *network, const double *pressure, double *step)
{
    const rows s = {.network = network, .gain = pressure, .pressure = step, .x = network->found};
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, end_at, &s);
    balance(network, true, network->found);
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, leave_from, &s);
}

static void give(const void *shared, uint64_t first, uint64_t end)
{
    const rows *s = shared;
    const rill_network *network = s->network;
    for (uint64_t row = first; row < end; row++) {
        network->level->given[row] = s->gain[network->chamber[row]] * s->factor; /* the residual later on */
    }
}

static void chambers_set_pressures(const void *shared, uint64_t first, uint64_t end)
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
    const int iterations = pressures_find(network);
    balance(network, true, network->found);
    rill_threads_for(network->chambers, RILL_NETWORK_CHUNK, chambers_set_pressures, &s);
    return iterations;
}

void rill_network_destroy(rill_network *network)
{
    rill_network_take_off(network);
    rill_network_levels_destroy(network);
    void *arrays[] = {network->base,   network->block_of,  network->volume,  network->centre,
                      network->throat, network->outlet,    network->chamber, network->closed,
                      network->found,  network->direction, network->flow,    network->partial};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    memset(network, 0, sizeof *network);
}
