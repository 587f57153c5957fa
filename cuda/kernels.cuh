// SPDX-License-Identifier: Apache-2.0
// The kernels of a variant for CUDA, compiled by nvcc and by NVRTC: no header of the host's libraries here.
// One thread makes the update of one node. The including file defines RILL_ARITHMETIC and a variant.
#ifndef RILL_CUDA_KERNELS_CUH
#define RILL_CUDA_KERNELS_CUH

#include "cuda/compiled.h"
#include "cuda/registers.cuh"
#include "kernel/launch.h"
#include "kernel/node.h"
#include "kernel/node_groups.h"
#include "kernel/sums.h"
#include "kernel/storage/counters.h"
#include "kernel/boundary/walls.h"

// What says where populations are and how they are stored, as a type; values are those of rill.h.
template <int L, int S, int A, int T, int P, int B, int H> struct layout {
    static constexpr int lattice = L, stream = S, addressing = A, storage = T, arithmetic = P, bounce = B,
                         shift = H;
    static constexpr int parities = rill_stream_parities(S);
    static constexpr bool walls_in_step = rill_walls_in_step(S, A, T, P);
    static constexpr bool populations = !rill_stream_macroscopic(S); // are what is stored
    // Whether kernels with offsets of 32 bits are compiled, too: D3Q27 pulls in fp32 are 2 % slower with
    // them. Where density and momentum are stored, these kernels step groups of nodes.
    static constexpr bool narrows =
        A == RILL_BITMAP &&
        (populations ? !(L == RILL_D3Q27 && S == RILL_PULL && T == RILL_FP32) : rill_dimensions(L) == 3);
    static constexpr bool narrow = false; // offsets are such
    static constexpr rill_layout stored() { return {L, S, A, B, T, H}; }
};
#define RILL_CUDA_LAYOUT(NAME, L, S, A, T, P, B, H) using NAME = layout<L, S, A, T, P, B, H>;

// A variant: what its steps do besides.
#define RILL_CUDA_VARIANT(NAME, L, C, E, S, A, T, P, R, B, H)                                                \
    struct NAME : layout<L, S, A, T, P, B, H> {                                                              \
        using base = layout<L, S, A, T, P, B, H>;                                                            \
        static constexpr int collision = C, equilibrium = E, rheology = R;                                   \
    };

// Devices before compute capability 9.0, for which ptxas needs more registers per thread.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
constexpr bool older_device = true;
#else
constexpr bool older_device = false;
#endif

// Return whether a step computes the offsets of populations at neighbours a second time for writing, instead
// of keeping them, which takes a third of the registers: where that is faster, measured in
// docs/development/performance-journal.md.
template <class V> constexpr bool offsets_again(const int parity)
{
    return V::addressing == RILL_BITMAP && (V::narrow || V::lattice != RILL_D3Q27) &&
           rill_stream_in_place(V::stream) && rill_slot_looks(V::stream, parity, false);
}

// Registers that a step of a variant may use; see registers.cuh.
template <class V> constexpr int registers_of(const int parity, const bool at_walls, const bool narrow)
{
    if (sizeof(rill_scalar) == 8 || !rill_storage_bounded(V::storage) || V::rheology != RILL_NEWTONIAN)
        return RILL_REGISTERS_MOST;
    const int kind = at_walls ? RILL_STEP_WALLS : parity ? RILL_STEP_ODD : RILL_STEP_EVEN;
    const int registers = rill_registers_of(V::lattice, V::collision, V::equilibrium, V::stream,
                                            V::addressing, (int)rill_storage_size(V::storage), kind, narrow);
    return registers == RILL_REGISTERS_MOST ? registers
                                            : registers + (older_device ? RILL_REGISTERS_OLDER : 0);
}

