/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node_groups.h
 * How a GPU thread steps a group of nodes where density and momentum are stored, see rill_arrays.lanes: four
 * nodes read 16 rows of cells instead of 36. Of each row it loads the cell with its own x alone; what comes
 * from those before and behind the lanes beside have at hand, and a shuffle is one number instead of four. On
 * a GPU loads that are not aligned limit a step of single nodes. Additions are those of rill_stored_step(),
 * in the same order, so that results have the same bits.
 */
#ifndef RILL_KERNEL_NODE_GROUPS_H
#define RILL_KERNEL_NODE_GROUPS_H

#include "kernel/node_macroscopic.h"

/** A group and what its thread knows of it. */
typedef struct rill_group {
    uint32_t word, bit, nodes; /**< of its first cell; bits of nodes to step */
    rill_stored own[RILL_GROUP_CELLS], sums[RILL_GROUP_CELLS];
    rill_node number[RILL_GROUP_CELLS];
    uint32_t beside[RILL_GROUP_CELLS]; /**< bits of the cells before, at and behind */
} rill_group;

/** A row of cells of a group or beside it: what its cell with the group's x has stored. */
typedef struct rill_group_row {
    rill_stored stored;
    uint32_t beside;
    rill_node number;
} rill_group_row;

/** Load a row; of a solid cell something that nobody uses. */
template <class P>
static __device__ __forceinline__ rill_group_row rill_group_load(const rill_arrays *arrays,
                                                                 const rill_group *group, const int dy,
                                                                 const int dz)
{
    rill_group_row row;
    const rill_word w =
        arrays->words[group->word + (uint32_t)dy * arrays->row + (uint32_t)dz * arrays->plane];
    constexpr int rows = rill_stream_rows(P::lattice, P::stream);
    row.number = w.base + rill_window_below(w.window, group->bit);
    row.beside = w.window >> (group->bit - 1u);
    const rill_scalar *at = (const rill_scalar *)arrays->populations + (size_t)row.number * rows;
    if constexpr (rows == 4 && sizeof(rill_scalar) == 4) {
        const float4 four = __ldg((const float4 *)at);
        row.stored.row[0] = four.x;
        row.stored.row[1] = four.y;
        row.stored.row[2] = four.z;
        row.stored.row[3] = four.w;
    } else {
        RILL_UNROLL
        for (int r = 0; r < rows; r++) row.stored.row[r] = at[r];
    }
    return row;
}

/** Let node k of a group receive what comes from a row of cells dy, dz from the first. All lanes of a warp
 * come here. */
template <class P, int dy, int dz, int k>
static __device__ __forceinline__ void rill_group_receive(const rill_group_row *row, rill_group *group)
{
    constexpr int cy = k % RILL_GROUP_SIDE - dy, cz = k / RILL_GROUP_SIDE - dz;
    if constexpr (cy < -1 || cy > 1 || cz < -1 || cz > 1) return;
    rill_real came[3] = {0, 0, 0};
    bool any = false;
    RILL_UNROLL
    for (int i = 1; i < rill_q(P::lattice); i++) {
        if (rill_c(P::lattice, i, 1) != cy || rill_c(P::lattice, i, 2) != cz) continue;
        const int cx = rill_c(P::lattice, i, 0);
        const rill_real back = rill_stored_sent<P>(&group->own[k], rill_opposite(i));
        rill_real sent = rill_stored_sent<P>(&row->stored, i);
        if (cx > 0) sent = __shfl_up_sync(0xFFFFFFFFu, sent, 1);
        if (cx < 0) sent = __shfl_down_sync(0xFFFFFFFFu, sent, 1);
        came[1 - cx] = row->beside >> (1 - cx) & 1 ? sent : back;
        any = true;
    }
    if (any) rill_stored_add<P>(came, cy, cz, &group->sums[k]);
}

/** Let the nodes of a group receive what comes from row r of 4 x 4, and from those behind it. */
template <class P, int r>
static __device__ __forceinline__ void rill_group_rows(const rill_arrays *from, rill_group *group)
{
    constexpr int side = RILL_GROUP_SIDE + 2, dy = r % side - 1, dz = r / side - 1,
                  k = dy + RILL_GROUP_SIDE * dz;
    constexpr bool inner = dy >= 0 && dy < RILL_GROUP_SIDE && dz >= 0 && dz < RILL_GROUP_SIDE;
    rill_group_row row;
    if constexpr (inner)
        row = {group->own[k], group->beside[k], group->number[k]};
    else
        row = rill_group_load<P>(from, group, dy, dz);
    rill_group_receive<P, dy, dz, 0>(&row, group);
    rill_group_receive<P, dy, dz, 1>(&row, group);
    rill_group_receive<P, dy, dz, 2>(&row, group);
    rill_group_receive<P, dy, dz, 3>(&row, group);
    if constexpr (r + 1 < side * side) rill_group_rows<P, r + 1>(from, group);
}

/** Make the step of the nodes of a lane's group. All lanes of a warp come here. */
template <class P>
static __device__ __forceinline__ void rill_group_step(const rill_arrays *from, const rill_arrays *to,
                                                       const rill_rates *rates, const uint32_t lane)
{
    const uint32_t packed = from->lanes[lane];
    rill_group group;
    rill_stored old[RILL_GROUP_CELLS];
    group.word = from->lanes[from->warps * RILL_WARP + lane / RILL_WARP] + (packed >> RILL_LANE_WORD);
    group.bit = packed & ((1u << RILL_LANE_NODES) - 1);
    group.nodes = packed >> RILL_LANE_NODES & ((1u << RILL_GROUP_CELLS) - 1);
    RILL_UNROLL
    for (int k = 0; k < RILL_GROUP_CELLS; k++) {
        const rill_group_row row = rill_group_load<P>(from, &group, k % RILL_GROUP_SIDE, k / RILL_GROUP_SIDE);
        group.own[k] = row.stored;
        group.beside[k] = row.beside;
        group.number[k] = row.number;
        group.sums[k] = rill_stored_none();
    }
    rill_group_rows<P, 0>(from, &group);
    RILL_UNROLL
    for (int k = 0; k < RILL_GROUP_CELLS; k++) { /* before the first is written */
        old[k] = group.own[k];
        rill_stored_load<P>(to, group.number[k], rates->memory != 0 && group.nodes >> k & 1, &old[k]);
    }
    RILL_UNROLL
    for (int k = 0; k < RILL_GROUP_CELLS; k++) {
        const rill_stored next = rill_stored_relaxed<P>(rates, &group.own[k], &old[k], &group.sums[k]);
        if (group.nodes >> k & 1) rill_stored_put<P>(to, group.number[k], &next);
    }
}

#endif
