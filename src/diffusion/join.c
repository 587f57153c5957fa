/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the nodes of blocks of 2^3 voxels to chambers, and says what chambers conduct to each other. */
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/diffusion.h"

#include <string.h>

/* Of what a level conducts, for each that is before it. A corner of Fontainebleau takes 20 iterations with 1,
 * 13 with 0.8 and 13 with 0.7. */
#define COARSER 0.8

enum { FACES = 24 /* of a block, that lead out of it */ };

static const char *const name = "the coarser grids of a diffusion";

/* A block of 2^3 voxels, whose nodes are joined. Cells are x + 2 y + 4 z. */
typedef struct block {
    uint32_t bit;     /* of its first cells, in the word of the row */
    uint32_t cells;   /* bits: a node is there that belongs to a chamber */
    uint32_t node[8]; /* [cells] */
    uint8_t part[8];  /* [cells], the least cell of the same chamber */
} block;

/* Blocks of a row that have nodes, one after the other. */
typedef struct block_row {
    const rill_diffusor *d;
    uint32_t y, z;                /* of the first cells */
    uint32_t word;                /* of 64 cells along x, the next one */
    uint64_t left;                /* bits: the first cells of blocks to come in the word before that */
    rill_diffusion_word cells[4]; /* that word of the four rows of cells */
} block_row;

/* Begin row k of the blocks. */
static block_row row_begin(const rill_diffusor *d, uint64_t k)
{
    const rill_diffusion_grid *g = &d->all.grid;
    return (block_row){.d = d, .y = rill_diffusion_pair(g, k, 1), .z = rill_diffusion_pair(g, k, 2)};
}

/* Return the cells of the kind of one. */
static uint32_t alike(const rill_diffusor *d, const block *b, uint32_t cell)
{
    uint32_t cells = 0;
    if (!d->kind) return b->cells;
    for (uint32_t q = 0; q < 8; q++)
        cells |= (uint32_t)(b->cells >> q & 1 && d->kind[b->node[q]] == d->kind[b->node[cell]]) << q;
    return cells;
}

/* Return the cells that are connected to one through faces. */
static uint32_t connected(uint32_t cells, uint32_t cell)
{
    uint32_t part = 1u << cell;
    for (uint32_t before = 0; before != part;) {
        before = part;
        part |= (part & 0x55) << 1 | (part & 0xAA) >> 1 | (part & 0x33) << 2 | (part & 0xCC) >> 2 |
                (part & 0x0F) << 4 | part >> 4;
        part &= cells;
    }
    return part;
}

/* Take the next word along a row of blocks that has nodes. @return false: there is none */
static bool word_take(block_row *row)
{
    const rill_diffusion_grid *g = &row->d->all.grid;
    while (!row->left && row->word < g->words) {
        uint64_t any = 0;
        for (uint32_t m = 0; m < 4; m++) {
            const uint32_t y = row->y + m % 2, z = row->z + m / 2;
            if (y < g->n[1] && z < g->n[2])
                any |= g->occupied[((size_t)z * g->n[1] + y) * g->words + row->word];
        }
        for (uint32_t m = 0; m < 4 && any; m++)
            row->cells[m] = rill_diffusion_look_at(g, row->word, row->y, row->z, m);
        row->left = (any | any >> 1) & 0x5555555555555555;
        row->word++;
    }
    return row->left;
}

/* Leave out the cells of slices whose values are given. */
static uint32_t cells_free(const block_row *row, uint32_t cells, uint32_t bit)
{
    const rill_diffusion_grid *g = &row->d->all.grid;
    const uint32_t from = g->axis == 0 ? 64 * (row->word - 1) + bit : g->axis == 1 ? row->y : row->z;
    for (uint32_t q = 0; q < 8; q++) {
        const uint32_t place = from + (q >> g->axis & 1);
        if (place == 0 || place == g->last[g->axis]) cells &= ~(1u << q);
    }
    return cells;
}

/* See the next block of a row that has nodes, and find its chambers. @return false: there is none */
static bool block_next(block_row *row, block *b)
{
    if (!word_take(row)) return false;
    b->bit = (uint32_t)__builtin_ctzll(row->left);
    b->cells = 0;
    row->left &= row->left - 1;
    for (uint32_t m = 0; m < 4; m++) {
        const rill_diffusion_word *word = &row->cells[m];
        const uint32_t two = word->here >> b->bit & 3;
        b->cells |= two << (2 * m);
        b->node[2 * m] = word->first + rill_diffusion_count(word->here & (((uint64_t)1 << b->bit) - 1));
        b->node[2 * m + 1] = b->node[2 * m] + (two & 1);
    }
    if (row->d->all.grid.ends == RILL_ENDS_NODES) b->cells = cells_free(row, b->cells, b->bit);
    for (uint32_t left = b->cells; left;) {
        const uint32_t least = (uint32_t)__builtin_ctz(left);
        const uint32_t part = connected(alike(row->d, b, least), least);
        for (uint32_t cells = part; cells; cells &= cells - 1) b->part[__builtin_ctz(cells)] = (uint8_t)least;
        left &= ~part;
    }
    return true;
}

