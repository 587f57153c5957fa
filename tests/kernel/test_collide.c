/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Velocity sets and collision operators, node by node, against slow references that share nothing with them:
 * dense matrices, moments and cumulants by their definitions.
 */
#include "collide/nodes.h"

#include <criterion/criterion.h>
#include <string.h>

/* D3Q7 to the third order, which a scalar needs. */
Test(lattice, weights_are_isotropic_to_fourth_order)
{
    for (int lattice = 0; lattice < RILL_LATTICE_COUNT; lattice++) {
        const int dimensions = rill_dimensions(lattice), orders = lattice == RILL_D3Q7 ? 4 : 5;
        double f[RILL_Q_MAX * NODES] = {0};
        int exponent[3];
        for (exponent[0] = 0; exponent[0] < orders; exponent[0]++)
            for (exponent[1] = 0; exponent[0] + exponent[1] < orders; exponent[1]++)
                for (exponent[2] = 0; exponent[0] + exponent[1] + exponent[2] < orders; exponent[2]++) {
                    double exact = 1; /* of the normal distribution whose variance is c_s^2 */
                    const double cs2 = 1.0 / rill_inverse_cs2(lattice);
                    for (int a = 0; a < 3; a++) {
                        const double normal[] = {1, 0, cs2, 0, 3 * cs2 * cs2};
                        exact *= a < dimensions ? normal[exponent[a]] : exponent[a] == 0;
                    }
                    cr_expect_float_eq(raw(lattice, f, 0, exponent), exact, 1e-15,
                                       "lattice %d, x^%d y^%d z^%d", lattice, exponent[0], exponent[1],
                                       exponent[2]);
                }
        for (int i = 0; i < rill_q(lattice); i++)
            for (int a = 0; a < 3; a++)
                cr_expect_eq(rill_c(lattice, i, a), -rill_c(lattice, rill_opposite(i), a), "lattice %d, %d",
                             lattice, i);
        for (int i = 1; i < rill_q(lattice); i++)
            for (int k = 0; k < i; k++) {
                int same = 0;
                for (int a = 0; a < 3; a++) same += rill_c(lattice, i, a) == rill_c(lattice, k, a);
                cr_expect_lt(same, 3, "lattice %d: velocities %d and %d are the same", lattice, i, k);
            }
    }
}

/* Nothing takes a value for D3Q27 that has no line in variants.def. */
Test(lattice, unknown_ones_are_errors)
{
    const int unknown = RILL_LATTICE_COUNT;
    rill_variant v = rill_variant_default();
    rill_domain *domain = NULL;
    rill_geom *geom = NULL;
    v.lattice = (rill_lattice)unknown;
    cr_expect_eq(rill_lattice_q(v.lattice), 0);
    cr_expect_eq(rill_dimensions(unknown), 0);
    cr_expect_eq(rill_w(unknown, 0), 0);
    cr_expect_eq(rill_corners(unknown), 0);
    cr_expect_eq(rill_edges(unknown, 0), 0);
    cr_expect_eq(rill_variant_check(v), RILL_USAGE);
    cr_assert_eq(rill_geom_create((const uint32_t[3]){2, 2, 2}, &geom), RILL_OK);
    geom->voxels[0] = RILL_FLUID;
    cr_expect_eq(rill_domain_create(geom, &(rill_domain_options){v.lattice, -1}, &domain), RILL_USAGE);
    rill_geom_destroy(geom);
}

/* The list of operators against rill_variant_check(). */
Test(collide, exists_where_the_check_says_so)
{
    rill_variant v = rill_variant_default();
    for (int k = 0;
         k < RILL_LATTICE_COUNT * RILL_COLLISION_COUNT * RILL_EQUILIBRIUM_COUNT * RILL_RHEOLOGY_COUNT; k++) {
        int rest = k;
        v.lattice = (rill_lattice)(rest % RILL_LATTICE_COUNT), rest /= RILL_LATTICE_COUNT;
        v.collision = (rill_collision)(rest % RILL_COLLISION_COUNT), rest /= RILL_COLLISION_COUNT;
        v.equilibrium = (rill_equilibrium)(rest % RILL_EQUILIBRIUM_COUNT), rest /= RILL_EQUILIBRIUM_COUNT;
        v.rheology = (rill_rheology)rest;
        bool listed = false;
        for (const rill_variant *o = variants; o < variants + sizeof variants / sizeof *variants; o++)
            listed = listed || (o->lattice == v.lattice && o->collision == v.collision &&
                                o->equilibrium == v.equilibrium && o->rheology == v.rheology);
        cr_expect_eq(rill_variant_check(v) == RILL_OK, listed,
                     "lattice %d, collision %d, equilibrium %d, rheology %d", v.lattice, v.collision,
                     v.equilibrium, v.rheology);
    }
}

