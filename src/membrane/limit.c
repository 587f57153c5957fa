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

/* Set the change of the forces by a displacement, over its length, of the first membrane. */
static void differences(rill_membranes *m, const double (*by)[3], double (*shape)[3], double (*other)[3])
{
    const uint32_t vertices = m->elastic.mesh->vertex_count;
    for (int side = -1; side <= 1; side += 2) {
        for (uint32_t v = 0; v < vertices; v++)
            for (int a = 0; a < 3; a++) shape[v][a] = m->x[v][a] + side * STEP * by[v][a];
        rill_elastic_force(&m->elastic, (const double(*)[3])shape, side < 0 ? other : m->force, m->scratch);
    }
    for (uint32_t v = 0; v < vertices; v++)
        for (int a = 0; a < 3; a++) m->force[v][a] = (m->force[v][a] - other[v][a]) / (2 * STEP);
}

/* Divide by their length. @return it */
static double normalise(double (*v)[3], uint32_t count)
{
    const double size = length((const double(*)[3])v, count);
    for (uint32_t k = 0; k < count && size > 0; k++)
        for (int a = 0; a < 3; a++) v[k][a] /= size;
    return size;
}

rill_status rill_membranes_stiffness(rill_membranes *m, rill_progress progress, double *out)
{
    static const char *const what = "the stiffness of membranes";
    rill_status status = RILL_OK;
    const uint32_t count = m->elastic.mesh->vertex_count;
    const double(*x)[3] = (const double(*)[3])m->x;
    double(*shape)[3] = NULL, (*other)[3] = NULL, (*by)[3] = NULL;
    *out = 0;
    RILL_TRY(rill_array_create(count, sizeof *shape, what, (void **)&shape));
    RILL_TRY(rill_array_create(count, sizeof *other, what, (void **)&other));
    RILL_TRY(rill_array_create(count, sizeof *by, what, (void **)&by));
    for (uint64_t k = 0; k < count; k++) /* no shape in particular */
        for (uint64_t a = 0; a < 3; a++) by[k][a] = (double)((3 * k + a) * 2654435761U % 1024) / 512 - 1;
    normalise(by, count);
    RILL_TRY(rill_support_find(&m->support, x, count));
    for (int turn = 0; turn < ITERATIONS; turn++) {
        RILL_TRY(rill_progress_report(progress, "stiffness", (double)turn / ITERATIONS));
        differences(m, (const double(*)[3])by, shape, other);
        const double size = normalise(m->force, count); /* what sums of integers hold */
        if (!isfinite(size))
            RILL_TRY(rill_fail(
                RILL_USAGE,
                "forces of a membrane are beyond the largest number: lower its moduli (of `rill capsule` by a larger --ca)"));
        if (turn > 0) memset(m->support.force, 0, m->support.count * sizeof *m->support.force);
        rill_support_spread(&m->support, x, (const double(*)[3])m->force, count);
        for (rill_node n = 0; n < m->support.count; n++)
            for (int a = 0; a < 3; a++) m->support.velocity[n][a] = rill_support_force(&m->support, n, a);
        rill_support_interpolate(&m->support, x, count, by, NULL);
        *out = size * normalise(by, count);
        if (!(*out > 0)) break;
    }
done:
    rill_array_destroy(shape);
    rill_array_destroy(other);
    rill_array_destroy(by);
    return status;
}
