/* SPDX-License-Identifier: Apache-2.0 */
#include "device/diffusion.h"

#include "core/threads.h"

enum { PIECE = 4096 };

/* A loop over pairs of rows in y and z: what RESTRICT adds to belongs to one of them. */
typedef struct loop {
    rill_diffusion_work work;
    const rill_diffusion *f;
    const double *value;
} loop;

/* A row of voxels. The work and whether there are several kinds are known to the compiler in each. */
static inline __attribute__((always_inline)) double row_work(const rill_diffusion_work work, const bool many,
                                                             const rill_diffusion *f, uint32_t y, uint32_t z)
{
    double sum = 0;
    for (uint32_t w = 0; w < f->grid.words; w++) {
        const uint64_t here = f->grid.occupied[((size_t)z * f->grid.n[1] + y) * f->grid.words + w];
        if (!here) continue;
        const rill_diffusion_word word = rill_diffusion_look(&f->grid, w, y, z);
        uint32_t i = word.first;
        for (uint64_t bits = here; bits; bits &= bits - 1, i++) {
            const rill_diffusion_node node =
                rill_diffusion_see(many, &f->grid, &word, (uint32_t)__builtin_ctzll(bits), w, y, z, i);
            sum += rill_diffusion_do(work, f, &node);
        }
    }
    return sum;
}

#define RILL_DIFFUSION_CASE(work)                                                                            \
    case work:                                                                                               \
        return many ? row_work(work, true, f, y, z) : row_work(work, false, f, y, z)

static double row(rill_diffusion_work work, const rill_diffusion *f, uint32_t y, uint32_t z)
{
    const bool many = f->grid.kind;
    switch (work) {
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_BEGIN);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_GO);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_RESTRICT);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_FINISH);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_MULTIPLY);
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_ENERGY);
    case RILL_DIFFUSION_WORKS:
        break;
    }
    return 0;
}

static void rows(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    const rill_diffusion_grid *g = &l->f->grid;
    const uint32_t pairs = (g->n[1] + 1) / 2;
    for (uint64_t k = first; k < end; k++)
        for (uint32_t m = 0; m < 4; m++) {
            const uint32_t y = 2 * (uint32_t)(k % pairs) + m % 2, z = 2 * (uint32_t)(k / pairs) + m / 2;
            if (y >= g->n[1] || z >= g->n[2]) continue;
            const double sum = row(l->work, l->f, y, z);
            if (rill_diffusion_sums(l->work)) l->f->partial[(size_t)z * g->n[1] + y] = sum;
        }
}

void rill_diffusion_nodes(rill_diffusion_work work, const rill_diffusion *f, double *sum)
{
    const rill_diffusion_grid *g = &f->grid;
    rill_threads_for((uint64_t)((g->n[1] + 1) / 2) * ((g->n[2] + 1) / 2), 1, rows, &(loop){work, f, NULL});
    if (!rill_diffusion_sums(work)) return;
    *sum = 0;
    for (size_t k = 0; k < (size_t)g->n[1] * g->n[2]; k++) *sum += f->partial[k];
}

static void turn(const void *shared, uint64_t first, uint64_t end)
{
    const rill_diffusion *f = ((const loop *)shared)->f;
    for (uint64_t i = first; i < end; i++) f->direction[i] = f->outcome[i] + f->factor * f->direction[i];
}

void rill_diffusion_turn(const rill_diffusion *f, uint64_t nodes)
{
    rill_threads_for(nodes, PIECE, turn, &(loop){.f = f});
}

static void prolong(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    for (uint64_t i = first; i < end; i++)
        if (l->f->coarse[i] != RILL_DIFFUSION_NONE) l->f->step[i] += l->value[l->f->coarse[i]];
}

void rill_diffusion_prolong(const rill_diffusion *f, const double *value, uint64_t nodes)
{
    rill_threads_for(nodes, PIECE, prolong, &(loop){.f = f, .value = value});
}
