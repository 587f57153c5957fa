/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An image becomes a geometry: slices are read one by one and written to where the axes, the crop and the
 * resampling put them, so that only the geometry itself is ever whole in memory; where several processes keep
 * it and slices are planes of z, not even that. Reading formats is
 * image.h's, deciding what conducts components.h's.
 */
#include "geometry/image/voxelize_priv.h"
#include "core/aside.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/status.h"
#include "core/threads.h"
#include "geometry/image/pore_choice.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/greys.h"
#include "geometry/voxels/outside.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TILE = 32,    /* voxels that are transposed at once along each axis */
    TOGETHER = 64 /* slices that threads read at once */
};

static rill_status create(work *w)
{
    rill_status status = RILL_OK;
    uint32_t n[3];
    char what[160];
    double voxels = 1;
    for (int a = 0; a < 3; a++) {
        n[a] = w->n[a] << w->options->mirror[a];
        voxels *= n[a];
    }
    const uint64_t slice = rill_image_slice_voxels(w->image);
    w->batch = w->report->axes[w->image->order[2]] == 0 ? TILE : 1;
    snprintf(what, sizeof what, "%u x %u x %u voxels of %.100s", n[0], n[1], n[2], w->path);
    const bool planes = w->keeper && w->report->axes[w->image->order[2]] == 2;
    if (voxels < 1e16 && !planes) /* beyond, rill_geom_create() refuses */
        RILL_TRY(rill_memory_require((uint64_t)voxels + slice * (rill_grey_size(w->image->type) + w->batch),
                                     what));
    RILL_TRY(rill_geom_create_kept(n, planes ? w->keeper : NULL, &w->geom));
    w->window.geom = w->geom;
    if (rill_sample_given(w->sample)) RILL_TRY(rill_outside_create(n, &w->geom->outside));
    memcpy(w->geom->sides, w->options->sides, sizeof w->geom->sides);
    RILL_TRY(rill_array_create(slice, rill_grey_size(w->image->type), "a slice of the image", &w->grey));
    RILL_TRY(rill_array_create(slice, w->batch, "slices of pores", (void **)&w->pore));
    if (w->options->threshold_width > 0) {
        RILL_TRY(rill_memory_require((uint64_t)voxels + slice * w->batch, "grey values beside a geometry"));
        RILL_TRY(rill_geom_create(n, &w->codes));
        RILL_TRY(rill_array_create(slice, w->batch, "slices of grey values", (void **)&w->code));
        w->code_window.geom = w->codes;
    }
done:
    return status;
}

/* The axes x, y, z of the slices: fastest, slower, and across. */
static void slice_axes(const work *w, int along[3])
{
    for (int s = 0; s < 3; s++) along[s] = w->report->axes[w->image->order[s]];
}

/* A few slices suffice to find a label around a cylinder: the first, the last, and some between. */
static bool is_looked_at(const work *w, int across, uint32_t slice)
{
    enum { PARTS = 4 };
    const uint32_t first = w->crop[across][0], last = w->crop[across][1] - 1;
    for (uint32_t k = 0; k <= PARTS; k++)
        if (slice == first + (uint32_t)((uint64_t)(last - first) * k / PARTS)) return true;
    return false;
}

/* Read one slice and map the part of it that is used. @param codes  map to codes of grey values; NULL: none
 */
