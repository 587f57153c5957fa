/* SPDX-License-Identifier: Apache-2.0 */
/* The memory in the plan of a permeability on a device with memory of its own, which the CPU plays: its
 * arrays lie in shared mappings, so that anonymous memory is that of the host alone. */
#include "core/memory.h"
#include "device/device.h"
#include "geometry/generate/generate.h"
#include "geometry/voxels/derive.h"
#include "network/network.h"
#include "permeability/error_bar_priv.h"
#include "permeability/numbered.h"
#include "rill.h"

#include "peak.h"
#include "random_rock.h"
#include "core/sanitized.h"

#include <criterion/new/assert.h>
#include <omp.h>
#include <malloc.h>
#include <sys/mman.h>

extern const rill_backend rill_backend_cpu;

enum { ARRAYS = 64, BEHIND = 1 << 16 }; /* processors read whole vectors */

/* What the device gave, and where: in a page that small arrays share, or -1. */
static struct {
    void *array;
    uint64_t bytes;
    int page;
} given[ARRAYS];

/* Pages of a device, as CUDA has them: arrays of more than half a page take whole pages, others the page that
 * was begun last, while there is room. */
static struct {
    uint64_t used[ARRAYS];
    int arrays[ARRAYS]; /* in a page */
    int last;
    uint64_t taken, most; /* bytes of pages */
} now;

static uint64_t pages(uint64_t bytes)
{
    return (bytes + RILL_CUDA_PAGE - 1) / RILL_CUDA_PAGE * RILL_CUDA_PAGE;
}

/* Put an array into a page. @return which, -1: pages of its own */
static int put(uint64_t bytes)
{
    const uint64_t size = (bytes + 511) / 512 * 512;
    const bool small = bytes <= RILL_CUDA_PAGE / 2;
    int p = now.last;
    if (small && now.arrays[p] > 0 && now.used[p] + size > RILL_CUDA_PAGE)
        for (p = 0; now.arrays[p] > 0;) p++; /* there are as many as arrays */
    if (!small || now.arrays[p] == 0) now.taken += pages(bytes);
    if (now.taken > now.most) now.most = now.taken;
    if (!small) return -1;
    if (now.arrays[p]++ == 0) now.used[p] = 0;
    now.used[p] += size;
    now.last = p;
    return p;
}

static void take(int k)
{
    const int p = given[k].page;
    if (p < 0 || --now.arrays[p] == 0) now.taken -= p < 0 ? pages(given[k].bytes) : RILL_CUDA_PAGE;
}

static rill_status apart_alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    (void)device, (void)what;
    int k = 0;
    while (k < ARRAYS && given[k].array) k++;
    *out = mmap(NULL, bytes + BEHIND, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert(k < ARRAYS && *out != MAP_FAILED);
    given[k].array = *out;
    given[k].bytes = bytes;
    given[k].page = put(bytes);
    return RILL_OK;
}

static void apart_free(rill_device *device, void *array)
{
    (void)device;
    for (int k = 0; array && k < ARRAYS; k++)
        if (given[k].array == array) {
            munmap(array, given[k].bytes + BEHIND);
            take(k);
            given[k].array = NULL;
            return;
        }
    cr_assert_not(array);
}

static rill_status apart_share(rill_device *device, const void *host, uint64_t bytes, const char *what,
                               const void **out)
{
    void *array;
    apart_alloc(device, bytes, what, &array);
    memcpy(array, host, bytes);
    *out = array;
    return RILL_OK;
}

static void apart_release(rill_device *device, const void *array)
{
    union {
        const void *is;
        void *was;
    } own = {.is = array};
    apart_free(device, own.was);
}

static rill_status apart_available(rill_device *device, uint64_t *bytes)
{
    (void)device;
    *bytes = (uint64_t)1 << 40;
    return RILL_OK;
}

static rill_status apart_require(rill_device *device, uint64_t bytes, const char *what)
{
    (void)device, (void)bytes, (void)what;
    return RILL_OK;
}

