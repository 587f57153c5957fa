/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file kept.h
 * Geometries whose voxels several processes keep. The processes are pieces of memory here;
 * tests/cli/test_cli_processes.c starts real ones.
 */
#ifndef RILL_TESTS_KEPT_H
#define RILL_TESTS_KEPT_H

#include "geometry/voxels/planes.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define KEPT_OK(call) cr_assert_eq(call, RILL_OK, "%s", rill_error_message())

static int kept_pieces;       /**< of memory that were taken and not given back */
static bool kept_apart;       /**< processes must not be called now */
static pthread_t kept_caller; /**< the one thread that may call them, once one has */

static inline void kept_called(void)
{
    cr_assert_not(kept_apart);
    if (!kept_caller) kept_caller = pthread_self();
    cr_assert(pthread_equal(kept_caller, pthread_self()), "a second thread calls the processes");
}

static inline rill_status kept_take(void *context, int process, uint64_t bytes, const char *what,
                                    void **memory)
{
    (void)context, (void)process, (void)what;
    kept_called();
    kept_pieces++;
    *memory = calloc(1, bytes);
    return *memory ? RILL_OK : RILL_SYSTEM;
}

static inline void kept_give_back(void *context, int process, void *memory)
{
    (void)context, (void)process;
    kept_called();
    kept_pieces--;
    free(memory);
}

static inline rill_status kept_put(void *context, int process, void *memory, const void *from, uint64_t bytes)
{
    (void)context, (void)process;
    kept_called();
    memcpy(memory, from, bytes);
    return RILL_OK;
}

static inline rill_status kept_get(void *context, int process, const void *memory, void *to, uint64_t bytes)
{
    (void)context, (void)process;
    kept_called();
    memcpy(to, memory, bytes);
    return RILL_OK;
}

/** Return a keeper. @param window  planes that are seen at a time, 0: as many as serve */
static inline rill_keeper kept_by(int processes, uint32_t window)
{
    return (rill_keeper){.count = processes,
                         .window = window,
                         .take = kept_take,
                         .give_back = kept_give_back,
                         .put = kept_put,
                         .get = kept_get};
}

/** Have a geometry kept, as it is. */
static inline rill_geom *kept_copy(const rill_geom *geom, int processes, uint32_t window)
{
    const rill_keeper k = kept_by(processes, window);
    rill_geom *made = NULL;
    KEPT_OK(rill_geom_create_kept(geom->n, &k, &made));
    KEPT_OK(rill_geom_take_voxels(made, geom));
    memcpy(made->sides, geom->sides, sizeof made->sides);
    made->porosity = geom->porosity;
    made->spacing = geom->spacing;
    cr_assert_null(made->voxels);
    return made;
}

static inline void kept_expect_voxels(const rill_geom *a, const rill_geom *b)
{
    rill_geom *whole = NULL;
    cr_assert_arr_eq(a->n, b->n, sizeof a->n);
    KEPT_OK(rill_geom_create(b->n, &whole));
    KEPT_OK(rill_geom_take_voxels(whole, b));
    cr_assert_arr_eq(a->voxels, whole->voxels, rill_geom_voxels(a));
    cr_assert_eq(rill_geom_fluid(a), rill_geom_fluid(b));
    rill_geom_destroy(whole);
}

#endif
