/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out the arrays of a variant on a numbered box, and fills them. */
#include "domain/links.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/numbering.h"

#include <stdlib.h>
#include <string.h>

enum { offsets_max = 3 * RILL_Q_MAX };

static void add_offset(int8_t (*offsets)[3], int *count, const int d[3])
{
    if (!d[0] && !d[1] && !d[2]) return;
    for (int k = 0; k < *count; k++)
        if (offsets[k][0] == d[0] && offsets[k][1] == d[1] && offsets[k][2] == d[2]) return;
    for (int a = 0; a < 3; a++) offsets[*count][a] = (int8_t)d[a];
    ++*count;
}

/*
 * Return the offsets from fluid nodes at which a solid voxel needs a number: meeting nodes of the Esoteric
 * schemes, and the voxels that chased diagonals pass by.
 */
static int ghost_offsets(rill_variant v, int8_t (*offsets)[3])
{
    int count = 0;
    for (int i = 1; i < rill_q(v.lattice); i++) {
        const int d[3] = {rill_meeting(v.lattice, v.stream, i, 0), rill_meeting(v.lattice, v.stream, i, 1),
                          rill_meeting(v.lattice, v.stream, i, 2)};
        if (rill_stream_esoteric(v.stream)) add_offset(offsets, &count, d);
        if (v.addressing != RILL_CHASE) continue;
        const int first[3] = {d[0], 0, 0}, second[3] = {d[0], d[1], 0};
        if (d[1] || d[2]) add_offset(offsets, &count, first);
        if (d[2]) add_offset(offsets, &count, second);
    }
    return count;
}

static bool needs_ghosts(rill_variant v)
{
    return v.addressing != RILL_DENSE && (rill_stream_esoteric(v.stream) || v.addressing == RILL_CHASE);
}

static uint64_t whole_blocks(uint64_t nodes)
{
    return (nodes + RILL_SEGMENT_BLOCK - 1) / RILL_SEGMENT_BLOCK * RILL_SEGMENT_BLOCK;
}

/* Return the largest distance of the numbers of neighbours, links through the z side not counted. */
static uint64_t reach_of(const rill_numbering *fluid, bool dense)
{
    const uint64_t plane = (uint64_t)fluid->n[0] * fluid->n[1];
    if (dense) return 2 * plane;
    uint64_t reach = 0;
    for (uint32_t z = 0; z < fluid->n[2]; z++) {
        const uint64_t end = rill_numbering_before_plane(fluid, z + 2 < fluid->n[2] ? z + 2 : fluid->n[2]);
        const uint64_t both = end - rill_numbering_before_plane(fluid, z);
        if (both > reach) reach = both;
    }
    return reach;
}

static size_t row_of(const rill_numbering *fluid)
{
    return ((size_t)fluid->n[0] + RILL_WORD_CELLS - 1) / RILL_WORD_CELLS;
}

static void add_part(rill_links_size *size, size_t field, uint64_t bytes, const char *what)
{
    size->parts[size->part_count++] = (rill_links_part){field, bytes, what};
    size->bytes += bytes;
}

