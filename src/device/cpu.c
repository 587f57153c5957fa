/* SPDX-License-Identifier: Apache-2.0 */
/* The CPU as a backend: host memory, and the kernels of the best x86-64 level that the processor has. */
#include "core/processors.h"
#include "core/memory.h"
#include "core/progress.h"
#include "core/sanitized.h"
#include "core/status.h"
#include "core/threads.h"
#include "cpu/rows.h"
#include "device/device.h"
#include "device/cpu.h"
#include "kernel/storage/stream.h"
#include "kernel/sums.h"
#include "kernel/variant.h"

#include <fcntl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct level {
    const char *name;
    const rill_cpu_level *parts;
    rill_diffusion_level *diffusion;
} level;

/* Best first; the build says which exist. */
#define LEVEL(V)                                                                                             \
    {                                                                                                        \
#V, &RILL_CPU_LEVEL(V), RILL_DIFFUSION_LEVEL(V)                                                      \
    }
static const level levels[] = {
#ifdef RILL_LEVEL_v4
    LEVEL(v4),
#endif
#ifdef RILL_LEVEL_v3
    LEVEL(v3),
#endif
#ifdef RILL_LEVEL_v2
    LEVEL(v2),
#endif
};

static bool processor_has(const char *name)
{
    __builtin_cpu_init();
    if (!strcmp(name, "v2")) return rill_processor_serves();
    const bool v3 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
    if (!strcmp(name, "v3")) return v3;
    return v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

/* RILL_CPU_LEVEL=v2 selects a lower level than the processor has. */
static const level *level_find(void)
{
    const char *wanted = getenv("RILL_CPU_LEVEL");
    for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
        if (processor_has(levels[k].name) && (!wanted || !*wanted || !strcmp(wanted, levels[k].name)))
            return &levels[k];
    if (wanted && *wanted)
        rill_fail(RILL_SYSTEM,
                  "RILL_CPU_LEVEL=%s is not an x86-64 level that this processor has and rill was built for",
                  wanted);
    else if (!rill_processor_serves())
        rill_fail(RILL_SYSTEM, RILL_PROCESSOR_LACKS);
    else
        rill_fail(
            RILL_SYSTEM,
            "rill was built without the x86-64 level of this processor: build with CPU_LEVELS=\"v2 v3 v4\"");
    return NULL;
}

rill_status rill_cpu_diffusion(rill_diffusion_level **out)
{
    const level *found = level_find();
    if (!found) return RILL_SYSTEM;
    *out = found->diffusion;
    return RILL_OK;
}

/* The name of the first processor. Results state it, so that it must not hang on memory, which a stream of
 * the C library takes. */
static void model_name(char *name, size_t size)
{
    static const char key[] = "\nmodel name", otherwise[] = "x86-64 processor";
    char text[4096];
    const int file = open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC);
    const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
    if (file >= 0) close(file);
    text[length > 0 ? length : 0] = '\0';
    const char *found = strstr(text, key), *colon = found ? strstr(found, ": ") : NULL;
    const char *begin = colon ? colon + 2 : otherwise;
    const size_t most = size - 1, words = strcspn(begin, "\n");
    snprintf(name, size, "%.*s", (int)(words < most ? words : most), begin);
}

static rill_status open_cpu(rill_device *device)
{
    const level *found = level_find();
    if (!found) return RILL_SYSTEM;
    if (device->ordinal > 0)
        return rill_fail(
            RILL_USAGE,
            "there is no CPU device %d: all processors are device 0, of which --ranks makes parts",
            device->ordinal);
    device->state = (void *)found;
    char model[160];
    model_name(model, sizeof model);
    const int threads = rill_threads();
    snprintf(device->name, sizeof device->name, "%s, %d thread%s, x86-64-%s", model, threads,
             threads == 1 ? "" : "s", found->name);
    return RILL_OK;
}

static void close_cpu(rill_device *device) { (void)device; }

