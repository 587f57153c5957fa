// SPDX-License-Identifier: Apache-2.0
// Building the arrays of a domain on the device; what a thread does is that of domain/build.h.
extern "C" {
#include "cuda/queue.h"
}

#include <cuda_runtime.h>

namespace
{

constexpr unsigned threads = 256;

// Threads of a warp take neighbouring cells, so that entries of a row of a list lie side by side.
template <int task>
__global__ void __launch_bounds__(threads) cells_kernel(const __grid_constant__ rill_builder b)
{
    const rill_build_cells *cells = rill_build_cells_of(&b, task);
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x, word = k / 64;
    const uint64_t line = word / b.row_words;
    if (line >= (uint64_t)(b.end - b.first) * b.n[1]) return;
    const uint64_t w = word - line * b.row_words;
    const uint32_t bit = (uint32_t)(k % 64), z = (uint32_t)(line / b.n[1]);
    const uint32_t x[3] = {(uint32_t)w * 64 + bit, (uint32_t)(line - (uint64_t)z * b.n[1]), b.first + z};
    const size_t at = rill_build_line(&b, x[1], x[2]);
    if (cells->occupied[at + w] >> bit & 1) rill_build_cell(&b, task, x, rill_build_rank(cells, at, x[0]));
}

template <int task>
__global__ void __launch_bounds__(threads) words_kernel(const __grid_constant__ rill_builder b)
{
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (k < rill_build_words(&b, task)) rill_build_word(&b, task, k);
}

__global__ void __launch_bounds__(threads) padding_kernel(const __grid_constant__ rill_builder b)
{
    const uint64_t k = (uint64_t)blockIdx.x * threads + threadIdx.x;
    if (k < rill_build_padding(&b) * (uint64_t)b.rows) rill_build_pad(&b, k);
}

unsigned blocks_of(uint64_t work) { return (unsigned)((work + threads - 1) / threads); }

template <int task> void cells(const rill_builder &b, cudaStream_t queue)
{
    const uint64_t work = (uint64_t)(b.end - b.first) * b.n[1] * b.row_words * 64;
    cells_kernel<task><<<blocks_of(work), threads, 0, queue>>>(b);
}

template <int task> void words(const rill_builder &b, cudaStream_t queue)
{
    words_kernel<task><<<blocks_of(rill_build_words(&b, task)), threads, 0, queue>>>(b);
}

} // namespace

extern "C" void rill_cuda_build(const rill_builder *builder, rill_build_task task, void *stream)
{
    const rill_builder &b = *builder;
    const auto queue = (cudaStream_t)stream;
    switch (task) {
    case RILL_BUILD_LIST:
        return cells<RILL_BUILD_LIST>(b, queue);
    case RILL_BUILD_GHOST_LIST:
        return cells<RILL_BUILD_GHOST_LIST>(b, queue);
    case RILL_BUILD_FLAGS:
        return cells<RILL_BUILD_FLAGS>(b, queue);
    case RILL_BUILD_STARTS:
        return cells<RILL_BUILD_STARTS>(b, queue);
    case RILL_BUILD_PLACES:
        return cells<RILL_BUILD_PLACES>(b, queue);
    case RILL_BUILD_WORDS:
        return words<RILL_BUILD_WORDS>(b, queue);
    case RILL_BUILD_GHOST_WORDS:
        return words<RILL_BUILD_GHOST_WORDS>(b, queue);
    case RILL_BUILD_PADDING:
        if (const uint64_t entries = rill_build_padding(&b) * (uint64_t)b.rows)
            padding_kernel<<<blocks_of(entries), threads, 0, queue>>>(b);
    }
}
