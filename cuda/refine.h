/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refine.h
 * Interpolation between grids on the device: the functions of kernel/refine.h, a block per row.
 */
#ifndef RILL_CUDA_REFINE_H
#define RILL_CUDA_REFINE_H

#include "kernel/refine.h"

/** Start it in a queue, a cudaStream_t. A failure stays behind as CUDA's last error. */
void rill_cuda_refine(const rill_refiner *refiner, void *queue);

#endif
