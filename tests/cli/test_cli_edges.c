/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_cli_edges.c
 * rill permeability: which pores take part, those that touch at edges among them.
 */
#include "pore_files.h"

#include <math.h>

TestSuite(permeability_edges, .init = cli_test_start, .fini = cli_test_end);

/* Two halves of a box of 16 x 16 that share an edge along z alone; with a by-pass of one voxel, a face. */
static bool halves(int x, int y, int z) { return z >= 0 && (x < 8 ? y >= 1 && y < 8 : y >= 8 && y < 15); }
static bool bypass(int x, int y, int z) { return halves(x, y, z) || (x == 8 && y == 7 && z == 3); }
static bool corners(int x, int y, int z) { return z < 4 ? x < 8 && y < 8 : x >= 8 && y >= 8; }

static double k_of(const char *name, const char *const *more)
{
    const char *arguments[16] = {"permeability", name,        "--sides", "mirror,wall,periodic",
                                 "--axis",       "x",         "--json",  "k.json",
                                 "-q",           "--backend", "cpu"};
    int given = 11;
    if (strstr(name, ".raw")) {
        arguments[given++] = "--pore";
        arguments[given++] = "0";
    }
    for (; *more; more++) arguments[given++] = *more;
    const cli_result r = cli_test_run_list(arguments);
    cr_assert_eq(r.code, 0, "%s: %s", name, r.err);
    json_t *json = load("k.json");
    const double k = real(json, "permeability.lu.xx");
    json_decref(json);
    return k;
}

/* 0.0159306: an independent D3Q19 TRT solver (NumPy, dense, fp64, followed until k changed by less than 1e-11
 * in 200 steps). A geometry from `rill voxelize` gives the same. Halves that share a corner alone conduct
 * with D3Q27. */
Test(permeability_edges, follows_the_links_through_edges)
{
    make_raw("halves-16x16x8-u8.raw", 16, 16, 8, halves);
    make_raw("bypass-16x16x8-u8.raw", 16, 16, 8, bypass);
    make_raw("corners-16x16x8-u8.raw", 16, 16, 8, corners);
    const char *const none[] = {NULL}, *const d3q27[] = {"--lattice", "d3q27", NULL};
    const double k = k_of("halves-16x16x8-u8.raw", none);
    cr_assert_float_eq(k / 0.0159306, 1, 1e-3, "%.7g", k);
    const cli_result made = cli_test_run("voxelize", "halves-16x16x8-u8.raw", "--pore", "0", "--sides",
                                         "mirror,wall,periodic", "-q", "-o", "halves.geom.h5");
    cr_assert_eq(made.code, 0, "%s", made.err);
    cr_assert_eq(k_of("halves.geom.h5", none), k);
    cr_assert_geq(k_of("halves-16x16x8-u8.raw", d3q27), 0.9 * k);
    const double by = k_of("bypass-16x16x8-u8.raw", none); /* it adds to the flow, and opens none */
    cr_assert(by > k && by < 3 * k, "%g", by);
    cli_test_fails(2, "no pore conducts along z", "permeability", "corners-16x16x8-u8.raw", "--pore", "0",
                   "--sides", "mirror", "--axis", "z", "--backend", "cpu", "-q");
    const cli_result edge =
        cli_test_run("permeability", "corners-16x16x8-u8.raw", "--pore", "0", "--sides", "mirror", "--axis",
                     "z", "--lattice", "d3q27", "--backend", "cpu", "-q");
    cr_assert_eq(edge.code, 0, "the halves share a corner, which D3Q27 has links through: %s", edge.err);
}

/* What was dropped with other domain boundaries is named, as it is not looked at again. */
static bool island(int x, int y, int z)
{
    return (y == 1 && z == 1) || (x < 4 ? y == 4 && z == 4 : y == 6 && z == 4) ||
           (x == 3 && y == 5 && z == 4);
}

Test(permeability_edges, notes_pores_that_were_dropped_before)
{
    cli_result r;
    make_raw("island-8x8x8-u8.raw", 8, 8, 8, island);
    r = cli_test_run("voxelize", "island-8x8x8-u8.raw", "--pore", "0", "-q", "-o", "island.geom.h5");
    cr_assert_eq(r.code, 0, "%s", r.err);
    r = cli_test_run("permeability", "island.geom.h5", "--axis", "x", "--sides", "mirror", "--backend", "cpu",
                     "-q");
    cr_assert_eq(r.code, 0, "%s", r.err);
    cr_assert_not_null(
        strstr(r.err, "9 pore voxels of the geometry were dropped when it was made, with other"), "%s",
        r.err);
}
