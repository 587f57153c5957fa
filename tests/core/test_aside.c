/* SPDX-License-Identifier: Apache-2.0 */
/* Work in a thread of its own: beside the caller, with as many threads for loops, its failure the caller's.
 */
#include "core/aside.h"
#include "core/status.h"
#include "message.h"

#include <criterion/criterion.h>
#include <omp.h>
#include <semaphore.h>

/* Two that wait for each other, which they can only side by side. */
typedef struct meeting {
    sem_t caller, work;
    int threads;
} meeting;

static rill_status meet(void *of)
{
    meeting *m = of;
    m->threads = omp_get_max_threads();
    sem_post(&m->work);
    sem_wait(&m->caller);
    return RILL_OK;
}

Test(aside, works_beside_its_caller)
{
    meeting m;
    rill_aside aside;
    const int threads = omp_get_max_threads() + 1; /* not what a new thread would use */
    sem_init(&m.caller, 0, 0);
    sem_init(&m.work, 0, 0);
    omp_set_num_threads(threads);
    rill_aside_begin(&aside, meet, &m);
    sem_wait(&m.work);
    sem_post(&m.caller);
    cr_assert_eq(rill_aside_end(&aside), RILL_OK);
    cr_assert_eq(m.threads, threads);
}

static rill_status fail(void *of)
{
    (void)of;
    return rill_fail(RILL_NUMERICS, "value, limit and remedy");
}

Test(aside, hands_a_failure_on_once)
{
    rill_aside aside = {.work = NULL};
    cr_assert_eq(rill_aside_end(&aside), RILL_OK, "none was begun");
    rill_aside_begin(&aside, fail, NULL);
    rill_fail(RILL_USAGE, "of the caller");
    cr_assert_eq(rill_aside_end(&aside), RILL_NUMERICS);
    expect_message("value, limit and remedy");
    cr_assert_eq(rill_aside_end(&aside), RILL_OK, "it has ended");
    rill_aside_begin(&aside, fail, NULL);
    rill_fail(RILL_USAGE, "of the caller");
    rill_aside_drop(&aside);
    expect_message("of the caller");
    cr_assert_eq(rill_aside_end(&aside), RILL_OK, "it was dropped");
}
