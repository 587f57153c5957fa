/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permeability of periodic sphere arrays against lattice values that an independent code reproduces to
 * 1e-7 (docs/method.md), and against the exact limit of Zick & Homsy (1982), doi:10.1017/S0022112082000627.
 * Cells of 32 voxels everywhere, of 64 where there is a device.
 */
#include "../backends.h"
#include "geometry/generate.h"

#include <math.h>

typedef struct array_case {
    rill_array array;
    double solid_fraction; /* negative: touching */
    uint32_t cells;
    rill_lattice lattice;
    double k; /* lu */
} array_case;

static const array_case table[] = {
    {RILL_SC, 0.216, 32, RILL_D3Q19, 19.067572},  {RILL_SC, 0.45, 32, RILL_D3Q19, 3.854757},
    {RILL_SC, -1, 32, RILL_D3Q19, 2.4599203},     {RILL_BCC, 0.343, 32, RILL_D3Q19, 4.6559998},
    {RILL_FCC, 0.343, 32, RILL_D3Q19, 2.8982586}, {RILL_SC, 0.216, 32, RILL_D3Q27, 18.98328},
    {RILL_SC, 0.216, 64, RILL_D3Q19, 76.867165},  {RILL_SC, 0.343, 64, RILL_D3Q19, 31.923449},
    {RILL_SC, 0.45, 64, RILL_D3Q19, 15.951136},   {RILL_SC, -1, 64, RILL_D3Q19, 10.069007},
    {RILL_BCC, 0.343, 64, RILL_D3Q19, 18.857065}, {RILL_BCC, -1, 64, RILL_D3Q19, 1.4699678},
    {RILL_FCC, 0.343, 64, RILL_D3Q19, 11.740773}};
enum { case_count = sizeof table / sizeof *table };

/* Permeability along x at rest of change 1e-9 in 200 steps, or 1e-7 in fp32. */
static double permeability(const array_case *c, rill_storage storage, double tau, rill_backend_kind backend)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_spheres_options spheres = {.array = c->array, .cells = c->cells};
    spheres.solid_fraction = c->solid_fraction < 0 ? rill_spheres_touching(c->array) : c->solid_fraction;
    ASSERT_OK(rill_generate_spheres(&spheres, &geom));
    const rill_domain_options domain_options = {c->lattice, 0};
    ASSERT_OK(rill_domain_create(geom, &domain_options, &domain));
    rill_sim_options options = rill_sim_options_default();
    options.variant.lattice = c->lattice;
    options.variant.storage = storage;
    options.backend = backend;
    options.tau = tau;
    options.force[0] = 1e-3 / pow(c->cells, 3);
    ASSERT_OK(rill_sim_create(domain, &options, &sim));
    const double limit = storage == RILL_FP64 ? 1e-9 : 1e-7;
    double k = 0, before = -1;
    while (fabs(k - before) > limit * fabs(k)) {
        rill_totals totals;
        ASSERT_OK(rill_sim_step(sim, 200));
        ASSERT_OK(rill_sim_totals(sim, &totals));
        before = k;
        k = (tau - 0.5) / 3 * totals.momentum[0] / options.force[0] / (double)rill_geom_voxels(geom);
        cr_assert_lt(rill_sim_steps(sim), 100000, "k = %.9g has not come to rest", k);
    }
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return k;
}

Test(spheres, reproduce_the_lattice_values)
{
    FOR_EACH_BACKEND(backend)
    for (int i = 0; i < case_count; i++) {
        const array_case *c = &table[i];
        if (c->cells > 32 && backend == RILL_BACKEND_CPU) continue;
        const double fp64 = permeability(c, RILL_FP64, 1.5, backend),
                     fp32 = permeability(c, RILL_FP32, 1.5, backend);
        cr_expect_float_eq(fp64 / c->k, 1, 1e-6, "case %d on backend %d: fp64 %.9g, expected %.9g", i,
                           backend, fp64, c->k);
        cr_expect_float_eq(fp32 / c->k, 1, 2e-4, "case %d on backend %d: fp32 %.9g, expected %.9g", i,
                           backend, fp32, c->k);
    }
}

Test(spheres, do_not_depend_on_tau)
{
    FOR_EACH_BACKEND(backend)
    {
        const double low = permeability(&table[2], RILL_FP64, 0.8, backend);
        const double high = permeability(&table[2], RILL_FP64, 1.5, backend);
        cr_expect_float_eq(low / high, 1, 1e-6, "tau 0.8: %.9g, tau 1.5: %.9g", low, high);
    }
}

Test(spheres, approach_the_exact_limit)
{
    /* k/L^2 = 1 / (6 pi n (a/L) K), K = 7.441954 for simple cubic c = 0.216; both lattices, from below. */
    const double exact = 1 / (6 * M_PI * cbrt(3 * 0.216 / (4 * M_PI)) * 7.441954);
    for (rill_lattice lattice = RILL_D3Q19; lattice <= RILL_D3Q27; lattice++) {
        double error[2];
        for (int i = 0; i < 2; i++) {
            const array_case c = {RILL_SC, 0.216, i ? 32 : 16, lattice, 0};
            error[i] =
                fabs(permeability(&c, RILL_FP64, 1.5, RILL_BACKEND_CPU) / (c.cells * c.cells * exact) - 1);
        }
        cr_expect_lt(error[1], 0.035, "lattice %d: %.4g off at 32 voxels", lattice, error[1]);
        cr_expect_lt(error[1], error[0], "lattice %d: %.4g off at 16 voxels, %.4g at 32", lattice, error[0],
                     error[1]);
    }
}
