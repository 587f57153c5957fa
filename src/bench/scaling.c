/* SPDX-License-Identifier: Apache-2.0 */
/* Times one simulation on several devices, and its parts alone. */
#include "bench/scaling.h"

#include "core/clock.h"
#include "core/memory.h"
#include "domain/links.h"
#include "kernel/variant.h"
#include "sim/several.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { NOISE_NODES = 1 << 18, HASH_STEPS = 6, HASH_BYTES = 1 << 26 };

rill_status rill_scaling_repeat(const rill_geom *geom, uint32_t count, rill_geom **out)
{
    const uint64_t voxels = rill_geom_voxels(geom);
    if (geom->sides[2] != RILL_PERIODIC)
        return rill_fail(RILL_USAGE, "only a geometry that is periodic along z can be repeated");
    if ((uint64_t)geom->n[2] * count > UINT32_MAX / 2)
        return rill_fail(RILL_USAGE, "%u copies of %u planes are too many", count, geom->n[2]);
    const rill_status status =
        rill_geom_create((const uint32_t[3]){geom->n[0], geom->n[1], geom->n[2] * count}, out);
    if (status != RILL_OK) return status;
    for (uint32_t k = 0; k < count; k++) memcpy((*out)->voxels + k * voxels, geom->voxels, voxels);
    memcpy((*out)->sides, geom->sides, sizeof geom->sides);
    return RILL_OK;
}

