// SPDX-License-Identifier: Apache-2.0
// The kernels of one part for CUDA, compiled once for each lattice and storage (the Makefile sets
// RILL_PART_LATTICE and RILL_PART_STORAGE). One thread makes the update of one node.
#define RILL_JOIN_(a, b) a##b
#define RILL_JOIN(a, b) RILL_JOIN_(a, b)
#define RILL_ARITHMETIC_FP32 float
#define RILL_ARITHMETIC_FP64 double
#define RILL_ARITHMETIC RILL_JOIN(RILL_ARITHMETIC_, RILL_PART_STORAGE)

#include "kernel/launch.h"
#include "kernel/node.h"

namespace
{

constexpr int lattice = RILL_JOIN(RILL_, RILL_PART_LATTICE);
constexpr int storage = RILL_JOIN(RILL_, RILL_PART_STORAGE);
constexpr int threads = 256; // of the kernels that are not the step

// Registers that a step of a variant needs to stay clear of spills, found with ptxas: in-place schemes that
// look upstream hold addresses besides populations.
constexpr int registers_of(int equilibrium, int stream, int parity)
{
    const bool holds = !rill_stream_two_arrays(stream) && rill_slot_looks(stream, parity, false);
    const bool second_order = equilibrium == RILL_SECOND_ORDER;
    if (sizeof(rill_scalar) == 4 && lattice == RILL_D3Q19)
        return holds ? (second_order ? 96 : 80) : (second_order ? 80 : 64);
    if (sizeof(rill_scalar) == 4) return holds ? 128 : 96;
    return holds ? (lattice == RILL_D3Q19 ? 168 : 255) : (lattice == RILL_D3Q19 ? 128 : 192);
}

// Threads of a block, and blocks that share the 65,536 registers of a multiprocessor.
constexpr int step_threads = 128;
constexpr int resident_blocks(int registers) { return 65536 / (registers * step_threads); }

unsigned blocks_of(uint64_t work) { return (unsigned)((work + threads - 1) / threads); }

__host__ __device__ constexpr rill_plan plan_of(int stream)
{
    return {lattice, stream, RILL_LIST, RILL_HALF_WAY, storage};
}

template <int collision, int equilibrium, int stream, int parity>
__global__ void __launch_bounds__(step_threads, resident_blocks(registers_of(equilibrium, stream, parity)))
    step_kernel(const rill_arrays from, const rill_arrays to, const rill_rates rates, const rill_node nodes)
{
    // Where slots follow from upstream nodes, computing them again costs registers instead of saving them.
    constexpr bool again = rill_stream_two_arrays(stream) || !rill_slot_looks(stream, parity, false);
    const uint64_t n = (uint64_t)blockIdx.x * step_threads + threadIdx.x;
    if (n < nodes)
        rill_node_update(plan_of(stream), collision, equilibrium, parity, &from, again ? &to : &from, &rates,
                         (rill_node)n);
}

template <int collision, int equilibrium, int stream> void step_launch(const rill_launch *launch)
{
    const unsigned blocks = (unsigned)(((uint64_t)launch->nodes + step_threads - 1) / step_threads);
    const rill_rates rates = rill_rates_of(launch);
    if constexpr (rill_stream_parities(stream) == 2) {
        if (launch->parity == 1) {
            step_kernel<collision, equilibrium, stream, 1>
                <<<blocks, step_threads>>>(launch->from, launch->to, rates, launch->nodes);
            return;
        }
    }
    step_kernel<collision, equilibrium, stream, 0>
        <<<blocks, step_threads>>>(launch->from, launch->to, rates, launch->nodes);
}

void step(const rill_launch *launch)
{
    const rill_variant v = launch->variant;
#define RILL_VARIANT(L, C, E, S, A, T, N, R, B, H)                                                           \
    if (RILL_##L == lattice && RILL_##T == storage && v.collision == RILL_##C &&                             \
        v.equilibrium == RILL_##E && v.stream == RILL_##S && v.addressing == RILL_##A) {                     \
        step_launch<RILL_##C, RILL_##E, RILL_##S>(launch);                                                   \
        return;                                                                                              \
    }
#include "kernel/variants.def"
}

// Density deviation, momentum and velocity of a node; see rill_moments.
struct values {
    double density, momentum[3], velocity[3];
};

__device__ values node_values(const rill_variant variant, const int parity, const rill_arrays &arrays,
                              const rill_rates &rates, const rill_node n)
{
    rill_moments m;
    if (variant.stream == RILL_PULL)
        rill_node_moments(plan_of(RILL_PULL), 0, &arrays, &rates, n, &m);
    else if (parity == 0)
        rill_node_moments(plan_of(RILL_AA), 0, &arrays, &rates, n, &m);
    else
        rill_node_moments(plan_of(RILL_AA), 1, &arrays, &rates, n, &m);
    values v;
    v.density = m.density;
    const double scale = variant.equilibrium == RILL_SECOND_ORDER ? 1.0 / (1.0 + v.density) : 1.0;
    for (int a = 0; a < 3; a++) {
        v.momentum[a] = m.momentum[a];
        v.velocity[a] = v.momentum[a] * scale;
    }
    return v;
}

__device__ void add(rill_partial &p, const rill_partial &q)
{
    p.mass += q.mass;
    for (int a = 0; a < 3; a++) p.momentum[a] += q.momentum[a];
    p.speed_squared_max = fmax(p.speed_squared_max, q.speed_squared_max);
    p.density_max = fmax(p.density_max, q.density_max);
    p.not_finite += q.not_finite;
}

// One block sums one chunk: threads stride through it, then halve; the order is always the same.
__global__ void __launch_bounds__(threads)
    totals_kernel(const rill_variant variant, const int parity, const rill_arrays arrays,
                  const rill_rates rates, const rill_node nodes, rill_partial *partials)
{
    __shared__ rill_partial shared[threads];
    rill_partial p = {};
    for (int k = threadIdx.x; k < RILL_CHUNK; k += threads) {
        const uint64_t n = (uint64_t)blockIdx.x * RILL_CHUNK + k;
        if (n >= nodes) break;
        const values v = node_values(variant, parity, arrays, rates, (rill_node)n);
        rill_partial q = {};
        q.mass = v.density;
        for (int a = 0; a < 3; a++) {
            q.momentum[a] = v.momentum[a];
            q.speed_squared_max += v.velocity[a] * v.velocity[a];
        }
        q.density_max = fabs(v.density);
        q.not_finite = !isfinite(v.density + q.speed_squared_max);
        add(p, q);
    }
    shared[threadIdx.x] = p;
    for (int half = threads / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) add(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) partials[blockIdx.x] = shared[0];
}

void totals(const rill_launch *launch, rill_partial *partials)
{
    const unsigned chunks = (unsigned)(((uint64_t)launch->nodes + RILL_CHUNK - 1) / RILL_CHUNK);
    totals_kernel<<<chunks, threads>>>(launch->variant, launch->parity, launch->from, rill_rates_of(launch),
                                       launch->nodes, partials);
}

__global__ void moments_kernel(const rill_variant variant, const int parity, const rill_arrays arrays,
                               const rill_rates rates, const rill_node first, const rill_node count,
                               double *out)
{
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (k >= count) return;
    const values v = node_values(variant, parity, arrays, rates, (rill_node)(first + k));
    out[k] = v.density;
    for (uint64_t a = 0; a < 3; a++) out[(a + 1) * count + k] = v.velocity[a];
}

void moments(const rill_launch *launch, rill_node first, rill_node count, double *out)
{
    moments_kernel<<<blocks_of(count), threads>>>(launch->variant, launch->parity, launch->from,
                                                  rill_rates_of(launch), first, count, out);
}

__global__ void set_kernel(const rill_variant variant, const int parity, const rill_arrays arrays,
                           const rill_rates rates, const rill_node first, const rill_node count,
                           const double *in)
{
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (k >= count) return;
    rill_real density = 0, velocity[3] = {0, 0, 0};
    if (in) {
        density = (rill_scalar)in[k];
        for (uint64_t a = 0; a < 3; a++) velocity[a] = (rill_scalar)in[(a + 1) * count + k];
    }
    const rill_node n = (rill_node)(first + k);
#define RILL_SET(E, S, P) rill_node_set(plan_of(S), E, P, &arrays, &rates, n, density, velocity)
    const bool second_order = variant.equilibrium == RILL_SECOND_ORDER;
    if (variant.stream == RILL_PULL) {
        if (second_order)
            RILL_SET(RILL_SECOND_ORDER, RILL_PULL, 0);
        else
            RILL_SET(RILL_STOKES, RILL_PULL, 0);
    } else if (parity == 0) {
        if (second_order)
            RILL_SET(RILL_SECOND_ORDER, RILL_AA, 0);
        else
            RILL_SET(RILL_STOKES, RILL_AA, 0);
    } else {
        if (second_order)
            RILL_SET(RILL_SECOND_ORDER, RILL_AA, 1);
        else
            RILL_SET(RILL_STOKES, RILL_AA, 1);
    }
#undef RILL_SET
}

void set(const rill_launch *launch, rill_node first, rill_node count, const double *values)
{
    set_kernel<<<blocks_of(count), threads>>>(launch->variant, launch->parity, launch->from,
                                              rill_rates_of(launch), first, count, values);
}

__global__ void swap_kernel(const rill_variant variant, const int parity, const rill_arrays arrays,
                            const rill_swap *swaps, const size_t count)
{
    const size_t k = (size_t)blockIdx.x * threads + threadIdx.x;
    if (k >= count) return;
    const rill_swap s = swaps[k];
    size_t slot[2];
    for (int e = 0; e < 2; e++)
        slot[e] = rill_incoming(lattice, variant.stream, variant.addressing, variant.bounce, parity, &arrays,
                                s.node[e], s.direction[e]);
    const rill_scalar first = rill_storage_load(storage, arrays.populations, slot[0]);
    const rill_scalar second = rill_storage_load(storage, arrays.populations, slot[1]);
    rill_storage_store(storage, arrays.populations, slot[0], s.sign * second);
    rill_storage_store(storage, arrays.populations, slot[1], s.sign * first);
}

void swap(const rill_launch *launch, const rill_swap *swaps, size_t count)
{
    swap_kernel<<<blocks_of(count), threads>>>(launch->variant, launch->parity, launch->from, swaps, count);
}

__global__ void wrap_kernel(const rill_arrays arrays)
{
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (k >= arrays.ghosts) return;
    for (int i = 0; i < rill_q(lattice); i++)
        rill_storage_store(
            storage, arrays.populations, rill_slot(RILL_RING, &arrays, i, arrays.first_ghost + (rill_node)k),
            rill_storage_load(storage, arrays.populations, rill_slot(RILL_RING, &arrays, i, (rill_node)k)));
}

void wrap(const rill_launch *launch)
{
    wrap_kernel<<<blocks_of(launch->from.ghosts), threads>>>(launch->from);
}

} // namespace

#define RILL_KERNELS(L, T) RILL_KERNELS_(L, T)
#define RILL_KERNELS_(L, T) rill_kernels_cuda_##L##_##T
extern "C" {
extern const rill_kernels RILL_KERNELS(RILL_PART_LATTICE, RILL_PART_STORAGE);
const rill_kernels RILL_KERNELS(RILL_PART_LATTICE, RILL_PART_STORAGE) = {step, totals, moments,
                                                                         set,  swap,   wrap};
}
