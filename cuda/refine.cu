// SPDX-License-Identifier: Apache-2.0
// Interpolation between grids on the device; what a thread does is that of kernel/refine.h.
extern "C" {
#include "cuda/queue.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr unsigned threads = 128, warp = 32;
// Blocks of a multiprocessor for which a thread has registers: with more of them some are spilled.
constexpr unsigned blocks = 8;

// Return the sum over the threads of a warp, in its first one.
__device__ int64_t warp_sum(int64_t value)
{
    for (unsigned lane = warp / 2; lane > 0; lane /= 2) value += __shfl_down_sync(~0u, value, lane);
    return value;
}

// Threads of a warp take neighbouring voxels, so that moments of nodes lie side by side.
__global__ void __launch_bounds__(threads, blocks) rows_kernel(const __grid_constant__ rill_refiner r)
{
    const rill_refine_row row = rill_refine_row_of(&r, r.first_row + blockIdx.x);
    if (!rill_refine_row_counts(&r, &row)) return;
    const rill_build_cells *cells = &r.fine.cells;
    int64_t sum = 0;
    for (uint32_t x = threadIdx.x; x < r.fine.n[0]; x += threads) {
        if (!rill_build_has(cells, row.line, x)) continue;
        const rill_node node = rill_build_rank(cells, row.line, x);
        if (!rill_refine_counts(&r, node)) continue;
        const rill_refine_column near = rill_refine_column_of(&r, &row, rill_refine_voxel(&r, 0, x, false)),
                                 far = rill_refine_column_of(&r, &row, rill_refine_voxel(&r, 0, x, true));
        sum += rill_refine_node(&r, &near, &far, node);
    }
    if (r.moments) return;
    sum = warp_sum(sum);
    if (threadIdx.x % warp == 0 && sum != 0) rill_sum_add(&r.sums[blockIdx.x], sum);
}

} // namespace

extern "C" void rill_cuda_refine(const rill_refiner *refiner, void *queue)
{
    if (refiner->rows) rows_kernel<<<(unsigned)refiner->rows, threads, 0, (cudaStream_t)queue>>>(*refiner);
}
