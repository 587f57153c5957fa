/* SPDX-License-Identifier: Apache-2.0 */
/* Geometries that are drawn when they are read: their voxels, domains, parts and models are those of the same
 * voxels that are held, and a part draws no planes but its own and those beside it. */
#include "backends.h"
#include "bench/bench_plan.h"
#include "bench/scaling.h"
#include "core/memory.h"
#include "core/sanitized.h"
#include "domain/parts.h"
#include "geometry/generate/generate.h"
#include "geometry/voxels/planes.h"

#include <stdlib.h>
#include <string.h>

static rill_bench_shape overlap(uint32_t cells)
{
    return (rill_bench_shape){
        .suite = RILL_SUITE_SCALING, .cells = cells, .porosity = 0.06, .scaling = RILL_SCALING_OVERLAP};
}

static void expect_voxels(const rill_geom *whole, const rill_geom *drawn)
{
    rill_geom *read = NULL;
    cr_assert_null(drawn->voxels);
    cr_assert_arr_eq(whole->n, drawn->n, sizeof whole->n);
    ASSERT_OK(rill_geom_create(whole->n, &read));
    ASSERT_OK(rill_geom_take_voxels(read, drawn));
    cr_assert_arr_eq(whole->voxels, read->voxels, rill_geom_voxels(whole));
    cr_assert_eq(rill_geom_fluid(whole), rill_geom_fluid(drawn));
    cr_assert_eq(whole->porosity.total, drawn->porosity.total);
    rill_geom_destroy(read);
}

Test(drawn, packs_have_the_same_voxels)
{
    rill_pack_options o = rill_pack_options_default();
    rill_pack pack;
    rill_geom *whole = NULL;
    o.n[0] = 70, o.n[1] = 33, o.n[2] = 41, o.porosity = 0.2, o.overlap = true;
    ASSERT_OK(rill_pack_create(&o, &pack));
    ASSERT_OK(rill_generate_pack(&o, &pack, NULL, &whole));
    for (uint32_t window = 0; window < 50; window = 2 * window + 1) {
        rill_drawn *drawn = NULL;
        rill_window w;
        ASSERT_OK(rill_generate_pack_drawn(&o, window, &drawn));
        rill_geom *geom = rill_drawn_geom(drawn);
        expect_voxels(whole, geom);
        w = (rill_window){.geom = geom};
        ASSERT_OK(rill_window_see(&w, 3, 2));
        w.voxels[0] = !w.voxels[0];
        cr_expect_eq(rill_window_keep(&w, geom), RILL_USAGE);
        rill_window_close(&w);
        rill_drawn_destroy(drawn);
    }
    rill_pack_destroy(&pack);
    rill_geom_destroy(whole);
}

/* A box, whole and drawn, with its nodes. */
typedef struct both {
    rill_geom *whole;
    rill_drawn *drawn;
    rill_domain *domain[2]; /* whole, drawn */
} both;

static both both_make(uint32_t cells, uint32_t window)
{
    both b = {.whole = NULL};
    const rill_bench_shape shape = overlap(cells);
    const rill_domain_options o = {RILL_D3Q19, 2};
    ASSERT_OK(rill_bench_shape_make(&shape, &b.whole));
    ASSERT_OK(rill_bench_shape_draw(&shape, window, &b.drawn));
    ASSERT_OK(rill_domain_create(b.whole, &o, &b.domain[0]));
    ASSERT_OK(rill_domain_create(rill_drawn_geom(b.drawn), &o, &b.domain[1]));
    cr_assert_null(b.domain[1]->numbering.occupied);
    cr_assert_eq(b.domain[0]->nodes, b.domain[1]->nodes);
    return b;
}

static void both_free(both *b)
{
    for (int k = 0; k < 2; k++) rill_domain_destroy(b->domain[k]);
    rill_geom_destroy(b->whole);
    rill_drawn_destroy(b->drawn);
}