static rill_status read_slice(work *w, rill_pore_map *map, rill_pore_map *codes, const int along[3],
                              uint32_t slice, uint8_t *pore, uint8_t *code)
{
    rill_status status = RILL_OK;
    const uint64_t width = w->image->n[w->image->order[0]];
    const uint32_t *fast = w->crop[along[0]], *slow = w->crop[along[1]];
    const uint64_t used = fast[1] - fast[0];
    const size_t size = rill_grey_size(w->image->type);
    RILL_TRY(rill_image_read(w->image, slice, w->grey));
    const uint64_t first = slow[0] * width + fast[0];
    const uint8_t *start = (const uint8_t *)w->grey + first * size;
    RILL_TRY(rill_sample_slice(w->sample, slice));
    const uint32_t rows = used == width ? 1 : slow[1] - slow[0];
    const uint64_t count = used * (slow[1] - slow[0]) / rows;
    for (uint32_t j = 0; j < rows; j++) {
        const uint8_t *row = start + j * width * size;
        RILL_TRY(rill_pore_map_apply(map, row, count, pore + j * used));
        if (codes) RILL_TRY(rill_pore_map_apply(codes, row, count, code + j * used));
        rill_sample_mark(w->sample, row, first + j * width, count, pore + j * used);
    }
    const bool core = along[2] == 2 && rill_core_is_inscribed(&w->options->core) && !w->options->mask &&
                      !w->options->mask_array && !w->options->outside_count;
    if ((!w->geom->outside || core) && is_looked_at(w, along[2], slice))
        rill_round_look(&w->round, w->image->type, start, width, pore,
                        (const uint32_t[2]){(uint32_t)used, slow[1] - slow[0]});
done:
    return status;
}

/*
 * Put a tile of mapped slices where it belongs: i, j, k count new voxels along the fast, the slow and the
 * last file axis. The innermost loop runs along x, so that memory is written line by line.
 */
static void place_tile(const work *w, const int along[3], const uint32_t low[3], const uint32_t high[3],
                       const uint8_t *const *slices)
{
    const uint64_t stride[3] = {1, w->geom->n[0], (uint64_t)w->geom->n[0] * w->geom->n[1]};
    const uint64_t si = stride[along[0]], sj = stride[along[1]], sk = stride[along[2]];
    const uint64_t used = w->crop[along[0]][1] - w->crop[along[0]][0];
    const uint32_t *fi = w->from[along[0]], *fj = w->from[along[1]];
    uint8_t *voxels = w->window.voxels;
    if (along[2] == 0) {
        for (uint32_t j = low[1]; j < high[1]; j++)
            for (uint32_t i = low[0]; i < high[0]; i++)
                for (uint32_t k = low[2]; k < high[2]; k++)
                    voxels[i * si + j * sj + k] = slices[k - low[2]][fj[j] * used + fi[i]];
        return;
    }
    const uint32_t first = w->window.first;
    for (uint32_t k = low[2]; k < high[2]; k++)
        for (uint32_t i = low[0]; i < high[0]; i++)
            for (uint32_t j = low[1]; j < high[1]; j++)
                voxels[i * si + j * sj + (k - first) * sk] = slices[k - low[2]][fj[j] * used + fi[i]];
}

/* Put mapped slices k … k + count - 1 where they belong. */
static void place_slices(const work *w, const int along[3], uint32_t k, uint32_t count,
                         const uint8_t *const *slices)
{
    const uint32_t ni = w->n[along[0]], nj = w->n[along[1]];
    const uint64_t used = w->crop[along[0]][1] - w->crop[along[0]][0];
    const uint32_t *fi = w->from[along[0]], *fj = w->from[along[1]];
    if (along[0] != 0) {
        for (uint32_t j = 0; j < nj; j += TILE)
            for (uint32_t i = 0; i < ni; i += TILE)
                place_tile(w, along, (const uint32_t[3]){i, j, k},
                           (const uint32_t[3]){i + TILE < ni ? i + TILE : ni, j + TILE < nj ? j + TILE : nj,
                                               k + count},
                           slices);
        return;
    }
    const bool plain = used == ni && fi[ni - 1] == ni - 1;
    for (uint32_t j = 0; j < nj; j++) { /* a row stays a row; count is 1 */
        const uint8_t *row = slices[0] + fj[j] * used;
        uint8_t *target = rill_window_row(&w->window, along[1] == 1 ? j : k, along[1] == 1 ? k : j);
        if (plain) memcpy(target, row, used);
        for (uint32_t i = 0; i < ni && !plain; i++) target[i] = row[fi[i]];
    }
}

