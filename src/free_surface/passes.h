/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file passes.h
 * The passes of a free surface, and its arrays where they run.
 */
#ifndef RILL_FREE_SURFACE_PASSES_H
#define RILL_FREE_SURFACE_PASSES_H

#include "free_surface/free_surface.h"

/** Put passes on the simulation, once states and fill levels are set: arrays of its device, lists, bubbles,
 * masses. */
rill_status rill_free_surface_begin(rill_free_surface *surface, const rill_free_surface_options *options);

/** Free what that took. */
void rill_free_surface_leave(rill_free_surface *surface);

/** Bring states, fill levels and masses from a GPU. */
rill_status rill_free_surface_fetch(rill_free_surface *surface);

/** Find velocities of interface nodes, and the masses on their way to them. @param[out] nodes, planes  to be
 * freed by rill_array_destroy() */
rill_status rill_free_surface_measure(rill_free_surface *surface, rill_node **nodes,
                                      rill_front_plane **planes);

#endif
