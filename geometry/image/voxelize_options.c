/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a voxelization: defaults, and reading them from the words users give. */
#include "core/decimal.h"
#include "core/status.h"
#include "core/units.h"
#include "geometry/image/voxelize_priv.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/sides.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

rill_voxelize_options rill_voxelize_options_default(void)
{
    return (rill_voxelize_options){.image = rill_image_options_default(),
                                   .axes = {-1, -1, -1},
                                   .crop = {{0, UINT32_MAX}, {0, UINT32_MAX}, {0, UINT32_MAX}},
                                   .sides = {RILL_PERIODIC, RILL_PERIODIC, RILL_PERIODIC},
                                   .keep = RILL_KEEP_PERCOLATING,
                                   .axis = -1,
                                   .core = {.axis = 2, .centre = {NAN, NAN, NAN}}};
}

bool rill_voxel_size_usual(double metres)
{
    const double rounding = 1e-9; /* of a conversion of units */
    return metres >= RILL_VOXEL_SIZE_LEAST * (1 - rounding) &&
           metres <= RILL_VOXEL_SIZE_MOST * (1 + rounding);
}

rill_status rill_voxel_size_check(double metres, bool allow)
{
    char text[32];
    if (metres == 0 || allow || rill_voxel_size_usual(metres)) return RILL_OK;
    rill_units_format_length(metres, text, sizeof text);
    return rill_fail(
        RILL_USAGE,
        "a voxel of %s is not between 1 nm and 1 mm: give another unit, such as --voxel-size 5.7um, or add --allow-voxel-size if it is right",
        text);
}

/* Read one number and go behind it; false when there is none. */
static bool read_real(const char **c, double *value)
{
    const char *end = rill_decimal_at(*c, value);
    if (!end) return false;
    *c = end;
    return true;
}

rill_status rill_voxelize_parse_threshold(const char *text, rill_voxelize_options *options)
{
    static const char *const signs[] = {"\u00b1", "+-", "+/-"};
    const char *c = text;
    const bool above = *c == '>';
    if (*c == '<' || *c == '>') c++;
    options->threshold_given = true;
    options->threshold_above = above;
    options->threshold_width = 0;
    bool whole = read_real(&c, &options->threshold);
    for (size_t k = 0; whole && *c && k < sizeof signs / sizeof *signs; k++) {
        const size_t length = strlen(signs[k]);
        if (strncmp(c, signs[k], length) != 0) continue;
        c += length;
        whole = read_real(&c, &options->threshold_width) && options->threshold_width > 0;
        break;
    }
    if (whole && *c == '\0') return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "threshold \"%s\" is none: give a grey value, below which voxels are pore, and how far it is uncertain: 112+-4; \">112+-4\" where pores are above it",
        text);
}

rill_status rill_voxelize_parse_pore(const char *text, rill_voxelize_options *options)
{
    const char *c = text;
    options->pore_count = 0;
    for (;;) {
        double range[2];
        if (!read_real(&c, &range[0])) break;
        range[1] = range[0];
        if (*c == '-' || *c == ':') {
            c++;
            if (!read_real(&c, &range[1])) break;
        }
        if (range[1] < range[0])
            return rill_fail(RILL_USAGE, "pore values \"%s\": the range %g to %g runs backwards, write %g-%g",
                             text, range[0], range[1], range[1], range[0]);
        if (options->pore_count == RILL_PORE_RANGES)
            return rill_fail(RILL_USAGE, "pore values \"%s\" are more than %d ranges: join some of them",
                             text, RILL_PORE_RANGES);
        memcpy(options->pore[options->pore_count++], range, sizeof range);
        if (*c == '\0') return RILL_OK;
        if (*c++ != ',') break;
    }
    return rill_fail(RILL_USAGE,
                     "pore values \"%s\" are not understood: give numbers and ranges such as 0 or 0-99,255",
                     text);
}

/* Read ranges as those of pores are read. */
static rill_status read_ranges(const char *text, const char *what, int most, double (*ranges)[2], int *count)
{
    rill_voxelize_options read = {.pore_count = 0};
    if (rill_voxelize_parse_pore(text, &read) != RILL_OK || read.pore_count > most)
        return rill_fail(
            RILL_USAGE,
            "%s \"%s\" are not understood: give at most %d numbers and ranges such as 0 or 0-99,255", what,
            text, most);
    memcpy(ranges, read.pore, (size_t)read.pore_count * sizeof *ranges);
    *count = read.pore_count;
    return RILL_OK;
}

rill_status rill_voxelize_parse_outside(const char *text, rill_voxelize_options *options)
{
    return read_ranges(text, "values outside of the sample", RILL_OUTSIDE_RANGES, options->outside,
                       &options->outside_count);
}

