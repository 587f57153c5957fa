/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file read_text.h
 * Images as texts of decimal numbers: which files are some.
 */
#ifndef RILL_GEOMETRY_IMAGE_READ_TEXT_H
#define RILL_GEOMETRY_IMAGE_READ_TEXT_H

#include "geometry/image/image_priv.h"

/** What the beginning of a file is. */
typedef enum rill_text_kind {
    RILL_TEXT_NONE,   /**< no text */
    RILL_TEXT_OTHER,  /**< a text with more than numbers */
    RILL_TEXT_NUMBERS /**< numbers with something between them */
} rill_text_kind;

/** Return what kind of text bytes are. */
rill_text_kind rill_text_kind_of(const char *head, size_t length);

#endif
