/* SPDX-License-Identifier: Apache-2.0 */
#include "device/diffusion.h"

#include "core/threads.h"

enum {
    PIECE = 4096,
    RUN = 4 /* nodes that are a run at least */
};

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

/* Work on nodes that stand side by side along x, each with a neighbour on every side that conducts 1, and so
 * do those of each side: without looking for them. @param node  the first @param sum  one for each */
static inline __attribute__((always_inline)) void run_work(const rill_diffusion_work work,
                                                           const rill_diffusion *f,
                                                           const rill_diffusion_node *node,
                                                           const uint32_t count, double *restrict sum)
{
    const size_t i = node->i;
    const double *x = (work == RILL_DIFFUSION_MULTIPLY ? f->direction : f->step);
    const double *side[RILL_DIFFUSION_FACES];
    double *restrict to = (work == RILL_DIFFUSION_MULTIPLY ? f->step : f->outcome) + i;
    const double *restrict residual = f->residual + i;
    double left[64];
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) side[s] = x + node->beside[s];
    for (uint32_t j = 0; j < count; j++) {
        double in = 0;
        RILL_UNROLL
        for (int s = 0; s < RILL_DIFFUSION_FACES; s++) in += side[s][j];
        if (work == RILL_DIFFUSION_MULTIPLY) {
            to[j] = RILL_DIFFUSION_FACES * x[i + j] - in;
            sum[j] += x[i + j] * to[j];
        } else if (work == RILL_DIFFUSION_FINISH) {
            to[j] = rill_diffusion_back(RILL_DIFFUSION_FACES, x[i + j], residual[j] + in);
            sum[j] += residual[j] * to[j];
        } else
            left[j] = residual[j] - RILL_DIFFUSION_FACES * x[i + j] + in;
    }
    if (work == RILL_DIFFUSION_RESTRICT)
        for (uint32_t j = 0; j < count; j++) /* no node is held: each has a chamber */
            f->level.given[f->coarse[i + j]] += left[j];
}

/* Return the bits of a word with a neighbour on every side, those of x beside them in the order of nodes: so
 * none is at an end of that axis. */
static uint64_t inner(const rill_diffusion_grid *g, const rill_diffusion_word *word, uint32_t w)
{
    uint64_t bits = word->here;
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) bits &= word->side[s];
    if (w == 0) bits &= ~(uint64_t)1;
    if (w == (g->n[0] - 1) / 64) bits &= ~((uint64_t)1 << (g->n[0] - 1) % 64);
    return bits;
}

/* Whether a work sees neighbours for the most part: others gain nothing from runs of nodes. */
static inline bool has_runs(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_MULTIPLY || work == RILL_DIFFUSION_FINISH ||
           work == RILL_DIFFUSION_RESTRICT;
}

/* Sum up lanes as a warp does. @param lanes  in use */
static inline double lanes_sum(double *sum, uint32_t lanes)
{
    if (lanes == 0) return 0;
    for (uint32_t half = RILL_DIFFUSION_LANES / 2; half; half /= 2) {
        for (uint32_t k = half; k < lanes; k++) sum[k - half] += sum[k];
        if (lanes > half) lanes = half;
    }
    return sum[0];
}

/* A row of voxels. The work, whether there are several kinds, and whether the row is plain, are known to the
 * compiler in each. Lanes that have no node are 0. */
