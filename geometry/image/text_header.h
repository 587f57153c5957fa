/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text headers in front of voxels, as NRRD and MetaImage have them: fields of lines, and the data that they
 * point to.
 */
#ifndef RILL_GEOMETRY_IMAGE_TEXT_HEADER_H
#define RILL_GEOMETRY_IMAGE_TEXT_HEADER_H

#include "geometry/image/image_priv.h"

enum { RILL_HEADER_BYTES = 1 << 16, RILL_HEADER_FIELD = 1024 };

/* A field that matters: its name, and where the char [RILL_HEADER_FIELD] for its text is in the header. */
typedef struct rill_header_field {
    const char *name;
    size_t offset;
} rill_header_field;

/* A format: what its header is, and how it is taken in, in this order. Headers begin as zeros. */
typedef struct rill_header_format {
    const char *name;
    size_t size;
    rill_status (*read)(char *head, size_t length, void *header); /* may cut `head` into pieces */
    rill_status (*voxels)(void *header, rill_image *image);
    rill_status (*spacing)(const void *header, rill_image *image);
    rill_status (*data)(const void *header, const char *path, rill_image *image);
} rill_header_format;

/* Open an image whose file begins with a header. */
rill_status rill_header_open(const rill_header_format *format, const char *path, rill_image *image);

/* End a line with NUL. @return the next one, `end` behind the last; *whole says whether the line had an end
 */
char *rill_header_line(char *line, char *end, bool *whole);

/* Take blanks off the end of a text. @return text */
char *rill_header_trim(char *text);

/* Keep the text of a field. @param fields end with a NULL name @param compare strcmp or strcasecmp */
rill_status rill_header_keep(const rill_header_field *fields, int (*compare)(const char *, const char *),
                             const char *name, const char *text, void *header);

/* Read the number of axes, 2 or 3, and the sizes. The first texts of a pair begin its message: "NDims is" */
rill_status rill_header_sizes(const char *const rank[2], const char *const sizes[2], int *axes,
                              uint64_t n[3]);

/* Set the origin from the centre of the first voxel. @param unit in metres */
void rill_header_origin(rill_image *image, const double centre[3], double unit);

/* Return the path of the voxels, which the caller frees: that of the header, or of a file that it names, and
 * then the header becomes a further file of the image. @param name NULL: behind the header */
rill_status rill_header_data(const char *path, const char *name, rill_image *image, char **data);

#endif
