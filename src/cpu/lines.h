/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lines.h
 * Steps that store density and momentum (RILL_MACROSCOPIC), of one lattice in one arithmetic type: a part of
 * collide.c, which says what `lattice`, load() and store() are.
 *
 * With a bitmap, the fluid nodes of the lines of cells around a line are copied to lines that have an entry
 * for solid cells, too, so that all neighbours of a vector of cells are at constant distances: a node is
 * copied a few times instead of its eighteen links. Solid cells have entries 0 and a mask, by which the
 * node's own bounce-back is added.
 *
 * With a list, every link is looked up.
 */
#ifndef RILL_CPU_LINES_H
#define RILL_CPU_LINES_H

#include "cpu/masks.h"
#include "cpu/rows.h"
#include "kernel/address.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

/**
 * Cells of a line that are updated together, whole words, and lines along z; entries before the first of a
 * line, and of a row. In single precision the lines of a tile fit a first-level cache.
 */
enum {
    TILE_WORDS = 4,
    TILE = TILE_WORDS * RILL_WORD_CELLS,
    VECTORS = (TILE + RILL_LANES - 1) / RILL_LANES,
    HALO = 16,
    PITCH = HALO + 128 + HALO,
    FIELDS = 1 + 3, /* density, momentum */
    SOLID = FIELDS, /* the row of masks */
    AROUND = 3,     /* lines around one along y, and along z */
    DEPTH = RILL_CPU_DEPTH
};

/** Bits of the cells of a tile. */
typedef struct cell_bits {
    uint64_t of[2];
} cell_bits;

/** A line of a tile: rows of values by cell, of which the first is entry HALO. */
typedef struct line {
    alignas(64) rill_scalar row[FIELDS + 1][PITCH];
    cell_bits beside[3]; /**< which of the cells one before, at, and one behind each cell are fluid */
    uint32_t y;          /**< 1 more than the line that this is of, 0: none */
} line;

/** The lines around a tile: [z][y], the last modulo AROUND. */
typedef struct tile {
    line lines[DEPTH + AROUND - 1][AROUND];
    uint32_t first_word; /**< of the tile in its row */
    int words, cells;
} tile;

typedef uint64_t __attribute__((vector_size(RILL_VECTOR_BYTES))) words_of_64;

/** Return values where a mask, given as a value, has all bits set, else 0. */
RILL_FN rill_real masked(const rill_real values, const rill_real mask)
{
    return (rill_real)((words_of_64)values & (words_of_64)mask);
}

/* ---- lanes that are fluid -------------------------------------------------------------------- */

#define ALL_CELLS (((uint64_t)1 << RILL_LANES) - 1)

/** Return the bits of the cells of a vector. */
RILL_FN uint64_t lanes_of(const cell_bits *bits, const int x)
{
    uint16_t two;
    if (RILL_LANES == 8) return ((const uint8_t *)bits->of)[x / 8]; /* x86 stores the lowest byte first */
    if (RILL_LANES < 8) return bits->of[x / 64] >> x % 64 & ALL_CELLS;
    memcpy(&two, (const uint8_t *)bits->of + x / 8, sizeof two);
    return two;
}

#if RILL_CPU_MASKS

/** Lanes of a vector, and how their values are moved apart from the first ones, or together to these. */
typedef struct lanes {
    uint16_t fluid;
} lanes;

RILL_FN lanes lanes_apart(const uint64_t fluid) { return (lanes){(uint16_t)fluid}; }
RILL_FN lanes lanes_together(const uint64_t fluid) { return (lanes){(uint16_t)fluid}; }

/** Return a mask of the other lanes. */
RILL_FN rill_real lanes_solid(const lanes *l)
{
    if (RILL_LANES == 16) return (rill_real)_mm512_maskz_set1_epi32((__mmask16)~l->fluid, -1);
    return (rill_real)_mm512_maskz_set1_epi64((__mmask8)~l->fluid, -1);
}

/** Move the first values to lanes, and 0 to the others. */
RILL_FN rill_real apart(const lanes *l, const rill_real values)
{
    if (RILL_LANES == 16) return (rill_real)_mm512_maskz_expand_epi32(l->fluid, (__m512i)values);
    return (rill_real)_mm512_maskz_expand_epi64((__mmask8)l->fluid, (__m512i)values);
}

