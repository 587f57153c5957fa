/* SPDX-License-Identifier: Apache-2.0 */
/* What extensions lose. */
#include "vessel/observe/loss.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "vessel/case/end_kinds.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the acoustic impedance of an opening: what the kernel takes off follows the flow at once, and is stable
 * below it. */
#define IMPEDANCE 0.2

#define EXTENSION_LEAST 1.5 /* voxels; in shorter ones the section is among the nodes of the opening */
#define GAIN 0.5            /* of the mean error of a steady block */
#define RAMP 0.2            /* of a cycle */
#define PERIODS 2           /* of sound, to and fro twice, within the highest harmonic */
#define STEP 1.0            /* voxels between positions in a section */

/* Voxels between the outline and positions at least: along an oblique tube the pressure of nodes next to
 * walls fluctuates by a tenth of what a diameter loses (12 cells across), and that on its axis by a fiftieth.
 * In a narrow section it is half of the depth that there is. */
#define EDGE 2.0

enum { POSITIONS = 12 }; /* that a paraboloid is fitted to, at least */
#define PIVOT 1e-4       /* of the system for it */

/* ---- sections -------------------------------------------------------------------------------- */

/* An opening's section at the end of the surface. */
typedef struct section {
    const rill_opening *opening;
    double centre[3], along[2][3]; /* m; directions in the plane */
    double step;                   /* m */
    int reach;                     /* steps from the centre */
    double depth;                  /* m, of positions within the outline at least */
} section;

/* Return how far a position, from the centre along both directions, is within the outline, m: negative
 * outside; of a circle without one. */
static double depth_of(const section *s, const double at[2])
{
    const rill_opening *o = s->opening;
    double square = INFINITY;
    bool within = false;
    if (!o->outline) return sqrt(o->area / M_PI) - hypot(at[0], at[1]);
    for (uint64_t n = 0; n < o->outline_count; n++) {
        double a[2], side[2], d[2][3], length = 0, along = 0, gap[2];
        rill_subtract(o->outline[n], o->centre, d[0]);
        rill_subtract(o->outline[(n + 1) % o->outline_count], o->outline[n], d[1]);
        for (int k = 0; k < 2; k++) {
            a[k] = rill_dot(d[0], s->along[k]) - at[k];
            side[k] = rill_dot(d[1], s->along[k]);
            length += side[k] * side[k];
            along -= a[k] * side[k];
        }
        const double part = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
        for (int k = 0; k < 2; k++) gap[k] = a[k] + part * side[k];
        square = fmin(square, gap[0] * gap[0] + gap[1] * gap[1]);
        if ((a[1] > 0) != (a[1] + side[1] > 0) && 0 < a[0] - a[1] * side[0] / side[1]) within = !within;
    }
    return within ? sqrt(square) : -sqrt(square);
}

static void section_make(const rill_opening *o, const rill_case_plan_opening *p, double spacing, section *out)
{
    double most = sqrt(o->area / M_PI), deepest = 0, axis[3] = {0}, d[3];
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(o->normal[a]) < fabs(o->normal[least])) least = a;
    axis[least] = 1;
    *out = (section){.opening = o, .step = STEP * spacing};
    rill_cross(o->normal, axis, out->along[0]);
    const double length = sqrt(rill_dot(out->along[0], out->along[0]));
    for (int a = 0; a < 3; a++) out->along[0][a] /= length;
    rill_cross(o->normal, out->along[0], out->along[1]);
    for (int a = 0; a < 3; a++) out->centre[a] = o->centre[a] + p->extension * o->normal[a];
    for (uint64_t n = 0; n < o->outline_count; n++) {
        rill_subtract(o->outline[n], o->centre, d);
        most = fmax(most, sqrt(rill_dot(d, d)));
    }
    out->reach = (int)(most / out->step) + 1;
    for (int j = -out->reach; j <= out->reach; j++)
        for (int i = -out->reach; i <= out->reach; i++)
            deepest = fmax(deepest, depth_of(out, (const double[]){i * out->step, j * out->step}));
    out->depth = fmin(EDGE * spacing, deepest / 2);
}

