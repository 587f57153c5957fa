/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file verify.h
 * What `rill verify` runs: cases with an exact or published value each, on a variant that the user chooses.
 *
 * A case is one computation and the checks on the numbers that came out of it. Cases are data and a
 * function (case_*.c); this part knows how they are judged and in which order they run. What a case
 * computes with is the public interface, rill.h, and the generators of geometry/.
 */
#ifndef RILL_VERIFY_H
#define RILL_VERIFY_H

#include "core/log.h"
#include "rill.h"
#include "verify/reference.h"

#include <jansson.h>

/** What populations are stored in decides what can be required. */
typedef enum rill_verify_precision {
    RILL_VERIFY_64, /**< fp64 */
    RILL_VERIFY_32, /**< fp32 */
    RILL_VERIFY_16, /**< every format of 16 bits */
    RILL_VERIFY_PRECISIONS
} rill_verify_precision;

/** Return the precision of a variant. */
rill_verify_precision rill_verify_precision_of(rill_variant variant);

/** How a number is compared with what is expected. */
typedef enum rill_verify_measure {
    RILL_VERIFY_RELATIVE, /**< |found / expected - 1| <= limit */
    RILL_VERIFY_ABSOLUTE, /**< |found - expected| <= limit */
    RILL_VERIFY_AT_MOST,  /**< found <= limit; nothing is expected */
    RILL_VERIFY_AT_LEAST, /**< found >= limit; nothing is expected */
} rill_verify_measure;

/** One number that a case finds. */
typedef struct rill_verify_check {
    const char *what; /**< "permeability" */
    const char *unit; /**< "lu", or "" */
    rill_verify_measure measure;
    double expected;                      /**< if there is no reference; see rill_verify_values */
    double limit[RILL_VERIFY_PRECISIONS]; /**< at each precision; infinity: shown, not judged */
    const char *source;                   /**< where the expected value is from */
    rill_verify_reference reference;      /**< where it stands; its uncertainty is added to the limits */
} rill_verify_check;

/** What is verified. */
typedef struct rill_verify_setup {
    rill_variant variant;
    rill_devices on;       /**< all cases run there */
    double magic;          /**< TRT, MRT */
    bool full;             /**< the sizes and cases of a GPU */
    bool quadratic;        /**< the walls of the suite vessels, where its requirements are */
    uint64_t nodes;        /**< of the suite sizes, at least; 0: 3e5, full set 3e8 */
    const rill_geom *rock; /**< the Fontainebleau image, or NULL; pores percolate or not, nothing dropped */
    rill_progress progress;
} rill_verify_setup;

/** Most checks of a case. */
enum { RILL_VERIFY_CHECKS = 12 };

/** The result of a case. */
typedef struct rill_verify_values {
    double found[RILL_VERIFY_CHECKS];
    double expected[RILL_VERIFY_CHECKS];    /**< those of the checks, which the case may replace */
    double uncertainty[RILL_VERIFY_CHECKS]; /**< of the references, added to the limits, by the measure */
    double rounding[RILL_VERIFY_CHECKS]; /**< what rounding or a staircase adds to the limits, 0 unless set by
                                            the case */
    json_t *series;                      /**< an object that a case may add curves to */
} rill_verify_values;

/** One computation. */
typedef struct rill_verify_case {
    const char *name; /**< "spheres/sc-0.216-32" */
    const char *what; /**< one clause: the flow and its parameters */
    bool full;        /**< runs in the full set only */
    const rill_verify_check *checks;
    int check_count;
    const void *data; /**< for `run` */

    /** Return why this case cannot be asked of a setup, or NULL; may be NULL. */
    const char *(*unfit)(const struct rill_verify_case *of, const rill_verify_setup *setup);
    rill_status (*run)(const struct rill_verify_case *of, const rill_verify_setup *setup,
                       rill_verify_values *values);
} rill_verify_case;

/** Checks of a case, written in place. */
#define RILL_VERIFY_LIST(...)                                                                                \
    .checks = (const rill_verify_check[]){__VA_ARGS__},                                                      \
    .check_count = sizeof((const rill_verify_check[]){__VA_ARGS__}) / sizeof(rill_verify_check)

/** Some cases. */
typedef struct rill_verify_group {
    const rill_verify_case *cases; /**< [count] */
    int count;
} rill_verify_group;

/** Suites of cases. */
typedef enum rill_verify_suite {
    RILL_VERIFY_REFERENCE,    /**< exact and published values, for one variant */
    RILL_VERIFY_FORMATS,      /**< number formats against each other */
    RILL_VERIFY_SIZES,        /**< as many nodes as requested, for one variant */
    RILL_VERIFY_VESSELS,      /**< interpolated bounce-back, pulsatile flow, blood, for one variant */
    RILL_VERIFY_CAPSULES,     /**< elastic capsules in shear flow, for one variant */
    RILL_VERIFY_FREE_SURFACE, /**< liquids with a free surface, for one variant */
    RILL_VERIFY_SUITES
} rill_verify_suite;

/** Names of the suites, behind them NULL. */
extern const char *const rill_verify_suite_names[RILL_VERIFY_SUITES + 1];

/** Return the number of cases of a suite. */
int rill_verify_count(rill_verify_suite suite);

/** Return case k of a suite, in the order in which they run. */
const rill_verify_case *rill_verify_at(rill_verify_suite suite, int k);

/** What came of one check. */
typedef struct rill_verify_outcome {
    double found, expected;
    double deviation; /**< as the measure says; NaN where nothing is expected */
    double limit;     /**< that of the check, and what rounding may add */
    bool pass;
} rill_verify_outcome;

/** What came of a case. */
typedef struct rill_verify_record {
    const rill_verify_case *of;
    bool skipped, pass;
    char reason[512]; /**< why it was skipped, or why there is no value; else "" */
    rill_verify_outcome outcomes[RILL_VERIFY_CHECKS];
    double seconds;
} rill_verify_record;

/**
 * Read the reference values of a case: `expected` and `uncertainty` of its checks.
 * @return RILL_USAGE with the remedy if data are missing or damaged
 */
rill_status rill_verify_read(const rill_verify_case *of, rill_verify_values *values);

/**
 * Run a case and judge it.
 * @param[in,out] series  an object that the case adds curves to, or NULL
 * @return RILL_OK also when it fails or has no value (RILL_NUMERICS): that is in the record; other failures
 * are handed on
 */
rill_status rill_verify_run(const rill_verify_case *of, const rill_verify_setup *setup, json_t *series,
                            rill_verify_record *record);

#endif
