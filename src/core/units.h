/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file units.h
 * Quantities with units, by UDUNITS-2, with the units of this field that it lacks (darcy, mD, cP, dyn).
 */
#ifndef RILL_CORE_UNITS_H
#define RILL_CORE_UNITS_H

#include "rill.h"

/**
 * Read "5.7um", "5.7 um", "120 mL/min", "3.5 mPa.s" and convert.
 * @param[in]  text   a number and a unit; a bare number is refused unless `unit` is "1"
 * @param[in]  unit   the required unit, e.g. "m"
 * @param[out] value  in `unit`
 * @return RILL_USAGE with value, expected dimension and an example
 */
rill_status rill_units_parse(const char *text, const char *unit, double *value);

/** Write a length in metres in a readable unit ("5.7 um"); `size` of 32 always suffices. */
void rill_units_format_length(double metres, char *text, size_t size);

/** Write bytes in a readable unit ("3.2 GiB"); `size` of 32 always suffices. */
void rill_units_format_bytes(double bytes, char *text, size_t size);

/** Read a byte count, "3000000", "4GiB", "512 MiB", "2 GB"; a bare k, M, G or T is a power of 1024. */
rill_status rill_units_parse_bytes(const char *text, uint64_t *bytes);

/** 1 darcy in square metres. */
#define RILL_DARCY 9.869233e-13

#endif
