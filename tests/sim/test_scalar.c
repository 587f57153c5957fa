/* SPDX-License-Identifier: Apache-2.0 */
/* A scalar on D3Q7, or D3Q19, beside a flow on D3Q19: a second set of populations, of another lattice. */
#include "core/sanitized.h"
#include "backends.h"
#include "sim/several_plan.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOW, SCALAR, SETS };

static rill_geom *box(uint32_t n, uint32_t nz)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){n, n, nz}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_PERIODIC;
    return geom;
}

/* A flow at rest, and a scalar of relaxation time tau that moves by u. */
typedef struct sets {
    rill_sim_options of[SETS];
} sets;

static const rill_lattice lattices[] = {RILL_D3Q7, RILL_D3Q19};

static sets sets_of(rill_lattice lattice, double tau, double u, rill_backend_kind backend)
{
    sets s = {{rill_sim_options_default(), rill_sim_options_default()}};
    rill_sim_options *scalar = &s.of[SCALAR];
    scalar->variant.lattice = lattice;
    scalar->variant.collision = RILL_ADVECTION_DIFFUSION;
    scalar->variant.storage = RILL_FP64;
    scalar->tau = tau;
    scalar->magic = 1.0 / 6;
    for (int a = 0; a < 3; a++) scalar->velocity[a] = u / (1 + a);
    s.of[FLOW].on.backend = backend;
    return s;
}

/* The normal distribution about the middle, that has moved by x and spread by s^2, on a periodic line. */
static double normal(double x, double n, double s)
{
    double sum = 0;
    for (int k = -3; k <= 3; k++) sum += exp(-pow(x + k * n, 2) / (2 * s * s));
    return sum;
}

static double c_s2(rill_lattice lattice) { return lattice == RILL_D3Q7 ? 1. / 4 : 1. / 3; }

/* The Gaussian after some steps at all nodes; its amplitude is 1 at first. */
static void gaussian(uint32_t n, double s_0, const rill_sim_options *o, double steps, double *phi)
{
    const double s = sqrt(s_0 * s_0 + 2 * c_s2(o->variant.lattice) * (o->tau - 0.5) * steps);
    for (uint32_t z = 0; z < n; z++)
        for (uint32_t y = 0; y < n; y++)
            for (uint32_t x = 0; x < n; x++) {
                const double at[3] = {x, y, z};
                double value = pow(s_0 / s, 3);
                for (int a = 0; a < 3; a++)
                    value *= normal(at[a] - (n - 1) / 2.0 - o->velocity[a] * steps, n, s);
                phi[x + n * (y + (size_t)n * z)] = value;
            }
}

static double norm(const double *a, const double *b, size_t count)
{
    double sum = 0;
    for (size_t k = 0; k < count; k++) sum += pow(a[k] - (b ? b[k] : 0), 2);
    return sqrt(sum);
}

/* Return the error of a Gaussian that moves at an angle, relative to itself; time steps are as dx^2. */
static double error_of(rill_lattice lattice, uint32_t n, rill_backend_kind backend)
{
    const double diffusivity = 0.05;
    const sets s = sets_of(lattice, 0.5 + diffusivity / c_s2(lattice), 0.8 / n, backend);
    const uint64_t steps = n * n / 4;
    const size_t nodes = (size_t)n * n * n;
    rill_geom *geom = box(n, n);
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    double *phi = malloc(nodes * sizeof *phi), *exact = malloc(nodes * sizeof *exact),
           *flow = calloc(nodes, sizeof *flow);
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    ASSERT_OK(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim));
    gaussian(n, 0.12 * n, &s.of[SCALAR], 0, phi);
    ASSERT_OK(rill_sim_scalar_set(sim, SCALAR, 0, (rill_node)nodes, phi));
    ASSERT_OK(rill_sim_step(sim, steps));
    ASSERT_OK(rill_sim_scalar(sim, SCALAR, 0, (rill_node)nodes, phi));
    gaussian(n, 0.12 * n, &s.of[SCALAR], (double)steps, exact);
    const double error = norm(phi, exact, nodes) / norm(exact, NULL, nodes);
    ASSERT_OK(rill_sim_moments(sim, 0, (rill_node)nodes, flow, NULL));
    cr_expect_eq(norm(flow, NULL, nodes), 0, "the flow at rest has moved");
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    free(phi), free(exact), free(flow);
    return error;
}

Test(scalar, spreads_and_moves_to_second_order, .disabled = SANITIZED)
{
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < 2; k++) {
        const double coarse = error_of(lattices[k], 16, backend), fine = error_of(lattices[k], 32, backend);
        cr_expect_geq(log2(coarse / fine), 1.9, "lattice %d: errors %g and %g", k, coarse, fine);
        cr_expect_lt(fine, k ? 7e-3 : 4e-3, "lattice %d: error %g", k, fine);
    }
}

