/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file voxelize_priv.h
 * What a voxelization works with: for the files that it is made of.
 */
#ifndef RILL_GEOMETRY_IMAGE_VOXELIZE_PRIV_H
#define RILL_GEOMETRY_IMAGE_VOXELIZE_PRIV_H

#include "geometry/image/image_priv.h"
#include "geometry/image/sample.h"
#include "geometry/image/voxelize.h"
#include "geometry/voxels/planes.h"

typedef struct rill_voxelize_work {
    const char *path;
    const rill_voxelize_options *options;
    rill_progress progress;
    rill_voxelize_report *report;
    rill_image *image;
    rill_sample *sample;       /* where it is in the picture */
    rill_round round;          /* does it look like a core? */
    const rill_keeper *keeper; /* of the geometry; NULL: its voxels are bytes */
    rill_geom *geom;
    rill_window window; /* planes that are being placed */
    int file_axis[3];   /* which file axis x, y, z come from */
    double spacing[3];  /* of the file along x, y, z; 0 when unknown */
    bool metric;        /* in metres */
    double cube;        /* edge of a new voxel in the same unit; 0 when unknown */
    uint32_t crop[3][2];
    uint32_t n[3];     /* new voxels along x, y, z, before mirroring */
    uint32_t *from[3]; /* [n[a]], the voxel inside the crop that a new one is taken from */
    void *grey;        /* one slice */
    uint8_t *pore;     /* [batch], the crops of slices */
    uint32_t batch;    /* slices that are placed at once */
    rill_geom *codes;  /* of grey values around a threshold with a width, in place of voxels; NULL: none */
    rill_window code_window;
    uint8_t *code; /* [batch], as `pore` */
    bool coding;   /* codes are placed now, `geom` and `window` being theirs */
} work;

/** Add to the remarks of the report. */
void rill_voxelize_remark(work *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Refuse options that name nothing: those that a program made may be anything. */
rill_status rill_voxelize_options_check(const rill_voxelize_options *options);

/** Settle which file axis goes where, and the part of the image that is used. */
rill_status rill_voxelize_settle_axes(work *w);

/** Settle the spacing of the file and that of the new voxels. */
rill_status rill_voxelize_settle_spacing(work *w);

/** Settle the new size, and where each new voxel comes from: the one whose cell holds its centre. */
rill_status rill_voxelize_settle_size(work *w);

#endif
