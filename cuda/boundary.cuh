// SPDX-License-Identifier: Apache-2.0
// What comes back behind a step: the links of patches, those with interpolated bounce-back, and sponge
// layers. kernels.cuh, whose end includes it, has what kernels share.
#ifndef RILL_CUDA_BOUNDARY_CUH
#define RILL_CUDA_BOUNDARY_CUH

#include "kernel/boundary/outlet.h"
#include "kernel/boundary/sponge.h"
#include "kernel/boundary/walls.h"

// Return a population of link i of a node, shifted: opp(i) sent, or i to come in.
template <class P>
static __device__ double link_value(const rill_arrays &arrays, const int parity, const rill_node n,
                                    const int i, const bool sent)
{
    return (double)rill_storage_load(P::storage, arrays.populations,
                                     rill_patch_slot(P::stored(), parity, &arrays, n, i, sent)) -
           (double)rill_population_rest(P::lattice, P::shift, i);
}

// Finds rho - 1 and velocity of a node in the step just made: collisions add the force, of which half counts.
template <class P>
static __device__ double patch_node(const rill_arrays &arrays, const int parity, const rill_patch_now &now,
                                    const rill_node n, double velocity[3])
{
    double density = 0;
    for (int a = 0; a < 3; a++) velocity[a] = -0.5 * now.force[a];
    const auto add = [&](const int i) {
        const double sent = link_value<P>(arrays, parity, n, i, true);
        density += sent;
        for (int a = 0; a < 3; a++) velocity[a] -= rill_c(P::lattice, i, a) * sent;
    };
    if constexpr (rill_stream_pulls(P::stream)) { // nothing is looked up: loads need not wait for each other
        RILL_UNROLL
        for (int i = 0; i < rill_q(P::lattice); i++) add(i);
    } else {
#pragma unroll 1
        for (int i = 0; i < rill_q(P::lattice); i++) add(i);
    }
    const double volume = 1 / (1 + density);
    for (int a = 0; a < 3; a++) velocity[a] *= volume;
    return density;
}

// Adds what the threads of a block have, halving them, so that the order is always the same.
static __device__ rill_patch_sums patch_warp_sum(rill_patch_sums sums, const int lanes)
{
    for (int half = lanes / 2; half > 0; half /= 2) {
        const rill_patch_sums other = {__shfl_down_sync(0xFFFFFFFFu, sums.fixed, half),
                                       __shfl_down_sync(0xFFFFFFFFu, sums.slope, half),
                                       __shfl_down_sync(0xFFFFFFFFu, sums.density, half)};
        rill_patch_sums_add(&sums, &other);
    }
    return sums;
}

static __device__ rill_patch_sums patch_block_sum(const rill_patch_sums &own)
{
    constexpr int warps = RILL_PATCH_BLOCK / 32;
    __shared__ rill_patch_sums shared[warps];
    const rill_patch_sums of_warp = patch_warp_sum(own, 32);
    __syncthreads(); // others may still read what was summed before
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = of_warp;
    __syncthreads();
    rill_patch_sums sums = shared[0];
    for (int w = 1; w < warps; w++) rill_patch_sums_add(&sums, &shared[w]);
    return sums;
}

template <class P>
static __device__ void patch_measure(const rill_arrays &arrays, const int parity, const rill_patch &patch,
                                     const uint64_t k, double *exchange)
{
    const rill_patch_pair pair = patch.pairs[k];
    double back[2];
    RILL_UNROLL
    for (int e = 0; e < 2; e++)
        back[e] = link_value<P>(arrays, parity, pair.node[e], pair.direction[e], false);
    RILL_UNROLL
    for (int e = 0; e < 2; e++) {
        const double own = link_value<P>(arrays, parity, pair.node[e], pair.direction[e], true);
        rill_patch_note(&patch, k, e, back[e], rill_patch_sent(&patch, k, back, own, e), exchange);
    }
}

