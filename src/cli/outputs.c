/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a command writes: none is an input or another output, all can be written, and results begin
 * alike. */
#include "cli/cli.h"
#include "core/output.h"
#include "core/status.h"
#include "core/units.h"
#include "geometry/image/file_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* There is one command, hence one choice. */
static bool overwrites, continues;

bool *cli_overwrite(void) { return &overwrites; }

void cli_outputs_continue(void) { continues = true; }

bool cli_may_overwrite(void)
{
    const char *always = getenv("RILL_OVERWRITE");
    return overwrites || (always && strcmp(always, "1") == 0);
}

rill_status cli_output_apply(const char *text)
{
    if (strcmp(text, "-") != 0) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "this output cannot go to standard output (\"-\"): only --json, "
        "the voxels of `rill generate --raw` and the pictures of `rill export -o` can; give a file name");
}

static rill_status check(const cli_output *outputs, int count)
{
    for (int k = 0; k < count; k++) {
        const cli_output *o = &outputs[k];
        if (!o->path || cli_json_streams(o->path)) continue;
        for (int other = 0; other < k; other++)
            if (outputs[other].path && rill_output_replaces(o->path, outputs[other].path))
                return rill_fail(RILL_USAGE, "%s and %s name the same file %s: give each its own", o->option,
                                 outputs[other].option, o->path);
    }
    for (int k = 0; k < count; k++) {
        const cli_output *o = &outputs[k];
        if (!o->path || cli_json_streams(o->path)) continue;
        cli_pipe_keep();
        const rill_status status = rill_output_try(o->path);
        if (status != RILL_OK) return status;
        if (!continues && !cli_may_overwrite() && access(o->path, F_OK) == 0)
            return rill_fail(RILL_USAGE, "%s %s exists: give another name, or replace it with --overwrite",
                             o->option, o->path);
    }
    return RILL_OK;
}

rill_status cli_outputs_spare(const char *input, const cli_output *outputs, int count)
{
    rill_status status = RILL_OK;
    char *file = NULL;
    const char *name;
    if (!input) return RILL_OK;
    RILL_TRY(rill_container_split(input, &file, &name));
    for (int k = 0; k < count; k++) {
        const cli_output *o = &outputs[k];
        if (!o->path || cli_json_streams(o->path) || !rill_output_replaces(o->path, file)) continue;
        RILL_TRY(
            rill_fail(RILL_USAGE, "%s %s would overwrite the input: give another name", o->option, o->path));
    }
done:
    free(file);
    return status;
}

rill_status cli_outputs_check(const char *input, const cli_output *outputs, int count)
{
    const rill_status status = cli_outputs_spare(input, outputs, count);
    return status == RILL_OK ? check(outputs, count) : status;
}

rill_status cli_fields_check(const char *option, const char *path)
{
    char *beside = malloc(strlen(path) + sizeof ".xmf");
    if (!beside) return rill_fail(RILL_SYSTEM, "out of memory for the name of a file");
    sprintf(beside, "%.*s.xmf", (int)(strlen(path) - strlen(".vtkhdf")), path);
    const rill_status status = check((cli_output[]){{option, path}, {option, beside}}, 2);
    free(beside);
    return status;
}

rill_status cli_fields_name(const char *input, const char *json, const char *output, const char *infix,
                            char *name, size_t size)
{
    if (!output) return rill_fail(RILL_USAGE, "--fields needs a name to write to: add -o FILE.h5");
    size_t length = strlen(output);
    if (length > 3 && strcmp(output + length - 3, ".h5") == 0) length -= 3;
    const int written = snprintf(name, size, "%.*s%s.vtkhdf", (int)length, output, infix);
    if (written < 0 || (size_t)written >= size)
        return rill_fail(RILL_USAGE, "-o %.40s…: the name is too long", output);
    if (strcmp(name, output) == 0)
        return rill_fail(RILL_USAGE, "-o %s is the name that the fields take: give one that ends in .h5",
                         output);
    const rill_status status = cli_outputs_check(input, (cli_output[]){{"--json", json}, {"-o", name}}, 2);
    return status == RILL_OK ? cli_fields_check("-o", name) : status;
}

rill_status cli_result_create(const char *output, rill_run run, const rill_geom *geom, const char *notes,
                              rill_result **out)
{
    rill_status status = RILL_OK;
    char *all = NULL;
    RILL_TRY(rill_notes_add(&all, geom->notes));
    RILL_TRY(rill_notes_add(&all, notes));
    run.source = geom->source;
    run.source_hash = geom->source_hash;
    run.source_options = geom->options;
    run.notes = all;
    run.unit_si = geom->spacing;
    run.seed = -1;
    RILL_TRY(rill_result_create(output, &run, out));
done:
    free(all);
    return status;
}

rill_status cli_disk_try(const char *directory, const cli_disk_need *n)
{
    struct statvfs disk;
    char need[32], most[32], there[32];
    if (statvfs(directory, &disk) != 0) return rill_output_fail(directory, errno);
    const double spare = (double)disk.f_bavail * (double)disk.f_frsize;
    rill_units_format_bytes(n->least, need, sizeof need);
    rill_units_format_bytes(n->most, most, sizeof most);
    rill_units_format_bytes(spare, there, sizeof there);
    if (spare < n->least)
        return rill_fail(
            RILL_SYSTEM,
            "%s take %s in %s, and %s are free: free space there or choose another directory with -o",
            n->what, need, directory, there);
    if (spare < n->most && !n->quiet)
        cli_row("note", "results and checkpoints take up to %s in %s, and %s are free", most, directory,
                there);
    return RILL_OK;
}