static void explain_threads(uint64_t nodes, char *text, size_t size)
{
    rill_threads_explain(nodes, RILL_CPU_PIECE_NODES, "nodes", text, size);
}

static const rill_cpu_level *parts_of(const rill_device *device)
{
    return ((const level *)device->state)->parts;
}

static rill_status available(rill_device *device, uint64_t *bytes)
{
    (void)device;
    return rill_memory_available(bytes);
}

static rill_status require(rill_device *device, uint64_t bytes, const char *what)
{
    (void)device;
    return rill_memory_require(bytes, what);
}

enum { PAGE = 4096 };

typedef struct cleared {
    char *data;
    uint64_t bytes;
    rill_progress_watch *watch; /* of the calling thread */
} cleared;

static void clear(const void *shared, uint64_t first, uint64_t end)
{
    const cleared *a = shared;
    const uint64_t from = first * PAGE, left = a->bytes - from, most = (end - first) * PAGE;
    if (rill_progress_goes_on(a->watch)) memset(a->data + from, 0, left < most ? left : most);
}

/* Pages go to the threads that will use them. */
static rill_status alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    (void)device;
    rill_status status = RILL_OK;
    char *array = NULL;
    RILL_TRY(rill_array_create(bytes, 1, what, (void **)&array));
    rill_threads_for((bytes + PAGE - 1) / PAGE, 64, clear, &(cleared){array, bytes, rill_progress_here()});
    RILL_TRY(rill_progress_poll());
    *out = array;
    array = NULL;
done:
    rill_array_destroy(array);
    return status;
}

static void free_array(rill_device *device, void *array)
{
    (void)device;
    rill_array_destroy(array);
}

static rill_status share(rill_device *device, const void *host, uint64_t bytes, const char *what,
                         const void **out)
{
    (void)device, (void)bytes, (void)what;
    *out = host;
    return RILL_OK;
}

static void release(rill_device *device, const void *array) { (void)device, (void)array; }

static void build(rill_device *device, const rill_builder *builder, rill_build_task task)
{
    parts_of(device)->build(builder, task);
}

/* Steps read segments instead of a list. */
static rill_status link_nodes(rill_device *device, rill_variant variant, rill_arrays *arrays)
{
    if (variant.addressing != RILL_LIST || rill_stream_macroscopic((int)variant.stream)) return RILL_OK;
    return rill_segments_create(variant, arrays, parts_of(device)->cut, &arrays->segments);
}

static void unlink_nodes(rill_device *device, rill_arrays *arrays)
{
    (void)device;
    rill_segments_destroy(&arrays->segments);
}

static uint64_t linked_bytes(rill_device *device, const rill_arrays *arrays)
{
    (void)device;
    return rill_segments_bytes(&arrays->segments, arrays->nodes);
}

static rill_status copy(rill_device *device, void *to, const void *from, uint64_t bytes)
{
    (void)device;
    memcpy(to, from, bytes);
    return RILL_OK;
}

static rill_status pass(rill_device *device, void *queue, void *to, const rill_device *owner,
                        const void *from, uint64_t bytes)
{
    (void)queue, (void)owner;
    return copy(device, to, from, bytes);
}

static rill_status wait_for_nothing(rill_device *device)
{
    (void)device;
    return RILL_OK;
}

static void then_now(rill_device *device, void (*fn)(void *context), void *context)
{
    (void)device;
    fn(context);
}

