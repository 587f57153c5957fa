/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where HDF5 files state the size of voxels; the first one that does counts:
 *
 * - attribute element_size_um of the dataset (Fiji, ilastik): micrometres, in the order of the axes
 * - dimension scales (NetCDF-4, h5py): coordinates with the attribute "units"
 * - datasets dim1, dim2, … beside it with the attributes "name" and "units" (EMD 0.2, as tomviz writes it)
 * - _SIMPL_GEOMETRY/SPACING in the data container (DREAM.3D 6): x, y, z, without unit
 */
#include "geometry/image/coordinates.h"
#include "geometry/image/hdf5_priv.h"

#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MOST = 256 /* bytes of a text attribute that is read */ };

/* Read a text attribute; "" where there is none. */
static void text_of(hid_t object, const char *name, char *text, size_t size)
{
    text[0] = '\0';
    const hid_t attribute =
        H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) return;
    char *read = rill_h5_attribute_text(attribute, TEXT_MOST);
    if (read) snprintf(text, size, "%s", read);
    free(read);
    rill_h5_release(attribute);
}

static bool is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    return class == H5T_INTEGER || class == H5T_FLOAT;
}

/* Read exactly `count` numbers of an attribute. */
static bool attribute_reals(hid_t object, const char *name, double *values, int count)
{
    const hid_t attribute =
        H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0) return false;
    const bool good = rill_h5_attribute_numbers(attribute, H5T_NATIVE_DOUBLE, (uint64_t)count, values);
    rill_h5_release(attribute);
    return good;
}

/* Read value number `index` of a dataset with one axis. */
static bool value_at(hid_t dataset, hsize_t index, double *value)
{
    const hsize_t one = 1;
    const hid_t space = H5Dget_space(dataset), memory = H5Screate_simple(1, &one, NULL);
    const bool good = H5Sget_simple_extent_ndims(space) == 1 &&
                      H5Sselect_hyperslab(space, H5S_SELECT_SET, &index, NULL, &one, NULL) >= 0 &&
                      H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, value) >= 0;
    rill_h5_release(memory);
    rill_h5_release(space);
    return good;
}

/* The elements of a dataset of numbers with one axis; 0: it is none. */
static uint64_t length_of(hid_t dataset)
{
    hsize_t n = 0;
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    if (is_number(type) && H5Sget_simple_extent_ndims(space) == 1) H5Sget_simple_extent_dims(space, &n, NULL);
    rill_h5_release(type);
    rill_h5_release(space);
    return n;
}

/* Read coordinates of a dataset: two may stand for all of them. */
static void read_coordinates(hid_t dataset, rill_coordinates *c)
{
    const uint64_t n = length_of(dataset);
    if (n > 1 && value_at(dataset, 0, &c->first[0]) && value_at(dataset, 1, &c->first[1]) &&
        value_at(dataset, n - 1, &c->last))
        c->count = n;
}

static hid_t open_dataset(const rill_hdf5_set *set, const char *path)
{
    const hid_t object = rill_h5_open_object(set->file, path, set->outside);
    if (object >= 0 && H5Iget_type(object) == H5I_DATASET) return object;
    rill_h5_release(object);
    return H5I_INVALID_HID;
}

static bool from_element_size(const rill_hdf5_set *set, rill_image *image)
{
    double all[RILL_HDF5_RANK], s[3];
    if (!attribute_reals(set->dataset, "element_size_um", all, set->all)) {
        if (set->rank != 3 || !attribute_reals(set->dataset, "element_size_um", s, 3)) return false;
    } else {
        for (int k = 0; k < set->rank; k++) s[k] = all[set->axis[k]];
    }
    if (set->rank == 2) s[2] = s[0];
    rill_image_set_spacing(image, "element_size_um", s, 1e-6, true);
    return true;
}

