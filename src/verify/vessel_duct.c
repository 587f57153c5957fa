/* SPDX-License-Identifier: Apache-2.0 */
/* Straight ducts with interpolated bounce-back and their exact flow. */
#include "verify/vessel_duct.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "geometry/voxels/exact_walls.h"

#include <math.h>

#define LONG (5.0 / 3) /* semi-axis of the ellipse, of r */

/* ---- the section ---- */

/* Distance from side k of the triangle, into it. */
static double side(double r, int k, const double p[2])
{
    const double angle = 2 * M_PI / 3 * k - M_PI / 2;
    return r - cos(angle) * p[0] - sin(angle) * p[1];
}

/* Velocity over that on the axis; negative outside. */
static double profile(const rill_verify_duct *d, const double p[2])
{
    const double width = d->kind == RILL_VERIFY_ELLIPSE ? LONG * d->r : d->r;
    if (d->kind != RILL_VERIFY_TRIANGLE) return 1 - pow(p[0] / width, 2) - pow(p[1] / d->r, 2);
    double product = 1, least = INFINITY;
    for (int k = 0; k < 3; k++) {
        product *= side(d->r, k, p) / d->r;
        least = fmin(least, side(d->r, k, p));
    }
    return least > 0 ? product : -1;
}

/* Area times the mean of profile(). */
static double integral(const rill_verify_duct *d)
{
    if (d->kind == RILL_VERIFY_TRIANGLE) return 3 * sqrt(3) * d->r * d->r * 0.45;
    return M_PI * d->r * d->r * (d->kind == RILL_VERIFY_ELLIPSE ? LONG : 1) / 2;
}

/* Half the widest extent across the axis. */
static double extent(const rill_verify_duct *d)
{
    return d->r * (d->kind == RILL_VERIFY_TRIANGLE ? 2 : d->kind == RILL_VERIFY_ELLIPSE ? LONG : 1);
}

double rill_verify_duct_drive(const rill_verify_duct *d)
{
    const double unit = d->speed / (d->r * d->r);
    if (d->kind == RILL_VERIFY_TRIANGLE) return 3 * unit;
    return d->kind == RILL_VERIFY_ELLIPSE ? 2 * unit * (1 + 1 / (LONG * LONG)) : 4 * unit;
}

/* Part of the way from p along c to the wall. */
static double way(const rill_verify_duct *d, const double p[2], const double c[2])
{
    if (d->kind == RILL_VERIFY_TRIANGLE) {
        double least = INFINITY;
        for (int k = 0; k < 3; k++) {
            const double end[2] = {p[0] + c[0], p[1] + c[1]};
            const double from = side(d->r, k, p), to = side(d->r, k, end);
            if (to < 0) least = fmin(least, from / (from - to));
        }
        return least;
    }
    const double width = d->kind == RILL_VERIFY_ELLIPSE ? LONG * d->r : d->r;
    const double u[2] = {p[0] / width, p[1] / d->r}, v[2] = {c[0] / width, c[1] / d->r};
    const double a = v[0] * v[0] + v[1] * v[1], b = u[0] * v[0] + u[1] * v[1];
    const double rest = u[0] * u[0] + u[1] * u[1] - 1;
    return (-b + sqrt(b * b - a * rest)) / a;
}

/* ---- the box ---- */

/* Position across the axis, of the repetition of the duct that is nearest to its axis. */
static void across(const rill_verify_duct_shape *s, const double x[3], double p[2])
{
    double best = -INFINITY;
    for (int k = 0; k < 125; k++) {
        double gap[3];
        for (int a = 0; a < 3; a++) {
            const int times = (a == 0 ? k % 5 : a == 1 ? k / 5 % 5 : k / 25) - 2;
            gap[a] = x[a] - s->middle[a] + times * (double)s->geom->n[a];
        }
        const double q[2] = {rill_dot(gap, s->x), rill_dot(gap, s->y)}, value = profile(&s->duct, q);
        if (value > best) best = value, p[0] = q[0], p[1] = q[1];
    }
}

static double cut(void *context, const double x[3], const int c[3])
{
    const rill_verify_duct_shape *s = context;
    const double away[3] = {-c[0], -c[1], -c[2]}, v[2] = {rill_dot(away, s->x), rill_dot(away, s->y)};
    double p[2];
    across(s, x, p);
    return way(&s->duct, p, v);
}

/* The smallest box in which the duct meets itself, whose repetitions are apart, and whose faces are farther
 * from the band than the wall shear looks. */
static void box_of(const rill_verify_duct *d, const double axis[3], uint32_t n[3])
{
    const double half = extent(d), apart = 2 * half + 3;
    for (uint32_t length = 1;; length++) {
        double least = INFINITY, margin = INFINITY;
        for (int a = 0; a < 3; a++) {
            n[a] = d->along[a] ? d->along[a] * length : (uint32_t)(2 * half + 12);
            margin = fmin(margin, n[a] / 2.0 - half * sqrt(1 - axis[a] * axis[a]));
        }
        for (int k = 0; k < 343; k++) {
            double v[3], square = 0;
            for (int a = 0; a < 3; a++)
                v[a] = (double)n[a] * ((a == 0 ? k % 7 : a == 1 ? k / 7 % 7 : k / 49) - 3);
            const double along = rill_dot(v, axis);
            square = rill_dot(v, v) - along * along;
            if (square > 1e-6) least = fmin(least, square);
        }
        if (sqrt(least) >= apart && margin >= 6) return;
    }
}

