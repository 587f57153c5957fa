/* SPDX-License-Identifier: Apache-2.0 */
/* The grid of a voxelization: axes, crop, spacing and resampling. */
#include "geometry/image/voxelize_priv.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Spacings that differ by less than this part count as equal: headers round. */
static const double SPACING_TOLERANCE = 1e-3;

void rill_voxelize_remark(work *w, const char *format, ...)
{
    const size_t used = strlen(w->report->remarks);
    va_list args;
    va_start(args, format);
    vsnprintf(w->report->remarks + used, sizeof w->report->remarks - used, format, args);
    va_end(args);
}

rill_status rill_voxelize_settle_axes(work *w)
{
    const bool given = w->options->axes[0] >= 0;
    for (int f = 0; f < 3; f++) {
        const int a = given ? w->options->axes[f] : w->image->axes[f];
        w->report->axes[f] = a;
        w->report->file_n[f] = w->image->n[f];
        w->file_axis[a] = f;
    }
    for (int a = 0; a < 3; a++) {
        const uint32_t n = w->image->n[w->file_axis[a]], *asked = w->options->crop[a];
        w->crop[a][0] = asked[0];
        w->crop[a][1] = asked[1] == UINT32_MAX ? n : asked[1];
        if (w->crop[a][1] > n || asked[0] >= w->crop[a][1])
            return rill_fail(
                RILL_USAGE,
                "crop %u:%u along %c does not fit the image's %u voxels: give bounds from 0 to %u", asked[0],
                w->crop[a][1], rill_axis(a), n, n);
    }
    return RILL_OK;
}

static bool differ(double a, double b) { return fabs(a - b) > SPACING_TOLERANCE * fmin(a, b); }

static void format_lengths(const work *w, const double length[3], char *text, size_t size)
{
    char each[3][32];
    for (int a = 0; a < 3; a++) {
        if (w->metric)
            rill_units_format_length(length[a], each[a], sizeof each[a]);
        else
            snprintf(each[a], sizeof each[a], "%g", length[a]);
    }
    snprintf(text, size, "%s x %s x %s", each[0], each[1], each[2]);
}

static rill_status refuse_spacing(const work *w, double smallest)
{
    char lengths[110], n[3][16];
    format_lengths(w, w->spacing, lengths, sizeof lengths);
    for (int a = 0; a < 3; a++)
        snprintf(n[a], sizeof n[a], "%.0f",
                 round((w->crop[a][1] - w->crop[a][0]) * w->spacing[a] / smallest));
    return rill_fail(
        RILL_USAGE,
        "its voxels are %s, but cubes are needed: rill voxelize \"%s\" --resample isotropic -o FILE.geom.h5 makes %s x %s x %s of them by nearest neighbour (or set --voxel-size if the file is wrong)",
        lengths, w->path, n[0], n[1], n[2]);
}

/* "2.5 x 2.5 x 2.5 mm", as it stands in the file. */
static void format_stated(const rill_image *image, char *text, size_t size)
{
    static const struct {
        double metres;
        const char *name;
    } units[] = {{1, "m"}, {1e-2, "cm"}, {1e-3, "mm"}, {1e-6, "um"}, {1e-9, "nm"}};
    const double *s = image->stated;
    char unit[24];
    snprintf(unit, sizeof unit, "times %g m", image->stated_unit);
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (fabs(image->stated_unit / units[k].metres - 1) < 1e-9) strcpy(unit, units[k].name);
    snprintf(text, size, "%g x %g x %g %s%s", s[0], s[1], s[2], unit,
             image->assumed ? " (it names no unit, this one is assumed)" : "");
}

