// SPDX-License-Identifier: Apache-2.0
// Where the kernels of a variant come from. What was found stays until the device is closed.
extern "C" {
#include "core/status.h"
#include "cuda/device.h"
#include "cuda/find.h"
#include "cuda/launch.h"
#include "cuda/nvrtc.h"
#include "kernel/storage/stream.h"
#include "kernel/variant.h"
}

#include "cuda/check.cuh"

#include <cuda_runtime.h>
#include <list>
#include <new>
#include <vector>

// Every part holds kernels for some lines of variants.def; the Makefile says which parts there are.
extern "C" {
#define RILL_PART_DECLARE(name) extern const rill_cuda_compiled rill_cuda_part_##name[];
RILL_CUDA_PARTS(RILL_PART_DECLARE)
}

namespace
{

const rill_cuda_compiled *const parts[] = {
#define RILL_PART_ADDRESS(name) rill_cuda_part_##name,
    RILL_CUDA_PARTS(RILL_PART_ADDRESS)};

struct entry {
    rill_variant variant;
    rill_cuda_compiled compiled;
    rill_kernels kernels;
};

} // namespace

struct rill_cuda_state {
    int ordinal;
    rill_cuda_device properties;
    std::list<entry> entries; // which stay where they are
    std::vector<cudaLibrary_t> libraries;
};

namespace
{

// Finds what nvcc made, where it made something that this device can run.
bool ahead(rill_variant variant, rill_cuda_compiled *out)
{
    for (int k = 0; k < rill_variant_count(); k++) {
        if (!rill_variant_equal(rill_variant_at(k), variant)) continue;
        for (const rill_cuda_compiled *part : parts) {
            cudaFuncAttributes attributes;
            if (!part[k].kernels[0]) continue;
            if (cudaFuncGetAttributes(&attributes, part[k].kernels[0]) == cudaSuccess) {
                *out = part[k];
                return true;
            }
            cudaGetLastError(); // no code for this device: NVRTC may make some
        }
    }
    return false;
}

rill_status compile_part(rill_cuda_state *state, rill_variant variant, rill_cuda_part part, int arch,
                         rill_cuda_compiled *out)
{
    rill_cubin cubin = {};
    cudaLibrary_t library = nullptr;
    rill_status status = rill_nvrtc_get(variant, part, arch, &cubin);
    if (status == RILL_OK)
        status = check(cudaLibraryLoadData(&library, cubin.code, nullptr, nullptr, 0, nullptr, nullptr, 0),
                       "loading compiled kernels");
    for (int k = cubin.first; k < cubin.end && status == RILL_OK; k++) {
        cudaKernel_t kernel = nullptr;
        status =
            check(cudaLibraryGetKernel(&kernel, library, cubin.names[k]), "looking for a compiled kernel");
        out->kernels[k] = (const void *)kernel;
    }
    rill_cubin_free(&cubin);
    if (library) state->libraries.push_back(library);
    return status;
}

rill_status ask(int device, rill_cuda_attribute attribute, int *value)
{
    constexpr cudaDeviceAttr attributes[RILL_CUDA_ATTRIBUTE_COUNT] = {
        cudaDevAttrComputeCapabilityMajor, cudaDevAttrMultiProcessorCount, cudaDevAttrL2CacheSize};
    return check(cudaDeviceGetAttribute(value, attributes[attribute], device), "reading its properties");
}

rill_status compile(rill_cuda_state *state, rill_variant variant, rill_cuda_compiled *out)
{
    int minor = 0;
    rill_status status =
        check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, state->ordinal),
              "reading its properties");
    for (int part = 0; part < RILL_CUDA_PART_COUNT && status == RILL_OK; part++)
        status =
            compile_part(state, variant, (rill_cuda_part)part, 10 * state->properties.major + minor, out);
    return status;
}

} // namespace

extern "C" rill_status rill_cuda_state_create(int ordinal, rill_cuda_state **out)
{
    auto *state = new (std::nothrow) rill_cuda_state{};
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a device");
    state->ordinal = ordinal;
    rill_status status = rill_cuda_device_read(ask, ordinal, &state->properties);
    void *arrivals = nullptr;
    if (status == RILL_OK) status = check(cudaMalloc(&arrivals, sizeof(uint32_t)), "counting blocks");
    state->properties.arrivals = (uint32_t *)arrivals;
    if (status == RILL_OK) status = check(cudaMemset(arrivals, 0, sizeof(uint32_t)), "counting blocks");
    if (status == RILL_OK) status = check(cudaStreamSynchronize(cudaStreamLegacy), "counting blocks");
    if (status == RILL_OK)
        *out = state;
    else
        rill_cuda_state_destroy(state);
    return status;
}

extern "C" void rill_cuda_state_destroy(rill_cuda_state *state)
{
    if (!state) return;
    for (cudaLibrary_t library : state->libraries) cudaLibraryUnload(library);
    cudaFree(state->properties.arrivals);
    delete state;
}

extern "C" rill_status rill_cuda_find(rill_cuda_state *state, rill_variant variant, const rill_kernels **out)
{
    for (const entry &e : state->entries)
        if (rill_variant_equal(e.variant, variant)) {
            *out = &e.kernels;
            return RILL_OK;
        }
    entry found = {variant, {}, {}};
    if (!ahead(variant, &found.compiled)) {
        const rill_status status = compile(state, variant, &found.compiled);
        if (status != RILL_OK) return status;
    }
    found.compiled.device = state->properties;
    state->entries.push_back(found);
    entry &kept = state->entries.back();
    kept.kernels = rill_cuda_kernels_of(&kept.compiled);
    *out = &kept.kernels;
    return RILL_OK;
}
