/* SPDX-License-Identifier: Apache-2.0 */
/* Processors by affinity mask, CPU quota and the processes of a launcher. Shares (cpu.weight) limit nothing
 * while others are idle. */
#include "core/processors.h"
#include "core/decimal.h"
#include "core/groups.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

double rill_processors_quota(const char *text)
{
    double quota, period;
    const char *rest = rill_decimal_at(text, &quota); /* "max" is none */
    if (!rest || !rill_decimal_at(rest + strspn(rest, " "), &period)) return INFINITY;
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* Append the line that a file holds, if there is one. */
static void append_line(const char *directory, const char *name, char *text, size_t size)
{
    char path[8192 + 64];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    const size_t length = strlen(text);
    if (fgets(text + length, (int)(size - length), file) && strchr(text, '\n')) *strchr(text, '\n') = ' ';
    fclose(file);
}

static void lower_to_group(void *context, const char *directory, bool unified)
{
    char text[128] = "";
    double *processors = context;
    append_line(directory, unified ? "cpu.max" : "cpu.cfs_quota_us", text, sizeof text);
    if (!unified) append_line(directory, "cpu.cfs_period_us", text, sizeof text);
    *processors = fmin(*processors, rill_processors_quota(text));
}

/* With OMP_PROC_BIND the OpenMP library has bound this thread to one place of those it may use. */
static int allowed(void)
{
    cpu_set_t set[16]; /* for 16384 processors */
    if (omp_get_proc_bind() != omp_proc_bind_false) return omp_get_num_procs();
    if (sched_getaffinity(0, sizeof set, set) != 0) return omp_get_num_procs();
    return CPU_COUNT_S(sizeof set, set);
}

int rill_processors_sharers(void)
{
    /* Open MPI; MPICH and Intel MPI. Slurm binds processes to processors, so that none are shared. */
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        const char *text = getenv(names[k]);
        const long count = text ? strtol(text, NULL, 10) : 0;
        if (count > 0 && count <= 1 << 20) return (int)count;
    }
    return 1;
}

/* Processors of the machine. Those that a launcher may use can be fewer, but no mask states that: that of a
 * process may be its own binding, and that of init the few that are kept for services. A share that is too
 * large costs time where processes are not bound; one that is too small would leave processors idle where
 * they are.
 */
static double offered(void) { return (double)sysconf(_SC_NPROCESSORS_CONF); }

int rill_processors_under(const char *root)
{
    double quota = INFINITY;
    rill_groups_walk(root, "cpu", lower_to_group, &quota);
    const double share = floor(fmin(quota, offered()) / rill_processors_sharers());
    double processors = fmin(quota, allowed());
    if (rill_processors_sharers() > 1) processors = fmin(processors, share);
    return processors > 1 ? (int)ceil(processors) : 1;
}

bool rill_processor_serves(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt");
}

int rill_processors(void) { return rill_processors_under(""); }
