/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted least squares at a wall, by normal equations of at most ten unknowns. */
#include "vessel/wall_fit.h"

#include <math.h>
#include <string.h>

enum { QUADRATIC = 10, LINEAR = 4 };

/* A coefficient is known when the nodes spread along its term, less what the other terms explain, by more
 * than this part of a voxel squared. Extrapolation multiplies errors of single nodes: weights whose
 * magnitudes add up to more than these are not worth it. Quadratic ones of a plane wall add up to 5, linear
 * ones to 2.5.
 */
static const double SPREAD = 0.02, MAGNITUDE_QUADRATIC = 10, MAGNITUDE = 6;

/* Solve M y = (1, 0, …) for the symmetric M [n][n] by Cholesky. @return false where a pivot is too small */
static bool solve(double m[QUADRATIC][QUADRATIC], int n, double y[QUADRATIC])
{
    double l[QUADRATIC][QUADRATIC] = {{0}};
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double rest = m[i][j];
            for (int k = 0; k < j; k++) rest -= l[i][k] * l[j][k];
            if (i == j && !(rest > SPREAD * m[0][0])) return false;
            l[i][j] = i == j ? sqrt(rest) : rest / l[j][j];
        }
    for (int i = 0; i < n; i++) {
        y[i] = i == 0;
        for (int k = 0; k < i; k++) y[i] -= l[i][k] * y[k];
        y[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) y[i] -= l[k][i] * y[k];
        y[i] /= l[i][i];
    }
    return true;
}

/* The terms of a polynomial: 1, across, along, and their products. */
static void terms_of(const double x[3], double p[QUADRATIC])
{
    p[0] = 1;
    for (int a = 0, k = LINEAR; a < 3; a++) {
        p[1 + a] = x[a];
        for (int b = a; b < 3; b++) p[k++] = x[a] * x[b];
    }
}

static bool fit(rill_wall_neighbour *neighbours, int count, int unknowns)
{
    double m[QUADRATIC][QUADRATIC] = {{0}}, y[QUADRATIC], p[QUADRATIC], magnitude = 0;
    if (count < unknowns) return false;
    for (int c = 0; c < count; c++) {
        terms_of(neighbours[c].x, p);
        for (int i = 0; i < unknowns; i++)
            for (int j = 0; j <= i; j++) m[i][j] += neighbours[c].nearness * p[i] * p[j];
    }
    if (!solve(m, unknowns, y)) return false;
    for (int c = 0; c < count; c++) {
        rill_wall_neighbour *n = &neighbours[c];
        terms_of(n->x, p);
        n->weight = 0;
        for (int i = 0; i < unknowns; i++) n->weight += n->nearness * y[i] * p[i];
        magnitude += fabs(n->weight);
    }
    return magnitude < (unknowns == QUADRATIC ? MAGNITUDE_QUADRATIC : MAGNITUDE);
}

int rill_wall_fit(rill_wall_neighbour *neighbours, int count)
{
    static const int unknowns[] = {QUADRATIC, LINEAR, 2};
    for (int k = 0; k < 3; k++)
        if (fit(neighbours, count, unknowns[k])) return unknowns[k];
    fit(neighbours, count, 1);
    return 1;
}
