/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a backend. */
#include "backend.h"

#ifdef RILL_HAVE_CUDA
#include <pthread.h>
#endif

bool rill_backend_has_cuda(void)
{
#ifdef RILL_HAVE_CUDA
    return true;
#else
    return false;
#endif
}

static rill_status find_cuda(const rill_backend **out)
{
#ifdef RILL_HAVE_CUDA
    char device[256];
    const rill_status status = rill_backend_cuda.probe(device, sizeof device);
    if (status == RILL_OK) *out = &rill_backend_cuda;
    return status;
#else
    (void)out;
    return rill_fail(RILL_SYSTEM,
                     "rill was built without CUDA: build it where nvcc is installed, or use --backend cpu");
#endif
}

static rill_status find_cpu(const rill_backend **out)
{
    char device[256];
    const rill_status status = rill_backend_cpu.probe(device, sizeof device);
    if (status == RILL_OK) *out = &rill_backend_cpu;
    return status;
}

#ifdef RILL_HAVE_CUDA
static pthread_t preparing;
static bool is_preparing;

/* Asking for free memory makes the context. What fails here fails again where it can be told. */
static void *prepare(void *unused)
{
    char device[256];
    uint64_t bytes;
    if (rill_backend_cuda.probe(device, sizeof device) == RILL_OK) rill_backend_cuda.available(&bytes);
    return unused;
}
#endif

rill_status rill_backend_prepare(rill_backend_kind kind)
{
#ifdef RILL_HAVE_CUDA
    rill_backend_prepared();
    is_preparing = kind != RILL_BACKEND_CPU && pthread_create(&preparing, NULL, prepare, NULL) == 0;
    return RILL_OK;
#else
    const rill_backend *backend;
    return rill_backend_find(kind, &backend);
#endif
}

void rill_backend_prepared(void)
{
#ifdef RILL_HAVE_CUDA
    if (is_preparing) pthread_join(preparing, NULL);
    is_preparing = false;
#endif
}

rill_status rill_backend_find(rill_backend_kind kind, const rill_backend **out)
{
    rill_backend_prepared();
    switch (kind) {
    case RILL_BACKEND_CPU:
        return find_cpu(out);
    case RILL_BACKEND_CUDA:
        return find_cuda(out);
    case RILL_BACKEND_AUTO:
        return find_cuda(out) == RILL_OK ? RILL_OK : find_cpu(out);
    }
    return rill_fail(RILL_USAGE, "backend %d is not one of auto, cpu, cuda", (int)kind);
}

bool rill_backend_available(rill_backend_kind kind)
{
    const rill_backend *backend;
    return rill_backend_find(kind, &backend) == RILL_OK;
}
