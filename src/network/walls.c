/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances of pore voxels from walls, counted in steps through faces: along x, then with those along y, then
 * z, each by two sweeps (Rosenfeld & Pfaltz 1968, doi:10.1016/0031-3203(68)90013-7). Planes and rows of a
 * sweep are worked on side by side.
 */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <string.h>

enum { FAR = 255 };

/* One more step than from `nearer`, where that is less than is known. */
static void sweep(uint8_t *row, const uint8_t *nearer, uint64_t count)
{
    for (uint64_t k = 0; k < count; k++) {
        const uint8_t step = (uint8_t)(nearer[k] + (nearer[k] < FAR));
        row[k] = step < row[k] ? step : row[k];
    }
}

/* `n` rows of `count` voxels, `stride` apart: there and back, twice round where the last meets the first. */
static void along(uint8_t *rows, uint64_t stride, uint64_t count, uint32_t n, rill_side side)
{
    const uint64_t sweeps = side == RILL_PERIODIC ? 2 * (uint64_t)n - 1 : (uint64_t)n - 1;
    for (uint64_t k = 0; side == RILL_WALL && k < count; k++) {
        uint8_t *const ends[2] = {&rows[k], &rows[(n - 1) * stride + k]};
        for (int e = 0; e < 2; e++) *ends[e] = *ends[e] > 1 ? 1 : *ends[e];
    }
    for (uint64_t i = 0; i < sweeps; i++) sweep(rows + (i + 1) % n * stride, rows + i % n * stride, count);
    for (uint64_t i = sweeps; i > 0; i--) sweep(rows + (i - 1) % n * stride, rows + i % n * stride, count);
}

rill_status rill_network_walls(const rill_geom *geom, uint8_t **out)
{
    const uint64_t nx = geom->n[0], ny = geom->n[1], nz = geom->n[2];
    const rill_side *side = geom->sides;
    uint8_t *distance;
    const rill_status status = rill_array_create(nx * ny * nz, 1, "distances from walls", (void **)&distance);
    if (status != RILL_OK) return status;
#pragma omp parallel for schedule(static)
    for (uint64_t z = 0; z < nz; z++) {
        uint8_t *plane = distance + z * nx * ny;
        const uint8_t *voxels = geom->voxels + z * nx * ny;
        for (uint64_t k = 0; k < nx * ny; k++) plane[k] = voxels[k] >= RILL_FLUID ? FAR : 0;
        for (uint64_t y = 0; y < ny; y++) along(plane + y * nx, 1, 1, geom->n[0], side[0]);
        along(plane, nx, nx, geom->n[1], side[1]);
    }
    enum { part = 4096 }; /* of a plane */
    const uint64_t parts = (nx * ny + part - 1) / part;
#pragma omp parallel for schedule(static)
    for (uint64_t p = 0; p < parts; p++) {
        const uint64_t first = p * part, count = nx * ny - first < part ? nx * ny - first : part;
        along(distance + first, nx * ny, count, geom->n[2], side[2]);
    }
    *out = distance;
    return RILL_OK;
}
