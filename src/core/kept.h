/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file kept.h
 * Arrays that the processes of a launcher keep together, each an equal number of successive items. Only the
 * first process reads and writes them, piece by piece; the others lend their memory.
 */
#ifndef RILL_CORE_KEPT_H
#define RILL_CORE_KEPT_H

#include "rill.h"

#include <stddef.h>

/** Memory of processes. Process 0 is this one, of which nothing is asked. */
typedef struct rill_keeper {
    int count;       /**< processes, this one included */
    uint32_t window; /**< planes of voxels that are seen at a time, see geometry/voxels/planes.h; 0: as many
                        as serve. For tests */
    void *context;
    /** Allocate memory, zeroed. */
    rill_status (*take)(void *context, int process, uint64_t bytes, const char *what, void **memory);
    void (*give_back)(void *context, int process, void *memory);
    rill_status (*put)(void *context, int process, void *memory, const void *from, uint64_t bytes);
    rill_status (*get)(void *context, int process, const void *memory, void *to, uint64_t bytes);
} rill_keeper;

/** An array [rows][count] of items; each process has all rows of its items. */
typedef struct rill_kept rill_kept;

/**
 * Create an array, zeroed.
 * @param[in] keeper  copied, its context must outlive the array; NULL: this process alone
 * @param[in] size    bytes of an item
 * @param[in] what    what the memory is for, in messages
 */
rill_status rill_kept_create(const rill_keeper *keeper, uint32_t rows, uint64_t count, uint64_t size,
                             const char *what, rill_kept **out);

/** Destroy an array; NULL is allowed. */
void rill_kept_destroy(rill_kept *kept);

/** Read, or write, successive items of a row. */
rill_status rill_kept_get(const rill_kept *kept, uint32_t row, uint64_t first, uint64_t count, void *to);
rill_status rill_kept_put(rill_kept *kept, uint32_t row, uint64_t first, uint64_t count, const void *from);

/** Return the array itself where this process has all of it, else NULL. */
void *rill_kept_whole(rill_kept *kept);

/** Return what keeps the array. */
const rill_keeper *rill_kept_keeper(const rill_kept *kept);

#endif
