/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures in the making. PNG is libpng's. */
#include "io/canvas.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/output.h"

#include <math.h>
#include <png.h>
#include <stdio.h>
#include <string.h>

enum {
    MARGIN = RILL_CANVAS_MARGIN,
    BAR = 18,      /* width of the colour bar */
    DOT = 2,       /* pixels of a dot of a glyph */
    GAP = 2 * DOT, /* between lines of a text */
    GLYPH_WIDTH = RILL_CANVAS_LETTER / DOT - 1,
    GLYPH_HEIGHT = RILL_CANVAS_LINE / DOT,
    TEXT = 11,                                                        /* glyphs of a number beside the bar */
    CAPTION = (RILL_CANVAS_LEGEND - 2 * MARGIN) / RILL_CANVAS_LETTER, /* of a line above it */
    EDGE = 40000
};
_Static_assert(RILL_CANVAS_LEGEND == 3 * MARGIN + BAR + TEXT * (GLYPH_WIDTH + 1) * DOT, "a legend fits");

void rill_picture_colour(double t, uint8_t rgb[3])
{
    /* Nine points of viridis by N. J. Smith and S. van der Walt, 2015, CC0: https://bids.github.io/colormap
     */
    static const uint8_t map[9][3] = {{68, 1, 84},    {71, 45, 123},  {59, 82, 139},
                                      {44, 114, 142}, {33, 145, 140}, {40, 174, 128},
                                      {94, 201, 98},  {173, 220, 48}, {253, 231, 37}};
    const double x = 8 * (t > 0 ? (t < 1 ? t : 1) : 0);
    const int i = x < 8 ? (int)x : 7;
    for (int c = 0; c < 3; c++) rgb[c] = (uint8_t)lrint(map[i][c] + (x - i) * (map[i + 1][c] - map[i][c]));
}

double rill_picture_place(rill_picture_range range, rill_picture_scale scale, double value)
{
    if (!(range.high > range.low)) return 0;
    if (scale == RILL_PICTURE_LOG)
        return value > 0 ? log(value / range.low) / log(range.high / range.low) : 0;
    return (value - range.low) / (range.high - range.low);
}

/* The value at a place: the reverse. */
static double value_at(rill_picture_range range, rill_picture_scale scale, double t)
{
    return scale == RILL_PICTURE_LOG ? range.low * pow(range.high / range.low, t)
                                     : range.low + t * (range.high - range.low);
}

rill_status rill_canvas_create(uint32_t width, uint32_t height, rill_canvas *out)
{
    *out = (rill_canvas){width, height, NULL};
    if (width > EDGE || height > EDGE)
        return rill_fail(RILL_USAGE, "a picture of %u x %u pixels is too large: the limit is %d", width,
                         height, EDGE);
    const rill_status status =
        rill_array_create((uint64_t)width * height, 3, "a picture", (void **)&out->rgb);
    if (status == RILL_OK) memset(out->rgb, 255, (size_t)3 * width * height);
    return status;
}

void rill_canvas_free(rill_canvas *canvas)
{
    rill_array_destroy(canvas->rgb);
    *canvas = (rill_canvas){0};
}

void rill_canvas_fill(const rill_canvas *c, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                      const uint8_t rgb[3])
{
    for (uint32_t j = y; j < y + height && j < c->height; j++)
        for (uint32_t i = x; i < x + width && i < c->width; i++)
            memcpy(c->rgb + 3 * ((size_t)j * c->width + i), rgb, 3);
}