/* Keep the first scale of an axis. */
static herr_t on_scale(hid_t dataset, unsigned axis, hid_t scale, void *context)
{
    (void)dataset, (void)axis;
    rill_coordinates *c = context;
    char path[RILL_HDF5_PATH];
    const ssize_t length = H5Iget_name(scale, path, sizeof path);
    const char *slash = length > 0 && length < (ssize_t)sizeof path ? strrchr(path, '/') : NULL;
    if (slash) snprintf(c->name, sizeof c->name, "%.*s", (int)sizeof c->name - 1, slash + 1);
    text_of(scale, "units", c->unit, sizeof c->unit);
    read_coordinates(scale, c);
    /* A dimension of NetCDF-4 without coordinates is a scale of zeros. */
    if (c->first[0] == 0 && c->first[1] == 0) c->count = 0;
    return 1;
}

static bool from_scales(const rill_hdf5_set *set, rill_image *image)
{
    rill_coordinates c[3] = {0};
    bool found = false;
    for (int k = 0; k < set->rank; k++) {
        const unsigned axis = (unsigned)set->axis[k];
        if (H5DSget_num_scales(set->dataset, axis) > 0)
            found |= H5DSiterate_scales(set->dataset, axis, NULL, on_scale, &c[k]) > 0;
    }
    if (found) rill_image_set_coordinates(image, c, set->rank);
    return found;
}

/* Write the path of an object beside the dataset (`up` 1) or beside the group of the dataset (2). */
static bool sibling_path(const rill_hdf5_set *set, int up, const char *name, char path[RILL_HDF5_PATH])
{
    char above[RILL_HDF5_PATH];
    snprintf(above, sizeof above, "%s", set->path);
    for (; up > 0; up--) {
        char *slash = strrchr(above, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    return snprintf(path, RILL_HDF5_PATH, "%s/%s", above, name) < RILL_HDF5_PATH;
}

static bool from_emd(const rill_hdf5_set *set, rill_image *image)
{
    rill_coordinates c[3] = {0};
    bool found = false;
    for (int k = 0; k < set->rank; k++) {
        char path[RILL_HDF5_PATH], name[16];
        snprintf(name, sizeof name, "dim%d", set->axis[k] + 1);
        const hid_t dataset = sibling_path(set, 1, name, path) ? open_dataset(set, path) : H5I_INVALID_HID;
        if (dataset < 0) continue;
        found = true;
        text_of(dataset, "name", c[k].name, sizeof c[k].name);
        text_of(dataset, "units", c[k].unit, sizeof c[k].unit);
        read_coordinates(dataset, &c[k]);
        rill_h5_release(dataset);
    }
    if (found) rill_image_set_coordinates(image, c, set->rank);
    return found;
}

static bool from_dream3d(const rill_hdf5_set *set, rill_image *image)
{
    double xyz[3];
    char path[RILL_HDF5_PATH];
    const hid_t dataset =
        sibling_path(set, 2, "_SIMPL_GEOMETRY/SPACING", path) ? open_dataset(set, path) : H5I_INVALID_HID;
    bool found = dataset >= 0 && length_of(dataset) == 3 && set->rank == 3;
    for (hsize_t k = 0; k < 3 && found; k++) found = value_at(dataset, k, &xyz[k]);
    rill_h5_release(dataset);
    if (!found) return false;
    rill_image_set_spacing(image, "SPACING", (const double[3]){xyz[2], xyz[1], xyz[0]}, 1, false);
    rill_image_note_spacing(image, "DREAM.3D states no unit of its spacing %g x %g x %g: give --voxel-size",
                            xyz[0], xyz[1], xyz[2]);
    return true;
}

void rill_hdf5_set_spacing(const rill_hdf5_set *set, rill_image *image)
{
    static bool (*const layouts[])(const rill_hdf5_set *, rill_image *) = {from_element_size, from_scales,
                                                                           from_emd, from_dream3d};
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++)
        if (layouts[k](set, image)) return;
}
