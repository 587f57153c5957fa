/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the sample in a picture. */
#include "geometry/image/sample.h"

#include "geometry/image/image_priv.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/image/pore_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rill_sample {
    const rill_voxelize_options *options;
    rill_grey type;
    rill_image *mask;      /* NULL: none, or an array */
    void *slice;           /* of the mask */
    const uint8_t *inside; /* of the array, of the slice that was loaded */
    uint64_t slice_voxels;
};

/* ---- grey values and masks --------------------------------------------------------------------- */

static bool within(const double (*ranges)[2], int count, double value)
{
    for (int i = 0; i < count; i++)
        if (value >= ranges[i][0] && value <= ranges[i][1]) return true;
    return false;
}

static rill_status ranges_check(const rill_image *image, const rill_voxelize_options *o)
{
    const double own[1][2] = {{image->pore, image->pore}};
    const double(*pore)[2] = o->pore_count ? o->pore : own;
    const int pores = o->pore_count ? o->pore_count : 1;
    if (o->outside_count < 0 || o->outside_count > RILL_OUTSIDE_RANGES)
        return rill_fail(RILL_USAGE, "%d ranges of grey values outside of the sample are not 0 to %d",
                         o->outside_count, RILL_OUTSIDE_RANGES);
    for (int i = 0; i < o->outside_count; i++)
        for (int k = 0; k < pores; k++)
            if (o->outside[i][0] <= pore[k][1] && pore[k][0] <= o->outside[i][1])
                return rill_fail(
                    RILL_USAGE,
                    "the grey value %g is pore and outside of the sample: name a value that only the outside has, or say where the sample is by --core or --mask",
                    fmax(o->outside[i][0], pore[k][0]));
    return RILL_OK;
}

/* A mask lies in memory as the image does, so that both are read slice by slice. */
static rill_status mask_check(const rill_image *image, const rill_image *m, bool given)
{
    bool fits = true;
    for (int k = 0; k < 3; k++) {
        const int a = m->order[k], b = image->order[k];
        fits = fits && m->n[a] == image->n[b] && m->axes[a] == image->axes[b];
    }
    if (!fits)
        return rill_fail(
            RILL_USAGE,
            "the mask has %u x %u x %u voxels and the image %u x %u x %u, from the fastest axis on, or their axes have another order: "
            "give a mask of the same size and order of axes",
            m->n[m->order[0]], m->n[m->order[1]], m->n[m->order[2]], image->n[image->order[0]],
            image->n[image->order[1]], image->n[image->order[2]]);
    if (!given && m->pore != 1)
        return rill_fail(
            RILL_USAGE,
            "which values of the mask are inside of the sample is unknown, as it does not hold bool: give --mask-inside VALUES");
    return RILL_OK;
}

static rill_status mask_open(const rill_image *image, rill_sample *s)
{
    rill_status status = RILL_OK;
    const rill_voxelize_options *o = s->options;
    rill_image_options options = rill_image_options_default();
    rill_image_format format = RILL_IMAGE_AUTO;
    /* Raw voxels have the size of the image; a file of another format states its own. */
    if (image->format == RILL_IMAGE_RAW && rill_image_detect(o->mask, true, &format) == RILL_OK &&
        format == RILL_IMAGE_RAW)
        memcpy(options.n, image->n, sizeof options.n);
    RILL_TRY(rill_image_open(o->mask, &options, &s->mask));
    RILL_TRY(mask_check(image, s->mask, o->mask_inside_given));
    RILL_TRY(rill_array_create(s->slice_voxels, rill_grey_size(s->mask->type), "a slice of the mask",
                               (void **)&s->slice));
done:
    if (status != RILL_OK) rill_fail_prefix("the mask %s", o->mask);
    return status;
}