// How the blocks of a grid wait for each other. No more blocks are started than can be resident at once, so
// each of them starts, at the latest when other kernels on the device have ended. A block arrives, may then
// do work that no other block waits for, and waits. When the last block arrives, the highest bit of the
// counter has changed and all others have their former values. (CUDA's cooperative groups do the same.)
static __device__ __forceinline__ uint32_t patch_arrive(uint32_t *arrivals)
{
    uint32_t before = 0;
    __syncthreads();
    if (threadIdx.x == 0)
        asm volatile("atom.release.gpu.global.add.u32 %0, [%1], %2;"
                     : "=r"(before)
                     : "l"(__cvta_generic_to_global(arrivals)),
                       "r"(blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u)
                     : "memory");
    return before;
}

static __device__ __forceinline__ void patch_wait(const uint32_t *arrivals, const uint32_t before)
{
    uint32_t now = before;
    while (threadIdx.x == 0 && !((now ^ before) >> 31))
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(now)
                     : "l"(__cvta_generic_to_global(arrivals))
                     : "memory");
    __syncthreads();
}

// The pair of a thread, and what it has sent.
struct patch_row {
    const rill_patch *patch; // NULL: the block has nothing more to do
    uint32_t block, k;       // number k of block `block` of the patch
    rill_patch_pair pair;
    double sent[2];
    rill_patch_answer answer;
    __device__ bool mine() const { return patch && k < patch->count; }
};

// Finds number n of the blocks of all patches that a task goes through.
static __device__ patch_row patch_find(const rill_patch *patches, const int count, const int task, uint64_t n)
{
    patch_row row = {};
    for (int p = 0; p < count; p++) {
        const uint64_t blocks = rill_patch_blocks(&patches[p], task);
        if (n < blocks) {
            row.patch = &patches[p];
            row.block = (uint32_t)n;
            row.k = row.block * RILL_PATCH_BLOCK + threadIdx.x;
            break;
        }
        n -= blocks;
    }
    if (row.mine()) row.pair = row.patch->pairs[row.k];
    return row;
}

// Issues the loads of all that the nodes of a pair send in the step that ends now, without using a value yet.
template <class P>
static __device__ void patch_ask(const rill_arrays &arrays, const int parity, const patch_row &row)
{
    if constexpr (rill_stream_pulls(P::stream)) { // elsewhere slots would have to be looked up
        const auto *populations = (const char *)arrays.populations;
        RILL_UNROLL
        for (int i = 0; i < rill_q(P::lattice) && row.mine(); i++) {
            const size_t slot = rill_patch_slot(P::stored(), parity, &arrays, row.pair.node[0], i, true);
            asm volatile(
                "prefetch.global.L2 [%0];" ::"l"(populations + slot * rill_storage_size(P::storage)));
        }
    }
}

// Finds what a velocity adds along the links of a pair. No kernel of a step writes what that follows from.
static __device__ void patch_velocity(patch_row &row, const rill_patch_now &now)
{
    if (row.mine() && row.patch->kind == RILL_BOUNDARY_VELOCITY)
        row.answer = {rill_patch_velocity_term(row.patch, &now, row.k), 0};
}

template <class P>
static __device__ void patch_look(const rill_arrays &arrays, const int parity, patch_row &row)
{
    RILL_UNROLL
    for (int e = 0; e < 2 && row.mine(); e++)
        row.sent[e] = link_value<P>(arrays, parity, row.pair.node[e], row.pair.direction[e], true);
}

// Finds what a pair to be rewritten has sent and answers, which this thread has kept if it had to be found
// before.
template <class P>
static __device__ patch_row patch_ready(const rill_arrays &arrays, const int equilibrium, const int parity,
                                        patch_row row, const rill_patch_now &now)
{
    patch_look<P>(arrays, parity, row);
    if (!row.mine()) return row;
    const rill_patch &patch = *row.patch;
    const double mean[3] = {0, 0, 0};
    if (patch.kind == RILL_BOUNDARY_WINDKESSEL)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(patch.stored)); // needed when all have arrived
    if (rill_patch_answers(equilibrium, &patch))
        row.answer = {patch.terms[row.k], patch.terms[patch.count + row.k]};
    else if (patch.kind != RILL_BOUNDARY_VELOCITY)
        row.answer =
            rill_patch_answer_of(P::lattice, false, &patch, &now, row.k, &row.pair, row.sent[0], mean);
    return row;
}

