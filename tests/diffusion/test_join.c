/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_join.c
 * The coarser grids of a diffusion beside chambers and links that are found voxel by voxel.
 */
#include "backends.h"

#include "diffusion/diffusion.h"

#include <stdlib.h>
#include <string.h>

static const double ratio[] = {1, 0.25, 1e-3};

/* What a voxel has beside it on a side; -1: nothing, -2: an end of the axis. */
static int64_t beside(const rill_geom *g, int64_t v, int side, int axis, rill_diffusion_ends ends)
{
    const int64_t n[3] = {g->n[0], g->n[1], g->n[2]}, stride[3] = {1, n[0], n[0] * n[1]};
    const int a = side / 2, step = side % 2 ? 1 : -1;
    const int64_t place = v / stride[a] % n[a] + step;
    if (place >= 0 && place < n[a]) return v + step * stride[a];
    if (a == axis && ends == RILL_ENDS_FACES) return -2;
    return g->sides[a] == RILL_PERIODIC ? v - step * (n[a] - 1) * stride[a] : -1;
}

static bool is_held(const rill_geom *g, int64_t v, int axis, rill_diffusion_ends ends)
{
    const int64_t stride = axis == 0 ? 1 : axis == 1 ? g->n[0] : (int64_t)g->n[0] * g->n[1];
    const int64_t place = v / stride % g->n[axis];
    return ends == RILL_ENDS_NODES && (place == 0 || place == g->n[axis] - 1);
}

static uint64_t block_of(const rill_geom *g, int64_t v, uint32_t edge)
{
    const uint64_t x = (uint64_t)v % g->n[0], y = (uint64_t)v / g->n[0] % g->n[1],
                   z = (uint64_t)v / g->n[0] / g->n[1];
    return (z / edge * 1024 + y / edge) * 1024 + x / edge;
}

/* Find the least voxel of the chamber of each voxel. Voxels that are neighbours across the edge of the box
 * are none in a block, even where that is as wide as the box. */
static void chambers_find(const rill_geom *g, uint32_t edge, int axis, rill_diffusion_ends ends, int64_t *of)
{
    const int64_t voxels = (int64_t)rill_geom_voxels(g), stride[3] = {1, g->n[0], (int64_t)g->n[0] * g->n[1]};
    for (int64_t v = 0; v < voxels; v++)
        of[v] = g->voxels[v] == RILL_SOLID || is_held(g, v, axis, ends) ? -1 : v;
    for (bool changed = true; changed;) {
        changed = false;
        for (int64_t v = 0; v < voxels; v++)
            for (int s = 0; s < 6 && of[v] >= 0; s++) {
                const int64_t w = beside(g, v, s, axis, ends);
                if (w < 0 || llabs(w - v) != stride[s / 2] || of[w] < 0 || of[w] >= of[v] ||
                    g->voxels[v] != g->voxels[w] || block_of(g, v, edge) != block_of(g, w, edge))
                    continue;
                of[v] = of[w];
                changed = true;
            }
    }
}

static double conducts(const rill_geom *g, int64_t v, int64_t w)
{
    const double a = ratio[g->voxels[v] - 1], b = ratio[g->voxels[w] - 1];
    return 2 * a * b / (a + b);
}

/* Compare the rows of a level, and return how many links were compared. @param row  [voxels], or -1 */
static uint64_t level_check(const rill_geom *g, const rill_flow_level *l, const int64_t *of,
                            const int64_t *row, int axis, rill_diffusion_ends ends, double scale)
{
    const int64_t voxels = (int64_t)rill_geom_voxels(g);
    double *to = calloc(l->count, sizeof *to);
    uint64_t seen = 0;
    uint32_t chambers = 0;
    for (int64_t least = 0; least < voxels; least++) {
        if (of[least] != least) continue;
        const uint32_t r = (uint32_t)row[least];
        double all = 0;
        chambers++;
        memset(to, 0, l->count * sizeof *to);
        for (int64_t v = least; v < voxels; v++) {
            if (of[v] != least) continue;
            cr_assert_eq(row[v], r);
            for (int s = 0; s < 6; s++) {
                const int64_t w = beside(g, v, s, axis, ends);
                if (w == -2) all += scale * 2 * ratio[g->voxels[v] - 1];
                if (w < 0 || g->voxels[w] == RILL_SOLID) continue;
                if (of[w] < 0)
                    all += scale * conducts(g, v, w);
                else if (of[w] != least)
                    to[row[w]] += scale * conducts(g, v, w), all += scale * conducts(g, v, w);
            }
        }
        for (uint32_t k = l->begin[r]; k < l->begin[r + 1]; k++, seen++) {
            const double expected = to[l->link[k].row];
            cr_assert_gt(expected, 0);
            cr_assert_float_eq(l->link[k].conductance / expected, 1, 1e-6);
            to[l->link[k].row] = 0;
        }
        for (uint32_t k = 0; k < l->count; k++) cr_assert_eq(to[k], 0, "a link is missing");
        cr_assert_float_eq(l->inverse[r] * (all > 0 ? all : 1), 1, 1e-6);
    }
    cr_assert_eq(chambers, l->count);
    free(to);
    return seen;
}

/* When the chambers of 4^3 voxels are made: with the others, early, or early for another axis, in vain. */
typedef enum when { LATER, EARLY, IN_VAIN, WHENS } when;

