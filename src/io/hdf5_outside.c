/* SPDX-License-Identifier: Apache-2.0 */
/* Links and storage of our files in other files. The fields of a snapshot link to the nodes of another file
 * of their directory; nothing that rill writes lies further away. */
#include "core/h5_outside.h"
#include "io/hdf5_priv.h"

#include <stdlib.h>

/* Let the reason that rill_h5_fail() gives be that of the refusal. */
static void give_reason(const rill_h5_file *file)
{
    if (file->outside.status != RILL_OK)
        H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_LINK, H5E_CANTOPENFILE, "%s",
                 rill_error_message());
}

hid_t rill_h5_object(rill_h5_file *file, const char *path)
{
    if (file->output) return H5Oopen(file->id, path, H5P_DEFAULT);
    file->outside.status = RILL_OK;
    const hid_t object = rill_h5_open_object(file->id, path, &file->outside);
    if (object < 0) give_reason(file);
    return object;
}

hid_t rill_h5_links(rill_h5_file *file)
{
    file->outside.status = RILL_OK;
    return rill_h5_outside_access(&file->outside);
}

static herr_t on_link(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    rill_h5_file *file = context;
    unsigned flags;
    const char *other = NULL, *object = NULL;
    if (info->type != H5L_TYPE_EXTERNAL) return 0;
    char *value = malloc(info->u.val_size + 1);
    const bool good = value && H5Lget_val(group, name, value, info->u.val_size, H5P_DEFAULT) >= 0 &&
                      H5Lunpack_elink_val(value, info->u.val_size, &flags, &other, &object) >= 0 &&
                      rill_h5_may_open(&file->outside, file->path, other);
    free(value);
    return good ? 0 : -1;
}

bool rill_h5_links_are_inside(rill_h5_file *file, const char *path)
{
    const hid_t above = rill_h5_object(file, path);
    const bool group = above >= 0 && H5Iget_type(above) == H5I_GROUP;
    const bool inside =
        above >= 0 && (!group || H5Lvisit(above, H5_INDEX_NAME, H5_ITER_NATIVE, on_link, file) >= 0);
    rill_h5_release(above);
    give_reason(file);
    return inside;
}
