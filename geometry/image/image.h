/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file image.h
 * Grey-value images on disk: raw, TIFF (multi-page or one file per slice), npy, NRRD, MHD/MHA.
 *
 * An open image hands out its slices one after the other, so that no image is ever whole in memory. What
 * a grey value means, and which file axis becomes x, y or z, is decided in voxelize.h. Not read: colour,
 * several channels, more than three axes, complex and structured types.
 */
#ifndef RILL_GEOMETRY_IMAGE_IMAGE_H
#define RILL_GEOMETRY_IMAGE_IMAGE_H

#include "rill.h"

/** Number types of grey values. One-bit TIFF comes as RILL_GREY_U8 with 0 and 1, npy's bool too;
 * RILL_GREY_F16 is IEEE 754 binary16. */
typedef enum rill_grey {
    RILL_GREY_U8,
    RILL_GREY_I8,
    RILL_GREY_U16,
    RILL_GREY_I16,
    RILL_GREY_U32,
    RILL_GREY_I32,
    RILL_GREY_U64,
    RILL_GREY_I64,
    RILL_GREY_F16,
    RILL_GREY_F32,
    RILL_GREY_F64,
    RILL_GREY_COUNT
} rill_grey;

typedef enum rill_image_format {
    RILL_IMAGE_AUTO, /**< by the first bytes, else the name */
    RILL_IMAGE_RAW,
    RILL_IMAGE_TIFF,
    RILL_IMAGE_NPY,
    RILL_IMAGE_NRRD,
    RILL_IMAGE_MHD,
    RILL_IMAGE_FORMATS
} rill_image_format;

/** What a raw file does not say itself. Other formats refuse to be told. */
typedef struct rill_image_options {
    rill_image_format format;
    uint32_t n[3];  /**< voxels, fastest axis first; 0: from the name, "rock-480x480x480-u8.raw" */
    int type;       /**< a rill_grey; -1: from the name, else u8 or u16 by the length */
    int big_endian; /**< 1 or 0; -1: from the name ("16bit_be"), else little-endian */
    uint64_t skip;  /**< bytes before the first voxel */
} rill_image_options;

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
    double pore;       /**< the grey value that is pore by the format's custom: 1 (True) for bool, else 0 */
    double origin[3];  /**< corner of the first voxel in the unit of the spacing */
    char remarks[512]; /**< what was taken for granted, sentences separated by newlines */
    char **files;      /**< [file_count], all files that hold the image, in order */
    uint64_t file_count;

    /* For image.c and the readers alone. */
    rill_status (*read)(struct rill_image *image, uint32_t slice, void *grey);
    void (*close)(struct rill_image *image);
    void *reader;
    bool swap; /* bytes come in the other order */
} rill_image;

/** Return format auto and nothing known. */
rill_image_options rill_image_options_default(void);

/**
 * Open an image and read what its header says.
 * @param[in] path  a file; for one TIFF file per slice a directory, a glob ("s*.tif") or a printf pattern
 *                  ("s%04d.tif"), sorted by number, gaps refused
 * @return RILL_USAGE for anything that is no complete image of these formats, RILL_SYSTEM for memory
 */
rill_status rill_image_open(const char *path, const rill_image_options *options, rill_image **out);

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

/** Hash the bytes of all files of an image in order. @param[out] text  XXH3-64 in hexadecimal */
rill_status rill_image_hash(const rill_image *image, char text[17]);

/** Return the bytes of a grey value. */
size_t rill_grey_size(rill_grey type);

/** Return "u8", "f32" and the like. */
const char *rill_grey_name(rill_grey type);

/** Return the format of this name ("raw", "tiff", "npy", "nrrd", "mhd"). */
const char *rill_image_format_name(rill_image_format format);

#endif
