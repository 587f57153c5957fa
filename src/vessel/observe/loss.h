/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file loss.h
 * The pressure that the extensions of openings lose, so that the pressures which a case gives, and those that
 * a run reports, are those at the end of the surface.
 *
 * At an outlet the pressure p that its kind gives is imposed less the expected loss R Q of developed flow, in
 * the kernel (kernel/boundary/outlet.h), and less a function of time l(t). The mean pressure over the section
 * at the end of the surface is compared with p: what is left is the error e = p_section - p. A steady run
 * adds the mean of e over a block of time to l; a pulsatile one adds the harmonics of e after each cycle, so
 * that no filter shifts a phase. Blocks and harmonics are slower than sound along the vessel, so that its
 * echoes are not driven. l(t) starts from the impedance of oscillating flow in a circle that conducts as much
 * as the section (Womersley 1955, doi:10.1113/jphysiol.1955.sp005276).
 */
#ifndef RILL_VESSEL_LOSS_H
#define RILL_VESSEL_LOSS_H

#include "io/checkpoint.h"
#include "vessel/plan/plan.h"
#include "vessel/observe/sampler.h"

/** Harmonics of a loss at most. */
enum { RILL_LOSS_HARMONICS = 24, RILL_LOSS_TERMS = 1 + 2 * RILL_LOSS_HARMONICS };

/** The loss at one opening, Pa: mean, then cosine and sine of each harmonic. */
typedef struct rill_loss {
    double before[RILL_LOSS_TERMS], now[RILL_LOSS_TERMS]; /**< from one to the other over a ramp */
    double sums[RILL_LOSS_TERMS];                         /**< of the error, in this block */
    double error;                                         /**< at the last row; NAN before it */
    double along, squares; /**< before the first cycle: sums of error x outward flow, and of its square */
} rill_loss;

/** What a checkpoint keeps. */
typedef struct rill_loss_state {
    uint64_t from;    /**< step that the block began at */
    uint64_t samples; /**< in it */
    rill_loss each[]; /**< [count] */
} rill_loss_state;

/** The losses of a vessel. */
typedef struct rill_losses {
    int count; /**< of openings */
    int harmonics;
    double omega;
    const rill_case_plan *plan;
    uint64_t block;                    /**< steps; 0: a cycle */
    uint64_t ramp;                     /**< steps */
    const rill_outlook *outlook;       /**< borrowed */
    double resistance[RILL_OPENINGS];  /**< Pa s/m3, that the kernel takes off */
    bool learns[RILL_OPENINGS];        /**< whether an opening imposes a pressure behind an extension */
    uint64_t first[RILL_OPENINGS + 1]; /**< positions of the section of each opening; none: no extension */
    double *weights; /**< [first[count]], of the pressures at positions in the mean of a section; owned */
    rill_sampler sampler;
    rill_loss_state *state; /**< owned */
    uint64_t bytes;         /**< of the state */
} rill_losses;

/** Find sections and expected losses. @param[in] vessel  with domain, simulation and plan
 * @param[out] out  the caller destroys it */
rill_status rill_losses_make(const rill_vessel *vessel, const rill_outlook *outlook, rill_losses **out);

/** Destroy it; NULL is allowed. */
void rill_losses_destroy(rill_losses *losses);

/** Count the positions of all sections, and the nodes around them, in the domain of a plan. */
rill_status rill_losses_count(const rill_case_plan *plan, rill_points_size *size);

/** Return the loss that is taken off at an opening in a step, Pa. */
double rill_losses_at(const rill_losses *losses, int opening, uint64_t step);

/** Take the pressures of all sections, as they are after a step. */
rill_status rill_losses_take(rill_losses *losses, rill_sim *sim);

/**
 * Compare what was taken at a section with what the opening imposes, or an inlet has, after a step.
 * @param[in] pressure  Pa @param[in] flow  m3/s, into the vessel
 * @return the mean error since the comparison before, Pa: 0 without an extension
 */
double rill_losses_compare(rill_losses *losses, int opening, double pressure, double flow, uint64_t step);

/** End a row: all openings were compared. A steady block may end here. */
void rill_losses_row(rill_losses *losses, uint64_t step);

/** End a cycle. @param[in] learn  the losses are corrected by its errors */
void rill_losses_cycle(rill_losses *losses, uint64_t step, bool learn);

/** Make a part of a checkpoint. */
rill_checkpoint_part rill_losses_part(rill_losses *losses);

#endif
