/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file deferred.h
 * Devices with queues on the CPU: a call puts work in a queue and returns; the work is done when somebody
 * waits, in a random order that keeps queues and events in theirs. So a test finds an event that lacks:
 * another seed, another order. One thread a process; processes see memory that the devices export, and the
 * flags there.
 */
#ifndef RILL_TESTS_DEFERRED_H
#define RILL_TESTS_DEFERRED_H

#include "device/device.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/** An event: how often it was recorded, and the last record that was reached. */
typedef struct deferred_event {
    uint64_t recorded, reached;
} deferred_event;

/** Work, or a record of an event, or a wait for one, or for a flag. */
typedef struct deferred_entry {
    struct deferred_entry *next;
    void (*work)(const struct deferred_entry *entry);
    deferred_event *event;
    uint64_t ticket;
    bool waits;
    uint32_t *flag;
    rill_launch launch;
    const void *in;
    void *out;
    uint64_t count;
    int task, patches;
    const rill_patch *patch;
    rill_patch *host;
    rill_patch_now now;
    rill_walls walls;
    rill_sponge sponge;
} deferred_entry;

typedef struct deferred_queue {
    deferred_entry *first, **last;
    bool used;
} deferred_queue;

enum { DEFERRED_QUEUES = 64 };
static deferred_queue deferred_queues[DEFERRED_QUEUES];
static const rill_kernels *deferred_base;
static rill_kernels deferred_kernels;
static uint64_t deferred_seed;
static bool deferred_reaches;       /**< whether kernels store to other devices */
static uint64_t deferred_overtakes; /**< entries that were done though the first of all queues could go on */

static uint64_t deferred_random(uint64_t below)
{
    deferred_seed = deferred_seed * 6364136223846793005u + 1442695040888963407u;
    return (deferred_seed >> 33) % below;
}

static bool deferred_ready(const deferred_queue *q)
{
    const deferred_entry *e = q->first;
    if (!q->used || !e) return false;
    if (e->waits && e->flag)
        return (int32_t)(__atomic_load_n(e->flag, __ATOMIC_ACQUIRE) - (uint32_t)e->ticket) >= 0;
    return !e->waits || e->event->reached >= e->ticket;
}

/* Return whether a queue waits for another process. */
static bool deferred_abroad(void)
{
    for (int k = 0; k < DEFERRED_QUEUES; k++) {
        const deferred_queue *q = &deferred_queues[k];
        if (q->used && q->first && q->first->waits && q->first->flag) return true;
    }
    return false;
}

static void deferred_do(deferred_queue *q)
{
    deferred_entry *e = q->first;
    q->first = e->next;
    if (!q->first) q->last = &q->first;
    if (e->work) e->work(e);
    if (e->event && !e->waits) e->event->reached = e->ticket;
    free(e->host);
    free(e);
}

/** Do one entry of any queue. @return false where none can be done */
static inline bool deferred_some(void)
{
    const int first = (int)deferred_random(DEFERRED_QUEUES);
    for (int k = 0; k < DEFERRED_QUEUES; k++) {
        deferred_queue *q = &deferred_queues[(first + k) % DEFERRED_QUEUES];
        if (!deferred_ready(q)) continue;
        deferred_do(q);
        return true;
    }
    return false;
}

/* Work off a queue, and of the others what chance chooses. Half of the queues stand still for a while, as
 * long as others can go on: so some get far ahead. */
static void deferred_drain(deferred_queue *wanted)
{
    uint64_t still = 0;
    while (wanted->first) {
        int ready[DEFERRED_QUEUES], oldest = -1, count = 0;
        if (deferred_random(100) == 0)
            still = deferred_random(UINT32_MAX) << 32 | deferred_random(UINT32_MAX);
        for (int k = 0; k < DEFERRED_QUEUES; k++) {
            if (!deferred_ready(&deferred_queues[k])) continue;
            if (oldest < 0) oldest = k;
            if (!(still >> k & 1)) ready[count++] = k;
        }
        cr_assert(oldest >= 0 || deferred_abroad(), "all queues wait for each other");
        if (oldest < 0) {
            sched_yield();
            continue;
        }
        if (count == 0) {
            still = 0;
            continue;
        }
        const int chosen = ready[deferred_random((uint64_t)count)];
        deferred_overtakes += chosen != oldest;
        deferred_do(&deferred_queues[chosen]);
    }
}

