/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pictures.h
 * Pictures of slices, of surfaces and of walls, as PNG.
 */
#ifndef RILL_IO_PICTURES_H
#define RILL_IO_PICTURES_H

#include "geometry/surface/survey.h"
#include "io/canvas.h"
#include "io/slice.h"

/* ---- slices as PNG pictures: colours, a colour bar with numbers, grey solid ---- */

/** Return the range that a slice is shown with: its own; with a log scale at most six decades, all above 0.
 */
rill_picture_range rill_picture_range_of(const rill_slice *slice, rill_picture_scale scale);

/**
 * Write a slice as 8-bit RGB: the axis u to the right, v up; small slices are enlarged by a whole number.
 * @return errors as rill_output_create(), RILL_SYSTEM without memory
 */
rill_status rill_picture_write(const rill_slice *slice, rill_picture_scale scale, const char *path);

/* ---- surfaces with their numbered openings as PNG pictures ---- */

/**
 * Draw a surface from both sides, as rill_view_write() does; each opening is filled with a colour and has its
 * number, rims that are no opening have theirs behind those of the openings.
 * @return errors as rill_view_write()
 */
rill_status rill_surface_picture_write(const rill_survey *survey, const char *path);

/* ---- wall files (wall_file.h) as PNG pictures ---- */

/** Find whether a file is a wall file. @return RILL_USAGE when it is no HDF5 file */
rill_status rill_wall_picture_is(const char *path, bool *wall);

/**
 * Draw an array of a wall file, of vectors their length, as rill_view_write() does.
 * @param[in] field  "OSI"; NULL: TAWSS, or WSS where that is not there
 * @return RILL_USAGE when the file lacks the array, or is damaged
 */
rill_status rill_wall_picture_write(const char *path, const char *field, rill_picture_scale scale,
                                    const char *out);

#endif
