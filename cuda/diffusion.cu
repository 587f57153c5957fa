// SPDX-License-Identifier: Apache-2.0
// Loops over the nodes of a pore space for steady diffusion: a warp has a row of voxels, or a pair of rows,
// and sums up as processors do. Compiled without fused multiplications for the same reason.
extern "C" {
#include "device/diffusion_blocks.h"
}

#include "cuda/check.cuh"

namespace
{

constexpr uint32_t lanes = RILL_DIFFUSION_LANES, threads = 128, warps = threads / lanes;

// Returns the place of bit k of those that are set.
__device__ uint32_t place(uint64_t bits, uint32_t k)
{
    uint32_t at = 0;
    for (uint32_t half = 32; half > 0; half /= 2) {
        const uint32_t below = rill_diffusion_count(bits >> at & ((uint64_t(1) << half) - 1));
        if (k < below) continue;
        k -= below;
        at += half;
    }
    return at;
}

// Returns the sum of a warp, in its first thread.
__device__ double warp_sum(double sum)
{
    for (uint32_t half = lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    return sum;
}

template <rill_diffusion_work work, bool many>
__global__ void __launch_bounds__(threads) rows(rill_diffusion f)
{
    const rill_diffusion_grid &g = f.grid;
    const uint32_t k = blockIdx.x * warps + threadIdx.x / lanes, lane = threadIdx.x % lanes;
    if (k >= rill_diffusion_rows(&g)) return;
    const uint32_t y = k % g.n[1], z = k / g.n[1];
    double sum = 0;
    for (uint32_t w = 0; w < g.words; w++) {
        const uint64_t here = g.occupied[size_t(k) * g.words + w];
        if (!here) continue;
        const rill_diffusion_word word = rill_diffusion_look(&g, w, y, z);
        for (uint32_t i = lane; i < rill_diffusion_count(here); i += lanes) {
            const rill_diffusion_node node =
                rill_diffusion_see(many, &g, &word, place(here, i), w, y, z, word.first + i);
            const double product = rill_diffusion_do(work, &f, &node);
            if (rill_diffusion_sums(work)) sum += product;
        }
    }
    if constexpr (rill_diffusion_sums(work)) {
        sum = warp_sum(sum);
        if (lane == 0) f.partial[k] = sum;
    }
}

template <rill_diffusion_work work, bool many>
__global__ void __launch_bounds__(threads) pairs(rill_diffusion f)
{
    const rill_diffusion_grid &g = f.grid;
    const uint32_t k = blockIdx.x * warps + threadIdx.x / lanes, b = 2 * (threadIdx.x % lanes);
    if (k >= rill_diffusion_pairs(&g)) return;
    const uint32_t y = rill_diffusion_pair(&g, k, 1), z = rill_diffusion_pair(&g, k, 2);
    for (uint32_t w = 0; w < g.words; w++)
        for (uint32_t m = 0; m < 8; m++) { // cleared first
            const rill_diffusion_word word = rill_diffusion_look_at(&g, w, y, z, m % 4);
            if (word.here >> b & 3)
                rill_diffusion_restrict(work, m < 4, many, &f, &word, b, w, y + m % 2, z + m % 4 / 2);
        }
}

template <bool many> __global__ void __launch_bounds__(threads, 4) share(rill_diffusion f)
{
    const rill_diffusion_grid &g = f.grid;
    const uint32_t k = blockIdx.x * warps + threadIdx.x / lanes, lane = threadIdx.x % lanes, b = 2 * lane;
    if (k >= rill_diffusion_pairs(&g)) return;
    const uint32_t y = rill_diffusion_pair(&g, k, 1), z = rill_diffusion_pair(&g, k, 2);
    double sum = 0;
    for (uint32_t w = 0; w < g.words; w++) sum += rill_diffusion_share(many, &f, b, w, y, z);
    sum = warp_sum(sum);
    if (lane == 0) f.partial[k] = sum;
}

// Returns the sum of the lanes before this one and, in the last one, that with its own.
__device__ uint32_t warp_before(uint32_t count, uint32_t &all)
{
    uint32_t sum = count;
    for (uint32_t step = 1; step < lanes; step *= 2) {
        const uint32_t other = __shfl_up_sync(0xffffffff, sum, step);
        if (threadIdx.x % lanes >= step) sum += other;
    }
    all = __shfl_sync(0xffffffff, sum, lanes - 1);
    return sum - count;
}

// A warp has a row of blocks: those of two words at a time.
template <rill_diffusion_work work, bool many>
__global__ void __launch_bounds__(threads) blocks(rill_diffusion f)
{
    __shared__ rill_diffusion_word seen[warps][2 * RILL_BLOCK_ROWS];
    const rill_diffusion_grid &g = f.grid;
    const uint32_t k = blockIdx.x * warps + threadIdx.x / lanes, lane = threadIdx.x % lanes;
    if (k >= rill_block_rows(&g)) return;
    const uint32_t y = rill_block_row(&g, k, 1), z = rill_block_row(&g, k, 2), mine = lane % RILL_BLOCK_ROWS;
    rill_diffusion_word *const words = seen[threadIdx.x / lanes];
    rill_block_sums at = rill_block_start(work, &f, k);
    for (uint32_t w = lane / RILL_BLOCK_ROWS; w / 2 < (g.words + 1) / 2; w += 2) {
        words[lane] = rill_block_look(&g, w, y, z, mine);
        __syncwarp();
        const rill_block block = rill_block_see(&g, words + (lane - mine), RILL_BLOCK_EDGE * mine, w, y, z);
        const rill_block_sums more = rill_block_do(work, false, many, &f, block, at);
        rill_block_sums all;
        const rill_block_sums mine_at = {at.large + warp_before(more.large, all.large),
                                         at.small + warp_before(more.small, all.small)};
        if constexpr (rill_block_puts(work)) rill_block_do(work, true, many, &f, block, mine_at);
        at.large += all.large;
        at.small += all.small;
        __syncwarp();
    }
    if (!rill_block_puts(work) && lane == 0) f.before[k + 1] = at;
}

template <rill_diffusion_work work> __global__ void alone(rill_diffusion f, uint64_t nodes)
{
    const uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < nodes) rill_diffusion_alone(work, &f, i);
}

__global__ void sum(const double *partial, uint32_t rows, double *sums)
{
    const uint32_t k = blockIdx.x * threads + threadIdx.x;
    double all = 0;
    for (uint32_t row = k; row < rows; row += RILL_DIFFUSION_SUMS) all += partial[row];
    sums[k] = all;
}

using kernel = void (*)(rill_diffusion);
#define BOTH(loop, work)                                                                                     \
    {                                                                                                        \
        loop<work, false>, loop<work, true>                                                                  \
    }
constexpr kernel kernels[RILL_DIFFUSION_WORKS][2] = {
    BOTH(rows, RILL_DIFFUSION_BEGIN),
    BOTH(rows, RILL_DIFFUSION_GO),
    {pairs<RILL_DIFFUSION_RESTRICT, false>, pairs<RILL_DIFFUSION_RESTRICT, true>},
    {pairs<RILL_DIFFUSION_PILE, false>, pairs<RILL_DIFFUSION_PILE, true>},
    {share<false>, share<true>},
    BOTH(rows, RILL_DIFFUSION_FINISH),
    BOTH(rows, RILL_DIFFUSION_MULTIPLY),
    BOTH(rows, RILL_DIFFUSION_RESIDUAL),
    BOTH(rows, RILL_DIFFUSION_ENERGY),
    {}, // see alone()
    {},
    BOTH(blocks, RILL_DIFFUSION_COUNT),
    BOTH(blocks, RILL_DIFFUSION_LABEL),
    BOTH(blocks, RILL_DIFFUSION_LINKS),
    BOTH(blocks, RILL_DIFFUSION_LIST)};

uint32_t blocks(uint64_t count, uint32_t each) { return uint32_t((count + each - 1) / each); }

} // namespace

