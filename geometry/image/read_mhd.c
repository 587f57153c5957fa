/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MetaImage: .mhd with a data file, .mha with the data behind the header, plain, zlib, or a data file whose
 * name ends in .gz.
 * Lengths are millimetres by custom of the format, unless DistanceUnits says otherwise; a spacing of 1 1 1 is
 * what programs write when they know none. Orientation is not used. Not read: LIST and patterns.
 */
#include "geometry/image/text_header.h"
#include "geometry/image/file_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = RILL_HEADER_FIELD };

/* The fields that matter, as they stand in the header; "" when missing. */
typedef struct {
    char rank[FIELD], size[FIELD], type[FIELD], channels[FIELD], binary[FIELD], msb[FIELD], compressed[FIELD],
        header_size[FIELD], spacing[FIELD], size_of_element[FIELD], unit[FIELD], offset[FIELD],
        data_file[FIELD];
    bool is_binary, is_big, is_compressed;
    int axes;     /* 2 or 3 */
    uint64_t end; /* where local data starts */
} header;

static const rill_grey_alias types[] = {{"MET_UCHAR", RILL_GREY_U8},
                                        {"MET_CHAR", RILL_GREY_I8},
                                        {"MET_USHORT", RILL_GREY_U16},
                                        {"MET_SHORT", RILL_GREY_I16},
                                        {"MET_UINT", RILL_GREY_U32},
                                        {"MET_INT", RILL_GREY_I32},
                                        {"MET_ULONG_LONG", RILL_GREY_U64},
                                        {"MET_LONG_LONG", RILL_GREY_I64},
                                        {"MET_FLOAT", RILL_GREY_F32},
                                        {"MET_DOUBLE", RILL_GREY_F64},
                                        {NULL, RILL_GREY_U8}};

static const rill_header_field fields[] = {{"NDims", offsetof(header, rank)},
                                           {"DimSize", offsetof(header, size)},
                                           {"ElementType", offsetof(header, type)},
                                           {"ElementNumberOfChannels", offsetof(header, channels)},
                                           {"BinaryData", offsetof(header, binary)},
                                           {"BinaryDataByteOrderMSB", offsetof(header, msb)},
                                           {"ElementByteOrderMSB", offsetof(header, msb)},
                                           {"CompressedData", offsetof(header, compressed)},
                                           {"HeaderSize", offsetof(header, header_size)},
                                           {"ElementSpacing", offsetof(header, spacing)},
                                           {"ElementSize", offsetof(header, size_of_element)},
                                           {"DistanceUnits", offsetof(header, unit)},
                                           {"Offset", offsetof(header, offset)},
                                           {"Origin", offsetof(header, offset)},
                                           {"Position", offsetof(header, offset)},
                                           {"ElementDataFile", offsetof(header, data_file)},
                                           {0}};

static char *trim(char *text) { return rill_header_trim(text + strspn(text, " \t\r")); }

/* Go through the "name = value" lines up to ElementDataFile, the last one; `head` is cut into pieces. */
static rill_status read_fields(char *head, size_t length, void *into)
{
    rill_status status = RILL_OK;
    header *h = into;
    bool whole;
    for (char *line = head, *next; line < head + length && !*h->data_file; line = next) {
        next = rill_header_line(line, head + length, &whole);
        char *equals = strchr(line, '=');
        if (*trim(line) == '\0') continue;
        if (!equals)
            return rill_fail(RILL_USAGE, "\"%.40s\" is no \"name = value\" line of a MetaImage header",
                             trim(line));
        *equals = '\0';
        RILL_TRY(rill_header_keep(fields, strcmp, trim(line), trim(equals + 1), h));
        h->end = (uint64_t)(next - head);
    }
    if (!*h->data_file)
        return rill_fail(RILL_USAGE,
                         "its MetaImage header has no ElementDataFile: the file is cut or damaged");
done:
    return status;
}

/* Return whether a value says yes or no, as ITK reads it. @param absent  what no value means */
static bool read_flag(const char *value, bool absent, bool *flag)
{
    static const char *const words[] = {"False", "F", "0", "True", "T", "1"};
    *flag = absent;
    for (int k = 0; k < 6; k++)
        if (strcasecmp(value, words[k]) == 0) {
            *flag = k >= 3;
            return true;
        }
    return !*value;
}

static rill_status settle_flags(header *h)
{
    const struct {
        const char *name, *value;
        bool absent, *flag;
    } flags[] = {{"BinaryData", h->binary, true, &h->is_binary},
                 {"BinaryDataByteOrderMSB", h->msb, false, &h->is_big},
                 {"CompressedData", h->compressed, false, &h->is_compressed}};
    for (int k = 0; k < 3; k++)
        if (!read_flag(flags[k].value, flags[k].absent, flags[k].flag))
            return rill_fail(RILL_USAGE, "%s is \"%s\": True or False is needed", flags[k].name,
                             flags[k].value);
    return RILL_OK;
}

