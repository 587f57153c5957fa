/* SPDX-License-Identifier: Apache-2.0 */
#include "vessel/case/draft.h"

#include "core/printable.h"
#include "core/status.h"
#include "io/json_file.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MMHG 133.322387415 /* Pa */

/* What is assumed of the circulation of an adult: mean arterial pressure, (120 + 2 x 80) / 3 mmHg; density
 * and viscosity of blood; in arteries 0.2 m/s on the average, and no more than 1.5 Pa of wall shear (Malek et
 * al. 1999, doi:10.1001/jama.282.21.2035); how pressure decays in diastole, 1.7 s, and the share of the
 * resistance that is before the compliance, 9 % (Westerhof et al. 2009, doi:10.1007/s11517-008-0359-2). */
#define PRESSURE (93 * MMHG)
#define DENSITY 1060.0
#define VISCOSITY 3.5e-3
#define VELOCITY 0.2
#define SHEAR 1.5
#define DECAY 1.7
#define PROXIMAL 0.09

int rill_draft_inlet(const rill_surface *surface, const char **reason)
{
    *reason = "assumed: the largest opening";
    for (int k = 0; k < surface->opening_count; k++)
        if (strncasecmp(surface->openings[k].name, "in", 2) == 0) {
            *reason = "by its name";
            return k;
        }
    return 0; /* openings are in the order of their areas */
}

/* The flow that is assumed through an inlet without a waveform, m3/s. */
static double assumed_flow(const rill_opening *inlet)
{
    const double width = inlet->hydraulic_diameter;
    return inlet->area * fmin(VELOCITY, SHEAR * width / (8 * VISCOSITY));
}

/* The mean flow of the inlet, m3/s. */
static double mean_flow(const rill_opening *inlet, const rill_waveform *wave)
{
    if (!wave) return assumed_flow(inlet);
    const double area[] = {1, inlet->area, inlet->area / 2};
    return wave->mean * area[wave->kind];
}

/* A text between quotation marks, as YAML and JSON have it. */
static void print_quoted(FILE *out, const char *text)
{
    json_t *json = json_string(text);
    char *quoted = json ? rill_json_text(json, 17) : NULL;
    if (quoted) fputs(quoted, out);
    free(quoted);
    json_decref(json);
}

static void print_opening(FILE *out, const rill_surface *s, int k)
{
    const rill_opening *o = &s->openings[k];
    fprintf(out, "  # %d: %.4g mm2, %.3g mm wide, at (%.4g, %.4g, %.4g) mm\n  \"%s\":\n", k + 1,
            1e6 * o->area, 1e3 * o->hydraulic_diameter, 1e3 * o->centre[0], 1e3 * o->centre[1],
            1e3 * o->centre[2], o->name);
}

static void print_inlet(FILE *out, const rill_surface *s, const rill_draft *d, double flow)
{
    print_opening(out, s, d->inlet);
    fprintf(out, "    kind: inlet          # %s\n", d->inlet_reason);
    if (d->waveform) {
        fputs("    waveform: ", out);
        print_quoted(out, d->waveform);
        fprintf(out, "  # on the average %.4g mL/s\n", 1e6 * flow);
    } else
        fprintf(out, "    flow: %.4g mL/s     # assumed, %.3g m/s on the average; or waveform: FILE.csv\n",
                1e6 * flow, flow / s->openings[d->inlet].area);
    fputs("    # profile: fitted    # developed flow in this outline; or flat, parabolic, womersley\n", out);
}

static void print_outlet(FILE *out, const rill_surface *s, int k, bool pulsates, double conductance)
{
    const double unit = MMHG / 1e-6; /* mmHg s/mL */
    const double resistance = 1 / conductance / unit, compliance = DECAY / (resistance * unit) * MMHG / 1e-6;
    print_opening(out, s, k);
    if (pulsates)
        fprintf(out,
                "    kind: windkessel\n    proximal: %.4g mmHg.s/mL\n    distal: %.4g mmHg.s/mL\n"
                "    compliance: %.4g mL/mmHg\n",
                PROXIMAL * resistance, (1 - PROXIMAL) * resistance, compliance);
    else
        fprintf(out, "    kind: resistance\n    resistance: %.4g mmHg.s/mL\n", resistance);
}

static void print_openings(FILE *out, const rill_surface *s, const rill_draft *d)
{
    const double flow = mean_flow(&s->openings[d->inlet], d->wave);
    double cubes = 0;
    for (int k = 0; k < s->opening_count; k++)
        if (k != d->inlet) cubes += pow(s->openings[k].hydraulic_diameter, 3);
    fprintf(out,
            "\nopenings:                # numbered as in the picture that rill export draws of the surface\n"
            "  # assumed: %.3g mmHg at the mean flow, shared by the cube of the width (Murray's law)%s\n",
            PRESSURE / MMHG, d->wave ? ";" : "");
    if (d->wave)
        fprintf(out,
                "  # assumed: %.3g %% of each resistance before its compliance, time constants of %.3g s\n",
                100 * PROXIMAL, DECAY);
    print_inlet(out, s, d, flow);
    for (int k = 0; k < s->opening_count; k++)
        if (k != d->inlet)
            print_outlet(out, s, k, d->wave != NULL,
                         flow / PRESSURE * pow(s->openings[k].hydraulic_diameter, 3) / cubes);
    fputs("  # Other outlets: {kind: pressure, pressure: 80 mmHg}, {kind: flow-split, fraction: murray},\n"
          "  # and {kind: wall} closes a branch\n",
          out);
}

rill_status rill_draft_print(FILE *out, const rill_geom *geom, const rill_draft *d)
{
    if (geom->surface->opening_count < 2)
        return rill_fail(
            RILL_USAGE,
            "%s has %d openings, and a flow needs two: `rill info` lists what stays closed, with the --plane that opens it",
            d->source, geom->surface->opening_count);
    char *source = rill_printable(d->source), *name = rill_printable(d->name);
    if (source && name)
        fprintf(
            out,
            "# Flow through %s. What the surface does not define is marked \"assumed\": replace it by what you know.\n"
            "#   rill check %s              time, memory, limits\n"
            "#   rill run %s -o results\n"
            "geometry: ",
            source, name, name);
    free(source);
    free(name);
    if (!source || !name) return rill_fail(RILL_SYSTEM, "out of memory for a case file");
    print_quoted(out, d->geometry);
    fprintf(out,
            "\n\nfluid:                   # assumed: blood of an adult\n"
            "  density: %g kg/m3\n  viscosity: %g mPa.s\n",
            DENSITY, 1e3 * VISCOSITY);
    print_openings(out, geom->surface, d);
    fputs("\nrun:\n", out);
    fputs(d->wave ? "  cycles: 5              # at most: it ends when a cycle repeats the one before\n"
                  : "  tolerance: 0.1 %\n",
          out);
    fprintf(out,
            "\noutput:\n%s  slices: yes            # pictures of the speed\n"
            "  surface: yes           # wall shear on the triangles, with pictures\n"
            "  centre-line: yes       # pressure and flow along the vessel\n",
            d->wave ? "  snapshots: 10          # per cycle\n" : "");
    return RILL_OK;
}
