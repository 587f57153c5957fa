/* SPDX-License-Identifier: Apache-2.0 */
/* Viscosity laws node by node, against bisection, and the powers that they are made of. */
#include "collide/nodes.h"

#include <criterion/criterion.h>

Test(real, powers_and_logarithms_are_right_to_the_last_places)
{
    enum { COUNT = 20001 };
    static double x[COUNT], y[COUNT];
    const rill_operators *const units[] = {&rill_operators_float_16, &rill_operators_double_16};
    for (int k = 0; k < 2; k++) {
        const double epsilon = k ? 0x1p-52 : 0x1p-23, range = k ? 1021 : 125;
        double worst_power = 0, worst_logarithm = 0;
        for (int i = 0; i < COUNT; i++) x[i] = y[i] = (double)(float)((2.0 * i / (COUNT - 1) - 1) * range);
        units[k]->exp2(COUNT, y);
        for (int i = 0; i < COUNT; i++) {
            worst_power = fmax(worst_power, fabs(y[i] / exp2(x[i]) - 1) / epsilon);
            x[i] = y[i];
        }
        units[k]->log2(COUNT, y);
        for (int i = 0; i < COUNT; i++) {
            const double exact = log2(x[i]);
            worst_logarithm = fmax(worst_logarithm, fabs(y[i] - exact) / fmax(fabs(exact), 0.01) / epsilon);
        }
        cr_expect_lt(worst_power, 2, "2^x is %.3g units in the last place off", worst_power);
        cr_expect_lt(worst_logarithm, 2, "log2(x) is %.3g units in the last place off", worst_logarithm);
    }
}

static double viscosity_at(const rill_launch *launch, double g)
{
    const rill_carreau_yasuda *law = &launch->carreau_yasuda;
    const rill_casson *casson = &launch->casson;
    if (launch->variant.rheology == RILL_CASSON)
        return fmin(casson->nu_max, pow(sqrt(casson->nu_inf) + sqrt(casson->yield / g), 2));
    return law->nu_inf +
           (law->nu_0 - law->nu_inf) * pow(1 + pow(law->lambda * g, law->a), (law->n - 1) / law->a);
}

/* tau of a node by bisection: the root of tau - 1/2 - 3 nu(g), tau g = 3 |N| / (sqrt(2) rho), N without its
 * trace. */
static double tau_reference(const rill_launch *launch, const double *f, int n)
{
    const int lattice = (int)launch->variant.lattice;
    const bool stokes = launch->variant.equilibrium == RILL_STOKES;
    double u[3], squared = 0, low = 0.5,
                 high = 0.5 + 3 * fmax(launch->carreau_yasuda.nu_0, launch->casson.nu_max);
    const double rho = flow_of(launch, f, n, u);
    double trace = 0;
    for (int a = 0; a < rill_dimensions(lattice); a++)
        for (int b = 0; b < rill_dimensions(lattice); b++) {
            const int e[3] = {(a == 0) + (b == 0), (a == 1) + (b == 1), (a == 2) + (b == 2)};
            const double stress = stokes ? raw(lattice, f, n, e) - (a == b) * rho / 3
                                         : central(lattice, f, n, u, e) - (a == b) * rho / 3;
            squared += stress * stress;
            trace += (a == b) * stress;
        }
    squared -= trace * trace / 3;
    for (int k = 0; k < 200; k++) {
        const double tau = (low + high) / 2, g = 3 * sqrt(squared / 2) / (stokes ? 1 : rho) / tau;
        if (tau > 0.5 + 3 * viscosity_at(launch, g))
            high = tau;
        else
            low = tau;
    }
    return (low + high) / 2;
}

Test(rheology, relaxes_with_the_viscosity_of_the_law)
{
    const rill_carreau_yasuda laws[] = {{0.3, 0.01, 400, 0.4, 1.7},
                                        {1.5, 0, 900, 0.25, 2},
                                        {0.02, 0.004, 1000, 0.5, 0.8},
                                        {0.1, 0.1, 1, 1, 2}};
    const rill_casson cassons[] = {{0.01, 1e-4, 1}, {0.005, 5e-5, 0.5}, {0.1, 1e-3, 2}, {0.1, 0, 1}};
    FOR_EACH_VARIANT(v)
    for (int k = 0; k < 8; k++) {
        if (v->rheology == RILL_NEWTONIAN) continue;
        double f[RILL_Q_MAX * NODES], g[RILL_Q_MAX * NODES];
        const bool single = k % 2;
        rill_launch launch = launch_of(*v, 0.8);
        launch.carreau_yasuda = laws[k / 2];
        launch.casson = cassons[k / 2];
        fill(&launch, f);
        double least = 1e9, most = 0;
        for (int n = 0; n < NODES; n++) { /* flows of very different shear rates */
            double node[RILL_Q_MAX], scale = pow(10, -0.1 * n);
            for (int i = 0; i < rill_q((int)v->lattice); i++) node[i] = f[i * NODES + n] *= scale;
            const double tau = tau_reference(&launch, f, n);
            rill_launch newtonian = launch;
            newtonian.variant.rheology = RILL_NEWTONIAN;
            newtonian.rate_even = 1 / tau;
            newtonian.rate_odd = 1 / (0.5 + launch.magic / (tau - 0.5));
            rill_operators_double_16.collide(&newtonian, 1, node);
            for (int i = 0; i < rill_q((int)v->lattice); i++) g[i * NODES + n] = node[i];
            least = fmin(least, tau), most = fmax(most, tau);
        }
        (single ? &rill_operators_float_16 : &rill_operators_double_16)->collide(&launch, NODES, f);
        const double error = difference(rill_q((int)v->lattice), f, g);
        cr_expect_lt(error, single ? 2e-8 : 1e-15,
                     "lattice %d, collision %d, equilibrium %d, law %d: %.3g (tau %.3g to %.3g)", v->lattice,
                     v->collision, v->equilibrium, k / 2, error, least, most);
        if (k < 6)
            cr_expect_gt((most - 0.5) / (least - 0.5), 2,
                         "law %d of rheology %d is hardly used: tau %.4g to %.4g", k / 2, (int)v->rheology,
                         least, most);
    }
}
