/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Estimates the flow through a sample by its pore network alone, before anything is stepped. Where all of it
 * is pressed through long or few ducts, nothing that is counted voxel by voxel shows how little flows.
 */
#include "core/memory.h"
#include "core/status.h"
#include "domain/domain.h"
#include "permeability/plan.h"

#include <math.h>

/* Networks of more chambers take longer than the estimate is worth: tenths of a second of a processor. */
enum { CHAMBERS_MOST = 65536, CHAMBERS_FEW = 8192 };
/* The network is solved to a part of the first error. Where the flow is a millionth of what it is without
 * pressures, it is solved again for what is left, until k moves by less than this part. */
#define MOVED_LEAST 0.1
enum { ROUNDS_MOST = 16 };
/* Less of the first dissipation is rounding: throats do not conduct. Links through corners of voxels, which
 * are no throats, may conduct still. A duct must be folded 10^10 times to conduct so little. */
#define CONDUCTS_LEAST 1e-20
/* Chambers of one block have no throats that lead round the box. */
enum { BLOCKS_LEAST = 2 };

/* A force of 1 along an axis drives the flow. */
typedef struct driven {
    const rill_network *network;
    const rill_geom *geom;
    int axis;
} driven;

static uint32_t block_along(const driven *d, uint32_t chamber)
{
    uint32_t number = d->network->block_of[chamber];
    for (int a = 0; a < d->axis; a++) number /= d->network->blocks[a];
    return number % d->network->blocks[d->axis];
}

/* How far a throat leads along the force: upwards between two blocks, or to the next one round the box. */
static double reach(const driven *d, const rill_throat *t)
{
    const bool two = d->network->blocks[d->axis] == BLOCKS_LEAST;
    const int64_t blocks = (int64_t)block_along(d, t->chamber[1]) - block_along(d, t->chamber[0]);
    const double n = d->geom->n[d->axis], far = d->network->centre[t->chamber[1]][d->axis] -
                                                d->network->centre[t->chamber[0]][d->axis];
    if (two) return blocks < 0 ? far + n : far;
    return blocks > 1 ? far - n : blocks < -1 ? far + n : far;
}

/* How far it is from a chamber to the mirrored boundary that it touches. */
static double reach_out(const driven *d, uint32_t chamber)
{
    const double centre = d->network->centre[chamber][d->axis];
    return block_along(d, chamber) == 0 ? -centre : d->geom->n[d->axis] - centre;
}

/* Find what chambers gain at their pressures. @return the dissipation, times the viscosity */
static double gains_find(const driven *d, const double *pressure, double *gain)
{
    const rill_network *network = d->network;
    double dissipation = 0;
    for (uint32_t c = 0; c < network->chambers; c++) {
        const double drop = network->outlet[c] > 0 ? reach_out(d, c) + pressure[c] : 0;
        gain[c] = -network->outlet[c] * drop;
        dissipation += network->outlet[c] * drop * drop;
    }
    for (uint64_t k = 0; k < network->throats; k++) {
        const rill_throat *t = &network->throat[k];
        const double drop = reach(d, t) + pressure[t->chamber[0]] - pressure[t->chamber[1]];
        gain[t->chamber[0]] -= t->conductance * drop;
        gain[t->chamber[1]] += t->conductance * drop;
        dissipation += t->conductance * drop * drop;
    }
    return dissipation;
}

/*
 * How pressures p settle by time steps alone: 3 nu V dp/dt = -G p with the volumes V and conductances G of
 * the network, since the density is 3 p. Of the modes with times T the force excites parts a that k misses at
 * first, and p V (G^-1 V)^n p = sum(a T^(n + 1)). The ratio of n = 1 and 2 is the time of the slowest that
 * has a part in it; that of n = 0 and 1 the time of those that are slow, but have a larger part.
 */
static rill_status settles_measure(const driven *d, rill_network *network, const double *pressure,
                                   double volume, rill_pore_measure *m)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const double *v = network->volume;
    double *gain = NULL, *rest = NULL, *after = NULL, *more = NULL, before = 0, now = 0;
    double **const arrays[] = {&gain, &rest, &after, &more};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        RILL_TRY(rill_array_create_zero(n, sizeof **arrays[k], "the pressures of a pore network",
                                        (void **)arrays[k]));
    (void)gains_find(d, after, gain); /* of the force alone */
    for (int round = 0; round < ROUNDS_MOST && (round == 0 || now > (1 + MOVED_LEAST) * before); round++) {
        before = now;
        (void)gains_find(d, after, rest);
        for (uint32_t c = 0; c < n; c++) rest[c] += v[c] * pressure[c] - gain[c];
        (void)rill_network_solve(network, rest, 1, more);
        for (uint32_t c = 0; c < n; c++) after[c] += more[c];
        now = rill_network_dot(network, v, pressure, after);
    }
    const double third = rill_network_dot(network, v, after, after);
    if (now > 0 && third > 0) {
        m->slowest = third / now;
        m->slowest_part = now / (m->slowest * m->slowest) / (m->conducts * volume);
        m->slow = now / (m->squares * volume);
        m->slow_part = m->squares / m->slow / m->conducts;
    }
done:
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(*arrays[k]);
    return status;
}

/* The mean of the velocity along the axis, weighted with itself, times the viscosity: a throat moves half of
 * its flow times its length in either chamber. @param[out] moved  [chambers] */
