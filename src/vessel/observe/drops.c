/* SPDX-License-Identifier: Apache-2.0 */
/* Pressure drops between cross-sections, and planes across the vessel. */
#include "vessel/observe/drops.h"

#include "core/status.h"
#include "geometry/surface/mesh.h"

#include <math.h>
#include <string.h>

/* ---- planes across the vessel ----------------------------------------------------------------- */

/* Return how far a ray goes to a triangle; infinite when it misses it. Möller & Trumbore (1997),
 * doi:10.1080/10867651.1997.10487468. */
static double strike(const rill_surface *s, uint64_t triangle, const double x[3], const double along[3])
{
    const uint32_t *v = s->triangles[triangle];
    double e1[3], e2[3], p[3], q[3], from[3];
    rill_subtract(s->vertices[v[1]], s->vertices[v[0]], e1);
    rill_subtract(s->vertices[v[2]], s->vertices[v[0]], e2);
    rill_cross(along, e2, p);
    const double determinant = rill_dot(e1, p);
    if (determinant == 0) return INFINITY;
    rill_subtract(x, s->vertices[v[0]], from);
    const double u = rill_dot(from, p) / determinant;
    rill_cross(from, e1, q);
    const double w = rill_dot(along, q) / determinant, t = rill_dot(e2, q) / determinant;
    return u >= 0 && w >= 0 && u + w <= 1 && t > 0 ? t : INFINITY;
}

/* Return the normal of the wall that a ray meets over its distance, of length 1 / distance; 0 without any. */
static void wall_normal(const rill_surface *s, const double x[3], const double along[3], double normal[3])
{
    double nearest = INFINITY, e1[3], e2[3];
    uint64_t hit = 0;
    memset(normal, 0, 3 * sizeof *normal);
    for (uint64_t t = 0; t < s->triangle_count; t++) {
        if (s->removed && (s->removed[t] == RILL_WALL_REMOVED || s->removed[t] == RILL_WALL_WITHIN)) continue;
        const double way = strike(s, t, x, along);
        if (way < nearest) nearest = way, hit = t;
    }
    if (isinf(nearest)) return;
    rill_subtract(s->vertices[s->triangles[hit][1]], s->vertices[s->triangles[hit][0]], e1);
    rill_subtract(s->vertices[s->triangles[hit][2]], s->vertices[s->triangles[hit][0]], e2);
    rill_cross(e1, e2, normal);
    const double size = nearest * sqrt(rill_dot(normal, normal));
    for (int a = 0; a < 3; a++) normal[a] /= size;
}

void rill_plane_normal(const rill_geom *geom, const rill_case_plane *plane, double normal[3])
{
    enum { RAYS = 128, ROUNDS = 200 };
    const double golden = M_PI * (3 - sqrt(5));
    double found[RAYS][3], sums[3][3] = {{0}};
    memcpy(normal, plane->normal, sizeof plane->normal);
    if (rill_dot(normal, normal) > 0) return;
#pragma omp parallel for schedule(dynamic, 4)
    for (int k = 0; k < RAYS; k++) { /* evenly over the sphere */
        const double z = 1 - (2 * k + 1.0) / RAYS, r = sqrt(1 - z * z);
        const double along[3] = {r * cos(golden * k), r * sin(golden * k), z};
        wall_normal(geom->surface, plane->centre, along, found[k]);
    }
    for (int k = 0; k < RAYS; k++) /* in order, so that the bits do not depend on threads */
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) sums[a][b] += found[k][a] * found[k][b];
    /* The eigenvector of the smallest eigenvalue: the largest of trace - sums. */
    const double trace = sums[0][0] + sums[1][1] + sums[2][2];
    double x[3] = {0.36, 0.48, 0.8};
    for (int round = 0; round < ROUNDS && trace > 0; round++) {
        double next[3];
        for (int a = 0; a < 3; a++) next[a] = trace * x[a] - rill_dot(sums[a], x);
        const double size = sqrt(rill_dot(next, next));
        for (int a = 0; a < 3; a++) x[a] = next[a] / size;
    }
    int most = 0;
    for (int a = 1; a < 3; a++)
        if (fabs(x[a]) > fabs(x[most])) most = a;
    for (int a = 0; a < 3; a++) normal[a] = x[most] < 0 ? -x[a] : x[a];
}

