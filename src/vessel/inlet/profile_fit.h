/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file profile_fit.h
 * Velocities between scattered points, by moving least squares, and between times, by periodic cubic splines.
 */
#ifndef RILL_VESSEL_PROFILE_FIT_H
#define RILL_VESSEL_PROFILE_FIT_H

#include "vessel/inlet/profile.h"
#include "vessel/inlet/velocities.h"

/** A point in the coordinates of an opening: in its plane, along its normal; m, m/s. */
typedef struct rill_fit_point {
    double x[3], u[3];
    bool still; /**< of the outline, not measured */
} rill_fit_point;

/** Points, sorted into square cells of the plane. */
typedef struct rill_fit {
    rill_fit_point *points; /**< [count], owned */
    uint32_t count, room;
    uint32_t *order, *starts; /**< [count] and [cells + 1]: points of cell c are order[starts[c]] …; owned */
    double low[2], cell;
    int n[2];
} rill_fit;

/** Make room for points, and for an outline besides. */
rill_status rill_fit_create(uint32_t points, rill_fit *out);

/** Free it; a cleared one is allowed. */
void rill_fit_free(rill_fit *fit);

/** Replace points within one cube of this edge, m, by their mean. */
rill_status rill_fit_thin(rill_fit *fit, double edge);

/** Add an outline at rest. @param[in] apart  m, between its points, where they are not too many */
void rill_fit_outline(rill_fit *fit, double (*outline)[2], uint64_t count, double apart);

/** Sort points into cells over the grid of a profile. @param[in] apart  m, between points */
rill_status rill_fit_sort(rill_fit *fit, const rill_profile *profile, double apart);

/** Find the velocity at a place. @return the distance of the nearest measured point, m */
double rill_fit_at(const rill_fit *fit, const double x[3], double u[3]);

/** Sums for the plane that points lie nearest to. */
typedef struct rill_fit_plane {
    uint64_t count;
    double origin[3];     /**< the first point; x, y, z count from it */
    double square[3][3];  /**< sums of 1, x, y times 1, x, y */
    double height[3];     /**< of z times these */
    double height_square; /**< of z squared */
} rill_fit_plane;

/** Add a point. */
void rill_fit_plane_add(rill_fit_plane *plane, const double x[3]);

/** Return the root mean square of the heights over the plane z = a + b x + c y that is nearest to the points.
 */
double rill_fit_plane_deviation(const rill_fit_plane *plane);

/**
 * Find the parts that times have in mean and harmonics of the periodic cubic spline through them: field k is
 * the sum of parts[time][k] times the values, the real part of field k exp(i k omega t) that of the harmonic.
 * @param[out] parts  [frames][fields]
 */
rill_status rill_fit_times(const rill_velocities *velocities, int fields, double complex *parts);

#endif
