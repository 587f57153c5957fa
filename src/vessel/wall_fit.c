/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted least squares at a wall, by normal equations of at most four unknowns. */
#include "vessel/wall_fit.h"

#include <math.h>
#include <string.h>

/* A slope is known when the nodes spread along its axis, less what the other axes explain, by more than this
 * part of a voxel squared. Extrapolation multiplies errors of single nodes: weights whose magnitudes add up
 * to more than MAGNITUDE are not worth it. */
static const double SPREAD = 0.02, MAGNITUDE = 6;

/* Solve M y = (1, 0, …) for the symmetric M [n][n] by Cholesky. @return false where a pivot is too small */
static bool solve(double m[4][4], int n, double y[4])
{
    double l[4][4] = {{0}};
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

static bool fit(rill_wall_neighbour *neighbours, int count, int unknowns)
{
    double m[4][4] = {{0}}, y[4], magnitude = 0;
    for (int c = 0; c < count; c++) {
        const double *x = neighbours[c].x, p[4] = {1, x[0], x[1], x[2]};
        for (int i = 0; i < unknowns; i++)
            for (int j = 0; j <= i; j++) m[i][j] += neighbours[c].nearness * p[i] * p[j];
    }
    if (!solve(m, unknowns, y)) return false;
    for (int c = 0; c < count; c++) {
        rill_wall_neighbour *n = &neighbours[c];
        const double p[4] = {1, n->x[0], n->x[1], n->x[2]};
        n->weight = 0;
        for (int i = 0; i < unknowns; i++) n->weight += n->nearness * y[i] * p[i];
        magnitude += fabs(n->weight);
    }
    return magnitude < MAGNITUDE;
}

int rill_wall_fit(rill_wall_neighbour *neighbours, int count)
{
    if (fit(neighbours, count, 4)) return 4;
    if (fit(neighbours, count, 2)) return 2;
    fit(neighbours, count, 1);
    return 1;
}