/* Keep what is marked in plane z as outside of the sample, and make it solid. */
static rill_status outside_take(work *w, uint32_t z, uint8_t *layer)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)w->geom->n[0] * w->geom->n[1];
    RILL_TRY(rill_outside_set(w->geom->outside, z, layer, RILL_OUTSIDE_MARK));
    if (w->options->mirror[2])
        RILL_TRY(rill_outside_set(w->geom->outside, w->geom->n[2] - 1 - z, layer, RILL_OUTSIDE_MARK));
    for (uint64_t v = 0; v < plane; v++)
        if (layer[v] == RILL_OUTSIDE_MARK) layer[v] = RILL_SOLID;
done:
    return status;
}

/* Put the mirrored copies of plane z, which alone is seen, behind it, x first, and behind the box. */
static rill_status mirror(work *w, uint32_t z)
{
    rill_status status = RILL_OK;
    const uint64_t nx = w->geom->n[0], ny = w->geom->n[1];
    const uint32_t *n = w->n;
    uint8_t *layer = rill_window_row(&w->window, 0, z);
    for (uint32_t y = 0; y < n[1] && w->options->core.given && !w->coding; y++)
        rill_core_mark(&w->options->core, n, y, z, layer + y * nx);
    for (uint64_t y = 0; y < n[1] && w->options->mirror[0]; y++)
        for (uint64_t x = 0; x < n[0]; x++) layer[y * nx + nx - 1 - x] = layer[y * nx + x];
    for (uint64_t y = 0; y < n[1] && w->options->mirror[1]; y++)
        memcpy(layer + (ny - 1 - y) * nx, layer + y * nx, nx);
    if (w->geom->outside) RILL_TRY(outside_take(w, z, layer));
    RILL_TRY(rill_window_keep(&w->window, w->geom));
    if (w->options->mirror[2]) RILL_TRY(rill_window_repeat(&w->window, w->geom, w->geom->n[2] - 1 - z));
done:
    return status;
}

/* Have the voxels kept that had to be whole because slices go across other planes than those of z. */
static rill_status keep(work *w)
{
    rill_status status = RILL_OK;
    rill_geom *kept = NULL;
    if (!w->keeper || w->geom->planes) return RILL_OK;
    RILL_TRY(rill_geom_create_kept(w->geom->n, w->keeper, &kept));
    memcpy(kept->sides, w->geom->sides, sizeof kept->sides);
    RILL_TRY(rill_geom_take_voxels(kept, w->geom));
    kept->outside = w->geom->outside;
    w->geom->outside = NULL;
    rill_geom_destroy(w->geom);
    w->geom = kept;
    kept = NULL;
done:
    rill_geom_destroy(kept);
    return status;
}

/* Place codes, or voxels again. */
static void codes_swap(work *w)
{
    rill_geom *geom = w->geom;
    const rill_window window = w->window;
    w->geom = w->codes;
    w->window = w->code_window;
    w->codes = geom;
    w->code_window = window;
    w->coding = !w->coding;
}

/* Place slices, and where they are planes of z, their mirrored copies. */
static rill_status slices_put(work *w, const int along[3], uint32_t k, uint32_t count,
                              const uint8_t *const *slices)
{
    rill_status status = RILL_OK;
    const bool planes = along[2] == 2;
    if (planes) RILL_TRY(rill_window_blank(&w->window, k, 1));
    if (count) place_slices(w, along, k + 1 - count, count, slices);
    if (planes) RILL_TRY(mirror(w, k));
done:
    return status;
}

/* Put the mirrored copies of all planes. */
static rill_status planes_mirror(work *w)
{
    rill_status status = RILL_OK;
    for (uint32_t z = 0; z < w->n[2]; z++) {
        RILL_TRY(rill_window_blank(&w->window, z, 1));
        RILL_TRY(mirror(w, z));
    }
done:
    return status;
}