rill_status rill_sample_begin(const rill_image *image, const rill_voxelize_options *o, rill_sample **out)
{
    rill_status status = RILL_OK;
    rill_sample *s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for the sample in an image");
    *s = (rill_sample){.options = o, .type = image->type, .slice_voxels = rill_image_slice_voxels(image)};
    RILL_TRY(ranges_check(image, o));
    if (o->mask) RILL_TRY(mask_open(image, s));
    *out = s;
    s = NULL;
done:
    rill_sample_end(s);
    return status;
}

void rill_sample_end(rill_sample *s)
{
    if (!s) return;
    rill_image_close(s->mask);
    rill_array_destroy(s->slice);
    free(s);
}

bool rill_sample_given(const rill_sample *s)
{
    const rill_voxelize_options *o = s->options;
    return o->outside_count || o->mask || o->mask_array || o->core.given;
}

rill_status rill_sample_slice(rill_sample *s, uint32_t slice)
{
    if (s->options->mask_array) s->inside = s->options->mask_array + s->slice_voxels * slice;
    return s->mask ? rill_image_read(s->mask, slice, s->slice) : RILL_OK;
}

void rill_sample_mark(const rill_sample *s, const void *grey, uint64_t first, uint64_t count, uint8_t *voxels)
{
    const rill_voxelize_options *o = s->options;
    const double truth[1][2] = {{1, 1}};
    const double(*inside)[2] = o->mask_inside_given ? &o->mask_inside : truth;
    for (uint64_t i = 0; o->outside_count && i < count; i++)
        if ((voxels[i] == RILL_SOLID || o->threshold_given) &&
            within(o->outside, o->outside_count, rill_grey_real(s->type, grey, i)))
            voxels[i] = RILL_OUTSIDE_MARK;
    for (uint64_t i = 0; s->mask && i < count; i++)
        if (!within(inside, 1, rill_grey_real(s->mask->type, s->slice, first + i)))
            voxels[i] = RILL_OUTSIDE_MARK;
    for (uint64_t i = 0; s->inside && i < count; i++)
        if (!s->inside[first + i]) voxels[i] = RILL_OUTSIDE_MARK;
}

/* ---- cores ------------------------------------------------------------------------------------- */

/* Centre and diameter in the two axes across a core. */
typedef struct disc {
    int across[2];
    double centre[2], diameter;
} disc;

static disc disc_of(const rill_core *core, const uint32_t n[3])
{
    const int u = core->axis == 0 ? 1 : 0, v = core->axis == 2 ? 1 : 2;
    disc d = {.across = {u, v}, .diameter = core->diameter};
    for (int k = 0; k < 2; k++) {
        const double given = core->centre[d.across[k]];
        d.centre[k] = isnan(given) ? 0.5 * n[d.across[k]] : given;
    }
    if (d.diameter == 0) d.diameter = n[u] < n[v] ? n[u] : n[v];
    return d;
}

rill_status rill_core_check(const rill_core *core, const uint32_t n[3])
{
    if (core->axis < 0 || core->axis > 2 || !(core->diameter >= 0) || !isfinite(core->diameter))
        return rill_fail(RILL_USAGE, "a core along axis %d of diameter %g is none: the axis is 0, 1 or 2",
                         core->axis, core->diameter);
    const disc d = disc_of(core, n);
    for (int k = 0; k < 2; k++)
        if (!(d.centre[k] >= 0 && d.centre[k] <= n[d.across[k]]) || d.diameter > n[d.across[k]])
            return rill_fail(
                RILL_USAGE,
                "a core of diameter %g around %g along %c is not in a picture of %u voxels: "
                "give a centre in it and a diameter of at most its edge, in voxels of the part that is used",
                d.diameter, d.centre[k], rill_axis(d.across[k]), n[d.across[k]]);
    return RILL_OK;
}

