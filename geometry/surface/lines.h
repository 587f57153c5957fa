/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lines.h
 * Where lattice lines cross a triangle surface: the lines through voxel centres along any of the 26
 * directions to neighbours. One mechanism finds inside and outside and the cuts of all wall links.
 *
 * A line along d is one along the first axis of d in sheared coordinates, u - d_u m and v - d_v m, where
 * voxel centres again make a square lattice. Vertices are rounded to 2^-16 voxel (less in boxes of more than
 * 8192), so that which side of an edge a line passes, and between which voxel centres it crosses a triangle,
 * is decided in integers, exactly. All voxel centres are moved by the same infinitesimal step, (-e, e^2,
 * e^3), which decides where a centre or a line lies on the surface (Edelsbrunner & Mücke 1990,
 * doi:10.1145/77635.77639). A closed surface is thus crossed as often outward as inward by every line, no
 * crossing is lost or counted twice, and all directions agree on which centres are inside: a link from inside
 * to outside has a crossing. Positions along the line come from the vertices unrounded.
 */
#ifndef RILL_GEOMETRY_SURFACE_LINES_H
#define RILL_GEOMETRY_SURFACE_LINES_H

#include "geometry/surface/mesh.h"

/** A box of voxels. */
typedef struct rill_grid {
    uint32_t n[3];
    double origin[3]; /**< corner of voxel 0, metres */
    double spacing;   /**< metres */
} rill_grid;

enum { RILL_GRID_MAX = 1 << 20 /**< voxels along an axis */ };

/** A surface made ready for a grid. */
typedef struct rill_lines {
    const rill_mesh *mesh; /**< borrowed */
    rill_grid grid;
    int bits;           /**< vertices are rounded to 2^-bits voxels */
    int32_t (*snap)[3]; /**< [vertex_count], in these units from the grid's origin */
} rill_lines;

/** Prepare a surface. @return RILL_USAGE when it leaves the grid, RILL_SYSTEM without memory */
rill_status rill_lines_create(const rill_mesh *mesh, const rill_grid *grid, rill_lines **out);

/** Free it; NULL is allowed. */
void rill_lines_destroy(rill_lines *lines);

/** A crossing. */
typedef struct rill_crossing {
    int64_t u, v; /**< line: voxel indices on the two axes behind d's first one at index 0 of that */
    int64_t cell; /**< index of the voxel along the first axis of d: the crossing is between its centre and
                     the next */
    double at;    /**< how far from that centre to the next, 0 to 1 */
    uint32_t triangle;
    int into; /**< 1 into the body along d, -1 out of it */
} rill_crossing;

/** Return the first axis along which d is not 0; d must be positive there. */
int rill_lines_axis(const int d[3]);

/**
 * Call `hit` for each crossing of lines along d with v_first <= v < v_end.
 * The voxel with index i along the first axis a of d has u + d[(a + 1) % 3] i and v + d[(a + 2) % 3] i
 * along the other two.
 */
void rill_lines_walk(const rill_lines *lines, const int d[3], int64_t v_first, int64_t v_end,
                     void (*hit)(void *context, const rill_crossing *crossing), void *context);

#endif
