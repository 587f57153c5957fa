/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/sim.h
 * A simulation: steps, sums, and what stands at its boundaries.
 */
#ifndef RILL_PUBLIC_SIM_H
#define RILL_PUBLIC_SIM_H

#include "rill/boundary.h"
#include "rill/device.h"
#include "rill/rheology.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Physics and place of a simulation, in lattice units. */
typedef struct rill_sim_options {
    rill_variant variant; /**< what the kernel is compiled for */
    rill_devices on;      /**< where it runs */
    double tau;           /**< relaxation time of the shear stress, > 0.5; nu = (tau - 0.5) / 3; not used with
                                 Carreau-Yasuda and Casson, where nu follows from the law; of a scalar that of its
                                 flux, diffusivity c_s^2 (tau - 0.5), c_s^2 = 1/4 on D3Q7, 1/3 on D3Q19 */
    double magic; /**< (tau - 1/2)(tau_minus - 1/2), > 0: TRT and MRT for all odd moments, central moments and
                     cumulants for those of third order; not used by SRT */
    double third; /**< central moments and cumulants: third moments, rho = 1, beyond which their rate goes
                     from that of `magic` to 1; > 0 (docs/method.md) */
    double force[3];    /**< body force per volume; force[2] is 0 on D2Q9 */
    double velocity[3]; /**< that carries a scalar: with RILL_ADVECTION_DIFFUSION instead of a
                           force, up to c_s^2 along each axis, on D3Q19 half of it */
    bool carried;       /**< a scalar on D3Q7 that the flow of the first set carries, instead of `velocity` */
    double source;      /**< what phi of a scalar that is carried gains in a step, everywhere */
    rill_carreau_yasuda carreau_yasuda; /**< read when variant.rheology says so */
    rill_casson casson;                 /**< likewise */
} rill_sim_options;

/**
 * Return the default options.
 * @return tau 1, magic 3/16, third 0.001, no force, the default variant, backend auto
 */
rill_sim_options rill_sim_options_default(void);

/** Sums and extrema over all nodes, taken between steps. */
typedef struct rill_totals {
    double mass;         /**< sum of (rho - 1) */
    double resting;      /**< mass that full-way bounce-back keeps in ghosts: it comes back a step later */
    double momentum[3];  /**< sum of rho u, half of the force included */
    double speed;        /**< sum of |u| */
    double kinetic;      /**< sum of u^2 / 2 */
    double elastic;      /**< sum of c_s^2 (rho - 1)^2 / 2, the energy of compression */
    double speed_max;    /**< largest |u| */
    double density_max;  /**< largest |rho - 1| */
    uint64_t not_finite; /**< nodes with a value that is not finite */
} rill_totals;

/** Populations on a domain, on a backend. */
typedef struct rill_sim rill_sim;

/**
 * Create a simulation at rest: rho = 1, u = 0, momentum of the populations -F/2.
 * @param[in] domain borrowed: it must outlive the simulation
 * @param[in] options copied
 * @param[out] out the simulation; the caller destroys it
 * @return RILL_USAGE for tau, magic, force or viscosity law out of range, RILL_SYSTEM for memory or device
 */
rill_status rill_sim_create(const rill_domain *domain, const rill_sim_options *options, rill_sim **out);

/**
 * Destroy a simulation.
 * @param[in] sim NULL is allowed
 */
void rill_sim_destroy(rill_sim *sim);

/**
 * Make time steps.
 * @param[in,out] sim the simulation
 * @param[in] steps number of steps
 * @return RILL_SYSTEM when the device fails
 */
rill_status rill_sim_step(rill_sim *sim, uint64_t steps);

/**
 * Return the time steps made so far.
 * @param[in] sim the simulation
 * @return the number of steps
 */
uint64_t rill_sim_steps(const rill_sim *sim);

/**
 * Compute sums and extrema in double precision, in an order that depends on the domain alone.
 * @param[in,out] sim the simulation
 * @param[out] out the sums, lu
 * @return RILL_SYSTEM when the device fails
 */
rill_status rill_sim_totals(rill_sim *sim, rill_totals *out);

/**
 * Copy density and velocity of the nodes first … first + count - 1.
 * @param[in,out] sim the simulation
 * @param[in] first first node
 * @param[in] count number of nodes
 * @param[out] rho [count], rho - 1, lu; may be NULL
 * @param[out] u [3][count], velocity, lu, half of the force included; may be NULL
 * @return RILL_USAGE for nodes beyond the last, RILL_SYSTEM for memory or device
 */
