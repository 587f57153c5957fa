/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the command that a geometry was made by, and repeats it with another size of voxels. */
#include "cli/surface_again.h"

#include "cli/surface_options.h"
#include "cli/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the command gave. */
typedef struct command {
    cli_surface surface;
    const char *axes, *input;
} command;

/* Options of both commands that make a geometry of a surface; what does not concern its shape is passed over.
 */
static rill_status options_read(cli_words *w, command *c)
{
    rill_status status = RILL_OK;
    const char *other = NULL;
    bool flag = false, help = false;
    int inputs = 1;
    const bool draft = w->count > 1 && strcmp(w->word[1], "case") == 0;
    cli_surface_defaults(&c->surface);
    if (draft) c->surface.extend = CLI_CASE_EXTEND;
    const cli_option rest[] = {{"axes", 0, CLI_TEXT, &c->axes, "", ""},
                               {"output", 'o', CLI_TEXT, &other, "", ""},
                               {"index", 0, CLI_TEXT, &other, "", ""},
                               {"lattice", 0, CLI_TEXT, &other, "", ""},
                               {"json", 0, CLI_TEXT, &other, "", ""},
                               {"memory", 0, CLI_TEXT, &other, "", ""},
                               {"flow", 0, CLI_TEXT, &other, "", ""},
                               {"inlet", 0, CLI_TEXT, &other, "", ""},
                               {"overwrite", 0, CLI_FLAG, &flag, "", ""},
                               {"quiet", 'q', CLI_FLAG, &flag, "", ""},
                               {0}};
    const cli_option *const tables[] = {cli_surface_shape_options(&c->surface),
                                        cli_surface_voxel_options(&c->surface), rest, NULL};
    if (w->count < 3 || (!draft && strcmp(w->word[1], "voxelize") != 0))
        return rill_fail(RILL_USAGE, "it was made by \"%.60s\", not by rill voxelize or rill case",
                         w->count ? w->text : "");
    RILL_TRY(cli_parse(&cli_voxelize, tables, w->count - 1, w->word + 1, &c->input, &inputs, &help));
    if (inputs != 1 || help)
        status = rill_fail(RILL_USAGE, "the command that it was made by names no surface");
done:
    return status;
}

/* Find the surface: beside the geometry, and where the command names it. */
static rill_status surface_find(const command *c, const char *path, bool named, char **out)
{
    const char *slash = strrchr(path, '/'), *last = strrchr(c->input, '/');
    const int folder = slash ? (int)(slash - path) + 1 : 0;
    if (asprintf(out, "%.*s%s", folder, path, last && last[1] ? last + 1 : c->input) < 0) {
        *out = NULL;
        return rill_fail(RILL_SYSTEM, "out of memory for a file name");
    }
    if (access(*out, R_OK) == 0) return RILL_OK;
    char *beside = *out;
    *out = NULL;
    rill_status status = RILL_OK;
    if (!named || access(c->input, R_OK) != 0)
        status =
            rill_fail(RILL_USAGE, "the surface that it was made from is not at %.200s: put it there%s",
                      beside, named ? "" : ", or read it where the command names it with --allow-outside");
    else if (!(*out = strdup(c->input)))
        status = rill_fail(RILL_SYSTEM, "out of memory for a file name");
    free(beside);
    return status;
}

rill_status cli_surface_again(const rill_geom *geom, const char *path, bool named, double spacing,
                              rill_progress progress, rill_geom **out, rill_surface_report *report)
{
    rill_status status = RILL_OK;
    cli_words w = {.text = NULL};
    command c = {.axes = NULL};
    cli_surface_openings openings;
    rill_surface_options options;
    char *surface = NULL, *line = NULL;
    rill_geom *made = NULL;
    if (!geom->options || !geom->source_hash)
        RILL_TRY(rill_fail(RILL_USAGE,
                           "it does not say how it was made from a surface: make it by rill voxelize"));
    RILL_TRY(cli_words_read(geom->options, &w));
    RILL_TRY(options_read(&w, &c));
    RILL_TRY(cli_surface_shape_resolve(&c.surface, &openings, &options));
    if (c.axes) RILL_TRY(cli_surface_axes(c.axes, &options));
    options.spacing = spacing;
    options.cells = 0;
    if (asprintf(&line, "%s --dx %.17gm", geom->options, spacing) < 0) { /* the last one counts */
        line = NULL;
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a command line"));
    }
    options.command = line;
    RILL_TRY(surface_find(&c, path, named, &surface));
    RILL_TRY(rill_surface_voxelize(surface, &options, progress, &made, report));
    if (!made->source_hash || strcmp(made->source_hash, geom->source_hash) != 0)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s is not the surface that it was made from: its XXH3 is %s, not %s; voxelize it again", surface,
            made->source_hash ? made->source_hash : "unknown", geom->source_hash));
    *out = made;
    made = NULL;
done:
    if (status != RILL_OK) rill_fail_prefix("%s", path);
    rill_geom_destroy(made);
    free(surface);
    free(line);
    free(w.text);
    return status;
}