static rill_status settle_voxels(void *read, rill_image *image)
{
    header *h = read;
    uint64_t n[3], channels = 1;
    rill_status status = settle_flags(h);
    if (status != RILL_OK) return status;
    status = rill_header_sizes((const char *const[]){"NDims is", h->rank},
                               (const char *const[]){"DimSize is", h->size}, &h->axes, n);
    if (status != RILL_OK) return status;
    if (!rill_grey_find(types, h->type, &image->type))
        return rill_fail(
            RILL_USAGE,
            "ElementType is \"%s\": MET_CHAR, SHORT, INT, LONG_LONG (each also with U), FLOAT and DOUBLE are read",
            h->type);
    if (*h->channels && (!rill_text_integers(h->channels, &channels, 1) || channels != 1))
        return rill_fail(RILL_USAGE, "ElementNumberOfChannels is \"%s\": images of 1 channel are read",
                         h->channels);
    image->swap = rill_grey_size(image->type) > 1 && h->is_big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    return rill_image_set_size(image, n, h->axes);
}

static rill_status settle_spacing(const void *read, rill_image *image)
{
    const header *h = read;
    double spacing[3] = {0}, origin[3], unit = 1e-3;
    const int rank = h->axes;
    const char *given = *h->spacing ? h->spacing : h->size_of_element,
               *name = *h->spacing ? "ElementSpacing" : "ElementSize";
    if (!*given) return RILL_OK;
    if (!rill_text_reals(given, spacing, rank))
        return rill_fail(RILL_USAGE, "%s is \"%s\": %d numbers are needed", name, given, rank);
    if (rank == 2) spacing[2] = spacing[0];
    if (*h->unit) {
        unit = rill_image_unit(h->unit);
        if (!(unit > 0))
            return rill_fail(RILL_USAGE, "DistanceUnits is \"%s\": a length such as mm or um is needed",
                             h->unit);
    } else if (spacing[0] == 1 && spacing[1] == 1 && spacing[2] == 1) {
        rill_image_note_spacing(image, "%s 1 1 1 is taken as unknown: --voxel-size sets the voxel size",
                                name);
        return RILL_OK;
    } else {
        image->assumed = true; /* ITK writes millimetres, pnextract micrometres */
        rill_image_note_spacing(
            image,
            "%s is %.60s without a unit and is taken as millimetres: --voxel-size sets another voxel size",
            name, given);
    }
    rill_image_set_spacing(image, name, spacing, unit, true);
    if (image->metric && rank == 3 && rill_text_reals(h->offset, origin, 3))
        rill_header_origin(image, origin, unit);
    return RILL_OK;
}

static rill_status settle_data(const void *read, const char *path, rill_image *image)
{
    const header *h = read;
    rill_status status = RILL_OK;
    const bool local = strcmp(h->data_file, "LOCAL") == 0;
    char *data = NULL;
    uint64_t skip = 0;
    const bool from_end = strcmp(h->header_size, "-1") == 0, packed = rill_name_ends(h->data_file, ".gz");
    rill_bytes_source source = {.remedy = "the file is cut or its header is wrong",
                                .deflated = h->is_compressed || packed};
    if (strcmp(h->data_file, "LIST") == 0 || strncmp(h->data_file, "LIST ", 5) == 0 ||
        strchr(h->data_file, '%'))
        return rill_fail(RILL_USAGE,
                         "its data is spread over several files (ElementDataFile = %.60s): join them first",
                         h->data_file);
    if (*h->header_size && !from_end &&
        (!rill_text_integers(h->header_size, &skip, 1) || skip > INT64_MAX / 2))
        return rill_fail(RILL_USAGE, "HeaderSize is \"%s\": a number of bytes or -1 is needed",
                         h->header_size);
    source.text = !h->is_binary && !source.deflated;
    if (from_end && (source.deflated || source.text))
        return rill_fail(
            RILL_USAGE,
            "HeaderSize -1 with compressed or ASCII data is not read: the data have no known length");
    RILL_TRY(rill_header_data(path, local ? NULL : h->data_file, image, &data));
    source.path = data;
    source.offset = from_end ? RILL_BYTES_END : (int64_t)(local ? h->end : packed ? 0 : skip);
    if (packed) source.skip = skip; /* of what is compressed */
    RILL_TRY(rill_image_read_bytes(image, &source));
    snprintf(image->kind, sizeof image->kind, "%s, %s%s", local ? "MHA" : "MHD",
             packed            ? "gzip"
             : source.deflated ? "zlib"
             : source.text     ? "ASCII"
                               : "raw",
             rill_grey_size(image->type) > 1 && h->is_big && !source.text ? ", big-endian" : "");
done:
    free(data);
    return status;
}

rill_status rill_image_open_mhd(const char *path, rill_image *image)
{
    static const rill_header_format format = {.name = "MetaImage",
                                              .size = sizeof(header),
                                              .read = read_fields,
                                              .voxels = settle_voxels,
                                              .spacing = settle_spacing,
                                              .data = settle_data};
    return rill_header_open(&format, path, image);
}
