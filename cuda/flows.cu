// SPDX-License-Identifier: Apache-2.0
// Loops over the rows of a network: a thread has a row, a block a chunk, whose products its first thread sums
// up one after the other, as processors do. Compiled without fused multiplications for the same reason.
extern "C" {
#include "device/flows.h"
}

#include "cuda/check.cuh"

namespace
{

template <rill_flow_work work> __global__ void rows(const rill_flow flow)
{
    const uint32_t row = blockIdx.x * RILL_FLOW_CHUNK + threadIdx.x;
    const double product = row < flow.level.count ? rill_flow_row(work, &flow, row) : 0;
    if constexpr (rill_flow_sums(work)) {
        __shared__ double products[RILL_FLOW_CHUNK];
        products[threadIdx.x] = product;
        __syncthreads();
        if (threadIdx.x > 0) return;
        double sum = 0;
        for (const double p : products) sum += p;
        flow.partial[blockIdx.x] = sum;
    }
}

using kernel = void (*)(rill_flow);
constexpr kernel kernels[RILL_FLOW_WORKS] = {
    rows<RILL_FLOW_BEGIN>,  rows<RILL_FLOW_GO>,       rows<RILL_FLOW_DESCEND>, rows<RILL_FLOW_ASCEND>,
    rows<RILL_FLOW_FINISH>, rows<RILL_FLOW_MULTIPLY>, rows<RILL_FLOW_TURN>};

} // namespace

extern "C" rill_status rill_cuda_flow_rows(const rill_device *device, rill_flow_work work,
                                           const rill_flow *flow)
{
    static const char doing[] = "solving for the pressures of a pore network";
    if (flow->level.count == 0) return RILL_OK;
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK) return status;
    kernels[work]<<<rill_flow_chunks(flow->level.count), RILL_FLOW_CHUNK, 0, (cudaStream_t)device->queue>>>(
        *flow);
    return check(cudaGetLastError(), doing);
}
