/* SPDX-License-Identifier: Apache-2.0 */
/* The coarser grids of rill run --error-bar: rows, JSON, and running them. Extrapolation is
 * vessel/run/grids.c's.
 */
#include "cli/vessel.h"

#include "cli/surface_again.h"
#include "core/units.h"
#include "io/json_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINEST = RILL_GRIDS - 1 };

/* ---- planning ---- */

static rill_status coarser_plan(const char *path, cli_case_choices *c, const cli_case *fine, int k,
                                rill_progress progress, cli_case *out)
{
    rill_status status = RILL_OK;
    const rill_sim_options *o = &fine->plan.options;
    const rill_case_plan_options options = {.on = o->on, .measure = !c->unmeasured};
    RILL_TRY(cli_case_open(path, c, &out->given));
    RILL_TRY(cli_surface_again(fine->geom, out->given->geometry, c->outside,
                               rill_grids_spacing(k) * fine->geom->spacing, progress, &out->geom, NULL));
    rill_grids_fix(out->given, &fine->plan, k);
    RILL_TRY(rill_case_close(out->given, out->geom));
    RILL_TRY(rill_case_plan_make(out->given, out->geom, &options, &out->plan));
done:
    return status;
}

/* Name a grid in a message. */
static void grid_prefix(const cli_grids *grids, int k)
{
    char length[64];
    rill_units_format_length(grids->spacing[k], length, sizeof length);
    rill_fail_prefix("grid %d of %d of the error bar, voxels of %s", k + 1, RILL_GRIDS, length);
}

rill_status cli_grids_plan(const char *path, cli_case_choices *choices, const cli_case *fine,
                           rill_progress progress, cli_grids *out)
{
    if (fine->geom->planes)
        return rill_fail(
            RILL_USAGE,
            "an error bar voxelizes a surface, which one process does: leave out --error-bar, or start one process");
    for (int k = 0; k < RILL_GRIDS; k++) out->spacing[k] = rill_grids_spacing(k) * fine->geom->spacing;
    for (int k = 0; k < FINEST; k++) {
        const rill_status status = coarser_plan(path, choices, fine, k, progress, &out->coarser[k]);
        if (status == RILL_OK) continue;
        grid_prefix(out, k);
        return status;
    }
    return RILL_OK;
}

rill_status cli_grids_accept(const cli_grids *grids)
{
    for (int k = 0; k < FINEST; k++) {
        const rill_status status = rill_case_plan_accept(&grids->coarser[k].plan);
        if (status == RILL_OK) continue;
        grid_prefix(grids, k);
        return status;
    }
    return RILL_OK;
}

static double fewest_cells(const rill_case_plan *plan)
{
    double cells = INFINITY;
    for (int o = 0; o < plan->opening_count; o++) cells = fmin(cells, plan->openings[o].cells);
    return cells;
}

void cli_grids_print_plan(const cli_grids *grids, const cli_case *fine)
{
    double seconds = fine->plan.speed.seconds;
    bool measured = fine->plan.speed.measured;
    cli_row("error bar", "the same case on two coarser grids, before this one");
    for (int k = 0; k < FINEST; k++) {
        const rill_case_plan *p = &grids->coarser[k].plan;
        char label[32], length[64], memory[32];
        rill_units_format_length(grids->spacing[k], length, sizeof length);
        rill_units_format_bytes((double)p->host_peak, memory, sizeof memory);
        snprintf(label, sizeof label, "  grid %d of %d", k + 1, RILL_GRIDS);
        cli_row(label, "voxels of %s, %llu fluid nodes, at least %.3g cells across, tau %.5g, Mach %.3g",
                length, (unsigned long long)p->nodes, fewest_cells(p), p->options.tau, p->peak.mach);
        cli_row("", "at most %llu steps, %s of memory", (unsigned long long)p->steps, memory);
        seconds += p->speed.seconds;
        measured = measured && p->speed.measured;
    }
    if (measured) cli_row("  time", "at most about %.2g s, all three", seconds);
}

/* ---- running ---- */

/* Keep TAWSS where the case requests it. */
static rill_status tawss_keep(cli_grids *grids, int k, const rill_vessel *vessel)
{
    const uint64_t n = vessel->geom->surface->triangle_count;
    if (!vessel->given->output.surface) return RILL_OK;
    grids->tawss[k] = malloc((n ? n : 1) * sizeof *grids->tawss[k]);
    if (!grids->tawss[k]) return rill_fail(RILL_SYSTEM, "out of memory for wall shear");
    return rill_vessel_wall_shear(vessel, grids->tawss[k], NULL);
}

rill_status cli_grids_run(cli_grids *grids, int k, rill_progress progress)
{
    rill_status status = RILL_OK;
    cli_case *c = &grids->coarser[k];
    rill_vessel *vessel = NULL;
    const rill_run_options options = {.fields = RILL_FIELDS_NONE, .progress = progress};
    RILL_TRY(rill_vessel_create(c->given, c->geom, &c->plan, &vessel));
    RILL_TRY(rill_case_run(vessel, &options, &grids->results[k]));
    RILL_TRY(tawss_keep(grids, k, vessel));
done:
    if (status != RILL_OK) grid_prefix(grids, k);
    rill_vessel_destroy(vessel);
    rill_geom_destroy(c->geom); /* the voxels are the memory; the plan is shown later */
    c->geom = NULL;
    return status;
}

