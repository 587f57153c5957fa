/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the chambers of a domain: the parts of every block that links of the lattice connect within it. */
#include "core/memory.h"
#include "core/status.h"
#include "kernel/lattice.h"
#include "network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Blocks that a geometry is cut into, about, and the smallest and largest edges that are chosen for it.
 * Within a chamber time steps alone even pressures out, in a cycle that is as long as momentum needs in the
 * widest pores: larger blocks than these openings allow make corrections lead nowhere (docs/method.md).
 */
#define BLOCKS_WANTED 2e5
#define EDGE_OF_OPENING 0.4
/* Below the least edge, down to the finest, where there are no more blocks than these: a network does not see
 * a throat inside a chamber. */
#define BLOCKS_FEW 2e4
enum { EDGE_FINEST = 2, EDGE_LEAST = 6, EDGE_MOST = 32 };

uint32_t rill_network_edge(const rill_geom *geom, double opening)
{
    const double voxels = (double)rill_geom_voxels(geom);
    const double fine = fmin(fmax(ceil(cbrt(voxels / BLOCKS_FEW)), EDGE_FINEST), EDGE_LEAST);
    const double most = fmin(fmax(round(EDGE_OF_OPENING * opening), EDGE_LEAST), EDGE_MOST);
    return (uint32_t)fmin(fmax(ceil(cbrt(voxels / BLOCKS_WANTED)), fine), most);
}

uint64_t rill_network_bytes(uint64_t nodes, uint32_t chambers)
{
    /* Of a chamber: three throats, what the solver makes of them and of those of coarser levels, its vectors
     * (sand packs and random fields take 320 to 350 bytes). */
    const uint64_t each = 3 * sizeof(rill_throat) + 300;
    return nodes * sizeof(uint32_t) + chambers * each;
}

/* Rows of a block that links lead to from a row, and by how many voxels along x. */
typedef struct step {
    int y, z;
    bool along[3]; /* x by -1, 0, 1 */
} step;

/* Rows that links of a lattice lead to, the row itself left out. @return how many */
static int steps_of(rill_lattice lattice, step steps[8])
{
    int count = 0;
    for (int z = -1; z <= 1; z++)
        for (int y = -1; y <= 1; y++) {
            step s = {.y = y, .z = z};
            bool any = false;
            for (int i = 1; i < rill_q((int)lattice); i++)
                if (rill_c((int)lattice, i, 1) == y && rill_c((int)lattice, i, 2) == z)
                    any = s.along[rill_c((int)lattice, i, 0) + 1] = true;
            if (any && (y || z)) steps[count++] = s;
        }
    return count;
}

/* A block while its chambers are looked for. Its rows along x are the bits of words. */
typedef struct block {
    uint32_t first[3], size[3];
    uint64_t *pore;  /* [size z][size y], not yet in any chamber */
    uint64_t *fresh; /* [size z][size y], reached from other rows, but not yet looked at */
    uint32_t *open;  /* rows with fresh voxels, each once */
    step steps[8];
    int step_count;
} block;

/* Where the chambers of a block are entered: those behind `base`. */
typedef struct entry {
    const rill_domain *domain;
    rill_network *network;
    uint32_t base;
} entry;

static void place(const rill_network *network, const rill_geom *geom, uint64_t number, block *b)
{
    for (int a = 0; a < 3; a++) {
        b->first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
        b->size[a] = geom->n[a] - b->first[a] < network->edge ? geom->n[a] - b->first[a] : network->edge;
        number /= network->blocks[a];
    }
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++) {
            const uint64_t row = (uint64_t)(b->first[2] + z) * geom->n[1] + b->first[1] + y;
            b->pore[z * b->size[1] + y] =
                rill_numbering_word(geom->voxels + row * geom->n[0] + b->first[0], b->size[0]);
        }
}

/* Assign nodes of a row their chamber, and add them to its volume and centre. */
static void enter(const entry *e, const block *b, uint32_t row, uint64_t bits, uint32_t part)
{
    rill_network *network = e->network;
    const uint32_t chamber = e->base + part;
    const uint32_t at[3] = {b->first[0], b->first[1] + row % b->size[1], b->first[2] + row / b->size[1]};
    const double nodes = __builtin_popcountll(bits);
    network->volume[chamber] += nodes;
    network->centre[chamber][1] += nodes * (at[1] + 0.5);
    network->centre[chamber][2] += nodes * (at[2] + 0.5);
    while (bits) { /* run by run */
        const uint32_t low = (uint32_t)__builtin_ctzll(bits), x = at[0] + low;
        const uint64_t rest = ~(bits >> low);
        const uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        const rill_node first = rill_numbering_rank(&e->domain->numbering, x, at[1], at[2]);
        for (rill_node k = 0; k < length; k++) network->chamber_of[first + k] = chamber;
        network->centre[chamber][0] += length * (x + 0.5 * length);
        bits &= length < 64 ? ~((((uint64_t)1 << length) - 1) << low) : 0;
    }
}

/* Let voxels of a row reach those of others. @return the rows that are open then */
static uint32_t reach(block *b, uint32_t row, uint64_t bits, uint32_t open)
{
    const uint32_t y = row % b->size[1], z = row / b->size[1];
    for (int k = 0; k < b->step_count; k++) {
        const step *s = &b->steps[k];
        const uint32_t to_y = y + (uint32_t)s->y, to_z = z + (uint32_t)s->z; /* below 0: a large number */
        if (to_y >= b->size[1] || to_z >= b->size[2]) continue;
        const uint32_t to = to_z * b->size[1] + to_y;
        const uint64_t moved =
            (s->along[0] ? bits >> 1 : 0) | (s->along[1] ? bits : 0) | (s->along[2] ? bits << 1 : 0);
        const uint64_t met = moved & b->pore[to];
        if (!met) continue;
        if (!b->fresh[to]) b->open[open++] = to;
        b->fresh[to] |= met;
    }
    return open;
}

