/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file sim.h
 * Inside of a simulation, for observers and the benchmark.
 */
#ifndef RILL_SIM_SIM_H
#define RILL_SIM_SIM_H

#include "device/device.h"
#include "device/room.h"
#include "domain/links.h"

/** Count what a simulation takes, without what mirrored boundaries add, and what link() makes of a list. */
void rill_sim_count(rill_variant variant, const rill_links_size *size, rill_room *room);

/** Return the bytes of it that the kernels of a device have. */
uint64_t rill_sim_bytes(rill_variant variant, const rill_links_size *size, const rill_device *device);

/** Count what a sample of so many nodes takes. @param parts  that its simulation may have */
void rill_sample_count(uint64_t nodes, int parts, rill_room *room);

/** Return the number that kernels know a fluid node by: with dense addressing that of its voxel. */
rill_node rill_sim_number(const rill_sim *sim, rill_node node);

/** Return the variant that it steps with. */
rill_variant rill_sim_variant(const rill_sim *sim);

/** Return whether the domain has mirrored boundaries. */
bool rill_sim_mirrored(const rill_sim *sim);

/** Change the body force from the next step on; moments of now hold half of it. */
void rill_sim_force_set(rill_sim *sim, const double force[3]);

/** Interpolate the walls of the geometry's surface, linearly or quadratically
 * (rill_boundary_set_quadratic()); without one they stay half-way. */
rill_status rill_sim_walls_add(rill_sim *sim, bool quadratic);

/**
 * Raise the viscosity at nodes of sponge layers, once in the life of a simulation; see
 * kernel/boundary/sponge.h. Without a body force.
 * @param nodes  [count], each once; borrowed for the life of the simulation, as the next
 * @param keep   [count], from 0 to 1
 */
rill_status rill_sim_sponge_set(rill_sim *sim, const rill_node *nodes, const float *keep, uint64_t count);

/** Return the device of a simulation. */
rill_device *rill_sim_device_of(const rill_sim *sim);

/** As rill_sim_step(), but a device goes on with the steps when this returns; what is asked of it next waits
 * for them. */
rill_status rill_sim_begin(rill_sim *sim, uint64_t steps);

/** What rounding to the storage format does to the populations that the next step sends out. */
typedef struct rill_rounding_sums {
    double momentum[3]; /**< sum that it adds */
    double work;        /**< sum over nodes and velocities of -f_opp(i) error_i / w_i */
    double flow[3];     /**< momentum of the state, as rill_totals has it */
    /** Roots of the sums of squares of what chunks of nodes add to these, and to the mass: what the sums may
     * be if chunks do not happen to cancel out. */
    double work_apart, mass_apart, momentum_apart[3];
} rill_rounding_sums;

/**
 * Take sums of rounding. A collision with the Stokes equilibrium is its own adjoint, and streaming with
 * half-way bounce-back that of its reverse, so that the influence of an error on the mean momentum along the
 * force is the stored population of the opposite velocity: errors like these in every step lead to a sum of
 * momentum that is work / (3 F) larger, to the first order (docs/method.md derives it). Waits for the device.
 */
rill_status rill_sim_rounding(rill_sim *sim, rill_rounding_sums *out);

/** What totals say of speeds. */
typedef enum rill_speeds {
    RILL_SPEEDS_NOW,  /**< as rill_sim_totals() */
    RILL_SPEEDS_KEEP, /**< the same, and velocities are kept, in 12 bytes per node on the backend */
    RILL_SPEEDS_MEAN  /**< those of the means of the velocities with the ones kept last */
} rill_speeds;

/**
 * As rill_sim_totals(). @param speeds  RILL_SPEEDS_MEAN only after RILL_SPEEDS_KEEP; kinetic energies are
 * always those of now
 */
rill_status rill_sim_totals_of(rill_sim *sim, rill_speeds speeds, rill_totals *out);

/** Return the bytes that kept velocities take on the backend. @param nodes  as kernels number them */
uint64_t rill_sim_velocity_bytes(uint64_t nodes);

/** Begin to label all nodes, once in the life of a simulation. @param count  labels are below it */
rill_status rill_sim_label_begin(rill_sim *sim, uint32_t count);

/** Label nodes first … first + count - 1. @param labels [count] */
rill_status rill_sim_label_put(rill_sim *sim, rill_global_node first, uint64_t count, const uint32_t *labels);

/**
 * Label all nodes at once, instead of both. @param labels  [nodes], of the caller, for as long as
 * rill_sim_label_borrows() and labels are used
 */
rill_status rill_sim_label_share(rill_sim *sim, uint32_t count, const uint32_t *labels);

/** Return whether a host reads the labels where the caller has them; else the backend has its own. */
bool rill_sim_label_borrows(rill_sim *sim);

/** Return the bytes that moments of nodes take on the backend, once any are set or read; the host takes as
 * many for a moment, of as many nodes as are set or read at a time. */
uint64_t rill_sim_slice_bytes(uint64_t nodes);

/** Sum rho - 1 over the nodes of every label: [count], the same bits every time. */
rill_status rill_sim_label_sums(rill_sim *sim, double *sums);

/** As rill_sim_totals_of() and rill_sim_label_sums(), in one pass over the nodes where these are listed. */
rill_status rill_sim_label_totals(rill_sim *sim, rill_speeds speeds, rill_totals *out, double *sums);

/**
 * Change the density of every node by what its label gets: [count]. The equilibrium of that density is added;
 * velocities, and what else populations hold, stay as they are.
 */
rill_status rill_sim_label_add(rill_sim *sim, const double *density);

/**
 * Let steps relax as given from now on, where density and momentum are stored: between time steps, which make
 * the sums that follow from one step to the next true, and steps that end at the same flow earlier. What
 * relaxes with memory remembers the step before, which is part of the state; moments that are set forget it.
 * @return RILL_USAGE for populations, other than time steps
 * @see Polyak (1964), doi:10.1016/0041-5553(64)90137-5
 */
