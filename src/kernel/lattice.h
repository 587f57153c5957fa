/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file lattice.h
 * Velocity sets. Velocities come in opposite pairs: 0 is rest, 2p - 1 and 2p are opposite, so the pairs
 * of a lattice are p = 1 … (q - 1)/2. Those of D3Q27 are sorted into axes, edges, corners; the others are
 * selections in the same order: D3Q19 without corners, D3Q15 without edges, D2Q9 without z.
 *
 * @see Qian, d'Humières, Lallemand (1992), doi:10.1209/0295-5075/17/6/001 (D3Q19, D3Q15, D2Q9); Krüger et al.
 *      (2017), The Lattice Boltzmann Method, tables 3.3 to 3.6. Speed of sound: c_s^2 = 1/3.
 */
#ifndef RILL_KERNEL_LATTICE_H
#define RILL_KERNEL_LATTICE_H

#include "kernel/platform.h"
#include "rill/variant.h"

enum { RILL_Q_MAX = 27 };

/** Return the number of populations. */
RILL_CONSTANT_FN int rill_q(const int lattice)
{
    return lattice == RILL_D3Q19 ? 19 : lattice == RILL_D3Q15 ? 15 : lattice == RILL_D2Q9 ? 9 : 27;
}

/** Return the number of space dimensions. */
RILL_CONSTANT_FN int rill_dimensions(const int lattice) { return lattice == RILL_D2Q9 ? 2 : 3; }

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
    if (lattice == RILL_D3Q15) return c[i < 7 ? i : i + 12][axis];
    if (lattice == RILL_D2Q9) return c[i < 5 ? i : i + 2][axis];
    return c[i][axis];
}

/** Return the velocity opposite to i. */
RILL_FN int rill_opposite(const int i) { return i == 0 ? 0 : ((i - 1) ^ 1) + 1; }

/** Return the weight of velocity i. */
RILL_FN double rill_w(const int lattice, const int i)
{
    const int speed = rill_c(lattice, i, 0) * rill_c(lattice, i, 0) +
                      rill_c(lattice, i, 1) * rill_c(lattice, i, 1) +
                      rill_c(lattice, i, 2) * rill_c(lattice, i, 2);
    if (lattice == RILL_D3Q19) return speed == 0 ? 1.0 / 3.0 : speed == 1 ? 1.0 / 18.0 : 1.0 / 36.0;
    if (lattice == RILL_D3Q15) return speed == 0 ? 2.0 / 9.0 : speed == 1 ? 1.0 / 9.0 : 1.0 / 72.0;
    if (lattice == RILL_D2Q9) return speed == 0 ? 4.0 / 9.0 : speed == 1 ? 1.0 / 9.0 : 1.0 / 36.0;
    return speed == 0 ? 8.0 / 27.0 : speed == 1 ? 2.0 / 27.0 : speed == 2 ? 1.0 / 54.0 : 1.0 / 216.0;
}

/** Return the first of the four edges in plane xy, xz, yz = 0, 1, 2, or 0 where a lattice has none. */
RILL_CONSTANT_FN int rill_edges(const int lattice, const int plane)
{
    if (lattice == RILL_D2Q9) return plane == 0 ? 5 : 0;
    return lattice == RILL_D3Q15 ? 0 : 7 + 4 * plane;
}

/** Return the first of the eight corners, or 0 where a lattice has none. */
RILL_CONSTANT_FN int rill_corners(const int lattice)
{
    return lattice == RILL_D3Q27 ? 19 : lattice == RILL_D3Q15 ? 7 : 0;
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
