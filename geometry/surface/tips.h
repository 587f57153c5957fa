/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file tips.h
 * The ends of a vessel whose surface is closed: where the distance along the surface from one end has its
 * maxima.
 */
#ifndef RILL_GEOMETRY_SURFACE_TIPS_H
#define RILL_GEOMETRY_SURFACE_TIPS_H

#include "geometry/surface/mesh.h"

enum { RILL_TIPS = 16 /**< at most */ };

/** An end, as a plane that cuts it off. */
typedef struct rill_tip {
    double point[3];  /**< m, in the middle of the vessel */
    double inward[3]; /**< of length 1, along the vessel */
    double area;      /**< m2, about, of the cross-section there */
} rill_tip;

/**
 * Find the ends of a closed surface, the widest first. Distances are those along edges; a maximum is an end
 * if the distance falls from it by more than the width of the vessel there before it rises to a higher one.
 */
rill_status rill_tips_find(const rill_mesh *mesh, rill_tip tips[RILL_TIPS], int *count);

#endif
