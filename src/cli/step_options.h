/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file step_options.h
 * What commands have in common that follow a flow in time by passes beside the step: streaming schemes and
 * formats of populations, and files of single steps.
 */
#ifndef RILL_CLI_STEP_OPTIONS_H
#define RILL_CLI_STEP_OPTIONS_H

#include "cli/cli.h"
#include "io/step_run.h"

enum { CLI_STEP_INPUTS = 3 };

/** The choices. */
typedef struct cli_step_choices {
    int stream, storage, backend;
    const char *checkpoint; /**< as given */
    double every;           /**< s between checkpoints */
    bool resume;
    const char *inputs[CLI_STEP_INPUTS]; /**< that no output may replace; NULL: none */
    char name[4096];                     /**< of the checkpoint */
} cli_step_choices;

/** Values of --backend. */
enum { CLI_STEP_CPU, CLI_STEP_CUDA };

/** Rows of a table of options. */
enum { CLI_STEP_OPTIONS = 6 };

/** Set the rows --stream, --storage, --backend, and those of a checkpoint. */
void cli_step_options(cli_step_choices *choices, cli_option rows[CLI_STEP_OPTIONS]);

/** Convert the choices. */
void cli_step_resolve(const cli_step_choices *choices, rill_stream *stream, rill_storage *storage,
                      rill_backend_kind *backend);

/** Name the checkpoint, where there is a result or a name, and check that it is there to go on from.
 * @param choices  must outlive what it is in */
rill_status cli_step_checkpoint(cli_step_choices *choices, const char *output, rill_step_keep *keep);

/** End with results that are written, and standard output; remove the checkpoint then.
 * @param left  it is of this run, and is there @param status  of the run */
rill_status cli_step_finish(const cli_step_choices *choices, bool left, rill_status status);

/** Return bytes of populations a node, D3Q19. */
double cli_step_node_bytes(rill_stream stream, rill_storage storage);

/** Refuse a box whose nodes do not fit into the memory, before anything is made of it. */
rill_status cli_step_room(double nodes, double bytes);

/** Refuse more files than anyone reads: --every, and what it is of. */
rill_status cli_step_files_few(double every, double whole, const char *of);

/** Check the result and all files beside it before the first step: they replace none of the inputs.
 * @param kinds  of files, up to NULL */
rill_status cli_step_outputs_check(const cli_step_choices *choices, const char *output, uint64_t steps,
                                   uint64_t every, const char *const *kinds);

#endif
