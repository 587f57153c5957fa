/* SPDX-License-Identifier: Apache-2.0 */
/* Open boxes, and packs of solid balls in them. */
#ifndef RILL_TESTS_BALLS_H
#define RILL_TESTS_BALLS_H

#include "rill.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* A periodic box of fluid, whose porosities are not known. */
static inline rill_geom *balls_box(uint32_t nx, uint32_t ny, uint32_t nz)
{
    rill_geom *geom = NULL;
    const uint32_t n[3] = {nx, ny, nz};
    cr_assert_eq(rill_geom_create(n, &geom), RILL_OK, "%s", rill_error_message());
    memset(geom->voxels, RILL_FLUID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

static inline uint8_t *balls_voxel(rill_geom *geom, uint32_t x, uint32_t y, uint32_t z)
{
    return &geom->voxels[x + (uint64_t)geom->n[0] * (y + (uint64_t)geom->n[1] * z)];
}

/* Put a periodic ball of solid into a box. */
static inline void balls_put(rill_geom *geom, const double centre[3], double radius)
{
    for (uint32_t z = 0; z < geom->n[2]; z++)
        for (uint32_t y = 0; y < geom->n[1]; y++)
            for (uint32_t x = 0; x < geom->n[0]; x++) {
                const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
                double square = 0;
                for (int a = 0; a < 3; a++) {
                    const double d = remainder(at[a] - centre[a], geom->n[a]);
                    square += d * d;
                }
                if (square <= radius * radius) *balls_voxel(geom, x, y, z) = RILL_SOLID;
            }
}

/* Balls anywhere in a cube, the same for the same seed. */
static inline rill_geom *balls_pack(uint32_t n, double radius, int count, uint64_t seed)
{
    rill_geom *geom = balls_box(n, n, n);
    for (int i = 0; i < count; i++) {
        double centre[3];
        for (int a = 0; a < 3; a++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            centre[a] = (double)(seed >> 33) / 2147483648.0 * n;
        }
        balls_put(geom, centre, radius);
    }
    return geom;
}

/* A generator of random numbers, and what it gives from 0 to 1. */
static inline uint64_t balls_next(uint64_t *seed)
{
    return *seed = *seed * 6364136223846793005u + 1442695040888963407u;
}

static inline double balls_fraction(uint64_t *seed) { return (double)(balls_next(seed) >> 11) * 0x1p-53; }

/* Overlapping solid balls in a periodic box: tight pores when there are many. */
static inline rill_geom *balls_rock(uint32_t n, int balls, double radius, uint64_t seed)
{
    rill_geom *geom = balls_box(n, n, n);
    for (int b = 0; b < balls; b++) {
        double centre[3];
        for (int a = 0; a < 3; a++) centre[a] = balls_fraction(&seed) * n;
        balls_put(geom, centre, radius);
    }
    return geom;
}

#endif
