/* SPDX-License-Identifier: Apache-2.0 */
/* Entries one behind the other: a head, and what was seen. */
#include "permeability/journal.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>

typedef struct head {
    uint64_t kind, step, size;
} head;

void rill_journal_clear(rill_journal *journal)
{
    free(journal->bytes);
    *journal = (rill_journal){.bytes = NULL};
}

/* Make room for so many bytes more. */
static bool grow(rill_journal *j, size_t more)
{
    if (j->capacity - j->size >= more) return true;
    const size_t capacity = 2 * (j->size + more);
    char *grown = realloc(j->bytes, capacity);
    if (!grown) return false;
    j->bytes = grown;
    j->capacity = capacity;
    return true;
}

void rill_journal_put(rill_journal *j, rill_journal_kind kind, uint64_t step, const void *data, size_t size)
{
    const head h = {kind, step, size};
    if (!j || j->lost) return;
    if (!grow(j, sizeof h + size)) {
        rill_journal_clear(j);
        j->lost = true;
        return;
    }
    memcpy(j->bytes + j->size, &h, sizeof h);
    if (size) memcpy(j->bytes + j->size + sizeof h, data, size);
    j->size += sizeof h + size;
}

bool rill_journal_replays(const rill_journal *journal) { return journal && journal->replaying; }

static rill_status fail_other(const rill_journal *j)
{
    return rill_fail(RILL_USAGE,
                     "cannot continue from %s: its record is of another run; start anew without --resume",
                     j->path);
}

rill_status rill_journal_take(rill_journal *j, rill_journal_kind kind, uint64_t step, void *data, size_t size)
{
    head h;
    if (j->size - j->at < sizeof h) return fail_other(j);
    memcpy(&h, j->bytes + j->at, sizeof h);
    if (h.kind != kind || h.step != step || h.size != size || j->size - j->at - sizeof h < size)
        return fail_other(j);
    if (size) memcpy(data, j->bytes + j->at + sizeof h, size);
    j->at += sizeof h + size;
    return RILL_OK;
}

rill_status rill_journal_arrive(rill_journal *j)
{
    if (j->at != j->size) return fail_other(j);
    j->replaying = false;
    return RILL_OK;
}
