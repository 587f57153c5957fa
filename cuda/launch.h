/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file launch.h
 * Starting the kernels of a variant on the device, whoever compiled them; see cuda/compiled.h.
 */
#ifndef RILL_CUDA_LAUNCH_H
#define RILL_CUDA_LAUNCH_H

#include "cuda/compiled.h"
#include "kernel/launch.h"

/** Return a table that starts these kernels; `compiled` must outlive it. */
rill_kernels rill_cuda_kernels_of(const rill_cuda_compiled *compiled);

#endif
