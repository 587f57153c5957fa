/* SPDX-License-Identifier: Apache-2.0 */
/* How long a planned permeability is expected to take. */
#include "permeability/plan.h"
#include "permeability/tensor.h"

#include "geometry/voxels/axes.h"
#include "kernel/storage/storage.h"

#include <math.h>

/*
 * Cycles of a run with a pore network: some for every decade that k begins above its end, of what is missing
 * without pressures, and some for every decade of the tolerance. Of 1,034 pore spaces without plates across
 * the flow 99 % took 0.6 to 1.7 times as many. Where pressures make no difference, momentum alone settles.
 */
#define CYCLES_ALWAYS 1.6
#define CYCLES_DECADE 1.25
#define EXCESS_LEAST 0.1
#define CYCLES_PLATES 1.3  /* times as many where plates cross the box: fluid sloshes between them */
#define CYCLES_NEAR 0.65   /* times as many where these are near each other: it settles within a cycle */
#define NEAR_PLATES 20.0   /* voxels from one to the next, from which on all count */
#define CYCLES_LEAST 3.0   /* before these no run ends */
#define CYCLES_COARSER 0.8 /* part of these from a coarser grid, whose flow knows pressures already */
/* A start from coarser grids finds the pressures there. Between straight walls, where pressures make less of
 * k than this, it leaves momentum to settle: 3 to 12 cycles. */
#define CYCLES_STRAIGHT 6.0
#define EXCESS_STRAIGHT 0.01
#define SHORT 2.0 /* chambers along the flow: fewer have no pressures that a network could state */
/* Where no network states that, in a box with too many chambers, more in less porous samples, whose flow
 * differs more from that of the network. Fitted to the runs that plan.h names. */
#define CYCLES_POROSITY 0.5
#define CYCLES_NARROW_NESTED                                                                                 \
    0.7                   /* part of these from a coarser grid: in caverns between narrow throats, few */
#define CYCLES_FEWEST 4.0 /* three to six */
#define CYCLES_OPEN 6.0   /* 3 to 14 around obstacles in an open box */
#define CYCLES_PRESSED                                                                                       \
    7.0                    /* 6 to 10 where all flow is pressed through ducts: pressures are first far off   \
                            */
#define CYCLES_CROSSED 2.2 /* times as many where plates cross the box */
/* So many times as many for each factor by which the magic parameter of a run through ducts is smaller or
 * larger than 3/16: corners conduct in another way than the network knows. */
#define CYCLES_MAGIC_SMALL 0.15
#define CYCLES_MAGIC_LEAST 1e-3 /* with a smaller one cycles are longer instead */
#define CYCLES_MAGIC_STEPS 40   /* of a cycle; in longer ones corners even out, too */
#define CYCLES_MAGIC_LARGE 0.2
#define CYCLES_MAGIC_SHORT 0.07 /* where ducts are not long or not of one voxel, a larger one */
#define CYCLES_TENSOR 1.5       /* more, for entries off the diagonal */
#define CYCLES_FIELDS 1.4       /* times as many, until momentum, too, is within the tolerance */

/* Wall area per volume of pore, that of a slit as wide as the opening being 1: it is 2 in square ducts, 2.6
 * in pipes, and more in rocks. Ducts are like their network at any porosity. */
#define DUCTS 2.6
#define ROCKS 3.2

static double cycles_of_voxels(const rill_permeability_plan *p, double decades)
{
    const double slits = 0.75 * p->pores.opening * p->pores.surface / p->pores.porosity;
    const double rock = p->pores.confined ? fmin(fmax((slits - DUCTS) / (ROCKS - DUCTS), 0), 1) : 1;
    const double narrow =
        (p->nested ? CYCLES_NARROW_NESTED : 1) * rock * fmax(0, log(CYCLES_POROSITY / p->pores.porosity));
    const double fewest = p->pressed && !p->pores.crossed      ? CYCLES_PRESSED
                          : p->pores.open && !p->pores.crossed ? CYCLES_OPEN
                                                               : CYCLES_FEWEST;
    const bool ducts =
        p->pores.conducts > 0 ? p->pores.excess < EXCESS_STRAIGHT : p->length < SHORT * p->pores.edge;
    const double straight = p->nested && ducts ? CYCLES_STRAIGHT : 0;
    return fmax(fmax(fewest, straight), 0.5 + 0.9 * decades + (1 + 1.1 * decades) * narrow) *
           (p->pores.crossed ? CYCLES_CROSSED : 1);
}

