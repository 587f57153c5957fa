/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file hdf5.h
 * The HDF5 library as rill uses it for its own files; those of others are read by geometry/image. Objects are
 * named by their path in the file. Chunks carry Fletcher-32 sums, metadata the checksums of file format 1.10;
 * no times are stored, so that the same content gives the same bytes. A checksum of the whole file follows
 * (io/checksum.h), which opening compares before HDF5 reads anything.
 *
 * Failures of reading are RILL_USAGE (the file is not what it should be), failures of writing are
 * RILL_SYSTEM. HDF5 may report success from every call after a failed write on a full disk: the driver
 * beneath keeps the first failure, and every writing call and the commit report it.
 *
 * The HDF5 library is not assumed to be thread-safe: one thread at a time may be in these functions.
 */
#ifndef RILL_IO_HDF5_H
#define RILL_IO_HDF5_H

#include "rill.h"

/** An open file, for reading or for writing. */
typedef struct rill_h5_file rill_h5_file;

/** Element types, in memory and in the file (little endian there). */
typedef enum rill_h5_type {
    RILL_H5_U8,
    RILL_H5_U32,
    RILL_H5_U64,
    RILL_H5_I64,
    RILL_H5_F32,
    RILL_H5_F64,
    RILL_H5_OTHER /**< found in a file, not written */
} rill_h5_type;

enum { RILL_H5_RANK = 4 /**< largest rank of a dataset */ };

/** Type, shape and storage of a dataset. */
typedef struct rill_h5_layout {
    rill_h5_type type;
    int rank;                     /**< 0: a single value */
    uint64_t dims[RILL_H5_RANK];  /**< slowest axis first */
    uint64_t chunk[RILL_H5_RANK]; /**< cut to dims; chunk[0] = 0: one contiguous block without checksum */
    int deflate;                  /**< level 0…9; elements wider than a byte are shuffled before */
    bool extendable;              /**< along axis 0 */
} rill_h5_layout;

/** Write the three numbers of the version of the HDF5 library that is loaded. */
void rill_h5_version(unsigned version[3]);

/* ---- files ----------------------------------------------------------------------------------- */

/** Begin a file that appears under `path` when it is committed. */
rill_status rill_h5_create(const char *path, rill_h5_file **out);

/** Close, verify (every object is opened again) and give the file its name. rill_h5_close() must still
 * follow. */
rill_status rill_h5_commit(rill_h5_file *file);

/** Open a file for reading, after a comparison with its checksum, if it has one. @return RILL_USAGE when it
 * is missing, no HDF5 file, truncated or damaged */
rill_status rill_h5_open(const char *path, rill_h5_file **out);

/** Open a file of which a small part will be read: files above 1 GiB are not compared with their checksum. */
rill_status rill_h5_open_part(const char *path, rill_h5_file **out);

/** Close a file; one that was not committed vanishes. NULL is allowed. */
void rill_h5_close(rill_h5_file *file);

/** Return the path as it was given. */
const char *rill_h5_path(const rill_h5_file *file);

/* ---- groups and datasets --------------------------------------------------------------------- */

/** Return whether an object can be reached, links to other files included. */
bool rill_h5_exists(rill_h5_file *file, const char *path);

/** Return whether an object is a dataset. */
bool rill_h5_is_dataset(rill_h5_file *file, const char *path);

/** Return whether an object has several names, which none that rill writes has. */
bool rill_h5_has_names(rill_h5_file *file, const char *path);

/** Create a group and the groups above it. */
rill_status rill_h5_group_create(rill_h5_file *file, const char *path);

/** Create a dataset and the groups above it; elements that are never written read as 0. */
rill_status rill_h5_dataset_create(rill_h5_file *file, const char *path, const rill_h5_layout *layout);

/** Look up a dataset. @return RILL_USAGE when there is none or its rank exceeds RILL_H5_RANK */
rill_status rill_h5_dataset_layout(rill_h5_file *file, const char *path, rill_h5_layout *out);

/** Return the bytes that a dataset occupies in the file; 0 when it does not exist. */
uint64_t rill_h5_dataset_storage(rill_h5_file *file, const char *path);

/** Lengthen an extendable dataset to `rows` along axis 0. */
rill_status rill_h5_extend(rill_h5_file *file, const char *path, uint64_t rows);

/**
 * Write a block. @param[in] start,count  [rank] of the block; both NULL: everything.
 * @param[in] data  elements of `type`, count[0] × count[1] × …, last axis fastest
 */
rill_status rill_h5_write(rill_h5_file *file, const char *path, rill_h5_type type, const uint64_t *start,
                          const uint64_t *count, const void *data);

/**
 * Write the rows start … start + rows - 1 along axis 0, chunk by chunk, and leave out the chunks that hold
 * nothing but 0: a sparse array costs what it fills. `start` must be a multiple of the chunk.
 */
rill_status rill_h5_write_sparse(rill_h5_file *file, const char *path, uint64_t start, uint64_t rows,
                                 const void *data);

/**
 * Read a block. A dataset that does not fit into `data` is refused: one with another number of axes, one that
 * is read as a whole and has other extents, or one that holds no numbers (no integers, where `type` is one).
 * @param rank       axes that the dataset must have; 0: it is a single value
 * @param[in] start  [rank] of the block; NULL: everything
 * @param[in] count  [rank] of the block; of a dataset that is read as a whole, the extents that it must have
 */
