/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded: a clock that advances by CAMPAIGN_CLOCK_STEP seconds whenever the program reads it, and the
 * signal CAMPAIGN_SIGNAL (number) at reading CAMPAIGN_SIGNAL_AT. rill reads the clock between parts of its
 * work, so that the same reading is the same place in the work on every machine; libraries, such as the
 * driver of a GPU, read it at random, and get the time that it is. CAMPAIGN_SIGNALLED names a file that is
 * created when the signal was sent. CAMPAIGN_CLOCK_COUNT names a file that receives the number of readings,
 * CAMPAIGN_CLOCK_HANDLED one that receives the first at which the program handles SIGINT, 0 without one. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static atomic_long readings, handled;
static long signal_at;
static int signal_number;
static double step;
static int (*next)(clockid_t, struct timespec *);
static struct {
    uintptr_t begin, end;
} program; /* addresses */

static double of(const char *name)
{
    const char *text = getenv(name);
    return text ? atof(text) : 0;
}

/* Find the addresses of the program, which is the first of what is loaded. */
static int find_program(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    program.begin = UINTPTR_MAX;
    for (int k = 0; k < object->dlpi_phnum; k++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[k];
        const uintptr_t first = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD) continue;
        if (first < program.begin) program.begin = first;
        if (first + part->p_memsz > program.end) program.end = first + part->p_memsz;
    }
    return 1;
}

__attribute__((constructor)) static void begin(void)
{
    dl_iterate_phdr(find_program, NULL);
    *(void **)&next = dlsym(RTLD_NEXT, "clock_gettime");
    step = of("CAMPAIGN_CLOCK_STEP");
    signal_at = (long)of("CAMPAIGN_SIGNAL_AT");
    signal_number = (int)of("CAMPAIGN_SIGNAL");
}

static void put(const char *name, long value)
{
    const char *path = getenv(name);
    FILE *file = path ? fopen(path, "w") : NULL;
    if (!file) return;
    fprintf(file, "%ld\n", value);
    fclose(file);
}

__attribute__((destructor)) static void end(void)
{
    put("CAMPAIGN_CLOCK_COUNT", atomic_load(&readings));
    put("CAMPAIGN_CLOCK_HANDLED", atomic_load(&handled));
}

static void look(long reading)
{
    struct sigaction now;
    long none = 0;
    if (sigaction(SIGINT, NULL, &now) == 0 && now.sa_handler != SIG_DFL && now.sa_handler != SIG_IGN)
        atomic_compare_exchange_strong(&handled, &none, reading);
}

static void send(void)
{
    const char *mark = getenv("CAMPAIGN_SIGNALLED");
    raise(signal_number);
    if (mark) close(open(mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int code = next ? next(clock, time) : -1;
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (code != 0 || clock != CLOCK_MONOTONIC || caller < program.begin || caller >= program.end) return code;
    const long reading = atomic_fetch_add(&readings, 1) + 1;
    if (step > 0) {
        const double now = (double)reading * step;
        time->tv_sec = 1000000 + (time_t)now;
        time->tv_nsec = (long)((now - (double)(time_t)now) * 1e9);
    }
    if (atomic_load(&handled) == 0) look(reading);
    if (reading == signal_at) send();
    return code;
}
