/* SPDX-License-Identifier: Apache-2.0 */
/* Files and directories that are images, or were to be, but that rill does not read: each is refused with the
 * name of its format and what converts it. */
#include "geometry/image/file_names.h"
#include "geometry/image/image_priv.h"
#include "geometry/image/vtk_xml.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_MOST = 100 /* files of a directory */ };

#define DICOM                                                                                                \
    "convert the series to NIfTI, for example with dcm2niix -o FOLDER SERIES (package dcm2niix), and give "  \
    "the .nii file"
#define PICTURES(ending) "convert it with mogrify -format png *." ending " (ImageMagick), and give the PNG"
#define MATLAB                                                                                               \
    "save the array again with save('FILE.mat', 'NAME', '-v7.3'), which rill reads as FILE.mat:/NAME, or "   \
    "convert it with python3 -c \"import numpy, scipy.io; numpy.save('FILE.npy', "                           \
    "scipy.io.loadmat('FILE.mat')['NAME'].T)\""
#define AMIRA "open it in Fiji, Amira or Avizo, and save it as TIFF"
#define ZARR                                                                                                 \
    "convert it with python3 -c \"import numpy, zarr; numpy.save('FILE.npy', zarr.open('FOLDER', "           \
    "mode='r')[...])\", with the path of the array in a group behind FOLDER"
#define LFS "a Git LFS pointer, which stands for a file: run git lfs pull in its repository"
#define VTK "open it in ParaView, apply Resample To Image, and save it as VTI (XML Image Data)"

/* A file that begins like this is of that format. */
static const struct {
    size_t at;
    const char *magic;
    size_t length;
    const char *what;
} foreign[] = {
    {0,
     "\xfd"
     "7zXZ",
     6, "compressed with xz: run xz -dk on it first"},
    {0, "\x1f\x8b\x08", 3,
     "compressed with gzip: run gunzip -k on it first (raw voxels may stay compressed if the name ends in .gz)"},
    {0, "BZh", 3, "compressed with bzip2: run bunzip2 -k on it first"},
    {0, "\x28\xb5\x2f\xfd", 4, "compressed with zstd: run zstd -d on it first"},
    {0, "7z\xbc\xaf\x27\x1c", 6, "a 7z archive: unpack it first, with 7z x"},
    {257, "ustar", 5, "a tar archive: unpack it first, with tar -xf"},
    {128, "DICM", 4, "a DICOM file: " DICOM},
    {0, "# AmiraMesh", 11, "an AmiraMesh file: " AMIRA},
    {0, "# Avizo", 7, "an AmiraMesh file (Avizo): " AMIRA},
    {0, "MATLAB 5.0 MAT-file", 19, "a MATLAB file of version 5 to 7: " MATLAB},
    {0, "GIF8", 4, "a GIF picture: " PICTURES("gif")},
    {0, "\xff\xd8\xff", 3,
     "a JPEG picture, whose compression changes grey values: take the images that it was made from"},
    {0, "\0\0\0\x0cjP  ", 8, "a JPEG 2000 picture: " PICTURES("jp2")},
    {0, "ZISRAWFILE", 10, "a CZI file of Zeiss: convert it with bfconvert FILE.czi FILE.tif (Bio-Formats)"},
    {0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 8,
     "an OLE container, such as TXM of Zeiss: export its slices as TIFF from the program that wrote it"},
    {0, "ply\n", 4, "a PLY surface: make a geometry of it first, with rill voxelize --units mm --dx 0.25mm"},
};

static bool begins(const char *head, size_t length, const char *magic)
{
    const size_t wanted = strlen(magic);
    return length >= wanted && strncasecmp(head, magic, wanted) == 0;
}

/* A BMP states the length of its header, one of a few. */
static bool is_bmp(const char *head, size_t length)
{
    static const unsigned char headers[] = {12, 40, 52, 56, 64, 108, 124};
    return length >= 26 && memcmp(head, "BM", 2) == 0 && memcmp(head + 6, "\0\0\0\0", 4) == 0 &&
           memchr(headers, (unsigned char)head[14], sizeof headers) && memcmp(head + 15, "\0\0\0", 3) == 0;
}

static bool is_pnm(const char *head, size_t length)
{
    return length >= 3 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' && strchr(" \t\r\n", head[2]) &&
           head[2];
}

rill_status rill_image_refuse_pointer(const char *head, size_t length)
{
    if (!begins(head, length, "version https://git-lfs")) return RILL_OK;
    return rill_fail(RILL_USAGE, "it is " LFS);
}

