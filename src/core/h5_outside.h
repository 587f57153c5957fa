/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file h5_outside.h
 * What lies outside an HDF5 file: external links, external storage and virtual datasets; and extents that a
 * file declares without having the bytes.
 */
#ifndef RILL_CORE_H5_OUTSIDE_H
#define RILL_CORE_H5_OUTSIDE_H

#include "core/h5.h"
#include "rill.h"

/** Which other files a file may name. */
typedef struct rill_h5_outside {
    bool allowed; /**< files outside its directory are permitted: see rill_file_beside() */
    bool linked;  /**< links alone are permitted, and no storage in other files, which rill never writes */
    rill_status status; /**< of the last refusal, whose message is recorded; RILL_OK at first */
} rill_h5_outside;

/**
 * Open an object by its name. Names of other files begin at the directory of the file.
 * @param[in,out] outside  status: RILL_USAGE where the object is not opened because of another file or its
 * extent
 * @return H5I_INVALID_HID where there is no object, it needs a file that it may not name, or it declares 2048
 * times (`linked`: 16384 times) the bytes that its files have, and 64 MiB
 */
hid_t rill_h5_open_object(hid_t file, const char *name, rill_h5_outside *outside);

/** Make an access list, of links and datasets, that refuses links to files that may not be named. It borrows
 * `outside`. @return H5I_INVALID_HID without memory */
hid_t rill_h5_outside_access(rill_h5_outside *outside);

/** Return whether the file of a path may name another; if not, status is set and the message recorded. */
bool rill_h5_may_open(rill_h5_outside *outside, const char *of, const char *name);

#endif
