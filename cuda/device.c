/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the attributes of a device, and refuses a device that reports nonsense. */
#include "cuda/device.h"

rill_status rill_cuda_device_read(rill_cuda_ask *ask, int device, rill_cuda_device *out)
{
    static const char *const names[RILL_CUDA_ATTRIBUTE_COUNT] = {[RILL_CUDA_MAJOR] = "a compute capability",
                                                                 [RILL_CUDA_MULTIPROCESSORS] =
                                                                     "a number of multiprocessors"};
    int values[RILL_CUDA_ATTRIBUTE_COUNT] = {0};
    for (int k = 0; k < RILL_CUDA_ATTRIBUTE_COUNT; k++) {
        const rill_status status = ask(device, (rill_cuda_attribute)k, &values[k]);
        if (status != RILL_OK) return status;
        if (values[k] <= 0 && k != RILL_CUDA_CACHE) /* without a cache nothing is prefetched */
            return rill_fail(
                RILL_SYSTEM,
                "CUDA device %d reports %s of %d, which is not above 0: choose another device with CUDA_VISIBLE_DEVICES, or run with --backend cpu",
                device, names[k], values[k]);
    }
    *out = (rill_cuda_device){.major = values[RILL_CUDA_MAJOR],
                              .multiprocessors = values[RILL_CUDA_MULTIPROCESSORS],
                              .cache = values[RILL_CUDA_CACHE],
                              .ordinal = device};
    return RILL_OK;
}
