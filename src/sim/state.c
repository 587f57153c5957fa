/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a simulation as bytes: a head that says what it is of, what outlets have stored, populations.
 * Two arrays alternate; only the one that the next step reads is kept.
 */
#include "sim/several.h"
#include "sim/sim_priv.h"

#include "core/memory.h"
#include "kernel/variant.h"

#include <stdlib.h>
#include <string.h>

typedef struct head {
    uint64_t magic, steps, nodes, stride, ring, populations; /* the last: bytes */
    uint32_t patches, host; /* whose memory: rows lie otherwise on a device */
    char variant[96];
} head;

#define MAGIC 0x31657461746c6972u

/* A state that is being put in: its part before the populations. */
struct rill_sim_loading {
    uint64_t bytes;
    char *front;
};

static uint64_t front_bytes(const rill_sim *sim)
{
    return sizeof(head) + (uint64_t)sim->patches.count * sizeof(double);
}

static head head_of(const rill_sim *sim)
{
    head h = {.magic = MAGIC,
              .steps = sim->steps,
              .nodes = sim->arrays.nodes,
              .stride = sim->arrays.stride,
              .ring = sim->ring,
              .populations = rill_sim_population_bytes(sim->options.variant, sim->arrays.stride),
              .patches = (uint32_t)sim->patches.count,
              .host = sim->device->backend->host};
    rill_variant_name(sim->options.variant, h.variant, sizeof h.variant);
    return h;
}

static uint64_t part_bytes(const rill_sim *sim)
{
    return front_bytes(sim) + rill_sim_population_bytes(sim->options.variant, sim->arrays.stride);
}

static rill_status range_check(const rill_sim *sim, uint64_t offset, uint64_t bytes)
{
    const uint64_t all = part_bytes(sim);
    if (offset <= all && bytes <= all - offset) return RILL_OK;
    return rill_fail(RILL_USAGE, "bytes %llu to %llu are not all of the state, which has %llu",
                     (unsigned long long)offset, (unsigned long long)(offset + bytes),
                     (unsigned long long)all);
}

static rill_status part_save(rill_sim *sim, uint64_t offset, uint64_t bytes, void *to)
{
    rill_status status = RILL_OK;
    char *front = NULL;
    const uint64_t before = front_bytes(sim);
    const rill_launch launch = rill_sim_launch(sim);
    RILL_TRY(range_check(sim, offset, bytes));
    if (offset < before) {
        const head h = head_of(sim);
        const uint64_t part = bytes < before - offset ? bytes : before - offset;
        RILL_TRY(rill_array_create(before, 1, "the state of a simulation", (void **)&front));
        memcpy(front, &h, sizeof h);
        RILL_TRY(rill_patches_stored(&sim->patches, 0, sim->patches.count, sim->steps,
                                     (double *)(void *)(front + sizeof h)));
        memcpy(to, front + offset, part);
        offset += part, bytes -= part, to = (char *)to + part;
    }
    if (bytes)
        RILL_TRY(rill_device_download(sim->device, to,
                                      (const char *)launch.from.populations + (offset - before), bytes));
done:
    rill_array_destroy(front);
    return status;
}

void rill_sim_loading_free(rill_sim *sim)
{
    if (sim->loading) rill_array_destroy(sim->loading->front);
    free(sim->loading);
    sim->loading = NULL;
}

static rill_status loading_make(rill_sim *sim)
{
    if (sim->loading) return RILL_OK;
    struct rill_sim_loading *loading = calloc(1, sizeof *loading);
    if (!loading) return rill_fail(RILL_SYSTEM, "out of memory for the state of a simulation");
    const rill_status status =
        rill_array_create_zero(front_bytes(sim), 1, "the state of a simulation", (void **)&loading->front);
    if (status == RILL_OK)
        sim->loading = loading;
    else
        free(loading);
    return status;
}

static rill_status part_load(rill_sim *sim, uint64_t offset, uint64_t bytes, const void *from)
{
    rill_status status = RILL_OK;
    const uint64_t before = front_bytes(sim), given = bytes;
    RILL_TRY(range_check(sim, offset, bytes));
    RILL_TRY(loading_make(sim));
    if (offset < before) {
        const uint64_t part = bytes < before - offset ? bytes : before - offset;
        memcpy(sim->loading->front + offset, from, part);
        offset += part, bytes -= part, from = (const char *)from + part;
    }
    if (bytes)
        RILL_TRY(
            rill_device_upload(sim->device, (char *)sim->populations[0] + (offset - before), from, bytes));
    sim->loading->bytes += given;
done:
    return status;
}