rill_status rill_h5_read(rill_h5_file *file, const char *path, rill_h5_type type, int rank,
                         const uint64_t *start, const uint64_t *count, void *data);

/** Rows of a dataset that are written one after the other, gathered to whole chunks. */
typedef struct rill_h5_stream rill_h5_stream;

/**
 * Create a dataset that grows along axis 0 and begin to fill it.
 * @param[in] width    elements of a row; 0: the dataset has one axis and rows of one element
 * @param[in] deflate  level 0…9
 * @param[in] path     borrowed until the stream is closed
 */
rill_status rill_h5_stream_create(rill_h5_file *file, const char *path, rill_h5_type type, uint64_t width,
                                  int deflate, rill_h5_stream **out);

/** Append `rows` rows. */
rill_status rill_h5_stream_append(rill_h5_stream *stream, uint64_t rows, const void *data);

/** Write what is still held. */
rill_status rill_h5_stream_flush(rill_h5_stream *stream);

/** Return the rows appended so far. */
uint64_t rill_h5_stream_rows(const rill_h5_stream *stream);

/** Free a stream; rows that were not flushed are lost. NULL is allowed. */
void rill_h5_stream_destroy(rill_h5_stream *stream);

/** Return the bytes of an element. */
size_t rill_h5_size(rill_h5_type type);

/** Link `path` to an object of another file, whose name is taken relative to the directory of this one. */
rill_status rill_h5_link_external(rill_h5_file *file, const char *path, const char *other,
                                  const char *object);

/** Compare the file that `path`, a link to an object of another file, leads to with its checksum, as
 * rill_h5_open_part().
 * @return RILL_USAGE when it cannot be read or is damaged; RILL_OK when `path` is no such link */
rill_status rill_h5_check_linked(rill_h5_file *file, const char *path);

/** Copy an object with all that is below it; links to other files become copies of what they name. */
rill_status rill_h5_copy(rill_h5_file *from, rill_h5_file *to, const char *path);

/** Make a one-dimensional dataset a dimension scale. */
rill_status rill_h5_scale_create(rill_h5_file *file, const char *path, const char *name);

/** Attach a dimension scale to an axis of a dataset. */
rill_status rill_h5_scale_attach(rill_h5_file *file, const char *path, const char *scale, int axis);

/* ---- attributes ------------------------------------------------------------------------------ */

/** Write a text attribute of an object ("/" is the file): fixed length, ASCII where it suffices, else UTF-8.
 */
rill_status rill_h5_set_text(rill_h5_file *file, const char *object, const char *name, const char *text);

/** Write `count` reals (FP64); count 1 gives a single value. */
rill_status rill_h5_set_reals(rill_h5_file *file, const char *object, const char *name, const double *values,
                              size_t count);

/** Write `count` integers (64 bits, signed); count 1 gives a single value. */
rill_status rill_h5_set_integers(rill_h5_file *file, const char *object, const char *name,
                                 const int64_t *values, size_t count);

/** Return whether an object has an attribute. */
bool rill_h5_has_attribute(rill_h5_file *file, const char *object, const char *name);

/** Read a text attribute. @param[out] out  the caller frees it. @return RILL_USAGE when it is missing or no
 * text */
rill_status rill_h5_get_text(rill_h5_file *file, const char *object, const char *name, char **out);

/** Read exactly `count` reals. @return RILL_USAGE when the attribute is missing, no number or of another
 * count */
rill_status rill_h5_get_reals(rill_h5_file *file, const char *object, const char *name, double *values,
                              size_t count);

/** Read exactly `count` reals that are finite. @return RILL_USAGE when one is not; errors as
 * rill_h5_get_reals() */
rill_status rill_h5_get_finite(rill_h5_file *file, const char *object, const char *name, double *values,
                               size_t count);

/** Read exactly `count` integers; errors as rill_h5_get_reals(). */
rill_status rill_h5_get_integers(rill_h5_file *file, const char *object, const char *name, int64_t *values,
                                 size_t count);

/* ---- looking around -------------------------------------------------------------------------- */

/** Called for each name; what it returns ends the walk unless it is RILL_OK. */
typedef rill_status (*rill_h5_name_fn)(void *context, const char *name);

/** Call `fn` for the members of a group, in order of name. @return RILL_USAGE when there is no such group */
rill_status rill_h5_members(rill_h5_file *file, const char *group, rill_h5_name_fn fn, void *context);

/** Call `fn` for the attributes of an object, in order of name. */
rill_status rill_h5_attributes(rill_h5_file *file, const char *object, rill_h5_name_fn fn, void *context);

/** What an attribute holds. */
typedef enum rill_h5_class { RILL_H5_TEXT, RILL_H5_REAL, RILL_H5_INTEGER, RILL_H5_STRANGE } rill_h5_class;

/** Return what an attribute holds and how many values; RILL_H5_STRANGE when it cannot be read as any of
 * these. */
rill_h5_class rill_h5_attribute_class(rill_h5_file *file, const char *object, const char *name,
                                      size_t *count);

#endif
