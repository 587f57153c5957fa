/* SPDX-License-Identifier: Apache-2.0 */
/* Half of a torus and its developed flow. */
#include "verify/vessel_torus.h"

#include "core/memory.h"
#include "core/status.h"
#include "core/table.h"
#include "geometry/voxels/exact_walls.h"
#include "kernel/lattice.h"

#include <math.h>
#include <string.h>

#define BEND RILL_EXPECTED_BEND /* radius of the axis over that of the pipe */
#define STRAIGHT 6              /* length of the straight pipe, of r */

/* ---- the flow ---- */

/* Put a row of the table where it belongs. */
static rill_status row_take(const rill_table *table, int row, rill_verify_torus_flow *flow)
{
    rill_status status = RILL_OK;
    const char *what = table->cells[row * table->columns + 1];
    double i, j, value;
    RILL_TRY(rill_table_number(table, row, 2, &i));
    RILL_TRY(rill_table_number(table, row, 3, &j));
    RILL_TRY(rill_table_number(table, row, 4, &value));
    rill_verify_torus_field *field = strcmp(what, "along") == 0  ? &flow->along
                                     : strcmp(what, "away") == 0 ? &flow->away
                                     : strcmp(what, "up") == 0   ? &flow->up
                                                                 : NULL;
    double *wave = strcmp(what, "shear along") == 0    ? flow->shear_along
                   : strcmp(what, "shear around") == 0 ? flow->shear_around
                                                       : NULL;
    if (strcmp(what, "resistance") == 0)
        flow->resistance = value;
    else if (wave && i >= 0 && i < RILL_VERIFY_TORUS_WAVES)
        wave[(int)i] = value;
    else if (field && field->count < RILL_VERIFY_TORUS_TERMS && i >= 0 && j >= 0) {
        field->i[field->count] = (int)i;
        field->j[field->count] = (int)j;
        field->value[field->count++] = value;
    } else
        status = rill_fail(RILL_USAGE, "%s:%d: \"%.20s\" is none of its quantities, or one too many",
                           table->path, table->lines[row], what);
done:
    return status;
}

rill_status rill_verify_torus_read(double dean, rill_verify_torus_flow *out)
{
    rill_status status = RILL_OK;
    rill_table table;
    *out = (rill_verify_torus_flow){0};
    RILL_TRY(rill_table_read("torus", &table));
    for (int row = 0; row < table.rows; row++) {
        double number;
        RILL_TRY(rill_table_number(&table, row, 0, &number));
        if (number == dean) RILL_TRY(row_take(&table, row, out));
    }
    if (!(out->resistance > 0) || out->along.count == 0)
        RILL_TRY(rill_fail(RILL_USAGE, "%s has no flow at the Dean number %g", table.path, dean));
done:
    rill_table_free(&table);
    return status;
}

static double field_at(const rill_verify_torus_field *f, double x, double z)
{
    double sum = 0;
    for (int k = 0; k < f->count; k++) sum += f->value[k] * pow(x, f->i[k]) * pow(z, f->j[k]);
    return sum * fmax(1 - x * x - z * z, 0);
}

void rill_verify_torus_velocity(const rill_verify_torus_flow *flow, const double place[3], double u[3])
{
    const double c = cos(place[0]), s = sin(place[0]), along = field_at(&flow->along, place[1], place[2]),
                 away = field_at(&flow->away, place[1], place[2]);
    u[0] = away * c - along * s;
    u[1] = away * s + along * c;
    u[2] = field_at(&flow->up, place[1], place[2]);
}

void rill_verify_torus_shear(const rill_verify_torus_flow *flow, const double place[3], double shear[3])
{
    const double c = cos(place[0]), s = sin(place[0]), t = atan2(place[2], place[1]);
    double along = 0, around = 0;
    for (int k = 0; k < RILL_VERIFY_TORUS_WAVES; k++) {
        along += flow->shear_along[k] * cos(k * t);
        around += flow->shear_around[k] * sin(k * t);
    }
    shear[0] = -along * s - around * sin(t) * c;
    shear[1] = along * c - around * sin(t) * s;
    shear[2] = around * cos(t);
}

/* ---- the geometry ---- */

void rill_verify_torus_place(const rill_verify_torus *torus, const double position[3], double place[3])
{
    const double x = position[0] - torus->middle[0], y = position[1] - torus->middle[1];
    const bool straight = x < 0 && y < 0;
    place[0] = straight ? M_PI - y / (BEND * torus->r) : atan2(y, x);
    place[1] = (straight ? -x : hypot(x, y)) / torus->r - BEND;
    place[2] = (position[2] - torus->middle[2]) / torus->r;
}

