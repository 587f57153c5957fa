/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file canvas.h
 * Pictures in the making: rectangles, numbers, a colour map with its legend, PNG files.
 */
#ifndef RILL_IO_CANVAS_H
#define RILL_IO_CANVAS_H

#include "rill.h"

/** How values become colours. */
typedef enum rill_picture_scale { RILL_PICTURE_LINEAR, RILL_PICTURE_LOG } rill_picture_scale;

/** Values at the ends of the colours. */
typedef struct rill_picture_range {
    double low, high;
} rill_picture_range;

/** Write the red, green and blue of 0 ≤ t ≤ 1 in the colour map viridis. */
void rill_picture_colour(double t, uint8_t rgb[3]);

/** Return where a value lies between the ends of the range, 0…1 within it. */
double rill_picture_place(rill_picture_range range, rill_picture_scale scale, double value);

/** An 8-bit RGB picture. */
typedef struct rill_canvas {
    uint32_t width, height;
    uint8_t *rgb; /**< [height][width][3], owned */
} rill_canvas;

enum {
    RILL_CANVAS_MARGIN = 12,
    RILL_CANVAS_LETTER = 12,        /**< pixels from one letter to the next */
    RILL_CANVAS_LINE = 14,          /**< pixels that a line of text is high */
    RILL_CANVAS_LEGEND = 186,       /**< pixels that a legend takes at the right edge */
    RILL_CANVAS_LEGEND_HEIGHT = 240 /**< and the height that it needs */
};

/** Make a white picture. @return RILL_USAGE for more than 40000 pixels along an edge, RILL_SYSTEM */
rill_status rill_canvas_create(uint32_t width, uint32_t height, rill_canvas *out);

/** Free it; a cleared one is allowed. */
void rill_canvas_free(rill_canvas *canvas);

/** Fill a rectangle, cut to the picture. */
void rill_canvas_fill(const rill_canvas *canvas, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                      const uint8_t rgb[3]);

/** Print a line of text from its upper left corner on. Letters that the canvas has no dots for are blank. */
void rill_canvas_print(const rill_canvas *canvas, uint32_t x, uint32_t y, const char *text);

/**
 * Print lines of at most so many letters (63), broken at blanks and behind underscores and hyphens.
 * @return the pixels that they are high
 */
uint32_t rill_canvas_print_lines(const rill_canvas *canvas, uint32_t x, uint32_t y, uint32_t letters,
                                 const char *text);

/** Draw a colour bar at the right edge with five numbers along it and a caption above, of up to 70 letters in
 * lines of 13. */
void rill_canvas_legend(const rill_canvas *canvas, const char *caption, rill_picture_range range,
                        rill_picture_scale scale);

/** Write a PNG file. @return errors as rill_output_create(), RILL_SYSTEM without memory */
rill_status rill_canvas_save(const rill_canvas *canvas, const char *path);

#endif