rill_status rill_image_refuse_page(const char *head, size_t length)
{
    const char *at = head + strspn(head, " \t\r\n");
    const size_t left = length - (size_t)(at - head);
    if (!begins(at, left, "<!DOCTYPE html") && !begins(at, left, "<html")) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "it is a page of a web site (HTML), not the file that its name promises: download it again");
}

rill_status rill_image_refuse_text(const char *head, size_t length)
{
    if (begins(head, length, "<?xml"))
        return rill_fail(RILL_USAGE, "it is an XML file of a format that rill does not read");
    return rill_fail(
        RILL_USAGE,
        "it is a text with more than numbers, no image that rill reads: a text image has numbers alone, a row of voxels on each line");
}

rill_status rill_image_refuse_foreign(const char *path, const char *head, size_t length)
{
    char dataset[RILL_VTK_NAME];
    const rill_status status = rill_image_refuse_pointer(head, length);
    if (status != RILL_OK) return status;
    if (rill_vtk_legacy_dataset(head, length, dataset))
        return rill_fail(
            RILL_USAGE, "it is a legacy VTK file of the dataset \"%s\", and images are STRUCTURED_POINTS: %s",
            dataset,
            strcmp(dataset, "POLYDATA") == 0
                ? "it is a surface, open it in ParaView and save it as STL or PLY"
                : VTK);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (length >= foreign[i].at + foreign[i].length &&
            memcmp(head + foreign[i].at, foreign[i].magic, foreign[i].length) == 0)
            return rill_fail(RILL_USAGE, "it is %s", foreign[i].what);
    if (is_bmp(head, length)) return rill_fail(RILL_USAGE, "it is a BMP picture: " PICTURES("bmp"));
    if (is_pnm(head, length))
        return rill_fail(RILL_USAGE, "it is a PNM picture (PBM, PGM, PPM): " PICTURES("pgm"));
    if (rill_name_ends(path, ".mat"))
        return rill_fail(
            RILL_USAGE, "its name is that of a MATLAB file, but it is of neither version 5 nor 7.3: " MATLAB);
    return RILL_OK;
}

/* ---- directories ----------------------------------------------------------------------------- */

static bool is_zarr(const char *name)
{
    return strcmp(name, ".zarray") == 0 || strcmp(name, ".zgroup") == 0 || strcmp(name, "zarr.json") == 0;
}

/* Say what one file of a directory shows that the directory is. */
static rill_status refuse_member(const char *path)
{
    char *head = NULL;
    size_t length;
    rill_status status = rill_file_head(path, 132, &head, &length);
    if (status == RILL_OK && length == 132 && memcmp(head + 128, "DICM", 4) == 0)
        status = rill_fail(RILL_USAGE, "it is a DICOM series: " DICOM);
    else if (status == RILL_OK && is_bmp(head, length))
        status = rill_fail(RILL_USAGE, "it is a directory of BMP pictures: " PICTURES("bmp"));
    else if (status == RILL_OK && is_pnm(head, length))
        status = rill_fail(RILL_USAGE, "it is a directory of PNM pictures: " PICTURES("pgm"));
    else if (status == RILL_OK && length > 4 &&
             (memcmp(head, "\xff\xd8\xff", 3) == 0 || memcmp(head, "GIF8", 4) == 0))
        status = rill_fail(
            RILL_USAGE,
            "it is a directory of %s pictures: take the images that they were made from, as TIFF or PNG",
            head[0] == 'G' ? "GIF" : "JPEG");
    else
        status = RILL_OK;
    free(head);
    return status;
}

rill_status rill_image_refuse_directory(const char *directory)
{
    rill_status status = RILL_OK;
    DIR *open = opendir(directory);
    int looked = 0;
    for (const struct dirent *entry;
         open && status == RILL_OK && looked < LOOKED_MOST && (entry = readdir(open));) {
        char path[4096];
        if (is_zarr(entry->d_name)) status = rill_fail(RILL_USAGE, "it is a Zarr store: " ZARR);
        if (entry->d_name[0] == '.' ||
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name) >= (int)sizeof path)
            continue;
        looked++;
        if (status == RILL_OK) status = refuse_member(path);
    }
    if (open) closedir(open);
    if (status != RILL_OK) return status;
    return rill_fail(RILL_USAGE,
                     "the directory holds no TIFF files (*.tif, *.tiff) and no PNG files (*.png)");
}
