/* SPDX-License-Identifier: Apache-2.0 */
/* The passes of a step: what they do to nodes is in device/front_node.h. */
#include "free_surface/passes.h"

#include "core/memory.h"
#include "device/device.h"
#include "device/front.h"
#include "free_surface/bubbles.h"
#include "free_surface/faces.h"
#include "sim/sim_priv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const name = "a free surface";

rill_status rill_node_list_add(rill_node_list *list, rill_node node)
{
    if (list->count == list->room) {
        const uint64_t room = 2 * list->room + 1024;
        rill_node *node_room = realloc(list->node, room * sizeof *node_room);
        if (!node_room)
            return rill_fail(RILL_SYSTEM, "out of memory for %lu nodes of a free surface",
                             (unsigned long)room);
        list->node = node_room;
        list->room = room;
    }
    list->node[list->count++] = node;
    return RILL_OK;
}

/* ---- what files of this folder look at on a processor -------------------------------------- */

void rill_free_surface_around(const rill_free_surface *s, rill_node node, rill_node *around)
{
    const uint32_t *n = s->numbering->n;
    uint32_t x[3][3];
    uint32_t left = s->cell[node];
    for (int a = 0; a < 3; a++) {
        x[a][1] = a < 2 ? left % n[a] : left;
        if (a < 2) left /= n[a];
        x[a][0] = x[a][1] == 0 ? n[a] - 1 : x[a][1] - 1;
        x[a][2] = x[a][1] + 1 == n[a] ? 0 : x[a][1] + 1;
    }
    for (int k = 0; k < RILL_AROUND; k++)
        around[k] = rill_numbering_node(s->numbering, x[0][k % 3], x[1][k / 3 % 3], x[2][k / 9]);
}

/* ---- nodes by their states ------------------------------------------------------------------ */

/* Allocate on the device, or on the host. */
static rill_status take(const rill_free_surface *s, uint64_t bytes, void **out)
{
    return s->device ? rill_device_alloc(s->device, bytes, name, out)
                     : rill_array_create_zero(bytes, 1, name, out);
}

static void leave(const rill_free_surface *s, void *array)
{
    if (s->device)
        rill_device_free(s->device, array);
    else
        rill_array_destroy(array);
}

/* Make room, of which what is there is not kept. */
static rill_status room_make(const rill_free_surface *s, uint64_t count, size_t size, uint64_t *room,
                             void **array)
{
    rill_status status = RILL_OK;
    if (count <= *room) return RILL_OK;
    leave(s, *array);
    *array = NULL;
    *room = 0;
    const uint64_t more = count + count / 2 + 1024;
    RILL_TRY(take(s, more * size, array));
    *room = more;
done:
    return status;
}

/* Make room on the host. */
static rill_status host_room_make(uint64_t count, size_t size, uint64_t *room, void **array)
{
    if (count <= *room) return RILL_OK;
    const uint64_t more = count + count / 2 + 1024;
    free(*array);
    *room = 0;
    *array = malloc(more * size);
    if (!*array)
        return rill_fail(RILL_SYSTEM, "out of memory for %lu nodes of a free surface", (unsigned long)more);
    *room = more;
    return RILL_OK;
}

static rill_status found_make(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    uint64_t room = f->found_room;
    RILL_TRY(room_make(s, f->list.count, sizeof *f->found, &room, (void **)&f->found));
    RILL_TRY(room_make(s, f->list.count, sizeof *f->planes, &f->found_room, (void **)&f->planes));
done:
    return status;
}

/* List the nodes of a state. */
static rill_status collect(rill_free_surface *s, uint8_t state, rill_front_list *out)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    const uint64_t tiles = rill_front_tiles(s->nodes);
    uint64_t count = 0;
    f->listed = state;
    RILL_TRY(rill_front_count(s->device, f));
    if (s->device) {
        RILL_TRY(rill_device_download(s->device, s->number, f->number, tiles * sizeof *s->number));
        RILL_TRY(rill_device_download(s->device, s->stepped, f->stepped, tiles * sizeof *s->stepped));
    }
    for (uint64_t k = 0; k < tiles; k++) {
        const uint32_t own = s->number[k];
        s->number[k] = (uint32_t)count;
        count += own;
    }
    out->count = 0;
    RILL_TRY(room_make(s, count, sizeof *out->node, &out->room, (void **)&out->node));
    out->count = count;
    if (!count) return RILL_OK;
    if (s->device) RILL_TRY(rill_device_upload(s->device, f->number, s->number, tiles * sizeof *s->number));
    status = rill_front_collect(s->device, f, out);
