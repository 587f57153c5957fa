/* SPDX-License-Identifier: Apache-2.0 */
/* Richardson extrapolation with the order that the grids show, and what to say when they show none. */
#include "permeability/refinement.h"

#include <math.h>

enum { LEVELS = RILL_ERROR_BAR_LEVELS };

/* Orders that are believed; half-way walls make 2, edges of voxels that stick out into the flow 1.09. */
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

/* (1 - 2^-p) / (2^-p - 3^-p): ln 2 / ln 1.5 at p = 0, and growing. */
static double ratio(double p)
{
    const double two = exp2(-p), three = pow(3, -p);
    return (1 - two) / (two - three);
}

/* The observed order by bisection; NaN below 0.01 and above 10. */
static double order_find(const double *k)
{
    const double wanted = (k[0] - k[1]) / (k[1] - k[2]);
    double low = 0.01, high = 10;
    if (!(wanted > ratio(low) && wanted < ratio(high))) return NAN;
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        *(ratio(middle) < wanted ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

/* k0 of k0 + C h^p through the two finest values. */
static double limit_find(const double *k, double p)
{
    const double two = exp2(-p), three = pow(3, -p);
    return k[2] - (k[1] - k[2]) * three / (two - three);
}

static bool is_sane(const double *k, double p)
{
    return p >= ORDER_MIN && p <= ORDER_MAX && limit_find(k, p) > 0;
}

/* What the uncertainties of the values do to the limit; infinity when they may do away with the order. */
static double spread(const double *k, const double *u, double limit)
{
    double sum = 0;
    for (int level = 0; level < LEVELS; level++) {
        double furthest = 0;
        for (int sign = -1; sign <= 1; sign += 2) {
            double moved[LEVELS];
            for (int l = 0; l < LEVELS; l++) moved[l] = k[l] + (l == level ? sign * u[l] : 0);
            const double p = order_find(moved);
            if (!is_sane(moved, p)) return INFINITY;
            furthest = fmax(furthest, fabs(limit_find(moved, p) - limit));
        }
        sum += furthest;
    }
    return sum;
}

rill_refinement rill_refinement_take(const double *k, const double *u)
{
    rill_refinement r = {.order = order_find(k)};
    if (is_sane(k, r.order)) {
        r.limit = limit_find(k, r.order);
        const double noise = spread(k, u, r.limit);
        r.sane = isfinite(noise);
        r.uncertainty =
            fmax(fabs(r.limit - limit_find(k, ORDER_EDGES)), fabs(r.limit - limit_find(k, ORDER_WALLS)));
        r.uncertainty = fmax(r.uncertainty, BEYOND * fabs(r.limit - k[2]));
        r.uncertainty += noise;
    }
    if (!r.sane) {
        const double high = fmax(k[0], fmax(k[1], k[2])), low = fmin(k[0], fmin(k[1], k[2]));
        r.limit = k[2];
        r.uncertainty = RANGE_FACTOR * (high - low) + u[0] + u[1] + u[2];
    }
    return r;
}
