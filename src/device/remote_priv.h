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
    RILL_REMOTE_SEND,    /* to process a, c bytes at b, behind queue d */
    RILL_REMOTE_RECEIVE, /* from process a, c bytes to b, behind queue d */
    RILL_REMOTE_CHECK,   /* wait; if the device has failed, end all */
    RILL_REMOTE_QUEUE_CREATE,
    RILL_REMOTE_QUEUE_DESTROY,
    RILL_REMOTE_EVENT_CREATE,
    RILL_REMOTE_EVENT_DESTROY,
    RILL_REMOTE_EVENT_RECORD, /* in queue a, event b */
    RILL_REMOTE_QUEUE_WAIT,   /* queue a, for event b */
    RILL_REMOTE_EXPORT_CREATE,
    RILL_REMOTE_EXPORT_OPEN,
    RILL_REMOTE_EXPORT_CLOSE,
    RILL_REMOTE_FLAG_TRY, /* set flag b to number c, and wait until that is done */
    RILL_REMOTE_FLAG_SET, /* in queue a, flag b to number c */
    RILL_REMOTE_FLAG_WAIT,
    RILL_REMOTE_BUILD,
    RILL_REMOTE_LINK,
    RILL_REMOTE_UNLINK,
    RILL_REMOTE_LINKED,
    RILL_REMOTE_GATHER,
    RILL_REMOTE_SPREAD,
    RILL_REMOTE_REFINE,
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
    RILL_REMOTE_CALLS, /* those packed in the payload */
    RILL_REMOTE_QUIT
} rill_remote_op;

/** Flags of a device, and bytes between them. No set of one disturbs another. */
enum { RILL_REMOTE_FLAGS = 1 << 16, RILL_REMOTE_FLAG_BYTES = 32 };

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
    bool direct;           /**< MPI takes memory of the device */
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

/** Return a number that the same device has for all processes. @param number  that no other one of its host
 * has */
uint64_t rill_remote_identity(const char *host, rill_backend_kind kind, uint64_t number);

/** Return the first process whose device is that of process `rank`. */
int rill_remote_same(const uint64_t *identities, int rank);

/** What does the calls on a device, in every process. */
typedef struct rill_server rill_server;

/* ---- calls in one message ---------------------------------------------------------------------- */

/** Calls of steps that both sides remember. A step makes a few dozen of a device, and two steps differ. */
enum { RILL_REMOTE_PAST = 128 };

/** A call and its payload in words. */
typedef struct rill_remote_words {
    uint64_t *words;
    uint64_t count, room;
} rill_remote_words;

/** The last calls of steps; zeroed, there were none. */
typedef struct rill_remote_past {
    rill_remote_words calls[RILL_REMOTE_PAST];
    uint64_t count; /**< that there were */
    uint64_t back;  /**< distance of the last one to that which it repeated */
} rill_remote_past;

/** Calls that are packed. */
typedef struct rill_remote_pack {
    char *bytes;
    uint64_t size, room;
    rill_remote_past past;
} rill_remote_pack;

/** Return whether steps make this call; it may be made while populations are on their way. */
bool rill_remote_of_step(uint64_t op);

/** Pack a call behind others. @return RILL_SYSTEM without memory; then no call may follow */
rill_status rill_remote_pack_add(rill_remote_pack *pack, const rill_remote_call *call, const void *payload);

/** Unpack the next call. @param[in,out] at  before `end`; moved on @param[out] payload  until the next call
 * @return RILL_SYSTEM without memory, or where the bytes are no packed calls */
rill_status rill_remote_unpack(rill_remote_past *past, const char **at, const char *end,
                               rill_remote_call *call, const void **payload);

/** Free what is remembered. */
void rill_remote_past_free(rill_remote_past *past);

/* ---- the first process ------------------------------------------------------------------------- */

/** A queue of a device. */
typedef struct rill_remote_queue {
    struct rill_remote *of;
    void *handle; /**< of its process; NULL: the queue that the device has anyhow */
} rill_remote_queue;

