/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Permeability of the gap between two plates, with nothing but the installed library:
 *
 *     cc permeability.c $(pkg-config --cflags --libs rill) -lm -o permeability && ./permeability
 *
 * A body force drives the flow until it is steady; k = nu <u> / F in lattice units. With half-way walls and
 * TRT at a magic parameter of 3/16 the mean over the nodes is H^2/12 + 1/24 to rounding, which is checked.
 */
#include <math.h>
#include <rill.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 4, GAP = 16, STEPS = 8000 };

static rill_status compute(rill_sim *sim, double viscosity, double force, double *permeability)
{
    rill_totals totals;
    rill_status status = rill_sim_step(sim, STEPS);
    if (status == RILL_OK) status = rill_sim_totals(sim, &totals);
    if (status == RILL_OK) *permeability = viscosity * totals.momentum[0] / (WIDTH * WIDTH * GAP) / force;
    return status;
}

int main(void)
{
    const uint32_t n[3] = {WIDTH, WIDTH, GAP};
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    double permeability = 0;

    rill_sim_options options = rill_sim_options_default();
    options.variant.storage = RILL_FP64;
    options.tau = 0.8;
    options.force[0] = 1e-6;

    rill_status status = rill_geom_create(n, &geom);
    if (status == RILL_OK) {
        memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
        geom->sides[2] = RILL_WALL;
        const rill_domain_options domain_options = {.lattice = options.variant.lattice, .flow_axis = 0};
        status = rill_domain_create(geom, &domain_options, &domain);
    }
    if (status == RILL_OK) status = rill_sim_create(domain, &options, &sim);
    if (status == RILL_OK) status = compute(sim, (options.tau - 0.5) / 3, options.force[0], &permeability);
    if (status != RILL_OK) {
        fprintf(stderr, "permeability: %s\n", rill_error_message());
    } else {
        const double exact = GAP * GAP / 12.0 + 1 / 24.0;
        printf("rill %s on %s: k = %.10f lu, exact %.10f lu\n", rill_version(), rill_sim_device(sim),
               permeability, exact);
        if (!(fabs(permeability - exact) < 1e-9 * exact)) status = RILL_NUMERICS;
    }
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}
