/* SPDX-License-Identifier: Apache-2.0 */
#define RILL_ARITHMETIC double
#define RILL_VECTOR_BYTES 16
#include "device/membrane_nodes.h"

#include "core/threads.h"

/* Membranes that a thread takes at a time. */
enum { MEMBRANES = 1 };

typedef struct loop {
    const rill_membrane_set *s;
    const rill_launch *launch;
} loop;

#define LOOP(name, function, items, piece)                                                                   \
    static void function##_some(const void *shared, uint64_t first, uint64_t end)                            \
    {                                                                                                        \
        const loop *w = shared;                                                                              \
        for (uint64_t k = first; k < end; k++) rill_membrane_##function(w->s, w->launch, k);                 \
    }
RILL_MEMBRANE_WORKS(LOOP)

rill_status rill_membrane_do(const rill_device *device, rill_membrane_work work, const rill_membrane_set *s,
                             const rill_launch *launch)
{
    const loop w = {s, launch};
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_membrane_do(device, work, s, launch);
#endif
    (void)device;
    switch (work) {
#define WORK(name, function, items, piece)                                                                   \
    case RILL_MEMBRANE_##name:                                                                               \
        rill_threads_for(items, piece, function##_some, &w);                                                 \
        break;
        RILL_MEMBRANE_WORKS(WORK)
    case RILL_MEMBRANE_WORK_COUNT:
        break;
    }
    return RILL_OK;
}

/* The sum is known to the compiler in each. */
#define SUM_UP(whole)                                                                                        \
    static void sum_up_##whole(const void *shared, uint64_t first, uint64_t end)                             \
    {                                                                                                        \
        const rill_membrane_set *s = ((const loop *)shared)->s;                                              \
        for (uint64_t k = first; k < end; k++) {                                                             \
            double sum[2] = {0}, own[2];                                                                     \
            for (uint32_t lane = 0; lane < RILL_MEMBRANE_LANES; lane++) {                                    \
                rill_whole_lane(s, whole, k, lane, own);                                                     \
                sum[0] += own[0];                                                                            \
                sum[1] += own[1];                                                                            \
            }                                                                                                \
            rill_whole_set(s, whole, k, sum);                                                                \
        }                                                                                                    \
    }
SUM_UP(RILL_MEMBRANE_HELD)
SUM_UP(RILL_MEMBRANE_ENCLOSED)
SUM_UP(RILL_MEMBRANE_LOST)

rill_status rill_membrane_sum_up(const rill_device *device, rill_membrane_whole whole,
                                 const rill_membrane_set *s)
{
    static rill_threads_work *const works[RILL_MEMBRANE_WHOLES] = {
        sum_up_RILL_MEMBRANE_HELD, sum_up_RILL_MEMBRANE_ENCLOSED, sum_up_RILL_MEMBRANE_LOST};
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_membrane_sum_up(device, whole, s);
#endif
    (void)device;
    rill_threads_for(s->count, MEMBRANES, works[whole], &(loop){s, NULL});
    return RILL_OK;
}

uint64_t rill_membrane_sums(uint64_t count)
{
    uint64_t sums = 0;
    for (; count > RILL_MEMBRANE_CHUNK; sums += count) count = rill_membrane_chunks(count);
    return sums;
}

rill_status rill_membrane_scan_up(const rill_device *device, uint32_t *values, uint64_t count, uint32_t *sums,
                                  uint32_t *total)
{
    rill_status status = RILL_OK;
    rill_membrane_set level[5] = {{.scan = {values, count, NULL, total}}}; /* 2^40 and less */
    int top = 0;
    for (; level[top].scan.count > RILL_MEMBRANE_CHUNK; top++) {
        const uint64_t chunks = rill_membrane_chunks(level[top].scan.count);
        level[top].scan.sums = sums;
        level[top + 1].scan = (rill_membrane_scan){sums, chunks, NULL, NULL};
        sums += chunks;
        RILL_TRY(rill_membrane_do(device, RILL_MEMBRANE_SUM, &level[top], NULL));
    }
    for (; top >= 0; top--) RILL_TRY(rill_membrane_do(device, RILL_MEMBRANE_PUT, &level[top], NULL));
done:
    return status;
}
