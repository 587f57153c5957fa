/* SPDX-License-Identifier: Apache-2.0 */
/* rill run: make a vessel's case flow. The loop is vessel/run/run.c's, what is printed is run_output.c's. */
#include "vessel/case/rhythm.h"
#include "cli/case_kinds.h"
#include "cli/cli.h"
#include "core/units.h"
#include "io/json_file.h"
#include "core/output.h"
#include "core/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const kinds[] = {"none", "image", "sparse", NULL};

typedef struct choices {
    cli_case_choices common;
    const char *output;
    int fields;
    bool resume, dry_run, every_given, error_bar;
    double every;    /* s of wall clock between checkpoints */
    char *line;      /* the command, owned */
    char *directory; /* owned */
    int lock;        /* descriptor of the directory, which no other run may write to; -1: none */
    bool made;       /* the directory, by this run */
    bool replaces;   /* results that are there already */
    rill_progress progress;
    double cycles; /* 0: steady */
    int grid;      /* of an error bar that runs, from 1; 0: the case of the geometry */
} choices;

void cli_run_detail(const rill_run_moment *m, double seconds_left, char *text, size_t size)
{
    char mach[32] = "", balance[48] = "", change[48] = "";
    if (!isnan(m->mach)) snprintf(mach, sizeof mach, "Mach %.3f, ", m->mach);
    if (!isnan(m->balance))
        snprintf(balance, sizeof balance, "balance %+.2g %% of the peak, ", 100 * m->balance);
    if (!isnan(m->change)) snprintf(change, sizeof change, "change %.2g, ", m->change);
    snprintf(text, size, "%s%s%s%.4f GLUPS, at most %.0f s left", mach, balance, change, 1e-3 * m->mlups,
             seconds_left);
}

static bool watch(void *context, const rill_progress_moment *moment)
{
    const choices *c = context;
    const rill_run_moment *m = moment->run;
    char what[96], grid[32] = "", detail[256];
    if (!m) return c->progress.fn(c->progress.context, moment);
    if (c->grid) snprintf(grid, sizeof grid, "grid %d of %d, ", c->grid, RILL_GRIDS);
    if (c->cycles > 0)
        snprintf(what, sizeof what, "%scycle %.2f of %.3g%s", grid, m->cycles, m->cycles_max,
                 m->recording ? ", recorded" : "");
    else
        snprintf(what, sizeof what, "%s%.4g s", grid, m->time);
    cli_run_detail(m, moment->seconds_left, detail, sizeof detail);
    const rill_progress_moment shown = rill_progress_moment_of(what, -1, detail);
    return c->progress.fn(c->progress.context, &shown);
}

/* "aorta.yaml" becomes "aorta.results" when no directory is named. */
static rill_status directory_make(choices *c, const char *path)
{
    struct stat info;
    size_t length = strlen(path);
    cli_pipe_keep();
    for (const char *const *ending = (const char *const[]){".yaml", ".yml", NULL}; *ending; ending++)
        if (length > strlen(*ending) && strcmp(path + length - strlen(*ending), *ending) == 0)
            length -= strlen(*ending);
    if (c->output ? !(c->directory = strdup(c->output))
                  : asprintf(&c->directory, "%.*s.results", (int)length, path) < 0)
        return rill_fail(RILL_SYSTEM, "out of memory for a file name");
    c->made = mkdir(c->directory, 0777) == 0;
    if (c->made) return rill_output_sync_name(c->directory);
    if (errno != EEXIST) return rill_output_fail(c->directory, errno);
    if (stat(c->directory, &info) != 0 || !S_ISDIR(info.st_mode))
        return rill_fail(RILL_USAGE, "-o %s is not a directory: name one, or a new one", c->directory);
    return RILL_OK;
}

