/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/elastic.h"

#include "core/memory.h"
#include "core/status.h"
#include "permeability/tensor.h"

#include <math.h>
#include <string.h>

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static void add_scaled(double factor, const double a[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] += factor * a[k];
}

/* The two edges of a triangle that begin at its first corner, and their dot products 11, 12, 22. */
static void metric_of(const rill_membrane_mesh *mesh, uint32_t t, const double (*x)[3], double side[2][3],
                      double g[3])
{
    const uint32_t *corner = mesh->triangles[t];
    for (int k = 0; k < 2; k++) subtract(x[corner[k + 1]], x[corner[0]], side[k]);
    g[0] = dot(side[0], side[0]);
    g[1] = dot(side[0], side[1]);
    g[2] = dot(side[1], side[1]);
}

/* The two triangles at an edge: their normals, as long as twice their areas, and the angle between them,
 * above 0 where the surface is convex. */
typedef struct hinge {
    double along[3], length, normal[2][3], square[2], angle;
} hinge;

static hinge hinge_of(const rill_membrane_mesh_edge *e, const double (*x)[3])
{
    hinge h;
    double ac[3], ad[3], both[3];
    subtract(x[e->b], x[e->a], h.along);
    subtract(x[e->c], x[e->a], ac);
    subtract(x[e->d], x[e->a], ad);
    cross(h.along, ac, h.normal[0]);
    cross(ad, h.along, h.normal[1]);
    h.length = sqrt(dot(h.along, h.along));
    for (int k = 0; k < 2; k++) h.square[k] = dot(h.normal[k], h.normal[k]);
    cross(h.normal[0], h.normal[1], both);
    h.angle = atan2(dot(both, h.along) / h.length, dot(h.normal[0], h.normal[1]));
    return h;
}

/* Energy of unit area, and its derivatives by I1 and I2. */
static double energy_of(const rill_elastic_options *o, double i1, double i2, double derivative[2])
{
    if (o->law == RILL_NEO_HOOKEAN) {
        const double inverse = 1 / (i2 + 1);
        derivative[0] = o->shear / 2;
        derivative[1] = -o->shear / 2 * inverse * inverse;
        return o->shear / 2 * (i1 - 1 + inverse);
    }
    derivative[0] = o->shear / 2 * (i1 + 1);
    derivative[1] = o->shear / 2 * (o->dilatation * i2 - 1);
    return o->shear / 4 * (i1 * i1 + 2 * i1 - 2 * i2 + o->dilatation * i2 * i2);
}

static double strain(const rill_elastic *m, const double (*x)[3], double (*force)[3])
{
    double energy = 0;
    for (uint32_t t = 0; t < m->mesh->triangle_count; t++) {
        const double *inverse = m->inverse[t], rest = m->rest[t];
        const uint32_t *corner = m->mesh->triangles[t];
        double side[2][3], g[3], by[2];
        metric_of(m->mesh, t, x, side, g);
        const double det0 = 4 * rest * rest; /* of the metric at rest */
        const double i1 = inverse[0] * g[0] + 2 * inverse[1] * g[1] + inverse[2] * g[2] - 2;
        const double i2 = (g[0] * g[2] - g[1] * g[1]) / det0 - 1;
        energy += rest * energy_of(&m->options, i1, i2, by);
        for (int k = 0; k < 2; k++) { /* dw = 2 (p side_k + q side_other) . d side_k */
            const double p = by[0] * inverse[2 * k] + by[1] * g[2 - 2 * k] / det0;
            const double q = by[0] * inverse[1] - by[1] * g[1] / det0;
            for (int a = 0; a < 3; a++) {
                const double f = -2 * rest * (p * side[k][a] + q * side[1 - k][a]);
                force[corner[k + 1]][a] += f;
                force[corner[0]][a] -= f;
            }
        }
    }
    return energy;
}

/* Add `factor` times the derivatives of the angle of a hinge, and `along` times those of its length. */
static void hinge_pull(const rill_membrane_mesh_edge *e, const hinge *h, const double (*x)[3], double factor,
                       double along, double (*force)[3])
{
    const uint32_t wing[2] = {e->c, e->d}, end[2] = {e->a, e->b};
    for (int side = 0; side < 2; side++) {
        /* a wing that moves along its normal by its height rotates its triangle: d theta = -length / |N|^2 N
         * . dx */
        const double turn = factor / h->square[side];
        double from[3];
        add_scaled(-turn * h->length, h->normal[side], force[wing[side]]);
        for (int k = 0; k < 2; k++) { /* the ends of the edge balance force and moment */
            subtract(x[wing[side]], x[end[1 - k]], from);
            const double part = dot(from, h->along) / h->length * (k == 0 ? -1 : 1);
            add_scaled(turn * part, h->normal[side], force[end[k]]);
        }
        add_scaled(side == 0 ? -along / h->length : along / h->length, h->along, force[end[side]]);
    }
}

