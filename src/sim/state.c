/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state of a simulation as bytes: a head that says what it is of, the variants of further sets, what
 * outlets have stored, and set after set what comes in to every node along every link before the next step,
 * as it is stored: RILL_CHUNK nodes after the other, each chunk direction by direction. So it does not depend
 * on where a scheme keeps populations, on the devices, or on how many there are. Where density and momentum
 * are stored, those of the step before follow in each chunk: steps with memory need them.
 */
#include "sim/several.h"

#include "core/memory.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A variant, and the backend: backends round sums and products otherwise. */
typedef char name[120];

typedef struct head {
    uint64_t magic, steps, nodes;
    uint32_t patches, more_sets; /* sets beside the first */
    name variant;                /* of the first set */
} head;

#define MAGIC 0x33657461746c6972u

/* A state that is being put in: its part before the populations. */
struct rill_sim_loading {
    uint64_t bytes;
    char *front;
    bool fits; /* the head is of this simulation, and populations are taken */
    bool lost; /* some came before it */
};

static int patch_count(const rill_sim *sim)
{
    return sim->several ? sim->several->patch_count : sim->patches.count;
}

static uint64_t front_bytes(const rill_sim *sim)
{
    return sizeof(head) + (uint64_t)(sim->set_count - 1) * sizeof(name) +
           (uint64_t)patch_count(sim) * 2 * sizeof(double);
}

static void name_write(const rill_sim *sim, const rill_set *set, name out)
{
    rill_variant_name(set->options.variant, out, sizeof(name));
    const size_t used = strlen(out);
    snprintf(out + used, sizeof(name) - used, " on %s", sim->device->backend->name);
}

static head head_of(const rill_sim *sim)
{
    head h = {.magic = MAGIC,
              .steps = sim->steps,
              .nodes = sim->domain->nodes,
              .patches = (uint32_t)patch_count(sim),
              .more_sets = (uint32_t)sim->set_count - 1};
    name_write(sim, sim->flow, h.variant);
    return h;
}

/* Arrays of a set that are saved. */
static uint64_t arrays_of(const rill_set *set)
{
    return rill_stream_macroscopic((int)set->options.variant.stream) ? 2 : 1;
}

static uint64_t node_bytes(const rill_set *set)
{
    return arrays_of(set) * rill_set_words(set) * rill_storage_size((int)set->options.variant.storage);
}

/* Return the bytes of the populations of a set. */
static uint64_t set_bytes(const rill_sim *sim, int set)
{
    return sim->domain->nodes * node_bytes(&sim->flow[set]);
}

uint64_t rill_sim_state_bytes(rill_sim *sim)
{
    uint64_t bytes = front_bytes(sim);
    for (int k = 0; k < sim->set_count; k++) bytes += set_bytes(sim, k);
    return bytes;
}

static rill_status range_check(rill_sim *sim, uint64_t offset, uint64_t bytes)
{
    const uint64_t all = rill_sim_state_bytes(sim);
    if (offset <= all && bytes <= all - offset) return RILL_OK;
    return rill_fail(RILL_USAGE, "bytes %llu to %llu are not all of the state, which has %llu",
                     (unsigned long long)offset, (unsigned long long)(offset + bytes),
                     (unsigned long long)all);
}

/* ---- populations ----------------------------------------------------------------------------- */

/* A chunk of nodes of a set, all in one part. */
typedef struct chunk {
    rill_sim *sim; /* the part */
    const rill_set *set;
    rill_node first; /* among its nodes */
    rill_node nodes;
    uint64_t bytes;
} chunk;

static chunk chunk_of(rill_sim *sim, int set, uint64_t number)
{
    const rill_global_node first = number * RILL_CHUNK, left = sim->domain->nodes - first;
    chunk c = {sim, &sim->flow[set], (rill_node)first, (rill_node)(left < RILL_CHUNK ? left : RILL_CHUNK), 0};
    c.bytes = c.nodes * node_bytes(c.set);
    if (!sim->several) return c;
    const int part = rill_parts_of(&sim->several->parts, first);
    c.sim = sim->several->sims[part];
    c.set = &c.sim->flow[set];
    c.first = (rill_node)(first - sim->several->parts.part[part].first);
    return c;
}

/* Describe the nodes of a chunk to kernels, and make room for its words on the device. */
static rill_status chunk_launch(const chunk *c, rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_sim *sim = c->sim;
    uint64_t largest = 0;
    for (int k = 0; k < sim->set_count; k++)
        if (node_bytes(&sim->flow[k]) > largest) largest = node_bytes(&sim->flow[k]);
    if (!sim->words)
        RILL_TRY(
            rill_device_alloc(sim->device, RILL_CHUNK * largest, "the state of a simulation", &sim->words));
    *launch = rill_set_launch(sim, c->set);
    RILL_TRY(rill_sim_order(sim, c->first, c->nodes, launch));
    launch->first = sim->domain->first + c->first;
    launch->end = launch->first + c->nodes;
done:
    return status;
}

/* Return the words of one of the arrays of a chunk. */
static void *array_words(const chunk *c, uint64_t array)
{
    return (char *)c->sim->words + array * (c->bytes / arrays_of(c->set));
}

