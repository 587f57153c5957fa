/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sample.h
 * Which voxels of a picture are the sample: by a grey value outside, a mask, or a cylinder. And whether a
 * picture looks as if a grey value were outside of a cylinder.
 */
#ifndef RILL_GEOMETRY_IMAGE_SAMPLE_H
#define RILL_GEOMETRY_IMAGE_SAMPLE_H

#include "geometry/image/image.h"

/** Value of a voxel outside of the sample while an image is read; later it is RILL_SOLID. */
#define RILL_OUTSIDE_MARK UINT8_MAX

/** What finds the sample while an image is read. */
typedef struct rill_sample rill_sample;

/**
 * Begin, and open the mask.
 * @param[in] image  the image, borrowed
 * @return RILL_USAGE for values that are pore, too, and a mask that does not fit
 */
rill_status rill_sample_begin(const rill_image *image, const rill_voxelize_options *options,
                              rill_sample **out);

/** Close the mask, and free; NULL is allowed. */
void rill_sample_end(rill_sample *sample);

/** Return whether any voxel may be outside. */
bool rill_sample_given(const rill_sample *sample);

/** Load what is needed of a slice. */
rill_status rill_sample_slice(rill_sample *sample, uint32_t slice);

/**
 * Mark voxels of the slice that was loaded.
 * @param[in] grey    [count] from voxel `first` of the slice on
 * @param[in,out] voxels  [count]
 */
void rill_sample_mark(const rill_sample *sample, const void *grey, uint64_t first, uint64_t count,
                      uint8_t *voxels);

/** Mark the voxels of a row of a geometry of n voxels that are not in the core. */
void rill_core_mark(const rill_core *core, const uint32_t n[3], uint32_t y, uint32_t z, uint8_t *row);

/** Refuse a core that is not in a picture of n voxels. */
rill_status rill_core_check(const rill_core *core, const uint32_t n[3]);

/** What is known of the label around a cylinder. Start with {0}. */
typedef struct rill_round {
    int looked, round; /**< slices looked at, and of these those with one and the same label around a disc */
    double value;      /**< of the label */
    double inside;     /**< share of the disc that has it, of the last slice */
    bool is_pore;      /**< the label is pore */
    double diameter;   /**< of the smallest disc that the label surrounds, in the slice where it is largest */
    uint32_t n[2];     /**< of the slices */
    uint32_t low[2],
        high[2]; /**< first line across each axis with another label, and the one behind the last */
} rill_round;

/**
 * Look at a slice: does one label fill all around the inscribed disc, in which there are pores and solid?
 * @param[in] grey  [ny][stride], from the first voxel used on
 * @param[in] pore  [ny][nx]
 * @param[in] n  nx, ny
 */
void rill_round_look(rill_round *round, rill_grey type, const void *grey, uint64_t stride,
                     const uint8_t *pore, const uint32_t n[2]);

/**
 * Describe a label around a cylinder, with the option that leaves it out.
 * @param[in] core   the core of the options; given: a label within the inscribed core counts alone
 * @param[in] scale  voxels of the geometry along an edge of a voxel of the slices
 * @param[out] text  a line
 * @return false if there is none
 */
bool rill_round_describe(const rill_round *round, const rill_core *core, double scale, char *text,
                         size_t size);

/** Return whether a core along z is the largest one around the middle of the picture. */
bool rill_core_is_inscribed(const rill_core *core);

#endif
