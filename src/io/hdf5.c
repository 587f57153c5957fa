/* SPDX-License-Identifier: Apache-2.0 */
/* Files, groups and datasets by HDF5. Attributes are in hdf5_attribute.c, what files mean is not known here.
 */
#include "core/reading.h"
#include "core/h5.h"
#include "core/inspect.h"
#include "geometry/image/image_priv.h"
#include "io/checksum.h"
#include "io/hdf5_chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <hdf5_hl.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of a file up to which the comparison with its checksum takes no time that a user would notice. */
static const uint64_t CHECKED_MOST = 1u << 30;

/* ---- errors ---------------------------------------------------------------------------------- */

static rill_status fail_memory(const rill_h5_file *file)
{
    return rill_fail(RILL_SYSTEM, "cannot %s %s: out of memory: free memory, or use a smaller case",
                     file->output ? "write" : "read", file->path);
}

rill_status rill_h5_fail(rill_h5_file *file, const char *what, ...)
{
    char text[400];
    char reason[RILL_H5_REASON];
    if (rill_h5_lacks_memory()) return fail_memory(file);
    file->damaged = !file->output;
    if (file->output && file->sink.error)
        return rill_output_fail_on(file->path, file->sink.descriptor, file->sink.error);
    va_list args;
    va_start(args, what);
    vsnprintf(text, sizeof text, what, args);
    va_end(args);
    rill_h5_reason(reason);
    return rill_fail(file->output ? RILL_SYSTEM : RILL_USAGE, "cannot %s %s: %s%s%s",
                     file->output ? "write" : "read", file->path, text, *reason ? ": " : "", reason);
}

rill_status rill_h5_check(const rill_h5_file *file)
{
    if (!file->output) return RILL_OK;
    if (file->sink.error) return rill_output_fail_on(file->path, file->sink.descriptor, file->sink.error);
    /* H5Ocopy(), for one, succeeds without what it had no memory for. */
    return rill_h5_lacks_memory() ? fail_memory(file) : RILL_OK;
}

/* ---- files ----------------------------------------------------------------------------------- */

static rill_status file_allocate(const char *path, rill_h5_file **out)
{
    rill_h5_file *file = calloc(1, sizeof *file);
    if (file) file->path = strdup(path);
    if (!file || !file->path) {
        free(file);
        return rill_fail(RILL_SYSTEM, "out of memory for a file handle");
    }
    file->id = H5I_INVALID_HID;
    file->outside = (rill_h5_outside){.linked = true};
    *out = file;
    return RILL_OK;
}

rill_status rill_h5_create(const char *path, rill_h5_file **out)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    hid_t access = H5I_INVALID_HID, creation = H5I_INVALID_HID;
    RILL_TRY(file_allocate(path ? path : "", &file));
    RILL_TRY(rill_output_create(path, &file->output));
    file->sink.descriptor = rill_output_descriptor(file->output);
    RILL_TRY(rill_h5_sink_access(&file->sink, &access));
    creation = H5Pcreate(H5P_FILE_CREATE);
    if (creation < 0 || H5Pset_obj_track_times(creation, false) < 0)
        RILL_TRY(rill_h5_fail(file, "no properties for the file"));
    file->id = H5Fcreate(rill_output_temporary(file->output), H5F_ACC_TRUNC, creation, access);
    if (file->id < 0) RILL_TRY(rill_h5_fail(file, "HDF5 cannot begin the file"));
    RILL_TRY(rill_h5_check(file));
    *out = file;
    file = NULL;
done:
    rill_h5_release(creation);
    rill_h5_release(access);
    rill_h5_close(file);
    return status;
}

/* Opens every object, which checks the sums of its metadata. */
static herr_t visit(hid_t id, const char *name, const H5O_info_t *info, void *context)
{
    (void)info;
    (void)context;
    const hid_t object = H5Oopen(id, name, H5P_DEFAULT);
    return object >= 0 && rill_h5_release(object) ? 0 : -1;
}

static rill_status verify(rill_h5_file *file)
{
    const hid_t id = H5Fopen(rill_output_temporary(file->output), H5F_ACC_RDONLY, H5P_DEFAULT);
    const bool whole =
        id >= 0 && H5Ovisit2(id, H5_INDEX_NAME, H5_ITER_NATIVE, visit, NULL, H5O_INFO_BASIC) >= 0;
    const rill_status status = whole ? RILL_OK : rill_h5_fail(file, "what was written does not read back");
    rill_h5_release(id);
    return status;
}

