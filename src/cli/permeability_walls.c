/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of what the walls of a permeability decide. Nothing is computed here but units. */
#include "cli/permeability.h"
#include "cli/cli.h"
#include "core/status.h"
#include "core/units.h"
#include "io/json_file.h"

#include <math.h>

/* Return the centre of a voxel in metres; NaN when the voxel size is unknown. */
static double centre_of(const rill_geom *geom, const rill_decisive_box *box, int a)
{
    return geom->spacing > 0 ? geom->origin[a] + (box->voxel[a] + 0.5) * geom->spacing : NAN;
}

static void box_print(const rill_geom *geom, const rill_decisive_box *box, double before)
{
    char lengths[3][48], at[160] = "";
    if (geom->spacing > 0) {
        for (int a = 0; a < 3; a++)
            rill_units_format_length(centre_of(geom, box, a), lengths[a], sizeof lengths[a]);
        snprintf(at, sizeof at, " = %s, %s, %s", lengths[0], lengths[1], lengths[2]);
    }
    cli_row("", "voxel %u, %u, %u%s: %.3g %%, %.3g %% with those above", box->voxel[0], box->voxel[1],
            box->voxel[2], at, 100 * box->share, 100 * (before + box->share));
}

/* k for the threshold and its width, in the unit of the image and in darcy. */
static void threshold_print(const rill_geom *geom, const rill_permeability_flow *run)
{
    const rill_permeability_walls *w = &run->walls;
    const double darcy = cli_square_metres(geom) / RILL_DARCY;
    char units[96] = "", narrow[96] = "";
    if (w->threshold_narrow >= 0.01)
        snprintf(narrow, sizeof narrow, ", %.0f %% of it of pores of one or two voxels",
                 100 * w->threshold_narrow);
    if (geom->spacing > 0)
        snprintf(units, sizeof units, " = %.4g to %.4g darcy", w->k_narrow * darcy, w->k_wide * darcy);
    cli_row("  threshold", "%g \u00b1 %g: k_%c%c %.4g to %.4g lu%s, from the first derivative%s",
            w->threshold, w->threshold_width, rill_axis(run->axis), rill_axis(run->axis), w->k_narrow,
            w->k_wide, units, narrow);
    if (isfinite(w->threshold_network[0]) && isfinite(w->threshold_network[1]))
        cli_row(
            "",
            "pore networks at both thresholds conduct %+.3g and %+.3g %%, throats that close or open included",
            100 * (w->threshold_network[0] - 1), 100 * (w->threshold_network[1] - 1));
}

void cli_permeability_print_walls(const cli_permeability_result *r)
{
    for (int i = 0; i < r->result->run_count; i++) {
        const rill_permeability_flow *run = &r->result->runs[i];
        const rill_permeability_walls *w = &run->walls;
        double before = 0;
        if (!w->known) continue;
        cli_row("sensitivity to walls", "k_%c%c changes by %.3g %% where all walls move by 0.1 voxels",
                rill_axis(run->axis), rill_axis(run->axis), 10 * w->per_voxel);
        if (isfinite(w->threshold)) threshold_print(r->p->geom, run);
        if (w->box_count)
            cli_row("  decisive voxels", "share of boxes of 8^3 voxels in that, around (x, y, z):");
        for (int k = 0; k < w->box_count; k++) {
            box_print(r->p->geom, &w->boxes[k], before);
            before += w->boxes[k].share;
        }
    }
}

static json_t *box_json(const rill_geom *geom, const rill_decisive_box *box)
{
    return json_pack("{s:[i,i,i], s:[o,o,o], s:[i,i,i], s:[i,i,i], s:o}", "voxel", (int)box->voxel[0],
                     (int)box->voxel[1], (int)box->voxel[2], "position_m",
                     rill_json_real(centre_of(geom, box, 0)), rill_json_real(centre_of(geom, box, 1)),
                     rill_json_real(centre_of(geom, box, 2)), "first", (int)box->first[0], (int)box->first[1],
                     (int)box->first[2], "size", (int)box->n[0], (int)box->n[1], (int)box->n[2], "share",
                     rill_json_real(box->share));
}

