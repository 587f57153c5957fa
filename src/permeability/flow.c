/* SPDX-License-Identifier: Apache-2.0 */
/* Flow rates by Darcy's law. */
#include "permeability/darcy.h"

#include "core/notes.h"
#include "core/status.h"
#include "rill.h"

#include <math.h>
#include <string.h>

/* data/fluids.csv has the sources. */
static const rill_fluid fluids[] = {
    {"water", 1.0016e-3, 998.207}, {"brine", 1.090e-3, 1037.7}, {"air", 1.82e-5, 1.2041}};

rill_status rill_fluid_find(const char *name, rill_fluid *out)
{
    for (size_t i = 0; i < sizeof fluids / sizeof *fluids; i++)
        if (strcmp(name, fluids[i].name) == 0) {
            *out = fluids[i];
            return RILL_OK;
        }
    return rill_fail(
        RILL_USAGE,
        "fluid \"%.40s\" is none of water, brine and air (20 C): give the viscosity of another one, such as \"1.2 mPa.s\"",
        name);
}

rill_status rill_darcy_flow_compute(const rill_geom *geom, const rill_permeability *p, int axis,
                                    const rill_fluid *fluid, double drop, rill_darcy_flow *out)
{
    if (axis < 0 || axis > 2 || !isfinite(p->k[axis][axis]))
        return rill_fail(RILL_USAGE, "a flow needs a permeability along its axis: there is none");
    if (!(geom->spacing > 0))
        return rill_fail(RILL_USAGE, "a flow in SI units needs the voxel size: give it, such as 5.7um");
    if (!(fluid->viscosity > 0) || !isfinite(fluid->viscosity) || !(drop > 0) || !isfinite(drop) ||
        !(fluid->density >= 0))
        return rill_fail(
            RILL_USAGE,
            "viscosity %g Pa s, pressure drop %g Pa and density %g kg/m3 must be positive numbers",
            fluid->viscosity, drop, fluid->density);
    const double dx = geom->spacing, volume = (double)rill_geom_sample(geom) * dx * dx * dx;
    const rill_sample_shape sample = {.length = dx * geom->n[axis],
                                      .volume = volume,
                                      .pores = p->plan.pores.porosity,
                                      .diameter = 4 * p->plan.pores.porosity / p->plan.pores.surface * dx};
    *out = rill_darcy_flow_of(p->k[axis][axis] * dx * dx, &sample, fluid, drop);
    return RILL_OK;
}

rill_darcy_flow rill_darcy_flow_of(double k, const rill_sample_shape *sample, const rill_fluid *fluid,
                                   double drop)
{
    const double velocity = k / fluid->viscosity * drop / sample->length;
    const double pores = velocity / sample->pores; /* mean velocity in them */
    return (rill_darcy_flow){
        .velocity = velocity,
        .rate = velocity * (sample->volume / sample->length),
        .reynolds = fluid->density > 0 ? fluid->density * pores * sample->diameter / fluid->viscosity : NAN};
}

rill_status rill_darcy_note(const rill_geom *geom, const rill_fluid *fluid, double drop, rill_permeability *p)
{
    rill_darcy_flow flow;
    double largest = 0;
    for (int a = 0; a < 3; a++)
        if (isfinite(p->k[a][a]) && rill_darcy_flow_compute(geom, p, a, fluid, drop, &flow) == RILL_OK)
            largest = fmax(largest, flow.reynolds);
    if (!(largest > RILL_DARCY_REYNOLDS)) return RILL_OK;
    return rill_note(
        &p->notes,
        "the flow of %s at %g Pa has a Reynolds number of %.2g, above %d: inertia makes the real flow smaller than Darcy's law says; "
        "take a smaller pressure drop",
        fluid->name, drop, largest, RILL_DARCY_REYNOLDS);
}
