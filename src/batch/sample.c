/* SPDX-License-Identifier: Apache-2.0 */
/* The row "sample" of an error bar: blocks of the image, each computed as an item of a batch would be, one
 * after the other. */
#include "batch/compute.h"
#include "batch/rev.h"
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/axes.h"

#include <math.h>
#include <stdio.h>

/* A block in the making. */
typedef struct watched {
    rill_progress progress;
    size_t number, count;
} watched;

/* Moments of a block are handed on with its number. */
static bool relay(void *context, const rill_progress_moment *moment)
{
    const watched *w = context;
    char what[64];
    rill_progress_moment own = *moment;
    snprintf(what, sizeof what, "sample, block %zu of %zu", w->number + 1, w->count);
    own.what = what;
    return w->progress.fn(w->progress.context, &own);
}

static rill_status blocks_compute(const rill_batch_options *o, const rill_batch_item *items, size_t count,
                                  rill_progress progress, rill_batch_row *rows)
{
    rill_status status = RILL_OK;
    rill_gate gate; /* of one item after the other: nothing waits */
    watched w = {.progress = progress, .count = count};
    const rill_batch_worker worker = {.options = o,
                                      .gate = &gate,
                                      .device = o->permeability.on.device,
                                      .progress = {progress.fn ? relay : NULL, &w}};
    rill_gate_init(&gate, UINT64_MAX, &(const uint64_t){UINT64_MAX}, 1);
    for (; w.number < count; w.number++) {
        rill_batch_row *row = &rows[w.number];
        double updates;
        rill_batch_row_init(&items[w.number], row);
        (void)rill_batch_compute_item(&worker, &items[w.number], false, row, &updates);
        if (row->status == RILL_SYSTEM || row->status == RILL_CANCELLED)
            RILL_TRY(rill_fail(row->status, "%s", row->message));
    }
done:
    rill_gate_close(&gate);
    return status;
}

/* Put what the blocks say into the row. */
static void row_put(const rill_block_grid *grid, const rill_batch_row *rows, const rill_geom *geom, int axes,
                    rill_error_bar *bar)
{
    double half[3] = {NAN, NAN, NAN};
    char note[256] = "";
    for (int a = 0; a < 3; a++) {
        rill_sample_error error;
        double range[2];
        if (!rill_axes_has(axes, a) || !isfinite(bar->k[a])) continue;
        const rill_rev_quantity k = (rill_rev_quantity)(RILL_REV_K_X + a);
        const bool enough = rill_rev_sample_error(grid, rows, k, (double)rill_geom_sample(geom), &error);
        if (enough) rill_rev_sample_range(&error, range);
        if (!enough)
            snprintf(
                note, sizeof note,
                "%d blocks with a result are needed, and one that conducts along %c; %zu of %u voxels have one: choose a smaller edge",
                RILL_SAMPLE_BLOCKS, rill_axis(a), error.blocks, grid->edge);
        else if (!isfinite(range[1]))
            snprintf(
                note, sizeof note,
                "k of %zu blocks of %u voxels scatters so much that the material may have any k: a larger image is needed",
                error.blocks, grid->edge);
        if (!enough || !isfinite(range[1]))
            return rill_error_bar_put(bar, RILL_ERROR_SAMPLE, RILL_ERROR_UNKNOWN, NULL, NULL, note);
        half[a] = fmax(range[1] - 1, 1 - range[0]);
        snprintf(
            note, sizeof note,
            "the larger side of an interval of 95 %% (Student's t) for k of the material, from %zu blocks of %u voxels taken as independent",
            error.blocks, grid->edge);
    }
    rill_error_bar_put(bar, RILL_ERROR_SAMPLE, RILL_ERROR_KNOWN, NULL, half, note);
}

rill_status rill_error_bar_sample(const rill_geom *geom, const rill_permeability_options *options,
                                  uint32_t edge, rill_progress progress, rill_error_bar *bar)
{
    rill_status status = RILL_OK;
    rill_geom mirrored = *geom; /* a view: nothing of it is owned, or changed */
    rill_block_grid grid;
    rill_batch_item *items = NULL;
    rill_batch_row *rows = NULL;
    size_t count;
    rill_batch_options o = rill_batch_options_default();
    o.permeability = *options;
    o.permeability.axis = rill_axes_resolve(options->axis, geom->n);
    o.permeability.wall_room = o.permeability.keep_all = false;
    o.stream_given = o.addressing_given = true; /* as in the plain run */
    mirrored.greys = NULL;
    for (int a = 0; a < 3; a++) mirrored.sides[a] = RILL_MIRROR;
    RILL_TRY(rill_blocks_create(&mirrored, "sample", &edge, 1, &grid, &items, &count));
    RILL_TRY(rill_array_create_zero(count, sizeof *rows, "blocks of the sample", (void **)&rows));
    RILL_TRY(blocks_compute(&o, items, count, progress, rows));
    row_put(&grid, rows, geom, o.permeability.axis, bar);
done:
    if (status != RILL_OK)
        rill_error_bar_put(bar, RILL_ERROR_SAMPLE, RILL_ERROR_UNKNOWN, NULL, NULL, rill_error_message());
    rill_array_destroy(rows);
    rill_blocks_free(items);
    return status;
}
