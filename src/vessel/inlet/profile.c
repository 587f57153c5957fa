/* SPDX-License-Identifier: Apache-2.0 */
/* Developed flow through an outline: the grid, the equations, and what lies between grid points. */
#include "vessel/inlet/profile.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    ACROSS = 112, /* grid spacings along the longer side of the outline */
    CIRCLE = 256, /* corners of the polygon that stands for a circle */
    ROUNDS = 4000 /* of the solver, at most */
};
#define NEAR 1e-3      /* least distance to the outline, in spacings */
#define RESIDUAL 1e-10 /* of the solver, relative */

/* A grid point inside the outline, and its four neighbours: to -x, +x, -y, +y. */
typedef struct point {
    int at;          /* on the grid */
    int beside[4];   /* number of the point there; -1: the outline is in between */
    double reach[4]; /* distance to the outline there, in spacings, (0, 1] */
} point;

typedef struct solver {
    rill_profile *p;
    point *points;
    int count;
    int *number; /* [n[1]][n[0]], -1 outside */
    double complex *work;
} solver;

/* ---- the outline ----------------------------------------------------------------------------- */

static void plane_axes(rill_profile *p, const double normal[3])
{
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(normal[a]) < fabs(normal[least])) least = a;
    double along = normal[least], length = 0, *e = p->axes[0], *f = p->axes[1];
    for (int a = 0; a < 3; a++) e[a] = (a == least) - along * normal[a];
    for (int a = 0; a < 3; a++) length += e[a] * e[a];
    for (int a = 0; a < 3; a++) e[a] /= sqrt(length);
    for (int a = 0; a < 3; a++)
        f[a] = normal[(a + 1) % 3] * e[(a + 2) % 3] - normal[(a + 2) % 3] * e[(a + 1) % 3];
}

void rill_profile_to_plane(const rill_profile *p, const double x[3], double out[2])
{
    for (int k = 0; k < 2; k++) {
        out[k] = 0;
        for (int a = 0; a < 3; a++) out[k] += (x[a] - p->centre[a]) * p->axes[k][a];
    }
}

/* The opening's own outline, or the circle of its area. */
static rill_status lay_outline(rill_profile *p, rill_profile_kind kind, const rill_opening *o)
{
    const bool own = kind == RILL_PROFILE_FITTED;
    if (own && !o->outline)
        return rill_fail(
            RILL_USAGE,
            "the geometry does not have the outline of %s: make it again with `rill voxelize`, or choose the profile parabolic",
            o->name);
    p->outline_count = own ? o->outline_count : CIRCLE;
    const rill_status status =
        rill_array_create(p->outline_count, sizeof *p->outline, "a profile", (void **)&p->outline);
    if (status != RILL_OK) return status;
    /* The polygon itself has the area. */
    const double turn = 2 * M_PI / CIRCLE, r = sqrt(2 * o->area / (CIRCLE * sin(turn)));
    for (uint64_t k = 0; k < p->outline_count; k++) {
        if (own)
            rill_profile_to_plane(p, o->outline[k], p->outline[k]);
        else {
            p->outline[k][0] = r * cos(turn * (double)k);
            p->outline[k][1] = r * sin(turn * (double)k);
        }
    }
    return RILL_OK;
}

bool rill_profile_inside(const rill_profile *p, const double x[2])
{
    bool in = false;
    for (uint64_t k = 0, l = p->outline_count - 1; k < p->outline_count; l = k++) {
        const double *a = p->outline[k], *b = p->outline[l];
        if ((a[1] > x[1]) != (b[1] > x[1]) && x[0] < (b[0] - a[0]) * (x[1] - a[1]) / (b[1] - a[1]) + a[0])
            in = !in;
    }
    return in;
}

/* Return how far the outline is from x along axis d, in spacings up to 1. */
static double reach(const rill_profile *p, const double x[2], int d, int sign)
{
    double least = p->spacing;
    const int e = 1 - d;
    for (uint64_t k = 0, l = p->outline_count - 1; k < p->outline_count; l = k++) {
        const double *a = p->outline[k], *b = p->outline[l];
        if ((a[e] > x[e]) == (b[e] > x[e])) continue;
        const double cross = a[d] + (b[d] - a[d]) * (x[e] - a[e]) / (b[e] - a[e]),
                     away = sign * (cross - x[d]);
        if (away >= 0 && away < least) least = away;
    }
    return fmax(least / p->spacing, NEAR);
}