/* ---- drops ----------------------------------------------------------------------------------- */

static rill_status check_end(const rill_case *c, const rill_case_drop *d, const char *key, const char *name)
{
    for (int k = 0; k < c->output.plane_count; k++)
        if (strcmp(c->output.planes[k].name, name) == 0) return RILL_OK;
    for (int k = 0; k < c->end_count; k++)
        if (strcmp(c->ends[k].name, name) == 0) {
            if (c->ends[k].kind != RILL_END_WALL) return RILL_OK;
            return rill_fail(RILL_USAGE, "%s: drop %s: %s is %s, a wall, which has no pressure: name another",
                             c->path, d->name, key, name);
        }
    return rill_fail(
        RILL_USAGE,
        "%s: drop %s: %s is %s, which is none of output: planes and of the openings: name one of them, or add {%s: {centre: [x, y, z]}} to the planes",
        c->path, d->name, key, name, name);
}

rill_status rill_drops_check(const rill_case *given)
{
    rill_status status = RILL_OK;
    if (given->output.drop_count > RILL_DROPS)
        return rill_fail(RILL_USAGE, "%s: %d drops are more than %d: leave some out", given->path,
                         given->output.drop_count, RILL_DROPS);
    for (int k = 0; k < given->output.drop_count; k++) {
        const rill_case_drop *d = &given->output.drops[k];
        RILL_TRY(check_end(given, d, "from", d->from));
        RILL_TRY(check_end(given, d, "to", d->to));
    }
done:
    return status;
}

/* Return the series that a plane or an opening is in, and the column of its pressure. */
static const rill_record *series_of_name(const rill_vessel *v, const rill_record *openings,
                                         const rill_record *planes, const char *name, uint64_t *column)
{
    const rill_case *c = v->given;
    for (int k = 0; k < c->output.plane_count; k++) {
        if (strcmp(c->output.planes[k].name, name) != 0) continue;
        *column = 3 + 3 * (uint64_t)k;
        return planes;
    }
    int k = 0;
    while (k + 1 < v->plan.opening_count && strcmp(v->geom->surface->openings[k].name, name) != 0) k++;
    *column = 3 + 2 * (uint64_t)k;
    return openings;
}

static void compute(const rill_record *const records[2], const uint64_t columns[2], uint64_t rows,
                    double venous, rill_run_drop *out)
{
    double sums[2] = {0}, steps = 0;
    *out = (rill_run_drop){.from = NAN, .to = NAN, .low = INFINITY, .high = -INFINITY, .ratio = NAN};
    for (int e = 0; e < 2; e++) rows = records[e]->count < rows ? records[e]->count : rows;
    if (rows == 0) return;
    for (uint64_t back = rows; back > 0; back--) {
        double p[2], weight = 1;
        for (int e = 0; e < 2; e++) {
            const uint64_t row = records[e]->count - back;
            p[e] = rill_record_row(records[e], row)[columns[e]];
            weight =
                rill_record_row(records[e], row)[0] - (row > 0 ? rill_record_row(records[e], row - 1)[0] : 0);
        }
        for (int e = 0; e < 2; e++) sums[e] += weight * p[e];
        steps += weight;
        out->low = fmin(out->low, p[0] - p[1]);
        out->high = fmax(out->high, p[0] - p[1]);
    }
    out->from = sums[0] / steps;
    out->to = sums[1] / steps;
    out->ratio = out->from > venous ? (out->to - venous) / (out->from - venous) : NAN;
}

void rill_drops_compute(const rill_vessel *vessel, const rill_record *openings, const rill_record *planes,
                        uint64_t rows, rill_run_drop *out)
{
    for (int k = 0; k < vessel->given->output.drop_count; k++) {
        const rill_case_drop *d = &vessel->given->output.drops[k];
        uint64_t columns[2];
        const rill_record *const records[] = {series_of_name(vessel, openings, planes, d->from, &columns[0]),
                                              series_of_name(vessel, openings, planes, d->to, &columns[1])};
        compute(records, columns, rows, d->venous, &out[k]);
        out[k].name = d->name;
        out[k].from_name = d->from;
        out[k].to_name = d->to;
    }
}
