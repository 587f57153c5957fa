/* SPDX-License-Identifier: Apache-2.0 */
#include "vessel/observe/lines.h"

#include "core/reading.h"
#include "core/status.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

rill_status rill_lines_open(const char *path, const char *what, rill_lines *out)
{
    struct stat info;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *stream = file >= 0 ? fdopen(file, "r") : NULL;
    if (!stream) {
        const int error = errno;
        if (file >= 0) close(file);
        return rill_fail_reading(error, path, "cannot read %s %s", what, path);
    }
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode)) {
        fclose(stream);
        return rill_fail(RILL_USAGE, "%s %s is not a regular file", what, path);
    }
    *out = (rill_lines){.path = path, .file = stream};
    return RILL_OK;
}

rill_status rill_lines_next(rill_lines *lines, const char *what, bool *more)
{
    while (fgets(lines->text, sizeof lines->text, lines->file)) {
        lines->line++;
        size_t length = strlen(lines->text);
        if (length + 1 == sizeof lines->text && lines->text[length - 1] != '\n')
            return rill_fail(RILL_USAGE, "%s:%d: a line of more than %d characters is not a row of %s",
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

rill_status rill_lines_row(rill_lines *lines, const char *what, bool *more)
{
    rill_status status;
    do status = rill_lines_next(lines, what, more);
    while (status == RILL_OK && *more && lines->text[0] == '#');
    return status;
}

void rill_lines_title(char *title, char **name, char **unit)
{
    char *open = strpbrk(title, "[("), *end;
    *unit = "";
    if (open) {
        *unit = open + 1;
        end = strpbrk(*unit, "])");
        if (end) *end = '\0';
        *open = '\0';
    }
    while (isspace((unsigned char)*title)) title++;
    for (end = title + strlen(title); end > title && isspace((unsigned char)end[-1]);) *--end = '\0';
    *name = title;
}

rill_status rill_lines_unit(const rill_lines *lines, const char *name, const char *unit, const char *wanted,
                            const char *header, double *scale)
{
    char text[RILL_LINE_MOST + 8];
    *scale = 1;
    if (unit[0] == '\0' && strcmp(wanted, "1") == 0) return RILL_OK;
    if (unit[0] == '\0')
        return rill_fail(RILL_USAGE, "%s:%d: column \"%s\" has no unit: write a header such as \"%s\"",
                         lines->path, lines->line, name, header);
    snprintf(text, sizeof text, "1 %s", unit);
    const rill_status status = rill_units_parse(text, wanted, scale);
    if (status != RILL_OK) rill_fail_prefix("%s:%d: column \"%s\"", lines->path, lines->line, name);
    return status;
}
