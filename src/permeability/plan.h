/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file plan.h
 * What a permeability run will do, estimated before it starts: a measure of the pore space, and from it
 * the relaxation time, the force, and how many steps that takes. All estimates are rough; nothing that is
 * reported as a result depends on them, only speed does (docs/method.md).
 */
#ifndef RILL_PERMEABILITY_PLAN_H
#define RILL_PERMEABILITY_PLAN_H

#include "network/network.h"
#include "sim/sim.h"

/** Measure a geometry with its domain boundaries.
 * @param lattice  whose links say what is connected
 * @param axis     of the flow; -1: all
 * @param[in,out] counted  zero; then with the counted chambers of its pore network, see rill_network_choose()
 */
rill_status rill_pore_measure_take(const rill_geom *geom, rill_lattice lattice, int axis,
                                   rill_network *counted, rill_pore_measure *out);

/** Find chambers and throats of a domain, and prepare them. @param[in,out] network  counted */
rill_status rill_plan_flow_network(const rill_domain *domain, struct rill_network *network);

/**
 * Find the pressures of a network for a force of 1 along an axis.
 * @param[in,out] network  prepared
 * @param[out] pressure    [chambers], 0 before
 * @param more, gain       [chambers], working memory
 * @return the dissipation, times the viscosity: the permeability times the voxels of the sample
 */
double rill_plan_flow_pressures(const rill_geom *geom, int axis, struct rill_network *network,
                                double *pressure, double *more, double *gain);

/**
 * Estimate the flow through a pore network, unless it is large or short along the flow: conducts, squares,
 * and how its pressures settle by time steps alone. Its conductances may be off by a factor of two or three,
 * and so may these.
 * @param[in] axis     that a force drives the flow along
 * @param[in] magic    parameter of the collision
 * @param[in] alone    time steps are made alone: estimate how pressures settle in larger networks, too
 * @param[in] counted  chambers, see rill_network_choose()
 */
rill_status rill_plan_flow_measure(const rill_domain *domain, int axis, double magic, bool alone,
                                   const rill_network *counted, rill_pore_measure *measure);

/** Return the permeability that a measure lets expect, lu, within a factor of a few. */
double rill_plan_k_guess(const rill_pore_measure *measure);

/**
 * Check what needs no geometry: the variant, and options against limits and each other.
 * @return RILL_USAGE with the first that is wrong
 */
rill_status rill_plan_check(const rill_permeability_options *options);

/** Return whether a pore network sees if the pressures of a flow have settled. */
bool rill_plan_network_sees(const rill_permeability_options *options);

/** Return whether a pore network may correct the pressures of a flow. */
bool rill_plan_network_serves(const rill_permeability_options *options);

/** Return the options with the axes that RILL_AXIS_AUTO and RILL_AXES_AUTO are for this geometry. */
rill_permeability_options rill_plan_resolve(const rill_geom *geom, const rill_permeability_options *options);

/** Add what qualifies the results of a sample: see rill_permeability_plan. */
rill_status rill_plan_notes(const rill_geom *geom, const rill_permeability_options *options, char **notes);

/** Check that options and a geometry with its domain boundaries fit each other. @return RILL_USAGE with what
 * does not */
rill_status rill_plan_check_sample(const rill_geom *geom, const rill_permeability_options *options);

/**
 * Check that something conducts along the requested axes.
 * @return RILL_NUMERICS when nothing does, RILL_USAGE when that is not known
 */
rill_status rill_plan_check_conducting(const rill_geom *geom, const rill_permeability_options *options,
                                       const rill_components *found);

/** Check what an error bar requires of the options of its plain run. @return RILL_USAGE with the first that
 * lacks
 */
rill_status rill_plan_error_bar_check(const rill_permeability_options *options);

/** Return a copy that owns nothing, for a variation of a plan or a result: parts and notes stay with the
 * plan, the numbers of nodes are borrowed. */
rill_permeability_plan rill_plan_copy(const rill_permeability_plan *plan);

/**
 * Fill in what is zero in the options (tau, force) and everything else of the plan.
 * @param[in] options  as for rill_permeability_plan_make()
 * @return RILL_USAGE for options out of range
 */
