/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file pause.h
 * What a diffusivity or a dispersion leaves in a checkpoint, and how it goes on from it to the same bits.
 */
#ifndef RILL_DIFFUSION_PAUSE_H
#define RILL_DIFFUSION_PAUSE_H

#include "diffusion/diffusion.h"
#include "io/checkpoint.h"
#include "rill/diffusivity.h"

/** A file that is written now and then. */
typedef struct rill_diffusion_pause {
    const char *path;           /**< borrowed; NULL: none is written */
    double every, saved;        /**< s of wall clock between files; when the last one was written */
    char run[17], geometry[17]; /**< what it belongs to */
    bool resuming;              /**< what was left is still to be put in */
    bool own;                   /**< the file is that of this run: it was read or written */
} rill_diffusion_pause;

/** Say what the file belongs to. @param text  all that decides on the bits
 * @param geom  whose pores that do not conduct were dropped */
rill_status rill_diffusion_pause_open(const char *path, double every, bool resume, const char *text,
                                      const rill_geom *geom, rill_diffusion_pause *out);

/** Read parts of the file. */
rill_status rill_diffusion_pause_read(rill_diffusion_pause *pause, const rill_checkpoint_part *parts,
                                      int count);

/** Write the file, if it is due or `came` says that the run is cancelled.
 * @return as `came`, or a failure to write where it is cancelled: else a note is shown, and the run goes on
 */
rill_status rill_diffusion_pause_keep(rill_diffusion_pause *pause, rill_status came, uint64_t steps,
                                      const rill_checkpoint_part *parts, int count);

/** Remove the file, if it is of this run, once the result is there.
 * @param stays  leave it until the result is written @return whether it is of this run and was left */
bool rill_diffusion_pause_end(const rill_diffusion_pause *pause, bool stays);

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
