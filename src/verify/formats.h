/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file formats.h
 * Every number format, shifted and plain, and curves that hold a value for each of them.
 */
#ifndef RILL_VERIFY_FORMATS_H
#define RILL_VERIFY_FORMATS_H

#include "verify/verify.h"

/** A format in two ways to store it. */
enum { RILL_VERIFY_FORMAT_COUNT = 2 * RILL_STORAGE_COUNT };

/** Return format k: fp64, then the others in the order of rill_storage, each shifted, then plain. */
void rill_verify_format_at(int k, rill_storage *storage, rill_shift *shift);

/** Return the number of a format. */
int rill_verify_format_of(rill_storage storage, rill_shift shift);

/** Return a setup with format k in place of its own. */
rill_verify_setup rill_verify_format_setup(const rill_verify_setup *setup, int k);

/** Most points of a curve. */
enum { RILL_VERIFY_POINTS = 256 };

/** A curve for each format. */
typedef struct rill_verify_curves {
    const char *name;  /**< "pipe-radius/error" */
    const char *title; /**< one line */
    const char *x_name, *y_name;
    int points;
    double x[RILL_VERIFY_POINTS];
    double y[RILL_VERIFY_FORMAT_COUNT][RILL_VERIFY_POINTS]; /**< NaN: no value, because it was not finite */
} rill_verify_curves;

/** Make curves without points, all NaN. @param[out] out  freed by free() */
rill_status rill_verify_curves_create(const char *name, const char *title, const char *x_name,
                                      const char *y_name, rill_verify_curves **out);

/** Add curves to the series of a report; nothing where there is none. */
rill_status rill_verify_curves_report(const rill_verify_curves *curves, json_t *series);

/** Return the larger of two numbers; NaN when one is. */
double rill_verify_largest(double a, double b);

/** Take a run that did not stay finite as one without a value. */
rill_status rill_verify_format_soften(rill_status status);

#endif
