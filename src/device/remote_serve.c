/* SPDX-License-Identifier: Apache-2.0 */
/* The side of the process that has the device: does the calls of the first process. */
#include "device/remote_priv.h"

#include "core/memory.h"
#include "kernel/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Populations that are being sent. Those of a device go through a copy on the host, unless MPI takes its
 * memory. It stays until what they are copied from is freed: a step later the same words go again. */
typedef struct sending {
    struct sending *next;
    const void *from;
    uint64_t bytes;
    void *copy;    /* NULL: none */
    void *request; /* NULL: it has ended */
} sending;

struct rill_server {
    rill_team *team;
    rill_device *device;
    bool owned;
    sending *sends;
    void *landing; /* of what is received, on the host */
    uint64_t landing_bytes;
    rill_status status; /* of calls without a reply */
    char message[512];
    rill_variant variant; /* that the kernels are of */
    const rill_kernels *kernels;
    rill_remote_past past;
};

rill_status rill_server_create(rill_team *team, rill_device *device, rill_server **out)
{
    rill_server *s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for the device of a process");
    *s = (rill_server){.team = team, .device = device};
    *out = s;
    return RILL_OK;
}

static void *at(uint64_t number) { return (void *)(uintptr_t)number; }

/* Wait until populations are sent. @param from  what they are copied from; NULL: all of them */
static rill_status sends_end(rill_server *s, const void *from)
{
    rill_status status = RILL_OK;
    for (sending *one = s->sends; one; one = one->next) {
        if (!one->request || (from && one->from != from)) continue;
        const rill_status ended = rill_team_end(s->team, &one->request);
        one->request = NULL;
        if (status == RILL_OK) status = ended;
    }
    return status;
}

/* Forget what has been sent from an array, or from all. */
static void sends_forget(rill_server *s, const void *array)
{
    for (sending **at = &s->sends; *at;) {
        sending *one = *at;
        if (array && one->from != array) {
            at = &one->next;
            continue;
        }
        *at = one->next;
        if (one->copy) rill_device_unpin(s->device, one->copy);
        rill_array_destroy(one->copy);
        free(one);
    }
}

static void landing_free(rill_server *s)
{
    if (s->landing) rill_device_unpin(s->device, s->landing);
    rill_array_destroy(s->landing);
    s->landing = NULL, s->landing_bytes = 0;
}

void rill_server_destroy(rill_server *s)
{
    if (!s) return;
    (void)sends_end(s, NULL);
    sends_forget(s, NULL);
    landing_free(s);
    if (s->owned) rill_device_destroy(s->device);
    rill_remote_past_free(&s->past);
    free(s);
}

/* MPI reads and writes the memory of this device. */
static bool direct(const rill_server *s)
{
    const rill_team_transport *t = s->team->transport;
    return s->device->backend->host ||
           (s->device->kind == RILL_BACKEND_CUDA && t->takes_cuda && t->takes_cuda());
}

/* Memory of the host from which a device copies fast. */
static rill_status pinned_create(rill_server *s, uint64_t bytes, void **out)
{
    const rill_status status = rill_array_create(bytes, 1, "populations between processes", out);
    if (status == RILL_OK) rill_device_pin(s->device, *out, bytes);
    return status;
}

/* Find the sending of these words, or make room for it. */
static rill_status sending_of(rill_server *s, const void *from, uint64_t bytes, sending **out)
{
    rill_status status = RILL_OK;
    sending *one = s->sends;
    while (one && (one->from != from || one->bytes != bytes)) one = one->next;
    *out = one;
    if (one) return RILL_OK;
    one = calloc(1, sizeof *one);
    if (!one) return rill_fail(RILL_SYSTEM, "out of memory for populations between processes");
    *one = (sending){.next = s->sends, .from = from, .bytes = bytes};
    if (!direct(s)) RILL_TRY(pinned_create(s, bytes, &one->copy));
    *out = s->sends = one;
    one = NULL;
done:
    free(one);
    return status;
}

static void *queue_of(const rill_server *s, uint64_t handle)
{
    return handle ? at(handle) : s->device->queue;
}

/* Copy to or from the host behind what is in a queue; nothing to wait only. */
static rill_status bring(const rill_server *s, uint64_t queue, void *to, const void *from, uint64_t bytes)
{
    if (s->device->backend->host && !s->device->backend->memory.bring) return RILL_OK;
    return s->device->backend->memory.bring(s->device, queue_of(s, queue), to, from, bytes);
}