// Blocks that share the 65,536 registers of a multiprocessor. A compiler that finds spills nevertheless
// requests fewer blocks than these by RILL_CUDA_FEWER.
#ifndef RILL_CUDA_FEWER
#define RILL_CUDA_FEWER 0
#endif
template <class V> constexpr int threads_of(const int parity)
{
    return rill_cuda_step_threads(V::lattice, V::stream, V::addressing, parity);
}

template <class V> constexpr int resident_blocks(const int parity, const bool at_walls, const bool narrow)
{
    const int blocks = 65536 / (registers_of<V>(parity, at_walls, narrow) * threads_of<V>(parity)) -
                       RILL_CUDA_FEWER * 128 / threads_of<V>(parity);
    return blocks > 1 ? blocks : 1;
}

// Of the other kernels.
enum { RILL_CUDA_RESIDENT = sizeof(rill_scalar) == 8 ? 1 : 2 };

// Return what the counter of a lane's group says; `full` for lanes that have none to watch.
static __device__ __forceinline__ uint32_t counter_seen(const rill_arrays &from, const uint64_t block,
                                                        const uint32_t threads, const uint32_t full)
{
    uint32_t count, seen = full;
    const uint32_t *counters = from.counters;
    const uint32_t low = rill_counters_readers(&from, block, threads, &count);
    if (threadIdx.x < count)
        asm volatile(
            "ld.relaxed.gpu.global.u32 %0, [%1];"
            : "=r"(seen)
            : "l"(__cvta_generic_to_global(counters + (size_t)(low + threadIdx.x) * RILL_COUNTERS_WORDS))
            : "memory"); // no write comes before it
    return seen;
}

// Numbers of nodes in a step: 32 bits save registers where offsets are narrow, and cost some elsewhere.
template <bool narrow> struct number_of_node {
    using type = uint64_t;
};
template <> struct number_of_node<true> {
    using type = rill_node;
};

// A variant as a step reads, computes and writes: with offsets of 32 bits or not. A step that is linear in
// its populations computes with those of fp16s as they are stored, 2^15 times as large, and multiplies the
// force alone: 1 to 2.6 % faster on an H200. Powers of two change no other bit of a result.
template <class V, bool narrow_offsets> struct stepping : V {
    using number = typename number_of_node<narrow_offsets>::type;
    static constexpr bool narrow = narrow_offsets;
    static constexpr bool scaled =
        V::storage == RILL_FP16S && V::equilibrium == RILL_STOKES && V::rheology == RILL_NEWTONIAN &&
        (V::collision == RILL_TRT || V::collision == RILL_SRT) && V::shift == RILL_SHIFTED;
    static constexpr int storage = scaled ? RILL_FP16 : V::storage;
    static __device__ __forceinline__ void collide(const rill_rates &rates, const rill_carrier &carrier,
                                                   const uint64_t n, rill_real *f)
    {
        rill_rates own = rates;
        for (int a = 0; a < 3 && scaled; a++) own.force[a] *= rill_power(rill_storage_scale(V::storage));
        const rill_view view = {&own, &carrier, n};
        rill_collide(V::lattice, V::collision, V::equilibrium, V::rheology, &view, f);
    }
};

// Return n, so that the compiler does not know it to be n: what was computed from that is then computed again
// instead of kept, where a step has not the registers to keep it in.
static __device__ __forceinline__ rill_node opaque_to_compiler(rill_node n)
{
    asm volatile("" : "+r"(n));
    return n;
}

