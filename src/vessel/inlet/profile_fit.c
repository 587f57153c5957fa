/* SPDX-License-Identifier: Apache-2.0 */
/* Moving least squares over scattered points, and the harmonics of splines through times. */
#include "vessel/inlet/profile_fit.h"

#include "core/memory.h"
#include "core/status.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEAREST = 20,   /* points that a fit takes */
    OUTLINE = 1024, /* points of an outline, at most */
    TERMS = 7       /* 1, x, y, z, x^2, x y, y^2 */
};
#define RIDGE 1e-6 /* of the weights: slopes and curvatures that points say nothing of are 0 */

/* ---- points ---------------------------------------------------------------------------------- */

rill_status rill_fit_create(uint32_t points, rill_fit *out)
{
    rill_status status = RILL_OK;
    *out = (rill_fit){.room = points + OUTLINE};
    RILL_TRY(rill_array_create(out->room, sizeof *out->points, "points of a profile", (void **)&out->points));
    RILL_TRY(rill_array_create(out->room, sizeof *out->order, "points of a profile", (void **)&out->order));
done:
    return status;
}

void rill_fit_free(rill_fit *fit)
{
    rill_array_destroy(fit->points);
    rill_array_destroy(fit->order);
    rill_array_destroy(fit->starts);
    *fit = (rill_fit){0};
}

/* By cubes, whose numbers are in u's place while they are sorted. */
typedef struct cube {
    int64_t at[3];
    uint32_t point;
} cube;

static int by_cube(const void *a, const void *b)
{
    const cube *s = a, *t = b;
    for (int k = 0; k < 3; k++)
        if (s->at[k] != t->at[k]) return s->at[k] < t->at[k] ? -1 : 1;
    return (s->point > t->point) - (s->point < t->point);
}

rill_status rill_fit_thin(rill_fit *fit, double edge)
{
    rill_status status = RILL_OK;
    cube *cubes = NULL;
    rill_fit_point *means = NULL;
    uint32_t count = 0;
    RILL_TRY(
        rill_array_create((uint64_t)fit->count + 1, sizeof *cubes, "points of a profile", (void **)&cubes));
    RILL_TRY(rill_array_create(fit->room, sizeof *means, "points of a profile", (void **)&means));
    for (uint32_t k = 0; k < fit->count; k++) {
        for (int a = 0; a < 3; a++) cubes[k].at[a] = (int64_t)floor(fit->points[k].x[a] / edge);
        cubes[k].point = k;
    }
    qsort(cubes, fit->count, sizeof *cubes, by_cube);
    for (uint32_t k = 0; k < fit->count;) {
        rill_fit_point mean = {.still = false};
        uint32_t end = k;
        for (; end < fit->count && memcmp(cubes[end].at, cubes[k].at, sizeof cubes[k].at) == 0; end++)
            for (int a = 0; a < 3; a++) {
                mean.x[a] += fit->points[cubes[end].point].x[a];
                mean.u[a] += fit->points[cubes[end].point].u[a];
            }
        for (int a = 0; a < 3; a++) mean.x[a] /= end - k, mean.u[a] /= end - k;
        means[count++] = mean;
        k = end;
    }
    rill_array_destroy(fit->points);
    fit->points = means;
    fit->count = count;
    means = NULL;
done:
    rill_array_destroy(cubes);
    rill_array_destroy(means);
    return status;
}

void rill_fit_outline(rill_fit *fit, double (*outline)[2], uint64_t count, double apart)
{
    double whole = 0, walked = 0, next = 0;
    for (uint64_t k = 0; k < count; k++) {
        const double *a = outline[k], *b = outline[(k + 1) % count];
        whole += hypot(b[0] - a[0], b[1] - a[1]);
    }
    const double step = whole / fmin(fmax(ceil(whole / apart), 16), OUTLINE);
    for (uint64_t k = 0; k < count; k++) {
        const double *a = outline[k], *b = outline[(k + 1) % count];
        const double length = hypot(b[0] - a[0], b[1] - a[1]);
        for (; next < walked + length && fit->count < fit->room; next += step) {
            const double part = length > 0 ? (next - walked) / length : 0;
            fit->points[fit->count++] = (rill_fit_point){
                .x = {a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1]), 0}, .still = true};
        }
        walked += length;
    }
}

/* Return the cell of a place along axis d. */
static int cell_of(const rill_fit *fit, const double x[3], int d)
{
    return (int)fmin(fmax(floor((x[d] - fit->low[d]) / fit->cell), 0), fit->n[d] - 1);
}

