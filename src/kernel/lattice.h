/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lattice.h
 * Velocity sets. Velocities come in opposite pairs: 0 is rest, 2p - 1 and 2p are opposite, so the pairs
 * of a lattice are p = 1 … (q - 1)/2. Those of D3Q27 are sorted into axes, edges, corners; the others are
 * selections in the same order: D3Q19 without corners, D3Q15 without edges, D3Q7 without both, D2Q9 without
 * z.
 *
 * @see Qian, d'Humières, Lallemand (1992), doi:10.1209/0295-5075/17/6/001 (D3Q19, D3Q15, D2Q9); Krüger et al.
 *      (2017), The Lattice Boltzmann Method, tables 3.3 to 3.6, and 8.4 (D3Q7, of scalars).
 */
#ifndef RILL_KERNEL_LATTICE_H
#define RILL_KERNEL_LATTICE_H

#include "kernel/platform.h"
#include "rill/variant.h"

enum { RILL_Q_MAX = 27 };

/** Return the number of space dimensions, as all that follows by the lines of variants.def: 0 for a value
 * that is no lattice, which rill_variant_check() and rill_domain_create() refuse. */
RILL_CONSTANT_FN int rill_dimensions(const int lattice)
{
#define RILL_LATTICE(value, name, dimensions, ...)                                                           \
    if (lattice == RILL_##value) return dimensions;
#include "kernel/variants.def"
    return 0;
}

/** Return how many velocities lie along edges. */
RILL_CONSTANT_FN int rill_edge_count(const int lattice)
{
#define RILL_LATTICE(value, name, dimensions, edges, ...)                                                    \
    if (lattice == RILL_##value) return edges;
#include "kernel/variants.def"
    return 0;
}

/** Return the number of populations. */
RILL_CONSTANT_FN int rill_q(const int lattice)
{
#define RILL_LATTICE(value, name, dimensions, edges, corners, ...)                                           \
    if (lattice == RILL_##value) return 1 + 2 * (dimensions) + (edges) + (corners);
#include "kernel/variants.def"
    return 0;
}

/** Return 1 / c_s^2, of the speed of sound. */
RILL_CONSTANT_FN int rill_inverse_cs2(const int lattice)
{
#define RILL_LATTICE(value, name, dimensions, edges, corners, c, ...)                                        \
    if (lattice == RILL_##value) return c;
#include "kernel/variants.def"
    return 0;
}

/** Return component `axis` of velocity i. */
RILL_FN int rill_c(const int lattice, const int i, const int axis)
{
    RILL_TABLE signed char c[RILL_Q_MAX][3] = {
        {0, 0, 0},                                                                 /* rest */
        {1, 0, 0},  {-1, 0, 0},   {0, 1, 0},   {0, -1, 0},  {0, 0, 1}, {0, 0, -1}, /* axes */
        {1, 1, 0},  {-1, -1, 0},  {1, -1, 0},  {-1, 1, 0},                         /* edges xy */
        {1, 0, 1},  {-1, 0, -1},  {1, 0, -1},  {-1, 0, 1},                         /* edges xz */
        {0, 1, 1},  {0, -1, -1},  {0, 1, -1},  {0, -1, 1},                         /* edges yz */
        {1, 1, 1},  {-1, -1, -1}, {1, 1, -1},  {-1, -1, 1},                        /* corners */
        {1, -1, 1}, {-1, 1, -1},  {1, -1, -1}, {-1, 1, 1}};
#define RILL_LATTICE(value, name, dimensions, edges, ...)                                                    \
    if (lattice == RILL_##value)                                                                             \
        return c[i <= 2 * (dimensions) ? i : i + 6 - 2 * (dimensions) + ((edges) ? 0 : 12)][axis];
#include "kernel/variants.def"
    return 0;
}

/** Return the velocity opposite to i. */
RILL_FN int rill_opposite(const int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }

/** Return the weight of velocity i. */
RILL_FN double rill_w(const int lattice, const int i)
{
    const int speed = rill_c(lattice, i, 0) * rill_c(lattice, i, 0) +
                      rill_c(lattice, i, 1) * rill_c(lattice, i, 1) +
                      rill_c(lattice, i, 2) * rill_c(lattice, i, 2);
#define RILL_LATTICE(value, name, dimensions, edges, corners, c, w0, w1, w2, w3)                             \
    if (lattice == RILL_##value) return speed == 0 ? w0 : speed == 1 ? w1 : speed == 2 ? w2 : w3;
#include "kernel/variants.def"
    return 0;
}

/** Return the first of the four edges in plane xy, xz, yz = 0, 1, 2, or 0 where a lattice has none. */
RILL_CONSTANT_FN int rill_edges(const int lattice, const int plane)
{
    return 4 * plane < rill_edge_count(lattice) ? 1 + 2 * rill_dimensions(lattice) + 4 * plane : 0;
}

/** Return the first of the eight corners, or 0 where a lattice has none. */
RILL_CONSTANT_FN int rill_corners(const int lattice)
{
    const int first = 1 + 2 * rill_dimensions(lattice) + rill_edge_count(lattice);
    return first < rill_q(lattice) ? first : 0;
}

/** Return whether a lattice has velocities along the axes alone. */
RILL_CONSTANT_FN bool rill_axes_alone(const int lattice)
{
    return rill_q(lattice) == 1 + 2 * rill_dimensions(lattice);
}

#ifdef RILL_ARITHMETIC
/** Return c_i · (x, y, z) with additions only: multiplications by 0 and 1 would not be folded. */
RILL_FN rill_real rill_along(const int lattice, const int i, const rill_real x, const rill_real y,
                             const rill_real z)
{
    const int cx = rill_c(lattice, i, 0), cy = rill_c(lattice, i, 1), cz = rill_c(lattice, i, 2);
    rill_real sum = cx < 0 ? -x : x;
    if (cy) sum = !cx ? (cy < 0 ? -y : y) : cy < 0 ? sum - y : sum + y;
    if (cz) sum = !cx && !cy ? (cz < 0 ? -z : z) : cz < 0 ? sum - z : sum + z;
    return sum;
}
#endif

#endif