static deferred_entry *deferred_add(void *queue, void (*work)(const deferred_entry *entry))
{
    deferred_queue *q = queue;
    deferred_entry *e = calloc(1, sizeof *e);
    cr_assert_not_null(e);
    cr_assert(q && q->used);
    e->work = work;
    *q->last = e;
    q->last = &e->next;
    return e;
}

static deferred_entry *deferred_call(const rill_launch *launch, void (*work)(const deferred_entry *entry))
{
    deferred_entry *e = deferred_add(launch->queue, work);
    e->launch = *launch;
    e->launch.kernels = deferred_base;
    return e;
}

#define DEFERRED_WORK(name, ...)                                                                             \
    static void deferred_do_##name(const deferred_entry *e) { deferred_base->name(&e->launch, __VA_ARGS__); }
static void deferred_do_step(const deferred_entry *e) { deferred_base->step(&e->launch); }
static void deferred_do_wrap(const deferred_entry *e) { deferred_base->wrap(&e->launch); }
DEFERRED_WORK(totals, e->out)
DEFERRED_WORK(moments, (rill_node)e->ticket, (rill_node)e->count, e->out)
DEFERRED_WORK(set, (rill_node)e->ticket, (rill_node)e->count, e->in)
DEFERRED_WORK(swap, e->in, e->count)
DEFERRED_WORK(pack, e->in, e->count, e->out)
DEFERRED_WORK(unpack, e->in, e->count, e->out)
DEFERRED_WORK(locate, e->out, e->count)
DEFERRED_WORK(patch, e->task, e->patch, e->host, e->patches, &e->now, e->out)
DEFERRED_WORK(walls, (rill_walls_task)e->task, &e->walls, e->out)
DEFERRED_WORK(damp, &e->sponge)
DEFERRED_WORK(sample, e->in, e->count, e->out)

static void deferred_step(const rill_launch *l) { deferred_call(l, deferred_do_step); }
static void deferred_wrap(const rill_launch *l) { deferred_call(l, deferred_do_wrap); }
static void deferred_totals(const rill_launch *l, rill_partial *to)
{
    deferred_call(l, deferred_do_totals)->out = to;
}
static void deferred_moments(const rill_launch *l, rill_node first, rill_node count, double *to)
{
    deferred_entry *e = deferred_call(l, deferred_do_moments);
    e->ticket = first, e->count = count, e->out = to;
}
static void deferred_set(const rill_launch *l, rill_node first, rill_node count, const double *from)
{
    deferred_entry *e = deferred_call(l, deferred_do_set);
    e->ticket = first, e->count = count, e->in = from;
}
static void deferred_swap(const rill_launch *l, const rill_swap *swaps, size_t count)
{
    deferred_entry *e = deferred_call(l, deferred_do_swap);
    e->in = swaps, e->count = count;
}
static void deferred_pack(const rill_launch *l, const rill_cut_link *links, uint64_t count, void *words)
{
    deferred_entry *e = deferred_call(l, deferred_do_pack);
    e->in = links, e->count = count, e->out = words;
}
static void deferred_unpack(const rill_launch *l, const rill_cut_link *links, uint64_t count,
                            const void *words)
{
    deferred_entry *e = deferred_call(l, deferred_do_unpack);
    e->in = links, e->count = count, e->out = (void *)(uintptr_t)words;
}
static void deferred_locate(const rill_launch *l, rill_cut_link *links, uint64_t count)
{
    deferred_entry *e = deferred_call(l, deferred_do_locate);
    e->count = count, e->out = links;
}
static void deferred_patch(const rill_launch *l, int tasks, const rill_patch *patches, const rill_patch *host,
                           int count, const rill_patch_now *now, double *exchange)
{
    deferred_entry *e = deferred_call(l, deferred_do_patch);
    e->task = tasks, e->patch = patches, e->patches = count, e->now = *now, e->out = exchange;
    e->host = calloc((size_t)count + 1, sizeof *host); /* as it is now */
    cr_assert_not_null(e->host);
    memcpy(e->host, host, (size_t)count * sizeof *host);
}
static void deferred_walls(const rill_launch *l, rill_walls_task task, const rill_walls *walls,
                           double *exchange)
{
    deferred_entry *e = deferred_call(l, deferred_do_walls);
    e->task = (int)task, e->walls = *walls, e->out = exchange;
}
static void deferred_damp(const rill_launch *l, const rill_sponge *sponge)
{
    deferred_call(l, deferred_do_damp)->sponge = *sponge;
}
static void deferred_sample(const rill_launch *l, const rill_node *nodes, uint64_t count, double *out)
{
    deferred_entry *e = deferred_call(l, deferred_do_sample);
    e->in = nodes, e->count = count, e->out = out;
}

