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

#include "cpu/lanes.h"
#include "cpu/rows.h"
#include "kernel/storage/address.h"

#include <math.h>
#include <stdalign.h>
#include <string.h>

/**
 * Cells of a line that are updated together, whole words, and lines along z; entries before the first of a
 * line, and of a row. In single precision the lines of a tile fit a second-level cache many times.
 */
enum {
    TILE_WORDS = 4,
    TILE = TILE_WORDS * RILL_WORD_CELLS,
    HALO = 16,
    PITCH = HALO + 128 + HALO,
    FIELDS = 1 + 3, /* density, momentum */
    SOLID = FIELDS, /* the row of masks */
    AROUND = 3,     /* lines around one along y, and along z */
    DEPTH = RILL_CPU_DEPTH
};

/** Bits of the cells of a word but the last of a row. */
#define WORD_CELLS ((UINT32_C(1) << RILL_WORD_CELLS) - 1)

/** Bits of the cells of a tile. */
typedef struct cell_bits {
    uint64_t of[2];
} cell_bits;

/** A line of a tile: rows of values by cell, of which the first is entry HALO. */
typedef struct line {
    alignas(64) rill_scalar row[FIELDS + 1][PITCH];
    cell_bits fluid; /**< cells */
    cell_bits flat;  /**< cells that are fluid as those before and behind */
    cell_bits used;  /**< first cells of vectors with an entry that is not that of a solid cell */
    uint32_t y;      /**< 1 more than the line that this is of, 0: none */
} line;

/** The lines around a tile: [z][y], the last modulo AROUND. */
typedef struct tile {
    line lines[DEPTH + AROUND - 1][AROUND];
    uint32_t first_word; /**< of the tile in its row */
    uint32_t last_cells; /**< bits of the cells of its last word */
    int words, cells;
} tile;

/** Return the first cells of the vectors, side by side, that have one of some cells. */
RILL_FN cell_bits vectors_of(cell_bits bits)
{
    const uint64_t first = UINT64_MAX / ALL_LANES; /* bits 0, LANES, 2 LANES … */
    for (int w = 0; w < 2; w++) {
        RILL_UNROLL
        for (int some = LANES / 2; some > 0; some /= 2) bits.of[w] |= bits.of[w] >> some;
        bits.of[w] &= first;
    }
    return bits;
}

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
    vector density, momentum[3];
} arrived;

/** Compute a vector here: else compilers keep the populations of all links to add them up later. */
#if RILL_CPU_MASKS
#define HOLD(value) __asm__("" : "+v"(value))
#else
#define HOLD(value) __asm__("" : "+x"(value))
#endif

/** Return the kind of velocity i: axis, edge or corner. */
RILL_FN int kind_of(const int i)
{
    return rill_c(lattice, i, 0) * rill_c(lattice, i, 0) + rill_c(lattice, i, 1) * rill_c(lattice, i, 1) +
           rill_c(lattice, i, 2) * rill_c(lattice, i, 2) - 1;
}

/** Add a pair of populations that arrive along velocities i and i + 1. */
RILL_FN void add_pair(const int i, const vector one, const vector other, arrived *sums)
{
    const vector difference = one - other;
    sums->density = sums->density + (one + other);
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) {
        const int c = rill_c(lattice, i, a);
        if (c) sums->momentum[a] = c > 0 ? sums->momentum[a] + difference : sums->momentum[a] - difference;
    }
    HOLD(sums->density);
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) HOLD(sums->momentum[a]);
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
RILL_FN vector sent(const update *u, const arrived *sums, const vector before, const int a)
{
    if (a == 0) return before + u->density * (sums->density - u->rest * before);
    return before + u->momentum * (sums->momentum[a - 1] - u->still * before) + u->force[a - 1];
}

RILL_FN void clear(arrived *sums)
{
    sums->density = splat(0);
    for (int a = 0; a < 3; a++) sums->momentum[a] = splat(0);
}

/** Return a population over w_i of a density and three times a momentum. */
RILL_FN vector population(const int i, const vector density, const vector *momentum)
{
    vector sum = density;
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++) {
        const int c = rill_c(lattice, i, a);
        if (c) sum = c > 0 ? sum + momentum[a] : sum - momentum[a];
    }
    return sum;
}

