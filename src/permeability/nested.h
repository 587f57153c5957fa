/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file nested.h
 * The start of a run from the flow through the same sample on a grid of voxels twice as large, which starts
 * from the next coarser one. Nested iteration: Hackbusch (1985), doi:10.1007/978-3-662-02427-0.
 *
 * Nothing that is reported depends on the start, only how soon a run ends (docs/method.md).
 */
#ifndef RILL_PERMEABILITY_NESTED_H
#define RILL_PERMEABILITY_NESTED_H

#include "core/kept.h"
#include "permeability/follow.h"

/** A flow on a coarser grid. Plain data; zero: none. */
typedef struct rill_nested {
    rill_geom *geom;             /**< the sample, 2^3 voxels in one */
    rill_permeability_plan plan; /**< of the run there, which numbers its nodes */
    rill_kept *moments;  /**< float [4][plan.nodes], rho - 1, u, kept as the voxels are; NULL: they stay */
    double *there;       /**< on the device that stepped it, in double precision; NULL: they do not */
    rill_device *device; /**< that one, not owned */
    double k;            /**< k_aa to start with, lu of the finer grid */
} rill_nested;

/**
 * Make a sample with 2^3 voxels in one, pore where at least half of them are; kept as the finer one is.
 * @param[out] out  domain boundaries are those of the finer one
 */
rill_status rill_nested_coarsen(const rill_geom *fine, rill_geom **out);

/** Return whether the flow stays on the device: a single GPU steps both grids. */
bool rill_nested_stays(const rill_geom *geom, const rill_permeability_options *options);

/**
 * Return the bytes of host memory that it takes at most, beside what the run on the finer grid does and the
 * pore network of the coarser one.
 * @param nodes    of the finer grid
 * @param surface  its wall area per volume of pore, in voxels
 * @param stays    see rill_nested_stays()
 */
uint64_t rill_nested_bytes(const rill_geom *geom, uint64_t nodes, double surface, bool stays);

/** Return the bytes of its flow on a device where it stays. */
uint64_t rill_nested_there_bytes(uint64_t nodes, double surface);

/**
 * Compute the flow on the coarser grid, where the plan says so; without moments where there is none, as where
 * coarser voxels close the pores, and in a run that follows its journal.
 * @param[in,out] f  run->coarse gets k, run->coarse_steps the steps, and the plan what follows from k. It is
 *                   stopped when the watcher says so, unless a checkpoint is to be left
 * @param permit  given when the pore network of the coarser grid is found; NULL: nothing waits for it
 */
rill_status rill_nested_create(rill_follower *f, rill_permit *permit, rill_nested *out);

/** Free what it owns. */
void rill_nested_destroy(rill_nested *nested);

/* ---- the flow of a coarser grid on its way to the simulation of a finer one ---- */

/**
 * Begin a simulation that has made no step with the flow of the coarser grid. Velocities are scaled so that
 * their mean is that of the k which coarser grids extrapolate to; the populations are the equilibrium of both
 * moments.
 */
rill_status rill_nested_start(const rill_follower *f, const rill_domain *domain, const rill_nested *nested,
                              rill_sim *sim);

/** Return the bytes of host memory that it takes where devices lack the flow. @param flow  bytes of it */
uint64_t rill_nested_start_bytes(uint64_t flow);

#endif
