/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file answer.h
 * Time to the answer: permeabilities of generated pore spaces, from voxels to k, from rest and as runs start
 * by default, with the error of k against fp64 at a tolerance of 1e-6.
 */
#ifndef RILL_BENCH_ANSWER_H
#define RILL_BENCH_ANSWER_H

#include "rill.h"

/** A pore space. */
typedef struct rill_answer_shape {
    const char *name;
    uint32_t cells;  /**< along an edge; 0: a geometry that is given */
    double radius;   /**< of spheres, in voxels */
    double porosity; /**< aimed at */
    bool overlap;    /**< of spheres */
} rill_answer_shape;

/** What came of a run. */
typedef struct rill_answer {
    uint64_t nodes, steps, coarse_steps;
    double seconds;        /**< from voxels to k: dropping pores, planning, steps */
    double stepping;       /**< of these, steps and coarser grids */
    double k, uncertainty; /**< lu; relative */
    double tau;
    double error; /**< relative, of k; NaN where no reference fits the memory or converges */
} rill_answer;

/** The pore spaces of a backend; [*count]. @param cells  along an edge of all of them, radii alike; 0: own */
const rill_answer_shape *rill_answer_shapes(bool device, int *count);

/** Return a shape with other edges, and spheres that are as much larger or smaller. */
rill_answer_shape rill_answer_scale(const rill_answer_shape *shape, uint32_t cells);

/** Make the voxels of a shape. */
rill_status rill_answer_generate(const rill_answer_shape *shape, rill_geom **out);

/**
 * Compute k along z in fp64 to 1e-6. @param[out] k  NaN where that takes more memory than there is
 * @return RILL_NUMERICS when it does not converge
 */
rill_status rill_answer_reference(const rill_geom *geom, const rill_permeability_options *options, double *k);

/** Compute k along z, and time it. @param[in] exact  see rill_answer_reference() */
rill_status rill_answer_run(const rill_geom *geom, const rill_permeability_options *options, double exact,
                            rill_answer *out);

#endif
