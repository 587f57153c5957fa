/* SPDX-License-Identifier: Apache-2.0 */
/* Rows, JSON and HDF5 of an error bar. Nothing is computed here but units and per cent. */
#include "cli/error_bar_output.h"
#include "cli/cli.h"
#include "cli/permeability.h"
#include "core/status.h"
#include "core/units.h"
#include "io/json_file.h"
#include "geometry/voxels/sides.h"

#include <math.h>
#include <string.h>

static const char *const purposes[] = {"domain boundaries", "grid", "number format", "surface"};

void cli_error_bar_part_name(const rill_error_bar_plan *plan, int part, char *text, size_t size)
{
    const rill_error_bar_part *p = &plan->parts[part];
    char split[32] = "";
    if (p->purpose == RILL_ERROR_BAR_GRID)
        snprintf(split, sizeof split, ", voxels split into %u^3", p->split);
    if (p->coarser) snprintf(split, sizeof split, ", on coarser voxels");
    snprintf(text, size, "error bar %d of %d, %s%s", part + 1, plan->part_count, purposes[p->purpose], split);
}

void cli_error_bar_print_plan(const rill_error_bar_plan *plan, uint64_t peak, double plain_seconds)
{
    char host[32], device[64] = "", seconds[48] = "";
    rill_units_format_bytes((double)peak, host, sizeof host);
    if (plan->device_bytes) {
        rill_units_format_bytes((double)plan->device_bytes, device, sizeof device);
        strcat(device, " on the device");
    }
    if (plain_seconds > 0) snprintf(seconds, sizeof seconds, ", %.2g s", plan->cost * plain_seconds);
    cli_row("error bar", "%d run%s more, about %.2g times the time of the plain run%s", plan->part_count,
            plan->part_count == 1 ? "" : "s", plan->cost, seconds);
    cli_row("  memory, host", "%s at the peak%s%s", host, device[0] ? ", " : "", device);
    for (int i = 0; i < plan->part_count; i++) {
        const rill_error_bar_part *p = &plan->parts[i];
        char label[48], variant[96];
        rill_variant_name(p->variant, variant, sizeof variant);
        snprintf(label, sizeof label,
                 p->purpose == RILL_ERROR_BAR_GRID ? "  %d. %s, split by %u" : "  %d. %s", i + 1,
                 purposes[p->purpose], p->split);
        cli_row(label, "%u x %u x %u voxels from %u,%u,%u%s, boundaries %s, %s, %s, %s: %.2g times", p->n[0],
                p->n[1], p->n[2], p->first[0], p->first[1], p->first[2], p->coarser ? ", 2^3 in one" : "",
                rill_side_name(p->sides[0]), rill_side_name(p->sides[1]), rill_side_name(p->sides[2]),
                strrchr(variant, '-') + 1, p->cost);
    }
    cli_row("  domain boundaries", "%s", plan->sides_note);
    if (plan->shape_note[0]) cli_row("  shape and voxels", "%s", plan->shape_note);
    if (plan->grid_note[0]) cli_row("  staircase limit", "%s", plan->grid_note);
    if (plan->format_note[0]) cli_row("  number format", "%s", plan->format_note);
}

/* The option that requests a row. */
static const char *const asked_by[RILL_ERROR_ROWS] = {"",
                                                      "",
                                                      "--error-bar",
                                                      "--error-bar",
                                                      "--threshold T±D of a grey image",
                                                      "--sample VOXELS: at least 8 blocks of this edge"};

/* Relative errors below this have no digits. */
#define SMALL 1e-5

/* "0.12 %", and no power of ten of what does not count. */
static void percent(double value, char *text, size_t size)
{
    if (!isfinite(value))
        snprintf(text, size, "not known");
    else if (value < SMALL)
        snprintf(text, size, "< 0.001 %%");
    else
        snprintf(text, size, value < 0.995 ? "%.2g %%" : "%.0f %%", 100 * value);
}

/* "± 1.2 %", "+1.2 %" of what has a sign, with the axes of a tensor "x ± 1.2 %, y ± 3 %".
 * @param sign  [3], NULL: none */
