/* SPDX-License-Identifier: Apache-2.0 */
#include "device/diffusion.h"

#include "core/threads.h"
#include "device/cpu.h"

enum { PIECE = 4096 };

/* What a loop over nodes, rows or pairs of rows works with. */
typedef struct loop {
    rill_diffusion_level *level;
    rill_diffusion_work work;
    const rill_diffusion *f;
} loop;

static void some(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    l->level(l->work, l->f, first, end);
}

rill_status rill_diffusion_nodes(const rill_device *device, rill_diffusion_work work, const rill_diffusion *f,
                                 uint64_t nodes)
{
    rill_status status = RILL_OK;
    loop l = {.work = work, .f = f};
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_diffusion_nodes(device, work, f, nodes);
#endif
    (void)device;
    RILL_TRY(rill_cpu_diffusion(&l.level));
    if (rill_diffusion_is_alone(work))
        rill_threads_for(nodes, PIECE, some, &l);
    else if (rill_diffusion_is_blocked(work))
        rill_threads_for(rill_block_rows(&f->grid), 1, some, &l);
    else if (rill_diffusion_is_paired(work))
        rill_threads_for(rill_diffusion_pairs(&f->grid), 1, some, &l);
    else
        rill_threads_for(rill_diffusion_rows(&f->grid), 4, some, &l);
done:
    return status;
}

rill_status rill_diffusion_sum(const rill_device *device, const double *partial, uint32_t rows, double *sums)
{
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_diffusion_sum(device, partial, rows, sums);
#endif
    (void)device;
    for (uint32_t k = 0; k < RILL_DIFFUSION_SUMS; k++) sums[k] = 0;
    for (uint32_t first = 0; first < rows; first += RILL_DIFFUSION_SUMS) {
        const uint32_t left = rows - first, count = left < RILL_DIFFUSION_SUMS ? left : RILL_DIFFUSION_SUMS;
        for (uint32_t k = 0; k < count; k++) sums[k] += partial[first + k];
    }
    return RILL_OK;
}
