/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of surfaces: triangles into a depth buffer at twice the resolution, averaged down. */
#include "io/view.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGER = 720 /* pixels of the longer edge of one side */, FINE = 2 /* samples per pixel and axis */ };

/* One side, at the fine resolution. */
typedef struct side {
    uint32_t width, height;
    float *depth; /* [height][width], towards the viewer */
    uint8_t *rgb;
    int right, up, toward;  /* axes */
    double sign;            /* of `toward` */
    double low[3], high[3]; /* box, m */
    double scale;           /* samples per metre */
} side;

/* ---- range of values ------------------------------------------------------------------------- */

typedef struct weighted {
    float value;
    double area;
} weighted;

static int by_value(const void *a, const void *b)
{
    const float x = ((const weighted *)a)->value, y = ((const weighted *)b)->value;
    return (x > y) - (x < y);
}

static void normal_of(const rill_surface *s, uint64_t t, double normal[3])
{
    double a[3], b[3];
    rill_subtract(s->vertices[s->triangles[t][1]], s->vertices[s->triangles[t][0]], a);
    rill_subtract(s->vertices[s->triangles[t][2]], s->vertices[s->triangles[t][0]], b);
    rill_cross(a, b, normal);
}

/* A few triangles at sharp corners would else take all of the colours. */
static rill_status range_find(const rill_view *view, rill_picture_range *range)
{
    rill_status status = RILL_OK;
    const rill_surface *s = view->surface;
    weighted *list = NULL;
    uint64_t count = 0;
    double area = 0, above = 0;
    *range = view->range;
    if (range->low != range->high) return RILL_OK;
    RILL_TRY(rill_array_create(s->triangle_count, sizeof *list, "a picture", (void **)&list));
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        double normal[3];
        if (!isfinite(view->values[t]) || (view->scale == RILL_PICTURE_LOG && !(view->values[t] > 0)))
            continue;
        normal_of(s, t, normal);
        list[count++] = (weighted){view->values[t], sqrt(rill_dot(normal, normal))};
        area += list[count - 1].area;
    }
    if (count > 0) {
        qsort(list, count, sizeof *list, by_value);
        uint64_t k = count - 1;
        while (k > 0 && above + list[k].area < 0.01 * area) above += list[k--].area;
        *range = (rill_picture_range){(double)list[0].value, (double)list[k].value};
        if (view->scale == RILL_PICTURE_LOG) range->low = fmax(range->low, 1e-6 * range->high);
    }
done:
    rill_array_destroy(list);
    return status;
}

/* ---- drawing --------------------------------------------------------------------------------- */

static void project(const side *d, const double x[3], double out[3])
{
    const double across = (x[d->right] - d->low[d->right]) * d->scale;
    const bool flip = (d->sign > 0) == (d->toward == 1); /* x to the right and z up look along y */
    out[0] = FINE * RILL_CANVAS_MARGIN +
             (flip ? (d->high[d->right] - d->low[d->right]) * d->scale - across : across);
    out[1] = d->height - FINE * RILL_CANVAS_MARGIN - (x[d->up] - d->low[d->up]) * d->scale;
    out[2] = d->sign * (x[d->toward] - d->low[d->toward]) * d->scale;
}

/* Fill the samples of a triangle whose corners are projected; thin ones may meet none. */
static void triangle_fill(const side *d, const double p[3][3], const uint8_t rgb[3])
{
    const double whole =
        (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1]);
    if (fabs(whole) < 1e-12) return;
    const double left = fmin(p[0][0], fmin(p[1][0], p[2][0])), right = fmax(p[0][0], fmax(p[1][0], p[2][0]));
    const double top = fmin(p[0][1], fmin(p[1][1], p[2][1])), low = fmax(p[0][1], fmax(p[1][1], p[2][1]));
    for (int y = (int)fmax(0, ceil(top)); y <= fmin(d->height - 1.0, low); y++)
        for (int x = (int)fmax(0, ceil(left)); x <= fmin(d->width - 1.0, right); x++) {
            double share[3];
            for (int k = 0; k < 3; k++) {
                const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
                share[k] = ((b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])) / whole;
            }
            if (share[0] < -1e-9 || share[1] < -1e-9 || share[2] < -1e-9) continue;
            const float depth = (float)(share[0] * p[0][2] + share[1] * p[1][2] + share[2] * p[2][2]);
            const size_t at = (size_t)y * d->width + (size_t)x;
            if (depth <= d->depth[at]) continue;
            d->depth[at] = depth;
            memcpy(d->rgb + 3 * at, rgb, 3);
        }
}

