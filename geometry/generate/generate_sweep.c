/* SPDX-License-Identifier: Apache-2.0 */
/* Surfaces of circles that are swept along a line: bent pipes and the nozzle. */
#include "geometry/generate/generate_surface.h"

#include "core/status.h"

#include <math.h>

/* A circle: its centre, the two directions that span its plane, its radius. */
typedef struct ring {
    double middle[3], across[3], up[3], radius;
} ring;

typedef struct sweep {
    rill_mesh *mesh;
    uint32_t around; /* vertices of a circle */
    uint32_t rings;
} sweep;

/* Add a circle and join it to the one before. Every other circle is rotated by half a vertex: the triangles
 * are even. */
static rill_status add_ring(sweep *s, const ring *r)
{
    rill_status status = RILL_OK;
    const uint32_t first = s->mesh->vertex_count, n = s->around, before = first - n;
    RILL_TRY(rill_mesh_reserve(s->mesh, n, 2 * (uint64_t)n));
    for (uint32_t k = 0; k < n; k++) {
        const double angle = 2 * M_PI * (k + (s->rings % 2 ? 0.5 : 0)) / n;
        double x[3];
        for (int a = 0; a < 3; a++)
            x[a] = r->middle[a] + r->radius * (cos(angle) * r->across[a] + sin(angle) * r->up[a]);
        RILL_TRY(rill_mesh_add_vertex(s->mesh, x, NULL));
    }
    for (uint32_t k = 0; k < n && s->rings > 0; k++) {
        const uint32_t next = (k + 1) % n, odd = s->rings % 2;
        /* across × up is along the sweep: counter-clockwise around it is outward this way round. */
        const uint32_t low[2] = {before + k, before + next}, high[2] = {first + k, first + next};
        const rill_triangle both[2] = {odd ? (rill_triangle){.v = {low[0], low[1], high[0]}}
                                           : (rill_triangle){.v = {low[0], high[1], high[0]}},
                                       odd ? (rill_triangle){.v = {low[1], high[1], high[0]}}
                                           : (rill_triangle){.v = {low[0], low[1], high[1]}}};
        for (int t = 0; t < 2; t++) RILL_TRY(rill_mesh_add_triangle(s->mesh, both[t]));
    }
    s->rings++;
done:
    return status;
}

static uint32_t parts(double length, double edge)
{
    const double count = ceil(length / edge - 1e-9);
    return count > 1 ? (uint32_t)count : 1;
}

static rill_status start(sweep *s, double radius, double length, double edge)
{
    const double count = 2 * M_PI * radius / edge, rings = length / edge;
    if (!(edge > 0) || !(radius > 0) || !(edge <= radius))
        return rill_fail(RILL_USAGE,
                         "edges of %g mm do not make a pipe of radius %g mm: lower --edge or raise --radius",
                         1e3 * edge, 1e3 * radius);
    if (!(count * rings < 1e8))
        return rill_fail(RILL_USAGE, "edges of %g mm make %.3g triangles: raise --edge", 1e3 * edge,
                         2 * count * rings);
    s->around = (uint32_t)fmax(ceil(count), 12);
    return rill_mesh_create(&s->mesh);
}

rill_bend_options rill_bend_options_default(void)
{
    return (rill_bend_options){
        .radius = 2e-3, .inlet = 8e-3, .outlet = 8e-3, .bend = 8e-3, .angle = M_PI / 2, .edge = 0.2e-3};
}

rill_status rill_generate_bend(const rill_bend_options *o, rill_mesh **out)
{
    rill_status status = RILL_OK;
    sweep s = {.mesh = NULL};
    const double arc = o->angle * o->bend, length = o->inlet + arc + o->outlet;
    if (!(o->angle >= 0 && o->angle <= 1.5 * M_PI) || (o->angle > 0 && !(o->bend > o->radius)))
        return rill_fail(
            RILL_USAGE,
            "a bend of %g degrees with radius %g mm is none for a pipe of radius %g mm: give --angle 0 to 270 degrees, and a --bend wider than the pipe",
            o->angle * 180 / M_PI, 1e3 * o->bend, 1e3 * o->radius);
    if (!(o->inlet >= 0) || !(o->outlet >= 0) || !(length > 0))
        return rill_fail(RILL_USAGE, "a pipe of %g mm has no length: raise --inlet or --outlet",
                         1e3 * length);
    RILL_TRY(start(&s, o->radius, length, o->edge));
    /* Rings follow each other closer than edges are long: equilateral triangles are 0.87 edges high. */
    const uint32_t rings = parts(length, o->edge * sqrt(0.75));
    for (uint32_t k = 0; k <= rings; k++) {
        const double at = length * k / rings, turned = fmin(fmax(at - o->inlet, 0), arc),
                     angle = o->angle > 0 ? turned / o->bend : 0, straight = fmin(at, o->inlet),
                     behind = fmax(at - o->inlet - arc, 0);
        const ring r = {.middle = {o->bend * (1 - cos(angle)) + behind * sin(angle), 0,
                                   straight + o->bend * sin(angle) + behind * cos(angle)},
                        .across = {cos(angle), 0, -sin(angle)},
                        .up = {0, 1, 0},
                        .radius = o->radius};
        RILL_TRY(add_ring(&s, &r));
    }
    *out = s.mesh;
    s.mesh = NULL;
done:
    rill_mesh_destroy(s.mesh);
    return status;
}

rill_nozzle_options rill_nozzle_options_default(void)
{
    return (rill_nozzle_options){.inlet = 30e-3, .outlet = 80e-3, .edge = 0.3e-3};
}

rill_status rill_generate_nozzle(const rill_nozzle_options *o, rill_mesh **out)
{
    rill_status status = RILL_OK;
    sweep s = {.mesh = NULL};
    const double corners[][2] = {{-62.685e-3 - o->inlet, 6e-3},
                                 {-62.685e-3, 6e-3},
                                 {-40e-3, 2e-3},
                                 {0, 2e-3},
                                 {0, 6e-3},
                                 {o->outlet, 6e-3}};
    if (!(o->inlet >= 1e-3 && o->inlet <= 1) || !(o->outlet >= 1e-3 && o->outlet <= 1))
        return rill_fail(
            RILL_USAGE,
            "a nozzle takes 1 mm to 1 m in front of its cone and behind its throat: change --inlet or --outlet");
    RILL_TRY(start(&s, 6e-3, 63e-3 + o->inlet + o->outlet, fmin(o->edge, 2e-3)));
    for (int c = 0; c < 5; c++) {
        const double dz = corners[c + 1][0] - corners[c][0], dr = corners[c + 1][1] - corners[c][1];
        const uint32_t rings = parts(hypot(dz, dr), fmin(o->edge, 2e-3) * sqrt(0.75));
        for (uint32_t k = c > 0; k <= rings; k++) {
            const double part = (double)k / rings;
            const ring r = {.middle = {0, 0, corners[c][0] + part * dz},
                            .across = {1, 0, 0},
                            .up = {0, 1, 0},
                            .radius = corners[c][1] + part * dr};
            RILL_TRY(add_ring(&s, &r));
        }
    }
    *out = s.mesh;
    s.mesh = NULL;
done:
    rill_mesh_destroy(s.mesh);
    return status;
}
