/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hdf5_priv.h
 * What the parts of the HDF5 wrapper share.
 */
#ifndef RILL_IO_HDF5_PRIV_H
#define RILL_IO_HDF5_PRIV_H

#include "core/status.h"
#include "io/hdf5.h"
#include "core/h5_outside.h"
#include "core/output.h"

/** Where a file that is being written goes, and the first thing that went wrong there. */
typedef struct rill_h5_sink {
    int descriptor; /**< borrowed */
    int error;      /**< errno of the first failed read or write; 0: none */
} rill_h5_sink;

struct rill_h5_file {
    hid_t id;
    char *path;
    rill_output *output;     /**< NULL: open for reading */
    bool damaged;            /**< reading failed */
    rill_h5_outside outside; /**< what it may name */
    rill_h5_sink sink;
};

/**
 * Make an access list whose files live in `sink`. After a failed write the driver goes on as if all were
 * well, because HDF5 1.10 crashes when a file is closed that it could not flush; sink->error has the result.
 */
rill_status rill_h5_sink_access(rill_h5_sink *sink, hid_t *out);

/**
 * Record "cannot read|write PATH: WHAT: the innermost words of HDF5", or the sink's first error.
 * @return RILL_USAGE for a file that is read, RILL_SYSTEM for one that is written
 */
rill_status rill_h5_fail(rill_h5_file *file, const char *what, ...)
    __attribute__((format(printf, 2, 3), cold));

/** Return RILL_OK unless the sink has failed. */
rill_status rill_h5_check(const rill_h5_file *file);

/** Open an object of the file, H5I_INVALID_HID if there is none. Files that a file which is read names, by
 * links or as storage, must lie in its directory; others are refused, and rill_h5_fail() says so. */
hid_t rill_h5_object(rill_h5_file *file, const char *path);

/** Look for an object, an attribute, or go through members or attributes with this access list of the file,
 * which refuses links as rill_h5_object() does. The caller releases it. */
hid_t rill_h5_links(rill_h5_file *file);

/** Return whether no group below `path` has a link that rill_h5_object() would refuse. */
bool rill_h5_links_are_inside(rill_h5_file *file, const char *path);

#endif