json_t *cli_permeability_walls_json(const rill_geom *geom, const rill_permeability_flow *run)
{
    const rill_permeability_walls *w = &run->walls;
    if (!w->known) return json_null();
    json_t *boxes = json_array(), *threshold = json_null();
    const double m2 = cli_square_metres(geom);
    if (isfinite(w->threshold))
        threshold = json_pack(
            "{s:f, s:f, s:o, s:[o,o], s:[o,o], s:[o,o]}", "value", w->threshold, "width", w->threshold_width,
            "narrow_share", rill_json_real(w->threshold_narrow), "lu", rill_json_real(w->k_narrow),
            rill_json_real(w->k_wide), "m2", rill_json_real(w->k_narrow * m2), rill_json_real(w->k_wide * m2),
            "network", rill_json_real(w->threshold_network[0]), rill_json_real(w->threshold_network[1]));
    for (int k = 0; k < w->box_count; k++) json_array_append_new(boxes, box_json(geom, &w->boxes[k]));
    return json_pack("{s:o, s:I, s:o, s:o}", "per_voxel", rill_json_real(w->per_voxel), "voxels",
                     (json_int_t)w->voxels, "threshold", threshold, "boxes", boxes);
}

rill_status cli_permeability_write_walls(rill_result *file, const cli_permeability_result *r)
{
    rill_status status = RILL_OK;
    for (int i = 0; i < r->result->run_count; i++) {
        const rill_permeability_flow *run = &r->result->runs[i];
        const rill_permeability_walls *w = &run->walls;
        const rill_quantity per_voxel = {"per_voxel", "1/voxel",
                                         "relative change of k for each voxel that all walls move", 0},
                            voxel = {"voxel", "1", "row: voxel x, y, z that decides most of a box", 0},
                            share = {"share", "1", "of a box in what all walls decide", 1};
        const uint64_t dims[2] = {(uint64_t)w->box_count, 3};
        double voxels[RILL_DECISIVE_BOXES][3], shares[RILL_DECISIVE_BOXES];
        char group[32];
        if (!w->known) continue;
        snprintf(group, sizeof group, "/walls/%c", rill_axis(run->axis));
        for (int k = 0; k < w->box_count; k++) {
            for (int a = 0; a < 3; a++) voxels[k][a] = w->boxes[k].voxel[a];
            shares[k] = w->boxes[k].share;
        }
        RILL_TRY(rill_result_set_integer(file, group, "voxels", (int64_t)w->voxels));
        RILL_TRY(rill_result_values(file, group, &per_voxel, 0, NULL, &w->per_voxel));
        if (isfinite(w->threshold)) {
            const rill_quantity k = {"threshold_k", "lu", "k for the threshold less and more its width",
                                     r->p->geom->spacing * r->p->geom->spacing},
                                network = {"threshold_network", "1",
                                           "of the pore networks there, over that of the threshold", 1};
            const uint64_t two[1] = {2};
            RILL_TRY(rill_result_set_real(file, group, "threshold", w->threshold));
            RILL_TRY(rill_result_set_real(file, group, "threshold_width", w->threshold_width));
            RILL_TRY(rill_result_set_real(file, group, "threshold_narrow", w->threshold_narrow));
            RILL_TRY(rill_result_values(file, group, &k, 1, two, (double[]){w->k_narrow, w->k_wide}));
            if (isfinite(w->threshold_network[0]) && isfinite(w->threshold_network[1]))
                RILL_TRY(rill_result_values(file, group, &network, 1, two, w->threshold_network));
        }
        if (!w->box_count) continue;
        RILL_TRY(rill_result_values(file, group, &voxel, 2, dims, &voxels[0][0]));
        RILL_TRY(rill_result_values(file, group, &share, 1, dims, shares));
    }
done:
    return status;
}
