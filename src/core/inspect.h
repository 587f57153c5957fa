/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file inspect.h
 * HDF5 files that this process did not write are read by another program first, rill-inspect (src/inspect),
 * under limits of time and memory: the HDF5 library crashes on some damaged files. That program reads with
 * the functions that call rill_inspect() here; there, rill_inspect_here() makes them go on by themselves.
 */
#ifndef RILL_CORE_INSPECT_H
#define RILL_CORE_INSPECT_H

#include "core/h5.h"
#include "rill.h"

#include <sys/stat.h>

/** How the file will be read. */
typedef struct rill_inspection {
    const char *kind; /**< "file": one of rill's; "image" */
    const char *name; /**< of the dataset; NULL: none is named */
    bool outside;     /**< files outside its directory are permitted */
} rill_inspection;

/** How often a file is read that other programs replace meanwhile. */
enum { RILL_INSPECT_TRIES = 10 };

/**
 * Let rill-inspect read a file, unless this process has written it or had it inspected since it was changed.
 * @param descriptor  of the file, open until it is read: no other file gets its inode until then
 * @param[out] inspected  which file that was
 * @return RILL_USAGE, with a message that does not name the file, when that program crashed or met a limit,
 * RILL_SYSTEM when there is none
 */
rill_status rill_inspect(const char *path, int descriptor, const rill_inspection *how,
                         struct stat *inspected);

/** Return whether a path names another file by now than a descriptor: what failed with that one may be tried
 * with the other. Bytes that change in place are no reason. */
bool rill_inspect_is_replaced(const char *path, int descriptor);

/** Return RILL_OK if the file that HDF5 has opened is the inspected one, and has not changed. */
rill_status rill_inspect_same(hid_t file, const struct stat *inspected);

/** Remember that this process wrote a file. @param[in] before  of its descriptor before it got its name */
void rill_inspect_written(const char *path, const struct stat *before);

/**
 * Let rill-inspect make a copy of fields, as rill_fields_copy() does there. What it leaves after a crash is
 * removed.
 * @return its status with its message; RILL_USAGE when it crashed
 */
rill_status rill_inspect_copy(const char *from, const char *to);

/** This process is rill-inspect, or accepts crashes: it inspects for itself. @param which  the file, as
 * an argument of rill-inspect names it; NULL: any */
void rill_inspect_here(const char *which);

/** Return whether this process inspects for itself. */
bool rill_inspect_is_here(void);

/** Return whether, in rill-inspect, a file was not the one that its arguments name. */
bool rill_inspect_missed(void);

#endif
