/* SPDX-License-Identifier: Apache-2.0 */
#include "device/balance.h"

#include "core/threads.h"

enum { PIECE = 256 };

/* What a loop over rows works with. */
typedef struct loop {
    rill_balance_work work;
    const rill_balance *b;
} loop;

#define WORK(work)                                                                                           \
    case work:                                                                                               \
        for (uint64_t row = first; row < end; row++) rill_balance_row(work, l->b, (uint32_t)row);            \
        break

static void rows(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    switch (l->work) {
        WORK(RILL_BALANCE_CLIMB);
        WORK(RILL_BALANCE_END);
        WORK(RILL_BALANCE_SHARE);
        WORK(RILL_BALANCE_DESCEND);
        WORK(RILL_BALANCE_HELD);
    case RILL_BALANCE_WORKS:
        break;
    }
}

rill_status rill_balance_rows(const rill_device *device, rill_balance_work work, const rill_balance *b)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_balance_rows(device, work, b);
#endif
    (void)device;
    rill_threads_for(rill_balance_count(work, b), PIECE, rows, &(loop){work, b});
    return RILL_OK;
}
