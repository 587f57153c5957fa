/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file device.h
 * A device that simulations run on: memory, a queue of kernels, and the kernels that were found for it. It
 * knows no numerics; the simulation is written once on top of it. Nothing of it is shared with other devices,
 * not even with another object for the same GPU, so that threads may each have their own; one object is for
 * one thread at a time.
 */
#ifndef RILL_DEVICE_DEVICE_H
#define RILL_DEVICE_DEVICE_H

#include "core/aside.h"
#include "core/status.h"
#include "device/meter.h"
#include "kernel/build.h"
#include "kernel/launch.h"
#include "kernel/refine.h"

/** Names memory of a device for the other processes of its machine: for CUDA a cudaIpcMemHandle_t. */
typedef struct rill_export {
    unsigned char name[64];
} rill_export;

/** Memory of one device that kernels of another one store to. */
typedef struct rill_landing {
    void *array; /**< for the device that has it */
    void *seen;  /**< for the other one */
} rill_landing;

/** Pages of the memory of a GPU, in bytes. */
enum { RILL_CUDA_PAGE = 1 << 21 };

/** What devices of a kind have in common. Simulations use the functions below instead. */
typedef struct rill_backend {
    const char *name; /**< "cpu" */
    bool host;        /**< its memory is the host's */

    /** Count the devices that are visible. @return RILL_SYSTEM without any */
    rill_status (*count)(int *count);

    /** Fill in name, queues and state of a device whose kind and ordinal are set; undone by close. */
    rill_status (*open)(rill_device *device);
    void (*close)(rill_device *device);

    /** Write how many threads of the host step so many nodes, and why; NULL on a device of its own. */
    void (*threads)(uint64_t nodes, char *text, size_t size);

    /** Its memory. */
    struct {
        rill_status (*available)(rill_device *device, uint64_t *bytes);
        rill_status (*require)(rill_device *device, uint64_t bytes, const char *what);
        rill_status (*alloc)(rill_device *device, uint64_t bytes, const char *what, void **out);
        void (*free)(rill_device *device, void *array);
        rill_status (*share)(rill_device *device, const void *host, uint64_t bytes, const char *what,
                             const void **out);
        void (*release)(rill_device *device, const void *array);
        rill_status (*upload)(rill_device *device, void *to, const void *host, uint64_t bytes);
        rill_status (*download)(rill_device *device, void *host, const void *from, uint64_t bytes);
        void (*pin)(rill_device *device, void *host, uint64_t bytes); /**< NULL: there is no need of it */
        void (*unpin)(rill_device *device, void *host);

        /** Copy between host and device in the order of a queue, and wait; NULL on a host. */
        rill_status (*bring)(rill_device *device, void *queue, void *to, const void *from, uint64_t bytes);

        /** Large arrays take a multiple of so many bytes of it, and small ones share one; 0: any. */
        uint64_t granule;
    } memory;

    /** From one device to another. */
    struct {
        rill_status (*pass)(rill_device *device, void *queue, void *to, const rill_device *owner,
                            const void *from, uint64_t bytes);

        /** Say, on the owner's side, that pass() will be called; NULL: there is no need of it. */
        void (*offer)(rill_device *owner, void *queue, const void *from, rill_device *device, uint64_t bytes);

        /** Whether kernels of a device can store to the memory of another one; NULL: always. */
        bool (*reaches)(rill_device *device, const rill_device *other);

        /** Memory that kernels of a device that reaches `owner` store to, cleared; NULL: as any. */
        rill_status (*land)(rill_device *owner, rill_device *device, uint64_t bytes, const char *what,
                            rill_landing *out);
        void (*unland)(rill_device *owner, rill_device *device, const rill_landing *landing);

        /** Say how populations go between devices of processes, and why so; NULL where there is one process.
         */
        const char *(*transport)(rill_device *const *devices, int count);
    } exchange;

    /** Queues beside that of the device, and events in queues; all NULL where a call returns when its work is
     * done. */
    struct {
        rill_status (*create)(rill_device *device, void **queue);
        void (*destroy)(rill_device *device, void *queue);
        rill_status (*event_create)(rill_device *device, void **event);
        void (*event_destroy)(rill_device *device, void *event);
        rill_status (*event_record)(rill_device *device, void *queue, void *event);
        rill_status (*wait)(rill_device *device, void *queue, void *event);
    } queue;

    /** Memory for devices of other processes, which memory.free() frees; NULL where there is none. */
    struct {
        rill_status (*create)(rill_device *device, uint64_t bytes, const char *what, void **array,
                              rill_export *handle);
        rill_status (*open)(rill_device *device, const rill_export *handle, void **array);
        void (*close)(rill_device *device, void *array);

        /** Set a flag in such memory behind all that is in a queue; let a queue wait for a flag that has
         * reached a number, or was one of the 2^31 before. */
        rill_status (*flag_set)(rill_device *device, void *queue, uint32_t *flag, uint32_t number);
        rill_status (*flag_wait)(rill_device *device, void *queue, uint32_t *flag, uint32_t number);
    } exports;

    void (*build)(rill_device *device, const rill_builder *builder, rill_build_task task);
    rill_status (*link)(rill_device *device, rill_variant variant, rill_arrays *arrays);
    void (*unlink)(rill_device *device, rill_arrays *arrays);
    uint64_t (*linked)(rill_device *device, const rill_arrays *arrays);
    void (*gather)(rill_device *device, const double *values, const uint32_t *labels, uint64_t count,
                   int64_t *sums);
    void (*spread)(rill_device *device, const double *given, const uint32_t *labels, uint64_t count,
                   double *values);
    void (*refine)(rill_device *device, const rill_refiner *refiner);
    rill_status (*wait)(rill_device *device);
    void (*then)(rill_device *device, void (*fn)(void *context), void *context);
    rill_status (*kernels)(rill_device *device, rill_variant variant, const rill_kernels **out);
    rill_status (*bandwidth)(rill_device *device, double *bytes_per_second);
    void (*versions)(char *driver, size_t driver_size, char *runtime, size_t runtime_size);

    /** Begin with the calls that were made and may wait for others; NULL: none waits. */
    void (*submit)(rill_device *device);

    /** What it is like. */
    struct {
        /** Whether a step of a ring buffer is one launch, whose parts wait for each other
         * (`kernel/storage/counters.h`). */
        bool one_launch;

        /** Whether threads may each make calls of a device of their own at the same time, which is worth it.
         */
        bool threaded;

        /** Whether steps interpolate at walls where rill_walls_in_step(). */
        bool walls_in_step;

        /** Whether its kernels are those of processors, of the host or of another process. */
        bool processor;
    } traits;

    /** One clause that names the measure of bandwidth, "device copy". */
    const char *yardstick;
} rill_backend;

