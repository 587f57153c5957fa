/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file device.h
 * What launches must know of a device, read once: a launch cannot return an error.
 */
#ifndef RILL_CUDA_DEVICE_H
#define RILL_CUDA_DEVICE_H

#include "core/status.h"
#include "cuda/compiled.h"

/** Attributes of a device, in the order of rill_cuda_device. */
typedef enum rill_cuda_attribute {
    RILL_CUDA_MAJOR,
    RILL_CUDA_MULTIPROCESSORS,
    RILL_CUDA_CACHE,
    RILL_CUDA_ATTRIBUTE_COUNT
} rill_cuda_attribute;

/** Ask the runtime for an attribute. */
typedef rill_status rill_cuda_ask(int device, rill_cuda_attribute attribute, int *value);

/** Read what launches must know of a device. @return RILL_SYSTEM where an attribute cannot be read, or there
 * are no multiprocessors: no block of an opening would run then, and nothing would say so */
rill_status rill_cuda_device_read(rill_cuda_ask *ask, int device, rill_cuda_device *out);

#endif
