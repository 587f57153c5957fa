/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps of a simulation on several devices. Calls of a GPU take microseconds, and a step of a part makes a
 * dozen: each part of several GPUs has a thread of the host, which waits only until the call before which its
 * own must not be made was made. Otherwise one thread goes from part to part.
 */
#include "sim/several.h"

#include "core/aside.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* Steps that are worth a thread for each part. */
enum { THREAD_STEPS = 8 };

static rill_device *device_of(const rill_several *s, int p) { return s->sims[p]->device; }

/* Let the queue of the device of a part wait for an event. */
static rill_status wait_for(const rill_several *s, int p, void *event)
{
    return rill_device_queue_wait(device_of(s, p), device_of(s, p)->queue, event);
}

/* Let the queue of its edges wait for one. */
static rill_status edge_wait_for(const rill_several *s, int p, void *event)
{
    return rill_device_queue_wait(device_of(s, p), s->lanes[p].edge, event);
}

/* Record that a part's step is made but for what its edge queue does. */
static rill_status done_record(const rill_several *s, int p)
{
    return rill_device_event_record(device_of(s, p), device_of(s, p)->queue, s->lanes[p].done);
}

/* Make the step of all nodes: those of edges once the step before is done, the others, in the other queue,
 * once its edges are. */
static rill_status nodes_step(const rill_several *s, int p, bool left)
{
    rill_status status = RILL_OK;
    rill_sim *sim = s->sims[p];
    const rill_part *part = &s->parts.part[p];
    const rill_lane *lane = &s->lanes[p];
    const rill_node first = part->domain->first, end = rill_domain_end(part->domain);
    RILL_TRY(edge_wait_for(s, p, lane->done));
    rill_sim_step_range(sim, lane->edge, first, part->low, left);
    rill_sim_step_range(sim, lane->edge, part->high, end, left);
    rill_sim_step_range(sim, sim->device->queue, part->low, part->high, left);
    rill_sim_advance(sim);
    rill_sim_damp(sim, lane->edge, 0, lane->sponge);
    rill_sim_damp(sim, sim->device->queue, lane->sponge, sim->sponge.count);
done:
    return status;
}

/* Take off a part what others need, before anything is rewritten. From here on the queue of the device has
 * all nodes behind it. */
static rill_status send(const rill_several *s, int p, unsigned exchange)
{
    rill_status status = RILL_OK;
    void *sent = s->lanes[p].sent[exchange & 1];
    for (int k = 0; k < s->route_count; k++)
        if (s->routes[k].from_part == p) rill_route_send(&s->routes[k], s->lanes[p].edge, exchange);
    RILL_TRY(rill_device_event_record(device_of(s, p), s->lanes[p].edge, sent));
    RILL_TRY(wait_for(s, p, sent));
done:
    return status;
}

/* Bring to a part what others have sent, to where the next step reads it. @param mirrored  once links are
 * rewritten */
static rill_status receive(const rill_several *s, int p, unsigned exchange, bool mirrored)
{
    rill_status status = RILL_OK;
    const rill_lane *lane = &s->lanes[p];
    for (int k = 0; k < s->route_count; k++) {
        const rill_route *r = &s->routes[k];
        if (r->to_part != p) continue;
        RILL_TRY(edge_wait_for(s, p, s->lanes[r->from_part].sent[exchange & 1]));
        RILL_TRY(rill_route_fetch(r, lane->edge, exchange));
    }
    if (mirrored) {
        RILL_TRY(done_record(s, p));
        RILL_TRY(edge_wait_for(s, p, lane->done));
    }
    for (int k = 0; k < s->route_count; k++)
        if (s->routes[k].to_part == p) rill_route_receive(&s->routes[k], lane->edge, exchange);
    for (int k = 0; s->reversed[p] && k < s->sims[p]->set_count; k++) {
        if (!rill_set_reflects(&s->sims[p]->flow[k])) continue;
        rill_launch launch = rill_set_launch(s->sims[p], &s->sims[p]->flow[k]);
        launch.queue = lane->edge;
        launch.kernels->swap(&launch, s->reversed[p], s->parts.part[p].turn_count);
    }
    RILL_TRY(rill_device_event_record(device_of(s, p), lane->edge, lane->received));
done:
    return status;
}

/* One of several steps that are made at a time. */
typedef struct step {
    unsigned exchange;
    bool first, last;
} step;

