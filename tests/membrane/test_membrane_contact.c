/* SPDX-License-Identifier: Apache-2.0 */
/* Several membranes in a box: forces where they touch, momentum, bits. */
#include "backends.h"
#include "membrane/membrane.h"
#include "message.h"
#include "sim/sim.h"

#include <math.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { EACH = 50, MEMBRANES = 6, COUNT = EACH * MEMBRANES };

static double noise(uint32_t k)
{
    uint32_t h = k * 2654435761U;
    h ^= h >> 15;
    h *= 2246822519U;
    h ^= h >> 13;
    return (double)h / 4294967295.0;
}

/* Vertices all over a box and beyond its periodic faces: the sum over all pairs, and no force on the whole.
 */
Test(membrane_contact, all_pairs)
{
    static double x[COUNT][3], force[COUNT][3], wanted[COUNT][3];
    const uint32_t n[3] = {9, 5, 7};
    const double range = 1.5, strength = 0.3;
    for (int which = 0; which < 2; which++) {
        const bool open[3] = {true, which == 1, false};
        rill_membrane_contact c;
        double sum[3] = {0}, first[COUNT][3];
        ASSERT_OK(rill_membrane_contact_create(NULL, n, open, range, strength, COUNT, &c));
        for (uint32_t v = 0; v < COUNT; v++)
            for (uint32_t a = 0; a < 3; a++)
                x[v][a] = n[a] * (open[a] ? 4 * noise(3 * v + a) - 2 : noise(3 * v + a));
        memset(wanted, 0, sizeof wanted);
        for (uint32_t v = 0; v < COUNT; v++)
            for (uint32_t other = 0; other < COUNT; other++) {
                double between[3], square = 0;
                if (v / EACH == other / EACH) continue;
                for (int a = 0; a < 3; a++) {
                    between[a] = x[v][a] - x[other][a];
                    while (open[a] && between[a] > n[a] / 2.0) between[a] -= n[a];
                    while (open[a] && between[a] < -(n[a] / 2.0)) between[a] += n[a];
                    square += between[a] * between[a];
                }
                const double r = sqrt(square);
                for (int a = 0; a < 3 && r < range; a++)
                    wanted[v][a] += strength * (1 - r / range) * between[a] / r;
            }
        for (int threads = 1; threads <= 4; threads += 3) {
            omp_set_num_threads(threads);
            memset(force, 0, sizeof force);
            ASSERT_OK(rill_membrane_contact_add(&(rill_membrane_set){
                .elastic = {.vertex_count = EACH}, .contact = c, .vertices = COUNT, .x = x, .force = force}));
            if (threads == 1) memcpy(first, force, sizeof force);
            cr_expect_arr_eq(force, first, sizeof force);
        }
        for (int v = 0; v < COUNT; v++)
            for (int a = 0; a < 3; a++) {
                cr_expect_float_eq(force[v][a], wanted[v][a], 1e-12, "vertex %d", v);
                sum[a] += force[v][a];
            }
        for (int a = 0; a < 3; a++) cr_expect_float_eq(sum[a], 0, 1e-12);
        rill_membrane_contact_destroy(&c);
    }
}

/* Vertices of a cell that threads put in in any order are in ascending order then. */
Test(membrane_contact, cells_are_in_order)
{
    uint32_t first[] = {0, 5, 6, 9, 9}, vertex[] = {7, 0, 9, 3, 1, 4, 8, 6, 2};
    const uint32_t wanted[] = {0, 1, 3, 7, 9, 4, 2, 6, 8};
    ASSERT_OK(rill_membrane_do(
        NULL, RILL_MEMBRANE_ORDER,
        &(rill_membrane_set){.contact = {.cells = {4, 1, 1}, .first = first, .vertex = vertex}}, NULL));
    cr_expect_arr_eq(vertex, wanted, sizeof wanted);
}

Test(membrane_contact, box_too_narrow)
{
    rill_membrane_contact c;
    cr_expect_eq(rill_membrane_contact_create(NULL, (uint32_t[]){4, 9, 9}, (bool[]){true, false, false}, 1.5,
                                              1, 8, &c),
                 RILL_USAGE);
    ASSERT_OK(rill_membrane_contact_create(NULL, (uint32_t[]){4, 9, 9}, (bool[]){false, false, false}, 1.5, 1,
                                           8, &c));
    rill_membrane_contact_destroy(&c);
}

/* Two spheres whose vertices are half a voxel apart, one of them across the face of a periodic box: they move
 * apart, and momentum stays 0. The same bits for one thread and for four. */
Test(membrane_contact, spheres_part)
{
    double(*seen)[3] = NULL;
    for (int threads = 1; threads <= 4; threads += 3) {
        const uint32_t n[3] = {18, 12, 12};
        const double centres[2][3] = {{3.25, 6, 6}, {17.25, 6, 6}}; /* 4 apart across the face */
        rill_geom *geom;
        rill_domain *domain;
        rill_sim *sim;
        rill_membrane_mesh mesh;
        rill_membranes *m;
        rill_totals t;
        rill_sim_options o = rill_sim_options_default();
        omp_set_num_threads(threads);
        ASSERT_OK(rill_geom_create(n, &geom));
        memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
        for (int a = 0; a < 3; a++) geom->sides[a] = RILL_PERIODIC;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
        o.variant.equilibrium = RILL_SECOND_ORDER;
        o.variant.collision = RILL_TRT;
        o.variant.stream = RILL_ESOPULL;
        o.variant.storage = RILL_FP64;
        o.on.backend = RILL_BACKEND_CPU;
        o.tau = 1;
        ASSERT_OK(rill_sim_create(domain, &o, &sim));
        ASSERT_OK(rill_membrane_mesh_sphere(1.75, 1, &mesh));
        const rill_membranes_options options = {.mesh = &mesh,
                                                .elastic = {.shear = 5e-3},
                                                .width = 2,
                                                .count = 2,
                                                .contact = 5e-3,
                                                .centres = centres};
        ASSERT_OK(rill_membranes_create(sim, &options, &m));
        ASSERT_OK(rill_sim_step(sim, 200));
        double middle[2] = {0};
        for (uint32_t v = 0; v < 2 * mesh.vertex_count; v++)
            middle[v / mesh.vertex_count] += m->x[v][0] / mesh.vertex_count;
        cr_expect_gt(middle[0] + n[0] - middle[1], 4.05, "%g", middle[0] + n[0] - middle[1]);
        cr_expect_float_eq(middle[0] + middle[1], 3.25 + 17.25, 0.01, "%g", middle[0] + middle[1]);
        ASSERT_OK(rill_sim_totals(sim, &t));
        for (int a = 0; a < 3; a++) cr_expect_float_eq(t.momentum[a], 0, 1e-12, "%g", t.momentum[a]);
        const size_t bytes = 2 * mesh.vertex_count * sizeof *seen;
        if (seen) {
            cr_expect_arr_eq(m->x, seen, bytes);
        } else {
            seen = malloc(bytes);
            memcpy(seen, m->x, bytes);
        }
        rill_membranes_destroy(m);
        rill_membrane_mesh_destroy(&mesh);
        rill_sim_destroy(sim);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    free(seen);
}