/* Send populations without a wait for the receiver, which may be sending at the same time; only the queue
 * that they are in is waited for, so that the others are busy meanwhile. */
static rill_status populations_send(rill_server *s, const rill_remote_call *c)
{
    rill_status status = RILL_OK;
    sending *one = NULL;
    void *from = at(c->b);
    RILL_TRY(sending_of(s, from, c->c, &one));
    RILL_TRY(sends_end(s, from));
    RILL_TRY(bring(s, c->d, one->copy, from, one->copy ? c->c : 0));
    RILL_TRY(rill_team_begin(s->team, (int)c->a, RILL_TEAM_DATA, one->copy ? one->copy : from, c->c,
                             &one->request));
done:
    return status;
}

static rill_status populations_receive(rill_server *s, const rill_remote_call *c)
{
    rill_status status = RILL_OK;
    void *to = at(c->b);
    if (direct(s)) {
        RILL_TRY(bring(s, c->d, NULL, NULL, 0)); /* who reads what was there */
        return rill_team_receive(s->team, (int)c->a, RILL_TEAM_DATA, to, c->c);
    }
    if (s->landing_bytes < c->c) {
        landing_free(s);
        RILL_TRY(pinned_create(s, c->c, &s->landing));
        s->landing_bytes = c->c;
    }
    RILL_TRY(rill_team_receive(s->team, (int)c->a, RILL_TEAM_DATA, s->landing, c->c));
    RILL_TRY(bring(s, c->d, to, s->landing, c->c));
done:
    return status;
}

uint64_t rill_remote_identity(const char *host, rill_backend_kind kind, uint64_t number)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (; *host; host++) hash = (hash ^ (unsigned char)*host) * UINT64_C(0x100000001b3);
    hash = (hash ^ (uint64_t)kind) * UINT64_C(0x100000001b3);
    return (hash ^ number) * UINT64_C(0x100000001b3);
}

static rill_status open_device(rill_server *s, rill_backend_kind kind, void **data)
{
    rill_status status = RILL_OK;
    char host[256] = "";
    int count = 1;
    if (!s->device) {
        RILL_TRY(rill_device_count(kind, &count));
        RILL_TRY(rill_device_create(kind, kind == RILL_BACKEND_CPU ? 0 : s->team->local % count, &s->device));
        s->owned = true;
    }
    rill_remote_opened *opened = *data = calloc(1, sizeof *opened);
    if (!opened) return rill_fail(RILL_SYSTEM, "out of memory for the device of a process");
    (void)gethostname(host, sizeof host - 1);
    memcpy(opened->name, s->device->name, sizeof opened->name);
    /* A GPU is the same for all processes of its machine; a process has processors of its own. */
    const bool processor = s->device->kind == RILL_BACKEND_CPU;
    opened->device =
        rill_remote_identity(host, s->device->kind, processor ? (uint64_t)s->team->rank : s->device->unique);
    opened->host = rill_remote_identity(host, RILL_BACKEND_AUTO, 0);
    opened->direct = direct(s);
done:
    return status;
}

static rill_status kernels_find(rill_server *s, rill_variant variant)
{
    if (s->kernels && rill_variant_equal(s->variant, variant)) return RILL_OK;
    s->variant = variant;
    s->kernels = NULL;
    return rill_device_kernels(s->device, variant, &s->kernels);
}

