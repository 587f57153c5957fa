/* SPDX-License-Identifier: Apache-2.0 */
/* The first process's side: sends calls of a device as messages. See remote_serve.c for the other. */
#include "device/remote_priv.h"

#include "core/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Calls of the own process that wait until there is time: others must have theirs first. */
typedef struct waiting {
    struct waiting *next;
    rill_remote_call call;
    char payload[];
} waiting;

enum { WAITING_MOST = 64 };

/* A payload that is on its way to another process. */
typedef struct sent {
    struct sent *next;
    void *request;
    char payload[];
} sent;

/* Arrays go in pieces of this size, so that no process needs room for a copy of what it receives. Payloads of
 * own calls are copied up to COPIED_MOST, else the call is made at once. */
enum { PIECE = 1 << 22, COPIED_MOST = 1 << 16 };

/* Larger messages may not arrive before the receiver is ready for them, so that no call waits for one to
 * arrive: the receiver may be waiting for populations of this process, whose calls were put off. All
 * transports of Open MPI buffer smaller ones. */
enum { BUFFERED_MOST = 1 << 10 };

typedef struct remote {
    rill_remotes *all;
    int rank;
} remote;

struct rill_remotes {
    rill_team *team;
    rill_server *own;
    waiting *first, **last;
    int waiting;
    sent *sent;
    rill_device *devices; /* [size] */
    remote *remotes;      /* [size], their states and queues */
    rill_status status;   /* of calls that have no reply */
    char message[512];
};

/* ---- calls ------------------------------------------------------------------------------------- */

static void note(rill_remotes *all, rill_status status)
{
    if (status == RILL_OK || all->status != RILL_OK) return;
    all->status = status;
    snprintf(all->message, sizeof all->message, "%s", rill_error_message());
}

/* Wait until all payloads have arrived: the own process has nothing left to do that others wait for. */
static void sent_end(rill_remotes *all)
{
    while (all->sent) {
        sent *one = all->sent;
        all->sent = one->next;
        note(all, rill_team_end(all->team, &one->request));
        free(one);
    }
}

/* Make the calls of the own process that wait. */
static void drain(rill_remotes *all)
{
    while (all->first) {
        waiting *w = all->first;
        rill_remote_reply reply;
        void *data = NULL;
        all->first = w->next;
        all->waiting--;
        if (!all->first) all->last = &all->first;
        rill_server_do(all->own, &w->call, w->payload, &reply, &data);
        free(data);
        free(w);
    }
    sent_end(all);
}

static void put_off(rill_remotes *all, const rill_remote_call *call, const void *payload)
{
    waiting *w = malloc(sizeof *w + call->bytes);
    if (!w) {
        note(all, rill_fail(RILL_SYSTEM, "out of memory for a call of a device"));
        return;
    }
    w->next = NULL;
    w->call = *call;
    if (call->bytes && payload) memcpy(w->payload, payload, call->bytes);
    *all->last = w;
    all->last = &w->next;
    if (++all->waiting >= WAITING_MOST) drain(all);
}

static rill_status send_call(remote *r, const rill_remote_call *call, const void *payload)
{
    const rill_status status = rill_team_send(r->all->team, r->rank, RILL_TEAM_CALL, call, sizeof *call);
    if (status != RILL_OK || call->bytes == 0) return status;
    return rill_team_send(r->all->team, r->rank, RILL_TEAM_CALL, payload, call->bytes);
}

/* Begin to send a payload: a copy of it, or the payload itself while the own process does its calls. */
static rill_status send_large(remote *r, const rill_remote_call *call, const void *payload)
{
    rill_status status = RILL_OK;
    rill_remotes *all = r->all;
    const bool copied = call->bytes <= COPIED_MOST;
    sent *one = malloc(sizeof *one + (copied ? call->bytes : 0));
    if (!one) return rill_fail(RILL_SYSTEM, "out of memory for a call of a device");
    if (copied) memcpy(one->payload, payload, call->bytes);
    RILL_TRY(rill_team_send(all->team, r->rank, RILL_TEAM_CALL, call, sizeof *call));
    RILL_TRY(rill_team_begin(all->team, r->rank, RILL_TEAM_CALL, copied ? one->payload : payload, call->bytes,
                             &one->request));
    one->next = all->sent;
    all->sent = one;
    one = NULL;
    if (!copied) drain(all);
done:
    free(one);
    return status;
}

