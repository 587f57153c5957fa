/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A solute on its way through a box, in time. The finite volumes are those of the closure problem, so that
 * what spreads after long does so as its tensor says. At the inlet and the outlet the flow alone carries the
 * solute, in with a given concentration and out with that of the last voxel; mean times of passage are then
 * pore volume over flow whatever the pores are.
 *
 * Time steps are Runge-Kutta of third order that keep what Euler steps keep: up to a cell Peclet number of 2
 * concentrations stay between those that there were.
 * @see Danckwerts (1953), doi:10.1016/0009-2509(53)80001-1, for the boundaries; Shu & Osher (1988),
 * doi:10.1016/0021-9991(88)90177-5, for the time steps; van der Laan (1958), Chem. Eng. Sci. 7, 187, for the
 * variance of the times of passage
 */
#include "diffusion/breakthrough.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/notes.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Largest |eigenvalue| times time step: the half circle of that radius is where the steps are stable, which
 * ends at the root of 3 on the imaginary axis. */
#define STABLE 1.7

#define LEFT 1e-4    /* of the solute, at the end */
#define ENOUGH 0.999 /* of it, for a dispersion */
#define STILL 1e-10  /* of the largest velocity through a face: what is less is left by rounding */
#define BELOW 1e-3   /* 0, by which concentrations may fall without a note */

enum { SUMS = 5, SOME = 4096, LEAST = 3 /* voxels along the axis */ };

static const char *const name = "the breakthrough of a solute";

/* A node at the inlet or the outlet. */
typedef struct gate {
    uint32_t node;
    double flow; /* along the flow, through its face at the end of the box */
} gate;

typedef struct passage {
    const rill_closure *c;
    double d;               /* D0 */
    double *now, *stage[2]; /* [nodes], concentrations; they belong to the closure problem */
    uint32_t *place;        /* [nodes], voxels from the inlet */
    gate *in, *out;         /* owned */
    uint32_t in_count, out_count;
    uint32_t reached;        /* nodes: the pore volume */
    double given;            /* concentration of what flows in */
    double flow, entering;   /* what flows out in all, and where it flows in what comes in */
    double (*partial)[SUMS]; /* [chunks] */
    double least, most;
} passage;

rill_status rill_breakthrough_check(const rill_geom *geom, const rill_dispersion_options *o)
{
    if (o->release == RILL_RELEASE_NONE) return RILL_OK;
    for (int k = 0; k < o->peclet_count; k++)
        if (!(o->peclet[k] > 0))
            return rill_fail(RILL_USAGE,
                             "a Peclet number of 0: without a flow nothing comes through; leave it out");
    if (!(o->duration >= 0) || o->duration > RILL_BREAKTHROUGH_LONGEST)
        return rill_fail(RILL_USAGE, "a run of %g pore volumes: it must be above 0 and up to %d", o->duration,
                         RILL_BREAKTHROUGH_LONGEST);
    if (o->time_count < 0 || o->time_count > RILL_BREAKTHROUGH_TIMES)
        return rill_fail(RILL_USAGE, "%d times: there can be %d at most", o->time_count,
                         RILL_BREAKTHROUGH_TIMES);
    for (int k = 0; k < o->time_count; k++)
        if (!(o->times[k] >= 0) || !isfinite(o->times[k]) || (k > 0 && !(o->times[k] > o->times[k - 1])))
            return rill_fail(RILL_USAGE, "a time of %g pore volumes: times must be 0 or above, and rise",
                             o->times[k]);
    if (geom->n[o->axis] < LEAST)
        return rill_fail(RILL_USAGE, "%u voxels along the flow: a way from face to face needs %d",
                         geom->n[o->axis], LEAST);
    return RILL_OK;
}

