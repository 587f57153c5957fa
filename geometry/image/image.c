/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Opening an image: which reader it needs, what all readers have in common, and its hash.
 * The formats themselves are in read_*.c.
 */
#include "geometry/image/image_priv.h"
#include "core/memory.h"
#include "geometry/image/file_names.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const struct {
    const char *name;
    size_t size;
} greys[RILL_GREY_COUNT] = {{"u8", 1},  {"i8", 1},  {"u16", 2}, {"i16", 2}, {"u32", 4}, {"i32", 4},
                            {"u64", 8}, {"i64", 8}, {"f16", 2}, {"f32", 4}, {"f64", 8}, {"bool", 1}};

size_t rill_grey_size(rill_grey type) { return greys[type].size; }

const char *rill_grey_name(rill_grey type) { return greys[type].name; }

static const char *format_name(rill_image_format format)
{
    static const char *const names[RILL_IMAGE_FORMATS] = {"auto", "raw",   "tiff", "npy", "nrrd",
                                                          "mhd",  "nifti", "npz",  "vti", "netcdf",
                                                          "hdf5", "vtk",   "png",  "text"};
    return names[format];
}

rill_image_options rill_image_options_default(void)
{
    return (rill_image_options){.type = -1, .big_endian = -1};
}

bool rill_grey_find(const rill_grey_alias *table, const char *name, rill_grey *type)
{
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0) {
            *type = table->type;
            return true;
        }
    return false;
}

rill_status rill_image_add_file(rill_image *image, const char *path)
{
    char **files = realloc(image->files, (image->file_count + 1) * sizeof *files);
    if (!files) return rill_fail(RILL_SYSTEM, "out of memory for the names of the image's files");
    image->files = files;
    if (!(files[image->file_count] = strdup(path)))
        return rill_fail(RILL_SYSTEM, "out of memory for the names of the image's files");
    image->file_count++;
    return RILL_OK;
}

void rill_image_remark(rill_image *image, const char *format, ...)
{
    const size_t used = strlen(image->remarks);
    va_list args;
    va_start(args, format);
    vsnprintf(image->remarks + used, sizeof image->remarks - used, format, args);
    va_end(args);
}

rill_status rill_image_set_size(rill_image *image, const uint64_t *n, int rank)
{
    if (rank != 2 && rank != 3)
        return rill_fail(RILL_USAGE, "the image has %d axes: 3 (or 2) are needed", rank);
    double voxels = 1;
    for (int a = 0; a < 3; a++) {
        const uint64_t m = a < rank ? n[a] : 1;
        if (m == 0 || m > INT32_MAX)
            return rill_fail(RILL_USAGE, "axis %d has %llu voxels: 1 to %d are possible", a,
                             (unsigned long long)m, INT32_MAX);
        image->n[a] = (uint32_t)m;
        voxels *= (double)m;
    }
    if (voxels > 1e15)
        return rill_fail(RILL_USAGE, "the image has %.3g voxels, more than 1e15: its header is wrong",
                         voxels);
    return RILL_OK;
}

void rill_image_note_spacing(rill_image *image, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(image->spacing_note, sizeof image->spacing_note, format, args);
    va_end(args);
}

void rill_image_set_spacing(rill_image *image, const char *measure, const double spacing[3], double unit,
                            bool metric)
{
    double taken[3] = {0};
    for (int a = 0; a < 3; a++) {
        taken[a] = fabs(spacing[a]) * unit;
        if (!isfinite(taken[a]) || !(taken[a] > 0)) return;
    }
    memcpy(image->spacing, taken, sizeof taken);
    memcpy(image->stated, spacing, sizeof image->stated);
    image->measure = measure;
    image->stated_unit = unit;
    image->metric = metric;
}

/* A directory, or a pattern that no file is called by. */
static bool is_series(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0) return S_ISDIR(info.st_mode);
    return strpbrk(path, "*?[%") != NULL;
}

/* Formats that hold several arrays, each with a name. */
static bool is_container(rill_image_format format)
{
    return format == RILL_IMAGE_NPZ || format == RILL_IMAGE_VTI || format == RILL_IMAGE_NETCDF ||
           format == RILL_IMAGE_HDF5 || format == RILL_IMAGE_VTK;
}

