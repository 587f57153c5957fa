/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stored populations from simulation to simulation. */
#include "sim/route.h"

#include "kernel/storage.h"

#include <string.h>

static uint64_t word_bytes(const rill_route *r)
{
    return rill_storage_size((int)r->from->options.variant.storage);
}

/* Bring links to the device of a simulation, as the slots of their populations before even and odd steps.
 */
static rill_status slots_create(const rill_sim *sim, const rill_cut_link *links, uint64_t count,
                                rill_cut_link *slots[2])
{
    rill_status status = RILL_OK;
    rill_launch launch = rill_sim_launch(sim);
    for (int p = 0; p < rill_stream_parities(launch.variant.stream); p++) {
        const uint64_t bytes = count * sizeof *links;
        RILL_TRY(rill_device_alloc(sim->device, bytes, "links between parts", (void **)&slots[p]));
        RILL_TRY(rill_device_upload(sim->device, slots[p], links, bytes));
        launch.parity = p;
        sim->kernels->locate(&launch, slots[p], count);
    }
done:
    return status;
}

static void slots_destroy(const rill_sim *sim, rill_cut_link *slots[2])
{
    for (int p = 0; p < 2; p++) rill_device_free(sim->device, slots[p]);
}

rill_status rill_route_create(rill_sim *from, rill_sim *to, const rill_cut_link *sends,
                              const rill_cut_link *receives, uint64_t count, rill_route *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "populations between parts";
    rill_route r = {.from = from, .to = to, .count = count};
    const uint64_t bytes = count * word_bytes(&r);
    r.direct = rill_device_reaches(from->device, to->device);
    RILL_TRY(slots_create(from, sends, count, r.sends));
    RILL_TRY(slots_create(to, receives, count, r.receives));
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
        slots_destroy(r->from, r->sends);
        slots_destroy(r->to, r->receives);
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
    r->from->kernels->pack(&launch, r->sends[launch.parity], r->count, r->words[exchange & 1]);
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
    r->to->kernels->unpack(&launch, r->receives[launch.parity], r->count,
                           r->direct ? r->words[exchange & 1] : r->received);
}
