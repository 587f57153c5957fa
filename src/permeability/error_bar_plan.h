/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file error_bar_plan.h
 * Parts of an error bar while they are planned: the runs of error_bar_plan.c and the split boxes of
 * error_bar_grids.c.
 */
#ifndef RILL_PERMEABILITY_ERROR_BAR_PLAN_H
#define RILL_PERMEABILITY_ERROR_BAR_PLAN_H

#include "permeability/error_bar_priv.h"
#include "permeability/plan_memory.h"

/** What planning goes by. */
typedef struct rill_bar_planner {
    const rill_geom *geom;
    const rill_permeability_options *options;
    const rill_permeability_plan *plain;
    bool fine;
    double updates; /**< of the plain variant that refinement may cost */
    rill_error_bar_plan *out;
} rill_bar_planner;

/** The plan of a box whose voxels are not split, and what its memory was counted from. */
typedef struct rill_bar_planned {
    rill_permeability_plan plan;
    rill_plan_sizes sizes;
    uint64_t cuts;       /**< bytes of the links to the walls of a surface, and of grey values */
    double host, device; /**< what is planned of what is counted: of several devices, that of one */
} rill_bar_planned;

/** Return whether an axis takes part in the flow: in planes z does not. */
bool rill_bar_counts(rill_lattice lattice, int axis);

/** Return the whole box as the plain run took it, at its tolerance. */
rill_error_bar_part rill_bar_whole(const rill_bar_planner *p);

/** Plan the run of a part whose voxels are not split. */
rill_status rill_bar_part_plan(const rill_bar_planner *p, const rill_error_bar_part *part,
                               rill_bar_planned *out);

/** Estimate a part with split voxels from the plan of the same box with whole ones. */
rill_status rill_bar_part_estimate(const rill_bar_planner *p, const rill_bar_planned *box,
                                   rill_error_bar_part *part);

/** Estimate a part, and take it into the plan. */
rill_status rill_bar_part_add(rill_bar_planner *p, const rill_bar_planned *box,
                              const rill_error_bar_part *part);

/** Return a box to be refined: its faces are the sample's own, or mirrored where it was cut.
 * @param[in] edge  in edges of the whole box */
rill_error_bar_part rill_bar_crop(const rill_bar_planner *p, double edge);

/** Plan the split voxels of the whole box, or of crops. @param[in] whole  its plan */
rill_status rill_bar_grids_plan(rill_bar_planner *p, const rill_bar_planned *whole);

#endif
