/* SPDX-License-Identifier: Apache-2.0 */
/* Crossings of lattice lines with triangles, exact in which there are. See lines.h. */
#include "geometry/surface/lines.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>

/* Products of two sheared differences, each below 2^31, and their difference stay within 64 bits. */
enum { BITS = 16, TOTAL_BITS = 29 };

rill_status rill_lines_create(const rill_mesh *mesh, const rill_grid *grid, rill_lines **out)
{
    rill_status status = RILL_OK;
    double low[3], high[3];
    rill_lines *lines = calloc(1, sizeof *lines);
    if (!lines) return rill_fail(RILL_SYSTEM, "out of memory for lattice lines");
    lines->mesh = mesh;
    lines->grid = *grid;
    lines->bits = BITS;
    rill_mesh_box(mesh, low, high);
    for (int a = 0; a < 3; a++) {
        if (low[a] < grid->origin[a] || high[a] > grid->origin[a] + grid->n[a] * grid->spacing)
            RILL_TRY(rill_fail(RILL_USAGE, "the surface leaves the box along %c", rill_axis(a)));
        if (grid->n[a] > RILL_GRID_MAX)
            RILL_TRY(rill_fail(RILL_USAGE, "%u voxels along %c are more than %d: choose a larger --dx",
                               grid->n[a], rill_axis(a), RILL_GRID_MAX));
        while ((uint64_t)grid->n[a] << lines->bits > (uint64_t)1 << TOTAL_BITS) lines->bits--;
    }
    RILL_TRY(rill_array_create(mesh->vertex_count, sizeof *lines->snap, "the vertices of the surface",
                               (void **)&lines->snap));
    const double unit = ldexp(1, lines->bits) / grid->spacing;
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        for (int a = 0; a < 3; a++) {
            /* Vertices that no triangle uses may be anywhere. */
            const double x = (mesh->vertices[v][a] - grid->origin[a]) * unit;
            lines->snap[v][a] = (int32_t)lrint(fmin(fmax(x, 0), ldexp((double)grid->n[a], lines->bits)));
        }
    *out = lines;
    lines = NULL;
done:
    rill_lines_destroy(lines);
    return status;
}

void rill_lines_destroy(rill_lines *lines)
{
    if (lines) rill_array_destroy(lines->snap);
    free(lines);
}

int rill_lines_axis(const int d[3]) { return d[0] ? 0 : d[1] ? 1 : 2; }

/* A triangle seen along d. */
typedef struct view {
    const int32_t *snap[3];
    const int *d;
    int axis[3]; /* the first of d, and the two behind it */
    uint32_t triangle;
    int64_t u[3], v[3];
    double at[3]; /* index of voxel centres along the first axis */
} view;

/* The sign of a linear function of a place when the place is moved by (-e, e^2, e^3), e -> 0, from where it
 * is 0; -1 for a function that is 0 everywhere. */
static int moved(const int64_t gradient[3])
{
    if (gradient[0]) return gradient[0] < 0 ? 1 : -1;
    return (gradient[1] ? gradient[1] : gradient[2]) > 0 ? 1 : -1;
}

/* Twice the area of (a, b, p), and its sign. */
static int64_t side(const view *t, int a, int b, int64_t pu, int64_t pv, int *sign)
{
    const int64_t bu = t->u[b] - t->u[a], bv = t->v[b] - t->v[a];
    const int64_t area = bu * (pv - t->v[a]) - bv * (pu - t->u[a]);
    if (area) {
        *sign = area > 0 ? 1 : -1;
        return area;
    }
    int64_t gradient[3];
    gradient[t->axis[0]] = bv * t->d[t->axis[1]] - bu * t->d[t->axis[2]];
    gradient[t->axis[1]] = -bv;
    gradient[t->axis[2]] = bu;
    *sign = moved(gradient);
    return 0;
}

/* Return on which side of a triangle's plane a voxel centre is, 1 or -1: 1 where the normal points to. */
static int side_of_plane(const view *t, int bits, const int64_t voxel[3])
{
    int64_t ab[3], ac[3], normal[3];
    __int128 height = 0;
    for (int a = 0; a < 3; a++) {
        ab[a] = (int64_t)t->snap[1][a] - t->snap[0][a];
        ac[a] = (int64_t)t->snap[2][a] - t->snap[0][a];
    }
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        normal[a] = ab[b] * ac[c] - ab[c] * ac[b];
        const int64_t centre = (2 * voxel[a] + 1) * ((int64_t)1 << (bits - 1));
        height += (__int128)normal[a] * (centre - t->snap[0][a]);
    }
    return height > 0 ? 1 : height < 0 ? -1 : moved(normal);
}

/* Find between which voxel centres a line crosses a triangle, and how far from the first. @param w  weights
 * of the corners */
