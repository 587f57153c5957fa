/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and JSON of a batch. Nothing is computed here but units. */
#include "cli/batch_output.h"
#include "batch/rev.h"
#include "cli/permeability.h"

#include "cli/cli.h"
#include "core/notes.h"
#include "core/units.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/sides.h"
#include "io/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_SHOWN = 16 }; /* of a batch; the table has all */

static const char *axes_of(int axis)
{
    return axis == RILL_AXIS_AUTO ? "z, of one slice x" : rill_axes_name(axis);
}

static void print_grid(const rill_geom *geom, const rill_block_grid *g)
{
    char edge[64] = "", left[96] = "";
    if (geom->spacing > 0) {
        strcpy(edge, " = ");
        rill_units_format_length(g->edge * geom->spacing, edge + 3, sizeof edge - 3);
    }
    if (g->left[0] || g->left[1] || g->left[2])
        snprintf(left, sizeof left, "; %u x %u x %u voxels at the end are in none", g->left[0], g->left[1],
                 g->left[2]);
    cli_row("blocks", "%u x %u x %u of %u^3 voxels%s%s", g->n[0], g->n[1], g->n[2], g->edge, edge, left);
}

void cli_batch_print_plan(const rill_batch_options *o, size_t count, const rill_geom *geom,
                          const rill_block_grid *grids, int grid_count)
{
    char length[64] = "unknown";
    if (!o->diffusivity) strcpy(length, "unknown: no m2 and darcy without --voxel-size");
    if (geom) {
        if (geom->spacing > 0) rill_units_format_length(geom->spacing, length, sizeof length);
        cli_row("voxels", "%u x %u x %u, edge %s", geom->n[0], geom->n[1], geom->n[2], length);
        cli_row("boundaries x, y, z", "%s, %s, %s%s", rill_side_name(geom->sides[0]),
                rill_side_name(geom->sides[1]), rill_side_name(geom->sides[2]),
                o->sides_given ? "" : ": opposite faces of a block do not fit together");
    }
    for (int g = 0; g < grid_count; g++) print_grid(geom, &grids[g]);
    cli_row("items", "%zu", count);
    cli_row(o->diffusivity ? "gradient along" : "flow along", "%s", axes_of(o->permeability.axis));
    if (o->table)
        cli_row("table", "%s%s", o->table, o->resume ? ", rows with the same input and options stay" : "");
}

void cli_batch_row(const char *name, const rill_batch_row *row)
{
    const double m2 = rill_rev_scale(row, RILL_REV_K, row->spacing);
    const char *from = row->resumed ? ", from the table" : "";
    char k[3][48] = {"", "", ""};
    if (row->status != RILL_OK || row->reason == RILL_BATCH_NO_SOLID || row->reason == RILL_BATCH_OUTSIDE) {
        cli_row(name, "%s%s: %s", rill_batch_reason_name(row->reason), from, row->message);
        return;
    }
    for (int a = 0, n = 0; a < 3; a++)
        if (!isnan(row->k[a][a]))
            snprintf(k[a], sizeof k[a], "%s%s_%c%c %.5g", n++ ? ", " : "", row->diffusion ? "D" : "k",
                     rill_axis(a), rill_axis(a), row->k[a][a] * m2);
    cli_row(name, "%s%s%s %s ± %.2g %%, porosity %.4f, %llu %s, %.2f s%s%s%s", k[0], k[1], k[2],
            row->diffusion     ? "D0"
            : row->spacing > 0 ? "m2"
                               : "lu",
            100 * row->uncertainty, row->porosity.total, (unsigned long long)row->steps,
            row->diffusion ? "iterations" : "steps", row->seconds, from, row->message[0] ? ": " : "",
            row->message);
    for (int a = 0; a < 3; a++)
        if (row->error_total[a] > 1.001 * row->uncertainty)
            cli_row("  best estimate", "along %c: %.5g %s ± %.2g %%, all rows of the table that are known",
                    rill_axis(a), row->best[a] * m2, row->spacing > 0 ? "m2" : "lu",
                    100 * row->error_total[a]);
    for (int a = 0; a < 3; a++)
        if (isfinite(row->flow[a].velocity))
            cli_row("  flow", "along %c: %.6g m3/s, Darcy velocity %.6g m/s", rill_axis(a), row->flow[a].rate,
                    row->flow[a].velocity);
}

