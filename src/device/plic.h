/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plic.h
 * Planes in cells of an edge of 1 (piecewise linear interface construction), and the curvature of a surface
 * through them, on processors and GPUs alike; docs/free-surface.md derives both. Loops over axes are
 * unrolled, and what is summed over cells is not kept, so that a thread of a GPU has all in registers.
 */
#ifndef RILL_DEVICE_PLIC_H
#define RILL_DEVICE_PLIC_H

#include "kernel/platform.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/** Cells of a neighbourhood: 13 + x + 3 y + 9 z, x, y, z from -1 to 1; terms of a fit. */
enum { RILL_AROUND = 27, RILL_PLIC_TERMS = 6 };

/** Fill levels of a neighbourhood. */
typedef struct rill_plic_cells {
    double *fill;  /**< of cell k at k * step; in the solid those of the mirror image at the wall */
    uint32_t step; /**< on a GPU threads have their levels side by side */
    uint32_t wall; /**< bit k: cell k is solid */
} rill_plic_cells;

/** A surface that meets a wall. */
typedef struct rill_contact_line {
    double out[3];       /**< out of the wall */
    double normal[3];    /**< between that of the surface and that of the contact angle */
    double slope;        /**< of the surface at the wall, by the contact angle, across `normal` */
    double height;       /**< of the middle of the cell above the wall */
    double sine, cosine; /**< of the angle between `normal` and `out` */
} rill_contact_line;

/** Below this a component of a normal counts as 0: cancellation would eat the digits of what it adds. */
#define RILL_PLIC_FLAT 1e-4

/** A surface meets the wall nearby where the layer of cells along it is empty or full somewhere, but for
 * this, and differs from cell to cell by that. */
#define RILL_PLIC_DRY 0.01
#define RILL_PLIC_RANGE 0.1

/** Cosine of the least angle between a normal and that of the wall, 10 degrees. */
#define RILL_PLIC_STEEP 0.984807753012208

/** Weight of the point of the cell in the middle beside the others. With fewer than 4, a pattern of cells
 * that are alternately too full and too empty has a curvature of the wrong sign, and grows: the fit to z = 1
 * in the middle, -1 at the four nearest and 1 at the four corners has C > 0. */
#define RILL_PLIC_OWN 5

/** Weight of the corner in which the plane of a full or an empty cell is. */
#define RILL_PLIC_CORNER 0.1

/** Weight of the cells of a row that counts as one box, beside that of the box. */
#define RILL_PLIC_WITHIN 0.1

/** Fill level that counts as none. */
#define RILL_PLIC_TOUCH 1e-4

/** Of cells in the solid: no fill level of a cell that takes part. */
#define RILL_PLIC_SOLID 2

RILL_FN double rill_plic_cube(const double x) { return x > 0 ? x * x * x : 0; }

/** Return the cube root of a normal x > 0, the same bits everywhere: by Halley's steps. */
RILL_FN double rill_plic_cube_root(const double x)
{
    uint64_t bits;
    double y;
    memcpy(&bits, &x, sizeof bits);
    bits = bits / 3 + 0x2A9F7893782DA1CEu; /* a third of the exponent: right to 5 % */
    memcpy(&y, &bits, sizeof y);
    for (int k = 0; k < 3; k++) {
        const double cube = y * y * y;
        y *= (cube + 2 * x) / (2 * cube + x);
    }
    return y;
}

/** Return 6 n1 n2 n3 times the volume of a cell, in its corner where the n are all above 0, with n · x < a.
 */
RILL_FN double rill_plic_corner(const double n[3], const double a)
{
    return rill_plic_cube(a) - rill_plic_cube(a - n[0]) - rill_plic_cube(a - n[1]) -
           rill_plic_cube(a - n[2]) + rill_plic_cube(a - n[0] - n[1]) + rill_plic_cube(a - n[0] - n[2]) +
           rill_plic_cube(a - n[1] - n[2]) - rill_plic_cube(a - n[0] - n[1] - n[2]);
}

/** Sort the magnitudes of the components, smallest first, 0 where they are flat. */
RILL_FN void rill_plic_sort(const double normal[3], double n[3])
{
    const double x = fabs(normal[0]), y = fabs(normal[1]), z = fabs(normal[2]);
    const double low = fmin(x, y), high = fmax(x, y);
    n[0] = fmin(low, z);
    n[1] = fmin(fmax(low, z), high);
    n[2] = fmax(high, z);
    if (n[1] < RILL_PLIC_FLAT) n[0] = n[1] = 0;
    if (n[0] < RILL_PLIC_FLAT) n[0] = 0;
}

