/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rill/variant.h
 * Variants: what a kernel is compiled for.
 */
#ifndef RILL_PUBLIC_VARIANT_H
#define RILL_PUBLIC_VARIANT_H

#include "rill/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Velocity sets. */
typedef enum rill_lattice {
    RILL_D3Q19,
    RILL_D3Q27,
    RILL_D3Q15,
    RILL_D2Q9,
    RILL_D3Q7, /**< of a scalar alone, on the nodes of any domain in three dimensions */
    RILL_LATTICE_COUNT
} rill_lattice;

/** Collision operators; see docs/method.md for the equations and their sources. */
typedef enum rill_collision {
    RILL_SRT,                 /**< one relaxation time */
    RILL_TRT,                 /**< two: even and odd parts of a pair */
    RILL_MRT,                 /**< orthogonal raw moments */
    RILL_CENTRAL_MOMENT,      /**< moments relative to the flow, "cascaded" */
    RILL_CUMULANT,            /**< cumulants of the distribution; D3Q27 */
    RILL_ADVECTION_DIFFUSION, /**< TRT of a scalar that a given velocity carries; D3Q7, D3Q19 */
    RILL_COLLISION_COUNT
} rill_collision;

/** Equilibrium distributions. */
typedef enum rill_equilibrium {
    RILL_SECOND_ORDER, /**< with the terms u u: Navier-Stokes */
    RILL_STOKES,       /**< without them: no inertia */
    RILL_EQUILIBRIUM_COUNT
} rill_equilibrium;

/** Viscosity laws; others than the first need TRT, central moments or cumulants. */
typedef enum rill_rheology {
    RILL_NEWTONIAN,
    RILL_CARREAU_YASUDA,
    RILL_CASSON,
    RILL_RHEOLOGY_COUNT
} rill_rheology;

/** Streaming schemes; see kernel/storage/stream.h. Values that are left out are schemes for comparison. */
typedef enum rill_stream {
    RILL_PULL = 0,        /**< two arrays, read upstream, write at home */
    RILL_AA = 2,          /**< one array, home and neighbours in alternate steps */
    RILL_ESOTWIST = 3,    /**< Esoteric Twist: one array, pairs meet at the corner of their cell */
    RILL_ESOPULL = 4,     /**< Esoteric Pull: one array, half of a pair at home, half downstream */
    RILL_RING = 6,        /**< pull within one array used as a ring buffer */
    RILL_MACROSCOPIC = 7, /**< equilibrium storage: pull of density and momentum, from which populations are
                             made; for Stokes flow at tau = 1 and magic = 1/4 */
    RILL_STREAM_COUNT
} rill_stream;

/** How a node finds its neighbours; see kernel/storage/address.h. */
typedef enum rill_addressing {
    RILL_LIST,   /**< an index per link */
    RILL_DENSE,  /**< every voxel is a node, with a flag byte */
    RILL_CHASE,  /**< links along the axes only, diagonals by following two or three of them */
    RILL_BITMAP, /**< rank in an occupancy bitmap */
    RILL_ADDRESSING_COUNT
} rill_addressing;

/** What a population does at a wall. */
typedef enum rill_bounce {
    RILL_HALF_WAY, /**< returns after one step: the wall is half-way between the nodes */
    RILL_FULL_WAY, /**< Esoteric schemes: rests in a ghost node, returns after two steps */
    RILL_BOUNCE_COUNT
} rill_bounce;

/** Number formats of stored populations; see kernel/storage/storage.h. Values that are left out are formats
 * for comparison. */
typedef enum rill_storage {
    RILL_FP32 = 0,  /**< IEEE 754 binary32 */
    RILL_FP64 = 1,  /**< IEEE 754 binary64 */
    RILL_FP16 = 2,  /**< IEEE 754 binary16, not scaled */
    RILL_FP16S = 3, /**< binary16 of 2^15 f */
    RILL_FP16C = 4, /**< 1-4-11: one exponent bit traded for a mantissa bit, bias 15 */
    RILL_STORAGE_COUNT = 9
} rill_storage;

