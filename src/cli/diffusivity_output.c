/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of a diffusivity. Nothing is computed here. */
#include "cli/diffusivity.h"
#include "core/units.h"
#include "geometry/voxels/sides.h"
#include "io/json_file.h"

#include <math.h>
#include <string.h>

#define TORTUOSITY "phi D0 / D_eff"

static void print_line(const void *result)
{
    const rill_diffusivity *p = ((const cli_diffusivity_result *)result)->result;
    for (int i = 0; i < p->run_count; i++) {
        const int a = p->runs[i].axis;
        printf("%sD_eff / D0 along %c: %.6g, F: %.6g", i ? "; " : "", rill_axis(a), p->d[a][a],
               p->formation[a][a]);
    }
    printf("\n");
}

/* The bounds as D and what it may be less. */
static void bar_print(const rill_diffusivity_bar *bar)
{
    if (bar->grids == 1)
        cli_row("  voxel size",
                "not known: with voxels twice as large nothing conducts, or an edge has fewer than 4");
    else if (bar->grids > 1)
        cli_row(
            "  voxel size",
            "%.5g ± %.2g for voxels of 0 (an estimate): D %.5g, %.5g, %.5g with voxels 1, 2, 4 times as large",
            bar->extrapolated, bar->half_width, bar->values[0], bar->values[1], bar->values[2]);
}

static void run_print(const rill_diffusivity *p, const rill_diffusivity_run *run)
{
    const int a = run->axis;
    char label[32];
    snprintf(label, sizeof label, "D_eff / D0 along %c", rill_axis(a));
    cli_row(label, "%.6g, at least %.6g (%.2g %%), after %llu iterations%s", run->d[a], run->bound[0],
            100 * run->uncertainty[a] / run->d[a], (unsigned long long)run->iterations,
            run->converged ? "" : ": not converged");
    cli_row("  formation factor", "%.6g", p->formation[a][a]);
    cli_row("  tortuosity factor",
            "%.6g = phi D0 / D_eff: of diffusion, not the hydraulic tortuosity of a permeability",
            p->tortuosity[a]);
    bar_print(&p->bar[a]);
}

static void tensor_print(const rill_diffusivity *p)
{
    for (int b = 0; b < 3; b++)
        cli_row(b ? "" : "D_eff / D0, flux x, y, z", "%12.5g %12.5g %12.5g", p->d[b][0], p->d[b][1],
                p->d[b][2]);
    for (int b = 0; b < 3; b++)
        cli_row(b ? "" : "formation factor", "%12.5g %12.5g %12.5g", p->formation[b][0], p->formation[b][1],
                p->formation[b][2]);
    if (isfinite(p->principal[0]))
        cli_row("principal values", "%.6g, %.6g, %.6g", p->principal[0], p->principal[1], p->principal[2]);
}

static double solving(const rill_diffusivity *p)
{
    double sum = 0;
    for (int i = 0; i < p->run_count; i++) sum += p->runs[i].seconds;
    return sum;
}

static void print(const void *result)
{
    static const char *const means[] = {"a mean gradient",
                                        "values at the faces, half a voxel outside the sample (as TauFactor)",
                                        "values in the first and last slices (as PoreSpy)"};
    const cli_diffusivity_result *r = result;
    const rill_diffusivity *p = r->result;
    char bytes[32];
    cli_geom_rows(r->p->geom, "unknown");
    cli_row("driven by", "%s", means[r->options->drive]);
    cli_row("porosity phi", "%.5f", p->porosity.total);
    cli_row("  conducting, by faces", "x %.5f   y %.5f   z %.5f", p->porosity.percolating[0],
            p->porosity.percolating[1], p->porosity.percolating[2]);
    cli_row("  percolating for flow", "x %.5f   y %.5f   z %.5f: by faces and edges (D3Q19)",
            p->flow_percolating[0], p->flow_percolating[1], p->flow_percolating[2]);
    if (p->dropped) cli_row("voxels dropped", "%llu", (unsigned long long)p->dropped);
    cli_row("nodes", "%llu", (unsigned long long)p->nodes);
    for (int i = 0; i < r->options->phase_count; i++)
        cli_row(i ? "" : "phases", "%g-%g: %g D0", r->phases ? r->phases[i].grey[0] : i + 1.,
                r->phases ? r->phases[i].grey[1] : i + 1., r->options->ratio[i]);
    if (p->run_count > 1) tensor_print(p);
    for (int i = 0; i < p->run_count; i++) run_print(p, &p->runs[i]);
    rill_units_format_bytes(p->bytes, bytes, sizeof bytes);
    cli_row("backend, device", "%s%s%s", p->backend, p->device[0] ? ", " : "", p->device);
    cli_row("memory of the solver", "%s", bytes);
    cli_row("time", "%.2f s: reading %.2f, coarser grids %.2f, solving %.2f", r->seconds, r->p->reading,
            p->seconds_setup, solving(p));
    if (r->p->compute.json) cli_row("summary", "%s", r->p->compute.json);
    if (r->p->compute.output) cli_row("result", "%s", r->p->compute.output);
    for (int a = 0; a < 3; a++)
        if (r->fields[a]) cli_row("fields", "%s", r->fields[a]);
}

