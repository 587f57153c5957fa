/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stored populations from simulation to simulation. */
#include "sim/route.h"

#include "kernel/storage.h"

#include <string.h>

static uint64_t word_bytes(const rill_route *r)
{
    return rill_storage_size((int)r->from->options.variant.storage);
}

rill_status rill_route_create(rill_sim *from, rill_sim *to, const rill_cut_link *sends,
                              const rill_cut_link *receives, uint64_t count, rill_route *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "populations between parts";
    rill_route r = {.from = from, .to = to, .count = count};
    const uint64_t bytes = count * word_bytes(&r);
    r.direct = rill_device_reaches(from->device, to->device);
    RILL_TRY(rill_device_share(from->device, sends, count * sizeof *sends, "links between parts",
                               (const void **)&r.sends));
    RILL_TRY(rill_device_share(to->device, receives, count * sizeof *receives, "links between parts",
                               (const void **)&r.receives));
    for (int k = 0; k < 2; k++)
        RILL_TRY(rill_device_alloc(r.direct ? to->device : from->device, bytes, what, &r.words[k]));
    if (!r.direct) RILL_TRY(rill_device_alloc(to->device, bytes, what, &r.received));
    RILL_TRY(
        rill_device_wait(from->device)); /* memory is cleared in queues that do not wait for each other */
    RILL_TRY(rill_device_wait(to->device));
    *out = r;
    memset(&r, 0, sizeof r);
done:
    rill_route_destroy(&r);
    return status;
}

void rill_route_destroy(rill_route *r)
{
    if (r->from) {
        rill_device_release(r->from->device, r->sends);
        rill_device_release(r->to->device, r->receives);
        for (int k = 0; k < 2; k++)
            rill_device_free(r->direct ? r->to->device : r->from->device, r->words[k]);
        rill_device_free(r->to->device, r->received);
    }
    memset(r, 0, sizeof *r);
}

void rill_route_send(const rill_route *r, void *queue, unsigned exchange)
{
    rill_launch launch = rill_sim_launch(r->from);
    launch.queue = queue;
    r->from->kernels->pack(&launch, r->sends, r->count, r->words[exchange & 1]);
}

rill_status rill_route_fetch(const rill_route *r, void *queue, unsigned exchange)
{
    if (r->direct) return RILL_OK;
    return rill_device_pass(r->to->device, queue, r->received, r->from->device, r->words[exchange & 1],
                            r->count * word_bytes(r));
}

void rill_route_receive(const rill_route *r, void *queue, unsigned exchange)
{
    rill_launch launch = rill_sim_launch(r->to);
    launch.queue = queue;
    r->to->kernels->unpack(&launch, r->receives, r->count, r->direct ? r->words[exchange & 1] : r->received);
}