rill_status rill_sim_moments(rill_sim *sim, rill_global_node first, uint64_t count, double *rho, double *u);

/**
 * Copy pressure and velocity on the whole box.
 * @param[in,out] sim the simulation
 * @param[out] pressure [nz][ny][nx], (rho - 1)/3, lu; 0 in solid voxels; may be NULL
 * @param[out] velocity [3][nz][ny][nx], lu, half of the force included; 0 in solid voxels; may be NULL
 * @return RILL_SYSTEM for memory or device
 */
rill_status rill_sim_image(rill_sim *sim, float *pressure, float *velocity);

/**
 * Set density and velocity of every node; populations become those of equilibrium.
 * @param[in,out] sim the simulation
 * @param[in] rho [nodes], rho - 1, lu
 * @param[in] u [3][nodes], velocity, lu
 * @return RILL_SYSTEM for memory or device
 */
rill_status rill_sim_set_moments(rill_sim *sim, const double *rho, const double *u);

/**
 * Add a copy of a boundary to a simulation. From the next step on it is a patch of the simulation.
 * @param[in,out] sim the simulation
 * @param[in] boundary the boundary, of the same domain
 * @param[out] patch its number, 0 for the first
 * @return RILL_USAGE for a boundary of another domain, or when another patch already rewrites one of its
 * links; RILL_SYSTEM for memory or device
 */
rill_status rill_sim_boundary_add(rill_sim *sim, const rill_boundary *boundary, int *patch);

/**
 * Multiply the velocity, or rho - 1, that a patch was made with by a factor, from the next step on.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[in] factor the factor, of the original values
 * @return RILL_USAGE above Mach 0.3 or for a pressure that is not above 0
 */
rill_status rill_sim_patch_scale(rill_sim *sim, int patch, double factor);

/**
 * Compute the force of the fluid on the walls of a patch in the last step by momentum exchange: the sum of
 * -c_i (f_opp(i) sent + f_i back) over its links, in double precision in their order. Pressures are relative
 * to that of density 1, so that a uniform pressure exerts no force on an open wall (Ladd 1994,
 * doi:10.1017/S0022112094001771; Mei et al. 2002, doi:10.1103/PhysRevE.65.041203).
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[out] force lu
 * @return RILL_USAGE when no step was made since the patch was added or moments were set
 */
rill_status rill_sim_patch_force(rill_sim *sim, int patch, double force[3]);

/**
 * Compute the mass that came in through a patch in the last step: the sum of f_i back - f_opp(i) sent.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[out] flow mass per step, lu
 * @return RILL_USAGE when no step was made since the patch was added or moments were set
 */
rill_status rill_sim_patch_flow(rill_sim *sim, int patch, double *flow);

/**
 * Let a function give the weights of the modes of a velocity patch, or the pressure deviation (rho - 1)/3 of
 * a pressure patch (of what lies beyond an outlet), for every step to come. It is called on the host as steps
 * are launched, so that the device does not wait for it.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[in] weights writes as many weights as the patch has modes (1 for a pressure) for what meets the wall
 * between time `step` and `step` + 1, at step + 1/2; the factor of rill_sim_patch_scale() multiplies those of
 * velocities. Of a patch with a Windkessel it may write a second one, 0 before: the pressure that is taken
 * off at the patch, see rill_windkessel. NULL: no schedule
 * @param[in] context passed to `weights`; may be NULL
 * @return RILL_USAGE for a patch without velocity or pressure
 */
rill_status rill_sim_patch_schedule(rill_sim *sim, int patch,
                                    void (*weights)(void *context, uint64_t step, double *weights),
                                    void *context);

/** What lies behind a pressure patch, lu: p = p_c + proximal Q with compliance dp_c/dt = Q - (p_c -
 * beyond)/distal, where Q is the volume that leaves the domain per step and pressures count from that of
 * density 1. */
