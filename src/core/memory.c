/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory that the host has available, and aligned arrays that are checked before they are allocated.
 * Device memory is the backends' own matter.
 */
#include "core/memory.h"
#include "core/groups.h"
#include "core/log.h"
#include "core/status.h"
#include "core/units.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ALIGNMENT = 64, SMALL = 1 << 16, PATH_SIZE = 4096, HUGE_ARRAY = 8 << 20 };

static void lower(uint64_t *bytes, uint64_t limit)
{
    if (limit < *bytes) *bytes = limit;
}

/* Return the number behind "key" in a file of "key value" lines, 0 when there is none. */
static uint64_t read_field(const char *path, const char *key)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    char line[256];
    uint64_t value = 0;
    const size_t length = strlen(key);
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, key, length) == 0 && strchr(" \t:", line[length]) != NULL) {
            value = strtoull(line + length + 1, NULL, 10);
            break;
        }
    fclose(file);
    return value;
}

/* Read the number that a file holds; false when it is missing or "max". */
static bool read_number(const char *path, uint64_t *value)
{
    FILE *file = fopen(path, "r");
    if (file == NULL) return false;
    unsigned long long number;
    const bool ok = fscanf(file, "%llu", &number) == 1;
    fclose(file);
    if (ok) *value = number;
    return ok;
}

/* The file names of a version of control groups. */
typedef struct group_files {
    const char *limit, *usage, *cache[2];
} group_files;

static const group_files version_1 = {
    "memory.limit_in_bytes", "memory.usage_in_bytes", {"total_inactive_file", "total_active_file"}};
static const group_files version_2 = {"memory.max", "memory.current", {"inactive_file", "active_file"}};

/* Lower *bytes to what a control group leaves; file cache counts as free. */
static void lower_to_group(void *bytes, const char *directory, bool unified)
{
    const group_files *files = unified ? &version_2 : &version_1;
    char path[2 * PATH_SIZE + 64];
    uint64_t limit, usage;
    snprintf(path, sizeof path, "%s/%s", directory, files->limit);
    if (!read_number(path, &limit)) return;
    snprintf(path, sizeof path, "%s/%s", directory, files->usage);
    if (!read_number(path, &usage)) usage = 0;
    snprintf(path, sizeof path, "%s/memory.stat", directory);
    const uint64_t cache = read_field(path, files->cache[0]) + read_field(path, files->cache[1]);
    usage -= cache < usage ? cache : usage;
    lower(bytes, limit > usage ? limit - usage : 0);
}

/* Lower *bytes to what the limits of this process (ulimit -v and -d) leave of its address space and of its
 * own data. @return whether one of them did */
static bool lower_to_process(const char *root, uint64_t *bytes)
{
    const struct {
        int which;
        const char *held;
    } limits[] = {{RLIMIT_AS, "VmSize"}, {RLIMIT_DATA, "VmData"}};
    const uint64_t before = *bytes;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/proc/self/status", root);
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++) {
        struct rlimit limit;
        if (getrlimit(limits[k].which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) continue;
        const uint64_t held = read_field(path, limits[k].held) * 1024;
        lower(bytes, limit.rlim_cur > held ? limit.rlim_cur - held : 0);
    }
    return *bytes < before;
}

/* What the user allows this process, and what it holds of that. */
typedef struct allowance {
    bool stated;
    uint64_t limit, held;
} allowance;

static rill_status read_allowance(const char *root, allowance *a)
{
    char path[PATH_SIZE];
    const char *text = getenv("RILL_MEMORY");
    *a = (allowance){.stated = text != NULL && text[0] != '\0'};
    if (!a->stated) return RILL_OK;
    if (rill_units_parse_bytes(text, &a->limit) != RILL_OK) {
        rill_fail_prefix("RILL_MEMORY (option --memory)");
        return RILL_USAGE;
    }
    snprintf(path, sizeof path, "%s/proc/self/status", root);
    a->held = read_field(path, "RssAnon") * 1024;
    return RILL_OK;
}

rill_status rill_memory_available_under(const char *root, uint64_t *bytes)
{
    char path[PATH_SIZE];
    allowance a;
    const rill_status status = read_allowance(root, &a);
    if (status != RILL_OK) return status;
    if (a.stated) {
        *bytes = a.limit > a.held ? a.limit - a.held : 0;
        (void)lower_to_process(root, bytes);
        return RILL_OK;
    }
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    *bytes = read_field(path, "MemAvailable") * 1024;
    if (*bytes == 0)
        return rill_fail(RILL_SYSTEM,
                         "%s does not say how much memory is available: set RILL_MEMORY, such as 8GiB", path);
    rill_groups_walk(root, "memory", lower_to_group, bytes);
    (void)lower_to_process(root, bytes);
    return RILL_OK;
}

rill_status rill_memory_available(uint64_t *bytes) { return rill_memory_available_under("", bytes); }

void rill_memory_give_back(void)
{
#ifdef __GLIBC__
    enum { LARGE = 1 << 17 };
    mallopt(M_MMAP_THRESHOLD, LARGE);
    mallopt(M_TRIM_THRESHOLD, LARGE);
#endif
}

/* What else a process comes to: pages of kernels and libraries that it has not read yet, stacks of threads.
 */
enum { PROGRAM_BYTES = 2 << 20 };

rill_status rill_memory_peak(uint64_t more, uint64_t *bytes)
{
    static const char path[] = "/proc/self/status";
#ifdef __GLIBC__
    malloc_trim(0);
#endif
    const uint64_t before = read_field(path, "VmHWM") * 1024, now = read_field(path, "VmRSS") * 1024;
    if (now == 0)
        return rill_fail(RILL_SYSTEM, "%s does not say how much memory the process has: mount /proc", path);
    *bytes = now + more + PROGRAM_BYTES > before ? now + more + PROGRAM_BYTES : before;
    return RILL_OK;
}

