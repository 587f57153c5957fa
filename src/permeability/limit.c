/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file limit.c
 * Fits sums of exponentials to the tail of a series by variable projection: the linear coefficients
 * are eliminated by orthogonalisation, the one or two decay times are searched for.
 * @see Golub & Pereyra (1973), doi:10.1137/0710036; Nelder & Mead (1965), doi:10.1093/comjnl/7.4.308
 */
#include "permeability/limit.h"

#include <math.h>
#include <string.h>

enum {
    BLOCKS = 32, /* a window is averaged into 32…63 blocks */
    GRID = 16,   /* decay times tried before the search is refined */
    FIRST = 32,  /* samples before the first prediction */
    TERMS = RILL_LIMIT_TERMS
};

/* Fraction of the series that a window leaves out, and the decay times looked for, in windows. */
#define SKIPPED 0.6
#define EFOLD_MIN 0.02
#define EFOLD_MAX 3.0
/* Two decay times closer than this ratio are one. */
#define EFOLD_RATIO 1.25
/* An e-folding time beyond this part of the window has not been seen, only guessed. */
#define EFOLD_SEEN 1.5
/* In that case so many times the change over the window may still come. */
#define UNSEEN 20
/* Predictions must reach back to step / HISTORY_RATIO, and those since then count for the uncertainty. */
#define HISTORY_RATIO 1.5
/* A series that moves by less than this part of itself stands still, whatever times are fitted to its noise.
 */
#define STILL 1e-6
/* Part of the extrapolated distance that is counted as uncertain. */
#define EXTRAPOLATION 0.02

/* The tail of a series: block averages y[i] at times (i + 1/2)/n in units of the window. */
typedef struct window {
    double y[2 * BLOCKS];
    int n;
    double length; /* steps */
    double range;  /* largest minus smallest block */
} window;

/* y = value + Σ amplitude exp(-t/efold), times in units of the window. */
typedef struct fit {
    double value, amplitude[TERMS], efold[TERMS];
    double residual; /* root mean square */
} fit;

static void window_take(const rill_limit *limit, double skipped, window *out)
{
    int first = (int)(skipped * limit->count), samples = limit->count - first;
    int block = samples / BLOCKS;
    out->n = samples / block;
    first = limit->count - out->n * block;
    out->length = (double)(out->n * block) * (double)limit->every;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < out->n; i++) {
        double sum = 0;
        for (int s = 0; s < block; s++) sum += limit->values[first + i * block + s];
        out->y[i] = sum / block;
        low = fmin(low, out->y[i]);
        high = fmax(high, out->y[i]);
    }
    out->range = high - low;
}

/* Least squares for the constant and the amplitudes at given decay times, by modified Gram-Schmidt. */
static double project(const window *w, const double *efold, int terms, double *value, double *amplitude)
{
    double q[TERMS + 1][2 * BLOCKS], r[TERMS + 1][TERMS + 2], y[2 * BLOCKS];
    memcpy(y, w->y, sizeof y);
    for (int j = 0; j <= terms; j++) {
        for (int i = 0; i < w->n; i++) q[j][i] = j ? exp(-(i + 0.5) / (w->n * efold[j - 1])) : 1;
        double before = 0, norm = 0;
        for (int i = 0; i < w->n; i++) before += q[j][i] * q[j][i];
        for (int p = 0; p < j; p++) {
            double dot = 0;
            for (int i = 0; i < w->n; i++) dot += q[p][i] * q[j][i];
            for (int i = 0; i < w->n; i++) q[j][i] -= dot * q[p][i];
            r[p][j] = dot;
        }
        for (int i = 0; i < w->n; i++) norm += q[j][i] * q[j][i];
        if (norm <= 1e-24 * before) return INFINITY;
        r[j][j] = sqrt(norm);
        for (int i = 0; i < w->n; i++) q[j][i] /= r[j][j];
        double dot = 0;
        for (int i = 0; i < w->n; i++) dot += q[j][i] * y[i];
        for (int i = 0; i < w->n; i++) y[i] -= dot * q[j][i];
        r[j][terms + 1] = dot;
    }
    double square = 0, x[TERMS + 1] = {0};
    for (int i = 0; i < w->n; i++) square += y[i] * y[i];
    for (int j = terms; j >= 0; j--) {
        x[j] = r[j][terms + 1];
        for (int p = j + 1; p <= terms; p++) x[j] -= r[j][p] * x[p];
        x[j] /= r[j][j];
    }
    *value = x[0];
    for (int j = 0; j < TERMS; j++) amplitude[j] = j < terms ? x[j + 1] : 0;
    return square;
}

