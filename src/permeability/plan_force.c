/* SPDX-License-Identifier: Apache-2.0 */
/* Refuses a force that the populations do not resolve. */
#include "core/status.h"
#include "kernel/lattice.h"
#include "kernel/storage/rounding.h"
#include "kernel/variant.h"
#include "permeability/plan.h"

#include <math.h>

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
