/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_throats.c
 * The throats of a pore network are what a look at each pair of voxels finds: faces between chambers, and
 * edges and corners where nothing else touches.
 */
#include "backends.h"
#include "core/memory.h"
#include "domain/domain.h"
#include "kernel/lattice.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A box at random, with a part of its voxels solid. */
static rill_geom *box(const uint32_t n[3], unsigned percent, uint64_t seed)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (rill_voxel v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        geom->voxels[v] = (seed >> 33) % 100 < percent ? RILL_SOLID : RILL_FLUID;
    }
    return geom;
}

/* Return the voxel a step away from another, -1 beyond a side that is not periodic. */
static int64_t beside(const rill_geom *geom, const int at[3], const int step[3])
{
    int64_t to[3];
    for (int a = 0; a < 3; a++) {
        const int64_t n = geom->n[a];
        to[a] = at[a] + step[a];
        if ((to[a] < 0 || to[a] >= n) && geom->sides[a] != RILL_PERIODIC) return -1;
        to[a] = (to[a] + n) % n;
    }
    return to[0] + geom->n[0] * (to[1] + geom->n[1] * to[2]);
}

static bool is_pore(const rill_geom *geom, int64_t v) { return v >= 0 && geom->voxels[v] >= RILL_FLUID; }

/* Whether a voxel between two that share an edge or a corner is pore. */
static bool pore_between(const rill_geom *geom, const int at[3], const int c[3])
{
    for (int part = 1; part < 7; part++) {
        int step[3], moved = 0, all = 0;
        for (int a = 0; a < 3; a++) {
            step[a] = part >> a & 1 ? c[a] : 0;
            moved += step[a] != 0;
            all += c[a] != 0;
        }
        if (moved > 0 && moved < all && is_pore(geom, beside(geom, at, step))) return true;
    }
    return false;
}

/* Along how many axes but one two voxels have walls on both sides. */
static int shut(const rill_geom *geom, int64_t from, int64_t to, int axis)
{
    int count = 0;
    for (int a = 0; a < 3; a++) {
        bool both = a != axis;
        for (int end = 0; end < 2; end++) {
            const int64_t v = end ? to : from;
            const int at[3] = {(int)(v % geom->n[0]), (int)(v / geom->n[0] % geom->n[1]),
                               (int)(v / geom->n[0] / geom->n[1])};
            for (int way = -1; way <= 1; way += 2) {
                const int64_t next =
                    beside(geom, at, (int[3]){a == 0 ? way : 0, a == 1 ? way : 0, a == 2 ? way : 0});
                both = both && !is_pore(geom, next) && !(next < 0 && geom->sides[a] == RILL_MIRROR);
            }
        }
        count += both;
    }
    return count;
}

/* What passes between two voxels of different chambers, with the magic parameter 3/16. */
static double passes(const rill_geom *geom, int lattice, const rill_network *network, const uint8_t *walls,
                     const int c[3], int64_t from, int64_t to, const uint32_t chamber[2])
{
    const double d = fmin(walls[from], walls[to]) - 0.5;
    int axis = -1, axes = 0;
    for (int a = 0; a < 3; a++)
        if (c[a]) axis = a, axes++;
    if (axes > 1) return 0.03;
    double length = c[axis] * (network->centre[chamber[1]][axis] - network->centre[chamber[0]][axis]);
    if (length < 0) length += geom->n[axis];
    /* Between plates, in a duct of one voxel: k of 1.0 / 72, 1.0 / 180 and 1.0 / 288 of 3 x 3 voxels. */
    const double row = lattice == RILL_D3Q15 ? 1.0 / 8 : lattice == RILL_D3Q27 ? 1.0 / 20 : 1.0 / 32;
    const double single[] = {0, 1.0 / 8, row};
    const int walled = shut(geom, from, to, axis);
    return (walled ? single[walled] : 0.75 * d * d) / fmax(length, 1);
}