/* Cut the links through the faces at the ends of the axis, and list what flows through them. */
static rill_status gates_make(rill_closure *c, const rill_geom *geom, int axis, passage *p)
{
    rill_status status = RILL_OK;
    const uint32_t end = geom->n[axis] - 1;
    const bool up = c->mean[axis] > 0;
    const uint64_t stride = axis == 0   ? 1
                            : axis == 1 ? geom->n[0]
                                        : (uint64_t)geom->n[0] * geom->n[1],
                   most = rill_geom_voxels(geom) / geom->n[axis];
    rill_closure_link *link = c->level->link;
    uint32_t i = 0;
    RILL_TRY(rill_array_create(c->nodes, sizeof *p->place, name, (void **)&p->place));
    RILL_TRY(rill_array_create(most, sizeof *p->in, name, (void **)&p->in));
    RILL_TRY(rill_array_create(most, sizeof *p->out, name, (void **)&p->out));
    for (uint64_t v = 0; v < rill_geom_voxels(geom); v++) {
        if (geom->voxels[v] == RILL_SOLID) continue;
        const uint32_t at = (uint32_t)(v / stride % geom->n[axis]);
        p->place[i] = up ? at : end - at;
        for (uint32_t k = c->level->begin[i]; k < c->level->begin[i + 1]; k++) {
            if (c->face[k] / 2 != axis || at != (c->face[k] % 2 ? end : 0)) continue;
            if (p->place[i] == end)
                p->out[p->out_count++] = (gate){i, link[k].w};
            else
                p->in[p->in_count++] = (gate){i, -link[k].w};
            link[k].w = 0, link[k].g = 0;
        }
        i++;
    }
    for (uint32_t k = 0; k < p->out_count; k++) p->flow += p->out[k].flow;
    for (uint32_t k = 0; k < p->in_count; k++) p->entering += fmax(0, p->in[k].flow);
done:
    return status;
}

/* Count the nodes that the solute reaches from the inlet: others hang on the faces that were cut alone. */
static rill_status reached_count(passage *p)
{
    rill_status status = RILL_OK;
    const rill_closure_level *l = p->c->level;
    uint32_t *list = NULL, count = 0;
    uint8_t *seen = NULL;
    RILL_TRY(rill_array_create(p->c->nodes, sizeof *list, name, (void **)&list));
    RILL_TRY(rill_array_create_zero(p->c->nodes, sizeof *seen, name, (void **)&seen));
    for (uint32_t k = 0; k < p->in_count; k++)
        if (p->in[k].flow > STILL * p->c->most) seen[p->in[k].node] = 1, list[count++] = p->in[k].node;
    for (uint32_t k = 0; k < count; k++)
        for (uint32_t i = l->begin[list[k]]; i < l->begin[list[k] + 1]; i++) {
            const uint32_t to = l->link[i].to;
            if (l->link[i].g > 0 && !seen[to]) seen[to] = 1, list[count++] = to;
        }
    p->reached = count;
done:
    rill_array_destroy(list);
    rill_array_destroy(seen);
    return status;
}

/* Return the largest time step. */
static double step_longest(const passage *p)
{
    const rill_closure_level *l = p->c->level;
    double most = 0, through = 0;
    for (uint32_t i = 0; i < p->c->nodes; i++) {
        double sum = 0;
        for (uint32_t k = l->begin[i]; k < l->begin[i + 1]; k++)
            sum += p->d * l->link[k].g + fabs(p->d * l->link[k].g - 0.5 * l->link[k].w);
        most = fmax(most, sum);
    }
    for (uint32_t k = 0; k < p->in_count; k++) through = fmax(through, fabs(p->in[k].flow));
    for (uint32_t k = 0; k < p->out_count; k++) through = fmax(through, fabs(p->out[k].flow));
    return STABLE / (most + through);
}

/* A stage of a time step: `to` is what is kept of `base`, and what is taken of an Euler step from `from`. */
typedef struct stage {
    const passage *p;
    const double *base, *from;
    double *to, keep, take, dt;
} stage;

static void nodes_step(const void *shared, uint64_t first, uint64_t end)
{
    const stage *s = shared;
    const rill_closure_level *l = s->p->c->level;
    const double d = s->p->d, *x = s->from;
    for (uint64_t i = first; i < end; i++) {
        double sum = 0;
        for (uint32_t k = l->begin[i]; k < l->begin[i + 1]; k++) {
            const rill_closure_link *link = &l->link[k];
            sum += 0.5 * link->w * (x[i] + x[link->to]) + d * link->g * (x[i] - x[link->to]);
        }
        s->to[i] = s->keep * s->base[i] + s->take * (x[i] - s->dt * sum);
    }
}

