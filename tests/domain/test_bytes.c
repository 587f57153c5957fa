/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes that variants claim: against the formulas of the literature, and against what is laid out for a
 * real domain.
 */
#include "domain/links.h"
#include "domain/numbering.h"
#include "kernel/storage/address.h"
#include "sim/sim.h"
#include "kernel/variant.h"

#include <criterion/criterion.h>
#include <math.h>

static rill_variant plan(rill_lattice lattice, rill_stream stream, rill_addressing addressing,
                         rill_storage storage)
{
    return (rill_variant){.lattice = lattice,
                          .collision = RILL_TRT,
                          .stream = stream,
                          .addressing = addressing,
                          .storage = storage};
}

/*
 * Lehmann (2022), doi:10.3390/computation10060092, table 1, populations and flags, dense box. That table
 * counts the flags of all q neighbours for pull, push and AA; here one flag says that no wall is near, so a
 * node reads one, as it counts for the Esoteric schemes.
 */
Test(bytes, dense_as_in_lehmann)
{
    const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q27, RILL_D3Q15, RILL_D2Q9};
    for (size_t l = 0; l < 4; l++)
        for (int bits = 16; bits <= 32; bits += 16) {
            const double q = rill_lattice_q(lattices[l]), size = bits / 8;
            const rill_storage storage = bits == 16 ? RILL_FP16S : RILL_FP32;
            for (int stream = 0; stream < RILL_MACROSCOPIC; stream++) { /* which goes without dense */
                const rill_bytes b =
                    rill_variant_bytes(plan(lattices[l], (rill_stream)stream, RILL_DENSE, storage), 1);
                const double arrays = rill_stream_two_arrays(stream) ? 2 : 1;
                cr_expect_float_eq(b.populations + b.index, arrays * size * q + 1, 1e-9);
                cr_expect_float_eq(b.moved, 2 * size * q + 1, 1e-9);
            }
        }
}

/* Four numbers in two arrays, of which an update reads and writes one; a bitmap adds 4 B a node, 4 B for 32
 * of them, and 8 B for 30 cells. */
Test(bytes, macroscopic)
{
    for (int lattice = RILL_D3Q19; lattice <= RILL_D2Q9; lattice++)
        for (int size = 4; size <= 8; size += 4) {
            const double rows = lattice == RILL_D2Q9 ? 3 : 4, index = 4 + 4 / 32.0 + 8 / (30 * 0.5);
            const rill_bytes b = rill_variant_bytes(
                plan((rill_lattice)lattice, RILL_MACROSCOPIC, RILL_BITMAP, size == 4 ? RILL_FP32 : RILL_FP64),
                0.5);
            cr_expect_float_eq(b.populations, 2 * rows * size, 1e-9);
            cr_expect_float_eq(b.index, index, 1e-9);
            cr_expect_float_eq(b.moved, 2 * rows * size + index, 1e-9);
        }
}

/* Suffa et al., doi:10.1177/10943420261434639 (arXiv:2408.06880): lists of q - 1 indices of 4 bytes. */
Test(bytes, lists_as_in_suffa)
{
    for (int storage = RILL_FP32; storage <= RILL_FP64; storage++)
        for (int lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++) {
            const double q = rill_lattice_q((rill_lattice)lattice), size = storage == RILL_FP64 ? 8 : 4;
            const rill_bytes pull = rill_variant_bytes(
                plan((rill_lattice)lattice, RILL_PULL, RILL_LIST, (rill_storage)storage), 0.3);
            const rill_bytes aa = rill_variant_bytes(
                plan((rill_lattice)lattice, RILL_AA, RILL_LIST, (rill_storage)storage), 0.3);
            cr_expect_float_eq(pull.moved, 2 * q * size + 4 * (q - 1), 1e-9);
            cr_expect_float_eq(aa.moved, 2 * q * size + 2 * (q - 1), 1e-9);
            cr_expect_float_eq(pull.populations + pull.index, 2 * q * size + 4 * (q - 1), 1e-9);
            cr_expect_float_eq(aa.populations + aa.index, q * size + 4 * (q - 1), 1e-9);
        }
}

