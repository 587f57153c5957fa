/* SPDX-License-Identifier: Apache-2.0 */
/* Builds occupancy bitmaps and their ranks. */
#include "domain/numbering.h"

#include "core/memory.h"
#include "core/status.h"
#include "geometry/voxels/planes.h"

static size_t words_of(const rill_numbering *numbering)
{
    return numbering->row_words * numbering->n[1] * numbering->n[2];
}

/* Lay down the box of a geometry, without arrays. */
static rill_numbering box_of(const rill_geom *geom)
{
    rill_numbering numbering = {.occupied = NULL};
    for (int a = 0; a < 3; a++) numbering.n[a] = geom->n[a] + (geom->sides[a] == RILL_PERIODIC ? 0 : 1);
    numbering.row_words = rill_planes_row(numbering.n);
    return numbering;
}

uint64_t rill_numbering_bytes(const rill_geom *geom)
{
    const rill_numbering box = box_of(geom);
    return (uint64_t)words_of(&box) * (sizeof *box.occupied + sizeof *box.base);
}

uint64_t rill_numbering_held(const rill_geom *geom)
{
    return geom->planes ? ((uint64_t)geom->n[2] + 2) * sizeof(uint64_t) : rill_numbering_bytes(geom);
}

static rill_status arrays_create(rill_numbering *numbering)
{
    rill_status status = RILL_OK;
    const size_t words = words_of(numbering);
    RILL_TRY(rill_array_create_zero(words, sizeof(uint64_t), "the occupancy bitmap",
                                    (void **)&numbering->occupied));
    RILL_TRY(rill_array_create(words, sizeof(rill_node), "the node ranks", (void **)&numbering->base));
    RILL_TRY(rill_array_create((uint64_t)numbering->n[2] + 1, sizeof *numbering->before,
                               "the nodes of planes", (void **)&numbering->before));
done:
    return status;
}

/* Sum up what comes before each word: within parts first, then what comes before the parts. A plane begins in
 * the part of its first word. */
static void rank(rill_numbering *numbering)
{
    enum { parts = 1024 };
    uint64_t before[parts + 1] = {0};
    const size_t words = words_of(numbering), part = words / parts + 1,
                 plane = numbering->row_words * numbering->n[1];
#pragma omp parallel for schedule(static)
    for (int p = 0; p < parts; p++) {
        uint64_t count = 0;
        for (size_t w = p * part; w < (p + 1) * part && w < words; w++) {
            numbering->base[w] = (rill_node)count;
            if (w % plane == 0) numbering->before[w / plane] = count;
            count += (uint64_t)__builtin_popcountll(numbering->occupied[w]);
        }
        before[p + 1] = count;
    }
    for (int p = 0; p < parts; p++) before[p + 1] += before[p];
#pragma omp parallel for schedule(static)
    for (int p = 0; p < parts; p++)
        for (size_t w = p * part; w < (p + 1) * part && w < words; w++)
            numbering->base[w] += (rill_node)before[p];
    numbering->nodes = before[parts];
    for (uint32_t z = 0; z < numbering->n[2]; z++) numbering->before[z] += before[z * plane / part];
    numbering->before[numbering->n[2]] = numbering->nodes;
}

rill_status rill_numbering_begin(const uint32_t n[3], rill_numbering *out)
{
    rill_numbering numbering = {.n = {n[0], n[1], n[2]}, .row_words = rill_planes_row(n)};
    const rill_status status = arrays_create(&numbering);
    if (status == RILL_OK)
        *out = numbering;
    else
        rill_numbering_destroy(&numbering);
    return status;
}

void rill_numbering_finish(rill_numbering *numbering) { rank(numbering); }

/* So that coordinates can be stepped from without a look at their range. */
static rill_status size_check(const rill_geom *geom)
{
    for (int a = 0; a < 3; a++)
        if (geom->n[a] > INT32_MAX)
            return rill_fail(RILL_USAGE,
                             "%u voxels along %c are more than the 2147483647 that a row can have: crop",
                             geom->n[a], rill_axis(a));
    return RILL_OK;
}

