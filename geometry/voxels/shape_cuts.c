/* SPDX-License-Identifier: Apache-2.0 */
/* Where the links of a lattice cross the surface of rill_shape_planes(). */
#include "geometry/voxels/shape.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/voxels/follow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of what is at a place: pore, solid, and cells behind a solid boundary. */
enum { PORE, SOLID, BEYOND };

enum { PIECE = 8 }; /* rows that a thread takes at a time */

#define Q_LEAST 0.01

/* Cuts are counted row by row, then put down. */
typedef struct maker {
    const rill_geom *geom;
    bool has[RILL_Q_MAX];    /* whether the lattice has the velocities of D3Q27 */
    uint64_t *nodes, *first; /* [ny nz + 1], fluid voxels and cuts before each row */
    rill_cut *cuts;
    uint8_t *room; /* [ny][10][nx + 2], of each row of a plane what is around it */
} maker;

/* Kinds along the rows around row (y, z), each with a voxel more at both ends. */
typedef struct around {
    uint8_t *kinds[9]; /* [nx + 2] */
    uint8_t *some;     /* [nx + 2], whether any of the nine has a solid voxel there */
} around;

static void row_look(const rill_geom *geom, const uint32_t x[3], const int d[3], uint8_t *kinds)
{
    const rill_link_end end = rill_follow(geom, x, d);
    const uint32_t nx = geom->n[0];
    if (end.wall) {
        memset(kinds, BEYOND, nx + 2);
        return;
    }
    const uint8_t *voxels = geom->voxels + (end.x[1] + (uint64_t)geom->n[1] * end.x[2]) * nx;
    for (uint32_t i = 0; i < nx; i++) kinds[i + 1] = voxels[i] < RILL_FLUID ? SOLID : PORE;
    const rill_side side = geom->sides[0];
    kinds[0] = side == RILL_WALL ? BEYOND : side == RILL_MIRROR ? kinds[1] : kinds[nx];
    kinds[nx + 1] = side == RILL_WALL ? BEYOND : side == RILL_MIRROR ? kinds[nx] : kinds[1];
}

static void look(const rill_geom *geom, uint32_t y, uint32_t z, around *a)
{
    const uint32_t cells = geom->n[0] + 2;
    memset(a->some, 0, cells);
    for (int k = 0; k < 9; k++) {
        row_look(geom, (const uint32_t[3]){0, y, z}, (const int[3]){0, k % 3 - 1, k / 3 - 1}, a->kinds[k]);
        for (uint32_t i = 0; i < cells; i++) a->some[i] |= a->kinds[k][i] == SOLID;
    }
}

/* Put down the cuts of a node, or count them. @return how many */
static uint64_t node_take(const maker *m, const around *a, uint32_t x, const rill_shape_plane *plane,
                          uint32_t y, rill_node node, rill_cut *to)
{
    uint64_t count = 0;
    for (int i = 1; i < RILL_Q_MAX; i++) {
        const int dx = -rill_c(RILL_D3Q27, i, 0), dy = -rill_c(RILL_D3Q27, i, 1),
                  dz = -rill_c(RILL_D3Q27, i, 2);
        if (!m->has[i] || a->kinds[dy + 1 + 3 * (dz + 1)][(int)x + 1 + dx] != SOLID) continue;
        if (to) {
            const ptrdiff_t at = (ptrdiff_t)y * plane->row + x;
            const float here = plane->distance[1][at],
                        there = plane->distance[dz + 1][at + dy * plane->row + dx];
            const double q = (double)here / ((double)here - (double)there);
            to[count] =
                (rill_cut){node, RILL_NO_TRIANGLE, (float)fmax(Q_LEAST, fmin(1 - Q_LEAST, q)), (uint8_t)i};
        }
        count++;
    }
    return count;
}

/* Go through a row. @param plane  NULL: count */
static void row_take(const maker *m, around *a, uint32_t y, uint32_t z, const rill_shape_plane *plane)
{
    const rill_geom *geom = m->geom;
    const uint64_t row = y + (uint64_t)geom->n[1] * z;
    const uint8_t *voxels = geom->voxels + row * geom->n[0];
    uint64_t node = plane ? m->nodes[row] : 0, cut = plane ? m->first[row] : 0;
    look(geom, y, z, a);
    for (uint32_t x = 0; x < geom->n[0]; x++) {
        if (voxels[x] < RILL_FLUID) continue;
        if (a->some[x] | a->some[x + 1] | a->some[x + 2])
            cut += node_take(m, a, x, plane, y, (rill_node)node, plane ? m->cuts + cut : NULL);
        node++;
    }
    if (plane) return;
    m->nodes[row + 1] = node; /* the row's own, until they are added up */
    m->first[row + 1] = cut;
}

