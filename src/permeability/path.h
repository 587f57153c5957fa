/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file path.h
 * A value that cycles of corrections lead to its end, and how far from that it may be by its last moves.
 */
#ifndef RILL_PERMEABILITY_PATH_H
#define RILL_PERMEABILITY_PATH_H

enum { RILL_PATH_MOVES = 10 };

/** Start with rill_path_start(). */
typedef struct rill_path {
    double value;
    double
        moved[RILL_PATH_MOVES]; /**< its last changes, the latest first; INFINITY before the second cycle */
    int made;                   /**< cycles */
} rill_path;

rill_path rill_path_start(void);

/** Take the value after another cycle. */
void rill_path_go(rill_path *path, double value);

/**
 * Return how far a value may be from its end by its last moves, two or three: what it moved, and, if it goes
 * on to move as it did, by the same factor from cycle to cycle, all that is still to come.
 * @param least  where changes decay fast
 */
double rill_path_left(const rill_path *path, int moves, double least);

#endif
