/* SPDX-License-Identifier: Apache-2.0 */
/* Coordinates of voxels become a spacing where their steps are equal. */
#include "geometry/image/coordinates.h"
#include "geometry/image/image_priv.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Steps may differ by this part of a step: coordinates are often in single precision. */
static const double STEP_TOLERANCE = 1e-3;

/* Return the step of an axis; 0: unknown or uneven. */
static double step_of(const rill_coordinates *c)
{
    if (c->count < 2) return 0;
    const double step = c->first[1] - c->first[0], mean = (c->last - c->first[0]) / (double)(c->count - 1);
    return isfinite(step) && isfinite(mean) && fabs(step - mean) <= STEP_TOLERANCE * fabs(mean) ? fabs(mean)
                                                                                                : 0;
}

/* Axes that are called x, y and z go there. */
static void set_axes(rill_image *image, const rill_coordinates *c, int rank)
{
    int axes[3] = {0, 1, 2}, seen = 0;
    for (int k = 0; k < rank; k++) {
        const int letter = tolower((unsigned char)c[k].name[0]);
        if (letter < 'x' || letter > 'z' || c[k].name[1]) return;
        axes[k] = letter - 'x';
        seen |= 1 << axes[k];
    }
    if (seen == (rank == 3 ? 7 : 3)) memcpy(image->axes, axes, sizeof axes);
}

void rill_image_set_coordinates(rill_image *image, const rill_coordinates *c, int rank)
{
    double step[3] = {0}, unit[3] = {0};
    bool metric = true, bare = true;
    set_axes(image, c, rank);
    for (int k = 0; k < rank; k++) {
        step[k] = step_of(&c[k]);
        unit[k] = rill_image_unit(c[k].unit);
        metric = metric && unit[k] > 0;
        bare = bare && !*c[k].unit;
        if (c[k].count < 2) return;
    }
    if (rank == 2) step[2] = step[0], unit[2] = unit[0];
    if (!(step[0] > 0 && step[1] > 0 && step[2] > 0)) {
        rill_image_note_spacing(image, "its coordinates are uneven: --voxel-size sets the voxel size");
        return;
    }
    if (!metric && !bare) {
        rill_image_note_spacing(
            image, "its coordinates are no lengths (\"%.40s\"): --voxel-size sets the voxel size", c[0].unit);
        return;
    }
    for (int k = 0; k < 3; k++) step[k] *= metric ? unit[k] : 1;
    rill_image_set_spacing(image, "its coordinates", step, 1, metric);
    if (!metric)
        rill_image_note_spacing(image, "its coordinates have no unit: --voxel-size sets the voxel size");
}
