// SPDX-License-Identifier: Apache-2.0
// Starting the kernels of a variant on the device: arguments are those of kernels.cuh.
#define RILL_ARITHMETIC double
extern "C" {
#include "cuda/launch.h"
#include "kernel/boundary/boundary.h"
#include "kernel/storage/storage.h"
}

#include <algorithm>
#include <cuda_runtime.h>
#include <iterator>

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

const rill_cuda_compiled &compiled_of(const rill_launch *launch)
{
    return *(const rill_cuda_compiled *)launch->kernels->compiled;
}

// Whether kernels wait for the one before themselves: where they were compiled for a device that can.
bool can_begin_early(const rill_cuda_device &device)
{
    constexpr int compiled_for[] = {__CUDA_ARCH_LIST__};
    return *std::max_element(std::begin(compiled_for), std::end(compiled_for)) >= 900 && device.major >= 9;
}

// Starts a kernel with `threads` to a block. A failure stays behind as CUDA's last error, which wait()
// reports. Steps and what patches do between them begin while the kernel before ends, which they then wait
// for: its last blocks leave room, and a start takes microseconds.
template <class... arguments>
void start(const rill_launch *launch, int kernel, unsigned blocks, unsigned threads, arguments... values)
{
    const rill_cuda_compiled &compiled = compiled_of(launch);
    void *addresses[] = {&values...};
    if (blocks == 0 || cudaSetDevice(compiled.device.ordinal) != cudaSuccess) return;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = (cudaStream_t)launch->queue;
    config.attrs = &early;
    config.numAttrs = (kernel < RILL_CUDA_STEP_COUNT || kernel == RILL_CUDA_PATCH ||
                       kernel == RILL_CUDA_FEW_WALLS || kernel == RILL_CUDA_DAMP) &&
                      !launch->joined && can_begin_early(compiled.device);
    cudaLaunchKernelExC(&config, compiled.kernels[kernel], addresses);
}

unsigned blocks_of(uint64_t work, uint64_t size) { return (unsigned)((work + size - 1) / size); }

// A tenth of the second-level cache: far enough to arrive in time, near enough not to be displaced.
uint32_t ahead_of(const rill_launch *launch)
{
    const size_t node =
        (size_t)rill_q((int)launch->variant.lattice) * rill_storage_size((int)launch->variant.storage);
    const size_t nodes = (size_t)compiled_of(launch).device.cache / 10 / node;
    return (uint32_t)(nodes - nodes % RILL_SEGMENT_BLOCK);
}

void step(const rill_launch *launch)
{
    const auto threads =
        (unsigned)rill_cuda_step_threads((int)launch->variant.lattice, (int)launch->variant.stream,
                                         (int)launch->variant.addressing, launch->parity);
    const bool stored = rill_stream_macroscopic((int)launch->variant.stream),
               groups = launch->from.lanes && launch->first == 0 && launch->end == launch->from.nodes;
    const bool narrow =
        stored ? groups : (uint64_t)rill_q((int)launch->variant.lattice) * launch->from.stride <= UINT32_MAX;
    const uint64_t work =
        stored && groups ? (uint64_t)RILL_WARP * launch->from.warps : launch->end - launch->first;
    const int kernel = (launch->walls.weights ? RILL_CUDA_STEP_WALLS
                        : launch->parity      ? RILL_CUDA_STEP_ODD
                                              : RILL_CUDA_STEP_EVEN) +
                       (narrow ? RILL_CUDA_NARROW_EVEN - RILL_CUDA_STEP_EVEN : 0);
    rill_arrays from = launch->from;
    from.ahead = ahead_of(launch);
    start(launch, kernel, blocks_of(work, threads), threads, from, launch->to, rates_argument(launch),
          launch->first, launch->end, launch->walls, launch->carrier);
}

void read(const rill_launch *launch, rill_node first, rill_node count, double *out, rill_partial *partials)
{
    start(launch, RILL_CUDA_READ, blocks_of(count, RILL_CHUNK), RILL_CUDA_THREADS, launch->from,
          rates_argument(launch), (int)launch->variant.equilibrium, launch->parity, launch->order, first,
          count, out, partials, partials ? launch->velocities : nullptr, launch->mean,
          partials ? launch->labels : nullptr, launch->label_sums);
}

