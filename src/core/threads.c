/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A team of threads for every thread that runs loops, as OpenMP has it, made by its first loop. OpenMP itself
 * does not serve: its waiting threads spin for milliseconds, which no library that uses it can change, and
 * its loops end only when every thread has been there. Beside other programs on the same processors that
 * costs nearly all of the speed. What is not repeated all the time stays with OpenMP.
 */
#include "core/threads.h"
#include "core/processors.h"
#include "core/status.h"

#include <limits.h>
#include <linux/futex.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    MOST = 1024, /* threads of a team */
    SPINS = 2000 /* pauses, 40 to 100 microseconds: about what sleeping and waking cost */
};

/* The state of a team: whether a loop is open to helpers, how many are in it, and the number of the loop. */
enum { OPEN = 1, INSIDE = 2, NUMBER = INSIDE * MOST };

/* Who waits for the state to change: helper k by bit k, those beyond 31 by one bit. */
enum { CALLER = 1 };
#define HELPERS (~(unsigned)CALLER)

typedef struct team team;

/* What a thread begins with: pieces next … end - 1 of a loop are left. */
typedef struct part {
    alignas(64) _Atomic uint64_t next;
    uint64_t end;
    team *team;
} part;

struct team {
    _Atomic unsigned state;
    _Atomic int asleep;        /* helpers */
    _Atomic bool waits, leave; /* the caller sleeps; helpers are to end */
    _Atomic int caller;        /* the processor it was on; a helper that begins late reads a later one */
    int processors, helpers;
    /* The loop, apart from what waiting threads look at. */
    alignas(64) rill_threads_work *work;
    int threads;
    const void *shared;
    uint64_t count, piece;
    pthread_t helper[MOST];
    part part[MOST];
};

static _Thread_local team *own;
static _Thread_local bool working;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int least(int a, int b) { return a < b ? a : b; }

/* What OpenMP chose when the library was loaded, and whether the user set it. */
static int chosen, asked;
static bool named;

__attribute__((constructor)) static void note_choice(void)
{
    const char *text = getenv("OMP_NUM_THREADS");
    named = text && *text;
    asked = omp_get_max_threads();
    chosen = least(asked, MOST); /* GNU's OpenMP keeps its threads' starts on the stack: 100,000 crash */
    if (chosen < asked) omp_set_num_threads(chosen);
}

rill_status rill_threads_check(void)
{
    if (!named || least(asked, omp_get_thread_limit()) <= MOST) return RILL_OK; /* a machine may have more */
    return rill_fail(RILL_USAGE, "OMP_NUM_THREADS names %d threads: give a number from 1 to %d", asked, MOST);
}

static void wait_for(team *t, unsigned state, unsigned who)
{
    (void)syscall(SYS_futex, &t->state, FUTEX_WAIT_BITSET_PRIVATE, state, NULL, NULL, who);
}

static void wake(team *t, unsigned who)
{
    (void)syscall(SYS_futex, &t->state, FUTEX_WAKE_BITSET_PRIVATE, INT_MAX, NULL, NULL, who);
}

static unsigned bit_of(int helper) { return 1u << (helper < 31 ? helper : 31); }

/* Do the pieces that a thread begins with, then those that others have not come to. */
static void work_from(team *t, int index)
{
    for (int k = 0; k < t->threads; k++) {
        part *p = &t->part[(index + k) % t->threads];
        for (uint64_t n; (n = atomic_fetch_add_explicit(&p->next, 1, memory_order_relaxed)) < p->end;) {
            const uint64_t first = n * t->piece, left = t->count - first;
            t->work(t->shared, first, first + (left < t->piece ? left : t->piece));
        }
    }
}

/* Wait until there is a loop other than `seen`, or the team ends. @return the state */
static unsigned await(team *t, int index, unsigned seen)
{
    for (int spins = 0;; spins++) {
        const unsigned state = atomic_load(&t->state);
        if ((state & OPEN && state / NUMBER != seen) || atomic_load(&t->leave)) return state;
        __builtin_ia32_pause();
        if (spins < SPINS) continue;
        atomic_fetch_add(&t->asleep, 1);
        wait_for(t, state, bit_of(index));
        atomic_fetch_sub(&t->asleep, 1);
        spins = 0;
    }
}

enum { SETS = 16 }; /* for 16384 processors */

/*
 * Choose the processors of a helper: the place to which OpenMP has to bind it, or all that the caller may
 * use but the one it is on. Without that the kernel wakes a helper on the processor of its caller when every
 * processor is busy, and the two alternate.
 */
static void place(const team *t, int index)
{
    const bool bound = omp_get_proc_bind() != omp_proc_bind_false && omp_get_num_places() > 0;
    cpu_set_t set[SETS] = {{{0}}};
    if (bound) {
        const int number = index % omp_get_num_places(), count = omp_get_place_num_procs(number);
        int ids[count > 0 ? count : 1];
        omp_get_place_proc_ids(number, ids);
        for (int k = 0; k < count; k++) CPU_SET_S((size_t)ids[k], sizeof set, set);
    } else {
        const int caller = atomic_load(&t->caller);
        if (caller < 0 || sched_getaffinity(0, sizeof set, set) != 0) return;
        CPU_CLR_S((size_t)caller, sizeof set, set);
    }
    if (CPU_COUNT_S(sizeof set, set)) (void)sched_setaffinity(0, sizeof set, set);
}