/* ---- the grid -------------------------------------------------------------------------------- */

static void place(const rill_profile *p, int at, double x[2])
{
    x[0] = p->low[0] + at % p->n[0] * p->spacing;
    x[1] = p->low[1] + at / p->n[0] * p->spacing;
}

static void choose_grid(rill_profile *p, int across)
{
    double high[2] = {-INFINITY, -INFINITY};
    p->low[0] = p->low[1] = INFINITY;
    for (uint64_t k = 0; k < p->outline_count; k++)
        for (int d = 0; d < 2; d++) {
            p->low[d] = fmin(p->low[d], p->outline[k][d]);
            high[d] = fmax(high[d], p->outline[k][d]);
        }
    p->spacing = fmax(high[0] - p->low[0], high[1] - p->low[1]) / across;
    for (int d = 0; d < 2; d++) {
        p->n[d] = (int)ceil((high[d] - p->low[d]) / p->spacing) + 3;
        p->low[d] = (p->low[d] + high[d] - (p->n[d] - 1) * p->spacing) / 2;
    }
}

rill_status rill_profile_lay(rill_profile *p, rill_profile_kind kind, const rill_opening *o, int across)
{
    memcpy(p->centre, o->centre, sizeof p->centre);
    plane_axes(p, o->normal);
    if (kind == RILL_PROFILE_FLAT) return RILL_OK;
    const rill_status status = lay_outline(p, kind, o);
    if (status == RILL_OK) choose_grid(p, across);
    return status;
}

static rill_status make_points(solver *s)
{
    rill_status status = RILL_OK;
    rill_profile *p = s->p;
    const int all = p->n[0] * p->n[1], step[4] = {-1, 1, -p->n[0], p->n[0]};
    RILL_TRY(rill_array_create((uint64_t)all, sizeof *s->number, "a profile", (void **)&s->number));
    RILL_TRY(rill_array_create((uint64_t)all, sizeof *s->points, "a profile", (void **)&s->points));
    for (int at = 0; at < all; at++) {
        double x[2];
        place(p, at, x);
        s->number[at] = rill_profile_inside(p, x) ? s->count : -1;
        if (s->number[at] >= 0) s->points[s->count++].at = at;
    }
    for (int k = 0; k < s->count; k++) {
        point *here = &s->points[k];
        double x[2];
        place(p, here->at, x);
        for (int d = 0; d < 4; d++) {
            here->beside[d] = s->number[here->at + step[d]];
            here->reach[d] = here->beside[d] >= 0 ? 1 : reach(p, x, d / 2, d % 2 ? 1 : -1);
        }
    }
    RILL_TRY(rill_array_create(6 * (uint64_t)s->count, sizeof *s->work, "a profile", (void **)&s->work));
    if (s->count == 0)
        status = rill_fail(RILL_USAGE, "an opening's outline encloses nothing: look at the surface");
done:
    return status;
}

/* ---- the equations --------------------------------------------------------------------------- */

