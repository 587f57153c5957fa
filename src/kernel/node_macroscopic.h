/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file node_macroscopic.h
 * How a GPU thread steps, reads and writes its node where density and momentum are stored (RILL_MACROSCOPIC):
 * rows rho - 1 and 3 m, see stream.h. On a CPU src/cpu/lines.h and src/cpu/macroscopic.h do the same.
 *
 * The rows of a node lie together, so that a neighbour is one load of 16 bytes in single precision. Caches
 * serve most of them: of its 19 nodes a step reads one from memory.
 */
#ifndef RILL_KERNEL_NODE_MACROSCOPIC_H
#define RILL_KERNEL_NODE_MACROSCOPIC_H

#include "kernel/moments.h"
#include "kernel/node_cuda.h"

/** What is stored of a node. */
typedef struct rill_stored {
    rill_real row[4];
} rill_stored;

/** Return how many times the weight of the last velocity that of velocity i is. */
RILL_FN rill_scalar rill_weight_ratio(const int lattice, const int i)
{
    return (rill_scalar)rint(rill_w(lattice, i) / rill_w(lattice, rill_q(lattice) - 1));
}

/** Read a node where `open`, else leave what `stored` holds. */
template <class P>
static __device__ __forceinline__ void rill_stored_load(const rill_arrays *arrays, const rill_node n,
                                                        const bool open, rill_stored *stored)
{
    constexpr int rows = rill_stream_rows(P::lattice, P::stream);
    const rill_scalar *at = (const rill_scalar *)arrays->populations + (size_t)n * rows;
    if constexpr (rows == 4 && sizeof(rill_scalar) == 4) {
        auto *row = (float *)stored->row; /* without a branch, of which there would be eighteen */
        asm("{.reg .pred open;\n\tsetp.ne.u32 open, %4, 0;\n\t@open ld.global.v4.f32 {%0, %1, %2, %3}, [%5];}"
            : "+f"(row[0]), "+f"(row[1]), "+f"(row[2]), "+f"(row[3])
            : "r"((uint32_t)open), "l"(__cvta_generic_to_global(at)));
    } else if (open) {
        RILL_UNROLL
        for (int r = 0; r < rows; r++) stored->row[r] = at[r];
    }
}

/** Write a node. */
template <class P>
static __device__ __forceinline__ void rill_stored_put(const rill_arrays *arrays, const rill_node n,
                                                       const rill_stored *stored)
{
    constexpr int rows = rill_stream_rows(P::lattice, P::stream);
    rill_scalar *at = (rill_scalar *)arrays->populations + (size_t)n * rows;
    if constexpr (rows == 4 && sizeof(rill_scalar) == 4) {
        const auto *row = (const float *)stored->row;
        *(float4 *)at = make_float4(row[0], row[1], row[2], row[3]);
    } else {
        RILL_UNROLL
        for (int r = 0; r < rows; r++) at[r] = stored->row[r];
    }
}

/** Return a node that has nothing stored. */
RILL_FN rill_stored rill_stored_none(void)
{
    const rill_stored none = {{0, 0, 0, 0}};
    return none;
}

/** Return the population over w_i that leaves along velocity i. The x component comes last: what leaves
 * towards a row of cells has the rest in common. */
template <class P>
static __device__ __forceinline__ rill_real rill_stored_sent(const rill_stored *stored, const int i)
{
    rill_real sum = stored->row[0];
    RILL_UNROLL
    for (int k = 1; k <= rill_dimensions(P::lattice); k++) {
        const int a = k % rill_dimensions(P::lattice), c = rill_c(P::lattice, i, a);
        if (c) sum = c > 0 ? sum + stored->row[1 + a] : sum - stored->row[1 + a];
    }
    return sum;
}

/** Return density and momentum of a node between two steps, half the force included. */
template <class P>
static __device__ __forceinline__ rill_moments rill_stored_moments(const rill_arrays *arrays,
                                                                   const rill_rates *rates, const rill_node n)
{
    rill_stored stored = rill_stored_none();
    rill_moments m;
    rill_stored_load<P>(arrays, n, true, &stored);
    m.density = stored.row[0];
    for (int a = 0; a < 3; a++)
        m.momentum[a] =
            a < rill_dimensions(P::lattice) ? stored.row[1 + a] / 3 - (rill_scalar)0.5 * rates->force[a] : 0;
    return m;
}

