/* SPDX-License-Identifier: Apache-2.0 */
/* Richardson extrapolation with the order that the grids show, and what to say when they show none. */
#include "core/refinement.h"

#include <math.h>

enum { LEVELS = RILL_REFINEMENT_LEVELS };

/* Orders that are used; half-way bounce-back has 2, edges of voxels that stick out into the flow 1.09. */
#define ORDER_MIN 0.5
#define ORDER_MAX 2.5
/* Fine enough grids have an order between these: that of edges, rounded down, and that of plane walls. Grids
 * that are not fine enough may show any, on either side of the one that they go on with. */
#define ORDER_EDGES 1.0
#define ORDER_WALLS 2.0
/* What a safety factor of 1.25 puts beyond the limit. */
#define BEYOND 0.25
/* Safety factor on the range of the values where no order is to be had. */
#define RANGE_FACTOR 3

/* (h1^p - h2^p) / (h2^p - h3^p): ln(h1/h2) / ln(h2/h3) at p = 0, and growing. */
static double ratio(const double *h, double p)
{
    return (pow(h[0] / h[1], p) - 1) / (1 - pow(h[2] / h[1], p));
}

/* The observed order by bisection; NaN below 0.01 and above 10. */
static double order_find(const double *h, const double *k)
{
    const double wanted = (k[0] - k[1]) / (k[1] - k[2]);
    double low = 0.01, high = 10;
    if (!(wanted > ratio(h, low) && wanted < ratio(h, high))) return NAN;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(ratio(h, middle) < wanted ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* k0 of k0 + C h^p through the two finest values. */
static double limit_find(const double *h, const double *k, double p)
{
    return k[2] - (k[1] - k[2]) / (pow(h[1] / h[2], p) - 1);
}

static bool is_sane(const double *h, const double *k, double p)
{
    return p >= ORDER_MIN && p <= ORDER_MAX && limit_find(h, k, p) * k[2] > 0;
}

/* What the uncertainties of the values do to the limit; infinity when they may do away with the order. */
static double spread(const double *h, const double *k, const double *u, double limit)
{
    double sum = 0;
    for (int level = 0; level < LEVELS; level++) {
        double furthest = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[LEVELS];
            for (int l = 0; l < LEVELS; l++) moved[l] = k[l] + (l == level ? sign * u[l] : 0);
            const double p = order_find(h, moved);
            if (!is_sane(h, moved, p)) return INFINITY;
            furthest = fmax(furthest, fabs(limit_find(h, moved, p) - limit));
        }
        sum += furthest;
    }
    return sum;
}

/* Return how far the limit of first order may be from the finest value, which the values' own uncertainties
 * move. */
static double first_order(const double *h, const double *k, const double *u)
{
    return (fabs(k[1] - k[2]) + u[1] + u[2]) / (pow(h[1] / h[2], ORDER_EDGES) - 1) + u[2];
}

rill_refinement rill_refinement_take(const double *h, const double *k, const double *u)
{
    rill_refinement r = {.order = order_find(h, k)};
    if (is_sane(h, k, r.order)) {
        r.limit = limit_find(h, k, r.order);
        const double noise = spread(h, k, u, r.limit);
        r.sane = isfinite(noise);
        r.uncertainty = fmax(fabs(r.limit - limit_find(h, k, ORDER_EDGES)),
                             fabs(r.limit - limit_find(h, k, ORDER_WALLS)));
        r.uncertainty = fmax(r.uncertainty, BEYOND * fabs(r.limit - k[2]));
        r.uncertainty += noise;
    }
    if (!r.sane) {
        const double high = fmax(k[0], fmax(k[1], k[2])), low = fmin(k[0], fmin(k[1], k[2]));
        r.limit = k[2];
        r.uncertainty = fmax(RANGE_FACTOR * (high - low) + u[0] + u[1] + u[2], first_order(h, k, u));
    }
    return r;
}
