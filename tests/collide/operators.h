/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file operators.h
 * rill_collide() as tests call it: compiled for an arithmetic type and a vector width, chosen at run time, on
 * double populations. tests/collide/operators.c is one such unit; the Makefile builds four.
 */
#ifndef RILL_TESTS_OPERATORS_H
#define RILL_TESTS_OPERATORS_H

#include "kernel/launch.h"
#include "kernel/lattice.h"
#include "kernel/collision/operators.h"

#include <stdbool.h>

/** One compiled unit. */
typedef struct rill_operators {
    bool single; /**< the arithmetic type is float */
    /** Collide nodes in place: f [q][nodes], shifted. */
    void (*collide)(const rill_launch *launch, size_t nodes, double *f);
    /** Set f [q][nodes] to equilibrium at moments [4][nodes]: rho - 1 and rho u. */
    void (*set)(const rill_launch *launch, size_t nodes, const double *moments, double *f);
    /** Replace x [count] by 2^x, or by log2(x). */
    void (*exp2)(size_t count, double *x);
    void (*log2)(size_t count, double *x);
} rill_operators;

extern const rill_operators rill_operators_float_16, rill_operators_float_32, rill_operators_double_16,
    rill_operators_double_32;

/** Every combination that exists: the initializer of an array of rill_variant. */
#define RILL_OPERATOR_VARIANT(L, C, E, R)                                                                    \
    {.lattice = RILL_##L, .collision = RILL_##C, .equilibrium = RILL_##E, .rheology = RILL_##R},
#define RILL_OPERATOR_VARIANTS                                                                               \
    {                                                                                                        \
        RILL_OPERATORS(RILL_OPERATOR_VARIANT)                                                                \
    }

#endif
