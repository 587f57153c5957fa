/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Womersley flow through pipes oblique to the lattice: pressure gradient and wall shear on triangles over a
 * period, from the exact flow on, driven by a force that oscillates.
 */
#include "core/status.h"
#include "verify/groups.h"
#include "verify/vessel_pulse.h"
#include "verify/vessel_unfit.h"

#include <math.h>

typedef struct pulse {
    rill_verify_pulse flow;
    double coarse, fine; /* r; coarse 0: one grid */
} pulse;

static rill_status pulse_run(const rill_verify_case *of, const rill_verify_setup *setup,
                             rill_verify_values *values)
{
    rill_status status = RILL_OK;
    const pulse *p = of->data;
    rill_verify_vessel_found coarse, fine;
    RILL_TRY(rill_verify_pulse_measure(&p->flow, p->fine, setup, &fine));
    const double found[3] = {fine.pressure - 1, fine.mean - 1, fine.l2};
    for (int k = 0; k < 3; k++) {
        values->found[k] = found[k];
        values->rounding[k] = fine.rounding;
    }
    if (!(p->coarse > 0)) goto done;
    RILL_TRY(rill_verify_pulse_measure(&p->flow, p->coarse, setup, &coarse));
    values->found[3] = log(coarse.l2 / fine.l2) / log(fine.cells / coarse.cells);
done:
    return status;
}

#define SOURCE "Womersley 1955, doi:10.1113/jphysiol.1955.sp005276"
/* The boundary layer R / alpha has at least 2.5 cells. */
#define PULSE(name_, full_, what_, lattice_, collision_, alpha_, tau_, coarse_, fine_, ...)                  \
    {                                                                                                        \
        .name = "vessels/pulse-" name_, .full = full_, .what = "Womersley flow along (1, 2, 2), " what_,     \
        RILL_VERIFY_LIST(                                                                                    \
            RILL_VERIFY_VESSEL_CHECK("pressure gradient over the exact one, less 1, as complex amplitudes",  \
                                     AT_MOST, 0.01, SOURCE),                                                 \
            RILL_VERIFY_VESSEL_CHECK("time-averaged wall shear over the exact one, less 1", ABSOLUTE, 0.01,  \
                                     SOURCE),                                                                \
            __VA_ARGS__),                                                                                    \
        .data =                                                                                              \
            &(const pulse){{RILL_##lattice_, RILL_##collision_, alpha_, tau_, {1, 2, 2}}, coarse_, fine_},   \
        .unfit = rill_verify_vessel_unfit, .run = pulse_run                                                  \
    }
#define L2(limit_)                                                                                           \
    RILL_VERIFY_VESSEL_CHECK("L2 error of the wall shear over a period", AT_MOST, limit_, SOURCE)
#define ORDER                                                                                                \
    {                                                                                                        \
        "order of the wall shear", "", RILL_VERIFY_AT_LEAST, 0, {1.5, 1.5, -INFINITY}, SOURCE                \
    }

static const rill_verify_case cases[] = {
    PULSE("4", false, "alpha 4, radius 10, tau 0.53, CUMULANT", D3Q27, CUMULANT, 4, 0.53, 0, 10, L2(0.015)),
    PULSE("4-trt", true, "alpha 4, radius 10, tau 0.6, TRT", D3Q27, TRT, 4, 0.6, 0, 10, L2(0.015)),
    PULSE("4-40", true, "alpha 4, radius 10 and 20, tau 0.53, CUMULANT", D3Q27, CUMULANT, 4, 0.53, 10, 20,
          L2(0.005), ORDER),
    PULSE("4-0.505", true, "alpha 4, radius 10, tau 0.505, CUMULANT", D3Q27, CUMULANT, 4, 0.505, 0, 10,
          L2(0.015)),
    PULSE("8-40", true, "alpha 8, radius 20, tau 0.53, CUMULANT", D3Q27, CUMULANT, 8, 0.53, 0, 20, L2(0.005)),
    PULSE("12-60", true, "alpha 12, radius 30, tau 0.53, CUMULANT", D3Q27, CUMULANT, 12, 0.53, 0, 30,
          L2(0.005)),
};

const rill_verify_group rill_verify_vessel_pulses = {cases, sizeof cases / sizeof *cases};
