/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses relaxation time and force from the measure of a pore space. Runs nothing. */
#include "permeability/plan.h"
#include "geometry/voxels/axes.h"
#include "kernel/variant.h"
#include "core/status.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/stream.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>

/* Speed of sound squared of all lattices here. */
#define CS2 (1.0 / 3.0)
/* Obstacles are far apart if the opening is this much longer than 1 / (wall area per volume of pore), or if
 * it is that of the box: 1.3 in slits, 2.7 in square ducts, 3 to 6 in packs, 11 at random positions. Solid of
 * more than this part of the box is none. */
#define OBSTACLES 6.0
#define OBSTACLES_MOST 0.3
/* Square of the first zero of J0: momentum in a pipe of radius R decays within R^2 / (5.78 nu). */
#define PIPE_MODE 5.783186
/* Bounds of the chosen tau: below, sound rings for long; above, k is as exact but nothing gets faster. */
#define TAU_MIN 0.505
#define TAU_MAX 60.0
/* With inertia, and viscosities that depend on the rate of shear. */
#define TAU_MAX_NONLINEAR 2.0
/* With interpolated bounce-back k depends on tau: by half a percent at most up to here (docs/method.md). */
#define TAU_INTERPOLATED 0.8
/* The walls of these collisions move with tau, those of central moments and cumulants where third moments are
 * so large that they relax at 1 (docs/method.md). At the one chosen they are where TRT has them with the
 * magic parameter 3/16 = (tau - 1/2)(tau_odd - 1/2): tau_odd is tau for SRT, 1 for the others. */
#define TAU_SRT (0.5 + 0.4330127018922193)
#define TAU_MOMENTS 0.875
/* The balance leans to a fast pressure: throats make it slower than estimated, see docs/method.md. */
#define PRESSURE_FIRST 0.75
/* Kinetic modes decay within so many times tau. Where nothing else limits tau, momentum takes many more: the
 * energies of the flow know nothing of these modes. */
#define KINETIC_TAUS 1.5
#define KINETIC_APART 10
/* What the chosen force aims at; the estimates behind it may be off by a factor of ten. */
#define MACH_AIM 0.005
#define REYNOLDS_AIM 0.001
#define DENSITY_AIM 0.01
/* Stokes flow is proportional to the force at any speed: where 16 bits store it, so many times as much lifts
 * it above the smallest numbers of the format, and populations stay below a tenth of its largest ones. */
#define NARROW_FORCE 20
/* The slowest mode of a slit of width w decays within w^2 / (pi^2 nu). The wall area per volume of pore says
 * how much faster it is in other ducts: of a x b by 1 + (a/b)^2, and their walls are longer by 1 + a/b. */
static double duct_mode(const rill_pore_measure *m)
{
    const double slits =
        0.75 * m->opening * m->surface / m->porosity; /* 1 in a slit, walls counted as smooth */
    return m->confined ? fmin(M_PI * M_PI * fmax(1, slits), 4 * PIPE_MODE) : 4 * PIPE_MODE;
}

/* Obstacles far apart, as fibres or specks: wall area per volume of pore is that of much narrower pores. */
static bool obstacles(const rill_pore_measure *m)
{
    const double c = 1 - m->porosity;
    return c > 0 && c <= OBSTACLES_MOST && (m->open || m->opening * m->surface > OBSTACLES * m->porosity);
}

/* Of a pore network that conducts less than this part of what voxels and walls say, all flow is pressed
 * through long or few ducts. */
#define LITTLE_FLOWS 0.1
/*
 * Kozeny-Carman with the constant 5, and a cube of the porosity below 0.35 for the pores that lead
 * nowhere: within a factor of three of the Fontainebleau crops and packings it was tried on. Of spheres far
 * apart it makes far too much: Stokes drag 2 c / S^2, less what they are in each other's way (Koch & Sangani
 * 1999, doi:10.1017/S0022112099006151).
 */
static double k_of_walls(const rill_pore_measure *m)
{
    const double open = fmin(1, m->porosity / 0.35), c = 1 - m->porosity;
    const double square = 1 / (m->surface * m->surface);
    const double carman = m->porosity * m->porosity * m->porosity / 5 * square * open * open * open;
    if (!obstacles(m)) return carman;
    const double drag = 1 + 3 * sqrt(c / 2) + 135.0 / 64 * c * log(c) + 16.456 * c;
    return fmin(carman, 2 * c / drag * square);
}

