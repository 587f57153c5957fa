/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the chambers of a domain: the parts of every block that links of the lattice connect within it. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"
#include "kernel/lattice.h"
#include "network/network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * So many blocks full of pores a geometry is cut into at most, about. Larger blocks hide throats: one inside
 * a chamber is not seen, and may conduct a hundredth of what the faces of the chamber would.
 */
#define BLOCKS_WANTED 1.5e5
/* Blocks are no smaller than this part of the widest pores, or EDGE_FINE, unless the box has no more than so
 * many. */
#define EDGE_OF_WIDEST 0.125
#define BLOCKS_FEW 2e4
/* The largest edge. Within a chamber time steps alone even pressures out, in a cycle that is as long as
 * momentum needs in the widest pores: larger blocks than these openings allow make corrections lead nowhere
 * (docs/method.md). */
#define EDGE_OF_OPENING 0.4
enum { EDGE_FINEST = 2, EDGE_FINE = 3, EDGE_LEAST = 6, EDGE_MOST = 32 };
/* Pores scattered over chambers of fewer nodes than this are no network, and would take much memory; a few
 * are no matter. */
enum { CHAMBER_NODES = 8, CHAMBERS_FEW = 50000 };

bool rill_network_serves(uint64_t nodes, uint32_t chambers)
{
    return chambers < CHAMBERS_FEW || chambers < nodes / CHAMBER_NODES;
}

uint32_t rill_network_edge(const rill_geom *geom, double opening, double porosity)
{
    const double voxels = (double)rill_geom_voxels(geom);
    const double least = fmax(round(EDGE_OF_WIDEST * opening), EDGE_FINE);
    const double fine = fmin(fmax(ceil(cbrt(voxels / BLOCKS_FEW)), EDGE_FINEST), least);
    const double most = fmin(fmax(round(EDGE_OF_OPENING * opening), EDGE_LEAST), EDGE_MOST);
    return (uint32_t)fmin(fmax(ceil(cbrt(porosity * voxels / BLOCKS_WANTED)), fine), most);
}

static uint64_t blocks_of(const rill_network *network)
{
    return (uint64_t)network->blocks[0] * network->blocks[1] * network->blocks[2];
}

/* Return the voxels whose distances from walls, and chambers of nodes, are held: all, or those of planes that
 * are seen, with those whose walls may be near. */
static uint64_t seen(const rill_geom *geom)
{
    const uint64_t planes = rill_window_planes(geom) + 3 * EDGE_MOST;
    return geom->planes && planes < geom->n[2] ? planes * geom->n[0] * geom->n[1] : rill_geom_voxels(geom);
}

/* So many windows of planes are copied as bits, which is 128 MB, 1024^3 voxels: as much as the network takes.
 */
enum { COPY_WINDOWS = 128 };

bool rill_network_copies(const rill_geom *geom)
{
    return geom->planes && geom->n[2] <= COPY_WINDOWS * (uint64_t)rill_window_planes(geom);
}

uint64_t rill_network_distance_bytes(const rill_geom *geom) { return seen(geom) * (geom->planes ? 2 : 1); }

uint64_t rill_network_copy_bytes(const rill_geom *geom)
{
    return rill_network_copies(geom) ? rill_planes_bytes(geom->n, geom->n[2]) : 0;
}

uint64_t rill_network_label_bytes(const rill_geom *geom, uint64_t nodes)
{
    /* Where a copy is made, nodes are shown while throats are found. */
    const double parts = rill_network_copies(geom) ? 2 : 1;
    const double share = parts * (double)seen(geom) / (double)rill_geom_voxels(geom);
    return (uint64_t)((double)nodes * sizeof(uint32_t) * share);
}

uint64_t rill_network_chamber_bytes(const rill_network *network, uint64_t nodes)
{
    const uint64_t each = sizeof *network->block_of + sizeof *network->volume + sizeof *network->centre;
    return nodes * sizeof(uint32_t) + blocks_of(network) * sizeof *network->base + network->chambers * each;
}

