/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file input.h
 * The geometry of an item of a batch, its size before it is read, and the hashes by which a table knows an
 * item again. Several threads may be in these functions.
 */
#ifndef RILL_BATCH_INPUT_H
#define RILL_BATCH_INPUT_H

#include "rill.h"

/** Bytes of a hash in hexadecimal, with the final NUL. */
enum { RILL_BATCH_HASH = 17 };

/** Return whether the error bar of an item needs its pores that do not conduct: other boundaries, or blocks,
 * may open them. */
bool rill_batch_keeps(const rill_batch_options *options);

/**
 * Return what the geometry of an item takes while it is read and prepared, in bytes: as its header describes
 * it.
 * @return as rill_batch_input_read()
 */
rill_status rill_batch_input_bytes(const rill_batch_item *item, const rill_batch_options *options,
                                   uint64_t *bytes);

/**
 * Make the geometry of an item.
 * @param[out] cleaned  pores that conduct along no axis of the options are gone, unless all are to stay
 * @return as rill_image_voxelize() or rill_geom_read()
 */
rill_status rill_batch_input_read(const rill_batch_item *item, const rill_batch_options *options,
                                  rill_progress progress, rill_geom **out, bool *cleaned);

/** Hash the bytes of the file, or the voxels of a geometry in memory. */
rill_status rill_batch_input_hash(const rill_batch_item *item, const rill_batch_options *options,
                                  char text[RILL_BATCH_HASH]);

/** Hash everything that a result depends on besides: options, block, and, of a geometry in memory, voxel size
 * and domain boundaries. */
rill_status rill_batch_options_hash(const rill_batch_item *item, const rill_batch_options *options,
                                    char text[RILL_BATCH_HASH]);

#endif