/* Start a kernel. */
static rill_status kernel_do(rill_server *s, uint64_t op, const char *payload)
{
    rill_remote_kernel k;
    memcpy(&k, payload, sizeof k);
    const rill_status status = kernels_find(s, k.launch.variant);
    if (status != RILL_OK) return status;
    const rill_kernels *kernels = s->kernels;
    rill_launch *l = &k.launch;
    l->kernels = kernels;
    l->queue = l->queue ? l->queue : s->device->queue;
    const rill_node first = (rill_node)k.first, count = (rill_node)k.count;
    switch ((rill_remote_op)op) {
    case RILL_REMOTE_STEP:
        kernels->step(l);
        break;
    case RILL_REMOTE_TOTALS:
        kernels->totals(l, k.out);
        break;
    case RILL_REMOTE_MOMENTS:
        kernels->moments(l, first, count, k.out);
        break;
    case RILL_REMOTE_SET:
        kernels->set(l, first, count, k.in);
        break;
    case RILL_REMOTE_SWAP:
        kernels->swap(l, k.in, k.count);
        break;
    case RILL_REMOTE_PACK: /* into words that may still be on their way */
        if (sends_end(s, k.out) != RILL_OK) return RILL_SYSTEM;
        kernels->pack(l, k.in, k.count, k.out);
        break;
    case RILL_REMOTE_UNPACK:
        kernels->unpack(l, k.in, k.count, k.out);
        break;
    case RILL_REMOTE_LOCATE:
        kernels->locate(l, k.out, k.count);
        break;
    case RILL_REMOTE_WRAP:
        kernels->wrap(l);
        break;
    case RILL_REMOTE_WALLS:
        kernels->walls(l, (rill_walls_task)k.task, &k.walls, k.out);
        break;
    case RILL_REMOTE_DAMP:
        kernels->damp(l, &k.sponge);
        break;
    case RILL_REMOTE_SAMPLE:
        kernels->sample(l, k.in, k.count, k.out);
        break;
    case RILL_REMOTE_PATCH: {
        rill_patch_now now;
        const size_t bytes = k.count * sizeof(rill_patch);
        rill_patch *host = malloc(bytes + 1);
        if (!host) return rill_fail(RILL_SYSTEM, "out of memory for a boundary");
        memcpy(&now, payload + sizeof k, sizeof now);
        memcpy(host, payload + sizeof k + sizeof now, bytes);
        kernels->patch(l, k.task, k.in, host, (int)k.count, &now, k.out);
        free(host);
        break;
    }
    default:
        return rill_fail(RILL_SYSTEM, "call %llu is none of a device", (unsigned long long)op);
    }
    return RILL_OK;
}

/* Calls about links and grids, with their payload. */
static rill_status links_do(rill_server *s, const rill_remote_call *c, const void *payload,
                            rill_remote_reply *reply, void **data)
{
    rill_remote_links links;
    rill_builder builder;
    rill_refiner refiner;
    if (c->op == RILL_REMOTE_BUILD) {
        memcpy(&builder, payload, sizeof builder);
        rill_device_build(s->device, &builder, (rill_build_task)c->a);
        return RILL_OK;
    }
    if (c->op == RILL_REMOTE_REFINE) {
        memcpy(&refiner, payload, sizeof refiner);
        rill_device_refine(s->device, &refiner);
        return RILL_OK;
    }
    if (c->op == RILL_REMOTE_LINK) {
        memcpy(&links, payload, sizeof links);
        const rill_status status = rill_device_link(s->device, links.variant, &links.arrays);
        if (status != RILL_OK) return status;
        *data = malloc(sizeof links.arrays);
        if (!*data) return rill_fail(RILL_SYSTEM, "out of memory for index lists");
        memcpy(*data, &links.arrays, sizeof links.arrays);
        reply->bytes = sizeof links.arrays;
        return RILL_OK;
    }
    memcpy(&links.arrays, payload, sizeof links.arrays);
    if (c->op == RILL_REMOTE_UNLINK)
        rill_device_unlink(s->device, &links.arrays);
    else
        reply->value = rill_device_linked(s->device, &links.arrays);
    return RILL_OK;
}

/* Calls about memory of the process itself. */
static rill_status host_do(const rill_remote_call *c, const void *payload, rill_remote_reply *reply,
                           void **data)
{
    rill_status status = RILL_OK;
    void *memory = NULL;
    switch ((rill_remote_op)c->op) {
    case RILL_REMOTE_HOST_TAKE:
        RILL_TRY(rill_memory_require(c->a, payload));
        RILL_TRY(rill_array_create_zero(c->a, 1, payload, &memory));
        reply->value = (uint64_t)(uintptr_t)memory;
        break;
    case RILL_REMOTE_HOST_GIVE_BACK:
        rill_array_destroy(at(c->a));
        break;
    case RILL_REMOTE_HOST_PUT:
        memcpy(at(c->a), payload, c->bytes);
        break;
    default:
        *data = malloc(c->b);
        if (!*data) return rill_fail(RILL_SYSTEM, "out of memory for %llu bytes", (unsigned long long)c->b);
        memcpy(*data, at(c->a), c->b);
        reply->bytes = c->b;
    }
done:
    return status;
}