/** Set a node to a density deviation and a velocity. @param add  a density, to what is there */
template <class P>
static __device__ __forceinline__ void rill_stored_set(const rill_arrays *arrays, const rill_rates *rates,
                                                       const rill_node n, const rill_real density,
                                                       const rill_real *velocity, const bool add)
{
    rill_stored stored = rill_stored_none();
    rill_stored_load<P>(arrays, n, add, &stored);
    stored.row[0] = stored.row[0] + density;
    for (int a = 0; a < 3 && !add; a++)
        stored.row[1 + a] = 3 * (velocity[a] + (rill_scalar)0.5 * rates->force[a]);
    rill_stored_put<P>(arrays, n, &stored);
}

/**
 * Add populations over w_i that have come from a row of cells, and c_i times these, in units of the last
 * weight.
 * @param came  from the cells before, at and behind that with the node's x
 * @param cy    y and z components of their velocities
 */
template <class P>
static __device__ __forceinline__ void rill_stored_add(const rill_real *came, const int cy, const int cz,
                                                       rill_stored *sums)
{
    rill_scalar oblique = 0, straight = 0;
    rill_real gain = 0;
    RILL_UNROLL
    for (int i = 1; i < rill_q(P::lattice); i++)
        if (rill_c(P::lattice, i, 1) == cy && rill_c(P::lattice, i, 2) == cz)
            (rill_c(P::lattice, i, 0) ? oblique : straight) = rill_weight_ratio(P::lattice, i);
    if (oblique) {
        gain = oblique * (came[0] + came[2]);
        sums->row[1] = sums->row[1] + oblique * (came[0] - came[2]);
    }
    if (straight) gain = oblique ? gain + straight * came[1] : straight * came[1];
    sums->row[0] = sums->row[0] + gain;
    if (cy) sums->row[2] = cy > 0 ? sums->row[2] + gain : sums->row[2] - gain;
    if (cz) sums->row[3] = cz > 0 ? sums->row[3] + gain : sums->row[3] - gain;
}

/** Where the cells before, at and behind a node's are in a row of cells beside it, with a bitmap. */
typedef struct rill_row_of_cells {
    rill_node number[3];
    uint32_t fluid; /**< bits 0 to 2 */
} rill_row_of_cells;

RILL_FN rill_row_of_cells rill_cells_of_row(const rill_arrays *arrays, const rill_place *place,
                                            const uint32_t k)
{
    const rill_word w = arrays->words[k];
    rill_row_of_cells row;
    row.fluid = w.window >> (place->bit - 1u);
    row.number[1] = w.base + rill_window_below(w.window, place->bit);
    row.number[0] = row.number[1] - 1;
    row.number[2] = row.number[1] + (row.fluid >> 1 & 1);
    if (place->first | place->last) { /* few rows of a warp end */
        if (place->first && row.fluid & 1) row.number[0] = rill_row_last(arrays, arrays->words, k);
        if (place->last && row.fluid & 4) row.number[2] = rill_row_first(arrays, arrays->words, k);
    }
    return row;
}

/** Return the population that arrives along velocity i: that of a node, or of the node itself, reflected at a
 * wall. */
template <class P>
static __device__ __forceinline__ rill_real rill_stored_take(const rill_arrays *arrays, const int i,
                                                             const rill_node number, const bool open,
                                                             const rill_stored *own)
{
    rill_stored from;
    from.row[0] = own->row[0];
    RILL_UNROLL
    for (int a = 0; a < 3; a++) from.row[1 + a] = -own->row[1 + a];
    rill_stored_load<P>(arrays, number, open, &from);
    return rill_stored_sent<P>(&from, i);
}

/** Return what becomes of a node that populations have come to. What is the same everywhere stays so, however
 * weights are rounded. @param old  what was stored a step earlier */
template <class P>
static __device__ __forceinline__ rill_stored rill_stored_relaxed(const rill_rates *rates,
                                                                  const rill_stored *own,
                                                                  const rill_stored *old,
                                                                  const rill_stored *sums)
{
    const double last = rill_w(P::lattice, rill_q(P::lattice) - 1);
    const rill_scalar rest = (rill_scalar)rint((1 - rill_w(P::lattice, 0)) / last),
                      still = (rill_scalar)rint(1 / (3 * last));
    rill_stored next;
    RILL_UNROLL
    for (int r = 0; r <= rill_dimensions(P::lattice); r++) {
        const rill_real back = rates->memory * (own->row[r] - old->row[r]);
        if (r == 0)
            next.row[0] = own->row[0] +
                          (rill_scalar)last * rates->relax_density * (sums->row[0] - rest * own->row[0]) +
                          back;
        else
            next.row[r] =
                own->row[r] +
                rates->relax_momentum * ((rill_scalar)(3 * last) * (sums->row[r] - still * own->row[r]) +
                                         3 * rates->force[r - 1]) +
                back;
    }
    return next;
}

