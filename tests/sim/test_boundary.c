/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Link boundaries: which links they list, that every variant does the same with them, that mass and momentum
 * balance to rounding in every step, and refusals. Their physics is in tests/physics/boundaries.c.
 */
#include "kernel/lattice.h"
#include "variants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rill_geom *box(uint32_t nx, uint32_t ny, uint32_t nz, unsigned solid_of_ten, const rill_side sides[3])
{
    const uint32_t n[3] = {nx, ny, nz};
    unsigned seed = 5;
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create(n, &geom));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        seed = seed * 1664525u + 1013904223u;
        geom->voxels[v] = (seed >> 16) % 10 < solid_of_ten ? RILL_SOLID : RILL_FLUID;
    }
    memcpy(geom->sides, sides, sizeof geom->sides);
    return geom;
}

static rill_domain *domain_of(const rill_geom *geom, rill_lattice lattice)
{
    rill_domain *domain = NULL;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){lattice, -1}, &domain));
    return domain;
}

static bool at_rest(void *context, const rill_wall_link *link)
{
    (void)context;
    return link->beyond[0] == 0 && link->beyond[1] == 0;
}

/* A simulation with an inlet, an outlet at which a pressure is held, a wall that moves, and the walls at
 * rest. */
typedef struct rig {
    rill_domain *domain;
    rill_sim *sim;
    rill_node nodes;
    double *moments; /* [4][nodes] */
    int patches[4];
} rig;

static void inlet(void *context, const double x[3], double u[3])
{
    (void)context;
    u[0] = 0.01 + 0.002 * x[1];
    u[2] = 0.003;
}

static rig rig_start(const rill_geom *geom, rill_variant variant, rill_backend_kind backend)
{
    rig r = {.domain = domain_of(geom, variant.lattice)};
    const bool flat = variant.lattice == RILL_D2Q9;
    rill_boundary *b[4] = {NULL};
    rill_sim_options options = rill_sim_options_default();
    options.variant = variant;
    options.on.backend = backend;
    options.tau = 0.8;
    options.force[0] = 1e-4;
    options.force[2] = flat ? 0 : -2e-4;
    options.carreau_yasuda = (rill_carreau_yasuda){0.2, 0.05, 10, 2, 0.5};
    ASSERT_OK(rill_sim_create(r.domain, &options, &r.sim));
    ASSERT_OK(rill_boundary_create_face(r.domain, 0, -1, &b[0]));
    ASSERT_OK(rill_boundary_set_velocity_profile(b[0], inlet, NULL));
    ASSERT_OK(rill_boundary_create_face(r.domain, 0, 1, &b[1]));
    ASSERT_OK(rill_boundary_set_density(b[1], -0.01));
    ASSERT_OK(rill_boundary_create(r.domain, at_rest, NULL, &b[2]));
    for (int k = 0; k < 3; k++) ASSERT_OK(rill_sim_boundary_add(r.sim, b[k], &r.patches[k]));
    for (int k = 0; k < 3; k++) rill_boundary_destroy(b[k]);
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
    double largest = 0;
    rig *both[2] = {r, other};
    double force[2][3][3], flow[2][3];
    for (int k = 0; k < 2; k++) {
        rig *at = both[k];
        ASSERT_OK(rill_sim_step(at->sim, (uint64_t)steps));
        ASSERT_OK(rill_sim_moments(at->sim, 0, at->nodes, at->moments, at->moments + at->nodes));
        for (int p = 0; p < 3; p++) {
            ASSERT_OK(rill_sim_patch_force(at->sim, at->patches[p], force[k][p]));
            ASSERT_OK(rill_sim_patch_flow(at->sim, at->patches[p], &flow[k][p]));
        }
    }
    for (size_t i = 0; i < 4 * (size_t)r->nodes; i++)
        largest = fmax(largest, fabs(r->moments[i] - other->moments[i]));
    for (int p = 0; p < 3; p++) {
        largest = fmax(largest, fabs(flow[0][p] - flow[1][p]));
        for (int a = 0; a < 3; a++) largest = fmax(largest, fabs(force[0][p][a] - force[1][p][a]));
    }
    return isfinite(largest) ? largest : INFINITY;
}

static rill_geom *rig_geom(rill_lattice lattice)
{
    return box(12, 7, lattice == RILL_D2Q9 ? 1 : 6, 2,
               (const rill_side[3]){RILL_WALL, RILL_WALL, RILL_PERIODIC});
}

