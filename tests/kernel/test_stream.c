/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pure streaming: every scheme, addressing and bounce-back moves numbered populations to the same places as a
 * walk over the voxels does. Slots and links are those of the kernels; no kernel takes part.
 */
#include "backends.h"
#include "domain/links.h"
#include "domain/numbering.h"
#include "kernel/storage/address.h"
#include "kernel/storage/counters.h"
#include "kernel/variant.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { steps = 5 };

static rill_geom *noise(const uint32_t n[3], const rill_side sides[3], unsigned seed, int solid_of_ten)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = sides[a];
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < (unsigned)solid_of_ten ? RILL_SOLID : RILL_FLUID;
    }
    geom->voxels[rill_geom_voxels(geom) / 2] = RILL_FLUID;
    return geom;
}

/* Populations by voxel: out[voxel][i] leaves the voxel along i; voxels of the geometry, not of the box. */
typedef struct walk {
    const rill_geom *geom;
    rill_variant v;
    double (*in)[RILL_Q_MAX], (*rested)[RILL_Q_MAX];
} walk;

/* Return the voxel n - c_i, or -1 where that is solid. */
static int64_t upstream_of(const walk *w, uint32_t x, uint32_t y, uint32_t z, int i)
{
    const uint32_t at[3] = {x, y, z};
    int64_t to[3];
    for (int a = 0; a < 3; a++) {
        const int64_t n = w->geom->n[a];
        to[a] = (int64_t)at[a] - rill_c(w->v.lattice, i, a);
        if ((to[a] < 0 || to[a] >= n) && w->geom->sides[a] != RILL_PERIODIC) return -1;
        to[a] = (to[a] + n) % n;
    }
    const int64_t voxel = to[0] + w->geom->n[0] * (to[1] + w->geom->n[1] * to[2]);
    return w->geom->voxels[voxel] >= RILL_FLUID ? voxel : -1;
}

static void walk_step(walk *w)
{
    const uint32_t *n = w->geom->n;
    double(*next)[RILL_Q_MAX] = calloc(rill_geom_voxels(w->geom), sizeof *next);
    double(*rests)[RILL_Q_MAX] = calloc(rill_geom_voxels(w->geom), sizeof *rests);
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                const size_t voxel = x + (size_t)n[0] * (y + (size_t)n[1] * z);
                for (int i = 0; i < rill_q(w->v.lattice); i++) {
                    const int64_t up = i ? upstream_of(w, x, y, z, i) : (int64_t)voxel;
                    const double back = w->in[voxel][rill_opposite(i)];
                    if (up >= 0)
                        next[voxel][i] = w->in[up][i];
                    else if (w->v.bounce == RILL_HALF_WAY)
                        next[voxel][i] = back;
                    else
                        next[voxel][i] = w->rested[voxel][i], rests[voxel][i] = back;
                }
            }
    free(w->in);
    free(w->rested);
    w->in = next;
    w->rested = rests;
}

/* One step of the scheme: incoming populations in, the same out along their velocities. */
static void scheme_step(rill_variant v, rill_arrays from, rill_arrays to, const rill_links_size *size,
                        int parity)
{
    for (uint64_t first = 0; first < size->nodes; first += size->chunk) {
        /* nodes of a chunk in descending order: order must not matter */
        const uint64_t end = first + size->chunk < size->nodes ? first + size->chunk : size->nodes;
        for (uint64_t n = end; n-- > first;) {
            const rill_place place = rill_place_of(v.stream, v.addressing, &from, (rill_node)n);
            if (!place.fluid) continue;
            double f[RILL_Q_MAX];
            for (int i = 0; i < rill_q(v.lattice); i++)
                f[i] = ((double *)from.populations)[rill_incoming(v.lattice, v.stream, v.addressing, v.bounce,
                                                                  parity, &from, (rill_node)n, i)];
            for (int i = 0; i < rill_q(v.lattice); i++)
                ((double *)to.populations)[rill_outgoing(v.lattice, v.stream, v.addressing, v.bounce, parity,
                                                         &to, (rill_node)n, i)] = f[rill_opposite(i)];
        }
    }
}

