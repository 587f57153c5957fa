/* SPDX-License-Identifier: Apache-2.0 */
#include "device/flows.h"

#include "core/threads.h"

/* A chunk of rows. The work is known to the compiler in each. */
#define RILL_FLOW_LOOP(work)                                                                                 \
    for (uint32_t row = begin; row < behind; row++) sum += rill_flow_row(work, flow, row);                   \
    break

static void chunk(rill_flow_work work, const rill_flow *flow, uint32_t k)
{
    const uint32_t begin = k * RILL_FLOW_CHUNK, left = flow->level.count - begin;
    const uint32_t behind = begin + (left < RILL_FLOW_CHUNK ? left : RILL_FLOW_CHUNK);
    double sum = 0;
    switch (work) {
    case RILL_FLOW_BEGIN:
        RILL_FLOW_LOOP(RILL_FLOW_BEGIN);
    case RILL_FLOW_GO:
        RILL_FLOW_LOOP(RILL_FLOW_GO);
    case RILL_FLOW_DESCEND:
        RILL_FLOW_LOOP(RILL_FLOW_DESCEND);
    case RILL_FLOW_ASCEND:
        RILL_FLOW_LOOP(RILL_FLOW_ASCEND);
    case RILL_FLOW_FINISH:
        RILL_FLOW_LOOP(RILL_FLOW_FINISH);
    case RILL_FLOW_MULTIPLY:
        RILL_FLOW_LOOP(RILL_FLOW_MULTIPLY);
    case RILL_FLOW_TURN:
        RILL_FLOW_LOOP(RILL_FLOW_TURN);
    case RILL_FLOW_WORKS:
        break;
    }
    if (rill_flow_sums(work)) flow->partial[k] = sum;
}

typedef struct loop {
    rill_flow_work work;
    const rill_flow *flow;
} loop;

static void chunks(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    for (uint64_t k = first; k < end; k++) chunk(l->work, l->flow, (uint32_t)k);
}

static bool is_cuda(const rill_device *device)
{
#ifdef RILL_HAVE_CUDA
    return device->backend == &rill_backend_cuda;
#else
    (void)device;
    return false;
#endif
}

bool rill_flow_reaches(const rill_device *device)
{
    return device->backend->memory.upload == rill_backend_cpu.memory.upload ||
           is_cuda(device); /* or memory of the host */
}

rill_status rill_flow_rows(const rill_device *device, rill_flow_work work, const rill_flow *flow)
{
#ifdef RILL_HAVE_CUDA
    if (device && is_cuda(device)) return rill_cuda_flow_rows(device, work, flow);
#endif
    (void)device;
    rill_threads_for(rill_flow_chunks(flow->level.count), 1, chunks, &(loop){work, flow});
    return RILL_OK;
}