static json_t *json_runs(const rill_diffusivity *p)
{
    json_t *list = json_array();
    for (int i = 0; i < p->run_count; i++) {
        const rill_diffusivity_run *run = &p->runs[i];
        const char axis[2] = {rill_axis(run->axis), '\0'};
        json_array_append_new(list, json_pack("{s:s, s:b, s:I, s:o, s:o, s:f}", "axis", axis, "converged",
                                              run->converged, "iterations", (json_int_t)run->iterations,
                                              "lower", rill_json_real(run->bound[0]), "upper",
                                              rill_json_real(run->bound[1]), "seconds", run->seconds));
    }
    return list;
}

static json_t *json_phases(const cli_diffusivity_result *r)
{
    json_t *list = json_array();
    for (int i = 0; i < r->options->phase_count; i++) {
        uint64_t count = 0;
        for (uint64_t v = 0; v < rill_geom_voxels(r->p->geom); v++)
            count += r->p->geom->voxels[v] == RILL_FLUID + i;
        json_array_append_new(
            list, json_pack("{s:[f,f], s:f, s:f}", "grey", r->phases ? r->phases[i].grey[0] : RILL_FLUID + i,
                            r->phases ? r->phases[i].grey[1] : RILL_FLUID + i, "ratio", r->options->ratio[i],
                            "fraction", (double)count / (double)rill_geom_sample(r->p->geom)));
    }
    return list;
}

/* Error bars by axis. */
static json_t *json_bars(const rill_diffusivity *p)
{
    json_t *axes = json_object();
    for (int i = 0; i < p->run_count; i++) {
        const rill_diffusivity_bar *bar = &p->bar[p->runs[i].axis];
        const char key[2] = {rill_axis(p->runs[i].axis), '\0'};
        json_t *values = json_array();
        for (int g = 0; g < bar->grids; g++) json_array_append_new(values, rill_json_real(bar->values[g]));
        json_object_set_new(axes, key,
                            json_pack("{s:o, s:o, s:o}", "values", values, "extrapolated",
                                      rill_json_real(bar->extrapolated), "half_width",
                                      rill_json_real(bar->half_width)));
    }
    return axes;
}

static json_t *json_principal(const rill_diffusivity *p)
{
    if (!isfinite(p->principal[0])) return json_null();
    json_t *values = json_array();
    for (int i = 0; i < 3 && isfinite(p->principal[i]); i++)
        json_array_append_new(values, rill_json_real(p->principal[i]));
    return json_pack("{s:o, s:o}", "values", values, "axes",
                     cli_json_directions(p->principal, p->principal_axes));
}

