/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file variants.h
 * Loops over variants for tests that compare each with the CPU's pull list in fp64.
 */
#ifndef RILL_TESTS_VARIANTS_H
#define RILL_TESTS_VARIANTS_H

#include "backends.h"
#include "kernel/comparison/choices.h"
#include "kernel/storage/rounding.h"
#include "kernel/variant.h"

#include <omp.h>

/** Compare a variant on a backend with variant_plain() of it. @param epsilon  how far they may be apart */
typedef void variant_expect(rill_variant v, rill_backend_kind backend, double epsilon);

/** What a variant is compared with. */
static inline rill_variant variant_plain(rill_variant v)
{
    v.stream = RILL_PULL;
    v.addressing = RILL_LIST;
    v.storage = RILL_FP64;
    v.arithmetic = RILL_DOUBLE;
    v.shift = RILL_SHIFTED;
    v.bounce = RILL_HALF_WAY;
    return v;
}

/** Every lattice, stream of populations and addressing in fp64 on the CPU, which has every combination.
 * @param both  with both equilibria; else with one of them in turn @return how many there were */
static inline int variants_every_scheme(variant_expect *expect, double epsilon, bool both)
{
    int combinations = 0;
    omp_set_num_threads(1); /* nothing here is large enough to share */
    for (int lattice = 0; lattice < RILL_LATTICE_COUNT; lattice++)
        for (int stream = 0; stream < RILL_MACROSCOPIC; stream++) /* which has no populations */
            for (int addressing = 0; addressing < RILL_ADDRESSING_COUNT; addressing++)
                for (int equilibrium = 0; equilibrium < RILL_EQUILIBRIUM_COUNT; equilibrium++) {
                    const int turn = (stream + addressing) % 2 ? RILL_STOKES : RILL_SECOND_ORDER;
                    const rill_variant v = {.lattice = (rill_lattice)lattice,
                                            .collision = RILL_TRT,
                                            .equilibrium = (rill_equilibrium)equilibrium,
                                            .stream = (rill_stream)stream,
                                            .addressing = (rill_addressing)addressing,
                                            .storage = RILL_FP64,
                                            .arithmetic = RILL_DOUBLE};
                    if ((!both && equilibrium != turn) || rill_variant_check(v) != RILL_OK) continue;
                    expect(v, RILL_BACKEND_CPU, epsilon);
                    combinations++;
                }
    return combinations;
}

/**
 * Every storage, with both shifts where both are exact enough, on the CPU. Densities deviate by 0.01 there,
 * and forces are sums over hundreds of links: formats may be 400 roundings of such populations apart, and the
 * bad example int16s four times as many.
 */
static inline void variants_every_format(variant_expect *expect)
{
    for (int storage = 0; storage < RILL_STORAGE_COUNT; storage++) {
        const double roundings = storage == RILL_INT16S ? 1600 : 400,
                     epsilon = roundings * rill_rounding((rill_storage)storage, -0.03, 0.03);
        for (int shift = 0; shift < RILL_SHIFT_COUNT; shift++) {
            rill_variant v = rill_variant_default();
            v.storage = (rill_storage)storage;
            v.shift = (rill_shift)shift;
            v.equilibrium = RILL_SECOND_ORDER;
            if (shift == RILL_PLAIN && storage != RILL_FP32 && storage != RILL_FP64) continue;
            if (rill_variant_check(v) == RILL_OK)
                expect(v, RILL_BACKEND_CPU, epsilon * (shift == RILL_PLAIN ? 20 : 1));
        }
    }
}

/** What is built ahead of time in fp64 and fp32, on every backend. */
static inline void variants_built(variant_expect *expect, double fp64, double fp32)
{
    FOR_EACH_BACKEND(backend)
    for (int k = 0; k < rill_variant_count(); k++) {
        const rill_variant v = rill_variant_at(k);
        if (v.bounce == RILL_FULL_WAY || v.shift == RILL_PLAIN) continue;
        if (v.stream == RILL_MACROSCOPIC) continue; /* no boundaries */
        if (v.storage == RILL_FP32 || v.storage == RILL_FP64)
            expect(v, backend, v.storage == RILL_FP64 ? fp64 : fp32);
    }
}

#endif
