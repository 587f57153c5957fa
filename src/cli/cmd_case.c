/* SPDX-License-Identifier: Apache-2.0 */
/* rill case: a surface becomes a geometry and a case file that runs as it is. What the case says is
 * vessel/case/draft.c's. */
#include "cli/cli.h"
#include "cli/surface_options.h"
#include "core/output.h"
#include "core/units.h"
#include "geometry/image/file_names.h"
#include "geometry/surface/survey.h"
#include "vessel/case/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    CELLS = 20,     /* across the narrowest opening, where nodes suffice */
    CELLS_FEW = 10, /* and at least */
    NODES = 4000000 /* what a computer without a GPU steps in a day */
};

typedef struct choices {
    cli_surface surface;
    const char *input, *output, *flow, *inlet;
    bool quiet;
    char *line; /* the command, owned */
} choices;

/* Where everything goes, owned: NAME.yaml, NAME.geom.h5, NAME.csv. */
typedef struct places {
    char *yaml, *geometry, *waveform;
} places;

typedef struct draft {
    const choices *c;
    places at;
    rill_surface_options options;
    cli_surface_openings openings;
    rill_geom *geom;
    rill_waveform *wave; /* NULL: the flow is steady */
    char *text;          /* of the case, owned */
    bool refined;        /* voxels were made smaller, so that it runs */
} draft;

/* ---- names ----------------------------------------------------------------------------------- */

static char *joined(const char *stem, const char *ending)
{
    char *text = NULL;
    return asprintf(&text, "%s%s", stem, ending) < 0 ? NULL : text;
}

/* The files of a case: beside -o, else in the working directory, called like the surface. */
static rill_status places_find(const choices *c, places *at)
{
    rill_status status = RILL_OK;
    const char *last = strrchr(c->input, '/');
    char *stem = strdup(c->output ? c->output : last && last[1] ? last + 1 : c->input);
    if (!stem) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the names of files"));
    if (c->output && !rill_name_ends(c->output, ".yaml") && !rill_name_ends(c->output, ".yml"))
        RILL_TRY(rill_fail(RILL_USAGE, "-o %s is not a case file: end it in .yaml", c->output));
    for (size_t n = strlen(stem); n > 1 && stem[n - 1] == '/';) stem[--n] = '\0';
    char *dot = strrchr(stem, '.');
    if (dot && dot > stem && !strchr(dot, '/')) *dot = '\0';
    at->yaml = c->output ? strdup(c->output) : joined(stem, ".yaml");
    at->geometry = joined(stem, ".geom.h5");
    at->waveform = joined(stem, ".csv");
    if (!at->yaml || !at->geometry || !at->waveform)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the names of files"));
    const cli_output outputs[] = {{"the case", at->yaml},
                                  {"the geometry", at->geometry},
                                  {"the waveform", c->flow ? at->waveform : NULL}};
    RILL_TRY(cli_outputs_check(c->input, outputs, 3));
    if (c->flow && rill_output_replaces(at->waveform, c->flow))
        RILL_TRY(rill_fail(RILL_USAGE, "the waveform of the case would replace %s: choose another name by -o",
                           c->flow));
done:
    free(stem);
    return status;
}

/* The last part of a path: files of a case are beside it. */
static const char *base(const char *path)
{
    const char *last = strrchr(path, '/');
    return last ? last + 1 : path;
}

/* ---- flow ------------------------------------------------------------------------------------ */

static rill_status flow_read(draft *d)
{
    rill_status status = RILL_OK;
    if (!d->c->flow) return RILL_OK;
    RILL_TRY(rill_waveform_read(d->c->flow, 0, &d->wave));
    if (d->wave->kind >= RILL_WAVE_PRESSURE)
        RILL_TRY(rill_fail(RILL_USAGE, "%s gives a %s: an inlet needs a flow or a velocity", d->c->flow,
                           rill_wave_names[d->wave->kind]));
    if (d->wave->mean < 0) rill_waveform_turn(d->wave);
done:
    return status;
}

static rill_status print_waveform(FILE *out, const void *context)
{
    static const struct {
        const char *unit;
        double per_si;
    } units[] = {{"mL/s", 1e6}, {"m/s", 1}, {"m/s", 1}};
    const rill_waveform *w = context;
    fprintf(out, "time [s], %s [%s]\n", rill_wave_names[w->kind], units[w->kind].unit);
    for (uint32_t k = 0; k <= w->count; k++)
        fprintf(out, "%.10g, %.10g\n", w->time[k], units[w->kind].per_si * w->value[k]);
    return RILL_OK;
}