// Keeps what a pair answers, and the sums of the pairs of its block.
template <class P>
static __device__ void patch_answer(const rill_arrays &arrays, const int equilibrium, const int parity,
                                    const patch_row &row, const rill_patch_now &now)
{
    const rill_patch &patch = *row.patch;
    const bool flows = rill_patch_flows(equilibrium, &patch);
    rill_patch_sums sums = {0, 0, 0};
    if (row.mine()) {
        double mean[3] = {0, 0, 0}, density = 0;
        if (rill_patch_moves(equilibrium, &patch)) {
            patch_node<P>(arrays, parity, now, row.pair.node[0], mean);
            if (row.pair.node[1] != row.pair.node[0]) {
                double other[3];
                patch_node<P>(arrays, parity, now, row.pair.node[1], other);
                for (int a = 0; a < 3; a++) mean[a] = 0.5 * (mean[a] + other[a]);
            }
        }
        if (rill_patch_sums_density(&patch, row.k)) {
            double velocity[3];
            density = patch_node<P>(arrays, parity, now, patch.nodes[row.k], velocity);
        }
        const rill_patch_answer answer =
            patch.kind == RILL_BOUNDARY_VELOCITY
                ? row.answer
                : rill_patch_answer_of(P::lattice, flows, &patch, &now, row.k, &row.pair, row.sent[0], mean);
        sums = rill_patch_sums_of(&patch, &row.pair, &answer, row.sent, density);
        patch.terms[row.k] = answer.fixed;
        patch.terms[patch.count + row.k] = answer.slope;
    }
    if (!patch.partials) return;
    sums = patch_block_sum(sums);
    if (threadIdx.x == 0) patch.partials[row.block] = sums;
}

template <class P>
static __device__ void patch_rewrite(const rill_arrays &arrays, const int parity, const patch_row &row,
                                     const rill_patch_now &now)
{
    const rill_patch &patch = *row.patch;
    rill_patch_sums sums = {0, 0, 0};
    if (patch.partials) { // every block finds the same
        const uint64_t blocks = (patch.count + RILL_PATCH_BLOCK - 1) / RILL_PATCH_BLOCK;
        for (uint64_t b = threadIdx.x; b < blocks; b += RILL_PATCH_BLOCK)
            rill_patch_sums_add(&sums, &patch.partials[b]);
        sums = patch_block_sum(sums);
    }
    const rill_patch_act act = rill_patch_act_of(&patch, &now, &sums);
    if (patch.partials && row.k == 0) rill_patch_keep(&patch, &now, &act);
    if (!row.mine()) return;
    const double term = row.answer.fixed + row.answer.slope * act.density;
    patch.terms[row.k] = term;
    RILL_UNROLL
    for (int e = 0; e < 2; e++)
        rill_storage_store(
            P::storage, arrays.populations,
            rill_patch_slot(P::stored(), parity, &arrays, row.pair.node[e], row.pair.direction[e], false),
            (rill_scalar)(rill_patch_back(&patch, term, row.sent, e) +
                          (double)rill_population_rest(P::lattice, P::shift, row.pair.direction[e])));
}

