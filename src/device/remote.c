/* SPDX-License-Identifier: Apache-2.0 */
/* The first process's side: sends calls of a device as messages. See remote_serve.c for the other. */
#include "device/remote_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Arrays go in pieces of this size, so that no process needs room for a copy of what it receives. Payloads
 * are packed with their calls up to PACKED_MOST. A send of more than EAGER_MOST may wait for its receiver. */
enum { PIECE = 1 << 22, PACKED_MOST = 1 << 16, EAGER_MOST = 1 << 11 };

/* Calls that wait for each process: few after one with a reply, when devices have nothing to do, then more.
 * As many messages of them may be under way. */
enum { WAITING_FIRST = 32, WAITING_MOST = 512, SENT_MOST = 4 };

/* ---- calls ------------------------------------------------------------------------------------- */

static void note(rill_remotes *all, rill_status status)
{
    if (status == RILL_OK || all->status != RILL_OK) return;
    all->status = status;
    snprintf(all->message, sizeof all->message, "%s", rill_error_message());
}

/* Make a call of the own process that has no reply. */
static void make(rill_remotes *all, const rill_remote_call *call, const void *payload)
{
    rill_remote_reply reply;
    void *data = NULL;
    rill_server_do(all->own, call, payload, &reply, &data);
    free(data);
}

static rill_status send_call(rill_remote *r, const rill_remote_call *call, const void *payload)
{
    const rill_status status = rill_team_send(r->all->team, r->rank, RILL_TEAM_CALL, call, sizeof *call);
    if (status != RILL_OK || call->bytes == 0) return status;
    return rill_team_send(r->all->team, r->rank, RILL_TEAM_CALL, payload, call->bytes);
}

/* Wait until a process has done all but some of the messages of packed calls. */
static rill_status done_await(rill_remote *r, uint64_t but)
{
    rill_status status = RILL_OK;
    while (r->sent - r->done > but) {
        uint64_t number = 0;
        RILL_TRY(rill_team_receive(r->all->team, r->rank, RILL_TEAM_REPLY, &number, sizeof number));
        if (number != ++r->done)
            return rill_fail(RILL_SYSTEM, "process %d is behind by %llu messages: report this", r->rank,
                             (unsigned long long)(r->done - number));
    }
done:
    return status;
}

/* Send what waits for a process. */
static rill_status pack_send(rill_remote *r)
{
    rill_status status = RILL_OK;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_CALLS);
    if (r->pack.size == 0) return RILL_OK;
    RILL_TRY(done_await(r, SENT_MOST - 1));
    call.a = ++r->sent, call.bytes = r->pack.size;
    r->pack.size = 0;
    RILL_TRY(send_call(r, &call, r->pack.bytes));
done:
    return status;
}

/* Send what waits for other processes. To send may be to wait until a process has done what it was sent
 * before, for which it may need populations of any other one: so all that was packed until then must have
 * been sent, and the own calls of it made. */
static void others_send(rill_remotes *all)
{
    for (int k = 1; k < all->team->size; k++) note(all, pack_send(&all->remotes[k]));
}

/* Make the own calls that wait. */
static void own_make(rill_remotes *all)
{
    rill_remote_pack *own = &all->remotes[0].pack;
    all->waiting = 0;
    if (own->size == 0) return;
    const uint64_t size = own->size;
    own->size = 0;
    const rill_status status = rill_server_do_packed(all->own, own->bytes, size);
    if (status != RILL_OK) rill_remote_end_all(all->team, status);
}

/* Others first: they are to work while this process does. */
static void flush(rill_remotes *all)
{
    if (all->waiting == 0) return;
    others_send(all);
    own_make(all);
}

void rill_remote_submit(rill_device *device) { flush(rill_remote_of(device)->all); }

/* Make a call now that needs no reply; none waits. */
static void make_now(rill_remote *r, const rill_remote_call *call, const void *payload)
{
    if (r->rank == 0)
        make(r->all, call, payload);
    else
        note(r->all, send_call(r, call, payload));
}

/* Calls of steps wait, and those behind them, and where kernels return when their work is done those of the
 * own process, too: others must have theirs first. */
void rill_remote_tell(rill_remote *r, const rill_remote_call *call, const void *payload)
{
    rill_remotes *all = r->all;
    const bool step = rill_remote_of_step(call->op), later = step || (r->rank == 0 && !all->queues);
    if (call->bytes > PACKED_MOST) flush(all);
    if (call->bytes > PACKED_MOST || (!later && all->waiting == 0)) {
        make_now(r, call, payload);
        return;
    }
    const rill_status status = rill_remote_pack_add(&r->pack, call, payload);
    if (status != RILL_OK) rill_remote_end_all(all->team, status); /* others may wait for what it does */
    all->waiting++;
    if (later && all->waiting < all->most && r->pack.size < PACKED_MOST) return;
    flush(all);
    if (later && all->most < (uint64_t)all->team->size * WAITING_MOST) all->most *= 2;
}

