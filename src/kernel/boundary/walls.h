/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file walls.h
 * Walls that are not half-way: linear or quadratic interpolation (Bouzidi, Firdaouss, Lallemand 2001,
 * doi:10.1063/1.1399290). The wall is at x - q c_i, c_i from the wall to the node x, and f* are populations
 * after collision. Linear:
 *
 *     q < 1/2    f_i(x) = 2q f*_opp(x) + (1 - 2q) f*_opp(x + c_i) + t
 *     q >= 1/2   f_i(x) = (f*_opp(x) + (2q - 1) f*_i(x) + t) / 2q,            t = 6 w_i c_i · u_w
 *
 * Quadratic, where x + c_i and x + 2 c_i are nodes, else a link stays linear, with L = tau - 1/2, at most
 * 1/2:
 *
 *     q < 1/2    f_i(x) = (1 - b - e) f*_opp(x) + b f*_opp(x + c_i) + e f*_i(x + c_i) + (1 - e) t,
 *                e = q (1 - 2q) / (1 + q (1 - 2q)),   b = 1 - 2q + e (1 + 2q)
 *     q >= 1/2   f_i(x) = (p - e) f*_opp(x) + (1 - p) f*_i(x) + e f*_opp(x + 2 c_i) + p t,
 *                p = (1 + 4L) / (2 q^2 + 2q - 1/2 + 2L (1 + 2q)),   e = 1/2 - p q
 *
 * All weights are those of a mean: none is negative. That matters: at tau near 1/2 populations of even
 * moments change their sign in every step, hardly damped, and those of odd ones stay. With the rule of the
 * authors from 1/2 on, whose weights are 1 / (q (2q + 1)), (2q - 1)/q and, of f*_i(x + c_i), -(2q - 1)/(2q +
 * 1), such waves grow beside oblique walls with cumulants at tau 0.502, whatever the velocity
 * (docs/wall-shear.md).
 *
 * Both follow from f_i, f*_i and their opposites as sums and differences of the equilibrium and its
 * derivatives along the link (Ginzburg & d'Humières 2003, doi:10.1103/PhysRevE.68.066614). From 1/2 on
 * parallel flow between planes has no velocity at the wall at any tau up to 1. Below, weights of a mean
 * cannot have that near q = 0; these leave the same second derivative as the rule of the authors, who read
 * f*_opp(x + 2 c_i) with a negative one. tests/physics/walls.c has the velocity at the wall that is left.
 *
 * (Weights add up to 1, so that shifted populations obey the same.) The step makes half-way
 * bounce-back, or, on a GPU where rill_walls_in_step(), the linear rule; else between two steps a link finds
 * all it needs in slots of x and x + c_i:
 *
 *     f*_opp(x)        is in the slot that i comes in by, which is then rewritten
 *     f*_opp(x + c_i)  comes in along opp(i)
 *     f*_i(x)          is where x has put what it sent along i
 *     f*_i(x + c_i)    likewise, on an open link, which nobody rewrites
 *     f*_opp(x + 2 c_i)  comes in at x + c_i along opp(i), on the same link
 *
 * What comes back is not what was sent, so that mass is gained or lost at the wall, as through a wall that
 * leaks. Where walls are at rest, the population at rest of x makes up for what interpolation adds, link by
 * link: f_0(x) -= f_i(x) - f*_opp(x). Mass is then kept to rounding as with half-way bounce-back, and
 * momentum is not touched.
 *
 * But flow along an oblique wall crosses these links, into one node and out of the next one, and what a node
 * may not gain is flow that it does not let pass. Along the axes, fluxes between two nodes at a wall are
 * therefore corrected by factors a that both ends have (sim/wall_flux.c):
 *
 *     f_0(x) += a (f*_opp(x) - f_i(x))     for open links i of the axes
 *
 * where f*_opp(x) is what x has sent along opp(i), and f_i(x) what comes in. At the other end the difference
 * is the same with the other sign: no mass is lost, no sum over neighbours is needed, and momentum and stress
 * are not touched. (Bao, Yuan, Schaefer 2008, doi:10.1016/j.jcp.2008.06.003, keep mass by the density
 * that they collide with.) On three arrays of spheres of radius 12 the error of the permeability fell from
 * 0.33, 0.61 and 0.38 % to 0.02, 0.16 and 0.28 % with it; flow along a pipe gains nothing and stays as it
 * was. Where a velocity is given, fluid may come through, and given velocities of a closed surface never
 * balance to the last digit: there density must be free to settle.
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

#include "kernel/boundary/boundary.h"

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
RILL_FN size_t rill_wall_slot(const rill_layout layout, const int parity, const rill_arrays *arrays,
                              const rill_node n, const int i)
{
    rill_link link = {n, true};
    if (rill_stream_esoteric(layout.stream)) {
        const int dx = rill_meeting(layout.lattice, layout.stream, i, 0),
                  dy = rill_meeting(layout.lattice, layout.stream, i, 1),
                  dz = rill_meeting(layout.lattice, layout.stream, i, 2);
        if (dx || dy || dz) {
            const rill_place place = rill_place_of(layout.stream, layout.addressing, arrays, n);
            link.meeting = rill_reach(layout.stream, layout.addressing, arrays, &place,
                                      rill_list_row(layout.lattice, layout.stream, i), dx, dy, dz);
        }
    }
    return rill_slot_offset(layout.lattice, layout.stream, arrays,
                            rill_slot_in(layout.stream, parity, i, n, link));
}

/** Return where the populations of the link between x and x + c_i meet: looked up once, not every step. */
RILL_FN rill_node rill_wall_meeting(const rill_layout layout, const rill_arrays *arrays,
                                    const rill_wall_cut c)
{
    const rill_place place = rill_place_of(layout.stream, layout.addressing, arrays, c.node);
    return rill_link_of(layout.lattice, layout.stream, layout.addressing, layout.bounce, arrays, &place,
                        rill_opposite(rill_wall_direction(c.cut)))
        .meeting;
}

/** Return the slot of the other population that a cut reads: of link opp(i), what comes in where the wall is
 * near, else what was sent. */
RILL_FN size_t rill_wall_other_slot(const rill_layout layout, const int parity, const rill_arrays *arrays,
                                    const rill_wall_cut c, const rill_node meeting)
{
    const bool sent = !rill_wall_near(c.cut);
    const int i = rill_opposite(rill_wall_direction(c.cut)), at = !sent ? parity
                                                                  : rill_stream_parities(layout.stream) == 2
                                                                      ? 1 - parity
                                                                      : 0;
    const bool looks = rill_slot_looks(layout.stream, at, sent);
    const rill_link link = {looks ? meeting : c.node, looks && (c.cut >> 5 & 1)};
    return rill_slot_offset(layout.lattice, layout.stream, arrays,
                            sent ? rill_slot_out(layout.stream, at, i, c.node, link)
                                 : rill_slot_in(layout.stream, at, i, c.node, link));
}

/** Return the link between x + c_i and x + 2 c_i: looked up once, not every step. Where x + c_i is a node of
 * another part of the domain, x + 2 c_i may be none of this one, and the link a wall's. @param next  x + c_i
 */
RILL_FN rill_link rill_wall_beyond(const rill_layout layout, const rill_arrays *arrays, const rill_wall_cut c,
                                   const rill_node next)
{
    const rill_link none = {next, false};
    if (next == RILL_UPSTREAM_WALL) return none;
    const rill_place place = rill_place_of(layout.stream, layout.addressing, arrays, next);
    return rill_link_of(layout.lattice, layout.stream, layout.addressing, layout.bounce, arrays, &place,
                        rill_opposite(rill_wall_direction(c.cut)));
}

/** Return the slot of the population that a link with a node beyond the next one reads of the link between
 * the two: where the wall is near what x + c_i has sent along i, else what comes in there along opp(i).
 * @param next, beyond  see rill_walls */
RILL_FN size_t rill_wall_beyond_slot(const rill_layout layout, const int parity, const rill_arrays *arrays,
                                     const rill_wall_cut c, const rill_node next, const rill_link beyond)
{
    const bool sent = rill_wall_near(c.cut);
    const int i = rill_opposite(rill_wall_direction(c.cut)), at = !sent ? parity
                                                                  : rill_stream_parities(layout.stream) == 2
                                                                      ? 1 - parity
                                                                      : 0;
    const rill_link home = {next, false}, link = rill_slot_looks(layout.stream, at, sent) ? beyond : home;
    return rill_slot_offset(layout.lattice, layout.stream, arrays,
                            sent ? rill_slot_out(layout.stream, at, i, next, link)
                                 : rill_slot_in(layout.stream, at, i, next, link));
}

/** Return 2q. */
RILL_FN rill_wall_real rill_wall_twice(const uint32_t cut)
{
    return (rill_wall_real)(cut >> 6) * (rill_wall_real)(1.0 / RILL_WALL_HALF);
}

/** Return the weight of the other population. */
RILL_FN rill_wall_real rill_wall_weight(const uint32_t cut)
{
    const rill_wall_real twice = rill_wall_twice(cut);
    return rill_wall_near(cut) ? 1 - twice : (twice - 1) / twice;
}

/** Weights of a link that is interpolated quadratically, and the factor of its push. */
typedef struct rill_wall_curve {
    rill_wall_real other, beyond, push;
} rill_wall_curve;

/** Return them. @param excess  tau - 1/2, see rill_walls */
RILL_FN rill_wall_curve rill_wall_curve_of(const uint32_t cut, const rill_wall_real excess)
{
    const rill_wall_real s = rill_wall_twice(cut);
    rill_wall_curve curve;
    if (rill_wall_near(cut)) {
        const rill_wall_real bend = s * (1 - s) / 2;
        curve.beyond = bend / (1 + bend);
        curve.other = 1 - s + curve.beyond * (1 + s);
        curve.push = 1 - curve.beyond;
    } else {
        const rill_wall_real four = 4 * excess;
        curve.push = 2 * (1 + four) / (s * (s + 2) - 1 + four * (1 + s));
        curve.beyond = (1 - curve.push * s) / 2;
        curve.other = 1 - curve.push;
    }
    return curve;
}

/** Return what interpolation adds to what comes back. @param own, other  the populations of the two slots,
 * shifted. A product that no compiler makes part of a sum: steps and lists of links give the same bits. */
RILL_FN rill_wall_real rill_wall_gain(const rill_wall_real weight, const rill_wall_real own,
                                      const rill_wall_real other)
{
#if defined(__CUDA_ARCH__)
    return sizeof(rill_wall_real) == 4 ? (rill_wall_real)__fmul_rn((float)weight, (float)(other - own))
                                       : (rill_wall_real)__dmul_rn((double)weight, (double)(other - own));
#else
    return weight * (other - own);
#endif
}

/** Return how many links of a node, the first ones, have corrected fluxes: those of the axes. */
RILL_CONSTANT_FN int rill_wall_fluxes(const int lattice) { return 2 * rill_dimensions(lattice); }

/** Find the slots of what a node has sent along opp(i), and of what comes in along i, on an open link. */
RILL_FN void rill_wall_flux_slots(const rill_layout layout, const int parity, const rill_arrays *arrays,
                                  const rill_node n, const int i, size_t *sent, size_t *in)
{
    const int before = rill_stream_parities(layout.stream) == 2 ? 1 - parity : 0;
    const rill_link home = {n, false};
    rill_link link = home;
    if (rill_slot_looks(layout.stream, before, true) || rill_slot_looks(layout.stream, parity, false)) {
        const rill_place place = rill_place_of(layout.stream, layout.addressing, arrays, n);
        link =
            rill_link_of(layout.lattice, layout.stream, layout.addressing, layout.bounce, arrays, &place, i);
    }
    *sent = rill_slot_offset(layout.lattice, layout.stream, arrays,
                             rill_slot_out(layout.stream, before, i, n,
                                           rill_slot_looks(layout.stream, before, true) ? link : home));
    *in = rill_slot_offset(layout.lattice, layout.stream, arrays,
                           rill_slot_in(layout.stream, parity, i, n,
                                        rill_slot_looks(layout.stream, parity, false) ? link : home));
}

/** Return what the motion of the wall adds. @param term  see above */
RILL_FN rill_wall_real rill_wall_push(const uint32_t cut, const rill_wall_real term)
{
    return rill_wall_near(cut) ? term : term / rill_wall_twice(cut);
}

/** Return whether link k is interpolated quadratically. */
RILL_FN bool rill_wall_curved(const rill_walls *walls, const uint64_t k)
{
    return walls->next && walls->next[k] != RILL_UPSTREAM_WALL;
}

/** Return what link k receives, and keep what it sent and gains. @param own, other  as in rill_wall_gain()
 * @param beyond  that of rill_wall_beyond_slot(), where rill_wall_curved() */
RILL_FN rill_wall_real rill_wall_answer(const rill_walls *walls, const uint64_t k, const uint32_t cut,
                                        const rill_wall_real own, const rill_wall_real other,
                                        const rill_wall_real beyond)
{
    const bool curved = rill_wall_curved(walls, k);
    const rill_wall_curve curve = rill_wall_curve_of(cut, (rill_wall_real)walls->excess);
    const rill_wall_real gain = curved ? rill_wall_gain(curve.other, own, other) +
                                             rill_wall_gain(curve.beyond, own, beyond)
                                       : rill_wall_gain(rill_wall_weight(cut), own, other),
                         back = own + gain;
    if (walls->sent) walls->sent[k] = (double)own;
    if (walls->gains) walls->gains[k] = (double)gain;
    if (!walls->values) return back;
    const rill_wall_real term = (rill_wall_real)(walls->scale * walls->values[k]);
    return back + (curved ? curve.push * term : rill_wall_push(cut, term));
}

/** Write sum and difference of what came back along link k and what was sent. @param exchange [2][count] */
RILL_FN void rill_wall_measure(const rill_walls *walls, const uint64_t k, const rill_wall_real own,
                               double *exchange)
{
    exchange[k] = (double)own + walls->sent[k];
    exchange[walls->count + k] = (double)own - walls->sent[k];
}

/**
 * Return whether steps of a variant interpolate walls at rest themselves, linearly, from populations that
 * they read anyhow: incoming ones hold f*_opp(x + c_i), and f*_i(x) is in a line that a neighbour reads.
 * Which links end at walls must be known without a look at a list, and what is stored must be what was
 * computed, or results would depend on when somebody looks at them. Between two calls of rill_sim_step() all
 * is as if links had been rewritten.
 */
RILL_CONSTANT_FN bool rill_walls_in_step(const int stream, const int addressing, const int storage,
                                         const int arithmetic)
{
    return addressing == RILL_BITMAP && rill_stream_pulls(stream) && storage == RILL_FP32 &&
           arithmetic == RILL_SINGLE;
}

#endif
