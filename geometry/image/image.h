/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image.h
 * Grey-value images on disk: raw, TIFF and PNG (also one file per slice), npy, NRRD, MHD/MHA and others.
 *
 * An open image hands out its slices one after the other, so that no image is ever whole in memory. What
 * a grey value means, and which file axis becomes x, y or z, is decided in voxelize.h. Not read: colour,
 * several channels, more than three axes, complex and structured types.
 */
#ifndef RILL_GEOMETRY_IMAGE_IMAGE_H
#define RILL_GEOMETRY_IMAGE_IMAGE_H

#include "rill.h"

/** An image opened for reading. File axes are numbered as the format names them. */
typedef struct rill_image {
    rill_image_format format;
    char kind[64]; /**< "raw, little-endian", "TIFF, 480 files" */
    rill_grey type;
    uint32_t n[3];     /**< voxels along the file axes; 1 where a flat image has no third axis */
    int order[3];      /**< file axes from the fastest in memory to the slowest */
    int axes[3];       /**< where file axes 0, 1, 2 go by the format's custom: 0 x, 1 y, 2 z */
    double spacing[3]; /**< along the file axes, all 0 when unknown */
    bool metric;       /**< the spacing is in metres; otherwise only its ratios count */
    double pore; /**< the grey value that is pore as the file says: 1 (True) of bool; NaN: it says none */
    double origin[3];       /**< corner of the first voxel in the unit of the spacing */
    const char *measure;    /**< where the file states the spacing: "ElementSpacing"; NULL: nowhere */
    double stated[3];       /**< the spacing as it stands there */
    double stated_unit;     /**< metres of its unit */
    bool assumed;           /**< the file names no unit: this one is the custom of its format */
    char spacing_note[256]; /**< what was taken for granted of the spacing, which a given voxel size replaces
                             */
    char remarks[512];      /**< what was taken for granted, sentences separated by newlines */
    char **files;           /**< [file_count], all files that hold the image, in order */
    uint64_t file_count;

    /* For image.c and the readers alone. */
    rill_status (*read)(struct rill_image *image, uint32_t slice, void *grey);
    void (*close)(struct rill_image *image);
    void *reader;
    const void *memory; /* the array that it is, borrowed; NULL: files */
    bool swap;          /* bytes come in the other order */
    bool threaded;      /* read() may be called by several threads at the same time */
    bool allow_outside; /* as in rill_image_options */
} rill_image;

/** Return format auto and nothing known. */
rill_image_options rill_image_options_default(void);

/**
 * Open an image and read what its header says.
 * @param[in] path  a file; for one TIFF or PNG file per slice a directory, a glob ("s*.tif") or a printf
 * pattern
 *                  ("s%04d.tif"), sorted by number, gaps refused
 * @return RILL_USAGE for anything that is no complete image of these formats, RILL_SYSTEM for memory
 */
rill_status rill_image_open(const char *path, const rill_image_options *options, rill_image **out);

/**
 * Open an array as an image: see rill_array_voxelize().
 * @return RILL_USAGE for sizes or a type that are not given, RILL_SYSTEM for memory
 */
rill_status rill_image_open_array(const void *grey, const rill_image_options *options, rill_image **out);

/** Close an image; NULL is allowed. */
void rill_image_close(rill_image *image);

/** Return the voxels in a slice: the two faster axes. */
uint64_t rill_image_slice_voxels(const rill_image *image);

/**
 * Read one slice across the slowest axis, in the processor's byte order.
 * Slices are cheap in ascending order; compressed data goes forward only.
 * @param[out] grey  [slice voxels] of the image's type
 */
rill_status rill_image_read(rill_image *image, uint32_t slice, void *grey);

/** Hash the bytes of all files of an image in order, or those of its array. @param[out] text  XXH3-64 in
 * hexadecimal */
rill_status rill_image_hash(const rill_image *image, char text[17]);

/** Return the bytes of a grey value. */
size_t rill_grey_size(rill_grey type);

/** Return "u8", "f32" and the like. */
const char *rill_grey_name(rill_grey type);

#endif
