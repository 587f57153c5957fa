/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file variant.h
 * The names of the choices, in the order of the enumerations of rill.h, NULL-terminated: what the command
 * line reads and what variants are called.
 */
#ifndef RILL_KERNEL_VARIANT_H
#define RILL_KERNEL_VARIANT_H

#include "rill.h"

extern const char *const rill_lattice_names[RILL_LATTICE_COUNT + 1];
extern const char *const rill_collision_names[RILL_COLLISION_COUNT + 1];
extern const char *const rill_equilibrium_names[RILL_EQUILIBRIUM_COUNT + 1];
extern const char *const rill_rheology_names[RILL_RHEOLOGY_COUNT + 1];
extern const char *const rill_bounce_names[RILL_BOUNCE_COUNT + 1];
extern const char *const rill_arithmetic_names[RILL_ARITHMETIC_COUNT + 1];
extern const char *const rill_shift_names[RILL_SHIFT_COUNT + 1];
extern const char *const rill_stream_names[RILL_STREAM_COUNT + 1];
extern const char *const rill_addressing_names[RILL_ADDRESSING_COUNT + 1];
extern const char *const rill_storage_names[RILL_STORAGE_COUNT + 1];

/** Return the number of all variants. */
uint64_t rill_variant_all_count(void);

/** Write the name of what decides where populations are and how they are stored. @param size  96 do */
void rill_variant_layout_name(rill_variant variant, char *text, size_t size);

/**
 * Return the variant with a lattice and an equilibrium that its collision is made for, where the user leaves
 * them open: mrt, central moments and cumulants have the second-order equilibrium, cumulants need D3Q27.
 */
rill_variant rill_variant_suit(rill_variant variant, bool lattice_given, bool equilibrium_given);

/** Return whether populations are those of a scalar, and not of a flow. */
bool rill_variant_scalar(rill_variant variant);

/** As rill_variant_check(), and refuse populations of a scalar. */
rill_status rill_variant_flow_check(rill_variant variant);

/** Return the variant with fp64 storage's arithmetic named: what kernels are looked up by. */
rill_variant rill_variant_normal(rill_variant variant);

/** Return whether two variants are the same kernels. */
bool rill_variant_equal(rill_variant a, rill_variant b);

/** Bytes per node of a variant by the formulas of the literature: populations and flags or index words. */
typedef struct rill_published_bytes {
    double stored, moved;
    const char *source; /**< NULL: there is none for this variant */
} rill_published_bytes;

/**
 * Return what the literature counts: Lehmann (2022), doi:10.3390/computation10060092, table 1, for a dense
 * box with flags; Suffa et al., doi:10.1177/10943420261434639, for pull and AA with a list.
 */
rill_published_bytes rill_variant_published(rill_variant variant);

#endif
