/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decimal numbers of a text, one after the other. Between numbers of a line stand blanks, commas or
 * semicolons, of which a file has one kind; "#" begins a comment.
 */
#ifndef RILL_GEOMETRY_IMAGE_TEXT_NUMBERS_H
#define RILL_GEOMETRY_IMAGE_TEXT_NUMBERS_H

#include "geometry/image/stream.h"
#include "geometry/image/text_input.h"

typedef struct rill_number {
    double value;
    bool whole;    /* it has no fraction */
    uint64_t size; /* of a whole number that is written in digits: its exact magnitude */
    bool exact, negative;
} rill_number;

/* Read a number; false for anything else, infinity and NaN included. */
bool rill_number_read(const char *text, rill_number *out);

/* Goes through the words of a text. */
typedef struct rill_words {
    rill_text_input *input;
    int separators;       /* kinds that were met */
    uint64_t lines;       /* ends of lines before the next byte */
    bool ended, row, gap; /* of the text; a line ended before this word; a blank line or a comment did */
    char word[RILL_TEXT_WORD];
} rill_words;

/* Go to the next word. @param first  nothing stands before it. @return RILL_USAGE for words that are too long
 * for a number, and for two kinds of separators */
rill_status rill_words_next(rill_words *w, bool first);

/* Fail with the word, which is no number, and its line. */
rill_status rill_words_fail(const rill_words *w);

/* Open the numbers of a file, from a place on, as a stream of values of a type. */
rill_status rill_numbers_open(const char *path, uint64_t offset, rill_grey type, rill_byte_stream **out);

#endif
