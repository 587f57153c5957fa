/* SPDX-License-Identifier: Apache-2.0 */
/* Finds runs of pore voxels, and rows whose runs touch. */
#include "geometry/voxels/runs.h"

#include <string.h>

/* A run begins and ends where the bit of a voxel differs from that of the voxel before. */
uint64_t rill_row_runs(const uint8_t *row, uint32_t nx, pore_run *runs, uint64_t *words)
{
    uint32_t *ends = runs ? &runs->start : NULL; /* of all runs: start, end, start, … */
    uint64_t count = 0, before = 0;
    for (uint32_t x = 0; x < nx; x += 64) {
        const uint64_t word = rill_voxels_word(row + x, nx - x < 64 ? nx - x : 64);
        uint64_t changes = word ^ (word << 1 | before);
        before = word >> 63;
        if (!ends) {
            count += (uint64_t)__builtin_popcountll(changes);
            continue;
        }
        words[x / 64] = word;
        for (; changes; changes &= changes - 1) ends[count++] = x + (uint32_t)__builtin_ctzll(changes);
    }
    if (count % 2 == 0) return count / 2;
    if (ends) ends[count] = nx;
    return (count + 1) / 2;
}

void rill_plane_copy(const pore_plane *from, uint32_t rows, pore_plane *to)
{
    memcpy(to->row, from->row, ((size_t)rows + 1) * sizeof *to->row);
    memcpy(to->runs, from->runs, from->row[rows] * sizeof *to->runs);
    memcpy(to->words, from->words, rows * from->row_words * sizeof *to->words);
    to->before = from->before;
    to->z = from->z;
}

/* The rows between are (y, z of q) and (qy, z of p). What touches through one of them by faces, or where
 * REACH_SAME goes with REACH_BESIDE by edges, is connected. */
bool rill_rows_apart(const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy, unsigned reach)
{
    const size_t n = p->row_words;
    const uint64_t *a = p->words + y * n, *b = q->words + qy * n;
    const uint64_t *c = q->words + y * n, *d = p->words + qy * n;
    uint64_t any = 0;
    if (reach == REACH_SAME) {
        for (size_t k = 0; k < n; k++) any |= a[k] & b[k] & ~(c[k] | d[k]);
        return any;
    }
    if (!reach) return false;
    for (size_t k = 0; k < n; k++) {
        const uint64_t low = k > 0 ? b[k - 1] >> 63 : 0, high = k + 1 < n ? b[k + 1] << 63 : 0;
        const uint64_t beside = b[k] << 1 | b[k] >> 1 | low | high;
        any |= reach == REACH_BESIDE ? a[k] & beside : a[k] & (b[k] | beside) & ~(c[k] | d[k]);
    }
    return any;
}
