/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file build.h
 * The arrays of kernel/storage/arrays.h, entry by entry, out of a numbering alone: what a processor thread
 * and a device thread do is this, so that both write the same bits. Backends drive it (cpu/build.c,
 * cuda/build.cu); domain/links.c lays the arrays out and says in which order tasks run.
 *
 * Every entry is written by one call and depends on nothing but the numbering, positions (which read the
 * words that they count from) excepted.
 */
#ifndef RILL_KERNEL_BUILD_H
#define RILL_KERNEL_BUILD_H

#include "kernel/storage/address.h"

/** What is built at a time. */
typedef enum rill_build_task {
    RILL_BUILD_LIST,        /**< per fluid cell: rows of the list, and the wall bits */
    RILL_BUILD_GHOST_LIST,  /**< per ghost: rows of the list */
    RILL_BUILD_FLAGS,       /**< per fluid cell; flags of others are 0 already */
    RILL_BUILD_STARTS,      /**< per fluid cell, of which every RILL_PLACE_BLOCK-th writes */
    RILL_BUILD_PLACES,      /**< per fluid cell, when all starts up to it are there */
    RILL_BUILD_WORDS,       /**< per word of the bitmap in planes without halo, rows with */
    RILL_BUILD_GHOST_WORDS, /**< the same for the bitmap of ghosts */
    RILL_BUILD_PADDING      /**< per entry of a list that stands for no node: walls */
} rill_build_task;

/** Bits for the distance of a node's word from that of its block's first node. */
enum { RILL_PLACE_BITS = 32 - RILL_PLACE_SHIFT };

/** Occupied cells of some planes of a numbering, and what comes before them; see domain/numbering.h. */
typedef struct rill_build_cells {
    const uint64_t *occupied; /**< [planes held][ny][row_words], NULL without */
    const rill_node *base;
} rill_build_cells;

/** What is built, and from what: pointers are those of the backend. */
typedef struct rill_builder {
    rill_arrays arrays; /**< written to: constant for kernels only */
    uint32_t n[3];      /**< cells along x, y, z */
    size_t row_words;
    uint32_t first, end; /**< planes to build */
    uint32_t held; /**< plane that the numbers held begin with; planes around the box follow each other */
    rill_build_cells fluid, ghosts;
    rill_node first_ghost, ghosts_end; /**< number of the first ghost, and behind the last */
    bool ring;                         /**< links through the upper z side lead to copies */
    bool ghosts_listed;                /**< the list has links of ghosts behind those of nodes */
    int rows, links;
    int8_t row[RILL_Q_MAX][3];  /**< [rows] where a row of the list leads */
    int8_t link[RILL_Q_MAX][3]; /**< [links] -c_i of velocity i = 1 … */
    uint32_t *far;              /**< set to 1 when a place does not fit */
} rill_builder;

/** Return the set bits of a word. */
RILL_FN uint32_t rill_build_popcount(const uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    return (uint32_t)__popcll((long long)bits);
#else
    return (uint32_t)__builtin_popcountll(bits);
#endif
}

/** Return where the row at y, z begins among the words held. */
RILL_FN size_t rill_build_line(const rill_builder *b, const uint32_t y, const uint32_t z)
{
    const size_t plane = (size_t)z - b->held + (z < b->held ? b->n[2] : 0);
    return (plane * b->n[1] + y) * b->row_words;
}

/** Return whether cell x of a row is occupied. */
RILL_FN bool rill_build_has(const rill_build_cells *cells, const size_t line, const uint32_t x)
{
    return cells->occupied[line + x / 64] >> (x % 64) & 1;
}

/** Return the number of the first occupied cell at or behind cell x of a row. */
RILL_FN rill_node rill_build_rank(const rill_build_cells *cells, const size_t line, const uint32_t x)
{
    const size_t word = line + x / 64;
    return cells->base[word] + rill_build_popcount(cells->occupied[word] & (((uint64_t)1 << x % 64) - 1));
}

/**
 * Return the number that x + d has: of a node, of a ghost or, in a ring buffer, of a copy; RILL_UPSTREAM_WALL
 * when it has none.
 */