/* The drag of obstacles far apart stops the fluid between them as walls do that are so many times closer than
 * the opening at which momentum would settle as late. A regular array is open along straight lines however
 * many cells of it there are: the box says nothing of its width. */
#define DRAG_WIDTHS 2
static double opening_by_drag(const rill_pore_measure *m)
{
    if (!m->open || !obstacles(m) || !(m->surface > 0)) return m->opening;
    return fmin(m->opening, DRAG_WIDTHS * sqrt(4 * PIPE_MODE * k_of_walls(m) / m->porosity));
}

static bool little_flows(const rill_pore_measure *m)
{
    return m->conducts > 0 && m->conducts < LITTLE_FLOWS * k_of_walls(m);
}

/* The pore network knows better, but not what obstacles far apart do: in 47 pore spaces of all kinds but
 * these it conducted 0.6 to 1.4 times k, in noise and through holes between chambers 1.6 to 2 times. */
#define CONDUCTS_MOST 2
double rill_plan_k_guess(const rill_pore_measure *m)
{
    return m->conducts > 0 && (!obstacles(m) || little_flows(m)) ? m->conducts : k_of_walls(m);
}

/* Steps in which momentum diffuses across the widest pores, and pressure along the box, times 1/nu and nu.
 * Between obstacles far apart, momentum grows until their drag is as large as the force. */
static double across_time(const rill_pore_measure *m) { return m->opening * m->opening / duct_mode(m); }

static double momentum_time(const rill_pore_measure *m, double k)
{
    return obstacles(m) ? fmax(across_time(m), k / m->porosity) : across_time(m);
}

static double viscous_time(const rill_permeability_plan *p) { return p->momentum; }

static double pressure_time(const rill_permeability_plan *p, double k)
{
    const double wave = p->length / (2 * M_PI);
    return wave * wave * p->pores.porosity / (k * CS2);
}

/* The same, or so many times tau, about. */
static double slow_time(const rill_permeability_plan *p, double taus)
{
    return fmax(pressure_time(p, p->k_expected), 3 * taus);
}

/*
 * With a pore network for the pressures, momentum alone must settle: the faster, the larger tau, until it is
 * the kinetic modes that take their time, which populations remember for about tau steps. In wide pores,
 * where runs start from coarser grids, a cycle is so many times tau. In narrow ones CYCLE_LEAST is more than
 * that, and tau may be larger.
 */
#define TAU_NETWORK 2.0
#define TAU_NARROW 4.0
#define TAU_WIDE 20.0
#define CYCLE_TAUS 8
#define CYCLE_TAUS_NARROW 6
/* The odd populations' tau - 1/2 at a chosen tau, at most and at least: 0.0096 at tau = 20 with the default.
 */
#define ODD_LONG 6.0
#define ODD_SHORT 0.008
/* The same of time steps alone, which are made with the default from tau = 0.505 to 60. */
#define ODD_LONG_ALONE 37.5
#define ODD_SHORT_ALONE 0.003
/* Steps of a cycle: so many times what momentum needs, and the fewest, with pores that may be wider than the
 * opening, too; cycles of a run, about, from rest and from coarser grids. */
#define CYCLE_TIMES 0.8
#define CYCLE_LEAST 32
#define CYCLE_LEAST_WIDER 40
#define CYCLES 8
#define CYCLES_NESTED 5
/* Memory of steps where density and momentum are stored; the most steps of a cycle with it, and half of those
 * between its sights. */
#define MEMORY_LEAST 0.3
#define MEMORY_MOST 0.9
#define MEMORY_NARROW 0.5 /* where pressures are what settles last */
#define MEMORY_CYCLE_MOST 64
#define MEMORY_BETWEEN 4
#define MEMORY_FLOW 1e-4 /* k per porosity and squared width of the widest pores, below which that is so */
/* Where momentum settles in so many steps, walls damp sound in cycles that end with time steps, too
 * (eigenvalues of waves of 8 to 300 nodes whose momentum decays so). */