/* Add up what passes between all pairs of chambers, [chambers][chambers]. */
static void pairs_look(const rill_geom *geom, int lattice, const rill_network *network,
                       const uint32_t *chamber_of, double *sums)
{
    uint8_t *walls;
    uint32_t *node_of = calloc(rill_geom_voxels(geom), sizeof *node_of), nodes = 0;
    ASSERT_OK(rill_network_walls(geom, 0, geom->n[2], &walls));
    for (rill_voxel v = 0; v < rill_geom_voxels(geom); v++)
        if (geom->voxels[v] >= RILL_FLUID) node_of[v] = nodes++;
    for (int64_t v = 0; v < (int64_t)rill_geom_voxels(geom); v++) {
        const int at[3] = {(int)(v % geom->n[0]), (int)(v / geom->n[0] % geom->n[1]),
                           (int)(v / geom->n[0] / geom->n[1])};
        if (!is_pore(geom, v)) continue;
        for (int i = 1; i < rill_q(lattice); i += 2) {
            const int c[3] = {rill_c(lattice, i, 0), rill_c(lattice, i, 1), rill_c(lattice, i, 2)};
            const int64_t to = beside(geom, at, c);
            if (!is_pore(geom, to) || pore_between(geom, at, c)) continue;
            const uint32_t chamber[2] = {chamber_of[node_of[v]], chamber_of[node_of[to]]};
            if (chamber[0] == chamber[1]) continue;
            const double more = passes(geom, lattice, network, walls, c, v, to, chamber);
            sums[chamber[0] * (size_t)network->chambers + chamber[1]] += more;
        }
    }
    free(node_of);
    rill_array_destroy(walls);
}

static void compare(const rill_geom *geom, rill_lattice lattice, uint32_t edge, const char *what)
{
    rill_domain *domain = NULL;
    rill_network network = {.edge = edge};
    rill_network_part part = {.before = NULL};
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){lattice, -1}, &domain));
    ASSERT_OK(rill_network_find_chambers(domain, NULL, NULL, &network, &part));
    const size_t size = (size_t)network.chambers * network.chambers;
    double *sums = calloc(size, sizeof *sums);
    cr_assert_not_null(sums);
    pairs_look(geom, (int)lattice, &network, part.chamber_of, sums);
    ASSERT_OK(rill_network_find_throats(domain, &network, &part));
    cr_assert_gt(network.throats, 0, "%s", what);
    for (uint64_t t = 0; t < network.throats; t++) {
        const rill_throat *throat = &network.throat[t];
        double *sum = &sums[throat->chamber[0] * (size_t)network.chambers + throat->chamber[1]];
        cr_assert_gt(throat->conductance, 0);
        *sum -= throat->conductance;
    }
    for (size_t k = 0; k < size; k++)
        cr_assert_lt(fabs(sums[k]), 1e-9, "%s: %g is missing between %zu and %zu", what, sums[k],
                     k / network.chambers, k % network.chambers);
    free(sums);
    rill_network_part_free(&part);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
}

Test(throats, are_what_pairs_of_voxels_share)
{
    static const uint32_t sizes[][3] = {{13, 11, 9}, {70, 5, 6}, {16, 17, 8}};
    static const uint32_t edges[] = {3, 4, 8};
    static const rill_side sides[][3] = {{RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                         {RILL_WALL, RILL_PERIODIC, RILL_MIRROR},
                                         {RILL_PERIODIC, RILL_MIRROR, RILL_PERIODIC}};
    static const rill_lattice lattices[] = {RILL_D3Q19, RILL_D3Q27, RILL_D3Q15};
    for (int k = 0; k < 54; k++) {
        char what[64];
        const int size = k % 3, side = k / 3 % 3, lattice = k / 9 % 3, sparse = k / 27;
        rill_geom *geom = box(sizes[size], sparse ? 85 : 45, (uint64_t)k + 1);
        memcpy(geom->sides, sides[side], sizeof geom->sides);
        snprintf(what, sizeof what, "size %d, edge %u, sides %d, lattice %d, sparse %d", size, edges[size],
                 side, lattice, sparse);
        compare(geom, lattices[lattice], edges[size], what);
        rill_geom_destroy(geom);
    }
}
