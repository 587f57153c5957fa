/* SPDX-License-Identifier: Apache-2.0 */
/* Windkessels between two cycles. */
#include "vessel/observe/settle.h"

#include "core/memory.h"
#include "core/status.h"
#include "vessel/case/end_kinds.h"

#include <math.h>
#include <string.h>

/* Steps of a cycle by Euler's implicit method, as a power of two: damped for any compliance, and exact enough
 * for slow changes. */
enum { HALVINGS = 10 };

#define PROXIMAL_LEAST                                                                                       \
    1e-6 /* of distal: Windkessels without a resistance between them share their charge                      \
          */

/* So much of an error decays over a cycle at least: the step of a slower one would be a quotient of
 * rounding errors, and is shorter for it. */
#define LEAST 1e-3

#define SLOPE_LEAST 1e-8 /* below it the formula divides rounding errors */

#define LEARNED_LEAST 0.05 /* of what decays in the circuit without the vessel's resistance, in any state */

/* ---- small symmetric matrices ---------------------------------------------------------------- */

/* Solve a x = b for `columns` columns in place; a becomes its factors. @return false: a is not positive
 * definite */
static bool solve(int n, double *a, int columns, double *b)
{
    for (int k = 0; k < n; k++) {
        if (!(a[k * n + k] > 0)) return false;
        for (int i = k + 1; i < n; i++) {
            const double factor = a[i * n + k] / a[k * n + k];
            if (factor == 0) continue;
            for (int j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
            for (int j = 0; j < columns; j++) b[i * columns + j] -= factor * b[k * columns + j];
        }
    }
    for (int i = n - 1; i >= 0; i--)
        for (int c = 0; c < columns; c++) {
            for (int j = i + 1; j < n; j++) b[i * columns + c] -= a[i * n + j] * b[j * columns + c];
            b[i * columns + c] /= a[i * n + i];
        }
    return true;
}

static void square(int n, const double *a, double *out)
{
    memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++) out[i * n + j] += a[i * n + k] * a[k * n + j];
}

static bool on_diagonal(int n, int k) { return k % (n + 1) == 0; }

/* ---- the circuit ----------------------------------------------------------------------------- */

/* Return 1 / R of what lies between the vessel and the pressure behind an outlet. */
static double conductance(const rill_end *e)
{
    return 1 / (rill_end_stores(e) ? fmax(e->proximal, PROXIMAL_LEAST * e->distal) : e->proximal + e->distal);
}

/* Fill in I - h A of root x, [count][count], with the step h of time. */
static void implicit_matrix(const rill_case *c, const int *ends, const rill_end_state *states, int openings,
                            const rill_settle *s, double *out)
{
    const double h = c->run.period / (1 << HALVINGS);
    double all = 0; /* of the outlets by which the vessel's pressure follows; infinite: it is held */
    for (int k = 0; k < openings; k++) {
        const rill_end *e = &c->ends[ends[k]];
        if (e->kind == RILL_END_PRESSURE || e->kind == RILL_END_MODEL || states[k].rest) all = INFINITY;
        if (rill_end_type_of(e)->circuit) all += conductance(e);
    }
    for (int i = 0; i < s->count; i++) {
        const rill_end *e = &c->ends[ends[s->opening[i]]];
        const double own = conductance(e);
        for (int j = 0; j < s->count; j++) {
            const double other = conductance(&c->ends[ends[s->opening[j]]]);
            out[i * s->count + j] = i == j ? 1 + h / e->compliance * (own * (1 - own / all) + 1 / e->distal) +
                                                 LEAST / (1 << HALVINGS)
                                           : -h / (s->root[i] * s->root[j]) * own * (other / all);
        }
    }
}

rill_status rill_settle_make(const rill_case *c, const int *ends, const rill_end_state *states, int openings,
                             rill_settle *out)
{
    rill_status status = RILL_OK;
    double *work = NULL;
    *out = (rill_settle){0};
    for (int k = 0; k < openings && c->run.pulsatile; k++) {
        const rill_end *e = &c->ends[ends[k]];
        if (!rill_end_stores(e) || e->micro > 0) continue; /* two compartments: they start periodic */
        out->root[out->count] = sqrt(e->compliance);
        out->opening[out->count++] = k;
    }
    const int n = out->count;
    const uint64_t cells = (uint64_t)n * (uint64_t)n;
    if (n == 0) goto done;
    RILL_TRY(rill_array_create(cells, sizeof *work, "the circuit", (void **)&work));
    RILL_TRY(rill_array_create(cells, sizeof *out->left, "the circuit", (void **)&out->left));
    implicit_matrix(c, ends, states, openings, out, work);
    for (int k = 0; k < n * n; k++) out->left[k] = on_diagonal(n, k);
    (void)solve(n, work, n, out->left); /* its diagonal dominates */
    for (int k = 0; k < HALVINGS; k++) {
        square(n, out->left, work);
        memcpy(out->left, work, cells * sizeof *work);
    }
    for (int k = 0; k < n * n; k++) out->left[k] = on_diagonal(n, k) - out->left[k];
done:
    rill_array_destroy(work);
    if (status != RILL_OK) rill_settle_free(out);
    return status;
}