/* Return number k of a sequence: SplitMix64. */
static uint64_t random_of(uint64_t k)
{
    uint64_t z = (k + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Return a number within -1 … 1 that follows from a node and a component. */
static double noise(uint64_t node, uint64_t component)
{
    return (double)(random_of(4 * node + component) >> 11) * 0x1p-52 - 1;
}

/* Set the nodes of a simulation, which are first, first + 1 … of the whole, to noise: the speed of a GPU at
 * its power limit depends on what it computes, and a hash of rest says nothing. */
static rill_status noise_set(rill_sim *sim, uint64_t nodes, uint64_t first)
{
    rill_status status = RILL_OK;
    double *m = NULL;
    RILL_TRY(rill_array_create(4 * (uint64_t)NOISE_NODES, sizeof *m, "noise", (void **)&m));
    for (uint64_t at = 0; at < nodes; at += NOISE_NODES) {
        const uint64_t count = nodes - at < NOISE_NODES ? nodes - at : NOISE_NODES;
        for (uint64_t c = 0; c < 4; c++)
#pragma omp parallel for schedule(static)
            for (uint64_t k = 0; k < count; k++) m[c * count + k] = 0.01 * noise(first + at + k, c);
        RILL_TRY(rill_sim_set_moments_of(sim, at, count, m, m + count));
    }
done:
    rill_array_destroy(m);
    return status;
}

/* Return XXH3 of the state, which does not depend on parts. */
static rill_status hash_take(rill_sim *sim, uint64_t *hash)
{
    rill_status status = RILL_OK;
    char *piece = NULL;
    const uint64_t bytes = rill_sim_state_bytes(sim);
    XXH3_state_t *state = XXH3_createState();
    if (!state) return rill_fail(RILL_SYSTEM, "out of memory for a hash");
    XXH3_64bits_reset(state);
    RILL_TRY(rill_array_create(HASH_BYTES, 1, "a hash", (void **)&piece));
    for (uint64_t at = 0; at < bytes; at += HASH_BYTES) {
        const uint64_t count = bytes - at < HASH_BYTES ? bytes - at : HASH_BYTES;
        RILL_TRY(rill_sim_state_save(sim, at, count, piece));
        XXH3_64bits_update(state, piece, count);
    }
    *hash = XXH3_64bits_digest(state);
done:
    rill_array_destroy(piece);
    XXH3_freeState(state);
    return status;
}

static rill_sim_options options_of(const rill_scaling_case *c)
{
    rill_sim_options o = rill_sim_options_default();
    o.variant = c->variant;
    o.tau = c->tau, o.magic = c->magic;
    o.on = (rill_devices){.device = c->devices[0], .list = c->devices, .count = c->parts};
    return o;
}

/* Make the simulation, and step it from noise. @param[out] hash  NULL: not needed */
static rill_status sim_make(const rill_scaling_case *c, rill_sim **sim, uint64_t *hash)
{
    rill_status status = RILL_OK;
    const rill_sim_options o = options_of(c);
    const rill_load load =
        c->boundaries == RILL_BENCH_BARE ? RILL_LOAD_NONE : RILL_LOAD_WALLS | RILL_LOAD_OPENINGS;
    if (c->parts > 1) RILL_TRY(rill_several_check(c->domain, &o, load));
    RILL_TRY(rill_sim_create_loaded(c->domain, &o, load, sim));
    RILL_TRY(rill_bench_vessel_attach(c->domain, c->boundaries, *sim));
    RILL_TRY(noise_set(*sim, rill_domain_nodes(c->domain), 0));
    RILL_TRY(rill_sim_step(*sim, HASH_STEPS));
    if (hash) RILL_TRY(hash_take(*sim, hash));
done:
    return status;
}

rill_status rill_scaling_hash(const rill_scaling_case *c, uint64_t *hash)
{
    rill_sim *sim = NULL;
    const rill_status status = sim_make(c, &sim, hash);
    rill_sim_destroy(sim);
    return status;
}

/* Return the seconds of a step. */
static double step_of(const rill_bench_record *r) { return 1e-6 * (double)r->nodes / r->mlups; }

/* Time a simulation or a part of it from noise. */
static rill_status noise_time(const rill_scaling_case *c, rill_sim *timed, rill_sim *part, uint64_t first,
                              double *seconds)
{
    rill_status status = RILL_OK;
    rill_bench_record record = {.nodes = part->domain->nodes};
    RILL_TRY(noise_set(part, part->domain->nodes, first));
    RILL_TRY(rill_bench_time_rounds(timed, record.nodes, &c->bench, &record));
    *seconds = step_of(&record);
done:
    return status;
}

/* Return the speed of a part alone, in MLUPS. */
static double speed_of(const rill_scaling_part *part) { return 1e-6 * (double)part->nodes / part->alone; }

/* Make part k alone on a device and time it: with its exchange looped back where `loop` is set, and all nodes
 * at once without any. @param[in,out] out  its plan is left as it is */
static rill_status alone_time(const rill_scaling_case *c, rill_device *device, int k, bool loop,
                              rill_scaling_part *out)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    rill_sim_options o = options_of(c);
    uint64_t before, after;
    const double start = rill_now();
    o.on.device = device;
    RILL_TRY(rill_device_available(device, &before));
    RILL_TRY(rill_several_alone_create(c->domain, &o, k, loop, &sim));
    RILL_TRY(rill_device_available(device, &after));
    out->making = rill_now() - start;
    out->nodes = rill_sim_part(sim, 0)->domain->nodes;
    out->bytes = rill_several_sends(sim, 0);
    out->held = rill_sim_held(sim, NULL) + rill_several_exchange_held(sim);
    out->taken = device->backend->host || after > before ? 0 : before - after;
    const uint64_t first = rill_sim_part_first(sim, 0);
    if (loop) RILL_TRY(noise_time(c, sim, rill_sim_part(sim, 0), first, &out->looped));
    rill_sim *part = rill_several_alone_part(sim);
    RILL_TRY(noise_time(c, part, part, first, &out->alone));
done:
    rill_sim_destroy(sim);
    return status;
}

/* Return a record of what is known before anything is timed. */
static rill_scaling_record record_of(const rill_scaling_case *c)
{
    const uint64_t nodes = rill_domain_nodes(c->domain);
    return (rill_scaling_record){
        .timed = {.nodes = nodes, .porosity = (double)nodes / (double)rill_geom_voxels(c->domain->geom)}};
}

/* Refuse a case that one device does not hold, before its nodes are numbered. */
static rill_status one_fits(const rill_scaling_case *c)
{
    rill_status status = RILL_OK;
    rill_links_size size;
    const rill_geom *geom = c->domain->geom;
    RILL_TRY(rill_links_measure(c->domain, rill_variant_normal(c->variant), &size));
    RILL_TRY(rill_device_require(c->devices[0], rill_sim_bytes(c->variant, &size, c->devices[0]),
                                 "the populations and index lists"));
    if (geom->planes)
        RILL_TRY(rill_memory_require(rill_numbering_bytes(geom), "the numbers of the fluid nodes"));
done:
    return status;
}

rill_status rill_scaling_run(const rill_scaling_case *c, rill_scaling_record *out)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    rill_scaling_record r = record_of(c);
    if (c->parts == 1) RILL_TRY(one_fits(c));
    RILL_TRY(sim_make(c, &sim, c->unhashed ? NULL : &r.hash));
    RILL_TRY(rill_bench_time_rounds(sim, r.timed.nodes, &c->bench, &r.timed));
    r.timed.bytes_held = rill_sim_held(sim, NULL);
    for (int p = 0; p < c->parts && c->parts > 1; p++) {
        const uint64_t bytes = rill_several_sends(sim, p);
        if (bytes > r.bytes) r.bytes = bytes;
    }
    rill_sim_destroy(sim);
    sim = NULL;
    r.step = r.alone = step_of(&r.timed);
    r.largest = r.timed.nodes;
    r.speed = r.timed.mlups;
    for (int p = 0; p < c->parts && c->parts > 1 && c->boundaries == RILL_BENCH_BARE; p++) {
        rill_scaling_part part = {.nodes = 0};
        RILL_TRY(alone_time(c, c->devices[p], p, false, &part));
        if (p == 0 || part.alone > r.alone) r.alone = part.alone, r.speed = speed_of(&part);
        if (p == 0 || part.nodes > r.largest) r.largest = part.nodes;
        r.measured++;
    }
    *out = r;
done:
    rill_sim_destroy(sim);
    return status;
}