/** Return the volume below n · x = a in a corner; n sorted, a up to half of their sum. */
RILL_FN double rill_plic_below(const double n[3], const double a)
{
    if (a <= 0) return 0;
    if (n[1] < RILL_PLIC_FLAT) return fmin(a / n[2], 1);
    if (n[0] < RILL_PLIC_FLAT) { /* the polygon in the plane of the other two */
        const double over = fmax(a - n[1], 0), beyond = fmax(a - n[2], 0);
        return (a * a - over * over - beyond * beyond) / (2 * n[1] * n[2]);
    }
    return rill_plic_corner(n, a) / (6 * n[0] * n[1] * n[2]);
}

/** Return the volume of the points of a cell, centred at 0, with normal · x < offset. @param normal  of
 * length 1 */
RILL_FN double rill_plic_volume(const double normal[3], const double offset)
{
    double n[3];
    rill_plic_sort(normal, n);
    const double half = (n[0] + n[1] + n[2]) / 2, below = rill_plic_below(n, half - fabs(offset));
    return offset < 0 ? below : 1 - below;
}

/** Return the offset of the plane that has a volume behind it, from 0 to 1. */
RILL_APART_FN double rill_plic_offset(const double normal[3], const double volume)
{
    enum { halvings = 60 };
    double n[3];
    rill_plic_sort(normal, n);
    const double half = (n[0] + n[1] + n[2]) / 2, wanted = volume < 0.5 ? volume : 1 - volume;
    double low = 0, high = half, a = n[2] * wanted + (n[0] + n[1]) / 2; /* where all corners are below */
    if (n[0] > 0 && wanted > 0 && wanted * 6 * n[1] * n[2] < n[0] * n[0])
        a = rill_plic_cube_root(6 * n[0] * n[1] * n[2] * wanted);
    for (int k = 0; k < halvings && high - low > 1e-15; k++) {
        if (!(a >= low && a <= high)) a = (low + high) / 2;
        const double error = rill_plic_below(n, a) - wanted;
        if (fabs(error) < 1e-15) break;
        if (error > 0)
            high = a;
        else
            low = a;
        const double h = 1e-6 * half, behind = fmax(a - h, 0),
                     slope = (rill_plic_below(n, a + h) - rill_plic_below(n, behind)) / (a + h - behind);
        const double next = slope > 0 ? a - error / slope : -1;
        a = next > low && next < high ? next : (low + high) / 2;
    }
    return volume < 0.5 ? a - half : half - a;
}

/** Return a coordinate of cell k. */
RILL_FN int rill_plic_x(const int k, const int axis)
{
    return (axis == 0 ? k % 3 : axis == 1 ? k / 3 % 3 : k / 9) - 1;
}

/** Return the difference of Parker and Youngs of a number in 27 cells, for cell k of them. */
RILL_FN double rill_plic_slope(const int k, const int axis)
{
    const int away = (rill_plic_x(k, 0) != 0) + (rill_plic_x(k, 1) != 0) + (rill_plic_x(k, 2) != 0);
    return rill_plic_x(k, axis) * (away == 1 ? 4 : away == 2 ? 2 : 1);
}

RILL_FN double rill_plic_product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

RILL_FN bool rill_plic_normalize(double v[3])
{
    const double square = rill_plic_product(v, v);
    if (!(square > 1e-12)) return false;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) v[a] /= sqrt(square);
    return true;
}

/**
 * Find the normal of the surface in the middle of a neighbourhood, out of the liquid, by the differences of
 * Parker and Youngs. @return false where the fill levels have no gradient
 */
RILL_FN bool rill_plic_normal(const rill_plic_cells *c, double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        const double fill = c->fill[k * c->step];
        RILL_UNROLL
        for (int a = 0; a < 3; a++) normal[a] -= rill_plic_slope(k, a) * fill;
    }
    return rill_plic_normalize(normal);
}

/** Find the direction out of the solid. @return false where there is none */
RILL_FN bool rill_plic_out(const rill_plic_cells *c, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        if (!(c->wall >> k & 1)) continue;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) out[a] -= rill_plic_slope(k, a);
    }
    return rill_plic_normalize(out);
}

