/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a pore space and chooses relaxation time and force from it. Runs nothing. */
#include "permeability/plan.h"
#include "geometry/voxels/axes.h"
#include "geometry/voxels/planes.h"
#include "kernel/rounding.h"
#include "kernel/variant.h"
#include "core/clock.h"
#include "core/memory.h"
#include "core/status.h"
#include "kernel/storage.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Speed of sound squared of all lattices here. */
#define CS2 (1.0 / 3.0)
/* Square of the first zero of J0: momentum in a pipe of radius R decays within R^2 / (5.78 nu). */
#define PIPE_MODE 5.783186
/* Bounds of the chosen tau: below, sound rings for long; above, k is as exact but nothing gets faster. */
#define TAU_MIN 0.505
#define TAU_MAX 2.0
/* With interpolated walls k depends on tau: by half a percent at most up to here (docs/method.md). */
#define TAU_INTERPOLATED 0.8
/* The walls of these collisions move with tau. At the one chosen they are where TRT has them with the magic
 * parameter 3/16 = (tau - 1/2)(tau_odd - 1/2): tau_odd is tau for SRT, 1 for central moments and cumulants.
 */
#define TAU_SRT (0.5 + 0.4330127018922193)
#define TAU_MOMENTS 0.875
/* The balance leans to a fast pressure: throats make it slower than estimated, see docs/method.md. */
#define PRESSURE_FIRST 0.75
/* What the chosen force aims at; the estimates behind it may be off by a factor of ten. */
/* Populations of fluid at rest, not less their weights, round to half a unit of these: the momentum of a node
 * of D3Q19 by up to so many units in the last place of 1. */
#define PLAIN_MOMENTUM 0.25
#define MACH_AIM 0.005
#define REYNOLDS_AIM 0.001
#define DENSITY_AIM 0.01
/* Voxels whose opening is measured, at most. */
enum { OPENING_SAMPLE = 20000, OPENING_BINS = 4096 };

/* Voxels that are counted in a byte, so that many are compared at a time. */
enum { BYTE_MOST = 255 };

/* Return how many of `count` voxels are pores. */
static uint64_t pores_count(const uint8_t *row, uint32_t count)
{
    uint64_t pores = 0;
    for (uint32_t x = 0, end; x < count; x = end) {
        uint8_t part = 0;
        end = count - x < BYTE_MOST ? count : x + BYTE_MOST;
        for (uint32_t k = x; k < end; k++) part = (uint8_t)(part + (row[k] >= RILL_FLUID));
        pores += part;
    }
    return pores;
}

/* Return between how many voxels of two rows there is a wall. */
static uint64_t walls_between(const uint8_t *row, const uint8_t *other, uint32_t count)
{
    uint64_t walls = 0;
    for (uint32_t x = 0, end; x < count; x = end) {
        uint8_t part = 0;
        end = count - x < BYTE_MOST ? count : x + BYTE_MOST;
        for (uint32_t k = x; k < end; k++)
            part = (uint8_t)(part + ((row[k] >= RILL_FLUID) != (other[k] >= RILL_FLUID)));
        walls += part;
    }
    return walls;
}

/* Walls counted on the faces of one plane of constant z towards -x, -y, -z, and fluid voxels of the plane.
 * @param below  the plane below, of the first the last */
static void plane_count(const rill_geom *geom, uint32_t z, const uint8_t *here, const uint8_t *below,
                        uint64_t *fluid, uint64_t *walls)
{
    const uint32_t nx = geom->n[0], ny = geom->n[1], nz = geom->n[2];
    const rill_side *side = geom->sides;
    for (uint32_t y = 0; y < ny; y++) {
        const uint8_t *row = here + (uint64_t)nx * y;
        const uint8_t *front = y ? row - nx : here + (uint64_t)nx * (ny - 1);
        const uint8_t *under = below + (uint64_t)nx * y;
        const uint64_t pores = pores_count(row, nx);
        *fluid += pores;
        *walls += walls_between(row + 1, row, nx - 1);
        if (side[0] == RILL_PERIODIC) *walls += walls_between(row, row + nx - 1, 1);
        if (y || side[1] == RILL_PERIODIC) *walls += walls_between(row, front, nx);
        if (z || side[2] == RILL_PERIODIC) *walls += walls_between(row, under, nx);
        if (side[0] == RILL_WALL) *walls += pores_count(row, 1) + pores_count(row + nx - 1, 1);
        if (side[1] == RILL_WALL) *walls += pores * ((y == 0) + (y == ny - 1));
        if (side[2] == RILL_WALL) *walls += pores * ((z == 0) + (z == nz - 1));
    }
}

