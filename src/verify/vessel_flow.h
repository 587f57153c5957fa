/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file vessel_flow.h
 * Flow through vessels whose pressure drop and wall shear are known: what is measured in it and how it is
 * judged.
 */
#ifndef RILL_VERIFY_VESSEL_FLOW_H
#define RILL_VERIFY_VESSEL_FLOW_H

#include "verify/vessel_duct.h"
#include "vessel/wall/wall_shear.h"

#include <math.h>

/** Wall shear on the triangles of a geometry, each time that it is taken. */
typedef struct rill_verify_wall {
    rill_wall_shear of;
    rill_sim *sim; /**< borrowed */
    rill_sample *sample;
    double nu;
    double *values;
    float (*found)[3]; /**< [of.triangle_count], lu, of the last rill_verify_wall_take() */
} rill_verify_wall;

/** Find the nodes around the triangles. @param[in] newtonian  whether the viscosity is the same everywhere
 * @param[out] out  zero before @return RILL_NUMERICS if one has none */
rill_status rill_verify_wall_make(rill_domain *domain, rill_sim *sim, bool newtonian, double nu,
                                  rill_verify_wall *out);

/** Take the shear of the present time. */
rill_status rill_verify_wall_take(rill_verify_wall *wall);

/** Free it, before the simulation; a cleared one is allowed. */
void rill_verify_wall_free(rill_verify_wall *wall);

/** Write the middle of a triangle. */
void rill_verify_triangle_middle(const rill_surface *surface, uint64_t triangle, double middle[3]);

/** A flow through a duct that a force drives, from the exact flow on. */
typedef struct rill_verify_duct_flow {
    rill_verify_duct_shape shape;
    rill_domain *domain;
    rill_sim *sim;
    int threads; /**< before */
    double nu, force;
} rill_verify_duct_flow;

/**
 * Set it up. @param[in] nu  lu @param[in] exact  whether it starts from the exact steady flow, else at rest
 * @param[out] out  zero before; ended also after a failure
 */
rill_status rill_verify_duct_flow_begin(const rill_verify_duct *duct, double nu, rill_lattice lattice,
                                        rill_collision collision, const rill_verify_setup *setup, bool exact,
                                        rill_verify_duct_flow *out);

/** Free it; a cleared one is allowed. */
void rill_verify_duct_flow_end(rill_verify_duct_flow *flow);

/** What is found in a flow, relative to the exact one of the same flow rate. */
typedef struct rill_verify_vessel_found {
    double cells;    /**< across */
    double pressure; /**< drop over the exact one */
    double mean;     /**< wall shear over the exact one */
    double l2;       /**< error of the vectors of the wall shear */
    double balance;  /**< wall shear over what balances the pressure drop */
    double rounding; /**< to expect, see rill_verify_rounding() */
} rill_verify_vessel_found;

/**
 * Let the flow through a duct settle, and measure it.
 * @param[in] nu  lu
 * @return RILL_NUMERICS when it diverged or does not settle
 */
rill_status rill_verify_duct_measure(const rill_verify_duct *duct, double nu, rill_lattice lattice,
                                     rill_collision collision, const rill_verify_setup *setup,
                                     rill_verify_vessel_found *found);

/** Put what was found at one size behind that of `k` smaller ones: pressure drop, mean, pattern. */
void rill_verify_vessel_put(const rill_verify_vessel_found *found, int k, rill_verify_values *values);

/**
 * Fill in the values of RILL_VERIFY_VESSEL_CHECKS or RILL_VERIFY_VESSEL_SOLVED, and of
 * RILL_VERIFY_VESSEL_BALANCE behind them.
 * @param[in] coarse, fine  of 12 cells, and of the grid that is judged
 */
void rill_verify_vessel_fill(const rill_verify_vessel_found *coarse, const rill_verify_vessel_found *fine,
                             rill_verify_values *values);

/** Write a limit for both precisions; with 16 bits the value is shown. */
#define RILL_VERIFY_VESSEL_CHECK(what_, measure_, limit_, source_)                                           \
    {                                                                                                        \
        what_, "", RILL_VERIFY_##measure_, 0, {limit_, limit_, INFINITY}, source_                            \
    }

/*
 * What is required of pressure drop and wall shear: at 12 cells across 3 % of the pressure drop; at 20 cells
 * 1 % of it, of the mean wall shear 1 %, of its pattern 1.5 %; the order from 12 cells on; the balance of the
 * forces 0.5 %. L2 is lower at 40 cells.
 */
#define RILL_VERIFY_VESSEL_SHEAR(l2_, source_)                                                               \
    RILL_VERIFY_VESSEL_CHECK("mean wall shear over the exact one, less 1", ABSOLUTE, 0.01, source_),         \
        RILL_VERIFY_VESSEL_CHECK("L2 error of the wall shear", AT_MOST, l2_, source_),                       \
    {                                                                                                        \
        "order of the wall shear", "", RILL_VERIFY_AT_LEAST, 0, {1.5, 1.5, -INFINITY}, source_               \
    }
#define RILL_VERIFY_VESSEL_CHECKS(l2_, source_)                                                              \
    RILL_VERIFY_VESSEL_CHECK("pressure drop over the exact one, less 1, 12 cells", ABSOLUTE, 0.03, source_), \
        RILL_VERIFY_VESSEL_CHECK("pressure drop over the exact one, less 1", ABSOLUTE, 0.01, source_),       \
        RILL_VERIFY_VESSEL_SHEAR(l2_, source_)
/* The same of a flow that was solved, whose resistance over Poiseuille's is in a table of data/. */
#define RILL_VERIFY_VESSEL_RESISTANCE(what_, limit_, table_, row_)                                           \
    {                                                                                                        \
        what_, "", RILL_VERIFY_RELATIVE, 0, {limit_, limit_, INFINITY}, "scripts/tube-reference",            \
        {                                                                                                    \
            table_, row_, "value"                                                                            \
        }                                                                                                    \
    }
#define RILL_VERIFY_VESSEL_SOLVED(l2_, table_, row_)                                                         \
    RILL_VERIFY_VESSEL_RESISTANCE("pressure drop over Poiseuille's, 12 cells", 0.03, table_, row_),          \
        RILL_VERIFY_VESSEL_RESISTANCE("pressure drop over Poiseuille's", 0.01, table_, row_),                \
        RILL_VERIFY_VESSEL_SHEAR(l2_, "scripts/tube-reference")
#define RILL_VERIFY_VESSEL_BALANCE                                                                           \
    RILL_VERIFY_VESSEL_CHECK("mean wall shear over what the pressure drop requires, less 1", ABSOLUTE,       \
                             0.005, "balance of forces")

#endif
