/* SPDX-License-Identifier: Apache-2.0 */
/* Straight ducts and a stenosis with interpolated bounce-back, and their flow. */
#include "verify/vessel_duct.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/table.h"
#include "geometry/surface/mesh.h"
#include "geometry/voxels/exact_walls.h"

#include <math.h>
#include <string.h>

#define LONG (5.0 / 3)   /* semi-axis of the ellipse, of r */
#define WAVE 9.0         /* length of the stenosis, of r */
#define WAVES 2          /* of them in a box: one of them is in front of no face */
#define NARROW 0.25      /* half of what the radius loses, of r */
#define RINGS 13         /* of triangles in the stenosis */
#define RINGS_REACH 0.42 /* how far they are from the throat, of the length */

/* ---- the stenosis ---- */

/* Radius at a distance from the throat. @param[out] slope  its derivative */
static double radius_at(const rill_verify_duct *d, double along, double *slope)
{
    const double wave = 2 * M_PI / (WAVE * d->r), angle = wave * along;
    if (slope) *slope = NARROW * d->r * wave * sin(angle);
    return d->r * (1 - NARROW * (1 + cos(angle)));
}

/* Read its flow. */
static rill_status stenosis_read(rill_verify_duct_shape *s)
{
    rill_status status = RILL_OK;
    rill_table table;
    RILL_TRY(rill_table_read("stenosis", &table));
    for (int row = 0; row < table.rows; row++) {
        const char *what = table.cells[row * table.columns];
        double k = 0, value = 0;
        RILL_TRY(rill_table_number(&table, row, 1, &k));
        RILL_TRY(rill_table_number(&table, row, 2, &value));
        if (!(k >= 0 && k < RILL_VERIFY_DUCT_WAVES)) continue;
        if (strcmp(what, "resistance") == 0)
            s->resistance = value;
        else
            (strcmp(what, "sine") == 0 ? s->sine : s->cosine)[(int)k] = value;
    }
done:
    rill_table_free(&table);
    return status;
}

/* ---- the section ---- */

/* Distance from side k of the triangle, into it. */
static double side(double r, int k, const double p[2])
{
    const double angle = 2 * M_PI / 3 * k - M_PI / 2;
    return r - cos(angle) * p[0] - sin(angle) * p[1];
}

/* Velocity over that on the axis, in the stenosis of lubrication theory over that in the throat; negative
 * outside. @param[in] p  across the axis, twice, and along it */
static double profile(const rill_verify_duct *d, const double p[3])
{
    if (d->kind == RILL_VERIFY_STENOSIS) {
        const double radius = radius_at(d, p[2], NULL);
        return pow((1 - 2 * NARROW) * d->r / radius, 2) *
               (1 - (p[0] * p[0] + p[1] * p[1]) / (radius * radius));
    }
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
    if (d->kind == RILL_VERIFY_STENOSIS) return M_PI * pow((1 - 2 * NARROW) * d->r, 2) / 2;
    return M_PI * d->r * d->r * (d->kind == RILL_VERIFY_ELLIPSE ? LONG : 1) / 2;
}

/* Half the widest extent across the axis. */
static double extent(const rill_verify_duct *d)
{
    return d->r * (d->kind == RILL_VERIFY_TRIANGLE ? 2 : d->kind == RILL_VERIFY_ELLIPSE ? LONG : 1);
}

double rill_verify_duct_drive(const rill_verify_duct_shape *shape)
{
    const rill_verify_duct *d = &shape->duct;
    const double unit = d->speed / (d->r * d->r);
    if (d->kind == RILL_VERIFY_STENOSIS) return 4 * unit * pow(1 - 2 * NARROW, 2) * shape->resistance;
    if (d->kind == RILL_VERIFY_TRIANGLE) return 3 * unit;
    return d->kind == RILL_VERIFY_ELLIPSE ? 2 * unit * (1 + 1 / (LONG * LONG)) : 4 * unit;
}

