/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file model.h
 * Outlets whose pressures another program computes from their flows (kind: model): a 0-D model of what lies
 * behind them. docs/coupled-models.md describes the lines of the protocol.
 *
 * Every so many steps, and at each row of the series, rill sends the mean flows since the exchange
 * before, and the program answers with the pressures p_n at the end of that interval. Until the next exchange
 * the patch holds p = a(t) + R Q(t) with a_n = p_n - R Q_n extrapolated linearly from the last two exchanges,
 * where R
 * (`proximal`) is what of the pressure follows the flow at once and Q(t) the flow of each step: the kernel
 * solves it together with the flow (kernel/boundary/outlet.h). With R = 0 the coupling is explicit, and
 * unstable where the model's resistance exceeds a third of the acoustic impedance of the opening.
 */
#ifndef RILL_VESSEL_MODEL_H
#define RILL_VESSEL_MODEL_H

#include "io/checkpoint.h"
#include "vessel/case/case.h"
#include "vessel/case/yaml.h"

/** Keys of the mapping "model" of a case file, for the member of that name. */
extern const rill_key rill_model_keys[];

/** Check that a case has a program if, and only if, it has outlets for it. @return RILL_USAGE if not */
rill_status rill_model_check(rill_case *given);

/** Free what rill_model_keys made. */
void rill_model_case_free(rill_case *given);

/** Say what speaks against running the program of a case. */
void rill_model_judge(const rill_case *given, rill_case_plan *plan);

/** The program of a run, and the pressures that it gave. */
typedef struct rill_model rill_model;

/**
 * Start the program and greet it. Its outlets are recorded by then.
 * @param[in]  interval  most steps between two exchanges
 * @param[out] out       NULL where the case has none; else the vessel looks at it, and rill_model_end() ends
 * both
 * @return RILL_USAGE without permission, or for an answer that is none; RILL_SYSTEM when the program cannot
 * be started, ends, or says nothing in time
 */
rill_status rill_model_start(rill_vessel *vessel, uint32_t interval, rill_model **out);

/** End it; NULL is allowed. */
void rill_model_end(rill_model *model);

/** Return the step of the next exchange, if there is no row before. */
uint64_t rill_model_next(const rill_model *model);

/**
 * Exchange flows and pressures, once at a step; the first one is at the start of a run.
 * @param[out] finite  false: a flow is not finite, and nothing was exchanged
 */
rill_status rill_model_exchange(rill_model *model, bool *finite);

/** Return a(t) of an opening at the end of a step, Pa; what the case expects, before the first exchange.
 */
double rill_model_pressure(const rill_vessel *vessel, int opening, uint64_t step);

/** Ask the program for its state, before a checkpoint; one that saves none leaves it empty. */
rill_status rill_model_save(rill_model *model);

/** Give the program its state, after a checkpoint. @return RILL_USAGE where it saved none */
rill_status rill_model_restore(rill_model *model);

/** Make a part of a checkpoint. */
rill_checkpoint_part rill_model_part(rill_model *model);

#endif
