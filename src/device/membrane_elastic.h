/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file membrane_elastic.h
 * Forces on the vertices of membranes, which each gathers from the triangles and edges around it in ascending
 * order: no thread writes what another one does. Of +, -, *, / and sqrt alone, which are the same everywhere.
 * membrane/elastic.h has the energies.
 */
#ifndef RILL_DEVICE_MEMBRANE_ELASTIC_H
#define RILL_DEVICE_MEMBRANE_ELASTIC_H

#include "device/membranes.h"

#include <math.h>

RILL_FN double rill_dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

RILL_FN void rill_cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

RILL_FN void rill_subtract(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

RILL_FN void rill_add_scaled(const double factor, const double a[3], double out[3])
{
    for (int k = 0; k < 3; k++) out[k] += factor * a[k];
}

/**
 * Return the angle with this sine and cosine, times any length. The angle is folded to at most 90 degrees,
 * halved three times, and what is left is at most pi / 16: the eleven terms of the series of the arc tangent
 * leave out 2e-17 of it.
 */
RILL_FN double rill_angle_of(const double sine, const double cosine)
{
    const double half_turn = 3.14159265358979323846, length = sqrt(sine * sine + cosine * cosine);
    if (length == 0) return 0;
    double t = sine / (length + fabs(cosine)), sum = 0;
    t = t / (1 + sqrt(1 + t * t));
    t = t / (1 + sqrt(1 + t * t));
    const double square = t * t;
    RILL_UNROLL
    for (int k = 10; k >= 0; k--) sum = (k % 2 ? -1.0 : 1.0) / (2 * k + 1) + square * sum;
    const double angle = 8 * t * sum;
    return cosine >= 0 ? angle : (sine < 0 ? -half_turn : half_turn) - angle;
}

/** The three corners of a triangle from one on, the two edges that begin there, and its normal, as long as
 * twice its area. */
typedef struct rill_corner {
    double side[2][3], normal[3];
} rill_corner;

RILL_FN rill_corner rill_corner_of(const double a[3], const double b[3], const double c[3])
{
    rill_corner out;
    rill_subtract(b, a, out.side[0]);
    rill_subtract(c, a, out.side[1]);
    rill_cross(out.side[0], out.side[1], out.normal);
    return out;
}

/** Set the dot products 11, 12, 22 of its edges. */
RILL_FN void rill_metric_of(const rill_corner *c, double g[3])
{
    g[0] = rill_dot(c->side[0], c->side[0]);
    g[1] = rill_dot(c->side[0], c->side[1]);
    g[2] = rill_dot(c->side[1], c->side[1]);
}

/** Return the energy of unit area, and its derivatives by I1 and I2. */
RILL_FN double rill_strain_energy(const rill_elastic_options *o, const double i1, const double i2,
                                  double derivative[2])
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

/** Return the energy of a triangle, and the forces on its second and third corner. @param c  of the first */
RILL_FN double rill_strain_of(const rill_elastic *e, const uint32_t t, const rill_corner *c,
                              double force[2][3])
{
    const double *inverse = e->inverse[t], rest = e->rest[t], det0 = 4 * rest * rest; /* of the metric then */
    double g[3], by[2];
    rill_metric_of(c, g);
    const double i1 = inverse[0] * g[0] + 2 * inverse[1] * g[1] + inverse[2] * g[2] - 2;
    const double i2 = (g[0] * g[2] - g[1] * g[1]) / det0 - 1;
    const double energy = rest * rill_strain_energy(&e->options, i1, i2, by);
    RILL_UNROLL
    for (int k = 0; k < 2; k++) { /* dw = 2 (p side_k + q side_other) . d side_k */
        const double p = by[0] * inverse[2 * k] + by[1] * g[2 - 2 * k] / det0;
        const double q = by[0] * inverse[1] - by[1] * g[1] / det0;
        RILL_UNROLL
        for (int a = 0; a < 3; a++) force[k][a] = -2 * rest * (p * c->side[k][a] + q * c->side[1 - k][a]);
    }
    return energy;
}

/** The two triangles at an edge: their normals, as long as twice their areas. */
typedef struct rill_hinge {
    double along[3], length, normal[2][3];
} rill_hinge;

RILL_FN rill_hinge rill_hinge_of(const double (*x)[3], const uint32_t edge[4])
{
    rill_hinge h;
    double ac[3], ad[3];
    rill_subtract(x[edge[1]], x[edge[0]], h.along);
    rill_subtract(x[edge[2]], x[edge[0]], ac);
    rill_subtract(x[edge[3]], x[edge[0]], ad);
    rill_cross(h.along, ac, h.normal[0]);
    rill_cross(ad, h.along, h.normal[1]);
    h.length = sqrt(rill_dot(h.along, h.along));
    return h;
}

/** Return the angle between them, above 0 where the surface is convex. */
RILL_FN double rill_hinge_angle(const rill_hinge *h)
{
    double both[3];
    rill_cross(h->normal[0], h->normal[1], both);
    return rill_angle_of(rill_dot(both, h->along) / h->length, rill_dot(h->normal[0], h->normal[1]));
}

/** Add `factor` times the derivative of the angle of a hinge by a vertex of it, and `along` times that of its
 * length. */
RILL_FN void rill_hinge_pull(const double (*x)[3], const uint32_t edge[4], const rill_hinge *h,
                             const uint32_t own, const double factor, const double along, double force[3])
{
    RILL_UNROLL
    for (uint32_t side = 0; side < 2; side++) {
        /* a wing that moves along its normal by its height rotates its triangle: d theta = -length / |N|^2 N
         * . dx */
        const double turn = factor / rill_dot(h->normal[side], h->normal[side]);
        double by = own == side + 2 ? -turn * h->length : 0;
        if (own < 2) { /* the ends of the edge balance force and moment */
            double from[3];
            rill_subtract(x[edge[2 + side]], x[edge[1 - own]], from);
            by = turn * (rill_dot(from, h->along) / h->length * (own == 0 ? -1 : 1));
        }
        rill_add_scaled(by, h->normal[side], force);
    }
    if (own < 2) rill_add_scaled(own == 0 ? -along / h->length : along / h->length, h->along, force);
}

/** Set M_i and A_i of a vertex, whose angles are known. */
RILL_FN void rill_curved_of(const rill_elastic *e, const double (*x)[3], const double *angle,
                            const uint32_t own, double curved[2])
{
    curved[0] = curved[1] = 0;
    for (uint32_t at = e->hinges.first[own]; at < e->hinges.first[own + 1]; at++) {
        const uint32_t *edge = e->edges[e->hinges.entry[at] / 4];
        double along[3];
        if (e->hinges.entry[at] % 4 > 1) continue;
        rill_subtract(x[edge[1]], x[edge[0]], along);
        curved[0] += sqrt(rill_dot(along, along)) * angle[e->hinges.entry[at] / 4] / 4;
    }
    for (uint32_t at = e->corners.first[own]; at < e->corners.first[own + 1]; at++) {
        const uint32_t *t = e->triangles[e->corners.entry[at] / 3];
        const rill_corner c = rill_corner_of(x[t[0]], x[t[1]], x[t[2]]);
        curved[1] += sqrt(rill_dot(c.normal, c.normal)) / 6;
    }
}

/** Set what a lane adds to area and volume of a membrane: every 32nd triangle. */
RILL_FN void rill_held_of(const rill_elastic *e, const double (*x)[3], const uint32_t lane, double held[2])
{
    held[0] = held[1] = 0;
    for (uint32_t t = lane; t < e->triangle_count; t += RILL_MEMBRANE_LANES) {
        const uint32_t *corner = e->triangles[t];
        const rill_corner c = rill_corner_of(x[corner[0]], x[corner[1]], x[corner[2]]);
        double from[3]; /* the first vertex: the volume is that of the tetrahedra between it and triangles */
        rill_subtract(x[corner[0]], x[0], from);
        held[0] += sqrt(rill_dot(c.normal, c.normal)) / 2;
        held[1] += rill_dot(from, c.normal) / 6;
    }
}

/** Set what a lane adds to three times the volume, x . dA over the surface, and to the area: every 32nd
 * vertex. */
RILL_FN void rill_enclosed_of(const uint32_t vertices, const double (*x)[3], const double (*area)[3],
                              const uint32_t lane, double sum[2])
{
    sum[0] = sum[1] = 0;
    for (uint32_t v = lane; v < vertices; v += RILL_MEMBRANE_LANES) {
        double from[3];
        rill_subtract(x[v], x[0], from);
        sum[0] += rill_dot(from, area[v]);
        sum[1] += sqrt(rill_dot(area[v], area[v]));
    }
}

/** Set what a lane adds to the sums over membrane k. */
RILL_FN void rill_whole_lane(const rill_membrane_set *s, const rill_membrane_whole whole, const uint64_t k,
                             const uint32_t lane, double sum[2])
{
    const rill_elastic *e = &s->elastic;
    const double(*x)[3] = (const double(*)[3])s->x + k * e->vertex_count;
    if (whole == RILL_MEMBRANE_HELD)
        rill_held_of(e, x, lane, sum);
    else
        rill_enclosed_of(e->vertex_count, x, (const double(*)[3])s->area + k * e->vertex_count, lane, sum);
}

/** Take the sums. */
RILL_FN void rill_whole_set(const rill_membrane_set *s, const rill_membrane_whole whole, const uint64_t k,
                            const double sum[2])
{
    if (whole == RILL_MEMBRANE_HELD) {
        s->held[k][0] = sum[0];
        s->held[k][1] = sum[1];
    } else if (whole == RILL_MEMBRANE_ENCLOSED) {
        s->kept[k][0] = sum[0] / 3;
    } else {
        s->kept[k][1] = sum[1] > 0 ? (s->kept[k][0] - sum[0] / 3) / sum[1] : 0;
    }
}

/** Find the angle at an edge. */
RILL_FN void rill_membrane_angle(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_elastic *e = &s->elastic;
    const uint64_t cell = k / e->edge_count;
    const double(*x)[3] = (const double(*)[3])s->x + cell * e->vertex_count;
    const rill_hinge h = rill_hinge_of(x, e->edges[k - cell * e->edge_count]);
    (void)l;
    s->angle[k] = rill_hinge_angle(&h);
}

/** Set the derivatives of sum_i 2 kappa (M_i / A_i - H_i)^2 A_i by M_i and A_i. */
RILL_FN void rill_membrane_bend(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_elastic *e = &s->elastic;
    const uint32_t cell = (uint32_t)k / e->vertex_count, own = (uint32_t)k - cell * e->vertex_count;
    double curved[2];
    (void)l;
    rill_curved_of(e, (const double(*)[3])s->x + (k - own), s->angle + (uint64_t)cell * e->edge_count, own,
                   curved);
    const double now = curved[0] / curved[1], more = now - e->curvature[own];
    s->curved[k][0] = 4 * e->options.bending * more;
    s->curved[k][1] = 2 * e->options.bending * more * (more - 2 * now);
}

/** Add the forces of a triangle on its corner `own`. @param held  what holds area and volume, of the whole */
RILL_FN void rill_triangle_pull(const rill_membrane_set *s, const uint64_t first, const uint32_t t,
                                const uint32_t own, const double held[2], double force[3], double area[3])
{
    const rill_elastic *e = &s->elastic;
    const double(*x)[3] = (const double(*)[3])s->x + first;
    const uint32_t *corner = e->triangles[t];
    const rill_corner c = rill_corner_of(x[corner[0]], x[corner[1]], x[corner[2]]);
    double strain[2][3], opposite[3], by_area[3], factor = -held[0];
    rill_strain_of(e, t, &c, strain);
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        force[a] += own == 0 ? -(strain[0][a] + strain[1][a]) : own == 1 ? strain[0][a] : strain[1][a];
        opposite[a] = own == 0 ? c.side[1][a] - c.side[0][a] : own == 1 ? -c.side[1][a] : c.side[0][a];
    }
    if (e->options.bending > 0)
        factor -= (s->curved[first + corner[0]][1] + s->curved[first + corner[1]][1] +
                   s->curved[first + corner[2]][1]) /
                  3;
    rill_cross(c.normal, opposite, by_area);
    rill_add_scaled(factor / (2 * sqrt(rill_dot(c.normal, c.normal))), by_area, force);
    rill_add_scaled(-held[1] / 6, c.normal, force); /* of its corners each has a third, as it is closed */
    rill_add_scaled(1.0 / 6, c.normal, area);
}

