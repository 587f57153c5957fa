/* SPDX-License-Identifier: Apache-2.0 */
/* An opening that becomes a wall: its links, and its voxels, are those of the wall from then on. */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

#include <string.h>

static bool before(const rill_cut *a, const rill_cut *b)
{
    return a->node != b->node ? a->node < b->node : a->direction < b->direction;
}

/* Merge the cuts of the opening with those of the wall: both are in order. */
static rill_status cuts_merge(rill_surface *s, const rill_opening *o)
{
    rill_cut *all = NULL;
    const uint64_t count = s->wall_count + o->cut_count;
    const rill_status status = rill_array_create(count + 1, sizeof *all, "the walls", (void **)&all);
    if (status != RILL_OK) return status;
    for (uint64_t wall = 0, cut = 0; wall + cut < count;) {
        const bool own =
            cut == o->cut_count || (wall < s->wall_count && before(&s->walls[wall], &o->cuts[cut]));
        all[wall + cut] = own ? s->walls[wall] : o->cuts[cut];
        *(own ? &wall : &cut) += 1;
    }
    rill_array_destroy(s->walls);
    s->walls = all;
    s->wall_count = count;
    return RILL_OK;
}

/* Voxels with the label of the opening are fluid like any other. */
static rill_status labels_clear(rill_geom *geom, uint8_t label)
{
    rill_status status = RILL_OK;
    rill_window window = {.geom = geom};
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);) {
        const uint64_t row = geom->n[0], rows = (uint64_t)window.count * geom->n[1];
        for (uint64_t k = 0; k < rows * row; k++)
            if (window.voxels[k] == label) window.voxels[k] = RILL_FLUID;
        RILL_TRY(rill_window_keep(&window, geom));
    }
done:
    rill_window_close(&window);
    return status;
}

rill_status rill_geom_close_opening(rill_geom *geom, const char *name)
{
    rill_status status = RILL_OK;
    rill_surface *s = geom->surface;
    int which = -1;
    for (int k = 0; s && k < s->opening_count; k++)
        if (strcmp(s->openings[k].name, name) == 0) which = k;
    if (which < 0)
        RILL_TRY(rill_fail(RILL_USAGE, "the geometry has no opening \"%.80s\" that could be closed", name));
    RILL_TRY(cuts_merge(s, &s->openings[which]));
    RILL_TRY(labels_clear(geom, s->openings[which].label));
    rill_array_destroy(s->openings[which].cuts);
    rill_array_destroy(s->openings[which].outline);
    memmove(s->openings + which, s->openings + which + 1,
            (size_t)(s->opening_count - which - 1) * sizeof *s->openings);
    s->opening_count--;
done:
    return status;
}
