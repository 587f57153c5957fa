/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/limit.h"

#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations, and the displacement of the differences, voxels. */
enum { ITERATIONS = 40 };
#define STEP 1e-5

/* The second is for rill_membrane_slip(), whose share grows with 1 / mu. */
double rill_membrane_stiffness_most(double tau) { return fmin(0.15, tau - 0.5); }

static double length(const double (*v)[3], uint32_t count)
{
    double square = 0;
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) square += v[k][a] * v[k][a];
    return sqrt(square);
}

/* What the iteration works with, of the first membrane, on processors. */
typedef struct work {
    double (*shape)[3], (*force)[3], (*other)[3], (*by)[3], *scratch;
    rill_support support;
} work;

/* Set the change of the forces by a displacement, over its length. */
static void differences(const rill_membranes *m, work *w)
{
    const uint32_t vertices = m->elastic.vertex_count;
    for (int side = -1; side <= 1; side += 2) {
        for (uint32_t v = 0; v < vertices; v++)
            for (int a = 0; a < 3; a++) w->shape[v][a] = m->x[v][a] + side * STEP * w->by[v][a];
        rill_elastic_force(&m->elastic, (const double(*)[3])w->shape, side < 0 ? w->other : w->force,
                           w->scratch);
    }
    for (uint32_t v = 0; v < vertices; v++)
        for (int a = 0; a < 3; a++) w->force[v][a] = (w->force[v][a] - w->other[v][a]) / (2 * STEP);
}

/* Divide by their length. @return it */
static double normalise(double (*v)[3], uint32_t count)
{
    const double size = length((const double(*)[3])v, count);
    for (uint32_t k = 0; k < count && size > 0; k++)
        for (int a = 0; a < 3; a++) v[k][a] /= size;
    return size;
}

static rill_status iterate(rill_membranes *m, work *w, rill_progress progress, double *out)
{
    rill_status status = RILL_OK;
    const uint32_t count = m->elastic.vertex_count;
    const double(*x)[3] = (const double(*)[3])m->x;
    rill_support *r = &w->support;
    for (uint64_t k = 0; k < count; k++) /* no shape in particular */
        for (uint64_t a = 0; a < 3; a++) w->by[k][a] = (double)((3 * k + a) * 2654435761U % 1024) / 512 - 1;
    normalise(w->by, count);
    RILL_TRY(rill_support_find(r, x, NULL, count));
    for (int turn = 0; turn < ITERATIONS; turn++) {
        RILL_TRY(rill_progress_report(progress, "stiffness", (double)turn / ITERATIONS));
        differences(m, w);
        const double size = normalise(w->force, count); /* what sums of integers hold */
        if (!isfinite(size))
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "forces of a membrane are beyond the largest number: lower its moduli (of `rill capsule` by a larger --ca)"));
        if (turn > 0) memset(r->force, 0, r->count * sizeof *r->force);
        RILL_TRY(rill_support_spread(r, x, (const double(*)[3])w->force, count));
        for (rill_node n = 0; n < r->count; n++)
            for (int a = 0; a < 3; a++) r->velocity[n][a] = RILL_SUPPORT_UNIT * (double)r->force[n][a];
        RILL_TRY(rill_support_interpolate(r, x, count, w->by));
        *out = size * normalise(w->by, count);
        if (!(*out > 0)) break;
    }
done:
    return status;
}

rill_status rill_membranes_stiffness(rill_membranes *m, rill_progress progress, double *out)
{
    static const char *const what = "the stiffness of membranes";
    rill_status status = RILL_OK;
    const uint32_t count = m->elastic.vertex_count;
    work w = {0};
    *out = 0;
    RILL_TRY(rill_membranes_fetch(m));
    RILL_TRY(rill_array_create(count, sizeof *w.shape, what, (void **)&w.shape));
    RILL_TRY(rill_array_create(count, sizeof *w.force, what, (void **)&w.force));
    RILL_TRY(rill_array_create(count, sizeof *w.other, what, (void **)&w.other));
    RILL_TRY(rill_array_create(count, sizeof *w.by, what, (void **)&w.by));
    RILL_TRY(
        rill_array_create(rill_elastic_scratch(&m->elastic), sizeof *w.scratch, what, (void **)&w.scratch));
    RILL_TRY(rill_support_create(NULL, m->walls.numbering, m->walls.open, m->set.support.width, &w.support));
    status = iterate(m, &w, progress, out);
done:
    rill_support_destroy(&w.support);
    rill_array_destroy(w.shape);
    rill_array_destroy(w.force);
    rill_array_destroy(w.other);
    rill_array_destroy(w.by);
    rill_array_destroy(w.scratch);
    return status;
}