/** Flags that the queues of a device wait for. */
typedef struct rill_remote_flags {
    void *memory; /**< of the device; NULL: none yet */
    rill_export handle;
    struct rill_remote_seen *seen; /**< [processes] */
    uint32_t *numbers;             /**< [RILL_REMOTE_FLAGS], that they will have when all calls are made */
    bool *used;                    /**< [RILL_REMOTE_FLAGS] */
    uint32_t next;
} rill_remote_flags;

/** What a process knows of another one's flags. */
typedef struct rill_remote_seen {
    enum { RILL_REMOTE_UNKNOWN, RILL_REMOTE_SEEN, RILL_REMOTE_APART } how;
    void *memory;
} rill_remote_seen;

/** The device of a process. */
typedef struct rill_remote {
    rill_remotes *all;
    int rank;
    uint64_t host; /**< identity of its machine */
    rill_remote_queue queue;
    rill_remote_flags flags;
    rill_remote_pack pack; /**< calls that wait to be sent, or made in the own process */
    uint64_t sent, done;   /**< messages of packed calls; how many of them are known to be done */
} rill_remote;

struct rill_remotes {
    rill_team *team;
    rill_server *own;
    uint64_t waiting, most; /**< packed calls of all devices; how many may wait now */
    rill_device *devices;   /**< [size] */
    rill_remote *remotes;   /**< [size], their states */
    rill_status status;     /**< of calls that have no reply */
    char message[512];
    bool queues;                   /**< calls of kernels return before the work is done */
    bool exports;                  /**< devices may store to those of other processes */
    bool direct;                   /**< MPI takes memory of devices */
    bool flagged;                  /**< queues wait for flags that a device which has failed will not set */
    char why[256], transport[512]; /**< why two processes are apart; words for the plan */
};

/** Call without a reply. The call may wait until rill_remote_submit(), or a call with a reply. */
void rill_remote_tell(rill_remote *remote, const rill_remote_call *call, const void *payload);

/** Call and wait for the reply. @param[out] to  [bytes], what comes with it @param[out] value  NULL is
 * allowed */
rill_status rill_remote_ask(rill_remote *remote, const rill_remote_call *call, const void *payload, void *to,
                            uint64_t bytes, uint64_t *value);

static inline rill_remote *rill_remote_of(const rill_device *device) { return device->state; }

static inline rill_remote_call rill_remote_call_of(rill_remote_op op) { return (rill_remote_call){.op = op}; }

static inline uint64_t rill_remote_number(const void *pointer) { return (uint64_t)(uintptr_t)pointer; }

/* Functions of the backend; see rill_backend. */
void rill_remote_submit(rill_device *device);
rill_status rill_remote_queue_create(rill_device *device, void **queue);
void rill_remote_queue_destroy(rill_device *device, void *queue);
rill_status rill_remote_event_create(rill_device *device, void **event);
void rill_remote_event_destroy(rill_device *device, void *event);
rill_status rill_remote_event_record(rill_device *device, void *queue, void *event);
rill_status rill_remote_queue_wait(rill_device *device, void *queue, void *event);
bool rill_remote_reaches(rill_device *device, const rill_device *other);
rill_status rill_remote_land(rill_device *owner, rill_device *device, uint64_t bytes, const char *what,
                             rill_landing *out);
void rill_remote_unland(rill_device *owner, rill_device *device, const rill_landing *landing);
const char *rill_remote_transport(rill_device *const *devices, int count);

/** Free what a process keeps of queues. */
void rill_remote_forget(rill_remote *remote);

/* ---- every process ----------------------------------------------------------------------------- */

/** @param device  borrowed; NULL: RILL_REMOTE_OPEN opens one */
rill_status rill_server_create(rill_team *team, rill_device *device, rill_server **out);
void rill_server_destroy(rill_server *server);

/** Do a call. @param[out] data  [reply->bytes], owned by the caller; NULL without */
void rill_server_do(rill_server *server, const rill_remote_call *call, const void *payload,
                    rill_remote_reply *reply, void **data);

/** Do packed calls, none of which has a reply. @return RILL_SYSTEM where they cannot be unpacked */
rill_status rill_server_do_packed(rill_server *server, const char *bytes, uint64_t size);

/** End all processes, with the message of this thread: others may wait for this one for ever. */
void rill_remote_end_all(const rill_team *team, rill_status status);

#endif