static void widths_format(const rill_error_bar *bar, const double width[3], const double *sign, char *text,
                          size_t size)
{
    int axes = 0;
    text[0] = '\0';
    for (int a = 0; a < 3; a++) axes += isfinite(bar->k[a]);
    for (int a = 0; a < 3; a++) {
        char value[32], name[8] = "";
        const size_t used = strlen(text);
        if (!isfinite(bar->k[a])) continue;
        percent(width[a], value, sizeof value);
        if (axes > 1) snprintf(name, sizeof name, "%c ", rill_axis(a));
        const bool sized = isfinite(width[a]) && width[a] >= SMALL,
                   is_signed = sized && sign && fabs(sign[a]) == width[a];
        snprintf(text + used, size - used, "%s%s%s%s", used ? ", " : "", name,
                 !sized        ? ""
                 : !is_signed  ? "± "
                 : sign[a] > 0 ? "+"
                               : "-",
                 value);
    }
}

/* Rows that were not requested, in one line: "segmentation (--threshold T±D of a grey image), sample
 * (--blocks)". */
static void not_asked_print(const rill_error_bar *bar)
{
    char text[256] = "";
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        const size_t used = strlen(text);
        if (bar->contributions[i].state == RILL_ERROR_NOT_ASKED)
            snprintf(text + used, sizeof text - used, "%s%s (%s)", used ? ", " : "",
                     bar->contributions[i].name, asked_by[i]);
    }
    if (text[0]) cli_row("  not asked", "%s", text);
}

static void rows_print(const rill_error_bar *bar)
{
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        const rill_error_bar_contribution *c = &bar->contributions[i];
        char label[64], value[128];
        snprintf(label, sizeof label, "  %s", c->name);
        widths_format(bar, c->half_width, c->relative, value, sizeof value);
        if (c->state == RILL_ERROR_KNOWN && c->bound)
            cli_row(label, "%s, bound", value);
        else if (c->state == RILL_ERROR_KNOWN)
            cli_row(label, "%s, estimate: %s", value, c->note);
        else if (c->state == RILL_ERROR_UNKNOWN)
            cli_row(label, "not known, and not in the total: %s", c->note);
    }
    not_asked_print(bar);
}

static void interval_print(const char *label, double k, double relative, double m2)
{
    char width[32];
    percent(relative, width, sizeof width);
    const double low = k * fmax(0, 1 - relative), high = k * (1 + relative);
    if (isfinite(m2))
        cli_row(label, "%.5g lu ± %s (%.4g to %.4g) = %.5g m2 (%.4g to %.4g)", k, width, low, high, k * m2,
                low * m2, high * m2);
    else
        cli_row(label, "%.5g lu ± %s (%.4g to %.4g)", k, width, low, high);
}

static void grid_print(const rill_error_bar_grid *grid, int a)
{
    char order[48] = "no order";
    if (isfinite(grid->order[a]))
        snprintf(order, sizeof order, grid->sane[a] ? "order %.2f" : "order %.2f, not used", grid->order[a]);
    cli_row("  grids", "%.6g, %.6g, %.6g lu with voxels split by 1, 2, 3: %s, %s %.5g ± %.2g %%",
            grid->k[0][a], grid->k[1][a], grid->k[2][a], order, grid->sane[a] ? "limit" : "finest grid",
            grid->limit[a], 100 * grid->uncertainty[a] / grid->limit[a]);
}

/* What the total is, in one line. */
static void total_print(const rill_error_bar *bar)
{
    char total[128], value[128], without[192] = "";
    bool estimates = false, matters = false;
    widths_format(bar, bar->total, NULL, total, sizeof total);
    for (int i = 0; i < RILL_ERROR_ROWS; i++)
        estimates =
            estimates || (bar->contributions[i].state == RILL_ERROR_KNOWN && !bar->contributions[i].bound);
    if (!estimates) {
        cli_row("  total", "%s: bound on k of these voxels, not on k of the shape that they sample", total);
        return;
    }
    for (int a = 0; a < 3; a++) matters = matters || bar->without_boundaries[a] < 0.99 * bar->total[a];
    widths_format(bar, bar->without_boundaries, NULL, value, sizeof value);
    if (matters) snprintf(without, sizeof without, "; %s without the domain boundaries", value);
    cli_row("  total", "%s: bounds added, and estimates in quadrature%s", total, without);
}

