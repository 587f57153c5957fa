/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gyroid in integers: sines and cosines of the voxel centres are rounded to 2^-30 once per axis, so
 * that voxels which the surface's symmetries map onto each other have the same value to the last bit.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>

rill_gyroid_options rill_gyroid_options_default(void)
{
    return (rill_gyroid_options){.cells = 64, .periods = 1, .porosity = 0.5};
}

/** Return the Taylor sums of sin x and cos x, exact to a double's last bits for 0 <= x <= pi/4. */
static double series(double x, bool cosine)
{
    double term = cosine ? 1 : x, sum = term;
    for (int k = cosine ? 1 : 2; k < 22; k += 2) {
        term *= -x * x / (k * (k + 1));
        sum += term;
    }
    return sum;
}

/**
 * Return sin(2 pi i / n) in units of 2^-30. The angle is folded into its first eighth in integers, so that
 * the table has the symmetry of the circle; sin() of the system may differ between machines.
 */
static int64_t sine(uint64_t i, uint64_t n)
{
    i %= n;
    if (2 * i > n) return -sine(n - i, n);
    if (4 * i > n) return sine(n - 2 * i, 2 * n); /* sin(pi - a): i -> n/2 - i */
    const double value = 8 * i > n ? series(2 * M_PI * (double)(n - 4 * i) / (4.0 * (double)n), true)
                                   : series(2 * M_PI * (double)i / (double)n, false);
    return (int64_t)floor(value * 0x1p30 + 0.5);
}

/** Sines and cosines of the voxel centres along an axis. */
typedef struct table {
    uint32_t n;
    int64_t *sine, *cosine; /* [n] each */
} table;

static void keys_of_row(const void *context, uint32_t y, uint32_t z, uint32_t *keys)
{
    const table *t = context;
    const int64_t constant = t->sine[y] * t->cosine[z];
    for (uint32_t x = 0; x < t->n; x++) {
        const int64_t value =
            t->sine[x] * t->cosine[y] + constant + t->sine[z] * t->cosine[x]; /* < 1.51 * 2^60 */
        keys[x] = (uint32_t)((value + (INT64_C(1) << 61)) >> 30);
    }
}

static rill_status check(const rill_gyroid_options *o)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_generate_check_porosity(o->porosity));
    if (o->periods < 1 || o->periods > o->cells / 4)
        return rill_fail(
            RILL_USAGE,
            "%u periods in %u voxels are not within 1 ... %u, four voxels a period: change --periods or --cells",
            o->periods, o->cells, o->cells / 4);
done:
    return status;
}

rill_status rill_generate_gyroid(const rill_gyroid_options *options, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    table t = {.n = options->cells};
    RILL_TRY(rill_geom_create((const uint32_t[3]){t.n, t.n, t.n}, &geom));
    RILL_TRY(check(options));
    RILL_TRY(rill_array_create(t.n, sizeof *t.sine, "sines", (void **)&t.sine));
    RILL_TRY(rill_array_create(t.n, sizeof *t.cosine, "cosines", (void **)&t.cosine));
    for (uint64_t i = 0; i < t.n; i++) {
        const uint64_t turn = (2 * i + 1) * options->periods, whole = 2 * (uint64_t)t.n;
        t.sine[i] = sine(turn, whole);
        t.cosine[i] = sine(4 * turn + whole, 4 * whole); /* a quarter of a period further */
    }
    RILL_TRY(rill_generate_threshold(geom, options->porosity, false, keys_of_row, &t));
    RILL_TRY(rill_generate_finish(geom, "gyroid"));
    *out = geom;
    geom = NULL;
done:
    rill_array_destroy(t.cosine);
    rill_array_destroy(t.sine);
    rill_geom_destroy(geom);
    return status;
}