/* Let nodes receive what mirrored links have sent, once the edges are stepped, before rows of nodes are sent.
 */
static rill_status swap_before(const rill_several *s, int p)
{
    rill_status status = RILL_OK;
    const rill_lane *lane = &s->lanes[p];
    RILL_TRY(rill_device_event_record(device_of(s, p), lane->edge, lane->looked));
    RILL_TRY(wait_for(s, p, lane->looked));
    RILL_TRY(rill_sim_step_links(s->sims[p], false));
    RILL_TRY(done_record(s, p));
    RILL_TRY(edge_wait_for(s, p, lane->done));
done:
    return status;
}

/* Whether interpolated links may be left to the next step: who reads velocities between steps needs them. */
static bool leaves(const rill_sim *sim) { return sim->patches.in_step && !sim->carried; }

/* What a part does in a step before it needs what others have sent. */
static rill_status part_begin(const rill_several *s, int p, const step *at)
{
    rill_status status = RILL_OK;
    RILL_TRY(nodes_step(s, p, !at->first && leaves(s->sims[p])));
    if (s->parts.stored && s->mirrored) RILL_TRY(swap_before(s, p));
    RILL_TRY(send(s, p, at->exchange));
done:
    return status;
}

/* The remainder, but for openings that lie in several parts. Interpolated bounce-back reads what comes in
 * from other parts; mirrored boundaries, with which it does not go, replace what patches read. */
static rill_status part_end(const rill_several *s, int p, const step *at)
{
    rill_status status = RILL_OK;
    rill_sim *sim = s->sims[p];
    const bool mirrored = s->mirrored;
    if (s->parts.stored) return receive(s, p, at->exchange, false);
    if (!mirrored) RILL_TRY(receive(s, p, at->exchange, false));
    if (!mirrored && sim->patches.count) RILL_TRY(wait_for(s, p, s->lanes[p].received));
    RILL_TRY(rill_sim_step_links(sim, !at->last && leaves(sim)));
    if (mirrored) RILL_TRY(receive(s, p, at->exchange, true));
done:
    return status;
}

/* Copy the populations that nodes have sent through openings in several parts. */
static rill_status stages_send(const rill_several *s, unsigned exchange)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < s->stage_count; k++) rill_stage_send(s->stages[k], exchange);
    for (int p = 0; p < s->parts.count && s->stage_count; p++)
        RILL_TRY(rill_device_event_record(device_of(s, p), device_of(s, p)->queue, s->lanes[p].looked));
done:
    return status;
}

/* Rewrite the links of openings that lie in several parts: last, as all openings. What a part sends for
 * several of them arrives in the order in which it was sent. */
static rill_status stages_apply(const rill_several *s, unsigned exchange)
{
    rill_status status = RILL_OK;
    for (int k = 0; k < s->stage_count; k++) {
        rill_device *home = s->stages[k]->sim->device;
        for (int p = 0; p < s->parts.count; p++)
            RILL_TRY(rill_device_queue_wait(home, home->queue, s->lanes[p].looked));
        RILL_TRY(rill_stage_receive(s->stages[k], exchange));
    }
    for (int k = 0; k < s->stage_count; k++) RILL_TRY(rill_stage_apply(s->stages[k], exchange));
    for (int k = 0; k < s->stage_count; k++) RILL_TRY(rill_stage_return(s->stages[k], exchange));
done:
    return status;
}

/* Make a step, going from part to part. */
static rill_status step_make(const rill_several *s, const step *at)
{
    rill_status status = RILL_OK;
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(part_begin(s, p, at));
    RILL_TRY(stages_send(s, at->exchange));
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(part_end(s, p, at));
    RILL_TRY(stages_apply(s, at->exchange));
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(done_record(s, p));
done:
    return status;
}

/* What the threads of parts share. */
typedef struct threads {
    const rill_several *s;
    uint64_t steps;
    atomic_uint *sent; /* [parts], exchanges that a part has made all calls of */
    atomic_bool failed;
} threads;

/* The thread of a part. */
typedef struct runner {
    threads *all;
    int part;
    rill_aside aside;
} runner;

/* Wait until the parts that send to this one have made their calls, so that their events are those of this
 * exchange.
 * @return false where one has failed */