/** Move the values of lanes to the first ones. */
RILL_FN rill_real together(const lanes *l, const rill_real values)
{
    if (RILL_LANES == 16) return (rill_real)_mm512_maskz_compress_epi32(l->fluid, (__m512i)values);
    return (rill_real)_mm512_maskz_compress_epi64((__mmask8)l->fluid, (__m512i)values);
}

#elif defined(__AVX2__)

typedef struct lanes {
    __m256i from, fluid; /* 32-bit words */
} lanes;

/** Return a word with all bits of the bytes set that stand for lanes: 8 for all. */
RILL_FN uint64_t lane_bytes(const uint64_t fluid)
{
    return RILL_LANES == 8 ? _pdep_u64(fluid, 0x0101010101010101) * 0xff
                           : _pdep_u64(fluid, 0x0001000100010001) * 0xffff;
}

RILL_FN __m256i words_of(const uint64_t bytes)
{
    return _mm256_cvtepi8_epi32(_mm_cvtsi64_si128((int64_t)bytes));
}

RILL_FN lanes lanes_apart(const uint64_t fluid)
{
    const uint64_t bytes = lane_bytes(fluid);
    return (lanes){words_of(_pdep_u64(0x0706050403020100, bytes)), words_of(bytes)};
}

RILL_FN lanes lanes_together(const uint64_t fluid)
{
    const uint64_t bytes = lane_bytes(fluid);
    return (lanes){words_of(_pext_u64(0x0706050403020100, bytes)), words_of(bytes)};
}

RILL_FN rill_real lanes_solid(const lanes *l) { return (rill_real)~l->fluid; }

RILL_FN rill_real apart(const lanes *l, const rill_real values)
{
    return (rill_real)(_mm256_permutevar8x32_epi32((__m256i)values, l->from) & l->fluid);
}

RILL_FN rill_real together(const lanes *l, const rill_real values)
{
    return (rill_real)_mm256_permutevar8x32_epi32((__m256i)values, l->from);
}

#else

typedef struct lanes {
    uint64_t fluid;
} lanes;

RILL_FN lanes lanes_apart(const uint64_t fluid) { return (lanes){fluid}; }
RILL_FN lanes lanes_together(const uint64_t fluid) { return (lanes){fluid}; }

RILL_FN rill_real lanes_solid(const lanes *l)
{
    const words_of_64 none = {0}, all = ~none;
    rill_real mask = rill_splat(0);
    for (int k = 0; k < RILL_LANES; k++)
        if (!(l->fluid >> k & 1)) mask[k] = ((rill_real)all)[k];
    return mask;
}

RILL_FN rill_real apart(const lanes *l, const rill_real values)
{
    rill_real out = rill_splat(0);
    for (int k = 0, from = 0; k < RILL_LANES; k++)
        if (l->fluid >> k & 1) out[k] = values[from++];
    return out;
}

RILL_FN rill_real together(const lanes *l, const rill_real values)
{
    rill_real out = rill_splat(0);
    for (int k = 0, to = 0; k < RILL_LANES; k++)
        if (l->fluid >> k & 1) out[to++] = values[k];
    return out;
}

#endif

/** Return the momentum's row `a` of what is stored. */
RILL_FN rill_scalar *stored_row(const rill_arrays *arrays, const int a)
{
    return (rill_scalar *)arrays->populations + (size_t)a * arrays->stride;
}

/**
 * Sums of populations over w_i, and of c_i times these. Weights of axes, edges and corners are powers of two
 * of each other in all lattices, so that these sums, in this order, are in units of the last weight: see
 * weigh().
 */
typedef struct arrived {
    rill_real density, momentum[3];
} arrived;

/** Return the kind of velocity i: axis, edge or corner. */
RILL_FN int kind_of(const int i)
{
    return rill_c(lattice, i, 0) * rill_c(lattice, i, 0) + rill_c(lattice, i, 1) * rill_c(lattice, i, 1) +
           rill_c(lattice, i, 2) * rill_c(lattice, i, 2) - 1;
}

