/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surfaces.h
 * Shapes voxelized as their files would be, for tests of surfaces.
 */
#ifndef RILL_TESTS_SURFACES_H
#define RILL_TESTS_SURFACES_H

#include "shapes.h"

#include "core/status.h"
#include "geometry/surface/surface.h"

/** Options for shapes in millimetres. @param dx  edge of a voxel, mm */
static inline rill_surface_options per_millimetre(double dx)
{
    rill_surface_options o = rill_surface_options_default();
    o.unit = 1e-3;
    o.spacing = 1e-3 * dx;
    o.min_cells = 0;
    return o;
}

/** Write a shape in millimetres and make a geometry of it. */
static inline rill_geom *make(const shape *s, const rill_surface_options *o, rill_surface_report *report)
{
    rill_geom *geom = NULL;
    shape_write_stl(s, "a.stl");
    cr_assert_eq(rill_surface_voxelize("a.stl", o, (rill_progress){0}, &geom, report), RILL_OK, "%s",
                 rill_error_message());
    return geom;
}

/** Expect that no geometry is made of a shape, and that the reason has a word. */
static inline void refuse(const shape *s, const rill_surface_options *o, const char *word)
{
    rill_geom *geom = NULL;
    shape_write_stl(s, "a.stl");
    const rill_status status = rill_surface_voxelize("a.stl", o, (rill_progress){0}, &geom, NULL);
    cr_assert_eq(status, RILL_USAGE, "status %d: %s", status, rill_error_message());
    cr_assert_null(geom);
    cr_assert(strstr(rill_error_message(), word), "\"%s\" lacks \"%s\"", rill_error_message(), word);
}

#endif
