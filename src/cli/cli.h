/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cli.h
 * What the subcommands share: option tables with defaults and units in --help, one error sentence,
 * progress, tables. A command is one file cmd_<name>.c that holds options only, no physics.
 */
#ifndef RILL_CLI_H
#define RILL_CLI_H

#include "core/log.h"
#include "core/nearest.h"
#include "core/status.h"
#include "rill.h"
#include "io/result.h"

#include <signal.h>
#include <stdio.h>
#include <jansson.h>

/** What an option's argument is, and the type that `target` points to. */
typedef enum cli_kind {
    CLI_FLAG,    /**< no argument; bool, set true */
    CLI_TEXT,    /**< const char *, borrowed from argv */
    CLI_INT,     /**< int */
    CLI_COUNT,   /**< uint64_t, suffixes k M G allowed, 1e6 allowed */
    CLI_UINT32,  /**< uint32_t, read as CLI_COUNT is */
    CLI_REAL,    /**< double; fractions such as 3/16 allowed */
    CLI_LENGTH,  /**< double, metres, a unit is required */
    CLI_TIME,    /**< double, seconds, a unit is required */
    CLI_BYTES,   /**< uint64_t, unit allowed */
    CLI_CHOICE,  /**< int, index into `choices` */
    CLI_FORM,    /**< int, index into `choices`; the second without a value, which only "=" gives */
    CLI_CHOICES, /**< cli_choices, indices into `choices`: names with commas between, or "all" */
    CLI_MULTI    /**< cli_list, may be repeated */
} cli_kind;

/** Several choices, each once, in the order given; none when the option was not. */
typedef struct cli_choices {
    int items[16], count;
} cli_choices;

/** Arguments of a repeatable option, borrowed from argv. */
typedef struct cli_list {
    const char *items[64];
    int count;
} cli_list;

/**
 * One option; a table ends with {0}. A NULL name with help is a heading in --help. --help shows the
 * choices, or `arg`, and the default.
 */
typedef struct cli_option {
    const char *name; /**< "voxel-size", without the dashes */
    char letter;      /**< 'o' for -o, 0 for none */
    cli_kind kind;
    void *target;               /**< where the value goes; holds the default before parsing */
    const char *arg;            /**< what stands for its value in --help, "LENGTH" */
    const char *help;           /**< one sentence, lower case, no full stop, with the unit */
    const char *fallback;       /**< the default as shown; NULL: shown from *target; "": show none */
    const char *const *choices; /**< CLI_CHOICE, CLI_FORM, CLI_CHOICES: NULL-terminated names */
    double min, max; /**< numbers (lengths in metres, times in seconds): inclusive limits when min < max */
    bool *given;     /**< set true when the option stood on the command line; may be NULL */
    bool above;      /**< min itself is not allowed */
    rill_status (*apply)(const char *text); /**< called with the argument after it was read; may be NULL */
    bool rare;                              /**< --help-all alone shows it */
} cli_option;

/** A subcommand. */
typedef struct cli_command {
    const char *name;                  /**< "voxelize" */
    const char *usage;                 /**< "IMAGE [options] -o FILE.geom.h5" */
    const char *summary;               /**< one line for `rill --help` */
    const char *examples;              /**< lines at the head of --help, each with a newline; may be NULL */
    const char *details;               /**< further text of --help, may be NULL */
    int (*run)(int argc, char **argv); /**< argv[0] is the command's name; returns the exit code */
} cli_command;

extern const cli_command cli_generate, cli_voxelize, cli_info, cli_check, cli_run, cli_permeability,
    cli_diffusivity, cli_dispersion, cli_free_surface, cli_capsule, cli_case_draft, cli_bench, cli_export,
    cli_variants, cli_verify, cli_again, cli_completion;

/** All of them, in the order of `rill --help`; NULL ends the list. */
extern const cli_command *const cli_commands[];

/** Return the command of this name, NULL for none. */
const cli_command *cli_command_find(const char *name);

/**
 * Parse options (any order, "--name value", "--name=value", "-o value", "--" ends them).
 * `--help` and `--help-all` print the help to standard output. An unknown option names the nearest known one.
 * @param[in]  tables       NULL-terminated list of option tables, so that groups can be shared
 * @param[out] positionals  [*count] on return; on entry *count is the capacity
 * @param[out] help         true when help was requested: the caller returns 0 at once
 */
rill_status cli_parse(const cli_command *command, const cli_option *const *tables, int argc, char **argv,
                      const char **positionals, int *count, bool *help);

