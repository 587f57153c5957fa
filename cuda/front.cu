// SPDX-License-Identifier: Apache-2.0
// Loops over the nodes of a free surface, a thread for each; lists of nodes, a block of threads for a tile.
// Compiled without fused multiplications: the same bits as on processors.
#define RILL_ARITHMETIC double
extern "C" {
#include "device/front_node.h"

#include "device/device.h"
}

#include "cuda/check.cuh"

namespace
{

constexpr const char *doing = "following a free surface";
constexpr uint32_t threads = 128, fitting = 64, lanes = 32, warps = threads / lanes;
constexpr uint32_t each = RILL_FRONT_TILE / threads; // nodes of a tile that a thread looks at
static_assert(each == RILL_SEGMENT_BLOCK / 2, "two threads have a block");

__device__ void planes_fitted(const rill_front *f, const rill_launch *launch, const uint64_t k)
{
    __shared__ double fill[RILL_AROUND * fitting];
    rill_plic_cells cells = {fill + threadIdx.x, fitting, 0};
    rill_front_planes(f, launch, k, &cells);
}
#define rill_front_planes planes_fitted

template <rill_front_work work> constexpr uint32_t threads_of = work == RILL_FRONT_PLANES ? fitting : threads;

template <rill_front_work work>
__global__ void __launch_bounds__(threads_of<work>)
    nodes_kernel(const __grid_constant__ rill_front f, const __grid_constant__ rill_launch launch)
{
    const uint64_t k = uint64_t(blockIdx.x) * threads_of<work> + threadIdx.x;
#define WORK(name, function, nodes)                                                                          \
    if constexpr (work == RILL_FRONT_##name)                                                                 \
        if (k < f.nodes.count) rill_front_##function(&f, &launch, k);
    RILL_FRONT_WORKS(WORK)
#undef WORK
}

// Adds up what is held in the order of nodes: a block looks for it, its first thread adds.
__global__ void __launch_bounds__(1024) hold_kernel(const rill_front f)
{
    __shared__ double mass[1024];
    __shared__ bool held[1024];
    if (!*f.holds) return;
    for (uint64_t first = 0; first < f.before.count; first += 1024) {
        const uint64_t k = first + threadIdx.x;
        const bool own = k < f.before.count && f.found[k].change == RILL_FRONT_HELD;
        held[threadIdx.x] = own;
        if (own) mass[threadIdx.x] = f.found[k].density;
        if (__syncthreads_or(own) && threadIdx.x == 0)
            for (int i = 0; i < 1024; i++)
                if (held[i]) *f.held += mass[i];
        __syncthreads();
    }
}

__global__ void release_kernel(const rill_front f)
{
    *f.holds = 0;
    if (f.list.count) *f.held = 0;
}

// What a thread sees of its nodes.
struct seen {
    uint32_t listed; // bit b: node b is of that state
    bool stepped;
};

__device__ seen look(const rill_front &f)
{
    const uint64_t first = uint64_t(blockIdx.x) * RILL_FRONT_TILE + threadIdx.x * each;
    const uint32_t wanted = 0x01010101u * f.listed;
    seen own = {0, false};
    for (uint32_t w = 0; w < each / 4; w++) {
        const uint32_t states = ((const uint32_t *)(f.state + first))[w];
        const uint32_t alike = __vcmpeq4(states, wanted) & 0x08040201u; // a bit of each byte
        own.listed |= ((alike | alike >> 8 | alike >> 16 | alike >> 24) & 15u) << 4 * w;
        own.stepped |= states != 0;
    }
    return own;
}

__global__ void __launch_bounds__(threads) count_kernel(const rill_front f)
{
    __shared__ uint32_t count[warps], stepped[warps];
    const seen own = look(f);
    uint32_t sum = __popc(own.listed), bits = __ballot_sync(0xffffffff, own.stepped);
    for (uint32_t half = lanes / 2; half > 0; half /= 2) sum += __shfl_down_sync(0xffffffff, sum, half);
    if (threadIdx.x % lanes == 0) {
        count[threadIdx.x / lanes] = sum;
        stepped[threadIdx.x / lanes] = bits;
    }
    __syncthreads();
    if (threadIdx.x > 0) return;
    uint64_t blocks = 0;
    uint32_t all = 0;
    for (uint32_t w = 0; w < warps; w++) {
        all += count[w];
        for (uint32_t b = 0; b < lanes / 2; b++)
            blocks |= uint64_t((stepped[w] >> 2 * b & 3) != 0) << (w * lanes / 2 + b);
    }
    f.number[blockIdx.x] = all;
    f.stepped[blockIdx.x] = blocks;
}

__global__ void __launch_bounds__(threads) collect_kernel(const rill_front f, const rill_front_list out)
{
    __shared__ uint32_t count[warps];
    const uint64_t tiles = gridDim.x, next = blockIdx.x + 1 < tiles ? f.number[blockIdx.x + 1] : out.count;
    uint64_t at = f.number[blockIdx.x];
    if (at == next) return;
    uint32_t listed = look(f).listed, behind = __popc(listed);
    const uint32_t own = behind, lane = threadIdx.x % lanes;
    for (uint32_t d = 1; d < lanes; d *= 2) {
        const uint32_t before = __shfl_up_sync(0xffffffff, behind, d);
        if (lane >= d) behind += before;
    }
    if (lane == lanes - 1) count[threadIdx.x / lanes] = behind;
    __syncthreads();
    for (uint32_t w = 0; w < threadIdx.x / lanes; w++) at += count[w];
    at += behind - own;
    const uint64_t first = uint64_t(blockIdx.x) * RILL_FRONT_TILE + threadIdx.x * each;
    for (; listed; listed &= listed - 1) out.node[at++] = rill_node(first + __ffs(int(listed)) - 1);
}

cudaStream_t queue_of(const rill_device *device) { return (cudaStream_t)device->queue; }

rill_status use(const rill_device *device) { return check(cudaSetDevice(device->ordinal), doing); }

unsigned tiles_of(const rill_front *f) { return (unsigned)rill_front_tiles(f->nodes); }

} // namespace

extern "C" rill_status rill_cuda_front_nodes(const rill_device *device, rill_front_work work,
                                             const rill_front *f, const rill_launch *launch)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    switch (work) {
#define WORK(name, function, nodes)                                                                          \
    case RILL_FRONT_##name: {                                                                                \
        constexpr uint32_t size = threads_of<RILL_FRONT_##name>;                                             \
        if (f->nodes.count > 0)                                                                              \
            nodes_kernel<RILL_FRONT_##name>                                                                  \
                <<<unsigned((f->nodes.count + size - 1) / size), size, 0, queue_of(device)>>>(*f, *launch);  \
        break;                                                                                               \
    }
        RILL_FRONT_WORKS(WORK)
#undef WORK
    default:
        break;
    }
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_front_hold(const rill_device *device, const rill_front *f)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    hold_kernel<<<1, 1024, 0, queue_of(device)>>>(*f);
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_front_release(const rill_device *device, const rill_front *f)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    release_kernel<<<1, 1, 0, queue_of(device)>>>(*f);
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_front_count(const rill_device *device, const rill_front *f)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    count_kernel<<<tiles_of(f), threads, 0, queue_of(device)>>>(*f);
    return check(cudaGetLastError(), doing);
}

extern "C" rill_status rill_cuda_front_collect(const rill_device *device, const rill_front *f,
                                               const rill_front_list *out)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    collect_kernel<<<tiles_of(f), threads, 0, queue_of(device)>>>(*f, *out);
    return check(cudaGetLastError(), doing);
}
