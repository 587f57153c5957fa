/* SPDX-License-Identifier: Apache-2.0 */
/* Openings and holes: which is which, how they are closed, what they are called. */
#include "geometry/surface/openings.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/axis.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FLAT 0.03    /* most an opening may leave its plane, rms, as a part of the root of its area */
#define STANDING 0.7 /* most that wall normals may lean to an opening's normal, as a cosine */
/* A rim of so many vertices that leaves its plane by no more than digits of a file was cut there, and ends a
 * vessel even if the wall leans so much: the valve of an atrium. What is missing in a flat wall has a cosine
 * of 1.
 */
#define CUT 1e-4
#define CUT_VERTICES 16
#define CUT_STANDING 0.95
#define PLAIN 0.9f /* least part of its edges that belong to one triangle only */
#define SMALL 1e-3 /* part of the largest opening's area below which a loop is a crack */
#define LARGE 0.1  /* part of the surface's area from which on a loop is no mere hole */
#define GAPS 0.4   /* most of a rim that may lie out of its plane where triangles are missing */
#define NEAR 0.3   /* how far walls say where a vessel runs, as a part of the root of an opening's area */
#define DEEP 0.5   /* most that it may leave the plane there, as a part of the root of its area */

/* ---- which is which -------------------------------------------------------------------------- */

/* A loop and what is thought of it. */
typedef struct candidate {
    rill_outline outline;
    double leaning; /* cosine between the wall's normals and the plane's, mean over the loop */
    uint32_t loop;
    int tag;                      /* 0: none */
    bool opening, mended, within; /* within: the lumen of another shell */
} candidate;

typedef struct closing {
    rill_mesh *mesh;
    const rill_openings_options *options;
    rill_loops loops;
    candidate *candidates; /* [loops.count] */
    rill_half_edge *edges;
    uint64_t edge_count;
    rill_around around;
    uint32_t *kept;      /* [longest loop] */
    double *heights;     /* [longest loop] */
    struct keyed *keyed; /* [loops] */
} closing;

/* Return a triangle beside an edge. */
static uint32_t triangle_at(const closing *c, uint32_t a, uint32_t b)
{
    const uint64_t key = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    uint64_t low = 0, high = c->edge_count;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (c->edges[middle].key < key)
            low = middle + 1;
        else
            high = middle;
    }
    return c->edges[low].slot / 3;
}

static double lean(const closing *c, const uint32_t *v, uint32_t count, const rill_outline *outline)
{
    double sum = 0, whole = 0;
    for (uint32_t k = 0; k < count; k++) {
        double edge[3], area[3];
        const uint32_t next = v[(k + 1) % count];
        rill_subtract(c->mesh->vertices[next], c->mesh->vertices[v[k]], edge);
        rill_mesh_area(c->mesh, triangle_at(c, v[k], next), area);
        const double size = sqrt(rill_dot(area, area)), length = sqrt(rill_dot(edge, edge));
        whole += length;
        if (size > 0) sum += length * fabs(rill_dot(area, outline->outward)) / size;
    }
    return whole > 0 ? sum / whole : 1;
}

/* Return the tag that all vertices of a loop carry, 0 when they do not. */
static int tag_of(const closing *c, const uint32_t *v, uint32_t count)
{
    const uint32_t *tagged = c->options->tagged;
    if (!tagged) return 0;
    for (uint32_t k = 1; k < count; k++)
        if (tagged[v[k]] != tagged[v[0]]) return 0;
    return (int)tagged[v[0]];
}

bool rill_outline_is_flat(const rill_outline *o)
{
    return o->area > 0 && o->off_plane <= FLAT * sqrt(o->area);
}

/* Return how much the walls at a loop may lean. */
static double standing_of(const rill_outline *o, uint32_t count)
{
    return count >= CUT_VERTICES && o->off_plane <= CUT * sqrt(o->area) ? CUT_STANDING : STANDING;
}

static double height_over(const rill_mesh *mesh, uint32_t vertex, const rill_outline *o)
{
    double d[3];
    rill_subtract(mesh->vertices[vertex], o->centre, d);
    return rill_dot(d, o->outward);
}