/* What may make a part slow. */
enum { BY_COST, BY_CUT, BY_BOX, REASONS };

/* A part, and how much of each there is. */
typedef struct candidate {
    int part;
    double
        much[REASONS]; /* updates of nodes; nodes of the planes that it is cut at; planes that it numbers */
    uint64_t draw;     /* a random number */
} candidate;

/* Why the part at place i of those that are timed is there; -1: at random. */
static int reason_of(int i)
{
    const int reason = (i - 2) % (REASONS + 1);
    return reason < REASONS ? reason : -1;
}

/* Sort parts i ... count - 1 so that the first one has most of something; -1: by the random number. */
static void select_next(candidate *parts, int i, int count, int reason)
{
    int best = i;
    for (int k = i + 1; k < count; k++) {
        const candidate *x = &parts[k], *y = &parts[best];
        if (reason < 0 ? x->draw < y->draw : x->much[reason] > y->much[reason]) best = k;
    }
    const candidate first = parts[best];
    parts[best] = parts[i];
    parts[i] = first;
}

/*
 * Order the parts so that those that are timed come first: the first and the last, then in rotation the one
 * with the largest cost, with the largest planes at its cuts, with the most planes, and a random one, which
 * shows whether the others are those that matter. @param[out] out  [parts]
 */
static rill_status candidates_list(const rill_scaling_case *c, candidate **out)
{
    rill_status status = RILL_OK;
    candidate *all = NULL;
    rill_ranges ranges = {.count = 0};
    RILL_TRY(rill_ranges_create(c->domain, c->parts, NULL, &ranges));
    RILL_TRY(rill_array_create((uint64_t)c->parts, sizeof *all, "parts", (void **)&all));
    for (int p = 0; p < c->parts; p++)
        all[p] = (candidate){p,
                             {ranges.range[p].cost, (double)rill_parts_cut(c->domain, &ranges, p),
                              rill_part_measure(c->domain, &ranges, p).box},
                             random_of((uint64_t)p)};
    if (c->parts > 2) {
        const candidate last = all[c->parts - 1];
        all[c->parts - 1] = all[1];
        all[1] = last;
    }
    for (int i = 2; i < c->parts; i++) select_next(all, i, c->parts, reason_of(i));
    *out = all;
done:
    rill_ranges_destroy(&ranges);
    return status;
}