/* Open one file per slice. The first one shows the format. */
static rill_status open_series(const char *path, rill_image_format format, rill_image *image)
{
    rill_status status = RILL_OK;
    rill_slice_files files = {0};
    RILL_TRY(rill_slice_files_find(path, &files));
    image->files = files.paths;
    image->file_count = files.count;
    status = format == RILL_IMAGE_AUTO ? rill_image_detect(files.paths[0], false, &format) : RILL_OK;
    if (status == RILL_OK && format != RILL_IMAGE_TIFF && format != RILL_IMAGE_PNG)
        status = rill_fail(RILL_USAGE, "it is of format %s: one file per slice is read from TIFF and PNG",
                           format_name(format));
    if (status != RILL_OK) {
        rill_fail_prefix("%s", files.paths[0]);
        goto done;
    }
    image->format = format;
    RILL_TRY(format == RILL_IMAGE_PNG ? rill_image_open_png(image) : rill_image_open_tiff_series(image));
done:
    return status;
}

static rill_status open_png(const char *path, rill_image *image)
{
    const rill_status status = rill_image_add_file(image, path);
    return status == RILL_OK ? rill_image_open_png(image) : status;
}

/* Call the reader of image->format. @param name  of the array within the file; NULL: none was given */
static rill_status open_format(const char *file, const char *name, const rill_image_options *options,
                               rill_image *image)
{
    switch (image->format) {
    case RILL_IMAGE_TIFF:
        return rill_image_open_tiff(file, image);
    case RILL_IMAGE_PNG:
        return open_png(file, image);
    case RILL_IMAGE_TEXT:
        return rill_image_open_text(file, options, image);
    case RILL_IMAGE_VTK:
        return rill_image_open_vtk(file, name, image);
    case RILL_IMAGE_NPY:
        return rill_image_open_npy(file, image);
    case RILL_IMAGE_NRRD:
        return rill_image_open_nrrd(file, image);
    case RILL_IMAGE_MHD:
        return rill_image_open_mhd(file, image);
    case RILL_IMAGE_NIFTI:
        return rill_image_open_nifti(file, image);
    case RILL_IMAGE_NPZ:
        return rill_image_open_npz(file, name, image);
    case RILL_IMAGE_VTI:
        return rill_image_open_vti(file, name, image);
    case RILL_IMAGE_NETCDF:
        return rill_image_open_netcdf(file, name, image);
    case RILL_IMAGE_HDF5:
        return rill_image_open_hdf5(file, name, image);
    default:
        return rill_image_open_raw(file, options, image);
    }
}

static rill_status open_as(rill_image_format format, const char *path, const rill_image_options *options,
                           rill_image *image)
{
    rill_status status = RILL_OK;
    char *file = NULL;
    const char *name = NULL;
    RILL_TRY(rill_container_split(path, &file, &name));
    const bool series = !name && is_series(path);
    const bool told = options->n[0] || options->type >= 0 || options->big_endian >= 0 || options->skip;
    if (series && format != RILL_IMAGE_AUTO && format != RILL_IMAGE_TIFF && format != RILL_IMAGE_PNG)
        RILL_TRY(rill_fail(
            RILL_USAGE, "it is not a file of format %s: one file per slice is read from TIFF and PNG alone",
            format_name(format)));
    if (series)
        RILL_TRY(open_series(file, format, image));
    else if (format == RILL_IMAGE_AUTO)
        RILL_TRY(rill_image_detect(file, told, &format));
    if (series) format = image->format;
    image->format = format;
    if (told && format != RILL_IMAGE_RAW &&
        (format != RILL_IMAGE_TEXT || options->big_endian >= 0 || options->skip))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "its format %s says size, type, byte order and header itself: leave out --size, --type, --endian and --skip, or say --format raw",
            format_name(format)));
    if (name && !is_container(format))
        RILL_TRY(rill_fail(RILL_USAGE,
                           "a file of format %s holds one image and no arrays with names: leave out \":%s\"",
                           format_name(format), name));
    if (!series) RILL_TRY(open_format(file, name, options, image));
done:
    free(file);
    return status;
}

/* How many times the bytes of its files an image may have: deflate packs 1032 times, pixels of one bit become
 * bytes, and an empty page in CCITT is packed some 10,000 times. */
static int packed_most(rill_image_format format)
{
    enum { DEFLATE = 1032, BITS = 8, TIFF_CODINGS = 65536 };
    if (format == RILL_IMAGE_TIFF) return TIFF_CODINGS;
    return format == RILL_IMAGE_PNG ? BITS * DEFLATE : DEFLATE;
}

/* Refuse an image that declares more voxels than its files can hold: memory is taken by what is declared.
 * HDF5 files have a limit of their own. */
