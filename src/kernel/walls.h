/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walls.h
 * Walls that are not half-way: linear interpolation (Bouzidi, Firdaouss, Lallemand 2001,
 * doi:10.1063/1.1399290). The wall is at x - q c_i, c_i from the wall to the node x, and f* are populations
 * after collision:
 *
 *     q < 1/2    f_i(x) = 2q f*_opp(x) + (1 - 2q) f*_opp(x + c_i) + t
 *     q >= 1/2   f_i(x) = (f*_opp(x) + (2q - 1) f*_i(x) + t) / 2q,            t = 6 w_i c_i · u_w
 *
 * (weights of both add up to 1, so that shifted populations obey the same). The step makes half-way
 * bounce-back; between two steps a link finds all it needs in slots of x:
 *
 *     f*_opp(x)        is in the slot that i comes in by, which is then rewritten
 *     f*_opp(x + c_i)  comes in along opp(i)
 *     f*_i(x)          is where x has put what it sent along i
 *
 * Which links may be rewritten in any order: a link writes only the slot of wall link i of x. Where x + c_i
 * is fluid it reads, besides, a slot of the link between the two, which is open, and no patch writes there.
 * Where x + c_i is solid, too (a gap of one node), f*_i(x) is in the slot of wall link opp(i) of x, and no
 * other link of any node reads or writes either of the two: these two links are a pair, both read before one
 * is written. There f*_opp(x + c_i) does not exist, and where q < 1/2 bounce-back is half-way. Openings
 * rewrite after walls: a wall may see an opening across a gap, but openings read, when they rewrite, their
 * own links alone.
 */
#ifndef RILL_KERNEL_WALLS_H
#define RILL_KERNEL_WALLS_H

#include "kernel/boundary.h"

/** q is a multiple of 2^-25. */
#define RILL_WALL_HALF (1u << 24)

#ifdef RILL_ARITHMETIC
typedef rill_scalar rill_wall_real;
#else
typedef double rill_wall_real; /* where arithmetic is no compile-time constant */
#endif

/** Return the incoming direction of a cut. */
RILL_FN int rill_wall_direction(const uint32_t cut) { return (int)(cut & 31); }

/** Return whether q is below 1/2. */
RILL_FN bool rill_wall_near(const uint32_t cut) { return cut >> 6 < RILL_WALL_HALF; }

/** Return the slot that link i of a node, which is known to end at a wall, comes in by. */
RILL_FN size_t rill_wall_slot(const rill_plan plan, const int parity, const rill_arrays *arrays,
                              const rill_node n, const int i)
{
    rill_link link = {n, true};
    if (rill_stream_esoteric(plan.stream)) {
        const int dx = rill_meeting(plan.lattice, plan.stream, i, 0),
                  dy = rill_meeting(plan.lattice, plan.stream, i, 1),
                  dz = rill_meeting(plan.lattice, plan.stream, i, 2);
        if (dx || dy || dz) {
            const rill_place place = rill_place_of(plan.stream, plan.addressing, arrays, n);
            link.meeting = rill_reach(plan.stream, plan.addressing, arrays, &place,
                                      rill_list_row(plan.lattice, plan.stream, i), dx, dy, dz);
        }
    }
    return rill_slot_offset(plan.lattice, plan.stream, arrays, rill_slot_in(plan.stream, parity, i, n, link));
}

/** Return where the populations of the link between x and x + c_i meet: looked up once, not every step. */
RILL_FN rill_node rill_wall_meeting(const rill_plan plan, const rill_arrays *arrays, const rill_wall_cut c)
{
    const rill_place place = rill_place_of(plan.stream, plan.addressing, arrays, c.node);
    return rill_link_of(plan.lattice, plan.stream, plan.addressing, plan.bounce, arrays, &place,
                        rill_opposite(rill_wall_direction(c.cut)))
        .meeting;
}

/** Return the slot of the other population that a cut reads: of link opp(i), what comes in where the wall is
 * near, else what was sent. */
RILL_FN size_t rill_wall_other_slot(const rill_plan plan, const int parity, const rill_arrays *arrays,
                                    const rill_wall_cut c, const rill_node meeting)
{
    const bool sent = !rill_wall_near(c.cut);
    const int i = rill_opposite(rill_wall_direction(c.cut)), at = !sent ? parity
                                                                  : rill_stream_parities(plan.stream) == 2
                                                                      ? 1 - parity
                                                                      : 0;
    const bool looks = rill_slot_looks(plan.stream, at, sent);
    const rill_link link = {looks ? meeting : c.node, looks && (c.cut >> 5 & 1)};
    return rill_slot_offset(plan.lattice, plan.stream, arrays,
                            sent ? rill_slot_out(plan.stream, at, i, c.node, link)
                                 : rill_slot_in(plan.stream, at, i, c.node, link));
}

/** Return what comes back. @param own, other  the populations of the two slots, shifted */
RILL_FN rill_wall_real rill_wall_back(const uint32_t cut, const rill_wall_real own,
                                      const rill_wall_real other, const rill_wall_real term)
{
    const rill_wall_real twice = (rill_wall_real)(cut >> 6) * (rill_wall_real)(1.0 / RILL_WALL_HALF);
    if (rill_wall_near(cut)) return twice * own + (1 - twice) * other + term;
    return (own + (twice - 1) * other + term) / twice;
}

#endif
