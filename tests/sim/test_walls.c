/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Interpolated walls: that every variant does the same with them, that they are half-way at q = 1/2,
 * momentum, and refusals. Their physics is in tests/physics/walls.c.
 */
#include "core/sanitized.h"
#include "geometry/voxels/components.h"
#include "kernel/comparison/choices.h"
#include "geometry/voxels/exact_walls.h"
#include "kernel/lattice.h"
#include "sim/attached.h"
#include "sim/boundary.h"
#include "sim/sim.h"
#include "sim/sim_priv.h"
#include "variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static unsigned seed;

static unsigned random_below(unsigned n)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 16) % n;
}

/* Solid voxels at random: many gaps of one node. */
static rill_geom *box(bool flat, unsigned solid_of_ten, rill_side ends)
{
    const uint32_t n[3] = {11, 9, flat ? 1 : 7};
    rill_geom *geom = NULL;
    seed = 5;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        geom->voxels[v] = random_below(10) < solid_of_ten ? RILL_SOLID : RILL_FLUID;
    geom->sides[0] = ends;
    return geom;
}

/* Cuts of all wall links that do not cross a side, at q's that are half of them below 1/2. */
typedef struct cuts {
    rill_cut *all;
    uint64_t count;
    double q;           /* of all; below 0: at random */
    uint32_t low, high; /* of nodes from z = low to below high */
} cuts;

static bool cut_take(void *context, const rill_wall_link *link)
{
    cuts *c = context;
    if (link->beyond[0]) return false;
    int i = 0;
    while (rill_c(RILL_D3Q27, i, 0) != link->c[0] || rill_c(RILL_D3Q27, i, 1) != link->c[1] ||
           rill_c(RILL_D3Q27, i, 2) != link->c[2])
        i++;
    const float q = c->q < 0 ? (float)random_below(1001) / 1000 : (float)c->q;
    if (link->x[2] < c->low || link->x[2] >= c->high) return false;
    c->all = realloc(c->all, (c->count + 1) * sizeof *c->all);
    c->all[c->count++] = (rill_cut){link->node, 0, q, (uint8_t)i};
    return true;
}

static cuts cuts_between(const rill_domain *domain, double q, uint32_t low, uint32_t high)
{
    cuts c = {.q = q, .low = low, .high = high};
    seed = 11;
    rill_boundary *all = NULL;
    ASSERT_OK(rill_boundary_create(domain, cut_take, &c, &all));
    rill_boundary_destroy(all);
    return c;
}

static cuts cuts_of(const rill_domain *domain, double q) { return cuts_between(domain, q, 0, UINT32_MAX); }

/* A flow between an inlet and an outlet with a resistance, with interpolated walls that move. */
typedef struct rig {
    rill_domain *domain;
    rill_sim *sim;
    rill_node nodes;
    double *moments; /* [4][nodes] */
    int wall, inlet, outlet;
} rig;

typedef struct setting {
    double q;
    bool moving, openings_first, halfway, unmeasured, quadratic;
    uint32_t layer; /* voxels that each of several boundaries is high; 0: one boundary */
} setting;

static void swirl(void *context, const double x[3], double u[3])
{
    const double *factor = context;
    u[0] = 0.004 * sin(x[1]) * *factor;
    u[1] = 0.003 * *factor;
}

static void inlet_modes(void *context, const double x[3], int mode, double u[3])
{
    (void)context;
    u[0] = mode ? 0.002 * x[1] : 0.01;
}

static void pulse(void *context, uint64_t step, double *weights)
{
    (void)context;
    weights[0] = 1;
    weights[1] = sin(0.3 * (double)step);
}

static void openings_add(rig *r)
{
    rill_boundary *in = NULL, *out = NULL;
    const rill_windkessel behind = {0.01, 0.05, 300, 1e-3, 2e-3, 0.5};
    ASSERT_OK(rill_boundary_create_face(r->domain, 0, -1, &in));
    ASSERT_OK(rill_boundary_set_velocity_modes(in, 2, inlet_modes, NULL));
    ASSERT_OK(rill_sim_boundary_add(r->sim, in, &r->inlet));
    ASSERT_OK(rill_sim_patch_schedule(r->sim, r->inlet, pulse, NULL));
    ASSERT_OK(rill_boundary_create_face(r->domain, 0, 1, &out));
    ASSERT_OK(rill_boundary_set_density(out, 0));
    ASSERT_OK(rill_sim_boundary_add(r->sim, out, &r->outlet));
    ASSERT_OK(rill_sim_patch_windkessel(r->sim, r->outlet, &behind));
    rill_boundary_destroy(in);
    rill_boundary_destroy(out);
}

