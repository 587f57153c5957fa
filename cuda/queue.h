/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file queue.h
 * What is started in a queue of a GPU, a cudaStream_t, besides the kernels of a variant.
 */
#ifndef RILL_CUDA_QUEUE_H
#define RILL_CUDA_QUEUE_H

#include "core/status.h"
#include "kernel/build.h"
#include "kernel/refine.h"

/** Start to build arrays of a domain, a thread per cell or word. A failure stays behind as CUDA's last error.
 */
void rill_cuda_build(const rill_builder *builder, rill_build_task task, void *queue);

/** Give the groups of nodes of a variant lanes where that makes its steps faster, see rill_arrays.lanes. */
rill_status rill_cuda_groups(rill_variant variant, rill_arrays *arrays, void *queue);

/** Start an interpolation between grids, a block per row. A failure stays behind as CUDA's last error. */
void rill_cuda_refine(const rill_refiner *refiner, void *queue);

/** Set a flag, in memory that processes share, behind all that is in a queue of the current device, once
 * others can see what that has stored.
 * @return RILL_SYSTEM where the driver does not offer it */
rill_status rill_cuda_flag_set(void *queue, uint32_t *flag, uint32_t number);

/** Let a queue wait until a flag has reached a number, in the sense of their signed difference. */
rill_status rill_cuda_flag_wait(void *queue, uint32_t *flag, uint32_t number);

#endif
