/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a surface to a geometry, step by step. Each step is in a file of its own. */
#include "geometry/surface/surface.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/notes.h"
#include "core/status.h"
#include "core/units.h"
#include "geometry/image/image_priv.h"
#include "geometry/surface/cuts.h"
#include "geometry/surface/fill.h"
#include "geometry/surface/tree.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rill_surface_options rill_surface_options_default(void)
{
    return (rill_surface_options){.min_cells = 4, .shell = RILL_SHELL_ONE};
}

/* What the steps share. */
typedef struct work {
    const char *path;
    const rill_surface_options *options;
    rill_progress progress;
    rill_surface_report *report;
    rill_mesh *mesh;
    rill_triangle *original; /* [report->triangles], as read, turned as they were turned */
    double rounding;         /* m, how far places may be off in the file */
    uint32_t *tagged;        /* [vertex_count], planes and patches */
    const char **tags;       /* [tag_count], names of openings that planes, patches and caps leave */
    int tag_count;
    uint8_t *removed; /* [report->triangles], taken away for an opening; NULL: none */
    rill_openings openings;
    rill_grid grid;
    rill_lines *lines;
    char note[512]; /* of the geometry; "" for none */
    rill_geom *geom;
} work;

/* ---- the surface ----------------------------------------------------------------------------- */

/* Vertices that differ by what a surface in single precision is rounded to are one. */
static rill_status weld(work *w)
{
    rill_surface_report *r = w->report;
    double diagonal = 0, far = 0;
    rill_mesh_box(w->mesh, r->low, r->high);
    for (int a = 0; a < 3; a++) {
        diagonal = hypot(diagonal, r->high[a] - r->low[a]);
        far = fmax(far, fmax(fabs(r->low[a]), fabs(r->high[a])));
    }
    r->triangles = w->mesh->triangle_count;
    r->tolerance = fmax(1e-6 * diagonal, 2 * (double)FLT_EPSILON * far);
    w->rounding = r->tolerance;
    if (w->options->weld > 0) {
        if (w->options->weld < r->tolerance || w->options->weld > 0.1 * diagonal)
            return rill_fail(RILL_USAGE,
                             "vertices within %g mm cannot be welded: take a distance from %.3g mm, what "
                             "rounding explains, to %.3g mm, a tenth of the surface's diagonal",
                             1e3 * w->options->weld, 1e3 * r->tolerance, 1e2 * diagonal);
        r->tolerance = w->options->weld;
    }
    if (!(diagonal > 0)) return rill_fail(RILL_USAGE, "all of its triangles lie in one point");
    if (!isfinite(diagonal)) return rill_fail(RILL_USAGE, "it is larger than any number: mend the surface");
    const rill_status status = rill_mesh_weld(w->mesh, r->tolerance, &r->merged);
    r->vertices = w->mesh->vertex_count;
    return status;
}

static double longest_side(const rill_surface_report *r)
{
    double longest = 0;
    for (int a = 0; a < 3; a++) longest = fmax(longest, r->high[a] - r->low[a]);
    return longest;
}

static double widest_opening(const work *w)
{
    double widest = 0;
    for (int k = 0; k < w->openings.count; k++)
        widest = fmax(widest, w->openings.openings[k].hydraulic_diameter);
    return widest;
}

/* A vessel tree is between a millimetre and two metres long, and ends in openings less than 12 cm wide. */
static void check_size(work *w)
{
    const double longest = longest_side(w->report);
    if (longest < 1e-3 || longest > 2 || widest_opening(w) >= 0.12)
        rill_defect_add(&w->report->defects[RILL_DEFECT_UNITS], w->report->low);
}

/* Said before voxels are made, of which a wrong unit makes many; refusals say it themselves. */
static void remark_size(work *w)
{
    char openings[64] = "";
    const double widest = widest_opening(w);
    if (w->report->defects[RILL_DEFECT_UNITS].count == 0) return;
    if (widest > 0) snprintf(openings, sizeof openings, ", its widest opening %.3g mm wide", 1e3 * widest);
    snprintf(w->note, sizeof w->note, "%s is %.4g mm long%s: no vessel has that size, --units may be wrong",
             w->path, 1e3 * longest_side(w->report), openings);
    rill_log(RILL_LOG_NOTE, "%s", w->note);
}

