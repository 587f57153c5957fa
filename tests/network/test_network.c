/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_network.c
 * The pore network: distances from walls, chambers, flow through it.
 */
#include "backends.h"
#include "core/memory.h"
#include "domain/domain.h"
#include "kernel/lattice.h"
#include "network/network.h"
#include "balls.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* Takes the chambers of nodes over into an array of all. */
static rill_status see(void *context, const rill_network *network, rill_global_node first, uint64_t count,
                       const uint32_t *chamber_of)
{
    (void)network;
    if (context) memcpy((uint32_t *)context + first, chamber_of, count * sizeof *chamber_of);
    return RILL_OK;
}

/* @param[out] chamber_of  [nodes]; NULL: not wanted */
static rill_network network_of(const rill_domain *domain, uint32_t edge, uint32_t *chamber_of)
{
    rill_network network = {.edge = edge};
    rill_network_part part = {.before = NULL};
    ASSERT_OK(rill_network_find_chambers(domain, see, chamber_of, &network, &part));
    ASSERT_OK(rill_network_find_throats(domain, &network, &part));
    ASSERT_OK(rill_network_prepare(&network));
    rill_network_part_free(&part);
    return network;
}

/* The drop of a pressure between the chambers that hold two voxels on the axis of a box. */
static double drop(const rill_network *network, const double *pressure, uint32_t from, uint32_t to)
{
    const uint32_t side = network->blocks[0] * network->blocks[1];
    return pressure[network->base[to / network->edge * side]] -
           pressure[network->base[from / network->edge * side]];
}

/* Between plates a drop of the pressure is held as far as it accelerates fluid; that across a plate stays. */
Test(network, holds_fluid_that_is_only_accelerated)
{
    rill_domain *domain = NULL;
    rill_geom *geom = balls_box(8, 8, 32);
    double pressure[8 * 4 * 4], gain[8 * 4 * 4], held[8 * 4 * 4];
    for (uint32_t i = 0; i < 64; i++) geom->voxels[i] = i == 36 ? RILL_FLUID : RILL_SOLID;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    rill_network network = network_of(domain, 4, NULL);
    const double before = network.throat[network.throats - 1].conductance, inertia = 2;
    ASSERT_OK(rill_network_limit(&network, geom->n, 2, inertia));
    cr_assert_leq(network.chambers, 8 * 4 * 4);
    for (uint64_t k = 0; k < network.throats; k++) /* of 4 x 4 faces, 4 apart, and less in part */
        cr_expect_lt(network.throat[k].conductance, 1.2 * inertia * 4, "%g", network.throat[k].conductance);
    cr_expect_lt(network.throat[network.throats - 1].conductance, before);
    for (uint32_t c = 0; c < network.chambers; c++) pressure[c] = network.centre[c][2];
    rill_network_hold(&network, geom->n, 2, inertia, pressure, gain, held);
    /* The opposite of the drop in the open, to a few parts in a hundred that walls balance. */
    const double open = drop(&network, held, 4, 31) / drop(&network, pressure, 4, 31);
    cr_expect(open < -0.9 && open > -1.02, "%g", open);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Steps from a voxel to the nearest solid one, or to a wall, by looking at all of them. */
static int steps_counted(const rill_geom *geom, const int at[3])
{
    const int nx = (int)geom->n[0], ny = (int)geom->n[1];
    int least = 255;
    for (int a = 0; a < 3; a++) {
        const int to_low = at[a] + 1, to_high = (int)geom->n[a] - at[a];
        if (geom->sides[a] == RILL_WALL && to_low < least) least = to_low;
        if (geom->sides[a] == RILL_WALL && to_high < least) least = to_high;
    }
    for (int v = 0; v < (int)rill_geom_voxels(geom); v++) {
        const int to[3] = {v % nx, v / nx % ny, v / nx / ny};
        int steps = 0;
        for (int a = 0; a < 3; a++) {
            const int d = abs(to[a] - at[a]), round = (int)geom->n[a] - d;
            steps += geom->sides[a] == RILL_PERIODIC && round < d ? round : d;
        }
        if (geom->voxels[v] == RILL_SOLID && steps < least) least = steps;
    }
    return least;
}

Test(network, walls_are_as_far_as_counted)
{
    static const rill_side sides[][3] = {{RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                         {RILL_MIRROR, RILL_WALL, RILL_PERIODIC},
                                         {RILL_WALL, RILL_PERIODIC, RILL_MIRROR}};
    static const struct {
        int n[3];
        unsigned pores; /* for each solid voxel */
    } boxes[] = {{{9, 7, 11}, 20}, {{64, 3, 4}, 70}, {{67, 2, 3}, 50}};
    for (size_t k = 0; k < 9; k++) {
        const int *n = boxes[k / 3].n, voxels = n[0] * n[1] * n[2];
        rill_geom *geom = balls_box((uint32_t)n[0], (uint32_t)n[1], (uint32_t)n[2]);
        uint64_t seed = k + 1;
        uint8_t *found;
        for (int v = 0; v < voxels; v++)
            if ((balls_next(&seed) >> 33) % boxes[k / 3].pores == 0) geom->voxels[v] = RILL_SOLID;
        for (int x = 0; x < n[0] - 16 && n[0] > 16;
             x++) /* a run of 16 ends with its row, which begins so, too */
            geom->voxels[x] = x == 5 || x == n[0] - 17 ? RILL_SOLID : RILL_FLUID;
        memset(geom->voxels + (n[0] > 16 ? n[0] - 16 : 0), RILL_FLUID, n[0] > 16 ? 16 : 0);
        memcpy(geom->sides, sides[k % 3], sizeof geom->sides);
        ASSERT_OK(rill_network_walls(geom, 0, (uint32_t)n[2], &found));
        for (int v = 0; v < voxels; v++) {
            const int at[3] = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]}, wanted = steps_counted(geom, at);
            cr_assert_eq(found[v], wanted, "box %zu at %d %d %d: %d, not %d", k, at[0], at[1], at[2],
                         found[v], wanted);
        }
        rill_array_destroy(found);
        rill_geom_destroy(geom);
    }
}

