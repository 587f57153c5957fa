/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file printable.h
 * Texts from files and names of files for a terminal, on which a control character could do anything.
 */
#ifndef RILL_CORE_PRINTABLE_H
#define RILL_CORE_PRINTABLE_H

#include <stddef.h>

/**
 * Return a copy of a text with its control characters escaped: those below U+0020, U+007F to U+009F, the
 * line and paragraph separators and those that change the direction of writing as \u{9b}, bytes that are not
 * UTF-8 as \x9b.
 * @return the caller frees it; NULL: out of memory
 */
char *rill_printable(const char *text);

/** As rill_printable(), into `size` bytes, at least 1: what does not fit is cut off. Needs no memory. */
void rill_printable_into(char *to, size_t size, const char *text);

/**
 * Return a copy of a JSON document in which the control characters that JSON allows, those from U+007F, are
 * written as \u009b: its meaning is the same.
 * @return the caller frees it; NULL: out of memory
 */
char *rill_printable_json(const char *text);

#endif