/* Give the geometry what the codes have become. */
static void codes_keep(work *w, rill_greys *greys)
{
    greys->code = w->codes->voxels;
    w->codes->voxels = NULL;
    rill_window_close(&w->code_window);
    w->geom->greys = greys;
}

/* Return whether slices are planes of the geometry as they are, which threads read side by side into the
 * voxels. */
static bool is_straight(const work *w, const int along[3])
{
    bool straight = w->image->threaded && rill_grey_size(w->image->type) == 1 && !w->codes &&
                    !w->geom->planes && !rill_sample_given(w->sample);
    for (int a = 0; a < 3; a++)
        straight = straight && along[a] == a && w->from[a][w->n[a] - 1] == w->n[a] - 1 &&
                   (a == 2 || (w->n[a] == w->geom->n[a] && w->n[a] == w->image->n[w->image->order[a]]));
    return straight;
}

/* Slices that threads read side by side. */
typedef struct slab {
    const work *w;
    rill_pore_map *map;
    uint32_t first;
    bool *there; /* whether each was read and mapped */
} slab;

static void slices_read(const void *shared, uint64_t first, uint64_t end)
{
    const slab *s = shared;
    const uint64_t voxels = rill_image_slice_voxels(s->w->image);
    for (uint64_t k = first; k < end; k++) {
        const uint32_t slice = s->w->crop[2][0] + s->first + (uint32_t)k;
        uint8_t *plane = s->w->geom->voxels + voxels * (s->first + k);
        s->there[k] = !is_looked_at(s->w, 2, slice) &&
                      rill_image_read(s->w->image, slice, plane) == RILL_OK &&
                      rill_pore_map_apply(s->map, plane, voxels, plane) == RILL_OK;
    }
}

/* Read slices from k on by threads. @param[out] there  [TOGETHER]; what is false is to be read on its own, to
 * be looked at or to say what is wrong */
static void slab_read(const work *w, rill_pore_map *map, uint32_t k, bool *there)
{
    const uint32_t left = w->n[2] - k;
    rill_threads_for(left < TOGETHER ? left : TOGETHER, (1 << 16) / rill_image_slice_voxels(w->image) + 1,
                     slices_read, &(slab){w, map, k, there});
}

