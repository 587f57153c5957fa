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
    RILL_TRY(rill_device_share(from->device, sends, count * sizeof *sends, "links between parts",
                               (const void **)&r.sends));
    RILL_TRY(rill_device_share(to->device, receives, count * sizeof *receives, "links between parts",
                               (const void **)&r.receives));
    for (int k = 0; k < 2; k++) RILL_TRY(rill_device_alloc(from->device, bytes, what, &r.sent[k]));
    if (!to->device->backend->host) RILL_TRY(rill_device_alloc(to->device, bytes, what, &r.received));
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
        for (int k = 0; k < 2; k++) rill_device_free(r->from->device, r->sent[k]);
        rill_device_free(r->to->device, r->received);
    }
    memset(r, 0, sizeof *r);
}

void rill_route_send(const rill_route *r, unsigned exchange)
{
    const rill_launch launch = rill_sim_launch(r->from);
    r->from->kernels->pack(&launch, r->sends, r->count, r->sent[exchange & 1]);
}

rill_status rill_route_receive(const rill_route *r, unsigned exchange)
{
    rill_status status = RILL_OK;
    const void *words = r->sent[exchange & 1];
    const rill_launch launch = rill_sim_launch(r->to);
    if (r->received) {
        RILL_TRY(
            rill_device_pass(r->to->device, r->received, r->from->device, words, r->count * word_bytes(r)));
        words = r->received;
    }
    r->to->kernels->unpack(&launch, r->receives, r->count, words);
done:
    return status;
}