#define SOUND_SETTLES 30
/* Runs start from coarser grids where pores are at least so wide: in narrower ones 2^3 voxels in one close
 * throats. Between walls, boxes are at least so many voxels along each axis: what is periodic or mirrored may
 * be as thin as a voxel. Obstacles far apart are at least so many voxels thick, and walls so many on the
 * coarsest grid. */
#define NESTED_OPENING 32
#define NESTED_DIAMETER 6.0
#define NESTED_WALLS 1.5
enum { NESTED_EDGE = 8 };
/*
 * Pressures are as large as the box is long, and what they round to is as much of the flow as the viscosity
 * is large and the permeability small: epsilon phi L^2 nu / k. A thousandth of it was seen in k.
 */
#define ROUNDING_MOST 0.05
/* Within a pore, where no network corrects pressures, they even out in so many cycles at most: over a part of
 * its width e in (e / pi)^2 phi nu / (k c_s^2) steps. */
#define PORE_CYCLES 1.5
#define PORE_PART 0.4
/* Steps in which momentum settles where pressures were corrected, at least so many. */
static uint64_t cycle_of(const rill_permeability_plan *p, double least)
{
    return 2 * (uint64_t)ceil(0.5 * fmax(least, CYCLE_TIMES * viscous_time(p) / p->nu));
}

/* The fewest steps of a cycle of corrections. If a box without walls is no wider than the opening, as a sheet
 * of one voxel, pores may be wider than the opening. Below TAU_NETWORK the cycle then has the steps in which
 * momentum diffuses as far as in CYCLE_LEAST steps at TAU_NETWORK. */
static double cycle_least(const rill_geom *geom, const rill_permeability_plan *p)
{
    bool wider = false;
    for (int a = 0; a < 3; a++)
        wider = wider || (geom->sides[a] != RILL_WALL && p->pores.opening >= geom->n[a]);
    if (wider) return CYCLE_LEAST_WIDER * fmax((TAU_NETWORK - 0.5) / (p->tau - 0.5), 1);
    return rill_plan_nu_is_small(p) ? CYCLE_LEAST_WIDER : CYCLE_LEAST;
}

/*
 * The largest viscosity at which pressures even out within the chambers of half of the pores in a cycle: a
 * network corrects those of whole chambers, and what flows from one into the next follows them only then. In
 * a duct whose nodes conduct g per gradient pressure diffuses by g c_s^2 / nu, over an edge e as exp(-(pi /
 * e)^2 g c_s^2 t / nu). A row of single nodes conducts rill_network_row() times the magic parameter, a duct
 * of w nodes 0.0351 w^2.
 */
#define EVEN_TIMES 6
#define DUCT 0.0351
static double nu_of_ducts(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    if (!p->pressed && p->pores.opening >= 2) return INFINITY;
    const bool paired = o->variant.collision == RILL_TRT || o->variant.collision == RILL_MRT;
    const double single = (paired ? o->magic : 3.0 / 16) * rill_network_row(o->variant.lattice),
                 wave = M_PI / p->pores.edge;
    const double conducts = p->pores.narrow < 2 ? single : DUCT * p->pores.narrow * p->pores.narrow;
    return CYCLE_LEAST_WIDER * wave * wave * conducts * CS2 / EVEN_TIMES;
}

/* The relaxation time at which momentum settles soonest: CYCLE_TIMES viscous_time / nu = taus tau. */
static double tau_of_network(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double taus = p->nested ? CYCLE_TAUS : CYCLE_TAUS_NARROW, most = p->nested ? TAU_WIDE : TAU_NARROW;
    const double product = 3 * CYCLE_TIMES * viscous_time(p) / taus; /* (tau - 1/2) tau */
    const double settles = fmin(fmax(0.25 + sqrt(0.0625 + product), TAU_NETWORK), most);
    return fmax(fmin(settles, 0.5 + 3 * nu_of_ducts(o, p)), TAU_MIN);
}

/* The relaxation time that a variant needs, for its state or its walls; 0: any. */
static double tau_needed(rill_variant v)
{
    const rill_collision collision = v.collision;
    if (rill_stream_macroscopic((int)v.stream)) return 1;
    if (collision == RILL_SRT) return TAU_SRT;
    return collision == RILL_CENTRAL_MOMENT || collision == RILL_CUMULANT ? TAU_MOMENTS : 0;
}