/* Sum of squares at the decay times exp(x[0]) and exp(x[0] - x[1]); infinite outside the limits. */
static double misfit(const window *w, const double *x, int terms)
{
    double efold[TERMS] = {exp(x[0]), terms > 1 ? exp(x[0] - x[1]) : 0}, value, amplitude[TERMS];
    if (!(efold[0] <= EFOLD_MAX && efold[terms - 1] >= EFOLD_MIN)) return INFINITY;
    if (terms > 1 && !(x[1] >= log(EFOLD_RATIO))) return INFINITY;
    return project(w, efold, terms, &value, amplitude);
}

/* Corners of a search and the misfit there. */
typedef struct simplex {
    double p[TERMS + 1][TERMS], f[TERMS + 1];
    int terms;
} simplex;

/* Move the worst corner through (by < 0) or towards the centre of the others; keep it there if that is
 * better. */
static double simplex_move(const window *w, simplex *s, int worst, double by)
{
    double trial[TERMS] = {0};
    for (int d = 0; d < s->terms; d++) {
        double centre = 0;
        for (int i = 0; i <= s->terms; i++) centre += i == worst ? 0 : s->p[i][d] / s->terms;
        trial[d] = centre + by * (s->p[worst][d] - centre);
    }
    double f = misfit(w, trial, s->terms);
    if (f < s->f[worst]) {
        s->f[worst] = f;
        memcpy(s->p[worst], trial, sizeof trial);
    }
    return f;
}

/* Nelder-Mead in one or two dimensions, from x with edges of `step`. */
static void refine(const window *w, double *x, int terms, double step)
{
    simplex s = {.terms = terms}; /* zero beyond `terms` */
    for (int i = 0; i <= terms; i++) {
        for (int d = 0; d < terms; d++) s.p[i][d] = x[d] + (i == d + 1 ? step : 0);
        s.f[i] = misfit(w, s.p[i], terms);
    }
    int best = 0;
    for (int round = 0; round < 80; round++) {
        int worst = 0, second = 0;
        for (int i = 1; i <= terms; i++) {
            if (s.f[i] < s.f[best]) best = i;
            if (s.f[i] >= s.f[worst]) worst = i;
        }
        for (int i = 0; i <= terms; i++)
            if (i != worst && (second == worst || s.f[i] > s.f[second])) second = i;
        double width = 0;
        for (int d = 0; d < terms; d++) width = fmax(width, fabs(s.p[worst][d] - s.p[best][d]));
        if (width < 1e-6) break;
        double before = s.f[worst], f = simplex_move(w, &s, worst, -1);
        if (f <= s.f[best]) {
            simplex_move(w, &s, worst, 2);
        } else if (f >= s.f[second] && !(simplex_move(w, &s, worst, 0.5) < before)) {
            for (int i = 0; i <= terms; i++) {
                if (i == best) continue;
                for (int d = 0; d < terms; d++) s.p[i][d] = 0.5 * (s.p[i][d] + s.p[best][d]);
                s.f[i] = misfit(w, s.p[i], terms);
            }
        }
    }
    for (int i = 0; i <= terms; i++)
        if (s.f[i] < s.f[best]) best = i;
    memcpy(x, s.p[best], (size_t)terms * sizeof *x);
}

/* Fit one or two exponentials. */
static void fit_window(const window *w, int terms, fit *out)
{
    const double ratio = pow(EFOLD_MAX / EFOLD_MIN, 1.0 / (GRID - 1));
    double x[TERMS] = {0}, best = INFINITY;
    for (int i = 0; i < GRID; i++)
        for (int j = terms > 1 ? 2 : 0; j < (terms > 1 ? i + 1 : 1); j++) {
            double trial[TERMS] = {log(EFOLD_MIN) + i * log(ratio), j * log(ratio)};
            double value = misfit(w, trial, terms);
            if (value < best) best = value, x[0] = trial[0], x[1] = trial[1];
        }
    refine(w, x, terms, -0.5 * log(ratio));
    out->efold[0] = exp(x[0]);
    out->efold[1] = terms > 1 ? exp(x[0] - x[1]) : 0;
    out->residual = sqrt(project(w, out->efold, terms, &out->value, out->amplitude) / w->n);
}

