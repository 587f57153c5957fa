/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file fields_priv.h
 * Names inside field files.
 */
#ifndef RILL_IO_FIELDS_PRIV_H
#define RILL_IO_FIELDS_PRIV_H

#include "io/fields.h"

#define RILL_FIELDS_FORMAT "rill-fields"
#define RILL_CELLS_FORMAT "rill-cells"
#define RILL_WALL_FORMAT "rill-wall"
#define RILL_CHECKPOINT_FORMAT "rill-checkpoint"
#define RILL_IMAGE_VELOCITY "/VTKHDF/PointData/velocity"       /* f32 [nz][ny][nx][3] */
#define RILL_IMAGE_VOXELS "/VTKHDF/PointData/voxels"           /* u8 [nz][ny][nx] */
#define RILL_IMAGE_PRESSURE "/VTKHDF/PointData/pressure"       /* f32 [nz][ny][nx] */
#define RILL_IMAGE_RATE "/VTKHDF/PointData/shear_rate"         /* f32 [nz][ny][nx] */
#define RILL_SPARSE_RATE "/VTKHDF/CellData/shear_rate"         /* f32 [N] */
#define RILL_IMAGE_WALLS "/VTKHDF/PointData/" RILL_FIELD_WALLS /* f32 [nz][ny][nx] */
#define RILL_SPARSE_WALLS "/VTKHDF/CellData/" RILL_FIELD_WALLS /* f32 [N] */
#define RILL_IMAGE_CONCENTRATION "/VTKHDF/PointData/concentration"
#define RILL_SPARSE_CONCENTRATION "/VTKHDF/CellData/concentration"
#define RILL_IMAGE_FILL "/VTKHDF/PointData/fill"
#define RILL_SPARSE_FILL "/VTKHDF/CellData/fill"
#define RILL_SPARSE_VELOCITY "/VTKHDF/CellData/velocity" /* f32 [N][3] */
#define RILL_SPARSE_PRESSURE "/VTKHDF/CellData/pressure" /* f32 [N] */

/** Refuse values of a node or voxel that are not finite: nothing that is drawn, written or computed from them
 * means anything. @param index  of the voxel, x fastest */
rill_status rill_fields_finite_check(const char *path, const char *dataset, const float *values, int count,
                                     uint64_t index);

#endif