/* Call without a reply. */
static void tell(remote *r, const rill_remote_call *call, const void *payload)
{
    if (r->rank == 0)
        put_off(r->all, call, payload);
    else
        note(r->all,
             call->bytes > BUFFERED_MOST ? send_large(r, call, payload) : send_call(r, call, payload));
}

/* The same with a large payload. */
static void tell_much(remote *r, const rill_remote_call *call, const void *payload)
{
    rill_remote_reply reply;
    void *data = NULL;
    if (r->rank != 0 || call->bytes <= COPIED_MOST) {
        tell(r, call, payload);
        return;
    }
    drain(r->all);
    rill_server_do(r->all->own, call, payload, &reply, &data);
    free(data);
}

/* Call and wait for the reply. @param[out] to  [bytes], what comes with it */
static rill_status ask(remote *r, const rill_remote_call *call, const void *payload, void *to, uint64_t bytes,
                       uint64_t *value)
{
    rill_status status = RILL_OK;
    rill_remotes *all = r->all;
    rill_remote_reply reply;
    void *data = NULL;
    if (r->rank == 0) {
        drain(all);
        rill_server_do(all->own, call, payload, &reply, &data);
        if (reply.status == RILL_OK && bytes && data) memcpy(to, data, bytes);
        free(data);
    } else {
        RILL_TRY(send_call(r, call, payload));
        drain(all); /* it may wait for what this process sends */
        RILL_TRY(rill_team_receive(all->team, r->rank, RILL_TEAM_REPLY, &reply, sizeof reply));
        if (reply.bytes) RILL_TRY(rill_team_receive(all->team, r->rank, RILL_TEAM_REPLY, to, reply.bytes));
    }
    if (value) *value = reply.value;
    if (reply.status != RILL_OK)
        status = r->rank ? rill_fail((rill_status)reply.status, "process %d: %s", r->rank, reply.message)
                         : rill_fail((rill_status)reply.status, "%s", reply.message);
    if (status == RILL_OK && all->status != RILL_OK) status = rill_fail(all->status, "%s", all->message);
done:
    return status;
}

static remote *of(const rill_device *device) { return device->state; }

static rill_remote_call call_of(rill_remote_op op) { return (rill_remote_call){.op = op}; }

static uint64_t number(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* ---- memory ------------------------------------------------------------------------------------ */

static rill_status count_none(int *count)
{
    *count = 0;
    return rill_fail(RILL_SYSTEM, "devices of other processes are opened together");
}

static rill_status open_none(rill_device *device)
{
    (void)device;
    return RILL_OK;
}

static void close_none(rill_device *device) { (void)device; }

static rill_status available(rill_device *device, uint64_t *bytes)
{
    const rill_remote_call call = call_of(RILL_REMOTE_AVAILABLE);
    return ask(of(device), &call, NULL, NULL, 0, bytes);
}

static rill_status require(rill_device *device, uint64_t bytes, const char *what)
{
    rill_remote_call call = call_of(RILL_REMOTE_REQUIRE);
    call.a = bytes, call.bytes = strlen(what) + 1;
    return ask(of(device), &call, what, NULL, 0, NULL);
}

static rill_status alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    rill_remote_call call = call_of(RILL_REMOTE_ALLOC);
    uint64_t value = 0;
    call.a = bytes, call.bytes = strlen(what) + 1;
    const rill_status status = ask(of(device), &call, what, NULL, 0, &value);
    *out = status == RILL_OK ? (void *)(uintptr_t)value : NULL;
    return status;
}

static void free_array(rill_device *device, void *array)
{
    rill_remote_call call = call_of(RILL_REMOTE_FREE);
    call.a = number(array);
    if (array) tell(of(device), &call, NULL);
}

static uint64_t piece_of(uint64_t bytes) { return bytes < PIECE ? bytes : PIECE; }

static void move(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    rill_remote_call call = call_of(RILL_REMOTE_UPLOAD);
    for (uint64_t at = 0; at < bytes; at += call.bytes) {
        call.a = number(to) + at, call.bytes = piece_of(bytes - at);
        tell_much(of(device), &call, (const char *)host + at);
    }
}

static rill_status upload(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    move(device, to, host, bytes);
    return RILL_OK;
}

static rill_status share(rill_device *device, const void *host, uint64_t bytes, const char *what,
                         const void **out)
{
    void *array = NULL;
    const rill_status status = alloc(device, bytes, what, &array);
    if (status == RILL_OK) move(device, array, host, bytes);
    *out = array;
    return status;
}

static void release(rill_device *device, const void *array) { free_array(device, (void *)(uintptr_t)array); }

