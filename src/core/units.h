/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file units.h
 * Texts of lengths and bytes. Quantities with units are read by rill_units_parse(), which is public, by
 * UDUNITS-2 with the units of this field that it lacks (darcy, mD, cP, dyn).
 */
#ifndef RILL_CORE_UNITS_H
#define RILL_CORE_UNITS_H

#include "rill.h"

/** Write a length in metres in a readable unit ("5.7 um"); `size` of 32 always suffices. */
void rill_units_format_length(double metres, char *text, size_t size);

/** Write bytes in a readable unit ("3.2 GiB"); `size` of 32 always suffices. */
void rill_units_format_bytes(double bytes, char *text, size_t size);

/** Read a byte count, "3000000", "4GiB", "512 MiB", "2 GB"; a bare k, M, G or T is a power of 1024. */
rill_status rill_units_parse_bytes(const char *text, uint64_t *bytes);

#endif