static rill_status deferred_kernels_find(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    const rill_status status = rill_backend_cpu.kernels(device, variant, &deferred_base);
    deferred_kernels =
        (rill_kernels){deferred_step,  deferred_totals, deferred_moments, deferred_set,  deferred_swap,
                       deferred_pack,  deferred_unpack, deferred_locate,  deferred_wrap, deferred_patch,
                       deferred_walls, deferred_damp,   deferred_sample,  NULL};
    *out = &deferred_kernels;
    return status;
}

static rill_status deferred_wait(rill_device *device)
{
    deferred_drain(device->queue);
    return RILL_OK;
}

static rill_status deferred_copy(rill_device *device, void *to, const void *from, uint64_t bytes)
{
    deferred_drain(device->queue);
    memcpy(to, from, bytes);
    return RILL_OK;
}

static void deferred_do_pass(const deferred_entry *e) { memcpy(e->out, e->in, e->count); }

static rill_status deferred_pass(rill_device *device, void *queue, void *to, const rill_device *owner,
                                 const void *from, uint64_t bytes)
{
    (void)device, (void)owner;
    deferred_entry *e = deferred_add(queue, deferred_do_pass);
    e->in = from, e->out = to, e->count = bytes;
    return RILL_OK;
}

static rill_status deferred_queue_create(rill_device *device, void **queue)
{
    (void)device;
    for (int k = 0; k < DEFERRED_QUEUES; k++) {
        deferred_queue *q = &deferred_queues[k];
        if (q->used) continue;
        *q = (deferred_queue){.last = &q->first, .used = true};
        *queue = q;
        return RILL_OK;
    }
    cr_assert_fail("too many queues");
    return RILL_SYSTEM;
}

static void deferred_queue_destroy(rill_device *device, void *queue)
{
    (void)device;
    deferred_drain(queue);
    ((deferred_queue *)queue)->used = false;
}

static rill_status deferred_event_create(rill_device *device, void **event)
{
    (void)device;
    *event = calloc(1, sizeof(deferred_event));
    return RILL_OK;
}

static void deferred_event_destroy(rill_device *device, void *event)
{
    (void)device;
    for (int k = 0; k < DEFERRED_QUEUES; k++)
        if (deferred_queues[k].used) deferred_drain(&deferred_queues[k]);
    free(event);
}

static rill_status deferred_event_record(rill_device *device, void *queue, void *event)
{
    (void)device;
    deferred_entry *e = deferred_add(queue, NULL);
    e->event = event;
    e->ticket = ++e->event->recorded;
    return RILL_OK;
}

static rill_status deferred_queue_wait(rill_device *device, void *queue, void *event)
{
    (void)device;
    deferred_entry *e = deferred_add(queue, NULL);
    e->event = event;
    e->ticket = e->event->recorded;
    e->waits = true;
    return RILL_OK;
}

static bool deferred_can_reach(rill_device *device, const rill_device *other)
{
    (void)device, (void)other;
    return deferred_reaches;
}

static void deferred_gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                            int64_t *sums)
{
    deferred_drain(device->queue);
    rill_backend_cpu.gather(device, values, labels, count, sums);
}

static void deferred_spread(rill_device *device, const double *given, const uint32_t *labels, uint64_t count,
                            double *values)
{
    deferred_drain(device->queue);
    rill_backend_cpu.spread(device, given, labels, count, values);
}

static rill_status deferred_bring(rill_device *device, void *queue, void *to, const void *from,
                                  uint64_t bytes)
{
    (void)device;
    deferred_drain(queue);
    if (bytes) memcpy(to, from, bytes);
    return RILL_OK;
}

/* Memory that processes which are forked later see, in equal parts; each gives away its own and takes nothing
 * back. */
enum { DEFERRED_PROCESSES = 4, DEFERRED_SHARE = 1 << 26 };
static char *deferred_memory;
static int deferred_rank;
static uint64_t deferred_given;
static int deferred_together; /**< processes that open each other's memory, the first ones */

static rill_status deferred_export_create(rill_device *device, uint64_t bytes, const char *what, void **array,
                                          rill_export *out)
{
    (void)device, (void)what;
    const int rank = deferred_rank;
    bytes = (bytes + 63) / 64 * 64;
    cr_assert_leq(deferred_given + bytes, DEFERRED_SHARE);
    *array = deferred_memory + (size_t)rank * DEFERRED_SHARE + deferred_given;
    deferred_given += bytes;
    memset(*array, 0, bytes);
    memcpy(out->name, array, sizeof *array);
    memcpy(out->name + sizeof *array, &rank, sizeof rank);
    return RILL_OK;
}

