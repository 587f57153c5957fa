/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file find.h
 * The kernels of a variant on the current device: those that were built ahead of time, or those that NVRTC
 * makes now.
 */
#ifndef RILL_CUDA_FIND_H
#define RILL_CUDA_FIND_H

#include "core/status.h"
#include "kernel/launch.h"

/** Find the kernels of a variant; see rill_backend.kernels. */
rill_status rill_cuda_find(rill_variant variant, const rill_kernels **out);

#endif
