/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file generate_kinds.h
 * The table of what `rill generate` can make: for each kind its options, defaults and the library call.
 */
#ifndef RILL_CLI_GENERATE_KINDS_H
#define RILL_CLI_GENERATE_KINDS_H

#include "cli/cli.h"

/** The values of the options of all kinds, and what a generator has to say about its work. */
typedef struct cli_generated {
    const char *size, *offset, *sides, *along; /**< along: --axis as given; NULL: the kind has none */
    double voxel_size;                         /**< m; 0: unknown */
    char size_default[40];
    uint64_t cells, periods, count, knots, gap, width, height, length, seed, outlets;
    double solid_fraction, radius, spread, porosity, waviness, correlation, lengths, ratio;
    bool radius_given, solid_fraction_given, touching, overlap;
    int array, axis; /**< axis: of x, y, z */
    int exact;       /**< 1: walls where they are, not half-way */

    double bed;       /**< porosity of a river bed that was made; 0 when the kind has none */
    uint64_t spheres; /**< made; 0 when the kind has none */
    bool has_seed, has_porosity, has_radius; /**< whether the kind knows these, for the summary */
} cli_generated;

/** A kind of geometry. */
typedef struct cli_generate_kind {
    const char *name, *summary, *details; /**< details may be NULL */
    void (*defaults)(cli_generated *g);
    /** Return the options of this kind, bound to `g`; valid until the next call. */
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
