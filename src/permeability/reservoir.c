/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the box of a sample between reservoirs, drives it, and finds the sample's nodes in it again. */
#include "permeability/reservoir.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/numbering.h"

#include <string.h>

/* Number of voxel (x, y, z) of the turned sample in the sample itself. */
static uint64_t voxel_of(const rill_reservoirs *r, const uint32_t turned[3], uint32_t x[3])
{
    const uint32_t *n = r->sample->n;
    for (int a = 0; a < 3; a++) x[(r->axis + 1 + a) % 3] = turned[a];
    return x[0] + n[0] * (x[1] + (uint64_t)n[1] * x[2]);
}

rill_status rill_reservoirs_create(const rill_geom *sample, int axis, uint32_t length, rill_reservoirs *out)
{
    rill_status status = RILL_OK;
    rill_reservoirs r = {.sample = sample, .axis = axis, .length = length};
    const uint32_t planes = sample->n[axis];
    uint32_t n[3], at[3], x[3];
    for (int a = 0; a < 3; a++) n[a] = sample->n[(axis + 1 + a) % 3];
    if (planes < 2)
        return rill_fail(RILL_USAGE,
                         "a sample of one plane along %c has no first and last one to take a pressure "
                         "drop between: drive it by a force",
                         rill_axis(axis));
    if (length < 1 || length > (UINT32_MAX - planes) / 2)
        return rill_fail(RILL_USAGE, "reservoirs of %u voxels do not fit: 1 to %u do", length,
                         (UINT32_MAX - planes) / 2);
    n[2] = planes + 2 * length;
    RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], "the sample between its reservoirs"));
    RILL_TRY(rill_geom_create(n, &r.geom));
    for (int a = 0; a < 2; a++) r.geom->sides[a] = sample->sides[(axis + 1 + a) % 3];
    r.geom->sides[2] = RILL_WALL;
    const uint64_t plane = (uint64_t)n[0] * n[1], end = rill_geom_voxels(r.geom);
    r.front = plane * length;
    memset(r.geom->voxels, RILL_FLUID, r.front);
    memset(r.geom->voxels + end - r.front, RILL_FLUID, r.front);
    uint8_t *voxel = r.geom->voxels + r.front;
    for (at[2] = 0; at[2] < planes; at[2]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[0] = 0; at[0] < n[0]; at[0]++, voxel++) {
                const bool fluid = sample->voxels[voxel_of(&r, at, x)] >= RILL_FLUID;
                *voxel = fluid ? RILL_FLUID : RILL_SOLID;
                r.nodes += fluid;
                if (at[2] == 0) r.planes[0] += fluid;
                if (at[2] == planes - 1) r.planes[1] += fluid;
            }
    if (r.planes[0] == 0 || r.planes[1] == 0) {
        status = rill_fail(RILL_NUMERICS,
                           "the %s plane along %c has no pore, so nothing flows: crop it, or choose "
                           "another axis",
                           r.planes[0] ? "last" : "first", rill_axis(axis));
        goto done;
    }
    *out = r;
    r.geom = NULL;
done:
    rill_geom_destroy(r.geom);
    return status;
}

void rill_reservoirs_destroy(rill_reservoirs *r)
{
    rill_geom_destroy(r->geom);
    memset(r, 0, sizeof *r);
}

static rill_status hold(const rill_domain *domain, rill_sim *sim, int end, double density)
{
    rill_status status = RILL_OK;
    rill_boundary *face = NULL;
    int patch;
    RILL_TRY(rill_boundary_create_face(domain, 2, end, &face));
    RILL_TRY(rill_boundary_set_density(face, density));
    RILL_TRY(rill_sim_boundary_add(sim, face, &patch));
done:
    rill_boundary_destroy(face);
    return status;
}

rill_status rill_reservoirs_drive(const rill_reservoirs *r, const rill_domain *domain, rill_sim *sim,
                                  double drop)
{
    rill_status status = RILL_OK;
    double *moments = NULL;
    const size_t nodes = rill_domain_nodes(domain);
    const uint64_t plane = (uint64_t)r->geom->n[0] * r->geom->n[1];
    const double planes = r->sample->n[r->axis];
    RILL_TRY(hold(domain, sim, -1, drop / 2));
    RILL_TRY(hold(domain, sim, 1, -drop / 2));
    RILL_TRY(rill_array_create_zero(4 * (uint64_t)nodes, sizeof *moments, "moments", (void **)&moments));
    size_t node = 0;
    for (uint64_t v = 0; v < rill_geom_voxels(r->geom); v++) {
        if (r->geom->voxels[v] < RILL_FLUID) continue;
        const double way = ((double)(v / plane) + 0.5 - r->length) / planes;
        moments[node++] = drop * (0.5 - (way < 0 ? 0 : way > 1 ? 1 : way));
    }
    RILL_TRY(rill_sim_set_moments(sim, moments, moments + nodes));
done:
    rill_array_destroy(moments);
    return status;
}

rill_status rill_reservoirs_drop(const rill_reservoirs *r, rill_sim *sim, double *drop)
{
    rill_status status = RILL_OK;
    double *rho = NULL, mean[2] = {0, 0};
    const uint64_t largest = r->planes[0] > r->planes[1] ? r->planes[0] : r->planes[1];
    const uint64_t first[2] = {r->front, r->front + r->nodes - r->planes[1]};
    RILL_TRY(rill_array_create(largest, sizeof *rho, "the density of a plane", (void **)&rho));
    for (int e = 0; e < 2; e++) {
        RILL_TRY(rill_sim_moments(sim, (rill_node)first[e], (rill_node)r->planes[e], rho, NULL));
        for (uint64_t k = 0; k < r->planes[e]; k++) mean[e] += rho[k] / (double)r->planes[e];
    }
    *drop = mean[0] - mean[1];
done:
    rill_array_destroy(rho);
    return status;
}

rill_status rill_reservoirs_turn_back(const rill_reservoirs *r, const float *turned, float *moments)
{
    rill_status status = RILL_OK;
    rill_numbering numbering = {.occupied = NULL};
    const size_t nodes = (size_t)r->nodes;
    uint32_t at[3], x[3];
    size_t node = 0;
    RILL_TRY(rill_numbering_create(r->sample, &numbering));
    for (at[2] = 0; at[2] < r->sample->n[r->axis]; at[2]++)
        for (at[1] = 0; at[1] < r->geom->n[1]; at[1]++)
            for (at[0] = 0; at[0] < r->geom->n[0]; at[0]++) {
                if (r->sample->voxels[voxel_of(r, at, x)] < RILL_FLUID) continue;
                const size_t to = rill_numbering_node(&numbering, x[0], x[1], x[2]);
                moments[to] = turned[node];
                for (int a = 0; a < 3; a++)
                    moments[(size_t)(1 + (r->axis + 1 + a) % 3) * nodes + to] =
                        turned[(size_t)(1 + a) * nodes + node];
                node++;
            }
done:
    rill_numbering_destroy(&numbering);
    return status;
}