/* Two runs in one directory would leave files of both. The lock ends with the process. */
static rill_status directory_lock(choices *c)
{
    c->lock = open(c->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    /* Some file systems have no locks: no reason not to run. */
    if (c->lock < 0 || flock(c->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return RILL_OK;
    c->made = false; /* it stays where it is for the other run */
    return rill_fail(RILL_USAGE,
                     "another rill run writes to %s: wait until it ends, or name another directory with -o",
                     c->directory);
}

static char *within(const choices *c, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", c->directory, name) < 0 ? NULL : path;
}

/*
 * Fail before the work when nothing could be written after it, when there is nothing to continue from, or
 * when there is and no option chose it: results can be made again from a checkpoint, hours of steps cannot.
 */
static rill_status directory_try(choices *c)
{
    rill_status status = RILL_OK;
    char *file = within(c, "run.h5"), *last = within(c, "checkpoint.h5"),
         *before = within(c, "checkpoint.h5.previous");
    if (!file || !last || !before) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a file name"));
    const bool there = access(last, F_OK) == 0 || access(before, F_OK) == 0;
    if (c->resume && !there)
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--resume: checkpoint %s/checkpoint.h5 not found: name the directory of the run with -o, or leave out --resume to start anew",
            c->directory));
    if (there && !c->resume && !*cli_overwrite()) /* not for RILL_OVERWRITE alone */
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s holds the checkpoint of an earlier run: continue from it with --resume, discard it with --overwrite, or name another directory with -o",
            c->directory));
    RILL_TRY(rill_output_try(file));
    c->replaces = access(file, F_OK) == 0;
    if (c->replaces && !c->resume && !cli_may_overwrite())
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%s holds the results of an earlier run: replace them with --overwrite, or name another directory with -o",
            c->directory));
done:
    free(before);
    free(last);
    free(file);
    return status;
}

static rill_status json_write(const choices *c, const rill_vessel *vessel, const rill_run_result *result,
                              const cli_grids *grids)
{
    rill_status status = RILL_OK;
    json_t *json = cli_run_json(vessel, result, grids);
    char *file = within(c, "summary.json");
    if (!json || !file) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for a summary"));
    if (result->end != RILL_RUN_CANCELLED && result->end != RILL_RUN_DIVERGED)
        RILL_TRY(rill_json_write(json, file));
    if (c->common.json) RILL_TRY(cli_json_write(json, c->common.json));
done:
    json_decref(json);
    free(file);
    return status;
}

/* @param[in,out] grids  of an error bar, whose coarser grids ran; NULL: none */
static rill_status flow(const choices *c, rill_vessel *vessel, cli_grids *grids, int *code)
{
    rill_status status = RILL_OK;
    rill_run_result result;
    rill_run_options options = {.directory = c->directory,
                                .fields = (rill_fields_kind)c->fields,
                                .resume = c->resume,
                                .checkpoint_every = vessel->given->output.checkpoint_every,
                                .save = cli_signals_save(),
                                .command = c->line,
                                .progress = {watch, (void *)c}};
    if (c->every_given) options.checkpoint_every = c->every;
    cli_signals_catch(false);
    if (!c->common.quiet) {
        cli_row("results go to", "%s%s", c->directory,
                c->replaces ? ", where they replace those of an earlier run" : "");
        cli_row("divergence", "looked for every %llu steps",
                (unsigned long long)rill_run_watch_steps(vessel));
        fflush(stdout);
    }
    const rill_status came = rill_case_run(vessel, &options, &result);
    cli_progress_end();
    const bool stopped = came == RILL_CANCELLED && result.steps > 0;
    if (came != RILL_OK && came != RILL_NUMERICS && !stopped) return came;
    char why[512];
    snprintf(why, sizeof why, "%s", rill_error_message());
    if (came != RILL_OK) grids = NULL;
    if (grids) RILL_TRY(cli_grids_finish(grids, vessel, &result, c->directory, c->line));
    RILL_TRY(json_write(c, vessel, &result, grids));
    if (came == RILL_NUMERICS) return rill_fail(came, "%s", why);
    if (!c->common.quiet) cli_run_print(vessel, &result, c->directory);
    if (!c->common.quiet && grids) cli_grids_print(grids);
    if (stopped) *code = RILL_CANCELLED;
    if (result.end == RILL_RUN_LIMIT && result.compared)
        RILL_TRY(rill_fail(RILL_NUMERICS,
                           "not converged: %s; results are in %s: allow more %s and continue with --resume",
                           cli_run_not_repeated(vessel, &result, why, sizeof why), c->directory,
                           c->cycles > 0 ? "cycles (run.cycles)" : "time (run.duration)"));
done:
    return status;
}

