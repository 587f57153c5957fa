/* SPDX-License-Identifier: Apache-2.0 */
/* Weighted least squares at a wall, by normal equations of at most 13 unknowns. */
#include "vessel/wall/wall_fit.h"

#include <math.h>
#include <string.h>

enum { QUADRATIC = 10, LINEAR = 4, INTEGRAL = 13 };

/* A coefficient is known when the nodes spread along its term, less what the other terms explain, by more
 * than this part of a voxel squared. Extrapolation multiplies errors of single nodes: weights whose
 * magnitudes add up to more than these are not worth it. Quadratic ones of a plane wall add up to 5, linear
 * ones to 2.5.
 */
static const double SPREAD = 0.02, MAGNITUDE_QUADRATIC = 10, MAGNITUDE = 6;

/*
 * Of rill_wall_fit_integral(): the weight of integrals, and how many voxels inside of the cuts the velocity
 * is 0, of oblique pipes and flat walls (docs/vessels.md). Integrals say more of thin layers, and are further
 * off beside walls.
 */
static const double INTEGRALS = 0.09, INSIDE = 0.015;

/* Solve M y = (1, 0, …) for the symmetric M [n][n] by Cholesky. @return false where a pivot is too small */
static bool solve(double m[INTEGRAL][INTEGRAL], int n, double y[INTEGRAL])
{
    double l[INTEGRAL][INTEGRAL] = {{0}};
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
    double m[INTEGRAL][INTEGRAL] = {{0}}, y[INTEGRAL], p[QUADRATIC], magnitude = 0;
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

/* The integrals of terms_of() from the wall on, across it, and what is 0 at a curved wall. */
static void integrals_of(const double x[3], double p[INTEGRAL])
{
    terms_of(x, p);
    for (int a = 0, k = LINEAR; a < 3; a++)
        for (int b = a; b < 3; b++, k++) {
            if (a > 0) p[QUADRATIC + k - LINEAR - 3] = p[k];
            p[k] *= x[0] / (1 + (a == 0) + (a == 0 && b == 0));
        }
    p[0] = x[0] - INSIDE;
    p[1] = x[0] * x[0] / 2;
    for (int a = 1; a < 3; a++) p[1 + a] = x[0] * x[a];
}

bool rill_wall_fit_integral(rill_wall_neighbour *neighbours, int count)
{
    double m[INTEGRAL][INTEGRAL] = {{0}}, y[INTEGRAL], p[2][INTEGRAL] = {{0}}, magnitude = 0;
    if (count < INTEGRAL) return false;
    for (int c = 0; c < count; c++) {
        terms_of(neighbours[c].x, p[0]);
        integrals_of(neighbours[c].x, p[1]);
        for (int i = 0; i < INTEGRAL; i++)
            for (int j = 0; j <= i; j++)
                m[i][j] += neighbours[c].nearness * (p[0][i] * p[0][j] + INTEGRALS * p[1][i] * p[1][j]);
    }
    if (!solve(m, INTEGRAL, y)) return false;
    for (int c = 0; c < count; c++) {
        rill_wall_neighbour *n = &neighbours[c];
        terms_of(n->x, p[0]);
        integrals_of(n->x, p[1]);
        n->weight = n->integral = 0;
        for (int i = 0; i < INTEGRAL; i++) {
            n->weight += n->nearness * y[i] * p[0][i];
            n->integral += n->nearness * INTEGRALS * y[i] * p[1][i];
        }
        magnitude += fabs(n->weight) + fabs(n->integral) * n->x[0];
    }
    return magnitude < MAGNITUDE_QUADRATIC;
}