static void wrap(rill_variant v, const rill_arrays *arrays)
{
    double *p = arrays->populations;
    for (int i = 0; i < rill_q(v.lattice) && v.stream == RILL_RING; i++)
        for (rill_node k = 0; k < arrays->ghosts; k++)
            p[rill_slot_offset(v.lattice, v.stream, arrays,
                               (rill_slot){(uint32_t)i, arrays->first_ghost + k})] =
                p[rill_slot_offset(v.lattice, v.stream, arrays, (rill_slot){(uint32_t)i, k})];
}

/* Return the number of populations that are not where the walk says. */
static uint64_t compare(const rill_geom *geom, rill_variant v)
{
    rill_numbering numbering = {.occupied = NULL};
    rill_links *links = NULL;
    rill_device *device = NULL;
    ASSERT_OK(rill_numbering_create(geom, &numbering));
    ASSERT_OK(rill_links_create(&numbering, v, &links));
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    ASSERT_OK(rill_links_build(links, device));
    const int q = rill_q(v.lattice);
    const rill_node fluid = (rill_node)numbering.nodes;
    rill_node *cells = calloc(fluid, sizeof *cells), *numbers = calloc(fluid, sizeof *numbers);
    rill_numbering_cells(&numbering, 0, fluid, cells);
    rill_arrays from = links->arrays, to = from;
    const size_t values = (size_t)q * from.stride;
    from.populations = calloc(values, sizeof(double));
    to.populations = rill_stream_two_arrays(v.stream) ? calloc(values, sizeof(double)) : from.populations;
    walk w = {geom, v, calloc(rill_geom_voxels(geom), sizeof *w.in),
              calloc(rill_geom_voxels(geom), sizeof *w.in)};

    double tag = 1;
    for (rill_node k = 0; k < fluid; k++) {
        const uint32_t x = cells[k] % numbering.n[0], yz = cells[k] / numbering.n[0];
        const size_t voxel =
            x + (size_t)geom->n[0] * (yz % numbering.n[1] + (size_t)geom->n[1] * (yz / numbering.n[1]));
        numbers[k] = v.addressing == RILL_DENSE ? cells[k] : k;
        cells[k] = (rill_node)voxel;
        for (int i = 0; i < q; i++, tag++) {
            w.in[voxel][i] = tag;
            ((double *)from.populations)[rill_incoming(v.lattice, v.stream, v.addressing, v.bounce, 0, &from,
                                                       numbers[k], i)] = tag;
        }
    }
    for (int step = 0; step < steps; step++) {
        to.ring = (from.ring + from.stride - links->size.shift) % from.stride;
        scheme_step(v, from, to, &links->size, rill_stream_parities(v.stream) == 2 ? step & 1 : 0);
        const rill_arrays swapped = to;
        to = from;
        from = swapped;
        wrap(v, &from);
        walk_step(&w);
    }
    uint64_t wrong = 0;
    const int parity = rill_stream_parities(v.stream) == 2 ? steps & 1 : 0;
    for (rill_node k = 0; k < fluid; k++)
        for (int i = 0; i < q; i++)
            wrong += ((double *)from.populations)[rill_incoming(v.lattice, v.stream, v.addressing, v.bounce,
                                                                parity, &from, numbers[k], i)] !=
                     w.in[cells[k]][i];
    if (to.populations != from.populations) free(to.populations);
    free(from.populations);
    free(w.in), free(w.rested), free(cells), free(numbers);
    rill_links_destroy(links);
    rill_device_destroy(device);
    rill_numbering_destroy(&numbering);
    return wrong;
}

