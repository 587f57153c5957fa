// SPDX-License-Identifier: Apache-2.0
// Starting the kernels of a variant on the device: arguments are those of kernels.cuh.
#define RILL_ARITHMETIC double
extern "C" {
#include "cuda/launch.h"
#include "kernel/boundary.h"
}

#include <cuda_runtime.h>

namespace
{

// Rates in the arithmetic type of the variant, at whose start a kernel's argument is: rill_rates is made of
// rill_scalar alone.
union rates_argument {
    rill_rates twice;
    float once[sizeof(rill_rates) / sizeof(double)];

    explicit rates_argument(const rill_launch *launch)
    {
        const rill_rates rates = rill_rates_of(launch);
        double values[sizeof rates / sizeof(double)];
        static_assert(sizeof values == sizeof rates, "rill_rates holds something that is no rill_scalar");
        memcpy(values, &rates, sizeof values);
        if (launch->variant.arithmetic == RILL_DOUBLE)
            twice = rates;
        else
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) once[k] = (float)values[k];
    }
};

// Starts a kernel with `threads` to a block. A failure stays behind as CUDA's last error, which wait()
// reports.
template <class... arguments>
void start(const rill_launch *launch, int kernel, dim3 blocks, unsigned threads, arguments... values)
{
    const auto *compiled = (const rill_cuda_compiled *)launch->kernels->compiled;
    void *addresses[] = {&values...};
    if (blocks.x > 0 && blocks.y > 0)
        cudaLaunchKernel(compiled->kernels[kernel], blocks, dim3(threads), addresses, 0, nullptr);
}

unsigned blocks_of(uint64_t work, uint64_t size) { return (unsigned)((work + size - 1) / size); }

void step(const rill_launch *launch)
{
    const auto threads = (unsigned)rill_cuda_step_threads((int)launch->variant.stream,
                                                          (int)launch->variant.addressing, launch->parity);
    const int kernel = launch->walls.weights ? RILL_CUDA_STEP_WALLS
                       : launch->parity      ? RILL_CUDA_STEP_ODD
                                             : RILL_CUDA_STEP_EVEN;
    start(launch, kernel, blocks_of(launch->nodes - launch->first, threads), threads, launch->from,
          launch->to, rates_argument(launch), launch->first, launch->nodes, launch->walls);
}

void read(const rill_launch *launch, rill_node first, rill_node count, double *out, rill_partial *partials)
{
    start(launch, RILL_CUDA_READ, blocks_of(count, RILL_CHUNK), RILL_CUDA_THREADS, launch->from,
          rates_argument(launch), (int)launch->variant.equilibrium, launch->parity, launch->order, first,
          count, out, partials);
}

void totals(const rill_launch *launch, rill_partial *partials)
{
    read(launch, 0, launch->nodes, nullptr, partials);
}

void moments(const rill_launch *launch, rill_node first, rill_node count, double *out)
{
    read(launch, first, count, out, nullptr);
}

void set(const rill_launch *launch, rill_node first, rill_node count, const double *values)
{
    start(launch, RILL_CUDA_SET, blocks_of(count, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          rates_argument(launch), (int)launch->variant.equilibrium, launch->parity, launch->order, first,
          count, values, launch->add);
}

void swap(const rill_launch *launch, const rill_swap *swaps, size_t count)
{
    start(launch, RILL_CUDA_SWAP, blocks_of(count, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          launch->parity, swaps, count);
}

void wrap(const rill_launch *launch)
{
    start(launch, RILL_CUDA_WRAP, blocks_of(launch->from.ghosts, RILL_CUDA_THREADS), RILL_CUDA_THREADS,
          launch->from);
}

void patch(const rill_launch *launch, rill_patch_task task, const rill_patch *patches, const rill_patch *host,
           int count, const rill_patch_now *now, double *exchange)
{
    uint64_t work = 0;
    for (int k = 0; k < count; k++) {
        const rill_patch *p = &host[k];
        uint64_t own = p->count;
        if (task == RILL_PATCH_NODES)
            own = rill_patch_looks((int)launch->variant.equilibrium, p) ? p->node_count : 0;
        if (task == RILL_PATCH_SUM && !p->partials) own = 0;
        work = own > work ? own : work;
    }
    start(launch, RILL_CUDA_PATCH, dim3((unsigned)blocks_of(work, RILL_PATCH_BLOCK), (unsigned)count),
          RILL_PATCH_BLOCK, launch->from, (int)launch->variant.equilibrium, launch->parity, patches, *now,
          (int)task, exchange);
}

void walls(const rill_launch *launch, rill_walls_task task, const rill_walls *list, double *exchange)
{
    const uint64_t work =
        task == RILL_WALLS_BALANCE ? list->end_node - list->first_node : list->end - list->first;
    start(launch, RILL_CUDA_WALLS, blocks_of(work, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          launch->parity, (int)task, *list, exchange);
}

void sample(const rill_launch *launch, const rill_node *nodes, uint64_t count, double *out)
{
    start(launch, RILL_CUDA_SAMPLE, blocks_of(count, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          rates_argument(launch), (int)launch->variant.equilibrium, (int)launch->variant.rheology,
          launch->parity, nodes, count, out);
}

} // namespace

extern "C" rill_kernels rill_cuda_kernels_of(const rill_cuda_compiled *compiled)
{
    return {step, totals, moments, set, swap, wrap, patch, walls, sample, compiled};
}
