/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file several_plan.h
 * What the parts of a simulation on several devices cost and take, before they are made.
 */
#ifndef RILL_SIM_SEVERAL_PLAN_H
#define RILL_SIM_SEVERAL_PLAN_H

#include "device/device.h"
#include "domain/ranges.h"

/** What of the geometry's surface a simulation will have, beside the update of nodes. */
typedef enum rill_load {
    RILL_LOAD_NONE = 0,
    RILL_LOAD_WALLS = 1,   /**< interpolated bounce-back at walls */
    RILL_LOAD_OPENINGS = 2 /**< openings */
} rill_load;

/** Refuse what several devices do not have, also where one part is all that a domain allows. */
rill_status rill_several_variant_check(rill_variant variant, int count);

/** Return what these cost on a device, by which parts are balanced. */
rill_part_costs rill_several_costs(rill_variant variant, const rill_device *device, rill_load load);

/** As rill_sim_create(), with parts that are balanced for what will be added. */
rill_status rill_sim_create_loaded(const rill_domain *domain, const rill_sim_options *options, rill_load load,
                                   rill_sim **out);

/**
 * The same, with several sets of populations on the nodes, which are stepped one after the other.
 * @param[in] options  [count], of each set. The first is the flow, which boundaries, sums and observers are
 * of; its devices are those of the simulation
 * @return RILL_USAGE also for sets of which some have direct addressing
 */
rill_status rill_sim_create_sets(const rill_domain *domain, const rill_sim_options *options, int count,
                                 rill_load load, rill_sim **out);

/** Devices, and what one of them alone would take. */
typedef struct rill_several_given {
    rill_variant variant;
    rill_devices on;
    rill_load load;
    uint64_t device_bytes, device_free; /**< 0 on a host */
    uint64_t held;                      /**< of these, or of the host's: what parts divide */
} rill_several_given;

/** The parts. */
typedef struct rill_several_plan {
    rill_part_plan *part; /**< [count], owned */
    int count;
    bool split;                         /**< a cut goes through an opening */
    uint64_t host_more, host_less;      /**< host memory that they take besides, and that is not needed */
    uint64_t host_making;               /**< of host_more, while a part is made */
    uint64_t device_bytes, device_free; /**< of the device with the least to spare; 0 on a host */
} rill_several_plan;

/** Plan them. */
rill_status rill_several_plan_make(const rill_domain *domain, const rill_several_given *given,
                                   rill_several_plan *out);

/**
 * Divide what a run takes among the devices that are given. @param given  variant, devices, load, held
 * @param[in,out] resources  as of one device; its parts are those of several, and its memory what all take
 */
rill_status rill_resources_divide(const rill_domain *domain, rill_several_given given,
                                  rill_resources *resources);

#endif