static rill_status layout(const rill_numbering *fluid, rill_variant v, uint64_t ghosts, rill_links_size *out)
{
    rill_links_size size = {.nodes = fluid->nodes, .ghosts = ghosts};
    const bool dense = v.addressing == RILL_DENSE;
    if (dense) size.nodes = (uint64_t)fluid->n[0] * fluid->n[1] * fluid->n[2];
    size.first_ghost = v.stream == RILL_RING ? size.nodes : whole_blocks(size.nodes);
    size.chunk = size.nodes;
    uint64_t slots = needs_ghosts(v) && v.stream != RILL_AA ? size.first_ghost + ghosts : size.nodes;
    if (v.stream == RILL_RING) {
        /* Copies of the first plane stand behind the last; a chunk may write where no later one reads. */
        enum { chunks = 24, chunk_least = 1 << 16 };
        size.ghosts = dense ? (uint64_t)fluid->n[0] * fluid->n[1] : rill_numbering_before_plane(fluid, 1);
        size.chunk = whole_blocks(size.nodes / chunks);
        if (size.chunk < chunk_least) size.chunk = chunk_least;
        if (size.chunk > size.nodes) size.chunk = whole_blocks(size.nodes);
        size.shift = (size_t)(size.chunk + reach_of(fluid, dense) + RILL_SEGMENT_BLOCK);
        slots = size.nodes + size.ghosts + size.shift;
    }
    if (size.first_ghost + size.ghosts > RILL_UPSTREAM_WALL - 1u)
        return rill_fail(
            RILL_USAGE,
            "%llu nodes%s and %llu ghosts are more than the 4294967294 that kernels can number: crop, "
            "or choose --stream aa --addressing bitmap",
            (unsigned long long)size.nodes, dense ? " (all voxels)" : "", (unsigned long long)size.ghosts);
    size.stride = rill_domain_stride_of(slots);
    size.list_stride =
        rill_domain_stride_of(v.addressing == RILL_CHASE ? size.first_ghost + ghosts : size.nodes);
    const uint64_t rows = (uint64_t)rill_list_rows(v.lattice, v.stream, v.addressing);
    if (rows)
        add_part(&size, offsetof(rill_arrays, list), rows * size.list_stride * sizeof(rill_node),
                 "the index list");
    if (rill_wall_words(v.stream, v.addressing))
        add_part(&size, offsetof(rill_arrays, walls), whole_blocks(size.nodes) * sizeof(uint32_t),
                 "the wall bits");
    if (dense) add_part(&size, offsetof(rill_arrays, flags), whole_blocks(size.nodes), "the voxel flags");
    if (v.addressing == RILL_BITMAP) {
        const uint64_t words = (uint64_t)row_of(fluid) * (fluid->n[1] + 2) * (fluid->n[2] + 2);
        if (words > UINT32_MAX)
            return rill_fail(RILL_USAGE,
                             "a bitmap of %llu words is larger than the 4294967295 that kernels can "
                             "number: crop, or choose --addressing list",
                             (unsigned long long)words);
        add_part(&size, offsetof(rill_arrays, places), whole_blocks(size.nodes) * sizeof(uint32_t),
                 "the places of nodes");
        add_part(&size, offsetof(rill_arrays, firsts), (size.nodes / RILL_PLACE_BLOCK + 1) * sizeof(uint32_t),
                 "the places of nodes");
        add_part(&size, offsetof(rill_arrays, words), words * sizeof(rill_word), "the occupancy bitmap");
        if (rill_stream_esoteric(v.stream))
            add_part(&size, offsetof(rill_arrays, ghost_words), words * sizeof(rill_word),
                     "the bitmap of ghosts");
    }
    *out = size;
    return RILL_OK;
}

static rill_status ghosts_create(const rill_numbering *fluid, rill_variant v, rill_numbering *out)
{
    int8_t offsets[offsets_max][3];
    if (!needs_ghosts(v)) return RILL_OK;
    return rill_numbering_ghosts(fluid, (const int8_t(*)[3])offsets, ghost_offsets(v, offsets), out);
}

rill_status rill_links_measure(const rill_numbering *fluid, rill_variant variant, rill_links_size *out)
{
    rill_status status = RILL_OK;
    rill_numbering ghosts = {.occupied = NULL};
    RILL_TRY(ghosts_create(fluid, variant, &ghosts));
    RILL_TRY(layout(fluid, variant, ghosts.nodes, out));
done:
    rill_numbering_destroy(&ghosts);
    return status;
}

/* What the functions that fill arrays share. */
typedef struct builder {
    const rill_numbering *fluid, *ghosts;
    rill_variant v;
    const rill_links_size *size;
} builder;

/* A cell of the box. */
typedef struct cell {
    uint32_t x[3];
    bool wrapped_up; /* reached through the upper z side */
} cell;

