/* SPDX-License-Identifier: Apache-2.0 */
/* What the host can give, by /proc, both versions of control groups and RILL_MEMORY; aligned arrays. */
#include "core/sanitized.h"
#include "core/memory.h"
#include "device/room.h"
#include "core/status.h"
#include "directory.h"

#include <stdlib.h>
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

/* Pages of 2 MiB that arrays of so many KiB take, the last of which is zero. */
static uint64_t pages_of(const uint64_t *kib)
{
    const rill_backend backend = {.memory.granule = 2048 * 1024};
    rill_room room = {.backend = &backend};
    for (; *kib; kib++) rill_room_add(&room, *kib * 1024);
    return rill_room_bytes(&room) / backend.memory.granule;
}

Test(memory, arrays_of_a_device_take_its_granules)
{
    static const struct {
        uint64_t pages, kib[12];
    } cases[] = {
        {0, {0}},
        {1, {1}},
        {1, {2048}},
        {2, {2049}},
        {2, {1025, 1025}}, /* larger than half a page: they do not share one */
        {1, {1024, 1024}},
        {2, {1024, 1024, 1}},
        {2, {900, 56, 150, 5, 240, 192, 240, 192, 256, 128}}, /* a field of 64 voxels between reservoirs */
        {2, {700, 700, 700, 700}},                            /* two in a page */
        {3, {1000, 1000, 1000, 1000, 96}},                    /* the last fits beside none of two */
        {8, {2048, 2049, 4097, 1025, 1024, 1024}},
        {2, {128, 128, 128, 128, 128, 128, 128, 128, 1024, 1024}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        cr_expect_eq(pages_of(cases[k].kib), cases[k].pages, "case %zu: %llu pages", k,
                     (unsigned long long)pages_of(cases[k].kib));
    const rill_backend bytes = {.memory.granule = 0};
    rill_room any = {.backend = &bytes};
    rill_room_add(&any, (2 << 20) + 1);
    rill_room_add(&any, 7);
    cr_assert_eq(rill_room_bytes(&any), (2 << 20) + 8);
}

/* Pages that arrays take which lie in the first page with room, or in the last one alone. */
static uint64_t pages_taken(const uint64_t *sizes, int count, bool last)
{
    enum { PAGE = 1 << 21, MOST = 64 };
    uint64_t used[MOST] = {0};
    int begun = 0, whole = 0;
    for (int k = 0; k < count; k++) {
        const uint64_t size = (sizes[k] + 511) / 512 * 512;
        int p = last && begun ? begun - 1 : 0;
        if (sizes[k] > PAGE / 2) {
            whole += (int)((sizes[k] + PAGE - 1) / PAGE);
            continue;
        }
        while (p < begun && used[p] + size > PAGE) p++;
        begun += p == begun;
        used[p] += size;
    }
    return (uint64_t)(whole + begun);
}

Test(memory, no_order_of_arrays_takes_more_granules_than_are_counted)
{
    const rill_backend backend = {.memory.granule = 1 << 21};
    uint64_t seed = 1, more = 0, all = 0;
    for (int trial = 0; trial < 2000; trial++) {
        uint64_t sizes[40];
        rill_room room = {.backend = &backend};
        const int count = 1 + trial % 40;
        for (int k = 0; k < count; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            sizes[k] = 1 + (seed >> 33) % ((uint64_t)1 << (10 + (seed >> 20) % 13));
            rill_room_add(&room, sizes[k]);
        }
        const uint64_t planned = rill_room_bytes(&room) / backend.memory.granule;
        for (int order = 0; order < 4; order++) {
            const uint64_t taken = pages_taken(sizes, count, order & 1);
            cr_assert(planned >= taken, "%d arrays: %llu of %llu pages", count, (unsigned long long)planned,
                      (unsigned long long)taken);
            all += taken;
            more += planned - taken;
            for (int k = count - 1; k > 0 && order == 1; k--) { /* another one */
                seed = seed * 6364136223846793005u + 1442695040888963407u;
                const int other = (int)((seed >> 33) % (uint64_t)(k + 1));
                const uint64_t size = sizes[k];
                sizes[k] = sizes[other];
                sizes[other] = size;
            }
        }
    }
    cr_assert((double)more < 0.2 * (double)all, "%llu pages more than the %llu taken",
              (unsigned long long)more, (unsigned long long)all);
}

Test(memory, lists_keep_their_items_when_they_grow)
{
    uint32_t(*list)[3] = NULL, (*before)[3];
    uint64_t room = 0, growths = 0;
    for (uint32_t k = 0; k < 10000; k++) {
        const uint64_t had = room;
        cr_assert_eq(RILL_LIST_GROW(list, k, room, "items"), RILL_OK);
        cr_assert_lt(k, room);
        growths += room != had;
        list[k][0] = list[k][2] = k;
    }
    cr_assert_lt(growths, 12); /* it doubles */
    for (uint32_t k = 0; k < 10000; k++) cr_assert_eq(list[k][0] + list[k][2], 2 * k);

    /* What does not fit into 64 bits is refused, and the list is as before. */
    before = list;
    room = UINT64_MAX / 16;
    cr_assert_eq(RILL_LIST_GROW(list, room, room, "items"), RILL_SYSTEM);
    cr_assert_not_null(strstr(rill_error_message(), "of items"));
    cr_assert(list == before && room == UINT64_MAX / 16);
    free(list);
}
