/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file find.h
 * The kernels of a variant on a device: those that were built ahead of time, or those that NVRTC
 * makes now.
 */
#ifndef RILL_CUDA_FIND_H
#define RILL_CUDA_FIND_H

#include "core/status.h"
#include "kernel/launch.h"

/** What a device knows of its kernels: those that were found, and what their launches need. */
typedef struct rill_cuda_state rill_cuda_state;

/** Read the properties of a device, which is the current one. */
rill_status rill_cuda_state_create(int ordinal, rill_cuda_state **out);

/** Unload kernels and free; NULL is allowed. */
void rill_cuda_state_destroy(rill_cuda_state *state);

/** Find the kernels of a variant; see rill_device_kernels(). */
rill_status rill_cuda_find(rill_cuda_state *state, rill_variant variant, const rill_kernels **out);

#endif
