/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file read_geometry.h
 * A geometry or an image by its name alone, for commands that do not offer the options of images.
 */
#ifndef RILL_CLI_READ_GEOMETRY_H
#define RILL_CLI_READ_GEOMETRY_H

#include "core/log.h"
#include "geometry/image/voxelize.h"

/** Read a file of rill as a geometry, anything else as an image. @param pore  its values that are pore, as
 * --pore takes them; NULL: as the image says @param keep  of an image's pores
 */
rill_status cli_read_geometry(const char *path, const char *pore, rill_keep_kind keep, rill_progress progress,
                              rill_geom **out);

#endif
