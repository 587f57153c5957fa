/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file picture.h
 * Slices as PNG pictures: colours, a colour bar with numbers, grey solid.
 */
#ifndef RILL_IO_PICTURE_H
#define RILL_IO_PICTURE_H

#include "io/canvas.h"
#include "io/slice.h"

/** Return the range that a slice is shown with: its own; with a log scale at most six decades, all above 0.
 */
rill_picture_range rill_picture_range_of(const rill_slice *slice, rill_picture_scale scale);

/**
 * Write a slice as 8-bit RGB: the axis u to the right, v up; small slices are enlarged by a whole number.
 * @return errors as rill_output_create(), RILL_SYSTEM without memory
 */
rill_status rill_picture_write(const rill_slice *slice, rill_picture_scale scale, const char *path);

#endif
