/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Arteries to voxels, and where links leave them. The box is divided into cells, each with the arteries near
 * it, so that a voxel or a link looks at those alone.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"
#include "geometry/surface/mesh.h"
#include "geometry/voxels/exact_walls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { cell = 16, outline_points = 64 };

/* Half the diagonal of a cell, and the length of a link. */
static const double cell_reach = 0.87 * cell + 1.74;

/* The arteries near each cell. */
typedef struct cells {
    const rill_arteries *tree;
    uint64_t n[3];
    uint64_t *first;  /* [cells + 1], into near */
    uint16_t *near;   /* numbers of arteries */
    int16_t *opening; /* [tree->count], opening at the artery's end, the inlet's at its start; -1: none */
} cells;

/* Part of a link that is inside: from in to out. */
typedef struct span {
    double in, out;
    bool flat; /* it ends at an opening */
} span;

/* ---- an artery ------------------------------------------------------------------------------- */

static double square_to(const double a[3], const double b[3])
{
    double d[3];
    rill_subtract(a, b, d);
    return rill_dot(d, d);
}

static bool holds(const rill_artery *a, const double x[3])
{
    double p[3];
    rill_subtract(x, a->from, p);
    const double along = rill_dot(p, a->axis), limit = a->radius * a->radius;
    if (along >= 0 && along <= a->length && rill_dot(p, p) - along * along <= limit) return true;
    return a->branches[0] >= 0 && square_to(x, a->to) <= limit;
}

/* Cut a span to where |p + s d|^2 <= limit, given the coefficients of the square. */
static void within_round(double dd, double pd, double pp, double limit, span *s)
{
    const double root = pd * pd - dd * (pp - limit);
    if (dd < 1e-12 && pp <= limit) return; /* along the cylinder */
    if (!(root >= 0) || dd < 1e-12) {
        s->out = -INFINITY;
        return;
    }
    const double in = (-pd - sqrt(root)) / dd, out = (-pd + sqrt(root)) / dd;
    s->in = fmax(s->in, in);
    if (out < s->out) *s = (span){s->in, out, false};
}

/* Return the part of the line x + s d in the cylinder of an artery. */
static span in_cylinder(const rill_artery *a, const double x[3], const double d[3])
{
    double p[3];
    rill_subtract(x, a->from, p);
    const double along = rill_dot(p, a->axis), rise = rill_dot(d, a->axis);
    span s = {-INFINITY, INFINITY, rise > 0 ? a->branches[0] < 0 : a->parent < 0};
    if (fabs(rise) > 1e-12) {
        const double start = -along / rise, end = (a->length - along) / rise;
        s.in = fmin(start, end);
        s.out = fmax(start, end);
    } else if (along < 0 || along > a->length) {
        s.out = -INFINITY;
    }
    within_round(rill_dot(d, d) - rise * rise, rill_dot(p, d) - along * rise, rill_dot(p, p) - along * along,
                 a->radius * a->radius, &s);
    return s;
}

/* Return the part in the ball at its end. */
static span in_ball(const rill_artery *a, const double x[3], const double d[3])
{
    double p[3];
    span s = {-INFINITY, INFINITY, false};
    rill_subtract(x, a->to, p);
    within_round(rill_dot(d, d), rill_dot(p, d), rill_dot(p, p), a->radius * a->radius, &s);
    return s;
}

/* ---- cells ----------------------------------------------------------------------------------- */

/* Distance of a place from an artery's axis, squared. */
static double off_axis(const rill_artery *a, const double x[3])
{
    double p[3], on[3];
    rill_subtract(x, a->from, p);
    const double along = fmin(fmax(rill_dot(p, a->axis), 0), a->length);
    for (int k = 0; k < 3; k++) on[k] = a->from[k] + along * a->axis[k];
    return square_to(x, on);
}

/* Go through the cells near an artery: count it there, or with `near` put it down. */
static void enter(cells *c, int number)
{
    const rill_artery *a = &c->tree->arteries[number];
    const double reach = a->radius + cell_reach;
    uint64_t low[3], end[3];
    for (int k = 0; k < 3; k++) {
        low[k] = (uint64_t)(fmax(fmin(a->from[k], a->to[k]) - reach, 0) / cell);
        end[k] = (uint64_t)((fmax(a->from[k], a->to[k]) + reach) / cell) + 1;
        if (end[k] > c->n[k]) end[k] = c->n[k];
    }
    for (uint64_t z = low[2]; z < end[2]; z++)
        for (uint64_t y = low[1]; y < end[1]; y++)
            for (uint64_t x = low[0]; x < end[0]; x++) {
                const double middle[3] = {((double)x + 0.5) * cell, ((double)y + 0.5) * cell,
                                          ((double)z + 0.5) * cell};
                const uint64_t at = x + c->n[0] * (y + c->n[1] * z);
                if (off_axis(a, middle) > reach * reach) continue;
                if (c->near)
                    c->near[--c->first[at]] = (uint16_t)number;
                else
                    c->first[at]++;
            }
}