uint64_t rill_network_found_bytes(uint64_t chambers)
{
    /* Of a chamber: its block, volume and centre, and three throats, in the lists of threads and in that of
     * all (measured: 126 to 133 bytes). */
    return chambers * (40 + 2 * 3 * sizeof(rill_throat));
}

uint64_t rill_network_bytes(uint64_t chambers)
{
    /* Of a chamber: 1.7 throats, what the solver makes of them and of those of coarser levels, its vectors.
     */
    return chambers * 230;
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

/* A block while its chambers are looked for. Its rows along x are the bits of words; around them lie rows
 * without pores. Row y of plane z is row (z + 1) stride + y + 1. */
typedef struct block {
    uint32_t first[3], size[3], stride;
    uint64_t *pore;      /* not yet in any chamber */
    uint64_t *fresh;     /* reached from other rows, but not yet looked at */
    uint64_t *whole;     /* all pores of the rows */
    uint32_t **chambers; /* of the first node of each row, where they are entered */
    uint32_t *open;      /* rows with fresh voxels, each once */
    bool all, none;      /* of the voxels are pores */
    step steps[8];
    int step_count;
    int32_t offset[8]; /* of the rows that steps lead to */
} block;

/* What is found of a chamber: its nodes, and the sums of their coordinates. */
typedef struct tally {
    double volume, centre[3];
} tally;

/* Where the chambers of a block are entered: those behind `base`. */
typedef struct entry {
    const rill_network_part *part;
    rill_network *network; /* whose volumes and centres they are added to; NULL: none */
    uint32_t base;
} entry;

static uint32_t row_at(const block *b, uint32_t y, uint32_t z) { return (z + 1) * b->stride + y + 1; }

/* Return which of `width` voxels, 64 at most, are pores. @param room  voxels of the row from here on */
static uint64_t pores_of(const uint8_t *voxels, uint32_t width, uint32_t room)
{
    const uint32_t whole = (width + 7) / 8 * 8; /* of whole bytes: quicker */
    return rill_voxels_word(voxels, whole <= room ? whole : width) & ~(uint64_t)0 >> (64 - width);
}

static void place(const rill_network *network, const rill_window *window, uint64_t number, block *b)
{
    const rill_geom *geom = window->geom;
    uint64_t any = 0, lacking = 0;
    for (int a = 0; a < 3; a++) {
        b->first[a] = (uint32_t)(number % network->blocks[a]) * network->edge;
        b->size[a] = geom->n[a] - b->first[a] < network->edge ? geom->n[a] - b->first[a] : network->edge;
        number /= network->blocks[a];
    }
    const uint64_t mask = ~(uint64_t)0 >> (64 - b->size[0]);
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++) {
            const uint8_t *row = rill_window_row(window, b->first[1] + y, b->first[2] + z) + b->first[0];
            const uint64_t bits = pores_of(row, b->size[0], geom->n[0] - b->first[0]);
            b->pore[row_at(b, y, z)] = b->whole[row_at(b, y, z)] = bits;
            any |= bits;
            lacking |= ~bits & mask;
        }
    b->none = !any;
    b->all = !lacking;
    for (int k = 0; k < b->step_count; k++) b->offset[k] = b->steps[k].z * (int32_t)b->stride + b->steps[k].y;
}

/* Find the chambers of the rows' nodes. */
static void rows_find(const rill_network_part *part, block *b)
{
    const rill_numbering *numbering = &part->layers.numbering;
    const uint32_t x = b->first[0];
    const uint64_t before = ((uint64_t)1 << x % 64) - 1;
    for (uint32_t z = 0; z < b->size[2]; z++) {
        const uint32_t k = rill_layers_plane(&part->layers, b->first[2] + z);
        uint32_t *const plane = part->chamber_of + part->before[k];
        const size_t begin = (size_t)k * numbering->n[1] * numbering->row_words;
        const rill_node first = numbering->base[begin];
        size_t word = begin + b->first[1] * numbering->row_words + x / 64;
        for (uint32_t y = 0; y < b->size[1]; y++, word += numbering->row_words) {
            const uint64_t below = numbering->occupied[word] & before;
            b->chambers[row_at(b, y, z)] =
                plane + (numbering->base[word] - first) + (below ? __builtin_popcountll(below) : 0);
        }
    }
}

