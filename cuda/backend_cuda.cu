// SPDX-License-Identifier: Apache-2.0
// A CUDA device as a backend: its memory, its errors, its copy bandwidth. Kernels are in kernels.cuh.
extern "C" {
#include "cuda/queue.h"
#include "cuda/find.h"
#include "device/device.h"
#include "kernel/storage/groups.h"
#include "kernel/sums.h"
}

#include "cuda/check.cuh"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

extern "C" {
#include "core/c_locale.h" // last: it replaces names that the headers above declare
}

namespace
{

// Small allocations lie in a page of 2 MiB together, which a handle gives away as a whole; large ones take
// pages of their own.
constexpr uint64_t page = RILL_CUDA_PAGE;

// The runtime's current device is that of the calling thread, which may have used another one before.
rill_status use(const rill_device *device)
{
    return check(cudaSetDevice(device->ordinal), "choosing the device");
}

cudaStream_t queue_of(const rill_device *device) { return (cudaStream_t)device->queue; }

cudaStream_t queue_beside(const rill_device *device) { return (cudaStream_t)device->beside; }

rill_status count_devices(int *count)
{
    const cudaError_t error = cudaGetDeviceCount(count);
    int driver = 0;
    if (error == cudaErrorInsufficientDriver && cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0)
        return rill_fail(RILL_SYSTEM, "no CUDA device answers (there is no NVIDIA driver)");
    if (error == cudaErrorInsufficientDriver)
        return rill_fail(
            RILL_SYSTEM,
            "no CUDA device answers (the NVIDIA driver is for CUDA %d.%d, rill was built with CUDA %d.%d: install driver %d or later)",
            driver / 1000, driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10,
            CUDART_VERSION < 13000 ? 525 : 580);
    if (error != cudaSuccess || *count == 0)
        return rill_fail(RILL_SYSTEM, "no CUDA device answers (%s)",
                         error == cudaSuccess ? "none is visible" : cudaGetErrorString(error));
    return RILL_OK;
}

void close_cuda(rill_device *device)
{
    if (device->state) rill_cuda_state_destroy((rill_cuda_state *)device->state);
    if (device->beside) cudaStreamDestroy(queue_beside(device));
    if (device->queue) cudaStreamDestroy(queue_of(device));
}

// FNV-1a of what the driver calls the device, in every process.
uint64_t unique_of(const cudaUUID_t &uuid)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (const char byte : uuid.bytes) hash = (hash ^ (unsigned char)byte) * UINT64_C(0x100000001b3);
    return hash;
}

// The queues are no children of the legacy default stream: they wait for nobody else's work. CUDA takes a
// page of memory for the second, which so belongs to the device that is open, not to what is then put on it.
rill_status open_cuda(rill_device *device)
{
    int count = 0;
    cudaStream_t queue = nullptr, beside = nullptr;
    cudaDeviceProp properties;
    rill_cuda_state *state = nullptr;
    rill_status status = count_devices(&count);
    if (status != RILL_OK) return status;
    if (device->ordinal >= count)
        return rill_fail(RILL_USAGE, "CUDA device %d: %d %s visible, counted from 0", device->ordinal, count,
                         count == 1 ? "is" : "are");
    status = use(device);
    if (status == RILL_OK)
        status = check(cudaGetDeviceProperties(&properties, device->ordinal), "reading its properties");
    if (status == RILL_OK)
        status = check(cudaStreamCreateWithFlags(&queue, cudaStreamNonBlocking), "making its queue");
    device->queue = queue;
    if (status == RILL_OK)
        status =
            check(cudaStreamCreateWithFlags(&beside, cudaStreamNonBlocking), "making its queue of copies");
    device->beside = beside;
    if (status == RILL_OK) status = rill_cuda_state_create(device->ordinal, &state);
    device->state = state;
    if (status == RILL_OK) device->unique = unique_of(properties.uuid);
    if (status == RILL_OK)
        snprintf(device->name, sizeof device->name, "%s", properties.name);
    else
        close_cuda(device);
    return status;
}

rill_status available(rill_device *device, uint64_t *bytes)
{
    size_t free_bytes = 0, total = 0;
    rill_status status = use(device);
    if (status == RILL_OK) status = check(cudaMemGetInfo(&free_bytes, &total), "asking for free memory");
    *bytes = free_bytes;
    return status;
}

rill_status require(rill_device *device, uint64_t bytes, const char *what)
{
    uint64_t free_bytes = 0;
    const rill_status status = available(device, &free_bytes);
    if (status != RILL_OK || bytes <= free_bytes) return status;
    return rill_fail(
        RILL_SYSTEM,
        "%s need %.2f GiB on the device, which has %.2f GiB free: crop, choose --stream aa or --storage fp32, or run with --backend cpu",
        what, (double)bytes / (1 << 30), (double)free_bytes / (1 << 30));
}

