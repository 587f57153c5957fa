/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nvrtc.h
 * Compiling a variant when it is first used, with NVIDIA's run-time compiler and the sources in the library.
 * Neither a device nor a CUDA header is needed; libnvrtc is looked for when it is first needed.
 */
#ifndef RILL_CUDA_NVRTC_H
#define RILL_CUDA_NVRTC_H

#include "cuda/compiled.h"
#include "rill.h"

/** What is compiled at a time: the steps of a variant, or what all variants of its layout share. */
typedef enum rill_cuda_part {
    RILL_CUDA_PART_STEPS,
    RILL_CUDA_PART_OTHERS,
    RILL_CUDA_PART_COUNT
} rill_cuda_part;

/** Machine code of a part. */
typedef struct rill_cubin {
    void *memory; /**< owned: what the pointers below point into */
    size_t size;  /**< of memory */
    int first, end;
    const char *names[RILL_CUDA_KERNEL_COUNT]; /**< symbols of kernels first to end - 1 of compiled.h */
    const void *code;
    size_t code_size;
} rill_cubin;

/** Free machine code; a cleared one is allowed. */
void rill_cubin_free(rill_cubin *cubin);

/** Find libnvrtc and its version. @return RILL_SYSTEM, saying what to install, when it is missing */
rill_status rill_nvrtc_version(int *major, int *minor);

/**
 * Compile a part of a variant.
 * @param[in]  arch  compute capability, 90 for 9.0
 * @param[out] cubin see rill_cubin_free()
 * @param[out] log   the messages of the compiler, registers and spills of each kernel among it; to be freed;
 * also set when the compilation failed, else NULL
 * @return RILL_SYSTEM when libnvrtc is missing, does not know the architecture, or fails
 */
rill_status rill_nvrtc_compile(rill_variant variant, rill_cuda_part part, int arch, rill_cubin *cubin,
                               char **log);

/**
 * Take a part of a variant from the cache on disk, or compile it and put it there. The cache is
 * RILL_CACHE, else rill/ in XDG_CACHE_HOME, else ~/.cache/rill; one that cannot be written is no failure.
 * @return as rill_nvrtc_compile()
 */
rill_status rill_nvrtc_get(rill_variant variant, rill_cuda_part part, int arch, rill_cubin *cubin);

#endif
