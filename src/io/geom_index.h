/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file geom_index.h
 * The pull index list inside a geometry file, for other codes; rill builds its own when it needs one.
 */
#ifndef RILL_IO_GEOM_INDEX_H
#define RILL_IO_GEOM_INDEX_H

#include "io/hdf5.h"
#include "rill.h"

/**
 * Write /index/pull u32 [Q - 1, N] and /index/velocity i64 [Q, 3].
 * @return errors as rill_domain_create(), or of the file
 */
rill_status rill_geom_index_write(const rill_geom *geom, rill_h5_file *file, rill_lattice lattice);

#endif
