/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulation: populations on a backend, the time loop, and what is read between steps. Written once for
 * all devices; what depends on one is behind device/device.h.
 */
#include "sim/carrier.h"
#include "sim/macroscopic.h"
#include "sim/several.h"
#include "sim/sim_priv.h"

#include "core/clock.h"
#include "core/memory.h"
#include "core/progress.h"
#include "kernel/lattice.h"
#include "kernel/storage/address.h"
#include "kernel/storage/storage.h"
#include "kernel/storage/counters.h"
#include "kernel/variant.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

rill_sim_options rill_sim_options_default(void)
{
    return (rill_sim_options){.variant = rill_variant_default(),
                              .on.backend = RILL_BACKEND_AUTO,
                              .tau = 1.0,
                              .magic = 3.0 / 16.0,
                              .third = 1e-3};
}

rill_node rill_sim_number(const rill_sim *sim, rill_node node)
{
    rill_node number = sim->domain->first + node;
    if (sim->flow->options.variant.addressing == RILL_DENSE)
        rill_numbering_cells(&sim->domain->numbering, node, 1, &number);
    return number;
}

static uint64_t chunks_of(uint64_t nodes) { return (nodes + RILL_CHUNK - 1) / RILL_CHUNK; }

/* Make room for sums. */
static void sums_make(rill_sim *sim, uint64_t nodes, rill_room *room)
{
    RILL_ROOM_ALLOC(room, chunks_of(nodes), sim->partials);
    RILL_ROOM_ARRAY(room, chunks_of(nodes), sim->host_partials);
}

void rill_sim_count(rill_variant variant, const rill_links_size *size, rill_room *room)
{
    rill_sim sim = {.domain = NULL};
    rill_set_count(variant, size, room);
    sums_make(&sim, size->nodes, room);
}

uint64_t rill_sim_bytes(rill_variant variant, const rill_links_size *size, const rill_device *device)
{
    rill_room room = {.backend = device->backend};
    rill_sim_count(variant, size, &room);
    return room.held;
}

/* Return the number behind the last that kernels step. */
static rill_node end_of(const rill_sim *sim) { return rill_set_end(sim, sim->flow); }

rill_launch rill_sim_launch(const rill_sim *sim) { return rill_set_launch(sim, sim->flow); }

/* Return the chunks that totals are taken of. */
static uint64_t own_chunks(const rill_sim *sim) { return chunks_of(end_of(sim) - sim->domain->first); }

rill_status rill_sim_create(const rill_domain *domain, const rill_sim_options *options, rill_sim **out)
{
    return rill_sim_create_loaded(domain, options, RILL_LOAD_NONE, out);
}

rill_status rill_sim_create_loaded(const rill_domain *domain, const rill_sim_options *options, rill_load load,
                                   rill_sim **out)
{
    return rill_sim_create_sets(domain, options, 1, load, out);
}

/* Refuse sets out of range, and such as number their nodes in different ways. */
static rill_status sets_check(const rill_domain *domain, const rill_sim_options *options, int count)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_carrier_check(options, count));
    for (int k = 0; k < count; k++) {
        RILL_TRY(rill_set_check(&options[k], domain));
        if ((options[k].variant.addressing == RILL_DENSE) != (options->variant.addressing == RILL_DENSE))
            return rill_fail(
                RILL_USAGE,
                "set %d has addressing %s and the first set %s: give all sets direct addressing, or none", k,
                rill_addressing_names[options[k].variant.addressing],
                rill_addressing_names[options->variant.addressing]);
    }
done:
    return status;
}

rill_status rill_sim_new(const rill_domain *domain, const rill_sim_options *options, int count,
                         rill_sim **out)
{
    rill_sim *sim = calloc(1, sizeof *sim);
    rill_set *sets = calloc((size_t)count, sizeof *sets);
    if (!sim || !sets) {
        free(sim);
        free(sets);
        return rill_fail(RILL_SYSTEM, "out of memory for a simulation");
    }
    for (int k = 0; k < count; k++) {
        sets[k].options = options[k];
        sets[k].options.variant = rill_variant_normal(options[k].variant);
    }
    sim->domain = domain;
    sim->flow = sets;
    sim->set_count = count;
    *out = sim;
    return RILL_OK;
}