rill_status rill_numbering_check_32(uint64_t nodes, const char *what)
{
    if (nodes <= RILL_UPSTREAM_WALL - 1u) return RILL_OK;
    return rill_fail(RILL_USAGE, "%llu fluid nodes are more than the 4294967294 that %s can number: crop",
                     (unsigned long long)nodes, what);
}

rill_status rill_numbering_check(const rill_numbering *numbering)
{
    rill_status status = RILL_OK;
    if (numbering->nodes == 0)
        return rill_fail(RILL_USAGE, "the geometry has no fluid voxel: check which grey values are pore");
    for (uint32_t z = 0; z < numbering->n[2]; z++)
        RILL_TRY(rill_numbering_check_32(numbering->before[z + 1] - numbering->before[z], "a plane"));
done:
    return status;
}

rill_status rill_numbering_create(const rill_geom *geom, rill_numbering *out)
{
    rill_status status = RILL_OK;
    rill_numbering numbering = box_of(geom);
    rill_window window = {.geom = geom};
    RILL_TRY(size_check(geom));
    RILL_TRY(arrays_create(&numbering));
    for (uint32_t end = 0; rill_window_next(&window, &end, &status);) {
#pragma omp parallel for collapse(2) schedule(static)
        for (uint32_t z = window.first; z < end; z++)
            for (uint32_t y = 0; y < geom->n[1]; y++) {
                const uint8_t *voxels = rill_window_row(&window, y, z);
                uint64_t *row = numbering.occupied + ((size_t)z * numbering.n[1] + y) * numbering.row_words;
                for (uint32_t first = 0; first < geom->n[0]; first += 64) {
                    const uint32_t cells = geom->n[0] - first < 64 ? geom->n[0] - first : 64;
                    row[first / 64] = rill_voxels_word(voxels + first, cells);
                }
            }
    }
    RILL_TRY(status);
    rank(&numbering);
    RILL_TRY(rill_numbering_check(&numbering));
    *out = numbering;
    numbering = (rill_numbering){.occupied = NULL};
done:
    rill_window_close(&window);
    rill_numbering_destroy(&numbering);
    return status;
}

rill_status rill_numbering_count(const rill_geom *geom, rill_numbering *out)
{
    rill_status status = RILL_OK;
    rill_numbering numbering = box_of(geom);
    RILL_TRY(size_check(geom));
    RILL_TRY(rill_array_create_zero((uint64_t)numbering.n[2] + 1, sizeof *numbering.before,
                                    "the nodes of planes", (void **)&numbering.before));
    for (uint32_t z = 0; z < numbering.n[2]; z++)
        numbering.before[z + 1] =
            numbering.before[z] + (z < geom->n[2] ? rill_planes_fluid(geom->planes, z) : 0);
    numbering.nodes = numbering.before[numbering.n[2]];
    RILL_TRY(rill_numbering_check(&numbering));
    *out = numbering;
    numbering = (rill_numbering){.occupied = NULL};
done:
    rill_numbering_destroy(&numbering);
    return status;
}

/* Add the cells of a row, moved by d = -1, 0, 1 along its periodic axis, to another row. */
static void row_add(const rill_numbering *numbering, const uint64_t *from, int d, uint64_t *to)
{
    const size_t words = numbering->row_words;
    const uint32_t last = numbering->n[0] - 1;
    for (size_t w = 0; w < words; w++) {
        uint64_t moved = from[w];
        if (d > 0) moved = from[w] << 1 | (w ? from[w - 1] >> 63 : from[last / 64] >> last % 64 & 1);
        if (d < 0) {
            moved = from[w] >> 1 | (w + 1 < words ? from[w + 1] << 63 : 0);
            if (w == last / 64) moved |= (from[0] & 1) << last % 64;
        }
        if (w == last / 64) moved &= ~(uint64_t)0 >> (63 - last % 64);
        to[w] |= moved;
    }
}