rill_status rill_h5_commit(rill_h5_file *file)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    struct stat written;
    if (H5Fflush(file->id, H5F_SCOPE_GLOBAL) < 0) RILL_TRY(rill_h5_fail(file, "HDF5 cannot flush the file"));
    const hid_t id = file->id;
    file->id = H5I_INVALID_HID;
    if (!rill_h5_release(id)) RILL_TRY(rill_h5_fail(file, "HDF5 cannot close the file"));
    RILL_TRY(rill_h5_check(file));
    RILL_TRY(rill_checksum_append(file->sink.descriptor, file->path));
    RILL_TRY(verify(file));
    const bool known = fstat(file->sink.descriptor, &written) == 0;
    RILL_TRY(rill_output_commit(file->output));
    if (known) rill_inspect_written(rill_output_path(file->output), &written);
done:
    return status;
}

/* See to it that a file is one, and is whole if its checksum, compared up to `most` bytes, can say so.
 * @param[out] held  its descriptor, also after a failure, or -1 */
static rill_status compare(const char *path, uint64_t most, int *held)
{
    rill_status status = RILL_OK;
    rill_checksum found = RILL_CHECKSUM_ABSENT;
    struct stat info;
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* nobody may write to a FIFO */
    *held = descriptor;
    if (descriptor < 0) return rill_fail_reading(errno, path, "cannot read %s", path);
    if (fstat(descriptor, &info) != 0 || !S_ISREG(info.st_mode))
        RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: it is not a regular file", path));
    if (info.st_size == 0) RILL_TRY(rill_fail(RILL_USAGE, "cannot read %s: it is empty", path));
    if ((uint64_t)info.st_size <= most) RILL_TRY(rill_checksum_compare(descriptor, path, &found));
    if (found == RILL_CHECKSUM_WRONG) RILL_TRY(rill_checksum_fail(path));
done:
    return status;
}

static rill_status open_inspected(const char *path, const struct stat *inspected, rill_h5_file **out)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    rill_h5_file *file = NULL;
    hid_t access = H5I_INVALID_HID;
    RILL_TRY(file_allocate(path, &file));
    access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG); /* whatever a damaged file left open goes with it */
    file->id = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file->id < 0) {
        status = rill_h5_fail(file, "it is not an HDF5 file, or it is damaged");
        quiet_guard = (rill_h5_quiet){NULL, NULL}; /* as in rill_h5_close() */
        goto done;
    }
    status = rill_inspect_same(file->id, inspected);
    if (status != RILL_OK) {
        rill_fail_prefix("cannot read %s", path);
        goto done;
    }
    *out = file;
    file = NULL;
done:
    rill_h5_release(access);
    rill_h5_close(file);
    return status;
}

static rill_status open_once(const char *path, uint64_t most, int *held, rill_h5_file **out)
{
    rill_status status = RILL_OK;
    struct stat inspected;
    RILL_TRY(compare(path, most, held));
    if (!rill_h5_begins(path)) RILL_TRY(rill_image_check_pointer(path));
    status = rill_inspect(path, *held, &(rill_inspection){.kind = "file"}, &inspected);
    if (status == RILL_OK) return open_inspected(path, &inspected, out);
    rill_fail_prefix("cannot read %s", path);
done:
    return status;
}

static rill_status open_checked(const char *path, uint64_t most, rill_h5_file **out)
{
    rill_status status;
    bool again;
    int tries = 0;
    do {
        int held;
        status = open_once(path, most, &held, out);
        again = status != RILL_OK && ++tries < RILL_INSPECT_TRIES && rill_inspect_is_replaced(path, held);
        if (held >= 0) close(held);
    } while (again);
    return status;
}

rill_status rill_h5_open(const char *path, rill_h5_file **out) { return open_checked(path, UINT64_MAX, out); }

rill_status rill_h5_open_part(const char *path, rill_h5_file **out)
{
    return open_checked(path, CHECKED_MOST, out);
}

void rill_h5_close(rill_h5_file *file)
{
    if (!file) return;
    RILL_H5_QUIET;
    /* HDF5 leaks inside when it meets damage, and at exit prints that it did, unless printing is off. */
    if (file->damaged) quiet_guard = (rill_h5_quiet){NULL, NULL};
    rill_h5_release(file->id);
    rill_output_destroy(file->output);
    free(file->path);
    free(file);
}

const char *rill_h5_path(const rill_h5_file *file) { return file->path; }

/* ---- types ----------------------------------------------------------------------------------- */

