/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file remote_priv.h
 * The messages between the first process and the devices of others. All processes are of one build.
 */
#ifndef RILL_DEVICE_REMOTE_PRIV_H
#define RILL_DEVICE_REMOTE_PRIV_H

#include "device/remote.h"

typedef enum rill_remote_op {
    RILL_REMOTE_OPEN,
    RILL_REMOTE_HOST_TAKE, /* zeroed memory of the process, whether it has a device or not */
    RILL_REMOTE_HOST_GIVE_BACK,
    RILL_REMOTE_HOST_PUT,
    RILL_REMOTE_HOST_GET,
    RILL_REMOTE_AVAILABLE,
    RILL_REMOTE_REQUIRE,
    RILL_REMOTE_ALLOC,
    RILL_REMOTE_FREE,
    RILL_REMOTE_UPLOAD,
    RILL_REMOTE_DOWNLOAD,
    RILL_REMOTE_SEND,    /* to process a, c bytes at b */
    RILL_REMOTE_RECEIVE, /* from process a, c bytes to b */
    RILL_REMOTE_BUILD,
    RILL_REMOTE_LINK,
    RILL_REMOTE_UNLINK,
    RILL_REMOTE_LINKED,
    RILL_REMOTE_GATHER,
    RILL_REMOTE_SPREAD,
    RILL_REMOTE_WAIT,
    RILL_REMOTE_KERNELS,
    RILL_REMOTE_BANDWIDTH,
    RILL_REMOTE_STEP,
    RILL_REMOTE_TOTALS,
    RILL_REMOTE_MOMENTS,
    RILL_REMOTE_SET,
    RILL_REMOTE_SWAP,
    RILL_REMOTE_PACK,
    RILL_REMOTE_UNPACK,
    RILL_REMOTE_LOCATE,
    RILL_REMOTE_WRAP,
    RILL_REMOTE_PATCH,
    RILL_REMOTE_WALLS,
    RILL_REMOTE_DAMP,
    RILL_REMOTE_SAMPLE,
    RILL_REMOTE_QUIT
} rill_remote_op;

/** A call; `bytes` of a payload follow. */
typedef struct rill_remote_call {
    uint64_t op, a, b, c, d, bytes;
} rill_remote_call;

/** What is replied to a call that waits; `bytes` follow. */
typedef struct rill_remote_reply {
    uint64_t value, bytes;
    int64_t status;
    char message[512];
} rill_remote_reply;

/** What comes with the reply to RILL_REMOTE_OPEN. */
typedef struct rill_remote_opened {
    char name[256];
    uint64_t device, host; /**< rill_remote_identity() */
} rill_remote_opened;

/** The payload of RILL_REMOTE_LINK. */
typedef struct rill_remote_links {
    rill_variant variant;
    rill_arrays arrays;
} rill_remote_links;

/** The payload of a kernel: pointers are those of the device. */
typedef struct rill_remote_kernel {
    rill_launch launch;
    uint64_t first, count;
    const void *in;
    void *out;
    int task;
    rill_walls walls;
    rill_sponge sponge;
} rill_remote_kernel;

/** Return a number that the same device has for all processes. @param number  of it on its host */
uint64_t rill_remote_identity(const char *host, rill_backend_kind kind, int number);

/** Return the first process whose device is that of process `rank`. */
int rill_remote_same(const uint64_t *identities, int rank);

/** What does the calls on a device. */
typedef struct rill_server rill_server;

/** @param device  borrowed; NULL: RILL_REMOTE_OPEN opens one */
rill_status rill_server_create(rill_team *team, rill_device *device, rill_server **out);
void rill_server_destroy(rill_server *server);

/** Do a call. @param[out] data  [reply->bytes], owned by the caller; NULL without */
void rill_server_do(rill_server *server, const rill_remote_call *call, const void *payload,
                    rill_remote_reply *reply, void **data);

#endif
