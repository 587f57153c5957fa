/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file clock.h
 * Time that only goes on: for progress, and for how long something took.
 */
#ifndef RILL_CORE_CLOCK_H
#define RILL_CORE_CLOCK_H

/** Return seconds since some moment before the program began. */
double rill_now(void);

#endif