static rill_status download_do(rill_server *s, const rill_remote_call *c, rill_remote_reply *reply,
                               void **data)
{
    *data = malloc(c->b);
    if (!*data) return rill_fail(RILL_SYSTEM, "out of memory for %llu bytes", (unsigned long long)c->b);
    const rill_status status = rill_device_download(s->device, *data, at(c->a), c->b);
    if (status == RILL_OK) reply->bytes = c->b;
    return status;
}

/* Calls about queues and events. */
static rill_status queues_do(rill_server *s, const rill_remote_call *c, rill_remote_reply *reply)
{
    rill_device *d = s->device;
    void *made = NULL;
    rill_status status = RILL_OK;
    switch ((rill_remote_op)c->op) {
    case RILL_REMOTE_QUEUE_CREATE:
        status = rill_device_queue_create(d, &made);
        break;
    case RILL_REMOTE_EVENT_CREATE:
        status = rill_device_event_create(d, &made);
        break;
    case RILL_REMOTE_QUEUE_DESTROY:
        rill_device_queue_destroy(d, at(c->a));
        break;
    case RILL_REMOTE_EVENT_DESTROY:
        rill_device_event_destroy(d, at(c->a));
        break;
    case RILL_REMOTE_EVENT_RECORD:
        return rill_device_event_record(d, queue_of(s, c->a), at(c->b));
    case RILL_REMOTE_QUEUE_WAIT:
        return rill_device_queue_wait(d, queue_of(s, c->a), at(c->b));
    case RILL_REMOTE_FLAG_SET:
        return d->backend->exports.flag_set(d, queue_of(s, c->a), at(c->b), (uint32_t)c->c);
    default:
        return d->backend->exports.flag_wait(d, queue_of(s, c->a), at(c->b), (uint32_t)c->c);
    }
    reply->value = (uint64_t)(uintptr_t)made;
    return status;
}

/* Calls about memory that other processes see. */
static rill_status exports_do(rill_server *s, const rill_remote_call *c, const void *payload,
                              rill_remote_reply *reply, void **data)
{
    rill_device *d = s->device;
    rill_status status = RILL_OK;
    rill_export handle;
    void *array = NULL;
    if (c->op == RILL_REMOTE_EXPORT_CREATE) {
        RILL_TRY(d->backend->exports.create(d, c->a, payload, &array, &handle));
        *data = malloc(sizeof handle);
        if (!*data) {
            rill_device_free(d, array);
            return rill_fail(RILL_SYSTEM, "out of memory for a reply");
        }
        memcpy(*data, &handle, sizeof handle);
        reply->bytes = sizeof handle;
    } else if (c->op == RILL_REMOTE_EXPORT_OPEN) {
        memcpy(&handle, payload, sizeof handle);
        RILL_TRY(d->backend->exports.open(d, &handle, &array));
    } else if (c->op == RILL_REMOTE_EXPORT_CLOSE) {
        status = rill_device_wait(d); /* for kernels that store there */
        d->backend->exports.close(d, at(c->a));
    } else {
        RILL_TRY(d->backend->exports.flag_set(d, d->queue, at(c->b), (uint32_t)c->c));
        RILL_TRY(rill_device_wait(d));
    }
    reply->value = (uint64_t)(uintptr_t)array;
done:
    return status;
}

