/* SPDX-License-Identifier: Apache-2.0 */
/* Opening and closing devices. */
#include "device/device.h"
#include "core/threads.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

bool rill_device_has_cuda(void)
{
#ifdef RILL_HAVE_CUDA
    return true;
#else
    return false;
#endif
}

/* @return the backend of a kind, NULL with a message where it was not built */
static const rill_backend *backend_of(rill_backend_kind kind)
{
    if (kind == RILL_BACKEND_CPU) return &rill_backend_cpu;
#ifdef RILL_HAVE_CUDA
    return &rill_backend_cuda;
#else
    rill_fail(RILL_SYSTEM,
              "rill was built without CUDA: build it where nvcc is installed, or use --backend cpu");
    return NULL;
#endif
}

rill_status rill_device_count(rill_backend_kind kind, int *count)
{
    const rill_backend *backend = backend_of(kind);
    return backend ? backend->count(count) : RILL_SYSTEM;
}

static rill_status create(rill_backend_kind kind, int ordinal, rill_device **out)
{
    const rill_backend *backend = backend_of(kind);
    if (!backend) return RILL_SYSTEM;
    rill_device *device = calloc(1, sizeof *device);
    if (!device) return rill_fail(RILL_SYSTEM, "out of memory for a device");
    *device = (rill_device){.backend = backend, .kind = kind, .ordinal = ordinal};
    const rill_status status = backend->open(device);
    if (status == RILL_OK)
        *out = device;
    else
        free(device);
    return status;
}

rill_status rill_device_create(rill_backend_kind kind, int ordinal, rill_device **out)
{
    *out = NULL;
    if (ordinal < 0) return rill_fail(RILL_USAGE, "device %d: devices are counted from 0", ordinal);
    switch (kind) {
    case RILL_BACKEND_CPU:
    case RILL_BACKEND_CUDA:
        return create(kind, ordinal, out);
    case RILL_BACKEND_AUTO: {
        const rill_status status = create(RILL_BACKEND_CUDA, ordinal, out);
        if (status == RILL_OK || ordinal > 0) return status; /* only a GPU has such a number */
        return create(RILL_BACKEND_CPU, 0, out);
    }
    }
    return rill_fail(RILL_USAGE, "backend %d is not one of auto, cpu, cuda", (int)kind);
}

void rill_device_destroy(rill_device *device)
{
    if (!device) return;
    device->backend->close(device);
    free(device);
}

const char *rill_device_name(const rill_device *device) { return device->name; }

static rill_status open_now(void *of)
{
    rill_device_opening *opening = of;
    rill_device *device = NULL;
    const rill_status status = rill_device_create(opening->kind, opening->ordinal, &device);
    __atomic_store_n(&opening->device, device, __ATOMIC_RELEASE); /* which may be looked at meanwhile */
    return status;
}

void rill_device_begin(rill_backend_kind kind, int ordinal, rill_device_opening *opening)
{
    *opening = (rill_device_opening){.kind = kind, .ordinal = ordinal};
    rill_aside_begin(&opening->aside, open_now, opening);
    const bool gpu = kind != RILL_BACKEND_CPU && rill_device_has_cuda();
    opening->threads = gpu ? rill_threads_leave_one() : omp_get_max_threads();
}

rill_status rill_device_end(rill_device_opening *opening, rill_device **out)
{
    const rill_status status = rill_aside_end(&opening->aside);
    omp_set_num_threads(opening->threads);
    *out = opening->device;
    return status;
}

void rill_device_drop(rill_device_opening *opening)
{
    rill_aside_drop(&opening->aside);
    omp_set_num_threads(opening->threads);
    rill_device_destroy(opening->device);
}

rill_status rill_device_take(rill_device *given, rill_backend_kind kind, rill_device **out)
{
    *out = given;
    return given ? RILL_OK : rill_device_create(kind, 0, out);
}

void rill_device_leave(rill_device *given, rill_device *device)
{
    if (!given) rill_device_destroy(device);
}

bool rill_backend_available(rill_backend_kind kind)
{
    rill_device *device = NULL;
    const rill_status status = rill_device_create(kind, 0, &device);
    rill_device_destroy(device);
    return status == RILL_OK;
}

int rill_devices_alike(rill_device *const *devices, int count)
{
    int most = 1;
    for (int k = 0; k < count; k++) {
        int alike = 0;
        for (int j = 0; j < count; j++)
            alike += devices[j]->kind == devices[k]->kind && devices[j]->ordinal == devices[k]->ordinal;
        if (alike > most) most = alike;
    }
    return most;
}

bool rill_devices_reach(rill_device *const *devices, int count)
{
    bool reach = true;
    for (int k = 0; k < count; k++) /* ranges of nodes follow each other, the first the last */
        reach = rill_device_reaches(devices[k], devices[(k + 1) % count]) &&
                rill_device_reaches(devices[(k + 1) % count], devices[k]) && reach;
    return reach;
}

const char *rill_devices_transport(rill_device *const *devices, int count)
{
    if (devices[0]->backend->exchange.transport)
        return devices[0]->backend->exchange.transport(devices, count);
    if (devices[0]->backend->host) return "stores into host memory";
    if (rill_devices_alike(devices, count) == count) return "stores into the memory of the device";
    return rill_devices_reach(devices, count)
               ? "stores into the memory of the neighbouring device, which has peer access"
               : "copies by the driver, because devices have no peer access";
}