/* Refuse what cannot be kept: results are compressed, checkpoints are not. */
static rill_status disk_try(const choices *c, const rill_case_plan *plan)
{
    const double checkpoint = (double)plan->checkpoint_bytes;
    return cli_disk_try(c->directory,
                        &(cli_disk_need){.what = "checkpoints",
                                         /* the one that is written beside those that are there */
                                         .least = checkpoint * (c->resume ? 1 : 2),
                                         .most = (double)plan->output_bytes + 3 * checkpoint,
                                         .quiet = c->common.quiet});
}

/* Run the case on the coarser grids. */
static rill_status coarser_run(choices *c, cli_grids *grids)
{
    rill_status status = RILL_OK;
    cli_signals_catch(false);
    for (c->grid = 1; c->grid < RILL_GRIDS; c->grid++)
        RILL_TRY(cli_grids_run(grids, c->grid - 1, (rill_progress){watch, c}));
done:
    if (status == RILL_OK) c->grid = RILL_GRIDS;
    cli_progress_end();
    return status;
}

/* Hand a case of another kind on. */
static rill_status kind_run(const choices *c, const cli_case_kind *kind, const char *path)
{
    return kind->run(path, &(cli_kind_run){.common = &c->common,
                                           .directory = c->dry_run ? NULL : c->directory,
                                           .fields = (rill_fields_kind)c->fields,
                                           .resume = c->resume,
                                           .every = c->every_given ? c->every : -1,
                                           .line = c->line,
                                           .progress = c->progress});
}

static rill_status work(choices *c, const char *path, int *code)
{
    rill_status status = RILL_OK;
    const cli_case_kind *kind = cli_case_kind_of(path);
    cli_case read = {0};
    cli_grids grids = {.count = 0};
    rill_vessel *vessel = NULL;
    const bool go = !c->dry_run && access(path, R_OK) == 0; /* else reading reports it */
    if (go) {
        RILL_TRY(directory_make(c, path));
        RILL_TRY(directory_lock(c));
        RILL_TRY(directory_try(c));
    }
    if (kind) {
        status = kind_run(c, kind, path);
        goto done;
    }
    RILL_TRY(cli_case_read(path, &c->common, go && c->resume ? c->directory : NULL, &read));
    c->cycles = read.given->run.pulsatile ? read.given->run.cycles : 0;
    cli_progress_end();
    if (!c->common.quiet || c->dry_run) cli_case_print_plan(read.given, read.geom, &read.plan);
    fflush(stdout);
    RILL_TRY(rill_case_plan_accept(&read.plan));
    if (c->error_bar) {
        RILL_TRY(cli_grids_plan(path, &c->common, &read, c->progress, &grids));
        cli_progress_end();
        if (!c->common.quiet || c->dry_run) cli_grids_print_plan(&grids, &read);
        fflush(stdout);
        RILL_TRY(cli_grids_accept(&grids));
    }
    if (c->dry_run) goto done;
    RILL_TRY(disk_try(c, &read.plan));
    if (c->error_bar) RILL_TRY(coarser_run(c, &grids));
    RILL_TRY(rill_vessel_create(read.given, read.geom, &read.plan, &vessel));
    RILL_TRY(flow(c, vessel, c->error_bar ? &grids : NULL, code));
done:
    if (status != RILL_OK && c->made) rmdir(c->directory); /* where nothing was written there is none */
    rill_vessel_destroy(vessel);
    cli_grids_free(&grids);
    cli_case_free(&read);
    return status;
}

