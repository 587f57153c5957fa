/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the box of a sample between reservoirs, drives it, and finds the sample's nodes in it again. */
#include "permeability/reservoir.h"

#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "geometry/voxels/planes.h"
#include "kernel/lattice.h"
#include "sim/sim.h"

#include <string.h>

/* Return where voxel (x, y, z) of the rotated sample is in the sample itself. */
static void voxel_of(const rill_reservoirs *r, const uint32_t turned[3], uint32_t x[3])
{
    for (int a = 0; a < 3; a++) x[(r->axis + 1 + a) % 3] = turned[a];
}

bool rill_reservoirs_turn(const rill_reservoirs *r) { return r->geom && r->axis != 2; }

uint64_t rill_reservoirs_bytes(const rill_reservoirs *r)
{
    if (!r->geom) return 0;
    return rill_planes_held(r->geom->n, rill_planes_keeper(r->geom->planes));
}

/* See the planes of the sample that planes of z of the box need: the same, or all of a rotated one. */
static rill_status sample_see(const rill_reservoirs *r, const rill_window *box, rill_window *sample)
{
    const uint32_t planes = r->sample->n[r->axis], end = box->first + box->count;
    if (rill_reservoirs_turn(r))
        return sample->voxels ? RILL_OK : rill_window_see(sample, 0, r->sample->n[2]);
    const uint32_t first = box->first < r->length ? r->length : box->first,
                   behind = end > r->length + planes ? r->length + planes : end;
    return first < behind ? rill_window_see(sample, first - r->length, behind - first) : RILL_OK;
}

/* Fill plane z of the box, and count the nodes of the sample. */
static void plane_fill(rill_reservoirs *r, const rill_window *sample, const rill_window *box, uint32_t z)
{
    const uint32_t *n = r->geom->n, planes = r->sample->n[r->axis];
    uint8_t *voxel = rill_window_row(box, 0, z);
    uint32_t at[3] = {0, 0, z - r->length}, x[3];
    uint64_t nodes = 0;
    if (z < r->length || at[2] >= planes) {
        memset(voxel, RILL_FLUID, (uint64_t)n[0] * n[1]);
        return;
    }
    for (at[1] = 0; at[1] < n[1]; at[1]++)
        for (at[0] = 0; at[0] < n[0]; at[0]++, voxel++) {
            voxel_of(r, at, x);
            const bool fluid = rill_window_row(sample, x[1], x[2])[x[0]] >= RILL_FLUID;
            *voxel = fluid ? RILL_FLUID : RILL_SOLID;
            nodes += fluid;
        }
    r->nodes += nodes;
    if (at[2] == 0) r->planes[0] = nodes;
    if (at[2] == planes - 1) r->planes[1] = nodes;
}

/* Fill the box, some planes at a time. */
static rill_status box_fill(rill_reservoirs *r)
{
    rill_status status = RILL_OK;
    rill_window sample = {.geom = r->sample}, box = {.geom = r->geom};
    const uint32_t nz = r->geom->n[2], most = rill_window_planes(r->geom);
    for (uint32_t first = 0, count; first < nz; first += count) {
        count = nz - first < most ? nz - first : most;
        RILL_TRY(rill_window_blank(&box, first, count));
        RILL_TRY(sample_see(r, &box, &sample));
        for (uint32_t z = first; z < first + count; z++) plane_fill(r, &sample, &box, z);
        RILL_TRY(rill_window_keep(&box, r->geom));
    }
done:
    rill_window_close(&sample);
    rill_window_close(&box);
    return status;
}

rill_status rill_reservoirs_create(const rill_geom *sample, int axis, uint32_t length, rill_reservoirs *out)
{
    rill_status status = RILL_OK;
    rill_reservoirs r = {.sample = sample, .axis = axis, .length = length};
    const uint32_t planes = sample->n[axis];
    uint32_t n[3];
    for (int a = 0; a < 3; a++) n[a] = sample->n[(axis + 1 + a) % 3];
    if (planes < 2)
        return rill_fail(
            RILL_USAGE,
            "a pressure drop along %c needs a sample of at least two planes, and this has one: drive it by a force",
            rill_axis(axis));
    if (length < 1 || length > (UINT32_MAX - planes) / 2)
        return rill_fail(RILL_USAGE, "reservoirs of %u voxels do not fit: use 1 to %u", length,
                         (UINT32_MAX - planes) / 2);
    n[2] = planes + 2 * length;
    const rill_keeper *keeper = rill_planes_keeper(sample->planes);
    if (!keeper)
        RILL_TRY(rill_memory_require((uint64_t)n[0] * n[1] * n[2], "the sample between its reservoirs"));
    RILL_TRY(rill_geom_create_kept(n, keeper, &r.geom));
    for (int a = 0; a < 2; a++) r.geom->sides[a] = sample->sides[(axis + 1 + a) % 3];
    r.geom->sides[2] = RILL_WALL;
    r.front = (uint64_t)n[0] * n[1] * length;
    RILL_TRY(box_fill(&r));
    if (r.planes[0] == 0 || r.planes[1] == 0) {
        status = rill_fail(
            RILL_NUMERICS,
            "the %s plane along %c has no pore, so there is no flow: crop it, or choose another axis",
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

/* Two links that see each other are a pair; that along the normal is one alone. */
rill_attached_load rill_reservoirs_face(const rill_domain *box)
{
    const uint64_t nodes = (uint64_t)box->geom->n[0] * box->geom->n[1];
    uint64_t links = 0;
    for (int i = 1; i < rill_q((int)box->lattice); i++) links += rill_c((int)box->lattice, i, 2) > 0;
    return (rill_attached_load){.links = links * nodes, .nodes = nodes, .pairs = (links + 1) / 2 * nodes};
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
    enum { SLICE = 1 << 16 };
    rill_status status = RILL_OK;
    double *moments = NULL;
    const uint64_t nodes = rill_domain_nodes(domain);
    const double planes = r->sample->n[r->axis];
    uint32_t z = 0;
    RILL_TRY(hold(domain, sim, -1, drop / 2));
    RILL_TRY(hold(domain, sim, 1, -drop / 2));
    RILL_TRY(rill_array_create_zero(4 * SLICE, sizeof *moments, "moments", (void **)&moments));
    for (uint64_t first = 0; first < nodes; first += SLICE) {
        const uint64_t count = nodes - first < SLICE ? nodes - first : SLICE;
        for (uint64_t k = 0; k < count; k++) {
            while (domain->numbering.before[z + 1] <= first + k) z++;
            const double way = ((double)z + 0.5 - r->length) / planes;
            moments[k] = drop * (0.5 - (way < 0 ? 0 : way > 1 ? 1 : way));
        }
        RILL_TRY(rill_sim_set_moments_of(sim, first, count, moments, moments + SLICE));
    }
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
        RILL_TRY(rill_sim_moments(sim, first[e], r->planes[e], rho, NULL));
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
                voxel_of(r, at, x);
                if (!rill_numbering_has(&numbering, x[0], x[1], x[2])) continue;
                const size_t to = rill_numbering_rank(&numbering, x[0], x[1], x[2]);
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
