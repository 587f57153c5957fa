/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A file that is read byte by byte, from any place on: files of text, and text between binary data.
 */
#ifndef RILL_GEOMETRY_IMAGE_TEXT_INPUT_H
#define RILL_GEOMETRY_IMAGE_TEXT_INPUT_H

#include "geometry/image/image_priv.h"

enum { RILL_TEXT_CHUNK = 1 << 16, RILL_TEXT_WORD = 64 /* bytes of a number, at most, with its NUL */ };

typedef struct rill_text_input {
    int fd;
    uint64_t length; /* of the file */
    uint64_t offset; /* in the file, of the byte behind the chunk */
    size_t at, filled;
    unsigned char chunk[RILL_TEXT_CHUNK];
} rill_text_input;

/* Open a file. */
rill_status rill_text_open(const char *path, rill_text_input **out);

/* Close a file; NULL is allowed. */
void rill_text_close(rill_text_input *input);

/* Fill the chunk with what comes next; nothing at the end of the file. */
rill_status rill_text_fill(rill_text_input *input);

/* Read the next byte; -1 at the end of the file. */
static inline rill_status rill_text_next(rill_text_input *input, int *byte)
{
    if (input->at == input->filled) {
        const rill_status status = rill_text_fill(input);
        if (status != RILL_OK) return status;
    }
    *byte = input->at < input->filled ? input->chunk[input->at++] : -1;
    return RILL_OK;
}

/* Return where the next byte is in the file. */
static inline uint64_t rill_text_tell(const rill_text_input *input)
{
    return input->offset - (input->filled - input->at);
}

/* Go to a place in the file. */
void rill_text_seek(rill_text_input *input, uint64_t offset);

/* Read the next line, without its end. @param[out] whole  false: it is longer than the text, or the file ends
 * before it */
rill_status rill_text_line(rill_text_input *input, char *text, size_t size, bool *whole);

/* Pass over a number of words between blanks. @return RILL_USAGE where the file ends before */
rill_status rill_text_pass(rill_text_input *input, uint64_t words);

#endif