static void wall_add(rig *r, const setting *s, uint32_t low, uint32_t high)
{
    rill_boundary *b = NULL;
    cuts c = cuts_between(r->domain, s->q, low, high);
    double factor = s->moving ? 1 : 0;
    ASSERT_OK(rill_boundary_create_cuts(r->domain, c.all, c.count, &b));
    if (s->quadratic) ASSERT_OK(rill_boundary_set_quadratic(b));
    if (s->halfway) rill_boundary_set_halfway(b);
    if (!s->unmeasured) rill_boundary_set_measured(b);
    if (s->moving) ASSERT_OK(rill_boundary_set_velocity_profile(b, swirl, &factor));
    ASSERT_OK(rill_sim_boundary_add(r->sim, b, &r->wall));
    rill_boundary_destroy(b);
    free(c.all);
}

static void walls_add(rig *r, const setting *s)
{
    const uint32_t layer = s->layer ? s->layer : r->domain->geom->n[2];
    for (uint32_t z = 0; z < r->domain->geom->n[2]; z += layer) wall_add(r, s, z, z + layer);
}

static rig rig_start(const rill_geom *geom, rill_variant v, rill_backend_kind backend, const setting *s)
{
    rig r = {.inlet = -1, .outlet = -1};
    rill_sim_options options = rill_sim_options_default();
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){v.lattice, -1}, &r.domain));
    options.variant = v;
    options.on.backend = backend;
    options.tau = 0.8;
    options.force[0] = 1e-4;
    options.carreau_yasuda = (rill_carreau_yasuda){0.2, 0.05, 10, 2, 0.5};
    ASSERT_OK(rill_sim_create(r.domain, &options, &r.sim));
    if (s->openings_first) openings_add(&r);
    walls_add(&r, s);
    if (!s->openings_first && geom->sides[0] == RILL_WALL) openings_add(&r);
    r.nodes = rill_domain_nodes(r.domain);
    r.moments = calloc(4 * (size_t)r.nodes, sizeof *r.moments);
    return r;
}

static void rig_stop(rig *r)
{
    rill_sim_destroy(r->sim);
    rill_domain_destroy(r->domain);
    free(r->moments);
}

/* Step, then collect moments, forces and flows; return the largest difference to `other`. */
static double rig_compare(rig *r, rig *other, int steps)
{
    double largest = 0, force[2][3], flow[2], stored[2] = {0, 0};
    rig *both[2] = {r, other};
    for (int k = 0; k < 2; k++) {
        rig *at = both[k];
        ASSERT_OK(rill_sim_step(at->sim, (uint64_t)steps));
        ASSERT_OK(rill_sim_moments(at->sim, 0, at->nodes, at->moments, at->moments + at->nodes));
        ASSERT_OK(rill_sim_patch_force(at->sim, at->wall, force[k]));
        ASSERT_OK(rill_sim_patch_flow(at->sim, at->wall, &flow[k]));
        if (at->outlet >= 0) ASSERT_OK(rill_sim_patch_stored(at->sim, at->outlet, &stored[k]));
    }
    for (size_t i = 0; i < 4 * (size_t)r->nodes; i++)
        largest = fmax(largest, fabs(r->moments[i] - other->moments[i]));
    largest = fmax(largest, fmax(fabs(flow[0] - flow[1]), fabs(stored[0] - stored[1])));
    for (int a = 0; a < 3; a++) largest = fmax(largest, fabs(force[0][a] - force[1][a]));
    return isfinite(largest) ? largest : INFINITY;
}

/* Compare a variant with the CPU's pull list in fp64 after odd and even steps. */
static void expect_same(rill_variant v, rill_backend_kind backend, double epsilon)
{
    char name[96];
    rill_variant_name(v, name, sizeof name);
    for (int k = 0; k < 6; k++) {
        static const char *const names[] = {"periodic", "open", "mirrored"};
        static const rill_side sides[] = {RILL_PERIODIC, RILL_WALL, RILL_MIRROR};
        const int ends = k % 3;
        const setting plain = {.q = -1, .moving = true, .quadratic = k >= 3};
        rill_geom *geom = box(v.lattice == RILL_D2Q9, 3, sides[ends]);
        setting first = plain;
        first.openings_first = ends == 1;
        if (ends == 2) geom->sides[1] = RILL_MIRROR;
        rig r = rig_start(geom, v, backend, &first),
            reference = rig_start(geom, variant_plain(v), RILL_BACKEND_CPU, &plain);
        for (int round = 0; round < 4; round++) {
            const double largest = rig_compare(&r, &reference, round < 2 ? 1 : 10);
            cr_expect_lt(largest, epsilon, "%s on backend %d, %s, %s, round %d: %.3g apart", name, backend,
                         names[ends], plain.quadratic ? "quadratic" : "linear", round, largest);
        }
        rig_stop(&r);
        rig_stop(&reference);
        rill_geom_destroy(geom);
    }
}