static cell move(const builder *b, const uint32_t x[3], const int d[3])
{
    cell to = {{0, 0, 0}, d[2] > 0 && x[2] + 1 == b->fluid->n[2]};
    for (int a = 0; a < 3; a++) to.x[a] = rill_step_along(x[a], d[a], b->fluid->n[a], false);
    return to;
}

/* Return the number of a cell: node, ghost or, in a ring, copy; RILL_UPSTREAM_WALL when it has none. */
static rill_node number_of(const builder *b, cell c)
{
    const rill_node node = rill_numbering_node(b->fluid, c.x[0], c.x[1], c.x[2]);
    if (node != RILL_UPSTREAM_WALL)
        return b->v.stream == RILL_RING && c.wrapped_up ? (rill_node)b->size->first_ghost + node : node;
    if (!b->ghosts->occupied) return RILL_UPSTREAM_WALL;
    const rill_node ghost = rill_numbering_node(b->ghosts, c.x[0], c.x[1], c.x[2]);
    return ghost == RILL_UPSTREAM_WALL ? RILL_UPSTREAM_WALL : (rill_node)b->size->first_ghost + ghost;
}

static void list_node(const builder *b, rill_arrays *arrays, const uint32_t x[3], rill_node n, bool ghost)
{
    const rill_variant v = b->v;
    rill_node *list = (rill_node *)arrays->list;
    if (v.addressing == RILL_CHASE) {
        for (int row = 0; row < rill_list_rows(v.lattice, v.stream, v.addressing); row++) {
            const int axis = v.stream == RILL_AA ? row / 2 : row;
            int d[3] = {0, 0, 0};
            d[axis] = v.stream == RILL_AA && row % 2 ? -1 : 1;
            list[(size_t)row * arrays->list_stride + n] = number_of(b, move(b, x, d));
        }
    } else {
        for (int i = 1; i < rill_q(v.lattice); i++) {
            const int d[3] = {rill_meeting(v.lattice, v.stream, i, 0),
                              rill_meeting(v.lattice, v.stream, i, 1),
                              rill_meeting(v.lattice, v.stream, i, 2)};
            if (d[0] || d[1] || d[2])
                list[(size_t)rill_list_row(v.lattice, v.stream, i) * arrays->list_stride + n] =
                    number_of(b, move(b, x, d));
        }
    }
    if (!arrays->walls || ghost) return;
    uint32_t walls = 0;
    for (int i = 1; i < rill_q(v.lattice); i++) {
        const int d[3] = {-rill_c(v.lattice, i, 0), -rill_c(v.lattice, i, 1), -rill_c(v.lattice, i, 2)};
        const cell to = move(b, x, d);
        walls |= (uint32_t)!rill_numbering_has(b->fluid, to.x[0], to.x[1], to.x[2]) << (i - 1);
    }
    ((uint32_t *)arrays->walls)[n] = walls;
}

static void fill_list(const builder *b, rill_arrays *arrays)
{
    const rill_numbering *const numberings[] = {b->fluid, b->v.addressing == RILL_CHASE ? b->ghosts : NULL};
    memset((void *)arrays->list, 0xFF, b->size->parts[0].bytes);
    for (int ghost = 0; ghost < 2; ghost++) {
        const rill_numbering *numbering = numberings[ghost];
        if (!numbering || !numbering->occupied) continue;
        const int64_t lines = (int64_t)numbering->n[1] * numbering->n[2];
#pragma omp parallel for schedule(static)
        for (int64_t line = 0; line < lines; line++)
            for (size_t w = 0; w < numbering->row_words; w++) {
                const size_t word = (size_t)line * numbering->row_words + w;
                rill_node n = numbering->base[word] + (ghost ? (rill_node)b->size->first_ghost : 0);
                for (uint64_t left = numbering->occupied[word]; left; left &= left - 1, n++) {
                    const uint32_t x[3] = {(uint32_t)w * 64 + (uint32_t)__builtin_ctzll(left),
                                           (uint32_t)(line % numbering->n[1]),
                                           (uint32_t)(line / numbering->n[1])};
                    list_node(b, arrays, x, n, ghost);
                }
            }
    }
}