done:
    return status;
}

/* Let the host see a list, for bubbles. */
static rill_status show(const rill_free_surface *s, const rill_front_list *list, rill_front_list *seen)
{
    rill_status status = RILL_OK;
    if (!s->closed) return RILL_OK;
    if (!s->device) {
        *seen = *list;
        return RILL_OK;
    }
    RILL_TRY(host_room_make(list->count, sizeof *seen->node, &seen->room, (void **)&seen->node));
    seen->count = list->count;
    if (list->count)
        status = rill_device_download(s->device, seen->node, list->node, list->count * sizeof *seen->node);
done:
    return status;
}

/* Blocks of gas between two runs, at least: on a GPU the start of a kernel takes as long as their steps. */
enum { APART = 16, APART_GPU = 2048 };

/* Find the runs of blocks that are stepped. */
static void runs_find(rill_free_surface *s)
{
    enum { blocks = RILL_FRONT_TILE / RILL_SEGMENT_BLOCK };
    const uint64_t apart = s->device ? APART_GPU : APART;
    uint64_t last = 0;
    s->run_count = 0;
    for (uint64_t tile = 0; tile < rill_front_tiles(s->nodes); tile++)
        for (uint64_t left = s->stepped[tile]; left; left &= left - 1) {
            const uint64_t b = tile * blocks + (uint64_t)__builtin_ctzll(left),
                           end = (b + 1) * RILL_SEGMENT_BLOCK;
            if (!s->run_count || b > last + apart)
                s->runs[s->run_count++].first = (rill_node)(b * RILL_SEGMENT_BLOCK);
            s->runs[s->run_count - 1].end = (rill_node)(end < s->nodes ? end : s->nodes);
            last = b;
        }
}

static rill_status list(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    RILL_TRY(collect(s, RILL_FRONT_INTERFACE, &s->front.list));
    runs_find(s);
    status = show(s, &s->front.list, &s->listed);
done:
    return status;
}

/* ---- a step --------------------------------------------------------------------------------- */

static rill_status work(const rill_free_surface *s, rill_front_work what, const rill_launch *launch)
{
    return rill_front_nodes(s->device, what, &s->front, launch);
}

/* Find what the host hands to interface nodes, or they to it: as many as there are. */
static rill_status reported_make(rill_free_surface *s)
{
    if (s->device)
        return host_room_make(s->front.list.count, sizeof *s->reported, &s->reported_room,
                              (void **)&s->reported);
    s->reported = s->front.found;
    return RILL_OK;
}

/* Add the pressures of bubbles. */
static rill_status press(rill_free_surface *s, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    const uint64_t count = f->list.count;
    if (!s->bubbles || !count) return RILL_OK;
    RILL_TRY(reported_make(s));
    for (uint64_t k = 0; k < count; k++)
        s->reported[k] = (rill_front_found){rill_bubbles_pressure(s, s->listed.node[k]), RILL_FRONT_STAYS};
    if (s->device)
        RILL_TRY(rill_device_upload(s->device, f->found, s->reported, count * sizeof *s->reported));
    status = work(s, RILL_FRONT_PRESS, launch);
done:
    return status;
}

/* Add up what crossed faces. */
static rill_status faces_sum(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    if (!f->faces.count) return RILL_OK;
    if (s->device)
        RILL_TRY(
            rill_device_download(s->device, s->crossed, f->through, f->faces.count * sizeof *s->crossed));
    rill_faces_sum(s);
done:
    return status;
}