/* List the positions in a section behind `count` others. @param[out] positions  NULL: they are counted */
static uint64_t section_list(const section *s, uint64_t count, double (*positions)[3])
{
    for (int j = -s->reach; j <= s->reach; j++)
        for (int i = -s->reach; i <= s->reach; i++) {
            const double at[2] = {i * s->step, j * s->step};
            if (!(depth_of(s, at) >= s->depth)) continue;
            for (int a = 0; positions && a < 3; a++)
                positions[count][a] = s->centre[a] + at[0] * s->along[0][a] + at[1] * s->along[1][a];
            count++;
        }
    return count;
}

/* Terms of a pressure over a section: 1, both directions, and the square of the distance. */
enum { TERMS = 4 };

static void terms_of(const section *s, int i, int j, double out[TERMS])
{
    const double x = (double)i / s->reach, y = (double)j / s->reach;
    out[0] = 1, out[1] = x, out[2] = y, out[3] = x * x + y * y;
}

/* Solve a symmetric system. @return false: it is nearly singular */
static bool solve(double a[TERMS][TERMS], double b[TERMS])
{
    for (int k = 0; k < TERMS; k++) {
        const double pivot = a[k][k];
        if (!(pivot > PIVOT)) return false;
        for (int r = 0; r < TERMS; r++) {
            if (r == k) continue;
            const double part = a[r][k] / pivot;
            for (int c = k; c < TERMS; c++) a[r][c] -= part * a[k][c];
            b[r] -= part * b[k];
        }
    }
    for (int k = 0; k < TERMS; k++) b[k] /= a[k][k];
    return true;
}

/* Find what the pressure at each position counts: the mean over the whole section of the paraboloid that fits
 * those of all positions best. Where a sponge layer begins near the section, its pressure falls from the axis
 * to the walls. */
static void weigh(const rill_points *points, const section *s, uint64_t first, double *weights)
{
    double normal[TERMS][TERMS] = {{0}}, part[TERMS] = {0}, b[TERMS];
    uint64_t position = first, whole = 0, count = 0;
    for (int j = -s->reach; j <= s->reach; j++)
        for (int i = -s->reach; i <= s->reach; i++) {
            const double depth = depth_of(s, (const double[]){i * s->step, j * s->step});
            if (depth < 0) continue;
            terms_of(s, i, j, b);
            whole++;
            for (int m = 0; m < TERMS; m++) part[m] += b[m];
            if (!(depth >= s->depth) || !rill_points_has(points, position++)) continue;
            count++;
            for (int m = 0; m < TERMS * TERMS; m++)
                normal[m / TERMS][m % TERMS] += b[m / TERMS] * b[m % TERMS];
        }
    for (int m = 0; m < TERMS; m++) {
        part[m] /= (double)whole;
        for (int n = 0; n < TERMS; n++) normal[m][n] /= (double)count;
    }
    const bool fits = count >= POSITIONS && solve(normal, part);
    position = first;
    for (int j = -s->reach; j <= s->reach; j++)
        for (int i = -s->reach; i <= s->reach; i++) {
            double sum = fits ? 0 : 1;
            if (!(depth_of(s, (const double[]){i * s->step, j * s->step}) >= s->depth)) continue;
            terms_of(s, i, j, b);
            for (int m = 0; m < TERMS && fits; m++) sum += part[m] * b[m];
            weights[position] = rill_points_has(points, position) ? sum / (double)count : 0;
            position++;
        }
}

static bool has_section(const rill_geom *geom, const rill_case_plan_opening *p)
{
    return p->extension >= EXTENSION_LEAST * geom->spacing;
}

