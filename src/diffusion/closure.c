/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The closure problem solved by stabilized biconjugate gradients, preconditioned by a cycle through coarser
 * grids. Sums are those of chunks of nodes, one after the other, so that any number of threads gives the same
 * bits.
 * @see van der Vorst (1992), doi:10.1137/0913035
 */
#include "diffusion/closure.h"

#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* How often what is left is computed anew, and the part of it that the iterations between are to reach at
 * least. */
enum { ROUNDS = 40 };
#define ROUND_LEAST 1e-12

/* Rounds of the projection end when the divergence is this times the velocities, or falls by less than half.
 */
#define ROUNDED (8 * DBL_EPSILON)

/* What a loop over nodes works with. */
typedef struct loop {
    const rill_closure *c;
    int axis;  /* of the gradient; RILL_CLOSURE_NONE: the right side is the divergence of the velocities */
    double s;  /* 1 / D0 */
    double *b; /* the solution */
    double *residual, *shadow, *direction, *product, *second, *scaled;
    const double *with; /* of a product */
    double *out;
    double first, second_factor;
    int other; /* axis */
} loop;

typedef double row_work(const loop *l, uint32_t i, double *other);

/* Return what goes out of a node, advected and diffused. */
static double operate(const loop *l, const double *b, uint32_t i)
{
    const rill_closure_level *n = l->c->level;
    double sum = 0;
    for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++) {
        const rill_closure_link *link = &n->link[k];
        sum += 0.5 * l->s * link->w * (b[i] + b[link->to]) + link->g * (b[i] - b[link->to]);
    }
    return sum;
}

/* Return 1 for a link along an axis, -1 against it, else 0. */
static double along(const rill_closure *c, uint32_t link, int axis)
{
    return c->face[link] / 2 != axis ? 0 : c->face[link] % 2 ? 1 : -1;
}

static double right_side(const loop *l, uint32_t i)
{
    const rill_closure *c = l->c;
    const rill_closure_level *n = c->level;
    double sum = l->axis < 0 ? 0 : l->s * c->mean[l->axis];
    for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++)
        sum -= l->axis < 0 ? -n->link[k].w : along(c, k, l->axis) * (0.5 * l->s * n->link[k].w - 1);
    return sum;
}

static double residual_row(const loop *l, uint32_t i, double *other)
{
    const double right = right_side(l, i), r = right - operate(l, l->b, i);
    l->residual[i] = r;
    *other = right * right;
    return r * r;
}

static double direction_row(const loop *l, uint32_t i, double *other)
{
    (void)other;
    l->direction[i] = l->residual[i] + l->first * (l->direction[i] - l->second_factor * l->product[i]);
    return 0;
}

static double multiply_row(const loop *l, uint32_t i, double *other)
{
    const double value = operate(l, l->scaled, i);
    l->out[i] = value;
    *other = value * value;
    return value * l->with[i];
}

static double half_row(const loop *l, uint32_t i, double *other)
{
    (void)other;
    l->b[i] += l->first * l->scaled[i];
    l->residual[i] -= l->first * l->product[i];
    return 0;
}

static double finish_row(const loop *l, uint32_t i, double *other)
{
    l->b[i] += l->first * l->scaled[i];
    l->residual[i] -= l->first * l->second[i];
    *other = l->residual[i] * l->shadow[i];
    return l->residual[i] * l->residual[i];
}

/* Products of the gradients of x_i + b_i and x_j + b_j: i is `axis`, j is `other`. */
static double energy_row(const loop *l, uint32_t i, double *other)
{
    const rill_closure_level *n = l->c->level;
    double sum = 0;
    (void)other;
    for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++) {
        if (l->c->face[k] % 2 == 0) continue;
        const uint32_t to = n->link[k].to;
        sum += (along(l->c, k, l->axis) + l->b[to] - l->b[i]) *
               (along(l->c, k, l->other) + l->with[to] - l->with[i]);
    }
    return sum;
}

/* The velocity along an axis at the centre, and the square of those through faces above. */
static double mean_row(const loop *l, uint32_t i, double *other)
{
    const rill_closure_level *n = l->c->level;
    double sum = 0;
    for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++) {
        const double to = along(l->c, k, l->axis), w = to * n->link[k].w;
        sum += 0.5 * fabs(to) * w;
        if (to > 0) *other += w * w;
    }
    if (l->out) l->out[i] = sum;
    return sum;
}

