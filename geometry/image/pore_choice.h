/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pore_choice.h
 * Which values of an image are pore where the options do not say it: True of bool. An image of numbers is
 * refused, because 0 is the pore in some segmentations and the solid in others.
 */
#ifndef RILL_GEOMETRY_IMAGE_PORE_CHOICE_H
#define RILL_GEOMETRY_IMAGE_PORE_CHOICE_H

#include "geometry/image/pore_map.h"

/** Return whether neither the options nor the image say which values are pore. */
bool rill_pore_unknown(const rill_image *image, const rill_voxelize_options *options);

/**
 * Count the values of an image that does not say which of them are pore, and refuse it with the options to
 * choose from.
 * @param[out] report  grey values and pore_unknown are set
 * @return RILL_USAGE, or why the image cannot be read
 */
rill_status rill_pore_refuse(rill_image *image, const rill_voxelize_options *options, rill_progress progress,
                             rill_voxelize_report *report);

/**
 * Write the two choices of --pore that the values of an image leave: "0" and "1" of two values.
 * @param[out] first   [RILL_PORE_TEXT]
 * @param[out] second  [RILL_PORE_TEXT], empty where the image has one value
 */
void rill_pore_choices(const rill_voxelize_report *report, char *first, char *second);

/** List the grey values of a report with their shares: "0 (55 %), 1 (45 %)". */
void rill_greys_list(const rill_voxelize_report *report, char *text, size_t size);

enum { RILL_PORE_TEXT = 256 /**< bytes of a choice */ };

#endif
