/* SPDX-License-Identifier: Apache-2.0 */
/* Memory operations of streams: of the driver's library, which the runtime has loaded and has no functions of
 * its own for. Its interface is declared here (cuda.h of CUDA 11.7 and later), so that no link needs it. */
#include "cuda/queue.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

typedef int stream_call(void *stream, uint64_t address, uint32_t value, unsigned flags);

enum {
    WRITE_DEFAULT = 0, /* CU_STREAM_WRITE_VALUE_DEFAULT: behind a fence for the whole system */
    WAIT_GEQ = 0       /* CU_STREAM_WAIT_VALUE_GEQ: (int32_t)(*address - value) >= 0 */
};

static struct {
    pthread_once_t once;
    stream_call *write, *wait;
} driver = {.once = PTHREAD_ONCE_INIT};

static void driver_find(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL); /* stays open */
    if (!library) return;
    *(void **)&driver.write = dlsym(library, "cuStreamWriteValue32_v2");
    *(void **)&driver.wait = dlsym(library, "cuStreamWaitValue32_v2");
}

static rill_status call(stream_call *const *function, void *queue, const uint32_t *flag, uint32_t number,
                        unsigned how, const char *doing)
{
    pthread_once(&driver.once, driver_find);
    if (!*function)
        return rill_fail(RILL_SYSTEM,
                         "the driver has no operations on flags for %s: install one for CUDA 11.7 or later",
                         doing);
    const int error = (*function)(queue, (uint64_t)(uintptr_t)flag, number, how);
    return error ? rill_fail(RILL_SYSTEM, "CUDA failed while %s: error %d of the driver", doing, error)
                 : RILL_OK;
}

rill_status rill_cuda_flag_set(void *queue, uint32_t *flag, uint32_t number)
{
    return call(&driver.write, queue, flag, number, WRITE_DEFAULT, "setting a flag for another process");
}

rill_status rill_cuda_flag_wait(void *queue, uint32_t *flag, uint32_t number)
{
    return call(&driver.wait, queue, flag, number, WAIT_GEQ, "waiting for a flag of another process");
}
