/* SPDX-License-Identifier: Apache-2.0 */
/* What the host can give, by /proc, both versions of control groups and RILL_MEMORY; aligned arrays. */
#include "core/sanitized.h"
#include "core/memory.h"
#include "device/room.h"
#include "core/status.h"
#include "directory.h"

#include <string.h>
#include <sys/resource.h>

static char root[DIRECTORY_SIZE];

static void put(const char *name, const char *text) { directory_put(root, name, text); }

static void set_up(void)
{
    unsetenv("RILL_MEMORY");
    directory_make(root);
    put("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  5 kB\nMemAvailable:    8000 kB\n");
}

static void tear_down(void) { directory_remove(root); }

TestSuite(memory, .init = set_up, .fini = tear_down);

static void expect_available(uint64_t bytes)
{
    uint64_t available = 0;
    cr_assert_eq(rill_memory_available_under(root, &available), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(available, bytes, "%llu bytes, not %llu", (unsigned long long)available,
                 (unsigned long long)bytes);
}

Test(memory, of_the_machine)
{
    expect_available(8000 * 1024);
    put("proc/meminfo", "MemTotal: 9000 kB\n");
    uint64_t bytes;
    cr_assert_eq(rill_memory_available_under(root, &bytes), RILL_SYSTEM);
    cr_assert_not_null(strstr(rill_error_message(), "RILL_MEMORY"));
}

Test(memory, of_groups_version_2)
{
    put("proc/self/cgroup", "0::/user/job\n");
    put("sys/fs/cgroup/user/job/memory.max", "max\n");
    expect_available(8000 * 1024);
    put("sys/fs/cgroup/user/memory.max", "5000000\n"); /* the parent limits too */
    put("sys/fs/cgroup/user/memory.current", "3000000\n");
    put("sys/fs/cgroup/user/memory.stat", "anon 1\ninactive_file 400000\nactive_file 100000\nslab 7\n");
    expect_available(2500000);
    put("sys/fs/cgroup/user/job/memory.max", "1000000\n");
    put("sys/fs/cgroup/user/job/memory.current", "1000001\n");
    expect_available(0);
}

Test(memory, of_groups_version_1)
{
    put("proc/self/cgroup", "5:devices:/x\n4:cpu,memory:/outside/view\n0::/\n");
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "6000000\n"); /* a container sees itself as the root */
    put("sys/fs/cgroup/memory/memory.usage_in_bytes", "2000000\n");
    put("sys/fs/cgroup/memory/memory.stat",
        "inactive_file 9\ntotal_inactive_file 500000\ntotal_active_file 0\n");
    expect_available(4500000);
}

Test(memory, stated_by_the_user)
{
    setenv("RILL_MEMORY", "1MiB", 1);
    put("proc/self/status", "VmRSS:  9999 kB\nRssAnon:\t     256 kB\n");
    expect_available(768 * 1024);
    void *array = root;
    cr_assert_eq(rill_array_create(1 << 20, 8, "the voxels", &array), RILL_SYSTEM);
    cr_assert_null(array);
    cr_assert_not_null(
        strstr(rill_error_message(), "no room for the voxels: that needs 8 MiB of memory, but --memory "));
    cr_assert_not_null(strstr(rill_error_message(), "allows 1 MiB and the process holds "));
    cr_assert_null(strstr(rill_error_message(), "holds 0 B"));
    setenv("RILL_MEMORY", "plenty", 1);
    cr_assert_eq(rill_memory_require(1, "the voxels"), RILL_USAGE);
    cr_assert_not_null(strstr(rill_error_message(), "plenty"));
}

/* Memory that sanitizers map is beyond any such limit. */
Test(memory, left_by_the_limits_of_the_process, .disabled = SANITIZED)
{
    const struct rlimit whole = {(rlim_t)1 << 40, RLIM_INFINITY};
    put("proc/self/status", "VmSize:\t1073740800 kB\nVmData:\t1073739776 kB\n");
    cr_assert_eq(setrlimit(RLIMIT_AS, &whole), 0);
    expect_available(1024 * 1024);
    setenv("RILL_MEMORY", "8GiB", 1); /* promises no more than the limit leaves */
    expect_available(1024 * 1024);
    unsetenv("RILL_MEMORY");
    cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){RLIM_INFINITY, RLIM_INFINITY}), 0);
    cr_assert_eq(setrlimit(RLIMIT_DATA, &whole), 0);
    expect_available(2048 * 1024);
    put("proc/self/status", "VmData:\t1073741825 kB\n");
    expect_available(0);
}

Test(memory, limits_of_the_process_are_named, .disabled = SANITIZED)
{
    cr_assert_eq(setrlimit(RLIMIT_AS, &(struct rlimit){(rlim_t)1 << 33, RLIM_INFINITY}), 0);
    cr_assert_eq(rill_memory_require(1 << 20, "the voxels"), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_memory_require((uint64_t)1 << 33, "the voxels"), RILL_SYSTEM);
    cr_assert_not_null(strstr(rill_error_message(), "that needs 8 GiB of memory"), "%s",
                       rill_error_message());
    if (strstr(rill_error_message(), "is available") == NULL) /* a machine may have less */
        cr_assert_not_null(strstr(rill_error_message(), "(ulimit -v, ulimit -d) leaves "), "%s",
                           rill_error_message());
}

Test(memory, arrays)
{
    for (uint64_t count = 0; count < 300; count += 13) {
        void *array, *zero;
        cr_assert_eq(rill_array_create(count, 7, "a", &array), RILL_OK);
        cr_assert_eq(rill_array_create_zero(count, 7, "b", &zero), RILL_OK);
        cr_assert_eq((uintptr_t)array % 64, 0);
        cr_assert_eq((uintptr_t)zero % 64, 0);
        for (uint64_t i = 0; i < 7 * count; i++) cr_assert_eq(((char *)zero)[i], 0);
        memset(array, 1, 7 * count);
        rill_array_destroy(array);
        rill_array_destroy(zero);
    }
    rill_array_destroy(NULL);

    void *array = root;
    cr_assert_eq(rill_array_create(UINT64_MAX / 4, 8, "the list", &array), RILL_SYSTEM);
    cr_assert_not_null(
        strstr(rill_error_message(), "no room for the list: that needs 4611686018427387903 x 8 bytes"));
    cr_assert_null(array);
    cr_assert_eq(rill_array_create_zero(1ull << 50, 1, "the list", &array), RILL_SYSTEM); /* 1 PiB */
}

Test(memory, arrays_of_a_device_take_its_granules)
{
    enum { MIB = 1 << 20 };
    const rill_backend pages = {.granule = 2 * MIB}, bytes = {.granule = 0};
    rill_room room = {.backend = &pages}, any = {.backend = &bytes};
    static const uint64_t arrays[] = {2 * MIB, 2 * MIB + 1, MIB, MIB / 2, MIB / 2 + 1};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        rill_room_add(&room, arrays[k]);
        rill_room_add(&any, arrays[k]);
    }
    cr_assert_eq(rill_room_bytes(&room), (2 + 4 + 4) * MIB); /* the small ones are one byte too many for 2 */
    cr_assert_eq(rill_room_bytes(&any), 6 * MIB + 2);
}