/* Lay positions over all sections. @param[out] first  [opening_count + 1] of each, and their number */
static rill_status sections_lay(const rill_geom *geom, const rill_case_plan *plan, uint64_t *first,
                                double (**positions)[3])
{
    rill_status status = RILL_OK;
    first[0] = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < plan->opening_count; k++) {
            section s;
            first[k + 1] = first[k];
            if (!has_section(geom, &plan->openings[k])) continue;
            section_make(&geom->surface->openings[k], &plan->openings[k], geom->spacing, &s);
            first[k + 1] = section_list(&s, first[k], *positions);
        }
        if (pass == 0)
            RILL_TRY(rill_array_create(first[plan->opening_count] + 1, sizeof **positions, "sections",
                                       (void **)positions));
    }
done:
    return status;
}

static rill_status sections_make(const rill_vessel *v, rill_losses *l)
{
    rill_status status = RILL_OK;
    double(*positions)[3] = NULL;
    RILL_TRY(sections_lay(v->geom, &v->plan, l->first, &positions));
    RILL_TRY(
        rill_sampler_make(v->sim, v->domain, (const double(*)[3])positions, l->first[l->count], &l->sampler));
    RILL_TRY(rill_array_create(l->first[l->count] + 1, sizeof *l->weights, "sections", (void **)&l->weights));
    for (int k = 0; k < l->count; k++) {
        section s;
        if (!has_section(v->geom, &v->plan.openings[k])) continue;
        section_make(&v->geom->surface->openings[k], &v->plan.openings[k], v->geom->spacing, &s);
        weigh(&l->sampler.points, &s, l->first[k], l->weights);
    }
done:
    rill_array_destroy(positions);
    return status;
}

rill_status rill_losses_count(const rill_case_plan *plan, rill_points_size *size)
{
    rill_status status = RILL_OK;
    uint64_t first[RILL_OPENINGS + 1];
    double(*positions)[3] = NULL;
    RILL_TRY(sections_lay(plan->domain->geom, plan, first, &positions));
    RILL_TRY(
        rill_points_count(plan->domain, (const double(*)[3])positions, first[plan->opening_count], size));
done:
    rill_array_destroy(positions);
    return status;
}

/* ---- what is expected ------------------------------------------------------------------------ */

/* Return 2 J_1(z) / (z J_0(z)) for z = i^(3/2) alpha: by their series, or by their limit for large ones. */
static double complex bessel_ratio(double alpha)
{
    const double complex z = cexp(0.75 * M_PI * I) * alpha, square = -z * z / 4;
    double complex zeroth = 1, first = 1, term = 1;
    if (alpha > 15) return 2 * I / z;
    for (int k = 1; k < 60; k++) {
        term *= square / k / k;
        zeroth += term;
        first += term / (k + 1);
    }
    return first / zeroth;
}

/* Return p / Q of a harmonic along a tube of some length and area, by Womersley, per density x length / area.
 */
static double complex impedance_of(double omega, double nu, double radius)
{
    return I * omega / (1 - bessel_ratio(radius * sqrt(omega / nu)));
}

/* Split what is expected between what the kernel takes off and a function of time, that of the outward flow
 * of the circuit. In its layer the viscosity counts that is half-way; the radius is that of a circle which
 * conducts as much. */
static void expect(const rill_vessel *v, const rill_harmonics *flow, int k, rill_losses *l)
{
    const rill_case_plan_opening *p = &v->plan.openings[k];
    const double area = v->geom->surface->openings[k].area, nu = v->plan.viscosity.nu,
                 density = v->given->density, middle = (nu + p->sponge_nu) / 2,
                 plain = p->extension - p->sponge,
                 sound = v->plan.scales.pressure / v->plan.scales.velocity / sqrt(3.0) / area,
                 rest = fmax(p->extension_resistance - IMPEDANCE * sound, 0),
                 radius = sqrt(8 * density * (nu * plain + (p->sponge > 0 ? middle * p->sponge : 0)) /
                               (area * p->extension_resistance));
    rill_loss *loss = &l->state->each[k];
    l->learns[k] = l->first[k + 1] > l->first[k];
    if (!l->learns[k]) return;
    l->resistance[k] = p->extension_resistance - rest;
    loss->now[0] = -rest * flow->mean;
    for (int h = 1; h <= l->harmonics && h <= flow->count; h++) {
        double complex length = plain * impedance_of(h * l->omega, nu, radius);
        if (p->sponge > 0) length += p->sponge * impedance_of(h * l->omega, middle, radius);
        const double complex lost =
            -(density / area * length - l->resistance[k]) * (flow->cosine[h] - I * flow->sine[h]);
        loss->now[2 * h - 1] = creal(lost);
        loss->now[2 * h] = -cimag(lost);
    }
    memcpy(loss->before, loss->now, sizeof loss->before);
}