/** See rill.h. */
struct rill_device {
    const rill_backend *backend;
    rill_backend_kind kind; /**< cpu or cuda */
    int ordinal;       /**< among those of its kind; in several processes the first process that has it */
    char name[256];    /**< "NVIDIA H200" */
    void *queue;       /**< kernels and copies go through it in their order; NULL on a host */
    void *beside;      /**< queue of copies that do not wait for kernels; NULL on a host */
    void *state;       /**< the backend's own */
    uint64_t unique;   /**< number that no other GPU has, whatever a process calls it; 0 on a host */
    bool elsewhere;    /**< on another machine: what it holds takes no memory here */
    rill_meter *meter; /**< not owned; NULL: nobody measures how long it steps */
};

/** Count the devices of a kind, which is not auto. @return RILL_SYSTEM without any */
rill_status rill_device_count(rill_backend_kind kind, int *count);

/** A device that is being opened in a thread of its own. */
typedef struct rill_device_opening {
    rill_backend_kind kind;
    int ordinal;
    rill_device *device;
    rill_aside aside;
    int threads; /**< that loops of the caller used before */
} rill_device_opening;

/** Begin to open a device; see rill_device_create(). CUDA occupies a processor for a fifth of a second, so
 * loops of the caller use one thread less until the device is there. */
void rill_device_begin(rill_backend_kind kind, int ordinal, rill_device_opening *opening);

/** Wait for the device that rill_device_begin() began to open; this or the next must be called once. */
rill_status rill_device_end(rill_device_opening *opening, rill_device **out);

/** Wait for a device that is not needed any more, and close it; the message of this thread stays. */
void rill_device_drop(rill_device_opening *opening);

/** Take the device that was given, or else open one of a kind. Undone by rill_device_leave(). */
rill_status rill_device_take(rill_device *given, rill_backend_kind kind, rill_device **out);

/** Close a device that was not given; NULL is allowed. */
void rill_device_leave(rill_device *given, rill_device *device);

/** Return the bytes that can still be allocated. */
static inline rill_status rill_device_available(rill_device *device, uint64_t *bytes)
{
    return device->backend->memory.available(device, bytes);
}