// Does tasks one after the other, blocks striding through the patches of each; see kernel/boundary.h and
// outlet.h. It has too few warps to hide memory behind: what is the same in every step is loaded while the
// step before ends, what has been sent while blocks wait for each other, and patches are kept where they are
// near.
template <class P>
__global__ void __launch_bounds__(RILL_PATCH_BLOCK,
                                  RILL_CUDA_PATCH_RESIDENT - !rill_storage_bounded(P::storage))
    patch_kernel(const rill_arrays arrays, const int equilibrium, const int parity, const rill_patch *patches,
                 const int count, const __grid_constant__ rill_patch_now now, const int tasks,
                 double *exchange, uint32_t *arrivals)
{
    if constexpr (!P::populations) return;
    let_next_kernel_begin();
    constexpr int near = 16, words = sizeof(rill_patch) / sizeof(uint64_t);
    __shared__ uint64_t shared[near * words];
    if (count <= near) {
        for (int k = threadIdx.x; k < count * words; k += RILL_PATCH_BLOCK)
            shared[k] = ((const uint64_t *)patches)[k];
        patches = (const rill_patch *)shared;
        __syncthreads();
    }
    const auto find = [&](const int task, const uint64_t n) {
        patch_row found = patch_find(patches, count, task, n);
        const bool answers = found.patch && rill_patch_answers(equilibrium, found.patch);
        if (task == RILL_PATCH_ANSWER ? answers : task == RILL_PATCH_REWRITE && !answers)
            patch_velocity(found, now);
        return found;
    };
    const auto ask = [&](const patch_row &found) {
        if (found.patch && rill_patch_answers(equilibrium, found.patch)) patch_ask<P>(arrays, parity, found);
    };
    ask(patch_find(patches, count, tasks & -tasks, blockIdx.x + gridDim.x));
    patch_row row = find(tasks & -tasks, blockIdx.x);
    ask(row);
    wait_for_kernel_before();
    if (tasks & RILL_PATCH_MEASURE)
        for (; row.patch; row = find(RILL_PATCH_MEASURE, row.block + gridDim.x))
            if (row.mine()) patch_measure<P>(arrays, parity, *row.patch, row.k, exchange);
    uint32_t arrival = 0;
    if (tasks & RILL_PATCH_ANSWER) {
        for (uint64_t n = blockIdx.x + gridDim.x; row.patch; n += gridDim.x) {
            const patch_row next = find(RILL_PATCH_ANSWER, n);
            if (rill_patch_answers(equilibrium, row.patch)) {
                patch_look<P>(arrays, parity, row);
                patch_answer<P>(arrays, equilibrium, parity, row, now);
            }
            row = next;
        }
        if (tasks & RILL_PATCH_REWRITE) {
            arrival = patch_arrive(arrivals);
            row = find(RILL_PATCH_REWRITE, blockIdx.x);
        }
    }
    if (!(tasks & RILL_PATCH_REWRITE)) return;
    const auto ready = [&](const patch_row &found) {
        return patch_ready<P>(arrays, equilibrium, parity, found, now);
    };
    row = ready(row);
    patch_row next = ready(find(RILL_PATCH_REWRITE, blockIdx.x + gridDim.x));
    if (tasks & RILL_PATCH_ANSWER) patch_wait(arrivals, arrival);
    for (uint64_t n = blockIdx.x + 2 * gridDim.x; row.patch; n += gridDim.x) {
        patch_rewrite<P>(arrays, parity, row, now);
        row = next;
        next = ready(find(RILL_PATCH_REWRITE, n));
    }
}

// Subtracts the mass that the links of a node have gained, less the fluxes, from its population at
// rest.
template <class P>
static __device__ void balance(const rill_arrays &arrays, const int parity, const rill_walls &walls,
                               const uint64_t j)
{
    const rill_wall_node node = walls.nodes[j];
    const uint32_t end = walls.nodes[j + 1].first;
    rill_scalar gains = 0;
    for (uint32_t l = node.first; l < end; l++) gains += (rill_scalar)walls.gains[walls.links[l]];
    rill_scalar on = 0;
    for (int i = 1; i <= rill_wall_fluxes(P::lattice); i++) {
        const float factor = walls.fluxes[j][i - 1];
        if (factor == 0) continue;
        size_t sent, in;
        rill_wall_flux_slots(P::stored(), parity, &arrays, node.node, i, &sent, &in);
        const rill_scalar at_rest = rill_population_rest(P::lattice, P::shift, i),
                          left = rill_storage_load(P::storage, arrays.populations, sent) - at_rest,
                          came = rill_storage_load(P::storage, arrays.populations, in) - at_rest;
        on += rill_wall_gain(factor, came, left);
    }
    const size_t slot = rill_patch_slot(P::stored(), parity, &arrays, node.node, 0, false);
    const rill_scalar rest = rill_population_rest(P::lattice, P::shift, 0);
    rill_storage_store(P::storage, arrays.populations, slot,
                       rill_storage_load(P::storage, arrays.populations, slot) - rest - (gains - on) + rest);
}

