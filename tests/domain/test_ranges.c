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

/* Return whether a part may have the chunks first ... end - 1: it and the planes beside overlap nowhere. */
static bool allowed(const rill_domain *domain, uint64_t first, uint64_t end)
{
    const uint64_t last = end * RILL_CHUNK < domain->nodes ? end * RILL_CHUNK : domain->nodes;
    const uint32_t planes = rill_ranges_plane(domain, (rill_node)(last - 1)) -
                            rill_ranges_plane(domain, (rill_node)(first * RILL_CHUNK)) + 1;
    return domain->geom->sides[2] != RILL_PERIODIC || planes + 2 <= domain->geom->n[2];
}

static uint64_t chunks_of(uint64_t nodes) { return (nodes + RILL_CHUNK - 1) / RILL_CHUNK; }

/* Check what holds for all ranges. */
static void expect_whole(const rill_domain *domain, const rill_ranges *r)
{
    cr_assert_eq(r->range[0].first, 0);
    cr_assert_eq(r->range[r->count - 1].end, domain->nodes);
    for (int p = 0; p < r->count; p++) {
        const rill_node first = r->range[p].first, end = r->range[p].end;
        cr_assert_eq(first % RILL_CHUNK, 0);
        cr_assert_lt(first, end);
        if (p) cr_assert_eq(first, r->range[p - 1].end);
        cr_assert(r->count == 1 || allowed(domain, first / RILL_CHUNK, chunks_of(end)), "nodes %u to %u",
                  first, end);
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
        expect_whole(domain, &r);
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

/* A part has a chunk of 4,096 nodes at least. In a periodic box two planes have none of its nodes: of three
 * planes with a chunk each there may be three parts, but not two. */
Test(ranges, are_fewer_where_there_are_few_chunks_or_planes)
{
    const struct {
        uint32_t edge, planes, thin;
        rill_side side;
        int given, made;
    } cases[] = {
        {50, 200, 0, RILL_PERIODIC, 64, 64},  {50, 200, 0, RILL_PERIODIC, 200, 123},
        {50, 3, 0, RILL_PERIODIC, 2, 1},      {50, 3, 0, RILL_WALL, 3, 2},
        {50, 8, 0, RILL_PERIODIC, 4, 4},      {64, 2, 0, RILL_PERIODIC, 9, 1},
        {64, 2, 0, RILL_MIRROR, 9, 2},        {64, 3, 0, RILL_PERIODIC, 9, 3},
        {64, 3, 0, RILL_PERIODIC, 2, 1},      {64, 4, 0, RILL_PERIODIC, 2, 2},
        {100, 1, 0, RILL_PERIODIC, 2, 1},     {100, 1, 0, RILL_WALL, 9, 3},
        {10, 40, 0, RILL_PERIODIC, 7, 1},     {10, 82, 0, RILL_PERIODIC, 7, 3},
        {90, 12, 9, RILL_PERIODIC, 2, 2},     {90, 12, 9, RILL_PERIODIC, 3, 3},
        {90, 3, 0, RILL_PERIODIC, 2, 1},      {90, 14, 9, RILL_PERIODIC, 5, 5},
        {200, 40, 35, RILL_PERIODIC, 40, 40}, {130, 30, 25, RILL_PERIODIC, 2, 2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        rill_geom *geom = box(cases[k].edge, cases[k].planes, cases[k].thin);
        geom->sides[2] = cases[k].side;
        rill_domain *domain = domain_of(geom);
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, cases[k].given, NULL, &r));
        cr_assert_eq(r.count, cases[k].made, "case %zu: %d parts", k, r.count);
        expect_whole(domain, &r);
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

/* Return the least cost of the dearest of so many parts, of all cuts that there are; infinity: there are
 * none.
 */
static double best_of(const rill_domain *domain, const surface *s, const rill_part_costs *costs, int parts)
{
    enum { MOST = 128 };
    const uint64_t chunks = chunks_of(domain->nodes);
    double cost[MOST] = {0}, best[MOST + 1]; /* of a chunk; of the parts so far, by where the last one ends */
    bool open[MOST] = {false};
    cr_assert_leq(chunks, MOST);
    for (uint64_t k = 0; k < chunks; k++)
        cost[k] = k + 1 < chunks ? RILL_CHUNK : (double)(domain->nodes - k * RILL_CHUNK);
    for (uint64_t k = 0; k < s->surface.wall_count; k++)
        if (s->surface.walls[k].node < domain->nodes)
            cost[s->surface.walls[k].node / RILL_CHUNK] += costs->wall;
    for (uint64_t k = 0; k < s->opening.cut_count; k++)
        if (s->opening.cuts[k].node < domain->nodes) {
            cost[s->opening.cuts[k].node / RILL_CHUNK] += costs->opening_link;
            open[s->opening.cuts[k].node / RILL_CHUNK] = true;
        }
    for (uint64_t k = 0; k <= chunks; k++) best[k] = k ? INFINITY : 0;
    for (int p = 0; p < parts; p++)
        for (uint64_t end = chunks + 1; end-- > 0;) {
            double sum = 0, least = INFINITY;
            bool opening = false;
            for (uint64_t first = end; first-- > 0;) {
                sum += cost[first];
                opening = opening || open[first];
                if (allowed(domain, first, end) || parts == 1)
                    least = fmin(least, fmax(best[first], sum + (opening ? costs->opening : 0)));
            }
            best[end] = least;
        }
    return best[chunks];
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
        const double best = best_of(domain, &s, &costs[k], 3);
        expect_whole(domain, &r);
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
        cr_assert_eq(r.split, 0, "cut at %llu", (unsigned long long)r.range[0].end);
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

/* Planes of random porosity, random walls, openings and costs: there are as many parts as can be, and they
 * are balanced as well as can be. */
Test(ranges, hold_for_random_domains)
{
    uint64_t seed = 5, made = 0, fewer = 0;
    for (int k = 0; k < 300; k++) {
        const bool flat = k % 2;
        const uint32_t edge = (flat ? 60 : 8) + (uint32_t)(random_next(&seed) % 60),
                       planes = (flat ? 1 : 3) + (uint32_t)(random_next(&seed) % (flat ? 7 : 30));
        rill_geom *geom = box(edge, planes, 0);
        geom->sides[2] = random_next(&seed) % 4 ? RILL_PERIODIC : RILL_WALL;
        for (uint64_t z = 0; z < planes; z++) {
            const uint64_t of = random_next(&seed) % 101;
            for (uint64_t v = z * edge * edge; v < (z + 1) * edge * edge; v++)
                geom->voxels[v] = random_next(&seed) % 100 < of ? RILL_FLUID : RILL_SOLID;
        }
        geom->voxels[0] = RILL_FLUID;
        rill_domain *domain = domain_of(geom);
        surface s;
        surface_make(&s, random_next(&seed) % domain->nodes, random_next(&seed) % 5000 + 1,
                     random_next(&seed) % domain->nodes, random_next(&seed) % 3000 + 1);
        geom->surface = &s.surface;
        const rill_part_costs costs = {0.1 * (double)(random_next(&seed) % 60),
                                       (double)(random_next(&seed) % 20),
                                       (double)(random_next(&seed) % 3) * 1e4};
        const int given = 1 + (int)(random_next(&seed) % 12), chunks = (int)chunks_of(domain->nodes),
                  most = given < chunks ? given : chunks;
        const double best = best_of(domain, &s, &costs, most);
        rill_ranges r;
        ASSERT_OK(rill_ranges_create(domain, given, &costs, &r));
        expect_whole(domain, &r);
        cr_assert_eq(r.count, isfinite(best) ? most : 1, "domain %d: %d parts of %d", k, r.count, most);
        cr_assert(r.count < most || dearest(&r) <= 1.0201 * best, "domain %d: %g, and %g is possible", k,
                  dearest(&r), best);
        made += (uint64_t)r.count;
        fewer += r.count < most;
        for (int parts = 2; parts < most && r.count == 1; parts++)
            cr_assert(!isfinite(best_of(domain, &s, &costs, parts)), "domain %d: %d parts", k, parts);
        rill_ranges_destroy(&r);
        geom->surface = NULL;
        surface_free(&s);
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
    cr_assert(made > 800 && fewer > 20, "%d parts, and %d times one", (int)made, (int)fewer);
}
