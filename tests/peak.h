/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of this process at its peak, where only what it allocates counts: which pages of the program and
 * its libraries a process has, whether pages are huge, and what each core counts for itself depend on the
 * machine. */
#ifndef RILL_TESTS_PEAK_H
#define RILL_TESTS_PEAK_H

#include <criterion/criterion.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

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

/* Stay on two processors: a kernel adds pages to those of a process by some hundred per core. */
static inline void peak_pin(void)
{
    cpu_set_t set, some;
    CPU_ZERO(&some);
    if (sched_getaffinity(0, sizeof set, &set) != 0) return; /* more processors than the set has */
    for (int k = 0, count = 0; k < CPU_SETSIZE && count < 2; k++)
        if (CPU_ISSET(k, &set)) {
            CPU_SET(k, &some);
            count++;
        }
    sched_setaffinity(0, sizeof some, &some);
}

/* Read each page of the program and its libraries, also where AddressSanitizer has put nothing. */
__attribute__((no_sanitize("address"))) static inline void peak_read_program(void)
{
    char line[4096], rights[8], path[2048];
    const long page = sysconf(_SC_PAGESIZE);
    unsigned long begin, end;
    FILE *maps = fopen("/proc/self/maps", "r");
    cr_assert(maps);
    while (fgets(line, sizeof line, maps))
        if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %2047s", &begin, &end, rights, path) == 4 &&
            path[0] == '/' && rights[0] == 'r' && rights[3] == 'p')
            for (const volatile char *at = (const char *)begin; at < (const char *)end; at += page) (void)*at;
    fclose(maps);
}

static double peak_files; /* bytes of files at the last restart: those of the program */

/* Let the peak of the memory count from now on. */
static inline void peak_restart(void)
{
    prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0);
    peak_pin();
    peak_read_program();
    FILE *file = fopen("/proc/self/clear_refs", "w");
    if (!file || fputs("5", file) < 0 || fclose(file) != 0) cr_skip_test("the peak cannot be measured here");
    peak_files = status_of("RssFile");
}

/* Return the bytes at the peak, without the program. */
static inline double peak_of_memory(void) { return status_of("VmHWM") - peak_files; }

#endif
