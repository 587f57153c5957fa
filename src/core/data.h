/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file data.h
 * Where rill's data lie: reference values, waveforms and cases, the folder data/ of the sources.
 */
#ifndef RILL_CORE_DATA_H
#define RILL_CORE_DATA_H

#include "rill.h"

/** What a message about missing or damaged data ends with. */
#define RILL_DATA_REMEDY                                                                                     \
    "install rill again, or set RILL_DATA to a good copy of the folder data of its sources"

/**
 * Find a file of the data. It is in the folder that the environment variable RILL_DATA names, if it is set;
 * otherwise in share/rill of the prefix that the library or the program is installed in, or in the source
 * tree that rill was built from.
 * @param[in]  name  relative to the folder, "cylinder-arrays.csv"
 * @param[out] path  [size], PATH_MAX suffices
 * @return RILL_USAGE with the remedy if the file is in none of them
 */
rill_status rill_data_path(const char *name, char *path, size_t size);

#endif
