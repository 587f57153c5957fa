/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic curves through samples, without overshoot, and their harmonics. The file format is
 * waveform_file.c's. */
#include "vessel/case/waveform.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rill_wave_names[RILL_WAVE_KINDS] = {"flow", "mean-velocity", "peak-velocity", "pressure",
                                                      "factor"};

/* Solve a tridiagonal system, in place in `right`; `diagonal` is overwritten. Diagonally dominant. */
static void tridiagonal(uint32_t n, const double *below, double *diagonal, const double *above, double *right)
{
    for (uint32_t k = 1; k < n; k++) {
        const double part = below[k] / diagonal[k - 1];
        diagonal[k] -= part * above[k - 1];
        right[k] -= part * right[k - 1];
    }
    right[n - 1] /= diagonal[n - 1];
    for (uint32_t k = n - 1; k-- > 0;) right[k] = (right[k] - above[k] * right[k + 1]) / diagonal[k];
}

/*
 * Second derivatives m of the periodic spline (Press et al., Numerical Recipes, 3.3 and 2.7.2): for each
 * sample h' m' + 2 (h' + h) m + h m+ = 6 (slope - slope'), cyclic; the corners are taken out by Sherman &
 * Morrison.
 */
rill_status rill_waveform_bend(const rill_waveform *w, double *m)
{
    rill_status status = RILL_OK;
    const uint32_t n = w->count;
    double *work = NULL;
    RILL_TRY(rill_array_create(5 * (uint64_t)n, sizeof *work, "a waveform", (void **)&work));
    double *below = work, *diagonal = work + n, *copy = work + 2 * n, *above = work + 3 * n,
           *corner = work + 4 * n;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t before = (k + n - 1) % n;
        const double h = w->time[k + 1] - w->time[k], h_before = w->time[before + 1] - w->time[before];
        below[k] = h_before;
        diagonal[k] = 2 * (h + h_before);
        above[k] = h;
        m[k] =
            6 * ((w->value[k + 1] - w->value[k]) / h - (w->value[before + 1] - w->value[before]) / h_before);
        corner[k] = 0;
    }
    const double low = above[n - 1], high = below[0], gamma = -diagonal[0];
    diagonal[0] -= gamma;
    diagonal[n - 1] -= low * high / gamma;
    corner[0] = gamma;
    corner[n - 1] = low;
    memcpy(copy, diagonal, n * sizeof *copy);
    tridiagonal(n, below, diagonal, above, m);
    tridiagonal(n, below, copy, above, corner);
    const double part = (m[0] + high * m[n - 1] / gamma) / (1 + corner[0] + high * corner[n - 1] / gamma);
    for (uint32_t k = 0; k < n; k++) m[k] -= part * corner[k];
    m[n] = m[0];
done:
    rill_array_destroy(work);
    return status;
}

/* ---- without overshoot ----------------------------------------------------------------------- */

/* Where spacings differ by more than this factor an extremum between samples is not accepted. */
#define EVEN 2.0

static double minmod(double a, double b)
{
    if (a * b <= 0) return 0;
    return fabs(a) < fabs(b) ? a : b;
}

static uint32_t around(const rill_waveform *w, uint32_t k, int steps)
{
    return (uint32_t)(((long)k + steps + 2L * w->count) % w->count);
}

static double spacing(const rill_waveform *w, uint32_t k) { return w->time[k + 1] - w->time[k]; }

static double line(const rill_waveform *w, uint32_t k)
{
    return (w->value[k + 1] - w->value[k]) / spacing(w, k);
}

/* Second divided difference at a sample. */
static double bend(const rill_waveform *w, uint32_t k)
{
    const uint32_t before = around(w, k, -1);
    return (line(w, k) - line(w, before)) / (spacing(w, k) + spacing(w, before));
}

