/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cycle through the levels of a closure problem: sweeps of Gauss and Seidel, forwards on the way down and
 * backwards on the way up. Where advection exceeds diffusion on a link, the sweeps replace g by |s w| / 2,
 * which is an upwind difference: all off-diagonal elements are then negative or 0, and sweeps converge on
 * every level whatever the flow is.
 *
 * Chunks of rows see the values that other chunks had before the sweep: the same bits for any number of
 * threads.
 * @see Wesseling (1992), An Introduction to Multigrid Methods, for defect correction by upwind differences
 */
#include "core/threads.h"
#include "diffusion/closure.h"

#include <math.h>
#include <string.h>

/* Sweeps of the last level, each way. */
enum { LAST = 8 };

/* What a sweep works with. */
typedef struct sweep {
    const rill_closure_level *level;
    double s;
    const double *given;
    double *value;
    const double *old;
    bool back;
} sweep;

/* Return the row of the matrix of sweeps times values. @param[out] diagonal  its element there @param first,
 * end  rows whose values are new */
static double row_others(const sweep *w, uint32_t i, uint64_t first, uint64_t end, double *diagonal)
{
    const rill_closure_level *l = w->level;
    double sum = 0, all = 0;
    for (uint32_t k = l->begin[i]; k < l->begin[i + 1]; k++) {
        const rill_closure_link *link = &l->link[k];
        const double half = 0.5 * w->s * link->w, g = fmax(link->g, fabs(half));
        const bool near = link->to >= first && link->to < end;
        if (link->to == i) continue;
        sum += (g - half) * (near ? w->value : w->old)[link->to];
        all += g + half;
    }
    *diagonal = all;
    return sum;
}

static void rows_sweep(const void *shared, uint64_t first_chunk, uint64_t end_chunk)
{
    const sweep *w = shared;
    for (uint64_t c = first_chunk; c < end_chunk; c++) {
        const uint64_t first = c * RILL_CLOSURE_CHUNK, last = first + RILL_CLOSURE_CHUNK;
        const uint64_t end = last < w->level->count ? last : w->level->count;
        for (uint64_t n = first; n < end; n++) {
            const uint32_t i = (uint32_t)(w->back ? end - 1 - (n - first) : n);
            double diagonal;
            const double others = row_others(w, i, first, end, &diagonal);
            w->value[i] = diagonal > 0 ? (w->given[i] + others) / diagonal : 0;
        }
    }
}

static void residual_find(const void *shared, uint64_t first, uint64_t end)
{
    const sweep *w = shared;
    for (uint64_t i = first; i < end; i++) {
        double diagonal;
        const double others = row_others(w, (uint32_t)i, 0, w->level->count, &diagonal);
        ((double *)w->old)[i] = w->given[i] + others - diagonal * w->value[i];
    }
}

static void sweep_make(const rill_closure_level *l, double s, const double *given, double *value, bool back)
{
    const sweep w = {l, s, given, value, l->old, back};
    if (l->count > RILL_CLOSURE_CHUNK) memcpy(l->old, value, l->count * sizeof *value);
    rill_threads_for((l->count + RILL_CLOSURE_CHUNK - 1) / RILL_CLOSURE_CHUNK, 1, rows_sweep, &w);
}

void rill_closure_cycle(rill_closure *c, double s, double *given, double *value)
{
    const int last = c->levels - 1;
    c->level->given = given;
    c->level->value = value;
    for (int k = 0; k < last; k++) {
        const rill_closure_level *l = &c->level[k], *next = l + 1;
        const sweep w = {l, s, l->given, l->value, l->old, false};
        memset(l->value, 0, l->count * sizeof *l->value);
        sweep_make(l, s, l->given, l->value, false);
        rill_threads_for(l->count, RILL_CLOSURE_CHUNK, residual_find, &w);
        memset(next->given, 0, next->count * sizeof *next->given);
        for (uint32_t i = 0; i < l->count; i++) next->given[l->parent[i]] += l->old[i];
    }
    memset(c->level[last].value, 0, c->level[last].count * sizeof(double));
    for (int k = 0; k < 2 * LAST; k++)
        sweep_make(&c->level[last], s, c->level[last].given, c->level[last].value, k % 2);
    for (int k = last; k-- > 0;) {
        const rill_closure_level *l = &c->level[k], *next = l + 1;
        for (uint32_t i = 0; i < l->count; i++) l->value[i] += next->value[l->parent[i]];
        sweep_make(l, s, l->given, l->value, true);
    }
    c->level->given = c->level->value = NULL;
}
