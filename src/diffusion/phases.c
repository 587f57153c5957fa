/* SPDX-License-Identifier: Apache-2.0 */
/* Images of several conducting phases: read once for all of them, and once for each but the first. */
#include "core/status.h"
#include "rill.h"

#include <string.h>

static rill_status phases_check(const rill_phase *phases, int count)
{
    if (count < 1 || count > RILL_PHASES)
        return rill_fail(RILL_USAGE, "%d phases: there must be 1 to %d", count, RILL_PHASES);
    for (int i = 0; i < count; i++) {
        const rill_phase *p = &phases[i];
        if (!(p->ratio >= RILL_PHASE_RATIO_LEAST && p->ratio <= RILL_PHASE_RATIO_MOST))
            return rill_fail(
                RILL_USAGE,
                "the phase of grey value %g conducts %g times D0: it must be %g to %g times; leave out what does not conduct",
                p->grey[0], p->ratio, RILL_PHASE_RATIO_LEAST, RILL_PHASE_RATIO_MOST);
        for (int j = 0; j < i; j++)
            if (p->grey[0] <= phases[j].grey[1] && phases[j].grey[0] <= p->grey[1])
                return rill_fail(RILL_USAGE, "grey value %g belongs to two phases: give each its own",
                                 p->grey[0] > phases[j].grey[0] ? p->grey[0] : phases[j].grey[0]);
    }
    return RILL_OK;
}

static rill_status voxelize(const char *path, const void *grey, const rill_voxelize_options *options,
                            rill_progress progress, rill_geom **out, rill_voxelize_report *report)
{
    return grey ? rill_array_voxelize(grey, options, progress, out, report)
                : rill_image_voxelize(path, options, progress, out, report);
}

static rill_status phases_voxelize(const char *path, const void *grey, const rill_voxelize_options *options,
                                   const rill_phase *phases, int count, rill_progress progress,
                                   rill_geom **out, rill_voxelize_report *report)
{
    rill_status status = RILL_OK;
    rill_voxelize_options o = *options;
    rill_geom *geom = NULL, *one = NULL;
    RILL_TRY(phases_check(phases, count));
    o.threshold_given = false;
    o.pore_count = count;
    for (int i = 0; i < count; i++) memcpy(o.pore[i], phases[i].grey, sizeof o.pore[i]);
    RILL_TRY(voxelize(path, grey, &o, progress, &geom, report));
    o.keep = RILL_KEEP_ALL;
    o.pore_count = 1;
    for (int i = 1; i < count; i++) {
        memcpy(o.pore[0], phases[i].grey, sizeof o.pore[0]);
        status = voxelize(path, grey, &o, progress, &one, NULL);
        if (status == RILL_USAGE && i > 0) {
            rill_fail_prefix("the phase of grey value %g", phases[i].grey[0]);
            goto done;
        }
        RILL_TRY(status);
        for (uint64_t v = 0; v < rill_geom_voxels(geom); v++)
            if (one->voxels[v] != RILL_SOLID && geom->voxels[v] != RILL_SOLID)
                geom->voxels[v] = (uint8_t)(RILL_FLUID + i);
        rill_geom_destroy(one);
        one = NULL;
    }
    *out = geom;
    geom = NULL;
done:
    rill_geom_destroy(one);
    rill_geom_destroy(geom);
    return status;
}

rill_status rill_image_voxelize_phases(const char *path, const rill_voxelize_options *options,
                                       const rill_phase *phases, int count, rill_progress progress,
                                       rill_geom **out, rill_voxelize_report *report)
{
    return phases_voxelize(path, NULL, options, phases, count, progress, out, report);
}

rill_status rill_array_voxelize_phases(const void *grey, const rill_voxelize_options *options,
                                       const rill_phase *phases, int count, rill_progress progress,
                                       rill_geom **out, rill_voxelize_report *report)
{
    return phases_voxelize(NULL, grey, options, phases, count, progress, out, report);
}
