/* SPDX-License-Identifier: Apache-2.0 */
/* Sponge layers: their viscosity, on every streaming scheme; where they are planned; what keeps an outlet
 * stable. */
#include "core/sanitized.h"
#include "vessel_case.h"

#include "backends.h"
#include "vessel/case/rhythm.h"
#include "vessel/run/sponge.h"
#include "geometry/generate/generate.h"
#include "sim/sim.h"

#include <sys/stat.h>

TestSuite(sponge, .init = files_start, .fini = files_end);

enum { WAVE = 32, FROM = 50, TO = 250 };

/* The amplitude of u_x = sin(2 pi y / WAVE), and the largest velocity along z. */
static double amplitude(rill_sim *sim, const rill_geom *geom, rill_node nodes)
{
    double *u = malloc(3 * nodes * sizeof *u), sum = 0;
    ASSERT_OK(rill_sim_moments(sim, 0, nodes, NULL, u));
    for (rill_node k = 0; k < nodes; k++)
        sum += 2 * u[k] * sin(2 * M_PI * (k / geom->n[0] % WAVE + 0.5) / WAVE) / nodes;
    free(u);
    return sum;
}

/* A shear wave in a box whose nodes are all in a layer decays with the viscosity of the layer, not with that
 * of the collision. */
Test(sponge, has_the_viscosity_that_it_is_given)
{
    const double tau = 0.51, raised = 0.6, keep = (1 - 1 / raised) / (1 - 1 / tau), k = 2 * M_PI / WAVE;
    int tried = 0;
    FOR_EACH_BACKEND(backend)
    for (int stream = 0; stream < RILL_MACROSCOPIC; stream++) /* which has no sponge layers */
        for (int collision = RILL_TRT; collision <= RILL_CUMULANT; collision++) {
            rill_sim_options o = rill_sim_options_default();
            rill_geom *geom = NULL;
            rill_domain *domain = NULL;
            rill_sim *sim = NULL;
            o.on.backend = backend;
            o.tau = tau;
            o.variant.lattice = collision == RILL_TRT ? RILL_D3Q19 : RILL_D3Q27;
            o.variant.collision = (rill_collision)collision;
            o.variant.equilibrium = RILL_SECOND_ORDER;
            o.variant.stream = (rill_stream)stream;
            o.variant.addressing = stream == RILL_ESOTWIST ? RILL_CHASE : RILL_LIST;
            if (rill_variant_check(o.variant) != RILL_OK) continue;
            ASSERT_OK(rill_generate_box((const uint32_t[]){4, WAVE, 4}, &geom));
            if (rill_domain_create(geom, &(rill_domain_options){o.variant.lattice, -1}, &domain) != RILL_OK ||
                rill_sim_create(domain, &o, &sim) != RILL_OK) { /* a ring does not close on itself */
                rill_domain_destroy(domain);
                rill_geom_destroy(geom);
                continue;
            }
            const rill_node nodes = rill_domain_nodes(domain);
            rill_node *numbers = malloc(nodes * sizeof *numbers);
            float *keeps = malloc(nodes * sizeof *keeps);
            double *rho = calloc(nodes, sizeof *rho), *u = calloc(3 * nodes, sizeof *u);
            rill_totals before, after;
            for (rill_node n = 0; n < nodes; n++) {
                numbers[n] = rill_sim_number(sim, n);
                keeps[n] = (float)keep;
                rho[n] = 0.01;
                u[n] = 0.01 * sin(2 * M_PI * (n / 4 % WAVE + 0.5) / WAVE);
            }
            ASSERT_OK(rill_sim_set_moments(sim, rho, u));
            ASSERT_OK(rill_sim_sponge_set(sim, numbers, keeps, nodes));
            ASSERT_OK(rill_sim_totals(sim, &before));
            ASSERT_OK(rill_sim_step(sim, FROM));
            const double first = amplitude(sim, geom, nodes);
            ASSERT_OK(rill_sim_step(sim, TO - FROM));
            const double found = log(first / amplitude(sim, geom, nodes)) / (k * k * (TO - FROM));
            ASSERT_OK(rill_sim_totals(sim, &after));
            cr_expect_float_eq(found / ((raised - 0.5) / 3), 1, 0.01,
                               "stream %d, collision %d, backend %d: %g", stream, collision, backend, found);
            cr_expect_float_eq(after.mass / before.mass, 1, 1e-6, "stream %d: mass", stream);
            tried++;
            rill_sim_destroy(sim);
            rill_domain_destroy(domain);
            rill_geom_destroy(geom);
            free(numbers), free(keeps), free(rho), free(u);
        }
    cr_expect_geq(tried, 12, "%d variants", tried);
}

