/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolates the lead of dense over sparse. */
#include "bench/break_even.h"

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
