/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file outlet.h
 * What lies behind an opening: the pressure that goes with the flow through it.
 *
 * A three-element Windkessel (Westerhof, Lankhaar, Westerhof 2009, doi:10.1007/s11517-008-0359-2) behind a
 * pressure patch: p = p_c + R_p Q, C dp_c/dt = Q - (p_c - p_d)/R_d, with Q the volume that leaves. For the Q
 * of one step, held constant in it, the ordinary differential equation is solved exactly,
 *
 *     p_c' = e p_c + (1 - e)(p_d + R_d Q),   e = exp(-1 / (R_d C)),
 *
 * so that a plain resistance is C = 0, e = 0. Q depends on p at once: anti-bounce-back subtracts what was
 * sent from 2 w_i (d + (1 + d) b), d = rho_w - 1 = 3 p, so that what comes in is linear in d, F = fixed +
 * slope d, with the sums of all links known before they are rewritten. With Q = -F both equations give
 *
 *     Q = -(fixed + 3 slope a) / (1 + 3 slope r),  p = a + r Q,  a = e p_c + (1 - e) p_d,  r = (1 - e) R_d +
 * R_p.
 *
 * A coronary outlet has a second compartment, whose compliance ends in the heart muscle (Kim et al. 2010,
 * doi:10.1007/s10439-010-0083-6): the same with two pressures and a matrix in place of e.
 *
 * Behind an extension p counts in front of the extension, and at the patch it is lower by l + R_l Q: R_l, a
 * small part of the acoustic impedance of the opening, which 1/slope is of the order of, is taken off r, and
 * the loss l, which a schedule gives, off a where d follows from it. Else slope and r are not negative, so
 * that there is always an answer; p of the step before instead of this one's is unstable from R_p near the
 * acoustic impedance of the opening, 1/(sqrt(3) A), on, which arteries exceed.
 */
#ifndef RILL_KERNEL_OUTLET_H
#define RILL_KERNEL_OUTLET_H

#include "kernel/boundary/boundary.h"

/** Add sums. */
RILL_FN void rill_patch_sums_add(rill_patch_sums *sums, const rill_patch_sums *more)
{
    sums->fixed += more->fixed;
    sums->slope += more->slope;
    sums->density += more->density;
}

/** Return whether the sums hold the density of node k, beside those of pair k. */
RILL_FN bool rill_patch_sums_density(const rill_patch *patch, const uint64_t k)
{
    return patch->kind == RILL_BOUNDARY_VELOCITY && patch->record && k < patch->node_count;
}

/** Return the sums of a pair, which has sent this and answers so, and of a node with rho - 1. */
RILL_FN rill_patch_sums rill_patch_sums_of(const rill_patch *patch, const rill_patch_pair *pair,
                                           const rill_patch_answer *answer, const double sent[2],
                                           const double density)
{
    const int links = rill_patch_links(pair);
    rill_patch_sums sums = {links * answer->fixed, links * answer->slope, density};
    if (rill_patch_holds_pressure(patch)) sums.fixed -= 2 * (links == 2 ? sent[0] + sent[1] : sent[0]);
    return sums;
}

/** What a patch does in a step. */
typedef struct rill_patch_act {
    double density; /**< rho_w - 1 of a pressure */
    double flow;    /**< into the domain; as the others, only where sums were taken */
    double pressure;
} rill_patch_act;

/** Return what compartment k of a circuit holds after a step without flow. */
RILL_FN double rill_patch_held(const rill_patch *patch, const rill_patch_now *now, const int k)
{
    const double *before = patch->stored + 2 * (now->step & 1);
    return patch->step[k][0] * before[0] + patch->step[k][1] * before[1] +
           patch->drive[k] * now->weights[patch->first_weight] / 3;
}

/** Find it. @param sums  not looked at where a patch takes none */
RILL_FN rill_patch_act rill_patch_act_of(const rill_patch *patch, const rill_patch_now *now,
                                         const rill_patch_sums *sums)
{
    const bool pressure = rill_patch_holds_pressure(patch);
    rill_patch_act act = {pressure ? now->weights[patch->first_weight] : 0, 0, 0};
    const double loss =
        patch->kind == RILL_BOUNDARY_WINDKESSEL ? (double)now->losses[patch->first_weight] / 3 : 0;
    if (patch->kind == RILL_BOUNDARY_WINDKESSEL) {
        const double a = rill_patch_held(patch, now, 0) - loss,
                     r = patch->gain[0] + patch->proximal - patch->layer;
        act.density = 3 * (a - r * (sums->fixed + 3 * sums->slope * a) / (1 + 3 * sums->slope * r));
    }
    if (!patch->partials) return act;
    act.flow = sums->fixed + sums->slope * act.density;
    act.pressure = (pressure ? act.density : sums->density / (double)patch->node_count) / 3 -
                   patch->layer * act.flow + loss;
    return act;
}

/** Keep what the steps to come and observers need of it; one thread of a patch does. */
RILL_FN void rill_patch_keep(const rill_patch *patch, const rill_patch_now *now, const rill_patch_act *act)
{
    if (patch->kind == RILL_BOUNDARY_WINDKESSEL)
        for (int k = 0; k < 2; k++)
            patch->stored[2 * ((now->step + 1) & 1) + k] =
                rill_patch_held(patch, now, k) - patch->gain[k] * act->flow;
    if (!patch->record) return;
    double *record = patch->record + 2 * (now->step % patch->capacity);
    record[0] = act->flow;
    record[1] = act->pressure;
}

#endif
