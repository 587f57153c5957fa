/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file steady.h
 * A flow through a periodic geometry, driven by a body force from rest until it does not change any more.
 */
#ifndef RILL_VERIFY_STEADY_H
#define RILL_VERIFY_STEADY_H

#include "verify/verify.h"

/** When a flow is steady. */
typedef struct rill_verify_until {
    uint64_t every; /**< steps between looks */
    double change;  /**< relative change of the momentum from look to look; 0: `steps` are made */
    uint64_t steps; /**< most steps; more changes than that are RILL_NUMERICS, unless `change` is 0 */
} rill_verify_until;

/**
 * Return when a flow is steady: at a change of 1e-9 in `every` steps with fp64, 1e-7 with fp32; formats of 16
 * bits become steady at no such change, they get 1.5 width^2/nu steps, in which a plane channel of that width
 * comes to within 4e-7 of its limit.
 */
rill_verify_until rill_verify_until_of(rill_variant variant, double tau, double width, uint64_t every);

/** A flow. */
typedef struct rill_verify_flow {
    const rill_geom *geom; /**< borrowed */
    rill_domain *domain;
    rill_sim *sim;
    int axis;
    double momentum; /**< sum over the nodes, along the axis, lu */
    double mobility; /**< nu u / F, mean over the fluid nodes */
    double speed_max;
    double rounding; /**< error to expect of rounding, relative: rill_verify_rounding() */
    int threads;     /**< before */
} rill_verify_flow;

/**
 * Return the relative error that rounding brings into a flow that a force drives.
 *
 * Each step a force F adds to momenta of about u, and each step the populations are rounded to eps of
 * themselves: what is lost is of the order of eps u of the F that were given. Measured with 16 bits in pipes
 * and plates, this is two to three times the error, and more in flows that are not along an axis; a quarter
 * is the most that is granted. (Here eps is half of the largest error of rounding, half a unit in the last of
 * rill_storage_digits().)
 * @param[in] speed  the largest in the flow
 */
double rill_verify_rounding(rill_storage storage, double speed, double force);

/** Return the options of a simulation of what is verified, at a relaxation time. */
rill_sim_options rill_verify_options(const rill_verify_setup *setup, double tau);

/**
 * Let a CPU work on so many nodes with as many threads as gain time: with one where they are few, because
 * threads would spend their time waiting for each other.
 * @return the number of threads before, for omp_set_num_threads()
 */
int rill_verify_threads_fit(uint64_t nodes);

/** Return (tau - 1/2)(tau_odd - 1/2) of a simulation. */
double rill_verify_magic(const rill_sim_options *options);

/**
 * Return the relaxation time at which a setup has its magic number: `tau` itself where that is free, and
 * 1/2 + sqrt(magic) for SRT.
 */
double rill_verify_magic_tau(const rill_verify_setup *setup, double tau);

/**
 * Drive a flow along an axis; walls are half-way, or where the geometry's surface is.
 * @param[in]  geom     borrowed until rill_verify_flow_end()
 * @param[in]  options  with the force along `axis`
 * @param[out] flow     to be ended also after a failure, if it was cleared before
 * @return RILL_NUMERICS when it does not become steady
 */
rill_status rill_verify_flow_drive(const rill_geom *geom, int axis, const rill_sim_options *options,
                                   const rill_verify_until *until, rill_verify_flow *flow);

/**
 * Let the flow in a tube settle: until the momentum along its axis changes by less than `change` in a quarter
 * of the time in which the slowest mode of a circle falls to 1/e, radius^2 / (5.783 nu).
 * @param[in] axis  of length 1 @param[in] change  relative
 * @param[out] along  momentum along the axis, sum over the nodes, lu
 * @return RILL_NUMERICS where it diverges, or has not settled in 80 times as many steps
 */
rill_status rill_verify_tube_settle(rill_sim *sim, const double axis[3], double radius, double nu,
                                    double change, double *along);

/** Free what a flow owns; a cleared one is allowed. */
void rill_verify_flow_end(rill_verify_flow *flow);

/**
 * Drive a flow and return nothing but its mobility, nu u / F as a mean over the fluid nodes.
 * @param[out] rounding  error to expect of rounding, relative; may be NULL
 */
rill_status rill_verify_mobility(const rill_geom *geom, int axis, const rill_sim_options *options,
                                 const rill_verify_until *until, double *mobility, double *rounding);

#endif
