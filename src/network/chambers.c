/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the chambers of a domain: the parts of every block that links of the lattice connect within it. */
#include "core/memory.h"
#include "core/status.h"
#include "kernel/lattice.h"
#include "network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Blocks that a geometry is cut into, about, and the smallest and largest edges that are chosen for it. */
#define BLOCKS_WANTED 2e5
enum { EDGE_LEAST = 6, EDGE_MOST = 32 };

uint32_t rill_network_edge(const rill_geom *geom)
{
    const double edge = ceil(cbrt((double)rill_geom_voxels(geom) / BLOCKS_WANTED));
    return (uint32_t)fmin(fmax(edge, EDGE_LEAST), EDGE_MOST);
}

uint64_t rill_network_bytes(const rill_geom *geom, uint64_t nodes, uint32_t chambers)
{
    /* Three throats per chamber, and the vectors of the solver and of whoever follows its pressures. */
    const uint64_t each = 3 * (sizeof(rill_throat) + 24) + 30 * sizeof(double);
    return rill_geom_voxels(geom) + nodes * sizeof(uint32_t) + chambers * each;
}

/* A block while its chambers are looked for. */
typedef struct block {
    uint32_t first[3], size[3];
    int32_t *part;  /* [size], -1: solid or not yet found */
    uint32_t *open; /* voxels still to be looked at */
} block;

static void place(const rill_network *network, const rill_geom *geom, uint64_t number, block *b)
{
    for (int a = 0; a < 3; a++) {
        b->first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
        b->size[a] = geom->n[a] - b->first[a] < network->edge ? geom->n[a] - b->first[a] : network->edge;
        number /= network->blocks[a];
    }
}

static bool is_pore(const rill_geom *geom, const block *b, uint32_t x, uint32_t y, uint32_t z)
{
    return geom->voxels[((uint64_t)(b->first[2] + z) * geom->n[1] + b->first[1] + y) * geom->n[0] +
                        b->first[0] + x] >= RILL_FLUID;
}

/* Give all that links of the lattice connect to voxel `v` of the block its number. */
static void flood(const rill_geom *geom, rill_lattice lattice, block *b, uint32_t v, int32_t part)
{
    uint32_t open = 0;
    b->part[v] = part;
    b->open[open++] = v;
    while (open) {
        const uint32_t w = b->open[--open];
        const uint32_t at[3] = {w % b->size[0], w / b->size[0] % b->size[1], w / b->size[0] / b->size[1]};
        for (int i = 1; i < rill_q((int)lattice); i++) {
            uint32_t to[3];
            bool inside = true;
            for (int a = 0; a < 3; a++) {
                to[a] = at[a] + (uint32_t)rill_c((int)lattice, i, a); /* below 0: a large number */
                inside = inside && to[a] < b->size[a];
            }
            const uint32_t next = inside ? (to[2] * b->size[1] + to[1]) * b->size[0] + to[0] : 0;
            if (!inside || b->part[next] >= 0 || !is_pore(geom, b, to[0], to[1], to[2])) continue;
            b->part[next] = part;
            b->open[open++] = next;
        }
    }
}

/* Find the parts of a block. @return how many */
static uint32_t divide(const rill_geom *geom, rill_lattice lattice, block *b)
{
    int32_t parts = 0;
    uint32_t v = 0;
    memset(b->part, -1, (size_t)b->size[0] * b->size[1] * b->size[2] * sizeof *b->part);
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++)
            for (uint32_t x = 0; x < b->size[0]; x++, v++)
                if (b->part[v] < 0 && is_pore(geom, b, x, y, z)) flood(geom, lattice, b, v, parts++);
    return (uint32_t)parts;
}

/* Tell the nodes of a divided block their chambers, and add them to volumes and centres. */
static void enter(const rill_domain *domain, const block *b, uint32_t base, rill_network *network)
{
    uint32_t v = 0;
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++) {
            const uint32_t at[3] = {b->first[0], b->first[1] + y, b->first[2] + z};
            rill_node node = rill_numbering_rank(&domain->numbering, at[0], at[1], at[2]);
            for (uint32_t x = 0; x < b->size[0]; x++, v++) {
                if (b->part[v] < 0) continue;
                const uint32_t chamber = base + (uint32_t)b->part[v];
                network->chamber_of[node++] = chamber;
                network->volume[chamber] += 1;
                for (int a = 0; a < 3; a++) network->centre[chamber][a] += at[a] + (a == 0 ? x : 0) + 0.5;
            }
        }
}

/*
 * Two passes over all blocks: counting, and, with a domain, entering the chambers behind those of all blocks
 * before.
 */
static rill_status pass(const rill_geom *geom, rill_lattice lattice, const rill_domain *domain,
                        uint32_t *base, rill_network *network)
{
    const int64_t blocks = (int64_t)network->blocks[0] * network->blocks[1] * network->blocks[2];
    const size_t voxels = (size_t)network->edge * network->edge * network->edge;
    bool failed = false;
#pragma omp parallel
    {
        block b = {.part = malloc(voxels * sizeof *b.part), .open = malloc(voxels * sizeof *b.open)};
        const bool ready = b.part && b.open;
        if (!ready) {
#pragma omp atomic write
            failed = true;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t k = 0; k < blocks; k++) {
            if (!ready) continue;
            place(network, geom, (uint64_t)k, &b);
            const uint32_t parts = divide(geom, lattice, &b);
            if (!domain) {
                base[k] = parts;
                continue;
            }
            enter(domain, &b, base[k], network);
            for (uint32_t c = base[k]; c < base[k] + parts; c++) {
                network->block_of[c] = (uint32_t)k;
                for (int a = 0; a < 3; a++) network->centre[c][a] /= network->volume[c];
            }
        }
        free(b.part);
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