/* A plane whose rows are gone through. */
typedef struct pass {
    const maker *m;
    const rill_shape_plane *plane; /* NULL: count */
    uint32_t z;
} pass;

static void rows_take(const void *shared, uint64_t first, uint64_t end)
{
    const pass *p = shared;
    const size_t cells = p->m->geom->n[0] + 2;
    for (uint64_t y = first; y < end; y++) {
        around a;
        for (size_t k = 0; k < 9; k++) a.kinds[k] = p->m->room + (10 * y + k) * cells;
        a.some = p->m->room + (10 * y + 9) * cells;
        row_take(p->m, &a, (uint32_t)y, p->z, p->plane);
    }
}

static rill_status plane_take(void *context, const rill_shape_plane *plane)
{
    const maker *m = context;
    rill_threads_for(m->geom->n[1], PIECE, rows_take, &(pass){m, plane, plane->z});
    return RILL_OK;
}

static void lattice_take(maker *m, rill_lattice lattice)
{
    for (int i = 1; i < RILL_Q_MAX; i++)
        for (int j = 1; j < rill_q((int)lattice); j++) {
            bool same = true;
            for (int a = 0; a < 3; a++) same &= rill_c((int)lattice, j, a) == rill_c(RILL_D3Q27, i, a);
            m->has[i] |= same;
        }
}

/* Count the cuts of all rows. @param[out] m  ends with maker_end(), also where it failed */
static rill_status maker_begin(const rill_geom *geom, rill_lattice lattice, maker *m)
{
    rill_status status = RILL_OK;
    const uint64_t rows = (uint64_t)geom->n[1] * geom->n[2];
    *m = (maker){.geom = geom};
    lattice_take(m, lattice);
    RILL_TRY(rill_array_create_zero(rows + 1, sizeof *m->nodes, "wall links", (void **)&m->nodes));
    RILL_TRY(rill_array_create_zero(rows + 1, sizeof *m->first, "wall links", (void **)&m->first));
    RILL_TRY(rill_array_create(10 * (uint64_t)geom->n[1] * ((uint64_t)geom->n[0] + 2), sizeof *m->room,
                               "wall links", (void **)&m->room));
    for (uint32_t z = 0; z < geom->n[2]; z++)
        rill_threads_for(geom->n[1], PIECE, rows_take, &(pass){m, NULL, z});
    for (uint64_t row = 0; row < rows; row++) {
        m->nodes[row + 1] += m->nodes[row];
        m->first[row + 1] += m->first[row];
    }
done:
    return status;
}

static void maker_end(maker *m)
{
    rill_array_destroy(m->nodes);
    rill_array_destroy(m->first);
    rill_array_destroy(m->cuts);
    rill_array_destroy(m->room);
}

rill_status rill_shape_cuts(rill_geom *geom, rill_lattice lattice)
{
    rill_status status = RILL_OK;
    maker m = {.geom = geom};
    const uint64_t rows = (uint64_t)geom->n[1] * geom->n[2];
    rill_surface *surface = NULL;
    if (!geom->voxels || geom->surface)
        return rill_fail(RILL_USAGE,
                         geom->surface
                             ? "the geometry has a surface already: give it without"
                             : "a surface is made through voxels that one process holds: run on one");
    if (rill_geom_fluid(geom) > UINT32_MAX - 1)
        return rill_fail(RILL_USAGE,
                         "%llu fluid voxels are more than the 4294967294 that fit: lower the size",
                         (unsigned long long)rill_geom_fluid(geom));
    surface = calloc(1, sizeof *surface);
    if (!surface) return rill_fail(RILL_SYSTEM, "out of memory for a surface");
    RILL_TRY(maker_begin(geom, lattice, &m));
    RILL_TRY(rill_memory_require(rill_shape_bytes(geom->n) + m.first[rows] * sizeof *m.cuts, "a surface"));
    RILL_TRY(rill_array_create(m.first[rows] + 1, sizeof *m.cuts, "wall links", (void **)&m.cuts));
    RILL_TRY(rill_shape_planes(geom, RILL_SHAPE_SIGMA_FLOW, false, plane_take, &m));
    surface->walls = m.cuts;
    surface->wall_count = m.first[rows];
    m.cuts = NULL;
    geom->surface = surface;
    surface = NULL;
done:
    maker_end(&m);
    rill_surface_destroy(surface);
    return status;
}
