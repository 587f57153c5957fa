/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_kinds.h
 * The table of what `rill generate` can make: for each kind its options, defaults and the library call.
 */
#ifndef RILL_CLI_GENERATE_KINDS_H
#define RILL_CLI_GENERATE_KINDS_H

#include "cli/cli.h"
#include "geometry/generate/generate.h"

/** The options of a kind, and what its generator has to say about its work. */
typedef struct cli_generated {
    union {
        rill_spheres_options spheres;
        rill_pack_options pack;
        rill_riverbed_options riverbed;
        rill_tubes_options tubes;
        rill_arteries_options arteries;
        rill_grf_options grf;
        rill_gyroid_options gyroid;
        rill_noise_options noise;
        rill_plates_options plates;
        rill_duct_options duct;
        rill_pipe_options pipe;
        uint32_t box[3];
    } shape;            /**< where the values of options go */
    const char *size;   /**< --size as given; NULL: the kind has none */
    uint32_t *n;        /**< [3], in `shape`, where it goes */
    const char *along;  /**< --axis as given; NULL: the kind has none */
    int *axis;          /**< in `shape`, where it goes */
    const char *offset; /**< --centre-offset as given */
    const char *sides;  /**< --sides as given */
    double voxel_size;  /**< m; 0: unknown */
    char size_default[40];
    bool radius_given, solid_fraction_given, touching;
    int exact; /**< 1: walls where they are, not half-way */

    const double *radius, *porosity;       /**< for the summary, in voxels; NULL where the kind has none */
    const uint64_t *seed;                  /**< likewise */
    double sphere_radius, sphere_porosity; /**< that a solid fraction gives, or a radius */
    double bed;       /**< porosity of a river bed that was made; 0 when the kind has none */
    uint64_t spheres; /**< made; 0 when the kind has none */
} cli_generated;

/** A kind of geometry. */
typedef struct cli_generate_kind {
    const char *name, *summary, *details; /**< details may be NULL */
    /** Set `g` to the defaults of this kind and return its options, bound to it; valid until the next call.
     */
    const cli_option *(*options)(cli_generated *g);
    rill_status (*generate)(cli_generated *g, rill_geom **out);
} cli_generate_kind;

/** The kinds; the last one has no name. */
extern const cli_generate_kind cli_generate_kinds[];

/** Return the name of the k-th kind that is a triangle surface, NULL behind the last; and what it is. */
const char *cli_surface_kind_name(int k);
const char *cli_surface_kind_summary(int k);

/** Make one; argv[0] is its name. @param line  the command @return the exit code */
int cli_surface_kind_run(int k, int argc, char **argv, const char *line);

#endif
