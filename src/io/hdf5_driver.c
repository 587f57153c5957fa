/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HDF5 file driver that rill writes through. HDF5 1.10's own driver returns failures into the library,
 * which afterwards may report success from every call, and dereferences NULL when the file is closed
 * a second time or at exit. This one keeps the first failure for us and lets HDF5 finish in peace.
 */
#include "io/hdf5_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct sink_file {
    H5FD_t base; /* first, as HDF5 requires it */
    rill_h5_sink *sink;
    haddr_t eoa; /* end of what HDF5 has allocated */
    haddr_t eof; /* end of what was written, or would have been */
} sink_file;

static H5FD_t *sink_open(const char *name, unsigned flags, hid_t access, haddr_t maximum)
{
    (void)maximum;
    (void)name;
    rill_h5_sink *const *sink = H5Pget_driver_info(access);
    struct stat info;
    sink_file *file = calloc(1, sizeof *file);
    if (!sink || !file) {
        free(file);
        return NULL;
    }
    file->sink = *sink;
    if ((flags & H5F_ACC_TRUNC) && ftruncate(file->sink->descriptor, 0) != 0) file->sink->error = errno;
    if (fstat(file->sink->descriptor, &info) == 0) file->eof = (haddr_t)info.st_size;
    return &file->base;
}

static herr_t sink_close(H5FD_t *base)
{
    free(base);
    return 0;
}

static herr_t sink_query(const H5FD_t *base, unsigned long *flags)
{
    (void)base;
    if (flags)
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
                 H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
    return 0;
}

static haddr_t sink_get_eoa(const H5FD_t *base, H5FD_mem_t kind)
{
    (void)kind;
    return ((const sink_file *)base)->eoa;
}

static herr_t sink_set_eoa(H5FD_t *base, H5FD_mem_t kind, haddr_t address)
{
    (void)kind;
    ((sink_file *)base)->eoa = address;
    return 0;
}

static haddr_t sink_get_eof(const H5FD_t *base, H5FD_mem_t kind)
{
    (void)kind;
    return ((const sink_file *)base)->eof;
}

static herr_t sink_read(H5FD_t *base, H5FD_mem_t kind, hid_t transfer, haddr_t address, size_t size,
                        void *data)
{
    (void)kind;
    (void)transfer;
    rill_h5_sink *sink = ((sink_file *)base)->sink;
    char *next = data;
    while (size > 0) {
        const ssize_t got = pread(sink->descriptor, next, size, (off_t)address);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && !sink->error) sink->error = errno;
        if (got <= 0) break;
        next += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    memset(next, 0, size); /* beyond the end is 0, as in HDF5's own drivers */
    return 0;
}

static herr_t sink_write(H5FD_t *base, H5FD_mem_t kind, hid_t transfer, haddr_t address, size_t size,
                         const void *data)
{
    (void)kind;
    (void)transfer;
    sink_file *file = (sink_file *)base;
    rill_h5_sink *sink = file->sink;
    const char *next = data;
    if (address + size > file->eof) file->eof = address + size;
    while (size > 0 && !sink->error) {
        const ssize_t done = pwrite(sink->descriptor, next, size, (off_t)address);
        if (done < 0 && errno != EINTR) sink->error = errno;
        if (done <= 0) continue;
        next += done;
        address += (haddr_t)done;
        size -= (size_t)done;
    }
    return 0;
}

/* Gives the file the length that its superblock will promise. */
static herr_t sink_truncate(H5FD_t *base, hid_t transfer, hbool_t closing)
{
    (void)transfer;
    (void)closing;
    sink_file *file = (sink_file *)base;
    if (file->eoa == file->eof) return 0;
    if (!file->sink->error && ftruncate(file->sink->descriptor, (off_t)file->eoa) != 0)
        file->sink->error = errno;
    file->eof = file->eoa;
    return 0;
}

static const H5FD_class_t sink_class = {
    .name = "rill_sink",
    .maxaddr = (haddr_t)INT64_MAX,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(rill_h5_sink *),
    .open = sink_open,
    .close = sink_close,
    .query = sink_query,
    .get_eoa = sink_get_eoa,
    .set_eoa = sink_set_eoa,
    .get_eof = sink_get_eof,
    .read = sink_read,
    .write = sink_write,
    .truncate = sink_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

rill_status rill_h5_sink_access(rill_h5_sink *sink, hid_t *out)
{
    /* Kept: H5FD_close of HDF5 1.10 gives back the reference that the file has, and then calls the driver by
     * what the last reference has freed. Callers hold the lock of the library. */
    static hid_t driver = H5I_INVALID_HID;
    if (H5Iget_type(driver) != H5I_VFL) driver = H5FDregister(&sink_class);
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    const bool set = driver >= 0 && access >= 0 && H5Pset_driver(access, driver, &sink) >= 0 &&
                     H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
                     H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) >= 0;
    if (!set) {
        rill_h5_release(access);
        return rill_fail(RILL_SYSTEM,
                         "the HDF5 library refuses a file driver: rebuild rill against the one installed");
    }
    *out = access;
    return RILL_OK;
}