RILL_FN void rill_membrane_fail(const rill_membrane_set *s)
{
#ifdef __CUDA_ARCH__
    *(volatile uint32_t *)&s->support.tally->failed = 1;
#else
    __atomic_store_n(&s->support.tally->failed, 1, __ATOMIC_RELAXED);
#endif
}

/** Set the force on a vertex, and its part of the surface. */
RILL_FN void rill_membrane_pull(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_elastic *e = &s->elastic;
    const rill_elastic_options *o = &e->options;
    const uint32_t cell = (uint32_t)k / e->vertex_count, own = (uint32_t)k - cell * e->vertex_count;
    const uint64_t first = k - own;
    const double(*x)[3] = (const double(*)[3])s->x + first;
    double force[3] = {0, 0, 0}, area[3] = {0, 0, 0}, held[2] = {0, 0};
    (void)l;
    if (o->area > 0 || o->volume > 0) {
        held[0] = o->area * (s->held[cell][0] - e->area) / e->area;
        held[1] = o->volume * (s->held[cell][1] - e->volume) / e->volume;
    }
    for (uint32_t at = e->corners.first[own]; at < e->corners.first[own + 1]; at++)
        rill_triangle_pull(s, first, e->corners.entry[at] / 3, e->corners.entry[at] % 3, held, force, area);
    for (uint32_t at = e->hinges.first[own]; at < e->hinges.first[own + 1] && o->bending > 0; at++) {
        const uint32_t number = e->hinges.entry[at] / 4, *edge = e->edges[number];
        const rill_hinge h = rill_hinge_of(x, edge);
        const double by = -(s->curved[first + edge[0]][0] + s->curved[first + edge[1]][0]) / 4;
        rill_hinge_pull(x, edge, &h, e->hinges.entry[at] % 4, by * h.length,
                        by * s->angle[(uint64_t)cell * e->edge_count + number], force);
    }
    RILL_UNROLL
    for (int a = 0; a < 3; a++) {
        s->force[k][a] = force[a] + (s->load ? s->load[k][a] : 0);
        s->area[k][a] = area[a];
        if (s->support.tally && !(fabs(x[own][a]) < RILL_MEMBRANE_POSITION_MOST)) rill_membrane_fail(s);
    }
}

