/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file h5.h
 * What all users of the HDF5 library share: one thread at a time, no printing of errors, and their reason as
 * text.
 */
#ifndef RILL_CORE_H5_H
#define RILL_CORE_H5_H

#include <hdf5.h>
#include <stdbool.h>

/** HDF5 is one thread's while one of our functions runs, and does not print errors: before the first call of
 * HDF5 in every function that others call. */
typedef struct rill_h5_quiet {
    H5E_auto2_t fn;
    void *data;
    int error; /* errno before */
} rill_h5_quiet;

rill_h5_quiet rill_h5_quiet_begin(void);
void rill_h5_quiet_end(rill_h5_quiet *quiet);

#define RILL_H5_QUIET                                                                                        \
    rill_h5_quiet quiet_guard __attribute__((unused, cleanup(rill_h5_quiet_end))) = rill_h5_quiet_begin()

enum { RILL_H5_REASON = 240 /**< bytes of a reason */ };

/** Write the innermost description of the last error; "" when there is none. */
void rill_h5_reason(char text[RILL_H5_REASON]);

/** Return whether an allocation has failed since rill_h5_quiet_begin(): HDF5 has one error code for all. */
bool rill_h5_lacks_memory(void);

/** Return whether an allocation has failed in any of our functions: HDF5 may have reported something that is
 * there as missing. A signal handler may call it. */
bool rill_h5_lacked_memory(void);

/** Return whether a path is a regular file that HDF5 may open: its signature is at the beginning, or behind a
 * block of another program, as MATLAB 7.3 writes it. */
bool rill_h5_begins(const char *path);

/** Read an attribute of exactly `count` numbers into `values`. @param memory  a native type; where it is an
 * integer, so must be the attribute. @return false, with `values` undefined, when it is anything else */
bool rill_h5_attribute_numbers(hid_t attribute, hid_t memory, uint64_t count, void *values);

/** Read an attribute that is one text, of fixed or variable length. @param most  bytes
 * @return the caller frees it; NULL when it is anything else or a longer text of fixed length */
char *rill_h5_attribute_text(hid_t attribute, size_t most);

/** Close any kind of HDF5 object; invalid ones are left alone. @return false when HDF5 says that it failed */
bool rill_h5_release(hid_t id);

#endif
