/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles compared and averaged. */
#include "vessel/run/run_priv.h"
#include "vessel/observe/drops.h"

#include <math.h>

/* A difference that decays faster from one pair of cycles to the next may hide one that decays slowly. */
#define FAST 0.5

#define REMAINS_MOST                                                                                         \
    0.999 /* of a difference, from cycle to cycle: what is left would be a quotient of noise */

/* Differences between the last cycle and the one before, and between that one and its predecessor. */
typedef struct change {
    double now, before;    /* largest */
    double along, squares; /* sums of both, multiplied, and of the squares of the earlier ones */
} change;

static double larger(double most, double d) { return !(d <= most) ? d : most; /* NaN stays */ }

/* Add those of a column, where a cycle has so many rows. @param gaps  rows without a value are left out */
static void difference(const rill_record *record, uint64_t rows, uint64_t column, bool gaps, change *out)
{
    for (uint64_t k = record->count - rows; k < record->count; k++) {
        const double middle = rill_record_row(record, k - rows)[column],
                     now = rill_record_row(record, k)[column] - middle;
        if (gaps && isnan(now)) continue;
        out->now = larger(out->now, fabs(now));
        if (k < 2 * rows) continue;
        const double before = middle - rill_record_row(record, k - 2 * rows)[column];
        if (gaps && isnan(before)) continue;
        out->before = larger(out->before, fabs(before));
        out->along += now * before;
        out->squares += before * before;
    }
}

/*
 * How far the last cycle may be from the periodic state: a difference d of which each cycle leaves the part r
 * adds up to d r / (1 - r). Two differences show r, as one term of minimal polynomial extrapolation (Sidi
 * 2017, doi:10.1137/1.9781611974966); before there are two, the slowest mode that the vessel may have counts.
 */
static double still_missing(const change *c, bool measured, double slowest)
{
    if (c->now == 0) return 0;
    const double part = measured && c->now > FAST * c->before ? c->along / c->squares : slowest,
                 remains = fmin(part, REMAINS_MOST);
    return c->now * fmax(1, remains / (1 - remains));
}

/* Ends of the values of a column in the last `rows` rows, widened from what they were. */
static void widen(const rill_record *record, uint64_t rows, uint64_t column, double *low, double *high)
{
    for (uint64_t k = record->count - rows; k < record->count; k++) {
        *low = fmin(*low, rill_record_row(record, k)[column]);
        *high = fmax(*high, rill_record_row(record, k)[column]);
    }
}

static double ratio(double part, double whole) { return part == 0 ? 0 : part / whole; }

double rill_run_known(double estimate) { return estimate <= 1 ? estimate : NAN; }

void rill_run_extremes(rill_run_loop *loop)
{
    const rill_record *openings = &loop->observers.openings;
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < loop->vessel->plan.opening_count; k++)
        for (int which = 0; which < 2; which++)
            widen(openings, loop->rhythm.series, 2 + 2 * (uint64_t)k + (uint64_t)which, &low[which],
                  &high[which]);
    loop->state.flow_largest = fmax(fabs(low[0]), fabs(high[0]));
    loop->state.range = high[1] - low[1];
}

void rill_run_compare(rill_run_loop *loop)
{
    const rill_observers *o = &loop->observers;
    const uint64_t rows = loop->rhythm.series, samples = loop->rhythm.wall;
    rill_run_state *s = &loop->state;
    const bool measured = s->undisturbed >= 3;
    const double slowest = loop->rhythm.remains;
    change flow = {0}, pressure = {0}, wall = {0};
    s->compared = o->openings.count >= 2 * rows && s->cycles >= 2;
    if (!s->compared) return;
    for (int k = 0; k < loop->vessel->plan.opening_count; k++) {
        const uint64_t column = 2 + 2 * (uint64_t)k;
        difference(&o->openings, rows, column, false, &flow);
        difference(&o->openings, rows, column + 1, false, &pressure);
    }
    s->change_flow = ratio(still_missing(&flow, measured, slowest), s->flow_largest);
    s->change_pressure = ratio(larger(s->missing, still_missing(&pressure, measured, slowest)), s->range);
    s->change_wall = 0;
    double apart = larger(ratio(flow.now, s->flow_largest), ratio(pressure.now, s->range));
    if (o->sample && o->wall.count >= 2 * samples) {
        double least = INFINITY, most = 0;
        widen(&o->wall, samples, 2, &least, &most);
        difference(&o->wall, samples, 2, false, &wall);
        s->change_wall = ratio(still_missing(&wall, measured, slowest), most);
        apart = larger(apart, ratio(wall.now, most));
    }
    s->change_transport = 0;
    for (uint64_t column = 2; o->transport.sample && column < o->transport.record.width; column++) {
        double low = 0, most = 0;
        change carried = {0};
        widen(&o->transport.record, rows, column, &low, &most); /* which skip NaN */
        if (!(most > 0)) continue;
        difference(&o->transport.record, rows, column, true,
                   &carried); /* nothing leaves when flow reverses */
        s->change_transport =
            larger(s->change_transport, ratio(still_missing(&carried, measured, slowest), most));
        apart = larger(apart, ratio(carried.now, most));
    }
    loop->result->changes.difference = apart;
}

/* TAWSS and OSI over the area of the triangles that have them. */
static void wall_means(const rill_run_loop *loop)
{
    const rill_observers *o = &loop->observers;
    double area = 0, tawss = 0, osi = 0, largest = 0;
    if (!o->sample || !(o->cycle.samples > 0)) return;
    for (uint64_t t = 0; t < o->map.triangle_count; t++) {
        const rill_shear_indices i = rill_shear_cycle_indices(&o->cycle, t);
        if (isnan(i.tawss)) continue;
        area += o->map.area[t];
        tawss += o->map.area[t] * i.tawss;
        osi += o->map.area[t] * i.osi;
        largest = fmax(largest, i.tawss);
    }
    loop->result->shear.mean = tawss / area;
    loop->result->shear.osi_mean = osi / area;
    loop->result->shear.max = largest;
}

void rill_run_means(const rill_run_loop *loop)
{
    const rill_record *r = &loop->observers.openings;
    rill_run_result *out = loop->result;
    const uint64_t rows = r->count < loop->rhythm.series ? r->count : loop->rhythm.series;
    double sum = 0, sizes = 0;
    for (int k = 0; k < loop->vessel->plan.opening_count; k++) {
        const uint64_t column = 2 + 2 * (uint64_t)k;
        double steps = 0, through = 0;
        out->flow[k] = out->pressure[k] = 0;
        out->pressure_low[k] = INFINITY;
        out->pressure_high[k] = -INFINITY;
        for (uint64_t row = r->count - rows; row < r->count; row++) {
            const double *now = rill_record_row(r, row);
            const double weight = now[0] - (row > 0 ? rill_record_row(r, row - 1)[0] : 0);
            out->flow[k] += weight * now[column];
            out->pressure[k] += weight * now[column + 1];
            through += weight * fabs(now[column]) / 2;
            steps += weight;
        }
        out->flow[k] /= steps;
        out->pressure[k] /= steps;
        widen(r, rows, column + 1, &out->pressure_low[k], &out->pressure_high[k]);
        sum += out->flow[k];
        sizes += through / steps;
    }
    out->balance = sizes > 0 ? sum / sizes : NAN;
    rill_transport_means(&loop->observers.transport, loop->vessel, r, rows, out);
    out->drop_count = loop->vessel->given->output.drop_count;
    rill_drops_compute(loop->vessel, r, &loop->observers.planes, rows, out->drops);
    if (out->end != RILL_RUN_DIVERGED) wall_means(loop);
}
