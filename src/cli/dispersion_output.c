/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of a dispersion. Nothing is computed here. */
#include "cli/dispersion.h"
#include "core/units.h"
#include "geometry/voxels/sides.h"
#include "io/json_file.h"

#include <math.h>

#define PECLET "U L / D0: U is the mean velocity in the conducting pores along the axis of the flow"
#define DISPERSION "D / D0, per pore volume: times the porosity it is that of the sample"

static const char *length_definition(const cli_dispersion_result *r)
{
    return r->options->length > 0
               ? "given"
               : "hydraulic diameter, 4 pore volume / wall area, with 2/3 of the voxel faces";
}

static void print_lines(const void *result)
{
    const cli_dispersion_result *r = result;
    const int a = r->options->axis;
    for (int k = 0; k < r->result->point_count; k++) {
        const rill_dispersion_point *p = &r->result->points[k];
        printf("Pe %g: D / D0 along %c %.6g, %c %.6g, %c %.6g\n", p->peclet, rill_axis(a), p->d[a][a],
               rill_axis((a + 1) % 3), p->d[(a + 1) % 3][(a + 1) % 3], rill_axis((a + 2) % 3),
               p->d[(a + 2) % 3][(a + 2) % 3]);
    }
}

static void point_print(const cli_dispersion_result *r, const rill_dispersion_point *p)
{
    const int a = r->options->axis;
    cli_row("Peclet number", "%g = U L / D0, cell Peclet number up to %.3g, %llu iterations%s", p->peclet,
            p->cell_peclet, (unsigned long long)p->iterations, p->converged ? "" : ": not converged");
    for (int k = 0; k < 3; k++) {
        const int b = (a + k) % 3;
        char label[32];
        snprintf(label, sizeof label, "  D / D0 along %c", rill_axis(b));
        if (isfinite(p->d[b][b]))
            cli_row(label, "%.6g +- %.2g%s", p->d[b][b], p->bound[b][b], k ? "" : ", along the flow");
        else
            cli_row(label, "not computed: the box is not periodic there");
    }
    for (int k = 0; k < 3; k++) {
        const int b = (k + 1) % 3;
        if (!isfinite(p->d[k][b])) continue;
        char label[32];
        snprintf(label, sizeof label, "  D_%c%c / D0", rill_axis(k), rill_axis(b));
        cli_row(label, "%.6g +- %.2g", p->d[k][b], p->bound[k][b]);
    }
}

/* Seconds of all points. */
static double solving(const rill_dispersion *p)
{
    double sum = 0;
    for (int k = 0; k < p->point_count; k++) sum += p->points[k].seconds + (p->runs ? p->runs[k].seconds : 0);
    return sum;
}

static void print(const void *result)
{
    const cli_dispersion_result *r = result;
    const rill_dispersion *p = r->result;
    char bytes[32];
    cli_geom_rows(r->p->geom, "unknown");
    if (r->flow_tolerance > 0)
        cli_row("flow", "along %c, computed to %g of the permeability", rill_axis(r->options->axis),
                r->flow_tolerance);
    else
        cli_row("flow", "along %c, from the file", rill_axis(r->options->axis));
    cli_row("  faces", "net flow out of voxels %.2g of the velocity; a correction of %.2g left %.2g",
            p->divergence, p->correction, p->left);
    cli_row("conducting pores", "%.5f of the sample, %llu voxels%s", p->porosity,
            (unsigned long long)p->nodes, p->dropped ? "" : ", all pores");
    if (p->dropped) cli_row("voxels dropped", "%llu", (unsigned long long)p->dropped);
    cli_row("U", "mean velocity in the conducting pores along %c", rill_axis(r->options->axis));
    cli_row("L", "%.6g voxels: %s", p->length, length_definition(r));
    cli_row("D / D0", "per pore volume: times %.5f it is that of the sample", p->porosity);
    for (int k = 0; k < p->point_count; k++) {
        point_print(r, &p->points[k]);
        if (r->fields && r->fields[k][0]) cli_row("  fields", "%s", r->fields[k]);
        cli_breakthrough_print(r, k);
    }
    rill_units_format_bytes(p->bytes, bytes, sizeof bytes);
    cli_row("memory of the solver", "%s", bytes);
    cli_row("time", "%.2f s: reading %.2f, flow %.2f, setup %.2f, solving %.2f", r->seconds, r->p->reading,
            r->seconds_flow, p->seconds_setup, solving(p));
    if (r->p->compute.json) cli_row("summary", "%s", r->p->compute.json);
    if (r->p->compute.output) cli_row("result", "%s", r->p->compute.output);
}

