/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case_output.h
 * What a case is going to do, as rows on standard output and as JSON.
 */
#ifndef RILL_CLI_CASE_OUTPUT_H
#define RILL_CLI_CASE_OUTPUT_H

#include "vessel/case.h"

#include <jansson.h>

/** Print a plan with its verdicts. */
void cli_case_print_plan(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan);

/** Return a plan as JSON; NULL without memory. */
json_t *cli_case_plan_json(const rill_case *given, const rill_geom *geom, const rill_case_plan *plan);

#endif
