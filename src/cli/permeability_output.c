/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of a permeability. Nothing is computed here but units. */
#include "cli/permeability.h"
#include "cli/cli.h"
#include "cli/devices.h"
#include "cli/error_bar_output.h"
#include "core/threads.h"
#include "core/units.h"
#include "io/json_file.h"
#include "io/result.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/sides.h"
#include "kernel/variant.h"
#include "permeability/plan.h"
#include "permeability/tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where it will run, and why not on a device when the choice was left open. */
static void print_backend(rill_backend_kind backend)
{
    if (backend == RILL_BACKEND_CUDA)
        cli_row("backend", "cuda");
    else if (backend == RILL_BACKEND_CPU)
        cli_row("backend", "cpu");
    else if (rill_backend_available(RILL_BACKEND_CUDA))
        cli_row("backend", "cuda: a device is there");
    else
        cli_row("backend", "cpu: %s", rill_error_message());
}

/* An estimate: no more digits than it is worth, and no power of ten that must be worked out. */
static double two_digits(double x)
{
    const double unit = x > 0 ? pow(10, floor(log10(x)) - 1) : 1;
    return round(x / unit) * unit;
}

/* What a plan says of several parts. */
static cli_devices_plan parts_of(const rill_permeability_options *options, const rill_permeability_plan *p,
                                 double mlups)
{
    return (cli_devices_plan){.given = options->on.count,
                              .parts = {.devices = options->on.list,
                                        .part = p->resources.part,
                                        .count = p->resources.parts,
                                        .nodes = p->nodes + p->reservoirs,
                                        .mlups = isfinite(mlups) ? mlups : 0}};
}

/* The variant of a run in the storage that its plan chose. */
static rill_variant stored(rill_variant variant, const rill_permeability_plan *plan)
{
    variant.storage = plan->storage;
    return variant;
}

static void print_axes(int axes, int normal)
{
    char list[16] = "";
    for (int a = 0, named = 0; a < 3; a++)
        if (rill_axes_has(axes, a))
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%c", named++ ? ", " : "",
                     rill_axis(a));
    if (normal < 0)
        cli_row("flow along", "%s", list);
    else
        cli_row("flow along", "%s, %s", list,
                rill_axes_has(axes, normal) ? "through the slice: pores go on behind it as they are"
                                            : "in the plane of the slice");
}

void cli_permeability_print_plan(const rill_geom *geom, const rill_permeability_answer *answer)
{
    const rill_permeability_options *options = &answer->options;
    const rill_permeability_plan *p = &answer->plan;
    const rill_permeability_forecast *f = &answer->forecast;
    char variant[96], stepped[64];
    const int driven = rill_tensor_driven(&p->porosity, options->axis), runs = rill_axes_count(driven);
    rill_variant_name(stored(options->variant, p), variant, sizeof variant);
    cli_geom_rows(geom, "unknown: no m2 and darcy without --voxel-size");
    print_axes(driven, rill_axes_normal(geom->n));
    cli_row("porosity", "%.5f", p->porosity.total);
    if (p->porosity.connected >= 0) cli_row("  connected to a face", "%.5f", p->porosity.connected);
    cli_row("  percolating", "x %.5f   y %.5f   z %.5f", p->porosity.percolating[0],
            p->porosity.percolating[1], p->porosity.percolating[2]);
    if (geom->surface)
        cli_row("walls", "interpolated bounce-back on %llu links",
                (unsigned long long)geom->surface->wall_count);
    if (p->dropped) cli_row("pore voxels dropped", "%llu", (unsigned long long)p->dropped);
    if (geom->outside)
        cli_row("sample", "%llu voxels, %.5f of the box: porosities and k are of these",
                (unsigned long long)rill_geom_sample(geom),
                (double)rill_geom_sample(geom) / (double)rill_geom_voxels(geom));
    cli_row("fluid nodes", "%llu (%.5f of the %s)", (unsigned long long)p->nodes, p->pores.porosity,
            geom->outside ? "sample" : "box");
    cli_row("variant", "%s: %s", variant, answer->variant_reason);
    if (p->ghosts)
        cli_row("ghosts", "%llu (%.2f of the nodes)", (unsigned long long)p->ghosts,
                (double)p->ghosts / (double)p->nodes);
    print_backend(options->on.backend);
    cli_row("tau", "%.4g (viscosity %.4g): %s", p->tau, p->nu, p->tau_reason);
    if (p->reservoirs)
        cli_row("reservoirs", "%u voxels long, %llu nodes more", options->reservoir,
                (unsigned long long)p->reservoirs);
    cli_row(p->reservoirs ? "pressure drop / length" : "force", "%.3g: %s", p->force, p->force_reason);
    cli_row("expected Mach, Reynolds", "%.2g, %.2g", p->mach, p->reynolds);
    const cli_devices_plan devices = parts_of(options, p, f->mlups);
    cli_devices_rows(&devices, geom->n);
    cli_threads_row(p->nodes + p->reservoirs, p->resources.device_bytes);
    cli_memory_rows(answer->host_peak, p->resources.host_bytes, p->resources.host_free,
                    p->resources.device_bytes, p->resources.device_free);
    if (f->edge_timed)
        snprintf(stepped, sizeof stepped, "a box of %u^3 nodes", f->edge_timed);
    else
        snprintf(stepped, sizeof stepped, "%llu nodes of the sample", (unsigned long long)f->nodes_timed);
    if (isfinite(f->mlups))
        cli_row("expected steps, time",
                "about %g%s, %g s: steps at the %.3g MLUPS of %s, and %g s on the processors",
                two_digits(f->steps), runs > 1 ? " for each axis" : "", two_digits(f->seconds), f->mlups,
                stepped, two_digits(f->seconds_host));
}