/** Make the step of a node, one row of cells after the other: few numbers of neighbours are held at a time.
 */
template <class P>
static __device__ __forceinline__ void rill_stored_step(const rill_arrays *from, const rill_arrays *to,
                                                        const rill_rates *rates, const rill_node n)
{
    const rill_place place = rill_place_of(P::stream, P::addressing, from, n);
    rill_stored own = rill_stored_none(), sums = rill_stored_none();
    rill_stored_load<P>(from, n, true, &own);
    RILL_UNROLL
    for (int r = 0; r < 9; r++) {
        rill_row_of_cells cells;
        rill_real came[3] = {0, 0, 0};
        bool looked = false;
        RILL_UNROLL
        for (int i = 1; i < rill_q(P::lattice); i++) {
            if (rill_row_of<P>(i) != r) continue;
            const int at = rill_meeting(P::lattice, P::stream, i, 0) + 1;
            if (P::addressing == RILL_BITMAP) {
                if (!looked) cells = rill_cells_of_row(from, &place, rill_word_of_link<P>(from, &place, i));
                came[at] = rill_stored_take<P>(from, i, cells.number[at], cells.fluid >> at & 1, &own);
            } else {
                const rill_node number =
                    from->list[(size_t)rill_list_row(P::lattice, P::stream, i) * from->list_stride + n];
                came[at] = rill_stored_take<P>(from, i, number, number != RILL_UPSTREAM_WALL, &own);
            }
            looked = true;
        }
        if (looked) rill_stored_add<P>(came, 1 - r % 3, 1 - r / 3, &sums);
    }
    rill_stored old = own; /* what was stored a step earlier, before it is overwritten */
    rill_stored_load<P>(to, n, rates->memory != 0, &old);
    const rill_stored next = rill_stored_relaxed<P>(rates, &own, &old, &sums);
    rill_stored_put<P>(to, n, &next);
}

/** Return the population that arrives along velocity i at a node in the next step. */
template <class P>
static __device__ __forceinline__ rill_real rill_stored_arriving(const rill_arrays *arrays, const rill_node n,
                                                                 const int i)
{
    const rill_place place = rill_place_of(P::stream, P::addressing, arrays, n);
    const rill_link link = rill_link_of(P::lattice, P::stream, P::addressing, P::bounce, arrays, &place, i);
    rill_stored stored = rill_stored_none();
    rill_stored_load<P>(arrays, link.meeting, true, &stored);
    return (rill_scalar)rill_w(P::lattice, i) *
           rill_stored_sent<P>(&stored, link.wall ? rill_opposite(i) : i);
}

/** Return what came back from a wall along velocity i in the last step. */
template <class P>
static __device__ __forceinline__ rill_real rill_stored_came_back(const rill_arrays *before,
                                                                  const rill_node n, const int i)
{
    rill_stored stored = rill_stored_none();
    rill_stored_load<P>(before, n, true, &stored);
    return (rill_scalar)rill_w(P::lattice, i) * rill_stored_sent<P>(&stored, rill_opposite(i));
}

/**
 * Let a node receive what mirrored links have sent instead of what came back along them, after the step.
 * @param before  the array that the step has read
 * @param rates   with the relaxation of the step
 * @param swaps   [count] by node[0], which receives along direction[0] what came back to node[1]
 * @param k       the first one of its node
 */
template <class P>
static __device__ __forceinline__ void rill_stored_swap(const rill_arrays *arrays, const rill_arrays *before,
                                                        const rill_rates *rates, const rill_swap *swaps,
                                                        size_t k, const size_t count)
{
    const rill_node n = swaps[k].node[0];
    rill_stored stored = rill_stored_none();
    rill_stored_load<P>(arrays, n, true, &stored);
    for (; k < count && swaps[k].node[0] == n; k++) {
        const rill_swap s = swaps[k];
        const rill_real gain =
            (rill_scalar)s.sign * rill_stored_came_back<P>(before, s.node[1], s.direction[1]) -
            rill_stored_came_back<P>(before, n, s.direction[0]);
        stored.row[0] = stored.row[0] + rates->relax_density * gain;
        for (int a = 0; a < rill_dimensions(P::lattice); a++)
            stored.row[1 + a] = stored.row[1 + a] + (rill_scalar)(3 * rill_c(P::lattice, s.direction[0], a)) *
                                                        rates->relax_momentum * gain;
    }
    rill_stored_put<P>(arrays, n, &stored);
}

#endif
