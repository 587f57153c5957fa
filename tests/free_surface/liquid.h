/* SPDX-License-Identifier: Apache-2.0 */
/* A box of liquid and gas for tests of the free surface. */
#ifndef RILL_TESTS_LIQUID_H
#define RILL_TESTS_LIQUID_H

#include "backends.h"
#include "free_surface/free_surface.h"
#include "free_surface/plic.h"
#include "message.h"
#include "sim/sim.h"

#include <stdlib.h>
#include <string.h>

/* A liquid in a box. */
typedef struct liquid {
    uint32_t n[3];
    double tau, tension, force; /* force: along -z */
    double angle;               /* of contact, degrees; 0: 90 */
    double gas;                 /* pressure, of which p V is constant where gas is closed; 0: constant */
    rill_stream stream;
    rill_storage storage;
    rill_backend_kind backend; /* auto: processors */
    rill_addressing addressing;
    bool floor;                           /* walls along z, else periodic */
    bool closed;                          /* above, no gas comes from the atmosphere */
    double (*inside)(const double x[3]);  /* above 0 in the liquid */
    double (*density)(const double x[3]); /* rho - 1; NULL: 0 */
    double velocity[3];
    rill_geom *geom;
    rill_domain *domain;
    rill_sim *sim;
    rill_free_surface *surface;
    size_t nodes;
} liquid;

static inline double inside_of(const void *context, const double x[3])
{
    const liquid *l = context;
    return l->inside(x);
}

static inline double fill_of(const liquid *l, uint32_t x, uint32_t y, uint32_t z)
{
    return rill_plic_fill(inside_of, l, (uint32_t[3]){x, y, z});
}

static inline void begin(liquid *l)
{
    rill_sim_options o = rill_sim_options_default();
    ASSERT_OK(rill_geom_create(l->n, &l->geom));
    memset(l->geom->voxels, RILL_FLUID, rill_geom_voxels(l->geom));
    for (int a = 0; a < 3; a++) l->geom->sides[a] = a == 2 && l->floor ? RILL_WALL : RILL_PERIODIC;
    ASSERT_OK(rill_domain_create(l->geom, &(rill_domain_options){RILL_D3Q19, -1}, &l->domain));
    o.variant.equilibrium = RILL_SECOND_ORDER;
    o.variant.stream = l->stream;
    o.variant.storage = l->storage;
    o.variant.addressing = l->addressing;
    o.on.backend = l->backend == RILL_BACKEND_CUDA ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
    o.tau = l->tau;
    o.force[2] = -l->force;
    ASSERT_OK(rill_sim_create(l->domain, &o, &l->sim));
    l->nodes = rill_domain_nodes(l->domain);
    double *values = calloc(5 * l->nodes, sizeof *values), *fill = values + 4 * l->nodes;
    for (size_t k = 0; k < l->nodes; k++) {
        const uint32_t x = (uint32_t)(k % l->n[0]), y = (uint32_t)(k / l->n[0] % l->n[1]),
                       z = (uint32_t)(k / l->n[0] / l->n[1]);
        fill[k] = fill_of(l, x, y, z);
        if (fill[k] > 0 && l->density) values[k] = l->density((double[3]){x + 0.5, y + 0.5, z + 0.5});
        for (size_t a = 0; a < 3 && fill[k] > 0; a++) values[(a + 1) * l->nodes + k] = l->velocity[a];
    }
    ASSERT_OK(rill_sim_set_moments(l->sim, values, values + l->nodes));
    rill_free_surface_options options = {l->tension, l->angle > 0 ? l->angle : RILL_RIGHT_ANGLE,
                                         .gas_pressure = l->gas};
    if (l->floor && !l->closed) options.atmosphere = (rill_free_surface_face){.axis = 2, .end = 1};
    ASSERT_OK(rill_free_surface_create(l->sim, &options, fill, &l->surface));
    free(values);
}

static inline void end(liquid *l)
{
    rill_free_surface_destroy(l->surface);
    rill_sim_destroy(l->sim);
    rill_domain_destroy(l->domain);
    rill_geom_destroy(l->geom);
}

static inline rill_free_surface_totals totals_of(liquid *l)
{
    rill_free_surface_totals t;
    ASSERT_OK(rill_free_surface_totals_take(l->surface, &t));
    cr_assert(t.finite);
    return t;
}

#endif