/* Assign nodes of a row their chamber, and add them to its volume and centre. */
static void enter(const block *b, uint32_t row, uint64_t bits, uint32_t chamber, tally *to)
{
    const uint32_t plane = row / b->stride;
    const uint32_t y = b->first[1] + (row - plane * b->stride) - 1, z = b->first[2] + plane - 1;
    double nodes = 0;
    while (bits) { /* run by run */
        const uint32_t low = (uint32_t)__builtin_ctzll(bits), x = b->first[0] + low;
        const uint64_t rest = ~(bits >> low), before = b->whole[row] & (((uint64_t)1 << low) - 1);
        const uint32_t length = rest ? (uint32_t)__builtin_ctzll(rest) : 64;
        uint32_t *of = b->chambers[row] + (before ? __builtin_popcountll(before) : 0);
        for (uint32_t n = 0; n < length; n++) of[n] = chamber;
        to->centre[0] += length * (x + 0.5 * length);
        nodes += length;
        bits &= length < 64 ? ~((((uint64_t)1 << length) - 1) << low) : 0;
    }
    to->volume += nodes;
    to->centre[1] += nodes * (y + 0.5);
    to->centre[2] += nodes * (z + 0.5);
}

/* Let voxels of a row reach those of others. @return the rows that are open then */
static uint32_t reach(block *b, uint32_t row, uint64_t bits, uint32_t open)
{
    for (int k = 0; k < b->step_count; k++) {
        const step *s = &b->steps[k];
        const uint32_t to = row + (uint32_t)b->offset[k];
        const uint64_t pore = b->pore[to];
        if (!pore) continue;
        const uint64_t moved =
            (s->along[0] ? bits >> 1 : 0) | (s->along[1] ? bits : 0) | (s->along[2] ? bits << 1 : 0);
        const uint64_t met = moved & pore;
        if (!met) continue;
        if (!b->fresh[to]) b->open[open++] = to;
        b->fresh[to] |= met;
    }
    return open;
}

/* Take out all that links of the lattice connect to the first pore voxel of a row. @param to  NULL: nothing
 * is entered */
static void flood(block *b, uint32_t seed, uint32_t chamber, tally *to)
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
        if (to) enter(b, row, bits, chamber, to);
        open = reach(b, row, bits, open);
    }
}

/* All of a block is one chamber. */
static void take_all(block *b, uint32_t chamber, tally *to)
{
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++) {
            const uint32_t row = row_at(b, y, z);
            if (to) enter(b, row, b->pore[row], chamber, to);
            b->pore[row] = 0;
        }
}

static void tally_take(rill_network *network, uint32_t chamber, const tally *found)
{
    network->volume[chamber] = found->volume;
    for (int a = 0; a < 3; a++) network->centre[chamber][a] = found->centre[a] / found->volume;
}

/* Find the chambers of a block that was placed, and enter them where there is something to enter. */
static uint32_t divide(block *b, const entry *e)
{
    uint32_t parts = 0;
    if (b->none) return 0;
    if (e) rows_find(e->part, b);
    for (uint32_t z = 0; z < b->size[2]; z++)
        for (uint32_t y = 0; y < b->size[1]; y++)
            while (b->pore[row_at(b, y, z)]) {
                tally found = {.volume = 0};
                const uint32_t chamber = e ? e->base + parts : 0;
                if (b->all)
                    take_all(b, chamber, e ? &found : NULL);
                else
                    flood(b, row_at(b, y, z), chamber, e ? &found : NULL);
                if (e && e->network) tally_take(e->network, chamber, &found);
                parts++;
            }
    return parts;
}

