/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file table.h
 * Tables of rill's data, data/NAME.csv:
 *
 *     # What the numbers are, their source and uncertainty.
 *     # rows: 2
 *     solid fraction, drag [mu U]
 *     0.1, 24.83
 *     0.2, 51.53
 *
 * Cells are those of rill_csv_cell(). The number of rows and the newline at the end show
 * whether a file was cut.
 */
#ifndef RILL_CORE_TABLE_H
#define RILL_CORE_TABLE_H

#include "rill.h"

#include <limits.h>

/** A table in memory. */
typedef struct rill_table {
    char path[PATH_MAX];
    int rows, columns;
    char *text;         /**< owned; the cells point into it */
    const char **names; /**< [columns], of the columns, with their units */
    const char **cells; /**< [rows][columns] */
    int *lines;         /**< [rows], their lines in the file */
} rill_table;

/**
 * Read a table of the data.
 * @param[in]  name   "cylinder-arrays": data/cylinder-arrays.csv, see rill_data_path()
 * @param[out] table  freed by rill_table_free(), also after a failure
 * @return RILL_USAGE with path, line and remedy if it is missing or damaged
 */
rill_status rill_table_read(const char *name, rill_table *table);

/** Find a column by its name without the unit: "drag". @return RILL_USAGE if there is none */
rill_status rill_table_column(const rill_table *table, const char *name, int *column);

/**
 * Find a row by its first cells, joined by blanks: "SC 0.216 32".
 * @return RILL_USAGE if no row or several rows begin with them
 */
rill_status rill_table_row(const rill_table *table, const char *cells, int *row);

/** Read a number. @return RILL_USAGE if the cell is not a finite number */
rill_status rill_table_number(const rill_table *table, int row, int column, double *value);

/** Free what a table owns; a cleared one is allowed. */
void rill_table_free(rill_table *table);

#endif
