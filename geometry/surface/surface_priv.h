/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_priv.h
 * What the steps from a surface to a geometry share.
 */
#ifndef RILL_GEOMETRY_SURFACE_SURFACE_PRIV_H
#define RILL_GEOMETRY_SURFACE_SURFACE_PRIV_H

#include "geometry/surface/surface.h"

/** A surface on its way to a geometry. */
typedef struct rill_surface_work {
    const char *path;
    const rill_surface_options *options;
    rill_progress progress;
    rill_surface_report *report;
    rill_mesh *mesh;
    rill_triangle *original;         /* [report->triangles], as read, reversed as in the geometry */
    double rounding;                 /* m, how far positions may be off in the file */
    uint32_t *tagged;                /* [vertex_count], planes and patches */
    const char **tags;               /* [tag_count], names of openings that planes, patches and caps leave */
    char (*made)[RILL_OPENING_NAME]; /* [tag_count], those of them that are made from names of groups */
    int tag_count;
    uint8_t *removed; /* [report->triangles], a rill_wall_state; NULL: all are RILL_WALL_WHOLE */
    uint8_t *within;  /* [report->triangles], a rill_wall_state by shells that overlap; NULL: none does */
    uint8_t *inner;   /* [inner_count], 1 for vertices within the lumen of another shell; NULL: none is */
    uint32_t inner_count;
    rill_openings openings;
    rill_grid grid;
    rill_lines *lines;
    char note[512]; /* of the geometry; "" for none */
    rill_geom *geom;
} rill_surface_work;

/**
 * Read, weld, repair and orient the surface, and open it where the options say so.
 * @param[in] triangles  NULL: the file w->path
 */
rill_status rill_surface_prepare(rill_surface_work *w, const rill_triangles *triangles);

/** Close the surface with its openings, and examine it. */
rill_status rill_surface_close(rill_surface_work *w);

/** Free what it holds. */
void rill_surface_work_free(rill_surface_work *w);

/** Open the surface where planes, patches and caps say so. @return RILL_USAGE for planes and patches that do
 * not fit */
rill_status rill_surface_open(rill_surface_work *w);

/** Hand over the openings, and copy vertices, triangles and patches of the file, reversed as in the geometry.
 */
rill_status rill_surface_keep(rill_surface_work *w, rill_surface *surface);

#endif
