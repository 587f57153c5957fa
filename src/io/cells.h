/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file cells.h
 * The fluid nodes as hexahedra, in a VTKHDF file of their own that field files link to.
 */
#ifndef RILL_IO_CELLS_H
#define RILL_IO_CELLS_H

#include "io/hdf5.h"
#include "rill.h"

/**
 * See to it that `path` holds the cells of a geometry: one hexahedron for each fluid node, in node order.
 * A file that already holds them is left as it is, any other is replaced.
 */
rill_status rill_cells_write(const rill_geom *geom, const char *path);

/** Give /VTKHDF its version and type, "ImageData" or "UnstructuredGrid". */
rill_status rill_vtkhdf_begin(rill_h5_file *file, const char *type);

/** Write one of the numbers that VTKHDF needs as a data set: "/VTKHDF/NumberOfCells". */
rill_status rill_vtkhdf_count_write(rill_h5_file *file, const char *path, uint64_t value);

/** Where the centre or corner of voxel 0 is, and how long its edge is: metres, or lu when the spacing is
 * unknown. */
double rill_geom_edge(const rill_geom *geom);

#endif