double rill_plan_magic(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double even = p->tau - 0.5;
    return o->variant.collision == RILL_SRT ? even * even : o->magic;
}

double rill_plan_magic_before(const rill_permeability_options *o)
{
    const double walls = tau_needed(o->variant);
    return rill_plan_magic(o, &(rill_permeability_plan){.tau = o->tau != 0 ? o->tau : walls});
}

/* A tau at which the odd populations, which relax slowly with a large magic parameter, are not remembered for
 * long.
 */
static double tau_remembered(const rill_permeability_options *o, double tau, double longest, double shortest)
{
    const bool paired = o->variant.collision == RILL_TRT || o->variant.collision == RILL_MRT;
    return paired ? fmin(fmax(tau, 0.5 + o->magic / longest), 0.5 + o->magic / shortest) : tau;
}

/* In ducts of one voxel, where a network knows the less of the corners, the larger the magic parameter is,
 * pressures must even out in a cycle more than odd populations must be forgotten: cycles are longer instead.
 */
static double odd_longest(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    return p->pores.narrow < 2 ? fmax(ODD_LONG, o->magic / (TAU_NARROW - 0.5)) : ODD_LONG;
}

/* Steps that populations remember, the even or the odd ones. Near 1/2 they alternate, and means of two steps
 * are free of them. */
static double memory(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    return 0.5 + fmax(p->tau - 0.5, rill_plan_magic(o, p) / (p->tau - 0.5));
}

static const char *tau_needed_reason(rill_variant v)
{
    return rill_stream_macroscopic((int)v.stream)
               ? "the equilibrium, which is stored, is all that leaves a node at this one"
               : "the walls of this collision move with it, and are half-way at this one";
}

/* Pressures are what settles last where so little flows through pores so wide. */
static bool narrow(const rill_permeability_plan *p)
{
    const double wide = p->pores.porosity * p->pores.opening * p->pores.opening;
    return rill_plan_k_guess(&p->pores) < MEMORY_FLOW * wide;
}

/*
 * Where density and momentum are stored, steps relax with memory: see rill_relaxation_of(). A slowest mode
 * that decays within t steps does so in about (1 - memory) t / 1.3 then, and fastest with (1 - sqrt(1.3 /
 * t))^2. With more than MEMORY_MOST a cycle is hardly longer than what is remembered.
 */
static void remember(rill_permeability_plan *p)
{
    const double settles = viscous_time(p) / p->nu;
    const double most = pow(fmax(1 - sqrt(1.3 / settles), 0), 2);
    p->memory = fmin(fmax(most, MEMORY_LEAST), narrow(p) ? MEMORY_NARROW : MEMORY_MOST);
    const double cycle = CYCLE_TIMES * (1 - p->memory) / 1.3 * settles;
    p->cycle = 2 * (uint64_t)ceil(0.5 * fmin(fmax(cycle, CYCLE_LEAST), MEMORY_CYCLE_MOST));
}

static void network_choose(const rill_geom *geom, const rill_permeability_options *o,
                           rill_permeability_plan *p)
{
    const bool interpolated = geom->surface != NULL;
    const double walls = tau_needed(o->variant), ducts = 0.5 + 3 * nu_of_ducts(o, p);
    const double longest = odd_longest(o, p);
    const double tau = o->tau != 0    ? o->tau
                       : walls != 0   ? walls
                       : interpolated ? TAU_INTERPOLATED
                       : o->start == RILL_START_REST
                           ? tau_remembered(o, fmin(tau_of_network(o, p), TAU_NETWORK), longest, ODD_SHORT)
                           : tau_remembered(o, tau_of_network(o, p), longest, ODD_SHORT);
    p->network = true;
    p->tau = tau;
    p->nu = (tau - 0.5) / 3;
    /* At a tau that is requested, or at the least one that is chosen, pressures may even out slowly. */
    const double slower = fmax(3 * p->nu / (ducts - 0.5), 1);
    p->cycle = cycle_of(p, fmax(slower * cycle_least(geom, p), CYCLE_TAUS_NARROW * memory(o, p)));
    if (rill_stream_macroscopic((int)o->variant.stream)) remember(p);
    p->steps_expected = (p->nested ? CYCLES_NESTED : CYCLES) * (double)p->cycle;
    snprintf(p->tau_reason, sizeof p->tau_reason, "%s",
             o->tau != 0    ? "as requested"
             : walls != 0   ? tau_needed_reason(o->variant)
             : interpolated ? "above it, walls of interpolated bounce-back move with the viscosity"
             : ducts <= tau ? "above it, pressures even out slowly in ducts as narrow as these"
                            : "momentum settles soonest, a pore network corrects the pressures");
}