extern "C" rill_status rill_cuda_diffusion_nodes(const rill_device *device, rill_diffusion_work work,
                                                 const rill_diffusion *f, uint64_t nodes)
{
    static const char doing[] = "solving for diffusion";
    const auto queue = (cudaStream_t)device->queue;
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK) return status;
    if (work == RILL_DIFFUSION_TURN)
        alone<RILL_DIFFUSION_TURN><<<blocks(nodes, 256), 256, 0, queue>>>(*f, nodes);
    else if (work == RILL_DIFFUSION_PROLONG)
        alone<RILL_DIFFUSION_PROLONG><<<blocks(nodes, 256), 256, 0, queue>>>(*f, nodes);
    else {
        const rill_diffusion_grid *g = &f->grid;
        const uint32_t count = rill_diffusion_is_blocked(work)  ? rill_block_rows(g)
                               : rill_diffusion_is_paired(work) ? rill_diffusion_pairs(g)
                                                                : rill_diffusion_rows(g);
        kernels[work][f->grid.kind != nullptr]<<<blocks(count, warps), threads, 0, queue>>>(*f);
    }
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_diffusion_sum(const rill_device *device, const double *partial,
                                               uint32_t rows, double *sums)
{
    static const char doing[] = "summing up for diffusion";
    static_assert(RILL_DIFFUSION_SUMS % threads == 0, "a thread has a sum");
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK) return status;
    sum<<<RILL_DIFFUSION_SUMS / threads, threads, 0, (cudaStream_t)device->queue>>>(partial, rows, sums);
    return check(cudaGetLastError(), doing);
}
