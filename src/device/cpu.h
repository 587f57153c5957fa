/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cpu.h
 * What the backend of processors does beside its kernels: the runs of a list, see rill_segments in
 * kernel/storage/arrays.h, and the interpolation between grids of kernel/refine.h, row by row.
 */
#ifndef RILL_DEVICE_CPU_H
#define RILL_DEVICE_CPU_H

#include "core/status.h"
#include "cpu/rows.h"
#include "device/diffusion.h"
#include "kernel/refine.h"

/** Find the segments of a variant's list. @param cut  of the processor's level @return RILL_SYSTEM without
 * memory */
rill_status rill_segments_create(rill_variant variant, const rill_arrays *arrays, rill_cpu_cut *cut,
                                 rill_segments *out);

/** Return the bytes of the segments of a number of nodes; 0 where there are none. */
uint64_t rill_segments_bytes(const rill_segments *segments, uint64_t nodes);

/** Free the arrays. */
void rill_segments_destroy(rill_segments *segments);

/** Interpolate, with all threads of the host. */
void rill_cpu_refine(const rill_refiner *refiner);

/** Find what works on the nodes of a diffusion at the level of this processor. @return RILL_SYSTEM as
 * rill_device_create() does */
rill_status rill_cpu_diffusion(rill_diffusion_level **out);

#endif
