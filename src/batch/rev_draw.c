/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Draws porosity and permeability of blocks against their size as SVG: a light dot for each block, a bar from
 * the lower to the upper quartile, the arithmetic mean. The permeability has a logarithmic axis; blocks with
 * k = 0 are counted below it.
 */
#include "batch/rev.h"

#include "core/output.h"
#include "core/status.h"
#include "geometry/image/file_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    WIDTH = 900,
    LEFT = 110,
    RIGHT = 30,
    TOP = 60,
    HIGH = 420,
    BETWEEN = 50,
    LOW = 230,
    BOTTOM = 70,
    ZERO = 34,
    ASIDE = 16, /* pixels that dots are at most beside their size */
    FONT = 17,  /* pixels */
    LETTER = 9  /* pixels that a digit is wide at most */
};
/* The golden ratio spreads any number of dots evenly. */
#define SPREAD 0.6180339887498949

#define GRID "#e1e1e1"
#define BLOCK "#96b9d7"
#define QUARTILES "#215f9a"
#define MEAN "#c82828"

/* A panel of the picture, and its vertical axis. */
typedef struct panel {
    FILE *out;
    double top, height;
    double low, high; /* values at the ends */
    bool logarithmic;
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
    const double part =
        p->logarithmic ? log(value / p->low) / log(p->high / p->low) : (value - p->low) / (p->high - p->low);
    return p->top + p->height * (1 - fmin(fmax(part, 0), 1));
}

/* A filled rectangle. */
static void fill(FILE *out, double x, double y, double width, double height, const char *colour)
{
    fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y, width,
            height, colour);
}

static void dot(FILE *out, double x, double y, double radius, const char *colour)
{
    fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"/>\n", x, y, radius, colour);
}

static void line(FILE *out, double x0, double y0, double x1, double y1, const char *colour, double width)
{
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" stroke-width=\"%g\"/>\n", x0,
            y0, x1, y1, colour, width);
}

/* Text whose middle line is at y. @param anchor  start, middle or end: what x is of it */
static void text_put(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y + 0.35 * FONT, anchor,
            text);
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
    char text[24];
    snprintf(text, sizeof text, "%.3g", value);
    line(p->out, LEFT, y, WIDTH - RIGHT, y, GRID, 1);
    text_put(p->out, LEFT - 8, y, "end", text);
}

