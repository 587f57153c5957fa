/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of surface_file.h share: the bytes of a file, walked through word by word. */
#ifndef RILL_GEOMETRY_SURFACE_SURFACE_FILE_PRIV_H
#define RILL_GEOMETRY_SURFACE_SURFACE_FILE_PRIV_H

#include "core/status.h"
#include "geometry/surface/surface_file.h"

/* A file in memory. */
typedef struct rill_surface_text {
    const char *data; /* [size + 1], NUL behind the last byte */
    uint64_t size;
    const char *at;
    uint64_t line; /* counted as words are taken */
} rill_surface_text;

/* A word within a text; length 0 at the end of the line or of the text. */
typedef struct rill_word_of_text {
    const char *text;
    size_t length;
} rill_word_of_text;

/* Take the next word of this line. */
rill_word_of_text rill_surface_word(rill_surface_text *text);

/* Read the rest of this line, without blanks around it: a name of several words. */
rill_word_of_text rill_surface_rest(rill_surface_text *text);

/* Go to the beginning of the next line that has a word; false at the end of the text. */
bool rill_surface_line(rill_surface_text *text);

/* Return whether a word is `name`, in any case of its letters. */
bool rill_surface_is(rill_word_of_text word, const char *name);

/* Take `count` finite numbers from this line. @return RILL_USAGE with the line and what stands there */
rill_status rill_surface_reals(rill_surface_text *text, double *values, int count);

/* Fail with the line and a printf sentence. */
rill_status rill_surface_fail(const rill_surface_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3), cold));

/* Refuse positions that are not finite. @param number  of the vertex or triangle, for the message */
rill_status rill_surface_finite(const double x[3], const char *what, uint64_t number);

/* Add a polygon as a fan of triangles, numbered as they come. */
rill_status rill_surface_polygon(rill_mesh *mesh, const uint32_t *v, uint64_t count, uint16_t patch);

/* The readers. They add to the mesh in units of the file. */
rill_status rill_surface_read_stl_binary(const rill_surface_text *text, rill_mesh *mesh);
rill_status rill_surface_read_stl_text(rill_surface_text *text, rill_mesh *mesh);
rill_status rill_surface_read_obj(rill_surface_text *text, rill_mesh *mesh);
rill_status rill_surface_read_ply(rill_surface_text *text, rill_mesh *mesh, const char **format);
rill_status rill_surface_read_vtp(const char *path, rill_mesh *mesh);

/* What a file holds, as it is in the file. @param[out] hash  of its bytes */
rill_status rill_surface_read_file(const char *path, rill_mesh **out, const char **format, uint64_t *hash);

/* All surfaces of a folder as one, each a group that is called like its file without the ending. */
rill_status rill_surface_read_folder(const char *path, rill_mesh **out, uint64_t *hash);

#endif
