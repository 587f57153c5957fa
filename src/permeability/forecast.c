/* SPDX-License-Identifier: Apache-2.0 */
/* How long planned runs take. */
#include "core/status.h"
#include "core/threads.h"
#include "device/device.h"
#include "geometry/voxels/axes.h"
#include "permeability/plan.h"
#include "permeability/tensor.h"
#include "sim/several.h"

#include <math.h>

rill_status rill_permeability_forecast_make(const rill_geom *geom, const rill_permeability_options *o,
                                            const rill_permeability_plan *plan,
                                            rill_permeability_forecast *out)
{
    rill_status status = RILL_OK;
    rill_permeability_options options = rill_plan_resolve(geom, o);
    rill_device *device = NULL;
    rill_speed speed = {.mlups = 0};
    *out = (rill_permeability_forecast){.steps = NAN, .seconds = NAN, .mlups = NAN, .seconds_host = NAN};
    RILL_TRY(rill_device_take(o->on.device, o->on.backend, &device));
    options.on.device = device;
    RILL_TRY(rill_plan_speed_measure(&options, plan, &speed));
    const rill_several_parts parts = {.devices = options.on.list,
                                      .part = plan->resources.part,
                                      .count = plan->resources.parts,
                                      .nodes = plan->nodes + plan->reservoirs,
                                      .mlups = speed.mlups};
    out->steps = rill_plan_steps_likely(&options, plan);
    out->seconds_host = rill_axes_count(rill_tensor_driven(&plan->porosity, options.axis)) *
                        rill_plan_host_seconds(geom, &options, plan, rill_threads());
    if (speed.mlups > 0) {
        out->mlups = speed.mlups;
        out->nodes_timed = speed.nodes;
        out->edge_timed = speed.edge;
        out->seconds =
            rill_plan_seconds(geom, &options, plan, speed, rill_several_times(&parts), rill_threads());
    }
done:
    rill_device_leave(o->on.device, device);
    return status;
}