/* What a cycle of time steps cannot even out within a block would stay. */
Test(network, blocks_are_narrow_where_pores_are)
{
    const struct {
        uint32_t size;
        double opening, porosity;
        uint32_t edge;
    } cases[] = {{40, 22, 0.1, 2},    {100, 22, 0.1, 3},    {100, 5, 0.4, 3},    {200, 22, 0.4, 3},
                 {480, 22, 0.08, 4},  {480, 22, 0.4, 7},    {480, 100, 0.4, 13}, {1024, 22, 0.5, 9},
                 {1024, 38, 0.9, 15}, {1024, 100, 0.5, 16}, {1024, 5, 0.4, 6},   {4000, 400, 0.9, 32}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const rill_geom geom = {.n = {cases[c].size, cases[c].size, cases[c].size}};
        const uint32_t edge = rill_network_edge(&geom, cases[c].opening, cases[c].porosity);
        cr_expect_eq(edge, cases[c].edge, "%u voxels, openings of %g: %u", cases[c].size, cases[c].opening,
                     edge);
    }
}

/* Voxels at random, and as many in layers. */
Test(network, scattered_pores_have_larger_blocks)
{
    enum { EDGE = 112 };
    for (int scattered = 0; scattered < 2; scattered++) {
        rill_geom *geom = balls_box(EDGE, EDGE, EDGE);
        uint64_t nodes = 0;
        uint32_t state = 1;
        rill_network counted = {.edge = 0};
        for (uint32_t z = 0; z < EDGE; z++)
            for (uint32_t y = 0; y < EDGE; y++)
                for (uint32_t x = 0; x < EDGE; x++) {
                    state = state * 1664525 + 1013904223;
                    const bool pore = scattered ? state >> 24 < 51 : z % 5 < 2;
                    *balls_voxel(geom, x, y, z) = pore ? RILL_FLUID : RILL_SOLID;
                    nodes += pore;
                }
        ASSERT_OK(rill_network_choose(geom, RILL_D3Q19, 5, nodes, &counted));
        cr_expect_eq(counted.edge, scattered ? 6 : 3, "scattered %d: blocks of %u", scattered, counted.edge);
        cr_expect(rill_network_serves(nodes, counted.chambers), "scattered %d: %u chambers of %llu nodes",
                  scattered, counted.chambers, (unsigned long long)nodes);
        rill_network_destroy(&counted);
        rill_geom_destroy(geom);
    }
}