void free_array(rill_device *, void *array) { cudaFree(array); }

rill_status alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    void *array = nullptr;
    rill_status status = use(device);
    if (status == RILL_OK) status = check(cudaMalloc(&array, bytes), what);
    if (status == RILL_OK) status = check(cudaMemsetAsync(array, 0, bytes, queue_of(device)), what);
    if (status == RILL_OK)
        *out = array;
    else
        free_array(device, array);
    return status;
}

rill_status wait(rill_device *device)
{
    const rill_status status = check(cudaGetLastError(), "starting a kernel");
    return status == RILL_OK ? check(cudaStreamSynchronize(queue_of(device)), "running a kernel") : status;
}

// A thread of the driver calls the function. Where it takes none, the caller waits and calls it.
void then(rill_device *device, void (*fn)(void *context), void *context)
{
    if (use(device) == RILL_OK && cudaLaunchHostFunc(queue_of(device), fn, context) == cudaSuccess) return;
    cudaStreamSynchronize(queue_of(device)); // wait() returns the error
    fn(context);
}

// Copies in the order of the queue, and waits.
rill_status copy(rill_device *device, void *to, const void *from, uint64_t bytes, cudaMemcpyKind kind,
                 const char *doing)
{
    rill_status status = use(device);
    if (status == RILL_OK) status = check(cudaMemcpyAsync(to, from, bytes, kind, queue_of(device)), doing);
    return status == RILL_OK ? check(cudaStreamSynchronize(queue_of(device)), doing) : status;
}

rill_status upload(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    return copy(device, to, host, bytes, cudaMemcpyHostToDevice, "copying to the device");
}

rill_status download(rill_device *device, void *host, const void *from, uint64_t bytes)
{
    return copy(device, host, from, bytes, cudaMemcpyDeviceToHost, "copying from the device");
}

// For all devices that the process has opened.
void pin(rill_device *device, void *host, uint64_t bytes)
{
    if (use(device) == RILL_OK && cudaHostRegister(host, bytes, cudaHostRegisterPortable) != cudaSuccess)
        cudaGetLastError(); // wait() would report it
}

void unpin(rill_device *device, void *host)
{
    if (use(device) == RILL_OK && cudaHostUnregister(host) != cudaSuccess) cudaGetLastError();
}

rill_status pass(rill_device *device, void *queue, void *to, const rill_device *owner, const void *from,
                 uint64_t bytes)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    return check(cudaMemcpyPeerAsync(to, device->ordinal, from, owner->ordinal, bytes, (cudaStream_t)queue),
                 "copying from another device");
}

rill_status bring(rill_device *device, void *queue, void *to, const void *from, uint64_t bytes)
{
    static const char doing[] = "copying between the device and another process";
    cudaStream_t stream = (cudaStream_t)queue;
    rill_status status = use(device);
    if (status == RILL_OK && bytes > 0)
        status = check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream), doing);
    return status == RILL_OK ? check(cudaStreamSynchronize(stream), doing) : status;
}

// Blocks of a queue with priority are started before those of others that wait.
rill_status queue_create(rill_device *device, void **queue)
{
    cudaStream_t stream = nullptr;
    int least = 0, greatest = 0;
    rill_status status = use(device);
    if (status == RILL_OK)
        status = check(cudaDeviceGetStreamPriorityRange(&least, &greatest), "reading its priorities");
    if (status == RILL_OK)
        status = check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest),
                       "making a queue with priority");
    *queue = stream;
    return status;
}

void queue_destroy(rill_device *, void *queue) { cudaStreamDestroy((cudaStream_t)queue); }

rill_status event_create(rill_device *device, void **event)
{
    cudaEvent_t made = nullptr;
    rill_status status = use(device);
    if (status == RILL_OK)
        status = check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "making an event");
    *event = made;
    return status;
}

void event_destroy(rill_device *, void *event) { cudaEventDestroy((cudaEvent_t)event); }

rill_status event_record(rill_device *device, void *queue, void *event)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    const rill_status recorded =
        check(cudaEventRecord((cudaEvent_t)event, (cudaStream_t)queue), "recording an event");
    // A thread that only starts kernels does not wait(), and CUDA's last error is that of a thread.
    return recorded == RILL_OK ? check(cudaGetLastError(), "starting a kernel") : recorded;
}

rill_status queue_wait(rill_device *device, void *queue, void *event)
{
    const rill_status status = use(device);
    if (status != RILL_OK) return status;
    return check(cudaStreamWaitEvent((cudaStream_t)queue, (cudaEvent_t)event, 0), "waiting for an event");
}

