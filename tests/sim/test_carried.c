/* SPDX-License-Identifier: Apache-2.0 */
/* Scalars that the flow of a simulation carries: what comes in, how long it stays, and that nothing is lost.
 */
#include "backends.h"
#include "sim/carrier.h"
#include "sim/several_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FLOW, DYE, AGE, SETS, ENDS = 2 };

/* A channel along x between plates normal to y, or a plug where these are no plates but periodic. */
typedef struct channel {
    uint32_t n[3];
    bool plates;
    double speed;       /* lu, in the mean */
    double diffusivity; /* lu */
    double outside;     /* of the dye, at the inlet */
} channel;

typedef struct made {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_opening ends[ENDS]; /* cuts are owned */
    rill_node nodes;
} made;

static void profile(void *context, const double x[3], double u[3])
{
    const channel *c = context;
    const double eta = 2 * x[1] / c->n[1] - 1;
    u[0] = c->speed * (c->plates ? 1.5 * (1 - eta * eta) : 1);
    u[1] = u[2] = 0;
}

/* The same velocity at the nodes, as populations begin. */
static void start(made *m, const channel *c)
{
    double *rho = calloc(4 * (size_t)m->nodes, sizeof *rho), *u = rho + m->nodes;
    for (rill_node k = 0; k < m->nodes; k++) {
        double at[3];
        profile((void *)c, (const double[3]){0, k / c->n[0] % c->n[1] + 0.5, 0}, at);
        u[k] = at[0];
    }
    ASSERT_OK(rill_sim_set_moments(m->sim, rho, u));
    free(rho);
}

/* All links along x of the nodes at one end. */
static void end_make(made *m, const channel *c, int end)
{
    rill_opening *o = &m->ends[end];
    o->cuts = calloc((size_t)c->n[1] * c->n[2], sizeof *o->cuts);
    for (uint32_t k = 0; k < c->n[1] * c->n[2]; k++)
        o->cuts[o->cut_count++] =
            (rill_cut){.node = k * c->n[0] + (end ? c->n[0] - 1 : 0), .direction = end ? 2 : 1};
}

typedef struct how {
    rill_backend_kind backend;
    rill_stream stream;
    rill_addressing addressing;
    int parts;
} how;

static made channel_make(const channel *c, how by, rill_device **device)
{
    made m = {.nodes = c->n[0] * c->n[1] * c->n[2]};
    rill_sim_options o[SETS];
    rill_device *devices[3];
    ASSERT_OK(rill_geom_create(c->n, &m.geom));
    memset(m.geom->voxels, RILL_FLUID, rill_geom_voxels(m.geom));
    m.geom->sides[0] = RILL_WALL;
    m.geom->sides[1] = c->plates ? RILL_WALL : RILL_PERIODIC;
    m.geom->sides[2] = RILL_PERIODIC;
    ASSERT_OK(rill_domain_create(m.geom, &(rill_domain_options){RILL_D3Q19, -1}, &m.domain));
    ASSERT_OK(rill_device_create(by.backend, 0, device));
    for (int k = 0; k < 3; k++) devices[k] = *device;
    for (int k = 0; k < SETS; k++) {
        o[k] = rill_sim_options_default();
        o[k].variant.stream = by.stream;
        o[k].variant.addressing = by.addressing;
        o[k].variant.storage = RILL_FP64;
        if (k == FLOW) continue;
        o[k].variant.lattice = RILL_D3Q7;
        o[k].variant.collision = RILL_ADVECTION_DIFFUSION;
        o[k].carried = true;
        o[k].tau = 0.5 + 4 * c->diffusivity;
        o[k].magic = 0.25;
        o[k].source = k == AGE;
    }
    o[FLOW].tau = 0.9;
    o[FLOW].on.device = *device, o[FLOW].on.list = devices, o[FLOW].on.count = by.parts;
    ASSERT_OK(rill_sim_create_sets(m.domain, o, SETS, RILL_LOAD_OPENINGS, &m.sim));
    cr_assert_eq(rill_sim_parts(m.sim), by.parts ? by.parts : 1);
    for (int end = 0; end < ENDS; end++) {
        rill_boundary *b = NULL;
        int patch;
        end_make(&m, c, end);
        ASSERT_OK(rill_boundary_create_face(m.domain, 0, end ? 1 : -1, &b));
        ASSERT_OK(rill_boundary_set_velocity_profile(b, profile, (void *)c));
        ASSERT_OK(rill_sim_boundary_add(m.sim, b, &patch));
        rill_boundary_destroy(b);
    }
    start(&m, c);
    for (int k = DYE; k < SETS; k++)
        ASSERT_OK(rill_sim_scalar_open(m.sim, k, m.ends, ENDS,
                                       (const double[ENDS]){k == DYE ? c->outside : 0, NAN}));
    return m;
}

