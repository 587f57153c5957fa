/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file beside.h
 * Files that other files name: the data of a header, the waveform of a case. A file from a stranger must not
 * make rill read any file of its user, or wait for a device.
 */
#ifndef RILL_CORE_BESIDE_H
#define RILL_CORE_BESIDE_H

#include "rill.h"

#include <stdbool.h>

/** What becomes of files outside the directory of the file that names them. */
typedef enum rill_file_outside {
    RILL_OUTSIDE_NEVER,  /**< they are refused */
    RILL_OUTSIDE_ASKED,  /**< they are refused, and the message names the option that permits them */
    RILL_OUTSIDE_ALLOWED /**< they are permitted */
} rill_file_outside;

/**
 * Find a file that another file names. Relative names begin at the directory of the file that names them. A
 * file that does not exist is found, too: opening it fails.
 * @param[in]  of       path of the file that names it
 * @param[in]  name     the name
 * @param[in]  outside  what becomes of files outside the directory of `of`: absolute names, "..", and
 * symbolic links that lead out of it
 * @param[out] path     the caller frees it
 * @return RILL_USAGE for a file outside that is not permitted, and for one that is no regular file, always
 */
rill_status rill_file_beside(const char *of, const char *name, rill_file_outside outside, char **path);

#endif
