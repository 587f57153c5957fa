/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and JSON of an error bar. Nothing is computed here but units and per cent. */
#include "cli/error_bar_output.h"
#include "cli/cli.h"
#include "core/units.h"
#include "io/json_file.h"
#include "geometry/voxels/sides.h"

#include <math.h>
#include <string.h>

static const char *const purposes[] = {"sides", "grid", "number format"};

void cli_error_bar_part_name(const rill_error_bar_plan *plan, int part, char *text, size_t size)
{
    const rill_error_bar_part *p = &plan->parts[part];
    char split[32] = "";
    if (p->purpose == RILL_ERROR_BAR_GRID)
        snprintf(split, sizeof split, ", voxels split into %u^3", p->split);
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
    cli_row("error bar", "%d runs more, about %.2g times the time of the plain run%s", plan->part_count,
            plan->cost, seconds);
    cli_row("  memory, host", "%s at the peak%s%s", host, device[0] ? ", " : "", device);
    for (int i = 0; i < plan->part_count; i++) {
        const rill_error_bar_part *p = &plan->parts[i];
        char label[48], variant[96];
        rill_variant_name(p->variant, variant, sizeof variant);
        snprintf(label, sizeof label,
                 p->purpose == RILL_ERROR_BAR_GRID ? "  %d. %s, split by %u" : "  %d. %s", i + 1,
                 purposes[p->purpose], p->split);
        cli_row(label, "%u x %u x %u voxels from %u,%u,%u, boundaries %s, %s, %s, %s: %.2g times", p->n[0],
                p->n[1], p->n[2], p->first[0], p->first[1], p->first[2], rill_side_name(p->sides[0]),
                rill_side_name(p->sides[1]), rill_side_name(p->sides[2]), strrchr(variant, '-') + 1, p->cost);
    }
    cli_row("  boundaries", "%s", plan->sides_note);
    cli_row("  discretisation", "%s", plan->grid_note);
    cli_row("  number format", "%s", plan->format_note);
}

/* "+1.2 %", or "± 3 %" where there is no sign. */
static void contribution_format(const rill_error_bar_contribution *c, int axis, char *text, size_t size)
{
    const double r = 100 * c->relative[axis], b = 100 * c->bound[axis];
    if (!isfinite(b))
        snprintf(text, size, "?");
    else if (!isfinite(r))
        snprintf(text, size, "± %.2g %%", b);
    else if (b == 0)
        snprintf(text, size, "0 %%");
    else if (b > 1.0000001 * fabs(r))
        snprintf(text, size, "%+.2g ± %.2g %%", r, b - fabs(r));
    else
        snprintf(text, size, "%+.2g %%", r);
}

static void interval_print(const char *label, double k, double relative, double m2)
{
    const double low = k * fmax(0, 1 - relative), high = k * (1 + relative);
    if (isfinite(m2))
        cli_row(label, "%.5g lu ± %.2g %% (%.4g to %.4g) = %.5g m2 (%.4g to %.4g)", k, 100 * relative, low,
                high, k * m2, low * m2, high * m2);
    else
        cli_row(label, "%.5g lu ± %.2g %% (%.4g to %.4g)", k, 100 * relative, low, high);
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

void cli_error_bar_print(const rill_error_bar *bar, double m2)
{
    for (int a = 0; a < 3; a++) {
        char label[64];
        if (!isfinite(bar->k[a])) continue;
        snprintf(label, sizeof label, "error bar of k_%c%c", rill_axis(a), rill_axis(a));
        interval_print(label, bar->k[a], bar->relative[a], m2);
        for (int i = 0; i < bar->contribution_count; i++) {
            const rill_error_bar_contribution *c = &bar->contributions[i];
            char value[64];
            contribution_format(c, a, value, sizeof value);
            snprintf(label, sizeof label, "  %s", c->name);
            cli_row(label, "%s: %s", value, c->note);
        }
        for (int g = 0; g < bar->grid_count; g++) grid_print(&bar->grids[g], a);
        cli_row("  without the boundaries", "± %.2g %%", 100 * bar->numerical[a]);
        if (isfinite(bar->extrapolated[a]))
            interval_print("  extrapolated", bar->extrapolated[a], bar->extrapolated_relative[a], m2);
    }
    if (!bar->complete) cli_row("  INCOMPLETE", "what was not assessed is not in the sum");
    cli_row("  time", "%.1f s", bar->seconds);
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

json_t *cli_error_bar_json(const rill_error_bar *bar, double m2)
{
    if (!bar) return json_null();
    json_t *list = json_array();
    for (int i = 0; i < bar->contribution_count; i++) {
        const rill_error_bar_contribution *c = &bar->contributions[i];
        json_array_append_new(list, json_pack("{s:s, s:b, s:o, s:o, s:s}", "name", c->name, "assessed",
                                              c->assessed, "relative", axes(c->relative, 1), "bound",
                                              axes(c->bound, 1), "note", c->note));
    }
    return json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o, s:o, s:b, s:f}", "relative",
                     axes(bar->relative, 1), "relative_without_sides", axes(bar->numerical, 1),
                     "contributions", list, "extrapolated", "lu", axes(bar->extrapolated, 1), "m2",
                     axes(bar->extrapolated, m2), "relative", axes(bar->extrapolated_relative, 1),
                     "central_lu", axes(bar->k, 1), "grids", grids_json(bar), "complete", bar->complete,
                     "seconds", bar->seconds);
}
