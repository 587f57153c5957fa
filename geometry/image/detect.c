/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a file has: by its first bytes, then by its name. What is refused is foreign.c's. */
#include "geometry/image/file_names.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"
#include "geometry/image/vtk_xml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 4096 };

/* A file that begins like this is of that format. */
static const struct {
    const char *magic;
    size_t length;
    rill_image_format format;
} beginnings[] = {
    {"\x93NUMPY", 6, RILL_IMAGE_NPY},   {"NRRD000", 7, RILL_IMAGE_NRRD},
    {"II*\0", 4, RILL_IMAGE_TIFF},      {"MM\0*", 4, RILL_IMAGE_TIFF},
    {"II+\0", 4, RILL_IMAGE_TIFF},      {"MM\0+", 4, RILL_IMAGE_TIFF},
    {"ObjectType", 10, RILL_IMAGE_MHD}, {"NDims", 5, RILL_IMAGE_MHD},
    {"CDF\1", 4, RILL_IMAGE_NETCDF},    {"CDF\2", 4, RILL_IMAGE_NETCDF},
    {"CDF\5", 4, RILL_IMAGE_NETCDF},    {"\x89HDF\r\n\x1a\n", 8, RILL_IMAGE_HDF5},
    {"PK\x03\x04", 4, RILL_IMAGE_NPZ},  {"\x89PNG\r\n\x1a\n", 8, RILL_IMAGE_PNG},
};

/* A file with this name is of that format, whatever it begins with: its reader says what is wrong. */
static const struct {
    const char *ending;
    rill_image_format format;
} endings[] = {{".mhd", RILL_IMAGE_MHD},      {".mha", RILL_IMAGE_MHD},   {".npy", RILL_IMAGE_NPY},
               {".nrrd", RILL_IMAGE_NRRD},    {".nhdr", RILL_IMAGE_NRRD}, {".tif", RILL_IMAGE_TIFF},
               {".tiff", RILL_IMAGE_TIFF},    {".nii", RILL_IMAGE_NIFTI}, {".nii.gz", RILL_IMAGE_NIFTI},
               {".npz", RILL_IMAGE_NPZ},      {".vti", RILL_IMAGE_VTI},   {".nc", RILL_IMAGE_NETCDF},
               {".cdf", RILL_IMAGE_NETCDF},   {".h5", RILL_IMAGE_HDF5},   {".hdf5", RILL_IMAGE_HDF5},
               {".dream3d", RILL_IMAGE_HDF5}, {".emd", RILL_IMAGE_HDF5},  {".png", RILL_IMAGE_PNG}};

/* Names of raw voxels, whatever they look like. */
static const char *const raws[] = {".raw",    ".bin",    ".img",    ".vol",
                                   ".raw.gz", ".bin.gz", ".img.gz", ".vol.gz"};

#define VTK_REMEDY                                                                                           \
    "open it in ParaView, apply Resample To Image if it is not image data, and save it as VTI (XML Image "   \
    "Data)"

/* Return whether a gzip file inflates to the beginning of a NIfTI file. */
static bool is_deflated_nifti(const char *path)
{
    rill_byte_stream *stream = NULL;
    char head[RILL_NIFTI_HEADER];
    uint64_t got = 0;
    if (rill_inflate_open(path, 0, &stream) != RILL_OK) return false;
    const bool is =
        stream->read(stream, head, sizeof head, &got) == RILL_OK && rill_nifti_begins(head, (size_t)got);
    rill_stream_close(stream);
    return is;
}

/* HDF5 may begin behind a block of another program, as MATLAB 7.3 writes it. */
static bool is_hdf5_behind(const char *head, size_t length)
{
    for (size_t at = 512; at + 8 <= length; at *= 2)
        if (memcmp(head + at, "\x89HDF\r\n\x1a\n", 8) == 0) return true;
    return false;
}

