/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of runs in time of a dispersion. Nothing is computed here. */
#include "cli/dispersion.h"
#include "io/json_file.h"

#include <math.h>
#include <stdlib.h>

/* The columns of the samples. */
static const rill_quantity columns[RILL_BREAKTHROUGH_COLUMNS] = {
    {"time", "1", "pore volumes that have flowed in", 1},
    {"outlet", "1", "concentration of what flows out", 1},
    {"mass", "1", "mean concentration in the pores", 1},
    {"position", "voxel", "mean distance of the solute from the inlet", 0},
    {"position_variance", "voxel2", "of that", 0}};

static const char *release_name(const cli_dispersion_result *r)
{
    return r->options->release == RILL_RELEASE_PULSE ? "pulse" : "step";
}

void cli_breakthrough_print(const cli_dispersion_result *r, int point)
{
    if (!r->result->runs) return;
    const rill_breakthrough *run = &r->result->runs[point];
    char label[32];
    snprintf(label, sizeof label, "  in time: a %s", release_name(r));
    cli_row(label, "%.4g pore volumes, %llu time steps; %s %.4g %%",
            (double)(run->count - 1) / RILL_BREAKTHROUGH_SAMPLES, (unsigned long long)run->steps,
            r->options->release == RILL_RELEASE_PULSE ? "recovered" : "at the end the outlet has",
            100 * run->recovered);
    cli_row("    times of passage", "mean %.5g pore volumes, variance %.5g", run->mean, run->variance);
    if (isfinite(run->dispersion))
        cli_row("    D / D0 of a column", "%.5g: a uniform one of this length with that variance",
                run->dispersion);
    cli_row("    concentrations", "%.3g to %.5g", run->least, run->most);
}

json_t *cli_breakthrough_json(const cli_dispersion_result *r)
{
    if (!r->result->runs) return json_null();
    json_t *list = json_array();
    for (int k = 0; k < r->result->point_count; k++) {
        const rill_breakthrough *run = &r->result->runs[k];
        json_t *one = json_pack("{s:f, s:s, s:I, s:f, s:f, s:f, s:o, s:f, s:f, s:f}", "peclet", run->peclet,
                                "release", release_name(r), "steps", (json_int_t)run->steps, "passage_mean",
                                run->mean, "passage_variance", run->variance, "recovered", run->recovered,
                                "column_dispersion", rill_json_real(run->dispersion), "least", run->least,
                                "most", run->most, "seconds", run->seconds);
        for (int c = 0; c < RILL_BREAKTHROUGH_COLUMNS; c++) {
            json_t *values = json_array();
            for (uint64_t i = 0; i < run->count; i++)
                json_array_append_new(
                    values, rill_json_real(run->samples[i * RILL_BREAKTHROUGH_COLUMNS + (size_t)c]));
            json_object_set_new(one, columns[c].name, values);
        }
        json_array_append_new(list, one);
    }
    return list;
}

rill_status cli_breakthrough_write(rill_result *file, const cli_dispersion_result *r)
{
    rill_status status = RILL_OK;
    double *values = NULL;
    for (int k = 0; r->result->runs && k < r->result->point_count; k++) {
        const rill_breakthrough *run = &r->result->runs[k];
        const rill_quantity moments[] = {
            {"passage_mean", "1", "mean time of passage, pore volumes", 1},
            {"passage_variance", "1", "of the time of passage, pore volumes^2", 1},
            {"recovered", "1",
             "part of the solute that has come out; of a step: concentration at the outlet at the end", 1},
            {"column_dispersion", "1", "D / D0 of a uniform column with that variance; NaN: unknown", 1}};
        const double of[] = {run->mean, run->variance, run->recovered, run->dispersion};
        char group[64];
        snprintf(group, sizeof group, "/breakthrough/pe%g", run->peclet);
        free(values);
        values = malloc(run->count * sizeof *values);
        if (!values) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a breakthrough"));
        for (int c = 0; c < RILL_BREAKTHROUGH_COLUMNS; c++) {
            for (uint64_t i = 0; i < run->count; i++)
                values[i] = run->samples[i * RILL_BREAKTHROUGH_COLUMNS + (size_t)c];
            RILL_TRY(rill_result_values(file, group, &columns[c], 1, &run->count, values));
        }
        for (size_t m = 0; m < sizeof of / sizeof *of; m++)
            RILL_TRY(rill_result_values(file, group, &moments[m], 0, NULL, &of[m]));
        RILL_TRY(rill_result_set_text(file, group, "release", release_name(r)));
    }
done:
    free(values);
    return status;
}
