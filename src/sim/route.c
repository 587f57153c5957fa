/* SPDX-License-Identifier: Apache-2.0 */
/* Copies stored populations from simulation to simulation. */
#include "sim/route.h"

#include "kernel/storage/storage.h"

#include <string.h>

static uint64_t bytes_of(const rill_route *r)
{
    return r->count * rill_storage_size((int)r->from_set->options.variant.storage);
}

/* Words of odd exchanges begin so many bytes behind those of even ones, in lines of their own. */
static uint64_t odd_of(const rill_route *r) { return (bytes_of(r) + 255) / 256 * 256; }

static void *words_at(const rill_route *r, void *both, unsigned exchange)
{
    return (char *)both + (exchange & 1 ? odd_of(r) : 0);
}

/* Bring links to the device of a simulation, as the slots of their populations before even and odd steps.
 */
static rill_status slots_create(const rill_sim *sim, const rill_set *set, const rill_cut_link *links,
                                uint64_t count, rill_cut_link *slots[2])
{
    rill_status status = RILL_OK;
    rill_launch launch = rill_set_launch(sim, set);
    for (int p = 0; p < rill_stream_parities(launch.variant.stream); p++) {
        const uint64_t bytes = count * sizeof *links;
        RILL_TRY(rill_device_alloc(sim->device, bytes, "links between parts", (void **)&slots[p]));
        RILL_TRY(rill_device_upload(sim->device, slots[p], links, bytes));
        launch.parity = p;
        set->kernels->locate(&launch, slots[p], count);
    }
done:
    return status;
}

static void slots_destroy(const rill_sim *sim, rill_cut_link *slots[2])
{
    for (int p = 0; p < 2; p++) rill_device_free(sim->device, slots[p]);
}

rill_status rill_route_create(rill_sim *from, rill_sim *to, int set, const rill_cut_link *sends,
                              const rill_cut_link *receives, uint64_t count, rill_route *out)
{
    rill_status status = RILL_OK;
    static const char what[] = "populations between parts";
    rill_route r = {
        .from = from, .to = to, .from_set = &from->flow[set], .to_set = &to->flow[set], .count = count};
    r.direct = rill_device_reaches(from->device, to->device);
    RILL_TRY(slots_create(from, r.from_set, sends, count, r.sends));
    RILL_TRY(slots_create(to, r.to_set, receives, count, r.receives));
    const uint64_t both = odd_of(&r) + bytes_of(&r);
    if (r.direct)
        RILL_TRY(rill_device_land(to->device, from->device, both, what, &r.words));
    else
        RILL_TRY(rill_device_alloc(from->device, both, what, &r.words.seen));
    if (!r.direct) RILL_TRY(rill_device_alloc(to->device, bytes_of(&r), what, &r.received));
    RILL_TRY(
        rill_device_wait(from->device)); /* memory is cleared in queues that do not wait for each other */
    RILL_TRY(rill_device_wait(to->device));
    *out = r;
    memset(&r, 0, sizeof r);
done:
    rill_route_destroy(&r);
    return status;
}

uint64_t rill_route_held(const rill_route *r)
{
    const uint64_t slots = r->count * sizeof(rill_cut_link) *
                           (uint64_t)rill_stream_parities(r->from_set->options.variant.stream);
    return 2 * slots + odd_of(r) + bytes_of(r) + (r->direct ? 0 : bytes_of(r));
}

void rill_route_destroy(rill_route *r)
{
    if (r->from) {
        slots_destroy(r->from, r->sends);
        slots_destroy(r->to, r->receives);
        if (r->direct)
            rill_device_unland(r->to->device, r->from->device, &r->words);
        else
            rill_device_free(r->from->device, r->words.seen);
        rill_device_free(r->to->device, r->received);
    }
    memset(r, 0, sizeof *r);
}

void rill_route_send(const rill_route *r, void *queue, unsigned exchange)
{
    rill_launch launch = rill_set_launch(r->from, r->from_set);
    void *words = words_at(r, r->words.seen, exchange);
    launch.queue = queue;
    r->from_set->kernels->pack(&launch, r->sends[launch.parity], r->count, words);
    if (!r->direct) rill_device_offer(r->from->device, queue, words, r->to->device, bytes_of(r));
}

rill_status rill_route_fetch(const rill_route *r, void *queue, unsigned exchange)
{
    if (r->direct) return RILL_OK;
    return rill_device_pass(r->to->device, queue, r->received, r->from->device,
                            words_at(r, r->words.seen, exchange), bytes_of(r));
}

void rill_route_receive(const rill_route *r, void *queue, unsigned exchange)
{
    rill_launch launch = rill_set_launch(r->to, r->to_set);
    launch.queue = queue;
    r->to_set->kernels->unpack(&launch, r->receives[launch.parity], r->count,
                               r->direct ? words_at(r, r->words.array, exchange) : r->received);
}