static void choose_times(const rill_vessel *v, rill_losses *l)
{
    const double sound = 4 * v->plan.start.sound; /* to and fro twice: the longest wave that is sent back */
    const double cycle = (double)v->plan.cycle_steps;
    if (v->plan.cycle_steps == 0) {
        l->block = l->ramp = (uint64_t)ceil(sound) + 1;
        return;
    }
    l->omega = 2 * M_PI / v->given->run.period;
    l->harmonics = (int)fmin(cycle / (PERIODS * sound), RILL_LOSS_HARMONICS);
    l->ramp = (uint64_t)ceil(RAMP * cycle);
}

rill_status rill_losses_make(const rill_vessel *v, const rill_outlook *outlook, rill_losses **out)
{
    rill_status status = RILL_OK;
    rill_losses *l = calloc(1, sizeof *l);
    if (!l) return rill_fail(RILL_SYSTEM, "out of memory for the losses of extensions");
    l->count = v->plan.opening_count;
    l->plan = &v->plan;
    l->outlook = outlook;
    l->bytes = sizeof *l->state + (uint64_t)l->count * sizeof *l->state->each;
    RILL_TRY(rill_array_create_zero(l->bytes, 1, "the losses of extensions", (void **)&l->state));
    choose_times(v, l);
    RILL_TRY(sections_make(v, l));
    for (int k = 0; k < l->count; k++) {
        const rill_end *e = &v->given->ends[v->plan.openings[k].end];
        l->state->each[k].error = NAN;
        if (rill_end_type_of(e)->holds || outlook->states[k].rest) expect(v, &outlook->states[k].flow, k, l);
    }
    *out = l;
    l = NULL;
done:
    rill_losses_destroy(l);
    return status;
}

