/* SPDX-License-Identifier: Apache-2.0 */
/* Simulations of the parts of a domain, and what they exchange. */
#include "sim/several.h"

#include "core/memory.h"
#include "sim/boundary.h"

#include <stdlib.h>

static rill_status check(const rill_sim *sim)
{
    const rill_variant v = sim->options.variant;
    const int count = sim->options.device_count;
    if (v.addressing == RILL_DENSE || rill_stream_ring(v.stream) || v.bounce == RILL_FULL_WAY)
        return rill_fail(
            RILL_USAGE,
            "%s cannot be had on %d devices: choose pull, push, AA or an Esoteric scheme, a list, "
            "chase or a bitmap, and half-way bounce-back",
            v.addressing == RILL_DENSE   ? "direct addressing"
            : rill_stream_ring(v.stream) ? "the ring buffer"
                                         : "full-way bounce-back",
            count);
    for (int k = 0; k < count; k++)
        if (!sim->options.devices[k] || sim->options.devices[k]->backend != sim->options.devices[0]->backend)
            return rill_fail(RILL_USAGE,
                             "device %d of %d is of another backend than the first: choose %s ones", k, count,
                             sim->options.devices[0] ? sim->options.devices[0]->backend->name : "open");
    return RILL_OK;
}

/* The routes of crossing links between all parts, and the links that change sign. */
static rill_status routes_create(rill_several *s)
{
    rill_status status = RILL_OK;
    const int count = s->parts.count;
    s->routes = calloc((size_t)count * (size_t)count, sizeof *s->routes);
    s->reversed = calloc((size_t)count, sizeof *s->reversed);
    if (!s->routes || !s->reversed) return rill_fail(RILL_SYSTEM, "out of memory for %d devices", count);
    for (int p = 0; p < count; p++) {
        const rill_part *to = &s->parts.part[p];
        for (int q = 0; q < count; q++) {
            const rill_part *from = &s->parts.part[q];
            const uint64_t links = to->receives.first[q + 1] - to->receives.first[q];
            if (links == 0) continue;
            RILL_TRY(rill_route_create(s->sims[q], s->sims[p], from->sends.links + from->sends.first[p],
                                       to->receives.links + to->receives.first[q], links,
                                       &s->routes[s->route_count]));
            s->route_count++;
        }
        if (to->turn_count)
            RILL_TRY(rill_device_share(s->sims[p]->device, to->turns, to->turn_count * sizeof(rill_swap),
                                       "mirrored links", &s->reversed[p]));
    }
done:
    return status;
}

rill_status rill_several_create(rill_sim *sim)
{
    rill_status status = RILL_OK;
    rill_sim_options own = sim->options;
    const int count = sim->options.device_count;
    rill_several *several = calloc(1, sizeof *several);
    if (!several) return rill_fail(RILL_SYSTEM, "out of memory for %d devices", count);
    RILL_TRY(check(sim));
    RILL_TRY(rill_parts_create(sim->domain, count, &several->parts));
    several->sims = calloc((size_t)count, sizeof *several->sims);
    if (!several->sims) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d devices", count));
    several->one_queue = true;
    own.device_count = 0;
    for (int p = 0; p < count; p++) {
        own.device = sim->options.devices[p];
        several->one_queue = several->one_queue && own.device == sim->options.devices[0];
        RILL_TRY(rill_sim_create(several->parts.part[p].domain, &own, &several->sims[p]));
    }
    RILL_TRY(routes_create(several));
    sim->device = several->sims[0]->device;
    sim->several = several;
    several = NULL;
done:
    rill_several_destroy(several);
    return status;
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
        rill_sim_destroy(s->sims[p]);
        if (s->sponges) rill_array_destroy(s->sponges[p]);
    }
    free(s->routes);
    free(s->reversed);
    free(s->sims);
    free(s->sponges);
    rill_parts_destroy(&s->parts);
    free(s);
}

/* Wait for the devices, where their queues do not keep the order themselves. */
static rill_status all_wait(const rill_several *several)
{
    rill_status status = RILL_OK;
    for (int p = 0; p < several->parts.count && !several->one_queue; p++)
        RILL_TRY(rill_device_wait(several->sims[p]->device));
done:
    return status;
}

/* Take off the parts what others need, before anything is rewritten. */
static void send(rill_several *s)
{
    s->exchanges++;
    for (int k = 0; k < s->route_count; k++) rill_route_send(&s->routes[k], s->exchanges);
    for (int k = 0; k < s->stage_count; k++) rill_stage_send(s->stages[k], s->exchanges);
}

/* Bring it to where the next step reads it. */
static rill_status receive(rill_several *s)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < s->route_count; k++) RILL_TRY(rill_route_receive(&s->routes[k], s->exchanges));
    for (int p = 0; p < s->parts.count; p++) {
        const rill_launch launch = rill_sim_launch(s->sims[p]);
        if (s->reversed[p]) s->sims[p]->kernels->swap(&launch, s->reversed[p], s->parts.part[p].turn_count);
    }
done:
    return status;
}

/* Rewrite the links of openings that lie in several parts: last, as all openings. */
static rill_status stages_apply(rill_several *s)
{
    rill_status status = RILL_OK;
    if (s->stage_count == 0) return RILL_OK;
    for (int k = 0; k < s->stage_count; k++) RILL_TRY(rill_stage_apply(s->stages[k], s->exchanges));
    RILL_TRY(all_wait(s));
    for (int k = 0; k < s->stage_count; k++) RILL_TRY(rill_stage_return(s->stages[k], s->exchanges));
done:
    return status;
}

/* Make one step. Interpolated bounce-back reads what comes in from other parts; mirrored boundaries, with
 * which it does not go, replace what patches read. @param first, last  of the steps that are made at a time
 */
static rill_status step_once(rill_sim *sim, bool first, bool last)
{
    rill_status status = RILL_OK;
    rill_several *s = sim->several;
    const bool mirrored = sim->domain->swap_count > 0;
    for (int p = 0; p < s->parts.count; p++)
        rill_sim_step_nodes(s->sims[p], !first && s->sims[p]->patches.in_step);
    send(s);
    RILL_TRY(all_wait(s));
    if (!mirrored) RILL_TRY(receive(s));
    for (int p = 0; p < s->parts.count; p++)
        RILL_TRY(rill_sim_step_links(s->sims[p], !last && s->sims[p]->patches.in_step));
    if (mirrored) RILL_TRY(receive(s));
    RILL_TRY(stages_apply(s));
    sim->steps++;
done:
    return status;
}

rill_status rill_several_begin(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    for (uint64_t k = 0; k < steps; k++) RILL_TRY(step_once(sim, k == 0, k + 1 == steps));
done:
    return status;
}
