/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_speed.h
 * The speed of a planned permeability on its device.
 */
#ifndef RILL_CLI_PERMEABILITY_SPEED_H
#define RILL_CLI_PERMEABILITY_SPEED_H

#include "permeability/plan.h"
#include "sim/sim.h"

/** Measure the speed of the steps of a plan. @param[out] speed  mlups 0: there is no memory to measure it in
 */
rill_status cli_permeability_speed(const rill_permeability_options *options,
                                   const rill_permeability_plan *plan, rill_speed *speed);

/** Load the kernels of the other number format of an error bar, so that the memory of the process, from which
 * its peak is foreseen, includes them. */
rill_status cli_permeability_load_others(const rill_permeability_options *options,
                                         const rill_error_bar_plan *bar);

#endif
