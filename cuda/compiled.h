/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file compiled.h
 * What a variant is compiled to for CUDA, whoever compiles it. nvcc makes the variants of variants.def
 * (kernels.cu), NVRTC any other (nvrtc.h), both from kernels.cuh; launch.cu starts either.
 */
#ifndef RILL_CUDA_COMPILED_H
#define RILL_CUDA_COMPILED_H

#include "kernel/storage/stream.h"

/**
 * The kernels of a variant: X(name, kernel). `kernel` is an expression of kernels.cuh. V is a type made by
 * RILL_CUDA_VARIANT(); a scheme without even and odd steps has one step under both names,
 * and where rill_walls_in_step() does not hold the one with walls is that without. NARROW_… are of arrays
 * whose populations 32 bits can count, the same again where V::narrows is false. P is its layout, made by
 * RILL_CUDA_LAYOUT(): variants that differ in collision, equilibrium and rheology alone share these kernels.
 */
#define RILL_CUDA_STEPS(X, V)                                                                                \
    X(STEP_EVEN, step_kernel<V, 0, false, false>)                                                            \
    X(STEP_ODD, step_kernel<V, V::parities - 1, false, false>)                                               \
    X(STEP_WALLS, step_kernel<V, 0, V::walls_in_step, false>)                                                \
    X(NARROW_EVEN, step_kernel<V, 0, false, V::narrows>)                                                     \
    X(NARROW_ODD, step_kernel<V, V::parities - 1, false, V::narrows>)                                        \
    X(NARROW_WALLS, step_kernel<V, 0, V::walls_in_step, V::narrows>)
#define RILL_CUDA_OTHERS(X, P)                                                                               \
    X(READ, read_kernel<P>)                                                                                  \
    X(ROUND, round_kernel<P>)                                                                                \
    X(SET, set_kernel<P>)                                                                                    \
    X(SWAP, swap_kernel<P>)                                                                                  \
    X(LOCATE, locate_kernel<P>)                                                                              \
    X(CROSS, cross_kernel<P>)                                                                                \
    X(WRAP, wrap_kernel<P>)                                                                                  \
    X(PATCH, patch_kernel<P>)                                                                                \
    X(WALLS, walls_kernel<P>)                                                                                \
    X(FEW_WALLS, few_walls_kernel<P>)                                                                        \
    X(DAMP, damp_kernel<P>)                                                                                  \
    X(SAMPLE, sample_kernel<P>)

#define RILL_CUDA_ENUM(name, ...) RILL_CUDA_##name,
enum {
    RILL_CUDA_STEPS(RILL_CUDA_ENUM, V) RILL_CUDA_OTHERS(RILL_CUDA_ENUM, P) RILL_CUDA_KERNEL_COUNT,
    RILL_CUDA_STEP_COUNT = RILL_CUDA_READ
};

/** Threads of a block of all kernels but the step. */
enum { RILL_CUDA_THREADS = 256 };

/** Threads of a block that copies populations of links, and links of a thread: small blocks find room beside
 * those of a step at once, and few of them wait for memory in their place. Measured:
 * docs/development/performance-journal.md. */
enum { RILL_CUDA_CROSS_THREADS = 64, RILL_CUDA_CROSS_LINKS = 4 };

/**
 * Return the threads of a block of a step, measured on an H200: few, so that memory is asked evenly; more
 * where outgoing populations are scattered, too, or lists are read, for the warps of a block find lines in
 * its cache, and in a ring buffer, whose blocks count themselves, and a pull, unless so many registers are
 * needed that few would fit.
 */
RILL_CONSTANT_FN int rill_cuda_step_threads(const int lattice, const int stream, const int addressing,
                                            const int parity)
{
    if (rill_stream_macroscopic(stream)) return 128;
    return addressing == RILL_LIST || (rill_stream_pulls(stream) && lattice != RILL_D3Q27) ||
                   (rill_stream_in_place(stream) && rill_slot_looks(stream, parity, false))
               ? 128
               : 64;
}

/** Blocks of the patch kernel that a multiprocessor holds at once, as they wait for each other: of as many
 * simulations; one less for formats whose conversion needs more registers. */
enum { RILL_CUDA_PATCH_RESIDENT = 3 };

/** What launches must know of a device: its major compute capability, bytes of second-level cache, its
 * number, and the counter by which blocks of the patch kernel wait for each other. */
typedef struct rill_cuda_device {
    int major, multiprocessors, cache, ordinal;
    uint32_t *arrivals; /**< on the device; cleared once */
} rill_cuda_device;

/** The kernels of one variant: what cudaLaunchKernel() takes, a __global__ function or a cudaKernel_t. */
typedef struct rill_cuda_compiled {
    const void *kernels[RILL_CUDA_KERNEL_COUNT];
    rill_cuda_device device; /**< they run on; set by rill_cuda_find() */
} rill_cuda_compiled;

#endif
