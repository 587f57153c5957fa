/* SPDX-License-Identifier: Apache-2.0 */
/* The files that rill writes, for programs that read them: rill/file.h over io/hdf5.h. Nothing is written
 * here. */
#include "core/status.h"
#include "io/hdf5.h"
#include "io/ours.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)RILL_ELEMENT_OTHER == (int)RILL_H5_OTHER && (int)RILL_ELEMENT_F32 == (int)RILL_H5_F32,
               "rill_element and rill_h5_type have the same order");
_Static_assert((int)RILL_DATASET_RANK == (int)RILL_H5_RANK, "every dataset can be described");

struct rill_file {
    rill_h5_file *h5;
};

rill_status rill_file_open(const char *path, rill_file **out)
{
    rill_file *file = calloc(1, sizeof *file);
    if (!file) return rill_fail(RILL_SYSTEM, "out of memory for opening %s", path);
    rill_status status = RILL_OK;
    char *format = NULL;
    RILL_TRY(rill_h5_open_part(path, &file->h5));
    RILL_TRY(rill_format_read(file->h5, &format));
    *out = file;
    file = NULL;
done:
    free(format);
    rill_file_close(file);
    return status;
}

void rill_file_close(rill_file *file)
{
    if (!file) return;
    rill_h5_close(file->h5);
    free(file);
}

/* A function of the interface that is called with names, and whether it ended the walk. */
typedef struct walk {
    rill_file_name_fn fn;
    void *context;
    bool ended;
} walk;

static rill_status visit(void *context, const char *name)
{
    walk *w = context;
    w->ended = !w->fn(w->context, name);
    return w->ended ? RILL_CANCELLED : RILL_OK;
}

rill_status rill_file_members(rill_file *file, const char *group, rill_file_name_fn fn, void *context)
{
    walk w = {fn, context, false};
    const rill_status status = rill_h5_members(file->h5, group, visit, &w);
    return w.ended ? RILL_OK : status;
}

bool rill_file_has_dataset(rill_file *file, const char *path) { return rill_h5_is_dataset(file->h5, path); }

rill_status rill_file_dataset(rill_file *file, const char *path, rill_dataset *out)
{
    rill_h5_layout layout;
    const rill_status status = rill_h5_dataset_layout(file->h5, path, &layout);
    if (status != RILL_OK) return status;
    *out = (rill_dataset){.type = (rill_element)layout.type, .rank = layout.rank};
    for (int a = 0; a < layout.rank; a++) out->n[a] = layout.dims[a];
    return RILL_OK;
}

/* Refuse a block that is empty or not inside. */
static rill_status block_check(const rill_h5_layout *layout, const char *path, const uint64_t *first,
                               const uint64_t *n)
{
    for (int a = 0; a < layout->rank; a++)
        if (n[a] == 0 || first[a] >= layout->dims[a] || n[a] > layout->dims[a] - first[a])
            return rill_fail(RILL_USAGE,
                             "%s has %llu elements along axis %d: a block of %llu from %llu is not inside",
                             path, (unsigned long long)layout->dims[a], a, (unsigned long long)n[a],
                             (unsigned long long)first[a]);
    return RILL_OK;
}

rill_status rill_file_read(rill_file *file, const char *path, const uint64_t *first, const uint64_t *n,
                           void *data)
{
    rill_h5_layout layout;
    rill_status status = rill_h5_dataset_layout(file->h5, path, &layout);
    if (status != RILL_OK) return status;
    if (layout.type == RILL_H5_OTHER)
        return rill_fail(RILL_USAGE, "%s: %s has elements of a type that rill does not write",
                         rill_h5_path(file->h5), path);
    if (!first != !n) return rill_fail(RILL_USAGE, "%s: a block needs its first element and its size", path);
    if (first) status = block_check(&layout, path, first, n);
    return status != RILL_OK
               ? status
               : rill_h5_read(file->h5, path, layout.type, layout.rank, first, n ? n : layout.dims, data);
}

rill_status rill_file_attributes(rill_file *file, const char *object, rill_file_name_fn fn, void *context)
{
    walk w = {fn, context, false};
    const rill_status status = rill_h5_attributes(file->h5, object, visit, &w);
    return w.ended ? RILL_OK : status;
}

rill_status rill_file_attribute(rill_file *file, const char *object, const char *name, rill_attribute *out)
{
    rill_status status = RILL_OK;
    rill_attribute a = {.count = 1};
    size_t count = 0;
    const rill_h5_class class = rill_h5_attribute_class(file->h5, object, name, &count);
    if (class == RILL_H5_TEXT) {
        RILL_TRY(rill_h5_get_text(file->h5, object, name, &a.text));
    } else if (class == RILL_H5_REAL || class == RILL_H5_INTEGER) {
        void *values = calloc(count + 1, 8);
        if (!values) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for attribute %s of %s", name, object));
        a.count = count;
        if (class == RILL_H5_REAL)
            RILL_TRY(rill_h5_get_reals(file->h5, object, name, a.reals = values, count));
        else
            RILL_TRY(rill_h5_get_integers(file->h5, object, name, a.integers = values, count));
    } else {
        RILL_TRY(rill_fail(RILL_USAGE, "%s: %s has no attribute %s that is a text or numbers",
                           rill_h5_path(file->h5), object, name));
    }
    *out = a;
    a = (rill_attribute){0};
done:
    rill_attribute_free(&a);
    return status;
}

void rill_attribute_free(rill_attribute *attribute)
{
    free(attribute->text);
    free(attribute->reals);
    free(attribute->integers);
    *attribute = (rill_attribute){0};
}
