// SPDX-License-Identifier: Apache-2.0
// Loops over the vertices of membranes and over nodes around them, a thread for each; a warp for each
// membrane. Compiled without fused multiplications: the same bits as on processors.
#define RILL_ARITHMETIC double
extern "C" {
#include "device/membrane_nodes.h"

#include "device/device.h"
}

#include "cuda/check.cuh"

namespace
{

constexpr const char *doing = "moving membranes";
constexpr uint32_t threads = 128, lanes = RILL_MEMBRANE_LANES;

template <rill_membrane_work work>
__global__ void __launch_bounds__(threads)
    work_kernel(const __grid_constant__ rill_membrane_set set, const __grid_constant__ rill_launch launch,
                const uint64_t count)
{
    const uint64_t k = uint64_t(blockIdx.x) * threads + threadIdx.x;
    if (k >= count) return;
#define WORK(name, function, items, piece)                                                                   \
    if constexpr (work == RILL_MEMBRANE_##name) rill_membrane_##function(&set, &launch, k);
    RILL_MEMBRANE_WORKS(WORK)
#undef WORK
}

// Lane by lane, in their order.
template <rill_membrane_whole whole>
__global__ void __launch_bounds__(threads) whole_kernel(const __grid_constant__ rill_membrane_set set)
{
    const uint64_t k = (uint64_t(blockIdx.x) * threads + threadIdx.x) / lanes;
    if (k >= set.count) return; // whole warps
    const uint32_t lane = threadIdx.x % lanes;
    double own[2], sum[2] = {0, 0};
    rill_whole_lane(&set, whole, k, lane, own);
    for (uint32_t other = 0; other < lanes; other++) {
        sum[0] += __shfl_sync(0xffffffff, own[0], int(other));
        sum[1] += __shfl_sync(0xffffffff, own[1], int(other));
    }
    if (lane == 0) rill_whole_set(&set, whole, k, sum);
}

using whole_fn = void (*)(rill_membrane_set);
constexpr whole_fn whole_kernels[RILL_MEMBRANE_WHOLES] = {
    whole_kernel<RILL_MEMBRANE_HELD>, whole_kernel<RILL_MEMBRANE_ENCLOSED>, whole_kernel<RILL_MEMBRANE_LOST>};

cudaStream_t queue_of(const rill_device *device) { return (cudaStream_t)device->queue; }

} // namespace

extern "C" rill_status rill_cuda_membrane_do(const rill_device *device, rill_membrane_work work,
                                             const rill_membrane_set *s, const rill_launch *launch)
{
    static const rill_launch none = {};
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK) return status;
    switch (work) {
#define WORK(name, function, items, piece)                                                                   \
    case RILL_MEMBRANE_##name: {                                                                             \
        const uint64_t count = (items);                                                                      \
        if (count > 0)                                                                                       \
            work_kernel<RILL_MEMBRANE_##name>                                                                \
                <<<unsigned((count + threads - 1) / threads), threads, 0, queue_of(device)>>>(               \
                    *s, launch ? *launch : none, count);                                                     \
        break;                                                                                               \
    }
        RILL_MEMBRANE_WORKS(WORK)
#undef WORK
    default:
        break;
    }
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_membrane_sum_up(const rill_device *device, rill_membrane_whole whole,
                                                 const rill_membrane_set *s)
{
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK || s->count == 0) return status;
    whole_kernels
        [whole]<<<unsigned((s->count * lanes + threads - 1) / threads), threads, 0, queue_of(device)>>>(*s);
    return check(cudaGetLastError(), doing);
}