// What the links of a node need to be interpolated, see rill_walls_in_step(). Lanes of a warp share out the
// loads of weights, which are consecutive, and all loads are issued before any is waited for: a step has few
// other warps to hide a second round trip to memory behind.
template <class V> struct at_wall {
    uint32_t mask;              // bits of links that have weights, see rill_wall_bit()
    uint32_t solid;             // of these, links to walls
    uint32_t own, count;        // weights: where this lane's begin among those of the warp, all
    float weight;               // number `lane` of the warp's
    rill_real sent[RILL_Q_MAX]; // along i, from a node with a wall on link i; along opp(i) where it is open

    // Looks up what a bundle has. All lanes of a warp must come here.
    __device__ __forceinline__ void find(const rill_wall_weights &walls, const rill_wall_bundle &bundle,
                                         const bool node, const rill_links_of_node &links)
    {
        const uint32_t lane = threadIdx.x % RILL_BUNDLE;
        mask = solid = own = count = 0;
        if (bundle.lanes == 0) return;
        RILL_UNROLL
        for (int i = 1; i < rill_q(V::lattice); i++) mask |= 1u << rill_wall_bit<V>(i);
        solid = node && (bundle.lanes >> lane & 1) ? mask & links.walls : 0;
        mask = solid;
        RILL_UNROLL
        for (int i = 1; i <= rill_wall_fluxes(V::lattice); i++)
            mask |= node && (bundle.lanes >> lane & 1) ? 1u << rill_wall_bit<V>(i) : 0;
        own = rill_popcount(mask);
        uint32_t behind = own;
        RILL_UNROLL
        for (int d = 1; d < RILL_BUNDLE; d *= 2) {
            const uint32_t before = __shfl_up_sync(0xFFFFFFFFu, behind, d);
            if (lane >= d) behind += before;
        }
        count = __shfl_sync(0xFFFFFFFFu, behind, RILL_BUNDLE - 1);
        own = behind - own;
        if (lane < count) weight = walls.weights[bundle.first + lane];
        // Lines of the other weights, which interpolate() has the registers for.
        if (lane > 0 && lane * RILL_BUNDLE < count + RILL_BUNDLE)
            asm volatile("prefetch.global.L2 [%0];" ::"l"(
                __cvta_generic_to_global(walls.weights + bundle.first + min(lane * RILL_BUNDLE, count - 1))));
    }

    // Loads without branches but one, which would have to come together again eighteen times.
    __device__ __forceinline__ void read(const rill_arrays &arrays, const rill_node n)
    {
        const auto *populations = (const float *)arrays.populations;
        if (count == 0) return;
        RILL_UNROLL
        for (int i = 1; i < rill_q(V::lattice); i++) {
            float stored = 0;
            const bool turned = i <= rill_wall_fluxes(V::lattice) && !(solid >> rill_wall_bit<V>(i) & 1);
            const size_t out = rill_slot_offset(V::lattice, V::stream, &arrays,
                                                rill_slot_out(V::stream, 0, rill_opposite(i), n, {n, false})),
                         back = rill_slot_offset(V::lattice, V::stream, &arrays,
                                                 rill_slot_out(V::stream, 0, i, n, {n, false}));
            asm("{.reg .pred wall;\n\tsetp.ne.u32 wall, %2, 0;\n\t@wall ld.global.f32 %0, [%1];}"
                : "+f"(stored)
                : "l"(__cvta_generic_to_global(populations + (turned ? back : out))),
                  "r"(mask & 1u << rill_wall_bit<V>(i)));
            sent[i] = rill_population_shift(V::lattice, V::shift, i, stored);
        }
    }

    __device__ __forceinline__ void interpolate(const rill_wall_weights &walls, const rill_node n,
                                                float *shared, rill_real *f) const
    {
        const uint32_t lane = threadIdx.x % RILL_BUNDLE;
        if (count == 0) return;
        if (lane < count) shared[lane] = weight;
        if (count > RILL_BUNDLE) { // loaded again: the step has no register to keep it in
            const uint32_t first = walls.bundles[n / RILL_BUNDLE].first;
#pragma unroll 1 // mostly once
            for (uint32_t k = lane + RILL_BUNDLE; k < count; k += RILL_BUNDLE)
                shared[k] = walls.weights[first + k];
        }
        __syncwarp();
        uint32_t next = (uint32_t)__cvta_generic_to_shared(shared + own);
        float gains = 0, on = 0;
        RILL_UNROLL
        for (int i = 1; i < rill_q(V::lattice); i++) {
            const bool wall = solid >> rill_wall_bit<V>(i) & 1;
            float w = 0; // of a link without a weight: it gains nothing
            asm volatile("{.reg .pred weighed;\n\tsetp.ne.u32 weighed, %2, 0;\n\t"
                         "@weighed ld.shared.f32 %0, [%1];\n\t@weighed add.u32 %1, %1, 4;}"
                         : "+f"(w), "+r"(next)
                         : "r"(mask & 1u << rill_wall_bit<V>(i))
                         : "memory");
            const bool axis = i <= rill_wall_fluxes(V::lattice); // has a weight at a wall or not
            if (axis) on += wall ? 0 : rill_wall_gain(w, f[i], sent[i]);
            const rill_real other = w < 0 ? sent[i] : f[rill_opposite(i)],
                            gain = axis && !wall ? 0 : rill_wall_gain(fabsf(w), f[i], other);
            f[i] += gain;
            gains += gain;
        }
        f[0] -= gains - on;
    }
};