/* What the simulation refuses to relax with. */
Test(collide, refuses_what_is_no_law)
{
    const struct {
        rill_carreau_yasuda law;
        const char *word;
    } wrong[] = {{{0, 0.1, 1, 1, 1}, "nu_0 = 0"},         {{0.1, -1, 1, 1, 1}, "nu_inf = -1"},
                 {{0.1, 0.1, 0, 1, 1}, "lambda = 0"},     {{0.1, 0.1, 1, -2, 1}, "n = -2"},
                 {{0.1, 0.1, 1, 1, NAN}, "a = nan"},      {{0.1, 0.2, 1, 1.5, 1}, "falls below 0"},
                 {{INFINITY, 0.1, 1, 1, 1}, "nu_0 = inf"}};
    const uint32_t n[3] = {3, 3, 3};
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK);
    memset(geom->voxels, RILL_FLUID, 27);
    rill_sim_options options = rill_sim_options_default();
    options.on.backend = RILL_BACKEND_CPU;
    options.variant.lattice = RILL_D2Q9;
    const rill_domain_options domain_options = {RILL_D2Q9, -1};
    cr_assert_eq(rill_domain_create(geom, &domain_options, &domain), RILL_OK);
    options.force[2] = 1e-6;
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE);
    cr_expect(strstr(rill_error_message(), "force z") != NULL, "%s", rill_error_message());
    options.force[2] = 0;
    options.variant.rheology = RILL_CARREAU_YASUDA;
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        options.carreau_yasuda = wrong[k].law;
        cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE, "law %zu", k);
        cr_expect(strstr(rill_error_message(), wrong[k].word) != NULL, "%s", rill_error_message());
    }
    options.variant.rheology = RILL_CASSON;
    const rill_casson bad[] = {
        {0, 1e-4, 1}, {0.1, -1, 1}, {0.1, 1e-4, 0.05}, {0.1, NAN, 1}, {0.1, 1e-4, INFINITY}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        options.casson = bad[k];
        cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_USAGE, "casson %zu", k);
        cr_expect(strstr(rill_error_message(), "casson: nu_inf") != NULL, "%s", rill_error_message());
    }
    options.variant.rheology = RILL_CARREAU_YASUDA;
    options.carreau_yasuda = (rill_carreau_yasuda){0.1, 0, 1, 1, 1};
    options.tau = 0; /* not used: the law gives it */
    cr_expect_eq(rill_sim_create(domain, &options, &sim), RILL_OK, "%s", rill_error_message());
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
}

Test(collide, conserves_mass_and_gains_the_force)
{
    const rill_operators *const units[] = {&rill_operators_float_16, &rill_operators_double_16};
    for (int k = 0; k < 2; k++) FOR_EACH_VARIANT(v)
        {
            const int lattice = (int)v->lattice;
            const double epsilon = units[k]->single ? 3e-7 : 1e-15;
            double f[RILL_Q_MAX * NODES], before[RILL_Q_MAX * NODES];
            const rill_launch launch = launch_of(*v, 0.6);
            fill(&launch, f);
            memcpy(before, f, sizeof f);
            units[k]->collide(&launch, NODES, f);
            for (int n = 0; n < NODES; n++)
                for (int a = -1; a < 3; a++) {
                    const int exponent[3] = {a == 0, a == 1, a == 2};
                    const double gain = raw(lattice, f, n, exponent) - raw(lattice, before, n, exponent);
                    cr_expect_float_eq(gain, a < 0 ? 0 : launch.force[a], epsilon,
                                       "lattice %d, collision %d, rheology %d, axis %d: %.3g", lattice,
                                       v->collision, v->rheology, a, gain);
                }
        }
}

