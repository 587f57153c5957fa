/* SPDX-License-Identifier: Apache-2.0 */
/* Interpolates between grids on processors; what a thread does is that of kernel/refine.h. */
#include "device/cpu.h"

#include "core/threads.h"

/* Rows that a thread takes at a time. */
enum { PIECE = 4 };

/* Two columns of a row: finer voxels side by side share them. */
typedef struct columns {
    const rill_refiner *refiner;
    rill_refine_row row;
    uint32_t at[2];
    rill_refine_column column[2];
} columns;

static rill_refine_column column(columns *c, uint32_t x)
{
    const size_t k = x % 2;
    if (c->at[k] != x) {
        c->at[k] = x;
        c->column[k] = rill_refine_column_of(c->refiner, &c->row, x);
    }
    return c->column[k];
}

static int64_t interpolate(columns *c, uint32_t x, rill_node node)
{
    if (!rill_refine_counts(c->refiner, node)) return 0;
    const rill_refine_column near = column(c, rill_refine_voxel(c->refiner, 0, x, false)),
                             far = column(c, rill_refine_voxel(c->refiner, 0, x, true));
    return rill_refine_node(c->refiner, &near, &far, node);
}

static void rows(const void *shared, uint64_t first, uint64_t end)
{
    const rill_refiner *r = shared;
    const rill_build_cells *cells = &r->fine.cells;
    for (uint64_t k = first; k < end; k++) {
        columns c = {r, rill_refine_row_of(r, r->first_row + k), {UINT32_MAX, UINT32_MAX}, {{0}}};
        int64_t sum = 0;
        if (!rill_refine_row_counts(r, &c.row)) continue;
        for (size_t w = 0; w < r->fine.row_words; w++) {
            rill_node node = cells->base[c.row.line + w];
            for (uint64_t left = cells->occupied[c.row.line + w]; left; left &= left - 1, node++)
                sum += interpolate(&c, (uint32_t)(64 * w) + (uint32_t)__builtin_ctzll(left), node);
        }
        if (!r->moments) r->sums[k] += sum;
    }
}

void rill_cpu_refine(const rill_refiner *refiner) { rill_threads_for(refiner->rows, PIECE, rows, refiner); }