// Peer access is a property of the two contexts, which all objects of a device share.
bool reaches(rill_device *device, const rill_device *other)
{
    int possible = 0;
    if (device->ordinal == other->ordinal) return true;
    if (use(device) != RILL_OK ||
        cudaDeviceCanAccessPeer(&possible, device->ordinal, other->ordinal) != cudaSuccess || !possible)
        return false;
    const cudaError_t error = cudaDeviceEnablePeerAccess(other->ordinal, 0);
    if (error != cudaSuccess) cudaGetLastError(); // wait() would report it
    return error == cudaSuccess || error == cudaErrorPeerAccessAlreadyEnabled;
}

rill_status export_create(rill_device *device, uint64_t bytes, const char *what, void **array,
                          rill_export *out)
{
    cudaIpcMemHandle_t handle;
    static_assert(sizeof handle == sizeof out->name, "a handle fits the name of an export");
    *array = nullptr;
    rill_status status = alloc(device, (bytes + page - 1) / page * page, what, array);
    if (status == RILL_OK)
        status = check(cudaIpcGetMemHandle(&handle, *array), "sharing memory with another process");
    if (status == RILL_OK) {
        memcpy(out->name, &handle, sizeof handle);
        return RILL_OK;
    }
    free_array(device, *array);
    *array = nullptr;
    return status;
}

// Takes peer access where the memory is another device's.
rill_status export_open(rill_device *device, const rill_export *given, void **array)
{
    cudaIpcMemHandle_t handle;
    memcpy(&handle, given->name, sizeof handle);
    rill_status status = use(device);
    if (status == RILL_OK)
        status = check(cudaIpcOpenMemHandle(array, handle, cudaIpcMemLazyEnablePeerAccess),
                       "opening memory of another process");
    return status;
}

void export_close(rill_device *device, void *array)
{
    if (use(device) == RILL_OK && cudaIpcCloseMemHandle(array) != cudaSuccess) cudaGetLastError();
}

rill_status flag_set(rill_device *device, void *queue, uint32_t *flag, uint32_t number)
{
    const rill_status status = use(device);
    return status == RILL_OK ? rill_cuda_flag_set(queue, flag, number) : status;
}

rill_status flag_wait(rill_device *device, void *queue, uint32_t *flag, uint32_t number)
{
    const rill_status status = use(device);
    return status == RILL_OK ? rill_cuda_flag_wait(queue, flag, number) : status;
}

rill_status share(rill_device *device, const void *host, uint64_t bytes, const char *what, const void **out)
{
    void *array = nullptr;
    rill_status status = use(device);
    if (status == RILL_OK) status = check(cudaMalloc(&array, bytes), what);
    // So the copy does not wait for steps that are queued.
    const cudaStream_t stream = queue_beside(device);
    if (status == RILL_OK)
        status = check(cudaMemcpyAsync(array, host, bytes, cudaMemcpyHostToDevice, stream), what);
    if (status == RILL_OK) status = check(cudaStreamSynchronize(stream), what);
    if (status == RILL_OK)
        *out = array;
    else
        free_array(device, array);
    return status;
}

void release(rill_device *device, const void *array) { free_array(device, const_cast<void *>(array)); }

rill_status link_nodes(rill_device *device, rill_variant variant, rill_arrays *arrays)
{
    const rill_status status = use(device);
    return status == RILL_OK ? rill_cuda_groups(variant, arrays, device->queue) : status;
}

void unlink_nodes(rill_device *, rill_arrays *arrays)
{
    cudaFree(const_cast<uint32_t *>(arrays->lanes));
    arrays->lanes = nullptr;
    arrays->warps = 0;
}

uint64_t linked(rill_device *, const rill_arrays *arrays) { return rill_groups_bytes(arrays->warps); }

void build(rill_device *device, const rill_builder *builder, rill_build_task task)
{
    if (use(device) == RILL_OK) rill_cuda_build(builder, task, device->queue);
}

rill_status kernels(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    const rill_status status = use(device);
    return status == RILL_OK ? rill_cuda_find((rill_cuda_state *)device->state, variant, out) : status;
}

constexpr unsigned label_threads = 256;

__global__ void gather_kernel(const double *values, const uint32_t *labels, uint64_t count, int64_t *sums)
{
    const uint64_t k = (uint64_t)blockIdx.x * label_threads + threadIdx.x;
    if (k >= count) return;
    rill_sum_add(&sums[labels[k]], rill_sum_units(values[k]));
}

__global__ void spread_kernel(const double *given, const uint32_t *labels, uint64_t count, double *values)
{
    const uint64_t k = (uint64_t)blockIdx.x * label_threads + threadIdx.x;
    if (k < count) values[k] = given[labels[k]];
}

unsigned label_blocks(uint64_t count) { return (unsigned)((count + label_threads - 1) / label_threads); }

void gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count, int64_t *sums)
{
    if (use(device) != RILL_OK) return; // wait() returns the error
    gather_kernel<<<label_blocks(count), label_threads, 0, queue_of(device)>>>(values, labels, count, sums);
}

void spread(rill_device *device, const double *given, const uint32_t *labels, uint64_t count, double *values)
{
    if (use(device) != RILL_OK) return;
    spread_kernel<<<label_blocks(count), label_threads, 0, queue_of(device)>>>(given, labels, count, values);
}

void refine(rill_device *device, const rill_refiner *refiner)
{
    if (use(device) == RILL_OK) rill_cuda_refine(refiner, device->queue);
}

__global__ void fill_kernel(float4 *array, size_t count)
{
    const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        array[k] = make_float4(k * 1.5f, k + 1.0f, k * 0.25f, 1.0f / (k + 1.0f)); // zeros would flatter
}

__global__ void copy_kernel(float4 *__restrict__ to, const float4 *__restrict__ from, size_t count)
{
    const size_t k = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) to[k] = from[k];
}

// Copies 2 GiB, many times the L2, or a quarter of what is free; the median of several rounds.
rill_status bandwidth(rill_device *device, double *bytes_per_second)
{
    constexpr int rounds = 15, threads = 256;
    uint64_t free_bytes = 0;
    rill_status status = available(device, &free_bytes);
    if (status != RILL_OK) return status;
    const size_t count = std::min<uint64_t>(uint64_t{2} << 30, free_bytes / 4) / sizeof(float4);
    const unsigned blocks = (unsigned)((count + threads - 1) / threads);
    void *from = nullptr, *to = nullptr;
    cudaEvent_t start = nullptr, stop = nullptr;
    std::vector<double> rates;
    status = alloc(device, count * sizeof(float4), "measuring the bandwidth", &from);
    if (status == RILL_OK) status = alloc(device, count * sizeof(float4), "measuring the bandwidth", &to);
    if (status == RILL_OK) status = check(cudaEventCreate(&start), "measuring the bandwidth");
    if (status == RILL_OK) status = check(cudaEventCreate(&stop), "measuring the bandwidth");
    if (status == RILL_OK) fill_kernel<<<blocks, threads, 0, queue_of(device)>>>((float4 *)from, count);
    for (int round = 0; round < rounds && status == RILL_OK; round++) {
        float milliseconds = 0;
        cudaEventRecord(start, queue_of(device));
        copy_kernel<<<blocks, threads, 0, queue_of(device)>>>((float4 *)to, (const float4 *)from, count);
        cudaEventRecord(stop, queue_of(device));
        status = wait(device);
        if (status == RILL_OK)
            status = check(cudaEventElapsedTime(&milliseconds, start, stop), "measuring the bandwidth");
        rates.push_back(2.0 * (double)count * sizeof(float4) / (milliseconds * 1e-3));
    }
    if (start) cudaEventDestroy(start);
    if (stop) cudaEventDestroy(stop);
    free_array(device, from);
    free_array(device, to);
    if (status != RILL_OK) return status;
    std::sort(rates.begin(), rates.end());
    *bytes_per_second = rates[rates.size() / 2];
    return RILL_OK;
}

void versions(char *driver, size_t driver_size, char *runtime, size_t runtime_size)
{
    int number = 0;
    char line[256] = "";
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file &&
        fgets(line, sizeof line, file)) { // "NVRM version: NVIDIA UNIX ... Kernel Module  580.1.2  date"
        const char *found = strpbrk(line, "0123456789");
        while (found && (found == line || found[-1] != ' ')) found = strpbrk(found + 1, "0123456789");
        if (found) snprintf(driver, driver_size, "%.*s", (int)strcspn(found, " "), found);
    }
    if (file) fclose(file);
    if (cudaRuntimeGetVersion(&number) == cudaSuccess)
        snprintf(runtime, runtime_size, "%d.%d", number / 1000, number % 1000 / 10);
}

} // namespace

extern "C" {
extern const rill_backend rill_backend_cuda;
const rill_backend rill_backend_cuda = {
    "cuda",
    false,
    count_devices,
    open_cuda,
    close_cuda,
    nullptr,
    {available, require, alloc, free_array, share, release, upload, download, pin, unpin, bring, page},
    {pass, nullptr, reaches, nullptr, nullptr, nullptr},
    {queue_create, queue_destroy, event_create, event_destroy, event_record, queue_wait},
    {export_create, export_open, export_close, flag_set, flag_wait},
    build,
    link_nodes,
    unlink_nodes,
    linked,
    gather,
    spread,
    refine,
    wait,
    then,
    kernels,
    bandwidth,
    versions,
    nullptr,
    {true, true, true, false},
    "device copy",
};
}
