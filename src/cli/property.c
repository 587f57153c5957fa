/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands share that compute a property of the pores of a sample. */
#include "cli/property.h"
#include "cli/axis_option.h"
#include "cli/permeability.h"
#include "core/clock.h"
#include "core/units.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/sides.h"
#include "io/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const cli_fields_kinds[] = {"none", "image", "sparse", NULL}, *const cli_keeps[] = {"percolating",
                                                                                                "all", NULL};

void cli_property_defaults(cli_property *p)
{
    cli_image_defaults(&p->image);
    cli_compute_defaults(&p->compute);
    p->compute.shown.output = "none";
    p->axes = "auto";
}

int cli_property_run(cli_property *p, const cli_option *const *tables, bool many, int argc, char **argv,
                     rill_status (*work)(void *context), void *context)
{
    bool help = false;
    const char **inputs = calloc((size_t)argc + 1, sizeof *inputs);
    if (!inputs) return cli_report(p->command, rill_fail(RILL_SYSTEM, "out of memory for the inputs"));
    p->input_count = many && argc > 1 ? argc : 1;
    rill_status status = cli_parse(p->command, tables, argc, argv, inputs, &p->input_count, &help);
    if (!help && status == RILL_OK && p->input_count == 0) status = rill_fail(RILL_USAGE, "%s", p->lacking);
    if (!help && status == RILL_OK) {
        p->input = inputs[0];
        p->inputs = inputs;
        if (p->resume) cli_outputs_continue();
        p->line = cli_command_line(argc, argv);
        p->progress = cli_progress(p->compute.quiet);
        cli_signals_catch(true); /* SIGTERM is what batch systems send before they kill */
        p->start = rill_now();
        status = p->line ? work(context) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    }
    rill_geom_destroy(p->geom);
    free(p->line);
    free(inputs);
    return help ? RILL_OK : cli_report(p->command, status);
}

bool cli_property_is_batch(const cli_property *p)
{
    return p->input_count > 1 || p->csv || p->blocks || p->at_once;
}

rill_status cli_property_batch_check(const cli_property *p, const cli_output *others, int count)
{
    const cli_output all[] = {{"-o", p->compute.output},
                              {"--fields", p->fields != RILL_FIELDS_NONE ? "" : NULL},
                              {"--checkpoint", p->checkpoint}};
    const int own = sizeof all / sizeof *all;
    for (int k = 0; k < own + count; k++) {
        const cli_output *o = k < own ? &all[k] : &others[k - own];
        if (o->path)
            return rill_fail(
                RILL_USAGE,
                "%s belongs to one sample, and does not go with several inputs, --csv or --blocks: leave it out",
                o->option);
    }
    return RILL_OK;
}

rill_status cli_property_axis(const cli_property *p, int *axis)
{
    rill_status status = RILL_OK;
    cli_axes given;
    unsigned letters = 0;
    *axis = RILL_AXIS_AUTO;
    if (strcmp(p->axes, "auto") == 0) return RILL_OK;
    RILL_TRY(cli_axes_parse(p->axes, strlen(p->axes), &given));
    RILL_TRY(cli_axes_of_files(&given, &p->image, p->inputs, p->input_count, &letters));
    *axis = rill_axes_of(letters);
done:
    if (status != RILL_OK) rill_fail_prefix("--axis");
    return status;
}

rill_status cli_property_outputs(cli_property *p, bool error_bar)
{
    const bool plain = p->command == &cli_permeability; /* its checkpoint has no word of the command */
    const rill_status status =
        cli_checkpoint_settle(&(cli_checkpoint){.given = p->checkpoint,
                                                .output = p->compute.output,
                                                .input = p->input,
                                                .command = plain ? NULL : p->command->name,
                                                .resume = p->resume,
                                                .error_bar = error_bar},
                              p->checkpoint_name, sizeof p->checkpoint_name);
    return status != RILL_OK ? status
                             : cli_outputs_check(p->input,
                                                 (cli_output[]){{"-o", p->compute.output},
                                                                {"--json", p->compute.json},
                                                                {"--checkpoint", p->checkpoint}},
                                                 3);
}

rill_status cli_property_image(const cli_property *p, rill_voxelize_options *out)
{
    const rill_status status = cli_image_resolve(&p->image, out);
    out->keep = RILL_KEEP_ALL;
    out->command = p->line;
    return status;
}

void cli_property_read(cli_property *p, const rill_voxelize_report *report)
{
    memcpy(p->file_axes, report->axes, sizeof report->axes);
    if (p->compute.quiet) return;
    cli_row("source", "%s", p->input);
    cli_image_rows(report);
}

rill_status cli_property_fields(const cli_property *p, const cli_solute_fields *f, const char *path)
{
    rill_fields fields = rill_fields_default();
    fields.geom = p->geom;
    fields.moments = f->moments;
    fields.context = (void *)f->context; /* which is not written to */
    fields.vector = f->vector;
    fields.number = f->number;
    fields.velocity = f->unit;
    fields.pressure = (rill_field_unit){3, "1", 0, 0}; /* thirds are handed out */
    fields.command = p->line;
    fields.progress = p->progress;
    return rill_fields_write(&fields, (rill_fields_kind)p->fields, path);
}

