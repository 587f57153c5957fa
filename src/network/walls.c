/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Distances of pore voxels from walls, counted in steps through faces: along x, run by run, then with those
 * along y, then z, each by two sweeps (Rosenfeld & Pfaltz 1968, doi:10.1016/0031-3203(68)90013-7). Planes and
 * rows of a sweep are worked on side by side.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"
#include "network/network.h"

#include <string.h>

enum { FAR = 255 };

/* Distances from walls on either side, for runs that are no longer than REACH: VECTOR voxels at a time. */
enum { REACH = 512, VECTOR = 16 };
typedef struct ramps {
    uint8_t up[REACH + VECTOR];   /* 1, 2, 3, …, FAR, FAR, … */
    uint8_t down[REACH + VECTOR]; /* …, FAR, FAR, …, 3, 2, 1, and 0 from REACH on */
} ramps;

static ramps ramps_make(void)
{
    ramps r;
    for (int k = 0; k < REACH + VECTOR; k++) {
        r.up[k] = (uint8_t)(k + 1 < FAR ? k + 1 : FAR);
        r.down[k] = (uint8_t)(k >= REACH ? 0 : REACH - k < FAR ? REACH - k : FAR);
    }
    return r;
}

/* Distances in a run of pore whose walls are `low` steps farther away than its first voxel says, and `high`
 * than its last. @param room  voxels up to the end of the row: solid ones behind the run stay 0 */
static void run_measure(const ramps *r, uint32_t low, uint32_t length, uint32_t high, uint32_t room,
                        uint8_t *run)
{
    const uint32_t whole = (length + VECTOR - 1) / VECTOR * VECTOR;
    if (whole > room || low + whole > REACH || length + high > REACH) {
        for (uint32_t k = 0; k < length; k++) {
            const uint32_t left = low + k + 1, right = high + length - k;
            const uint32_t least = left < right ? left : right;
            run[k] = (uint8_t)(least < FAR ? least : FAR);
        }
        return;
    }
    const uint8_t *up = r->up + low, *down = r->down + (REACH - high - length);
    for (uint32_t first = 0; first < whole; first += VECTOR)
        for (uint32_t k = first; k < first + VECTOR; k++) run[k] = up[k] < down[k] ? up[k] : down[k];
}

/* Distances along a row: pore voxels first … end - 1 with solid ones, or the end of the row, on either side.
 */
static void row_measure(const ramps *r, const uint8_t *voxels, uint32_t n, rill_side side, uint8_t *row)
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
    uint64_t before = 0; /* whether the voxel before is pore */
    for (uint32_t x = 0, first = 0; x < n; x += 64) {
        const uint64_t word = rill_voxels_word(voxels + x, n - x < 64 ? n - x : 64);
        for (uint64_t changes = word ^ (word << 1 | before); changes; changes &= changes - 1) {
            const uint32_t at = x + (uint32_t)__builtin_ctzll(changes);
            before ^= 1;
            if (before)
                first = at;
            else
                run_measure(r, first == 0 ? below : 0, at - first, at == n ? above : 0, n - first,
                            row + first);
        }
        if (before && n - x <= 64)
            run_measure(r, first == 0 ? below : 0, n - first, above, n - first, row + first);
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

/* Measure along x and y in a plane. @return the largest distance */
static uint8_t plane_measure(const ramps *r, const rill_geom *geom, const uint8_t *voxels, uint8_t *plane)
{
    const uint64_t nx = geom->n[0], ny = geom->n[1];
    uint8_t most = 0;
    for (uint64_t y = 0; y < ny; y++)
        row_measure(r, voxels + y * nx, geom->n[0], geom->sides[0], plane + y * nx);
    along(plane, nx, nx, geom->n[1], geom->sides[1]);
    for (uint64_t k = 0; k < nx * ny; k++) most = plane[k] > most ? plane[k] : most;
    return most;
}

/* Measure in planes, which may lie before or behind the box. @return in `most` the largest distance */
static rill_status planes_measure(rill_window *w, int64_t first, uint32_t count, uint8_t *distance,
                                  uint8_t *most)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = w->geom;
    const int64_t nz = geom->n[2];
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const ramps r = ramps_make();
    uint8_t largest = 0;
    for (uint32_t k = 0, some; k < count; k += some) {
        const int64_t at = first + k, z = (at % nz + nz) % nz;
        const bool inside = at >= 0 && at < nz;
        some = (uint32_t)(count - k < nz - z ? count - k : nz - z);
        if (!inside && geom->sides[2] != RILL_PERIODIC) {
            if (at < 0 && (int64_t)some > -at) some = (uint32_t)-at;
            memset(distance + k * plane, 0, some * plane);
            continue;
        }
        if (some > rill_window_planes(geom)) some = rill_window_planes(geom);
        RILL_TRY(rill_window_see(w, (uint32_t)z, some));
#pragma omp parallel for schedule(static) reduction(max : largest)
        for (uint32_t p = 0; p < some; p++) {
            const uint8_t here = plane_measure(&r, geom, w->voxels + p * plane, distance + (k + p) * plane);
            largest = here > largest ? here : largest;
        }
    }
    *most = largest;
done:
    return status;
}