/* A pore voxel whose opening is measured. */
typedef struct sample {
    uint32_t x, y, z;
    uint32_t smallest; /* run of pore through it, along the axes looked at so far */
    uint32_t length;   /* of the run along z, until it is as long as the smallest or has ended */
    bool ended;        /* on the side that is looked at */
} sample;

/* Length of the straight run of pore through voxel `at` of a row or column, at most as long as the box. */
static uint32_t run_length(const uint8_t *line, uint64_t stride, uint32_t n, uint32_t at, bool wraps)
{
    uint32_t length = 1;
    for (int way = 0; way < 2; way++) {
        uint32_t i = at;
        while (length < n) {
            if (way == 0 ? i == n - 1 : i == 0) {
                if (!wraps) break;
                i = way == 0 ? 0 : n - 1;
            } else {
                i = way == 0 ? i + 1 : i - 1;
            }
            if (line[i * stride] < RILL_FLUID) break;
            length++;
        }
    }
    return length;
}

/* Take the samples of a plane, and measure their runs along x and y. @param[in] seen  pores before it */
static void plane_sample(const rill_window *w, uint32_t z, uint64_t each, uint64_t seen, sample *samples)
{
    const rill_geom *geom = w->geom;
    const uint32_t nx = geom->n[0], ny = geom->n[1];
    uint64_t next = (seen + each - 1) / each;
    for (uint32_t y = 0; y < ny; y++) {
        const uint8_t *row = rill_window_row(w, y, z);
        const uint64_t pores = pores_count(row, nx);
        if (seen + pores <= next * each) { /* most rows have no sample */
            seen += pores;
            continue;
        }
        for (uint32_t x = 0; x < nx; x++) {
            if (row[x] < RILL_FLUID || seen++ != next * each) continue;
            const uint32_t along[2] = {
                run_length(row, 1, nx, x, geom->sides[0] == RILL_PERIODIC),
                run_length(rill_window_row(w, 0, z) + x, nx, ny, y, geom->sides[1] == RILL_PERIODIC)};
            const uint32_t less = along[0] < along[1] ? along[0] : along[1];
            samples[next++] = (sample){.x = x, .y = y, .z = z, .smallest = less, .length = 1};
        }
    }
}

/* See the next planes on one side of all samples, which go on from plane to plane. @return whether any run
 * may go on behind the planes that are seen */
static bool runs_follow(const rill_window *w, int way, uint64_t count, sample *samples, uint32_t *at)
{
    const uint32_t nz = w->geom->n[2];
    const bool wraps = w->geom->sides[2] == RILL_PERIODIC;
    bool any = false;
#pragma omp parallel for schedule(static) reduction(|| : any)
    for (uint64_t k = 0; k < count; k++) {
        sample *s = &samples[k];
        while (!s->ended && s->length < s->smallest && s->length < nz) {
            const bool last = at[k] == (way ? 0 : nz - 1);
            const uint32_t z = last ? (way ? nz - 1 : 0) : way ? at[k] - 1 : at[k] + 1;
            if (last && !wraps) {
                s->ended = true;
                break;
            }
            if (z < w->first || z >= w->first + w->count) break;
            if (rill_window_row(w, s->y, z)[s->x] < RILL_FLUID)
                s->ended = true;
            else
                s->length++, at[k] = z;
        }
        any = any || (!s->ended && s->length < s->smallest && s->length < nz);
    }
    return any;
}

/* Measure the runs along z, as far as they may be smaller than those along x and y: through windows up the
 * box, then down, and round once more where it is periodic. */
