/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps that relax with memory (Polyak 1964, doi:10.1016/0041-5553(64)90137-5), where density and momentum
 * are stored: they end at the flow of time steps, earlier.
 */
#include "backends.h"
#include "sim/sim.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { edge = 10 };

static rill_geom *array_of_spheres(rill_side side)
{
    rill_geom *geom = NULL;
    const uint32_t n[3] = {edge, edge, edge};
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = side;
    for (int k = 0; k < edge * edge * edge; k++) {
        const double d[3] = {k % edge - 4.3, k / edge % edge - 4.3, k / edge / edge - 4.3};
        geom->voxels[k] = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < 9 ? RILL_SOLID : RILL_FLUID;
    }
    return geom;
}

typedef struct flow {
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
} flow;

static flow flow_in(rill_geom *geom, double force, rill_backend_kind backend, rill_stream stream,
                    rill_addressing addressing)
{
    flow f = {.geom = geom};
    const rill_domain_options along_z = {RILL_D3Q19, 2};
    rill_sim_options options = rill_sim_options_default();
    options.variant.equilibrium = RILL_STOKES;
    options.variant.stream = stream;
    options.variant.addressing = addressing;
    options.variant.storage = RILL_FP64;
    options.variant.arithmetic = RILL_DOUBLE;
    options.on.backend = backend;
    options.tau = 1;
    options.magic = 0.25;
    options.force[2] = force;
    ASSERT_OK(rill_domain_create(f.geom, &along_z, &f.domain));
    ASSERT_OK(rill_sim_create(f.domain, &options, &f.sim));
    return f;
}

static flow flow_create(rill_backend_kind backend, rill_side side, rill_stream stream,
                        rill_addressing addressing)
{
    return flow_in(array_of_spheres(side), 1e-4, backend, stream, addressing);
}

static void flow_destroy(flow *f)
{
    rill_sim_destroy(f->sim);
    rill_domain_destroy(f->domain);
    rill_geom_destroy(f->geom);
}

static rill_totals totals_of(rill_sim *sim)
{
    rill_totals totals;
    ASSERT_OK(rill_sim_totals(sim, &totals));
    return totals;
}

Test(relaxation, ends_at_the_flow_of_time_steps_and_earlier)
{
    const rill_side sides[] = {RILL_PERIODIC, RILL_MIRROR};
    omp_set_num_threads(1);
    FOR_EACH_BACKEND(backend)
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 2; k++) {
            flow f = flow_create(backend, sides[s], RILL_MACROSCOPIC, k ? RILL_BITMAP : RILL_LIST);
            flow plain = flow_create(backend, sides[s], RILL_MACROSCOPIC, RILL_LIST);
            ASSERT_OK(rill_sim_step(plain.sim, 250));
            const double early = totals_of(plain.sim).momentum[2];
            ASSERT_OK(rill_sim_step(plain.sim, 3000));
            const double end = totals_of(plain.sim).momentum[2];
            ASSERT_OK(rill_sim_relax(f.sim, rill_relaxation_of(0.7)));
            ASSERT_OK(rill_sim_step(f.sim, 250));
            const double found = totals_of(f.sim).momentum[2];
            cr_expect_lt(
                fabs(found - end), 0.1 * fabs(early - end),
                "side %d, list or bitmap %d, backend %d: %.12g after 250 steps with memory, %.12g of time steps, %.12g in the end",
                s, k, backend, found, early, end);
            ASSERT_OK(rill_sim_step(f.sim, 550));
            const double settled = totals_of(f.sim).momentum[2];
            cr_expect_float_eq(settled / end, 1, 1e-9, "side %d, list or bitmap %d, backend %d: %.12g, %.12g",
                               s, k, backend, settled, end);
            flow_destroy(&plain);
            flow_destroy(&f);
        }
}