static void channel_free(made *m, rill_device *device)
{
    for (int end = 0; end < ENDS; end++) free(m->ends[end].cuts);
    rill_sim_destroy(m->sim);
    rill_domain_destroy(m->domain);
    rill_geom_destroy(m->geom);
    rill_device_destroy(device);
}

static const how plain = {RILL_BACKEND_CPU, RILL_PULL, RILL_LIST, 0};

/* Return what a set has at all nodes; the caller frees it. */
static double *all_of(const made *m, int set)
{
    double *phi = malloc(m->nodes * sizeof *phi);
    ASSERT_OK(rill_sim_scalar(m->sim, set, 0, m->nodes, phi));
    return phi;
}

/* Return what leaves in a step, with the mean concentration of it. */
static double leaving(const made *m, const channel *c, int set, double *mean)
{
    double *phi = all_of(m, set), *rho = calloc(4 * (size_t)m->nodes, sizeof *rho), *u = rho + m->nodes,
           sum = 0, flow = 0;
    ASSERT_OK(rill_sim_moments(m->sim, 0, m->nodes, rho, u));
    for (rill_node k = c->n[0] - 1; k < m->nodes; k += c->n[0]) sum += u[k] * phi[k], flow += u[k];
    *mean = sum / flow;
    free(phi), free(rho);
    return sum;
}

/* Plug flow, u T' = 1 + D T'', with uT - DT' = 0 where it comes in and T' = 0 where it leaves, at L:
 * T = x/u + D/u^2 (1 - exp(u (x - L)/D)). */
static double plug(const channel *c, double x)
{
    const double u = c->speed, d = c->diffusivity, length = c->n[0];
    return x / u + d / (u * u) * (1 - exp(u * (x - length) / d));
}

Test(carried, plug_flow_stays_as_long_as_the_equation_says)
{
    FOR_EACH_BACKEND(backend)
    {
        double error[2];
        for (int fine = 0; fine < 2; fine++) {
            const uint32_t n = fine ? 64 : 32;
            const channel c = {{n, 3, 3}, false, 0.8 / n, 0.04, 1}; /* of the cell: Pe 0.6, 0.3 */
            how by = plain;
            rill_device *device = NULL;
            by.backend = backend;
            made m = channel_make(&c, by, &device);
            ASSERT_OK(rill_sim_step(m.sim, 6 * n * n));
            double *age = all_of(&m, AGE), *dye = all_of(&m, DYE), mean;
            error[fine] = 0;
            for (uint32_t x = 0; x < n; x++) {
                error[fine] = fmax(error[fine], fabs(age[x] / plug(&c, n) - plug(&c, x + 0.5) / plug(&c, n)));
                cr_assert_float_eq(dye[x], 1, 1e-6, "%u: %.17g", x, dye[x]); /* what is the same stays so */
            }
            (void)leaving(&m, &c, AGE, &mean);
            cr_expect_float_eq(mean * c.speed / n, 1, 1e-6, "mean %.9g, %.9g", mean, n / c.speed);
            free(age), free(dye);
            channel_free(&m, device);
        }
        cr_expect_lt(error[1], 1e-3, "errors %g, %g", error[0], error[1]);
        cr_expect_gt(log2(error[0] / error[1]), 1.8, "errors %g, %g", error[0], error[1]);
    }
}