static double cycles_of_network(const rill_permeability_plan *p, double decades)
{
    const double cycles = CYCLES_ALWAYS + CYCLES_DECADE * (decades + log10(p->pores.excess + EXCESS_LEAST));
    const double near = CYCLES_NEAR + (CYCLES_PLATES - CYCLES_NEAR) * fmin(p->length / NEAR_PLATES, 1);
    return fmax(cycles, CYCLES_LEAST) * (p->pores.crossed ? near : 1) * (p->nested ? CYCLES_COARSER : 1);
}

static double cycles_likely(const rill_permeability_options *o, const rill_permeability_plan *p,
                            double decades)
{
    const double magic = log(fmax(rill_plan_magic(o, p), CYCLES_MAGIC_LEAST) / (3.0 / 16));
    const bool ducts = p->pressed && !p->pores.crossed;
    const double small = ducts && p->pores.opening < 2 ? CYCLES_MAGIC_SMALL : 0,
                 large = ducts && p->pores.opening < 2 ? CYCLES_MAGIC_LARGE : CYCLES_MAGIC_SHORT;
    const double even = fmin(1, CYCLES_MAGIC_STEPS / (double)p->cycle);
    const double corners = exp(fmax(-small * even * magic, large * magic));
    const bool known = p->pores.conducts > 0 && (p->pressed || !p->nested);
    const double cycles = known ? cycles_of_network(p, decades) : cycles_of_voxels(p, decades);
    return corners * (rill_axes_count(o->axis) > 1 ? cycles + CYCLES_TENSOR : cycles) *
           (o->settle_fields ? CYCLES_FIELDS : 1);
}

/* A run that starts from a coarser grid learns from it how permeable the sample is, about, and how long its
 * cycles must be. */
static double cycle_likely(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    rill_permeability_plan tuned = rill_plan_copy(p);
    if (p->nested) rill_plan_tune(o, p->k_expected, &tuned);
    return (double)tuned.cycle;
}

/*
 * Time steps alone, fitted to 75 runs in narrow pores, folded ducts and few walls: how many times the slowest
 * pressures need, and more where more of k is missing before they settle; and momentum, which also carries
 * the sound through ducts that are open, and along boxes that plates alone bound.
 */
#define ALONE_PRESSURES 2.0
#define ALONE_PARTS 0.6
#define ALONE_MOMENTUM 4.0
#define FEW_WIDE 3.0 /* half of the pores are narrower by this: the flow shares little in the widest ones */
#define ALONE_DUCTS 12.0
#define ALONE_CHAMBERS 6.0 /* 1 to 19 where ducts open into pores that are wider than NARROW_DUCTS */
#define NARROW_DUCTS 6.0   /* voxels */
#define ALONE_PLATES 7.0
/* Of the tolerance: parts of k that are waited for, and those that may be, as long as the series shows them.
 */
#define ALONE_WAITED 0.28
#define ALONE_SEEN 0.03
#define ALONE_LOOKS 1.5 /* as long as the series needs at least, up to twice that */
/* Parts above this are those of ducts, in which sound goes to and fro if it is faster than momentum. */
#define ALONE_MISSING 2.0
/* The kinetic modes, of odd populations in ducts, too; samples before a series of them can be extrapolated.
 */
#define ALONE_TAUS 7.5
#define ALONE_ODD_DUCTS 30.0
#define ALONE_SAMPLES 120

/* In 16 bits rounding moves the series, whose limit needs so many times as many samples, and hides
 * parts of k up to the tolerance that settle slowly. */
#define ALONE_NARROW 2.5
#define ALONE_WAITED_NARROW 1.0

static bool is_narrow(const rill_permeability_options *o)
{
    return rill_storage_size((int)o->variant.storage) == 2;
}

double rill_plan_alone_least(const rill_permeability_plan *p) { return ALONE_SAMPLES * (double)p->every; }

double rill_plan_pressures_alone(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double slowest = 3 * p->nu * p->pores.slowest, part = p->pores.slowest_part / o->tolerance;
    const double waited = is_narrow(o) ? ALONE_WAITED_NARROW : ALONE_WAITED;
    if (part > waited) return slowest * (ALONE_PRESSURES + ALONE_PARTS * log(part / waited));
    const double seen = log(part / ALONE_SEEN) / log(waited / ALONE_SEEN);
    return part > ALONE_SEEN
               ? fmin(ALONE_PRESSURES * slowest, (1 + seen) * ALONE_LOOKS * rill_plan_alone_least(p))
               : 0;
}

