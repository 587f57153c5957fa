/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles from measured points: which points belong to an opening, what lies between them, and their
 * harmonics. */
#include "vessel/inlet/profile_points.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "vessel/inlet/profile_fit.h"
#include "vessel/inlet/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 80 }; /* grid spacings along the longer side of the outline */

/* Hydraulic diameters that points may lie before the opening and behind the end of the surface, which may be
 * oblique. */
#define BEYOND 1.0
#define FLAT 0.5    /* deviation of points on a plane from it, in distances between points */
#define THICK 1.5   /* the half of the layer that is taken of a volume, in the same */
#define COVERED 1.5 /* distance to the next point, in the same, up to which the opening is covered */
#define REST                                                                                                 \
    1e-5 /* of the power of changes over the cycle, that harmonics leave out, as those of waveforms */
#define INFLOW 1e-3 /* least mean velocity, of the largest speed */

typedef struct maker {
    const rill_velocities *from;
    const rill_opening *o;
    rill_profile *p;
    double extension;
    bool flat;        /* points lie on a plane */
    double depth;     /* of it, or of the layer: half of its thickness */
    uint8_t *needed;  /* [grid], 1: beside a point inside the outline, 2: inside */
    double (*now)[3]; /* [grid], velocities of a time */
    rill_fit fit;
} maker;

static int grid_points(const rill_profile *p) { return p->n[0] * p->n[1]; }

/* ---- points ---------------------------------------------------------------------------------- */

/* Take a point that may belong to the opening. @param[out] at  in the plane, and along the normal behind the
 * end of the surface */
static bool is_near(const maker *m, const rill_velocity *point, double at[3])
{
    double x[3];
    const double beyond = BEYOND * m->o->hydraulic_diameter;
    at[2] = -m->extension;
    for (int a = 0; a < 3; a++) {
        x[a] = (double)point->x[a];
        at[2] += (x[a] - m->o->centre[a]) * m->o->normal[a];
    }
    if (!(at[2] >= -m->extension - beyond && at[2] <= beyond)) return false;
    rill_profile_to_plane(m->p, x, at);
    return rill_profile_inside(m->p, at);
}

static void add_point(rill_fit *fit, const maker *m, const rill_velocity *point, const double at[3])
{
    rill_fit_point *new = &fit->points[fit->count++];
    *new = (rill_fit_point){.x = {at[0], at[1], m->flat ? 0 : at[2]}};
    for (int a = 0; a < 3; a++) new->u[a] = (double)point->u[a];
}

/* Return the points of a time, which are one after the other. */
static uint32_t frame_end(const rill_velocities *v, uint32_t first)
{
    uint32_t end = first;
    while (end < v->count && v->points[end].frame == v->points[first].frame) end++;
    return end;
}

/* Find whether the points of the first time lie on a plane, of any slope, and how far they are apart. */
static void look_at_points(maker *m)
{
    rill_fit_plane plane = {.count = 0};
    double at[3], low = INFINITY, high = -INFINITY;
    const uint32_t end = frame_end(m->from, 0);
    for (uint32_t k = 0; k < end; k++) {
        if (!is_near(m, &m->from->points[k], at)) continue;
        rill_fit_plane_add(&plane, at);
        low = fmin(low, at[2]);
        high = fmax(high, at[2]);
    }
    const double apart = sqrt(m->o->area / fmax((double)plane.count, 1));
    m->flat = plane.count < 4 || rill_fit_plane_deviation(&plane) <= FLAT * apart;
    if (!m->flat) m->depth = THICK * cbrt(m->o->area * (high - low) / (double)plane.count);
}

