/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a domain that has more nodes than 32 bits count: they are those of a domain of a few planes, whose
 * nodes have other numbers in the whole. */
#include "backends.h"
#include "domain/layers.h"
#include "domain/parts.h"
#include "geometry/voxels/planes.h"
#include "sim/arrivals.h"
#include "sim/refined.h"
#include "sim/several.h"
#include "sim/sim_priv.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* Planes repeat after PERIOD. The large domain has BEFORE planes more in front than the small one. */
enum {
    NX = 128,
    NY = 96,
    PERIOD = 16,
    SMALL = 3 * PERIOD,
    ROW_WORDS = NX / 64,
    PLANE_WORDS = NY * ROW_WORDS
};

/* Two parts that numbers of 32 bits do not tell from others: 2^32 lies in the first of them. */
enum { FIRST = 1, SECOND, PARTS = 4 };

static uint64_t word_at(uint64_t z, uint64_t word)
{
    uint64_t state = z % PERIOD * PLANE_WORDS + word + 1, bits = 0;
    for (int k = 0; k < 2; k++) { /* three of four voxels are fluid */
        state = state * 6364136223846793005u + 1442695040888963407u;
        state ^= state >> 29;
        bits |= state;
    }
    return bits;
}

/* Planes that nobody has: they are computed. Process 1 has all but the first half. */
static uint64_t first_plane;

static rill_status take(void *context, int process, uint64_t bytes, const char *what, void **memory)
{
    (void)process, (void)bytes, (void)what;
    *memory = context;
    return RILL_OK;
}

static void give_back(void *context, int process, void *memory)
{
    (void)context, (void)process, (void)memory;
}

static rill_status put(void *context, int process, void *memory, const void *from, uint64_t bytes)
{
    (void)context, (void)process, (void)memory, (void)from, (void)bytes;
    return RILL_USAGE;
}

static rill_status get(void *context, int process, const void *memory, void *to, uint64_t bytes)
{
    (void)process;
    const uint64_t word = (uint64_t)((const char *)memory - (const char *)context) / sizeof(uint64_t);
    for (uint64_t k = 0; k < bytes / sizeof(uint64_t); k++)
        ((uint64_t *)to)[k] = word_at(first_plane + (word + k) / PLANE_WORDS, (word + k) % PLANE_WORDS);
    return RILL_OK;
}

/* Return a domain of so many planes, of which only the nodes of each are known. */
static rill_domain *large(uint32_t nz, rill_geom **geom, rill_numbering *counted)
{
    const uint32_t n[3] = {NX, NY, nz};
    static char nothing;
    const rill_keeper keeper = {
        .count = 2, .context = &nothing, .take = take, .give_back = give_back, .put = put, .get = get};
    rill_domain *domain = NULL;
    first_plane = (nz + 1) / 2;
    ASSERT_OK(rill_geom_create_kept(n, &keeper, geom));
    (*geom)->sides[2] = RILL_WALL;
    *counted = (rill_numbering){.n = {NX, NY, nz + 1}, .row_words = ROW_WORDS};
    counted->before = calloc((size_t)nz + 2, sizeof *counted->before);
    for (uint32_t z = 0; z < nz; z++) {
        counted->before[z + 1] =
            z < PERIOD ? counted->before[z]
                       : counted->before[z] + counted->before[z % PERIOD + 1] - counted->before[z % PERIOD];
        for (uint64_t w = 0; w < PLANE_WORDS && z < PERIOD; w++)
            counted->before[z + 1] += (uint64_t)__builtin_popcountll(word_at(z, w));
    }
    counted->nodes = counted->before[nz + 1] = counted->before[nz];
    const rill_domain_options options = {.lattice = RILL_D3Q19, .flow_axis = -1};
    ASSERT_OK(rill_domain_create_numbered(*geom, &options, counted, &domain));
    return domain;
}

static rill_domain *small(rill_geom **geom)
{
    const uint32_t n[3] = {NX, NY, SMALL};
    rill_domain *domain = NULL;
    ASSERT_OK(rill_geom_create(n, geom));
    (*geom)->sides[2] = RILL_WALL;
    for (uint64_t v = 0; v < rill_geom_voxels(*geom); v++)
        (*geom)->voxels[v] = word_at(v / 64 / PLANE_WORDS, v / 64 % PLANE_WORDS) >> v % 64 & 1;
    const rill_domain_options options = {.lattice = RILL_D3Q19, .flow_axis = -1};
    ASSERT_OK(rill_domain_create(*geom, &options, &domain));
    return domain;
}

