/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_unfit.h
 * Why a case of the suite vessels cannot be asked of a setup: `unfit` of rill_verify_case.
 */
#ifndef RILL_VERIFY_VESSEL_UNFIT_H
#define RILL_VERIFY_VESSEL_UNFIT_H

#include "verify/verify.h"

/** Of cases with linearly interpolated bounce-back whose collision is the setup's: only trt. */
const char *rill_verify_vessel_trt_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

/** Of cases with interpolated bounce-back and collisions of their own, which run once, in the suite of trt.
 */
const char *rill_verify_vessel_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

/** The same, of cases whose walls are interpolated linearly. */
const char *rill_verify_vessel_linear_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

/** Of whole cases, whose variant a plan chooses. */
const char *rill_verify_vessel_case_unfit(const rill_verify_case *of, const rill_verify_setup *setup);

#endif
