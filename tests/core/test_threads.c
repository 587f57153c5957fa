/* SPDX-License-Identifier: Apache-2.0 */
/* Loops on threads: every item once, as many threads as there is work for, no processor time while waiting.
 */
#include "core/processors.h"
#include "core/threads.h"

#include <criterion/criterion.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ITEMS = 100000 };

static _Atomic int visits[ITEMS];
static _Thread_local bool seen;
static _Atomic int workers;

static void visit(const void *shared, uint64_t first, uint64_t end)
{
    (void)shared;
    if (!seen) workers++;
    seen = true;
    for (uint64_t k = first; k < end; k++) visits[k]++;
}

static void expect_each_once(uint64_t count, uint64_t piece)
{
    memset(visits, 0, sizeof visits);
    rill_threads_for(count, piece, visit, NULL);
    for (uint64_t k = 0; k < ITEMS; k++)
        cr_assert_eq(visits[k], k < count, "item %llu of %llu in pieces of %llu: %d times",
                     (unsigned long long)k, (unsigned long long)count, (unsigned long long)piece, visits[k]);
}

Test(threads, do_every_item_once)
{
    static const int numbers[] = {1, 2, 3, 8, 40, 2};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        omp_set_num_threads(numbers[i]);
        for (uint64_t count = 0; count <= ITEMS; count = 3 * count + 1)
            for (uint64_t piece = 1; piece < 5000; piece *= 17) expect_each_once(count, piece);
    }
}

/* A thread waits in its first piece until as many as wanted have come, so that it takes all of them. */
static void meet(const void *shared, uint64_t first, uint64_t end)
{
    const bool been_here = seen;
    const time_t limit = time(NULL) + 60;
    visit(shared, first, end);
    while (!been_here && workers < *(const int *)shared && time(NULL) < limit) sched_yield();
}

Test(threads, are_as_many_as_asked_for)
{
    const int wanted = 5;
    omp_set_num_threads(wanted);
    cr_expect_eq(rill_threads(), wanted);
    rill_threads_for(ITEMS, 100, meet, &wanted);
    cr_expect_eq(workers, wanted);
}

static _Atomic int others;

static void count_others(const void *caller, uint64_t first, uint64_t end)
{
    (void)first, (void)end;
    others += !pthread_equal(*(const pthread_t *)caller, pthread_self());
}

Test(threads, are_few_where_there_is_little_to_do)
{
    const pthread_t caller = pthread_self();
    char text[128];
    omp_set_num_threads(8);
    cr_expect_eq(rill_threads_fit(1, 1), 1);
    cr_expect_eq(rill_threads_fit(2, 1), 2);
    cr_expect_eq(rill_threads_fit(2000, 1024), 1);
    cr_expect_eq(rill_threads_fit(4000, 1024), 3);
    cr_expect_eq(rill_threads_fit(1000000, 1024), 8);
    rill_threads_for(ITEMS, 1, visit, NULL); /* all eight are there */
    for (int k = 0; k < 200; k++) rill_threads_for(1900, 1000, count_others, &caller);
    cr_expect_eq(others, 0);
    rill_threads_explain(2000, 1024, "nodes", text, sizeof text);
    cr_expect_not_null(strstr(text, ": each gets 1024 nodes or more"), "%s", text);
}

Test(threads, beyond_the_processors_are_told)
{
    char text[128];
    omp_set_num_threads(rill_processors() + 1);
    rill_threads_explain(1 << 30, 1, "nodes", text, sizeof text);
    cr_expect_not_null(strstr(text, "more than processors"), "%s", text);
}

static void nest(const void *shared, uint64_t first, uint64_t end)
{
    (void)shared;
    for (uint64_t k = first; k < end; k++) {
        cr_assert_eq(rill_threads(), 1);
        rill_threads_for(10, 1, visit, NULL);
    }
}

Test(threads, do_not_nest)
{
    omp_set_num_threads(3);
    rill_threads_for(50, 1, nest, NULL);
    cr_expect_eq(visits[9], 50);
    cr_expect_eq(rill_threads(), 3);
}

static double processor_time(void)
{
    struct rusage usage;
    cr_assert_eq(getrusage(RUSAGE_SELF, &usage), 0);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

/* Between loops: eight threads that spin would take 0.3 s each, on as many processors as there are. */
Test(threads, sleep_when_they_wait)
{
    omp_set_num_threads(8);
    rill_threads_for(ITEMS, 100, visit, NULL);
    const double before = processor_time();
    nanosleep(&(struct timespec){0, 300000000}, NULL);
    cr_expect_lt(processor_time() - before, 0.05);
}

static int threads_of_process(void)
{
    char line[128];
    int count = 0;
    FILE *file = fopen("/proc/self/status", "r");
    cr_assert_not_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Threads: %d", &count) == 1) break;
    fclose(file);
    return count;
}

static void *run_loop(void *unused)
{
    omp_set_num_threads(4);
    rill_threads_for(1000, 1, visit, NULL);
    return unused;
}

Test(threads, end_with_the_thread_that_uses_them)
{
    pthread_t thread[2];
    const int before = threads_of_process();
    for (int k = 0; k < 2; k++) cr_assert_eq(pthread_create(&thread[k], NULL, run_loop, NULL), 0);
    for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
    for (int k = 0; k < 3000 && threads_of_process() > before; k++)
        usleep(10000); /* the kernel counts one that was waited for until it is gone */
    cr_expect_leq(threads_of_process(), before);
    cr_expect_eq(visits[999], 2);
}

Test(threads, serve_a_forked_process)
{
    const int wanted = 4;
    int code;
    omp_set_num_threads(wanted);
    /* Threads that begin while the process is forked leave locks of AddressSanitizer to the child, for ever.
     */
    rill_threads_for(1000, 1, meet, &wanted);
    cr_assert_eq(workers, wanted);
    const pid_t child = fork();
    if (child == 0) {
        workers = 0;
        seen = false;
        rill_threads_for(1000, 1, meet, &wanted);
        _exit(workers == wanted ? 0 : 1);
    }
    cr_assert_eq(waitpid(child, &code, 0), child);
    cr_expect_eq(code, 0);
}

/* The number that OpenMP chose at the start is too large by then. */
Test(threads, are_no_more_than_the_affinity_mask_has)
{
    cpu_set_t set, one;
    int first = 0;
    if (getenv("OMP_NUM_THREADS")) cr_skip_test("OMP_NUM_THREADS names the threads");
    cr_assert_eq(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(first, &set)) first++;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    cr_assert_eq(sched_setaffinity(0, sizeof one, &one), 0);
    cr_expect_eq(rill_threads(), 1);
}
