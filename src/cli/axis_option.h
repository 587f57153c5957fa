/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file axis_option.h
 * Axes as users write them, for every option that names some: letters are x, y and z of the box, numbers
 * count the axes as they are in a file.
 */
#ifndef RILL_CLI_AXIS_OPTION_H
#define RILL_CLI_AXIS_OPTION_H

#include "cli/image_options.h"

/** Axes that were given; one of both sets is empty. */
typedef struct cli_axes {
    unsigned letters; /**< bit a: axis a of x, y, z */
    unsigned numbers; /**< bit f: axis f of the file */
} cli_axes;

/**
 * Read "z", "Z", "xyz", "x,y" or "0".
 * @param[in] length  bytes of the text
 * @return RILL_USAGE for anything else, an axis twice, and letters together with numbers
 */
rill_status cli_axes_parse(const char *text, size_t length, cli_axes *out);

/** Return the axes as letters. @param[in] file  where axes 0, 1, 2 of the file go, 0 x, 1 y, 2 z */
unsigned cli_axes_letters(const cli_axes *axes, const int file[3]);

/** Return the axis if it is the only one, else -1. @param letters  a set of bits */
int cli_axes_single(unsigned letters);

/** Where the axes of an array of rill go, of a geometry or of fields: z, y, x. */
extern const int cli_axes_ours[3];

/**
 * Say which axes of a file those of a result are: "x, y, z are axes 2, 1, 0 of the file".
 * @param[in] file  where axes 0, 1, 2 of the file go
 * @param[in] axes  `count` of them: 0 is x
 */
void cli_axes_of_file(const int file[3], const int *axes, int count, char *text, size_t size);

/**
 * Find the axes of several files as letters.
 * @param[in] image  the options by which images are read
 * @return RILL_USAGE where the numbers are other axes in other files
 */
rill_status cli_axes_of_files(const cli_axes *axes, const cli_image *image, const char *const *paths,
                              int count, unsigned *letters);

#endif