/* Largest deviation of raw moments from those of the Maxwell distribution, as far as the lattice has them. */
static double maxwell_difference(int lattice, const double *f)
{
    const rill_launch unforced = {.variant = {.lattice = (rill_lattice)lattice}};
    double largest = 0;
    for (int n = 0; n < NODES; n++) {
        double u[3];
        const double rho = flow_of(&unforced, f, n, u);
        for (int k = 0; k < 27; k++) {
            const int exponent[3] = {k % 3, k / 3 % 3, k / 9};
            if (lattice == RILL_D3Q19 && exponent[0] && exponent[1] && exponent[2]) continue;
            double exact = rho;
            for (int a = 0; a < 3; a++)
                exact *= exponent[a] == 0 ? 1 : exponent[a] == 1 ? u[a] : 1.0 / 3 + u[a] * u[a];
            largest = fmax(largest, fabs(raw(lattice, f, n, exponent) - exact));
        }
    }
    return largest;
}

/*
 * Near equilibrium, with digits of all kinds behind it, the mass of a node changes by rounding alone, up as
 * often as down: weights that do not add up to 1 in fp32 would change it by 1e-8 of the deviation in every
 * collision. That is a source where the pressure is high, and 4e-4 of the permeability of a tight rock.
 */
Test(collide, pairs_keep_mass_in_fp32)
{
    enum { many = 1 << 17 };
    double *before = malloc(RILL_Q_MAX * many * sizeof *before), *f = malloc(RILL_Q_MAX * many * sizeof *f);
    cr_assert(before && f);
    FOR_EACH_VARIANT(v)
    {
        const int lattice = (int)v->lattice, q = rill_q(lattice);
        if ((v->collision != RILL_TRT && v->collision != RILL_MRT) || v->rheology != RILL_NEWTONIAN) continue;
        const rill_launch launch = {
            .variant = *v, .rate_even = 0.5, .rate_odd = 1.6, .rate_bulk = 1.1, .rate_ghost = 1.4};
        for (int n = 0; n < many; n++) {
            const double density = random_between(0.01, 0.02);
            for (int i = 0; i < q; i++) {
                const double noise = random_between(-1e-3, 1e-3);
                before[i * many + n] = (float)(rill_w(lattice, i) * density * (1 + noise));
            }
        }
        memcpy(f, before, (size_t)q * many * sizeof *f);
        rill_operators_float_16.collide(&launch, many, f);
        double gain = 0, mass = 0;
        for (int n = 0; n < q * many; n++) {
            gain += f[n] - before[n];
            mass += before[n];
        }
        cr_expect_lt(fabs(gain / mass), 1e-9, "lattice %d, collision %d, equilibrium %d: %.3g", lattice,
                     (int)v->collision, (int)v->equilibrium, gain / mass);
    }
    free(before);
    free(f);
}

Test(collide, keeps_equilibrium)
{
    FOR_EACH_VARIANT(v)
    {
        const int q = rill_q((int)v->lattice);
        double f[RILL_Q_MAX * NODES], before[RILL_Q_MAX * NODES], moments[4][NODES];
        rill_launch launch = launch_of(*v, 0.6);
        memset(launch.force, 0, sizeof launch.force);
        for (int n = 0; n < NODES; n++)
            for (int a = 0; a < 4; a++) moments[a][n] = random_between(-0.1, 0.1);
        rill_operators_double_16.set(&launch, NODES, moments[0], f);
        if (v->collision == RILL_CENTRAL_MOMENT || v->collision == RILL_CUMULANT) {
            rill_launch full = launch; /* rates of 1 reach equilibrium at once */
            full.variant.rheology = RILL_NEWTONIAN;
            full.rate_even = full.rate_bulk = full.rate_odd = 1;
            rill_operators_double_16.collide(&full, NODES, f);
            if (v->collision == RILL_CUMULANT) /* less what its correction leaves */
                for (int k = 0; k < 60; k++) rill_operators_double_16.collide(&full, NODES, f);
            cr_expect_lt(maxwell_difference((int)v->lattice, f), 1e-15, "lattice %d, collision %d: %.3g",
                         v->lattice, v->collision, maxwell_difference((int)v->lattice, f));
        }
        memcpy(before, f, sizeof f);
        rill_operators_double_16.collide(&launch, NODES, f);
        cr_expect_lt(difference(q, f, before), 3e-16,
                     "lattice %d, collision %d, equilibrium %d, rheology %d: %.3g", v->lattice, v->collision,
                     v->equilibrium, v->rheology, difference(q, f, before));
    }
}