static double mean_of(const loop *l, uint32_t i, double *other)
{
    (void)other;
    return l->b[i];
}

static double shift_row(const loop *l, uint32_t i, double *other)
{
    (void)other;
    l->b[i] -= l->first;
    return 0;
}

typedef struct chunks {
    const loop *l;
    row_work *row;
} chunks;

static void work_chunks(const void *shared, uint64_t first, uint64_t end)
{
    const chunks *s = shared;
    const uint32_t nodes = s->l->c->nodes;
    for (uint64_t k = first; k < end; k++) {
        double sum[2] = {0, 0};
        for (uint64_t i = k * RILL_CLOSURE_CHUNK; i < (k + 1) * RILL_CLOSURE_CHUNK && i < nodes; i++) {
            double other = 0;
            sum[0] += s->row(s->l, (uint32_t)i, &other);
            sum[1] += other;
        }
        memcpy(s->l->c->partial + 2 * k, sum, sizeof sum);
    }
}

/* Work on all rows. @param[out] other  second sum, may be NULL @return the first */
static double rows(const loop *l, row_work *row, double *other)
{
    const uint64_t count = (l->c->nodes + (uint64_t)RILL_CLOSURE_CHUNK - 1) / RILL_CLOSURE_CHUNK;
    double sum[2] = {0, 0};
    rill_threads_for(count, 1, work_chunks, &(chunks){l, row});
    for (uint64_t k = 0; k < count; k++)
        for (int j = 0; j < 2; j++) sum[j] += l->c->partial[2 * k + j];
    if (other) *other = sum[1];
    return sum[0];
}

static loop loop_of(rill_closure *c, int axis, double s, double *b)
{
    const rill_diffusion *all = &c->diffusor.all;
    return (loop){.c = c,
                  .axis = axis,
                  .s = s,
                  .b = b,
                  .residual = all->residual,
                  .shadow = all->found,
                  .direction = all->direction,
                  .product = all->step,
                  .second = all->outcome,
                  .scaled = c->own[0]};
}

/* Iterate from the residual until its square is `goal`, or the iteration breaks down. */
static rill_status iterate(rill_closure *c, loop l, double now, double goal, const rill_closure_goal *g,
                           uint64_t *iterations)
{
    rill_status status = RILL_OK;
    const size_t bytes = c->nodes * sizeof(double);
    const double begun = now;
    double product = now, before = 1, alpha = 1, omega = 1, squares;
    memcpy(l.shadow, l.residual, bytes);
    memset(l.direction, 0, bytes);
    memset(l.product, 0, bytes);
    while (*iterations < g->most && now > goal && now < 1e8 * begun) {
        RILL_TRY(rill_progress_report(g->progress, "dispersion", -1));
        l.first = product / before * (alpha / omega), l.second_factor = omega;
        (void)rows(&l, direction_row, NULL);
        rill_closure_cycle(c, l.s, l.direction, l.scaled);
        l.with = l.shadow, l.out = l.product;
        before = product;
        alpha = product / rows(&l, multiply_row, NULL);
        if (!isfinite(alpha)) break;
        l.first = alpha;
        (void)rows(&l, half_row, NULL);
        rill_closure_cycle(c, l.s, l.residual, l.scaled);
        l.with = l.residual, l.out = l.second;
        omega = rows(&l, multiply_row, &squares);
        l.first = omega = squares > 0 ? omega / squares : 0;
        now = rows(&l, finish_row, &product);
        ++*iterations;
        if (!isfinite(now) || omega == 0 || product == 0) break;
    }
done:
    return status;
}

/* Return the square of the residual that rounding leaves, of terms of a size. */
static double rounding(const rill_closure *c, double size)
{
    return c->nodes * size * size * DBL_EPSILON * DBL_EPSILON;
}

/* Subtract its mean from a field. */
static void centre(rill_closure *c, double *b)
{
    loop l = {.c = c, .b = b};
    l.first = rows(&l, mean_of, NULL) / c->nodes;
    (void)rows(&l, shift_row, NULL);
}

