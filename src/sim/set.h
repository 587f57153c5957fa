/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file set.h
 * A set of populations on the nodes of a domain: what its kernels are compiled for, what it relaxes by, and
 * where its populations are. A simulation has a list of sets, which are stepped one after the other, share
 * what links of the domain they can (domain/links.h), and are walked alike by the exchange between devices,
 * the state and the account of memory. The first is the flow: boundaries, sums and observers are its own.
 */
#ifndef RILL_SIM_SET_H
#define RILL_SIM_SET_H

#include "sim/sim.h"

typedef struct rill_set {
    rill_sim_options options; /* the devices named in those of the first set alone count */
    const rill_kernels *kernels;
    void *populations[2]; /* the second is NULL for in-place schemes */
    rill_links *links;    /* of the domain */
    bool links_made;      /* for this set: their bytes count as its own */
    rill_arrays arrays;   /* those of the links, and `counters`; without populations */
    size_t ring;          /* where node 0 is */
    const void *swaps;
    size_t swap_count;
    rill_swap *own_swaps; /* host, unless they are those of the domain */
    rill_relaxation relaxation;
} rill_set;

/** Refuse physics out of range, and what does not go with a domain. */
rill_status rill_set_check(const rill_sim_options *options, const rill_domain *domain);

/** Allocate a set of a simulation whose device is open, at rest: `options` are there. */
rill_status rill_set_create(rill_sim *sim, rill_set *set);

/** Free what a set has on a device; zeroed ones are allowed. */
void rill_set_destroy(rill_set *set, rill_device *device);

/** Return whether mirrored links of the domain are links of a set: those of D3Q7 end at a mirror, which lets
 * nothing through, as at a wall. */
bool rill_set_reflects(const rill_set *set);

/** Describe the next step of a set to kernels. */
rill_launch rill_set_launch(const rill_sim *sim, const rill_set *set);

/** Return the number behind the last node that kernels step. */
rill_node rill_set_end(const rill_sim *sim, const rill_set *set);

/** Count what a set takes, as rill_sim_count() without sums. */
void rill_set_count(rill_variant variant, const rill_links_size *size, rill_room *room);

/** Make the step of some nodes, before rill_set_advance(). @param walls  to be interpolated in it */
void rill_set_step(const rill_sim *sim, const rill_set *set, void *queue, rill_node first, rill_node end,
                   rill_wall_weights walls);

/** Move the ring buffer on, once a step is queued for all nodes. */
void rill_set_advance(rill_set *set);

/** Exchange the populations of mirrored links, and refresh the copies of a ring buffer, after a step. */
void rill_set_swap(const rill_sim *sim, const rill_set *set);

/** Return the populations of a node that a state and the exchange have: with full-way bounce-back what ghosts
 * hold back, too. */
uint64_t rill_set_words(const rill_set *set);

#endif
