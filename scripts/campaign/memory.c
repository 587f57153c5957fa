/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: the CAMPAIGN_MEMORY_AT-th allocation of the process since main() began fails, and with
 * CAMPAIGN_MEMORY_STAYS all later ones. Allocations are those of the program, of HDF5 and of the other
 * libraries: malloc, calloc, realloc, aligned_alloc, posix_memalign, memalign, and anonymous mmap.
 * With CAMPAIGN_MEMORY_OWN only those count that the program asks for itself, not a library for it.
 * CAMPAIGN_MEMORY_PLACES names a file that receives the number of the first allocation of each place: of the
 * two innermost calls that the program itself makes for it. CAMPAIGN_MEMORY_COUNT names a file that receives
 * their number, CAMPAIGN_MEMORY_CRASH one that receives the call stack of a crash, which goes on to end the
 * process. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
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
static int stays, begun, own;
static uintptr_t text_begin, text_end; /* code of the program itself */

enum { PLACES = 1 << 16, FRAMES = 48 };
static uint64_t places[PLACES]; /* hashes, 0: none */
static atomic_int noting = -1;  /* file */

/* Note the place of an allocation that is made for the first time there. */
static void place_note(long number)
{
    static _Thread_local int inside;
    void *frames[FRAMES];
    char text[64];
    uint64_t hash = 1;
    if (inside) return;
    inside = 1;
    const int depth = backtrace(frames, FRAMES);
    for (int k = 0, found = 0; k < depth && found < 2; k++) {
        const uintptr_t at = (uintptr_t)frames[k];
        if (at < text_begin || at >= text_end) continue;
        hash = (hash ^ (at - text_begin)) * UINT64_C(0x9e3779b97f4a7c15) + 1;
        found++;
    }
    for (uint64_t k = hash >> 40;; k++) { /* of several threads two may note the same */
        if (places[k % PLACES] == hash) break;
        if (places[k % PLACES]) continue;
        places[k % PLACES] = hash;
        const int length = snprintf(text, sizeof text, "%ld %016llx\n", number, (unsigned long long)hash);
        if (write(noting, text, (size_t)length) != length) _exit(99);
        break;
    }
    inside = 0;
}

/* Write the call stack, and let the signal that is raised again do what it does. */
static void crash(int number)
{
    void *frames[64];
    const int file = open(getenv("CAMPAIGN_MEMORY_CRASH"), O_WRONLY | O_CREAT | O_APPEND, 0666);
    begun = 0;
    backtrace_symbols_fd(frames, backtrace(frames, 64), file);
    if (write(file, "\n", 1) == 1) close(file);
    raise(number);
}

static void watch(void)
{
    static char stack[1 << 16]; /* an endless recursion leaves none */
    void *frame;
    backtrace(&frame, 1); /* loads what it needs */
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    for (int k = 0; k < 4; k++)
        sigaction((int[]){SIGSEGV, SIGBUS, SIGABRT, SIGFPE}[k],
                  &(struct sigaction){.sa_handler = crash, .sa_flags = (int)(SA_RESETHAND | SA_ONSTACK)},
                  NULL);
}

/* Note where the code of the program is, which comes first. */
static int note(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    (void)context;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[k];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        text_begin = info->dlpi_addr + part->p_vaddr;
        text_end = text_begin + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    own = getenv("CAMPAIGN_MEMORY_OWN") != NULL;
    dl_iterate_phdr(note, NULL);
    if (getenv("CAMPAIGN_MEMORY_PLACES")) {
        void *frame;
        backtrace(&frame, 1); /* loads what it needs */
        noting = open(getenv("CAMPAIGN_MEMORY_PLACES"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
        unsetenv("CAMPAIGN_MEMORY_PLACES"); /* of this process alone */
    }
    if (getenv("CAMPAIGN_MEMORY_CRASH")) watch();
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

/* For bare.c: fail from now on, counted anew. */
void campaign_memory_fail(long number, int all);
void campaign_memory_fail(long number, int all)
{
    atomic_store(&made, 0);
    at = number;
    stays = all;
    begun = 1;
}

long campaign_memory_made(void);
long campaign_memory_made(void)
{
    begun = 0;
    return atomic_load(&made);
}

static int fails(const void *caller)
{
    if (!begun || (own && ((uintptr_t)caller < text_begin || (uintptr_t)caller >= text_end))) return 0;
    const long number = atomic_fetch_add(&made, 1) + 1;
    const int is = at > 0 && (number == at || (stays && number > at));
    if (noting >= 0) place_note(number);
    if (is) errno = ENOMEM;
    return is;
}

void *malloc(size_t size) { return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}
void *realloc(void *block, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(block, size);
}
void *memalign(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    if (fails(__builtin_return_address(0))) return ENOMEM;
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : ENOMEM;
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails(__builtin_return_address(0))) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
void *mmap64(void *address, size_t length, int protection, int flags, int file, off_t offset)
{
    if ((flags & MAP_ANONYMOUS) && fails(__builtin_return_address(0))) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}
