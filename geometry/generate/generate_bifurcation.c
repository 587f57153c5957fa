/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bifurcation as the zero set of a field: distance to centre lines less their radius, joined smoothly. The
 * set becomes triangles by surface nets (Gibson 1998, doi:10.1007/BFb0056277) with vertices moved onto it by
 * Newton's method; they are cut off at the ends' planes.
 */
#include "geometry/generate/generate_surface.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>
#include <string.h>

#define BEYOND 4.0 /* edges by which tubes go on behind their ends, to be cut off there */
#define SNAP 0.2   /* vertices so near to a plane, in edges, are moved onto it */
#define ROUND 0.6  /* radius of the smoothing where branches part, in radii of the parent */
#define TURN 4.0   /* radius of the branches' arcs, in radii of the parent */
#define TAPER 2.5  /* length over which radii change, in radii of the parent */

/* A branch in its plane: (0, at) along z, an arc to the side, straight on. */
typedef struct branch {
    double side, angle, radius; /* +1 or -1; radians; of the branch */
    double arc, length;         /* of the arc; of all */
} branch;

typedef struct plane {
    double at[3], outward[3];
} plane;

typedef struct maker {
    const rill_bifurcation_options *o;
    branch branches[2];
    plane ends[3];
    double low[3], h;
    uint32_t n[3];
    float *field;     /* [n[2]][n[1]][n[0]] */
    uint32_t *vertex; /* of the cell with this lowest corner, UINT32_MAX for none */
    rill_mesh *net, *mesh;
    double *beyond; /* [net->vertex_count], largest distance beyond a plane */
} maker;

static double smooth(double t)
{
    t = fmin(fmax(t, 0), 1);
    return t * t * (3 - 2 * t);
}

/* ---- the field ------------------------------------------------------------------------------- */

static double radius_at(const maker *m, const branch *b, double along)
{
    return m->o->radius + (b->radius - m->o->radius) * smooth(along / (TAPER * m->o->radius));
}

/* Distance to the parent and one branch, less the radius there. */
static double branch_field(const maker *m, const branch *b, const double x[3])
{
    const double turn = TURN * m->o->radius, side = b->side * x[0], z = x[2] - m->o->parent;
    const double parent = hypot(hypot(side, x[1]), fmax(z, 0)) - m->o->radius;
    /* The arc's middle lies at `side` = `turn`, z = 0. */
    const double angle = fmin(fmax(atan2(z, turn - side), 0), b->angle);
    const double arc[2] = {turn * (1 - cos(angle)), turn * sin(angle)};
    const double on_arc = hypot(hypot(side - arc[0], x[1]), z - arc[1]) - radius_at(m, b, angle * turn);
    const double end[2] = {turn * (1 - cos(b->angle)), turn * sin(b->angle)};
    const double along = fmax((side - end[0]) * sin(b->angle) + (z - end[1]) * cos(b->angle), 0);
    const double straight[2] = {end[0] + along * sin(b->angle), end[1] + along * cos(b->angle)};
    const double on_line =
        hypot(hypot(side - straight[0], x[1]), z - straight[1]) - radius_at(m, b, b->arc + along);
    return fmin(parent, fmin(on_arc, on_line));
}

static double field_at(const maker *m, const double x[3])
{
    const double a = branch_field(m, &m->branches[0], x), b = branch_field(m, &m->branches[1], x);
    const double k = ROUND * m->o->radius * smooth((x[2] - m->o->parent) / (2 * m->o->radius));
    if (!(fabs(a - b) < k)) return fmin(a, b);
    const double part = (k - fabs(a - b)) / k; /* Quilez's polynomial smooth minimum, of second order */
    return fmin(a, b) - part * part * k / 4;
}

/* Move a point onto the set, unless that leads away: vertices must not meet. */
static void settle(const maker *m, double x[3])
{
    const double from[3] = {x[0], x[1], x[2]};
    for (int round = 0; round < 4; round++) {
        const double step = 1e-4 * m->h, here = field_at(m, x);
        double gradient[3], square = 0;
        for (int a = 0; a < 3; a++) {
            double y[3] = {x[0], x[1], x[2]};
            y[a] += step;
            gradient[a] = (field_at(m, y) - here) / step;
            square += gradient[a] * gradient[a];
        }
        const double move = fmin(fmax(here / fmax(square, 0.1), -m->h), m->h);
        for (int a = 0; a < 3; a++) x[a] -= move * gradient[a];
    }
    const double moved = hypot(hypot(x[0] - from[0], x[1] - from[1]), x[2] - from[2]);
    if (moved > 0.25 * m->h) memcpy(x, from, sizeof from);
}

