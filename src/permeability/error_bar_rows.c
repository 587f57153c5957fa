/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of an error bar: their names and kinds, those that a run knows by itself, and their total. */
#include "permeability/error_bar_priv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Part of the segmentation in narrow pores from which on the row says it. */
#define NARROW_NOTED 0.01
/* What networks change counts more by so much of its part in narrow pores: runs at other thresholds changed k
 * by up to 1.3 times as much in eight rocks of such pores, and by as much in wide ones (docs/method.md). */
#define NETWORK_NARROW 0.4
/* So many times what walls say is noted: less is what networks of any pores are off by. */
#define OPENS_NOTED 1.25

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

/* What the row segmentation is made from; of several axes the most that any has. */
typedef struct segmentation {
    const rill_permeability_walls *walls; /* of the last run: all have the same threshold */
    const rill_permeability_walls *opens; /* whose networks say most beyond what walls do; NULL: none does */
    double beyond;                        /* that, over what walls say */
    double narrow;                        /* part in narrow pores */
    bool on_surface;
} segmentation;

/* Return the half-width along the axis of a run. Of pores of one or two voxels the derivative is good for a
 * factor of about two, so that their part counts twice. Where throats open or close the pore networks of both
 * thresholds say more. */
static double segmentation_of(const rill_permeability_flow *run, const rill_error_bar *bar, segmentation *s)
{
    const rill_permeability_walls *w = &run->walls;
    const int a = run->axis;
    const bool surface = isfinite(bar->surface_threshold[0][a]) && isfinite(bar->surface_threshold[1][a]);
    const double k = surface ? bar->surface_k[1][a] : run->k[a],
                 narrow = surface ? bar->surface_threshold[0][a] : w->k_narrow,
                 wide = surface ? bar->surface_threshold[1][a] : w->k_wide,
                 walls = (1 + w->threshold_narrow) * fmax(wide - k, k - narrow) / fabs(k),
                 network = (1 + NETWORK_NARROW * w->threshold_narrow) *
                           fmax(w->threshold_network[1] - 1, 1 - w->threshold_network[0]);
    s->narrow = fmax(s->narrow, w->threshold_narrow);
    s->on_surface |= surface;
    s->walls = w;
    if (!(network > walls)) return walls; /* also where there is none */
    if (!s->opens || network > s->beyond * walls) s->opens = w, s->beyond = network / walls;
    return network;
}

/* What is left of a note behind what it has. */
#define REST(note, size) (note) + strlen(note), (size)-strlen(note)

static void segmentation_note(const segmentation *s, bool several, char *note, size_t size)
{
    const double *network = s->opens ? s->opens->threshold_network : NULL;
    const bool opens = network && s->beyond >= OPENS_NOTED;
    snprintf(note, size, "threshold %g \u00b1 %g: ", s->walls->threshold, s->walls->threshold_width);
    if (opens)
        snprintf(REST(note, size),
                 "throats close, open or widen%s, by pore networks at both thresholds (%+.3g, %+.3g %%)",
                 several ? " along an axis" : "", 100 * (network[0] - 1), 100 * (network[1] - 1));
    else
        snprintf(REST(note, size), "what walls decide%s, times how far grey values say that they move",
                 s->on_surface ? " of the flow on its surface" : "");
    if (s->narrow >= NARROW_NOTED)
        snprintf(REST(note, size), "; %s%.0f %% of it, in pores of one or two voxels, counts %s",
                 several ? "up to " : "", 100 * s->narrow, opens ? "1.4 times" : "twice");
    if (network && !opens) snprintf(REST(note, size), "; pore networks at both thresholds say a little more");
}

void rill_error_bar_segmentation_put(const rill_permeability *plain, rill_error_bar *out)
{
    double half[3] = {NAN, NAN, NAN};
    segmentation s = {.walls = NULL};
    char note[256];
    for (int i = 0; i < plain->run_count; i++) {
        const rill_permeability_flow *run = &plain->runs[i];
        if (run->walls.known && isfinite(run->walls.threshold))
            half[run->axis] = segmentation_of(run, out, &s);
    }
    if (!s.walls) return;
    segmentation_note(&s, plain->run_count > 1, note, sizeof note);
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