static void side_draw(const side *d, const rill_view *view, rill_picture_range range)
{
    const rill_surface *s = view->surface;
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        static const uint8_t grey[3] = {170, 170, 170};
        double p[3][3], normal[3];
        uint8_t rgb[3];
        const double value = (double)view->values[t];
        normal_of(s, t, normal);
        const double length = sqrt(rill_dot(normal, normal));
        if (!(length > 0)) continue;
        const double light = 0.45 + 0.55 * fabs(normal[d->toward]) / length;
        memcpy(rgb, grey, sizeof rgb);
        if (!isnan(value)) rill_picture_colour(rill_picture_place(range, view->scale, value), rgb);
        for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)lrint(rgb[c] * light);
        for (int k = 0; k < 3; k++) project(d, s->vertices[s->triangles[t][k]], p[k]);
        triangle_fill(d, (const double(*)[3])p, rgb);
    }
}

/* Average the samples of each pixel into the picture. */
static void side_copy(const side *d, const rill_canvas *c, uint32_t left)
{
    for (uint32_t y = 0; y < d->height / FINE; y++)
        for (uint32_t x = 0; x < d->width / FINE; x++) {
            unsigned sum[3] = {0};
            uint8_t rgb[3];
            for (uint32_t k = 0; k < FINE * FINE; k++)
                for (int a = 0; a < 3; a++)
                    sum[a] += d->rgb[3 * (((size_t)FINE * y + k / FINE) * d->width + FINE * x + k % FINE) +
                                     (size_t)a];
            for (int a = 0; a < 3; a++) rgb[a] = (uint8_t)(sum[a] / (FINE * FINE));
            rill_canvas_fill(c, left + x, y, 1, 1, rgb);
        }
}

/* Print the numbers of the marks on white boxes, where they are on this side. */
static void marks_draw(const side *d, const rill_view *view, const rill_canvas *c, uint32_t left)
{
    static const uint8_t black[3] = {0, 0, 0}, white[3] = {255, 255, 255};
    for (int k = 0; k < view->mark_count; k++) {
        char text[12];
        double p[3];
        project(d, view->marks[k].at, p);
        snprintf(text, sizeof text, "%d", k + 1);
        const uint32_t width = (uint32_t)strlen(text) * RILL_CANVAS_LETTER + 4, height = RILL_CANVAS_LINE + 6;
        const uint32_t x = left + (uint32_t)fmax(0, p[0] / FINE - width / 2.0),
                       y = (uint32_t)fmax(0, p[1] / FINE - height / 2.0);
        rill_canvas_fill(c, x, y, width, height, black);
        rill_canvas_fill(c, x + 1, y + 1, width - 2, height - 2, white);
        rill_canvas_print(c, x + 3, y + 3, text);
    }
}

/* List the marks at the right edge, as many as there is room for. */
static void marks_list(const rill_view *view, rill_picture_range range, const rill_canvas *c)
{
    const uint32_t x = c->width - RILL_CANVAS_LEGEND + RILL_CANVAS_MARGIN,
                   beside = x + RILL_CANVAS_LINE + RILL_CANVAS_MARGIN,
                   letters = (c->width - beside) / RILL_CANVAS_LETTER;
    uint32_t y = RILL_CANVAS_MARGIN;
    for (int k = 0; k < view->mark_count; k++) {
        char text[80];
        uint8_t rgb[3];
        if (y + 2 * RILL_CANVAS_LINE > c->height) return;
        rill_picture_colour(rill_picture_place(range, view->scale, view->marks[k].value), rgb);
        rill_canvas_fill(c, x, y, RILL_CANVAS_LINE, RILL_CANVAS_LINE, rgb);
        snprintf(text, sizeof text, "%d %.63s", k + 1, view->marks[k].name);
        y += rill_canvas_print_lines(c, beside, y, letters, text) + RILL_CANVAS_LINE;
    }
}