static rill_status read_voxels(work *w)
{
    rill_status status = RILL_OK;
    rill_pore_map *map = NULL, *codes = NULL;
    rill_greys *greys = NULL;
    int along[3];
    slice_axes(w, along);
    const int across = along[2];
    const bool planes = across == 2; /* the slices are, which need not be held together */
    const uint64_t slice = rill_image_slice_voxels(w->image);
    const uint8_t *slices[TILE], *coded[TILE];
    int64_t loaded = -1;
    const bool straight = is_straight(w, along);
    bool there[TOGETHER] = {false};
    RILL_TRY(rill_pore_map_create(w->image, w->options, &map));
    if (w->codes) {
        RILL_TRY(rill_greys_create(w->options->threshold, w->options->threshold_width, &greys));
        RILL_TRY(rill_grey_codes_create(w->image, w->options, greys->distance, &codes));
    }
    if (!planes) RILL_TRY(rill_window_blank(&w->window, 0, w->geom->n[2]));
    if (!planes && codes) RILL_TRY(rill_window_blank(&w->code_window, 0, w->geom->n[2]));
    for (uint32_t k = 0; k < w->n[across]; k++) {
        const uint32_t at = k % w->batch, from = w->crop[across][0] + w->from[across][k];
        if (k % (w->n[across] / 32 + 1) == 0)
            RILL_TRY(rill_progress_report(w->progress, "reading", (double)k / w->n[across]));
        if (straight && k % TOGETHER == 0) slab_read(w, map, k, there);
        if (straight && there[k % TOGETHER]) {
            RILL_TRY(slices_put(w, along, k, 0, NULL));
            continue;
        }
        uint8_t *pore = w->pore + at * slice, *code = codes ? w->code + at * slice : NULL;
        /* The same slice again may lie in the place of the batch before. */
        if (from != loaded)
            RILL_TRY(read_slice(w, map, codes, along, from, pore, code));
        else if (w->batch > 1) {
            memcpy(pore, w->pore + (k - 1) % w->batch * slice, slice);
            if (codes) memcpy(code, w->code + (k - 1) % w->batch * slice, slice);
        }
        loaded = from;
        slices[at] = pore;
        coded[at] = code;
        const uint32_t whole = at + 1 == w->batch || k + 1 == w->n[across] ? at + 1 : 0;
        RILL_TRY(slices_put(w, along, k, whole, slices));
        if (!codes) continue;
        codes_swap(w);
        status = slices_put(w, along, k, whole, coded);
        codes_swap(w);
        if (status != RILL_OK) goto done;
    }
    if (!planes) RILL_TRY(planes_mirror(w));
    if (!planes && codes) {
        codes_swap(w);
        status = planes_mirror(w);
        codes_swap(w);
        if (status != RILL_OK) goto done;
    }
    RILL_TRY(keep(w));
    if (codes) codes_keep(w, greys);
    if (codes) greys = NULL;
    rill_pore_map_report(map, w->report);
    for (uint64_t i = 0; i < w->report->greys && i < RILL_GREYS_SHOWN; i++)
        for (int k = 0; k < w->options->outside_count; k++)
            w->report->grey[i].outside |= w->report->grey[i].value >= w->options->outside[k][0] &&
                                          w->report->grey[i].value <= w->options->outside[k][1];
done:
    rill_greys_destroy(greys);
    rill_pore_map_destroy(codes);
    rill_pore_map_destroy(map);
    return status;
}

/* Refuse a sample without voxels; note a label that looks like the outside of a core. */
static rill_status sample_check(work *w)
{
    w->report->outside = rill_geom_voxels(w->geom) - rill_geom_sample(w->geom);
    if (rill_geom_sample(w->geom) == 0)
        return rill_fail(RILL_USAGE,
                         "every voxel is outside of the sample: check --outside, --mask and --core");
    if (w->geom->outside && w->report->outside == 0) {
        rill_outside_destroy(w->geom->outside);
        w->geom->outside = NULL;
        rill_voxelize_remark(w, "no voxel is outside of the sample: check --outside and --mask\n");
    }
    const int fast = w->report->axes[w->image->order[0]];
    const double scale = (double)w->n[fast] / (w->crop[fast][1] - w->crop[fast][0]);
    char note[400];
    if (rill_round_describe(&w->round, &w->options->core, scale, note, sizeof note))
        rill_voxelize_remark(w, "%s", note);
    return RILL_OK;
}

/* Refuse an image without pores or without walls; note what looks unsegmented. */
static rill_status check_pores(work *w)
{
    rill_status status = RILL_OK;
    char greys[400];
    uint64_t outside = 0; /* grey values of it */
    for (int i = 0; i < RILL_GREYS_SHOWN; i++) outside += w->report->grey[i].outside;
    const uint64_t fluid = rill_geom_fluid(w->geom), voxels = rill_geom_voxels(w->geom);
    RILL_TRY(sample_check(w));
    rill_greys_list(w->report, greys, sizeof greys);
    if (fluid == 0)
        return rill_fail(
            RILL_USAGE,
            "no voxel is pore, all are solid: the grey values are %s; say with --pore which of them are pore",
            greys);
    if (fluid == voxels && w->options->keep != RILL_KEEP_ALL)
        return rill_fail(
            RILL_USAGE,
            "every voxel is pore, none is solid: the grey values are %s; say with --pore which of them are pore, or --keep all if the box is meant to be empty",
            greys);
    if (fluid == voxels) rill_voxelize_remark(w, "every voxel is pore\n");
    if (w->options->pore_count == 0 && !w->options->threshold_given &&
        (w->report->greys == 0 || w->report->greys > outside + 2))
        rill_voxelize_remark(w, "the image has more than two grey values: %s\n", greys);
done:
    return status;
}