// Works on links or nodes with interpolated bounce-back; see kernel/walls.h. Pairs are in neighbouring
// threads of a warp.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, 4 / (sizeof(rill_scalar) / 4))
    walls_kernel(const rill_arrays arrays, const int parity, const int task, const rill_walls walls,
                 double *exchange)
{
    if constexpr (!P::populations) return;
    const uint64_t thread = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    if (task == RILL_WALLS_BALANCE) {
        if (walls.first_node + thread < walls.end_node)
            balance<P>(arrays, parity, walls, walls.first_node + thread);
        return;
    }
    const uint64_t k = walls.first + thread;
    const bool mine = k < walls.end;
    const rill_wall_cut c = walls.cuts[mine ? k : walls.end - 1];
    if (task == RILL_WALLS_FIND) {
        if (mine) walls.meetings[k] = rill_wall_meeting(P::stored(), &arrays, c);
        if (mine && walls.next) walls.beyond[k] = rill_wall_beyond(P::stored(), &arrays, c, walls.next[k]);
        return;
    }
    const int i = rill_wall_direction(c.cut);
    const rill_scalar rest = rill_population_rest(P::lattice, P::shift, i);
    const size_t slot = rill_wall_slot(P::stored(), parity, &arrays, c.node, i);
    const rill_scalar own = rill_storage_load(P::storage, arrays.populations, slot) - rest;
    if (task == RILL_WALLS_MEASURE) {
        if (mine) rill_wall_measure(&walls, k, own, exchange);
        return;
    }
    const rill_scalar other =
        rill_storage_load(
            P::storage, arrays.populations,
            rill_wall_other_slot(P::stored(), parity, &arrays, c, walls.meetings[mine ? k : walls.end - 1])) -
        rest;
    __syncwarp(); // both of a pair have read
    if (!mine) return;
    rill_scalar beyond = 0; // on a link that nobody rewrites
    if (rill_wall_curved(&walls, k))
        beyond = rill_storage_load(
                     P::storage, arrays.populations,
                     rill_wall_beyond_slot(P::stored(), parity, &arrays, c, walls.next[k], walls.beyond[k])) -
                 rest;
    rill_storage_store(P::storage, arrays.populations, slot,
                       rill_wall_answer(&walls, k, c.cut, own, other, beyond) + rest);
}

