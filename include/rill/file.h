/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/file.h
 * Read the HDF5 files that rill writes: geometries, results, fields, walls and checkpoints. docs/files.md
 * lists their groups and datasets. Objects are named by their path in the file, "/series/z/k_zz"; links to
 * other files are followed.
 *
 * One thread at a time may be in these functions, in rill_geom_read() and in rill_geom_write(), because the
 * HDF5 library may not be thread-safe.
 *
 * Every function of this library that reads an HDF5 file lets the program rill-inspect read it first, unless
 * this process wrote the file or had it inspected, and it has not changed since: rill_file_open(),
 * rill_geom_read(), rill_image_voxelize(), rill_batch_compute(), and rill_permeability_compute(),
 * rill_case_plan_make() and rill_case_run() for checkpoints. The program is started by posix_spawn(), takes
 * 10 to 20 ms for a small file, and has the environment of this process but for LD_PRELOAD. It is looked for
 * beside the library, in rill/ beside it, and in ../lib/rill, ../lib64/rill and ../lib/x86_64-linux-gnu/rill.
 * Two environment variables count: RILL_INSPECT names the program, and RILL_INSPECT_SECONDS how many seconds
 * it may take (default: 10, and 1 for each 20 MB). These functions then also return RILL_USAGE for a file
 * on which the HDF5 library crashes, or that takes longer or has more than 100,000 objects, and
 * RILL_SYSTEM where rill-inspect is missing, of another version, killed, or short of memory. SECURITY.md
 * says what it reads.
 */
#ifndef RILL_PUBLIC_FILE_H
#define RILL_PUBLIC_FILE_H

#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An HDF5 file that is open for reading. */
typedef struct rill_file rill_file;

/** Types of the elements of a dataset, in the byte order of the processor. */
typedef enum rill_element {
    RILL_ELEMENT_U8,    /**< uint8_t */
    RILL_ELEMENT_U32,   /**< uint32_t */
    RILL_ELEMENT_U64,   /**< uint64_t */
    RILL_ELEMENT_I64,   /**< int64_t */
    RILL_ELEMENT_F32,   /**< float */
    RILL_ELEMENT_F64,   /**< double */
    RILL_ELEMENT_OTHER, /**< a type that rill does not write and does not read */
    RILL_ELEMENT_COUNT  /**< number of types */
} rill_element;

enum { RILL_DATASET_RANK = 4 /**< axes of a dataset, at most */ };

/** Type and shape of a dataset. */
typedef struct rill_dataset {
    rill_element type;             /**< of its elements */
    int rank;                      /**< number of axes; 0: a single value */
    uint64_t n[RILL_DATASET_RANK]; /**< elements along each axis, slowest first */
} rill_dataset;

/** What an attribute holds: one text, or numbers. */
typedef struct rill_attribute {
    char *text;        /**< the text, UTF-8, owned; NULL: numbers */
    double *reals;     /**< [count], owned; NULL: a text or integers */
    int64_t *integers; /**< [count], owned; NULL: a text or reals */
    size_t count;      /**< number of values; 1 for a text */
} rill_attribute;

/** Called with a name; return false to stop. The name lives as long as the call. */
typedef bool (*rill_file_name_fn)(void *context, const char *name);

/**
 * Open a file for reading.
 * @param[in] path the file
 * @param[out] out the file; the caller closes it
 * @return RILL_USAGE when it is missing, no HDF5 file or truncated, of rill without the version of its format
 * or with another than this rill reads, or rill-inspect, which is started to read it first, crashes or takes
 * too long; RILL_SYSTEM when there is no rill-inspect (see RILL_INSPECT above)
 */
rill_status rill_file_open(const char *path, rill_file **out);

/**
 * Close a file.
 * @param[in] file NULL is allowed
 */
void rill_file_close(rill_file *file);

/**
 * Call a function for the members of a group, in order of name.
 * @param[in] file the file
 * @param[in] group path of the group; "/" is that of the file
 * @param[in] fn called with the name of each member, without the path of the group
 * @param[in] context passed to `fn`; may be NULL
 * @return RILL_USAGE when there is no such group
 */
rill_status rill_file_members(rill_file *file, const char *group, rill_file_name_fn fn, void *context);

/**
 * Return whether an object is a dataset.
 * @param[in] file the file
 * @param[in] path of the object
 * @return false: it is a group, or it does not exist
 */
bool rill_file_has_dataset(rill_file *file, const char *path);

/**
 * Return type and shape of a dataset.
 * @param[in] file the file
 * @param[in] path of the dataset
 * @param[out] out type and shape
 * @return RILL_USAGE when there is no such dataset, or it has more than RILL_DATASET_RANK axes
 */
rill_status rill_file_dataset(rill_file *file, const char *path, rill_dataset *out);

/**
 * Read a block of a dataset; only the chunks that it touches are read from the disk.
 * @param[in] file the file
 * @param[in] path of the dataset
 * @param[in] first [rank], of the block; NULL with `n`: the whole dataset
 * @param[in] n [rank], elements of the block along each axis, at least 1
 * @param[out] data of the type of the dataset, last axis fastest
 * @return RILL_USAGE for a block that is not inside, an element type that rill does not write, and damaged
 * data; RILL_SYSTEM without memory
 */
rill_status rill_file_read(rill_file *file, const char *path, const uint64_t *first, const uint64_t *n,
                           void *data);

/**
 * Call a function for the attributes of an object, in order of name.
 * @param[in] file the file
 * @param[in] object path of a group or a dataset
 * @param[in] fn called with the name of each attribute
 * @param[in] context passed to `fn`; may be NULL
 * @return RILL_USAGE when there is no such object
 */
rill_status rill_file_attributes(rill_file *file, const char *object, rill_file_name_fn fn, void *context);

/**
 * Read an attribute.
 * @param[in] file the file
 * @param[in] object path of a group or a dataset
 * @param[in] name of the attribute
 * @param[out] out the value; the caller frees it with rill_attribute_free()
 * @return RILL_USAGE when there is none, or when it is neither a text nor numbers; RILL_SYSTEM without memory
 */
rill_status rill_file_attribute(rill_file *file, const char *object, const char *name, rill_attribute *out);

/**
 * Free what an attribute owns. The structure itself is the caller's.
 * @param[in,out] attribute all zero afterwards
 */
void rill_attribute_free(rill_attribute *attribute);

#ifdef __cplusplus
}
#endif

#endif
