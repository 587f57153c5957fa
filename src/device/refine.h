/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refine.h
 * Interpolation between grids on processors: the functions of kernel/refine.h, row by row.
 */
#ifndef RILL_DEVICE_REFINE_H
#define RILL_DEVICE_REFINE_H

#include "kernel/refine.h"

/** Interpolate, with all threads of the host. */
void rill_cpu_refine(const rill_refiner *refiner);

#endif
