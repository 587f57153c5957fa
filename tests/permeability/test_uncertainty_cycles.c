/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file test_uncertainty_cycles.c
 * The uncertainty of a permeability is a bound in ducts of few voxels, whose nodes round alike: in 16 bits
 * the flow ends in a cycle of a few steps. Permeabilities that must come are direct solutions of the steady
 * state.
 */
#include "carved.h"
#include "kernel/comparison/choices.h"
#include "planned.h"

#include <math.h>
#include <string.h>

/* A duct of two voxels by one, along z. */
static rill_geom *duct(void)
{
    rill_geom *geom = solid(3, 2, 2);
    OPEN(geom, 0, 0, 0, 2, 1, 2);
    return geom;
}

/* A duct of one voxel, along z, in whose corners momentum alternates, and a pore without flow: from step to
 * step momentum changes by several times the flow. */
static rill_geom *alternating(void)
{
    rill_geom *geom = solid(7, 1, 2);
    OPEN(geom, 4, 0, 0, 1, 1, 2);
    OPEN(geom, 0, 0, 1, 1, 1, 1);
    return geom;
}

/* A row of such runs. tau = 0: as rill chooses it. */
typedef struct row {
    rill_geom *(*make)(void);
    rill_storage storage;
    double tau, magic, k;
} row;

/* Samples of the series saw always the same steps of a cycle: k was off by up to 12 times its uncertainty. */
Test(uncertainty_cycles, of_16_bits_covers_all_steps_of_a_cycle)
{
    static const row rows[] = {{duct, RILL_FP16S, 3, 3.0 / 16, 11.0 / 480},
                               {duct, RILL_FP16S, 4, 3.0 / 16, 11.0 / 480},
                               {duct, RILL_FP16S, 5, 3.0 / 16, 11.0 / 480},
                               {duct, RILL_FP16S, 6, 3.0 / 16, 11.0 / 480},
                               {duct, RILL_FP16S, 4.529, 0.02, 0.003984674329501915},
                               {alternating, RILL_P16_1S, 0, 0.01, 1.0 / 1050},
                               {alternating, RILL_P16_1S, 0, 0.001, 1.0 / 10500}};
    FOR_EACH_BACKEND(backend)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rill_geom *geom = rows[i].make();
        rill_permeability_options o = rill_permeability_options_default();
        rill_permeability p;
        o.on.backend = backend;
        o.axis = 2;
        o.tau = rows[i].tau;
        o.magic = rows[i].magic;
        o.variant.storage = rows[i].storage;
        cr_expect_eq(computed(geom, &o, &p), RILL_OK, "row %zu: %s", i, rill_error_message());
        const double k = p.k[2][2], u = p.runs[0].uncertainty[2];
        cr_expect_leq(fabs(k - rows[i].k), u, "row %zu: %.9g +- %.2g of %.9g", i, k, u, rows[i].k);
        cr_expect_lt(fabs(k / rows[i].k - 1), 1e-4, "row %zu: %.9g of %.9g", i, k, rows[i].k);
        rill_permeability_free(&p);
        rill_geom_destroy(geom);
    }
}

/* Open a square duct, or a slit, of so many voxels along z, with two voxels of solid between it and its
 * copies. */
static rill_geom *wide(uint32_t width, bool slit)
{
    rill_geom *geom = solid(width + 2, slit ? 1 : width + 2, 2);
    OPEN(geom, 0, 0, 0, width, slit ? 1 : width, 2);
    return geom;
}

/* What the flow still changed by from the fit to these steps was taken for a cycle: k of the duct was 4.2e-3
 * off, that of the slit 9.2e-3. k of runs in fp64 to 1e-6. */
Test(uncertainty_cycles, of_16_bits_leaves_the_approach_of_a_flow_to_the_fit)
{
    const struct {
        uint32_t width;
        bool slit;
        double tau, tolerance, k;
    } rows[] = {{24, false, 0.8, 1.2e-2, 17.2771863}, {16, true, 1, 1.3e-2, 19}};
    FOR_EACH_BACKEND(backend)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rill_geom *geom = wide(rows[i].width, rows[i].slit);
        rill_permeability_options o = rill_permeability_options_default();
        rill_permeability p;
        o.on.backend = backend;
        o.axis = 2;
        o.tau = rows[i].tau;
        o.tolerance = rows[i].tolerance;
        o.variant.storage = RILL_P16_1S;
        cr_expect_eq(computed(geom, &o, &p), RILL_OK, "row %zu: %s", i, rill_error_message());
        const double k = p.k[2][2], u = p.runs[0].uncertainty[2];
        cr_expect_leq(fabs(k - rows[i].k), 0.25 * u, "row %zu: %.9g +- %.2g of %.9g", i, k, u, rows[i].k);
        cr_expect_lt(fabs(k / rows[i].k - 1), 2e-3, "row %zu: %.9g of %.9g", i, k, rows[i].k);
        rill_permeability_free(&p);
        rill_geom_destroy(geom);
    }
}

/* Rounding to units of the weights acts on itself: k was up to 5.3 uncertainties off. */
Test(uncertainty_cycles, of_16_bits_is_refused_for_plain_populations)
{
    rill_geom *geom = duct();
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability p = {.run_count = 0};
    o.axis = 2;
    o.variant.shift = RILL_PLAIN;
    for (rill_storage storage = RILL_FP16; storage <= RILL_FP16C; storage++) {
        o.variant.storage = storage;
        cr_expect_eq(computed(geom, &o, &p), RILL_USAGE, "storage %d", (int)storage);
        cr_expect_not_null(strstr(rill_error_message(), "choose shifted ones"), "%s", rill_error_message());
    }
    rill_geom_destroy(geom);
}

/* All velocities lie along the axis, and are rounded to fp32 before |u| is taken: 2.4 times a bound of
 * rounding to fp64. */
Test(uncertainty_cycles, of_a_tortuosity_covers_the_rounding_of_velocities)
{
    rill_geom *geom = solid(4, 1, 1);
    rill_permeability_options o = rill_permeability_options_default();
    rill_permeability p;
    OPEN(geom, 1, 0, 0, 1, 1, 1);
    o.on.backend = RILL_BACKEND_CPU;
    o.axis = 2;
    o.tau = 3;
    o.tolerance = 1e-7;
    cr_assert_eq(computed(geom, &o, &p), RILL_OK, "%s", rill_error_message());
    const rill_permeability_flow *run = &p.runs[0];
    cr_expect_leq(fabs(run->tortuosity - 1), run->tortuosity_uncertainty, "%.10g +- %.2g", run->tortuosity,
                  run->tortuosity_uncertainty);
    cr_expect_lt(run->tortuosity_uncertainty, 2e-7, "%g", run->tortuosity_uncertainty);
    rill_permeability_free(&p);
    rill_geom_destroy(geom);
}
