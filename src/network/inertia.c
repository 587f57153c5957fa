/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What throats pass in few steps. Walls hold fluid back only when its momentum has reached them: before, a
 * drop of the pressure accelerates it. In boxes that plates alone cross, momentum between the plates never
 * reaches a wall, and fluid sloshes to and fro as sound.
 */
#include "core/memory.h"
#include "network/network.h"

#include <math.h>
#include <string.h>

/* What a drop of the pressure in a chamber of a box accelerates, per step: the area of the throat over its
 * length. Blocks of an open box share whole faces, and holes of walls conduct less than they let accelerate.
 */
static double open_throat(const rill_network *network, const uint32_t n[3], const rill_throat *t)
{
    const uint32_t one = t->chamber[0], other = t->chamber[1];
    double square = 0;
    for (int a = 0; a < 3; a++) {
        const double far = fabs(network->centre[one][a] - network->centre[other][a]);
        square += far > 0.5 * n[a] ? (n[a] - far) * (n[a] - far) : far * far; /* round the box */
    }
    return 0.5 * (network->volume[one] + network->volume[other]) / square;
}

/* The same up to the mirrored boundary that a chamber touches. */
static double open_outlet(const rill_network *network, const uint32_t n[3], int axis, uint32_t chamber)
{
    const double centre = network->centre[chamber][axis], far = fmin(centre, n[axis] - centre);
    return 0.5 * network->volume[chamber] / (far * far);
}

rill_status rill_network_prepare_again(rill_network *network)
{
    void *arrays[] = {network->chamber,   network->closed, network->found,
                      network->direction, network->flow,   network->partial};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(arrays[k]);
    network->chamber = NULL;
    network->closed = NULL;
    network->found = network->direction = network->flow = network->partial = NULL;
    network->closed_count = 0;
    rill_network_levels_destroy(network);
    memset(network->level, 0, sizeof network->level);
    return rill_network_prepare(network);
}

rill_status rill_network_limit(rill_network *network, const uint32_t n[3], int axis, double inertia)
{
    for (uint64_t k = 0; k < network->throats; k++) {
        rill_throat *t = &network->throat[k];
        const double most = inertia * open_throat(network, n, t);
        t->conductance *= most / (most + t->conductance);
    }
    for (uint32_t c = 0; c < network->chambers; c++) {
        if (!(network->outlet[c] > 0)) continue;
        const double most = inertia * open_outlet(network, n, axis, c);
        network->outlet[c] *= most / (most + network->outlet[c]);
    }
    return rill_network_prepare_again(network);
}

void rill_network_hold(rill_network *network, const uint32_t n[3], int axis, double inertia,
                       const double *pressure, double *gain, double *held)
{
    memset(gain, 0, network->chambers * sizeof *gain);
    for (uint64_t k = 0; k < network->throats; k++) {
        const rill_throat *t = &network->throat[k];
        const double part = t->conductance / (inertia * open_throat(network, n, t));
        const double flow = part * t->conductance * (pressure[t->chamber[0]] - pressure[t->chamber[1]]);
        gain[t->chamber[0]] -= flow;
        gain[t->chamber[1]] += flow;
    }
    for (uint32_t c = 0; c < network->chambers; c++)
        if (network->outlet[c] > 0)
            gain[c] -= network->outlet[c] / (inertia * open_outlet(network, n, axis, c)) *
                       network->outlet[c] * pressure[c];
    (void)rill_network_solve(network, gain, 1, held);
}
