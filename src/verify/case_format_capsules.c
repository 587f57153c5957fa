/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number formats and a capsule in shear flow, after Lehmann et al. (2022), doi:10.1103/PhysRevE.106.015308:
 * fp16c as fp64, other formats of 16 bits worse, and all of them fail without the shift.
 */
#include "core/status.h"
#include "verify/capsule.h"
#include "verify/formats.h"
#include "verify/groups.h"

#include <math.h>
#include <stdlib.h>

static const char LEHMANN[] = "Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308";

/* The curves of a format that is computed. */
typedef struct drawn {
    rill_verify_curves *curves;
    int format, points;
} drawn;

static void add(void *context, const rill_capsule_row *row)
{
    drawn *d = context;
    if (d->points == RILL_VERIFY_POINTS) return;
    d->curves->x[d->points] = row->strain;
    d->curves->y[d->format][d->points++] = row->deformation;
}

/* Return the largest distance of a format's curve to that of fp64; infinity where it has no value. */
static double distance(const rill_verify_curves *c, rill_storage storage, rill_shift shift)
{
    const double *y = c->y[rill_verify_format_of(storage, shift)], *exact = c->y[0];
    double largest = 0;
    for (int i = 0; i < c->points; i++) largest = rill_verify_largest(largest, fabs(y[i] - exact[i]));
    return isnan(largest) ? INFINITY : largest;
}

static rill_status run(const rill_verify_case *of, const rill_verify_setup *setup, rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    rill_verify_curves *curves = NULL, *rounding = NULL;
    RILL_TRY(rill_verify_curves_create("capsule/deformation", "Capsule in shear, Ca 0.3, Re 0.1: deformation",
                                       "strain", "D", &curves));
    RILL_TRY(rill_verify_curves_create("capsule/rounding", "Capsule in shear: deformation, off fp64",
                                       "strain", "|D - D of fp64|", &rounding));
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        rill_capsule_case c = rill_verify_capsule(&s, 4, 8);
        rill_capsule_outcome out;
        drawn d = {.curves = curves, .format = k};
        c.law = RILL_NEO_HOOKEAN;
        c.capillary = 0.3;
        c.reynolds = 0.1;
        c.tau = 1;
        c.strain = 2;
        c.row = add;
        c.context = &d;
        status = rill_capsule_run(&c, &out);
        RILL_TRY(k ? rill_verify_format_soften(status) : status);
        if (k == 0) curves->points = d.points;
    }
    rounding->points = curves->points;
    for (int i = 0; i < curves->points; i++) {
        rounding->x[i] = curves->x[i];
        for (int k = 1; k < RILL_VERIFY_FORMAT_COUNT; k++)
            rounding->y[k][i] = fabs(curves->y[k][i] - curves->y[0][i]);
    }
    values->found[0] = distance(curves, RILL_FP32, RILL_SHIFTED);
    values->found[1] = distance(curves, RILL_FP16C, RILL_SHIFTED);
    values->found[2] = distance(curves, RILL_FP16S, RILL_SHIFTED);
    values->found[3] = distance(curves, RILL_FP16C, RILL_PLAIN);
    values->found[4] = distance(curves, RILL_FP16S, RILL_PLAIN);
    RILL_TRY(rill_verify_curves_report(curves, values->series));
    RILL_TRY(rill_verify_curves_report(rounding, values->series));
done:
    free(curves);
    free(rounding);
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "formats/capsule",
     .what = "neo-Hookean sphere in shear, Ca 0.3, to a strain of 2",
     RILL_VERIFY_LIST(
         {"fp32: largest distance of D to fp64", "", RILL_VERIFY_AT_MOST, 0, {1e-5, 1e-5, 1e-5}, LEHMANN},
         {"fp16c: largest distance", "", RILL_VERIFY_AT_MOST, 0, {1e-3, 1e-3, 1e-3}, LEHMANN},
         {"fp16s: largest distance", "", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, LEHMANN},
         {"plain fp16c: largest distance", "", RILL_VERIFY_AT_LEAST, 0, {0.01, 0.01, 0.01}, LEHMANN},
         {"plain fp16s: largest distance", "", RILL_VERIFY_AT_LEAST, 0, {0.01, 0.01, 0.01}, LEHMANN}),
     .unfit = rill_verify_capsule_unfit,
     .run = run},
};

const rill_verify_group rill_verify_format_capsules = {cases, sizeof cases / sizeof *cases};