/* Between plates the mean time is volume over flow whatever diffuses; in the middle it is less, at the walls
 * more. In the middle it is x / u and what diffuses there to the first order: D / u^2 at the inlet, and D
 * d^2(x / u)/dy^2 along the way, 4 D x^2 / (H u)^2. */
Test(carried, the_mean_time_between_plates_is_volume_over_flow)
{
    FOR_EACH_BACKEND(backend)
    {
        const channel c = {
            {48, 16, 3}, true, 0.02, 0.004, 1}; /* of the cell: Pe 5 in the mean, 7.5 at most */
        how by = plain;
        rill_device *device = NULL;
        by.backend = backend;
        made m = channel_make(&c, by, &device);
        ASSERT_OK(rill_sim_step(m.sim, 25000));
        double mean, *age = all_of(&m, AGE);
        (void)leaving(&m, &c, AGE, &mean);
        cr_expect_float_eq(mean * c.speed / c.n[0], 1, 1e-3, "mean %.9g of %.9g", mean, c.n[0] / c.speed);
        const double x = 11.5, y = 7.5, eta = 2 * (y + 0.5) / 16 - 1, own = 1.5 * c.speed * (1 - eta * eta),
                     middle = age[11 + 48 * 7], wall = age[11];
        const double exact = x / own + c.diffusivity / (own * own) * (1 + pow(2 * x / 16, 2));
        cr_expect_float_eq(middle / exact, 1, 0.02, "middle %g of %g", middle, exact);
        cr_expect_gt(wall, 3 * middle, "wall %g, middle %g", wall, middle);
        free(age);
        channel_free(&m, device);
    }
}

/* What comes in less what leaves is what there is, in every step, while a front passes; and the front is that
 * in a column of half an infinite length where the flux is given (van Genuchten & Alves 1982, U.S. Dep.
 * Agric. Tech. Bull. 1661, A2), long before it leaves. */
Test(carried, a_front_is_conserved)
{
    FOR_EACH_BACKEND(backend)
    {
        const channel c = {{80, 3, 3}, false, 0.02, 0.04, 0.7}; /* of the cell: Pe 0.5 */
        how by = plain;
        rill_device *device = NULL;
        by.backend = backend;
        made m = channel_make(&c, by, &device);
        double before = 0, mean, now, worst = 0;
        for (int step = 1; step <= 4000; step++) {
            const double out = leaving(&m, &c, DYE, &mean), in = c.outside * c.speed * 9;
            ASSERT_OK(rill_sim_step(m.sim, 1));
            ASSERT_OK(rill_sim_scalar_sum(m.sim, DYE, &now));
            worst = fmax(worst, fabs(now - before - (in - out)));
            before = now;
            if (step != 1500) continue;
            double *dye = all_of(&m, DYE);
            for (uint32_t x = 0; x < 60; x++) { /* with flux and not value given where it comes in */
                const double at = x + 0.5, t = step, u = c.speed, d = c.diffusivity, width = 2 * sqrt(d * t),
                             exact = 0.5 * erfc((at - u * t) / width) +
                                     sqrt(u * u * t / (M_PI * d)) * exp(-pow((at - u * t) / width, 2)) -
                                     0.5 * (1 + u * at / d + u * u * t / d) * exp(u * at / d) *
                                         erfc((at + u * t) / width);
                cr_expect_float_eq(dye[x] / c.outside, exact, 2e-3, "%u: %g, %g", x, dye[x] / c.outside,
                                   exact);
            }
            free(dye);
        }
        cr_expect_lt(worst, 1e-12, "lost %g", worst);
        channel_free(&m, device);
    }
}

