/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file launch.h
 * The seam between the simulation and the compiled kernels: a backend hands out one rill_kernels table for a
 * variant. Pointers are the backend's own memory.
 */
#ifndef RILL_KERNEL_LAUNCH_H
#define RILL_KERNEL_LAUNCH_H

#include "kernel/storage/arrays.h"
#include "kernel/platform.h"
#include "rill/boundary.h"
#include "rill/rheology.h"
#include "rill/variant.h"
#ifdef RILL_ARITHMETIC
#include "kernel/collision/rates.h"

#include <math.h>
#endif

/** The kernels of one variant; see below. */
typedef struct rill_kernels rill_kernels;

/** Links of a bundle of nodes with interpolated bounce-back, for steps that interpolate themselves. */
typedef struct rill_wall_bundle {
    uint32_t first; /**< its first weight */
    uint32_t lanes; /**< bits of the nodes that have weights: one for each of their links to solid voxels or
                       along axes */
} __attribute__((aligned(8))) rill_wall_bundle; /* one load */

/**
 * Which part of its change a step makes, where density and momentum x = (rho - 1, m) are stored: from x to
 * x + relaxation (x' - x) + memory (x - x_before), x' being that of a time step and x_before what was stored
 * a step earlier. A steady flow stays as it is.
 */
typedef struct rill_relaxation {
    double density, momentum; /**< 1: a time step */
    double memory;            /**< 0: a time step; below 1 */
} rill_relaxation;

/** All of them; NULL where there are none. See rill_walls_in_step(). */
typedef struct rill_wall_weights {
    const rill_wall_bundle *bundles; /**< [stride / RILL_BUNDLE] */
    const float *weights; /**< by bundle, node, link: what comes back is own + |weight| (other - own); other
                             is what comes in along opp(i), or where the sign is minus what was sent along i.
                             Of open links: the factor of their flux */
} rill_wall_weights;

/** Everything that a kernel call needs. */
typedef struct rill_launch {
    const rill_kernels *kernels; /**< the table that the called function stands in */
    void *queue;                 /**< of the device */
    bool joined;                 /**< the queue waits for others: kernels begin when all before has ended */
    rill_variant variant;
    int parity; /**< number of the step to come & 1; 0 for schemes with one kind of step */
    rill_arrays from,
        to; /**< read, written: two populations arrays, or twice the same for in-place schemes */
    rill_node first, end;    /**< a step is made, and totals are taken, of nodes first … end - 1; all else
                                takes all nodes */
    const rill_node *order;  /**< moments, set: kernel number of node first + k; NULL: first + k itself */
    rill_wall_weights walls; /**< step: links to be interpolated that were not rewritten before it */
    bool add;      /**< set: add the equilibrium of a density, all that is given, to what is there */
    bool rounding; /**< totals: of rounding in the step to come, see rill_sim_rounding(); its work is
                      `kinetic` */
    float
        *velocities; /**< totals: [3][end - first], written, or read where speeds are of means; NULL: none */
    bool mean;       /**< totals: speeds are those of means of the velocities with these */
    const uint32_t *labels; /**< totals: [end - first]; NULL: none */
    int64_t
        *label_sums; /**< totals: rho - 1 of every node is added to that of its label, see rill_sum_units() */
    double rate_even, rate_odd, rate_bulk, rate_ghost, third; /**< see rill_rates */
    double magic, force[3], velocity[3], source;
    rill_carrier carrier;       /**< step: of a scalar */
    rill_relaxation relaxation; /**< where density and momentum are stored: step, swap */
    rill_carreau_yasuda carreau_yasuda;
    rill_casson casson;
} rill_launch;