static int upward(const void *a, const void *b)
{
    const double l = *(const double *)a, r = *(const double *)b;
    return l < r ? -1 : l > r;
}

/* Find the plane in which most of a rim lies that lacks some triangles: the polygon of its vertices near the
 * plane through their median is fitted again and again, closer each time. Where triangles are missing, the
 * rim runs inward. `kept` and `heights` [count] are room. Returns whether there is one; the outline is then
 * that of the vertices in the plane. */
static bool mend_rim(const rill_mesh *mesh, const uint32_t *v, uint32_t count, uint32_t *kept,
                     double *heights, rill_outline *outline)
{
    enum { ROUNDS = 8 };
    rill_outline o = *outline;
    uint32_t left = count;
    double deepest = 0, highest = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const double most = FLAT * sqrt(o.area) * (round + 1 < ROUNDS / 2 ? ROUNDS / 2 - round : 1);
        if (!(o.area > 0)) return false;
        for (uint32_t k = 0; k < count; k++) heights[k] = height_over(mesh, v[k], &o);
        qsort(heights, count, sizeof *heights, upward);
        const double median = heights[count / 2];
        left = 0;
        deepest = highest = 0;
        for (uint32_t k = 0; k < count; k++) {
            const double off = height_over(mesh, v[k], &o) - median;
            deepest = fmax(deepest, -off);
            highest = fmax(highest, off);
            if (fabs(off) <= most) kept[left++] = v[k];
        }
        if (left < 3 || left < (1 - GAPS) * count) return false;
        rill_outline_measure(mesh, kept, left, &o);
    }
    if (!rill_outline_is_flat(&o) || deepest > DEEP * sqrt(o.area) || highest > FLAT * sqrt(o.area))
        return false;
    *outline = o;
    return true;
}

/* Whether a loop is an open end within the lumen of another shell, or partly so. */
static bool is_within(const closing *c, const uint32_t *v, uint32_t count)
{
    const rill_openings_options *o = c->options;
    uint32_t within = 0;
    for (uint32_t k = 0; k < count && o->inner; k++) within += v[k] < o->inner_count && o->inner[v[k]];
    return 4 * within > count;
}

/* Whether another loop lies in the plane of a candidate, around it or within it: an annulus is no end. */
static bool is_nested(const closing *c, const candidate *k)
{
    const rill_outline *o = &k->outline;
    for (uint32_t l = 0; l < c->loops.count; l++) {
        const rill_outline *other = &c->candidates[l].outline;
        double d[3];
        rill_subtract(other->centre, o->centre, d);
        const bool beside = rill_dot(d, d) > fmax(o->area, other->area) / M_PI,
                   apart = fabs(rill_dot(d, o->outward)) > FLAT * sqrt(o->area);
        if (l != k->loop && !beside && !apart) return true;
    }
    return false;
}

static void judge(closing *c)
{
    for (uint32_t l = 0; l < c->loops.count; l++) {
        candidate *k = &c->candidates[l];
        const uint32_t *v = c->loops.vertices + c->loops.first[l];
        const uint32_t count = c->loops.first[l + 1] - c->loops.first[l];
        rill_outline_measure(c->mesh, v, count, &k->outline);
        k->loop = l;
        k->tag = tag_of(c, v, count);
        k->mended = !k->tag && !rill_outline_is_flat(&k->outline) &&
                    mend_rim(c->mesh, v, count, c->kept, c->heights, &k->outline);
        k->leaning = lean(c, v, count, &k->outline);
        k->within = !k->tag && is_within(c, v, count);
        k->opening = k->outline.area > 0 && !k->within &&
                     (k->tag || (c->loops.plain[l] >= PLAIN && rill_outline_is_flat(&k->outline) &&
                                 k->leaning <= standing_of(&k->outline, count)));
    }
    for (uint32_t l = 0; l < c->loops.count; l++) {
        candidate *k = &c->candidates[l];
        if (k->opening && !k->tag && k->leaning > STANDING) k->opening = !is_nested(c, k);
    }
}