static rill_status runs_measure(rill_window *w, uint64_t count, sample *samples)
{
    rill_status status = RILL_OK;
    const uint32_t nz = w->geom->n[2], planes = rill_window_planes(w->geom);
    uint32_t *at = NULL;
    RILL_TRY(rill_array_create(count, sizeof *at, "samples of openings", (void **)&at));
    for (int way = 0; way < 2; way++) {
        bool any = count > 0;
        for (uint64_t k = 0; k < count; k++) at[k] = samples[k].z, samples[k].ended = false;
        for (int round = 0; round < 2 && any; round++)
            for (uint32_t seen = 0, some; seen < nz && any; seen += some) {
                some = nz - seen < planes ? nz - seen : planes;
                RILL_TRY(rill_window_see(w, way ? nz - seen - some : seen, some));
                any = runs_follow(w, way, count, samples, at);
            }
    }
    for (uint64_t k = 0; k < count; k++)
        if (samples[k].length < samples[k].smallest) samples[k].smallest = samples[k].length;
done:
    rill_array_destroy(at);
    return status;
}

/*
 * The 99th percentile of the smallest run over evenly spread pore voxels. @param before  [planes], pore
 * voxels in planes before
 */
static rill_status opening_measure(rill_window *w, uint64_t fluid, const uint64_t *before, double *out)
{
    rill_status status = RILL_OK;
    uint64_t bins[OPENING_BINS] = {0}, above = 0;
    const uint64_t each = fluid / OPENING_SAMPLE + 1, count = (fluid + each - 1) / each;
    sample *samples = NULL;
    RILL_TRY(rill_array_create(count, sizeof *samples, "samples of openings", (void **)&samples));
    for (uint32_t end = 0; rill_window_next(w, &end, &status);) {
#pragma omp parallel for schedule(dynamic)
        for (uint32_t z = w->first; z < end; z++) plane_sample(w, z, each, before[z], samples);
    }
    RILL_TRY(status);
    RILL_TRY(runs_measure(w, count, samples));
    for (uint64_t k = 0; k < count; k++)
        bins[samples[k].smallest < OPENING_BINS ? samples[k].smallest : OPENING_BINS - 1]++;
    *out = 1;
    for (int b = OPENING_BINS - 1; b > 0; b--) {
        above += bins[b];
        if (above * 100 <= count) continue;
        *out = b;
        break;
    }
done:
    rill_array_destroy(samples);
    return status;
}

/* Count the walls of all planes, and their pores. */
static rill_status walls_count(rill_window *w, uint64_t *pores, uint64_t *out)
{
    rill_status status = RILL_OK;
    const uint32_t nx = w->geom->n[0], ny = w->geom->n[1], nz = w->geom->n[2];
    const uint64_t plane = (uint64_t)nx * ny;
    uint64_t walls = 0;
    uint8_t *below = NULL; /* the plane below those that are seen */
    RILL_TRY(rill_array_create(plane, 1, "a plane of voxels", (void **)&below));
    RILL_TRY(rill_window_see(w, nz - 1, 1));
    memcpy(below, w->voxels, plane);
    for (uint32_t end = 0; rill_window_next(w, &end, &status);) {
#pragma omp parallel for schedule(static) reduction(+ : walls)
        for (uint32_t z = w->first; z < end; z++)
            plane_count(w->geom, z, rill_window_row(w, 0, z),
                        z == w->first ? below : rill_window_row(w, 0, z - 1), &pores[z], &walls);
        memcpy(below, rill_window_row(w, 0, end - 1), plane);
    }
    *out = walls;
done:
    rill_array_destroy(below);
    return status;
}