static rill_status cells_create(const rill_arteries *tree, cells *c)
{
    rill_status status = RILL_OK;
    static const char what[] = "the cells of arteries";
    c->tree = tree;
    for (int a = 0; a < 3; a++) c->n[a] = (tree->n[a] + (uint64_t)cell - 1) / cell;
    const uint64_t count = c->n[0] * c->n[1] * c->n[2];
    RILL_TRY(rill_array_create_zero(count + 1, sizeof *c->first, what, (void **)&c->first));
    RILL_TRY(rill_array_create((uint64_t)tree->count, sizeof *c->opening, what, (void **)&c->opening));
    for (int k = 0; k < tree->count; k++) {
        c->opening[k] = -1;
        enter(c, k);
    }
    for (uint64_t k = 1; k <= count; k++) c->first[k] += c->first[k - 1];
    RILL_TRY(rill_array_create(c->first[count] + 1, sizeof *c->near, what, (void **)&c->near));
    for (int k = tree->count; k-- > 0;) enter(c, k); /* first[] runs from a cell's end to its start */
done:
    return status;
}

static void cells_destroy(cells *c)
{
    rill_array_destroy(c->first);
    rill_array_destroy(c->near);
    rill_array_destroy(c->opening);
}

/* Fill the voxels of a cell. */
static void fill_cell(const cells *c, const uint64_t at[3], rill_geom *geom)
{
    const uint64_t number = at[0] + c->n[0] * (at[1] + c->n[1] * at[2]);
    const uint64_t first = c->first[number], end = c->first[number + 1];
    if (first == end) return;
    for (uint64_t z = cell * at[2]; z < cell * (at[2] + 1) && z < geom->n[2]; z++)
        for (uint64_t y = cell * at[1]; y < cell * (at[1] + 1) && y < geom->n[1]; y++)
            for (uint64_t x = cell * at[0]; x < cell * (at[0] + 1) && x < geom->n[0]; x++) {
                const double p[3] = {(double)x + 0.5, (double)y + 0.5, (double)z + 0.5};
                bool inside = false;
                for (uint64_t k = first; k < end && !inside; k++)
                    inside = holds(&c->tree->arteries[c->near[k]], p);
                if (inside) geom->voxels[x + geom->n[0] * (y + geom->n[1] * z)] = RILL_FLUID;
            }
}

static void fill(const cells *c, rill_geom *geom)
{
#pragma omp parallel for schedule(dynamic)
    for (uint64_t z = 0; z < c->n[2]; z++)
        for (uint64_t y = 0; y < c->n[1]; y++)
            for (uint64_t x = 0; x < c->n[0]; x++) fill_cell(c, (const uint64_t[3]){x, y, z}, geom);
}

/* ---- links ----------------------------------------------------------------------------------- */

/* Go on along a link while it is in one artery or another. @param[out] opening  -1: a wall @return q */
static double leave(const cells *c, const double x[3], const int link[3], int *opening)
{
    const double d[3] = {-link[0], -link[1], -link[2]}, near = 1e-9;
    uint64_t at[3];
    for (int a = 0; a < 3; a++) at[a] = (uint64_t)x[a] / cell;
    const uint64_t number = at[0] + c->n[0] * (at[1] + c->n[1] * at[2]);
    double q = 0;
    *opening = -1;
    for (bool on = true; on;) {
        on = false;
        for (uint64_t k = c->first[number]; k < c->first[number + 1]; k++) {
            const int artery = c->near[k];
            const rill_artery *a = &c->tree->arteries[artery];
            const span spans[2] = {in_cylinder(a, x, d), in_ball(a, x, d)};
            for (int part = 0; part < (a->branches[0] < 0 ? 1 : 2); part++) {
                const span *s = &spans[part];
                if (s->in > q + near || s->out <= q) continue;
                q = s->out;
                *opening = s->flat ? c->opening[artery] : -1;
                on = true;
            }
        }
    }
    return q;
}