static bool is_inside(const rill_verify_torus *torus, const double position[3])
{
    double place[3];
    rill_verify_torus_place(torus, position, place);
    return place[0] >= 0 && place[1] * place[1] + place[2] * place[2] < 1;
}

/* By bisection: the link ends outside. */
static double cut(void *context, const double x[3], const int c[3])
{
    double low = 0, high = 1;
    for (int k = 0; k < 40; k++) {
        const double middle = (low + high) / 2;
        double at[3];
        for (int a = 0; a < 3; a++) at[a] = x[a] - middle * c[a];
        *(is_inside(context, at) ? &low : &high) = middle;
    }
    return (low + high) / 2;
}

/* Links through the inlet are no walls. */
static void inlet_open(rill_verify_torus *t)
{
    rill_surface *s = t->geom->surface;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < s->wall_count; k++) {
        const double *place = t->places[s->walls[k].node];
        const double y = t->r * (BEND + place[1]) * sin(place[0]);
        if (place[0] < M_PI / 2 && y < 1 && rill_c(RILL_D3Q27, s->walls[k].direction, 1) > 0) continue;
        s->walls[kept++] = s->walls[k];
    }
    s->wall_count = kept;
}

rill_status rill_verify_torus_make(double r, rill_verify_torus *t)
{
    rill_status status = RILL_OK;
    const uint32_t wide = 2 * (uint32_t)ceil((BEND + 1) * r + 2), high = 2 * (uint32_t)ceil(r + 6);
    const uint32_t straight = (uint32_t)ceil(STRAIGHT * r), n[3] = {wide, straight + wide / 2, high};
    t->r = r;
    t->middle[0] = wide / 2 + 0.1; /* no symmetry of the lattice */
    t->middle[1] = straight;
    t->middle[2] = high / 2 + 0.36;
    RILL_TRY(rill_geom_create(n, &t->geom));
    const uint64_t voxels = rill_geom_voxels(t->geom);
    for (int a = 0; a < 3; a++) t->geom->sides[a] = RILL_WALL;
    for (int pass = 0; pass < 2; pass++) {
        rill_node node = 0;
        for (uint64_t v = 0; v < voxels; v++) {
            const double x[3] = {(double)(v % n[0]) + 0.5, (double)(v / n[0] % n[1]) + 0.5,
                                 (double)(v / n[0] / n[1]) + 0.5};
            if (!is_inside(t, x)) continue;
            t->geom->voxels[v] = RILL_FLUID;
            if (pass) rill_verify_torus_place(t, x, t->places[node]);
            node++;
        }
        t->nodes = node;
        if (!pass) RILL_TRY(rill_array_create(node, sizeof *t->places, "places", (void **)&t->places));
    }
    RILL_TRY(rill_exact_walls(t->geom, cut, t));
    inlet_open(t);
done:
    return status;
}

void rill_verify_torus_free(rill_verify_torus *t)
{
    rill_geom_destroy(t->geom);
    rill_array_destroy(t->places);
    *t = (rill_verify_torus){.geom = NULL};
}

rill_status rill_verify_torus_rings(rill_verify_torus *t)
{
    enum { RINGS = 7 };
    rill_status status = RILL_OK;
    rill_surface *s = t->geom->surface;
    const uint32_t count = 3 * (uint32_t)ceil(4 * t->r);
    RILL_TRY(rill_array_create(2 * RINGS * count, sizeof *s->vertices, "triangles", (void **)&s->vertices));
    RILL_TRY(rill_array_create(2 * RINGS * count, sizeof *s->triangles, "triangles", (void **)&s->triangles));
    for (uint32_t ring = 0; ring < RINGS; ring++)
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t first = 2 * ring * count, next = (k + 1) % count;
            const double around = 2 * M_PI * k / count, far = BEND + cos(around);
            for (uint32_t end = 0; end < 2; end++) {
                double *at = s->vertices[first + 2 * k + end];
                const double angle = M_PI / 3 * (1 + (double)ring / (RINGS - 1)) + (end - 0.5) / BEND / t->r;
                at[0] = t->middle[0] + t->r * far * cos(angle);
                at[1] = t->middle[1] + t->r * far * sin(angle);
                at[2] = t->middle[2] + t->r * sin(around);
            }
            const uint32_t corners[2][3] = {{2 * k, 2 * next + 1, 2 * next},
                                            {2 * k, 2 * k + 1, 2 * next + 1}};
            for (uint32_t h = 0; h < 2; h++)
                for (int v = 0; v < 3; v++) s->triangles[first + 2 * k + h][v] = first + corners[h][v];
        }
    s->vertex_count = s->triangle_count = 2 * RINGS * count;
    t->geom->spacing = 1; /* the triangles are in voxels */
done:
    return status;
}
