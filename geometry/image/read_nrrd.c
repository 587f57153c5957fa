/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NRRD (teem.sourceforge.net/nrrd/format.html), data in the same file or in another, raw, gzip or ASCII.
 * Orientation is not used: file axis 0, the fastest, goes to x. Not read: bzip2 data, data spread over
 * several files, blocks, axes that are not space.
 */
#include "geometry/image/text_header.h"

#include "core/decimal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = RILL_HEADER_FIELD };

/* The fields that matter, as they stand in the header; "" when missing. */
typedef struct {
    char type[FIELD], dimension[FIELD], sizes[FIELD], encoding[FIELD], endian[FIELD], spacings[FIELD],
        directions[FIELD], units[FIELD], axis_units[FIELD], origin[FIELD], data_file[FIELD], line_skip[FIELD],
        byte_skip[FIELD], kinds[FIELD];
    int axes;      /* 2 or 3 */
    bool separate; /* the header ended without the blank line before attached data */
    uint64_t end;  /* where attached data starts */
} header;

static const rill_grey_alias types[] = {{"signed char", RILL_GREY_I8},
                                        {"int8", RILL_GREY_I8},
                                        {"int8_t", RILL_GREY_I8},
                                        {"uchar", RILL_GREY_U8},
                                        {"unsigned char", RILL_GREY_U8},
                                        {"uint8", RILL_GREY_U8},
                                        {"uint8_t", RILL_GREY_U8},
                                        {"short", RILL_GREY_I16},
                                        {"short int", RILL_GREY_I16},
                                        {"signed short", RILL_GREY_I16},
                                        {"signed short int", RILL_GREY_I16},
                                        {"int16", RILL_GREY_I16},
                                        {"int16_t", RILL_GREY_I16},
                                        {"ushort", RILL_GREY_U16},
                                        {"unsigned short", RILL_GREY_U16},
                                        {"unsigned short int", RILL_GREY_U16},
                                        {"uint16", RILL_GREY_U16},
                                        {"uint16_t", RILL_GREY_U16},
                                        {"int", RILL_GREY_I32},
                                        {"signed int", RILL_GREY_I32},
                                        {"int32", RILL_GREY_I32},
                                        {"int32_t", RILL_GREY_I32},
                                        {"uint", RILL_GREY_U32},
                                        {"unsigned int", RILL_GREY_U32},
                                        {"uint32", RILL_GREY_U32},
                                        {"uint32_t", RILL_GREY_U32},
                                        {"longlong", RILL_GREY_I64},
                                        {"long long", RILL_GREY_I64},
                                        {"long long int", RILL_GREY_I64},
                                        {"signed long long", RILL_GREY_I64},
                                        {"signed long long int", RILL_GREY_I64},
                                        {"int64", RILL_GREY_I64},
                                        {"int64_t", RILL_GREY_I64},
                                        {"ulonglong", RILL_GREY_U64},
                                        {"unsigned long long", RILL_GREY_U64},
                                        {"unsigned long long int", RILL_GREY_U64},
                                        {"uint64", RILL_GREY_U64},
                                        {"uint64_t", RILL_GREY_U64},
                                        {"float", RILL_GREY_F32},
                                        {"double", RILL_GREY_F64},
                                        {NULL, RILL_GREY_U8}};

static const rill_header_field fields[] = {{"type", offsetof(header, type)},
                                           {"dimension", offsetof(header, dimension)},
                                           {"sizes", offsetof(header, sizes)},
                                           {"encoding", offsetof(header, encoding)},
                                           {"endian", offsetof(header, endian)},
                                           {"spacings", offsetof(header, spacings)},
                                           {"space units", offsetof(header, units)},
                                           {"units", offsetof(header, axis_units)},
                                           {"space directions", offsetof(header, directions)},
                                           {"space origin", offsetof(header, origin)},
                                           {"data file", offsetof(header, data_file)},
                                           {"datafile", offsetof(header, data_file)},
                                           {"line skip", offsetof(header, line_skip)},
                                           {"lineskip", offsetof(header, line_skip)},
                                           {"byte skip", offsetof(header, byte_skip)},
                                           {"byteskip", offsetof(header, byte_skip)},
                                           {"kinds", offsetof(header, kinds)},
                                           {0}};

