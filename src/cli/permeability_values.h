/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_values.h
 * Rows of the permeability itself: a value or a tensor, principal values, uncertainty.
 */
#ifndef RILL_CLI_PERMEABILITY_VALUES_H
#define RILL_CLI_PERMEABILITY_VALUES_H

#include "cli/permeability_output.h"

/** Return the factor from lu to m2; NaN when the voxel size is unknown. */
double cli_square_metres(const rill_geom *geom);

/** Write "1.046 ± 0.006": a value with as many decimals as it is worth; "not known yet". */
void cli_with_uncertainty(double value, double uncertainty, char *text, size_t size);

/** Print the permeability in all units that are known, and its uncertainty. */
void cli_permeability_print_values(const cli_permeability_result *r);

#endif
