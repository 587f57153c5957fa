/* SPDX-License-Identifier: Apache-2.0 */
#include "geometry/surface/survey.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/surface_priv.h"
#include "geometry/surface/tips.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_area(const void *a, const void *b)
{
    const double l = ((const rill_rim *)a)->area, r = ((const rill_rim *)b)->area;
    return (l < r) - (l > r);
}

/* Place the plane behind the deepest vertex of the rim: it then cuts the whole vessel. */
static void plane_place(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count, rill_rim *rim)
{
    const double margin = 0.1; /* of the root of the area */
    double deepest = 0;
    for (uint32_t k = 0; k < count; k++) {
        double from[3];
        rill_subtract(mesh->vertices[vertices[k]], rim->centre, from);
        deepest = fmax(deepest, rill_dot(from, rim->inward));
    }
    for (int a = 0; a < 3; a++)
        rim->point[a] = rim->centre[a] + (deepest + margin * sqrt(rim->area)) * rim->inward[a];
}

/* Measure all boundary loops of the opened surface, largest first. */
static rill_status loops_measure(const rill_surface_work *w, rill_rim **out, uint32_t *count)
{
    const rill_mesh *mesh = w->mesh;
    rill_status status = RILL_OK;
    rill_loops loops = {0};
    *out = NULL;
    RILL_TRY(rill_loops_find(mesh, NULL, &loops));
    *count = 0;
    RILL_TRY(rill_array_create_zero((uint64_t)loops.count + 1, sizeof **out, "the rims", (void **)out));
    for (uint32_t l = 0; l < loops.count; l++) {
        const uint32_t *vertices = loops.vertices + loops.first[l],
                       size = loops.first[l + 1] - loops.first[l];
        rill_outline outline;
        rill_rim *rim = &(rill_rim){0};
        rill_outline_measure(mesh, vertices, size, &outline);
        rim->area = outline.area;
        rim->flat = rill_outline_is_flat(&outline);
        for (int a = 0; a < 3; a++) {
            rim->centre[a] = outline.centre[a];
            rim->inward[a] = -outline.outward[a];
        }
        plane_place(mesh, vertices, size, rim);
        uint32_t inner = 0;
        for (uint32_t k = 0; k < size; k++)
            inner += w->inner && vertices[k] < w->inner_count && w->inner[vertices[k]];
        if (4 * inner > size) continue; /* an open end in the lumen of another shell */
        (*out)[(*count)++] = *rim;
    }
    qsort(*out, *count, sizeof **out, by_area);
done:
    rill_loops_destroy(&loops);
    return status;
}

/* Whether a rim became an opening: both are at one place, and of one size. */
static bool is_opening(const rill_survey *s, const double (*places)[3], const rill_rim *rim)
{
    for (int k = 0; k < s->surface->opening_count; k++) {
        double away[3];
        rill_subtract(places[k], rim->centre, away);
        if (rill_dot(away, away) < 0.05 * rim->area &&
            fabs(s->surface->openings[k].area / rim->area - 1) < 0.2)
            return true;
    }
    return false;
}

static void keep_rims(rill_survey *s, const double (*places)[3], const rill_rim *loops, uint32_t count)
{
    const double least = 1e-3; /* of the largest: smaller ones are missing triangles */
    for (uint32_t l = 0; l < count && loops[l].area >= least * loops[0].area; l++)
        if (!is_opening(s, places, &loops[l]) && s->rim_count < RILL_RIMS_TOLD)
            s->rims[s->rim_count++] = loops[l];
}

/* A closed surface has no rims: its ends are where it may be opened. Facets of its wall are none. */
static rill_status ends_keep(const rill_mesh *mesh, rill_survey *s)
{
    rill_tip tips[RILL_TIPS];
    int count = 0, kept = 0;
    if (s->surface->opening_count > 0 || s->rim_count > 0 || *s->refused) return RILL_OK;
    const rill_status status = rill_tips_find(mesh, tips, &count);
    for (int k = 0; k < count && s->rim_count < RILL_RIMS_TOLD; k++) {
        rill_rim *rim = &s->rims[s->rim_count++];
        *rim = (rill_rim){.area = tips[k].area, .end = true};
        memcpy(rim->centre, tips[k].point, sizeof rim->centre);
        memcpy(rim->point, tips[k].point, sizeof rim->point);
        memcpy(rim->inward, tips[k].inward, sizeof rim->inward);
    }
    for (int k = 0; k < s->report.flat_count && k < RILL_FLATS_TOLD && count > 0; k++) {
        const rill_cap cap = s->report.flats[k];
        const bool facet = cap.verdict == RILL_CAP_ROUNDED || cap.area < tips[count - 1].area / 2;
        if (!facet) s->report.flats[kept++] = cap;
    }
    if (count > 0) s->report.flat_count = kept;
    return status;
}

rill_status rill_surface_survey(const char *path, const rill_surface_options *given, rill_progress progress,
                                rill_survey **out)
{
    rill_status status = RILL_OK;
    rill_rim *loops = NULL;
    uint32_t count = 0;
    double(*places)[3] = NULL;
    rill_surface_options options = *given;
    rill_surface_work w = {.path = path, .options = &options, .progress = progress};
    rill_survey *s = calloc(1, sizeof *s);
    options.extend = 0;
    if (s) s->surface = calloc(1, sizeof *s->surface);
    if (!s || !s->surface) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the surface"));
    w.report = &s->report;
    RILL_TRY(rill_surface_prepare(&w, NULL));
    RILL_TRY(loops_measure(&w, &loops, &count));
    status = rill_surface_close(&w);
    if (status == RILL_USAGE) {
        snprintf(s->refused, sizeof s->refused, "%s", rill_error_message());
        status = RILL_OK;
        rill_openings_destroy(&w.openings);
    }
    RILL_TRY(status);
    places = w.openings.places;
    RILL_TRY(rill_surface_keep(&w, s->surface));
    keep_rims(s, (const double(*)[3])places, loops, count);
    RILL_TRY(ends_keep(w.mesh, s));
    *out = s;
    s = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", path);
    rill_array_destroy(loops);
    rill_surface_work_free(&w);
    rill_survey_destroy(s);
    return status;
}

void rill_survey_destroy(rill_survey *survey)
{
    if (!survey) return;
    rill_surface_destroy(survey->surface);
    free(survey);
}

double rill_spacing_round(double spacing)
{
    const double digit = pow(10, floor(log10(spacing)) - 1);
    return floor(spacing / digit * (1 + 1e-12)) * digit;
}

double rill_survey_spacing(const rill_survey *survey, double cells, double min_cells)
{
    double spacing = INFINITY;
    for (int k = 0; k < survey->surface->opening_count; k++)
        spacing = fmin(spacing, survey->surface->openings[k].hydraulic_diameter / cells);
    for (int k = 0; k < survey->rim_count; k++) /* of a circle as large */
        if (survey->rims[k].end) spacing = fmin(spacing, sqrt(4 * survey->rims[k].area / M_PI) / cells);
    if (!isfinite(spacing)) return 0;
    if (survey->report.narrowest > 0 && min_cells > 0)
        spacing = fmin(spacing, survey->report.narrowest / min_cells);
    return rill_spacing_round(spacing);
}