/* Pores of noise, one voxel wide and wider. */
static rill_geom *pores(rill_side side)
{
    rill_geom *geom = box(23, 60);
    uint64_t state = 5;
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        geom->voxels[v] = (state >> 33) % 100 < 30 ? RILL_SOLID : RILL_FLUID;
    }
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    return geom;
}

/* Return phi of all nodes after some steps from a ramp, in some parts; halves of the steps are made in two
 * simulations if `resumed`. */
static double *ramp(const rill_domain *domain, sets s, int parts, bool resumed)
{
    enum { steps = 10 };
    const rill_node nodes = rill_domain_nodes(domain);
    rill_device *device = NULL, *devices[3];
    rill_sim *sim = NULL, *next = NULL;
    double *phi = malloc(nodes * sizeof *phi);
    ASSERT_OK(rill_device_create(s.of[FLOW].on.backend, 0, &device));
    for (int k = 0; k < 3; k++) devices[k] = device;
    s.of[FLOW].on.device = device, s.of[FLOW].on.list = devices, s.of[FLOW].on.count = parts;
    for (rill_node k = 0; k < nodes; k++) phi[k] = (double)k / nodes;
    ASSERT_OK(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim));
    cr_assert_eq(rill_sim_parts(sim), parts);
    ASSERT_OK(rill_sim_scalar_set(sim, SCALAR, 0, nodes, phi));
    ASSERT_OK(rill_sim_step(sim, steps));
    if (resumed) {
        const uint64_t bytes = rill_sim_state_bytes(sim);
        char *state = malloc(bytes);
        ASSERT_OK(rill_sim_state_save(sim, 0, bytes, state));
        s.of[FLOW].on.count = 1;
        ASSERT_OK(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &next));
        ASSERT_OK(rill_sim_state_load(next, 0, bytes, state));
        ASSERT_OK(rill_sim_state_resume(next, steps));
        free(state);
    }
    ASSERT_OK(rill_sim_step(next ? next : sim, steps));
    ASSERT_OK(rill_sim_scalar(next ? next : sim, SCALAR, 0, nodes, phi));
    rill_sim_destroy(next);
    rill_sim_destroy(sim);
    rill_device_destroy(device);
    return phi;
}

/* The same bits on a CPU from every scheme, in parts, and from a state; nothing is lost at walls or mirrors.
 */
Test(scalar, has_the_same_bits_in_parts_and_from_a_state)
{
    static const struct {
        rill_stream stream;
        rill_addressing addressing;
    } schemes[] = {{RILL_PULL, RILL_LIST}, {RILL_AA, RILL_LIST},        {RILL_ESOTWIST, RILL_LIST},
                   {RILL_AA, RILL_BITMAP}, {RILL_ESOPULL, RILL_BITMAP}, {RILL_ESOTWIST, RILL_CHASE}};
    static const rill_side sides[] = {RILL_PERIODIC, RILL_MIRROR, RILL_WALL};
    for (int c = 0; c < 5; c++) { /* D3Q19 has no mirrors */
        const int side = c < 3 ? c : 2 * (c - 3);
        const rill_lattice lattice = lattices[c / 3];
        rill_geom *geom = pores(sides[side]);
        rill_domain *domain = NULL;
        ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, side == 1 ? 2 : -1}, &domain));
        const rill_node nodes = rill_domain_nodes(domain);
        FOR_EACH_BACKEND(backend)
        {
            double *first = NULL;
            for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
                for (int run = 0; run < 3; run++) { /* alone, in parts, in parts and from a state */
                    sets s = sets_of(lattice, 0.8, side == 1 ? 0 : 0.03, backend);
                    double gained = 0;
                    s.of[SCALAR].variant.stream = schemes[k].stream;
                    s.of[SCALAR].variant.addressing = schemes[k].addressing;
                    double *phi = ramp(domain, s, run ? 2 + run % 2 : 1, run == 2);
                    for (rill_node n = 0; n < nodes; n++) gained += phi[n] - (double)n / nodes;
                    cr_expect_lt(fabs(gained), 1e-9 * nodes, "case %d: gained %g", c, gained);
                    if (first)
                        cr_expect_eq(memcmp(phi, first, nodes * sizeof *phi), 0,
                                     "case %d, scheme %zu, run %d", c, k, run);
                    if (first)
                        free(phi);
                    else
                        first = phi;
                }
            free(first);
        }
        rill_domain_destroy(domain);
        rill_geom_destroy(geom);
    }
}