/** Return the option of a name of `length` characters, or of a letter (0: by name); NULL for none. */
const cli_option *cli_option_find(const cli_option *const *tables, const char *name, size_t length,
                                  char letter);

/** Read the argument of an option into its target. */
rill_status cli_option_read(const cli_option *option, const char *text);

/** Print "rill NAME: MESSAGE" of the last failure to standard error; returns the exit code. */
int cli_report(const cli_command *command, rill_status status);

/**
 * Use no more than `text` of host memory: the apply function of an option --memory.
 * It sets the environment, because the library allocates memory also where no option reaches.
 */
rill_status cli_memory_apply(const char *text);

/** The choices of a variant for a command that takes several values of each. */
typedef struct cli_several {
    cli_choices lattice, collision, equilibrium, stream, addressing, storage, arithmetic, bounce, shift;
} cli_several;

/** The flags that every computing command shares; see cli_compute_options(). */
typedef struct cli_compute {
    int lattice, collision, equilibrium, stream, addressing, storage, arithmetic, bounce, shift, backend;
    double magic, tau, tolerance;
    uint64_t max_steps;
    bool lattice_given, equilibrium_given, stream_given, addressing_given, storage_given, tau_given,
        tolerance_given, max_steps_given;
    const char *json, *output;
    bool quiet;
    const char *memory;
    cli_several
        *several; /**< where the choices go in place of the values above; NULL: there is one of each */
    struct {
        const char *stream, *addressing, *storage, *tau, *tolerance, *max_steps, *output;
    } shown; /**< by --help as defaults in place of the values above, for a command that chooses by itself */
} cli_compute;

/** Set the defaults of the shared flags; a command changes what differs for it before it takes the table. */
void cli_compute_defaults(cli_compute *compute);

/** Return the table of the shared flags bound to `compute`; valid until the next call in this thread. */
const cli_option *cli_compute_options(cli_compute *compute);

/** Copy shared flags into a table of `room`. @param names  which ones, up to NULL */
void cli_compute_pick(cli_compute *compute, const char *const *names, cli_option *table, size_t room);

/** The shared flags of commands that solve linear equations, for cli_compute_pick(). */
extern const char *const cli_solver_flags[];

/** Convert the shared flags to a variant. */
rill_variant cli_compute_variant(const cli_compute *compute);

/**
 * Convert the shared flags to a variant, streaming and addressing that were not given into what is fastest
 * for the fluid nodes of a geometry on a device. @param[out] reason  why, a clause
 */
void cli_compute_choose(const cli_compute *compute, rill_device *device, const rill_geom *geom,
                        rill_variant *out, const char **reason);

/** The apply function of an option that names a file: "-" is refused, standard output takes JSON alone. */
rill_status cli_output_apply(const char *text);

/** Make calls of exit() by libraries exit code 3 with a sentence, until cli_guard_end(). */
void cli_guard_begin(void);

/** Say that main() returns `code`. @return code */
int cli_guard_end(int code);

/** Make an input readable whose name is "-": standard input becomes a file if it is none. */
rill_status cli_input_prepare(const char *path);

/** A file to be written; path NULL: not requested. */
typedef struct cli_output {
    const char *option, *path; /**< the option that names it, "--json" */
} cli_output;

/** Where --overwrite goes; and the row of that option, in the table of every command that writes a file. */
bool *cli_overwrite(void);
#define CLI_OVERWRITE                                                                                        \
    {                                                                                                        \
        .name = "overwrite", .kind = CLI_FLAG, .target = cli_overwrite(),                                    \
        .help = "replace output files that exist, which are refused without it"                              \
    }

/** Return whether files may be replaced: --overwrite, or the environment variable RILL_OVERWRITE is 1. */
bool cli_may_overwrite(void);

/** The command continues earlier work, whose files it replaces: after --resume. */
void cli_outputs_continue(void);

/**
 * Fail before the work when a file could not be written after it, exists without --overwrite, or would
 * replace the input (NULL: there is none) or another file of the list. "-" is standard output, and no file;
 * an input may name an array of a file.
 */
rill_status cli_outputs_check(const char *input, const cli_output *outputs, int count);

/** Fail when one of the files would replace the input, as cli_outputs_check() does. */
rill_status cli_outputs_spare(const char *input, const cli_output *outputs, int count);

/**
 * Name the field file beside a result: "out.h5" becomes "out.vtkhdf". Fail when there is no result (NULL), or
 * as cli_outputs_check() with the input and the document (NULL: none).
 * @param infix  stands before the suffix: ".x" makes "out.x.vtkhdf"
 */
