/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes for groups of nodes (kernel/storage/groups.h), made on the host as a device makes them: every node is
 * stepped once, and a lane finds the cells beside its own in the lanes beside, wherever a node of its group
 * has a link to one. */
#include "kernel/storage/groups.h"
#include "domain/numbering.h"
#include "backends.h"

#include <stdlib.h>
#include <string.h>

enum { nodes_bits = (1 << RILL_GROUP_CELLS) - 1, bit_bits = (1 << RILL_LANE_NODES) - 1 };

typedef struct lists {
    rill_numbering numbering;
    rill_builder builder;
    rill_groups groups;
    uint32_t *lanes, *words, warps;
} lists;

static lists *lists_create(const uint32_t n[3], bool corners, unsigned seed, unsigned solid_of_ten,
                           unsigned run)
{
    rill_geom *geom = NULL;
    lists *l = calloc(1, sizeof *l);
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_PERIODIC;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        if (v % run == 0) seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < solid_of_ten ? RILL_SOLID : RILL_FLUID;
    }
    geom->voxels[rill_geom_voxels(geom) / 2] = RILL_FLUID;
    ASSERT_OK(rill_numbering_create(geom, &l->numbering));
    rill_geom_destroy(geom);
    l->builder = (rill_builder){.row_words = l->numbering.row_words,
                                .n = {n[0], n[1], n[2]},
                                .fluid = {l->numbering.occupied, l->numbering.base}};
    l->groups = (rill_groups){.numbering = &l->builder,
                              .n = {n[0], n[1], n[2]},
                              .row = (n[0] + RILL_WORD_CELLS - 1) / RILL_WORD_CELLS,
                              .last_bit = (n[0] - 1) % RILL_WORD_CELLS + 1,
                              .corners = corners};
    l->groups.plane = l->groups.row * (n[1] + 2);
    for (int fill = 0; fill < 2; fill++) {
        uint32_t warps = 0;
        for (uint32_t strip = 0; strip < rill_strips(n); strip++)
            warps +=
                rill_lanes_of_strip(&l->groups, strip, fill ? l->lanes + (size_t)warps * RILL_WARP : NULL,
                                    fill ? l->words + warps : NULL);
        if (fill) cr_assert_eq(warps, l->warps);
        l->warps = warps;
        if (fill) break;
        l->lanes = malloc((size_t)warps * RILL_WARP * sizeof *l->lanes);
        l->words = malloc(warps * sizeof *l->words);
        memset(l->lanes, 0xFF, (size_t)warps * RILL_WARP * sizeof *l->lanes);
    }
    return l;
}

static void lists_destroy(lists *l)
{
    rill_numbering_destroy(&l->numbering);
    free(l->lanes);
    free(l->words);
    free(l);
}

/* Find the first cell of a lane. */
static void where(const lists *l, uint32_t lane, int x[3])
{
    const uint32_t packed = l->lanes[lane], word = l->words[lane / RILL_WARP] + (packed >> RILL_LANE_WORD);
    x[0] = (int)(word % l->groups.row * RILL_WORD_CELLS + (packed & bit_bits)) - 1;
    x[1] = (int)(word % l->groups.plane / l->groups.row) - 1;
    x[2] = (int)(word / l->groups.plane) - 1;
}

static bool fluid(const lists *l, int x, int y, int z)
{
    const uint32_t *n = l->groups.n;
    const uint32_t at[3] = {((uint32_t)x + n[0]) % n[0], ((uint32_t)y + n[1]) % n[1],
                            ((uint32_t)z + n[2]) % n[2]};
    return rill_build_has(&l->builder.fluid, rill_build_line(&l->builder, at[1], at[2]), at[0]);
}

/* Return whether a node of a lane's group has a link to a fluid cell dx beside the lane's. */
static bool linked(const lists *l, const int x[3], int dx)
{
    for (int dz = -1; dz <= RILL_GROUP_SIDE; dz++)
        for (int dy = -1; dy <= RILL_GROUP_SIDE; dy++) {
            const bool plain = (dy >= 0 && dy < RILL_GROUP_SIDE) || (dz >= 0 && dz < RILL_GROUP_SIDE);
            if ((plain || l->groups.corners) && fluid(l, x[0] + dx, x[1] + dy, x[2] + dz)) return true;
        }
    return false;
}

