/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of arteries: Murray's laws, room between branches, voxels and links against brute force. */
#include "geometry/generate/generate.h"
#include "geometry/surface/mesh.h"
#include "geometry/voxels/components.h"
#include "kernel/lattice.h"

#include <criterion/criterion.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TestSuite(generate_arteries);

static rill_arteries grow(const rill_arteries_options *o)
{
    rill_arteries tree = {0};
    cr_assert_eq(rill_arteries_create(o, &tree), RILL_OK, "%s", rill_error_message());
    return tree;
}

/* A tree that is small enough for brute force. */
static rill_arteries_options small_options(void)
{
    return (rill_arteries_options){
        .outlets = 5, .radius = 5, .length = 4.5, .ratio = 0.7, .spacing = 1e-4, .seed = 3};
}

/* ---- the layout ------------------------------------------------------------------------------ */

static double angle_between(const rill_artery *a, const rill_artery *b)
{
    return acos(fmin(rill_dot(a->axis, b->axis), 1));
}

/* At every parting, from the ends of the axes alone. */
static void expect_murray(const rill_arteries *tree, const rill_arteries_options *o, int parent)
{
    const rill_artery *p = &tree->arteries[parent], *b[2];
    for (int k = 0; k < 2; k++) {
        b[k] = &tree->arteries[p->branches[k]];
        cr_expect_eq(b[k]->parent, parent);
        cr_expect_arr_eq(b[k]->from, p->to, sizeof p->to);
    }
    const double r0 = p->radius, r1 = b[0]->radius, r2 = b[1]->radius;
    cr_expect_float_eq(r1 * r1 * r1 + r2 * r2 * r2, r0 * r0 * r0, 1e-12 * r0 * r0 * r0);
    cr_expect(r2 / r1 >= o->ratio * (1 - 1e-12) && r2 <= r1, "ratio %g", r2 / r1);
    const double a1 = acos((pow(r0, 4) + pow(r1, 4) - pow(r2, 4)) / (2 * r0 * r0 * r1 * r1));
    const double a2 = acos((pow(r0, 4) + pow(r2, 4) - pow(r1, 4)) / (2 * r0 * r0 * r2 * r2));
    cr_expect_float_eq(angle_between(p, b[0]), a1, 1e-6);
    cr_expect_float_eq(angle_between(p, b[1]), a2, 1e-6);
    cr_expect_float_eq(angle_between(b[0], b[1]), a1 + a2, 1e-6); /* in one plane, to both sides */
}

static void expect_artery(const rill_arteries *tree, const rill_arteries_options *o, int k)
{
    const rill_artery *a = &tree->arteries[k];
    double d[3];
    rill_subtract(a->to, a->from, d);
    cr_expect_float_eq(sqrt(rill_dot(d, d)), o->length * a->radius, 1e-9 * a->length);
    cr_expect_float_eq(rill_dot(d, a->axis), a->length, 1e-9 * a->length);
    cr_expect_float_eq(rill_dot(a->axis, a->axis), 1, 1e-12);
}

Test(generate_arteries, branches_follow_murray)
{
    for (uint64_t seed = 1; seed <= 5; seed++) {
        rill_arteries_options o = rill_arteries_options_default();
        o.seed = seed;
        rill_arteries tree = grow(&o);
        int outlets = 0, least = 0;
        cr_expect_eq(tree.count, 399);
        for (int k = 0; k < tree.count; k++) {
            expect_artery(&tree, &o, k);
            if (tree.arteries[k].branches[0] >= 0)
                expect_murray(&tree, &o, k);
            else
                outlets++;
            least += tree.arteries[k].branches[0] >= 0 &&
                     tree.arteries[tree.arteries[k].branches[1]].radius <
                         0.7 * tree.arteries[tree.arteries[k].branches[0]].radius;
        }
        cr_expect_eq(outlets, 200);
        cr_expect_gt(least, 10); /* branches differ */
        rill_arteries_destroy(&tree);
    }
}

