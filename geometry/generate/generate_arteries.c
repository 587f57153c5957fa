/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The layout of a tree of arteries. The widest open end parts next. Of several drawn pairs of branches the
 * one farthest from all other arteries is taken; when none is far enough, another tree is drawn.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/generate/generate_random.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <string.h>

enum { pairs = 64, trees = 32 }; /* drawn: for a parting; at most, for the whole */

/* Least room between arteries: part of the radius, voxels. Least radius of an outlet in voxels. */
static const double room_radii = 0.5, room_voxels = 4, least_radius = 2;

/* Two branches that are tried. */
typedef struct parting {
    rill_artery branches[2];
    double across[3];
} parting;

typedef struct grower {
    const rill_arteries_options *o;
    rill_artery *arteries;
    double (
        *across)[3]; /* [2 outlets], direction in which the artery's parent parted, at right angles to it */
    int count;
    uint64_t stream;
} grower;

rill_arteries_options rill_arteries_options_default(void)
{
    return (rill_arteries_options){
        .outlets = 200, .radius = 20, .length = 5, .ratio = 0.6, .spacing = 1e-4, .seed = 1};
}

static rill_status check(const rill_arteries_options *o)
{
    if (o->outlets < 2 || o->outlets > RILL_OPENINGS - 1)
        return rill_fail(RILL_USAGE, "%u outlets are not within 2 ... %d: change --outlets", o->outlets,
                         RILL_OPENINGS - 1);
    if (!(o->radius >= least_radius && o->radius <= 1e5))
        return rill_fail(RILL_USAGE, "an inlet radius of %g voxels is not within %g ... 1e5: change --radius",
                         o->radius, least_radius);
    if (!(o->length >= 4 && o->length <= 50))
        return rill_fail(RILL_USAGE, "a length of %g radii is not within 4 ... 50: change --length",
                         o->length);
    if (!(o->ratio >= 0.3 && o->ratio <= 1))
        return rill_fail(RILL_USAGE, "a ratio of radii of %g is not within 0.3 ... 1: change --ratio",
                         o->ratio);
    if (!(o->spacing > 0 && o->spacing <= 1))
        return rill_fail(RILL_USAGE, "voxels of %g m are not above 0 m and at most 1 m: change --voxel-size",
                         o->spacing);
    return RILL_OK;
}

/* ---- distances ------------------------------------------------------------------------------- */

static double clamp(double t, double most) { return t > 0 ? t < most ? t : most : 0; }

/* Return the distance of two axes. @see Ericson (2005), Real-Time Collision Detection, 5.1.9 */
static double axes_apart(const rill_artery *a, const rill_artery *b)
{
    double r[3], d[3];
    rill_subtract(a->from, b->from, r);
    const double across = rill_dot(a->axis, b->axis), c = rill_dot(a->axis, r), f = rill_dot(b->axis, r);
    const double square = 1 - across * across; /* 0 for parallel axes, for which any place will do */
    double s = square > 1e-12 ? clamp((across * f - c) / square, a->length) : 0;
    const double t = clamp(across * s + f, b->length);
    s = clamp(across * t - c, a->length);
    for (int k = 0; k < 3; k++) d[k] = r[k] + s * a->axis[k] - t * b->axis[k];
    return sqrt(rill_dot(d, d));
}

/* Return the room between a branch that is tried and all arteries but its parent, over what it needs. */
static double room_around(const grower *g, const rill_artery *branch)
{
    const double need = fmax(room_radii * branch->radius, room_voxels);
    double least = INFINITY;
    for (int k = 0; k < g->count; k++) {
        if (k == branch->parent) continue;
        const rill_artery *other = &g->arteries[k];
        least = fmin(least, axes_apart(branch, other) - branch->radius - other->radius);
    }
    return least / need;
}

/* ---- partings -------------------------------------------------------------------------------- */

/* Add an artery's end, given its axis, length and start. */
static void finish(rill_artery *a)
{
    for (int k = 0; k < 3; k++) a->to[k] = a->from[k] + a->length * a->axis[k];
}

/* Draw two branches: their ratio, once for a parent, and the plane that holds them, around that at right
   angles to the last one. */
static void draw(const grower *g, int parent, uint64_t number, parting *out)
{
    const rill_artery *p = &g->arteries[parent];
    const uint64_t first = (uint64_t)parent * (2 * pairs + 1), turn = first + 1 + 2 * number;
    const double ratio = g->o->ratio + (1 - g->o->ratio) * rill_random_unit(g->stream, first);
    const double wide = p->radius / rill_generate_cube_root(1 + ratio * ratio * ratio);
    const double radii[2] = {wide, ratio * wide};
    const double t = 2 * rill_random_unit(g->stream, turn) - 1; /* tangent of half the angle */
    const double side = rill_random_unit(g->stream, turn + 1) < 0.5 ? -1 : 1;
    double up[3];
    rill_cross(p->axis, g->across[parent], up);
    for (int k = 0; k < 3; k++)
        out->across[k] = side * ((1 - t * t) * up[k] + 2 * t * g->across[parent][k]) / (1 + t * t);
    for (int b = 0; b < 2; b++) {
        const double r0 = p->radius * p->radius, r1 = radii[b] * radii[b], r2 = radii[1 - b] * radii[1 - b];
        const double cosine = fmin((r0 * r0 + r1 * r1 - r2 * r2) / (2 * r0 * r1), 1);
        const double sine = (b ? -1 : 1) * sqrt(1 - cosine * cosine);
        rill_artery *branch = &out->branches[b];
        *branch = (rill_artery){
            .radius = radii[b], .length = g->o->length * radii[b], .parent = parent, .branches = {-1, -1}};
        memcpy(branch->from, p->to, sizeof branch->from);
        for (int k = 0; k < 3; k++) branch->axis[k] = cosine * p->axis[k] + sine * out->across[k];
        finish(branch);
    }
}