/** Refuse when less than `bytes` can be allocated. */
static inline rill_status rill_device_require(rill_device *device, uint64_t bytes, const char *what)
{
    return device->backend->memory.require(device, bytes, what);
}

/** Allocate and clear. */
static inline rill_status rill_device_alloc(rill_device *device, uint64_t bytes, const char *what, void **out)
{
    return device->backend->memory.alloc(device, bytes, what, out);
}

static inline void rill_device_free(rill_device *device, void *array)
{
    device->backend->memory.free(device, array);
}

/** Make a host array readable by kernels, without a copy where the host is the device; undone by
 * rill_device_release(). */
static inline rill_status rill_device_share(rill_device *device, const void *host, uint64_t bytes,
                                            const char *what, const void **out)
{
    return device->backend->memory.share(device, host, bytes, what, out);
}

static inline void rill_device_release(rill_device *device, const void *array)
{
    device->backend->memory.release(device, array);
}

/** Build entries of arrays, all pointers being the device's; may return before the work is done. */
static inline void rill_device_build(rill_device *device, const rill_builder *builder, rill_build_task task)
{
    device->backend->build(device, builder, task);
}

/** Add to the built arrays of a variant what the device's kernels need besides; undone by
 * rill_device_unlink(). */
static inline rill_status rill_device_link(rill_device *device, rill_variant variant, rill_arrays *arrays)
{
    return device->backend->link(device, variant, arrays);
}

static inline void rill_device_unlink(rill_device *device, rill_arrays *arrays)
{
    device->backend->unlink(device, arrays);
}

/** Return the bytes that rill_device_link() took. */
static inline uint64_t rill_device_linked(rill_device *device, const rill_arrays *arrays)
{
    return device->backend->linked(device, arrays);
}

static inline rill_status rill_device_upload(rill_device *device, void *to, const void *host, uint64_t bytes)
{
    return device->backend->memory.upload(device, to, host, bytes);
}

static inline rill_status rill_device_download(rill_device *device, void *host, const void *from,
                                               uint64_t bytes)
{
    return device->backend->memory.download(device, host, from, bytes);
}

/** Keep a host array where it is in memory, so that copies of it are several times as fast; undone by
 * rill_device_unpin(). Where the system refuses, copies are as slow as before. */
static inline void rill_device_pin(rill_device *device, void *host, uint64_t bytes)
{
    if (device->backend->memory.pin) device->backend->memory.pin(device, host, bytes);
}

/** NULL is allowed. */
static inline void rill_device_unpin(rill_device *device, void *host)
{
    if (host && device->backend->memory.unpin) device->backend->memory.unpin(device, host);
}

/** Return how many of [count] devices are the GPU, or the CPU, that is listed most often. */
int rill_devices_alike(rill_device *const *devices, int count);

/** Return whether kernels of [count] devices that step a part each store to the memory of their neighbours.
 */
bool rill_devices_reach(rill_device *const *devices, int count);

/** Return the words for how populations go between [count] devices that step a part each. */
const char *rill_devices_transport(rill_device *const *devices, int count);

/** Say that rill_device_pass() will copy what is in a queue of the owner now. */
static inline void rill_device_offer(rill_device *owner, void *queue, const void *from, rill_device *device,
                                     uint64_t bytes)
{
    if (owner->backend->exchange.offer) owner->backend->exchange.offer(owner, queue, from, device, bytes);
}

/** Copy from another device of the same kind, which has offered it, in the order of a queue of this one; may
 * return before the work is done. */
static inline rill_status rill_device_pass(rill_device *device, void *queue, void *to,
                                           const rill_device *owner, const void *from, uint64_t bytes)
{
    return device->backend->exchange.pass(device, queue, to, owner, from, bytes);
}

/** Make a queue beside that of the device, whose kernels go first; NULL where there is no need of any. */
static inline rill_status rill_device_queue_create(rill_device *device, void **queue)
{
    *queue = NULL;
    return device->backend->queue.create ? device->backend->queue.create(device, queue) : RILL_OK;
}

/** Destroy a queue; NULL is allowed. */
static inline void rill_device_queue_destroy(rill_device *device, void *queue)
{
    if (queue) device->backend->queue.destroy(device, queue);
}

/** Make an event, which is in no queue yet; NULL where there is no need of any. */
static inline rill_status rill_device_event_create(rill_device *device, void **event)
{
    *event = NULL;
    return device->backend->queue.event_create ? device->backend->queue.event_create(device, event) : RILL_OK;
}