rill_status rill_sim_relax(rill_sim *sim, rill_relaxation relaxation);

/** Return the relaxation of steps with a memory that damps all waves: the fastest for a slowest mode that a
 * time step multiplies by 1 - (1 - sqrt(memory))^2 / 1.3. @param memory  from 0.3 to below 1 */
rill_relaxation rill_relaxation_of(double memory);

/**
 * Return the relaxation of steps without memory between others that have it: momentum makes time steps, and
 * the density relaxes so much less that sound keeps its ratio of pressures and velocities. Time steps would
 * change this ratio twice in every cycle, which amplifies sound (parametric resonance): of 52 steps with a
 * memory of 0.6 and 12 time steps waves of 40 nodes leave 2.3 times as strong.
 */
rill_relaxation rill_relaxation_forgets(rill_relaxation relaxation);

/** Return p_c of both compartments of an outlet at the present time, see rill_windkessel. */
rill_status rill_sim_patch_compartments(rill_sim *sim, int patch, double stored[2]);

/** Set p_c of a Windkessel at the present time, see rill_sim_patch_stored(). @return RILL_USAGE for a patch
 * without Windkessel */
rill_status rill_sim_patch_store(rill_sim *sim, int patch, double stored);

/** Set density and velocity of the nodes first … first + count - 1. @param rho [count], rho - 1; @param u
 * [3][count] */
rill_status rill_sim_set_moments_of(rill_sim *sim, rill_global_node first, uint64_t count, const double *rho,
                                    const double *u);

/** Read phi, [count], of nodes first … first + count - 1, in a set that is a scalar. */
rill_status rill_sim_scalar(rill_sim *sim, int set, rill_global_node first, uint64_t count, double *phi);

/** Set it, with the flux phi u of the velocity that carries it. */
rill_status rill_sim_scalar_set(rill_sim *sim, int set, rill_global_node first, uint64_t count,
                                const double *phi);

/**
 * Let a scalar that is carried in and out through openings, whose links along axes let nothing else through:
 * what the flow takes along leaves with phi of the node, and enters with that outside.
 * @param[in] openings  [count], of the geometry, the same for all sets
 * @param[in] outside   [count]; NaN: phi of the node enters, too, as through an outlet
 * @see tests/sim/test_carried.c
 */
rill_status rill_sim_scalar_open(rill_sim *sim, int set, const rill_opening *openings, int count,
                                 const double *outside);

/** Read phi, [count of the sample], of a set that is a scalar at the nodes of a sample. */
rill_status rill_sim_sample_scalar(rill_sim *sim, int set, rill_sample *sample, double *phi);

/** Sum phi of a set that is a scalar over all nodes, in an order that depends on the domain alone. */
rill_status rill_sim_scalar_sum(rill_sim *sim, int set, double *sum);

/**
 * Return the bytes that a simulation holds on its backend: populations, links that were built for it,
 * mirrored links and sums, not what patches and observers take besides. @param[out] linked  what the
 * backend's link() made of them; may be NULL
 */
uint64_t rill_sim_held(rill_sim *sim, uint64_t *linked);

/**
 * The state of a simulation, for checkpoints: populations as they are stored, what outlets have stored,
 * steps. It fits a simulation of the same domain and variant with the same patches, on any number of devices,
 * which then goes on to the same bits on the same kind of device. Records of patches, sums and whatever else
 * observers keep are not in it.
 */
uint64_t rill_sim_state_bytes(rill_sim *sim);

/** Copy `bytes` of it from `offset` on. */
rill_status rill_sim_state_save(rill_sim *sim, uint64_t offset, uint64_t bytes, void *to);

/** Put a part in: first the one that begins at 0, then the others in any order; then resume. */
rill_status rill_sim_state_load(rill_sim *sim, uint64_t offset, uint64_t bytes, const void *from);

/** Count steps that are not made: before the state after them is put in, so that the count is right till
 * then. */
void rill_sim_skip(rill_sim *sim, uint64_t steps);

/** Go on from the state that was put in. @return RILL_USAGE when it is of another kind of simulation, or of
 * other steps */
rill_status rill_sim_state_resume(rill_sim *sim, uint64_t steps);

/** Return the seconds that building links took when the simulation was made. */
double rill_sim_seconds_linking(const rill_sim *sim);

/** How fast nodes are stepped. */
typedef struct rill_speed {
    double mlups;   /**< million node updates per second; 0: unknown */
    double sight;   /**< time that sums over all nodes take after two successive steps, in time steps */
    uint64_t nodes; /**< that were stepped */
    uint32_t edge;  /**< of a box of fluid; 0: they are those in the middle of a sample */
} rill_speed;

/** Seconds that steps are timed for where nothing waits for it. */
#define RILL_SPEED_SECONDS 0.1

/**
 * Measure how fast a box of fluid is stepped here.
 * @param[in] options  of the simulation; its force is left out
 * @param[in] edge     voxels along each axis
 * @param[in] seconds  that steps are timed for, but 300 steps at most
 */
rill_status rill_sim_speed(const rill_sim_options *options, uint32_t edge, double seconds, rill_speed *out);

/**
 * Measure how fast the middle of a sample is stepped here: its walls, and more nodes than caches hold, make
 * a processor slower than a small box of fluid does. Unknown where the middle has no nodes.
 * @param[in] sample  numbered
 * @param[in] most    nodes, about, at most
 * @param[in] seconds as for a box of fluid
 */
rill_status rill_sim_speed_within(const rill_domain *sample, const rill_sim_options *options, uint64_t most,
                                  double seconds, rill_speed *out);

#endif
