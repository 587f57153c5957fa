/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file ours.h
 * Whether a file is one of rill, by its content.
 */
#ifndef RILL_IO_OURS_H
#define RILL_IO_OURS_H

#include <stdbool.h>

/** Return whether a file is one that rill writes, a geometry or a result, and no image: HDF5 with its
 * attribute "format", HDF5 that is damaged, or another file that is named like them. */
bool rill_file_is_ours(const char *path);

#endif