// Rewrites the links of a node with interpolated bounce-back, a lane each, and balances its mass: what two
// calls of walls_kernel() do, in one that begins while the kernel before ends. Pairs are links of one node.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, 1)
    few_walls_kernel(const rill_arrays arrays, const int parity, const rill_walls walls)
{
    if constexpr (!P::populations) return;
    let_next_kernel_begin();
    const int lane = threadIdx.x % RILL_WARP;
    const uint64_t thread = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x,
                   j = walls.first_node + thread / RILL_WARP;
    const bool node = j < walls.end_node;
    const rill_wall_node own = walls.nodes[node ? j : walls.first_node];
    const int count = node ? (int)(walls.nodes[j + 1].first - own.first) : 0;
    const bool mine = lane < count;
    const uint64_t k = walls.links[mine ? own.first + lane : own.first];
    const rill_wall_cut c = walls.cuts[k];
    const int i = rill_wall_direction(c.cut);
    const size_t slot = rill_wall_slot(P::stored(), parity, &arrays, c.node, i),
                 other_slot = rill_wall_other_slot(P::stored(), parity, &arrays, c, walls.meetings[k]);
    const bool curved = rill_wall_curved(&walls, k);
    const size_t beyond_slot =
        curved ? rill_wall_beyond_slot(P::stored(), parity, &arrays, c, walls.next[k], walls.beyond[k])
               : slot;
    const float factor = node && lane < rill_wall_fluxes(P::lattice) ? walls.fluxes[j][lane] : 0;
    size_t left_slot = slot, came_slot = slot;
    if (factor != 0)
        rill_wall_flux_slots(P::stored(), parity, &arrays, own.node, lane + 1, &left_slot, &came_slot);
    wait_for_kernel_before();
    const auto load = [&](const size_t at, const int direction) {
        return rill_storage_load(P::storage, arrays.populations, at) -
               rill_population_rest(P::lattice, P::shift, direction);
    };
    const rill_scalar sent = load(slot, i), other = load(other_slot, i),
                      beyond = curved ? load(beyond_slot, i) : 0,
                      flux = factor != 0 ? rill_wall_gain(factor, load(came_slot, lane + 1),
                                                          load(left_slot, lane + 1))
                                         : 0;
    __syncwarp(); // all of the node have read
    rill_scalar gain = 0, gains = 0, on = 0;
    if (mine) {
        const rill_scalar back = rill_wall_answer(&walls, k, c.cut, sent, other, beyond);
        gain = (rill_scalar)walls.gains[k];
        rill_storage_store(P::storage, arrays.populations, slot,
                           back + rill_population_rest(P::lattice, P::shift, i));
    }
    for (int l = 0; l < count; l++) gains += __shfl_sync(0xFFFFFFFFu, gain, l);
    RILL_UNROLL
    for (int l = 0; l < rill_wall_fluxes(P::lattice); l++) {
        const float there = __shfl_sync(0xFFFFFFFFu, factor, l);
        const rill_scalar through = __shfl_sync(0xFFFFFFFFu, flux, l);
        if (there != 0) on += through;
    }
    if (lane > 0 || !node) return;
    const size_t at_rest = rill_patch_slot(P::stored(), parity, &arrays, own.node, 0, false);
    rill_storage_store(P::storage, arrays.populations, at_rest,
                       load(at_rest, 0) - (gains - on) + rill_population_rest(P::lattice, P::shift, 0));
}

// Damps a node of a sponge layer; see kernel/sponge.h.
template <class P>
__global__ void __launch_bounds__(RILL_CUDA_THREADS, RILL_CUDA_RESIDENT)
    damp_kernel(const rill_arrays arrays, const int parity, const rill_sponge sponge)
{
    if constexpr (!P::populations) return;
    let_next_kernel_begin();
    const uint64_t k = (uint64_t)blockIdx.x * RILL_CUDA_THREADS + threadIdx.x;
    const bool mine = k < sponge.count;
    const rill_node n = mine ? sponge.nodes[k] : 0;
    const double keep = mine ? (double)sponge.keep[k] : 1;
    wait_for_kernel_before();
    if (!mine) return;
    rill_scalar f[RILL_Q_MAX];
    rill_sponge_state state = {};
    RILL_UNROLL
    for (int i = 0; i < rill_q(P::lattice); i++) {
        f[i] = (rill_scalar)link_value<P>(arrays, parity, n, i, true);
        rill_sponge_add(P::lattice, rill_opposite(i), (double)f[i], &state);
    }
    rill_sponge_finish(&state);
    RILL_UNROLL
    for (int i = 0; i < rill_q(P::lattice); i++)
        rill_storage_store(
            P::storage, arrays.populations, rill_patch_slot(P::stored(), parity, &arrays, n, i, true),
            (rill_scalar)(rill_sponge_damp(P::lattice, rill_opposite(i), &state, keep, (double)f[i]) +
                          (double)rill_population_rest(P::lattice, P::shift, i)));
}

#endif