static int by_area(const void *a, const void *b)
{
    const candidate *l = a, *r = b;
    if (l->opening != r->opening) return l->opening ? -1 : 1;
    if (l->outline.area != r->outline.area) return l->outline.area > r->outline.area ? -1 : 1;
    return l->loop < r->loop ? -1 : l->loop > r->loop;
}

/* Flat loops beside which others are a thousand times larger are no vessels' ends. */
static void drop_cracks(closing *c)
{
    if (c->loops.count == 0) return;
    const double least = SMALL * c->candidates[0].outline.area; /* the largest opening, if there is any */
    for (uint32_t l = 0; l < c->loops.count; l++) {
        candidate *k = &c->candidates[l];
        k->opening = k->opening && (k->tag || k->outline.area >= least);
    }
    qsort(c->candidates, c->loops.count, sizeof *c->candidates, by_area);
}

/* Why a loop is no opening. */
static const char *reason(const closing *c, const candidate *k, char why[160])
{
    const rill_outline *o = &k->outline;
    if (!rill_outline_is_flat(o))
        snprintf(why, 160, "leaves its plane by %.3g mm (rms), and %.3g mm are allowed", 1e3 * o->off_plane,
                 1e3 * FLAT * sqrt(o->area));
    else if (c->loops.plain[k->loop] < PLAIN)
        snprintf(why, 160, "shares edges with several triangles, which ends do not");
    else
        snprintf(
            why, 160,
            "is flat, but the wall does not stand on its plane: normals lean by a cosine of %.2f, and %g is allowed",
            k->leaning, standing_of(o, c->loops.first[k->loop + 1] - c->loops.first[k->loop]));
    return why;
}

/* A hole as large as an opening may be one: to close it would hide that. Candidates are in order. */
static rill_status check_holes(const closing *c, int openings)
{
    if (openings == 0 || c->options->close_holes) return RILL_OK;
    const rill_outline *least = &c->candidates[openings - 1].outline;
    for (uint32_t l = (uint32_t)openings; l < c->loops.count; l++) {
        const candidate *k = &c->candidates[l];
        const rill_outline *o = &k->outline;
        char why[160];
        if (o->area < least->area || k->within) continue;
        return rill_fail(
            RILL_USAGE,
            "the hole of %.4g mm2 around (%.4g, %.4g, %.4g) mm is as large as the smallest opening of %.4g mm2, but not an opening, because its rim %s: "
            "repair the surface, cut the vessel there with --plane, or close it with --close-holes",
            1e6 * o->area, 1e3 * o->centre[0], 1e3 * o->centre[1], 1e3 * o->centre[2], 1e6 * least->area,
            reason(c, k, why));
    }
    return RILL_OK;
}

/* ---- order ----------------------------------------------------------------------------------- */

/* A sort key of an opening that is being put in order. */
typedef struct keyed {
    double key;
    uint32_t before; /* position, so that equal keys keep their order */
    candidate candidate;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *l = a, *r = b;
    if (l->key != r->key) return l->key < r->key ? -1 : 1;
    return l->before < r->before ? -1 : l->before > r->before;
}

/* Put openings in order by one key after the other: those whose keys follow each other more closely than
 * `alike` are equal in this key, and the next one decides. Rounding changes neither the order across a wider
 * gap nor whether a gap is wider, unless the gap is `alike` to within the rounding. Key 0 is the area, the
 * largest first, 1 to 3 are z, y and x of the centre, the lowest first. */
static void order_by(keyed *o, int count, int key, double diameter)
{
    const double share = 1e-3, place = 0.05; /* of the area; of the hydraulic diameter of the first opening */
    if (count < 2 || key > 3) return;
    for (int k = 0; k < count; k++) {
        const rill_outline *outline = &o[k].candidate.outline;
        o[k].key = key == 0 ? -log(outline->area) : outline->centre[3 - key];
        o[k].before = (uint32_t)k;
    }
    qsort(o, (size_t)count, sizeof *o, by_key);
    const double alike = key == 0 ? share : place * diameter;
    for (int k = 0, end; k < count; k = end) {
        for (end = k + 1; end < count && o[end].key - o[end - 1].key <= alike;) end++;
        const rill_outline *first = &o[k].candidate.outline;
        order_by(o + k, end - k, key + 1, key == 0 ? 4 * first->area / first->perimeter : diameter);
    }
}

