/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HDF5 without rill: reads a file by correct calls, with buffers of the sizes that the library states. What
 * crashes in the same place as a harness is the library's own: scripts/campaign/fuzz asks.
 *
 *     build/fuzz/plain FILE PASS
 *
 * Passes: 0 members of groups, what they hold read where they are met; 1 all objects, as the library visits
 * them; 2 attributes, also asked for by name; 3 all links, as the library visits them; 4 rows of datasets.
 */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 4096, DEPTH = 12, OBJECTS = 5000, BYTES = 1 << 26, NAMES = 64 };

typedef struct place {
    hid_t file;
    const char *path;
    int depth, pass;
} place;

static int objects;

/* Return a buffer for values of a memory type, or NULL. @param[out] bytes  of it */
static void *buffer_for(hid_t type, hid_t space)
{
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    const size_t size = H5Tget_size(type);
    if (count <= 0 || size == 0 || (size_t)count > BYTES / size) return NULL;
    return calloc((size_t)count, size);
}

static void give_back(hid_t type, hid_t space, void *data)
{
    if (H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, data);
    free(data);
}

static void read_attribute(hid_t attribute)
{
    char name[PATH];
    const hid_t type = H5Aget_type(attribute), space = H5Aget_space(attribute),
                native = H5Tget_class(type) == H5T_STRING ? H5Tcopy(type)
                                                          : H5Tget_native_type(type, H5T_DIR_DEFAULT),
                number = H5Tcopy(H5T_NATIVE_DOUBLE);
    const hid_t types[] = {native, number};
    H5Aget_name(attribute, sizeof name, name);
    for (int k = 0; k < 2; k++) {
        void *data = types[k] >= 0 && space >= 0 ? buffer_for(types[k], space) : NULL;
        if (data && H5Aread(attribute, types[k], data) >= 0)
            give_back(types[k], space, data);
        else
            free(data);
        if (types[k] >= 0) H5Tclose(types[k]);
    }
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

static herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    (void)info, (void)context;
    if (attribute < 0) return 0;
    read_attribute(attribute);
    H5Aclose(attribute);
    return ++objects > OBJECTS;
}

static void read_properties(hid_t dataset)
{
    const hid_t p = H5Dget_create_plist(dataset);
    hsize_t chunk[H5S_MAX_RANK];
    char name[PATH];
    if (p < 0) return;
    const H5D_layout_t layout = H5Pget_layout(p);
    if (layout == H5D_CHUNKED) H5Pget_chunk(p, H5S_MAX_RANK, chunk);
    for (int k = 0, count = H5Pget_nfilters(p); k < count; k++) {
        unsigned flags, config, values[16];
        size_t value_count = 16;
        H5Pget_filter2(p, (unsigned)k, &flags, &value_count, values, sizeof name, name, &config);
    }
    for (int k = 0, count = H5Pget_external_count(p); k < count; k++) {
        off_t offset;
        hsize_t size;
        H5Pget_external(p, (unsigned)k, sizeof name, name, &offset, &size);
    }
    size_t count = 0;
    if (layout == H5D_VIRTUAL && H5Pget_virtual_count(p, &count) >= 0)
        for (size_t k = 0; k < count && k < NAMES; k++) H5Pget_virtual_filename(p, k, name, sizeof name);
    H5D_fill_value_t fill;
    H5Pfill_value_defined(p, &fill);
    H5Pclose(p);
}

static void read_rows(hid_t dataset, hid_t type, hid_t space)
{
    hsize_t n[H5S_MAX_RANK], start[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_dims(space, n, NULL);
    const hsize_t rows = rank > 0 ? n[0] : 0;
    if (rank < 1) return;
    n[0] = 1;
    const hid_t row = H5Screate_simple(rank, n, NULL);
    void *data = row >= 0 ? buffer_for(type, row) : NULL;
    for (hsize_t k = 0; data && k < rows && k < 64; k++) {
        start[0] = k < 63 ? k : rows - 1;
        if (H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, n, NULL) < 0 ||
            H5Dread(dataset, type, row, space, H5P_DEFAULT, data) < 0)
            break;
    }
    free(data);
    if (row >= 0) H5Sclose(row);
}

