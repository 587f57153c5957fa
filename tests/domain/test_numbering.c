/* SPDX-License-Identifier: Apache-2.0 */
/* A domain with all numbers of more nodes than 32 bits count, and a part of it across 2^32. */
#include "backends.h"
#include "domain/layers.h"
#include "domain/parts.h"
#include "geometry/voxels/planes.h"

#include <criterion/criterion.h>
#include <string.h>

/* 2^32 lies in plane 16384 + HOLES / PLANE of a box that is full but for some holes at its beginning. */
enum { NX = 4096, NY = 64, NZ = 16400, ROW_WORDS = NX / 64, PLANE = NX * NY, HOLES = 100 };

/* Return the number of the cell at x, y, z behind the holes. */
static uint64_t number_of(uint64_t x, uint64_t y, uint64_t z) { return (z * NY + y) * NX + x - HOLES; }

static void ranks_check(const rill_numbering *numbering)
{
    static const uint32_t at[][3] = {
        {HOLES, 0, 0},   {NX - 1, NY - 1, 0}, {5, 3, 16383}, {99, 0, 16384}, {100, 0, 16384},
        {101, 0, 16384}, {NX - 1, 7, 16384},  {0, 0, 16385}, {77, 9, 16390}, {NX - 1, NY - 1, NZ - 1}};
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        const uint32_t *x = at[k];
        const uint64_t wanted = number_of(x[0], x[1], x[2]);
        uint32_t place[3][3];
        const uint32_t count = wanted + 3 <= numbering->nodes ? 3 : 1;
        cr_expect_eq(rill_numbering_node(numbering, x[0], x[1], x[2]), wanted);
        rill_numbering_places(numbering, wanted, count, place);
        for (uint32_t i = 0; i < count; i++) {
            const uint64_t cell = wanted + i + HOLES;
            cr_expect_eq(place[i][0], cell % NX);
            cr_expect_eq(place[i][1], cell / NX % NY);
            cr_expect_eq(place[i][2], cell / PLANE);
        }
    }
    cr_expect_eq(rill_numbering_node(numbering, 7, 0, 0), RILL_NO_NODE);
    cr_expect_eq(rill_numbering_before_plane(numbering, 16385), number_of(0, 0, 16385));
}

/* Planes 16382 to 16386, which only the low 32 bits of their numbers would put in front of others. */
static void part_check(const rill_domain *domain)
{
    const rill_global_node first = number_of(0, 0, 16382), end = number_of(0, 0, 16387);
    rill_range range[3] = {
        {.end = first}, {.first = first, .end = end}, {.first = end, .end = domain->nodes}};
    rill_parts parts;
    ASSERT_OK(rill_parts_create(&(rill_ranges){.range = range, .count = 3}, &parts));
    ASSERT_OK(rill_parts_make(domain, 1, &parts));
    const rill_part *part = &parts.part[1];
    cr_assert_eq(part->domain->nodes, 5 * PLANE);
    cr_assert_eq(part->sends.count, 2 * 5 * PLANE); /* five links of a node go through a cut */
    cr_assert_eq(part->receives.count, 2 * 5 * PLANE);
    for (int q = 0; q < 3; q++)
        cr_expect_eq(part->sends.first[q + 1] - part->sends.first[q], q == 1 ? 0 : 5 * PLANE);
    cr_expect_eq(rill_part_number(part, first), part->domain->first);
    cr_expect_eq(rill_part_number_beside(domain, part, first - 1) + 1, part->domain->first);
    cr_expect_eq(rill_part_number_beside(domain, part, end), part->domain->first + 5 * PLANE);
    cr_expect_eq(rill_parts_of(&parts, UINT64_C(1) << 32), 1);
    rill_parts_destroy(&parts);
}

Test(numbering, a_domain_with_all_numbers_goes_beyond_32_bits)
{
    const uint32_t n[3] = {NX, NY, NZ};
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_numbering numbering;
    ASSERT_OK(rill_numbering_begin(n, &numbering));
    memset(numbering.occupied, 0xff, (size_t)NZ * NY * ROW_WORDS * sizeof *numbering.occupied);
    numbering.occupied[0] = 0;
    numbering.occupied[1] = ~(uint64_t)0 << (HOLES - 64);
    rill_numbering_finish(&numbering);
    cr_assert_eq(numbering.nodes, (uint64_t)NZ * PLANE - HOLES);
    cr_assert_gt(numbering.nodes, UINT64_C(1) << 32);
    ASSERT_OK(rill_numbering_check(&numbering));
    cr_assert_eq(rill_numbering_check_32(numbering.nodes, "this"), RILL_USAGE);
    ranks_check(&numbering);
    ASSERT_OK(rill_geom_create_empty(n, &geom));
    const rill_domain_options options = {.lattice = RILL_D3Q19, .flow_axis = -1};
    ASSERT_OK(rill_domain_create_numbered(geom, &options, &numbering, &domain));
    rill_layers layers = {.first = 0};
    ASSERT_OK(rill_layers_take(domain, 16384, 2, &layers));
    cr_expect_eq(rill_layers_node(&layers, 200, 1, 16385), number_of(200, 1, 16385));
    rill_layers_free(&layers);
    part_check(domain);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    rill_numbering_destroy(&numbering);
}
