/* SPDX-License-Identifier: Apache-2.0 */
/*
 * NIfTI-1 and NIfTI-2: one file (.nii, .nii.gz) or header and voxels apart (.hdr with .img or .img.gz),
 * either byte order. Stored values are taken as they are: slope and intercept do not change them. Orientation
 * is not used. Not read: several volumes, colour, complex numbers, 80 and 128 bits, single bits.
 *
 * @see nifti1.h and nifti2.h of the NIfTI Data Format Working Group, https://nifti.nimh.nih.gov
 */
#include "core/beside.h"
#include "geometry/image/file_names.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What of a header matters. */
typedef struct {
    int version;  /* 1 or 2 */
    bool swap;    /* its bytes come in the other order */
    bool pair;    /* the voxels are in a file of their own */
    int64_t n[8]; /* n[0]: the number of axes */
    int type;
    double spacing[8], offset, slope, intercept;
    int unit;
} header;

/* Where the fields of a version are. */
typedef struct {
    int size, magic, dim, dim_size, type, pixdim, real_size, offset, slope, intercept, unit;
} layout;

static const layout layouts[2] = {{348, 344, 40, 2, 70, 76, 4, 108, 112, 116, 123},
                                  {540, 4, 16, 8, 12, 104, 8, 168, 176, 184, 500}};

/* Read an integer of 1 to 8 bytes, with its sign unless it is a byte. */
static int64_t integer_at(const void *head, int at, int size, bool swap)
{
    const unsigned char *b = (const unsigned char *)head + at;
    const bool big = swap != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
    uint64_t value = 0;
    for (int k = 0; k < size; k++) value |= (uint64_t)b[big ? size - 1 - k : k] << 8 * k;
    if (size == 2) return (int16_t)value;
    if (size == 4) return (int32_t)value;
    return (int64_t)value;
}

static double real_at(const void *head, int at, int size, bool swap)
{
    const int64_t word = integer_at(head, at, size, swap);
    if (size == 8) {
        double value;
        memcpy(&value, &word, sizeof value);
        return value;
    }
    const uint32_t bits = (uint32_t)word;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* Find version and byte order; false for what is no NIfTI header. */
static bool recognise(const void *head, size_t length, header *h)
{
    for (int v = 0; v < 2; v++) {
        const layout *l = &layouts[v];
        if (length < (size_t)l->size) continue;
        const char *magic = (const char *)head + l->magic;
        const bool single = magic[1] == '+',
                   named = magic[0] == 'n' && magic[2] == '1' + v && magic[3] == '\0';
        if (!named || (!single && magic[1] != 'i')) continue;
        for (int swap = 0; swap < 2; swap++)
            if (integer_at(head, 0, 4, swap) == l->size) {
                *h = (header){.version = v + 1, .swap = swap, .pair = !single};
                return true;
            }
    }
    return false;
}

bool rill_nifti_begins(const void *head, size_t length)
{
    header h;
    return recognise(head, length, &h);
}

static rill_status read_header(const void *head, size_t length, header *h)
{
    if (!recognise(head, length, h))
        return rill_fail(
            RILL_USAGE,
            "it does not begin with the header of NIfTI-1 (348 bytes) or NIfTI-2 (540 bytes): it is another format or it is cut");
    const layout *l = &layouts[h->version - 1];
    for (int k = 0; k < 8; k++) {
        h->n[k] = integer_at(head, l->dim + k * l->dim_size, l->dim_size, h->swap);
        h->spacing[k] = real_at(head, l->pixdim + k * l->real_size, l->real_size, h->swap);
    }
    h->type = (int)integer_at(head, l->type, 2, h->swap);
    h->offset = h->version == 1 ? real_at(head, l->offset, 4, h->swap)
                                : (double)integer_at(head, l->offset, 8, h->swap);
    h->slope = real_at(head, l->slope, l->real_size, h->swap);
    h->intercept = real_at(head, l->intercept, l->real_size, h->swap);
    h->unit = (int)integer_at(head, l->unit, h->version == 1 ? 1 : 4, h->swap) & 7;
    return RILL_OK;
}

static rill_status settle_voxels(const header *h, rill_image *image)
{
    static const struct {
        int code;
        rill_grey type;
    } types[] = {{2, RILL_GREY_U8},    {256, RILL_GREY_I8}, {512, RILL_GREY_U16},  {4, RILL_GREY_I16},
                 {768, RILL_GREY_U32}, {8, RILL_GREY_I32},  {1280, RILL_GREY_U64}, {1024, RILL_GREY_I64},
                 {16, RILL_GREY_F32},  {64, RILL_GREY_F64}};
    if (h->n[0] < 2 || h->n[0] > 7)
        return rill_fail(RILL_USAGE, "dim[0] is %lld: 2 to 7 axes are possible", (long long)h->n[0]);
    uint64_t n[3] = {1, 1, 1};
    for (int k = 1; k <= h->n[0]; k++) {
        if (h->n[k] < 1)
            return rill_fail(RILL_USAGE, "dim[%d] is %lld: 1 or more is needed", k, (long long)h->n[k]);
        if (k > 3 && h->n[k] > 1)
            return rill_fail(RILL_USAGE, "it holds %lld volumes (dim[%d]): save one by itself",
                             (long long)h->n[k], k);
        if (k <= 3) n[k - 1] = (uint64_t)h->n[k];
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].code == h->type) {
            image->type = types[i].type;
            image->swap = h->swap && rill_grey_size(image->type) > 1;
            return rill_image_set_size(image, n, h->n[0] < 3 ? 2 : 3);
        }
    return rill_fail(
        RILL_USAGE,
        "its datatype is %d: integers of 8 to 64 bits (2, 4, 8, 256, 512, 768, 1024, 1280) and floats (16, 64) are read",
        h->type);
}