static hid_t memory_type(rill_h5_type type)
{
    switch (type) {
    case RILL_H5_U8:
        return H5T_NATIVE_UINT8;
    case RILL_H5_U32:
        return H5T_NATIVE_UINT32;
    case RILL_H5_U64:
        return H5T_NATIVE_UINT64;
    case RILL_H5_I64:
        return H5T_NATIVE_INT64;
    case RILL_H5_F32:
        return H5T_NATIVE_FLOAT;
    case RILL_H5_F64:
        return H5T_NATIVE_DOUBLE;
    default:
        return H5I_INVALID_HID;
    }
}

static hid_t file_type(rill_h5_type type)
{
    switch (type) {
    case RILL_H5_U8:
        return H5T_STD_U8LE;
    case RILL_H5_U32:
        return H5T_STD_U32LE;
    case RILL_H5_U64:
        return H5T_STD_U64LE;
    case RILL_H5_I64:
        return H5T_STD_I64LE;
    case RILL_H5_F32:
        return H5T_IEEE_F32LE;
    case RILL_H5_F64:
        return H5T_IEEE_F64LE;
    default:
        return H5I_INVALID_HID;
    }
}

/* ---- groups and datasets --------------------------------------------------------------------- */

bool rill_h5_exists(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    const hid_t links = rill_h5_links(file);
    const bool exists = strcmp(path, "/") == 0 || H5Oexists_by_name(file->id, path, links) > 0;
    rill_h5_release(links);
    return exists;
}

bool rill_h5_is_dataset(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    const hid_t object = rill_h5_object(file, path);
    const bool is = object >= 0 && H5Iget_type(object) == H5I_DATASET;
    rill_h5_release(object);
    return is;
}

/* Creates one group, without the times that HDF5 would store. */
static rill_status group_create(rill_h5_file *file, const char *path)
{
    const hid_t properties = H5Pcreate(H5P_GROUP_CREATE);
    H5Pset_obj_track_times(properties, false);
    const hid_t group = H5Gcreate2(file->id, path, H5P_DEFAULT, properties, H5P_DEFAULT);
    const rill_status status = group < 0 ? rill_h5_fail(file, "no group %s", path) : rill_h5_check(file);
    rill_h5_release(group);
    rill_h5_release(properties);
    return status;
}

/* Creates the groups above an object. */
static rill_status parents_create(rill_h5_file *file, const char *path)
{
    rill_status status = RILL_OK;
    char *above = strdup(path);
    if (!above) return rill_fail(RILL_SYSTEM, "out of memory for a name");
    for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (H5Lexists(file->id, above, H5P_DEFAULT) <= 0) RILL_TRY(group_create(file, above));
        *slash = '/';
    }
done:
    free(above);
    return status;
}

rill_status rill_h5_group_create(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    const rill_status status = parents_create(file, path);
    return status != RILL_OK ? status : group_create(file, path);
}

/* Storage of a dataset; H5I_INVALID_HID when HDF5 refuses it. */
static hid_t dataset_properties(const rill_h5_layout *layout)
{
    hsize_t chunk[RILL_H5_RANK];
    bool chunked = layout->rank > 0 && layout->chunk[0] > 0;
    for (int a = 0; a < layout->rank; a++) {
        const bool growing = layout->extendable && a == 0;
        chunk[a] = growing || layout->chunk[a] < layout->dims[a] ? layout->chunk[a] : layout->dims[a];
        chunked = chunked && chunk[a] > 0;
    }
    const hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
    bool set = H5Pset_obj_track_times(properties, false) >= 0;
    if (chunked) {
        set = set && H5Pset_chunk(properties, layout->rank, chunk) >= 0;
        set = set && H5Pset_alloc_time(properties, H5D_ALLOC_TIME_INCR) >= 0;
        if (layout->deflate > 0 && layout->type != RILL_H5_U8) set = set && H5Pset_shuffle(properties) >= 0;
        if (layout->deflate > 0) set = set && H5Pset_deflate(properties, (unsigned)layout->deflate) >= 0;
        set = set && H5Pset_fletcher32(properties) >= 0;
    }
    if (set) return properties;
    rill_h5_release(properties);
    return H5I_INVALID_HID;
}

