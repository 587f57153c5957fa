/* SPDX-License-Identifier: Apache-2.0 */
/* The plane, the area and the perimeter of a boundary loop. */
#include "geometry/surface/openings.h"

#include "core/memory.h"
#include "core/status.h"

#include <math.h>

void rill_outline_measure(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count, rill_outline *out)
{
    double middle[3] = {0}, vector[3] = {0}, moment[3] = {0}, sum = 0;
    *out = (rill_outline){.box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}};
    for (uint32_t k = 0; k < count; k++)
        for (int a = 0; a < 3; a++) {
            const double x = mesh->vertices[vertices[k]][a];
            middle[a] += x / count;
            out->box[0][a] = fmin(out->box[0][a], x);
            out->box[1][a] = fmax(out->box[1][a], x);
        }
    for (int pass = 0; pass < 2; pass++) /* the vector area, then its centroid by signed parts of it */
        for (uint32_t k = 0; k < count; k++) {
            const double *x = mesh->vertices[vertices[k]], *y = mesh->vertices[vertices[(k + 1) % count]];
            double a[3], b[3], c[3];
            rill_subtract(x, middle, a);
            rill_subtract(y, middle, b);
            rill_cross(b, a, c);
            if (pass == 0) {
                double edge[3];
                rill_subtract(y, x, edge);
                out->perimeter += sqrt(rill_dot(edge, edge));
                for (int i = 0; i < 3; i++) vector[i] += c[i] / 2;
            } else {
                const double part = rill_dot(c, out->outward) / 2;
                sum += part;
                for (int i = 0; i < 3; i++) moment[i] += part * (a[i] + b[i]) / 3;
            }
            if (pass == 0 && k + 1 == count) {
                out->area = sqrt(rill_dot(vector, vector));
                for (int i = 0; i < 3 && out->area > 0; i++) out->outward[i] = vector[i] / out->area;
            }
        }
    for (int i = 0; i < 3; i++) out->centre[i] = middle[i] + (sum > 0 ? moment[i] / sum : 0);
    double square = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double *x = mesh->vertices[vertices[k]], *y = mesh->vertices[vertices[(k + 1) % count]];
        double a[3], b[3], edge[3];
        rill_subtract(x, out->centre, a);
        rill_subtract(y, out->centre, b);
        rill_subtract(y, x, edge);
        const double h = rill_dot(a, out->outward), i = rill_dot(b, out->outward);
        square += sqrt(rill_dot(edge, edge)) * (h * h + h * i + i * i) / 3;
    }
    out->off_plane = out->perimeter > 0 ? sqrt(square / out->perimeter) : 0;
}

/* ---- the perimeter of a jagged rim ------------------------------------------------------------ */

/* Deepest notch that is bridged, as a part of the root of the area. */
#define NOTCH 0.1

/* An outline on its plane; points that are left form a closed list. */
typedef struct ring {
    double (*x)[2];        /* [count] */
    uint32_t *next, *back; /* [count] */
    uint32_t count;
} ring;

static void ring_free(ring *r)
{
    rill_array_destroy(r->x);
    rill_array_destroy(r->next);
    rill_array_destroy(r->back);
}

/* Lay an outline on its plane, counter-clockwise. */
static rill_status ring_make(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count,
                             const rill_outline *o, ring *r)
{
    rill_status status = RILL_OK;
    static const char what[] = "an outline";
    double axis[3] = {0}, u[3], v[3];
    int least = 0;
    *r = (ring){.count = count};
    for (int a = 1; a < 3; a++)
        if (fabs(o->outward[a]) < fabs(o->outward[least])) least = a;
    axis[least] = 1;
    rill_cross(o->outward, axis, u);
    const double size = sqrt(rill_dot(u, u));
    for (int a = 0; a < 3; a++) u[a] /= size;
    rill_cross(u, o->outward, v); /* loops run clockwise around the outward normal */
    RILL_TRY(rill_array_create(count, sizeof *r->x, what, (void **)&r->x));
    RILL_TRY(rill_array_create(count, sizeof *r->next, what, (void **)&r->next));
    RILL_TRY(rill_array_create(count, sizeof *r->back, what, (void **)&r->back));
    for (uint32_t k = 0; k < count; k++) {
        double d[3];
        rill_subtract(mesh->vertices[vertices[k]], o->centre, d);
        r->x[k][0] = rill_dot(d, u);
        r->x[k][1] = rill_dot(d, v);
        r->next[k] = (k + 1) % count;
        r->back[k] = (k + count - 1) % count;
    }
done:
    if (status != RILL_OK) ring_free(r);
    return status;
}

/* Twice the area of a triangle, above 0 where its corners are counter-clockwise. */
static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Whether a notch between two points is at most so deep: all that was left out between them counts. */
static bool is_shallow(const ring *r, uint32_t from, uint32_t to, double depth)
{
    const double *a = r->x[from], *b = r->x[to], length = hypot(b[0] - a[0], b[1] - a[1]);
    for (uint32_t k = (from + 1) % r->count; k != to; k = (k + 1) % r->count) {
        const double off =
            length > 0 ? fabs(turn(a, b, r->x[k])) / length : hypot(r->x[k][0] - a[0], r->x[k][1] - a[1]);
        if (off > depth) return false;
    }
    return true;
}

/* Leave out points where the outline bends right, until only deep notches are left. */
static void bridge(ring *r, double depth)
{
    uint32_t left = r->count, at = 0;
    for (uint32_t unchanged = 0; unchanged <= left && left > 3;) {
        const uint32_t back = r->back[at], next = r->next[at];
        if (turn(r->x[back], r->x[at], r->x[next]) > 0 || !is_shallow(r, back, next, depth)) {
            unchanged++;
            at = next;
            continue;
        }
        r->next[back] = next;
        r->back[next] = back;
        left--;
        unchanged = 0;
        at = back; /* which may bend right now */
    }
    for (uint32_t k = 0; k < r->count; k++) /* the list that is left begins at `at` */
        r->back[k] = k == at;
}

rill_status rill_outline_smooth(const rill_mesh *mesh, const uint32_t *vertices, uint32_t count,
                                rill_outline *outline)
{
    ring r;
    double area = 0, length = 0;
    uint32_t at = 0;
    if (!(outline->area > 0)) return RILL_OK;
    const rill_status status = ring_make(mesh, vertices, count, outline, &r);
    if (status != RILL_OK) return status;
    bridge(&r, NOTCH * sqrt(outline->area));
    while (!r.back[at]) at++;
    const uint32_t first = at;
    do {
        const double *a = r.x[at], *b = r.x[r.next[at]];
        area += (a[0] * b[1] - a[1] * b[0]) / 2;
        length += hypot(b[0] - a[0], b[1] - a[1]);
        at = r.next[at];
    } while (at != first);
    /* Bridges lead over the tips of jags. The smooth outline is a little within, and has the area of the rim:
     * by Steiner's formula a perimeter changes by 2 pi for a step inward, and the area by the perimeter. */
    if (length > 0) outline->perimeter = length - 2 * M_PI * (area - outline->area) / length;
    ring_free(&r);
    return RILL_OK;
}