static void stage_make(const stage *s)
{
    const passage *p = s->p;
    const double weight = s->take * s->dt;
    rill_threads_for(p->c->nodes, SOME, nodes_step, s);
    for (uint32_t k = 0; k < p->in_count; k++)
        s->to[p->in[k].node] +=
            weight * p->in[k].flow * (p->in[k].flow > 0 ? p->given : s->from[p->in[k].node]);
    for (uint32_t k = 0; k < p->out_count; k++)
        s->to[p->out[k].node] -= weight * p->out[k].flow * s->from[p->out[k].node];
}

static void step(const passage *p, double dt)
{
    double *c = p->now, *a = p->stage[0], *b = p->stage[1];
    stage_make(&(stage){p, c, c, a, 0, 1, dt});
    stage_make(&(stage){p, c, a, b, 3. / 4, 1. / 4, dt});
    stage_make(&(stage){p, c, b, c, 1. / 3, 2. / 3, dt});
}

/* Return the concentration of what flows out. */
static double outlet(const passage *p)
{
    double sum = 0;
    for (uint32_t k = 0; k < p->out_count; k++) sum += p->out[k].flow * p->now[p->out[k].node];
    return sum / p->flow;
}

/* Sum up mass and its first two moments along the axis, and find the least and the largest concentration. */
static void chunks_sum(const void *shared, uint64_t first, uint64_t end)
{
    const passage *p = shared;
    for (uint64_t k = first; k < end; k++) {
        double sum[SUMS] = {0, 0, 0, INFINITY, -INFINITY};
        for (uint64_t i = k * SOME; i < (k + 1) * SOME && i < p->c->nodes; i++) {
            const double x = p->place[i] + 0.5, c = p->now[i];
            sum[0] += c;
            sum[1] += x * c;
            sum[2] += x * x * c;
            sum[3] = fmin(sum[3], c);
            sum[4] = fmax(sum[4], c);
        }
        memcpy(p->partial[k], sum, sizeof sum);
    }
}

static uint64_t chunks_of(const passage *p) { return (p->c->nodes + (uint64_t)SOME - 1) / SOME; }

static void sample(passage *p, double time, double out[RILL_BREAKTHROUGH_COLUMNS])
{
    double sum[3] = {0};
    rill_threads_for(chunks_of(p), 1, chunks_sum, p);
    for (uint64_t k = 0; k < chunks_of(p); k++) {
        for (int m = 0; m < 3; m++) sum[m] += p->partial[k][m];
        p->least = fmin(p->least, p->partial[k][3]);
        p->most = fmax(p->most, p->partial[k][4]);
    }
    const double mean = sum[0] > 0 ? sum[1] / sum[0] : NAN;
    out[RILL_BREAKTHROUGH_TIME] = time;
    out[RILL_BREAKTHROUGH_OUTLET] = outlet(p);
    out[RILL_BREAKTHROUGH_MASS] = sum[0] / p->reached;
    out[RILL_BREAKTHROUGH_POSITION] = mean;
    out[RILL_BREAKTHROUGH_VARIANCE] = sum[2] / sum[0] - mean * mean;
}

/* Return the Peclet number, of its length, of a uniform column whose times of passage have a variance over
 * the square of their mean. */
static double column_peclet(double variance)
{
    double low = 1e-9, high = 1e12;
    if (!(variance > 0 && variance < 1)) return NAN;
    for (int k = 0; k < 200; k++) {
        const double p = sqrt(low * high);
        *(2 / p + 2 / p * expm1(-p) / p > variance ? &low : &high) = p;
    }
    return low;
}

