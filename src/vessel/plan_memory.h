/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan_memory.h
 * The memory and the files of a run of a vessel, counted before it starts.
 */
#ifndef RILL_VESSEL_PLAN_MEMORY_H
#define RILL_VESSEL_PLAN_MEMORY_H

#include "device/device.h"
#include "vessel/plan.h"

/**
 * Number the nodes, and count memory, disk and parts into a plan, which has everything else but its
 * judgement.
 * @return RILL_SYSTEM without memory, refusals of rill_domain_create() and of several devices
 */
rill_status rill_case_plan_memory(const rill_case *given, const rill_geom *geom, const rill_outlook *outlook,
                                  const rill_plan_options *options, rill_device *device,
                                  rill_case_plan *plan);

#endif