Test(collide, equal_rates_are_srt)
{
    FOR_EACH_VARIANT(v)
    {
        if ((v->collision != RILL_TRT && v->collision != RILL_MRT) || v->rheology != RILL_NEWTONIAN) continue;
        double f[RILL_Q_MAX * NODES], g[RILL_Q_MAX * NODES];
        rill_launch launch = launch_of(*v, 0.7);
        launch.rate_odd = launch.rate_bulk = launch.rate_ghost = launch.rate_even;
        fill(&launch, f);
        memcpy(g, f, sizeof f);
        rill_operators_double_16.collide(&launch, NODES, f);
        launch.variant.collision = RILL_SRT;
        rill_operators_double_16.collide(&launch, NODES, g);
        cr_expect_lt(difference(rill_q((int)v->lattice), f, g), 3e-16, "lattice %d, collision %d: %.3g",
                     v->lattice, v->collision, difference(rill_q((int)v->lattice), f, g));
    }
}

/* Errors of mass are as often above 0 as below: those of weights that do not add up to 1 in fp32 would have
 * one sign, and be a source at every node. Their size is what ROUNDED_MOMENTS of permeability/follow.c
 * counts. */
Test(collide, keeps_mass_in_fp32)
{
    enum { FILLS = 200 };
    FOR_EACH_VARIANT(v)
    {
        const int lattice = (int)v->lattice, q = rill_q(lattice);
        double f[RILL_Q_MAX * NODES], moments[4][NODES] = {{0}}, mean = 0, squares = 0;
        const bool sums = v->collision == RILL_CENTRAL_MOMENT || v->collision == RILL_CUMULANT;
        rill_launch launch = launch_of(*v, 0.6);
        for (int a = 0; a < 3; a++) launch.force[a] = 0;
        for (int fill = 0; fill < FILLS; fill++) {
            for (int n = 0; n < NODES; n++) moments[0][n] = random_between(1e-3, 2e-3);
            rill_operators_double_16.set(&launch, NODES, moments[0], f);
            for (int k = 0; k < q * NODES; k++) f[k] = (float)(f[k] * random_between(0.99, 1.01));
            for (int n = 0; n < NODES; n++) {
                moments[0][n] = 0;
                for (int i = 0; i < q; i++) moments[0][n] += f[i * NODES + n];
            }
            rill_operators_float_16.collide(&launch, NODES, f);
            for (int n = 0; n < NODES; n++) {
                double mass = 0;
                for (int i = 0; i < q; i++) mass += f[i * NODES + n];
                const double error = mass / moments[0][n] - 1;
                mean += error / (FILLS * NODES);
                squares += error * error / (FILLS * NODES);
            }
        }
        cr_expect_lt(fabs(mean), 3e-9, "lattice %d, collision %d, equilibrium %d, rheology %d: %.2g", lattice,
                     v->collision, v->equilibrium, v->rheology, mean);
        cr_expect_lt(sqrt(squares), 0x1p-24 * (sums ? 1.1 : 0.21),
                     "lattice %d, collision %d, equilibrium %d, rheology %d: %.2g", lattice, v->collision,
                     v->equilibrium, v->rheology, sqrt(squares));
    }
}

/* Relaxation of a polynomial of the velocity. */
typedef struct moment {
    double value[RILL_Q_MAX], rate;
} moment;

/* The polynomials of d'Humières et al. and Suga et al., orthogonalised by Gram and Schmidt, and their rates.
 */
static void moments_make(int lattice, const rill_launch *launch, moment *m)
{
    static const int order[27] = {0,  1,  3,  9, 2,  6,  18, 4,  10, 12, 5,  7,  11, 19,
                                  15, 21, 13, 8, 20, 24, 14, 16, 22, 17, 23, 25, 26}; /* by degree */
    int count = 0;
    for (int k = 0; k < 27; k++) {
        const int e[3] = {order[k] % 3, order[k] / 3 % 3, order[k] / 9}, degree = e[0] + e[1] + e[2];
        if (lattice == RILL_D3Q19 && e[0] && e[1] && e[2]) continue;
        moment *new = &m[count];
        for (int i = 0; i < rill_q(lattice); i++) {
            const double x = rill_c(lattice, i, 0), y = rill_c(lattice, i, 1), z = rill_c(lattice, i, 2);
            new->value[i] = pow(x, e[0]) * pow(y, e[1]) * pow(z, e[2]);
            if (k == 4) new->value[i] = x *x + y *y + z *z;
            if (k == 5) new->value[i] = 2 * x *x - y *y - z *z;
            if (k == 6) new->value[i] = y *y - z *z;
        }
        const bool mixed = degree == 4 && e[0] && e[1] && e[2]; /* aabc */
        new->rate = degree % 2             ? launch->rate_odd
                    : degree > 2 && !mixed ? launch->rate_ghost
                    : k == 4               ? launch->rate_bulk
                                           : launch->rate_even;
        for (int j = 0; j < count; j++) {
            double product = 0, norm = 0;
            for (int i = 0; i < rill_q(lattice); i++) {
                product += new->value[i] * m[j].value[i];
                norm += m[j].value[i] * m[j].value[i];
            }
            for (int i = 0; i < rill_q(lattice); i++) new->value[i] -= product / norm *m[j].value[i];
        }
        count++;
    }
    cr_assert_eq(count, rill_q(lattice));
}