rill_status rill_h5_dataset_create(rill_h5_file *file, const char *path, const rill_h5_layout *layout)
{
    RILL_H5_QUIET;
    rill_status status = parents_create(file, path);
    if (status != RILL_OK) return status;
    hsize_t dims[RILL_H5_RANK] = {0}, most[RILL_H5_RANK] = {0};
    for (int a = 0; a < layout->rank; a++) {
        dims[a] = layout->dims[a];
        most[a] = layout->extendable && a == 0 ? H5S_UNLIMITED : dims[a];
    }
    const hid_t space =
        layout->rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(layout->rank, dims, most);
    const hid_t properties = dataset_properties(layout);
    const hid_t dataset =
        H5Dcreate2(file->id, path, file_type(layout->type), space, H5P_DEFAULT, properties, H5P_DEFAULT);
    status = dataset < 0 ? rill_h5_fail(file, "no dataset %s", path) : rill_h5_check(file);
    rill_h5_release(dataset);
    rill_h5_release(properties);
    rill_h5_release(space);
    return status;
}

/* The element type of a dataset as one of ours, byte order aside. */
static rill_h5_type type_of(hid_t dataset)
{
    const hid_t stored = H5Dget_type(dataset);
    const H5T_class_t class = H5Tget_class(stored);
    const size_t size = H5Tget_size(stored);
    const bool is_signed = class == H5T_INTEGER && H5Tget_sign(stored) != H5T_SGN_NONE;
    rill_h5_release(stored);
    if (class == H5T_FLOAT) return size == 4 ? RILL_H5_F32 : size == 8 ? RILL_H5_F64 : RILL_H5_OTHER;
    if (class != H5T_INTEGER) return RILL_H5_OTHER;
    if (is_signed) return size == 8 ? RILL_H5_I64 : RILL_H5_OTHER;
    return size == 1 ? RILL_H5_U8 : size == 4 ? RILL_H5_U32 : size == 8 ? RILL_H5_U64 : RILL_H5_OTHER;
}

rill_status rill_h5_dataset_layout(rill_h5_file *file, const char *path, rill_h5_layout *out)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    hid_t space = H5I_INVALID_HID, properties = H5I_INVALID_HID;
    hsize_t dims[RILL_H5_RANK] = {0}, most[RILL_H5_RANK] = {0}, chunk[RILL_H5_RANK] = {0};
    const hid_t dataset = rill_h5_object(file, path);
    if (dataset < 0) RILL_TRY(rill_h5_fail(file, "no dataset %s", path));
    space = H5Dget_space(dataset);
    properties = H5Dget_create_plist(dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (space < 0 || properties < 0 || rank < 0) RILL_TRY(rill_h5_fail(file, "%s has no shape", path));
    if (rank > RILL_H5_RANK)
        RILL_TRY(rill_h5_fail(file, "%s has %d dimensions, more than %d", path, rank, RILL_H5_RANK));
    H5Sget_simple_extent_dims(space, dims, most);
    if (H5Pget_layout(properties) == H5D_CHUNKED) H5Pget_chunk(properties, RILL_H5_RANK, chunk);
    *out = (rill_h5_layout){
        .type = type_of(dataset), .rank = rank, .extendable = rank > 0 && most[0] == H5S_UNLIMITED};
    for (int a = 0; a < rank; a++) {
        out->dims[a] = dims[a];
        out->chunk[a] = chunk[a];
    }
done:
    rill_h5_release(properties);
    rill_h5_release(space);
    rill_h5_release(dataset);
    return status;
}

uint64_t rill_h5_dataset_storage(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    const hid_t dataset = rill_h5_object(file, path);
    const uint64_t bytes = dataset < 0 ? 0 : H5Dget_storage_size(dataset);
    rill_h5_release(dataset);
    return bytes;
}

rill_status rill_h5_extend(rill_h5_file *file, const char *path, uint64_t rows)
{
    RILL_H5_QUIET;
    rill_h5_layout layout;
    rill_status status = rill_h5_dataset_layout(file, path, &layout);
    if (status != RILL_OK) return status;
    hsize_t dims[RILL_H5_RANK] = {0};
    for (int a = 0; a < layout.rank; a++) dims[a] = a == 0 ? rows : layout.dims[a];
    const hid_t dataset = rill_h5_object(file, path);
    status = H5Dset_extent(dataset, dims) < 0
                 ? rill_h5_fail(file, "%s cannot grow to %llu rows", path, (unsigned long long)rows)
                 : rill_h5_check(file);
    rill_h5_release(dataset);
    return status;
}

/* Refuse a dataset that is not what the caller has room for. @param[in] extent  of a dataset that is read as
 * a whole; NULL: any */