static rill_status before(void *context, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_free_surface *s = context;
    RILL_TRY(found_make(s));
    RILL_TRY(work(s, RILL_FRONT_FACES_FIND, launch));
    RILL_TRY(work(s, RILL_FRONT_PLANES, launch));
    RILL_TRY(press(s, launch));
    RILL_TRY(work(s, RILL_FRONT_LINKS, launch));
    RILL_TRY(work(s, RILL_FRONT_FACES_APPLY, launch));
    RILL_TRY(faces_sum(s));
    RILL_TRY(work(s, RILL_FRONT_GAIN, launch));
done:
    return status;
}

static uint64_t runs(void *context, const rill_node_run **out)
{
    const rill_free_surface *s = context;
    *out = s->runs;
    return s->run_count;
}

/* Let interface nodes, and those that were, say what they are. */
static rill_status report(rill_free_surface *s, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    RILL_TRY(found_make(s));
    RILL_TRY(reported_make(s));
    RILL_TRY(work(s, RILL_FRONT_REPORT, launch));
    if (s->device && f->list.count)
        status = rill_device_download(s->device, s->reported, f->found, f->list.count * sizeof *s->reported);
done:
    return status;
}

/* Bring states and fill levels of interface nodes from a GPU, for bubbles. */
static rill_status look(rill_free_surface *s, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    if (!s->closed || !s->device) return RILL_OK;
    RILL_TRY(report(s, launch));
    for (uint64_t k = 0; k < s->listed.count; k++) {
        s->state[s->listed.node[k]] = RILL_INTERFACE;
        s->fill[s->listed.node[k]] = (float)s->reported[k].density;
    }
done:
    return status;
}

/* Collect the mass that is left over, for bubbles. @param[out] changed  whether states changed; on a GPU
 * without bubbles always */
static rill_status excess_collect(rill_free_surface *s, const rill_launch *launch, bool *changed)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    uint64_t count = 0;
    *changed = true;
    s->excess_count = 0;
    if (s->device && !s->closed) return RILL_OK;
    if (!s->closed) {
        for (uint64_t k = 0; k < f->list.count; k++) count += s->state[f->list.node[k]] != RILL_INTERFACE;
        *changed = count > 0;
        return RILL_OK;
    }
    RILL_TRY(report(s, launch));
    for (uint64_t k = 0; k < s->listed.count; k++) count += s->reported[k].change != RILL_INTERFACE;
    *changed = count > 0;
    RILL_TRY(host_room_make(count, sizeof *s->excess, &s->excess_room, (void **)&s->excess));
    for (uint64_t k = 0; k < s->listed.count; k++) {
        const rill_node node = s->listed.node[k];
        const rill_front_found *own = &s->reported[k];
        const bool stays = own->change == RILL_INTERFACE;
        if (!stays) s->excess[s->excess_count++] = (rill_excess){node, own->density};
        if (!s->device) continue;
        s->state[node] = (uint8_t)own->change;
        s->fill[node] = stays ? (float)own->density : own->change == RILL_LIQUID;
    }
done:
    return status;
}

/*
 * Change states: first of all that fill up, whose gas neighbours become interface, and whose neighbours do
 * not empty; then of what empties, whose liquid neighbours become interface; then the mass that is left over
 * goes to interface neighbours, or, without any, to all interface nodes.
 */
static rill_status convert(rill_free_surface *s, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    bool changed;
    RILL_TRY(work(s, RILL_FRONT_MARK, launch));
    RILL_TRY(work(s, RILL_FRONT_SPARE, launch));
    RILL_TRY(work(s, RILL_FRONT_SURROUND, launch));
    RILL_TRY(collect(s, RILL_FRONT_FRESH, &f->fresh));
    RILL_TRY(show(s, &f->fresh, &s->fresh));
    RILL_TRY(work(s, RILL_FRONT_BEGIN, launch));
    RILL_TRY(work(s, RILL_FRONT_OPEN, launch));
    RILL_TRY(work(s, RILL_FRONT_FINISH, launch));
    RILL_TRY(excess_collect(s, launch, &changed));
    RILL_TRY(work(s, RILL_FRONT_JOIN, launch));
    if (!changed) goto done;
    const rill_front_list former = f->before;
    f->before = f->list;
    f->list = former;
    RILL_TRY(list(s));
    RILL_TRY(look(s, launch));
    RILL_TRY(work(s, RILL_FRONT_SHARE, launch));
    RILL_TRY(work(s, RILL_FRONT_TAKE, launch));
    RILL_TRY(work(s, RILL_FRONT_CLEAR, launch));
    RILL_TRY(rill_front_hold(s->device, f));
    RILL_TRY(work(s, RILL_FRONT_SPREAD, launch));
    RILL_TRY(rill_front_release(s->device, f));
    status = rill_bubbles_follow(s);
done:
    return status;
}

