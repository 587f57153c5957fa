/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file xmf.h
 * XDMF 3: XML that gives readers the physical times, and readers without VTKHDF the location of the arrays
 * are. What a file holds is read from it, so that one function handles all kinds.
 */
#ifndef RILL_IO_XMF_H
#define RILL_IO_XMF_H

#include "rill.h"

/** A file at a moment. */
typedef struct rill_xmf_moment {
    const char *path; /**< field or wall file, in the directory of the .xmf */
    double time;      /**< seconds, or steps where their length is unknown */
} rill_xmf_moment;

/**
 * Write an .xmf of one file, or of several as a series in time.
 * @return RILL_USAGE when a file is none of ours, RILL_SYSTEM for disk or memory
 */
rill_status rill_xmf_write(const rill_xmf_moment *moments, int count, const char *xmf);

#endif