/* The box, the axes and the size of a side; up is z, or y where z is towards the viewer. */
static void side_plan(side *d, const rill_surface *s)
{
    for (int a = 0; a < 3; a++) d->low[a] = INFINITY, d->high[a] = -INFINITY;
    for (uint64_t t = 0; t < s->triangle_count; t++)
        for (int k = 0; k < 9; k++) {
            const double x = s->vertices[s->triangles[t][k / 3]][k % 3];
            d->low[k % 3] = fmin(d->low[k % 3], x);
            d->high[k % 3] = fmax(d->high[k % 3], x);
        }
    double extent[3];
    for (int a = 0; a < 3; a++) extent[a] = d->high[a] - d->low[a];
    for (int a = 0; a < 3; a++)
        if (extent[a] < extent[d->toward]) d->toward = a;
    d->right = d->toward == 0 ? 1 : 0;
    d->up = d->toward == 2 ? 1 : 2;
    const double longer = fmax(extent[d->right], extent[d->up]);
    d->scale = longer > 0 ? FINE * LONGER / longer : 1;
    d->width = FINE * ((uint32_t)ceil(extent[d->right] * d->scale / FINE) + 2 * RILL_CANVAS_MARGIN);
    d->height = FINE * ((uint32_t)ceil(extent[d->up] * d->scale / FINE) + 2 * RILL_CANVAS_MARGIN);
    if (d->height < FINE * RILL_CANVAS_LEGEND_HEIGHT) d->height = FINE * RILL_CANVAS_LEGEND_HEIGHT;
}

uint64_t rill_view_measure(const rill_surface *surface)
{
    side d = {0};
    if (surface->triangle_count == 0) return 0;
    side_plan(&d, surface);
    const uint64_t samples = (uint64_t)d.width * d.height,
                   canvas = (uint64_t)(2 * d.width / FINE + RILL_CANVAS_LEGEND) * (d.height / FINE);
    /* The picture is compressed into memory of its own, to a third at most. The range of colours is found
     * before. */
    const uint64_t drawn = samples * (sizeof *d.depth + 3) + canvas * (3 + 1),
                   range = surface->triangle_count * sizeof(weighted);
    return drawn > range ? drawn : range;
}

rill_status rill_view_write(const rill_view *view, const char *path)
{
    rill_status status = RILL_OK;
    rill_canvas c = {0};
    rill_picture_range range;
    side d = {0};
    if (view->surface->triangle_count == 0)
        return rill_fail(RILL_USAGE, "cannot draw %s: the surface has no triangles", path);
    side_plan(&d, view->surface);
    const uint64_t samples = (uint64_t)d.width * d.height;
    RILL_TRY(range_find(view, &range));
    RILL_TRY(rill_array_create(samples, sizeof *d.depth, "a picture", (void **)&d.depth));
    RILL_TRY(rill_array_create(samples, 3, "a picture", (void **)&d.rgb));
    RILL_TRY(rill_canvas_create(2 * d.width / FINE + RILL_CANVAS_LEGEND, d.height / FINE, &c));
    for (uint32_t k = 0; k < 2; k++) {
        d.sign = k == 0 ? 1 : -1;
        for (uint64_t p = 0; p < samples; p++) d.depth[p] = -INFINITY;
        memset(d.rgb, 255, 3 * samples);
        side_draw(&d, view, range);
        side_copy(&d, &c, k * d.width / FINE);
        marks_draw(&d, view, &c, k * d.width / FINE);
    }
    if (view->caption)
        rill_canvas_legend(&c, view->caption, range, view->scale);
    else
        marks_list(view, range, &c);
    RILL_TRY(rill_canvas_save(&c, path));
done:
    rill_array_destroy(d.depth);
    rill_array_destroy(d.rgb);
    rill_canvas_free(&c);
    return status;
}
