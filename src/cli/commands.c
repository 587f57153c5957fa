/* SPDX-License-Identifier: Apache-2.0 */
/* The commands, in the order of `rill --help`. */
#include "cli/cli.h"

#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_generate,     &cli_voxelize,    &cli_info,       &cli_case_draft,   &cli_check,      &cli_run,
    &cli_permeability, &cli_diffusivity, &cli_dispersion, &cli_free_surface, &cli_capsule,    &cli_again,
    &cli_export,       &cli_bench,       &cli_variants,   &cli_verify,       &cli_completion, NULL,
};

const cli_command *cli_command_find(const char *name)
{
    for (const cli_command *const *c = cli_commands; *c; c++)
        if (strcmp((*c)->name, name) == 0) return *c;
    return NULL;
}
