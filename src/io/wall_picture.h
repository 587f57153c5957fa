/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file wall_picture.h
 * Wall files (wall_file.h) as PNG pictures.
 */
#ifndef RILL_IO_WALL_PICTURE_H
#define RILL_IO_WALL_PICTURE_H

#include "io/canvas.h"

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