static json_t *json_points(const cli_dispersion_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < r->result->point_count; k++) {
        const rill_dispersion_point *p = &r->result->points[k];
        json_array_append_new(list,
                              json_pack("{s:f, s:f, s:o, s:o, s:b, s:I, s:f, s:s?}", "peclet", p->peclet,
                                        "cell_peclet", p->cell_peclet, "dispersion", cli_json_tensor(p->d, 1),
                                        "bound", cli_json_tensor(p->bound, 1), "converged", p->converged,
                                        "iterations", (json_int_t)p->iterations, "seconds", p->seconds,
                                        "fields", r->fields && r->fields[k][0] ? r->fields[k] : NULL));
    }
    return list;
}

static json_t *json(const void *result)
{
    const cli_dispersion_result *r = result;
    const rill_dispersion *p = r->result;
    const char axis[2] = {rill_axis(r->options->axis), '\0'};
    return json_pack(
        "{s:o, s:o, s:s, s:s, s:s, s:f, s:o, s:s, s:b, s:{s:f, s:f, s:f}, s:o, s:f, s:I, s:I, s:{s:f, s:f, s:f, s:f, s:f, s:I}}",
        "points", json_points(r), "breakthrough", cli_breakthrough_json(r), "axis", axis, "peclet_definition",
        PECLET, "dispersion_definition", DISPERSION, "length_voxels", p->length, "length_m",
        cli_json_known(p->length * r->p->geom->spacing), "length_definition", length_definition(r),
        "converged", p->converged, "faces", "divergence", p->divergence, "correction", p->correction, "left",
        p->left, "flow_tolerance", cli_json_known(r->flow_tolerance), "porosity_conducting", p->porosity,
        "nodes", (json_int_t)p->nodes, "dropped", (json_int_t)p->dropped, "performance", "seconds",
        r->seconds, "seconds_reading", r->p->reading, "seconds_flow", r->seconds_flow, "seconds_setup",
        p->seconds_setup, "seconds_solving", solving(p), "bytes", (json_int_t)p->bytes);
}

static rill_status keep(rill_result *file, const void *result)
{
    rill_status status = RILL_OK;
    const cli_dispersion_result *r = result;
    const rill_dispersion *p = r->result;
    const uint64_t n = (uint64_t)p->point_count, tensors[3] = {n, 3, 3};
    static double peclet[RILL_PECLETS], cell[RILL_PECLETS], d[RILL_PECLETS][9], bound[RILL_PECLETS][9];
    const char axis[2] = {rill_axis(r->options->axis), '\0'};
    int64_t iterations = 0;
    for (int k = 0; k < p->point_count; k++) {
        peclet[k] = p->points[k].peclet;
        cell[k] = p->points[k].cell_peclet;
        iterations += (int64_t)p->points[k].iterations;
        for (int i = 0; i < 9; i++)
            d[k][i] = p->points[k].d[i / 3][i % 3], bound[k][i] = p->points[k].bound[i / 3][i % 3];
    }
    const struct {
        rill_quantity quantity;
        int rank;
        const uint64_t *dims;
        const double *values;
    } all[] = {
        {{"peclet", "1", PECLET, 1}, 1, &n, peclet},
        {{"dispersion", "1", DISPERSION "; symmetric part; NaN: not computed", 1}, 3, tensors, d[0]},
        {{"bound", "1", "of the dispersion, absolute: what the iterations left", 1}, 3, tensors, bound[0]},
        {{"cell_peclet", "1", "largest |u| dx / D0", 1}, 1, &n, cell},
        {{"length", "voxel", length_definition(r), r->p->geom->spacing}, 0, NULL, &p->length},
        {{"divergence", "1", "net flow out of voxels over the velocity, as given", 1},
         0,
         NULL,
         &p->divergence},
        {{"correction", "1", "of the velocities at faces, relative", 1}, 0, NULL, &p->correction},
        {{"porosity_conducting", "1", "pores that the solute goes through", 1}, 0, NULL, &p->porosity}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        RILL_TRY(
            rill_result_values(file, "/summary", &all[k].quantity, all[k].rank, all[k].dims, all[k].values));
    RILL_TRY(cli_breakthrough_write(file, r));
    RILL_TRY(rill_result_set_integer(file, "/summary", "converged", p->converged));
    RILL_TRY(rill_result_set_integer(file, "/summary", "iterations", iterations));
    RILL_TRY(rill_result_set_text(file, "/summary", "axis", axis));
done:
    return status;
}

rill_status cli_dispersion_report(const cli_dispersion_result *r)
{
    return cli_property_report(r->p, &(cli_property_result){.result = r,
                                                            .notes = r->result->notes,
                                                            .output = r->p->compute.output,
                                                            .backend = "cpu",
                                                            .device = "",
                                                            .json = json,
                                                            .write = keep,
                                                            .print = print,
                                                            .print_line = print_lines,
                                                            .shows_notes = true});
}
