/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file build.h
 * Building the arrays of a domain on the device: the functions of domain/build.h, a thread per cell or word.
 */
#ifndef RILL_CUDA_BUILD_H
#define RILL_CUDA_BUILD_H

#include "kernel/build.h"

/** Start a task in a queue, a cudaStream_t. A failure stays behind as CUDA's last error. */
void rill_cuda_build(const rill_builder *builder, rill_build_task task, void *queue);

#endif
