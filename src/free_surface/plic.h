/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plic.h
 * Fill levels of cells at the start.
 */
#ifndef RILL_FREE_SURFACE_PLIC_H
#define RILL_FREE_SURFACE_PLIC_H

#include <stdint.h>

/**
 * Return the part of a cell that is liquid: that of planes in 4^3 parts of it.
 * @param inside  of a point, above 0 in the liquid; smooth near its surface but for edges
 */
double rill_plic_fill(double (*inside)(const void *context, const double x[3]), const void *context,
                      const uint32_t cell[3]);

#endif
