/* SPDX-License-Identifier: Apache-2.0 */
#include "membrane/elastic.h"

#include "core/memory.h"
#include "core/status.h"
#include "device/device.h"
#include "device/membrane_elastic.h"
#include "permeability/tensor.h"

#include <math.h>
#include <string.h>

static const char *const what = "a membrane at rest";

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

/* List what is around vertices. @param entries  [count][each], a vertex each */
static rill_status ring_make(const uint32_t *entries, uint64_t count, uint32_t vertices,
                             rill_membrane_ring *out)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_array_create_zero((uint64_t)vertices + 1, sizeof *out->first, what, (void **)&out->first));
    RILL_TRY(rill_array_create(count, sizeof *out->entry, what, (void **)&out->entry));
    for (uint64_t k = 0; k < count; k++) out->first[entries[k] + 1]++;
    for (uint32_t v = 0; v < vertices; v++) out->first[v + 1] += out->first[v];
    for (uint64_t k = count; k-- > 0;) out->entry[--out->first[entries[k] + 1]] = (uint32_t)k;
    /* each one's end is its beginning now */
    memmove(out->first, out->first + 1, vertices * sizeof *out->first);
    out->first[vertices] = (uint32_t)count;
done:
    return status;
}

/* Work on one membrane, on processors. */
static rill_membrane_set single(const rill_elastic *e, const double (*x)[3], double (*force)[3],
                                double *scratch)
{
    rill_membrane_set s = {.elastic = *e,
                           .count = 1,
                           .vertices = e->vertex_count,
                           .x = (double(*)[3])x,
                           .force = force,
                           .held = (double(*)[2])scratch};
    s.area = (double(*)[3])(scratch + 2);
    s.curved = (double(*)[2])(s.area + e->vertex_count);
    s.angle = (double *)(s.curved + e->vertex_count);
    return s;
}

uint64_t rill_elastic_scratch(const rill_elastic *e)
{
    return 2 + 5 * (uint64_t)e->vertex_count + e->edge_count;
}

rill_status rill_elastic_pull(const rill_device *device, const rill_membrane_set *s)
{
    rill_status status = RILL_OK;
    const rill_elastic_options *o = &s->elastic.options;
    if (o->area > 0 || o->volume > 0) RILL_TRY(rill_membrane_sum_up(device, RILL_MEMBRANE_HELD, s));
    if (o->bending > 0) {
        RILL_TRY(rill_membrane_do(device, RILL_MEMBRANE_ANGLE, s, NULL));
        RILL_TRY(rill_membrane_do(device, RILL_MEMBRANE_BEND, s, NULL));
    }
    status = rill_membrane_do(device, RILL_MEMBRANE_PULL, s, NULL);
done:
    return status;
}

void rill_elastic_force(const rill_elastic *e, const double (*x)[3], double (*force)[3], double *scratch)
{
    const rill_membrane_set s = single(e, x, force, scratch);
    rill_elastic_pull(NULL, &s);
}

double rill_elastic_energy(const rill_elastic *e, const double (*x)[3], double *scratch)
{
    const rill_membrane_set s = single(e, x, NULL, scratch);
    const rill_elastic_options *o = &e->options;
    double energy = 0;
    for (uint32_t t = 0; t < e->triangle_count; t++) {
        const uint32_t *corner = e->triangles[t];
        const rill_corner c = rill_corner_of(x[corner[0]], x[corner[1]], x[corner[2]]);
        double force[2][3];
        energy += rill_strain_of(e, t, &c, force);
    }
    rill_membrane_do(NULL, RILL_MEMBRANE_ANGLE, &s, NULL);
    for (uint32_t v = 0; v < e->vertex_count; v++) {
        double curved[2];
        rill_curved_of(e, x, s.angle, v, curved);
        const double more = curved[0] / curved[1] - e->curvature[v];
        energy += 2 * o->bending * more * more * curved[1];
    }
    rill_membrane_sum_up(NULL, RILL_MEMBRANE_HELD, &s);
    const double stretched = s.held[0][0] - e->area, swollen = s.held[0][1] - e->volume;
    return energy + o->area * stretched * stretched / e->area / 2 +
           o->volume * swollen * swollen / e->volume / 2;
}

/* Find what a mesh is at rest. */
static rill_status rest_find(const rill_membrane_mesh *mesh, rill_elastic *e)
{
    rill_status status = RILL_OK;
    const double(*x)[3] = (const double(*)[3])mesh->vertices;
    double *scratch = NULL;
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        const rill_corner c = rill_corner_of(x[corner[0]], x[corner[1]], x[corner[2]]);
        double g[3];
        rill_metric_of(&c, g);
        const double det = g[0] * g[2] - g[1] * g[1];
        e->inverse[t][0] = g[2] / det;
        e->inverse[t][1] = -g[1] / det;
        e->inverse[t][2] = g[0] / det;
        e->rest[t] = sqrt(det) / 2;
    }
    RILL_TRY(rill_array_create(rill_elastic_scratch(e), sizeof *scratch, what, (void **)&scratch));
    const rill_membrane_set s = single(e, x, NULL, scratch);
    rill_membrane_do(NULL, RILL_MEMBRANE_ANGLE, &s, NULL);
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double curved[2];
        rill_curved_of(e, x, s.angle, v, curved);
        e->curvature[v] = e->options.flat ? 0 : curved[0] / curved[1];
    }
    rill_membrane_sum_up(NULL, RILL_MEMBRANE_HELD, &s);
    e->area = s.held[0][0];
    e->volume = s.held[0][1];