/* Where the lattice of later runs is not known, what the links of D3Q19 connect is counted, and what those of
 * no lattice connect is dropped. */
static rill_status label(work *w, int axis, rill_components *c)
{
    rill_status status = RILL_OK;
    const rill_voxelize_options *o = w->options;
    const unsigned all = RILL_CONTACT_FACES | RILL_CONTACT_EDGES | RILL_CONTACT_CORNERS;
    rill_components kept;
    if (o->contacts) return rill_components_clean(w->geom, o->keep, axis, o->contacts, w->progress, c);
    RILL_TRY(
        rill_components_clean(w->geom, RILL_KEEP_ALL, axis, rill_contacts_of(RILL_D3Q19), w->progress, c));
    if (o->keep == RILL_KEEP_ALL) return RILL_OK;
    RILL_TRY(rill_components_clean(w->geom, o->keep, axis, all, w->progress, &kept));
    c->components = kept.components;
    c->kept = kept.kept;
    c->dropped = kept.dropped;
done:
    return status;
}

static rill_status clean(work *w)
{
    const rill_voxelize_options *o = w->options;
    rill_components *c = &w->report->components;
    const int axis = rill_axes_resolve(o->axis, w->geom->n);
    const rill_status status = label(w, axis, c);
    if (status != RILL_OK) return status;
    w->geom->porosity = c->porosity;
    w->report->fluid = rill_geom_fluid(w->geom);
    if (w->report->fluid) return RILL_OK;
    const double *p = c->porosity.percolating;
    /* What is dropped may stay in a file, but a flow along known links needs it no less. */
    const char *all = o->contacts ? "" : ", or --keep all";
    if (o->keep == RILL_KEEP_PERCOLATING)
        return rill_fail(
            RILL_NUMERICS,
            "no pore conducts along %s: porosity is %.5g in all, %.5g connected to a face, %.5g, %.5g and %.5g percolating along x, y and z; "
            "choose another axis, other --sides or --pore%s",
            axis == RILL_AXES_XYZ ? "any axis" : rill_axes_name(axis), c->porosity.total,
            c->porosity.connected, p[0], p[1], p[2], all);
    return rill_fail(RILL_NUMERICS,
                     "no pore reaches an outer face: porosity is %.5g in all; choose other --pore values%s",
                     c->porosity.total, all);
}

/* The hash of the files of the image, which is found while the geometry is looked through. */
typedef struct hashing {
    const rill_image *image;
    char text[17];
    rill_aside aside;
} hashing;

static rill_status hash_find(void *of)
{
    hashing *h = of;
    return rill_image_hash(h->image, h->text);
}

/* Say where the geometry comes from, and its place in metres. */
static rill_status sign(work *w, const char *hash)
{
    rill_status status = RILL_OK;
    const bool placed = w->image->metric && w->options->voxel_size == 0;
    if (w->metric) w->geom->spacing = w->cube;
    for (int a = 0; a < 3 && w->metric; a++)
        w->geom->origin[a] = (placed ? w->image->origin[w->file_axis[a]] : 0) + w->crop[a][0] * w->spacing[a];
    w->geom->source = strdup(w->path);
    w->geom->source_hash = strdup(hash);
    w->geom->options = w->options->command ? strdup(w->options->command) : NULL;
    if (!w->geom->source || !w->geom->source_hash || (w->options->command && !w->geom->options))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the provenance"));
    RILL_TRY(rill_notes_add(&w->geom->notes, w->report->remarks));
done:
    return status;
}

