/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and JSON of a plan. Nothing is computed here but units. */
#include "cli/vessel.h"
#include "cli/cli.h"
#include "cli/devices.h"
#include "core/units.h"
#include "io/json_file.h"
#include "vessel/plan/expected.h"
#include "vessel/plan/plan.h"
#include "vessel/case/end_kinds.h"

#include <math.h>
#include <string.h>

static const char *const laws[] = {"newtonian", "carreau-yasuda", "casson"};

#define MMHG 133.322387415

/* Write a time in a readable unit. */
static const char *digits(double seconds, int count, char *text, size_t size)
{
    static const double units[] = {86400, 3600, 60, 1, 1e-3, 1e-6};
    static const char *const names[] = {"d", "h", "min", "s", "ms", "us"};
    int k = 0;
    while (k < 5 && seconds < units[k]) k++;
    const double value = seconds / units[k];
    snprintf(text, size, value < 100 ? "%.*g %s" : "%.*f %s", value < 100 ? count : 0, value, names[k]);
    return text;
}

static const char *duration(double seconds, char *text, size_t size)
{
    return digits(seconds, 3, text, size);
}

/* Of an estimate. */
static const char *about(double seconds, char *text, size_t size) { return digits(seconds, 2, text, size); }

/* The profile of an inlet that was measured. */
static void print_points(const rill_end *e, const rill_case_plan_opening *p)
{
    char times[32] = "", flow[64];
    if (p->times > 1) snprintf(times, sizeof times, ", %u times", p->times);
    if (e->from_file)
        snprintf(flow, sizeof flow, "which is imposed");
    else
        snprintf(flow, sizeof flow, "scaled by %.4g to the given one", p->flow_mean / p->file_flow);
    cli_row("", "velocities of %u points%s, %.3g mm apart, over %.3g %% of the opening", p->points, times,
            1e3 * p->points_apart, 100 * p->coverage);
    cli_row("", "they bring %.4g mL/s in the mean, %s", 1e6 * p->file_flow, flow);
}

static void print_opening(const rill_case *c, const rill_opening *o, const rill_case_plan_opening *p)
{
    const rill_end *e = &c->ends[p->end];
    char label[RILL_OPENING_NAME + 4], more[96] = "";
    snprintf(label, sizeof label, "  %s", o->name);
    if (p->womersley > 0) snprintf(more, sizeof more, ", alpha %.3g", p->womersley);
    cli_row(label, "%s, %.3g cells across, %.3g mm2%s", rill_end_kind_names[e->kind], p->cells, 1e6 * o->area,
            more);
    if (p->flow_peak != 0)
        cli_row("", "flow %.4g mL/s, peak %.4g; %.3g m/s, Reynolds %.3g at the peak", 1e6 * p->flow_mean,
                1e6 * p->flow_peak, p->velocity_peak, p->reynolds);
    if (p->points) print_points(e, p);
    if (e->kind != RILL_END_INLET)
        cli_row("", "pressure %.4g mmHg, peak %.4g%s", p->pressure_mean / MMHG, p->pressure_peak / MMHG,
                isnan(p->share) || p->share == 0 ? "" : "; before the vessel's own resistance");
    if (p->sponge > 0)
        cli_row("", "sponge layer in the last %.3g mm of its extension, %.3g mPa s at the opening",
                1e3 * p->sponge, 1e3 * p->sponge_nu * c->density);
}