/* Refuse a state of something else. */
static rill_status head_check(const rill_sim *sim, const head *h, uint64_t steps)
{
    const head own = head_of(sim);
    if (h->magic != own.magic) return rill_fail(RILL_USAGE, "what was loaded is no state of a simulation");
    if (h->host != own.host)
        return rill_fail(RILL_USAGE,
                         "the state is of a simulation on the %s, this one is on the %s: choose the same "
                         "backend",
                         h->host ? "CPU" : "device", own.host ? "CPU" : "device");
    if (memcmp(h->variant, own.variant, sizeof own.variant) != 0)
        return rill_fail(RILL_USAGE, "the state is of variant %.95s, the simulation of %s: choose the same",
                         h->variant, own.variant);
    if (h->nodes != own.nodes || h->stride != own.stride || h->populations != own.populations ||
        h->patches != own.patches || h->ring >= own.stride)
        return rill_fail(
            RILL_USAGE,
            "the state has %llu nodes and %u patches, the simulation %llu and %u: set it up as it was",
            (unsigned long long)h->nodes, h->patches, (unsigned long long)own.nodes, own.patches);
    if (h->steps != steps)
        return rill_fail(RILL_USAGE, "the state is that after %llu steps, not after %llu",
                         (unsigned long long)h->steps, (unsigned long long)steps);
    return RILL_OK;
}

static rill_status part_resume(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    head h;
    if (!sim->loading || sim->loading->bytes != part_bytes(sim)) {
        status = rill_fail(RILL_USAGE, "%llu of the %llu bytes of the state were loaded: load all, once",
                           sim->loading ? (unsigned long long)sim->loading->bytes : 0,
                           (unsigned long long)part_bytes(sim));
        goto done;
    }
    memcpy(&h, sim->loading->front, sizeof h);
    RILL_TRY(head_check(sim, &h, steps));
    if (sim->populations[1] && steps & 1) { /* what was loaded is to be the array that the next step reads */
        void *loaded = sim->populations[0];
        sim->populations[0] = sim->populations[1];
        sim->populations[1] = loaded;
    }
    RILL_TRY(rill_patches_restore(&sim->patches, steps,
                                  (const double *)(const void *)(sim->loading->front + sizeof h)));
    sim->steps = sim->fresh = steps;
    sim->ring = h.ring;
    RILL_TRY(rill_device_wait(sim->device));
done:
    rill_sim_loading_free(sim);
    return status;
}

/* Parts, and what openings in several of them take place on. */
static int members(const rill_sim *sim)
{
    return sim->several ? sim->several->parts.count + sim->several->stage_count : 1;
}

static rill_sim *member(rill_sim *sim, int k)
{
    if (!sim->several) return sim;
    const int parts = sim->several->parts.count;
    return k < parts ? sim->several->sims[k] : sim->several->stages[k - parts]->sim;
}

uint64_t rill_sim_state_bytes(rill_sim *sim)
{
    uint64_t bytes = 0;
    for (int k = 0; k < members(sim); k++) bytes += part_bytes(member(sim, k));
    return bytes;
}

/* Return the bytes, of `bytes` from `offset` on, that lie in the state of a part whose own begins at
 * `begins`; where they begin in it. */
static uint64_t share_of(rill_sim *part, uint64_t begins, uint64_t offset, uint64_t bytes, uint64_t *within)
{
    const uint64_t ends = begins + part_bytes(part), end = offset + bytes;
    const uint64_t low = offset > begins ? offset : begins, high = end < ends ? end : ends;
    *within = low < high ? low - begins : 0;
    return low < high ? high - low : 0;
}

rill_status rill_sim_state_save(rill_sim *sim, uint64_t offset, uint64_t bytes, void *to)
{
    rill_status status = RILL_OK;
    if (!sim->several) return part_save(sim, offset, bytes, to);
    for (uint64_t k = 0, begins = 0; k < (uint64_t)members(sim); k++) {
        rill_sim *part = member(sim, (int)k);
        uint64_t within;
        const uint64_t some = share_of(part, begins, offset, bytes, &within);
        if (some) RILL_TRY(part_save(part, within, some, (char *)to + (begins + within - offset)));
        begins += part_bytes(part);
    }
done:
    return status;
}

rill_status rill_sim_state_load(rill_sim *sim, uint64_t offset, uint64_t bytes, const void *from)
{
    rill_status status = RILL_OK;
    if (!sim->several) return part_load(sim, offset, bytes, from);
    for (uint64_t k = 0, begins = 0; k < (uint64_t)members(sim); k++) {
        rill_sim *part = member(sim, (int)k);
        uint64_t within;
        const uint64_t some = share_of(part, begins, offset, bytes, &within);
        if (some) RILL_TRY(part_load(part, within, some, (const char *)from + (begins + within - offset)));
        begins += part_bytes(part);
    }
done:
    return status;
}

rill_status rill_sim_state_resume(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < members(sim); k++) RILL_TRY(part_resume(member(sim, k), steps));
    sim->steps = sim->fresh = steps;
done:
    return status;
}

void rill_sim_skip(rill_sim *sim, uint64_t steps)
{
    for (int k = 0; k < members(sim); k++) member(sim, k)->steps += steps;
    if (sim->several) sim->steps += steps;
}