static void fill_flags(const builder *b, rill_arrays *arrays)
{
    const rill_numbering *fluid = b->fluid;
    uint8_t *flags = (uint8_t *)arrays->flags;
#pragma omp parallel for collapse(2) schedule(static)
    for (uint32_t z = 0; z < fluid->n[2]; z++)
        for (uint32_t y = 0; y < fluid->n[1]; y++)
            for (uint32_t x = 0; x < fluid->n[0]; x++) {
                const uint32_t at[3] = {x, y, z};
                bool edge = false;
                for (int i = 1; i < rill_q(b->v.lattice); i++) {
                    const int d[3] = {rill_c(b->v.lattice, i, 0), rill_c(b->v.lattice, i, 1),
                                      rill_c(b->v.lattice, i, 2)};
                    const cell to = move(b, at, d);
                    edge = edge || !rill_numbering_has(fluid, to.x[0], to.x[1], to.x[2]);
                }
                flags[((size_t)z * fluid->n[1] + y) * fluid->n[0] + x] =
                    !rill_numbering_has(fluid, x, y, z) ? 0
                    : edge                              ? RILL_FLAG_FLUID | RILL_FLAG_EDGE
                                                        : RILL_FLAG_FLUID;
            }
}

/* Return the word of a row that begins at cell `first`. */
static rill_word word_of(const rill_numbering *numbering, uint32_t first, uint32_t y, uint32_t z)
{
    const uint32_t nx = numbering->n[0];
    const uint32_t cells = nx - first < RILL_WORD_CELLS ? nx - first : RILL_WORD_CELLS;
    rill_word word = {0, rill_numbering_rank(numbering, first, y, z)};
    word.window |= (uint32_t)rill_numbering_has(numbering, first ? first - 1 : nx - 1, y, z);
    for (uint32_t c = 0; c < cells; c++)
        word.window |= (uint32_t)rill_numbering_has(numbering, first + c, y, z) << (c + 1);
    word.window |= (uint32_t)rill_numbering_has(numbering, first + cells < nx ? first + cells : 0, y, z)
                   << (cells + 1);
    return word;
}

static void fill_words(const builder *b, const rill_numbering *numbering, rill_node add, rill_arrays *arrays,
                       rill_word *words)
{
    const uint32_t ny = numbering->n[1], nz = numbering->n[2];
#pragma omp parallel for collapse(2) schedule(static)
    for (uint32_t z = 0; z < nz + 2; z++)
        for (uint32_t y = 0; y < ny + 2; y++)
            for (uint32_t w = 0; w < arrays->row; w++) {
                rill_word word =
                    word_of(numbering, w * RILL_WORD_CELLS, (y + ny - 1) % ny, (z + nz - 1) % nz);
                word.base += add;
                if (b->v.stream == RILL_RING && z == nz + 1) word.base += (rill_node)b->size->first_ghost;
                words[(size_t)z * arrays->plane + (size_t)y * arrays->row + w] = word;
            }
}

static uint32_t place_word(const rill_arrays *arrays, const uint32_t x[3])
{
    return (x[2] + 1) * arrays->plane + (x[1] + 1) * arrays->row + x[0] / RILL_WORD_CELLS;
}