static rill_status refuse_several(const rill_shell *shells, uint32_t count)
{
    const double share = 0.05; /* of the largest: smaller ones are debris */
    uint32_t open = 0, second = 0;
    for (uint32_t s = 0; s < count; s++)
        if (shells[s].boundary > 0 && shells[s].area >= share * shells[0].area) {
            open++;
            if (open == 2) second = s;
        }
    if (open < 2) return RILL_OK;
    if (open > 100)
        return rill_fail(
            RILL_USAGE,
            "its triangles do not join, and make %u parts with open edges: --weld 0.01mm, or more, "
            "joins them",
            open);
    return rill_fail(RILL_USAGE,
                     "it holds %u separate vessels with open ends, the second around (%.4g, %.4g, %.4g) mm: "
                     "choose one with --shell 1 (the largest) to --shell %u, or take --shell all",
                     open, 1e3 * shells[second].middle[0], 1e3 * shells[second].middle[1],
                     1e3 * shells[second].middle[2], count);
}

static rill_status choose_shells(work *w)
{
    rill_status status = RILL_OK;
    uint32_t *of = NULL, count = 0;
    rill_shell *shells = NULL;
    const int wanted = w->options->shell;
    RILL_TRY(rill_repair_shells(w->mesh, &of, &shells, &count));
    for (uint32_t s = 1; s < count; s++)
        rill_defect_add(&w->report->defects[RILL_DEFECT_SHELL], shells[s].middle);
    if (wanted == RILL_SHELL_ONE)
        RILL_TRY(refuse_several(shells, count));
    else if (wanted > 0 && (uint32_t)wanted > count)
        RILL_TRY(rill_fail(RILL_USAGE, "it has %u shells: --shell %d names none of them", count, wanted));
    else if (wanted > 0)
        rill_repair_keep(w->mesh, of, (uint32_t)wanted - 1);
done:
    free(shells);
    rill_array_destroy(of);
    return status;
}

static rill_status examine(work *w)
{
    rill_status status = RILL_OK;
    rill_tree *tree = NULL;
    RILL_TRY(rill_tree_create(w->mesh, &tree));
    RILL_TRY(rill_tree_intersections(tree, w->rounding, &w->report->defects[RILL_DEFECT_INTERSECTION],
                                     &w->report->intersections_whole));
    RILL_TRY(rill_tree_narrowest(tree, &w->report->narrowest, w->report->narrowest_at));
done:
    rill_tree_destroy(tree);
    return status;
}

/* Let an array hold a number for each vertex that there is by now. */
static rill_status rim_grow(const rill_mesh *mesh, uint32_t **rim, uint32_t *count)
{
    uint32_t *longer = NULL;
    const rill_status status =
        rill_array_create_zero(mesh->vertex_count, sizeof *longer, "the openings", (void **)&longer);
    if (status != RILL_OK) return status;
    if (*rim) memcpy(longer, *rim, *count * sizeof *longer);
    rill_array_destroy(*rim);
    *rim = longer;
    *count = mesh->vertex_count;
    return RILL_OK;
}

/* Open the surface where planes and patches say so. Vertices that are added are on the planes' outlines. */
static rill_status open_surface(work *w)
{
    rill_status status = RILL_OK;
    const rill_surface_options *o = w->options;
    const double most = o->remove_most ? 1 : 0.5;
    uint32_t end[RILL_OPENINGS], *rim = NULL, rims = 0; /* vertices of flat parts that planes lie on */
    const uint32_t first = w->mesh->vertex_count;
    if (o->plane_count > RILL_OPENINGS || o->group_count > RILL_OPENINGS)
        return rill_fail(RILL_USAGE, "%d planes and %d patches are given: at most %d of each can be openings",
                         o->plane_count, o->group_count, RILL_OPENINGS);
    for (int k = 0; k < o->plane_count; k++) {
        RILL_TRY(rim_grow(w->mesh, &rim, &rims));
        status = rill_section_cut(w->mesh, &o->planes[k], most, (uint32_t)k + 1, rim, &w->report->planes[k]);
        if (status != RILL_OK) {
            rill_fail_prefix("--plane number %d", k + 1);
            goto done;
        }
        w->report->plane_count = k + 1;
        end[k] = w->mesh->vertex_count;
    }
    RILL_TRY(rill_array_create_zero(w->mesh->vertex_count, sizeof *w->tagged, "the openings",
                                    (void **)&w->tagged));
    if (rim) memcpy(w->tagged, rim, rims * sizeof *rim);
    RILL_TRY(rill_array_create((uint64_t)o->plane_count + (uint64_t)o->group_count + RILL_OPENINGS,
                               sizeof *w->tags, "the openings", (void **)&w->tags));
    w->tag_count = o->plane_count + o->group_count;
    for (int k = 0; k < o->plane_count; k++) {
        w->tags[k] = o->planes[k].name;
        for (uint32_t v = k ? end[k - 1] : first; v < end[k]; v++) w->tagged[v] = (uint32_t)k + 1;
    }
    for (int k = 0; k < o->group_count; k++) {
        const int tag = o->plane_count + k;
        w->tags[tag] = o->groups[k].name;
        RILL_TRY(rill_section_open(w->mesh, o->groups[k].group, (uint32_t)tag + 1, w->tagged));
    }
done:
    rill_array_destroy(rim);
    return status;
}

