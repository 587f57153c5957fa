/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 and UDUNITS-2 without rill, for the campaign memory: bare SEQUENCE FROM BEYOND STAYS STEP fails each
 * STEP-th allocation of FROM to BEYOND - 1 of a sequence of correct calls, each in a child process, alone or
 * (STAYS 1) with all later ones. memory.c, which is preloaded, writes where children crash. With FROM 0 it
 * writes a whole file and prints the number of allocations. A failed call is followed by the next one, as
 * HDF5 permits: it refuses an invalid identifier. */
#include <hdf5_hl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <udunits2.h>
#include <unistd.h>

void campaign_memory_fail(long number, int all); /* memory.c */
long campaign_memory_made(void);

static void put_attribute(hid_t file, const char *object, const char *name, hid_t type, hsize_t count,
                          const void *value)
{
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR);
    if (H5Aexists_by_name(file, object, name, H5P_DEFAULT) > 0)
        H5Adelete_by_name(file, object, name, H5P_DEFAULT);
    const hid_t attribute =
        H5Acreate_by_name(file, object, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value);
    H5Aclose(attribute);
    H5Sclose(space);
}

static void put_group(hid_t file, const char *name)
{
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, 0);
    H5Lexists(file, name, H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, properties, H5P_DEFAULT));
    H5Pclose(properties);
}

static void put_dataset(hid_t file, const char *name, hid_t type, hid_t memory, int growing,
                        const void *values)
{
    enum { ROWS = 64 };
    const hsize_t none[2] = {0, 3}, all[2] = {ROWS, 3}, most[2] = {H5S_UNLIMITED, 3}, chunk[2] = {32, 3};
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_obj_track_times(properties, 0);
    H5Pset_chunk(properties, 2, chunk);
    H5Pset_alloc_time(properties, H5D_ALLOC_TIME_INCR);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 1);
    H5Pset_fletcher32(properties);
    const hid_t space = H5Screate_simple(2, growing ? none : all, growing ? most : all);
    const hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    if (growing) H5Dset_extent(dataset, all);
    const hid_t into = H5Dget_space(dataset), block = H5Screate_simple(2, all, NULL);
    H5Sselect_hyperslab(into, H5S_SELECT_SET, (hsize_t[2]){0, 0}, NULL, all, NULL);
    H5Dwrite(dataset, memory, block, into, H5P_DEFAULT, values);
    H5Sclose(block);
    H5Sclose(into);
    H5Dclose(dataset);
    H5Sclose(space);
    H5Pclose(properties);
}

static void write_file(const char *path)
{
    static double values[192];
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);
    const hid_t text = H5Tcopy(H5T_C_S1);
    H5Tset_size(text, 8);
    H5Tset_cset(text, H5T_CSET_UTF8);
    H5Tset_strpad(text, H5T_STR_NULLPAD);
    H5Pset_obj_track_times(creation, 0);
    H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
    put_group(file, "/a");
    put_group(file, "/a/b");
    put_dataset(file, "/a/x", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, values);
    put_dataset(file, "/a/b/y", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, 1, values);
    for (int k = 0; k < 12; k++) { /* from 8 on they are stored in another way */
        char name[8] = "name-a";
        name[5] = (char)('a' + k);
        put_attribute(file, "/a/x", name, text, 0, "12345678");
        put_attribute(file, "/a", name, H5T_NATIVE_DOUBLE, 3, values);
    }
    const hid_t x = H5Dopen2(file, "/a/x", H5P_DEFAULT), y = H5Oopen(file, "/a/b/y", H5P_DEFAULT);
    H5DSset_scale(x, "x");
    H5DSattach_scale(y, x, 0);
    H5Oclose(y);
    H5Oclose(x);
    H5Lcreate_external("other.h5", "/a/x", file, "/a/elsewhere", H5P_DEFAULT, H5P_DEFAULT);
    H5Fflush(file, H5F_SCOPE_GLOBAL);
    H5Fclose(file);
    H5Tclose(text);
    H5Pclose(access);
    H5Pclose(creation);
}

static herr_t each_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    double values[16] = {0};
    (void)info;
    (void)context;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    if (H5Tget_class(type) == H5T_FLOAT && H5Sget_simple_extent_npoints(space) <= 16)
        H5Aread(attribute, H5T_NATIVE_DOUBLE, values);
    else if (H5Tget_class(type) == H5T_STRING && H5Tget_size(type) <= sizeof values)
        H5Aread(attribute, type, values);
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
}

static herr_t each_scale(hid_t dataset, unsigned dimension, hid_t scale, void *context)
{
    char name[64];
    (void)dataset;
    (void)dimension;
    (void)context;
    H5Iget_name(scale, name, sizeof name);
    return 0;
}