rill_status rill_voxelize_parse_mask_inside(const char *text, rill_voxelize_options *options)
{
    int count;
    options->mask_inside_given = true;
    return read_ranges(text, "values inside of the mask", 1, &options->mask_inside, &count);
}

rill_status rill_voxelize_parse_core(const char *text, rill_voxelize_options *options)
{
    rill_core core = {.given = true, .axis = 2, .centre = {NAN, NAN, NAN}};
    const char *c = strcmp(text, "inscribed") == 0 ? "" : text;
    bool good = *text != '\0';
    while (*c && good) {
        const size_t name = strcspn(c, "=");
        double value;
        good = c[name] == '=';
        if (!good) break;
        const char *at = c + name + 1;
        if (name == 4 && strncmp(c, "axis", 4) == 0 && *at >= 'x' && *at <= 'z') {
            core.axis = *at++ - 'x';
        } else {
            good =
                name == 1 && read_real(&at, &value) && value > 0 && ((*c >= 'x' && *c <= 'z') || *c == 'd');
            if (good) *(*c == 'd' ? &core.diameter : &core.centre[*c - 'x']) = value;
        }
        good = good && (*at == '\0' || (*at == ',' && at[1]));
        c = at + (*at == ',');
    }
    options->core = core;
    if (good && isnan(core.centre[core.axis])) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "core \"%s\" is not understood: give inscribed, or some of x=250,y=248,d=480,axis=z: the centre across the axis and the diameter in voxels",
        text);
}

/* Read digits up to `stop`; an empty bound is left as it is. */
static bool read_bound(const char **c, char stop, uint32_t *bound)
{
    if (**c != stop) {
        char *end;
        errno = 0;
        const unsigned long long v =
            **c >= '0' && **c <= '9' ? strtoull(*c, &end, 10) : (end = (char *)*c, 0);
        if (end == *c || errno || v >= UINT32_MAX) return false;
        *bound = (uint32_t)v;
        *c = end;
    }
    if (**c != stop) return false;
    *c += stop != '\0';
    return true;
}

rill_status rill_voxelize_parse_crop(const char *text, rill_voxelize_options *options)
{
    const char *c = text;
    for (int a = 0; a < 3; a++) {
        uint32_t *bounds = options->crop[a];
        bounds[0] = 0;
        bounds[1] = UINT32_MAX;
        if (!read_bound(&c, ':', &bounds[0]) || !read_bound(&c, a < 2 ? ',' : '\0', &bounds[1]))
            return rill_fail(
                RILL_USAGE,
                "crop \"%s\" is not understood: give x0:x1,y0:y1,z0:z1 in voxels, such as 0:240,0:240,0:240 (an empty bound is the image's own)",
                text);
        if (bounds[0] >= bounds[1])
            return rill_fail(RILL_USAGE, "crop \"%s\" leaves nothing along %c: %u is not below %u", text,
                             rill_axis(a), bounds[0], bounds[1]);
    }
    return RILL_OK;
}

/* Read letters x, y, z, small or capital, each at most once, also with commas between them; -1 for anything
 * else. */
static int read_axes(const char *text, int axes[3])
{
    int count = 0;
    for (; *text; text++, count++) {
        if (count > 0 && *text == ',') text++;
        const char letter = (char)(*text >= 'X' && *text <= 'Z' ? *text - 'X' + 'x' : *text);
        if (count == 3 || letter < 'x' || letter > 'z') return -1;
        axes[count] = letter - 'x';
        for (int i = 0; i < count; i++)
            if (axes[i] == axes[count]) return -1;
    }
    return count;
}

rill_status rill_voxelize_parse_axes(const char *text, rill_voxelize_options *options)
{
    if (read_axes(text, options->axes) == 3) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "axes \"%s\" is not understood: give x, y and z in the order of the file's axes, such as zyx (the first axis of the file goes to z)",
        text);
}

rill_status rill_voxelize_parse_mirror(const char *text, rill_voxelize_options *options)
{
    int axes[3];
    const int count = read_axes(text, axes);
    if (count < 1)
        return rill_fail(RILL_USAGE, "mirror \"%s\" is not understood: give x, y, z or several, such as xz",
                         text);
    memset(options->mirror, 0, sizeof options->mirror);
    for (int i = 0; i < count; i++) options->mirror[axes[i]] = true;
    return RILL_OK;
}