static _Atomic double anonymous = -1; /* bytes at the peak, while it is looked for; else -1 */

/* Look at the anonymous memory of the process. */
static void look(void)
{
    const double before = anonymous;
    if (before < 0) return;
    anonymous = -1; /* a look frees memory, too */
    anonymous = fmax(before, status_of("RssAnon"));
}

#if !SANITIZED
/* In place of those of the C library: memory is at a peak before blocks of it are given back. */
extern void *__libc_realloc(void *block, size_t bytes);
extern void __libc_free(void *block);
enum { LARGE = 1 << 16 }; /* bytes of a block that is looked at */

void *realloc(void *block, size_t bytes)
{
    if (block && malloc_usable_size(block) >= LARGE) look();
    return __libc_realloc(block, bytes);
}

void free(void *block)
{
    if (block && malloc_usable_size(block) >= LARGE) look();
    __libc_free(block);
}
#endif

static rill_status pass(void *context, const rill_permeability_flow *run, const rill_node_moments *moments)
{
    (void)context, (void)run, (void)moments;
    return RILL_OK;
}

/* Run, and compare both memories with the plan. */
static void as_planned(const char *what, const rill_geom *geom, const rill_permeability_options *o)
{
    rill_permeability_plan plan;
    rill_permeability result;
    uint64_t host;
    now.most = 0;
    cr_assert_eq(rill_permeability_plan_make(geom, o, &plan), RILL_OK, "%s", rill_error_message());
    rill_memory_give_back();
    cr_assert_eq(rill_memory_peak(0, &host), RILL_OK); /* free what the allocator keeps */
    peak_pin();
    const double before = status_of("RssAnon");
    anonymous = before;
    const double more = (double)(plan.resources.host_bytes - rill_numbered_bytes(plan.numbered));
    const rill_status status = rill_permeability_compute(geom, o, &plan, &result);
    look();
    const double most = anonymous;
    anonymous = -1;
    cr_expect(status == RILL_OK || status == RILL_NUMERICS, "%s: %s", what, rill_error_message());
    /* How many throats a pore network has is an estimate, which also covers noise: twice what rocks have. */
    const uint64_t throats = pages(rill_network_copy_size(plan.chambers) / 2);
    /* The plan covers any order of arrays: a page more than this one takes. */
    cr_expect(plan.resources.device_bytes >= now.most &&
                  plan.resources.device_bytes <=
                      now.most + RILL_CUDA_PAGE + (plan.network && o->max_steps >= plan.cycle ? throats : 0),
              "%s: the plan states %llu bytes of the device, taken %llu", what,
              (unsigned long long)plan.resources.device_bytes, (unsigned long long)now.most);
    /* Stacks and heaps of threads are in what rill_memory_peak() adds; small runs have little else. */
    cr_expect(o->drive == RILL_DRIVE_PRESSURE ||
                  (more >= most - before - 3e6 && more <= 1.06 * (most - before) + 1e6),
              "%s: the plan states %.2f MB more on the host, taken %.2f", what, 1e-6 * more,
              1e-6 * (most - before));
    cr_expect_eq(now.taken, 0);
    rill_permeability_free(&result);
    rill_permeability_plan_free(&plan);
}

static rill_backend apart;

/* Options of a run with two arrays and a bitmap, as on a GPU with room for them. */
static rill_permeability_options options(void)
{
    rill_permeability_options o = rill_permeability_options_default();
    cr_assert_eq(rill_device_create(RILL_BACKEND_CPU, 0, &o.on.device), RILL_OK);
    apart = rill_backend_cpu;
    apart.host = apart.traits.processor = false;
    apart.memory.granule = RILL_CUDA_PAGE;
    apart.memory.alloc = apart_alloc;
    apart.memory.free = apart_free;
    apart.memory.share = apart_share;
    apart.memory.release = apart_release;
    apart.memory.available = apart_available;
    apart.memory.require = apart_require;
    o.on.device->backend = &apart;
    o.on.backend = RILL_BACKEND_CPU;
    o.variant.stream = RILL_PULL;
    o.variant.addressing = RILL_BITMAP;
    return o;
}