rill_status rill_fit_sort(rill_fit *fit, const rill_profile *p, double apart)
{
    rill_status status = RILL_OK;
    fit->cell = fmax(apart, p->spacing);
    for (int d = 0; d < 2; d++) {
        fit->low[d] = p->low[d];
        fit->n[d] = (int)ceil(p->n[d] * p->spacing / fit->cell) + 1;
    }
    const size_t cells = (size_t)fit->n[0] * (size_t)fit->n[1];
    rill_array_destroy(fit->starts);
    fit->starts = NULL;
    RILL_TRY(
        rill_array_create_zero(cells + 2, sizeof *fit->starts, "points of a profile", (void **)&fit->starts));
    /* Starts are one cell ahead until all points have their place. */
    uint32_t *ahead = fit->starts + 1;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t k = 0; k < fit->count; k++) {
            const double *x = fit->points[k].x;
            const size_t c = (size_t)cell_of(fit, x, 1) * (size_t)fit->n[0] + (size_t)cell_of(fit, x, 0);
            if (pass)
                fit->order[ahead[c]++] = k;
            else
                ahead[c + 1]++;
        }
        for (size_t c = 1; c <= cells && pass == 0; c++) ahead[c] += ahead[c - 1];
    }
done:
    return status;
}

/* ---- moving least squares -------------------------------------------------------------------- */

/* The nearest points so far, by distance. */
typedef struct nearest {
    double square[NEAREST];
    uint32_t point[NEAREST];
    int count;
    double moving; /* square of the distance of the nearest one that was measured */
} nearest;

static void look_at(const rill_fit *fit, uint32_t k, const double x[3], nearest *n)
{
    double square = 0;
    for (int a = 0; a < 3; a++) square += pow(fit->points[k].x[a] - x[a], 2);
    if (!fit->points[k].still && square < n->moving) n->moving = square;
    if (n->count == NEAREST && square >= n->square[NEAREST - 1]) return;
    int at = n->count < NEAREST ? n->count++ : NEAREST - 1;
    for (; at > 0 && n->square[at - 1] > square; at--) {
        n->square[at] = n->square[at - 1];
        n->point[at] = n->point[at - 1];
    }
    n->square[at] = square;
    n->point[at] = k;
}

/* Look at cells in rings around that of x, until none further out has a nearer point. */
static void find_nearest(const rill_fit *fit, const double x[3], nearest *n)
{
    const int i = cell_of(fit, x, 0), j = cell_of(fit, x, 1),
              most = fit->n[0] > fit->n[1] ? fit->n[0] : fit->n[1];
    *n = (nearest){.moving = INFINITY};
    for (int ring = 0; ring <= most; ring++) {
        const double reached = (ring - 1) * fit->cell;
        if (n->count == NEAREST && reached > 0 && n->square[NEAREST - 1] <= reached * reached) return;
        for (int b = -ring; b <= ring; b++) {
            const int step = abs(b) == ring || ring == 0 ? 1 : 2 * ring;
            for (int a = -ring; a <= ring; a += step) {
                if (i + a < 0 || j + b < 0 || i + a >= fit->n[0] || j + b >= fit->n[1]) continue;
                const size_t c = (size_t)(j + b) * (size_t)fit->n[0] + (size_t)(i + a);
                for (uint32_t k = fit->starts[c]; k < fit->starts[c + 1]; k++)
                    look_at(fit, fit->order[k], x, n);
            }
        }
    }
}

/* Solve a symmetric positive definite system for three columns on the right, in place, by elimination. */
static void solve(double a[TERMS][TERMS], double b[TERMS][3])
{
    for (int k = 0; k < TERMS; k++)
        for (int i = k + 1; i < TERMS; i++) {
            const double part = a[i][k] / a[k][k];
            for (int j = k; j < TERMS; j++) a[i][j] -= part * a[k][j];
            for (int j = 0; j < 3; j++) b[i][j] -= part * b[k][j];
        }
    for (int k = TERMS - 1; k >= 0; k--)
        for (int j = 0; j < 3; j++) {
            for (int i = k + 1; i < TERMS; i++) b[k][j] -= a[k][i] * b[i][j];
            b[k][j] /= a[k][k];
        }
}