Test(walls, every_scheme_and_addressing_does_the_same)
{
    const int combinations = variants_every_scheme(expect_same, 1e-13, false);
    cr_assert_geq(combinations, 75, "only %d combinations", combinations);
}

Test(walls, formats_do_the_same_to_their_digits) { variants_every_format(expect_same); }

/* What is built ahead of time, on every backend. */
Test(walls, variants_that_are_built_agree, .disabled = SANITIZED)
{
    variants_built(expect_same, 1e-13, 4e-6);
}

/* Steps may interpolate themselves, but who looks between them sees links that were rewritten: the same bits,
 * however many steps are asked for at a time, gaps of one node between a wall and an opening among them. */
Test(walls, steps_at_once_or_one_by_one_are_the_same)
{
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 4 * RILL_LATTICE_COUNT; k++) {
        const setting at_once = {.q = -1, .unmeasured = true}, one_by_one = {.q = -1};
        const rill_variant v = {.lattice = (rill_lattice)(k / 4),
                                .collision = RILL_TRT,
                                .equilibrium = RILL_SECOND_ORDER,
                                .stream = k & 1 ? RILL_RING : RILL_PULL,
                                .addressing = RILL_BITMAP,
                                .storage = RILL_FP32};
        if (rill_variant_check(v) != RILL_OK) continue; /* a scalar's lattice */
        rill_geom *geom = box(v.lattice == RILL_D2Q9, 3, k & 2 ? RILL_WALL : RILL_PERIODIC);
        rig r = rig_start(geom, v, backend, &at_once), other = rig_start(geom, v, backend, &one_by_one);
        for (int round = 0; round < 3; round++) {
            const uint64_t steps = round == 1 ? 1 : 25;
            ASSERT_OK(rill_sim_step(r.sim, steps));
            for (uint64_t step = 0; step < steps; step++) ASSERT_OK(rill_sim_step(other.sim, 1));
            ASSERT_OK(rill_sim_moments(r.sim, 0, r.nodes, r.moments, r.moments + r.nodes));
            ASSERT_OK(rill_sim_moments(other.sim, 0, r.nodes, other.moments, other.moments + r.nodes));
            cr_assert_gt(fabs(r.moments[r.nodes]), 0);
            cr_expect_eq(memcmp(r.moments, other.moments, 4 * sizeof(double) * r.nodes), 0,
                         "lattice %d, %s, %s, round %d on backend %d", k / 4, k & 1 ? "ring" : "pull",
                         k & 2 ? "open" : "periodic", round, backend);
        }
        rig_stop(&r);
        rig_stop(&other);
        rill_geom_destroy(geom);
    }
}

enum { LAYER = 9, LAYERS = 4, FEW = 1 << 15 /* few_links of cuda/launch.cu */ };