rill_status rill_network_check(const rill_network *network)
{
    return network->abandoned ? rill_fail(RILL_CANCELLED, "the pore network is not needed any more")
                              : RILL_OK;
}

/* What is done with the blocks of some layers: they are counted, or their chambers entered. */
typedef struct task {
    rill_lattice lattice;
    const rill_network
        *network;     /* of which edge and blocks are known, and `base` where chambers are entered */
    uint32_t *counts; /* [blocks], NULL: they are entered */
    const rill_network_part *part;
    rill_network *sums; /* see entry; then block_of, too */
} task;

static void block_do(const task *t, uint64_t k, block *b)
{
    if (t->counts) {
        t->counts[k] = divide(b, NULL);
        return;
    }
    const uint32_t base = t->network->base[k];
    const uint32_t chambers = divide(b, &(entry){t->part, t->sums, base});
    for (uint32_t c = base; t->sums && c < base + chambers; c++) t->sums->block_of[c] = (uint32_t)k;
}

/* Do it with the blocks of layers first … first + count - 1, which exist. */
static rill_status layers_do(const task *t, rill_window *window, uint32_t first, uint32_t count)
{
    const rill_network *network = t->network;
    const int64_t layer = (int64_t)network->blocks[0] * network->blocks[1];
    const uint32_t stride = network->edge + 2;
    const size_t rows = (size_t)stride * stride;
    const uint32_t z = first * network->edge, nz = window->geom->n[2];
    bool failed = false;
    const rill_status status =
        rill_window_see(window, z, nz - z < count * network->edge ? nz - z : count * network->edge);
    if (status != RILL_OK) return status;
#pragma omp parallel
    {
        block b = {.stride = stride,
                   .pore = calloc(rows, sizeof *b.pore),
                   .fresh = calloc(rows, sizeof *b.fresh),
                   .whole = malloc(rows * sizeof *b.whole),
                   .chambers = malloc(rows * sizeof *b.chambers),
                   .open = malloc(rows * sizeof *b.open)};
        const bool ready = b.pore && b.fresh && b.whole && b.chambers && b.open;
        b.step_count = steps_of(t->lattice, b.steps);
        if (!ready) {
#pragma omp atomic write
            failed = true;
        }
#pragma omp for schedule(dynamic, 64)
        for (int64_t k = layer * first; k < layer * (first + count); k++) {
            if (!ready || network->abandoned) continue;
            place(network, window, (uint64_t)k, &b);
            block_do(t, (uint64_t)k, &b);
        }
        free(b.pore);
        free(b.fresh);
        free(b.whole);
        free(b.chambers);
        free(b.open);
    }
    return failed ? rill_fail(RILL_SYSTEM, "out of memory for the blocks of a pore network")
                  : rill_network_check(network);
}

/* Return how many layers of blocks a window shows. */
static uint32_t layers_seen(const rill_geom *geom, const rill_network *network)
{
    const uint32_t planes = rill_window_planes(geom), layers = planes / network->edge;
    return planes == geom->n[2] ? network->blocks[2] : layers ? layers : 1;
}