/* Both kinds of addressing make the same steps, from the first on. */
Test(relaxation, steps_are_those_of_the_formula)
{
    FOR_EACH_BACKEND(backend)
    {
        flow f[3]; /* list, bitmap, time steps */
        rill_totals t[3][4];
        for (int k = 0; k < 3; k++) {
            f[k] = flow_create(backend, RILL_PERIODIC, RILL_MACROSCOPIC, k == 1 ? RILL_BITMAP : RILL_LIST);
            if (k < 2) ASSERT_OK(rill_sim_relax(f[k].sim, (rill_relaxation){1, 1, 0.5}));
            for (int step = 0; step < 4; step++) {
                ASSERT_OK(rill_sim_step(f[k].sim, 1));
                t[k][step] = totals_of(f[k].sim);
            }
        }
        /* Nothing is remembered in the first step; the second adds half of what the first changed. */
        const double first = t[2][0].momentum[2], second = t[2][1].momentum[2];
        cr_expect_float_eq(t[0][0].momentum[2], first, 1e-15);
        cr_expect_float_eq(t[0][1].momentum[2] / (second + 0.5 * first), 1, 1e-12);
        for (int step = 0; step < 4; step++)
            cr_expect_float_eq(t[1][step].momentum[2] / t[0][step].momentum[2], 1, 1e-12, "step %d", step);
        for (int k = 0; k < 3; k++) flow_destroy(&f[k]);
    }
}

/* A density that is added moves what is remembered, too: nothing is remembered of the addition. */
Test(relaxation, a_density_that_is_added_is_no_change)
{
    static const uint32_t labels[edge * edge * edge];
    const double more = 0.125;
    FOR_EACH_BACKEND(backend)
    {
        flow f = flow_create(backend, RILL_PERIODIC, RILL_MACROSCOPIC, RILL_BITMAP);
        ASSERT_OK(rill_sim_label_share(f.sim, 1, labels));
        ASSERT_OK(rill_sim_relax(f.sim, rill_relaxation_of(0.7)));
        ASSERT_OK(rill_sim_step(f.sim, 3));
        const double before = totals_of(f.sim).mass;
        ASSERT_OK(rill_sim_label_add(f.sim, &more));
        ASSERT_OK(rill_sim_step(f.sim, 3));
        const double gained = (totals_of(f.sim).mass - before) / (double)f.domain->nodes;
        cr_expect_float_eq(gained, more, 1e-12, "backend %d: %.15g was gained", backend, gained);
        flow_destroy(&f);
    }
}

/* Cycles of steps with memory, and of some without it at their end. */
typedef struct cycles {
    rill_relaxation with, without;
    uint64_t steps[2];
    int count;
} cycles;

/* Return how many times as large the momentum of a plane wave of sound is behind some cycles, in a box
 * without walls. */
static double wave_left(rill_backend_kind backend, uint32_t length, const cycles *c)
{
    enum { LENGTH_MOST = 128 };
    rill_geom *geom = NULL;
    double moments[4 * LENGTH_MOST] = {0}, left = 0;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){length, 1, 1}, &geom));
    memset(geom->voxels, RILL_FLUID, length);
    flow f = flow_in(geom, 0, backend, RILL_MACROSCOPIC, RILL_BITMAP);
    for (uint32_t x = 0; x < length; x++) moments[length + x] = 1e-3 * sin(2 * M_PI * x / length);
    ASSERT_OK(rill_sim_set_moments(f.sim, moments, moments + length));
    for (int k = 0; k < c->count; k++) {
        ASSERT_OK(rill_sim_relax(f.sim, c->with));
        ASSERT_OK(rill_sim_step(f.sim, c->steps[0]));
        ASSERT_OK(rill_sim_relax(f.sim, c->without));
        ASSERT_OK(rill_sim_step(f.sim, c->steps[1]));
    }
    ASSERT_OK(rill_sim_moments(f.sim, 0, length, moments, moments + length));
    for (uint32_t x = 0; x < length; x++) left = fmax(left, fabs(moments[length + x]) / 1e-3);
    flow_destroy(&f);
    return left;
}

/* A relaxation of (1 - memory)^2 of the density let long waves grow with a memory of 0.6: by 1.0001 in each
 * step. Time steps of the density between others amplify sound. */