/* Slope at a smooth extremum, by the least curved parabolas on either side; 0 where the spacing is uneven. */
static double extremum_slope(const rill_waveform *w, uint32_t k)
{
    const uint32_t before = around(w, k, -1), after = around(w, k, 1);
    double least = INFINITY, most = 0;
    for (int j = -2; j < 2; j++) {
        least = fmin(least, spacing(w, around(w, k, j)));
        most = fmax(most, spacing(w, around(w, k, j)));
    }
    if (most > EVEN * least) return 0;
    const double here = bend(w, k);
    return minmod(line(w, before) + minmod(bend(w, before), here) * spacing(w, before),
                  line(w, k) - minmod(here, bend(w, after)) * spacing(w, k));
}

static double limited(const rill_waveform *w, uint32_t k, double slope)
{
    const double monotone = minmod(line(w, around(w, k, -1)), line(w, k)), smooth = extremum_slope(w, k);
    const double most = fmax(3 * fabs(monotone), 1.5 * fabs(smooth));
    return minmod(slope, copysign(most, smooth != 0 ? smooth : monotone));
}

/* Return what the curve may change by between two samples: 0 where it is flat. */
static double change(const rill_waveform *w, uint32_t k)
{
    return fabs(w->value[k + 1] - w->value[k]) +
           spacing(w, k) * (fabs(w->slope[k]) + fabs(w->slope[k + 1])) / 2;
}

/* 16 b^2 (1 - b)^2 is 1 in the middle, and has this mean. */
#define BULGE_MEAN (8.0 / 15)

/* Give the curve the mean of straight lines: what is lacking is added where it changes. */
static void keep_mean(rill_waveform *w)
{
    double lacking = 0, room = 0;
    for (uint32_t k = 0; k < w->count; k++) {
        const double h = spacing(w, k);
        w->mean += h * (w->value[k] + w->value[k + 1]) / 2 / w->period;
        lacking -= h * h * (w->slope[k] - w->slope[k + 1]) / 12;
        room += h * change(w, k) * BULGE_MEAN;
    }
    for (uint32_t k = 0; k < w->count; k++) w->bulge[k] = room > 0 ? lacking / room * change(w, k) : 0;
}

static rill_status make_smooth(rill_waveform *w)
{
    rill_status status = RILL_OK;
    const uint32_t n = w->count;
    double *m = NULL;
    RILL_TRY(rill_array_create((uint64_t)n + 1, sizeof *m, "a waveform", (void **)&m));
    RILL_TRY(rill_waveform_bend(w, m));
    for (uint32_t k = 0; k < n; k++)
        w->slope[k] = limited(w, k, line(w, k) - spacing(w, k) * (2 * m[k] + m[k + 1]) / 6);
    w->slope[n] = w->slope[0];
    keep_mean(w);
done:
    rill_array_destroy(m);
    return status;
}

rill_status rill_waveform_create(rill_wave_kind kind, double period, const double *time, const double *value,
                                 uint32_t count, rill_waveform **out)
{
    rill_status status = RILL_OK;
    rill_waveform *w = NULL;
    if (count < 3)
        return rill_fail(RILL_USAGE, "a cycle of %u samples is not a waveform: give at least 3", count);
    if (time[0] != 0 || !(time[count - 1] < period) || !isfinite(period))
        return rill_fail(RILL_USAGE, "samples from %g s to %g s do not lie within one period of %g s",
                         time[0], time[count - 1], period);
    w = calloc(1, sizeof *w);
    if (!w) return rill_fail(RILL_SYSTEM, "out of memory for a waveform");
    *w = (rill_waveform){.kind = kind, .period = period, .count = count};
    RILL_TRY(rill_array_create((uint64_t)count + 1, sizeof(double), "a waveform", (void **)&w->time));
    RILL_TRY(rill_array_create((uint64_t)count + 1, sizeof(double), "a waveform", (void **)&w->value));
    RILL_TRY(rill_array_create((uint64_t)count + 1, sizeof(double), "a waveform", (void **)&w->slope));
    RILL_TRY(rill_array_create((uint64_t)count, sizeof(double), "a waveform", (void **)&w->bulge));
    memcpy(w->time, time, count * sizeof *time);
    memcpy(w->value, value, count * sizeof *value);
    w->time[count] = period;
    w->value[count] = value[0];
    w->low = INFINITY;
    w->high = -INFINITY;
    for (uint32_t k = 0; k < count; k++) {
        if (!(w->time[k + 1] > w->time[k]) || !isfinite(w->value[k]))
            RILL_TRY(rill_fail(RILL_USAGE,
                               "sample %u of a waveform is not finite, or not after the one before", k + 1));
        w->low = fmin(w->low, value[k]);
        w->high = fmax(w->high, value[k]);
    }
    RILL_TRY(make_smooth(w));
    *out = w;
    w = NULL;
done:
    rill_waveform_destroy(w);
    return status;
}