/* Whether nothing but its caps could be opened. */
static rill_status is_closed(work *w, const rill_caps *caps, bool *closed)
{
    rill_status status = RILL_OK;
    uint8_t *aside = NULL;
    int openings = 0;
    RILL_TRY(rill_array_create_zero(w->mesh->vertex_count, 1, "the caps", (void **)&aside));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++)
        for (int k = 0; k < 3 && caps->of[t]; k++)
            aside[w->mesh->triangles[t].v[k]] |= caps->caps[caps->of[t] - 1].verdict == RILL_CAP_CLOSED;
    RILL_TRY(rill_openings_count(w->mesh, aside, &openings));
    *closed = openings == 0;
done:
    rill_array_destroy(aside);
    return status;
}

/* Keep what is told of flat parts: caps first; parts of the wall only where caps were looked for, without the
 * small facets that any wall has. */
static void tell_caps(rill_surface_report *r, const rill_caps *caps, bool all)
{
    const double facet = 0.1;
    double least = INFINITY;
    for (int k = 0; k < caps->count; k++)
        if (caps->caps[k].verdict <= RILL_CAP_CLOSED) least = fmin(least, caps->caps[k].area);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < caps->count; k++) {
            const rill_cap *cap = &caps->caps[k];
            const bool is_cap = cap->verdict <= RILL_CAP_CLOSED;
            if (is_cap != (pass == 0) || (pass == 1 && !all)) continue;
            if (cap->verdict == RILL_CAP_ROUNDED && cap->area < facet * least && isfinite(least)) continue;
            if (r->flat_count < RILL_FLATS_TOLD) r->flats[r->flat_count] = *cap;
            r->flat_count++;
            r->caps_opened += cap->verdict == RILL_CAP_OPENED;
        }
}

/* The group of all triangles of a cap; UINT32_MAX: it has several, or the group has triangles elsewhere. */
static uint32_t group_of(const rill_mesh *mesh, const rill_caps *caps, uint32_t cap)
{
    uint32_t group = UINT32_MAX;
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (caps->of[t] == cap + 1) {
            if (group != UINT32_MAX && group != mesh->triangles[t].patch) return UINT32_MAX;
            group = mesh->triangles[t].patch;
        }
    for (uint32_t t = 0; t < mesh->triangle_count; t++)
        if (mesh->triangles[t].patch == group && caps->of[t] != cap + 1) return UINT32_MAX;
    return group;
}

/* A cap that is a group of the file becomes an opening that is called like it. */
static void name_caps(work *w, const rill_caps *caps)
{
    const rill_mesh *mesh = w->mesh;
    const int most = w->options->plane_count + w->options->group_count + RILL_OPENINGS;
    for (int k = 0; k < caps->count && mesh->patch_count > 1 && w->tag_count < most; k++) {
        if (caps->caps[k].verdict != RILL_CAP_CLOSED) continue;
        const uint32_t group = group_of(mesh, caps, (uint32_t)k);
        if (group == UINT32_MAX || rill_opening_name_check(mesh->patches[group]) != RILL_OK) continue;
        w->tags[w->tag_count++] = mesh->patches[group];
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            for (int c = 0; c < 3 && caps->of[t] == (uint32_t)k + 1; c++)
                w->tagged[mesh->triangles[t].v[c]] = (uint32_t)w->tag_count;
    }
}

