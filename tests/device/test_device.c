/* SPDX-License-Identifier: Apache-2.0 */
/* Devices share nothing: threads with one each get the same bits as one thread alone. */
#include "backends.h"
#include "device/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { threads_most = 3, edge = 24, steps = 60 };

/* A simulation of its own, from geometry to moments. */
typedef struct work {
    rill_backend_kind kind;
    rill_device *device; /* NULL: one of its own */
    rill_stream stream;
    rill_status status;
    char message[512];
    rill_node nodes;
    double *moments; /* [4][nodes] */
} work;

static rill_status flow(work *w)
{
    rill_geom *geom = NULL;
    rill_domain *domain = NULL;
    rill_sim *sim = NULL;
    rill_sim_options o = rill_sim_options_default();
    o.on.device = w->device;
    o.on.backend = w->kind;
    o.variant.stream = w->stream;
    o.variant.addressing = RILL_BITMAP;
    o.force[2] = 1e-5;
    rill_status status = rill_geom_create((const uint32_t[3]){edge, edge, edge}, &geom);
    for (uint64_t v = 0; status == RILL_OK && v < rill_geom_voxels(geom); v++)
        geom->voxels[v] = v * 2654435761u >> 30 & 1 ? RILL_FLUID : RILL_SOLID;
    if (status == RILL_OK) status = rill_domain_create(geom, &(rill_domain_options){RILL_D3Q19, 2}, &domain);
    if (status == RILL_OK) status = rill_sim_create(domain, &o, &sim);
    for (int k = 0; k < steps && status == RILL_OK; k++) status = rill_sim_step(sim, 1);
    if (status == RILL_OK) {
        w->nodes = rill_domain_nodes(domain);
        w->moments = malloc(4 * sizeof(double) * w->nodes);
        status = rill_sim_moments(sim, 0, w->nodes, w->moments, w->moments + w->nodes);
    }
    rill_sim_destroy(sim);
    rill_domain_destroy(domain);
    rill_geom_destroy(geom);
    return status;
}

static void *work_in_thread(void *of)
{
    work *w = of;
    w->status = flow(w);
    snprintf(w->message, sizeof w->message, "%s", rill_error_message());
    return NULL;
}

/* Twice as many simulations side by side as threads elsewhere, half of them on a device that a thread made
 * for them, the others on their own; with openings of no kind, but with steps whose blocks wait for each
 * other. */
Test(device, simulations_in_threads_have_the_bits_of_one_alone)
{
    static const rill_stream streams[] = {RILL_PULL, RILL_AA, RILL_RING};
    FOR_EACH_BACKEND(kind)
    for (size_t s = 0; s < sizeof streams / sizeof *streams; s++) {
        work alone = {.kind = kind, .stream = streams[s]}, all[threads_most];
        pthread_t threads[threads_most];
        alone.status = flow(&alone);
        cr_assert_eq(alone.status, RILL_OK, "%s", rill_error_message());
        for (int k = 0; k < threads_most; k++) {
            all[k] = (work){.kind = kind, .stream = streams[s]};
            if (k % 2) ASSERT_OK(rill_device_create(kind, 0, &all[k].device));
            cr_assert_eq(pthread_create(&threads[k], NULL, work_in_thread, &all[k]), 0);
        }
        for (int k = 0; k < threads_most; k++) {
            pthread_join(threads[k], NULL);
            cr_assert_eq(all[k].status, RILL_OK, "%s", all[k].message);
            cr_assert_eq(all[k].nodes, alone.nodes);
            cr_expect_eq(memcmp(all[k].moments, alone.moments, 4 * sizeof(double) * alone.nodes), 0,
                         "thread %d, stream %d on backend %d", k, streams[s], kind);
            free(all[k].moments);
            rill_device_destroy(all[k].device);
        }
        free(alone.moments);
    }
}

/* Simulations on one device, made and stepped in turns, do not disturb each other. */
Test(device, simulations_on_one_device_follow_each_other)
{
    FOR_EACH_BACKEND(kind)
    {
        rill_device *device = NULL;
        work alone = {.kind = kind, .stream = RILL_PULL};
        ASSERT_OK(flow(&alone));
        ASSERT_OK(rill_device_create(kind, 0, &device));
        for (int k = 0; k < 2; k++) {
            work again = {.device = device, .stream = RILL_PULL};
            ASSERT_OK(flow(&again));
            cr_expect_eq(memcmp(again.moments, alone.moments, 4 * sizeof(double) * alone.nodes), 0);
            free(again.moments);
        }
        cr_expect_not_null(rill_device_name(device));
        rill_device_destroy(device);
        free(alone.moments);
    }
}

Test(device, that_is_not_there_is_refused)
{
    rill_device *device = NULL;
    cr_expect_eq(rill_device_create(RILL_BACKEND_CPU, 1, &device), RILL_USAGE);
    cr_expect_not_null(strstr(rill_error_message(), "no CPU device 1"));
    cr_expect_eq(rill_device_create(RILL_BACKEND_AUTO, -1, &device), RILL_USAGE);
    /* A number of a GPU is no wish for the processors. */
    cr_expect_neq(rill_device_create(RILL_BACKEND_AUTO, 999, &device), RILL_OK);
    cr_expect_null(device);
    cr_expect_eq(rill_device_create((rill_backend_kind)7, 0, &device), RILL_USAGE);
    cr_expect_null(device);
    if (rill_backend_available(RILL_BACKEND_CUDA))
        cr_expect_eq(rill_device_create(RILL_BACKEND_CUDA, 1000, &device), RILL_USAGE);
    else
        cr_expect_eq(rill_device_create(RILL_BACKEND_CUDA, 0, &device), RILL_SYSTEM);
    rill_device_destroy(device);
}

/* What begins in another thread ends with the same device, or the same message. */
Test(device, opens_while_something_else_is_done)
{
    rill_device_opening opening;
    rill_device *device = NULL;
    rill_device_begin(RILL_BACKEND_AUTO, 0, &opening);
    ASSERT_OK(rill_device_end(&opening, &device));
    cr_assert_not_null(device);
    rill_device_destroy(device);
    rill_device_begin(RILL_BACKEND_CUDA, 1000, &opening);
    cr_expect_neq(rill_device_end(&opening, &device), RILL_OK);
    cr_expect_null(device);
    cr_expect_not_null(strstr(rill_error_message(), "CUDA"));
}

/* What was refused leaves no error behind: another run on the device, in less memory, is not blamed for it.
 */
Test(device, works_on_after_an_array_that_it_has_no_memory_for)
{
    FOR_EACH_BACKEND(kind)
    {
        rill_device *device = NULL;
        void *array = NULL;
        ASSERT_OK(rill_device_create(kind, 0, &device));
        cr_expect_eq(rill_device_alloc(device, UINT64_C(1) << 50, "far too much", &array), RILL_SYSTEM);
        cr_expect_null(array);
        work again = {.device = device, .stream = RILL_PULL};
        ASSERT_OK(flow(&again));
        free(again.moments);
        rill_device_destroy(device);
    }
}