/* Cut a domain into four parts, and make the two in the middle. @param before  nodes that it has in front of
 * those of the small domain @param cuts  [3], numbers there */
static rill_parts cut(const rill_domain *whole, uint64_t before, const uint64_t *cuts)
{
    rill_range range[PARTS] = {{.first = 0}};
    rill_parts parts;
    for (int p = 0; p < PARTS; p++) {
        range[p].first = p > 0 ? range[p - 1].end : 0;
        range[p].end = p + 1 < PARTS ? before + cuts[p] : whole->nodes;
    }
    ASSERT_OK(rill_parts_create(&(rill_ranges){.range = range, .count = PARTS}, &parts));
    for (int p = FIRST; p <= SECOND; p++) ASSERT_OK(rill_parts_make(whole, p, &parts));
    return parts;
}

static void links_compare(const rill_cut_links *a, const rill_cut_links *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert_gt(a->count, 1000);
    cr_assert_arr_eq(a->first, b->first, (PARTS + 1) * sizeof *a->first);
    cr_assert_arr_eq(a->links, b->links, a->count * sizeof *a->links);
}

static void parts_compare(const rill_part *a, const rill_part *b, uint64_t before)
{
    const rill_numbering *x = &a->domain->numbering, *y = &b->domain->numbering;
    cr_assert_eq(a->first, b->first + before);
    cr_assert_eq(a->end, b->end + before);
    cr_assert_eq(a->low, b->low);
    cr_assert_eq(a->high, b->high);
    cr_assert_eq(a->domain->first, b->domain->first);
    cr_assert_eq(a->domain->nodes, b->domain->nodes);
    cr_assert_arr_eq(x->n, y->n, sizeof x->n);
    cr_assert_arr_eq(x->occupied, y->occupied,
                     (size_t)x->n[2] * x->n[1] * x->row_words * sizeof *x->occupied);
    links_compare(&a->sends, &b->sends);
    links_compare(&a->receives, &b->receives);
}

/* Numbers of nodes in the whole, in the part that they are in and in the one beside. */
static void numbers_compare(const rill_domain *a, const rill_parts *p, const rill_domain *b,
                            const rill_parts *q, uint64_t before)
{
    for (uint64_t k = q->part[FIRST].first; k < q->part[SECOND].end; k += 17) {
        const int part = rill_parts_of(q, k), beside = FIRST + SECOND - part;
        cr_assert_eq(rill_parts_of(p, before + k), part);
        cr_assert_eq(rill_ranges_plane(a, before + k) - rill_ranges_plane(a, before),
                     rill_ranges_plane(b, k));
        cr_assert_eq(rill_part_number(&p->part[part], before + k), rill_part_number(&q->part[part], k));
        if (k + NX * NY / 2 < q->part[SECOND].first || k > q->part[SECOND].first + NX * NY / 2) continue;
        cr_assert_eq(rill_part_number_beside(a, &p->part[beside], before + k),
                     rill_part_number_beside(b, &q->part[beside], k));
    }
}

/* Numbers of nodes in planes around a plane of the small domain, `more` planes farther in the large one. */
static void layers_compare(const rill_domain *a, uint32_t more, const rill_domain *b, uint64_t before)
{
    rill_layers x = {.first = 0}, y = {.first = 0};
    ASSERT_OK(rill_layers_take(a, (int64_t)more + PERIOD - 1, PERIOD + 2, &x));
    ASSERT_OK(rill_layers_take(b, PERIOD - 1, PERIOD + 2, &y));
    for (uint32_t z = PERIOD - 1; z < 2 * PERIOD + 1; z++)
        for (uint32_t v = 0; v < NX * NY; v += 7) {
            const rill_global_node of_a = rill_layers_node(&x, v % NX, v / NX, more + z),
                                   of_b = rill_layers_node(&y, v % NX, v / NX, z);
            cr_assert_eq(of_a, of_b == RILL_NO_NODE ? of_b : of_b + before);
        }
    rill_layers_free(&x);
    rill_layers_free(&y);
}

/* Take moments over from a coarser grid, and read populations, across the cut between two parts.
 * @param[out] moments  [4][count] of nodes from `first` on @param[out] values  [18] of links of node `first`
 */
