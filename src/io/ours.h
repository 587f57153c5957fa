/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ours.h
 * What the files of rill say at their beginning: format, its version, build; and whether a file is one.
 */
#ifndef RILL_IO_OURS_H
#define RILL_IO_OURS_H

#include "io/hdf5.h"

#include <stdbool.h>

enum { RILL_FORMAT_VERSION = 1 /**< of every format; attribute "format_version" */ };

/** Write format, version and build. @param[in] format  "rill-..." */
rill_status rill_format_write(rill_h5_file *file, const char *format);

/** Read what rill_format_write() wrote; all who read a file of rill begin with it.
 * @param[out] format  the caller frees it; NULL where the file states none
 * @return RILL_USAGE where a format of rill has no version, or another one than this rill reads */
rill_status rill_format_read(rill_h5_file *file, char **format);

/** Return whether a file is one that rill writes, a geometry or a result, and no image: HDF5 with its
 * attribute "format", HDF5 that is damaged, or another file that is named like them. */
bool rill_file_is_ours(const char *path);

#endif