rill_status rill_closure_solve(rill_closure *c, int axis, double s, const rill_closure_goal *goal,
                               double *error, uint64_t *iterations, bool *converged)
{
    rill_status status = RILL_OK;
    loop l = loop_of(c, axis, s, c->b[axis]);
    rill_closure_goal left = *goal;
    *error = INFINITY;
    *converged = false;
    left.most += *iterations;
    for (int round = 0; round < ROUNDS; round++) {
        double right, gap = 0;
        const double now = rows(&l, residual_row, &right);
        const double wanted = 0.25 * goal->tolerance * goal->tolerance * rill_closure_energy(c, axis, axis);
        if (!isfinite(now)) break;
        RILL_TRY(rill_diffusor_gap(&c->diffusor, &gap));
        gap /= c->nodes;
        *error = sqrt(gap);
        *converged = gap <= wanted;
        if (*converged || *iterations >= left.most) break;
        const uint64_t made = *iterations;
        const double goal_now = now * fmax(ROUND_LEAST, fmin(0.25, 0.5 * wanted / gap));
        RILL_TRY(iterate(c, l, now, fmax(goal_now, rounding(c, 1 + s * c->most)), &left, iterations));
        if (*iterations == made) break; /* rounding is left */
    }
    centre(c, c->b[axis]);
done:
    return status;
}

double rill_closure_energy(const rill_closure *c, int i, int j)
{
    const loop l = {.c = c, .axis = i, .b = c->b[i], .other = j, .with = c->b[j]};
    return rows(&l, energy_row, NULL) / c->nodes;
}

void rill_closure_centre(const rill_closure *c, int axis, double *u)
{
    (void)rows(&(loop){.c = c, .axis = axis, .out = u}, mean_row, NULL);
}

/* Find the means of the velocities. @return the sum of their squares */
static double measure(rill_closure *c)
{
    double all = 0;
    c->most = 0;
    for (int a = 0; a < 3; a++) {
        double squares;
        c->mean[a] = rows(&(loop){.c = c, .axis = a}, mean_row, &squares) / c->nodes;
        all += squares;
    }
    for (uint32_t k = 0; k < c->level->begin[c->nodes]; k++)
        c->most = fmax(c->most, fabs(c->level->link[k].w));
    return all;
}

/* Find the largest and the sum of the squares of what flows out of nodes, as the residual left it. */
static double largest(const double *values, uint32_t count)
{
    double most = 0;
    for (uint32_t i = 0; i < count; i++) most = fmax(most, fabs(values[i]));
    return most;
}

rill_status rill_closure_project(rill_closure *c, const rill_closure_goal *goal)
{
    rill_status status = RILL_OK;
    rill_closure_level *n = c->level;
    double *potential = c->own[1], *sum = c->own[2], before = INFINITY, changed = 0;
    loop l = loop_of(c, RILL_CLOSURE_NONE, 0, potential);
    rill_closure_goal left = *goal;
    uint64_t iterations = 0;
    const double all = measure(c);
    memset(sum, 0, c->nodes * sizeof *sum);
    for (int round = 0; all > 0; round++) {
        memset(potential, 0, c->nodes * sizeof *potential);
        const double now = rows(&l, residual_row, NULL);
        if (round == 0) c->divergence = sqrt(now / all);
        c->left = largest(l.residual, c->nodes) / c->most;
        if (c->left <= ROUNDED || c->left > 0.5 * before || iterations >= goal->most) break;
        before = c->left;
        RILL_TRY(iterate(c, l, now, fmax(1e-20 * now, rounding(c, c->most)), &left, &iterations));

        for (uint32_t i = 0; i < c->nodes; i++) {
            sum[i] += potential[i];
            for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++)
                n->link[k].w += potential[n->link[k].to] - potential[i];
        }
        (void)measure(c);
    }
    for (uint32_t i = 0; i < c->nodes; i++)
        for (uint32_t k = n->begin[i]; k < n->begin[i + 1]; k++)
            if (c->face[k] % 2) changed += (sum[n->link[k].to] - sum[i]) * (sum[n->link[k].to] - sum[i]);
    c->correction = all > 0 ? sqrt(changed / all) : 0;
    if (!(c->left <= 1e-10))
        status = rill_fail(
            RILL_NUMERICS,
            "the velocities at faces could not be made free of divergence: %.2g of the largest one is left after %llu iterations; allow more (--max-iterations)",
            c->left, (unsigned long long)iterations);
done:
    return status;
}