void totals(const rill_launch *launch, rill_partial *partials)
{
    if (launch->rounding)
        start(launch, RILL_CUDA_ROUND, blocks_of(launch->end - launch->first, RILL_CHUNK), RILL_CUDA_THREADS,
              launch->from, rates_argument(launch), launch->parity, launch->first, launch->end, partials);
    else
        read(launch, launch->first, launch->end - launch->first, nullptr, partials);
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
          launch->to, rates_argument(launch), launch->parity, swaps, count);
}

unsigned cross_blocks(uint64_t count)
{
    return blocks_of(count, RILL_CUDA_CROSS_THREADS * RILL_CUDA_CROSS_LINKS);
}

void pack(const rill_launch *launch, const rill_cut_link *links, uint64_t count, void *words)
{
    start(launch, RILL_CUDA_CROSS, cross_blocks(count), RILL_CUDA_CROSS_THREADS, launch->from, launch->parity,
          links, launch->first, launch->end - launch->first, launch->order, count, words, true);
}

void unpack(const rill_launch *launch, const rill_cut_link *links, uint64_t count, const void *words)
{
    start(launch, RILL_CUDA_CROSS, cross_blocks(count), RILL_CUDA_CROSS_THREADS, launch->from, launch->parity,
          links, launch->first, launch->end - launch->first, launch->order, count, const_cast<void *>(words),
          false);
}

void locate(const rill_launch *launch, rill_cut_link *links, uint64_t count)
{
    start(launch, RILL_CUDA_LOCATE, blocks_of(count, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          launch->parity, links, count);
}

void wrap(const rill_launch *launch)
{
    start(launch, RILL_CUDA_WRAP, blocks_of(launch->from.ghosts, RILL_CUDA_THREADS), RILL_CUDA_THREADS,
          launch->from);
}

// Between tasks blocks wait for each other, so that no more may be started than are resident at once: one of
// those that RILL_CUDA_PATCH_RESIDENT allows on a multiprocessor, for as many simulations may run there side
// by side. (A cooperative launch would refuse more, but begins only when the kernel before has ended.) For a
// single task each block has one row, and all memory is asked at once.
void patch(const rill_launch *launch, int tasks, const rill_patch *patches, const rill_patch *host, int count,
           const rill_patch_now *now, double *exchange)
{
    uint64_t most = 0;
    for (int task = RILL_PATCH_ANSWER; task <= RILL_PATCH_MEASURE; task *= 2) {
        uint64_t blocks = 0;
        for (int k = 0; k < count && tasks & task; k++) blocks += rill_patch_blocks(&host[k], task);
        most = std::max(most, blocks);
    }
    const rill_cuda_device &device = compiled_of(launch).device;
    if (tasks & (tasks - 1)) most = std::min<uint64_t>(most, device.multiprocessors);
    start(launch, RILL_CUDA_PATCH, (unsigned)most, RILL_PATCH_BLOCK, launch->from,
          (int)launch->variant.equilibrium, launch->parity, patches, count, *now, tasks, exchange,
          device.arrivals);
}

// Links that a warp for each node rewrites in one wave.
constexpr uint64_t few_links = 1 << 15;

void walls(const rill_launch *launch, rill_walls_task task, const rill_walls *list, double *exchange)
{
    if (task == RILL_WALLS_BOTH && list->end - list->first <= few_links) {
        start(launch, RILL_CUDA_FEW_WALLS,
              blocks_of(RILL_WARP * (list->end_node - list->first_node), RILL_CUDA_THREADS),
              RILL_CUDA_THREADS, launch->from, launch->parity, *list);
        return;
    }
    if (task == RILL_WALLS_BOTH) {
        walls(launch, RILL_WALLS_REWRITE, list, exchange);
        walls(launch, RILL_WALLS_BALANCE, list, exchange);
        return;
    }
    const uint64_t work =
        task == RILL_WALLS_BALANCE ? list->end_node - list->first_node : list->end - list->first;
    start(launch, RILL_CUDA_WALLS, blocks_of(work, RILL_CUDA_THREADS), RILL_CUDA_THREADS, launch->from,
          launch->parity, (int)task, *list, exchange);
}

void damp(const rill_launch *launch, const rill_sponge *sponge)
{
    start(launch, RILL_CUDA_DAMP, blocks_of(sponge->count, RILL_CUDA_THREADS), RILL_CUDA_THREADS,
          launch->from, launch->parity, *sponge);
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
    return {step,   totals, moments, set,   swap, pack,   unpack,
            locate, wrap,   patch,   walls, damp, sample, compiled};
}
