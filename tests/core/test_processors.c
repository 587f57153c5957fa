/* SPDX-License-Identifier: Apache-2.0 */
/* How many processors the affinity mask and the quotas of both versions of control groups leave. */
#include "core/processors.h"
#include "directory.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <unistd.h>

static char root[DIRECTORY_SIZE];

static void set_up(void) { directory_make(root); }

static void tear_down(void) { directory_remove(root); }

TestSuite(processors, .init = set_up, .fini = tear_down);

static int allowed(void)
{
    cpu_set_t set;
    cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

static void expect(int processors)
{
    const int most = allowed();
    cr_expect_eq(rill_processors_under(root), processors < most ? processors : most);
}

Test(processors, of_a_quota)
{
    cr_expect_eq(rill_processors_quota("150000 100000\n"), 1.5);
    cr_expect_eq(rill_processors_quota("50000 100000"), 0.5);
    cr_expect_eq(rill_processors_quota("max 100000"), INFINITY);
    cr_expect_eq(rill_processors_quota("-1 100000"), INFINITY);
    cr_expect_eq(rill_processors_quota("100000"), INFINITY);
    cr_expect_eq(rill_processors_quota("100000 0"), INFINITY);
    cr_expect_eq(rill_processors_quota(""), INFINITY);
}

Test(processors, follow_the_affinity_mask)
{
    cpu_set_t set, one;
    int first = 0;
    cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
    cr_expect_eq(rill_processors_under(root), CPU_COUNT(&set));
    while (!CPU_ISSET(first, &set)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_expect_eq(rill_processors_under(root), 1);
}

Test(processors, of_groups_version_2)
{
    directory_put(root, "proc/self/cgroup", "0::/user/job\n");
    directory_put(root, "sys/fs/cgroup/user/job/cpu.max", "max 100000\n");
    expect(INT_MAX);
    directory_put(root, "sys/fs/cgroup/user/cpu.max", "110000 100000\n"); /* the parent limits too */
    expect(2);
    directory_put(root, "sys/fs/cgroup/user/job/cpu.max", "20000 100000\n");
    expect(1);
}

Test(processors, of_groups_version_1)
{
    directory_put(root, "proc/self/cgroup", "5:devices:/x\n4:cpu,cpuacct:/outside/view\n0::/\n");
    directory_put(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us",
                  "-1\n"); /* a container sees itself as the root */
    directory_put(root, "sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    expect(INT_MAX);
    directory_put(root, "sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
    expect(1);
}

Test(processors, are_shared_by_the_processes_of_a_launcher)
{
    const int most = allowed(), offered = (int)sysconf(_SC_NPROCESSORS_CONF);
    unsetenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    unsetenv("MPI_LOCALNRANKS");
    for (int count = 2; count <= 3; count++) {
        char text[16];
        const int share = offered / count > 0 ? offered / count : 1;
        snprintf(text, sizeof text, "%d", count);
        setenv("OMPI_COMM_WORLD_LOCAL_SIZE", text, 1);
        cr_expect_eq(rill_processors_under(root), share < most ? share : most);
    }
    setenv("OMPI_COMM_WORLD_LOCAL_SIZE", "none", 1);
    cr_expect_eq(rill_processors_under(root), most);
}