/* Compare a variant with the CPU's pull list in fp64 after odd and even steps. */
static void expect_same(rill_variant v, rill_backend_kind backend, double epsilon)
{
    char name[96];
    rill_variant_name(v, name, sizeof name);
    rill_geom *geom = rig_geom(v.lattice);
    rig r = rig_start(geom, v, backend), reference = rig_start(geom, variant_plain(v), RILL_BACKEND_CPU);
    for (int round = 0; round < 4; round++) {
        const double largest = rig_compare(&r, &reference, round < 2 ? 1 : 25);
        cr_expect_lt(largest, epsilon, "%s on backend %d, round %d: %.3g apart", name, backend, round,
                     largest);
    }
    rig_stop(&r);
    rig_stop(&reference);
    rill_geom_destroy(geom);
}

/* Half-way schemes hold the same flow; the CPU has every combination. */
Test(boundary, every_scheme_and_addressing_does_the_same)
{
    const int combinations = variants_every_scheme(expect_same, 1e-14, true);
    cr_assert_geq(combinations, 150, "only %d combinations", combinations);
}

Test(boundary, formats_do_the_same_to_their_digits) { variants_every_format(expect_same); }

/* What is built ahead of time, on every backend. */
Test(boundary, variants_that_are_built_agree) { variants_built(expect_same, 1e-14, 2e-6); }

static bool through_y(void *context, const rill_wall_link *link)
{
    (void)context;
    return link->beyond[1] != 0 && link->beyond[0] >= 0;
}

/*
 * What flows in through patches is what the mass grows by, and what the walls take, F N minus that, is what
 * the momentum grows by: in every single step, to rounding, because both are sums over the same populations.
 */
Test(boundary, mass_and_momentum_balance_in_every_step)
{
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 8; k++) {
        const rill_variant v = {.lattice = k & 1 ? RILL_D3Q27 : RILL_D3Q19,
                                .collision = RILL_TRT,
                                .equilibrium = k & 2 ? RILL_STOKES : RILL_SECOND_ORDER,
                                .stream = k & 4 ? RILL_AA : RILL_PULL,
                                .storage = RILL_FP64};
        rill_geom *geom = rig_geom(v.lattice);
        for (uint64_t n = 11; n < rill_geom_voxels(geom); n += 12) geom->voxels[n] = RILL_FLUID;
        rig r = rig_start(geom, v, backend);
        rill_boundary *rest = NULL; /* what no other patch has: y, and the edges where the outlet meets it */
        int last;
        rill_totals before, after;
        ASSERT_OK(rill_boundary_create(r.domain, through_y, NULL, &rest));
        ASSERT_OK(rill_sim_boundary_add(r.sim, rest, &last));
        ASSERT_OK(rill_sim_step(r.sim, 1));
        ASSERT_OK(rill_sim_totals(r.sim, &before));
        double moved = 0;
        for (int step = 0; step < 5; step++) {
            double force[3] = {0, 0, 0}, flow = 0;
            ASSERT_OK(rill_sim_step(r.sim, 1));
            ASSERT_OK(rill_sim_totals(r.sim, &after));
            for (int p = 0; p < 4; p++) {
                double f[3], through;
                ASSERT_OK(rill_sim_patch_force(r.sim, p < 3 ? r.patches[p] : last, f));
                ASSERT_OK(rill_sim_patch_flow(r.sim, p < 3 ? r.patches[p] : last, &through));
                if (p > 1) cr_expect_eq(through, 0, "%.3g flows through walls at rest", through);
                for (int a = 0; a < 3; a++) force[a] += f[a];
                flow += through;
            }
            cr_expect_float_eq(after.mass - before.mass, flow, 1e-13,
                               "case %d: mass grows by %.15g, not %.15g", k, after.mass - before.mass, flow);
            moved = fmax(moved, fabs(flow));
            const double body[3] = {1e-4, 0, -2e-4};
            for (int a = 0; a < 3; a++)
                cr_expect_float_eq(after.momentum[a] - before.momentum[a], body[a] * r.nodes - force[a],
                                   1e-12, "case %d: momentum %c grows by %.15g, not %.15g", k, "xyz"[a],
                                   after.momentum[a] - before.momentum[a], body[a] * r.nodes - force[a]);
            before = after;
        }
        cr_expect_gt(moved, 1e-3);
        rill_boundary_destroy(rest);
        rig_stop(&r);
        rill_geom_destroy(geom);
    }
}