static void start(passage *p, rill_release release)
{
    memset(p->now, 0, p->c->nodes * sizeof *p->now);
    p->given = release == RILL_RELEASE_STEP;
    p->least = INFINITY, p->most = -INFINITY;
    if (release != RILL_RELEASE_PULSE) return;
    for (uint32_t k = 0; k < p->in_count; k++)
        p->now[p->in[k].node] = p->reached * fmax(0, p->in[k].flow) / p->entering;
}

/* Find the flux at the centres of nodes, over the mean velocity: of each the mean of both faces. */
static void flux_find(const passage *p, int axis)
{
    const rill_closure *c = p->c;
    const rill_closure_level *l = c->level;
    const double *x = p->now, half = 0.5 / fabs(c->mean[axis]), along = c->mean[axis] > 0 ? half : -half;
    for (uint32_t i = 0; i < c->nodes; i++) {
        for (int a = 0; a < 3; a++) c->own[a][i] = 0;
        for (uint32_t k = l->begin[i]; k < l->begin[i + 1]; k++) {
            const rill_closure_link *link = &l->link[k];
            const double out = 0.5 * link->w * (x[i] + x[link->to]) + p->d * link->g * (x[i] - x[link->to]);
            c->own[c->face[k] / 2][i] += (c->face[k] % 2 ? half : -half) * out;
        }
    }
    for (uint32_t k = 0; k < p->in_count; k++)
        c->own[axis][p->in[k].node] +=
            along * p->in[k].flow * (p->in[k].flow > 0 ? p->given : x[p->in[k].node]);
    for (uint32_t k = 0; k < p->out_count; k++)
        c->own[axis][p->out[k].node] += along * p->out[k].flow * x[p->out[k].node];
}

static rill_status hand_out(const passage *p, const rill_dispersion_options *o, int point, int number,
                            double time)
{
    double *const *flux = p->c->own;
    if (!o->moment) return RILL_OK;
    flux_find(p, o->axis);
    return o->moment(
        o->context,
        &(rill_concentration_field){
            point, number, o->peclet[point], time, p->c->nodes, p->now, {flux[0], flux[1], flux[2]}});
}

/* Sums over the time of what has come out, or of a step has not yet. */
typedef struct times {
    double sum[3], before;
} times;

static void times_add(times *t, bool pulse, double from, double to, double now)
{
    const double a = pulse ? t->before : 1 - t->before, b = pulse ? now : 1 - now, half = (to - from) / 2;
    for (int m = 0; m < 3; m++) t->sum[m] += half * (a * pow(from, m) + b * pow(to, m));
    t->before = now;
}

/* What is left of a run when it has ended. */
static void moments_find(const times *t, bool pulse, double voxels, const rill_dispersion *d,
                         rill_breakthrough *run)
{
    run->recovered = pulse ? t->sum[0] : t->before;
    run->mean = pulse ? t->sum[1] / t->sum[0] : t->sum[0];
    run->variance = (pulse ? t->sum[2] / t->sum[0] : 2 * t->sum[1]) - run->mean * run->mean;
    run->dispersion = run->recovered < ENOUGH ? NAN
                                              : run->peclet * voxels / d->length /
                                                    column_peclet(run->variance / (run->mean * run->mean));
}