/* ---- the net --------------------------------------------------------------------------------- */

static size_t at(const maker *m, uint32_t x, uint32_t y, uint32_t z)
{
    return x + m->n[0] * (y + (size_t)m->n[1] * z);
}

static void place(const maker *m, const uint32_t i[3], double x[3])
{
    for (int a = 0; a < 3; a++) x[a] = m->low[a] + i[a] * m->h;
}

static rill_status make_field(maker *m)
{
    rill_status status = RILL_OK;
    const uint64_t all = (uint64_t)m->n[0] * m->n[1] * m->n[2];
    RILL_TRY(rill_memory_require(all * (sizeof *m->field + sizeof *m->vertex), "the bifurcation"));
    RILL_TRY(rill_array_create(all, sizeof *m->field, "the bifurcation", (void **)&m->field));
    RILL_TRY(rill_array_create(all, sizeof *m->vertex, "the bifurcation", (void **)&m->vertex));
    memset(m->vertex, 0xff, all * sizeof *m->vertex);
#pragma omp parallel for schedule(dynamic)
    for (uint32_t z = 0; z < m->n[2]; z++)
        for (uint32_t y = 0; y < m->n[1]; y++)
            for (uint32_t x = 0; x < m->n[0]; x++) {
                double p[3];
                place(m, (const uint32_t[3]){x, y, z}, p);
                m->field[at(m, x, y, z)] = (float)field_at(m, p);
            }
done:
    return status;
}

/* Put a vertex into a cell that the set passes, amid its crossings of the cell's edges. */
static rill_status add_vertex(maker *m, uint32_t x, uint32_t y, uint32_t z)
{
    double sum[3] = {0};
    int count = 0;
    for (int e = 0; e < 12; e++) { /* along axis e / 4, from one of four corners */
        const int axis = e / 4, one = (axis + 1) % 3, two = (axis + 2) % 3;
        uint32_t i[3] = {x, y, z}, j[3];
        i[one] += (uint32_t)(e & 1);
        i[two] += (uint32_t)(e >> 1 & 1);
        memcpy(j, i, sizeof j);
        j[axis]++;
        const double f = (double)m->field[at(m, i[0], i[1], i[2])],
                     g = (double)m->field[at(m, j[0], j[1], j[2])];
        if ((f < 0) == (g < 0)) continue;
        double p[3];
        place(m, i, p);
        p[axis] += f / (f - g) * m->h;
        for (int a = 0; a < 3; a++) sum[a] += p[a];
        count++;
    }
    if (count == 0) return RILL_OK;
    for (int a = 0; a < 3; a++) sum[a] /= count;
    settle(m, sum);
    return rill_mesh_add_vertex(m->net, sum, &m->vertex[at(m, x, y, z)]);
}

static double apart(const rill_mesh *mesh, uint32_t a, uint32_t b)
{
    double d[3];
    rill_subtract(mesh->vertices[a], mesh->vertices[b], d);
    return rill_dot(d, d);
}

/* Four cells around an edge that the set crosses make two triangles, parted along the shorter diagonal. */
static rill_status add_quad(maker *m, const uint32_t i[3], int axis)
{
    rill_status status = RILL_OK;
    const int one = (axis + 1) % 3, two = (axis + 2) % 3;
    uint32_t j[3] = {i[0], i[1], i[2]}, v[4];
    j[axis]++;
    const bool in = m->field[at(m, i[0], i[1], i[2])] < 0, out = m->field[at(m, j[0], j[1], j[2])] < 0;
    if (in == out || i[one] == 0 || i[two] == 0) return RILL_OK;
    for (int k = 0; k < 4; k++) {
        uint32_t cell[3] = {i[0], i[1], i[2]};
        cell[one] -= k == 0 || k == 3;
        cell[two] -= k < 2;
        v[k] = m->vertex[at(m, cell[0], cell[1], cell[2])];
    }
    if (!in) { /* the other way round */
        const uint32_t swap = v[1];
        v[1] = v[3];
        v[3] = swap;
    }
    const int first = apart(m->net, v[0], v[2]) <= apart(m->net, v[1], v[3]) ? 0 : 1;
    for (int k = 0; k < 2; k++) {
        const rill_triangle t = {.v = {v[first], v[(first + 1 + k) % 4], v[(first + 2 + k) % 4]}};
        RILL_TRY(rill_mesh_add_triangle(m->net, t));
    }
done:
    return status;
}