static rill_status shape_check(rill_h5_file *file, const char *path, hid_t dataset, rill_h5_type type,
                               int rank, const uint64_t *extent)
{
    rill_status status = RILL_OK;
    rill_h5_layout layout;
    const hid_t stored = H5Dget_type(dataset), space = H5Dget_space(dataset);
    const H5T_class_t found = H5Tget_class(stored), wanted = H5Tget_class(memory_type(type));
    const bool filled = H5Sget_simple_extent_type(space) != H5S_NULL;
    rill_h5_release(space);
    rill_h5_release(stored);
    RILL_TRY(rill_h5_dataset_layout(file, path, &layout));
    if (found != wanted && !(found == H5T_INTEGER && wanted == H5T_FLOAT))
        RILL_TRY(rill_h5_fail(file, "%s holds no %s: the file is damaged", path,
                              wanted == H5T_FLOAT ? "numbers" : "integers"));
    if (!filled) RILL_TRY(rill_h5_fail(file, "%s holds no values: the file is damaged", path));
    if (layout.rank != rank)
        RILL_TRY(rill_h5_fail(file, "%s has %d axes, not %d: the file is damaged", path, layout.rank, rank));
    for (int a = 0; extent && a < rank; a++)
        if (layout.dims[a] != extent[a])
            RILL_TRY(rill_h5_fail(file, "%s has %llu elements along axis %d, not %llu: the file is damaged",
                                  path, (unsigned long long)layout.dims[a], a,
                                  (unsigned long long)extent[a]));
done:
    return status;
}

/* Reads (`into`) or writes (`from`) a block. */
static rill_status transfer(rill_h5_file *file, const char *path, rill_h5_type type, const uint64_t *start,
                            const uint64_t *count, void *into, const void *from)
{
    rill_status status = RILL_OK;
    hid_t space = H5I_INVALID_HID, memory = H5I_INVALID_HID;
    hsize_t first[RILL_H5_RANK] = {0}, size[RILL_H5_RANK] = {0};
    const hid_t dataset = rill_h5_object(file, path);
    if (dataset < 0) RILL_TRY(rill_h5_fail(file, "no dataset %s", path));
    space = H5Dget_space(dataset);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 0 || rank > RILL_H5_RANK) RILL_TRY(rill_h5_fail(file, "%s has %d dimensions", path, rank));
    if (start && rank > 0) {
        for (int a = 0; a < rank; a++) {
            first[a] = start[a];
            size[a] = count[a];
        }
        memory = H5Screate_simple(rank, size, NULL);
        if (memory < 0 || H5Sselect_hyperslab(space, H5S_SELECT_SET, first, NULL, size, NULL) < 0 ||
            H5Sselect_valid(space) <= 0)
            RILL_TRY(rill_h5_fail(file, "a block outside %s", path));
    }
    const hid_t memory_space = memory < 0 ? H5S_ALL : memory, file_space = memory < 0 ? H5S_ALL : space;
    const hid_t element = memory_type(type);
    rill_h5_layout layout;
    if (into && !start && rill_h5_dataset_layout(file, path, &layout) == RILL_OK &&
        rill_h5_read_chunks(dataset, &layout, element, into))
        goto done;
    const herr_t moved = into ? H5Dread(dataset, element, memory_space, file_space, H5P_DEFAULT, into)
                              : H5Dwrite(dataset, element, memory_space, file_space, H5P_DEFAULT, from);
    if (moved < 0) RILL_TRY(rill_h5_fail(file, "the values of %s", path));
    RILL_TRY(rill_h5_check(file));
done:
    rill_h5_release(memory);
    rill_h5_release(space);
    rill_h5_release(dataset);
    return status;
}

rill_status rill_h5_write(rill_h5_file *file, const char *path, rill_h5_type type, const uint64_t *start,
                          const uint64_t *count, const void *data)
{
    RILL_H5_QUIET;
    return transfer(file, path, type, start, count, NULL, data);
}

rill_status rill_h5_read(rill_h5_file *file, const char *path, rill_h5_type type, int rank,
                         const uint64_t *start, const uint64_t *count, void *data)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    const hid_t dataset = rill_h5_object(file, path);
    if (dataset < 0) RILL_TRY(rill_h5_fail(file, "no dataset %s", path));
    RILL_TRY(shape_check(file, path, dataset, type, rank, start ? NULL : count));
    RILL_TRY(transfer(file, path, type, start, count, data, NULL));
done:
    rill_h5_release(dataset);
    return status;
}