/* The parts of the whole time, of which one is the rest of the others: they add up. */
typedef struct spans {
    double stepping, ending, other;
} spans;

static spans spans_of(const cli_permeability_result *r)
{
    const rill_permeability *p = r->result;
    const cli_permeability_times *t = &r->times;
    spans s = {.stepping = -p->seconds_before, .ending = p->seconds_ending - t->write};
    for (int i = 0; i < p->run_count; i++) s.stepping += p->runs[i].seconds;
    s.other = t->total - r->p->reading - t->plan - p->seconds_domain - p->seconds_setup -
              p->seconds_attempts - s.stepping - s.ending - t->write - t->bar;
    return s;
}

static void times_print(const cli_permeability_result *r)
{
    const rill_permeability *p = r->result;
    const cli_permeability_times *t = &r->times;
    const spans s = spans_of(r);
    char some[96] = "", before[64] = "";
    int length = 0;
    if (p->seconds_attempts > 0)
        length = snprintf(some, sizeof some, ", attempts without a result %.1f", p->seconds_attempts);
    if (t->bar > 0) snprintf(some + length, sizeof some - (size_t)length, ", error bar %.1f", t->bar);
    if (p->seconds_before > 0)
        snprintf(before, sizeof before, "; before the checkpoint %.1f more", p->seconds_before);
    cli_row(
        "time",
        "%.1f s: reading %.1f, planning %.1f, domain %.1f, set-up %.1f%s, stepping %.1f, ending %.1f, fields %.1f, other %.1f%s",
        t->total, r->p->reading, t->plan, p->seconds_domain, p->seconds_setup, some, s.stepping, s.ending,
        t->write, s.other, before);
}

static void print(const void *result)
{
    const cli_permeability_result *r = result;
    const rill_permeability *p = r->result;
    cli_permeability_print_values(r);
    cli_permeability_print_flow(r);
    cli_permeability_print_walls(r);
    for (int i = 0; i < p->run_count; i++) {
        const rill_permeability_flow *run = &p->runs[i];
        cli_row(p->run_count > 1 ? (const char *[]){"run along x", "run along y", "run along z"}[run->axis]
                                 : "run",
                "%llu steps, %.1f s, %.1f MLUPS", (unsigned long long)run->steps, run->seconds, run->mlups);
        if (isfinite(run->coarse))
            cli_row("  start", "from voxels twice as large: k %.6g lu of these, %llu steps", run->coarse,
                    (unsigned long long)run->coarse_steps);
        if (run->chambers)
            cli_row("  pressures", "corrected by a pore network of %u chambers, %d cycles of %llu steps",
                    run->chambers, run->cycles, (unsigned long long)p->plan.cycle);
        char tortuosity[64];
        cli_with_uncertainty(run->tortuosity, run->tortuosity_uncertainty, tortuosity, sizeof tortuosity);
        if (!isfinite(run->reynolds)) continue;
        cli_row("  hydraulic tortuosity", "%s", tortuosity);
        cli_row("  Re, Ma", "%.2g, %.2g", run->reynolds, run->mach);
        if (run->edge_share > 0)
            cli_row("  through edges", "up to %.3g %% of the flow", 100 * run->edge_share);
    }
    cli_row("backend, device", "%s, %s", p->backend, p->device);
    times_print(r);
    if (r->p->compute.json) cli_row("summary", "%s", r->p->compute.json);
    if (r->output) cli_row("series", "%s", r->output);
    for (int i = 0; i < p->run_count; i++)
        if (r->fields[i]) cli_row("fields", "%s", r->fields[i]);
}