rill_status rill_network_count(const rill_geom *geom, rill_lattice lattice, rill_network *network)
{
    rill_status status = RILL_OK;
    uint64_t blocks, chambers = 0;
    rill_window window = {.geom = geom};
    if (network->edge < 1 || network->edge > 64)
        return rill_fail(RILL_USAGE, "blocks of %u voxels: a pore network takes edges of 1 to 64",
                         network->edge);
    for (int a = 0; a < 3; a++) network->blocks[a] = (geom->n[a] + network->edge - 1) / network->edge;
    blocks = blocks_of(network);
    if (blocks > UINT32_MAX)
        return rill_fail(RILL_USAGE, "%llu blocks of %u voxels are more than 2^32: choose larger ones",
                         (unsigned long long)blocks, network->edge);
    rill_array_destroy(network->base);
    network->base = NULL;
    RILL_TRY(rill_array_create(blocks, sizeof *network->base, "the blocks of a pore network",
                               (void **)&network->base));
    const task counting = {.lattice = lattice, .network = network, .counts = network->base};
    for (uint32_t k = 0, some, most = layers_seen(geom, network); k < network->blocks[2]; k += some) {
        some = network->blocks[2] - k < most ? network->blocks[2] - k : most;
        RILL_TRY(layers_do(&counting, &window, k, some));
    }
    for (uint64_t k = 0; k < blocks; k++) {
        const uint32_t chambers_here = network->base[k];
        network->base[k] = (uint32_t)chambers;
        chambers += chambers_here;
    }
    if (chambers > UINT32_MAX)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "%llu chambers of a pore network are more than %u: choose --acceleration none",
                           (unsigned long long)chambers, UINT32_MAX));
    network->chambers = (uint32_t)chambers;
done:
    rill_window_close(&window);
    return status;
}

rill_status rill_network_counted(const rill_network *from, rill_network *network)
{
    const uint64_t blocks = blocks_of(from);
    const rill_status status = rill_array_create(blocks, sizeof *network->base,
                                                 "the blocks of a pore network", (void **)&network->base);
    if (status != RILL_OK) return status;
    network->edge = from->edge;
    network->chambers = from->chambers;
    memcpy(network->blocks, from->blocks, sizeof network->blocks);
    memcpy(network->base, from->base, blocks * sizeof *network->base);
    return RILL_OK;
}

rill_status rill_network_choose(const rill_geom *geom, rill_lattice lattice, double opening, uint64_t nodes,
                                rill_network *network)
{
    rill_status status = RILL_OK;
    network->edge = rill_network_edge(geom, opening, (double)nodes / (double)rill_geom_voxels(geom));
    RILL_TRY(rill_network_count(geom, lattice, network));
    if (network->edge < EDGE_LEAST && !rill_network_serves(nodes, network->chambers)) { /* scattered pores */
        network->edge = EDGE_LEAST;
        RILL_TRY(rill_network_count(geom, lattice, network));
    }
done:
    return status;
}

uint32_t rill_network_layers(const rill_domain *domain, const rill_network *network)
{
    return domain->numbering.occupied ? network->blocks[2] : layers_seen(domain->geom, network);
}

/* Make room for the chambers of the nodes of planes that are taken. */
static rill_status room_make(const rill_domain *domain, rill_network_part *part)
{
    rill_status status = RILL_OK;
    const uint32_t planes = part->layers.numbering.n[2];
    const uint64_t *before = domain->numbering.before;
    rill_array_destroy(part->before);
    rill_array_destroy(part->chamber_of);
    part->before = NULL, part->chamber_of = NULL;
    RILL_TRY(rill_array_create((uint64_t)planes + 1, sizeof *part->before, "a pore network",
                               (void **)&part->before));
    part->before[0] = 0;
    for (uint32_t k = 0; k < planes; k++) {
        const uint32_t z = (part->layers.first + k) % part->layers.box;
        part->before[k + 1] = part->before[k] + before[z + 1] - before[z];
    }
    RILL_TRY(rill_array_create(part->before[planes] + 1, sizeof *part->chamber_of, "a pore network",
                               (void **)&part->chamber_of));
done:
    return status;
}