/* A mirror is what the image behind it makes: half of a box with mirrors as the whole one that repeats. */
Test(scalar, mirrors_are_images)
{
    enum { n = 12 };
    rill_geom *half = box(n, n), *whole = box(n, 2 * n);
    rill_domain *domains[2] = {NULL};
    double *phi[2] = {NULL};
    half->sides[2] = RILL_MIRROR;
    for (uint64_t v = 0; v < n * n * n; v++)
        if (v % 7 == 3 || v % 11 == 5)
            half->voxels[v] = whole->voxels[v] =
                whole->voxels[v % (n * n) + (2 * n - 1 - v / (n * n)) * n * n] = RILL_SOLID;
    rill_geom *geoms[] = {half, whole};
    for (int k = 0; k < 2; k++) {
        rill_sim *sim = NULL;
        const sets s = sets_of(RILL_D3Q7, 0.9, 0, RILL_BACKEND_CPU);
        ASSERT_OK(rill_domain_create(geoms[k], &(rill_domain_options){RILL_D3Q19, 2}, &domains[k]));
        const rill_node nodes = rill_domain_nodes(domains[k]), own = rill_domain_nodes(domains[0]);
        phi[k] = malloc(nodes * sizeof **phi);
        for (rill_node m = 0; m < own; m++) phi[k][m] = m % 13;
        rill_node m = own; /* nodes of the image are those of planes in reverse */
        for (uint32_t z = 0, after = own; k && z < n; z++) {
            rill_node plane = 0;
            for (uint64_t v = 0; v < n * n; v++)
                plane += half->voxels[v + (n - 1 - z) * (uint64_t)(n * n)] == RILL_FLUID;
            after -= plane;
            for (rill_node j = 0; j < plane; j++) phi[k][m++] = (after + j) % 13;
        }
        ASSERT_OK(rill_sim_create_sets(domains[k], s.of, SETS, RILL_LOAD_NONE, &sim));
        ASSERT_OK(rill_sim_scalar_set(sim, SCALAR, 0, nodes, phi[k]));
        ASSERT_OK(rill_sim_step(sim, 25));
        ASSERT_OK(rill_sim_scalar(sim, SCALAR, 0, nodes, phi[k]));
        rill_sim_destroy(sim);
    }
    for (rill_node m = 0; m < rill_domain_nodes(domains[0]); m++)
        cr_assert_float_eq(phi[0][m], phi[1][m], 1e-13, "node %u: %.17g, %.17g", m, phi[0][m], phi[1][m]);
    for (int k = 0; k < 2; k++) {
        rill_domain_destroy(domains[k]);
        rill_geom_destroy(geoms[k]);
        free(phi[k]);
    }
}

Test(scalar, refuses_what_it_is_not_made_for)
{
    rill_geom *geom = box(6, 6);
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    double phi;
    const sets good = sets_of(RILL_D3Q7, 0.8, 0.1, RILL_BACKEND_CPU);
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    sets s = good;
    s.of[SCALAR].velocity[1] = 0.26;
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "velocity y = 0.26"), "%s", rill_error_message());
    s.of[SCALAR].velocity[1] = NAN;
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    s = good;
    s.of[SCALAR].force[0] = 1e-3;
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "force x = 0.001"), "%s", rill_error_message());
    geom->sides[0] = RILL_MIRROR;
    cr_expect_eq(rill_sim_create_sets(domain, good.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "through a mirrored boundary"), "%s",
                       rill_error_message());
    geom->sides[0] = RILL_PERIODIC;
    s = good;
    s.of[SCALAR].variant.lattice = RILL_D3Q19;
    for (int a = 0; a < 3; a++)
        s.of[SCALAR].velocity[a] = 0.17; /* more than 1/6: diagonals add up to c_s^2 */
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "velocity x = 0.17"), "%s", rill_error_message());
    s = good;
    s.of[SCALAR].variant.collision = RILL_TRT;
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "lattice d3q7 does not go with collision trt"), "%s",
                       rill_error_message());
    s = good;
    s.of[SCALAR].variant.lattice = RILL_D3Q15;
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(
        strstr(rill_error_message(), "lattice d3q15 does not go with collision advection-diffusion"), "%s",
        rill_error_message());
    ASSERT_OK(rill_sim_create_sets(domain, good.of, SETS, RILL_LOAD_NONE, &sim));
    cr_expect_eq(rill_sim_scalar(sim, FLOW, 0, 1, &phi), RILL_USAGE);
    cr_expect_eq(rill_sim_scalar(sim, SETS, 0, 1, &phi), RILL_USAGE);
    cr_expect_eq(rill_sim_scalar(sim, SCALAR, 216, 1, &phi), RILL_USAGE);
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

/* The diagonal links of D3Q19 would have to be reflected by a mirror, as those of a flow are. */
Test(scalar, has_mirrors_on_d3q7_alone)
{
    rill_geom *geom = box(8, 8);
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    const sets s = sets_of(RILL_D3Q19, 0.8, 0, RILL_BACKEND_CPU);
    geom->sides[2] = RILL_MIRROR;
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 2}, &domain));
    cr_expect_eq(rill_sim_create_sets(domain, s.of, SETS, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "choose d3q7"), "%s", rill_error_message());
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
