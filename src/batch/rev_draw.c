/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws porosity and permeability of blocks against their size: a light dot for each block, a bar from the
 * lower to the upper quartile, the arithmetic mean. The permeability has a logarithmic axis; blocks with k =
 * 0 are counted below it.
 */
#include "batch/rev.h"

#include "core/status.h"
#include "io/canvas.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 900,
    LEFT = 150,
    RIGHT = 30,
    TOP = 60,
    HIGH = 420,
    BETWEEN = 50,
    LOW = 230,
    BOTTOM = 70,
    ZERO = 34,
    ASIDE = 16 /* pixels that dots are at most beside their size */
};
/* The golden ratio spreads any number of dots evenly. */
#define SPREAD 0.6180339887498949

static const uint8_t BLACK[3] = {0, 0, 0}, GRID[3] = {225, 225, 225}, BLOCK[3] = {150, 185, 215},
                     QUARTILES[3] = {33, 95, 154}, MEAN[3] = {200, 40, 40};

/* A panel of the picture, and its vertical axis. */
typedef struct panel {
    const rill_canvas *canvas;
    uint32_t top, height;
    rill_picture_range range;
    rill_picture_scale scale;
    double widest; /* edge at the right end of the horizontal axis */
} panel;

/* What is drawn. */
typedef struct drawing {
    const rill_block_grid *grids;
    int count;
    const rill_batch_row *rows;
    double spacing;
} drawing;

static double px(const panel *p, double edge) { return LEFT + edge / p->widest * (WIDTH - LEFT - RIGHT); }

static double py(const panel *p, double value)
{
    return p->top + p->height * (1 - rill_picture_place(p->range, p->scale, value));
}

/* A square of an odd number of pixels around a place. */
static void dot(const rill_canvas *c, double x, double y, uint32_t size, const uint8_t rgb[3])
{
    const double left = floor(x) - size / 2, top = floor(y) - size / 2;
    if (left >= 0 && top >= 0) rill_canvas_fill(c, (uint32_t)left, (uint32_t)top, size, size, rgb);
}

static void line(const rill_canvas *c, double x0, double y0, double x1, double y1, const uint8_t rgb[3])
{
    const double steps = fmax(1, ceil(fmax(fabs(x1 - x0), fabs(y1 - y0))));
    for (double k = 0; k <= steps; k++)
        dot(c, x0 + (x1 - x0) * k / steps, y0 + (y1 - y0) * k / steps, 3, rgb);
}

static void number(const rill_canvas *c, double right, double y, double value)
{
    char text[24];
    snprintf(text, sizeof text, "%.3g", value);
    const double x = right - (double)strlen(text) * RILL_CANVAS_LETTER;
    rill_canvas_print(c, (uint32_t)fmax(x, 0), (uint32_t)fmax(y - RILL_CANVAS_LINE / 2, 0), text);
}

/* The step between ticks that makes about five of them: 1, 2 or 5 times a power of ten. */
static double tick_step(double span)
{
    const double power = pow(10, floor(log10(span / 4)));
    const double times = span / 4 / power;
    return power * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

static void tick(const panel *p, double value)
{
    const double y = py(p, value);
    rill_canvas_fill(p->canvas, LEFT, (uint32_t)y, WIDTH - LEFT - RIGHT, 1, GRID);
    number(p->canvas, LEFT - 10, y, value);
}

static void ticks(const panel *p)
{
    const double low = p->range.low, high = p->range.high;
    if (p->scale == RILL_PICTURE_LINEAR) {
        const double step = tick_step(high - low);
        for (double k = fabs(ceil(low / step - 1e-9)); k * step <= high * (1 + 1e-9); k++) tick(p, k * step);
        return;
    }
    const double decades = log10(high / low);
    const int every = decades > 8 ? (int)ceil(decades / 8) : 1;
    for (int e = (int)floor(log10(low)); e <= (int)ceil(log10(high)); e++)
        for (int m = 1; m < 10; m += m == 1 ? 1 : m == 2 ? 3 : 5) {
            const double value = m * pow(10, e);
            const bool shown = m == 1 ? e % every == 0 : decades < 2.5;
            if (shown && value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9)) tick(p, value);
        }
}

