/* SPDX-License-Identifier: Apache-2.0 */
/* Rows and JSON of a run. Nothing is computed here but units. */
#include "cli/vessel.h"
#include "cli/cli.h"
#include "io/json_file.h"

#include <math.h>

static const double MMHG = 133.322387415;

const char *cli_run_not_repeated(const rill_vessel *v, const rill_run_result *r, char *text, size_t size)
{
    const bool pulsatile = v->plan.cycle_steps > 0;
    if (r->soft)
        snprintf(text, size, "the last two %s are not both after the soft start of %.3g s",
                 pulsatile ? "cycles" : "spans", (double)v->plan.start.soft * v->plan.scales.time);
    else if (isnan(r->changes.most))
        snprintf(
            text, size,
            "whether the flow is %s is not known: the last two %s differ by %.2g %%, and %s of %.3g s are too short to estimate what slower changes add",
            pulsatile ? "periodic" : "steady", pulsatile ? "cycles" : "spans", 100 * r->changes.difference,
            pulsatile ? "cycles" : "spans", (double)r->cycle_steps * v->plan.scales.time);
    else
        snprintf(
            text, size,
            "the flow is not %s: the last %s may be %.2g %% from that state, more than the tolerance of %g %%",
            pulsatile ? "periodic" : "steady", pulsatile ? "cycle" : "span", 100 * r->changes.most,
            100 * v->given->run.tolerance);
    return text;
}

static const char *end_of(const rill_vessel *v, const rill_run_result *r, char *text, size_t size)
{
    const bool pulsatile = v->plan.cycle_steps > 0;
    char why[256];
    switch (r->end) {
    case RILL_RUN_REPEATS:
        return pulsatile ? "cycles repeat" : "steady";
    case RILL_RUN_LIMIT:
        if (!r->compared) return "all that was requested; there were no two cycles to compare";
        snprintf(text, size, "NOT CONVERGED: %s", cli_run_not_repeated(v, r, why, sizeof why));
        return text;
    case RILL_RUN_CANCELLED:
        return "stopped by a signal; continue with --resume";
    default:
        return "diverged";
    }
}

static void print_openings(const rill_vessel *v, const rill_run_result *r)
{
    cli_row("openings, last cycle", "%d", v->plan.opening_count);
    for (int k = 0; k < v->plan.opening_count; k++) {
        char label[RILL_OPENING_NAME + 4];
        snprintf(label, sizeof label, "  %s", v->geom->surface->openings[k].name);
        cli_row(label, "flow %.4g mL/s, pressure %.5g mmHg (%.5g to %.5g)", 1e6 * r->flow[k],
                r->pressure[k] / MMHG, r->pressure_low[k] / MMHG, r->pressure_high[k] / MMHG);
    }
}

static void print_drops(const rill_run_result *r)
{
    for (int k = 0; k < r->drop_count; k++) {
        const rill_run_drop *p = &r->drops[k];
        char label[RILL_OPENING_NAME + 4],
            ratio[64] = "no ratio, since the first is not above the venous pressure";
        snprintf(label, sizeof label, "  %s", p->name);
        if (k == 0) cli_row("pressure drops", "%d", r->drop_count);
        if (!isnan(p->ratio)) snprintf(ratio, sizeof ratio, "ratio %.4f", p->ratio);
        cli_row(label, "%.5g mmHg at %s less %.5g at %s: %.4g mmHg (%.4g to %.4g), %s", p->from / MMHG,
                p->from_name, p->to / MMHG, p->to_name, (p->from - p->to) / MMHG, p->low / MMHG,
                p->high / MMHG, ratio);
    }
}