/* Let all processes look whether their devices have failed, this one last, before any waits for an answer: it
 * might wait for a flag of one that has. */
static void look(rill_remotes *all)
{
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_CHECK);
    if (!all->flagged) return;
    all->flagged = false;
    for (int k = all->team->size - 1; k >= 0; k--) rill_remote_tell(&all->remotes[k], &call, NULL);
}

rill_status rill_remote_ask(rill_remote *r, const rill_remote_call *call, const void *payload, void *to,
                            uint64_t bytes, uint64_t *value)
{
    rill_status status = RILL_OK;
    rill_remotes *all = r->all;
    rill_remote_reply reply;
    void *data = NULL;
    look(all);
    all->most = (uint64_t)all->team->size * WAITING_FIRST;
    if (r->rank == 0) {
        flush(all);
        rill_server_do(all->own, call, payload, &reply, &data);
        if (reply.status == RILL_OK && bytes && data) memcpy(to, data, bytes);
        free(data);
    } else {
        others_send(all);
        if (call->bytes > EAGER_MOST) own_make(all);
        RILL_TRY(send_call(r, call, payload));
        own_make(all); /* it may wait for what this process sends */
        RILL_TRY(done_await(r, 0));
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
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_AVAILABLE);
    return rill_remote_ask(rill_remote_of(device), &call, NULL, NULL, 0, bytes);
}

static rill_status require(rill_device *device, uint64_t bytes, const char *what)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_REQUIRE);
    call.a = bytes, call.bytes = strlen(what) + 1;
    return rill_remote_ask(rill_remote_of(device), &call, what, NULL, 0, NULL);
}

static rill_status alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_ALLOC);
    uint64_t value = 0;
    call.a = bytes, call.bytes = strlen(what) + 1;
    const rill_status status = rill_remote_ask(rill_remote_of(device), &call, what, NULL, 0, &value);
    *out = status == RILL_OK ? (void *)(uintptr_t)value : NULL;
    return status;
}

static void free_array(rill_device *device, void *array)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_FREE);
    call.a = rill_remote_number(array);
    if (array) rill_remote_tell(rill_remote_of(device), &call, NULL);
}

static uint64_t piece_of(uint64_t bytes) { return bytes < PIECE ? bytes : PIECE; }

static void move(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_UPLOAD);
    for (uint64_t at = 0; at < bytes; at += call.bytes) {
        call.a = rill_remote_number(to) + at, call.bytes = piece_of(bytes - at);
        rill_remote_tell(rill_remote_of(device), &call, (const char *)host + at);
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
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_DOWNLOAD);
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += call.b) {
        call.a = rill_remote_number(from) + at, call.b = piece_of(bytes - at);
        status = rill_remote_ask(rill_remote_of(device), &call, NULL, (char *)host + at, call.b, NULL);
    }
    return status;
}

static void offer(rill_device *owner, void *queue, const void *from, rill_device *device, uint64_t bytes)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_SEND);
    call.a = (uint64_t)rill_remote_of(device)->rank, call.b = rill_remote_number(from), call.c = bytes;
    call.d = rill_remote_number(((rill_remote_queue *)queue)->handle);
    rill_remote_tell(rill_remote_of(owner), &call, NULL);
}

static rill_status pass(rill_device *device, void *queue, void *to, const rill_device *owner,
                        const void *from, uint64_t bytes)
{
    (void)from;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_RECEIVE);
    call.a = (uint64_t)rill_remote_of(owner)->rank, call.b = rill_remote_number(to), call.c = bytes;
    call.d = rill_remote_number(((rill_remote_queue *)queue)->handle);
    rill_remote_tell(rill_remote_of(device), &call, NULL);
    return RILL_OK;
}

/* ---- links, sums -------------------------------------------------------------------------------- */

static void build(rill_device *device, const rill_builder *builder, rill_build_task task)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_BUILD);
    call.a = (uint64_t)task, call.bytes = sizeof *builder;
    rill_remote_tell(rill_remote_of(device), &call, builder);
}

static rill_status link_nodes(rill_device *device, rill_variant variant, rill_arrays *arrays)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_LINK);
    const rill_remote_links links = {variant, *arrays};
    call.bytes = sizeof links;
    return rill_remote_ask(rill_remote_of(device), &call, &links, arrays, sizeof *arrays, NULL);
}

