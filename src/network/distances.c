/* SPDX-License-Identifier: Apache-2.0 */
/* Squares of Euclidean distances: the lower envelope of parabolas along every row, axis by axis. */
#include "network/distances.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <omp.h>

/* One row, taken out of its array. */
typedef struct row {
    double *value;  /* [n] */
    double *from;   /* [n + 1], where a parabola of the envelope begins */
    uint32_t *apex; /* [n] of these */
} row;

/* Put the envelope of a row back into it. */
static void row_envelope(const row *r, uint32_t n, float *out, uint64_t stride)
{
    int64_t last = -1;
    for (uint32_t q = 0; q < n; q++) {
        double begin = -INFINITY;
        if (!(r->value[q] < RILL_DISTANCE_FAR)) continue;
        for (; last >= 0; last--) {
            const double p = r->apex[last];
            begin = (r->value[q] - r->value[r->apex[last]] + (double)q * q - p * p) / (2 * (q - p));
            if (begin > r->from[last]) break;
            begin = -INFINITY;
        }
        r->apex[++last] = q;
        r->from[last] = begin;
    }
    if (last < 0) return; /* the row stays far */
    for (int64_t k = 0, x = 0; x < n; x++) {
        while (k < last && r->from[k + 1] <= (double)x) k++;
        const double far = (double)x - r->apex[k];
        out[(uint64_t)x * stride] = (float)(far * far + r->value[r->apex[k]]);
    }
}

/* The first voxel of row k along an axis. */
static uint64_t row_begin(const uint32_t n[3], int axis, uint64_t k)
{
    const uint64_t plane = (uint64_t)n[0] * n[1];
    return axis == 0 ? k * n[0] : axis == 1 ? k / n[0] * plane + k % n[0] : k;
}

rill_status rill_distances_square(const uint32_t n[3], float *square)
{
    rill_status status = RILL_OK;
    const int threads = omp_get_max_threads();
    const uint32_t longest = n[0] > n[1] ? (n[0] > n[2] ? n[0] : n[2]) : n[1] > n[2] ? n[1] : n[2];
    const uint64_t room = (uint64_t)longest + 1, voxels = (uint64_t)n[0] * n[1] * n[2];
    double *values = NULL, *begins = NULL;
    uint32_t *apexes = NULL;
    RILL_TRY(rill_array_create(room * (uint64_t)threads, sizeof *values, "distances", (void **)&values));
    RILL_TRY(rill_array_create(room * (uint64_t)threads, sizeof *begins, "distances", (void **)&begins));
    RILL_TRY(rill_array_create(room * (uint64_t)threads, sizeof *apexes, "distances", (void **)&apexes));
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t stride = axis == 0 ? 1 : axis == 1 ? n[0] : (uint64_t)n[0] * n[1];
#pragma omp parallel for schedule(static) num_threads(threads)
        for (int64_t k = 0; k < (int64_t)(voxels / n[axis]); k++) {
            const uint64_t at = room * (uint64_t)omp_get_thread_num();
            const row r = {values + at, begins + at, apexes + at};
            float *begin = square + row_begin(n, axis, (uint64_t)k);
            for (uint32_t x = 0; x < n[axis]; x++) r.value[x] = begin[x * stride];
            row_envelope(&r, n[axis], begin, stride);
        }
    }
done:
    rill_array_destroy(values);
    rill_array_destroy(begins);
    rill_array_destroy(apexes);
    return status;
}
