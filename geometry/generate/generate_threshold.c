/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The level of a field at which a given share of the voxels lies below it, found by counting: the upper
 * half of the keys first, then the lower half of those at the level (radix selection). Nothing is sorted.
 */
#include "core/memory.h"
#include "core/status.h"
#include "geometry/generate/generate_priv.h"

#include <math.h>
#include <omp.h>
#include <string.h>

enum { bins = 65536 };

/** A field and where its level is sought. */
typedef struct field {
    const uint32_t *n;
    rill_generate_row_fn row;
    const void *context;
    uint32_t *keys; /* [threads][nx] */
} field;

static uint32_t *row_of(const field *f, int thread, uint32_t y, uint32_t z)
{
    uint32_t *keys = f->keys + (uint64_t)thread * f->n[0];
    f->row(f->context, y, z, keys);
    return keys;
}

/**
 * Count the keys by 16 of their bits.
 * @param[in]  upper  -1: by the upper half; else by the lower half of those whose upper half is this
 * @param[out] count  [bins]
 */
static rill_status histogram(const field *f, int64_t upper, uint64_t *count)
{
    rill_status status = RILL_OK;
    uint64_t *part = NULL;
    const int threads = omp_get_max_threads();
    RILL_TRY(
        rill_array_create_zero((uint64_t)threads * bins, sizeof *part, "counts of levels", (void **)&part));
#pragma omp parallel for schedule(static) num_threads(threads)
    for (uint32_t z = 0; z < f->n[2]; z++) {
        uint64_t *mine = part + (uint64_t)omp_get_thread_num() * bins;
        for (uint32_t y = 0; y < f->n[1]; y++) {
            const uint32_t *keys = row_of(f, omp_get_thread_num(), y, z);
            for (uint32_t x = 0; x < f->n[0]; x++) {
                if (upper < 0)
                    mine[keys[x] >> 16]++;
                else if (keys[x] >> 16 == (uint32_t)upper)
                    mine[keys[x] & 0xffff]++;
            }
        }
    }
    memset(count, 0, bins * sizeof *count);
    for (int t = 0; t < threads; t++)
        for (int b = 0; b < bins; b++) count[b] += part[(size_t)t * bins + (size_t)b];
done:
    rill_array_destroy(part);
    return status;
}

/** Return the bin in which the rank lies, and make the rank one within that bin. */
static uint32_t locate(const uint64_t *count, uint64_t *rank)
{
    uint32_t bin = 0;
    while (bin < bins - 1 && *rank >= count[bin]) *rank -= count[bin++];
    return bin;
}

/** Make voxels below the level fluid, and the first `ties` of those at it. @param[in,out] at_level  [nz] */
static void cut(const field *f, rill_geom *geom, uint32_t level, uint64_t ties, uint64_t *at_level)
{
    const uint64_t slice = (uint64_t)f->n[0] * f->n[1];
#pragma omp parallel for schedule(static)
    for (uint32_t z = 0; z < f->n[2]; z++) {
        uint64_t found = 0;
        for (uint32_t y = 0; y < f->n[1]; y++) {
            const uint32_t *keys = row_of(f, omp_get_thread_num(), y, z);
            uint8_t *voxels = geom->voxels + z * slice + (uint64_t)y * f->n[0];
            for (uint32_t x = 0; x < f->n[0]; x++) {
                voxels[x] = keys[x] < level ? RILL_FLUID : RILL_SOLID;
                found += keys[x] == level;
            }
        }
        at_level[z] = found;
    }
    for (uint32_t z = 0; z < f->n[2] && ties > 0; z++)
        for (uint32_t y = 0; at_level[z] > 0 && y < f->n[1] && ties > 0; y++) {
            const uint32_t *keys = row_of(f, 0, y, z);
            for (uint32_t x = 0; x < f->n[0] && ties > 0; x++)
                if (keys[x] == level) {
                    geom->voxels[z * slice + (uint64_t)y * f->n[0] + x] = RILL_FLUID;
                    ties--;
                }
        }
}

/** Return how many voxels at the level to take, all or none: whichever is nearer and leaves both phases. */
static uint64_t whole_level(uint64_t wanted, uint64_t at_level, uint64_t below, uint64_t voxels)
{
    if (below == 0) return at_level;
    if (below + at_level == voxels) return 0;
    return 2 * wanted < at_level ? 0 : at_level;
}

rill_status rill_generate_threshold(rill_geom *geom, double porosity, bool split, rill_generate_row_fn row,
                                    const void *context)
{
    rill_status status = RILL_OK;
    const uint64_t voxels = rill_geom_voxels(geom), fluid = (uint64_t)floor(porosity * (double)voxels + 0.5);
    field f = {geom->n, row, context, NULL};
    uint64_t *count = NULL, *at_level = NULL;
    if (fluid == 0 || fluid >= voxels)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "a porosity of %g leaves %s voxel of %llu: change --porosity, or raise --size or --cells",
            porosity, fluid == 0 ? "no fluid" : "no solid", (unsigned long long)voxels));
    RILL_TRY(rill_array_create((uint64_t)omp_get_max_threads() * f.n[0], sizeof *f.keys, "rows",
                               (void **)&f.keys));
    RILL_TRY(rill_array_create(bins, sizeof *count, "counts of levels", (void **)&count));
    RILL_TRY(rill_array_create(f.n[2], sizeof *at_level, "counts of slices", (void **)&at_level));
    uint64_t rank = fluid; /* of the first voxel that is not fluid */
    RILL_TRY(histogram(&f, -1, count));
    const uint32_t upper = locate(count, &rank);
    RILL_TRY(histogram(&f, upper, count));
    const uint32_t lower = locate(count, &rank), level = upper << 16 | lower;
    /* `rank` of the voxels at the level are fluid, the rest of them not */
    if (!split) rank = whole_level(rank, count[lower], fluid - rank, voxels);
    cut(&f, geom, level, rank, at_level);
done:
    rill_array_destroy(at_level);
    rill_array_destroy(count);
    rill_array_destroy(f.keys);
    return status;
}
