/* SPDX-License-Identifier: Apache-2.0 */
/*
 * VTK XML image data (.vti) and legacy VTK files of STRUCTURED_POINTS (.vtk): the values at points or in
 * cells are the voxels. The format has no unit of length, so that its spacing gives only the ratio of the
 * edges. The array is the only one with single numbers, or the one that is named ("scan.vti:/image",
 * "scan.vti:/CellData/image"). Origin and direction are not used.
 */
#include "geometry/image/image_priv.h"
#include "geometry/image/vtk_xml.h"

#include <stdio.h>
#include <string.h>

static bool is_cells(const rill_vtk_array *array) { return strcmp(array->place, "CellData") == 0; }

static bool is_image(const rill_vtk_array *array)
{
    return array->known && array->components == 1 &&
           (is_cells(array) || strcmp(array->place, "PointData") == 0);
}

/* Return whether an array is meant by "name" or "CellData/name". */
static bool is_named(const rill_vtk_array *array, const char *name)
{
    const size_t place = strlen(array->place);
    if (strcmp(array->name, name) == 0) return true;
    return strncmp(name, array->place, place) == 0 && name[place] == '/' &&
           strcmp(array->name, name + place + 1) == 0;
}

static rill_status choose(const rill_vtk_file *file, const char *name, const rill_vtk_array **out)
{
    char list[400] = "";
    size_t used = 0;
    int found = 0;
    for (int k = 0; k < file->arrays; k++) {
        const rill_vtk_array *a = &file->array[k];
        if (!is_image(a)) continue;
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s/%s", used ? ", " : "", a->place,
                                     a->name);
        if (name && !is_named(a, name)) continue;
        if (found++ == 0) *out = a;
    }
    if (found == 1) return RILL_OK;
    if (!*list)
        return rill_fail(RILL_USAGE, "it has no array of single numbers at its points or in its cells");
    if (found == 0)
        return rill_fail(RILL_USAGE, "it has no array \"%s\" of single numbers: it has %s", name, list);
    return rill_fail(RILL_USAGE, "it has %d arrays that may be the image: name one, such as FILE:/%.*s (%s)",
                     found, (int)strcspn(list, ","), list, list);
}

static rill_status settle_size(const rill_vtk_file *file, const rill_vtk_array *array, rill_image *image)
{
    uint64_t n[3];
    if (memcmp(file->extent, file->whole, sizeof file->whole) != 0)
        return rill_fail(RILL_USAGE,
                         "its only piece is a part of it: the others are in other files, save it as one");
    for (int a = 0; a < 3; a++) {
        const int64_t cells = file->whole[2 * a + 1] - file->whole[2 * a];
        if (cells < 0)
            return rill_fail(RILL_USAGE, "its extent along %c is %lld to %lld: it holds nothing",
                             rill_axis(a), (long long)file->whole[2 * a], (long long)file->whole[2 * a + 1]);
        n[a] = (uint64_t)cells + !is_cells(array);
        if (n[a] == 0) n[a] = 1; /* a flat image has no thickness */
    }
    return rill_image_set_size(image, n, 3);
}

/* Let an image read an array of an open file. @param format  "VTI" */
static rill_status open_array(const char *path, const rill_vtk_file *file, const char *format,
                              const char *name, rill_image *image)
{
    rill_status status = RILL_OK;
    const rill_vtk_array *array = NULL;
    rill_byte_stream *stream = NULL;
    RILL_TRY(choose(file, name ? name + 1 : NULL, &array));
    RILL_TRY(settle_size(file, array, image));
    const bool ascii = array->coding == RILL_VTK_ASCII, plain = array->coding == RILL_VTK_PLAIN;
    image->type = array->type;
    image->swap = file->swap && rill_grey_size(array->type) > 1 && !ascii;
    rill_image_set_spacing(image, "Spacing", file->spacing, 1, false);
    if (image->spacing[0] > 0)
        rill_image_note_spacing(image, "a %s states no unit of its spacing %g x %g x %g: give --voxel-size",
                                format, file->spacing[0], file->spacing[1], file->spacing[2]);
    snprintf(image->kind, sizeof image->kind, "%s, %s%s%s", format,
             ascii                                                      ? "ASCII"
             : plain                                                    ? "binary"
             : array->coding == RILL_VTK_APPENDED && file->appended_raw ? "raw"
                                                                        : "base64",
             file->compressed && !ascii ? ", zlib" : "", is_cells(array) ? ", cells" : ", points");
    RILL_TRY(rill_image_add_file(image, path));
    RILL_TRY(rill_vtk_stream(file, array, (uint64_t)image->n[0] * image->n[1] * image->n[2], &stream));
    RILL_TRY(rill_image_read_stream(image, stream, 0, false));
done:
    return status;
}

rill_status rill_image_open_vti(const char *path, const char *name, rill_image *image)
{
    rill_status status = RILL_OK;
    rill_vtk_file *file = NULL;
    RILL_TRY(rill_vtk_open(path, &file));
    if (strcmp(file->type, "ImageData") != 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it is a VTK file of type \"%s\": images are of type ImageData",
                           file->type));
    RILL_TRY(open_array(path, file, "VTI", name, image));
done:
    rill_vtk_close(file);
    return status;
}

rill_status rill_image_open_vtk(const char *path, const char *name, rill_image *image)
{
    rill_status status = RILL_OK;
    rill_vtk_file *file = NULL;
    RILL_TRY(rill_vtk_legacy_open(path, &file));
    RILL_TRY(open_array(path, file, "legacy VTK", name, image));
done:
    rill_vtk_close(file);
    return status;
}