/* Flat caps become openings when that was asked for, or when nothing else is open. */
static rill_status open_caps(work *w)
{
    rill_status status = RILL_OK;
    const rill_surface_options *o = w->options;
    rill_caps caps = {0};
    bool closed = false;
    if (o->caps == RILL_CAPS_NONE) return RILL_OK;
    RILL_TRY(rill_caps_find(w->mesh, &caps));
    if (o->plane_count + o->group_count == 0) RILL_TRY(is_closed(w, &caps, &closed));
    if (o->caps == RILL_CAPS_AUTO || closed) {
        name_caps(w, &caps);
        RILL_TRY(rill_caps_open(w->mesh, &caps));
    }
    tell_caps(w->report, &caps, o->caps == RILL_CAPS_AUTO || closed);
done:
    rill_caps_destroy(&caps);
    return status;
}

/* Note which triangles of the file lost more than half of their area to planes, patches and caps. */
static rill_status note_removed(work *w, double *area)
{
    bool any = false;
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++) {
        double vector[3];
        rill_mesh_area(w->mesh, t, vector);
        area[w->mesh->triangles[t].source] -= 2 * sqrt(rill_dot(vector, vector));
    }
    for (uint32_t t = 0; t < w->report->triangles; t++) any = any || area[t] > 0;
    if (!any) return RILL_OK;
    const rill_status status =
        rill_array_create(w->report->triangles, 1, "the surface", (void **)&w->removed);
    for (uint32_t t = 0; status == RILL_OK && t < w->report->triangles; t++) w->removed[t] = area[t] > 0;
    return status;
}

/* All that opens the surface. */
static rill_status open_ends(work *w)
{
    rill_status status = RILL_OK;
    double *area = NULL;
    RILL_TRY(rill_array_create_zero(w->report->triangles, sizeof *area, "the surface", (void **)&area));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++) {
        double vector[3];
        rill_mesh_area(w->mesh, t, vector);
        area[w->mesh->triangles[t].source] = sqrt(rill_dot(vector, vector));
    }
    RILL_TRY(open_surface(w));
    RILL_TRY(open_caps(w));
    RILL_TRY(note_removed(w, area));
done:
    rill_array_destroy(area);
    return status;
}

/* A vessel without an opening has no flow. */
static void remark_closed(const work *w)
{
    if (w->openings.count > 0) return;
    const bool asked = w->options->caps != RILL_CAPS_NONE;
    rill_log(RILL_LOG_NOTE,
             "%s is closed, so that no flow can enter%s: %scut its ends off with --plane, or name groups of "
             "triangles "
             "with --patch",
             w->path, asked ? ", and has no flat cap" : "",
             asked ? "" : "open its flat caps with --caps auto, ");
}

static rill_status close_surface(work *w)
{
    rill_status status = RILL_OK;
    rill_surface_report *r = w->report;
    const rill_openings_options options = {.extend = w->options->extend,
                                           .extend_diameters = w->options->extend_diameters,
                                           .tags = w->tags,
                                           .tagged = w->tagged,
                                           .close_holes = w->options->close_holes,
                                           .tag_count = w->tag_count};
    RILL_TRY(rill_openings_close(w->mesh, &options, r->defects, &w->openings));
    for (int k = 0; k < w->options->name_count; k++)
        RILL_TRY(rill_openings_rename(&w->openings, w->options->names[k]));
    if (w->openings.hole_count > 0) r->largest_hole = w->openings.holes[0];
    if (w->options->extend > 0 && w->openings.count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "it has no opening that --extend could extend: leave it out"));
    r->volume = rill_mesh_volume(w->mesh);
    RILL_TRY(examine(w));
done:
    return status;
}

/* ---- the voxels ------------------------------------------------------------------------------ */

/* Write what a refusal for the size of voxels ends with: nothing, or that the units are the likely cause. */
static const char *doubt_units(const work *w, char text[128])
{
    *text = '\0';
    if (w->report->defects[RILL_DEFECT_UNITS].count > 0)
        snprintf(text, 128, "; the surface is %.4g mm long: --units may be wrong",
                 1e3 * longest_side(w->report));
    return text;
}