static rill_status download(rill_device *device, void *host, const void *from, uint64_t bytes)
{
    rill_status status = RILL_OK;
    rill_remote_call call = call_of(RILL_REMOTE_DOWNLOAD);
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += call.b) {
        call.a = number(from) + at, call.b = piece_of(bytes - at);
        status = ask(of(device), &call, NULL, (char *)host + at, call.b, NULL);
    }
    return status;
}

static rill_status pass(rill_device *device, void *queue, void *to, const rill_device *owner,
                        const void *from, uint64_t bytes)
{
    (void)queue;
    remote *here = of(device), *there = of(owner);
    rill_remote_call give = call_of(RILL_REMOTE_SEND), take = call_of(RILL_REMOTE_RECEIVE);
    give.a = (uint64_t)here->rank, give.b = number(from), give.c = bytes;
    take.a = (uint64_t)there->rank, take.b = number(to), take.c = bytes;
    tell(there, &give, NULL);
    tell(here, &take, NULL);
    return RILL_OK;
}

/* A process does its calls in their order: all its queues are one, and there is no need of events. */
static rill_status queue_create(rill_device *device, void **queue)
{
    *queue = device->queue;
    return RILL_OK;
}

static void queue_destroy(rill_device *device, void *queue) { (void)device, (void)queue; }

static bool reaches(rill_device *device, const rill_device *other) { return device == other; }

/* ---- links, sums -------------------------------------------------------------------------------- */

static void build(rill_device *device, const rill_builder *builder, rill_build_task task)
{
    rill_remote_call call = call_of(RILL_REMOTE_BUILD);
    call.a = (uint64_t)task, call.bytes = sizeof *builder;
    tell(of(device), &call, builder);
}

static rill_status link_nodes(rill_device *device, rill_variant variant, rill_arrays *arrays)
{
    rill_remote_call call = call_of(RILL_REMOTE_LINK);
    const rill_remote_links links = {variant, *arrays};
    call.bytes = sizeof links;
    return ask(of(device), &call, &links, arrays, sizeof *arrays, NULL);
}

static void unlink_nodes(rill_device *device, rill_arrays *arrays)
{
    rill_remote_call call = call_of(RILL_REMOTE_UNLINK);
    call.bytes = sizeof *arrays;
    tell(of(device), &call, arrays);
}

static uint64_t linked(rill_device *device, const rill_arrays *arrays)
{
    rill_remote_call call = call_of(RILL_REMOTE_LINKED);
    uint64_t bytes = 0;
    call.bytes = sizeof *arrays;
    return ask(of(device), &call, arrays, NULL, 0, &bytes) == RILL_OK ? bytes : 0;
}

static void gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                   int64_t *sums)
{
    rill_remote_call call = call_of(RILL_REMOTE_GATHER);
    call.a = number(values), call.b = number(labels), call.c = count, call.d = number(sums);
    tell(of(device), &call, NULL);
}

static void spread(rill_device *device, const double *given, const uint32_t *labels, uint64_t count,
                   double *values)
{
    rill_remote_call call = call_of(RILL_REMOTE_SPREAD);
    call.a = number(given), call.b = number(labels), call.c = count, call.d = number(values);
    tell(of(device), &call, NULL);
}

static rill_status wait(rill_device *device)
{
    const rill_remote_call call = call_of(RILL_REMOTE_WAIT);
    return ask(of(device), &call, NULL, NULL, 0, NULL);
}