/** Add a pair of populations that arrive along velocities i and i + 1. */
RILL_FN void add_pair(const int i, const rill_real one, const rill_real other, arrived *sums)
{
    const rill_real difference = one - other;
    sums->density = sums->density + (one + other);
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) {
        const int c = rill_c(lattice, i, a);
        if (c) sums->momentum[a] = c > 0 ? sums->momentum[a] + difference : sums->momentum[a] - difference;
    }
}

/** Give sums the weight of the kind of velocity i, where it is the first of it. */
RILL_FN void weigh(const int i, arrived *sums)
{
    if (i == 1 || kind_of(i) == kind_of(i - 2)) return;
    const rill_scalar ratio = (rill_scalar)(rill_w(lattice, i - 2) / rill_w(lattice, i));
    sums->density = sums->density * ratio;
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) sums->momentum[a] = sums->momentum[a] * ratio;
}

/** What a step does to sums: constants. */
typedef struct update {
    rill_scalar density, momentum; /**< weights of sums of these */
    rill_scalar rest, still; /**< sums of a density, of a momentum that are the same everywhere, over these */
    rill_scalar force[3];
    rill_scalar memory; /**< see rill_relaxation, with which all else is multiplied */
} update;

static update update_of(const rill_launch *launch)
{
    const double last = rill_w(lattice, rill_q(lattice) - 1);
    const rill_relaxation *r = &launch->relaxation;
    update u = {.density = (rill_scalar)(r->density * last),
                .momentum = (rill_scalar)(r->momentum * 3 * last),
                .memory = (rill_scalar)r->memory,
                .rest = (rill_scalar)rint((1 - rill_w(lattice, 0)) / last),
                .still = (rill_scalar)rint(1 / (3 * last))};
    for (int a = 0; a < 3; a++) u.force[a] = (rill_scalar)(r->momentum * 3 * launch->force[a]);
    return u;
}

/** Return row `a` of what a node sends out, from what has arrived there and what it has sent before: what is
 * the same everywhere stays so, however weights are rounded. */
RILL_FN rill_real sent(const update *u, const arrived *sums, const rill_real before, const int a)
{
    if (a == 0) return before + u->density * (sums->density - u->rest * before);
    return before + u->momentum * (sums->momentum[a - 1] - u->still * before) + u->force[a - 1];
}

RILL_FN void clear(arrived *sums)
{
    sums->density = rill_splat(0);
    for (int a = 0; a < 3; a++) sums->momentum[a] = rill_splat(0);
}

/** Return a population over w_i of a density and three times a momentum. */
RILL_FN rill_real population(const int i, const rill_real density, const rill_real *momentum)
{
    rill_real sum = density;
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) {
        const int c = rill_c(lattice, i, a);
        if (c) sum = c > 0 ? sum + momentum[a] : sum - momentum[a];
    }
    return sum;
}

/* ---- lines of cells -------------------------------------------------------------------------- */

RILL_FN rill_real cells_at(const rill_scalar *row, const int x)
{
    rill_real value;
    memcpy(&value, row + x, sizeof value);
    return value;
}

/** The lines around one: [z][y] from below. */
typedef struct around {
    const line *lines[AROUND][AROUND];
} around;

/** Return the line that velocity i leads from. */
RILL_FN const line *upstream(const around *from, const int i)
{
    return from->lines[1 - rill_c(lattice, i, 2)][1 - rill_c(lattice, i, 1)];
}

/** Return the population over w_i that arrives along i at the cells from x on. */
RILL_FN rill_real arriving(const around *from, const bool walls, const int i, const int x,
                           const rill_real density, const rill_real *own)
{
    const rill_scalar *rows = upstream(from, i)->row[0];
    const int at = HALO + x - rill_c(lattice, i, 0);
    rill_real momentum[3];
    RILL_UNROLL
    for (int a = 0; a < 3; a++)
        momentum[a] = rill_c(lattice, i, a) ? cells_at(rows + (1 + a) * PITCH, at) : rill_splat(0);
    const rill_real came = population(i, cells_at(rows, at), momentum);
    if (!walls) return came;
    return came + masked(population(rill_opposite(i), density, own), cells_at(rows + SOLID * PITCH, at));
}