/* Go through the lines up to the blank one or the end of the file; `head` is cut into pieces. */
static rill_status read_fields(char *head, size_t length, void *into)
{
    rill_status status = RILL_OK;
    header *h = into;
    bool whole;
    if (length < 8 || memcmp(head, "NRRD000", 7) != 0)
        return rill_fail(RILL_USAGE, "it does not start with \"NRRD000\"");
    h->separate = true;
    for (char *line = head, *next; line < head + length; line = next) {
        next = rill_header_line(line, head + length, &whole);
        if (!whole && length == RILL_HEADER_BYTES)
            return rill_fail(RILL_USAGE, "its NRRD header is longer than %d bytes", RILL_HEADER_BYTES);
        rill_header_trim(line);
        if (*line == '\0' && whole) {
            h->separate = false;
            h->end = (uint64_t)(next - head);
            break;
        }
        char *colon = strstr(line, ": ");
        if (line == head || *line == '#' || strstr(line, ":=")) continue;
        if (!colon && line[strlen(line) ? strlen(line) - 1 : 0] == ':') continue; /* a field without value */
        if (!colon)
            return rill_fail(RILL_USAGE, "\"%.40s\" is no \"field: value\" line of an NRRD header", line);
        *colon = '\0';
        RILL_TRY(rill_header_keep(fields, strcasecmp, line, colon + 2 + strspn(colon + 2, " \t"), h));
    }
done:
    return status;
}

static bool is_text(const header *h)
{
    return strcasecmp(h->encoding, "ascii") == 0 || strcasecmp(h->encoding, "text") == 0 ||
           strcasecmp(h->encoding, "txt") == 0;
}

static bool holds(const char *text, const char *word)
{
    for (; *text; text++)
        if (strncasecmp(text, word, strlen(word)) == 0) return true;
    return false;
}

/* Return which components the kind of an axis of several values names, such as "color"; NULL: none. */
static const char *components_of(const header *h, const uint64_t n[3])
{
    static const char *const names[] = {"color",    "vector", "complex", "normal",
                                        "gradient", "point",  "matrix",  "quaternion"};
    char kinds[FIELD], *rest = kinds;
    snprintf(kinds, sizeof kinds, "%s", h->kinds);
    for (int a = 0; a < h->axes; a++) {
        const char *kind = strtok_r(a ? NULL : kinds, " \t", &rest);
        for (size_t k = 0; kind && n[a] > 1 && k < sizeof names / sizeof *names; k++)
            if (holds(kind, names[k])) return names[k];
    }
    return NULL;
}

static rill_status settle_voxels(void *read, rill_image *image)
{
    header *h = read;
    uint64_t n[3];
    if (!*h->type || !*h->dimension || !*h->sizes || !*h->encoding)
        return rill_fail(RILL_USAGE, "its NRRD header lacks \"%s\": the file is cut or damaged",
                         !*h->type        ? "type"
                         : !*h->dimension ? "dimension"
                         : !*h->sizes     ? "sizes"
                                          : "encoding");
    if (!rill_grey_find(types, h->type, &image->type))
        return rill_fail(RILL_USAGE, "its type is \"%s\": integers and floats of 1 to 8 bytes are read",
                         h->type);
    const rill_status status =
        rill_header_sizes((const char *const[]){"its dimension is", h->dimension},
                          (const char *const[]){"its sizes are", h->sizes}, &h->axes, n);
    if (status != RILL_OK) return status;
    const char *components = components_of(h, n);
    if (components)
        return rill_fail(
            RILL_USAGE,
            "its kinds are \"%s\": an axis of %s is no axis of a volume: save one component by itself",
            h->kinds, components);
    const bool big = strcasecmp(h->endian, "big") == 0, little = strcasecmp(h->endian, "little") == 0;
    if (!big && !little && rill_grey_size(image->type) > 1 && !is_text(h))
        return rill_fail(RILL_USAGE, "its endian is \"%s\": big or little is needed for type %s", h->endian,
                         h->type);
    image->swap = rill_grey_size(image->type) > 1 && big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return rill_image_set_size(image, n, h->axes);
}

