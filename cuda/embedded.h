/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file embedded.h
 * The sources that kernels are made of, in the library itself: NVRTC needs no source tree. Made by
 * scripts/embed.
 */
#ifndef RILL_CUDA_EMBEDDED_H
#define RILL_CUDA_EMBEDDED_H

typedef struct rill_embedded {
    const char *name; /**< as an #include calls it, "kernel/node.h" */
    const char *text;
} rill_embedded;

/** kernels.cuh and all headers that it includes, but for those of the C library; ends with NULL. */
extern const rill_embedded rill_kernel_sources[];

#endif