/* One node by the equations of the papers: m* = m - S (m - m_eq) + (1 - S/2) M F. */
static void mrt_reference(const rill_launch *launch, const moment *m, double *f, int n)
{
    const int lattice = (int)launch->variant.lattice, q = rill_q(lattice);
    double u[3], change[RILL_Q_MAX] = {0};
    const double rho = flow_of(launch, f, n, u), *force = launch->force;
    for (int k = 0; k < q; k++) {
        double deviation = 0, forcing = 0, norm = 0;
        for (int i = 0; i < q; i++) {
            double cu = 0, uu = 0, cf = 0, uf = 0;
            for (int a = 0; a < 3; a++) {
                const double c = rill_c(lattice, i, a);
                cu += c * u[a], uu += u[a] * u[a], cf += c * force[a], uf += u[a] * force[a];
            }
            const double w = rill_w(lattice, i);
            deviation +=
                m[k].value[i] * (w * rho * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * uu) - w - f[i * NODES + n]);
            forcing += m[k].value[i] * w * (3 * (cf - uf) + 9 * cu * cf);
            norm += m[k].value[i] * m[k].value[i];
        }
        const double relaxed = m[k].rate * deviation + (1 - m[k].rate / 2) * forcing;
        for (int i = 0; i < q; i++) change[i] += relaxed * m[k].value[i] / norm;
    }
    for (int i = 0; i < q; i++) f[i * NODES + n] += change[i];
}

Test(collide, mrt_is_its_matrix)
{
    FOR_EACH_VARIANT(v)
    {
        if (v->collision != RILL_MRT) continue;
        double f[RILL_Q_MAX * NODES], g[RILL_Q_MAX * NODES];
        const rill_launch launch = launch_of(*v, 0.55);
        moment m[RILL_Q_MAX];
        moments_make((int)v->lattice, &launch, m);
        fill(&launch, f);
        memcpy(g, f, sizeof f);
        rill_operators_double_16.collide(&launch, NODES, f);
        for (int n = 0; n < NODES; n++) mrt_reference(&launch, m, g, n);
        cr_expect_lt(difference(rill_q((int)v->lattice), f, g), 1e-15, "lattice %d: %.3g", v->lattice,
                     difference(rill_q((int)v->lattice), f, g));
    }
}

/* What a third moment is after collision, less its equilibrium: relaxed by the magic parameter, unless it is
 * large. */
static double third_expected(const rill_launch *launch, double before)
{
    return (1 - launch->rate_odd) * before / (1 + before * before / launch->third);
}

/* What is left of the difference of moment e = aabb of the three from their mean, by all three: relaxed as
 * the shear stress, unless they are large. */
static double pair_expected(const rill_launch *launch, const double pair[3], double own)
{
    const double mean = (pair[0] + pair[1] + pair[2]) / 3;
    double square = 1e-5;
    for (int p = 0; p < 3; p++) square += (pair[p] - mean) * (pair[p] - mean);
    return (1 - launch->rate_even) * (own - mean) * 1e-5 / square;
}

