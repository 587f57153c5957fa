/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations of the parts of a domain, and what they exchange. */
#include "sim/several.h"

#include "core/clock.h"
#include "core/memory.h"
#include "kernel/lattice.h"
#include "kernel/storage/storage.h"
#include "kernel/variant.h"
#include "sim/boundary.h"

#include <math.h>
#include <stdlib.h>

static rill_status devices_check(const rill_sim *sim)
{
    const rill_sim_options *o = &sim->flow->options;
    const int count = o->on.count;
    for (int k = 0; k < count; k++)
        if (!o->on.list[k] || o->on.list[k]->backend != o->on.list[0]->backend)
            return rill_fail(RILL_USAGE,
                             "device %d of %d is of another backend than the first: choose %s ones", k, count,
                             o->on.list[0] ? o->on.list[0]->backend->name : "open");
    return RILL_OK;
}

/* Leave the links of a set in `lists`, of which a lattice with fewer velocities than the domain's has some.
 * @param[out] own  where they are, unless they are all; the caller frees it */
static rill_status links_select(const rill_set *set, rill_cut_link *lists[2], uint64_t *count,
                                rill_cut_link **own)
{
    rill_status status = RILL_OK;
    const unsigned q = (unsigned)rill_q((int)set->options.variant.lattice);
    const uint64_t all = *count;
    uint64_t some = 0;
    for (uint64_t k = 0; k < all; k++) some += lists[0][k].direction < q;
    if (some == all) return RILL_OK;
    RILL_TRY(rill_array_create(2 * some, sizeof **own, "links between parts", (void **)own));
    *count = 0;
    for (uint64_t k = 0; k < all; k++) {
        if (lists[0][k].direction >= q) continue;
        (*own)[*count] = lists[0][k];
        (*own)[some + *count] = lists[1][k];
        ++*count;
    }
    lists[0] = *own;
    lists[1] = *own + some;
done:
    return status;
}

/* The routes of the crossing links from part q to part p, one for each set. */
static rill_status routes_add(rill_several *s, int q, int p)
{
    rill_status status = RILL_OK;
    const rill_part *to = &s->parts.part[p], *from = &s->parts.part[q];
    const uint64_t links = to->receives.first[q + 1] - to->receives.first[q];
    rill_cut_link *selected = NULL;
    for (int set = 0; set < s->sims[p]->set_count && links; set++) {
        rill_cut_link *lists[2] = {from->sends.links + from->sends.first[p],
                                   to->receives.links + to->receives.first[q]};
        uint64_t count = links;
        RILL_TRY(links_select(&s->sims[p]->flow[set], lists, &count, &selected));
        if (count)
            RILL_TRY(rill_route_create(s->sims[q], s->sims[p], set, lists[0], lists[1], count,
                                       &s->routes[s->route_count]));
        rill_array_destroy(selected);
        selected = NULL;
        if (!count) continue;
        s->routes[s->route_count].from_part = q, s->routes[s->route_count].to_part = p;
        s->route_count++;
    }
done:
    rill_array_destroy(selected);
    return status;
}

/* The routes between all parts, and the links that change sign. */
static rill_status routes_create(rill_several *s)
{
    rill_status status = RILL_OK;
    const size_t count = (size_t)s->parts.count;
    s->routes = calloc(count * count * (size_t)s->sims[0]->set_count, sizeof *s->routes);
    s->reversed = calloc(count, sizeof *s->reversed);
    if (!s->routes || !s->reversed)
        return rill_fail(RILL_SYSTEM, "out of memory for %d devices", s->parts.count);
    for (int p = 0; p < s->parts.count; p++) {
        const rill_part *to = &s->parts.part[p];
        for (int q = 0; q < s->parts.count; q++) RILL_TRY(routes_add(s, q, p));
        if (to->turn_count)
            RILL_TRY(rill_device_share(s->sims[p]->device, to->turns, to->turn_count * sizeof(rill_swap),
                                       "mirrored links", &s->reversed[p]));
    }
done:
    return status;
}