static rill_status too_few(const maker *m, uint32_t first, uint32_t found)
{
    double nearest = INFINITY;
    const uint32_t end = frame_end(m->from, first);
    for (uint32_t k = first; k < end; k++) {
        double square = 0;
        for (int a = 0; a < 3; a++) {
            /* From the middle of the end of the surface. */
            const double middle = m->o->centre[a] + m->extension * m->o->normal[a];
            square += pow((double)m->from->points[k].x[a] - middle, 2);
        }
        nearest = fmin(nearest, square);
    }
    return rill_fail(
        RILL_USAGE,
        "%s: %u of %u points of a time lie in the opening %s, and at least %d are needed; "
        "the nearest one is %.3g mm from its centre, (%.4g, %.4g, %.4g) mm: are the coordinates those of the surface, and their units right?",
        m->from->path, found, end - first, m->o->name, RILL_PROFILE_POINTS, 1e3 * sqrt(nearest),
        1e3 * (m->o->centre[0] + m->extension * m->o->normal[0]),
        1e3 * (m->o->centre[1] + m->extension * m->o->normal[1]),
        1e3 * (m->o->centre[2] + m->extension * m->o->normal[2]));
}

/* Gather the points of a time that the opening has, and the outline at rest. */
static rill_status gather(maker *m, uint32_t first, uint32_t end)
{
    rill_status status = RILL_OK;
    rill_fit *fit = &m->fit;
    rill_profile *p = m->p;
    double at[3];
    fit->count = 0;
    for (uint32_t k = first; k < end; k++) {
        const rill_velocity *point = &m->from->points[k];
        if (!is_near(m, point, at) || (!m->flat && fabs(at[2]) > m->depth)) continue;
        add_point(fit, m, point, at);
        double square = 0;
        for (int a = 0; a < 3; a++) square += (double)point->u[a] * (double)point->u[a];
        p->fastest = fmax(p->fastest, sqrt(square));
    }
    RILL_TRY(rill_fit_thin(fit, p->spacing / 2));
    if (fit->count < RILL_PROFILE_POINTS) return too_few(m, first, fit->count);
    const double layers = m->flat ? 1 : 2 * THICK;
    const double apart = sqrt(m->o->area * layers / (double)fit->count);
    if (p->points == 0 || fit->count < p->points) p->points = fit->count;
    p->apart = fmax(p->apart, apart);
    rill_fit_outline(fit, p->outline, p->outline_count, apart);
    RILL_TRY(rill_fit_sort(fit, p, apart));
done:
    return status;
}

/* ---- the section ----------------------------------------------------------------------------- */

static void place(const rill_profile *p, int at, double x[3])
{
    x[0] = p->low[0] + at % p->n[0] * p->spacing;
    x[1] = p->low[1] + at / p->n[0] * p->spacing;
    x[2] = 0;
}

/* Which grid points values are needed at: inside, and beside these. */
static void find_needed(maker *m)
{
    const rill_profile *p = m->p;
    for (int at = 0; at < grid_points(p); at++) {
        double x[3];
        place(p, at, x);
        if (!rill_profile_inside(p, x)) continue;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) {
                const int i = at % p->n[0] + dx, j = at / p->n[0] + dy;
                if (i < 0 || j < 0 || i >= p->n[0] || j >= p->n[1]) continue;
                uint8_t *needed = &m->needed[j * p->n[0] + i];
                if (*needed == 0) *needed = 1;
            }
        m->needed[at] = 2;
    }
}

static double along_normal(const maker *m, const double u[3])
{
    double sum = 0;
    for (int a = 0; a < 3; a++) sum += u[a] * m->o->normal[a];
    return sum;
}

/* Find the velocities of a time over the section. @return their flow, m3/s; u = 0 at the outline makes what
 * its cells lack of second order */
static rill_status find_velocities(maker *m, double *flow)
{
    rill_status status = RILL_OK;
    const rill_profile *p = m->p;
    uint64_t inside = 0, covered = 0;
    *flow = 0;
    for (int at = 0; at < grid_points(p); at++) {
        double x[3];
        if (at % p->n[0] == 0) RILL_TRY(rill_progress_poll());
        if (!m->needed[at]) continue;
        place(p, at, x);
        const double away = rill_fit_at(&m->fit, x, m->now[at]);
        if (m->needed[at] < 2) continue;
        *flow += along_normal(m, m->now[at]) * p->spacing * p->spacing;
        inside++;
        covered += away <= COVERED * p->apart;
    }
    const double coverage = (double)covered / fmax((double)inside, 1);
    m->p->coverage = fmin(m->p->coverage, coverage);
done:
    return status;
}