/* What a loop over rows of blocks works with. */
typedef struct joining {
    rill_diffusor *d;
    uint32_t *links;      /* before those of a row of blocks */
    uint32_t *begin;      /* [chambers + 1] */
    rill_flow_link *link; /* [begin[chambers]] */
    bool list;            /* count first */
} joining;

static void chambers_list(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    rill_diffusor *d = j->d;
    for (uint64_t k = first; k < end; k++) {
        uint32_t count = j->list ? d->chamber[k] : 0;
        block_row row = row_begin(d, k);
        for (block b; block_next(&row, &b);) {
            uint32_t number[8];
            for (uint32_t q = 0; q < 8; q++) {
                if (!(b.cells >> q & 1)) continue;
                if (b.part[q] == q) {
                    number[q] = count++;
                    if (j->list) d->chambers.volume[number[q]] = 0;
                }
                if (!j->list) continue;
                d->coarse[b.node[q]] = number[b.part[q]];
                d->chambers.volume[number[b.part[q]]]++;
            }
        }
        if (!j->list) d->chamber[k + 1] = count;
    }
}

/* Add what a chamber conducts to another. @return chambers then */
static uint32_t add(uint32_t *to, double *conductance, uint32_t count, uint32_t other, double more)
{
    uint32_t at = 0;
    while (at < count && to[at] != other) at++;
    if (at == count) to[count] = other, conductance[count++] = 0;
    conductance[at] += more;
    return count;
}

/* What a chamber exchanges with others. */
typedef struct exchange {
    uint32_t own, count, to[FACES];
    double conductance[FACES], outlet; /* of faces: not yet times RILL_DIFFUSION_BETWEEN */
} exchange;

/* Return what a cell conducts to the faces at the ends of the axis. */
static double cell_ends(const block_row *row, const block *b, uint32_t cell, double own)
{
    const rill_diffusion_grid *g = &row->d->all.grid;
    const uint32_t place[3] = {64 * (row->word - 1) + b->bit + cell % 2, row->y + cell / 2 % 2,
                               row->z + cell / 4};
    if (g->ends != RILL_ENDS_FACES) return 0;
    return (place[g->axis] == 0 ? 2 * own : 0) + (place[g->axis] == g->last[g->axis] ? 2 * own : 0);
}

/* Find what the chamber whose least cell is `part` exchanges with others. Neighbours within it are passed
 * over, which are half of all. */
static void exchange_find(const block_row *row, const block *b, uint32_t part, exchange *e)
{
    const rill_diffusor *d = row->d;
    const rill_diffusion_grid *g = &d->all.grid;
    *e = (exchange){.own = d->coarse[b->node[part]]};
    for (uint32_t q = part; q < 8; q++) {
        if (!(b->cells >> q & 1) || b->part[q] != part) continue;
        const uint32_t bit = b->bit + q % 2, x = 64 * (row->word - 1) + bit, i = b->node[q];
        const double *between = d->kind ? &d->between[d->kind[i] * RILL_DIFFUSION_KINDS] : NULL;
        const rill_diffusion_word *word = &row->cells[q / 2];
        e->outlet += cell_ends(row, b, q, between ? between[d->kind[i]] : 1);
        for (uint32_t s = 0; s < RILL_DIFFUSION_FACES; s++) {
            const uint32_t beside = q ^ 1u << s / 2;
            const bool within = (q >> s / 2 & 1) != s % 2 && b->cells >> beside & 1;
            if ((within && b->part[beside] == part) || !(word->side[s] >> bit & 1)) continue;
            const uint32_t j = rill_diffusion_beside(g, word, (int)s, bit, x, i), other = d->coarse[j];
            const double conducts = between ? between[d->kind[j]] : 1;
            if (other == RILL_DIFFUSION_NONE)
                e->outlet += conducts;
            else if (other != e->own)
                e->count = add(e->to, e->conductance, e->count, other, conducts);
        }
    }
}

/* List the links of a chamber: those to chambers before it in their order, then those behind it. @return
 * where the next begin */
static uint32_t links_put(const exchange *e, rill_flow_link *link, uint32_t at)
{
    const uint32_t first = at;
    for (uint32_t c = 0; c < e->count; c++) {
        if (e->to[c] > e->own) continue;
        uint32_t k = at++;
        for (; k > first && link[k - 1].row > e->to[c]; k--) link[k] = link[k - 1];
        link[k] = (rill_flow_link){e->to[c], (float)(RILL_DIFFUSION_BETWEEN * e->conductance[c])};
    }
    for (uint32_t c = 0; c < e->count; c++)
        if (e->to[c] > e->own)
            link[at++] = (rill_flow_link){e->to[c], (float)(RILL_DIFFUSION_BETWEEN * e->conductance[c])};
    return at;
}