/* Until a network that is asked sees little of k missing: where many times as much as the slowest pressures
 * lack settles before them, as in dead ends and in trees of ducts with chambers behind throats, 500 to 4,900
 * steps in 70 runs. */
#define ALONE_ASKED 2.0
#define ALONE_ASKED_MOST 3.4
#define ALONE_SLOW 0.75
#define ALONE_MANY 10.0
static double asked_likely(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double least = rill_plan_alone_least(p) * (is_narrow(o) ? ALONE_NARROW : 1);
    const bool many = p->chambers && p->pores.slow_part > ALONE_MANY * p->pores.slowest_part;
    const double times = fmin(1 + ALONE_ASKED * p->pores.slow_part / o->tolerance, ALONE_ASKED_MOST);
    return many ? fmin(times * least, ALONE_SLOW * 3 * p->nu * p->pores.slow) : 0;
}

static double alone_likely(const rill_permeability_options *o, const rill_permeability_plan *p,
                           double decades)
{
    const double slowest = 3 * p->nu * p->pores.slowest;
    const double wide = p->pores.confined ? fmin(FEW_WIDE * p->pores.narrow / p->pores.opening, 1) : 1;
    const double wave = p->length / (2 * M_PI), thick = wide * p->momentum / p->nu;
    const bool sounds = p->pores.slowest_part > ALONE_MISSING && slowest < 2 * thick;
    const bool plates = p->pores.crossed && p->pressed;
    const double ducts = p->pores.opening > NARROW_DUCTS ? ALONE_CHAMBERS : ALONE_DUCTS;
    const double times = !sounds ? ALONE_MOMENTUM : plates ? ALONE_PLATES : ducts;
    const double momentum = fmax(times * thick, plates ? ALONE_PLATES * wave * wave / p->nu : 0);
    const double odd = (sounds ? ALONE_ODD_DUCTS : ALONE_TAUS) * rill_plan_magic(o, p) / (p->tau - 0.5);
    const double kinetic = fmax(ALONE_TAUS * (p->tau - 0.5), odd);
    const double settles =
        decades / 3 * fmax(momentum, kinetic) + rill_plan_pressures_alone(o, p) + p->length * sqrt(3.0);
    return fmax(settles, asked_likely(o, p));
}

/*
 * Between reservoirs the start makes sound, a quarter of a wave in each: pressure is held at its outer face,
 * and at the other one the sample takes little in. With pressures that diffuse there by k c_s^2 / (phi nu),
 * its admittance, times rho c_s, is y = sqrt(i omega phi k / nu), and a wave comes back as (1 - y) / (1 + y)
 * of itself, after 2 R / c_s steps. The wave is that of the flow which begins, c_s k / (nu L) of the
 * pressures: what is counted is how far it is above the tolerance.
 */
#define ECHOES_ALWAYS 4.4
#define ECHOES_DECADE 2.7
static double echoes_likely(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double sound = 1 / sqrt(3.0), omega = sound * M_PI / (2.0 * o->reservoir),
                 begins = fmin(sound * p->k_expected / (p->nu * 0.5 * p->length), 1),
                 part =
                     sqrt(0.5 * omega * p->pores.porosity * p->k_expected / p->nu); /* real, and imaginary */
    const double back = 0.5 * log((pow(1 + part, 2) + part * part) / (pow(1 - part, 2) + part * part));
    return fmax(ECHOES_ALWAYS + ECHOES_DECADE * log10(begins / o->tolerance), 1) * 2 * o->reservoir /
           (sound * back);
}

/*
 * Pressures begin as a line between reservoirs, which in most pores is near their end: so many times what
 * they and the momentum need. With both rules 36 runs of packs, random fields, noise and layers of 24 to 64
 * voxels, with reservoirs of 4 to 32, to tolerances of 0.01 and 0.001, took 0.54 to 1.27 times the planned
 * steps, 32 of them 0.7 to 1.3 times; with all that leaves a thousandth and a whole wave, 0.24 to 1.04 times.
 */
#define LINE_ALWAYS 1.2
#define LINE_DECADE 0.4
static double line_likely(const rill_permeability_plan *p, double decades)
{
    const double settle = (p->steps_expected - p->length * sqrt(3.0)) / 5;
    return (LINE_ALWAYS + LINE_DECADE * decades) * settle;
}

