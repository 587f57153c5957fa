/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate.h
 * Synthetic geometries: periodic sphere arrays, random sphere packs, river beds, tubes, Gaussian random
 * fields, gyroids, plates, ducts, pipes, boxes and noise.
 *
 * Every generator has an options struct with a _default() and hands back a rill_geom with periodic
 * domain boundaries, its own name as `source` and its total porosity counted. Lengths are in voxels; the
 * centre of voxel i lies at i + 1/2. A wrong option is RILL_USAGE, too little memory RILL_SYSTEM.
 *
 * The voxels are a function of the options alone: the same for any number of threads and on every
 * machine with IEEE 754 doubles, because nothing but + - * / and sqrt decides a voxel, and random
 * numbers come from SplitMix64 by number, not by order (generate_random.h).
 *
 * Channels (plates, duct, pipe) lie in a layer of solid voxels, at least one on every side that is not
 * along the flow, so that the voxels alone determine the whole geometry. Their superficial permeability is
 * therefore the channel's own k = mean(u) mu / G times the porosity of the box.
 */
#ifndef RILL_GEOMETRY_GENERATE_GENERATE_H
#define RILL_GEOMETRY_GENERATE_GENERATE_H

#include "core/kept.h"
#include "geometry/voxels/drawn.h"
#include "rill.h"

/* ---- spheres --------------------------------------------------------------------------------- */

/** A sphere; centre and radius in voxels. */
typedef struct rill_sphere {
    double centre[3];
    double radius;
} rill_sphere;

/** Cubic arrays of spheres; the first sphere of the cell lies on its corner. */
typedef enum rill_array { RILL_SC, RILL_BCC, RILL_FCC, RILL_ARRAY_COUNT } rill_array;

/** A periodic array of solid spheres: one cubic cell of cells^3 voxels, solid where r <= R. */
typedef struct rill_spheres_options {
    rill_array array;
    double solid_fraction; /**< of touching spheres at most; 0: from the radius */
    double radius;         /**< may overlap; 0: from the solid fraction. Exactly one of the two is set */
    uint32_t cells;        /**< voxels along an edge of the cell */
    bool exact;            /**< with cuts where links cross the spheres: interpolated bounce-back */
} rill_spheres_options;

/** Return simple cubic, 32 voxels, solid fraction 0.216. */
rill_spheres_options rill_spheres_options_default(void);

/** Return the solid fraction at which the spheres of an array touch: pi/6, pi sqrt(3)/8, pi/sqrt(18). */
double rill_spheres_touching(rill_array array);

/** Return the real radius: as given, or cells (3 c / 4 pi n)^(1/3) with n = 1, 2, 4 spheres per cell. */
double rill_spheres_radius(const rill_spheres_options *options);

/** Generate one cell of a sphere array. @see Zick & Homsy (1982), doi:10.1017/S0022112082000627 */
rill_status rill_generate_spheres(const rill_spheres_options *options, rill_geom **out);

/* ---- random packs ---------------------------------------------------------------------------- */

/** A random, periodic pack of solid spheres. */
typedef struct rill_pack_options {
    uint32_t n[3];   /**< voxels along x, y, z */
    double radius;   /**< mean radius */
    double spread;   /**< standard deviation of the radii over their mean, 0 ... 0.5 (evenly distributed) */
    double porosity; /**< aimed at by the number of spheres; without overlap at least 0.38 - 0.0658 spread */
    bool overlap;    /**< Boolean model: centres independent, so that spheres overlap */
    uint64_t seed;
} rill_pack_options;

/** The spheres of a pack. */
typedef struct rill_pack {
    rill_sphere *spheres; /**< [count], owned, centres in the box */
    uint64_t count;
} rill_pack;

/** Return 128^3 voxels, radius 8, porosity 0.39, no overlap, seed 1. */
rill_pack_options rill_pack_options_default(void);

/**
 * Place the spheres of a pack.
 *
 * Without overlap their number brings the sum of their volumes nearest to 1 - porosity, and overlaps
 * are pushed apart (generate_relax.c): the distance of two centres is never below the sum of the radii,
 * periodic images included. With overlap their number brings the expected porosity, the product of
 * (1 - v/V), nearest to the required one; a single pack scatters about it.
 * @return RILL_NUMERICS when the spheres cannot be separated
 */
rill_status rill_pack_create(const rill_pack_options *options, rill_pack *out);

/** Destroy the spheres of a pack; one that is all zero is allowed. */
void rill_pack_destroy(rill_pack *pack);

/** Convert a pack to voxels: solid where r <= R. @param[in] keeper  of the voxels; NULL: they are bytes */
rill_status rill_generate_pack(const rill_pack_options *options, const rill_pack *pack,
                               const rill_keeper *keeper, rill_geom **out);

/**
 * Make a pack whose voxels are drawn when they are read: nothing but the spheres is held. The voxels are
 * those of rill_pack_create() and rill_generate_pack().
 * @param[in] window  see rill_drawn_create()
 */