/* Part of the way from p along c to the wall of the stenosis, by bisection: the link ends outside. */
static double stenosis_way(const rill_verify_duct *d, const double p[3], const double c[3])
{
    double low = 0, high = 1;
    for (int k = 0; k < 40; k++) {
        const double middle = (low + high) / 2;
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = p[a] + middle * c[a];
        *(profile(d, at) > 0 ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Part of the way from p along c to the wall. */
static double way(const rill_verify_duct *d, const double p[3], const double c[3])
{
    if (d->kind == RILL_VERIFY_STENOSIS) return stenosis_way(d, p, c);
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

/* Position across the axis and along it, of the repetition of the duct that is nearest to its axis. */
static void across(const rill_verify_duct_shape *s, const double x[3], double p[3])
{
    double best = -INFINITY;
    for (int k = 0; k < 125; k++) {
        double gap[3];
        for (int a = 0; a < 3; a++) {
            const int times = (a == 0 ? k % 5 : a == 1 ? k / 5 % 5 : k / 25) - 2;
            gap[a] = x[a] - s->middle[a] + times * (double)s->geom->n[a];
        }
        const double q[3] = {rill_dot(gap, s->x), rill_dot(gap, s->y), rill_dot(gap, s->axis)},
                     value = profile(&s->duct, q);
        if (value > best) best = value, p[0] = q[0], p[1] = q[1], p[2] = q[2];
    }
}

static double cut(void *context, const double x[3], const int c[3])
{
    const rill_verify_duct_shape *s = context;
    const double away[3] = {-c[0], -c[1], -c[2]},
                 v[3] = {rill_dot(away, s->x), rill_dot(away, s->y), rill_dot(away, s->axis)};
    double p[3];
    across(s, x, p);
    return way(&s->duct, p, v);
}

/* The smallest box in which the duct meets itself, whose repetitions are apart, and whose faces are farther
 * from the band than the wall shear looks. */
static void box_of(const rill_verify_duct *d, const double axis[3], uint32_t n[3])
{
    if (d->kind == RILL_VERIFY_STENOSIS) { /* whole waves fit into it */
        for (int a = 0; a < 3; a++) n[a] = (uint32_t)lround(WAVES * WAVE * d->r * axis[a]);
        return;
    }
    const double half = extent(d), apart = 2 * half + 3;
    for (uint32_t length = 1;; length++) {
        double least = INFINITY, margin = INFINITY;
        for (int a = 0; a < 3; a++) {
            n[a] = d->along[a] ? d->along[a] * length : (uint32_t)ceil(2 * half + 12);
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
        if (sqrt(least) >= apart && margin >= 6 - 1e-9) return;
    }
}

rill_status rill_verify_duct_make(const rill_verify_duct *duct, rill_verify_duct_shape *out)
{
    rill_status status = RILL_OK;
    rill_verify_duct_shape *s = out;
    uint32_t n[3];
    double length = 0;
    *s = (rill_verify_duct_shape){.duct = *duct};
    if (duct->kind == RILL_VERIFY_STENOSIS) RILL_TRY(stenosis_read(s));
    for (int a = 0; a < 3; a++) length += (double)duct->along[a] * duct->along[a];
    for (int a = 0; a < 3; a++) s->axis[a] = duct->along[a] / sqrt(length);
    const double other[3] = {1, 0, 0};
    rill_cross(other, s->axis, s->x);
    const double size = sqrt(rill_dot(s->x, s->x));
    for (int a = 0; a < 3; a++) s->x[a] /= size;
    rill_cross(s->axis, s->x, s->y);
    box_of(duct, s->axis, n);
    for (int a = 0; a < 3; a++) s->middle[a] = n[a] / 2.0 + 0.1 + 0.13 * a; /* no symmetry of the lattice */
    for (int a = 0; a < 2; a++) s->middle[a] += duct->aside[a];
    RILL_TRY(rill_geom_create(n, &s->geom));
    const uint64_t voxels = rill_geom_voxels(s->geom);
    RILL_TRY(rill_array_create(voxels, sizeof *s->exact, "velocities", (void **)&s->exact));
    for (uint64_t v = 0; v < voxels; v++) {
        const double x[3] = {(double)(v % n[0]) + 0.5, (double)(v / n[0] % n[1]) + 0.5,
                             (double)(v / n[0] / n[1]) + 0.5};
        double p[3];
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

/* Put triangles, a voxel long, around the section at a distance from the middle of the box. */
static void ring(const rill_verify_duct_shape *shape, double along, uint32_t count, uint32_t first)
{
    rill_surface *s = shape->geom->surface;
    const rill_verify_duct *d = &shape->duct;
    for (uint32_t k = 0; k < count; k++) {
        double p[2];
        around(d, k, count, p);
        const uint32_t next = (k + 1) % count;
        for (uint32_t end = 0; end < 2; end++) {
            const double at = along + end - 0.5,
                         wide = d->kind == RILL_VERIFY_STENOSIS ? radius_at(d, at, NULL) / d->r : 1;
            for (int a = 0; a < 3; a++)
                s->vertices[first + 2 * k + end][a] =
                    shape->middle[a] + wide * (p[0] * shape->x[a] + p[1] * shape->y[a]) + at * shape->axis[a];
        }
        const uint32_t corners[2][3] = {{2 * k, 2 * next, 2 * next + 1}, {2 * k, 2 * next + 1, 2 * k + 1}};
        for (uint32_t t = 0; t < 2; t++)
            for (int v = 0; v < 3; v++) s->triangles[first + 2 * k + t][v] = first + corners[t][v];
    }
}

rill_status rill_verify_duct_band(rill_verify_duct_shape *shape)
{
    rill_status status = RILL_OK;
    rill_surface *s = shape->geom->surface;
    const bool stenosis = shape->duct.kind == RILL_VERIFY_STENOSIS;
    const uint32_t count = 3 * (uint32_t)ceil(4 * extent(&shape->duct)), rings = stenosis ? RINGS : 1;
    RILL_TRY(rill_array_create(2 * rings * count, sizeof *s->vertices, "triangles", (void **)&s->vertices));
    RILL_TRY(rill_array_create(2 * rings * count, sizeof *s->triangles, "triangles", (void **)&s->triangles));
    for (uint32_t k = 0; k < rings; k++) {
        const double part = stenosis ? 2.0 * k / (RINGS - 1) - 1 : 0;
        ring(shape, part * RINGS_REACH * WAVE * shape->duct.r, count, 2 * k * count);
    }
    s->vertex_count = s->triangle_count = 2 * rings * count;
    shape->geom->spacing = 1; /* the triangles are in voxels */
done:
    return status;
}

/* Along the wall, in the plane of the axis. */
static void stenosis_shear(const rill_verify_duct_shape *s, const double p[3], double shear[3])
{
    const double angle = 2 * M_PI / WAVE * p[2] / s->duct.r, off = hypot(p[0], p[1]);
    double size = 0, slope;
    for (int k = 0; k < RILL_VERIFY_DUCT_WAVES; k++)
        size += s->cosine[k] * cos(k * angle) + s->sine[k] * sin(k * angle);
    radius_at(&s->duct, p[2], &slope);
    size *= 2 * s->duct.speed * pow(1 - 2 * NARROW, 2) / s->duct.r / sqrt(1 + slope * slope);
    for (int a = 0; a < 3; a++)
        shear[a] = size * (s->axis[a] + slope * (p[0] * s->x[a] + p[1] * s->y[a]) / off);
}

/* Size of the shear in a straight duct; NaN: see rill_verify_duct_shear(). */
static double straight_shear(const rill_verify_duct *d, const double p[2])
{
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

void rill_verify_duct_shear(const rill_verify_duct_shape *s, const double position[3], double shear[3])
{
    double gap[3];
    rill_subtract(position, s->middle, gap);
    const double p[3] = {rill_dot(gap, s->x), rill_dot(gap, s->y), rill_dot(gap, s->axis)};
    if (s->duct.kind == RILL_VERIFY_STENOSIS) {
        stenosis_shear(s, p, shear);
        return;
    }
    const double size = straight_shear(&s->duct, p);
    for (int a = 0; a < 3; a++) shear[a] = size * s->axis[a];
}
