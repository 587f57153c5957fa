/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file drops.h
 * Pressure drops between two cross-sections of a vessel, and the ratio of their pressures, means over a
 * cycle: in hyperaemia that is the fractional flow reserve (Pijls et al. 1996,
 * doi:10.1056/NEJM199606273342604).
 */
#ifndef RILL_VESSEL_DROPS_H
#define RILL_VESSEL_DROPS_H

#include "vessel/case/case.h"
#include "io/record.h"

/**
 * Return the normal of a plane: the one that the case gives, or the direction along which the walls run that
 * rays from its centre meet, its largest component positive.
 */
void rill_plane_normal(const rill_geom *geom, const rill_case_plane *plane, double normal[3]);

/** Check that drops are between planes and openings of the case. @return RILL_USAGE if one is not */
rill_status rill_drops_check(const rill_case *given);

/**
 * Compute the drops over the last rows of the series.
 * @param[in]  openings, planes  series with the pressures
 * @param[in]  rows              of a cycle
 * @param[out] out               [drop_count]
 */
void rill_drops_compute(const rill_vessel *vessel, const rill_record *openings, const rill_record *planes,
                        uint64_t rows, rill_run_drop *out);

#endif