static void coarser_take(rill_sim *sim, uint32_t more, rill_global_node first, uint64_t count,
                         double *moments, double *values)
{
    const uint32_t n[3] = {NX / 2, NY / 2, SMALL / 2}, planes = PERIOD;
    rill_layers fine = {.first = 0};
    rill_refined *refined = NULL;
    rill_arrivals *arrivals = NULL;
    rill_arrival links[18];
    double sum = 0;
    rill_numbering coarse;
    ASSERT_OK(rill_numbering_begin(n, &coarse));
    memset(coarse.occupied, 0xff, coarse.row_words * n[1] * n[2] * sizeof *coarse.occupied);
    rill_numbering_finish(&coarse);
    float *flow = malloc(4 * coarse.nodes * sizeof *flow);
    for (uint64_t k = 0; k < 4 * coarse.nodes; k++) flow[k] = 1e-3f * (float)(k % 89);
    ASSERT_OK(rill_layers_take(sim->domain, (int64_t)more + PERIOD, planes, &fine));
    const rill_geom *geom = sim->domain->geom;
    const rill_refiner view = {.fine = {.cells = {fine.numbering.occupied, fine.numbering.base},
                                        .n = {NX, NY, geom->n[2]},
                                        .ny = fine.numbering.n[1],
                                        .row_words = fine.numbering.row_words,
                                        .first = fine.first,
                                        .planes = fine.numbering.n[2],
                                        .box = fine.box},
                               .coarse = {.cells = {coarse.occupied, coarse.base},
                                          .n = {n[0], n[1], more / 2 + n[2]},
                                          .ny = n[1],
                                          .row_words = coarse.row_words,
                                          .first = more / 2,
                                          .planes = n[2],
                                          .box = more / 2 + n[2]},
                               .flow = flow,
                               .room = coarse.nodes,
                               .flow_nodes = coarse.nodes,
                               .rho_scale = 0.5,
                               .axis = 1,
                               .first_row = (uint64_t)(more + PERIOD) * NY,
                               .rows = (uint64_t)planes * NY};
    ASSERT_OK(rill_refined_create(sim, &view, false, &refined));
    ASSERT_OK(rill_refined_sum(refined, &sum));
    cr_assert_gt(sum, 1);
    ASSERT_OK(rill_refined_set(refined, 1 / sum));
    ASSERT_OK(rill_sim_moments(sim, first, count, moments, moments + count));
    for (uint32_t i = 0; i < 18; i++) links[i] = (rill_arrival){first, i + 1};
    ASSERT_OK(rill_arrivals_create(sim, &arrivals));
    ASSERT_OK(rill_arrivals_read(arrivals, links, 18, values));
    rill_arrivals_destroy(arrivals);
    rill_refined_destroy(refined);
    rill_layers_free(&fine);
    rill_numbering_destroy(&coarse);
    free(flow);
}

