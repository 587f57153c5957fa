/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a surface to a geometry, step by step. Each step is in a file of its own. */
#include "geometry/surface/surface_priv.h"

#include "core/log.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/notes.h"
#include "core/status.h"
#include "geometry/image/image_priv.h"
#include "geometry/surface/cuts.h"
#include "geometry/surface/openings.h"
#include "geometry/surface/fill.h"
#include "geometry/surface/overlap.h"
#include "geometry/surface/tree.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rill_surface_options rill_surface_options_default(void)
{
    return (rill_surface_options){.min_cells = RILL_MIN_CELLS, .shell = RILL_SHELL_ONE};
}

typedef rill_surface_work work;

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
            return rill_fail(
                RILL_USAGE,
                "vertices within %g mm cannot be welded: take a distance from %.3g mm, what rounding explains, to %.3g mm, a tenth of the surface's diagonal",
                1e3 * w->options->weld, 1e3 * r->tolerance, 1e2 * diagonal);
        r->tolerance = w->options->weld;
    }
    if (!(diagonal > 0)) return rill_fail(RILL_USAGE, "all of its triangles lie in one point");
    if (!isfinite(diagonal)) return rill_fail(RILL_USAGE, "it is larger than any number: repair the surface");
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

/* Reported before voxels are made, of which a wrong unit makes many; refusals state it themselves. */
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

/* @param vessel  [count], the vessel of each shell: shells that cut each other are one */
static rill_status refuse_several(const rill_shell *shells, uint32_t count, const uint32_t *vessel)
{
    const double share = 0.05; /* of the largest: smaller ones are debris */
    uint32_t open = 0, first = UINT32_MAX, second = 0;
    for (uint32_t s = 0; s < count; s++) {
        if (shells[s].boundary == 0 || shells[s].area < share * shells[0].area) continue;
        bool known = false;
        for (uint32_t before = 0; before < s && open <= 100 && !known; before++)
            known = vessel[before] == vessel[s] && shells[before].boundary > 0 &&
                    shells[before].area >= share * shells[0].area;
        if (known) continue;
        open++;
        if (first == UINT32_MAX) first = s;
        if (open == 2) second = s;
    }
    if (open < 2) return RILL_OK;
    if (open > 100)
        return rill_fail(
            RILL_USAGE,
            "its triangles do not join, and make %u parts with open edges: --weld 0.01mm, or more, joins them",
            open);
    return rill_fail(RILL_USAGE,
                     "it holds %u separate vessels with open ends, the second around (%.4g, %.4g, %.4g) mm: "
                     "choose one with --shell 1 (the largest) to --shell %u, or take --shell all",
                     open, 1e3 * shells[second].middle[0], 1e3 * shells[second].middle[1],
                     1e3 * shells[second].middle[2], count);
}

/* Choose shells, orient them, and find which overlap. */
static rill_status choose_shells(work *w)
{
    enum { SHELLS = 1000 }; /* more are triangles that do not join */
    rill_status status = RILL_OK;
    uint32_t *of = NULL, *vessel = NULL, count = 0;
    rill_shell *shells = NULL;
    const int wanted = w->options->shell;
    RILL_TRY(rill_repair_shells(w->mesh, &of, &shells, &count));
    for (uint32_t s = 1; s < count; s++)
        rill_defect_add(&w->report->defects[RILL_DEFECT_SHELL], shells[s].middle);
    if (wanted > 0 && (uint32_t)wanted > count)
        RILL_TRY(rill_fail(RILL_USAGE, "it has %u shells: --shell %d names none of them", count, wanted));
    if (wanted > 0) rill_repair_keep(w->mesh, of, (uint32_t)wanted - 1);
    RILL_TRY(rill_repair_orient(w->mesh, w->report->defects));
    if (wanted > 0) goto done;
    RILL_TRY(rill_array_create(count, sizeof *vessel, "the shells", (void **)&vessel));
    for (uint32_t s = 0; s < count; s++) vessel[s] = s;
    if (count > 1 && count <= SHELLS)
        RILL_TRY(rill_overlap_shells(w->mesh, w->rounding, of, count, w->report->triangles, vessel,
                                     &w->within, &w->inner));
    w->inner_count = w->mesh->vertex_count;
    if (wanted == RILL_SHELL_ONE) RILL_TRY(refuse_several(shells, count, vessel));
done:
    free(shells);
    rill_array_destroy(of);
    rill_array_destroy(vessel);
    return status;
}

/* Note which triangles of the file lie within the lumen, those of planes and patches in several parts, too.
 */
