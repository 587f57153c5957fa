/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/units.h
 * Quantities with units, as the command line and case files have them.
 */
#ifndef RILL_PUBLIC_UNITS_H
#define RILL_PUBLIC_UNITS_H

#include "rill/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** 1 darcy in square metres. */
#define RILL_DARCY 9.869233e-13

/**
 * Read a quantity, "5.7um", "5.7 um", "120 mL/min", "3.5 mPa.s", and convert it.
 * @param[in]  text   a number and a unit; a number without a unit is refused unless `unit` is "1"
 * @param[in]  unit   the required unit, e.g. "m"
 * @param[out] value  in `unit`
 * @return RILL_USAGE with value, expected dimension and an example; RILL_SYSTEM without the unit database
 */
rill_status rill_units_parse(const char *text, const char *unit, double *value);

#ifdef __cplusplus
}
#endif

#endif