/* What is carried, and how long it stayed. */
static void print_transport(const rill_vessel *v, const rill_run_result *r)
{
    for (int k = 0; k < v->plan.opening_count; k++) {
        char label[RILL_OPENING_NAME + 4];
        snprintf(label, sizeof label, "  %s", v->geom->surface->openings[k].name);
        if (isfinite(r->transport.concentration[k]))
            cli_row(label, "concentration %.5g leaves", r->transport.concentration[k]);
        if (isfinite(r->transport.residence[k]))
            cli_row(label, "residence time %.5g s of what leaves", r->transport.residence[k]);
    }
    if (isfinite(r->transport.concentration_mean))
        cli_row("concentration", "%.5g in the mean", r->transport.concentration_mean);
    if (isfinite(r->transport.residence_mean))
        cli_row("residence time", "%.5g s in the mean", r->transport.residence_mean);
    if (v->plan.transport.scalars && r->compared)
        cli_row("change", "concentration, residence time %.2g", r->changes.transport);
}

void cli_run_print(const rill_vessel *v, const rill_run_result *r, const char *directory)
{
    char text[320];
    cli_row("end", "%s", end_of(v, r, text, sizeof text));
    cli_row("run", "%u %s of %llu steps, %.4g s", r->cycles, v->plan.cycle_steps ? "cycles" : "spans",
            (unsigned long long)r->cycle_steps, r->time);
    if (r->compared && isnan(r->changes.most))
        cli_row("change", "not known; the last two %s differ by %.2g (tolerance %g)",
                v->plan.cycle_steps ? "cycles" : "spans", r->changes.difference, v->given->run.tolerance);
    else if (r->compared)
        cli_row("change", "flow %.2g, pressure %.2g, wall shear %.2g (tolerance %g)", r->changes.flow,
                r->changes.pressure, r->changes.wall, v->given->run.tolerance);
    if (r->corrections > 0)
        cli_row("Windkessels", "put into their periodic state after %llu cycles",
                (unsigned long long)r->corrections);
    if (r->end != RILL_RUN_CANCELLED) {
        print_openings(v, r);
        cli_row("mass balance", "%.2g %% too much came in, of the flow", 100 * r->balance);
    }
    if (r->end != RILL_RUN_CANCELLED) print_drops(r);
    cli_row("largest Mach number", "%.3g", r->mach_max);
    if (isfinite(r->shear.mean) && r->end != RILL_RUN_CANCELLED) {
        cli_row("wall shear", "TAWSS %.4g Pa in the mean, %.4g at most; OSI %.3g in the mean", r->shear.mean,
                r->shear.max, r->shear.osi_mean);
        cli_row("triangles", "%llu, %llu without fluid nearby, %llu not extrapolated",
                (unsigned long long)r->shear.triangles,
                (unsigned long long)(r->shear.missing - r->shear.within), (unsigned long long)r->shear.flat);
        if (r->shear.within > 0)
            cli_row("", "%llu within the lumen of overlapping shells, which are no wall",
                    (unsigned long long)r->shear.within);
    }
    if (isfinite(r->helicity.mean) && r->end != RILL_RUN_CANCELLED)
        cli_row("helicity", "h1 %.4g, h2 %.4g m/s2; h3 %.4g, h4 %.4g", r->helicity.mean, r->helicity.size,
                r->helicity.mean / r->helicity.size, fabs(r->helicity.mean) / r->helicity.size);
    if (r->end != RILL_RUN_CANCELLED) print_transport(v, r);
    cli_row("speed", "%.4g GLUPS, %.4g s", 1e-3 * r->mlups, r->seconds);
    if (r->end != RILL_RUN_CANCELLED) cli_row("results", "%s", directory);
}

static json_t *openings_json(const rill_vessel *v, const rill_run_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < v->plan.opening_count; k++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                                              v->geom->surface->openings[k].name, "flow_m3_per_s",
                                              rill_json_real(r->flow[k]), "pressure_pa",
                                              rill_json_real(r->pressure[k]), "pressure_low_pa",
                                              rill_json_real(r->pressure_low[k]), "pressure_high_pa",
                                              rill_json_real(r->pressure_high[k]), "concentration",
                                              rill_json_real(r->transport.concentration[k]),
                                              "residence_time_s", rill_json_real(r->transport.residence[k])));
    return list;
}