static rill_status deferred_export_open(rill_device *device, const rill_export *given, void **array)
{
    int rank;
    (void)device;
    memcpy(array, given->name, sizeof *array);
    memcpy(&rank, given->name + sizeof *array, sizeof rank);
    if (rank < deferred_together && deferred_rank < deferred_together) return RILL_OK;
    return rill_fail(RILL_SYSTEM, "memory of process %d stays closed", rank);
}

static void deferred_export_close(rill_device *device, void *array) { (void)device, (void)array; }

static void deferred_free(rill_device *device, void *array)
{
    const char *at = array;
    if (deferred_memory && at >= deferred_memory &&
        at < deferred_memory + DEFERRED_PROCESSES * DEFERRED_SHARE)
        return;
    rill_backend_cpu.memory.free(device, array);
}

static void deferred_do_flag(const deferred_entry *e)
{
    __atomic_store_n((uint32_t *)e->out, (uint32_t)e->count, __ATOMIC_RELEASE);
}

static rill_status deferred_flag_set(rill_device *device, void *queue, uint32_t *flag, uint32_t number)
{
    (void)device;
    deferred_entry *e = deferred_add(queue, deferred_do_flag);
    e->out = flag, e->count = number;
    return RILL_OK;
}

static rill_status deferred_flag_wait(rill_device *device, void *queue, uint32_t *flag, uint32_t number)
{
    (void)device;
    deferred_entry *e = deferred_add(queue, NULL);
    e->flag = flag, e->ticket = number, e->waits = true;
    return RILL_OK;
}

static rill_backend deferred_backend;

/** Let processes that are forked later share memory. @param together  how many of them do */
static inline void deferred_share(int together)
{
    deferred_memory = mmap(NULL, (size_t)DEFERRED_PROCESSES * DEFERRED_SHARE, PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq(deferred_memory, MAP_FAILED);
    deferred_together = together;
    deferred_given = 0;
}

/** Undo it. */
static inline void deferred_unshare(void)
{
    munmap(deferred_memory, (size_t)DEFERRED_PROCESSES * DEFERRED_SHARE);
    deferred_memory = NULL;
}

/** Open [count] of them. @param seed  of the order; @param reach  whether they store to each other */
static inline void deferred_open(rill_device *devices, rill_device **pointers, int count, uint64_t seed,
                                 bool reach)
{
    deferred_backend = rill_backend_cpu;
    deferred_backend.kernels = deferred_kernels_find;
    deferred_backend.wait = deferred_wait;
    deferred_backend.memory.upload = deferred_backend.memory.download = deferred_copy;
    deferred_backend.exchange.pass = deferred_pass;
    deferred_backend.queue.create = deferred_queue_create;
    deferred_backend.queue.destroy = deferred_queue_destroy;
    deferred_backend.queue.event_create = deferred_event_create;
    deferred_backend.queue.event_destroy = deferred_event_destroy;
    deferred_backend.queue.event_record = deferred_event_record;
    deferred_backend.queue.wait = deferred_queue_wait;
    deferred_backend.exchange.reaches = deferred_can_reach;
    deferred_backend.memory.free = deferred_free;
    deferred_backend.memory.bring = deferred_bring;
    deferred_backend.exports.create = deferred_memory ? deferred_export_create : NULL;
    deferred_backend.exports.open = deferred_export_open;
    deferred_backend.exports.close = deferred_export_close;
    deferred_backend.exports.flag_set = deferred_flag_set;
    deferred_backend.exports.flag_wait = deferred_flag_wait;
    deferred_backend.gather = deferred_gather;
    deferred_backend.spread = deferred_spread;
    deferred_seed = seed;
    deferred_reaches = reach;
    for (int k = 0; k < count; k++) {
        devices[k] = (rill_device){.backend = &deferred_backend, .kind = RILL_BACKEND_CPU};
        cr_assert_eq(rill_backend_cpu.open(&devices[k]), RILL_OK);
        deferred_queue_create(&devices[k], &devices[k].queue);
        pointers[k] = &devices[k];
    }
}

/** Close them. */
static inline void deferred_close(rill_device *devices, int count)
{
    for (int k = 0; k < count; k++) deferred_queue_destroy(&devices[k], devices[k].queue);
}

#endif