/* Number openings so that rounding in the file does not change their names. */
static void order_openings(candidate *candidates, int count, keyed *room)
{
    for (int k = 0; k < count; k++) room[k].candidate = candidates[k];
    order_by(room, count, 0, 0);
    for (int k = 0; k < count; k++) candidates[k] = room[k].candidate;
}

/* A vessel whose ends are not flat cannot be run, and closing them as holes would hide it. */
static rill_status check_any(const closing *c, int openings)
{
    double whole = 0;
    if (openings > 0 || c->loops.count == 0) return RILL_OK;
    for (uint32_t t = 0; t < c->mesh->triangle_count; t++) {
        double area[3];
        rill_mesh_area(c->mesh, t, area);
        whole += sqrt(rill_dot(area, area));
    }
    for (uint32_t l = 0; l < c->loops.count; l++) {
        const candidate *k = &c->candidates[l];
        const rill_outline *o = &k->outline;
        if (k->within || (o->area < LARGE * whole && k->leaning > STANDING)) continue;
        char why[160];
        return rill_fail(
            RILL_USAGE,
            "none of its %u boundary loops is a flat opening: one of %.4g mm2 around (%.4g, %.4g, %.4g) mm %s: cut the ends off with --plane",
            c->loops.count, 1e6 * o->area, 1e3 * o->centre[0], 1e3 * o->centre[1], 1e3 * o->centre[2],
            reason(c, k, why));
    }
    return RILL_OK;
}

/* ---- closing --------------------------------------------------------------------------------- */

/* Close an outline by a fan from its centre: right whatever its shape, since parts that fold over cancel. */
static rill_status cap(rill_mesh *mesh, const uint32_t *v, uint32_t count, const double centre[3],
                       uint16_t opening)
{
    rill_status status = RILL_OK;
    uint32_t tip;
    RILL_TRY(rill_mesh_add_vertex(mesh, centre, &tip));
    for (uint32_t n = 0; n < count; n++)
        RILL_TRY(rill_mesh_add_triangle(mesh, (rill_triangle){.v = {tip, v[(n + 1) % count], v[n]},
                                                              .source = RILL_NO_TRIANGLE,
                                                              .opening = opening}));
done:
    return status;
}

/* Keep the outline, laid onto its plane. */
static rill_status keep_outline(const rill_mesh *mesh, const uint32_t *v, uint32_t count,
                                const rill_outline *o, rill_opening *opening)
{
    const rill_status status =
        rill_array_create(count, sizeof *opening->outline, "an outline", (void **)&opening->outline);
    if (status != RILL_OK) return status;
    opening->outline_count = count;
    for (uint32_t n = 0; n < count; n++) {
        double d[3];
        rill_subtract(mesh->vertices[v[n]], o->centre, d);
        const double off = rill_dot(d, o->outward);
        for (int a = 0; a < 3; a++) opening->outline[n][a] = o->centre[a] + d[a] - off * o->outward[a];
    }
    return RILL_OK;
}

