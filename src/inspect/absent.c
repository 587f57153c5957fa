/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the functions that read HDF5 files refer to and never call here: readers of other formats, with their
 * libraries, and the lists of nodes that geometries are written with. With these in their place the linker
 * leaves them out of rill-inspect, which starts for each file: half of that time is the dynamic linker's.
 */
#include "core/status.h"
#include "geometry/image/image_priv.h"
#include "io/geom_file.h"

static rill_status fail_absent(void) { return rill_fail(RILL_SYSTEM, "rill-inspect reads HDF5 files alone"); }

rill_status rill_image_open_tiff(const char *path, rill_image *image)
{
    (void)path, (void)image;
    return fail_absent();
}

rill_status rill_image_open_tiff_series(rill_image *image)
{
    (void)image;
    return fail_absent();
}

rill_status rill_image_open_png(rill_image *image)
{
    (void)image;
    return fail_absent();
}

rill_status rill_image_open_npz(const char *path, const char *name, rill_image *image)
{
    (void)path, (void)name, (void)image;
    return fail_absent();
}

rill_status rill_image_open_vti(const char *path, const char *name, rill_image *image)
{
    (void)path, (void)name, (void)image;
    return fail_absent();
}

rill_status rill_image_open_vtk(const char *path, const char *name, rill_image *image)
{
    (void)path, (void)name, (void)image;
    return fail_absent();
}

rill_status rill_geom_index_write(const rill_geom *geom, rill_h5_file *file, rill_lattice lattice)
{
    (void)geom, (void)file, (void)lattice;
    return fail_absent();
}
