/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file storage.h
 * Number formats of stored populations: one load and one store each, from and to the arithmetic type.
 */
#ifndef RILL_KERNEL_STORAGE_H
#define RILL_KERNEL_STORAGE_H

#include "kernel/platform.h"
#include "rill.h"

#include <string.h>

/** Return the bytes of one stored population. */
RILL_FN size_t rill_storage_size(const int storage) { return storage == RILL_FP64 ? 8 : 4; }

#ifdef RILL_ARITHMETIC
/** Load population `offset` of the array. */
RILL_FN rill_scalar rill_storage_load(const int storage, const void *populations, const size_t offset)
{
    return storage == RILL_FP64 ? (rill_scalar)((const double *)populations)[offset]
                                : (rill_scalar)((const float *)populations)[offset];
}

/** Store population `offset` of the array. */
RILL_FN void rill_storage_store(const int storage, void *populations, const size_t offset,
                                const rill_scalar value)
{
    if (storage == RILL_FP64)
        ((double *)populations)[offset] = (double)value;
    else
        ((float *)populations)[offset] = (float)value;
}

#if !defined(__CUDACC__)
/** Load RILL_LANES populations from `first` on: one vector load where no conversion is needed. */
RILL_FN rill_real rill_storage_load_row(const int storage, const void *populations, const size_t first)
{
    rill_real value;
    if (rill_storage_size(storage) == sizeof(rill_scalar))
        memcpy(&value, (const char *)populations + first * sizeof(rill_scalar), sizeof value);
    else
        for (int l = 0; l < RILL_LANES; l++)
            value[l] = rill_storage_load(storage, populations, first + (size_t)l);
    return value;
}

/** Store RILL_LANES populations from `first` on. */
RILL_FN void rill_storage_store_row(const int storage, void *populations, const size_t first,
                                    const rill_real value)
{
    if (rill_storage_size(storage) == sizeof(rill_scalar))
        memcpy((char *)populations + first * sizeof(rill_scalar), &value, sizeof value);
    else
        for (int l = 0; l < RILL_LANES; l++)
            rill_storage_store(storage, populations, first + (size_t)l, value[l]);
}

/** Load `count` populations, a power of two known at compile time, from `first` on. */
RILL_FN void rill_storage_load_part(const int storage, const void *populations, const size_t first,
                                    rill_scalar *values, const int count)
{
    if (count >= RILL_LANES) {
        RILL_UNROLL
        for (int k = 0; k < count; k += RILL_LANES) {
            const rill_real value = rill_storage_load_row(storage, populations, first + (size_t)k);
            memcpy(values + k, &value, sizeof value);
        }
    } else if (rill_storage_size(storage) == sizeof(rill_scalar)) {
        memcpy(values, (const char *)populations + first * sizeof(rill_scalar),
               (size_t)count * sizeof(rill_scalar));
    } else {
        for (int l = 0; l < count; l++)
            values[l] = rill_storage_load(storage, populations, first + (size_t)l);
    }
}

/** Store `count` populations, a power of two known at compile time, from `first` on. */
RILL_FN void rill_storage_store_part(const int storage, void *populations, const size_t first,
                                     const rill_scalar *values, const int count)
{
    if (count >= RILL_LANES) {
        RILL_UNROLL
        for (int k = 0; k < count; k += RILL_LANES) {
            rill_real value;
            memcpy(&value, values + k, sizeof value);
            rill_storage_store_row(storage, populations, first + (size_t)k, value);
        }
    } else if (rill_storage_size(storage) == sizeof(rill_scalar)) {
        memcpy((char *)populations + first * sizeof(rill_scalar), values,
               (size_t)count * sizeof(rill_scalar));
    } else {
        for (int l = 0; l < count; l++)
            rill_storage_store(storage, populations, first + (size_t)l, values[l]);
    }
}
#endif
#endif

#endif
