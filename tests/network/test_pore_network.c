/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_pore_network.c
 * The pore network that is handed out, pore sizes, and the distances that they rest on.
 */
#include "backends.h"
#include "balls.h"
#include "core/memory.h"
#include "network/distances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Test(pore_network, distances_are_those_to_the_closest_marked_voxel)
{
    enum { X = 13, Y = 9, Z = 11 };
    const uint32_t n[3] = {X, Y, Z};
    float square[X * Y * Z];
    int marked[20][3];
    uint64_t seed = 7;
    for (int v = 0; v < X * Y * Z; v++) square[v] = RILL_DISTANCE_FAR;
    for (int m = 0; m < 20; m++)
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            marked[m][a] = (int)((seed >> 33) % n[a]);
        }
    for (int m = 0; m < 20; m++) square[(marked[m][2] * Y + marked[m][1]) * X + marked[m][0]] = 0;
    ASSERT_OK(rill_distances_square(n, square));
    for (int z = 0; z < Z; z++)
        for (int y = 0; y < Y; y++)
            for (int x = 0; x < X; x++) {
                int least = 10000;
                for (int m = 0; m < 20; m++) {
                    const int d[3] = {x - marked[m][0], y - marked[m][1], z - marked[m][2]};
                    const int far = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    if (far < least) least = far;
                }
                cr_assert_eq(square[(z * Y + y) * X + x], (float)least, "at %d, %d, %d", x, y, z);
            }
    for (int v = 0; v < X * Y * Z; v++) square[v] = RILL_DISTANCE_FAR;
    ASSERT_OK(rill_distances_square(n, square));
    cr_assert_eq(square[0], RILL_DISTANCE_FAR);
}

/* A square duct along x between mirrored boundaries. */
static rill_geom *duct(uint32_t length, uint32_t width)
{
    rill_geom *geom = balls_box(length, width + 2, width + 2);
    for (uint32_t z = 0; z < width + 2; z++)
        for (uint32_t y = 0; y < width + 2; y++)
            if (z == 0 || y == 0 || z == width + 1 || y == width + 1)
                memset(geom->voxels + ((size_t)z * (width + 2) + y) * length, 0, length);
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_MIRROR;
    return geom;
}

Test(pore_network, duct_is_a_row_of_chambers)
{
    enum { LENGTH = 40, WIDTH = 8, EDGE = 10, BLOCKS = LENGTH / EDGE };
    rill_geom *geom = duct(LENGTH, WIDTH);
    rill_pore_network network;
    ASSERT_OK(rill_pore_network_make(geom, &(rill_pore_network_options){.edge = EDGE}, &network));
    cr_assert_eq(network.pores, BLOCKS);
    cr_assert_eq(network.throats, BLOCKS - 1);
    double resistance = 0;
    for (uint32_t c = 0; c < BLOCKS; c++) {
        cr_expect_float_eq(network.centre[3 * c], EDGE * (c + 0.5), 1e-9);
        cr_expect_float_eq(network.volume[c], EDGE * WIDTH * WIDTH, 1e-9);
        cr_expect_float_eq(network.diameter[c], WIDTH - 1, 1e-6);
        cr_expect_eq(network.face[c] > 0, c == 0);
        cr_expect_eq(network.face[BLOCKS + c] > 0, c == BLOCKS - 1);
        for (int f = 2; f < RILL_FACES; f++) cr_expect_eq(network.face[(uint32_t)f * BLOCKS + c], 0);
    }
    for (uint32_t t = 0; t < BLOCKS - 1; t++) {
        cr_expect_eq(network.ends[2 * t] + 1, network.ends[2 * t + 1]);
        resistance += 1 / network.conductance[t];
    }
    resistance += 1 / network.face[0] + 1 / network.face[2 * BLOCKS - 1];
    cr_expect_float_eq(network.k[0], LENGTH / resistance / ((WIDTH + 2) * (WIDTH + 2)), 1e-6 * network.k[0]);
    cr_expect(isnan(network.k[1]) && isnan(network.k[2]));
    const double exact = 0.4217 / 12 * WIDTH * WIDTH * WIDTH * WIDTH / ((WIDTH + 2) * (WIDTH + 2));
    cr_expect(network.k[0] > exact / 2 && network.k[0] < 2 * exact, "%g instead of %g", network.k[0], exact);
    rill_pore_network_free(&network);
    cr_expect_null(network.centre);
    rill_geom_destroy(geom);
}

Test(pore_network, sizes_of_a_duct_are_its_width)
{
    rill_geom *geom = duct(20, 9);
    const double diameter[] = {1, 7, 9, 9.5};
    double covered[4];
    ASSERT_OK(rill_pore_sizes_measure(geom, 4, diameter, covered));
    cr_expect_float_eq(covered[0], 1, 1e-12);
    cr_expect(covered[1] > 0.9 && covered[1] < 1); /* without the corners */
    cr_expect(covered[2] > M_PI / 4 - 0.1 && covered[2] < covered[1]);
    cr_expect_eq(covered[3], 0);
    cr_expect_eq(rill_pore_sizes_measure(geom, 1, (double[]){0.5}, covered), RILL_USAGE);
    rill_geom_destroy(geom);
}

Test(pore_network, refuses_what_has_no_ends_or_no_pores)
{
    rill_geom *geom = duct(20, 8);
    rill_pore_network network;
    geom->sides[0] = RILL_PERIODIC;
    cr_expect_eq(rill_pore_network_make(geom, &(rill_pore_network_options){0}, &network), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "normal to x are periodic"));
    geom->sides[0] = RILL_WALL;
    cr_expect_eq(rill_pore_network_make(geom, &(rill_pore_network_options){.edge = 65}, &network),
                 RILL_USAGE);
    ASSERT_OK(rill_pore_network_make(geom, &(rill_pore_network_options){0}, &network));
    cr_expect(isnan(network.k[0]) && network.face[0] == 0);
    rill_pore_network_free(&network);
    memset(geom->voxels, 0, rill_geom_voxels(geom));
    cr_expect_eq(rill_pore_network_make(geom, &(rill_pore_network_options){0}, &network), RILL_USAGE);
    cr_expect_eq(rill_pore_sizes_measure(geom, 0, NULL, NULL), RILL_USAGE);
    rill_geom_destroy(geom);
}

static bool never(void *context, const rill_progress_moment *moment)
{
    (void)context, (void)moment;
    return false;
}

Test(pore_network, is_cancelled)
{
    rill_geom *geom = duct(64, 62);
    rill_pore_network network;
    const rill_pore_network_options options = {.progress = {never, NULL}};
    cr_expect_eq(rill_pore_network_make(geom, &options, &network), RILL_CANCELLED);
    cr_expect_null(network.centre);
    rill_geom_destroy(geom);
}

Test(pore_network, forecast_states_the_steps_and_the_time_of_a_plan)
{
    rill_geom *geom = duct(24, 16);
    rill_permeability_options options = rill_permeability_options_default();
    rill_permeability_plan plan;
    rill_permeability_forecast one, three;
    options.on.backend = RILL_BACKEND_CPU;
    options.axis = 0;
    ASSERT_OK(rill_permeability_prepare(geom, &options));
    ASSERT_OK(rill_permeability_plan_make(geom, &options, &plan));
    ASSERT_OK(rill_permeability_forecast_make(geom, &options, &plan, &one));
    cr_expect(one.steps > 10 && one.steps < options.max_steps && one.mlups > 0 && one.seconds > 0);
    options.tolerance = 1e-5;
    ASSERT_OK(rill_permeability_forecast_make(geom, &options, &plan, &three));
    cr_expect(three.steps > one.steps);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}
