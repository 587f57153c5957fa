/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pause.h
 * What a diffusivity leaves in a checkpoint.
 */
#ifndef RILL_DIFFUSION_PAUSE_H
#define RILL_DIFFUSION_PAUSE_H

#include "diffusion/diffusion.h"
#include "io/checkpoint_file.h"
#include "rill/diffusivity.h"

/** What a checkpoint says of variant and backend: solvers have the same bits on all devices. */
#define RILL_DIFFUSION_VARIANT "diffusion"

/** The runs of a diffusivity that are done, and where the next one is. No pointers. */
typedef struct rill_diffusivity_done {
    rill_diffusor_place place;
    rill_diffusivity_run runs[3];
    double d[3][3], gap[3];
    int32_t run_count; /**< done */
    int32_t axis;      /**< of the run that is not */
    int32_t found[3];  /**< 1: the field of that axis is kept */
} rill_diffusivity_done;

enum { RILL_DIFFUSIVITY_PARTS = 7 };

/** List the parts of a diffusivity: what is done, fields of runs, and arrays of the solver.
 * @param found  [3], those that done->found names are there */
int rill_diffusivity_parts(rill_diffusivity_done *done, rill_diffusor *d, double *const found[3],
                           rill_checkpoint_part parts[RILL_DIFFUSIVITY_PARTS]);

#endif