rill_status rill_voxelize_parse_sides(const char *text, rill_voxelize_options *options)
{
    const char *c = text;
    int count = 0;
    for (; count < 3; count++) {
        const size_t length = strcspn(c, ",");
        int found = -1;
        for (rill_side s = RILL_PERIODIC; s <= RILL_WALL; s++)
            if (strlen(rill_side_name(s)) == length && strncmp(c, rill_side_name(s), length) == 0)
                found = (int)s;
        if (found < 0) break;
        options->sides[count] = (rill_side)found;
        c += length;
        if (*c == '\0') {
            count++;
            break;
        }
        c++;
    }
    if (*c != '\0' || (count != 1 && count != 3) || c[-(c > text)] == ',')
        return rill_fail(
            RILL_USAGE,
            "the boundaries \"%s\" are not understood: give periodic, mirror or wall once, or three times for x, y, z with commas between",
            text);
    if (count == 1) options->sides[1] = options->sides[2] = options->sides[0];
    return RILL_OK;
}

rill_status rill_voxelize_parse_resample(const char *text, rill_voxelize_options *options)
{
    if (strcmp(text, "isotropic") == 0) {
        options->resample = RILL_RESAMPLE_ISOTROPIC;
        return RILL_OK;
    }
    rill_status status = RILL_OK;
    double spacing;
    RILL_TRY(rill_units_parse(text, "m", &spacing));
    if (!(spacing > 0) || !isfinite(spacing))
        return rill_fail(RILL_USAGE, "resample \"%s\" is not above 0: give isotropic or a length such as 5um",
                         text);
    options->resample = spacing;
done:
    return status;
}

rill_status rill_voxelize_parse_size(const char *text, rill_voxelize_options *options)
{
    const char *c = text;
    for (int a = 0; a < 3; a++) {
        char *end = NULL;
        const unsigned long long n = *c >= '0' && *c <= '9' ? strtoull(c, &end, 10) : 0;
        if (n == 0 || n > INT32_MAX || (a < 2 ? *end == '\0' || !strchr("xX,", *end) : *end != '\0'))
            return rill_fail(
                RILL_USAGE,
                "size \"%s\" is not understood: give the voxels along the three axes, 1 to 2147483647, the fastest first, such as 480x480x480 or 480,480,480",
                text);
        options->image.n[a] = (uint32_t)n;
        c = end + 1;
    }
    return RILL_OK;
}

static bool is_order(const int axes[3])
{
    int seen = 0;
    for (int f = 0; f < 3; f++)
        if (axes[f] >= 0 && axes[f] < 3) seen |= 1 << axes[f];
    return seen == 7 || (axes[0] == -1 && axes[1] == -1 && axes[2] == -1);
}

rill_status rill_voxelize_options_check(const rill_voxelize_options *o)
{
    if (!is_order(o->axes))
        return rill_fail(RILL_USAGE, "axes %d, %d, %d are neither 0, 1, 2 in some order nor -1, -1, -1",
                         o->axes[0], o->axes[1], o->axes[2]);
    for (int a = 0; a < 3; a++)
        if ((unsigned)o->sides[a] > RILL_WALL)
            return rill_fail(RILL_USAGE, "the domain boundary %d along %c is none of the kinds",
                             (int)o->sides[a], rill_axis(a));
    if ((unsigned)o->keep > RILL_KEEP_PERCOLATING || !rill_axes_name(o->axis))
        return rill_fail(
            RILL_USAGE,
            "keep %d along axis %d is nothing: the axis is -1, 0, 1, 2, or another of rill/types.h",
            (int)o->keep, o->axis);
    if (o->contacts > (RILL_CONTACT_FACES | RILL_CONTACT_EDGES | RILL_CONTACT_CORNERS) ||
        (o->contacts && !(o->contacts & RILL_CONTACT_FACES)))
        return rill_fail(RILL_USAGE,
                         "contacts %u are no flags of faces, edges and corners with that of faces",
                         o->contacts);
    if (o->threshold_given && o->pore_count > 0)
        return rill_fail(RILL_USAGE,
                         "a threshold and values of pores both say what is pore: leave one of them out");
    if (o->threshold_given &&
        !(isfinite(o->threshold) && o->threshold_width >= 0 && isfinite(o->threshold_width)))
        return rill_fail(
            RILL_USAGE,
            "a threshold of %g with a width of %g is none: both are grey values, and the width is not below 0",
            o->threshold, o->threshold_width);
    if (o->mask && o->mask_array)
        return rill_fail(RILL_USAGE, "a mask is a file or an array, not both: choose one");
    if (o->pore_count < 0 || o->pore_count > RILL_PORE_RANGES)
        return rill_fail(RILL_USAGE, "%d ranges of grey values are not 0 to %d", o->pore_count,
                         RILL_PORE_RANGES);
    return RILL_OK;
}