RILL_FN rill_node rill_build_number(const rill_builder *b, const uint32_t x[3], const int8_t d[3])
{
    const bool up = d[2] > 0 && x[2] + 1 == b->n[2];
    const uint32_t at = rill_step_along(x[0], d[0], b->n[0], false);
    const size_t line = rill_build_line(b, rill_step_along(x[1], d[1], b->n[1], false),
                                        rill_step_along(x[2], d[2], b->n[2], false));
    if (rill_build_has(&b->fluid, line, at))
        return rill_build_rank(&b->fluid, line, at) + (b->ring && up ? b->first_ghost : 0);
    if (!b->ghosts.occupied || !rill_build_has(&b->ghosts, line, at)) return RILL_UPSTREAM_WALL;
    return b->first_ghost + rill_build_rank(&b->ghosts, line, at);
}

/** Return a word whose bit i - 1 is set where x - c_i is no fluid. */
RILL_FN uint32_t rill_build_walls(const rill_builder *b, const uint32_t x[3])
{
    uint32_t walls = 0;
    for (int i = 0; i < b->links; i++) {
        const int8_t *d = b->link[i];
        const size_t line = rill_build_line(b, rill_step_along(x[1], d[1], b->n[1], false),
                                            rill_step_along(x[2], d[2], b->n[2], false));
        walls |= (uint32_t)!rill_build_has(&b->fluid, line, rill_step_along(x[0], d[0], b->n[0], false)) << i;
    }
    return walls;
}

RILL_FN void rill_build_list(const rill_builder *b, const uint32_t x[3], const rill_node n)
{
    rill_node *list = (rill_node *)b->arrays.list;
    for (int row = 0; row < b->rows; row++)
        list[(size_t)row * b->arrays.list_stride + n] = rill_build_number(b, x, b->row[row]);
}

/** Return whether the cells of a row from x on are a block of nodes. */
RILL_FN bool rill_build_run(const rill_builder *b, const uint32_t x[3])
{
    const size_t word = rill_build_line(b, x[1], x[2]) + x[0] / 64;
    const uint32_t bit = x[0] % 64;
    if (b->n[0] - x[0] < RILL_PLACE_BLOCK) return false;
    uint64_t cells = b->fluid.occupied[word] >> bit;
    if (bit > 64 - RILL_PLACE_BLOCK) cells |= b->fluid.occupied[word + 1] << (64 - bit);
    return (uint32_t)cells == UINT32_MAX;
}

RILL_FN void rill_build_place(const rill_builder *b, const int task, const uint32_t x[3], const rill_node n)
{
    const uint32_t word = (x[2] + 1) * b->arrays.plane + (x[1] + 1) * b->arrays.row + x[0] / RILL_WORD_CELLS;
    const uint32_t end = b->n[0] - 1;
    const uint32_t place = (x[0] % RILL_WORD_CELLS + 1) | (x[0] == 0 ? RILL_PLACE_FIRST : 0u);
    rill_start *start = (rill_start *)b->arrays.starts + n / RILL_PLACE_BLOCK;
    if (task == RILL_BUILD_STARTS) {
        const uint32_t last = x[0] + RILL_PLACE_BLOCK - 1 == end ? RILL_PLACE_LAST : 0u;
        if (n % RILL_PLACE_BLOCK != 0) return;
        start->word = word;
        start->place = place | (rill_build_run(b, x) ? RILL_PLACE_RUN | last : 0u);
        return;
    }
    const uint32_t distance = word - start->word;
    if (distance >> RILL_PLACE_BITS) *b->far = 1; /* whoever else writes writes the same */
    ((uint32_t *)b->arrays.places)[n] =
        place | (x[0] == end ? RILL_PLACE_LAST : 0u) | distance << RILL_PLACE_SHIFT;
}

/** Return which cells a task goes through, NULL when it does not go through cells. */
RILL_FN const rill_build_cells *rill_build_cells_of(const rill_builder *b, const int task)
{
    if (task == RILL_BUILD_GHOST_LIST) return &b->ghosts;
    return task <= RILL_BUILD_PLACES ? &b->fluid : NULL;
}