/* Eigenvalues of a tensor with their directions; null without a tensor. */
static json_t *json_principal(const rill_permeability *p, double m2)
{
    if (!isfinite(p->principal[0])) return json_null();
    json_t *lu = json_array(), *metres = json_array(), *darcy = json_array();
    for (int i = 0; i < 3 && isfinite(p->principal[i]); i++) {
        json_array_append_new(lu, rill_json_real(p->principal[i]));
        json_array_append_new(metres, rill_json_real(p->principal[i] * m2));
        json_array_append_new(darcy, rill_json_real(p->principal[i] * m2 / RILL_DARCY));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "lu", lu, "m2", metres, "darcy", darcy, "axes",
                     cli_json_directions(p->principal, p->principal_axes));
}

static json_t *json_runs(const rill_geom *geom, const rill_permeability *p)
{
    json_t *list = json_array();
    for (int i = 0; i < p->run_count; i++) {
        const rill_permeability_flow *run = &p->runs[i];
        const char axis[2] = {rill_axis(run->axis), '\0'};
        json_array_append_new(
            list,
            json_pack("{s:s, s:b, s:s, s:s, s:I, s:i, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o}",
                      "axis", axis, "converged", run->converged, "reason", run->reason, "storage",
                      rill_storage_names[run->storage], "steps", (json_int_t)run->steps, "cycles",
                      run->cycles, "chambers", (json_int_t)run->chambers, "last", cli_json_axes(run->last),
                      "uncertainty_lu", cli_json_axes(run->uncertainty), "tortuosity",
                      rill_json_real(run->tortuosity), "tortuosity_uncertainty",
                      rill_json_real(run->tortuosity_uncertainty), "reynolds", rill_json_real(run->reynolds),
                      "mach", rill_json_real(run->mach), "edge_share", rill_json_real(run->edge_share),
                      "seconds", run->seconds, "mlups", run->mlups, "walls",
                      cli_permeability_walls_json(geom, run)));
    }
    return list;
}

/* What holds for all runs together: the mean tortuosity, which is off by the mean of what each is at most,
 * the largest Reynolds and Mach number, all steps. */
typedef struct overall {
    double tortuosity, tortuosity_uncertainty, reynolds, mach, stepping, mlups;
    uint64_t steps;
    double last[3][3];
    double edge_share[3]; /* of the runs along x, y, z; NaN without one */
} overall;

static overall overall_take(const rill_permeability *p)
{
    overall o = {0};
    for (int i = 0; i < 9; i++) o.last[i / 3][i % 3] = o.edge_share[i % 3] = NAN;
    for (int i = 0; i < p->run_count; i++) {
        const rill_permeability_flow *run = &p->runs[i];
        o.tortuosity += run->tortuosity / p->run_count;
        o.tortuosity_uncertainty += run->tortuosity_uncertainty / p->run_count;
        o.reynolds = i == 0 || run->reynolds > o.reynolds ? run->reynolds : o.reynolds;
        o.mach = i == 0 || run->mach > o.mach ? run->mach : o.mach;
        o.stepping += run->seconds;
        o.steps += run->steps;
        for (int b = 0; b < 3; b++) o.last[b][run->axis] = run->last[b];
        o.edge_share[run->axis] = run->edge_share;
    }
    o.mlups = o.stepping > 0
                  ? (double)(p->plan.nodes + p->plan.reservoirs) * (double)o.steps / o.stepping * 1e-6
                  : 0;
    return o;
}

static json_t *json_performance(const cli_permeability_result *r, const overall *o)
{
    const rill_permeability *p = r->result;
    const spans times = spans_of(r);
    const double fluid = (double)p->plan.nodes / (double)rill_geom_voxels(r->p->geom);
    return json_pack(
        "{s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "mlups", o->mlups,
        "bytes_per_update", rill_variant_bytes(stored(r->options->variant, &p->plan), fluid).cached,
        "seconds", r->times.total, "seconds_reading", r->p->reading, "seconds_planning", r->times.plan,
        "seconds_domain", p->seconds_domain, "seconds_setup", p->seconds_setup, "seconds_attempts",
        p->seconds_attempts, "seconds_stepping", times.stepping, "seconds_ending", times.ending,
        "seconds_fields", r->times.write, "seconds_error_bar", r->times.bar, "seconds_other", times.other,
        "seconds_before_checkpoint", p->seconds_before);
}