void rill_core_mark(const rill_core *core, const uint32_t n[3], uint32_t y, uint32_t z, uint8_t *row)
{
    const disc d = disc_of(core, n);
    for (uint32_t x = 0; x < n[0]; x++) {
        const double at[3] = {x + 0.5, y + 0.5, z + 0.5};
        const double u = at[d.across[0]] - d.centre[0], v = at[d.across[1]] - d.centre[1];
        if (u * u + v * v > 0.25 * d.diameter * d.diameter) row[x] = RILL_OUTSIDE_MARK;
    }
}

/* ---- a label around a cylinder ----------------------------------------------------------------- */

/* Shares of the voxels around the inscribed disc that have the label of the corners, at least, of those in
 * the smallest disc that it surrounds, at most, and of pores in this disc. */
#define AROUND 0.995
#define WITHIN 0.9
#define PORES_LEAST 0.02
/* Of the radius of the smallest disc, within which pores are counted: its edge is rough. */
#define CORE_PART 0.9
enum { ROUND_LEAST = 16 }; /* voxels along an edge */
/* Voxels without the label in a line that the core reaches, at least: fewer are specks. */
enum { LINE_LEAST = 3 };
/* An annulus of the label within the inscribed disc is noted from a difference of so many voxels of the
 * diameters on; a centre farther from the middle is named. */
#define ANNULUS_LEAST 2.0

/* A core in a picture is nearly as wide as this: a duct in a block is not. Part of the shorter edge. */
#define CORE_LEAST 0.7
#define OFF_LEAST 1.0

/* Return the share of the label, that of the corner, among the voxels at more than one radius from the middle
 * and less than another. */
static double label_share(const uint8_t *bytes, size_t size, uint64_t stride, const uint32_t n[2],
                          double from, double to)
{
    uint64_t all = 0, labelled = 0;
    for (uint32_t y = 0; y < n[1]; y++)
        for (uint32_t x = 0; x < n[0]; x++) {
            const double away = hypot(x + 0.5 - 0.5 * n[0], y + 0.5 - 0.5 * n[1]);
            if (away < from || away >= to) continue;
            all++, labelled += memcmp(bytes + (y * stride + x) * size, bytes, size) == 0;
        }
    return all ? (double)labelled / (double)all : 0;
}

/* Return the radius from which on all voxels have the label, where that of the inscribed disc is `most`. */
static double radius_find(const uint8_t *bytes, size_t size, uint64_t stride, const uint32_t n[2],
                          uint32_t most)
{
    uint64_t all[1 << 12] = {0}, labelled[1 << 12] = {0};
    if (most >= 1 << 12) return most;
    for (uint32_t y = 0; y < n[1]; y++)
        for (uint32_t x = 0; x < n[0]; x++) {
            const uint32_t ring = (uint32_t)hypot(x + 0.5 - 0.5 * n[0], y + 0.5 - 0.5 * n[1]);
            if (ring >= most) continue;
            all[ring]++;
            labelled[ring] += memcmp(bytes + (y * stride + x) * size, bytes, size) == 0;
        }
    while (most > 1 && (double)labelled[most - 1] >= AROUND * (double)all[most - 1]) most--;
    return most;
}

/* Find the lines across an axis that hold more than a few voxels without the label. */
static void lines_find(const uint8_t *bytes, size_t size, uint64_t stride, const uint32_t n[2], int axis,
                       rill_round *r)
{
    const uint32_t lines = n[axis], length = n[!axis];
    for (uint32_t k = 0; k < lines; k++) {
        uint32_t other = 0;
        for (uint32_t i = 0; i < length; i++) {
            const uint64_t at = axis == 0 ? i * stride + k : k * stride + i;
            other += memcmp(bytes + at * size, bytes, size) != 0;
        }
        if (other < LINE_LEAST) continue;
        if (r->high[axis] == 0 || k < r->low[axis]) r->low[axis] = k;
        if (k >= r->high[axis]) r->high[axis] = k + 1;
    }
}

/* Return whether there are pores and solid in a disc. One that is solid is an obstacle, an open one a pipe.
 */