/** Precision in which a node is updated. */
typedef enum rill_arithmetic { RILL_SINGLE, RILL_DOUBLE, RILL_ARITHMETIC_COUNT } rill_arithmetic;

/** What is stored of a population. */
typedef enum rill_shift {
    RILL_SHIFTED, /**< f_i - w_i, "DDF shifting" */
    RILL_PLAIN,   /**< f_i: rounding is larger by f_i / (f_i - w_i) */
    RILL_SHIFT_COUNT
} rill_shift;

/** One choice of everything that a kernel is compiled for. */
typedef struct rill_variant {
    rill_lattice lattice;         /**< velocity set */
    rill_collision collision;     /**< collision operator */
    rill_equilibrium equilibrium; /**< equilibrium distribution */
    rill_stream stream;           /**< streaming scheme */
    rill_addressing addressing;   /**< how a node finds its neighbours */
    rill_storage storage;         /**< number format of stored populations */
    rill_arithmetic arithmetic;   /**< fp64 storage always goes with RILL_DOUBLE, whatever is given */
    rill_rheology rheology;       /**< viscosity law */
    rill_bounce bounce;           /**< what a population does at a wall */
    rill_shift shift;             /**< what is stored of a population */
} rill_variant;

/**
 * Refuse combinations that do not exist.
 * @param[in] variant the variant
 * @return RILL_USAGE with the reason and the remedy
 */
rill_status rill_variant_check(rill_variant variant);

/**
 * Return the default variant.
 * @return D3Q19, TRT, Stokes equilibrium, AA, list, half-way, fp32
 */
rill_variant rill_variant_default(void);

/**
 * Write the name of a variant, "d3q19-trt-stokes-aa-list-fp32"; what is not usual ("double", "full-way",
 * "plain", "carreau-yasuda", "casson") is appended.
 * @param[in] variant the variant
 * @param[out] text [size], cut if it is too long, ends with NUL
 * @param[in] size bytes of `text`; 96 always suffice
 */
void rill_variant_name(rill_variant variant, char *text, size_t size);

/**
 * Find a variant by its name.
 * @param[in] name as rill_variant_name() writes it
 * @param[out] out the variant
 * @return RILL_USAGE when there is none of this name
 */
rill_status rill_variant_find(const char *name, rill_variant *out);

/**
 * Return the number of variants whose CUDA kernels are built ahead of time. All others are compiled when they
 * are first used; the CPU runs every variant.
 * @return the number of variants
 */
int rill_variant_count(void);

/**
 * Return a variant whose CUDA kernels are built ahead of time.
 * @param[in] k its number, 0 to rill_variant_count() - 1
 * @return the variant
 */
rill_variant rill_variant_at(int k);

/**
 * Step through all variants that rill_variant_check() accepts, each once.
 * @param[in,out] cursor 0 at first
 * @param[out] out the variant
 * @return false when there are no more
 */
bool rill_variant_next(uint64_t *cursor, rill_variant *out);

/**
 * Return the number of populations per node.
 * @param[in] lattice the velocity set
 * @return 7, 9, 15, 19 or 27; 0 for a value that is no velocity set
 */
int rill_lattice_q(rill_lattice lattice);

/** Bytes of a variant per fluid node, without ghosts and the additional entries of a ring buffer. */
typedef struct rill_bytes {
    double populations; /**< stored */
    double index;       /**< stored: lists, wall words, flags, bitmaps */
    double moved;  /**< per update: populations read and written, index words as often as they are read */
    double cached; /**< the same, with words that neighbours read, too, counted once */
} rill_bytes;

/**
 * Return the bytes of a variant.
 * @param[in] variant the variant
 * @param[in] fluid fraction of the box that is fluid, above 0
 * @return bytes per fluid node
 */
rill_bytes rill_variant_bytes(rill_variant variant, double fluid);

#ifdef __cplusplus
}
#endif

#endif