/* Add the velocities of a time to the fields. @param[in] parts  [count], of the time in each field */
static void add_time(maker *m, const double complex *parts)
{
    rill_profile *p = m->p;
    const size_t all = (size_t)grid_points(p);
    for (size_t k = 0; k < (size_t)p->count; k++)
        for (size_t at = 0; at < all; at++) {
            if (!m->needed[at]) continue;
            p->fields[k * all + at] += parts[k] * along_normal(m, m->now[at]);
            for (size_t a = 0; a < 3; a++) p->vectors[(3 * k + a) * all + at] += parts[k] * m->now[at][a];
        }
}

/* Make the first field one of a mean velocity of 1. */
static rill_status normalise(maker *m)
{
    rill_profile *p = m->p;
    const size_t all = (size_t)grid_points(p);
    const double mean = creal(p->own[0]) / m->o->area;
    if (!(mean > INFLOW * p->fastest))
        return rill_fail(
            RILL_USAGE,
            "%s: the velocities bring %.3g mL/s through the opening %s in the mean, and an inlet needs a flow into the vessel, along (%.3g, %.3g, %.3g): "
            "are their signs those of the coordinates of the surface?",
            m->from->path, 1e6 * creal(p->own[0]), m->o->name, m->o->normal[0], m->o->normal[1],
            m->o->normal[2]);
    for (size_t at = 0; at < all; at++) {
        p->fields[at] /= mean;
        p->peak[0] = fmax(creal(p->peak[0]), m->needed[at] == 2 ? creal(p->fields[at]) : 0);
        for (size_t a = 0; a < 3; a++) p->vectors[a * all + at] /= mean;
    }
    return RILL_OK;
}

/* Leave out the last harmonics, which hold next to nothing of the changes over the cycle: each one costs two
 * weights in every step. */
static void drop_small(rill_profile *p)
{
    const size_t all = 3 * (size_t)grid_points(p);
    double power[RILL_HARMONICS + 1] = {0}, sum = 0, left = 0;
    for (size_t k = 1; k < (size_t)p->count; k++) {
        for (size_t at = 0; at < all; at++) {
            const double complex u = p->vectors[k * all + at];
            power[k] += creal(u) * creal(u) + cimag(u) * cimag(u);
        }
        sum += power[k];
    }
    while (p->count > 1 && left + power[p->count - 1] <= REST * sum) left += power[--p->count];
}

/* ---- all times -------------------------------------------------------------------------------- */

static rill_status measure(maker *m)
{
    rill_status status = RILL_OK;
    const rill_velocities *v = m->from;
    rill_profile *p = m->p;
    double complex *parts = NULL;
    double *flows = NULL;
    RILL_TRY(rill_array_create((uint64_t)p->count * v->frames, sizeof *parts, "a profile", (void **)&parts));
    RILL_TRY(rill_array_create_zero(v->frames, sizeof *flows, "a profile", (void **)&flows));
    RILL_TRY(rill_fit_times(v, p->count, parts));
    for (uint32_t first = 0; first < v->count;) {
        const uint32_t end = frame_end(v, first), frame = v->points[first].frame;
        const double complex *part = parts + (size_t)frame * (size_t)p->count;
        RILL_TRY(gather(m, first, end));
        RILL_TRY(find_velocities(m, &flows[frame]));
        add_time(m, part);
        for (int k = 0; k < p->count; k++) p->own[k] += part[k] * flows[frame];
        first = end;
    }
    RILL_TRY(normalise(m));
    drop_small(p);
    if (v->frames > 1)
        RILL_TRY(rill_waveform_create(RILL_WAVE_FLOW, v->period, v->times, flows, v->frames, &p->wave));
    if (p->wave) p->own[0] = p->wave->mean;
done:
    rill_array_destroy(parts);
    rill_array_destroy(flows);
    return status;
}