static void expect_links(const rill_cut_links *a, const rill_cut_links *b, int parts)
{
    cr_assert_gt(a->count, 0);
    cr_assert_eq(a->count, b->count);
    cr_assert_arr_eq(a->first, b->first, ((size_t)parts + 1) * sizeof *a->first);
    for (uint64_t k = 0; k < a->count; k++) {
        cr_assert_eq(a->links[k].node, b->links[k].node);
        cr_assert_eq(a->links[k].direction, b->links[k].direction);
    }
}

static void expect_part(const rill_part *a, const rill_part *b, int parts)
{
    const rill_numbering *n = &a->domain->numbering, *m = &b->domain->numbering;
    const size_t words = n->row_words * n->n[1] * n->n[2];
    cr_assert_eq(a->first, b->first);
    cr_assert_eq(a->end, b->end);
    cr_assert_eq(a->low, b->low);
    cr_assert_eq(a->high, b->high);
    cr_assert_eq(a->domain->first, b->domain->first);
    cr_assert_arr_eq(n->n, m->n, sizeof n->n);
    cr_assert_arr_eq(n->occupied, m->occupied, words * sizeof *n->occupied);
    cr_assert_arr_eq(n->base, m->base, words * sizeof *n->base);
    expect_links(&a->sends, &b->sends, parts);
    expect_links(&a->receives, &b->receives, parts);
}

/* Cuts, numbers of nodes and lists of links are those of the whole. */
Test(drawn, parts_are_those_of_the_whole)
{
    for (uint32_t cells = 64; cells <= 96; cells += 32) {
        both b = both_make(cells, cells == 64 ? 5 : 0);
        for (int count = 2; count <= 8; count *= 4) {
            rill_ranges ranges[2];
            rill_parts parts[2];
            for (int k = 0; k < 2; k++) {
                ASSERT_OK(rill_ranges_create(b.domain[k], count, NULL, &ranges[k]));
                ASSERT_OK(rill_parts_create(&ranges[k], &parts[k]));
            }
            cr_assert_gt(ranges[0].count, 1);
            cr_assert(cells == 64 || ranges[0].count == count);
            cr_assert_eq(ranges[0].count, ranges[1].count);
            for (int p = 0; p < ranges[0].count; p++) {
                for (int k = 0; k < 2; k++) ASSERT_OK(rill_parts_make(b.domain[k], p, &parts[k]));
                expect_part(&parts[0].part[p], &parts[1].part[p], ranges[0].count);
            }
            for (int k = 0; k < 2; k++) {
                rill_parts_destroy(&parts[k]);
                rill_ranges_destroy(&ranges[k]);
            }
        }
        both_free(&b);
    }
}

/* Stripes, and which planes were drawn. */
typedef struct stripes {
    int drawn[64];
} stripes;

enum { EDGE = 64 };

static void stripes_draw(const void *context, uint32_t z, uint8_t *voxels)
{
    stripes *s = (stripes *)context;
#pragma omp atomic
    s->drawn[z]++;
    for (uint32_t v = 0; v < EDGE * EDGE; v++) voxels[v] = v % 3 == z % 3 ? RILL_SOLID : RILL_FLUID;
}

/* Of 64 planes in four parts, a part draws its 16 or 17 and the two beside them, once; those of the first
 * part are around the end. Plane 0 is held. */