/* Three digits that say no more than there is. */
static double round_down(double value)
{
    const double digit = value > 0 ? pow(10, floor(log10(value)) - 2) : 1;
    return floor(value / digit * (1 + 1e-12)) * digit;
}

static rill_status choose_grid(work *w)
{
    char doubt[128];
    double low[3], high[3], longest = 0, all = 1;
    rill_mesh_box(w->mesh, low, high);
    for (int a = 0; a < 3; a++) longest = fmax(longest, high[a] - low[a]);
    w->grid.spacing = w->options->cells ? longest / w->options->cells : w->options->spacing;
    for (int a = 0; a < 3; a++) {
        const double rounding = 1e-9; /* a side of 512 voxels shall not become 513 */
        const double voxels = fmax(ceil((high[a] - low[a]) / w->grid.spacing * (1 - rounding)), 1) + 2;
        if (!(voxels <= RILL_GRID_MAX))
            return rill_fail(
                RILL_USAGE, "voxels of %g mm would be %.3g along %c, more than %d: choose a larger --dx%s",
                1e3 * w->grid.spacing, voxels, rill_axis(a), RILL_GRID_MAX, doubt_units(w, doubt));
        all *= voxels;
        w->grid.n[a] = (uint32_t)voxels;
        w->grid.origin[a] = (low[a] + high[a]) / 2 - voxels / 2 * w->grid.spacing;
    }
    if (all > 1e15) /* what rill_geom_create() takes */
        return rill_fail(RILL_USAGE, "voxels of %g mm would be %.3g, more than 1e15: choose a larger --dx%s",
                         1e3 * w->grid.spacing, all, doubt_units(w, doubt));
    return RILL_OK;
}

/* The narrowest of all decides, so that what the message tells to do suffices. */
static rill_status check_cells(const work *w)
{
    const rill_surface_report *r = w->report;
    const char *what = "the narrowest part";
    const double *at = r->narrowest_at;
    char doubt[128];
    double width = r->narrowest > 0 ? r->narrowest : INFINITY;
    for (int k = 0; k < w->openings.count; k++) {
        const rill_opening *o = &w->openings.openings[k];
        if (o->hydraulic_diameter >= width) continue;
        width = o->hydraulic_diameter;
        what = o->name;
        at = o->centre;
    }
    const double cells = width / w->grid.spacing, rounding = 1e-9,
                 most = 20000; /* voxels along the surface */
    if (cells >= w->options->min_cells * (1 - rounding)) return RILL_OK;
    if (longest_side(r) > most * width / w->options->min_cells)
        return rill_fail(
            RILL_USAGE,
            "%s is %.3g mm wide at (%.4g, %.4g, %.4g) mm, which is too narrow for any lattice along the "
            "%.4g mm of the surface: mend the surface there, where it has a fold or a fin, or accept it with "
            "--min-cells 0",
            what, 1e3 * width, 1e3 * at[0], 1e3 * at[1], 1e3 * at[2], 1e3 * longest_side(r));
    return rill_fail(
        RILL_USAGE,
        "only %.3g cells lie across %s, %.3g mm wide, at (%.4g, %.4g, %.4g) mm: choose --dx %.3gmm "
        "or less, or accept it with --min-cells %.3g%s",
        round_down(cells), what, 1e3 * width, 1e3 * at[0], 1e3 * at[1], 1e3 * at[2],
        round_down(1e3 * width / w->options->min_cells), round_down(cells), doubt_units(w, doubt));
}

static rill_status fill(work *w)
{
    rill_status status = RILL_OK;
    rill_defect *defects = w->report->defects;
    RILL_TRY(rill_geom_create(w->grid.n, &w->geom));
    w->geom->spacing = w->grid.spacing;
    for (int a = 0; a < 3; a++) {
        w->geom->origin[a] = w->grid.origin[a];
        w->geom->sides[a] = RILL_WALL;
    }
    RILL_TRY(rill_lines_create(w->mesh, &w->grid, &w->lines));
    RILL_TRY(rill_progress_report(w->progress, "filling voxels", 0.3));
    RILL_TRY(rill_fill_inside(w->lines, w->geom, &defects[RILL_DEFECT_OVERLAP]));
    rill_fill_uncertain(w->mesh, &w->grid, &w->openings, &defects[RILL_DEFECT_UNCERTAIN]);
    RILL_TRY(rill_fill_keep(w->lines, w->geom, w->openings.count, &defects[RILL_DEFECT_DROPPED]));
    w->report->fluid = rill_geom_fluid(w->geom);
    w->report->fluid_volume = (double)w->report->fluid * pow(w->grid.spacing, 3);
    w->geom->porosity.total = (double)w->report->fluid / (double)rill_geom_voxels(w->geom);
    if (w->report->fluid == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "no voxel of %g mm has its centre inside: choose a smaller --dx",
                           1e3 * w->grid.spacing));