/* The time step, the limit that binds, and how long it could be by each of the others. */
static void print_time_step(const rill_case *c, const rill_case_plan *p)
{
    static const char *const limits[RILL_STEP_LIMITS] = {[RILL_STEP_TAU] = "tau of at most 0.8",
                                                         [RILL_STEP_AT_REST] = "tau of at most 5 at rest",
                                                         [RILL_STEP_PRESSURES] = "pressures that oscillate",
                                                         [RILL_STEP_STORED] = "what the lattice stores"};
    char text[64], mach[64], others[256] = "";
    const rill_step_limits step = rill_case_plan_step_limits(c, p);
    const rill_step_limit limit = step.binding;
    int length = 0;
    snprintf(mach, sizeof mach, "Mach number of at most %.3g%s", c->run.mach > 0 ? c->run.mach : 0.1,
             c->run.mach > 0 ? " as requested" : "");
    if (limit == RILL_STEP_RESUMED || limit == RILL_STEP_REQUESTED) {
        cli_row("time step", "%s: %s%s", duration(p->scales.time, text, sizeof text),
                limit == RILL_STEP_RESUMED ? "that of the checkpoint" : "as requested",
                limit == RILL_STEP_REQUESTED && p->cycle_steps ? ", with a whole number of steps in a cycle"
                                                               : "");
        return;
    }
    cli_row("time step", "%s: limited by %s", duration(p->scales.time, text, sizeof text),
            limits[limit] ? limits[limit] : mach);
    for (int k = 0; k < RILL_STEP_LIMITS; k++)
        if (k != (int)limit && isfinite(step.allowed[k]))
            length +=
                snprintf(others + length, sizeof others - (size_t)length, "%s%s (%s)", length ? ", " : "",
                         duration(step.allowed[k], text, sizeof text), limits[k] ? limits[k] : mach);
    cli_row("", "others allow %s", others);
}

static void print_step(const rill_case *c, const rill_case_plan *p)
{
    char text[64], more[64];
    print_time_step(c, p);
    if (p->viscosity.tau_high > p->viscosity.tau_low * (1 + 1e-9))
        cli_row("tau", "%.5g to %.4g: %s, %.4g where it is sheared as at the inlet", p->viscosity.tau_low,
                p->viscosity.tau_high, laws[c->law.kind], p->options.tau);
    else
        cli_row("tau", "%.5g: viscosity %.4g mPa s, density %.5g kg/m3", p->viscosity.tau_low,
                1e3 * p->viscosity.nu * c->density, c->density);
    if (p->transport.scalars)
        cli_row("carried", "diffusivity %.4g m2/s: Peclet number of a cell %.3g at most",
                p->transport.diffusivity, p->transport.cell_peclet);
    cli_row("Mach, Reynolds, Womersley", "%.3g, %.4g, %.3g; at most %.3g m/s expected", p->peak.mach,
            p->peak.reynolds, p->peak.womersley, p->peak.velocity);
    cli_row("limits", "a run stops above Mach %.3g, and at pressures below %.4g or above %.4g mmHg",
            p->peak.mach_limit, (p->scales.base - p->pressure.limit) / MMHG,
            (p->scales.base + p->pressure.limit) / MMHG);
    if (p->pressure.start > 0)
        cli_row("", "by %.4g mmHg more in the first %s, while echoes of the start decay",
                p->pressure.start / MMHG,
                duration((double)p->start.steps * p->scales.time, more, sizeof more));
    if (p->cycle_steps)
        cli_row("steps", "%llu for a cycle of %s, at most %d cycles", (unsigned long long)p->cycle_steps,
                duration(c->run.period, text, sizeof text), c->run.cycles);
    else
        cli_row("steps", "at most %llu, %s", (unsigned long long)p->steps,
                duration((double)p->steps * p->scales.time, text, sizeof text));
    cli_row("soft start", "%s, %llu steps",
            duration((double)p->start.soft * p->scales.time, more, sizeof more),
            (unsigned long long)p->start.soft);
    if (p->start.lead)
        cli_row("lead-in", "%s, %llu steps before the first cycle, the soft start among them",
                duration((double)p->start.lead * p->scales.time, more, sizeof more),
                (unsigned long long)p->start.lead);
}

static void print_compliance(const rill_case_plan_compliance *p)
{
    char of[64] = "", stored[64] = "", sound[80] = "", settles[64] = "";
    if (p->share > 0) snprintf(of, sizeof of, ", %.2g %% of the Windkessels'", 100 * p->share);
    if (p->stored > 0) snprintf(stored, sizeof stored, ", stores %.2g %% of the stroke", 100 * p->stored);
    if (p->sound > 0) snprintf(sound, sizeof sound, ", changes the flow by %.2g %%", 100 * p->sound);
    if (p->settling > 0) snprintf(settles, sizeof settles, ", settles with %.2g s", p->settling);
    cli_row("lattice compliance", "%.3g mL/mmHg%s%s%s%s", 1e6 * MMHG * p->lattice, of, stored, sound,
            settles);
}

