/* SPDX-License-Identifier: Apache-2.0 */
/* How far an item and a batch have come. */
#include "batch/part.h"

#include "batch/compute.h"
#include "geometry/voxels/axes.h"

#include <math.h>

/* Estimates of the time of a flow agree within this factor; the end of a batch is stated once this part of
 * what it computes is done. */
#define AGREE 1.5
#define STATED 0.1

rill_batch_part rill_batch_part_begin(void) { return (rill_batch_part){.axis = -1}; }

void rill_batch_part_note(rill_batch_part *part, int asked, int axis, double now, double left)
{
    const int axes = rill_axes_count(asked);
    if (axis != part->axis) {
        part->axis = axis;
        part->begun = now;
        part->whole = 0;
    }
    if (left < 0) return;
    const double passed = now - part->begun, whole = passed + left + 1e-9;
    const bool agree = whole <= AGREE * part->whole && part->whole <= AGREE * whole;
    int before = 0;
    part->whole = whole;
    for (int a = 0; a < axis; a++) before += rill_axes_has(asked, a);
    if (agree) part->done = fmax(part->done, axes > 1 ? (before + passed / whole) / axes : passed / whole);
}

void rill_batch_standing_add(rill_batch_standing *standing, const rill_batch_row *row, double weight)
{
    standing->ended++;
    standing->failed += row->status != RILL_OK;
    standing->done += weight;
    if (!row->resumed && rill_batch_row_is_result(row)) standing->fresh += weight;
}

double rill_batch_standing_left(const rill_batch_standing *standing, double seconds)
{
    const double left = standing->all - standing->done;
    const bool known = standing->fresh > 0 && standing->fresh >= STATED * (standing->fresh + left);
    return known ? seconds * left / standing->fresh : -1;
}