/** Do a task for an occupied cell. @param rank  of the cell among those that the task goes through */
RILL_FN void rill_build_cell(const rill_builder *b, const int task, const uint32_t x[3], const rill_node rank)
{
    if (task == RILL_BUILD_GHOST_LIST) {
        rill_build_list(b, x, b->first_ghost + rank);
    } else if (task == RILL_BUILD_LIST) {
        rill_build_list(b, x, rank);
        if (b->arrays.walls) ((uint32_t *)b->arrays.walls)[rank] = rill_build_walls(b, x);
    } else if (task == RILL_BUILD_FLAGS) {
        ((uint8_t *)b->arrays.flags)[((size_t)x[2] * b->n[1] + x[1]) * b->n[0] + x[0]] =
            rill_build_walls(b, x) ? RILL_FLAG_FLUID | RILL_FLAG_EDGE : RILL_FLAG_FLUID;
    } else {
        rill_build_place(b, task, x, rank);
    }
}

/** Return the word of a row that begins at cell `first`. */
RILL_FN rill_word rill_build_window(const rill_builder *b, const rill_build_cells *cells, const size_t line,
                                    const uint32_t first)
{
    const uint32_t nx = b->n[0], end = nx - first < RILL_WORD_CELLS ? nx : first + RILL_WORD_CELLS;
    const size_t word = line + first / 64;
    uint64_t bits = cells->occupied[word] >> first % 64;
    if (first % 64 > 64 - RILL_WORD_CELLS && first / 64 + 1 < b->row_words)
        bits |= cells->occupied[word + 1] << (64 - first % 64);
    const uint32_t inside = (uint32_t)bits & ((1u << (end - first)) - 1u);
    const rill_word out = {inside << 1 | (uint32_t)rill_build_has(cells, line, first ? first - 1 : nx - 1) |
                               (uint32_t)rill_build_has(cells, line, end < nx ? end : 0) << (end - first + 1),
                           rill_build_rank(cells, line, first)};
    return out;
}

/** Return how many words a task of words has in the planes to build, 0 for another task. */
RILL_FN uint64_t rill_build_words(const rill_builder *b, const int task)
{
    return task == RILL_BUILD_WORDS || task == RILL_BUILD_GHOST_WORDS
               ? (uint64_t)(b->end - b->first) * b->arrays.plane
               : 0;
}

/** Build word k, also where halo planes repeat it. */
RILL_FN void rill_build_word(const rill_builder *b, const int task, const uint64_t k)
{
    const bool ghost = task == RILL_BUILD_GHOST_WORDS;
    const rill_build_cells *cells = ghost ? &b->ghosts : &b->fluid;
    rill_word *words = (rill_word *)(ghost ? b->arrays.ghost_words : b->arrays.words);
    const uint32_t z = b->first + (uint32_t)(k / b->arrays.plane), rest = (uint32_t)(k % b->arrays.plane);
    const uint32_t y = rest / b->arrays.row, w = rest % b->arrays.row, ny = b->n[1], nz = b->n[2];
    rill_word word = rill_build_window(b, cells,
                                       rill_build_line(b,
                                                       y == 0   ? ny - 1
                                                       : y > ny ? 0
                                                                : y - 1,
                                                       z),
                                       w * RILL_WORD_CELLS);
    if (ghost) word.base += b->first_ghost;
    words[((size_t)z + 1) * b->arrays.plane + rest] = word;
    if (z + 1 == nz) words[rest] = word;
    if (b->ring) word.base += b->first_ghost;
    if (z == 0) words[((size_t)nz + 1) * b->arrays.plane + rest] = word;
}

/** Return how many entries of a row of the list stand for no node. */
RILL_FN uint64_t rill_build_padding(const rill_builder *b)
{
    return b->arrays.list_stride - b->arrays.nodes - (b->ghosts_listed ? b->ghosts_end - b->first_ghost : 0);
}

/** Put a wall into padding entry k of all rows together. */
RILL_FN void rill_build_pad(const rill_builder *b, const uint64_t k)
{
    const uint64_t padding = rill_build_padding(b);
    uint64_t entry = b->arrays.nodes + k % padding;
    if (b->ghosts_listed && entry >= b->first_ghost) entry += b->ghosts_end - b->first_ghost;
    ((rill_node *)b->arrays.list)[k / padding * b->arrays.list_stride + entry] = RILL_UPSTREAM_WALL;
}

#endif