/** Update the cells from x on. @param[out] out  what they send: density, momentum */
RILL_FN void update_cells(const update *u, const around *from, const bool walls, const int x, rill_real *out)
{
    arrived sums;
    rill_real own[FIELDS];
    RILL_UNROLL
    for (int a = 0; a <= rill_dimensions(lattice); a++)
        own[a] = cells_at(from->lines[1][1]->row[a], HALO + x);
    clear(&sums);
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i += 2) {
        weigh(i, &sums);
        add_pair(i, arriving(from, walls, i, x, own[0], own + 1),
                 arriving(from, walls, i + 1, x, own[0], own + 1), &sums);
    }
    RILL_UNROLL
    for (int a = 0; a <= rill_dimensions(lattice); a++) out[a] = sent(u, &sums, own[a], a);
}

/** Return the cells of which all neighbours are fluid. */
RILL_FN cell_bits surrounded(const around *from)
{
    cell_bits all = {{UINT64_MAX, UINT64_MAX}};
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i++) {
        const cell_bits *bits = &upstream(from, i)->beside[1 - rill_c(lattice, i, 0)];
        all.of[0] &= bits->of[0];
        all.of[1] &= bits->of[1];
    }
    return all;
}

/** Vectors of a line, and the number of nodes in front of each. */
typedef struct some_vectors {
    int count, x[VECTORS], before[VECTORS];
} some_vectors;

/** Find the vectors of fluid cells alone that no wall is beside, and all others with fluid. @return the nodes
 */
RILL_FN int sort_vectors(const around *from, const int end, some_vectors *inner, some_vectors *others)
{
    const cell_bits fluid = from->lines[1][1]->beside[1], away = surrounded(from);
    int nodes = 0;
    inner->count = others->count = 0;
    RILL_NO_UNROLL
    for (int x = 0; x < end; x += RILL_LANES) { /* without branches, which would be hard to predict */
        const uint64_t cells = lanes_of(&fluid, x);
        const bool is_inner = (cells & lanes_of(&away, x)) == ALL_CELLS;
        inner->x[inner->count] = others->x[others->count] = x;
        inner->before[inner->count] = others->before[others->count] = nodes;
        inner->count += is_inner;
        others->count += cells && !is_inner;
        nodes += __builtin_popcountll(cells);
    }
    return nodes;
}

/** Copy 2^class to 2^(class + 1) - 1 values. */
RILL_FN void copy_class(rill_scalar *to, const rill_scalar *from, const int class, const int count)
{
    const int part = 1 << class;
    memcpy(to, from, (size_t)part * sizeof *to);
    memcpy(to + count - part, from + count - part, (size_t)part * sizeof *to);
}

/** Store the first values of a vector, not all. */
RILL_FN void put_first(rill_scalar *to, const rill_real values, const int count)
{
    alignas(64) rill_scalar from[RILL_LANES];
    memcpy(from, &values, sizeof from);
    if (RILL_LANES > 8 && count >= 8)
        copy_class(to, from, 3, count);
    else if (RILL_LANES > 4 && count >= 4)
        copy_class(to, from, 2, count);
    else if (RILL_LANES > 2 && count >= 2)
        copy_class(to, from, 1, count);
    else
        *to = *from;
}

/** Add what is remembered of the step before to what nodes send. @param own, old  what they sent in this
 * step, and in the one before */
RILL_FN void remember(const update *u, const rill_scalar *own, const rill_scalar *old, const int nodes,
                      rill_scalar *to)
{
    for (int n = 0; n < nodes; n++) to[n] = to[n] + u->memory * (own[n] - old[n]);
}

/**
 * Update a line. @param own, to  its first node in row 0, and what is between its rows
 *
 * Of vectors that are not all fluid the nodes are brought together, and what is behind them is overwritten by
 * the vectors that follow.
 */
