/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file geom_file.h
 * What a geometry file and the files that carry its nodes have in common. docs/files.md describes them.
 */
#ifndef RILL_IO_GEOM_FILE_H
#define RILL_IO_GEOM_FILE_H

#include "geometry/voxels/planes.h"
#include "io/hdf5.h"
#include "rill.h"

#define RILL_GEOM_FORMAT "rill-geometry" /**< attribute "format" of the file */

/** See rill_geom_read(). @param[in] keeper  of the voxels; NULL: bytes */
rill_status rill_geom_read_kept(const char *path, const rill_keeper *keeper, rill_geom **out);

/** What a geometry file says without its voxels. */
typedef struct rill_geom_head {
    uint32_t n[3];
    double spacing; /**< metres; 0 when unknown */
    double origin[3];
    rill_side sides[3];
    rill_porosity porosity;
    uint64_t fluid;   /**< fluid voxels */
    uint64_t outside; /**< voxels outside of the sample */
} rill_geom_head;

/** Write the attributes of a geometry to the root of a file. @param[in] format  RILL_GEOM_FORMAT or that of
 * another file */
rill_status rill_geom_head_write(const rill_geom *geom, rill_h5_file *file, const char *format);

/** Read and check the attributes and the shape of a geometry. @return RILL_USAGE when it is no geometry file
 * of ours */
rill_status rill_geom_head_read(rill_h5_file *file, rill_geom_head *out);

/** Read the domain boundaries of a file that rill_geom_head_write() began. */
rill_status rill_geom_sides_read(rill_h5_file *file, rill_side sides[3]);

/** Read and check the edge of a voxel, 0 where it is unknown, and the origin, m. */
rill_status rill_geom_place_read(rill_h5_file *file, double *spacing, double origin[3]);

/** Read what a geometry is from: source, hash, options and notes, as far as they are there. */
rill_status rill_geom_provenance_read(rill_h5_file *file, rill_geom *geom);

/** Write the voxels to a dataset, whose chunks have 32 planes or a divisor of that. */
rill_status rill_geom_voxels_write(const rill_geom *geom, rill_h5_file *file, const char *path);

/** Write /nodes/cell: the voxel number of every fluid node in node order, u64 [N], streaming. */
rill_status rill_geom_nodes_write(const rill_geom *geom, rill_h5_file *file);

/**
 * Write /index/pull u32 [Q - 1, N] and /index/velocity i64 [Q, 3].
 * @return errors as rill_domain_create(), or of the file
 */
rill_status rill_geom_index_write(const rill_geom *geom, rill_h5_file *file, rill_lattice lattice);

#endif
