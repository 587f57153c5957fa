/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The collisions of one lattice in one arithmetic type, for one x86-64 level: the Makefile sets
 * RILL_PART_LATTICE, RILL_PART_ARITHMETIC and RILL_PART_LEVEL.
 */
#include "cpu/part.h"

#include "cpu/rows.h"
#include "kernel/collision/collide.h"
#include "kernel/collision/operators.h"
#include "kernel/collision/rates.h"

#include <stdalign.h>
#include <string.h>

enum { lattice = RILL_CPU_JOIN(RILL_, RILL_PART_LATTICE), vectors = RILL_BLOCK / RILL_LANES };

RILL_FN rill_real load(const void *row, int v)
{
    rill_real value;
    memcpy(&value, (const char *)row + (size_t)v * sizeof value, sizeof value);
    return value;
}

RILL_FN void store(void *row, int v, rill_real value)
{
    memcpy((char *)row + (size_t)v * sizeof value, &value, sizeof value);
}

#include "cpu/lines.h"

#define COLLIDE(L, C, E, R)                                                                                  \
    static void collide_##C##_##E##_##R(const rill_launch *launch, uint64_t n, const void *const *in,        \
                                        void *const *out)                                                    \
    {                                                                                                        \
        const rill_rates rates = rill_rates_of(launch);                                                      \
        RILL_NO_UNROLL                                                                                       \
        for (int v = 0; v < vectors; v++) {                                                                  \
            rill_real f[RILL_Q_MAX];                                                                         \
            RILL_UNROLL                                                                                      \
            for (int i = 0; i < rill_q(lattice); i++) f[i] = load(in[i], v);                                 \
            const rill_view view = {&rates, &launch->carrier, n + (uint64_t)v * RILL_LANES};                 \
            rill_collide(lattice, RILL_##C, RILL_##E, RILL_##R, &view, f);                                   \
            RILL_UNROLL                                                                                      \
            for (int i = 0; i < rill_q(lattice); i++) store(out[i], v, f[rill_opposite(i)]);                 \
        }                                                                                                    \
    }
RILL_CPU_JOIN(RILL_OPERATORS_, RILL_PART_LATTICE)
(COLLIDE)

    static void moments(const rill_launch *launch, const void *const *in, rill_cpu_moments *out)
{
    const rill_rates rates = rill_rates_of(launch);
    RILL_NO_UNROLL
    for (int v = 0; v < vectors; v++) {
        rill_real f[RILL_Q_MAX];
        RILL_UNROLL
        for (int i = 0; i < rill_q(lattice); i++) f[i] = load(in[i], v);
        const rill_moments m = rill_moments_of(lattice, &rates, f);
        for (int l = 0; l < RILL_LANES; l++) {
            out->density[v * RILL_LANES + l] = (double)m.density[l];
            for (int a = 0; a < 3; a++) out->momentum[a][v * RILL_LANES + l] = (double)m.momentum[a][l];
        }
    }
}

RILL_FN void stress_of(const rill_launch *launch, const int equilibrium, const void *const *in,
                       double (*out)[RILL_BLOCK])
{
    const rill_rates rates = rill_rates_of(launch);
    RILL_NO_UNROLL
    for (int v = 0; v < vectors; v++) {
        rill_real f[RILL_Q_MAX];
        RILL_UNROLL
        for (int i = 0; i < rill_q(lattice); i++) f[i] = load(in[i], v);
        const rill_tensor stress =
            rill_viscous_stress(lattice, equilibrium, (int)launch->variant.rheology, &rates, f);
        for (int l = 0; l < RILL_LANES; l++)
            for (int a = 0; a < 3; a++) {
                out[a][v * RILL_LANES + l] = (double)stress.diagonal[a][l];
                out[3 + a][v * RILL_LANES + l] = (double)stress.mixed[a][l];
            }
    }
}

static void stress(const rill_launch *launch, const void *const *in, double (*out)[RILL_BLOCK])
{
    if (launch->variant.equilibrium == RILL_SECOND_ORDER)
        stress_of(launch, RILL_SECOND_ORDER, in, out);
    else
        stress_of(launch, RILL_STOKES, in, out);
}

static void set(const rill_launch *launch, const rill_cpu_moments *given, void *const *out)
{
    const rill_rates rates = rill_rates_of(launch);
    RILL_NO_UNROLL
    for (int v = 0; v < vectors; v++) {
        rill_real f[RILL_Q_MAX];
        rill_moments m;
        for (int l = 0; l < RILL_LANES; l++) {
            m.density[l] = (rill_scalar)given->density[v * RILL_LANES + l];
            for (int a = 0; a < 3; a++)
                m.momentum[a][l] = (rill_scalar)given->momentum[a][v * RILL_LANES + l];
        }
        if (launch->variant.equilibrium == RILL_SECOND_ORDER)
            rill_equilibrium_set(lattice, RILL_SECOND_ORDER, &rates, m, f);
        else
            rill_equilibrium_set(lattice, RILL_STOKES, &rates, m, f);
        RILL_UNROLL
        for (int i = 0; i < rill_q(lattice); i++)
            store(out[i], v, launch->add ? f[i] + load(out[i], v) : f[i]);
    }
}

#define SYMBOL RILL_CPU_LATTICE(RILL_PART_LATTICE, RILL_PART_ARITHMETIC, RILL_PART_LEVEL)
#define ENTRY(L, C, E, R) .collide[RILL_##C][RILL_##E][RILL_##R] = collide_##C##_##E##_##R,
extern const rill_cpu_lattice SYMBOL;
const rill_cpu_lattice SYMBOL = {RILL_CPU_JOIN(RILL_OPERATORS_, RILL_PART_LATTICE)(ENTRY).moments = moments,
                                 .stress = stress, .set = set, .lines = step_lines, .listed = step_listed};
