/* SPDX-License-Identifier: Apache-2.0 */
/* A box of liquid and gas for tests of the free surface. */
#ifndef RILL_TESTS_LIQUID_H
#define RILL_TESTS_LIQUID_H

#include "backends.h"
#include "free_surface/plic.h"
#include "message.h"
#include "verify/liquid.h"

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
    bool river;                           /* liquid comes in at the low, and goes out at the high end of x */
    double (*inside)(const double x[3]);  /* above 0 in the liquid */
    double (*density)(const double x[3]); /* rho - 1; NULL: 0 */
    double velocity[3];
    rill_verify_liquid box;
    rill_sim *sim; /* this and the next are of the box */
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

static inline double density_of(const void *context, const double x[3])
{
    const liquid *l = context;
    return l->density(x);
}

/* A box with the default variant but for this. */
static inline rill_verify_liquid box_of(rill_stream stream, rill_storage storage)
{
    rill_verify_liquid box = {.variant = rill_sim_options_default().variant, .on.backend = RILL_BACKEND_CPU};
    box.variant.stream = stream;
    box.variant.storage = storage;
    return box;
}

static inline void begin(liquid *l)
{
    rill_verify_liquid box = box_of(l->stream, l->storage);
    box.variant.addressing = l->addressing;
    if (l->backend == RILL_BACKEND_CUDA) box.on.backend = RILL_BACKEND_CUDA;
    memcpy(box.n, l->n, sizeof box.n);
    for (int a = 0; a < 3; a++)
        box.sides[a] = (a == 2 && l->floor) || (a == 0 && l->river) ? RILL_WALL : RILL_PERIODIC;
    if (l->river) {
        box.inflow = (rill_free_surface_face){.axis = 0, .end = -1, .speed = 0.02, .level = 6};
        box.outflow = (rill_free_surface_face){.axis = 0, .end = 1, .level = 4};
    }
    box.tau = l->tau;
    box.tension = l->tension;
    box.force = l->force;
    box.angle = l->angle;
    box.gas = l->gas;
    if (l->floor && !l->closed) box.atmosphere = (rill_free_surface_face){.axis = 2, .end = 1};
    box.inside = inside_of;
    box.density = l->density ? density_of : NULL;
    memcpy(box.velocity, l->velocity, sizeof box.velocity);
    box.context = l;
    ASSERT_OK(rill_verify_liquid_begin(&box));
    l->box = box;
    l->sim = box.sim;
    l->surface = box.surface;
    l->nodes = box.nodes;
}

static inline void end(liquid *l) { rill_verify_liquid_end(&l->box); }

static inline rill_free_surface_totals totals_of(liquid *l)
{
    rill_free_surface_totals t;
    ASSERT_OK(rill_free_surface_totals_take(l->surface, &t));
    cr_assert(t.finite);
    return t;
}

#endif
