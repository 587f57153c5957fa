/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file csv.h
 * The table of a batch: CSV by RFC 4180, one line for each item, columns as docs/files.md lists them. Numbers
 * have as many digits as they need to be read back with the same bits.
 */
#ifndef RILL_BATCH_CSV_H
#define RILL_BATCH_CSV_H

#include "rill.h"

#include <stdio.h>

/** A table that was read. */
typedef struct rill_batch_csv rill_batch_csv;

/**
 * Read a table; a file that does not exist is an empty one.
 * @param[in] diffusion  a table of diffusivities, not of permeabilities
 * @return RILL_USAGE with path and line for a file that is no such table, RILL_SYSTEM for memory or disk
 */
rill_status rill_batch_csv_read(const char *path, bool diffusion, rill_batch_csv **out);

/** Free a table; NULL is allowed. */
void rill_batch_csv_destroy(rill_batch_csv *csv);

/**
 * Find the row of the same file and block with the same options.
 * @param[in,out] row  options_hash set, as rill_batch_row_init() made it; filled in where it was found
 * @return false: there is none
 */
bool rill_batch_csv_find(const rill_batch_csv *csv, const rill_batch_item *item, rill_batch_row *row);

/** Note which rows the items replace, once they have ended. */
void rill_batch_csv_replace(rill_batch_csv *csv, const rill_batch_item *items, size_t count);

/**
 * Write the table: first the rows of `csv` that no item has replaced, then those of the items that have
 * ended.
 * @param[in] csv      NULL: none
 * @param[in] settled  [count], items that have ended: the rows of the others are not looked at
 */
rill_status rill_batch_csv_write(const char *path, const rill_batch_csv *csv, const rill_batch_item *items,
                                 const rill_batch_row *rows, const bool *settled, size_t count);

/** Print a number with as few digits as give the same bits; "inf", and nothing for NaN. */
void rill_batch_csv_real(FILE *out, double value);

#endif
