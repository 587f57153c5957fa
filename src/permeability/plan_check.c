/* SPDX-License-Identifier: Apache-2.0 */
/* Checks options of a permeability against limits and each other, before there is a geometry. */
#include "core/status.h"
#include "geometry/voxels/axes.h"
#include "kernel/lattice.h"
#include "kernel/storage/rounding.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/stream.h"
#include "kernel/variant.h"
#include "permeability/plan.h"
#include "sim/macroscopic.h"

#include <math.h>

/* A network sees whether the pressures of a linear flow that a body force drives have settled. */
bool rill_plan_network_sees(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return o->drive == RILL_DRIVE_FORCE && v.rheology == RILL_NEWTONIAN && v.bounce == RILL_HALF_WAY;
}

/* It corrects them where nothing but Stokes flow is solved, in formats that do not round mass away. All links
 * of D3Q15 lead from one half of a chequerboard to the other, whose densities even out slowly: energies know
 * nothing of it, and the error of k was up to 4.4 times its uncertainty. */
bool rill_plan_network_serves(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return rill_plan_network_sees(o) && v.equilibrium == RILL_STOKES && v.lattice != RILL_D3Q15 &&
           (v.storage == RILL_FP32 || v.storage == RILL_FP64);
}

/* See rill_sim_rounding(). */
static bool rounding_known(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return rill_plan_network_sees(o) && v.equilibrium == RILL_STOKES &&
           (v.collision == RILL_TRT || v.collision == RILL_SRT);
}

/* Return whether a format loses a tenth of the populations of a flow as slow as a permeability needs it. */
static bool loses_flow(rill_storage storage)
{
    const double slow = 1e-4;
    return rill_rounding(storage, -slow, slow) > slow / 10;
}

