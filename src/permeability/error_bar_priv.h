/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file error_bar_priv.h
 * What the two halves of the error bar share: planning (error_bar_plan.c, error_bar_grids.c) and running
 * (error_bar.c).
 */
#ifndef RILL_PERMEABILITY_ERROR_BAR_PRIV_H
#define RILL_PERMEABILITY_ERROR_BAR_PRIV_H

#include "rill.h"

/** Magic parameter of runs on a surface: the least error on curved walls (docs/method.md). */
#define RILL_SHAPE_MAGIC 0.12

/** Return the variant with everything stored and computed in fp64. */
rill_variant rill_error_bar_fp64(rill_variant variant);

/** Return into how many voxels a part splits one along each axis: in planes (D2Q9) z stays as it is. */
void rill_error_bar_factor(const rill_error_bar_part *part, uint32_t factor[3]);

/** Return the options of a part: nothing is watched or written, and tau is chosen where the answer does not
 * depend on it. @param[in] plan  of the plain run */
rill_permeability_options rill_error_bar_part_options(const rill_permeability_options *plain,
                                                      const rill_permeability_plan *plan,
                                                      const rill_error_bar_part *part);

/** Copy the voxels of a part, not split yet, with its domain boundaries and without pores that do not
 * conduct; with a surface through them where the part requires it. @param[in] options  of the part */
rill_status rill_error_bar_part_geometry(const rill_geom *geom, const rill_error_bar_part *part,
                                         const rill_permeability_options *options, rill_geom **out);

/** Put what the width of a threshold does, where there is one: on the surface where that is known. */
void rill_error_bar_segmentation_put(const rill_permeability *plain, rill_error_bar *out);

/** What is known of the shape along an axis, lu. */
typedef struct rill_shape_found {
    double k;          /**< of the voxels */
    double shift;      /**< see rill_permeability_flow.wall_shift */
    double room[2];    /**< see rill_permeability_flow.wall_room */
    double surface[2]; /**< k on a surface through the voxels, with RILL_SHAPE_MAGIC and 3/16; NaN: unknown */
} rill_shape_found;

/** The estimate from it: k, and half of the interval around it, relative. */
typedef struct rill_shape_estimate {
    double k, half_width;
} rill_shape_estimate;

/** Estimate the permeability of the shape that voxels sample. */
rill_shape_estimate rill_shape_estimate_of(const rill_shape_found *found);

/**
 * Put the estimate for the shape into an error bar whose `surface_k` is there.
 * @return NULL, or why there is none
 */
const char *rill_error_bar_shape_take(const rill_permeability_options *options,
                                      const rill_permeability *plain, rill_error_bar *out);

#endif
