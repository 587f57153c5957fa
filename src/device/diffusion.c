/* SPDX-License-Identifier: Apache-2.0 */
#include "device/diffusion.h"

#include "core/threads.h"

enum { PIECE = 4096 };

/* What a loop over nodes, rows or pairs of rows works with. */
typedef struct loop {
    rill_diffusion_work work;
    const rill_diffusion *f;
} loop;

/* Whether no node of a row has an end of the axis beside it. */
static bool is_plain(const rill_diffusion_grid *g, uint32_t y, uint32_t z)
{
    const uint32_t place = g->axis == 1 ? y : z;
    return g->ends == RILL_ENDS_NONE || (g->axis != 0 && place != 0 && place != g->last[g->axis]);
}

/* A row of voxels. The work, whether there are several kinds, and whether the row is plain, are known to the
 * compiler in each. Lanes that have no node are 0. */
static inline __attribute__((always_inline)) double row_work(const rill_diffusion_work work, const bool many,
                                                             const bool plain, const rill_diffusion *f,
                                                             uint32_t y, uint32_t z)
{
    double sum[RILL_DIFFUSION_LANES];
    uint32_t lanes = 0;
    rill_diffusion_grid g = f->grid;
    if (plain) g.ends = RILL_ENDS_NONE;
    for (uint32_t w = 0; w < g.words; w++) {
        const uint64_t here = g.occupied[((size_t)z * g.n[1] + y) * g.words + w];
        if (!here) continue;
        const rill_diffusion_word word = rill_diffusion_look(&g, w, y, z);
        uint32_t k = 0;
        for (uint64_t bits = here; bits; bits &= bits - 1, k++) {
            const rill_diffusion_node node =
                rill_diffusion_see(many, &g, &word, (uint32_t)__builtin_ctzll(bits), w, y, z, word.first + k);
            const double product = rill_diffusion_do(work, f, &node);
            if (!rill_diffusion_sums(work)) continue;
            if (k == lanes && k < RILL_DIFFUSION_LANES) sum[lanes++] = 0;
            sum[k % RILL_DIFFUSION_LANES] += product;
        }
    }
    for (uint32_t half = RILL_DIFFUSION_LANES / 2; half && rill_diffusion_sums(work); half /= 2) {
        for (uint32_t k = half; k < lanes; k++) sum[k - half] += sum[k];
        if (lanes > half) lanes = half;
    }
    return lanes ? sum[0] : 0;
}

#define RILL_DIFFUSION_PLAIN(work, many)                                                                     \
    (is_plain(&f->grid, y, z) ? row_work(work, many, true, f, y, z) : row_work(work, many, false, f, y, z))
#define RILL_DIFFUSION_CASE(work)                                                                            \
    case work:                                                                                               \
        return f->grid.kind ? RILL_DIFFUSION_PLAIN(work, true) : RILL_DIFFUSION_PLAIN(work, false)

static double row(rill_diffusion_work work, const rill_diffusion *f, uint32_t y, uint32_t z)
{
    switch (work) {
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_BEGIN);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_GO);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_RESTRICT);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_FINISH);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_MULTIPLY);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_RESIDUAL);
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

/* The four rows of blocks, one after the other: each block adds up its nodes as rill_diffusion_restrict()
 * does.
 */
static void blocks_clear(const rill_diffusion *f, uint32_t y, uint32_t z)
{
    const rill_diffusion_grid *g = &f->grid;
    for (uint32_t m = 0; m < 4; m++) {
        if (y + m % 2 >= g->n[1] || z + m / 2 >= g->n[2]) continue;
        const size_t row = ((size_t)(z + m / 2) * g->n[1] + y + m % 2) * g->words, end = row + g->words - 1;
        const uint32_t behind = g->base[end] + rill_diffusion_count(g->occupied[end]);
        for (uint32_t i = g->base[row]; i < behind; i++)
            if (f->coarse[i] != RILL_DIFFUSION_NONE) f->given[f->coarse[i]] = 0;
    }
}

static void blocks_restrict(const rill_diffusion *f, uint32_t y, uint32_t z)
{
    for (uint32_t m = 0; m < 4; m++)
        if (y + m % 2 < f->grid.n[1] && z + m / 2 < f->grid.n[2])
            row(RILL_DIFFUSION_RESTRICT, f, y + m % 2, z + m / 2);
}

static void pairs(const void *shared, uint64_t first, uint64_t end)
{
    const rill_diffusion *f = ((const loop *)shared)->f;
    for (uint64_t k = first; k < end; k++) {
        const uint32_t y = rill_diffusion_pair(&f->grid, k, 1), z = rill_diffusion_pair(&f->grid, k, 2);
        blocks_clear(f, y, z);
        blocks_restrict(f, y, z);
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
