/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of slices. */
#include "io/pictures.h"

#include "core/status.h"

#include <math.h>

enum { LEAST = 480 /* pixels of the longer edge, at least */ };

rill_picture_range rill_picture_range_of(const rill_slice *slice, rill_picture_scale scale)
{
    rill_picture_range range = {INFINITY, -INFINITY};
    const uint64_t pixels = (uint64_t)slice->width * slice->height;
    for (uint64_t p = 0; p < pixels; p++) {
        const double value = slice->values[p];
        if (!isfinite(value) || (scale == RILL_PICTURE_LOG && value <= 0)) continue;
        range.low = fmin(range.low, value);
        range.high = fmax(range.high, value);
    }
    if (range.low > range.high)
        return scale == RILL_PICTURE_LOG ? (rill_picture_range){1, 1} : (rill_picture_range){0, 0};
    if (scale == RILL_PICTURE_LOG) range.low = fmax(range.low, range.high * 1e-6);
    return range;
}

static void draw_slice(const rill_canvas *c, uint32_t zoom, const rill_slice *slice, rill_picture_range range,
                       rill_picture_scale scale)
{
    static const uint8_t solid[3] = {170, 170, 170};
    uint8_t rgb[3];
    for (uint32_t v = 0; v < slice->height; v++)
        for (uint32_t u = 0; u < slice->width; u++) {
            const float value = slice->values[(size_t)v * slice->width + u];
            if (!isnan(value)) rill_picture_colour(rill_picture_place(range, scale, value), rgb);
            rill_canvas_fill(c, u * zoom, (slice->height - 1 - v) * zoom, zoom, zoom,
                             isnan(value) ? solid : rgb);
        }
}

rill_status rill_picture_write(const rill_slice *slice, rill_picture_scale scale, const char *path)
{
    rill_status status = RILL_OK;
    rill_canvas c = {0};
    const uint32_t longer = slice->width > slice->height ? slice->width : slice->height;
    const uint32_t zoom = longer < LEAST ? (LEAST + longer - 1) / longer : 1;
    if (longer > 30000)
        return rill_fail(RILL_USAGE,
                         "a slice of %u x %u voxels is too large for a picture: the limit is 30000",
                         slice->width, slice->height);
    const rill_picture_range range = rill_picture_range_of(slice, scale);
    const bool legend = range.high > range.low; /* one value needs none */
    uint32_t height = slice->height * zoom;
    if (legend && height < RILL_CANVAS_LEGEND_HEIGHT) height = RILL_CANVAS_LEGEND_HEIGHT;
    RILL_TRY(rill_canvas_create(slice->width * zoom + (legend ? RILL_CANVAS_LEGEND : 0), height, &c));
    draw_slice(&c, zoom, slice, range, scale);
    if (legend) rill_canvas_legend(&c, slice->unit, range, scale);
    RILL_TRY(rill_canvas_save(&c, path));
done:
    rill_canvas_free(&c);
    return status;
}
