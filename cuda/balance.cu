// SPDX-License-Identifier: Apache-2.0
// Flows that carry away what piles up in the rows of a network: a thread has a row. Compiled without fused
// multiplications, for the same bits as on processors.
extern "C" {
#include "device/balance.h"
}

#include "cuda/check.cuh"

namespace
{

constexpr uint32_t threads = 128;

template <rill_balance_work work> __global__ void __launch_bounds__(threads) rows(const rill_balance b)
{
    const uint32_t row = blockIdx.x * threads + threadIdx.x;
    if (row < rill_balance_count(work, &b)) rill_balance_row(work, &b, row);
}

using kernel = void (*)(rill_balance);
constexpr kernel kernels[RILL_BALANCE_WORKS] = {rows<RILL_BALANCE_CLIMB>, rows<RILL_BALANCE_END>,
                                                rows<RILL_BALANCE_SHARE>, rows<RILL_BALANCE_DESCEND>,
                                                rows<RILL_BALANCE_HELD>};

} // namespace

extern "C" rill_status rill_cuda_balance_rows(const rill_device *device, rill_balance_work work,
                                              const rill_balance *b)
{
    static const char doing[] = "bounding a diffusivity";
    const uint32_t count = rill_balance_count(work, b);
    if (count == 0) return RILL_OK;
    const rill_status status = check(cudaSetDevice(device->ordinal), doing);
    if (status != RILL_OK) return status;
    kernels[work]<<<(count - 1) / threads + 1, threads, 0, (cudaStream_t)device->queue>>>(*b);
    return check(cudaGetLastError(), doing);
}
