/* SPDX-License-Identifier: Apache-2.0 */
/* Why a case of the suite vessels cannot be asked of a setup. */
#include "verify/vessel_unfit.h"

/* What interpolated bounce-back needs. */
static const char *walls_unfit(const rill_verify_setup *setup)
{
    if (setup->variant.lattice == RILL_D2Q9) return "a flow of three dimensions";
    if (setup->variant.bounce == RILL_FULL_WAY)
        return "interpolated bounce-back does not go with full-way bounce-back";
    return NULL;
}

/* What cases need that leave their walls as they are. */
static const char *linear_unfit(const rill_verify_setup *setup)
{
    return setup->quadratic ? "its walls are interpolated linearly" : NULL;
}

const char *rill_verify_vessel_trt_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const char *why = walls_unfit(setup);
    if (why) return why;
    return setup->variant.collision == RILL_TRT ? linear_unfit(setup) : "its limits belong to trt";
}

const char *rill_verify_vessel_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    const char *why = walls_unfit(setup);
    if (why) return why;
    if (rill_verify_precision_of(setup->variant) == RILL_VERIFY_16) return "too small a force for 16 bits";
    return setup->variant.collision == RILL_TRT ? NULL : "it has collisions of its own";
}

const char *rill_verify_vessel_linear_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    const char *why = rill_verify_vessel_unfit(of, setup);
    return why ? why : linear_unfit(setup);
}

const char *rill_verify_vessel_case_unfit(const rill_verify_case *of, const rill_verify_setup *setup)
{
    (void)of;
    if (rill_verify_precision_of(setup->variant) == RILL_VERIFY_16)
        return "its limits belong to 32 bits and more";
    return linear_unfit(setup);
}
