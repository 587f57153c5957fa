/* SPDX-License-Identifier: Apache-2.0 */
/* Which format a file has: by its first bytes, then by its name. Files that are surely no image are refused
 * with what to do. */
#include "geometry/image/file_names.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/stream.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOK = 4096, LOOKED_MOST = 100 /* files of a directory */ };

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
    {"PK\x03\x04", 4, RILL_IMAGE_NPZ},
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
               {".dream3d", RILL_IMAGE_HDF5}, {".emd", RILL_IMAGE_HDF5}};

#define DICOM                                                                                                \
    "convert the series to NIfTI, for example with dcm2niix -o FOLDER SERIES (package dcm2niix), and give "  \
    "the .nii "                                                                                              \
    "file"
#define VTK_REMEDY                                                                                           \
    "open it in ParaView, apply Resample To Image if it is no image data, and save it as VTI (XML Image "    \
    "Data)"

/* Refuse what is surely another kind of file, with the way out. */
static rill_status refuse_foreign(const char *head, size_t length)
{
    static const struct {
        size_t at;
        const char *magic;
        size_t length;
        const char *what;
    } foreign[] = {
        {0,
         "\xfd"
         "7zXZ",
         6, "is compressed with xz: run xz -dk on it first"},
        {0, "\x1f\x8b\x08", 3, "is compressed with gzip: run gunzip -k on it first"},
        {0, "BZh", 3, "is compressed with bzip2: run bunzip2 -k on it first"},
        {0, "\x28\xb5\x2f\xfd", 4, "is compressed with zstd: run zstd -d on it first"},
        {0, "\x89PNG\r\n\x1a\n", 8,
         "is a PNG picture: give the stack as TIFF, npy, NRRD, MHD, NIfTI, VTI or raw"},
        {0, "# vtk DataFile", 14, "is a legacy VTK file: " VTK_REMEDY},
        {128, "DICM", 4, "is a DICOM file: " DICOM},
    };
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (length >= foreign[i].at + foreign[i].length &&
            memcmp(head + foreign[i].at, foreign[i].magic, foreign[i].length) == 0)
            return rill_fail(RILL_USAGE, "it %s (or say --format raw)", foreign[i].what);
    return RILL_OK;
}

rill_status rill_image_refuse_dicom(const char *directory)
{
    rill_status status = RILL_OK;
    DIR *open = opendir(directory);
    int looked = 0;
    for (const struct dirent *entry;
         open && status == RILL_OK && looked < LOOKED_MOST && (entry = readdir(open));) {
        char path[4096], *head = NULL;
        size_t length;
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path)
            continue;
        looked++;
        if (rill_file_head(path, 132, &head, &length) == RILL_OK && length == 132 &&
            memcmp(head + 128, "DICM", 4) == 0)
            status = rill_fail(RILL_USAGE, "it is a DICOM series: " DICOM);
        free(head);
    }
    if (open) closedir(open);
    return status;
}

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

/* A file of VTK is XML whose root says what it holds. */
static rill_status detect_vtk(const char *head, rill_image_format *format)
{
    const char *root =
        head[0] == '<' || memcmp(head, "\xef\xbb\xbf<", 4) == 0 ? strstr(head, "<VTKFile") : NULL;
    if (!root) return RILL_OK;
    const size_t tag = strcspn(root, ">");
    const char *type = strstr(root, "type");
    if (type && type < root + tag) {
        type += 4 + strspn(type + 4, " \t\r\n=");
        if (strncmp(type + 1, "ImageData\"", 10) == 0 || strncmp(type + 1, "ImageData'", 10) == 0) {
            *format = RILL_IMAGE_VTI;
            return RILL_OK;
        }
        if (strncmp(type + 1, "PolyData", 8) == 0) return rill_fail(RILL_USAGE, RILL_SURFACE_REMEDY);
    }
    return rill_fail(RILL_USAGE, "it is a VTK XML file, but not of type ImageData: " VTK_REMEDY);
}

rill_status rill_image_detect(const char *path, rill_image_format *format)
{
    rill_status status = RILL_OK;
    char *head = NULL;
    size_t length;
    *format = RILL_IMAGE_AUTO;
    RILL_TRY(rill_file_head(path, LOOK, &head, &length));
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings && *format == RILL_IMAGE_AUTO; i++)
        if (length >= beginnings[i].length && memcmp(head, beginnings[i].magic, beginnings[i].length) == 0)
            *format = beginnings[i].format;
    if (*format == RILL_IMAGE_AUTO && rill_nifti_begins(head, length)) *format = RILL_IMAGE_NIFTI;
    if (*format == RILL_IMAGE_AUTO && length >= 2 && memcmp(head, "\x1f\x8b", 2) == 0 &&
        is_deflated_nifti(path))
        *format = RILL_IMAGE_NIFTI;
    if (*format == RILL_IMAGE_AUTO) RILL_TRY(detect_vtk(head, format));
    for (size_t i = 0; i < sizeof endings / sizeof *endings && *format == RILL_IMAGE_AUTO; i++)
        if (rill_name_ends(path, endings[i].ending)) *format = endings[i].format;
    if (*format != RILL_IMAGE_AUTO) goto done;
    if (rill_surface_named(path)) RILL_TRY(rill_fail(RILL_USAGE, RILL_SURFACE_REMEDY));
    RILL_TRY(refuse_foreign(head, length));
    *format = RILL_IMAGE_RAW;
done:
    free(head);
    return status;
}
