/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_picture.h
 * Surfaces with their numbered openings as PNG pictures.
 */
#ifndef RILL_IO_SURFACE_PICTURE_H
#define RILL_IO_SURFACE_PICTURE_H

#include "geometry/surface/survey.h"

/**
 * Draw a surface from both sides, as rill_view_write() does; each opening is filled with a colour and has its
 * number, rims that are no opening have theirs behind those of the openings.
 * @return errors as rill_view_write()
 */
rill_status rill_surface_picture_write(const rill_survey *survey, const char *path);

#endif