static void check(const uint32_t n[3], bool corners, unsigned seed, unsigned solid, unsigned run)
{
    lists *l = lists_create(n, corners, seed, solid, run);
    const uint64_t cells = (uint64_t)n[0] * n[1] * n[2];
    uint8_t *stepped = calloc(cells, 1);
    uint64_t apart = 0, twice = 0;
    for (uint32_t lane = 0; lane < l->warps * RILL_WARP; lane++) {
        const uint32_t nodes = l->lanes[lane] >> RILL_LANE_NODES & nodes_bits;
        int x[3], other[3];
        where(l, lane, x);
        for (int k = 0; k < RILL_GROUP_CELLS; k++)
            if (nodes >> k & 1)
                stepped[(uint64_t)x[0] +
                        n[0] * ((uint64_t)(x[1] + k % 2) + (uint64_t)n[1] * (uint64_t)(x[2] + k / 2))]++;
        for (int dx = -1; dx <= 1 && nodes; dx += 2) {
            if (!linked(l, x, dx)) continue;
            const uint32_t beside = lane + (uint32_t)dx;
            const int at = (x[0] + dx + (int)n[0]) % (int)n[0];
            if (lane % RILL_WARP + (uint32_t)dx >= RILL_WARP) {
                apart++;
                continue;
            }
            where(l, beside, other);
            apart += other[0] != at || other[1] != x[1] || other[2] != x[2];
        }
    }
    for (uint64_t c = 0; c < cells; c++)
        twice += stepped[c] != fluid(l, (int)(c % n[0]), (int)(c / n[0] % n[1]), (int)(c / n[0] / n[1]));
    cr_expect_eq(apart, 0, "%u x %u x %u, %u of 10 solid: %llu cells are not in the lane beside", n[0], n[1],
                 n[2], solid, (unsigned long long)apart);
    cr_expect_eq(twice, 0, "%u x %u x %u, %u of 10 solid: %llu cells are not stepped as often as they should",
                 n[0], n[1], n[2], solid, (unsigned long long)twice);
    free(stepped);
    lists_destroy(l);
}

Test(groups, lanes_have_their_neighbours_and_every_node_once)
{
    static const uint32_t boxes[][3] = {{1, 2, 2},   {2, 5, 3},   {29, 4, 7},  {30, 70, 5},
                                        {31, 33, 2}, {61, 34, 9}, {90, 65, 4}, {200, 6, 6}};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++)
        for (unsigned solid = 0; solid < 10; solid += 3)
            for (unsigned run = 1; run < 20; run += 6) check(boxes[b], run & 2, 7 * run + solid, solid, run);
}

/* Every other cell is solid by chance: lanes have fewer than two nodes. */
Test(groups, noise_has_none)
{
    lists *l = lists_create((uint32_t[]){128, 64, 4}, false, 1, 5, 1);
    const double used = (double)l->numbering.nodes / ((double)l->warps * RILL_WARP);
    cr_expect(used > 1.5 && used < 2, "%g", used);
    cr_expect_not(rill_groups_worth(l->warps, l->numbering.nodes));
    lists_destroy(l);
}

/* A box without walls: of 32 lanes two lend their cells to those beside, and strips end in a part of a warp.
 */
Test(groups, lanes_are_used)
{
    lists *l = lists_create((uint32_t[]){384, 64, 4}, false, 1, 0, 1);
    const double used = (double)l->numbering.nodes / ((double)l->warps * RILL_WARP * RILL_GROUP_CELLS);
    cr_expect_gt(used, 0.92, "%g", used);
    cr_expect(rill_groups_worth(l->warps, l->numbering.nodes));
    lists_destroy(l);
}

Test(groups, boxes_without_two_rows_have_none)
{
    cr_expect(rill_groups_possible(RILL_D3Q19, (uint32_t[]){5, 2, 2}, 1));
    cr_expect_not(rill_groups_possible(RILL_D3Q19, (uint32_t[]){5, 1, 9}, 1));
    cr_expect_not(rill_groups_possible(RILL_D3Q19, (uint32_t[]){5, 9, 1}, 1));
    cr_expect_not(rill_groups_possible(RILL_D2Q9, (uint32_t[]){5, 9, 9}, 1));
}