static rill_status lane_create(rill_device *device, rill_lane *lane)
{
    rill_status status = RILL_OK;
    RILL_TRY(rill_device_queue_create(device, &lane->edge));
    void **events[] = {&lane->sent[0], &lane->sent[1], &lane->received, &lane->looked, &lane->done};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++)
        RILL_TRY(rill_device_event_create(device, events[k]));
done:
    return status;
}

static void lane_destroy(rill_device *device, rill_lane *lane)
{
    void *events[] = {lane->sent[0], lane->sent[1], lane->received, lane->looked, lane->done};
    for (size_t k = 0; k < sizeof events / sizeof *events; k++) rill_device_event_destroy(device, events[k]);
    rill_device_queue_destroy(device, lane->edge);
}

/* Make room for the simulations of parts. */
static rill_status several_create(int count, rill_several **out)
{
    rill_several *s = calloc(1, sizeof *s);
    if (s) {
        s->sims = calloc((size_t)count, sizeof *s->sims);
        s->lanes = calloc((size_t)count, sizeof *s->lanes);
    }
    *out = s;
    return s && s->sims && s->lanes ? RILL_OK : rill_fail(RILL_SYSTEM, "out of memory for %d devices", count);
}

/* Make the simulation of part p, with the sets of the whole one. Its nodes are numbered here while its index
 * lists are built: no process has the numbers of several parts at a time. */
static rill_status part_sim_create(rill_several *s, int p, const rill_sim *whole, rill_device *device)
{
    rill_status status = RILL_OK;
    const int count = whole->set_count;
    rill_sim_options *own = calloc((size_t)count, sizeof *own);
    if (!own) return rill_fail(RILL_SYSTEM, "out of memory for a simulation");
    for (int k = 0; k < count; k++) {
        own[k] = whole->flow[k].options;
        own[k].on.count = 0;
        own[k].on.device = device;
    }
    RILL_TRY(rill_sim_create_sets(s->parts.part[p].domain, own, count, RILL_LOAD_NONE, &s->sims[p]));
    rill_part_release(&s->parts.part[p]);
    s->sims[p]->joined = true;
    RILL_TRY(lane_create(device, &s->lanes[p]));
done:
    free(own);
    return status;
}

/* Choose the ranges of parts. */
static rill_status ranges_make(const rill_domain *domain, const rill_sim_options *options,
                               const rill_device *device, rill_load load, rill_ranges *out)
{
    const rill_part_costs costs = rill_several_costs(options->variant, device, load);
    return rill_ranges_create(domain, options->on.count, &costs, out);
}

rill_status rill_several_create(rill_sim *sim, rill_load load)
{
    rill_status status = RILL_OK;
    rill_several *several = NULL;
    rill_ranges ranges = {.count = 0};
    for (int k = 0; k < sim->set_count; k++)
        RILL_TRY(rill_several_variant_check(sim->flow[k].options.variant, sim->flow->options.on.count));
    RILL_TRY(devices_check(sim));
    RILL_TRY(ranges_make(sim->domain, &sim->flow->options, sim->flow->options.on.list[0], load, &ranges));
    const int count = ranges.count;
    if (count == 1) {
        sim->flow->options.on.device = sim->flow->options.on.list[0];
        sim->flow->options.on.count = 0;
        goto done;
    }
    RILL_TRY(several_create(count, &several));
    RILL_TRY(rill_parts_create(&ranges, &several->parts));
    several->parts.stored = rill_stream_macroscopic((int)sim->flow->options.variant.stream);
    for (int p = 0; p < count; p++) {
        const double start = rill_now();
        RILL_TRY(rill_parts_make(sim->domain, p, &several->parts));
        sim->seconds_linking += rill_now() - start;
        RILL_TRY(part_sim_create(several, p, sim, sim->flow->options.on.list[p]));
        sim->seconds_linking += several->sims[p]->seconds_linking;
    }
    const double start = rill_now();
    RILL_TRY(routes_create(several));
    sim->seconds_linking += rill_now() - start;
    sim->device = several->sims[0]->device;
    sim->several = several;
    several = NULL;
done:
    rill_ranges_destroy(&ranges);
    rill_several_destroy(several);
    return status;
}