static json_t *drops_json(const rill_run_result *r)
{
    json_t *list = json_array();
    for (int k = 0; k < r->drop_count; k++) {
        const rill_run_drop *p = &r->drops[k];
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                                              p->name, "from", p->from_name, "to", p->to_name, "from_pa",
                                              rill_json_real(p->from), "to_pa", rill_json_real(p->to),
                                              "drop_pa", rill_json_real(p->from - p->to), "drop_low_pa",
                                              rill_json_real(p->low), "drop_high_pa", rill_json_real(p->high),
                                              "ratio", rill_json_real(p->ratio)));
    }
    return list;
}

/* Averages of helicity; null where the case does not request them. */
static json_t *helicity_json(const rill_run_result *r)
{
    if (isnan(r->helicity.mean)) return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "h1_m_per_s2", rill_json_real(r->helicity.mean), "h2_m_per_s2",
                     rill_json_real(r->helicity.size), "h3",
                     rill_json_real(r->helicity.mean / r->helicity.size), "h4",
                     rill_json_real(fabs(r->helicity.mean) / r->helicity.size));
}

/* Means of what is carried; null where the case carries nothing. */
static json_t *transport_json(const rill_vessel *v, const rill_run_result *r)
{
    if (v->plan.transport.scalars == 0) return json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "diffusivity_m2_per_s",
                     rill_json_real(v->plan.transport.diffusivity), "cell_peclet",
                     rill_json_real(v->plan.transport.cell_peclet), "change",
                     rill_json_real(r->changes.transport), "concentration_mean",
                     rill_json_real(r->transport.concentration_mean), "residence_time_mean_s",
                     rill_json_real(r->transport.residence_mean));
}

/* Whether cycles repeat, or it is steady: null where nothing was compared. */
static json_t *repeats_json(const rill_run_result *r)
{
    return r->compared ? json_boolean(r->end == RILL_RUN_REPEATS) : json_null();
}

json_t *cli_run_json(const rill_vessel *v, const rill_run_result *r, const cli_grids *grids)
{
    static const char *const ends[] = {"repeats", "limit", "stopped", "diverged"};
    return json_pack(
        "{s:s, s:b, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o, s:i, s:I, "
        "s:I, s:I, s:o, s:o, s:o, s:o, s:o}",
        "end", ends[r->end], "converged", r->end == RILL_RUN_REPEATS,
        v->plan.cycle_steps ? "periodic" : "steady", repeats_json(r), "change",
        rill_json_real(r->changes.most), "difference", rill_json_real(r->changes.difference), "tolerance",
        rill_json_real(v->given->run.tolerance), "steps", (json_int_t)r->steps, "steps_resumed",
        (json_int_t)r->resumed, "cycle_steps", (json_int_t)r->cycle_steps, "cycles", (int)r->cycles, "time_s",
        rill_json_real(r->time), "change_flow", rill_json_real(r->changes.flow), "change_pressure",
        rill_json_real(r->changes.pressure), "change_wall", rill_json_real(r->changes.wall), "mass_balance",
        rill_json_real(r->balance), "mach_max", rill_json_real(r->mach_max), "openings", openings_json(v, r),
        "tawss_mean_pa", rill_json_real(r->shear.mean), "tawss_max_pa", rill_json_real(r->shear.max),
        "osi_mean", rill_json_real(r->shear.osi_mean), "triangles", (json_int_t)r->shear.triangles,
        "triangles_missing", (json_int_t)r->shear.missing, "triangles_not_extrapolated",
        (json_int_t)r->shear.flat, "seconds", rill_json_real(r->seconds), "mlups", rill_json_real(r->mlups),
        "phases", r->phases, "watch_steps", (json_int_t)r->watch_steps, "corrections",
        (json_int_t)r->corrections, "triangles_within", (json_int_t)r->shear.within, "drops", drops_json(r),
        "helicity", helicity_json(r), "transport", transport_json(v, r), "plan",
        cli_case_plan_json(v->given, v->geom, &v->plan), "error_bar", cli_grids_json(grids));
}
