/* SPDX-License-Identifier: Apache-2.0 */
/* The steady flow of blood through a pipe, by integration. */
#include "verify/blood.h"

#include <math.h>

static double viscosity(const rill_sim_options *o, double g)
{
    const rill_carreau_yasuda *law = &o->carreau_yasuda;
    if (o->variant.rheology == RILL_CASSON)
        return fmin(o->casson.nu_max, pow(sqrt(o->casson.nu_inf) + sqrt(o->casson.yield / g), 2));
    return law->nu_inf +
           (law->nu_0 - law->nu_inf) * pow(1 + pow(law->lambda * g, law->a), (law->n - 1) / law->a);
}

/* Return the shear rate at a stress over density, by bisection: their product rises. */
static double shear_at(const rill_sim_options *o, double stress)
{
    double low = 0, high = 1;
    for (int k = 0; k < 100; k++) {
        const double g = (low + high) / 2;
        if (g > 0 && viscosity(o, g) * g > stress)
            high = g;
        else
            low = g;
    }
    return (low + high) / 2;
}

/* Fill in the profile. */
static void profile_of(const rill_sim_options *o, double radius, rill_verify_blood *b)
{
    double before = shear_at(o, b->force * radius / 2);
    const double h = radius / RILL_BLOOD_PARTS;
    b->u[RILL_BLOOD_PARTS] = b->mean = 0;
    for (int k = RILL_BLOOD_PARTS - 1; k >= 0; k--) {
        const double middle = shear_at(o, b->force * (k + 0.5) * h / 2),
                     here = k ? shear_at(o, b->force * k * h / 2) : 0;
        b->u[k] = b->u[k + 1] + h / 6 * (before + 4 * middle + here);
        before = here;
    }
    b->speed = b->u[0];
    for (int k = 0; k <= RILL_BLOOD_PARTS; k++) {
        b->u[k] /= b->speed;
        /* u = 0 at the wall: the trapezoidal rule */
        b->mean += 2 * b->u[k] * k / RILL_BLOOD_PARTS / RILL_BLOOD_PARTS;
    }
}

double rill_verify_blood_at(const void *blood, double r)
{
    const rill_verify_blood *b = blood;
    const double at = r * RILL_BLOOD_PARTS;
    const int k = (int)fmin(floor(at), RILL_BLOOD_PARTS - 1);
    return b->u[k] + (at - k) * (b->u[k + 1] - b->u[k]);
}

void rill_verify_blood_make(double radius, double nu, double at_wall, rill_sim_options *o,
                            rill_verify_blood *out)
{
    o->carreau_yasuda = (rill_carreau_yasuda){nu * 0.16 / 0.0035, nu, 8.2 * 100 / at_wall, 0.2128, 0.64};
    o->casson = (rill_casson){nu, nu * at_wall * 0.005 / (0.0035 * 100), 100 * nu};
    out->nu = viscosity(o, at_wall);
    out->force = 2 * out->nu * at_wall / radius;
    o->tau = 0.5 + 3 * out->nu;
    profile_of(o, radius, out);
}
