/* SPDX-License-Identifier: Apache-2.0 */
/* Moments and stress at listed nodes. */
#include "sim/sim_priv.h"

#include "core/memory.h"

#include <stdlib.h>

/* Nodes that are taken at a time: ten doubles each. */
enum { part_nodes = 1 << 18 };

struct rill_sample {
    rill_device *device;
    uint64_t count;
    rill_node *numbers;   /* [count], as kernels number nodes, host: the backend may share it */
    const rill_node *own; /* the same on the backend */
    double *out;          /* [10][part], on the backend */
    double *host;
};

rill_sample_size rill_sample_measure(uint64_t nodes)
{
    const rill_sample *s = NULL;
    const uint64_t part = (nodes < part_nodes ? nodes : part_nodes) * 10,
                   numbers = nodes * sizeof *s->numbers;
    return (rill_sample_size){numbers + part * sizeof *s->host, numbers + part * sizeof *s->out};
}

rill_status rill_sim_sample_create(rill_sim *sim, const rill_node *nodes, uint64_t count, rill_sample **out)
{
    rill_status status = RILL_OK;
    rill_sample *s = NULL;
    const uint64_t part = count < part_nodes ? count : part_nodes;
    RILL_TRY(rill_sim_alone(sim, "samples of nodes"));
    if (count == 0) return rill_fail(RILL_USAGE, "a sample of 0 nodes shows nothing: list 1 or more");
    for (uint64_t k = 0; k < count; k++)
        if (nodes[k] >= sim->domain->nodes)
            return rill_fail(RILL_USAGE, "node %u is none of the %u of the domain", nodes[k],
                             sim->domain->nodes);
    s = calloc(1, sizeof *s);
    if (!s) return rill_fail(RILL_SYSTEM, "out of memory for a sample");
    s->device = sim->device;
    s->count = count;
    RILL_TRY(rill_array_create(count, sizeof *s->numbers, "a sample of nodes", (void **)&s->numbers));
    for (uint64_t k = 0; k < count; k++) s->numbers[k] = rill_sim_number(sim, nodes[k]);
    RILL_TRY(rill_device_share(s->device, s->numbers, count * sizeof *s->numbers, "a sample of nodes",
                               (const void **)&s->own));
    RILL_TRY(rill_device_alloc(s->device, 10 * part * sizeof *s->out, "a sample of nodes", (void **)&s->out));
    RILL_TRY(rill_array_create(10 * part, sizeof *s->host, "a sample of nodes", (void **)&s->host));
    *out = s;
    s = NULL;
done:
    rill_sample_destroy(s);
    return status;
}

rill_status rill_sim_sample_take(rill_sim *sim, rill_sample *s, double *out)
{
    rill_status status = RILL_OK;
    const rill_launch launch = rill_sim_launch(sim);
    for (uint64_t first = 0; first < s->count; first += part_nodes) {
        const uint64_t part = s->count - first < part_nodes ? s->count - first : part_nodes;
        sim->kernels->sample(&launch, s->own + first, part, s->out);
        RILL_TRY(rill_device_wait(s->device));
        RILL_TRY(rill_device_download(s->device, s->host, s->out, 10 * part * sizeof *s->host));
        for (uint64_t a = 0; a < 10; a++)
            for (uint64_t k = 0; k < part; k++) out[a * s->count + first + k] = s->host[a * part + k];
    }
done:
    return status;
}

void rill_sample_destroy(rill_sample *s)
{
    if (!s) return;
    rill_device_release(s->device, s->own);
    rill_device_free(s->device, s->out);
    rill_array_destroy(s->numbers);
    rill_array_destroy(s->host);
    free(s);
}
