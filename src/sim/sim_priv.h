/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sim_priv.h
 * What a simulation is: for the files that it is made of.
 */
#ifndef RILL_SIM_SIM_PRIV_H
#define RILL_SIM_SIM_PRIV_H

#include "sim/passes.h"
#include "sim/patches.h"
#include "sim/set.h"
#include "sim/sim.h"

typedef struct rill_several rill_several;

/** Labels of nodes, by which moments are summed: see rill_sim_label_begin(). */
typedef struct rill_sim_labels {
    uint32_t *own;         /* [nodes] on the backend; NULL where rill_sim_label_share() was given some */
    const uint32_t *nodes; /* [nodes] there: own, or those given */
    uint32_t count;
    int64_t *sums; /* [count] on the backend, as the next */
    double *values;
    int64_t *host[2]; /* [count], sums of all parts and of one; not of a part of several */
} rill_sim_labels;

struct rill_sim {
    const rill_domain *domain;
    rill_several *several; /* on several devices: simulations of parts, that have all that is below
                              `set_count` but steps and fresh, and what is in sets but their options;
                              else NULL */
    rill_device *device;
    rill_set *flow; /* [set_count], sets of populations; the first is the flow */
    int set_count;
    bool joined; /* a part: its queue waits for others, see rill_launch */
    uint64_t steps;
    uint64_t fresh;  /* the value of `steps` when something was set: no wall link has been crossed since */
    uint64_t given;  /* the value of `steps` when moments were put in: no step before is stored */
    uint64_t loaded; /* the value of `steps` when a state was put in, with the step before */
    rill_patches patches;
    rill_passes passes;               /* zeroed: none */
    struct rill_sim_loading *loading; /* state.c: while a state is put in */
    rill_partial *partials;           /* [chunks] on the backend */
    rill_partial *host_partials;
    float *velocities;      /* [3][nodes] on the backend, made when first kept */
    double seconds_linking; /* that building the links took */
    rill_room room;         /* on the backend, without those of link() and of what observers use */
    double *carried;        /* [4][nodes] on the backend, see carrier.h; NULL: no scalar is carried */
    uint32_t *open;         /* [stride] there */
    double *outside;        /* [set_count][RILL_OPENINGS] there */
    double *slice;          /* [4][RILL_SIM_SLICE] on the backend, made when first used */
    rill_node *order;       /* [RILL_SIM_SLICE] on the backend, dense addressing only */
    void *words;            /* of a chunk of nodes on the backend, made when first used: state.c */
    rill_sponge sponge;     /* on the backend */
    rill_sim_labels labels;
};

/** Return how many parts a simulation has, 1 on one device. */
int rill_sim_parts(const rill_sim *sim);

/** Return part k: the simulation itself on one device. */
rill_sim *rill_sim_part(rill_sim *sim, int k);

/** Return the number in the whole of the first node of part k. */
rill_global_node rill_sim_part_first(const rill_sim *sim, int k);

/**
 * Make the step of some nodes, as kernels number them, in all sets, before rill_sim_advance().
 * @param queue  of the device
 * @param left   by the step before: links with interpolated bounce-back
 */
void rill_sim_step_range(rill_sim *sim, void *queue, rill_node first, rill_node end, bool left);

/** Count a step, once it is queued for all nodes. */
void rill_sim_advance(rill_sim *sim);

/** Damp nodes of sponge layers, as they are listed, after rill_sim_advance(). */
void rill_sim_damp(rill_sim *sim, void *queue, uint64_t first, uint64_t end);

/** Rewrite what comes back after it: the rest of a step. @param leave  interpolated links to the next step */
rill_status rill_sim_step_links(rill_sim *sim, bool leave);

/** Nodes whose moments are on their way at a time, between host and device or between kernels. */
enum { RILL_SIM_SLICE = 1 << 20 };

/** Make room on the device for the moments of a slice, unless it is there. */
rill_status rill_sim_slice_make(rill_sim *sim);

/** Give kernels the voxels of nodes of a slice; they know nodes themselves with sparse addressing. */
rill_status rill_sim_order(rill_sim *sim, rill_node first, rill_node count, rill_launch *launch);

/** Set the sums by label to 0 on all devices. */
rill_status rill_sim_label_begin_sums(rill_sim *sim);

/** Wait for all devices, and add up their sums. @param[out] sums  [labels] */
rill_status rill_sim_label_end_sums(rill_sim *sim, double *sums);

/** Describe the next step of the flow to kernels. */
rill_launch rill_sim_launch(const rill_sim *sim);

/** Refuse a set that is no scalar. */
rill_status rill_sim_scalar_check(const rill_sim *sim, int set);

/** Create a simulation with sets that have options, and nothing else. */
rill_status rill_sim_new(const rill_domain *domain, const rill_sim_options *options, int count,
                         rill_sim **out);

/** Return the bytes of one array of populations on a CPU; on a GPU it is less by a block. */
uint64_t rill_sim_population_bytes(rill_variant variant, size_t stride);

/** Forget a state that is being put in. */
void rill_sim_loading_free(rill_sim *sim);

#endif