static void pipe_make(double extend)
{
    vessel_extension = extend;
    vessel_pipe(0.4e-3, 0);
}

/* A mean velocity that makes a cell Reynolds number of the peak, twice as fast, with voxels of 0.4 mm. */
static void case_write(double cell, const char *out, const char *run)
{
    vessel_write("v.yaml",
                 "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                 "  in: {kind: inlet, mean-velocity: %.9g mm/s}\n  out: {%s}\n"
                 "run: {%s}\noutput: {surface: no, centre-line: no, snapshots: 0}\n",
                 1e3 * cell * 4e-6 / 0.4e-3 / 2, out, run);
}

/* Layers lie in the extension, which is found; none is planned at small cell Reynolds numbers, and without an
 * extension a case at large ones is refused. With one, cumulants have the larger limit of third moments in
 * pulsatile flow. */
Test(sponge, lies_in_extensions)
{
    int cumulants = 0;
    rill_case *given = NULL;
    rill_geom *geom = NULL;
    rill_case_plan plan;
    const rill_case_plan_options options = {.on.backend = RILL_BACKEND_CPU};
    static const struct {
        double extend, cell;
        bool planned, refused;
        double raised; /* viscosity at the opening over that of the fluid */
    } cases[] = {{0.5, 50, true, false, 50},  {0.5, 12, true, false, 9}, /* (12/4)^2 */
                 {0.5, 5.8, false, false, 1}, /* TRT: an opening without an extension has none either */
                 {0.5, 3, false, false, 1},   {0, 50, false, true, 1},   {0, 12, false, false, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        pipe_make(cases[k].extend);
        case_write(cases[k].cell, "kind: pressure, pressure: 10 mmHg", "mach: 0.1");
        ASSERT_OK(rill_case_read("v.yaml", &given));
        ASSERT_OK(rill_geom_read(given->geometry, &geom));
        ASSERT_OK(rill_case_plan_make(given, geom, &options, &plan));
        for (int j = 0; j < plan.opening_count; j++) {
            const rill_case_plan_opening *o = &plan.openings[j];
            cr_expect_float_eq(o->extension, cases[k].extend * 4e-3, 0.02e-3, "case %zu: extension %g", k,
                               o->extension);
            const bool outlet = given->ends[o->end].kind != RILL_END_INLET;
            cr_expect_eq(o->sponge > 0, outlet && cases[k].planned, "case %zu", k);
            if (o->sponge > 0) {
                /* 8 mu L / (pi R^4), and of half of what the viscosity is raised by in the layer, which ends
                 * in the middle of the extension. */
                cr_expect_float_eq(o->sponge, o->extension / 2, 1e-9, "%g of %g m", o->sponge, o->extension);
                const double r = 8 * 1000 * (4e-6 * o->extension + (o->sponge_nu - 4e-6) / 2 * o->sponge) /
                                 (M_PI * pow(2e-3, 4));
                cr_expect_float_eq(o->extension_resistance / r, 1, 0.02, "%g, not %g",
                                   o->extension_resistance, r);
                cr_expect_float_eq(o->sponge_nu, cases[k].raised * 4e-6, 0.04 * o->sponge_nu, "case %zu: %g",
                                   k, o->sponge_nu);
            }
        }
        cr_expect_eq(plan.options.third, 0.001, "case %zu: %g", k, plan.options.third);
        const rill_status accepted = rill_case_plan_accept(&plan);
        cr_expect_eq(accepted, cases[k].refused ? RILL_USAGE : RILL_OK, "case %zu: %s", k,
                     rill_error_message());
        if (cases[k].refused)
            cr_expect(strstr(rill_error_message(), "--extend 0.5D") != NULL, "%s", rill_error_message());
        rill_case_plan_free(&plan);
        given->run.pulsatile = true;
        given->run.period = 1;
        ASSERT_OK(rill_case_plan_make(given, geom, &options, &plan));
        const bool wide = cases[k].extend > 0 && plan.options.variant.collision == RILL_CUMULANT;
        cr_expect_eq(plan.options.third, wide ? 0.01 : 0.001, "case %zu, pulsatile: %g", k,
                     plan.options.third);
        cumulants += wide;
        rill_case_plan_free(&plan);
        rill_geom_destroy(geom);
        rill_case_destroy(given);
    }
    cr_expect_eq(cumulants, 2);
}

/* At a cell Reynolds number of 50 the flow through an outlet with a layer comes to rest, and the pressure
 * that is held counts before the layer. */
Test(sponge, keeps_an_outlet_stable)
{
    rill_run_result result;
    pipe_make(0.5);
    FOR_EACH_BACKEND(backend)
    {
        double flow, pressure;
        case_write(50, "kind: pressure, pressure: 10 mmHg", "mach: 0.1, soft-start: 60 ms, duration: 0.15 s");
        vessel_run r = vessel_set_up(backend);
        mkdir("out", 0777);
        const rill_status status = rill_case_run(r.vessel, &(rill_run_options){.directory = "out"}, &result);
        cr_assert_eq(status, RILL_OK, "%s", rill_error_message());
        cr_expect_neq(result.end, RILL_RUN_DIVERGED);
        cr_expect_lt(result.mach_max, 0.12, "Mach %g", result.mach_max);
        vessel_look(&r, "out", &flow, &pressure);
        cr_expect_float_eq(pressure / (10 * 133.322387415), 1, 1e-4, "%g Pa", pressure);
        vessel_free(&r);
    }
}

/* Return the mean TAWSS of the triangles whose middles lie between two heights, m. */
static double tawss_between(const rill_surface *s, const float *tawss, double from, double to)
{
    double sum = 0;
    int count = 0;
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        double z = 0;
        for (int k = 0; k < 3; k++) z += s->vertices[s->triangles[t][k]][2] / 3;
        if (z <= from || z > to) continue;
        sum += (double)tawss[t];
        count++;
    }
    cr_assert_gt(count, 50);
    return sum / count;
}

