/* SPDX-License-Identifier: Apache-2.0 */
/* See instance.h; the Makefile sets RILL_ARITHMETIC and RILL_PART_LEVEL (2, 3 or 4). */
#define RILL_VECTOR_BYTES (8 << RILL_PART_LEVEL >> 1)

#include "kernel/storage/storage.h"
#include "tests/storage/instance.h"

/* Every function calls with the storage as a compile-time constant, as kernels do. */

static void load(int storage, const void *populations, size_t first, void *values, size_t count)
{
#define RILL_STORAGE(S, ...)                                                                                 \
    for (size_t k = 0; k < count && storage == RILL_##S; k++)                                                \
        ((rill_scalar *)values)[k] = rill_storage_load(RILL_##S, populations, first + k);
#include "kernel/variants.def"
}

static void store(int storage, void *populations, size_t first, const void *values, size_t count)
{
#define RILL_STORAGE(S, ...)                                                                                 \
    for (size_t k = 0; k < count && storage == RILL_##S; k++)                                                \
        rill_storage_store(RILL_##S, populations, first + k, ((const rill_scalar *)values)[k]);
#include "kernel/variants.def"
}

static void load_row(int storage, const void *populations, size_t first, void *values)
{
    rill_real row = {0};
#define RILL_STORAGE(S, ...)                                                                                 \
    if (storage == RILL_##S) row = rill_storage_load_row(RILL_##S, populations, first);
#include "kernel/variants.def"
    memcpy(values, &row, sizeof row);
}

static void store_row(int storage, void *populations, size_t first, const void *values)
{
    rill_real row;
    memcpy(&row, values, sizeof row);
#define RILL_STORAGE(S, ...)                                                                                 \
    if (storage == RILL_##S) rill_storage_store_row(RILL_##S, populations, first, row);
#include "kernel/variants.def"
}

/* Counts are compile-time constants, too. */
#define COUNTS(X, S) X(S, 1) X(S, 2) X(S, 4) X(S, 8) X(S, 16) X(S, 32)

static void load_part(int storage, const void *populations, size_t first, void *values, int count)
{
#define LOAD(S, N)                                                                                           \
    if (storage == RILL_##S && count == N)                                                                   \
        rill_storage_load_part(RILL_##S, populations, first, (rill_scalar *)values, N);
#define RILL_STORAGE(S, ...) COUNTS(LOAD, S)
#include "kernel/variants.def"
}

static void store_part(int storage, void *populations, size_t first, const void *values, int count)
{
#define STORE(S, N)                                                                                          \
    if (storage == RILL_##S && count == N)                                                                   \
        rill_storage_store_part(RILL_##S, populations, first, (const rill_scalar *)values, N);
#define RILL_STORAGE(S, ...) COUNTS(STORE, S)
#include "kernel/variants.def"
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