static int run(int argc, char **argv)
{
    rill_status status = RILL_OK;
    choices c = {.fields = RILL_FIELDS_SPARSE, .lock = -1};
    int code = RILL_OK;
    const cli_option options[] = {
        {"output", 'o', CLI_TEXT, &c.output, "DIRECTORY", "where results go; made when it is not there",
         .fallback = "CASE.results", .apply = cli_output_apply},
        {"fields", 0, CLI_CHOICE, &c.fields,
         .help =
             "how fields are written where the case requests them: image (all voxels) or sparse (fluid cells)",
         .choices = kinds},
        {"checkpoint-every", 0, CLI_TIME, &c.every, "TIME",
         "wall-clock time between checkpoints, as 30min; 0s: on signals alone",
         .fallback = "as the case says", .min = 0, .max = 1e8, .given = &c.every_given},
        {"resume", 0, CLI_FLAG, &c.resume,
         .help = "continue from the checkpoint in the directory of the results"},
        {"overwrite", 0, CLI_FLAG, cli_overwrite(),
         .help = "start anew where the directory holds results or a checkpoint, and replace them"},
        {"error-bar", 0, CLI_FLAG, &c.error_bar,
         .help =
             "run the case on two coarser grids, too, and extrapolate wall shear, pressures and flows with an uncertainty"},
        {"dry-run", 0, CLI_FLAG, &c.dry_run, .help = "print what would be done, and stop"},
        {0}};
    const char *path = NULL;
    bool help = false;
    RILL_TRY(cli_case_parse(&cli_run, options, &c.common, argc, argv, &path, &help));
    if (help) return RILL_OK;
    if (c.resume && *cli_overwrite())
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "--resume continues from the checkpoint that --overwrite would discard: leave one of them out"));
    if (c.resume && c.error_bar)
        RILL_TRY(rill_fail(RILL_USAGE, "an error bar has no checkpoint: leave out --resume or --error-bar"));
    if (c.resume) cli_outputs_continue();
    c.common.grids = c.error_bar;
    c.line = cli_command_line(argc, argv);
    if (!c.line) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the command line"));
    c.progress = cli_progress(c.common.quiet);
    status = work(&c, path, &code);
done:
    if (c.lock >= 0) close(c.lock);
    free(c.line);
    free(c.directory);
    return status == RILL_OK ? code : cli_report(&cli_run, status);
}

const cli_command cli_run = {
    .name = "run",
    .usage = "CASE.yaml [options] -o DIRECTORY",
    .summary = "run a vessel's case until its cycles repeat, or it is steady",
    .details =
        "Prints the plan of `rill check`, then runs, and leaves series (run.h5, CSV), wall shear on the triangles\n"
        "(wall.vtkhdf), snapshots by phase, pictures and summary.json in a directory; docs/vessels.md lists all.\n"
        "--error-bar voxelizes the surface of the geometry again, 4/3 and 16/9 as coarse, and runs these grids first; they leave\n"
        "error-bar.vtkhdf and numbers with an uncertainty. The plan states their time and memory first.\n"
        "A case with the section cells computes capsules or red blood cells: docs/capsules.md.\n"
        "SIGUSR1 writes a checkpoint; SIGTERM, SIGINT (control-C), SIGHUP and SIGUSR2 write one and stop.\n"
        "Exit code 2: the flow diverged or exceeded a limit (position and reason are printed, no\n"
        "results are written), or cycles did not repeat (results are written).\n"
        "Exit code 4: stopped by a signal, --resume goes on to the same bits.",
    .examples = "rill run vessel.yaml -o results\n"
                "rill run vessel.yaml -o results --resume\n"
                "rill run vessel.yaml -o results --error-bar\n",
    .run = run};