void rill_plan_tune(const rill_permeability_options *o, double k, rill_permeability_plan *p)
{
    const double wave = PORE_PART * p->pores.opening / M_PI;
    const double even =
        sqrt(PORE_CYCLES * CYCLE_TIMES * viscous_time(p) * k * CS2 / p->pores.porosity) / wave;
    const double rounding = ROUNDING_MOST / rill_plan_rounding(o, p, k) * p->nu;
    const double nu = fmin(rounding, even);
    const double least = (TAU_NETWORK - 0.5) / 3;
    p->k_expected = k;
    if (o->tau != 0 || tau_needed(o->variant) != 0 || nu >= p->nu || least >= p->nu) return;
    const double before = p->nu;
    p->nu = fmax(nu, least);
    p->tau = 0.5 + 3 * p->nu;
    p->cycle = cycle_of(p, CYCLE_LEAST);
    p->steps_expected = CYCLES_NESTED * (double)p->cycle;
    if (o->force == 0)
        p->force *= p->nu / before * fmin(1, p->nu / before); /* Mach and Reynolds stay below */
    snprintf(p->tau_reason, sizeof p->tau_reason,
             nu == even ? "above it, pressures even out slowly in narrow pores"
                        : "above it, rounding would show in so small a flow");
}

/*
 * Where so little flows, measured by the squared width of the widest pores, pressures are the same in a whole
 * chamber, and all of its nodes round alike: boxes with pierced plates had six times the error that
 * rill_plan_rounding() counts in. A quarter of the tolerance is let pass.
 */
#define SLOW_FLOW 1e-5
#define ROUNDING_ALIKE (250.0 / 6)

bool rill_plan_rounds_alike(const rill_permeability_options *o, const rill_permeability_plan *p, double k)
{
    const bool chosen = o->tau == 0 && tau_needed(o->variant) == 0 && p->tau > TAU_NETWORK;
    return chosen && k < SLOW_FLOW * p->pores.porosity * p->pores.opening * p->pores.opening &&
           rill_plan_rounding(o, p, k) > ROUNDING_ALIKE * o->tolerance;
}

bool rill_plan_nu_is_small(const rill_permeability_plan *p) { return p->nu < (TAU_NETWORK - 0.5) / 3; }

bool rill_plan_sound_lasts(const rill_permeability_plan *p)
{
    return viscous_time(p) / p->nu > SOUND_SETTLES && !narrow(p);
}

bool rill_plan_sloshes(const rill_permeability_plan *p)
{
    return p->network && p->pores.crossed && p->pressed && !p->nested;
}

uint64_t rill_plan_between(const rill_permeability_plan *p)
{
    if (p->memory > 0) return 2 * MEMORY_BETWEEN;
    return 2 * (uint64_t)fmax(4, floor((double)p->cycle / 6));
}

/* Obstacles of a few voxels, whose drag sets k, become larger or vanish on coarser grids. */
static bool vanishes(const rill_pore_measure *m, double k)
{
    const double diameter = 6 * (1 - m->porosity) / m->surface;
    return diameter < NESTED_DIAMETER && momentum_time(m, k) > across_time(m);
}

/* What is thin against the pores between it is lost on the coarsest grid: a voxel that is half pore becomes
 * pore. Plane walls have 3/2 of the surface, obstacles are as spheres. */
