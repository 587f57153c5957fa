/* SPDX-License-Identifier: Apache-2.0 */
/* Cycles compared and averaged. */
#include "vessel/run_priv.h"

#include <math.h>

/* Largest difference between the last `rows` rows of a column and the rows before them. */
static double difference(const rill_record *record, uint64_t rows, uint64_t column)
{
    double largest = 0;
    for (uint64_t k = record->count - rows; k < record->count; k++) {
        const double d = fabs(rill_record_row(record, k)[column] - rill_record_row(record, k - rows)[column]);
        largest = !(d <= largest) ? d : largest; /* NaN stays */
    }
    return largest;
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
    double flow = 0, pressure = s->missing;
    s->compared = o->openings.count >= 2 * rows && s->cycles >= 2;
    if (!s->compared) return;
    for (int k = 0; k < loop->vessel->plan.opening_count; k++) {
        const uint64_t column = 2 + 2 * (uint64_t)k;
        flow = fmax(flow, difference(&o->openings, rows, column));
        pressure = fmax(pressure, difference(&o->openings, rows, column + 1));
    }
    s->change_flow = ratio(flow, s->flow_largest);
    s->change_pressure = ratio(pressure, s->range);
    s->change_wall = 0;
    if (o->sample && o->wall.count >= 2 * samples) {
        double least = INFINITY, most = 0;
        widen(&o->wall, samples, 2, &least, &most);
        s->change_wall = ratio(difference(&o->wall, samples, 2), most);
    }
}

/* TAWSS and OSI over the area of the triangles that have them. */
static void wall_means(const rill_run_loop *loop)
{
    const rill_observers *o = &loop->observers;
    const double samples = o->cycle.samples;
    double area = 0, tawss = 0, osi = 0, largest = 0;
    if (!o->sample || !(samples > 0)) return;
    for (uint64_t t = 0; t < o->map.triangle_count; t++) {
        const double *sum = o->cycle.sums + 4 * t, size = sum[3] / samples;
        if (isnan(size)) continue;
        const double vector = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / samples;
        area += o->map.area[t];
        tawss += o->map.area[t] * size;
        osi += size > 0 ? o->map.area[t] * fmax(0, 1 - vector / size) / 2 : 0;
        largest = fmax(largest, size);
    }
    loop->result->shear_mean = tawss / area;
    loop->result->osi_mean = osi / area;
    loop->result->shear_max = largest;
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
    if (out->end != RILL_RUN_DIVERGED) wall_means(loop);
}
