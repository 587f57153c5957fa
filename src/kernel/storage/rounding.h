/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file rounding.h
 * How much a number format changes what is stored in it.
 */
#ifndef RILL_KERNEL_ROUNDING_H
#define RILL_KERNEL_ROUNDING_H

#include "rill.h"

/**
 * Return the largest |x - what is read back of x| over values x between `low` and `high`: found by storing
 * some of them (kernel/storage/storage.h), so that a new format needs nothing here. For fp64, which the
 * conversion cannot distinguish from x, half a unit in the last place.
 */
double rill_rounding(rill_storage storage, double low, double high);

/**
 * Return the smallest size of a population that a format resolves: of fp32 and fp64 the one whose last digit
 * is still that of a normal number, 2^digits times the smallest of these; of 16 bits, whose digits are
 * counted from 1, half of the smallest one above 0: what is smaller is stored as 0.
 */
double rill_resolved(rill_storage storage);

/** Return a stored population. */
double rill_stored_value(rill_storage storage, const void *populations, size_t offset);

#endif
