/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file picture.h
 * Slices as PNG pictures: colours, a colour bar with numbers, grey solid.
 */
#ifndef RILL_IO_PICTURE_H
#define RILL_IO_PICTURE_H

#include "io/slice.h"

/** How values become colours. */
typedef enum rill_picture_scale { RILL_PICTURE_LINEAR, RILL_PICTURE_LOG } rill_picture_scale;

/** Values at the ends of the colours. */
typedef struct rill_picture_range {
    double low, high;
} rill_picture_range;

/** Return the range that a slice is shown with: its own; with a log scale at most six decades, all above 0.
 */
rill_picture_range rill_picture_range_of(const rill_slice *slice, rill_picture_scale scale);

/** Write the red, green and blue of 0 ≤ t ≤ 1 in the colour map viridis. */
void rill_picture_colour(double t, uint8_t rgb[3]);

/**
 * Write a slice as 8-bit RGB: the axis u to the right, v up; small slices are enlarged by a whole number.
 * @return errors as rill_output_create(), RILL_SYSTEM without memory
 */
rill_status rill_picture_write(const rill_slice *slice, rill_picture_scale scale, const char *path);

#endif
