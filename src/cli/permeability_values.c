/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of the permeability itself. Nothing is computed here but units. */
#include "cli/axis_option.h"
#include "cli/permeability.h"
#include "cli/cli.h"
#include "cli/error_bar_output.h"
#include "geometry/voxels/axes.h"

#include <math.h>
#include <string.h>

double cli_square_metres(const rill_geom *geom)
{
    return geom->spacing > 0 ? geom->spacing * geom->spacing : NAN;
}

/* The axes of a result, and whether it is a tensor along several of them. */
typedef struct tensor {
    int axes[3], count;
    bool whole;
} tensor;

static tensor tensor_of(const cli_permeability_result *r)
{
    tensor t = {.count = 0};
    for (int a = 0; a < 3; a++)
        if (rill_axes_has(r->options->axis, a)) t.axes[t.count++] = a;
    t.whole = t.count > 1 && r->result->converged;
    return t;
}

/* Rows and columns of the requested axes. */
static void print_tensor(const rill_permeability *p, const tensor *t, double factor, const char *unit)
{
    for (int i = 0; i < t->count; i++) {
        char row[64] = "";
        const int b = t->axes[i];
        for (int j = 0; j < t->count; j++)
            snprintf(row + strlen(row), sizeof row - strlen(row), " %14.6g", p->k[b][t->axes[j]] * factor);
        cli_row(i == 0 ? unit : "", "k_%c%c..%c%s", rill_axis(b), rill_axis(t->axes[0]),
                rill_axis(t->axes[t->count - 1]), row);
    }
}

/* Say what mirrored domain boundaries make of a tensor. */
static void print_mirrored(const cli_permeability_result *r)
{
    char axes[16] = "";
    for (int a = 0; a < 3; a++)
        if (r->p->geom->sides[a] == RILL_MIRROR)
            snprintf(axes + strlen(axes), sizeof axes - strlen(axes), "%s%c", axes[0] ? ", " : "",
                     rill_axis(a));
    if (axes[0])
        cli_row("  mirrored", "%s: entries off the diagonal in their rows and columns are 0 by symmetry",
                axes);
}

/* A permeability that reservoir engineers give in millidarcy: below 0.1 darcy. */
static bool is_small(double darcy) { return fabs(darcy) < 0.1; }

/* Eigenvalues in the largest unit that is known, with their directions. */
static void print_principal(const rill_permeability *p, const tensor *t, double m2)
{
    const double darcy = p->principal[0] * m2 / RILL_DARCY;
    const double factor = !isfinite(m2) ? 1 : m2 / RILL_DARCY * (is_small(darcy) ? 1000 : 1);
    const char *unit = !isfinite(m2) ? "lu" : is_small(darcy) ? "millidarcy" : "darcy";
    for (int i = 0; i < t->count; i++) {
        const double *v = p->principal_axes[i];
        cli_row(i ? "" : "principal values, axes", "%.6g %s along (%.4f, %.4f, %.4f)",
                p->principal[i] * factor, unit, v[0], v[1], v[2]);
    }
}

/* k along the force of one run, in all units that are known. */
static void print_run(const cli_permeability_result *r, const rill_permeability_flow *run)
{
    const double m2 = cli_square_metres(r->p->geom);
    const int a = run->axis;
    const double k = run->converged ? run->k[a] : run->last[a];
    char label[64];
    snprintf(label, sizeof label, run->converged ? "permeability k_%c%c" : "NOT A RESULT, last k_%c%c",
             rill_axis(a), rill_axis(a));
    const double darcy = k * m2 / RILL_DARCY;
    if (isfinite(m2) && is_small(darcy))
        cli_row(label, "%.6g lu = %.6g m2 = %.6g darcy = %.6g millidarcy", k, k * m2, darcy, 1000 * darcy);
    else if (isfinite(m2))
        cli_row(label, "%.6g lu = %.6g m2 = %.6g darcy", k, k * m2, darcy);
    else
        cli_row(label, "%.6g lu", k);
}

void cli_permeability_print_line(const void *result)
{
    const cli_permeability_result *r = result;
    const rill_permeability *p = r->result;
    const tensor t = tensor_of(r);
    const double m2 = cli_square_metres(r->p->geom), factor = isfinite(m2) ? m2 : 1;
    char axes[64], label[64] = "permeability k_", values[96] = "";
    if (!t.whole) {
        print_run(r, &p->runs[p->run_count - 1]);
        return;
    }
    for (int i = 0; i < t.count; i++) {
        const int a = t.axes[i];
        snprintf(label + strlen(label), sizeof label - strlen(label), "%s%c%c", i ? ", " : "", rill_axis(a),
                 rill_axis(a));
        snprintf(values + strlen(values), sizeof values - strlen(values), "%s%.6g", i ? ", " : "",
                 p->k[a][a] * factor);
    }
    cli_axes_of_file(r->p->file_axes, t.axes, t.count, axes, sizeof axes);
    cli_row(label, "%s %s; %s", values, isfinite(m2) ? "m2" : "lu", axes);
}

/* "1.046 ± 0.006": a value with as many decimals as it is worth. What rounding moves it by is uncertain, too.
 */
void cli_with_uncertainty(double value, double uncertainty, char *text, size_t size)
{
    if (!isfinite(value) || !isfinite(uncertainty)) {
        snprintf(text, size, "not known yet");
        return;
    }
    const int decimals = (int)fmin(fmax(ceil(1e-9 - log10(uncertainty / 2)), 0), 6);
    const double unit = pow(10, -decimals), shown = round(value / unit) * unit;
    const double within = ceil((uncertainty + fabs(value - shown)) / unit - 1e-9) * unit;
    snprintf(text, size, "%.*f ± %.*f", decimals, shown, decimals, within);
}

void cli_permeability_print_values(const cli_permeability_result *r)
{
    const rill_permeability *p = r->result;
    const double m2 = cli_square_metres(r->p->geom);
    const tensor t = tensor_of(r);
    if (t.whole) {
        const bool small = is_small(p->principal[0] * m2 / RILL_DARCY);
        print_tensor(p, &t, 1, "permeability, lu");
        if (isfinite(m2)) print_tensor(p, &t, m2, "permeability, m2");
        if (isfinite(m2))
            print_tensor(p, &t, m2 / RILL_DARCY * (small ? 1000 : 1),
                         small ? "permeability, millidarcy" : "permeability, darcy");
        char axes[64];
        cli_axes_of_file(r->p->file_axes, t.axes, t.count, axes, sizeof axes);
        cli_row("  axes", "%s", axes);
        print_mirrored(r);
        print_principal(p, &t, m2);
        cli_row("reciprocity error", "%.2g", p->reciprocity);
    }
    for (int i = 0; i < p->run_count && !t.whole; i++) print_run(r, &p->runs[i]);
    if (!p->converged) return;
    if (t.whole)
        cli_row("uncertainty", "%.2g %% of the largest diagonal entry, for every entry on these voxels",
                100 * p->uncertainty);
    cli_error_bar_print(r->bar, p, m2);
}