/** Return whether the surface meets the wall nearby. */
RILL_FN bool rill_plic_line_near(const rill_plic_cells *c, const double out[3])
{
    double least = 1, most = 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        const double up =
            rill_plic_x(k, 0) * out[0] + rill_plic_x(k, 1) * out[1] + rill_plic_x(k, 2) * out[2];
        if (c->wall >> k & 1 || fabs(up) > 0.5) continue;
        least = fmin(least, c->fill[k * c->step]);
        most = fmax(most, c->fill[k * c->step]);
    }
    return (least < RILL_PLIC_DRY || most > 1 - RILL_PLIC_DRY) && most - least > RILL_PLIC_RANGE;
}

/** Find the normal by cells of solid that continue the two layers of cells before them. */
RILL_FN bool rill_plic_normal_beyond(const rill_plic_cells *c, const double out[3], double normal[3])
{
    normal[0] = normal[1] = normal[2] = 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        int other = k, step = 1; /* across the cell in the middle */
        RILL_UNROLL
        for (int a = 0; a < 3; a++) {
            if (fabs(out[a]) > 0.5 && rill_plic_x(k, a) * out[a] < 0) other -= 2 * rill_plic_x(k, a) * step;
            step *= 3;
        }
        double fill = c->fill[k * c->step];
        if (c->wall >> k & 1) fill = 2 * fill - c->fill[other * c->step];
        RILL_UNROLL
        for (int a = 0; a < 3; a++) normal[a] -= rill_plic_slope(k, a) * fill;
    }
    return rill_plic_normalize(normal);
}

/**
 * Find where a surface meets the wall in a neighbourhood.
 * @param sine, cosine  of the contact angle in the liquid @return false without a contact line here
 */
RILL_APART_FN bool rill_plic_contact(const rill_plic_cells *cells, const double sine, const double cosine,
                                     rill_contact_line *c)
{
    double asked[3], found[3], far = 0;
    if (!rill_plic_out(cells, c->out) || !rill_plic_normal(cells, asked) ||
        !rill_plic_line_near(cells, c->out))
        return false;
    const double along = rill_plic_product(asked, c->out);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) asked[a] -= along * c->out[a];
    if (!rill_plic_normalize(asked)) return false; /* the surface is parallel to the wall */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        asked[a] = sine * asked[a] + cosine * c->out[a];
        far = fmax(far, fabs(c->out[a]));
    }
    c->height = 0.5 / far;
    const bool known = rill_plic_normal_beyond(cells, c->out, found);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) c->normal[a] = asked[a] + (known ? found[a] : 0);
    if (rill_plic_product(c->normal, asked) < 1 || !rill_plic_normalize(c->normal) ||
        fabs(rill_plic_product(c->normal, c->out)) > RILL_PLIC_STEEP) {
        RILL_UNROLL
        for (int a = 0; a < 3; a++)
            c->normal[a] = asked[a]; /* the surface is too far from the contact angle */
    }
    c->cosine = rill_plic_product(c->normal, c->out);
    c->sine = sqrt(1 - c->cosine * c->cosine);
    c->slope = (c->cosine * rill_plic_product(asked, c->normal) - rill_plic_product(asked, c->out)) /
               (c->sine * rill_plic_product(asked, c->normal));
    return true;
}

/** Continue a surface that does not meet the wall nearby into the solid, by cells that are full below a film
 * of liquid, and empty below one of gas. */
RILL_FN void rill_plic_film(const rill_plic_cells *c)
{
    double out[3], normal[3];
    const bool liquid =
        rill_plic_out(c, out) && rill_plic_normal(c, normal) && rill_plic_product(out, normal) > 0;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++)
        if (c->wall >> k & 1) c->fill[k * c->step] = liquid;
}

/** Let cells of solid take no part in a curvature. */
RILL_FN void rill_plic_without(const rill_plic_cells *c)
{
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++)
        if (c->wall >> k & 1) c->fill[k * c->step] = RILL_PLIC_SOLID;
}

/** Axes of a fit, of which the third is a normal. */
typedef struct rill_plic_axes {
    double x[3], y[3], normal[3];
} rill_plic_axes;