static void *help(void *given)
{
    const part *mine = given;
    team *t = mine->team;
    const int index = (int)(mine - t->part);
    unsigned seen = 0;
    working = true;
    place(t, index);
    for (;;) {
        unsigned state = await(t, index, seen);
        if (atomic_load(&t->leave)) return NULL;
        if (!atomic_compare_exchange_strong(&t->state, &state, state + INSIDE)) continue;
        seen = state / NUMBER;
        if (index < t->threads) work_from(t, index);
        state = atomic_fetch_sub(&t->state, INSIDE) - INSIDE;
        if (state % NUMBER == 0 && atomic_load(&t->waits)) wake(t, CALLER);
    }
}

static void open_loop(team *t)
{
    atomic_store(&t->state, (atomic_load(&t->state) / NUMBER + 1) * NUMBER + OPEN);
    if (atomic_load(&t->asleep)) wake(t, HELPERS & (t->threads > 31 ? UINT_MAX : bit_of(t->threads) - 1));
}

/* Let no more helpers in, and wait for those inside. */
static void close_loop(team *t)
{
    unsigned state = atomic_fetch_sub(&t->state, OPEN) - OPEN;
    for (int spins = 0; state % NUMBER; spins++, state = atomic_load(&t->state)) {
        __builtin_ia32_pause();
        if (spins < SPINS) continue;
        atomic_store(&t->waits, true);
        wait_for(t, state, CALLER);
        atomic_store(&t->waits, false);
    }
}

static void end_team(void *given)
{
    team *t = given;
    atomic_store(&t->leave, true);
    atomic_fetch_add(&t->state, NUMBER);
    wake(t, HELPERS);
    for (int k = 1; k <= t->helpers; k++) pthread_join(t->helper[k], NULL);
    free(t);
    own = NULL;
}

/* A forked process has the memory of a team, without its threads. */
static void forget(void) { own = NULL; }

static void make_key(void)
{
    (void)pthread_key_create(&key, end_team);
    (void)pthread_atfork(NULL, NULL, forget);
}

/* Return the team of this thread, NULL where there is no memory for one. */
static team *team_get(void)
{
    pthread_once(&once, make_key);
    if (own || !(own = aligned_alloc(alignof(team), sizeof *own))) return own;
    memset(own, 0, sizeof *own);
    own->processors = rill_processors();
    (void)pthread_setspecific(key, own);
    return own;
}

/* Start helpers up to number `last`; a loop does with those that the system grants. */
static void need_helpers(team *t, int last)
{
    atomic_store(&t->caller, sched_getcpu());
    while (t->helpers < last) {
        const int k = t->helpers + 1;
        t->part[k].team = t;
        if (pthread_create(&t->helper[k], NULL, help, &t->part[k]) != 0) return;
        t->helpers = k;
    }
}

/* Whether the user or the program has named a number of threads. */
static bool asked_for(void) { return named || omp_get_max_threads() != chosen; }

int rill_threads(void)
{
    if (working || omp_in_parallel()) return 1;
    const int wanted = least(least(omp_get_max_threads(), omp_get_thread_limit()), MOST);
    if (asked_for()) return wanted;
    const team *t = team_get();
    return t ? least(wanted, t->processors) : 1;
}

int rill_threads_fit(uint64_t count, uint64_t piece)
{
    const uint64_t fit = count / piece;
    const int most = rill_threads();
    return fit < 2 ? 1 : fit < (uint64_t)most ? (int)fit : most;
}

void rill_threads_explain(uint64_t count, uint64_t piece, const char *item, char *text, size_t size)
{
    const int most = rill_threads(), fit = rill_threads_fit(count, piece), processors = rill_processors();
    const int length =
        snprintf(text, size, "%d on %d processor%s", fit, processors, processors > 1 ? "s" : "");
    char *rest = text + least(length, (int)size - 1);
    const size_t left = size - (size_t)(rest - text);
    if (fit < most)
        snprintf(rest, left, ": each gets %llu %s or more", (unsigned long long)piece, item);
    else if (most > processors)
        snprintf(rest, left, ", as OMP_NUM_THREADS asks: more than processors take time from each other");
    else if (asked_for())
        snprintf(rest, left, ", as OMP_NUM_THREADS asks");
    else if (rill_processors_sharers() > 1)
        snprintf(rest, left, ": %d processes share this machine", rill_processors_sharers());
    else
        snprintf(rest, left, ": all that this process may use");
}

/* LLVM's OpenMP spins for 0.2 s after every loop, beside the threads of this file. GNU's has no setting. */
extern void kmp_set_blocktime(int milliseconds) __attribute__((weak));

int rill_threads_leave_one(void)
{
    const int before = omp_get_max_threads();
    if (before > 2) omp_set_num_threads(before - 1);
    return before;
}

void rill_threads_limit_openmp(void)
{
    if (kmp_set_blocktime) kmp_set_blocktime(0);
    if (asked_for()) return;
    chosen = rill_threads();
    omp_set_num_threads(chosen);
}

void rill_threads_for(uint64_t count, uint64_t piece, rill_threads_work *work, const void *shared)
{
    const int threads = rill_threads_fit(count, piece);
    team *t = threads > 1 ? team_get() : NULL;
    if (t) need_helpers(t, threads - 1);
    if (!t || t->helpers == 0) {
        if (count) work(shared, 0, count);
        return;
    }
    const uint64_t pieces = (count + piece - 1) / piece;
    t->threads = least(threads, t->helpers + 1);
    for (uint64_t k = 0; k < (uint64_t)t->threads; k++) {
        atomic_store(&t->part[k].next, pieces * k / (uint64_t)t->threads);
        t->part[k].end = pieces * (k + 1) / (uint64_t)t->threads;
    }
    t->work = work, t->shared = shared, t->count = count, t->piece = piece;
    working = true;
    open_loop(t);
    work_from(t, 0);
    close_loop(t);
    working = false;
}