/* A file of VTK is XML whose root says what it holds. */
static rill_status detect_vtk(const char *head, rill_image_format *format)
{
    const char *root =
        head[0] == '<' || memcmp(head, "\xef\xbb\xbf<", 4) == 0 ? strstr(head, "<VTKFile") : NULL;
    if (!root) return RILL_OK;
    const size_t tag = strcspn(root, ">");
    const char *type = strstr(root, "type");
    int length = 0;
    if (type && type < root + tag) {
        type += 4 + strspn(type + 4, " \t\r\n=");
        type += *type != '\0';
        length = (int)strcspn(type, "\"'<>");
        if (length == 9 && strncmp(type, "ImageData", 9) == 0) {
            *format = RILL_IMAGE_VTI;
            return RILL_OK;
        }
        if (strncmp(type, "PolyData", 8) == 0) return rill_fail(RILL_USAGE, RILL_SURFACE_REMEDY, "VTP");
    }
    return rill_fail(RILL_USAGE,
                     "it is a VTK XML file of type \"%.*s\", and images are ImageData: " VTK_REMEDY,
                     length < 40 ? length : 40, length ? type : "");
}

/* By the first bytes. @return RILL_USAGE for what is no image that is read */
static rill_status detect_content(const char *path, const char *head, size_t length,
                                  rill_image_format *format)
{
    char dataset[RILL_VTK_NAME];
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
        if (length >= beginnings[i].length && memcmp(head, beginnings[i].magic, beginnings[i].length) == 0) {
            *format = beginnings[i].format;
            return RILL_OK;
        }
    if (is_hdf5_behind(head, length))
        *format = RILL_IMAGE_HDF5;
    else if (rill_nifti_begins(head, length) ||
             (length >= 2 && memcmp(head, "\x1f\x8b", 2) == 0 && is_deflated_nifti(path)))
        *format = RILL_IMAGE_NIFTI;
    else if (rill_vtk_legacy_dataset(head, length, dataset) && strcmp(dataset, "STRUCTURED_POINTS") == 0)
        *format = RILL_IMAGE_VTK;
    return *format == RILL_IMAGE_AUTO ? detect_vtk(head, format) : RILL_OK;
}

static bool is_raw_named(const char *path)
{
    for (size_t i = 0; i < sizeof raws / sizeof *raws; i++)
        if (rill_name_ends(path, raws[i])) return true;
    return false;
}

/* Return whether a name is that of a compressed file of another format than raw: "rock.npy.gz". */
static bool is_packed_format(const char *path)
{
    char ending[16];
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        snprintf(ending, sizeof ending, "%s.gz", endings[i].ending);
        if (rill_name_ends(path, ending)) return true;
    }
    return false;
}

/* What may be raw voxels, or numbers in a text. @param told  a size or type was given, by options or the name
 */
static rill_status detect_rest(const char *path, const char *head, size_t length, bool told,
                               rill_image_format *format)
{
    rill_status status = RILL_OK;
    const bool packed = rill_name_ends(path, ".gz") && length >= 2 && memcmp(head, "\x1f\x8b", 2) == 0;
    *format = RILL_IMAGE_RAW;
    if (is_raw_named(path) || (packed && told && !is_packed_format(path)))
        return rill_image_refuse_pointer(head, length);
    RILL_TRY(rill_image_refuse_foreign(path, head, length));
    const rill_text_kind text = rill_text_kind_of(head, length);
    if (text == RILL_TEXT_NUMBERS) *format = RILL_IMAGE_TEXT;
    if (text == RILL_TEXT_OTHER && !told) status = rill_image_refuse_text(head, length);
done:
    return status;
}

rill_status rill_image_detect(const char *path, bool told, rill_image_format *format)
{
    rill_status status = RILL_OK;
    char *head = NULL;
    size_t length;
    *format = RILL_IMAGE_AUTO;
    RILL_TRY(rill_file_head(path, LOOK, &head, &length));
    RILL_TRY(rill_image_refuse_pointer(head, length));
    RILL_TRY(rill_image_refuse_page(head, length));
    RILL_TRY(detect_content(path, head, length, format));
    for (size_t i = 0; i < sizeof endings / sizeof *endings && *format == RILL_IMAGE_AUTO; i++)
        if (rill_name_ends(path, endings[i].ending)) *format = endings[i].format;
    if (*format != RILL_IMAGE_AUTO) goto done;
    if (rill_surface_named(path))
        RILL_TRY(rill_fail(RILL_USAGE, RILL_SURFACE_REMEDY, rill_surface_kind(path)));
    RILL_TRY(detect_rest(path, head, length, told || rill_raw_hints_of(path, 0).n[0] > 0, format));
done:
    free(head);
    return status;
}