// Prefetches the populations of nodes that later blocks will read into the second-level cache.
// Two arrays and a ring buffer have enough warps to wait; measured in
// docs/development/performance-journal.md.
template <class V, int parity>
static __device__ __forceinline__ void ask_ahead(const rill_arrays &from, const uint64_t block)
{
#if __CUDA_ARCH__ >= 900
    constexpr int threads = threads_of<V>(parity);
    const unsigned bytes = rill_q(V::lattice) * (unsigned)rill_storage_size(V::storage);
    if (!rill_stream_in_place(V::stream) ||
        (!rill_slot_looks(V::stream, parity, false) && rill_storage_size(V::storage) > 2))
        return;
    if (threadIdx.x == 0 && block + from.ahead + threads <= from.stride)
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(
                         (const char *)from.populations + (block + from.ahead) * bytes)),
                     "r"(threads * bytes));
#else
    (void)from, (void)block;
#endif
}

// Lets the next kernel of the stream begin as soon as there is room for it, if it is launched so: see
// wait_for_kernel_before().
static __device__ __forceinline__ void let_next_kernel_begin()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}

// A kernel that was started while the one before ended waits here for its results. What no kernel of a step
// writes may be read before; see start() in launch.cu.
static __device__ __forceinline__ void wait_for_kernel_before()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