static rill_status after(void *context, const rill_launch *launch)
{
    rill_status status = RILL_OK;
    rill_free_surface *s = context;
    RILL_TRY(work(s, RILL_FRONT_CHANGE, launch));
    RILL_TRY(convert(s, launch));
    rill_bubbles_measure(s);
done:
    return status;
}

static rill_passes passes_of(rill_free_surface *s)
{
    return (rill_passes){
        .what = name, .gpu = true, .before = before, .runs = runs, .after = after, .context = s};
}

/* ---- making it ------------------------------------------------------------------------------ */

/* Give the device what the host has. */
static rill_status give(const rill_free_surface *s)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    if (!s->device) return RILL_OK;
    RILL_TRY(rill_device_upload(s->device, f->state, s->state, s->nodes * sizeof *s->state));
    RILL_TRY(rill_device_upload(s->device, f->fill, s->fill, s->nodes * sizeof *s->fill));
    RILL_TRY(rill_device_upload(s->device, f->mass, s->mass, s->nodes * sizeof *s->mass));
    status = rill_device_upload(s->device, f->held, &s->held, sizeof s->held);
done:
    return status;
}

rill_status rill_free_surface_fetch(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    const rill_front *f = &s->front;
    if (!s->device) return RILL_OK;
    RILL_TRY(rill_device_download(s->device, s->state, f->state, s->nodes * sizeof *s->state));
    RILL_TRY(rill_device_download(s->device, s->fill, f->fill, s->nodes * sizeof *s->fill));
    RILL_TRY(rill_device_download(s->device, s->mass, f->mass, s->nodes * sizeof *s->mass));
    status = rill_device_download(s->device, &s->held, f->held, sizeof s->held);
done:
    return status;
}

/* Take arrays of the device, or those of the host. */
static rill_status arrays_make(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    const rill_numbering *b = s->numbering;
    const uint64_t tiles = rill_front_tiles(s->nodes), words = (uint64_t)b->n[1] * b->n[2] * b->row_words;
    if (s->faces.count) RILL_TRY(take(s, s->faces.count * sizeof *f->answer, (void **)&f->answer));
    if (!s->device) {
        f->faces.node = s->faces.node;
        f->through = s->crossed;
        f->occupied = b->occupied;
        f->base = b->base;
        f->cell = s->cell;
        f->state = s->state;
        f->fill = s->fill;
        f->mass = s->mass;
        f->held = &s->held;
        f->holds = &s->holds;
        f->number = s->number;
        f->stepped = s->stepped;
        return RILL_OK;
    }
    RILL_TRY(rill_device_share(s->device, b->occupied, words * sizeof *f->occupied, name,
                               (const void **)&f->occupied));
    RILL_TRY(rill_device_share(s->device, b->base, words * sizeof *f->base, name, (const void **)&f->base));
    RILL_TRY(
        rill_device_share(s->device, s->cell, s->nodes * sizeof *f->cell, name, (const void **)&f->cell));
    RILL_TRY(take(s, tiles * RILL_FRONT_TILE * sizeof *f->state, (void **)&f->state));
    RILL_TRY(take(s, s->nodes * sizeof *f->fill, (void **)&f->fill));
    RILL_TRY(take(s, s->nodes * sizeof *f->mass, (void **)&f->mass));
    RILL_TRY(take(s, sizeof *f->held, (void **)&f->held));
    RILL_TRY(take(s, sizeof *f->holds, (void **)&f->holds));
    RILL_TRY(take(s, tiles * sizeof *f->number, (void **)&f->number));
    RILL_TRY(take(s, tiles * sizeof *f->stepped, (void **)&f->stepped));
    if (s->faces.count) {
        const uint64_t bytes = s->faces.count * sizeof *f->faces.node;
        RILL_TRY(take(s, bytes, (void **)&f->faces.node));
        RILL_TRY(take(s, s->faces.count * sizeof *f->through, (void **)&f->through));
        RILL_TRY(rill_device_upload(s->device, f->faces.node, s->faces.node, bytes));
    }
    rill_device_pin(s->device, s->number, tiles * sizeof *s->number);
    rill_device_pin(s->device, s->stepped, tiles * sizeof *s->stepped);
done:
    return status;
}

