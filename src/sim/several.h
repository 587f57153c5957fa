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
 */
#ifndef RILL_SIM_SEVERAL_H
#define RILL_SIM_SEVERAL_H

#include "sim/sim_priv.h"

/** See rill_sim_create(); `options.device_count` is 2 or more. */
rill_status rill_several_create(rill_sim *sim);

/** Destroy the parts; NULL is allowed. */
void rill_several_destroy(rill_several *several);

/** See rill_sim_begin(). */
rill_status rill_several_begin(rill_sim *sim, uint64_t steps);

#endif
