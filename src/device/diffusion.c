/* SPDX-License-Identifier: Apache-2.0 */
#include "device/diffusion.h"

#include "core/threads.h"

enum { PIECE = 4096 };

/* What a loop over nodes, rows or pairs of rows works with. */
typedef struct loop {
    rill_diffusion_work work;
    const rill_diffusion *f;
} loop;

/* A row of voxels. The work and whether there are several kinds are known to the compiler in each. */
static inline __attribute__((always_inline)) double row_work(const rill_diffusion_work work, const bool many,
                                                             const rill_diffusion *f, uint32_t y, uint32_t z)
{
    double sum[RILL_DIFFUSION_LANES] = {0};
    for (uint32_t w = 0; w < f->grid.words; w++) {
        const uint64_t here = f->grid.occupied[((size_t)z * f->grid.n[1] + y) * f->grid.words + w];
        if (!here) continue;
        const rill_diffusion_word word = rill_diffusion_look(&f->grid, w, y, z);
        uint32_t k = 0;
        for (uint64_t bits = here; bits; bits &= bits - 1, k++) {
            const rill_diffusion_node node = rill_diffusion_see(
                many, &f->grid, &word, (uint32_t)__builtin_ctzll(bits), w, y, z, word.first + k);
            const double product = rill_diffusion_do(work, f, &node);
            if (rill_diffusion_sums(work)) sum[k % RILL_DIFFUSION_LANES] += product;
        }
    }
    for (uint32_t half = RILL_DIFFUSION_LANES / 2; half && rill_diffusion_sums(work); half /= 2)
        for (uint32_t k = 0; k < half; k++) sum[k] += sum[k + half];
    return sum[0];
}

#define RILL_DIFFUSION_CASE(work)                                                                            \
    case work:                                                                                               \
        return f->grid.kind ? row_work(work, true, f, y, z) : row_work(work, false, f, y, z)

static double row(rill_diffusion_work work, const rill_diffusion *f, uint32_t y, uint32_t z)
{
    switch (work) {
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_BEGIN);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_GO);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_FINISH);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_MULTIPLY);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_ENERGY);
    default:
        return 0;
    }
}

static void rows(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    for (uint64_t k = first; k < end; k++) {
        const double sum =
            row(l->work, l->f, (uint32_t)(k % l->f->grid.n[1]), (uint32_t)(k / l->f->grid.n[1]));
        if (rill_diffusion_sums(l->work)) l->f->partial[k] = sum;
    }
}

/* Bits of the first cells of blocks that have a node in a row. */
static uint64_t blocks_of(uint64_t here) { return (here | here >> 1) & 0x5555555555555555; }

static inline __attribute__((always_inline)) void blocks_restrict(const bool many, const rill_diffusion *f,
                                                                  uint32_t y, uint32_t z)
{
    for (uint32_t w = 0; w < f->grid.words; w++) {
        rill_diffusion_word word[4];
        for (uint32_t m = 0; m < 4; m++) {
            word[m] = rill_diffusion_look_at(&f->grid, w, y, z, m);
            for (uint64_t bits = blocks_of(word[m].here); bits; bits &= bits - 1)
                rill_diffusion_restrict(true, many, f, &word[m], (uint32_t)__builtin_ctzll(bits), w, y, z);
        }
        for (uint32_t m = 0; m < 4; m++)
            for (uint64_t bits = blocks_of(word[m].here); bits; bits &= bits - 1)
                rill_diffusion_restrict(false, many, f, &word[m], (uint32_t)__builtin_ctzll(bits), w,
                                        y + m % 2, z + m / 2);
    }
}

static void pairs(const void *shared, uint64_t first, uint64_t end)
{
    const rill_diffusion *f = ((const loop *)shared)->f;
    for (uint64_t k = first; k < end; k++) {
        const uint32_t y = rill_diffusion_pair(&f->grid, k, 1), z = rill_diffusion_pair(&f->grid, k, 2);
        if (f->grid.kind)
            blocks_restrict(true, f, y, z);
        else
            blocks_restrict(false, f, y, z);
    }
}

static void alone(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    if (l->work == RILL_DIFFUSION_TURN)
        for (uint64_t i = first; i < end; i++) rill_diffusion_alone(RILL_DIFFUSION_TURN, l->f, i);
    else
        for (uint64_t i = first; i < end; i++) rill_diffusion_alone(RILL_DIFFUSION_PROLONG, l->f, i);
}

rill_status rill_diffusion_nodes(const rill_device *device, rill_diffusion_work work, const rill_diffusion *f,
                                 uint64_t nodes)
{
    const loop l = {work, f};
#ifdef RILL_HAVE_CUDA
    if (device) return rill_cuda_diffusion_nodes(device, work, f, nodes);
#endif
    (void)device;
    if (rill_diffusion_is_alone(work))
        rill_threads_for(nodes, PIECE, alone, &l);
    else if (work == RILL_DIFFUSION_RESTRICT)
        rill_threads_for(rill_diffusion_pairs(&f->grid), 1, pairs, &l);
    else
        rill_threads_for(rill_diffusion_rows(&f->grid), 4, rows, &l);
    return RILL_OK;
}
