/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/limit.h"

#include "core/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Iterations, and the displacement of the differences, voxels. */
enum { ITERATIONS = 40 };
#define STEP 1e-5

/* Forces of one membrane, and displacements of all. */
typedef struct work {
    rill_membranes *m;
    uint64_t count; /* of coordinates */
    double (*shape)[3], (*by)[3], (*force)[3];
} work;

/* The second is for rill_membrane_slip(), whose share grows with 1 / mu. */
double rill_membrane_stiffness_most(double tau) { return fmin(0.15, tau - 0.5); }

static double length(const double (*v)[3], uint64_t count)
{
    double square = 0;
    for (uint64_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) square += v[k][a] * v[k][a];
    return sqrt(square);
}

/* Set m->force to the change of the forces by a displacement of length 1, divided by that of STEP. */
static void differences(work *w)
{
    rill_membranes *m = w->m;
    const uint32_t vertices = m->elastic.mesh->vertex_count;
    for (uint32_t k = 0; k < m->count; k++)
        for (int side = -1; side <= 1; side += 2) {
            const uint64_t first = (uint64_t)k * vertices;
            for (uint64_t v = 0; v < vertices; v++)
                for (int a = 0; a < 3; a++)
                    w->shape[v][a] = m->x[first + v][a] + side * STEP * w->by[first + v][a];
            rill_elastic_force(&m->elastic, (const double(*)[3])w->shape, w->force, m->scratch);
            for (uint64_t v = 0; v < vertices; v++)
                for (int a = 0; a < 3; a++)
                    m->force[first + v][a] =
                        side < 0 ? w->force[v][a] : (w->force[v][a] - m->force[first + v][a]) / (2 * STEP);
        }
}

rill_status rill_membranes_stiffness(rill_membranes *m, double *out)
{
    static const char *const what = "the stiffness of membranes";
    rill_status status = RILL_OK;
    const uint64_t count = (uint64_t)m->count * m->elastic.mesh->vertex_count;
    work w = {.m = m};
    *out = 0;
    RILL_TRY(rill_array_create(m->elastic.mesh->vertex_count, sizeof *w.shape, what, (void **)&w.shape));
    RILL_TRY(rill_array_create(m->elastic.mesh->vertex_count, sizeof *w.force, what, (void **)&w.force));
    RILL_TRY(rill_array_create(count, sizeof *w.by, what, (void **)&w.by));
    for (uint64_t k = 0; k < count; k++) /* no shape in particular */
        for (uint64_t a = 0; a < 3; a++) w.by[k][a] = (double)((3 * k + a) * 2654435761U % 1024) / 512 - 1;
    const double start = length((const double(*)[3])w.by, count);
    for (uint64_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) w.by[k][a] /= start;
    for (int turn = 0; turn < ITERATIONS; turn++) {
        differences(&w);
        RILL_TRY(rill_support_find(&m->support, (const double(*)[3])m->x, count));
        rill_support_spread(&m->support, (const double(*)[3])m->x, (const double(*)[3])m->force, count);
        for (rill_node n = 0; n < m->support.count; n++)
            for (int a = 0; a < 3; a++) m->support.velocity[n][a] = rill_support_force(&m->support, n, a);
        rill_support_interpolate(&m->support, (const double(*)[3])m->x, count, w.by, NULL);
        const double now = length((const double(*)[3])w.by, count);
        *out = now;
        if (!(now > 0)) break;
        for (uint64_t k = 0; k < count; k++)
            for (int a = 0; a < 3; a++) w.by[k][a] /= now;
    }
done:
    rill_array_destroy(w.shape);
    rill_array_destroy(w.force);
    rill_array_destroy(w.by);
    return status;
}