/* Nothing is remembered by time steps, or before the first step with memory: what is stored is so, too, of
 * the step before.
 * @param raw  what is there of the step before in any case */
static rill_status chunk_save(const chunk *c, bool raw, void *to)
{
    rill_status status = RILL_OK;
    const bool memory = raw || (c->set->relaxation.memory > 0 && c->sim->steps != c->sim->given);
    rill_launch launch;
    RILL_TRY(chunk_launch(c, &launch));
    for (uint64_t k = 0; k < arrays_of(c->set); k++) {
        if (k && memory) launch.from = launch.to;
        c->set->kernels->pack(&launch, NULL, c->nodes * rill_set_words(c->set), array_words(c, k));
    }
    RILL_TRY(rill_device_wait(c->sim->device));
    RILL_TRY(rill_device_download(c->sim->device, to, c->sim->words, c->bytes));
done:
    return status;
}

static rill_status chunk_load(const chunk *c, const void *from)
{
    rill_status status = RILL_OK;
    rill_launch launch;
    RILL_TRY(chunk_launch(c, &launch));
    RILL_TRY(rill_device_upload(c->sim->device, c->sim->words, from, c->bytes));
    for (uint64_t k = 0; k < arrays_of(c->set); k++) {
        if (k) launch.from = launch.to;
        c->set->kernels->unpack(&launch, NULL, c->nodes * rill_set_words(c->set), array_words(c, k));
    }
    RILL_TRY(rill_device_wait(c->sim->device));
done:
    return status;
}

/* Save or load some bytes of the populations of a set; the others of their chunks stay. */
static rill_status set_copy(rill_sim *sim, int set, uint64_t offset, uint64_t bytes, char *to,
                            const char *from)
{
    rill_status status = RILL_OK;
    const uint64_t each = RILL_CHUNK * node_bytes(&sim->flow[set]);
    char *whole = NULL;
    for (uint64_t end = offset + bytes; offset < end;) {
        const chunk c = chunk_of(sim, set, offset / each);
        const uint64_t within = offset % each, left = c.bytes - within,
                       some = left < end - offset ? left : end - offset;
        if (some < c.bytes) {
            if (!whole) RILL_TRY(rill_array_create(each, 1, "the state of a simulation", (void **)&whole));
            RILL_TRY(chunk_save(&c, from != NULL, whole));
            if (to)
                memcpy(to, whole + within, some);
            else
                memcpy(whole + within, from, some);
            if (from) RILL_TRY(chunk_load(&c, whole));
        } else {
            RILL_TRY(to ? chunk_save(&c, false, to) : chunk_load(&c, from));
        }
        offset += some;
        if (to) to += some;
        if (from) from += some;
    }
done:
    rill_array_destroy(whole);
    return status;
}

/* Save or load some bytes of the populations of all sets. */
static rill_status populations(rill_sim *sim, uint64_t offset, uint64_t bytes, char *to, const char *from)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < sim->set_count && bytes; k++) {
        const uint64_t all = set_bytes(sim, k), left = offset < all ? all - offset : 0,
                       some = left < bytes ? left : bytes;
        if (some) RILL_TRY(set_copy(sim, k, offset, some, to, from));
        offset = left ? 0 : offset - all;
        bytes -= some;
        if (to) to += some;
        if (from) from += some;
    }
done:
    return status;
}

/* ---- saving ---------------------------------------------------------------------------------- */

static rill_status front_make(rill_sim *sim, char *front)
{
    rill_status status = RILL_OK;
    const head h = head_of(sim);
    memcpy(front, &h, sizeof h);
    front += sizeof h;
    for (int k = 1; k < sim->set_count; k++, front += sizeof(name)) name_write(sim, &sim->flow[k], front);
    for (int k = 0; k < patch_count(sim); k++)
        RILL_TRY(rill_sim_patch_compartments(sim, k, (double *)(void *)front + 2 * k));
done:
    return status;
}

rill_status rill_sim_state_save(rill_sim *sim, uint64_t offset, uint64_t bytes, void *to)
{
    rill_status status = RILL_OK;
    char *front = NULL, *out = to;
    const uint64_t before = front_bytes(sim);
    RILL_TRY(range_check(sim, offset, bytes));
    if (offset < before) {
        const uint64_t part = bytes < before - offset ? bytes : before - offset;
        RILL_TRY(rill_array_create_zero(before, 1, "the state of a simulation", (void **)&front));
        RILL_TRY(front_make(sim, front));
        memcpy(out, front + offset, part);
        offset += part, bytes -= part, out += part;
    }
    if (bytes) RILL_TRY(populations(sim, offset - before, bytes, out, NULL));
done:
    rill_array_destroy(front);
    return status;
}

/* ---- loading --------------------------------------------------------------------------------- */

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

