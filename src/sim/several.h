/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file several.h
 * A simulation on several devices: simulations of the parts of its domain (domain/parts.h), which exchange
 * the populations that cross between parts after every step.
 *
 * A crossing link from node m of one part to node n of another is in both: n lies beside the nodes of the
 * first part, m beside those of the second. The word that n will read lies, in the sender's arrays, where n
 * would look for it in the next step; it is copied to where n looks in the receiver's. This holds for every
 * streaming scheme, because it asks the scheme itself for both slots. Between steps each part holds all that
 * comes in to its own nodes, so that moments are read and set part by part.
 *
 * The host waits for no device between steps. Each part has two queues. Its edges, the nodes with links to
 * other parts, are stepped first, in a queue with priority, where they are sent, and what comes in is put in
 * place, beside the step of all other nodes in the queue of its device; rill_lane has the events that keep
 * the order. On devices whose calls return when the work is done, the order of calls is one that is allowed.
 *
 * Walls are rewritten by the parts that their nodes are in. An opening is one part's, or where a cut goes
 * through it, a stage's (stage.h): so its sums are taken in one order however many parts there are.
 */
#ifndef RILL_SIM_SEVERAL_H
#define RILL_SIM_SEVERAL_H

#include "domain/parts.h"
#include "sim/several_plan.h"
#include "sim/stage.h"

/** The queues of a part: `edge`, and that of its device, for everything else. */
typedef struct rill_lane {
    void *edge;
    void *sent[2];  /**< events in `edge`, of even and odd exchanges: edges are stepped, and their populations
                       sent */
    void *received; /**< event in `edge`: what comes in from other parts is in place */
    void *looked;   /**< event: openings that a cut goes through have what this part's nodes have sent */
    void *done;     /**< event: all nodes but those of the edges are stepped, and links rewritten */
    uint64_t sponge; /**< nodes of the edges in sponge layers, the first ones listed */
} rill_lane;

/** A patch, or its links in one part. */
typedef struct rill_home {
    rill_sim *sim; /**< that has it */
    int patch;     /**< its number there */
} rill_home;

/** Where the links of a patch are. */
typedef struct rill_homes {
    rill_home *homes; /**< [count] */
    int count;
} rill_homes;

struct rill_several {
    rill_parts parts;
    rill_sim **sims;    /* [parts.count] */
    rill_lane *lanes;   /* [parts.count] */
    rill_route *routes; /* [route_count], of the crossing links of all sets */
    int route_count;
    const void **reversed; /* [parts.count], links that change sign; NULL: none */
    rill_homes *patches;
    int patch_count;
    rill_stage **stages;
    int stage_count;
    void **wall_lists; /* [wall_list_count], links of routes that walls have */
    int wall_list_count;
    void **sponges; /* [parts.count], numbers and factors of their nodes in sponge layers */
    unsigned exchanges;
    bool mirrored; /* links of the whole exchange their populations after every step */
};

/** See rill_sim_create_loaded(); `options.device_count` is 2 or more. Where one part is all that the domain
 * allows, `several` stays NULL, and the options name the first device alone. */
rill_status rill_several_create(rill_sim *sim, rill_load load);

/** Refuse a domain that fewer parts than devices are made of: for measurements of just so many. */
rill_status rill_several_check(const rill_domain *domain, const rill_sim_options *options, rill_load load);

/**
 * Create a simulation of one of the parts of a domain alone, to see how fast it is: what it sends to other
 * parts comes back to it. Its flow means nothing.
 * @param options  `device_count` parts, all for `device`
 * @param loop     false: it exchanges nothing; then step rill_sim_part() itself
 */
rill_status rill_several_alone_create(const rill_domain *domain, const rill_sim_options *options, int number,
                                      bool loop, rill_sim **out);

/** Make a part that was created alone with its exchange step without it, and return the part. */
rill_sim *rill_several_alone_part(rill_sim *sim);

/** Return the bytes that the exchange takes on the devices, without openings that a cut goes through. */
uint64_t rill_several_exchange_held(const rill_sim *sim);

/** Return the bytes that part k sends in a step, without openings that a cut goes through. */
uint64_t rill_several_sends(const rill_sim *sim, int k);

/** Destroy the parts; NULL is allowed. */
void rill_several_destroy(rill_several *several);

/** What the speed on several devices follows from. */
typedef struct rill_several_work {
    uint64_t nodes, largest; /**< of all parts, of the largest one */
    int count;               /**< of devices */
    double mlups;            /**< million node updates per second of one device */
    uint64_t bytes;          /**< that a part sends in a step, at most */
    bool openings, split;    /**< there are some; a cut goes through one */
} rill_several_work;

/**
 * Return the expected speed on several devices over as many times that of one. A step takes 4 us and 4.4 us
 * for each MB sent longer than the nodes of the largest part alone, 16 us more with openings, for which the
 * queues of a part wait for each other, or 53 us where a cut goes through one, and never less than 20 us:
 * measured with two H200 (NVLink), 0.07 to 3.7 MB; vessels of 1.4 and 9.5 million nodes.
 */
double rill_several_efficiency(const rill_several_work *work);

/** Parts as they are planned, and the speed of one device. */
typedef struct rill_several_parts {
    rill_device *const *devices; /**< [count] */
    const rill_part_plan *part;  /**< [count] */
    int count;                   /**< 0 or 1: one device steps all nodes */
    uint64_t nodes;              /**< of all parts */
    double mlups;                /**< of one device; 0: not measured */
    bool openings, split;        /**< there are inlets and outlets; one lies in several parts */
} rill_several_parts;

/** Return the cost of the dearest part over the mean. */
double rill_several_balance(const rill_several_parts *parts);

/** Return the bytes that a part sends in a step, at most. */
uint64_t rill_several_bytes(const rill_several_parts *parts);

/** Return rill_several_efficiency() of parts; NaN where the speed is not known, where parts share a device,
 * or where GPUs do not store to each other: it is measured with those that do. */
double rill_several_expected(const rill_several_parts *parts);

/** Return how many times as fast as one device all parts are together, as far as that is known. */
double rill_several_times(const rill_several_parts *parts);

/** See rill_sim_begin(). */
rill_status rill_several_begin(rill_sim *sim, uint64_t steps);

/** See rill_sim_boundary_add(). */
rill_status rill_several_boundary_add(rill_sim *sim, const rill_boundary *boundary);

/**
 * Bring what quadratic interpolation needs of other parts to part p in every step. Before sponge layers,
 * which know the edges of parts: refused behind them.
 * @param[in] own       the links of a boundary in part p, with the numbers of nodes in the whole
 * @param[out] numbers  [own->links], own->next as the part numbers it
 */
rill_status rill_several_walls_reach(rill_several *several, int p, const rill_boundary *own,
                                     rill_node *numbers);

/** Free what that has kept, behind the routes. */
void rill_several_walls_free(rill_several *several);

/** See rill_sim_sponge_set(). */
rill_status rill_several_sponge_set(rill_sim *sim, const rill_node *nodes, const float *keep, uint64_t count);

#endif