/* Set the sums of length times angle over the edges of vertices, over 4, and a third of the triangles around.
 */
static void curvatures_of(const rill_membrane_mesh *mesh, const double (*x)[3], double (*curved)[2])
{
    memset(curved, 0, mesh->vertex_count * sizeof *curved);
    for (uint32_t k = 0; k < mesh->edge_count; k++) {
        const rill_membrane_mesh_edge *e = &mesh->edges[k];
        const hinge h = hinge_of(e, x);
        curved[e->a][0] += h.length * h.angle / 4;
        curved[e->b][0] += h.length * h.angle / 4;
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double side[2][3], g[3];
        metric_of(mesh, t, x, side, g);
        const double third = sqrt(g[0] * g[2] - g[1] * g[1]) / 6;
        for (int k = 0; k < 3; k++) curved[mesh->triangles[t][k]][1] += third;
    }
}

/* Add `factor` times the derivatives of the area of a triangle. */
static void area_pull(const uint32_t corner[3], const double (*x)[3], double factor, double (*force)[3])
{
    double side[2][3], normal[3];
    for (int k = 0; k < 2; k++) subtract(x[corner[k + 1]], x[corner[0]], side[k]);
    cross(side[0], side[1], normal);
    const double length = sqrt(dot(normal, normal));
    for (int k = 0; k < 3; k++) {
        double opposite[3], by_area[3];
        subtract(x[corner[(k + 2) % 3]], x[corner[(k + 1) % 3]], opposite);
        cross(normal, opposite, by_area);
        add_scaled(factor / (2 * length), by_area, force[corner[k]]);
    }
}

/* Derivatives of sum_i 2 kappa (M_i / A_i - H_i)^2 A_i by M_i and A_i take the place of these two. */
static double bend(const rill_elastic *m, const double (*x)[3], double (*force)[3], double (*curved)[2])
{
    const rill_membrane_mesh *mesh = m->mesh;
    const double stiffness = m->options.bending;
    double energy = 0;
    if (stiffness == 0) return 0;
    curvatures_of(mesh, x, curved);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        const double area = curved[v][1], now = curved[v][0] / area, more = now - m->curvature[v];
        energy += 2 * stiffness * more * more * area;
        curved[v][0] = 4 * stiffness * more;
        curved[v][1] = 2 * stiffness * more * (more - 2 * now);
    }
    for (uint32_t k = 0; k < mesh->edge_count; k++) {
        const rill_membrane_mesh_edge *e = &mesh->edges[k];
        const hinge h = hinge_of(e, x);
        const double by = -(curved[e->a][0] + curved[e->b][0]) / 4;
        hinge_pull(e, &h, x, by * h.length, by * h.angle, force);
    }
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        area_pull(corner, x, -(curved[corner[0]][1] + curved[corner[1]][1] + curved[corner[2]][1]) / 3,
                  force);
    }
    return energy;
}

static double hold(const rill_elastic *m, const double (*x)[3], double (*force)[3])
{
    const rill_elastic_options *o = &m->options;
    if (o->area == 0 && o->volume == 0) return 0;
    const rill_membrane_shape now = rill_membrane_shape_of(m->mesh, x);
    const double stretched = (now.area - m->area) / m->area, swollen = (now.volume - m->volume) / m->volume;
    for (uint32_t t = 0; t < m->mesh->triangle_count; t++) {
        const uint32_t *corner = m->mesh->triangles[t];
        double side[2][3], g[3], normal[3];
        metric_of(m->mesh, t, x, side, g);
        cross(side[0], side[1], normal);
        area_pull(corner, x, -o->area * stretched, force);
        for (int k = 0; k < 3; k++) /* as the surface is closed, a sixth of the normal for each corner */
            add_scaled(-o->volume * swollen / 6, normal, force[corner[k]]);
    }
    return o->area * stretched * stretched * m->area / 2 + o->volume * swollen * swollen * m->volume / 2;
}

static rill_status check(const rill_elastic_options *o)
{
    const struct {
        const char *name;
        double value;
    } all[] = {{"shear modulus", o->shear},
               {"dilatation parameter C", o->dilatation},
               {"bending stiffness", o->bending},
               {"area stiffness", o->area},
               {"volume stiffness", o->volume}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(all[k].value >= 0) || !isfinite(all[k].value))
            return rill_fail(RILL_USAGE, "%s %g of a membrane is not a number from 0 on", all[k].name,
                             all[k].value);
    return RILL_OK;
}

