/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of this process at its peak. */
#ifndef RILL_TESTS_PEAK_H
#define RILL_TESTS_PEAK_H

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Return a number of /proc/self/status, in bytes. */
static inline double status_of(const char *key)
{
    char line[256];
    double value = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    cr_assert(file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) value = 1024 * atof(line + strlen(key) + 1);
    fclose(file);
    return value;
}

/* Let the peak of the memory count from now on. */
static inline void peak_restart(void)
{
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file || fputs("5", file) < 0 || fclose(file) != 0) cr_skip_test("the peak cannot be measured here");
}

#endif
