/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file links.h
 * Populations of a node between two steps, by what they are and not by where a scheme has them: those that
 * come in at a node along i, of which each link holds one for either end. All schemes in place and not,
 * addressings and number formats are behind this. The including file defines RILL_ARITHMETIC as double.
 */
#ifndef RILL_KERNEL_LINKS_H
#define RILL_KERNEL_LINKS_H

#include "kernel/launch.h"
#include "kernel/storage/address.h"
#include "kernel/storage/storage.h"

/** Not inlined: callers have loops enough. */
#if defined(__CUDACC__)
#define RILL_POPULATION_FN static __noinline__ __host__ __device__
#else
#define RILL_POPULATION_FN RILL_APART_FN
#endif

/** Return the slot of the population that comes in at a node in the step that `launch` describes. */
RILL_FN size_t rill_population_slot(const rill_launch *launch, const rill_node node, const int i)
{
    const rill_variant v = launch->variant;
    return rill_incoming((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, launch->parity,
                         &launch->from, node, i);
}

/** Return f_i - w_i of it. */
RILL_POPULATION_FN double rill_population_load(const rill_launch *launch, const rill_node node, const int i)
{
    const rill_variant v = launch->variant;
    return rill_storage_load((int)v.storage, launch->from.populations,
                             rill_population_slot(launch, node, i)) -
           rill_population_rest((int)v.lattice, (int)v.shift, i);
}

/** Replace it. */
RILL_POPULATION_FN void rill_population_store(const rill_launch *launch, const rill_node node, const int i,
                                              const double value)
{
    const rill_variant v = launch->variant;
    rill_storage_store((int)v.storage, launch->from.populations, rill_population_slot(launch, node, i),
                       value + rill_population_rest((int)v.lattice, (int)v.shift, i));
}

/** Add to what a node has sent along i in the step before, where no other pass has replaced it: to what
 * bounced back, at a wall. */
RILL_FN void rill_population_sent_add(const rill_launch *launch, const rill_node node, const int i,
                                      const double value)
{
    const rill_variant v = launch->variant;
    const int before = rill_stream_parities((int)v.stream) == 2 ? 1 - launch->parity : 0;
    const size_t slot = rill_outgoing((int)v.lattice, (int)v.stream, (int)v.addressing, (int)v.bounce, before,
                                      &launch->from, node, rill_opposite(i));
    rill_storage_store((int)v.storage, launch->from.populations, slot,
                       rill_storage_load((int)v.storage, launch->from.populations, slot) + value);
}

#endif
