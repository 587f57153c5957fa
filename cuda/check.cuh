// SPDX-License-Identifier: Apache-2.0
// Errors of the CUDA runtime as a status.
#ifndef RILL_CUDA_CHECK_CUH
#define RILL_CUDA_CHECK_CUH

extern "C" {
#include "core/status.h"
}

#include <cuda_runtime.h>

// Returns RILL_SYSTEM with a sentence for an error. The runtime keeps an error until it is asked: left there,
// the next wait would report it, of what was tried again in less memory.
static inline rill_status check(cudaError_t error, const char *doing)
{
    if (error == cudaSuccess) return RILL_OK;
    cudaGetLastError();
    return rill_fail(RILL_SYSTEM, "CUDA failed while %s: %s", doing, cudaGetErrorString(error));
}

#endif