/* Read "(1,0,0) (0,1,0) (0,0,1)" as lengths; false when it is anything else. */
static bool read_directions(const char *c, double *length, int rank)
{
    for (int a = 0; a < rank; a++) {
        double square = 0;
        c += strspn(c, " \t");
        if (*c++ != '(') return false;
        for (;;) {
            double v;
            const char *end = rill_decimal_at(c + strspn(c, " \t"), &v);
            if (!end) return false;
            square += v * v;
            c = end + strspn(end, " \t");
            if (*c == ')') break;
            if (*c++ != ',') return false;
        }
        c++;
        length[a] = sqrt(square);
    }
    return c[strspn(c, " \t")] == '\0';
}

/* Read quoted units, "um" "um" "um", as metres. @return how many are lengths, up to one that is none or
 * `count` */
static int read_units(const char *c, double *metres, int count)
{
    int known = 0;
    for (; known < count && (c = strchr(c, '"')); known++) {
        char unit[32];
        const char *end = strchr(++c, '"');
        if (!end || (size_t)(end - c) >= sizeof unit) break;
        snprintf(unit, sizeof unit, "%.*s", (int)(end - c), c);
        metres[known] = rill_image_unit(unit);
        if (!(metres[known] > 0)) break;
        c = end + 1;
    }
    return known;
}

static int count_quoted(const char *c)
{
    int marks = 0;
    for (; (c = strchr(c, '"')) != NULL; c++) marks++;
    return marks / 2;
}

/*
 * Metres of the spacing along each axis. Those of "units" belong to axes; those of "space units" to the
 * coordinates, into which the axes may point anyhow: all must be the same. @return false: unknown
 */
static bool settle_units(const header *h, bool directed, int rank, double unit[3])
{
    double space[3];
    const int quoted = count_quoted(h->units), spaces = read_units(h->units, space, 3);
    bool same = spaces > 0 && spaces == quoted;
    for (int a = 1; a < spaces; a++) same = same && space[a] == space[0];
    for (int a = 0; a < rank && same; a++) unit[a] = space[0];
    if (same || directed) return same;
    return read_units(h->axis_units, unit, rank) == rank;
}

/* Whether there are no spacings, or one is NaN, as files have it whose spacing their writer did not know. */
static bool is_unknown(const char *spacings)
{
    double value;
    for (const char *word = spacings + strspn(spacings, " \t"); *word; word += strspn(word, " \t")) {
        char text[8];
        const size_t length = strcspn(word, " \t");
        snprintf(text, sizeof text, "%.*s", (int)length, word);
        if (length < sizeof text && rill_decimal_special(text, &value)) return true;
        word += length;
    }
    return !*spacings;
}

static rill_status settle_spacing(const void *read, rill_image *image)
{
    const header *h = read;
    double spacing[3], origin[3];
    const int rank = h->axes;
    const bool directed = *h->directions != '\0';
    if (!directed && is_unknown(h->spacings)) return RILL_OK;
    if (directed ? !read_directions(h->directions, spacing, rank)
                 : !rill_text_reals(h->spacings, spacing, rank))
        return rill_fail(RILL_USAGE, "its %s are \"%s\": one %s per axis is needed",
                         directed ? "space directions" : "spacings", directed ? h->directions : h->spacings,
                         directed ? "vector" : "number");
    double each[3] = {1, 1, 1};
    const bool metric = settle_units(h, directed, rank, each);
    if (rank == 2) spacing[2] = spacing[0], each[2] = each[0];
    const double unit = metric && each[1] == each[0] && each[2] == each[0] ? each[0] : 1;
    for (int a = 0; a < 3 && metric; a++) spacing[a] *= each[a] / unit;
    rill_image_set_spacing(image, directed ? "space directions" : "spacings", spacing, unit, metric);
    if (!metric && image->spacing[0] > 0)
        rill_image_note_spacing(
            image, "the NRRD spacing has no length unit that is known: --voxel-size sets the voxel size");
    char text[FIELD];
    snprintf(text, sizeof text, "%s", h->origin);
    for (char *c = text; *c; c++)
        if (strchr("(),", *c)) *c = ' ';
    if (image->spacing[0] > 0 && rill_text_reals(text, origin, 3) && rank == 3)
        rill_header_origin(image, origin, each[0]);
    return RILL_OK;
}