static rill_status call_do(rill_server *s, const rill_remote_call *c, const void *payload,
                           rill_remote_reply *reply, void **data)
{
    rill_status status = RILL_OK;
    rill_variant variant;
    void *array = NULL;
    double rate = 0;
    if (!rill_remote_of_step(c->op)) RILL_TRY(sends_end(s, NULL));
    switch ((rill_remote_op)c->op) {
    case RILL_REMOTE_OPEN:
        RILL_TRY(open_device(s, (rill_backend_kind)c->a, data));
        reply->bytes = sizeof(rill_remote_opened);
        break;
    case RILL_REMOTE_HOST_TAKE:
    case RILL_REMOTE_HOST_GIVE_BACK:
    case RILL_REMOTE_HOST_PUT:
    case RILL_REMOTE_HOST_GET:
        return host_do(c, payload, reply, data);
    case RILL_REMOTE_AVAILABLE:
        return rill_device_available(s->device, &reply->value);
    case RILL_REMOTE_REQUIRE:
        return rill_device_require(s->device, c->a, payload);
    case RILL_REMOTE_ALLOC:
        RILL_TRY(rill_device_alloc(s->device, c->a, payload, &array));
        reply->value = (uint64_t)(uintptr_t)array;
        break;
    case RILL_REMOTE_FREE:
        sends_forget(s, at(c->a));
        rill_device_free(s->device, at(c->a));
        break;
    case RILL_REMOTE_UPLOAD:
        return rill_device_upload(s->device, at(c->a), payload, c->bytes);
    case RILL_REMOTE_DOWNLOAD:
        return download_do(s, c, reply, data);
    case RILL_REMOTE_SEND:
        return populations_send(s, c);
    case RILL_REMOTE_RECEIVE:
        return populations_receive(s, c);
    case RILL_REMOTE_BUILD:
    case RILL_REMOTE_REFINE:
    case RILL_REMOTE_LINK:
    case RILL_REMOTE_UNLINK:
    case RILL_REMOTE_LINKED:
        return links_do(s, c, payload, reply, data);
    case RILL_REMOTE_GATHER:
        rill_device_gather(s->device, at(c->a), at(c->b), c->c, at(c->d));
        break;
    case RILL_REMOTE_SPREAD:
        rill_device_spread(s->device, at(c->a), at(c->b), c->c, at(c->d));
        break;
    case RILL_REMOTE_WAIT:
    case RILL_REMOTE_CHECK:
        return rill_device_wait(s->device);
    case RILL_REMOTE_QUEUE_CREATE:
    case RILL_REMOTE_QUEUE_DESTROY:
    case RILL_REMOTE_EVENT_CREATE:
    case RILL_REMOTE_EVENT_DESTROY:
    case RILL_REMOTE_EVENT_RECORD:
    case RILL_REMOTE_QUEUE_WAIT:
    case RILL_REMOTE_FLAG_SET:
    case RILL_REMOTE_FLAG_WAIT:
        return queues_do(s, c, reply);
    case RILL_REMOTE_EXPORT_CREATE:
    case RILL_REMOTE_EXPORT_OPEN:
    case RILL_REMOTE_EXPORT_CLOSE:
    case RILL_REMOTE_FLAG_TRY:
        return exports_do(s, c, payload, reply, data);
    case RILL_REMOTE_KERNELS:
        memcpy(&variant, payload, sizeof variant);
        return kernels_find(s, variant);
    case RILL_REMOTE_BANDWIDTH:
        RILL_TRY(rill_device_bandwidth(s->device, &rate));
        *data = malloc(sizeof rate);
        if (!*data) return rill_fail(RILL_SYSTEM, "out of memory for a reply");
        memcpy(*data, &rate, sizeof rate);
        reply->bytes = sizeof rate;
        break;
    default:
        return kernel_do(s, c->op, payload);
    }
done:
    return status;
}

static bool replies(uint64_t op)
{
    switch ((rill_remote_op)op) {
    case RILL_REMOTE_OPEN:
    case RILL_REMOTE_HOST_TAKE:
    case RILL_REMOTE_HOST_GET:
    case RILL_REMOTE_AVAILABLE:
    case RILL_REMOTE_REQUIRE:
    case RILL_REMOTE_ALLOC:
    case RILL_REMOTE_DOWNLOAD:
    case RILL_REMOTE_LINK:
    case RILL_REMOTE_LINKED:
    case RILL_REMOTE_WAIT:
    case RILL_REMOTE_QUEUE_CREATE:
    case RILL_REMOTE_EVENT_CREATE:
    case RILL_REMOTE_EXPORT_CREATE:
    case RILL_REMOTE_EXPORT_OPEN:
    case RILL_REMOTE_EXPORT_CLOSE:
    case RILL_REMOTE_FLAG_TRY:
    case RILL_REMOTE_KERNELS:
    case RILL_REMOTE_BANDWIDTH:
        return true;
    default:
        return false;
    }
}

/* Whether others may wait for ever once a call has failed: for what was not sent, or a flag that is not set.
 */
static bool fatal(const rill_server *s, uint64_t op)
{
    switch ((rill_remote_op)op) {
    case RILL_REMOTE_SEND:
    case RILL_REMOTE_RECEIVE:
        return true;
    case RILL_REMOTE_CHECK:
    case RILL_REMOTE_WAIT:
    case RILL_REMOTE_EVENT_RECORD:
    case RILL_REMOTE_QUEUE_WAIT:
    case RILL_REMOTE_FLAG_SET:
    case RILL_REMOTE_FLAG_WAIT:
        return s->team->size > 1;
    default:
        return false;
    }
}

