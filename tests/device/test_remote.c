/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of devices of other processes: packed into few messages, they arrive as they were made, in their
 * order, and no process gets far ahead. */
#include "backends.h"
#include "device/remote_priv.h"
#include "forked.h"

#include <stdlib.h>
#include <string.h>

static uint64_t seed = 1;

static uint64_t chance(uint64_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % below;
}

enum { KINDS = 40, PAYLOAD_MOST = 1200, CALLS = 20000 };

/* Calls of steps and others, with payloads of every size, the same again and again with some words changed.
 */
static void call_make(uint64_t k, rill_remote_call *call, unsigned char *payload)
{
    const uint64_t kind = chance(20) ? k % KINDS : chance(KINDS), period = k / KINDS;
    *call = (rill_remote_call){.op = kind % 5 ? RILL_REMOTE_STEP + kind % 12 : RILL_REMOTE_FREE,
                               .a = kind,
                               .b = kind % 3 ? 7 : period,
                               .bytes = kind * PAYLOAD_MOST / KINDS};
    for (uint64_t b = 0; b < call->bytes; b++) payload[b] = (unsigned char)(kind * b);
    for (uint64_t b = 0; b < call->bytes && kind % 4 == 1; b += 8 + kind) payload[b] = (unsigned char)period;
    if (call->bytes) payload[call->bytes - 1] = (unsigned char)(period % 2 + 2 * chance(2));
}

Test(remote, packed_calls_are_those_that_were_made)
{
    rill_remote_pack pack = {.size = 0};
    rill_remote_past past = {.count = 0};
    rill_remote_call calls[64], got;
    uint64_t whole = 0, packed = 0;
    static unsigned char payloads[64][PAYLOAD_MOST];
    for (uint64_t k = 0; k < CALLS;) {
        const uint64_t count = 1 + chance(64);
        const void *payload;
        for (uint64_t c = 0; c < count; c++) {
            call_make(k++, &calls[c], payloads[c]);
            ASSERT_OK(rill_remote_pack_add(&pack, &calls[c], payloads[c]));
            whole += sizeof calls[c] + calls[c].bytes;
        }
        const char *at = pack.bytes, *end = pack.bytes + pack.size;
        for (uint64_t c = 0; c < count; c++) {
            ASSERT_OK(rill_remote_unpack(&past, &at, end, &got, &payload));
            cr_assert_eq(memcmp(&got, &calls[c], sizeof got), 0, "call %llu", (unsigned long long)c);
            cr_assert(got.bytes == 0 || memcmp(payload, payloads[c], got.bytes) == 0);
        }
        cr_assert_eq(at, end);
        packed += pack.size;
        pack.size = 0;
    }
    cr_assert_lt(packed, whole / 3, "%llu of %llu bytes", (unsigned long long)packed,
                 (unsigned long long)whole);
    rill_remote_past_free(&past);
    rill_remote_past_free(&pack.past);
    free(pack.bytes);
}

/* Bytes that are cut or changed are refused, or are other calls, but lie within what was sent. */
Test(remote, damaged_calls_are_refused)
{
    rill_remote_pack pack = {.size = 0};
    rill_remote_call call;
    unsigned char payload[PAYLOAD_MOST];
    const void *got;
    int refused = 0;
    for (uint64_t k = 0; k < 3 * KINDS; k++) {
        call_make(k, &call, payload);
        ASSERT_OK(rill_remote_pack_add(&pack, &call, payload));
    }
    for (int trial = 0; trial < 2000; trial++) {
        rill_remote_past past = {.count = 0};
        const uint64_t size = trial % 2 ? pack.size : 1 + chance(pack.size - 1);
        char *bytes = malloc(size); /* sanitizers see what is read behind it */
        cr_assert_not_null(bytes);
        memcpy(bytes, pack.bytes, size);
        if (trial % 2) bytes[chance(size)] ^= (char)(1 << chance(8));
        const char *at = bytes;
        rill_status status = RILL_OK;
        while (status == RILL_OK && at < bytes + size) {
            status = rill_remote_unpack(&past, &at, bytes + size, &call, &got);
            cr_assert_leq((size_t)(at - bytes), size);
        }
        refused += status != RILL_OK;
        rill_remote_past_free(&past);
        free(bytes);
    }
    cr_assert_gt(refused, 900); /* nearly all that are cut end within a call */
    rill_remote_past_free(&pack.past);
    free(pack.bytes);
}

/* ---- a device that records its calls ------------------------------------------------------------- */

enum { PROCESSES = 3, RECORDED = 12000, SLOW = 2 };
static uint64_t record[RECORDED + 1]; /* how many, and a number for each */
static rill_kernels recording;
static int recording_rank;

static void note(uint64_t number)
{
    cr_assert_lt(record[0], RECORDED);
    record[++record[0]] = number;
}

static void note_sample(const rill_launch *l, const rill_node *nodes, uint64_t count, double *out)
{
    (void)nodes, (void)out;
    if (recording_rank == SLOW && record[0] % 64 == 0) usleep(1000);
    note(count + ((uint64_t)l->parity << 40));
}

