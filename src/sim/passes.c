/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/passes.h"

#include "device/device.h"
#include "kernel/storage/stream.h"
#include "sim/sim_priv.h"

/* Return what passes do not go with, NULL: nothing. */
static const char *obstacle_of(const rill_sim *sim, const rill_passes *passes)
{
    const rill_variant v = sim->flow->options.variant;
    if (sim->several) return "several devices: choose one";
    if (!sim->device->backend->traits.processor && !passes->gpu) return "a GPU: choose --backend cpu";
    if (rill_stream_ring((int)v.stream) || rill_stream_macroscopic((int)v.stream))
        return "this streaming scheme: choose pull, aa, esotwist or esopull";
    if (v.bounce == RILL_FULL_WAY) return "full-way bounce-back: choose half-way";
    if (v.addressing == RILL_DENSE) return "direct addressing: choose list or bitmap";
    if (sim->domain->swap_count) return "mirrored boundaries: choose walls or periodic boundaries";
    if (sim->patches.walls) return "interpolated bounce-back: choose half-way bounce-back";
    if (sim->patches.count && !passes->boundaries) return "openings";
    return NULL;
}

rill_status rill_sim_passes_set(rill_sim *sim, const rill_passes *passes)
{
    const char *obstacle = obstacle_of(sim, passes);
    if (obstacle) return rill_fail(RILL_USAGE, "%s does not go with %s", passes->what, obstacle);
    sim->passes = *passes;
    return RILL_OK;
}