static bool walls_vanish(const rill_pore_measure *m)
{
    const bool apart = obstacles(m);
    const double solid = 1 - m->porosity, halvings = 1 + floor(log2(m->opening / NESTED_OPENING)),
                 thickness = apart ? 6 * solid / m->surface : solid / (0.75 * m->surface),
                 least = apart ? NESTED_DIAMETER / 2 : NESTED_WALLS;
    return solid <= OBSTACLES_MOST && thickness < least * exp2(halvings);
}

/* Coarser grids are made of voxels, without a surface. */
static bool nested_serves(const rill_geom *geom, const rill_permeability_options *o,
                          const rill_pore_measure *m, double k)
{
    bool wide = o->start == RILL_START_AUTO && m->opening >= NESTED_OPENING && !geom->surface &&
                rill_dimensions(o->variant.lattice) == 3 && !vanishes(m, k) && !walls_vanish(m);
    for (int a = 0; a < 3; a++) wide = wide && (geom->n[a] >= NESTED_EDGE || geom->sides[a] != RILL_WALL);
    return wide;
}

/* Steps of a run without a network, where pressures must even out along the longest side of the box, too:
 * into dead ends beside a short way. */
static double steps_across(const rill_geom *geom, const rill_permeability_plan *p)
{
    rill_permeability_plan across = rill_plan_copy(p);
    for (int a = 0; a < 3; a++) across.length = fmax(across.length, geom->n[a]);
    return p->steps_expected +
           5 * fmax(slow_time(&across, KINETIC_TAUS) - slow_time(p, KINETIC_TAUS), 0) * p->nu;
}

static void tau_choose(const rill_permeability_options *o, bool interpolated, rill_permeability_plan *p)
{
    const double asked = o->tau, walls = tau_needed(o->variant);
    const bool linear = o->variant.equilibrium == RILL_STOKES && o->variant.rheology == RILL_NEWTONIAN;
    const double most = interpolated ? TAU_INTERPOLATED : linear ? TAU_MAX : TAU_MAX_NONLINEAR;
    const double slow = slow_time(p, KINETIC_APART), thick = viscous_time(p);
    const double balance = PRESSURE_FIRST * sqrt(thick / slow);
    if (asked != 0) {
        p->tau = asked;
        snprintf(p->tau_reason, sizeof p->tau_reason,
                 "as requested; pressure and momentum would settle alike at %.3g", 0.5 + 3 * balance);
    } else if (walls != 0) {
        p->tau = walls;
        snprintf(p->tau_reason, sizeof p->tau_reason, "%s", tau_needed_reason(o->variant));
    } else {
        p->tau = fmax(tau_remembered(o, 0.5 + 3 * balance, ODD_LONG_ALONE, ODD_SHORT_ALONE), TAU_MIN);
        p->tau = fmin(p->tau, most);
        snprintf(
            p->tau_reason, sizeof p->tau_reason,
            interpolated && 3 * balance + 0.5 > most
                ? "above it, walls of interpolated bounce-back move with the viscosity"
            : 3 * balance + 0.5 > most ? "momentum settles in no more than a few passes of the box"
            : slow > pressure_time(p, p->k_expected)
                ? "momentum settles in some 20 tau, and kinetic modes before it"
            : 3 * balance + 0.5 < TAU_MIN
                ? "the pores are so tight that only stability sets the limit"
                : "pressure along the box and momentum across the widest pores settle in about %.2g steps each",
            0.5 * (slow * balance + thick / balance));
    }
    p->nu = (p->tau - 0.5) / 3;
}