rill_status rill_sim_create_sets(const rill_domain *domain, const rill_sim_options *options, int count,
                                 rill_load load, rill_sim **out)
{
    rill_status status = RILL_OK;
    rill_sim *sim = NULL;
    RILL_TRY(sets_check(domain, options, count));
    RILL_TRY(rill_sim_new(domain, options, count, &sim));
    if (options->on.count > 1) RILL_TRY(rill_several_create(sim, load));
    if (sim->several) {
        *out = sim;
        sim = NULL;
        goto done;
    }
    if (!rill_domain_is_one(domain))
        RILL_TRY(rill_fail(
            RILL_USAGE,
            "%llu fluid nodes are more than the 4294967294 that one device numbers: give several, or crop",
            (unsigned long long)domain->nodes));
    RILL_TRY(rill_device_take(sim->flow->options.on.device, options->on.backend, &sim->device));
    sim->room = rill_room_of(sim->device, "the populations");
    for (int k = 0; k < count; k++) RILL_TRY(rill_set_create(sim, &sim->flow[k]));
    sums_make(sim, sim->flow->links->size.nodes, &sim->room);
    RILL_TRY(sim->room.status);
    RILL_TRY(rill_carrier_create(sim));
    *out = sim;
    sim = NULL;
done:
    rill_sim_destroy(sim);
    return status;
}

void rill_sim_destroy(rill_sim *sim)
{
    if (!sim) return;
    rill_sim_loading_free(sim);
    for (int k = 0; k < 2; k++) {
        if (sim->device) rill_device_unpin(sim->device, sim->labels.host[k]);
        rill_array_destroy(sim->labels.host[k]);
    }
    if (sim->several) {
        rill_several_destroy(sim->several);
        free(sim->flow);
        free(sim);
        return;
    }
    rill_patches_free(&sim->patches, sim->device);
    if (sim->device) {
        rill_device_free(sim->device, sim->partials);
        rill_carrier_free(sim);
        rill_device_free(sim->device, sim->velocities);
        rill_device_free(sim->device, sim->slice);
        rill_device_free(sim->device, sim->order);
        rill_device_free(sim->device, sim->words);
        if (sim->labels.own)
            rill_device_free(sim->device, sim->labels.own);
        else
            rill_device_release(sim->device, sim->labels.nodes);
        rill_device_release(sim->device, sim->sponge.nodes);
        rill_device_release(sim->device, sim->sponge.keep);
        rill_device_free(sim->device, sim->labels.sums);
        rill_device_free(sim->device, sim->labels.values);
    }
    for (int k = 0; k < sim->set_count; k++) rill_set_destroy(&sim->flow[k], sim->device);
    rill_array_destroy(sim->host_partials);
    rill_device_leave(sim->flow->options.on.device, sim->device);
    free(sim->flow);
    free(sim);
}

void rill_sim_step_range(rill_sim *sim, void *queue, rill_node from, rill_node end, bool left)
{
    const rill_wall_weights none = {NULL, NULL};
    rill_carrier_take(sim, queue, from, end);
    for (int k = 0; k < sim->set_count; k++)
        rill_set_step(sim, &sim->flow[k], queue, from, end,
                      left && k == 0 ? rill_patches_left(&sim->patches) : none);
}

void rill_sim_advance(rill_sim *sim)
{
    for (int k = 0; k < sim->set_count; k++) rill_set_advance(&sim->flow[k]);
    sim->steps++;
}

void rill_sim_damp(rill_sim *sim, void *queue, uint64_t first, uint64_t end)
{
    if (end == first) return;
    rill_launch launch = rill_sim_launch(sim);
    const rill_sponge some = {end - first, sim->sponge.nodes + first, sim->sponge.keep + first};
    launch.queue = queue;
    sim->flow->kernels->damp(&launch, &some);
}