/* Take layers, which may go round the box. @param sums  see task */
static rill_status layers_read(const rill_domain *domain, const rill_network *network, int64_t first,
                               uint32_t count, rill_network *sums, rill_network_part *part)
{
    rill_status status = RILL_OK;
    const uint32_t layers = network->blocks[2], edge = network->edge, box = domain->numbering.n[2];
    rill_window window = {.geom = domain->geom};
    const task entering = {.lattice = domain->lattice, .network = network, .part = part, .sums = sums};
    if (part->whole) return RILL_OK;
    part->whole = count >= layers;
    if (part->whole) first = 0, count = layers;
    first = (first % layers + layers) % layers;
    const uint64_t last = ((uint64_t)first + count - 1) % layers;
    const uint64_t end = last + 1 == layers ? box : (last + 1) * edge, begin = (uint64_t)first * edge;
    RILL_TRY(rill_layers_take(domain, (int64_t)begin,
                              (uint32_t)(part->whole   ? box
                                         : end > begin ? end - begin
                                                       : end + box - begin),
                              &part->layers));
    RILL_TRY(room_make(domain, part));
    for (uint32_t done_layers = 0, some, most = layers_seen(domain->geom, network); done_layers < count;
         done_layers += some) {
        const uint32_t from = (uint32_t)((first + done_layers) % layers), left = count - done_layers;
        some = left < most ? left : most;
        if (some > layers - from) some = layers - from;
        RILL_TRY(layers_do(&entering, &window, from, some));
    }
done:
    rill_window_close(&window);
    if (status != RILL_OK) part->whole = false;
    return status;
}

rill_status rill_network_take(const rill_domain *domain, const rill_network *network, int64_t first,
                              uint32_t count, rill_network_part *part)
{
    return layers_read(domain, network, first, count, NULL, part);
}

void rill_network_part_free(rill_network_part *part)
{
    rill_layers_free(&part->layers);
    rill_array_destroy(part->before);
    rill_array_destroy(part->chamber_of);
    *part = (rill_network_part){.before = NULL};
}

/* Call `see`, where there is one, with the chambers of the nodes that were taken. */
static rill_status show(const rill_network *network, const rill_network_part *part, rill_network_see *see,
                        void *context)
{
    const uint64_t nodes = part->before[part->layers.numbering.n[2]];
    if (!see || nodes == 0) return RILL_OK;
    return see(context, network, rill_layers_rank(&part->layers, 0, 0, part->layers.first), nodes,
               part->chamber_of);
}

rill_status rill_network_see_nodes(const rill_domain *domain, const rill_network *network,
                                   rill_network_see *see, void *context)
{
    rill_status status = RILL_OK;
    rill_network_part part = {.before = NULL};
    const uint32_t layers = network->blocks[2], most = rill_network_layers(domain, network);
    for (uint32_t k = 0, some; k < layers; k += some) {
        some = layers - k < most ? layers - k : most;
        RILL_TRY(layers_read(domain, network, k, some, NULL, &part));
        RILL_TRY(show(network, &part, see, context));
    }
done:
    rill_network_part_free(&part);
    return status;
}

rill_status rill_network_find_chambers(const rill_domain *domain, rill_network_see *see, void *context,
                                       rill_network *network, rill_network_part *part)
{
    rill_status status = RILL_OK;
    rill_permit_wait(network->permit);
    if (network->block_of && part->whole) {
        RILL_TRY(show(network, part, see, context));
        goto done;
    }
    if (!network->base) RILL_TRY(rill_network_count(domain->geom, domain->lattice, network));
    const uint32_t chambers = network->chambers, layers = network->blocks[2],
                   most = rill_network_layers(domain, network);
    RILL_TRY(rill_array_create(chambers, sizeof *network->block_of, "a pore network",
                               (void **)&network->block_of));
    RILL_TRY(rill_array_create_zero(chambers, sizeof *network->volume, "a pore network",
                                    (void **)&network->volume));
    RILL_TRY(rill_array_create_zero(chambers, sizeof *network->centre, "a pore network",
                                    (void **)&network->centre));
    for (uint32_t k = 0, some; k < layers; k += some) {
        some = layers - k < most ? layers - k : most;
        RILL_TRY(layers_read(domain, network, k, some, network, part));
        RILL_TRY(show(network, part, see, context));
    }
done:
    if (status != RILL_OK) rill_permit_give(network->next); /* its throats will not be found */
    return status;
}
