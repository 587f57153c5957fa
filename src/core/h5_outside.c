/* SPDX-License-Identifier: Apache-2.0 */
/* HDF5 opens what a file names, and would wait for a FIFO: names are checked before it does. */
#include "core/h5_outside.h"

#include "core/beside.h"
#include "core/status.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 4096 };

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

/* Check the name of a file that data of a dataset are in. */
static bool may_store(rill_h5_outside *outside, const char *of, const char *name)
{
    if (strcmp(name, ".") == 0) return true; /* of a virtual dataset: this file */
    if (!outside->linked) return rill_h5_may_open(outside, of, name);
    outside->status =
        rill_fail(RILL_USAGE, "its data are in the file %.100s, and files of rill have theirs inside", name);
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
    const int files = H5Pget_external_count(properties);
    for (int k = 0; k < files && good; k++) {
        name[NAME - 1] = '\0';
        good = H5Pget_external(properties, (unsigned)k, NAME - 1, name, NULL, NULL) >= 0 &&
               may_store(outside, of, name);
    }
    if (H5Pget_layout(properties) == H5D_VIRTUAL) H5Pget_virtual_count(properties, &sources);
    for (size_t k = 0; k < sources && good; k++)
        good = H5Pget_virtual_filename(properties, k, name, NAME) >= 0 && may_store(outside, of, name);
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
