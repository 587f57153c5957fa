/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of wall shear on triangles, foretold from the surface: rill_wall_shear_make() finds the nodes.
 */
#include "vessel/wall/wall_shear.h"

#include "vessel/wall/wall_shear_priv.h"

#include <math.h>

static const double NEAR = RILL_WALL_NEAR, LEAST = RILL_WALL_LEAST, SIDE = RILL_WALL_SIDE;

/*
 * Nodes between LEAST and NEAR voxels above a triangle of some area and rim, no farther than that from it:
 * the area times the height, a quarter of a cylinder along the rim, and the cap of a ball, NEAR^2 - h^2
 * integrated over h; without what a wall that is curved takes of the ball, r^2 cos^2 / (2 `radius`)
 * integrated over its disk.
 */
static double nodes_around(double area, double rim, double radius)
{
    const double square = NEAR * NEAR, height = NEAR - LEAST,
                 cap = M_PI * (square * height - (pow(NEAR, 3) - pow(LEAST, 3)) / 3),
                 quarter = (square * acos(LEAST / NEAR) - LEAST * sqrt(square - LEAST * LEAST)) / 2,
                 beyond = M_PI * square * square / (8 * radius);
    return cap - fmin(beyond, cap / 2) + height * area + quarter * rim;
}

/* Return the longest edge of the parts that a triangle is split into: of each two halves those with the
 * longer of its other edges. @param[in,out] square  of the edges, voxels */
static double edge_of_parts(double square[3])
{
    for (;;) {
        int c = 0; /* the longest */
        for (int k = 1; k < 3; k++)
            if (square[k] > square[c]) c = k;
        if (square[c] <= SIDE * SIDE) return sqrt(square[c]);
        const double a = square[(c + 1) % 3], b = square[(c + 2) % 3];
        const double median = (2 * a + 2 * b - square[c]) / 4;
        square[0] = fmax(a, b), square[1] = square[c] / 4, square[2] = median;
    }
}

/* Return the area of a triangle in voxels. @param[out] square, rim  of its edges */
static double edges_of(const rill_surface *s, uint64_t t, double spacing, double square[3], double *rim)
{
    double edge[3][3], normal[3];
    *rim = 0;
    for (int k = 0; k < 3; k++) {
        rill_subtract(s->vertices[s->triangles[t][(k + 1) % 3]], s->vertices[s->triangles[t][k]], edge[k]);
        square[k] = rill_dot(edge[k], edge[k]) / (spacing * spacing);
        *rim += sqrt(square[k]);
    }
    rill_cross(edge[0], edge[1], normal);
    const double area = sqrt(rill_dot(normal, normal)) / 2 / (spacing * spacing);
    return isfinite(area) ? area : 0;
}

rill_wall_shear_size rill_wall_shear_measure(const rill_geom *geom, uint64_t nodes)
{
    const rill_surface *s = geom->surface;
    double entries = 0, wall = 0, square[3], rim;
    for (uint64_t t = 0; t < s->triangle_count; t++)
        if (rill_wall_stands(rill_wall_state_of(s, t))) wall += edges_of(s, t, geom->spacing, square, &rim);
    const double radius = 2 * (double)nodes / wall; /* as of a pipe */
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        const double area = edges_of(s, t, geom->spacing, square, &rim);
        if (!rill_wall_stands(rill_wall_state_of(s, t)) || area == 0) continue;
        /* The middles of the parts of a triangle lie on a similar one, smaller by the edge of a part. */
        const double longest = sqrt(fmax(square[0], fmax(square[1], square[2]))),
                     scale = 1 - edge_of_parts(square) / longest;
        entries += nodes_around(scale * scale * area, scale * rim, radius);
    }
    const double near = fmin((double)nodes, (NEAR - LEAST) * wall);
    const rill_wall_shear arrays = {0};
    const double bytes =
        entries *
            (sizeof *arrays.slots + sizeof *arrays.weights + sizeof *arrays.inner + sizeof *arrays.velocity) +
        (double)s->triangle_count * (sizeof *arrays.first + sizeof *arrays.inward + sizeof *arrays.area) +
        near * sizeof *arrays.nodes;
    /* Nodes of the second fit are those of the first, with which they are merged for each triangle. */
    const double lists = entries * sizeof(rill_wall_entry) +
                         2.0 * (double)s->triangle_count * sizeof *arrays.first + (double)nodes * 12 / 64;
    return (rill_wall_shear_size){(uint64_t)fmin(near, 1e18), (uint64_t)fmin(bytes, 1e18),
                                  (uint64_t)fmin(lists, 1e18)};
}