static void print_rev(const cli_batch_result *r)
{
    const double spacing = r->geom->spacing, m2 = rill_rev_scale(r->batch->rows, RILL_REV_K, spacing);
    const bool diffusion = r->batch->rows->diffusion;
    for (int g = 0; g < r->grid_count; g++) {
        rill_rev_numbers k, porosity;
        char label[48];
        if (rill_rev_describe(&r->grids[g], r->batch->rows, RILL_REV_K, &k) != RILL_OK ||
            rill_rev_describe(&r->grids[g], r->batch->rows, RILL_REV_POROSITY, &porosity) != RILL_OK)
            return;
        snprintf(label, sizeof label, "blocks of %u voxels", r->grids[g].edge);
        char spread[2][24] = {"", ""};
        if (k.blocks > 1) snprintf(spread[0], sizeof spread[0], " ± %.2g", k.deviation * m2);
        if (porosity.blocks > 1) snprintf(spread[1], sizeof spread[1], " ± %.2g", porosity.deviation);
        cli_row(label, "%s %.4g%s %s, porosity %.4f%s; %zu of %zu conduct", diffusion ? "D" : "k",
                k.mean * m2, spread[0],
                diffusion     ? "D0"
                : spacing > 0 ? "m2"
                              : "lu",
                porosity.mean, spread[1], k.positive, k.blocks);
    }
}

/* What k of the whole image is good for as that of its material. */
static void print_sample(const cli_batch_result *r)
{
    rill_sample_error error;
    const int g = rill_rev_sample_choose(r->grids, r->grid_count, r->batch->rows);
    if (g < 0) {
        cli_row("sample", "not known: %d blocks of one size with a result are needed, and one that conducts",
                RILL_SAMPLE_BLOCKS);
        return;
    }
    rill_rev_sample_error(&r->grids[g], r->batch->rows, RILL_REV_K, (double)rill_geom_sample(r->geom),
                          &error);
    double range[2];
    rill_rev_sample_range(&error, range);
    cli_row(
        "sample",
        "%s of the material is %.2g to %.2g times that of the image (95 %%, Student's t, %zu blocks of %u voxels taken as independent); "
        "± 10 %% takes an edge of %.0f voxels",
        r->batch->rows->diffusion ? "D" : "k", range[0], range[1], error.blocks, error.edge,
        error.edge_tenth);
}

/* Say of how many items the flow is none, or no Stokes flow. */
static rill_status flows_note(const cli_batch_result *r, char **notes)
{
    rill_status status = RILL_OK;
    const rill_batch *b = r->batch;
    size_t fast = 0, unknown = 0;
    if (!(r->options->pressure_drop > 0)) return RILL_OK;
    for (size_t i = 0; i < b->count; i++) {
        const rill_darcy_flow *f = b->rows[i].flow;
        fast += f[0].reynolds > RILL_DARCY_REYNOLDS || f[1].reynolds > RILL_DARCY_REYNOLDS ||
                f[2].reynolds > RILL_DARCY_REYNOLDS;
        unknown += b->rows[i].status == RILL_OK && !(b->rows[i].spacing > 0);
    }
    if (fast)
        RILL_TRY(rill_note(
            notes,
            "the flow of %s at %g Pa has a Reynolds number above %d in %zu of %zu items: inertia makes the real flow smaller than Darcy's law says; "
            "take a smaller --pressure-drop",
            r->options->fluid.name, r->options->pressure_drop, RILL_DARCY_REYNOLDS, fast, b->count));
    if (unknown)
        RILL_TRY(rill_note(
            notes,
            "%zu of %zu items have no flow in SI units, as their voxel size is unknown: add --voxel-size, such as 5.7um",
            unknown, b->count));
done:
    return status;
}