typedef struct rill_windkessel {
    double proximal;   /**< resistance between the patch and the compliance, >= 0 */
    double distal;     /**< resistance behind the compliance, >= 0; may be infinite if compliance > 0: nothing
                          drains */
    double compliance; /**< >= 0; 0: a plain resistance, proximal + distal */
    double beyond;     /**< pressure at the far end; see rill_sim_patch_schedule() */
    double stored;     /**< p_c at the start */
    double layer; /**< resistance >= 0 of an extension in front of the patch: p counts before the extension,
                     and at the patch it is lower by layer Q and the second weight of a schedule */
    double backflow;   /**< beta >= 0: where fluid comes in with velocity u_n normal to the patch its pressure
                          is   lowered by beta u_n^2; 0.2 to 1 is usual (Esmaily Moghadam et al. 2011,
                            doi:10.1007/s00466-011-0599-0) */
    double micro;      /**< > 0: resistance between the compliance and a second compartment, behind which are
                          the distal resistance and the pressure at the far end: a coronary outlet; 0: one
                          compartment */
    double myocardial; /**< compliance of that compartment, towards the pressure in the heart muscle. With a
                          schedule that changes by dp in a step, the first weight of the schedule is beyond +
                          distal myocardial dp */
    double stored_behind; /**< pressure of that compartment at the start */
} rill_windkessel;

/**
 * Put a Windkessel behind a pressure patch. Each step it is solved on the backend together with the flow that
 * its own pressure causes, so that no resistance makes it unstable.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[in] windkessel copied
 * @return RILL_USAGE for a patch without pressure or values out of range
 * @see kernel/boundary/outlet.h; Westerhof, Lankhaar, Westerhof 2009, doi:10.1007/s11517-008-0359-2
 */
rill_status rill_sim_patch_windkessel(rill_sim *sim, int patch, const rill_windkessel *windkessel);

/**
 * Return p_c of a Windkessel at the present time.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[out] stored p_c, lu, relative to the pressure of density 1
 * @return RILL_USAGE for a patch without Windkessel
 */
rill_status rill_sim_patch_stored(rill_sim *sim, int patch, double *stored);

/**
 * Record flow and mean pressure of a velocity or pressure patch from the next step on.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[in] capacity number of steps that are kept, the last ones
 * @return RILL_USAGE for another kind of patch, RILL_SYSTEM without memory
 */
rill_status rill_sim_patch_record(rill_sim *sim, int patch, uint32_t capacity);

/**
 * Copy what was recorded in the steps that begin at times first_step … first_step + count - 1.
 * @param[in,out] sim the simulation
 * @param[in] patch number of the patch
 * @param[in] first_step the first step
 * @param[in] count number of steps
 * @param[out] flow [count], volume per step into the domain, lu; may be NULL
 * @param[out] pressure [count], (rho - 1)/3: that imposed by a pressure patch, the mean over the nodes of a
 * velocity patch; may be NULL
 * @return RILL_USAGE for steps that were not recorded, or are not kept
 */
rill_status rill_sim_patch_series(rill_sim *sim, int patch, uint64_t first_step, uint32_t count, double *flow,
                                  double *pressure);

/** A list of nodes, on the backend. */
typedef struct rill_sample rill_sample;

/**
 * List nodes whose moments will be sampled.
 * @param[in,out] sim the simulation; it must outlive the list
 * @param[in] nodes [count], copied; in any order, ascending is fastest
 * @param[in] count number of nodes, at least 1
 * @param[out] out the list; the caller destroys it
 * @return RILL_USAGE without nodes or for a node beyond the last, RILL_SYSTEM without memory
 */
rill_status rill_sim_sample_create(rill_sim *sim, const rill_node *nodes, uint64_t count, rill_sample **out);

/**
 * Copy density, velocity and viscous stress of the nodes of a list.
 * @param[in,out] sim the simulation
 * @param[in,out] sample a list of this simulation
 * @param[out] out [10][count]: rho - 1, u_x, u_y, u_z, sigma_xx, yy, zz, xy, xz, yz in lu, with sigma = -(1 -
 * 1/(2 tau)) N of kernel/boundary/stress.h, tau of the node's own viscosity
 * @return RILL_SYSTEM when the device fails
 */
rill_status rill_sim_sample_take(rill_sim *sim, rill_sample *sample, double *out);

/**
 * Destroy a list, before its simulation.
 * @param[in] sample NULL is allowed
 */
void rill_sample_destroy(rill_sample *sample);

/**
 * Return the backend of a simulation.
 * @param[in] sim the simulation
 * @return "cpu" or "cuda"
 */
const char *rill_sim_backend(const rill_sim *sim);

/**
 * Return the name of the device of a simulation.
 * @param[in] sim the simulation
 * @return "NVIDIA H200", or the processor and its threads; it lives as long as the simulation
 */
const char *rill_sim_device(const rill_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
