/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file support.h
 * The nodes that the vertices of membranes act on, and those vertices are moved by: interpolation between
 * vertices and nodes with a kernel of 2, 3 or 4 nodes along each axis (Peskin 2002,
 * doi:10.1017/S0962492902000077; Roma, Peskin & Berger 1999, doi:10.1006/jcph.1999.6293).
 *
 * Forces of vertices are added up as integers, so that sums are the same bits in any order, and for any
 * number of threads.
 */
#ifndef RILL_MEMBRANE_SUPPORT_H
#define RILL_MEMBRANE_SUPPORT_H

#include "device/membranes.h"
#include "domain/numbering.h"

/**
 * Begin with no node.
 * @param device  whose memory it takes; NULL: the host's. See rill_support
 * @param open    see rill_membrane_box
 * @return RILL_USAGE for another width, RILL_SYSTEM
 */
rill_status rill_support_create(rill_device *device, const rill_numbering *numbering, const bool open[3],
                                int width, rill_support *out);

/** Free it; zeroed ones are allowed. */
void rill_support_destroy(rill_support *support);

/**
 * Find the nodes within reach of vertices, with no force. Waits for the device.
 * @param force  [count], checked: `seen.failed` says whether one is beyond what sums hold; may be NULL
 */
rill_status rill_support_find(rill_support *support, const double (*x)[3], const double (*force)[3],
                              uint64_t count);

/** Add the forces of these vertices to those of nodes. What would act on a wall is left out. */
rill_status rill_support_spread(const rill_support *support, const double (*x)[3], const double (*force)[3],
                                uint64_t count);

/** Interpolate velocities of nodes at these vertices; walls count as at rest. */
rill_status rill_support_interpolate(const rill_support *support, const double (*x)[3], uint64_t count,
                                     double (*velocity)[3]);

/** Return the bytes that it takes. @param reach  nodes within reach */
uint64_t rill_support_bytes(uint64_t nodes, uint64_t reach);

/** Allocate memory of a device, or of the host. Undone by rill_membrane_leave(). */
rill_status rill_membrane_take(rill_device *device, uint64_t count, size_t size, const char *what,
                               void **out);

/** Free it; NULL is allowed. */
void rill_membrane_leave(rill_device *device, void *array);

#endif