/** Set the axis across two others. */
RILL_FN void rill_plic_across(rill_plic_axes *axes)
{
    RILL_UNROLL
    for (int a = 0; a < 3; a++)
        axes->y[a] = axes->normal[(a + 1) % 3] * axes->x[(a + 2) % 3] -
                     axes->normal[(a + 2) % 3] * axes->x[(a + 1) % 3];
}

/** Set two axes across a normal. */
RILL_FN void rill_plic_axes_set(const double normal[3], rill_plic_axes *axes)
{
    const double size[3] = {fabs(normal[0]), fabs(normal[1]), fabs(normal[2])};
    const int least = size[0] < size[1] ? (size[0] < size[2] ? 0 : 2) : (size[1] < size[2] ? 1 : 2);
    const double along = least == 0 ? normal[0] : least == 1 ? normal[1] : normal[2];
    const double length = sqrt(1 - along * along);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        axes->normal[a] = normal[a];
        axes->x[a] = ((a == least) - along * normal[a]) / length;
    }
    rill_plic_across(axes);
}

/** The plane of a cell within the cell: area, and the means of what the fit is made of. */
typedef struct rill_plic_section {
    double area, z, term[RILL_PLIC_TERMS];
} rill_plic_section;

/**
 * Find the section of a plane through a box of cells, `edge` of them along each axis, whose centre is at
 * (x, y) along the axes. It is a polygon, whose edges are the parts of the lines in which the plane meets the
 * faces of the box that are between the other faces; its moments are sums over them. Of two lines that are
 * one, that of the higher axis is left out.
 */
RILL_FN void rill_plic_section_of(const rill_plic_axes *g, const double edge[3], const double offset,
                                  const double x, const double y, rill_plic_section *s)
{
    const double nothing = 1e-18, parallel = 1e-12, beyond = 2;
    double area = 0, m[5] = {0, 0, 0, 0, 0}; /* x, y, x^2, y^2, xy */
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const double square = g->x[a] * g->x[a] + g->y[a] * g->y[a], length = sqrt(square);
        RILL_NO_UNROLL
        for (int side = -1; side < 2; side += 2) {
            const double far = (0.5 * edge[a] - side * offset * g->normal[a]) / length; /* from (0, 0) */
            if (!(square > nothing && fabs(far) < beyond)) continue;
            const double ux = side * g->x[a] / length, uy = side * g->y[a] / length;
            const double px = far * ux, py = far * uy;
            double low = -beyond, high = beyond; /* along (-uy, ux) */
            RILL_UNROLL
            for (int more = 1; more < 3; more++) {
                const int b = (a + more) % 3;
                const double at = offset * g->normal[b] + g->x[b] * px + g->y[b] * py;
                const double slope = g->y[b] * ux - g->x[b] * uy;
                if (fabs(slope) < parallel) {
                    if (!(fabs(at) < 0.5 * edge[b] + (b < a ? -parallel : parallel))) high = low;
                    continue;
                }
                const double p = (-0.5 * edge[b] - at) / slope, q = (0.5 * edge[b] - at) / slope;
                low = fmax(low, fmin(p, q));
                high = fmin(high, fmax(p, q));
            }
            if (!(high > low)) continue;
            const double ax = px - low * uy, ay = py + low * ux, bx = px - high * uy, by = py + high * ux;
            const double twice = (high - low) * far; /* the area of the triangle with (0, 0) */
            area += twice / 2;
            m[0] += twice * (ax + bx) / 6;
            m[1] += twice * (ay + by) / 6;
            m[2] += twice * (ax * ax + ax * bx + bx * bx) / 12;
            m[3] += twice * (ay * ay + ay * by + by * by) / 12;
            m[4] += twice * (2 * (ax * ay + bx * by) + ax * by + bx * ay) / 24;
        }
    }
    s->area = area > 1e-9 ? area : 0;
    if (!(area > 1e-9)) return;
    RILL_UNROLL
    for (int k = 0; k < 5; k++) m[k] /= area;
    const double xx = x * x + 2 * x * m[0] + m[2], yy = y * y + 2 * y * m[1] + m[3];
    s->term[0] = 1;
    s->term[1] = x + m[0];
    s->term[2] = y + m[1];
    s->term[3] = xx + yy;
    s->term[4] = xx - yy;
    s->term[5] = x * y + x * m[1] + y * m[0] + m[4];
}