#ifdef RILL_ARITHMETIC
/** Return rates and force in the arithmetic type. */
static inline rill_rates rill_rates_of(const rill_launch *launch)
{
    const rill_carreau_yasuda *law = &launch->carreau_yasuda;
    rill_rates rates = {0};
    rates.even = (rill_scalar)launch->rate_even;
    rates.odd = (rill_scalar)launch->rate_odd;
    rates.bulk = (rill_scalar)launch->rate_bulk;
    rates.ghost = (rill_scalar)launch->rate_ghost;
    rates.third = (rill_scalar)launch->third;
    for (int a = 0; a < 3; a++) rates.force[a] = (rill_scalar)launch->force[a];
    for (int a = 0; a < 3; a++) rates.velocity[a] = (rill_scalar)launch->velocity[a];
    rates.source = (rill_scalar)launch->source;
    rates.relax_density = (rill_scalar)launch->relaxation.density;
    rates.relax_momentum = (rill_scalar)launch->relaxation.momentum;
    rates.memory = (rill_scalar)launch->relaxation.memory;
    if (launch->variant.rheology == RILL_CARREAU_YASUDA) {
        rates.viscosity.infinite = (rill_scalar)law->nu_inf;
        rates.viscosity.range = (rill_scalar)(law->nu_0 - law->nu_inf);
        rates.viscosity.lambda = (rill_scalar)law->lambda;
        rates.viscosity.sharpness = (rill_scalar)law->a;
        rates.viscosity.exponent = (rill_scalar)((law->n - 1) / law->a);
        rates.viscosity.magic = (rill_scalar)launch->magic;
    } else if (launch->variant.rheology == RILL_CASSON) {
        rates.viscosity.infinite = (rill_scalar)sqrt(launch->casson.nu_inf);
        rates.viscosity.range = (rill_scalar)sqrt(launch->casson.yield);
        rates.viscosity.lambda = (rill_scalar)(3 * launch->casson.nu_max);
        rates.viscosity.magic = (rill_scalar)launch->magic;
    }
    return rates;
}
#endif

/** Nodes whose totals are summed into one rill_partial. */
enum { RILL_CHUNK = 4096 };

/** Totals of one chunk of nodes. */
typedef struct rill_partial {
    double mass, momentum[3];       /**< sums */
    double speed, kinetic, elastic; /**< sums, see rill_totals */
    double resting;                 /**< mass in ghosts, see rill_resting() */
    double speed_squared_max, density_max;
    uint64_t not_finite;
} rill_partial;

/** Two wall links whose slots exchange their values after every step, times `sign`; they may be one. */
typedef struct rill_swap {
    rill_node node[2];
    uint8_t direction[2]; /**< incoming velocity */
    int8_t sign;
} rill_swap;

/** A link whose population is copied to another part of a domain, or from one. */
typedef struct rill_cut_link {
    rill_node node;
    uint32_t direction; /**< of the population that comes in at the node, with one of the next */
} __attribute__((aligned(8))) rill_cut_link; /* one load */

/** What the node has sent along the link instead; what ghosts of full-way bounce-back hold back for it. */
enum { RILL_CUT_SENT = 32, RILL_CUT_HELD = 64 };

/** The link has been replaced by the number of a slot: bits 0 … 31 in `node`, others from this bit of
 * `direction` on. */
enum { RILL_CUT_SLOT = 128, RILL_CUT_SLOT_HIGH = 8 };

/** Two wall links of a patch that see each other in it, or twice the same. */
typedef struct rill_patch_pair {
    rill_node node[2];
    uint32_t at[2];       /**< the nodes among those of the patch */
    uint8_t direction[2]; /**< incoming velocity */
    uint8_t axis;         /**< normal of the plane that the pair is reflected at; 3 without one */
} rill_patch_pair;

/** Weights of all openings of a simulation, and pairs whose sums are one partial sum. */
enum { RILL_PATCH_WEIGHTS = 256, RILL_PATCH_BLOCK = 256 };

/** What is different for openings from step to step: small enough to be an argument of a kernel. */
typedef struct rill_patch_now {
    uint64_t step;                      /**< steps made before the one whose populations are at walls now */
    double force[3];                    /**< body force per volume: half of it counts in velocities */
    double weights[RILL_PATCH_WEIGHTS]; /**< of the modes of velocities; rho_w - 1 of pressures, or beyond
                                           outlets */
    float losses[RILL_PATCH_WEIGHTS];   /**< as weights, of Windkessels alone: 3 times the pressure that is
                                           taken off at the patch */
} rill_patch_now;

/** Sums over pairs of a patch: the mass that comes in is fixed + slope (rho_w - 1). See
 * kernel/boundary/outlet.h. */