/* The same bits from every scheme, in parts, and from a state. */
Test(carried, has_the_same_bits_in_parts_and_from_a_state)
{
    static const how hows[] = {{RILL_BACKEND_CPU, RILL_PULL, RILL_LIST, 0},
                               {RILL_BACKEND_CPU, RILL_AA, RILL_LIST, 0},
                               {RILL_BACKEND_CPU, RILL_ESOTWIST, RILL_BITMAP, 0},
                               {RILL_BACKEND_CPU, RILL_AA, RILL_LIST, 2}};
    const channel c = {{19, 23, 40}, true, 0.03, 0.02, 1};
    FOR_EACH_BACKEND(backend)
    {
        double *first[SETS] = {NULL};
        for (size_t k = 0; k < sizeof hows / sizeof *hows; k++)
            for (int resumed = 0; resumed < 2; resumed++) {
                rill_device *device = NULL, *other = NULL;
                how by = hows[k];
                by.backend = backend;
                made m = channel_make(&c, by, &device), next = {NULL};
                ASSERT_OK(rill_sim_step(m.sim, 15));
                if (resumed) {
                    const uint64_t bytes = rill_sim_state_bytes(m.sim);
                    char *state = malloc(bytes);
                    ASSERT_OK(rill_sim_state_save(m.sim, 0, bytes, state));
                    next = channel_make(&c, by, &other);
                    ASSERT_OK(rill_sim_state_load(next.sim, 0, bytes, state));
                    ASSERT_OK(rill_sim_state_resume(next.sim, 15));
                    free(state);
                }
                made *last = resumed ? &next : &m;
                ASSERT_OK(rill_sim_step(last->sim, 15));
                for (int set = DYE; set < SETS; set++) {
                    double *phi = all_of(last, set);
                    cr_expect_gt(phi[0], 0.01);
                    if (first[set])
                        cr_expect_eq(memcmp(phi, first[set], m.nodes * sizeof *phi), 0,
                                     "scheme %zu, set %d, %d", k, set, resumed);
                    if (first[set])
                        free(phi);
                    else
                        first[set] = phi;
                }
                channel_free(&m, device);
                if (resumed) channel_free(&next, other);
            }
        for (int set = DYE; set < SETS; set++) free(first[set]);
    }
}

/* A node has the number of one opening: what comes in through another would have its concentration. */
Test(carried, refuses_a_node_between_two_openings)
{
    const channel c = {.n = {12, 6, 1}, .speed = 0.02, .diffusivity = 0.02, .outside = 0.4};
    rill_device *device;
    made m = channel_make(&c, plain, &device);
    m.ends[1].cuts[0].node = m.ends[0].cuts[2].node;
    cr_expect_eq(rill_sim_scalar_open(m.sim, DYE, m.ends, ENDS, (const double[ENDS]){1, NAN}), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "between the openings"), "%s", rill_error_message());
    channel_free(&m, device);
}

Test(carried, refuses_what_it_is_not_made_for)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){6, 6, 6}, &geom));
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    ASSERT_OK(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain));
    rill_sim_options o[] = {rill_sim_options_default(), rill_sim_options_default()};
    o[0].carried = true;
    cr_expect_eq(rill_sim_create_sets(domain, o, 1, RILL_LOAD_NONE, &sim), RILL_USAGE);
    o[0].carried = false, o[1].carried = true;
    cr_expect_eq(rill_sim_create_sets(domain, o, 2, RILL_LOAD_NONE, &sim), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "choose d3q7"), "%s", rill_error_message());
    o[1].variant.lattice = RILL_D3Q7, o[1].variant.collision = RILL_ADVECTION_DIFFUSION;
    o[1].source = NAN;
    cr_expect_eq(rill_sim_create_sets(domain, o, 2, RILL_LOAD_NONE, &sim), RILL_USAGE);
    o[1].source = 1, o[1].carried = false;
    cr_expect_eq(rill_sim_create_sets(domain, o, 2, RILL_LOAD_NONE, &sim), RILL_USAGE);
    o[1].source = 0;
    ASSERT_OK(rill_sim_create_sets(domain, o, 2, RILL_LOAD_NONE, &sim));
    cr_expect_eq(rill_sim_scalar_open(sim, 1, NULL, 0, NULL), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "not carried"), "%s", rill_error_message());
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}