/* A product without the cases of infinities and NaN that C requires, which take longer than the rest. */
static double complex times(double complex a, double complex b)
{
    return creal(a) * creal(b) - cimag(a) * cimag(b) + I * (creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Find the diagonal of A, and 1 over it. @param shift  i omega h^2 / nu */
static void diagonals(const solver *s, double complex shift, double complex *diagonal,
                      double complex *inverse)
{
    for (int k = 0; k < s->count; k++) {
        double sum = 0;
        for (int d = 0; d < 4; d++) sum += 1 / s->points[k].reach[d];
        diagonal[k] = sum + shift;
        inverse[k] = 1 / diagonal[k];
    }
}

/* out = A u */
static void apply(const solver *s, const double complex *diagonal, const double complex *u,
                  double complex *out)
{
    for (int k = 0; k < s->count; k++) {
        const point *p = &s->points[k];
        double complex sum = times(diagonal[k], u[k]);
        for (int d = 0; d < 4; d++)
            if (p->beside[d] >= 0) sum -= u[p->beside[d]];
        out[k] = sum;
    }
}

static double complex product(int n, const double complex *a, const double complex *b)
{
    double complex sum = 0;
    for (int k = 0; k < n; k++)
        sum += times(a[k], b[k]); /* no conjugate: the matrix is symmetric, not Hermitian */
    return sum;
}

static double size(int n, const double complex *a)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += creal(a[k]) * creal(a[k]) + cimag(a[k]) * cimag(a[k]);
    return sqrt(sum);
}

/* Solve A u = 1 with the diagonal as preconditioner, u starting from what it holds. */
static rill_status solve(const solver *s, double complex shift, double complex *u)
{
    const int n = s->count;
    double complex *r = s->work, *z = r + n, *q = z + n, *a = q + n, *diagonal = a + n,
                   *inverse = diagonal + n;
    diagonals(s, shift, diagonal, inverse);
    apply(s, diagonal, u, a);
    for (int k = 0; k < n; k++) r[k] = 1 - a[k];
    double complex before = 0;
    for (int round = 0; round < ROUNDS; round++) {
        if (size(n, r) <= RESIDUAL * sqrt(n)) return RILL_OK;
        for (int k = 0; k < n; k++) z[k] = times(r[k], inverse[k]);
        const double complex now = product(n, r, z), part = round ? now / before : 0;
        for (int k = 0; k < n; k++) q[k] = round ? z[k] + times(part, q[k]) : z[k];
        apply(s, diagonal, q, a);
        const double complex along = now / product(n, q, a);
        for (int k = 0; k < n; k++) {
            u[k] += times(along, q[k]);
            r[k] -= times(along, a[k]);
        }
        before = now;
    }
    return rill_fail(RILL_NUMERICS, "the profile of an opening did not converge within %d rounds", ROUNDS);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Carry a field on across the outline, where it is 0, to the grid points just beyond. */
static void carry_on(const solver *s, double complex *field)
{
    const rill_profile *p = s->p;
    const int step[4] = {-1, 1, -p->n[0], p->n[0]}, all = p->n[0] * p->n[1];
    for (int at = 0; at < all; at++) {
        double complex sum = 0;
        int count = 0;
        if (s->number[at] >= 0) continue;
        for (int d = 0; d < 4; d++) {
            const int from = at - step[d];
            if (from < 0 || from >= all || s->number[from] < 0) continue;
            const point *here = &s->points[s->number[from]];
            const double away = here->reach[d];
            const int behind = here->beside[d ^ 1];
            /* From the nearest point, or, where that stands on the outline, from the one behind it. */
            sum += away > 0.25 || behind < 0 ? -field[from] * (1 - away) / fmax(away, 0.25)
                                             : -field[s->points[behind].at] * (1 - away) / (1 + away);
            count++;
        }
        if (count) field[at] = sum / count;
    }
}

/* Return the integral of a field over the section, m2 times its unit: cells that the outline cuts count as
 * their field, which is 0 at it, shows it. */
static double complex integral(const solver *s, const double complex *u)
{
    double complex sum = 0;
    for (int k = 0; k < s->count; k++) {
        const point *p = &s->points[k];
        double width[2] = {0, 0};
        for (int d = 0; d < 4; d++) /* half a cell, or a triangle up to the outline */
            width[d / 2] += p->beside[d] >= 0 ? 0.5 : 0.5 * p->reach[d];
        sum += u[k] * width[0] * width[1];
    }
    return sum * s->p->spacing * s->p->spacing;
}

static rill_status make_fields(solver *s, double nu, const double *omega, double area)
{
    rill_status status = RILL_OK;
    rill_profile *p = s->p;
    double complex *u = NULL;
    const size_t all = (size_t)p->n[0] * (size_t)p->n[1];
    int top = 0;
    RILL_TRY(rill_array_create_zero((uint64_t)s->count, sizeof *u, "a profile", (void **)&u));
    RILL_TRY(rill_array_create_zero(all * (uint64_t)p->count, sizeof *p->fields, "a profile",
                                    (void **)&p->fields));
    for (int f = 0; f < p->count; f++) {
        double complex *field = p->fields + (size_t)f * all;
        RILL_TRY(solve(s, I * omega[f] * p->spacing * p->spacing / nu, u));
        const double complex mean = integral(s, u) / area;
        if (f == 0)
            p->conductance = creal(mean) * p->spacing * p->spacing; /* solved on a grid of unit edges */
        for (int k = 0; k < s->count; k++) {
            field[s->points[k].at] = u[k] / mean;
            if (f == 0 && creal(u[k]) > creal(u[top])) top = k;
        }
        p->peak[f] = field[s->points[top].at];
        carry_on(s, field);
    }
done:
    rill_array_destroy(u);
    return status;
}

rill_status rill_profile_create(rill_profile_kind kind, const rill_opening *o, double nu, const double *omega,
                                int count, rill_profile **out)
{
    rill_status status = RILL_OK;
    solver s = {.p = calloc(1, sizeof *s.p)};
    rill_profile *p = s.p;
    if (!p) return rill_fail(RILL_SYSTEM, "out of memory for a profile");
    p->count = count;
    RILL_TRY(rill_profile_lay(p, kind, o, ACROSS));
    RILL_TRY(rill_array_create((uint64_t)count, sizeof *p->peak, "a profile", (void **)&p->peak));
    for (int k = 0; k < count; k++) p->peak[k] = 1;
    if (kind != RILL_PROFILE_FLAT) {
        RILL_TRY(make_points(&s));
        RILL_TRY(make_fields(&s, nu, omega, o->area));
    }
    *out = p;
    p = NULL;
done:
    rill_array_destroy(s.points);
    rill_array_destroy(s.number);
    rill_array_destroy(s.work);
    rill_profile_destroy(p);
    return status;
}

uint64_t rill_profile_bytes(const rill_profile *p)
{
    const uint64_t fields = (p->fields ? 1 : 0) + (p->vectors ? 3 : 0);
    return fields * (uint64_t)(p->made ? p->made : p->count) * (uint64_t)p->n[0] * (uint64_t)p->n[1] *
           sizeof *p->fields;
}

void rill_profile_destroy(rill_profile *p)
{
    if (!p) return;
    rill_array_destroy(p->fields);
    rill_array_destroy(p->peak);
    rill_array_destroy(p->outline);
    rill_array_destroy(p->vectors);
    rill_array_destroy(p->own);
    rill_waveform_destroy(p->wave);
    free(p);
}

/* The four grid points around a place, and the parts of the way between them. */
typedef struct spot {
    size_t first; /* of the lower two, on the grid */
    double part[2];
} spot;

/* @return false outside the outline */
static bool find_spot(const rill_profile *p, const double x[3], spot *out)
{
    double at[2];
    int cell[2];
    rill_profile_to_plane(p, x, at);
    if (!rill_profile_inside(p, at)) return false;
    for (int d = 0; d < 2; d++) {
        const double steps = (at[d] - p->low[d]) / p->spacing;
        cell[d] = (int)fmin(fmax(floor(steps), 0), p->n[d] - 2);
        out->part[d] = steps - cell[d];
    }
    out->first = (size_t)cell[1] * (size_t)p->n[0] + (size_t)cell[0];
    return true;
}

static double complex between(const rill_profile *p, const double complex *field, const spot *at)
{
    const double *part = at->part;
    field += at->first;
    return (1 - part[1]) * ((1 - part[0]) * field[0] + part[0] * field[1]) +
           part[1] * ((1 - part[0]) * field[p->n[0]] + part[0] * field[p->n[0] + 1]);
}

double complex rill_profile_at(const rill_profile *p, int k, const double x[3])
{
    spot at;
    if (!p->fields) return 1;
    if (!find_spot(p, x, &at)) return 0;
    return between(p, p->fields + (size_t)k * (size_t)p->n[0] * (size_t)p->n[1], &at);
}

void rill_profile_vector_at(const rill_profile *p, int k, const double x[3], double complex out[3])
{
    spot at;
    const size_t all = (size_t)p->n[0] * (size_t)p->n[1];
    const bool in = find_spot(p, x, &at);
    for (size_t a = 0; a < 3; a++) out[a] = in ? between(p, p->vectors + (3 * (size_t)k + a) * all, &at) : 0;
}
