/* SPDX-License-Identifier: Apache-2.0 */
/* One unit of operators.h. The Makefile sets RILL_ARITHMETIC and RILL_VECTOR_BYTES. */
#include "collide/operators.h"

#include "kernel/collision/collide.h"

#include <string.h>

/* Work on RILL_LANES nodes at a time; the last ones are filled up with rest. */
static void load(const int q, size_t nodes, size_t first, const double *from, rill_real *f)
{
    for (int i = 0; i < q; i++) {
        f[i] = rill_splat(0);
        for (size_t l = 0; l < RILL_LANES && first + l < nodes; l++)
            f[i][l] = (rill_scalar)from[(size_t)i * nodes + first + l];
    }
}

static void store(const int q, size_t nodes, size_t first, const rill_real *f, double *to)
{
    for (int i = 0; i < q; i++)
        for (size_t l = 0; l < RILL_LANES && first + l < nodes; l++)
            to[(size_t)i * nodes + first + l] = (double)f[i][l];
}

#define COLLIDE(L, C, E, R)                                                                                  \
    static void collide_##L##_##C##_##E##_##R(const rill_rates *rates, rill_real *f)                         \
    {                                                                                                        \
        const rill_view view = {rates};                                                                      \
        rill_collide(RILL_##L, RILL_##C, RILL_##E, RILL_##R, &view, f);                                      \
    }
RILL_OPERATORS(COLLIDE)

static void collide(const rill_launch *launch, size_t nodes, double *f)
{
    const rill_variant v = launch->variant;
    const rill_rates rates = rill_rates_of(launch);
    void (*operator)(const rill_rates *, rill_real *) = NULL;
#define FIND(L, C, E, R)                                                                                     \
    if (v.lattice == RILL_##L && v.collision == RILL_##C && v.equilibrium == RILL_##E &&                     \
        v.rheology == RILL_##R)                                                                              \
        operator= collide_##L##_##C##_##E##_##R;
    RILL_OPERATORS(FIND)
    for (size_t first = 0; first < nodes; first += RILL_LANES) {
        rill_real g[RILL_Q_MAX];
        load(rill_q((int)v.lattice), nodes, first, f, g);
        operator(&rates, g);
        store(rill_q((int)v.lattice), nodes, first, g, f);
    }
}

static void set(const rill_launch *launch, size_t nodes, const double *moments, double *f)
{
    const int lattice = (int)launch->variant.lattice;
    const rill_rates rates = rill_rates_of(launch);
    for (size_t first = 0; first < nodes; first += RILL_LANES) {
        rill_real g[RILL_Q_MAX], given[4];
        load(4, nodes, first, moments, given);
        const rill_moments m = {given[0], {given[1], given[2], given[3]}};
#define SET(L, E)                                                                                            \
    if (lattice == RILL_##L && launch->variant.equilibrium == RILL_##E)                                      \
        rill_equilibrium_set(RILL_##L, RILL_##E, &rates, m, g);
        SET(D3Q19, SECOND_ORDER)
        SET(D3Q27, SECOND_ORDER)
        SET(D3Q15, SECOND_ORDER)
        SET(D2Q9, SECOND_ORDER)
        SET(D3Q19, STOKES)
        SET(D3Q27, STOKES)
        SET(D3Q15, STOKES)
        SET(D2Q9, STOKES)
        store(rill_q(lattice), nodes, first, g, f);
    }
}

static void power(size_t count, double *x)
{
    for (size_t first = 0; first < count; first += RILL_LANES) {
        rill_real value;
        load(1, count, first, x, &value);
        value = rill_exp2(value);
        store(1, count, first, &value, x);
    }
}

static void logarithm(size_t count, double *x)
{
    for (size_t first = 0; first < count; first += RILL_LANES) {
        rill_real value;
        load(1, count, first, x, &value);
        value = rill_log2(value);
        store(1, count, first, &value, x);
    }
}

#define JOIN(a, b, c) JOIN_(a, b, c)
#define JOIN_(a, b, c) a##b##_##c
const rill_operators JOIN(rill_operators_, RILL_ARITHMETIC,
                          RILL_VECTOR_BYTES) = {sizeof(rill_scalar) == 4, collide, set, power, logarithm};
