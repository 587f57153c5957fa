/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 opens what a file names, and would wait for a FIFO: names are checked before it does. It allocates
 * what a file declares: extents are compared with the bytes that are there. */
#include "core/h5_outside.h"

#include "core/beside.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME = 4096,
    PACKED = 2048,   /* a dataset declares at most so many times the bytes of its files; deflate packs 1032 */
    SPARSE = 16384,  /* one of rill, which leaves out chunks of zeros */
    FREE = 64 << 20, /* and this, whatever they have */
    RANK = 32        /* H5S_MAX_RANK */
};

/* HDF5 looks in the working directory for what is not beside the file, so it must exist. */
bool rill_h5_may_open(rill_h5_outside *outside, const char *of, const char *name)
{
    char *path = NULL;
    outside->status = rill_file_beside(of, name,
                                       outside->allowed  ? RILL_OUTSIDE_ALLOWED
                                       : outside->linked ? RILL_OUTSIDE_NEVER
                                                         : RILL_OUTSIDE_ASKED,
                                       &path);
    if (outside->status == RILL_OK && access(path, F_OK) != 0)
        outside->status = rill_fail(
            RILL_USAGE, "it names the file %.200s, which is not in its directory: copy it there", name);
    free(path);
    return outside->status == RILL_OK;
}

static herr_t on_link(const char *file, const char *group, const char *name, const char *object,
                      unsigned *flags, hid_t access_list, void *context)
{
    (void)group, (void)object, (void)flags, (void)access_list;
    return rill_h5_may_open(context, file, name) ? 0 : -1;
}

/* Return the bytes of a file; 0: not known. */
static double bytes_of_path(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (double)info.st_size : 0;
}

/* The same of the file `name` beside the file `of`. */
static double bytes_of(const char *of, const char *name)
{
    char *path = NULL;
    if (rill_file_beside(of, name, true, &path) != RILL_OK) return 0;
    const double bytes = bytes_of_path(path);
    free(path);
    return bytes;
}

/* Check the name of a file that data of a dataset are in, and count its bytes. */
static bool may_store(rill_h5_outside *outside, const char *of, const char *name, double *bytes)
{
    if (strcmp(name, ".") == 0) return true; /* of a virtual dataset: this file */
    if (!outside->linked && !rill_h5_may_open(outside, of, name)) return false;
    *bytes += bytes_of(of, name);
    if (!outside->linked) return true;
    outside->status =
        rill_fail(RILL_USAGE, "its data are in the file %.100s, and files of rill have theirs inside", name);
    return false;
}

/* Refuse a dataset that declares far more than its files have, or has such chunks. */
static bool check_extent(hid_t dataset, hid_t properties, double stored, rill_h5_outside *outside)
{
    hsize_t n[RANK], chunk[RANK];
    const hid_t space = H5Dget_space(dataset), type = H5Dget_type(dataset);
    const int times = outside->linked ? SPARSE : PACKED;
    const double most = times * stored + FREE, size = (double)H5Tget_size(type);
    const int rank = H5Sget_simple_extent_ndims(space);
    double all = size, one = size;
    if (rank > 0 && rank <= RANK && H5Sget_simple_extent_dims(space, n, NULL) == rank)
        for (int a = 0; a < rank; a++) all *= (double)n[a];
    if (rank > 0 && H5Pget_layout(properties) == H5D_CHUNKED && H5Pget_chunk(properties, RANK, chunk) == rank)
        for (int a = 0; a < rank; a++) one *= (double)chunk[a];
    rill_h5_release(type);
    rill_h5_release(space);
    if (all <= most && one <= most) return true;
    outside->status = rill_fail(
        RILL_USAGE,
        "a dataset declares %.3g bytes%s, and the file has %.3g: more than %d times as many are not read: the file is damaged, or nothing was written into it",
        all > most ? all : one, all > most ? "" : " in a chunk", stored, times);
    return false;
}

static bool check_storage(hid_t dataset, rill_h5_outside *outside)
{
    char name[NAME], of[NAME];
    size_t sources = 0;
    bool good = true;
    const hid_t properties = H5Dget_create_plist(dataset);
    if (properties < 0) return true;                    /* damage, which reading reports */
    if (H5Fget_name(dataset, of, NAME) < 0) *of = '\0'; /* a link may have led to another file */
    double stored = bytes_of_path(of);
    const int files = H5Pget_external_count(properties);
    for (int k = 0; k < files && good; k++) {
        name[NAME - 1] = '\0';
        good = H5Pget_external(properties, (unsigned)k, NAME - 1, name, NULL, NULL) >= 0 &&
               may_store(outside, of, name, &stored);
    }
    if (H5Pget_layout(properties) == H5D_VIRTUAL) H5Pget_virtual_count(properties, &sources);
    for (size_t k = 0; k < sources && good; k++)
        good =
            H5Pget_virtual_filename(properties, k, name, NAME) >= 0 && may_store(outside, of, name, &stored);
    if (good) good = check_extent(dataset, properties, stored, outside);
    rill_h5_release(properties);
    return good;
}

hid_t rill_h5_outside_access(rill_h5_outside *outside)
{
    const hid_t list = H5Pcreate(H5P_DATASET_ACCESS);
    /* A link does not open a dataset that is open already with a prefix of its storage. */
    if (list >= 0 && H5Pset_elink_cb(list, on_link, outside) >= 0 &&
        (outside->linked || H5Pset_efile_prefix(list, "${ORIGIN}") >= 0))
        return list;
    rill_h5_release(list);
    return H5I_INVALID_HID;
}

hid_t rill_h5_open_object(hid_t file, const char *name, rill_h5_outside *outside)
{
    H5O_info_t info;
    const hid_t access_list = rill_h5_outside_access(outside);
    hid_t object = H5I_INVALID_HID;
    if (access_list >= 0 && (strcmp(name, "/") == 0 || H5Oexists_by_name(file, name, access_list) > 0) &&
        H5Oget_info_by_name2(file, name, &info, H5O_INFO_BASIC, access_list) >= 0)
        /* H5Oopen() takes no prefix of external storage, and fails for a dataset that is open with one. */
        object = info.type == H5O_TYPE_DATASET ? H5Dopen2(file, name, access_list)
                                               : H5Oopen(file, name, access_list);
    if (object >= 0 && info.type == H5O_TYPE_DATASET && !check_storage(object, outside)) {
        rill_h5_release(object);
        object = H5I_INVALID_HID;
    }
    rill_h5_release(access_list);
    return object;
}