static bool is_porous(const uint8_t *pore, const uint32_t n[2], double radius)
{
    uint64_t in = 0, pores = 0;
    for (uint32_t y = 0; y < n[1]; y++)
        for (uint32_t x = 0; x < n[0]; x++) {
            if (hypot(x + 0.5 - 0.5 * n[0], y + 0.5 - 0.5 * n[1]) >= radius) continue;
            in++, pores += pore[(uint64_t)y * n[0] + x] == RILL_FLUID;
        }
    const double open = (double)pores / (double)in;
    return open >= PORES_LEAST && open <= 1 - PORES_LEAST;
}

void rill_round_look(rill_round *r, rill_grey type, const void *grey, uint64_t stride, const uint8_t *pore,
                     const uint32_t n[2])
{
    const size_t size = rill_grey_size(type);
    const uint8_t *bytes = grey;
    const uint32_t edge = n[0] < n[1] ? n[0] : n[1], longer = n[0] < n[1] ? n[1] : n[0];
    const double radius = 0.5 * edge, value = rill_grey_real(type, grey, 0);
    r->looked++;
    if (edge < ROUND_LEAST || longer > edge + edge / 8 || (r->round && value != r->value)) return;
    if (label_share(bytes, size, stride, n, radius + 1, INFINITY) < AROUND) return;
    const double found = radius_find(bytes, size, stride, n, edge / 2);
    if (2 * found < CORE_LEAST * edge) return;
    const double share = label_share(bytes, size, stride, n, 0, CORE_PART * found);
    if (share > WITHIN || !is_porous(pore, n, CORE_PART * found)) return;
    for (int axis = 0; axis < 2; axis++) lines_find(bytes, size, stride, n, axis, r);
    r->round++;
    memcpy(r->n, n, sizeof r->n);
    r->value = value;
    r->inside = share;
    r->is_pore = pore[0] == RILL_FLUID;
    r->diameter = fmax(r->diameter, 2 * found);
}

/* What leaves the label out: another value, or the cylinder. */
static void remedy_describe(const rill_round *r, bool core, double scale, char *text, size_t size)
{
    double middle[2], off = 0, wide = 0;
    for (int k = 0; k < 2; k++) {
        middle[k] = 0.5 * (r->low[k] + r->high[k]);
        off = fmax(off, fabs(middle[k] - 0.5 * r->n[k]));
        wide = fmax(wide, r->high[k] - r->low[k]);
    }
    if (!core && r->inside == 0)
        snprintf(text, size, "--outside %g", r->value);
    else if (off <= OFF_LEAST)
        snprintf(text, size, "--core d=%g", scale * r->diameter);
    else
        snprintf(text, size, "--core x=%g,y=%g,d=%g", scale * middle[0], scale * middle[1], scale * wide);
}

bool rill_round_describe(const rill_round *r, const rill_core *core, double scale, char *text, size_t size)
{
    char remedy[96];
    const uint32_t edge = r->n[0] < r->n[1] ? r->n[0] : r->n[1];
    if (r->looked == 0 || r->round < r->looked) return false;
    if (core->given && edge - r->diameter < ANNULUS_LEAST) return false;
    remedy_describe(r, core->given, scale, remedy, sizeof remedy);
    if (core->given)
        snprintf(
            text, size,
            "the grey value %g, which counts as %s, fills an annulus within the inscribed core of diameter %g in every slice, "
            "so that k and porosity count it as sample: for those of the core give %s\n",
            r->value, r->is_pore ? "pore" : "solid", scale * edge, remedy);
    else
        snprintf(
            text, size,
            "the grey value %g, which counts as %s, fills all around a disc in every slice, as around a core in a picture, "
            "so that k and porosity are those of the box: for those of the core add %s\n",
            r->value, r->is_pore ? "pore" : "solid", remedy);
    return true;
}

bool rill_core_is_inscribed(const rill_core *core)
{
    return core->given && core->axis == 2 && core->diameter == 0 && isnan(core->centre[0]) &&
           isnan(core->centre[1]);
}
