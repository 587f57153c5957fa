/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the readers of image.h share: a stream of voxel bytes, text headers, and the list of readers.
 */
#ifndef RILL_GEOMETRY_IMAGE_IMAGE_PRIV_H
#define RILL_GEOMETRY_IMAGE_IMAGE_PRIV_H

#include "core/status.h"
#include "geometry/image/image.h"

#include <stdbool.h>
#include <stddef.h>
#include "rill.h"

/* The readers. Each fills in an image that stands for `path`; rill_image_close() cleans up after failure. */
rill_status rill_image_open_raw(const char *path, const rill_image_options *options, rill_image *image);
rill_status rill_image_open_tiff(const char *path, rill_image *image);
rill_status rill_image_open_tiff_series(rill_image *image); /* of image->files */
rill_status rill_image_open_png(rill_image *image);         /* of image->files: slices */
rill_status rill_image_open_text(const char *path, const rill_image_options *options, rill_image *image);
rill_status rill_image_open_npy(const char *path, rill_image *image);
rill_status rill_image_open_nrrd(const char *path, rill_image *image);
rill_status rill_image_open_mhd(const char *path, rill_image *image);
rill_status rill_image_open_nifti(const char *path, rill_image *image);

/* Readers of files that hold several arrays. `name`: of one ("/group/data"); NULL: the only one. */
rill_status rill_image_open_npz(const char *path, const char *name, rill_image *image);
rill_status rill_image_open_vti(const char *path, const char *name, rill_image *image);
rill_status rill_image_open_vtk(const char *path, const char *name, rill_image *image);
rill_status rill_image_open_netcdf(const char *path, const char *name, rill_image *image);
rill_status rill_image_open_hdf5(const char *path, const char *name, rill_image *image);

/* Find the format of a file by its first bytes, then by its name. @param told  a size or a type was given, so
 * that it may be raw. @return RILL_USAGE for what is no image that is read, with its format and the remedy */
rill_status rill_image_detect(const char *path, bool told, rill_image_format *format);

/* Refuse a file whose first bytes are of a format that is not read. @param head with a NUL behind `length`
 * bytes */
rill_status rill_image_refuse_foreign(const char *path, const char *head, size_t length);

/* Refuse a text that holds more than numbers. */
rill_status rill_image_refuse_text(const char *head, size_t length);

/* Refuse a page of a web site, which a download may give in place of a file. */
rill_status rill_image_refuse_page(const char *head, size_t length);

/* Refuse what stands for a file that is elsewhere; a file that cannot be read passes. */
rill_status rill_image_refuse_pointer(const char *head, size_t length);
rill_status rill_image_check_pointer(const char *path);

/* Refuse a directory without slices: say what it holds, with the remedy. */
rill_status rill_image_refuse_directory(const char *path);

/* What a file name says; 0 or -1 where it says nothing. */
typedef struct rill_raw_hints {
    uint64_t n[3];
    int type, big_endian;
    double spacing; /* metres */
} rill_raw_hints;

/* Parse a file name. Of several sizes the first that agrees with the file length counts, else the first. */
rill_raw_hints rill_raw_hints_of(const char *path, uint64_t length);

/* Return whether bytes begin like a NIfTI file. */
bool rill_nifti_begins(const void *head, size_t length);

enum { RILL_NIFTI_HEADER = 540 }; /* bytes of the longest header */

/* Note one more file that belongs to the image. */
rill_status rill_image_add_file(rill_image *image, const char *path);

/* Set which value the image itself says is pore, once its type is known. */
void rill_image_settle_pore(rill_image *image);