/* Take out all that links of the lattice connect to the first pore voxel of a row. */
static void flood(block *b, uint32_t seed, uint32_t part, const entry *e)
{
    uint32_t open = 0;
    b->fresh[seed] = b->pore[seed] & -b->pore[seed];
    b->open[open++] = seed;
    while (open) {
        const uint32_t row = b->open[--open];
        uint64_t bits = b->fresh[row] & b->pore[row], before = 0;
        b->fresh[row] = 0;
        while (bits != before) { /* along the row */
            before = bits;
            bits |= (bits << 1 | bits >> 1) & b->pore[row];
        }
        if (!bits) continue;
        b->pore[row] &= ~bits;
        if (e) enter(e, b, row, bits, part);
        open = reach(b, row, bits, open);
    }
}

/* Find the chambers of a block that was placed, and enter them where there is something to enter. */
static uint32_t divide(block *b, const entry *e)
{
    uint32_t parts = 0;
    for (uint32_t row = 0; row < b->size[1] * b->size[2]; row++)
        while (b->pore[row]) flood(b, row, parts++, e);
    return parts;
}

/*
 * Two passes over all blocks: counting, and, with a domain, entering the chambers behind those of all blocks
 * before.
 */
static rill_status pass(const rill_geom *geom, rill_lattice lattice, const rill_domain *domain,
                        uint32_t *base, rill_network *network)
{
    const int64_t blocks = (int64_t)network->blocks[0] * network->blocks[1] * network->blocks[2];
    const size_t rows = (size_t)network->edge * network->edge;
    bool failed = false;
#pragma omp parallel
    {
        block b = {.pore = malloc(rows * sizeof *b.pore),
                   .fresh = calloc(rows, sizeof *b.fresh),
                   .open = malloc(rows * sizeof *b.open)};
        const bool ready = b.pore && b.fresh && b.open;
        b.step_count = steps_of(lattice, b.steps);
        if (!ready) {
#pragma omp atomic write
            failed = true;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t k = 0; k < blocks; k++) {
            if (!ready) continue;
            place(network, geom, (uint64_t)k, &b);
            if (!domain) {
                base[k] = divide(&b, NULL);
                continue;
            }
            const entry e = {domain, network, base[k]};
            const uint32_t parts = divide(&b, &e);
            for (uint32_t c = base[k]; c < base[k] + parts; c++) {
                network->block_of[c] = (uint32_t)k;
                for (int a = 0; a < 3; a++) network->centre[c][a] /= network->volume[c];
            }
        }
        free(b.pore);
        free(b.fresh);
        free(b.open);
    }
    return failed ? rill_fail(RILL_SYSTEM, "out of memory for the blocks of a pore network") : RILL_OK;
}

/* Lay out the blocks, and count: base [blocks] gets the chambers of all blocks before. */
static rill_status count(const rill_geom *geom, rill_lattice lattice, rill_network *network, uint32_t **base)
{
    rill_status status = RILL_OK;
    uint64_t blocks = 1, chambers = 0;
    if (network->edge < 1 || network->edge > 64)
        return rill_fail(RILL_USAGE, "blocks of %u voxels: a pore network takes edges of 1 to 64",
                         network->edge);
    for (int a = 0; a < 3; a++) {
        network->blocks[a] = (geom->n[a] + network->edge - 1) / network->edge;
        blocks *= network->blocks[a];
    }
    if (blocks > UINT32_MAX)
        return rill_fail(RILL_USAGE, "%llu blocks of %u voxels are more than 2^32: choose larger ones",
                         (unsigned long long)blocks, network->edge);
    RILL_TRY(rill_array_create(blocks, sizeof **base, "the blocks of a pore network", (void **)base));
    RILL_TRY(pass(geom, lattice, NULL, *base, network));
    for (uint64_t k = 0; k < blocks; k++) {
        const uint32_t parts = (*base)[k];
        (*base)[k] = (uint32_t)chambers;
        chambers += parts;
    }
    network->chambers = (uint32_t)chambers; /* no more than nodes, which fit */
done:
    return status;
}

rill_status rill_network_count(const rill_geom *geom, rill_lattice lattice, uint32_t edge, uint32_t *chambers)
{
    uint32_t *base = NULL;
    rill_network network = {.edge = edge};
    const rill_status status = count(geom, lattice, &network, &base);
    *chambers = network.chambers;
    rill_array_destroy(base);
    return status;
}

rill_status rill_network_find_chambers(const rill_domain *domain, rill_network *network)
{
    rill_status status = RILL_OK;
    uint32_t *base = NULL;
    RILL_TRY(count(domain->geom, domain->lattice, network, &base));
    const uint32_t chambers = network->chambers;
    RILL_TRY(rill_array_create(domain->nodes, sizeof *network->chamber_of, "a pore network",
                               (void **)&network->chamber_of));
    RILL_TRY(rill_array_create(chambers, sizeof *network->block_of, "a pore network",
                               (void **)&network->block_of));
    RILL_TRY(rill_array_create_zero(chambers, sizeof *network->volume, "a pore network",
                                    (void **)&network->volume));
    RILL_TRY(rill_array_create_zero(chambers, sizeof *network->centre, "a pore network",
                                    (void **)&network->centre));
    RILL_TRY(pass(domain->geom, domain->lattice, domain, base, network));
done:
    rill_array_destroy(base);
    return status;
}
