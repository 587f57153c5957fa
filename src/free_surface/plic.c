/* SPDX-License-Identifier: Apache-2.0 */
#include "free_surface/plic.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double cube_of(double x) { return x > 0 ? x * x * x : 0; }

/* Return 6 n1 n2 n3 times the volume of a cell, in its corner where the n are all above 0, with n · x < a. */
static double corner_of(const double n[3], double a)
{
    return cube_of(a) - cube_of(a - n[0]) - cube_of(a - n[1]) - cube_of(a - n[2]) + cube_of(a - n[0] - n[1]) +
           cube_of(a - n[0] - n[2]) + cube_of(a - n[1] - n[2]) - cube_of(a - n[0] - n[1] - n[2]);
}

/* Below this a component of a normal counts as 0: cancellation would eat the digits of what it adds. */
#define FLAT 1e-4

/* Sort the magnitudes of the components, smallest first. */
static void sort(const double normal[3], double n[3])
{
    for (int a = 0; a < 3; a++) n[a] = fabs(normal[a]);
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2 - a; b++)
            if (n[b] > n[b + 1]) {
                const double larger = n[b];
                n[b] = n[b + 1];
                n[b + 1] = larger;
            }
}

/* Return the volume below n · x = a in a corner; n sorted, a up to half of their sum. */
static double volume_of(const double n[3], double a)
{
    if (a <= 0) return 0;
    if (n[1] < FLAT) return fmin(a / n[2], 1);
    if (n[0] < FLAT) { /* the polygon in the plane of the other two */
        const double over = fmax(a - n[1], 0), beyond = fmax(a - n[2], 0);
        return (a * a - over * over - beyond * beyond) / (2 * n[1] * n[2]);
    }
    return corner_of(n, a) / (6 * n[0] * n[1] * n[2]);
}

double rill_plic_volume(const double normal[3], double offset)
{
    double n[3];
    sort(normal, n);
    if (n[1] < FLAT) n[0] = n[1] = 0;
    if (n[0] < FLAT) n[0] = 0;
    const double half = (n[0] + n[1] + n[2]) / 2, below = volume_of(n, half - fabs(offset));
    return offset < 0 ? below : 1 - below;
}

double rill_plic_offset(const double normal[3], double volume)
{
    enum { halvings = 60 };
    double n[3];
    sort(normal, n);
    if (n[1] < FLAT) n[0] = n[1] = 0;
    if (n[0] < FLAT) n[0] = 0;
    const double half = (n[0] + n[1] + n[2]) / 2, wanted = volume < 0.5 ? volume : 1 - volume;
    double low = 0, high = half, a = n[2] * wanted + (n[0] + n[1]) / 2; /* where all corners are below */
    if (n[0] > 0 && wanted * 6 * n[1] * n[2] < n[0] * n[0]) a = cbrt(6 * n[0] * n[1] * n[2] * wanted);
    for (int k = 0; k < halvings && high - low > 1e-15; k++) {
        if (!(a >= low && a <= high)) a = (low + high) / 2;
        const double error = volume_of(n, a) - wanted;
        if (fabs(error) < 1e-15) break;
        if (error > 0)
            high = a;
        else
            low = a;
        const double h = 1e-6 * half,
                     slope = (volume_of(n, a + h) - volume_of(n, fmax(a - h, 0))) / (a + h - fmax(a - h, 0));
        const double next = slope > 0 ? a - error / slope : -1;
        a = next > low && next < high ? next : (low + high) / 2;
    }
    return volume < 0.5 ? a - half : half - a;
}

/* Return the difference of Parker and Youngs of a number in 27 cells, for cell k of them. */
static double slope_of(int k, int axis)
{
    const int x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    const int away = (x[0] != 0) + (x[1] != 0) + (x[2] != 0);
    return x[axis] * (away == 1 ? 4 : away == 2 ? 2 : 1);
}

static bool normalize(double v[3])
{
    const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    if (!(square > 1e-12)) return false;
    for (int a = 0; a < 3; a++) v[a] /= sqrt(square);
    return true;
}

