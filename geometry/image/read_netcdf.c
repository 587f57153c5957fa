/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NetCDF classic: CDF-1, CDF-2 (64-bit offsets) and CDF-5 (64-bit data). The variable is the only one with
 * three axes (or two), or the one that is named ("scan.nc:/image"). Coordinate variables give spacing and
 * unit. NetCDF-4 is HDF5: read_hdf5.c. Not read: characters, axes beyond three unless they have one element,
 * slices of which each row is a record.
 *
 * @see "NetCDF Classic Format Specification", Unidata, doi:10.5065/D6H70CW6
 */
#include "geometry/image/coordinates.h"
#include "geometry/image/image_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 64, RANK = 8, MOST = 4096 /* dimensions, or variables */, WINDOW = 1 << 14 };
enum { DIMENSIONS = 10, VARIABLES = 11, ATTRIBUTES = 12 };

typedef struct {
    char name[NAME];
    uint64_t size; /* 0: records */
} dimension;

typedef struct {
    char name[NAME], unit[NAME];
    int rank, type;
    uint32_t axis[RANK]; /* numbers of dimensions */
    bool is_unsigned;    /* attribute _Unsigned of bytes */
    uint64_t begin;      /* in the file */
    uint64_t size;       /* bytes of it, or of a record of it, padded to 4 */
} variable;

/* A file while its header is read, and what the header says. */
typedef struct {
    int fd, version;
    uint64_t length, at;     /* of the file; of the next byte */
    uint64_t window, filled; /* what is in `bytes` */
    uint64_t records, record_size;
    dimension *dimensions;
    variable *variables;
    uint32_t dimension_count, variable_count;
    unsigned char bytes[WINDOW];
} netcdf;

static const struct {
    int size, type; /* type: a rill_grey; -1: characters */
} types[12] = {{0, -1},
               {1, RILL_GREY_I8},
               {1, -1},
               {2, RILL_GREY_I16},
               {4, RILL_GREY_I32},
               {4, RILL_GREY_F32},
               {8, RILL_GREY_F64},
               {1, RILL_GREY_U8},
               {2, RILL_GREY_U16},
               {4, RILL_GREY_U32},
               {8, RILL_GREY_I64},
               {8, RILL_GREY_U64}};

/* ---- header ---------------------------------------------------------------------------------- */

static rill_status cut(const netcdf *f)
{
    return rill_fail(RILL_USAGE, "its NetCDF header goes on behind the %llu bytes of the file: it is cut",
                     (unsigned long long)f->length);
}

static rill_status bytes_read(netcdf *f, void *data, uint64_t count)
{
    unsigned char *to = data;
    if (count > f->length - f->at) return cut(f);
    while (count > 0) {
        if (f->at < f->window || f->at >= f->window + f->filled) {
            size_t got;
            const rill_status status = rill_input_read(f->fd, f->at, f->bytes, WINDOW, &got);
            if (status != RILL_OK) return status;
            if (got == 0) return cut(f);
            f->window = f->at;
            f->filled = got;
        }
        const uint64_t has = f->window + f->filled - f->at, now = count < has ? count : has;
        memcpy(to, f->bytes + (f->at - f->window), now);
        to += now;
        f->at += now;
        count -= now;
    }
    return RILL_OK;
}

static rill_status take_word(netcdf *f, int size, uint64_t *out)
{
    unsigned char b[8];
    const rill_status status = bytes_read(f, b, (uint64_t)size);
    *out = 0;
    for (int k = 0; k < size && status == RILL_OK; k++) *out = *out << 8 | b[k];
    return status;
}

/* A count, a length or the number of a dimension. */
static rill_status take_count(netcdf *f, uint64_t *out) { return take_word(f, f->version == 5 ? 8 : 4, out); }

/* Go behind `count` bytes and their padding. */
static rill_status pass(netcdf *f, uint64_t count)
{
    if (count > f->length - f->at || 3 + count - (3 + count) % 4 > f->length - f->at) return cut(f);
    f->at += 3 + count - (3 + count) % 4;
    return RILL_OK;
}

/* Read a text of `count` bytes, with its padding; what does not fit is cut off. */
static rill_status take_text(netcdf *f, uint64_t count, char text[NAME])
{
    const uint64_t kept = count < NAME - 1 ? count : NAME - 1, begin = f->at;
    rill_status status = bytes_read(f, text, kept);
    text[status == RILL_OK ? kept : 0] = '\0';
    if (status != RILL_OK) return status;
    f->at = begin;
    return pass(f, count);
}

static rill_status take_name(netcdf *f, char name[NAME])
{
    uint64_t length;
    const rill_status status = take_count(f, &length);
    return status != RILL_OK ? status : take_text(f, length, name);
}

