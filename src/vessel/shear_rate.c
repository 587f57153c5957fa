/* SPDX-License-Identifier: Apache-2.0 */
/* Shear rates from stresses. */
#include "vessel/shear_rate.h"

#include <math.h>

/* Newton's method on log(eta g) = log(stress), whose slope in log g lies between the index and 1. */
static double carreau_yasuda(const rill_law *law, double stress)
{
    double x = log(stress / law->at_rest);
    for (int k = 0; k < 8; k++) {
        const double power = pow(law->time * exp(x), law->sharpness), m = (law->index - 1) / law->sharpness;
        const double thinned = (law->at_rest - law->viscosity) * pow(1 + power, m);
        const double eta = law->viscosity + thinned;
        const double slope = 1 + m * law->sharpness * thinned * power / ((1 + power) * eta);
        x -= (x + log(eta) - log(stress)) / slope;
    }
    return exp(x);
}

double rill_shear_rate(const rill_law *law, double stress)
{
    if (!(stress > 0)) return 0;
    if (law->kind == RILL_LAW_CARREAU_YASUDA) return carreau_yasuda(law, stress);
    if (law->kind == RILL_LAW_CASSON) {
        const double above = sqrt(stress) - sqrt(law->yield_stress);
        return above > 0 ? above * above / law->viscosity : 0;
    }
    return stress / law->viscosity;
}