static void settle_spacing(const header *h, rill_image *image)
{
    static const double units[8] = {1, 1, 1e-3, 1e-6, 0, 0, 0, 0};
    const double s[3] = {h->spacing[1], h->spacing[2], h->n[0] < 3 ? h->spacing[1] : h->spacing[3]};
    const bool scales = isfinite(h->slope) && isfinite(h->intercept) && h->slope != 0;
    if (scales && (h->slope != 1 || h->intercept != 0))
        rill_image_remark(image,
                          "the NIfTI scales values by %g and adds %g; --pore means the stored values\n",
                          h->slope, h->intercept);
    if (units[h->unit] > 0) rill_image_set_spacing(image, "pixdim", s, units[h->unit], h->unit > 0);
    if (h->unit == 0 && image->spacing[0] > 0)
        rill_image_note_spacing(
            image, "the NIfTI does not state the unit of its voxels of %g x %g x %g: give --voxel-size", s[0],
            s[1], s[2]);
}

/* The file of the voxels of a pair: .img or .img.gz in place of .hdr, which may lead out of the directory as
 * the file that a header names may; the caller frees it. */
static rill_status find_voxels(const char *path, const rill_image *image, char **data)
{
    static const char *const endings[] = {".img", ".img.gz", NULL};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    if (!rill_name_ends(path, ".hdr"))
        return rill_fail(
            RILL_USAGE,
            "its voxels are in a file of their own (.img), but its name does not end in .hdr: rename both, or save one .nii file");
    for (int k = 0;; k++) {
        char *name = NULL;
        if (asprintf(&name, "%.*s%s", (int)strlen(base) - 4, base, endings[k]) < 0)
            return rill_fail(RILL_SYSTEM, "out of memory for a file name");
        const rill_status status = rill_file_beside(
            path, name, image->allow_outside ? RILL_OUTSIDE_ALLOWED : RILL_OUTSIDE_ASKED, data);
        free(name);
        if (status != RILL_OK || access(*data, F_OK) == 0 || !endings[k + 1]) return status;
        free(*data);
        *data = NULL;
    }
}

/* The first bytes of a file, inflated where they are deflated. */
static rill_status read_head(const char *path, char head[RILL_NIFTI_HEADER], size_t *length, bool *deflated)
{
    rill_status status = RILL_OK;
    rill_byte_stream *stream = NULL;
    char *begin = NULL;
    uint64_t got = 0;
    RILL_TRY(rill_file_head(path, RILL_NIFTI_HEADER, &begin, length));
    *deflated = *length >= 2 && memcmp(begin, "\x1f\x8b", 2) == 0;
    memcpy(head, begin, *length);
    if (!*deflated) goto done;
    RILL_TRY(rill_inflate_open(path, 0, &stream));
    RILL_TRY(stream->read(stream, head, RILL_NIFTI_HEADER, &got));
    *length = (size_t)got;
done:
    rill_stream_close(stream);
    free(begin);
    return status;
}

static rill_status settle_data(const header *h, const char *path, bool deflated, rill_image *image)
{
    rill_status status = RILL_OK;
    char *data = NULL, begin[RILL_NIFTI_HEADER];
    size_t length;
    const double least = h->pair ? 0 : layouts[h->version - 1].size;
    if (!(h->offset >= least) || h->offset > 1e15 || h->offset != floor(h->offset))
        return rill_fail(RILL_USAGE, "vox_offset is %g: a whole number of at least %g is needed", h->offset,
                         least);
    rill_bytes_source source = {
        .path = path, .deflated = deflated, .remedy = "the file is cut or its header is wrong"};
    if (h->pair) {
        RILL_TRY(find_voxels(path, image, &data));
        RILL_TRY(rill_image_add_file(image, path));
        source.path = data;
        status = read_head(data, begin, &length, &source.deflated);
        if (status != RILL_OK) {
            rill_fail_prefix("%s", data);
            goto done;
        }
    }
    if (source.deflated)
        source.skip = (uint64_t)h->offset;
    else
        source.offset = (int64_t)h->offset;
    RILL_TRY(rill_image_read_bytes(image, &source));
    snprintf(image->kind, sizeof image->kind, "NIfTI-%d%s%s%s", h->version,
             h->pair ? ", header and voxels apart" : "", source.deflated ? ", gzip" : "",
             image->swap ? ", swapped bytes" : "");
done:
    free(data);
    return status;
}

rill_status rill_image_open_nifti(const char *path, rill_image *image)
{
    rill_status status = RILL_OK;
    char head[RILL_NIFTI_HEADER];
    size_t length;
    bool deflated = false;
    header h;
    RILL_TRY(read_head(path, head, &length, &deflated));
    RILL_TRY(read_header(head, length, &h));
    RILL_TRY(settle_voxels(&h, image));
    settle_spacing(&h, image);
    RILL_TRY(settle_data(&h, path, deflated, image));
done:
    return status;
}
