/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file drawn.h
 * Geometries whose voxels nothing holds: a plane is drawn each time that it is read. They look like voxels
 * that several processes keep (planes.h), so that all that reads planes a few at a time needs memory for
 * those alone: a domain counts the nodes of planes, and a part of it numbers the nodes of its own planes.
 */
#ifndef RILL_GEOMETRY_VOXELS_DRAWN_H
#define RILL_GEOMETRY_VOXELS_DRAWN_H

#include "rill.h"

/** What draws planes. */
typedef struct rill_drawing {
    void *context;
    /** Write all voxels of plane z, [ny][nx], without labels; called by several threads. The same each time.
     */
    void (*draw)(const void *context, uint32_t z, uint8_t *voxels);
    void (*destroy)(void *context); /**< NULL: nothing is to be freed */
} rill_drawing;

/** A geometry, and what draws it. */
typedef struct rill_drawn rill_drawn;

/**
 * Create a periodic geometry of unknown spacing, and draw all of its planes once to count their fluid voxels.
 * @param[in] drawing  copied; `destroy` is called in any case, when the geometry is destroyed or not made
 * @param[in] window   planes that are drawn at a time; 0: 32, or 4 for each thread
 * @return RILL_USAGE for an empty or overflowing box, RILL_SYSTEM without memory
 */
rill_status rill_drawn_create(const uint32_t n[3], const rill_drawing *drawing, uint32_t window,
                              rill_drawn **out);

/** Return the geometry, which lives as long. Its voxels cannot be changed. */
rill_geom *rill_drawn_geom(const rill_drawn *drawn);

/** Destroy it; NULL is allowed. */
void rill_drawn_destroy(rill_drawn *drawn);

#endif
