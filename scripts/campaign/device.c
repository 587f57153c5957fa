/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: what a process takes of GPUs, and failures of it. The CUDA runtime, which programs hold as a
 * static library, asks cuGetProcAddress() of the driver for all of its functions, and finds that one by
 * dlsym(): both are replaced here. Of the functions that take memory of a device (arrays, contexts, modules,
 * queues, events, pinned memory) the CAMPAIGN_DEVICE_AT-th call fails as without memory, and with
 * CAMPAIGN_DEVICE_STAYS all later ones; the CAMPAIGN_DEVICE_LAUNCH_AT-th launch of a kernel fails, too.
 * CAMPAIGN_DEVICE_REPORT names a file that receives seven numbers: calls that take memory, launches, arrays
 * that are not freed at the end and their bytes, the largest sum of the bytes of arrays, by how much the free
 * memory of the device fell at most since the first array, and failures. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_OF_MEMORY = 2, ARRAYS = 1 << 16 }; /* CUDA_ERROR_OUT_OF_MEMORY */

typedef struct array {
    uint64_t at, size;
} array;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static array arrays[ARRAYS];
static size_t count;
static uint64_t bytes, most_bytes, before, most_taken;
static long calls, launches, failures;
static int (*memory)(size_t *available, size_t *total);

static long number_of(const char *name)
{
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((destructor)) static void end(void)
{
    char text[256];
    const char *path = getenv("CAMPAIGN_DEVICE_REPORT");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    if (file < 0) return;
    const int length = snprintf(text, sizeof text, "%ld %ld %zu %llu %llu %llu %ld\n", calls, launches, count,
                                (unsigned long long)bytes, (unsigned long long)most_bytes,
                                (unsigned long long)most_taken, failures);
    if (write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

static int is_due(long number, long at, int stays)
{
    const int due = at > 0 && (number == at || (stays && number > at));
    failures += due;
    return due;
}

static int fails(void)
{
    pthread_mutex_lock(&lock);
    const int due = is_due(++calls, number_of("CAMPAIGN_DEVICE_AT"), getenv("CAMPAIGN_DEVICE_STAYS") != NULL);
    pthread_mutex_unlock(&lock);
    return due;
}

static int launch_fails(void)
{
    pthread_mutex_lock(&lock);
    const int due = is_due(++launches, number_of("CAMPAIGN_DEVICE_LAUNCH_AT"), 0);
    pthread_mutex_unlock(&lock);
    return due;
}

static uint64_t available(void)
{
    size_t now = 0, total = 0;
    return memory && memory(&now, &total) == 0 ? now : 0;
}

/* ---- functions of the driver ------------------------------------------------------------------ */

static int (*cuMemAlloc)(uint64_t *, size_t);
static int alloc(uint64_t *out, size_t size)
{
    if (fails()) return OUT_OF_MEMORY;
    pthread_mutex_lock(&lock);
    if (before == 0) before = available();
    const int code = cuMemAlloc(out, size);
    if (code == 0) {
        if (count == ARRAYS) abort();
        arrays[count++] = (array){*out, size};
        bytes += size;
        if (bytes > most_bytes) most_bytes = bytes;
        const uint64_t now = available();
        if (before > now && before - now > most_taken) most_taken = before - now;
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int (*cuMemFree)(uint64_t);
static int release(uint64_t at)
{
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < count; k++)
        if (arrays[k].at == at) {
            bytes -= arrays[k].size;
            arrays[k] = arrays[--count];
            break;
        }
    const int code = cuMemFree(at);
    pthread_mutex_unlock(&lock);
    return code;
}

#define TAKES(name, parameters, ...)                                                                         \
    static int(*name) parameters;                                                                            \
    static int name##_or_none parameters { return fails() ? OUT_OF_MEMORY : name(__VA_ARGS__); }
#define LAUNCHES(name, parameters, ...)                                                                      \
    static int(*name) parameters;                                                                            \
    static int name##_or_none parameters { return launch_fails() ? OUT_OF_MEMORY : name(__VA_ARGS__); }
TAKES(cuDevicePrimaryCtxRetain, (void **a, int b), a, b)
TAKES(cuMemHostRegister, (void *a, size_t b, unsigned c), a, b, c)
TAKES(cuStreamCreate, (void **a, unsigned b), a, b)
TAKES(cuStreamCreateWithPriority, (void **a, unsigned b, int c), a, b, c)
TAKES(cuEventCreate, (void **a, unsigned b), a, b)
TAKES(cuModuleLoadData, (void **a, const void *b), a, b)
TAKES(cuModuleLoadFatBinary, (void **a, const void *b), a, b)
TAKES(cuLibraryLoadData,
      (void **a, const void *b, void *c, void **d, unsigned e, void *f, void **g, unsigned h), a, b, c, d, e,
      f, g, h)
LAUNCHES(cuLaunchKernel,
         (void *a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h,
          void *i, void **j, void **k),
         a, b, c, d, e, f, g, h, i, j, k)
LAUNCHES(cuLaunchKernelEx, (const void *a, void *b, void **c, void **d), a, b, c, d)

/* `next` receives what the driver has, and the caller gets `own`. */
#define OWN(name, own)                                                                                       \
    {                                                                                                        \
#name, (void **)&name, (void *)(own)                                                                 \
    }
static const struct {
    const char *name;
    void **next, *own;
} own[] = {OWN(cuMemAlloc, alloc),
           OWN(cuMemFree, release),
           OWN(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain_or_none),
           OWN(cuMemHostRegister, cuMemHostRegister_or_none),
           OWN(cuStreamCreate, cuStreamCreate_or_none),
           OWN(cuStreamCreateWithPriority, cuStreamCreateWithPriority_or_none),
           OWN(cuEventCreate, cuEventCreate_or_none),
           OWN(cuModuleLoadData, cuModuleLoadData_or_none),
           OWN(cuModuleLoadFatBinary, cuModuleLoadFatBinary_or_none),
           OWN(cuLibraryLoadData, cuLibraryLoadData_or_none),
           OWN(cuLaunchKernel, cuLaunchKernel_or_none),
           OWN(cuLaunchKernelEx, cuLaunchKernelEx_or_none)};

/* ---- how the runtime finds them --------------------------------------------------------------- */

typedef int get(const char *name, void **out, int version, uint64_t flags, int *found);
static get *driver_get;

/* Functions of per-thread queues (flag 2), which rill does not use, are the driver's. */
static int own_get(const char *name, void **out, int version, uint64_t flags, int *found)
{
    const int code = driver_get(name, out, version, flags, found);
    if (code != 0 || !*out || (flags & 2)) return code;
    if (strcmp(name, "cuGetProcAddress") == 0 && version >= 12000) *out = (void *)own_get;
    for (size_t k = 0; k < sizeof own / sizeof *own; k++)
        if (strcmp(name, own[k].name) == 0) {
            *own[k].next = *out;
            *out = own[k].own;
        }
    return code;
}

void *dlsym(void *handle, const char *name)
{
    static void *(*next)(void *, const char *);
    if (!next) *(void **)&next = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
    if (strcmp(name, "cuGetProcAddress_v2") != 0)
        return next(handle, name); /* a jump: RTLD_NEXT is the caller's */
    *(void **)&driver_get = next(handle, name);
    *(void **)&memory = next(handle, "cuMemGetInfo_v2");
    return driver_get ? (void *)own_get : NULL;
}