rill_status rill_elastic_create(const rill_membrane_mesh *mesh, const rill_elastic_options *options,
                                rill_elastic *out)
{
    rill_status status = RILL_OK;
    rill_elastic made = {.mesh = mesh, .options = *options};
    double(*curved)[2] = NULL;
    const double(*x)[3] = (const double(*)[3])mesh->vertices;
    RILL_TRY(check(options));
    RILL_TRY(rill_array_create(mesh->triangle_count, sizeof *made.inverse, "a membrane at rest",
                               (void **)&made.inverse));
    RILL_TRY(rill_array_create(mesh->triangle_count, sizeof *made.rest, "a membrane at rest",
                               (void **)&made.rest));
    RILL_TRY(rill_array_create(mesh->vertex_count, sizeof *made.curvature, "a membrane at rest",
                               (void **)&made.curvature));
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        double side[2][3], g[3];
        metric_of(mesh, t, x, side, g);
        const double det = g[0] * g[2] - g[1] * g[1];
        made.inverse[t][0] = g[2] / det;
        made.inverse[t][1] = -g[1] / det;
        made.inverse[t][2] = g[0] / det;
        made.rest[t] = sqrt(det) / 2;
    }
    RILL_TRY(rill_array_create(mesh->vertex_count, sizeof *curved, "a membrane at rest", (void **)&curved));
    curvatures_of(mesh, x, curved);
    for (uint32_t v = 0; v < mesh->vertex_count; v++)
        made.curvature[v] = options->flat ? 0 : curved[v][0] / curved[v][1];
    const rill_membrane_shape shape = rill_membrane_shape_of(mesh, x);
    made.area = shape.area;
    made.volume = shape.volume;
    *out = made;
    made = (rill_elastic){0};
done:
    rill_array_destroy(curved);
    rill_elastic_destroy(&made);
    return status;
}

void rill_elastic_destroy(rill_elastic *elastic)
{
    rill_array_destroy(elastic->inverse);
    rill_array_destroy(elastic->rest);
    rill_array_destroy(elastic->curvature);
    *elastic = (rill_elastic){0};
}

double rill_elastic_force(const rill_elastic *elastic, const double (*x)[3], double (*force)[3],
                          double (*scratch)[2])
{
    memset(force, 0, elastic->mesh->vertex_count * sizeof *force);
    return strain(elastic, x, force) + bend(elastic, x, force, scratch) + hold(elastic, x, force);
}

void rill_membrane_areas(const rill_membrane_mesh *mesh, const double (*x)[3], double (*area)[3])
{
    memset(area, 0, mesh->vertex_count * sizeof *area);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        double side[2][3], normal[3];
        for (int k = 0; k < 2; k++) subtract(x[corner[k + 1]], x[corner[0]], side[k]);
        cross(side[0], side[1], normal);
        for (int k = 0; k < 3; k++) add_scaled(1.0 / 6, normal, area[corner[k]]);
    }
}

/* Sums over the tetrahedra between the triangles and a point inside: the integral of x x^T over one with the
 * corners 0, a, b, c is V/20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c. */
rill_membrane_shape rill_membrane_shape_of(const rill_membrane_mesh *mesh, const double (*x)[3])
{
    rill_membrane_shape shape = {0};
    double second[3][3] = {{0}}, at[3];
    memcpy(at, x[0], sizeof at);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        double p[4][3], side[2][3], normal[3];
        for (int k = 0; k < 3; k++) subtract(x[corner[k]], at, p[k]);
        for (int a = 0; a < 3; a++) p[3][a] = p[0][a] + p[1][a] + p[2][a];
        for (int k = 0; k < 2; k++) subtract(p[k + 1], p[0], side[k]);
        cross(side[0], side[1], normal);
        const double volume = dot(p[0], normal) / 6;
        shape.area += sqrt(dot(normal, normal)) / 2;
        shape.volume += volume;
        add_scaled(volume / 4, p[3], shape.centre);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++)
                for (int k = 0; k < 4; k++) second[a][b] += volume / 20 * p[k][a] * p[k][b];
    }
    for (int a = 0; a < 3; a++) shape.centre[a] /= shape.volume;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            second[a][b] = second[a][b] / shape.volume - shape.centre[a] * shape.centre[b];
    rill_tensor_principal((const double(*)[3])second, RILL_AXES_XYZ, shape.axes, shape.direction);
    for (int a = 0; a < 3; a++) {
        shape.centre[a] += at[a];
        shape.axes[a] = sqrt(5 * shape.axes[a]); /* of an ellipsoid the mean of x^2 is a^2 / 5 */
    }
    return shape;
}