static void links_list(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    rill_diffusor *d = j->d;
    for (uint64_t k = first; k < end; k++) {
        uint32_t at = j->list ? j->links[k] : 0;
        block_row row = row_begin(d, k);
        for (block b; block_next(&row, &b);)
            for (uint32_t part = 0; b.cells >> part; part++) {
                if (!(b.cells >> part & 1) || b.part[part] != part) continue;
                exchange e;
                exchange_find(&row, &b, part, &e);
                if (!j->list) {
                    at += e.count;
                    continue;
                }
                d->chambers.outlet[e.own] = RILL_DIFFUSION_BETWEEN * e.outlet;
                j->begin[e.own] = at;
                at = links_put(&e, j->link, at);
            }
        if (!j->list) j->links[k + 1] = at;
    }
}

/* Number chambers, and find to which each node belongs. */
static rill_status chambers_make(joining *j)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = j->d;
    const uint64_t rows = rill_diffusion_pairs(&d->all.grid);
    RILL_TRY(rill_array_create_zero(rows + 1, sizeof *d->chamber, name, (void **)&d->chamber));
    RILL_TRY(rill_array_create(d->numbering.nodes, sizeof *d->coarse, name, (void **)&d->coarse));
    if (d->all.grid.ends == RILL_ENDS_NODES)                             /* else all nodes have one */
        memset(d->coarse, 0xff, d->numbering.nodes * sizeof *d->coarse); /* RILL_DIFFUSION_NONE */
    rill_threads_for(rows, 1, chambers_list, j);
    for (uint64_t k = 0; k < rows; k++) d->chamber[k + 1] += d->chamber[k];
    d->chambers.chambers = d->chamber[rows];
    RILL_TRY(rill_array_create(d->chambers.chambers, sizeof(double), name, (void **)&d->chambers.volume));
    RILL_TRY(rill_array_create(d->chambers.chambers, sizeof(double), name, (void **)&d->chambers.outlet));
    j->list = true;
    rill_threads_for(rows, 1, chambers_list, j);
done:
    return status;
}

static rill_status links_make(joining *j)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = j->d;
    const uint64_t rows = rill_diffusion_pairs(&d->all.grid);
    uint64_t sum = 0;
    RILL_TRY(rill_array_create_zero(rows + 1, sizeof *j->links, name, (void **)&j->links));
    j->list = false;
    rill_threads_for(rows, 1, links_list, j);
    for (uint64_t k = 0; k < rows; k++) {
        sum += j->links[k + 1];
        if (sum > UINT32_MAX)
            RILL_TRY(rill_fail(RILL_SYSTEM,
                               "the coarser grids of a diffusion have more than %u links: crop the image",
                               UINT32_MAX));
        j->links[k + 1] = (uint32_t)sum;
    }
    RILL_TRY(rill_array_create(d->chambers.chambers + 1, sizeof *j->begin, name, (void **)&j->begin));
    RILL_TRY(rill_array_create(sum, sizeof *j->link, name, (void **)&j->link));
    j->begin[d->chambers.chambers] = (uint32_t)sum;
    j->list = true;
    rill_threads_for(rows, 1, links_list, j);
done:
    return status;
}

/* What a loop over chambers, or nodes, works with. */
typedef struct moving {
    const uint32_t *from; /* [rows], the chamber of each */
    uint32_t *row;        /* [chambers] */
    uint32_t *coarse;     /* [nodes] */
} moving;

static void rows_list(const void *shared, uint64_t first, uint64_t end)
{
    const moving *m = shared;
    for (uint64_t r = first; r < end; r++) m->row[m->from[r]] = (uint32_t)r;
}

static void nodes_move(const void *shared, uint64_t first, uint64_t end)
{
    const moving *m = shared;
    for (uint64_t i = first; i < end; i++)
        if (m->coarse[i] != RILL_DIFFUSION_NONE) m->coarse[i] = m->row[m->coarse[i]];
}

/* Let coarser levels conduct less, for the same reason as chambers. */
static void coarser_scale(rill_network *network)
{
    double factor = 1;
    for (int k = 1; k < network->levels; k++) {
        const rill_flow_level *level = &network->level[k];
        factor *= COARSER;
        for (uint32_t l = 0; l < level->begin[level->count]; l++) level->link[l].conductance *= (float)factor;
        for (uint32_t r = 0; r < level->count; r++) level->inverse[r] /= factor;
    }
}

rill_status rill_diffusor_join(rill_diffusor *d)
{
    rill_status status = RILL_OK;
    joining j = {.d = d};
    moving m = {.row = NULL};
    RILL_TRY(chambers_make(&j));
    RILL_TRY(links_make(&j));
    RILL_TRY(rill_network_prepare_links(&d->chambers, j.begin, &j.link));
    coarser_scale(&d->chambers);
    RILL_TRY(rill_array_create(d->chambers.chambers, sizeof *m.row, name, (void **)&m.row));
    m.from = d->chambers.chamber;
    m.coarse = d->coarse;
    rill_threads_for(d->chambers.chambers, 4096, rows_list, &m);
    rill_threads_for(d->numbering.nodes, 4096, nodes_move, &m);
done:
    rill_array_destroy(m.row);
    rill_array_destroy(j.links);
    rill_array_destroy(j.begin);
    rill_array_destroy(j.link);
    return status;
}