static bool off_axis_any(const rill_error_bar *bar)
{
    bool any = false;
    for (int i = 0; i < 9; i++) any = any || isfinite(bar->off_axis[i / 3][i % 3]);
    return any;
}

static void off_axis_print(const rill_error_bar *bar, const rill_permeability *plain)
{
    char text[256] = "";
    bool shown[3] = {
        false}; /* as in the table of k: flows along an axis that no force drives are not there */
    if (!off_axis_any(bar)) return;
    for (int i = 0; i < plain->run_count; i++) shown[plain->runs[i].axis] = true;
    for (int b = 0; b < 3; b++)
        for (int a = 0; a < 3; a++) {
            const size_t used = strlen(text);
            if (shown[b] && isfinite(bar->off_axis[b][a]))
                snprintf(text + used, sizeof text - used, "%sk_%c%c ± %.2g", used ? ", " : "", rill_axis(b),
                         rill_axis(a), bar->off_axis[b][a]);
        }
    cli_row("  beside the diagonal",
            "%s lu: bounds on convergence and number format; the other rows are not known there", text);
}

void cli_error_bar_print(const rill_error_bar *bar, const rill_permeability *plain, double m2)
{
    const bool shape = bar->contributions[RILL_ERROR_SHAPE].state == RILL_ERROR_KNOWN;
    rows_print(bar);
    total_print(bar);
    off_axis_print(bar, plain);
    for (int a = 0; a < 3; a++) {
        char label[64];
        if (!isfinite(bar->k[a])) continue;
        snprintf(label, sizeof label, "%s k_%c%c",
                 bar->best[a] != bar->k[a] ? "best estimate of" : "interval of", rill_axis(a), rill_axis(a));
        if (shape) interval_print(label, bar->best[a], bar->total[a], m2);
        for (int g = 0; g < bar->grid_count; g++) grid_print(&bar->grids[g], a);
        if (isfinite(bar->staircase_limit[a]))
            cli_row("  staircase limit", "%.5g lu ± %.2g %%: of the steps of the voxels, not of the shape",
                    bar->staircase_limit[a], 100 * bar->staircase_relative[a]);
    }
}

static json_t *axes(const double value[3], double factor)
{
    return json_pack("{s:o, s:o, s:o}", "x", rill_json_real(value[0] * factor), "y",
                     rill_json_real(value[1] * factor), "z", rill_json_real(value[2] * factor));
}

static json_t *grids_json(const rill_error_bar *bar)
{
    json_t *list = json_array();
    for (int g = 0; g < bar->grid_count; g++) {
        const rill_error_bar_grid *grid = &bar->grids[g];
        json_t *levels = json_array();
        for (int level = 0; level < RILL_ERROR_BAR_LEVELS; level++)
            json_array_append_new(levels, json_pack("{s:i, s:o, s:o}", "split", level + 1, "lu",
                                                    axes(grid->k[level], 1), "uncertainty_lu",
                                                    axes(grid->uncertainty_k[level], 1)));
        json_array_append_new(
            list, json_pack("{s:[i,i,i], s:[i,i,i], s:o, s:o, s:{s:b, s:b, s:b}, s:o, s:o}", "first",
                            (int)grid->first[0], (int)grid->first[1], (int)grid->first[2], "voxels",
                            (int)grid->n[0], (int)grid->n[1], (int)grid->n[2], "levels", levels, "order",
                            axes(grid->order, 1), "order_used", "x", grid->sane[0], "y", grid->sane[1], "z",
                            grid->sane[2], "limit_lu", axes(grid->limit, 1), "limit_uncertainty_lu",
                            axes(grid->uncertainty, 1)));
    }
    return list;
}

static const char *const states[] = {"not asked", "not known", "known"}; /* of rill_error_state */