static rill_status kernels(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    if (parts_of(device)->has(variant)) {
        *out = &parts_of(device)->kernels;
        return RILL_OK;
    }
    char name[96];
    rill_variant_name(variant, name, sizeof name);
    return rill_fail(RILL_SYSTEM, "variant %s is not built into this library: see `rill variants`", name);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

enum { LINE = 256 };

/* Numbers, in rows side by side. */
typedef struct numbers {
    float *a;
    uint64_t row;
    int rows;
} numbers;

static void update_lines(const void *shared, uint64_t first, uint64_t end)
{
    const numbers *n = shared;
    for (uint64_t line = first; line < end; line++)
        for (int r = 0; r < n->rows; r++) {
            float *part = n->a + (uint64_t)r * n->row + line * LINE;
            for (int k = 0; k < LINE; k++) part[k] = 0.5f * part[k] + 1.0f;
        }
}

/* Bytes per second of numbers updated in place. */
static double update(float *a, int64_t count, int rows)
{
    const numbers n = {a, (uint64_t)count / (uint64_t)rows, rows};
    const double start = omp_get_wtime();
    rill_threads_for(n.row / LINE, (uint64_t)(1024 / rows), update_lines, &n);
    return 2.0 * (double)count * sizeof *a / (omp_get_wtime() - start);
}

/* Updates 512 MiB in place, far more than the caches hold: the median of updating one row, or of sixteen,
 * about as many as a step has: some processors get a third more from their memory when they request several
 * at once. */
static rill_status bandwidth(rill_device *device, double *bytes_per_second)
{
    enum { rounds = 9 };
    const int64_t count = SANITIZED ? (int64_t)1 << 20 : (int64_t)1 << 27;
    double rates[2][rounds];
    float *a = NULL;
    const rill_status status =
        alloc(device, (uint64_t)count * sizeof *a, "the bandwidth measurement", (void **)&a);
    if (status != RILL_OK) return status;
    for (int round = 0; round < 2 * rounds; round++)
        rates[round % 2][round / 2] = update(a, count, round % 2 ? 16 : 1);
    rill_array_destroy(a);
    for (int several = 0; several < 2; several++) qsort(rates[several], rounds, sizeof **rates, ascending);
    *bytes_per_second = fmax(rates[0][rounds / 2], rates[1][rounds / 2]);
    return RILL_OK;
}

/* Values, and the positions that labels give them. */
typedef struct labelled {
    const double *given;
    const uint32_t *labels;
    double *values;
    int64_t *sums;
} labelled;

enum { LABELLED = 4096 };

static void gather_range(const void *shared, uint64_t first, uint64_t end)
{
    const labelled *l = shared;
    for (uint64_t k = first; k < end; k++) rill_sum_add(&l->sums[l->labels[k]], rill_sum_units(l->given[k]));
}

static void gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                   int64_t *sums)
{
    (void)device;
    const labelled all = {.given = values, .labels = labels, .sums = sums};
    rill_threads_for(count, LABELLED, gather_range, &all);
}

static void spread_range(const void *shared, uint64_t first, uint64_t end)
{
    const labelled *l = shared;
    for (uint64_t k = first; k < end; k++) l->values[k] = l->given[l->labels[k]];
}

static void spread(rill_device *device, const double *given, const uint32_t *labels, uint64_t count,
                   double *values)
{
    (void)device;
    const labelled all = {.given = given, .labels = labels, .values = values};
    rill_threads_for(count, LABELLED, spread_range, &all);
}

static void refine(rill_device *device, const rill_refiner *refiner)
{
    (void)device;
    rill_cpu_refine(refiner);
}

static rill_status count_one(int *count)
{
    *count = 1;
    return RILL_OK;
}

const rill_backend rill_backend_cpu = {
    .name = "cpu",
    .host = true,
    .count = count_one,
    .open = open_cpu,
    .close = close_cpu,
    .threads = explain_threads,
    .memory.available = available,
    .memory.require = require,
    .memory.alloc = alloc,
    .memory.free = free_array,
    .memory.share = share,
    .memory.release = release,
    .build = build,
    .link = link_nodes,
    .unlink = unlink_nodes,
    .linked = linked_bytes,
    .memory.upload = copy,
    .memory.download = copy,
    .exchange.pass = pass,
    .gather = gather,
    .spread = spread,
    .refine = refine,
    .wait = wait_for_nothing,
    .then = then_now,
    .kernels = kernels,
    .bandwidth = bandwidth,
    .traits.processor = true,
    .yardstick = "in-place update",
};
