/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a surface, as rows and as JSON. */
#include "cli/surface_options.h"

#include "core/units.h"
#include "io/json_file.h"

#include <math.h>

static const char *millimetres(const double x[3], char text[96])
{
    snprintf(text, 96, "(%.5g, %.5g, %.5g) mm", 1e3 * x[0], 1e3 * x[1], 1e3 * x[2]);
    return text;
}

static void defect_row(const rill_surface_report *r, rill_defect_kind kind, const char *label)
{
    const rill_defect *d = &r->defects[kind];
    char place[96];
    const unsigned long long count = d->count;
    millimetres(kind == RILL_DEFECT_HOLE ? r->largest_hole.centre : d->place[0], place);
    if (kind == RILL_DEFECT_UNITS)
        cli_row(label, "%s", rill_defect_name(kind, count));
    else if (kind == RILL_DEFECT_HOLE)
        cli_row(label, "%llu %s, the largest of %.3g mm2 at %s", count, rill_defect_name(kind, count),
                1e6 * r->largest_hole.area, place);
    else
        cli_row(label, "%llu %s, the lowest at %s", count, rill_defect_name(kind, count), place);
}

static void defect_rows(const rill_surface_report *r)
{
    bool any = false;
    for (rill_defect_kind kind = 0; kind < RILL_DEFECT_KINDS; kind++) {
        if (r->defects[kind].count == 0) continue;
        defect_row(r, kind, any ? "" : "defects");
        any = true;
    }
    if (!r->intersections_whole) cli_row(any ? "" : "defects", "too many overlaps to look at all");
    if (!any && r->intersections_whole) cli_row("defects", "none");
}

/* Whether the rim of an opening was that of a cap: its centre is where the cap's was. Extensions move it
 * along its normal. */
static bool is_cap(const rill_surface_report *r, const rill_opening *o)
{
    for (int k = 0; k < r->flat_count && k < RILL_FLATS_TOLD; k++) {
        double away = 0, along = 0, square = 0;
        if (r->flats[k].verdict != RILL_CAP_OPENED) continue;
        for (int a = 0; a < 3; a++) {
            const double d = o->centre[a] - r->flats[k].centre[a];
            along += d * o->normal[a];
            square += d * d;
        }
        away = square - along * along;
        if (away < 0.01 * o->area && fabs(o->area / r->flats[k].area - 1) < 0.1) return true;
    }
    return false;
}

static void flat_rows(const rill_surface_report *r)
{
    enum { SHOWN = 8 };
    bool any = false, caps = false;
    for (int k = 0, shown = 0; k < r->flat_count && k < RILL_FLATS_TOLD && shown < SHOWN; k++) {
        const rill_cap *cap = &r->flats[k];
        char why[160], place[96];
        if (cap->verdict == RILL_CAP_OPENED) continue;
        rill_cap_reason(cap, why, sizeof why);
        cli_row(any ? "" : "flat parts", "%.4g mm2 at %s, inward (%.3f, %.3f, %.3f), closed: %s",
                1e6 * cap->area, millimetres(cap->centre, place), -cap->outward[0], -cap->outward[1],
                -cap->outward[2], why);
        any = true;
        caps = caps || cap->verdict == RILL_CAP_CLOSED;
        shown++;
    }
    if (r->flat_count - r->caps_opened > SHOWN)
        cli_row("", "and %d more", r->flat_count - r->caps_opened - SHOWN);
    if (any)
        cli_row("", "%s--plane with such a place and direction opens one",
                caps ? "--caps auto opens caps, " : "");
}

static void opening_rows(const rill_geom *geom, const rill_surface_report *r)
{
    const rill_surface *s = geom->surface;
    char place[96];
    if (s->opening_count == 0) cli_row("openings", "none");
    for (int k = 0; k < s->opening_count; k++) {
        const rill_opening *o = &s->openings[k];
        cli_row(k ? "" : "openings", "%s: %.5g mm2, hydraulic diameter %.4g mm (%.3g cells), %llu links%s",
                o->name, 1e6 * o->area, 1e3 * o->hydraulic_diameter, o->hydraulic_diameter / geom->spacing,
                (unsigned long long)o->cut_count, is_cap(r, o) ? ", a flat cap removed" : "");
        cli_row("", "  at %s, inward (%.3f, %.3f, %.3f)", millimetres(o->centre, place), o->normal[0],
                o->normal[1], o->normal[2]);
    }
}

static void plane_rows(const rill_surface_report *r)
{
    for (int k = 0; k < r->plane_count; k++) {
        const rill_section_loss *p = &r->planes[k];
        if (p->cap)
            cli_row(k ? "" : "planes", "number %d lies on a flat part, which it opens", k + 1);
        else
            cli_row(k ? "" : "planes", "number %d removes %.4g of %.4g mL (%.3g %%)", k + 1, 1e6 * p->volume,
                    1e6 * p->before, 100 * p->volume / p->before);
    }
}