typedef struct rill_patch_sums {
    double fixed, slope;
    double density; /**< sum of rho - 1 over nodes */
} rill_patch_sums;

/** A list of wall links that are rewritten or measured between steps; see kernel/boundary/boundary.h. */
typedef struct rill_patch {
    rill_boundary_kind kind;
    uint64_t count;               /**< pairs */
    const rill_patch_pair *pairs; /**< no link is in two of them */
    uint32_t modes, first_weight; /**< weights: first_weight ... first_weight + modes - 1 */
    const double *values;         /**< [modes][count], velocity: 6 w_i c_i · u_w */
    const double *slopes;         /**< [modes][count], see rill_patch_velocity_term(); NULL: none */
    double *terms;                /**< [2][count], fixed and slope where rill_patch_answers(); once links are
                                       rewritten, the first is the term */
    uint64_t node_count;
    const rill_node *nodes; /**< [node_count], nodes of the pairs; NULL unless they are looked at */
    double *moments;        /**< [4][node_count], rho - 1 and velocity in the last step; as `nodes`. NULL on a
                                 device, where links find these themselves */
    double normal[3];       /**< into the fluid */
    double backflow;        /**< see rill_windkessel */
    /* Windkessel, of one or two compartments: x' = step x + gain Q + drive (beyond) for a step */
    double step[2][2], gain[2], drive[2]; /**< of one: exp(-1 / (distal compliance)), (1 - step) distal, or 1
                                             / compliance without a distal end, 1 - step, and else 0 */
    double proximal, layer;               /**< see rill_windkessel */
    double *stored;            /**< [2][2], p_c of both compartments alternately: of this step at step & 1 */
    rill_patch_sums *partials; /**< [(count + RILL_PATCH_BLOCK - 1) / RILL_PATCH_BLOCK]; NULL: not summed */
    uint32_t capacity;         /**< steps that `record` keeps */
    double *record;            /**< [capacity][2], flow and pressure of step k at k % capacity; NULL: none */
} rill_patch;

/** What a call of the patch kernel does, bits that may be combined, all patches one after the other for each:
 * find answers and their sums, where rill_patch_answers(), while every slot still holds what was sent;
 * rewrite pairs; measure the pairs of one. */
typedef enum rill_patch_task {
    RILL_PATCH_ANSWER = 1,
    RILL_PATCH_REWRITE = 2,
    RILL_PATCH_MEASURE = 4
} rill_patch_task;

/** A link with interpolated bounce-back; see kernel/boundary/walls.h. */
typedef struct rill_wall_cut {
    rill_node node;
    uint32_t cut; /**< direction + 32 [the next node along c_i is solid, too, or behind a mirrored
                     boundary] + 64 (q 2^25) */
} __attribute__((aligned(8))) rill_wall_cut; /* one load */

/** Links of a node whose fluxes may be corrected, at most; see rill_wall_fluxes(). */
#define RILL_WALL_FLUXES 6

/** A node with links with interpolated bounce-back. */
typedef struct rill_wall_node {
    rill_node node;
    uint32_t first; /**< its first link in rill_walls.links */
} __attribute__((aligned(8))) rill_wall_node;

/** The links with interpolated bounce-back, and which of them a call works on. */
typedef struct rill_walls {
    uint64_t count;
    uint64_t first, end;           /**< links of this call: of whole nodes, pairs in front */
    uint64_t first_node, end_node; /**< their nodes */
    const rill_wall_cut *cuts; /**< [count]: first the links that see each other across one node, two by two,
                                  then the others; each part by bundle of nodes, direction, node */
    const rill_wall_node *nodes;             /**< [nodes + 1], where their links begin in `links` */
    const uint32_t *links;                   /**< [count], numbers of links, by node and direction */
    const float (*fluxes)[RILL_WALL_FLUXES]; /**< [nodes], factors of fluxes through links 1 … of nodes; 0:
                                                   none */
    double *gains;            /**< [count], what interpolation last added to what comes back; NULL where
                                 the wall moves */
    rill_node *meetings;      /**< [count], where the populations of link opp(i) meet, see rill_link */
    const rill_node *next;    /**< [count], x + c_i, RILL_UPSTREAM_WALL where a link is interpolated linearly;
                                   NULL: all are */
    struct rill_link *beyond; /**< [count], link opp(i) of x + c_i */
    double excess;            /**< tau - 1/2, at most 1/2: quadratic weights depend on it */
    const double *values;     /**< [count], 6 w_i c_i · u_w; NULL at rest */
    double scale;             /**< factor of the values */
    double *sent;             /**< [count], what was sent in the last step; NULL: not needed */
} rill_walls;