/* Rows of dots, the leftmost in bit 4. */
static const uint8_t *glyph(char letter)
{
    static const char letters[] = "0123456789.+-e/mslupPaTAWSOIRbcdfghiknoqrtvwxyz=CELMBDFGHJKNQUVXYZj_";
    static const uint8_t dots[][GLYPH_HEIGHT] = {
        {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},      {14, 17, 1, 2, 4, 8, 31},
        {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},     {31, 16, 30, 1, 1, 17, 14},
        {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},       {14, 17, 17, 14, 17, 17, 14},
        {14, 17, 17, 15, 1, 2, 12},   {0, 0, 0, 0, 0, 12, 12},      {0, 4, 4, 31, 4, 4, 0},
        {0, 0, 0, 31, 0, 0, 0},       {0, 0, 14, 17, 31, 16, 14},   {0, 1, 2, 4, 8, 16, 0},
        {0, 0, 26, 21, 21, 21, 21},   {0, 0, 15, 16, 14, 1, 30},    {12, 4, 4, 4, 4, 4, 14},
        {0, 0, 17, 17, 17, 19, 13},   {0, 0, 30, 17, 30, 16, 16},   {30, 17, 17, 30, 16, 16, 16},
        {0, 0, 14, 1, 15, 17, 15},    {31, 4, 4, 4, 4, 4, 4},       {14, 17, 17, 31, 17, 17, 17},
        {17, 17, 17, 21, 21, 27, 17}, {15, 16, 16, 14, 1, 1, 30},   {14, 17, 17, 17, 17, 17, 14},
        {14, 4, 4, 4, 4, 4, 14},      {30, 17, 17, 30, 20, 18, 17}, {16, 16, 30, 17, 17, 17, 30},
        {0, 0, 14, 17, 16, 17, 14},   {1, 1, 15, 17, 17, 17, 15},   {6, 9, 8, 28, 8, 8, 8},
        {0, 0, 15, 17, 15, 1, 14},    {16, 16, 30, 17, 17, 17, 17}, {4, 0, 12, 4, 4, 4, 14},
        {16, 16, 18, 20, 24, 20, 18}, {0, 0, 30, 17, 17, 17, 17},   {0, 0, 14, 17, 17, 17, 14},
        {0, 0, 15, 17, 15, 1, 1},     {0, 0, 22, 25, 16, 16, 16},   {8, 8, 28, 8, 8, 9, 6},
        {0, 0, 17, 17, 17, 10, 4},    {0, 0, 17, 17, 21, 21, 10},   {0, 0, 17, 10, 4, 10, 17},
        {0, 0, 17, 17, 15, 1, 14},    {0, 0, 31, 2, 4, 8, 31},      {0, 0, 31, 0, 31, 0, 0},
        {14, 17, 16, 16, 16, 17, 14}, {31, 16, 16, 30, 16, 16, 31}, {16, 16, 16, 16, 16, 16, 31},
        {17, 27, 21, 21, 17, 17, 17}, {30, 17, 17, 30, 17, 17, 30}, {30, 17, 17, 17, 17, 17, 30},
        {31, 16, 16, 30, 16, 16, 16}, {14, 17, 16, 23, 17, 17, 15}, {17, 17, 17, 31, 17, 17, 17},
        {7, 2, 2, 2, 2, 18, 12},      {17, 18, 20, 24, 20, 18, 17}, {17, 17, 25, 21, 19, 17, 17},
        {14, 17, 17, 17, 21, 18, 13}, {17, 17, 17, 17, 17, 17, 14}, {17, 17, 17, 17, 17, 10, 4},
        {17, 17, 10, 4, 10, 17, 17},  {17, 17, 17, 10, 4, 4, 4},    {31, 1, 2, 4, 8, 16, 31},
        {2, 0, 6, 2, 2, 18, 12},      {0, 0, 0, 0, 0, 0, 31}};
    const char *found = letter ? strchr(letters, letter) : NULL;
    return found ? dots[found - letters] : NULL;
}

void rill_canvas_print(const rill_canvas *c, uint32_t x, uint32_t y, const char *text)
{
    static const uint8_t black[3] = {0, 0, 0};
    for (; *text; text++, x += (GLYPH_WIDTH + 1) * DOT) {
        const uint8_t *rows = glyph(*text);
        for (uint32_t j = 0; rows && j < GLYPH_HEIGHT; j++)
            for (uint32_t i = 0; i < GLYPH_WIDTH; i++)
                if (rows[j] >> (GLYPH_WIDTH - 1 - i) & 1)
                    rill_canvas_fill(c, x + i * DOT, y + j * DOT, DOT, DOT, black);
    }
}

/* Return how many letters of a text fit into a line of `most`, broken where words end. */
static int line_of(const char *text, int most)
{
    if (strlen(text) <= (size_t)most) return (int)strlen(text);
    for (int k = most; k > 0; k--)
        if (text[k] == ' ' || text[k - 1] == '_' || text[k - 1] == '-') return k;
    return most;
}

uint32_t rill_canvas_print_lines(const rill_canvas *c, uint32_t x, uint32_t y, uint32_t letters,
                                 const char *text)
{
    uint32_t height = 0;
    while (*text) {
        char line[64];
        const int count = line_of(text, (int)letters);
        snprintf(line, sizeof line, "%.*s", count, text);
        rill_canvas_print(c, x, y + height, line);
        text += count;
        while (*text == ' ') text++;
        height += RILL_CANVAS_LINE + (*text ? GAP : 0);
    }
    return height;
}

void rill_canvas_legend(const rill_canvas *c, const char *caption, rill_picture_range range,
                        rill_picture_scale scale)
{
    enum { TICKS = 5, TEXT_HEIGHT = GLYPH_HEIGHT * DOT };
    const uint32_t x = c->width - RILL_CANVAS_LEGEND + MARGIN,
                   above = rill_canvas_print_lines(c, x, MARGIN, CAPTION, caption),
                   top = 2 * MARGIN + (above > TEXT_HEIGHT ? above : TEXT_HEIGHT);
    const uint32_t height = c->height - top - MARGIN;
    uint8_t rgb[3];
    char text[TEXT + 1];
    for (uint32_t y = 0; y < height; y++) {
        rill_picture_colour(1 - y / (height - 1.0), rgb);
        rill_canvas_fill(c, x, top + y, BAR, 1, rgb);
    }
    for (int k = 0; k < TICKS; k++) {
        const double t = k / (TICKS - 1.0);
        snprintf(text, sizeof text, "%.3g", value_at(range, scale, t));
        rill_canvas_print(c, x + BAR + MARGIN, top + (uint32_t)((1 - t) * (height - TEXT_HEIGHT)), text);
    }
}

rill_status rill_canvas_save(const rill_canvas *c, const char *path)
{
    rill_status status = RILL_OK;
    void *bytes = NULL;
    png_image image = {
        .version = PNG_IMAGE_VERSION, .width = c->width, .height = c->height, .format = PNG_FORMAT_RGB};
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    RILL_TRY(rill_array_create(size, 1, "a compressed picture", &bytes));
    if (!png_image_write_to_memory(&image, bytes, &size, 0, c->rgb, 0, NULL))
        RILL_TRY(rill_fail(RILL_SYSTEM, "cannot write %s: %s", path, image.message));
    status = rill_output_write(path, bytes, size);
done:
    rill_array_destroy(bytes);
    return status;
}
