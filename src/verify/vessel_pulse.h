/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_pulse.h
 * Womersley flow through a pipe along an axis of the lattice or oblique to it, from the exact flow on, driven
 * by a force that oscillates.
 */
#ifndef RILL_VERIFY_VESSEL_PULSE_H
#define RILL_VERIFY_VESSEL_PULSE_H

#include "verify/vessel_flow.h"

/** A flow. */
typedef struct rill_verify_pulse {
    rill_lattice lattice;
    rill_collision collision;
    double alpha, tau;
    uint32_t along[3]; /**< the direction of the axis */
} rill_verify_pulse;

/**
 * Measure a pipe of radius r over its third period: of `found`, the pressure gradient over the exact one as
 * complex amplitudes, 1 + |their ratio - 1|, the time-averaged wall shear, and the L2 error of the wall shear
 * over a period. There is no balance.
 */
rill_status rill_verify_pulse_measure(const rill_verify_pulse *pulse, double r,
                                      const rill_verify_setup *setup, rill_verify_vessel_found *found);

#endif