/* Return the least distance of sampled places on two axes less the radii. */
static double room_between(const rill_artery *a, const rill_artery *b)
{
    enum { samples = 48 };
    double least = INFINITY;
    for (int i = 0; i <= samples; i++)
        for (int j = 0; j <= samples; j++) {
            double d[3];
            for (int k = 0; k < 3; k++)
                d[k] = a->from[k] - b->from[k] + i * a->length / samples * a->axis[k] -
                       j * b->length / samples * b->axis[k];
            least = fmin(least, rill_dot(d, d));
        }
    return sqrt(least) - a->radius - b->radius;
}

Test(generate_arteries, branches_do_not_cross)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        rill_arteries_options o = rill_arteries_options_default();
        o.seed = seed;
        o.length = seed == 3 ? 4 : 5;
        rill_arteries tree = grow(&o);
        for (int k = 0; k < tree.count; k++)
            for (int l = 0; l < k; l++) {
                const rill_artery *a = &tree.arteries[k], *b = &tree.arteries[l];
                if (a->parent == l || a->parent == b->parent) continue; /* they meet where they part */
                cr_expect_geq(room_between(a, b), 3.9, "seed %d: %d and %d", (int)seed, k, l);
            }
        rill_arteries_destroy(&tree);
    }
}

Test(generate_arteries, boxes_fit)
{
    for (uint64_t seed = 1; seed <= 4; seed++) {
        rill_arteries_options o = small_options();
        o.seed = seed;
        rill_arteries tree = grow(&o);
        rill_geom *g = NULL;
        cr_assert_eq(rill_generate_arteries(&o, &tree, &g), RILL_OK, "%s", rill_error_message());
        uint32_t low[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, high[3] = {0};
        for (uint64_t v = 0; v < rill_geom_voxels(g); v++) {
            const uint64_t x[3] = {v % g->n[0], v / g->n[0] % g->n[1], v / g->n[0] / g->n[1]};
            for (int a = 0; a < 3 && g->voxels[v]; a++) {
                if (x[a] < low[a]) low[a] = (uint32_t)x[a];
                if (x[a] > high[a]) high[a] = (uint32_t)x[a];
            }
        }
        for (int a = 0; a < 3; a++) {
            cr_expect(low[a] >= 1 && low[a] <= 3, "axis %d: %u", a, low[a]);
            cr_expect(high[a] <= g->n[a] - 2 && high[a] + 5 >= g->n[a], "axis %d: %u of %u", a, high[a],
                      g->n[a]);
        }
        rill_geom_destroy(g);
        rill_arteries_destroy(&tree);
    }
}

/* ---- voxels and links ------------------------------------------------------------------------ */

/* Return how deep a place is within the arteries: the radius less the distance, cut off at flat ends. */
static double depth(const rill_arteries *tree, const double x[3])
{
    double deepest = -INFINITY;
    for (int k = 0; k < tree->count; k++) {
        const rill_artery *a = &tree->arteries[k];
        double p[3], q[3];
        rill_subtract(x, a->from, p);
        rill_subtract(x, a->to, q);
        const double along = rill_dot(p, a->axis), off = sqrt(fmax(rill_dot(p, p) - along * along, 0));
        deepest = fmax(deepest, fmin(a->radius - off, fmin(along, a->length - along)));
        if (a->branches[0] >= 0) deepest = fmax(deepest, a->radius - sqrt(rill_dot(q, q)));
    }
    return deepest;
}

Test(generate_arteries, voxels_equal_brute_force)
{
    const rill_arteries_options o = small_options();
    rill_arteries tree = grow(&o);
    rill_geom *g = NULL;
    uint64_t wrong = 0;
    cr_assert_eq(rill_generate_arteries(&o, &tree, &g), RILL_OK, "%s", rill_error_message());
    cr_expect_gt(rill_geom_voxels(g), 16 * 16 * 16 * 8); /* several cells */
    for (uint32_t z = 0; z < g->n[2]; z++)
        for (uint32_t y = 0; y < g->n[1]; y++)
            for (uint32_t x = 0; x < g->n[0]; x++) {
                const double p[3] = {x + 0.5, y + 0.5, z + 0.5}, d = depth(&tree, p);
                const bool fluid = g->voxels[x + g->n[0] * (y + (uint64_t)g->n[1] * z)] >= RILL_FLUID;
                wrong += fabs(d) > 1e-9 && fluid != (d > 0);
            }
    cr_expect_eq(wrong, 0);
    rill_geom_destroy(g);
    rill_arteries_destroy(&tree);
}

/* Write the place where a cut's link meets the surface. */
static void place_of(const rill_geom *g, const uint64_t *voxels, const rill_cut *cut, double x[3])
{
    const uint64_t v = voxels[cut->node];
    const uint64_t at[3] = {v % g->n[0], v / g->n[0] % g->n[1], v / g->n[0] / g->n[1]};
    for (int a = 0; a < 3; a++)
        x[a] = (double)at[a] + 0.5 - (double)cut->q * rill_c(RILL_D3Q27, cut->direction, a);
}

Test(generate_arteries, links_end_at_walls_and_openings)
{
    const rill_arteries_options o = small_options();
    rill_arteries tree = grow(&o);
    rill_geom *g = NULL;
    uint64_t nodes = 0, links = 0, found = 0;
    cr_assert_eq(rill_generate_arteries(&o, &tree, &g), RILL_OK, "%s", rill_error_message());
    const rill_surface *s = g->surface;
    uint64_t *voxels = calloc(rill_geom_fluid(g), sizeof *voxels);
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) {
        if (g->voxels[v] == RILL_SOLID) continue;
        voxels[nodes++] = v;
        for (int i = 1; i < RILL_Q_MAX; i++)
            links +=
                g->voxels[v - (uint64_t)(rill_c(RILL_D3Q27, i, 0) +
                                         (int64_t)g->n[0] * (rill_c(RILL_D3Q27, i, 1) +
                                                             (int64_t)g->n[1] * rill_c(RILL_D3Q27, i, 2)))] ==
                RILL_SOLID;
    }
    for (uint64_t k = 0; k < s->wall_count; k++) {
        double x[3];
        place_of(g, voxels, &s->walls[k], x);
        cr_expect_float_eq(depth(&tree, x), 0, 2e-6, "wall link %d: %g", (int)k, depth(&tree, x));
    }
    cr_assert_eq(s->opening_count, 6);
    for (int k = 0; k < s->opening_count; k++) {
        const rill_opening *p = &s->openings[k];
        const double radius = p->hydraulic_diameter / 2 / g->spacing;
        cr_expect_float_eq((double)p->cut_count, 9 * M_PI * radius * radius, 0.5 * (double)p->cut_count + 20);
        found += p->cut_count;
        for (uint64_t c = 0; c < p->cut_count; c++) {
            double x[3], d[3];
            place_of(g, voxels, &p->cuts[c], x);
            for (int a = 0; a < 3; a++) d[a] = x[a] - p->centre[a] / g->spacing;
            cr_expect_float_eq(rill_dot(d, p->normal), 0, 2e-6);
            cr_expect_leq(sqrt(rill_dot(d, d)), radius + 1e-6);
            cr_expect_eq(g->voxels[voxels[p->cuts[c].node]], p->label);
        }
    }
    cr_expect_eq(s->wall_count + found, links);
    free(voxels);
    rill_geom_destroy(g);
    rill_arteries_destroy(&tree);
}

