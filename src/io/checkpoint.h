/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file checkpoint.h
 * Files that a run goes on from to the same bits. A file is written beside the last one, verified, and takes
 * its name; the last one stays as NAME.previous, and is what is read when the newest one is damaged.
 * docs/files.md describes them. What the parts mean is their owners' affair.
 */
#ifndef RILL_IO_CHECKPOINT_H
#define RILL_IO_CHECKPOINT_H

#include "rill.h"

/** Something to be stored: bytes that are requested, and handed back, piece by piece. */
typedef struct rill_checkpoint_part {
    const char *name; /**< "populations" */
    uint64_t bytes;
    rill_status (*save)(void *context, uint64_t offset, uint64_t bytes, void *to);
    rill_status (*load)(void *context, uint64_t offset, uint64_t bytes, const void *from);
    void *context;
    /** Called before load() where the file has another size: RILL_OK makes room for it. NULL: refused. */
    rill_status (*resize)(void *context, uint64_t bytes);
} rill_checkpoint_part;

/** What a file belongs to; a file that says something else is refused. */
typedef struct rill_checkpoint_key {
    const char *run;      /**< hash of the case: what decides on the bits of a run */
    const char *geometry; /**< hash of the geometry */
    const char *variant;  /**< as rill_variant_name() writes it, and the backend */
} rill_checkpoint_key;

/** Make a part of an array in memory. */
rill_checkpoint_part rill_checkpoint_memory(const char *name, void *array, uint64_t bytes);

/** Make a part of the state of a simulation, which rill_sim_state_resume() is called after. */
rill_checkpoint_part rill_checkpoint_sim(rill_sim *sim);

/** Hash a geometry: voxels, and surface with walls and openings where there is one. @param[out] text  XXH3-64
 */
rill_status rill_checkpoint_geometry(const rill_geom *geom, char text[17]);

/** Remove a file and its NAME.previous, once the results are written. */
void rill_checkpoint_remove(const char *path);

/** Write a file; the one that has the name becomes NAME.previous. @return as rill_output_create() */
rill_status rill_checkpoint_write(const char *path, const rill_checkpoint_key *key, uint64_t steps,
                                  const rill_checkpoint_part *parts, int count);

/**
 * Read a text part without checking to which case the file belongs; of NAME.previous when it cannot be read.
 * @param[out] out       to be freed; NULL when there is no file that can be read, or none with such a part
 * @param[out] software  to be freed; rill_version() of the build that wrote the file; NULL as for `out`
 */
rill_status rill_checkpoint_text(const char *path, const char *part, char **out, char **software);

/**
 * Read a file into its parts, or, with a remark, NAME.previous when it is damaged or not there.
 * @param[out] steps  that it was written after
 * @return RILL_USAGE when there is none, when it belongs to another run, or when both are damaged: what the
 *         parts hold then is undefined
 */
rill_status rill_checkpoint_read(const char *path, const rill_checkpoint_key *key,
                                 const rill_checkpoint_part *parts, int count, uint64_t *steps);

#endif
