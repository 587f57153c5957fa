/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plic.h
 * Planes in cells of an edge of 1 (piecewise linear interface construction), and the curvature of a surface
 * through them; docs/free-surface.md derives both.
 */
#ifndef RILL_FREE_SURFACE_PLIC_H
#define RILL_FREE_SURFACE_PLIC_H

#include <stdbool.h>
#include <stdint.h>

enum { RILL_AROUND = 27 /**< cells of a neighbourhood: 13 + x + 3 y + 9 z, x, y, z from -1 to 1 */ };

/** Return the volume of the points of a cell, centred at 0, with normal · x < offset. @param normal  of
 * length 1 */
double rill_plic_volume(const double normal[3], double offset);

/**
 * Return the part of a cell that is liquid: that of planes in 4^3 parts of it.
 * @param inside  of a point, above 0 in the liquid; smooth near its surface but for edges
 */
double rill_plic_fill(double (*inside)(const void *context, const double x[3]), const void *context,
                      const uint32_t cell[3]);

/** Return the offset of the plane that has a volume behind it, from 0 to 1. */
double rill_plic_offset(const double normal[3], double volume);

/**
 * Find the normal of the surface in the middle of a neighbourhood, out of the liquid, by the differences of
 * Parker and Youngs. @return false where the fill levels have no gradient
 */
int rill_plic_normal(const double fill[RILL_AROUND], double normal[3]);

/** A surface that meets a wall. */
typedef struct rill_contact_line {
    double out[3];       /**< out of the wall */
    double normal[3];    /**< between that of the surface and that of the contact angle */
    double slope;        /**< of the surface at the wall, by the contact angle, across `normal` */
    double height;       /**< of the middle of the cell above the wall */
    double sine, cosine; /**< of the angle between `normal` and `out` */
} rill_contact_line;

/**
 * Find where a surface meets the wall in a neighbourhood.
 * @param wall  cells of solid @param angle  in the liquid, radians @param fill  in the solid those of the
 * mirror image @return false without a contact line here
 */
bool rill_plic_contact(const bool wall[RILL_AROUND], double angle, const double fill[RILL_AROUND],
                       rill_contact_line *contact);

/** Continue a surface that does not meet the wall nearby into the solid, by cells that are full below a film
 * of liquid, and empty below one of gas. @param fill  in the solid those of the mirror image before */
void rill_plic_film(const bool wall[RILL_AROUND], double fill[RILL_AROUND]);

/** Let cells of solid take no part in a curvature. */
void rill_plic_without(const bool wall[RILL_AROUND], double fill[RILL_AROUND]);

/** Return the mean curvature with the slope of the contact angle where the surface meets the wall. */
double rill_plic_contact_curvature(const double fill[RILL_AROUND], const rill_contact_line *contact);

/**
 * Return the mean curvature of the surface in the middle of a neighbourhood, (1/R1 + 1/R2) / 2, above 0 for a
 * drop: that of a quadratic surface through the planes in the cells that are partly filled. 0 where there are
 * too few of them.
 */
double rill_plic_curvature(const double fill[RILL_AROUND], const double normal[3]);

#endif