rill_status rill_pore_measure_take(const rill_geom *geom, rill_lattice lattice, rill_network *counted,
                                   rill_pore_measure *out)
{
    rill_status status = RILL_OK;
    uint64_t fluid = 0, walls = 0, *before = NULL;
    rill_window window = {.geom = geom};
    RILL_TRY(rill_array_create_zero(geom->n[2], sizeof *before, "pore voxels of planes", (void **)&before));
    RILL_TRY(walls_count(&window, before, &walls));
    for (uint32_t z = 0; z < geom->n[2]; z++) {
        const uint64_t here = before[z];
        before[z] = fluid;
        fluid += here;
    }
    const double volume = (double)rill_geom_voxels(geom);
    *out = (rill_pore_measure){
        .voxels = fluid, .porosity = (double)fluid / volume, .surface = (double)walls * (2.0 / 3.0) / volume};
    if (fluid) RILL_TRY(opening_measure(&window, fluid, before, &out->opening));
    RILL_TRY(rill_network_choose(geom, lattice, out->opening, fluid, counted));
    out->edge = counted->edge;
    out->chambers = counted->chambers;
done:
    rill_window_close(&window);
    rill_array_destroy(before);
    return status;
}

/*
 * Kozeny-Carman with the constant 5, and a cube of the porosity below 0.35 for the pores that lead
 * nowhere: within a factor of three of the Fontainebleau crops and packings it was tried on.
 */
static double k_guess(const rill_pore_measure *m)
{
    const double open = fmin(1, m->porosity / 0.35);
    return m->porosity * m->porosity * m->porosity / (5 * m->surface * m->surface) * open * open * open;
}

/* Steps in which momentum diffuses across the widest pores, and pressure along the box, times 1/nu and nu. */
static double viscous_time(const rill_permeability_plan *p)
{
    return p->opening * p->opening / (4 * PIPE_MODE);
}

static double pressure_time(const rill_permeability_plan *p, double k)
{
    const double wave = p->length / (2 * M_PI);
    return wave * wave * p->fluid / (k * CS2);
}

/*
 * With a pore network for the pressures, momentum alone must settle: the sooner, the larger tau, until it is
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
/* Steps of a cycle: so many times what momentum needs, and the fewest, with pores that may be wider than the
 * opening, too; cycles of a run, about, from rest and from coarser grids. */
#define CYCLE_TIMES 0.8
#define CYCLE_LEAST 32
#define CYCLE_LEAST_WIDER 40
#define CYCLES 8
#define CYCLES_NESTED 5
/* Runs start from coarser grids where pores are at least so wide: in narrower ones 2^3 voxels in one close
 * throats. Boxes are at least so many voxels along each axis. */
#define NESTED_OPENING 32
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

/* The fewest steps of a cycle of corrections. If the opening is the width of a box without walls, as in a
 * sheet of one voxel, pores may be wider than the opening. Below TAU_NETWORK the cycle then has the steps in
 * which momentum diffuses as far as in CYCLE_LEAST steps at TAU_NETWORK. */
static double cycle_least(const rill_geom *geom, const rill_permeability_plan *p)
{
    bool wider = false;
    for (int a = 0; a < 3; a++) wider = wider || (geom->sides[a] != RILL_WALL && p->opening >= geom->n[a]);
    if (wider) return CYCLE_LEAST_WIDER * fmax((TAU_NETWORK - 0.5) / (p->tau - 0.5), 1);
    return rill_plan_nu_is_small(p) ? CYCLE_LEAST_WIDER : CYCLE_LEAST;
}

/* The relaxation time at which momentum settles soonest: CYCLE_TIMES viscous_time / nu = taus tau. */
static double tau_of_network(const rill_permeability_plan *p)
{
    const double taus = p->nested ? CYCLE_TAUS : CYCLE_TAUS_NARROW, most = p->nested ? TAU_WIDE : TAU_NARROW;
    const double product = 3 * CYCLE_TIMES * viscous_time(p) / taus; /* (tau - 1/2) tau */
    return fmin(fmax(0.25 + sqrt(0.0625 + product), TAU_NETWORK), most);
}

/* The relaxation time that the walls of a collision need; 0: any. */
static double tau_of_walls(rill_collision collision)
{
    if (collision == RILL_SRT) return TAU_SRT;
    return collision == RILL_CENTRAL_MOMENT || collision == RILL_CUMULANT ? TAU_MOMENTS : 0;
}