/* Print errors of a flow, or that they are at least so large. */
static void print_three(const char *label, const char *where, bool at_least, double mean, double local,
                        double pressure, const char *behind)
{
    const char *least = at_least ? "at least " : "";
    cli_row(label, "%swall shear %s%.2g %% in its mean and %s%.2g %% locally, pressure drop %s%.2g %%%s",
            where, least, 100 * mean, least, 100 * local, least, 100 * pressure, behind);
}

/* Errors of straight pipes and of a bend, as known from verification with the same walls. */
static void print_errors(const rill_case *c, const rill_case_plan_errors *e)
{
    const char *walls = c->walls == RILL_WALLS_QUADRATIC ? "quadratic walls and " : "";
    char layer[64] = "";
    if (isnan(e->local)) return;
    if (e->layer > 0) snprintf(layer, sizeof layer, ", %.2g in the boundary layer", e->layer);
    print_three("expected error", "", e->at_least, e->mean, e->local, e->pressure, ",");
    cli_row("", "of a pipe oblique to the lattice with %s%.3g cells across%s, at tau %.4g", walls, e->cells,
            layer, e->tau);
    for (int k = 0; k < RILL_CASE_PLAN_SHAPES; k++) {
        static const char *const where[] = {"in a pipe along an axis of the lattice, ",
                                            "on flat walls oblique to the lattice, ",
                                            "in a stenosis of half the width, "};
        const rill_shape_errors *of = &e->shape[k];
        if (isnan(of->pressure)) continue;
        print_three("", where[k], of->at_least, of->mean, of->local, of->pressure, "");
    }
    if (e->sound > 0.001)
        cli_row("", "%.2g %% of each are the change of the flow along the vessel by sound", 100 * e->sound);
    if (!isnan(e->bend))
        cli_row("", "in a bend of five radii, Dean number %.3g, wall shear %s%.2g %% locally", e->dean,
                e->bend_at_least ? "at least " : "", 100 * e->bend);
}

/* What a plan says of several parts. */
static cli_devices_plan parts_of(const rill_case_plan *p)
{
    return (cli_devices_plan){.given = p->options.on.count,
                              .parts = {.devices = p->options.on.list,
                                        .part = p->resources.part,
                                        .count = p->resources.parts,
                                        .nodes = p->nodes,
                                        .mlups = p->speed.mlups_one,
                                        .openings = true,
                                        .split = p->resources.split}};
}

void cli_case_print_plan(const rill_case *c, const rill_geom *geom, const rill_case_plan *p)
{
    static const char *const walls[] = {"interpolated", "half-way", "interpolated quadratically"};
    char length[64], variant[96], cycle[64], all[64];
    rill_units_format_length(geom->spacing, length, sizeof length);
    rill_variant_name(p->options.variant, variant, sizeof variant);
    cli_row("geometry", "%s", c->geometry);
    cli_row("voxels", "%u x %u x %u, edge %s", geom->n[0], geom->n[1], geom->n[2], length);
    cli_row("fluid nodes", "%llu, wall links %llu (%s)", (unsigned long long)p->nodes,
            (unsigned long long)p->wall_links, walls[c->walls]);
    cli_row("openings", "%d", p->opening_count);
    for (int k = 0; k < p->opening_count; k++) print_opening(c, &geom->surface->openings[k], &p->openings[k]);
    print_step(c, p);
    print_compliance(&p->compliance);
    print_errors(c, &p->errors);
    cli_row("variant", "%s: %s", variant, p->variant_reason);
    const cli_devices_plan devices = parts_of(p);
    cli_devices_rows(&devices, geom->n);
    cli_threads_row(p->nodes, p->resources.device_bytes);
    cli_memory_rows(p->host_peak, p->resources.host_bytes, p->resources.host_free, p->resources.device_bytes,
                    p->resources.device_free);
    char results[32], checkpoint[32];
    rill_units_format_bytes((double)p->output_bytes, results, sizeof results);
    rill_units_format_bytes((double)p->checkpoint_bytes, checkpoint, sizeof checkpoint);
    cli_row("disk", "results of at most %s, checkpoints of %s, of which there are up to three", results,
            checkpoint);
    if (p->speed.measured && p->cycle_steps)
        cli_row("time", "about %s a cycle, %s for %d, at %.3g MLUPS",
                about(p->speed.seconds_cycle, cycle, sizeof cycle), about(p->speed.seconds, all, sizeof all),
                c->run.cycles, p->speed.mlups);
    else if (p->speed.measured)
        cli_row("time", "at most about %s, at %.3g MLUPS", about(p->speed.seconds, all, sizeof all),
                p->speed.mlups);
    bool refused = false;
    for (int k = 0; k < p->verdict_count; k++) {
        refused |= p->verdicts[k].refuses;
        cli_row(p->verdicts[k].refuses ? "REFUSED" : "note", "%s", p->verdicts[k].text);
    }
    if (!refused) cli_row("verdict", "it can run");
}