static void frame(const panel *p)
{
    const rill_canvas *c = p->canvas;
    rill_canvas_fill(c, LEFT, p->top, 1, p->height, BLACK);
    rill_canvas_fill(c, LEFT, p->top + p->height, WIDTH - LEFT - RIGHT, 1, BLACK);
}

/* The range of a quantity over all blocks; low > high where there is none. */
static rill_picture_range range_of(const drawing *d, rill_rev_quantity quantity, double scale)
{
    rill_picture_range r = {INFINITY, -INFINITY};
    for (int g = 0; g < d->count; g++)
        for (size_t i = 0; i < d->grids[g].count; i++) {
            const double value = rill_rev_value(&d->rows[d->grids[g].first + i], quantity) * scale;
            if (!isfinite(value) || (quantity == RILL_REV_K && value <= 0)) continue;
            r.low = fmin(r.low, value);
            r.high = fmax(r.high, value);
        }
    return r;
}

/* All blocks of one size, their quartiles. */
static rill_status grid_draw(const drawing *d, const panel *p, const rill_block_grid *grid,
                             rill_rev_quantity quantity, double scale, rill_rev_numbers *n)
{
    const double x = px(p, grid->edge), lowest = p->range.low;
    size_t zero = 0;
    for (size_t i = 0; i < grid->count; i++) {
        const double value = rill_rev_value(&d->rows[grid->first + i], quantity) * scale;
        zero += value == 0 && quantity == RILL_REV_K;
        const double aside = (fmod((double)i * SPREAD, 1) - 0.5) * 2 * ASIDE; /* dots side by side */
        if (isfinite(value) && (value > 0 || p->scale == RILL_PICTURE_LINEAR))
            dot(p->canvas, x + aside, py(p, value), 5, BLOCK);
    }
    if (zero) {
        char text[24];
        snprintf(text, sizeof text, "%zu", zero);
        const double left = x - 0.5 * (double)strlen(text) * RILL_CANVAS_LETTER;
        rill_canvas_print(p->canvas, (uint32_t)fmax(left, 0), p->top + p->height + ZERO / 2 - 4, text);
    }
    const rill_status status = rill_rev_describe(grid, d->rows, quantity, n);
    if (status != RILL_OK || n->blocks == 0) return status;
    const double low = fmax(n->quantile[1] * scale, lowest), high = n->quantile[3] * scale;
    if (high >= low && isfinite(high)) {
        const uint32_t top = (uint32_t)py(p, high), bottom = (uint32_t)py(p, low);
        rill_canvas_fill(p->canvas, (uint32_t)x - 5, top, 11, bottom - top + 1, QUARTILES);
    }
    return RILL_OK;
}

static rill_status panel_draw(const drawing *d, const panel *p, rill_rev_quantity quantity, double scale)
{
    rill_status status = RILL_OK;
    double before[2] = {NAN, NAN};
    ticks(p);
    frame(p);
    for (int pass = 0; pass < 2; pass++) /* means above everything else */
        for (int g = 0; g < d->count; g++) {
            rill_rev_numbers n;
            if (pass == 0) {
                RILL_TRY(grid_draw(d, p, &d->grids[g], quantity, scale, &n));
                continue;
            }
            RILL_TRY(rill_rev_describe(&d->grids[g], d->rows, quantity, &n));
            const double mean = n.mean * scale;
            if (!isfinite(mean) || (mean <= 0 && p->scale == RILL_PICTURE_LOG)) continue;
            const double x = px(p, d->grids[g].edge), y = py(p, fmax(mean, p->range.low));
            if (!isnan(before[0])) line(p->canvas, before[0], before[1], x, y, MEAN);
            dot(p->canvas, x, y, 13, MEAN);
            before[0] = x;
            before[1] = y;
        }
done:
    return status;
}

