/* SPDX-License-Identifier: Apache-2.0 */
#include "permeability/path.h"

#include <math.h>

/* By how much k moved in the last three cycles, times this, is what it is uncertain by: changes may decay
 * slowly. Where each of the last two was less than this part of the one before, for all that comes behind the
 * last but one, if they go on so and the mean momentum agrees. */
#define MOVES_FACTOR 1.5
#define RATIO_FAST 0.6
/* The same for what is to come when the moves get smaller by a factor, which is taken for at most this. */
#define TO_COME_FACTOR 1.5
#define RATIO_MOST 0.9
/* Where rounding shows, moves are small by chance, and no factor is known. The largest one of this part of
 * all cycles counts. */
#define NOISE_CYCLES 6

rill_path rill_path_start(void)
{
    rill_path path = {.value = INFINITY};
    for (int k = 0; k < RILL_PATH_MOVES; k++) path.moved[k] = INFINITY;
    return path;
}

void rill_path_go(rill_path *p, double value)
{
    for (int k = RILL_PATH_MOVES - 1; k > 0; k--) p->moved[k] = p->moved[k - 1];
    p->moved[0] = fabs(value - p->value);
    p->value = value;
    p->made++;
}

/* The largest of the last moves, more of them the more cycles there were. */
static double largest_of_late(const rill_path *p)
{
    double largest = 0;
    for (int k = 0; k < p->made / NOISE_CYCLES && k < RILL_PATH_MOVES; k++)
        largest = fmax(largest, p->moved[k]);
    return largest;
}

double rill_path_left(const rill_path *p, int moves, double least)
{
    const double *moved = p->moved, ratio = fmin(moved[0] / moved[1], RATIO_MOST);
    const double slowest = fmax(ratio, moved[1] / moved[2]);
    const double sum = MOVES_FACTOR * (moved[0] + moved[1] + (moves > 2 ? moved[2] : 0));
    const double fast = fmax(MOVES_FACTOR * moved[1] * slowest / (1 - slowest), least);
    const double to_come = TO_COME_FACTOR * moved[0] * ratio / (1 - ratio);
    return fmax(fmax(slowest < RATIO_FAST ? fmin(sum, fast) : sum, to_come), largest_of_late(p));
}
