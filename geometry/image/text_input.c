/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file byte by byte through a buffer. */
#include "geometry/image/text_input.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

rill_status rill_text_open(const char *path, rill_text_input **out)
{
    rill_text_input *input = malloc(sizeof *input);
    if (!input) return rill_fail(RILL_SYSTEM, "out of memory for reading a text");
    memset(input, 0, offsetof(rill_text_input, chunk));
    const rill_status status = rill_input_open(path, &input->fd, &input->length);
    if (status == RILL_OK)
        *out = input;
    else
        free(input);
    return status;
}

void rill_text_close(rill_text_input *input)
{
    if (!input) return;
    close(input->fd);
    free(input);
}

rill_status rill_text_fill(rill_text_input *input)
{
    input->at = 0;
    const rill_status status =
        rill_input_read(input->fd, input->offset, input->chunk, RILL_TEXT_CHUNK, &input->filled);
    input->offset += input->filled;
    return status;
}

void rill_text_seek(rill_text_input *input, uint64_t offset)
{
    input->at = input->filled = 0;
    input->offset = offset;
}

rill_status rill_text_line(rill_text_input *input, char *text, size_t size, bool *whole)
{
    rill_status status = RILL_OK;
    size_t length = 0;
    int c;
    *whole = true;
    for (;;) {
        RILL_TRY(rill_text_next(input, &c));
        if (c < 0 || c == '\n') break;
        if (length + 1 < size)
            text[length++] = (char)c;
        else
            *whole = false;
    }
    if (c < 0) *whole = false;
    if (length && text[length - 1] == '\r') length--;
    text[length] = '\0';
done:
    return status;
}

rill_status rill_text_pass(rill_text_input *input, uint64_t words)
{
    rill_status status = RILL_OK;
    bool within = false;
    int c;
    while (words > 0) {
        RILL_TRY(rill_text_next(input, &c));
        const bool blank = c < 0 || c == ' ' || (c >= '\t' && c <= '\r');
        words -= within && blank;
        within = !blank;
        if (c < 0 && words > 0)
            return rill_fail(RILL_USAGE, "it ends %llu numbers too early: it is cut",
                             (unsigned long long)words);
    }
done:
    return status;
}