static rill_status make_net(maker *m)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_mesh_create(&m->net));
    for (uint32_t z = 0; z + 1 < m->n[2]; z++)
        for (uint32_t y = 0; y + 1 < m->n[1]; y++)
            for (uint32_t x = 0; x + 1 < m->n[0]; x++) RILL_TRY(add_vertex(m, x, y, z));
    for (uint32_t z = 0; z + 1 < m->n[2]; z++)
        for (uint32_t y = 0; y + 1 < m->n[1]; y++)
            for (uint32_t x = 0; x + 1 < m->n[0]; x++)
                for (int axis = 0; axis < 3; axis++)
                    RILL_TRY(add_quad(m, (const uint32_t[3]){x, y, z}, axis));
done:
    return status;
}

/* ---- the ends -------------------------------------------------------------------------------- */

/* Ends are straight: a vertex that is moved along the axis stays on the wall. */
static rill_status measure_ends(maker *m)
{
    rill_status status = RILL_OK;
    RILL_TRY(
        rill_array_create(m->net->vertex_count, sizeof *m->beyond, "the bifurcation", (void **)&m->beyond));
    for (uint32_t v = 0; v < m->net->vertex_count; v++) {
        double *x = m->net->vertices[v];
        m->beyond[v] = -INFINITY;
        for (int e = 0; e < 3; e++) {
            double d[3];
            rill_subtract(x, m->ends[e].at, d);
            double beyond = rill_dot(d, m->ends[e].outward);
            if (fabs(beyond) < SNAP * m->h && rill_dot(d, d) < 4 * m->o->radius * m->o->radius) {
                for (int a = 0; a < 3; a++) x[a] -= beyond * m->ends[e].outward[a];
                beyond = 0;
            }
            if (beyond > m->beyond[v]) m->beyond[v] = beyond;
        }
    }
done:
    return status;
}

/* The same point for both triangles of an edge. */
static void crossing(const maker *m, uint32_t a, uint32_t b, double out[3])
{
    const uint32_t low = a < b ? a : b, high = a < b ? b : a;
    const double part = m->beyond[low] / (m->beyond[low] - m->beyond[high]);
    for (int k = 0; k < 3; k++)
        out[k] = m->net->vertices[low][k] + part * (m->net->vertices[high][k] - m->net->vertices[low][k]);
}

static rill_status cut_triangle(maker *m, const rill_triangle *t)
{
    rill_status status = RILL_OK;
    uint32_t made[4];
    int count = 0;
    for (int k = 0; k < 3; k++) {
        const uint32_t a = t->v[k], b = t->v[(k + 1) % 3];
        double x[3];
        if (m->beyond[a] <= 0) RILL_TRY(rill_mesh_add_vertex(m->mesh, m->net->vertices[a], &made[count++]));
        if ((m->beyond[a] < 0 && m->beyond[b] > 0) || (m->beyond[a] > 0 && m->beyond[b] < 0)) {
            crossing(m, a, b, x);
            RILL_TRY(rill_mesh_add_vertex(m->mesh, x, &made[count++]));
        }
    }
    for (int k = 0; k + 2 < count; k++)
        RILL_TRY(rill_mesh_add_triangle(m->mesh, (rill_triangle){.v = {made[0], made[k + 1], made[k + 2]}}));
done:
    return status;
}

