/* SPDX-License-Identifier: Apache-2.0 */
/* Nodes far from rest for tests of collisions, and their moments by definition. */
#ifndef RILL_TESTS_COLLIDE_NODES_H
#define RILL_TESTS_COLLIDE_NODES_H

#include "collide/operators.h"
#include "rill.h"

#include <math.h>
#include <stdlib.h>

enum { NODES = 37 }; /* no multiple of any vector */

static const rill_variant variants[] = RILL_OPERATOR_VARIANTS;
/* Of flows. */
#define FOR_EACH_VARIANT(v)                                                                                  \
    for (const rill_variant *v = variants; v < variants + sizeof variants / sizeof *variants; v++)           \
        if (v->collision != RILL_ADVECTION_DIFFUSION)

static inline double random_between(double low, double high)
{
    return low + (high - low) * rand() / RAND_MAX;
}

static inline rill_launch launch_of(rill_variant variant, double tau)
{
    rill_launch launch = {.variant = variant, .magic = 3.0 / 16};
    launch.rate_even = 1 / tau;
    launch.rate_odd = variant.collision == RILL_SRT ? 1 / tau : 1 / (0.5 + launch.magic / (tau - 0.5));
    launch.rate_bulk = 1.3;
    launch.rate_ghost = 1.7;
    launch.third = 3e-6;
    launch.carreau_yasuda = (rill_carreau_yasuda){0.3, 0.01, 40, 0.4, 1.7};
    launch.casson = (rill_casson){0.02, 1e-4, 0.4};
    for (int a = 0; a < (variant.lattice == RILL_D2Q9 ? 2 : 3); a++) launch.force[a] = 1e-3 * (a + 1);
    return launch;
}

/* Fill f [q][NODES] with flow and noise, all of it far from rest. */
static inline void fill(const rill_launch *launch, double *f)
{
    double moments[4][NODES];
    for (int n = 0; n < NODES; n++) {
        moments[0][n] = random_between(-0.05, 0.05);
        for (int a = 0; a < 3; a++) moments[a + 1][n] = random_between(-0.1, 0.1);
    }
    rill_operators_double_16.set(launch, NODES, moments[0], f);
    for (int i = 0; i < rill_q((int)launch->variant.lattice); i++)
        for (int n = 0; n < NODES; n++)
            f[i * NODES + n] += rill_w((int)launch->variant.lattice, i) * random_between(-0.1, 0.1);
}

/* Raw moment x^a y^b z^c of node n, of whole populations. */
static inline double raw(int lattice, const double *f, int n, const int exponent[3])
{
    long double sum = 0;
    for (int i = 0; i < rill_q(lattice); i++) {
        long double product = (long double)f[i * NODES + n] + rill_w(lattice, i);
        for (int a = 0; a < 3; a++) product *= (long double)pow(rill_c(lattice, i, a), exponent[a]);
        sum += product;
    }
    return (double)sum;
}

/* The same relative to a velocity. */
static inline double central(int lattice, const double *f, int n, const double u[3], const int exponent[3])
{
    double sum = 0;
    for (int i = 0; i < rill_q(lattice); i++) {
        double product = f[i * NODES + n] + rill_w(lattice, i);
        for (int a = 0; a < 3; a++) product *= pow(rill_c(lattice, i, a) - u[a], exponent[a]);
        sum += product;
    }
    return sum;
}

/* rho, and u with half of the force. */
static inline double flow_of(const rill_launch *launch, const double *f, int n, double u[3])
{
    const int none[3] = {0, 0, 0};
    const double rho = raw((int)launch->variant.lattice, f, n, none);
    for (int a = 0; a < 3; a++) {
        const int one[3] = {a == 0, a == 1, a == 2};
        u[a] = (raw((int)launch->variant.lattice, f, n, one) + launch->force[a] / 2) / rho;
    }
    return rho;
}

static inline double difference(int q, const double *f, const double *g)
{
    double largest = 0;
    for (int k = 0; k < q * NODES; k++) largest = fmax(largest, fabs(f[k] - g[k]));
    return largest;
}

#endif
