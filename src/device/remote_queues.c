/* SPDX-License-Identifier: Apache-2.0 */
/* The first process's side: queues and events of devices of other processes, and memory that several of them
 * see. */
#include "device/remote_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A flag that another device waits for in place of an event. */
typedef struct flag {
    struct flag *next;
    rill_remote *waiter;
    uint32_t slot;
    uint64_t record; /* of the event, that sets it to its number */
} flag;

typedef struct event {
    rill_remote *of;
    void *handle;
    uint64_t records;         /* that were called for */
    rill_remote_queue *queue; /* of the last one */
    flag *flags;              /* one for each device that has waited for it */
} event;

/* ---- flags -------------------------------------------------------------------------------------- */

static uint64_t flag_at(const void *memory, uint32_t slot)
{
    return rill_remote_number(memory) + (uint64_t)slot * RILL_REMOTE_FLAG_BYTES;
}

static rill_status flags_create(rill_remote *r)
{
    rill_status status = RILL_OK;
    rill_remote_flags *f = &r->flags;
    static const char what[] = "flags between processes";
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_EXPORT_CREATE);
    uint64_t value = 0;
    if (f->memory) return RILL_OK;
    if (!f->used) f->used = calloc(RILL_REMOTE_FLAGS, sizeof *f->used);
    if (!f->numbers) f->numbers = calloc(RILL_REMOTE_FLAGS, sizeof *f->numbers);
    if (!f->used || !f->numbers) return rill_fail(RILL_SYSTEM, "out of memory for %s", what);
    call.a = (uint64_t)RILL_REMOTE_FLAGS * RILL_REMOTE_FLAG_BYTES, call.bytes = sizeof what;
    RILL_TRY(rill_remote_ask(r, &call, what, &f->handle, sizeof f->handle, &value));
    f->memory = (void *)(uintptr_t)value;
done:
    return status;
}

void rill_remote_forget(rill_remote *r)
{
    free(r->flags.seen);
    free(r->flags.numbers);
    free(r->flags.used);
}

/* Let a device open the flags of another one, set one there, and see whether that arrives. */
static rill_status flags_open(rill_remote *from, rill_remote *to)
{
    rill_status status = RILL_OK;
    uint32_t arrived = 0;
    uint64_t value = 0;
    rill_remote_call open = rill_remote_call_of(RILL_REMOTE_EXPORT_OPEN),
                     try = rill_remote_call_of(RILL_REMOTE_FLAG_TRY),
                     look = rill_remote_call_of(RILL_REMOTE_DOWNLOAD);
    RILL_TRY(flags_create(to));
    rill_remote_flags *f = &to->flags;
    open.bytes = sizeof f->handle;
    RILL_TRY(rill_remote_ask(from, &open, &f->handle, NULL, 0, &value));
    f->seen[from->rank].memory = (void *)(uintptr_t)value;
    f->used[0] = true; /* this one */
    try.b = value, try.c = ++f->numbers[0];
    RILL_TRY(rill_remote_ask(from, &try, NULL, NULL, 0, NULL));
    look.a = rill_remote_number(f->memory), look.b = sizeof arrived;
    RILL_TRY(rill_remote_ask(to, &look, NULL, &arrived, sizeof arrived, NULL));
    if (arrived != f->numbers[0])
        RILL_TRY(rill_fail(RILL_SYSTEM, "what process %d stores does not arrive in process %d", from->rank,
                           to->rank));
done:
    return status;
}

/* Return whether a device stores to another one's memory; find out where that is not known. */
static bool sees(rill_remote *from, rill_remote *to)
{
    rill_remotes *all = from->all;
    rill_remote_seen *seen = &to->flags.seen[from->rank];
    if (from == to) return true;
    if (!all->exports) return false;
    if (seen->how != RILL_REMOTE_UNKNOWN) return seen->how == RILL_REMOTE_SEEN;
    seen->how = RILL_REMOTE_APART;
    if (from->host != to->host)
        snprintf(all->why, sizeof all->why, "processes %d and %d are on different machines", from->rank,
                 to->rank);
    else if (flags_open(from, to) != RILL_OK)
        snprintf(all->why, sizeof all->why, "%s", rill_error_message());
    else
        seen->how = RILL_REMOTE_SEEN;
    return seen->how == RILL_REMOTE_SEEN;
}