/* Refuse a state of something else. */
static rill_status head_check(const rill_sim *sim, const head *h)
{
    const head own = head_of(sim);
    if (h->magic != own.magic)
        return rill_fail(RILL_USAGE, "this is not a state of a simulation, or one of an older version");
    if (memcmp(h->variant, own.variant, sizeof own.variant) != 0)
        return rill_fail(RILL_USAGE, "the state is of variant %.119s, the simulation of %s: choose the same",
                         h->variant, own.variant);
    if (h->nodes != own.nodes || h->patches != own.patches)
        return rill_fail(
            RILL_USAGE,
            "the state has %llu nodes and %u patches, the simulation %llu and %u: set it up as it was",
            (unsigned long long)h->nodes, h->patches, (unsigned long long)own.nodes, own.patches);
    if (h->more_sets != own.more_sets)
        return rill_fail(RILL_USAGE,
                         "the state has %u sets of populations, the simulation %u: choose the same",
                         h->more_sets + 1, own.more_sets + 1);
    return RILL_OK;
}

/* Refuse other sets beside the first. @param names  as they follow the head */
static rill_status names_check(const rill_sim *sim, const char *names)
{
    for (int k = 1; k < sim->set_count; k++, names += sizeof(name)) {
        name own = {0};
        name_write(sim, &sim->flow[k], own);
        if (memcmp(names, own, sizeof own) != 0)
            return rill_fail(
                RILL_USAGE,
                "set %d of the state is of variant %.119s, that of the simulation of %s: choose the same", k,
                names, own);
    }
    return RILL_OK;
}

/* What a simulation remembers of the step before is loaded with it. */
static void loaded_set(rill_sim *sim, uint64_t steps)
{
    sim->steps = sim->fresh = sim->loaded = steps;
    sim->given = steps - 1;
}

/* Parts and stages make the same steps. */
static void steps_set(rill_sim *sim, uint64_t steps)
{
    rill_several *s = sim->several;
    loaded_set(sim, steps);
    for (int k = 0; s && k < s->parts.count; k++) loaded_set(s->sims[k], steps);
    for (int k = 0; s && k < s->stage_count; k++) s->stages[k]->sim->steps = s->stages[k]->sim->fresh = steps;
}

rill_status rill_sim_state_load(rill_sim *sim, uint64_t offset, uint64_t bytes, const void *from)
{
    rill_status status = RILL_OK;
    const char *given = from;
    const uint64_t before = front_bytes(sim), all = bytes;
    RILL_TRY(range_check(sim, offset, bytes));
    RILL_TRY(loading_make(sim));
    if (offset < before) {
        const uint64_t part = bytes < before - offset ? bytes : before - offset;
        memcpy(sim->loading->front + offset, given, part);
        if (offset == 0 && part >= sizeof(head)) { /* where populations are depends on the steps made */
            head h;
            memcpy(&h, given, sizeof h);
            sim->loading->fits = head_check(sim, &h) == RILL_OK;
            if (sim->loading->fits) steps_set(sim, h.steps);
        }
        offset += part, bytes -= part, given += part;
    }
    sim->loading->lost |= bytes && !sim->loading->fits;
    if (bytes && sim->loading->fits) RILL_TRY(populations(sim, offset - before, bytes, NULL, given));
    sim->loading->bytes += all;
done:
    return status;
}

/* What outlets have stored. */
static rill_status stored_restore(rill_sim *sim, uint64_t steps, const double *stored)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < patch_count(sim); k++) {
        if (!sim->several) RILL_TRY(rill_patches_restore(&sim->patches, k, steps, stored + 2 * k));
        for (int j = 0; sim->several && j < sim->several->patches[k].count; j++) {
            const rill_home at = sim->several->patches[k].homes[j];
            RILL_TRY(rill_patches_restore(&at.sim->patches, at.patch, steps, stored + 2 * k));
        }
    }
done:
    return status;
}

rill_status rill_sim_state_resume(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    head h;
    if (!sim->loading || sim->loading->bytes != rill_sim_state_bytes(sim)) {
        status = rill_fail(RILL_USAGE, "%llu of the %llu bytes of the state were loaded: load all, once",
                           sim->loading ? (unsigned long long)sim->loading->bytes : 0,
                           (unsigned long long)rill_sim_state_bytes(sim));
        goto done;
    }
    memcpy(&h, sim->loading->front, sizeof h);
    RILL_TRY(head_check(sim, &h));
    if (sim->loading->lost)
        RILL_TRY(rill_fail(RILL_USAGE, "the populations of the state came before its head: load that first"));
    if (h.steps != steps)
        RILL_TRY(rill_fail(RILL_USAGE, "the state is that after %llu steps, not after %llu",
                           (unsigned long long)h.steps, (unsigned long long)steps));
    const char *names = sim->loading->front + sizeof h;
    RILL_TRY(names_check(sim, names));
    RILL_TRY(stored_restore(sim, steps,
                            (const double *)(const void *)(names + (size_t)h.more_sets * sizeof(name))));
    steps_set(sim, steps);
    for (int k = 0; k < rill_sim_parts(sim); k++) RILL_TRY(rill_device_wait(rill_sim_part(sim, k)->device));
done:
    rill_sim_loading_free(sim);
    return status;
}

void rill_sim_skip(rill_sim *sim, uint64_t steps)
{
    const uint64_t fresh = sim->fresh;
    steps_set(sim, sim->steps + steps);
    sim->fresh = fresh;
}