static rill_status run(work *w)
{
    rill_status status = RILL_OK;
    hashing hash = {.image = w->image};
    RILL_TRY(rill_voxelize_settle_axes(w));
    RILL_TRY(rill_voxelize_settle_spacing(w));
    RILL_TRY(rill_voxelize_settle_size(w));
    if (w->keeper && w->options->threshold_width > 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "a threshold with a width needs the image in one process: start rill without mpirun, or leave the width out"));
    if (w->options->core.given) RILL_TRY(rill_core_check(&w->options->core, w->n));
    RILL_TRY(rill_sample_begin(w->image, w->options, &w->sample));
    RILL_TRY(create(w));
    RILL_TRY(read_voxels(w));
    rill_aside_begin(&hash.aside, hash_find, &hash);
    RILL_TRY(check_pores(w));
    RILL_TRY(clean(w));
    RILL_TRY(rill_progress_report(w->progress, "hashing", -1));
    RILL_TRY(rill_aside_end(&hash.aside));
    RILL_TRY(sign(w, hash.text));
done:
    rill_aside_drop(&hash.aside);
    return status;
}

/* Make a geometry of what `w` has opened, and close it. */
static rill_status voxelize(work *w, rill_geom **out)
{
    rill_status status = RILL_OK;
    w->report->type = w->image->type;
    snprintf(w->report->kind, sizeof w->report->kind, "%s", w->image->kind);
    rill_voxelize_remark(w, "%s", w->image->remarks);
    if (!(w->options->voxel_size > 0) && w->image->spacing_note[0])
        rill_voxelize_remark(w, "%s\n", w->image->spacing_note);
    if (rill_pore_unknown(w->image, w->options))
        RILL_TRY(rill_pore_refuse(w->image, w->options, w->progress, w->report));
    RILL_TRY(run(w));
    *out = w->geom;
    w->geom = NULL;
done:
    rill_geom_destroy(w->geom);
    rill_sample_end(w->sample);
    rill_image_close(w->image);
    rill_window_close(&w->window);
    for (int a = 0; a < 3; a++) rill_array_destroy(w->from[a]);
    rill_window_close(&w->code_window);
    rill_geom_destroy(w->codes);
    rill_array_destroy(w->grey);
    rill_array_destroy(w->pore);
    rill_array_destroy(w->code);
    if (status != RILL_OK) rill_fail_prefix("%s", w->path);
    return status;
}

rill_status rill_image_voxelize(const char *path, const rill_voxelize_options *options,
                                rill_progress progress, rill_geom **out, rill_voxelize_report *report)
{
    return rill_image_voxelize_kept(path, options, NULL, progress, out, report);
}

rill_status rill_image_voxelize_kept(const char *path, const rill_voxelize_options *options,
                                     const rill_keeper *keeper, rill_progress progress, rill_geom **out,
                                     rill_voxelize_report *report)
{
    rill_status status = RILL_OK;
    rill_voxelize_report own;
    work w = {.path = rill_input_title(path),
              .options = options,
              .keeper = keeper,
              .progress = progress,
              .report = report ? report : &own};
    *w.report = (rill_voxelize_report){0};
    RILL_TRY(rill_voxelize_options_check(options));
    RILL_TRY(rill_image_open(path, &options->image, &w.image));
    status = voxelize(&w, out);
done:
    return status;
}

rill_status rill_array_voxelize(const void *grey, const rill_voxelize_options *options,
                                rill_progress progress, rill_geom **out, rill_voxelize_report *report)
{
    rill_status status = RILL_OK;
    rill_voxelize_report own;
    work w = {.path = "array", .options = options, .progress = progress, .report = report ? report : &own};
    *w.report = (rill_voxelize_report){0};
    RILL_TRY(rill_voxelize_options_check(options));
    RILL_TRY(rill_image_open_array(grey, &options->image, &w.image));
    status = voxelize(&w, out);
done:
    return status;
}