Test(generate_arteries, openings_are_named_by_size)
{
    const rill_arteries_options o = rill_arteries_options_default();
    rill_arteries tree = grow(&o);
    rill_geom *g = NULL;
    rill_components found;
    double cubes = 0;
    cr_assert_eq(rill_generate_arteries(&o, &tree, &g), RILL_OK, "%s", rill_error_message());
    cr_expect_lt(g->porosity.total, 0.02);
    cr_assert_eq(g->surface->opening_count, 201);
    for (int k = 0; k < 201; k++) {
        const rill_opening *p = &g->surface->openings[k];
        char name[32] = "inlet";
        if (k) snprintf(name, sizeof name, "outlet-%d", k);
        cr_expect_str_eq(p->name, name);
        cr_expect_gt(p->cut_count, 9);
        cr_expect_float_eq(p->area, M_PI * pow(p->hydraulic_diameter / 2, 2), 1e-15);
        if (k) cubes += pow(p->hydraulic_diameter, 3);
        if (k > 1) cr_expect_leq(p->area, p[-1].area);
    }
    cr_expect_float_eq(g->surface->openings[0].hydraulic_diameter, 4e-3, 1e-12);
    cr_expect_float_eq(cubes, pow(4e-3, 3), 1e-12 * pow(4e-3, 3)); /* Murray's law over all generations */
    /* One component holds all nodes, so that every outlet is reached from the inlet. */
    cr_assert_eq(rill_components_clean(g, RILL_KEEP_ALL, -1, RILL_CONTACT_FACES, (rill_progress){0}, &found),
                 RILL_OK);
    cr_expect_eq(found.components, 1);
    rill_geom_destroy(g);
    rill_arteries_destroy(&tree);
}