/* Add a sentence to the remarks. */
void rill_image_remark(rill_image *image, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Set the sizes; `rank` 2 becomes one slice. Refuses zero, more than 2^31 - 1, and overflowing products. */
rill_status rill_image_set_size(rill_image *image, const uint64_t *n, int rank);

/* Set the order of the axes of an array: index 0 of a[i, j, k] is file axis 0 and goes to z. In memory the
 * last index is the fastest, with `fortran` the first. */
void rill_image_set_array_order(rill_image *image, int rank, bool fortran);

/* Set spacings (taken positive) and where the file states them, "ElementSpacing"; all are unknown when one is
 * not a positive number. */
void rill_image_set_spacing(rill_image *image, const char *measure, const double spacing[3], double unit,
                            bool metric);

/* Return the metres of a unit as headers spell it: "um", "µm", "Microns", "[u_m]"; 0: it is no length. */
double rill_image_unit(const char *unit);

/* Set the sentence on what was taken for granted of the spacing; it does not count where a voxel size is
 * given. */
void rill_image_note_spacing(rill_image *image, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Bytes of voxels in a file. */
enum { RILL_BYTES_END = -1 }; /* as `offset`: the voxels are the last bytes of the file */

typedef struct rill_bytes_source {
    const char *path;
    int64_t offset; /* of the first voxel, or of the compressed stream; RILL_BYTES_END */
    bool deflated;  /* gzip or zlib */
    uint64_t skip;  /* deflated: bytes before the first voxel, once inflated */
    bool tail;      /* bytes after the voxels are allowed */
    bool text;      /* decimal numbers */
    const char *remedy;
} rill_bytes_source;

/* Make the image read its slices from a file whose length must be right. */
rill_status rill_image_read_bytes(rill_image *image, const rill_bytes_source *source);

/* The path to open, and the name in messages: of "-" those of standard input. */
const char *rill_input_path(const char *path);
const char *rill_input_title(const char *path);

/* Open a regular file for reading and return its length. "-" is standard input, which must be one. */
rill_status rill_input_open(const char *path, int *fd, uint64_t *length);

/* Read up to `count` bytes at `offset`, fewer at the end of the file. */
rill_status rill_input_read(int fd, uint64_t offset, void *data, size_t count, size_t *got);

/* Read the first bytes of a file, at most `limit`; NUL-terminated, the caller frees. */
rill_status rill_file_head(const char *path, size_t limit, char **head, size_t *length);

/* Read `count` non-negative integers separated by blanks, and nothing else. */
bool rill_text_integers(const char *text, uint64_t *values, int count);

/* Read `count` numbers separated by blanks, and nothing else. */
bool rill_text_reals(const char *text, double *values, int count);

/* A name of a number type in a header. */
typedef struct rill_grey_alias {
    const char *name;
    rill_grey type;
} rill_grey_alias;

/* Look a type up in a table that ends with a NULL name. */
bool rill_grey_find(const rill_grey_alias *table, const char *name, rill_grey *type);

/** What the beginning of a file is. */
typedef enum rill_text_kind {
    RILL_TEXT_NONE,   /**< no text */
    RILL_TEXT_OTHER,  /**< a text with more than numbers */
    RILL_TEXT_NUMBERS /**< numbers with something between them */
} rill_text_kind;

/** Return what kind of text bytes are. */
rill_text_kind rill_text_kind_of(const char *head, size_t length);

/** Paths of slices in order. */
typedef struct rill_slice_files {
    char **paths;
    uint64_t count, room;
} rill_slice_files;

/**
 * Find the slices that a path means: the TIFF files of a directory, or else the PNG files, the matches of a
 * glob, or of a printf pattern with one %d or %04d.
 * @return RILL_USAGE when there are none, when they are not one series (names that differ in one number
 *         alone), and when numbers are missing
 */
rill_status rill_slice_files_find(const char *path, rill_slice_files *out);

enum { RILL_NPY_HEADER = 1 << 16 /**< bytes of a header at most */ };

/**
 * Read a header, and set kind, type, size and order of an image.
 * @param[in,out] head  [length + 1], the first bytes of the array; cut behind the header
 * @param[out]    end   bytes of the header
 */
rill_status rill_npy_header(char *head, size_t length, rill_image *image, uint64_t *end);

#endif