void rill_settle_free(rill_settle *s)
{
    rill_array_destroy(s->left);
    *s = (rill_settle){0};
}

/* ---- what cycles teach ----------------------------------------------------------------------- */

/* Return a . M b. */
static double product(int n, const double *a, const double *m, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) sum += a[i] * m[i * n + j] * b[j];
    return sum;
}

/*
 * Learn from two cycles: `apart` between their beginnings, of which `lost` decayed. The vessel's resistance
 * makes less decay than in `circuit`, and not much less: all else is another disturbance. The formula may
 * make states decay slowly that nothing was seen of, and a step would then be far too long.
 */
static void learn(int n, const double *circuit, const double *apart, const double *lost, double *left,
                  double *work)
{
    double error[RILL_OPENINGS], slope = 0, seen = 0, sizes[2] = {0, 0};
    const double expected = product(n, apart, circuit, apart);
    for (int i = 0; i < n; i++) {
        error[i] = lost[i];
        for (int j = 0; j < n; j++) error[i] -= left[i * n + j] * apart[j];
        slope += error[i] * apart[i];
        seen += lost[i] * apart[i];
        sizes[0] += error[i] * error[i];
        sizes[1] += apart[i] * apart[i];
    }
    if (!(seen <= expected) || !(seen > LEARNED_LEAST * expected)) return;
    if (!(fabs(slope) > SLOPE_LEAST * sqrt(sizes[0] * sizes[1]))) return;
    for (int k = 0; k < n * n; k++)
        work[k] = left[k] + error[k / n] * error[k % n] / slope - LEARNED_LEAST * circuit[k];
    if (!solve(n, work, 0, NULL)) return;
    for (int k = 0; k < n * n; k++) left[k] += error[k / n] * error[k % n] / slope;
}

rill_status rill_settle_missing(const rill_settle *s, uint64_t cycles, rill_settle_cycle *cycle,
                                const void *context, double noise, double *missing)
{
    rill_status status = RILL_OK;
    const int n = s->count;
    const uint64_t cells = (uint64_t)n * (uint64_t)n;
    double apart[RILL_OPENINGS], lost[RILL_OPENINGS];
    const double *begin[2], *end[2];
    double *left = NULL, *work = NULL;
    RILL_TRY(rill_array_create(cells, sizeof *left, "the circuit", (void **)&left));
    RILL_TRY(rill_array_create(cells, sizeof *work, "the circuit", (void **)&work));
    memcpy(left, s->left, cells * sizeof *left);
    for (uint64_t k = 1; k < cycles; k++) {
        double most = 0, sizes[2] = {0, 0};
        cycle(context, k - 1, &begin[0], &end[0]);
        cycle(context, k, &begin[1], &end[1]);
        for (int i = 0; i < n; i++) {
            apart[i] = s->root[i] * (begin[1][i] - begin[0][i]);
            lost[i] = apart[i] - s->root[i] * (end[1][i] - end[0][i]);
            most = fmax(most, fabs(begin[1][i] - begin[0][i]));
            for (int which = 0; which < 2; which++)
                sizes[which] += pow(s->root[i] * (end[which][i] - begin[which][i]), 2);
        }
        if (sizes[1] > sizes[0]) memcpy(left, s->left, cells * sizeof *left); /* it went too far */
        if (most > noise) learn(n, s->left, apart, lost, left, work);
    }
    cycle(context, cycles - 1, &begin[0], &end[0]);
    for (int i = 0; i < n; i++) missing[i] = s->root[i] * (end[0][i] - begin[0][i]);
    (void)solve(n, left, 1, missing); /* learn() keeps it positive definite */
    for (int i = 0; i < n; i++) missing[i] /= s->root[i];
done:
    rill_array_destroy(left);
    rill_array_destroy(work);
    return status;
}