double rill_plan_magic(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    const double even = p->tau - 0.5;
    switch (o->variant.collision) {
    case RILL_SRT:
        return even * even;
    case RILL_CENTRAL_MOMENT:
    case RILL_CUMULANT:
        return even / 2; /* their odd moments relax at 1 */
    default:
        return o->magic;
    }
}

/* A tau at which the odd populations, which relax slowly with a large magic parameter, are not remembered for
 * long.
 */
static double tau_remembered(const rill_permeability_options *o, double tau)
{
    const bool paired = o->variant.collision == RILL_TRT || o->variant.collision == RILL_MRT;
    return paired ? fmin(fmax(tau, 0.5 + o->magic / ODD_LONG), 0.5 + o->magic / ODD_SHORT) : tau;
}

/* Steps that populations remember, the even or the odd ones. Near 1/2 they alternate, and means of two steps
 * are free of them. */
static double memory(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    return 0.5 + fmax(p->tau - 0.5, rill_plan_magic(o, p) / (p->tau - 0.5));
}

#define TAU_WALLS_REASON "the walls of this collision move with it, and are half-way at this one"

static void network_choose(const rill_geom *geom, const rill_permeability_options *o,
                           rill_permeability_plan *p)
{
    const bool interpolated = geom->surface != NULL;
    const double walls = tau_of_walls(o->variant.collision);
    const double tau = o->tau != 0                   ? o->tau
                       : walls != 0                  ? walls
                       : interpolated                ? TAU_INTERPOLATED
                       : o->start == RILL_START_REST ? tau_remembered(o, TAU_NETWORK)
                                                     : tau_remembered(o, tau_of_network(p));
    p->network = true;
    p->tau = tau;
    p->nu = (tau - 0.5) / 3;
    p->cycle = cycle_of(p, fmax(cycle_least(geom, p), CYCLE_TAUS_NARROW * memory(o, p)));
    p->steps_expected = (p->nested ? CYCLES_NESTED : CYCLES) * (double)p->cycle;
    snprintf(p->tau_reason, sizeof p->tau_reason,
             o->tau != 0    ? "as asked for"
             : walls != 0   ? TAU_WALLS_REASON
             : interpolated ? "above it, interpolated walls move with the viscosity"
                            : "momentum settles soonest, a pore network corrects the pressures");
}

double rill_plan_unit(const rill_permeability_options *o)
{
    return o->variant.storage == RILL_FP64 ? 0x1p-53 : 0x1p-24;
}

double rill_plan_rounding(const rill_permeability_options *o, const rill_permeability_plan *p, double k)
{
    return rill_plan_unit(o) * p->fluid * p->length * p->length * p->nu / fabs(k);
}

double rill_plan_plain(const rill_permeability_options *o, const rill_permeability_plan *p)
{
    return o->variant.shift == RILL_PLAIN ? PLAIN_MOMENTUM * rill_plan_unit(o) / fabs(p->force) : 0;
}

void rill_plan_tune(const rill_permeability_options *o, double k, rill_permeability_plan *p)
{
    const double wave = PORE_PART * p->opening / M_PI;
    const double even = sqrt(PORE_CYCLES * CYCLE_TIMES * viscous_time(p) * k * CS2 / p->fluid) / wave;
    const double rounding = ROUNDING_MOST / rill_plan_rounding(o, p, k) * p->nu;
    const double nu = fmin(rounding, even);
    const double least = (TAU_NETWORK - 0.5) / 3;
    p->k_expected = k;
    if (o->tau != 0 || tau_of_walls(o->variant.collision) != 0 || nu >= p->nu || least >= p->nu) return;
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
    const bool chosen = o->tau == 0 && tau_of_walls(o->variant.collision) == 0 && p->tau > TAU_NETWORK;
    return chosen && k < SLOW_FLOW * p->fluid * p->opening * p->opening &&
           rill_plan_rounding(o, p, k) > ROUNDING_ALIKE * o->tolerance;
}

bool rill_plan_nu_is_small(const rill_permeability_plan *p) { return p->nu < (TAU_NETWORK - 0.5) / 3; }

uint64_t rill_plan_between(const rill_permeability_plan *p)
{
    return 2 * (uint64_t)fmax(4, floor((double)p->cycle / 6));
}