/* What `rill variants` shows beside its own bytes: all of them that the literature has, and nothing else. */
Test(bytes, published_formulas)
{
    int listed = 0;
    for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
        for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
            const rill_variant v =
                plan(RILL_D3Q19, (rill_stream)stream, (rill_addressing)addressing, RILL_FP32);
            if (rill_variant_check(v) != RILL_OK) continue;
            const rill_published_bytes published = rill_variant_published(v);
            if (!published.source) continue;
            const rill_bytes own = rill_variant_bytes(v, 1);
            const bool neighbours = addressing == RILL_DENSE && !rill_stream_esoteric(stream);
            cr_expect_float_eq(published.stored, own.populations + own.index, 1e-9, "%d %d", stream,
                               addressing);
            cr_expect_float_eq(published.moved, own.moved + (neighbours ? 18 : 0), 1e-9, "%d %d", stream,
                               addressing);
            listed++;
        }
    cr_assert_eq(listed, 8);
}

/* What is claimed is what a domain of 120 x 110 x 96 voxels takes, ghosts, halo and padding allowed for. */
Test(bytes, claimed_is_laid_out)
{
    const uint32_t n[3] = {120, 110, 96};
    rill_geom *geom = NULL;
    rill_numbering numbering = {.occupied = NULL};
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    unsigned seed = 9;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < 6;
    }
    cr_assert_eq(rill_numbering_create(geom, &numbering), RILL_OK);
    const double nodes = (double)numbering.nodes, fluid = nodes / (double)rill_geom_voxels(geom);
    int compared = 0;
    for (int lattice = 0; lattice < RILL_D2Q9; lattice++)
        for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
            for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++)
                for (int bounce = 0; bounce < RILL_BOUNCE_COUNT; bounce++) {
                    rill_variant v = plan((rill_lattice)lattice, (rill_stream)stream,
                                          (rill_addressing)addressing, RILL_FP32);
                    rill_links_size size;
                    v.bounce = (rill_bounce)bounce;
                    if (rill_variant_check(v) != RILL_OK) continue;
                    cr_assert_eq(rill_links_measure(&(rill_domain){.numbering = numbering}, v, &size),
                                 RILL_OK);
                    const rill_bytes claimed = rill_variant_bytes(v, fluid);
                    const double row = 4.0 * rill_lattice_q(v.lattice);
                    const bool dense = addressing == RILL_DENSE, chase = addressing == RILL_CHASE;
                    const double slots =
                        (double)size.stride - (stream == RILL_RING ? (double)(size.ghosts + size.shift)
                                               : dense || stream == RILL_AA ? 0
                                                                            : (double)size.ghosts);
                    cr_expect_float_eq(
                        row * slots * (rill_stream_two_arrays(stream) ? 2 : 1) / nodes / claimed.populations,
                        1, 1e-3, "populations of %d %d %d %d", lattice, stream, addressing, bounce);
                    /* rows of lists and bitmaps are padded, bitmaps have a halo of a row, chased ghosts links
                     */
                    const double list =
                        rill_list_rows(lattice, stream, addressing) * 4.0 * (double)size.ghosts;
                    const double halo = addressing == RILL_BITMAP ? 112.0 / 110 * 98 / 96 : 1;
                    const double index = ((double)size.bytes - (chase ? list : 0)) / nodes;
                    cr_expect(index <= claimed.index * halo * 1.001 && index >= claimed.index * 0.999,
                              "index of %d %d %d %d: %g, claimed %g", lattice, stream, addressing, bounce,
                              index, claimed.index);
                    compared++;
                }
    cr_assert_gt(compared, 90, "only %d were compared", compared);
    rill_numbering_destroy(&numbering);
    rill_geom_destroy(geom);
}