rill_status rill_plan_choose(const rill_geom *geom, const rill_pore_measure *measure,
                             const rill_permeability_options *options, rill_permeability_plan *plan);

/** Return the magic parameter of a collision, which sets the position of its walls. */
double rill_plan_magic(const rill_permeability_options *options, const rill_permeability_plan *plan);

/** Return the same before a plan is made, of the relaxation time that is given or that its walls need. */
double rill_plan_magic_before(const rill_permeability_options *options);

/** Return the options of a run whose populations are stored so. */
rill_permeability_options rill_plan_stored(const rill_permeability_options *options, rill_storage storage);

/** Count the memory of a plan again, for other options. @param[in,out] plan  that owns no parts */
rill_status rill_plan_memory_again(const rill_permeability_options *options, rill_permeability_plan *plan);

/** Return whether a GPU makes the steps, so that the processors are free for the pore network. */
bool rill_plan_steps_apart(const rill_permeability_options *options);

/** Return whether a run that leads nowhere may be made in the other way, with a pore network or without. */
bool rill_plan_has_other(const rill_permeability_plan *plan, const rill_permeability_options *options);

/**
 * Make the plan of a run from rest, in one way or the other.
 * @param[out] other  all that does not follow from the way is as in `plan`
 */
rill_status rill_plan_other(const rill_geom *geom, const rill_permeability_plan *plan,
                            const rill_permeability_options *options, rill_acceleration way,
                            rill_permeability_plan *other);

/**
 * Make the plan of a run whose permeability is known from a coarser grid: where little flows, rounding and
 * the pressures within pores need a smaller viscosity.
 */
void rill_plan_tune(const rill_permeability_options *options, double k, rill_permeability_plan *plan);

/**
 * Choose fp64 where the pressures of the network say that rounding in fp32 would leave k more uncertain than
 * the tolerance, and refuse requested storage that would do so by far.
 * @param[in] geom  whose boundaries decide whether all nodes of a row round alike
 * @return RILL_NUMERICS when it is refused
 */
rill_status rill_plan_storage_choose(const rill_geom *geom, const rill_permeability_options *options,
                                     rill_permeability_plan *plan);

/** Return whether sound lasts for several cycles of steps with memory: where momentum settles soon, walls
 * damp it, and time steps let pressures settle earlier. */
bool rill_plan_sound_lasts(const rill_permeability_plan *plan);

/** Return half the distance from 1 to the next number, of what is stored in fp32 or fp64. */
double rill_plan_unit(const rill_permeability_options *options);

/** Return which part of the force plain populations may lose in every step as they are rounded; 0: they are
 * shifted. */
double rill_plan_plain(const rill_permeability_options *options, const rill_permeability_plan *plan);

/**
 * Return how large errors of k are to which pressures round in a long box where little flows, in thousandths
 * of it, about (docs/method.md).
 */
double rill_plan_rounding(const rill_permeability_options *options, const rill_permeability_plan *plan,
                          double k);

/**
 * Populations are as large as the pressures that they carry, and rounding them is a source of mass at every
 * node. The work of these sources against the pressures, relative to the dissipation nu F^2 V / k, is
 * eps sum(p^2) nu / (k F^2 V) if all are alike, and smaller by the square root of the number of nodes if they
 * are independent. So many times that was k off at most in pore spaces from sphere packs to folded ducts of
 * one voxel (docs/method.md).
 */
#define RILL_ROUNDED_PRESSURES 6
/** The part of the tolerance that k is uncertain by always. */
#define RILL_TOLERANCE_ROUNDS 0.1
/** Requested storage is refused where its rounding is so many times the tolerance: the estimate may
 * be off by that. */
#define RILL_ROUNDING_REFUSED 3
/** So a result of 16 bits may exceed it by so much. Its uncertainty is known, and the output names it. */
#define RILL_ROUNDING_GIVEN (RILL_ROUNDING_REFUSED * RILL_ROUNDING_REFUSED)

/**
 * Return what k is uncertain by, relative, in units in the last place, because populations round as large
 * pressures do.
 * @param[in] squares  sum over the nodes of c_s^2 (rho - 1)^2 / (F^2 voxels of the sample), lu
 */