rill_status cli_grids_finish(cli_grids *grids, const rill_vessel *fine, const rill_run_result *result,
                             const char *directory, const char *command)
{
    rill_status status = RILL_OK;
    char *path = NULL;
    grids->results[FINEST] = *result;
    for (int k = 0; k < RILL_GRIDS; k++) grids->seconds += grids->results[k].seconds;
    grids->quantities = malloc(RILL_GRIDS_QUANTITIES * sizeof *grids->quantities);
    if (!grids->quantities) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for an error bar"));
    grids->count = rill_grids_extrapolate(fine, grids->spacing, grids->results, grids->quantities);
    RILL_TRY(tawss_keep(grids, FINEST, fine));
    if (!grids->tawss[0] || !grids->tawss[FINEST]) goto done;
    if (asprintf(&path, "%s/error-bar.vtkhdf", directory) < 0) {
        path = NULL;
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a file name"));
    }
    status = rill_grids_wall_write(fine->geom, grids->spacing, (const float *const *)grids->tawss,
                                   result->steps, result->time, command, path);
done:
    free(path);
    return status;
}

/* ---- output ---- */

/* Unit and factor of a quantity for people. */
static const char *unit_of(const rill_grids_quantity *q, double *factor)
{
    *factor = 1;
    if (strcmp(q->key, "osi_mean") == 0) return "";
    if (strcmp(q->key, "pressure_pa") == 0) {
        *factor = 1 / 133.322387415;
        return " mmHg";
    }
    if (strcmp(q->key, "flow_m3_per_s") != 0) return " Pa";
    *factor = 1e6;
    return " mL/s";
}

/* Name a quantity for people. */
static void name_of(const rill_grids_quantity *q, char *out, size_t size)
{
    static const struct {
        const char *key, *name;
    } names[] = {{"tawss_mean_pa", "TAWSS, mean"},
                 {"tawss_max_pa", "TAWSS, largest"},
                 {"osi_mean", "OSI, mean"},
                 {"pressure_pa", "pressure of "},
                 {"flow_m3_per_s", "flow of "}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strcmp(q->key, names[k].key) == 0) snprintf(out, size, "  %s%s", names[k].name, q->name);
}

void cli_grids_print(const cli_grids *grids)
{
    char lengths[3][64];
    for (int k = 0; k < RILL_GRIDS; k++)
        rill_units_format_length(grids->spacing[k], lengths[k], sizeof lengths[k]);
    cli_row("error bar", "of three grids, voxels of %s, %s and %s", lengths[0], lengths[1], lengths[2]);
    for (int k = 0; k < grids->count; k++) {
        const rill_grids_quantity *q = &grids->quantities[k];
        char label[RILL_OPENING_NAME + 24] = "", order[64];
        double factor;
        const char *unit = unit_of(q, &factor);
        name_of(q, label, sizeof label);
        if (isnan(q->order))
            snprintf(order, sizeof order, "no order");
        else
            snprintf(order, sizeof order, "order %.2g%s", q->order, q->order_used ? "" : ", not used");
        cli_row(label, "%.5g ± %.2g%s: %.5g, %.5g, %.5g, %s", factor * q->limit, factor * q->uncertainty,
                unit, factor * q->value[0], factor * q->value[1], factor * q->value[2], order);
    }
    for (int k = 0; k < RILL_GRIDS; k++)
        if (grids->results[k].compared && grids->results[k].end != RILL_RUN_REPEATS)
            cli_row("  NOT CONVERGED", "grid %d of %d", k + 1, RILL_GRIDS);
    cli_row("  time", "%.4g s, all three", grids->seconds);
}

static json_t *reals(const double *values)
{
    json_t *array = json_array();
    for (int k = 0; k < RILL_GRIDS; k++) json_array_append_new(array, rill_json_real(values[k]));
    return array;
}

json_t *cli_grids_json(const cli_grids *grids)
{
    if (!grids) return json_null();
    json_t *runs = json_array(), *quantities = json_array();
    for (int k = 0; k < RILL_GRIDS; k++) {
        const rill_run_result *r = &grids->results[k];
        json_array_append_new(
            runs, json_pack("{s:o, s:I, s:o, s:o, s:o}", "spacing_m", rill_json_real(grids->spacing[k]),
                            "steps", (json_int_t)r->steps, "repeats",
                            r->compared ? json_boolean(r->end == RILL_RUN_REPEATS) : json_null(), "change",
                            rill_json_real(r->changes.most), "seconds", rill_json_real(r->seconds)));
    }
    for (int k = 0; k < grids->count; k++) {
        const rill_grids_quantity *q = &grids->quantities[k];
        json_array_append_new(
            quantities, json_pack("{s:s, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "key", q->key, "opening",
                                  *q->name ? json_string(q->name) : json_null(), "values", reals(q->value),
                                  "values_uncertainty", reals(q->noise), "order", rill_json_real(q->order),
                                  "order_used", q->order_used, "limit", rill_json_real(q->limit),
                                  "uncertainty", rill_json_real(q->uncertainty)));
    }
    return json_pack("{s:o, s:o, s:o}", "grids", runs, "quantities", quantities, "seconds",
                     rill_json_real(grids->seconds));
}

void cli_grids_free(cli_grids *grids)
{
    for (int k = 0; k < FINEST; k++) cli_case_free(&grids->coarser[k]);
    for (int k = 0; k < RILL_GRIDS; k++) free(grids->tawss[k]);
    free(grids->quantities);
    *grids = (cli_grids){.count = 0};
}
