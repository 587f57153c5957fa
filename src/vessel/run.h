/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file run.h
 * Running a vessel: rill_case_run() is in rill/vessel.h.
 */
#ifndef RILL_VESSEL_RUN_H
#define RILL_VESSEL_RUN_H

#include "vessel/case.h"

/** Return the steps within which a divergence is found. */
uint64_t rill_run_watch_steps(const rill_vessel *vessel);

#endif