rill_status rill_several_check(const rill_domain *domain, const rill_sim_options *options, rill_load load)
{
    rill_ranges ranges;
    const rill_status status = ranges_make(domain, options, options->on.list[0], load, &ranges);
    if (status != RILL_OK) return status;
    const int count = ranges.count;
    rill_ranges_destroy(&ranges);
    if (count == options->on.count) return RILL_OK;
    return rill_fail(
        RILL_USAGE,
        "%llu fluid nodes in nz = %u planes make %d part%s: a part has %d nodes or more, and lies in at most nz - 2 planes if z is periodic: "
        "choose %d device%s at most",
        (unsigned long long)domain->nodes, domain->geom->n[2], count, count == 1 ? "" : "s", RILL_CHUNK,
        count, count == 1 ? "" : "s");
}

/* Lead what the only part sends to each of the others back to it, as if it came from there. */
static rill_status loops_create(rill_several *s, int parts)
{
    rill_status status = RILL_OK;
    const rill_part *part = s->parts.part;
    s->routes = calloc((size_t)parts, sizeof *s->routes);
    if (!s->routes) return rill_fail(RILL_SYSTEM, "out of memory for %d parts", parts);
    for (int q = 0; q < parts; q++) {
        uint64_t sent = part->sends.first[q + 1] - part->sends.first[q];
        const uint64_t received = part->receives.first[q + 1] - part->receives.first[q];
        if (s->parts.stored && received < sent) sent = received; /* of nodes there are other numbers */
        if (sent != received && !s->parts.stored)                /* links between two nodes lead both ways */
            RILL_TRY(rill_fail(RILL_NUMERICS, "%llu links to part %d, but %llu from there: report this",
                               (unsigned long long)sent, q, (unsigned long long)received));
        if (sent == 0) continue;
        RILL_TRY(rill_route_create(s->sims[0], s->sims[0], 0, part->sends.links + part->sends.first[q],
                                   part->receives.links + part->receives.first[q], sent,
                                   &s->routes[s->route_count]));
        s->route_count++;
    }
done:
    return status;
}

rill_status rill_several_alone_create(const rill_domain *domain, const rill_sim_options *options, int number,
                                      bool loop, rill_sim **out)
{
    rill_status status = RILL_OK;
    const int count = options->on.count;
    rill_several *s = NULL;
    rill_ranges ranges = {.count = 0};
    rill_sim *sim = NULL;
    RILL_TRY(rill_sim_new(domain, options, 1, &sim));
    RILL_TRY(rill_several_variant_check(sim->flow->options.variant, count));
    RILL_TRY(several_create(1, &s));
    RILL_TRY(ranges_make(domain, options, options->on.device, RILL_LOAD_NONE, &ranges));
    if (number >= ranges.count) /* see rill_several_check() */
        RILL_TRY(rill_fail(RILL_USAGE, "part %d of %d is not there", number, ranges.count));
    RILL_TRY(rill_parts_create(&ranges, &s->parts));
    s->parts.stored = rill_stream_macroscopic((int)options->variant.stream);
    RILL_TRY(rill_parts_make(domain, number, &s->parts));
    const rill_part other = s->parts.part[0];
    s->parts.part[0] = s->parts.part[number];
    if (number > 0) s->parts.part[number] = other;
    s->parts.count = 1;
    s->reversed = calloc(1, sizeof *s->reversed);
    if (!s->reversed) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d parts", count));
    RILL_TRY(part_sim_create(s, 0, sim, options->on.device));
    s->sims[0]->joined = loop;
    RILL_TRY(loops_create(s, count));
    sim->device = options->on.device;
    sim->several = s;
    s = NULL;
    *out = sim;
    sim = NULL;
done:
    rill_ranges_destroy(&ranges);
    rill_several_destroy(s);
    rill_sim_destroy(sim);
    return status;
}

