/* SPDX-License-Identifier: Apache-2.0 */
/* Perimeters of outlines: exact where they are smooth, and those of the smooth outline where rims are jagged.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/openings.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { MOST = 4096 };

/* Points of an outline, clockwise seen from +z, which is then its outward normal. */
typedef struct points {
    double x[MOST][3];
    uint32_t count;
} points;

static void point(points *p, double x, double y, double z)
{
    cr_assert_lt(p->count, MOST);
    memcpy(p->x[p->count++], (double[]){x, y, z}, sizeof *p->x);
}

/* A polygon with points along its sides. */
static void polygon(points *p, const double (*corners)[2], int count, int parts)
{
    p->count = 0;
    for (int k = count; k > 0; k--)
        for (int n = 0; n < parts; n++) {
            const double *a = corners[k % count], *b = corners[k - 1], t = (double)n / parts;
            point(p, a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1]), 0);
        }
}

/* An ellipse whose points are moved to and fro, along the radius and out of the plane. */
static void ellipse(points *p, double a, double b, int count, double to_and_fro, double up)
{
    p->count = 0;
    for (int k = 0; k < count; k++) {
        const double angle = -2 * M_PI * k / count, s = 1 + (k % 2 ? 1 : -1) * to_and_fro;
        point(p, s * a * cos(angle), s * b * sin(angle), k % 2 ? up : -up);
    }
}

static rill_outline measure(const points *p, bool smooth)
{
    rill_mesh *mesh = NULL;
    rill_outline o;
    static uint32_t numbers[MOST];
    cr_assert_eq(rill_mesh_create(&mesh), RILL_OK);
    for (uint32_t k = 0; k < p->count; k++)
        cr_assert_eq(rill_mesh_add_vertex(mesh, p->x[k], &numbers[k]), RILL_OK);
    rill_outline_measure(mesh, numbers, p->count, &o);
    if (smooth) cr_assert_eq(rill_outline_smooth(mesh, numbers, p->count, &o), RILL_OK);
    rill_mesh_destroy(mesh);
    return o;
}

Test(outline, smooth_ones_keep_their_perimeter)
{
    static const double box[][2] = {{0, 0}, {7, 0}, {7, 1}, {0, 1}}, wedge[][2] = {{0, 0}, {5, 0}, {0, 3}};
    static points p;
    for (int parts = 1; parts < 100; parts += 33) {
        polygon(&p, box, 4, parts);
        cr_expect_float_eq(measure(&p, true).perimeter, 16, 1e-12);
        polygon(&p, wedge, 3, parts);
        cr_expect_float_eq(measure(&p, true).perimeter, 8 + sqrt(34), 1e-12);
    }
    for (int count = 8; count < MOST; count *= 7) {
        ellipse(&p, 3, 0.5, count, 0, 0);
        const double plain = measure(&p, false).perimeter;
        cr_expect_float_eq(measure(&p, true).perimeter, plain, 1e-12 * plain);
    }
}

/* Deep notches are part of the outline; the corner of one is bridged to the depth of a notch. */
Test(outline, deep_notches_stay)
{
    static const double corner[][2] = {{0, 0}, {4, 0}, {4, 1}, {1, 1}, {1, 4}, {0, 4}};
    static points p;
    polygon(&p, corner, 6, 1);
    cr_assert_float_eq(measure(&p, true).perimeter, 16, 1e-12);
    polygon(&p, corner, 6, 50);
    const double perimeter = measure(&p, true).perimeter;
    cr_assert(perimeter > 0.97 * 16 && perimeter < 16, "%g", perimeter);
}

/* A rim that is cut through triangles, or made of voxels, has a quarter of its length in jags. */
Test(outline, jags_do_not_count)
{
    static points p;
    const double circle = 2 * M_PI * 3;
    for (int k = 0; k < 2; k++) {
        ellipse(&p, 3, 3, 96, k == 0 ? 0.024 : 0, k == 1 ? 0.07 : 0);
        const rill_outline plain = measure(&p, false), smooth = measure(&p, true);
        cr_expect_gt(plain.perimeter, 1.2 * circle);
        cr_expect_float_eq(smooth.perimeter, circle, 0.003 * circle, "%g", smooth.perimeter / circle);
        cr_expect_eq(smooth.area, plain.area);
    }
    p.count = 0; /* squares whose centres are in a circle of ten squares: down its right side, up its left */
    for (int side = 1; side >= -1; side -= 2)
        for (int row = 9; row >= 0; row--) {
            const double y = side * (row - 4.5), x = side * floor(sqrt(25 - y * y) + 0.5);
            point(&p, x, y + 0.5 * side, 0);
            point(&p, x, y - 0.5 * side, 0);
        }
    const rill_outline stairs = measure(&p, true);
    cr_expect_float_eq(measure(&p, false).perimeter, 40, 1e-12);
    const double even = 2 * sqrt(M_PI * stairs.area);
    cr_expect_float_eq(stairs.perimeter, even, 0.03 * even, "%g", stairs.perimeter / even);
}