static json_t *json(const void *result)
{
    const cli_diffusivity_result *r = result;
    const rill_diffusivity *p = r->result;
    return json_pack(
        "{s:o, s:o, s:o, s:s, s:o, s:o, s:b, s:o, s:{s:o, s:o, s:o, s:o}, s:o, s:s, s:I, s:I, s:{s:f, s:f, s:f, s:f, s:I}, s:s, s:s, s:o}",
        "diffusivity", cli_json_tensor(p->d, 1), "formation_factor", cli_json_tensor(p->formation, 1),
        "tortuosity_factor", cli_json_axes(p->tortuosity), "tortuosity_definition", TORTUOSITY, "principal",
        json_principal(p), "uncertainty", rill_json_real(p->uncertainty), "converged", p->converged, "runs",
        json_runs(p), "porosity", "total", rill_json_real(p->porosity.total), "connected",
        p->porosity.connected >= 0 ? rill_json_real(p->porosity.connected) : json_null(), "percolating",
        cli_json_axes(p->porosity.percolating), "flow_percolating", cli_json_axes(p->flow_percolating),
        "phases", json_phases(r), "drive", cli_diffusion_drives[r->options->drive], "nodes",
        (json_int_t)p->nodes, "dropped", (json_int_t)p->dropped, "performance", "seconds", r->seconds,
        "seconds_reading", r->p->reading, "seconds_setup", p->seconds_setup, "seconds_solving", solving(p),
        "bytes", (json_int_t)p->bytes, "backend", p->backend, "device", p->device, "error_bar",
        r->options->error_bar ? json_bars(p) : json_null());
}

static rill_status keep(rill_result *file, const void *result)
{
    rill_status status = RILL_OK;
    const cli_diffusivity_result *r = result;
    const rill_diffusivity *p = r->result;
    double bounds[3][2], bars[3][2];
    int64_t iterations = 0;
    for (int k = 0; k < 6; k++) bounds[k / 2][k % 2] = bars[k / 2][k % 2] = NAN;
    for (int i = 0; i < p->run_count; i++) {
        const int a = p->runs[i].axis;
        const rill_diffusivity_bar *bar = &p->bar[a];
        memcpy(bounds[a], p->runs[i].bound, sizeof bounds[a]);
        iterations += (int64_t)p->runs[i].iterations;
        if (bar->grids > 1) bars[a][0] = bar->extrapolated, bars[a][1] = bar->half_width;
    }
    const cli_values all[] = {
        {{"diffusivity", "1", "D_eff / D0; row: flux, column: gradient; NaN: no result", 1},
         CLI_TENSOR,
         p->d[0]},
        {{"formation_factor", "1", "inverse of the diffusivity", 1}, CLI_TENSOR, p->formation[0]},
        {{"tortuosity_factor", "1", "phi D0 / D_eff along x, y, z", 1}, CLI_AXES, p->tortuosity},
        {{"bounds", "1", "of D_eff / D0 along x, y, z: from below, from above", 1}, CLI_PAIRS, bounds[0]},
        {{"principal", "1", "eigenvalues of the symmetric part; NaN: none", 1}, CLI_AXES, p->principal},
        {{"principal_axes", "1", "row: direction of an eigenvalue, x, y, z", 1},
         CLI_TENSOR,
         p->principal_axes[0]},
        {{"uncertainty", "1", "of the diffusivity, relative: a bound", 1}, CLI_NUMBER, &p->uncertainty},
        {{"extrapolated", "1", "D_eff / D0 along x, y, z for voxels of 0, and half-width: an estimate", 1},
         CLI_PAIRS,
         bars[0]},
        {{"porosity_total", "1", "all pores", 1}, CLI_NUMBER, &p->porosity.total},
        {{"porosity_connected", "1", "pores connected to a face", 1}, CLI_NUMBER, &p->porosity.connected},
        {{"porosity_percolating", "1", "pores that conduct along x, y, z, through faces of voxels", 1},
         CLI_AXES,
         p->porosity.percolating},
        {{"porosity_flow_percolating", "1", "pores that flow percolates along x, y, z", 1},
         CLI_AXES,
         p->flow_percolating}};
    RILL_TRY(cli_values_write(file, "/summary", all, sizeof all / sizeof *all));
    RILL_TRY(rill_result_set_integer(file, "/summary", "converged", p->converged));
    RILL_TRY(rill_result_set_integer(file, "/summary", "iterations", iterations));
    RILL_TRY(rill_result_set_text(file, "/summary", "drive", cli_diffusion_drives[r->options->drive]));
done:
    return status;
}

rill_status cli_diffusivity_report(const cli_diffusivity_result *r)
{
    return cli_property_report(r->p, &(cli_property_result){.result = r,
                                                            .notes = r->result->notes,
                                                            .output = r->p->compute.output,
                                                            .backend = r->result->backend,
                                                            .device = r->result->device,
                                                            .json = json,
                                                            .write = keep,
                                                            .print = print,
                                                            .print_line = print_line,
                                                            .shows_notes = true});
}
