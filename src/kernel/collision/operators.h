/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file operators.h
 * The combinations of collision, equilibrium and viscosity law that each lattice has, as lists:
 * RILL_OPERATORS_D3Q19(X) and so on stand for X(lattice, collision, equilibrium, rheology) …, values
 * without RILL_. rill_variant_check() says the same in words; a test holds the two together.
 */
#ifndef RILL_KERNEL_OPERATORS_H
#define RILL_KERNEL_OPERATORS_H

/* Of pairs of populations. */
#define RILL_OPERATORS_SRT(X, L) X(L, SRT, SECOND_ORDER, NEWTONIAN) X(L, SRT, STOKES, NEWTONIAN)
#define RILL_OPERATORS_TRT(X, L)                                                                             \
    X(L, TRT, SECOND_ORDER, NEWTONIAN)                                                                       \
    X(L, TRT, STOKES, NEWTONIAN)                                                                             \
    X(L, TRT, SECOND_ORDER, CARREAU_YASUDA)                                                                  \
    X(L, TRT, STOKES, CARREAU_YASUDA)                                                                        \
    X(L, TRT, SECOND_ORDER, CASSON)                                                                          \
    X(L, TRT, STOKES, CASSON)
/* Of moments. */
#define RILL_OPERATORS_MOMENTS(X, L)                                                                         \
    X(L, MRT, SECOND_ORDER, NEWTONIAN)                                                                       \
    X(L, CENTRAL_MOMENT, SECOND_ORDER, NEWTONIAN)                                                            \
    X(L, CENTRAL_MOMENT, SECOND_ORDER, CARREAU_YASUDA)                                                       \
    X(L, CENTRAL_MOMENT, SECOND_ORDER, CASSON)
#define RILL_OPERATORS_CUMULANT(X, L)                                                                        \
    X(L, CUMULANT, SECOND_ORDER, NEWTONIAN)                                                                  \
    X(L, CUMULANT, SECOND_ORDER, CARREAU_YASUDA)                                                             \
    X(L, CUMULANT, SECOND_ORDER, CASSON)
/* Of a scalar. */
#define RILL_OPERATORS_SCALAR(X, L) X(L, ADVECTION_DIFFUSION, STOKES, NEWTONIAN)

#define RILL_OPERATORS_D3Q19(X)                                                                              \
    RILL_OPERATORS_SRT(X, D3Q19)                                                                             \
    RILL_OPERATORS_TRT(X, D3Q19) RILL_OPERATORS_MOMENTS(X, D3Q19) RILL_OPERATORS_SCALAR(X, D3Q19)
#define RILL_OPERATORS_D3Q27(X)                                                                              \
    RILL_OPERATORS_SRT(X, D3Q27)                                                                             \
    RILL_OPERATORS_TRT(X, D3Q27)                                                                             \
    RILL_OPERATORS_MOMENTS(X, D3Q27) RILL_OPERATORS_CUMULANT(X, D3Q27)
#define RILL_OPERATORS_D3Q15(X) RILL_OPERATORS_SRT(X, D3Q15) RILL_OPERATORS_TRT(X, D3Q15)
#define RILL_OPERATORS_D3Q7(X) RILL_OPERATORS_SCALAR(X, D3Q7)
#define RILL_OPERATORS_D2Q9(X) RILL_OPERATORS_SRT(X, D2Q9) RILL_OPERATORS_TRT(X, D2Q9)

/** All of them. */
#define RILL_OPERATORS(X)                                                                                    \
    RILL_OPERATORS_D3Q19(X)                                                                                  \
    RILL_OPERATORS_D3Q27(X) RILL_OPERATORS_D3Q15(X) RILL_OPERATORS_D3Q7(X) RILL_OPERATORS_D2Q9(X)

#endif