Test(drawn, a_part_draws_its_planes_alone)
{
    const uint32_t n[3] = {EDGE, EDGE, EDGE};
    stripes seen = {{0}};
    rill_drawn *drawn = NULL;
    rill_domain *domain = NULL;
    rill_ranges ranges;
    rill_parts parts;
    ASSERT_OK(rill_drawn_create(n, &(rill_drawing){&seen, stripes_draw, NULL}, 1, &drawn));
    for (int z = 0; z < EDGE; z++) cr_assert_eq(seen.drawn[z], 1);
    ASSERT_OK(rill_domain_create(rill_drawn_geom(drawn), &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_ranges_create(domain, 4, NULL, &ranges));
    ASSERT_OK(rill_parts_create(&ranges, &parts));
    for (int z = 0; z < EDGE; z++) cr_assert_eq(seen.drawn[z], 1);
    for (int p = 0; p < 4; p++) {
        const uint32_t low = rill_ranges_plane(domain, ranges.range[p].first),
                       high = rill_ranges_plane(domain, ranges.range[p].end - 1);
        memset(&seen, 0, sizeof seen);
        ASSERT_OK(rill_parts_make(domain, p, &parts));
        for (uint32_t z = 1; z < EDGE; z++) {
            const bool beside = (z + 1) % EDGE == low || z == (high + 1) % EDGE;
            cr_expect_eq(seen.drawn[z], (z >= low && z <= high) || beside, "part %d, plane %u: %d times", p,
                         z, seen.drawn[z]);
        }
    }
    rill_parts_destroy(&parts);
    rill_ranges_destroy(&ranges);
    rill_domain_destroy(domain);
    rill_drawn_destroy(drawn);
}

static rill_scaling_case case_of(const rill_domain *domain, rill_device *const *devices, int parts,
                                 rill_stream stream)
{
    rill_scaling_case c = {.domain = domain,
                           .variant = rill_variant_default(),
                           .tau = 1,
                           .magic = 0.1875,
                           .devices = devices,
                           .parts = parts,
                           .bench = {.seconds = 0.001, .tolerance = 10, .max_steps = 30}};
    c.variant.stream = stream;
    c.variant.addressing = RILL_BITMAP;
    return c;
}

/* All populations after a few steps are the same: in one piece, where all planes are drawn, and in parts. */
Test(drawn, steps_have_the_same_bits)
{
    rill_device *device = NULL;
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    rill_device *const devices[3] = {device, device, device};
    both b = both_make(64, 7);
    uint64_t hash, other;
    for (int s = 0; s < 2; s++) {
        const rill_scaling_case whole = case_of(b.domain[0], devices, 1, s ? RILL_ESOPULL : RILL_AA);
        ASSERT_OK(rill_scaling_hash(&whole, &hash));
        for (int parts = 1; parts <= 3; parts += 2) {
            const rill_scaling_case some = case_of(b.domain[1], devices, parts, whole.variant.stream);
            ASSERT_OK(rill_scaling_hash(&some, &other));
            cr_expect_eq(hash, other, "%d parts", parts);
        }
    }
    both_free(&b);
    rill_device_destroy(device);
}

/* Plans and models are the same, and the memory that parts take is that of the plan. */
Test(drawn, models_are_those_of_the_whole)
{
    rill_device *device = NULL;
    const rill_scaling_link link = {1e-6, 1e9};
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    both b = both_make(96, 0);
    for (int count = 2; count <= 8; count *= 4)
        for (int s = 0; s < 2; s++) {
            rill_scaling_part plan[2][8], made[2][8];
            rill_scaling_record r[2];
            uint64_t host[2];
            for (int k = 0; k < 2; k++) {
                rill_scaling_case c = case_of(b.domain[k], &device, count, s ? RILL_PULL : RILL_AA);
                ASSERT_OK(rill_scaling_plan(&c, plan[k], &host[k]));
                c.each = made[k];
                ASSERT_OK(rill_scaling_model(&c, &link, count, &r[k]));
            }
            cr_assert_arr_eq(plan[0], plan[1], (size_t)count * sizeof **plan);
            cr_expect_eq(host[0], host[1]);
            cr_expect_eq(r[0].bytes, r[1].bytes);
            cr_expect_eq(r[0].largest, r[1].largest);
            cr_expect_eq(r[0].timed.porosity, r[1].timed.porosity);
            uint64_t nodes = 0, held = 0;
            for (int p = 0; p < count; p++) {
                const rill_scaling_part *x = &made[0][p], *y = &made[1][p];
                nodes += y->nodes;
                held = y->held > held ? y->held : held;
                cr_expect_eq(y->nodes, plan[1][p].nodes);
                cr_expect_eq(y->planned, plan[1][p].planned);
                cr_expect_eq(x->nodes, y->nodes);
                cr_expect_eq(x->bytes, y->bytes);
                cr_expect_eq(x->held, y->held);
                cr_expect(y->bytes > 0 && y->bytes <= plan[1][p].bytes);
                cr_expect(y->looped > 0 && y->alone > 0 && y->making > 0);
                const double ratio = (double)y->held / (double)y->planned;
                cr_expect(ratio > 0.85 && ratio < 1.05, "part %d of %d: %g of what was planned", p, count,
                          ratio);
            }
            cr_expect_eq(nodes, b.domain[1]->nodes);
            cr_expect_eq(held, r[1].timed.bytes_held);
        }
    both_free(&b);
    rill_device_destroy(device);
}

/* Set how much more memory than it holds a process may take. */
static void room_set(uint64_t more)
{
    uint64_t available;
    char room[32];
    setenv("RILL_MEMORY", "1GiB", 1);
    ASSERT_OK(rill_memory_available(&available)); /* what the process holds already counts, too */
    snprintf(room, sizeof room, "%lluKiB",
             (unsigned long long)(((UINT64_C(1) << 30) - available + more) / 1024));
    setenv("RILL_MEMORY", room, 1);
}

/* No plane is drawn for a simulation that a device does not hold. */
Test(drawn, one_that_does_not_fit_is_refused)
{
    const uint32_t n[3] = {EDGE, EDGE, EDGE};
    stripes seen = {{0}};
    rill_drawn *drawn = NULL;
    rill_domain *domain = NULL;
    rill_device *device = NULL;
    rill_scaling_record r;
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    ASSERT_OK(rill_drawn_create(n, &(rill_drawing){&seen, stripes_draw, NULL}, 0, &drawn));
    ASSERT_OK(rill_domain_create(rill_drawn_geom(drawn), &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    const rill_scaling_case one = case_of(domain, &device, 1, RILL_AA);
    room_set(UINT64_C(4) << 20); /* of 13 MiB */
    memset(&seen, 0, sizeof seen);
    cr_expect_eq(rill_scaling_run(&one, &r), RILL_SYSTEM);
    cr_expect_not_null(strstr(rill_error_message(), "the populations and index lists"), "%s",
                       rill_error_message());
    for (int z = 0; z < EDGE; z++) cr_expect_eq(seen.drawn[z], 0);
    unsetenv("RILL_MEMORY");
    rill_domain_destroy(domain);
    rill_drawn_destroy(drawn);
    rill_device_destroy(device);
}

/* Parts that the device does not hold are refused, and more of them are not. */
Test(drawn, parts_that_do_not_fit_are_refused)
{
    rill_device *device = NULL;
    const rill_scaling_link link = {1e-6, 1e9};
    ASSERT_OK(rill_device_create(RILL_BACKEND_CPU, 0, &device));
    both b = both_make(96, 0);
    const rill_scaling_case two = case_of(b.domain[1], &device, 2, RILL_AA),
                            eight = case_of(b.domain[1], &device, 8, RILL_AA);
    rill_scaling_part each[8];
    rill_scaling_record r;
    uint64_t host;
    ASSERT_OK(rill_scaling_plan(&two, each, &host));
    room_set(each[0].planned / 16 * 15);
    cr_expect_eq(rill_scaling_model(&two, &link, 2, &r), RILL_SYSTEM);
    cr_expect_not_null(strstr(rill_error_message(), "the largest part"), "%s", rill_error_message());
    /* A sanitizer holds back what was freed: there each part of the eight takes memory of its own. */
    room_set(each[0].planned / 16 * 15 * (SANITIZED ? 4 : 1));
    cr_expect_neq(rill_scaling_model(&eight, &link, 1, &r), RILL_OK); /* they fit, but not the noise */
    cr_expect_not_null(strstr(rill_error_message(), "noise"), "%s", rill_error_message());
    unsetenv("RILL_MEMORY");
    both_free(&b);
    rill_device_destroy(device);
}