double rill_plic_fill(double (*inside)(const void *context, const double x[3]), const void *context,
                      const uint32_t cell[3])
{
    enum { parts = 4 };
    const double step = 1e-4;
    double sum = 0;
    for (int k = 0; k < parts * parts * parts; k++) {
        const double x[3] = {cell[0] + (k % parts + 0.5) / parts, cell[1] + (k / parts % parts + 0.5) / parts,
                             cell[2] + (k / parts / parts + 0.5) / parts};
        double normal[3], square = 0;
        const double middle = inside(context, x);
        for (int a = 0; a < 3; a++) {
            double ahead[3] = {x[0], x[1], x[2]}, behind[3] = {x[0], x[1], x[2]};
            ahead[a] += step;
            behind[a] -= step;
            normal[a] = (inside(context, behind) - inside(context, ahead)) / (2 * step);
            square += normal[a] * normal[a];
        }
        if (normalize(normal))
            sum += rill_plic_volume(normal, parts * middle / sqrt(square));
        else
            sum += middle > 0;
    }
    sum /= parts * parts * parts;
    return sum < 1e-9 ? 0 : sum > 1 - 1e-9 ? 1 : sum; /* rounding of the steps makes no interface */
}

int rill_plic_normal(const double fill[RILL_AROUND], double normal[3])
{
    for (int a = 0; a < 3; a++) {
        normal[a] = 0;
        for (int k = 0; k < RILL_AROUND; k++) normal[a] -= slope_of(k, a) * fill[k];
    }
    return normalize(normal);
}

/* A surface meets the wall nearby where the layer of cells along it is empty or full somewhere, but for
 * this, and differs from cell to cell by that. */
#define DRY 0.01
#define RANGE 0.1

/* Degrees between a normal and that of the wall, at least. */
#define STEEP 10