Test(boundary, lists_the_links_asked_for)
{
    rill_geom *geom = box(5, 4, 3, 0, (const rill_side[3]){RILL_WALL, RILL_MIRROR, RILL_PERIODIC});
    geom->voxels[2 + 5 * (1 + 4 * 1)] = RILL_SOLID;
    geom->voxels[1 + 5 * (1 + 4 * 1)] = 7;
    rill_domain *domain = domain_of(geom, RILL_D3Q19);
    rill_boundary *b = NULL;
    ASSERT_OK(rill_boundary_create_face(domain, 0, -1, &b));
    cr_expect_eq(rill_boundary_links(b), 5 * 4 * 3, "%d links", (int)rill_boundary_links(b));
    rill_boundary_destroy(b);
    ASSERT_OK(rill_boundary_create_label(domain, 7, (const double[3]){-2, 0, 0}, &b));
    cr_expect_eq(rill_boundary_links(b), 1); /* towards the solid voxel along +x; diagonals end at fluid */
    rill_boundary_destroy(b);
    ASSERT_OK(rill_boundary_create(domain, NULL, NULL, &b));
    cr_expect_eq(rill_boundary_links(b), 2 * 5 * 4 * 3 + 18);
    rill_boundary_destroy(b);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

static void says(rill_status status, const char *part)
{
    cr_expect_eq(status, RILL_USAGE);
    cr_expect(strstr(rill_error_message(), part) != NULL, "\"%s\" does not say \"%s\"", rill_error_message(),
              part);
}

static void too_fast(void *context, const double x[3], double u[3])
{
    (void)context;
    u[0] = 0.1 * x[1];
}

Test(boundary, refuses_what_makes_no_sense)
{
    rill_geom *geom = box(5, 4, 3, 0, (const rill_side[3]){RILL_WALL, RILL_PERIODIC, RILL_PERIODIC});
    rill_domain *domain = domain_of(geom, RILL_D3Q19), *other = domain_of(geom, RILL_D3Q19);
    rill_boundary *b = NULL, *again = NULL, *foreign = NULL;
    rill_sim *sim = NULL;
    rill_sim_options options = rill_sim_options_default();
    options.on.backend = RILL_BACKEND_CPU;
    double force[3], flow;
    int patch;
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    says(rill_boundary_create_face(domain, 1, 1, &b), "no walls");
    says(rill_boundary_create_face(domain, 3, 1, &b), "not a face");
    says(rill_boundary_create_face(domain, 0, 0, &b), "not a face");
    says(rill_boundary_create_label(domain, 9, (const double[3]){1, 0, 0}, &b), "no wall link of label 9");
    says(rill_boundary_create_label(domain, 1, (const double[3]){1, 0, 0}, &b), "not that of an opening");
    says(rill_boundary_create_label(domain, 300, (const double[3]){1, 0, 0}, &b), "not that of an opening");
    says(rill_boundary_create_label(domain, 2, (const double[3]){0, 0, 0}, &b), "direction");
    says(rill_boundary_create_label(domain, 2, (const double[3]){NAN, 0, 0}, &b), "direction");
    ASSERT_OK(rill_boundary_create_face(domain, 0, -1, &b));
    says(rill_boundary_set_velocity(b, (const double[3]){0.2, 0, 0}), "Mach number");
    says(rill_boundary_set_velocity(b, (const double[3]){NAN, 0, 0}), "Mach number");
    says(rill_boundary_set_velocity_profile(b, too_fast, NULL), "Mach number");
    says(rill_boundary_set_density(b, -1), "not above 0");
    says(rill_boundary_set_density(b, NAN), "not above 0");
    ASSERT_OK(rill_boundary_set_velocity(b, (const double[3]){0.1, 0, 0}));
    ASSERT_OK(rill_sim_boundary_add(sim, b, &patch));
    cr_expect_eq(patch, 0);
    says(rill_sim_patch_force(sim, 0, force), "step first");
    says(rill_sim_patch_flow(sim, 1, &flow), "patch 1 is none");
    says(rill_sim_patch_scale(sim, -1, 1), "patch -1 is none");
    says(rill_sim_patch_scale(sim, 0, 2), "Mach number");
    says(rill_sim_patch_scale(sim, 0, NAN), "finite");
    ASSERT_OK(rill_boundary_create(domain, NULL, NULL, &again));
    says(rill_sim_boundary_add(sim, again, &patch), "shares a link with patch 0");
    ASSERT_OK(rill_boundary_create_face(other, 0, 1, &foreign));
    says(rill_sim_boundary_add(sim, foreign, &patch), "another domain");
    rill_boundary_destroy(b);
    ASSERT_OK(rill_boundary_create_face(domain, 0, 1, &b));
    ASSERT_OK(rill_boundary_set_density(b, -0.5));
    ASSERT_OK(rill_sim_boundary_add(sim, b, &patch));
    says(rill_sim_patch_scale(sim, patch, 2), "not above 0");
    ASSERT_OK(rill_sim_step(sim, 1));
    ASSERT_OK(rill_sim_patch_force(sim, 0, force));
    rill_boundary_destroy(again);
    rill_boundary_destroy(b);
    rill_boundary_destroy(foreign);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_domain_destroy(other);
    rill_geom_destroy(geom);
}