double rill_plan_steps_likely(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double decades = fmax(0, -log10(o->tolerance));
    const bool between = o->drive == RILL_DRIVE_PRESSURE;
    const double steps = p->network             ? cycles_likely(o, p, decades) * cycle_likely(o, p)
                         : p->pores.slowest > 0 ? alone_likely(o, p, decades)
                         : between && !p->pressed
                             ? line_likely(p, decades)
                             : decades / 3 * p->steps_expected; /* that many leave a thousandth */
    const double echoes = between ? echoes_likely(o, p) : 0;
    const double least = p->network ? 0 : rill_plan_alone_least(p) * (is_narrow(o) ? ALONE_NARROW : 1);
    return fmin(fmax(fmax(steps, echoes), least), (double)o->max_steps);
}

/*
 * Seconds of a processor, measured on one core of an AMD EPYC (packs of 256^3 and 320^3, a random field of
 * 200^3): per voxel, to find chambers and throats of the pore network, and to coarsen, prepare and number a
 * coarser grid; per chamber and cycle, to solve for the pressures.
 */
#define NETWORK_SECONDS 18e-9
#define COARSER_SECONDS 15e-9
#define SOLVE_SECONDS 1.4e-6
/* Without the interpolation, which GPUs make themselves: 16 cores of a Xeon, packs and gyroids of 512^3 to
 * 1024^3. */
#define COARSER_SECONDS_APART 3e-9

/* To copy the voxels of a threshold with a width, to find which conduct, and their pore network, three times.
 */
#define THRESHOLDS_SECONDS 110e-9

static double thresholds_seconds(const rill_geom *geom, const rill_permeability_options *o)
{
    return o->sensitivity && geom->greys && !geom->surface
               ? THRESHOLDS_SECONDS * (double)rill_geom_voxels(geom)
               : 0;
}

double rill_plan_host_seconds(const rill_geom *geom, const rill_permeability_options *o,
                              const rill_permeability_plan *p, int threads)
{
    const double voxels = (double)rill_geom_voxels(geom);
    if (!rill_plan_makes_network(p, o)) return thresholds_seconds(geom, o) / threads;
    const double cycles = p->network ? rill_plan_steps_likely(o, p) / cycle_likely(o, p) : 1;
    /* Each grid has an eighth of the voxels of the one before. The network of the finest is found while a GPU
     * is opened and makes its first steps, those of coarser grids are waited for. */
    const bool apart = rill_plan_steps_apart(o);
    const double finest = apart ? 0 : 1, others = p->nested ? 1.0 / 7 : 0, grids = p->nested ? 8.0 / 7 : 0;
    return (voxels * ((finest + others) * NETWORK_SECONDS +
                      grids * (apart ? COARSER_SECONDS_APART : COARSER_SECONDS)) +
            cycles * p->chambers * SOLVE_SECONDS + thresholds_seconds(geom, o)) /
           threads;
}

/* Runs of 5e4 to 1.3e7 nodes on two cores of a Xeon took a tenth longer, in the median, than what is
 * counted: more nodes than are timed lie farther from the processors. */
#define BESIDES 1.1

/* Sums over all nodes of a GPU take no longer than so many steps. Those of the few nodes that are timed wait
 * for the host instead. */
#define SIGHT_MOST 1.5

double rill_plan_seconds(const rill_geom *geom, const rill_permeability_options *o,
                         const rill_permeability_plan *p, rill_speed speed, double devices, int threads)
{
    if (speed.mlups == 0) return 0;
    const int runs = rill_axes_count(rill_tensor_driven(&p->porosity, o->axis));
    const double grids = p->nested ? 8.0 / 7 : 1; /* each has an eighth of the nodes of the one before */
    const double sight =
        o->on.device->backend->traits.processor ? speed.sight : fmin(speed.sight, SIGHT_MOST);
    /* All nodes are summed up twice in a cycle, or once in `every` steps. */
    const double sights = p->network ? 2.0 / cycle_likely(o, p) : 1.0 / (double)p->every;
    const double step =
        (1 + sight * sights) * (double)(p->nodes + p->reservoirs) / (devices * speed.mlups * 1e6);
    return runs * (o->on.device->backend->host ? BESIDES : 1) *
           (grids * rill_plan_steps_likely(o, p) * step + rill_plan_host_seconds(geom, o, p, threads));
}