/* ---- the case -------------------------------------------------------------------------------- */

static rill_status inlet_find(const draft *d, int *inlet, const char **reason)
{
    const rill_surface *s = d->geom->surface;
    *inlet = rill_draft_inlet(s, reason);
    if (!d->c->inlet) return RILL_OK;
    *reason = "as --inlet says";
    for (int k = 0; k < s->opening_count; k++)
        if (strcmp(s->openings[k].name, d->c->inlet) == 0) {
            *inlet = k;
            return RILL_OK;
        }
    return rill_fail(RILL_USAGE, "--inlet %.70s is not an opening: `rill info %s` lists them", d->c->inlet,
                     d->c->input);
}

static rill_status text_make(draft *d)
{
    rill_status status = RILL_OK;
    size_t size = 0;
    FILE *out = NULL;
    rill_draft given = {.name = base(d->at.yaml),
                        .source = d->c->input,
                        .geometry = base(d->at.geometry),
                        .waveform = d->wave ? base(d->at.waveform) : NULL,
                        .wave = d->wave};
    free(d->text);
    d->text = NULL;
    RILL_TRY(inlet_find(d, &given.inlet, &given.inlet_reason));
    if (!(out = open_memstream(&d->text, &size)))
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a case file"));
    status = rill_draft_print(out, d->geom, &given);
done:
    if (out && !rill_output_text_end(out, &d->text) && status == RILL_OK)
        status = rill_fail(RILL_SYSTEM, "out of memory for a case file");
    return status;
}

/* Whether the case would run on these voxels. @return RILL_USAGE with the reason when it would not */
static rill_status plan_try(const draft *d)
{
    rill_status status = RILL_OK;
    rill_case *given = NULL;
    rill_case_plan plan = {0};
    RILL_TRY(rill_case_read_text(d->text, d->at.yaml, &given));
    RILL_TRY(rill_case_plan_make(given, d->geom, &(rill_case_plan_options){.on.backend = RILL_BACKEND_CPU},
                                 &plan));
    status = rill_case_plan_accept(&plan);
done:
    rill_case_plan_free(&plan);
    rill_case_destroy(given);
    return status;
}

/* The edge of a voxel to begin with: narrow openings well resolved, unless that takes too many nodes. */
static rill_status spacing_choose(draft *d)
{
    rill_status status = RILL_OK;
    rill_survey *survey = NULL;
    RILL_TRY(rill_surface_survey(d->c->input, &d->options, cli_progress(d->c->quiet), &survey));
    if (*survey->refused) RILL_TRY(rill_fail(RILL_USAGE, "%s", survey->refused));
    const double fine = rill_survey_spacing(survey, CELLS, d->options.min_cells),
                 coarse = rill_survey_spacing(survey, CELLS_FEW, d->options.min_cells),
                 affordable = cbrt(survey->report.volume / NODES);
    if (survey->surface->opening_count == 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s has no opening: `rill info` lists flat parts and rims, with the --plane that opens the vessel there",
            d->c->input));
    d->options.spacing = rill_spacing_round(fmin(fmax(fine, affordable), coarse));
done:
    rill_survey_destroy(survey);
    return status;
}

/* Make voxels and the case, finer where it would not run; the last attempt is kept whatever the plan says. */
static rill_status draft_make(draft *d)
{
    enum { ATTEMPTS = 6 };
    const double finer = 0.8;
    rill_status status = RILL_OK, fits = RILL_OK;
    const bool chosen = d->options.spacing > 0 || d->options.cells > 0;
    if (!chosen) RILL_TRY(spacing_choose(d));
    if (d->wave) RILL_TRY(rill_output_print(d->at.waveform, print_waveform, d->wave)); /* the plan reads it */
    for (int k = 0; k < (chosen ? 1 : ATTEMPTS); k++) {
        if (k > 0) {
            d->options.spacing = rill_spacing_round(finer * d->options.spacing);
            d->refined = true;
        }
        rill_geom_destroy(d->geom);
        d->geom = NULL;
        RILL_TRY(rill_surface_voxelize(d->c->input, &d->options, cli_progress(d->c->quiet), &d->geom, NULL));
        RILL_TRY(text_make(d));
        fits = plan_try(d);
        if (fits != RILL_USAGE) break;
    }
    if (fits != RILL_OK)
        rill_log(RILL_LOG_NOTE, "`rill run` will refuse this case: %s", rill_error_message());
done:
    return status;
}