static void force_choose(const rill_permeability_options *o, const rill_pore_measure *m,
                         rill_permeability_plan *p)
{
    /* Per unit of force: the largest speed, that of a slit as wide as the opening; the Reynolds number in
     * pores that are not folded, as speeds in folded ducts are far above the mean along the axis. */
    const double speed = p->pores.opening * p->pores.opening / (8 * p->nu);
    const double reynolds =
        k_of_walls(m) / (p->nu * p->pores.porosity) * 4 * p->pores.porosity / m->surface / p->nu;
    const double mach = speed / sqrt(CS2), density = p->length / CS2;
    p->force = o->force;
    snprintf(p->force_reason, sizeof p->force_reason, "as requested");
    if (o->force == 0) {
        /* Stokes flow knows no Reynolds number, and formats of 16 bits have a smallest number. */
        const bool large =
            o->variant.equilibrium == RILL_STOKES && rill_storage_size((int)o->variant.storage) == 2;
        const double more = large ? NARROW_FORCE : 1;
        const double by_mach = more * MACH_AIM / mach, by_density = more * DENSITY_AIM / density;
        const double by_reynolds = large ? INFINITY : REYNOLDS_AIM / reynolds;
        p->force = fmin(by_mach, fmin(by_reynolds, by_density));
        snprintf(p->force_reason, sizeof p->force_reason,
                 p->force == by_mach       ? "keeps the expected Mach number at %g"
                 : p->force == by_reynolds ? "keeps the expected Reynolds number at %g"
                                           : "keeps the expected change of density at %g",
                 p->force == by_mach       ? more * MACH_AIM
                 : p->force == by_reynolds ? REYNOLDS_AIM
                                           : more * DENSITY_AIM);
    }
    p->mach = mach * fabs(p->force);
    p->reynolds = reynolds * fabs(p->force);
}

rill_permeability_options rill_plan_resolve(const rill_geom *geom, const rill_permeability_options *options)
{
    rill_permeability_options resolved = *options;
    resolved.axis = rill_axes_resolve(options->axis, geom->n);
    return resolved;
}

/* Where folds are alike, pressures must even out along a part of the box alone: a tenth of the expected steps
 * were enough there. */
#define LONG_TIMES 10

/* Refuse time steps alone that would not come to their end, where the pore network says how long pressures
 * need. */
static rill_status long_check(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    if (p->network || !p->pressed || p->steps_expected <= LONG_TIMES * (double)o->max_steps) return RILL_OK;
    return rill_fail(
        RILL_NUMERICS,
        "pressures need about %.1g time steps to settle in ducts as long as these, and max_steps is %llu: %s",
        p->steps_expected, (unsigned long long)o->max_steps,
        rill_plan_network_serves(o)
            ? "leave --acceleration none out, or raise --max-steps"
            : "choose what a pore network accelerates, a body force with half-way bounce-back, the stokes equilibrium, "
              "fp32 or fp64 storage and another lattice than d3q15, or raise --max-steps");
}

/* Through ducts of one voxel corrections led nowhere from a magic parameter of 30 on: corners hold the flow
 * up, which the network knows as straight parts. */
#define MAGIC_CORNERS 20.0

static rill_status corners_check(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double magic = rill_plan_magic(o, p);
    if (!p->network || !p->pressed || p->pores.narrow >= 2 || magic <= MAGIC_CORNERS) return RILL_OK;
    return rill_fail(
        RILL_NUMERICS,
        "all flow passes ducts one voxel wide, whose corners the pore network does not model at a magic parameter of %g, above %g: "
        "choose a smaller one, such as 3/16, which puts walls midway between nodes%s",
        magic, MAGIC_CORNERS, o->variant.collision == RILL_SRT ? ": it is (tau - 1/2)^2 with srt" : "");
}