rill_status rill_verify_duct_make(const rill_verify_duct *duct, rill_verify_duct_shape *out)
{
    rill_status status = RILL_OK;
    rill_verify_duct_shape *s = out;
    uint32_t n[3];
    double length = 0;
    *s = (rill_verify_duct_shape){.duct = *duct};
    for (int a = 0; a < 3; a++) length += (double)duct->along[a] * duct->along[a];
    for (int a = 0; a < 3; a++) s->axis[a] = duct->along[a] / sqrt(length);
    const double other[3] = {1, 0, 0};
    rill_cross(other, s->axis, s->x);
    const double size = sqrt(rill_dot(s->x, s->x));
    for (int a = 0; a < 3; a++) s->x[a] /= size;
    rill_cross(s->axis, s->x, s->y);
    box_of(duct, s->axis, n);
    for (int a = 0; a < 3; a++) s->middle[a] = n[a] / 2.0 + 0.1 + 0.13 * a; /* no symmetry of the lattice */
    RILL_TRY(rill_geom_create(n, &s->geom));
    const uint64_t voxels = rill_geom_voxels(s->geom);
    RILL_TRY(rill_array_create(voxels, sizeof *s->exact, "velocities", (void **)&s->exact));
    for (uint64_t v = 0; v < voxels; v++) {
        const double x[3] = {(double)(v % n[0]) + 0.5, (double)(v / n[0] % n[1]) + 0.5,
                             (double)(v / n[0] / n[1]) + 0.5};
        double p[2];
        across(s, x, p);
        const double u = profile(duct, p);
        if (u <= 0) continue;
        s->geom->voxels[v] = RILL_FLUID;
        s->exact[s->nodes++] = duct->speed * u;
    }
    RILL_TRY(rill_exact_walls(s->geom, cut, s));
    /* In a box of so many voxels the axis is as long as the repetitions are apart. */
    int axis = duct->along[2] ? 2 : duct->along[1] ? 1 : 0;
    s->flow = duct->speed * integral(duct) * n[axis] / s->axis[axis];
done:
    if (status != RILL_OK) rill_verify_duct_free(s);
    return status;
}

void rill_verify_duct_free(rill_verify_duct_shape *s)
{
    rill_geom_destroy(s->geom);
    rill_array_destroy(s->exact);
    *s = (rill_verify_duct_shape){.geom = NULL};
}

/* ---- the band ---- */

/* Position k of `count` around the section. */
static void around(const rill_verify_duct *d, uint32_t k, uint32_t count, double p[2])
{
    const double part = (double)k / count;
    if (d->kind != RILL_VERIFY_TRIANGLE) {
        p[0] = (d->kind == RILL_VERIFY_ELLIPSE ? LONG : 1) * d->r * cos(2 * M_PI * part);
        p[1] = d->r * sin(2 * M_PI * part);
        return;
    }
    const int which = (int)(3 * part);
    const double angle = 2 * M_PI / 3 * which - M_PI / 2,
                 along = sqrt(3) * d->r * (2 * (3 * part - which) - 1);
    p[0] = d->r * cos(angle) - along * sin(angle);
    p[1] = d->r * sin(angle) + along * cos(angle);
}

rill_status rill_verify_duct_band(rill_verify_duct_shape *shape)
{
    rill_status status = RILL_OK;
    rill_surface *s = shape->geom->surface;
    const uint32_t count = 3 * (uint32_t)ceil(4 * extent(&shape->duct));
    RILL_TRY(rill_array_create(2 * count, sizeof *s->vertices, "triangles", (void **)&s->vertices));
    RILL_TRY(rill_array_create(2 * count, sizeof *s->triangles, "triangles", (void **)&s->triangles));
    for (uint32_t k = 0; k < count; k++) {
        double p[2];
        around(&shape->duct, k, count, p);
        const uint32_t next = (k + 1) % count;
        for (int a = 0; a < 3; a++)
            for (uint32_t end = 0; end < 2; end++)
                s->vertices[2 * k + end][a] =
                    shape->middle[a] + p[0] * shape->x[a] + p[1] * shape->y[a] + (end - 0.5) * shape->axis[a];
        const uint32_t corners[2][3] = {{2 * k, 2 * next, 2 * next + 1}, {2 * k, 2 * next + 1, 2 * k + 1}};
        for (int t = 0; t < 2; t++)
            for (int v = 0; v < 3; v++) s->triangles[2 * k + (uint32_t)t][v] = corners[t][v];
    }
    s->vertex_count = s->triangle_count = 2 * count;
    shape->geom->spacing = 1; /* the triangles are in voxels */
done:
    return status;
}

double rill_verify_duct_shear(const rill_verify_duct_shape *s, const double position[3])
{
    const rill_verify_duct *d = &s->duct;
    double gap[3];
    rill_subtract(position, s->middle, gap);
    const double p[2] = {rill_dot(gap, s->x), rill_dot(gap, s->y)};
    if (d->kind != RILL_VERIFY_TRIANGLE) {
        const double width = d->kind == RILL_VERIFY_ELLIPSE ? LONG * d->r : d->r;
        return 2 * d->speed * hypot(p[0] / (width * width), p[1] / (d->r * d->r));
    }
    double product = d->speed / d->r, least = INFINITY;
    int own = 0;
    for (int k = 1; k < 3; k++)
        if (side(d->r, k, p) < side(d->r, own, p)) own = k;
    for (int k = 0; k < 3; k++)
        if (k != own) {
            product *= side(d->r, k, p) / d->r;
            least = fmin(least, side(d->r, k, p) / cos(M_PI / 6));
        }
    return least < 2 ? NAN : product; /* along the side the corner is so far away */
}