rill_status rill_generate_pack_drawn(const rill_pack_options *options, uint32_t window, rill_drawn **out);

/* ---- river beds ------------------------------------------------------------------------------ */

/**
 * A bed of spheres below a free channel. z is vertical: the layer of voxels z = 0 is solid, the bed lies
 * on it, the rest is fluid. Periodic along x and y; the solid layer separates the box from its image along z.
 */
typedef struct rill_riverbed_options {
    uint32_t n[3];   /**< voxels along x, y, z */
    uint32_t height; /**< mean height of the bed over the solid layer in voxels, at most n[2] - 1 less the
                          largest radius; 0: half of n[2] */
    double radius;   /**< mean radius */
    double spread;   /**< of the radii, as that of a pack */
    double porosity; /**< of the bed, at least that of a pack */
    uint64_t seed;
} rill_riverbed_options;

/** What a bed became. */
typedef struct rill_riverbed {
    uint64_t spheres; /**< with their centres over the solid layer */
    uint32_t height;  /**< mean height over the solid layer in voxels */
    double porosity;  /**< counted from the solid layer up to the largest radius below the mean height */
} rill_riverbed;

/** Return 128^3 voxels, height 64, radius 8, spread 0.35, porosity 0.37, seed 1 (porosity of all 0.68). */
rill_riverbed_options rill_riverbed_options_default(void);

/**
 * Generate a river bed from a periodic pack as high as the bed. Its floor cuts through the pack. Its surface
 * cuts no sphere: spheres whose centre is below the mean height are there as a whole, no others are.
 * @param[out] bed  may be NULL
 * @return RILL_NUMERICS when the spheres cannot be separated
 */
rill_status rill_generate_riverbed(const rill_riverbed_options *options, rill_geom **out, rill_riverbed *bed);

/* ---- random tubes ---------------------------------------------------------------------------- */

/** Curved tubes of fluid that run through the box along an axis, periodically on every side. */
typedef struct rill_tubes_options {
    uint32_t n[3]; /**< voxels along x, y, z */
    uint32_t count;
    double radius;
    int axis;        /**< that they run along */
    double waviness; /**< largest distance of a centre line's control points from its axis, in voxels, per
                          lateral axis; 0: straight */
    uint32_t knots;  /**< control points per tube, 4 ... 64; more of them bend it more often */
    uint64_t seed;
} rill_tubes_options;

/** Return 512^3 voxels, 24 tubes of radius 14 along z, waviness 64, 4 knots, seed 1 (porosity 0.058). */
rill_tubes_options rill_tubes_options_default(void);

/**
 * Generate tubes: fluid within `radius` of a closed uniform cubic B-spline whose control points are
 * scattered about a straight line at a random place. Tubes may cross and join.
 */
rill_status rill_generate_tubes(const rill_tubes_options *options, rill_geom **out);

/* ---- arteries -------------------------------------------------------------------------------- */

/**
 * A tree of arteries: from one inlet, each artery parts into two until there are enough outlets; the widest
 * one parts first. Radii follow r0^3 = r1^3 + r2^3 (Murray 1926, doi:10.1073/pnas.12.3.207), angles the least
 * work, cos a1 = (r0^4 + r1^4 - r2^4) / (2 r0^2 r1^2) (Murray 1926, doi:10.1085/jgp.9.6.835).
 */
typedef struct rill_arteries_options {
    uint32_t outlets; /**< 2 to RILL_OPENINGS - 1 */
    double radius;    /**< of the inlet in voxels */
    double length;    /**< of every artery over its radius, 4 to 50 */
    double ratio;   /**< least radius of the narrower of two branches over that of the wider, 0.3 to 1; ratios
                         are distributed evenly from it to 1 */
    double spacing; /**< edge of a voxel in metres, which scales the openings */
    uint64_t seed;
} rill_arteries_options;

/** A straight artery. */
typedef struct rill_artery {
    double from[3], to[3]; /**< ends of its axis in voxels */
    double axis[3];        /**< direction of length 1 */
    double length, radius;
    int parent, branches[2]; /**< numbers; -1: none */
} rill_artery;

/** The arteries of a tree. */
typedef struct rill_arteries {
    rill_artery *arteries; /**< [count], owned; the first one begins at the inlet, parents precede branches */
    int count;             /**< 2 outlets - 1 */
    uint32_t n[3];         /**< voxels of the box around them, with one solid layer */
} rill_arteries;

/** Return 200 outlets, radius 20, length 5, ratio 0.6, voxels of 0.1 mm, seed 1. */
rill_arteries_options rill_arteries_options_default(void);

/**
 * Lay out the arteries. The plane in which an artery parts and the ratio of radii are drawn such that the
 * branches are as far from others as possible; no two arteries touch but at the ends where one parts.
 * @return RILL_NUMERICS when the branches find no place, RILL_USAGE for options out of range and for outlets
 * less than four voxels wide
 */