double rill_plan_pressures_round(const rill_permeability_options *options, const rill_permeability_plan *plan,
                                 double k, double squares);

/**
 * Return whether so little flows through wide pores that rounding shows at the viscosity of a plan, but would
 * less at that of a run from rest.
 */
bool rill_plan_rounds_alike(const rill_permeability_options *options, const rill_permeability_plan *plan,
                            double k);

/**
 * Return the steps that anything in the pore space needs at least to pass, once k is known roughly: sound
 * through the box, diffusion of momentum across the widest pores, diffusion of pressure along the box.
 */
double rill_plan_patience(const rill_permeability_plan *plan, double k);

/** Return whether the steps that are allowed suffice for a pore network: for a cycle of corrections, or for
 * the first comparison of the series with the network. */
bool rill_plan_makes_network(const rill_permeability_plan *plan, const rill_permeability_options *options);

/**
 * Return the time steps per axis that a run most likely makes, by its tolerance. Of 57 runs of sphere packs,
 * overlapping spheres, random fields, gyroids, noise and Fontainebleau sandstone (porosity 0.06 to 0.7,
 * tolerances 0.01 and 0.001) with a pore network, 88 % made so many within 30 %, the others up to twice as
 * many. Decisions of a run rest on `steps_expected`, which does not depend on the tolerance.
 */
double rill_plan_steps_likely(const rill_permeability_options *options, const rill_permeability_plan *plan);

/** Return the fewest steps after which a series of time steps alone may be extrapolated. */
double rill_plan_alone_least(const rill_permeability_plan *plan);

/** Return how many of them pressures need by time steps alone; 0: not known, or k does not wait for them. */
double rill_plan_pressures_alone(const rill_permeability_options *options,
                                 const rill_permeability_plan *plan);

/** Return the seconds that so many processors need for the pore networks and the coarser grids of a run along
 * one axis. What a GPU does not wait for, as it steps meanwhile, is not counted. */
double rill_plan_host_seconds(const rill_geom *geom, const rill_permeability_options *options,
                              const rill_permeability_plan *plan, int threads);

/**
 * Return the seconds that a run (three of them for a tensor) is expected to take; 0 where the speed is
 * unknown.
 * @param[in] speed    of one device
 * @param[in] devices  how many times as fast all parts are together
 * @param[in] threads  processors that step, or work beside devices that do
 */
double rill_plan_seconds(const rill_geom *geom, const rill_permeability_options *options,
                         const rill_permeability_plan *plan, rill_speed speed, double devices, int threads);

/**
 * Return how many nodes of a sample are stepped on processors to measure the speed: a quarter, within limits
 * for each thread, but no fewer than a cache of twice the size would hold, where the limits permit it.
 * @param[in] node_bytes  of populations
 * @param[in] cache       bytes of the last cache; 0: unknown
 */
uint64_t rill_plan_speed_nodes(uint64_t nodes, uint64_t node_bytes, uint64_t cache, int threads);

/** Measure the speed of the steps of a plan. @param[out] speed  mlups 0: there is no memory to measure it in
 */
rill_status rill_plan_speed_measure(const rill_permeability_options *options,
                                    const rill_permeability_plan *plan, rill_speed *speed);

/** Load the kernels of the other number format of an error bar, so that the memory of the process, from which
 * its peak is foreseen, includes them. */
rill_status rill_plan_speed_load_others(const rill_permeability_options *options,
                                        const rill_error_bar_plan *bar);

/** Return whether the viscosity is smaller than the smallest that rill chooses for TRT with a pore network.
 */
bool rill_plan_nu_is_small(const rill_permeability_plan *plan);

/** Refuse a force that was given and that the storage format does not resolve. */
rill_status rill_plan_check_force(const rill_permeability_options *options, double force);

/** Return whether fluid sloshes between plates, along a box without other walls, in a run whose pressures are
 * corrected: it is stopped there. */
bool rill_plan_sloshes(const rill_permeability_plan *plan);

/** Return the steps between the two looks at a cycle of corrections, an even number. */
uint64_t rill_plan_between(const rill_permeability_plan *plan);

#endif