/* Take the notes of all rows, and one of several that differ in their numbers alone. */
static rill_status kinds_take(const rill_batch *b, char **kinds)
{
    rill_status status = RILL_OK;
    size_t length, sentences = 0;
    for (size_t i = 0; i < b->count && sentences < NOTES_SHOWN; i++) {
        const char *rest = b->rows[i].notes;
        for (const char *at; (at = rill_notes_next(&rest, &length)) != NULL && sentences < NOTES_SHOWN;) {
            if (rill_notes_have_alike(*kinds, at, length)) continue;
            RILL_TRY(rill_note(kinds, "%.*s", (int)length, at));
            sentences++;
        }
    }
done:
    return status;
}

void cli_batch_notes(const cli_batch_result *r, bool quiet)
{
    const rill_batch *b = r->batch;
    char *kinds = NULL, *counted = NULL;
    size_t length;
    rill_status status = kinds_take(b, &kinds);
    const char *rest = kinds;
    for (const char *at; (at = rill_notes_next(&rest, &length)) != NULL && status == RILL_OK;) {
        size_t count = 0, same = 0;
        for (size_t i = 0; i < b->count; i++) {
            count += rill_notes_have_alike(b->rows[i].notes, at, length);
            same += rill_notes_have(b->rows[i].notes, at, length);
        }
        status = same == b->count
                     ? rill_note(&counted, "%.*s", (int)length, at)
                     : rill_note(&counted, "%.*s (%zu of %zu items%s)", (int)length, at, count, b->count,
                                 same < count ? ", with other numbers: see the notes of each" : "");
    }
    if (status == RILL_OK) status = flows_note(r, &counted);
    cli_notes(r->shown_for, counted, quiet);
    free(counted);
    free(kinds);
}

void cli_batch_print(const cli_batch_result *r)
{
    const rill_batch *b = r->batch;
    if (r->geom) print_rev(r);
    if (r->geom) print_sample(r);
    for (int k = RILL_BATCH_CONVERGED; k < RILL_BATCH_REASONS; k++)
        if (b->ended[k]) cli_row(rill_batch_reason_name((rill_batch_reason)k), "%zu", b->ended[k]);
    if (b->resumed) cli_row("from the table", "%zu", b->resumed);
    cli_row("device", "%s", b->device);
    cli_row("at the same time", "%d items, %d thread%s each", b->at_once, b->threads,
            b->threads > 1 ? "s" : "");
    if (b->rows->diffusion)
        cli_row("time", "%.1f s", b->seconds);
    else
        cli_row("time", "%.1f s, device use %.1f %%, %.1f MLUPS over all", b->seconds, 100 * b->device_use,
                b->seconds > 0 ? b->updates / b->seconds * 1e-6 : 0);
    cli_batch_notes(r, false);
    if (r->json) cli_row("summary", "%s", r->json);
    if (!r->csv) return;
    cli_row("table", "%s", r->csv);
    if (!r->geom) return;
    cli_row("curve", "%s, %s", r->files->rev, r->files->picture);
    for (int g = 0; g < r->grid_count; g++) cli_row("map", "%s", r->files->maps[g]);
}

static json_t *json_fraction(double value) { return value >= 0 ? json_real(value) : json_null(); }

/* Shares of the flow through edges by axis, of those along which there was a run. */
static json_t *json_edges(const rill_batch_row *row)
{
    json_t *axes = json_object();
    for (int a = 0; a < 3; a++) {
        const char key[2] = {rill_axis(a), '\0'};
        if (isfinite(row->edge_share[a])) json_object_set_new(axes, key, json_real(row->edge_share[a]));
    }
    return axes;
}

/* The flows of a row by axis; null where none was requested or its voxel size is unknown. */
static json_t *json_flows(const rill_batch_row *row)
{
    if (!(row->pressure_drop > 0)) return json_null();
    json_t *axes = json_object();
    for (int a = 0; a < 3; a++) {
        const char key[2] = {rill_axis(a), '\0'};
        if (isfinite(row->flow[a].velocity)) json_object_set_new(axes, key, cli_flow_json(&row->flow[a]));
    }
    return json_pack("{s:s, s:f, s:o, s:f, s:o}", "fluid", row->fluid.name, "viscosity_Pa_s",
                     row->fluid.viscosity, "density_kg_m3",
                     row->fluid.density > 0 ? json_real(row->fluid.density) : json_null(), "pressure_drop_Pa",
                     row->pressure_drop, "axes", axes);
}

