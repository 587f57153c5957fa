/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Works on nodes on processors, for one x86-64 level: the Makefile compiles this file for each, and the same
 * bits come out of all. Nodes that stand side by side along x are worked on together, the values beside them
 * moved to their lanes; those at the ends of rows, and of several kinds, one after the other.
 */
#define RILL_PART_ARITHMETIC DOUBLE
#include "cpu/part.h"

#include "device/diffusion_blocks.h"

#include "cpu/lanes.h"

/* Whether no node of a row has an end of the axis beside it. */
static bool is_plain(const rill_diffusion_grid *g, uint32_t y, uint32_t z)
{
    const uint32_t place = g->axis == 1 ? y : z;
    return g->ends == RILL_ENDS_NONE || (g->axis != 0 && place != 0 && place != g->last[g->axis]);
}

/* Return 1 in lanes that are set, else 0. */
RILL_FN vector ones(const lanes *l) { return apart(l, splat(1)); }

/* Return `values` where `all`, which is not negative, is above 0, else 0. */
RILL_FN vector where(const vector all, const vector values)
{
    return (vector)((words_of_64)values & (words_of_64)(all > splat(0)));
}

/* Store the first values of a vector, or all. */
RILL_FN void put_some(double *to, const vector values, const uint32_t count)
{
    if (count == LANES)
        memcpy(to, &values, sizeof values);
    else
        put_first(to, values, (int)count);
}

/* Return the first values at an address, or all. */
RILL_FN vector some_at(const double *at, const uint32_t count)
{
    return count == LANES ? vector_at(at) : first_at(at, (int)count);
}

/* Nodes that stand side by side, up to LANES. */
typedef struct stretch {
    size_t i;       /* the first */
    uint32_t b;     /* its bit in the word */
    uint32_t count; /* of nodes */
} stretch;

/* Find how many neighbours nodes have, which conduct 1 each, and what comes in from them. @param x  NULL: it
 * is not needed; it may be read beyond its end, see RILL_DIFFUSION_BEHIND */
RILL_FN void beside(const rill_diffusion_word *word, const stretch at, const double *x, vector *all,
                    vector *in)
{
    const uint64_t own = ((uint64_t)1 << at.count) - 1, below = ((uint64_t)1 << at.b) - 1;
    *all = *in = splat(0);
    RILL_UNROLL
    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) {
        const lanes l = lanes_apart(word->side[s] >> at.b & own);
        *all += ones(&l);
        if (!x) continue;
        /* Along x the first may have none before it: what is then behind it is the first one's. */
        const uint64_t before = s == 0 && word->side[0] >> at.b & 1;
        const size_t j = s == 0   ? at.i - before
                         : s == 1 ? at.i + 1
                                  : word->from[s] + rill_diffusion_count(word->side[s] & below);
        *in += apart(&l, vector_at(x + j));
    }
}

/* Work on nodes that stand side by side. @param[in,out] sum  one for each, and LANES behind them */
RILL_FN void stretch_work(const rill_diffusion_work work, const rill_diffusion *f,
                          const rill_diffusion_word *word, const stretch at, double *sum)
{
    const double *x = work == RILL_DIFFUSION_GO         ? NULL
                      : work == RILL_DIFFUSION_MULTIPLY ? f->direction
                                                        : f->step;
    const size_t i = at.i;
    vector all, in, product = splat(0);
    beside(word, at, x, &all, &in);
    if (work == RILL_DIFFUSION_GO) {
        const vector found =
                         some_at(f->found + i, at.count) + f->factor * some_at(f->direction + i, at.count),
                     residual =
                         some_at(f->residual + i, at.count) - f->factor * some_at(f->step + i, at.count);
        put_some(f->found + i, found, at.count);
        put_some(f->residual + i, residual, at.count);
        put_some(f->step + i, where(all, RILL_DIFFUSION_DAMPING * residual / all), at.count);
    } else if (work == RILL_DIFFUSION_MULTIPLY) {
        const vector own = some_at(x + i, at.count), to = all * own - in;
        put_some(f->step + i, to, at.count);
        product = own * to;
    } else {
        const vector residual = some_at(f->residual + i, at.count), own = some_at(x + i, at.count);
        if (work == RILL_DIFFUSION_FINISH) {
            const vector to = where(all, own + RILL_DIFFUSION_DAMPING * ((residual + in) / all - own));
            put_some(f->outcome + i, to, at.count);
            product = residual * to;
        } else {
            double left[LANES];
            const vector values = residual - all * own + in;
            memcpy(left, &values, sizeof left);
            for (uint32_t j = 0; j < at.count; j++) /* no node is held: each has a chamber */
                f->level.given[f->coarse[i + j]] += left[j];
        }
    }
    if (rill_diffusion_sums(work)) {
        product += vector_at(sum);
        put_some(sum, product, at.count);
    }
}