/** A face between a full and an empty cell is part of the surface: return the fill level of cell k, of an
 * empty one so little that its plane is in this face. Without it, a cell would have another curvature once a
 * neighbour is a little less than empty. */
RILL_FN double rill_plic_level(const rill_plic_cells *c, const double normal[3], const int k)
{
    const double m[3] = {fabs(normal[0]), fabs(normal[1]), fabs(normal[2])}, fill = c->fill[k * c->step];
    const int a = m[0] >= m[1] && m[0] >= m[2] ? 0 : m[1] >= m[2] ? 1 : 2;
    const int inward = (a == 0 ? normal[0] : a == 1 ? normal[1] : normal[2]) > 0 ? -1 : 1;
    const int to = rill_plic_x(k, a) + inward;
    if (fill >= RILL_PLIC_TOUCH || to > 1 || to < -1) return fill;
    const double inner = c->fill[(uint32_t)(k + inward * (a == 0 ? 1 : a == 1 ? 3 : 9)) * c->step];
    return inner > 1 - RILL_PLIC_TOUCH && inner <= 1 ? RILL_PLIC_TOUCH : fill;
}

/** Sums of a fit of z = b[0] + b[1] x + b[2] y + b[3] (x^2 + y^2) + b[4] (x^2 - y^2) + b[5] x y by least
 * squares; the half of a symmetric matrix is used. */
typedef struct rill_plic_fit {
    int count;
    double m[RILL_PLIC_TERMS][RILL_PLIC_TERMS], b[RILL_PLIC_TERMS];
} rill_plic_fit;

RILL_FN void rill_plic_fit_add(const int terms, const rill_plic_section *s, rill_plic_fit *f)
{
    f->count++;
    RILL_UNROLL
    for (int i = 0; i < terms; i++) {
        const double weighed = s->area * s->term[i];
        RILL_UNROLL
        for (int j = i; j < terms; j++) f->m[i][j] += weighed * s->term[j];
        f->b[i] += weighed * s->z;
    }
}

/** Eliminate. @return how many of the first terms can be found: the system is close to singular then */
RILL_FN int rill_plic_eliminate(const int terms, rill_plic_fit *f)
{
    int good = 0;
    RILL_UNROLL
    for (int k = 0; k < terms; k++) {
        if (good < k || !(f->m[k][k] > 1e-3)) continue;
        good = k + 1;
        RILL_UNROLL
        for (int i = k + 1; i < terms; i++) {
            const double factor = f->m[k][i] / f->m[k][k];
            RILL_UNROLL
            for (int j = i; j < terms; j++) f->m[i][j] -= factor * f->m[k][j];
            f->b[i] -= factor * f->b[k];
        }
    }
    return good < f->count ? good : f->count;
}

/** Find the first `some` of the terms; the others are 0. */
RILL_FN void rill_plic_substitute(const int some, rill_plic_fit *f)
{
    RILL_UNROLL
    for (int k = RILL_PLIC_TERMS - 1; k >= some; k--) f->b[k] = 0;
    RILL_UNROLL
    for (int k = some - 1; k >= 0; k--) {
        RILL_UNROLL
        for (int j = k + 1; j < some; j++) f->b[k] -= f->m[k][j] * f->b[j];
        f->b[k] /= f->m[k][k];
    }
}

/** Return the mean curvature where x = y = 0. */
RILL_FN double rill_plic_bent(const double b[RILL_PLIC_TERMS])
{
    const double xx = b[3] + b[4], yy = b[3] - b[4], slopes = 1 + b[1] * b[1] + b[2] * b[2];
    const double k = xx * (1 + b[2] * b[2]) + yy * (1 + b[1] * b[1]) - b[5] * b[1] * b[2];
    return -k / (slopes * sqrt(slopes));
}

/** Let a full or an empty cell in the middle take part, by the corner in which its plane is. */
RILL_FN void rill_plic_own_point(const rill_plic_axes *g, const double fill, rill_plic_section *s)
{
    double x = 0, y = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        const double side = fabs(g->normal[a]) < RILL_PLIC_FLAT ? 0 : copysign(fill - 0.5, g->normal[a]);
        x += side * g->x[a];
        y += side * g->y[a];
    }
    s->area = RILL_PLIC_CORNER * RILL_PLIC_OWN;
    s->z = 0;
    s->term[0] = 1;
    s->term[1] = x;
    s->term[2] = y;
    s->term[3] = x * x + y * y;
    s->term[4] = x * x - y * y;
    s->term[5] = x * y;
}