static rill_status run_make(passage *p, const rill_dispersion_options *o, int index, uint32_t voxels,
                            rill_dispersion *out)
{
    rill_status status = RILL_OK;
    const bool pulse = o->release == RILL_RELEASE_PULSE;
    const double begun = rill_now(), longest = o->duration > 0 ? o->duration : RILL_BREAKTHROUGH_LONGEST;
    const uint64_t most = (uint64_t)ceil(longest * RILL_BREAKTHROUGH_SAMPLES) + 1;
    rill_breakthrough *run = &out->runs[index];
    times t = {.before = 0};
    int wanted = 0;
    run->peclet = o->peclet[index];
    p->d = out->length * out->velocity / run->peclet;
    RILL_TRY(rill_array_create(most * RILL_BREAKTHROUGH_COLUMNS, sizeof *run->samples, name,
                               (void **)&run->samples));
    start(p, o->release);
    const double volume = p->reached / p->flow, each = volume / RILL_BREAKTHROUGH_SAMPLES;
    const uint64_t steps = (uint64_t)ceil(each / step_longest(p));
    for (double left = 1; run->count < most;) {
        const double time = (double)run->count / RILL_BREAKTHROUGH_SAMPLES;
        double *row = run->samples + run->count * RILL_BREAKTHROUGH_COLUMNS;
        sample(p, time, row);
        run->count++;
        if (!isfinite(p->least) || !isfinite(p->most)) break;
        for (; wanted < o->time_count && o->times[wanted] < time + 0.5 / RILL_BREAKTHROUGH_SAMPLES; wanted++)
            RILL_TRY(hand_out(p, o, index, wanted, time));
        left = pulse ? row[RILL_BREAKTHROUGH_MASS] : 1 - row[RILL_BREAKTHROUGH_MASS];
        if (run->count == most || (o->duration == 0 && left <= LEFT)) break;
        for (uint64_t k = 0; k < steps; k++) {
            const double part = 1. / (double)(steps * RILL_BREAKTHROUGH_SAMPLES);
            step(p, each / (double)steps);
            times_add(&t, pulse, time + (double)k * part, time + (double)(k + 1) * part, outlet(p));
        }
        run->steps += steps;
        RILL_TRY(rill_progress_report(o->progress, "breakthrough",
                                      o->duration > 0 ? time / o->duration : fmin(1, 1 - left)));
    }
    run->least = p->least, run->most = p->most;
    run->seconds = rill_now() - begun;
    if (!isfinite(p->least) || !isfinite(p->most))
        RILL_TRY(rill_fail(
            RILL_NUMERICS,
            "at a Peclet number of %g concentrations are not finite after %llu time steps: please report this",
            run->peclet, (unsigned long long)run->steps));
    moments_find(&t, pulse, voxels, out, run);
    if (!pulse && run->least < -BELOW)
        RILL_TRY(rill_note(
            &out->notes,
            "at a Peclet number of %g concentrations fall to %.2g beside the front: voxels are too large for it there; compare with smaller ones (--resample)",
            run->peclet, run->least));
    if (o->duration == 0 && run->count == most)
        RILL_TRY(rill_note(
            &out->notes,
            "at a Peclet number of %g %.3g %% have come out after %d pore volumes: times of passage lack the rest",
            run->peclet, 100 * run->recovered, RILL_BREAKTHROUGH_LONGEST));
done:
    return status;
}

rill_status rill_breakthrough_compute(rill_closure *c, const rill_geom *geom,
                                      const rill_dispersion_options *o, int done,
                                      rill_status (*kept)(void *context, int runs), void *context,
                                      rill_dispersion *out)
{
    rill_status status = RILL_OK;
    rill_diffusion *all = &c->diffusor.all;
    passage p = {.c = c, .now = all->found, .stage = {all->residual, all->outcome}};
    RILL_TRY(gates_make(c, geom, o->axis, &p));
    if (!(p.flow > 0))
        RILL_TRY(rill_fail(RILL_NUMERICS, "nothing flows out through the face at the end of the box"));
    RILL_TRY(reached_count(&p));
    if (p.reached < c->nodes && done == 0)
        RILL_TRY(rill_note(
            &out->notes,
            "%u of %u voxels are connected through the inlet and the outlet alone: in time the solute does not reach them, and they are no part of its pore volume",
            c->nodes - p.reached, c->nodes));
    RILL_TRY(rill_array_create(chunks_of(&p), sizeof *p.partial, name, (void **)&p.partial));
    if (!out->runs)
        RILL_TRY(
            rill_array_create_zero((uint64_t)o->peclet_count, sizeof *out->runs, name, (void **)&out->runs));
    for (int k = done; k < o->peclet_count; k++) {
        RILL_TRY(run_make(&p, o, k, geom->n[o->axis], out));
        RILL_TRY(kept(context, k + 1));
    }
done:
    rill_array_destroy(p.place);
    rill_array_destroy(p.in);
    rill_array_destroy(p.out);
    rill_array_destroy(p.partial);
    return status;
}
