/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernels of one part for the CPU, compiled once for each lattice, storage and x86-64 level (the
 * Makefile sets RILL_PART_LATTICE, RILL_PART_STORAGE and RILL_PART_LEVEL). Threads share the nodes in
 * blocks of RILL_LANES; no result depends on how many threads or lanes there are.
 */
#define RILL_JOIN_(a, b) a##b
#define RILL_JOIN(a, b) RILL_JOIN_(a, b)

#define RILL_ARITHMETIC_FP32 float
#define RILL_ARITHMETIC_FP64 double
#define RILL_ARITHMETIC RILL_JOIN(RILL_ARITHMETIC_, RILL_PART_STORAGE)
#define RILL_VECTOR_BYTES_v2 16
#define RILL_VECTOR_BYTES_v3 32
#define RILL_VECTOR_BYTES_v4 64
#define RILL_VECTOR_BYTES RILL_JOIN(RILL_VECTOR_BYTES_, RILL_PART_LEVEL)

#include "kernel/launch.h"
#include "kernel/node.h"

#include <math.h>

enum {
    lattice = RILL_JOIN(RILL_, RILL_PART_LATTICE),
    storage = RILL_JOIN(RILL_, RILL_PART_STORAGE),
    lanes = RILL_LANES
};

static rill_plan plan_of(const rill_launch *launch)
{
    const rill_variant v = launch->variant;
    return (rill_plan){lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, storage};
}