/** Let dz/dx be the slope of the contact angle at the contact line: A + 2 (C + D) x = slope. @param
 * foot  its x */
RILL_FN void rill_plic_tie(const double slope, const double foot, rill_plic_section *s)
{
    const double xx = (s->term[3] + s->term[4]) / 2, yy = (s->term[3] - s->term[4]) / 2;
    s->z -= slope * s->term[1];
    s->term[1] = xx - 2 * foot * s->term[1];
    s->term[3] = yy;
    s->term[4] = s->term[5];
}

/** Rows of three cells along a wall, across a contact line, whose volume counts and not that of each cell. */
typedef struct rill_plic_rows {
    double edge[3];  /**< cells of a row along each axis */
    uint32_t stride; /**< from a cell to the next one */
    uint32_t middle; /**< bit k: cell k is in the middle of a row */
    uint32_t cells;  /**< bit k: cell k is in a row */
} rill_plic_rows;

/** Return the offset of the plane in a row that has its volume behind it. @param k  its cell in the middle
 * @return false where it is full or empty */
RILL_FN bool rill_plic_row_offset(const rill_plic_cells *c, const double normal[3], const rill_plic_rows *r,
                                  const int k, double *offset)
{
    double wide[3], level = 0;
    RILL_NO_UNROLL
    for (int side = -1; side < 2; side++)
        level += c->fill[(uint32_t)(k + side * (int)r->stride) * c->step] / 3;
    if (!(level > 0 && level < 1)) return false;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) wide[a] = normal[a] * r->edge[a];
    *offset = rill_plic_offset(wide, level);
    return true;
}

/**
 * Find the rows along the wall, and let them count where the plane in the middle goes on into an empty cell
 * ahead. The surface comes there only when the middle has filled up: the plane of the middle alone is ahead
 * of what the liquid is, by half a cotangent of the angle when it is nearly full, and a contact line would
 * stick on the face between the two cells.
 * @param[in,out] offset  of the plane in the middle
 */
RILL_FN void rill_plic_rows_find(const rill_plic_cells *c, const rill_contact_line *contact,
                                 rill_plic_rows *r, double *offset)
{
    const double *normal = contact->normal;
    double along[3], lean;
    const int middle = RILL_AROUND / 2;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) along[a] = normal[a] - contact->cosine * contact->out[a];
    const double x = fabs(along[0]), y = fabs(along[1]), z = fabs(along[2]);
    const int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    lean = axis == 0 ? normal[0] : axis == 1 ? normal[1] : normal[2];
    r->stride = axis == 0 ? 1 : axis == 1 ? 3 : 9;
    r->middle = r->cells = 0;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) r->edge[a] = a == axis ? 3 : 1;
    const int ahead = lean > 0 ? middle + (int)r->stride : middle - (int)r->stride;
    if (!(contact->cosine > 0) || !(c->fill[(uint32_t)ahead * c->step] < RILL_PLIC_TOUCH) ||
        !(rill_plic_volume(normal, *offset - fabs(lean)) > 0))
        return;
    RILL_NO_UNROLL
    for (int k = 0; k < RILL_AROUND; k++) {
        const uint32_t row = (1u | 1u << r->stride | 1u << 2 * r->stride) << k; /* that begins with cell k */
        const double up = rill_plic_x(k, 0) * contact->out[0] * (axis != 0) +
                          rill_plic_x(k, 1) * contact->out[1] * (axis != 1) +
                          rill_plic_x(k, 2) * contact->out[2] * (axis != 2);
        if (rill_plic_x(k, axis) >= 0 || c->wall & row || fabs(up) > 0.5) continue;
        r->cells |= row;
        r->middle |= 1u << (k + (int)r->stride);
    }
    if (!(r->middle >> middle & 1) || !rill_plic_row_offset(c, normal, r, middle, offset))
        r->middle = r->cells = 0;
}

/** Find the section in cell k. @param middle  offset of the plane in the middle @param row  find that in the
 * row of which it is the middle */
