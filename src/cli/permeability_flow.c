/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a permeability as the flow of a fluid. */
#include "cli/permeability.h"
#include "cli/cli.h"
#include "geometry/voxels/axes.h"
#include "io/json_file.h"

#include <math.h>

/* Read what an option gives. @param text  NULL: it is not given, and the value stays */
static rill_status value_read(const char *option, const char *text, const char *unit, double *value)
{
    const rill_status status = text ? rill_units_parse(text, unit, value) : RILL_OK;
    if (status != RILL_OK) rill_fail_prefix("%s", option);
    return status;
}

rill_status cli_flow_settle(cli_flow *f)
{
    rill_status status = RILL_OK;
    if (!f->fluid && !f->viscosity && !f->density && !f->drop) return RILL_OK;
    if (!f->drop)
        return rill_fail(RILL_USAGE, "a flow needs its pressure drop: add --pressure-drop, such as 1bar");
    if (!f->fluid == !f->viscosity)
        return rill_fail(RILL_USAGE,
                         "a flow needs either --fluid water, brine or air, or --viscosity \"1 mPa.s\"");
    snprintf(f->of.name, sizeof f->of.name, "a fluid");
    if (f->fluid) RILL_TRY(rill_fluid_find(f->fluid, &f->of));
    RILL_TRY(value_read("--viscosity", f->viscosity, "Pa.s", &f->of.viscosity));
    RILL_TRY(value_read("--density", f->density, "kg/m3", &f->of.density));
    RILL_TRY(value_read("--pressure-drop", f->drop, "Pa", &f->pressure));
    if (!(f->pressure > 0) || !(f->of.viscosity > 0) || !(f->of.density >= 0))
        RILL_TRY(rill_fail(RILL_USAGE, "--pressure-drop, --viscosity and --density must be above 0"));
done:
    return status;
}

rill_status cli_flow_check(const cli_flow *f, const rill_geom *geom)
{
    if (f->pressure == 0 || geom->spacing > 0) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "--pressure-drop: a flow in SI units needs the voxel size: add --voxel-size, such as 5.7um");
}

/* Find the flow along an axis. @return false where there is none */
static bool flow_of(const cli_permeability_result *r, int axis, rill_darcy_flow *flow)
{
    return r->flow && rill_axes_has(r->options->axis, axis) && isfinite(r->result->k[axis][axis]) &&
           rill_darcy_flow_compute(r->p->geom, r->result, axis, &r->flow->of, r->flow->pressure, flow) ==
               RILL_OK;
}

void cli_permeability_print_flow(const cli_permeability_result *r)
{
    rill_darcy_flow flow;
    for (int a = 0; a < 3; a++) {
        char reynolds[64] = "not known without --density";
        if (!flow_of(r, a, &flow)) continue;
        if (isfinite(flow.reynolds))
            snprintf(reynolds, sizeof reynolds, "%.2g%s", flow.reynolds,
                     flow.reynolds > RILL_DARCY_REYNOLDS ? ": above 1, see the note" : "");
        cli_row("flow", "%s along %c, %.6g Pa over %u voxels: %.6g m3/s, Darcy velocity %.6g m/s",
                r->flow->of.name, rill_axis(a), r->flow->pressure, r->p->geom->n[a], flow.rate,
                flow.velocity);
        cli_row("  Reynolds number", "%s", reynolds);
    }
}

json_t *cli_flow_json(const rill_darcy_flow *flow)
{
    return json_pack("{s:o, s:o, s:o, s:b}", "rate_m3_s", rill_json_real(flow->rate), "darcy_velocity_m_s",
                     rill_json_real(flow->velocity), "reynolds", rill_json_real(flow->reynolds), "stokes",
                     !(flow->reynolds > RILL_DARCY_REYNOLDS));
}

json_t *cli_permeability_flow_json(const cli_permeability_result *r)
{
    if (!r->flow) return json_null();
    json_t *axes = json_object();
    rill_darcy_flow flow;
    for (int a = 0; a < 3; a++) {
        const char key[2] = {rill_axis(a), '\0'};
        if (flow_of(r, a, &flow)) json_object_set_new(axes, key, cli_flow_json(&flow));
    }
    return json_pack("{s:s, s:f, s:o, s:f, s:o}", "fluid", r->flow->of.name, "viscosity_Pa_s",
                     r->flow->of.viscosity, "density_kg_m3",
                     r->flow->of.density > 0 ? rill_json_real(r->flow->of.density) : json_null(),
                     "pressure_drop_Pa", r->flow->pressure, "axes", axes);
}