template <class V, int parity, bool at_walls, bool narrow>
__global__ void __launch_bounds__(threads_of<V>(parity), resident_blocks<V>(parity, at_walls, narrow))
    step_kernel(const rill_arrays from, const rill_arrays to, const rill_rates rates, const rill_node first,
                const rill_node end, const rill_wall_weights walls, const rill_carrier carrier)
{
    using step = stepping<V, narrow || !V::populations>;
    constexpr int threads = threads_of<V>(parity);
    let_next_kernel_begin();
    wait_for_kernel_before();
    const typename step::number block = first + (typename step::number)blockIdx.x * threads,
                                n = block + threadIdx.x;
    if constexpr (!V::populations && narrow) {
        if (n / RILL_WARP < from.warps) rill_group_step<step>(&from, &to, &rates, n);
        return;
    } else if constexpr (!V::populations) {
        if (threadIdx.x < end - block) rill_stored_step<step>(&from, &to, &rates, n);
        return;
    }
    constexpr bool ring = rill_stream_ring(V::stream);
    ask_ahead<V, parity>(from, block);
    const uint32_t full = (from.steps_before + 1) << from.counter_bits;
    uint32_t seen = 0;
    if (ring) seen = counter_seen(from, block, threads, full);
    rill_links_of_node links;
    rill_real f[RILL_Q_MAX];
    rill_wall_bundle bundle = {};
    // There are bundles up to the stride, which the last block may pass; lanes of a warp decide alike.
    if (at_walls && threadIdx.x / RILL_BUNDLE * RILL_BUNDLE < end - block)
        bundle = walls.bundles[n / RILL_BUNDLE];
    const bool node =
        (narrow ? threadIdx.x < end - block : n < end) && rill_links_look_up<V>(parity, &from, n, &links);
    if constexpr (at_walls) {
        __shared__ float weights[threads / RILL_BUNDLE][RILL_BUNDLE * (rill_q(V::lattice) - 1)];
        at_wall<V> wall;
        wall.find(walls, bundle, node, links);
        if (node) rill_node_read<step>(parity, &from, n, &links, f);
        wall.read(from, n);
        wall.interpolate(walls, opaque_to_compiler(n), weights[threadIdx.x / RILL_BUNDLE], f);
    } else if (node) {
        rill_node_read<step>(parity, &from, n, &links, f);
    }
    if (node) step::collide(rates, carrier, n, f);
    if (ring) {
        if (threadIdx.x < 32)
            while (!__all_sync(0xFFFFFFFFu, (int32_t)(seen - full) >= 0))
                seen = counter_seen(from, block, threads, full);
        // All that a node read is in its f[0]: a thread that uses it here has read it, so that the count
        // depends on what was read, and the writes of other blocks depend on the count, by the branch above.
        // A read that saw such a write would have to come before itself, which no order of dependencies
        // allows (axiom "no thin air" of PTX's memory model). A release and an acquire would say so once
        // more, for 5 to 6 and 1 to 2 % of the speed.
        const bool unusual = node && f[0] != f[0];
        __syncthreads_or(unusual);
        if (threadIdx.x == 0)
            asm volatile("red.relaxed.gpu.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(
                             from.counters + (block >> from.counter_bits) * RILL_COUNTERS_WORDS)),
                         "r"(threads)
                         : "memory");
    }
    if (node)
        rill_node_write<step>(parity, &to,
                              at_walls || offsets_again<step>(parity) ? opaque_to_compiler(n) : n, &links, f);
}

// Density deviation, momentum, velocity and rest population of a node; see rill_moments and rill_resting().
struct node_values {
    double density, momentum[3], velocity[3], resting;
};

template <class P>
static __device__ bool values_of(const int equilibrium, const int parity, const rill_arrays &arrays,
                                 const rill_rates &rates, const rill_node n, node_values &v)
{
    rill_moments m;
    if constexpr (!P::populations)
        m = rill_stored_moments<P>(&arrays, &rates, n);
    else if (!rill_node_moments<P>(parity, &arrays, &rates, n, &m))
        return false;
    v.resting = 0;
    if (P::bounce == RILL_FULL_WAY) v.resting = rill_node_resting<P>(parity, &arrays, n);
    v.density = m.density;
    const double scale = equilibrium == RILL_SECOND_ORDER ? 1.0 / (1.0 + v.density) : 1.0;
    for (int a = 0; a < 3; a++) {
        v.momentum[a] = m.momentum[a];
        v.velocity[a] = v.momentum[a] * scale;
    }
    return true;
}

static __device__ void partial_add(rill_partial &p, const rill_partial &q)
{
    p.mass += q.mass;
    p.resting += q.resting;
    p.speed += q.speed;
    p.kinetic += q.kinetic;
    p.elastic += q.elastic;
    for (int a = 0; a < 3; a++) p.momentum[a] += q.momentum[a];
    p.speed_squared_max = fmax(p.speed_squared_max, q.speed_squared_max);
    p.density_max = fmax(p.density_max, q.density_max);
    p.not_finite += q.not_finite;
}

static __device__ rill_partial partial_of(const node_values &v)
{
    rill_partial q = {};
    q.mass = v.density;
    q.resting = v.resting;
    for (int a = 0; a < 3; a++) {
        q.momentum[a] = v.momentum[a];
        q.speed_squared_max += v.velocity[a] * v.velocity[a];
    }
    q.speed = sqrt(q.speed_squared_max);
    q.kinetic = 0.5 * q.speed_squared_max;
    q.elastic = v.density * v.density / 6;
    q.density_max = fabs(v.density);
    q.not_finite = !isfinite(v.density + q.speed_squared_max);
    return q;
}