/* Sweep along z through planes that are no more than neighbours in a box of `side`s: parts of them, copied
 * side by side. In the planes themselves, a power of two bytes apart, they would share few lines of a cache.
 */
static void sweep_planes(const rill_geom *geom, uint8_t *distance, uint32_t count, rill_side side)
{
    enum { room = 1 << 16, most = 1024, least = 64 };
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const uint64_t fits = room / count, part = fits > most ? most : fits < least ? most : fits;
    const uint64_t parts = (plane + part - 1) / part;
    const bool copies = fits >= least;
#pragma omp parallel for schedule(static)
    for (uint64_t p = 0; p < parts; p++) {
        uint8_t copy[room];
        const uint64_t first = p * part, some = plane - first < part ? plane - first : part;
        if (!copies) {
            along(distance + first, plane, some, count, side);
            continue;
        }
        for (uint32_t k = 0; k < count; k++) memcpy(copy + k * some, distance + k * plane + first, some);
        along(copy, some, some, count, side);
        for (uint32_t k = 0; k < count; k++) memcpy(distance + k * plane + first, copy + k * some, some);
    }
}

/* Planes first … first + count - 1 of all, which are measured together. */
static rill_status whole_measure(rill_window *w, int64_t first, uint32_t count, uint8_t *distance)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = w->geom;
    const int64_t nz = geom->n[2];
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    uint8_t *all = distance, most;
    if (first != 0 || count != nz)
        RILL_TRY(rill_array_create(plane, (size_t)nz, "distances from walls", (void **)&all));
    RILL_TRY(planes_measure(w, 0, (uint32_t)nz, all, &most));
    sweep_planes(geom, all, (uint32_t)nz, geom->sides[2]);
    for (uint32_t k = 0; k < count && all != distance; k++) {
        const int64_t z = ((first + k) % nz + nz) % nz;
        const bool there = z == first + k || geom->sides[2] == RILL_PERIODIC;
        memcpy(distance + k * plane, all + z * plane, plane);
        if (!there) memset(distance + k * plane, 0, plane);
    }
done:
    if (all != distance) rill_array_destroy(all);
    return status;
}

/* The walls of some planes lie no farther away than in the plane itself: so few planes beside them matter. */
static rill_status some_measure(rill_window *w, int64_t first, uint32_t count, uint8_t reach,
                                uint8_t *distance)
{
    rill_status status = RILL_OK;
    const rill_geom *geom = w->geom;
    const int64_t nz = geom->n[2];
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    const bool round = geom->sides[2] == RILL_PERIODIC;
    const int64_t from = round || first > reach ? first - reach : 0,
                  end = round || first + count + reach < nz ? first + count + reach : nz;
    const int64_t skipped = first < from ? from - first : 0; /* planes that are not there */
    uint8_t *more = NULL, most;
    RILL_TRY(rill_array_create(plane, (size_t)(end - from), "distances from walls", (void **)&more));
    RILL_TRY(planes_measure(w, from, (uint32_t)(end - from), more, &most));
    for (uint64_t k = 0; k < plane && geom->sides[2] == RILL_WALL; k++) {
        uint8_t *low = more + k, *high = more + (uint64_t)(end - from - 1) * plane + k;
        if (from == 0 && *low > 1) *low = 1;
        if (end == nz && *high > 1) *high = 1;
    }
    sweep_planes(geom, more, (uint32_t)(end - from), RILL_MIRROR);
    memset(distance, 0, plane * count);
    for (int64_t k = skipped; k < count && first + k < end; k++)
        memcpy(distance + (uint64_t)k * plane, more + (uint64_t)(first + k - from) * plane, plane);
done:
    rill_array_destroy(more);
    return status;
}

rill_status rill_network_walls(const rill_geom *geom, int64_t first, uint32_t count, uint8_t **out)
{
    rill_status status = RILL_OK;
    const uint64_t plane = (uint64_t)geom->n[0] * geom->n[1];
    rill_window window = {.geom = geom};
    uint8_t *distance = NULL, reach = FAR;
    RILL_TRY(rill_array_create(plane, count, "distances from walls", (void **)&distance));
    if (count < geom->n[2]) RILL_TRY(planes_measure(&window, first, count, distance, &reach));
    RILL_TRY(count + 2 * (uint64_t)reach < geom->n[2] ? some_measure(&window, first, count, reach, distance)
                                                      : whole_measure(&window, first, count, distance));
    *out = distance;
    distance = NULL;
done:
    rill_window_close(&window);
    rill_array_destroy(distance);
    return status;
}