/* Begin a list. @param[out] count  of its elements */
static rill_status take_list(netcdf *f, uint64_t tag, uint64_t *count)
{
    rill_status status = RILL_OK;
    uint64_t found;
    RILL_TRY(take_word(f, 4, &found));
    RILL_TRY(take_count(f, count));
    if (found != tag && !(found == 0 && *count == 0))
        return rill_fail(RILL_USAGE, "its NetCDF header has the tag %llu in place of %llu: it is damaged",
                         (unsigned long long)found, (unsigned long long)tag);
    if (tag != ATTRIBUTES && *count > MOST)
        return rill_fail(RILL_USAGE, "its NetCDF header has %llu %s, more than %d: it is damaged",
                         (unsigned long long)*count, tag == DIMENSIONS ? "dimensions" : "variables", MOST);
done:
    return status;
}

/* Read attributes. @param v  of which variable; NULL: of the file */
static rill_status take_attributes(netcdf *f, variable *v)
{
    rill_status status = RILL_OK;
    uint64_t count, type, length;
    char name[NAME], text[NAME];
    RILL_TRY(take_list(f, ATTRIBUTES, &count));
    for (uint64_t k = 0; k < count; k++) {
        RILL_TRY(take_name(f, name));
        RILL_TRY(take_word(f, 4, &type));
        RILL_TRY(take_count(f, &length));
        if (type < 1 || type > 11 || length > f->length)
            return rill_fail(RILL_USAGE,
                             "the attribute \"%s\" has %llu values of type %llu: the file is damaged", name,
                             (unsigned long long)length, (unsigned long long)type);
        if (type == 2 && v && strcmp(name, "units") == 0) {
            RILL_TRY(take_text(f, length, v->unit));
        } else if (type == 2 && v && strcmp(name, "_Unsigned") == 0) {
            RILL_TRY(take_text(f, length, text));
            v->is_unsigned = strcmp(text, "true") == 0;
        } else {
            RILL_TRY(pass(f, length * (uint64_t)types[type].size));
        }
    }
done:
    return status;
}

static rill_status take_dimensions(netcdf *f)
{
    rill_status status = RILL_OK;
    uint64_t count;
    RILL_TRY(take_list(f, DIMENSIONS, &count));
    if (!(f->dimensions = calloc(count + 1, sizeof *f->dimensions)))
        return rill_fail(RILL_SYSTEM, "out of memory for the header of a NetCDF file");
    for (f->dimension_count = 0; f->dimension_count < count; f->dimension_count++) {
        RILL_TRY(take_name(f, f->dimensions[f->dimension_count].name));
        RILL_TRY(take_count(f, &f->dimensions[f->dimension_count].size));
    }
done:
    return status;
}

static rill_status take_variable(netcdf *f, variable *v)
{
    rill_status status = RILL_OK;
    uint64_t rank, axis, type;
    RILL_TRY(take_name(f, v->name));
    RILL_TRY(take_count(f, &rank));
    if (rank > MOST)
        return rill_fail(RILL_USAGE, "the variable \"%s\" has %llu axes: the file is damaged", v->name,
                         (unsigned long long)rank);
    v->rank = (int)rank;
    for (uint64_t k = 0; k < rank; k++) {
        RILL_TRY(take_count(f, &axis));
        if (axis >= f->dimension_count)
            return rill_fail(RILL_USAGE,
                             "the variable \"%s\" has an axis %llu, and the file %u: it is damaged", v->name,
                             (unsigned long long)axis, f->dimension_count);
        if (k < RANK) v->axis[k] = (uint32_t)axis;
    }
    RILL_TRY(take_attributes(f, v));
    RILL_TRY(take_word(f, 4, &type));
    RILL_TRY(take_count(f, &v->size));
    RILL_TRY(take_word(f, f->version == 1 ? 4 : 8, &v->begin));
    if (type < 1 || type > (f->version == 5 ? 11 : 6))
        return rill_fail(RILL_USAGE, "the variable \"%s\" has the type %llu: the file is damaged", v->name,
                         (unsigned long long)type);
    v->type = types[type].type == RILL_GREY_I8 && v->is_unsigned ? RILL_GREY_U8 : types[type].type;
done:
    return status;
}

static bool has_records(const netcdf *f, const variable *v)
{
    return v->rank > 0 && f->dimensions[v->axis[0]].size == 0;
}