void cli_surface_rows(const rill_geom *geom, const rill_surface_report *r)
{
    char length[32], tolerance[32], place[96];
    rill_units_format_length(geom->spacing, length, sizeof length);
    rill_units_format_length(r->tolerance, tolerance, sizeof tolerance);
    cli_row("surface", "%s, %u triangles, %u vertices (%u welded within %s)", r->file.format, r->triangles,
            r->vertices, r->merged, tolerance);
    cli_row("size", "%.5g x %.5g x %.5g mm", 1e3 * (r->high[0] - r->low[0]), 1e3 * (r->high[1] - r->low[1]),
            1e3 * (r->high[2] - r->low[2]));
    defect_rows(r);
    plane_rows(r);
    opening_rows(geom, r);
    flat_rows(r);
    if (r->narrowest > 0)
        cli_row("narrowest part",
                "%.3g cells, %.4g mm at %s (by rays along normals: a short throat may be missed)",
                r->narrowest / geom->spacing, 1e3 * r->narrowest, millimetres(r->narrowest_at, place));
    cli_row("voxels", "%u x %u x %u of %s", geom->n[0], geom->n[1], geom->n[2], length);
    cli_row("fluid nodes", "%llu (%.5f of the box)", (unsigned long long)r->fluid, geom->porosity.total);
    cli_row("volume", "%.6g mL, of the surface %.6g mL", 1e6 * r->fluid_volume, 1e6 * r->volume);
    cli_row("wall links", "%llu (%.3f per node)", (unsigned long long)geom->surface->wall_count,
            (double)geom->surface->wall_count / (double)r->fluid);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *vector_json(const double x[3])
{
    return json_pack("[o, o, o]", rill_json_real(x[0]), rill_json_real(x[1]), rill_json_real(x[2]));
}

static json_t *defects_json(const rill_surface_report *r)
{
    json_t *list = json_array();
    for (rill_defect_kind kind = 0; kind < RILL_DEFECT_KINDS; kind++) {
        const rill_defect *d = &r->defects[kind];
        if (d->count == 0) continue;
        json_t *places = json_array();
        for (uint32_t k = 0; k < d->kept; k++) json_array_append_new(places, vector_json(d->place[k]));
        json_array_append_new(list, json_pack("{s:s, s:I, s:o}", "what", rill_defect_name(kind, 2), "count",
                                              (json_int_t)d->count, "places_m", places));
    }
    return list;
}

static json_t *openings_json(const rill_surface *s)
{
    json_t *list = json_array();
    for (int k = 0; k < s->opening_count; k++) {
        const rill_opening *o = &s->openings[k];
        json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:o, s:f, s:f, s:f, s:I}", "name", o->name,
                                              "label", o->label, "centre_m", vector_json(o->centre), "normal",
                                              vector_json(o->normal), "area_m2", o->area, "perimeter_m",
                                              o->perimeter, "hydraulic_diameter_m", o->hydraulic_diameter,
                                              "links", (json_int_t)o->cut_count));
    }
    return list;
}

static json_t *planes_json(const rill_surface_report *r)
{
    json_t *list = json_array();
    for (int k = 0; k < r->plane_count; k++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:b}", "removed_m3", r->planes[k].volume, "of_m3",
                                              r->planes[k].before, "flat_part", (int)r->planes[k].cap));
    return list;
}

static json_t *flats_json(const rill_surface_report *r)
{
    json_t *list = json_array();
    for (int k = 0; k < r->flat_count && k < RILL_FLATS_TOLD; k++) {
        const rill_cap *cap = &r->flats[k];
        const double inward[3] = {-cap->outward[0], -cap->outward[1], -cap->outward[2]};
        char why[160];
        rill_cap_reason(cap, why, sizeof why);
        json_array_append_new(list,
                              json_pack("{s:o, s:o, s:f, s:b, s:s}", "centre_m", vector_json(cap->centre),
                                        "normal", vector_json(inward), "area_m2", cap->area, "opened",
                                        cap->verdict == RILL_CAP_OPENED, "why", why));
    }
    return list;
}

json_t *cli_surface_json(const rill_geom *geom, const rill_surface_report *r)
{
    json_t *narrowest = r->narrowest > 0
                            ? json_pack("{s:f, s:f, s:o}", "width_m", r->narrowest, "cells",
                                        r->narrowest / geom->spacing, "at_m", vector_json(r->narrowest_at))
                            : json_null();
    return json_pack(
        "{s:{s:s, s:s, s:s, s:I, s:I, s:I, s:f, s:o, s:o, s:b}, s:o, s:o, s:o, s:o, s:o, s:[I,I,I], s:f, s:o, s:I, s:f, s:f, s:I}",
        "surface", "path", geom->source, "xxh3", geom->source_hash, "format", r->file.format, "triangles",
        (json_int_t)r->triangles, "vertices", (json_int_t)r->vertices, "welded", (json_int_t)r->merged,
        "welded_within_m", r->tolerance, "low_m", vector_json(r->low), "high_m", vector_json(r->high),
        "intersections_all_examined", (int)r->intersections_whole, "defects", defects_json(r), "openings",
        openings_json(geom->surface), "flat_parts", flats_json(r), "planes", planes_json(r), "narrowest",
        narrowest, "voxels", (json_int_t)geom->n[0], (json_int_t)geom->n[1], (json_int_t)geom->n[2],
        "voxel_size_m", geom->spacing, "origin_m", vector_json(geom->origin), "fluid_nodes",
        (json_int_t)r->fluid, "volume_m3", r->fluid_volume, "surface_volume_m3", r->volume, "wall_links",
        (json_int_t)geom->surface->wall_count);
}
