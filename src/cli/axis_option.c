/* SPDX-License-Identifier: Apache-2.0 */
/* Reads axes. */
#include "cli/axis_option.h"

#include "geometry/image/image.h"
#include "io/ours.h"

#include <string.h>

const int cli_axes_ours[3] = {2, 1, 0};

/* The axis that a letter or a digit names, as a bit; 0: none. */
static unsigned bit_of(char c, const char *names)
{
    const char *at = c ? strchr(names, c) : NULL;
    return at ? 1u << (at - names) % 3 : 0;
}

rill_status cli_axes_parse(const char *text, size_t length, cli_axes *out)
{
    cli_axes axes = {0};
    bool good = length > 0, comma = true; /* comma: one before this place, or the beginning */
    for (size_t k = 0; k < length && good; k++) {
        const unsigned letter = bit_of(text[k], "xyzXYZ"), number = bit_of(text[k], "012");
        good = text[k] == ',' ? !comma
                              : letter + number != 0 && !(axes.letters & letter) && !(axes.numbers & number);
        comma = text[k] == ',';
        axes.letters |= letter;
        axes.numbers |= number;
    }
    *out = axes;
    if (good && !comma && !(axes.letters && axes.numbers)) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "axis \"%.*s\" is not understood: give x, y, z, several of them such as xy or x,y, or 0, 1, 2 for the axes in the order of the file",
        (int)(length < 40 ? length : 40), text);
}

unsigned cli_axes_letters(const cli_axes *axes, const int file[3])
{
    unsigned letters = axes->letters;
    for (int f = 0; f < 3; f++)
        if (axes->numbers >> f & 1) letters |= 1u << file[f];
    return letters;
}

int cli_axes_single(unsigned letters) { return letters == 1 ? 0 : letters == 2 ? 1 : letters == 4 ? 2 : -1; }

/* Where the axes of a file go. */
static rill_status axes_of(const char *path, const cli_image *options, int axes[3])
{
    rill_status status = RILL_OK;
    rill_voxelize_options o;
    rill_image *image = NULL;
    memcpy(axes, cli_axes_ours, sizeof cli_axes_ours);
    RILL_TRY(cli_input_prepare(path));
    if (rill_file_is_ours(path)) goto done;
    RILL_TRY(cli_image_resolve(options, &o));
    RILL_TRY(rill_image_open(path, &o.image, &image));
    memcpy(axes, o.axes[0] < 0 ? image->axes : o.axes, sizeof o.axes);
done:
    rill_image_close(image);
    return status;
}

rill_status cli_axes_of_files(const cli_axes *axes, const cli_image *image, const char *const *paths,
                              int count, unsigned *letters)
{
    rill_status status = RILL_OK;
    *letters = axes->letters;
    for (int k = 0; k < count && axes->numbers; k++) {
        int file[3];
        RILL_TRY(axes_of(paths[k], image, file));
        const unsigned here = cli_axes_letters(axes, file);
        if (k > 0 && here != *letters)
            return rill_fail(
                RILL_USAGE,
                "the axes of %s and of %s have another order, so that a number is not the same axis in both: give x, y or z",
                paths[0], paths[k]);
        *letters = here;
    }
done:
    return status;
}

void cli_axes_of_file(const int file[3], const int *axes, int count, char *text, size_t size)
{
    char letters[16] = "", numbers[16] = "";
    for (int i = 0; i < count; i++) {
        const char *comma = i ? ", " : "";
        const size_t l = strlen(letters), n = strlen(numbers);
        snprintf(letters + l, sizeof letters - l, "%s%c", comma, rill_axis(axes[i]));
        for (int f = 0; f < 3; f++)
            if (file[f] == axes[i]) snprintf(numbers + n, sizeof numbers - n, "%s%d", comma, f);
    }
    snprintf(text, size, "%s are axes %s of the file", letters, numbers);
}