/* Patches first: they need what their nodes have sent, swaps replace it. Interpolated bounce-back reads
 * neighbours, for which ghosts may stand in a ring buffer; across mirrored boundaries it reads what swaps
 * bring. */
rill_status rill_sim_step_links(rill_sim *sim, bool leave)
{
    const bool ring = rill_stream_ring(sim->flow->options.variant.stream);
    const rill_launch launch = rill_sim_launch(sim);
    if (ring && sim->patches.walls && (!leave || sim->patches.apart)) sim->flow->kernels->wrap(&launch);
    const rill_status status = rill_patches_apply(&sim->patches, &launch, sim->steps - 1, leave);
    for (int k = 0; k < sim->set_count; k++) rill_set_swap(sim, &sim->flow[k]);
    if (!rill_patches_late(&sim->patches)) return status;
    rill_patches_apply_late(&sim->patches, &launch);
    if (ring) sim->flow->kernels->wrap(&launch);
    return status;
}

/* Step all nodes, or those that the passes of a step name, after the pass that comes before. */
static rill_status step_nodes(rill_sim *sim, bool left)
{
    rill_status status = RILL_OK;
    const rill_passes *passes = &sim->passes;
    const rill_node_run all = {sim->domain->first, end_of(sim)}, *runs = &all;
    uint64_t count = 1;
    if (passes->before) {
        const rill_launch launch = rill_sim_launch(sim);
        RILL_TRY(passes->before(passes->context, &launch));
        if (passes->runs) count = passes->runs(passes->context, &runs);
    }
    for (uint64_t k = 0; k < count; k++)
        rill_sim_step_range(sim, sim->device->queue, runs[k].first, runs[k].end, left);
done:
    return status;
}

static rill_status passes_end(rill_sim *sim)
{
    if (!sim->passes.after) return RILL_OK;
    const rill_launch launch = rill_sim_launch(sim);
    return sim->passes.after(sim->passes.context, &launch);
}

static rill_status begin(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    bool left = false;
    if (sim->several) return rill_several_begin(sim, steps);
    for (uint64_t k = 0; k < steps && status == RILL_OK; k++) {
        const bool leave = k + 1 < steps && sim->patches.in_step && !sim->carried;
        RILL_TRY(step_nodes(sim, left));
        rill_sim_advance(sim);
        if (sim->sponge.count) rill_sim_damp(sim, sim->device->queue, 0, sim->sponge.count);
        status = rill_sim_step_links(sim, leave);
        left = leave;
        if (status == RILL_OK) status = passes_end(sim);
    }
done:
    return status;
}

rill_status rill_sim_begin(rill_sim *sim, uint64_t steps)
{
    rill_meter *meter = sim->device->meter;
    rill_meter_begin(meter);
    const rill_status status = begin(sim, steps);
    for (int p = 0; p < rill_sim_parts(sim); p++) rill_device_submit(rill_sim_part(sim, p)->device);
    if (meter) rill_device_then(sim->device, rill_meter_end, meter);
    return status;
}

rill_status rill_sim_step(rill_sim *sim, uint64_t steps)
{
    rill_meter *meter = sim->device->meter;
    rill_meter_begin(meter);
    rill_status status = begin(sim, steps);
    for (int p = 0; p < rill_sim_parts(sim); p++) {
        const rill_status waited = rill_device_wait(rill_sim_part(sim, p)->device);
        if (status == RILL_OK) status = waited;
    }
    rill_meter_end(meter);
    return status;
}

uint64_t rill_sim_steps(const rill_sim *sim) { return sim->steps; }

int rill_sim_parts(const rill_sim *sim) { return sim->several ? sim->several->parts.count : 1; }

rill_sim *rill_sim_part(rill_sim *sim, int k) { return sim->several ? sim->several->sims[k] : sim; }

