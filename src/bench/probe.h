/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file probe.h
 * Checks a simulation of any variant, backend and size against FP64 in a few boxes of its domain.
 *
 * A time step carries news by one node. So what a simulation holds in a small box after a few steps follows
 * from the state in that box and as many nodes around it as steps were made, and a simulation of that
 * neighbourhood alone must come to the same: FP64, with a list, pulling, on the CPU. Kernels, links and
 * numbers are those of the whole simulation, at its first and last nodes, too, where indices are largest.
 */
#ifndef RILL_BENCH_PROBE_H
#define RILL_BENCH_PROBE_H

#include "rill.h"

/** Boxes of a domain, a state for them, and its development. */
typedef struct rill_probe rill_probe;

/**
 * Choose boxes around nodes from the first to the last, and compute the reference.
 * @param[in] domain   borrowed: it must outlive the probe
 * @param[in] options  of the simulations to be checked; their stream, addressing, formats and backend do not
 *                     matter
 */
rill_status rill_probe_create(const rill_domain *domain, const rill_sim_options *options, rill_probe **out);

/** Destroy a probe; NULL is allowed. */
void rill_probe_destroy(rill_probe *probe);

/** Return whether a probe is one for simulations with these options. */
bool rill_probe_suits(const rill_probe *probe, const rill_sim_options *options);

/**
 * Put the probe's state on a simulation, make steps and compare density and velocity at every node of the
 * boxes. Its own state is lost. With full-way bounce-back it must be at rest yet, because ghosts keep what
 * is in them.
 * @param[out] error  largest deviation, over the largest velocity of the state; filled in also on failure
 * @param[out] limit  what roundings of the stored populations can add up to in these steps, likewise
 * @return RILL_NUMERICS when the error is above the limit
 */
rill_status rill_probe_check(const rill_probe *probe, rill_sim *sim, const rill_sim_options *options,
                             double *error, double *limit);

#endif
