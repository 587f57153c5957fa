/* SPDX-License-Identifier: Apache-2.0 */
/* Number formats in flows with inertia: lid-driven cavities and a Kármán street. */
#include "core/status.h"
#include "verify/cavity.h"
#include "verify/formats.h"
#include "verify/groups.h"
#include "verify/street.h"

#include <math.h>
#include <stdlib.h>

static const char LEHMANN[] = "Lehmann et al. 2022, doi:10.1103/PhysRevE.106.015308";

/* ---- cavities -------------------------------------------------------------------------------- */

/* Largest distance of the centre lines of two flows, over U. */
static double distance(const rill_verify_cavity_flow *a, const rill_verify_cavity_flow *b, uint32_t cells)
{
    double largest = 0;
    for (uint32_t i = 0; i < cells; i++)
        largest = fmax(largest, fmax(fabs(a->u[i] - b->u[i]), fabs(a->v[i] - b->v[i])));
    return largest;
}

static rill_status cavity_point(const rill_verify_cavity *cavity, const rill_verify_setup *setup, int point,
                                rill_verify_curves *curves)
{
    rill_status status = RILL_OK;
    rill_verify_cavity_flow exact = {0}, flow = {0};
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        const rill_sim_options options = rill_verify_options(&s, 1);
        status = rill_verify_cavity_run(cavity, &options, k ? &flow : &exact);
        if (status == RILL_OK && k) curves->y[k][point] = distance(&flow, &exact, cavity->cells);
        rill_verify_cavity_free(&flow);
        RILL_TRY(k ? rill_verify_format_soften(status) : status);
    }
done:
    rill_verify_cavity_free(&exact);
    return status;
}

static rill_status cavity_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    static const rill_verify_cavity quick[] = {{32, 0.1, 100, 20}},
                                    full[] = {{128, 0.1, 100, 40}, {128, 0.1, 1000, 120}};
    rill_verify_curves *curves = NULL;
    RILL_TRY(rill_verify_curves_create("cavity/distance", "Lid-driven cavity: largest distance to fp64",
                                       "Reynolds number", "|u - u of fp64|/U on the centre lines", &curves));
    curves->points = setup->full ? 2 : 1;
    for (int i = 0; i < curves->points; i++) {
        const rill_verify_cavity *cavity = setup->full ? &full[i] : &quick[i];
        curves->x[i] = cavity->reynolds;
        RILL_TRY(cavity_point(cavity, setup, i, curves));
    }
    values->found[0] = curves->y[rill_verify_format_of(RILL_FP32, RILL_SHIFTED)][curves->points - 1];
    values->found[1] = curves->y[rill_verify_format_of(RILL_FP16S, RILL_SHIFTED)][curves->points - 1];
    values->found[2] = curves->y[rill_verify_format_of(RILL_FP16C, RILL_SHIFTED)][curves->points - 1];
    RILL_TRY(rill_verify_curves_report(curves, values->series));
done:
    free(curves);
    return status;
}

/* ---- street ---------------------------------------------------------------------------------- */

static rill_status street_run(const rill_verify_case *of, const rill_verify_setup *setup,
                              rill_verify_values *values)
{
    rill_status status = RILL_OK;
    (void)of;
    static const rill_verify_street street = {20, 0.05, 100, false, 60, 90};
    rill_verify_curves *strouhal = NULL, *drag = NULL;
    RILL_TRY(rill_verify_curves_create("street/strouhal", "Karman street, Re 100: Strouhal number",
                                       "diameter", "f D/U", &strouhal));
    RILL_TRY(rill_verify_curves_create("street/drag", "Karman street, Re 100: mean drag", "diameter",
                                       "drag coefficient", &drag));
    strouhal->points = drag->points = 1;
    strouhal->x[0] = drag->x[0] = street.diameter;
    for (int k = 0; k < RILL_VERIFY_FORMAT_COUNT; k++) {
        const rill_verify_setup s = rill_verify_format_setup(setup, k);
        const rill_sim_options options = rill_verify_options(&s, 1);
        rill_verify_street_flow flow;
        status = rill_verify_street_run(&street, &options, &flow);
        if (status == RILL_OK) {
            strouhal->y[k][0] = flow.strouhal;
            drag->y[k][0] = flow.drag;
        }
        rill_verify_street_free(&flow);
        RILL_TRY(rill_verify_format_soften(status));
    }
    const double exact = strouhal->y[0][0];
    values->found[0] = strouhal->y[rill_verify_format_of(RILL_FP32, RILL_SHIFTED)][0] / exact - 1;
    values->found[1] = strouhal->y[rill_verify_format_of(RILL_FP16S, RILL_SHIFTED)][0] / exact - 1;
    values->found[2] = strouhal->y[rill_verify_format_of(RILL_FP16C, RILL_SHIFTED)][0] / exact - 1;
    RILL_TRY(rill_verify_curves_report(strouhal, values->series));
    RILL_TRY(rill_verify_curves_report(drag, values->series));
done:
    free(strouhal);
    free(drag);
    return status;
}

static const rill_verify_case cases[] = {
    {.name = "formats/cavity",
     .what = "lid-driven cavity, Re 100 on 32 voxels (100 and 1000 on 128 in the full set)",
     RILL_VERIFY_LIST(
         {"fp32: distance to fp64", "U", RILL_VERIFY_AT_MOST, 0, {1e-3, 1e-3, 1e-3}, LEHMANN},
         {"fp16s: distance to fp64", "U", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, LEHMANN},
         {"fp16c: distance to fp64", "U", RILL_VERIFY_AT_MOST, 0, {INFINITY, INFINITY, INFINITY}, LEHMANN}),
     .run = cavity_run},
    {.name = "formats/street",
     .what = "Karman street behind a cylinder of 20 voxels, Re 100",
     .full = true,
     RILL_VERIFY_LIST(
         {"fp32: Strouhal number, off fp64", "", RILL_VERIFY_ABSOLUTE, 0, {5e-3, 5e-3, 5e-3}, LEHMANN},
         {"fp16s: Strouhal number, off fp64", "", RILL_VERIFY_ABSOLUTE, 0, {0.02, 0.02, 0.02}, LEHMANN},
         {"fp16c: Strouhal number, off fp64", "", RILL_VERIFY_ABSOLUTE, 0, {0.02, 0.02, 0.02}, LEHMANN}),
     .run = street_run},
};

const rill_verify_group rill_verify_format_flows = {cases, sizeof cases / sizeof *cases};