/* The better of the two fits: two exponentials only when one leaves clearly more over. */
static fit fit_best(const window *w, double *other)
{
    fit one, two;
    fit_window(w, 1, &one);
    fit_window(w, 2, &two);
    bool single = !(one.residual > 2 * two.residual);
    *other = single ? two.value : one.value;
    return single ? one : two;
}

/* Add a prediction; the older half is thinned out when there are too many. */
static void remember(rill_limit *limit, double value)
{
    if (limit->predicted == RILL_LIMIT_PREDICTIONS) {
        limit->predicted = RILL_LIMIT_PREDICTIONS / 2;
        memmove(limit->predictions, limit->predictions + RILL_LIMIT_PREDICTIONS / 2,
                sizeof limit->predictions / 2);
    }
    limit->predictions[limit->predicted].step = (double)rill_limit_step(limit);
    limit->predictions[limit->predicted++].value = value;
}

static void predict(rill_limit *limit)
{
    window w;
    double other, now = limit->values[limit->count - 1], step = (double)rill_limit_step(limit);
    window_take(limit, SKIPPED, &w);
    fit best = fit_best(&w, &other);
    remember(limit, best.value);

    double moved = 0, most = 0; /* the second largest and the largest distance: one wild fit may be wrong */
    bool enough = false;        /* predictions reach back to step / HISTORY_RATIO */
    for (int i = limit->predicted - 1; i >= 0 && !enough; i--) {
        const double distance = fabs(limit->predictions[i].value - best.value);
        moved = fmax(moved, fmin(most, distance));
        most = fmax(most, distance);
        enough = limit->predictions[i].step <= step / HISTORY_RATIO;
    }
    const bool still = w.range <= STILL * fabs(best.value);
    /* What stands still already came there before the window, to within STILL. */
    const double came = limit->estimate.efold > 0 ? limit->estimate.efold : (step - w.length) / -log(STILL);
    const double efold = still ? came : best.efold[0] * w.length;
    double uncertainty = 2 * moved + EXTRAPOLATION * fabs(best.value - now) + 2 * best.residual;
    if (best.efold[0] > EFOLD_SEEN) uncertainty += UNSEEN * w.range;
    limit->estimate = (rill_limit_estimate){
        .value = best.value, .uncertainty = enough ? uncertainty : INFINITY, .efold = efold};
    const double last =
        1 - 0.5 * (double)limit->every / w.length; /* samples lie in the middle of their steps */
    for (int j = 0; j < TERMS && best.efold[j] > 0; j++) {
        limit->estimate.terms[j].amplitude = best.amplitude[j] * exp(-last / best.efold[j]);
        limit->estimate.terms[j].efold = best.efold[j] * w.length;
    }
}

void rill_limit_init(rill_limit *limit, uint64_t every)
{
    memset(limit, 0, sizeof *limit);
    limit->every = every ? every : 1;
    limit->finite = true;
    limit->estimate = (rill_limit_estimate){.value = NAN, .uncertainty = INFINITY};
}

double rill_limit_after(const rill_limit_estimate *estimate, double steps)
{
    double value = estimate->value;
    for (int j = 0; j < TERMS; j++)
        if (estimate->terms[j].efold > 0)
            value += estimate->terms[j].amplitude * exp(-steps / estimate->terms[j].efold);
    return value;
}

uint64_t rill_limit_step(const rill_limit *limit) { return (uint64_t)limit->count * limit->every; }

void rill_limit_push(rill_limit *limit, double value)
{
    if (!isfinite(value)) limit->finite = false;
    if (!limit->finite) {
        limit->estimate = (rill_limit_estimate){.value = NAN, .uncertainty = INFINITY};
        return;
    }
    limit->values[limit->count++] = value;
    if (limit->count == RILL_LIMIT_SAMPLES) {
        limit->count /= 2;
        for (int i = 0; i < limit->count; i++) limit->values[i] = limit->values[2 * i + 1];
        limit->every *= 2;
        limit->evaluated /= 2;
    }
    if (limit->predicted == 0) limit->estimate.value = value;
    if (limit->count < FIRST / (1 - SKIPPED) || limit->count < limit->evaluated + limit->evaluated / 24)
        return;
    limit->evaluated = limit->count;
    predict(limit);
}
