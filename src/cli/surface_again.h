/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_again.h
 * Other voxels of the surface that a geometry was made from.
 */
#ifndef RILL_CLI_SURFACE_AGAIN_H
#define RILL_CLI_SURFACE_AGAIN_H

#include "cli/cli.h"
#include "geometry/surface/surface.h"

/**
 * Voxelize the surface of a geometry again, as the command in its file did, with another size of voxels. The
 * surface is the file beside the geometry, or the one that the command names.
 * @param[in] path     of the geometry
 * @param[in] named    where the command names it is read, too, also outside of the geometry's directory
 * @param[in] spacing  m
 * @param[out] report  may be NULL
 * @return RILL_USAGE when the geometry does not say how it was made, or the surface is not there or another
 * one
 */
rill_status cli_surface_again(const rill_geom *geom, const char *path, bool named, double spacing,
                              rill_progress progress, rill_geom **out, rill_surface_report *report);

#endif
