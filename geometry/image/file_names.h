/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file file_names.h
 * What names of files state about their content.
 */
#ifndef RILL_GEOMETRY_IMAGE_FILE_NAMES_H
#define RILL_GEOMETRY_IMAGE_FILE_NAMES_H

#include "rill.h"

/** Return whether a name has an ending, in any case: ".tif". */
bool rill_name_ends(const char *path, const char *suffix);

/** Return whether a name ends as those of surfaces do, in any case: .stl, .obj, .ply, .vtp, and formats that
 * are not read, such as .off, and .vtk unless the file holds an image; or is that of a folder of such files
 * without slices of an image. */
bool rill_surface_named(const char *path);

/** Return how a name shows that it is a surface: ".stl", or "folder". */
const char *rill_surface_kind(const char *path);

/**
 * Split the path of an array within a file, "scan.h5:/group/data". A file whose whole name this is counts
 * first. "-" is a file, too: standard input.
 * @param[out] file  the file; the caller frees it
 * @param[out] name  "/group/data", within `path`; NULL: it names a file alone
 */
rill_status rill_container_split(const char *path, char **file, const char **name);

/** The message for a surface, with its format or ending, given in place of a geometry or an image. */
#define RILL_SURFACE_REMEDY                                                                                  \
    "it is a surface (%s): make a geometry of it first, with rill voxelize --units mm --dx 0.25mm"

#endif