/* Stamp one function per variant of this part and parity. */
#define RILL_STEP(L, C, E, S, A, T, P)                                                                       \
    static void step_##L##_##T##_##C##_##E##_##S##_##A##_##P(const rill_launch *launch)                      \
    {                                                                                                        \
        if ((int)RILL_##L != lattice || (int)RILL_##T != storage) return; /* another part */                 \
        const rill_arrays from = launch->from, to = launch->to;                                              \
        const rill_rates rates = rill_rates_of(launch);                                                      \
        const int64_t blocks = ((int64_t)launch->nodes + RILL_BLOCK - 1) / RILL_BLOCK;                       \
        _Pragma("omp parallel for schedule(static)") for (int64_t block = 0; block < blocks; block++)        \
            rill_node_update((rill_plan){lattice, RILL_##S, RILL_##A, RILL_HALF_WAY, storage}, RILL_##C,     \
                             RILL_##E, P, &from, &to, &rates, (rill_node)(block * RILL_BLOCK));              \
    }
#define RILL_VARIANT(L, C, E, S, A, T, N, R, B, H)                                                           \
    RILL_STEP(L, C, E, S, A, T, 0)                                                                           \
    RILL_STEP(L, C, E, S, A, T, 1)
#include "kernel/variants.def"

static void step(const rill_launch *launch)
{
    const rill_variant v = launch->variant;
#define RILL_VARIANT(L, C, E, S, A, T, N, R, B, H)                                                           \
    if ((int)RILL_##L == lattice && (int)RILL_##T == storage && v.collision == RILL_##C &&                   \
        v.equilibrium == RILL_##E && v.stream == RILL_##S && v.addressing == RILL_##A) {                     \
        if (rill_stream_parities(RILL_##S) == 2 && launch->parity == 1)                                      \
            step_##L##_##T##_##C##_##E##_##S##_##A##_1(launch);                                              \
        else                                                                                                 \
            step_##L##_##T##_##C##_##E##_##S##_##A##_0(launch);                                              \
        return;                                                                                              \
    }
#include "kernel/variants.def"
}

/* The moments of a block, one array each. */
typedef struct values {
    double density[RILL_BLOCK], momentum[3][RILL_BLOCK], velocity[3][RILL_BLOCK];
} values;

/* Velocity from moments: u = j / rho, or j itself where the equilibrium reads momentum as rho_0 u. */
static void block_values(const rill_launch *launch, const rill_rates *rates, uint64_t n, values *out)
{
    rill_moments m[RILL_VECTORS];
    rill_node_moments(plan_of(launch), launch->parity, &launch->from, rates, (rill_node)n, m);
    for (int k = 0; k < RILL_BLOCK; k++) {
        out->density[k] = (double)m[k / lanes].density[k % lanes];
        const double scale =
            launch->variant.equilibrium == RILL_SECOND_ORDER ? 1.0 / (1.0 + out->density[k]) : 1.0;
        for (int a = 0; a < 3; a++) {
            out->momentum[a][k] = (double)m[k / lanes].momentum[a][k % lanes];
            out->velocity[a][k] = out->momentum[a][k] * scale;
        }
    }
}

static rill_partial chunk_totals(const rill_launch *launch, const rill_rates *rates, uint64_t first,
                                 uint64_t end)
{
    rill_partial p = {0};
    for (uint64_t n = first; n < end; n += RILL_BLOCK) {
        values v;
        block_values(launch, rates, n, &v);
        for (uint64_t k = 0; k < RILL_BLOCK && n + k < end; k++) {
            const double speed_squared = v.velocity[0][k] * v.velocity[0][k] +
                                         v.velocity[1][k] * v.velocity[1][k] +
                                         v.velocity[2][k] * v.velocity[2][k];
            p.mass += v.density[k];
            for (int a = 0; a < 3; a++) p.momentum[a] += v.momentum[a][k];
            if (speed_squared > p.speed_squared_max) p.speed_squared_max = speed_squared;
            if (fabs(v.density[k]) > p.density_max) p.density_max = fabs(v.density[k]);
            p.not_finite += !isfinite(v.density[k] + speed_squared);
        }
    }
    return p;
}

static void totals(const rill_launch *launch, rill_partial *partials)
{
    const rill_rates rates = rill_rates_of(launch);
    const int64_t chunks = ((int64_t)launch->nodes + RILL_CHUNK - 1) / RILL_CHUNK;
#pragma omp parallel for schedule(static)
    for (int64_t chunk = 0; chunk < chunks; chunk++) {
        const uint64_t first = (uint64_t)chunk * RILL_CHUNK, end = first + RILL_CHUNK;
        partials[chunk] = chunk_totals(launch, &rates, first, end < launch->nodes ? end : launch->nodes);
    }
}

static void moments(const rill_launch *launch, rill_node first, rill_node count, double *out)
{
    const rill_rates rates = rill_rates_of(launch);
    const int64_t from = first / RILL_BLOCK, to = ((int64_t)first + count + RILL_BLOCK - 1) / RILL_BLOCK;
#pragma omp parallel for schedule(static)
    for (int64_t block = from; block < to; block++) {
        values v;
        block_values(launch, &rates, (uint64_t)block * RILL_BLOCK, &v);
        for (int64_t l = 0; l < RILL_BLOCK; l++) {
            const int64_t k = block * RILL_BLOCK + l - (int64_t)first;
            if (k < 0 || k >= (int64_t)count) continue;
            out[k] = v.density[l];
            for (int a = 0; a < 3; a++) out[(int64_t)(a + 1) * count + k] = v.velocity[a][l];
        }
    }
}

static void set(const rill_launch *launch, rill_node first, rill_node count, const double *given)
{
    const rill_rates rates = rill_rates_of(launch);
    const rill_variant v = launch->variant;
    const int64_t from = first / lanes, to = ((int64_t)first + count + lanes - 1) / lanes;
#pragma omp parallel for schedule(static)
    for (int64_t block = from; block < to; block++) {
        rill_real density = {0}, velocity[3] = {{0}, {0}, {0}};
        for (int l = 0; l < lanes && given; l++) {
            const int64_t k = block * lanes + l - (int64_t)first;
            if (k < 0 || k >= (int64_t)count) continue;
            density[l] = (rill_scalar)given[k];
            for (int a = 0; a < 3; a++) velocity[a][l] = (rill_scalar)given[(int64_t)(a + 1) * count + k];
        }
        rill_node_set(plan_of(launch), (int)v.equilibrium, launch->parity, &launch->from, &rates,
                      (rill_node)(block * lanes), density, velocity);
    }
}

static void swap(const rill_launch *launch, const rill_swap *swaps, size_t count)
{
    const rill_plan plan = plan_of(launch);
    const rill_arrays *arrays = &launch->from;
#pragma omp parallel for schedule(static)
    for (size_t k = 0; k < count; k++) {
        size_t slot[2];
        for (int e = 0; e < 2; e++)
            slot[e] = rill_incoming(plan.lattice, plan.stream, plan.addressing, plan.bounce, launch->parity,
                                    arrays, swaps[k].node[e], swaps[k].direction[e]);
        const rill_scalar sign = swaps[k].sign;
        const rill_scalar first = rill_storage_load(storage, arrays->populations, slot[0]);
        const rill_scalar second = rill_storage_load(storage, arrays->populations, slot[1]);
        rill_storage_store(storage, arrays->populations, slot[0], sign * second);
        rill_storage_store(storage, arrays->populations, slot[1], sign * first);
    }
}

static void wrap(const rill_launch *launch)
{
    const rill_arrays *arrays = &launch->from;
#pragma omp parallel for schedule(static)
    for (rill_node k = 0; k < arrays->ghosts; k++)
        for (int i = 0; i < rill_q(lattice); i++)
            rill_storage_store(
                storage, arrays->populations, rill_slot(RILL_RING, arrays, i, arrays->first_ghost + k),
                rill_storage_load(storage, arrays->populations, rill_slot(RILL_RING, arrays, i, k)));
}

#define RILL_KERNELS(L, T, V) RILL_KERNELS_(L, T, V)
#define RILL_KERNELS_(L, T, V) rill_kernels_cpu_##L##_##T##_##V
extern const rill_kernels RILL_KERNELS(RILL_PART_LATTICE, RILL_PART_STORAGE, RILL_PART_LEVEL);
const rill_kernels RILL_KERNELS(RILL_PART_LATTICE, RILL_PART_STORAGE,
                                RILL_PART_LEVEL) = {step, totals, moments, set, swap, wrap};
