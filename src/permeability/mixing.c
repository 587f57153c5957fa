/* SPDX-License-Identifier: Apache-2.0 */
#include "permeability/mixing.h"
#include "core/memory.h"
#include "core/status.h"
#include "core/threads.h"

#include <math.h>
#include <string.h>

/* Directions that add less than this to those before them are left out. */
#define INDEPENDENT 1e-9
/* Entries of vectors that a thread takes at a time, and that stay in its cache. */
enum { PIECE = 1024 };

static const char *const history = "the history of pressures";

static uint64_t pieces_of(uint64_t size) { return (size + PIECE - 1) / PIECE; }

uint64_t rill_mixing_bytes(uint64_t size, uint64_t iterations)
{
    const uint64_t changes = iterations < 1 ? 0 : iterations - 1;
    const uint64_t kept = changes < RILL_MIXING_DEPTH ? changes : RILL_MIXING_DEPTH;
    return 2 * size * sizeof(double) + 2 * kept * size * sizeof(float) +
           2 * RILL_MIXING_DEPTH * pieces_of(size) * sizeof(double);
}

rill_status rill_mixing_create(uint32_t size, rill_mixing *out)
{
    rill_status status = RILL_OK;
    *out = (rill_mixing){.size = size};
    double **const pair[] = {&out->x, &out->r};
    for (int k = 0; k < 2; k++)
        RILL_TRY(rill_array_create_zero(size, sizeof **pair[k], history, (void **)pair[k]));
    for (int k = 0; k < 2 * RILL_MIXING_DEPTH; k++) {
        float **array = k % 2 ? &out->dr[k / 2] : &out->dx[k / 2];
        RILL_TRY(rill_array_create_zero(size, sizeof **array, history, (void **)array));
    }
    RILL_TRY(rill_array_create_zero(pieces_of(size), sizeof *out->partial, history, (void **)&out->partial));
done:
    if (status != RILL_OK) rill_mixing_destroy(out);
    return status;
}

void rill_mixing_forget(rill_mixing *mixing) { mixing->made = 0; }

void rill_mixing_destroy(rill_mixing *mixing)
{
    rill_array_destroy(mixing->x);
    rill_array_destroy(mixing->r);
    rill_array_destroy(mixing->partial);
    for (int k = 0; k < RILL_MIXING_DEPTH; k++) {
        rill_array_destroy(mixing->dx[k]);
        rill_array_destroy(mixing->dr[k]);
    }
    memset(mixing, 0, sizeof *mixing);
}

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
    const double *x, *r, *weight, *gamma;
    const int *order; /* the latest first */
    int known;
    double *step;
} entries;

/* Sum up the products of a change of r with another one, and with r. */
static void multiply(const entries *e, int i, uint64_t first, uint64_t end, double (*sums)[RILL_MIXING_DEPTH])
{
    const rill_mixing *mixing = e->mixing;
    const float *with = mixing->dr[e->order[i]], *latest = mixing->dr[e->order[0]];
    const double *r = mixing->r;
    double changes = 0, rest = 0;
    for (uint64_t k = first; k < end; k++) {
        const double weighted = (e->weight ? e->weight[k] : 1) * (double)with[k];
        changes += weighted * (double)latest[k];
        rest += weighted * r[k];
    }
    sums[0][i] = changes;
    sums[1][i] = rest;
}

/* Remember an iteration, and how it differs from the one before, and sum up products. */
static void remember(const void *shared, uint64_t first_piece, uint64_t end_piece)
{
    const entries *e = shared;
    const rill_mixing *mixing = e->mixing;
    for (uint64_t piece = first_piece; piece < end_piece; piece++) {
        const uint64_t first = piece * PIECE,
                       end = first + PIECE < mixing->size ? first + PIECE : mixing->size;
        for (uint64_t k = first; k < end && e->known; k++) {
            mixing->dx[e->order[0]][k] = (float)(e->x[k] - mixing->x[k]);
            mixing->dr[e->order[0]][k] = (float)(e->r[k] - mixing->r[k]);
        }
        for (uint64_t k = first; k < end; k++) {
            mixing->x[k] = e->x[k];
            mixing->r[k] = e->r[k];
        }
        for (int i = 0; i < e->known; i++) multiply(e, i, first, end, mixing->partial[piece]);
    }
}

/* Add up the sums of pieces, one after the other: the same bits for any number of threads. */
static double sum_of(const rill_mixing *mixing, int which, int i)
{
    double sum = 0;
    for (uint64_t piece = 0; piece < pieces_of(mixing->size); piece++)
        sum += mixing->partial[piece][which][i];
    return sum;
}

static void combine(const void *shared, uint64_t first, uint64_t end)
{
    const entries *e = shared;
    const rill_mixing *mixing = e->mixing;
    for (uint64_t k = first; k < end; k++) {
        double sum = mixing->r[k];
        for (int i = 0; i < e->known; i++)
            sum -= e->gamma[i] * ((double)mixing->dx[e->order[i]][k] + (double)mixing->dr[e->order[i]][k]);
        e->step[k] = sum;
    }
}

void rill_mixing_step(rill_mixing *mixing, const double *x, const double *r, const double *weight,
                      double *step)
{
    double a[RILL_MIXING_DEPTH][RILL_MIXING_DEPTH], gamma[RILL_MIXING_DEPTH];
    int order[RILL_MIXING_DEPTH]; /* the latest first: the others only add to it */
    const int latest = (mixing->made + RILL_MIXING_DEPTH - 1) % RILL_MIXING_DEPTH;
    const int known = mixing->made < RILL_MIXING_DEPTH ? mixing->made : RILL_MIXING_DEPTH;
    const entries all = {mixing, x, r, weight, gamma, order, known, step};
    for (int i = 0; i < known; i++) order[i] = (latest + RILL_MIXING_DEPTH - i) % RILL_MIXING_DEPTH;
    rill_threads_for(pieces_of(mixing->size), 1, remember, &all);
    mixing->made++;
    for (int i = 0; i < known; i++) { /* the latest is all that is new */
        mixing->products[order[i]][latest] = sum_of(mixing, 0, i);
        for (int j = 0; j <= i; j++) a[i][j] = mixing->products[order[i]][order[j]];
        gamma[i] = sum_of(mixing, 1, i);
    }
    solve(known, a, gamma);
    rill_threads_for(mixing->size, PIECE, combine, &all);
}
