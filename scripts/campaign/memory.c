/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: the CAMPAIGN_MEMORY_AT-th allocation of the process since main() began fails, and with
 * CAMPAIGN_MEMORY_STAYS all later ones. Allocations are those of the program, of HDF5 and of the other
 * libraries: malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign, and anonymous mmap.
 * CAMPAIGN_MEMORY_COUNT names a file that receives their number. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc exports its own allocator under these names, so that no look-up, which allocates, is needed. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static atomic_long made;
static long at;
static int stays, begun;

__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("CAMPAIGN_MEMORY_AT");
    at = text ? atol(text) : 0;
    stays = getenv("CAMPAIGN_MEMORY_STAYS") != NULL;
}

typedef int entry(int count, char **words, char **environment);
typedef void hook(void);
static entry *program;

static int program_run(int count, char **words, char **environment)
{
    begun = 1;
    return program(count, words, environment);
}

/* What comes before main() is not rill's: the CUDA runtime registers kernels then, and ends the process when
 * it gets no memory. */
int __libc_start_main(entry *main, int count, char **words, hook *init, hook *fini, hook *last, void *stack)
{
    int (*start)(entry *, int, char **, hook *, hook *, hook *, void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    program = main;
    return start(program_run, count, words, init, fini, last, stack);
}

__attribute__((destructor)) static void end(void)
{
    char text[32];
    const char *path = getenv("CAMPAIGN_MEMORY_COUNT");
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    begun = 0;
    if (file < 0) return;
    const int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&made));
    if (write(file, text, (size_t)length) != length) _exit(99);
    close(file);
}

static int fails(void)
{
    if (!begun) return 0;
    const long number = atomic_fetch_add(&made, 1) + 1;
    const int is = at > 0 && (number == at || (stays && number > at));
    if (is) errno = ENOMEM;
    return is;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails() ? NULL : __libc_realloc(block, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails()) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails()) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    return mmap(address, length, protection, flags, file, offset);
}
