/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file slice.h
 * One plane of voxels out of a geometry or field file, read without the rest of the volume.
 */
#ifndef RILL_IO_SLICE_H
#define RILL_IO_SLICE_H

#include "rill.h"

/** What is shown. */
typedef enum rill_slice_field {
    RILL_SLICE_SPEED, /**< |u| */
    RILL_SLICE_VELOCITY_X,
    RILL_SLICE_VELOCITY_Y,
    RILL_SLICE_VELOCITY_Z,
    RILL_SLICE_PRESSURE,
    RILL_SLICE_VOXELS,
    RILL_SLICE_RATE,  /**< shear rate */
    RILL_SLICE_WALLS, /**< part of k that walls decide */
    RILL_SLICE_CONCENTRATION,
    RILL_SLICE_FILL /**< part of a cell that is liquid */
} rill_slice_field;

/** A plane normal to an axis; u, v are the other axes in the order x, y, z. */
typedef struct rill_slice {
    uint32_t width, height; /**< voxels along u, v */
    uint32_t position;      /**< along the axis */
    float *values;          /**< [height][width]; NaN in the solid */
    char unit[32];
} rill_slice;

/** Find what a file of ours is shown by: its speed, its concentration, or the voxels of a geometry. */
rill_status rill_slice_usual(const char *path, rill_slice_field *field);

/**
 * Read a plane.
 * @param[in] axis      0, 1, 2: normal to the plane
 * @param[in] position  voxel along the axis, or, when `fraction` is true, 0…1 of the way
 * @return RILL_USAGE when the file is none of ours, lacks the field or is smaller than `position`
 */
rill_status rill_slice_read(const char *path, rill_slice_field field, int axis, double position,
                            bool fraction, rill_slice **out);

/** Destroy a slice; NULL is allowed. */
void rill_slice_destroy(rill_slice *slice);

#endif