// Sums the partials of a block's threads by halves, so that the order is always the same.
static __device__ void partials_sum(rill_partial *shared, rill_partial *out)
{
    for (int half = RILL_CUDA_THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) partial_add(shared[threadIdx.x], shared[threadIdx.x + half]);
    }
    if (threadIdx.x == 0) *out = shared[0];
}

// Writes the velocity of a node, or averages it with the one that was, for the speeds of a partial.
static __device__ void keep_or_average(float *kept, const uint64_t count, const bool mean, node_values &v,
                                       rill_partial &p)
{
    double squared = 0;
    for (uint64_t a = 0; a < 3; a++) {
        if (!mean) kept[a * count] = (float)v.velocity[a];
        const double u = mean ? 0.5 * (v.velocity[a] + (double)kept[a * count]) : v.velocity[a];
        squared += u * u;
    }
    p.speed = sqrt(squared);
    p.speed_squared_max = squared;
}

// Of the kernel that reads moments.
template <class P> constexpr int reading_blocks()
{
    return sizeof(rill_scalar) == 8 ? 1 : rill_q(P::lattice) > 19 || P::addressing == RILL_DENSE ? 2 : 3;
}

// Reads the moments of nodes, to be written out or to be summed. One block works on one chunk: threads stride
// through it; for sums they then halve, so that the order is always the same.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, reading_blocks<P>())
    read_kernel(const rill_arrays arrays, const rill_rates rates, const int equilibrium, const int parity,
                const rill_node *order, const rill_node first, const rill_node count, double *out,
                rill_partial *partials, float *velocities, const bool mean, const uint32_t *labels,
                int64_t *label_sums)
{
    __shared__ rill_partial shared[RILL_CUDA_THREADS]; // registers are better used by more threads
    shared[threadIdx.x] = {};
    for (int i = threadIdx.x; i < RILL_CHUNK; i += RILL_CUDA_THREADS) {
        const uint64_t k = (uint64_t)blockIdx.x * RILL_CHUNK + i;
        if (k >= count) break;
        node_values v;
        if (!values_of<P>(equilibrium, parity, arrays, rates, order ? order[k] : (rill_node)(first + k), v))
            continue;
        if (out) {
            out[k] = v.density;
            for (uint64_t a = 0; a < 3; a++) out[(a + 1) * count + k] = v.velocity[a];
        } else {
            rill_partial q = partial_of(v);
            if (velocities) keep_or_average(velocities + k, count, mean, v, q);
            partial_add(shared[threadIdx.x], q);
            if (labels) rill_sum_add(&label_sums[labels[k]], rill_sum_units(v.density));
        }
    }
    if (partials) partials_sum(shared, partials + blockIdx.x);
}

// What storing 16 bits does to the populations that a node sends out in the step to come; see
// rill_sim_rounding(). For what has no other rounding: TRT, or SRT, whose rates are the same, and Stokes
// flow.
template <class P>
static __device__ rill_partial rounding_of(const int parity, const rill_arrays &arrays,
                                           const rill_rates &rates, const rill_node n)
{
    rill_partial p = {};
    rill_links_of_node links;
    rill_real came[RILL_Q_MAX], sent[RILL_Q_MAX];
    if (!rill_links_look_up<P>(parity, &arrays, n, &links)) return p;
    rill_node_read<P>(parity, &arrays, n, &links, came);
    RILL_UNROLL
    for (int i = 0; i < rill_q(P::lattice); i++) sent[i] = came[i];
    const rill_view view = {&rates, nullptr, n, rill_moments_of(P::lattice, &rates, sent)};
    rill_collide_trt(P::lattice, RILL_STOKES, RILL_NEWTONIAN, &view, sent);
    RILL_UNROLL
    for (int i = 0; i < rill_q(P::lattice); i++) {
        const rill_real given = rill_population_unshift(P::lattice, P::shift, i, sent[i]);
        const rill_real kept = rill_storage_decode(P::storage, rill_storage_encode(P::storage, given));
        const double error = (double)rill_population_shift(P::lattice, P::shift, i, kept) - (double)sent[i];
        p.kinetic -= (double)came[rill_opposite(i)] * error / rill_w(P::lattice, i);
        p.mass += error;
        for (int a = 0; a < 3; a++) p.momentum[a] += rill_c(P::lattice, i, a) * error;
    }
    return p;
}