static void ticks(const panel *p)
{
    const double low = p->low, high = p->high;
    if (!p->logarithmic) {
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
    line(p->out, LEFT, p->top, LEFT, p->top + p->height, "black", 1);
    line(p->out, LEFT, p->top + p->height, WIDTH - RIGHT, p->top + p->height, "black", 1);
}

/* Set the ends of a panel to the range of a quantity over all blocks, with room at both. */
static void range_set(const drawing *d, rill_rev_quantity quantity, double scale, panel *p)
{
    double low = INFINITY, high = -INFINITY;
    for (int g = 0; g < d->count; g++)
        for (size_t i = 0; i < d->grids[g].count; i++) {
            const double value = rill_rev_value(&d->rows[d->grids[g].first + i], quantity) * scale;
            if (!isfinite(value) || (p->logarithmic && value <= 0)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
    const bool none = !(low <= high);
    if (p->logarithmic) {
        const double part = none ? 1 : fmax(pow(high / low, 0.05), 1.2);
        p->low = none ? 0.1 : low / part;
        p->high = none ? 1 : high * part;
    } else {
        const double room = none ? 0 : fmax(0.05 * (high - low), 0.01);
        p->low = none ? 0 : fmax(low - room, 0);
        p->high = none ? 1 : fmin(high + room, 1);
    }
}

/* All blocks of one size, their quartiles. */
static rill_status grid_draw(const drawing *d, const panel *p, const rill_block_grid *grid,
                             rill_rev_quantity quantity, double scale, rill_rev_numbers *n)
{
    const double x = px(p, grid->edge), lowest = p->low;
    size_t zero = 0;
    for (size_t i = 0; i < grid->count; i++) {
        const double value = rill_rev_value(&d->rows[grid->first + i], quantity) * scale;
        zero += value == 0 && quantity == RILL_REV_K;
        const double aside = (fmod((double)i * SPREAD, 1) - 0.5) * 2 * ASIDE; /* dots side by side */
        if (isfinite(value) && (value > 0 || !p->logarithmic))
            dot(p->out, x + aside, py(p, value), 2.5, BLOCK);
    }
    if (zero) {
        char text[24];
        snprintf(text, sizeof text, "%zu", zero);
        text_put(p->out, x, p->top + p->height + ZERO / 2, "middle", text);
    }
    const rill_status status = rill_rev_describe(grid, d->rows, quantity, n);
    if (status != RILL_OK || n->blocks == 0) return status;
    const double low = fmax(n->quantile[1] * scale, lowest), high = n->quantile[3] * scale;
    if (high >= low && isfinite(high)) {
        const double top = py(p, high);
        fill(p->out, x - 5, top, 10, fmax(py(p, low) - top, 1), QUARTILES);
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
            if (!isfinite(mean) || (mean <= 0 && p->logarithmic)) continue;
            const double x = px(p, d->grids[g].edge), y = py(p, fmax(mean, p->low));
            if (!isnan(before[0])) line(p->out, before[0], before[1], x, y, MEAN, 2);
            dot(p->out, x, y, 6, MEAN);
            before[0] = x;
            before[1] = y;
        }
done:
    return status;
}

static void labels(const drawing *d, const panel *high, const panel *low)
{
    FILE *out = high->out;
    const bool metric = d->spacing > 0;
    const double bottom = low->top + low->height;
    double last = -INFINITY;
    for (int g = 0; g < d->count; g++) { /* in the order of the list; one that would overlap is left out */
        const double x = px(low, d->grids[g].edge);
        char text[24];
        snprintf(text, sizeof text, "%.4g", d->grids[g].edge * (metric ? d->spacing * 1e6 : 1));
        line(out, x, bottom, x, bottom + 6, "black", 1);
        if (fabs(x - last) < ((double)strlen(text) + 1) * LETTER) continue;
        text_put(out, x, bottom + 18, "middle", text);
        last = x;
    }
    text_put(out, 0.5 * (LEFT + WIDTH - RIGHT), bottom + 48, "middle",
             metric ? "block edge, \u00b5m" : "block edge, voxels");
    text_put(out, 14, high->top - 20, "start",
             d->rows->diffusion ? "D / D0"
             : metric           ? "k, m\u00b2"
                                : "k, lattice units");
    text_put(out, 14, low->top - 20, "start", "porosity");
    text_put(out, 14, high->top + high->height + ZERO / 2, "start", d->rows->diffusion ? "D = 0" : "k = 0");
    dot(out, 240, 20, 6, MEAN);
    text_put(out, 256, 20, "start", "mean");
    fill(out, 345, 12, 10, 16, QUARTILES);
    text_put(out, 365, 20, "start", "quartiles");
    dot(out, 500, 20, 2.5, BLOCK);
    text_put(out, 514, 20, "start", "block");
}

static rill_status print(FILE *out, const void *context)
{
    rill_status status = RILL_OK;
    const drawing *d = context;
    const double scale = rill_rev_scale(d->rows, RILL_REV_K, d->spacing);
    const int tall = TOP + HIGH + ZERO + BETWEEN + LOW + BOTTOM;
    double widest = 0;
    for (int g = 0; g < d->count; g++) widest = fmax(widest, 1.1 * d->grids[g].edge);
    panel high = {.out = out, .top = TOP, .height = HIGH, .logarithmic = true, .widest = widest},
          low = {.out = out, .top = TOP + HIGH + ZERO + BETWEEN, .height = LOW, .widest = widest};
    range_set(d, RILL_REV_K, scale, &high);
    range_set(d, RILL_REV_POROSITY, 1, &low);
    fprintf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"%d\">\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>\n",
        WIDTH, tall, WIDTH, tall, FONT, WIDTH, tall);
    RILL_TRY(panel_draw(d, &high, RILL_REV_K, scale));
    RILL_TRY(panel_draw(d, &low, RILL_REV_POROSITY, 1));
    labels(d, &high, &low);
    fputs("</svg>\n", out);
done:
    return status;
}

rill_status rill_rev_draw(const rill_block_grid *grids, int count, const rill_batch_row *rows, double spacing,
                          const char *path)
{
    const drawing d = {grids, count, rows, spacing};
    if (!rill_name_ends(path, ".svg"))
        return rill_fail(RILL_USAGE, "%s is not a name of an SVG picture: end it in .svg", path);
    return rill_output_print(path, print, &d);
}