rill_status rill_profile_measure(const rill_velocities *v, const rill_opening *o, int most,
                                 rill_profile **out)
{
    rill_status status = RILL_OK;
    maker m = {.from = v, .o = o, .p = calloc(1, sizeof *m.p)};
    rill_profile *p = m.p;
    if (!p) return rill_fail(RILL_SYSTEM, "out of memory for a profile");
    const int harmonics = (int)(v->frames - 1) / 2, room = most < RILL_HARMONICS ? most : RILL_HARMONICS;
    p->count = 1 + (harmonics < room ? harmonics : room);
    p->made = p->count;
    p->coverage = p->scale = 1;
    p->times = v->frames;
    m.extension = isfinite(o->extension) ? o->extension : 0;
    RILL_TRY(rill_profile_lay(p, RILL_PROFILE_FITTED, o, ACROSS));
    const uint64_t all = (uint64_t)grid_points(p), count = (uint64_t)p->count;
    RILL_TRY(rill_array_create_zero(count, sizeof *p->peak, "a profile", (void **)&p->peak));
    RILL_TRY(rill_array_create_zero(count, sizeof *p->own, "a profile", (void **)&p->own));
    RILL_TRY(rill_array_create_zero(count * all, sizeof *p->fields, "a profile", (void **)&p->fields));
    RILL_TRY(rill_array_create_zero(3 * count * all, sizeof *p->vectors, "a profile", (void **)&p->vectors));
    RILL_TRY(rill_array_create_zero(all, sizeof *m.needed, "a profile", (void **)&m.needed));
    RILL_TRY(rill_array_create_zero(all, sizeof *m.now, "a profile", (void **)&m.now));
    uint32_t largest = 0;
    for (uint32_t first = 0, end; first < v->count; first = end) {
        end = frame_end(v, first);
        if (end - first > largest) largest = end - first;
    }
    RILL_TRY(rill_fit_create(largest, &m.fit));
    find_needed(&m);
    look_at_points(&m);
    RILL_TRY(measure(&m));
    *out = p;
    p = NULL;
done:
    rill_array_destroy(m.needed);
    rill_array_destroy(m.now);
    rill_fit_free(&m.fit);
    rill_profile_destroy(p);
    return status;
}

/* ---- what an inlet is given ------------------------------------------------------------------- */

/* Return what makes a flow, m3/s, of what the waveform of an inlet gives; without one the flow. */
static double amount(const rill_end *e, const rill_opening *o)
{
    return e->amount * (e->inflow == RILL_INFLOW_MEAN_VELOCITY ? o->area : 1);
}

/* Return the flow that the case gives, without that of the points. */
static double given(const rill_end *e, const rill_opening *o, double time)
{
    return amount(e, o) * (e->wave ? rill_waveform_at(e->wave, time) : 1);
}

void rill_profile_fit(rill_profile *p, const rill_end *e, const rill_opening *o)
{
    enum { SAMPLES = 256 };
    const size_t all = (size_t)grid_points(p);
    double both = 0, square = 0;
    if (e->from_file || !p->wave) return;
    for (int j = 0; j < SAMPLES; j++) {
        const double time = p->wave->period * j / SAMPLES, own = rill_waveform_at(p->wave, time);
        both += own * given(e, o, time);
        square += own * own;
    }
    /* With a waveform the nearest multiple, whose flow the mean's profile completes. */
    p->scale = e->wave ? both / square : given(e, o, 0) / creal(p->own[0]);
    for (size_t k = 1; k < (size_t)p->count; k++) {
        p->own[k] *= p->scale;
        for (size_t at = 0; at < all; at++) p->fields[k * all + at] *= p->scale;
        for (size_t at = 0; at < 3 * all; at++) p->vectors[3 * k * all + at] *= p->scale;
    }
}

double rill_profile_inflow(const rill_profile *p, const rill_end *e, const rill_opening *o, double time)
{
    if (p->wave && !e->wave) return p->scale * rill_waveform_at(p->wave, time);
    return e->from_file ? creal(p->own[0]) : given(e, o, time);
}

void rill_profile_analyse(const rill_profile *p, const rill_end *e, const rill_opening *o, double rest,
                          rill_harmonics *flow)
{
    const rill_waveform *wave = e->wave ? e->wave : p->wave;
    rill_waveform_analyse(wave, rest, flow);
    const double factor = !wave ? rill_profile_inflow(p, e, o, 0) : wave == p->wave ? p->scale : amount(e, o);
    flow->mean *= factor;
    for (int k = 1; k <= flow->count; k++) {
        flow->cosine[k] *= factor;
        flow->sine[k] *= factor;
    }
}
