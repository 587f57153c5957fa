/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing a backend. */
#include "backend.h"

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

rill_status rill_backend_find(rill_backend_kind kind, const rill_backend **out)
{
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