static rill_status fill_places(const builder *b, rill_arrays *arrays)
{
    enum { relative_bits = 25 };
    const rill_numbering *fluid = b->fluid;
    uint32_t *places = (uint32_t *)arrays->places, *firsts = (uint32_t *)arrays->firsts;
    bool far = false;
    for (int pass = 0; pass < 2; pass++) { /* the words that places count from, then the places */
        const int64_t lines = (int64_t)fluid->n[1] * fluid->n[2];
#pragma omp parallel for schedule(static) reduction(|| : far)
        for (int64_t line = 0; line < lines; line++)
            for (size_t w = 0; w < fluid->row_words; w++) {
                const size_t word = (size_t)line * fluid->row_words + w;
                rill_node n = fluid->base[word];
                for (uint64_t left = fluid->occupied[word]; left; left &= left - 1, n++) {
                    const uint32_t x[3] = {(uint32_t)w * 64 + (uint32_t)__builtin_ctzll(left),
                                           (uint32_t)(line % fluid->n[1]), (uint32_t)(line / fluid->n[1])};
                    const uint32_t k = place_word(arrays, x);
                    if (pass == 0) {
                        if (n % RILL_PLACE_BLOCK == 0) firsts[n / RILL_PLACE_BLOCK] = k;
                        continue;
                    }
                    const uint32_t relative = k - firsts[n / RILL_PLACE_BLOCK];
                    far = far || relative >> relative_bits;
                    places[n] = (x[0] % RILL_WORD_CELLS + 1) | (uint32_t)(x[0] == 0) << 5 |
                                (uint32_t)(x[0] == fluid->n[0] - 1) << 6 | relative << 7;
                }
            }
    }
    if (far)
        return rill_fail(RILL_USAGE,
                         "%d successive fluid nodes lie more than 2^%d bitmap words apart: crop, or "
                         "choose --addressing list",
                         RILL_PLACE_BLOCK, relative_bits);
    return RILL_OK;
}

rill_status rill_links_create(const rill_numbering *fluid, rill_variant variant, rill_links **out)
{
    rill_status status = RILL_OK;
    rill_numbering ghosts = {.occupied = NULL};
    rill_links *links = calloc(1, sizeof *links);
    if (!links) return rill_fail(RILL_SYSTEM, "out of memory for links");
    const builder b = {fluid, &ghosts, variant, &links->size};
    rill_arrays *arrays = &links->arrays;
    RILL_TRY(ghosts_create(fluid, variant, &ghosts));
    RILL_TRY(layout(fluid, variant, ghosts.nodes, &links->size));
    RILL_TRY(rill_memory_require(links->size.bytes, "the links of the nodes"));
    for (int k = 0; k < links->size.part_count; k++) {
        const rill_links_part *part = &links->size.parts[k];
        RILL_TRY(rill_array_create_zero(part->bytes, 1, part->what, (void **)((char *)arrays + part->field)));
    }
    arrays->nodes = (rill_node)links->size.nodes;
    arrays->ghosts = (rill_node)links->size.ghosts;
    arrays->first_ghost = (rill_node)links->size.first_ghost;
    arrays->stride = links->size.stride;
    arrays->list_stride = links->size.list_stride;
    memcpy(arrays->box, fluid->n, sizeof arrays->box);
    arrays->row = (uint32_t)row_of(fluid);
    arrays->plane = arrays->row * (fluid->n[1] + 2);
    arrays->last_bit = (fluid->n[0] - 1) % RILL_WORD_CELLS + 1;
    if (arrays->list) fill_list(&b, arrays);
    if (arrays->flags) fill_flags(&b, arrays);
    if (arrays->words) {
        fill_words(&b, fluid, 0, arrays, (rill_word *)arrays->words);
        if (arrays->ghost_words)
            fill_words(&b, &ghosts, arrays->first_ghost, arrays, (rill_word *)arrays->ghost_words);
        RILL_TRY(fill_places(&b, arrays));
    }
    *out = links;
    links = NULL;
done:
    rill_numbering_destroy(&ghosts);
    rill_links_destroy(links);
    return status;
}

void rill_links_drop(rill_links *links)
{
    for (int k = 0; k < links->size.part_count; k++) {
        void **array = (void **)((char *)&links->arrays + links->size.parts[k].field);
        rill_array_destroy(*array);
        *array = NULL;
    }
}

void rill_links_destroy(rill_links *links)
{
    if (links) rill_links_drop(links);
    free(links);
}