static void unlink_nodes(rill_device *device, rill_arrays *arrays)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_UNLINK);
    call.bytes = sizeof *arrays;
    rill_remote_tell(rill_remote_of(device), &call, arrays);
}

static uint64_t linked(rill_device *device, const rill_arrays *arrays)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_LINKED);
    uint64_t bytes = 0;
    call.bytes = sizeof *arrays;
    return rill_remote_ask(rill_remote_of(device), &call, arrays, NULL, 0, &bytes) == RILL_OK ? bytes : 0;
}

static void gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                   int64_t *sums)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_GATHER);
    call.a = rill_remote_number(values), call.b = rill_remote_number(labels), call.c = count,
    call.d = rill_remote_number(sums);
    rill_remote_tell(rill_remote_of(device), &call, NULL);
}

static void spread(rill_device *device, const double *given, const uint32_t *labels, uint64_t count,
                   double *values)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_SPREAD);
    call.a = rill_remote_number(given), call.b = rill_remote_number(labels), call.c = count,
    call.d = rill_remote_number(values);
    rill_remote_tell(rill_remote_of(device), &call, NULL);
}

static void refine(rill_device *device, const rill_refiner *refiner)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_REFINE);
    call.bytes = sizeof *refiner;
    rill_remote_tell(rill_remote_of(device), &call, refiner);
}

static rill_status wait(rill_device *device)
{
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_WAIT);
    return rill_remote_ask(rill_remote_of(device), &call, NULL, NULL, 0, NULL);
}

static rill_status bandwidth(rill_device *device, double *bytes_per_second)
{
    const rill_remote_call call = rill_remote_call_of(RILL_REMOTE_BANDWIDTH);
    return rill_remote_ask(rill_remote_of(device), &call, NULL, bytes_per_second, sizeof *bytes_per_second,
                           NULL);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

/* Send the call of a kernel. */
static void start(const rill_launch *launch, rill_remote_op op, rill_remote_kernel kernel)
{
    rill_remote_call call = rill_remote_call_of(op);
    call.bytes = sizeof kernel;
    const rill_remote_queue *queue = launch->queue;
    kernel.launch = *launch;
    kernel.launch.queue = queue->handle;
    rill_remote_tell(queue->of, &call, &kernel);
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
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_PATCH);
    const size_t table = (size_t)count * sizeof *host;
    const rill_remote_queue *queue = l->queue;
    call.bytes = sizeof(rill_remote_kernel) + sizeof *now + table;
    char *payload = calloc(1, call.bytes);
    if (!payload) {
        note(queue->of->all, rill_fail(RILL_SYSTEM, "out of memory for a call of a device"));
        return;
    }
    rill_remote_kernel kernel = {
        .launch = *l, .task = tasks, .in = patches, .count = (uint64_t)count, .out = exchange};
    kernel.launch.queue = queue->handle;
    memcpy(payload, &kernel, sizeof kernel);
    memcpy(payload + sizeof kernel, now, sizeof *now);
    memcpy(payload + sizeof kernel + sizeof *now, host, table);
    rill_remote_tell(queue->of, &call, payload);
    free(payload);
}

static const rill_kernels kernels_table = {step,   totals, moments, set,   swap, pack,   unpack,
                                           locate, wrap,   patch,   walls, damp, sample, NULL};

static rill_status kernels(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_KERNELS);
    call.bytes = sizeof variant;
    *out = &kernels_table;
    return rill_remote_ask(rill_remote_of(device), &call, &variant, NULL, 0, NULL);
}

/* ---- devices ------------------------------------------------------------------------------------ */

#define REMOTE                                                                                               \
    .count = count_none, .open = open_none, .close = close_none, .memory.available = available,              \
    .memory.require = require, .memory.alloc = alloc, .memory.free = free_array, .memory.share = share,      \
    .memory.release = release, .memory.upload = upload, .memory.download = download,                         \
    .exchange =                                                                                              \
        {pass, offer, rill_remote_reaches, rill_remote_land, rill_remote_unland, rill_remote_transport},     \
    .queue = {rill_remote_queue_create,  rill_remote_queue_destroy, rill_remote_event_create,                \
              rill_remote_event_destroy, rill_remote_event_record,  rill_remote_queue_wait},                 \
    .build = build, .link = link_nodes, .unlink = unlink_nodes, .linked = linked, .gather = gather,          \
    .spread = spread, .refine = refine, .wait = wait, .kernels = kernels, .bandwidth = bandwidth,            \
    .submit = rill_remote_submit

static const rill_backend remote_cpu = {
    .name = "cpu", .traits.processor = true, .yardstick = "in-place update", REMOTE};