/* Refuse a size of the file that no image of pores has: its unit is wrong, or is not the one assumed. */
static rill_status check_stated(const work *w)
{
    const rill_image *image = w->image;
    char stated[160], lengths[110], example[24] = "5.7um";
    if (w->options->voxel_size > 0 || w->options->allow_voxel_size || !w->metric) return RILL_OK;
    const double *s = w->spacing, smallest = fmin(s[0], fmin(s[1], s[2])),
                 largest = fmax(s[0], fmax(s[1], s[2]));
    if (!(largest > 0) || (rill_voxel_size_usual(smallest) && rill_voxel_size_usual(largest))) return RILL_OK;
    format_stated(image, stated, sizeof stated);
    format_lengths(w, s, lengths, sizeof lengths);
    if (rill_voxel_size_usual(1e-6 * fabs(image->stated[0])) && image->stated_unit != 1e-6)
        snprintf(example, sizeof example, "%gum", fabs(image->stated[0]));
    return rill_fail(RILL_USAGE,
                     "its voxels would be %s, and those of pores are 1 nm to 1 mm: %s states %s: "
                     "give the right size, such as --voxel-size %s, or --allow-voxel-size if it is right",
                     lengths, image->measure, stated, example);
}

rill_status rill_voxelize_settle_spacing(work *w)
{
    const double given = w->options->voxel_size, resample = w->options->resample;
    const double *file = w->image->spacing;
    if (given < 0 || !isfinite(given))
        return rill_fail(RILL_USAGE, "a voxel size of %g m is not above 0", given);
    w->metric = given > 0 || w->image->metric;
    for (int a = 0; a < 3; a++) w->spacing[a] = given > 0 ? given : file[w->file_axis[a]];
    if (given > 0 && w->image->metric &&
        (differ(file[0], given) || differ(file[1], given) || differ(file[2], given))) {
        char lengths[110];
        format_lengths(w, file, lengths, sizeof lengths);
        rill_voxelize_remark(w, "the file says voxels of %s; the voxel size given counts\n", lengths);
    }
    const double *s = w->spacing, smallest = fmin(s[0], fmin(s[1], s[2]));
    w->cube = smallest;
    rill_status status = rill_voxel_size_check(given, w->options->allow_voxel_size);
    if (status == RILL_OK) status = check_stated(w);
    if (status == RILL_OK && resample > 0)
        status = rill_voxel_size_check(resample, w->options->allow_voxel_size);
    if (status != RILL_OK) return status;
    if (resample == 0 && (differ(s[0], smallest) || differ(s[1], smallest) || differ(s[2], smallest)))
        return refuse_spacing(w, smallest);
    if (resample != 0 && !(smallest > 0))
        return rill_fail(RILL_USAGE,
                         "the file says no spacing, so that nothing can be resampled: give --voxel-size");
    if (resample > 0 && !w->metric)
        return rill_fail(RILL_USAGE,
                         "the file's spacing has no unit: use --resample isotropic, or give --voxel-size");
    if (resample > 0) w->cube = resample;
    return RILL_OK;
}

rill_status rill_voxelize_settle_size(work *w)
{
    rill_status status = RILL_OK;
    double ratio[3], n[3], voxels = 1;
    for (int a = 0; a < 3; a++) {
        ratio[a] = w->options->resample != 0 ? w->cube / w->spacing[a] : 1;
        n[a] = fmax(1, round((w->crop[a][1] - w->crop[a][0]) / ratio[a]));
        voxels *= n[a];
    }
    if (!(fmax(n[0], fmax(n[1], n[2])) <= INT32_MAX && voxels <= 1e15))
        return rill_fail(
            RILL_USAGE,
            "resampling makes %.3g x %.3g x %.3g voxels, more than 1e15 or %d along an axis: take a larger spacing",
            n[0], n[1], n[2], INT32_MAX);
    for (int a = 0; a < 3; a++) {
        const uint32_t length = w->crop[a][1] - w->crop[a][0];
        w->n[a] = (uint32_t)n[a];
        RILL_TRY(rill_array_create(w->n[a], sizeof(uint32_t), "the table of an axis", (void **)&w->from[a]));
        for (uint32_t i = 0; i < w->n[a]; i++) {
            const double at = floor((i + 0.5) * ratio[a]);
            w->from[a][i] = at < length - 1. ? (uint32_t)at : length - 1;
        }
    }
done:
    return status;
}