static void update_line(const update *u, const tile *t, const around *from, const rill_scalar *own,
                        const size_t stride, rill_scalar *to, const size_t distance)
{
    rill_real out[FIELDS];
    rill_scalar old[FIELDS][TILE];
    some_vectors inner, others;
    const int nodes = sort_vectors(from, t->cells, &inner, &others);
    for (size_t a = 0; a < FIELDS && u->memory != 0 && a <= (size_t)rill_dimensions(lattice); a++)
        memcpy(old[a], to + a * distance, (size_t)nodes * sizeof *to);
    RILL_NO_UNROLL
    for (int k = 0; k < others.count; k++) {
        const uint64_t cells = lanes_of(&from->lines[1][1]->beside[1], others.x[k]);
        const lanes fluid = lanes_together(cells);
        const int before = others.before[k], count = __builtin_popcountll(cells);
        update_cells(u, from, true, others.x[k], out);
        for (int a = 0; a <= rill_dimensions(lattice); a++) {
            const rill_real value = together(&fluid, out[a]);
            rill_scalar *const first = to + (size_t)a * distance + before;
            if (before + RILL_LANES <= nodes)
                memcpy(first, &value, sizeof value);
            else
                put_first(first, value, count);
        }
    }
    RILL_NO_UNROLL
    for (int k = 0; k < inner.count; k++) {
        update_cells(u, from, false, inner.x[k], out);
        RILL_UNROLL
        for (int a = 0; a <= rill_dimensions(lattice); a++)
            memcpy(to + (size_t)a * distance + inner.before[k], &out[a], sizeof out[a]);
    }
    for (size_t a = 0; a < FIELDS && u->memory != 0 && a <= (size_t)rill_dimensions(lattice); a++)
        remember(u, own + a * stride, old[a], nodes, to + a * distance);
}

/** Update those nodes of a line that a launch steps. @param n, count  those of the line */
static void update_nodes(const rill_launch *launch, const update *u, const tile *t, const around *from,
                         const size_t n, const size_t count)
{
    const size_t stride = launch->to.stride, rows = 1 + (size_t)rill_dimensions(lattice),
                 begin = launch->first, end = launch->nodes;
    const rill_scalar *own = stored_row(&launch->from, 0) + n;
    rill_scalar *to = stored_row(&launch->to, 0) + n, some[FIELDS][TILE];
    if (n >= begin && n + count <= end) {
        update_line(u, t, from, own, stride, to, stride);
        return;
    }
    const size_t first = n < begin ? begin - n : 0, last = n + count < end ? count : end - n;
    for (size_t a = 0; a < rows; a++) memcpy(some[a], to + a * stride, count * sizeof *to);
    update_line(u, t, from, own, stride, some[0], TILE);
    for (size_t a = 0; a < rows; a++)
        memcpy(to + a * stride + first, some[a] + first, (last - first) * sizeof *to);
}

/* ---- fluid nodes into lines ------------------------------------------------------------------ */

/** Put one cell beside a tile. @param number  RILL_UPSTREAM_WALL: solid */
RILL_FN void put_cell(const rill_arrays *arrays, const rill_node number, const int x, line *l)
{
    const words_of_64 none = {0}, all = ~none;
    const bool wall = number == RILL_UPSTREAM_WALL;
    for (int a = 0; a <= rill_dimensions(lattice); a++)
        l->row[a][HALO + x] = wall ? 0 : stored_row(arrays, a)[number];
    memcpy(&l->row[SOLID][HALO + x], wall ? &all : &none, sizeof(rill_scalar));
}

/** Take the bits of the cells of a tile. @return whether one is fluid */
RILL_FN cell_bits bits_of(const rill_arrays *arrays, const tile *t, const uint32_t row)
{
    cell_bits bits = {{0, 0}};
    for (int w = 0; w < t->words; w++) {
        const uint32_t k = t->first_word + (uint32_t)w,
                       last = k + 1 == arrays->row ? arrays->last_bit : RILL_WORD_CELLS;
        const uint64_t cells = arrays->words[row + k].window >> 1 & ((UINT32_C(1) << last) - 1);
        const int at = w * RILL_WORD_CELLS;
        bits.of[at / 64] |= cells << at % 64;
        if (at % 64 > 64 - RILL_WORD_CELLS) bits.of[1] |= cells >> (64 - at % 64);
    }
    return bits;
}

/** Prefetch what is stored of the tile's cells in a row, before it is read, or written. @param write
 * known at compile time */
