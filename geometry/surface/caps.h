/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file caps.h
 * Finds the flat caps that close the ends of a vessel, and removes them, so that the ends become openings.
 *
 * A cap is a connected group of triangles in one plane. A sharp, convex crease separates it from the wall.
 * The wall stands on the plane of the cap and keeps its width behind it, and the vessel goes on behind the
 * cap for at least the length of the cap. The last condition separates the ends of a duct from its flat
 * walls: at most one pair of faces of a box can meet it.
 */
#ifndef RILL_GEOMETRY_SURFACE_CAPS_H
#define RILL_GEOMETRY_SURFACE_CAPS_H

#include "geometry/surface/mesh.h"

/** Whether a flat part of the surface is a cap, and if not, why. */
typedef enum rill_cap_verdict {
    RILL_CAP_OPENED,   /**< it was removed: its rim is an opening */
    RILL_CAP_CLOSED,   /**< it is a cap, and was not to be opened */
    RILL_CAP_ROUNDED,  /**< part of its rim is no sharp convex crease */
    RILL_CAP_LEANING,  /**< the wall beside it does not stand on its plane */
    RILL_CAP_SHALLOW,  /**< the vessel behind it is not as deep as the flat part is long: a side of a duct */
    RILL_CAP_STEPPED,  /**< the vessel right behind it is much wider or narrower: a facet of the wall */
    RILL_CAP_OUTLINES, /**< its rim is not one closed line */
    RILL_CAP_WITHIN,   /**< it lies within the lumen of another shell */
    RILL_CAP_SMALL     /**< less than a thousandth of the largest opening's area */
} rill_cap_verdict;

/** A flat part of a surface. */
typedef struct rill_cap {
    double centre[3], outward[3]; /**< m, unit normal out of the vessel */
    double area;                  /**< m2 */
    double length;                /**< longest extent, m */
    double value, limit;          /**< what the verdict was made of */
    rill_cap_verdict verdict;
} rill_cap;

/** Flat parts of a surface, largest area first. Arrays are owned. */
typedef struct rill_caps {
    rill_cap *caps; /**< [count] */
    uint32_t *of;   /**< [triangle_count], number + 1 of the flat part; 0: none */
    int count;
} rill_caps;

/**
 * Find the flat parts of an oriented surface that a crease bounds, and judge them: RILL_CAP_CLOSED are caps.
 * @see tests/surface/test_caps.c
 */
rill_status rill_caps_find(const rill_mesh *mesh, rill_caps *out);

/**
 * Remove those that are RILL_CAP_CLOSED; they become RILL_CAP_OPENED, or RILL_CAP_OUTLINES when that does not
 * leave one boundary loop. `of` is freed, since triangles are renumbered.
 */
rill_status rill_caps_open(rill_mesh *mesh, rill_caps *caps);

/** Write a sentence's part that says why a flat part is no opening. */
void rill_cap_reason(const rill_cap *cap, char *text, size_t size);

/** Free what it holds. */
void rill_caps_destroy(rill_caps *caps);

/**
 * Find the flat part in which a plane lies: its centre within 2 % of the root of its area above or below, its
 * normal within 3 degrees, the plane's point within its outline or near it.
 * @param[in]  normal  of any length, into the vessel
 * @param[out] inside  [triangle_count], 1 for its triangles
 * @param[out] found   how many they are; 0: the plane lies in no flat part
 */
rill_status rill_caps_at(const rill_mesh *mesh, const double point[3], const double normal[3],
                         uint8_t *inside, uint32_t *found);

#endif