rill_global_node rill_sim_part_first(const rill_sim *sim, int k)
{
    return sim->several ? sim->several->parts.part[k].first : 0;
}

uint64_t rill_sim_velocity_bytes(uint64_t nodes) { return 3 * nodes * sizeof(float); }

static rill_status velocities_make(rill_sim *sim)
{
    if (sim->velocities) return RILL_OK;
    return rill_device_alloc(sim->device, rill_sim_velocity_bytes(end_of(sim) - sim->domain->first),
                             "velocities of a step", (void **)&sim->velocities);
}

/* Take the partial sums of a set in all parts, whose devices work at the same time. @param labels  sums by
 * label, too, which have begun */
static rill_status partials_take(rill_sim *sim, int set, bool rounding, rill_speeds speeds, bool labels)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        rill_launch launch = rill_set_launch(part, &part->flow[set]);
        launch.rounding = rounding;
        if (labels) {
            launch.labels = part->labels.nodes;
            launch.label_sums = part->labels.sums;
        }
        if (speeds != RILL_SPEEDS_NOW) {
            RILL_TRY(velocities_make(part));
            launch.velocities = part->velocities;
            launch.mean = speeds == RILL_SPEEDS_MEAN;
        }
        launch.kernels->totals(&launch, part->partials);
    }
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        rill_sim *part = rill_sim_part(sim, k);
        RILL_TRY(rill_device_wait(part->device));
        RILL_TRY(rill_device_download(part->device, part->host_partials, part->partials,
                                      own_chunks(part) * sizeof(rill_partial)));
    }
done:
    return status;
}

rill_status rill_sim_rounding(rill_sim *sim, rill_rounding_sums *out)
{
    rill_status status = RILL_OK;
    rill_totals totals;
    double mass = 0;
    *out = (rill_rounding_sums){.work = 0};
    RILL_TRY(rill_sim_totals(sim, &totals));
    RILL_TRY(partials_take(sim, 0, true, RILL_SPEEDS_NOW, false));
    for (int part = 0; part < rill_sim_parts(sim); part++) {
        const rill_sim *own = rill_sim_part(sim, part);
        for (uint64_t k = 0; k < own_chunks(own); k++) {
            const rill_partial *p = &own->host_partials[k];
            mass += p->mass;
            out->work += p->kinetic;
            out->work_apart += p->kinetic * p->kinetic;
            out->mass_apart += p->mass * p->mass;
            for (int a = 0; a < 3; a++) {
                out->momentum[a] += p->momentum[a];
                out->momentum_apart[a] += p->momentum[a] * p->momentum[a];
            }
        }
    }
    for (int a = 0; a < 3; a++) out->flow[a] = totals.momentum[a];
    out->work_apart = sqrt(out->work_apart);
    out->mass_apart = sqrt(out->mass_apart);
    for (int a = 0; a < 3; a++) out->momentum_apart[a] = sqrt(out->momentum_apart[a]);
    /* A density that is the same everywhere moves nothing, unless a mirrored boundary changes its sign.
     */
    if (sim->domain->swap_count == 0) out->work += totals.mass / (double)sim->domain->nodes * mass;
done:
    return status;
}

rill_status rill_sim_scalar_sum(rill_sim *sim, int set, double *sum)
{
    rill_status status = RILL_OK;
    *sum = 0;
    RILL_TRY(rill_sim_scalar_check(sim, set));
    RILL_TRY(partials_take(sim, set, false, RILL_SPEEDS_NOW, false));
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        const rill_sim *part = rill_sim_part(sim, k);
        for (uint64_t c = 0; c < own_chunks(part); c++) *sum += part->host_partials[c].mass;
    }
done:
    return status;
}

static void totals_add(rill_totals *totals, const rill_partial *p)
{
    totals->mass += p->mass;
    totals->resting += p->resting;
    totals->speed += p->speed;
    totals->kinetic += p->kinetic;
    totals->elastic += p->elastic;
    for (int a = 0; a < 3; a++) totals->momentum[a] += p->momentum[a];
    totals->speed_max = fmax(totals->speed_max, p->speed_squared_max);
    totals->density_max = fmax(totals->density_max, p->density_max);
    totals->not_finite += p->not_finite;
}