bool rill_remote_reaches(rill_device *device, const rill_device *other)
{
    return sees(rill_remote_of(device), rill_remote_of(other));
}

/* Set the flag behind what is in the queue in which its event was recorded last. */
static void flag_set(const event *e, flag *f)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_FLAG_SET);
    rill_remote_flags *flags = &f->waiter->flags;
    call.a = rill_remote_number(e->queue->handle);
    call.b = flag_at(flags->seen[e->of->rank].memory, f->slot);
    call.c = ++flags->numbers[f->slot];
    f->record = e->records;
    rill_remote_tell(e->of, &call, NULL);
}

/* Find the flag of an event that a device waits for, or give it one. */
static flag *flag_of(event *e, rill_remote *waiter)
{
    rill_remote_flags *flags = &waiter->flags;
    flag *f = e->flags;
    while (f && f->waiter != waiter) f = f->next;
    if (f) return f;
    for (uint32_t tries = 0; flags->used[flags->next]; tries++) {
        if (tries == RILL_REMOTE_FLAGS) {
            rill_fail(RILL_SYSTEM, "process %d waits for more than %d events of others: report this",
                      waiter->rank, RILL_REMOTE_FLAGS);
            return NULL;
        }
        flags->next = (flags->next + 1) % RILL_REMOTE_FLAGS;
    }
    f = calloc(1, sizeof *f);
    if (!f) {
        rill_fail(RILL_SYSTEM, "out of memory for an event of several processes");
        return NULL;
    }
    *f = (flag){e->flags, waiter, flags->next, 0};
    /* Used again as late as possible: then nobody sets it for an event that is gone. */
    flags->used[f->slot] = true;
    flags->next = (flags->next + 1) % RILL_REMOTE_FLAGS;
    e->flags = f;
    return f;
}

/* ---- queues and events -------------------------------------------------------------------------- */

/* Processors do their calls in their order: all queues are one, and there is no need of events. */
rill_status rill_remote_queue_create(rill_device *device, void **queue)
{
    rill_status status = RILL_OK;
    rill_remote *r = rill_remote_of(device);
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_QUEUE_CREATE);
    uint64_t value = 0;
    *queue = device->queue;
    if (!r->all->queues) return RILL_OK;
    RILL_TRY(rill_remote_ask(r, &call, NULL, NULL, 0, &value));
    rill_remote_queue *made = calloc(1, sizeof *made);
    if (!made) return rill_fail(RILL_SYSTEM, "out of memory for a queue of a process");
    *made = (rill_remote_queue){r, (void *)(uintptr_t)value};
    *queue = made;
done:
    return status;
}

void rill_remote_queue_destroy(rill_device *device, void *queue)
{
    rill_remote_queue *q = queue;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_QUEUE_DESTROY);
    if (q == device->queue) return;
    call.a = rill_remote_number(q->handle);
    rill_remote_tell(q->of, &call, NULL);
    free(q);
}

rill_status rill_remote_event_create(rill_device *device, void **out)
{
    rill_status status = RILL_OK;
    rill_remote *r = rill_remote_of(device);
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_EVENT_CREATE);
    uint64_t value = 0;
    if (!r->all->queues) return RILL_OK;
    RILL_TRY(rill_remote_ask(r, &call, NULL, NULL, 0, &value));
    event *e = calloc(1, sizeof *e);
    if (!e) return rill_fail(RILL_SYSTEM, "out of memory for an event of a process");
    *e = (event){.of = r, .handle = (void *)(uintptr_t)value};
    *out = e;
done:
    return status;
}

void rill_remote_event_destroy(rill_device *device, void *of)
{
    event *e = of;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_EVENT_DESTROY);
    (void)device;
    while (e->flags) {
        flag *f = e->flags;
        e->flags = f->next;
        f->waiter->flags.used[f->slot] = false;
        free(f);
    }
    call.a = rill_remote_number(e->handle);
    rill_remote_tell(e->of, &call, NULL);
    free(e);
}

