/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file slice_files.h
 * The files of an image that is kept as one file per slice: found, sorted by number, checked for gaps.
 */
#ifndef RILL_GEOMETRY_IMAGE_SLICE_FILES_H
#define RILL_GEOMETRY_IMAGE_SLICE_FILES_H

#include "rill.h"

/** Paths of slices in order. */
typedef struct rill_slice_files {
    char **paths;
    uint64_t count;
} rill_slice_files;

/**
 * Find the slices that a path means: the TIFF files of a directory, or else the PNG files, the matches of a
 * glob, or of a printf pattern with one %d or %04d.
 * @return RILL_USAGE when there are none, when they are not one series (names that differ in one number
 *         alone), and when numbers are missing
 */
rill_status rill_slice_files_find(const char *path, rill_slice_files *out);

/** Free the paths; the struct itself is the caller's. */
void rill_slice_files_destroy(rill_slice_files *files);

#endif