static const rill_backend remote_cuda = {.name = "cuda",
                                         .traits.one_launch = true,
                                         .traits.walls_in_step = true,
                                         .memory.granule = RILL_CUDA_PAGE,
                                         .yardstick = "device copy",
                                         REMOTE};

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
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_HOST_TAKE);
    uint64_t value = 0;
    call.a = bytes, call.bytes = strlen(what) + 1;
    const rill_status status = rill_remote_ask(&all->remotes[process], &call, what, NULL, 0, &value);
    *memory = status == RILL_OK ? (void *)(uintptr_t)value : NULL;
    return status;
}

static void host_give_back(void *context, int process, void *memory)
{
    rill_remotes *all = context;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_HOST_GIVE_BACK);
    call.a = rill_remote_number(memory);
    rill_remote_tell(&all->remotes[process], &call, NULL);
}

static rill_status host_put(void *context, int process, void *memory, const void *from, uint64_t bytes)
{
    rill_remotes *all = context;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_HOST_PUT);
    for (uint64_t at = 0; at < bytes; at += call.bytes) {
        call.a = rill_remote_number(memory) + at, call.bytes = piece_of(bytes - at);
        rill_remote_tell(&all->remotes[process], &call, (const char *)from + at);
    }
    return all->status == RILL_OK ? RILL_OK : rill_fail(all->status, "%s", all->message);
}

static rill_status host_get(void *context, int process, const void *memory, void *to, uint64_t bytes)
{
    rill_status status = RILL_OK;
    rill_remotes *all = context;
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_HOST_GET);
    for (uint64_t at = 0; at < bytes && status == RILL_OK; at += call.b) {
        call.a = rill_remote_number(memory) + at, call.b = piece_of(bytes - at);
        status = rill_remote_ask(&all->remotes[process], &call, NULL, (char *)to + at, call.b, NULL);
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
    all->most = (uint64_t)team->size * WAITING_FIRST;
    all->devices = calloc((size_t)team->size, sizeof *all->devices);
    all->remotes = calloc((size_t)team->size, sizeof *all->remotes);
    if (!all->devices || !all->remotes)
        RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size));
    for (int k = 0; k < team->size; k++) {
        rill_remote *r = &all->remotes[k];
        *r = (rill_remote){.all = all, .rank = k, .queue = {.of = r}};
        r->flags.seen = calloc((size_t)team->size, sizeof *r->flags.seen);
        if (!r->flags.seen) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size));
    }
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
    uint64_t *identities = calloc((size_t)team->size, sizeof *identities);
    rill_remote_opened opened;
    if (!identities) return rill_fail(RILL_SYSTEM, "out of memory for %d processes", team->size);
    all->queues = own->backend->queue.event_create;
    all->exports = own->backend->exports.create;
    RILL_TRY(rill_server_create(all->team, own, &all->own));
    for (int k = 0; k < team->size; k++) {
        rill_device *device = &all->devices[k];
        rill_remote_call call = rill_remote_call_of(RILL_REMOTE_OPEN);
        *device = (rill_device){.backend = own->kind == RILL_BACKEND_CPU ? &remote_cpu : &remote_cuda,
                                .kind = own->kind,
                                .queue = &all->remotes[k].queue,
                                .state = &all->remotes[k]};
        call.a = (uint64_t)own->kind;
        RILL_TRY(rill_remote_ask(&all->remotes[k], &call, NULL, &opened, sizeof opened, NULL));
        all->remotes[k].host = opened.host;
        if (k == 0) all->direct = opened.direct;
        memcpy(device->name, opened.name, sizeof device->name);
        identities[k] = opened.device;
        device->ordinal = rill_remote_same(identities, k);
        device->elsewhere = opened.host != all->remotes[0].host;
    }
done:
    free(identities);
    return status;
}

rill_device *rill_remotes_device(rill_remotes *remotes, int rank) { return &remotes->devices[rank]; }

void rill_remotes_destroy(rill_remotes *all)
{
    if (!all) return;
    flush(all);
    for (int k = 1; k < all->team->size && all->remotes; k++) note(all, done_await(&all->remotes[k], 0));
    rill_server_destroy(all->own);
    for (int k = 0; k < all->team->size && all->remotes; k++) {
        rill_remote *r = &all->remotes[k];
        rill_remote_forget(r);
        rill_remote_past_free(&r->pack.past);
        free(r->pack.bytes);
    }
    free(all->devices);
    free(all->remotes);
    free(all);
}

void rill_remote_release(rill_team *team, int code)
{
    rill_remote_call call = rill_remote_call_of(RILL_REMOTE_QUIT);
    call.a = (uint64_t)code;
    for (int k = 1; k < team->size; k++) (void)rill_team_send(team, k, RILL_TEAM_CALL, &call, sizeof call);
}
