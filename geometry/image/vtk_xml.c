/* SPDX-License-Identifier: Apache-2.0 */
/* The structure of VTK's XML files, by expat. Values are not kept: only where they are. */
#include "geometry/image/vtk_xml.h"
#include "geometry/image/image_priv.h"

#include <expat.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 1 << 16, TAG_MOST = 1 << 20 /* bytes of a tag */, DEPTH_MOST = 64 /* of elements */ };

/* A file while it is parsed. */
typedef struct {
    XML_Parser xml;
    rill_vtk_file *file;
    rill_vtk_array *open; /* the array that the parser is in; NULL: none */
    char place[16];       /* the element that arrays are in; "": none that matters */
    int depth;
    uint64_t appended_tag; /* in the file, behind the tag of AppendedData; 0: not met */
    char problem[256];
} parse;

/* Note what is wrong, and end parsing. */
static void stop(parse *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void stop(parse *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!*p->problem) vsnprintf(p->problem, sizeof p->problem, format, args);
    va_end(args);
    XML_StopParser(p->xml, XML_FALSE);
}

/* The value of an attribute; "" when it is missing. */
static const char *attribute(const char *const *attributes, const char *name)
{
    for (; *attributes; attributes += 2)
        if (strcmp(attributes[0], name) == 0) return attributes[1];
    return "";
}

static void read_extent(parse *p, const char *text, int64_t extent[6])
{
    long long e[6];
    char end;
    if (sscanf(text, "%lld %lld %lld %lld %lld %lld %c", &e[0], &e[1], &e[2], &e[3], &e[4], &e[5], &end) !=
        6) {
        stop(p, "an extent is \"%.60s\": six whole numbers are needed", text);
        return;
    }
    for (int k = 0; k < 6; k++) {
        if (e[k] < -(1LL << 40) || e[k] > 1LL << 40) stop(p, "an extent is \"%.60s\", beyond 2^40", text);
        extent[k] = e[k];
    }
}

static uint64_t count_of(parse *p, const char *const *attributes, const char *name)
{
    uint64_t count = 0;
    const char *text = attribute(attributes, name);
    if (*text && !rill_text_integers(text, &count, 1))
        stop(p, "%s is \"%.40s\", which is not a number", name, text);
    return count;
}

static void start_file(parse *p, const char *const *a)
{
    const char *order = attribute(a, "byte_order"), *header = attribute(a, "header_type"),
               *compressor = attribute(a, "compressor");
    const bool big = strcmp(order, "BigEndian") == 0;
    snprintf(p->file->type, sizeof p->file->type, "%s", attribute(a, "type"));
    if (*order && !big && strcmp(order, "LittleEndian") != 0) stop(p, "byte_order is \"%.40s\"", order);
    p->file->swap = big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    p->file->header = strcmp(header, "UInt64") == 0 ? 8 : 4;
    if (*header && p->file->header == 4 && strcmp(header, "UInt32") != 0)
        stop(p, "header_type is \"%.40s\"", header);
    p->file->compressed = strcmp(compressor, "vtkZLibDataCompressor") == 0;
    if (*compressor && !p->file->compressed)
        stop(p, "its arrays are compressed by %.40s: save it with compression by zlib or without any",
             compressor);
}

static void start_image(parse *p, const char *const *a)
{
    const char *spacing = attribute(a, "Spacing");
    read_extent(p, attribute(a, "WholeExtent"), p->file->whole);
    if (*spacing && !rill_text_reals(spacing, p->file->spacing, 3))
        stop(p, "Spacing is \"%.60s\": three numbers are needed", spacing);
}

static void start_piece(parse *p, const char *const *a)
{
    rill_vtk_file *f = p->file;
    if (f->pieces++ > 0) {
        stop(
            p,
            "it has several pieces: save it as one piece, for example by Merge Blocks or Append in ParaView");
        return;
    }
    const char *extent = attribute(a, "Extent");
    memcpy(f->extent, f->whole, sizeof f->extent);
    if (*extent) read_extent(p, extent, f->extent);
    f->points = count_of(p, a, "NumberOfPoints");
    f->verts = count_of(p, a, "NumberOfVerts");
    f->lines = count_of(p, a, "NumberOfLines");
    f->strips = count_of(p, a, "NumberOfStrips");
    f->polys = count_of(p, a, "NumberOfPolys");
}