/* A network sees whether the pressures of a linear flow that a body force drives have settled. */
static bool network_sees(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return o->drive == RILL_DRIVE_FORCE && v.rheology == RILL_NEWTONIAN && v.bounce == RILL_HALF_WAY;
}

/* It corrects them where nothing but Stokes flow is solved, in formats that do not round mass away. */
static bool network_serves(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return network_sees(o) && v.equilibrium == RILL_STOKES &&
           (v.storage == RILL_FP32 || v.storage == RILL_FP64);
}

/* Coarser grids are made of voxels, without a surface. */
static bool nested_serves(const rill_geom *geom, const rill_permeability_options *o, double opening)
{
    bool wide = o->start == RILL_START_AUTO && opening >= NESTED_OPENING && !geom->surface &&
                rill_dimensions(o->variant.lattice) == 3;
    for (int a = 0; a < 3; a++) wide = wide && geom->n[a] >= NESTED_EDGE;
    return wide;
}

/* See rill_sim_rounding(). */
static bool rounding_known(const rill_permeability_options *o)
{
    const rill_variant v = o->variant;
    return network_sees(o) && v.equilibrium == RILL_STOKES &&
           (v.collision == RILL_TRT || v.collision == RILL_SRT);
}

static void tau_choose(const rill_permeability_options *o, bool interpolated, rill_permeability_plan *p)
{
    const double asked = o->tau, walls = tau_of_walls(o->variant.collision);
    const double most = interpolated ? TAU_INTERPOLATED : TAU_MAX;
    const double slow = pressure_time(p, p->k_expected), thick = viscous_time(p);
    const double balance = PRESSURE_FIRST * sqrt(thick / slow);
    if (asked != 0) {
        p->tau = asked;
        snprintf(p->tau_reason, sizeof p->tau_reason,
                 "as asked for; pressure and momentum would settle alike at %.3g", 0.5 + 3 * balance);
    } else if (walls != 0) {
        p->tau = walls;
        snprintf(p->tau_reason, sizeof p->tau_reason, TAU_WALLS_REASON);
    } else {
        p->tau = fmin(fmax(0.5 + 3 * balance, TAU_MIN), most);
        snprintf(p->tau_reason, sizeof p->tau_reason,
                 interpolated && 3 * balance + 0.5 > most
                     ? "above it, interpolated walls move with the viscosity"
                 : 3 * balance + 0.5 > TAU_MAX ? "momentum settles in no more than a few passes of the box"
                 : 3 * balance + 0.5 < TAU_MIN ? "the pores are so tight that only stability sets the limit"
                                               : "pressure along the box and momentum across the widest "
                                                 "pores settle in about %.2g steps each",
                 0.5 * (slow * balance + thick / balance));
    }
    p->nu = (p->tau - 0.5) / 3;
}

static void force_choose(const rill_permeability_options *o, const rill_pore_measure *m,
                         rill_permeability_plan *p)
{
    /* Per unit of force: the largest speed, that of a slit as wide as the opening; the Reynolds number. */
    const double speed = p->opening * p->opening / (8 * p->nu);
    const double reynolds = p->k_expected / (p->nu * p->fluid) * 4 * p->fluid / m->surface / p->nu;
    const double mach = speed / sqrt(CS2), density = p->length / CS2;
    p->force = o->force;
    snprintf(p->force_reason, sizeof p->force_reason, "as asked for");
    if (o->force == 0) {
        /* Stokes flow knows no Reynolds number, and formats of 16 bits have a smallest number. */
        const bool large =
            o->variant.equilibrium == RILL_STOKES && rill_storage_size((int)o->variant.storage) == 2;
        const double by_mach = MACH_AIM / mach, by_reynolds = large ? INFINITY : REYNOLDS_AIM / reynolds,
                     by_density = DENSITY_AIM / density;
        p->force = fmin(by_mach, fmin(by_reynolds, by_density));
        snprintf(p->force_reason, sizeof p->force_reason, "keeps the expected %s",
                 p->force == by_mach       ? "Mach number at 0.005"
                 : p->force == by_reynolds ? "Reynolds number at 0.001"
                                           : "change of density at 0.01");
    }
    p->mach = mach * fabs(p->force);
    p->reynolds = reynolds * fabs(p->force);
}