static json_t *json(const void *result)
{
    const cli_permeability_result *r = result;
    const rill_permeability *p = r->result;
    const rill_permeability_plan *plan = &p->plan;
    const rill_geom *geom = r->p->geom;
    const overall o = overall_take(p);
    const double m2 = cli_square_metres(geom);
    const char *reason = "";
    char variant[96];
    rill_variant_name(stored(r->options->variant, plan), variant, sizeof variant);
    for (int i = p->run_count - 1; i >= 0; i--)
        if (!p->runs[i].converged) reason = p->runs[i].reason;
    const cli_devices_plan devices = parts_of(r->options, plan, r->mlups);
    return json_pack(
        "{s:{s:o, s:o, s:o}, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:b, s:s, s:I, s:o, s:o, s:o, s:o, s:{s:o}, s:o, s:o, s:o, s:s, s:s, s:s, s:f, "
        "s:o, s:f, s:s, s:I, s:s, s:I, s:I, s:f, s:o, s:s, s:o}",
        "permeability", "lu", cli_json_tensor(p->k, 1), "m2", cli_json_tensor(p->k, m2), "darcy",
        cli_json_tensor(p->k, m2 / RILL_DARCY), "principal", json_principal(p, m2), "porosity", "total",
        rill_json_real(plan->porosity.total), "connected",
        plan->porosity.connected >= 0 ? rill_json_real(plan->porosity.connected) : json_null(), "percolating",
        cli_json_axes(plan->porosity.percolating), "tortuosity", rill_json_real(o.tortuosity),
        "tortuosity_uncertainty", rill_json_real(o.tortuosity_uncertainty), "converged", p->converged,
        "reason", reason, "steps", (json_int_t)o.steps, "uncertainty", rill_json_real(p->uncertainty),
        "reynolds", rill_json_real(o.reynolds), "mach", rill_json_real(o.mach), "reciprocity",
        rill_json_real(p->reciprocity), "last", "lu", cli_json_tensor(o.last, 1), "runs", json_runs(geom, p),
        "performance", json_performance(r, &o), "parts", cli_devices_json(&devices), "backend", p->backend,
        "device", p->device, "variant", variant, "tau", plan->tau, "magic",
        r->options->variant.collision == RILL_TRT ? rill_json_real(r->options->magic) : json_null(), "force",
        plan->force, "drive", plan->reservoirs ? "pressure" : "force", "reservoir",
        (json_int_t)(plan->reservoirs ? r->options->reservoir : 0), "acceleration",
        plan->network ? "network" : "none", "fluid_nodes", (json_int_t)plan->nodes, "dropped",
        (json_int_t)plan->dropped, "hydraulic_diameter", 4 * plan->pores.porosity / plan->pores.surface,
        "error_bar", cli_error_bar_json(r->bar, m2), "walls", geom->surface ? "interpolated" : "half-way",
        "flow", cli_permeability_flow_json(r));
}

/* The rows of one run as /series/<axis>. */
static rill_status write_series(rill_result *file, const rill_permeability_flow *run, double m2)
{
    rill_status status = RILL_OK;
    const double si = isfinite(m2) ? m2 : 0;
    char group[16], names[3][16];
    rill_series *series = NULL;
    rill_quantity columns[] = {
        {names[0], "lu", "permeability from the flow along x", si},
        {names[1], "lu", "permeability from the flow along y", si},
        {names[2], "lu", "permeability from the flow along z", si},
        {"predicted", "lu", "final value of the permeability along the force", si},
        {"uncertainty", "lu", "of the final value", si},
        {"tortuosity", "1", "hydraulic: mean |u| / mean u along the force, and in reservoirs", 1}};
    snprintf(group, sizeof group, "/series/%c", rill_axis(run->axis));
    for (int b = 0; b < 3; b++)
        snprintf(names[b], sizeof names[b], "k_%c%c", rill_axis(b), rill_axis(run->axis));
    RILL_TRY(rill_series_create(file, group, columns, 6, &series));
    for (size_t i = 0; i < run->sample_count; i++) {
        const rill_permeability_sample *s = &run->samples[i];
        const double row[] = {s->k[0], s->k[1], s->k[2], s->predicted, s->uncertainty, s->tortuosity};
        RILL_TRY(rill_series_append(series, s->step, row));
    }
done:
    return status;
}

