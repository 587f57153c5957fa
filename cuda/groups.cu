// SPDX-License-Identifier: Apache-2.0
// Gives groups of nodes lanes on the device, a thread per strip; what it does is that of kernel/groups.h.
extern "C" {
#include "cuda/queue.h"
#include "kernel/storage/groups.h"
}

#include "cuda/check.cuh"

#include <cuda_runtime.h>
#include <vector>

namespace
{

constexpr unsigned threads = 32; // strips take long, and there are few

__global__ void __launch_bounds__(threads) strips_kernel(const rill_groups groups, const uint32_t *before,
                                                         uint32_t *lanes, uint32_t *words, uint32_t *warps)
{
    const uint32_t strip = blockIdx.x * threads + threadIdx.x;
    if (strip >= rill_strips(groups.n)) return;
    if (!lanes)
        warps[strip] = rill_lanes_of_strip(&groups, strip, nullptr, nullptr);
    else
        rill_lanes_of_strip(&groups, strip, lanes + (size_t)before[strip] * RILL_WARP, words + before[strip]);
}

// Replaces numbers by the sum of those before. Returns the sum of all.
uint64_t sum_up(std::vector<uint32_t> &numbers)
{
    uint64_t sum = 0;
    for (uint32_t &number : numbers) {
        const uint32_t own = number;
        number = (uint32_t)sum;
        sum += own;
    }
    return sum;
}

} // namespace

extern "C" rill_status rill_cuda_groups(rill_variant variant, rill_arrays *arrays, void *stream)
{
    const auto queue = (cudaStream_t)stream;
    const rill_groups groups = {
        arrays->words, nullptr,          {arrays->box[0], arrays->box[1], arrays->box[2]}, arrays->row,
        arrays->plane, arrays->last_bit, rill_corners((int)variant.lattice) != 0};
    if (!rill_stream_macroscopic((int)variant.stream) || variant.addressing != RILL_BITMAP ||
        !rill_groups_possible((int)variant.lattice, groups.n, groups.row))
        return RILL_OK;
    const char *const what = "groups of nodes";
    const unsigned blocks = (rill_strips(groups.n) + threads - 1) / threads;
    std::vector<uint32_t> warps(rill_strips(groups.n));
    const size_t bytes = warps.size() * sizeof warps[0];
    uint32_t *counted = nullptr, *lanes = nullptr;
    rill_status status = check(cudaMalloc(&counted, bytes), what);
    if (status == RILL_OK) {
        strips_kernel<<<blocks, threads, 0, queue>>>(groups, nullptr, nullptr, nullptr, counted);
        status = check(cudaMemcpyAsync(warps.data(), counted, bytes, cudaMemcpyDeviceToHost, queue), what);
    }
    if (status == RILL_OK) status = check(cudaStreamSynchronize(queue), what);
    const uint64_t all = status == RILL_OK ? sum_up(warps) : 0;
    if (all && all < UINT32_MAX / RILL_WARP && rill_groups_worth(all, arrays->nodes)) {
        status = check(cudaMalloc(&lanes, rill_groups_bytes(all)), what);
        if (status == RILL_OK)
            status =
                check(cudaMemcpyAsync(counted, warps.data(), bytes, cudaMemcpyHostToDevice, queue), what);
        if (status == RILL_OK) {
            strips_kernel<<<blocks, threads, 0, queue>>>(groups, counted, lanes, lanes + all * RILL_WARP,
                                                         nullptr);
            status = check(cudaGetLastError(), what);
        }
        if (status == RILL_OK) status = check(cudaStreamSynchronize(queue), what);
        if (status != RILL_OK) {
            cudaFree(lanes);
            lanes = nullptr;
        }
        arrays->lanes = lanes;
        arrays->warps = lanes ? (uint32_t)all : 0;
    }
    cudaFree(counted);
    return status;
}