/* What a central moment is to be after collision, by the definition of the operator. */
static double central_expected(const rill_launch *launch, const double *f, int n, const int e[3])
{
    const int lattice = (int)launch->variant.lattice, degree = e[0] + e[1] + e[2];
    double u[3], trace = 0, equilibrium, force = 0;
    const double rho = equilibrium = flow_of(launch, f, n, u);
    int odd = 0;
    for (int a = 0; a < 3; a++) {
        const int twice[3] = {2 * (a == 0), 2 * (a == 1), 2 * (a == 2)};
        equilibrium *= e[a] == 0 ? 1 : e[a] == 1 ? 0 : 1.0 / 3;
        trace += central(lattice, f, n, u, twice) - rho / 3;
        odd += e[a] == 1;
        force += (e[a] == 1) * launch->force[a];
    }
    if (degree == 3) /* the force changes the sign of its share */
        return force / 6 * (odd == 1) +
               third_expected(launch, central(lattice, f, n, u, e) + force / 6 * (odd == 1));
    if (degree == 5) { /* the fifth Hermite moment is 0 */
        double sum = -force / 18;
        for (int a = 0; a < 3; a++) {
            const int less[3] = {e[0] - 2 * (a == 0), e[1] - 2 * (a == 1), e[2] - 2 * (a == 2)};
            if (e[a] == 2) sum += central_expected(launch, f, n, less) / 3;
        }
        return sum;
    }
    if (degree == 4 && odd == 2) return central(lattice, f, n, u, e) * (1 - launch->rate_even);
    if (degree == 4) { /* aabb: their differences as the shear stress, their sum at rate 1 */
        double pairs[3];
        for (int a = 0; a < 3; a++) {
            const int pair[3] = {a == 0 ? 0 : 2, a == 1 ? 0 : 2, a == 2 ? 0 : 2};
            pairs[a] = central(lattice, f, n, u, pair);
        }
        return equilibrium + pair_expected(launch, pairs, central(lattice, f, n, u, e));
    }
    if (odd != 1) force = 0;
    if (degree == 2) {
        const double before = central(lattice, f, n, u, e);
        if (odd) return before * (1 - launch->rate_even);
        return rho / 3 + (1 - launch->rate_even) * (before - rho / 3 - trace / 3) +
               (1 - launch->rate_bulk) * trace / 3;
    }
    return equilibrium + force / 2; /* relaxed at rate 1 */
}

Test(collide, central_moments_relax_as_defined)
{
    FOR_EACH_VARIANT(v)
    {
        if (v->collision != RILL_CENTRAL_MOMENT || v->rheology != RILL_NEWTONIAN) continue;
        double f[RILL_Q_MAX * NODES], before[RILL_Q_MAX * NODES];
        const rill_launch launch = launch_of(*v, 0.53);
        fill(&launch, f);
        memcpy(before, f, sizeof f);
        rill_operators_double_16.collide(&launch, NODES, f);
        for (int n = 0; n < NODES; n++)
            for (int k = 0; k < 27; k++) {
                const int e[3] = {k % 3, k / 3 % 3, k / 9};
                if (v->lattice == RILL_D3Q19 && e[0] && e[1] && e[2]) continue;
                double u[3];
                flow_of(&launch, before, n, u);
                const double found = central((int)v->lattice, f, n, u, e);
                const double expected = central_expected(&launch, before, n, e);
                cr_expect_float_eq(found, expected, 2e-15, "lattice %d, moment %d%d%d: %.15g, expected %.15g",
                                   v->lattice, e[0], e[1], e[2], found, expected);
            }
    }
}

/* Cumulants per mass, [x + 3 y + 9 z], from raw moments by the recursion of their definition. */
static void cumulants(const double *f, int n, double *kappa)
{
    double m[27];
    for (int k = 0; k < 27; k++) {
        const int e[3] = {k % 3, k / 3 % 3, k / 9};
        m[k] = raw(RILL_D3Q27, f, n, e);
    }
    for (int k = 26; k >= 0; k--) m[k] /= m[0];
    for (int k = 1; k < 27; k++) {
        const int e[3] = {k % 3, k / 3 % 3, k / 9}, axis = e[0] ? 0 : e[1] ? 1 : 2;
        const int stride = axis == 0 ? 1 : axis == 1 ? 3 : 9, rest = k - stride;
        const int r[3] = {rest % 3, rest / 3 % 3, rest / 9};
        kappa[k] = m[k];
        for (int b = 0; b < rest; b++) {
            const int c[3] = {b % 3, b / 3 % 3, b / 9};
            if (c[0] > r[0] || c[1] > r[1] || c[2] > r[2]) continue;
            double choices = 1;
            for (int a = 0; a < 3; a++) choices *= r[a] == 2 && c[a] == 1 ? 2 : 1;
            kappa[k] -= choices * kappa[b + stride] * m[rest - b];
        }
    }
}