/** Nodes of sponge layers; see kernel/boundary/sponge.h. */
typedef struct rill_sponge {
    uint64_t count;
    const rill_node *nodes; /**< [count], each once */
    const float *keep;      /**< [count], what is left of the deviation from equilibrium, from 0 to 1 */
} rill_sponge;

/** What a call of the walls kernel does: find meetings, once; rewrite links; then balance the mass of nodes;
 * both, where the links are all those of the nodes; measure links. */
typedef enum rill_walls_task {
    RILL_WALLS_FIND,
    RILL_WALLS_REWRITE,
    RILL_WALLS_BALANCE,
    RILL_WALLS_BOTH,
    RILL_WALLS_MEASURE
} rill_walls_task;

/** The kernels of a variant, from rill_backend.kernels. Calls may return before the work is done. */
struct rill_kernels {
    /** Make one step. */
    void (*step)(const rill_launch *launch);
    /** Fill partials [(end - first + RILL_CHUNK - 1) / RILL_CHUNK]. */
    void (*totals)(const rill_launch *launch, rill_partial *partials);
    /** Fill moments [4][count]: rho - 1, u_x, u_y, u_z of nodes first … first + count - 1. */
    void (*moments)(const rill_launch *launch, rill_node first, rill_node count, double *moments);
    /** Set nodes to equilibrium at moments [4][count], or all to rest when NULL. */
    void (*set)(const rill_launch *launch, rill_node first, rill_node count, const double *moments);
    /** Exchange wall slots before the step that `launch` describes. */
    void (*swap)(const rill_launch *launch, const rill_swap *swaps, size_t count);
    /** Copy what comes in at links to words, as it is stored, or from words. Before the step that `launch`
     * describes. @param links  NULL: all of the nodes launch->first … nodes - 1, direction by direction; once
     * more, with RILL_CUT_HELD, if `count` says so */
    void (*pack)(const rill_launch *launch, const rill_cut_link *links, uint64_t count, void *words);
    void (*unpack)(const rill_launch *launch, const rill_cut_link *links, uint64_t count, const void *words);
    /** Replace links by the slots of their populations, which are the same before all even, or all odd steps:
     * pack and unpack need not look them up again. */
    void (*locate)(const rill_launch *launch, rill_cut_link *links, uint64_t count);
    /** Ring buffer: copy the nodes that ghosts stand for to them, before the step that `launch` describes. */
    void (*wrap)(const rill_launch *launch);
    /**
     * Do tasks for `count` patches, before the step that `launch` describes.
     * @param[in]  tasks     of rill_patch_task
     * @param[in]  patches   on the backend
     * @param[in]  host      the same, pointers being the backend's: to see how much there is to do
     * @param[out] exchange  to measure one patch: see rill_patch_note()
     */
    void (*patch)(const rill_launch *launch, int tasks, const rill_patch *patches, const rill_patch *host,
                  int count, const rill_patch_now *now, double *exchange);
    /** Do a task for the links with interpolated bounce-back, before the step that `launch` describes.
     * @param[out] exchange  [2][count], to measure: sum and difference of what came back and what was sent */
    void (*walls)(const rill_launch *launch, rill_walls_task task, const rill_walls *walls, double *exchange);
    /** Damp the nodes of sponge layers after a step, before the step that `launch` describes, and before
     * walls and patches. */
    void (*damp)(const rill_launch *launch, const rill_sponge *sponge);
    /** Fill out [10][count] with moments and stress of nodes, see rill_sim_sample_take(). */
    void (*sample)(const rill_launch *launch, const rill_node *nodes, uint64_t count, double *out);
    /** The backend's own: what these functions start. */
    const void *compiled;
};

#endif
