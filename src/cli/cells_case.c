/* SPDX-License-Identifier: Apache-2.0 */
/* Case files with cells: the plan and the result as rows and JSON. What they compute is in membrane/. */
#include "cli/case_kinds.h"
#include "core/units.h"
#include "io/json_file.h"
#include "membrane/cells.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const shapes[] = {"spheres", "red blood cells"}; /* rill_cells_shape */

/* Refuse options of `rill check` and `rill run` that have no effect here. */
static rill_status choices_check(const cli_case_choices *c)
{
    if (cli_devices_several(&c->devices))
        return rill_fail(RILL_USAGE, "cells are computed on one device: leave out --devices");
    if (c->grids) return rill_fail(RILL_USAGE, "a case with cells has no error bar: leave out --error-bar");
    if (c->program)
        return rill_fail(RILL_USAGE, "a case with cells runs no other program: leave out --allow-program");
    return RILL_OK;
}

static void plan_print(const rill_cells_case *c, const rill_cells_plan *p)
{
    char memory[32], device[32], output[32];
    rill_units_format_bytes(p->memory, memory, sizeof memory);
    rill_units_format_bytes(p->device_memory, device, sizeof device);
    rill_units_format_bytes(p->output, output, sizeof output);
    cli_row("geometry", "%s, %u x %u x %u voxels of %.4g um, %.0f fluid nodes", c->geometry, p->geom->n[0],
            p->geom->n[1], p->geom->n[2], 1e6 * p->dx, p->nodes);
    cli_row("cells", "%u %s of radius %.4g um, %.3g voxels", p->count, shapes[c->shape], 1e6 * c->radius,
            c->radius / p->dx);
    cli_row("  each", "%u vertices, %.4g um3", p->mesh.vertex_count, 1e18 * p->volume);
    cli_row("haematocrit", "%.4g", p->haematocrit);
    for (int k = 0; k < p->ports.count; k++) {
        const rill_cells_end *e = &c->ends[p->ends[k]];
        if (e->kind == RILL_CELLS_INLET)
            cli_row(k ? "" : "openings", "%s: inlet, %.4g m3/s, haematocrit %.4g", e->name, e->flow,
                    p->ports.each[k].share);
        else
            cli_row(k ? "" : "openings", "%s: pressure, %.4g Pa", e->name, e->pressure);
    }
    if (p->ports.count > 0) cli_row("  cells", "up to %u at a time", p->room);
    cli_row("time step", "%.4g s, tau %.4g", p->dt, p->tau);
    cli_row("  stiffness", "%.2g of what it allows", p->stiffness);
    cli_row("steps", "%llu, %.4g s", (unsigned long long)p->steps.steps, (double)p->steps.steps * p->dt);
    cli_row("memory", "%s", memory);
    if (p->device_memory) cli_row("  on the GPU", "%s", device);
    cli_row("files", "up to %s", output);
}

static json_t *plan_json(const rill_cells_plan *p)
{
    return json_pack("{s:f, s:f, s:i, s:i, s:i, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I}", "spacing", p->dx,
                     "nodes", p->nodes, "cells", (int)p->count, "cells_most", (int)p->room, "vertices",
                     (int)p->mesh.vertex_count, "haematocrit", p->haematocrit, "time_step", p->dt, "tau",
                     p->tau, "stiffness", p->stiffness, "steps", (json_int_t)p->steps.steps,
                     "host_peak_bytes", (json_int_t)p->memory, "device_peak_bytes",
                     (json_int_t)p->device_memory, "output_bytes", (json_int_t)p->output);
}

/* Read and plan a case; both are to be freed also after a failure. */
static rill_status plan(const char *path, const cli_case_choices *choices, rill_progress progress,
                        rill_cells_case *c, rill_cells_plan *p)
{
    rill_status status = RILL_OK;
    const cli_output outputs[] = {{"--json", choices->json}};
    RILL_TRY(choices_check(choices));
    RILL_TRY(cli_outputs_check(path, outputs, 1));
    RILL_TRY(rill_cells_read(path, c));
    RILL_TRY(cli_outputs_check(c->geometry, outputs, 1));
    status = rill_cells_plan_make(
        c, choices->backend == RILL_BACKEND_CUDA ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU, progress, p);
    cli_progress_end();
    if (status == RILL_OK && !choices->quiet) plan_print(c, p);
done:
    return status;
}

static rill_status check(const char *path, const cli_case_choices *choices)
{
    rill_status status = RILL_OK;
    rill_cells_case c = {0};
    rill_cells_plan p = {0};
    json_t *json = NULL;
    RILL_TRY(plan(path, choices, cli_progress(choices->quiet), &c, &p));
    if (choices->json) {
        json = plan_json(&p);
        if (!json) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %s", choices->json));
        RILL_TRY(cli_json_write(json, choices->json));
    }
done:
    json_decref(json);
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
    return status;
}