static rill_status check_extent(const rill_image *image)
{
    enum { FREE = 64 << 20 };
    struct stat info;
    const int most = packed_most(image->format);
    const double declared =
        (double)image->n[0] * image->n[1] * image->n[2] * (double)rill_grey_size(image->type);
    double stored = 0;
    if (image->format == RILL_IMAGE_HDF5 || declared <= FREE) return RILL_OK;
    for (uint64_t k = 0; k < image->file_count; k++)
        if (stat(image->files[k], &info) == 0) stored += (double)info.st_size;
    if (declared <= most * stored + FREE) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "it declares %u x %u x %u voxels, %.3g bytes, and has %.3g: more than %d times as many are not read: the file is damaged",
        image->n[0], image->n[1], image->n[2], declared, stored, most);
}

rill_status rill_image_open(const char *path, const rill_image_options *options, rill_image **out)
{
    rill_image *image = calloc(1, sizeof *image);
    if (!image) return rill_fail(RILL_SYSTEM, "out of memory for an image");
    for (int a = 0; a < 3; a++) image->order[a] = image->axes[a] = a;
    image->allow_outside = options->allow_outside;
    rill_status status = open_as(options->format, path, options, image);
    if (status == RILL_OK) status = check_extent(image);
    if (status != RILL_OK) {
        rill_image_close(image);
        rill_fail_prefix("%s", rill_input_title(path));
        return status;
    }
    rill_image_settle_pore(image);
    *out = image;
    return RILL_OK;
}

void rill_image_settle_pore(rill_image *image)
{
    image->pore = image->type == RILL_GREY_BOOL ? 1 : (double)NAN;
}

void rill_image_close(rill_image *image)
{
    if (!image) return;
    if (image->close) image->close(image);
    for (uint64_t i = 0; i < image->file_count; i++) free(image->files[i]);
    free(image->files);
    free(image);
}

uint64_t rill_image_slice_voxels(const rill_image *image)
{
    return (uint64_t)image->n[image->order[0]] * image->n[image->order[1]];
}

void rill_image_set_array_order(rill_image *image, int rank, bool fortran)
{
    for (int a = 0; a < rank; a++) {
        image->axes[a] = rank - 1 - a;
        image->order[a] = fortran ? a : rank - 1 - a;
    }
}

static void swap_bytes(void *data, size_t size, uint64_t count)
{
    if (size == 2) {
        uint16_t *v = data;
        for (uint64_t i = 0; i < count; i++) v[i] = __builtin_bswap16(v[i]);
    } else if (size == 4) {
        uint32_t *v = data;
        for (uint64_t i = 0; i < count; i++) v[i] = __builtin_bswap32(v[i]);
    } else if (size == 8) {
        uint64_t *v = data;
        for (uint64_t i = 0; i < count; i++) v[i] = __builtin_bswap64(v[i]);
    }
}

/* Other programs write any byte for True: a view of a mask of 0 and 255, for example. */
static void clean_bools(uint8_t *grey, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) grey[i] = grey[i] != 0;
}

rill_status rill_image_read(rill_image *image, uint32_t slice, void *grey)
{
    const rill_status status = image->read(image, slice, grey);
    if (status != RILL_OK) return status;
    const uint64_t voxels = rill_image_slice_voxels(image);
    if (image->swap) swap_bytes(grey, rill_grey_size(image->type), voxels);
    if (image->type == RILL_GREY_BOOL) clean_bools(grey, voxels);
    return RILL_OK;
}

static rill_status hash_file(XXH3_state_t *state, const char *path, void *buffer, size_t size)
{
    int fd;
    uint64_t length;
    rill_status status = rill_input_open(path, &fd, &length);
    if (status != RILL_OK) return status;
    for (;;) {
        const ssize_t got = read(fd, buffer, size);
        if (got == 0) break;
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) {
            status = rill_fail(RILL_SYSTEM, "%s: cannot read it: %s", path, strerror(errno));
            break;
        }
        XXH3_64bits_update(state, buffer, (size_t)got);
    }
    close(fd);
    return status;
}

rill_status rill_image_hash(const rill_image *image, char text[17])
{
    enum { CHUNK = 1 << 20 };
    rill_status status = RILL_OK;
    void *buffer = NULL;
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for hashing the image");
    XXH3_64bits_reset(state);
    RILL_TRY(rill_array_create(CHUNK, 1, "hashing the image", &buffer));
    if (image->memory)
        XXH3_64bits_update(
            state, image->memory,
            (size_t)(rill_image_slice_voxels(image) * image->n[2] * rill_grey_size(image->type)));
    for (uint64_t i = 0; i < image->file_count; i++)
        RILL_TRY(hash_file(state, image->files[i], buffer, CHUNK));
    snprintf(text, 17, "%016llx", (unsigned long long)XXH3_64bits_digest(state));
done:
    rill_array_destroy(buffer);
    XXH3_freeState(state);
    return status;
}
