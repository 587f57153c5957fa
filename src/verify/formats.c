/* SPDX-License-Identifier: Apache-2.0 */
/* Formats and their curves. */
#include "verify/formats.h"

#include "core/status.h"
#include "io/json_file.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Return where a format stands: fp64 first, as the reference, then the others in their order; and the
 * format that stands there, because fp64 is the only one that moves. */
static int place_of(int k) { return k == 0 ? RILL_FP64 : k <= (int)RILL_FP64 ? k - 1 : k; }
static int rank_of(int storage)
{
    return storage == RILL_FP64 ? 0 : storage < RILL_FP64 ? storage + 1 : storage;
}

void rill_verify_format_at(int k, rill_storage *storage, rill_shift *shift)
{
    *storage = (rill_storage)place_of(k / 2);
    *shift = k % 2 ? RILL_PLAIN : RILL_SHIFTED;
}

int rill_verify_format_of(rill_storage storage, rill_shift shift)
{
    return 2 * rank_of((int)storage) + (shift == RILL_PLAIN);
}

rill_verify_setup rill_verify_format_setup(const rill_verify_setup *setup, int k)
{
    rill_verify_setup s = *setup;
    rill_verify_format_at(k, &s.variant.storage, &s.variant.shift);
    return s;
}

rill_status rill_verify_curves_create(const char *name, const char *title, const char *x_name,
                                      const char *y_name, rill_verify_curves **out)
{
    rill_verify_curves *c = malloc(sizeof *c);
    if (!c) return rill_fail(RILL_SYSTEM, "out of memory for curves");
    c->name = name;
    c->title = title;
    c->x_name = x_name;
    c->y_name = y_name;
    c->points = 0;
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++)
        for (int i = 0; i < RILL_VERIFY_POINTS; i++) c->y[k][i] = NAN;
    *out = c;
    return RILL_OK;
}

static json_t *reals(const double *values, int count)
{
    json_t *array = json_array();
    for (int i = 0; i < count; i++) json_array_append_new(array, rill_json_real(values[i]));
    return array;
}

rill_status rill_verify_curves_report(const rill_verify_curves *c, json_t *series)
{
    if (!series) return RILL_OK;
    json_t *curves = json_array();
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        rill_storage storage;
        rill_shift shift;
        rill_verify_format_at(k, &storage, &shift);
        json_array_append_new(curves,
                              json_pack("{s:s, s:s, s:o}", "storage", rill_storage_names[storage], "shift",
                                        rill_shift_names[shift], "y", reals(c->y[k], c->points)));
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:o, s:o}", "title", c->title, "x_name", c->x_name, "y_name",
                            c->y_name, "x", reals(c->x, c->points), "curves", curves);
    return all && json_object_set_new(series, c->name, all) == 0
               ? RILL_OK
               : rill_fail(RILL_SYSTEM, "out of memory for the report");
}

double rill_verify_largest(double a, double b) { return a > b || isnan(a) ? a : b; }

rill_status rill_verify_format_soften(rill_status status)
{
    return status == RILL_NUMERICS ? RILL_OK : status;
}