/* Boxes on top of each other, with a plane of solid voxels between them. */
static rill_geom *layers(void)
{
    rill_geom *geom = NULL;
    seed = 5;
    ASSERT_OK(rill_geom_create((const uint32_t[]){24, 20, LAYER * LAYERS}, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
        geom->voxels[v] = v / (24 * 20) % LAYER == 0 || random_below(10) < 3 ? RILL_SOLID : RILL_FLUID;
    geom->sides[0] = RILL_WALL;
    return geom;
}

/* A GPU rewrites up to FEW links of whole nodes in one launch, and more in two. One boundary has more of
 * them, and beside openings fewer; as several boundaries they are all few: the same bits. */
Test(walls, few_links_and_many_are_the_same, .disabled = SANITIZED)
{
    static const rill_variant variants[] = {{RILL_D3Q19, RILL_TRT, RILL_SECOND_ORDER, RILL_PULL, RILL_BITMAP,
                                             RILL_FP32, .arithmetic = RILL_SINGLE},
                                            {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA,
                                             RILL_BITMAP, RILL_FP32, .arithmetic = RILL_SINGLE},
                                            {RILL_D3Q27, RILL_CUMULANT, RILL_SECOND_ORDER, RILL_AA, RILL_LIST,
                                             RILL_FP64, .arithmetic = RILL_DOUBLE}};
    rill_geom *geom = layers();
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 6; k++) {
        const rill_variant v = variants[k / 2];
        const setting one = {.q = -1, .quadratic = k & 1},
                      several = {.q = -1, .quadratic = k & 1, .layer = LAYER};
        rig many = rig_start(geom, v, backend, &one), few = rig_start(geom, v, backend, &several);
        const rill_wall_list *list = &many.sim->patches.all[many.wall]->list;
        cr_expect_gt(list->together, FEW);
        cr_expect(list->early > list->together && list->early - list->together <= FEW &&
                  list->early == list->count);
        for (int l = 0; l < LAYERS; l++) {
            list = &few.sim->patches.all[few.wall - l]->list;
            cr_expect(list->together > 0 && list->together <= FEW && list->early > list->together);
        }
        for (int round = 0; round < 3; round++) {
            rig *both[] = {&many, &few};
            for (int r = 0; r < 2; r++) {
                ASSERT_OK(rill_sim_step(both[r]->sim, round == 1 ? 1 : 12));
                ASSERT_OK(rill_sim_moments(both[r]->sim, 0, many.nodes, both[r]->moments,
                                           both[r]->moments + many.nodes));
            }
            cr_assert_gt(fabs(many.moments[many.nodes]), 0);
            cr_expect_eq(memcmp(many.moments, few.moments, 4 * sizeof(double) * many.nodes), 0,
                         "variant %d, %s, round %d on backend %d", k / 2, k & 1 ? "quadratic" : "linear",
                         round, backend);
        }
        rig_stop(&many);
        rig_stop(&few);
    }
    rill_geom_destroy(geom);
}

/* Blocks of 128 nodes go past the last bundle where an odd number of 64 nodes are stored. Bundles are
 * allocated to the byte, so that `compute-sanitizer --tool memcheck` finds a block that reads one more. */
Test(walls, last_blocks_read_no_bundle_past_the_end)
{
    const setting in_step = {.q = -1, .unmeasured = true}, between = {.q = -1};
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 2; k++) {
        const rill_variant v = {.lattice = RILL_D3Q19,
                                .collision = RILL_TRT,
                                .equilibrium = RILL_SECOND_ORDER,
                                .stream = k ? RILL_RING : RILL_PULL,
                                .addressing = RILL_BITMAP,
                                .storage = RILL_FP32};
        int odd = 0;
        for (unsigned solid = 1; solid < 6; solid++) {
            rill_geom *geom = box(false, solid, RILL_WALL);
            rig r = rig_start(geom, v, backend, &in_step), other = rig_start(geom, v, backend, &between);
            const bool passes = rill_sim_launch(r.sim).from.stride % 128 == 64;
            odd += passes;
            for (int round = 0; round < 2 && passes; round++) {
                ASSERT_OK(rill_sim_step(r.sim, 5));
                ASSERT_OK(rill_sim_step(other.sim, 5));
                ASSERT_OK(rill_sim_moments(r.sim, 0, r.nodes, r.moments, r.moments + r.nodes));
                ASSERT_OK(rill_sim_moments(other.sim, 0, r.nodes, other.moments, other.moments + r.nodes));
                cr_expect_eq(memcmp(r.moments, other.moments, 4 * sizeof(double) * r.nodes), 0,
                             "%s, %u of ten solid on backend %d", k ? "ring" : "pull", solid, backend);
            }
            rig_stop(&r);
            rig_stop(&other);
            rill_geom_destroy(geom);
        }
        cr_expect_gt(odd, 0, "no domain of %s ends in half a block", k ? "ring" : "pull");
    }
}

