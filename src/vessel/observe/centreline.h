/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file centreline.h
 * Lines from one opening of a vessel to each other one that keep away from the walls: positions at which
 * velocity and pressure are followed.
 */
#ifndef RILL_VESSEL_CENTRELINE_H
#define RILL_VESSEL_CENTRELINE_H

#include "rill.h"

/** Positions along the lines, one branch after the other. Arrays are owned. */
typedef struct rill_centreline {
    uint64_t count;
    double (*places)[3]; /**< [count], m, as the surface counts */
    double *distance;    /**< [count], m, along the line from the first opening */
    uint32_t *branch;    /**< [count], number of the opening that the line leads to */
} rill_centreline;

/**
 * Find the lines: shortest paths where a step costs its length over the square of the distance to the wall,
 * on a grid of at most some hundred thousand cells, smoothed. Where two lines run together, the first one has
 * the positions. Openings that no path leads to are left out.
 * @param[in] root  number of the opening that they begin at
 * @see Antiga et al. (2003), doi:10.1109/TMI.2003.812261, whose paths run on the Voronoi diagram instead
 */
rill_status rill_centreline_make(const rill_domain *domain, int root, rill_centreline *out);

/** Estimate the bytes that finding the lines takes, and the positions that there will be at most. */
uint64_t rill_centreline_measure(const rill_geom *geom, uint64_t nodes, uint64_t *places);

/** Free the arrays; a cleared one is allowed. */
void rill_centreline_free(rill_centreline *line);

#endif