RILL_FN void ask(const rill_arrays *arrays, const rill_word *words, const tile *t, const bool write)
{
    const rill_node first = words[t->first_word].base;
    const rill_word last = words[t->first_word + (uint32_t)t->words - 1];
    const size_t end = last.base + (size_t)__builtin_popcount(last.window);
    const rill_scalar *row = stored_row(arrays, 0);
    RILL_NO_UNROLL
    for (size_t n = first; n < end; n += 64 / sizeof *row) {
        RILL_UNROLL
        for (size_t a = 0; a <= (size_t)rill_dimensions(lattice); a++) {
            const rill_scalar *at = row + a * arrays->stride + n;
            if (write)
                __builtin_prefetch(at, 1);
            else
                __builtin_prefetch(at, 0);
        }
    }
}

/** Fill a line with what is stored of the row of cells at y, z, of the bitmap with its halo. */
static __attribute__((noinline)) void fill_line(const rill_arrays *arrays, const tile *t, const uint32_t z,
                                                const uint32_t y, line *l)
{
    const uint32_t row = z * arrays->plane + y * arrays->row;
    const uint32_t first = row + t->first_word, last = first + (uint32_t)t->words - 1;
    const bool starts = t->first_word == 0, ends = t->first_word + (uint32_t)t->words == arrays->row;
    const rill_word *words = arrays->words;
    const int cells = t->cells;
    const cell_bits bits = bits_of(arrays, t, row);
    const bool before = words[first].window & 1,
               behind = words[last].window >> (cells - (t->words - 1) * RILL_WORD_CELLS + 1) & 1;
    const rill_scalar *stored = stored_row(arrays, 0) + words[first].base;
    RILL_NO_UNROLL
    for (int x = 0; x < t->cells; x += RILL_LANES) {
        const uint64_t fluid = lanes_of(&bits, x);
        const lanes where = lanes_apart(fluid);
        const rill_real solid = lanes_solid(&where);
        memcpy(l->row[SOLID] + HALO + x, &solid, sizeof solid);
        RILL_UNROLL
        for (int a = 0; a <= rill_dimensions(lattice); a++) {
            const rill_real value = apart(&where, cells_at(stored + (size_t)a * arrays->stride, 0));
            memcpy(l->row[a] + HALO + x, &value, sizeof value);
        }
        stored += __builtin_popcountll(fluid);
    }
    put_cell(arrays,
             !before  ? RILL_UPSTREAM_WALL
             : starts ? rill_row_last(arrays, words, row)
                      : words[first].base - 1,
             -1, l);
    put_cell(arrays, !behind ? RILL_UPSTREAM_WALL : ends ? words[row].base : words[last + 1].base, cells, l);
    l->beside[1] = bits;
    l->beside[0] = (cell_bits){{bits.of[0] << 1 | before, bits.of[1] << 1 | bits.of[0] >> 63}};
    l->beside[2] = (cell_bits){{bits.of[0] >> 1 | bits.of[1] << 63, bits.of[1] >> 1}};
    l->beside[2].of[(cells - 1) / 64] |= (uint64_t)behind << (cells - 1) % 64;
    l->y = y + 1;
    if (y <= arrays->box[1]) ask(arrays, words + row + arrays->row, t, false);
}

/** Update line y of the planes from z on, the lines around those of a tile being kept. */
static void step_tile(const rill_launch *launch, const update *u, const uint32_t y, const uint32_t z, tile *t)
{
    const rill_arrays *arrays = &launch->from;
    const uint32_t slots[AROUND] = {y % AROUND, (y + 1) % AROUND, (y + 2) % AROUND};
    around from;
    for (uint32_t d = 0; d < DEPTH && z + d < arrays->box[2]; d++) {
        const uint32_t row = (z + d + 1) * arrays->plane + (y + 1) * arrays->row;
        const cell_bits bits = bits_of(arrays, t, row);
        const size_t n = arrays->words[row + t->first_word].base,
                     count = (size_t)(__builtin_popcountll(bits.of[0]) + __builtin_popcountll(bits.of[1]));
        if (count == 0 || n >= launch->nodes || n + count <= launch->first) continue;
        RILL_UNROLL
        for (uint32_t dz = 0; dz < AROUND; dz++) {
            RILL_UNROLL
            for (uint32_t dy = 0; dy < AROUND; dy++) {
                line *l = &t->lines[d + dz][slots[dy]];
                from.lines[dz][dy] = l;
                if (l->y != y + dy + 1 && (rill_dimensions(lattice) == 3 || dz == 1))
                    fill_line(arrays, t, z + d + dz, y + dy, l);
            }
        }
        ask(&launch->to, arrays->words + row + arrays->row, t, true);
        update_nodes(launch, u, t, &from, n, count);
    }
}

