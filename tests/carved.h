/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file carved.h
 * Boxes of solid in which tests open ducts and chambers.
 */
#ifndef RILL_TESTS_CARVED_H
#define RILL_TESTS_CARVED_H

#include "backends.h"

#include <string.h>

/** A periodic box of solid. */
static inline rill_geom *solid(uint32_t nx, uint32_t ny, uint32_t nz)
{
    rill_geom *geom = NULL;
    ASSERT_OK(rill_geom_create((const uint32_t[3]){nx, ny, nz}, &geom));
    memset(geom->voxels, RILL_SOLID, rill_geom_voxels(geom));
    geom->porosity = (rill_porosity){-1, -1, {-1, -1, -1}};
    return geom;
}

/** The number of a voxel. */
static inline uint64_t at(const rill_geom *geom, uint32_t x, uint32_t y, uint32_t z)
{
    return x + (uint64_t)geom->n[0] * (y + (uint64_t)geom->n[1] * z);
}

/** Open the box from `low` up to `low` + `size`. */
static inline void open_box(rill_geom *geom, const uint32_t low[3], const uint32_t size[3])
{
    for (uint32_t z = low[2]; z < low[2] + size[2]; z++)
        for (uint32_t y = low[1]; y < low[1] + size[1]; y++)
            for (uint32_t x = low[0]; x < low[0] + size[0]; x++) geom->voxels[at(geom, x, y, z)] = RILL_FLUID;
}

#define OPEN(geom, x, y, z, nx, ny, nz)                                                                      \
    open_box(geom, (const uint32_t[3]){x, y, z}, (const uint32_t[3]){nx, ny, nz})

#endif