static inline __attribute__((always_inline)) double row_work(const rill_diffusion_work work, const bool many,
                                                             const bool plain, const rill_diffusion *f,
                                                             uint32_t y, uint32_t z)
{
    double sum[RILL_DIFFUSION_LANES];
    uint32_t lanes = 0, b;
    rill_diffusion_grid g = f->grid;
    if (plain) g.ends = RILL_ENDS_NONE;
    for (uint32_t w = 0; w < g.words; w++) {
        const uint64_t here = g.occupied[((size_t)z * g.n[1] + y) * g.words + w];
        if (!here) continue;
        const rill_diffusion_word word = rill_diffusion_look(&g, w, y, z);
        const uint64_t runs = has_runs(work) && !many && (plain || g.axis == 0) ? inner(&g, &word, w) : 0;
        uint32_t k = 0, count = 1;
        for (uint64_t bits = here; bits; bits &= ~((((uint64_t)2 << (count - 1)) - 1) << b), k += count) {
            b = (uint32_t)__builtin_ctzll(bits);
            const rill_diffusion_node node = rill_diffusion_see(many, &g, &word, b, w, y, z, word.first + k);
            const uint64_t behind = ~(runs >> b);
            const uint32_t lane = k % RILL_DIFFUSION_LANES;
            count = behind ? (uint32_t)__builtin_ctzll(behind) : 64;
            if (count > RILL_DIFFUSION_LANES - lane) count = RILL_DIFFUSION_LANES - lane;
            if (count < RUN) count = 1;
            if (rill_diffusion_sums(work))
                while (lanes < lane + count) sum[lanes++] = 0;
            if (count >= RUN)
                run_work(work, f, &node, count, sum + lane);
            else {
                const double product = rill_diffusion_do(work, f, &node);
                if (rill_diffusion_sums(work)) sum[lane] += product;
            }
        }
    }
    return rill_diffusion_sums(work) ? lanes_sum(sum, lanes) : 0;
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
        RILL_DIFFUSION_CASE(RILL_DIFFUSION_PILE);
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
static void blocks_restrict(rill_diffusion_work work, const rill_diffusion *f, uint32_t y, uint32_t z)
{
    const rill_diffusion_grid *g = &f->grid;
    for (uint32_t m = 0; m < 8; m++) { /* cleared first */
        const uint32_t at[2] = {y + m % 2, z + m % 4 / 2};
        if (at[0] >= g->n[1] || at[1] >= g->n[2]) continue;
        if (m >= 4) {
            row(work, f, at[0], at[1]);
            continue;
        }
        const size_t first = ((size_t)at[1] * g->n[1] + at[0]) * g->words, end = first + g->words - 1;
        const uint32_t behind = g->base[end] + rill_diffusion_count(g->occupied[end]);
        for (uint32_t i = g->base[first]; i < behind; i++) rill_diffusion_clear(work, f, i);
    }
}

static double blocks_share(const rill_diffusion *f, uint32_t y, uint32_t z)
{
    const rill_diffusion_grid *g = &f->grid;
    double sum[RILL_DIFFUSION_LANES] = {0};
    for (uint32_t w = 0; w < g->words; w++) {
        uint64_t any = 0;
        for (uint32_t m = 0; m < 4; m++)
            if (y + m % 2 < g->n[1] && z + m / 2 < g->n[2])
                any |= g->occupied[((size_t)(z + m / 2) * g->n[1] + y + m % 2) * g->words + w];
        for (any = (any | any >> 1) & 0x5555555555555555; any; any &= any - 1) {
            const uint32_t b = (uint32_t)__builtin_ctzll(any);
            sum[b / 2] += g->kind ? rill_diffusion_share(true, f, b, w, y, z)
                                  : rill_diffusion_share(false, f, b, w, y, z);
        }
    }
    return lanes_sum(sum, RILL_DIFFUSION_LANES);
}

static void pairs(const void *shared, uint64_t first, uint64_t end)
{
    const loop *l = shared;
    for (uint64_t k = first; k < end; k++) {
        const uint32_t y = rill_diffusion_pair(&l->f->grid, k, 1), z = rill_diffusion_pair(&l->f->grid, k, 2);
        if (l->work == RILL_DIFFUSION_SHARE)
            l->f->partial[k] = blocks_share(l->f, y, z);
        else
            blocks_restrict(l->work, l->f, y, z);
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
    else if (rill_diffusion_is_paired(work))
        rill_threads_for(rill_diffusion_pairs(&f->grid), 1, pairs, &l);
    else
        rill_threads_for(rill_diffusion_rows(&f->grid), 4, rows, &l);
    return RILL_OK;
}
