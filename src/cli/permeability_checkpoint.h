/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file permeability_checkpoint.h
 * The checkpoint of a permeability, as the command line names it.
 */
#ifndef RILL_CLI_PERMEABILITY_CHECKPOINT_H
#define RILL_CLI_PERMEABILITY_CHECKPOINT_H

#include "rill.h"

#include <stdbool.h>

/** What its name is made of. */
typedef struct cli_checkpoint {
    const char *given;  /**< --checkpoint; NULL: not given */
    const char *output; /**< -o; NULL: not given */
    const char *input;
    bool resume;    /**< there must be one */
    bool error_bar; /**< makes runs of many kinds, which have no place in one file: there must be none */
} cli_checkpoint;

/**
 * Name a checkpoint, and check that it exists where a run is to continue from it.
 * @param[out] name [size]
 */
rill_status cli_checkpoint_settle(const cli_checkpoint *checkpoint, char *name, size_t size);

#endif
