/* SPDX-License-Identifier: Apache-2.0 */
/* Helicity of fields that are known, in bent tubes with their walls, and of runs. */
#include "vessel_case.h"
#include "core/sanitized.h"

#include "domain/domain.h"
#include "vessel/observe/helicity.h"

TestSuite(helicity, .init = files_start, .fini = files_end);

/* Errors of a field, relative, L2 over the nodes. */
typedef struct errors {
    double density, lnh;
    uint64_t nodes;
} errors;

/* A velocity and its vorticity, m/s and 1/s, at a place in mm. */
typedef void field(const double x[3], double u[3], double curl[3]);

/* Solid rotation about z, and translation along it: helicity density 2 Omega W. */
static void screw(const double x[3], double u[3], double curl[3])
{
    const double omega = 30, along = 0.2;
    u[0] = -omega * 1e-3 * x[1];
    u[1] = omega * 1e-3 * x[0];
    u[2] = along;
    curl[0] = curl[1] = 0;
    curl[2] = 2 * omega;
}

/* Beltrami flow of Arnold, Beltrami and Childress: curl u = k u, wherever its walls are. */
static void beltrami(const double x[3], double u[3], double curl[3])
{
    const double k = 0.8; /* 1/mm */
    u[0] = 0.3 * sin(k * x[2]) + 0.1 * cos(k * x[1]);
    u[1] = 0.2 * sin(k * x[0]) + 0.3 * cos(k * x[2]);
    u[2] = 0.1 * sin(k * x[1]) + 0.2 * cos(k * x[0]);
    for (int a = 0; a < 3; a++) curl[a] = 1e3 * k * u[a];
}

static errors compute(double dx, field *given)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    vessel_pipe(dx, 60);
    cr_assert_eq(rill_geom_read("v.geom.h5", &geom), RILL_OK);
    cr_assert_eq(rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, -1}, &domain), RILL_OK);
    errors out = {.nodes = rill_domain_nodes(domain)};
    const uint64_t n = out.nodes;
    float *u = malloc(3 * n * sizeof *u), *density = malloc(n * sizeof *density),
          *lnh = malloc(n * sizeof *lnh);
    uint32_t(*places)[3] = malloc(n * sizeof *places);
    cr_assert(u && density && lnh && places);
    rill_numbering_places(&domain->numbering, 0, (rill_node)n, places);
    double exact[2][3], squares[4] = {0};
    for (int pass = 0; pass < 2; pass++) {
        for (uint64_t k = 0; k < n; k++) {
            double x[3], h = 0, sizes[2] = {0};
            for (int a = 0; a < 3; a++) x[a] = 1e3 * (geom->origin[a] + geom->spacing * (places[k][a] + 0.5));
            given(x, exact[0], exact[1]);
            for (uint64_t a = 0; a < 3; a++) {
                if (pass == 0) u[a * n + k] = (float)exact[0][a];
                h += exact[0][a] * exact[1][a];
                for (int w = 0; w < 2; w++) sizes[w] += exact[w][a] * exact[w][a];
            }
            if (pass == 0) continue;
            const double normal = h / sqrt(sizes[0] * sizes[1]);
            squares[0] += pow((double)density[k] - h, 2);
            squares[1] += h * h;
            squares[2] += pow((double)lnh[k] - normal, 2);
            squares[3] += normal * normal;
        }
        if (pass == 0) cr_assert_eq(rill_helicity_compute(domain, u, geom->spacing, density, lnh), RILL_OK);
    }
    out.density = sqrt(squares[0] / squares[1]);
    out.lnh = sqrt(squares[2] / squares[3]);
    free(u);
    free(density);
    free(lnh);
    free(places);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return out;
}

/* Velocities that are linear in space have exact differences, also at walls. */
Test(helicity, of_solid_rotation_with_translation_is_exact)
{
    const errors e = compute(0.4e-3, screw);
    cr_expect_gt(e.nodes, 1000);
    cr_expect_lt(e.density, 1e-5, "%g", e.density);
    cr_expect_lt(e.lnh, 1e-5, "%g", e.lnh);
}

/* The error falls by four when voxels halve, with walls where they are. */
Test(helicity, of_a_beltrami_flow_converges_to_second_order, .disabled = SANITIZED)
{
    const errors coarse = compute(0.4e-3, beltrami), fine = compute(0.2e-3, beltrami);
    cr_expect_lt(fine.density, 0.01, "%g", fine.density);
    cr_expect_gt(log2(coarse.density / fine.density), 1.8, "%g and %g", coarse.density, fine.density);
    cr_expect_lt(fine.lnh, 0.005, "%g", fine.lnh);
    cr_expect_gt(log2(coarse.lnh / fine.lnh), 1.8, "%g and %g", coarse.lnh, fine.lnh);
}

/* Both halves of a bend turn in opposite senses: h1 vanishes beside h2. In a straight pipe both vanish beside
 * U^2 / R. The averages leave extensions out. */
Test(helicity, of_runs_has_the_symmetry_of_the_vessel)
{
    static const double angles[] = {60, 0};
    double size[2], extended = 0;
    for (int k = 0; k < (SANITIZED ? 1 : 3); k++) {
        rill_run_result result;
        vessel_extension = k == 2 ? 2 : 0.5;
        vessel_pipe(0.4e-3, angles[k % 2]);
        vessel_write("v.yaml",
                     "geometry: v.geom.h5\nfluid: {density: 1000 kg/m3, viscosity: 4 mPa.s}\nopenings:\n"
                     "  in: {kind: inlet, flow: 1 mL/s}\n  out: {kind: pressure, pressure: 0 Pa}\n"
                     "run: {tolerance: 0.5 %%}\noutput: {surface: no, centre-line: no, helicity: yes}\n");
        vessel_run r = vessel_set_up(RILL_BACKEND_CPU);
        cr_assert_eq(rill_case_run(r.vessel, &(rill_run_options){0}, &result), RILL_OK, "%s",
                     rill_error_message());
        vessel_free(&r);
        const double u = 1e-6 / (M_PI * 4e-6), unit = u * u / 2e-3;
        *(k == 2 ? &extended : &size[k]) = result.helicity.size / unit;
        cr_expect_lt(fabs(result.helicity.mean), 0.02 * unit, "%g of %g", result.helicity.mean, unit);
        if (k == 0) cr_expect_lt(fabs(result.helicity.mean), 0.05 * result.helicity.size);
    }
    cr_expect_gt(size[0], 0.2, "%g", size[0]);
    if (SANITIZED) return; /* the others run the same code */
    cr_expect_lt(size[1], 0.1 * size[0], "%g beside %g", size[1], size[0]);
    cr_expect_float_eq(extended / size[0], 1, 0.1, "%g, not %g", extended, size[0]);
}
