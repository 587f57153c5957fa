/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file velocities.h
 * Points with their velocities, at one time or at the times of a cycle, read from CSV: what an inlet's
 * profile may be made from (profile_points.h).
 */
#ifndef RILL_VESSEL_VELOCITIES_H
#define RILL_VESSEL_VELOCITIES_H

#include "rill.h"

/** A point; SI, in the coordinates of the surface. */
typedef struct rill_velocity {
    float x[3], u[3];
    uint32_t frame; /**< number of its time */
} rill_velocity;

/** What a file holds. */
typedef struct rill_velocities {
    char *path;            /**< as in messages. Owned */
    rill_velocity *points; /**< [count], by time. Owned */
    uint32_t count;
    double *times; /**< [frames], s from the first, ascending. Owned */
    uint32_t frames;
    double period; /**< s; 0: one time, steady */
} rill_velocities;

/** Points and times of a file, at most; times of a cycle, at least. */
enum { RILL_VELOCITY_POINTS = 2000000, RILL_VELOCITY_FRAMES = 512, RILL_VELOCITY_FRAMES_LEAST = 4 };

/**
 * Read a header "x [mm], y [mm], z [mm], u [m/s], v [m/s], w [m/s], time [s]", columns in any order and time
 * only where there are several, then rows of numbers in any order.
 * @param[in] period  s, of the cycle; 0: times are evenly spaced, and the cycle ends a spacing after the last
 * @return RILL_USAGE with "file:line: " and one sentence, RILL_SYSTEM without memory
 */
rill_status rill_velocities_read(const char *path, double period, rill_velocities **out);

/** Destroy it; NULL is allowed. */
void rill_velocities_destroy(rill_velocities *velocities);

#endif