/* The rows of the error bar of an item, relative, each by axis. */
static json_t *json_bar(const rill_batch_row *row)
{
    json_t *rows = json_object();
    for (int i = 0; i < RILL_ERROR_ROWS; i++)
        json_object_set_new(rows, rill_error_row_name((rill_error_row)i), cli_json_axes(row->error[i]));
    return json_pack("{s:o, s:o, s:o, s:o}", "half_width", rows, "total", cli_json_axes(row->error_total),
                     "best_estimate_lu", cli_json_axes(row->best), "off_axis_bound_lu",
                     cli_json_tensor(row->off_axis, 1));
}

/* k in its units, or D over D0. */
static void json_values(const rill_batch_row *row, json_t *json)
{
    const double m2 = row->spacing > 0 ? row->spacing * row->spacing : NAN;
    if (row->diffusion)
        json_object_set_new(json, "diffusivity", cli_json_tensor(row->k, 1));
    else
        json_object_set_new(json, "permeability",
                            json_pack("{s:o, s:o, s:o}", "lu", cli_json_tensor(row->k, 1), "m2",
                                      cli_json_tensor(row->k, m2), "darcy",
                                      cli_json_tensor(row->k, m2 / RILL_DARCY)));
    json_object_set_new(json, row->diffusion ? "iterations" : "steps", json_integer((json_int_t)row->steps));
    json_object_set_new(json, row->diffusion ? "nodes" : "fluid_nodes", json_integer((json_int_t)row->nodes));
    if (row->diffusion) return;
    json_object_set_new(json, "error_bar", json_bar(row));
    json_object_set_new(json, "edge_share", json_edges(row));
    json_object_set_new(json, "flow", json_flows(row));
    json_object_set_new(json, "variant", json_string(row->made.variant));
}

static json_t *json_row(const rill_batch_item *item, const rill_batch_row *row)
{
    const rill_porosity *p = &row->porosity;
    json_t *json = json_pack(
        "{s:s, s:s, s:[I,I,I], s:[I,I,I], s:o, s:s, s:i, s:s, s:{s:o, s:o, s:{s:o, s:o, s:o}}, s:o, s:o, s:f, s:f, s:s, s:s, s:s, s:s, s:b, s:o}",
        "file", item->name, "part", item->n[0] ? "block" : "whole", "first", (json_int_t)row->first[0],
        (json_int_t)row->first[1], (json_int_t)row->first[2], "voxels", (json_int_t)row->n[0],
        (json_int_t)row->n[1], (json_int_t)row->n[2], "voxel_size_m",
        row->spacing > 0 ? json_real(row->spacing) : json_null(), "exit_reason",
        rill_batch_reason_name(row->reason), "exit_code", (int)row->status, "message", row->message,
        "porosity", "total", json_fraction(p->total), "connected", json_fraction(p->connected), "percolating",
        "x", json_fraction(p->percolating[0]), "y", json_fraction(p->percolating[1]), "z",
        json_fraction(p->percolating[2]), "uncertainty", rill_json_real(row->uncertainty), "anisotropy",
        rill_json_real(rill_batch_row_anisotropy(row)), "seconds", row->seconds, "seconds_preparing",
        row->seconds_prepare, "backend", row->made.backend, "input_xxh3_64", row->made.input_hash,
        "options_xxh3_64", row->made.options_hash, "software", row->made.software, "resumed", row->resumed,
        "notes", rill_json_notes(row->notes, NULL));
    if (json) json_values(row, json);
    return json;
}