template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, 1)
    round_kernel(const rill_arrays arrays, const rill_rates rates, const int parity, const rill_node first,
                 const rill_node end, rill_partial *partials)
{
    __shared__ rill_partial shared[RILL_CUDA_THREADS];
    rill_partial p = {};
    if constexpr (P::storage != RILL_FP32 && P::storage != RILL_FP64)
        for (int i = threadIdx.x; i < RILL_CHUNK; i += RILL_CUDA_THREADS) {
            const uint64_t k = first + (uint64_t)blockIdx.x * RILL_CHUNK + i;
            if (k < end) partial_add(p, rounding_of<P>(parity, arrays, rates, (rill_node)k));
        }
    shared[threadIdx.x] = p;
    partials_sum(shared, partials + blockIdx.x);
}

template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, 1) // adding holds what is there and what comes
    set_kernel(const rill_arrays arrays, const rill_rates rates, const int equilibrium, const int parity,
               const rill_node *order, const rill_node first, const rill_node count, const double *in,
               const bool add)
{
    const uint64_t k = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (k >= count) return;
    rill_real density = 0, velocity[3] = {0, 0, 0};
    if (in) {
        density = (rill_scalar)in[k];
        for (uint64_t a = 0; a < 3 && !add; a++) velocity[a] = (rill_scalar)in[(a + 1) * count + k];
    }
    const rill_node n = order ? order[k] : (rill_node)(first + k);
    if constexpr (P::populations)
        rill_node_set<P>(equilibrium, parity, &arrays, &rates, n, density, velocity, add);
    else
        rill_stored_set<P>(&arrays, &rates, n, density, velocity, add);
}