/* Return the bits of a word whose neighbours along x are beside them in the order of nodes, and no end of the
 * axis. */
static uint64_t inner(const rill_diffusion_grid *g, const rill_diffusion_word *word, uint32_t w)
{
    uint64_t bits = word->here;
    const uint32_t ends[3] = {0, g->last[0], g->n[0] - 1};
    for (int k = 0; k < 3; k++)
        if (w == ends[k] / 64) bits &= ~((uint64_t)1 << ends[k] % 64);
    return bits;
}

/* Whether nodes are worked on together: not in what is done once. */
RILL_FN bool has_stretches(const rill_diffusion_work work)
{
    return work == RILL_DIFFUSION_GO || work == RILL_DIFFUSION_MULTIPLY || work == RILL_DIFFUSION_FINISH ||
           work == RILL_DIFFUSION_RESTRICT;
}

/* Sum up lanes as a warp does. @param used  of them: the others are 0 */
static inline double lanes_sum(double *sum, uint32_t used)
{
    for (uint32_t half = RILL_DIFFUSION_LANES / 2; half; half /= 2) {
        for (uint32_t k = half; k < used; k++) sum[k - half] += sum[k];
        if (used > half) used = half;
    }
    return sum[0];
}

/* A row of voxels. The work, whether there are several kinds, and whether the row is plain, are known to the
 * compiler in each. Lanes that have no node are 0. */
