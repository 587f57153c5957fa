/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a surface where planes, patches and caps say so, and keeps what remains of the file's triangles. */
#include "geometry/surface/surface_priv.h"

#include "core/memory.h"
#include "core/status.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Least part of a cap's area that is of one group, and of the group's area that is in the cap. */
#define MOSTLY 0.9

typedef rill_surface_work work;

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
    RILL_TRY(rill_array_create((uint64_t)o->plane_count + (uint64_t)o->group_count + RILL_OPENINGS,
                               sizeof *w->made, "the openings", (void **)&w->made));
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
    const rill_openings_options options = {.inner = w->inner, .inner_count = w->inner_count};
    RILL_TRY(rill_array_create_zero(w->mesh->vertex_count, 1, "the caps", (void **)&aside));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++)
        for (int k = 0; k < 3 && caps->of[t]; k++)
            aside[w->mesh->triangles[t].v[k]] |= caps->caps[caps->of[t] - 1].verdict == RILL_CAP_CLOSED;
    RILL_TRY(rill_openings_count(w->mesh, aside, &options, &openings));
    *closed = openings == 0;
done:
    rill_array_destroy(aside);
    return status;
}

/* Copy flat parts to the report: caps first; parts of the wall only where caps were looked for, without the
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
            if (is_cap != (pass == 0) || (pass == 1 && !all) || cap->verdict == RILL_CAP_WITHIN) continue;
            if (cap->verdict == RILL_CAP_ROUNDED && cap->area < facet * least && isfinite(least)) continue;
            if (r->flat_count < RILL_FLATS_TOLD) r->flats[r->flat_count] = *cap;
            r->flat_count++;
            r->caps_opened += cap->verdict == RILL_CAP_OPENED;
        }
}

static double area_of(const rill_mesh *mesh, uint32_t t)
{
    double area[3];
    rill_mesh_area(mesh, t, area);
    return sqrt(rill_dot(area, area));
}

/* The group that a cap is; UINT32_MAX: it has several, or the group has triangles elsewhere. Slivers of the
 * wall that lie in the plane of the cap belong to it, and count as little as their area. */
static uint32_t group_of(const rill_mesh *mesh, const rill_caps *caps, uint32_t cap)
{
    uint32_t group = UINT32_MAX;
    double lead = 0, whole = 0, of_group = 0, both = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) { /* the only one that may have more than half */
        if (caps->of[t] != cap + 1) continue;
        const double area = area_of(mesh, t);
        whole += area;
        lead += mesh->triangles[t].patch == group ? area : -area;
        if (lead >= 0) continue;
        group = mesh->triangles[t].patch;
        lead = -lead;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        if (mesh->triangles[t].patch != group) continue;
        const double area = area_of(mesh, t);
        of_group += area;
        both += caps->of[t] == cap + 1 ? area : 0;
    }
    return both >= MOSTLY * whole && both >= MOSTLY * of_group ? group : UINT32_MAX;
}

/* Make a name of an opening of that of a group: "outlet 1" becomes outlet-1. @return false: nothing is left
 */
static bool name_make(const char *group, char out[RILL_OPENING_NAME])
{
    size_t length = 0;
    if (rill_opening_name_check(group) == RILL_OK) {
        memcpy(out, group, strlen(group) + 1);
        return true;
    }
    for (const char *c = group; *c && length < RILL_OPENING_NAME - 1; c++) {
        const bool good = isalnum((unsigned char)*c) || strchr("-_.+", *c);
        if (good && (length > 0 || *c != '.'))
            out[length++] = *c;
        else if (!good && length > 0 && out[length - 1] != '-')
            out[length++] = '-';
    }
    while (length > 0 && out[length - 1] == '-') length--;
    out[length] = '\0';
    return rill_opening_name_check(out) == RILL_OK;
}

static bool is_taken(const work *w, const char *name)
{
    for (int k = 0; k < w->tag_count; k++)
        if (w->tags[k] && strcmp(w->tags[k], name) == 0) return true;
    return false;
}

/* A cap that is a group of the file becomes an opening that is called like it. */
static void name_caps(work *w, const rill_caps *caps)
{
    const rill_mesh *mesh = w->mesh;
    const int most = w->options->plane_count + w->options->group_count + RILL_OPENINGS;
    for (int k = 0; k < caps->count && mesh->patch_count > 1 && w->tag_count < most; k++) {
        if (caps->caps[k].verdict != RILL_CAP_CLOSED) continue;
        const uint32_t group = group_of(mesh, caps, (uint32_t)k);
        if (group == UINT32_MAX || !name_make(mesh->patches[group], w->made[w->tag_count]) ||
            is_taken(w, w->made[w->tag_count]))
            continue;
        w->tags[w->tag_count] = w->made[w->tag_count];
        w->tag_count++;
        for (uint32_t t = 0; t < mesh->triangle_count; t++)
            for (int c = 0; c < 3 && caps->of[t] == (uint32_t)k + 1; c++)
                w->tagged[mesh->triangles[t].v[c]] = (uint32_t)w->tag_count;
    }
}

/* A flat part of which most lies within the lumen of another shell is no end of the vessel. */
static rill_status leave_inner(const work *w, rill_caps *caps)
{
    rill_status status = RILL_OK;
    double *within = NULL;
    if (!w->within || caps->count == 0) return RILL_OK;
    RILL_TRY(rill_array_create_zero((uint64_t)caps->count, sizeof *within, "the caps", (void **)&within));
    for (uint32_t t = 0; t < w->mesh->triangle_count; t++) {
        const uint32_t source = w->mesh->triangles[t].source;
        if (caps->of[t] && source != RILL_NO_TRIANGLE && w->within[source] != RILL_WALL_WHOLE)
            within[caps->of[t] - 1] += area_of(w->mesh, t);
    }
    for (int k = 0; k < caps->count; k++)
        if (2 * within[k] > caps->caps[k].area) caps->caps[k].verdict = RILL_CAP_WITHIN;
done:
    rill_array_destroy(within);
    return status;
}

/* Flat caps become openings when that was requested, or when nothing else is open. */
static rill_status open_caps(work *w)
{
    rill_status status = RILL_OK;
    const rill_surface_options *o = w->options;
    rill_caps caps = {0};
    bool closed = false;
    if (o->caps == RILL_CAPS_NONE) return RILL_OK;
    RILL_TRY(rill_caps_find(w->mesh, &caps));
    RILL_TRY(leave_inner(w, &caps));
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

rill_status rill_surface_open(work *w)
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

/* Copy the triangles of the file, reversed as in the geometry. */
static rill_status keep_triangles(work *w, rill_surface *surface)
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

rill_status rill_surface_keep(work *w, rill_surface *surface)
{
    surface->openings = w->openings.openings;
    surface->opening_count = w->openings.count;
    w->openings.openings = NULL;
    const rill_status status = keep_triangles(w, surface);
    return status == RILL_OK ? keep_patches(w, surface) : status;
}