static rill_status close_opening(closing *c, candidate *k, rill_opening *opening, double place[3],
                                 double *oblique, int number)
{
    rill_status status = RILL_OK;
    double axis[3];
    uint32_t *v = c->loops.vertices + c->loops.first[k->loop];
    const uint32_t count = c->loops.first[k->loop + 1] - c->loops.first[k->loop];
    const rill_outline *o = &k->outline;
    const char *name = k->tag ? c->options->tags[k->tag - 1] : NULL;
    memcpy(place, o->centre, sizeof o->centre);
    const double extended =
        c->options->extend * (c->options->extend_diameters ? 4 * o->area / o->perimeter : 1);
    RILL_TRY(rill_axis_find(c->mesh, &c->around, v, count, NEAR * sqrt(o->area), o->outward, axis));
    const double along = fmin(rill_dot(axis, o->outward), 1);
    *oblique = acos(along);
    if (extended > 0) RILL_TRY(rill_extension_add(c->mesh, &k->outline, v, count, extended, axis));
    RILL_TRY(cap(c->mesh, v, count, o->centre, (uint16_t)(number + 1)));
    *opening = (rill_opening){.label = (uint8_t)(RILL_LABEL + number),
                              .area = o->area,
                              .perimeter = o->perimeter,
                              .hydraulic_diameter = 4 * o->area / o->perimeter,
                              .extension = extended};
    RILL_TRY(keep_outline(c->mesh, v, count, o, opening));
    if (name)
        snprintf(opening->name, sizeof opening->name, "%s", name);
    else
        snprintf(opening->name, sizeof opening->name, "opening-%d", number + 1);
    for (int a = 0; a < 3; a++) {
        opening->centre[a] = o->centre[a];
        opening->normal[a] = -o->outward[a];
        opening->axis[a] = along < RILL_OBLIQUE && extended == 0 ? -axis[a] : -o->outward[a];
    }
done:
    return status;
}

static rill_status close_hole(closing *c, const candidate *k, rill_hole *hole, rill_defect *defects)
{
    const rill_outline *o = &k->outline;
    const uint32_t count = c->loops.first[k->loop + 1] - c->loops.first[k->loop];
    double middle[3];
    for (int a = 0; a < 3; a++) middle[a] = fmin(fmax(o->centre[a], o->box[0][a]), o->box[1][a]);
    *hole = (rill_hole){.area = o->area, .first = c->mesh->triangle_count, .count = count};
    memcpy(hole->centre, middle, sizeof middle);
    memcpy(hole->low, o->box[0], sizeof hole->low);
    memcpy(hole->high, o->box[1], sizeof hole->high);
    rill_defect_add(&defects[RILL_DEFECT_HOLE], middle);
    return cap(c->mesh, c->loops.vertices + c->loops.first[k->loop], count, middle, 0);
}

/* Close an open end within the lumen of another shell: it is no hole, and its fan is no wall. */
static rill_status close_within(closing *c, const candidate *k)
{
    const uint32_t *first = c->loops.first + k->loop;
    return cap(c->mesh, c->loops.vertices + first[0], first[1] - first[0], k->outline.centre, 0);
}

static rill_status check_tags(const closing *c, int openings)
{
    for (int tag = 1; tag <= c->options->tag_count; tag++) {
        const char *name = c->options->tags[tag - 1] ? c->options->tags[tag - 1] : "an opening";
        int found = 0;
        for (int k = 0; k < openings; k++) {
            const rill_outline *o = &c->candidates[k].outline;
            if (c->candidates[k].tag != tag) continue;
            found++;
            if (!rill_outline_is_flat(o))
                return rill_fail(
                    RILL_USAGE,
                    "what was given as %s is not flat: its outline leaves its plane by %.3g mm, and %.3g mm are allowed",
                    name, 1e3 * o->off_plane, 1e3 * FLAT * sqrt(o->area));
        }
        if (found != 1)
            return rill_fail(RILL_USAGE, "what was given as %s has %d outlines, not one", name, found);
    }
    return RILL_OK;
}

static rill_status check_names(const rill_openings *o)
{
    for (int k = 0; k < o->count; k++)
        for (int other = 0; other < k; other++)
            if (strcmp(o->openings[k].name, o->openings[other].name) == 0)
                return rill_fail(RILL_USAGE, "two openings would be called %s: take another name",
                                 o->openings[k].name);
    return RILL_OK;
}

static void closing_free(closing *c)
{
    rill_loops_destroy(&c->loops);
    rill_around_destroy(&c->around);
    rill_array_destroy(c->edges);
    rill_array_destroy(c->candidates);
    rill_array_destroy(c->kept);
    rill_array_destroy(c->heights);
    rill_array_destroy(c->keyed);
}