/* What a measured profile is made from; null for others. */
static json_t *points_json(const rill_end *e, const rill_case_plan_opening *p)
{
    if (p->points == 0) return json_null();
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:b}", "points", (json_int_t)p->points, "times",
                     (json_int_t)p->times, "apart_m", rill_json_real(p->points_apart), "coverage",
                     rill_json_real(p->coverage), "flow_m3_per_s", rill_json_real(p->file_flow),
                     "flow_from_file", e->from_file);
}

static json_t *opening_json(const rill_case *c, const rill_opening *o, const rill_case_plan_opening *p)
{
    return json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", o->name,
        "kind", rill_end_kind_names[c->ends[p->end].kind], "cells", rill_json_real(p->cells), "area_m2",
        rill_json_real(o->area), "flow_mean_m3_per_s", rill_json_real(p->flow_mean), "flow_peak_m3_per_s",
        rill_json_real(p->flow_peak), "velocity_peak_m_per_s", rill_json_real(p->velocity_peak),
        "pressure_mean_pa", rill_json_real(p->pressure_mean), "pressure_peak_pa",
        rill_json_real(p->pressure_peak), "pressure_start_pa", rill_json_real(p->pressure_start), "reynolds",
        rill_json_real(p->reynolds), "womersley", rill_json_real(p->womersley), "profile_kept",
        rill_json_real(p->kept), "profile_kept_at_s", rill_json_real(p->kept_when), "outward_m_per_s",
        rill_json_real(p->outward), "velocities", points_json(&c->ends[p->end], p));
}

static json_t *numbers_json(const rill_case *c, const rill_geom *geom, const rill_case_plan *p)
{
    return json_pack(
        "{s:s, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}",
        "case", c->path, "geometry", c->geometry, "spacing_m", rill_json_real(geom->spacing), "fluid_nodes",
        (json_int_t)p->nodes, "wall_links", (json_int_t)p->wall_links, "opening_links",
        (json_int_t)p->opening_links, "time_step_s", rill_json_real(p->scales.time), "tau",
        rill_json_real(p->options.tau), "tau_low", rill_json_real(p->viscosity.tau_low), "tau_high",
        rill_json_real(p->viscosity.tau_high), "velocity_peak_m_per_s", rill_json_real(p->peak.velocity),
        "mach", rill_json_real(p->peak.mach), "reynolds", rill_json_real(p->peak.reynolds), "womersley",
        rill_json_real(p->peak.womersley), "steps", (json_int_t)p->steps, "cycle_steps",
        (json_int_t)p->cycle_steps, "soft_steps", (json_int_t)p->start.soft, "lead_steps",
        (json_int_t)p->start.lead, "host_bytes", (json_int_t)p->resources.host_bytes, "device_bytes",
        (json_int_t)p->resources.device_bytes, "mlups",
        rill_json_real(p->speed.measured ? p->speed.mlups : NAN), "seconds_cycle",
        rill_json_real(p->speed.measured ? p->speed.seconds_cycle : NAN), "seconds",
        rill_json_real(p->speed.measured ? p->speed.seconds : NAN), "mach_limit",
        rill_json_real(p->peak.mach_limit), "pressure_lowest_pa",
        rill_json_real(p->scales.base - p->pressure.limit), "pressure_highest_pa",
        rill_json_real(p->scales.base + p->pressure.limit));
}

/* What each limit of the time step allows; those that do not apply are left out. */
static json_t *step_json(const rill_case *c, const rill_case_plan *p)
{
    const rill_step_limits step = rill_case_plan_step_limits(c, p);
    json_t *allowed = json_object();
    for (int k = 0; k < RILL_STEP_LIMITS; k++)
        if (isfinite(step.allowed[k]))
            json_object_set_new(allowed, rill_step_limit_name((rill_step_limit)k),
                                rill_json_real(step.allowed[k]));
    return json_pack("{s:s, s:o}", "by", rill_step_limit_name(step.binding), "allowed_s", allowed);
}