/* Walls that interpolate neither take nor give mass, however wild the flow is. */
Test(walls, mass_is_kept)
{
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 4; k++) {
        const setting at_rest = {.q = -1, .unmeasured = k & 1};
        rill_variant v = rill_variant_default();
        v.equilibrium = RILL_SECOND_ORDER;
        if (k & 1) v.stream = RILL_RING, v.addressing = RILL_BITMAP;
        if (k & 2) v.storage = RILL_FP64, v.arithmetic = RILL_DOUBLE;
        rill_geom *geom = box(false, 3, RILL_PERIODIC);
        rig r = rig_start(geom, v, backend, &at_rest);
        rill_totals before, after;
        for (rill_node n = 0; n < r.nodes; n++) r.moments[n] = 0.01 * sin(n);
        ASSERT_OK(rill_sim_set_moments(r.sim, r.moments, r.moments + r.nodes));
        ASSERT_OK(rill_sim_totals(r.sim, &before));
        ASSERT_OK(rill_sim_step(r.sim, 60));
        ASSERT_OK(rill_sim_totals(r.sim, &after));
        cr_assert_gt(after.kinetic, 0);
        cr_expect_lt(fabs(after.mass - before.mass), k & 2 ? 1e-12 : 1e-5, "backend %d, variant %d: %g",
                     backend, k, after.mass - before.mass);
        rig_stop(&r);
        rill_geom_destroy(geom);
    }
}

/* Cuts of a mirrored box, as those of the box with its image: by voxel and direction. */
static cuts cuts_unfold(const rill_geom *geom, const cuts *c, const rill_geom *whole, const bool mirrored[3])
{
    cuts out = {.all = calloc(8 * c->count, sizeof *out.all)};
    rill_node *nodes = calloc((size_t)rill_geom_voxels(geom), sizeof *nodes), number = 0;
    uint64_t *first = calloc((size_t)rill_geom_voxels(geom) + 1, sizeof *first);
    for (uint64_t v = 1; v < rill_geom_voxels(geom); v++)
        nodes[v] = nodes[v - 1] + (geom->voxels[v - 1] >= RILL_FLUID);
    for (uint64_t k = c->count; k-- > 0;) first[c->all[k].node] = k;
    for (uint64_t v = 0; v < rill_geom_voxels(whole); v++) {
        const uint32_t *n = whole->n;
        const uint32_t at[3] = {(uint32_t)(v % n[0]), (uint32_t)(v / n[0] % n[1]),
                                (uint32_t)(v / n[0] / n[1])};
        uint32_t from[3];
        bool image[3];
        if (whole->voxels[v] < RILL_FLUID) continue;
        for (int a = 0; a < 3; a++) {
            image[a] = mirrored[a] && at[a] >= geom->n[a];
            from[a] = image[a] ? 2 * geom->n[a] - 1 - at[a] : at[a];
        }
        const rill_node node = nodes[from[0] + geom->n[0] * (from[1] + (uint64_t)geom->n[1] * from[2])];
        for (int i = 1; i < RILL_Q_MAX; i++)
            for (uint64_t k = first[node]; k < c->count && c->all[k].node == node; k++) {
                bool same = true;
                for (int a = 0; a < 3; a++)
                    same = same && rill_c(RILL_D3Q27, c->all[k].direction, a) ==
                                       (image[a] ? -1 : 1) * rill_c(RILL_D3Q27, i, a);
                if (same) out.all[out.count++] = (rill_cut){number, 0, c->all[k].q, (uint8_t)i};
            }
        number++;
    }
    free(nodes);
    free(first);
    return out;
}

static rill_sim *driven(const rill_geom *geom, const cuts *c, rill_variant v, rill_domain **domain)
{
    rill_sim *sim = NULL;
    rill_boundary *b = NULL;
    cuts own = {.q = -1};
    int patch;
    rill_sim_options options = rill_sim_options_default();
    options.variant = v;
    options.tau = 0.8;
    options.force[0] = 1e-4;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){v.lattice, 0}, domain));
    ASSERT_OK(rill_sim_create(*domain, &options, &sim));
    if (!c) own = cuts_of(*domain, -1);
    ASSERT_OK(rill_boundary_create_cuts(*domain, c ? c->all : own.all, c ? c->count : own.count, &b));
    ASSERT_OK(rill_sim_boundary_add(sim, b, &patch));
    rill_boundary_destroy(b);
    free(own.all);
    return sim;
}

/* Return the largest difference between the velocities of a mirrored box and those of the box with its image,
 * in units of the largest one. Solid voxels are at random: there are links of all kinds at the mirror. */