static void read_dataset(hid_t dataset, int pass)
{
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset),
                native = H5Tget_class(type) == H5T_STRING ? H5Tcopy(type)
                                                          : H5Tget_native_type(type, H5T_DIR_DEFAULT);
    static const H5T_class_t numbers[] = {H5T_INTEGER, H5T_FLOAT, H5T_ENUM};
    read_properties(dataset);
    void *data = pass != 4 && native >= 0 && space >= 0 ? buffer_for(native, space) : NULL;
    if (data && H5Dread(dataset, native, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0)
        give_back(native, space, data);
    else
        free(data);
    for (int k = 0; pass == 4 && k < 3; k++)
        if (H5Tget_class(type) == numbers[k]) read_rows(dataset, native, space);
    if (native >= 0) H5Tclose(native);
    if (space >= 0) H5Sclose(space);
    if (type >= 0) H5Tclose(type);
}

static void look(place at);

static herr_t on_member(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    const place *above = context;
    char path[PATH];
    (void)group, (void)info;
    if (snprintf(path, sizeof path, "%s/%s", strcmp(above->path, "/") == 0 ? "" : above->path, name) >= PATH)
        return 0;
    look((place){above->file, path, above->depth + 1, above->pass});
    return objects > OBJECTS;
}

static void ask(hid_t file, const char *path)
{
    static const char *const names[] = {"format",  "version", "kind",  "command", "Version", "Type",
                                        "xxh3_64", "name",    "units", "unit",    "dx",      "a"};
    H5O_info_t info;
    hsize_t at = 0;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const htri_t is = H5Aexists_by_name(file, path, names[k], H5P_DEFAULT);
        const hid_t attribute = is > 0 ? H5Aopen_by_name(file, path, names[k], H5P_DEFAULT, H5P_DEFAULT) : -1;
        if (attribute < 0) continue;
        read_attribute(attribute);
        H5Aclose(attribute);
    }
    H5Oget_info_by_name2(file, path, &info, H5O_INFO_ALL, H5P_DEFAULT);
    H5Aiterate_by_name(file, path, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, NULL, H5P_DEFAULT);
}

static void look(place at)
{
    hsize_t from = 0, first = 0;
    H5L_info_t link;
    char value[PATH];
    if (++objects > OBJECTS || at.depth > DEPTH) return;
    if (at.depth > 0 && H5Lexists(at.file, at.path, H5P_DEFAULT) > 0 &&
        H5Lget_info(at.file, at.path, &link, H5P_DEFAULT) >= 0 && link.type != H5L_TYPE_HARD) {
        if (link.u.val_size <= sizeof value) H5Lget_val(at.file, at.path, value, sizeof value, H5P_DEFAULT);
        return;
    }
    H5Oexists_by_name(at.file, at.path, H5P_DEFAULT);
    if (at.pass == 2) ask(at.file, at.path);
    const hid_t object = H5Oopen(at.file, at.path, H5P_DEFAULT);
    if (object < 0) return;
    const H5I_type_t type = H5Iget_type(object);
    H5O_info_t info;
    H5Oget_info2(object, &info, H5O_INFO_ALL);
    if (at.pass == 0) H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &from, on_attribute, NULL);
    if (type == H5I_DATASET && at.pass != 2) read_dataset(object, at.pass);
    H5Oclose(object);
    if (type == H5I_GROUP)
        H5Literate_by_name(at.file, at.path, H5_INDEX_NAME, H5_ITER_INC, &first, on_member, &at, H5P_DEFAULT);
}

static herr_t on_object(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
    hsize_t at = 0;
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    (void)context;
    if (object < 0) return 0;
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, NULL);
    if (info->type == H5O_TYPE_DATASET) read_dataset(object, 1);
    H5Oclose(object);
    return ++objects > OBJECTS;
}

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    char value[PATH];
    (void)context;
    if (info->type != H5L_TYPE_HARD && info->u.val_size <= sizeof value)
        H5Lget_val(group, name, value, sizeof value, H5P_DEFAULT);
    return ++objects > OBJECTS;
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    const int pass = atoi(argv[2]);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(argv[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return 1;
    if (pass == 1)
        H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, on_object, NULL, H5O_INFO_ALL);
    else if (pass == 3)
        H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, on_link, NULL);
    else
        look((place){file, "/", 0, pass});
    H5Fclose(file);
    return 0;
}
