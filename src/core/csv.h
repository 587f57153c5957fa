/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file csv.h
 * Cells of CSV files that hold texts.
 */
#ifndef RILL_CORE_CSV_H
#define RILL_CORE_CSV_H

#include <stdio.h>

/**
 * Print a text as a cell, in quotes where it needs them. An apostrophe goes before a text that a spreadsheet
 * would take for a formula: one that begins with =, +, -, @, a tab or a carriage return and is no number, or
 * that does so behind apostrophes.
 */
void rill_csv_text(FILE *out, const char *text);

/** Return a cell, without its quotes, as the text that it was: behind the apostrophe that rill_csv_text()
 * put. */
char *rill_csv_plain(char *cell);

/**
 * Take one cell of a text, without its quotes; in place.
 * @param[in,out] at    the cell, then what is behind the mark that ends it
 * @param[out]    mark  that mark: a comma, a newline, a carriage return or NUL; text behind a quote otherwise
 */
char *rill_csv_cell(char **at, char *mark);

#endif
