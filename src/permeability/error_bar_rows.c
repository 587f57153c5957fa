/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of an error bar: their names and kinds, those that a run knows by itself, and their total. */
#include "permeability/error_bar_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Part of the segmentation in narrow pores from which on the row says it. */
#define NARROW_NOTED 0.01

const char *rill_error_row_name(rill_error_row row)
{
    static const char *const names[RILL_ERROR_ROWS] = {
        "convergence", "number format", "shape and voxels", "domain boundaries", "segmentation", "sample"};
    return (unsigned)row < RILL_ERROR_ROWS ? names[row] : "unknown";
}

/* @return the sum of the bounds that are known, and the root of the sum of squares of the estimates */
static double total_of(const rill_error_bar *bar, int axis, bool boundaries)
{
    double bounds = 0, squares = 0;
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        const rill_error_bar_contribution *c = &bar->contributions[i];
        if (c->state != RILL_ERROR_KNOWN || (i == RILL_ERROR_BOUNDARIES && !boundaries)) continue;
        if (c->bound)
            bounds += c->half_width[axis];
        else
            squares += c->half_width[axis] * c->half_width[axis];
    }
    return bounds + sqrt(squares);
}

static void add_up(rill_error_bar *bar)
{
    bar->complete = true;
    for (int i = 0; i < RILL_ERROR_ROWS; i++)
        bar->complete = bar->complete && bar->contributions[i].state != RILL_ERROR_UNKNOWN;
    for (int a = 0; a < 3; a++) {
        const bool there = isfinite(bar->k[a]);
        bar->total[a] = there ? total_of(bar, a, true) : NAN;
        bar->without_boundaries[a] = there ? total_of(bar, a, false) : NAN;
    }
}

void rill_error_bar_put(rill_error_bar *bar, rill_error_row row, rill_error_state state,
                        const double *relative, const double *half_width, const char *note)
{
    rill_error_bar_contribution *c = &bar->contributions[row];
    c->state = state;
    for (int a = 0; a < 3; a++) {
        c->relative[a] = relative && isfinite(bar->k[a]) ? relative[a] : NAN;
        c->half_width[a] = half_width && isfinite(bar->k[a]) ? half_width[a] : NAN;
    }
    snprintf(c->note, sizeof c->note, "%s", note);
    add_up(bar);
}

/* Of pores of one or two voxels the derivative is good for a factor of about two: their part counts twice. */
void rill_error_bar_segmentation_put(const rill_permeability *plain, rill_error_bar *out)
{
    double half[3] = {NAN, NAN, NAN}, narrowest = 0;
    const rill_permeability_walls *known = NULL; /* of the last run: all have the same threshold */
    bool on_surface = false;
    char note[256];
    for (int i = 0; i < plain->run_count; i++) {
        const rill_permeability_flow *run = &plain->runs[i];
        const rill_permeability_walls *w = &run->walls;
        const int a = run->axis;
        if (!w->known || !isfinite(w->threshold)) continue;
        const bool surface = isfinite(out->surface_threshold[0][a]) && isfinite(out->surface_threshold[1][a]);
        const double k = surface ? out->surface_k[1][a] : run->k[a],
                     narrow = surface ? out->surface_threshold[0][a] : w->k_narrow,
                     wide = surface ? out->surface_threshold[1][a] : w->k_wide;
        half[a] = (1 + w->threshold_narrow) * fmax(wide - k, k - narrow) / fabs(k);
        narrowest = fmax(narrowest, w->threshold_narrow);
        on_surface |= surface;
        known = w;
    }
    if (!known) return;
    const int length =
        snprintf(note, sizeof note,
                 "threshold %g \u00b1 %g: what walls decide%s, times how far grey values say that they move",
                 known->threshold, known->threshold_width, on_surface ? " of the flow on its surface" : "");
    if (narrowest >= NARROW_NOTED)
        snprintf(note + length, sizeof note - (size_t)length,
                 "; %s%.0f %% of it, in pores of one or two voxels, counts twice",
                 plain->run_count > 1 ? "up to " : "", 100 * narrowest);
    rill_error_bar_put(out, RILL_ERROR_SEGMENTATION, RILL_ERROR_KNOWN, NULL, half, note);
}

/* Entries beside the diagonal, where runs along several axes make a tensor. */
static void off_axis_find(const rill_permeability *plain, double bound[3][3])
{
    for (int i = 0; i < 9; i++) bound[i / 3][i % 3] = NAN;
    for (int i = 0; i < plain->run_count && plain->run_count > 1; i++)
        for (int b = 0; b < 3; b++) {
            const rill_permeability_flow *run = &plain->runs[i];
            if (b != run->axis && run->converged && isfinite(plain->k[b][run->axis]))
                bound[b][run->axis] = run->uncertainty[b];
        }
}

void rill_error_bar_of_run(const rill_permeability *plain, rill_error_bar *out)
{
    double convergence[3] = {NAN, NAN, NAN}, format[3] = {NAN, NAN, NAN};
    memset(out, 0, sizeof *out);
    for (int i = 0; i < RILL_ERROR_ROWS; i++) {
        rill_error_bar_contribution *c = &out->contributions[i];
        c->name = rill_error_row_name((rill_error_row)i);
        c->bound = i == RILL_ERROR_CONVERGENCE || i == RILL_ERROR_FORMAT;
        for (int a = 0; a < 3; a++) c->relative[a] = c->half_width[a] = NAN;
    }
    for (int a = 0; a < 3; a++)
        out->k[a] = out->best[a] = out->staircase_limit[a] = out->staircase_relative[a] = out->wall_shift[a] =
            out->wall_room[0][a] = out->wall_room[1][a] = out->surface_k[0][a] = out->surface_k[1][a] =
                out->surface_threshold[0][a] = out->surface_threshold[1][a] = NAN;
    for (int i = 0; i < plain->run_count; i++) {
        const rill_permeability_flow *run = &plain->runs[i];
        const int a = run->axis;
        const double k = fabs(run->k[a]);
        if (!run->converged) continue;
        out->k[a] = out->best[a] = run->k[a];
        format[a] = run->rounding / k;
        convergence[a] = fmax(run->uncertainty[a] / k - format[a], 0);
    }
    rill_error_bar_put(out, RILL_ERROR_CONVERGENCE, RILL_ERROR_KNOWN, NULL, convergence,
                       "of the final value on these voxels, predicted from the run");
    rill_error_bar_put(out, RILL_ERROR_FORMAT, RILL_ERROR_KNOWN, NULL, format,
                       "rounding of the populations, from the run");
    rill_error_bar_segmentation_put(plain, out);
    off_axis_find(plain, out->off_axis);
}