static rill_status totals_of(rill_sim *sim, rill_speeds speeds, bool labels, rill_totals *out)
{
    rill_status status = RILL_OK;
    rill_totals totals = {0};
    RILL_TRY(partials_take(sim, 0, false, speeds, labels));
    for (int part = 0; part < rill_sim_parts(sim); part++) {
        const rill_sim *own = rill_sim_part(sim, part);
        for (uint64_t k = 0; k < own_chunks(own); k++) totals_add(&totals, &own->host_partials[k]);
    }
    totals.speed_max = sqrt(totals.speed_max);
    *out = totals;
done:
    return status;
}

rill_status rill_sim_totals(rill_sim *sim, rill_totals *out)
{
    return rill_sim_totals_of(sim, RILL_SPEEDS_NOW, out);
}

rill_status rill_sim_totals_of(rill_sim *sim, rill_speeds speeds, rill_totals *out)
{
    return totals_of(sim, speeds, false, out);
}

rill_status rill_sim_label_totals(rill_sim *sim, rill_speeds speeds, rill_totals *out, double *sums)
{
    rill_status status = RILL_OK;
    const bool listed = sim->flow->options.variant.addressing != RILL_DENSE; /* labels are by node */
    if (listed) RILL_TRY(rill_sim_label_begin_sums(sim));
    RILL_TRY(totals_of(sim, speeds, listed, out));
    RILL_TRY(listed ? rill_sim_label_end_sums(sim, sums) : rill_sim_label_sums(sim, sums));
done:
    return status;
}

rill_status rill_sim_sponge_set(rill_sim *sim, const rill_node *nodes, const float *keep, uint64_t count)
{
    rill_status status = RILL_OK;
    if (count == 0) return RILL_OK;
    RILL_TRY(rill_macroscopic_refuse(sim, "a sponge layer"));
    if (sim->several) return rill_several_sponge_set(sim, nodes, keep, count);
    sim->room.what = "sponge layers";
    RILL_ROOM_SHARE(&sim->room, nodes, count, sim->sponge.nodes);
    RILL_ROOM_SHARE(&sim->room, keep, count, sim->sponge.keep);
    RILL_TRY(sim->room.status);
    sim->sponge.count = count;
done:
    return status;
}

const char *rill_sim_backend(const rill_sim *sim) { return sim->device->backend->name; }

const char *rill_sim_device(const rill_sim *sim) { return sim->device->name; }

void rill_sim_force_set(rill_sim *sim, const double force[3])
{
    const size_t size = sizeof sim->flow->options.force;
    for (int k = 0; k < rill_sim_parts(sim); k++)
        memcpy(rill_sim_part(sim, k)->flow->options.force, force, size);
    for (int k = 0; sim->several && k < sim->several->stage_count; k++)
        memcpy(sim->several->stages[k]->sim->flow->options.force, force, size);
    memcpy(sim->flow->options.force, force, size);
}

rill_variant rill_sim_variant(const rill_sim *sim) { return sim->flow->options.variant; }

bool rill_sim_mirrored(const rill_sim *sim) { return sim->domain->swap_count > 0; }

rill_device *rill_sim_device_of(const rill_sim *sim) { return sim->device; }

double rill_sim_seconds_linking(const rill_sim *sim) { return sim->seconds_linking; }

uint64_t rill_sim_held(rill_sim *sim, uint64_t *linked)
{
    uint64_t held = 0, own = 0;
    for (int k = 0; k < rill_sim_parts(sim); k++) {
        const rill_sim *part = rill_sim_part(sim, k);
        for (int set = 0; set < part->set_count; set++)
            if (part->flow[set].links_made)
                own += rill_device_linked(part->device, &part->flow[set].links->arrays);
        held += part->room.held;
    }
    if (linked) *linked = own;
    return held + own;
}
