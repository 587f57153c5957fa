/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file checksum.h
 * A checksum of a whole file, in 32 bytes after the end of its HDF5 part, which HDF5 does not read. It covers
 * every byte: also contiguous data, exchanged chunks and lost attributes, which the sums inside an HDF5 file
 * do not. A program that changes the file by HDF5 removes it, because HDF5 cuts a file at its own end.
 * docs/files.md describes the bytes.
 */
#ifndef RILL_IO_CHECKSUM_H
#define RILL_IO_CHECKSUM_H

#include "rill.h"

/** What the checksum of a file says. */
typedef enum rill_checksum {
    RILL_CHECKSUM_ABSENT, /**< there is none: an older version or another program wrote the file */
    RILL_CHECKSUM_GOOD,
    RILL_CHECKSUM_WRONG
} rill_checksum;

/**
 * Compute the checksum of what a file holds and append it.
 * @param[in] path  for messages
 * @return RILL_SYSTEM when the file cannot be read or written
 */
rill_status rill_checksum_append(int descriptor, const char *path);

/** Compare the checksum of a file with its bytes, which are read once. @return RILL_USAGE when the file
 * cannot be read */
rill_status rill_checksum_compare(int descriptor, const char *path, rill_checksum *out);

/** Check a file as `rill info --verify` does. @return RILL_USAGE when the checksum is wrong or absent */
rill_status rill_checksum_verify(const char *path);

/** Record that a file is damaged. @return RILL_USAGE */
rill_status rill_checksum_fail(const char *path);

#endif