/* Two ducts side by side: never one chamber, and two components. */
Test(network, chambers_are_connected_parts_of_blocks)
{
    rill_geom *geom = balls_box(12, 9, 20);
    rill_domain *domain;
    rill_network network;
    for (uint32_t z = 0; z < 20; z++)
        for (uint32_t y = 0; y < 9; y++)
            for (uint32_t x = 0; x < 12; x++)
                if (y == 0 || y == 8 || x == 0 || x == 5 || x == 11) *balls_voxel(geom, x, y, z) = RILL_SOLID;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    uint32_t *chamber_of = calloc(rill_domain_nodes(domain), sizeof *chamber_of);
    network = network_of(domain, 9, chamber_of);
    /* Blocks along x: 0-8, which holds the first duct and most of the second, and 9-11; along z: three. */
    cr_assert_eq(network.chambers, 3 * 3);
    cr_assert_eq(network.closed_count, 2);
    /* Along z each has one to the next, and round the end; the second duct one more for each block of z. */
    cr_assert_eq(network.throats, 3 * 3 + 3);
    double volume = 0;
    for (uint32_t c = 0; c < network.chambers; c++) volume += network.volume[c];
    cr_assert_eq(volume, rill_domain_nodes(domain));
    for (rill_node k = 0; k < rill_domain_nodes(domain); k++) cr_assert_lt(chamber_of[k], network.chambers);
    free(chamber_of);
    cr_assert_float_eq(network.centre[0][0], 3, 1e-12);
    cr_assert_float_eq(network.centre[0][2], 4.5, 1e-12);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Nodes are in one chamber exactly when links connect them in their block; chambers come block by block. */
Test(network, chambers_are_what_links_connect)
{
    static const struct {
        rill_lattice lattice;
        uint32_t n[3], edge;
    } cases[] = {{RILL_D3Q19, {70, 9, 8}, 64},
                 {RILL_D3Q19, {20, 17, 13}, 9},
                 {RILL_D3Q15, {20, 17, 13}, 7},
                 {RILL_D3Q27, {11, 12, 13}, 5},
                 {RILL_D2Q9, {40, 30, 1}, 12}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const uint32_t *n = cases[k].n, edge = cases[k].edge;
        const int lattice = (int)cases[k].lattice;
        rill_geom *geom = balls_box(n[0], n[1], n[2]);
        rill_domain *domain;
        rill_network network;
        uint64_t seed = k + 1;
        const uint32_t voxels = (uint32_t)rill_geom_voxels(geom);
        for (uint32_t v = 0; v < voxels; v++)
            if ((balls_next(&seed) >> 33) % 100 < 70) geom->voxels[v] = RILL_SOLID;
        uint32_t *first = malloc(voxels * sizeof *first), *chamber = malloc(voxels * sizeof *chamber);
        cr_assert(first && chamber);
        for (uint32_t v = 0; v < voxels; v++) first[v] = v;
        for (bool changed = true;
             changed;) { /* the first voxel that is connected, by looking again and again */
            changed = false;
            for (uint32_t v = 0; v < voxels; v++)
                for (int i = 1; i < rill_q(lattice) && geom->voxels[v]; i++) {
                    const uint32_t at[3] = {v % n[0], v / n[0] % n[1], v / n[0] / n[1]};
                    uint32_t to[3];
                    bool inside = true;
                    for (int a = 0; a < 3; a++) {
                        to[a] = at[a] + (uint32_t)rill_c(lattice, i, a);
                        inside = inside && to[a] < n[a] && to[a] / edge == at[a] / edge;
                    }
                    const uint32_t w = inside ? to[0] + n[0] * (to[1] + n[1] * to[2]) : v;
                    if (!geom->voxels[w] || first[w] >= first[v]) continue;
                    first[v] = first[w];
                    changed = true;
                }
        }
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){cases[k].lattice, -1}, &domain));
        uint32_t *chamber_of = calloc(rill_domain_nodes(domain), sizeof *chamber_of);
        network = network_of(domain, edge, chamber_of);
        uint32_t chambers = 0;
        rill_network counted = {.edge = edge}, taken = {.edge = 0};
        rill_node node = 0;
        for (uint32_t v = 0; v < voxels; v++) {
            if (!geom->voxels[v]) continue;
            if (first[v] == v) chamber[v] = chamber_of[node], chambers++;
            cr_assert_eq(chamber_of[node], chamber[first[v]], "case %zu, voxel %u", k, v);
            node++;
        }
        cr_assert_eq(network.chambers, chambers, "case %zu: %u, not %u", k, network.chambers, chambers);
        free(chamber_of);
        ASSERT_OK(rill_network_count(geom, cases[k].lattice, &counted));
        cr_assert_eq(counted.chambers, chambers);
        ASSERT_OK(rill_network_counted(&counted, &taken));
        const size_t blocks = (size_t)taken.blocks[0] * taken.blocks[1] * taken.blocks[2];
        cr_assert_eq(taken.edge, edge);
        cr_assert_eq(taken.chambers, chambers);
        cr_assert_arr_eq(taken.base, network.base, blocks * sizeof *taken.base, "case %zu", k);
        rill_network_destroy(&counted);
        rill_network_destroy(&taken);
        for (uint32_t c = 1; c < chambers; c++)
            cr_assert_leq(network.block_of[c - 1], network.block_of[c], "chamber %u of case %zu", c, k);
        free(first);
        free(chamber);
        rill_network_destroy(&network);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* Give all that is connected the number of its first chamber. */