void cli_geom_rows(const rill_geom *geom, const char *unknown)
{
    char length[64];
    snprintf(length, sizeof length, "%s", unknown);
    if (geom->spacing > 0) rill_units_format_length(geom->spacing, length, sizeof length);
    cli_row("voxels", "%u x %u x %u, edge %s", geom->n[0], geom->n[1], geom->n[2], length);
    cli_row("boundaries x, y, z", "%s, %s, %s", rill_side_name(geom->sides[0]),
            rill_side_name(geom->sides[1]), rill_side_name(geom->sides[2]));
}

/* ---- what is written ---- */

json_t *cli_json_known(double value) { return value > 0 ? rill_json_real(value) : json_null(); }

json_t *cli_json_tensor(const double k[3][3], double factor)
{
    json_t *json = json_object();
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++) {
            const char key[3] = {rill_axis(b), rill_axis(a), '\0'};
            json_object_set_new(json, key, rill_json_real(k[b][a] * factor));
        }
    return json;
}

json_t *cli_json_axes(const double value[3])
{
    return json_pack("{s:o, s:o, s:o}", "x", rill_json_real(value[0]), "y", rill_json_real(value[1]), "z",
                     rill_json_real(value[2]));
}

json_t *cli_json_directions(const double values[3], const double axes[3][3])
{
    json_t *list = json_array();
    for (int i = 0; i < 3 && isfinite(values[i]); i++)
        json_array_append_new(list, json_pack("[f, f, f]", axes[i][0], axes[i][1], axes[i][2]));
    return list;
}

/* Add what the summary of every sample has. @param own  which it takes; may be NULL */
static json_t *json_finish(const cli_property *p, json_t *own, const char *notes)
{
    const rill_geom *g = p->geom;
    char axes[4] = "";
    for (int f = 0; f < 3; f++) axes[f] = rill_axis(p->file_axes[f]);
    json_t *all =
        json_pack("{s:s, s:f, s:[I,I,I], s:o, s:I, s:[s,s,s], s:s?, s:s?, s:s?, s:s, s:o, s:s}", "software",
                  rill_version(), "tolerance", p->compute.tolerance, "voxels", (json_int_t)g->n[0],
                  (json_int_t)g->n[1], (json_int_t)g->n[2], "voxel_size_m", cli_json_known(g->spacing),
                  "outside_voxels", (json_int_t)(rill_geom_voxels(g) - rill_geom_sample(g)), "sides",
                  rill_side_name(g->sides[0]), rill_side_name(g->sides[1]), rill_side_name(g->sides[2]),
                  "input", p->input, "source", g->source, "source_hash", g->source_hash, "command", p->line,
                  "notes", rill_json_notes(g->notes, notes), "file_axes", axes);
    const bool whole = own && all && json_object_update(own, all) == 0;
    json_decref(all);
    if (whole) return own;
    json_decref(own);
    return NULL;
}

static rill_status hdf5_write(const cli_property *p, const cli_property_result *r)
{
    rill_status status = RILL_OK;
    rill_result *file = NULL;
    const rill_run run = {.command = p->line,
                          .geometry = p->input,
                          .backend = r->backend,
                          .device = r->device,
                          .variant = r->variant};
    RILL_TRY(cli_result_create(r->output, run, p->geom, r->notes, &file));
    RILL_TRY(r->write(file, r->result));
    RILL_TRY(rill_result_commit(file));
done:
    rill_result_destroy(file);
    return status;
}

rill_status cli_property_report(const cli_property *p, const cli_property_result *r)
{
    rill_status status = RILL_OK;
    const char *json = p->compute.json;
    if (json) RILL_TRY(cli_json_finish(json_finish(p, r->json(r->result), r->notes), json));
    if (r->output) RILL_TRY(hdf5_write(p, r));
    cli_progress_end();
    if (!p->compute.quiet)
        r->print(r->result);
    else if (!json)
        r->print_line(r->result);
    if (!r->shows_notes) return RILL_OK;
    cli_notes(p->command, p->geom->notes, p->compute.quiet);
    cli_notes(p->command, r->notes, p->compute.quiet);
done:
    return status;
}

rill_status cli_property_finish(const cli_property *p, rill_status came, bool left,
                                rill_status (*report)(void *context), void *context)
{
    char why[1024];
    snprintf(why, sizeof why, "%s", rill_error_message());
    return cli_checkpoint_finish(&(cli_checkpoint_end){p->checkpoint_name, left, came, why, report(context)});
}

rill_status cli_values_write(rill_result *file, const char *group, const cli_values *list, size_t count)
{
    static const uint64_t dims[][2] = {
        [CLI_NUMBER] = {0}, [CLI_AXES] = {3}, [CLI_PAIRS] = {3, 2}, [CLI_TENSOR] = {3, 3}};
    rill_status status = RILL_OK;
    for (size_t k = 0; k < count && status == RILL_OK; k++) {
        const uint64_t *n = dims[list[k].shape];
        status =
            rill_result_values(file, group, &list[k].quantity, (n[0] > 0) + (n[1] > 0), n, list[k].values);
    }
    return status;
}