/* Set moments by numbers in the whole, across the cut between two parts, make steps, and read them. */
static void flow_compare(const rill_domain *a, const rill_parts *p, const rill_domain *b, const rill_parts *q,
                         uint64_t before, uint32_t more)
{
    enum { COUNT = 6000 };
    const rill_domain *domains[2] = {a, b};
    const rill_parts *parts[2] = {p, q};
    const uint64_t first[2] = {p->part[SECOND].first - COUNT / 3, q->part[SECOND].first - COUNT / 3};
    double *moments[2], *coarser[2], values[2][18];
    rill_sim_options o = rill_sim_options_default();
    o.on.backend = RILL_BACKEND_CPU;
    o.force[0] = 1e-4;
    cr_assert_eq(first[0], first[1] + before);
    for (int d = 0; d < 2; d++) {
        rill_sim *whole = NULL, *sims[2];
        ASSERT_OK(rill_sim_new(domains[d], &o, 1, &whole));
        rill_several several = {.parts = {.part = parts[d]->part + FIRST, .count = 2}, .sims = sims};
        whole->several = &several;
        for (int k = 0; k < 2; k++) ASSERT_OK(rill_sim_create(several.parts.part[k].domain, &o, &sims[k]));
        moments[d] = calloc(4 * COUNT, sizeof **moments);
        for (int k = 0; k < 4 * COUNT; k++) moments[d][k] = 1e-3 * (k % 97);
        ASSERT_OK(rill_sim_set_moments_of(whole, first[d], COUNT, moments[d], moments[d] + COUNT));
        for (int k = 0; k < 2; k++) ASSERT_OK(rill_sim_step(sims[k], 3));
        ASSERT_OK(rill_sim_moments(whole, first[d], COUNT, moments[d], moments[d] + COUNT));
        cr_assert_eq(rill_sim_moments(whole, domains[d]->nodes, 1, moments[d], NULL), RILL_USAGE);
        cr_assert_eq(rill_sim_moments(whole, 0, UINT64_MAX, moments[d], NULL), RILL_USAGE);
        coarser[d] = calloc(4 * COUNT, sizeof **coarser);
        coarser_take(whole, d == 0 ? more : 0, first[d], COUNT, coarser[d], values[d]);
        for (int k = 0; k < 2; k++) rill_sim_destroy(sims[k]);
        free(whole->flow);
        free(whole);
    }
    cr_assert_arr_eq(moments[0], moments[1], 4 * COUNT * sizeof **moments);
    cr_assert_arr_eq(coarser[0], coarser[1], 4 * COUNT * sizeof **coarser);
    cr_assert_arr_eq(values[0], values[1], sizeof values[0]);
    double u = 0;
    for (int k = COUNT; k < 4 * COUNT; k++) u += coarser[0][k] * coarser[0][k];
    cr_assert_gt(u, 0);
    for (int d = 0; d < 2; d++) {
        free(moments[d]);
        free(coarser[d]);
    }
}

/* What numbers nodes of the whole in 32 bits refuses more. */
static void refusals_check(const rill_domain *a, rill_geom *geom, const rill_numbering *counted)
{
    const rill_domain_options options = {.lattice = RILL_D3Q19, .flow_axis = -1};
    rill_sim_options o = rill_sim_options_default();
    rill_domain *domain = NULL;
    rill_boundary *face = NULL;
    rill_sim *sim = NULL;
    o.on.backend = RILL_BACKEND_CPU;
    cr_assert_eq(rill_sim_create(a, &o, &sim), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "that one device numbers"), "%s", rill_error_message());
    cr_assert_eq(rill_boundary_create_face(a, 2, -1, &face), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "boundary conditions"), "%s", rill_error_message());
    geom->sides[0] = RILL_MIRROR;
    cr_assert_eq(rill_domain_create_numbered(geom, &options, counted, &domain), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "across mirrored"), "%s", rill_error_message());
    geom->sides[0] = RILL_PERIODIC;
}

Test(parts, numbers_of_nodes_in_the_whole_go_beyond_32_bits)
{
    rill_geom *geoms[2] = {NULL};
    rill_numbering counted;
    rill_domain *b = small(&geoms[1]);
    const uint64_t period = rill_numbering_before_plane(&b->numbering, PERIOD), beyond = UINT64_C(1) << 32;
    const uint32_t repeats =
        (uint32_t)(beyond / period); /* 2^32 lies in the first period of the small domain */
    rill_domain *a = large(repeats * PERIOD + SMALL, &geoms[0], &counted);
    const uint64_t before = repeats * period, middle = beyond - before + period;
    /* One period farther, so that there are planes in front. */
    const uint64_t before_small = before - period;
    const uint64_t cuts[PARTS - 1] = {middle - 21000, middle + 3001, middle + 35003};
    rill_parts p = cut(a, before_small, cuts), q = cut(b, 0, cuts);
    cr_assert_gt(a->nodes, beyond);
    cr_assert_lt(p.part[FIRST].first, beyond);
    cr_assert_eq(p.part[SECOND].first, beyond + 3001);
    for (int k = FIRST; k <= SECOND; k++) parts_compare(&p.part[k], &q.part[k], before_small);
    numbers_compare(a, &p, b, &q, before_small);
    refusals_check(a, geoms[0], &counted);
    layers_compare(a, (repeats - 1) * PERIOD, b, before_small);
    flow_compare(a, &p, b, &q, before_small, (repeats - 1) * PERIOD);
    rill_parts_destroy(&p);
    rill_parts_destroy(&q);
    rill_domain_destroy(a);
    rill_domain_destroy(b);
    free(counted.before);
    for (int k = 0; k < 2; k++) rill_geom_destroy(geoms[k]);
}