static void connect(const rill_network *network, uint32_t *part)
{
    for (uint32_t c = 0; c < network->chambers; c++) part[c] = c;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t k = 0; k < network->throats; k++) {
            uint32_t *a = &part[network->throat[k].chamber[0]], *b = &part[network->throat[k].chamber[1]];
            changed = changed || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
}

/* What is connected and has no outlet, found from throats alone, is what the levels say is closed. */
static void check_closed(const rill_network *network)
{
    const uint32_t n = network->chambers;
    uint32_t *part = malloc(n * sizeof *part), closed = 0;
    uint8_t *open = calloc(n, 1), *seen = calloc(n, 1);
    cr_assert(part && open && seen);
    connect(network, part);
    for (uint32_t c = 0; c < n; c++) open[part[c]] |= network->outlet[c] > 0;
    for (uint32_t c = 0; c < n; c++) closed += part[c] == c && !open[c];
    cr_assert_eq(network->closed_count, closed);
    for (uint32_t k = 0; k < closed; k++) {
        const rill_network_closed *rows = &network->closed[k];
        const uint32_t first = part[network->chamber[rows->first]];
        double volume = 0;
        cr_assert(!open[first] && !seen[first], "closed part %u", k);
        seen[first] = 1;
        for (uint32_t row = rows->first; row < rows->end; row++) {
            cr_assert_eq(part[network->chamber[row]], first);
            volume += network->volume[network->chamber[row]];
        }
        for (uint32_t c = 0; c < n; c++) volume -= part[c] == first ? network->volume[c] : 0;
        cr_assert_eq(volume, 0, "closed part %u has chambers that are not in its rows", k);
    }
    free(part);
    free(open);
    free(seen);
}

/* Make the network of a rock, periodic or mirrored along all axes; in a mirrored one it flows along z,
 * through outlets. */
static rill_network rock_network(rill_geom *geom, bool mirrored, uint32_t edge, rill_domain **domain)
{
    for (int a = 0; a < 3; a++) geom->sides[a] = mirrored ? RILL_MIRROR : RILL_PERIODIC;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, mirrored ? 2 : -1}, domain));
    return network_of(*domain, edge, NULL);
}

/* What flows out of every chamber at the pressures found is what it gains, but for the hundredth left over.
 */