/* Find the loops and judge them; openings come first, as many as the return in `openings`. */
static rill_status closing_make(closing *c, int *openings)
{
    rill_status status = RILL_OK;
    static const char what[] = "boundary loops";
    uint64_t longest = 0;
    RILL_TRY(rill_loops_find(c->mesh, NULL, &c->loops));
    RILL_TRY(rill_mesh_edges(c->mesh, &c->edges));
    c->edge_count = 3 * (uint64_t)c->mesh->triangle_count;
    for (uint32_t l = 0; l < c->loops.count; l++)
        if (c->loops.first[l + 1] - c->loops.first[l] > longest)
            longest = c->loops.first[l + 1] - c->loops.first[l];
    RILL_TRY(rill_array_create(c->loops.count + 1, sizeof *c->candidates, what, (void **)&c->candidates));
    RILL_TRY(rill_array_create(longest + 1, sizeof *c->kept, what, (void **)&c->kept));
    RILL_TRY(rill_array_create(longest + 1, sizeof *c->heights, what, (void **)&c->heights));
    RILL_TRY(rill_array_create(c->loops.count + 1, sizeof *c->keyed, what, (void **)&c->keyed));
    judge(c);
    qsort(c->candidates, c->loops.count, sizeof *c->candidates, by_area);
    drop_cracks(c);
    *openings = 0;
    while (*openings < (int)c->loops.count && c->candidates[*openings].opening && *openings <= RILL_OPENINGS)
        ++*openings;
    for (int k = 0; k < *openings; k++) {
        const uint32_t *first = c->loops.first + c->candidates[k].loop;
        RILL_TRY(rill_outline_smooth(c->mesh, c->loops.vertices + first[0], first[1] - first[0],
                                     &c->candidates[k].outline));
    }
    order_openings(c->candidates, *openings, c->keyed);
done:
    return status;
}

rill_status rill_openings_count(rill_mesh *mesh, const uint8_t *aside, const rill_openings_options *options,
                                int *count)
{
    rill_status status = RILL_OK;
    closing c = {.mesh = mesh, .options = options};
    int openings = 0;
    *count = 0;
    RILL_TRY(closing_make(&c, &openings));
    for (int k = 0; k < openings; k++) {
        const uint32_t loop = c.candidates[k].loop;
        bool away = false;
        for (uint32_t n = c.loops.first[loop]; aside && n < c.loops.first[loop + 1]; n++)
            away = away || aside[c.loops.vertices[n]];
        *count += !away;
    }
done:
    closing_free(&c);
    return status;
}

rill_status rill_openings_close(rill_mesh *mesh, const rill_openings_options *options,
                                rill_defect defects[RILL_DEFECT_KINDS], rill_openings *out)
{
    rill_status status = RILL_OK;
    closing c = {.mesh = mesh, .options = options};
    int openings = 0;
    *out = (rill_openings){0};
    RILL_TRY(closing_make(&c, &openings));
    if (openings > RILL_OPENINGS)
        RILL_TRY(rill_fail(RILL_USAGE, "it has more than %d openings: close some", RILL_OPENINGS));
    RILL_TRY(check_any(&c, openings));
    RILL_TRY(check_tags(&c, openings));
    RILL_TRY(check_holes(&c, openings));
    out->openings = calloc((size_t)openings + 1, sizeof *out->openings);
    out->holes = calloc((size_t)c.loops.count + 1, sizeof *out->holes);
    if (!out->openings || !out->holes) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the openings"));
    RILL_TRY(rill_around_create(mesh, &c.around));
    for (int k = 0; k < openings; k++)
        if (c.candidates[k].mended)
            rill_defect_add(&defects[RILL_DEFECT_RIM], c.candidates[k].outline.centre);
    for (; out->count < openings; out->count++)
        RILL_TRY(close_opening(&c, &c.candidates[out->count], &out->openings[out->count],
                               out->places[out->count], &out->oblique[out->count], out->count));
    RILL_TRY(check_names(out));
    for (uint32_t l = (uint32_t)openings; l < c.loops.count; l++)
        if (c.candidates[l].within)
            RILL_TRY(close_within(&c, &c.candidates[l]));
        else
            RILL_TRY(close_hole(&c, &c.candidates[l], &out->holes[out->hole_count++], defects));
done:
    closing_free(&c);
    if (status != RILL_OK) rill_openings_destroy(out);
    return status;
}

