/* SPDX-License-Identifier: Apache-2.0 */
/* Where domains are cut into parts. */
#include "backends.h"
#include "domain/ranges.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Make a box whose planes have this share of fluid, all, or a column of one voxel in `thin` planes. */
static rill_geom *box(uint32_t edge, uint32_t planes, uint32_t thin)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){edge, edge, planes}, &geom));
    for (uint64_t v = 0; v < (uint64_t)edge * edge * planes; v++) {
        const uint64_t z = v / edge / edge;
        geom->voxels[v] = z >= thin || v % ((uint64_t)edge * edge) == 0 ? RILL_FLUID : RILL_SOLID;
    }
    return geom;
}

static rill_domain *domain_of(const rill_geom *geom)
{
    rill_domain *domain = NULL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    return domain;
}

/* Check what holds for all ranges. */
static void expect_whole(const rill_domain *domain, const rill_ranges *r, uint64_t plane)
{
    cr_assert_eq(r->range[0].first, 0);
    cr_assert_eq(r->range[r->count - 1].end, domain->nodes);
    for (int p = 0; p < r->count; p++) {
        cr_assert_eq(r->range[p].first % RILL_CHUNK, 0);
        cr_assert_lt(r->range[p].first, r->range[p].end);
        if (p) cr_assert_eq(r->range[p].first, r->range[p - 1].end);
        if (r->count > 1) cr_assert_geq(r->range[p].end - r->range[p].first, 2 * plane);
        const uint32_t low = rill_ranges_plane(domain, r->range[p].first),
                       high = rill_ranges_plane(domain, r->range[p].end - 1);
        if (r->count > 1) cr_assert_leq(high - low + 3, domain->geom->n[2], "planes %u to %u", low, high);
    }
}

static double dearest(const rill_ranges *r)
{
    double most = 0;
    for (int p = 0; p < r->count; p++) most = fmax(most, r->range[p].cost);
    return most;
}

Test(ranges, are_even_without_costs)
{
    rill_geom *geom = box(50, 200, 0);
    rill_domain *domain = domain_of(geom);
    for (int parts = 1; parts <= 40; parts++) {
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, parts, NULL, &r));
        cr_assert_eq(r.count, parts);
        expect_whole(domain, &r, 2500);
        const double mean = (double)domain->nodes / parts;
        for (int p = 0; p < parts; p++) {
            cr_assert_eq(r.range[p].cost, r.range[p].end - r.range[p].first);
            cr_assert_leq(fabs(r.range[p].cost - mean), RILL_CHUNK, "part %d of %d: %g, mean %g", p, parts,
                          r.range[p].cost, mean);
        }
        rill_ranges_destroy(&r);
    }
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* Two planes of 2,500 nodes are 5,000, so two chunks of 4,096; of 500,000 nodes in 123 chunks that makes 61.
 */
Test(ranges, are_fewer_where_parts_would_be_thin)
{
    const struct {
        uint32_t edge, planes, thin;
        int given, made;
    } cases[] = {{50, 200, 0, 64, 61}, {50, 3, 0, 2, 1},    {50, 8, 0, 4, 2},   {64, 2, 0, 9, 1},
                 {10, 40, 0, 7, 1},    {10, 82, 0, 7, 2},   {90, 12, 9, 3, 1},  {90, 3, 0, 2, 1},
                 {90, 14, 9, 5, 2},    {200, 40, 35, 3, 2}, {130, 30, 25, 2, 2}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rill_geom *geom = box(cases[k].edge, cases[k].planes, cases[k].thin);
        rill_domain *domain = domain_of(geom);
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, cases[k].given, NULL, &r));
        cr_assert_eq(r.count, cases[k].made, "case %zu: %d parts", k, r.count);
        expect_whole(domain, &r, (uint64_t)cases[k].edge * cases[k].edge);
        rill_ranges_destroy(&r);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* A surface whose walls are all at the nodes from .. from + count - 1, and one opening. */
typedef struct surface {
    rill_surface surface;
    rill_opening opening;
} surface;

static void surface_make(surface *s, uint64_t from, uint64_t count, uint64_t open, uint64_t open_count)
{
    memset(s, 0, sizeof *s);
    s->surface.walls = calloc(count, sizeof *s->surface.walls);
    s->surface.wall_count = count;
    for (uint64_t k = 0; k < count; k++) s->surface.walls[k].node = (rill_node)(from + k);
    s->opening.cuts = calloc(open_count, sizeof *s->opening.cuts);
    s->opening.cut_count = open_count;
    for (uint64_t k = 0; k < open_count; k++) s->opening.cuts[k].node = (rill_node)(open + k);
    s->surface.openings = &s->opening;
    s->surface.opening_count = 1;
}

static void surface_free(surface *s)
{
    free(s->surface.walls);
    free(s->opening.cuts);
}

/* Return the least cost of the dearest of three parts, of all that there are. */
static double best_of_three(const rill_domain *domain, const surface *s, const rill_part_costs *costs,
                            uint64_t fewest)
{
    const uint64_t chunks = ((uint64_t)domain->nodes + RILL_CHUNK - 1) / RILL_CHUNK;
    double best = INFINITY;
    for (uint64_t a = fewest; a + 2 * fewest <= chunks; a++)
        for (uint64_t b = a + fewest; b + fewest <= chunks; b++) {
            const uint64_t ends[4] = {0, a * RILL_CHUNK, b * RILL_CHUNK, domain->nodes};
            double most = 0;
            for (int p = 0; p < 3; p++) {
                double cost = (double)(ends[p + 1] - ends[p]);
                bool open = false;
                for (uint64_t k = 0; k < s->surface.wall_count; k++)
                    if (s->surface.walls[k].node >= ends[p] && s->surface.walls[k].node < ends[p + 1])
                        cost += costs->wall;
                for (uint64_t k = 0; k < s->opening.cut_count; k++)
                    if (s->opening.cuts[k].node >= ends[p] && s->opening.cuts[k].node < ends[p + 1])
                        cost += costs->opening_link, open = true;
                most = fmax(most, cost + (open ? costs->opening : 0));
            }
            best = fmin(best, most);
        }
    return best;
}