static rill_status bandwidth(rill_device *device, double *bytes_per_second)
{
    const rill_remote_call call = call_of(RILL_REMOTE_BANDWIDTH);
    return ask(of(device), &call, NULL, bytes_per_second, sizeof *bytes_per_second, NULL);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* Send the call of a kernel. */
static void start(const rill_launch *launch, rill_remote_op op, rill_remote_kernel kernel)
{
    rill_remote_call call = call_of(op);
    call.bytes = sizeof kernel;
    kernel.launch = *launch;
    tell(launch->queue, &call, &kernel);
}

static void step(const rill_launch *l) { start(l, RILL_REMOTE_STEP, (rill_remote_kernel){.first = 0}); }

static void wrap(const rill_launch *l) { start(l, RILL_REMOTE_WRAP, (rill_remote_kernel){.first = 0}); }

static void totals(const rill_launch *l, rill_partial *partials)
{
    start(l, RILL_REMOTE_TOTALS, (rill_remote_kernel){.out = partials});
}

static void moments(const rill_launch *l, rill_node first, rill_node count, double *out)
{
    start(l, RILL_REMOTE_MOMENTS, (rill_remote_kernel){.first = first, .count = count, .out = out});
}

static void set(const rill_launch *l, rill_node first, rill_node count, const double *values)
{
    start(l, RILL_REMOTE_SET, (rill_remote_kernel){.first = first, .count = count, .in = values});
}

static void swap(const rill_launch *l, const rill_swap *swaps, size_t count)
{
    start(l, RILL_REMOTE_SWAP, (rill_remote_kernel){.count = count, .in = swaps});
}

static void pack(const rill_launch *l, const rill_cut_link *links, uint64_t count, void *words)
{
    start(l, RILL_REMOTE_PACK, (rill_remote_kernel){.count = count, .in = links, .out = words});
}

static void unpack(const rill_launch *l, const rill_cut_link *links, uint64_t count, const void *words)
{
    start(l, RILL_REMOTE_UNPACK,
          (rill_remote_kernel){.count = count, .in = links, .out = (void *)(uintptr_t)words});
}

static void locate(const rill_launch *l, rill_cut_link *links, uint64_t count)
{
    start(l, RILL_REMOTE_LOCATE, (rill_remote_kernel){.count = count, .out = links});
}

static void walls(const rill_launch *l, rill_walls_task task, const rill_walls *list, double *exchange)
{
    start(l, RILL_REMOTE_WALLS, (rill_remote_kernel){.task = (int)task, .walls = *list, .out = exchange});
}

static void damp(const rill_launch *l, const rill_sponge *sponge)
{
    start(l, RILL_REMOTE_DAMP, (rill_remote_kernel){.sponge = *sponge});
}

static void sample(const rill_launch *l, const rill_node *nodes, uint64_t count, double *out)
{
    start(l, RILL_REMOTE_SAMPLE, (rill_remote_kernel){.count = count, .in = nodes, .out = out});
}

/* The patches, of which the host reads how much there is to do, come behind the kernel. */
static void patch(const rill_launch *l, int tasks, const rill_patch *patches, const rill_patch *host,
                  int count, const rill_patch_now *now, double *exchange)
{
    rill_remote_call call = call_of(RILL_REMOTE_PATCH);
    const size_t table = (size_t)count * sizeof *host;
    remote *r = l->queue;
    call.bytes = sizeof(rill_remote_kernel) + sizeof *now + table;
    char *payload = calloc(1, call.bytes);
    if (!payload) {
        note(r->all, rill_fail(RILL_SYSTEM, "out of memory for a call of a device"));
        return;
    }
    const rill_remote_kernel kernel = {
        .launch = *l, .task = tasks, .in = patches, .count = (uint64_t)count, .out = exchange};
    memcpy(payload, &kernel, sizeof kernel);
    memcpy(payload + sizeof kernel, now, sizeof *now);
    memcpy(payload + sizeof kernel + sizeof *now, host, table);
    tell(r, &call, payload);
    free(payload);
}

static const rill_kernels kernels_table = {step,   totals, moments, set,   swap, pack,   unpack,
                                           locate, wrap,   patch,   walls, damp, sample, NULL};

static rill_status kernels(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    rill_remote_call call = call_of(RILL_REMOTE_KERNELS);
    call.bytes = sizeof variant;
    *out = &kernels_table;
    return ask(of(device), &call, &variant, NULL, 0, NULL);
}

/* ---- devices ------------------------------------------------------------------------------------ */

#define REMOTE                                                                                               \
    .count = count_none, .open = open_none, .close = close_none, .available = available, .require = require, \
    .alloc = alloc, .free = free_array, .share = share, .release = release, .build = build,                  \
    .link = link_nodes, .unlink = unlink_nodes, .linked = linked, .upload = upload, .download = download,    \
    .pass = pass, .queue_create = queue_create, .queue_destroy = queue_destroy, .reaches = reaches,          \
    .gather = gather, .spread = spread, .wait = wait, .kernels = kernels, .bandwidth = bandwidth,            \
    .transport = "messages between processes, by MPI"

static const rill_backend remote_cpu = {
    .name = "cpu", .processor = true, .yardstick = "in-place update", REMOTE};
static const rill_backend remote_cuda = {
    .name = "cuda", .turns = true, .walls_in_step = true, .yardstick = "device copy", REMOTE};

int rill_remote_same(const uint64_t *identities, int rank)
{
    int first = 0;
    while (identities[first] != identities[rank]) first++;
    return first;
}

/* ---- memory of hosts ----------------------------------------------------------------------------- */

static rill_status host_take(void *context, int process, uint64_t bytes, const char *what, void **memory)
{
    rill_remotes *all = context;
    rill_remote_call call = call_of(RILL_REMOTE_HOST_TAKE);
    uint64_t value = 0;
    call.a = bytes, call.bytes = strlen(what) + 1;
    const rill_status status = ask(&all->remotes[process], &call, what, NULL, 0, &value);
    *memory = status == RILL_OK ? (void *)(uintptr_t)value : NULL;
    return status;
}

static void host_give_back(void *context, int process, void *memory)
{
    rill_remotes *all = context;
    rill_remote_call call = call_of(RILL_REMOTE_HOST_GIVE_BACK);
    call.a = number(memory);
    tell(&all->remotes[process], &call, NULL);
}

static rill_status host_put(void *context, int process, void *memory, const void *from, uint64_t bytes)
{
    rill_remotes *all = context;
    rill_remote_call call = call_of(RILL_REMOTE_HOST_PUT);
    for (uint64_t at = 0; at < bytes; at += call.bytes) {
        call.a = number(memory) + at, call.bytes = piece_of(bytes - at);
        tell_much(&all->remotes[process], &call, (const char *)from + at);
    }
    return all->status == RILL_OK ? RILL_OK : rill_fail(all->status, "%s", all->message);
}

static rill_status host_get(void *context, int process, const void *memory, void *to, uint64_t bytes)
{
    rill_status status = RILL_OK;
    rill_remotes *all = context;
    rill_remote_call call = call_of(RILL_REMOTE_HOST_GET);
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += call.b) {
        call.a = number(memory) + at, call.b = piece_of(bytes - at);
        status = ask(&all->remotes[process], &call, NULL, (char *)to + at, call.b, NULL);
    }
    return status;
}

