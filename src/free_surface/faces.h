/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file faces.h
 * Faces of the box through which liquid comes in with a velocity, and goes out at a pressure. What comes back
 * along a link that crosses such a face is that of a wall in motion there, or that of anti-bounce-back with
 * the density of the pressure and the velocity of the node (docs/free-surface.md).
 */
#ifndef RILL_FREE_SURFACE_FACES_H
#define RILL_FREE_SURFACE_FACES_H

#include "free_surface/free_surface.h"

/** Check the faces, and list the nodes at them. @return RILL_USAGE for a side that is no wall, a face that
 * no liquid can cross, and values out of range; RILL_SYSTEM */
rill_status rill_faces_create(rill_free_surface *surface, const rill_free_surface_options *options);

/** Free what they keep. */
void rill_faces_destroy(rill_free_surface *surface);

/** Check that there is such a face, at a wall. @return RILL_USAGE */
rill_status rill_faces_check(const rill_free_surface *surface, const rill_free_surface_face *face);

/** Return whether a node is at a face; at none if that has no end. */
bool rill_faces_at(const rill_free_surface *surface, const rill_free_surface_face *face, rill_node node);

/** Return whether liquid comes in at a node, which is never gas therefore. */
bool rill_faces_feed(const rill_free_surface *surface, rill_node node);

/** Return a face as passes have it. */
rill_front_face rill_faces_front(const rill_free_surface *surface, const rill_free_surface_face *face);

/** Add up what came in and went out in a step, in the order of nodes. */
void rill_faces_sum(rill_free_surface *surface);

#endif