static rill_status take_variables(netcdf *f)
{
    rill_status status = RILL_OK;
    uint64_t count;
    int with_records = 0;
    RILL_TRY(take_list(f, VARIABLES, &count));
    if (!(f->variables = calloc(count + 1, sizeof *f->variables)))
        return rill_fail(RILL_SYSTEM, "out of memory for the header of a NetCDF file");
    for (f->variable_count = 0; f->variable_count < count; f->variable_count++)
        RILL_TRY(take_variable(f, &f->variables[f->variable_count]));
    for (uint32_t k = 0; k < f->variable_count; k++)
        if (has_records(f, &f->variables[k])) {
            if (f->variables[k].size > INT64_MAX - f->record_size)
                return rill_fail(RILL_USAGE, "its records are longer than 2^63 bytes: the file is damaged");
            f->record_size += f->variables[k].size;
            with_records++;
        }
    if (with_records == 1) /* a single one is not padded */
        for (uint32_t k = 0; k < f->variable_count; k++) {
            const variable *v = &f->variables[k];
            uint64_t size = v->type < 0 ? 1 : rill_grey_size((rill_grey)v->type);
            if (!has_records(f, v) || v->rank > RANK) continue;
            for (int a = 1; a < v->rank && size <= f->length; a++) size *= f->dimensions[v->axis[a]].size;
            if (size < f->record_size) f->record_size = size;
        }
done:
    return status;
}

static rill_status take_header(netcdf *f)
{
    rill_status status = RILL_OK;
    unsigned char magic[4];
    RILL_TRY(bytes_read(f, magic, 4));
    f->version = magic[3];
    if (memcmp(magic, "CDF", 3) != 0 || (f->version != 1 && f->version != 2 && f->version != 5))
        return rill_fail(RILL_USAGE, "it does not begin like a NetCDF file (CDF-1, CDF-2 or CDF-5)");
    RILL_TRY(take_count(f, &f->records));
    RILL_TRY(take_dimensions(f));
    RILL_TRY(take_attributes(f, NULL));
    RILL_TRY(take_variables(f));
done:
    return status;
}

/* ---- the image ------------------------------------------------------------------------------- */

static uint64_t extent_of(const netcdf *f, const variable *v, int axis)
{
    const uint64_t size = f->dimensions[v->axis[axis]].size;
    return size || axis > 0 ? size : f->records;
}

/* The axis where the image begins: leading ones of one element are passed over; -1: it is no image. */
static int first_axis(const netcdf *f, const variable *v)
{
    int first = 0;
    if (v->type < 0 || v->rank > RANK || v->rank < 2) return -1;
    while (v->rank - first > 3 && extent_of(f, v, first) == 1) first++;
    return v->rank - first > 3 ? -1 : first;
}

static rill_status choose(const netcdf *f, const char *wanted, const variable **out)
{
    char list[400] = "";
    size_t used = 0;
    int found[2] = {0}; /* with two and with three axes */
    const variable *candidate[2] = {NULL};
    for (uint32_t k = 0; k < f->variable_count; k++) {
        const variable *v = &f->variables[k];
        if (wanted && strcmp(v->name, wanted) == 0) {
            *out = v;
            return first_axis(f, v) >= 0
                       ? RILL_OK
                       : rill_fail(
                             RILL_USAGE,
                             "the variable \"%s\" has %d axes or holds characters: numbers with 3 (or 2) axes are read",
                             v->name, v->rank);
        }
        const int first = first_axis(f, v);
        if (first < 0) continue;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", v->name);
        found[v->rank - first == 3]++;
        candidate[v->rank - first == 3] = v;
    }
    if (!*list) return rill_fail(RILL_USAGE, "it has no variable of numbers with 3 (or 2) axes");
    if (wanted) return rill_fail(RILL_USAGE, "it has no variable \"%s\": it has %s", wanted, list);
    const int rank = found[1] ? 1 : 0;
    *out = candidate[rank];
    if (found[rank] == 1) return RILL_OK;
    return rill_fail(RILL_USAGE,
                     "it has %d variables that may be the image: name one, such as FILE.nc:/%.*s (%s)",
                     found[rank], (int)strcspn(list, ","), list, list);
}

/* Read value number `index` of a coordinate variable. */
static bool value_of(const netcdf *f, const variable *v, uint64_t index, double *out)
{
    unsigned char b[8];
    size_t got;
    const size_t size = rill_grey_size((rill_grey)v->type);
    const uint64_t step = has_records(f, v) ? f->record_size : size;
    if (step == 0 || index > f->length / step || v->begin > f->length) return false;
    if (rill_input_read(f->fd, v->begin + index * step, b, size, &got) != RILL_OK || got < size) return false;
    uint64_t word = 0;
    for (size_t k = 0; k < size; k++) word = word << 8 | b[k];
    if (v->type == RILL_GREY_F32) {
        const uint32_t bits = (uint32_t)word;
        float value;
        memcpy(&value, &bits, sizeof value);
        *out = (double)value;
    } else if (v->type == RILL_GREY_F64) {
        memcpy(out, &word, sizeof *out);
    } else {
        const uint64_t top = 1ULL << (8 * size - 1);
        const bool has_sign = v->type == RILL_GREY_I8 || v->type == RILL_GREY_I16 ||
                              v->type == RILL_GREY_I32 || v->type == RILL_GREY_I64;
        *out = has_sign && word & top ? (double)word - 2 * (double)top : (double)word;
    }
    return true;
}

