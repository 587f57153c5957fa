/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/step_options.h"

#include "cli/permeability.h"
#include "core/memory.h"
#include "core/output.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILES = 100000 /* of each kind, at most */ };

static const char *const backends[] = {[CLI_STEP_CPU] = "cpu", [CLI_STEP_CUDA] = "cuda", NULL};
static const char *const streams[] = {"pull", "aa", "esotwist", "esopull", NULL};
static const rill_stream stream_values[] = {RILL_PULL, RILL_AA, RILL_ESOTWIST, RILL_ESOPULL};

void cli_step_options(cli_step_choices *c, cli_option rows[CLI_STEP_OPTIONS])
{
    const cli_option all[CLI_STEP_OPTIONS] = {
        {"stream", 0, CLI_CHOICE, &c->stream, NULL, "streaming scheme", .choices = streams},
        {"storage", 0, CLI_CHOICE, &c->storage, NULL, "number format of populations",
         .choices = rill_storage_names},
        {"backend", 0, CLI_CHOICE, &c->backend, NULL, "where it is computed", .choices = backends},
        {"checkpoint", 0, CLI_TEXT, &c->checkpoint, "FILE", "file to continue from, while the run goes on",
         .fallback = "the name of -o with .checkpoint.h5; none without", .apply = cli_output_apply},
        {"checkpoint-every", 0, CLI_TIME, &c->every, "TIME",
         "wall-clock time between checkpoints, as 30min; 0s: on signals alone", .fallback = "10min", .min = 0,
         .max = 1e9},
        {"resume", 0, CLI_FLAG, &c->resume, .help = "continue from the checkpoint, to the same bits"}};
    c->every = 600;
    memcpy(rows, all, sizeof all);
}

void cli_step_resolve(const cli_step_choices *c, rill_stream *stream, rill_storage *storage,
                      rill_backend_kind *backend)
{
    *stream = stream_values[c->stream];
    *storage = (rill_storage)c->storage;
    *backend = c->backend == CLI_STEP_CUDA ? RILL_BACKEND_CUDA : RILL_BACKEND_CPU;
}

/* Check files, which replace no input. */
static rill_status outputs_check(const cli_step_choices *c, const cli_output *outputs, int count)
{
    for (int k = 0; k < CLI_STEP_INPUTS; k++) {
        const rill_status status = cli_outputs_spare(c->inputs[k], outputs, count);
        if (status != RILL_OK) return status;
    }
    return cli_outputs_check(NULL, outputs, count);
}

rill_status cli_step_checkpoint(cli_step_choices *c, const char *output, rill_step_keep *keep)
{
    rill_status status = RILL_OK;
    *keep = (rill_step_keep){.every = c->every, .resume = c->resume, .stays = true};
    if (!c->checkpoint && !output)
        return c->resume
                   ? rill_fail(
                         RILL_USAGE,
                         "--resume needs a checkpoint: name the result it is beside by -o, or the file by --checkpoint")
                   : RILL_OK;
    RILL_TRY(cli_checkpoint_settle(
        &(cli_checkpoint){.given = c->checkpoint, .output = output, .resume = c->resume}, c->name,
        sizeof c->name));
    for (int k = 0; k < CLI_STEP_INPUTS; k++)
        RILL_TRY(cli_outputs_spare(c->inputs[k], &(cli_output){"--checkpoint", c->name}, 1));
    RILL_TRY(outputs_check(c, (cli_output[]){{"-o", output}, {"--checkpoint", c->checkpoint}}, 2));
    keep->checkpoint = c->name;
done:
    return status;
}

rill_status cli_step_finish(const cli_step_choices *c, bool left, rill_status status)
{
    if (status != RILL_OK) return status;
    return cli_checkpoint_finish(&(cli_checkpoint_end){.name = c->name, .left = left});
}

double cli_step_node_bytes(rill_stream stream, rill_storage storage)
{
    return 19.0 * (storage == RILL_FP64 ? 8 : storage == RILL_FP32 ? 4 : 2) * (stream == RILL_PULL ? 2 : 1);
}

rill_status cli_step_room(double nodes, double bytes)
{
    return rill_memory_require((uint64_t)fmin(nodes * bytes, 1e18), "populations");
}

rill_status cli_step_files_few(double every, double whole, const char *of)
{
    if (every > 0 && whole / every > FILES)
        return rill_fail(
            RILL_USAGE,
            "--every %.12g of %.12g %s makes more than %d files: write fewer, or name a result without --every",
            every, whole, of, FILES);
    return RILL_OK;
}

rill_status cli_step_outputs_check(const cli_step_choices *c, const char *output, uint64_t steps,
                                   uint64_t every, const char *const *kinds)
{
    rill_status status = RILL_OK;
    char *path = NULL;
    RILL_TRY(outputs_check(c, (cli_output[]){{"-o", output}}, 1));
    for (uint64_t step = 0; every && step <= steps; step += every) {
        for (int k = 0; kinds[k]; k++) {
            path = rill_step_file_name(output, step, kinds[k]);
            if (!path) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for the name of a file"));
            RILL_TRY(outputs_check(c, (cli_output[]){{"--every:", path}}, 1));
            if (!*kinds[k]) RILL_TRY(cli_fields_check("--every:", path));
            if (c->checkpoint && rill_output_replaces(c->checkpoint, path))
                RILL_TRY(rill_fail(RILL_USAGE,
                                   "--checkpoint %s is a file that --every writes: give another name",
                                   c->checkpoint));
            free(path);
            path = NULL;
        }
        if (every > steps) break;
    }
done:
    free(path);
    return status;
}