static void start_array(parse *p, const char *const *a)
{
    static const rill_grey_alias types[] = {
        {"UInt8", RILL_GREY_U8},    {"Int8", RILL_GREY_I8},    {"UInt16", RILL_GREY_U16},
        {"Int16", RILL_GREY_I16},   {"UInt32", RILL_GREY_U32}, {"Int32", RILL_GREY_I32},
        {"UInt64", RILL_GREY_U64},  {"Int64", RILL_GREY_I64},  {"Float32", RILL_GREY_F32},
        {"Float64", RILL_GREY_F64}, {NULL, RILL_GREY_U8}};
    const char *format = attribute(a, "format");
    if (p->file->arrays == RILL_VTK_ARRAYS) {
        stop(p, "it has more than %d arrays: save only those that are needed", RILL_VTK_ARRAYS);
        return;
    }
    rill_vtk_array *array = &p->file->array[p->file->arrays++];
    *array = (rill_vtk_array){.components = 1, .at = UINT64_MAX};
    snprintf(array->place, sizeof array->place, "%s", p->place);
    snprintf(array->name, sizeof array->name, "%s", attribute(a, "Name"));
    array->known = rill_grey_find(types, attribute(a, "type"), &array->type);
    if (*attribute(a, "NumberOfComponents")) array->components = count_of(p, a, "NumberOfComponents");
    array->coding = strcmp(format, "appended") == 0 ? RILL_VTK_APPENDED
                    : strcmp(format, "binary") == 0 ? RILL_VTK_BASE64
                                                    : RILL_VTK_ASCII;
    if (array->coding == RILL_VTK_APPENDED)
        array->at = count_of(p, a, "offset");
    else
        p->open = array;
}

/* Behind the tag that the parser is at. */
static uint64_t behind_tag(const parse *p)
{
    return (uint64_t)XML_GetCurrentByteIndex(p->xml) + (uint64_t)XML_GetCurrentByteCount(p->xml);
}

static void XMLCALL on_start(void *context, const char *name, const char **attributes)
{
    static const char *const places[] = {"PointData", "CellData", "Points", "Verts",
                                         "Lines",     "Strips",   "Polys"};
    parse *p = context;
    const char *const *a = attributes;
    if (p->depth == DEPTH_MOST) {
        stop(p, "it has more than %d elements within each other: it is not a VTK file", DEPTH_MOST);
        return;
    }
    if (p->depth++ == 0) {
        if (strcmp(name, "VTKFile") != 0) stop(p, "it is XML, but no VTK file");
        start_file(p, a);
    } else if (strcmp(name, "ImageData") == 0) {
        start_image(p, a);
    } else if (strcmp(name, "Piece") == 0) {
        start_piece(p, a);
    } else if (strcmp(name, "DataArray") == 0 && *p->place) {
        start_array(p, a);
    } else if (strcmp(name, "AppendedData") == 0) {
        p->file->appended_raw = strcmp(attribute(a, "encoding"), "raw") == 0;
        p->appended_tag = behind_tag(p);
        XML_StopParser(p->xml, XML_FALSE); /* raw bytes are no XML */
    }
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (strcmp(name, places[k]) == 0) snprintf(p->place, sizeof p->place, "%s", name);
}

static void XMLCALL on_end(void *context, const char *name)
{
    parse *p = context;
    p->depth--;
    if (strcmp(name, "DataArray") == 0) p->open = NULL;
    if (strcmp(name, p->place) == 0) p->place[0] = '\0';
}

/* Note where the text of an array begins. */
static void XMLCALL on_text(void *context, const char *text, int length)
{
    parse *p = context;
    if (!p->open || p->open->at != UINT64_MAX) return;
    for (int k = 0; k < length; k++)
        if (!strchr(" \t\r\n", text[k])) {
            p->open->at = (uint64_t)XML_GetCurrentByteIndex(p->xml) + (uint64_t)k;
            return;
        }
}