static rill_status note_within(work *w, const rill_overlap *overlap)
{
    enum { WALL = 1, WITHIN = 2 };
    rill_status status = RILL_OK;
    uint8_t *seen = NULL;
    const uint32_t count = w->report->triangles;
    RILL_TRY(rill_array_create_zero(count, 1, "shells that overlap", (void **)&seen));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++) {
        static const uint8_t flags[] = {
            [RILL_WALL_WHOLE] = WALL, [RILL_WALL_WITHIN] = WITHIN, [RILL_WALL_PARTLY] = WALL | WITHIN};
        if (w->mesh->triangles[t].source < count)
            seen[w->mesh->triangles[t].source] |= flags[overlap->state[t]];
    }
    if (!w->removed) RILL_TRY(rill_array_create_zero(count, 1, "the surface", (void **)&w->removed));
    for (uint32_t t = 0; t < count; t++)
        if (w->removed[t] == RILL_WALL_WHOLE && seen[t] & WITHIN)
            w->removed[t] = seen[t] & WALL ? RILL_WALL_PARTLY : RILL_WALL_WITHIN;
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++) {
        double middle[3];
        if (w->mesh->triangles[t].source >= count || overlap->state[t] != RILL_WALL_WITHIN) continue;
        rill_mesh_middle(w->mesh, t, middle);
        rill_defect_add(&w->report->defects[RILL_DEFECT_WITHIN], middle);
    }
done:
    rill_array_destroy(seen);
    return status;
}

static rill_status examine(work *w)
{
    rill_status status = RILL_OK;
    rill_tree *tree = NULL;
    rill_overlap overlap = {0};
    rill_defect *pairs = &w->report->defects[RILL_DEFECT_INTERSECTION];
    RILL_TRY(rill_tree_create(w->mesh, &tree));
    RILL_TRY(rill_tree_intersections(tree, w->rounding, NULL, NULL, pairs, &w->report->intersections_whole));
    if (pairs->count > 0 && w->report->intersections_whole) {
        RILL_TRY(rill_overlap_find(w->mesh, tree, w->rounding, &overlap));
        w->report->volume = overlap.volume;
        w->report->within_share = overlap.area > 0 ? overlap.within / overlap.area : 0;
        if (overlap.within > 0) RILL_TRY(note_within(w, &overlap));
        rill_tree_skip(tree, overlap.state);
    }
    RILL_TRY(rill_tree_narrowest(tree, &w->report->narrowest, w->report->narrowest_at));
done:
    rill_tree_destroy(tree);
    rill_overlap_free(&overlap);
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
    if (o->unit == 0) return rill_fail(RILL_USAGE, "the unit is 0: set it");
    return RILL_OK;
}

rill_status rill_surface_prepare(work *w, const rill_triangles *triangles)
{
    rill_status status = RILL_OK;
    rill_surface_file *file = &w->report->file;
    RILL_TRY(check_options(w->options));
    RILL_TRY(rill_progress_report(w->progress, "reading the surface", 0));
    RILL_TRY(triangles ? rill_surface_take(triangles, w->options->unit, file, &w->mesh)
                       : rill_surface_read(w->path, w->options->unit, file, &w->mesh));
    rotate(w->mesh, w->options->rotation);
    RILL_TRY(rill_progress_report(w->progress, "examining the surface", 0.1));
    RILL_TRY(weld(w));
    RILL_TRY(rill_array_create(w->mesh->triangle_count, sizeof *w->original, "the surface",
                               (void **)&w->original));
    memcpy(w->original, w->mesh->triangles, w->mesh->triangle_count * sizeof *w->original);
    RILL_TRY(rill_repair_clean(w->mesh, w->report->defects));
    RILL_TRY(choose_shells(w));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++)
        w->original[w->mesh->triangles[t].source] = w->mesh->triangles[t];
    RILL_TRY(rill_surface_open(w));
done:
    return status;
}

/* A vessel without an opening has no flow. */
static void remark_closed(const work *w)
{
    if (w->openings.count > 0) return;
    const bool asked = w->options->caps != RILL_CAPS_NONE;
    rill_log(
        RILL_LOG_NOTE,
        "%s is closed, so that no flow can enter%s: %scut its ends off with --plane, which rill info proposes, or name groups of triangles with --patch",
        w->path, asked ? ", and has no flat cap" : "", asked ? "" : "open its flat caps with --caps auto, ");
}