rill_status rill_plan_choose(const rill_geom *geom, const rill_pore_measure *measured,
                             const rill_permeability_options *options, rill_permeability_plan *p)
{
    rill_pore_measure own = *measured;
    const rill_pore_measure *m = &own;
    const rill_status status = rill_plan_check(options);
    if (status != RILL_OK) return status;
    /* The default keeps the plans with which its uncertainties were tried. */
    if (rill_stream_macroscopic((int)options->variant.stream)) own.opening = opening_by_drag(measured);
    if (m->voxels == 0)
        return rill_fail(RILL_USAGE, "the geometry has no pore voxel: check which grey values are pore");
    if (m->surface == 0)
        return rill_fail(
            RILL_NUMERICS,
            "the geometry has no wall, so nothing resists the flow and there is no permeability: if walls bound it across the flow, say so (--sides wall)");
    p->network = p->nested = false;
    p->storage = options->variant.storage;
    p->nodes = m->voxels;
    p->pores = *m;
    p->pressed = little_flows(m);
    p->length = 0;
    for (int a = 0; a < 3; a++) {
        const double length = geom->n[a] * (geom->sides[a] == RILL_MIRROR ? 2.0 : 1.0);
        if (rill_axes_has(options->axis, a)) p->length = fmax(p->length, length);
    }
    p->k_expected = rill_plan_k_guess(m);
    p->momentum = momentum_time(m, p->k_expected);
    tau_choose(options, geom->surface != NULL, p);
    const double slow = slow_time(p, KINETIC_TAUS) * p->nu, thick = viscous_time(p) / p->nu;
    p->steps_expected = 5 * (slow + thick) + p->length / sqrt(CS2);
    p->every = options->every ? options->every : 2 * (uint64_t)fmin(fmax((slow + thick) / 320, 2), 16);
    const bool asked = options->acceleration == RILL_ACCELERATION_NETWORK;
    const bool serves = asked || rill_network_serves(p->nodes, m->chambers);
    p->chambers = rill_plan_network_sees(options) && serves ? m->chambers : 0;
    p->cycle = cycle_of(p, CYCLE_LEAST);
    if (options->acceleration != RILL_ACCELERATION_NONE && p->chambers && rill_plan_network_serves(options)) {
        rill_permeability_plan network = *p;
        network.nested = nested_serves(geom, options, m, p->k_expected);
        network_choose(geom, options, &network);
        if (m->conducts > 0 && !network.nested &&
            rill_plan_rounds_alike(options, &network, network.k_expected / CONDUCTS_MOST)) {
            rill_permeability_options rest = *options;
            rest.start = RILL_START_REST;
            network_choose(geom, &rest, &network);
        }
        const double alone = fmax(fmax(steps_across(geom, p), rill_plan_alone_least(p)),
                                  rill_plan_pressures_alone(options, p));
        if (asked || network.steps_expected < alone) *p = network;
    }
    const rill_status corners = corners_check(options, p);
    if (corners != RILL_OK) return corners;
    const rill_status stored = rill_plan_storage_choose(geom, options, p);
    if (stored != RILL_OK) return stored;
    force_choose(options, m, p);
    const rill_status resolved = rill_plan_check_force(options, p->force);
    if (resolved != RILL_OK) return resolved;
    const rill_status ends = long_check(options, p);
    if (ends != RILL_OK) return ends;
    const double lost = rill_plan_plain(options, p);
    if (lost > options->tolerance && options->variant.storage == RILL_FP32)
        return rill_fail(
            RILL_USAGE,
            "plain populations round by up to %.2g times the force of %.2g in %s storage, and the tolerance is %g: "
            "choose shifted ones, fp64 storage, or a larger force",
            lost, p->force, rill_storage_names[options->variant.storage], options->tolerance);
    return RILL_OK;
}

rill_permeability_options rill_plan_stored(const rill_permeability_options *options, rill_storage storage)
{
    rill_permeability_options own = *options;
    own.variant.storage = storage;
    return own;
}

bool rill_plan_steps_apart(const rill_permeability_options *options)
{
    return options->on.device && !options->on.device->backend->traits.processor;
}

bool rill_plan_has_other(const rill_permeability_plan *plan, const rill_permeability_options *options)
{
    return options->acceleration == RILL_ACCELERATION_AUTO && rill_plan_network_serves(options) &&
           plan->chambers;
}

rill_status rill_plan_other(const rill_geom *geom, const rill_permeability_plan *plan,
                            const rill_permeability_options *options, rill_acceleration way,
                            rill_permeability_plan *other)
{
    rill_permeability_options o = *options;
    rill_pore_measure measure = plan->pores;
    measure.chambers = plan->chambers;
    o.acceleration = way;
    o.start = RILL_START_REST;
    *other = rill_plan_copy(plan);
    return rill_plan_choose(geom, &measure, &o, other);
}

double rill_plan_patience(const rill_permeability_plan *p, double k)
{
    const double sound = p->length / sqrt(CS2), thick = viscous_time(p) / p->nu;
    const double slow = k > 0 ? pressure_time(p, k) * p->nu : 0;
    return fmax(sound, fmax(thick, slow));
}

bool rill_plan_makes_network(const rill_permeability_plan *p, const rill_permeability_options *options)
{
    const double steps = (double)options->max_steps;
    return p->chambers && steps >= (p->network ? (double)p->cycle : rill_plan_patience(p, 0));
}