/*
 * Geier et al. (2015): the differences and the sum of the second cumulants with the rates w1 and w2 and the
 * derivatives of u that they imply; c: second cumulants times rho. Cumulants aabc and differences of aabb
 * relax as the shear stress does, third ones by the magic parameter.
 */
static void cumulants_relax(const rill_launch *launch, double rho, const double *u, double *kappa)
{
    const double w1 = launch->rate_even, w2 = launch->rate_bulk;
    const double c200 = rho * kappa[2], c020 = rho * kappa[6], c002 = rho * kappa[18];
    const double dxu =
        -w1 / (2 * rho) * (2 * c200 - c020 - c002) - w2 / (2 * rho) * (c200 + c020 + c002 - rho);
    const double dyv = dxu + 3 * w1 / (2 * rho) * (c200 - c020);
    const double dzw = dxu + 3 * w1 / (2 * rho) * (c200 - c002);
    const double gx = u[0] * u[0] * dxu, gy = u[1] * u[1] * dyv, gz = u[2] * u[2] * dzw;
    const double xy = (1 - w1) * (c200 - c020) - 3 * rho * (1 - w1 / 2) * (gx - gy);
    const double xz = (1 - w1) * (c200 - c002) - 3 * rho * (1 - w1 / 2) * (gx - gz);
    const double sum = rho * w2 + (1 - w2) * (c200 + c020 + c002) - 3 * rho * (1 - w2 / 2) * (gx + gy + gz);
    const double x = (sum + xy + xz) / 3;
    const double pairs[3] = {rho * kappa[8], rho * kappa[20], rho * kappa[24]}; /* 220, 202, 022 */
    for (int k = 0; k < 27; k++)
        if (k == 8 || k == 20 || k == 24)
            kappa[k] = pair_expected(launch, pairs, rho * kappa[k]) / rho;
        else if (k == 14 || k == 16 || k == 22) /* 211, 121, 112 */
            kappa[k] *= 1 - w1;
        else if (k % 3 + k / 3 % 3 + k / 9 == 3)
            kappa[k] = third_expected(launch, rho * kappa[k]) / rho;
        else if (k % 3 + k / 3 % 3 + k / 9 > 2)
            kappa[k] = 0;
    kappa[2] = x / rho, kappa[6] = (x - xy) / rho, kappa[18] = (x - xz) / rho;
    kappa[4] *= 1 - w1, kappa[10] *= 1 - w1, kappa[12] *= 1 - w1;
}

Test(collide, cumulants_relax_as_defined)
{
    double f[RILL_Q_MAX * NODES], expected[NODES][27];
    const rill_variant variant = {.lattice = RILL_D3Q27, .collision = RILL_CUMULANT};
    rill_launch launch = launch_of(variant, 0.53);
    memset(launch.force, 0, sizeof launch.force);
    fill(&launch, f);
    for (int n = 0; n < NODES; n++) {
        double u[3];
        const double rho = flow_of(&launch, f, n, u);
        cumulants(f, n, expected[n]);
        cumulants_relax(&launch, rho, u, expected[n]);
    }
    rill_operators_double_16.collide(&launch, NODES, f);
    for (int n = 0; n < NODES; n++) {
        double found[27];
        cumulants(f, n, found);
        for (int k = 1; k < 27; k++)
            cr_expect_float_eq(found[k], expected[n][k], 1e-14, "cumulant %d%d%d: %.15g, expected %.15g",
                               k % 3, k / 3 % 3, k / 9, found[k], expected[n][k]);
    }
}

