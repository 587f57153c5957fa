/* SPDX-License-Identifier: Apache-2.0 */
/* Wall shear on a ring of triangles around a pipe. */
#include "verify/vessel_shear.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/surface/mesh.h"
#include "vessel/wall/wall_shear.h"

#include <math.h>

rill_status rill_verify_vessel_ring(const rill_verify_vessel_pipe *pipe,
                                    const rill_verify_vessel_shape *shape)
{
    rill_status status = RILL_OK;
    rill_surface *s = shape->geom->surface;
    const uint32_t *n = shape->geom->n;
    const bool tilted = pipe->tilt[0] > 0;
    const uint32_t around = (uint32_t)ceil(4 * M_PI * pipe->radius);
    const double middle[3] = {n[0] / 2 + pipe->offset[0], n[1] / 2 + pipe->offset[1],
                              tilted ? n[2] / 2 : n[2] / 2.0};
    const double y[3] = {0, 1, 0}, *axis = shape->axis;
    double x[3]; /* x, y, axis: right-handed */
    rill_cross(y, axis, x);
    RILL_TRY(rill_array_create(2 * around, sizeof *s->vertices, "triangles", (void **)&s->vertices));
    RILL_TRY(rill_array_create(2 * around, sizeof *s->triangles, "triangles", (void **)&s->triangles));
    for (uint32_t k = 0; k < around; k++) {
        const double c = pipe->radius * cos(2 * M_PI * k / around),
                     d = pipe->radius * sin(2 * M_PI * k / around);
        const uint32_t next = (k + 1) % around;
        for (int a = 0; a < 3; a++)
            for (uint32_t end = 0; end < 2; end++)
                s->vertices[2 * k + end][a] = middle[a] + c * x[a] + d * y[a] + (end - 0.5) * axis[a];
        const uint32_t corners[2][3] = {{2 * k, 2 * next, 2 * next + 1}, {2 * k, 2 * next + 1, 2 * k + 1}};
        for (int t = 0; t < 2; t++)
            for (int v = 0; v < 3; v++) s->triangles[2 * k + (uint32_t)t][v] = corners[t][v];
    }
    s->vertex_count = s->triangle_count = 2 * around;
    shape->geom->spacing = 1; /* the triangles are in voxels */
done:
    return status;
}

rill_status rill_verify_vessel_shear_take(const rill_verify_vessel_shape *shape, rill_domain *domain,
                                          rill_sim *sim, double nu, double exact,
                                          rill_verify_vessel_shear_found *out)
{
    rill_status status = RILL_OK;
    rill_wall_shear wall = {0};
    rill_sample *sample = NULL;
    double *values = NULL, wrong = 0, all = 0, sum = 0;
    float(*found)[3] = NULL;
    RILL_TRY(rill_wall_shear_make(domain, true, &wall));
    if (wall.missing > 0)
        RILL_TRY(rill_fail(RILL_NUMERICS, "%llu triangles on the wall of a pipe find no fluid",
                           (unsigned long long)wall.missing));
    RILL_TRY(rill_array_create(10 * wall.node_count, sizeof *values, "stresses", (void **)&values));
    RILL_TRY(rill_array_create(wall.triangle_count, sizeof *found, "wall shear", (void **)&found));
    RILL_TRY(rill_sim_sample_create(sim, wall.nodes, wall.node_count, &sample));
    RILL_TRY(rill_sim_sample_take(sim, sample, values));
    rill_wall_shear_take(&wall, values, nu, 1 / exact, found);
    for (uint64_t t = 0; t < wall.triangle_count; t++) {
        for (int a = 0; a < 3; a++) {
            wrong += wall.area[t] * pow((double)found[t][a] - shape->axis[a], 2);
            sum += wall.area[t] * (double)found[t][a] * shape->axis[a];
        }
        all += wall.area[t];
    }
    *out = (rill_verify_vessel_shear_found){sum / all, sqrt(wrong / all)};
done:
    rill_sample_destroy(sample);
    rill_array_destroy(values);
    rill_array_destroy(found);
    rill_wall_shear_free(&wall);
    return status;
}