Test(ranges, balance_walls_and_openings)
{
    static const rill_part_costs costs[] = {{2, 0, 0}, {0, 11, 0}, {0, 0, 9e4}, {0.7, 0, 4e4}, {5, 20, 1e5}};
    rill_geom *geom = box(40, 150, 0);
    surface s;
    surface_make(&s, 30000, 60000, 150000, 1500);
    geom->surface = &s.surface;
    rill_domain *domain = domain_of(geom);
    for (size_t k = 0; k < sizeof costs / sizeof *costs; k++) {
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, 3, &costs[k], &r));
        const double best = best_of_three(domain, &s, &costs[k], 1);
        expect_whole(domain, &r, 1600);
        cr_assert_leq(dearest(&r), 1.0201 * best, "costs %zu: %g, and %g is possible", k, dearest(&r), best);
        double sum = 0;
        for (int p = 0; p < 3; p++) sum += r.range[p].cost;
        cr_assert_geq(sum + 1e-6, (double)domain->nodes + costs[k].wall * 60000 +
                                      costs[k].opening_link * 1500 + costs[k].opening);
        rill_ranges_destroy(&r);
    }
    /* Costs matter: the ranges are not those of nodes alone. */
    rill_ranges even, r;
    ASSERT_OK(rill_ranges_create(domain, 3, NULL, &even));
    ASSERT_OK(rill_ranges_create(domain, 3, &costs[0], &r));
    cr_assert_neq(even.range[0].end, r.range[0].end);
    rill_ranges_destroy(&even);
    rill_ranges_destroy(&r);
    geom->surface = NULL;
    surface_free(&s);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* The middle of 1,024,000 nodes is within an opening: it is avoided if 2 % suffice, else not. */
Test(ranges, avoid_openings)
{
    const struct {
        uint64_t from, count;
        bool cut;
    } cases[] = {{510000, 6000, false}, {505000, 12000, false}, {480000, 70000, true}, {0, 1000, false}};
    rill_geom *geom = box(80, 160, 0);
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        surface s;
        surface_make(&s, 0, 0, cases[k].from, cases[k].count);
        geom->surface = &s.surface;
        rill_domain *domain = domain_of(geom);
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, 2, NULL, &r));
        const uint64_t at = r.range[0].end;
        cr_assert_eq(at > cases[k].from && at < cases[k].from + cases[k].count, cases[k].cut, "cut at %llu",
                     (unsigned long long)at);
        cr_assert_leq(dearest(&r), 1.02 * ((double)domain->nodes / 2 + RILL_CHUNK));
        if (cases[k].cut) cr_assert_leq(dearest(&r), (double)domain->nodes / 2 + RILL_CHUNK);
        cr_assert_eq(r.split, cases[k].cut);
        rill_ranges_destroy(&r);
        /* What a cut opening costs is worth as many nodes. */
        ASSERT_OK(rill_ranges_create(domain, 2, &(rill_part_costs){.split = 5e4}, &r));
        cr_assert_eq(r.split, 0, "cut at %u", r.range[0].end);
        cr_assert_leq(dearest(&r), 1.02 * ((double)domain->nodes / 2 + RILL_CHUNK) + 5e4);
        rill_ranges_destroy(&r);
        geom->surface = NULL;
        surface_free(&s);
        rill_domain_destroy(domain);
    }
    rill_geom_destroy(geom);
}

static uint64_t random_next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Planes of random porosity, random walls, openings and costs. */
Test(ranges, hold_for_random_domains)
{
    uint64_t seed = 5, made = 0;
    for (int k = 0; k < 150; k++) {
        const uint32_t edge = 8 + (uint32_t)(random_next(&seed) % 60),
                       planes = 3 + (uint32_t)(random_next(&seed) % 70);
        rill_geom *geom = box(edge, planes, 0);
        uint64_t largest = 0;
        for (uint64_t z = 0; z < planes; z++) {
            const uint64_t of = random_next(&seed) % 101;
            uint64_t nodes = 0;
            for (uint64_t v = z * edge * edge; v < (z + 1) * edge * edge; v++) {
                geom->voxels[v] = random_next(&seed) % 100 < of ? RILL_FLUID : RILL_SOLID;
                nodes += geom->voxels[v] == RILL_FLUID;
            }
            largest = nodes > largest ? nodes : largest;
        }
        if (largest == 0) geom->voxels[0] = RILL_FLUID, largest = 1;
        rill_domain *domain = domain_of(geom);
        surface s;
        surface_make(&s, random_next(&seed) % domain->nodes, random_next(&seed) % 5000 + 1,
                     random_next(&seed) % domain->nodes, random_next(&seed) % 3000 + 1);
        geom->surface = &s.surface;
        const rill_part_costs costs = {0.1 * (double)(random_next(&seed) % 60),
                                       (double)(random_next(&seed) % 20),
                                       (double)(random_next(&seed) % 3) * 1e4};
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, 1 + (int)(random_next(&seed) % 12), &costs, &r));
        expect_whole(domain, &r, largest);
        made += (uint64_t)r.count;
        rill_ranges_destroy(&r);
        geom->surface = NULL;
        surface_free(&s);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    cr_assert_gt(made, 450);
}