rill_keeper rill_remotes_keeper(rill_remotes *remotes)
{
    return (rill_keeper){.count = remotes->team->size,
                         .context = remotes,
                         .take = host_take,
                         .give_back = host_give_back,
                         .put = host_put,
                         .get = host_get};
}

/* ---- processes ------------------------------------------------------------------------------------ */

rill_status rill_remotes_create(rill_team *team, rill_remotes **out)
{
    rill_status status = RILL_OK;
    rill_remotes *all = calloc(1, sizeof *all);
    if (!all) return rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size);
    all->team = team;
    all->last = &all->first;
    all->devices = calloc((size_t)team->size, sizeof *all->devices);
    all->remotes = calloc((size_t)team->size, sizeof *all->remotes);
    if (!all->devices || !all->remotes)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size));
    for (int k = 0; k < team->size; k++) all->remotes[k] = (remote){all, k};
    *out = all;
    all = NULL;
done:
    rill_remotes_destroy(all);
    return status;
}

rill_status rill_remotes_open(rill_remotes *all, rill_device *own)
{
    rill_status status = RILL_OK;
    const rill_team *team = all->team;
    uint64_t host = 0, *identities = calloc((size_t)team->size, sizeof *identities);
    rill_remote_opened opened;
    if (!identities) return rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size);
    RILL_TRY(rill_server_create(all->team, own, &all->own));
    for (int k = 0; k < team->size; k++) {
        rill_device *device = &all->devices[k];
        rill_remote_call call = call_of(RILL_REMOTE_OPEN);
        *device = (rill_device){.backend = own->kind == RILL_BACKEND_CPU ? &remote_cpu : &remote_cuda,
                                .kind = own->kind,
                                .queue = &all->remotes[k],
                                .state = &all->remotes[k]};
        call.a = (uint64_t)own->kind;
        RILL_TRY(ask(&all->remotes[k], &call, NULL, &opened, sizeof opened, NULL));
        if (k == 0) host = opened.host;
        memcpy(device->name, opened.name, sizeof device->name);
        identities[k] = opened.device;
        device->ordinal = rill_remote_same(identities, k);
        device->elsewhere = opened.host != host;
    }
done:
    free(identities);
    return status;
}

rill_device *rill_remotes_device(rill_remotes *remotes, int rank) { return &remotes->devices[rank]; }

void rill_remotes_destroy(rill_remotes *all)
{
    if (!all) return;
    drain(all);
    rill_server_destroy(all->own);
    free(all->devices);
    free(all->remotes);
    free(all);
}

void rill_remote_release(rill_team *team, int code)
{
    rill_remote_call call = call_of(RILL_REMOTE_QUIT);
    call.a = (uint64_t)code;
    for (int k = 1; k < team->size; k++) (void)rill_team_send(team, k, RILL_TEAM_CALL, &call, sizeof call);
}
