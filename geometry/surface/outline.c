/* SPDX-License-Identifier: Apache-2.0 */
/* The plane, the area and the perimeter of a boundary loop. */
#include "geometry/surface/openings.h"

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