/** Destroy an event; NULL is allowed. */
static inline void rill_device_event_destroy(rill_device *device, void *event)
{
    if (event) device->backend->queue.event_destroy(device, event);
}

/** Put an event behind all that is in a queue of its device; it is no longer where it was before. */
static inline rill_status rill_device_event_record(rill_device *device, void *queue, void *event)
{
    return event ? device->backend->queue.event_record(device, queue, event) : RILL_OK;
}

/** Let all that comes next in a queue of a device begin after an event, of any device of the backend, as it
 * was recorded last. The host does not wait. */
static inline rill_status rill_device_queue_wait(rill_device *device, void *queue, void *event)
{
    return event ? device->backend->queue.wait(device, queue, event) : RILL_OK;
}

/** Return whether kernels of a device can store to the memory of another one of the same backend. */
static inline bool rill_device_reaches(rill_device *device, const rill_device *other)
{
    return !device->backend->exchange.reaches || device->backend->exchange.reaches(device, other);
}

/** Allocate and clear memory of `owner` that kernels of a device that reaches it store to. */
static inline rill_status rill_device_land(rill_device *owner, rill_device *device, uint64_t bytes,
                                           const char *what, rill_landing *out)
{
    if (owner->backend->exchange.land) return owner->backend->exchange.land(owner, device, bytes, what, out);
    const rill_status status = rill_device_alloc(owner, bytes, what, &out->array);
    out->seen = out->array;
    return status;
}

/** Free it; a zeroed one is allowed. */
static inline void rill_device_unland(rill_device *owner, rill_device *device, const rill_landing *landing)
{
    if (landing->array && owner->backend->exchange.unland)
        owner->backend->exchange.unland(owner, device, landing);
    else
        rill_device_free(owner, landing->array);
}

/** Add values[k], in units of 1 / RILL_SUM_UNIT so that no order changes the result, to sums[labels[k]]. */
static inline void rill_device_gather(rill_device *device, const double *values, const uint32_t *labels,
                                      uint64_t count, int64_t *sums)
{
    device->backend->gather(device, values, labels, count, sums);
}

/** Set values[k] to given[labels[k]]. */
static inline void rill_device_spread(rill_device *device, const double *given, const uint32_t *labels,
                                      uint64_t count, double *values)
{
    device->backend->spread(device, given, labels, count, values);
}

/** Interpolate between grids, all pointers being the device's; may return before the work is done. */
static inline void rill_device_refine(rill_device *device, const rill_refiner *refiner)
{
    device->backend->refine(device, refiner);
}

/** Let the device begin with all calls that were made, as it does anyhow once one waits for a result. */
static inline void rill_device_submit(rill_device *device)
{
    if (device->backend->submit) device->backend->submit(device);
}

/** Wait for all kernels of the device's queue. @return RILL_SYSTEM when one failed */
static inline rill_status rill_device_wait(rill_device *device) { return device->backend->wait(device); }

/** Call a function, which must not use the device, when the kernels that are in the queue now are done. */
static inline void rill_device_then(rill_device *device, void (*fn)(void *context), void *context)
{
    device->backend->then(device, fn, context);
}

/**
 * Find the kernels of a variant that rill_variant_check() accepts, or make them; they stay until the device
 * is closed. @return RILL_SYSTEM with the remedy when they cannot be had here
 */
static inline rill_status rill_device_kernels(rill_device *device, rill_variant variant,
                                              const rill_kernels **out)
{
    return device->backend->kernels(device, variant, out);
}

/**
 * Measure the memory bandwidth that kernels are compared with, in bytes per second (read + written):
 * a device copy on a GPU, in-place updates a[i] = s a[i] + b on a CPU.
 */
static inline rill_status rill_device_bandwidth(rill_device *device, double *bytes_per_second)
{
    return device->backend->bandwidth(device, bytes_per_second);
}

/** Write the versions of driver and runtime, nothing where there are none. */
static inline void rill_device_versions(rill_device *device, char *driver, size_t driver_size, char *runtime,
                                        size_t runtime_size)
{
    if (device->backend->versions) device->backend->versions(driver, driver_size, runtime, runtime_size);
}

/** Return whether this library was built with CUDA. */
bool rill_device_has_cuda(void);

extern const rill_backend rill_backend_cpu;
#ifdef RILL_HAVE_CUDA
extern const rill_backend rill_backend_cuda;
#endif

#endif
