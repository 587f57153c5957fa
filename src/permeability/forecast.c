/* SPDX-License-Identifier: Apache-2.0 */
/* How long planned runs take, for those who have no command line that shows it. */
#include "core/status.h"
#include "core/threads.h"
#include "device/device.h"
#include "permeability/plan.h"

#include <math.h>

rill_status rill_permeability_forecast_make(const rill_geom *geom, const rill_permeability_options *o,
                                            const rill_permeability_plan *plan,
                                            rill_permeability_forecast *out)
{
    rill_status status = RILL_OK;
    rill_permeability_options options = rill_plan_resolve(geom, o);
    rill_device *device = NULL;
    rill_speed speed = {.mlups = 0};
    *out = (rill_permeability_forecast){NAN, NAN, NAN};
    RILL_TRY(rill_device_take(o->device, o->backend, &device));
    options.device = device;
    RILL_TRY(rill_plan_speed_measure(&options, plan, &speed));
    const double devices =
        plan->parts > 1 ? (double)plan->parts / rill_devices_alike(options.devices, plan->parts) : 1;
    out->steps = rill_plan_steps_likely(&options, plan);
    if (speed.mlups > 0) {
        out->mlups = speed.mlups;
        out->seconds = rill_plan_seconds(geom, &options, plan, speed, devices, rill_threads());
    }
done:
    rill_device_leave(o->device, device);
    return status;
}