Test(relaxation, sound_is_damped_in_steps_with_memory_and_in_cycles_of_them)
{
    static const uint32_t lengths[] = {12, 20, 24, 28, 40, 45, 64, 74, 91, 128};
    static const double memories[] = {0.3, 0.5, 0.6, 0.8, 0.9};
    omp_set_num_threads(1);
    FOR_EACH_BACKEND(backend)
    for (size_t m = 0; m < sizeof memories / sizeof *memories; m++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const rill_relaxation with = rill_relaxation_of(memories[m]);
            const cycles alone = {with, with, {2000, 2000}, 1},
                         looks = {with, rill_relaxation_forgets(with), {52, 12}, 30},
                         amplified = {with, {1, 1, 0}, {52, 12}, 30};
            const double step = wave_left(backend, lengths[l], &alone),
                         cycle = wave_left(backend, lengths[l], &looks);
            cr_expect(step < 1 && cycle < 1,
                      "memory %g, wave of %u nodes: %g left of it behind 4000 steps, %g behind 30 cycles",
                      memories[m], lengths[l], step, cycle);
            if (memories[m] != 0.6 || lengths[l] != 40) continue;
            const double grown = wave_left(backend, lengths[l], &amplified);
            cr_expect_gt(grown, 1e9, "time steps between others leave %g of a wave", grown);
        }
}

/* Staggered momentum, which a time step multiplies by -1, was not damped with a memory of 0.3: each first
 * step of a cycle, without a memory, multiplied it by -1.6. */
Test(relaxation, staggered_momentum_is_damped)
{
    FOR_EACH_BACKEND(backend)
    for (int m = 3; m < 10; m++) {
        const rill_relaxation with = rill_relaxation_of(0.1 * m);
        const cycles looks = {with, rill_relaxation_forgets(with), {20, 12}, 10};
        enum { NODES = 8 };
        rill_geom *geom = NULL;
        double moments[4 * NODES] = {0};
        ASSERT_OK(rill_geom_create((const uint32_t[3]){NODES, 1, 1}, &geom));
        memset(geom->voxels, RILL_FLUID, NODES);
        flow f = flow_in(geom, 0, backend, RILL_MACROSCOPIC, RILL_LIST);
        for (int x = 0; x < NODES; x++) moments[NODES + x] = x % 2 ? -1e-3 : 1e-3;
        ASSERT_OK(rill_sim_set_moments(f.sim, moments, moments + NODES));
        for (int k = 0; k < looks.count; k++) {
            ASSERT_OK(rill_sim_relax(f.sim, looks.with));
            ASSERT_OK(rill_sim_step(f.sim, looks.steps[0]));
            ASSERT_OK(rill_sim_relax(f.sim, looks.without));
            ASSERT_OK(rill_sim_step(f.sim, looks.steps[1]));
        }
        ASSERT_OK(rill_sim_moments(f.sim, 0, NODES, moments, moments + NODES));
        cr_expect_lt(fabs(moments[NODES]), 1e-4, "memory 0.%d: %g is left of 0.001", m, moments[NODES]);
        flow_destroy(&f);
    }
}

static void see_apart(void *context, rill_log_level level, const char *line)
{
    (void)level;
    if (strstr(line, "driven apart by a memory of")) ++*(int *)context;
}

/* Three spheres in a wide box. */
static rill_geom *few_spheres(void)
{
    enum { width = 24 };
    static const double centre[3][3] = {{4.9, 3.1, 12.8}, {17.3, 9.4, 6.2}, {10.6, 19.7, 20.1}};
    rill_geom *geom = NULL;
    const uint32_t n[3] = {width, width, width};
    ASSERT_OK(rill_geom_create(n, &geom));
    for (int k = 0; k < width * width * width; k++) {
        const double x[3] = {k % width + 0.5, k / width % width + 0.5, k / width / width + 0.5};
        geom->voxels[k] = RILL_FLUID;
        for (int s = 0; s < 3; s++) {
            double square = 0;
            for (int a = 0; a < 3; a++) {
                const double d = fabs(x[a] - centre[s][a]), near = fmin(d, width - d);
                square += near * near;
            }
            if (square < 16) geom->voxels[k] = RILL_SOLID;
        }
    }
    return geom;
}

static rill_permeability_options four_numbers(void)
{
    rill_permeability_options options = rill_permeability_options_default();
    options.variant.stream = RILL_MACROSCOPIC;
    options.variant.addressing = RILL_BITMAP;
    options.variant.storage = RILL_FP64;
    options.variant.arithmetic = RILL_DOUBLE;
    options.magic = 0.25;
    options.axis = 2;
    options.on.backend = RILL_BACKEND_CPU;
    return options;
}

