/* SPDX-License-Identifier: Apache-2.0 */
/* Describes surfaces: their files, the openings and defects that rill voxelize would find, and what voxels of
 * several sizes would come to. */
#include "core/status.h"
#include "geometry/surface/survey.h"
#include "io/info.h"
#include "io/json_file.h"

#include <math.h>
#include <string.h>

/* Bytes of host memory a fluid node takes in a run with D3Q27 in single precision, wall links and shear
 * included: of an aorta of half a million nodes. */
enum { NODE_BYTES = 400 };

static json_t *text_json(const char *text)
{
    json_t *json = json_string(text);
    return json ? json : json_string("(not UTF-8)");
}

static json_t *place_json(const double x[3], double scale)
{
    return json_pack("[o, o, o]", rill_json_real(scale * x[0]), rill_json_real(scale * x[1]),
                     rill_json_real(scale * x[2]));
}

/* Groups that have a name, with their triangles. */
static json_t *groups_json(const rill_surface *s)
{
    json_t *list = json_array();
    for (uint32_t p = 0; p < s->patch_count; p++) {
        json_int_t triangles = 0;
        if (!*s->patch_names[p]) continue;
        for (uint64_t t = 0; t < s->triangle_count; t++) triangles += s->patches[t] == p;
        json_array_append_new(
            list, json_pack("{s:o, s:I}", "name", text_json(s->patch_names[p]), "triangles", triangles));
    }
    return list;
}

static json_t *openings_json(const rill_surface *s, double scale)
{
    json_t *list = json_array();
    for (int k = 0; k < s->opening_count; k++) {
        const rill_opening *o = &s->openings[k];
        json_array_append_new(
            list, json_pack("{s:o, s:f, s:f, s:o, s:o}", "name", text_json(o->name), "area",
                            scale * scale * o->area, "hydraulic_diameter", scale * o->hydraulic_diameter,
                            "at", place_json(o->centre, scale), "inward", place_json(o->normal, 1)));
    }
    return list;
}

static json_t *defects_json(const rill_surface_report *r, double scale, bool unit_known)
{
    json_t *list = json_array();
    for (rill_defect_kind kind = 0; kind < RILL_DEFECT_KINDS; kind++) {
        const rill_defect *d = &r->defects[kind];
        if (d->count == 0 || (kind == RILL_DEFECT_UNITS && !unit_known)) continue;
        json_array_append_new(list, json_pack("{s:I, s:s, s:o}", "count", (json_int_t)d->count, "what",
                                              rill_defect_name(kind, d->count), "at",
                                              place_json(d->place[0], scale)));
    }
    return list;
}

/* The argument of --plane that opens the vessel at a place; its unit of length is mm. */
static json_t *plane_json(const double point[3], const double inward[3])
{
    char text[160];
    snprintf(text, sizeof text, "--plane %.6gmm,%.6gmm,%.6gmm,%.4g,%.4g,%.4g", 1e3 * point[0], 1e3 * point[1],
             1e3 * point[2], inward[0], inward[1], inward[2]);
    return json_string(text);
}

static json_t *rim_json(double area, const double at[3], const char *why, double scale)
{
    return json_pack("{s:f, s:o, s:s}", "area", scale * scale * area, "at", place_json(at, scale), "why",
                     why);
}

/* Of a surface that is refused a flat rim may be no more than one of several. */
static const char *rim_reason(const rill_survey *s, const rill_rim *rim)
{
    if (rim->end) return "an end of the closed vessel, cut across it";
    if (!rim->flat) return "a rim that is not flat";
    return *s->refused
               ? "a flat rim, of a surface that is refused: an opening once others are opened, unless it lies in the wall"
               : "a rim that lies in the wall";
}

/* Rims that are no opening, and caps that stay closed, with the plane that opens the vessel there. */
static json_t *closed_json(const rill_survey *s, double scale, bool unit_known)
{
    json_t *list = json_array();
    for (int k = 0; k < s->rim_count; k++) {
        const rill_rim *rim = &s->rims[k];
        json_t *row = rim_json(rim->area, rim->centre, rim_reason(s, rim), scale);
        if (unit_known) json_object_set_new(row, "open_by", plane_json(rim->point, rim->inward));
        json_array_append_new(list, row);
    }
    for (int k = 0; k < s->report.flat_count && k < RILL_FLATS_TOLD; k++) {
        const rill_cap *cap = &s->report.flats[k];
        const double inward[3] = {-cap->outward[0], -cap->outward[1], -cap->outward[2]};
        char why[160];
        if (cap->verdict == RILL_CAP_OPENED) continue;
        rill_cap_reason(cap, why, sizeof why);
        json_t *row = rim_json(cap->area, cap->centre, why, scale);
        if (unit_known) json_object_set_new(row, "open_by", plane_json(cap->centre, inward));
        json_array_append_new(list, row);
    }
    return list;
}

/* What voxels of several sizes come to; the middle one is what rill case takes. */
static json_t *sizes_json(const rill_survey *s, double scale)
{
    static const int cells[] = {10, 20, 40};
    json_t *list = json_array();
    for (size_t k = 0; k < sizeof cells / sizeof *cells; k++) {
        const double dx = rill_survey_spacing(s, cells[k], RILL_MIN_CELLS);
        if (!(dx > 0)) break;
        const double nodes = s->report.volume / pow(dx, 3);
        json_array_append_new(list, json_pack("{s:f, s:i, s:f, s:f}", "dx", scale * dx,
                                              "cells_across_the_narrowest_opening", cells[k], "fluid_nodes",
                                              round(nodes), "GB", nodes * NODE_BYTES / 1e9));
    }
    return list;
}

rill_status rill_info_surface(const char *path, const rill_surface_options *options, bool unit_known,
                              rill_progress progress, json_t **out)
{
    rill_status status = RILL_OK;
    rill_survey *s = NULL;
    const double scale = unit_known ? 1e3 : 1;
    RILL_TRY(rill_surface_survey(path, options, progress, &s));
    const rill_surface_report *r = &s->report;
    *out = json_pack("{s:o, s:s, s:s, s:I, s:I, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "file", text_json(path),
                     "kind", "surface", "format", r->file.format, "triangles", (json_int_t)r->triangles,
                     "vertices", (json_int_t)r->vertices, "unit",
                     unit_known ? "mm" : "that of the file, unknown: --units mm says which", "low",
                     place_json(r->low, scale), "high", place_json(r->high, scale), "groups",
                     groups_json(s->surface), "defects", defects_json(r, scale, unit_known), "openings",
                     openings_json(s->surface, scale), "closed", closed_json(s, scale, unit_known));
    if (!*out) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a description"));
    if (*s->refused) json_object_set_new(*out, "refused_by_voxelize", text_json(s->refused));
    if (r->volume > 0) json_object_set_new(*out, "volume", rill_json_real(pow(scale, 3) * r->volume));
    if (r->narrowest > 0)
        json_object_set_new(*out, "narrowest",
                            json_pack("[{s:f, s:o}]", "width", scale * r->narrowest, "at",
                                      place_json(r->narrowest_at, scale)));
    json_object_set_new(*out, "voxels", sizes_json(s, scale));
    json_object_set_new(*out, "xxh3_64", json_string(r->file.hash));
done:
    rill_survey_destroy(s);
    return status;
}
