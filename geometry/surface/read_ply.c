/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PLY, ASCII and binary. Elements and properties may come in any order; of "vertex" x, y, z are read, of
 * "face" the list vertex_indices (or vertex_index), all others are passed over.
 */
#include "geometry/surface/surface_file_priv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 16, PROPERTIES = 64, CORNERS = 256 };

typedef enum number { I8, U8, I16, U16, I32, U32, F32, F64, NUMBERS } number;
typedef enum role { OTHER, X, Y, Z, CORNER_LIST } role;
typedef enum coding { ASCII, LITTLE, BIG } coding;

typedef struct property {
    bool list;
    number count, type;
    role role;
} property;

typedef struct element {
    bool vertex, face;
    uint64_t count;
    int properties;
    property property[PROPERTIES];
} element;

typedef struct ply {
    rill_surface_text *text;
    rill_mesh *mesh;
    coding coding;
    int elements;
    element element[ELEMENTS];
} ply;

static const size_t sizes[NUMBERS] = {1, 1, 2, 2, 4, 4, 4, 8};

/* ---- header ---------------------------------------------------------------------------------- */

static rill_status number_of(const ply *p, rill_word_of_text word, number *out)
{
    static const char *const names[NUMBERS][2] = {
        {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
        {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
    for (number n = I8; n < NUMBERS; n++)
        if (rill_surface_is(word, names[n][0]) || rill_surface_is(word, names[n][1])) {
            *out = n;
            return RILL_OK;
        }
    return rill_surface_fail(p->text, "\"%.*s\" is not a number type of PLY",
                             (int)(word.length < 40 ? word.length : 40), word.text);
}

static rill_status read_format(ply *p)
{
    static const char *const names[] = {"ascii", "binary_little_endian", "binary_big_endian"};
    const rill_word_of_text word = rill_surface_word(p->text);
    for (coding c = ASCII; c <= BIG; c++)
        if (rill_surface_is(word, names[c])) {
            p->coding = c;
            return RILL_OK;
        }
    return rill_surface_fail(p->text, "\"%.*s\" is not a format of PLY: there are %s, %s and %s",
                             (int)(word.length < 40 ? word.length : 40), word.text, names[0], names[1],
                             names[2]);
}

static rill_status read_element(ply *p)
{
    const rill_word_of_text name = rill_surface_word(p->text), count = rill_surface_word(p->text);
    char *end = NULL;
    if (p->elements == ELEMENTS)
        return rill_surface_fail(p->text, "more than %d elements are named: leave out what is not needed",
                                 ELEMENTS);
    element *e = &p->element[p->elements++];
    *e = (element){.vertex = rill_surface_is(name, "vertex"), .face = rill_surface_is(name, "face")};
    e->count = count.length && *count.text != '-' ? strtoull(count.text, &end, 10) : 0;
    if (end != count.text + count.length || e->count > p->text->size)
        return rill_surface_fail(
            p->text, "\"%.*s\" elements cannot be in a file of %llu bytes: it is truncated or damaged",
            (int)(count.length < 40 ? count.length : 40), count.text, (unsigned long long)p->text->size);
    return RILL_OK;
}

static rill_status read_property(ply *p)
{
    rill_status status = RILL_OK;
    property q = {0};
    if (p->elements == 0) return rill_surface_fail(p->text, "a property stands before any element");
    element *e = &p->element[p->elements - 1];
    if (e->properties == PROPERTIES)
        return rill_surface_fail(p->text, "the element has more than %d properties: leave some out",
                                 PROPERTIES);
    rill_word_of_text word = rill_surface_word(p->text);
    q.list = rill_surface_is(word, "list");
    if (q.list) {
        RILL_TRY(number_of(p, rill_surface_word(p->text), &q.count));
        if (q.count >= F32) return rill_surface_fail(p->text, "the length of a list is not a whole number");
        word = rill_surface_word(p->text);
    }
    RILL_TRY(number_of(p, word, &q.type));
    word = rill_surface_word(p->text);
    if (e->vertex && !q.list && word.length == 1 && *word.text >= 'x' && *word.text <= 'z')
        q.role = (role)(X + (*word.text - 'x'));
    if (e->face && q.list &&
        (rill_surface_is(word, "vertex_indices") || rill_surface_is(word, "vertex_index")))
        q.role = CORNER_LIST;
    e->property[e->properties++] = q;
done:
    return status;
}

/* What is read must be there, vertices before the faces that name them. */
static rill_status check_header(const ply *p)
{
    bool vertices = false, faces = false;
    for (int k = 0; k < p->elements; k++) {
        const element *e = &p->element[k];
        unsigned roles = 0;
        for (int q = 0; q < e->properties; q++) roles |= 1u << e->property[q].role;
        if (e->vertex) vertices = (roles >> X & 7) == 7;
        if (e->face) {
            if (!vertices) break;
            faces = roles >> CORNER_LIST & 1;
        }
    }
    if (vertices && faces) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "its header does not promise vertices with x, y, z and then faces with a list vertex_indices: export it as a PLY surface of polygons");
}

static rill_status read_header(ply *p)
{
    rill_status status = RILL_OK;
    rill_surface_line(p->text);
    while (rill_surface_line(p->text)) {
        const rill_word_of_text word = rill_surface_word(p->text);
        if (rill_surface_is(word, "format"))
            RILL_TRY(read_format(p));
        else if (rill_surface_is(word, "element"))
            RILL_TRY(read_element(p));
        else if (rill_surface_is(word, "property"))
            RILL_TRY(read_property(p));
        else if (rill_surface_is(word, "end_header"))
            return check_header(p);
        else if (!rill_surface_is(word, "comment") && !rill_surface_is(word, "obj_info"))
            return rill_surface_fail(p->text, "\"%.*s\" is not a word of a PLY header: the file is damaged",
                                     (int)(word.length < 40 ? word.length : 40), word.text);
    }
    return rill_fail(RILL_USAGE, "it has no end_header: it is truncated");
done:
    return status;
}

/* ---- data ------------------------------------------------------------------------------------ */

static rill_status next_binary(ply *p, number type, double *out)
{
    const size_t size = sizes[type];
    if ((uint64_t)(p->text->data + p->text->size - p->text->at) < size)
        return rill_fail(RILL_USAGE,
                         "it ends before the last element that its header promises: it is truncated");
    uint64_t word = 0;
    for (size_t b = 0; b < size; b++) {
        const size_t from = p->coding == BIG ? size - 1 - b : b;
        word |= (uint64_t)(unsigned char)p->text->at[from] << 8 * b;
    }
    p->text->at += size;
    if (type == F32) {
        const uint32_t bits = (uint32_t)word;
        float value;
        memcpy(&value, &bits, sizeof value);
        *out = (double)value;
    } else if (type == F64) {
        memcpy(out, &word, sizeof *out);
    } else {
        const bool is_signed = type == I8 || type == I16 || type == I32;
        const uint64_t top = (uint64_t)1 << (8 * size - 1);
        *out = is_signed && word & top ? (double)word - 2 * (double)top : (double)word;
    }
    return RILL_OK;
}

static rill_status next(ply *p, number type, double *out)
{
    if (p->coding != ASCII) return next_binary(p, type, out);
    return rill_surface_reals(p->text, out, 1);
}

/* Read a list; what does not fit into `values` is passed over, which the caller refuses by the count. */
static rill_status read_list(ply *p, const property *q, double *values, uint64_t *count)
{
    rill_status status = RILL_OK;
    double length = 0, passed;
    RILL_TRY(next(p, q->count, &length));
    if (!(length >= 0) || length != floor(length) || length > (double)p->text->size)
        return rill_fail(RILL_USAGE, "a list of %g items cannot be in a file of %llu bytes: it is damaged",
                         length, (unsigned long long)p->text->size);
    *count = (uint64_t)length;
    for (uint64_t k = 0; k < *count; k++) RILL_TRY(next(p, q->type, k < CORNERS ? &values[k] : &passed));
done:
    return status;
}

static rill_status add_face(ply *p, const double *values, uint64_t count, uint32_t face)
{
    uint32_t v[CORNERS];
    if (count < 3 || count > CORNERS)
        return rill_fail(RILL_USAGE, "face %u has %llu corners, not 3 to %d: repair the surface", face,
                         (unsigned long long)count, CORNERS);
    for (uint64_t k = 0; k < count; k++) {
        if (!(values[k] >= 0) || values[k] >= p->mesh->vertex_count || values[k] != floor(values[k]))
            return rill_fail(RILL_USAGE, "face %u names vertex %g and %u are there: the file is damaged",
                             face, values[k], p->mesh->vertex_count);
        v[k] = (uint32_t)values[k];
    }
    return rill_surface_polygon(p->mesh, v, count, 0);
}

static rill_status read_item(ply *p, const element *e, uint64_t item)
{
    rill_status status = RILL_OK;
    double x[3] = {0}, values[CORNERS], passed;
    if (p->coding == ASCII && !rill_surface_line(p->text))
        return rill_fail(RILL_USAGE,
                         "it ends before the last element that its header promises: it is truncated");
    for (int k = 0; k < e->properties; k++) {
        const property *q = &e->property[k];
        uint64_t count = 0;
        if (q->list) {
            RILL_TRY(read_list(p, q, values, &count));
            if (q->role == CORNER_LIST) RILL_TRY(add_face(p, values, count, (uint32_t)item));
        } else {
            RILL_TRY(next(p, q->type, q->role >= X && q->role <= Z ? &x[q->role - X] : &passed));
        }
    }
    if (e->vertex) {
        RILL_TRY(rill_surface_finite(x, "vertex", item));
        RILL_TRY(rill_mesh_add_vertex(p->mesh, x, NULL));
    }
done:
    return status;
}

rill_status rill_surface_read_ply(rill_surface_text *text, rill_mesh *mesh, const char **format)
{
    static const char *const formats[] = {"PLY, ASCII", "PLY, little-endian", "PLY, big-endian"};
    rill_status status = RILL_OK;
    uint16_t patch;
    ply *p = calloc(1, sizeof *p);
    if (!p) return rill_fail(RILL_SYSTEM, "out of memory for a PLY header");
    p->text = text;
    p->mesh = mesh;
    RILL_TRY(rill_mesh_patch(mesh, "", 0, &patch));
    RILL_TRY(read_header(p));
    *format = formats[p->coding];
    if (p->coding != ASCII) /* the data begin behind the newline of end_header */
        while (text->at < text->data + text->size && *text->at++ != '\n') {}
    for (int k = 0; k < p->elements; k++)
        for (uint64_t i = 0; i < p->element[k].count; i++) RILL_TRY(read_item(p, &p->element[k], i));
done:
    free(p);
    return status;
}
