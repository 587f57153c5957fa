/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file reference.h
 * Reference values that stand in the tables of data/, with their sources.
 */
#ifndef RILL_VERIFY_REFERENCE_H
#define RILL_VERIFY_REFERENCE_H

#include "rill.h"

/** Where a reference value stands. */
typedef struct rill_verify_reference {
    const char *table;       /**< "cylinder-arrays": data/cylinder-arrays.csv; NULL: there is none */
    const char *row;         /**< its first cells, joined by blanks, "SC 0.216 32"; NULL: all rows */
    const char *column;      /**< name of a column, "drag"; NULL: all columns */
    const char *uncertainty; /**< name of the column of what is added to the limit; or NULL */
    double over;             /**< both are divided by it, 0: by nothing */
} rill_verify_reference;

/**
 * Read a reference value.
 * @param[in]  reference    without a row, all cells of its table must be numbers, and no value is set
 * @param[out] value        may be NULL
 * @param[out] uncertainty  in the unit of the value, not set without a column of it; may be NULL
 * @return RILL_USAGE with the remedy if the table is missing or damaged
 */
rill_status rill_verify_reference_read(const rill_verify_reference *reference, double *value,
                                       double *uncertainty);

#endif