rill_status rill_free_surface_begin(rill_free_surface *s, const rill_free_surface_options *options)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    const rill_passes passes = passes_of(s);
    for (int a = 0; a < 3; a++) f->n[a] = s->numbering->n[a];
    f->row_words = s->numbering->row_words;
    f->nodes = s->nodes;
    f->tension = s->tension;
    f->bent = s->angle != RILL_RIGHT_ANGLE;
    f->sine = sin(s->angle * M_PI / 180);
    f->cosine = cos(s->angle * M_PI / 180);
    f->inflow = rill_faces_front(s, &s->inflow);
    f->outflow = rill_faces_front(s, &s->outflow);
    f->faces.count = f->faces.room = s->faces.count;
    RILL_TRY(arrays_make(s));
    RILL_TRY(give(s));
    RILL_TRY(list(s));
    RILL_TRY(rill_bubbles_create(s, options));
    RILL_TRY(rill_sim_passes_set(s->sim, &passes));
    const rill_launch launch = rill_sim_launch(s->sim);
    RILL_TRY(work(s, RILL_FRONT_WEIGH, &launch));
done:
    return status;
}

rill_status rill_free_surface_resume(rill_free_surface *s)
{
    rill_status status = RILL_OK;
    for (rill_node n = 0; n < s->nodes; n++) {
        if (s->state[n] > RILL_LIQUID)
            return rill_fail(RILL_USAGE, "node %u has state %d, and there are 0 to %d: it is damaged", n,
                             s->state[n], RILL_LIQUID);
        if (s->state[n] != RILL_INTERFACE) s->mass[n] = 0;
    }
    RILL_TRY(rill_bubbles_resume(s));
    RILL_TRY(give(s));
    status = list(s);
done:
    return status;
}

void rill_free_surface_leave(rill_free_surface *s)
{
    rill_front *f = &s->front;
    leave(s, f->list.node);
    leave(s, f->before.node);
    leave(s, f->fresh.node);
    leave(s, f->found);
    leave(s, f->planes);
    leave(s, f->answer);
    if (!s->device) return;
    leave(s, f->faces.node);
    leave(s, f->through);
    free(s->listed.node);
    free(s->fresh.node);
    free(s->reported);
    rill_device_unpin(s->device, s->number);
    rill_device_unpin(s->device, s->stepped);
    rill_device_release(s->device, f->occupied);
    rill_device_release(s->device, f->base);
    rill_device_release(s->device, f->cell);
    leave(s, f->state);
    leave(s, f->fill);
    leave(s, f->mass);
    leave(s, f->held);
    leave(s, f->holds);
    leave(s, f->number);
    leave(s, f->stepped);
}

rill_status rill_free_surface_measure(rill_free_surface *s, rill_node **nodes, rill_front_plane **out)
{
    rill_status status = RILL_OK;
    rill_front *f = &s->front;
    const rill_launch launch = rill_sim_launch(s->sim);
    const uint64_t count = f->list.count;
    RILL_TRY(found_make(s));
    RILL_TRY(work(s, RILL_FRONT_MEASURE, &launch));
    RILL_TRY(rill_array_create(count, sizeof **nodes, name, (void **)nodes));
    RILL_TRY(rill_array_create(count, sizeof **out, name, (void **)out));
    if (s->device && count) {
        RILL_TRY(rill_device_download(s->device, *nodes, f->list.node, count * sizeof **nodes));
        RILL_TRY(rill_device_download(s->device, *out, f->planes, count * sizeof **out));
    } else if (count) {
        memcpy(*nodes, f->list.node, count * sizeof **nodes);
        memcpy(*out, f->planes, count * sizeof **out);
    }
done:
    return status;
}
