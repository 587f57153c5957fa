/* SPDX-License-Identifier: Apache-2.0 */
/* What the reader of HDF5 images and the reader of voxel sizes in HDF5 files share. */
#ifndef RILL_GEOMETRY_IMAGE_HDF5_PRIV_H
#define RILL_GEOMETRY_IMAGE_HDF5_PRIV_H

#include "core/h5_outside.h"
#include "geometry/image/image_priv.h"

enum { RILL_HDF5_PATH = 512 /* bytes of the path of a dataset */, RILL_HDF5_RANK = 8 };

/* A dataset that is an image. */
typedef struct rill_hdf5_set {
    hid_t file, dataset;
    rill_h5_outside *outside;
    char path[RILL_HDF5_PATH]; /* absolute */
    int all;                   /* its axes */
    uint64_t n[RILL_HDF5_RANK];
    int rank;    /* axes of the image, 2 or 3 */
    int axis[3]; /* which of the dataset they are */
} rill_hdf5_set;

/* Take the voxel size and the names of the axes from what the layouts of known programs state. */
void rill_hdf5_set_spacing(const rill_hdf5_set *set, rill_image *image);

#endif
