/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file processors.h
 * How many processors this process may keep busy, which may be fewer than the machine has.
 */
#ifndef RILL_CORE_PROCESSORS_H
#define RILL_CORE_PROCESSORS_H

#include <stdbool.h>

/** Return whether this processor has the instructions of x86-64-v2 that all code of rill may use. */
bool rill_processor_serves(void);

/** What to say where it has not. */
#define RILL_PROCESSOR_LACKS                                                                                 \
    "this processor lacks x86-64-v2 (SSE 4.2 and POPCNT), which processors have since 2008 and rill needs: " \
    "use another machine"

/**
 * Return the processors that this thread may keep busy, at least 1: those of its affinity mask, and no more
 * than the CPU quotas (cgroups, versions 1 and 2) of the process pay for, rounded up, nor than its share
 * where a launcher has started several processes on this machine.
 */
int rill_processors(void);

/** Return how many processes of its launcher are on this machine, as the launcher says; 1 without any. */
int rill_processors_sharers(void);

/** The same with /proc and /sys below `root`, which the tests lay out; "" is this system. */
int rill_processors_under(const char *root);

/**
 * Return how many processors a CPU quota pays for, INFINITY for no limit.
 * @param text  "QUOTA PERIOD" in microseconds, as in cpu.max: "150000 100000", "max 100000", "-1 100000"
 */
double rill_processors_quota(const char *text);

#endif