static double speed_of(const driven *d, const double *pressure, double *moved)
{
    const rill_network *network = d->network;
    double sum = 0, squares = 0;
    for (uint32_t c = 0; c < network->chambers; c++) {
        const double far = network->outlet[c] > 0 ? reach_out(d, c) : 0;
        moved[c] = network->outlet[c] * (far + pressure[c]) * far;
    }
    for (uint64_t k = 0; k < network->throats; k++) {
        const rill_throat *t = &network->throat[k];
        const double far = reach(d, t), drop = far + pressure[t->chamber[0]] - pressure[t->chamber[1]];
        for (int end = 0; end < 2; end++) moved[t->chamber[end]] += 0.5 * t->conductance * drop * far;
    }
    for (uint32_t c = 0; c < network->chambers; c++) {
        sum += moved[c];
        squares += moved[c] * moved[c] / network->volume[c];
    }
    return sum > 0 ? squares / sum : 0;
}

/* The part of the nodes that is in chambers, such as dead ends, through which fluid flows more slowly than
 * STILL times the mean. @param[out] flow  [chambers] */
#define STILL 0.01
static double still_part(const driven *d, const double *pressure, double *flow)
{
    const rill_network *network = d->network;
    double passes = 0, still = 0, nodes = 0;
    for (uint32_t c = 0; c < network->chambers; c++)
        flow[c] = network->outlet[c] > 0 ? network->outlet[c] * fabs(reach_out(d, c) + pressure[c]) : 0;
    for (uint64_t k = 0; k < network->throats; k++) {
        const rill_throat *t = &network->throat[k];
        const double drop = reach(d, t) + pressure[t->chamber[0]] - pressure[t->chamber[1]];
        for (int end = 0; end < 2; end++) flow[t->chamber[end]] += t->conductance * fabs(drop);
    }
    for (uint32_t c = 0; c < network->chambers; c++) {
        passes += flow[c];
        nodes += network->volume[c];
    }
    for (uint32_t c = 0; c < network->chambers; c++)
        still += flow[c] * nodes < STILL * passes * network->volume[c] ? network->volume[c] : 0;
    return nodes > 0 ? still / nodes : 0;
}

/* Find the pressures that carry all gains away. @param[out] first  the dissipation without pressures
 * @return the dissipation; both times the viscosity */
static double pressures_find(const driven *d, rill_network *network, double *pressure, double *more,
                             double *gain, double *first)
{
    double before = INFINITY, now = gains_find(d, pressure, gain);
    *first = now;
    for (int round = 0; round < ROUNDS_MOST && now < (1 - MOVED_LEAST) * before; round++) {
        before = now;
        (void)rill_network_solve(network, gain, 1, more);
        for (uint32_t c = 0; c < network->chambers; c++) pressure[c] += more[c];
        now = gains_find(d, pressure, gain);
    }
    return fmin(now, before);
}

double rill_plan_flow_pressures(const rill_geom *geom, int axis, rill_network *network, double *pressure,
                                double *more, double *gain)
{
    const driven d = {.network = network, .geom = geom, .axis = axis};
    double first = 0;
    return pressures_find(&d, network, pressure, more, gain, &first);
}

/* Find the pressures of the network, and what they dissipate: of all pressures, those that carry all gains
 * away dissipate least. */
static rill_status solve(driven *d, rill_network *network, bool settles, rill_pore_measure *m)
{
    rill_status status = RILL_OK;
    const uint32_t n = network->chambers;
    const double volume = (double)rill_geom_sample(d->geom);
    double *pressure = NULL, *more = NULL, *gain = NULL, first = 0;
    double **const arrays[] = {&pressure, &more, &gain};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        RILL_TRY(rill_array_create_zero(n, sizeof **arrays[k], "the pressures of a pore network",
                                        (void **)arrays[k]));
    m->conducts = pressures_find(d, network, pressure, more, gain, &first) / volume;
    if (m->conducts * volume <= CONDUCTS_LEAST * first) {
        m->conducts = 0;
        goto done;
    }
    m->excess = fmax(first / volume / m->conducts - 1, 0);
    m->squares = rill_network_dot(network, network->volume, pressure, pressure) / volume;
    m->speed = speed_of(d, pressure, gain);
    m->still = still_part(d, pressure, gain);
    if (settles) RILL_TRY(settles_measure(d, network, pressure, volume, m));
done:
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) rill_array_destroy(*arrays[k]);
    return status;
}

rill_status rill_plan_flow_network(const rill_domain *domain, rill_network *network)
{
    rill_status status = RILL_OK;
    rill_network_part part = {.before = NULL};
    RILL_TRY(rill_network_find_chambers(domain, NULL, NULL, network, &part));
    RILL_TRY(rill_network_find_throats(domain, network, &part));
    rill_network_part_free(&part);
    RILL_TRY(rill_network_prepare(network));
done:
    rill_network_part_free(&part);
    return status;
}

rill_status rill_plan_flow_measure(const rill_domain *domain, int axis, double magic, bool alone,
                                   const rill_network *counted, rill_pore_measure *m)
{
    rill_status status = RILL_OK;
    rill_network network = {.magic = magic};
    driven d = {.network = &network, .geom = domain->geom, .axis = axis};
    m->conducts = m->squares = m->speed = m->still = m->slowest = m->slowest_part = m->slow = m->slow_part =
        m->excess = 0;
    if (!counted->base || counted->chambers > CHAMBERS_MOST || counted->blocks[axis] < BLOCKS_LEAST)
        return RILL_OK;
    RILL_TRY(rill_network_counted(counted, &network));
    RILL_TRY(rill_plan_flow_network(domain, &network));
    RILL_TRY(solve(&d, &network, alone || counted->chambers <= CHAMBERS_FEW, m));
done:
    rill_network_destroy(&network);
    return status;
}
