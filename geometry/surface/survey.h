/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file survey.h
 * What a surface is like, before it becomes voxels: openings, rims that are none, defects.
 */
#ifndef RILL_GEOMETRY_SURFACE_SURVEY_H
#define RILL_GEOMETRY_SURFACE_SURVEY_H

#include "geometry/surface/surface.h"

enum { RILL_RIMS_TOLD = 32 };

/** A boundary loop that is no opening, and a plane that cuts the vessel off behind it. */
typedef struct rill_rim {
    double centre[3], area; /**< m, m2 */
    double point[3];        /**< m, on the plane */
    double inward[3];       /**< unit normal of the plane, into the vessel */
    bool end;               /**< no rim, but an end of a closed surface */
    bool flat;              /**< as openings are */
} rill_rim;

/** What was found. */
typedef struct rill_survey {
    rill_surface_report report;
    rill_surface *surface;         /**< triangles of the file and openings, without cuts; owned */
    rill_rim rims[RILL_RIMS_TOLD]; /**< [rim_count], at least a thousandth of the largest loop's area, largest
                                      first */
    int rim_count;
    char refused[512]; /**< why rill_surface_voxelize() would refuse it; "": it would not */
} rill_survey;

/**
 * Read, repair and close a surface, and describe it. A surface that cannot be closed with openings is
 * an answer, too: `refused` says why, and there are no openings then.
 * @param[in] options  as for rill_surface_voxelize(); the edge of a voxel and extensions are not used
 * @return RILL_USAGE for what is no surface and for several vessels, RILL_SYSTEM without memory
 */
rill_status rill_surface_survey(const char *path, const rill_surface_options *options, rill_progress progress,
                                rill_survey **out);

/** Free it; NULL is allowed. */
void rill_survey_destroy(rill_survey *survey);

/** Return an edge of a voxel above 0, rounded down to two digits. */
double rill_spacing_round(double spacing);

/**
 * Return the edge of a voxel, m, rounded down to two digits: that many cells across the narrowest opening, or
 * end of a closed surface, and at least options' min_cells across the narrowest part; 0 without any.
 */
double rill_survey_spacing(const rill_survey *survey, double cells, double min_cells);

#endif