/* The direction in the plane of the parting at right angles to a branch. */
static void turn_across(const rill_artery *branch, const double across[3], double out[3])
{
    const double along = rill_dot(branch->axis, across);
    for (int k = 0; k < 3; k++) out[k] = across[k] - along * branch->axis[k];
    const double length = sqrt(rill_dot(out, out));
    for (int k = 0; k < 3; k++) out[k] /= length;
}

/* Let an artery part. @return whether there was room */
static bool part(grower *g, int parent)
{
    parting best = {0}, tried;
    double most = 1;
    for (uint64_t number = 0; number < pairs; number++) {
        draw(g, parent, number, &tried);
        const double room = fmin(room_around(g, &tried.branches[0]), room_around(g, &tried.branches[1]));
        if (room < most) continue;
        most = room;
        best = tried;
    }
    if (best.branches[0].radius == 0) return false;
    for (int b = 0; b < 2; b++) {
        g->arteries[parent].branches[b] = g->count;
        g->arteries[g->count] = best.branches[b];
        turn_across(&best.branches[b], best.across, g->across[g->count]);
        g->count++;
    }
    return true;
}

/* Grow a tree from the inlet. @return whether it got all its outlets */
static bool grow(grower *g)
{
    const int all = 2 * (int)g->o->outlets - 1;
    g->arteries[0] = (rill_artery){.axis = {0, 0, 1},
                                   .length = g->o->length * g->o->radius,
                                   .radius = g->o->radius,
                                   .parent = -1,
                                   .branches = {-1, -1}};
    finish(&g->arteries[0]);
    memcpy(g->across[0], (const double[3]){1, 0, 0}, sizeof g->across[0]);
    g->count = 1;
    while (g->count < all) {
        int widest = -1;
        for (int k = 0; k < g->count; k++)
            if (g->arteries[k].branches[0] < 0 &&
                (widest < 0 || g->arteries[k].radius > g->arteries[widest].radius))
                widest = k;
        if (!part(g, widest)) return false;
    }
    return true;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Find the box around the arteries and move them there: one layer of voxels around them stays solid. */
static rill_status place(rill_arteries *tree)
{
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < tree->count; k++)
        for (int a = 0; a < 3; a++) {
            const rill_artery *r = &tree->arteries[k];
            const double disc = r->radius * sqrt(fmax(1 - r->axis[a] * r->axis[a], 0));
            const double end = r->branches[0] < 0 ? disc : r->radius;
            low[a] = fmin(low[a], fmin(r->from[a] - disc, r->to[a] - end));
            high[a] = fmax(high[a], fmax(r->from[a] + disc, r->to[a] + end));
        }
    for (int a = 0; a < 3; a++) {
        const double voxels = ceil(high[a] - low[a]) + 2;
        if (!(voxels <= 1e6))
            return rill_fail(RILL_USAGE,
                             "the arteries are %.3g voxels long along %c, more than 1e6: lower --radius",
                             voxels, "xyz"[a]);
        tree->n[a] = (uint32_t)voxels;
        for (int k = 0; k < tree->count; k++) {
            tree->arteries[k].from[a] += 1 - low[a];
            tree->arteries[k].to[a] += 1 - low[a];
        }
    }
    return RILL_OK;
}

/* Refuse outlets that are too narrow. @param least  radius of the narrowest in voxels */
static rill_status check_outlets(const rill_arteries_options *o, double least)
{
    if (least >= least_radius) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "the narrowest of the outlets has a radius of %.3g voxels, less than %g: raise --radius to %.3g or more, or lower --outlets",
        least, least_radius, 1.005 * o->radius * least_radius / least);
}

static double narrowest(const rill_arteries *tree)
{
    double least = INFINITY;
    for (int k = 0; k < tree->count; k++) least = fmin(least, tree->arteries[k].radius);
    return least;
}

rill_status rill_arteries_create(const rill_arteries_options *options, rill_arteries *out)
{
    rill_status status = RILL_OK;
    grower g = {.o = options};
    rill_arteries tree = {0};
    uint64_t drawn = 0;
    RILL_TRY(check(options));
    RILL_TRY(check_outlets(options, options->radius / rill_generate_cube_root(options->outlets)));
    RILL_TRY(rill_array_create(2 * (uint64_t)options->outlets, sizeof *g.arteries, "the arteries",
                               (void **)&g.arteries));
    tree.arteries = g.arteries;
    RILL_TRY(rill_array_create(2 * (uint64_t)options->outlets, sizeof *g.across, "the arteries",
                               (void **)&g.across));
    do {
        if (drawn == trees)
            RILL_TRY(rill_fail(
                RILL_NUMERICS,
                "none of %d trees had room for %u outlets: raise --length or --radius, lower --outlets or change --seed",
                trees, options->outlets));
        g.stream = rill_random_stream(options->seed, drawn++);
    } while (!grow(&g));
    tree.count = g.count;
    RILL_TRY(check_outlets(options, narrowest(&tree)));
    RILL_TRY(place(&tree));
    *out = tree;
    tree = (rill_arteries){0};
done:
    rill_array_destroy(g.across);
    rill_arteries_destroy(&tree);
    return status;
}

void rill_arteries_destroy(rill_arteries *tree) { rill_array_destroy(tree->arteries); }