/* Return whether a format loses a tenth of the populations of a flow as slow as a permeability wants it. */
static bool loses_flow(rill_storage storage)
{
    const double slow = 1e-4;
    return rill_rounding(storage, -slow, slow) > slow / 10;
}

rill_permeability_options rill_plan_resolve(const rill_geom *geom, const rill_permeability_options *options)
{
    rill_permeability_options resolved = *options;
    resolved.axis = rill_axes_resolve(options->axis, geom->n);
    return resolved;
}

rill_status rill_plan_check(const rill_permeability_options *o)
{
    const rill_status status = rill_variant_check(o->variant);
    if (status != RILL_OK) return status;
    if (!rill_axes_name(o->axis))
        return rill_fail(RILL_USAGE,
                         "axis %d is none of 0, 1, 2 and of those below 0 that rill/types.h names", o->axis);
    if ((unsigned)o->drive > RILL_DRIVE_PRESSURE)
        return rill_fail(RILL_USAGE, "drive %d is none: a force is 0, a pressure 1", (int)o->drive);
    if (o->drive == RILL_DRIVE_PRESSURE && o->axis < 0 && o->axis != RILL_AXIS_AUTO)
        return rill_fail(RILL_USAGE,
                         "pressures drive the flow along one axis, and give no tensor: choose x, y or z, or "
                         "drive it by a force");
    if (o->drive == RILL_DRIVE_PRESSURE && o->variant.lattice == RILL_D2Q9)
        return rill_fail(
            RILL_USAGE, "reservoirs need a lattice of three dimensions, not d2q9: choose d3q19, or drive the "
                        "flow by a force");
    if (o->tau != 0 && !(o->tau > 0.5 && isfinite(o->tau)))
        return rill_fail(RILL_USAGE,
                         "tau = %g is not above 0.5: the viscosity (tau - 0.5) / 3 must be positive, "
                         "0.6 to 1.5 are usual",
                         o->tau);
    if (!isfinite(o->force) || fabs(o->force) > 0.1)
        return rill_fail(RILL_USAGE,
                         "force = %g is no number between -0.1 and 0.1: take 1e-5, or let it be chosen",
                         o->force);
    if (!(o->tolerance > 0 && o->tolerance < 1))
        return rill_fail(RILL_USAGE, "tolerance = %g is not between 0 and 1: take 0.001", o->tolerance);
    if (o->every == 1)
        return rill_fail(RILL_USAGE, "a sample is the mean of two steps: take one every 2 or more");
    if ((unsigned)o->acceleration > RILL_ACCELERATION_NETWORK)
        return rill_fail(RILL_USAGE, "acceleration %d is none: take 0 (auto), 1 (none) or 2 (network)",
                         (int)o->acceleration);
    if (o->acceleration == RILL_ACCELERATION_NETWORK && !network_serves(o))
        return rill_fail(RILL_USAGE,
                         "a pore network accelerates flows that a body force drives, with the stokes "
                         "equilibrium, a newtonian viscosity, half-way bounce-back and fp32 or fp64 storage: "
                         "choose those, or acceleration auto or none");
    if (loses_flow(o->variant.storage))
        return rill_fail(RILL_USAGE,
                         "%s storage rounds flow that is as slow as a permeability wants it to nothing: "
                         "choose fp32, or fp16s where memory is short",
                         rill_storage_names[o->variant.storage]);
    if (rill_storage_size((int)o->variant.storage) == 2 && !rounding_known(o))
        return rill_fail(
            RILL_USAGE,
            "what rounding to 16 bits (%s) does to a permeability is known for flows that a body "
            "force drives, with the stokes equilibrium, trt or srt, a newtonian viscosity and "
            "half-way bounce-back: choose those, or fp32 storage",
            rill_storage_names[o->variant.storage]);
    if (o->max_steps == 0) return rill_fail(RILL_USAGE, "max_steps = 0 leaves nothing to do: take 1000000");
    return RILL_OK;
}