static void note_gather(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                        int64_t *sums)
{
    (void)device, (void)values, (void)labels, (void)sums;
    note(count);
}

static rill_status note_upload(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    (void)device, (void)to;
    note(bytes + ((uint64_t) * (const unsigned char *)host << 48));
    return RILL_OK;
}

static rill_status record_get(rill_device *device, void *host, const void *from, uint64_t bytes)
{
    (void)device, (void)from;
    memcpy(host, record, bytes);
    return RILL_OK;
}

static rill_status recording_kernels(rill_device *device, rill_variant variant, const rill_kernels **out)
{
    (void)device, (void)variant;
    recording.sample = note_sample;
    *out = &recording;
    return RILL_OK;
}

static rill_status no_event(rill_device *device, void **event)
{
    (void)device;
    *event = record;
    return RILL_OK;
}

static bool recording_queues; /* whether calls of kernels are said to return before the work is done */

static rill_device *recording_device(int rank)
{
    static rill_backend backend;
    static rill_device device = {.backend = &backend, .kind = RILL_BACKEND_CPU};
    recording_rank = rank;
    backend = rill_backend_cpu;
    backend.kernels = recording_kernels;
    backend.gather = note_gather;
    backend.memory.upload = note_upload;
    backend.memory.download = record_get;
    backend.queue.event_create = recording_queues ? no_event : NULL;
    return &device;
}

/* Make a call, of a step most often. @return the number that its device records */
static uint64_t any_call(rill_device *device, const rill_kernels *kernels, const unsigned char *array)
{
    rill_launch launch = {
        .queue = device->queue, .parity = (int)chance(2), .variant = rill_variant_default()};
    const uint64_t count = 1 + chance(1000), kind = chance(100);
    if (kind == 0) {
        const uint64_t large = (UINT64_C(1) << 16) + count, bytes = chance(2) ? large : 3 * count;
        rill_device_upload(device, record, array + count, bytes);
        return bytes + ((uint64_t)array[count] << 48);
    }
    if (kind == 1) {
        rill_device_gather(device, NULL, NULL, count, NULL);
        return count;
    }
    kernels->sample(&launch, NULL, count, NULL);
    return count + ((uint64_t)launch.parity << 40);
}

/* Make calls of all devices at random, with a wait for a result now and then. */
static void calls_arrive(bool queues)
{
    rill_team team;
    pid_t children[PROCESSES];
    rill_remotes *remotes = NULL;
    const rill_kernels *kernels = NULL;
    static uint64_t expected[PROCESSES][RECORDED + 1], found[RECORDED + 1];
    static unsigned char array[1 << 17];
    recording_queues = queues;
    forked_device = recording_device;
    forked_begin_team(PROCESSES, &team, children);
    for (size_t k = 0; k < sizeof array; k++) array[k] = (unsigned char)chance(256);
    ASSERT_OK(rill_remotes_create(&team, &remotes));
    ASSERT_OK(rill_remotes_open(remotes, recording_device(0)));
    ASSERT_OK(rill_device_kernels(rill_remotes_device(remotes, 0), rill_variant_default(), &kernels));
    for (int k = 0; k < 3 * RECORDED / 4; k++) {
        const int p = (int)chance(PROCESSES);
        rill_device *device = rill_remotes_device(remotes, p);
        if (k % 1500 == 0) ASSERT_OK(rill_device_wait(device));
        expected[p][++expected[p][0]] = any_call(device, kernels, array);
        for (int q = 1; q < PROCESSES; q++)
            cr_assert_leq(remotes->remotes[q].sent - remotes->remotes[q].done, 4, "process %d", q);
    }
    cr_assert_lt(forked_sent[RILL_TEAM_CALL], RECORDED / 8, "%llu messages",
                 (unsigned long long)forked_sent[RILL_TEAM_CALL]);
    /* Devices begin without a wait for a result. */
    const uint64_t sent = forked_sent[RILL_TEAM_CALL];
    for (int p = 0; p < PROCESSES; p++) do
            expected[p][++expected[p][0]] = any_call(rill_remotes_device(remotes, p), kernels, array);
        while (remotes->remotes[p].pack.size == 0);
    rill_device_submit(rill_remotes_device(remotes, 1));
    cr_assert_geq(forked_sent[RILL_TEAM_CALL], sent + PROCESSES - 1);
    cr_assert_arr_eq(record, expected[0], sizeof record);
    for (int p = 0; p < PROCESSES; p++) {
        ASSERT_OK(rill_device_download(rill_remotes_device(remotes, p), found, record, sizeof found));
        cr_assert_gt(found[0], RECORDED / 5);
        cr_assert_arr_eq(found, expected[p], sizeof found, "process %d", p);
    }
    rill_remotes_destroy(remotes);
    forked_end_team(&team, children, 0);
}

Test(remote, calls_arrive_in_their_order) { calls_arrive(false); }
Test(remote, calls_arrive_in_the_order_of_queues) { calls_arrive(true); }