static double mirror_differs(const bool mirrored[3], rill_variant v)
{
    rill_geom *geom = box(false, 2, RILL_PERIODIC), *whole = NULL;
    rill_domain *domain[2] = {NULL, NULL};
    uint32_t n[3];
    double largest = 0, most = 0;
    for (int a = 0; a < 3; a++) {
        geom->sides[a] = mirrored[a] ? RILL_MIRROR : RILL_PERIODIC;
        n[a] = geom->n[a] * (mirrored[a] ? 2 : 1);
    }
    ASSERT_OK(rill_geom_create(n, &whole));
    for (uint64_t w = 0; w < rill_geom_voxels(whole); w++) {
        uint32_t at[3] = {(uint32_t)(w % n[0]), (uint32_t)(w / n[0] % n[1]), (uint32_t)(w / n[0] / n[1])};
        for (int a = 0; a < 3; a++)
            if (at[a] >= geom->n[a]) at[a] = 2 * geom->n[a] - 1 - at[a];
        whole->voxels[w] = geom->voxels[at[0] + geom->n[0] * (at[1] + (uint64_t)geom->n[1] * at[2])];
    }
    rill_sim *sim = driven(geom, NULL, v, &domain[0]);
    cuts own = cuts_of(domain[0], -1), all = cuts_unfold(geom, &own, whole, mirrored);
    rill_sim *unfolded = driven(whole, &all, v, &domain[1]);
    const rill_node nodes = rill_domain_nodes(domain[0]), both = rill_domain_nodes(domain[1]);
    double *moments = calloc(4 * (size_t)nodes, sizeof *moments), *m = calloc(4 * (size_t)both, sizeof *m);
    ASSERT_OK(rill_sim_step(sim, 60));
    ASSERT_OK(rill_sim_step(unfolded, 60));
    ASSERT_OK(rill_sim_moments(sim, 0, nodes, moments, moments + nodes));
    ASSERT_OK(rill_sim_moments(unfolded, 0, both, m, m + both));
    rill_node number = 0, other = 0;
    for (uint64_t w = 0; w < rill_geom_voxels(whole); w++) {
        if (whole->voxels[w] < RILL_FLUID) continue;
        const uint32_t x = (uint32_t)(w % n[0]), y = (uint32_t)(w / n[0] % n[1]),
                       z = (uint32_t)(w / n[0] / n[1]);
        if (x < geom->n[0] && y < geom->n[1] && z < geom->n[2]) {
            for (rill_node a = 1; a < 4; a++) {
                most = fmax(most, fabs(m[a * both + other]));
                largest = fmax(largest, fabs(m[a * both + other] - moments[a * nodes + number]));
            }
            number++;
        }
        other++;
    }
    cr_assert_eq(number, nodes);
    free(moments);
    free(m);
    free(own.all);
    free(all.all);
    rill_sim_destroy(sim);
    rill_sim_destroy(unfolded);
    for (int k = 0; k < 2; k++) rill_domain_destroy(domain[k]);
    rill_geom_destroy(geom);
    rill_geom_destroy(whole);
    return largest / most;
}

/* A mirrored box is the box with its image, to rounding; but for fluxes through boundaries normal to the
 * flow, which are not corrected there. */
Test(walls, mirrored_boxes_are_boxes_with_their_images)
{
    static const bool sides[][3] = {{0, 1, 0}, {0, 0, 1}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}};
    static const rill_stream streams[] = {RILL_PULL, RILL_ESOPULL, RILL_AA, RILL_RING};
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < 5; k++) {
            rill_variant v = rill_variant_default();
            v.storage = RILL_FP64;
            v.arithmetic = RILL_DOUBLE;
            v.stream = streams[s];
            v.addressing = v.stream == RILL_RING ? RILL_BITMAP : RILL_LIST;
            const double differs = mirror_differs(sides[k], v);
            cr_expect_lt(differs, sides[k][0] ? 1e-2 : 1e-12, "stream %d, sides %d: %.3g", s, k, differs);
        }
}

/* At q = 1/2 nothing is left of the interpolation, on a CPU not a bit. */
Test(walls, half_way_is_half_way)
{
    FOR_EACH_BACKEND(backend)
    {
        rill_geom *geom = box(false, 3, RILL_WALL);
        const setting interpolated = {0.5, true, true, false}, halfway = {0.5, true, false, true};
        rill_variant v = rill_variant_default();
        v.equilibrium = RILL_SECOND_ORDER;
        rig r = rig_start(geom, v, backend, &interpolated), other = rig_start(geom, v, backend, &halfway);
        ASSERT_OK(rill_sim_step(r.sim, 20));
        ASSERT_OK(rill_sim_step(other.sim, 20));
        ASSERT_OK(rill_sim_moments(r.sim, 0, r.nodes, r.moments, r.moments + r.nodes));
        ASSERT_OK(rill_sim_moments(other.sim, 0, r.nodes, other.moments, other.moments + r.nodes));
        /* A CPU adds what a wall's motion gives in double precision, a GPU in that of the populations. */
        double most = 0;
        for (size_t k = 0; k < 4 * (size_t)r.nodes; k++)
            most = fmax(most, fabs(r.moments[k] - other.moments[k]));
        cr_expect_leq(most, backend == RILL_BACKEND_CPU ? 0 : 1e-7, "%g", most);
        rig_stop(&r);
        rig_stop(&other);
        rill_geom_destroy(geom);
    }
}