rill_status rill_plan_error_bar_check(const rill_permeability_options *options)
{
    if (options->drive != RILL_DRIVE_FORCE)
        return rill_fail(RILL_USAGE,
                         "an error bar compares sides and crops, which reservoirs do away with: drive "
                         "the flow by a force");
    if (options->variant.equilibrium != RILL_STOKES)
        return rill_fail(RILL_USAGE,
                         "an error bar compares mirrored sides, which need the stokes equilibrium: "
                         "choose it, with trt or srt");
    return RILL_OK;
}

rill_status rill_plan_choose(const rill_geom *geom, const rill_pore_measure *m,
                             const rill_permeability_options *options, rill_permeability_plan *p)
{
    const rill_status status = rill_plan_check(options);
    if (status != RILL_OK) return status;
    if (m->voxels == 0)
        return rill_fail(RILL_USAGE, "the geometry has no pore voxel: check which grey values are pore");
    if (m->surface == 0)
        return rill_fail(RILL_NUMERICS,
                         "the geometry has no wall, so nothing resists the flow and there is no "
                         "permeability: check which grey values are pore");
    p->network = p->nested = false;
    p->storage = options->variant.storage;
    p->nodes = m->voxels;
    p->fluid = m->porosity;
    p->opening = m->opening;
    p->surface = m->surface;
    p->length = 0;
    for (int a = 0; a < 3; a++) {
        const double length = geom->n[a] * (geom->sides[a] == RILL_MIRROR ? 2.0 : 1.0);
        if (rill_axes_has(options->axis, a)) p->length = fmax(p->length, length);
    }
    p->k_expected = k_guess(m);
    tau_choose(options, geom->surface != NULL, p);
    const double slow = pressure_time(p, p->k_expected) * p->nu, thick = viscous_time(p) / p->nu;
    p->steps_expected = 5 * (slow + thick) + p->length / sqrt(CS2);
    const bool asked = options->acceleration == RILL_ACCELERATION_NETWORK;
    const bool serves = asked || rill_network_serves(p->nodes, m->chambers);
    p->edge = m->edge;
    p->chambers = network_sees(options) && serves ? m->chambers : 0;
    p->cycle = cycle_of(p, CYCLE_LEAST);
    if (options->acceleration != RILL_ACCELERATION_NONE && p->chambers && network_serves(options)) {
        rill_permeability_plan network = *p;
        network.nested = nested_serves(geom, options, m->opening);
        network_choose(geom, options, &network);
        if (asked || network.steps_expected < p->steps_expected) *p = network;
    }
    force_choose(options, m, p);
    const rill_status resolved = rill_plan_check_force(options, p->force);
    if (resolved != RILL_OK) return resolved;
    p->every = options->every ? options->every : 2 * (uint64_t)fmin(fmax((slow + thick) / 320, 2), 16);
    const double lost = rill_plan_plain(options, p);
    if (lost > options->tolerance && options->variant.storage == RILL_FP32)
        return rill_fail(
            RILL_USAGE,
            "plain populations round by up to %.2g times the force of %.2g in %s storage, and the "
            "tolerance is %g: choose shifted ones, fp64 storage, or a larger force",
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
    return options->device && !options->device->backend->processor;
}

bool rill_plan_has_other(const rill_permeability_plan *plan, const rill_permeability_options *options)
{
    return options->acceleration == RILL_ACCELERATION_AUTO && network_serves(options) && plan->chambers;
}

rill_status rill_plan_other(const rill_geom *geom, const rill_permeability_plan *plan,
                            const rill_permeability_options *options, rill_acceleration way,
                            rill_permeability_plan *other)
{
    rill_permeability_options o = *options;
    const rill_pore_measure measure = {.voxels = plan->nodes,
                                       .porosity = plan->fluid,
                                       .surface = plan->surface,
                                       .opening = plan->opening,
                                       .edge = plan->edge,
                                       .chambers = plan->chambers};
    o.acceleration = way;
    o.start = RILL_START_REST;
    *other = *plan;
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