/* Where line skip lines and byte skip bytes of a data file end. */
static rill_status skip(const header *h, const char *path, uint64_t start, rill_bytes_source *source)
{
    rill_status status = RILL_OK;
    uint64_t lines = 0, bytes = 0;
    char *head = NULL;
    const bool from_end = strcmp(h->byte_skip, "-1") == 0;
    if ((*h->line_skip && !rill_text_integers(h->line_skip, &lines, 1)) ||
        (*h->byte_skip && !from_end && !rill_text_integers(h->byte_skip, &bytes, 1)) || bytes > INT64_MAX / 2)
        return rill_fail(RILL_USAGE, "its line skip \"%s\" or byte skip \"%s\" is not a number", h->line_skip,
                         h->byte_skip);
    if (source->deflated && (from_end || bytes))
        return rill_fail(RILL_USAGE, "byte skip %s inside gzip data is not read: gunzip the data first",
                         h->byte_skip);
    if (source->text && from_end)
        return rill_fail(RILL_USAGE,
                         "byte skip -1 with ASCII data is not read: the data have no known length");
    if (lines) {
        size_t length;
        RILL_TRY(rill_file_head(path, RILL_HEADER_BYTES, &head, &length));
        const char *c = head + (start < length ? start : length);
        for (uint64_t i = 0; i < lines; i++) {
            const char *newline = memchr(c, '\n', (size_t)(head + length - c));
            if (!newline) {
                status = rill_fail(RILL_USAGE, "line skip %s goes beyond the first %d bytes", h->line_skip,
                                   RILL_HEADER_BYTES);
                goto done;
            }
            c = newline + 1;
        }
        start = (uint64_t)(c - head);
    }
    source->offset = from_end ? RILL_BYTES_END : (int64_t)(start + bytes);
done:
    free(head);
    return status;
}

static rill_status settle_data(const void *read, const char *path, rill_image *image)
{
    const header *h = read;
    rill_status status = RILL_OK;
    const bool detached = *h->data_file != '\0';
    char *data = NULL;
    rill_bytes_source source = {.remedy = "the file is cut or its header is wrong"};
    source.deflated = strcasecmp(h->encoding, "gzip") == 0 || strcasecmp(h->encoding, "gz") == 0;
    source.text = is_text(h);
    if (!source.deflated && !source.text && strcasecmp(h->encoding, "raw") != 0)
        return rill_fail(RILL_USAGE, "its encoding is \"%s\": raw, gzip and ascii are read", h->encoding);
    if (strncmp(h->data_file, "LIST", 4) == 0 || strpbrk(h->data_file, "% \t"))
        return rill_fail(RILL_USAGE, "its data is spread over several files (\"%.60s\"): join them first",
                         h->data_file);
    if (!detached && h->separate)
        return rill_fail(RILL_USAGE, "its NRRD header has neither data behind it nor a data file: it is cut");
    RILL_TRY(rill_header_data(path, detached ? h->data_file : NULL, image, &data));
    source.path = data;
    RILL_TRY(skip(h, data, detached ? 0 : h->end, &source));
    RILL_TRY(rill_image_read_bytes(image, &source));
    snprintf(image->kind, sizeof image->kind, "NRRD, %s%s%s",
             source.deflated ? "gzip"
             : source.text   ? "ASCII"
                             : "raw",
             !source.text && image->swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ? ", big-endian" : "",
             detached ? ", detached" : "");
done:
    free(data);
    return status;
}

rill_status rill_image_open_nrrd(const char *path, rill_image *image)
{
    static const rill_header_format format = {.name = "NRRD",
                                              .size = sizeof(header),
                                              .read = read_fields,
                                              .voxels = settle_voxels,
                                              .spacing = settle_spacing,
                                              .data = settle_data};
    return rill_header_open(&format, path, image);
}
