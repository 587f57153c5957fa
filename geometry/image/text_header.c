/* SPDX-License-Identifier: Apache-2.0 */
/* Reads text headers in front of voxels. What their fields mean is the formats' own. */
#include "geometry/image/text_header.h"
#include "core/beside.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

rill_status rill_header_open(const rill_header_format *format, const char *path, rill_image *image)
{
    rill_status status = RILL_OK;
    char *head = NULL;
    size_t length;
    void *header = calloc(1, format->size);
    if (!header) return rill_fail(RILL_SYSTEM, "out of memory for a header of %s", format->name);
    RILL_TRY(rill_file_head(path, RILL_HEADER_BYTES, &head, &length));
    RILL_TRY(format->read(head, length, header));
    RILL_TRY(format->voxels(header, image));
    RILL_TRY(format->spacing(header, image));
    RILL_TRY(format->data(header, path, image));
done:
    free(head);
    free(header);
    return status;
}

char *rill_header_line(char *line, char *end, bool *whole)
{
    char *newline = memchr(line, '\n', (size_t)(end - line));
    *whole = newline != NULL;
    if (!newline) return end;
    *newline = '\0';
    return newline + 1;
}

char *rill_header_trim(char *text)
{
    for (size_t n = strlen(text); n && isspace((unsigned char)text[n - 1]); n--) text[n - 1] = '\0';
    return text;
}

rill_status rill_header_keep(const rill_header_field *fields, int (*compare)(const char *, const char *),
                             const char *name, const char *text, void *header)
{
    for (const rill_header_field *field = fields; field->name; field++) {
        if (compare(name, field->name) != 0) continue;
        if (strlen(text) >= RILL_HEADER_FIELD)
            return rill_fail(RILL_USAGE, "field \"%s\" is longer than %d characters", field->name,
                             RILL_HEADER_FIELD - 1);
        strcpy((char *)header + field->offset, text);
    }
    return RILL_OK;
}

rill_status rill_header_sizes(const char *const rank[2], const char *const sizes[2], int *axes, uint64_t n[3])
{
    uint64_t count;
    if (!rill_text_integers(rank[1], &count, 1) || count < 2 || count > 3)
        return rill_fail(RILL_USAGE, "%s \"%s\": 3 (or 2) is needed", rank[0], rank[1]);
    *axes = (int)count;
    if (!rill_text_integers(sizes[1], n, *axes))
        return rill_fail(RILL_USAGE, "%s \"%s\": %d positive numbers are needed", sizes[0], sizes[1], *axes);
    return RILL_OK;
}

void rill_header_origin(rill_image *image, const double centre[3], double unit)
{
    for (int a = 0; a < 3; a++) image->origin[a] = centre[a] * unit - image->spacing[a] / 2;
}

rill_status rill_header_data(const char *path, const char *name, rill_image *image, char **data)
{
    if (name) {
        const rill_status status = rill_file_beside(
            path, name, image->allow_outside ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED, data);
        return status == RILL_OK ? rill_image_add_file(image, path) : status;
    }
    *data = strdup(path);
    return *data ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for a file name");
}
