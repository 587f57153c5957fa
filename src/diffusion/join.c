/* SPDX-License-Identifier: Apache-2.0 */
/* Joins the nodes of blocks of 2^3 voxels to chambers, and says what chambers conduct to each other. */
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "diffusion/block.h"

#include <string.h>

/* Of what a level conducts, for each that is before it. A corner of Fontainebleau takes 20 iterations with 1,
 * 13 with 0.8 and 13 with 0.7. */
#define COARSER 0.8

enum { FACES = 24 /* of a block, that lead out of it */ };

static const char *const name = "the coarser grids of a diffusion";

/* Return the cells of the kind of one. */
static uint32_t alike(const rill_diffusor *d, const rill_diffusion_block *b, uint32_t cell)
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
static bool word_take(rill_diffusion_row *row)
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
static uint32_t cells_free(const rill_diffusion_row *row, uint32_t cells, uint32_t bit)
{
    const rill_diffusion_grid *g = &row->d->all.grid;
    const uint32_t from = g->axis == 0 ? 64 * (row->word - 1) + bit : g->axis == 1 ? row->y : row->z;
    for (uint32_t q = 0; q < 8; q++) {
        const uint32_t place = from + (q >> g->axis & 1);
        if (place == 0 || place == g->last[g->axis]) cells &= ~(1u << q);
    }
    return cells;
}

bool rill_diffusion_block_next(rill_diffusion_row *row, rill_diffusion_block *b)
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
    uint64_t *throats; /* before those of a row of blocks */
    bool list;         /* count first */
} joining;

static void chambers_list(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    rill_diffusor *d = j->d;
    for (uint64_t k = first; k < end; k++) {
        uint32_t count = j->list ? d->chamber[k] : 0;
        rill_diffusion_row row = rill_diffusion_row_begin(d, k);
        for (rill_diffusion_block b; rill_diffusion_block_next(&row, &b);) {
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

static void throats_list(const void *shared, uint64_t first, uint64_t end)
{
    const joining *j = shared;
    rill_diffusor *d = j->d;
    rill_network *network = &d->chambers;
    for (uint64_t k = first; k < end; k++) {
        uint64_t at = j->list ? j->throats[k] : 0;
        rill_diffusion_row row = rill_diffusion_row_begin(d, k);
        for (rill_diffusion_block b; rill_diffusion_block_next(&row, &b);) {
            for (uint32_t part = 0; b.cells >> part; part++) {
                if (!(b.cells >> part & 1) || b.part[part] != part) continue;
                const uint32_t own = d->coarse[b.node[part]];
                uint32_t to[FACES], count = 0;
                double conductance[FACES], outlet = 0;
                for (uint32_t q = part; q < 8; q++) {
                    if (!(b.cells >> q & 1) || b.part[q] != part) continue;
                    const rill_diffusion_node node = rill_diffusion_cell_see(&row, &b, q);
                    outlet += node.end[0] + node.end[1];
                    for (int s = 0; s < RILL_DIFFUSION_FACES; s++) {
                        if (node.to[s] == 0) continue;
                        const uint32_t other = d->coarse[node.beside[s]];
                        if (other == RILL_DIFFUSION_NONE)
                            outlet += node.to[s];
                        else if (other != own)
                            count = add(to, conductance, count, other, node.to[s]);
                    }
                }
                if (j->list) network->outlet[own] = RILL_DIFFUSION_BETWEEN * outlet;
                for (uint32_t c = 0; c < count; c++) {
                    if (to[c] < own) continue; /* that chamber lists it */
                    if (j->list)
                        network->throat[at] =
                            (rill_throat){{own, to[c]}, RILL_DIFFUSION_BETWEEN * conductance[c]};
                    at++;
                }
            }
        }
        if (!j->list) j->throats[k + 1] = at;
    }
}

/* Number chambers, and find to which each node belongs. */
static rill_status chambers_make(joining *j)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = j->d;
    const uint64_t rows = rill_diffusion_block_rows(d);
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

static rill_status throats_make(joining *j)
{
    rill_status status = RILL_OK;
    rill_diffusor *d = j->d;
    const uint64_t rows = rill_diffusion_block_rows(d);
    RILL_TRY(rill_array_create_zero(rows + 1, sizeof *j->throats, name, (void **)&j->throats));
    j->list = false;
    rill_threads_for(rows, 1, throats_list, j);
    for (uint64_t k = 0; k < rows; k++) j->throats[k + 1] += j->throats[k];
    d->chambers.throats = j->throats[rows];
    RILL_TRY(rill_array_create(d->chambers.throats, sizeof *d->chambers.throat, name,
                               (void **)&d->chambers.throat));
    j->list = true;
    rill_threads_for(rows, 1, throats_list, j);
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
    RILL_TRY(throats_make(&j));
    RILL_TRY(rill_network_prepare(&d->chambers));
    coarser_scale(&d->chambers);
    rill_array_destroy(d->chambers.throat);
    d->chambers.throat = NULL;
    RILL_TRY(rill_array_create(d->chambers.chambers, sizeof *m.row, name, (void **)&m.row));
    m.from = d->chambers.chamber;
    m.coarse = d->coarse;
    rill_threads_for(d->chambers.chambers, 4096, rows_list, &m);
    rill_threads_for(d->numbering.nodes, 4096, nodes_move, &m);
done:
    rill_array_destroy(m.row);
    rill_array_destroy(j.throats);
    return status;
}