static void expect_refused(rill_status status, const char *part)
{
    cr_expect_eq(status, RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), part), "\"%s\" is not in \"%s\"", part,
                       rill_error_message());
}

/* A state put into another simulation goes on to the same bits, outlets included. */
Test(walls, states_go_on_to_the_same_bits)
{
    static const rill_stream streams[] = {RILL_PULL, RILL_PUSH, RILL_AA, RILL_ESOPULL, RILL_RING};
    FOR_EACH_BACKEND(backend)
    for (size_t k = 0; k < 2 * sizeof streams / sizeof *streams; k++) {
        const setting s = {-1, true, true, false};
        const uint64_t steps = 12 + k % 2;
        rill_geom *geom = box(false, 3, RILL_WALL);
        rill_variant v = rill_variant_default();
        v.stream = streams[k / 2];
        rig r = rig_start(geom, v, backend, &s), other = rig_start(geom, v, backend, &s);
        const uint64_t bytes = rill_sim_state_bytes(r.sim), third = bytes / 3;
        char *state = malloc(bytes), *again = malloc(bytes);
        double stored[2];
        ASSERT_OK(rill_sim_step(r.sim, steps));
        for (uint64_t at = 0; at < bytes; at += third)
            ASSERT_OK(rill_sim_state_save(r.sim, at, bytes - at < third ? bytes - at : third, state + at));
        ASSERT_OK(rill_sim_step(other.sim, 5));
        cr_expect_eq(rill_sim_state_resume(other.sim, steps), RILL_USAGE, "nothing was loaded");
        ASSERT_OK(rill_sim_state_load(other.sim, 40, bytes - 40, state + 40));
        cr_expect_eq(rill_sim_state_resume(other.sim, steps), RILL_USAGE, "the head was not loaded");
        state[0] ^= 1;
        ASSERT_OK(rill_sim_state_load(other.sim, 0, bytes, state));
        expect_refused(rill_sim_state_resume(other.sim, steps), "not a state");
        state[0] ^= 1;
        ASSERT_OK(rill_sim_state_load(other.sim, 0, bytes, state));
        expect_refused(rill_sim_state_resume(other.sim, steps + 1), "not after");
        ASSERT_OK(rill_sim_state_load(other.sim, 1000, bytes - 1000, state + 1000));
        ASSERT_OK(rill_sim_state_load(other.sim, 0, 1000, state));
        expect_refused(rill_sim_state_resume(other.sim, steps), "before its head");
        ASSERT_OK(rill_sim_state_load(other.sim, 0, 1000, state));
        ASSERT_OK(rill_sim_state_load(other.sim, 5555, bytes - 5555, state + 5555));
        ASSERT_OK(rill_sim_state_load(other.sim, 1000, 4555, state + 1000));
        ASSERT_OK(rill_sim_state_resume(other.sim, steps));
        cr_expect_eq(rill_sim_steps(other.sim), steps);
        ASSERT_OK(rill_sim_step(r.sim, 7));
        ASSERT_OK(rill_sim_step(other.sim, 7));
        ASSERT_OK(rill_sim_state_save(r.sim, 0, bytes, state));
        ASSERT_OK(rill_sim_state_save(other.sim, 0, bytes, again));
        cr_expect_arr_eq(state, again, bytes, "stream %d after %d steps", (int)v.stream, (int)steps);
        ASSERT_OK(rill_sim_patch_stored(r.sim, r.outlet, &stored[0]));
        ASSERT_OK(rill_sim_patch_stored(other.sim, r.outlet, &stored[1]));
        cr_expect_eq(stored[0], stored[1], "stream %d after %d: %g, not %g", (int)v.stream, (int)steps,
                     stored[1], stored[0]);
        free(state);
        free(again);
        rig_stop(&r);
        rig_stop(&other);
        rill_geom_destroy(geom);
    }
}