static void XMLCALL on_doctype(void *context, const char *name, const char *system, const char *public,
                               int internal)
{
    (void)name, (void)system, (void)public, (void)internal;
    stop(context, "it has a DOCTYPE, which VTK files have not");
}

/* Feed the parser until the end or the appended data. */
static rill_status feed(parse *p, int fd)
{
    rill_status status = RILL_OK;
    uint64_t at = 0;
    size_t got = CHUNK;
    while (got == CHUNK) {
        void *buffer = XML_GetBuffer(p->xml, CHUNK);
        if (!buffer) return rill_fail(RILL_SYSTEM, "out of memory for reading XML");
        RILL_TRY(rill_input_read(fd, at, buffer, CHUNK, &got));
        at += got;
        if (XML_ParseBuffer(p->xml, (int)got, got < CHUNK) == XML_STATUS_ERROR) {
            const enum XML_Error code = XML_GetErrorCode(p->xml);
            if (code == XML_ERROR_NO_MEMORY) return rill_fail(RILL_SYSTEM, "out of memory for reading XML");
            if (*p->problem) return rill_fail(RILL_USAGE, "%s", p->problem);
            if (code == XML_ERROR_ABORTED) return RILL_OK;
            return rill_fail(RILL_USAGE, "line %llu is not XML (%s): the file is cut or damaged",
                             (unsigned long long)XML_GetCurrentLineNumber(p->xml), XML_ErrorString(code));
        }
        if (at - (uint64_t)XML_GetCurrentByteIndex(p->xml) > TAG_MOST)
            return rill_fail(RILL_USAGE, "it has a tag of more than %d bytes: it is not a VTK file",
                             TAG_MOST);
    }
done:
    return status;
}

/* Find the "_" in front of appended data. */
static rill_status find_appended(const parse *p, int fd)
{
    char text[256];
    size_t got;
    if (!p->appended_tag) return RILL_OK;
    const rill_status status = rill_input_read(fd, p->appended_tag, text, sizeof text, &got);
    if (status != RILL_OK) return status;
    for (size_t k = 0; k < got; k++) {
        if (text[k] == '_') {
            p->file->appended = p->appended_tag + k + 1;
            return RILL_OK;
        }
        if (!strchr(" \t\r\n", text[k])) break;
    }
    return rill_fail(RILL_USAGE, "its appended data do not begin with \"_\": the file is damaged");
}

rill_status rill_vtk_open(const char *path, rill_vtk_file **out)
{
    rill_status status = RILL_OK;
    int fd = -1;
    uint64_t length;
    parse p = {0};
    rill_vtk_file *file = calloc(1, sizeof *file);
    if (file) file->path = strdup(path);
    if (!file || !file->path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a VTK file"));
    p.file = file;
    status = rill_input_open(path, &fd, &length);
    if (status != RILL_OK) {
        fd = -1;
        goto done;
    }
    if (!(p.xml = XML_ParserCreate(NULL))) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for reading XML"));
    XML_SetUserData(p.xml, &p);
    XML_SetElementHandler(p.xml, on_start, on_end);
    XML_SetCharacterDataHandler(p.xml, on_text);
    XML_SetStartDoctypeDeclHandler(p.xml, on_doctype);
    RILL_TRY(feed(&p, fd));
    if (file->pieces == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it has no Piece: it is another kind of VTK file, or cut"));
    RILL_TRY(find_appended(&p, fd));
    *out = file;
    file = NULL;
done:
    if (p.xml) XML_ParserFree(p.xml);
    if (fd >= 0) close(fd);
    rill_vtk_close(file);
    return status;
}

void rill_vtk_close(rill_vtk_file *file)
{
    if (!file) return;
    free(file->path);
    free(file);
}

const rill_vtk_array *rill_vtk_find(const rill_vtk_file *file, const char *place, const char *name)
{
    for (int k = 0; k < file->arrays; k++)
        if (strcmp(file->array[k].place, place) == 0 && (!name || strcmp(file->array[k].name, name) == 0))
            return &file->array[k];
    return NULL;
}