Test(plan_apart, both_memories_are_what_the_plan_states, .disabled = SANITIZED)
{
    omp_set_num_threads(2);
    rill_memory_give_back();
    rill_geom *geom = random_rock(144);
    rill_permeability_options o = options();
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    o.max_steps = 44; /* one cycle */
    as_planned("with a pore network", geom, &o);
    o.finished_pieces = pass;
    as_planned("with fields", geom, &o);
    o.max_steps = 10; /* less than a cycle */
    o.finished_pieces = NULL;
    as_planned("few steps", geom, &o);
    rill_device_destroy(o.on.device);
    rill_geom_destroy(geom);
}

/* Faces at which pressure is held, and what is read of the flow through edges, are most of the small arrays.
 */
Test(plan_apart, arrays_of_reservoirs_are_planned, .disabled = SANITIZED)
{
    rill_memory_give_back();
    rill_geom *geom = random_rock(64);
    rill_permeability_options o = options();
    o.drive = RILL_DRIVE_PRESSURE;
    o.axis = 2;
    o.tolerance = 0.9; /* the flow settles at once */
    o.max_steps = 200;
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    as_planned("between reservoirs", geom, &o);
    rill_device_destroy(o.on.device);
    rill_geom_destroy(geom);
}

/* Voxels are split in the estimate only: it is compared with the plan of the grid itself. */
Test(plan_apart, grids_of_an_error_bar_are_estimated_as_they_are_planned)
{
    rill_geom *geom = random_rock(72);
    rill_permeability_options o = options();
    rill_permeability_plan plain, fine;
    rill_error_bar_plan bar;
    int splits = 0;
    cr_assert_eq(rill_permeability_prepare(geom, &o), RILL_OK);
    cr_assert_eq(rill_permeability_plan_make(geom, &o, &plain), RILL_OK, "%s", rill_error_message());
    cr_assert_eq(rill_error_bar_plan_make(geom, &o, &plain, &(rill_error_bar_options){.fine = true}, &bar),
                 RILL_OK, "%s", rill_error_message());
    cr_assert(bar.whole);
    for (int k = 0; k < bar.part_count; k++) {
        const rill_error_bar_part *part = &bar.parts[k];
        const rill_permeability_options own = rill_error_bar_part_options(&o, &plain, part);
        uint32_t factor[3];
        rill_geom *whole = NULL, *split = NULL;
        if (part->split < 2) continue;
        rill_error_bar_factor(part, factor);
        cr_assert_eq(rill_error_bar_part_geometry(geom, part, &own, &whole), RILL_OK);
        cr_assert_eq(rill_geom_split(whole, factor, &split), RILL_OK);
        cr_assert_eq(rill_permeability_prepare(split, &own), RILL_OK);
        cr_assert_eq(rill_permeability_plan_make(split, &own, &fine), RILL_OK, "%s", rill_error_message());
        const double voxels = (double)rill_geom_voxels(whole) + (double)rill_geom_voxels(split);
        const double host = ((double)part->host_bytes - voxels) / (double)fine.resources.host_bytes,
                     device = (double)part->device_bytes / (double)fine.resources.device_bytes;
        cr_expect(fabs(device - 1) <= 0.01, "split by %u: %.4f of the device memory", part->split, device);
        cr_expect(fabs(host - 1) <= 0.1, "split by %u: %.4f of the host memory", part->split, host);
        splits++;
        rill_permeability_plan_free(&fine);
        rill_geom_destroy(split);
        rill_geom_destroy(whole);
    }
    cr_expect_eq(splits, 2);
    rill_permeability_plan_free(&plain);
    rill_device_destroy(o.on.device);
    rill_geom_destroy(geom);
}