static double wall_at(void *context, const double x[3], const int link[3])
{
    int opening;
    return leave(context, x, link, &opening);
}

static int opening_at(void *context, const double x[3], const int link[3])
{
    int opening;
    leave(context, x, link, &opening);
    return opening;
}

/* ---- openings -------------------------------------------------------------------------------- */

/* Two directions at right angles to an axis. */
static void span_plane(const double axis[3], double u[3], double v[3])
{
    int least = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(axis[a]) < fabs(axis[least])) least = a;
    for (int a = 0; a < 3; a++) u[a] = (a == least) - axis[least] * axis[a];
    const double length = sqrt(rill_dot(u, u));
    for (int a = 0; a < 3; a++) u[a] /= length;
    rill_cross(axis, u, v);
}

/* Describe the opening at the end of an artery, or at the inlet. */
static rill_status describe(const rill_artery *a, bool inlet, int number, double spacing, rill_opening *o)
{
    const double radius = a->radius * spacing, *at = inlet ? a->from : a->to;
    double u[3], v[3];
    *o = (rill_opening){.label = (uint8_t)(RILL_LABEL + number),
                        .area = M_PI * radius * radius,
                        .perimeter = 2 * M_PI * radius,
                        .hydraulic_diameter = 2 * radius};
    if (inlet)
        snprintf(o->name, sizeof o->name, "inlet");
    else
        snprintf(o->name, sizeof o->name, "outlet-%d", number);
    for (int k = 0; k < 3; k++) {
        o->centre[k] = at[k] * spacing;
        o->normal[k] = o->axis[k] = inlet ? a->axis[k] : -a->axis[k];
    }
    const rill_status status =
        rill_array_create(outline_points, sizeof *o->outline, "an outline", (void **)&o->outline);
    if (status != RILL_OK) return status;
    o->outline_count = outline_points;
    span_plane(o->normal, u, v);
    for (int p = 0; p < outline_points; p++) {
        const double angle = 2 * M_PI * p / outline_points;
        for (int k = 0; k < 3; k++)
            o->outline[p][k] = o->centre[k] + radius * (cos(angle) * u[k] + sin(angle) * v[k]);
    }
    return RILL_OK;
}

/* Number the openings: the inlet, then the outlets by radius. */
static rill_status make_openings(cells *c, double spacing, rill_surface *surface)
{
    rill_status status = RILL_OK;
    const rill_arteries *tree = c->tree;
    const int count = (tree->count + 1) / 2 + 1;
    surface->openings = calloc((size_t)count, sizeof *surface->openings);
    if (!surface->openings) return rill_fail(RILL_SYSTEM, "out of memory for the openings");
    RILL_TRY(describe(&tree->arteries[0], true, 0, spacing, &surface->openings[0]));
    for (surface->opening_count = 1; surface->opening_count < count; surface->opening_count++) {
        int widest = -1;
        for (int k = 0; k < tree->count; k++)
            if (tree->arteries[k].branches[0] < 0 && c->opening[k] < 0 &&
                (widest < 0 || tree->arteries[k].radius > tree->arteries[widest].radius))
                widest = k;
        c->opening[widest] = (int16_t)surface->opening_count;
        RILL_TRY(describe(&tree->arteries[widest], false, surface->opening_count, spacing,
                          &surface->openings[surface->opening_count]));
    }
    c->opening[0] = 0;
done:
    return status;
}

rill_status rill_generate_arteries(const rill_arteries_options *options, const rill_arteries *arteries,
                                   rill_geom **out)
{
    rill_status status = RILL_OK;
    rill_geom *geom = NULL;
    cells c = {.tree = arteries};
    RILL_TRY(rill_geom_create(arteries->n, &geom));
    for (int a = 0; a < 3; a++) geom->sides[a] = RILL_WALL;
    geom->spacing = options->spacing;
    RILL_TRY(cells_create(arteries, &c));
    fill(&c, geom);
    RILL_TRY(rill_exact_walls(geom, wall_at, &c));
    RILL_TRY(make_openings(&c, options->spacing, geom->surface));
    RILL_TRY(rill_exact_openings(geom, opening_at, &c));
    RILL_TRY(rill_generate_finish(geom, "arteries"));
    *out = geom;
    geom = NULL;
done:
    cells_destroy(&c);
    rill_geom_destroy(geom);
    return status;
}