rill_status rill_surface_close(work *w)
{
    rill_status status = RILL_OK;
    rill_surface_report *r = w->report;
    const rill_openings_options options = {.extend = w->options->extend,
                                           .extend_diameters = w->options->extend_diameters,
                                           .tags = w->tags,
                                           .tagged = w->tagged,
                                           .inner = w->inner,
                                           .inner_count = w->inner_count,
                                           .close_holes = w->options->close_holes,
                                           .tag_count = w->tag_count};
    RILL_TRY(rill_openings_close(w->mesh, &options, r->defects, &w->openings));
    for (int k = 0; k < w->options->name_count; k++)
        RILL_TRY(rill_openings_rename(&w->openings, w->options->names[k]));
    if (w->openings.hole_count > 0) r->largest_hole = w->openings.holes[0];
    if (w->options->extend > 0 && w->openings.count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "it has no opening that --extend could extend: open it with --plane (`rill info` lists where), or leave --extend out"));
    r->volume = rill_mesh_volume(w->mesh);
    RILL_TRY(examine(w));
    check_size(w);
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
        /* A side of 512 voxels shall not become 513 by how its positions were rounded, in whatever unit. */
        const double side = high[a] - low[a] - w->rounding;
        const double voxels = fmax(ceil(side / w->grid.spacing), 1) + 2;
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

/* The narrowest of all decides, so that what the message advises suffices. */
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
            "%s is %.3g mm wide at (%.4g, %.4g, %.4g) mm, which is too narrow for any lattice along the %.4g mm of the surface: "
            "repair the surface there, where it has a fold or a fin, or accept it with --min-cells 0",
            what, 1e3 * width, 1e3 * at[0], 1e3 * at[1], 1e3 * at[2], 1e3 * longest_side(r));
    return rill_fail(
        RILL_USAGE,
        "only %.3g cells lie across %s, %.3g mm wide, at (%.4g, %.4g, %.4g) mm: choose --dx %.3gmm or less, or accept it with --min-cells %.3g%s",
        round_down(cells), what, 1e3 * width, 1e3 * at[0], 1e3 * at[1], 1e3 * at[2],
        round_down(1e3 * width / w->options->min_cells), round_down(cells), doubt_units(w, doubt));
}

static rill_status fill(work *w)
{
    rill_status status = RILL_OK;
    rill_defect *defects = w->report->defects;
    RILL_TRY(rill_cuts_require(w->mesh, &w->grid, w->report->within_share, w->report->volume));
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

static rill_status make_surface(work *w)
{
    rill_status status = RILL_OK;
    rill_surface *surface = calloc(1, sizeof *surface);
    if (!surface) return rill_fail(RILL_SYSTEM, "out of memory for the surface");
    w->geom->surface = surface;
    RILL_TRY(rill_surface_keep(w, surface));
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
    rill_status status = RILL_OK;
    w->geom->source = strdup(rill_input_title(w->path));
    w->geom->source_hash = strdup(w->report->file.hash);
    w->geom->options = w->options->command ? strdup(w->options->command) : NULL;
    if (!w->geom->source || !w->geom->source_hash || (w->options->command && !w->geom->options))
        return rill_fail(RILL_SYSTEM, "out of memory for where the geometry came from");
    RILL_TRY(rill_notes_add(&w->geom->notes, w->note));
    if (w->report->defects[RILL_DEFECT_WITHIN].count > 0)
        RILL_TRY(rill_note(
            &w->geom->notes,
            "shells overlap, and are taken as their union: %llu triangles, %.3g %% of the surface, lie within its lumen, and have no wall shear",
            (unsigned long long)w->report->defects[RILL_DEFECT_WITHIN].count, 100 * w->report->within_share));
    for (int k = 0; k < w->openings.count; k++)
        if (cos(w->openings.oblique[k]) < RILL_OBLIQUE)
            RILL_TRY(rill_note(
                &w->geom->notes, "%s is cut at %.0f degrees to the cross-section of the vessel: %s",
                w->geom->surface->openings[k].name, w->openings.oblique[k] * 180 / M_PI,
                w->options->extend > 0
                    ? "its extension follows the vessel, and ends at a cross-section"
                    : "flow through an inlet follows the vessel; --extend 0.5D ends it at a cross-section"));
done:
    return status;
}

static rill_status run(work *w)
{
    rill_status status = RILL_OK;
    char doubt[128];
    RILL_TRY(rill_surface_close(w));
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

void rill_surface_work_free(work *w)
{
    rill_geom_destroy(w->geom);
    rill_lines_destroy(w->lines);
    rill_openings_destroy(&w->openings);
    rill_array_destroy(w->original);
    rill_array_destroy(w->tagged);
    rill_array_destroy(w->removed);
    rill_array_destroy(w->within);
    rill_array_destroy(w->inner);
    rill_array_destroy(w->tags);
    rill_array_destroy(w->made);
    rill_mesh_destroy(w->mesh);
}

static rill_status voxelize(work *w, const rill_triangles *triangles, rill_geom **out)
{
    rill_status status = RILL_OK;
    if (w->options->spacing == 0 && w->options->cells == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "the edge of a voxel is 0: set it"));
    RILL_TRY(rill_surface_prepare(w, triangles));
    RILL_TRY(run(w));
    *out = w->geom;
    w->geom = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", w->path);
    rill_surface_work_free(w);
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