static rill_status write_summary(rill_result *file, const cli_permeability_result *r)
{
    rill_status status = RILL_OK;
    const rill_permeability *p = r->result;
    const rill_permeability_plan *plan = &p->plan;
    const overall o = overall_take(p);
    const double m2 = cli_square_metres(r->p->geom), si = isfinite(m2) ? m2 : 0;
    const cli_values all[] = {
        {{"permeability", "lu", "row: flow, column: force; NaN: no result", si}, CLI_TENSOR, p->k[0]},
        {{"last", "lu", "permeability at the last step, not a result", si}, CLI_TENSOR, o.last[0]},
        {{"principal", "lu", "eigenvalues of the symmetric part; NaN: none", si}, CLI_AXES, p->principal},
        {{"edge_share", "1", "largest share of the flow through edges alone, of runs along x, y, z", 1},
         CLI_AXES,
         o.edge_share},
        {{"principal_axes", "1", "row: direction of an eigenvalue, x, y, z", 1},
         CLI_TENSOR,
         p->principal_axes[0]},
        {{"uncertainty", "1", "of the permeability, relative", 1}, CLI_NUMBER, &p->uncertainty},
        {{"reciprocity", "1", "largest |k_ab - k_ba| / largest k_aa", 1}, CLI_NUMBER, &p->reciprocity},
        {{"tortuosity", "1", "hydraulic: mean |u| / mean u along the force", 1}, CLI_NUMBER, &o.tortuosity},
        {{"tortuosity_uncertainty", "1", "of the tortuosity, absolute", 1},
         CLI_NUMBER,
         &o.tortuosity_uncertainty},
        {{"reynolds", "1", "mean pore velocity x hydraulic diameter / viscosity", 1},
         CLI_NUMBER,
         &o.reynolds},
        {{"mach", "1", "largest speed / speed of sound", 1}, CLI_NUMBER, &o.mach},
        {{"porosity_total", "1", "all pores", 1}, CLI_NUMBER, &plan->porosity.total},
        {{"porosity_connected", "1", "pores connected to a face", 1}, CLI_NUMBER, &plan->porosity.connected},
        {{"tau", "lu", "relaxation time", 0}, CLI_NUMBER, &plan->tau},
        {{"force", "lu", "body force per volume, or pressure drop per length of the sample", 0},
         CLI_NUMBER,
         &plan->force},
        {{"porosity_percolating", "1", "pores that conduct along x, y, z", 1},
         CLI_AXES,
         plan->porosity.percolating}};
    RILL_TRY(cli_values_write(file, "/summary", all, sizeof all / sizeof *all));
    RILL_TRY(rill_result_set_integer(file, "/summary", "converged", p->converged));
    RILL_TRY(rill_result_set_integer(file, "/summary", "reservoir",
                                     plan->reservoirs ? (int64_t)r->options->reservoir : 0));
    RILL_TRY(rill_result_set_integer(file, "/summary", "steps", (int64_t)o.steps));
done:
    return status;
}

static rill_status keep(rill_result *file, const void *result)
{
    rill_status status = RILL_OK;
    const cli_permeability_result *r = result;
    const double m2 = cli_square_metres(r->p->geom);
    for (int i = 0; i < r->result->run_count; i++) RILL_TRY(write_series(file, &r->result->runs[i], m2));
    RILL_TRY(write_summary(file, r));
    if (r->bar) RILL_TRY(cli_error_bar_write(file, r->bar, m2));
    RILL_TRY(cli_permeability_write_walls(file, r));
done:
    return status;
}

rill_status cli_permeability_report(const cli_permeability_result *r)
{
    char variant[96];
    rill_variant_name(stored(r->options->variant, &r->result->plan), variant, sizeof variant);
    return cli_property_report(r->p, &(cli_property_result){.result = r,
                                                            .notes = r->result->notes,
                                                            .output = r->output,
                                                            .backend = r->result->backend,
                                                            .device = r->result->device,
                                                            .variant = variant,
                                                            .json = json,
                                                            .write = keep,
                                                            .print = print,
                                                            .print_line = cli_permeability_print_line});
}
