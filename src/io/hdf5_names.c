/* SPDX-License-Identifier: Apache-2.0 */
/* The names of members of groups and of attributes. */
#include "core/h5.h"
#include "io/hdf5_priv.h"

typedef struct walk {
    rill_h5_name_fn fn;
    void *context;
    rill_status status;
} walk;

static herr_t on_member(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    walk *w = context;
    w->status = w->fn(w->context, name);
    return w->status == RILL_OK ? 0 : 1;
}

rill_status rill_h5_members(rill_h5_file *file, const char *group, rill_h5_name_fn fn, void *context)
{
    RILL_H5_QUIET;
    walk w = {fn, context, RILL_OK};
    hsize_t at = 0;
    const hid_t links = rill_h5_links(file);
    if (H5Literate_by_name(file->id, group, H5_INDEX_NAME, H5_ITER_INC, &at, on_member, &w, links) < 0)
        w.status = rill_h5_fail(file, "no group %s", group);
    rill_h5_release(links);
    return w.status;
}

static herr_t on_attribute(hid_t object, const char *name, const H5A_info_t *info, void *context)
{
    (void)info;
    return on_member(object, name, NULL, context);
}

rill_status rill_h5_attributes(rill_h5_file *file, const char *object, rill_h5_name_fn fn, void *context)
{
    RILL_H5_QUIET;
    walk w = {fn, context, RILL_OK};
    hsize_t at = 0;
    const hid_t links = rill_h5_links(file);
    if (H5Aiterate_by_name(file->id, object, H5_INDEX_NAME, H5_ITER_INC, &at, on_attribute, &w, links) < 0)
        w.status = rill_h5_fail(file, "no object %s", object);
    rill_h5_release(links);
    return w.status;
}

bool rill_h5_has_names(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    H5O_info_t info;
    const hid_t object = rill_h5_object(file, path);
    const bool has = object >= 0 && H5Oget_info2(object, &info, H5O_INFO_BASIC) >= 0 && info.rc > 1;
    rill_h5_release(object);
    return has;
}