/** Step some lines of the box, DEPTH along z as one, in the order of nodes. */
static void step_lines(const rill_launch *launch, uint64_t first, uint64_t end)
{
    const rill_arrays *arrays = &launch->from;
    const update u = update_of(launch);
    const uint32_t ny = arrays->box[1];
    tile t;
    for (uint64_t from = first, to; from < end; from = to) { /* those of the same planes */
        const uint64_t planes = from / ny;
        to = (planes + 1) * ny < end ? (planes + 1) * ny : end;
        for (uint32_t word = 0; word < arrays->row; word += TILE_WORDS) {
            t.first_word = word;
            t.words = arrays->row - word < TILE_WORDS ? (int)(arrays->row - word) : TILE_WORDS;
            t.cells = t.words * RILL_WORD_CELLS;
            if (word + (uint32_t)t.words == arrays->row) t.cells += (int)arrays->last_bit - RILL_WORD_CELLS;
            for (int z = 0; z < DEPTH + AROUND - 1; z++)
                for (int y = 0; y < AROUND; y++) t.lines[z][y].y = 0;
            for (uint64_t k = from; k < to; k++)
                step_tile(launch, &u, (uint32_t)(k - planes * ny), (uint32_t)planes * DEPTH, &t);
        }
    }
}

/* ---- links of a list ------------------------------------------------------------------------- */

/** Take the populations over w_i that arrive along velocity i at a block. */
static void arriving_by_list(const rill_arrays *arrays, const int i, const uint64_t n, rill_scalar *out)
{
    const rill_node *list =
        arrays->list + (size_t)rill_list_row(lattice, RILL_MACROSCOPIC, i) * arrays->list_stride + n;
    for (int l = 0; l < RILL_BLOCK; l++) {
        const bool wall = list[l] == RILL_UPSTREAM_WALL;
        const size_t from = wall ? n + (uint64_t)l : list[l];
        rill_scalar sum = stored_row(arrays, 0)[from];
        for (int a = 0; a < rill_dimensions(lattice); a++) {
            const int c = rill_c(lattice, i, a);
            const rill_scalar momentum = c ? stored_row(arrays, a + 1)[from] : 0;
            if (c) sum = (c > 0) != wall ? sum + momentum : sum - momentum;
        }
        out[l] = sum;
    }
}

/** Step the block at node n. */
static void step_listed(const rill_launch *launch, uint64_t n)
{
    alignas(64) rill_scalar in[RILL_Q_MAX][RILL_BLOCK];
    const update u = update_of(launch);
    for (int i = 1; i < rill_q(lattice); i++) arriving_by_list(&launch->from, i, n, in[i]);
    RILL_NO_UNROLL
    for (int x = 0; x < RILL_BLOCK; x += RILL_LANES) {
        arrived sums;
        clear(&sums);
        RILL_UNROLL
        for (int i = 1; i < rill_q(lattice); i += 2) {
            weigh(i, &sums);
            add_pair(i, cells_at(in[i], x), cells_at(in[i + 1], x), &sums);
        }
        RILL_UNROLL
        for (int a = 0; a <= rill_dimensions(lattice); a++) {
            const rill_real own = cells_at(stored_row(&launch->from, a) + n, x);
            rill_scalar *to = stored_row(&launch->to, a) + n + x;
            rill_real value = sent(&u, &sums, own, a);
            if (u.memory != 0) value = value + u.memory * (own - cells_at(to, 0));
            memcpy(to, &value, sizeof value);
        }
    }
}

#endif
