/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at an inlet's profile over a cycle, and keeps as much of it as does not flow out too fast. */
#include "vessel/observe/kept.h"

#include "core/memory.h"
#include "core/status.h"
#include "vessel/inlet/profile.h"

#include <math.h>
#include <string.h>

enum {
    MOMENTS = RILL_KEPT_MOMENTS,
    AROUND =
        MOMENTS / 64, /* moments before and after that count for one: what is kept changes over as many */
    STRIDE = 2        /* grid points of the profile */
};

/* Harmonic k rotates by `turns`[k × moment % MOMENTS]. */
static void make_turns(double complex *turns)
{
    for (int j = 0; j < MOMENTS; j++) turns[j] = cexp(2 * M_PI * I * j / MOMENTS);
}

static double complex amplitude(const rill_harmonics *h, int k)
{
    return k == 0 ? h->mean : h->cosine[k] - I * h->sine[k];
}

/* Return the complex velocity of a harmonic of the whole profile at a point of its grid. Measured profiles
 * are as they are, and what they lack of the flow goes with that of the mean. */
static double complex velocity(const rill_profile *p, const rill_harmonics *flow, double area, size_t all,
                               size_t point, int k)
{
    const double complex a = k <= flow->count ? amplitude(flow, k) : 0;
    const bool has = k < p->count;
    if (!p->own) return a / area * p->fields[(size_t)(has ? k : 0) * all + point];
    if (k == 0 || !has) return a / area * p->fields[point];
    return (a - p->own[k]) / area * p->fields[point] + p->fields[(size_t)k * all + point];
}

/* Add the velocity of the whole profile at a point of its grid to `u`, for each moment. */
static void add_velocities(const rill_profile *p, const rill_harmonics *flow, double area, size_t point,
                           const double complex *turns, double *u)
{
    const size_t all = (size_t)p->n[0] * (size_t)p->n[1];
    const int last = p->own && p->count - 1 > flow->count ? p->count - 1 : flow->count;
    for (int k = 0; k <= last; k++) {
        const double complex a = velocity(p, flow, area, all, point, k);
        for (int j = 0; j < MOMENTS; j++) {
            const double complex turn = turns[k * j % MOMENTS];
            u[j] += creal(a) * creal(turn) - cimag(a) * cimag(turn);
        }
    }
}

/* Lower what is kept so that the sum of both profiles does not flow out faster than the limit. */
static void lower(const double *whole, const double *flat, double limit, rill_kept *out)
{
    for (int j = 0; j < MOMENTS; j++) {
        out->outward = fmax(out->outward, -whole[j]);
        if (-whole[j] <= limit || whole[j] >= flat[j]) continue;
        out->part[j] = fmin(out->part[j], fmax((limit + flat[j]) / (flat[j] - whole[j]), 0));
    }
}

/* Take the least around each moment, then twice the mean of as many: never more than was there, and smooth.
 */
static void smooth(double *part)
{
    double least[MOMENTS], once[MOMENTS];
    for (int j = 0; j < MOMENTS; j++) {
        least[j] = 1;
        for (int d = -AROUND; d <= AROUND; d++) least[j] = fmin(least[j], part[(j + d + MOMENTS) % MOMENTS]);
    }
    for (int round = 0; round < 2; round++) {
        const double *from = round ? once : least;
        double *to = round ? part : once;
        for (int j = 0; j < MOMENTS; j++) {
            double sum = 0;
            for (int d = -AROUND / 2; d <= AROUND / 2; d++) sum += from[(j + d + MOMENTS) % MOMENTS];
            to[j] = sum / (AROUND / 2 * 2 + 1);
        }
    }
}

rill_status rill_kept_find(const rill_profile *p, const rill_harmonics *flow, double area, double limit,
                           rill_kept *out)
{
    rill_status status = RILL_OK;
    double complex *turns = NULL;
    double flat[MOMENTS], whole[MOMENTS];
    *out = (rill_kept){.least = 1};
    for (int j = 0; j < MOMENTS; j++) {
        out->part[j] = 1;
        flat[j] = flow->omega > 0 ? rill_harmonics_at(flow, 2 * M_PI / flow->omega * j / MOMENTS) / area
                                  : flow->mean / area;
        out->reversed = fmax(out->reversed, -flat[j]);
    }
    out->outward = out->reversed;
    /* Developed steady flow does not reverse. */
    if (!p->fields || (!(flow->omega > 0) && !p->own)) return RILL_OK;
    RILL_TRY(rill_array_create(MOMENTS, sizeof *turns, "a profile", (void **)&turns));
    make_turns(turns);
    for (int y = 0; y < p->n[1]; y += STRIDE)
        for (int x = 0; x < p->n[0]; x += STRIDE) {
            const size_t point = (size_t)y * (size_t)p->n[0] + (size_t)x;
            const double at[2] = {p->low[0] + x * p->spacing, p->low[1] + y * p->spacing};
            const bool beyond = p->own ? !rill_profile_inside(p, at) : !(creal(p->fields[point]) > 0);
            if (beyond) continue; /* the outline */
            memset(whole, 0, sizeof whole);
            add_velocities(p, flow, area, point, turns, whole);
            lower(whole, flat, limit, out);
        }
    if (out->outward <= limit) goto done;
    smooth(out->part);
    out->omega = flow->omega;
    for (int j = 0; j < MOMENTS; j++) {
        if (out->part[j] >= out->least) continue;
        out->least = out->part[j];
        out->when = flow->omega > 0 ? 2 * M_PI / flow->omega * j / MOMENTS : 0;
    }
done:
    rill_array_destroy(turns);
    return status;
}

double rill_kept_at(const rill_kept *kept, double time)
{
    if (!(kept->omega > 0)) return kept->part[0];
    double at = fmod(kept->omega * time / (2 * M_PI), 1) * MOMENTS;
    if (at < 0) at += MOMENTS;
    const int j = (int)at % MOMENTS;
    return kept->part[j] + (at - floor(at)) * (kept->part[(j + 1) % MOMENTS] - kept->part[j]);
}