static double product(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Find the direction out of the solid. @return false where there is none */
static bool out_of(const bool wall[RILL_AROUND], double out[3])
{
    for (int a = 0; a < 3; a++) out[a] = 0;
    for (int k = 0; k < RILL_AROUND; k++)
        for (int a = 0; a < 3 && wall[k]; a++) out[a] -= slope_of(k, a);
    return normalize(out);
}

/* Return whether the surface meets the wall nearby. */
static bool line_near(const bool wall[RILL_AROUND], const double out[3], const double fill[RILL_AROUND])
{
    double least = 1, most = 0;
    for (int k = 0; k < RILL_AROUND; k++) {
        const double up = (k % 3 - 1) * out[0] + (k / 3 % 3 - 1) * out[1] + (k / 9 - 1) * out[2];
        if (wall[k] || fabs(up) > 0.5) continue;
        least = fmin(least, fill[k]);
        most = fmax(most, fill[k]);
    }
    return (least < DRY || most > 1 - DRY) && most - least > RANGE;
}

/* Find the normal by cells of solid that continue the two layers of cells before them. */
static bool normal_of(const bool wall[RILL_AROUND], const double out[3], const double fill[RILL_AROUND],
                      double normal[3])
{
    static const int step[3] = {1, 3, 9};
    double beyond[RILL_AROUND];
    for (int k = 0; k < RILL_AROUND; k++) {
        const int x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        int other = k; /* across the cell in the middle */
        for (int a = 0; a < 3; a++)
            if (fabs(out[a]) > 0.5 && x[a] * out[a] < 0) other -= 2 * x[a] * step[a];
        beyond[k] = wall[k] ? 2 * fill[k] - fill[other] : fill[k];
    }
    return rill_plic_normal(beyond, normal);
}

bool rill_plic_contact(const bool wall[RILL_AROUND], double angle, const double fill[RILL_AROUND],
                       rill_contact_line *c)
{
    double asked[3], found[3], far = 0;
    if (!out_of(wall, c->out) || !rill_plic_normal(fill, asked) || !line_near(wall, c->out, fill))
        return false;
    const double along = product(asked, c->out);
    for (int a = 0; a < 3; a++) asked[a] -= along * c->out[a];
    if (!normalize(asked)) return false; /* the surface is parallel to the wall */
    for (int a = 0; a < 3; a++) {
        asked[a] = sin(angle) * asked[a] + cos(angle) * c->out[a];
        far = fmax(far, fabs(c->out[a]));
    }
    c->height = 0.5 / far;
    const bool known = normal_of(wall, c->out, fill, found);
    for (int a = 0; a < 3; a++) c->normal[a] = asked[a] + (known ? found[a] : 0);
    if (product(c->normal, asked) < 1 || !normalize(c->normal) ||
        fabs(product(c->normal, c->out)) > cos(STEEP * M_PI / 180))
        memcpy(c->normal, asked, sizeof asked); /* the surface is too far from the contact angle */
    c->cosine = product(c->normal, c->out);
    c->sine = sqrt(1 - c->cosine * c->cosine);
    c->slope = (c->cosine * product(asked, c->normal) - product(asked, c->out)) /
               (c->sine * product(asked, c->normal));
    return true;
}

enum { TERMS = 6 };

/* Solve a symmetric, positive system by elimination. @return false when it is close to singular */
static bool solve(int n, double m[TERMS][TERMS], double *b)
{
    for (int k = 0; k < n; k++) {
        if (!(m[k][k] > 1e-3)) return false;
        for (int i = k + 1; i < n; i++) {
            const double factor = m[i][k] / m[k][k];
            for (int j = k; j < n; j++) m[i][j] -= factor * m[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= m[k][j] * b[j];
        b[k] /= m[k][k];
    }
    return true;
}

/* Weight of the point of the cell in the middle beside the others. With fewer than 4, a pattern of cells that
 * are alternately too full and too empty has a curvature of the wrong sign, and grows: the fit to z = 1 in
 * the middle, -1 at the four nearest and 1 at the four corners has C > 0. */
#define OWN 5

/* Weight of the corner in which the plane of a full or an empty cell is. */
#define CORNER 0.1

/* Fill level that counts as none. */
#define TOUCH 1e-4

/* The plane of a cell within the cell, in axes of which the third is its normal: area, and the means of what
 * the fit is made of. */
typedef struct section {
    double area, z, term[TERMS];
} section;

typedef struct sections {
    int count;
    section all[RILL_AROUND + 1];
} sections;

/* Set two axes across a normal. */
static void axes_set(const double normal[3], double along[2][3])
{
    const int least = fabs(normal[0]) < fabs(normal[1]) ? (fabs(normal[0]) < fabs(normal[2]) ? 0 : 2)
                                                        : (fabs(normal[1]) < fabs(normal[2]) ? 1 : 2);
    for (int a = 0; a < 3; a++) along[0][a] = (a == least) - normal[least] * normal[a];
    const double length = sqrt(1 - normal[least] * normal[least]);
    for (int a = 0; a < 3; a++) along[0][a] /= length;
    for (int a = 0; a < 3; a++)
        along[1][a] =
            normal[(a + 1) % 3] * along[0][(a + 2) % 3] - normal[(a + 2) % 3] * along[0][(a + 1) % 3];
}

enum { CORNERS = 12 };

/* Cut a convex polygon where g0 + g1 x + g2 y > 0. @return its corners then */
static int cut(int corners, double p[CORNERS][2], double g0, double g1, double g2)
{
    double kept[CORNERS][2];
    int count = 0;
    for (int k = 0; k < corners; k++) {
        const double *from = p[k], *to = p[(k + 1) % corners];
        const double before = g0 + g1 * from[0] + g2 * from[1], after = g0 + g1 * to[0] + g2 * to[1];
        if (before <= 0) {
            kept[count][0] = from[0];
            kept[count++][1] = from[1];
        }
        if ((before <= 0) == (after <= 0)) continue;
        for (int a = 0; a < 2; a++) kept[count][a] = from[a] + before / (before - after) * (to[a] - from[a]);
        count++;
    }
    memcpy(p, kept, sizeof kept);
    return count;
}

/* Find the section of a plane through a cell whose centre is at (x, y) along the axes. */
static section section_of(const double normal[3], double along[2][3], double offset, double x, double y)
{
    double p[CORNERS][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    int corners = 4;
    for (int a = 0; a < 3 && corners; a++)
        for (int side = -1; side < 2 && corners; side += 2)
            corners =
                cut(corners, p, side * offset * normal[a] - 0.5, side * along[0][a], side * along[1][a]);
    section s = {0};
    double m[5] = {0};                      /* x, y, x^2, y^2, xy */
    for (int k = 1; k + 1 < corners; k++) { /* triangles */
        const double *u = p[0], *v = p[k], *w = p[k + 1];
        const double area = 0.5 * ((v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0]));
        const double sx = u[0] + v[0] + w[0], sy = u[1] + v[1] + w[1];
        s.area += area;
        m[0] += area * sx / 3;
        m[1] += area * sy / 3;
        m[2] += area * (sx * sx + u[0] * u[0] + v[0] * v[0] + w[0] * w[0]) / 12;
        m[3] += area * (sy * sy + u[1] * u[1] + v[1] * v[1] + w[1] * w[1]) / 12;
        m[4] += area * (sx * sy + u[0] * u[1] + v[0] * v[1] + w[0] * w[1]) / 12;
    }
    if (!(s.area > 1e-9)) return (section){0};
    for (int k = 0; k < 5; k++) m[k] /= s.area;
    const double xx = x * x + 2 * x * m[0] + m[2], yy = y * y + 2 * y * m[1] + m[3],
                 term[TERMS] = {1, x + m[0], y + m[1], xx + yy, xx - yy, x * y + x * m[1] + y * m[0] + m[4]};
    memcpy(s.term, term, sizeof term);
    return s;
}

/* A face between a full and an empty cell is part of the surface: return the fill level of cell k, of an
 * empty one so little that its plane is in this face. Without it, a cell would have another curvature once a
 * neighbour is a little less than empty. */
static double level_of(const double fill[RILL_AROUND], const double normal[3], int k)
{
    static const int step[3] = {1, 3, 9};
    const int x[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
    const double m[3] = {fabs(normal[0]), fabs(normal[1]), fabs(normal[2])};
    const int a = m[0] >= m[1] && m[0] >= m[2] ? 0 : m[1] >= m[2] ? 1 : 2, inward = normal[a] > 0 ? -1 : 1;
    if (fill[k] >= TOUCH || abs(x[a] + inward) > 1) return fill[k];
    const double inner = fill[k + inward * step[a]];
    return inner > 1 - TOUCH && inner <= 1 ? TOUCH : fill[k];
}

static sections sections_of(const double fill[RILL_AROUND], const double normal[3], double middle,
                            double along[2][3])
{
    sections p = {.count = 0};
    for (int k = 0; k < RILL_AROUND; k++) {
        const double level = level_of(fill, normal, k);
        if (!(level > 0 && level < 1)) continue;
        const int c[3] = {k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1};
        const double offset = rill_plic_offset(normal, level);
        double x = 0, y = 0, z = offset - middle;
        for (int a = 0; a < 3; a++) {
            x += c[a] * along[0][a];
            y += c[a] * along[1][a];
            z += c[a] * normal[a];
        }
        section *s = &p.all[p.count];
        *s = section_of(normal, along, offset, x, y);
        s->z = z;
        if (k == RILL_AROUND / 2) s->area *= OWN;
        p.count += s->area > 0;
    }
    return p;
}

/* Fit z = b[0] + b[1] x + b[2] y + b[3] (x^2 + y^2) + b[4] (x^2 - y^2) + b[5] x y to the sections. @param
 * terms behind the last @return false with too few of them */
static bool fit(const sections *p, int terms, double b[TERMS])
{
    double m[TERMS][TERMS] = {{0}};
    for (int i = 0; i < TERMS; i++) b[i] = 0;
    if (p->count < terms) return false;
    for (int k = 0; k < p->count; k++) {
        const section *s = &p->all[k];
        for (int i = 0; i < terms; i++) {
            for (int j = 0; j < terms; j++) m[i][j] += s->area * s->term[i] * s->term[j];
            b[i] += s->area * s->term[i] * s->z;
        }
    }
    if (solve(terms, m, b)) return true;
    for (int i = 0; i < TERMS; i++) b[i] = 0;
    return false;
}

/* Return the mean curvature where x = y = 0. */
static double curvature_of(const double b[TERMS])
{
    const double xx = b[3] + b[4], yy = b[3] - b[4], slopes = 1 + b[1] * b[1] + b[2] * b[2];
    const double k = xx * (1 + b[2] * b[2]) + yy * (1 + b[1] * b[1]) - b[5] * b[1] * b[2];
    return -k / (slopes * sqrt(slopes));
}

void rill_plic_film(const bool wall[RILL_AROUND], double fill[RILL_AROUND])
{
    double out[3], normal[3];
    const bool liquid = out_of(wall, out) && rill_plic_normal(fill, normal) && product(out, normal) > 0;
    for (int k = 0; k < RILL_AROUND; k++)
        if (wall[k]) fill[k] = liquid;
}

/* Of cells in the solid: no fill level of a cell that takes part. */
#define SOLID 2

void rill_plic_without(const bool wall[RILL_AROUND], double fill[RILL_AROUND])
{
    for (int k = 0; k < RILL_AROUND; k++)
        if (wall[k]) fill[k] = SOLID;
}

double rill_plic_curvature(const double fill[RILL_AROUND], const double normal[3])
{
    double b[TERMS], along[2][3];
    axes_set(normal, along);
    const sections p = sections_of(fill, normal, rill_plic_offset(normal, fill[RILL_AROUND / 2]), along);
    if (!fit(&p, TERMS, b) && !fit(&p, 4, b)) return 0; /* a quadric, else a sphere */
    return curvature_of(b);
}

/* Let a full or an empty cell in the middle take part, by the corner in which its plane is. */
static void own_point(const double fill[RILL_AROUND], const double normal[3], double along[2][3], sections *p)
{
    if (fill[RILL_AROUND / 2] > 0 && fill[RILL_AROUND / 2] < 1) return;
    section *s = &p->all[p->count++];
    double x = 0, y = 0;
    *s = (section){.area = CORNER * OWN};
    for (int a = 0; a < 3; a++) {
        const double side = fabs(normal[a]) < FLAT ? 0 : copysign(fill[RILL_AROUND / 2] - 0.5, normal[a]);
        x += side * along[0][a];
        y += side * along[1][a];
    }
    const double term[TERMS] = {1, x, y, x * x + y * y, x * x - y * y, x * y};
    memcpy(s->term, term, sizeof term);
}

double rill_plic_contact_curvature(const double fill[RILL_AROUND], const rill_contact_line *c)
{
    double b[TERMS], along[2][3];
    const double *n = c->normal, middle = rill_plic_offset(n, fill[RILL_AROUND / 2]),
                 line = -(c->height + middle * c->cosine) / c->sine; /* x of the contact line */
    for (int a = 0; a < 3; a++) along[0][a] = (c->out[a] - c->cosine * n[a]) / c->sine;
    for (int a = 0; a < 3; a++)
        along[1][a] = n[(a + 1) % 3] * along[0][(a + 2) % 3] - n[(a + 2) % 3] * along[0][(a + 1) % 3];
    sections p = sections_of(fill, n, middle, along);
    own_point(fill, n, along, &p);
    for (int k = 0; k < p.count; k++) { /* dz/dx at the line: A + 2 (C + D) line = slope */
        double *t = p.all[k].term;
        const double xx = (t[3] + t[4]) / 2, yy = (t[3] - t[4]) / 2;
        p.all[k].z -= c->slope * t[1];
        t[1] = xx - 2 * line * t[1];
        t[3] = yy;
        t[4] = t[5];
    }
    if (!fit(&p, TERMS - 1, b) && !fit(&p, TERMS - 2, b) && !fit(&p, 2, b)) return 0;
    const double whole[TERMS] = {b[0], c->slope - 2 * line * b[1], b[2], (b[1] + b[3]) / 2, (b[1] - b[3]) / 2,
                                 b[4]};
    return curvature_of(whole);
}
