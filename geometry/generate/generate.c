/* SPDX-License-Identifier: Apache-2.0 */
/* What every generator does at its beginning or end. The shapes are in the files generate_<shape>.c. */
#include "geometry/generate/generate_priv.h"

#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <string.h>

rill_status rill_generate_finish(rill_geom *geom, const char *name)
{
    geom->porosity.total = (double)rill_geom_fluid(geom) / (double)rill_geom_voxels(geom);
    geom->source = strdup(name);
    return geom->source ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for the name of a generator");
}

rill_status rill_generate_fill(rill_geom *geom, uint8_t value)
{
    rill_status status = RILL_OK;
    const uint64_t slice = (uint64_t)geom->n[0] * geom->n[1];
    rill_window window = {.geom = geom};
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);) {
#pragma omp parallel for schedule(static)
        for (uint32_t z = window.first; z < end; z++) memset(rill_window_row(&window, 0, z), value, slice);
        RILL_TRY(rill_window_keep(&window, geom));
    }
done:
    rill_window_close(&window);
    return status;
}

rill_status rill_generate_check_porosity(double porosity)
{
    if (porosity > 0 && porosity < 1) return RILL_OK;
    return rill_fail(
        RILL_USAGE, "a porosity of %g is not between 0 and 1: give the pore fraction, such as 0.4", porosity);
}

double rill_generate_cube_root(double x)
{
    double y = x > 1 ? x : 1;
    for (;;) { /* Newton's method from above */
        const double next = y - (y - x / (y * y)) / 3;
        if (!(next < y)) return y;
        y = next;
    }
}
