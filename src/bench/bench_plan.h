/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file bench_plan.h
 * The suites of the benchmark: which variants are timed on which geometries, and how long that will take.
 */
#ifndef RILL_BENCH_BENCH_PLAN_H
#define RILL_BENCH_BENCH_PLAN_H

#include "rill.h"
#include "bench/bench_vessel.h"
#include "geometry/voxels/drawn.h"

/** What is measured. Edges in voxels: on a CPU, on a GPU. */
typedef enum rill_bench_suite {
    RILL_SUITE_BOX,      /**< a box of fluid, periodic; 160, 384 */
    RILL_SUITE_SPHERES,  /**< a random pack of spheres of radius 16 at porosity 0.39; 224, 512 */
    RILL_SUITE_ARTERIES, /**< 24 curved tubes at a porosity of about 0.06; 256, 512 */
    RILL_SUITE_ROCK,     /**< a geometry of the user's */
    RILL_SUITE_ISOTROPY, /**< one pipe along x, y and z: Geier & Schönherr (2017), figure 4; 256, 1024 long */
    RILL_SUITE_SCHEMES,  /**< every stream and addressing, in fp32 and fp16s, on spheres; 128, 320 */
    RILL_SUITE_FORMATS,  /**< every format, on the same */
    RILL_SUITE_COLLISIONS, /**< every collision on D3Q19 and D3Q27, on the same */
    RILL_SUITE_POROSITY, /**< sparse against dense, spheres that overlap at porosities of 0.05 … 1; 128, 320
                          */
    RILL_SUITE_SIZES,    /**< cubes of fluid of 1e5 nodes and more */
    RILL_SUITE_VESSEL,   /**< a geometry of the user's that was cut from a surface: bare, with interpolated
                              walls, with openings, with both */
    RILL_SUITE_HYBRID,   /**< a river bed, half of it a free channel, and a box of fluid, sparse and dense:
                              what a code that is dense where all is fluid could gain; 160, 512 */
    RILL_SUITE_SCALING,  /**< one simulation on several devices: see rill_scaling_shape; 128, 512 */
    RILL_SUITE_COUNT,    /**< of these, which a plan has */
    RILL_SUITE_ANSWER = RILL_SUITE_COUNT, /**< permeabilities from voxels to k, see answer.h: alone */
    RILL_SUITE_SPLASH, /**< a drop that falls into a pool, beside the step without a surface: alone */
    RILL_SUITE_CELLS   /**< red blood cells, beside the step without them: alone */
} rill_bench_suite;

/** The geometries of the suite scaling, each shared among all devices; but weak: as many copies as devices.
 */
typedef enum rill_scaling_shape {
    RILL_SCALING_WEAK, /**< spheres, copies along z */
    RILL_SCALING_SPHERES,
    RILL_SCALING_ARTERIES,
    RILL_SCALING_TREE,
    RILL_SCALING_BED,      /**< a pack of spheres at a porosity of 0.36, copies along z */
    RILL_SCALING_RIVERBED, /**< a bed of spheres below a free channel, copies along the stream, z */
    RILL_SCALING_CORONARY, /**< the tree with 1.2e8 nodes; 192, 1234 */
    RILL_SCALING_OVERLAP,  /**< overlapping spheres at a porosity of 0.06, drawn when they are read; 128, 1024
                            */
    RILL_SCALING_ROCK,     /**< read from a file */
    RILL_SCALING_VESSEL,   /**< read from a file, with interpolated bounce-back and openings */
    RILL_SCALING_COUNT
} rill_scaling_shape;

/** Return whether a shape gets a copy for each device. */
bool rill_scaling_weak(rill_scaling_shape shape);

/** Names, NULL-terminated: of suites, and of the geometries of the suite scaling. */
extern const char *const rill_bench_suite_names[RILL_SUITE_COUNT + 4];
extern const char *const rill_scaling_names[RILL_SCALING_COUNT + 1];

/** Values of a choice; none: the suite's own. */
typedef struct rill_bench_values {
    const int *items; /**< [count] */
    int count;
} rill_bench_values;

/** What is to be timed. */
typedef struct rill_bench_wants {
    const int *suites; /**< [suite_count] */
    int suite_count;
    rill_bench_values lattice, collision, equilibrium, stream, addressing, storage, arithmetic, bounce, shift;
    rill_bench_values
        scaling;         /**< geometries of the suite scaling, rill_scaling_shape; none: all that there are */
    bool device;         /**< a GPU: larger geometries, and addressings that are fast there */
    bool rock, vessel;   /**< there is a geometry for the suite of that name */
    uint32_t cells;      /**< voxels along the edges of geometries; 0: the suite's own; not for sizes */
    double porosity;     /**< of overlapping spheres in the suite scaling; 0: 0.06 */
    uint64_t most_nodes; /**< of sizes; 0: 1e7 on a CPU, what fits on a GPU */
    double seconds;      /**< of nine rounds */
    double bandwidth;    /**< bytes per second, for the estimate and nothing else */
    int threads;         /**< of the host, likewise */
    uint64_t memory,
        host_memory; /**< bytes that the backend and the host can give: the largest of the sizes */
} rill_bench_wants;

/** A geometry of a suite. */
typedef struct rill_bench_shape {
    rill_bench_suite suite;
    char name[32];                    /**< "spheres", "porosity-0.30" */
    uint32_t cells;                   /**< along an edge; 0: read from a file */
    double porosity;                  /**< aimed at, or expected; 0: not known */
    int axis;                         /**< of a pipe */
    rill_scaling_shape scaling;       /**< of the suite scaling */
    rill_bench_boundaries boundaries; /**< of a vessel */
    double seconds;                   /**< that making it and numbering its nodes will take, estimated */
} rill_bench_shape;

/** A variant on a geometry. */
typedef struct rill_bench_case {
    int shape;
    rill_variant variant;
    double seconds; /**< estimated */
} rill_bench_case;

/** All that will be done, geometry after geometry, lattice after lattice. */
typedef struct rill_bench_plan {
    rill_bench_shape *shapes; /**< [shape_count], owned */
    int shape_count;
    rill_bench_case *cases; /**< [case_count], owned */
    int case_count;
    uint64_t shape_room, case_room; /**< of these lists */
    double seconds; /**< estimated; of geometries that are read from files, the timing alone */
} rill_bench_plan;

/**
 * List the cases. Combinations that do not exist are left out.
 * @return RILL_USAGE when a suite is left without any, or the suite rock without a geometry
 */
rill_status rill_bench_plan_make(const rill_bench_wants *wants, rill_bench_plan *out);

/** Free what a plan owns; a cleared one is allowed. */
void rill_bench_plan_free(rill_bench_plan *plan);

/** Return whether a shape is drawn when it is read, so that boxes larger than the memory can be cut. */
bool rill_bench_shape_is_drawn(const rill_bench_shape *shape);

/** Make the geometry of a shape that is drawn. @param[in] window  see rill_drawn_create() */
rill_status rill_bench_shape_draw(const rill_bench_shape *shape, uint32_t window, rill_drawn **out);

/** Generate the geometry of a shape that is not read from a file; one that is drawn, with all its voxels. */
rill_status rill_bench_shape_make(const rill_bench_shape *shape, rill_geom **out);

#endif
