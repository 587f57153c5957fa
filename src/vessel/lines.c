/* SPDX-License-Identifier: Apache-2.0 */
#include "vessel/lines.h"

#include "core/status.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

rill_status rill_lines_next(rill_lines *lines, const char *what, bool *more)
{
    while (fgets(lines->text, sizeof lines->text, lines->file)) {
        lines->line++;
        size_t length = strlen(lines->text);
        if (length + 1 == sizeof lines->text && lines->text[length - 1] != '\n')
            return rill_fail(RILL_USAGE, "%s:%d: a line of more than %d characters is no row of %s",
                             lines->path, lines->line, RILL_LINE_MOST - 2, what);
        while (length > 0 && isspace((unsigned char)lines->text[length - 1])) lines->text[--length] = '\0';
        char *start = lines->text;
        if (lines->line == 1 && strncmp(start, "\xef\xbb\xbf", 3) == 0)
            start += 3; /* spreadsheets write it */
        while (isspace((unsigned char)*start)) start++;
        memmove(lines->text, start, strlen(start) + 1);
        *more = true;
        if (lines->text[0] != '\0') return RILL_OK;
    }
    *more = false;
    if (ferror(lines->file))
        return rill_fail(RILL_SYSTEM, "cannot read %s: %s", lines->path, strerror(errno));
    return RILL_OK;
}
