/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file refine.h
 * Moments of nodes, interpolated from those of a grid whose voxels are twice as large: linearly along each
 * axis, where the nearer of two coarser voxels counts three quarters. What a processor thread and a device
 * thread do is this; backends drive it (device/refine.c, cuda/refine.cu).
 */
#ifndef RILL_KERNEL_REFINE_H
#define RILL_KERNEL_REFINE_H

#include "kernel/build.h"
#include "kernel/sums.h"

/** Voxels of a grid, and the numbers of its nodes in some planes; see domain/layers.h. Of a finer grid of
 * more nodes than 32 bits number these are the low 32 bits, and so are those of a refiner. */
typedef struct rill_refine_grid {
    rill_build_cells cells; /**< [planes][ny][row_words] */
    uint32_t n[3];          /**< voxels along x, y, z */
    uint32_t ny;            /**< rows of a plane, with those behind the voxels */
    size_t row_words;
    uint32_t first, planes; /**< planes that are numbered: planes around the box follow each other */
    uint32_t box;           /**< planes of the whole, which is periodic */
} rill_refine_grid;

/** What is interpolated, and from what: pointers are those of the backend. */
typedef struct rill_refiner {
    rill_refine_grid fine, coarse;
    bool periodic[3]; /**< else the last voxel along an axis stands for that behind it */
    const void *flow; /**< [4][room] rho - 1 and u of successive nodes of the coarser grid */
    bool wide;        /**< of double, not of float */
    size_t room;
    rill_node flow_first; /**< the first of them; the first node of all comes behind the last one */
    uint64_t flow_nodes;  /**< nodes of the whole coarser grid */
    int axis;
    double u_scale, rho_scale;
    uint64_t first_row, rows; /**< rows y + ny z of the finer grid's voxels to go through */
    rill_node first, count;   /**< finer nodes that are interpolated, as far as they lie in these rows */
    double *moments;          /**< [4][count] for rho - 1 and u; NULL: u along the axis is summed instead */
    int64_t *sums;            /**< [rows] in units of 1 / RILL_SUM_UNIT, added to */
} rill_refiner;

/** Return where row y of plane z begins among the words that a grid has. */
RILL_FN size_t rill_refine_line(const rill_refine_grid *grid, const uint32_t y, const uint32_t z)
{
    const uint32_t plane = z - grid->first + (z < grid->first ? grid->box : 0);
    return ((size_t)plane * grid->ny + y) * grid->row_words;
}

/** Return the nearer, or the farther one, of two coarser voxels around voxel x of an axis. */
RILL_FN uint32_t rill_refine_voxel(const rill_refiner *r, const int axis, const uint32_t x,
                                   const bool farther)
{
    const uint32_t n = r->coarse.n[axis], near = x / 2;
    if (!farther) return near;
    if (x % 2) return near + 1 < n ? near + 1 : r->periodic[axis] ? 0 : near;
    return near > 0 ? near - 1 : r->periodic[axis] ? n - 1 : 0;
}

/** A row of the finer grid. */
typedef struct rill_refine_row {
    size_t line;           /**< where it begins */
    size_t around[4];      /**< where coarser rows around it begin */
    rill_node first, last; /**< its nodes first … last - 1 */
} rill_refine_row;

/** Look at row k of all. */
RILL_FN rill_refine_row rill_refine_row_of(const rill_refiner *r, const uint64_t k)
{
    const uint32_t y = (uint32_t)(k % r->fine.n[1]), z = (uint32_t)(k / r->fine.n[1]);
    rill_refine_row row;
    row.line = rill_refine_line(&r->fine, y, z);
    RILL_UNROLL
    for (int i = 0; i < 4; i++)
        row.around[i] = rill_refine_line(&r->coarse, rill_refine_voxel(r, 1, y, i % 2),
                                         rill_refine_voxel(r, 2, z, i / 2));
    const size_t end = row.line + r->fine.row_words - 1;
    row.first = r->fine.cells.base[row.line];
    row.last = r->fine.cells.base[end] + rill_build_popcount(r->fine.cells.occupied[end]);
    return row;
}

/** Return whether any of its nodes is interpolated. */
RILL_FN bool rill_refine_row_counts(const rill_refiner *r, const rill_refine_row *row)
{
    const rill_node nodes = row->last - row->first;
    return nodes > 0 && (row->first - r->first < r->count || r->first - row->first < nodes);
}

/** Return one of the moments of the coarser node that the flow has at k. */
RILL_FN float rill_refine_moment(const rill_refiner *r, const int m, const size_t k)
{
    const size_t at = (size_t)m * r->room + k;
    return r->wide ? (float)((const double *)r->flow)[at] : ((const float *)r->flow)[at];
}

/** Sums over the four coarser voxels at one x around a row. */
typedef struct rill_refine_column {
    float pores;      /**< of weights, in pores */
    float moments[4]; /**< of rho - 1 and u, or of u along the axis alone */
} rill_refine_column;

/** Sum up the coarser voxels at x around a row. */
RILL_FN rill_refine_column rill_refine_column_of(const rill_refiner *r, const rill_refine_row *row,
                                                 const uint32_t x)
{
    rill_refine_column sums = {0, {0, 0, 0, 0}};
    RILL_UNROLL
    for (int i = 0; i < 4; i++) {
        if (!rill_build_has(&r->coarse.cells, row->around[i], x)) continue;
        const float weight = (i % 2 ? 0.25f : 0.75f) * (i / 2 ? 0.25f : 0.75f);
        const rill_node node = rill_build_rank(&r->coarse.cells, row->around[i], x);
        const size_t k = node >= r->flow_first ? node - r->flow_first : node + r->flow_nodes - r->flow_first;
        if (!r->moments) {
            sums.moments[0] += weight * rill_refine_moment(r, 1 + r->axis, k);
            continue;
        }
        sums.pores += weight;
        RILL_UNROLL
        for (int m = 0; m < 4; m++) sums.moments[m] += weight * rill_refine_moment(r, m, k);
    }
    return sums;
}

/** Return whether a node is interpolated. */
RILL_FN bool rill_refine_counts(const rill_refiner *r, const rill_node node)
{
    return node - r->first < r->count;
}

/** Interpolate a node between the nearer and the farther column of coarser voxels. u is 0 in solid voxels,
 * rho - 1 the mean of the pores. @return what is added to the sum of the row, where sums are taken */
RILL_FN int64_t rill_refine_node(const rill_refiner *r, const rill_refine_column *near,
                                 const rill_refine_column *far, const rill_node node)
{
    float m[4];
    RILL_UNROLL
    for (int a = 0; a < 4; a++) m[a] = 0.75f * near->moments[a] + 0.25f * far->moments[a];
    if (!r->moments) return rill_sum_units((double)m[0]);
    const float pores = 0.75f * near->pores + 0.25f * far->pores;
    const size_t n = node - r->first;
    r->moments[n] = pores > 0 ? r->rho_scale * (double)(m[0] / pores) : 0;
    RILL_UNROLL
    for (int a = 1; a < 4; a++) r->moments[(size_t)a * r->count + n] = r->u_scale * (double)m[a];
    return 0;
}

#endif