static void print_summary(const draft *d)
{
    char length[32];
    const rill_surface *s = d->geom->surface;
    rill_units_format_length(d->geom->spacing, length, sizeof length);
    cli_row("voxels", "%s%s, %llu fluid nodes", length, d->refined ? ", as fine as the flow needs" : "",
            (unsigned long long)rill_geom_fluid(d->geom));
    for (int k = 0; k < s->opening_count; k++)
        cli_row(k ? "" : "openings", "%d: %s, %.4g mm2, %.3g cells across", k + 1, s->openings[k].name,
                1e6 * s->openings[k].area, s->openings[k].hydraulic_diameter / d->geom->spacing);
    if (d->wave && d->wave->turned)
        cli_row("waveform",
                "its mean is negative, as of files that count along outward normals: the sign is changed");
    cli_row("geometry", "%s", d->at.geometry);
    cli_row("case", "%s: what is marked \"assumed\" is to be replaced", d->at.yaml);
    cli_row("next", "rill check %s", d->at.yaml);
}

static rill_status work(const choices *c)
{
    rill_status status = RILL_OK;
    draft d = {.c = c};
    RILL_TRY(places_find(c, &d.at));
    RILL_TRY(cli_input_prepare(c->input));
    RILL_TRY(cli_surface_shape_resolve(&c->surface, &d.openings, &d.options));
    if (c->surface.spacing > 0 && c->surface.cells > 0)
        RILL_TRY(rill_fail(RILL_USAGE, "--dx and --cells both give the size of voxels: use one"));
    d.options.command = c->line;
    RILL_TRY(flow_read(&d));
    RILL_TRY(draft_make(&d));
    RILL_TRY(rill_geom_write(d.geom, d.at.geometry, NULL));
    RILL_TRY(rill_output_write(d.at.yaml, d.text, strlen(d.text)));
    cli_progress_end();
    if (!c->quiet) print_summary(&d);
done:
    rill_geom_destroy(d.geom);
    rill_waveform_destroy(d.wave);
    free(d.text);
    free(d.at.yaml);
    free(d.at.geometry);
    free(d.at.waveform);
    return status;
}

static int run(int argc, char **argv)
{
    choices c = {0};
    const char *memory = NULL;
    int count = 1;
    bool help = false;
    cli_surface_defaults(&c.surface);
    c.surface.extend = CLI_CASE_EXTEND;
    const cli_option own[] = {
        {.help = "Case"},
        {"flow", 0, CLI_TEXT, &c.flow, "FILE",
         "flow or velocity at the inlet over a cycle, as CSV or as SimVascular writes it",
         .fallback = "a steady flow is assumed"},
        {"inlet", 0, CLI_TEXT, &c.inlet, "OPENING", "opening through which it flows in",
         .fallback = "the one whose name begins with \"in\", else the largest"},
        {"output", 'o', CLI_TEXT, &c.output, "FILE.yaml", "write the case; geometry and waveform beside it",
         .fallback = "called like the surface, here", .apply = cli_output_apply},
        CLI_OVERWRITE,
        {"memory", 0, CLI_TEXT, &memory, "SIZE", "host memory that may be used, such as 8GiB",
         .fallback = "what the system reports as available", .apply = cli_memory_apply},
        {"quiet", 'q', CLI_FLAG, &c.quiet, .help = "no progress, no summary table"},
        {0},
    };
    const cli_option *const tables[] = {cli_surface_shape_options(&c.surface),
                                        cli_surface_voxel_options(&c.surface), own, NULL};
    rill_status status = cli_parse(&cli_case_draft, tables, argc, argv, &c.input, &count, &help);
    if (help) return RILL_OK;
    if (status == RILL_OK && count == 0)
        status = rill_fail(RILL_USAGE, "no surface is given: rill case SURFACE --units mm");
    if (status == RILL_OK) {
        c.line = cli_command_line(argc, argv);
        cli_signals_catch(true);
        status = c.line ? work(&c) : rill_fail(RILL_SYSTEM, "out of memory for the command line");
    }
    free(c.line);
    return cli_report(&cli_case_draft, status);
}

const cli_command cli_case_draft = {
    .name = "case",
    .usage = "SURFACE --units UNIT [options] [-o FILE.yaml]",
    .summary = "write a case file for a surface, with its geometry, that runs as it is",
    .details =
        "The case lists the openings with their sizes and positions. It assumes blood of an adult, and resistances or\n"
        "Windkessels after Murray's law: these lines are marked, replace them by what you know. Without --dx voxels\n"
        "are 20 across the narrowest opening, larger where that takes more than 4 million nodes, and smaller where\n"
        "`rill check` would refuse the flow.",
    .examples = "rill case vessel.stl --units mm --dx 0.25mm -o vessel.yaml\n",
    .run = run,
};
