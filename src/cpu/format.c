/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The number formats of one arithmetic type, for one x86-64 level, as functions on rows: the Makefile sets
 * RILL_PART_ARITHMETIC and RILL_PART_LEVEL.
 */
#include "cpu/part.h"

#include "cpu/rows.h"
#include "kernel/storage/storage.h"

RILL_FN rill_real row_value(const void *values, size_t k)
{
    rill_real value;
    memcpy(&value, (const rill_scalar *)values + k, sizeof value);
    return value;
}

RILL_FN void load_row(const int storage, const bool check, const void *stored, void *values, double weight)
{
    for (size_t k = 0; k < RILL_BLOCK; k += RILL_LANES) {
        rill_real value = rill_storage_load_row(storage, stored, k);
        if (check) value = rill_storage_check(storage, value);
        value = value - (rill_scalar)weight;
        memcpy((rill_scalar *)values + k, &value, sizeof value);
    }
}

RILL_FN void store_row(const int storage, void *stored, const void *values, double weight)
{
    for (size_t k = 0; k < RILL_BLOCK; k += RILL_LANES)
        rill_storage_store_row(storage, stored, k, row_value(values, k) + (rill_scalar)weight);
}

RILL_FN void exchange_rows(const int storage, void *a, void *b, const int8_t *sign, const double *weight_a,
                           const double *weight_b)
{
    for (size_t k = 0; k < RILL_BLOCK; k++) {
        const rill_scalar s = sign[k], wa = (rill_scalar)weight_a[k], wb = (rill_scalar)weight_b[k];
        const rill_scalar first = rill_storage_load(storage, a, k) - wa,
                          second = rill_storage_load(storage, b, k) - wb;
        rill_storage_store(storage, a, k, s * second + wa);
        rill_storage_store(storage, b, k, s * first + wb);
    }
}

#define RILL_STORAGE(T, ...)                                                                                 \
    static void load_##T(const void *stored, void *values, double weight)                                    \
    {                                                                                                        \
        load_row(RILL_##T, false, stored, values, weight);                                                   \
    }                                                                                                        \
    static void check_##T(const void *stored, void *values, double weight)                                   \
    {                                                                                                        \
        load_row(RILL_##T, true, stored, values, weight);                                                    \
    }                                                                                                        \
    static void store_##T(void *stored, const void *values, double weight)                                   \
    {                                                                                                        \
        store_row(RILL_##T, stored, values, weight);                                                         \
    }                                                                                                        \
    static void exchange_##T(void *a, void *b, const int8_t *sign, const double *weight_a,                   \
                             const double *weight_b)                                                         \
    {                                                                                                        \
        exchange_rows(RILL_##T, a, b, sign, weight_a, weight_b);                                             \
    }
#include "kernel/variants.def"

#define SYMBOL RILL_CPU_FORMATS(RILL_PART_ARITHMETIC, RILL_PART_LEVEL)
#define RILL_STORAGE(T, ...) .of[RILL_##T] = {load_##T, check_##T, store_##T, exchange_##T},
extern const rill_cpu_formats SYMBOL;
const rill_cpu_formats SYMBOL = {
#include "kernel/variants.def"
};