void rill_losses_destroy(rill_losses *l)
{
    if (!l) return;
    rill_sampler_free(&l->sampler);
    rill_array_destroy(l->weights);
    rill_array_destroy(l->state);
    free(l);
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Return the part of the way from the loss before to that now after some steps, smooth. */
static double risen(const rill_losses *l, double steps)
{
    const double part = (steps - (double)l->state->from) / (double)l->ramp;
    return part >= 1 ? 1 : part <= 0 ? 0 : 0.5 * (1 - cos(M_PI * part));
}

/* Return the loss after some steps, at a part of that way. */
static double loss_at(const rill_losses *l, int k, double steps, double part)
{
    const rill_loss *loss = &l->state->each[k];
    const double angle = l->omega * rill_case_plan_time(l->plan, steps), c = cos(angle), s = sin(angle);
    double sum = loss->before[0] + part * (loss->now[0] - loss->before[0]), cosine = c, sine = s;
    for (int h = 1; h <= l->harmonics; h++) {
        const double *b = &loss->before[2 * h - 1], *n = &loss->now[2 * h - 1], next = cosine * c - sine * s;
        sum += cosine * (b[0] + part * (n[0] - b[0])) + sine * (b[1] + part * (n[1] - b[1]));
        sine = sine * c + cosine * s;
        cosine = next;
    }
    return sum;
}

double rill_losses_at(const rill_losses *l, int k, uint64_t step)
{
    const double steps = (double)step + 0.5;
    return l->learns[k] ? loss_at(l, k, steps, risen(l, steps)) : 0;
}

rill_status rill_losses_take(rill_losses *l, rill_sim *sim) { return rill_sampler_take(&l->sampler, sim); }

/* Return the mean pressure of a section; NAN without fluid. */
static double section_pressure(const rill_losses *l, int k)
{
    double sum = 0, at[4];
    uint64_t count = 0;
    for (uint64_t point = l->first[k]; point < l->first[k + 1]; point++) {
        if (!rill_points_has(&l->sampler.points, point)) continue;
        rill_sampler_read(&l->sampler, &l->plan->scales, point, at);
        sum += l->weights[point] * at[0];
        count++;
    }
    return count ? sum : NAN;
}

double rill_losses_compare(rill_losses *l, int k, double pressure, double flow, uint64_t step)
{
    rill_loss *loss = &l->state->each[k];
    const double error = section_pressure(l, k) - pressure, steps = (double)step,
                 angle = l->omega * rill_case_plan_time(l->plan, steps);
    if (isnan(error)) return 0;
    const double last = isnan(loss->error) ? error : loss->error;
    loss->error = error;
    /* What is learned is the error that the loss has after its ramp. */
    const double left = l->learns[k] ? loss_at(l, k, steps, 1) - loss_at(l, k, steps, risen(l, steps)) : 0;
    if (step >= l->plan->start.soft && step <= l->plan->start.lead) {
        loss->along -= error * flow;
        loss->squares += flow * flow;
    }
    loss->sums[0] += error - left;
    for (int h = 1; h <= l->harmonics; h++) {
        loss->sums[2 * h - 1] += (error - left) * cos(h * angle);
        loss->sums[2 * h] += (error - left) * sin(h * angle);
    }
    return (last + error) / 2;
}

/* Begin a block. @param[in] gain  of the mean error that is added; 0: nothing is learned */
static void block_end(rill_losses *l, uint64_t step, double gain)
{
    for (int k = 0; k < l->count; k++) {
        rill_loss *loss = &l->state->each[k];
        const double part = risen(l, (double)step);
        for (int n = 0; n < RILL_LOSS_TERMS; n++) {
            loss->before[n] += part * (loss->now[n] - loss->before[n]);
            if (l->learns[k] && gain > 0 && l->state->samples > 0)
                loss->now[n] += gain * (n ? 2 : 1) * loss->sums[n] / (double)l->state->samples;
            loss->sums[n] = 0;
        }
    }
    l->state->from = step;
    l->state->samples = 0;
}

void rill_losses_row(rill_losses *l, uint64_t step)
{
    l->state->samples++;
    if (l->block == 0 || step - l->state->from < l->block) return;
    block_end(l, step, step >= l->plan->start.soft + l->block ? GAIN : 0);
}

/* Learn a resistance before the first cycle: what the error has of the flow, with the flow that is expected.
 */
static void learn_resistance(rill_losses *l)
{
    for (int k = 0; k < l->count; k++) {
        rill_loss *loss = &l->state->each[k];
        const rill_harmonics *flow = &l->outlook->states[k].flow;
        if (!l->learns[k] || !(loss->squares > 0)) continue;
        const double resistance = loss->along / loss->squares;
        loss->now[0] -= resistance * flow->mean;
        for (int h = 1; h <= l->harmonics && h <= flow->count; h++) {
            loss->now[2 * h - 1] -= resistance * flow->cosine[h];
            loss->now[2 * h] -= resistance * flow->sine[h];
        }
    }
}

void rill_losses_cycle(rill_losses *l, uint64_t step, bool learn)
{
    if (l->block > 0) return;
    block_end(l, step, learn ? 1 : 0);
    if (step == l->plan->start.lead) learn_resistance(l);
}

rill_checkpoint_part rill_losses_part(rill_losses *l)
{
    return rill_checkpoint_memory("losses", l->state, l->bytes);
}
