/* SPDX-License-Identifier: Apache-2.0 */
/* See instance.h; the Makefile sets RILL_ARITHMETIC and RILL_PART_LEVEL (2, 3 or 4). */
#define RILL_VECTOR_BYTES (8 << RILL_PART_LEVEL >> 1)

#include "kernel/storage.h"
#include "tests/storage/instance.h"

/* Call with the storage as a compile-time constant, as kernels do. */
#define EACH(call)                                                                                           \
    switch (storage) {                                                                                       \
    case RILL_FP32:                                                                                          \
        call(RILL_FP32);                                                                                     \
        break;                                                                                               \
    case RILL_FP64:                                                                                          \
        call(RILL_FP64);                                                                                     \
        break;                                                                                               \
    case RILL_FP16:                                                                                          \
        call(RILL_FP16);                                                                                     \
        break;                                                                                               \
    case RILL_FP16S:                                                                                         \
        call(RILL_FP16S);                                                                                    \
        break;                                                                                               \
    case RILL_FP16C:                                                                                         \
        call(RILL_FP16C);                                                                                    \
        break;                                                                                               \
    case RILL_P16_0S:                                                                                        \
        call(RILL_P16_0S);                                                                                   \
        break;                                                                                               \
    case RILL_P16_1S:                                                                                        \
        call(RILL_P16_1S);                                                                                   \
        break;                                                                                               \
    case RILL_P16_2C:                                                                                        \
        call(RILL_P16_2C);                                                                                   \
        break;                                                                                               \
    case RILL_INT16S:                                                                                        \
        call(RILL_INT16S);                                                                                   \
        break;                                                                                               \
    default:                                                                                                 \
        break;                                                                                               \
    }

static void load(int storage, const void *populations, size_t first, void *values, size_t count)
{
#define CALL(S)                                                                                              \
    for (size_t k = 0; k < count; k++)                                                                       \
    ((rill_scalar *)values)[k] = rill_storage_load(S, populations, first + k)
    EACH(CALL)
#undef CALL
}

static void store(int storage, void *populations, size_t first, const void *values, size_t count)
{
#define CALL(S)                                                                                              \
    for (size_t k = 0; k < count; k++)                                                                       \
    rill_storage_store(S, populations, first + k, ((const rill_scalar *)values)[k])
    EACH(CALL)
#undef CALL
}

static void load_row(int storage, const void *populations, size_t first, void *values)
{
    rill_real row = {0};
#define CALL(S) row = rill_storage_load_row(S, populations, first)
    EACH(CALL)
#undef CALL
    memcpy(values, &row, sizeof row);
}

static void store_row(int storage, void *populations, size_t first, const void *values)
{
    rill_real row;
    memcpy(&row, values, sizeof row);
#define CALL(S) rill_storage_store_row(S, populations, first, row)
    EACH(CALL)
#undef CALL
}

/* Counts are compile-time constants, too. */
#define COUNTS(S)                                                                                            \
    switch (count) {                                                                                         \
    case 1:                                                                                                  \
        PART(S, 1);                                                                                          \
        break;                                                                                               \
    case 2:                                                                                                  \
        PART(S, 2);                                                                                          \
        break;                                                                                               \
    case 4:                                                                                                  \
        PART(S, 4);                                                                                          \
        break;                                                                                               \
    case 8:                                                                                                  \
        PART(S, 8);                                                                                          \
        break;                                                                                               \
    case 16:                                                                                                 \
        PART(S, 16);                                                                                         \
        break;                                                                                               \
    case 32:                                                                                                 \
        PART(S, 32);                                                                                         \
        break;                                                                                               \
    default:                                                                                                 \
        break;                                                                                               \
    }

static void load_part(int storage, const void *populations, size_t first, void *values, int count)
{
#define PART(S, N) rill_storage_load_part(S, populations, first, (rill_scalar *)values, N)
    EACH(COUNTS)
#undef PART
}

static void store_part(int storage, void *populations, size_t first, const void *values, int count)
{
#define PART(S, N) rill_storage_store_part(S, populations, first, (const rill_scalar *)values, N)
    EACH(COUNTS)
#undef PART
}

static void check(int storage, const void *stored, void *values)
{
    rill_real row;
    memcpy(&row, stored, sizeof row);
    row = rill_storage_check(storage, row);
    memcpy(values, &row, sizeof row);
}

static void shift(int lattice, int shift, int i, const void *stored, void *values)
{
    rill_real row;
    memcpy(&row, stored, sizeof row);
    row = rill_population_shift(lattice, shift, i, row);
    memcpy(values, &row, sizeof row);
}

static void unshift(int lattice, int shift, int i, const void *values, void *stored)
{
    rill_real row;
    memcpy(&row, values, sizeof row);
    row = rill_population_unshift(lattice, shift, i, row);
    memcpy(stored, &row, sizeof row);
}

#define NAME_(a, v) storage_##a##_v##v
#define NAME(a, v) NAME_(a, v)
#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
extern const storage_instance NAME(RILL_ARITHMETIC, RILL_PART_LEVEL);
const storage_instance NAME(RILL_ARITHMETIC,
                            RILL_PART_LEVEL) = {TEXT(RILL_ARITHMETIC) " v" TEXT(RILL_PART_LEVEL),
                                                RILL_WIDTH,
                                                RILL_LANES,
                                                RILL_PART_LEVEL,
                                                load,
                                                store,
                                                load_row,
                                                store_row,
                                                load_part,
                                                store_part,
                                                check,
                                                shift,
                                                unshift};