/* What the coordinate variable of an axis says. */
static void coordinates_of(const netcdf *f, const variable *image, int axis, rill_coordinates *c)
{
    const dimension *d = &f->dimensions[image->axis[axis]];
    *c = (rill_coordinates){0};
    snprintf(c->name, sizeof c->name, "%s", d->name);
    for (uint32_t k = 0; k < f->variable_count; k++) {
        const variable *v = &f->variables[k];
        const uint64_t n = extent_of(f, image, axis);
        if (v->rank != 1 || v->axis[0] != image->axis[axis] || strcmp(v->name, d->name) != 0 || v->type < 0)
            continue;
        snprintf(c->unit, sizeof c->unit, "%s", v->unit);
        if (n > 1 && value_of(f, v, 0, &c->first[0]) && value_of(f, v, 1, &c->first[1]) &&
            value_of(f, v, n - 1, &c->last))
            c->count = n;
        return;
    }
}

/* The voxels: slices that are `stride` bytes apart. */
typedef struct {
    int fd;
    uint64_t begin, stride;
} reader;

static rill_status read_slice(rill_image *image, uint32_t slice, void *grey)
{
    const reader *r = image->reader;
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type);
    size_t got;
    const rill_status status = rill_input_read(r->fd, r->begin + slice * r->stride, grey, size, &got);
    if (status != RILL_OK || got == size) return status;
    return rill_fail(RILL_USAGE, "%s: slice %u has %zu of %llu bytes: the file was cut while it was read",
                     image->files[0], slice, got, (unsigned long long)size);
}

static void close_reader(rill_image *image)
{
    reader *r = image->reader;
    close(r->fd);
    free(r);
}

/* Check that the voxels are in the file, and let the image read them. */
static rill_status settle_voxels(netcdf *f, const variable *v, int first, rill_image *image)
{
    const uint64_t size = rill_image_slice_voxels(image) * rill_grey_size(image->type),
                   slices = image->n[image->order[2]];
    const bool by_record = has_records(f, v) && first == 0;
    const uint64_t stride = by_record ? f->record_size : size;
    if (by_record && v->rank == 2)
        return rill_fail(RILL_USAGE, "each row of \"%s\" is a record: save it with a fixed size", v->name);
    if (v->begin > f->length || stride < size || size > f->length - v->begin ||
        (slices > 1 && stride > (f->length - v->begin - size) / (slices - 1)))
        return rill_fail(
            RILL_USAGE,
            "%llu slices of %llu bytes begin at byte %llu, but the file has %llu bytes: it is cut",
            (unsigned long long)slices, (unsigned long long)size, (unsigned long long)v->begin,
            (unsigned long long)f->length);
    reader *r = malloc(sizeof *r);
    if (!r) return rill_fail(RILL_SYSTEM, "out of memory for reading the image");
    *r = (reader){f->fd, v->begin, stride};
    f->fd = -1;
    image->reader = r;
    image->read = read_slice;
    image->close = close_reader;
    return RILL_OK;
}

static rill_status settle(netcdf *f, const variable *v, rill_image *image)
{
    rill_status status = RILL_OK;
    rill_coordinates c[3];
    uint64_t n[3] = {0};
    const int first = first_axis(f, v), rank = v->rank - first;
    image->type = (rill_grey)v->type;
    image->swap = rill_grey_size(image->type) > 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    for (int k = 0; k < rank; k++) {
        n[k] = extent_of(f, v, first + k);
        coordinates_of(f, v, first + k, &c[k]);
    }
    RILL_TRY(rill_image_set_size(image, n, rank));
    rill_image_set_array_order(image, rank, false);
    rill_image_set_coordinates(image, c, rank);
    RILL_TRY(settle_voxels(f, v, first, image));
    snprintf(image->kind, sizeof image->kind, "NetCDF classic (CDF-%d)", f->version);
done:
    return status;
}

rill_status rill_image_open_netcdf(const char *path, const char *name, rill_image *image)
{
    rill_status status = RILL_OK;
    const variable *v = NULL;
    netcdf *f = calloc(1, sizeof *f);
    if (!f) return rill_fail(RILL_SYSTEM, "out of memory for the header of a NetCDF file");
    f->fd = -1;
    RILL_TRY(rill_image_add_file(image, path));
    status = rill_input_open(path, &f->fd, &f->length);
    if (status != RILL_OK) {
        f->fd = -1;
        goto done;
    }
    RILL_TRY(take_header(f));
    RILL_TRY(choose(f, name ? name + 1 : NULL, &v));
    RILL_TRY(settle(f, v, image));
done:
    if (f->fd >= 0) close(f->fd);
    free(f->dimensions);
    free(f->variables);
    free(f);
    return status;
}
