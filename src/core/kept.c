/* SPDX-License-Identifier: Apache-2.0 */
/* Divides arrays among processes. */
#include "core/kept.h"

#include "core/memory.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

struct rill_kept {
    rill_keeper keeper;
    uint32_t rows;
    uint64_t count, size;
    void **share; /* [keeper.count], in the memory of the processes */
};

/* Return the first item of a process. */
static uint64_t first_of(const rill_kept *kept, int process)
{
    const uint64_t each = kept->count / (uint64_t)kept->keeper.count,
                   rest = kept->count % (uint64_t)kept->keeper.count, k = (uint64_t)process;
    return each * k + (k < rest ? k : rest);
}

void rill_kept_destroy(rill_kept *kept)
{
    if (!kept) return;
    for (int k = 1; kept->share && k < kept->keeper.count; k++)
        if (kept->share[k]) kept->keeper.give_back(kept->keeper.context, k, kept->share[k]);
    if (kept->share) rill_array_destroy(kept->share[0]);
    free(kept->share);
    free(kept);
}

rill_status rill_kept_create(const rill_keeper *keeper, uint32_t rows, uint64_t count, uint64_t size,
                             const char *what, rill_kept **out)
{
    rill_status status = RILL_OK;
    rill_kept *kept = calloc(1, sizeof *kept);
    if (!kept) return rill_fail(RILL_SYSTEM, "out of memory for %s", what);
    *kept = (rill_kept){.rows = rows, .count = count, .size = size};
    kept->keeper = keeper ? *keeper : (rill_keeper){.count = 1};
    kept->share = calloc((size_t)kept->keeper.count, sizeof *kept->share);
    if (!kept->share) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", what));
    for (int k = 0; k < kept->keeper.count; k++) {
        const uint64_t items = rows * (first_of(kept, k + 1) - first_of(kept, k));
        if (items == 0) continue;
        if (k == 0) RILL_TRY(rill_memory_require(items * size, what));
        RILL_TRY(k == 0 ? rill_array_create_zero(items, size, what, &kept->share[k])
                        : keeper->take(keeper->context, k, items * size, what, &kept->share[k]));
    }
    *out = kept;
    kept = NULL;
done:
    rill_kept_destroy(kept);
    return status;
}

/* Move items of a row. @param to, from  one of them NULL */
static rill_status move(const rill_kept *kept, uint32_t row, uint64_t first, uint64_t count, char *to,
                        const char *from)
{
    rill_status status = RILL_OK;
    const rill_keeper *keeper = &kept->keeper;
    for (int k = 0; k < keeper->count && count > 0; k++) {
        const uint64_t begin = first_of(kept, k), end = first_of(kept, k + 1);
        if (first < begin || first >= end) continue;
        const uint64_t some = count < end - first ? count : end - first, bytes = some * kept->size;
        char *at = (char *)kept->share[k] + (row * (end - begin) + first - begin) * kept->size;
        if (k == 0)
            memcpy(to ? to : at, to ? at : from, bytes);
        else
            RILL_TRY(to ? keeper->get(keeper->context, k, at, to, bytes)
                        : keeper->put(keeper->context, k, at, from, bytes));
        first += some, count -= some;
        if (to) to += bytes;
        if (from) from += bytes;
    }
done:
    return status;
}

rill_status rill_kept_get(const rill_kept *kept, uint32_t row, uint64_t first, uint64_t count, void *to)
{
    return move(kept, row, first, count, to, NULL);
}

rill_status rill_kept_put(rill_kept *kept, uint32_t row, uint64_t first, uint64_t count, const void *from)
{
    return move(kept, row, first, count, NULL, from);
}

void *rill_kept_whole(rill_kept *kept) { return kept->keeper.count == 1 ? kept->share[0] : NULL; }

const rill_keeper *rill_kept_keeper(const rill_kept *kept) { return &kept->keeper; }