rill_sim *rill_several_alone_part(rill_sim *sim)
{
    rill_sim *part = rill_sim_part(sim, 0);
    part->joined = false;
    return part;
}

uint64_t rill_several_exchange_held(const rill_sim *sim)
{
    uint64_t bytes = 0;
    for (int k = 0; k < sim->several->route_count; k++) bytes += rill_route_held(&sim->several->routes[k]);
    return bytes;
}

uint64_t rill_several_sends(const rill_sim *sim, int k)
{
    const rill_several *s = sim->several;
    uint64_t bytes = 0;
    for (int set = 0; set < sim->set_count; set++)
        bytes +=
            s->parts.part[k].receives.count * rill_storage_size((int)sim->flow[set].options.variant.storage);
    return bytes;
}

static void patches_free(rill_several *s)
{
    for (int k = 0; k < s->patch_count; k++) free(s->patches[k].homes);
    for (int k = 0; k < s->stage_count; k++) rill_stage_destroy(s->stages[k]);
    free(s->patches);
    free(s->stages);
}

void rill_several_destroy(rill_several *s)
{
    if (!s) return;
    patches_free(s);
    for (int k = 0; k < s->route_count; k++) rill_route_destroy(&s->routes[k]);
    for (int p = 0; p < s->parts.count && s->sims; p++) {
        if (s->sims[p] && s->reversed) rill_device_release(s->sims[p]->device, s->reversed[p]);
        if (s->sims[p] && s->lanes) lane_destroy(s->sims[p]->device, &s->lanes[p]);
        rill_sim_destroy(s->sims[p]);
        if (s->sponges) rill_array_destroy(s->sponges[p]);
    }
    rill_several_walls_free(s);
    free(s->lanes);
    free(s->routes);
    free(s->reversed);
    free(s->sims);
    free(s->sponges);
    rill_parts_destroy(&s->parts);
    free(s);
}

double rill_several_efficiency(const rill_several_work *w)
{
    static const double latency = 4, per_mb = 4.4, openings = 16, split = 53, least = 20; /* us */
    const double exchange = latency + per_mb * 1e-6 * (double)w->bytes;
    const double exposed = w->split ? split : exchange + (w->openings ? openings : 0);
    const double step = fmax((double)w->largest / w->mlups + exposed, least);
    return (double)w->nodes / w->mlups / w->count / step;
}

double rill_several_balance(const rill_several_parts *p)
{
    double most = 1;
    for (int k = 0; k < p->count; k++) most = fmax(most, p->part[k].cost);
    return most;
}

uint64_t rill_several_bytes(const rill_several_parts *p)
{
    uint64_t most = 0;
    for (int k = 0; k < p->count; k++) most = p->part[k].bytes > most ? p->part[k].bytes : most;
    return most;
}

double rill_several_expected(const rill_several_parts *p)
{
    if (p->mlups <= 0 || p->count < 2 || rill_devices_alike(p->devices, p->count) > 1) return NAN;
    if (!p->devices[0]->backend->traits.processor && !rill_devices_reach(p->devices, p->count)) return NAN;
    return rill_several_efficiency(
        &(rill_several_work){.nodes = p->nodes,
                             .largest = (uint64_t)(rill_several_balance(p) * (double)p->nodes / p->count),
                             .count = p->count,
                             .mlups = p->mlups,
                             .bytes = rill_several_bytes(p),
                             .openings = p->openings,
                             .split = p->split});
}

double rill_several_times(const rill_several_parts *p)
{
    if (p->count < 2) return 1;
    const double expected = rill_several_expected(p);
    return p->count / rill_devices_alike(p->devices, p->count) * (isfinite(expected) ? expected : 1);
}
