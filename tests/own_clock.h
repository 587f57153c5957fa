/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file own_clock.h
 * A clock in place of the library's. It goes on at each look at it and by what a test says, so that reports
 * and measurements that come by time are the same on every machine, and beside any other work.
 */
#ifndef RILL_TESTS_OWN_CLOCK_H
#define RILL_TESTS_OWN_CLOCK_H

#include "core/clock.h"

static _Thread_local double own_clock = 1000; /**< s */
static double own_clock_tick =
    1; /**< s between two looks: at 1 s, what reports a few times a second reports at each look */

double rill_now(void) { return own_clock += own_clock_tick; }

#endif
