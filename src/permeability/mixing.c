/* SPDX-License-Identifier: Apache-2.0 */
#include "permeability/mixing.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Directions that add less than this to those before them are left out. */
#define INDEPENDENT 1e-9
/* Entries of vectors that a thread takes at a time. */
enum { PIECE = 4096 };

uint64_t rill_mixing_bytes(uint64_t size) { return (2 + 2 * RILL_MIXING_DEPTH) * size * sizeof(double); }

rill_status rill_mixing_create(uint32_t size, rill_mixing *out)
{
    rill_status status = RILL_OK;
    *out = (rill_mixing){.size = size};
    double **const pair[] = {&out->x, &out->r};
    for (int k = 0; k < 2 + 2 * RILL_MIXING_DEPTH; k++) {
        double **array = k < 2 ? pair[k] : k % 2 ? &out->dr[k / 2 - 1] : &out->dx[k / 2 - 1];
        RILL_TRY(rill_array_create_zero(size, sizeof **array, "the history of pressures", (void **)array));
    }
done:
    if (status != RILL_OK) rill_mixing_destroy(out);
    return status;
}

void rill_mixing_destroy(rill_mixing *mixing)
{
    rill_array_destroy(mixing->x);
    rill_array_destroy(mixing->r);
    for (int k = 0; k < RILL_MIXING_DEPTH; k++) {
        rill_array_destroy(mixing->dx[k]);
        rill_array_destroy(mixing->dr[k]);
    }
    memset(mixing, 0, sizeof *mixing);
}

void rill_mixing_restart(rill_mixing *mixing) { mixing->made = 0; }

/* Solve a y = b with the symmetric a of `n` rows by Cholesky's way; columns that depend on others get 0. */
static void solve(int n, double a[][RILL_MIXING_DEPTH], double *b)
{
    for (int i = 0; i < n; i++) {
        const double before = a[i][i];
        for (int k = 0; k < i; k++) a[i][i] -= a[i][k] * a[i][k];
        const bool independent = a[i][i] > INDEPENDENT * before;
        a[i][i] = independent ? sqrt(a[i][i]) : INFINITY; /* dividing by it makes zeros */
        for (int j = i + 1; j < n; j++) {
            for (int k = 0; k < i; k++) a[j][i] -= a[j][k] * a[i][k];
            a[j][i] /= a[i][i];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= a[i][k] * b[k];
        b[i] /= a[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= a[k][i] * b[k];
        b[i] /= a[i][i];
    }
}

/* What a loop over entries works with. */
typedef struct entries {
    const rill_mixing *mixing;
    const double *x, *r, *gamma;
    const int *order;
    int known, latest;
    double *step;
} entries;

/* Remember an iteration, and how it differs from the one before. */
static void remember(const void *shared, uint64_t first, uint64_t end)
{
    const entries *e = shared;
    const rill_mixing *mixing = e->mixing;
    double *dx = mixing->dx[e->latest], *dr = mixing->dr[e->latest];
    for (uint64_t k = first; k < end; k++) {
        if (e->known) {
            dx[k] = e->x[k] - mixing->x[k];
            dr[k] = e->r[k] - mixing->r[k];
        }
        mixing->x[k] = e->x[k];
        mixing->r[k] = e->r[k];
    }
}

static void combine(const void *shared, uint64_t first, uint64_t end)
{
    const entries *e = shared;
    const rill_mixing *mixing = e->mixing;
    for (uint64_t k = first; k < end; k++) {
        double sum = mixing->r[k];
        for (int i = 0; i < e->known; i++)
            sum -= e->gamma[i] * (mixing->dx[e->order[i]][k] + mixing->dr[e->order[i]][k]);
        e->step[k] = sum;
    }
}

void rill_mixing_step(rill_mixing *mixing, const double *x, const double *r,
                      double (*dot)(const void *context, const double *a, const double *b),
                      const void *context, double *step)
{
    double a[RILL_MIXING_DEPTH][RILL_MIXING_DEPTH], gamma[RILL_MIXING_DEPTH];
    int order[RILL_MIXING_DEPTH]; /* the latest first: the others only add to it */
    const int latest = (mixing->made + RILL_MIXING_DEPTH - 1) % RILL_MIXING_DEPTH;
    const int known = mixing->made < RILL_MIXING_DEPTH ? mixing->made : RILL_MIXING_DEPTH;
    const double *dr = mixing->dr[latest];
    const entries all = {mixing, x, r, gamma, order, known, latest, step};
    rill_threads_for(mixing->size, PIECE, remember, &all);
    mixing->made++;
    for (int i = 0; i < known; i++) order[i] = (latest + RILL_MIXING_DEPTH - i) % RILL_MIXING_DEPTH;
    for (int i = 0; i < known; i++) { /* the latest is all that is new */
        mixing->products[order[i]][latest] = dot(context, mixing->dr[order[i]], dr);
        for (int j = 0; j <= i; j++) a[i][j] = mixing->products[order[i]][order[j]];
        gamma[i] = dot(context, mixing->dr[order[i]], mixing->r);
    }
    solve(known, a, gamma);
    rill_threads_for(mixing->size, PIECE, combine, &all);
}
