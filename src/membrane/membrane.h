/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file membrane.h
 * Capsules and cells in a flow: closed membranes that move with the fluid and act on it by their elastic
 * forces, the immersed boundary method (Peskin 2002, doi:10.1017/S0962492902000077; with lattice Boltzmann
 * Feng & Michaelides 2004, doi:10.1016/j.jcp.2003.10.013). The fluid is the same inside and outside.
 * docs/capsules.md says what happens in a step.
 */
#ifndef RILL_MEMBRANE_H
#define RILL_MEMBRANE_H

#include "io/checkpoint.h"
#include "membrane/contact.h"
#include "membrane/elastic.h"
#include "membrane/support.h"
#include "membrane/walls.h"
#include "sim/passes.h"

struct rill_membranes;

/** Called before each step: membranes may be taken away or added on the host, between rill_membranes_fetch()
 * and rill_membranes_give(); see rill_membranes_remove(). */
typedef rill_status (*rill_membranes_turnover)(void *owner, struct rill_membranes *membranes);

/** Membranes of one kind on a simulation. */
typedef struct rill_membranes {
    rill_sim *sim;           /**< not owned */
    rill_device *device;     /**< that they are on; NULL: the host. Not owned */
    rill_elastic elastic;    /**< shape at rest, whose mesh is not owned */
    uint32_t count;          /**< membranes */
    uint32_t room;           /**< for so many; the arrays below begin with those of `count` */
    double (*x)[3];          /**< [count][vertices], voxels from the corner of the box, not wrapped */
    double (*force)[3];      /**< [count][vertices], lu */
    double (*velocity)[3];   /**< [count][vertices], of the last step, lu */
    double (*area)[3];       /**< [count][vertices], see rill_membrane_areas() */
    const double (*load)[3]; /**< [count][vertices], forces from outside, lu; NULL: none. Not owned. On
                                processors alone */
    double slip;             /**< see the options */
    rill_membrane_walls walls;
    rill_membranes_turnover turnover;
    void *owner;           /**< see the options */
    rill_membrane_set set; /**< what loops work with: arrays of the device */
} rill_membranes;

/** What they are made of. */
typedef struct rill_membranes_options {
    const rill_membrane_mesh *mesh; /**< shape at rest of each; must outlive the membranes */
    rill_elastic_options elastic;   /**< its properties */
    int width;                      /**< of the kernel: 2, 3 or 4 nodes along each axis */
    double slip;    /**< voxels: a vertex moves, relative to the fluid, by this times the shear rate of its
                       force along the surface; rill_membrane_slip(), or 0 */
    uint32_t count; /**< membranes */
    uint32_t room;  /**< for so many at a time; 0: as many as there are */
    double contact; /**< strength of contact between them, force, lu; see contact.h */
    double wall;    /**< strength of the push of walls, force, lu; 0: none; see walls.h */
    const double (*centres)[3]; /**< [count], voxels from the corner of the box */
    rill_membranes_turnover
        turnover; /**< NULL: none comes or goes. With it membranes do not come near openings */
    void *owner;  /**< for `turnover`; not owned */
} rill_membranes_options;

/**
 * Put membranes into a simulation, at rest.
 * @param[out] out  to be destroyed after the last step of the simulation
 * @return RILL_USAGE for values out of range, collisions but SRT and TRT, and what rill_sim_passes_set()
 * refuses; RILL_SYSTEM without memory
 */
rill_status rill_membranes_create(rill_sim *sim, const rill_membranes_options *options, rill_membranes **out);

/**
 * Return by how much, in voxels, a sheet lags behind the fluid that it drives: a force along it, spread over
 * nodes, gives them a velocity with a kink that is rounded off there, and interpolated below its peak. The
 * velocity is too small by slip f / (2 mu), f being the force per area. Measured on plane sheets for the
 * collision TRT with the magic parameter 3/16, whatever tau; test_membrane.c pins it.
 */
double rill_membrane_slip(int width);

/** Bring positions and velocities to the host, where the simulation is on a GPU. */
rill_status rill_membranes_fetch(rill_membranes *membranes);

/** Return the part of a checkpoint that has the positions; rill_membranes_give() after it was read. */
rill_checkpoint_part rill_membranes_part(rill_membranes *membranes);

/** Take positions as the host has them. */
rill_status rill_membranes_give(rill_membranes *membranes);

/** Return the bytes that membranes take on their backend. @param reach  nodes within reach of vertices */
uint64_t rill_membranes_bytes(const rill_membranes_options *options, const uint32_t n[3], uint64_t nodes,
                              uint64_t reach);

/** Destroy them; NULL is allowed. */
void rill_membranes_destroy(rill_membranes *membranes);

/** Take a membrane away: those after it move up by one. */
void rill_membranes_remove(rill_membranes *membranes, uint32_t membrane);

/** Components of a symmetric tensor: xx, yy, zz, xy, xz, yz. */
enum { RILL_MEMBRANE_STRESS = 6 };

/**
 * Set the stress that each membrane adds to that of the fluid, times the volume, lu: with the same viscosity
 * inside and outside - sum (F x + x F) / 2 over its vertices, F being the elastic force that acts on the
 * fluid (Batchelor 1970, doi:10.1017/S0022112070000745). n of them in a volume add n / volume times their
 * mean. Brings positions, forces and areas to the host.
 * @param[out] stress  [count]
 */
rill_status rill_membranes_stresses(rill_membranes *membranes, double (*stress)[RILL_MEMBRANE_STRESS]);

/** Copy density and velocity of nodes as rill_sim_moments() does, with half the force of the membranes. */
rill_status rill_membranes_moments(rill_membranes *membranes, rill_node first, rill_node count, double *rho,
                                   double *u);

#endif