static void labels(const drawing *d, const panel *high, const panel *low)
{
    const rill_canvas *c = high->canvas;
    const bool metric = d->spacing > 0;
    double last = -INFINITY;
    for (int g = 0; g < d->count; g++) { /* in the order of the list; one that would overlap is left out */
        const double x = px(low, d->grids[g].edge);
        char text[24];
        snprintf(text, sizeof text, "%.4g", d->grids[g].edge * (metric ? d->spacing * 1e6 : 1));
        const double half = 0.5 * (double)strlen(text) * RILL_CANVAS_LETTER;
        rill_canvas_fill(c, (uint32_t)x, low->top + low->height, 1, 6, BLACK);
        if (fabs(x - last) < 2 * half + RILL_CANVAS_LETTER) continue;
        rill_canvas_print(c, (uint32_t)fmax(x - half, 0), low->top + low->height + 12, text);
        last = x;
    }
    rill_canvas_print(c, WIDTH / 2 - 60, low->top + low->height + 42,
                      metric ? "block edge um" : "block edge voxels");
    rill_canvas_print(c, 14, high->top - 26, metric ? "k m2" : "k lu");
    rill_canvas_print(c, 14, low->top - 26, "porosity");
    rill_canvas_print(c, 14, high->top + high->height + ZERO / 2 - 4, "k = 0");
    const struct {
        const uint8_t *rgb;
        const char *text;
        uint32_t x, width, height;
    } keys[] = {
        {MEAN, "mean", 230, 13, 13}, {QUARTILES, "quartiles", 330, 11, 16}, {BLOCK, "block", 490, 7, 7}};
    for (int k = 0; k < 3; k++) {
        rill_canvas_fill(c, keys[k].x, 21 - keys[k].height / 2, keys[k].width, keys[k].height, keys[k].rgb);
        rill_canvas_print(c, keys[k].x + 20, 14, keys[k].text);
    }
}

/* Room at both ends of an axis; a single value has some, too. */
static rill_picture_range widen(rill_picture_range r, rill_picture_scale scale)
{
    if (scale == RILL_PICTURE_LOG) {
        if (!(r.low <= r.high)) return (rill_picture_range){0.1, 1};
        const double part = fmax(pow(r.high / r.low, 0.05), 1.2);
        return (rill_picture_range){r.low / part, r.high * part};
    }
    if (!(r.low <= r.high)) return (rill_picture_range){0, 1};
    const double room = fmax(0.05 * (r.high - r.low), 0.01);
    return (rill_picture_range){fmax(r.low - room, 0), fmin(r.high + room, 1)};
}

rill_status rill_rev_draw(const rill_block_grid *grids, int count, const rill_batch_row *rows, double spacing,
                          const char *path)
{
    rill_status status = RILL_OK;
    rill_canvas canvas = {0};
    const drawing d = {grids, count, rows, spacing};
    const double scale = spacing > 0 ? spacing * spacing : 1;
    double widest = 0;
    for (int g = 0; g < count; g++) widest = fmax(widest, 1.1 * grids[g].edge);
    RILL_TRY(rill_canvas_create(WIDTH, TOP + HIGH + ZERO + BETWEEN + LOW + BOTTOM, &canvas));
    const panel high = {.canvas = &canvas,
                        .top = TOP,
                        .height = HIGH,
                        .range = widen(range_of(&d, RILL_REV_K, scale), RILL_PICTURE_LOG),
                        .scale = RILL_PICTURE_LOG,
                        .widest = widest};
    const panel low = {.canvas = &canvas,
                       .top = TOP + HIGH + ZERO + BETWEEN,
                       .height = LOW,
                       .range = widen(range_of(&d, RILL_REV_POROSITY, 1), RILL_PICTURE_LINEAR),
                       .scale = RILL_PICTURE_LINEAR,
                       .widest = widest};
    RILL_TRY(panel_draw(&d, &high, RILL_REV_K, scale));
    RILL_TRY(panel_draw(&d, &low, RILL_REV_POROSITY, 1));
    labels(&d, &high, &low);
    RILL_TRY(rill_canvas_save(&canvas, path));
done:
    rill_canvas_free(&canvas);
    return status;
}