Test(network, pressures_carry_away_what_piles_up)
{
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        rill_geom *geom = balls_rock(40, 60, 6, 7);
        rill_domain *domain;
        rill_network network = rock_network(geom, mirrored, 6, &domain);
        uint64_t seed = 3;
        const uint32_t n = network.chambers;
        double *gain = malloc(n * sizeof *gain), *p = malloc(n * sizeof *p), *left = calloc(n, sizeof *left),
               *leaves = calloc(n, sizeof *leaves);
        cr_assert(gain && p && left && leaves);
        for (uint32_t c = 0; c < n; c++) gain[c] = balls_fraction(&seed) - 0.5;
        rill_network_solve(&network, gain, 0.25, p);
        for (uint32_t c = 0; c < n; c++) {
            left[c] = 0.25 * gain[c] - network.outlet[c] * p[c];
            leaves[c] = network.outlet[c];
        }
        for (uint64_t k = 0; k < network.throats; k++)
            for (int e = 0; e < 2; e++) {
                const rill_throat *t = &network.throat[k];
                left[t->chamber[e]] -= t->conductance * (p[t->chamber[e]] - p[t->chamber[1 - e]]);
                leaves[t->chamber[e]] += t->conductance;
            }
        double error = 0, size = 0;
        for (uint32_t k = 0; k < network.closed_count;
             k++) { /* what cannot leave stays, in every node alike */
            const rill_network_closed *part = &network.closed[k];
            double mean = 0;
            for (uint32_t row = part->first; row < part->end; row++)
                mean += 0.25 * gain[network.chamber[row]] / part->volume;
            for (uint32_t row = part->first; row < part->end; row++)
                left[network.chamber[row]] -= mean * network.volume[network.chamber[row]];
        }
        for (uint32_t c = 0; c < n; c++) {
            if (leaves[c] == 0) continue;
            error += left[c] * left[c] / leaves[c];
            size += pow(0.25 * gain[c], 2) / leaves[c];
        }
        check_closed(&network);
        cr_assert_lt(sqrt(error / size), 0.03, "%s: %g", mirrored ? "mirrored" : "periodic",
                     sqrt(error / size));
        free(gain);
        free(p);
        free(left);
        free(leaves);
        rill_network_destroy(&network);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* Where all nodes gain alike nothing flows. What rounding leaves over took 200 iterations in most closed
 * networks, and pressures that were no numbers in some. */
Test(network, pressures_stay_where_all_gain_alike)
{
    uint64_t seed = 3;
    for (int balls = 5; balls < 45; balls += 5) {
        rill_geom *geom = balls_rock(24, balls, 5, (uint64_t)balls);
        rill_domain *domain;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
        for (uint32_t edge = 3; edge < 13; edge++) {
            rill_network network = network_of(domain, edge, NULL);
            const uint32_t n = network.chambers;
            double *gain = malloc(n * sizeof *gain), *p = malloc(n * sizeof *p);
            cr_assert(gain && p);
            const double each = balls_fraction(&seed);
            for (uint32_t c = 0; c < n; c++) gain[c] = each * network.volume[c];
            const int iterations = rill_network_solve(&network, gain, 0.5, p);
            cr_expect_leq(iterations, 12, "%d balls, chambers of %u: %d", balls, edge, iterations);
            for (uint32_t c = 0; c < n; c++)
                cr_assert_lt(fabs(p[c]), 1e-9, "%d balls, edge %u: %g", balls, edge, p[c]);
            free(gain);
            free(p);
            rill_network_destroy(&network);
        }
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* Devices that are here find the same pressures, to the last bit, in memory of their own. */
static void solve_on_devices(rill_network *network, const double *gain, const double *p, int iterations)
{
    const uint32_t n = network->chambers;
    for (int kind = RILL_BACKEND_CPU; kind <= RILL_BACKEND_CUDA; kind++) {
        int count = 0;
        rill_device *device;
        if (rill_device_count((rill_backend_kind)kind, &count) != RILL_OK) continue;
        double *again = calloc(n, sizeof *again);
        cr_assert(again);
        cr_assert_eq(rill_device_create((rill_backend_kind)kind, 0, &device), RILL_OK);
        cr_assert_eq(rill_network_put(network, device), RILL_OK, "%s", rill_error_message());
        cr_assert(network->copy.memory);
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(rill_network_solve(network, gain, 0.5, again), iterations, "%s", device->name);
            cr_assert_arr_eq(p, again, n * sizeof *p, "%s", device->name);
        }
        rill_network_take_off(network);
        rill_device_destroy(device);
        free(again);
    }
}

/*
 * Enough chambers for several chunks and threads, in parts of many sizes, open and closed; gains that change
 * from chamber to chamber, and along the whole box, which outlets make hard: few iterations, the same bits.
 */
Test(network, solution_is_soon_found_by_any_number_of_threads_and_any_device)
{
    for (int mirrored = 0; mirrored < 2; mirrored++) {
        rill_geom *geom = balls_rock(64, 280, 6, 9);
        rill_domain *domain;
        rill_network network = rock_network(geom, mirrored, 2, &domain);
        uint64_t seed = 5;
        const uint32_t n = network.chambers;
        cr_assert_gt(n, 48 * RILL_NETWORK_CHUNK, "%u", n); /* for three threads */
        cr_assert_gt(network.level[1].count, 4 * RILL_NETWORK_CHUNK);
        for (int k = 1; k < network.levels && !mirrored; k++)
            cr_assert_leq(network.level[k].count, network.level[k - 1].joined / 2);
        check_closed(&network);
        double *gain = malloc(n * sizeof *gain), *p = malloc(n * sizeof *p),
               *again = malloc(n * sizeof *again);
        cr_assert(gain && p && again);
        for (int wide = 0; wide < 2; wide++) {
            for (uint32_t c = 0; c < n; c++)
                gain[c] =
                    wide ? network.volume[c] * sin(network.centre[c][2] / 10) : balls_fraction(&seed) - 0.5;
            omp_set_num_threads(1);
            const int iterations = rill_network_solve(&network, gain, 0.5, p);
            cr_expect_leq(iterations, 12, "%s, %s: %d", mirrored ? "mirrored" : "periodic",
                          wide ? "wide" : "narrow", iterations);
            for (int threads = 2; threads < 6; threads++) {
                omp_set_num_threads(threads);
                rill_network_solve(&network, gain, 0.5, again);
                cr_assert_arr_eq(p, again, n * sizeof *p, "%d threads", threads);
            }
            solve_on_devices(&network, gain, p, iterations);
        }
        free(gain);
        free(p);
        free(again);
        rill_network_destroy(&network);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* Make a network of random throats without a geometry: a grid that is closed round its ends, a few chambers
 * with outlets, and one that exchanges with many. */
static rill_network random_network(void)
{
    const uint32_t size[3] = {40, 40, 50}, n = 40 * 40 * 50;
    rill_network network = {.chambers = n};
    uint64_t seed = 11;
    ASSERT_OK(rill_array_create_zero(n, sizeof(double), "", (void **)&network.volume));
    ASSERT_OK(rill_array_create_zero(n, sizeof(double), "", (void **)&network.outlet));
    ASSERT_OK(rill_array_create_zero(3 * n + 500, sizeof(rill_throat), "", (void **)&network.throat));
    for (uint32_t c = 0; c < n; c++) {
        const uint32_t at[3] = {c % size[0], c / size[0] % size[1], c / size[0] / size[1]};
        network.volume[c] = 1 + (double)(c % 7);
        if (balls_fraction(&seed) < 0.001) network.outlet[c] = 300 * balls_fraction(&seed);
        for (uint32_t a = 0, step = 1; a < 3; step *= size[a++]) {
            const uint32_t to = at[a] + 1 < size[a] ? c + step : c + step - size[a] * step;
            if (balls_fraction(&seed) < 0.6)
                network.throat[network.throats++] =
                    (rill_throat){{c, to}, exp(6 * balls_fraction(&seed)) / (at[2] == 0 ? 1e3 : 1)};
        }
    }
    for (uint32_t k = 0; k < 500; k++)
        network.throat[network.throats++] = (rill_throat){{n / 2, 1 + k * (n / 1001)}, balls_fraction(&seed)};
    return network;
}

/* What two rows exchange is the same from either, and what joined rows exchange is what those on the level
 * before do. */
static void check_levels(const rill_network *network)
{
    for (int k = 0; k < network->levels; k++) {
        const rill_flow_level *l = &network->level[k], *finer = l - 1;
        double *sum = calloc(l->count, sizeof *sum), *wanted = calloc(l->count, sizeof *wanted);
        uint32_t *joined = k > 0 ? calloc(finer->count, sizeof *joined) : NULL;
        cr_assert(sum && wanted && (joined || k == 0));
        for (uint32_t row = 0; row < l->count; row++)
            for (uint32_t i = l->begin[row]; i < l->begin[row + 1]; i++) {
                const rill_flow_link link = l->link[i];
                uint32_t back = l->begin[link.row];
                while (back < l->begin[link.row + 1] &&
                       (l->link[back].row != row || l->link[back].conductance != link.conductance))
                    back++;
                cr_assert_lt(back, l->begin[link.row + 1], "level %d, from %u to %u", k, row, link.row);
                sum[row] += link.conductance;
            }
        for (uint32_t row = 0; row < l->count && k > 0; row++)
            for (uint32_t m = l->first[row]; m < l->first[row + 1]; m++) joined[m] = row;
        for (uint32_t m = 0; k > 0 && m < finer->joined; m++)
            for (uint32_t i = finer->begin[m]; i < finer->begin[m + 1]; i++) {
                const uint32_t to = finer->link[i].row;
                if (to >= finer->joined || joined[to] != joined[m])
                    wanted[joined[m]] += finer->link[i].conductance;
            }
        /* What goes to rows that outlets hold goes to an outlet now. */
        for (uint32_t row = 0; row < l->count && k > 0; row++) {
            cr_assert_leq(sum[row], wanted[row] * (1 + 1e-6), "level %d, row %u", k, row);
            cr_assert_geq(1 / l->inverse[row], wanted[row] * (1 - 1e-6), "level %d, row %u", k, row);
        }
        free(sum);
        free(wanted);
        free(joined);
    }
}

/* Levels are the same for any number of threads: of a network that several of them join. */
Test(network, levels_are_the_same_for_any_number_of_threads)
{
    rill_network first = {.levels = 0};
    for (int threads = 1; threads < 6; threads++) {
        rill_network network = random_network();
        const uint32_t n = network.chambers;
        omp_set_num_threads(threads);
        ASSERT_OK(rill_network_prepare(&network));
        if (threads == 1) {
            double *gain = calloc(n, sizeof *gain), *p = calloc(n, sizeof *p);
            uint64_t seed = 5;
            cr_assert(gain && p);
            for (uint32_t c = 0; c < n; c++) gain[c] = balls_fraction(&seed) - 0.5;
            first = network;
            check_levels(&network);
            check_closed(&network);
            const int iterations = rill_network_solve(&network, gain, 0.5, p);
            cr_expect_leq(iterations, 12, "%d", iterations);
            free(gain);
            free(p);
            continue;
        }
        cr_assert_eq(network.levels, first.levels);
        cr_assert_eq(network.closed_count, first.closed_count);
        cr_assert_arr_eq(network.chamber, first.chamber, n * sizeof *first.chamber);
        for (uint32_t k = 0; k < first.closed_count; k++)
            cr_assert_eq(network.closed[k].first, first.closed[k].first);
        for (int k = 0; k < first.levels; k++) {
            const rill_flow_level *a = &first.level[k], *b = &network.level[k];
            cr_assert_eq(a->count, b->count, "%d threads, level %d", threads, k);
            cr_assert_eq(a->joined, b->joined);
            cr_assert_arr_eq(a->begin, b->begin, (a->count + 1) * sizeof *a->begin);
            cr_assert_arr_eq(a->link, b->link, a->begin[a->count] * sizeof *a->link);
            cr_assert_arr_eq(a->inverse, b->inverse, a->count * sizeof *a->inverse);
            if (k > 0) cr_assert_arr_eq(a->first, b->first, (a->count + 1) * sizeof *a->first);
        }
        rill_network_destroy(&network);
    }
    rill_network_destroy(&first);
}

/* What is found beside a run that is stopped is not waited for. */
Test(network, is_left_where_it_is_abandoned)
{
    rill_geom *geom = balls_rock(32, 40, 6, 9);
    rill_domain *domain;
    rill_network network = {.edge = 4};
    rill_network_part part = {.before = NULL};
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_network_find_chambers(domain, NULL, NULL, &network, &part));
    network.abandoned = true;
    cr_expect_eq(rill_network_find_throats(domain, &network, &part), RILL_CANCELLED);
    cr_expect_eq(network.throats, 0);
    rill_network_part_free(&part);
    rill_network_destroy(&network);
    network.edge = 4;
    network.abandoned = true;
    cr_expect_eq(rill_network_find_chambers(domain, NULL, NULL, &network, &part), RILL_CANCELLED);
    rill_network_part_free(&part);
    cr_expect_eq(network.chambers, 0);
    rill_network_destroy(&network);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
