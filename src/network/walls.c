/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances of pore voxels from walls, counted in steps through faces: along x, run by run, then with those
 * along y, then z, each by two sweeps (Rosenfeld & Pfaltz 1968, doi:10.1016/0031-3203(68)90013-7). Planes and
 * rows of a sweep are worked on side by side.
 */
#include "core/memory.h"
#include "core/status.h"
#include "network/network.h"

#include <string.h>

enum { FAR = 255 };

/* Distances along a row: pore voxels first … end - 1 with solid ones, or the end of the row, on either side.
 */
static void row_measure(const uint8_t *voxels, uint32_t n, rill_side side, uint8_t *row)
{
    uint32_t lead = 0, tail = 0; /* pore voxels at its ends */
    while (lead < n && voxels[lead] >= RILL_FLUID) lead++;
    while (tail < n && voxels[n - 1 - tail] >= RILL_FLUID) tail++;
    if (lead == n && side != RILL_WALL) {
        memset(row, FAR, n);
        return;
    }
    memset(row, 0, n);
    /* Behind the ends of the box: how many steps more it is to a wall. */
    const uint32_t below = side == RILL_WALL       ? 0
                           : side == RILL_PERIODIC ? tail
                                                   : FAR,
                   above = side == RILL_WALL       ? 0
                           : side == RILL_PERIODIC ? lead
                                                   : FAR;
    for (uint32_t first = 0, end; first < n; first = end) {
        for (; first < n && voxels[first] < RILL_FLUID; first++) continue;
        for (end = first; end < n && voxels[end] >= RILL_FLUID; end++) continue;
        const uint32_t low = first == 0 ? below : 0, high = end == n ? above : 0;
        for (uint32_t x = first; x < end; x++) {
            const uint32_t left = low + x - first + 1, right = high + end - x;
            const uint32_t least = left < right ? left : right;
            row[x] = (uint8_t)(least < FAR ? least : FAR);
        }
    }
}

/* One more step than from `nearer`, where that is less than is known. @return whether there was less */
static bool sweep(uint8_t *row, const uint8_t *nearer, uint64_t count)
{
    uint8_t less = 0;
    for (uint64_t k = 0; k < count; k++) {
        const uint8_t step = (uint8_t)(nearer[k] + (nearer[k] < FAR));
        less |= step < row[k];
        row[k] = step < row[k] ? step : row[k];
    }
    return less;
}

/*
 * `n` rows of `count` voxels, `stride` apart: there and back, and round once more where the last meets the
 * first, as far as it changes anything.
 */
static void along(uint8_t *rows, uint64_t stride, uint64_t count, uint32_t n, rill_side side)
{
    const uint64_t round = (uint64_t)n - 1, sweeps = side == RILL_PERIODIC ? round + n : round;
    for (uint64_t k = 0; side == RILL_WALL && k < count; k++) {
        uint8_t *const ends[2] = {&rows[k], &rows[(n - 1) * stride + k]};
        for (int e = 0; e < 2; e++) *ends[e] = *ends[e] > 1 ? 1 : *ends[e];
    }
    for (uint64_t i = 0; i < sweeps; i++)
        if (!sweep(rows + (i + 1) % n * stride, rows + i % n * stride, count) && i >= round) break;
    for (uint64_t i = sweeps; i > 0; i--)
        if (!sweep(rows + (i - 1) % n * stride, rows + i % n * stride, count) && sweeps - i >= round) break;
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
        for (uint64_t y = 0; y < ny; y++) row_measure(voxels + y * nx, geom->n[0], side[0], plane + y * nx);
        along(plane, nx, nx, geom->n[1], side[1]);
    }
    enum { part = 1024 }; /* of a plane: with those of all planes it fits a cache */
    const uint64_t parts = (nx * ny + part - 1) / part;
#pragma omp parallel for schedule(static)
    for (uint64_t p = 0; p < parts; p++) {
        const uint64_t first = p * part, count = nx * ny - first < part ? nx * ny - first : part;
        along(distance + first, nx * ny, count, geom->n[2], side[2]);
    }
    *out = distance;
    return RILL_OK;
}
