/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file case_channels.h
 * Exact values of channels, for the cases and the tests.
 */
#ifndef RILL_VERIFY_CASE_CHANNELS_H
#define RILL_VERIFY_CASE_CHANNELS_H

/**
 * Return nu u / F as a mean over the nodes between half-way plates h nodes apart, for every tau: Ginzburg &
 * d'Humières (2003), doi:10.1103/PhysRevE.68.066614. @param magic (tau - 1/2)(tau_odd - 1/2)
 */
double rill_verify_plates_exact(double h, double magic);

#endif
