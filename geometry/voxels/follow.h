/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file follow.h
 * Which way leads beyond a side of the box: decided here and nowhere else; kernels see neighbours and walls.
 */
#ifndef RILL_GEOMETRY_VOXELS_FOLLOW_H
#define RILL_GEOMETRY_VOXELS_FOLLOW_H

#include "kernel/lattice.h"
#include "rill.h"

/** Where a step of at most one voxel along each axis leads. */
typedef struct rill_link_end {
    uint32_t x[3];     /**< the voxel, seen through periodic and mirrored boundaries */
    unsigned mirrored; /**< bit a: the step crosses a mirrored boundary normal to axis a */
    bool wall;         /**< the step crosses a solid boundary */
} rill_link_end;

/** Go from voxel x by d. */
static inline rill_link_end rill_follow(const rill_geom *geom, const uint32_t x[3], const int d[3])
{
    rill_link_end end = {{0, 0, 0}, 0, false};
    for (int a = 0; a < 3; a++) {
        const int64_t n = geom->n[a], to = (int64_t)x[a] + d[a];
        if (to >= 0 && to < n) {
            end.x[a] = (uint32_t)to;
        } else if (geom->sides[a] == RILL_PERIODIC) {
            end.x[a] = (uint32_t)((to + n) % n);
        } else {
            end.x[a] = x[a];
            if (geom->sides[a] == RILL_MIRROR)
                end.mirrored |= 1u << a;
            else
                end.wall = true;
        }
    }
    return end;
}

/** Go from voxel x against velocity i. */
static inline rill_link_end rill_follow_link(const rill_geom *geom, rill_lattice lattice, const uint32_t x[3],
                                             int i)
{
    int d[3];
    for (int a = 0; a < 3; a++) d[a] = -rill_c((int)lattice, i, a);
    return rill_follow(geom, x, d);
}

/** Return whether the voxel there is no fluid, or beyond a wall. */
static inline bool rill_follow_solid(const rill_geom *geom, const rill_link_end *end)
{
    return end->wall ||
           geom->voxels[end->x[0] + geom->n[0] * (end->x[1] + (uint64_t)geom->n[1] * end->x[2])] < RILL_FLUID;
}

#endif