rill_status rill_h5_link_external(rill_h5_file *file, const char *path, const char *other, const char *object)
{
    RILL_H5_QUIET;
    const rill_status status = parents_create(file, path);
    if (status != RILL_OK) return status;
    if (H5Lcreate_external(other, object, file->id, path, H5P_DEFAULT, H5P_DEFAULT) < 0)
        return rill_h5_fail(file, "no link %s to %s of %s", path, object, other);
    return rill_h5_check(file);
}

rill_status rill_h5_check_linked(rill_h5_file *file, const char *path)
{
    RILL_H5_QUIET;
    rill_status status = RILL_OK;
    H5L_info_t info;
    char *value = NULL, *above = NULL, *linked = NULL;
    const char *name, *object;
    unsigned flags;
    int held = -1;
    if (H5Lget_info(file->id, path, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_EXTERNAL) return RILL_OK;
    value = malloc(info.u.val_size);
    above = strdup(file->path);
    if (!value || !above) RILL_TRY(fail_memory(file));
    if (H5Lget_val(file->id, path, value, info.u.val_size, H5P_DEFAULT) < 0 ||
        H5Lunpack_elink_val(value, info.u.val_size, &flags, &name, &object) < 0)
        RILL_TRY(rill_h5_fail(file, "no link %s", path));
    if (asprintf(&linked, "%s/%s", dirname(above), name) < 0) RILL_TRY(fail_memory(file));
    RILL_TRY(compare(name[0] == '/' ? name : linked, CHECKED_MOST, &held));
done:
    if (held >= 0) close(held);
    free(linked);
    free(above);
    free(value);
    return status;
}

typedef struct copied {
    rill_h5_file *to;
    const char *path;
} copied;

/* H5Ocopy() succeeds without the targets of links that it cannot read. */
static herr_t is_copied(hid_t group, const char *name, const H5L_info_t *info, void *context)
{
    (void)group;
    (void)info;
    const copied *c = context;
    const hid_t into = H5Oopen(c->to->id, c->path, H5P_DEFAULT);
    H5L_info_t found;
    const bool is =
        into >= 0 && H5Lget_info(into, name, &found, H5P_DEFAULT) >= 0 && found.type == H5L_TYPE_HARD;
    rill_h5_release(into);
    return is ? 0 : -1;
}

static bool is_whole_copy(rill_h5_file *from, rill_h5_file *to, const char *path)
{
    H5O_info_t info;
    copied c = {to, path};
    return H5Oget_info_by_name2(from->id, path, &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0 &&
           (info.type != H5O_TYPE_GROUP ||
            H5Lvisit_by_name(from->id, path, H5_INDEX_NAME, H5_ITER_NATIVE, is_copied, &c, H5P_DEFAULT) >= 0);
}

rill_status rill_h5_copy(rill_h5_file *from, rill_h5_file *to, const char *path)
{
    RILL_H5_QUIET;
    rill_status status = parents_create(to, path);
    if (status != RILL_OK) return status;
    const hid_t expand = H5Pcreate(H5P_OBJECT_COPY);
    H5Pset_copy_object(expand, H5O_COPY_EXPAND_EXT_LINK_FLAG);
    if (!rill_h5_links_are_inside(from, path))
        status = rill_h5_fail(from, "%s refers to what cannot be read", path);
    else if (H5Ocopy(from->id, path, to->id, path, expand, H5P_DEFAULT) < 0)
        status = rill_h5_fail(to, "no copy of %s of %s", path, from->path);
    else if (!is_whole_copy(from, to, path))
        status = rill_h5_fail(from, "%s refers to what cannot be read", path);
    else
        status = rill_h5_check(to);
    rill_h5_release(expand);
    return status;
}

rill_status rill_h5_scale_create(rill_h5_file *file, const char *path, const char *name)
{
    RILL_H5_QUIET;
    const hid_t dataset = rill_h5_object(file, path);
    rill_status status = H5DSset_scale(dataset, name) < 0
                             ? rill_h5_fail(file, "%s is not a dimension scale", path)
                             : rill_h5_check(file);
    rill_h5_release(dataset);
    return status;
}

rill_status rill_h5_scale_attach(rill_h5_file *file, const char *path, const char *scale, int axis)
{
    RILL_H5_QUIET;
    const hid_t dataset = rill_h5_object(file, path), other = rill_h5_object(file, scale);
    rill_status status = H5DSattach_scale(dataset, other, (unsigned)axis) < 0
                             ? rill_h5_fail(file, "no dimension scale %s for %s", scale, path)
                             : rill_h5_check(file);
    rill_h5_release(other);
    rill_h5_release(dataset);
    return status;
}