rill_status rill_scaling_plan(const rill_scaling_case *c, rill_scaling_part *each, uint64_t *host)
{
    rill_status status = RILL_OK;
    const rill_variant variant = rill_variant_normal(c->variant);
    const rill_sim_options o = options_of(c);
    rill_several_plan plan = {.part = NULL};
    rill_links_size size;
    uint64_t linked;
    rill_device **devices = NULL;
    RILL_TRY(rill_several_check(c->domain, &o, RILL_LOAD_NONE));
    RILL_TRY(rill_array_create((uint64_t)c->parts, sizeof(rill_device *), "devices", (void **)&devices));
    for (int p = 0; p < c->parts; p++) devices[p] = c->devices[0];
    RILL_TRY(rill_links_measure(c->domain, variant, &size));
    RILL_TRY(rill_links_linked(&c->domain->numbering, variant, c->devices[0], &linked));
    /* Each part has the whole device: what all parts take of it means nothing. */
    const rill_several_given given = {.variant = variant,
                                      .on.list = devices,
                                      .on.count = c->parts,
                                      .load = RILL_LOAD_NONE,
                                      .held = rill_sim_bytes(variant, &size, c->devices[0]) + linked};
    RILL_TRY(rill_several_plan_make(c->domain, &given, &plan));
    for (int p = 0; p < c->parts; p++)
        each[p] = (rill_scaling_part){
            .nodes = plan.part[p].nodes, .bytes = plan.part[p].bytes, .planned = plan.part[p].device_bytes};
    *host = plan.host_making;
done:
    free(plan.part);
    rill_array_destroy(devices);
    return status;
}

/* Plan the parts of a model, and refuse those that do not fit. @param[out] out  [parts], owned by the caller
 */
static rill_status parts_plan(const rill_scaling_case *c, rill_scaling_part **out)
{
    rill_status status = RILL_OK;
    rill_scaling_part *each = NULL;
    uint64_t host = 0, most = 0;
    RILL_TRY(rill_array_create((uint64_t)c->parts, sizeof *each, "parts", (void **)&each));
    RILL_TRY(rill_scaling_plan(c, each, &host));
    for (int p = 0; p < c->parts; p++)
        if (each[p].planned > most) most = each[p].planned;
    RILL_TRY(rill_device_require(c->devices[0], most, "the largest part"));
    RILL_TRY(rill_memory_require(host, "the numbers of a part's nodes"));
    *out = each;
    each = NULL;
done:
    rill_array_destroy(each);
    return status;
}

rill_status rill_scaling_model(const rill_scaling_case *c, const rill_scaling_link *link, int most,
                               rill_scaling_record *out)
{
    rill_status status = RILL_OK;
    candidate *parts = NULL;
    rill_scaling_part *each = NULL;
    rill_scaling_record r = record_of(c);
    if (c->boundaries != RILL_BENCH_BARE)
        return rill_fail(RILL_USAGE, "no model: its walls and openings are those of the whole");
    RILL_TRY(parts_plan(c, &each));
    RILL_TRY(candidates_list(c, &parts));
    for (int k = 0; k < c->parts && k < most; k++) {
        rill_scaling_part *part = &each[parts[k].part];
        RILL_TRY(alone_time(c, c->devices[0], parts[k].part, true, part));
        const double step = fmax(part->looped, (double)part->bytes / link->bandwidth) + link->latency;
        if (step > r.step) r.step = step;
        if (k >= 2 && reason_of(k) < 0 && step > r.random) r.random = step;
        if (part->alone > r.alone) r.alone = part->alone, r.speed = speed_of(part);
        if (part->bytes > r.bytes) r.bytes = part->bytes;
        if (part->nodes > r.largest) r.largest = part->nodes;
        if (part->held > r.timed.bytes_held) r.timed.bytes_held = part->held;
        r.measured++;
    }
    if (c->each) memcpy(c->each, each, (size_t)c->parts * sizeof *each);
    r.timed.mlups = r.timed.mlups_min = r.timed.mlups_max = 1e-6 * (double)r.timed.nodes / r.step;
    *out = r;
done:
    rill_array_destroy(each);
    rill_array_destroy(parts);
    return status;
}