/* The wall shear of Poiseuille flow is that of the middle up to an outlet, 10 cells across with an extension
 * of five: with TRT at a cell Reynolds number of 5.8, with cumulants where a layer's viscosity rises to 9
 * times that of the fluid. */
Test(sponge, leaves_the_wall_shear_in_front_of_an_outlet, .disabled = SANITIZED)
{
    static const double cells[] = {5.8, 12};
    rill_run_result result;
    pipe_make(0.5);
    for (int k = 0; k < 2; k++) {
        vessel_write(
            "v.yaml",
            "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
            "  in: {kind: inlet, mean-velocity: %.9g mm/s}\n  out: {kind: pressure, pressure: 0 mmHg}\n"
            "run: {duration: 2 s, tolerance: 0.1 %%}\noutput: {centre-line: no, slices: no, snapshots: 0}\n",
            1e3 * cells[k] * 4e-6 / 0.4e-3 / 2);
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        const rill_surface *s = r.geom->surface;
        float *tawss = malloc(s->triangle_count * sizeof *tawss);
        mkdir("out", 0777);
        ASSERT_OK(rill_case_run(r.vessel, &(rill_run_options){.directory = "out"}, &result));
        ASSERT_OK(rill_vessel_wall_shear(r.vessel, tawss, NULL));
        const double middle = tawss_between(s, tawss, 4e-3, 8e-3);
        for (int row = 0; row < 3; row++) { /* of 0.1 D */
            const double found = tawss_between(s, tawss, 11.6e-3 - 0.4e-3 * row, 12e-3 - 0.4e-3 * row);
            cr_expect_float_eq(found / middle, 1, 0.01, "cell Reynolds number %g, row %d: %g of %g Pa",
                               cells[k], row, found, middle);
        }
        free(tawss);
        vessel_free(&r);
    }
}