static inline __attribute__((always_inline)) double row_work(const rill_diffusion_work work, const bool many,
                                                             const bool plain, const rill_diffusion *f,
                                                             uint32_t y, uint32_t z)
{
    double sum[RILL_DIFFUSION_LANES + LANES] = {0};
    uint32_t used = 0;
    rill_diffusion_grid g = f->grid;
    if (plain) g.ends = RILL_ENDS_NONE;
    for (uint32_t w = 0; w < g.words; w++) {
        uint64_t bits = g.occupied[((size_t)z * g.n[1] + y) * g.words + w];
        if (!bits) continue;
        const rill_diffusion_word word = rill_diffusion_look(&g, w, y, z);
        const uint64_t together =
            has_stretches(work) && !many && (plain || g.axis == 0) ? inner(&g, &word, w) : 0;
        for (uint32_t k = 0; bits;) {
            const uint32_t b = (uint32_t)__builtin_ctzll(bits), lane = k % RILL_DIFFUSION_LANES;
            uint32_t count = 1;
            if (together >> b & 1) {
                const uint64_t behind = ~(together >> b);
                const uint32_t most =
                    RILL_DIFFUSION_LANES - lane < LANES ? RILL_DIFFUSION_LANES - lane : LANES;
                count = behind ? (uint32_t)__builtin_ctzll(behind) : 64;
                if (count > most) count = most;
                stretch_work(work, f, &word, (stretch){word.first + k, b, count}, sum + lane);
            } else {
                const rill_diffusion_node node =
                    rill_diffusion_see(many, &g, &word, b, w, y, z, word.first + k);
                const double product = rill_diffusion_do(work, f, &node);
                if (rill_diffusion_sums(work)) sum[lane] += product;
            }
            if (used < lane + count) used = lane + count;
            bits &= ~((((uint64_t)1 << count) - 1) << b); /* count is at most LANES */
            k += count;
        }
    }
    return rill_diffusion_sums(work) ? lanes_sum(sum, used) : 0;
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

static void rows(rill_diffusion_work work, const rill_diffusion *f, uint64_t first, uint64_t end)
{
    for (uint64_t k = first; k < end; k++) {
        const double sum = row(work, f, (uint32_t)(k % f->grid.n[1]), (uint32_t)(k / f->grid.n[1]));
        if (rill_diffusion_sums(work)) f->partial[k] = sum;
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

static void pairs(rill_diffusion_work work, const rill_diffusion *f, uint64_t first, uint64_t end)
{
    for (uint64_t k = first; k < end; k++) {
        const uint32_t y = rill_diffusion_pair(&f->grid, k, 1), z = rill_diffusion_pair(&f->grid, k, 2);
        if (work == RILL_DIFFUSION_SHARE)
            f->partial[k] = blocks_share(f, y, z);
        else
            blocks_restrict(work, f, y, z);
    }
}

/* A row of blocks, each counted or written once. */
static inline __attribute__((always_inline)) rill_block_sums
blocks_row(const rill_diffusion_work work, const bool many, const rill_diffusion *f, uint32_t k)
{
    const rill_diffusion_grid *g = &f->grid;
    const uint32_t y = rill_block_row(g, k, 1), z = rill_block_row(g, k, 2);
    rill_block_sums at = rill_block_start(work, f, k);
    for (uint32_t w = 0; w < g->words; w++) {
        rill_diffusion_word word[RILL_BLOCK_ROWS];
        uint64_t any = 0;
        for (uint32_t m = 0; m < RILL_BLOCK_ROWS; m++) {
            const uint32_t p[2] = {y + m % RILL_BLOCK_EDGE, z + m / RILL_BLOCK_EDGE};
            if (p[0] < g->n[1] && p[1] < g->n[2])
                any |= g->occupied[((size_t)p[1] * g->n[1] + p[0]) * g->words + w];
        }
        for (uint32_t m = 0; m < RILL_BLOCK_ROWS && any; m++) word[m] = rill_block_look(g, w, y, z, m);
        any |= any >> 1;
        for (any = (any | any >> 2) & 0x1111111111111111; any; any &= any - 1) {
            const rill_block block = rill_block_see(g, word, rill_block_least(any), w, y, z);
            const rill_block_sums more = rill_block_do(work, rill_block_puts(work), many, f, block, at);
            at.large += more.large;
            at.small += more.small;
        }
    }
    return at;
}

#define RILL_BLOCK_CASE(work)                                                                                \
    case work:                                                                                               \
        at =                                                                                                 \
            f->grid.kind ? blocks_row(work, true, f, (uint32_t)k) : blocks_row(work, false, f, (uint32_t)k); \
        break

static void blocks(rill_diffusion_work work, const rill_diffusion *f, uint64_t first, uint64_t end)
{
    for (uint64_t k = first; k < end; k++) {
        rill_block_sums at = {0, 0};
        switch (work) {
            RILL_BLOCK_CASE(RILL_DIFFUSION_COUNT);
            RILL_BLOCK_CASE(RILL_DIFFUSION_LABEL);
            RILL_BLOCK_CASE(RILL_DIFFUSION_LINKS);
            RILL_BLOCK_CASE(RILL_DIFFUSION_LIST);
        default:
            break;
        }
        if (!rill_block_puts(work)) f->before[k + 1] = at;
    }
}

static void alone(rill_diffusion_work work, const rill_diffusion *f, uint64_t first, uint64_t end)
{
    if (work == RILL_DIFFUSION_TURN)
        for (uint64_t i = first; i < end; i++) rill_diffusion_alone(RILL_DIFFUSION_TURN, f, i);
    else
        for (uint64_t i = first; i < end; i++) rill_diffusion_alone(RILL_DIFFUSION_PROLONG, f, i);
}

void RILL_DIFFUSION_LEVEL(RILL_PART_LEVEL)(rill_diffusion_work work, const rill_diffusion *f, uint64_t first,
                                           uint64_t end)
{
    if (rill_diffusion_is_alone(work))
        alone(work, f, first, end);
    else if (rill_diffusion_is_blocked(work))
        blocks(work, f, first, end);
    else if (rill_diffusion_is_paired(work))
        pairs(work, f, first, end);
    else
        rows(work, f, first, end);
}