void rill_waveform_destroy(rill_waveform *w)
{
    if (!w) return;
    rill_array_destroy(w->time);
    rill_array_destroy(w->value);
    rill_array_destroy(w->slope);
    rill_array_destroy(w->bulge);
    free(w);
}

double rill_waveform_at(const rill_waveform *w, double time)
{
    double t = fmod(time, w->period);
    if (t < 0) t += w->period;
    uint32_t low = 0, high = w->count; /* time[low] <= t, t <= time[high] */
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (w->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    const double h = w->time[high] - w->time[low], b = (t - w->time[low]) / h, a = 1 - b;
    return w->value[low] * a * a * (1 + 2 * b) + w->value[high] * b * b * (1 + 2 * a) +
           h * a * b * (a * w->slope[low] - b * w->slope[high]) + 16 * a * a * b * b * w->bulge[low];
}

double rill_waveform_beyond(const rill_waveform *w, double *time, double *value)
{
    enum { PARTS = 16 };
    double most = 0;
    *time = *value = 0;
    for (uint32_t k = 0; k < w->count; k++)
        for (int j = 1; j < PARTS; j++) {
            const double t = w->time[k] + spacing(w, k) * j / PARTS, v = rill_waveform_at(w, t),
                         beyond = fmax(v - w->high, w->low - v);
            if (!(beyond > most)) continue;
            most = beyond;
            *time = t;
            *value = v;
        }
    /* A curve through equal values leaves them by rounding alone. */
    return most > 1e-9 * fmax(fabs(w->high), fabs(w->low)) ? most / (w->high - w->low) : 0;
}

void rill_waveform_analyse(const rill_waveform *w, double rest, rill_harmonics *out)
{
    enum { SAMPLES = 2048 };
    *out = (rill_harmonics){.mean = 1};
    if (!w) return;
    double values[SAMPLES], power = 0;
    out->omega = 2 * M_PI / w->period;
    out->mean = w->mean;
    for (int j = 0; j < SAMPLES; j++) values[j] = rill_waveform_at(w, w->period * j / SAMPLES);
    for (int j = 0; j < SAMPLES; j++)
        power += (values[j] - out->mean) * (values[j] - out->mean) * 2 / SAMPLES;
    double left = power;
    while (out->count < RILL_HARMONICS && left > rest * power) {
        const int k = ++out->count;
        for (int j = 0; j < SAMPLES; j++) {
            const double angle = 2 * M_PI * ((long)k * j % SAMPLES) / SAMPLES;
            out->cosine[k] += values[j] * cos(angle) * 2 / SAMPLES;
            out->sine[k] += values[j] * sin(angle) * 2 / SAMPLES;
        }
        left -= out->cosine[k] * out->cosine[k] + out->sine[k] * out->sine[k];
    }
}

double rill_harmonics_at(const rill_harmonics *h, double time)
{
    double sum = h->mean;
    for (int k = 1; k <= h->count; k++)
        sum += h->cosine[k] * cos(k * h->omega * time) + h->sine[k] * sin(k * h->omega * time);
    return sum;
}

void rill_waveform_turn(rill_waveform *wave)
{
    const double low = wave->low;
    for (uint32_t k = 0; k <= wave->count; k++) {
        wave->value[k] = -wave->value[k];
        wave->slope[k] = -wave->slope[k];
        if (k < wave->count) wave->bulge[k] = -wave->bulge[k];
    }
    wave->low = -wave->high;
    wave->high = -low;
    wave->mean = -wave->mean;
    wave->turned = !wave->turned;
}
