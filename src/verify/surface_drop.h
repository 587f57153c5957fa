/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file surface_drop.h
 * Drops: pressure, oscillation, and the angle at which they meet a wall.
 */
#ifndef RILL_VERIFY_SURFACE_DROP_H
#define RILL_VERIFY_SURFACE_DROP_H

#include "verify/liquid.h"

/**
 * Find the mean pressure of the liquid of a drop, or around a bubble, over 2 sigma / R of its volume.
 * @param box     variant and devices
 * @param radius  of the drop; below 0 of a bubble, whose pressure is below that of its gas
 */
rill_status rill_verify_drop_pressure(const rill_verify_liquid *box, double radius, uint64_t steps,
                                      double *pressure);

/**
 * Find half a period of a drop that is 5 % longer along z at first, over what Rayleigh found, omega^2 = 8
 * sigma / (rho R^3) (Proc. R. Soc. Lond. 29, 71 (1879), doi:10.1098/rspl.1879.0015) less the square of the
 * rate of decay, 5 nu / R^2 (H. Lamb, Hydrodynamics, section 355).
 */
rill_status rill_verify_drop_period(const rill_verify_liquid *box, double radius, double tau, double *period);

/** A cap of a ball on a wall, or of a cylinder along y where the box has one cell there, and what it becomes.
 */
typedef struct rill_verify_cap {
    double angle;  /**< of contact, degrees */
    double before; /**< angle at first, degrees */
    double radius; /**< of half a ball of its volume */
    double aside;  /**< its middle is this far from the middle of the box, along x */
    uint32_t n[3];
    uint64_t steps;
} rill_verify_cap;

/** Find the angle that height and volume of the cap, or of the segment, belong to, degrees. */
rill_status rill_verify_cap_angle(const rill_verify_liquid *box, const rill_verify_cap *cap, double *angle);

#endif