static herr_t each_object(hid_t file, const char *name, const H5O_info_t *info, void *context)
{
    (void)info;
    (void)context;
    H5Oclose(H5Oopen(file, name, H5P_DEFAULT));
    return 0;
}

static herr_t each_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    static double values[192];
    H5O_info_t object;
    hsize_t dims[2], chunk[2];
    char held[256];
    (void)info;
    H5L_info_t link;
    if (H5Lget_info(group, name, &link, H5P_DEFAULT) >= 0 && link.type == H5L_TYPE_EXTERNAL) {
        if (link.u.val_size <= sizeof held) H5Lget_val(group, name, held, sizeof held, H5P_DEFAULT);
        return 0;
    }
    if (H5Oexists_by_name(group, name, H5P_DEFAULT) <= 0) return 0;
    H5Oget_info_by_name2(group, name, &object, H5P_DEFAULT, H5O_INFO_BASIC);
    H5Aiterate_by_name(group, name, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, each_attribute, NULL, H5P_DEFAULT);
    const hid_t id = H5Oopen(group, name, H5P_DEFAULT);
    if (H5Iget_type(id) == H5I_DATASET) {
        const hid_t space = H5Dget_space(id), type = H5Dget_type(id), properties = H5Dget_create_plist(id);
        if (H5Sget_simple_extent_ndims(space) == 2 && H5Sget_simple_extent_dims(space, dims, NULL) == 2 &&
            dims[0] == 64) {
            const hid_t block = H5Screate_simple(2, dims, NULL);
            H5Sselect_hyperslab(space, H5S_SELECT_SET, (hsize_t[2]){0, 0}, NULL, dims, NULL);
            H5Dread(id, H5T_NATIVE_DOUBLE, block, space, H5P_DEFAULT, values);
            H5Sclose(block);
        }
        if (H5Pget_layout(properties) == H5D_CHUNKED) H5Pget_chunk(properties, 2, chunk);
        H5Pget_nfilters(properties);
        H5Dget_storage_size(id);
        H5DSiterate_scales(id, 0, NULL, each_scale, NULL);
        H5Pclose(properties);
        H5Tclose(type);
        H5Sclose(space);
    } else if (!context) {
        H5Literate_by_name(group, name, H5_INDEX_NAME, H5_ITER_NATIVE, NULL, each_link, NULL, H5P_DEFAULT);
    }
    H5Oclose(id);
    return 0;
}

static void read_file(const char *path)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_NATIVE, each_object, NULL, H5O_INFO_BASIC);
    H5Literate_by_name(file, "/", H5_INDEX_NAME, H5_ITER_NATIVE, NULL, each_link, NULL, H5P_DEFAULT);
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, each_link, "flat");
    const hid_t copy = H5Fcreate("copy.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Ocopy(file, "/a", copy, "/a", H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(copy);
    H5Fclose(file);
    H5Pclose(access);
}

static void quiet(void)
{
    H5E_auto2_t function;
    void *data;
    H5Eget_auto2(H5E_DEFAULT, &function, &data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

static void sequence(int which)
{
    if (which == 2) {
        ut_set_error_message_handler(ut_ignore);
        ut_system *units = ut_read_xml(NULL);
        if (!units) return;
        ut_free(ut_parse(units, "mm2", UT_UTF8));
        ut_free_system(units);
        return;
    }
    quiet();
    if (which == 3) { /* the first call of dataspaces, which initialises them */
        H5Sclose(H5Screate(H5S_SCALAR));
        return;
    }
    if (which == 0) write_file("written.h5");
    read_file(which == 0 ? "written.h5" : "whole.h5");
}

/* Run the sequence in a child, which exits as a program does. */
static void child(int which, long at, int stays, long *made)
{
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) exit(1);
    const pid_t id = fork();
    if (id == 0) {
        campaign_memory_fail(at, stays);
        sequence(which);
        const long number = campaign_memory_made();
        if (made && write(ends[1], &number, sizeof number) != sizeof number) _exit(1);
        exit(0);
    }
    if (made && read(ends[0], made, sizeof *made) != sizeof *made) exit(1);
    waitpid(id, NULL, 0);
    close(ends[0]);
    close(ends[1]);
}

int main(int count, char **words)
{
    long made = 0;
    if (count != 6) return 1;
    const int which = atoi(words[1]), stays = atoi(words[4]);
    const long beyond = atol(words[3]);
    if (atol(words[2]) == 0) {
        child(0, 0, 0, &made);
        if (rename("written.h5", "whole.h5") != 0) return 1;
        child(which, 0, 0, &made);
        printf("%ld\n", made);
    }
    for (long at = atol(words[2]); at > 0 && at < beyond; at += atol(words[5])) child(which, at, stays, NULL);
    return 0;
}
