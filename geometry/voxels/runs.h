/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file runs.h
 * Runs of pore voxels along x, and which runs of two rows that are next to each other touch: through faces,
 * edges or corners of voxels.
 */
#ifndef RILL_GEOMETRY_VOXELS_RUNS_H
#define RILL_GEOMETRY_VOXELS_RUNS_H

#include "geometry/voxels/planes.h"

/** Pore voxels start <= x < end of one row. */
typedef struct pore_run {
    uint32_t start, end;
} pore_run;

/** The runs of one plane of constant z. */
typedef struct pore_plane {
    pore_run *runs;   /**< in order of y, then x */
    uint64_t *row;    /**< [ny + 1], the first run of each row */
    uint64_t *words;  /**< [ny][row_words], the same as bits */
    size_t row_words; /**< see rill_planes_row() */
    uint64_t before;  /**< runs in the planes before: adding it makes the number of a run */
    uint32_t nx, z;
} pore_plane;

/** Voxels of two rows that touch: those of the same x, those whose x differs by 1. */
enum { REACH_SAME = 1, REACH_BESIDE = 2 };

/**
 * Find the runs of a row.
 * @param[out] runs   NULL to count them
 * @param[out] words  the row as bits; NULL where runs is
 */
uint64_t rill_row_runs(const uint8_t *row, uint32_t nx, pore_run *runs, uint64_t *words);

/** Copy a plane of so many rows into one that has room for it. */
void rill_plane_copy(const pore_plane *from, uint32_t rows, pore_plane *to);

/** Whether two runs touch. Runs that overlap have voxels whose x differs by 1 unless both are one voxel. */
static inline bool rill_runs_touch(pore_run a, pore_run b, unsigned reach)
{
    const uint32_t more = reach >> 1;
    if (!(a.start < b.end + more && b.start < a.end + more)) return false;
    return reach != REACH_BESIDE || a.start != b.start || a.end != b.end || a.end - a.start > 1;
}

/** Go on to the pair of runs that may touch next. */
static inline void rill_rows_next(const pore_plane *p, const pore_plane *q, uint64_t *i, uint64_t *j)
{
    if (p->runs[*i].end < q->runs[*j].end)
        ++*i;
    else
        ++*j;
}

/** Find the first pair of runs from i and j on that touch. @return false where there is none */
static inline bool rill_rows_touch(const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy,
                                   unsigned reach, uint64_t *i, uint64_t *j)
{
    const uint64_t i_end = p->row[y + 1], j_end = q->row[qy + 1];
    while (*i < i_end && *j < j_end) {
        if (rill_runs_touch(p->runs[*i], q->runs[*j], reach)) return true;
        rill_rows_next(p, q, i, j);
    }
    return false;
}

/** Find the run at the first or the last voxel of a row. @return false where that is solid */
static inline bool rill_row_end(const pore_plane *p, uint32_t y, bool high, uint64_t *i)
{
    const uint32_t x = high ? p->nx - 1 : 0;
    if (!(p->words[y * p->row_words + x / 64] >> x % 64 & 1)) return false;
    *i = high ? p->row[y + 1] - 1 : p->row[y];
    return true;
}

/**
 * Return whether voxels of two rows that are next to each other along y and z may touch that are not
 * connected through the two rows between: what is the case in few rows of a rock.
 */
bool rill_rows_apart(const pore_plane *p, uint32_t y, const pore_plane *q, uint32_t qy, unsigned reach);

#endif