rill_status rill_plan_check(const rill_permeability_options *o)
{
    const rill_status status = rill_variant_flow_check(o->variant);
    if (status != RILL_OK) return status;
    if (!rill_axes_name(o->axis))
        return rill_fail(RILL_USAGE, "axis = %d is unknown: use 0, 1, 2, or a constant of rill/types.h",
                         o->axis);
    if ((unsigned)o->drive > RILL_DRIVE_PRESSURE)
        return rill_fail(RILL_USAGE, "drive = %d is unknown: use 0 (force) or 1 (pressure)", (int)o->drive);
    if (o->drive == RILL_DRIVE_PRESSURE && o->axis < 0 && o->axis != RILL_AXIS_AUTO)
        return rill_fail(
            RILL_USAGE,
            "pressures drive the flow along one axis, and give no tensor: choose x, y or z, or drive it by a force");
    if (o->drive == RILL_DRIVE_PRESSURE && o->variant.lattice == RILL_D2Q9)
        return rill_fail(
            RILL_USAGE,
            "reservoirs need a lattice of three dimensions, not d2q9: choose d3q19, or drive the flow by a force");
    if (o->tau != 0 && !(o->tau > 0.5 && o->tau <= RILL_TAU_MOST))
        return rill_fail(
            RILL_USAGE,
            "tau = %g is not above 0.5 and at most %g: the viscosity is (tau - 0.5) / 3, 0.6 to 1.5 are usual",
            o->tau, RILL_TAU_MOST);
    if (!(o->magic <= RILL_MAGIC_MOST))
        return rill_fail(RILL_USAGE, "magic = %g is not at most %g: use 3/16", o->magic, RILL_MAGIC_MOST);
    if (rill_macroscopic_check(&(rill_sim_options){
            .variant = o->variant, .tau = o->tau != 0 ? o->tau : 1, .magic = o->magic}) != RILL_OK)
        return RILL_USAGE;
    if (rill_stream_macroscopic((int)o->variant.stream) && o->drive != RILL_DRIVE_FORCE)
        return rill_fail(
            RILL_USAGE,
            "reservoirs need populations, which macroscopic streaming does not store: drive the flow by a force, or choose another streaming scheme");
    if (!isfinite(o->force) || fabs(o->force) > 0.1)
        return rill_fail(RILL_USAGE,
                         "force = %g is not between -0.1 and 0.1: use 1e-5, or 0 to let rill choose it",
                         o->force);
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return rill_fail(RILL_USAGE, "tolerance = %g is not between 0 and 1: use 0.001", o->tolerance);
    if (o->every == 1)
        return rill_fail(RILL_USAGE,
                         "every = 1 is below 2, because a sample is the mean of two steps: use at least 2");
    if ((unsigned)o->acceleration > RILL_ACCELERATION_NETWORK)
        return rill_fail(RILL_USAGE, "acceleration = %d is unknown: use 0 (auto), 1 (none) or 2 (network)",
                         (int)o->acceleration);
    if (o->acceleration == RILL_ACCELERATION_NETWORK && !rill_plan_network_serves(o))
        return rill_fail(
            RILL_USAGE,
            "a pore network accelerates flows that a body force drives, with the stokes equilibrium, a newtonian viscosity, half-way bounce-back, "
            "fp32 or fp64 storage and another lattice than d3q15: choose those, or acceleration auto or none");
    if (loses_flow(o->variant.storage))
        return rill_fail(
            RILL_USAGE,
            "%s storage rounds velocities as small as those of a permeability to 0: choose fp32, or fp16s where memory is short",
            rill_storage_names[o->variant.storage]);
    if (rill_storage_size((int)o->variant.storage) == 2 && !rounding_known(o))
        return rill_fail(
            RILL_USAGE,
            "the rounding error of 16 bits (%s) in a permeability is known for flows driven by a body force, with the stokes equilibrium, trt or srt, "
            "a newtonian viscosity and half-way bounce-back: choose those, or fp32 storage",
            rill_storage_names[o->variant.storage]);
    if (rill_storage_size((int)o->variant.storage) == 2 && o->variant.shift == RILL_PLAIN)
        return rill_fail(
            RILL_USAGE,
            "plain populations in 16 bits (%s) round by as much as the flow of a permeability: choose shifted ones, or fp32 storage",
            rill_storage_names[o->variant.storage]);
    if (o->sensitivity &&
        (o->drive != RILL_DRIVE_FORCE || o->variant.equilibrium != RILL_STOKES ||
         o->variant.bounce != RILL_HALF_WAY || rill_storage_size((int)o->variant.storage) == 2))
        return rill_fail(
            RILL_USAGE,
            "the sensitivity to walls is known for flows driven by a body force, with the stokes equilibrium, "
            "half-way bounce-back and fp32 or fp64 storage, as 16 bits round the velocities at walls: choose those, or leave the sensitivity out");
    if (o->max_steps == 0) return rill_fail(RILL_USAGE, "max_steps = 0 is below 1: use 1000000");
    return RILL_OK;
}

rill_status rill_plan_error_bar_check(const rill_permeability_options *options)
{
    if (options->drive != RILL_DRIVE_FORCE)
        return rill_fail(
            RILL_USAGE,
            "an error bar compares domain boundaries and crops, and reservoirs replace these: drive the flow by a force");
    if (options->variant.equilibrium != RILL_STOKES)
        return rill_fail(
            RILL_USAGE,
            "an error bar compares mirrored boundaries, which need the stokes equilibrium: choose it, with trt or srt");
    return RILL_OK;
}

/*
 * A force changes the population of weight w along it by 3 w F in a step. Momentum grows from that, where
 * the fluid is at rest. Formats of 16 bits must not store it as 0 for all velocities; the others must resolve
 * it for every velocity.
 */
rill_status rill_plan_check_force(const rill_permeability_options *o, double force)
{
    const rill_storage storage = o->variant.storage;
    const int lattice = (int)o->variant.lattice, whole = storage == RILL_FP32 || storage == RILL_FP64;
    const double w = rill_w(lattice, whole ? rill_q(lattice) - 1 : 1),
                 least = rill_resolved(storage) / (3 * w);
    if (o->force == 0 || fabs(force) >= least) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "force = %g is too small for %s storage, which resolves forces of %.2g and more on %s: leave --force out, or give a larger one%s",
        force, rill_storage_names[storage], least, rill_lattice_names[lattice],
        storage == RILL_FP64 ? "" : ", or take --storage fp64");
}