/* ---- the same on every machine, refusals ----------------------------------------------------- */

/* Return the FNV-1a hash of the voxels, labels of openings included. */
static uint64_t hash(const rill_geom *g)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (uint64_t v = 0; v < rill_geom_voxels(g); v++) h = (h ^ g->voxels[v]) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t hash_of(uint64_t seed, uint64_t *walls)
{
    rill_arteries_options o = small_options();
    o.seed = seed;
    o.outlets = 20;
    o.radius = 9;
    rill_arteries tree = grow(&o);
    rill_geom *g = NULL;
    cr_assert_eq(rill_generate_arteries(&o, &tree, &g), RILL_OK, "%s", rill_error_message());
    const uint64_t h = hash(g);
    *walls = UINT64_C(0xcbf29ce484222325);
    for (uint64_t k = 0; k < g->surface->wall_count; k++) {
        const rill_cut *c = &g->surface->walls[k];
        uint32_t bits;
        memcpy(&bits, &c->q, sizeof bits);
        *walls = (*walls ^ bits ^ (uint64_t)c->node << 32 ^ (uint64_t)c->direction << 24) *
                 UINT64_C(0x100000001b3);
    }
    rill_geom_destroy(g);
    rill_arteries_destroy(&tree);
    return h;
}

Test(generate_arteries, voxels_depend_on_the_seed_alone)
{
    uint64_t walls, others, first = 0, first_walls = 0;
    for (int threads = 1; threads <= 3; threads++) {
        omp_set_num_threads(threads);
        const uint64_t h = hash_of(1, &walls);
        if (threads == 1) first = h, first_walls = walls;
        cr_expect_eq(h, first, "%d threads", threads);
        cr_expect_eq(walls, first_walls, "%d threads", threads);
    }
    cr_expect_eq(first, UINT64_C(0xc62394f820ed8bf8), "0x%016llx", (unsigned long long)first);
    cr_expect_neq(hash_of(2, &others), first);
}

static void expect_refusal(rill_arteries_options o, rill_status code, const char *text)
{
    rill_arteries tree = {0};
    cr_expect_eq(rill_arteries_create(&o, &tree), code, "%s", text);
    cr_expect_not_null(strstr(rill_error_message(), text), "\"%s\" does not say \"%s\"", rill_error_message(),
                       text);
    cr_expect_null(tree.arteries);
}

Test(generate_arteries, refuse_wrong_options)
{
    const rill_arteries_options good = rill_arteries_options_default();
#define REFUSED(code, text, ...)                                                                             \
    do {                                                                                                     \
        rill_arteries_options o = good;                                                                      \
        __VA_ARGS__;                                                                                         \
        expect_refusal(o, code, text);                                                                       \
    } while (0)
    REFUSED(RILL_USAGE, "1 outlets are not within 2 ... 252", o.outlets = 1);
    REFUSED(RILL_USAGE, "253 outlets", o.outlets = 253);
    REFUSED(RILL_USAGE, "nan voxels", o.radius = NAN);
    REFUSED(RILL_USAGE, "1e+06 voxels", o.radius = 1e6);
    REFUSED(RILL_USAGE, "length of 3 radii", o.length = 3);
    REFUSED(RILL_USAGE, "length of nan radii", o.length = NAN);
    REFUSED(RILL_USAGE, "ratio of radii of 1.1", o.ratio = 1.1);
    REFUSED(RILL_USAGE, "voxels of 0 m", o.spacing = 0);
    REFUSED(RILL_USAGE, "raise --radius to", o.radius = 8);
    REFUSED(RILL_USAGE, "lower --radius", o.radius = 1e5);
}