static void settle(const view *t, int bits, const double w[3], rill_crossing *c)
{
    const double near = 1e-6, sum = w[0] + w[1] + w[2], one = ldexp(1, bits);
    const int m = t->axis[0];
    double snapped = 0, at = 0;
    for (int k = 0; k < 3; k++) {
        snapped += w[k] * t->snap[k][m];
        at += w[k] * t->at[k];
    }
    const double index = snapped / sum / one - 0.5, nearest = round(index);
    c->cell = (int64_t)floor(index);
    if (fabs(index - nearest) < near) {
        int64_t voxel[3];
        voxel[m] = (int64_t)nearest;
        voxel[t->axis[1]] = c->u + t->d[t->axis[1]] * voxel[m];
        voxel[t->axis[2]] = c->v + t->d[t->axis[2]] * voxel[m];
        c->cell = voxel[m] - (side_of_plane(t, bits, voxel) != c->into);
    }
    c->at = fmin(fmax(at / sum - (double)c->cell, 0), 1);
}

/* The smallest integer k with k << bits >= x, and the largest with k << bits <= x. */
static int64_t above(int64_t x, int bits) { return -(-x >> bits); }
static int64_t below(int64_t x, int bits) { return x >> bits; }

/* Lines of one row that may pass the triangle: a little more than where the row meets its edges. */
static void row_range(const view *t, int64_t pv, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (int a = 0; a < 3; a++) {
        const int b = (a + 1) % 3;
        if ((t->v[a] < pv && t->v[b] < pv) || (t->v[a] > pv && t->v[b] > pv)) continue;
        const double ua = (double)t->u[a], ub = (double)t->u[b];
        const double over = (double)(t->v[b] - t->v[a]);
        const double u = over != 0 ? ua + (ub - ua) * ((double)(pv - t->v[a]) / over) : ua;
        *low = fmin(*low, over != 0 ? u : fmin(ua, ub));
        *high = fmax(*high, over != 0 ? u : fmax(ua, ub));
    }
}

static void walk_triangle(const rill_lines *lines, const view *t, const int64_t offset[2], int64_t v_first,
                          int64_t v_end, void (*hit)(void *, const rill_crossing *), void *context)
{
    const int bits = lines->bits;
    int64_t low = t->v[0], high = t->v[0];
    for (int k = 1; k < 3; k++) {
        low = t->v[k] < low ? t->v[k] : low;
        high = t->v[k] > high ? t->v[k] : high;
    }
    int64_t v = above(low - offset[1], bits), v_last = below(high - offset[1], bits);
    if (v < v_first) v = v_first;
    if (v_last > v_end - 1) v_last = v_end - 1;
    for (; v <= v_last; v++) {
        const int64_t pv = v * ((int64_t)1 << bits) + offset[1];
        double u_low, u_high;
        row_range(t, pv, &u_low, &u_high);
        if (u_low > u_high) continue;
        const int64_t u_last = below((int64_t)floor(u_high) + 1 - offset[0], bits);
        for (int64_t u = above((int64_t)floor(u_low) - 1 - offset[0], bits); u <= u_last; u++) {
            const int64_t pu = u * ((int64_t)1 << bits) + offset[0];
            int s[3];
            const int64_t w[3] = {side(t, 1, 2, pu, pv, &s[0]), side(t, 2, 0, pu, pv, &s[1]),
                                  side(t, 0, 1, pu, pv, &s[2])};
            if (s[0] != s[1] || s[1] != s[2]) continue;
            rill_crossing crossing = {.u = u, .v = v, .triangle = t->triangle, .into = s[0] < 0 ? 1 : -1};
            settle(t, bits, (const double[]){(double)w[0], (double)w[1], (double)w[2]}, &crossing);
            hit(context, &crossing);
        }
    }
}

void rill_lines_walk(const rill_lines *lines, const int d[3], int64_t v_first, int64_t v_end,
                     void (*hit)(void *context, const rill_crossing *crossing), void *context)
{
    const int m = rill_lines_axis(d), axis[2] = {(m + 1) % 3, (m + 2) % 3};
    const int64_t one = (int64_t)1 << lines->bits;
    /* Centre i lies at i + 1/2 on each axis, so at i' + (1 - d)/2 on a sheared one. */
    const int64_t offset[2] = {one / 2 * (1 - d[axis[0]]), one / 2 * (1 - d[axis[1]])};
    const rill_mesh *mesh = lines->mesh;
    for (uint32_t n = 0; n < mesh->triangle_count; n++) {
        view t = {.d = d, .axis = {m, axis[0], axis[1]}, .triangle = n};
        for (int k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->triangles[n].v[k];
            const int32_t *x = t.snap[k] = lines->snap[vertex];
            t.u[k] = (int64_t)x[axis[0]] - d[axis[0]] * (int64_t)x[m];
            t.v[k] = (int64_t)x[axis[1]] - d[axis[1]] * (int64_t)x[m];
            t.at[k] = (mesh->vertices[vertex][m] - lines->grid.origin[m]) / lines->grid.spacing - 0.5;
        }
        walk_triangle(lines, &t, offset, v_first, v_end, hit, context);
    }
}
