/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file view.h
 * A surface with a value on every triangle as a PNG picture, from both sides: to look at results without a
 * program that can. Orthographic, lit from the viewer, hidden parts hidden by depth.
 */
#ifndef RILL_IO_VIEW_H
#define RILL_IO_VIEW_H

#include "io/canvas.h"

/** A number at a place of the surface, explained beside the picture. */
typedef struct rill_view_mark {
    double at[3];     /**< m */
    double value;     /**< its colour is that of this value */
    const char *name; /**< up to 11 letters are shown */
} rill_view_mark;

/** What is shown. */
typedef struct rill_view {
    const rill_surface *surface;
    const float *values; /**< [triangle_count]; grey where NaN */
    const char *caption; /**< up to 70 letters, "TAWSS Pa"; NULL: marks are listed in place of the colours */
    const rill_view_mark *marks; /**< [mark_count], numbered from 1, on top of what hides them */
    int mark_count;
    rill_picture_scale scale;
    rill_picture_range range; /**< low = high: from the least value to what 1 % of the area exceeds */
} rill_view;

/** Return the bytes that drawing a surface takes, until the picture is written. */
uint64_t rill_view_measure(const rill_surface *surface);

/**
 * Draw both sides beside each other, seen along the axis on which the surface is thinnest.
 * @return RILL_USAGE without triangles; errors as rill_output_create()
 */
rill_status rill_view_write(const rill_view *view, const char *path);

#endif
