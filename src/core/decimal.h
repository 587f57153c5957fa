/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file decimal.h
 * Numbers as options, case files, tables and headers write them: a sign, decimal digits with a point, an
 * exponent. strtod() takes more than that: "0x10", "inf", "nan", "1e999", and blanks before. Everything that
 * reads a real number from a text reads it here, so that one command does not accept what another one
 * refuses.
 */
#ifndef RILL_CORE_DECIMAL_H
#define RILL_CORE_DECIMAL_H

#include <stdbool.h>

/**
 * Read the finite decimal number that a text begins with. @param[out] value  unchanged where there is none
 * @return what follows it; NULL: the text does not begin with one, or with one that no double holds
 */
const char *rill_decimal_at(const char *text, double *value);

/** Read a text that is one finite decimal number, without blanks. @return whether it is */
bool rill_decimal(const char *text, double *value);

/** Read a text that is "inf", "-inf" or "nan" in any case, as arrays of numbers have them. @return whether it
 * is */
bool rill_decimal_special(const char *text, double *value);

#endif