void rill_memory_note(const char *when)
{
    static const char path[] = "/proc/self/status";
    rill_log(RILL_LOG_DEBUG, "memory: %s: %llu KiB, at the peak so far %llu KiB", when,
             (unsigned long long)read_field(path, "VmRSS"), (unsigned long long)read_field(path, "VmHWM"));
}

static rill_status refuse(const char *what, uint64_t bytes, uint64_t available)
{
    char need[32], have[32];
    rill_units_format_bytes((double)bytes, need, sizeof need);
    rill_units_format_bytes((double)available, have, sizeof have);
    return rill_fail(
        RILL_SYSTEM,
        "no room for %s: that needs %s of memory and %s is available; use a smaller box, free memory, or state with --memory (RILL_MEMORY) that there is more",
        what, need, have);
}

static rill_status refuse_allowance(const char *what, uint64_t bytes, const allowance *a)
{
    char need[32], limit[32], held[32], all[32];
    rill_units_format_bytes((double)bytes, need, sizeof need);
    rill_units_format_bytes((double)a->limit, limit, sizeof limit);
    rill_units_format_bytes((double)a->held, held, sizeof held);
    rill_units_format_bytes((double)bytes + (double)a->held, all, sizeof all);
    return rill_fail(
        RILL_SYSTEM,
        "no room for %s: that needs %s of memory, but --memory (RILL_MEMORY) allows %s and the process holds %s already; "
        "use a smaller box, or allow more than %s",
        what, need, limit, held, all);
}

static rill_status refuse_limit(const char *what, uint64_t bytes, uint64_t left)
{
    char need[32], have[32];
    rill_units_format_bytes((double)bytes, need, sizeof need);
    rill_units_format_bytes((double)left, have, sizeof have);
    return rill_fail(
        RILL_SYSTEM,
        "no room for %s: that needs %s of memory, and the limit of this process (ulimit -v, ulimit -d) leaves %s; use a smaller box, or raise the limit",
        what, need, have);
}

rill_status rill_memory_require(uint64_t bytes, const char *what)
{
    uint64_t available;
    allowance a;
    rill_status status = rill_memory_available(&available);
    if (status != RILL_OK || bytes <= available) return status;
    uint64_t left = UINT64_MAX;
    if (lower_to_process("", &left) && left <= available) return refuse_limit(what, bytes, left);
    status = read_allowance("", &a);
    if (status != RILL_OK) return status;
    return a.stated ? refuse_allowance(what, bytes, &a) : refuse(what, bytes, available);
}

static rill_status create(uint64_t count, size_t size, const char *what, void *(*take)(size_t), void **out)
{
    uint64_t bytes, padded;
    *out = NULL;
    if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) ||
        __builtin_add_overflow(bytes, (uint64_t)(2 * ALIGNMENT), &padded) || padded > PTRDIFF_MAX)
        return rill_fail(
            RILL_SYSTEM,
            "no room for %s: that needs %llu x %zu bytes, more than a process can address; use a smaller box",
            what, (unsigned long long)count, size);
    if (bytes >= SMALL) {
        const rill_status status = rill_memory_require(bytes, what);
        if (status != RILL_OK) return status;
    }
    char *block = take((size_t)padded);
    if (block == NULL) {
        char need[32];
        rill_units_format_bytes((double)bytes, need, sizeof need);
        return rill_fail(
            RILL_SYSTEM,
            "no room for %s: that needs %s of memory, which the system refused; use a smaller box", what,
            need);
    }
    /* The block starts at a multiple of 16, so that at least 16 bytes before the array hold its address. */
    char *array = block + ALIGNMENT - (uintptr_t)block % ALIGNMENT;
    memcpy(array - sizeof block, &block, sizeof block);
    *out = array;
    return RILL_OK;
}

/* Put large arrays on huge pages if the system grants them: a node update reads some forty positions at once,
 * more than the translation buffers hold pages of 4 KiB, and threads that write new pages at the same time
 * wait for each other. */
static char *huge(char *block, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (block && bytes >= HUGE_ARRAY) {
        const uintptr_t first = ((uintptr_t)block + page - 1) / page * page,
                        end = ((uintptr_t)block + bytes) / page * page;
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE); /* advice: a refusal costs speed only */
    }
    return block;
}

static void *take_any(size_t bytes) { return huge(malloc(bytes), bytes); }

static void *take_zero(size_t bytes) { return huge(calloc(1, bytes), bytes); }

rill_status rill_array_create(uint64_t count, size_t size, const char *what, void **out)
{
    return create(count, size, what, take_any, out);
}

rill_status rill_array_create_zero(uint64_t count, size_t size, const char *what, void **out)
{
    return create(count, size, what, take_zero, out);
}

void rill_array_destroy(void *array)
{
    if (array == NULL) return;
    char *block;
    memcpy(&block, (char *)array - sizeof block, sizeof block);
    free(block);
}

/* Items that a list has room for at first. */
enum { LIST_FIRST = 64 };

rill_status rill_list_grow(void *list, uint64_t count, uint64_t *room, size_t size, const char *what)
{
    const uint64_t more = *room ? 2 * *room : LIST_FIRST;
    uint64_t bytes;
    void *items = NULL;
    if (count < *room) return RILL_OK;
    memcpy(&items, list, sizeof items); /* whatever the type that the caller's pointer has */
    items = __builtin_mul_overflow(more, size, &bytes) ? NULL : realloc(items, bytes);
    if (!items) return rill_fail(RILL_SYSTEM, "out of memory for %llu of %s", (unsigned long long)more, what);
    memcpy(list, &items, sizeof items);
    *room = more;
    return RILL_OK;
}