void rill_remote_end_all(const rill_team *team, rill_status status)
{
    fprintf(stderr, "rill: process %d: %s\n", team->rank, rill_error_message());
    fflush(stderr);
    team->transport->abort((int)status);
}

/* An error of a call without a reply is that of the next one that has one. */
void rill_server_do(rill_server *s, const rill_remote_call *call, const void *payload,
                    rill_remote_reply *reply, void **data)
{
    *reply = (rill_remote_reply){.value = 0};
    *data = NULL;
    const rill_status status = call_do(s, call, payload, reply, data);
    if (status != RILL_OK && fatal(s, call->op)) rill_remote_end_all(s->team, status);
    if (status != RILL_OK && s->status == RILL_OK) {
        s->status = status;
        snprintf(s->message, sizeof s->message, "%s", rill_error_message());
    }
    if (s->status == RILL_OK || !replies(call->op)) return;
    reply->status = s->status;
    reply->bytes = 0;
    memcpy(reply->message, s->message, sizeof s->message);
    s->status = RILL_OK;
}

rill_status rill_server_do_packed(rill_server *s, const char *bytes, uint64_t size)
{
    rill_status status = RILL_OK;
    for (const char *at = bytes, *end = bytes + size; at < end;) {
        rill_remote_call call;
        rill_remote_reply reply;
        const void *payload;
        void *data;
        RILL_TRY(rill_remote_unpack(&s->past, &at, end, &call, &payload));
        rill_server_do(s, &call, payload, &reply, &data);
        free(data);
    }
done:
    return status;
}

/* Do the calls of a message, and say so: the first process sends no more than a few that are not done. */
static rill_status calls_do(rill_server *s, const rill_remote_call *call, const char *payload)
{
    const rill_status status = rill_server_do_packed(s, payload, call->bytes);
    return status == RILL_OK ? rill_team_send(s->team, 0, RILL_TEAM_REPLY, &call->a, sizeof call->a) : status;
}

/* Receive a call with its payload. @param[in,out] room  bytes of the payload's array, which grows */
static rill_status call_receive(rill_server *s, rill_remote_call *call, char **payload, uint64_t *room)
{
    const rill_status status = rill_team_receive(s->team, 0, RILL_TEAM_CALL, call, sizeof *call);
    if (status != RILL_OK || call->bytes == 0) return status;
    if (call->bytes > *room) {
        free(*payload);
        *payload = malloc(call->bytes);
        *room = *payload ? call->bytes : 0;
    }
    if (!*payload)
        return rill_fail(RILL_SYSTEM, "out of memory for %llu bytes from the first process",
                         (unsigned long long)call->bytes);
    return rill_team_receive(s->team, 0, RILL_TEAM_CALL, *payload, call->bytes);
}

static rill_status reply_send(rill_server *s, const rill_remote_reply *reply, const void *data)
{
    const rill_status status = rill_team_send(s->team, 0, RILL_TEAM_REPLY, reply, sizeof *reply);
    if (status != RILL_OK || reply->bytes == 0) return status;
    return rill_team_send(s->team, 0, RILL_TEAM_REPLY, data, reply->bytes);
}

int rill_remote_serve(rill_team *team, rill_device *device)
{
    rill_server *server = NULL;
    rill_remote_call call = {.op = RILL_REMOTE_OPEN};
    char *payload = NULL;
    uint64_t room = 0;
    rill_status status = rill_server_create(team, device, &server);
    while (status == RILL_OK) {
        rill_remote_reply reply;
        void *data = NULL;
        status = call_receive(server, &call, &payload, &room);
        if (status != RILL_OK || call.op == RILL_REMOTE_QUIT) break;
        if (call.op == RILL_REMOTE_CALLS) {
            status = calls_do(server, &call, payload);
            continue;
        }
        rill_server_do(server, &call, payload, &reply, &data);
        if (replies(call.op)) status = reply_send(server, &reply, data);
        free(data);
    }
    /* The first process may wait for this one for ever. */
    if (status != RILL_OK) rill_remote_end_all(team, status);
    free(payload);
    rill_server_destroy(server);
    return status == RILL_OK ? (int)call.a : (int)status;
}