done:
    return status;
}

/* ---- what is kept ---------------------------------------------------------------------------- */

static rill_status keep_surface(work *w, rill_surface *surface)
{
    rill_status status = RILL_OK;
    const uint64_t triangles = w->report->triangles, vertices = w->report->vertices;
    RILL_TRY(rill_array_create(triangles, sizeof *surface->triangles, "the surface",
                               (void **)&surface->triangles));
    RILL_TRY(
        rill_array_create(vertices, sizeof *surface->vertices, "the surface", (void **)&surface->vertices));
    memcpy(surface->vertices, w->mesh->vertices, vertices * sizeof *surface->vertices);
    surface->triangle_count = triangles;
    surface->vertex_count = vertices;
    surface->removed = w->removed;
    w->removed = NULL;
    for (uint64_t t = 0; t < triangles; t++)
        memcpy(surface->triangles[t], w->original[t].v, sizeof *surface->triangles);
done:
    return status;
}

/* Keep which group of the file each triangle belongs to, if it names groups. */
static rill_status keep_patches(work *w, rill_surface *surface)
{
    rill_status status = RILL_OK;
    size_t letters = 0;
    const rill_mesh *mesh = w->mesh;
    for (uint32_t p = 0; p < mesh->patch_count; p++) letters += strlen(mesh->patches[p]);
    if (letters == 0) return RILL_OK;
    RILL_TRY(rill_array_create(surface->triangle_count, sizeof *surface->patches, "the surface",
                               (void **)&surface->patches));
    for (uint64_t t = 0; t < surface->triangle_count; t++) surface->patches[t] = w->original[t].patch;
    if (!(surface->patch_names = calloc(mesh->patch_count, sizeof *surface->patch_names)))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the names of patches"));
    for (uint32_t p = 0; p < mesh->patch_count; p++) {
        surface->patch_count = p + 1;
        if (!(surface->patch_names[p] = strdup(mesh->patches[p])))
            RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the names of patches"));
    }
done:
    return status;
}

static rill_status make_surface(work *w)
{
    rill_status status = RILL_OK;
    rill_surface *surface = calloc(1, sizeof *surface);
    if (!surface) return rill_fail(RILL_SYSTEM, "out of memory for the surface");
    w->geom->surface = surface;
    surface->openings = w->openings.openings;
    surface->opening_count = w->openings.count;
    w->openings.openings = NULL;
    RILL_TRY(keep_surface(w, surface));
    RILL_TRY(keep_patches(w, surface));
    RILL_TRY(rill_cuts_find(w->lines, w->progress, w->geom, surface, w->report->defects));
    for (int k = 0; k < surface->opening_count; k++)
        if (surface->openings[k].cut_count == 0)
            RILL_TRY(rill_fail(RILL_USAGE, "no link of the lattice goes through %s: choose a smaller --dx",
                               surface->openings[k].name));
done:
    return status;
}

static rill_status sign(work *w)
{
    w->geom->source = strdup(rill_input_title(w->path));
    w->geom->source_hash = strdup(w->report->file.hash);
    w->geom->options = w->options->command ? strdup(w->options->command) : NULL;
    if (!w->geom->source || !w->geom->source_hash || (w->options->command && !w->geom->options))
        return rill_fail(RILL_SYSTEM, "out of memory for where the geometry came from");
    return rill_notes_add(&w->geom->notes, w->note);
}