Test(walls, cuts_between_fluid_voxels_are_refused)
{
    rill_geom *geom = box(false, 0, RILL_PERIODIC);
    rill_domain *domain = NULL;
    rill_boundary *b = NULL;
    const rill_cut cut = {7, 0, 0.5f, 1};
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    expect_refused(rill_boundary_create_cuts(domain, &cut, 1, &b), "between two fluid voxels");
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

Test(walls, nonsense_is_refused)
{
    rill_geom *geom = box(false, 3, RILL_WALL);
    rill_domain *domain = NULL;
    rill_boundary *b = NULL;
    rill_sim *sim = NULL;
    int patch;
    rill_sim_options options = rill_sim_options_default();
    options.on.backend = RILL_BACKEND_CPU;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    cuts c = cuts_of(domain, 0.25);
    const rill_cut good = c.all[1];
    expect_refused(rill_boundary_create_cuts(domain, c.all, 0, &b), "none of 0 cuts");
    c.all[1].q = 1.5f;
    expect_refused(rill_boundary_create_cuts(domain, c.all, c.count, &b), "q = 1.5");
    c.all[1].q = NAN;
    expect_refused(rill_boundary_create_cuts(domain, c.all, c.count, &b), "q = nan");
    c.all[1] = good;
    c.all[1].direction = 27;
    expect_refused(rill_boundary_create_cuts(domain, c.all, c.count, &b), "direction 27");
    c.all[1] = c.all[0];
    expect_refused(rill_boundary_create_cuts(domain, c.all, c.count, &b), "sort them");
    c.all[1] = good;
    c.all[c.count - 1].node = rill_domain_nodes(domain);
    expect_refused(rill_boundary_create_cuts(domain, c.all, c.count, &b), "but the domain has");
    free(c.all);
    c = cuts_of(domain, 0.25);
    ASSERT_OK(rill_boundary_create_cuts(domain, c.all, c.count, &b));
    options.variant.stream = RILL_ESOPULL;
    options.variant.bounce = RILL_FULL_WAY;
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    expect_refused(rill_sim_boundary_add(sim, b, &patch), "half-way bounce-back");
    rill_sim_destroy(sim);
    options.variant = rill_variant_default();
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    ASSERT_OK(rill_sim_boundary_add(sim, b, &patch));
    double force[3];
    ASSERT_OK(rill_sim_step(sim, 1));
    expect_refused(rill_sim_patch_force(sim, patch, force), "rill_boundary_set_measured()");
    expect_refused(rill_sim_patch_record(sim, patch, 8), "is a wall");
    expect_refused(rill_sim_patch_windkessel(sim, patch, &(rill_windkessel){0}), "holds no pressure");
    expect_refused(rill_sim_patch_schedule(sim, patch, pulse, NULL), "has no weights");
    expect_refused(rill_sim_boundary_add(sim, b, &patch), "shares a link");
    rill_boundary_destroy(b);
    free(c.all);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* A place that tells node and direction. */
static double telling(void *context, const double x[3], const int c[3])
{
    (void)context;
    return (x[0] + 20 * x[1] + 400 * x[2] + (c[0] + 2) * 0.1 + (c[1] + 2) * 0.02 + (c[2] + 2) * 0.004) / 8192;
}

/* Cuts follow their nodes when pores are dropped. Links that end at dropped voxels get none. */
Test(walls, cuts_survive_dropped_pores)
{
    rill_geom *geom = box(false, 6, RILL_PERIODIC);
    rill_components found;
    ASSERT_OK(rill_exact_walls(geom, telling, NULL));
    rill_surface *before = geom->surface;
    ASSERT_OK(rill_components_clean(geom, RILL_KEEP_PERCOLATING, -1, RILL_CONTACT_FACES, (rill_progress){0},
                                    &found));
    cr_assert_gt(found.dropped, 0);
    cr_assert_gt(found.kept, 0);
    cr_assert_eq(geom->surface, before);
    const rill_cut *kept = before->walls;
    const uint64_t count = before->wall_count;
    geom->surface = NULL;
    ASSERT_OK(rill_exact_walls(geom, telling, NULL));
    uint64_t at = 0;
    for (uint64_t k = 0; k < count; k++) {
        const rill_cut *all = geom->surface->walls;
        while (at < geom->surface->wall_count &&
               (all[at].node != kept[k].node || all[at].direction != kept[k].direction))
            at++;
        cr_assert_lt(at, geom->surface->wall_count, "cut %d is not there", (int)k);
        cr_assert_eq(all[at].q, kept[k].q, "cut %d", (int)k);
    }
    cr_expect_gt(count, 100);
    rill_surface_destroy(before);
    rill_geom_destroy(geom);
}
