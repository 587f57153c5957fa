/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file groups.h
 * The cases, a group for each case_*.c.
 */
#ifndef RILL_VERIFY_GROUPS_H
#define RILL_VERIFY_GROUPS_H

#include "verify/verify.h"

extern const rill_verify_group rill_verify_channels;  /**< plates and ducts: exact solutions */
extern const rill_verify_group rill_verify_pipes;     /**< circular pipes */
extern const rill_verify_group rill_verify_cylinders; /**< arrays of cylinders across the flow */
extern const rill_verify_group rill_verify_spheres;   /**< arrays of spheres */
extern const rill_verify_group rill_verify_vortices;  /**< Taylor-Green decay */
extern const rill_verify_group rill_verify_cavities;  /**< lid-driven */
extern const rill_verify_group rill_verify_streets;   /**< a cylinder across a channel */
extern const rill_verify_group rill_verify_rocks;     /**< an image of a sandstone */

extern const rill_verify_group rill_verify_format_pipes;    /**< formats in pipes */
extern const rill_verify_group rill_verify_format_vortices; /**< formats in a decaying vortex */
extern const rill_verify_group rill_verify_format_flows;    /**< formats in flows with inertia */
extern const rill_verify_group rill_verify_format_pores;    /**< formats and permeability */

extern const rill_verify_group rill_verify_vessel_pipes;      /**< pipes with interpolated bounce-back */
extern const rill_verify_group rill_verify_vessel_blood;      /**< fluids that thin, in pipes */
extern const rill_verify_group rill_verify_vessel_shear;      /**< wall shear on triangles of pipes */
extern const rill_verify_group rill_verify_vessel_walls;      /**< pipes at small relaxation times */
extern const rill_verify_group rill_verify_vessel_ducts;      /**< ducts oblique to the lattice */
extern const rill_verify_group rill_verify_vessel_tori;       /**< a pipe that bends */
extern const rill_verify_group rill_verify_vessel_pulses;     /**< pipes oblique to the lattice, pulsatile */
extern const rill_verify_group rill_verify_vessel_accuracies; /**< errors by cells, tau, collision, alpha */
extern const rill_verify_group rill_verify_vessel_cases;      /**< whole cases with openings */
extern const rill_verify_group rill_verify_vessel_bodies;     /**< spheres and a cylinder with such walls */

extern const rill_verify_group rill_verify_capsules;        /**< capsules in shear flow */
extern const rill_verify_group rill_verify_tweezers_cases;  /**< a red blood cell between optical tweezers */
extern const rill_verify_group rill_verify_format_capsules; /**< formats and a capsule */

extern const rill_verify_group rill_verify_free_surface; /**< liquids with a free surface */

extern const rill_verify_group rill_verify_sizes; /**< as many nodes as requested */

#endif