/* Every combination of lattice, scheme, addressing and bounce-back on boxes that are awkward in some way. */
Test(stream, populations_arrive_where_a_walk_takes_them)
{
    static const struct {
        uint32_t n[3];
        rill_side sides[3];
        int solid_of_ten;
        uint64_t hole; /* one solid voxel, behind a run that goes on into a third word */
    } cases[] = {{{7, 5, 4}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 4},
                 {{7, 5, 4}, {RILL_WALL, RILL_WALL, RILL_WALL}, 3},
                 {{33, 3, 3}, {RILL_PERIODIC, RILL_WALL, RILL_PERIODIC}, 5},
                 {{61, 2, 5}, {RILL_WALL, RILL_PERIODIC, RILL_PERIODIC}, 8},
                 {{30, 4, 2}, {RILL_PERIODIC, RILL_PERIODIC, RILL_WALL}, 0},
                 {{1, 1, 9}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 3},
                 {{64, 9, 1}, {RILL_PERIODIC, RILL_WALL, RILL_PERIODIC}, 2},
                 {{67, 3, 3}, {RILL_PERIODIC, RILL_MIRROR, RILL_PERIODIC}, 0, .hole = 67 + 61}, /* runs */
                 {{64, 2, 3}, {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC}, 0}};
    int combinations = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        rill_geom *geom = noise(cases[c].n, cases[c].sides, 7 + (unsigned)c, cases[c].solid_of_ten);
        if (cases[c].hole) geom->voxels[cases[c].hole] = RILL_SOLID;
        for (int lattice = 0; lattice < RILL_LATTICE_COUNT; lattice++)
            for (int stream = 0; stream < RILL_STREAM_COUNT; stream++)
                for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++)
                    for (int bounce = 0; bounce < RILL_BOUNCE_COUNT; bounce++) {
                        const rill_variant v =
                            with_own_collision((rill_variant){.lattice = (rill_lattice)lattice,
                                                              .collision = RILL_TRT,
                                                              .stream = (rill_stream)stream,
                                                              .addressing = (rill_addressing)addressing,
                                                              .bounce = (rill_bounce)bounce});
                        char name[96];
                        if (rill_variant_check(v) != RILL_OK) continue;
                        if (lattice == RILL_D2Q9 && cases[c].n[2] > 1) continue;
                        rill_variant_name(v, name, sizeof name);
                        combinations++;
                        cr_expect_eq(compare(geom, v), 0, "case %zu, %s", c, name);
                    }
        rill_geom_destroy(geom);
    }
    cr_assert_gt(combinations, 600, "only %d combinations were compared", combinations);
}

/* A ring of several chunks: nothing may be overwritten before its last reader. */
Test(stream, ring_of_several_chunks)
{
    const uint32_t n[3] = {40, 50, 90};
    const rill_side sides[3] = {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC};
    rill_geom *geom = noise(n, sides, 3, 2);
    for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++) {
        const rill_variant v = {
            .collision = RILL_TRT, .stream = RILL_RING, .addressing = (rill_addressing)addressing};
        if (rill_variant_check(v) == RILL_OK) cr_expect_eq(compare(geom, v), 0, "addressing %d", addressing);
    }
    rill_geom_destroy(geom);
}

/*
 * On a GPU the blocks of a ring's step wait for each other: all readers of what a block overwrites are in the
 * groups that it waits for, none of which holds nodes from its own first on; and a warp has a lane for each.
 */
Test(stream, ring_waits_for_all_readers)
{
    enum { threads = 128 };
    for (uint64_t reach = 100; reach < 20000000; reach = reach * 7 / 2) {
        const uint64_t chunk = UINT64_C(1)
                               << (rill_counters_bits(reach) > 16 ? rill_counters_bits(reach) : 16);
        const rill_arrays arrays = {.reach = reach,
                                    .shift = (chunk + reach + RILL_COUNTERS_UNIT + 63) / 64 * 64,
                                    .counter_bits = rill_counters_bits(reach)};
        const uint64_t end = 3 * (arrays.shift + reach);
        for (uint64_t first = 0; first < end; first += threads * (1 + end / threads / 5000)) {
            uint32_t count;
            const uint64_t low = rill_counters_readers(&arrays, first, threads, &count);
            const uint64_t from = low << arrays.counter_bits, to = (low + count) << arrays.counter_bits;
            cr_assert_leq(count, 32, "reach %llu: %u counters", (unsigned long long)reach, count);
            if (count) cr_assert_leq(to, first, "a block waits for itself");
            /* Numbers overwritten, none below 0, and who reads them. */
            if (first + threads - 1 < arrays.shift) continue;
            const uint64_t lowest = first > arrays.shift ? first - arrays.shift : 0,
                           highest = first + threads - 1 - arrays.shift;
            cr_assert_leq(from, lowest > reach ? lowest - reach : 0, "a reader before the groups");
            cr_assert_gt(to, highest + reach, "a reader behind the groups");
        }
    }
}