template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, RILL_CUDA_RESIDENT)
    swap_kernel(const rill_arrays arrays, const rill_arrays before, const rill_rates rates, const int parity,
                const rill_swap *swaps, const size_t count)
{
    const size_t k = (size_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (k >= count) return;
    if constexpr (!P::populations) {
        if (k == 0 || swaps[k - 1].node[0] != swaps[k].node[0])
            rill_stored_swap<P>(&arrays, &before, &rates, swaps, k, count);
        return;
    }
    const rill_swap s = swaps[k];
    size_t slot[2];
    for (int e = 0; e < 2; e++)
        slot[e] = rill_incoming(P::lattice, P::stream, P::addressing, P::bounce, parity, &arrays, s.node[e],
                                s.direction[e]);
    // What changes sign is the deviation from rest, also where plain populations are stored.
    const rill_scalar rest[2] = {rill_population_rest(P::lattice, P::shift, s.direction[0]),
                                 rill_population_rest(P::lattice, P::shift, s.direction[1])};
    const rill_scalar first = rill_storage_load(P::storage, arrays.populations, slot[0]) - rest[0];
    const rill_scalar second = rill_storage_load(P::storage, arrays.populations, slot[1]) - rest[1];
    rill_storage_store(P::storage, arrays.populations, slot[0], s.sign * second + rest[0]);
    rill_storage_store(P::storage, arrays.populations, slot[1], s.sign * first + rest[1]);
}

// A stored population, as it is.
template <size_t size> struct word_of;
template <> struct word_of<2> {
    using type = uint16_t;
};
template <> struct word_of<4> {
    using type = uint32_t;
};
template <> struct word_of<8> {
    using type = uint64_t;
};

// Copies what comes in at links, or the rows of nodes, to words or from them.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_CROSS_THREADS)
    cross_kernel(const rill_arrays arrays, const int parity, const rill_cut_link *links,
                 const rill_node first, const rill_node nodes, const rill_node *order, const uint64_t count,
                 void *words, const bool pack)
{
    constexpr size_t size = P::storage == RILL_FP64 ? 8 : P::storage == RILL_FP32 ? 4 : 2;
    using word = typename word_of<size>::type;
    const uint64_t stride = (uint64_t)gridDim.x * RILL_CUDA_CROSS_THREADS,
                   begin = (uint64_t)blockIdx.x * RILL_CUDA_CROSS_THREADS + threadIdx.x;
    if constexpr (!P::populations)
        if (links && count && !(links->direction & RILL_CUT_SLOT)) { // what arrives is stored nowhere
            for (uint64_t k = begin; k < count; k += stride)
                ((rill_scalar *)words)[k] =
                    rill_stored_arriving<P>(&arrays, links[k].node, (int)links[k].direction);
            return;
        }
    word *at[RILL_CUDA_CROSS_LINKS], value[RILL_CUDA_CROSS_LINKS];
    RILL_UNROLL
    for (int j = 0; j < RILL_CUDA_CROSS_LINKS; j++) {
        const uint64_t k = begin + j * stride;
        if (k < count)
            at[j] = (word *)arrays.populations +
                    rill_cut_slot(P::stored(), parity, &arrays,
                                  rill_cut_link_at(P::lattice, links, first, nodes, order, k));
    }
    RILL_UNROLL
    for (int j = 0; j < RILL_CUDA_CROSS_LINKS; j++) {
        const uint64_t k = begin + j * stride;
        if (k < count) value[j] = pack ? *at[j] : ((const word *)words)[k];
    }
    RILL_UNROLL
    for (int j = 0; j < RILL_CUDA_CROSS_LINKS; j++) {
        const uint64_t k = begin + j * stride;
        if (k < count) *(pack ? (word *)words + k : at[j]) = value[j];
    }
}

// Replaces links by the slots of their populations.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, RILL_CUDA_RESIDENT)
    locate_kernel(const rill_arrays arrays, const int parity, rill_cut_link *links, const uint64_t count)
{
    const uint64_t k = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (k < count) links[k] = rill_cut_located(rill_cut_slot(P::stored(), parity, &arrays, links[k]));
}

template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, RILL_CUDA_RESIDENT) wrap_kernel(const rill_arrays arrays)
{
    if constexpr (!P::populations) return;
    const uint64_t k = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (k >= arrays.ghosts) return;
    for (int i = 0; i < rill_q(P::lattice); i++)
        rill_storage_store(
            P::storage, arrays.populations,
            rill_slot_offset(P::lattice, RILL_RING, &arrays,
                             {(uint32_t)i, arrays.first_ghost + (rill_node)k}),
            rill_storage_load(P::storage, arrays.populations,
                              rill_slot_offset(P::lattice, RILL_RING, &arrays, {(uint32_t)i, (rill_node)k})));
}

// Takes moments and stress of listed nodes.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, 1)
    sample_kernel(const rill_arrays arrays, const rill_rates rates, const int equilibrium, const int rheology,
                  const int parity, const rill_node *nodes, const uint64_t count, double *out)
{
    if constexpr (!P::populations) return;
    const uint64_t k = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (k >= count) return;
    node_values v;
    if (!values_of<P>(equilibrium, parity, arrays, rates, nodes[k], v)) return;
    const rill_tensor stress = rill_node_stress<P>(equilibrium, rheology, parity, &arrays, &rates, nodes[k]);
    out[k] = v.density;
    for (int a = 0; a < 3; a++) {
        out[(1 + a) * count + k] = v.velocity[a];
        out[(4 + a) * count + k] = stress.diagonal[a];
        out[(7 + a) * count + k] = stress.mixed[a];
    }
}

#include "cuda/boundary.cuh"

#endif
