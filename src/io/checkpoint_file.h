/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file checkpoint_file.h
 * The checkpoint of one run, which is written now and then and where the run is cancelled.
 */
#ifndef RILL_IO_CHECKPOINT_FILE_H
#define RILL_IO_CHECKPOINT_FILE_H

#include "io/checkpoint.h"

#include <signal.h>

/** A file that is written now and then. */
typedef struct rill_checkpoint_file {
    const char *path;           /**< borrowed; NULL: none is written */
    double every, saved;        /**< s of wall clock between files; when the last one was written */
    const char *counted;        /**< what messages count: "iterations" */
    char run[17], geometry[17]; /**< what it belongs to, as the next */
    char variant[128];
    volatile sig_atomic_t *asked; /**< not 0: one is to be written, which clears it; NULL: nobody asks */
    bool resuming;                /**< what was left is still to be put in */
    bool own;                     /**< the file is that of this run: it was read or written */
} rill_checkpoint_file;

/**
 * Say what the file belongs to.
 * @param path     NULL: there is none, and all else does nothing
 * @param text     all that decides on the bits beside the version, and the geometry with its boundaries
 * @param geom     as it is computed
 * @param variant  as in rill_checkpoint_key
 * @param counted  "iterations" or "steps"; must outlive the file
 */
rill_status rill_checkpoint_file_open(const char *path, double every, bool resume, const char *text,
                                      const rill_geom *geom, const char *variant, const char *counted,
                                      rill_checkpoint_file *out);

/** Read parts of the file. @param[out] made  that it was written after; may be NULL */
rill_status rill_checkpoint_file_read(rill_checkpoint_file *file, const rill_checkpoint_part *parts,
                                      int count, uint64_t *made);

/** Return whether rill_checkpoint_file_keep() writes. @param came  as there */
bool rill_checkpoint_file_due(const rill_checkpoint_file *file, rill_status came);

/** Write the file, if it is due or `came` says that the run is cancelled.
 * @return as `came`, or a failure to write where it is cancelled: else a note is shown, and the run goes on
 */
rill_status rill_checkpoint_file_keep(rill_checkpoint_file *file, rill_status came, uint64_t made,
                                      const rill_checkpoint_part *parts, int count);

/** Remove the file, if it is of this run, once the result is there.
 * @param stays  leave it until the result is written @return whether it is of this run and was left */
bool rill_checkpoint_file_end(const rill_checkpoint_file *file, bool stays);

#endif