/* Say what went through each opening, and whether cells found room. */
static void openings_print(const rill_cells_plan *p, const rill_cells_outcome *o)
{
    for (int k = 0; k < p->ports.count; k++) {
        const char *name = p->geom->surface->openings[k].name;
        const double entered = (double)o->through.entered[k], left = (double)o->through.left[k];
        if (!p->ports.each[k].inlet) {
            cli_row(name, "%.0f cells have left", left);
            continue;
        }
        cli_row(name, "%.0f cells have entered, a haematocrit of %.4g", entered - left,
                rill_cells_inflow(p, o, k));
        const double waiting = rill_ports_due(&p->ports, k, o->steps) - (entered - left);
        if (waiting >= 2)
            cli_row("note",
                    "%.0f cells found no room behind %s: lower the haematocrit, or make voxels smaller",
                    waiting, name);
    }
}

static void outcome_print(const rill_cells_plan *p, const rill_cells_outcome *o, const char *directory)
{
    cli_row("made", "%llu steps, %.3g million nodes a second", (unsigned long long)o->steps, o->mlups);
    cli_row("fluid", "%.4g, %.4g, %.4g m/s on the mean", o->velocity[0], o->velocity[1], o->velocity[2]);
    openings_print(p, o);
    cli_row("cells", "%u, %.4g m/s along the flow, deformation %.4g", o->count, o->speed, o->deformation);
    cli_row("  stress", "%.4g Pa xz that they add, times the haematocrit %.4g Pa", o->stress,
            o->stress * o->haematocrit);
    cli_row("  volume", "changed by %.2g at most", o->volume);
    cli_row("Mach", "%.3g at most", o->mach);
    cli_row("results", "%s/cells.csv, %s/run.h5", directory, directory);
}

static json_t *openings_json(const rill_cells_plan *p, const rill_cells_outcome *o)
{
    json_t *list = json_array();
    for (int k = 0; k < p->ports.count; k++)
        json_array_append_new(
            list, json_pack("{s:s, s:b, s:I, s:I, s:f}", "name", p->geom->surface->openings[k].name, "inlet",
                            p->ports.each[k].inlet, "entered", (json_int_t)o->through.entered[k], "left",
                            (json_int_t)o->through.left[k], "inflow_haematocrit",
                            p->ports.each[k].inlet ? rill_cells_inflow(p, o, k) : 0.0));
    return list;
}

static json_t *outcome_json(const rill_cells_plan *p, const rill_cells_outcome *o)
{
    return json_pack("{s:o, s:o, s:I, s:f, s:I, s:f, s:f, s:[f,f,f], s:f, s:f, s:f, s:f, s:f}", "plan",
                     plan_json(p), "openings", openings_json(p, o), "cells", (json_int_t)o->count,
                     "haematocrit", o->haematocrit, "steps", (json_int_t)o->steps, "time", o->time, "mlups",
                     o->mlups, "fluid_velocity", o->velocity[0], o->velocity[1], o->velocity[2], "cell_speed",
                     o->speed, "deformation", o->deformation, "stress_xz", o->stress, "volume_change",
                     o->volume, "mach", o->mach);
}

static rill_status outcome_write(const cli_kind_run *run, const rill_cells_plan *p,
                                 const rill_cells_outcome *o)
{
    rill_status status = RILL_OK;
    char *path = NULL;
    json_t *json = outcome_json(p, o);
    if (!json || asprintf(&path, "%s/summary.json", run->directory) < 0)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a summary"));
    RILL_TRY(rill_json_write(json, path));
    if (run->common->json) RILL_TRY(cli_json_write(json, run->common->json));
done:
    free(path);
    json_decref(json);
    return status;
}

static rill_status run(const char *path, const cli_kind_run *run)
{
    rill_status status = RILL_OK;
    rill_cells_case c = {0};
    rill_cells_plan p = {0};
    rill_cells_outcome outcome;
    RILL_TRY(plan(path, run->common, run->progress, &c, &p));
    fflush(stdout);
    if (!run->directory) goto done;
    /* what is there of a run that goes on is not counted again */
    RILL_TRY(
        cli_disk_try(run->directory,
                     &(cli_disk_need){.what = run->resume ? "checkpoints" : "files of cells and checkpoints",
                                      .least = (double)(run->resume ? p.checkpoint : p.kept),
                                      .most = (double)p.output,
                                      .quiet = run->common->quiet}));
    cli_signals_catch(false);
    status = rill_cells_run(
        &c, &p,
        &(rill_cells_options){.directory = run->directory,
                              .fields = run->fields,
                              .resume = run->resume,
                              .checkpoint_every = run->every >= 0 ? run->every : c.checkpoint_every,
                              .save = cli_signals_save(),
                              .command = run->line,
                              .progress = run->progress},
        &outcome);
    cli_progress_end();
    RILL_TRY(status);
    RILL_TRY(outcome_write(run, &p, &outcome));
    if (!run->common->quiet) outcome_print(&p, &outcome, run->directory);
done:
    rill_cells_plan_free(&p);
    rill_cells_case_free(&c);
    return status;
}

const cli_case_kind cli_cells_kind = {
    .section = RILL_CELLS_SECTION, .schema = rill_cells_schema, .check = check, .run = run};
