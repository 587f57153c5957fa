/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolates the lead of dense over sparse, and bounds the gain of a hybrid from the speeds of its halves.
 */
#include "bench/contest.h"

#include <math.h>

double rill_break_even(const rill_contest *points, int count, bool largest)
{
    double lead = 0, before = NAN, found = NAN;
    for (int k = count - 1; k >= 0; k--) {
        const rill_contest *p = &points[k];
        before = lead;
        lead = largest ? p->dense - p->sparse : p->sparse - p->dense;
        if (!(lead > 0)) {
            if (k == count - 1) return NAN;
            const rill_contest *above = p + 1;
            return p->porosity + (above->porosity - p->porosity) * lead / (lead - before);
        }
        found = p->porosity;
    }
    return found;
}

double rill_hybrid_gain(const rill_hybrid *speeds)
{
    const double whole = 1 / speeds->sparse, free_sparse = speeds->free / speeds->sparse_free,
                 free_dense = speeds->free / speeds->dense_free;
    if (free_sparse >= whole) return NAN;
    return free_dense < free_sparse ? whole / (whole - free_sparse + free_dense) : 1;
}

double rill_hybrid_gain_all(const rill_hybrid *speeds)
{
    return fmax(speeds->dense_free / speeds->sparse, 1);
}