static json_t *json_numbers(const rill_rev_numbers *n, double factor)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:[o,o,o,o,o]}", "blocks", (json_int_t)n->blocks,
                     "conducting", (json_int_t)n->positive, "mean", rill_json_real(n->mean * factor),
                     "standard_deviation", rill_json_real(n->deviation * factor), "geometric_mean",
                     rill_json_real(n->geometric * factor), "quartiles",
                     rill_json_real(n->quantile[0] * factor), rill_json_real(n->quantile[1] * factor),
                     rill_json_real(n->quantile[2] * factor), rill_json_real(n->quantile[3] * factor),
                     rill_json_real(n->quantile[4] * factor));
}

/* What the blocks of a size say of the whole image. */
static json_t *json_sample(const cli_batch_result *r, const rill_block_grid *grid)
{
    rill_sample_error e;
    if (!rill_rev_sample_error(grid, r->batch->rows, RILL_REV_K, (double)rill_geom_sample(r->geom), &e))
        return json_null();
    double range[2];
    rill_rev_sample_range(&e, range);
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:f, s:o}", "blocks", (json_int_t)e.blocks, "deviation",
                     rill_json_real(e.deviation), "half_width", rill_json_real(e.half_width), "low",
                     rill_json_real(range[0]), "high", rill_json_real(range[1]), "confidence", 0.95,
                     "edge_voxels_10_percent", rill_json_real(e.edge_tenth));
}

static json_t *json_rev(const cli_batch_result *r)
{
    json_t *list = json_array();
    const double spacing = r->geom->spacing;
    const rill_batch_row *rows = r->batch->rows;
    for (int g = 0; g < r->grid_count; g++) {
        const rill_block_grid *grid = &r->grids[g];
        json_t *size = json_pack("{s:I, s:o, s:[I,I,I]}", "edge_voxels", (json_int_t)grid->edge, "edge_m",
                                 spacing > 0 ? json_real(grid->edge * spacing) : json_null(), "blocks",
                                 (json_int_t)grid->n[0], (json_int_t)grid->n[1], (json_int_t)grid->n[2]);
        json_object_set_new(size, "sample", json_sample(r, grid));
        for (int q = 0; q < RILL_REV_QUANTITIES; q++) {
            rill_rev_numbers n;
            const rill_rev_quantity what = (rill_rev_quantity)q;
            if (rill_rev_describe(grid, rows, what, &n) == RILL_OK && n.blocks)
                json_object_set_new(size, rill_rev_name(rows, what),
                                    json_numbers(&n, rill_rev_scale(rows, what, spacing)));
        }
        json_array_append_new(list, size);
    }
    return list;
}

static json_t *json_result(const cli_batch_result *r)
{
    const rill_batch *b = r->batch;
    json_t *rows = json_array(), *reasons = json_object();
    for (size_t i = 0; i < b->count; i++) json_array_append_new(rows, json_row(&r->items[i], &b->rows[i]));
    for (int k = RILL_BATCH_CONVERGED; k < RILL_BATCH_REASONS; k++)
        json_object_set_new(reasons, rill_batch_reason_name((rill_batch_reason)k),
                            json_integer((json_int_t)b->ended[k]));
    json_t *json = json_pack(
        "{s:I, s:o, s:I, s:i, s:i, s:f, s:f, s:f, s:s, s:s, s:f, s:s, s:s?, s:o, s:o}", "items",
        (json_int_t)b->count, "exit_reasons", reasons, "resumed", (json_int_t)b->resumed, "at_once",
        b->at_once, "threads", b->threads, "seconds", b->seconds, "device_use", b->device_use, "mlups",
        b->seconds > 0 ? b->updates / b->seconds * 1e-6 : 0, "device", b->device, "axis",
        rill_axes_name(r->options->permeability.axis), "tolerance",
        r->options->diffusivity ? r->options->diffusivity->tolerance : r->options->permeability.tolerance,
        "software", rill_version(), "command", r->command, "rev", r->geom ? json_rev(r) : json_null(), "rows",
        rows);
    if (r->options->diffusivity) { /* of time steps */
        json_object_del(json, "device_use");
        json_object_del(json, "mlups");
    }
    return json;
}

rill_status cli_batch_write_json(const cli_batch_result *r)
{
    json_t *json = json_result(r);
    return cli_json_finish(json, r->json);
}