/* Between cylinders far apart sound is hardly damped: from rest it was amplified until the memory was given
 * up, and no corrections led to an end. All 60 cycles were lost, and k came after 5,446 time steps alone. */
Test(relaxation, sound_between_obstacles_far_apart_does_not_grow)
{
    enum { width = 64 };
    rill_geom *geom = NULL;
    rill_permeability_options options = four_numbers();
    rill_permeability_plan plan;
    rill_permeability found;
    int apart = 0;
    omp_set_num_threads(1);
    ASSERT_OK(rill_geom_create((const uint32_t[3]){width, 1, width}, &geom));
    for (int k = 0; k < width * width; k++) {
        const double x = k % width + 0.5 - width / 2.0, z = k / width + 0.5 - width / 2.0;
        geom->voxels[k] = M_PI * (x * x + z * z) <= 0.1 * width * width ? RILL_SOLID : RILL_FLUID;
    }
    options.start = RILL_START_REST;
    ASSERT_OK(rill_permeability_prepare(geom, &options));
    ASSERT_OK(rill_permeability_plan_make(geom, &options, &plan));
    rill_log_to(see_apart, &apart);
    ASSERT_OK(rill_permeability_compute(geom, &options, &plan, &found));
    rill_log_to(NULL, NULL);
    const rill_permeability_flow *run = &found.runs[0];
    cr_expect_eq(apart, 0);
    cr_expect(run->cycles > 0 && run->steps < 1500, "%d cycles, %llu steps", run->cycles,
              (unsigned long long)run->steps);
    cr_expect_lt(fabs(run->k[2] - 167.878), run->uncertainty[2], "k is %.9g +- %.3g", run->k[2],
                 run->uncertainty[2]);
    rill_permeability_free(&found);
    rill_permeability_plan_free(&plan);
    rill_geom_destroy(geom);
}

/* With a memory that is far too large, and corrections of pressures that do not wait for the flow to follow,
 * the flow is driven apart: this is seen, and time steps alone lead to k. */
Test(relaxation, a_flow_that_is_driven_apart_is_brought_back)
{
    rill_geom *geom = few_spheres();
    rill_permeability_options options = four_numbers();
    double k[2], u[2];
    int apart = 0;
    omp_set_num_threads(1);
    ASSERT_OK(rill_permeability_prepare(geom, &options));
    rill_log_to(see_apart, &apart);
    for (int with = 0; with < 2; with++) {
        rill_permeability_plan plan;
        rill_permeability found;
        ASSERT_OK(rill_permeability_plan_make(geom, &options, &plan));
        if (with) plan.memory = 0.97, plan.cycle = 20;
        ASSERT_OK(rill_permeability_compute(geom, &options, &plan, &found));
        cr_expect_eq(apart > 0, with > 0, "memory %g: driven apart %d times", plan.memory, apart);
        k[with] = found.runs[0].k[2], u[with] = found.runs[0].uncertainty[2];
        rill_permeability_free(&found);
        rill_permeability_plan_free(&plan);
    }
    rill_log_to(NULL, NULL);
    cr_expect_lt(fabs(k[1] - k[0]), u[0] + u[1], "k is %.9g with too much memory, %.9g of %.9g", k[1], k[0],
                 u[0]);
    rill_geom_destroy(geom);
}

Test(relaxation, refusals)
{
    flow f = flow_create(RILL_BACKEND_CPU, RILL_PERIODIC, RILL_MACROSCOPIC, RILL_LIST);
    flow populations = flow_create(RILL_BACKEND_CPU, RILL_PERIODIC, RILL_PULL, RILL_LIST);
    cr_expect_eq(rill_sim_relax(f.sim, (rill_relaxation){0.1, 1.3, 1}), RILL_USAGE);
    cr_expect_eq(rill_sim_relax(f.sim, (rill_relaxation){0.1, 2, 0.7}), RILL_USAGE);
    cr_expect_eq(rill_sim_relax(f.sim, (rill_relaxation){0, 1, 0}), RILL_USAGE);
    cr_expect_eq(rill_sim_relax(populations.sim, rill_relaxation_of(0.7)), RILL_USAGE);
    ASSERT_OK(rill_sim_relax(populations.sim, (rill_relaxation){1, 1, 0}));
    flow_destroy(&populations);
    flow_destroy(&f);
}