/** Set the part of the surface of a vertex alone. */
RILL_FN void rill_membrane_face(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const rill_elastic *e = &s->elastic;
    const uint32_t own = (uint32_t)k % e->vertex_count;
    const double(*x)[3] = (const double(*)[3])s->x + (k - own);
    double area[3] = {0, 0, 0};
    (void)l;
    for (uint32_t at = e->corners.first[own]; at < e->corners.first[own + 1]; at++) {
        const uint32_t *corner = e->triangles[e->corners.entry[at] / 3];
        const rill_corner c = rill_corner_of(x[corner[0]], x[corner[1]], x[corner[2]]);
        rill_add_scaled(1.0 / 6, c.normal, area);
    }
    for (int a = 0; a < 3; a++) s->area[k][a] = area[a];
}

/** Move a vertex along its normal, so that its membrane keeps its volume. */
RILL_FN void rill_membrane_keep(const rill_membrane_set *s, const rill_launch *l, const uint64_t k)
{
    const double by = s->kept[(uint32_t)k / s->elastic.vertex_count][1],
                 n[3] = {s->area[k][0], s->area[k][1], s->area[k][2]}, length = sqrt(rill_dot(n, n));
    (void)l;
    for (int a = 0; a < 3 && length > 0; a++) {
        s->x[k][a] += by * n[a] / length;
        s->velocity[k][a] += by * n[a] / length;
    }
}

#endif