static uint64_t grid_check(const rill_geom *g, int kinds, int axis, rill_diffusion_ends ends, when early)
{
    rill_diffusor d;
    const uint64_t voxels = rill_geom_voxels(g);
    int64_t *of[2], *row[2];
    ASSERT_OK(rill_diffusor_number(g, ratio, kinds > 1 ? kinds : 0, &d));
    if (early == EARLY) ASSERT_OK(rill_diffusor_join_early(&d, axis, ends));
    if (early == IN_VAIN) ASSERT_OK(rill_diffusor_join_early(&d, (axis + 1) % 3, RILL_ENDS_FACES));
    cr_assert_eq(d.early != NULL, early != LATER);
    const rill_flow_level *made = d.early ? d.chambers.level : NULL;
    ASSERT_OK(rill_diffusor_allocate(&d, NULL, true));
    ASSERT_OK(rill_diffusor_begin(&d, axis, ends));
    if (early == EARLY) cr_assert_eq(d.chambers.level, made, "they are taken over");
    cr_assert_null(d.early);
    for (int k = 0; k < 2; k++) {
        of[k] = malloc(voxels * sizeof *of[k]);
        row[k] = malloc(voxels * sizeof *row[k]);
        chambers_find(g, 2u << k, axis, ends, of[k]);
    }
    uint32_t *parent = malloc(d.fine.count * sizeof *parent);
    memset(parent, 0xff, d.fine.count * sizeof *parent);
    const rill_flow_level *large = rill_diffusor_level(&d, 1);
    for (uint32_t r = 0; r < large->count; r++)
        for (uint32_t m = large->first[r]; m < large->end[r]; m++) {
            cr_assert_eq(parent[m], UINT32_MAX);
            parent[m] = r;
        }
    uint32_t i = 0;
    for (uint64_t v = 0; v < voxels; v++) {
        row[0][v] = row[1][v] = -1;
        if (g->voxels[v] == RILL_SOLID) continue;
        const uint32_t small = d.work.coarse[i++];
        cr_assert_eq(small == RILL_DIFFUSION_NONE, is_held(g, (int64_t)v, axis, ends));
        if (small == RILL_DIFFUSION_NONE) continue;
        row[0][v] = small;
        row[1][v] = parent[small];
    }
    uint64_t seen = level_check(g, &d.fine, of[0], row[0], axis, ends, 0.5);
    seen += level_check(g, large, of[1], row[1], axis, ends, 0.25);
    for (int k = 0; k < 2; k++) {
        free(of[k]);
        free(row[k]);
    }
    free(parent);
    rill_diffusor_destroy(&d);
    return seen;
}

Test(join, grids_are_the_connected_parts_of_blocks)
{
    static const uint32_t sizes[][3] = {{1, 1, 1},  {4, 4, 4},  {5, 3, 7},
                                        {13, 9, 6}, {66, 5, 9}, {3, 17, 130}};
    uint64_t seen = 0, seed = 1;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int kinds = 1; kinds <= 3; kinds++)
            for (int mode = 0; mode < 4; mode++) {
                rill_geom *g;
                const int axis = (int)(seed % 3);
                const rill_diffusion_ends ends = mode == 0   ? RILL_ENDS_NONE
                                                 : mode == 1 ? RILL_ENDS_FACES
                                                 : mode == 2 ? RILL_ENDS_NODES
                                                             : RILL_ENDS_FACES;
                if (ends == RILL_ENDS_NODES && sizes[s][axis] < 3) continue;
                ASSERT_OK(rill_geom_create(sizes[s], &g));
                for (int a = 0; a < 3; a++)
                    g->sides[a] = mode == 0 ? RILL_PERIODIC : (a + mode) % 2 ? RILL_MIRROR : RILL_PERIODIC;
                if (ends != RILL_ENDS_NONE) g->sides[axis] = RILL_MIRROR;
                for (uint64_t v = 0; v < rill_geom_voxels(g); v++) {
                    seed = seed * 6364136223846793005u + 1442695040888963407u;
                    const uint64_t what = (seed >> 33) % 100;
                    g->voxels[v] = (uint8_t)(what < 45 ? 0 : 1 + what % (uint64_t)kinds);
                }
                if (mode == 3) memset(g->voxels, 1, rill_geom_voxels(g));
                g->voxels[rill_geom_voxels(g) / 2] = 1;
                for (when early = LATER; early < WHENS; early++)
                    seen += grid_check(g, kinds, axis, ends, early);
                rill_geom_destroy(g);
            }
    cr_assert_gt(seen, 30000);
}

/* Chambers end between phases, so that a sample of several has more of them. */
Test(join, memory_is_stated_for_phases)
{
    const double halved[] = {1, 0.5};
    rill_geom *g = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){32, 32, 32}, &g));
    for (uint32_t v = 0; v < 32 * 32 * 32; v++)
        g->voxels[v] = (uint8_t)(RILL_FLUID + (v / 1024 + v / 32 + v) % 2);
    rill_diffusor d;
    ASSERT_OK(rill_diffusor_create(g, halved, 2, NULL, false, &d));
    ASSERT_OK(rill_diffusor_begin(&d, 2, RILL_ENDS_FACES));
    const uint64_t taken = rill_diffusor_bytes(&d);
    cr_expect_leq(taken, rill_diffusivity_bytes(d.numbering.nodes, 2));
    cr_expect_geq(taken, rill_diffusivity_bytes(d.numbering.nodes, 2) / 2);
    cr_expect_geq(taken, rill_diffusivity_bytes(d.numbering.nodes, 1));
    rill_diffusor_destroy(&d);
    rill_geom_destroy(g);
}