static bool is_empty(const rill_error_bar *bar)
{
    return !isfinite(bar->k[0]) && !isfinite(bar->k[1]) && !isfinite(bar->k[2]);
}

json_t *cli_error_bar_json(const rill_error_bar *bar, double m2)
{
    if (is_empty(bar)) return json_null();
    json_t *list = json_array(), *limit = json_null(), *walls = json_null();
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        const rill_error_bar_contribution *c = &bar->contributions[i];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:s}", "name", c->name, "kind",
                                              c->bound ? "bound" : "estimate", "state", states[c->state],
                                              "relative", axes(c->relative, 1), "half_width",
                                              axes(c->half_width, 1), "note", c->note));
    }
    if (bar->grid_count)
        limit = json_pack("{s:o, s:o, s:o, s:o}", "lu", axes(bar->staircase_limit, 1), "m2",
                          axes(bar->staircase_limit, m2), "relative", axes(bar->staircase_relative, 1),
                          "grids", grids_json(bar));
    if (bar->contributions[RILL_ERROR_SHAPE].state != RILL_ERROR_NOT_ASKED)
        walls = json_pack("{s:o, s:o, s:o, s:o, s:o, s:[o,o]}", "shift_lu", axes(bar->wall_shift, 1),
                          "into_pores_lu", axes(bar->wall_room[0], 1), "into_solids_lu",
                          axes(bar->wall_room[1], 1), "surface_0.12_lu", axes(bar->surface_k[0], 1),
                          "surface_0.1875_lu", axes(bar->surface_k[1], 1), "surface_threshold_lu",
                          axes(bar->surface_threshold[0], 1), axes(bar->surface_threshold[1], 1));
    json_t *off_axis = off_axis_any(bar) ? cli_json_tensor(bar->off_axis, 1) : json_null();
    return json_pack("{s:o, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:o, s:o, s:b, s:f}", "contributions", list,
                     "total", axes(bar->total, 1), "total_without_boundaries",
                     axes(bar->without_boundaries, 1), "best_estimate", "lu", axes(bar->best, 1), "m2",
                     axes(bar->best, m2), "voxels_lu", axes(bar->k, 1), "staircase_limit", limit, "walls",
                     walls, "off_axis_bound_lu", off_axis, "complete", bar->complete, "seconds",
                     bar->seconds);
}

rill_status cli_error_bar_write(rill_result *file, const rill_error_bar *bar, double m2)
{
    rill_status status = RILL_OK;
    static const char *const group = "/error_bar";
    const double si = isfinite(m2) ? m2 : 0;
    const uint64_t three[2] = {3, 3};
    const rill_quantity off_axis = {
        "off_axis_bound", "lu", "bound on entries beside the diagonal: convergence and number format", si};
    const struct {
        rill_quantity quantity;
        const double *value;
    } values[] = {
        {{"total", "1", "half-width of the interval around best_estimate, relative", 1}, bar->total},
        {{"total_without_boundaries", "1", "the same without the domain boundaries", 1},
         bar->without_boundaries},
        {{"best_estimate", "lu", "k of the shape that the voxels sample", si}, bar->best},
        {{"staircase_limit", "lu", "k of the steps of the voxels, NaN: no finer grids", si},
         bar->staircase_limit}};
    if (is_empty(bar)) return RILL_OK;
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        const rill_error_bar_contribution *c = &bar->contributions[i];
        char name[64], meaning[512];
        snprintf(name, sizeof name, "%s", c->name);
        for (char *blank = name; (blank = strchr(blank, ' ')) != NULL;) *blank = '_';
        snprintf(meaning, sizeof meaning, "half-width, relative, %s, %s: %s", c->bound ? "bound" : "estimate",
                 states[c->state], c->note);
        const rill_quantity row = {name, "1", meaning, 1};
        RILL_TRY(rill_result_values(file, group, &row, 1, three, c->half_width));
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        RILL_TRY(rill_result_values(file, group, &values[i].quantity, 1, three, values[i].value));
    if (off_axis_any(bar))
        RILL_TRY(rill_result_values(file, group, &off_axis, 2, three, &bar->off_axis[0][0]));
done:
    return status;
}
