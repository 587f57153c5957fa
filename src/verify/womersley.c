/* SPDX-License-Identifier: Apache-2.0 */
/* Womersley flow by the series of Bessel's functions. */
#include "verify/womersley.h"

#include <math.h>

/* Bessel's J_n of a complex number, n 0 or 1, by its series: for |z| up to some 20. */
static double complex bessel(int n, double complex z)
{
    double complex term = n ? z / 2 : 1, sum = term;
    for (int k = 1; k < 200; k++) {
        term *= -z * z / (4.0 * k * (k + n));
        sum += term;
    }
    return sum;
}

static double complex root_of(double alpha) { return cexp(0.75 * M_PI * I) * alpha; }

double complex rill_verify_womersley_velocity(double alpha, double r)
{
    const double complex root = root_of(alpha);
    return 4 / (I * alpha * alpha) * (1 - bessel(0, root * r) / bessel(0, root));
}

double complex rill_verify_womersley_shear(double alpha)
{
    const double complex root = root_of(alpha);
    return -2 / (I * alpha * alpha) * root * bessel(1, root) / bessel(0, root);
}

/* What the pressure does not spend on the wall it spends on the momentum: i omega Q = pi R^2 G - 2 pi R tau.
 */
double complex rill_verify_womersley_flow(double alpha)
{
    return 8 / (I * alpha * alpha) * (1 - rill_verify_womersley_shear(alpha));
}