double rill_fit_at(const rill_fit *fit, const double x[3], double u[3])
{
    nearest n;
    double a[TERMS][TERMS] = {{0}}, b[TERMS][3] = {{0}};
    find_nearest(fit, x, &n);
    /* A little beyond the last one, whose weight would be 0. */
    const double reach = fmax(1.1 * sqrt(n.square[n.count - 1]), DBL_MIN);
    for (int k = 0; k < n.count; k++) {
        const rill_fit_point *p = &fit->points[n.point[k]];
        const double near = 1 - n.square[k] / (reach * reach), weight = near * near;
        const double dx = (p->x[0] - x[0]) / reach, dy = (p->x[1] - x[1]) / reach;
        const double terms[TERMS] = {1, dx, dy, (p->x[2] - x[2]) / reach, dx * dx, dx * dy, dy * dy};
        for (int i = 0; i < TERMS; i++) {
            for (int j = 0; j < TERMS; j++) a[i][j] += weight * terms[i] * terms[j];
            for (int j = 0; j < 3; j++) b[i][j] += weight * terms[i] * p->u[j];
        }
    }
    for (int i = 1; i < TERMS; i++) a[i][i] += RIDGE * a[0][0];
    solve(a, b);
    for (int j = 0; j < 3; j++) u[j] = b[0][j];
    return sqrt(n.moving);
}

/* ---- a plane --------------------------------------------------------------------------------- */

void rill_fit_plane_add(rill_fit_plane *p, const double x[3])
{
    if (p->count++ == 0) memcpy(p->origin, x, sizeof p->origin);
    const double z = x[2] - p->origin[2], terms[3] = {1, x[0] - p->origin[0], x[1] - p->origin[1]};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) p->square[i][j] += terms[i] * terms[j];
        p->height[i] += z * terms[i];
    }
    p->height_square += z * z;
}

double rill_fit_plane_deviation(const rill_fit_plane *p)
{
    double a[TERMS][TERMS] = {{0}}, b[TERMS][3] = {{0}};
    const double size = sqrt((p->square[1][1] + p->square[2][2]) / (double)p->count);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) a[i][j] = p->square[i][j];
        a[i][i] += i ? RIDGE * RIDGE * (double)p->count * fmax(size * size, DBL_MIN) : 0;
        b[i][0] = p->height[i];
    }
    for (int i = 3; i < TERMS; i++) a[i][i] = 1;
    solve(a, b);
    double left = p->height_square;
    for (int i = 0; i < 3; i++) left -= b[i][0] * p->height[i];
    return sqrt(fmax(left, 0) / (double)p->count);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* Add the parts of the spline with the second derivatives `bend` that is 1 at one time and 0 at the others.
 */
static void add_parts(const rill_waveform *w, const double *bend, int fields, double complex *parts)
{
    const double omega = 2 * M_PI / w->period;
    for (uint32_t j = 0; j < w->count; j++) {
        const double h = w->time[j + 1] - w->time[j];
        parts[0] +=
            (h * (w->value[j] + w->value[j + 1]) / 2 - h * h * h * (bend[j] + bend[j + 1]) / 24) / w->period;
    }
    for (uint32_t j = 0; j < w->count; j++) {
        /* The fourth derivative is a jump of the third at each time. */
        const uint32_t before = (j + w->count - 1) % w->count;
        const double jump = (bend[j + 1] - bend[j]) / (w->time[j + 1] - w->time[j]) -
                            (bend[before + 1] - bend[before]) / (w->time[before + 1] - w->time[before]);
        for (int k = 1; k < fields; k++)
            parts[k] += 2 * jump / w->period * cexp(-I * (k * omega * w->time[j])) / pow(k * omega, 4);
    }
}

rill_status rill_fit_times(const rill_velocities *v, int fields, double complex *parts)
{
    rill_status status = RILL_OK;
    rill_waveform w = {.period = v->period, .count = v->frames};
    double *bend = NULL;
    memset(parts, 0, (size_t)v->frames * (size_t)fields * sizeof *parts);
    if (v->frames == 1) {
        parts[0] = 1;
        return RILL_OK;
    }
    const uint64_t size = (uint64_t)v->frames + 1;
    RILL_TRY(rill_array_create_zero(size, sizeof *w.time, "times of a profile", (void **)&w.time));
    RILL_TRY(rill_array_create_zero(size, sizeof *w.value, "times of a profile", (void **)&w.value));
    RILL_TRY(rill_array_create_zero(size, sizeof *bend, "times of a profile", (void **)&bend));
    memcpy(w.time, v->times, v->frames * sizeof *w.time);
    w.time[v->frames] = v->period;
    for (uint32_t k = 0; k < v->frames; k++) {
        w.value[k] = 1;
        if (k == 0) w.value[v->frames] = 1;
        RILL_TRY(rill_waveform_bend(&w, bend));
        add_parts(&w, bend, fields, parts + (size_t)k * (size_t)fields);
        w.value[k] = w.value[v->frames] = 0;
    }
done:
    rill_array_destroy(w.time);
    rill_array_destroy(w.value);
    rill_array_destroy(bend);
    return status;
}