void rill_openings_destroy(rill_openings *openings)
{
    for (int k = 0; openings->openings && k < openings->count; k++)
        rill_array_destroy(openings->openings[k].outline);
    free(openings->openings);
    free(openings->holes);
    *openings = (rill_openings){0};
}

/* ---- names ----------------------------------------------------------------------------------- */

rill_status rill_opening_name_check(const char *name)
{
    const size_t length = strlen(name);
    bool good = length > 0 && length < RILL_OPENING_NAME && name[0] != '.';
    for (const char *c = name; good && *c; c++) good = isalnum((unsigned char)*c) || strchr("-_.+", *c);
    if (good) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "\"%.70s\" cannot name an opening: take 1 to %d letters, digits, and -_.+ behind the first", name,
        RILL_OPENING_NAME - 1);
}

/* Read "12mm,30mm,5mm"; false when it is no position. */
static bool read_position(const char *text, size_t length, double x[3])
{
    char part[64];
    const char *end = text + length;
    for (int a = 0; a < 3; a++) {
        const size_t size = strcspn(text, a < 2 ? "," : "=");
        if (size == 0 || size >= sizeof part || text + size > end) return false;
        snprintf(part, sizeof part, "%.*s", (int)size, text);
        if (rill_units_parse(part, "m", &x[a]) != RILL_OK) return false;
        text += size + (a < 2);
    }
    return text == end;
}

/* @param[out] away  how far the position is from the opening, m; 0 for a name */
static int find_opening(const rill_openings *openings, const char *text, size_t length, double *away)
{
    double x[3], least = INFINITY;
    int found = -1;
    *away = 0;
    for (int k = 0; k < openings->count; k++)
        if (strlen(openings->openings[k].name) == length &&
            strncmp(openings->openings[k].name, text, length) == 0)
            return k;
    if (!read_position(text, length, x)) return -1;
    for (int k = 0; k < openings->count; k++) {
        double d[3];
        rill_subtract(openings->places[k], x, d);
        if (rill_dot(d, d) < least) {
            least = rill_dot(d, d);
            found = k;
        }
    }
    *away = sqrt(least);
    return found;
}

rill_status rill_opening_rename_check(const char *text, const char **name)
{
    const char *sign = strchr(text, '=');
    if (!sign)
        return rill_fail(RILL_USAGE,
                         "\"%.80s\" does not rename an opening: give opening-2=NAME or 12mm,30mm,5mm=NAME",
                         text);
    if (name) *name = sign + 1;
    return rill_opening_name_check(sign + 1);
}

rill_status rill_openings_rename(rill_openings *openings, const char *text)
{
    const char *called = text;
    const rill_status status = rill_opening_rename_check(text, &called);
    if (status != RILL_OK) return status;
    const char *name = called - 1; /* at the sign */
    double away;
    const int k = find_opening(openings, text, (size_t)(name - text), &away);
    if (k < 0)
        return rill_fail(
            RILL_USAGE,
            "\"%.*s\" is none of the %d openings and no position: take a name such as %s, or 12mm,30mm,5mm",
            (int)(name - text < 80 ? name - text : 80), text, openings->count,
            openings->count ? openings->openings[0].name : "opening-1");
    const double *place = openings->places[k], diameter = openings->openings[k].hydraulic_diameter;
    if (away > diameter)
        return rill_fail(
            RILL_USAGE,
            "no opening is at \"%.*s\": the nearest, %s at (%.4g, %.4g, %.4g) mm, is %.3g mm away, more than its diameter of %.3g mm: "
            "correct the position, or give the name",
            (int)(name - text < 80 ? name - text : 80), text, openings->openings[k].name, 1e3 * place[0],
            1e3 * place[1], 1e3 * place[2], 1e3 * away, 1e3 * diameter);
    snprintf(openings->openings[k].name, sizeof openings->openings[k].name, "%s", name + 1);
    return check_names(openings);
}