static rill_status cut_ends(maker *m)
{
    rill_status status = RILL_OK;
    RILL_TRY(measure_ends(m));
    RILL_TRY(rill_mesh_create(&m->mesh));
    for (uint32_t t = 0; t < m->net->triangle_count; t++) {
        const uint32_t *v = m->net->triangles[t].v;
        const double least = fmin(m->beyond[v[0]], fmin(m->beyond[v[1]], m->beyond[v[2]]));
        if (least < 0) RILL_TRY(cut_triangle(m, &m->net->triangles[t]));
    }
    RILL_TRY(rill_mesh_weld(m->mesh, 1e-6 * m->h, NULL));
done:
    return status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

rill_bifurcation_options rill_bifurcation_options_default(void)
{
    return (rill_bifurcation_options){.radius = 3e-3,
                                      .ratio = 0.8,
                                      .angles = {25 * M_PI / 180, 30 * M_PI / 180},
                                      .parent = 15e-3,
                                      .branch = 22e-3,
                                      .edge = 0.25e-3};
}

static rill_status check(const rill_bifurcation_options *o)
{
    if (!(o->radius > 0) || !(o->edge > 0) || !(o->edge <= 0.5 * o->radius * o->ratio))
        return rill_fail(
            RILL_USAGE,
            "edges of %g mm are too long for a branch of radius %g mm: lower --edge or raise --radius",
            1e3 * o->edge, 1e3 * o->radius * o->ratio);
    if (!(o->ratio >= 0.3 && o->ratio <= 1))
        return rill_fail(RILL_USAGE, "a ratio of radii of %g is not within 0.3 to 1: change --ratio",
                         o->ratio);
    for (int k = 0; k < 2; k++)
        if (!(o->angles[k] >= 15 * M_PI / 180 && o->angles[k] <= 60 * M_PI / 180))
            return rill_fail(
                RILL_USAGE,
                "a branch at an angle of %g degrees is not within 15 to 60 degrees: change --angle or --second-angle",
                o->angles[k] * 180 / M_PI);
    const double least = TURN * o->radius * fmax(o->angles[0], o->angles[1]) + 2 * o->radius;
    if (!(o->parent >= o->radius) || !(o->branch >= least) || !(o->parent <= 1) || !(o->branch <= 1))
        return rill_fail(
            RILL_USAGE,
            "a parent of %g mm with branches of %g mm is too short or too long: give --inlet at least %g mm, --outlet %g mm, and each 1 m at most",
            1e3 * o->parent, 1e3 * o->branch, 1e3 * o->radius, 1e3 * least);
    return RILL_OK;
}

/* Centre lines, ends and the box around them. */
static rill_status lay_out(maker *m)
{
    const rill_bifurcation_options *o = m->o;
    double low[3] = {0, 0, 0}, high[3] = {0, 0, o->parent}, cells = 1;
    const double turn = TURN * o->radius, first = o->radius / cbrt(1 + pow(o->ratio, 3));
    m->h = o->edge;
    m->ends[0] = (plane){{0, 0, 0}, {0, 0, -1}};
    for (int k = 0; k < 2; k++) {
        branch *b = &m->branches[k];
        *b = (branch){k ? -1 : 1, o->angles[k], k ? first * o->ratio : first, o->angles[k] * turn, o->branch};
        const double straight = b->length - b->arc;
        plane *end = &m->ends[1 + k];
        *end = (plane){{b->side * (turn * (1 - cos(b->angle)) + straight * sin(b->angle)), 0,
                        o->parent + turn * sin(b->angle) + straight * cos(b->angle)},
                       {b->side * sin(b->angle), 0, cos(b->angle)}};
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], end->at[a]);
            high[a] = fmax(high[a], end->at[a]);
        }
    }
    for (int a = 0; a < 3; a++) {
        const double margin = o->radius + BEYOND * m->h;
        /* Not on a multiple of the edge, so that no flat end meets grid points. */
        m->low[a] = low[a] - margin - 0.37 * m->h;
        m->n[a] = (uint32_t)fmin(ceil((high[a] + margin - m->low[a]) / m->h) + 2, 1e6);
        cells *= m->n[a];
    }
    if (!(cells < 4e8))
        return rill_fail(RILL_USAGE, "edges of %g mm make a grid of %.3g points: raise --edge", 1e3 * o->edge,
                         cells);
    return RILL_OK;
}

rill_status rill_generate_bifurcation(const rill_bifurcation_options *o, rill_mesh **out)
{
    rill_status status = RILL_OK;
    maker m = {.o = o};
    RILL_TRY(check(o));
    RILL_TRY(lay_out(&m));
    RILL_TRY(make_field(&m));
    RILL_TRY(make_net(&m));
    RILL_TRY(cut_ends(&m));
    *out = m.mesh;
    m.mesh = NULL;
done:
    rill_array_destroy(m.field);
    rill_array_destroy(m.vertex);
    rill_array_destroy(m.beyond);
    rill_mesh_destroy(m.net);
    rill_mesh_destroy(m.mesh);
    return status;
}
