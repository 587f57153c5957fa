/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file solute_fields.h
 * Field files of a diffusivity or a dispersion: a number and a vector in the place of pressure and velocity.
 */
#ifndef RILL_CLI_SOLUTE_FIELDS_H
#define RILL_CLI_SOLUTE_FIELDS_H

#include "io/fields.h"

/** What is written. */
typedef struct cli_solute_fields {
    const rill_geom *geom;
    rill_moments_fn moments; /**< hands out three times the number as rho, and the vector as u */
    const void *context;     /**< of that, which does not write to it */
    const char *vector, *number;
    rill_field_unit unit; /**< of the vector */
    const char *command;
    rill_progress progress;
    int kind; /**< a rill_fields_kind */
    const char *path;
} cli_solute_fields;

/** Write the file. */
rill_status cli_solute_fields_write(const cli_solute_fields *fields);

#endif
