/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file choices.h
 * Choices that exist for comparison with the literature, which `rill bench` and `rill verify` measure; users
 * name them by rill_variant_find() and options. Their values are those that rill/variant.h leaves out. No
 * part of the library but src/kernel names them.
 */
#ifndef RILL_KERNEL_COMPARISON_CHOICES_H
#define RILL_KERNEL_COMPARISON_CHOICES_H

#include "rill/variant.h"

#define RILL_PUSH ((rill_stream)1)    /**< two arrays, read at home, write downstream */
#define RILL_ESOPUSH ((rill_stream)5) /**< Esoteric Push: half of a pair at home, half upstream */

#define RILL_P16_0S ((rill_storage)5) /**< posit of 16 bits, es 0, scaled */
#define RILL_P16_1S ((rill_storage)6) /**< posit of 16 bits, es 1, scaled */
#define RILL_P16_2C ((rill_storage)7) /**< posit of 16 bits, es 2, customised */
#define RILL_INT16S ((rill_storage)8) /**< integers, scaled: digits of small populations are lost */

#endif