static json_t *compliance_json(const rill_case_plan_compliance *p)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "volume_m3", rill_json_real(p->volume),
                     "lattice_m3_per_pa", rill_json_real(p->lattice), "windkessels_m3_per_pa",
                     rill_json_real(p->circuit), "share", rill_json_real(p->share), "stored",
                     rill_json_real(p->stored), "flow_change", rill_json_real(p->sound), "settling_s",
                     rill_json_real(p->settling), "pressure_change", rill_json_real(p->change));
}

/* Errors of shapes by their names; those that are not known are left out. */
static json_t *shapes_json(const rill_case_plan_errors *e)
{
    json_t *all = json_object();
    for (int k = 0; k < RILL_CASE_PLAN_SHAPES; k++) {
        const rill_shape_errors *of = &e->shape[k];
        if (isnan(of->pressure)) continue;
        json_object_set_new(all, rill_case_plan_shape_name((rill_case_plan_shape)k),
                            json_pack("{s:o, s:o, s:o, s:b}", "pressure_drop", rill_json_real(of->pressure),
                                      "wall_shear_mean", rill_json_real(of->mean), "wall_shear_local",
                                      rill_json_real(of->local), "at_least", of->at_least));
    }
    return all;
}

static json_t *errors_json(const rill_case *c, const rill_case_plan_errors *e)
{
    return json_pack("{s:s?, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}", "walls",
                     isnan(e->local)                    ? NULL
                     : c->walls == RILL_WALLS_QUADRATIC ? "quadratic"
                                                        : "interpolated",
                     "cells", rill_json_real(e->cells), "tau", rill_json_real(e->tau), "boundary_layer_cells",
                     rill_json_real(e->layer > 0 ? e->layer : NAN), "pressure_drop",
                     rill_json_real(e->pressure), "wall_shear_mean", rill_json_real(e->mean),
                     "wall_shear_local", rill_json_real(e->local), "dean", rill_json_real(e->dean),
                     "wall_shear_local_in_bend", rill_json_real(e->bend), "flow_change",
                     rill_json_real(e->sound), "cell_reynolds", rill_json_real(e->cell_reynolds),
                     "cell_reynolds_measured", rill_json_real(e->measured), "at_least", e->at_least,
                     "bend_at_least", e->bend_at_least, "shapes", shapes_json(e));
}

json_t *cli_case_plan_json(const rill_case *c, const rill_geom *geom, const rill_case_plan *p)
{
    char variant[96];
    bool refused = false;
    const cli_devices_plan devices = parts_of(p);
    json_t *json = numbers_json(c, geom, p), *openings = json_array(), *verdicts = json_array();
    rill_variant_name(p->options.variant, variant, sizeof variant);
    for (int k = 0; k < p->opening_count; k++)
        json_array_append_new(openings, opening_json(c, &geom->surface->openings[k], &p->openings[k]));
    for (int k = 0; k < p->verdict_count; k++) {
        refused |= p->verdicts[k].refuses;
        json_array_append_new(verdicts, json_pack("{s:b, s:s}", "refuses", p->verdicts[k].refuses, "text",
                                                  p->verdicts[k].text));
    }
    if (!json || json_object_set_new(json, "variant", json_string(variant)) ||
        json_object_set_new(json, "output_bytes", json_integer((json_int_t)p->output_bytes)) ||
        json_object_set_new(json, "checkpoint_bytes", json_integer((json_int_t)p->checkpoint_bytes)) ||
        json_object_set_new(json, "parts", cli_devices_json(&devices)) ||
        json_object_set_new(json, "time_step_limit", step_json(c, p)) ||
        json_object_set_new(json, "compliance", compliance_json(&p->compliance)) ||
        json_object_set_new(json, "expected_errors", errors_json(c, &p->errors)) ||
        json_object_set_new(json, "openings", openings) || json_object_set_new(json, "verdicts", verdicts) ||
        json_object_set_new(json, "can_run", json_boolean(!refused))) {
        json_decref(json);
        return NULL;
    }
    return json;
}