RILL_FN void rill_plic_cell(const rill_plic_cells *c, const rill_plic_axes *g, const double middle,
                            const int k, const rill_plic_rows *rows, const bool row, rill_plic_section *s)
{
    double x = 0, y = 0, offset = 0, edge[3] = {1, 1, 1};
    s->area = 0;
    if (row) {
        if (!(rows->middle >> k & 1) || !rill_plic_row_offset(c, g->normal, rows, k, &offset)) return;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) edge[a] = rows->edge[a];
    } else {
        const double level = rill_plic_level(c, g->normal, k);
        if (!(level > 0 && level < 1)) return;
        offset = rill_plic_offset(g->normal, level);
    }
    s->z = offset - middle;
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        x += rill_plic_x(k, a) * g->x[a];
        y += rill_plic_x(k, a) * g->y[a];
        s->z += rill_plic_x(k, a) * g->normal[a];
    }
    rill_plic_section_of(g, edge, offset, x, y, s);
    if (k == RILL_AROUND / 2) s->area *= RILL_PLIC_OWN;
    if (!row && rows->cells >> k & 1) s->area *= RILL_PLIC_WITHIN;
}

/**
 * Return the mean curvature of the surface in the middle of a neighbourhood, (1/R1 + 1/R2) / 2, above 0 for a
 * drop: that of a quadratic surface through the planes in the cells that are partly filled. 0 where there are
 * too few of them.
 * @param middle  the offset of the plane in the middle
 * @param line  the surface meets a wall, at `contact`, and has the slope of the contact angle there
 */
RILL_APART_FN double rill_plic_curvature(const rill_plic_cells *c, const double normal[3],
                                         const double middle, const bool line,
                                         const rill_contact_line *contact)
{
    rill_plic_axes g;
    rill_plic_section s = {0, 0, {0, 0, 0, 0, 0, 0}};
    rill_plic_rows rows = {{1, 1, 1}, 0, 0, 0};
    rill_plic_fit f;
    double slope = 0, foot = 0, offset = middle;
    f.count = 0;
    RILL_UNROLL
    for (int i = 0; i < RILL_PLIC_TERMS; i++) {
        f.b[i] = 0;
        RILL_UNROLL
        for (int j = i; j < RILL_PLIC_TERMS; j++) f.m[i][j] = 0;
    }
    rill_plic_axes_set(normal, &g);
    if (line) {
        RILL_UNROLL
        for (int a = 0; a < 3; a++) g.x[a] = (contact->out[a] - contact->cosine * normal[a]) / contact->sine;
        rill_plic_across(&g);
        rill_plic_rows_find(c, contact, &rows, &offset);
        slope = contact->slope;
        foot = -(contact->height + offset * contact->cosine) / contact->sine; /* x of the contact line */
    }
    const double own = c->fill[RILL_AROUND / 2 * c->step];
    const int looks = rows.middle ? 2 * RILL_AROUND : RILL_AROUND + 1;
    RILL_NO_UNROLL
    for (int k = 0; k < looks; k++) {
        if (k < RILL_AROUND || rows.middle)
            rill_plic_cell(c, &g, offset, k % RILL_AROUND, &rows, k >= RILL_AROUND, &s);
        else if (line && !(own > 0 && own < 1))
            rill_plic_own_point(&g, own, &s);
        else
            s.area = 0;
        if (!(s.area > 0)) continue;
        if (line) {
            rill_plic_tie(slope, foot, &s);
            s.term[5] = 0;
        }
        rill_plic_fit_add(RILL_PLIC_TERMS, &s, &f);
    }
    const int good = rill_plic_eliminate(RILL_PLIC_TERMS, &f);
    if (!line) { /* a quadric, else a sphere */
        if (good < 4) return 0;
        if (good == RILL_PLIC_TERMS)
            rill_plic_substitute(RILL_PLIC_TERMS, &f);
        else
            rill_plic_substitute(4, &f);
        return rill_plic_bent(f.b);
    }
    if (good < 2) return 0;
    if (good >= 5)
        rill_plic_substitute(5, &f);
    else if (good == 4)
        rill_plic_substitute(4, &f);
    else
        rill_plic_substitute(2, &f);
    const double b1 = f.b[1], b3 = f.b[3];
    f.b[5] = f.b[4];
    f.b[1] = slope - 2 * foot * b1;
    f.b[3] = (b1 + b3) / 2;
    f.b[4] = (b1 - b3) / 2;
    return rill_plic_bent(f.b);
}

#endif
