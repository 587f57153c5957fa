/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rows.h
 * The seams between the three parts that a step on a CPU is put together from, block by block:
 *
 * - links and copies (step.c) bring stored populations of RILL_BLOCK nodes into rows, and take them back;
 * - formats (format.c) convert rows of stored numbers to rows of the arithmetic type, and back;
 * - collisions (collide.c) work from rows to rows.
 *
 * A row is RILL_BLOCK successive values of one velocity. Where slots are successive, too, it is a place in
 * the population array itself and nothing is copied. Each part is compiled for every x86-64 level; formats
 * for each arithmetic type, collisions for each lattice besides. So all combinations exist, of a few objects.
 */
#ifndef RILL_CPU_ROWS_H
#define RILL_CPU_ROWS_H

#include "cpu/part.h"
#include "kernel/build.h"
#include "kernel/launch.h"

enum { RILL_BLOCK = RILL_SEGMENT_BLOCK };

/** Blocks that a thread takes at a time, and their nodes: some 5 to 25 microseconds of a step. See
 * core/threads.h. */
enum { RILL_CPU_PIECE = 4, RILL_CPU_PIECE_NODES = RILL_CPU_PIECE * RILL_BLOCK };

/** Planes whose lines rill_cpu_lattice.lines steps as one, and lines that a thread takes at a time. */
enum { RILL_CPU_DEPTH = 3, RILL_CPU_LINES = 24 };

/** Moments of a block, in any arithmetic; momentum includes half of the force. */
typedef struct rill_cpu_moments {
    double density[RILL_BLOCK], momentum[3][RILL_BLOCK];
} rill_cpu_moments;

/**
 * Collide a block.
 * @param[in]  n    its first node
 * @param[in]  in   [q], rows of incoming populations
 * @param[out] out  [q], rows that outgoing population opp(i) is put into; they may be those of `in`
 */
typedef void rill_cpu_collide(const rill_launch *launch, uint64_t n, const void *const *in, void *const *out);

/** The collisions of a lattice in one arithmetic type. */
typedef struct rill_cpu_lattice {
    /** NULL for what rill_variant_check() refuses. */
    rill_cpu_collide *collide[RILL_COLLISION_COUNT][RILL_EQUILIBRIUM_COUNT][RILL_RHEOLOGY_COUNT];
    /** Take the moments of rows of incoming populations. */
    void (*moments)(const rill_launch *launch, const void *const *in, rill_cpu_moments *out);
    /** Take the viscous stress of rows of incoming populations, xx, yy, zz, xy, xz, yz. */
    void (*stress)(const rill_launch *launch, const void *const *in, double (*out)[RILL_BLOCK]);
    /**
     * Fill rows of incoming populations with the equilibrium at a density and a momentum, from which half of
     * the force has been taken, or add it to them.
     */
    void (*set)(const rill_launch *launch, const rill_cpu_moments *moments, void *const *out);
    /** Step lines of cells first ... end - 1 of a bitmap, in the order of nodes, but RILL_CPU_DEPTH of them,
     * side by side along z, as one: RILL_MACROSCOPIC. */
    void (*lines)(const rill_launch *launch, uint64_t first, uint64_t end);
    /** Step the block at node n of a list, RILL_MACROSCOPIC. */
    void (*listed)(const rill_launch *launch, uint64_t n);
} rill_cpu_lattice;

/** One number format in one arithmetic type. */
typedef struct rill_cpu_format {
    /** Convert a row of stored numbers to values. @param weight taken off: w_i where plain f_i are stored */
    void (*load)(const void *stored, void *values, double weight);
    /** The same for moments, which look for divergence: see rill_storage_check(). */
    void (*check)(const void *stored, void *values, double weight);
    /** Convert a row of values to stored numbers. @param weight added before */
    void (*store)(void *stored, const void *values, double weight);
    /** Exchange stored numbers a[k] and b[k], times sign[k]. @param weights taken off and added */
    void (*exchange)(void *a, void *b, const int8_t *sign, const double *weight_a, const double *weight_b);
} rill_cpu_format;

/** All formats of one arithmetic type. */
typedef struct rill_cpu_formats {
    rill_cpu_format of[RILL_STORAGE_COUNT];
} rill_cpu_formats;

/** Build entries of arrays (build.c). */
typedef void rill_cpu_build(const rill_builder *builder, rill_build_task task);
extern rill_cpu_build RILL_CPU_BUILD(v2), RILL_CPU_BUILD(v3), RILL_CPU_BUILD(v4);

/**
 * Cut the links of a block of a list into segments (segments.c): count them by kind and, where `to` is not
 * NULL, write each to its kind's next place.
 */
typedef void rill_cpu_cut(rill_variant variant, const rill_arrays *arrays, size_t block,
                          uint64_t counts[RILL_SEGMENT_KINDS], rill_segment **to);
extern rill_cpu_cut RILL_CPU_CUT(v2), RILL_CPU_CUT(v3), RILL_CPU_CUT(v4);

/** The kernels for one x86-64 level: of every variant that the parts exist for. */
typedef struct rill_cpu_level {
    rill_kernels kernels;
    bool (*has)(rill_variant variant);
    rill_cpu_build *build;
    rill_cpu_cut *cut;
} rill_cpu_level;

extern const rill_cpu_level RILL_CPU_LEVEL(v2), RILL_CPU_LEVEL(v3), RILL_CPU_LEVEL(v4);

#endif
