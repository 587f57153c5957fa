/* SPDX-License-Identifier: Apache-2.0 */
/* What rounding of the stored populations will leave uncertain, estimated before a run, and the storage that
 * is chosen or refused for it. */
#include "core/status.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "geometry/voxels/axes.h"
#include "permeability/plan.h"
#include "permeability/tensor.h"

#include <math.h>

/* Populations of fluid at rest, not less their weights, round to half a unit of these: the momentum of a node
 * of D3Q19 by up to so many units in the last place of 1. */
#define PLAIN_MOMENTUM 0.25

double rill_plan_unit(const rill_permeability_options *o)
{
    return o->variant.storage == RILL_FP64 ? 0x1p-53 : 0x1p-24;
}

double rill_plan_rounding(const rill_permeability_options *o, const rill_permeability_plan *p, double k)
{
    return rill_plan_unit(o) * p->pores.porosity * p->length * p->length * p->nu / fabs(k);
}

double rill_plan_plain(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    return o->variant.shift == RILL_PLAIN ? PLAIN_MOMENTUM * rill_plan_unit(o) / fabs(p->force) : 0;
}

/* Central moments and cumulants sum all populations up and take the sum apart: a collision changes the
 * density of a node by 1.0 eps of itself (root mean square, D3Q27), one that relaxes pairs by 0.13 eps. The
 * source of mass is so many times that of pairs (tests/kernel/test_collide.c). */
#define ROUNDED_MOMENTS 8

/* In long ducts of few voxels the rounding of pressures is less independent from node to node: 2.3 times what
 * is expected elsewhere was seen where it is most of the uncertainty. */
#define PRESSED_TIMES 3
#define PRESSED_NARROW 3 /* voxels, half of the pores */
/*
 * Between plates of an open box pressures are the same all over a layer, whose nodes round alike, and
 * momentum of whole layers lives long: time steps alone were off by up to so many times what independent
 * nodes leave. Corrections stop that momentum. What 16 bits do is measured.
 */
#define ROUNDED_LAYERS 4

/* How many times what independent nodes leave. */
static double alike(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    if (rill_storage_size((int)o->variant.storage) == 2) return 1;
    return fmax(p->pores.crossed && !p->network ? ROUNDED_LAYERS : 1,
                p->pressed && p->pores.narrow <= PRESSED_NARROW ? PRESSED_TIMES : 1);
}

double rill_plan_pressures_round(const rill_permeability_options *o, const rill_permeability_plan *p,
                                 double k, double squares)
{
    /* Odd populations add their rounding up over tau_minus steps. */
    const double odd = 0.5 + rill_plan_magic(o, p) / (p->tau - 0.5);
    const rill_collision collision = o->variant.collision;
    const bool moments = collision == RILL_CENTRAL_MOMENT || collision == RILL_CUMULANT;
    const double source = RILL_ROUNDED_PRESSURES * (moments ? ROUNDED_MOMENTS : 1) * alike(o, p);
    return source * fmax(odd, 1) * squares * p->nu / fabs(k) / sqrt((double)p->nodes);
}

/* What rounding to 16 bits leaves uncertain, of as many units in the last place as there are steps in which
 * the force makes the flow: in thin boxes all nodes of a row round alike. */
#define NARROW_LEFT 0.03
#define NARROW_LEFT_ALIKE 0.3
enum { NARROW_THIN = 4 };    /* voxels at most */
#define NARROW_THIN_PART 8.0 /* or the widest pore is so many times as wide */

/* Pressures of less than this part of the length, squared, are 0. */
#define STRAIGHT 1e-6

/* Where fp64 may be chosen, an attempt with fp32 that rounds too much costs more: pressures and k of the
 * network are off by this. */
#define ESTIMATE_TIMES 1.7

/* What 16 bits round off the flow along an axis, where pores are wide, or straight: then pressures are 0, and
 * all nodes of a duct round alike, too. */