rill_status cli_fields_name(const char *input, const char *json, const char *output, const char *infix,
                            char *name, size_t size);

/** Check a field file and the .xmf that rill_fields_write() writes beside it, as cli_outputs_check() does. */
rill_status cli_fields_check(const char *option, const char *path);

/** Begin a result of a sample: `run` with what the geometry says of its source, and the notes of both. */
rill_status cli_result_create(const char *output, rill_run run, const rill_geom *geom, const char *notes,
                              rill_result **out);

/** Begin to look for a reader of standard output that ends first, where the caller ignores SIGPIPE. */
void cli_pipe_begin(void);

/** Go on behind such an end: this command writes files. */
void cli_pipe_keep(void);

/** Return whether a reader has ended first: what could not be printed is no error then. */
bool cli_pipe_closed(void);

/** Return the exit code of the program: 141, as of SIGPIPE, where a reader has ended first and nothing else
 * failed. */
int cli_pipe_end(int code);

/** Let SIGINT, SIGTERM and SIGHUP cancel the work: cli_progress() hands it on. A second signal ends the
 * program.
 * @param interrupt  system calls that wait, such as reading a pipe, end with EINTR */
void cli_signals_catch(bool interrupt);

/** Return whether SIGINT, SIGTERM, SIGHUP or SIGUSR2 came. */
bool cli_signals_cancelled(void);

/** Let SIGUSR1 request a checkpoint. @return what rill_run_options.save points to */
volatile sig_atomic_t *cli_signals_save(void);

/** A progress line on a terminal (standard error), a plain line every few seconds elsewhere, nothing when
 * quiet. It cancels the work after a signal: see cli_signals_catch(). */
rill_progress cli_progress(bool quiet);

/** Print the library's remarks to standard error, those for whoever looks for a fault when RILL_LOG=debug. */
void cli_remarks(bool quiet);

/** Clear the progress line before something else is printed. */
void cli_progress_end(void);

/** What files of a run take, bytes. */
typedef struct cli_disk_need {
    const char *what; /**< takes at least so much: "checkpoints" */
    double least, most;
    bool quiet;
} cli_disk_need;

/** Refuse a run whose files have no room in their directory, and note where they may have none.
 * @return RILL_SYSTEM */
rill_status cli_disk_try(const char *directory, const cli_disk_need *need);

/** Print one aligned row "  label   value" of a summary table to standard output. @see cli_rows_lack() */
void cli_row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** @return whether there was no memory for a row or a note, which says so */
bool cli_rows_lack(void);

/** Print notes (rill/notes.h; NULL for none), a row "note" each, or with `quiet` lines "rill NAME: note: …"
 * on standard error. */
void cli_notes(const cli_command *command, const char *notes, bool quiet);

/** Print how many threads step so many nodes, and why; nothing on a device, where `device` bytes are not 0.
 */
void cli_threads_row(uint64_t nodes, uint64_t device);

/** Print the rows that say how many bytes a run takes, of how many that are free; without a device `device`
 * is 0. */
void cli_memory_rows(uint64_t peak, uint64_t host, uint64_t host_free, uint64_t device, uint64_t device_free);

/** Join the command line into one string, quoted where needed; NULL without memory; the caller frees it. */
char *cli_command_line(int argc, char **argv);

/** Hand the options of commands whose help is requested to a function in place of printing them; NULL: print.
 */
void cli_help_divert(void (*to)(const cli_command *command, const cli_option *const *tables));

/** Print the help of a command to standard output. @param all  with the options that are rare */
void cli_help(const cli_command *command, const cli_option *const *tables, bool all);

/** Print the examples of a command, where it has any. */
void cli_help_examples(const cli_command *command);

/** The apply function of options whose "-" is standard output: it keeps that for the document alone. */
rill_status cli_stream_apply(const char *text);

/** Return whether documents go to standard output: they are then written once, not as work goes on. */
bool cli_json_streams(const char *path);

/** Write a document to the file of the option, or to standard output. @return as rill_json_write() */
rill_status cli_json_write(const json_t *json, const char *path);

/** The same, and release it. @param json  NULL: it could not be made, which is a failure */
rill_status cli_json_finish(json_t *json, const char *path);

/** Print it to standard output: a line for the version, the build, each backend, device and library, or a
 * JSON document. @return RILL_SYSTEM without memory */
rill_status cli_version_print(bool as_json);

#endif
