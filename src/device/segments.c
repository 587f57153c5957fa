/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a list into segments: once to count them, once to write them. */
#include "device/cpu.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"

#include <string.h>

enum { POLLED = 256 }; /* blocks that a thread cuts before it is asked whether to go on */

rill_status rill_segments_create(rill_variant variant, const rill_arrays *arrays, rill_cpu_cut *cut,
                                 rill_segments *out)
{
    rill_status status = RILL_OK;
    rill_segments segments = {NULL, NULL};
    rill_progress_watch *watch = rill_progress_here();
    bool goes_on = true;
    *out = segments;
    if (arrays->stride > UINT32_MAX - RILL_SEGMENT_LANES) return RILL_OK; /* links are looked up one by one */
    const int64_t blocks = ((int64_t)arrays->nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK;
    const size_t kinds = (size_t)blocks * RILL_SEGMENT_KINDS;
    RILL_TRY(rill_array_create(kinds + 1, sizeof(uint64_t), "segments", (void **)&segments.offsets));
#pragma omp parallel for schedule(static) firstprivate(goes_on)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_KINDS] = {0};
        if (block % POLLED == 0) goes_on = rill_progress_goes_on(watch);
        if (!goes_on) continue;
        cut(variant, arrays, (size_t)block, count, NULL);
        memcpy(segments.offsets + block * RILL_SEGMENT_KINDS + 1, count, sizeof count);
    }
    RILL_TRY(rill_progress_poll());
    segments.offsets[0] = 0;
    for (size_t k = 0; k < kinds; k++) segments.offsets[k + 1] += segments.offsets[k];
    RILL_TRY(rill_array_create(segments.offsets[kinds], sizeof(rill_segment), "segments",
                               (void **)&segments.segments));
#pragma omp parallel for schedule(static) firstprivate(goes_on)
    for (int64_t block = 0; block < blocks; block++) {
        uint64_t count[RILL_SEGMENT_KINDS] = {0};
        if (block % POLLED == 0) goes_on = rill_progress_goes_on(watch);
        if (!goes_on) continue;
        rill_segment *to[RILL_SEGMENT_KINDS];
        for (int kind = 0; kind < RILL_SEGMENT_KINDS; kind++)
            to[kind] = segments.segments + segments.offsets[block * RILL_SEGMENT_KINDS + kind];
        cut(variant, arrays, (size_t)block, count, to);
    }
    RILL_TRY(rill_progress_poll());
    *out = segments;
    segments = (rill_segments){NULL, NULL};
done:
    rill_segments_destroy(&segments);
    return status;
}

uint64_t rill_segments_bytes(const rill_segments *segments, uint64_t nodes)
{
    const uint64_t offsets = (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_KINDS + 1;
    if (!segments->offsets) return 0;
    return offsets * sizeof *segments->offsets + segments->offsets[offsets - 1] * sizeof *segments->segments;
}

void rill_segments_destroy(rill_segments *segments)
{
    rill_array_destroy(segments->segments);
    rill_array_destroy(segments->offsets);
    *segments = (rill_segments){NULL, NULL};
}