rill_status rill_numbering_ghosts(const rill_numbering *fluid, const int8_t (*offsets)[3], int count,
                                  rill_numbering *out)
{
    rill_status status = RILL_OK;
    rill_numbering ghosts = *fluid;
    ghosts.occupied = NULL, ghosts.base = NULL, ghosts.before = NULL;
    const uint32_t ny = fluid->n[1], nz = fluid->n[2];
    RILL_TRY(arrays_create(&ghosts));
#pragma omp parallel for collapse(2) schedule(static)
    for (uint32_t z = 0; z < nz; z++)
        for (uint32_t y = 0; y < ny; y++) {
            const size_t row = ((size_t)z * ny + y) * fluid->row_words;
            for (int k = 0; k < count; k++) {
                const uint32_t from_y = (y + ny - (uint32_t)offsets[k][1]) % ny,
                               from_z = (z + nz - (uint32_t)offsets[k][2]) % nz;
                row_add(fluid, fluid->occupied + ((size_t)from_z * ny + from_y) * fluid->row_words,
                        offsets[k][0], ghosts.occupied + row);
            }
            for (size_t w = 0; w < fluid->row_words; w++)
                ghosts.occupied[row + w] &= ~fluid->occupied[row + w];
        }
    rank(&ghosts);
    *out = ghosts;
    ghosts = (rill_numbering){.occupied = NULL};
done:
    rill_numbering_destroy(&ghosts);
    return status;
}

void rill_numbering_release(rill_numbering *numbering)
{
    rill_array_destroy(numbering->occupied);
    rill_array_destroy(numbering->base);
    numbering->occupied = NULL;
    numbering->base = NULL;
}

void rill_numbering_destroy(rill_numbering *numbering)
{
    rill_numbering_release(numbering);
    rill_array_destroy(numbering->before);
    numbering->before = NULL;
}

/* Return the last word whose number is not above a node's. */
static size_t word_of(const rill_numbering *numbering, rill_global_node node)
{
    const size_t plane = numbering->row_words * numbering->n[1];
    size_t low = 0, high = numbering->n[2];
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(numbering->before[middle] <= node ? &low : &high) = middle;
    }
    const rill_node within = (rill_node)(node - numbering->before[low]),
                    first = (rill_node)numbering->before[low];
    low *= plane, high = low + plane;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        *(numbering->base[middle] - first <= within ? &low : &high) = middle;
    }
    return low;
}

void rill_numbering_places(const rill_numbering *numbering, rill_global_node first, rill_node count,
                           uint32_t (*places)[3])
{
    size_t word = word_of(numbering, first);
    for (rill_node done = 0, skipped = (rill_node)first - numbering->base[word]; done < count; word++) {
        const size_t line = word / numbering->row_words;
        for (uint64_t left = numbering->occupied[word]; left && done < count; left &= left - 1) {
            if (skipped > 0) {
                skipped--;
                continue;
            }
            places[done][0] = (uint32_t)(word % numbering->row_words * 64) + (uint32_t)__builtin_ctzll(left);
            places[done][1] = (uint32_t)(line % numbering->n[1]);
            places[done++][2] = (uint32_t)(line / numbering->n[1]);
        }
    }
}

void rill_numbering_cells(const rill_numbering *numbering, rill_node first, rill_node count, rill_node *cells)
{
    size_t low = word_of(numbering, first);
    for (rill_node done = 0; done < count; low++) {
        const uint64_t line = low / numbering->row_words, x = low % numbering->row_words * 64;
        rill_node node = numbering->base[low];
        for (uint64_t left = numbering->occupied[low]; left && done < count; left &= left - 1, node++)
            if (node >= first)
                cells[done++] = (rill_node)(line * numbering->n[0] + x + (uint64_t)__builtin_ctzll(left));
    }
}