static rill_status run(work *w)
{
    rill_status status = RILL_OK;
    char doubt[128];
    RILL_TRY(rill_progress_report(w->progress, "examining the surface", 0.1));
    RILL_TRY(weld(w));
    RILL_TRY(rill_array_create(w->mesh->triangle_count, sizeof *w->original, "the surface",
                               (void **)&w->original));
    memcpy(w->original, w->mesh->triangles, w->mesh->triangle_count * sizeof *w->original);
    RILL_TRY(rill_repair_clean(w->mesh, w->report->defects));
    RILL_TRY(choose_shells(w));
    RILL_TRY(rill_repair_orient(w->mesh, w->report->defects));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++)
        w->original[w->mesh->triangles[t].source] = w->mesh->triangles[t];
    RILL_TRY(open_ends(w));
    RILL_TRY(close_surface(w));
    check_size(w);
    RILL_TRY(choose_grid(w));
    RILL_TRY(check_cells(w));
    remark_size(w);
    remark_closed(w);
    status = fill(w);
    if (status == RILL_OK) status = make_surface(w);
    if (status == RILL_SYSTEM)
        rill_fail_prefix("voxels of %g mm need more memory than those of a larger --dx%s",
                         1e3 * w->grid.spacing, doubt_units(w, doubt));
    RILL_TRY(status);
    RILL_TRY(sign(w));
done:
    return status;
}

/* Rotate a surface by whole axes: its longest one should become z, along which domains are cut into parts. */
static void rotate(rill_mesh *mesh, int by)
{
    for (uint32_t v = 0; by && v < mesh->vertex_count; v++) {
        double rotated[3];
        for (int a = 0; a < 3; a++) rotated[(a + by) % 3] = mesh->vertices[v][a];
        memcpy(mesh->vertices[v], rotated, sizeof rotated);
    }
}

/* Options that a program made may be anything. */
static rill_status check_options(const rill_surface_options *o)
{
    const double lengths[] = {o->unit, o->spacing, o->extend, o->min_cells, o->weld};
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        if (!isfinite(lengths[k]) || lengths[k] < 0)
            return rill_fail(RILL_USAGE, "an option of the surface is %g: it must be finite and not negative",
                             lengths[k]);
    if (o->rotation < 0 || o->rotation > 2)
        return rill_fail(RILL_USAGE, "rotation %d of the surface is none of 0, 1 and 2", o->rotation);
    if (o->unit == 0 || (o->spacing == 0 && o->cells == 0))
        return rill_fail(RILL_USAGE, "the %s is 0: set it", o->unit == 0 ? "unit" : "edge of a voxel");
    return RILL_OK;
}

static rill_status voxelize(work *w, const rill_triangles *triangles, rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_surface_file *file = &w->report->file;
    RILL_TRY(check_options(w->options));
    RILL_TRY(rill_progress_report(w->progress, "reading the surface", 0));
    RILL_TRY(triangles ? rill_surface_take(triangles, w->options->unit, file, &w->mesh)
                       : rill_surface_read(w->path, w->options->unit, file, &w->mesh));
    rotate(w->mesh, w->options->rotation);
    RILL_TRY(run(w));
    *out = w->geom;
    w->geom = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", w->path);
    rill_geom_destroy(w->geom);
    rill_lines_destroy(w->lines);
    rill_openings_destroy(&w->openings);
    rill_array_destroy(w->original);
    rill_array_destroy(w->tagged);
    rill_array_destroy(w->removed);
    rill_array_destroy(w->tags);
    rill_mesh_destroy(w->mesh);
    return status;
}

rill_status rill_surface_voxelize(const char *path, const rill_surface_options *options,
                                  rill_progress progress, rill_geom **out, rill_surface_report *report)
{
    rill_surface_report own;
    work w = {.path = path, .options = options, .progress = progress, .report = report ? report : &own};
    *w.report = (rill_surface_report){0};
    return voxelize(&w, NULL, out);
}

rill_status rill_surface_file_voxelize(const char *path, const rill_surface_options *options,
                                       rill_progress progress, rill_geom **out)
{
    return rill_surface_voxelize(path, options, progress, out, NULL);
}

rill_status rill_triangles_voxelize(const rill_triangles *surface, const rill_surface_options *options,
                                    rill_progress progress, rill_geom **out)
{
    rill_surface_report report = {0};
    work w = {.path = "array", .options = options, .progress = progress, .report = &report};
    return voxelize(&w, surface, out);
}
