/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file compiled.h
 * What a variant is compiled to for CUDA, whoever compiles it. nvcc makes the variants of variants.def
 * (kernels.cu), NVRTC any other (nvrtc.h), both from kernels.cuh; launch.cu starts either.
 */
#ifndef RILL_CUDA_COMPILED_H
#define RILL_CUDA_COMPILED_H

/**
 * The kernels of a variant V, a type made by RILL_CUDA_VARIANT(): X(name, kernel). `kernel` is an expression
 * of kernels.cuh; a scheme without parity has one step under both names.
 */
#define RILL_CUDA_KERNELS(X, V)                                                                              \
    X(STEP_EVEN, step_kernel<V, 0>)                                                                          \
    X(STEP_ODD, step_kernel<V, V::parities - 1>)                                                             \
    X(READ, read_kernel<V>)                                                                                  \
    X(SET, set_kernel<V>)                                                                                    \
    X(SWAP, swap_kernel<V>)                                                                                  \
    X(WRAP, wrap_kernel<V>)                                                                                  \
    X(PATCH, patch_kernel<V>)

#define RILL_CUDA_ENUM(name, ...) RILL_CUDA_##name,
enum { RILL_CUDA_KERNELS(RILL_CUDA_ENUM, V) RILL_CUDA_KERNEL_COUNT };

/** Threads of a block of the step, and of the other kernels. */
enum { RILL_CUDA_STEP_THREADS = 128, RILL_CUDA_THREADS = 256 };

/** The kernels of one variant: what cudaLaunchKernel() takes, a __global__ function or a cudaKernel_t. */
typedef struct rill_cuda_compiled {
    const void *kernels[RILL_CUDA_KERNEL_COUNT];
} rill_cuda_compiled;

#endif