rill_status rill_arteries_create(const rill_arteries_options *options, rill_arteries *out);

/** Destroy the arteries of a tree; one that is all zero is allowed. */
void rill_arteries_destroy(rill_arteries *arteries);

/**
 * Convert arteries to voxels, with exact walls and with openings: inlet, outlet-1, outlet-2 ..., largest
 * first. An artery is a cylinder, flat at openings, with a ball of its radius where it parts.
 */
rill_status rill_generate_arteries(const rill_arteries_options *options, const rill_arteries *arteries,
                                   rill_geom **out);

/* ---- level sets ------------------------------------------------------------------------------ */

/** A Gaussian random field, fluid below the level that gives the porosity. */
typedef struct rill_grf_options {
    uint32_t n[3];      /**< voxels along x, y, z */
    double correlation; /**< distance in voxels at which the field's autocorrelation falls to 1/e */
    double porosity;    /**< met to the voxel */
    uint64_t seed;
} rill_grf_options;

/** Return 128^3 voxels, correlation length 8, porosity 0.3, seed 1. */
rill_grf_options rill_grf_options_default(void);

/**
 * Generate a thresholded Gaussian random field, periodic.
 *
 * White noise is filtered along every axis by four extended box filters whose variance is that of the
 * required Gaussian: autocorrelation exp(-r^2 / correlation^2) to about 1 %.
 * @see Gwosdek, Grewenig, Bruhn & Weickert (2011), doi:10.1007/978-3-642-24785-9_38
 */
rill_status rill_generate_grf(const rill_grf_options *options, rill_geom **out);

/** A gyroid, fluid where sin X cos Y + sin Y cos Z + sin Z cos X is below a level. */
typedef struct rill_gyroid_options {
    uint32_t cells;   /**< voxels along each axis */
    uint32_t periods; /**< of the surface along each axis */
    double porosity;  /**< met as nearly as the symmetry of the voxels allows */
} rill_gyroid_options;

/** Return 64 voxels, 1 period, porosity 0.5. */
rill_gyroid_options rill_gyroid_options_default(void);

/** Generate a gyroid. @see Schoen (1970), NASA TN D-5541 */
rill_status rill_generate_gyroid(const rill_gyroid_options *options, rill_geom **out);

/** Noise: every voxel is fluid with the same probability, independently. */
typedef struct rill_noise_options {
    uint32_t n[3];   /**< voxels along x, y, z */
    double porosity; /**< the probability, 0 ... 1 */
    uint64_t seed;
} rill_noise_options;

/** Return 64^3 voxels, porosity 0.5, seed 1. */
rill_noise_options rill_noise_options_default(void);

/** Generate noise. */
rill_status rill_generate_noise(const rill_noise_options *options, rill_geom **out);

/* ---- channels -------------------------------------------------------------------------------- */

/** Two parallel plates, `gap` fluid voxels apart: with half-way bounce-back the walls are exactly `gap`
 * apart. */
typedef struct rill_plates_options {
    uint32_t gap;
    int normal;      /**< axis across the gap */
    uint32_t length; /**< voxels along the two other axes */
} rill_plates_options;

/** Return gap 16 across y, length 8. */
rill_plates_options rill_plates_options_default(void);

/** Generate plates: gap + 2 voxels across, the first and the last of them solid. */
rill_status rill_generate_plates(const rill_plates_options *options, rill_geom **out);

/** A straight duct of rectangular cross-section: exactly width x height with half-way bounce-back. */
typedef struct rill_duct_options {
    uint32_t width;  /**< fluid voxels along the axis that follows `axis` in the cycle x y z x */
    uint32_t height; /**< fluid voxels along the axis after that; 0: as `width` */
    int axis;        /**< flow axis */
    uint32_t length; /**< voxels along the flow axis */
} rill_duct_options;

/** Return a square duct of 16, axis z, length 8. */
rill_duct_options rill_duct_options_default(void);

/** Generate a duct with one layer of solid voxels around it. */
rill_status rill_generate_duct(const rill_duct_options *options, rill_geom **out);

/** A straight pipe of circular cross-section: fluid where r < R. */
typedef struct rill_pipe_options {
    double radius;    /**< any real number of at least 1/2 */
    int axis;         /**< flow axis */
    double offset[2]; /**< of the pipe's axis from the centre of the cross-section, in voxels, -1 ... 1, along
                           the axes that follow `axis` in the cycle x y z x; (0, 0): on a voxel corner */
    uint32_t length;  /**< voxels along the flow axis */
} rill_pipe_options;

/** Return radius 8, axis z, centred, length 8. */
rill_pipe_options rill_pipe_options_default(void);

/** Generate a pipe with at least one layer of solid voxels around it. */
rill_status rill_generate_pipe(const rill_pipe_options *options, rill_geom **out);

/** Generate a box of fluid. @param[in] n  voxels along x, y, z */
rill_status rill_generate_box(const uint32_t n[3], rill_geom **out);

#endif