static double narrow_left(const rill_geom *geom, const rill_permeability_plan *p, int axis)
{
    const rill_pore_flow *flow = &p->pores.along[axis];
    const bool straight = flow->speed > 0 && flow->squares < STRAIGHT * geom->n[axis] * geom->n[axis];
    bool thin = false;
    for (int a = 0; a < 3; a++) {
        const bool few = geom->n[a] <= NARROW_THIN || NARROW_THIN_PART * geom->n[a] <= p->pores.opening;
        thin = thin || (few && geom->sides[a] != RILL_WALL);
    }
    return straight ? NARROW_LEFT_ALIKE * flow->speed / p->nu
                    : (thin ? NARROW_LEFT_ALIKE : NARROW_LEFT) * flow->k / (p->pores.porosity * p->nu);
}

/* Pores much wider than others are as chambers, in which all nodes round alike. 16 bits left up to twice this
 * part of what that makes uncertain, in sticks in half of a box, and less than a tenth of it elsewhere. */
#define NARROW_CHAMBERS 0.05

/* What 16 bits round off pressures that are large against the flow. */
static double narrow_pressures(const rill_permeability_options *o, const rill_permeability_plan *p, int axis)
{
    const rill_pore_flow *flow = &p->pores.along[axis];
    const double squares = 3 * flow->squares, alone = rill_plan_pressures_round(o, p, flow->k, squares);
    const bool chambers = flow->network > 0 && !p->pressed;
    return chambers ? fmax(alone, NARROW_CHAMBERS * squares * p->nu / flow->network) : alone;
}

/* Refuse requested storage that rounds too much off a flow along an axis. */
static rill_status rounding_check(const rill_permeability_options *o, int axis, double flow, double pressures)
{
    const int storage = (int)o->variant.storage;
    const double unit = exp2(-rill_storage_digits(storage) - 1.0);
    if (flow > o->tolerance)
        return rill_fail(
            RILL_NUMERICS,
            "rounding in %s storage would leave an uncertainty of about %.1g of k along %c in pores as wide as these, above the tolerance of %.2g: "
            "take --storage fp32, or raise --tolerance",
            rill_storage_names[storage], flow, rill_axis(axis), o->tolerance);
    if (pressures <= RILL_ROUNDING_REFUSED * o->tolerance) return RILL_OK;
    return rill_fail(
        RILL_NUMERICS,
        "rounding in %s storage would leave an uncertainty of about %.1g of k along %c, "
        "as pressures are large against the flow in pores such as these, above the tolerance of %.2g: %sraise --tolerance",
        rill_storage_names[storage], pressures, rill_axis(axis), o->tolerance,
        storage == RILL_FP64                         ? ""
        : pressures * 0x1p-24 / unit <= o->tolerance ? "take --storage fp32, or "
                                                     : "take --storage fp64, or ");
}

rill_status rill_plan_storage_choose(const rill_geom *geom, const rill_permeability_options *o,
                                     rill_permeability_plan *p)
{
    rill_status status = RILL_OK;
    const int storage = (int)o->variant.storage, driven = rill_tensor_driven(&geom->porosity, o->axis);
    const bool narrow = rill_storage_size(storage) == 2;
    const double unit = narrow ? exp2(-rill_storage_digits(storage) - 1.0) : rill_plan_unit(o),
                 k = p->pores.conducts;
    /* A pressure p is 3 p of density, whose square counts times c_s^2. */
    const double pressures = k > 0 ? unit * rill_plan_pressures_round(o, p, k, 3 * p->pores.squares) : 0;
    if (storage == RILL_FP32 && !o->keep_storage) {
        if (ESTIMATE_TIMES * pressures > (1 - RILL_TOLERANCE_ROUNDS) * o->tolerance) p->storage = RILL_FP64;
        return RILL_OK;
    }
    if (!narrow) return rounding_check(o, rill_axes_first(driven), 0, pressures);
    for (int a = 0; a < 3 && status == RILL_OK; a++) {
        const rill_pore_flow *along = &p->pores.along[a];
        if (!rill_axes_has(driven, a) || !(along->k > 0)) continue;
        status = rounding_check(o, a, unit * narrow_left(geom, p, a), unit * narrow_pressures(o, p, a));
    }
    return status;
}