/* ---- lines of cells -------------------------------------------------------------------------- */

/** The lines around one: those of the plane below, by y; those of the planes above are AROUND lines on. */
typedef struct around {
    const line *below[AROUND];
} around;

/** Return the line that velocity i leads from; with i = 0 the one in the middle. */
RILL_FN const line *upstream(const around *from, const int i)
{
    return from->below[1 - rill_c(lattice, i, 1)] + AROUND * (1 - rill_c(lattice, i, 2));
}

/** Return the population over w_i that arrives along i at the cells from x on. */
RILL_FN vector arriving(const around *from, const bool walls, const int i, const int x, const vector density,
                        const vector *own)
{
    const rill_scalar *rows = upstream(from, i)->row[0] + HALO + x - rill_c(lattice, i, 0);
    vector momentum[3];
    RILL_UNROLL
    for (int a = 0; a < rill_dimensions(lattice); a++)
        momentum[a] = rill_c(lattice, i, a) ? vector_at(rows + (1 + a) * PITCH) : splat(0);
    const vector came = population(i, vector_at(rows), momentum);
    if (!walls) return came;
    return instead(vector_at(rows + SOLID * PITCH), came, population(rill_opposite(i), density, own));
}

/** Update the cells from x on. @param[out] out  what they send: density, momentum */
RILL_FN void update_cells(const update *u, const around *from, const bool walls, const int x, vector *out)
{
    arrived sums;
    vector own[FIELDS];
    RILL_UNROLL
    for (int a = 0; a <= rill_dimensions(lattice); a++)
        own[a] = vector_at(upstream(from, 0)->row[a] + HALO + x);
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

/** Return cells of which all neighbours are fluid. */
RILL_FN cell_bits surrounded(const around *from)
{
    cell_bits all = upstream(from, 0)->flat;
    RILL_UNROLL
    for (int i = 1; i < rill_q(lattice); i++) {
        if (rill_c(lattice, i, 0) < 0) continue; /* the cells before flat ones are fluid as those behind */
        const line *l = upstream(from, i);
        const cell_bits *bits = rill_c(lattice, i, 0) ? &l->flat : &l->fluid;
        all.of[0] &= bits->of[0];
        all.of[1] &= bits->of[1];
    }
    return all;
}

/** Vectors of a line, their fluid cells, and the number of nodes in front of each. */
typedef struct some_vectors {
    int count, x[TILE], before[TILE];
    uint32_t cells[TILE];
} some_vectors;

/** Cover the fluid cells of a line by vectors, each of which begins with one: find those of fluid cells alone
 * that no wall is beside, and all others. @return the nodes */
RILL_FN int cover(const around *from, some_vectors *inner, some_vectors *others)
{
    const cell_bits fluid = upstream(from, 0)->fluid, away = surrounded(from);
    unsigned __int128 cells = (unsigned __int128)fluid.of[1] << 64 | fluid.of[0],
                      apart = (unsigned __int128)away.of[1] << 64 | away.of[0];
    int nodes = 0, x = 0;
    inner->count = others->count = 0;
    if (cells == apart && !(cells & (cells + 1))) { /* the first cells, of which none is beside a wall */
        const int count = __builtin_popcountll(fluid.of[0]) + __builtin_popcountll(fluid.of[1]);
        for (; x + LANES <= count; x += LANES) {
            inner->x[inner->count] = inner->before[inner->count] = x;
            inner->count++;
        }
        nodes = x;
        cells >>= x, apart >>= x;
    }
    while (cells) { /* without other branches, which would be hard to predict */
        const int next = (uint64_t)cells ? __builtin_ctzll((uint64_t)cells)
                                         : 64 + __builtin_ctzll((uint64_t)(cells >> 64));
        cells >>= next, apart >>= next, x += next;
        const uint64_t some = (uint64_t)cells & ALL_LANES;
        const bool is_inner = (some & (uint64_t)apart & ALL_LANES) == ALL_LANES;
        inner->x[inner->count] = others->x[others->count] = x;
        inner->before[inner->count] = others->before[others->count] = nodes;
        others->cells[others->count] = (uint32_t)some;
        inner->count += is_inner;
        others->count += !is_inner;
        nodes += __builtin_popcountll(some);
        cells >>= LANES, apart >>= LANES, x += LANES;
    }
    return nodes;
}

/** Where nodes of a line are stored, row 0, and how far rows are apart. */
typedef struct place {
    rill_scalar *at;
    size_t stride;
} place;

/** What a line is updated with. */
typedef struct update_of_line {
    const update *rule;
    const around *from;
    int nodes;
    place own, to; /**< the first node, as it is and as it will be */
    place old;     /**< what it was a step earlier: see rill_relaxation */
} update_of_line;

/** Update the cells from x on. @param whole, remembers  constants: all are fluid and no wall is beside; of a
 * step earlier something remains. @param before  nodes of the line in front of them */
RILL_FN void update_vector(const update_of_line *l, const bool whole, const bool remembers, const int x,
                           const int before, const uint64_t cells)
{
    vector out[FIELDS];
    const lanes fluid = lanes_together(cells);
    update_cells(l->rule, l->from, !whole, x, out);
    RILL_UNROLL
    for (size_t a = 0; a <= (size_t)rill_dimensions(lattice); a++) {
        vector value = whole ? out[a] : together(&fluid, out[a]);
        if (remembers)
            value = value + l->rule->memory * (vector_at(l->own.at + a * l->own.stride + before) -
                                               vector_at(l->old.at + a * l->old.stride + before));
        rill_scalar *const first = l->to.at + a * l->to.stride + before;
        if (whole || (!RILL_CPU_MASKS && before + LANES <= l->nodes))
            memcpy(first, &value, sizeof value);
        else
            put_first(first, value, __builtin_popcountll(cells));
    }
}

/** Update the vectors of a line. */
RILL_FN void update_vectors(const update_of_line *l, const bool remembers, const some_vectors *inner,
                            const some_vectors *others)
{
    RILL_NO_UNROLL
    for (int k = 0; k < others->count; k++)
        update_vector(l, false, remembers, others->x[k], others->before[k], others->cells[k]);
    RILL_NO_UNROLL
    for (int k = 0; k < inner->count; k++)
        update_vector(l, true, remembers, inner->x[k], inner->before[k], ALL_LANES);
}

/**
 * Update a line. @param own, to  its first node
 *
 * Without masks, what is behind the nodes of a vector is overwritten by those that follow.
 */
static void update_line(const update *u, const around *from, const place *own, const place *to)
{
    some_vectors inner, others;
    rill_scalar before[FIELDS][TILE + LANES];
    update_of_line l = {u, from, cover(from, &inner, &others), *own, *to, *to};
    if (u->memory == 0) {
        update_vectors(&l, false, &inner, &others);
        return;
    }
    for (size_t a = 0; !RILL_CPU_MASKS && a <= (size_t)rill_dimensions(lattice); a++)
        memcpy(before[a], to->at + a * to->stride, (size_t)l.nodes * sizeof *to->at);
    if (!RILL_CPU_MASKS) l.old = (place){before[0], TILE + LANES};
    update_vectors(&l, true, &inner, &others);
}

/** Update those nodes of a line that a launch steps. @param n, count  those of the line */
static void update_nodes(const rill_launch *launch, const update *u, const around *from, const size_t n,
                         const size_t count)
{
    const size_t rows = 1 + (size_t)rill_dimensions(lattice), begin = launch->first, end = launch->end;
    const place own = {stored_row(&launch->from, 0) + n, launch->from.stride},
                to = {stored_row(&launch->to, 0) + n, launch->to.stride};
    if (n >= begin && n + count <= end) {
        update_line(u, from, &own, &to);
        return;
    }
    rill_scalar some[FIELDS][TILE + LANES];
    const place apart = {some[0], TILE + LANES};
    const size_t first = n < begin ? begin - n : 0, last = n + count < end ? count : end - n;
    for (size_t a = 0; a < rows; a++) memcpy(some[a], to.at + a * to.stride, count * sizeof *to.at);
    update_line(u, from, &own, &apart);
    for (size_t a = 0; a < rows; a++)
        memcpy(to.at + a * to.stride + first, some[a] + first, (last - first) * sizeof *to.at);
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

/** Take the bits of the cells of a tile. */
RILL_FN cell_bits bits_of(const rill_arrays *arrays, const tile *t, const uint32_t row)
{
    const rill_word *words = arrays->words + row + t->first_word;
    uint64_t cells[TILE_WORDS] = {0};
    RILL_UNROLL
    for (int w = 0; w < TILE_WORDS; w++)
        if (w < t->words) cells[w] = words[w].window >> 1 & (w + 1 < t->words ? WORD_CELLS : t->last_cells);
    return (cell_bits){{cells[0] | cells[1] << RILL_WORD_CELLS | cells[2] << 2 * RILL_WORD_CELLS,
                        cells[2] >> (64 - 2 * RILL_WORD_CELLS) | cells[3] << (3 * RILL_WORD_CELLS - 64)}};
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

/** Fill the vectors of a line that have a fluid cell, or have had one. @param stored  the first node */
RILL_FN void fill_vectors(const rill_arrays *arrays, const cell_bits *fluid, const rill_scalar *stored,
                          line *l)
{
    const cell_bits used = vectors_of(*fluid);
    for (int w = 0; w < 2; w++) {
        uint64_t left = used.of[w] | l->used.of[w];
        RILL_NO_UNROLL
        for (; left; left &= left - 1) {
            const int bit = __builtin_ctzll(left), x = 64 * w + bit;
            const uint64_t cells = fluid->of[w] >> bit & ALL_LANES;
            const lanes where = lanes_apart(cells);
            const vector solid = lanes_solid(&where);
            memcpy(l->row[SOLID] + HALO + x, &solid, sizeof solid);
            RILL_UNROLL
            for (int a = 0; a <= rill_dimensions(lattice); a++) {
                const vector value = apart(&where, vector_at(stored + (size_t)a * arrays->stride));
                memcpy(l->row[a] + HALO + x, &value, sizeof value);
            }
            stored += __builtin_popcountll(cells);
        }
    }
    l->used = used;
}

/** Fill a line of fluid cells alone. @param stored  the first node */
RILL_FN void fill_whole(const rill_arrays *arrays, const int cells, const rill_scalar *stored, line *l)
{
    const vector fluid = splat(0);
    for (int x = 0; x < cells; x += LANES) {
        memcpy(l->row[SOLID] + HALO + x, &fluid, sizeof fluid);
        RILL_UNROLL
        for (int a = 0; a <= rill_dimensions(lattice); a++) {
            const vector value = vector_at(stored + (size_t)a * arrays->stride + x);
            memcpy(l->row[a] + HALO + x, &value, sizeof value);
        }
    }
    l->used = (cell_bits){{UINT64_MAX / ALL_LANES, UINT64_MAX / ALL_LANES}};
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
    if (__builtin_popcountll(bits.of[0]) + __builtin_popcountll(bits.of[1]) == cells)
        fill_whole(arrays, cells, stored, l);
    else
        fill_vectors(arrays, &bits, stored, l);
    put_cell(arrays,
             !before  ? RILL_UPSTREAM_WALL
             : starts ? rill_row_last(arrays, words, row)
                      : words[first].base - 1,
             -1, l);
    put_cell(arrays, !behind ? RILL_UPSTREAM_WALL : ends ? words[row].base : words[last + 1].base, cells, l);
    cell_bits next = {{bits.of[0] >> 1 | bits.of[1] << 63, bits.of[1] >> 1}};
    next.of[(cells - 1) / 64] |= (uint64_t)behind << (cells - 1) % 64;
    l->fluid = bits;
    l->flat.of[0] = bits.of[0] & (bits.of[0] << 1 | before) & next.of[0];
    l->flat.of[1] = bits.of[1] & (bits.of[1] << 1 | bits.of[0] >> 63) & next.of[1];
    l->y = y + 1;
    if (y <= arrays->box[1]) ask(arrays, words + row + arrays->row, t, false);
}

/** Return the nodes of the tile's cells in a row. @param words  of the row */
RILL_FN size_t nodes_of(const rill_word *words, const tile *t)
{
    const rill_word last = words[t->first_word + (uint32_t)t->words - 1];
    return last.base + (size_t)__builtin_popcount(last.window >> 1 & t->last_cells) -
           words[t->first_word].base;
}

/** Update line y of the planes from z on, the lines around those of a tile being kept. */
static void step_tile(const rill_launch *launch, const update *u, const uint32_t y, const uint32_t z, tile *t)
{
    const rill_arrays *arrays = &launch->from;
    const uint32_t slots[AROUND] = {y % AROUND, (y + 1) % AROUND, (y + 2) % AROUND};
    for (uint32_t d = 0; d < DEPTH && z + d < arrays->box[2]; d++) {
        const rill_word *words = arrays->words + (z + d + 1) * arrays->plane + (y + 1) * arrays->row;
        const size_t n = words[t->first_word].base, count = nodes_of(words, t);
        around from;
        if (count == 0 || n >= launch->end || n + count <= launch->first) continue;
        RILL_UNROLL
        for (uint32_t dy = 0; dy < AROUND; dy++) {
            line *l = &t->lines[d][slots[dy]];
            from.below[dy] = l;
            RILL_UNROLL
            for (uint32_t dz = 0; dz < AROUND; dz++, l += AROUND)
                if (l->y != y + dy + 1 && (rill_dimensions(lattice) == 3 || dz == 1))
                    fill_line(arrays, t, z + d + dz, y + dy, l);
        }
        ask(&launch->to, words + arrays->row, t, true);
        update_nodes(launch, u, &from, n, count);
    }
}

/** Forget what the lines of a tile hold. @param all  any vector may be used */
RILL_FN void forget_lines(tile *t, const bool all)
{
    for (int z = 0; z < DEPTH + AROUND - 1; z++)
        for (int y = 0; y < AROUND; y++) {
            line *l = &t->lines[z][y];
            l->y = 0;
            if (all) l->used = (cell_bits){{UINT64_MAX / ALL_LANES, UINT64_MAX / ALL_LANES}};
        }
}

/** Step some lines of the box, DEPTH along z as one, in the order of nodes. */
static void step_lines(const rill_launch *launch, uint64_t first, uint64_t end)
{
    const rill_arrays *arrays = &launch->from;
    const update u = update_of(launch);
    const uint32_t ny = arrays->box[1];
    tile t;
    t.cells = 0;
    for (uint64_t from = first, to; from < end; from = to) { /* those of the same planes */
        const uint64_t planes = from / ny;
        to = (planes + 1) * ny < end ? (planes + 1) * ny : end;
        for (uint32_t word = 0; word < arrays->row; word += TILE_WORDS) {
            t.first_word = word;
            t.words = arrays->row - word < TILE_WORDS ? (int)(arrays->row - word) : TILE_WORDS;
            const int before = t.cells;
            t.cells = t.words * RILL_WORD_CELLS;
            t.last_cells = WORD_CELLS;
            if (word + (uint32_t)t.words == arrays->row) {
                t.cells += (int)arrays->last_bit - RILL_WORD_CELLS;
                t.last_cells = (UINT32_C(1) << arrays->last_bit) - 1;
            }
            forget_lines(&t, t.cells != before);
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
    for (int x = 0; x < RILL_BLOCK; x += LANES) {
        arrived sums;
        clear(&sums);
        RILL_UNROLL
        for (int i = 1; i < rill_q(lattice); i += 2) {
            weigh(i, &sums);
            add_pair(i, vector_at(in[i] + x), vector_at(in[i + 1] + x), &sums);
        }
        RILL_UNROLL
        for (int a = 0; a <= rill_dimensions(lattice); a++) {
            const vector own = vector_at(stored_row(&launch->from, a) + n + x);
            rill_scalar *to = stored_row(&launch->to, a) + n + x;
            vector value = sent(&u, &sums, own, a);
            if (u.memory != 0) value = value + u.memory * (own - vector_at(to));
            memcpy(to, &value, sizeof value);
        }
    }
}

#endif
