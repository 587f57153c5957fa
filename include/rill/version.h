/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/version.h
 * The version of the interface, and of the library.
 */
#ifndef RILL_PUBLIC_VERSION_H
#define RILL_PUBLIC_VERSION_H

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header: the only place that states it. */
#define RILL_VERSION_MAJOR 0 /**< changes when the interface changes incompatibly */
#define RILL_VERSION_MINOR 2 /**< changes when something is added */
#define RILL_VERSION_PATCH 0 /**< changes when something is corrected */

/**
 * Return the version of the library.
 * @return "MAJOR.MINOR.PATCH", followed by the git revision if it was known
 */
const char *rill_version(void);

#ifdef __cplusplus
}
#endif

#endif