done:
    rill_array_destroy(scratch);
    return status;
}

rill_status rill_elastic_create(const rill_membrane_mesh *mesh, const rill_elastic_options *options,
                                rill_elastic *out)
{
    rill_status status = RILL_OK;
    rill_elastic e = {.vertex_count = mesh->vertex_count,
                      .triangle_count = mesh->triangle_count,
                      .edge_count = mesh->edge_count,
                      .triangles = (const uint32_t(*)[3])mesh->triangles,
                      .edges = (const uint32_t(*)[4])mesh->edges,
                      .options = *options};
    RILL_TRY(check(options));
    RILL_TRY(rill_array_create(e.triangle_count, sizeof *e.inverse, what, (void **)&e.inverse));
    RILL_TRY(rill_array_create(e.triangle_count, sizeof *e.rest, what, (void **)&e.rest));
    RILL_TRY(rill_array_create(e.vertex_count, sizeof *e.curvature, what, (void **)&e.curvature));
    RILL_TRY(ring_make(mesh->triangles[0], 3 * (uint64_t)e.triangle_count, e.vertex_count, &e.corners));
    RILL_TRY(ring_make(mesh->edges[0], 4 * (uint64_t)e.edge_count, e.vertex_count, &e.hinges));
    RILL_TRY(rest_find(mesh, &e));
    *out = e;
    e = (rill_elastic){0};
done:
    rill_elastic_destroy(&e);
    return status;
}

void rill_elastic_destroy(rill_elastic *e)
{
    rill_array_destroy(e->inverse);
    rill_array_destroy(e->rest);
    rill_array_destroy(e->curvature);
    rill_array_destroy(e->corners.first);
    rill_array_destroy(e->corners.entry);
    rill_array_destroy(e->hinges.first);
    rill_array_destroy(e->hinges.entry);
    *e = (rill_elastic){0};
}

/* The arrays of a membrane at rest: where each is, and its bytes. */
enum { ARRAYS = 9 };

typedef struct array {
    size_t at; /* of the pointer */
    uint64_t bytes;
} array;

static void arrays_of(const rill_elastic *e, array out[ARRAYS])
{
    const uint64_t v = e->vertex_count, t = e->triangle_count, n = e->edge_count;
    const array all[ARRAYS] = {{offsetof(rill_elastic, triangles), t * sizeof *e->triangles},
                               {offsetof(rill_elastic, edges), n * sizeof *e->edges},
                               {offsetof(rill_elastic, corners.first), (v + 1) * sizeof(uint32_t)},
                               {offsetof(rill_elastic, corners.entry), 3 * t * sizeof(uint32_t)},
                               {offsetof(rill_elastic, hinges.first), (v + 1) * sizeof(uint32_t)},
                               {offsetof(rill_elastic, hinges.entry), 4 * n * sizeof(uint32_t)},
                               {offsetof(rill_elastic, inverse), t * sizeof *e->inverse},
                               {offsetof(rill_elastic, rest), t * sizeof *e->rest},
                               {offsetof(rill_elastic, curvature), v * sizeof *e->curvature}};
    memcpy(out, all, sizeof all);
}

static const void **array_at(rill_elastic *e, const array *a)
{
    return (const void **)(void *)((char *)e + a->at);
}

rill_status rill_elastic_send(const rill_elastic *elastic, rill_device *device, rill_elastic *out)
{
    rill_status status = RILL_OK;
    array all[ARRAYS];
    rill_elastic from = *elastic, sent = *elastic;
    arrays_of(elastic, all);
    for (int k = 0; k < ARRAYS; k++) *array_at(&sent, &all[k]) = NULL;
    for (int k = 0; k < ARRAYS; k++)
        RILL_TRY(rill_device_share(device, *array_at(&from, &all[k]), all[k].bytes, what,
                                   array_at(&sent, &all[k])));
    *out = sent;
    sent = (rill_elastic){0};
done:
    rill_elastic_leave(&sent, device);
    return status;
}

void rill_elastic_leave(rill_elastic *e, rill_device *device)
{
    array all[ARRAYS];
    arrays_of(e, all);
    for (int k = 0; k < ARRAYS; k++)
        if (*array_at(e, &all[k])) rill_device_release(device, *array_at(e, &all[k]));
    *e = (rill_elastic){0};
}

void rill_membrane_areas(const rill_membrane_mesh *mesh, const double (*x)[3], double (*area)[3])
{
    memset(area, 0, mesh->vertex_count * sizeof *area);
    for (uint32_t t = 0; t < mesh->triangle_count; t++) {
        const uint32_t *corner = mesh->triangles[t];
        double side[2][3], normal[3];
        for (int k = 0; k < 2; k++) rill_subtract(x[corner[k + 1]], x[corner[0]], side[k]);
        rill_cross(side[0], side[1], normal);
        for (int k = 0; k < 3; k++) rill_add_scaled(1.0 / 6, normal, area[corner[k]]);
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
        for (int k = 0; k < 3; k++) rill_subtract(x[corner[k]], at, p[k]);
        for (int a = 0; a < 3; a++) p[3][a] = p[0][a] + p[1][a] + p[2][a];
        for (int k = 0; k < 2; k++) rill_subtract(p[k + 1], p[0], side[k]);
        rill_cross(side[0], side[1], normal);
        const double volume = rill_dot(p[0], normal) / 6;
        shape.area += sqrt(rill_dot(normal, normal)) / 2;
        shape.volume += volume;
        rill_add_scaled(volume / 4, p[3], shape.centre);
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