rill_status rill_remote_event_record(rill_device *device, void *queue, void *of)
{
    event *e = of;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_EVENT_RECORD);
    (void)device;
    e->queue = queue;
    e->records++;
    call.a = rill_remote_number(e->queue->handle), call.b = rill_remote_number(e->handle);
    rill_remote_tell(e->of, &call, NULL);
    for (flag *f = e->flags; f; f = f->next) flag_set(e, f);
    return RILL_OK;
}

/* A device that has not waited for the event before gets a flag now: it is set later in the queue of the
 * event than it might be, but behind no call that comes after this one. */
rill_status rill_remote_queue_wait(rill_device *device, void *queue, void *of)
{
    event *e = of;
    rill_remote *r = rill_remote_of(device);
    const rill_remote_queue *q = queue;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_QUEUE_WAIT);
    call.a = rill_remote_number(q->handle);
    if (e->of == r) {
        call.b = rill_remote_number(e->handle);
        rill_remote_tell(r, &call, NULL);
        return RILL_OK;
    }
    if (e->records == 0 || !sees(e->of, r)) return RILL_OK; /* a message is its own order */
    flag *f = flag_of(e, r);
    if (!f) return RILL_SYSTEM;
    if (f->record < e->records) flag_set(e, f);
    call.op = RILL_REMOTE_FLAG_WAIT;
    call.b = flag_at(r->flags.memory, f->slot), call.c = r->flags.numbers[f->slot];
    rill_remote_tell(r, &call, NULL);
    r->all->flagged = true;
    return RILL_OK;
}

/* ---- memory that two devices see ---------------------------------------------------------------- */

rill_status rill_remote_land(rill_device *owner, rill_device *device, uint64_t bytes, const char *what,
                             rill_landing *out)
{
    rill_status status = RILL_OK;
    rill_remote *to = rill_remote_of(owner), *from = rill_remote_of(device);
    rill_export handle;
    rill_remote_call create = rill_remote_call_of(RILL_REMOTE_EXPORT_CREATE),
                     open = rill_remote_call_of(RILL_REMOTE_EXPORT_OPEN);
    uint64_t array = 0, seen = 0;
    *out = (rill_landing){NULL, NULL};
    if (to == from) {
        RILL_TRY(rill_device_alloc(owner, bytes, what, &out->array));
        out->seen = out->array;
        return RILL_OK;
    }
    create.a = bytes, create.bytes = strlen(what) + 1;
    RILL_TRY(rill_remote_ask(to, &create, what, &handle, sizeof handle, &array));
    out->array = (void *)(uintptr_t)array;
    open.bytes = sizeof handle;
    RILL_TRY(rill_remote_ask(from, &open, &handle, NULL, 0, &seen));
    out->seen = (void *)(uintptr_t)seen;
done:
    if (status != RILL_OK) {
        rill_device_free(owner, out->array);
        *out = (rill_landing){NULL, NULL};
    }
    return status;
}

/* The other process must have closed it before its owner frees it. */
void rill_remote_unland(rill_device *owner, rill_device *device, const rill_landing *landing)
{
    rill_remote *from = rill_remote_of(device);
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_EXPORT_CLOSE);
    call.a = rill_remote_number(landing->seen);
    if (from != rill_remote_of(owner)) (void)rill_remote_ask(from, &call, NULL, NULL, 0, NULL);
    rill_device_free(owner, landing->array);
}

/* ---- the plan ----------------------------------------------------------------------------------- */

const char *rill_remote_transport(rill_device *const *devices, int count)
{
    rill_remotes *all = rill_remote_of(devices[0])->all;
    int apart = 0;
    if (!all->queues) return "messages between processes, by MPI";
    for (int k = 0; k < count && count > 1; k++) /* ranges of nodes follow each other, the first the last */
        apart += !rill_device_reaches(devices[k], devices[(k + 1) % count]) ||
                 !rill_device_reaches(devices[(k + 1) % count], devices[k]);
    if (apart == 0)
        return rill_devices_alike(devices, count) == count
                   ? "stores into memory that processes share, by CUDA IPC"
                   : "stores into the memory of the neighbouring device, by CUDA IPC between processes";
    snprintf(all->transport, sizeof all->transport, "%smessages by MPI, %s, because %s",
             apart < count ? "stores by CUDA IPC between some processes, between others " : "",
             all->direct ? "which takes memory of devices" : "through host memory",
             all->why[0] ? all->why : "the devices share no memory");
    return all->transport;
}