static bool await(const runner *r, unsigned exchange)
{
    const rill_several *s = r->all->s;
    for (int k = 0; k < s->route_count; k++) {
        if (s->routes[k].to_part != r->part) continue;
        atomic_uint *sent = &r->all->sent[s->routes[k].from_part];
        for (unsigned tries = 1; (int)(atomic_load_explicit(sent, memory_order_acquire) - exchange) < 0;
             tries++) {
            if (atomic_load_explicit(&r->all->failed, memory_order_relaxed)) return false;
            if (tries % 1024 == 0) sched_yield(); /* there may be fewer processors than threads */
        }
    }
    return true;
}

/* Make the steps of a part. An event of an exchange is recorded anew two exchanges later: by then all parts
 * that wait for it have made that call, for what they send in the exchange between was awaited. */
static rill_status part_run(void *of)
{
    rill_status status = RILL_OK;
    runner *r = of;
    const rill_several *s = r->all->s;
    for (uint64_t k = 0; k < r->all->steps; k++) {
        const step at = {s->exchanges + 1 + (unsigned)k, k == 0, k + 1 == r->all->steps};
        RILL_TRY(part_begin(s, r->part, &at));
        atomic_store_explicit(&r->all->sent[r->part], at.exchange, memory_order_release);
        if (!await(r, at.exchange)) break; /* the other part reports why */
        RILL_TRY(part_end(s, r->part, &at));
        RILL_TRY(done_record(s, r->part));
    }
done:
    if (status != RILL_OK) atomic_store(&r->all->failed, true);
    return status;
}

/* Make steps with a thread for each part. */
static rill_status steps_threaded(const rill_several *s, uint64_t steps)
{
    rill_status status = RILL_OK;
    const int count = s->parts.count;
    threads all = {.s = s, .steps = steps, .sent = calloc((size_t)count, sizeof *all.sent)};
    runner *runners = calloc((size_t)count, sizeof *runners);
    if (!all.sent || !runners) RILL_TRY(rill_fail(RILL_SYSTEM, "out of memory for %d devices", count));
    for (int p = 0; p < count; p++) {
        atomic_init(&all.sent[p], s->exchanges);
        runners[p] = (runner){.all = &all, .part = p};
    }
    for (int p = 1; p < count; p++) rill_aside_begin(&runners[p].aside, part_run, &runners[p]);
    status = part_run(&runners[0]);
    for (int p = 1; p < count; p++) {
        const rill_status other = rill_aside_end(&runners[p].aside);
        if (status == RILL_OK) status = other;
    }
done:
    free(runners);
    free(all.sent);
    return status;
}

/* Return whether parts step independently of each other but for what they send: on a GPU each, with openings
 * of their own. */
static bool apart(const rill_several *s)
{
    for (int p = 0; p < s->parts.count; p++) {
        const rill_device *device = device_of(s, p);
        if (!device->backend->traits.threaded) return false;
        for (int q = 0; q < p; q++)
            if (device_of(s, q)->ordinal == device->ordinal) return false;
    }
    return s->parts.count > 1 && s->stage_count == 0;
}

/* Give parts the rows of nodes of the others before the first step: what is set since the last one is set of
 * a part's own nodes alone. */
static rill_status rows_renew(rill_several *s)
{
    rill_status status = RILL_OK;
    s->exchanges++;
    for (int p = 0; p < s->parts.count; p++) {
        RILL_TRY(edge_wait_for(s, p, s->lanes[p].done));
        RILL_TRY(send(s, p, s->exchanges));
    }
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(receive(s, p, s->exchanges, false));
done:
    return status;
}

rill_status rill_several_begin(rill_sim *sim, uint64_t steps)
{
    rill_status status = RILL_OK;
    rill_several *s = sim->several;
    s->mirrored = rill_sim_mirrored(sim);
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(done_record(s, p));
    if (s->parts.stored) RILL_TRY(rows_renew(s));
    if (steps >= THREAD_STEPS && apart(s))
        RILL_TRY(steps_threaded(s, steps));
    else
        for (uint64_t k = 0; k < steps; k++)
            RILL_TRY(step_make(s, &(step){s->exchanges + 1 + (unsigned)k, k == 0, k + 1 == steps}));
    for (int p = 0; p < s->parts.count; p++) RILL_TRY(wait_for(s, p, s->lanes[p].received));
    s->exchanges += (unsigned)steps;
    sim->steps += steps;
done:
    return status;
}