/* What odd central moments are after collision in cumulants. */
static double cumulant_expected(const rill_launch *launch, const double *before, const double *f, int n,
                                const int e[3])
{
    const int degree = e[0] + e[1] + e[2];
    double u[3], force = 0, sum;
    const double rho = flow_of(launch, before, n, u), first = central(RILL_D3Q27, before, n, u, e);
    for (int a = 0; a < 3; a++) force += (e[a] == 1) * launch->force[a] / 6;
    if (degree == 1) return -first;
    if (degree == 3 && e[0] && e[1] && e[2]) return third_expected(launch, first);
    if (degree == 3) return force + third_expected(launch, first + force);
    const int own = e[0] == 1 ? 0 : e[1] == 1 ? 1 : 2;
    sum = -force / 3;
    for (int b = 0; b < 3; b++) {
        const int c = 3 - own - b, one[3] = {1, 1, 1};
        if (b == own) continue;
        int square[3] = {0}, rest[3], pair[3], other[3];
        square[b] = 2;
        for (int a = 0; a < 3; a++) {
            rest[a] = a == b ? 0 : e[a];
            pair[a] = a != b;               /* own and c */
            other[a] = a == b ? 2 : a == c; /* b b c */
        }
        sum += central(RILL_D3Q27, f, n, u, square) * cumulant_expected(launch, before, f, n, rest) +
               2 * central(RILL_D3Q27, f, n, u, pair) * cumulant_expected(launch, before, f, n, other);
        if (b < c) {
            const int both[3] = {own != 0, own != 1, own != 2};
            sum += 4 * central(RILL_D3Q27, f, n, u, both) * cumulant_expected(launch, before, f, n, one);
        }
    }
    return sum / rho;
}

/* A force changes the sign of the first central moments and of its share in the third ones; the fifth moments
 * are those without a fifth cumulant. */
Test(collide, cumulants_take_force_as_defined)
{
    double f[RILL_Q_MAX * NODES], before[RILL_Q_MAX * NODES];
    const rill_variant variant = {.lattice = RILL_D3Q27, .collision = RILL_CUMULANT};
    const rill_launch launch = launch_of(variant, 0.53);
    fill(&launch, f);
    memcpy(before, f, sizeof f);
    rill_operators_double_16.collide(&launch, NODES, f);
    for (int n = 0; n < NODES; n++)
        for (int k = 0; k < 27; k++) {
            const int e[3] = {k % 3, k / 3 % 3, k / 9}, degree = e[0] + e[1] + e[2];
            double u[3];
            flow_of(&launch, before, n, u);
            if (degree % 2 == 0) continue;
            const double found = central(RILL_D3Q27, f, n, u, e),
                         expected = cumulant_expected(&launch, before, f, n, e);
            cr_expect_float_eq(found, expected, 1e-15, "moment %d%d%d: %.15g, expected %.15g", e[0], e[1],
                               e[2], found, expected);
        }
}

Test(collide, gives_the_same_bits_at_every_vector_width)
{
    FOR_EACH_VARIANT(v)
    {
        const size_t bytes = (size_t)rill_q((int)v->lattice) * NODES * sizeof(double);
        double f[RILL_Q_MAX * NODES], g[RILL_Q_MAX * NODES];
        const rill_launch launch = launch_of(*v, 0.8);
        for (int k = 0; k < 2; k++) {
            fill(&launch, f);
            memcpy(g, f, sizeof f);
            (k ? &rill_operators_double_16 : &rill_operators_float_16)->collide(&launch, NODES, f);
            (k ? &rill_operators_double_32 : &rill_operators_float_32)->collide(&launch, NODES, g);
            cr_expect_eq(memcmp(f, g, bytes), 0, "lattice %d, collision %d, equilibrium %d, rheology %d",
                         v->lattice, v->collision, v->equilibrium, v->rheology);
        }
    }
}

/* Small deviations keep their digits: a flow a million times slower has the same relative error in float. */
Test(collide, keeps_the_digits_of_slow_flow)
{
    FOR_EACH_VARIANT(v)
    {
        if (v->rheology != RILL_NEWTONIAN) continue;
        double f[RILL_Q_MAX * NODES], g[RILL_Q_MAX * NODES], scale = 0;
        rill_launch launch = launch_of(*v, 0.8);
        for (int a = 0; a < 3; a++) launch.force[a] *= 1e-6;
        fill(&launch, f);
        const int count = rill_q((int)v->lattice) * NODES;
        for (int k = 0; k < count; k++) g[k] = f[k] = (double)(float)(1e-6 * f[k]);
        rill_operators_double_16.collide(&launch, NODES, f);
        rill_operators_float_16.collide(&launch, NODES, g);
        for (int k = 0; k < count; k++) scale = fmax(scale, fabs(f[k]));
        cr_expect_lt(difference(rill_q((int)v->lattice), f, g) / scale, 1e-6,
                     "lattice %d, collision %d: %.3g", v->lattice, v->collision,
                     difference(rill_q((int)v->lattice), f, g) / scale);
    }
}
